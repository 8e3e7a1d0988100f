//! What the model allows where something else came: values and intervals, never terms of a solver.

use sioco_exec::explanation::{Explanation, Offer, Values};
use sioco_model::Value;
use sioco_model::model::{Label, Param};

use crate::words::Words;

/// At most this many intervals of one parameter are listed: a line.
const INTERVALS: usize = 6;

/// At most this many outputs are listed, a line each: half a screen.
const OUTPUTS: usize = 12;

/// All that some hypothesis allows, each once.
pub(super) fn all(words: Words<'_>, explanation: &Explanation) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for offer in &explanation.offers {
        let text = output(words, offer);
        if !found.contains(&text) {
            found.push(text);
        }
    }
    let more = found.len().saturating_sub(OUTPUTS);
    found.truncate(OUTPUTS);
    found.extend(explanation.silence.then(|| "silence".to_owned()));
    match (more, explanation.more) {
        (0, false) => {}
        (more, false) => found.push(format!("… and {more} more outputs")),
        (_, true) => found.push("… and more outputs".to_owned()),
    }
    found
}

/// An output with its values: the only ones, an interval, or what its guard asks for with an example.
fn output(words: Words<'_>, offer: &Offer) -> String {
    let model = words.model();
    let s = &model.switches[offer.switch];
    let Label::Gate(gate) = s.label else { return s.name.clone() };
    let gate = &model.gates[gate];
    let sigil = gate.direction.sigil();
    if gate.params.is_empty() {
        return format!("{sigil}{}", gate.name);
    }
    let pair = |(p, v): (&Param, &Value)| format!("{} = {}", p.name, model.sorts.show(p.sort, v));
    let pairs = || gate.params.iter().zip(&offer.args);
    let exact = || pairs().map(pair).collect::<Vec<_>>().join(", ");
    let ends = match &offer.values {
        Values::Only => return format!("{sigil}{}({})", gate.name, exact()),
        Values::Within { param, parts } => {
            let of = |(i, (p, v)): (usize, (&Param, &Value))| match i == *param {
                true => format!("{} in {}", p.name, intervals(parts)),
                false => pair((p, v)),
            };
            let values: Vec<String> = pairs().enumerate().map(of).collect();
            return format!("{sigil}{}({})", gate.name, values.join(", "));
        }
        Values::Some { ends } => ends,
    };
    let guard = words.guard(offer.switch);
    let wherever = match guard.is_empty() || guard == "true" {
        true => String::new(),
        false => format!(" where `{guard}`"),
    };
    // Where the system chooses nothing, the state is not known, and its own words say most.
    let label = match s.params.iter().all(|p| p.term.is_some()) || offer.args.is_empty() {
        true => words.label(offer.switch),
        false => {
            let names: Vec<&str> = s.params.iter().map(|p| p.name.as_str()).collect();
            format!("{sigil}{}({})", gate.name, names.join(", "))
        }
    };
    let which = match ends {
        Some((param, least, greatest)) => {
            let sort = gate.params[*param].sort;
            format!(", from {} to {}", model.sorts.show(sort, least), model.sorts.show(sort, greatest))
        }
        None if offer.args.is_empty() => String::new(),
        None => format!(", such as {}", exact()),
    };
    format!("{label}{wherever}{which}")
}

/// Intervals in words, some of them if there are many.
fn intervals(parts: &[(i64, i64)]) -> String {
    let show = |(a, b): &(i64, i64)| if a == b { a.to_string() } else { format!("{a}..{b}") };
    let mut shown: Vec<String> = parts.iter().take(INTERVALS).map(show).collect();
    shown.extend((parts.len() > INTERVALS).then(|| "…".to_owned()));
    shown.join(", ")
}
