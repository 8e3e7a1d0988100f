//! The scope of a search: the new conjuncts, and all conjuncts that share symbols with them, directly or indirectly.
//!
//! The current values satisfy all conjuncts outside the scope. The search does not decide their symbols: they have
//! nothing to do with the question. If the scope has no solution, all conjuncts together have none. If it has one, the
//! other values stay as they are.

use sioco_model::{Id, SymbolId, Value};

use super::Builtin;
use super::linear::Var;
use super::store::NO_OWNER;

/// See the [module](self).
pub(super) struct Scope {
    /// Per conjunct: whether it is inside.
    pub conjuncts: Vec<bool>,
    /// The symbols of the conjuncts inside.
    pub symbols: Vec<SymbolId>,
    /// The variables to decide, in order, and whether a new conjunct has them.
    pub vars: Vec<(Var, bool)>,
    /// The conjuncts that the only values left do not refute here, and so nowhere below; in the order found out.
    known: Vec<u32>,
    is_known: Vec<bool>,
    /// Values to evaluate conjuncts with.
    values: Vec<Value>,
}

impl Scope {
    /// Whether constraints of a conjunct are inside. Definitions of helpers belong to all.
    pub fn owns(&self, owner: u32) -> bool {
        owner == NO_OWNER || self.conjuncts[owner as usize]
    }

    /// How many conjuncts need not be evaluated again.
    pub fn known(&self) -> usize {
        self.known.len()
    }

    pub fn is_known(&self, conjunct: usize) -> bool {
        self.is_known[conjunct]
    }

    /// A conjunct need not be evaluated again below this node.
    pub fn know(&mut self, conjunct: usize) {
        self.is_known[conjunct] = true;
        self.known.push(conjunct as u32);
    }

    /// Goes back to a node where so many were known.
    pub fn forget(&mut self, known: usize) {
        for c in self.known.drain(known..) {
            self.is_known[c as usize] = false;
        }
    }

    /// Room for values, with those of now to begin with.
    pub fn values(&mut self, now: &[Value]) -> &mut [Value] {
        if self.values.len() < now.len() {
            self.values = now.to_vec();
        }
        &mut self.values
    }
}

impl Builtin {
    /// What a search with these conjuncts is about.
    pub(super) fn scope(&self) -> Scope {
        let mut conjuncts = vec![false; self.conjuncts.len()];
        conjuncts[self.confirmed..].fill(true);
        let mut seen = vec![false; self.uses.len()];
        let mut symbols: Vec<SymbolId> = Vec::new();
        let add = |c: usize, seen: &mut [bool], symbols: &mut Vec<SymbolId>| {
            for y in &self.conjuncts[c].normal.symbols {
                if !std::mem::replace(&mut seen[y.index()], true) {
                    symbols.push(*y);
                }
            }
        };
        for c in self.confirmed..self.conjuncts.len() {
            add(c, &mut seen, &mut symbols);
        }
        let new = symbols.len();
        let mut next = 0;
        while let Some(y) = symbols.get(next).copied() {
            next += 1;
            for c in &self.uses[y.index()] {
                if !std::mem::replace(&mut conjuncts[*c as usize], true) {
                    add(*c as usize, &mut seen, &mut symbols);
                }
            }
        }
        let places = &self.normaliser.places;
        let mut vars: Vec<(Var, bool)> = Vec::new();
        for (i, place) in symbols.iter().enumerate().filter_map(|(i, y)| Some((i, places.known(*y)?))) {
            places.vars(place, &mut |v| vars.push((v, i < new)));
        }
        // Constraints add helpers, and places that only they speak of. Whatever a search puts in force besides has no
        // other variables.
        let inside = |v: Var| places.symbol_of[v as usize].is_none_or(|y| seen[y.index()]);
        for active in &self.store.active {
            let owned = active.owner != NO_OWNER && conjuncts[active.owner as usize];
            let mut all = true;
            active.constraint.vars(&mut |v| all &= inside(v));
            if owned || (active.owner == NO_OWNER && all) {
                active.constraint.vars(&mut |v| {
                    let new = owned && active.owner as usize >= self.confirmed;
                    vars.push((v, new));
                });
            }
        }
        // The true one of a variable that is there twice comes first.
        vars.sort_unstable_by_key(|(v, new)| (*v, !*new));
        vars.dedup_by_key(|(v, _)| *v);
        let is_known = vec![false; self.conjuncts.len()];
        Scope { conjuncts, symbols, vars, known: Vec::new(), is_known, values: Vec::new() }
    }
}
