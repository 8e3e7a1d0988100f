//! Least, greatest, middle and random reals, by questions to the solver.
//!
//! A set of reals need not contain its bound: `x > 7.5` has no least value. The search for the bound halves an interval
//! between a possible and an impossible value. From time to time it tries the simplest number in between: most bounds
//! are simple numbers.

use sioco_model::number::{BigInt, Rational, rational, to_rational};
use sioco_model::random::Random;
use sioco_model::sort::Sort;
use sioco_model::term::Op;
use sioco_model::{SortId, SymbolId, TermId, Value};

use super::far::{far, farther};
use super::session::ValueSearch;
use crate::builtin::Extent;
use crate::query::Witness;
use crate::ratio::Ratio;

/// A real that is to be chosen.
#[derive(Clone, Copy)]
pub(super) struct Real {
    pub term: TermId,
    pub sort: SortId,
    /// The symbol, if the term is one.
    pub symbol: Option<SymbolId>,
}

/// What became of looking for the least or greatest value.
#[derive(Clone, PartialEq, Eq, Debug)]
enum End {
    /// It is taken.
    Reached,
    /// There is none: the values come as near to this end as one likes, mirrored. One next to it is taken.
    Open(Rational),
    /// There is none: the values have no end.
    Endless,
}

/// How near to each other what is possible and what is not are before the simplest number between is tried, as powers of
/// a half. Numbers with denominators up to the square root are found.
const NEARER: [usize; 5] = [0, 7, 14, 20, 30];
/// Values this near to something that is no value have no end there, as a power of a half: far below what a
/// floating-point number can tell apart near one.
const TINY: usize = 80;
/// This many draws before parts are cut off instead: a draw finds a value soon, where a good part of the interval is
/// possible.
const DRAWS: u32 = 6;
/// At most this many parts are cut off: each takes questions, and what is left is small by then.
const CUTS: u32 = 24;
/// How far from an end that is not reached a value is taken, as powers of a tenth.
const NEXT: [usize; 3] = [3, 6, 9];

impl Real {
    /// Narrows to the least (`sign` 1) or greatest (-1) value. `false` if there is none, and then to one next to the
    /// end, or if there is no end, to the one nearest to zero.
    pub fn extreme(&self, session: &mut ValueSearch<'_>, sign: i64) -> bool {
        match self.end(session, sign) {
            End::Reached => true,
            End::Open(_) => false,
            End::Endless => {
                self.nearest(session, &Rational::ZERO);
                false
            }
        }
    }

    /// Narrows to the value nearest to a number; to one next to the end if the values on its side end there without
    /// reaching it.
    pub fn nearest(&self, session: &mut ValueSearch<'_>, wish: &Rational) {
        if session.fix(self.term, Value::real(wish.clone())) {
            return;
        }
        let start = session.mark();
        let mut best: Option<Rational> = None;
        for side in [1, -1] {
            // On this side, the wish is the end if nothing else is.
            if self.limit(session, &(wish * Rational::from(-side)), -side, true) {
                self.end(session, side);
                let distance = |r: &Rational| if r > wish { r - wish } else { wish - r };
                let found = self.now(session, 1);
                if let Some(found) = found.filter(|f| best.as_ref().is_none_or(|b| distance(f) < distance(b))) {
                    best = Some(found);
                }
            }
            session.back(start.clone());
        }
        if let Some(best) = best.or_else(|| self.now(session, 1)) {
            self.take(session, &best, 1);
        }
    }

    /// Narrows to the value half way between the ends; `false` if a side has none, and then to the one nearest to zero.
    pub fn middle(&self, session: &mut ValueSearch<'_>) -> bool {
        let [lo, hi] = self.ends(session);
        match (lo, hi) {
            (Some(lo), Some(hi)) => {
                self.nearest(session, &((lo + hi) / Rational::from(2)));
                true
            }
            _ => {
                self.nearest(session, &Rational::ZERO);
                false
            }
        }
    }

