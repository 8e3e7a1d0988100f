//! The end of a campaign from outside, by the clock or by somebody, while something is waited for. The wait is cut, so that
//! nothing came says nothing: it is no silence, and no verdict rests on it.

use super::Driver;
use crate::record::{End, Waiting};

impl Driver<'_> {
    /// Why everything has to end, if it has to.
    pub(crate) fn over(&self) -> Option<End> {
        self.stage
            .tools
            .cancellation
            .is_over()
            .then(|| if self.stage.tools.cancellation.is_cancelled() { End::Interrupted } else { End::Time })
    }

    /// A wait was cut. If what it was for was overdue, it is remembered: the run has not shown that the system goes on.
    pub(crate) fn cut(&mut self, overdue: Option<Waiting>) {
        self.waiting = overdue;
        self.stage.run.choice = None;
        self.stop(self.over().unwrap_or(End::Interrupted));
    }

    /// Whether the run was cut while something in it was overdue.
    pub(super) fn is_overdue(&self) -> bool {
        matches!(self.waiting, Some(Waiting::Accepted | Waiting::Observed))
    }
}
