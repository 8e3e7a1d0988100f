//! Repairing the last solution, instead of looking for one from scratch.
//!
//! Along a path, a new condition mostly keeps the values found for the earlier conditions, or changes only a few of
//! them. Repair starts from the last values. It moves each value that the bounds exclude to the nearest bound. Then every
//! violated constraint moves its variables, beginning with those that have not moved yet. Repair stops when no constraint
//! is violated, or after too many steps.

use super::constraint::{Compare, Constraint};
use super::interval::{End, Interval};
use super::linear::{Relation, Var};
use super::place::{Number, Read};
use super::store::{Mark, Store};
use crate::ratio::Ratio;

/// At most this many constraints are looked at in one repair: where many are about one variable, each step looks at all
/// of them. What is not repaired by then is searched for.
const REPAIR: u64 = 1_000_000;

/// Numbers for the variables of the store, with a log to undo changes.
#[derive(Default)]
pub(crate) struct Numbers {
    pub numbers: Vec<i64>,
    /// Of the variables that are reals, and which of these a variable is.
    reals: Vec<Ratio>,
    real_of: Vec<u32>,
    /// What a variable was before; of a real, that is in a log of its own.
    pub log: Vec<(Var, i64)>,
    real_log: Vec<Ratio>,
    queue: std::collections::VecDeque<u32>,
    queued: Vec<bool>,
    /// Per variable: the repair that moved it last.
    moved: Vec<u32>,
    repair: u32,
}

/// No real.
const NONE: u32 = u32::MAX;

impl Read for Numbers {
    fn whole(&self, var: Var) -> i64 {
        self.numbers[var as usize]
    }

    fn real(&self, var: Var) -> Option<Ratio> {
        self.reals.get(self.real_of[var as usize] as usize).copied()
    }
}

impl Numbers {
    /// Takes new variables up, some of which are reals.
    pub fn grow(&mut self, bounds: &[(i64, i64)], reals: &[(Var, Interval)]) {
        for (lo, hi) in &bounds[self.numbers.len()..] {
            self.numbers.push(0.clamp(*lo, (*hi).max(*lo)));
        }
        self.real_of.resize(self.numbers.len(), NONE);
        for (var, interval) in &reals[self.reals.len()..] {
            self.real_of[*var as usize] = self.reals.len() as u32;
            self.reals.push(interval.nearest(Ratio::ZERO).unwrap_or(Ratio::ZERO));
        }
    }

    pub fn undo(&mut self, length: usize) {
        while self.log.len() > length {
            let Some((var, old)) = self.log.pop() else { break };
            match self.reals.get_mut(self.real_of[var as usize] as usize) {
                Some(real) => *real = self.real_log.pop().unwrap_or(*real),
                None => self.numbers[var as usize] = old,
            }
        }
    }

    /// Forgets what was before.
    pub fn forget(&mut self) {
        self.log.clear();
        self.real_log.clear();
    }

    pub fn put(&mut self, var: Var, number: Number) {
        match number {
            Number::Whole(n) => self.set(var, n),
            Number::Real(r) => self.set_real(var, r),
        }
    }

    /// The same without a log.
    pub fn begin_with(&mut self, var: Var, number: Number) {
        match number {
            Number::Whole(n) => self.numbers[var as usize] = n,
            Number::Real(r) => self.reals[self.real_of[var as usize] as usize] = r,
        }
    }

    pub fn set_real(&mut self, var: Var, r: Ratio) {
        if let Some(real) = self.reals.get_mut(self.real_of[var as usize] as usize) {
            let old = std::mem::replace(real, r);
            if old != r {
                self.log.push((var, 0));
                self.real_log.push(old);
            }
        }
    }

    /// The number of any variable.
    pub fn ratio(&self, var: Var) -> Ratio {
        self.real(var).unwrap_or_else(|| Ratio::from(self.numbers[var as usize]))
    }

    /// How much more than `k` a sum with reals is; nothing if it does not fit.
    pub fn excess(&self, terms: &[(Var, i64)], k: i128) -> Option<Ratio> {
        let mut sum = Ratio::whole(-k)?;
        for (v, c) in terms {
            sum = sum.add(self.ratio(*v).many(*c)?)?;
        }
        Some(sum)
    }

    pub fn set(&mut self, var: Var, n: i64) {
        let old = std::mem::replace(&mut self.numbers[var as usize], n);
        if old != n {
            self.log.push((var, old));
        }
    }

