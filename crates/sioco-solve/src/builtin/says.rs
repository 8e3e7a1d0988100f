//! Conjuncts that state the value of one symbol directly: `y == t`, and for reals also `y < t` and the like.
//!
//! Paths define symbols: `x3 == p1 * p1`. Constraints say little about nonlinear terms. But if such a symbol has no other
//! use, it can simply take the value of the term, or a value on the correct side of it. This module completes proposed
//! values in this way before the evaluator confirms them. It proves nothing, with one exception: a real that is compared
//! with one term that is not linear in ways that plainly contradict each other.

use sioco_model::number::{Rational, to_rational};
use sioco_model::sort::Sort;
use sioco_model::term::{Op, Term};
use sioco_model::{Id, SymbolId, TermId, Value};

use super::Builtin;
use crate::query::Terms;
use crate::quick;

/// How the symbol stands to the term.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum How {
    Equal,
    Less,
    AtMost,
    More,
    AtLeast,
}

/// What is said: the term does not contain the symbol.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Says {
    pub symbol: SymbolId,
    pub how: How,
    pub term: TermId,
}

/// A conjunct that says more than this is left to others: each thing it says is followed for itself.
const MAX_SAYS: usize = 16;

/// All that is said is followed at most this often, where following one thing breaks another: what does not settle by
/// then goes round in a circle.
const ROUNDS: usize = 4;

/// What a conjunct says directly.
pub(super) fn says(terms: Terms<'_>, conjunct: TermId) -> Box<[Says]> {
    let mut out = Vec::new();
    collect(terms, conjunct, true, &mut out);
    out.into()
}

fn collect(terms: Terms<'_>, term: TermId, positive: bool, out: &mut Vec<Says>) {
    let Term::App(op, args) = terms.pool.get(term) else { return };
    let real = |t: TermId| terms.pool.sort(t) == terms.sorts.real;
    let (left, right) = match (op, positive) {
        (Op::Not, _) => return collect(terms, args[0], !positive, out),
        (Op::And, true) | (Op::Or, false) => {
            return args.iter().take(MAX_SAYS).for_each(|a| collect(terms, *a, positive, out));
        }
        (Op::Eq, true) => (How::Equal, How::Equal),
        (Op::Lt, true) if real(args[0]) => (How::Less, How::More),
        (Op::Lt, false) if real(args[0]) => (How::AtLeast, How::AtMost),
        (Op::Le, true) if real(args[0]) => (How::AtMost, How::AtLeast),
        (Op::Le, false) if real(args[0]) => (How::More, How::Less),
        _ => return,
    };
    for (side, how, other) in [(args[0], left, args[1]), (args[1], right, args[0])] {
        let Term::Symbol(symbol, _) = terms.pool.get(side) else { continue };
        // Of two equal symbols the newer one takes the value of the other.
        let backwards = matches!(terms.pool.get(other), Term::Symbol(y, _) if how == How::Equal && y > symbol);
        if out.len() < MAX_SAYS && !backwards && !contains(terms, other, *symbol) {
            out.push(Says { symbol: *symbol, how, term: other });
        }
    }
}

fn contains(terms: Terms<'_>, term: TermId, symbol: SymbolId) -> bool {
    let mut found = false;
    terms.pool.visit(term, &mut |_, t| found |= matches!(t, Term::Symbol(y, _) if *y == symbol));
    found
}

/// An end of the values of a real: the value, whether it is excluded, and the conjunct that says it, if any.
#[derive(Clone, Debug)]
struct End {
    at: Rational,
    open: bool,
    owner: Option<u32>,
}

/// The values that are left for a real.
#[derive(Clone, Debug, Default)]
struct Ends {
    lo: Option<End>,
    hi: Option<End>,
}

impl Ends {
    /// Those of the sort of a symbol; nothing if it is no real.
    fn of(terms: Terms<'_>, symbol: SymbolId) -> Option<Ends> {
        let Sort::Real { lo, hi } = terms.sorts.get(terms.symbols[symbol].sort) else { return None };
        let end = |at: &Rational| End { at: at.clone(), open: false, owner: None };
        Some(Ends { lo: lo.as_ref().map(end), hi: hi.as_ref().map(end) })
    }

    fn add(&mut self, how: How, at: &Rational, owner: u32) {
        let open = matches!(how, How::Less | How::More);
        let end = || Some(End { at: at.clone(), open, owner: Some(owner) });
        if !matches!(how, How::Less | How::AtMost)
            && self.lo.as_ref().is_none_or(|lo| *at > lo.at || (*at == lo.at && open && !lo.open))
        {
            self.lo = end();
        }
        if !matches!(how, How::More | How::AtLeast)
            && self.hi.as_ref().is_none_or(|hi| *at < hi.at || (*at == hi.at && open && !hi.open))
        {
            self.hi = end();
        }
    }

