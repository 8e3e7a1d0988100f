//! A model as text, in the language that the engine reads (`docs/language.md`), and lines of logs.

use std::fmt::Write as _;

use super::{Carried, Compare, Event, Gate, Guard, Label, Line, Sort, Spec, Switch, Term, Val};

/// The name of a field of a constructor.
pub fn field(record: bool, constructor: usize, place: usize) -> String {
    if record { format!("f{place}") } else { format!("c{constructor}f{place}") }
}

/// The name of a switch of a process.
pub fn switch_name(process: usize, switch: usize) -> String {
    format!("s{process}_{switch}")
}

impl Spec {
    /// The model as text.
    pub fn text(&self) -> String {
        let mut out = String::new();
        let mut line = |text: String| writeln!(out, "{text}").expect("a string takes everything");
        for t in &self.types {
            let fields = |c: usize, sorts: &[Sort]| -> String {
                let one = |(i, s): (usize, &Sort)| format!("{}: {}", field(t.record, c, i), self.sort(s));
                sorts.iter().enumerate().map(one).collect::<Vec<_>>().join(", ")
            };
            if t.record {
                line(format!("type {} = {{ {} }}", t.name, fields(0, &t.constructors[0].fields)));
                continue;
            }
            let constructor = |(i, c): (usize, &super::Constructor)| match c.fields.is_empty() {
                true => c.name.clone(),
                false => format!("{}({})", c.name, fields(i, &c.fields)),
            };
            let all: Vec<String> = t.constructors.iter().enumerate().map(constructor).collect();
            line(format!("type {} = {}", t.name, all.join(" | ")));
        }
        for (word, gates) in [("input ", &self.inputs), ("output", &self.outputs), ("channel", &self.channels)] {
            for gate in gates {
                line(format!("{word} {}", self.gate(gate)));
            }
        }
        for (p, process) in self.processes.iter().enumerate() {
            line(format!("process P{p} {{"));
            for (v, variable) in process.variables.iter().enumerate() {
                let initial = variable.initial.as_ref().map_or("any".into(), |i| self.value(i, &variable.sort));
                line(format!("  var {}: {} = {initial}", variable_name(v), self.sort(&variable.sort)));
            }
            for l in 0..process.locations {
                let is_final = process.finals.contains(&l);
                let word = match (l, is_final) {
                    (0, true) => "init final",
                    (0, false) => "init",
                    (_, true) => "final",
                    (_, false) => "state",
                };
                line(format!("  {word} l{l} {{"));
                for (s, switch) in process.switches.iter().enumerate().filter(|(_, s)| s.source == l) {
                    line(format!("    {}: {}", switch_name(p, s), self.switch(switch)));
                }
                line("  }".into());
            }
            line("}".into());
        }
        if self.processes.len() > 1 {
            let names: Vec<String> = (0..self.processes.len()).map(|i| format!("P{i}")).collect();
            line(format!("system S = {}", names.join(" || ")));
        }
        out
    }

    fn gate(&self, gate: &Gate) -> String {
        if gate.params.is_empty() {
            return gate.name.clone();
        }
        let param = |(i, s): (usize, &Sort)| format!("p{i}: {}", self.sort(s));
        let params: Vec<String> = gate.params.iter().enumerate().map(param).collect();
        format!("{}({})", gate.name, params.join(", "))
    }

    fn sort(&self, sort: &Sort) -> String {
        match sort {
            Sort::Bool => "Bool".into(),
            Sort::Int(low, high) => format!("Int in {low}..{high}"),
            Sort::Wide => "Int".into(),
            Sort::Text => "String".into(),
            Sort::Data(t) => self.types[*t].name.clone(),
            Sort::Seq(item) => format!("Seq<{}>", self.sort(item)),
        }
    }

