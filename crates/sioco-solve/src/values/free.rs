//! Random values of symbols that occur in no condition. They are drawn without a question to the solver.

use sioco_model::number::{self, BigInt, Rational, to_big, to_rational};
use sioco_model::random::Random;
use sioco_model::sample::{self, Draw};
use sioco_model::sort::{Sort, Sorts};
use sioco_model::{SortId, Value};

use super::other::random_character;
use super::real;

/// How large the numbers of an unbounded set are, as powers of two; each with the same chance.
const SIZES: [u32; 5] = [3, 7, 15, 31, 52];

/// Texts of which nothing is known are at most this long: easy to read in a trace, and longer than most fields need.
const LENGTH: u64 = 12;

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
                _ => Value::string(&AnySize(random).text(0, None)),
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
                _ => inner(sorts, sort, random, 0),
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
        Sort::Set(item) => is_bounded(sorts, *item),
        Sort::Map(key, value) => is_bounded(sorts, *key) && is_bounded(sorts, *value),
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

/// Numbers of any size, and texts that programs stumble over. Values of parameters in known states are drawn like those of
/// symbols.
#[derive(Debug)]
pub struct AnySize<'r>(pub &'r mut Random);

impl Draw for AnySize<'_> {
    fn source(&mut self) -> &mut Random {
        self.0
    }

    fn whole(&mut self, lo: Option<&BigInt>, hi: Option<&BigInt>) -> BigInt {
        match (lo, hi) {
            (Some(lo), Some(hi)) => self.0.whole(lo, hi),
            _ => size(lo, hi, self.0),
        }
    }

    fn real(&mut self, lo: Option<&Rational>, hi: Option<&Rational>) -> Rational {
        real::draw(lo, hi, self.0)
    }

    fn text(&mut self, least: u64, most: Option<u64>) -> String {
        // As long as other random texts, but for those that have to be longer.
        let length = sample::text_length(self.0, least, most, LENGTH);
        (0..length).map(|_| random_character(self.0)).collect()
    }

    fn length(&mut self) -> u64 {
        self.0.below(5)
    }
}

/// The same inside of other values: there are numbers that are not large, and where there are finitely many values, all
/// have the same chance.
struct Inner<'r>(AnySize<'r>);

impl Draw for Inner<'_> {
    fn source(&mut self) -> &mut Random {
        self.0.source()
    }

    fn whole(&mut self, lo: Option<&BigInt>, hi: Option<&BigInt>) -> BigInt {
        let n = self.source().between(-1_000, 1_000);
        let (far, n) = (BigInt::from(n.abs()), BigInt::from(n));
        match (lo, hi) {
            (Some(lo), Some(hi)) => self.source().whole(lo, hi),
            // From the end, where zero is not inside.
            (Some(lo), None) if n < *lo => lo + far,
            (None, Some(hi)) if n > *hi => hi - far,
            _ => n,
        }
    }

    fn real(&mut self, lo: Option<&Rational>, hi: Option<&Rational>) -> Rational {
        self.0.real(lo, hi)
    }

    fn text(&mut self, least: u64, most: Option<u64>) -> String {
        self.0.text(least, most)
    }

    fn length(&mut self) -> u64 {
        self.0.length()
    }

    fn instead(&mut self, sorts: &Sorts, sort: SortId, _depth: u32) -> Option<Value> {
        let count = sorts.cardinality(sort)?;
        sorts.nth_value(sort, self.source().below(count))
    }
}

/// Some value of a sort, inside so many others.
pub(super) fn inner(sorts: &Sorts, sort: SortId, random: &mut Random, depth: u32) -> Value {
    sample::value_inside(sorts, sort, depth, &mut Inner(AnySize(random)))
}
