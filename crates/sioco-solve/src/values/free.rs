//! Random values of symbols that no condition speaks of: those are drawn, nobody has to be asked.

use sioco_model::number::{BigInt, Rational, to_big, to_rational};
use sioco_model::semantics::interpreter::Draw;
use sioco_model::sort::{Sort, Sorts};
use sioco_model::{SortId, Value};

use super::other::random_character;
use super::random::Random;
use super::real;

/// How large the numbers of an unbounded set are, as powers of two; each with the same chance.
const SIZES: [u32; 5] = [3, 7, 15, 31, 52];

/// How long texts are of which nothing is known, at most.
const LENGTH: u64 = 12;

/// A value of a sort, and whether the sort has finitely many or is bounded; nothing for sorts whose values have a shape
/// that is chosen step by step.
pub(super) fn draw(sorts: &Sorts, sort: SortId, random: &mut Random, used: &[Value]) -> Option<(Value, bool)> {
    match sorts.get(sort) {
        Sort::Int { lo, hi } => {
            let small = |b: &Option<BigInt>| b.as_ref().map(|b| i64::try_from(b).ok());
            let (lo, hi) = match (small(lo), small(hi)) {
                (Some(None), _) | (_, Some(None)) => return None,
                (lo, hi) => (lo.flatten(), hi.flatten()),
            };
            if let (Some(lo), Some(hi)) = (lo, hi) {
                return Some((Value::Int(random.between(lo, hi)), true));
            }
            let used: Vec<&Value> = used.iter().filter(|v| to_big(v).is_some() && sorts.contains(sort, v)).collect();
            Some((whole(lo, hi, random, &used), false))
        }
        Sort::Real { lo, hi } => {
            let used: Vec<&Value> =
                used.iter().filter(|v| to_rational(v).is_some() && sorts.contains(sort, v)).collect();
            let value = match random.below(5) {
                0 if !used.is_empty() => used[random.below(used.len() as u64) as usize].clone(),
                _ => Value::real(real::draw(lo.as_ref(), hi.as_ref(), random)),
            };
            Some((value, lo.is_some() && hi.is_some()))
        }
        Sort::String => {
            let used: Vec<&Value> = used.iter().filter(|v| matches!(v, Value::Str(_))).collect();
            let value = match random.below(5) {
                0 if !used.is_empty() => used[random.below(used.len() as u64) as usize].clone(),
                _ => Value::string(&Draw::text(random, 0, None)),
            };
            Some((value, false))
        }
        _ => {
            let count = sorts.cardinality(sort)?;
            Some((sorts.nth_value(sort, random.below(count))?, true))
        }
    }
}

/// An integer of a set that has no end: small and large ones, and values that were used before.
pub(super) fn whole(lo: Option<i64>, hi: Option<i64>, random: &mut Random, used: &[&Value]) -> Value {
    let drawn = size(lo, hi, random);
    match random.below(4) {
        0 if !used.is_empty() => used[random.below(used.len() as u64) as usize].clone(),
        _ => Value::Int(drawn),
    }
}

/// A small or a large integer.
fn size(lo: Option<i64>, hi: Option<i64>, random: &mut Random) -> i64 {
    let origin = lo.or(hi).unwrap_or(0);
    let size = SIZES[random.below(SIZES.len() as u64) as usize];
    let magnitude = random.between(0, 1 << size);
    let sign = match (lo, hi) {
        (Some(_), None) => 1,
        (None, Some(_)) => -1,
        _ => [1, -1][random.below(2) as usize],
    };
    origin.saturating_add(sign * magnitude)
}

/// Values of parameters in known states are drawn like those of symbols.
impl Draw for Random {
    fn below(&mut self, n: u64) -> u64 {
        Random::below(self, n)
    }

    fn whole(&mut self, lo: Option<i64>, hi: Option<i64>) -> i64 {
        match (lo, hi) {
            (Some(lo), Some(hi)) => self.between(lo, hi),
            _ => size(lo, hi, self),
        }
    }

    fn text(&mut self, least: u64, most: Option<u64>) -> String {
        // As long as other random texts, but for those that have to be longer.
        let most = most.unwrap_or(u64::MAX).min(least.saturating_add(LENGTH));
        let length = least.saturating_add(Random::below(self, most.saturating_sub(least).saturating_add(1)));
        (0..length).map(|_| random_character(self)).collect()
    }

    fn real(&mut self, lo: Option<&Rational>, hi: Option<&Rational>) -> Rational {
        real::draw(lo, hi, self)
    }
}
