//! Bounds of reals in the store: rationals, of which each may be excluded; and what constraints with reals do to them.
//!
//! Bounds that follow from several variables may come nearer to their limit for ever. They are taken over where they
//! leave much less than before, and dropped where they have become long: what follows from all constraints together is
//! the business of `simplex`, which is exact.

use super::constraint::Compare;
use super::linear::Var;
use super::place::Read;
use super::store::{Conflict, NO_HI, NO_LO, Side, Store, Tightened};
use crate::ratio::Ratio;

/// No real.
const NONE: u32 = u32::MAX;
/// A bound that follows from others and has more bits is dropped.
const BITS: u32 = 48;

/// A bound of a real.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct End {
    pub at: Ratio,
    /// Whether the bound itself is excluded.
    pub open: bool,
}

/// The bounds of a real.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Interval {
    pub lo: Option<End>,
    pub hi: Option<End>,
}

impl Interval {
    /// The only value, if there is one.
    pub fn point(&self) -> Option<Ratio> {
        let (lo, hi) = (self.lo?, self.hi?);
        (lo.at == hi.at && !lo.open && !hi.open).then_some(lo.at)
    }

    /// Whether there is no value.
    pub fn is_empty(&self) -> bool {
        match (self.lo, self.hi) {
            (Some(lo), Some(hi)) => lo.at > hi.at || (lo.at == hi.at && (lo.open || hi.open)),
            _ => false,
        }
    }

    /// Whether a number is not below the lower bound.
    pub fn is_above_lo(&self, r: Ratio) -> bool {
        self.lo.is_none_or(|lo| r > lo.at || (r == lo.at && !lo.open))
    }

    /// Whether a number is not above the upper bound.
    pub fn is_below_hi(&self, r: Ratio) -> bool {
        self.hi.is_none_or(|hi| r < hi.at || (r == hi.at && !hi.open))
    }

    pub fn contains(&self, r: Ratio) -> bool {
        self.is_above_lo(r) && self.is_below_hi(r)
    }

    /// Whether everything in the other one is in this one.
    pub fn includes(&self, other: &Interval) -> bool {
        let hull = self.hull(other);
        hull == *self
    }

    /// The least interval that holds both.
    pub fn hull(&self, other: &Interval) -> Interval {
        let less = |a: End, b: End| a.at < b.at || (a.at == b.at && !a.open);
        let more = |a: End, b: End| a.at > b.at || (a.at == b.at && !a.open);
        let lo = self.lo.zip(other.lo).map(|(a, b)| if less(a, b) { a } else { b });
        let hi = self.hi.zip(other.hi).map(|(a, b)| if more(a, b) { a } else { b });
        Interval { lo, hi }
    }

    /// The value inside that is nearest to a number; next to an excluded bound a simple one.
    pub fn nearest(&self, to: Ratio) -> Option<Ratio> {
        if self.is_empty() {
            return None;
        }
        if !self.is_above_lo(to) {
            return self.lo.and_then(|lo| self.from(lo, 1));
        }
        if !self.is_below_hi(to) {
            return self.hi.and_then(|hi| self.from(hi, -1));
        }
        Some(to)
    }

    /// A value at a bound, or next to it where it is excluded: one step beyond, or a simple one in between.
    fn from(&self, end: End, step: i64) -> Option<Ratio> {
        if !end.open {
            return Some(end.at);
        }
        let next = end.at.add(Ratio::from(step))?;
        if self.contains(next) {
            return Some(next);
        }
        let (lo, hi) = (self.lo?.at, self.hi?.at);
        // Half way first: it leaves room on both sides.
        lo.middle(hi).filter(|m| m.is_within(BITS)).or_else(|| lo.simplest(Some(hi)))
    }
}

/// The least value of a sum, and whether it is excluded.
#[derive(Clone, Copy)]
struct Least {
    at: Ratio,
    open: bool,
}

/// The least numbers that are left.
impl Read for Store {
    fn whole(&self, var: Var) -> i64 {
        self.lo[var as usize]
    }

    fn real(&self, var: Var) -> Option<Ratio> {
        Some(self.interval(var)?.lo?.at)
    }
}

impl Store {
    /// Notes which variables are reals.
    pub(super) fn grow_reals(&mut self, reals: &[(Var, Interval)]) {
        self.real_of.resize(self.lo.len(), NONE);
        for (var, interval) in &reals[self.reals.len()..] {
            self.real_of[*var as usize] = self.reals.len() as u32;
            self.reals.push(*interval);
        }
    }