    /// A value as one writes it.
    pub fn value(&self, value: &Val, sort: &Sort) -> String {
        match (value, sort) {
            (Val::Bool(b), _) => b.to_string(),
            (Val::Int(n), _) if *n < 0 => format!("({n})"),
            (Val::Int(n), _) => n.to_string(),
            (Val::Text(t), _) => format!("{t:?}"),
            (Val::Seq(items), Sort::Seq(item)) => {
                let items: Vec<String> = items.iter().map(|v| self.value(v, item)).collect();
                format!("[{}]", items.join(", "))
            }
            (Val::Data(c, fields), Sort::Data(t)) => {
                let sorts = &self.types[*t].constructors[*c].fields;
                let fields = fields.iter().zip(sorts).map(|(v, s)| self.value(v, s)).collect();
                self.made(*t, *c, fields)
            }
            (value, sort) => panic!("{value:?} is no value of {sort:?}"),
        }
    }

    fn made(&self, t: usize, c: usize, fields: Vec<String>) -> String {
        let (of, constructor) = (&self.types[t], &self.types[t].constructors[c]);
        if of.record {
            let field = |(i, v): (usize, &String)| format!("{}: {v}", field(true, c, i));
            let fields: Vec<String> = fields.iter().enumerate().map(field).collect();
            return format!("{} {{ {} }}", of.name, fields.join(", "));
        }
        match fields.is_empty() {
            true => constructor.name.clone(),
            false => format!("{}({})", constructor.name, fields.join(", ")),
        }
    }

    fn switch(&self, switch: &Switch) -> String {
        let arguments = |texts: Vec<String>| match texts.is_empty() {
            true => String::new(),
            false => format!("({})", texts.join(", ")),
        };
        let bound = |n: usize| arguments((0..n).map(|i| format!("p{i}")).collect());
        let mut text = match &switch.label {
            Label::Input(g) => format!("?{}{}", self.inputs[*g].name, bound(self.inputs[*g].params.len())),
            Label::Output(g, carried) => {
                let one = |c: &Carried| match c {
                    Carried::Term(term) => self.term(term),
                    Carried::Any(p) => format!("any p{p}"),
                };
                format!("!{}{}", self.outputs[*g].name, arguments(carried.iter().map(one).collect()))
            }
            Label::Tau(sorts) => {
                let one = |(i, s): (usize, &Sort)| format!("any p{i}: {}", self.sort(s));
                let choices: Vec<String> = sorts.iter().enumerate().map(one).collect();
                format!("tau {}", choices.join(", ")).trim_end().into()
            }
            Label::Send(c, sent) => {
                let sent = sent.iter().map(|t| self.term(t)).collect();
                format!("send {}{}", self.channels[*c].name, arguments(sent))
            }
            Label::Receive(c) => format!("recv {}{}", self.channels[*c].name, bound(self.channels[*c].params.len())),
        };
        match &switch.guard {
            Guard::Else => text.push_str(" [else]"),
            Guard::All(parts) if parts.is_empty() => {}
            Guard::All(parts) => {
                let parts: Vec<String> = parts.iter().map(|t| self.term(t)).collect();
                text.push_str(&format!(" [{}]", parts.join(" && ")));
            }
        }
        for (i, (v, term)) in switch.update.iter().enumerate() {
            let before = if i == 0 { " /" } else { "," };
            text.push_str(&format!("{before} {} := {}", variable_name(*v), self.term(term)));
        }
        text.push_str(&format!(" -> l{}", switch.target));
        text
    }

