//! Who listens to a campaign: shows progress, records for programs, or nothing at all.

use sioco_exec::RunNumber;
use sioco_exec::record::Stamped;
use sioco_exec::shrink::ShrinkProgress;

/// Listens to a campaign.
pub trait Observer {
    /// The journal gets this line, if there is one: what is told next. Nothing is hidden in it.
    fn line(&mut self, line: &str) {
        let _ = line;
    }

    /// Something happened in the campaign.
    fn record(&mut self, stamped: &Stamped) {
        let _ = stamped;
    }

    /// All runs are over; shrinking comes next.
    fn tested(&mut self) {}

    /// A run is tried again, in a shorter form.
    fn shrinking(&mut self, run: RunNumber, progress: ShrinkProgress) {
        let _ = (run, progress);
    }

    /// Nothing more is run.
    fn finished(&mut self) {}

    /// What shrinking found, record by record. It comes at the end, when the runs are as short as they get.
    fn shrunk(&mut self, stamped: &Stamped) {
        let _ = stamped;
    }
}

/// Nobody listens.
impl Observer for () {}
