//! The text of an automaton in our language.

use std::fmt::Write;

use rustc_hash::FxHashSet;

use super::expr::Ref;
use super::names::{Names, is_valid, valid};
use super::reading::Guess;
use super::{Arg, Automaton, MAX_LISTED, Notes, Order, Symbol, Transition};
use crate::import::Imported;

/// Writes the automaton; `source` is the name of the file it is from.
pub(super) fn write(automaton: &Automaton, source: &str, mut notes: Notes) -> Imported {
    let names = Naming::new(automaton, source, &mut notes);
    let mut body = String::new();
    let gate = |s: &Symbol, name: &str, params: &[String]| {
        let params: Vec<String> = s.params.iter().zip(params).map(|(p, n)| format!("{n}: {}", p.ty.text())).collect();
        let params = if params.is_empty() { String::new() } else { format!("({})", params.join(", ")) };
        format!("{} {name}{params}\n", if s.input { "input " } else { "output" })
    };
    for (s, (name, params)) in automaton.symbols.iter().zip(names.gates.iter().zip(&names.gate_params)) {
        body.push_str(&gate(s, name, params));
    }
    let no_param = |r| match r {
        Ref::Param(_) => unreachable!("the value of a constant or register is a literal"),
        r => names.global(r),
    };
    if !automaton.constants.is_empty() {
        body.push('\n');
    }
    for (c, name) in automaton.constants.iter().zip(&names.constants) {
        let _ = writeln!(body, "const {name}: {} = {}", c.ty.text(), c.value.show(&no_param));
    }
    let _ = writeln!(body, "\nprocess {} {{", names.process);
    for (r, name) in automaton.registers.iter().zip(&names.registers) {
        let _ = writeln!(body, "  var {name}: {} = {}", r.ty.text(), r.value.show(&no_param));
    }
    if !automaton.registers.is_empty() {
        body.push('\n');
    }
    let mut transitions = automaton.transitions.iter().peekable();
    for (i, name) in names.locations.iter().enumerate() {
        let _ = write!(body, "  {} {name}", if i == automaton.initial { "init" } else { "state" });
        let mut any = false;
        while let Some(t) = transitions.next_if(|t| t.from == i) {
            if !std::mem::replace(&mut any, true) {
                body.push_str(" {\n");
            }
            let _ = writeln!(body, "    {}", names.switch(automaton, t, &mut notes));
        }
        body.push_str(if any { "  }\n" } else { "\n" });
    }
    body.push_str("}\n");

    let notes = notes.sentences();
    let mut text = String::new();
    comment(&mut text, "", &format!("Imported from {}, a register automaton.", one_line(source)));
    if !notes.is_empty() {
        text.push_str("//\n");
    }
    for note in &notes {
        comment(&mut text, "- ", note);
    }
    text.push('\n');
    text.push_str(&body);
    Imported { text, notes }
}

/// The names of everything.
struct Naming {
    process: String,
    gates: Vec<String>,
    gate_params: Vec<Vec<String>>,
    constants: Vec<String>,
    registers: Vec<String>,
    locations: Vec<String>,
    /// What a parameter must not hide.
    taken: Names,
}

