//! A back-end that is told the stack only when it is asked.

use sioco_model::TermId;

use crate::query::{Answer, Limits, Solver, Terms};

/// A level of the stack: its serial number, which no other level ever has, and where its conjuncts end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Level {
    pub serial: u64,
    pub start: usize,
}

/// A back-end with what it has been told.
pub(super) struct Mirror {
    solver: Box<dyn Solver>,
    /// The levels that are open in the back-end, and how many conjuncts of each were asserted there.
    told: Vec<(u64, usize)>,
}

impl Mirror {
    pub fn new(solver: Box<dyn Solver>) -> Self {
        Mirror { solver, told: Vec::new() }
    }

    pub fn name(&self) -> String {
        self.solver.name()
    }

    /// Asks about the whole stack. `levels[0]` is the base level.
    pub fn check(
        &mut self,
        terms: Terms<'_>,
        conjuncts: &[TermId],
        levels: &[Level],
        limits: &Limits,
        want_witness: bool,
    ) -> Answer {
        let common = self.told.iter().zip(levels).take_while(|(t, l)| t.0 == l.serial).count();
        self.forget(common);
        for (i, level) in levels.iter().enumerate().skip(common.saturating_sub(1)) {
            let end = levels.get(i + 1).map_or(conjuncts.len(), |next| next.start);
            if i >= self.told.len() {
                self.solver.push();
                self.told.push((level.serial, 0));
            }
            let told = &mut self.told[i].1;
            for c in &conjuncts[level.start + *told..end] {
                self.solver.assert(terms, *c);
            }
            *told = end - level.start;
        }
        self.solver.check(terms, limits, want_witness)
    }

    /// Asks about some conditions only.
    pub fn check_only(
        &mut self,
        terms: Terms<'_>,
        conditions: &[TermId],
        limits: &Limits,
        want_witness: bool,
    ) -> Answer {
        self.alone(terms, conditions, |solver| solver.check(terms, limits, want_witness))
    }

    /// Which of some conditions, that cannot be true together, clash.
    pub fn core(&mut self, terms: Terms<'_>, conditions: &[TermId], limits: &Limits) -> Answer {
        self.alone(terms, conditions, |solver| solver.core(terms, limits))
    }

    fn alone(
        &mut self,
        terms: Terms<'_>,
        conditions: &[TermId],
        ask: impl FnOnce(&mut dyn Solver) -> Answer,
    ) -> Answer {
        self.forget(0);
        self.solver.push();
        for c in conditions {
            self.solver.assert(terms, *c);
        }
        let answer = ask(&mut *self.solver);
        self.solver.pop();
        answer
    }

    fn forget(&mut self, keep: usize) {
        while self.told.len() > keep {
            self.told.pop();
            self.solver.pop();
        }
    }
}
