//! Random values of symbols that no condition speaks of: those are drawn, nobody has to be asked.

use sioco_model::number::{self, BigInt, Rational, to_big, to_rational};
use sioco_model::semantics::interpreter::Draw;
use sioco_model::sort::{Sort, Sorts};
use sioco_model::{SortId, Value};

use super::other::{random_character, random_value};
use super::random::Random;
use super::real;

/// How large the numbers of an unbounded set are, as powers of two; each with the same chance.
const SIZES: [u32; 5] = [3, 7, 15, 31, 52];

/// How long texts are of which nothing is known, at most.
const LENGTH: u64 = 12;

/// How deep values in values are drawn; below there are the default ones.
const DEEP: u32 = 3;

/// A value of a sort, and whether the sort has finitely many or is bounded; nothing if there is none.
pub(super) fn draw(sorts: &Sorts, sort: SortId, random: &mut Random, used: &[Value]) -> Option<(Value, bool)> {
    match sorts.get(sort) {
        Sort::Int { lo, hi } => {
            if let (Some(lo), Some(hi)) = (lo, hi) {
                return Some((number::int(random.whole(lo, hi)), true));
            }
            let used: Vec<&Value> = used.iter().filter(|v| to_big(v).is_some() && sorts.contains(sort, v)).collect();
            Some((whole(lo.as_ref(), hi.as_ref(), random, &used), false))
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
            if let Some(count) = sorts.cardinality(sort) {
                return Some((sorts.nth_value(sort, random.below(count))?, true));
            }
            let used: Vec<&Value> = used.iter().filter(|v| sorts.contains(sort, v)).collect();
            let value = match random.below(5) {
                0 if !used.is_empty() => used[random.below(used.len() as u64) as usize].clone(),
                _ => random_value(sorts, sort, random, DEEP),
            };
            Some((value, is_bounded(sorts, sort)))
        }
    }
}

/// Whether the numbers in the values of a sort have ends, and none of them is as long as one likes.
fn is_bounded(sorts: &Sorts, sort: SortId) -> bool {
    match sorts.get(sort) {
        Sort::Bool => true,
        Sort::Int { lo, hi } => lo.is_some() && hi.is_some(),
        Sort::Real { lo, hi } => lo.is_some() && hi.is_some(),
        Sort::String | Sort::Seq(_) => false,
        Sort::Data(data) => {
            let mut fields = sorts.data[*data].constructors.iter().flat_map(|c| &c.fields);
            fields.all(|f| is_bounded(sorts, f.sort))
        }
    }
}

/// An integer of a set that has no end: small and large ones, and values that were used before.
pub(super) fn whole(lo: Option<&BigInt>, hi: Option<&BigInt>, random: &mut Random, used: &[&Value]) -> Value {
    let drawn = size(lo, hi, random);
    match random.below(4) {
        0 if !used.is_empty() => used[random.below(used.len() as u64) as usize].clone(),
        _ => number::int(drawn),
    }
}

/// A small or a large integer.
fn size(lo: Option<&BigInt>, hi: Option<&BigInt>, random: &mut Random) -> BigInt {
    let origin = lo.or(hi).cloned().unwrap_or(BigInt::ZERO);
    let size = SIZES[random.below(SIZES.len() as u64) as usize];
    let magnitude = random.between(0, 1 << size);
    let sign = match (lo, hi) {
        (Some(_), None) => 1,
        (None, Some(_)) => -1,
        _ => [1, -1][random.below(2) as usize],
    };
    origin + BigInt::from(sign * magnitude)
}

/// Values of parameters in known states are drawn like those of symbols.
impl Draw for Random {
    fn below(&mut self, n: u64) -> u64 {
        Random::below(self, n)
    }

    fn whole(&mut self, lo: Option<&BigInt>, hi: Option<&BigInt>) -> BigInt {
        match (lo, hi) {
            (Some(lo), Some(hi)) => Random::whole(self, lo, hi),
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
