//! Variables that are only compared for equality, of a sort with values without end.
//!
//! Such a variable either equals one of the terms that it is compared with, or differs from all of them; and a value that
//! differs from all of them always exists.

use sioco_model::sort::{Sort, Sorts};
use sioco_model::term::{MAX_DEPTH, Op, Term};
use sioco_model::{BinderId, SortId, TermId};

use super::formula::{Context, FALSE, Formula, TRUE, and, or};
use super::inside::has_value;

impl Context<'_> {
    /// The cases of a variable that is only compared for equality: one for each term that it may equal, and the one in
    /// which it equals none.
    pub fn distinct(&mut self, b: BinderId, conjuncts: &[Formula]) -> Option<Formula> {
        let (fresh, others) = self.fresh(b, conjuncts)?;
        if fresh == TRUE {
            return Some(fresh);
        }
        let size: usize = conjuncts.iter().map(Formula::size).sum();
        let deepest = conjuncts.iter().map(|c| self.depth(c)).max().unwrap_or(0);
        if others.iter().any(|t| self.pool.depth(*t) + deepest > MAX_DEPTH) {
            return None;
        }
        let mut cases = vec![fresh];
        for value in others {
            self.spend(size)?;
            let mut parts: Vec<Formula> = self.in_sort(b, value).into_iter().collect();
            parts.extend(conjuncts.iter().map(|c| self.substitute(c, b, value)));
            cases.push(and(parts));
        }
        Some(or(cases))
    }

    /// Only that last case, if it holds by itself.
    pub fn distinct_from_all(&mut self, b: BinderId, conjuncts: &[Formula]) -> Option<Formula> {
        self.fresh(b, conjuncts).map(|(fresh, _)| fresh).filter(|fresh| *fresh == TRUE)
    }

    /// The case in which a variable equals none of the terms that it is compared with, and these terms.
    fn fresh(&mut self, b: BinderId, conjuncts: &[Formula]) -> Option<(Formula, Vec<TermId>)> {
        if !is_endless(self.sorts, self.pool.binders[b]) {
            return None;
        }
        let mut others = Vec::new();
        let fresh: Option<Vec<Formula>> = conjuncts.iter().map(|c| self.where_fresh(c, b, &mut others)).collect();
        Some((and(fresh?), others))
    }

    /// What becomes of a formula if a variable differs from all terms that it is compared with, which are collected.
    /// Nothing if there is more about the variable than comparisons.
    fn where_fresh(&mut self, f: &Formula, b: BinderId, others: &mut Vec<TermId>) -> Option<Formula> {
        match f {
            _ if !self.mentions(f, b) => Some(f.clone()),
            Formula::Lit(t) => {
                let (atom, holds) = match self.pool.get(*t) {
                    Term::App(Op::Not, args) => (args[0], true),
                    _ => (*t, false),
                };
                let other = self.compared_with(atom, b)?;
                if !others.contains(&other) {
                    others.push(other);
                }
                Some(if holds { TRUE } else { FALSE })
            }
            Formula::And(parts) => {
                let parts: Option<Vec<Formula>> = parts.iter().map(|p| self.where_fresh(p, b, others)).collect();
                Some(and(parts?))
            }
            Formula::Or(parts) => {
                let parts: Option<Vec<Formula>> = parts.iter().map(|p| self.where_fresh(p, b, others)).collect();
                Some(or(parts?))
            }
            // What is compared there may depend on what is bound there.
            Formula::Exists { .. } => None,
        }
    }

    /// The other side of an equation one side of which is the variable.
    fn compared_with(&mut self, atom: TermId, b: BinderId) -> Option<TermId> {
        let Term::App(Op::Eq, sides) = self.pool.get(atom).clone() else { return None };
        let is_b = |t: TermId| matches!(self.pool.get(t), Term::Bound(found, _) if *found == b);
        let other = match (is_b(sides[0]), is_b(sides[1])) {
            (true, _) => sides[1],
            (_, true) => sides[0],
            _ => return None,
        };
        (!self.uses(other, b)).then_some(other)
    }
}

/// Whether a sort has infinitely many values.
fn is_endless(sorts: &Sorts, sort: SortId) -> bool {
    match sorts.get(sort) {
        Sort::Bool => false,
        Sort::Int { lo, hi } => lo.is_none() || hi.is_none(),
        Sort::Real { lo: Some(lo), hi: Some(hi) } => lo < hi,
        Sort::Real { .. } | Sort::String => true,
        Sort::Seq(item) => has_value(sorts, *item),
        Sort::Set(item) => is_endless(sorts, *item),
        Sort::Map(key, value) => {
            has_value(sorts, *key) && has_value(sorts, *value) && (is_endless(sorts, *key) || is_endless(sorts, *value))
        }
        Sort::Data(d) => sorts.data[*d].constructors.iter().any(|c| {
            c.fields.iter().all(|f| has_value(sorts, f.sort)) && c.fields.iter().any(|f| is_endless(sorts, f.sort))
        }),
    }
}
