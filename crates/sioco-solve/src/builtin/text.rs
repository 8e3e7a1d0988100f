//! Strings and sequences of which only a length and a token are known: some value with this length, another one for
//! another token.

use sioco_model::number::BigInt;
use sioco_model::sort::{Sort, Sorts};
use sioco_model::{SortId, Value};

/// Longer texts are left to others: each character is a term of its own.
const LONGEST: i64 = 10_000;

/// At most this many values are tried until one is not taken: as many others may be near.
const TRIES: u64 = 16;

/// A sequence is made of at most this many different items, or a string of as many characters: the alphabet.
const DIGITS: u64 = 26;

/// The length of a value that has one.
pub(super) fn length(value: &Value) -> Option<i64> {
    match value {
        Value::Str(s) => i64::try_from(s.chars().count()).ok(),
        Value::Seq(items) => i64::try_from(items.len()).ok(),
        _ => None,
    }
}

/// A value with this length that fits, different for different tokens as long as there are enough.
pub(super) fn of_length(
    sorts: &Sorts,
    sort: SortId,
    length: i64,
    token: i64,
    fits: &dyn Fn(&Value) -> bool,
) -> Option<Value> {
    if !(0..=LONGEST).contains(&length) {
        return None;
    }
    let first = token.unsigned_abs();
    // The last one is as good as any: whether it will do is found out by evaluation.
    let mut last = None;
    for number in (0..TRIES).map(|n| first.wrapping_add(n)) {
        let value = numbered(sorts, sort, length as usize, number)?;
        if fits(&value) {
            return Some(value);
        }
        last = Some(value);
    }
    last
}

/// A value of any length for a token that stands for none yet.
pub(super) fn of_token(sorts: &Sorts, sort: SortId, token: i64) -> Value {
    match sorts.get(sort) {
        // Some sequence that is most likely none of the known ones: its length depends on the token.
        Sort::Seq(item) => Value::seq(vec![sorts.default_value(*item); 1 + token.unsigned_abs() as usize % 16]),
        _ => Value::string(&format!("s{}", token.unsigned_abs())),
    }
}

/// The number, written with so many digits; those in front are left out where there are more.
fn numbered(sorts: &Sorts, sort: SortId, length: usize, mut number: u64) -> Option<Value> {
    match sorts.get(sort) {
        Sort::String => {
            let mut text = vec!['a'; length];
            for place in text.iter_mut().rev() {
                *place = char::from(b'a' + (number % DIGITS) as u8);
                number /= DIGITS;
            }
            Some(Value::string(&text.into_iter().collect::<String>()))
        }
        Sort::Seq(item) => {
            let mut items = vec![digit(sorts, *item, 0).0; length];
            for place in items.iter_mut().rev() {
                let (value, radix) = digit(sorts, *item, number);
                *place = value;
                number /= radix;
            }
            Some(Value::seq(items))
        }
        _ => None,
    }
}

/// The last digit of a number as a value of a sort, and how many digits there are.
fn digit(sorts: &Sorts, sort: SortId, number: u64) -> (Value, u64) {
    let least = sorts.default_value(sort);
    match (sorts.get(sort), &least) {
        (Sort::Bool, _) => (Value::Bool(number % 2 == 1), 2),
        (Sort::Int { hi, .. }, Value::Int(from)) => {
            let last = BigInt::from(*from) + BigInt::from(DIGITS - 1);
            let last = hi.as_ref().filter(|hi| **hi < last).unwrap_or(&last);
            let radix = u64::try_from(last - BigInt::from(*from)).map_or(1, |n| n + 1);
            (from.checked_add((number % radix) as i64).map_or(least, Value::Int), radix)
        }
        (Sort::String, _) => (Value::string(&char::from(b'a' + (number % DIGITS) as u8).to_string()), DIGITS),
        _ => (least, 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_tokens_are_other_values() {
        let mut sorts = Sorts::default();
        let bits = sorts.seq(sorts.bool);
        for (sort, length, most) in [(sorts.string, 2, 26 * 26), (bits, 4, 16), (sorts.string, 0, 1)] {
            let values: Vec<Value> =
                (0..most).map(|t| of_length(&sorts, sort, length, t, &|_| true).expect("it is short")).collect();
            for (i, value) in values.iter().enumerate() {
                assert!(super::length(value) == Some(length) && !values[..i].contains(value), "{value:?}");
                assert!(sorts.contains(sort, value));
            }
        }
        assert_eq!(of_length(&sorts, sorts.string, LONGEST + 1, 0, &|_| true), None);
    }

    #[test]
    fn values_that_are_taken_are_left_out() {
        let sorts = Sorts::default();
        let taken = Value::string("a");
        let found = of_length(&sorts, sorts.string, 1, 0, &|v| *v != taken).expect("there are others");
        assert_eq!(found, Value::string("b"));
    }
}
