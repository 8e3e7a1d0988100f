//! Inputs that tell states apart by what the model answers (a characterisation), so that a test sees whether the system is
//! where it should be, and not only whether it answered right.
//!
//! One state stands for all states at the same combination of locations: the first one that a test reaches. This is a
//! heuristic. It never makes a verdict wrong, since the expected answers come from the model.

use std::collections::BTreeMap;

use sioco_model::semantics::interpreter::Interpreter;
use sioco_model::semantics::state::State;
use sioco_model::{LocationId, Model};

use super::Part;
use crate::event::Event;

/// A model may take at most this many steps by itself: one that takes more diverges, or answers in pages.
const STEPS: usize = 1_000;
/// Sequences that tell states apart get at most this long. Each further input multiplies them by the number of inputs.
const LONG: usize = 4;
/// At most this many states are compared: each with every other one.
const STATES: usize = 50;
/// At most this many inputs are compared, in each of these states.
const INPUTS: usize = 100;

/// The tests of each part: its inputs, followed by each sequence that tells the state they lead to from others.
pub(super) fn tests(model: &Model, parts: &[Part]) -> Vec<Vec<Vec<Event>>> {
    let mut run = Interpreter::new(model);
    if model.variables.values().any(|v| v.initial.is_none()) {
        // Whoever makes the purposes says so.
        return parts.iter().map(|p| p.inputs.iter().cloned().collect()).collect();
    }
    let mut states: BTreeMap<Vec<LocationId>, State> = BTreeMap::new();
    let mut ends: Vec<Option<Vec<LocationId>>> = Vec::new();
    let mut inputs: Vec<Event> = Vec::new();
    for part in parts {
        let Ok(sent) = &part.inputs else {
            ends.push(None);
            continue;
        };
        let start = run.initial_default();
        let mut at = settle(&mut run, start).map(|(_, s)| s);
        for input in sent {
            at = at.and_then(|s| {
                if states.len() < STATES {
                    states.entry(s.locations().to_vec()).or_insert_with(|| s.clone());
                }
                Some(answer(&mut run, &s, input)?.1)
            });
        }
        if let Some(s) = &at
            && states.len() < STATES
        {
            states.entry(s.locations().to_vec()).or_insert_with(|| s.clone());
        }
        ends.push(at.map(|s| s.locations().to_vec()));
        inputs.extend(sent.last().filter(|i| inputs.len() < INPUTS && !inputs.contains(i)).cloned());
    }
    let keys: Vec<&Vec<LocationId>> = states.keys().collect();
    let known: Vec<&State> = states.values().collect();
    let sequences = characterise(&mut run, &known, &inputs);
    let rows: Vec<Vec<Answers>> =
        sequences.iter().map(|w| known.iter().map(|s| answers(&mut run, s, w)).collect()).collect();
    let of = |(part, end): (&Part, Option<Vec<LocationId>>)| {
        let Ok(inputs) = &part.inputs else { return Vec::new() };
        let place = end.and_then(|end| keys.iter().position(|k| **k == end));
        let chosen = place.map(|p| identify(&rows, p)).unwrap_or_default();
        if chosen.is_empty() {
            return vec![inputs.clone()];
        }
        chosen.into_iter().map(|w| inputs.iter().chain(&sequences[w]).cloned().collect()).collect()
    };
    parts.iter().zip(ends).map(of).collect()
}

/// What comes back for a sequence of inputs; shorter if one is not taken.
type Answers = Vec<Vec<Event>>;

fn answers(run: &mut Interpreter<'_>, state: &State, inputs: &[Event]) -> Answers {
    let mut found = Vec::new();
    let mut at = state.clone();
    for input in inputs {
        let Some((outputs, next)) = answer(run, &at, input) else { break };
        found.push(outputs);
        at = next;
    }
    found
}

/// Sequences that tell apart whatever of the states can be told apart by such inputs.
fn characterise(run: &mut Interpreter<'_>, states: &[&State], inputs: &[Event]) -> Vec<Vec<Event>> {
    let mut open: Vec<(usize, usize)> = Vec::new();
    for i in 0..states.len() {
        open.extend((i + 1..states.len()).map(|j| (i, j)));
    }
    let mut found: Vec<Vec<Event>> = Vec::new();
    let mut candidates: Vec<Vec<Event>> = inputs.iter().map(|i| vec![i.clone()]).collect();
    for _ in 0..LONG {
        // The best first, as long as one helps.
        let rows: Vec<Vec<Answers>> =
            candidates.iter().map(|w| states.iter().map(|s| answers(run, s, w)).collect()).collect();
        loop {
            let gain = |row: &Vec<Answers>| open.iter().filter(|(i, j)| row[*i] != row[*j]).count();
            let best = (0..rows.len()).max_by_key(|w| (gain(&rows[*w]), usize::MAX - w));
            let Some(best) = best.filter(|w| gain(&rows[*w]) > 0) else { break };
            open.retain(|(i, j)| rows[best][*i] == rows[best][*j]);
            found.push(candidates[best].clone());
        }
        if open.is_empty() || found.is_empty() {
            break;
        }
        // One input more before a sequence that tells some states apart.
        let longest = found.iter().map(Vec::len).max().unwrap_or(0);
        let last = found.iter().filter(|w| w.len() == longest).take(4);
        let longer = |w: &Vec<Event>| -> Vec<Vec<Event>> {
            inputs.iter().map(|i| [i].into_iter().chain(w).cloned().collect()).collect()
        };
        candidates = last.flat_map(longer).collect();
    }
    found
}

/// The sequences that tell one state from all that any of them does, as few as a greedy choice gives.
fn identify(rows: &[Vec<Answers>], state: usize) -> Vec<usize> {
    let differs = |w: usize, other: usize| rows[w][state] != rows[w][other];
    let count = rows.first().map_or(0, Vec::len);
    let mut open: Vec<usize> = (0..count).filter(|o| (0..rows.len()).any(|w| differs(w, *o))).collect();
    let mut found = Vec::new();
    while !open.is_empty() {
        let gain = |w: usize| open.iter().filter(|o| differs(w, **o)).count();
        let Some(best) = (0..rows.len()).max_by_key(|w| (gain(*w), usize::MAX - w)) else { break };
        open.retain(|o| !differs(best, *o));
        found.push(best);
    }
    found
}

/// What the model answers to an input, and where that leads; of several ways, the first. Nothing if it does not take it.
fn answer(run: &mut Interpreter<'_>, state: &State, input: &Event) -> Option<(Vec<Event>, State)> {
    let (_, next) = run.successors(state, input.gate, &input.args).ok()?.into_iter().next()?;
    settle(run, next)
}

/// What the model does by itself until it waits.
fn settle(run: &mut Interpreter<'_>, mut state: State) -> Option<(Vec<Event>, State)> {
    let mut outputs = Vec::new();
    for _ in 0..STEPS {
        let internal = run.internal_steps(&state).ok()?.into_iter().next();
        if let Some((_, next)) = internal {
            state = next;
            continue;
        }
        let Some(offer) = run.outputs(&state).ok()?.into_iter().next() else { return Some((outputs, state)) };
        run.take(&mut state, offer.switch, &offer.args).ok()?;
        if let sioco_model::model::Label::Gate(gate) = run.model().switches[offer.switch].label {
            outputs.push(Event { gate, args: offer.args });
        }
    }
    None
}
