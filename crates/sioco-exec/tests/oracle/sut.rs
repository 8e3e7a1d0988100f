//! Machines as systems under test: in process, and behind a connection that delays.

use std::collections::VecDeque;
use std::time::Duration;

use sioco_exec::{Fault, GateValue, Observation, Order, Polled, RunNumber, Sut, SutEvent};
use sioco_model::model::Direction;
use sioco_model::{GateId, Model, Value};

use super::lts::Act;
use super::machine::Machine;
use super::rng::Rng;
use super::spec::{CLOSED, Gate, Spec};

/// The names that the oracle and the engine have for the same things.
#[derive(Clone, Debug)]
pub struct Names {
    inputs: Vec<(GateId, bool)>,
    outputs: Vec<(GateId, bool)>,
    /// The output that is the end, by its place.
    closed: Option<usize>,
}

impl Names {
    /// The gates of the specification in its model.
    pub fn new(spec: &Spec, model: &Model) -> Names {
        let ids = |gates: &[Gate], direction: Direction| {
            let id = |g: &Gate| (model.gate(&g.name).expect("the text has the gate"), g.param.is_some());
            let ids: Vec<(GateId, bool)> = gates.iter().map(id).collect();
            assert!(ids.iter().all(|(id, _)| model.gates[*id].direction == direction));
            ids
        };
        let closed = spec.outputs.iter().position(|g| g.name == CLOSED);
        Names { inputs: ids(&spec.inputs, Direction::Input), outputs: ids(&spec.outputs, Direction::Output), closed }
    }

    /// Whether this is the end of the system.
    pub fn is_end(&self, act: Act) -> bool {
        matches!(act, Act::Out(g, _) if Some(g) == self.closed)
    }

    /// An input or output for the engine.
    pub fn gate_value(&self, act: Act) -> GateValue {
        let ((gate, has_param), value) = match act {
            Act::In(g, value) => (self.inputs[g], value),
            Act::Out(g, value) => (self.outputs[g], value),
            Act::Delta | Act::Tau => panic!("{act:?} is at no gate"),
        };
        GateValue { gate, args: if has_param { vec![Value::Int(value)] } else { Vec::new() } }
    }

    /// An output or silence for the engine.
    pub fn observation(&self, act: Act) -> Observation {
        match act {
            Act::Delta => Observation::Delta,
            _ if self.is_end(act) => Observation::Closed,
            _ => Observation::Output(self.gate_value(act)),
        }
    }

    /// An input or output for the oracle.
    pub fn act(&self, seen: &GateValue) -> Act {
        let value = match seen.args[..] {
            [] => 0,
            [Value::Int(n)] => n,
            _ => panic!("{seen:?} has at most one argument, a small integer"),
        };
        let place = |gates: &[(GateId, bool)]| gates.iter().position(|(g, _)| *g == seen.gate);
        match place(&self.inputs) {
            Some(g) => Act::In(g, value),
            None => Act::Out(place(&self.outputs).expect("it is a gate of the model"), value),
        }
    }

    /// What was observed, for the oracle.
    pub fn seen(&self, seen: &Observation) -> Act {
        match seen {
            Observation::Output(value) => self.act(value),
            Observation::Delta => Act::Delta,
            Observation::Closed => Act::Out(self.closed.expect("the model has an end"), 0),
            other => panic!("machines do not do that: {other:?}"),
        }
    }
}

/// A machine as a system under test.
pub struct Played<'m> {
    machine: &'m Machine,
    names: Names,
    order: Order,
    seed: u64,
    /// Whether it says that it is silent, or just says nothing.
    tells_silence: bool,
    rng: Rng,
    node: usize,
    /// What it does next by itself, and where that leads.
    next: (Act, usize),
    /// Whether it takes its time for that, so that an input may come first.
    late: bool,
    /// Inputs on their way to the machine.
    inbox: VecDeque<Act>,
    /// Outputs on their way to the tester.
    outbox: VecDeque<Act>,
    /// What the tester gets next.
    events: VecDeque<SutEvent>,
}