impl Naming {
    fn new(automaton: &Automaton, source: &str, notes: &mut Notes) -> Naming {
        // An output `closed` or `crashed` would be an end of the system under test, which the file does not mean.
        let mut taken = Names::default();
        taken.reserve("closed");
        taken.reserve("crashed");
        let gates = taken.make_all(automaton.symbols.iter().map(|s| s.name.as_str()), "gate");
        let mut taken = Names::default();
        let registers = taken.make_all(automaton.registers.iter().map(|r| r.name.as_str()), "variable");
        let constants = taken.make_all(automaton.constants.iter().map(|c| c.name.as_str()), "constant");
        let file = source.rsplit(['/', '\\']).next().unwrap_or_default();
        let process = valid(file.split('.').find(|s| !s.is_empty()).unwrap_or_default(), "automaton");
        let locations = Names::default().make_all(automaton.locations.iter().map(|l| l.name.as_str()), "location");
        let mut gate_params = Vec::new();
        for s in &automaton.symbols {
            let params = Names::default().make_all(s.params.iter().map(|p| p.name.as_str()), "parameter");
            s.params.iter().zip(&params).for_each(|(p, name)| notes.rename("parameter", &p.name, name));
            gate_params.push(params);
        }
        for (s, name) in automaton.symbols.iter().zip(&gates) {
            notes.rename(if s.input { "input" } else { "output" }, &s.name, name);
        }
        for (v, name) in automaton.registers.iter().zip(&registers) {
            notes.rename("variable", &v.name, name);
        }
        for (c, name) in automaton.constants.iter().zip(&constants) {
            notes.rename("constant", &c.name, name);
        }
        for (l, name) in automaton.locations.iter().zip(&locations) {
            notes.rename("location", &l.name, name);
        }
        Naming { process, gates, gate_params, constants, registers, locations, taken }
    }

    fn global(&self, r: Ref) -> String {
        match r {
            Ref::Var(v) => self.registers[v].clone(),
            Ref::Const(c) => self.constants[c].clone(),
            Ref::Param(_) => unreachable!("parameters have names in their transition only"),
        }
    }

    fn switch(&self, automaton: &Automaton, t: &Transition, notes: &mut Notes) -> String {
        let symbol = &automaton.symbols[t.symbol];
        let mut used = vec![false; symbol.params.len()];
        t.visit(&mut |r| {
            if let Ref::Param(p) = r {
                used[p] = true;
            }
        });
        let params = self.params(t, &used, notes);
        let name = |r| match r {
            Ref::Param(p) => params[p].clone(),
            r => self.global(r),
        };
        let args: Vec<String> = if symbol.input {
            params.clone()
        } else {
            let show = |(arg, param): (&Arg, &String)| match arg {
                Arg::Term(term) => term.show(&name),
                Arg::Any => format!("any {param}"),
            };
            t.args.iter().zip(&params).map(show).collect()
        };
        let mut out = format!("{}{}", if symbol.input { '?' } else { '!' }, self.gates[t.symbol]);
        if !args.is_empty() {
            let _ = write!(out, "({})", args.join(", "));
        }
        if let Some(guard) = &t.guard {
            let _ = write!(out, " [{}]", guard.show(&name));
        }
        if !t.update.is_empty() {
            let assign = |(v, e): &(usize, _)| format!("{} := {}", self.registers[*v], super::Expr::show(e, &name));
            let _ = write!(out, " / {}", t.update.iter().map(assign).collect::<Vec<_>>().join(", "));
        }
        let _ = write!(out, " -> {}", self.locations[t.to]);
        out
    }

    /// The names that a transition gives to parameters: valid, hiding nothing, `_` for those that it does not use.
    fn params(&self, t: &Transition, used: &[bool], notes: &mut Notes) -> Vec<String> {
        let fine = |name: &str| is_valid(name) && !self.taken.is_taken(name);
        let kept = t.names.iter().zip(used).filter(|(name, used)| **used && fine(name)).map(|(name, _)| name.clone());
        let mut here: FxHashSet<String> = kept.collect();
        let mut params = Vec::new();
        for (name, used) in t.names.iter().zip(used) {
            if !used {
                params.push("_".into());
                continue;
            }
            if fine(name) {
                params.push(name.clone());
                continue;
            }
            let base = valid(name, "parameter");
            let (mut made, mut number) = (base.clone(), 2);
            while !fine(&made) || here.contains(&made) {
                made = format!("{base}_{number}");
                number += 1;
            }
            here.insert(made.clone());
            notes.rename("parameter", name, &made);
            params.push(made);
        }
        params
    }
}

impl Notes {
    fn rename(&mut self, kind: &'static str, from: &str, to: &str) {
        let renamed = (kind, from.to_string(), to.to_string());
        if from != to && self.seen.insert(renamed.clone()) {
            self.renamed.push(renamed);
        }
    }

