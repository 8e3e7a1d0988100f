//! Values that are too large to compute with.
//!
//! `x := x * x` soon gives a number that is too large to compute. Such a value gets an *opaque* symbol of its own, about
//! which nothing is known. Every value computed from an opaque value is opaque, too. A condition on an opaque value is
//! neither asked nor remembered: the step is *perhaps* possible. This allows more than the model does. So a step that is
//! found impossible is impossible, and a step that is perhaps possible is never reported as possible.

use rustc_hash::FxHashMap;
use sioco_model::number::bits;
use sioco_model::term::{Op, Term};
use sioco_model::{TermId, Value};

use crate::path::Path;

/// From this size on, a value may soon be too large; smaller ones need no attention: they can be doubled eight times
/// before they reach the [limit](sioco_model::value::MAX_SIZE).
const LARGE: usize = 4096;

/// Whether computing with a value may soon give one that is too large.
pub(crate) fn is_large(value: &Value) -> bool {
    match value {
        Value::Bool(_) | Value::Int(_) | Value::Enum(_) => false,
        Value::BigInt(_) | Value::Real(_) => bits(value) > LARGE,
        Value::Str(s) => s.len() > LARGE,
        Value::Data(d) => d.fields.iter().any(is_large),
        Value::Seq(items) | Value::Set(items) => items.len() > LARGE || items.iter().any(is_large),
        Value::Map(entries) => {
            entries.len() > LARGE || entries.iter().any(|(key, value)| is_large(key) || is_large(value))
        }
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
            self.opaque(term)
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

    /// A symbol for the value of a term about which nothing more is to be known.
    pub(crate) fn opaque(&mut self, term: TermId) -> TermId {
        let sort = self.pool.sort(term);
        self.names.opaque(&mut self.pool, &self.model.sorts, term, sort)
    }

    /// Whether one of the terms has to do with a value that is too large. Such terms never get onto the path, so a
    /// solver never has to do with them.
    pub(crate) fn is_opaque(&mut self, terms: &[TermId]) -> bool {
        self.names.has_opaque() && terms.iter().any(|t| self.symbols_in(*t).iter().any(|y| self.names.is_opaque(*y)))
    }
}