    fn shift(&mut self, store: &Store, var: Var, n: i64) {
        self.set(var, n);
        self.wake(store, var);
    }

    fn shift_real(&mut self, store: &Store, var: Var, r: Ratio) {
        self.set_real(var, r);
        self.wake(store, var);
    }

    fn wake(&mut self, store: &Store, var: Var) {
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

    /// Changes the numbers so that they satisfy the store, knowing that they satisfied it at `since`; some reals first of
    /// all to what is given.
    pub fn repair(&mut self, store: &mut Store, since: Mark, given: &[(Var, Ratio)]) -> bool {
        self.repair = self.repair.wrapping_add(1);
        self.moved.resize(self.numbers.len(), 0);
        self.queued.resize(store.active.len(), false);
        for i in since.active..store.active.len() {
            self.enqueue(i as u32);
        }
        for i in since.trail..store.trail.len() {
            let var = store.trail[i].var;
            if let Some(interval) = store.interval(var) {
                let r = self.ratio(var);
                match interval.nearest(r) {
                    Some(near) if near != r => self.shift_real(store, var, near),
                    _ => {}
                }
                continue;
            }
            let n = self.numbers[var as usize];
            let clamped = n.clamp(store.lo[var as usize], store.hi[var as usize]);
            if clamped != n {
                self.shift(store, var, clamped);
            }
        }
        for (var, r) in given {
            if self.ratio(*var) != *r {
                self.shift_real(store, *var, *r);
            }
        }
        let mut steps = 12 + store.active.len() / 8;
        let end = store.work + REPAIR;
        let mut done = true;
        while let Some(id) = self.queue.pop_front() {
            self.queued[id as usize] = false;
            store.work += 1;
            let constraint = &store.active[id as usize].constraint;
            if constraint.holds(self) {
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
            Constraint::Real { compare, terms, k } => self.satisfy_real(store, *compare, terms, *k).unwrap_or(false),
            Constraint::Any { alternatives, .. } => {
                // Another one each time: the first may be what two disjunctions cannot agree on.
                let possible = |i: &usize| !alternatives[*i].iter().any(|c| store.is_false(c));
                let start = turn % alternatives.len();
                let mut order = (start..alternatives.len()).chain(0..start);
                let Some(chosen) = order.find(possible) else { return false };
                for c in &alternatives[chosen] {
                    if !c.holds(self) && !self.satisfy(store, c, turn) {
                        return false;
                    }
                }
                alternatives[chosen].iter().all(|c| c.holds(self))
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

    /// Moves variables inside their bounds so that a sum with reals is as it should be; whether it is. Newer variables
    /// first, those that have not moved before those that have.
    fn satisfy_real(&mut self, store: &Store, compare: Compare, terms: &[(Var, i64)], k: i128) -> Option<bool> {
        for moved in [false, true] {
            for (v, c) in terms.iter().rev() {
                let excess = self.excess(terms, k)?;
                if compare.holds(excess) {
                    return Some(true);
                }
                let i = *v as usize;
                if (self.moved[i] == self.repair) != moved {
                    continue;
                }
                let (now, up) = (self.ratio(*v), excess.is_negative() != (*c < 0));
                let exactly = now.sub(excess.div(Ratio::from(*c))?)?;
                let Some(interval) = store.interval(*v) else {
                    // An integer: as far as needed, or just past it.
                    let mut wish = if up { exactly.ceil() } else { exactly.floor() };
                    if compare == Compare::Lt && exactly.denominator() == 1 {
                        wish += if up { 1 } else { -1 };
                    }
                    let wish = wish.clamp(i128::from(store.lo[i]), i128::from(store.hi[i]));
                    if wish != i128::from(self.numbers[i]) {
                        self.shift(store, *v, i64::try_from(wish).ok()?);
                    }
                    continue;
                };
                let mut room = *interval;
                if compare == Compare::Lt {
                    // Exactly there would be too little.
                    let half = if up { &mut room.lo } else { &mut room.hi };
                    if half.is_none_or(|old| if up { exactly >= old.at } else { exactly <= old.at }) {
                        *half = Some(End { at: exactly, open: true });
                    }
                }
                // As far as it goes, if that is not far enough.
                let wish = room.nearest(exactly).or_else(|| interval.nearest(exactly));
                if let Some(wish) = wish.filter(|w| *w != now) {
                    self.shift_real(store, *v, wish);
                }
            }
        }
        self.excess(terms, k).map(|excess| compare.holds(excess))
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