    /// The bounds of a variable, if it is a real.
    pub fn interval(&self, var: Var) -> Option<&Interval> {
        self.reals.get(self.real_of[var as usize] as usize)
    }

    /// The bounds of any variable.
    pub fn ends(&self, var: Var) -> Interval {
        if let Some(interval) = self.interval(var) {
            return *interval;
        }
        let (lo, hi) = (self.lo[var as usize], self.hi[var as usize]);
        let end = |at: i64| End { at: Ratio::from(at), open: false };
        Interval { lo: (lo != NO_LO).then(|| end(lo)), hi: (hi != NO_HI).then(|| end(hi)) }
    }

    /// Goes back to the bound before.
    pub(super) fn restore(&mut self, t: Tightened) {
        let old = self.old_ends.pop().flatten();
        if let Some(interval) = self.reals.get_mut(self.real_of[t.var as usize] as usize) {
            *match t.side {
                Side::Lo => &mut interval.lo,
                Side::Hi => &mut interval.hi,
            } = old;
        }
    }

    /// Whether one value is left for a variable.
    pub(super) fn is_point(&self, var: Var) -> bool {
        match self.interval(var) {
            Some(interval) => interval.point().is_some(),
            None => self.is_fixed(var),
        }
    }

    /// Whether at most one of the variables has several values left.
    pub(super) fn is_bound(&self, terms: &[(Var, i64)]) -> bool {
        terms.len() == 1 || terms.iter().filter(|t| !self.is_point(t.0)).take(2).count() < 2
    }

    /// Tightens a bound of a variable by a constraint on these. Whether it changed anything.
    fn bound(&mut self, var: Var, side: Side, end: End, terms: &[(Var, i64)], reason: u32) -> Result<bool, Conflict> {
        let real = self.real_of[var as usize];
        if real == NONE {
            // The nearest integer inside.
            return match side {
                Side::Lo => {
                    let at = end.at.ceil();
                    let excluded = end.open && end.at.denominator() == 1;
                    self.raise(var, at + i128::from(excluded), reason)
                }
                Side::Hi => {
                    let at = end.at.floor();
                    let excluded = end.open && end.at.denominator() == 1;
                    self.lower(var, at - i128::from(excluded), reason)
                }
            };
        }
        let now = self.reals[real as usize];
        let mut new = now;
        let (better, other) = match side {
            Side::Lo => {
                new.lo = Some(end);
                let better = now.lo.is_none_or(|lo| end.at > lo.at || (end.at == lo.at && end.open && !lo.open));
                (better, Side::Hi)
            }
            Side::Hi => {
                new.hi = Some(end);
                let better = now.hi.is_none_or(|hi| end.at < hi.at || (end.at == hi.at && end.open && !hi.open));
                (better, Side::Lo)
            }
        };
        if !better {
            return Ok(false);
        }
        let empty = new.is_empty();
        // With all others fixed, the bound is all that there is to say.
        if !empty && new.point().is_none() && !self.is_bound(terms) && !worthwhile(&now, side, end) {
            return Ok(false);
        }
        self.old_ends.push(if side == Side::Lo { now.lo } else { now.hi });
        self.trail.push(Tightened { var, side, old: 0, reason });
        self.reals[real as usize] = new;
        if empty {
            return Err(Conflict { constraint: reason, bound: Some((var, other)) });
        }
        self.wake(var, reason);
        Ok(true)
    }

    /// The least value of a coefficient times a variable, if there is one.
    fn least_of(&self, var: Var, c: i64) -> Option<End> {
        if let Some(interval) = self.interval(var) {
            let end = if c > 0 { interval.lo } else { interval.hi }?;
            return Some(End { at: end.at.many(c)?, open: end.open });
        }
        let (bound, none) = match c > 0 {
            true => (self.lo[var as usize], NO_LO),
            false => (self.hi[var as usize], NO_HI),
        };
        let at = (bound != none).then(|| Ratio::from(bound).many(c))??;
        Some(End { at, open: false })
    }

    /// A constraint with reals: each variable gets what the least values of the others leave.
    pub(super) fn propagate_real(
        &mut self,
        compare: Compare,
        terms: &[(Var, i64)],
        k: i128,
        id: u32,
    ) -> Result<(), Conflict> {
        let strict = compare == Compare::Lt;
        let changed = self.at_most_real(terms, k, 1, strict, id)?;
        let changed = (compare == Compare::Eq && self.at_most_real(terms, -k, -1, strict, id)?) || changed;
        // One half may have made room for the other; and with all others fixed, more is said of the last one.
        if changed && terms.len() > 1 && (compare == Compare::Eq || self.is_bound(terms)) {
            self.enqueue(id);
        }
        Ok(())
    }