    fn is_empty(&self) -> bool {
        match (&self.lo, &self.hi) {
            (Some(lo), Some(hi)) => lo.at > hi.at || (lo.at == hi.at && (lo.open || hi.open)),
            _ => false,
        }
    }

    fn contain(&self, r: &Rational) -> bool {
        self.lo.as_ref().is_none_or(|lo| *r > lo.at || (*r == lo.at && !lo.open))
            && self.hi.as_ref().is_none_or(|hi| *r < hi.at || (*r == hi.at && !hi.open))
    }

    /// A value inside: the end next to the value of now, one step beyond it, or half way to the other end.
    fn inside(&self, now: &Rational) -> Option<Rational> {
        let one = Rational::from(1);
        let middle = self.lo.as_ref().zip(self.hi.as_ref()).map(|(lo, hi)| (&lo.at + &hi.at) / Rational::from(2));
        let low = self.lo.as_ref().filter(|lo| *now <= lo.at).map(|lo| [lo.at.clone(), &lo.at + &one]);
        let high = self.hi.as_ref().filter(|hi| *now >= hi.at).map(|hi| [hi.at.clone(), &hi.at - &one]);
        low.into_iter().chain(high).flatten().chain(middle).find(|r| self.contain(r))
    }
}

/// What is known for giving symbols the values that conjuncts say.
#[derive(Default)]
pub(super) struct Completion {
    /// The conjuncts that say something of one symbol directly, and how many of them the constraints do not say all of.
    speaking: Vec<u32>,
    inexact: usize,
    /// Per symbol: the completion that changed it last; and which was the last one.
    changed: Vec<u64>,
    turn: u64,
}

impl Builtin {
    /// Notes what a new conjunct says; bounds of a real may contradict each other.
    pub(super) fn hear(&mut self, terms: Terms<'_>, owner: u32) {
        let normal = std::sync::Arc::clone(&self.conjuncts[owner as usize].normal);
        if normal.says.is_empty() {
            return;
        }
        self.completion.speaking.push(owner);
        self.completion.inexact += usize::from(!normal.exact);
        for said in &normal.says {
            // What constraints say all of, they also refute.
            if !self.contradiction && !normal.exact {
                self.find_clash(terms, said);
            }
        }
    }

    /// Whether the bounds of a real by constants, or by one term, leave no value.
    fn find_clash(&mut self, terms: Terms<'_>, new: &Says) {
        let Some(mut ends) = Ends::of(terms, new.symbol) else { return };
        let constant = terms.pool.as_const(new.term).is_some();
        if !constant {
            // Only how the two compare counts.
            ends = Ends::default();
        }
        for owner in &self.uses[new.symbol.index()] {
            for said in self.conjuncts[*owner as usize].normal.says.iter().filter(|s| s.symbol == new.symbol) {
                let at = match terms.pool.as_const(said.term) {
                    Some(value) if constant => to_rational(value),
                    _ if said.term == new.term => Some(Rational::ZERO),
                    _ => None,
                };
                if let Some(at) = at {
                    ends.add(said.how, &at, *owner);
                }
            }
        }
        self.store.work += 1;
        if ends.is_empty() {
            self.core.clear();
            let owners = [ends.lo, ends.hi].into_iter().flatten().filter_map(|end| end.owner);
            owners.for_each(|o| self.core.add(o));
            self.contradict();
        }
    }

    /// Forgets what conjuncts from this one on say.
    pub(super) fn unhear(&mut self, conjuncts: usize) {
        while let Some(last) = self.completion.speaking.pop_if(|c| *c as usize >= conjuncts) {
            self.completion.inexact -= usize::from(!self.conjuncts[last as usize].normal.exact);
        }
    }

    /// Whether a conjunct that is not known to be satisfied says something that the constraints do not.
    pub(super) fn may_complete(&self) -> bool {
        let new = self.completion.speaking.iter().rev().take_while(|c| **c as usize >= self.confirmed);
        self.completion.inexact > 0 && new.into_iter().any(|c| !self.conjuncts[*c as usize].normal.exact)
    }

