//! Least, greatest, middle and random integers, by questions to the solver. Integers may have any size: those that do not
//! fit 64 bits only take longer.

use sioco_model::number::{self, BigInt};
use sioco_model::random::Random;
use sioco_model::sort::Sort;
use sioco_model::term::Op;
use sioco_model::{SortId, SymbolId, TermId, Value};

use super::far::{far, farther};
use super::free;
use super::session::ValueSearch;

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

/// This many draws before the domain is halved instead: a draw only evaluates the conditions, while halving asks
/// questions, some sixty for a 64-bit number.
const DRAWS: u32 = 48;

/// An end of what is possible, `None` where there is none.
type End = Option<BigInt>;

impl Whole {
    pub fn now(&self, session: &ValueSearch<'_>) -> Option<BigInt> {
        session.value(self.term).as_ref().and_then(number::to_big)
    }

    /// Adds `term <= n` (`sign` 1) or `term >= n` (-1), if possible.
    pub fn limit(&self, session: &mut ValueSearch<'_>, n: &BigInt, sign: i64) -> bool {
        let constant = session.pool.constant(number::int(n.clone()), session.sorts.int);
        let condition = match sign {
            1 => session.test(Op::Le, self.term, constant),
            _ => session.test(Op::Le, constant, self.term),
        };
        session.narrow_to(condition, &[(self.term, number::int(n.clone()))])
    }

    fn fix(&self, session: &mut ValueSearch<'_>, n: BigInt) -> bool {
        session.fix(self.term, number::int(n))
    }

    /// The bounds that are known without asking.
    fn known(&self, session: &mut ValueSearch<'_>) -> (End, End) {
        let (lo, hi) = session.bounds(self.symbol);
        let (mut least, mut greatest) = (None, None);
        if let Sort::Int { lo, hi } = session.sorts.get(self.sort) {
            (least, greatest) = (lo.clone(), hi.clone());
        }
        let big = |n: Option<i64>| n.map(BigInt::from);
        let lo = [big(lo), least, big(self.least)].into_iter().flatten().max();
        (lo, [big(hi), greatest, big(self.most)].into_iter().flatten().min())
    }

    /// Narrows to the least (`sign` 1) or greatest (-1) value; `false` if there is none, and then nothing changed.
    pub fn extreme(&self, session: &mut ValueSearch<'_>, sign: i64) -> bool {
        // Everything is mirrored for the greatest: `best` is the least value of `sign * term` that is known to be
        // possible, nothing below `floor` is.
        let mirrored = |n: BigInt| if sign == 1 { n } else { -n };
        let Some(mut best) = self.now(session).map(mirrored) else { return false };
        let (lo, hi) = self.known(session);
        let known = if sign == 1 { lo } else { hi.map(|n| -n) };
        let start = session.mark();
        let is_known = known.is_some();
        let mut floor = match known {
            Some(floor) => floor,
            None => {
                // Far out first: mostly there is no bound at all. Otherwise ever larger steps, until one fails.
                if self.is_endless(session, sign) {
                    session.back(start);
                    return false;
                }
                let mut step = BigInt::ONE;
                loop {
                    let target = &best - &step;
                    if !self.limit(session, &mirrored(target.clone()), sign) {
                        break target + BigInt::ONE;
                    }
                    let Some(n) = self.now(session).map(mirrored) else {
                        session.back(start);
                        return false;
                    };
                    best = n;
                    step *= BigInt::from(4);
                }
            }
        };
        // A known bound is mostly reached.
        if floor < best && is_known {
            if self.limit(session, &mirrored(floor.clone()), sign) {
                best = floor.clone();
            } else {
                floor += BigInt::ONE;
            }
        }
        while floor < best {
            let middle = number::halfway(&floor, &best);
            if self.limit(session, &mirrored(middle.clone()), sign) {
                best = self.now(session).map_or(middle, mirrored);
            } else {
                floor = middle + BigInt::ONE;
            }
        }
        self.fix(session, mirrored(best))
    }

    /// Whether there are values farther out than anything that conditions speak of.
    fn is_endless(&self, session: &mut ValueSearch<'_>, sign: i64) -> bool {
        let out = |n: BigInt| if sign == 1 { -n } else { n };
        self.limit(session, &out(far()), sign)
            && farther(session.pool).is_none_or(|farther| self.limit(session, &out(farther), sign))
    }

    /// Least and greatest value; `None` where there is none. Nothing is narrowed.
    pub fn range(&self, session: &mut ValueSearch<'_>) -> (End, End) {
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
    pub fn nearest(&self, session: &mut ValueSearch<'_>, wish: &BigInt) -> bool {
        if self.fix(session, wish.clone()) {
            return true;
        }
        let start = session.mark();
        let [above, below] = [-1, 1].map(|sign| {
            let found = self.limit(session, wish, sign) && self.extreme(session, -sign);
            let found = found.then(|| self.now(session)).flatten();
            session.back(start.clone());
            found
        });
        let choice = match (above, below) {
            (Some(a), Some(b)) => Some(if &a - wish <= wish - &b { a } else { b }),
            (a, b) => a.or(b),
        };
        choice.is_some_and(|n| self.fix(session, n))
    }

    /// Narrows to the value in the middle; `false` if a side is unbounded, and then to the value nearest to zero.
    pub fn middle(&self, session: &mut ValueSearch<'_>) -> bool {
        match self.range(session) {
            (Some(lo), Some(hi)) => {
                self.nearest(session, &number::halfway(&lo, &hi));
                true
            }
            _ => {
                self.nearest(session, &BigInt::ZERO);
                false
            }
        }
    }

    /// The interval that random values are drawn from, if it is bounded.
    pub fn interval(&self, session: &mut ValueSearch<'_>) -> Option<(BigInt, BigInt)> {
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
    pub fn random(&self, session: &mut ValueSearch<'_>, random: &mut Random, used: &[Value]) -> bool {
        let Some((mut lo, mut hi)) = self.interval(session) else {
            self.somewhere(session, random, used);
            return false;
        };
        for _ in 0..DRAWS {
            let drawn = random.whole(&lo, &hi);
            if self.fix(session, drawn) {
                return true;
            }
        }
        while lo < hi {
            // A random cut, and a side in proportion to its width.
            let cut = random.whole(&lo, &(&hi - BigInt::ONE));
            let low = random.whole(&lo, &hi) <= cut;
            let above = &cut + BigInt::ONE;
            let (n, sign) = if low { (&cut, 1) } else { (&above, -1) };
            if self.limit(session, n, sign) == low {
                hi = cut;
            } else {
                lo = above;
            }
        }
        self.fix(session, lo)
    }

    /// Some value of an unbounded set: small and large ones, and values that were used before.
    fn somewhere(&self, session: &mut ValueSearch<'_>, random: &mut Random, used: &[Value]) {
        let (lo, hi) = self.known(session);
        let used: Vec<&Value> = used.iter().filter(|v| number::to_big(v).is_some()).collect();
        for _ in 0..16 {
            let value = free::whole(lo.as_ref(), hi.as_ref(), random, &used);
            if session.fix(self.term, value) {
                return;
            }
        }
        self.nearest(session, &lo.or(hi).unwrap_or(BigInt::ZERO));
    }
}
