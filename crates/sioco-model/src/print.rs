//! Terms, switches and purposes in the syntax of the language, with as few brackets as it needs.
//!
//! What the checker has expanded stays expanded: a function call prints as its body. What the language cannot write
//! prints as words: a quantifier, from an `else`, as `for some k: Int in 0..3: …`; that the items of a sequence are
//! inside their range as `every item of s is in 0..2`; that a loop over a collection is defined as `… has a value`.

mod purpose;
mod quantifier;

use std::fmt::Write;

pub use purpose::{condition, event, pattern, purpose};

use crate::id::{BinderId, SwitchId, SymbolId, TermId};
use crate::model::{Direction, Label, Model};
use crate::purpose::Slot;
use crate::sort::{DataType, Sort};
use crate::term::{Op, Term, TermPool};
use crate::value::Value;

/// Terms are graphs: written as text, one of a hundred nodes can fill the memory. What is longer than this many bytes,
/// several screens, ends in `…`.
const MAX_BYTES: usize = 10_000;

/// How tightly an expression holds together; the order of the table of operators in the language.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Level {
    Open,
    Or,
    And,
    Equality,
    Comparison,
    Concat,
    Sum,
    Product,
    Unary,
    Postfix,
    Atom,
}

/// The term as an expression. Parameters have the names that the switch gives them.
pub fn term(model: &Model, switch: Option<SwitchId>, t: TermId) -> String {
    let pool = &model.terms;
    let mut printer = Printer {
        model,
        pool,
        switch,
        symbols: None,
        slots: None,
        out: String::new(),
        binders: Vec::new(),
        items: Vec::new(),
    };
    printer.term(t, Level::Open);
    printer.out
}

/// A term of another pool as an expression, with names for its symbols.
pub fn term_in(
    model: &Model,
    pool: &TermPool,
    switch: Option<SwitchId>,
    symbols: &dyn Fn(SymbolId) -> String,
    t: TermId,
) -> String {
    let symbols = Some(symbols);
    let mut printer = Printer {
        model,
        pool,
        switch,
        symbols,
        slots: None,
        out: String::new(),
        binders: Vec::new(),
        items: Vec::new(),
    };
    printer.term(t, Level::Open);
    printer.out
}

/// The label of a switch: `?inX(p)`, `!outX(x + 1)`, `!outX(any p)`, `tau any k: Int`, `send ci(x)`, `recv ci(y)`.
pub fn label(model: &Model, switch: SwitchId) -> String {
    let s = &model.switches[switch];
    let value = |p: &crate::model::SwitchParam| match p.term {
        Some(t) => term(model, Some(switch), t),
        None => format!("any {}", p.name),
    };
    let with = |head: String, args: Vec<String>| {
        if args.is_empty() { head } else { format!("{head}({})", args.join(", ")) }
    };
    let names = || s.params.iter().map(|p| p.name.clone()).collect();
    let values = || s.params.iter().map(value).collect();
    match s.label {
        Label::Gate(gate) => {
            let g = &model.gates[gate];
            let head = format!("{}{}", g.direction.sigil(), g.name);
            with(head, if g.direction == Direction::Input { names() } else { values() })
        }
        Label::Send(channel) => with(format!("send {}", model.channels[channel].name), values()),
        Label::Receive(channel) => with(format!("recv {}", model.channels[channel].name), names()),
        Label::Internal => {
            let choices: Vec<_> =
                s.params.iter().map(|p| format!(" any {}: {}", p.name, model.sorts.name(p.sort))).collect();
            format!("tau{}", choices.join(","))
        }
    }
}

/// The guard of a switch without its brackets: empty if it is `true`, and `else` if it was written so.
pub fn guard(model: &Model, switch: SwitchId) -> String {
    let s = &model.switches[switch];
    if s.is_else {
        return "else".into();
    }
    let guard = model.written_guard(switch);
    match model.terms.as_const(guard) {
        Some(Value::Bool(true)) => String::new(),
        _ => term(model, Some(switch), guard),
    }
}

/// The update of a switch: `x := x + p, n := 0`. Empty if there is none; variables that nobody wrote are left out.
pub fn update(model: &Model, switch: SwitchId) -> String {
    let assignments = model.switches[switch].update.iter().filter(|(var, _)| !model.variables[*var].hidden);
    let texts: Vec<_> = assignments
        .map(|(var, t)| format!("{} := {}", model.variables[*var].name, term(model, Some(switch), *t)))
        .collect();
    texts.join(", ")
}