    /// The notes as sentences.
    fn sentences(self) -> Vec<String> {
        let mut out = Vec::new();
        if !self.renamed.is_empty() {
            let show = self.renamed.iter().map(|(kind, from, to)| format!("{kind} `{from}` is `{to}`"));
            out.push(format!(
                "names that our language does not take, or that hide others, are changed: {}",
                list(show)
            ));
        }
        if !self.types.is_empty() {
            let show = self.types.iter().map(|t| if t.is_empty() { "none at all".into() } else { format!("`{t}`") });
            out.push(format!("data types that are not known are taken as Int: {}", list(show)));
        }
        if let Some((count, first)) = self.order {
            let (here, other) = match self.executed {
                Order::InOrder => ("in order", "at once, as RaLib does (`--assignments at-once`)"),
                Order::Auto | Order::AtOnce => {
                    ("at once", "in order, as most files of the Automata Wiki mean it (`--assignments in-order`)")
                }
            };
            let why = match (&self.guessed, &self.not_at_once) {
                (_, Some(why)) => format!(", since otherwise {why}"),
                (Some(Guess::AtOnce), None) => ", as RaLib does".into(),
                _ => String::new(),
            };
            out.push(format!(
                "assignments are executed {here}{why}; {}, the first at {first}, would do something else if they were \
                 executed {other}",
                if count == 1 { "1 transition".to_string() } else { format!("{count} transitions") },
            ));
        }
        if let Some((count, first)) = self.after {
            out.push(format!(
                "{}, the first at {first}, after the assignments of the same transition, as RaLib does",
                if count == 1 { "1 output is evaluated".to_string() } else { format!("{count} outputs are evaluated") },
            ));
        }
        if let Some((count, first)) = self.fresh {
            out.push(format!(
                "{} a fresh value, the first at {first}: any that differs from all variables and constants of its type",
                if count == 1 { "1 output has".to_string() } else { format!("{count} outputs have") },
            ));
        }
        let more = self.twice.len().saturating_sub(MAX_LISTED);
        out.extend(self.twice.into_iter().take(MAX_LISTED));
        if more > 0 {
            out.push(format!("{more} more names are declared twice in the same way"));
        }
        for (what, which) in self.dropped.into_iter().filter(|(_, which)| !which.is_empty()) {
            out.push(format!("{what} are left out: {}", list(which.iter().map(|w| format!("`{w}`")))));
        }
        if !self.sinks.is_empty() {
            let show = self.sinks.iter().map(|s| format!("`{s}`"));
            out.push(format!(
                "locations without outgoing transitions are no `final` ones, which the format does not have: {}",
                list(show)
            ));
        }
        if !self.ignored.is_empty() {
            let show = self.ignored.iter().map(|(what, at)| format!("{what} at {at}"));
            out.push(format!("parts that the format does not have are skipped: {}", list(show)));
        }
        out.into_iter().map(|n| one_line(&n)).collect()
    }
}

/// Some names, and how many more there are.
fn list(items: impl ExactSizeIterator<Item = String>) -> String {
    let more = items.len().saturating_sub(MAX_LISTED);
    let mut text = items.take(MAX_LISTED).collect::<Vec<_>>().join(", ");
    if more > 0 {
        let _ = write!(text, " and {more} more");
    }
    text
}

/// Text from the file, safe to stand in a line of a comment.
fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// Adds a comment, broken into lines.
fn comment(out: &mut String, bullet: &str, text: &str) {
    const WIDTH: usize = 110;
    let mut line = format!("// {bullet}");
    let indent = " ".repeat(bullet.len());
    let mut width = 0;
    for word in text.split_whitespace() {
        let length = word.chars().count();
        if width > 0 && width + 1 + length > WIDTH {
            out.push_str(&line);
            out.push('\n');
            line = format!("// {indent}");
            width = 0;
        }
        if width > 0 {
            line.push(' ');
            width += 1;
        }
        line.push_str(word);
        width += length;
    }
    out.push_str(&line);
    out.push('\n');
}
