//! A solver that does not know some answers, by plan.

use sioco_model::term::{Op, Term};
use sioco_model::{Id, SymbolId, TermId};
use sioco_solve::values::Bounds;
use sioco_solve::{Answer, Limits, Reason, Solver, Terms};

/// Answers `unknown` as long as a condition of a certain kind is on its stack.
pub struct Scripted<R> {
    inner: Box<dyn Bounds>,
    refuses: R,
    reason: Reason,
    /// How many conditions of that kind each level has.
    levels: Vec<usize>,
}

impl<R: FnMut(Terms<'_>, TermId) -> bool + Send> Scripted<R> {
    pub fn new(inner: Box<dyn Bounds>, reason: Reason, refuses: R) -> Self {
        Scripted { inner, refuses, reason, levels: vec![0] }
    }

    fn refused(&self) -> bool {
        self.levels.iter().any(|n| *n > 0)
    }
}

impl<R: FnMut(Terms<'_>, TermId) -> bool + Send> Solver for Scripted<R> {
    fn name(&self) -> String {
        "scripted".into()
    }

    fn push(&mut self) {
        self.levels.push(0);
        self.inner.push();
    }

    fn pop(&mut self) {
        self.levels.pop();
        self.inner.pop();
    }

    fn assert(&mut self, terms: Terms<'_>, conjunct: TermId) {
        match (self.refuses)(terms, conjunct) {
            true => *self.levels.last_mut().expect("a level") += 1,
            false => self.inner.assert(terms, conjunct),
        }
    }

    fn check(&mut self, terms: Terms<'_>, limits: &Limits, want_witness: bool) -> Answer {
        match self.refused() {
            true => Answer::Unknown(self.reason.clone()),
            false => self.inner.check(terms, limits, want_witness),
        }
    }
}

impl<R: FnMut(Terms<'_>, TermId) -> bool + Send> Bounds for Scripted<R> {
    fn bounds(&mut self, symbol: SymbolId) -> (Option<i64>, Option<i64>) {
        self.inner.bounds(symbol)
    }
}

/// Whether the condition quantifies over so many values that trying them takes long.
pub fn is_wide(terms: Terms<'_>, term: TermId) -> bool {
    let mut wide = false;
    terms.pool.visit(term, &mut |_, t| {
        if let Term::App(Op::Exists { first, count }, _) = t {
            let sorts = (0..*count as usize).map(|i| terms.pool.binders[Id::from_index(first.index() + i)]);
            let product = sorts.map(|s| terms.sorts.cardinality(s).unwrap_or(u64::MAX)).fold(1, u64::saturating_mul);
            wide |= product > 200;
        }
    });
    wide
}