/// The switch on one line, without its name and target: `?inX(p) [x > 15] / x := x + p`.
pub fn switch(model: &Model, switch: SwitchId) -> String {
    let mut line = label(model, switch);
    let (guard, update) = (guard(model, switch), update(model, switch));
    if !guard.is_empty() {
        let _ = write!(line, " [{guard}]");
    }
    if !update.is_empty() {
        let _ = write!(line, " / {update}");
    }
    line
}

struct Printer<'a> {
    model: &'a Model,
    pool: &'a TermPool,
    symbols: Option<&'a dyn Fn(SymbolId) -> String>,
    switch: Option<SwitchId>,
    /// The names of parameters in a purpose.
    slots: Option<&'a [Slot]>,
    out: String,
    binders: Vec<(BinderId, String)>,
    /// Items of sequences that have a name while the condition on them is written: the sequence and its index.
    items: Vec<(TermId, String)>,
}

impl Printer<'_> {
    /// Writes the term so that it can stand where something at least as tight as `least` is expected.
    fn term(&mut self, id: TermId, least: Level) {
        if self.out.len() > MAX_BYTES {
            if !self.out.ends_with('…') {
                self.out.push('…');
            }
            return;
        }
        if let Some((_, name)) = self.items.iter().find(|(item, _)| *item == id) {
            let name = name.clone();
            return self.out.push_str(&name);
        }
        match self.pool.get(id) {
            Term::App(Op::Checked(_) | Op::ToReal | Op::Apart, args) => self.term(args[0], least),
            Term::App(op, args) => {
                let level = self.level(*op, args);
                self.bracketed(level < least, |p| p.operation(id, *op, args));
            }
            Term::Const(value, sort) => {
                let text = self.model.sorts.show(*sort, value);
                let level = match value {
                    Value::Int(_) | Value::BigInt(_) | Value::Real(_) if text.contains('/') => Level::Product,
                    Value::Int(_) | Value::BigInt(_) | Value::Real(_) if text.starts_with('-') => Level::Unary,
                    _ => Level::Atom,
                };
                self.bracketed(level < least, |p| p.out.push_str(&text));
            }
            leaf => {
                let name = self.leaf(leaf);
                self.out.push_str(&name);
            }
        }
    }

    fn bracketed(&mut self, needed: bool, write: impl FnOnce(&mut Self)) {
        if needed {
            self.out.push('(');
        }
        write(self);
        if needed {
            self.out.push(')');
        }
    }

    fn leaf(&self, leaf: &Term) -> String {
        let switch = self.switch.and_then(|s| self.model.switches.get(s));
        match leaf {
            // It carries a parameter to an answer, which was written with the name of the parameter.
            Term::Var(var, _) if self.model.variables[*var].hidden => {
                self.model.variables[*var].name.trim_end_matches('\'').into()
            }
            Term::Var(var, _) if self.slots.is_some() => {
                let name = &self.model.variables[*var].name;
                let unique = self.model.variables.values().filter(|v| !v.hidden && v.name == *name).count() == 1;
                if unique { name.clone() } else { self.model.variable_name(*var) }
            }
            Term::Var(var, _) => match switch {
                Some(s) if s.process != self.model.variables[*var].process => self.model.variable_name(*var),
                _ => self.model.variables[*var].name.clone(),
            },
            Term::Param(n, _) if self.slots.is_some() => {
                let slot = self.slots.and_then(|slots| slots.get(*n as usize));
                slot.map_or_else(|| format!("p{n}"), |s| s.name.clone())
            }
            Term::Param(n, _) => match switch.and_then(|s| s.params.get(*n as usize)) {
                Some(p) => p.name.clone(),
                None => format!("p{n}"),
            },
            Term::ProcessParam(n, _) => {
                match switch.and_then(|s| self.model.processes[s.process].args.get(*n as usize)) {
                    Some((name, ..)) => name.clone(),
                    None => format!("a{n}"),
                }
            }
            Term::Bound(binder, _) => match self.binders.iter().rev().find(|(b, _)| b == binder) {
                Some((_, name)) => name.clone(),
                None => format!("{binder:?}"),
            },
            Term::Symbol(symbol, _) => self.symbols.map_or_else(|| format!("{symbol:?}"), |name| name(*symbol)),
            Term::Const(..) | Term::App(..) => unreachable!("only leaves without arguments come here"),
        }
    }

    fn level(&self, op: Op, args: &[TermId]) -> Level {
        match op {
            Op::Ite | Op::Exists { .. } | Op::Defined => Level::Open,
            Op::Or => Level::Or,
            // A conjunction that is one chain is a comparison.
            Op::And => match self.chain(args) {
                Some((n, _)) if n == args.len() => Level::Comparison,
                _ => Level::And,
            },
            Op::Not if self.negated_equality(args[0]).is_some() => Level::Equality,
            Op::Not if self.is_quantified(args[0]) => Level::Open,
            Op::Eq => Level::Equality,
            Op::Lt | Op::Le => Level::Comparison,
            Op::Concat => Level::Concat,
            Op::Add | Op::Sub => Level::Sum,
            Op::Mul | Op::Div | Op::Mod | Op::Quot => Level::Product,
            Op::Not | Op::Neg => Level::Unary,
            Op::Index | Op::Is(_) | Op::Field(..) | Op::Lookup | Op::Replace | Op::Put => Level::Postfix,
            Op::Span => Level::Open,
            Op::Construct(_) if self.record_update(args).is_some() => Level::Postfix,
            _ => Level::Atom,
        }
    }

    fn operation(&mut self, id: TermId, op: Op, args: &[TermId]) {
        match op {
            Op::Not => match self.negated_equality(args[0]) {
                Some([a, b]) => self.infix(" != ", &[a, b], Level::Comparison, Level::Comparison),
                None if self.is_quantified(args[0]) => self.quantified(args[0], true),
                None => self.prefix("!", args[0]),
            },
            Op::Neg => self.prefix("-", args[0]),
            Op::And => self.conjunction(args),
            Op::Or => self.infix(" || ", args, Level::And, Level::And),
            Op::Ite => {
                self.out.push_str("if ");
                self.term(args[0], Level::Open);
                self.out.push_str(" then ");
                self.term(args[1], Level::Open);
                self.out.push_str(" else ");
                self.term(args[2], Level::Open);
            }
            Op::Eq => self.infix(" == ", args, Level::Comparison, Level::Comparison),
            Op::Lt | Op::Le => self.comparison(op, args[0], args[1]),
            Op::Add => self.sum(args),
            Op::Sub => self.infix(" - ", args, Level::Sum, Level::Product),
            Op::Mul => self.infix(" * ", args, Level::Product, Level::Unary),
            Op::Div => self.infix(" div ", args, Level::Product, Level::Unary),
            Op::Mod => self.infix(" mod ", args, Level::Product, Level::Unary),
            Op::Quot => self.quotient(args),
            Op::Concat => self.infix(" ++ ", args, Level::Concat, Level::Sum),
            Op::Floor => self.call("floor(", args, ")"),
            Op::Min => self.call("min(", args, ")"),
            Op::Max => self.call("max(", args, ")"),
            Op::Abs => self.call("abs(", args, ")"),
            Op::Len | Op::Size => self.call("len(", args, ")"),
            Op::Contains | Op::Has => self.call("contains(", args, ")"),
            Op::Slice => self.call("slice(", args, ")"),
            Op::SeqLit => self.call("[", args, "]"),
            Op::Index | Op::Lookup => {
                self.term(args[0], Level::Postfix);
                self.call("[", &args[1..], "]");
            }
            Op::Construct(c) => self.construct(id, c, args),
            Op::Is(c) => {
                let name = self.data(args[0]).and_then(|d| d.constructors.get(c as usize)).map(|c| c.name.clone());
                self.term(args[0], Level::Postfix);
                let _ = write!(self.out, " is {}", name.unwrap_or_else(|| format!("#{c}")));
            }
            Op::Field(c, f) => {
                let constructor = self.data(args[0]).and_then(|d| d.constructors.get(c as usize));
                let name = constructor.and_then(|c| c.fields.get(f as usize)).map(|f| f.name.clone());
                self.term(args[0], Level::Postfix);
                let _ = write!(self.out, ".{}", name.unwrap_or_else(|| format!("#{f}")));
            }
            Op::Exists { .. } => self.quantified(id, false),
            Op::Defined => {
                self.term(args[0], Level::Concat);
                self.out.push_str(" has a value");
            }
            Op::Checked(_) | Op::ToReal | Op::Apart => self.term(args[0], Level::Atom),
            _ => self.of_collections(op, args),
        }
    }

    /// An operation on sets, maps, changed sequences or texts.
    fn of_collections(&mut self, op: Op, args: &[TermId]) {
        match op {
            Op::SetLit => self.call("{", args, "}"),
            Op::MapLit => {
                self.out.push('{');
                for (i, entry) in args.chunks_exact(2).enumerate() {
                    self.out.push_str(if i > 0 { ", " } else { "" });
                    self.infix(": ", entry, Level::Open, Level::Open);
                }
                self.out.push('}');
            }
            Op::Replace | Op::Put => {
                self.term(args[0], Level::Postfix);
                self.out.push_str(" with { [");
                self.term(args[1], Level::Open);
                self.out.push_str("]: ");
                self.term(args[2], Level::Open);
                self.out.push_str(" }");
            }
            Op::Span => self.infix("..", args, Level::Sum, Level::Sum),
            Op::Each { each, first, count } => self.each(each, first, count, args),
            Op::Beyond => {
                let name = match self.pool.as_const(args[0]) {
                    Some(Value::Str(name)) => name.to_string(),
                    _ => String::new(),
                };
                let _ = write!(self.out, "{name}(…)");
            }
            _ => {
                self.out.push_str(function(op));
                self.call("(", args, ")");
            }
        }
    }

    fn prefix(&mut self, op: &str, arg: TermId) {
        self.out.push_str(op);
        self.term(arg, Level::Unary);
    }

    fn infix(&mut self, op: &str, args: &[TermId], first: Level, others: Level) {
        for (i, arg) in args.iter().enumerate() {
            if i > 0 {
                self.out.push_str(op);
            }
            self.term(*arg, if i == 0 { first } else { others });
        }
    }

    /// The checker makes one sum of `x - y - 1`, with `-y` and `-1` in it.
    fn sum(&mut self, args: &[TermId]) {
        let Some((first, rest)) = args.split_first() else { return self.out.push('0') };
        self.term(*first, Level::Sum);
        for &arg in rest {
            match self.pool.get(arg) {
                Term::App(Op::Neg, inner) => {
                    self.out.push_str(" - ");
                    self.term(inner[0], Level::Product);
                }
                Term::Const(value, sort) => {
                    let text = self.model.sorts.show(*sort, value);
                    match text.strip_prefix('-') {
                        Some(positive) => self.out.push_str(&format!(" - {positive}")),
                        None => self.out.push_str(&format!(" + {text}")),
                    }
                }
                _ => {
                    self.out.push_str(" + ");
                    self.term(arg, Level::Product);
                }
            }
        }
    }

    fn call(&mut self, open: &str, args: &[TermId], close: &str) {
        self.out.push_str(open);
        self.infix(", ", args, Level::Open, Level::Open);
        self.out.push_str(close);
    }

    /// `15 < x` was most likely written `x > 15`, which reads better anyway.
    fn comparison(&mut self, op: Op, a: TermId, b: TermId) {
        let swap = self.is_constant(a) && !self.is_constant(b);
        let (a, b, sign) = if swap { (b, a, sign(op, true)) } else { (a, b, sign(op, false)) };
        self.infix(sign, &[a, b], Level::Concat, Level::Concat);
    }

    fn is_constant(&self, id: TermId) -> bool {
        match self.pool.get(id) {
            Term::Const(..) => true,
            Term::App(Op::ToReal | Op::Checked(_) | Op::Neg, args) => self.is_constant(args[0]),
            _ => false,
        }
    }

    fn comparison_of(&self, id: TermId) -> Option<(Op, TermId, TermId)> {
        match self.pool.get(id) {
            Term::App(op @ (Op::Lt | Op::Le), args) => Some((*op, args[0], args[1])),
            _ => None,
        }
    }

    fn negated_equality(&self, id: TermId) -> Option<[TermId; 2]> {
        match self.pool.get(id) {
            Term::App(Op::Eq, args) => Some([args[0], args[1]]),
            _ => None,
        }
    }

    /// How many of the conjuncts, from the first on, are one chain, and whether it reads downwards (`9 >= p >= 1`).
    /// A constant in the middle makes no chain: `x < 0 && 0 < y` says two things.
    fn chain(&self, args: &[TermId]) -> Option<(usize, bool)> {
        let links: Vec<_> = args.iter().map_while(|a| self.comparison_of(*a)).collect();
        let run = |down: bool| {
            let linked = |w: &[(Op, TermId, TermId)]| {
                let (middle, next) = if down { (w[0].1, w[1].2) } else { (w[0].2, w[1].1) };
                middle == next && !self.is_constant(middle)
            };
            1 + links.windows(2).take_while(|w| linked(w)).count()
        };
        if links.len() < 2 {
            return None;
        }
        let (up, down) = (run(false), run(true));
        (up.max(down) > 1).then_some(if up >= down { (up, false) } else { (down, true) })
    }

    fn conjunction(&mut self, args: &[TermId]) {
        let mut at = 0;
        while at < args.len() {
            if at > 0 {
                self.out.push_str(" && ");
            }
            let Some((count, down)) = self.chain(&args[at..]) else {
                self.term(args[at], Level::Equality);
                at += 1;
                continue;
            };
            for (i, arg) in args[at..at + count].iter().enumerate() {
                let Some((op, a, b)) = self.comparison_of(*arg) else { continue };
                let (from, to) = if down { (b, a) } else { (a, b) };
                if i == 0 {
                    self.term(from, Level::Concat);
                }
                self.out.push_str(sign(op, down));
                self.term(to, Level::Concat);
            }
            at += count;
        }
    }

    /// `/` gives a Real whatever it divides, so whole numbers lose their `.0` here.
    fn quotient(&mut self, args: &[TermId]) {
        let whole = |id: TermId| {
            let Term::Const(value @ Value::Real(_), sort) = self.pool.get(id) else { return None };
            self.model.sorts.show(*sort, value).strip_suffix(".0").map(String::from)
        };
        match (whole(args[0]), whole(args[1])) {
            (Some(a), Some(b)) => {
                let _ = write!(self.out, "{a} / {b}");
            }
            _ => self.infix(" / ", args, Level::Product, Level::Unary),
        }
    }

    fn data(&self, id: TermId) -> Option<&DataType> {
        match self.model.sorts.get(self.pool.sort(id)) {
            Sort::Data(d) => self.model.sorts.data.get(*d),
            _ => None,
        }
    }

    /// The record that the arguments of a constructor are mostly copied from: `r with { … }` says the same.
    fn record_update(&self, args: &[TermId]) -> Option<TermId> {
        let source = |(i, id): (usize, &TermId)| match self.pool.get(*id) {
            Term::App(Op::Field(0, f), from) if *f as usize == i => Some(from[0]),
            _ => None,
        };
        let mut sources = args.iter().enumerate().filter_map(source);
        let record = sources.next()?;
        let copies = 1 + sources.clone().count();
        let same = sources.all(|s| s == record) && copies < args.len();
        (same && self.data(record).is_some_and(|d| d.record && d.constructors[0].fields.len() == args.len()))
            .then_some(record)
    }

    fn construct(&mut self, id: TermId, c: u32, args: &[TermId]) {
        let Some(data) = self.data(id).cloned() else { return self.call(&format!("#{c}("), args, ")") };
        let Some(constructor) = data.constructors.get(c as usize) else {
            return self.call(&format!("#{c}("), args, ")");
        };
        if !data.record {
            self.out.push_str(&constructor.name);
            if !args.is_empty() {
                self.call("(", args, ")");
            }
            return;
        }
        let update = self.record_update(args);
        match update {
            Some(record) => {
                self.term(record, Level::Postfix);
                self.out.push_str(" with");
            }
            None => self.out.push_str(&constructor.name),
        }
        let copied = |p: &Self, i: usize, arg: TermId| {
            let Some(record) = update else { return false };
            matches!(p.pool.get(arg), Term::App(Op::Field(0, f), from) if *f as usize == i && from[0] == record)
        };
        let mut separator = " { ";
        for (i, (field, arg)) in constructor.fields.iter().zip(args).enumerate() {
            if !copied(self, i, *arg) {
                let _ = write!(self.out, "{separator}{}: ", field.name);
                self.term(*arg, Level::Open);
                separator = ", ";
            }
        }
        self.out.push_str(" }");
    }
}

/// The name of an operation that is written as a call.
fn function(op: Op) -> &'static str {
    match op {
        Op::Include => "add",
        Op::Exclude => "remove",
        Op::InsertAt => "insertAt",
        Op::RemoveAt => "removeAt",
        Op::Union => "union",
        Op::Intersection => "intersection",
        Op::Difference => "difference",
        Op::Subset => "subset",
        Op::Merge => "merge",
        Op::Keys => "keys",
        Op::Values => "values",
        Op::ToSeq => "toSeq",
        Op::ToSet => "toSet",
        Op::Text => "text",
        Op::IsNumber => "isNumber",
        Op::Number => "number",
        Op::ByteLen => "byteLen",
        Op::Matches => "matches",
        Op::Split => "split",
        Op::Join => "join",
        Op::StartsWith => "startsWith",
        Op::EndsWith => "endsWith",
        Op::Upper => "upper",
        Op::Lower => "lower",
        _ => "",
    }
}

fn sign(op: Op, down: bool) -> &'static str {
    match (op, down) {
        (Op::Lt, false) => " < ",
        (Op::Lt, true) => " > ",
        (_, false) => " <= ",
        (_, true) => " >= ",
    }
}

#[cfg(test)]
mod tests;
