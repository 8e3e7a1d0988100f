//! Values of the symbols, confirmed by the reference evaluator.

use sioco_model::{Id, SymbolId, TermId};

use super::Builtin;
use super::linear::Var;
use super::text;
use crate::query::Terms;
use crate::quick;

/// This many characters or items are as much work as a step: about as long as one takes.
const CHARACTERS: u64 = 16;

/// What came of looking at the values.
pub(crate) enum Verdict {
    /// They satisfy all conjuncts.
    Confirmed,
    /// They do not.
    Refuted,
}

impl Builtin {
    /// Gives new symbols a value of their sort, and new variables the numbers that stand for the values.
    pub(super) fn grow(&mut self, terms: Terms<'_>) {
        for symbol in &terms.symbols.as_slice()[self.values.len()..] {
            let value = terms.sorts.default_value(symbol.sort);
            self.uninhabited |= !terms.sorts.contains(symbol.sort, &value);
            self.values.push(value);
            self.uses.push(Vec::new());
        }
        let places = &mut self.normaliser.places;
        self.store.grow(&places.bounds, &places.reals);
        if self.numbers.numbers.len() == places.bounds.len() && self.known_places == places.places.len() {
            return;
        }
        self.numbers.grow(&places.bounds, &places.reals);
        for p in self.known_places..places.places.len() {
            let symbol = places.places[p].symbol;
            if let Some(root) = places.known(symbol) {
                let numbers = &mut self.numbers;
                places.write(root, &self.values[symbol.index()], &mut |v: Var, n| numbers.begin_with(v, n));
            }
        }
        self.known_places = places.places.len();
    }

    /// Whether a conjunct is true for the values.
    fn is_true(&mut self, terms: Terms<'_>, conjunct: TermId) -> bool {
        let most = self.combinations;
        let (truth, work) = quick::truth_with_work(terms.pool, terms.sorts, conjunct, &self.values, most);
        self.store.work += work;
        truth == Ok(true)
    }

    /// Whether the values satisfy the conjuncts that were not looked at yet.
    pub(super) fn still_holds(&mut self, terms: Terms<'_>) -> bool {
        while self.confirmed < self.conjuncts.len() {
            if !self.is_true(terms, self.conjuncts[self.confirmed].term) {
                return false;
            }
            self.confirmed += 1;
        }
        true
    }

    /// Takes the numbers that changed since `log` over into the values, completes them, and looks at every conjunct that
    /// has to do with them. If one is not true, the values are as before.
    pub(super) fn confirm(&mut self, terms: Terms<'_>, log: usize) -> Verdict {
        let undo = self.value_log.len();
        let places = &self.normaliser.places;
        let mut dirty: Vec<u32> = (self.confirmed as u32..self.conjuncts.len() as u32).collect();
        let mut seen: Vec<SymbolId> = Vec::new();
        let mut changed: Vec<SymbolId> = Vec::new();
        for (var, _) in &self.numbers.log[log..] {
            let Some(symbol) = places.symbol_of[*var as usize] else { continue };
            if seen.contains(&symbol) {
                continue;
            }
            seen.push(symbol);
            let Some(root) = places.known(symbol) else { continue };
            let i = symbol.index();
            let settled = |v: Var| self.store.is_fixed(v);
            let new = places.guess(terms.sorts, root, &self.numbers, &self.values[i], &settled);
            // Long values take long to make, and to look at.
            self.store.work += text::length(&new).map_or(0, i64::unsigned_abs) / CHARACTERS;
            if new == self.values[i] {
                continue;
            }
            let typed = terms.sorts.contains(terms.symbols[symbol].sort, &new);
            let old = std::mem::replace(&mut self.values[i], new);
            self.value_log.push((i as u32, old));
            changed.push(symbol);
            for c in &self.uses[i] {
                if (*c as usize) < self.confirmed {
                    dirty.push(*c);
                }
            }
            if !typed {
                self.undo_values(undo);
                return Verdict::Refuted;
            }
        }
        // The numbers are right, unless values come from elsewhere.
        self.numbers_satisfy = !self.complete(terms, &changed, &mut dirty);
        dirty.sort_unstable();
        dirty.dedup();
        // The newest first: it is the likeliest to fail.
        if dirty.iter().rev().all(|c| self.is_true(terms, self.conjuncts[*c as usize].term)) {
            self.confirmed = self.conjuncts.len();
            Verdict::Confirmed
        } else {
            self.undo_values(undo);
            Verdict::Refuted
        }
    }

    pub(super) fn undo_values(&mut self, length: usize) {
        for (i, old) in self.value_log.drain(length..).rev() {
            self.values[i as usize] = old;
        }
    }
}