    /// Where the values end, reached or not; `None` where they do not. Nothing is narrowed.
    fn ends(&self, session: &mut ValueSearch<'_>) -> [Option<Rational>; 2] {
        [1, -1].map(|sign| {
            let start = session.mark();
            let end = match self.end(session, sign) {
                End::Reached => self.now(session, 1),
                End::Open(end) => Some(end * Rational::from(sign)),
                End::Endless => None,
            };
            session.back(start);
            end
        })
    }

    /// Narrows to a random value; `false` if a side has no end. Any value will do, so no answer is missed.
    pub fn random(&self, session: &mut ValueSearch<'_>, random: &mut Random, used: &[Value]) -> bool {
        let unsure = session.uncertain;
        // Mostly values all over the range are possible.
        let (lo, hi) = match self.known(session) {
            [Some((lo, _)), Some((hi, _))] => (Some(lo), Some(hi)),
            _ => {
                let [lo, hi] = self.ends(session);
                (lo, hi)
            }
        };
        let bounded = lo.is_some() && hi.is_some();
        let used: Vec<Rational> = used.iter().filter_map(to_rational).collect();
        let drawn = (0..DRAWS).any(|_| {
            let value = match random.below(5) {
                0 if !used.is_empty() => used[random.below(used.len() as u64) as usize].clone(),
                _ => draw(lo.as_ref(), hi.as_ref(), random),
            };
            session.fix(self.term, Value::real(value))
        });
        if !drawn {
            self.cut(session, random, lo, hi);
        }
        session.uncertain = unsure;
        bounded
    }

    /// Narrows to a value of a set that draws do not hit: random parts of what is around it are cut off until one does, or
    /// little is left.
    fn cut(
        &self,
        session: &mut ValueSearch<'_>,
        random: &mut Random,
        mut lo: Option<Rational>,
        mut hi: Option<Rational>,
    ) {
        for _ in 0..CUTS {
            let at = draw(lo.as_ref(), hi.as_ref(), random);
            let sign = if random.below(2) == 0 { 1 } else { -1 };
            let kept = if self.limit(session, &(&at * Rational::from(sign)), sign, false) { sign } else { -sign };
            *(if kept == 1 { &mut hi } else { &mut lo }) = Some(at);
            let value = draw(lo.as_ref(), hi.as_ref(), random);
            if session.fix(self.term, Value::real(value)) {
                return;
            }
        }
        // What people have to read had better be short.
        let short = match (&lo, &hi) {
            (Some(lo), Some(hi)) if lo < hi => self.take(session, &simplest(lo, Some(hi)), 1),
            _ => false,
        };
        if let (false, Some(now)) = (short, self.now(session, 1)) {
            self.take(session, &now, 1);
        }
    }

    /// The value for the witness, mirrored.
    fn now(&self, session: &ValueSearch<'_>, sign: i64) -> Option<Rational> {
        Some(to_rational(&session.value(self.term)?)? * Rational::from(sign))
    }

    /// Adds that the mirrored value is at most a number, or below it, if that is possible.
    fn limit(&self, session: &mut ValueSearch<'_>, at: &Rational, sign: i64, strict: bool) -> bool {
        let at = Value::real(at * Rational::from(sign));
        let constant = session.pool.constant(at, session.sorts.real);
        let op = if strict { Op::Lt } else { Op::Le };
        let condition = match sign {
            1 => session.test(op, self.term, constant),
            _ => session.test(op, constant, self.term),
        };
        session.narrow(condition)
    }

    fn take(&self, session: &mut ValueSearch<'_>, mirrored: &Rational, sign: i64) -> bool {
        session.fix(self.term, Value::real(mirrored * Rational::from(sign)))
    }

    /// The bounds that are known without a question, each with whether it is excluded.
    fn known(&self, session: &mut ValueSearch<'_>) -> Extent {
        session.extent(self.symbol).unwrap_or_else(|| match session.sorts.get(self.sort) {
            Sort::Real { lo, hi } => [lo, hi].map(|end| end.clone().map(|at| (at, false))),
            _ => [None, None],
        })
    }

