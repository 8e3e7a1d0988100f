//! The run that is under way: what it is for, and how far it has got.

use std::time::Duration;

use sioco_model::GateId;
use sioco_plan::PurposeId;

use crate::event::GateValue;
use crate::record::{Aim, Why};
use crate::run_number::RunNumber;
use crate::verdict::Verdict;

/// What a run is doing.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Mode {
    /// Towards this purpose.
    Purpose(PurposeId),
    /// A walk.
    #[default]
    Walk,
}

/// An input that was sent and not yet accepted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pending {
    /// Its number in the run.
    pub id: u64,
    /// The input.
    pub input: GateValue,
}

/// What was reached at a silence by the clock, which an output may still withdraw (T-Q3).
#[derive(Clone, Debug, Default)]
pub struct Granted {
    /// The purposes.
    pub purposes: Vec<PurposeId>,
    /// The best verdict on a purpose before the first of them.
    pub reached: Option<Verdict>,
}

/// See the [module](self).
#[derive(Clone, Debug, Default)]
pub struct Run {
    /// Its number, from 1.
    pub number: RunNumber,
    /// The seed that the system gets.
    pub seed: u64,
    /// Whether it has begun and not ended.
    pub begun: bool,
    /// What it is doing.
    pub mode: Mode,
    /// What it is for.
    pub aim: Aim,
    /// Whether its purpose is repeated for the sake of new values.
    pub repeated: bool,
    /// How many inputs were sent.
    pub ids: u64,
    /// Inputs, outputs and silences.
    pub steps: u64,
    /// Whether an input was taken and nothing was seen since.
    pub owed: bool,
    /// How many outputs were seen since the last input.
    pub heard: u64,
    /// After how many steps a walk ends.
    pub walk_end: u64,
    /// The best verdict on a purpose.
    pub reached: Option<Verdict>,
    /// What was granted at a silence by the clock.
    pub granted: Granted,
    /// What happened, as far as the way to a purpose needs it.
    pub trace: Vec<Option<GateValue>>,
    /// The input that was decided on.
    pub choice: Option<(GateValue, Why)>,
    /// The input that was sent and not yet accepted.
    pub pending: Option<Pending>,
    /// Where something happened last.
    pub last: Option<GateId>,
    /// When something came that no input has followed yet.
    pub heard_at: Option<Duration>,
}

impl Run {
    /// The run that comes next is for this.
    pub fn plan(&mut self, mode: Mode, aim: Aim, repeated: bool) {
        (self.mode, self.aim, self.repeated) = (mode, aim, repeated);
    }

    /// The system is about to be reset for the next run.
    pub fn resets(&mut self, seed: u64) {
        self.number = self.number.next();
        self.seed = seed;
    }

    /// The system is in its initial state.
    pub fn begins(&mut self, walk_end: u64) {
        let planned = Run { number: self.number, seed: self.seed, mode: self.mode, ..Run::default() };
        *self = Run { aim: self.aim.clone(), repeated: self.repeated, begun: true, walk_end, ..planned };
    }

    /// It is over.
    pub fn ends(&mut self) {
        (self.begun, self.pending, self.choice) = (false, None, None);
    }

    /// Whether nothing is missing if it ends here. A purpose that is repeated has been reached before.
    pub fn is_content(&self) -> bool {
        self.repeated || self.mode == Mode::Walk || self.reached.is_some()
    }
}
