//! A wrapper for a system under test: once the campaign is cancelled, no event is taken from the system.

use std::time::Duration;

use sioco_exec::event::{Action, GateValue};
use sioco_exec::reliance::Start;
use sioco_exec::{Fault, Order, Polled, RunNumber, Sut};
use sioco_solve::Cancellation;

/// See the [module](self).
pub struct Watched<'a> {
    /// The system.
    pub sut: &'a mut dyn Sut,
    /// Comes when everything has to end. The waits of the system listen to the same one.
    pub cancellation: &'a Cancellation,
}

impl Sut for Watched<'_> {
    fn order(&self) -> Order {
        self.sut.order()
    }

    fn reset(&mut self, run: RunNumber, seed: u64) -> Result<(), Fault> {
        self.sut.reset(run, seed)
    }

    fn send(&mut self, id: u64, input: &GateValue) -> Result<(), Fault> {
        self.sut.send(id, input)
    }

    fn poll(&mut self, wait: Duration) -> Result<Polled, Fault> {
        if self.cancellation.is_over() {
            return Ok(Polled::Interrupted);
        }
        self.sut.poll(wait)
    }

    fn follow(&mut self, recorded: &[Action]) {
        self.sut.follow(recorded);
    }

    fn follows(&self) -> Option<bool> {
        self.sut.follows()
    }

    fn may_be_late(&self) -> bool {
        self.sut.may_be_late()
    }

    fn stale(&self) -> u64 {
        self.sut.stale()
    }

    fn unheard(&self) -> u64 {
        self.sut.unheard()
    }

    fn unheard_crashes(&self) -> u64 {
        self.sut.unheard_crashes()
    }

    fn last_words(&self, run: RunNumber) -> Vec<String> {
        self.sut.last_words(run)
    }

    fn starting(&self, start: Start) -> Duration {
        self.sut.starting(start)
    }

    fn remarks(&self) -> Vec<String> {
        self.sut.remarks()
    }

    fn unacknowledged(&mut self, id: u64, patience: Duration) -> Fault {
        self.sut.unacknowledged(id, patience)
    }

    fn stop(&mut self) {
        self.sut.stop();
    }
}
