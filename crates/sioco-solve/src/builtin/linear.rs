//! Linear forms over the variables of the store: `c1 * x1 + … + cn * xn + constant`.
//!
//! Coefficients are machine integers, and every operation says so when a result would leave the range in which the
//! sums of the propagation cannot overflow 128 bits: the caller then treats the term as not linear.

/// A variable of the store.
pub(crate) type Var = u32;

/// Greatest coefficient: times a 64-bit bound and summed over [`MAX_TERMS`] it stays far below 2^127.
const MAX_COEFFICIENT: i64 = 1 << 40;
/// Greatest constant: with the sum of all terms it stays below 2^127.
const MAX_CONSTANT: i128 = 1 << 90;
/// Most variables in one form. A guard has a few; with [`MAX_COEFFICIENT`] and 64-bit bounds, sums of this many cannot
/// overflow.
const MAX_TERMS: usize = 1 << 14;

/// A linear form; terms are ordered by variable and have no zero coefficient.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Linear {
    pub terms: Vec<(Var, i64)>,
    pub constant: i128,
}

impl Linear {
    /// A constant, if it is not too large.
    pub fn constant(constant: i128) -> Option<Linear> {
        Linear { terms: Vec::new(), constant }.within()
    }

    /// A variable.
    pub fn var(var: Var) -> Linear {
        Linear { terms: vec![(var, 1)], constant: 0 }
    }

    fn within(self) -> Option<Linear> {
        let small = self.constant.abs() <= MAX_CONSTANT && self.terms.len() <= MAX_TERMS;
        small.then_some(self)
    }

    /// `self + factor * other`.
    pub fn add(&self, other: &Linear, factor: i64) -> Option<Linear> {
        let mut terms = Vec::with_capacity(self.terms.len() + other.terms.len());
        let (mut i, mut j) = (0, 0);
        while i < self.terms.len() || j < other.terms.len() {
            let left = self.terms.get(i).map_or(Var::MAX, |t| t.0);
            let right = other.terms.get(j).map_or(Var::MAX, |t| t.0);
            let mut coefficient = 0i64;
            if left <= right {
                coefficient = self.terms[i].1;
                i += 1;
            }
            if right <= left {
                coefficient = coefficient.checked_add(other.terms[j].1.checked_mul(factor)?)?;
                j += 1;
            }
            if coefficient.checked_abs()? > MAX_COEFFICIENT {
                return None;
            }
            if coefficient != 0 {
                terms.push((left.min(right), coefficient));
            }
        }
        let constant = self.constant.checked_add(other.constant.checked_mul(i128::from(factor))?)?;
        Linear { terms, constant }.within()
    }

    /// `factor * self`.
    pub fn scale(&self, factor: i128) -> Option<Linear> {
        Linear::default().add(self, i64::try_from(factor).ok()?)
    }

    /// The constant, if there are no variables.
    pub fn as_constant(&self) -> Option<i128> {
        self.terms.is_empty().then_some(self.constant)
    }
}

/// How a linear form stands to a constant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Relation {
    /// At most.
    Le,
    /// Equal.
    Eq,
    /// Not equal.
    Ne,
}

/// The greatest common divisor.
pub(crate) fn gcd(a: i64, b: i64) -> i64 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_keep_their_order_and_cancel() {
        let (x, y) = (Linear::var(1), Linear::var(2));
        let sum = y.add(&x, 3).unwrap().add(&Linear::constant(5).unwrap(), 1).unwrap();
        assert_eq!(sum, Linear { terms: vec![(1, 3), (2, 1)], constant: 5 });
        assert_eq!(sum.add(&sum, -1).unwrap().as_constant(), Some(0));
    }

    #[test]
    fn what_is_too_large_is_not_linear() {
        let x = Linear::var(0);
        assert!(x.scale(1 << 40).is_some());
        assert!(x.scale(1 << 41).is_none());
        assert!(x.scale(i128::from(i64::MIN)).is_none());
        assert!(x.scale(i128::MAX).is_none());
        assert!(Linear::constant(i128::MAX).is_none() && Linear::constant(i128::MIN + 1).is_none());
    }
}
