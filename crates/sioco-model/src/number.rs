//! Exact numbers: integers that never wrap and rationals that never round.
//!
//! Models speak of mathematical integers, while almost every value that occurs is small. So an integer is an `i64`
//! until an operation leaves that range, and only then a big integer; [`Value`] keeps the two apart, always in the
//! small form when the number fits, so that equality is equality of representations.

use std::cmp::Ordering;

use dashu_base::{Abs, BitTest, DivEuclid, RemEuclid, Sign};
use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;

use crate::value::Value;

/// An arbitrary-precision integer.
pub type BigInt = IBig;
/// An exact rational number, always reduced.
pub type Rational = RBig;

/// The largest numbers that are computed with, in bits: far more than any model needs, and little enough that a model
/// that squares a variable again and again ends in an error and not in a full memory.
pub const MAX_BITS: usize = 1 << 20;

/// Whether a number (or anything else) is not too large to compute with.
#[inline]
pub fn is_small(v: &Value) -> bool {
    bits(v) <= MAX_BITS
}

/// How many bits a number takes that does not fit 64; nothing for everything else.
#[inline]
pub fn bits(v: &Value) -> usize {
    match v {
        Value::BigInt(n) => n.bit_len(),
        Value::Real(r) => r.numerator().bit_len().max(r.denominator().bit_len()),
        _ => 0,
    }
}

/// The integer as a value, in the small form if it fits.
pub fn int(n: BigInt) -> Value {
    match i64::try_from(&n) {
        Ok(small) => Value::Int(small),
        Err(_) => Value::BigInt(n.into()),
    }
}

/// The integer of an `Int` value.
pub fn to_big(v: &Value) -> Option<BigInt> {
    match v {
        Value::Int(n) => Some(BigInt::from(*n)),
        Value::BigInt(n) => Some(n.as_ref().clone()),
        _ => None,
    }
}

/// The number of an `Int` or `Real` value.
pub fn to_rational(v: &Value) -> Option<Rational> {
    match v {
        Value::Real(r) => Some(r.as_ref().clone()),
        _ => to_big(v).map(Rational::from),
    }
}

/// How many bits the magnitude of an integer takes.
pub fn bit_len(n: &BigInt) -> usize {
    n.bit_len()
}

/// The integer of a magnitude, the least significant byte first.
pub fn from_le_bytes(bytes: &[u8]) -> BigInt {
    BigInt::from(UBig::from_le_bytes(bytes))
}

/// The integer half way between two others, or the one below that.
pub fn halfway(a: &BigInt, b: &BigInt) -> BigInt {
    (a + b).div_euclid(BigInt::from(2))
}

/// A rational from numerator and denominator; `None` for denominator zero.
pub fn rational(numerator: BigInt, denominator: BigInt) -> Option<Rational> {
    if denominator.is_zero() {
        return None;
    }
    Some(Rational::from_parts_signed(numerator, denominator))
}

/// A decimal literal such as `0.55`, exactly; `None` if it is not one.
pub fn parse_decimal(text: &str) -> Option<Rational> {
    let text: String = text.chars().filter(|c| *c != '_').collect();
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let digits = format!("{whole}{fraction}");
    let numerator = parse_integer(&digits)?;
    let denominator = BigInt::from(10).pow(fraction.len());
    rational(numerator, denominator)
}

/// A decimal integer of any length, with an optional sign; `None` if the text is not one.
pub fn parse_integer(text: &str) -> Option<BigInt> {
    let text: String = text.chars().filter(|c| *c != '_').collect();
    BigInt::from_str_radix(&text, 10).ok()
}

/// A number with more places behind the point is shown as a fraction: half a line of a terminal.
const MAX_PLACES: usize = 40;

