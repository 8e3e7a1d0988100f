//! Reasons why a switch is not enabled, in the words of the model.

use sioco_model::semantics::explain::{Leaf, Reason};
use sioco_model::{Model, SwitchId, Value};

use super::Words;

/// A reason as a sentence.
pub fn describe(words: Words<'_>, switch: SwitchId, reason: &Reason) -> String {
    let model = words.model();
    let s = &model.switches[switch];
    let show = |param: usize, value: &Value| model.sorts.show(s.params[param].sort, value);
    match reason {
        Reason::Elsewhere { at, source } => {
            format!(
                "it starts in `{}`, but the process is in `{}`",
                model.location_name(*source),
                model.location_name(*at)
            )
        }
        Reason::Misfit { param, value } => {
            let p = &s.params[*param];
            format!("{} is not a value of `{}: {}`", show(*param, value), p.name, model.sorts.name(p.sort))
        }
        Reason::False { .. } if s.is_else => "another switch of this location is enabled, so `else` is not".into(),
        Reason::False { conjunct, values } => {
            format!("`{}` is false{}", words.conjunct(switch, *conjunct), with(model, switch, values))
        }
        Reason::Differs { param, expected, found } => {
            let name = &s.params[*param].name;
            // The parameter of a gate may have the name of a variable.
            let which = if model.variables.values().any(|v| v.name == *name) { "the parameter " } else { "" };
            format!("{which}`{name}` is {} here, not {}", show(*param, expected), show(*param, found))
        }
        Reason::NoValues { values } => {
            format!("no values make `{}` true{}", words.guard(switch), with(model, switch, values))
        }
        Reason::Clash { .. } if s.is_else => "another switch of this location is enabled, so `else` is not".into(),
        Reason::Clash { conjuncts, values } => {
            let parts: Vec<String> = conjuncts.iter().map(|c| format!("`{}`", words.conjunct(switch, *c))).collect();
            let together = if parts.len() > 1 { " together" } else { "" };
            format!("no values make {} true{together}{}", listed(&parts), with(model, switch, values))
        }
        Reason::NoPartner => "no other process is ready for the handshake here".into(),
        Reason::Undefined(error) => words.error(error),
        Reason::NeedsSolver(why) => format!("it is unknown whether there are values: {why}"),
    }
}

/// `a`, `b` and `c`.
fn listed(parts: &[String]) -> String {
    match parts {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// The values of variables and parameters, in brackets: ` (x = 6, p = 3)`; hidden ones are left out.
pub fn with(model: &Model, switch: SwitchId, values: &[(Leaf, Value)]) -> String {
    let shown = values.iter().filter_map(|(leaf, value)| match leaf {
        Leaf::Var(v) if model.variables[*v].hidden => None,
        Leaf::Var(v) => {
            let variable = &model.variables[*v];
            Some(format!("{} = {}", model.variable_name(*v), model.sorts.show(variable.sort, value)))
        }
        Leaf::Param(i) => {
            let p = &model.switches[switch].params[*i as usize];
            Some(format!("{} = {}", p.name, model.sorts.show(p.sort, value)))
        }
    });
    let parts: Vec<String> = shown.collect();
    if parts.is_empty() { String::new() } else { format!(" ({})", parts.join(", ")) }
}
