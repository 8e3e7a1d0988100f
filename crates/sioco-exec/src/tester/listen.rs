//! Listening at the end of a run.
//!
//! What a system gives too much may come late: after the run, where nobody judges it. So where the model allows nothing
//! but silence, some runs end with it. That costs the quiescence time, so that not all of them do.

use sioco_solve::values::Random;

use super::Tester;
use crate::verdict::{Cause, Open};

/// So many runs end with silence, if they may.
const FIRST: u64 = 5;
/// And then one of so many.
const LATER: u64 = 4;

/// See the [module](self).
#[derive(Clone, Debug, Default)]
pub(super) struct Listening {
    /// Whether outputs may come late, since the system goes on by itself.
    pub(super) late: bool,
    /// How many runs might have ended with silence.
    runs: u64,
    /// Why the run ends as soon as it was listened to.
    pub(super) ending: Option<Cause>,
}

impl Tester<'_> {
    /// Outputs of the system may come at any time: it goes on by itself.
    pub fn may_be_late(&mut self) {
        self.listening.late = true;
    }

    /// Whether to wait for silence before the run ends like this.
    pub(super) fn listens(&mut self, cause: &Cause) -> bool {
        let done = matches!(cause, Cause::Reached | Cause::Open(Open::Deviation));
        let idle = !self.listening.late || self.run_steps == 0;
        if !done || idle || self.referee.is_quiet() || self.referee.may_act() {
            return false;
        }
        self.listening.runs += 1;
        // Not one of the numbers that choose the inputs.
        let mut random = Random::new(!self.settings.seed.wrapping_add(self.run));
        self.listening.runs <= FIRST || random.below(LATER) == 0
    }
}