/// The rational as an exact text that the language reads back: an integer, a finite decimal, or `a / b`.
pub fn show_rational(r: &Rational) -> String {
    let mut denominator = BigInt::from(r.denominator().clone());
    let (two, five, ten) = (BigInt::from(2), BigInt::from(5), BigInt::from(10));
    let (mut twos, mut fives) = (0usize, 0usize);
    // More places than are shown need not be counted: each takes as long as the number is.
    while twos <= MAX_PLACES && (&denominator % &two).is_zero() {
        denominator /= &two;
        twos += 1;
    }
    while fives <= MAX_PLACES && (&denominator % &five).is_zero() {
        denominator /= &five;
        fives += 1;
    }
    if !denominator.is_one() || twos.max(fives) > MAX_PLACES {
        return format!("{} / {}", r.numerator(), r.denominator());
    }
    let places = twos.max(fives);
    let scaled = r.numerator() * ten.pow(places) / BigInt::from(r.denominator().clone());
    let negative = scaled.sign() == Sign::Negative;
    let digits = format!("{:0>width$}", scaled.abs().to_string(), width = places + 1);
    let (whole, fraction) = digits.split_at(digits.len() - places);
    let sign = if negative { "-" } else { "" };
    // A real is always shown with a point, so that it cannot be taken for an Int.
    if fraction.is_empty() { format!("{sign}{whole}.0") } else { format!("{sign}{whole}.{fraction}") }
}

/// Sum of two integers.
pub fn add(a: &Value, b: &Value) -> Option<Value> {
    if let (Value::Int(x), Value::Int(y)) = (a, b)
        && let Some(z) = x.checked_add(*y)
    {
        return Some(Value::Int(z));
    }
    Some(int(to_big(a)? + to_big(b)?))
}

/// Difference of two integers.
pub fn sub(a: &Value, b: &Value) -> Option<Value> {
    if let (Value::Int(x), Value::Int(y)) = (a, b)
        && let Some(z) = x.checked_sub(*y)
    {
        return Some(Value::Int(z));
    }
    Some(int(to_big(a)? - to_big(b)?))
}

/// Product of two integers.
pub fn mul(a: &Value, b: &Value) -> Option<Value> {
    if let (Value::Int(x), Value::Int(y)) = (a, b)
        && let Some(z) = x.checked_mul(*y)
    {
        return Some(Value::Int(z));
    }
    Some(int(to_big(a)? * to_big(b)?))
}

/// Negation of an integer.
pub fn neg(a: &Value) -> Option<Value> {
    sub(&Value::Int(0), a)
}

/// Euclidean quotient: `a == b * (a div b) + (a mod b)` with `0 <= a mod b < |b|`; `None` for `b == 0`.
pub fn div(a: &Value, b: &Value) -> Option<Value> {
    if let (Value::Int(x), Value::Int(y)) = (a, b)
        && let Some(z) = x.checked_div_euclid(*y)
    {
        return Some(Value::Int(z));
    }
    let (a, b) = (to_big(a)?, to_big(b)?);
    if b.is_zero() { None } else { Some(int(a.div_euclid(b))) }
}

/// Euclidean remainder, never negative; `None` for `b == 0`.
pub fn modulo(a: &Value, b: &Value) -> Option<Value> {
    if let (Value::Int(x), Value::Int(y)) = (a, b)
        && let Some(z) = x.checked_rem_euclid(*y)
    {
        return Some(Value::Int(z));
    }
    let (a, b) = (to_big(a)?, to_big(b)?);
    if b.is_zero() { None } else { Some(int(BigInt::from(a.rem_euclid(b)))) }
}

/// Order of two rationals; nearly all are short, which is quick.
pub fn compare_rationals(a: &Rational, b: &Rational) -> Ordering {
    let short = |r: &Rational| Some((i64::try_from(r.numerator()).ok()?, u32::try_from(r.denominator()).ok()?));
    match (short(a), short(b)) {
        (Some((n, d)), Some((m, e))) => (i128::from(n) * i128::from(e)).cmp(&(i128::from(m) * i128::from(d))),
        _ => a.cmp(b),
    }
}