    fn at_most_real(
        &mut self,
        terms: &[(Var, i64)],
        k: i128,
        sign: i64,
        strict: bool,
        id: u32,
    ) -> Result<bool, Conflict> {
        let Some(mut slack) = Ratio::whole(k) else { return Ok(false) };
        let (mut open, mut excluded) = (None, 0);
        for (i, (v, c)) in terms.iter().enumerate() {
            match self.least_of(*v, c * sign) {
                Some(least) => {
                    let Some(rest) = slack.sub(least.at) else { return Ok(false) };
                    slack = rest;
                    excluded += u32::from(least.open);
                }
                // Also where it does not fit.
                None if open.is_some() => return Ok(false),
                None => open = Some(i),
            }
        }
        if open.is_none() && (slack.is_negative() || (slack.is_zero() && (strict || excluded > 0))) {
            return Err(Conflict { constraint: id, bound: None });
        }
        let mut changed = false;
        for (i, (v, c)) in terms.iter().enumerate() {
            if terms.len() > 1 && self.is_point(*v) {
                continue;
            }
            let c = c * sign;
            let (mut room, mut others) = (slack, excluded);
            match open {
                Some(o) if o != i => continue,
                Some(_) => {}
                None => {
                    let Some(least) = self.least_of(*v, c) else { continue };
                    let Some(rest) = room.add(least.at) else { continue };
                    room = rest;
                    others -= u32::from(least.open);
                }
            }
            let Some(at) = room.div(Ratio::from(c)) else { continue };
            let end = End { at, open: strict || others > 0 };
            let side = if c > 0 { Side::Hi } else { Side::Lo };
            // The sum of before is right as long as only the other sides move.
            changed |= self.bound(*v, side, end, terms, id)?;
        }
        Ok(changed)
    }

    /// The least value of a sum.
    fn least_sum(&self, terms: &[(Var, i64)], sign: i64) -> Option<Least> {
        let mut sum = Least { at: Ratio::ZERO, open: false };
        for (v, c) in terms {
            let end = self.least_of(*v, c * sign)?;
            sum = Least { at: sum.at.add(end.at)?, open: sum.open || end.open };
        }
        Some(sum)
    }

    /// Whether the bounds exclude a constraint with reals.
    pub(super) fn is_false_real(&self, compare: Compare, terms: &[(Var, i64)], k: i128) -> bool {
        let exceeds = |sign: i64, k: i128, strict: bool| {
            let least = self.least_sum(terms, sign).zip(Ratio::whole(k));
            least.is_some_and(|(least, k)| least.at > k || (least.at == k && (strict || least.open)))
        };
        match compare {
            Compare::Le => exceeds(1, k, false),
            Compare::Lt => exceeds(1, k, true),
            Compare::Eq => exceeds(1, k, false) || exceeds(-1, -k, false),
        }
    }

    /// Whether the bounds imply a constraint with reals.
    pub(super) fn is_true_real(&self, compare: Compare, terms: &[(Var, i64)], k: i128) -> bool {
        let within = |sign: i64, k: i128, strict: bool| {
            // The greatest value of the sum, mirrored.
            let least = self.least_sum(terms, -sign).zip(Ratio::whole(-k));
            least.is_some_and(|(least, k)| least.at > k || (least.at == k && (!strict || least.open)))
        };
        match compare {
            Compare::Le => within(1, k, false),
            Compare::Lt => within(1, k, true),
            Compare::Eq => within(1, k, false) && within(-1, -k, false),
        }
    }
}

/// Whether a bound that follows from others is worth it: it is the first on its side, or leaves at most three quarters of
/// what there was; and it is short.
fn worthwhile(now: &Interval, side: Side, end: End) -> bool {
    if !end.at.is_within(BITS) {
        return false;
    }
    let (old, other) = match side {
        Side::Lo => (now.lo, now.hi),
        Side::Hi => (now.hi, now.lo),
    };
    let Some(old) = old else { return true };
    let gain = end.at.sub(old.at).map(abs);
    match other {
        Some(other) => {
            let width = old.at.sub(other.at).map(abs).and_then(|w| w.mul(Ratio::new(1, 4)?));
            gain.zip(width).is_some_and(|(gain, width)| gain >= width)
        }
        // Without another end, as much as there is.
        None => {
            let size = abs(old.at).max(Ratio::ONE);
            gain.is_some_and(|gain| gain >= size)
        }
    }
}

fn abs(r: Ratio) -> Ratio {
    if r.is_negative() { r.neg() } else { r }
}
