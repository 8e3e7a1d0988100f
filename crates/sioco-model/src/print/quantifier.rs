//! Quantifiers, which the language does not have, in words; operations over collections, as it writes them.

use std::fmt::Write;

use super::{Level, Printer};
use crate::id::{BinderId, Id, TermId};
use crate::sort::Sort;
use crate::term::{Each, Op, Term};
use crate::value::Value;

/// The condition that some item of a sequence is outside of its range, taken apart.
struct Items {
    sequence: TermId,
    /// The item: the sequence at the bound position.
    item: TermId,
    /// What holds of every item that is inside.
    inside: TermId,
}

impl Printer<'_> {
    /// Whether the term is a quantifier.
    pub(super) fn is_quantified(&self, id: TermId) -> bool {
        matches!(self.pool.get(id), Term::App(Op::Exists { .. }, _))
    }

    /// `for some k: Int in 0..3: …`, or `for no k: …`; about items of a sequence, `every item of s is in 0..2`.
    pub(super) fn quantified(&mut self, id: TermId, negated: bool) {
        let Term::App(Op::Exists { first, count }, args) = self.pool.get(id) else { return };
        let (first, count, body) = (*first, *count, args[0]);
        if let Some(guards) = self.numbered(first, count, body) {
            return self.some_of(&guards, negated);
        }
        match self.items(first, count, body) {
            Some(items) => self.every_item(&items, negated),
            None => self.for_some(first, count, body, negated),
        }
    }

    /// `(a || b)`, `!(a || b)`: what `else` asks of guards that may be undefined.
    fn some_of(&mut self, guards: &[TermId], negated: bool) {
        self.out.push_str(if negated { "!(" } else { "(" });
        for (i, guard) in guards.iter().enumerate() {
            if i > 0 {
                self.out.push_str(" || ");
            }
            self.term(*guard, Level::Or);
        }
        self.out.push(')');
    }

    /// `if k == 0 then a else if k == 1 then b else c`, where `k` is not in `a`, `b` and `c`.
    fn numbered(&self, first: BinderId, count: u32, body: TermId) -> Option<Vec<TermId>> {
        let is_number = |t: TermId| matches!(self.pool.get(t), Term::Bound(b, _) if *b == first);
        let (mut guards, mut rest) = (Vec::new(), body);
        while let Term::App(Op::Ite, parts) = self.pool.get(rest) {
            let Term::App(Op::Eq, sides) = self.pool.get(parts[0]) else { break };
            if !is_number(sides[0]) || self.pool.as_const(sides[1]) != Some(&Value::Int(guards.len() as i64)) {
                break;
            }
            guards.push(parts[1]);
            rest = parts[2];
        }
        guards.push(rest);
        let mut inside = false;
        for guard in &guards {
            self.pool.visit(*guard, &mut |id, _| inside |= is_number(id));
        }
        (count == 1 && guards.len() > 1 && !inside).then_some(guards)
    }

    fn for_some(&mut self, first: BinderId, count: u32, body: TermId, negated: bool) {
        let before = self.binders.len();
        self.out.push_str(if negated { "for no" } else { "for some" });
        for i in 0..count as usize {
            let binder = BinderId::from_index(first.index() + i);
            let name = self.fresh();
            let sort = self.pool.binders.get(binder).map(|s| self.model.sorts.name(*s)).unwrap_or_default();
            let _ = write!(self.out, "{} {name}: {sort}", if i > 0 { "," } else { "" });
            self.binders.push((binder, name));
        }
        self.out.push_str(": ");
        self.term(body, Level::Open);
        self.binders.truncate(before);
    }

    fn every_item(&mut self, items: &Items, negated: bool) {
        if let Some((lo, hi)) = self.range(items) {
            self.out.push_str(if negated { "every item of " } else { "some item of " });
            self.term(items.sequence, Level::Concat);
            let range = format!("{}..{}", lo.unwrap_or_default(), hi.unwrap_or_default());
            let _ = write!(self.out, " is {}in {range}", if negated { "" } else { "not " });
            return;
        }
        let name = self.fresh();
        let _ = write!(self.out, "for {} item {name} of ", if negated { "every" } else { "some" });
        self.term(items.sequence, Level::Concat);
        self.out.push_str(if negated { ": " } else { ", not: " });
        // It is a name like that of a bound variable, so that those inside get others.
        self.items.push((items.item, name));
        self.term(items.inside, Level::Open);
        self.items.pop();
    }

    /// `0 <= k && k < len(s) && !inside(s[k])`.
    fn items(&self, first: BinderId, count: u32, body: TermId) -> Option<Items> {
        let Term::App(Op::And, parts) = self.pool.get(body) else { return None };
        let ([low, high, outside], 1) = (&parts[..], count) else { return None };
        let is_index = |t: TermId| matches!(self.pool.get(t), Term::Bound(b, _) if *b == first);
        let (Op::Le, zero, k) = self.comparison_of(*low)? else { return None };
        let (Op::Lt, index, length) = self.comparison_of(*high)? else { return None };
        let Term::App(Op::Len, sequence) = self.pool.get(length) else { return None };
        let Term::App(Op::Not, inside) = self.pool.get(*outside) else { return None };
        if self.pool.as_const(zero) != Some(&Value::Int(0)) || !is_index(k) || !is_index(index) {
            return None;
        }
        let (sequence, inside) = (sequence[0], inside[0]);
        // The position must not occur but as that of the item.
        let mut item = None;
        let mut others = 0;
        self.pool.visit(inside, &mut |id, t| match t {
            Term::App(Op::Index, args) if args[0] == sequence && is_index(args[1]) => item = Some(id),
            Term::App(_, args) => others += args.iter().filter(|a| is_index(**a)).count(),
            _ => {}
        });
        (others == 0).then_some(Items { sequence, item: item?, inside })
    }

    /// The bounds of the items, where these are numbers and their range is all that is asked for.
    fn range(&self, items: &Items) -> Option<(Option<String>, Option<String>)> {
        let parts: &[TermId] = match self.pool.get(items.inside) {
            Term::App(Op::And, parts) => parts,
            _ => &[items.inside],
        };
        let (mut lo, mut hi) = (None, None);
        for part in parts {
            let (Op::Le, a, b) = self.comparison_of(*part)? else { return None };
            let (bound, place) = if b == items.item { (a, &mut lo) } else { (b, &mut hi) };
            let Term::Const(value, sort) = self.pool.get(bound) else { return None };
            if (a != items.item && b != items.item) || place.is_some() {
                return None;
            }
            *place = Some(self.model.sorts.show(*sort, value));
        }
        Some((lo, hi))
    }

    /// `sum(x in c: e)`, `fold(x in c, acc = start: e)`.
    pub(super) fn each(&mut self, each: Each, first: BinderId, count: u32, args: &[TermId]) {
        let name = match each {
            Each::Any => "exists",
            Each::All => "all",
            Each::Count => "count",
            Each::Sum => "sum",
            Each::Filter => "filter",
            Each::Map => "map",
            Each::FirstIndex => "firstIndex",
            Each::Least => "least",
            Each::Greatest => "greatest",
            Each::Fold => "fold",
        };
        let map = matches!(self.model.sorts.get(self.pool.sort(args[0])), Sort::Map(..));
        let names = count - u32::from(each == Each::Fold);
        let words: &[&str] = match (map, names) {
            (true, _) => &["k", "v"],
            (false, 1) => &["x"],
            (false, _) => &["i", "x"],
        };
        let before = self.binders.len();
        let mut bound: Vec<(BinderId, String)> = Vec::new();
        for (i, word) in words.iter().copied().chain(["acc"]).enumerate() {
            let at = if word == "acc" { names as usize } else { i };
            if at >= count as usize || (word != "acc" && i >= names as usize) {
                continue;
            }
            let name = self.fresh_like(word);
            let binder = BinderId::from_index(first.index() + at);
            // So that the next one has another name.
            self.binders.push((binder, name.clone()));
            bound.push((binder, name));
        }
        // Outside of the last argument, the names are not there.
        self.binders.truncate(before);
        let written: Vec<&str> = bound.iter().take(names as usize).map(|(_, n)| n.as_str()).collect();
        let _ = write!(self.out, "{name}({} in ", written.join(", "));
        self.term(args[0], Level::Open);
        if each == Each::Fold {
            let acc = bound.last().map_or("", |(_, n)| n.as_str());
            let _ = write!(self.out, ", {acc} = ");
            self.term(args[1], Level::Open);
        }
        self.out.push_str(": ");
        self.binders.extend(bound);
        self.term(args[args.len() - 1], Level::Open);
        self.binders.truncate(before);
        self.out.push(')');
    }

    /// A name that neither a variable, nor a parameter of the switch, nor an enclosing quantifier has.
    pub(super) fn fresh(&self) -> String {
        self.fresh_like("k")
    }

    fn fresh_like(&self, word: &str) -> String {
        let params = self.switch.map_or(&[][..], |s| &self.model.switches[s].params);
        let taken = |name: &str| {
            self.model.variables.values().any(|v| v.name == name)
                || params.iter().any(|p| p.name == name)
                || self.binders.iter().any(|(_, n)| n == name)
                || self.items.iter().any(|(_, n)| n == name)
        };
        let names = std::iter::once(word.to_string()).chain((2..).map(|n| format!("{word}{n}")));
        names.into_iter().find(|n| !taken(n)).expect("there are more names than a model has")
    }
}