/// Order of two numbers of the same sort.
pub fn compare(a: &Value, b: &Value) -> Option<Ordering> {
    match (a, b) {
        (Value::Int(x), Value::Int(y)) => Some(x.cmp(y)),
        (Value::Real(x), Value::Real(y)) => Some(compare_rationals(x, y)),
        (Value::Real(_), _) | (_, Value::Real(_)) => None,
        _ => Some(to_big(a)?.cmp(&to_big(b)?)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_rationals_are_ordered_like_all() {
        let parts = [i64::MIN, -(1 << 33), -7, -1, 0, 1, 3, 1 << 31, u32::MAX.into(), 1 << 32, i64::MAX];
        let all = parts.iter().flat_map(|n| parts.iter().filter_map(|d| rational((*n).into(), (*d).into())));
        let all: Vec<Rational> = all.collect();
        for a in &all {
            for b in &all {
                assert_eq!(compare_rationals(a, b), a.cmp(b), "{a} {b}");
            }
        }
    }

    #[test]
    fn euclidean_division_has_a_remainder_that_is_never_negative() {
        for (a, b, q, r) in [(7, 2, 3, 1), (-7, 2, -4, 1), (7, -2, -3, 1), (-7, -2, 4, 1), (6, 3, 2, 0)] {
            assert_eq!(div(&Value::Int(a), &Value::Int(b)), Some(Value::Int(q)), "{a} div {b}");
            assert_eq!(modulo(&Value::Int(a), &Value::Int(b)), Some(Value::Int(r)), "{a} mod {b}");
        }
        assert_eq!(div(&Value::Int(1), &Value::Int(0)), None);
        assert_eq!(modulo(&Value::Int(1), &Value::Int(0)), None);
    }

    #[test]
    fn integers_grow_past_64_bits_and_shrink_back() {
        let big = add(&Value::Int(i64::MAX), &Value::Int(1)).unwrap();
        assert_eq!(big.to_string(), "9223372036854775808");
        assert_eq!(sub(&big, &Value::Int(1)), Some(Value::Int(i64::MAX)));
        let huge = mul(&big, &big).unwrap();
        assert_eq!(div(&huge, &big), Some(big.clone()));
        // The one quotient of two i64 values that is not an i64.
        assert_eq!(div(&Value::Int(i64::MIN), &Value::Int(-1)), Some(big));
        assert_eq!(modulo(&Value::Int(i64::MIN), &Value::Int(-1)), Some(Value::Int(0)));
        assert_eq!(neg(&Value::Int(i64::MIN)).unwrap().to_string(), "9223372036854775808");
    }

    #[test]
    fn half_way_is_below_where_there_is_no_middle() {
        for (a, b, middle) in [(2, 6, 4), (2, 5, 3), (-3, -2, -3), (-4, -1, -3), (-1, 0, -1), (7, 7, 7)] {
            assert_eq!(halfway(&a.into(), &b.into()), BigInt::from(middle), "{a} {b}");
        }
        let large = BigInt::ONE << 100;
        assert_eq!(halfway(&-large.clone(), &large), BigInt::ZERO);
        assert_eq!((bit_len(&large), from_le_bytes(&[1, 2])), (101, BigInt::from(513)));
    }

    #[test]
    fn rationals_are_shown_exactly() {
        for (text, shown) in [("0.55", "0.55"), ("3", "3.0"), ("0.045", "0.045"), ("2.50", "2.5")] {
            assert_eq!(show_rational(&parse_decimal(text).unwrap()), shown);
        }
        let third = rational(1.into(), 3.into()).unwrap();
        assert_eq!(show_rational(&third), "1 / 3");
        assert_eq!(show_rational(&-rational(1.into(), 8.into()).unwrap()), "-0.125");
        assert_eq!(rational(1.into(), 0.into()), None);
    }
}
