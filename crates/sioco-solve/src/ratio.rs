//! Exact rationals of 128 bits.
//!
//! Nearly all numbers in conditions are small, and a search computes with very many of them. Every operation says so when
//! a result does not fit; nothing is rounded.

use std::cmp::Ordering;

use sioco_model::Value;
use sioco_model::number::{BigInt, Rational, rational};

/// A rational, reduced, with a positive denominator; neither part is `i128::MIN`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Ratio {
    n: i128,
    d: i128,
}

/// The number as 64 bits, if it fits.
#[inline]
fn small(n: i128) -> Option<i64> {
    let small = n as i64;
    (i128::from(small) == n).then_some(small)
}

/// The product: mostly of small numbers, where it is a single instruction.
#[inline]
pub(crate) fn times(a: i128, b: i128) -> Option<i128> {
    match (small(a), small(b)) {
        (Some(a), Some(b)) => Some(i128::from(a) * i128::from(b)),
        _ => a.checked_mul(b).filter(|p| *p != i128::MIN),
    }
}

#[inline]
fn plus(a: i128, b: i128) -> Option<i128> {
    a.checked_add(b).filter(|p| *p != i128::MIN)
}

/// The greatest common divisor of small numbers.
#[inline]
fn small_divisor(a: u64, b: u64) -> u64 {
    let (mut a, mut b) = (a, b);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// The greatest common divisor.
pub(crate) fn divisor(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        if let (Ok(x), Ok(y)) = (u64::try_from(a), u64::try_from(b)) {
            return i128::from(small_divisor(x, y));
        }
        (a, b) = (b, a % b);
    }
    a as i128
}

/// `n / d` and what they have in common; neither is zero.
#[inline]
fn reduced(n: i128, d: i128) -> (i128, i128) {
    if let (Some(a), Some(b)) = (small(n), small(d)) {
        let by = small_divisor(a.unsigned_abs(), b.unsigned_abs());
        return match i64::try_from(by) {
            Ok(1) => (n, d),
            Ok(by) => (i128::from(a / by), i128::from(b / by)),
            Err(_) => (n / i128::from(by), d / i128::from(by)),
        };
    }
    match divisor(n, d) {
        1 => (n, d),
        by => (n / by, d / by),
    }
}

/// The simplest number between two positive ones of 64 bits: nothing has to be reduced on the way.
fn short_between(low: Ratio, high: Ratio) -> Option<(i64, i64)> {
    fn between((a, b): (i64, i64), (c, d): (i64, i64)) -> Option<(i64, i64)> {
        let whole = a / b;
        let (low, high) = (a - whole * b, c.checked_sub(whole.checked_mul(d)?)?);
        if d < high {
            return Some((whole.checked_add(1)?, 1));
        }
        // `whole + 1 / x`, for an `x` between `d / high` and `b / low`.
        let (n, d) = if low == 0 { ((d / high).checked_add(1)?, 1) } else { between((d, high), (b, low))? };
        Some((whole.checked_mul(n)?.checked_add(d)?, n))
    }
    if low.n < 0 || low >= high {
        return None;
    }
    between((small(low.n)?, small(low.d)?), (small(high.n)?, small(high.d)?))
}

impl Ratio {
    pub const ZERO: Ratio = Ratio { n: 0, d: 1 };
    pub const ONE: Ratio = Ratio { n: 1, d: 1 };

    /// `n / d`, reduced; nothing for a denominator of zero, and for what does not fit.
    pub fn new(n: i128, d: i128) -> Option<Ratio> {
        if d == 0 || n == i128::MIN || d == i128::MIN {
            return None;
        }
        match (n, d) {
            (_, 1) => Some(Ratio { n, d }),
            (0, _) => Some(Ratio::ZERO),
            _ => {
                let (n, d) = reduced(n, d);
                Some(if d < 0 { Ratio { n: -n, d: -d } } else { Ratio { n, d } })
            }
        }
    }

    /// A whole number.
    pub fn whole(n: i128) -> Option<Ratio> {
        Ratio::new(n, 1)
    }

    pub fn numerator(self) -> i128 {
        self.n
    }

    pub fn denominator(self) -> i128 {
        self.d
    }

    pub fn is_zero(self) -> bool {
        self.n == 0
    }

    /// Whether it is below zero.
    pub fn is_negative(self) -> bool {
        self.n < 0
    }

    /// Whether both parts have at most so many bits.
    pub fn is_within(self, bits: u32) -> bool {
        self.n.unsigned_abs() >> bits == 0 && self.d >> bits == 0
    }

    pub fn neg(self) -> Ratio {
        Ratio { n: -self.n, d: self.d }
    }

