//! The engine's view of a case: the model that it made of the text, and values in its own form.

use sioco_exec::RunNumber;
use sioco_exec::event::{Action, GateValue, Observation};
use sioco_exec::log::{LoggedRun, LoggedStep};
use sioco_exec::reliance::Reliance;
use sioco_lang::check::check_text;
use sioco_model::{GateId, Model, Value};

use crate::spec::{Event, Gate, Line, Order, Spec, Val};

/// A model as the engine reads it.
pub struct Read {
    /// The model.
    pub model: Model,
    inputs: Vec<GateId>,
    outputs: Vec<GateId>,
}

impl Read {
    /// Reads the text; the diagnostics if it is not understood.
    pub fn new(spec: &Spec) -> Result<Read, String> {
        let checked = check_text("case.sts", &spec.text());
        let Some(model) = checked.model else {
            let first = checked.diagnostics.first().map(|d| format!("{d:?}"));
            return Err(first.unwrap_or_else(|| "no model".into()));
        };
        let model = model.model;
        let ids = |gates: &[Gate]| -> Vec<GateId> {
            gates.iter().map(|g| model.gate(&g.name).expect("the text has the gate")).collect()
        };
        let (inputs, outputs) = (ids(&spec.inputs), ids(&spec.outputs));
        Ok(Read { model, inputs, outputs })
    }

    /// An input for the engine.
    pub fn input(&self, event: &Event) -> GateValue {
        GateValue { gate: self.inputs[event.gate], args: event.args.iter().map(to_engine).collect() }
    }

    /// An output for the engine.
    pub fn output(&self, event: &Event) -> GateValue {
        GateValue { gate: self.outputs[event.gate], args: event.args.iter().map(to_engine).collect() }
    }

    /// An observation for the engine. Nothing of an input.
    pub fn observation(&self, line: &Line) -> Option<Observation> {
        Some(match line {
            Line::Input(_) => return None,
            Line::Output(event) => Observation::Output(self.output(event)),
            Line::Delta | Line::Announced => Observation::Delta,
            Line::Closed => Observation::Closed,
            #[cfg(crashed)]
            Line::Crashed => Observation::Crashed(sioco_exec::crash::Crash::new("it crashed")),
            #[cfg(not(crashed))]
            Line::Crashed => return None,
            Line::Malformed(gate) => Observation::Malformed {
                gate: Some(self.outputs[*gate]),
                why: "it does not fit".into(),
                raw: "?".into(),
            },
        })
    }

    /// A log for the engine.
    pub fn run(&self, lines: &[Line], order: Order) -> LoggedRun {
        let step = |(i, line): (usize, &Line)| {
            let action = match line {
                Line::Input(event) => Action::Input(self.input(event)),
                line => Action::Seen(self.observation(line).expect("the engine has such an observation")),
            };
            LoggedStep {
                line: i + 1,
                at: None,
                action,
                waited: 0,
                timed: (*line == Line::Delta).then_some(Reliance::Full),
            }
        };
        let steps = lines.iter().enumerate().map(step).collect();
        LoggedRun { order: Some(order_of(order)), steps, ..LoggedRun::new(RunNumber(1), 1) }
    }

    /// An input or output in the oracle's form, and which it is.
    pub fn event(&self, value: &GateValue) -> (bool, Event) {
        let args = value.args.iter().map(to_oracle).collect();
        let place = |gates: &[GateId]| gates.iter().position(|g| *g == value.gate);
        match place(&self.inputs) {
            Some(gate) => (true, Event { gate, args }),
            None => (false, Event { gate: place(&self.outputs).expect("it is a gate of the model"), args }),
        }
    }
}

/// The order in the engine's form.
pub fn order_of(order: Order) -> sioco_exec::Order {
    match order {
        Order::Sut => sioco_exec::Order::Sut,
        Order::Sent => sioco_exec::Order::Sent,
        Order::Certain => sioco_exec::Order::Certain,
    }
}

/// A value in the engine's form.
pub fn to_engine(value: &Val) -> Value {
    match value {
        Val::Bool(b) => Value::Bool(*b),
        Val::Int(n) => Value::Int(*n),
        Val::Text(t) => Value::string(t),
        Val::Data(c, fields) => Value::data(*c as u32, fields.iter().map(to_engine).collect()),
        Val::Seq(items) => Value::seq(items.iter().map(to_engine).collect()),
    }
}

/// A value in the oracle's form.
pub fn to_oracle(value: &Value) -> Val {
    match value {
        Value::Bool(b) => Val::Bool(*b),
        Value::Int(n) => Val::Int(*n),
        Value::Str(t) => Val::Text(t.to_string()),
        Value::Enum(c) => Val::Data(*c as usize, Vec::new()),
        Value::Data(d) => Val::Data(d.constructor as usize, d.fields.iter().map(to_oracle).collect()),
        Value::Seq(items) => Val::Seq(items.iter().map(to_oracle).collect()),
        // No generated model has such values yet: an integer that no range holds stands for it.
        Value::BigInt(_) | Value::Real(_) | Value::Set(_) | Value::Map(_) => Val::Int(i64::MAX),
    }
}
