//! Malformed values. Every value that passes between the tester and a system under test passes here, whoever chose it.
//!
//! What is sent is a gate value of the model (S0 definition 6). Any other input is a mistake of sioco: it is reported as one
//! and never sent. An output that is no gate value of the model is malformed, which is a failure of the system (T-V3).

use std::time::Duration;

use sioco_model::model::{Direction, Model};

use crate::event::{Action, GateValue, Observation};
use crate::reliance::Start;
use crate::run_number::RunNumber;
use crate::sut::{Fault, FaultKind, Order, Polled, Sut, SutEvent};

/// Whether something may be sent: a gate value of an input. Otherwise sioco made a mistake, which is not the system's.
pub fn check(model: &Model, input: &GateValue) -> Result<(), Fault> {
    let why = match model.gates[input.gate].direction {
        Direction::Input => model.misfit(input.gate, &input.args),
        Direction::Output => Some(format!("`{}` is an output", model.gates[input.gate].name)),
    };
    let Some(why) = why else { return Ok(()) };
    let message = format!("{} is not an input of the model and was not sent: {why}", input.show(model));
    Err(Fault { kind: FaultKind::Tool, message, stderr: Vec::new(), again: true })
}

/// What is seen of the system, if its values fit; otherwise it is malformed (T-V3).
fn seen(model: &Model, seen: Observation) -> Observation {
    let Observation::Output(output) = seen else { return seen };
    let why = match model.gates[output.gate].direction {
        Direction::Output => model.misfit(output.gate, &output.args),
        Direction::Input => Some(format!("`{}` is an input", model.gates[output.gate].name)),
    };
    match why {
        None => Observation::Output(output),
        Some(why) => Observation::Malformed { gate: Some(output.gate), why, raw: output.show(model) },
    }
}

/// A system behind the border.
pub struct Border<'a> {
    model: &'a Model,
    sut: &'a mut dyn Sut,
}

impl<'a> Border<'a> {
    /// The border between the testers of a model and a system.
    pub fn new(model: &'a Model, sut: &'a mut dyn Sut) -> Border<'a> {
        Border { model, sut }
    }
}

impl Sut for Border<'_> {
    fn order(&self) -> Order {
        self.sut.order()
    }

    fn reset(&mut self, run: RunNumber, seed: u64) -> Result<(), Fault> {
        self.sut.reset(run, seed)
    }

    fn send(&mut self, id: u64, input: &GateValue) -> Result<(), Fault> {
        check(self.model, input)?;
        self.sut.send(id, input)
    }

    fn poll(&mut self, wait: Duration) -> Result<Polled, Fault> {
        Ok(match self.sut.poll(wait)? {
            Polled::Event(SutEvent::Observed(what)) => Polled::Event(SutEvent::Observed(seen(self.model, what))),
            other => other,
        })
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