    pub fn add(self, other: Ratio) -> Option<Ratio> {
        if self.d == other.d {
            let n = plus(self.n, other.n)?;
            return if self.d == 1 { Some(Ratio { n, d: 1 }) } else { Ratio::new(n, self.d) };
        }
        if other.d == 1 {
            // What was reduced stays so.
            return Some(Ratio { n: plus(self.n, times(other.n, self.d)?)?, d: self.d });
        }
        if self.d == 1 {
            return Some(Ratio { n: plus(times(self.n, other.d)?, other.n)?, d: other.d });
        }
        let (right, left) = reduced(self.d, other.d);
        Ratio::new(plus(times(self.n, left)?, times(other.n, right)?)?, times(self.d, left)?)
    }

    pub fn sub(self, other: Ratio) -> Option<Ratio> {
        self.add(other.neg())
    }

    pub fn mul(self, other: Ratio) -> Option<Ratio> {
        if self.d == 1 && other.d == 1 {
            return Some(Ratio { n: times(self.n, other.n)?, d: 1 });
        }
        if self.n == 0 || other.n == 0 {
            return Some(Ratio::ZERO);
        }
        let (a, d) = if other.d == 1 { (self.n, 1) } else { reduced(self.n, other.d) };
        let (b, e) = if self.d == 1 { (other.n, 1) } else { reduced(other.n, self.d) };
        Some(Ratio { n: times(a, b)?, d: times(d, e)? })
    }

    /// A whole multiple.
    pub fn many(self, factor: i64) -> Option<Ratio> {
        match factor {
            1 => Some(self),
            -1 => Some(self.neg()),
            _ => self.mul(Ratio::from(factor)),
        }
    }

    /// The quotient; nothing for division by zero.
    pub fn div(self, other: Ratio) -> Option<Ratio> {
        match other.n {
            0 => None,
            1 if other.d == 1 => Some(self),
            -1 if other.d == 1 => Some(self.neg()),
            n => self.mul(Ratio { n: other.d * n.signum(), d: n.abs() }),
        }
    }

    /// The greatest integer not above.
    pub fn floor(self) -> i128 {
        match (small(self.n), small(self.d)) {
            _ if self.d == 1 => self.n,
            (Some(n), Some(d)) => i128::from(n.div_euclid(d)),
            _ => self.n.div_euclid(self.d),
        }
    }

    /// The least integer not below.
    pub fn ceil(self) -> i128 {
        -self.neg().floor()
    }

    /// Half way to another one.
    pub fn middle(self, other: Ratio) -> Option<Ratio> {
        self.add(other)?.mul(Ratio { n: 1, d: 2 })
    }

    /// The rational with the least denominator above this one and below the other, which is greater, if there is an end;
    /// of these the one nearest to zero.
    pub fn simplest(self, end: Option<Ratio>) -> Option<Ratio> {
        if let Some((n, d)) = end.and_then(|end| short_between(self, end)) {
            return Some(Ratio { n: i128::from(n), d: i128::from(d) });
        }
        let positive = end.is_none_or(|b| b.n > 0);
        if self.n < 0 && positive {
            return Some(Ratio::ZERO);
        }
        if let (false, Some(b)) = (positive, end) {
            return b.neg().simplest(Some(self.neg())).map(Ratio::neg);
        }
        let whole = Ratio::whole(self.floor())?;
        let next = whole.add(Ratio::ONE)?;
        match end {
            Some(b) if next >= b => {
                let (low, high) = (self.sub(whole)?, b.sub(whole)?);
                let inverse = if low.is_zero() { None } else { Some(Ratio::ONE.div(low)?) };
                whole.add(Ratio::ONE.div(Ratio::ONE.div(high)?.simplest(inverse)?)?)
            }
            _ => Some(next),
        }
    }

    /// The same number, if it fits.
    pub fn of(r: &Rational) -> Option<Ratio> {
        let n = i128::try_from(r.numerator()).ok()?;
        let d = i128::try_from(u128::try_from(r.denominator()).ok()?).ok()?;
        (n != i128::MIN).then_some(Ratio { n, d })
    }

    /// The number of a value, if it is one that fits.
    pub fn of_value(value: &Value) -> Option<Ratio> {
        match value {
            Value::Real(r) => Ratio::of(r),
            Value::Int(n) => Some(Ratio::from(*n)),
            _ => None,
        }
    }

    /// The same number.
    pub fn rational(self) -> Rational {
        match self.d {
            1 => Rational::from(BigInt::from(self.n)),
            d => rational(BigInt::from(self.n), BigInt::from(d)).unwrap_or(Rational::ZERO),
        }
    }

