//! Repairing the last solution, instead of looking for one from scratch.
//!
//! Along a path, a new condition mostly keeps the values found for the earlier conditions, or changes only a few of
//! them. Repair starts from the last values. It moves each value that the bounds exclude to the nearest bound. Then every
//! violated constraint moves its variables, beginning with those that have not moved yet. Repair stops when no constraint
//! is violated, or after too many steps.

use super::constraint::Constraint;
use super::linear::{Relation, Var};
use super::store::{Mark, Store};

/// At most this many constraints are looked at in one repair: where many are about one variable, each step looks at all
/// of them. What is not repaired by then is searched for.
const REPAIR: u64 = 1_000_000;

/// Numbers for the variables of the store, with a log to undo changes.
#[derive(Default)]
pub(crate) struct Numbers {
    pub numbers: Vec<i64>,
    pub log: Vec<(Var, i64)>,
    queue: std::collections::VecDeque<u32>,
    queued: Vec<bool>,
    /// Per variable: the repair that moved it last.
    moved: Vec<u32>,
    repair: u32,
}

impl Numbers {
    pub fn undo(&mut self, length: usize) {
        for (var, old) in self.log.drain(length..).rev() {
            self.numbers[var as usize] = old;
        }
    }

    pub fn set(&mut self, var: Var, n: i64) {
        let old = std::mem::replace(&mut self.numbers[var as usize], n);
        if old != n {
            self.log.push((var, old));
        }
    }

    fn shift(&mut self, store: &Store, var: Var, n: i64) {
        self.set(var, n);
        self.moved[var as usize] = self.repair;
        for c in &store.occurs[var as usize] {
            self.enqueue(*c);
        }
    }

    fn enqueue(&mut self, id: u32) {
        if !std::mem::replace(&mut self.queued[id as usize], true) {
            self.queue.push_back(id);
        }
    }

    /// Changes the numbers so that they satisfy the store, knowing that they satisfied it at `since`.
    pub fn repair(&mut self, store: &mut Store, since: Mark) -> bool {
        self.repair = self.repair.wrapping_add(1);
        self.moved.resize(self.numbers.len(), 0);
        self.queued.resize(store.active.len(), false);
        for i in since.active..store.active.len() {
            self.enqueue(i as u32);
        }
        for i in since.trail..store.trail.len() {
            let var = store.trail[i].var;
            let n = self.numbers[var as usize];
            let clamped = n.clamp(store.lo[var as usize], store.hi[var as usize]);
            if clamped != n {
                self.shift(store, var, clamped);
            }
        }
        let mut steps = 12 + store.active.len() / 8;
        let end = store.work + REPAIR;
        let mut done = true;
        while let Some(id) = self.queue.pop_front() {
            self.queued[id as usize] = false;
            store.work += 1;
            let constraint = &store.active[id as usize].constraint;
            if constraint.holds(&self.numbers) {
                continue;
            }
            if steps == 0 || store.work >= end || !self.satisfy(store, constraint, steps) {
                done = false;
                break;
            }
            steps -= 1;
        }
        while let Some(id) = self.queue.pop_front() {
            self.queued[id as usize] = false;
        }
        done
    }

    /// Moves variables so that the constraint holds.
    fn satisfy(&mut self, store: &Store, constraint: &Constraint, turn: usize) -> bool {
        match constraint {
            Constraint::Linear { relation: Relation::Ne, terms, .. } => self.part(store, terms),
            Constraint::Linear { relation, terms, k } => {
                let sum: i128 = terms.iter().map(|(v, c)| i128::from(*c) * i128::from(self.numbers[*v as usize])).sum();
                let excess = sum - k;
                let exact = *relation == Relation::Eq;
                let rest = self.pull(store, terms, excess, exact, false);
                let rest = self.pull(store, terms, rest, exact, true);
                if exact { rest == 0 } else { rest <= 0 }
            }
            Constraint::Any { alternatives, .. } => {
                // Another one each time: the first may be what two disjunctions cannot agree on.
                let possible = |i: &usize| !alternatives[*i].iter().any(|c| store.is_false(c));
                let start = turn % alternatives.len();
                let mut order = (start..alternatives.len()).chain(0..start);
                let Some(chosen) = order.find(possible) else { return false };
                for c in &alternatives[chosen] {
                    if !c.holds(&self.numbers) && !self.satisfy(store, c, turn) {
                        return false;
                    }
                }
                alternatives[chosen].iter().all(|c| c.holds(&self.numbers))
            }
        }
    }

    /// Moves variables inside their bounds to take the excess off the sum; what is left of it. Newer variables first:
    /// fewer constraints depend on them.
    fn pull(&mut self, store: &Store, terms: &[(Var, i64)], mut excess: i128, exact: bool, moved: bool) -> i128 {
        for (v, c) in terms.iter().rev() {
            if excess == 0 || (!exact && excess < 0) {
                break;
            }
            let i = *v as usize;
            if (self.moved[i] == self.repair) != moved {
                continue;
            }
            let (n, c) = (i128::from(self.numbers[i]), i128::from(*c));
            // How far to go: not past zero for an equation, up to it or just past it for an inequality.
            let exactly = excess / c;
            let wish = if exact || excess % c == 0 { exactly } else { exactly + c.signum() * excess.signum() };
            let target = (n - wish).clamp(i128::from(store.lo[i]), i128::from(store.hi[i]));
            if target != n {
                excess -= (n - target) * c;
                self.shift(store, *v, target as i64);
            }
        }
        excess
    }

    /// Moves one variable so that the sum is another one.
    fn part(&mut self, store: &Store, terms: &[(Var, i64)]) -> bool {
        for moved in [false, true] {
            for (v, _) in terms.iter().rev() {
                let i = *v as usize;
                if (self.moved[i] == self.repair) != moved {
                    continue;
                }
                let n = self.numbers[i];
                if n < store.hi[i] {
                    self.shift(store, *v, n + 1);
                    return true;
                }
                if n > store.lo[i] {
                    self.shift(store, *v, n - 1);
                    return true;
                }
            }
        }
        false
    }
}
