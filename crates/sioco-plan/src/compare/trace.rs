//! A concrete exchange of two models, and whether the specification allows it.

use sioco_model::model::{Direction, Label, Model};
use sioco_model::semantics::interpreter::{Interpreter, Quiescence, StepError};
use sioco_model::semantics::state::State;
use sioco_symbolic::Solved;
use sioco_symbolic::step::Step;

use super::join::{Joined, Side};
use crate::event::Event;

/// An input and the answer to it; at the start there is no input.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Exchange {
    /// The input.
    pub input: Option<Event>,
    /// What the implementation model answers; nothing where it does not take the input.
    pub implementation: Option<Vec<Event>>,
    /// What the specification answers: every answer that it allows, as far as there are few; nothing where it does not
    /// define the input.
    pub spec: Option<Vec<Vec<Event>>>,
    /// Whether the specification allows more answers than are told.
    pub more: bool,
}

/// What happened on a solved path of two models, seen from the implementation model; with inputs that only the
/// specification takes.
pub(crate) fn exchanges(joined: &Joined, solved: &Solved) -> Vec<Exchange> {
    let model = &joined.model;
    let mut found = vec![Exchange { implementation: Some(Vec::new()), ..Exchange::default() }];
    // The specification may go along with the implementation model, or after it.
    let mut taken = Vec::new();
    for (step, values) in &solved.steps {
        let Step::Switch(switch) = step else { continue };
        let s = &model.switches[*switch];
        let Label::Gate(gate) = s.label else { continue };
        let event = Event { gate, args: values.clone() };
        if !joined.has_process(Side::Spec, s.process) && !joined.has_process(Side::Impl, s.process) {
            // An input whoever takes it: the implementation model would have taken it before.
            found.push(Exchange { input: Some(event), ..Exchange::default() });
            continue;
        }
        match (model.gates[gate].direction, joined.has_process(Side::Spec, s.process)) {
            (Direction::Input, false) => {
                found.push(Exchange { input: Some(event), implementation: Some(Vec::new()), ..Exchange::default() });
            }
            (Direction::Input, true) => taken.push(event),
            (Direction::Output, false) => {
                let last = found.last_mut().expect("the start is there");
                last.implementation.get_or_insert_default().push(event);
            }
            (Direction::Output, true) => {}
        }
    }
    // What only the specification takes comes after what both do.
    let both = found.len() - 1;
    found.extend(taken.into_iter().skip(both).map(|event| Exchange { input: Some(event), ..Exchange::default() }));
    found
}

/// What happened up to an input for which the implementation model has no value, and what the specification answers.
pub(crate) fn without_value(joined: &Joined, spec: &Model, solved: &Solved) -> Vec<Exchange> {
    let mut found = exchanges(joined, solved);
    if let Some(last) = found.last_mut() {
        last.implementation = None;
    }
    tell(spec, &mut found);
    found
}

/// What the specification says to a trace.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Says {
    /// It allows all of it. Also an input that is not taken, if it may be in a state that does not define it.
    Allows,
    /// It defines the input of this exchange and does not allow the answer.
    Forbids(usize),
    /// It does not define the input of this exchange.
    Undefined(usize),
}

/// At most this many answers are listed; a message with more is not read.
const ANSWERS: usize = 8;
/// Answers are followed for at most this many steps: those of people have a few.
const LONGEST: usize = 64;
/// At most this many beginnings of answers are looked at: with two outputs that go on for ever, there are twice as many
/// of each length as of the one before.
const LOOKED: usize = 1_000;

/// Runs the specification along a trace.
pub(crate) fn run(spec: &Model, trace: &[Exchange]) -> Result<Says, StepError> {
    along(spec, trace, &mut |_, _| Ok(()))
}

/// Fills in what the specification answers, as far as it has values itself. This takes longer than to judge the trace.
pub(crate) fn tell(spec: &Model, trace: &mut [Exchange]) {
    let mut told: Vec<(Vec<Vec<Event>>, bool)> = Vec::new();
    let _ = along(spec, trace, &mut |interpreter, states| {
        let mut answers = Vec::new();
        let more = collect(interpreter, states, &mut Vec::new(), &mut answers, &mut { LOOKED })?;
        told.push((answers, more));
        Ok(())
    });
    for (exchange, (answers, more)) in trace.iter_mut().zip(told) {
        (exchange.spec, exchange.more) = (Some(answers), more);
    }
}

/// What is done with the states of the specification before each answer.
type BeforeAnswer<'v> = &'v mut dyn FnMut(&mut Interpreter<'_>, &[State]) -> Result<(), StepError>;

fn along(spec: &Model, trace: &[Exchange], before_answer: BeforeAnswer<'_>) -> Result<Says, StepError> {
    let mut interpreter = Interpreter::new(spec);
    let start = interpreter.initial_default();
    let mut states = interpreter.closure(vec![start])?.states;
    for (i, exchange) in trace.iter().enumerate() {
        let mut must_take = true;
        if let Some(input) = &exchange.input {
            // It waits for the input.
            states = interpreter.after_delta(states)?.states;
            for state in &states {
                must_take &= !interpreter.after(vec![state.clone()], input.gate, &input.args)?.states.is_empty();
            }
            states = interpreter.after(states, input.gate, &input.args)?.states;
            if states.is_empty() {
                return Ok(Says::Undefined(i));
            }
        }
        before_answer(&mut interpreter, &states)?;
        let Some(seen) = &exchange.implementation else {
            // A refusal is wrong only if every state that explains what was observed takes the input.
            return Ok(if must_take { Says::Forbids(i) } else { Says::Allows });
        };
        for out in seen {
            states = interpreter.after(states, out.gate, &out.args)?.states;
        }
        states = interpreter.after_delta(states)?.states;
        if states.is_empty() {
            return Ok(Says::Forbids(i));
        }
    }
    Ok(Says::Allows)
}

/// The answers that are possible from states, each up to where the model waits. Says whether there are more.
fn collect(
    interpreter: &mut Interpreter<'_>,
    states: &[State],
    before: &mut Vec<Event>,
    found: &mut Vec<Vec<Event>>,
    left: &mut usize,
) -> Result<bool, StepError> {
    let model = interpreter.model();
    if *left == 0 {
        return Ok(true);
    }
    *left -= 1;
    let mut more = false;
    let mut next: Vec<Event> = Vec::new();
    let mut waits = false;
    for state in states {
        waits |= matches!(interpreter.quiescence(state)?, Quiescence::Quiescent | Quiescence::Diverging);
        for offer in interpreter.outputs(state)? {
            let Label::Gate(gate) = model.switches[offer.switch].label else { continue };
            let event = Event { gate, args: offer.args };
            more |= !offer.fixed;
            if !next.contains(&event) {
                next.push(event);
            }
        }
    }
    if waits && !found.contains(before) {
        found.push(before.clone());
    }
    for event in next {
        if found.len() >= ANSWERS || before.len() >= LONGEST {
            return Ok(true);
        }
        let after = interpreter.after(states.to_vec(), event.gate, &event.args)?.states;
        before.push(event);
        more |= collect(interpreter, &after, before, found, left)?;
        before.pop();
    }
    Ok(more)
}
