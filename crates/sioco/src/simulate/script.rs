//! Steps as lines of a script, which [`parse`](super::request::parse) reads back.

use sioco_model::model::{Label, Model};
use sioco_model::{SwitchId, Value, VarId};
use sioco_report::analysis::script::request as request_line;
use sioco_symbolic::Step;

use super::request::{self, Request};

/// A switch with the values of its parameters.
pub fn line(model: &Model, switch: SwitchId, args: &[Value]) -> String {
    let s = &model.switches[switch];
    let values: Vec<String> = s.params.iter().zip(args).map(|(p, v)| model.sorts.show(p.sort, v)).collect();
    let values = values.join(", ");
    match s.label {
        Label::Gate(gate) => {
            let g = &model.gates[gate];
            let values = if values.is_empty() { values } else { format!("({values})") };
            format!("{}: {}{}{values}", s.name, g.direction.sigil(), g.name)
        }
        _ => {
            let line = format!("{} {values}", s.name);
            let line = line.trim_end();
            // A switch may have the name of a request, such as `quit`.
            match request::parse(line) {
                Ok(Request::Switch(..)) => line.into(),
                _ => format!("{}: tau {values}", s.name).trim_end().into(),
            }
        }
    }
}

/// The name of a handshake.
pub fn handshake_name(model: &Model, send: SwitchId, receive: SwitchId) -> String {
    Step::Handshake { send, receive }.name(model)
}

/// A handshake, with the values sent where the sender chooses them.
pub fn handshake(model: &Model, send: SwitchId, receive: SwitchId, args: &[Value]) -> String {
    let params = &model.switches[send].params;
    let names = handshake_name(model, send, receive);
    if params.iter().all(|p| p.term.is_some()) {
        return names;
    }
    let values: Vec<String> = params.iter().zip(args).map(|(p, v)| model.sorts.show(p.sort, v)).collect();
    format!("{names} {}", values.join(", ")).trim_end().into()
}

/// The values of variables that are free at the start; `None` if there are none.
pub fn start<'v>(model: &Model, values: impl IntoIterator<Item = (VarId, &'v Value)>) -> Option<String> {
    let shown = values.into_iter().map(|(v, x)| {
        let shown = model.sorts.show(model.variables[v].sort, x);
        format!("{}={shown}", model.variable_name(v))
    });
    let parts: Vec<String> = shown.collect();
    (!parts.is_empty()).then(|| request_line(model, &format!("set {}", parts.join(", "))))
}

/// Silence.
pub fn delta(model: &Model) -> String {
    request_line(model, "delta")
}

/// A whole path with values.
pub fn lines(model: &Model, at_start: &[(VarId, Value)], steps: &[(Step, Vec<Value>)]) -> Vec<String> {
    let step = |(step, args): &(Step, Vec<Value>)| match *step {
        Step::Switch(s) => line(model, s, args),
        Step::Handshake { send, receive } => handshake(model, send, receive, args),
        Step::Delta | Step::Divergence => delta(model),
    };
    start(model, at_start.iter().map(|(v, x)| (*v, x))).into_iter().chain(steps.iter().map(step)).collect()
}
