//! How far out values are looked for before a side counts as one that has no end.

use sioco_model::number::{self, BigInt};
use sioco_model::term::{Term, TermPool};
use sioco_model::{Id, TermId, Value};

/// Mostly all numbers of a model are below this power of two, and a little more: a number that nobody writes.
const FAR: (usize, i64) = (62, 7_654_321);
/// Where some values are not possible, nothing is looked for beyond two to the power of this: numbers of some 1,200
/// digits, which no system takes.
const FARTHER: usize = 4_096;

fn large() -> BigInt {
    BigInt::ONE << FAR.0
}

/// What is possible beyond this, in a model of small numbers, has no end.
pub(super) fn far() -> BigInt {
    large() + BigInt::from(FAR.1)
}

/// How far out to look besides, where there are large numbers among the terms: an end may be one of them.
pub(super) fn farther(pool: &TermPool) -> Option<BigInt> {
    let farthest = BigInt::ONE << FARTHER;
    let (large, far) = (large(), far());
    // Not those that were looked for before.
    let is_large = |n: BigInt| {
        let n = if n < BigInt::ZERO { -n } else { n };
        n >= large && n != far && n < farthest
    };
    let is_large = |t: TermId| match pool.get(t) {
        Term::Const(value @ (Value::Int(_) | Value::BigInt(_)), _) => number::to_big(value).is_some_and(is_large),
        Term::Const(Value::Real(r), _) => is_large(r.trunc()),
        _ => false,
    };
    (0..pool.len()).map(TermId::from_index).any(is_large).then(|| farthest.clone())
}
