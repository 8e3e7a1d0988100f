//! The sender of the Bounded Retransmission Protocol, written in Rust: a system under test that takes no time of its own.

use std::collections::VecDeque;
use std::time::Duration;

use sioco_exec::{Fault, GateValue, Observation, Order, Polled, RunNumber, Sut, SutEvent};
use sioco_model::{GateId, Model, Value};

/// See the [module](self).
pub struct Sender {
    inputs: [GateId; 3],
    outputs: [GateId; 3],
    events: VecDeque<SutEvent>,
    messages: [Value; 3],
    /// How many frames of a request were acknowledged; nothing if there is no request.
    frames: Option<usize>,
    sent: u32,
    bit: i64,
}

impl Sender {
    pub fn new(model: &Model) -> Sender {
        let gate = |name: &str| model.gate(name).expect("a gate of BRP");
        Sender {
            inputs: ["IREQ", "IACK", "ITIMEOUT"].map(gate),
            outputs: ["ONOK", "OFRAME", "OCONF"].map(gate),
            events: VecDeque::new(),
            messages: [0; 3].map(Value::Int),
            frames: None,
            sent: 0,
            bit: 0,
        }
    }

    fn say(&mut self, output: usize, args: Vec<Value>) {
        let output = GateValue { gate: self.outputs[output], args };
        self.events.push_back(SutEvent::Observed(Observation::Output(output)));
    }

    fn frame(&mut self, frame: usize) {
        self.frames = Some(frame);
        self.sent += 1;
        let flags = [i64::from(frame == 0), i64::from(frame == 2), self.bit].map(Value::Int);
        let args = flags.into_iter().chain([self.messages[frame].clone()]).collect();
        self.say(1, args);
    }

    fn confirm(&mut self, frames: usize) {
        self.frames = None;
        let how = match frames {
            0 | 1 => 0,
            2 => 2,
            _ => 1,
        };
        self.say(2, vec![Value::Int(how)]);
    }
}

impl Sut for Sender {
    fn order(&self) -> Order {
        Order::Sut
    }

    fn reset(&mut self, _: RunNumber, _: u64) -> Result<(), Fault> {
        self.events.clear();
        (self.frames, self.sent, self.bit) = (None, 0, 0);
        Ok(())
    }

    fn send(&mut self, id: u64, input: &GateValue) -> Result<(), Fault> {
        self.events.push_back(SutEvent::Accepted { id });
        let which = self.inputs.iter().position(|g| *g == input.gate);
        match (which, self.frames) {
            (Some(0), None) => {
                self.messages.clone_from_slice(&input.args);
                self.sent = 0;
                self.frame(0);
            }
            (Some(1), Some(n)) => {
                self.sent = 0;
                self.bit = 1 - self.bit;
                if n < 2 { self.frame(n + 1) } else { self.confirm(3) }
            }
            (Some(2), Some(n)) if self.sent > 5 => self.confirm(n),
            (Some(2), Some(n)) => self.frame(n),
            _ => self.say(0, Vec::new()),
        }
        Ok(())
    }

    fn poll(&mut self, _: Duration) -> Result<Polled, Fault> {
        Ok(self.events.pop_front().map_or(Polled::Nothing, Polled::Event))
    }
}
