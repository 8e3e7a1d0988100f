//! What the model allows where something else came: values and intervals, never terms of a solver.

use sioco_exec::explanation::{Allowed, Explanation, Left};
use sioco_model::model::{Label, Model};
use sioco_model::semantics::Interpreter;
use sioco_model::semantics::state::State;
use sioco_model::sort::Sort;
use sioco_model::{SwitchId, Value};

use crate::words::Words;

/// So many intervals of one parameter are told.
const INTERVALS: usize = 6;

/// All that some hypothesis allows, in the order of the hypotheses, each once.
pub(super) fn all(words: Words<'_>, explanation: &Explanation) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut silence = false;
    for left in &explanation.hypotheses {
        for allowed in &left.allowed {
            match allowed {
                Allowed::Silence => silence = true,
                Allowed::Output { switch, args, fixed } => {
                    let text = output(words, left, *switch, args, *fixed);
                    if !found.contains(&text) {
                        found.push(text);
                    }
                }
            }
        }
    }
    found.extend(silence.then(|| "silence".to_owned()));
    found
}

/// An output with its values: the only ones, an interval, or what its guard asks for with an example.
fn output(words: Words<'_>, left: &Left, switch: SwitchId, args: &[Value], fixed: bool) -> String {
    let model = words.model();
    let s = &model.switches[switch];
    let Label::Gate(gate) = s.label else { return s.name.clone() };
    let gate = &model.gates[gate];
    let sigil = gate.direction.sigil();
    if gate.params.is_empty() {
        return format!("{sigil}{}", gate.name);
    }
    let pairs = || gate.params.iter().zip(args);
    let values = |args: Vec<String>| args.join(", ");
    let exact = values(pairs().map(|(p, v)| format!("{} = {}", p.name, model.sorts.show(p.sort, v))).collect());
    if fixed {
        return format!("{sigil}{}({exact})", gate.name);
    }
    let free: Vec<usize> = (0..s.params.len()).filter(|i| s.params[*i].term.is_none()).collect();
    if let (Some(state), [only]) = (&left.state, &free[..])
        && let Some(intervals) = intervals(model, state, switch, *only)
    {
        let of = |(i, (p, v)): (usize, (&sioco_model::model::Param, &Value))| match i == *only {
            true => format!("{} in {intervals}", p.name),
            false => format!("{} = {}", p.name, model.sorts.show(p.sort, v)),
        };
        return format!("{sigil}{}({})", gate.name, values(pairs().enumerate().map(of).collect()));
    }
    let guard = words.guard(switch);
    let wherever = match guard.is_empty() || guard == "true" {
        true => String::new(),
        false => format!(" where `{guard}`"),
    };
    if args.is_empty() {
        // Where the state is not known, its own words say most.
        return format!("{}{wherever}", words.label(switch));
    }
    let names: Vec<&str> = s.params.iter().map(|p| p.name.as_str()).collect();
    format!("{sigil}{}({}){wherever}, such as {exact}", gate.name, names.join(", "))
}

/// The values of a whole number that the guard allows, if they are few enough to be known one by one.
fn intervals(model: &Model, state: &State, switch: SwitchId, param: usize) -> Option<String> {
    let sort = model.switches[switch].params[param].sort;
    if !matches!(model.sorts.get(sort), Sort::Int { .. }) {
        return None;
    }
    let found = Interpreter::new(model).choices(state, switch).ok()?;
    let mut numbers: Vec<i64> = Vec::with_capacity(found.len());
    for args in &found {
        let Some(Value::Int(n)) = args.get(param) else { return None };
        numbers.push(*n);
    }
    numbers.sort_unstable();
    numbers.dedup();
    let mut parts: Vec<(i64, i64)> = Vec::new();
    for n in numbers {
        match parts.last_mut() {
            Some((_, last)) if last.checked_add(1) == Some(n) => *last = n,
            _ => parts.push((n, n)),
        }
    }
    if parts.is_empty() || parts.len() > INTERVALS {
        return None;
    }
    let show = |(a, b): &(i64, i64)| if a == b { a.to_string() } else { format!("{a}..{b}") };
    Some(parts.iter().map(show).collect::<Vec<_>>().join(", "))
}
