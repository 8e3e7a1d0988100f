//! Reasons why a switch is not enabled, in the words of the model.

use sioco_model::semantics::explain::{Leaf, Reason};
use sioco_model::{Model, SwitchId, Value, print};

/// A reason as a sentence.
pub fn describe(model: &Model, switch: SwitchId, reason: &Reason) -> String {
    let s = &model.switches[switch];
    let show = |param: usize, value: &Value| model.sorts.show(s.params[param].sort, value);
    match reason {
        Reason::Elsewhere { at, source } => {
            format!("it starts in `{}`, but we are in `{}`", model.location_name(*source), model.location_name(*at))
        }
        Reason::Misfit { param, value } => {
            let p = &s.params[*param];
            format!("{} is not a value of `{}: {}`", show(*param, value), p.name, model.sorts.name(p.sort))
        }
        Reason::False { conjunct, values } => {
            let text = print::term(model, Some(switch), *conjunct);
            format!("`{text}` is false{}", with(model, switch, values))
        }
        Reason::Differs { param, expected, found } => {
            format!("`{}` is {} here, not {}", s.params[*param].name, show(*param, expected), show(*param, found))
        }
        Reason::NoValues { values } => {
            let text = print::term(model, Some(switch), s.guard);
            format!("no values of its parameters make `{text}` true{}", with(model, switch, values))
        }
        Reason::NoPartner => "no other process is ready for the other half of the handshake".into(),
        Reason::Undefined(error) => format!("model error: {}", error.describe(model)),
        Reason::NeedsSolver(why) => format!("that needs a solver: {why}"),
    }
}

/// ` (x = 6, p = 3)`.
fn with(model: &Model, switch: SwitchId, values: &[(Leaf, Value)]) -> String {
    if values.is_empty() {
        return String::new();
    }
    let parts: Vec<String> = values
        .iter()
        .map(|(leaf, value)| match leaf {
            Leaf::Var(v) => {
                format!("{} = {}", model.variable_name(*v), model.sorts.show(model.variables[*v].sort, value))
            }
            Leaf::Param(i) => {
                let p = &model.switches[switch].params[*i as usize];
                format!("{} = {}", p.name, model.sorts.show(p.sort, value))
            }
        })
        .collect();
    format!(" ({})", parts.join(", "))
}
