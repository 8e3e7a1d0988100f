//! Deadlocks: states in which nothing can happen, though not all processes are at a `final` location.
//!
//! A process that waits for ever while another one goes on is no deadlock: the system as a whole still moves. Neither
//! is a state that waits for an input. This is what `sioco simulate` calls a deadlock, too.

use sioco_model::LocationId;
use sioco_model::TermId;

use super::question::{FIRST, Question};
use crate::path::Path;
use crate::step::Step;

/// Whether the guards of all steps are false, whatever the parameters are; nothing to ask where all have ended. A guard
/// that is undefined is a model error, and no deadlock.
pub(super) fn question(path: &mut Path<'_>, locations: &[LocationId], steps: &[Step]) -> Option<Question> {
    let model = path.model();
    if locations.iter().all(|l| model.locations[*l].is_final) {
        return None;
    }
    let mut silent: Vec<TermId> = Vec::new();
    for &step in steps {
        let terms = path.step_terms(step, FIRST);
        if !terms.impossible {
            silent.push(terms.silent);
        }
    }
    Some(Question::new(path, &silent, &[]))
}
