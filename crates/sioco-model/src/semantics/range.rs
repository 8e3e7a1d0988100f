//! Intervals of numbers, with arithmetic that never leaves a value out.
//!
//! Integers are bounded as far as bounds fit 64 bits. An end that does not is dropped, which only makes the interval
//! wider.

use std::ops::{Add, Mul, Neg, Sub};

use crate::number::Rational;

/// A number that intervals are made of.
pub(super) trait Number:
    Clone + Ord + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Neg<Output = Self>
{
    /// Zero.
    const NULL: Self;
    /// The number as a lower or an upper end: one that is kept may be further out, and `None` is no end at all.
    fn end(self, upper: bool) -> Option<Self>;
}

/// Between computations, integers fit 64 bits, so that sums and products of two fit 128.
impl Number for i128 {
    const NULL: i128 = 0;

    fn end(self, upper: bool) -> Option<i128> {
        let (least, greatest) = (i128::from(i64::MIN), i128::from(i64::MAX));
        match upper {
            true if self > greatest => None,
            true => Some(self.max(least)),
            false if self < least => None,
            false => Some(self.min(greatest)),
        }
    }
}

/// Numbers with more bits than this are no use as ends: to compute with them costs more than it saves.
const MOST_BITS: usize = 1 << 10;

impl Number for Rational {
    const NULL: Rational = Rational::ZERO;

    fn end(self, _: bool) -> Option<Rational> {
        use dashu_base::BitTest;
        let bits = self.numerator().bit_len().max(self.denominator().bit_len());
        (bits <= MOST_BITS).then_some(self)
    }
}

/// All numbers between two ends, which belong to it; an end that is missing is no bound.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Range<N> {
    pub lo: Option<N>,
    pub hi: Option<N>,
}

impl<N: Number> Range<N> {
    pub fn new(lo: Option<N>, hi: Option<N>) -> Range<N> {
        Range { lo: lo.and_then(|n| n.end(false)), hi: hi.and_then(|n| n.end(true)) }
    }

    pub fn is_empty(&self) -> bool {
        matches!((&self.lo, &self.hi), (Some(lo), Some(hi)) if lo > hi)
    }

    /// The only number, if there is just one.
    pub fn only(&self) -> Option<&N> {
        match (&self.lo, &self.hi) {
            (Some(lo), Some(hi)) if lo == hi => Some(lo),
            _ => None,
        }
    }

    pub fn meet(&self, other: &Range<N>) -> Range<N> {
        let lo = match (&self.lo, &other.lo) {
            (Some(a), Some(b)) => Some(a.clone().max(b.clone())),
            (a, b) => a.clone().or_else(|| b.clone()),
        };
        let hi = match (&self.hi, &other.hi) {
            (Some(a), Some(b)) => Some(a.clone().min(b.clone())),
            (a, b) => a.clone().or_else(|| b.clone()),
        };
        Range { lo, hi }
    }

    pub fn join(&self, other: &Range<N>) -> Range<N> {
        let lo = self.lo.clone().zip(other.lo.clone()).map(|(a, b)| a.min(b));
        let hi = self.hi.clone().zip(other.hi.clone()).map(|(a, b)| a.max(b));
        Range { lo, hi }
    }

    pub fn add(&self, other: &Range<N>) -> Range<N> {
        let sum = |a: &Option<N>, b: &Option<N>| Some(a.clone()? + b.clone()?);
        Range::new(sum(&self.lo, &other.lo), sum(&self.hi, &other.hi))
    }

    pub fn negate(&self) -> Range<N> {
        Range::new(self.hi.clone().map(|n| -n), self.lo.clone().map(|n| -n))
    }

    pub fn subtract(&self, other: &Range<N>) -> Range<N> {
        self.add(&other.negate())
    }

    pub fn multiply(&self, other: &Range<N>) -> Range<N> {
        let zero = N::NULL;
        if self.only() == Some(&zero) || other.only() == Some(&zero) {
            return Range { lo: Some(zero.clone()), hi: Some(zero) };
        }
        let (Some(a), Some(b), Some(c), Some(d)) = (&self.lo, &self.hi, &other.lo, &other.hi) else {
            // Where no factor is negative, neither is the product.
            let positive = |r: &Range<N>| r.lo.as_ref().is_some_and(|lo| *lo >= zero);
            let lo = (positive(self) && positive(other)).then(|| self.lo.clone().zip(other.lo.clone()));
            return Range::new(lo.flatten().map(|(a, b)| a * b), None);
        };
        let products = [(a, c), (a, d), (b, c), (b, d)].map(|(x, y)| x.clone() * y.clone());
        Range::new(products.iter().min().cloned(), products.iter().max().cloned())
    }

    pub fn absolute(&self) -> Range<N> {
        let zero = N::NULL;
        if self.lo.as_ref().is_some_and(|lo| *lo >= zero) {
            return self.clone();
        }
        if self.hi.as_ref().is_some_and(|hi| *hi <= zero) {
            return self.negate();
        }
        let far = self.lo.clone().zip(self.hi.clone()).map(|(lo, hi)| (-lo).max(hi));
        Range::new(Some(zero), far)
    }

