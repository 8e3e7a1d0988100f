//! Independent groups: conditions without common symbols can be solved apart.

use std::sync::Arc;

use sioco_model::term::Term;
use sioco_model::{Id, SymbolId, TermId};

use super::memory::Memory;
use crate::query::Terms;

/// Knows the symbols of conditions.
pub struct Groups {
    symbols: Memory<TermId, Arc<[SymbolId]>>,
}

/// At most this many conditions are remembered. When there are more, all are forgotten, and those that are needed are
/// made again: it only bounds the memory.
const MAX_REMEMBERED: usize = 1 << 17;

impl Default for Groups {
    fn default() -> Self {
        Groups { symbols: Memory::new(MAX_REMEMBERED) }
    }
}

impl Groups {
    /// The symbols of a condition.
    pub fn symbols(&mut self, terms: Terms<'_>, condition: TermId) -> Arc<[SymbolId]> {
        if let Some(known) = self.symbols.get(&condition) {
            return known.clone();
        }
        let mut found = Vec::new();
        terms.pool.visit(condition, &mut |_, t| {
            if let Term::Symbol(y, _) = t {
                found.push(*y);
            }
        });
        let found: Arc<[SymbolId]> = found.into();
        self.symbols.put(condition, found.clone());
        found
    }

    /// The conditions that are tied by symbols to those from `first_new` on, and these themselves; in order.
    pub fn connected(&mut self, terms: Terms<'_>, conditions: &[TermId], first_new: usize) -> Vec<TermId> {
        let mut inside = vec![false; terms.symbols.len()];
        let mut taken = vec![false; conditions.len()];
        for (i, c) in conditions.iter().enumerate().skip(first_new) {
            taken[i] = true;
            for y in self.symbols(terms, *c).iter() {
                inside[y.index()] = true;
            }
        }
        // Conditions tie symbols of neighbouring steps, so going backwards settles nearly all in one round.
        loop {
            let mut changed = false;
            for (i, c) in conditions.iter().enumerate().take(first_new).rev() {
                if !taken[i] && self.symbols(terms, *c).iter().any(|y| inside[y.index()]) {
                    taken[i] = true;
                    changed = true;
                    for y in self.symbols(terms, *c).iter() {
                        inside[y.index()] = true;
                    }
                }
            }
            if !changed {
                break;
            }
        }
        conditions.iter().zip(taken).filter(|(_, t)| *t).map(|(c, _)| *c).collect()
    }
}
