//! The end of a purpose: what the system answers to the last stimulus.

use rustc_hash::FxHashMap;
use sioco_model::model::Label;
use sioco_model::{LocationId, Model, ProcessId, SwitchId, TermId};
use sioco_symbolic::path::Possible;
use sioco_symbolic::step::Step;

use crate::purpose::{Leg, Purpose};
use crate::walker::Walker;

/// At most this many internal steps may come before the answer. A model of people takes a few; a chain of more is a
/// computation, and the purpose then ends before the answer.
const INTERNAL: usize = 32;
/// An end may have at most this many nodes: more different answers to one input make a purpose that nobody reads.
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
    let mut end = End { walker, purpose, chain: Vec::new(), most: before + NODES, visited: Visited::default() };
    let whole = end.answers(node).whole;
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

/// At most this many values of variables are looked at until all internal steps are followed: the number of states
/// times the number of values in each. It bounds the time for an end, however large a state is.
const VALUES: usize = 1 << 18;
/// However many variables there are, this many states are looked at: the few internal steps before an answer.
const LEAST: usize = 16;
/// However few variables there are, no more states than this are looked at: an end with more has more answers than a
/// [purpose](NODES) may have anyway.
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

/// The end of a purpose that is being made.
struct End<'a, 'm> {
    walker: &'a mut Walker<'m>,
    purpose: &'a mut Purpose,
    /// The states on the way, from where the end begins.
    chain: Vec<Seen>,
    /// How many nodes there may be.
    most: usize,
    visited: Visited,
}

/// What came of following internal steps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Followed {
    /// Whether everything that can be seen is there.
    whole: bool,
    /// Whether they led to a state that was there before.
    again: bool,
}

impl End<'_, '_> {
    fn answers(&mut self, node: usize) -> Followed {
        let model = self.walker.path.model();
        let here = here(self.walker);
        if self.chain.contains(&here) {
            // Internal steps have led back here: whatever is seen from here on is seen without them, too.
            return Followed { whole: true, again: true };
        }
        match self.visited.visit(self.walker, here.clone(), self.chain.len()) {
            Visit::New => {}
            // In another order the same steps have led here: whatever is seen from here on is an end already.
            Visit::Again => return Followed { whole: true, again: true },
            Visit::Enough => return Followed { whole: false, again: false },
        }
        let mut steps = Vec::new();
        self.walker.path.outgoing(&mut steps);
        steps.retain(|s| s.is_own(model));
        steps.push(Step::Delta);
        if self.walker.path.may_diverge() {
            steps.push(Step::Divergence);
        }
        // What others do by themselves can wait until this one has done what it can.
        let first = alone(model, &here.0, &steps);
        let waits = |s: &Step| first.is_some_and(|p| !s.is_observable(model) && process(model, *s) != Some(p));
        let (others, steps): (Vec<Step>, Vec<Step>) = steps.into_iter().partition(waits);
        self.chain.push(here);
        let found = self.take(node, &steps);
        let mut whole = found.whole;
        // Unless it need not do it, goes round, or was not followed to its end: then others may be shown before it.
        if !found.whole || found.again {
            whole &= self.take(node, &others).whole;
        }
        self.chain.pop();
        Followed { whole, again: false }
    }

    /// Adds what follows these steps. A condition that makes one possible is as good as a state that was there before: it
    /// may also not hold.
    fn take(&mut self, node: usize, steps: &[Step]) -> Followed {
        let model = self.walker.path.model();
        let mut found = Followed { whole: true, again: false };
        for &step in steps {
            // On every step of the way some are left, and each may take long.
            if self.walker.path.is_cancelled() {
                found.whole = false;
                break;
            }
            let seen = step.is_observable(model);
            if self.purpose.nodes.len() >= self.most || (!seen && self.chain.len() > INTERNAL) {
                found.whole = false;
                continue;
            }
            let leg = Leg::from(step);
            let conditions = self.walker.path.conditions().len();
            let doubt = match self.walker.take(&leg) {
                Possible::No => continue,
                Possible::Yes => None,
                Possible::Unknown(reason) => Some(reason),
            };
            let before = self.purpose.nodes.len();
            found.again |= !seen && (doubt.is_some() || self.walker.path.conditions().len() > conditions);
            let child = self.purpose.add(node, leg, doubt);
            if seen {
                self.purpose.nodes[child].accept = true;
            } else {
                let followed = self.answers(child);
                found.whole &= followed.whole;
                found.again |= followed.again;
                if !self.purpose.nodes[child..].iter().any(|n| n.accept) {
                    // Nothing can be seen behind it: no end of a purpose.
                    self.purpose.nodes.truncate(before);
                }
            }
            self.walker.back();
        }
        found
    }
}

/// The process of a step that it takes alone.
fn process(model: &Model, step: Step) -> Option<ProcessId> {
    match step {
        Step::Switch(s) => Some(model.switches[s].process),
        _ => None,
    }
}

/// A process whose internal steps can be taken before those of others: it meets nobody where it is, so that nobody can tell
/// which came first (partial order reduction). Nothing if no other process has any.
fn alone(model: &Model, locations: &[LocationId], steps: &[Step]) -> Option<ProcessId> {
    let internal: Vec<&Step> = steps.iter().filter(|s| !s.is_observable(model)).collect();
    let meets = |l: &LocationId| {
        let of = |s: &SwitchId| matches!(model.switches[*s].label, Label::Send(_) | Label::Receive(_));
        model.locations[*l].outgoing.iter().any(of)
    };
    let first = internal.iter().find_map(|s| {
        let own = process(model, **s)?;
        let here = locations.iter().find(|l| model.locations[**l].process == own)?;
        (!meets(here)).then_some(own)
    })?;
    internal.iter().any(|s| process(model, **s) != Some(first)).then_some(first)
}
