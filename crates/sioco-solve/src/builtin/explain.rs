//! Which conjuncts took part in a contradiction.
//!
//! Every entry of the trail names the constraint that made it. The analysis walks back along the trail from the
//! contradiction. If it needs an entry, it also needs the bounds that the constraint of this entry used. The collected
//! conjuncts always clash, but they need not be a minimal set.

use super::constraint::{Compare, Constraint};
use super::linear::{Relation, Var};
use super::store::{Conflict, DECISION, NO_OWNER, Side, Store};

/// A set of conjuncts, and scratch space.
#[derive(Default)]
pub(crate) struct Core {
    /// The conjuncts found so far.
    pub owners: Vec<u32>,
    in_core: Vec<bool>,
    needed: Vec<bool>,
    /// The bounds that were marked as needed, to clear the marks: there may be far more variables.
    marked: Vec<u32>,
}

impl Core {
    pub fn clear(&mut self) {
        for o in self.owners.drain(..) {
            self.in_core[o as usize] = false;
        }
    }

    /// Adds a conjunct.
    pub fn add(&mut self, owner: u32) {
        if owner == NO_OWNER {
            return;
        }
        let i = owner as usize;
        if self.in_core.len() <= i {
            self.in_core.resize(i + 1, false);
        }
        if !self.in_core[i] {
            self.in_core[i] = true;
            self.owners.push(owner);
        }
    }

    /// Adds the conjuncts that a conflict rests on.
    pub fn explain(&mut self, store: &Store, conflict: Conflict) {
        self.needed.resize(store.lo.len() * 2, false);
        if let Some((var, side)) = conflict.bound {
            self.need(var, side);
        }
        if conflict.constraint != DECISION {
            self.constraint(store, conflict.constraint, None);
        }
        self.walk(store);
    }

    /// Adds the conjuncts that a constraint being in force rests on.
    pub fn explain_constraint(&mut self, store: &Store, id: u32) {
        let active = &store.active[id as usize];
        self.add(active.owner);
        if active.by != DECISION {
            self.explain(store, Conflict { constraint: active.by, bound: None });
        }
    }

    /// Adds the conjuncts that these bounds rest on.
    pub fn explain_sides(&mut self, store: &Store, sides: impl Iterator<Item = (Var, Side)>) {
        self.needed.resize(store.lo.len() * 2, false);
        sides.for_each(|(v, side)| self.need(v, side));
        self.walk(store);
    }

    /// Adds the conjuncts that the bounds of these variables rest on.
    pub fn explain_bounds(&mut self, store: &Store, vars: impl Iterator<Item = Var>) {
        self.needed.resize(store.lo.len() * 2, false);
        for v in vars {
            self.need(v, Side::Lo);
            self.need(v, Side::Hi);
        }
        self.walk(store);
    }

    fn need(&mut self, var: Var, side: Side) {
        let i = var * 2 + u32::from(side == Side::Hi);
        self.needed[i as usize] = true;
        self.marked.push(i);
    }

    fn walk(&mut self, store: &Store) {
        for t in store.trail.iter().rev() {
            let i = t.var as usize * 2 + usize::from(t.side == Side::Hi);
            if self.needed[i] {
                // A later bound implies the earlier ones of its side: they are not needed any more.
                self.needed[i] = false;
                if t.reason != DECISION {
                    self.constraint(store, t.reason, Some((t.var, t.side)));
                }
            }
        }
        for i in self.marked.drain(..) {
            self.needed[i as usize] = false;
        }
    }

    /// What a constraint used: to tighten the given bound, or to find a contradiction.
    fn constraint(&mut self, store: &Store, id: u32, tightened: Option<(Var, Side)>) {
        let active = &store.active[id as usize];
        self.add(active.owner);
        let tied = match &*active.constraint {
            Constraint::Linear { relation, .. } => *relation != Relation::Ne,
            Constraint::Real { .. } => true,
            Constraint::Any { .. } => false,
        };
        match (&*active.constraint, tightened) {
            (Constraint::Linear { terms, .. } | Constraint::Real { terms, .. }, Some((var, side))) if tied => {
                // The half of the relation that it came from: `sum <= k` lowers variables with positive coefficients.
                let positive = terms.iter().any(|(v, c)| *v == var && *c > 0);
                let at_most = positive == (side == Side::Hi);
                for (v, c) in terms.iter().filter(|t| t.0 != var) {
                    self.need(*v, if (*c > 0) == at_most { Side::Lo } else { Side::Hi });
                }
            }
            (
                Constraint::Linear { relation: Relation::Le, terms, .. }
                | Constraint::Real { compare: Compare::Le | Compare::Lt, terms, .. },
                _,
            ) => {
                for (v, c) in terms {
                    self.need(*v, if *c > 0 { Side::Lo } else { Side::Hi });
                }
            }
            (constraint, _) => constraint.vars(&mut |v| {
                self.need(v, Side::Lo);
                self.need(v, Side::Hi);
            }),
        }
        if active.by != DECISION {
            self.constraint(store, active.by, None);
        }
    }
}