    /// The same number as a value.
    pub fn value(self) -> Value {
        Value::real(self.rational())
    }
}

impl From<i64> for Ratio {
    fn from(n: i64) -> Ratio {
        Ratio { n: i128::from(n), d: 1 }
    }
}

impl PartialOrd for Ratio {
    fn partial_cmp(&self, other: &Ratio) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ratio {
    fn cmp(&self, other: &Ratio) -> Ordering {
        if self.d == other.d {
            return self.n.cmp(&other.n);
        }
        if let (Some(a), Some(b)) = (times(self.n, other.d), times(other.n, self.d)) {
            return a.cmp(&b);
        }
        // Whole parts first, then what is left of both, upside down.
        let (mut a, mut b) = (*self, *other);
        loop {
            let (x, y) = (a.floor(), b.floor());
            let (left, right) = (a.n.rem_euclid(a.d), b.n.rem_euclid(b.d));
            match x.cmp(&y) {
                Ordering::Equal if left == 0 || right == 0 => return left.cmp(&right),
                Ordering::Equal => (a, b) = (Ratio { n: b.d, d: right }, Ratio { n: a.d, d: left }),
                other => return other,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Random(u64);

    impl Random {
        fn next(&mut self) -> u64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            self.0 >> 1
        }

        /// Of any size, small ones often.
        fn part(&mut self) -> i128 {
            let wide = (i128::from(self.next()) << 63) | i128::from(self.next());
            let n = wide >> (self.next() % 126);
            if self.next().is_multiple_of(2) { n } else { -n }
        }

        fn ratio(&mut self) -> Ratio {
            loop {
                let (n, d) = (self.part(), self.part());
                if let Some(r) = Ratio::new(n, d) {
                    return r;
                }
            }
        }
    }

    #[test]
    fn the_same_comes_out_as_with_numbers_of_any_size() {
        let mut random = Random(1);
        let mut fit = 0;
        for _ in 0..20_000 {
            let (a, b) = (random.ratio(), random.ratio());
            let (x, y) = (a.rational(), b.rational());
            assert_eq!(Ratio::of(&x), Some(a));
            let quotient = (!b.is_zero()).then(|| &x / &y);
            let results = [
                (a.add(b), Some(&x + &y)),
                (a.sub(b), Some(&x - &y)),
                (a.mul(b), Some(&x * &y)),
                (a.div(b), quotient),
                (a.middle(b), Some((&x + &y) / Rational::from(2))),
            ];
            for (found, expected) in results {
                if let Some(found) = found {
                    assert_eq!(Some(found.rational()), expected, "{a:?} {b:?}");
                    fit += 1;
                }
            }
            assert_eq!(a.cmp(&b), x.cmp(&y), "{a:?} {b:?}");
            assert_eq!(BigInt::from(a.floor()), x.floor());
            assert_eq!(BigInt::from(a.ceil()), x.ceil());
        }
        assert!(fit > 20_000, "{fit}");
    }

    #[test]
    fn the_simplest_number_between_two_is_found() {
        let number = |n, d| Ratio::new(n, d).unwrap();
        for (a, b, expected) in [
            ((7, 1), (8, 1), (15, 2)),
            ((-1, 1), (1, 1), (0, 1)),
            ((3, 10), (34, 100), (1, 3)),
            ((0, 1), (1, 50), (1, 51)),
            ((-34, 100), (-3, 10), (-1, 3)),
            ((5, 2), (100, 1), (3, 1)),
            ((-9, 1), (0, 1), (-1, 1)),
        ] {
            let (a, b) = (number(a.0, a.1), number(b.0, b.1));
            assert_eq!(a.simplest(Some(b)), Some(number(expected.0, expected.1)), "{a:?} {b:?}");
        }
        assert_eq!(number(15, 2).simplest(None), Some(number(8, 1)));
        // The quicker way gives the same.
        let mut random = Random(5);
        for _ in 0..5_000 {
            let mut part = || number(i128::from(random.next() % 5_000), 1 + i128::from(random.next() % 5_000));
            let (a, b) = (part(), part());
            let (a, b) = (a.min(b), a.max(b));
            if a < b {
                let found = a.simplest(Some(b)).unwrap();
                let slowly = b.neg().simplest(Some(a.neg())).unwrap();
                assert!(a < found && found < b && slowly == found.neg(), "{a:?} {b:?}");
                // Nothing with a smaller denominator is between.
                let smaller = |d| (a.mul(number(d, 1)).unwrap().floor() + 1) < b.mul(number(d, 1)).unwrap().ceil();
                assert!((1..found.d).all(|d| !smaller(d)), "{a:?} {b:?}");
            }
        }
    }
}
