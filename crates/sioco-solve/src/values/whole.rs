//! Least, greatest, middle and random integers, by questions to the solver.

use sioco_model::number::{self, BigInt};
use sioco_model::sort::Sort;
use sioco_model::term::Op;
use sioco_model::{SortId, SymbolId, TermId, Value};

use super::free;
use super::random::Random;
use super::session::Session;

/// An integer that is to be chosen.
#[derive(Clone, Copy)]
pub(super) struct Whole {
    pub term: TermId,
    pub sort: SortId,
    /// The symbol, if the term is one.
    pub symbol: Option<SymbolId>,
    /// Bounds that are known otherwise: no length is negative.
    pub least: Option<i64>,
    /// The same for the other side.
    pub most: Option<i64>,
}

/// Beyond this nothing is looked for: such a side counts as unbounded.
const FAR: i64 = 1 << 62;
/// Draws before the domain is halved instead.
const DRAWS: u32 = 48;

impl Whole {
    pub fn now(&self, session: &Session<'_>) -> Option<i64> {
        match session.value(self.term) {
            Some(Value::Int(n)) => Some(n),
            _ => None,
        }
    }

    /// Adds `term <= n` (`sign` 1) or `term >= n` (-1), if possible.
    pub fn limit(&self, session: &mut Session<'_>, n: i64, sign: i64) -> bool {
        let constant = session.pool.constant(Value::Int(n), session.sorts.int);
        let condition = match sign {
            1 => session.test(Op::Le, self.term, constant),
            _ => session.test(Op::Le, constant, self.term),
        };
        session.narrow(condition)
    }

    /// The bounds that are known without asking.
    fn known(&self, session: &mut Session<'_>) -> (Option<i64>, Option<i64>) {
        let (lo, hi) = session.bounds(self.symbol);
        let (mut least, mut greatest) = (None, None);
        if let Sort::Int { lo, hi } = session.sorts.get(self.sort) {
            let small = |b: &BigInt| i64::try_from(b).ok();
            (least, greatest) = (lo.as_ref().and_then(small), hi.as_ref().and_then(small));
        }
        (lo.max(least).max(self.least), [hi, greatest, self.most].into_iter().flatten().min())
    }

    /// Narrows to the least (`sign` 1) or greatest (-1) value; `false` if there is none, and then nothing changed.
    pub fn extreme(&self, session: &mut Session<'_>, sign: i64) -> bool {
        // Everything is mirrored for the greatest: `best` is the least value of `sign * term` that is known to be
        // possible, nothing below `floor` is.
        let Some(mut best) = self.now(session).and_then(|n| n.checked_mul(sign)) else { return false };
        let (lo, hi) = self.known(session);
        let known = if sign == 1 { lo } else { hi.and_then(i64::checked_neg) };
        let start = session.mark();
        let mut floor = match known {
            Some(floor) => floor,
            None => {
                // Far out first: mostly there is no bound at all. Otherwise ever larger steps, until one fails.
                if self.limit(session, -FAR * sign, sign) {
                    session.back(start);
                    return false;
                }
                let mut step = 1i64;
                loop {
                    let target = best.saturating_sub(step).max(-FAR);
                    if !self.limit(session, target * sign, sign) {
                        break target + 1;
                    }
                    let Some(n) = self.now(session).and_then(|n| n.checked_mul(sign)) else {
                        session.back(start);
                        return false;
                    };
                    best = n;
                    step = step.saturating_mul(4);
                    if best <= -FAR {
                        session.back(start);
                        return false;
                    }
                }
            }
        };
        // A known bound is mostly reached.
        if floor < best && known.is_some() {
            if self.limit(session, floor * sign, sign) {
                best = floor;
            } else {
                floor += 1;
            }
        }
        while floor < best {
            let middle = (i128::from(floor) + i128::from(best)).div_euclid(2) as i64;
            if self.limit(session, middle * sign, sign) {
                best = self.now(session).and_then(|n| n.checked_mul(sign)).unwrap_or(middle);
            } else {
                floor = middle + 1;
            }
        }
        session.fix(self.term, Value::Int(best * sign))
    }

    /// Least and greatest value; `None` where there is none. Nothing is narrowed.
    pub fn range(&self, session: &mut Session<'_>) -> (Option<i64>, Option<i64>) {
        [1, -1]
            .map(|sign| {
                let start = session.mark();
                let found = self.extreme(session, sign).then(|| self.now(session)).flatten();
                session.back(start);
                found
            })
            .into()
    }

    /// Narrows to the value nearest to a number.
    pub fn nearest(&self, session: &mut Session<'_>, wish: i64) -> bool {
        if session.fix(self.term, Value::Int(wish)) {
            return true;
        }
        let start = session.mark();
        let [above, below] = [-1, 1].map(|sign| {
            let found = self.limit(session, wish, sign) && self.extreme(session, -sign);
            let found = found.then(|| self.now(session)).flatten();
            session.back(start.clone());
            found
        });
        let distance = |n: &i64| n.abs_diff(wish);
        let choice = match (above, below) {
            (Some(a), Some(b)) => Some(if distance(&a) <= distance(&b) { a } else { b }),
            (a, b) => a.or(b),
        };
        choice.is_some_and(|n| session.fix(self.term, Value::Int(n)))
    }

    /// Narrows to the value in the middle; `false` if a side is unbounded, and then to the value nearest to zero.
    pub fn middle(&self, session: &mut Session<'_>) -> bool {
        match self.range(session) {
            (Some(lo), Some(hi)) => {
                let middle = (i128::from(lo) + i128::from(hi)).div_euclid(2) as i64;
                self.nearest(session, middle);
                true
            }
            _ => {
                self.nearest(session, 0);
                false
            }
        }
    }

    /// The interval that random values are drawn from, if it is bounded.
    pub fn interval(&self, session: &mut Session<'_>) -> Option<(i64, i64)> {
        match self.known(session) {
            (Some(lo), Some(hi)) => Some((lo, hi)),
            _ => match self.range(session) {
                (Some(lo), Some(hi)) => Some((lo, hi)),
                _ => None,
            },
        }
    }

    /// Narrows to a random value: draws from the interval, which is uniform over what is possible, and if too many
    /// fail, random halves of it.
    pub fn random(&self, session: &mut Session<'_>, random: &mut Random, used: &[Value]) -> bool {
        let Some((mut lo, mut hi)) = self.interval(session) else {
            self.somewhere(session, random, used);
            return false;
        };
        for _ in 0..DRAWS {
            if session.fix(self.term, Value::Int(random.between(lo, hi))) {
                return true;
            }
        }
        while lo < hi {
            // A random cut, and a side in proportion to its width.
            let cut = random.between(lo, hi - 1);
            let low = random.between(lo, hi) <= cut;
            let (n, sign) = if low { (cut, 1) } else { (cut + 1, -1) };
            if self.limit(session, n, sign) == low {
                hi = cut;
            } else {
                lo = cut + 1;
            }
        }
        session.fix(self.term, Value::Int(lo))
    }

    /// Some value of an unbounded set: small and large ones, and values that were used before.
    fn somewhere(&self, session: &mut Session<'_>, random: &mut Random, used: &[Value]) {
        let (lo, hi) = self.known(session);
        let origin = lo.or(hi).unwrap_or(0);
        let used: Vec<&Value> = used.iter().filter(|v| number::to_big(v).is_some()).collect();
        for _ in 0..16 {
            let value = free::whole(lo, hi, random, &used);
            if session.fix(self.term, value) {
                return;
            }
        }
        self.nearest(session, origin);
    }
}
