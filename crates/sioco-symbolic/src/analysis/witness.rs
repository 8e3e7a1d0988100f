//! Witnesses: paths with values, confirmed by the interpreter.

use sioco_model::semantics::interpreter::{Interpreter, Quiescence};
use sioco_model::semantics::{State, StepError};
use sioco_model::{Model, Value};

use crate::describe::Solved;
use crate::path::Path;
use crate::step::Step;

/// A path with values that leads to what was found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Witness {
    /// The path: it can be replayed.
    pub path: Solved,
    /// The state at its end, as the interpreter computes it; nothing if that takes a solver.
    pub state: Option<State>,
    /// The values of the parameters that the finding is about, in the order of its gate or switch; nothing where one is
    /// undefined.
    pub values: Vec<Option<Value>>,
}

impl Path<'_> {
    /// The state at the end of a path with values. The interpreter is kept: making it takes a look at the whole model,
    /// and there may be a witness for every part of it.
    pub(crate) fn replay(&mut self, path: &Solved) -> Option<State> {
        let model = self.model;
        let interpreter = self.concrete.interpreter.get_or_insert_with(|| Box::new(Interpreter::new(model)));
        let state = self.state.begun.clone().unwrap_or_else(|| initial(interpreter, path));
        replay_with(interpreter, state, path, |_, _, _| true)
    }

    /// Whether, on a path with values, internal steps go on for ever wherever the path says so.
    pub(crate) fn diverges_with(&mut self, path: &Solved) -> bool {
        let model = self.model;
        let interpreter = self.concrete.interpreter.get_or_insert_with(|| Box::new(Interpreter::new(model)));
        let state = self.state.begun.clone().unwrap_or_else(|| initial(interpreter, path));
        let diverges = |interpreter: &mut Interpreter<'_>, state: &State, step: Step| {
            step != Step::Divergence || interpreter.quiescence(state) == Ok(Quiescence::Diverging)
        };
        replay_with(interpreter, state, path, diverges).is_some()
    }
}

/// The state at the end of a path, by the interpreter.
pub fn replay(model: &Model, path: &Solved) -> Option<State> {
    let mut interpreter = Interpreter::new(model);
    let state = initial(&interpreter, path);
    replay_with(&mut interpreter, state, path, |_, _, _| true)
}

/// The initial state of the model, with the values of a path.
fn initial(interpreter: &Interpreter<'_>, path: &Solved) -> State {
    let model = interpreter.model();
    interpreter.initial(&mut |v| {
        let chosen = path.start.iter().find(|(var, _)| *var == v);
        chosen.map_or_else(|| model.sorts.default_value(model.variables[v].sort), |(_, value)| value.clone())
    })
}

/// The state at the end; nothing if a step is not possible, or is silence that somebody does not believe.
fn replay_with(
    interpreter: &mut Interpreter<'_>,
    mut state: State,
    path: &Solved,
    mut silent: impl FnMut(&mut Interpreter<'_>, &State, Step) -> bool,
) -> Option<State> {
    for (step, values) in &path.steps {
        match *step {
            Step::Switch(s) => match interpreter.fire(&mut state, s, values) {
                Ok(true) => {}
                Ok(false) | Err(_) => return None,
            },
            Step::Handshake { send, receive } => {
                // This one alone: another may be a model error here.
                state = interpreter.shake(&state, send, receive, values).ok()??;
            }
            Step::Delta | Step::Divergence if silent(interpreter, &state, *step) => {}
            Step::Delta | Step::Divergence => return None,
        }
    }
    Some(state)
}

impl Witness {
    /// The error that taking a step after this path is, for the values that were looked for.
    pub fn undefined(&self, model: &Model, step: Step) -> Option<StepError> {
        let mut interpreter = Interpreter::new(model);
        let mut state = self.state.clone()?;
        let values = self.values.iter().cloned().collect::<Option<Vec<Value>>>();
        let error = match (step, values) {
            (Step::Switch(s), Some(values)) => interpreter.fire(&mut state, s, &values).err(),
            (Step::Switch(s), None) => interpreter.example(&state, s).err(),
            (Step::Handshake { send, receive }, Some(values)) => {
                interpreter.shake(&state, send, receive, &values).err()
            }
            // What is sent has no value.
            (Step::Handshake { send, .. }, None) => interpreter.choices(&state, send).err(),
            (Step::Delta | Step::Divergence, _) => None,
        };
        error.filter(|e| matches!(e, StepError::Undefined { .. }))
    }
}
