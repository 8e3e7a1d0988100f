//! Values that are too large to compute with.
//!
//! `x := x * x` soon gives a number that nobody wants to compute. Such a value gets a symbol of its own, an *opaque*
//! one, about which nothing is known but that equal expressions have equal values. That allows more than the model
//! does, so what is impossible stays impossible, and what is possible only for some values of such a symbol is
//! *perhaps* possible: never a claim in either direction that is wrong.

use rustc_hash::FxHashMap;
use sioco_model::number::bits;
use sioco_model::term::{Op, Term};
use sioco_model::{SymbolId, TermId, Value};
use sioco_solve::{Answer, Reason};

use crate::path::Path;

/// From this size on, a value may soon be too large; smaller ones need no attention.
const LARGE: usize = 4096;

/// Whether computing with a value may soon give one that is too large.
pub(crate) fn is_large(value: &Value) -> bool {
    match value {
        Value::Bool(_) | Value::Int(_) | Value::Enum(_) => false,
        Value::BigInt(_) | Value::Real(_) => bits(value) > LARGE,
        Value::Str(s) => s.len() > LARGE,
        Value::Data(d) => d.fields.iter().any(is_large),
        Value::Seq(items) => items.len() > LARGE || items.iter().any(is_large),
    }
}

impl Path<'_> {
    /// The term with opaque symbols for what could not be computed though all of it is known.
    pub(crate) fn hide_large(&mut self, term: TermId) -> TermId {
        self.hide(term, &mut FxHashMap::default())
    }

    fn hide(&mut self, term: TermId, done: &mut FxHashMap<TermId, TermId>) -> TermId {
        let Term::App(op, args) = self.pool.get(term) else { return term };
        if let Some(&known) = done.get(&term) {
            return known;
        }
        let (op, args) = (*op, args.clone());
        let closed = args.iter().all(|a| self.pool.as_const(*a).is_some());
        let result = if closed && !matches!(op, Op::Exists { .. }) && !self.pool.is_partial(term) {
            let sort = self.pool.sort(term);
            self.names.opaque(&mut self.pool, &self.model.sorts, term, sort)
        } else {
            let new: Vec<TermId> = args.iter().map(|a| self.hide(*a, done)).collect();
            if new[..] == args[..] {
                term
            } else {
                let sort = self.pool.sort(term);
                self.pool.app(op, &new, sort)
            }
        };
        done.insert(term, result);
        result
    }

    /// Whether conditions have to do with a value that is too large, directly or by way of the path condition.
    pub(crate) fn is_opaque(&mut self, conditions: &[TermId]) -> bool {
        if !self.names.has_opaque() {
            return false;
        }
        let mut symbols: Vec<SymbolId> = Vec::new();
        for c in conditions {
            symbols.extend(self.symbols_in(*c).iter());
        }
        let more = self.relevant(&symbols, usize::MAX).unwrap_or_default();
        for c in more {
            symbols.extend(self.symbols_in(c).iter());
        }
        symbols.iter().any(|y| self.names.is_opaque(*y))
    }

    /// Whether anything on the path has to do with a value that is too large.
    pub(crate) fn is_opaque_path(&mut self) -> bool {
        if !self.names.has_opaque() {
            return false;
        }
        let mut terms: Vec<TermId> = self.conditions().iter().map(|c| c.term).collect();
        terms.extend((0..self.len()).flat_map(|i| self.args(i).to_vec()));
        terms.iter().any(|t| self.symbols_in(*t).iter().any(|y| self.names.is_opaque(*y)))
    }

    /// An answer to conditions that were asked at the end of the path: values for opaque symbols prove nothing.
    pub(crate) fn without_opaque(&mut self, answer: Answer, conditions: &[TermId]) -> Answer {
        match answer {
            Answer::Sat(_) if self.is_opaque(conditions) => Answer::Unknown(Reason::TooLarge),
            answer => answer,
        }
    }
}
