//! How the system answered at the beginning of runs. If it answers differently in a later run, a reset may leave state
//! behind. That is only a hint, since a system may choose between answers.

use rustc_hash::FxHashMap;
use sioco_exec::RunNumber;
use sioco_exec::event::{Action, Observation};
use sioco_exec::log::LoggedStep;

/// The first this many steps of each run are compared. Runs seldom share a longer beginning, and each further step is
/// one more entry of the memory for each run.
const STEPS: usize = 8;
/// At most this many beginnings are remembered. A campaign with more has runs that differ, and later ones are only not
/// looked up.
const MOST_BEGINNINGS: usize = 4096;

/// See the [module](self).
#[derive(Clone, Debug, Default)]
pub(crate) struct Answers {
    /// By what happened before: the run, and what came then; nothing if that was not always the same.
    seen: FxHashMap<Vec<Action>, Option<(RunNumber, Observation)>>,
}

impl Answers {
    /// The steps of a run that the model allows.
    pub fn add(&mut self, run: RunNumber, steps: &[LoggedStep]) {
        let actions: Vec<Action> = steps.iter().take(STEPS).map(|step| step.action.clone()).collect();
        for (i, action) in actions.iter().enumerate() {
            let Action::Seen(seen @ Observation::Output(_)) = action else { continue };
            let room = self.seen.len() < MOST_BEGINNINGS;
            match self.seen.get_mut(&actions[..i]) {
                Some(known) if known.as_ref().is_some_and(|(_, known)| known != seen) => *known = None,
                None if room => {
                    self.seen.insert(actions[..i].to_vec(), Some((run, seen.clone())));
                }
                Some(_) | None => {}
            }
        }
    }

    /// The run in which the last output of a short run was another one, though everything before it was the same.
    pub fn otherwise(&self, steps: &[LoggedStep]) -> Option<RunNumber> {
        let actions: Vec<Action> = steps.iter().take(STEPS + 1).map(|step| step.action.clone()).collect();
        let (last, before) = actions.split_last().filter(|_| actions.len() <= STEPS)?;
        let has_input = before.iter().any(|action| matches!(action, Action::Input(_)));
        let Action::Seen(last @ Observation::Output(_)) = last else { return None };
        let (run, seen) = self.seen.get(before)?.as_ref()?;
        (has_input && seen != last).then_some(*run)
    }
}
