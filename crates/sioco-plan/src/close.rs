//! The end of a purpose: what the system answers to the last stimulus.

use rustc_hash::FxHashMap;
use sioco_model::{LocationId, Model, TermId};
use sioco_symbolic::path::Possible;
use sioco_symbolic::step::Step;

use crate::purpose::{Leg, Purpose};
use crate::walker::Walker;

/// How many internal steps may come before the answer, and how many nodes an end may have.
const INTERNAL: usize = 16;
const NODES: usize = 256;

/// Makes a node an accept; if it was reached by an input or an internal step, the outputs and the silence that the model
/// allows there become accepts instead (T-P3; S3 definition 18): the last stimulus is checked. The walker stands at the
/// node, and does so afterwards. Says whether all of them are there.
pub fn close(walker: &mut Walker<'_>, purpose: &mut Purpose, node: usize, strict: bool) -> bool {
    if strict || is_observed(walker.path.model(), purpose, node) {
        purpose.nodes[node].accept = true;
        return true;
    }
    let before = purpose.nodes.len();
    let whole = answers(walker, purpose, node, &mut Vec::new(), before + NODES, &mut Visited::default());
    let several = purpose.nodes[before..].iter().filter(|n| n.accept).count() > 1;
    purpose.nodes[before..].iter_mut().for_each(|n| n.answer = several);
    if !purpose.nodes[before..].iter().any(|n| n.accept) {
        purpose.nodes[node].accept = true;
    }
    whole
}

/// Whether the step to a node is one of the system that can be seen: then there is no stimulus to be answered.
pub fn is_observed(model: &Model, purpose: &Purpose, node: usize) -> bool {
    let seen = |step: Step| step.is_silence() || (step.is_own(model) && step.is_observable(model));
    purpose.nodes[node].leg.as_ref().is_some_and(|leg| seen(leg.step))
}

/// How many values of variables are looked at until all internal steps are followed.
const VALUES: usize = 1 << 18;
/// However many variables there are, so many states are looked at.
const LEAST: usize = 16;
/// However few there are, no more than this.
const STATES: usize = 1 << 10;

/// A state as far as a path knows it: locations and the values of all variables.
type Seen = (Vec<LocationId>, Vec<TermId>);

/// The states that internal steps have led to so far, whichever steps these were, each with the conditions under which it
/// is there: steps of different processes lead to the same state in any order, and all these orders are too many.
#[derive(Default)]
pub(crate) struct Visited {
    /// Each with the fewest steps that have led to it: after fewer of them, more may follow.
    states: FxHashMap<(Seen, Vec<TermId>), usize>,
    visits: usize,
}

/// Whether to go on from a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Visit {
    /// It is new.
    New,
    /// It was here before.
    Again,
    /// There are too many, or everything has to end.
    Enough,
}

impl Visited {
    /// Whether to go on from the state where the walker is after so many internal steps.
    pub(crate) fn visit(&mut self, walker: &mut Walker<'_>, here: Seen, steps: usize) -> Visit {
        if walker.path.is_cancelled() {
            return Visit::Enough;
        }
        let most = (VALUES / (here.0.len() + here.1.len()).max(1)).clamp(LEAST, STATES);
        let mut conditions: Vec<TermId> = walker.path.conditions().iter().map(|c| c.term).collect();
        conditions.sort_unstable();
        conditions.dedup();
        let state = (here, conditions);
        if self.states.get(&state).is_some_and(|known| *known <= steps) {
            return Visit::Again;
        }
        self.visits += 1;
        if self.visits > most {
            return Visit::Enough;
        }
        self.states.insert(state, steps);
        Visit::New
    }
}

/// The state where a walker is.
pub(crate) fn here(walker: &mut Walker<'_>) -> Seen {
    let model = walker.path.model();
    (walker.path.locations().to_vec(), model.variables.ids().map(|v| walker.path.term(v)).collect())
}

fn answers(
    walker: &mut Walker<'_>,
    purpose: &mut Purpose,
    node: usize,
    chain: &mut Vec<Seen>,
    most: usize,
    visited: &mut Visited,
) -> bool {
    let model = walker.path.model();
    let here = here(walker);
    if chain.contains(&here) {
        // Internal steps have led back here: whatever is seen from here on is seen without them, too.
        return true;
    }
    match visited.visit(walker, here.clone(), chain.len()) {
        Visit::New => {}
        // In another order the same steps have led here: whatever is seen from here on is an end already.
        Visit::Again => return true,
        Visit::Enough => return false,
    }
    let mut steps = Vec::new();
    walker.path.outgoing(&mut steps);
    steps.retain(|s| s.is_own(model));
    steps.push(Step::Delta);
    if walker.path.may_diverge() {
        steps.push(Step::Divergence);
    }
    chain.push(here);
    let mut whole = true;
    for step in steps {
        let seen = step.is_observable(model);
        if purpose.nodes.len() >= most || (!seen && chain.len() > INTERNAL) {
            whole = false;
            continue;
        }
        let leg = Leg::from(step);
        let doubt = match walker.take(&leg) {
            Possible::No => continue,
            Possible::Yes => None,
            Possible::Unknown(reason) => Some(reason),
        };
        let before = purpose.nodes.len();
        let child = purpose.add(node, leg, doubt);
        if seen {
            purpose.nodes[child].accept = true;
        } else {
            whole &= answers(walker, purpose, child, chain, most, visited);
            if !purpose.nodes[child..].iter().any(|n| n.accept) {
                // Nothing can be seen behind it: no end of a purpose.
                purpose.nodes.truncate(before);
            }
        }
        walker.back();
    }
    chain.pop();
    whole
}
