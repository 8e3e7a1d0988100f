//! Accepts that rest on a delta by the clock: an output that comes after all takes them back (T-Q3).

use sioco_plan::PurposeId;

use super::Driver;
use crate::record::Record;
use crate::verdict::{Cause, OpenCause, Verdict};

impl Driver<'_> {
    /// A purpose is about to be granted. If that rests on a delta, remembers what to go back to.
    pub(super) fn grant(&mut self, purpose: PurposeId) {
        if !self.stage.referee.is_quiet() {
            return;
        }
        if self.stage.run.granted.purposes.is_empty() {
            self.stage.run.granted.reached = self.stage.run.reached;
        }
        self.stage.run.granted.purposes.push(purpose);
    }

    /// The delta is final: what was granted stays.
    pub(super) fn keep_granted(&mut self) {
        self.stage.run.granted.purposes.clear();
    }

    /// The delta was withdrawn, and with it what was granted.
    pub(super) fn take_back(&mut self) {
        let granted = std::mem::take(&mut self.stage.run.granted);
        if granted.purposes.is_empty() {
            return;
        }
        self.stage.run.reached = granted.reached;
        for purpose in granted.purposes.into_iter().rev() {
            self.stage.referee.suite.reopen(purpose);
            let cause = Cause::Open(OpenCause::withdrawn());
            let verdict = Verdict::Inconclusive;
            self.record(Record::Purpose { purpose, verdict, cause, alone: false, doubt: false });
        }
    }
}
