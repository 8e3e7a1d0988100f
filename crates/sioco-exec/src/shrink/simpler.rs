//! Simpler values: those nearer to zero, shorter, or of an earlier constructor. Repeated simplification
//! terminates.

use sioco_model::number::{self, BigInt, Rational};
use sioco_model::sort::{Sort, Sorts};
use sioco_model::{SortId, Value};

/// Of a long sequence, only this many items are left out one by one; halves are tried before, so that few are left.
const ITEMS: usize = 8;

/// Values that are simpler than one of this sort, the simplest first.
pub(super) fn simpler(sorts: &Sorts, sort: SortId, value: &Value) -> Vec<Value> {
    let least = sorts.default_value(sort);
    if *value == least {
        return Vec::new();
    }
    let mut found = vec![least.clone()];
    match (sorts.get(sort), value) {
        (Sort::Int { .. }, _) => {
            let both = number::to_big(value).zip(number::to_big(&least));
            found.extend(both.into_iter().flat_map(|(from, to)| nearer(&from, &to)).map(number::int));
        }
        (Sort::Real { .. }, Value::Real(real)) => found.extend(reals(real, &least)),
        (Sort::String, Value::Str(text)) => found.extend(texts(text)),
        (Sort::Data(data), value) => {
            let constructors = &sorts.data[*data].constructors;
            let constructor = value.constructor().unwrap_or(0);
            for (c, other) in (0..constructor).zip(constructors) {
                let fields = other.fields.iter().map(|f| sorts.default_value(f.sort)).collect();
                found.push(Value::data(c, fields));
            }
            if let (Value::Data(value), Some(own)) = (value, constructors.get(constructor as usize)) {
                for (i, (field, part)) in own.fields.iter().zip(value.fields.iter()).enumerate() {
                    for other in simpler(sorts, field.sort, part) {
                        let mut fields = value.fields.to_vec();
                        fields[i] = other;
                        found.push(Value::data(constructor, fields));
                    }
                }
            }
        }
        (Sort::Seq(item), Value::Seq(items)) => {
            found.push(Value::seq(items[..items.len() / 2].to_vec()));
            for i in (0..items.len()).take(ITEMS) {
                let mut rest = items.to_vec();
                rest.remove(i);
                found.push(Value::seq(rest));
            }
            for (i, part) in items.iter().enumerate().take(ITEMS) {
                for other in simpler(sorts, *item, part) {
                    let mut rest = items.to_vec();
                    rest[i] = other;
                    found.push(Value::seq(rest));
                }
            }
        }
        (Sort::Set(item), Value::Set(items)) => {
            found.push(Value::set(items[..items.len() / 2].to_vec()));
            for i in (0..items.len()).take(ITEMS) {
                let mut rest = items.to_vec();
                rest.remove(i);
                found.push(Value::set(rest));
            }
            for (i, part) in items.iter().enumerate().take(ITEMS) {
                for other in simpler(sorts, *item, part) {
                    let mut rest = items.to_vec();
                    rest[i] = other;
                    found.push(Value::set(rest));
                }
            }
        }
        (Sort::Map(key, item), Value::Map(entries)) => {
            // Two keys that become one are no map.
            let mut add = |entries: Vec<(Value, Value)>| found.extend(Value::map(entries));
            add(entries[..entries.len() / 2].to_vec());
            for i in (0..entries.len()).take(ITEMS) {
                let mut rest = entries.to_vec();
                rest.remove(i);
                add(rest);
            }
            for (i, (k, v)) in entries.iter().enumerate().take(ITEMS) {
                let keys = simpler(sorts, *key, k).into_iter().map(|k| (k, v.clone()));
                let values = simpler(sorts, *item, v).into_iter().map(|v| (k.clone(), v));
                for other in keys.chain(values) {
                    let mut rest = entries.to_vec();
                    rest[i] = other;
                    add(rest);
                }
            }
        }
        _ => {}
    }
    let mut seen = Vec::new();
    found.retain(|v| {
        let new = v != value && sorts.contains(sort, v) && !seen.contains(v);
        seen.push(v.clone());
        new
    });
    found
}

