//! Random values of a sort, whatever a model does with them.

use sioco_model::number::{self, Rational};
use sioco_model::sort::{Sort, Sorts};
use sioco_model::{SortId, Value};
use sioco_solve::values::Random;

/// How deep values in values are drawn; below there are the default ones.
const DEEP: u32 = 3;

/// Any value of a sort, all with the same chance as far as there are finitely many.
pub fn draw(sorts: &Sorts, sort: SortId, random: &mut Random) -> Value {
    nested(sorts, sort, random, 0)
}

fn nested(sorts: &Sorts, sort: SortId, random: &mut Random, depth: u32) -> Value {
    draw_with(sorts, sort, random, depth, &mut |sort, random, depth| nested(sorts, sort, random, depth))
}

/// The same, with somebody else to ask for the values in a value.
pub fn draw_with(
    sorts: &Sorts,
    sort: SortId,
    random: &mut Random,
    depth: u32,
    inner: &mut dyn FnMut(SortId, &mut Random, u32) -> Value,
) -> Value {
    match sorts.get(sort) {
        Sort::Bool => Value::Bool(random.below(2) == 1),
        Sort::Int { lo, hi } => {
            let small = |b: &Option<number::BigInt>| b.as_ref().map(|n| number::int(n.clone()));
            match (small(lo), small(hi)) {
                (Some(Value::Int(lo)), Some(Value::Int(hi))) => Value::Int(random.between(lo, hi)),
                (Some(Value::Int(lo)), None) => Value::Int(lo.saturating_add(magnitude(random))),
                (None, Some(Value::Int(hi))) => Value::Int(hi.saturating_sub(magnitude(random))),
                (None, None) => {
                    let n = magnitude(random);
                    Value::Int(if random.below(2) == 0 { n } else { -n })
                }
                _ => sorts.default_value(sort),
            }
        }
        Sort::Real { lo, hi } => {
            let n = Rational::from(number::BigInt::from(magnitude(random)));
            let n = match random.below(3) {
                0 => n / Rational::from(number::BigInt::from(1 + random.below(16))),
                _ => n,
            };
            let n = if lo.is_none() && random.below(2) == 0 { -n } else { n };
            match (lo, hi) {
                (Some(lo), Some(hi)) => {
                    let part = Rational::from(number::BigInt::from(random.below(1025)));
                    let all = Rational::from(number::BigInt::from(1024));
                    Value::real(lo + (hi - lo) * part / all)
                }
                (Some(lo), None) => Value::real(lo + n),
                (None, Some(hi)) => Value::real(hi - n),
                (None, None) => Value::real(n),
            }
        }
        Sort::String => {
            let length = random.below(6);
            let text: String = (0..length).map(|_| (b'a' + random.below(4) as u8) as char).collect();
            Value::string(&text)
        }
        Sort::Seq(item) if depth < DEEP => {
            let length = random.below(4);
            Value::seq((0..length).map(|_| inner(*item, random, depth + 1)).collect())
        }
        Sort::Data(data) => {
            let constructors = &sorts.data[*data].constructors;
            let flat = |c: &usize| depth < DEEP || constructors[*c].fields.is_empty();
            let fit: Vec<usize> = (0..constructors.len()).filter(flat).collect();
            let Some(&c) = fit.get(random.below(fit.len() as u64) as usize) else {
                return sorts.default_value(sort);
            };
            let fields = constructors[c].fields.iter().map(|f| inner(f.sort, random, depth + 1)).collect();
            Value::data(c as u32, fields)
        }
        Sort::Seq(_) => sorts.default_value(sort),
    }
}

/// A number of any size, small ones more often.
fn magnitude(random: &mut Random) -> i64 {
    match random.below(8) {
        0..=4 => random.below(11) as i64,
        5 | 6 => random.below(1_001) as i64,
        _ => {
            let bits = random.below(40);
            (random.bits() >> (63 - bits)) as i64
        }
    }
}
