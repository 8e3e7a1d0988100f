//! Random values of a sort, whatever a model does with them.

use sioco_model::number::{self, BigInt, Rational};
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
        Sort::Int { lo, hi } => number::int(whole(lo.as_ref(), hi.as_ref(), random)),
        Sort::Real { lo, hi } => Value::real(real(lo.as_ref(), hi.as_ref(), random)),
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

/// An integer between bounds, as far as there are any, all with the same chance if there are two.
pub fn whole(lo: Option<&BigInt>, hi: Option<&BigInt>, random: &mut Random) -> BigInt {
    match (lo, hi) {
        (Some(lo), Some(hi)) => random.whole(lo, hi),
        (Some(lo), None) => lo + BigInt::from(magnitude(random)),
        (None, Some(hi)) => hi - BigInt::from(magnitude(random)),
        (None, None) => {
            let n = magnitude(random);
            BigInt::from(if random.below(2) == 0 { n } else { -n })
        }
    }
}

/// A number between bounds, as far as there are any.
pub fn real(lo: Option<&Rational>, hi: Option<&Rational>, random: &mut Random) -> Rational {
    let n = Rational::from(BigInt::from(magnitude(random)));
    let n = match random.below(3) {
        0 => n / Rational::from(BigInt::from(1 + random.below(16))),
        _ => n,
    };
    // Of two ends the number is between them; from one, it goes inside.
    let negative = lo.is_none() && random.below(2) == 0;
    match (lo, hi) {
        (Some(lo), Some(hi)) => {
            let part = Rational::from(BigInt::from(random.below(1025)));
            lo + (hi - lo) * part / Rational::from(BigInt::from(1024))
        }
        (Some(lo), None) => lo + n,
        (None, Some(hi)) => hi - n,
        (None, None) if negative => -n,
        (None, None) => n,
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Every value that is drawn is one of the sort, also beyond 64 bits and inside other values, and they are not all the
    /// same where there are many.
    #[test]
    fn drawn_values_fit_and_differ() {
        let two_to_100 = "1267650600228229401496703205376";
        let sorts = [
            ("Int in 0..9223372036854775807", 90),
            ("Int in 0..9223372036854775808", 90),
            ("Int in -9223372036854775809..0", 90),
            ("Int in 18446744073709551615..18446744073709551616", 2),
            ("Int in 18446744073709551616..", 20),
            ("Int in ..-18446744073709551616", 20),
            (&format!("Int in -{two_to_100}..{two_to_100}"), 90),
            (&format!("Int in {two_to_100}.."), 20),
            ("Int in 3..5", 3),
            ("Int", 20),
            ("Real in ..1.0", 20),
            ("Real in 1.5..", 20),
            (&format!("Real in -{two_to_100}.0..{two_to_100}.0"), 80),
            (&format!("Seq<Int in -{two_to_100}..{two_to_100}>"), 40),
            ("P", 90),
            ("V", 30),
        ];
        for (sort, least) in sorts {
            let text = format!(
                "type P = {{ a: Int in 1..9, b: Int in 0..{two_to_100} }}\ntype V = N | C(x: Int in 5..9) | D(y: Real in ..-2.5, z: P)\ninput i(p: {sort})\nprocess Q {{ init l {{ ?i(_) -> l }} }}"
            );
            let model = sioco_lang::check_text("m.sts", &text).model.expect("a model").model;
            let sort_id = model.gates.values().next().expect("a gate").params[0].sort;
            let mut random = Random::new(1);
            let drawn: Vec<Value> = (0..97).map(|_| draw(&model.sorts, sort_id, &mut random)).collect();
            assert!(drawn.iter().all(|v| model.sorts.contains(sort_id, v)), "{sort}: {drawn:?}");
            let mut different = drawn.clone();
            different.sort();
            different.dedup();
            assert!(different.len() >= least, "{sort}: {} different values of 97", different.len());
        }
    }
}