/// Numbers on the way to another one: half of the way first, then less and less of it. A negative one also becomes
/// positive.
fn nearer(from: &BigInt, to: &BigInt) -> Vec<BigInt> {
    let mut found = Vec::new();
    if *from < BigInt::ZERO {
        found.push(-from.clone());
    }
    let mut way = to - from;
    loop {
        // Rounded towards zero, so that it ends.
        way /= BigInt::from(2);
        if way == BigInt::ZERO {
            break;
        }
        found.push(from + &way);
    }
    // The last half of an odd way may have been more than one.
    let one = if to < from { -BigInt::ONE } else { BigInt::ONE };
    found.push(from + one);
    found
}

/// Whole numbers are simpler than others, and small ones than large ones.
fn reals(real: &Rational, least: &Value) -> Vec<Value> {
    let whole = real.trunc();
    if Rational::from(whole.clone()) != *real {
        return vec![Value::real(Rational::from(whole))];
    }
    let to = number::to_rational(least).map(|to| to.trunc()).unwrap_or_default();
    nearer(&whole, &to).into_iter().map(|n| Value::real(Rational::from(n))).collect()
}

/// Shorter texts, and those of plain letters.
fn texts(text: &str) -> Vec<Value> {
    let letters: Vec<char> = text.chars().collect();
    let n = letters.len();
    let of = |letters: &[char]| Value::string(&letters.iter().collect::<String>());
    let mut found = vec![of(&letters[..n / 2]), of(&letters[n / 2..])];
    if n > 0 {
        found.extend([of(&letters[..n - 1]), of(&letters[1..]), Value::string(&"a".repeat(n))]);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The value that is left if everything simpler is taken for which something holds, and how often it was asked.
    fn least(sorts: &Sorts, sort: SortId, value: Value, holds: impl Fn(&Value) -> bool) -> (Value, usize) {
        let (mut value, mut asked) = (value, 0);
        loop {
            let options = simpler(sorts, sort, &value);
            let next = options.into_iter().find(|v| {
                asked += 1;
                holds(v)
            });
            assert!(asked < 1000, "there is an end: {value}");
            match next {
                Some(next) => value = next,
                None => return (value, asked),
            }
        }
    }

    #[test]
    fn values_get_as_simple_as_they_can() {
        let mut sorts = Sorts::default();
        let int = sorts.int;
        let number = |v: &Value| match v {
            Value::Int(n) => *n,
            other => panic!("{other}"),
        };
        assert_eq!(least(&sorts, int, Value::Int(1000), |_| true).0, Value::Int(0));
        assert_eq!(least(&sorts, int, Value::Int(-7), |v| number(v) != 0).0, Value::Int(1));
        let (value, asked) = least(&sorts, int, Value::Int(1_000_000), |v| number(v) > 4321);
        assert!(value == Value::Int(4322) && asked < 300, "{value} after {asked}");
        assert_eq!(least(&sorts, int, Value::Int(-90), |v| number(v) < -10).0, Value::Int(-11));
        let some = sorts.intern(Sort::Int { lo: Some(BigInt::from(3)), hi: Some(BigInt::from(10)) });
        assert_eq!(least(&sorts, some, Value::Int(10), |_| true).0, Value::Int(3));
        let real = sorts.real;
        let r = |n: i64, d: i64| Value::real(number::rational(BigInt::from(n), BigInt::from(d)).expect("a fraction"));
        assert_eq!(least(&sorts, real, r(77, 10), |v| *v != r(0, 1)).0, r(1, 1));
        let string = sorts.string;
        let long = |v: &Value| matches!(v, Value::Str(s) if s.chars().count() >= 2);
        assert_eq!(least(&sorts, string, Value::string("näher"), long).0, Value::string("aa"));
        assert_eq!(least(&sorts, string, Value::string("x"), |_| true).0, Value::string(""));
        let seq = sorts.seq(int);
        let items = Value::seq([3, 9, 4].map(Value::Int).to_vec());
        let has = |v: &Value| matches!(v, Value::Seq(s) if s.iter().any(|i| number(i) > 5));
        assert_eq!(least(&sorts, seq, items, has).0, Value::seq(vec![Value::Int(6)]));
        assert_eq!(simpler(&sorts, sorts.bool, &Value::Bool(true)), [Value::Bool(false)]);
    }
}
