//! Witnesses as scripts that `sioco simulate` reads.

use sioco_model::Value;
use sioco_model::model::{Label, Model};
use sioco_symbolic::{Solved, Step};

/// A path, one line a step; before them the values of the variables that are free at the start.
pub fn script(model: &Model, path: &Solved) -> Vec<String> {
    let start: Vec<String> = path
        .start
        .iter()
        .map(|(v, value)| format!("{}={}", model.variable_name(*v), model.sorts.show(model.variables[*v].sort, value)))
        .collect();
    let start = (!start.is_empty()).then(|| format!("set {}", start.join(", ")));
    start.into_iter().chain(path.steps.iter().map(|(step, values)| line(model, *step, values))).collect()
}

/// A step. The switch decides, what is behind the colon tells its values.
pub fn line(model: &Model, step: Step, values: &[Value]) -> String {
    let switch = match step {
        Step::Switch(switch) => switch,
        Step::Handshake { send, receive } => {
            return format!("{} & {}", model.switches[send].name, model.switches[receive].name);
        }
        Step::Delta => return "delta".into(),
    };
    let s = &model.switches[switch];
    let shown: Vec<String> = s.params.iter().zip(values).map(|(p, v)| model.sorts.show(p.sort, v)).collect();
    let shown = shown.join(", ");
    match s.label {
        Label::Gate(gate) => {
            let gate = &model.gates[gate];
            let shown = if shown.is_empty() { shown } else { format!("({shown})") };
            format!("{}: {}{}{shown}", s.name, gate.direction.sigil(), gate.name)
        }
        _ => format!("{}: tau {shown}", s.name).trim_end().into(),
    }
}
