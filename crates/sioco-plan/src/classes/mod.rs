//! Equivalence-class testing (S2 section 6, after Huang and Peleska): inputs that the guards of the specification do not
//! tell apart are of one class, and a few of each are enough.
//!
//! In every state where the model waits, an input runs to completion: it and all that the model does by itself until it
//! waits again are a reaction. All case distinctions on the way of a reaction divide its inputs ([`distinctions`]): the
//! conditions of the guards that are asked, of those that are not taken as well, and what `if`, `min`, `max` and `abs`
//! decide in them, in new values and in outputs. What is possible of this is the coarsest partition ([`split`]).
//!
//! The boundaries of each class refine the partition: the inputs at which a condition is about to flip are a part of
//! their own, and so is the rest of the class.
//! A test leads to the state, sends an input of one part, and then inputs that tell the state it should lead
//! to from all others ([`tell`]).

mod distinctions;
mod split;
mod tell;

use std::collections::{BTreeMap, BTreeSet};

use sioco_model::{Id, LocationId, Model, TermId};
use sioco_solve::Reason;
use sioco_solve::values::{Choice, Random};
use sioco_symbolic::explore::{Exploration, ExploreProgress, Stop};
use sioco_symbolic::step::Step;

use self::split::Reactions;
use crate::event::Event;
use crate::goal::{Goal, State};
use crate::inputs::{NoPurpose, purpose};
use crate::plan::{Counts, PlanOptions};
use crate::purpose::{Leg, Purpose, PurposeId};
use crate::walker::Walker;

/// Classes are looked for in at most this many symbolic states at the same locations: others may be possible there.
/// Each asks a question for every class.
const STATES: usize = 16;

/// A part of a class.
struct Part {
    /// Its name.
    name: String,
    /// Inputs that lead to its state and then into it; or why there are none.
    inputs: Result<Vec<Event>, Reason>,
}

/// What makes a class the same in another state: the reaction, and the sides of its distinctions as they are written.
type Key = (Vec<Step>, Vec<(TermId, bool)>);

/// The parts of a class that were found so far, in whichever state.
#[derive(Default)]
struct Known {
    /// Which class of its reaction it is, from 1.
    number: usize,
    /// Whether what is left without its borders was.
    inside: bool,
    /// The borders that were, by the place of their distinction.
    borders: BTreeSet<usize>,
}

/// What came of it.
pub(crate) struct ClassCoverage {
    pub goals: Vec<(Goal, State)>,
    pub purposes: Vec<Purpose>,
    pub stop: Stop,
    pub counts: Counts,
}

/// Tests for all parts of all classes.
pub(crate) fn cover(
    walker: &mut Walker<'_>,
    exploration: &Exploration,
    options: &PlanOptions,
    progress: &mut dyn FnMut(ExploreProgress),
) -> Result<ClassCoverage, NoPurpose> {
    let model = walker.path.model();
    let graph = &exploration.graph;
    let mut found = ClassCoverage {
        goals: Vec::new(),
        purposes: Vec::new(),
        stop: exploration.stop,
        counts: Counts { nodes: graph.len(), ..Counts::default() },
    };
    let mut random = Random::new(options.seed);
    let mut choice = || match options.tests.unwrap_or(Choice::Random(0)) {
        Choice::Random(_) => Choice::Random(random.bits()),
        other => other,
    };
    let mut known: BTreeMap<Key, Known> = BTreeMap::new();
    let mut numbers: BTreeMap<Vec<Step>, usize> = BTreeMap::new();
    let mut visits: BTreeMap<Vec<LocationId>, usize> = BTreeMap::new();
    let mut parts: Vec<Part> = Vec::new();
    for node in graph.ids().filter(|n| graph.included_in(*n).is_none()) {
        if options.is_over() {
            found.stop = Stop::Cancelled;
            break;
        }
        let legs: Vec<Leg> = graph.path(node).into_iter().map(Leg::from).collect();
        progress(ExploreProgress { nodes: parts.len(), depth: legs.len(), open: 0 });
        walker.follow(&legs);
        let often = visits.entry(walker.path.locations().to_vec()).or_default();
        if *often >= STATES {
            continue;
        }
        let mut reactions = Reactions { walker, options, counts: &mut found.counts, found: Vec::new() };
        if reactions.find() {
            *often += 1;
        }
        for class in reactions.found {
            let entry = known.entry(class.key()).or_insert_with(|| {
                let number = numbers.entry(class.reaction.clone()).or_default();
                *number += 1;
                Known { number: *number, ..Known::default() }
            });
            // A part that is not possible in one state may be in another.
            parts.extend(class.parts(walker, &mut choice, entry, options));
        }
    }
    let tests = tell::tests(model, &parts);
    for (part, tests) in parts.into_iter().zip(tests) {
        let goal = found.goals.len();
        let first = found.purposes.len();
        for inputs in tests {
            let mut test = purpose(model, &inputs)?;
            test.goals.push(goal);
            found.purposes.push(test);
        }
        let state = match part.inputs {
            Ok(_) => {
                State::Covered { by: (first..found.purposes.len()).map(PurposeId::from_index).collect(), doubt: false }
            }
            Err(reason) => State::Unknown(reason),
        };
        found.goals.push((Goal::Class(part.name), state));
    }
    Ok(found)
}

/// A name for a class: where the input comes, and what it leads to.
fn name(model: &Model, locations: &[LocationId], reaction: &[Step]) -> String {
    let at: Vec<String> = locations.iter().map(|l| model.location_name(*l)).collect();
    let steps: Vec<String> = reaction.iter().filter(|s| !s.is_silence()).map(|s| s.name(model)).collect();
    format!("{}: {}", at.join(" "), steps.join(" "))
}