impl<'m> Played<'m> {
    /// The machine, with choices that the seed decides.
    pub fn new(machine: &'m Machine, names: Names, order: Order, seed: u64) -> Played<'m> {
        let mut rng = Rng::new(seed);
        let tells_silence = rng.chance(50);
        let node = machine.initial;
        Played {
            machine,
            names,
            order,
            seed,
            tells_silence,
            rng,
            node,
            next: machine.nodes[node].moves[0],
            late: false,
            inbox: VecDeque::new(),
            outbox: VecDeque::new(),
            events: VecDeque::new(),
        }
    }

    fn enter(&mut self, node: usize) {
        self.node = node;
        self.next = *self.rng.pick(&self.machine.nodes[node].moves);
        self.late = self.rng.chance(50);
    }

    /// Does what it does by itself, if that is an output.
    fn give(&mut self) -> Option<Act> {
        let (act, to) = self.next;
        if act == Act::Delta {
            return None;
        }
        self.enter(to);
        Some(act)
    }

    /// Takes an input.
    fn take(&mut self, input: Act) {
        let to = *self.rng.pick(&self.machine.nodes[self.node].inputs[&input]);
        self.enter(to);
    }

    fn observe(&mut self, act: Act) {
        let seen = self.names.observation(act);
        self.events.push_back(SutEvent::Observed(seen));
    }

    /// Something happens behind the connection; false if nothing can.
    fn progress(&mut self) -> bool {
        let may = [!self.inbox.is_empty(), self.next.0 != Act::Delta, !self.outbox.is_empty()];
        let may: Vec<usize> = (0..3).filter(|i| may[*i]).collect();
        if may.is_empty() {
            return false;
        }
        match self.rng.pick(&may) {
            0 => {
                let input = self.inbox.pop_front().expect("there is one");
                self.take(input);
            }
            1 => {
                let output = self.give().expect("it is no silence");
                self.outbox.push_back(output);
            }
            _ => {
                let output = self.outbox.pop_front().expect("there is one");
                self.observe(output);
            }
        }
        true
    }

    /// Nothing comes any more: the machine is silent until the next input.
    fn be_silent(&mut self) -> Polled {
        let to = self.next.1;
        self.enter(to);
        if self.tells_silence {
            return Polled::Event(SutEvent::Observed(Observation::Delta));
        }
        Polled::Nothing
    }
}

impl Sut for Played<'_> {
    fn order(&self) -> Order {
        self.order
    }

    fn reset(&mut self, run: RunNumber, seed: u64) -> Result<(), Fault> {
        self.rng = Rng::new(self.seed ^ run.0.rotate_left(40) ^ seed.rotate_left(20));
        self.inbox.clear();
        self.outbox.clear();
        self.events.clear();
        self.enter(self.machine.initial);
        Ok(())
    }

    fn send(&mut self, id: u64, input: &GateValue) -> Result<(), Fault> {
        let input = self.names.act(input);
        match self.order {
            Order::Sut | Order::Certain => {
                // What it does at once, it does before it takes the input.
                while !self.late
                    && let Some(output) = self.give()
                {
                    self.observe(output);
                }
                self.take(input);
                self.events.push_back(SutEvent::Accepted { id });
            }
            Order::Sent => {
                while self.rng.chance(40) && self.progress() {}
                self.events.push_back(SutEvent::Accepted { id });
                self.inbox.push_back(input);
            }
        }
        Ok(())
    }

    fn poll(&mut self, wait: Duration) -> Result<Polled, Fault> {
        match self.order {
            Order::Sut | Order::Certain => {
                let waits = !wait.is_zero() || !self.late;
                if self.events.is_empty()
                    && waits
                    && let Some(output) = self.give()
                {
                    self.observe(output);
                }
            }
            Order::Sent if wait.is_zero() => while self.rng.chance(50) && self.progress() {},
            Order::Sent => while self.events.is_empty() && self.progress() {},
        }
        match self.events.pop_front() {
            Some(event) => Ok(Polled::Event(event)),
            None if wait.is_zero() => Ok(Polled::Nothing),
            None => Ok(self.be_silent()),
        }
    }
}