    fn term(&self, term: &Term) -> String {
        let two = |a: &Term, how: &str, b: &Term| format!("({} {how} {})", self.term(a), self.term(b));
        match term {
            Term::Value(value, sort) => self.value(value, sort),
            Term::Variable(v) => variable_name(*v),
            Term::Param(p) => format!("p{p}"),
            Term::Name(n) => format!("n{n}"),
            Term::Add(a, b) => two(a, "+", b),
            Term::Sub(a, b) => two(a, "-", b),
            Term::Mul(a, b) => two(a, "*", b),
            Term::Div(a, b) => two(a, "div", b),
            Term::Mod(a, b) => two(a, "mod", b),
            Term::Compare(Compare::Equal, a, b) => two(a, "==", b),
            Term::Compare(Compare::Different, a, b) => two(a, "!=", b),
            Term::Compare(Compare::Less, a, b) => two(a, "<", b),
            Term::Compare(Compare::LessOrEqual, a, b) => two(a, "<=", b),
            Term::And(a, b) => two(a, "&&", b),
            Term::Or(a, b) => two(a, "||", b),
            Term::Implies(a, b) => two(a, "implies", b),
            Term::Not(a) => format!("!({})", self.term(a)),
            Term::If(c, a, b) => format!("(if {} then {} else {})", self.term(c), self.term(a), self.term(b)),
            Term::Match(of, t, arms, rest) => {
                let mut cases = Vec::new();
                for arm in arms {
                    let name = &self.types[*t].constructors[arm.constructor].name;
                    let names: Vec<String> = arm.names.iter().map(|n| format!("n{n}")).collect();
                    let names = if names.is_empty() { String::new() } else { format!("({})", names.join(", ")) };
                    cases.push(format!("{name}{names} => {}", self.term(&arm.value)));
                }
                cases.extend(rest.iter().map(|rest| format!("_ => {}", self.term(rest))));
                format!("(match {} {{ {} }})", self.term(of), cases.join(", "))
            }
            Term::Is(a, t, c) => format!("({} is {})", self.term(a), self.types[*t].constructors[*c].name),
            Term::Field(a, t, c, f) => format!("{}.{}", self.term(a), field(self.types[*t].record, *c, *f)),
            Term::With(a, _, f, b) => format!("({} with {{ {}: {} }})", self.term(a), field(true, 0, *f), self.term(b)),
            Term::Make(t, c, fields) => self.made(*t, *c, fields.iter().map(|f| self.term(f)).collect()),
            Term::Seq(items) => {
                let items: Vec<String> = items.iter().map(|i| self.term(i)).collect();
                format!("[{}]", items.join(", "))
            }
            Term::Concat(a, b) => two(a, "++", b),
            Term::Len(a) => format!("len({})", self.term(a)),
            Term::Index(a, i) => format!("{}[{}]", self.term(a), self.term(i)),
            Term::Contains(a, b) => format!("contains({}, {})", self.term(a), self.term(b)),
            Term::Slice(a, from, to) => format!("slice({}, {}, {})", self.term(a), self.term(from), self.term(to)),
        }
    }

    fn event(&self, sigil: char, gate: &Gate, event: &Event) -> String {
        let args: Vec<String> = event.args.iter().zip(&gate.params).map(|(v, s)| self.bare(v, s)).collect();
        match args.is_empty() {
            true => format!("{sigil}{}", gate.name),
            false => format!("{sigil}{}({})", gate.name, args.join(", ")),
        }
    }

    fn bare(&self, value: &Val, sort: &Sort) -> String {
        match value {
            Val::Int(n) => n.to_string(),
            _ => self.value(value, sort),
        }
    }

    /// A line of a log as text.
    pub fn line(&self, line: &Line) -> String {
        match line {
            Line::Input(event) => self.event('?', &self.inputs[event.gate], event),
            Line::Output(event) => self.event('!', &self.outputs[event.gate], event),
            Line::Delta => "delta".into(),
            Line::Announced => "delta (announced)".into(),
            Line::Closed => "closed".into(),
            Line::Crashed => "crashed".into(),
            Line::Malformed(gate) => format!("!{}(malformed)", self.outputs[*gate].name),
        }
    }

    /// A log as text, on one line.
    pub fn lines(&self, lines: &[Line]) -> String {
        lines.iter().map(|l| self.line(l)).collect::<Vec<_>>().join("; ")
    }
}

fn variable_name(variable: usize) -> String {
    format!("v{variable}")
}