    /// Looks for the least of the mirrored values.
    fn end(&self, session: &mut ValueSearch<'_>, sign: i64) -> End {
        let (start, patient) = (session.mark(), session.uncertain);
        let Some(mut best) = self.now(session, sign) else { return End::Reached };
        let [lo, hi] = self.known(session);
        let bound = if sign == 1 { lo } else { hi };
        let bound = bound.map(|(at, excluded)| (at * Rational::from(sign), excluded));
        // Nothing is possible up to here, itself included.
        let mut floor = match bound {
            Some((bound, false)) if self.take(session, &bound, sign) => return End::Reached,
            Some((bound, true)) if self.is_open_at(session, &bound, sign) => {
                return self.next_to(session, start, &bound, sign);
            }
            Some((bound, _)) => bound,
            None => {
                if self.is_endless(session, sign) {
                    session.back(start);
                    return End::Endless;
                }
                let mut step = Rational::from(1);
                loop {
                    let target = &best - &step;
                    if !self.limit(session, &target, sign, false) {
                        break target;
                    }
                    best = self.now(session, sign).unwrap_or(target);
                    step *= Rational::from(4);
                    if session.uncertain != patient {
                        break best.clone();
                    }
                }
            }
        };
        for nearer in NEARER {
            let width = power(2, nearer);
            while &best - &floor > width && session.uncertain == patient {
                let middle = (&floor + &best) / Rational::from(2);
                match self.limit(session, &middle, sign, false) {
                    true => best = self.now(session, sign).unwrap_or(middle),
                    false => floor = middle,
                }
            }
            if session.uncertain == patient && self.is_open_at(session, &floor, sign) {
                return self.next_to(session, start, &floor, sign);
            }
            if session.uncertain == patient && !self.limit(session, &best, sign, true) {
                break;
            }
            best = self.now(session, sign).unwrap_or(best);
            let between = simplest(&floor, Some(&best));
            if session.uncertain == patient && between < best {
                match self.limit(session, &between, sign, false) {
                    true => best = self.now(session, sign).unwrap_or(between),
                    false => floor = between,
                }
                if session.uncertain == patient && floor < best && self.is_open_at(session, &floor, sign) {
                    return self.next_to(session, start, &floor, sign);
                }
            }
            if session.uncertain == patient && !self.limit(session, &best, sign, true) {
                break;
            }
            best = self.now(session, sign).unwrap_or(best);
            if nearer == NEARER[NEARER.len() - 1] {
                // There are values below this one; whether there is a least one was not found out.
                session.uncertain = true;
            }
        }
        self.take(session, &best, sign);
        End::Reached
    }

    /// Whether there are values farther out than anything that conditions speak of.
    fn is_endless(&self, session: &mut ValueSearch<'_>, sign: i64) -> bool {
        self.limit(session, &Rational::from(-far()), sign, false)
            && farther(session.pool).is_none_or(|out| self.limit(session, &Rational::from(-out), sign, false))
    }

    /// Whether there are values next to a number that is none.
    fn is_open_at(&self, session: &mut ValueSearch<'_>, end: &Rational, sign: i64) -> bool {
        let start = session.mark();
        let possible = self.limit(session, &(end + power(2, TINY)), sign, false);
        session.back(start);
        possible
    }

    /// Takes a readable value next to an end that is not reached, from before the end was looked for.
    fn next_to(&self, session: &mut ValueSearch<'_>, start: (usize, Witness), end: &Rational, sign: i64) -> End {
        session.back(start);
        let unsure = session.uncertain;
        if !NEXT.iter().any(|places| self.take(session, &(end + power(10, *places)), sign))
            && self.limit(session, &(end + power(2, TINY)), sign, false)
            && let Some(now) = self.now(session, sign)
        {
            self.take(session, &now, sign);
        }
        // Any value will do.
        session.uncertain = unsure;
        End::Open(end.clone())
    }
}

/// An interval is divided into this many parts: values with up to four places behind the point, which people can read.
const PARTS: u64 = 10_000;

