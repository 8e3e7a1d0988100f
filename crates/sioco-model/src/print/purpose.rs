//! Purposes in the syntax of the language.

use std::fmt::Write;

use super::{Level, Printer};
use crate::id::{LocationId, SwitchId, TermId};
use crate::model::Model;
use crate::purpose::{Event, EventLabel, Pattern, Purpose};

/// The purpose as it could be written, each part on its line.
pub fn purpose(model: &Model, purpose: &Purpose) -> String {
    let mut out = format!("purpose {} {{\n  {}\n", purpose.name, pattern(model, purpose, &purpose.pattern));
    for event in &purpose.rejects {
        let _ = writeln!(out, "  reject {}", self::event(model, purpose, event));
    }
    out.push_str("}\n");
    out
}

/// A part of a purpose: `?inX(p) [p > 3]; ..; !done`.
pub fn pattern(model: &Model, purpose: &Purpose, part: &Pattern) -> String {
    let all = |parts: &[Pattern], separator: &str, alone: &dyn Fn(&Pattern) -> bool| {
        let texts: Vec<String> = parts
            .iter()
            .map(|part| {
                let text = pattern(model, purpose, part);
                if alone(part) { text } else { format!("({text})") }
            })
            .collect();
        texts.join(separator)
    };
    match part {
        Pattern::Event(event) => self::event(model, purpose, event),
        Pattern::Sequence(parts) => all(parts, "; ", &|p| !matches!(p, Pattern::Sequence(_) | Pattern::Choice(_))),
        Pattern::Choice(parts) => all(parts, " | ", &|p| !matches!(p, Pattern::Choice(_))),
        Pattern::Repeat { body, least, most } => {
            let body = all(std::slice::from_ref(body), "", &|p| matches!(p, Pattern::Event(_)));
            match (least, most) {
                (0, None) => format!("{body}*"),
                (1, None) => format!("{body}+"),
                (least, None) => format!("{body}{{{least}..}}"),
                (least, Some(most)) if least == most => format!("{body}{{{least}}}"),
                (least, Some(most)) => format!("{body}{{{least}..{most}}}"),
            }
        }
        Pattern::Anything => "..".into(),
        Pattern::At { locations, condition } => {
            format!("at {}{}", place(model, locations), brackets(model, purpose, *condition))
        }
    }
}

/// A step of a purpose: `!outX(p) [p > x]`.
pub fn event(model: &Model, purpose: &Purpose, event: &Event) -> String {
    let label = match event.label {
        EventLabel::Delta => "delta".into(),
        EventLabel::Any => "any".into(),
        EventLabel::Switch(switch) => format!("take {}", taken(model, switch)),
        EventLabel::Gate(gate) => {
            let gate = &model.gates[gate];
            let names = event.binds.iter().map(|slot| purpose.slots.get(*slot as usize).map_or("_", |s| &s.name));
            let names: Vec<&str> = names.collect();
            let args = if names.is_empty() { String::new() } else { format!("({})", names.join(", ")) };
            format!("{}{}{args}", gate.direction.sigil(), gate.name)
        }
    };
    label + &brackets(model, purpose, event.condition)
}

fn brackets(model: &Model, purpose: &Purpose, condition: Option<TermId>) -> String {
    condition.map_or(String::new(), |t| format!(" [{}]", self::condition(model, purpose, t)))
}

/// A condition of a purpose: values have the names that its events give them, and a variable the name of its process
/// where other processes have one of that name.
pub fn condition(model: &Model, purpose: &Purpose, t: TermId) -> String {
    let mut printer = Printer {
        model,
        pool: &model.terms,
        switch: None,
        symbols: None,
        slots: Some(&purpose.slots),
        out: String::new(),
        binders: Vec::new(),
        items: Vec::new(),
    };
    printer.term(t, Level::Open);
    printer.out
}

/// The location that is meant, or that of any instance of a process.
fn place(model: &Model, locations: &[LocationId]) -> String {
    let Some(first) = locations.first().and_then(|l| model.locations.get(*l)) else { return String::new() };
    let process = &model.processes[first.process];
    match (locations.len(), model.locations.values().filter(|l| l.name == first.name).count()) {
        (_, 1) => first.name.clone(),
        (1, _) => format!("{}.{}", process.name, first.name),
        _ => format!("{}.{}", process.template, first.name),
    }
}

/// A name that is not one of the language stands in quotes.
fn taken(model: &Model, switch: SwitchId) -> String {
    let s = &model.switches[switch];
    let process = &model.processes[s.process].name;
    let short = s.name.strip_prefix(process.as_str()).and_then(|n| n.strip_prefix('.')).unwrap_or(&s.name);
    let plain = |name: &str| name.chars().all(|c| c.is_alphanumeric() || c == '_');
    let unique = model.switch(short) == Some(switch);
    match (plain(short), unique, plain(process)) {
        (true, true, _) => short.into(),
        (true, false, true) => format!("{process}.{short}"),
        (false, true, _) => format!("\"{short}\""),
        _ => format!("\"{}\"", s.name),
    }
}
