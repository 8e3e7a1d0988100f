//! The one place where a [`Driver`] meets a system: every campaign comes through here.

use std::time::Instant;

use sioco_exec::record::Stamped;
use sioco_exec::{Clock, Driver, Settings, Summary, Sut};
use sioco_model::Model;
use sioco_plan::Plan;
use sioco_solve::Cancellation;

use crate::engine::Engine;

/// What a tester needs besides a system.
#[derive(Clone, Copy)]
pub struct Drive<'a> {
    /// The model.
    pub model: &'a Model,
    /// What to cover.
    pub plan: &'a Plan,
    /// How to test.
    pub settings: &'a Settings,
    /// Who answers questions.
    pub engine: Engine<'a>,
    /// What ends the tester.
    pub cancellation: &'a Cancellation,
}

impl Drive<'_> {
    /// Runs all tests. Whoever listens gets every record as soon as it is there.
    pub fn run(self, sut: &mut dyn Sut, clock: &mut dyn Clock, listen: &mut dyn FnMut(&Stamped)) -> Summary {
        let solvers = self.engine.solvers();
        let oracle = self.engine.oracle(self.model);
        let asked = Some(oracle.0.clone() as _);
        let tester = Driver::with(self.model, &solvers, self.plan, self.settings.clone(), asked);
        sioco_exec::drive(&mut tester.on(self.cancellation), sut, clock, &mut |stamped| {
            oracle.refill();
            listen(stamped);
        })
    }
}

/// The time since something began.
pub struct Since(pub Instant);

impl Clock for Since {
    fn now(&mut self) -> std::time::Duration {
        self.0.elapsed()
    }
}
