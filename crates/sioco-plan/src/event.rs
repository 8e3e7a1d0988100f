//! A gate with values, in plans: an input that is sent, an output that is expected.

use sioco_model::model::Model;
use sioco_model::{GateId, Value};

/// A gate with values.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Event {
    /// The gate.
    pub gate: GateId,
    /// The values of its parameters.
    pub args: Vec<Value>,
}

impl Event {
    /// The event as it is written.
    pub fn show(&self, model: &Model) -> String {
        let gate = &model.gates[self.gate];
        let values = gate.params.iter().zip(&self.args).map(|(p, v)| model.sorts.show(p.sort, v));
        let values: Vec<String> = values.collect();
        let args = if values.is_empty() { String::new() } else { format!("({})", values.join(", ")) };
        format!("{}{}{args}", gate.direction.sigil(), gate.name)
    }
}