    /// Numbers whose absolute value is here.
    pub fn either_sign(&self) -> Range<N> {
        Range::new(self.hi.clone().map(|n| -n), self.hi.clone())
    }

    /// The least of two numbers.
    pub fn least(&self, other: &Range<N>) -> Range<N> {
        let lo = self.lo.clone().zip(other.lo.clone()).map(|(a, b)| a.min(b));
        let hi = match (&self.hi, &other.hi) {
            (Some(a), Some(b)) => Some(a.clone().min(b.clone())),
            (a, b) => a.clone().or_else(|| b.clone()),
        };
        Range { lo, hi }
    }

    /// The greatest of two numbers.
    pub fn greatest(&self, other: &Range<N>) -> Range<N> {
        self.negate().least(&other.negate()).negate()
    }
}

impl Range<i128> {
    /// Euclidean quotients by a positive number.
    pub fn divide(&self, by: i128) -> Range<i128> {
        Range::new(self.lo.map(|n| n.div_euclid(by)), self.hi.map(|n| n.div_euclid(by)))
    }

    /// Numbers whose quotient by a positive number is here.
    pub fn undivide(&self, by: i128) -> Range<i128> {
        Range::new(self.lo.map(|n| n * by), self.hi.map(|n| n * by + by - 1))
    }

    /// Numbers that times a number, not zero, are here.
    pub fn unscale(&self, by: i128) -> Range<i128> {
        let r = if by > 0 { self.clone() } else { self.negate() };
        let by = by.abs();
        // The lower end rounded up, the upper one down.
        Range::new(r.lo.map(|n| -((-n).div_euclid(by))), r.hi.map(|n| n.div_euclid(by)))
    }
}

impl Range<Rational> {
    /// Numbers that times a number, not zero, are here.
    pub fn unscale(&self, by: &Rational) -> Range<Rational> {
        let (a, b) = (self.lo.as_ref().map(|n| n / by), self.hi.as_ref().map(|n| n / by));
        if *by > Rational::ZERO { Range::new(a, b) } else { Range::new(b, a) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(lo: i128, hi: i128) -> Range<i128> {
        Range { lo: Some(lo), hi: Some(hi) }
    }

    /// Every operation on all small intervals, with all their numbers.
    #[test]
    fn no_value_is_left_out() {
        let inside = |r: &Range<i128>, n: i128| r.lo.is_none_or(|lo| lo <= n) && r.hi.is_none_or(|hi| n <= hi);
        let ranges: Vec<Range<i128>> = (-4..=4).flat_map(|lo| (lo..=4).map(move |hi| of(lo, hi))).collect();
        for a in &ranges {
            for x in a.lo.unwrap()..=a.hi.unwrap() {
                assert!(inside(&a.negate(), -x) && inside(&a.absolute(), x.abs()), "{a:?} {x}");
                assert!(inside(&a.absolute().either_sign(), x), "{a:?} {x}");
                for by in 1..4 {
                    assert!(inside(&a.divide(by), x.div_euclid(by)), "{a:?} {x} {by}");
                    assert!(inside(&a.divide(by).undivide(by), x), "{a:?} {x} {by}");
                    for by in [by, -by] {
                        assert!(inside(&of(-4 * 3, 4 * 3).unscale(by), x), "{x} {by}");
                        let times = of(
                            (a.lo.unwrap() * by).min(a.hi.unwrap() * by),
                            (a.lo.unwrap() * by).max(a.hi.unwrap() * by),
                        );
                        assert_eq!(times.unscale(by), *a);
                    }
                }
                for b in &ranges {
                    for y in b.lo.unwrap()..=b.hi.unwrap() {
                        assert!(inside(&a.add(b), x + y) && inside(&a.subtract(b), x - y));
                        assert!(inside(&a.multiply(b), x * y), "{a:?} {b:?}");
                        assert!(inside(&a.least(b), x.min(y)) && inside(&a.greatest(b), x.max(y)));
                        assert!(inside(&a.join(b), x) && inside(&a.join(b), y));
                        assert_eq!(inside(&a.meet(b), x), inside(b, x));
                    }
                }
            }
        }
    }

    #[test]
    fn an_end_beyond_64_bits_is_none() {
        let most = i128::from(i64::MAX);
        let r = of(most - 1, most).add(&of(5, 5));
        assert_eq!(r, Range { lo: Some(most), hi: None });
        let r = of(-most, -most).multiply(&of(2, 2));
        assert_eq!(r, Range { lo: None, hi: Some(i128::from(i64::MIN)) });
        let half = Range { lo: Some(0), hi: None };
        assert_eq!(half.multiply(&half), half);
        assert_eq!(Range { lo: None, hi: None }.multiply(&of(0, 0)), of(0, 0));
        assert_eq!(half.multiply(&of(-1, 1)), Range { lo: None, hi: None });
    }
}