    /// Gives symbols the values that the conjuncts say, in the order of the stack, where these are new or about symbols
    /// that have changed; adds the conjuncts to look at again. Whether anything changed.
    pub(super) fn complete(&mut self, terms: Terms<'_>, changed: &[SymbolId], dirty: &mut Vec<u32>) -> bool {
        if self.completion.inexact == 0 {
            return false;
        }
        self.completion.turn += 1;
        self.completion.changed.resize(self.values.len(), 0);
        for y in changed {
            self.completion.changed[y.index()] = self.completion.turn;
        }
        let undo = self.value_log.len();
        let mut pinned: Vec<SymbolId> = Vec::new();
        for _ in 0..ROUNDS {
            let before = pinned.len();
            for i in 0..self.completion.speaking.len() {
                let c = self.completion.speaking[i] as usize;
                let normal = std::sync::Arc::clone(&self.conjuncts[c].normal);
                // What constraints say all of, the numbers follow already, unless something was changed here.
                let new = c >= self.confirmed && !normal.exact;
                if new || normal.symbols.iter().any(|y| self.completion.changed[y.index()] == self.completion.turn) {
                    self.follow(terms, &normal.says, &mut pinned);
                }
            }
            // Only where a symbol left bounds that others set, those have to follow.
            if pinned.len() == before {
                break;
            }
        }
        for (i, _) in &self.value_log[undo..] {
            dirty.extend(self.uses[*i as usize].iter().filter(|c| (**c as usize) < self.confirmed));
        }
        self.value_log.len() > undo
    }

    /// Does what one conjunct says.
    fn follow(&mut self, terms: Terms<'_>, says: &[Says], pinned: &mut Vec<SymbolId>) {
        for force in [false, true] {
            for said in says.iter().filter(|s| !force || s.how != How::Equal) {
                let may = said.how == How::Equal || !pinned.contains(&said.symbol);
                if !may || (force && self.is_defined(terms, said.symbol)) {
                    continue;
                }
                if let Some(value) = self.wanted(terms, said, force)
                    && self.give(terms, said.symbol, value)
                    && force
                {
                    pinned.push(said.symbol);
                }
            }
        }
    }

    /// Whether a conjunct says what a symbol is.
    fn is_defined(&self, terms: Terms<'_>, symbol: SymbolId) -> bool {
        let says = self.uses[symbol.index()].iter().flat_map(|c| &self.conjuncts[*c as usize].normal.says);
        says.into_iter().any(|s| s.symbol == symbol && s.how == How::Equal && terms.pool.as_const(s.term).is_none())
    }

    /// Gives a symbol another value of its sort.
    fn give(&mut self, terms: Terms<'_>, symbol: SymbolId, value: Value) -> bool {
        let i = symbol.index();
        if value == self.values[i] || !terms.sorts.contains(terms.symbols[symbol].sort, &value) {
            return false;
        }
        if let Some(place) = self.normaliser.places.known(symbol) {
            let numbers = &mut self.numbers;
            self.normaliser.places.write(place, &value, &mut |var, n| numbers.put(var, n));
        }
        let old = std::mem::replace(&mut self.values[i], value);
        self.value_log.push((i as u32, old));
        self.completion.changed[i] = self.completion.turn;
        true
    }

    /// The value that the symbol should have by what is said; nothing if it may stay. With `force` only bounds that are
    /// constants are kept besides.
    fn wanted(&mut self, terms: Terms<'_>, said: &Says, force: bool) -> Option<Value> {
        self.store.work += 1;
        let value = quick::value(terms.pool, terms.sorts, said.term, &self.values).ok()?;
        if said.how == How::Equal {
            return Some(value);
        }
        let (now, at) = (to_rational(&self.values[said.symbol.index()])?, to_rational(&value)?);
        let holds = match said.how {
            How::Equal => now == at,
            How::Less => now < at,
            How::AtMost => now <= at,
            How::More => now > at,
            How::AtLeast => now >= at,
        };
        if holds {
            return None;
        }
        let mut ends = Ends::of(terms, said.symbol)?;
        ends.add(said.how, &at, 0);
        for owner in &self.uses[said.symbol.index()] {
            for other in self.conjuncts[*owner as usize].normal.says.iter().filter(|s| s.symbol == said.symbol) {
                if force && terms.pool.as_const(other.term).is_none() {
                    continue;
                }
                self.store.work += 1;
                let value = quick::value(terms.pool, terms.sorts, other.term, &self.values).ok();
                if let Some(at) = value.as_ref().and_then(to_rational) {
                    ends.add(other.how, &at, *owner);
                }
            }
        }
        ends.inside(&now).map(Value::real)
    }
}