/// A readable number between the ends; of any size where there is none.
pub(super) fn draw(lo: Option<&Rational>, hi: Option<&Rational>, random: &mut Random) -> Rational {
    if let (Some(lo), Some(hi)) = (lo, hi) {
        // Ten-thousandths of the interval are as good as any others; of what is near, the simplest number, since the ends
        // may be long, and what is drawn between what was drawn would get longer each time.
        let part = random.below(PARTS + 1);
        match part {
            0 => return lo.clone(),
            PARTS => return hi.clone(),
            _ if lo >= hi => return lo.clone(),
            _ => {}
        }
        if let Some(drawn) = draw_short(lo, hi, part) {
            return drawn;
        }
        let width = hi - lo;
        let [below, above] = [2 * part - 1, 2 * part + 1]
            .map(|n| lo + &width * rational(BigInt::from(n), BigInt::from(2 * PARTS)).unwrap_or(Rational::ZERO));
        return simplest(&below, Some(&above));
    }
    let digits = BigInt::from(random.below(100_000));
    let size = rational(digits, BigInt::from(10).pow(random.below(7) as usize)).unwrap_or(Rational::ZERO);
    let size = if random.below(4) == 0 { size * Rational::from(10_000) } else { size };
    match (lo, hi) {
        (Some(lo), _) => lo + size,
        (_, Some(hi)) => hi - size,
        _ if random.below(2) == 0 => size,
        _ => -size,
    }
}

/// The same between ends that are not too long, which is quicker.
fn draw_short(lo: &Rational, hi: &Rational, part: u64) -> Option<Rational> {
    let (lo, hi) = (Ratio::of(lo)?, Ratio::of(hi)?);
    let width = hi.sub(lo)?;
    let at = |n: u64| lo.add(width.mul(Ratio::new(i128::from(n), i128::from(2 * PARTS))?)?);
    Some(at(2 * part - 1)?.simplest(Some(at(2 * part + 1)?))?.rational())
}

/// `1 / base^exponent`
fn power(base: u8, exponent: usize) -> Rational {
    rational(BigInt::ONE, BigInt::from(base).pow(exponent)).unwrap_or(Rational::ZERO)
}

/// The rational with the least denominator above `a` and below `b`, which is greater, if there is an end; of these the
/// one nearest to zero.
fn simplest(a: &Rational, b: Option<&Rational>) -> Rational {
    let short = match b {
        Some(b) => Ratio::of(a).zip(Ratio::of(b)).and_then(|(a, b)| a.simplest(Some(b))),
        None => Ratio::of(a).and_then(|a| a.simplest(None)),
    };
    short.map_or_else(|| simplest_of_any(a, b), Ratio::rational)
}

/// The same of numbers of any length.
fn simplest_of_any(a: &Rational, b: Option<&Rational>) -> Rational {
    let zero = Rational::ZERO;
    let positive = b.is_none_or(|b| *b > zero);
    if *a < zero && positive {
        return zero;
    }
    if let (false, Some(b)) = (positive, b) {
        return -simplest_of_any(&-b.clone(), Some(&-a.clone()));
    }
    let whole = Rational::from(a.floor());
    let next = &whole + Rational::from(1);
    match b {
        Some(b) if next >= *b => {
            let (low, high) = (a - &whole, b - &whole);
            let inverse = if low == zero { None } else { Some(Rational::from(1) / low) };
            whole + Rational::from(1) / simplest_of_any(&(Rational::from(1) / high), inverse.as_ref())
        }
        _ => next,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_simplest_number_between_two_is_found() {
        let number = |n: i64, d: i64| rational(n.into(), d.into()).unwrap();
        for (a, b, expected) in [
            ((7, 1), (8, 1), (15, 2)),
            ((-1, 1), (1, 1), (0, 1)),
            ((3, 10), (34, 100), (1, 3)),
            ((0, 1), (1, 50), (1, 51)),
            ((-34, 100), (-3, 10), (-1, 3)),
            ((5, 2), (100, 1), (3, 1)),
            ((-9, 1), (0, 1), (-1, 1)),
            ((11_999_999, 100_000), (12_000_001, 100_000), (120, 1)),
        ] {
            let (a, b) = (number(a.0, a.1), number(b.0, b.1));
            for found in [simplest(&a, Some(&b)), simplest_of_any(&a, Some(&b))] {
                assert_eq!(found, number(expected.0, expected.1), "{a} {b}");
            }
        }
    }
}
