//! What happens between the tester and the system under test.

use sioco_model::model::{CLOSED, CRASHED, Model};
use sioco_model::{GateId, Value};

use crate::crash::Crash;

/// A gate with a value for each of its parameters (S0 definition 6: gate value).
#[derive(PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct GateValue {
    /// The gate.
    pub gate: GateId,
    /// One value per parameter. For what comes from outside they need not fit; then it is no gate value of the model.
    pub args: Vec<Value>,
}

impl Clone for GateValue {
    fn clone(&self) -> Self {
        GateValue { gate: self.gate, args: self.args.clone() }
    }

    /// The room of what was there is used again.
    fn clone_from(&mut self, other: &Self) {
        self.gate = other.gate;
        self.args.clone_from(&other.args);
    }
}

impl GateValue {
    /// As it is written in a trace: `?inX(6)`, `!done`.
    pub fn show(&self, model: &Model) -> String {
        let gate = &model.gates[self.gate];
        let mut text = format!("{}{}", gate.direction.sigil(), gate.name);
        if !self.args.is_empty() {
            let show = |(i, v): (usize, &Value)| match gate.params.get(i) {
                Some(p) => model.sorts.show(p.sort, v),
                None => v.to_string(),
            };
            let args: Vec<String> = self.args.iter().enumerate().map(show).collect();
            text.push_str(&format!("({})", args.join(", ")));
        }
        text
    }
}

/// Something that the tester sees of the system under test.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Observation {
    /// An output. Its values fit the gate.
    Output(GateValue),
    /// Silence: nothing came for the quiescence time, or the adapter knows that nothing will (T-L6, T-Q1:
    /// delta).
    Delta,
    /// The system ended in an orderly way, or closed the connection (T-E1).
    Closed,
    /// The system ended abnormally (T-E2).
    Crashed(Crash),
    /// Values on a declared output gate that do not fit its parameters, or something that is no output at all.
    Malformed {
        /// The gate, if it is one.
        gate: Option<GateId>,
        /// What is wrong with them, for people.
        why: String,
        /// What was received.
        raw: String,
    },
}

impl Observation {
    /// The end of the system that a gate with this name stands for, if it does. The name says nothing about how it came about.
    pub fn end_named(name: &str) -> Option<Observation> {
        match name {
            CLOSED => Some(Observation::Closed),
            CRASHED => Some(Observation::Crashed(Crash::default())),
            _ => None,
        }
    }

    /// Whether the system ended with it, in whatever way: nothing can follow.
    pub fn is_end(&self) -> bool {
        matches!(self, Observation::Closed | Observation::Crashed(_))
    }
}

/// A step of a trace: what one sees from outside, in order.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Action {
    /// The system took an input.
    Input(GateValue),
    /// The tester saw something.
    Seen(Observation),
}
