//! Conditions that are tied to each other by symbols.

use rustc_hash::FxHashMap;
use sioco_model::term::{Op, Term};
use sioco_model::{SymbolId, TermId};

use crate::query::Terms;

/// What a condition is made of.
#[derive(Debug)]
pub(crate) struct Scope {
    /// Its symbols, in order.
    pub symbols: Box<[SymbolId]>,
    /// Its conjuncts: all of them are true where it is.
    pub parts: Box<[Part]>,
}

/// A conjunct.
#[derive(Debug)]
pub(crate) struct Part {
    pub term: TermId,
    /// Its symbols, in order.
    pub symbols: Box<[SymbolId]>,
    /// How much work it is to evaluate it once.
    pub cost: u64,
}

/// This many terms are as much work as evaluating a small condition.
const TERMS: u64 = 16;

impl Scope {
    pub fn of(terms: Terms<'_>, condition: TermId) -> Scope {
        let mut parts = Vec::new();
        flatten(terms, condition, &mut parts);
        let part = |term: TermId| {
            let mut size = 0;
            terms.pool.visit(term, &mut |_, _| size += 1);
            Part { term, symbols: symbols_of(terms, term), cost: 1 + size / TERMS }
        };
        let parts: Vec<Part> = parts.into_iter().map(part).collect();
        Scope { symbols: symbols_of(terms, condition), parts: parts.into() }
    }
}

fn flatten(terms: Terms<'_>, condition: TermId, out: &mut Vec<TermId>) {
    match terms.pool.get(condition) {
        Term::App(Op::And, args) => args.iter().for_each(|a| flatten(terms, *a, out)),
        _ => out.push(condition),
    }
}

pub(super) fn symbols_of(terms: Terms<'_>, term: TermId) -> Box<[SymbolId]> {
    let mut found = Vec::new();
    terms.pool.visit(term, &mut |_, t| {
        if let Term::Symbol(y, _) = t {
            found.push(*y);
        }
    });
    found.sort_unstable();
    found.dedup();
    found.into()
}

/// Conditions that share symbols, directly or over others.
#[derive(Clone, Debug, Default)]
pub(crate) struct Component {
    /// In the order given.
    pub conditions: Vec<TermId>,
    pub symbols: Vec<SymbolId>,
}

/// The components of conditions whose scopes are known, in the order of their first conditions.
pub(crate) fn components(scopes: &FxHashMap<TermId, Scope>, conditions: &[TermId]) -> Vec<Component> {
    // For each symbol a condition that has it, and for each condition one that it is tied to, itself in the end.
    let mut owner: FxHashMap<SymbolId, usize> = FxHashMap::default();
    let mut tied: Vec<usize> = (0..conditions.len()).collect();
    fn root(tied: &mut [usize], mut at: usize) -> usize {
        while tied[at] != at {
            tied[at] = tied[tied[at]];
            at = tied[at];
        }
        at
    }
    for (i, c) in conditions.iter().enumerate() {
        for y in &scopes[c].symbols {
            match owner.get(y) {
                None => {
                    owner.insert(*y, i);
                }
                Some(&other) => {
                    let (a, b) = (root(&mut tied, i), root(&mut tied, other));
                    // The first one is the root.
                    tied[a.max(b)] = a.min(b);
                }
            }
        }
    }
    let mut found: Vec<Component> = Vec::new();
    let mut at: FxHashMap<usize, usize> = FxHashMap::default();
    for (i, c) in conditions.iter().enumerate() {
        let root = root(&mut tied, i);
        let place = *at.entry(root).or_insert_with(|| {
            found.push(Component::default());
            found.len() - 1
        });
        found[place].conditions.push(*c);
        found[place].symbols.extend(scopes[c].symbols.iter().copied());
    }
    for component in &mut found {
        component.symbols.sort_unstable();
        component.symbols.dedup();
    }
    found
}
