//! Purposes that send given inputs (S2 definition 11: test cases), and random ones: sequences of inputs whose values are
//! drawn from their whole ranges, whatever the guards are.

use sioco_model::model::{Direction, Label, Model};
use sioco_model::sample::{self, Plain};
use sioco_model::semantics::StepError;
use sioco_model::semantics::interpreter::Interpreter;
use sioco_model::semantics::state::State;
use sioco_model::{GateId, SwitchId};
use sioco_solve::values::Random;
use sioco_symbolic::step::Step;

use crate::event::Event;
use crate::purpose::{Leg, Purpose};
use crate::want::Want;

/// A model may take at most this many steps by itself between two inputs: one that takes more probably never stops.
const STEPS: usize = 1_000;
/// A purpose made of inputs may have at most this many nodes: some ten thousand inputs with their answers.
const NODES: usize = 100_000;

/// Why there is no purpose for inputs.
#[derive(Clone, PartialEq, Debug)]
pub enum NoPurpose {
    /// The model does not take the first input, or what comes out of it is no model of inputs and answers.
    Nothing,
    /// A variable is free at the start: which path the inputs take depends on its value.
    Free(String),
    /// The model goes on by itself for too long.
    Endless,
    /// The system chooses a value of this output, among more than there can be ways in a test.
    Chosen(SwitchId),
    /// A step is undefined, or takes a solver.
    Step(StepError),
}

impl NoPurpose {
    /// What is wrong, in words.
    pub fn describe(&self, model: &Model) -> String {
        match self {
            NoPurpose::Nothing => "the model does not take the first of these inputs".into(),
            NoPurpose::Free(name) => format!(
                "`{name}` is free at the start, and the path of the inputs depends on its value; give it a value, \
                 as in `= 0`"
            ),
            NoPurpose::Endless => format!("the model takes more than {STEPS} steps of its own after an input"),
            NoPurpose::Chosen(switch) => format!(
                "the system chooses among too many values of `{}`, and a test needs a branch for each; give the \
                 parameter a range, as in `Int in 0..9`, or choose another `--cover`",
                model.switches[*switch].name
            ),
            NoPurpose::Step(error) => error.describe(model),
        }
    }
}

/// A purpose that sends these inputs, one after the other, each when the model has done all that it does by itself. Where
/// the model has a choice, the purpose has all of them. An input that the model does not take ends a path before it.
pub fn purpose(model: &Model, inputs: &[Event]) -> Result<Purpose, NoPurpose> {
    if let Some((_, v)) = model.variables.iter().find(|(_, v)| v.initial.is_none()) {
        return Err(NoPurpose::Free(v.name.clone()));
    }
    let mut run = Interpreter::new(model);
    let mut purpose = Purpose::default();
    let start = run.initial_default();
    let mut open: Vec<(usize, State, usize, usize)> = vec![(0, start, 0, 0)];
    while let Some((at, state, sent, steps)) = open.pop() {
        if steps > STEPS || purpose.nodes.len() > NODES {
            return Err(NoPurpose::Endless);
        }
        let own = own_steps(&mut run, &state)?;
        let (next, sent, steps) = match (own.is_empty(), inputs.get(sent)) {
            (false, _) => (own, sent, steps + 1),
            (true, Some(Event { gate, args })) => {
                let taken = run.successors(&state, *gate, args).map_err(NoPurpose::Step)?;
                let given = |(switch, to)| {
                    let wants = if args.is_empty() { Vec::new() } else { vec![Want::Values(args.clone())] };
                    (Leg { step: Step::Switch(switch), wants: wants.into_iter().collect() }, to)
                };
                (taken.into_iter().map(given).collect(), sent + 1, 0)
            }
            (true, None) => (Vec::new(), sent, 0),
        };
        if next.is_empty() {
            let end = end(model, &mut purpose, at);
            purpose.nodes[end].accept = end != 0;
            continue;
        }
        for (leg, to) in next.into_iter().rev() {
            let child = purpose.add(at, leg, None);
            open.push((child, to, sent, steps));
        }
    }
    if purpose.accepts().next().is_none() {
        return Err(NoPurpose::Nothing);
    }
    Ok(purpose)
}

/// Where a path ends: after an input that has no answer, with silence.
fn end(model: &Model, purpose: &mut Purpose, at: usize) -> usize {
    let switch = purpose.nodes[at].leg.as_ref().and_then(|leg| leg.step.switches().next());
    match switch.and_then(|s| model.direction(s)) {
        Some(Direction::Input) => purpose.add(at, Leg::from(Step::Delta), None),
        _ => at,
    }
}

/// What the model may do by itself: outputs and internal steps.
fn own_steps(run: &mut Interpreter<'_>, state: &State) -> Result<Vec<(Leg, State)>, NoPurpose> {
    let mut found = Vec::new();
    for (step, to) in run.internal_steps(state).map_err(NoPurpose::Step)? {
        let step = match step.receive {
            Some(receive) => Step::Handshake { send: step.switch, receive },
            None => Step::Switch(step.switch),
        };
        found.push((Leg::from(step), to));
    }
    let outputs: Vec<_> = run.outputs_at(state).collect();
    for switch in outputs {
        let chosen = run.model().switches[switch].params.iter().any(|p| p.term.is_none());
        let choices = run.choices(state, switch).map_err(|error| match error {
            StepError::NeedsSolver { .. } if chosen => NoPurpose::Chosen(switch),
            error => NoPurpose::Step(error),
        })?;
        for args in choices {
            let mut to = state.clone();
            run.take(&mut to, switch, &args).map_err(NoPurpose::Step)?;
            let next = (Leg::from(Step::Switch(switch)), to);
            // A value that the system chooses and forgets makes no other way.
            if !found.contains(&next) {
                found.push(next);
            }
        }
    }
    Ok(found)
}

/// Purposes of random inputs: one with so many inputs for each length. Gates and values are drawn, all with the same chance
/// as far as there are finitely many; an input that the model does not take ends its test.
pub fn random(model: &Model, lengths: &[usize], seed: u64) -> Result<Vec<Purpose>, NoPurpose> {
    let gates: Vec<GateId> =
        model.gates.iter().filter(|(_, g)| g.direction == Direction::Input).map(|(id, _)| id).collect();
    let mut random = Random::new(seed);
    let mut found = Vec::new();
    for &length in lengths {
        let mut inputs = Vec::new();
        for _ in 0..length {
            let Some(&gate) = gates.get(random.below(gates.len() as u64) as usize) else { break };
            let params = model.gates[gate].params.iter();
            let args = params.map(|p| sample::value(&model.sorts, p.sort, &mut Plain(&mut random))).collect();
            inputs.push(Event { gate, args });
        }
        match purpose(model, &inputs) {
            Ok(purpose) => found.push(purpose),
            Err(NoPurpose::Nothing) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(found)
}

/// The inputs that a purpose sends, where their values are given, on the way to its first accept.
pub fn inputs_of(model: &Model, purpose: &Purpose) -> Vec<Event> {
    let Some(accept) = purpose.accepts().next() else { return Vec::new() };
    let input = |leg: &Leg| {
        let switch = leg.step.switches().next()?;
        let Label::Gate(gate) = model.switches[switch].label else { return None };
        if model.gates[gate].direction == Direction::Output {
            return None;
        }
        Some(Event { gate, args: leg.values().unwrap_or_default().to_vec() })
    };
    purpose.line(accept).into_iter().filter_map(input).collect()
}
