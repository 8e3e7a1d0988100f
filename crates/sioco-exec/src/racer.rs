//! Any system behind channels with delays. Inputs are acknowledged when they are sent, and cross the outputs that are
//! under way (T-O3: order *sent*).
//!
//! That is what any plain socket does. Here it happens by seed and without time, so that a tester can be tried with it.

use std::collections::VecDeque;
use std::time::Duration;

use sioco_solve::values::Random;

use crate::event::{GateValue, Observation};
use crate::run_number::RunNumber;
use crate::sut::{Fault, FaultKind, Order, Polled, Sut, SutEvent};

/// The system behind may take this long to accept an input: as the usual patience of a campaign.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long the wires are. Chances are in percent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Wires {
    /// The chance that an input stays on its way while something else happens.
    pub input: u8,
    /// The chance that an output stays on its way while something else happens.
    pub output: u8,
    /// Whether silence is announced once everything has arrived; otherwise the tester has to wait for it.
    pub announce: bool,
}

impl Default for Wires {
    fn default() -> Self {
        Wires { input: 50, output: 50, announce: true }
    }
}

/// See the [module](self).
pub struct Racer<S> {
    inner: S,
    wires: Wires,
    random: Random,
    /// Inputs that are sent, and not acknowledged to the tester.
    sent: VecDeque<(u64, GateValue)>,
    /// Inputs on their way to the system.
    inputs: VecDeque<(u64, GateValue)>,
    /// What was observed, on its way to the tester.
    outputs: VecDeque<Observation>,
    /// The system has ended: what is sent to it is lost.
    ended: bool,
}

impl<S: Sut> Racer<S> {
    /// Puts a system behind wires. It is one whose order of events is [its own](Order::is_of_system).
    pub fn new(inner: S, wires: Wires) -> Racer<S> {
        let (sent, inputs, outputs) = Default::default();
        Racer { inner, wires, random: Random::new(0), sent, inputs, outputs, ended: false }
    }

    /// How many inputs and outputs are under way.
    pub fn under_way(&self) -> (usize, usize) {
        (self.sent.len() + self.inputs.len(), self.outputs.len())
    }

    fn percent(&mut self, chance: u8) -> bool {
        self.random.below(100) < u64::from(chance)
    }

    /// An input arrives: the system takes it, now or after some more outputs.
    fn arrive(&mut self, id: u64, input: &GateValue) -> Result<(), Fault> {
        if self.ended {
            return Ok(());
        }
        self.inner.send(id, input)?;
        loop {
            match self.inner.poll(PATIENCE)? {
                Polled::Event(SutEvent::Accepted { id: taken }) if taken == id => return Ok(()),
                Polled::Event(SutEvent::Observed(Observation::Delta)) => {}
                Polled::Event(SutEvent::Observed(seen)) => self.leave(seen),
                // It ended before the input arrived.
                Polled::Event(SutEvent::Refused { .. }) if self.ended => return Ok(()),
                Polled::Event(SutEvent::Refused { why, .. }) => {
                    return Err(fault(format!("an input was refused after it had been acknowledged: {why}")));
                }
                other => return Err(fault(format!("an input was sent, but the system answered {other:?}"))),
            }
        }
    }

    /// Lets the system do something by itself; gives what is not an output.
    fn act(&mut self, wait: Duration) -> Result<Option<Polled>, Fault> {
        match self.inner.poll(wait)? {
            Polled::Event(SutEvent::Observed(Observation::Delta)) => Ok(Some(Polled::Nothing)),
            Polled::Event(SutEvent::Observed(seen)) => {
                self.leave(seen);
                Ok(None)
            }
            other => Ok(Some(other)),
        }
    }

    /// Something is on its way to the tester.
    fn leave(&mut self, seen: Observation) {
        self.ended |= seen == Observation::Closed;
        self.outputs.push_back(seen);
    }
}

fn fault(message: String) -> Fault {
    Fault { kind: FaultKind::Protocol, message, stderr: Vec::new(), again: true }
}

impl<S: Sut> Sut for Racer<S> {
    fn order(&self) -> Order {
        Order::Sent
    }

    fn reset(&mut self, run: RunNumber, seed: u64) -> Result<(), Fault> {
        // Not the numbers that the system behind draws.
        self.random = Random::new(!seed);
        self.sent.clear();
        self.inputs.clear();
        self.outputs.clear();
        self.ended = false;
        self.inner.reset(run, seed)
    }

    fn send(&mut self, id: u64, input: &GateValue) -> Result<(), Fault> {
        self.sent.push_back((id, input.clone()));
        Ok(())
    }

    fn poll(&mut self, wait: Duration) -> Result<Polled, Fault> {
        loop {
            // What is on its way to the tester was given before the system took anything that is not acknowledged.
            let held = self.wires.output;
            if !self.outputs.is_empty()
                && !self.percent(held)
                && let Some(seen) = self.outputs.pop_front()
            {
                return Ok(Polled::Event(SutEvent::Observed(seen)));
            }
            if let Some((id, input)) = self.sent.pop_front() {
                self.inputs.push_back((id, input));
                return Ok(Polled::Event(SutEvent::Accepted { id }));
            }
            let held = self.wires.input;
            if !self.inputs.is_empty() && !self.percent(held) {
                if let Some((id, input)) = self.inputs.pop_front() {
                    self.arrive(id, &input)?;
                }
            } else if let Some(other) = self.act(Duration::ZERO)?
                && other != Polled::Nothing
            {
                return Ok(other);
            }
            if wait.is_zero() {
                return Ok(Polled::Nothing);
            }
            if self.inputs.is_empty() && self.outputs.is_empty() {
                match self.act(wait)? {
                    Some(Polled::Nothing) if self.wires.announce => {
                        return Ok(Polled::Event(SutEvent::Observed(Observation::Delta)));
                    }
                    Some(other) => return Ok(other),
                    None => {}
                }
            }
        }
    }

    fn stale(&self) -> u64 {
        self.inner.stale()
    }

    fn unheard(&self) -> u64 {
        self.inner.unheard()
    }

    fn unheard_crashes(&self) -> u64 {
        self.inner.unheard_crashes()
    }

    fn stop(&mut self) {
        self.inner.stop();
    }
}
