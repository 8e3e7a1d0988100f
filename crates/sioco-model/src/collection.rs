//! Sets, maps and operations over collections, for both evaluators.

use crate::eval::{EvalError, bounded};
use crate::id::SortId;
use crate::number::{self, BigInt, Rational};
use crate::term::{Each, MAX_SPAN, Op};
use crate::value::{self, Value};

/// So many rounds operations over collections may make, counted together where one stands inside of another.
pub const MAX_ROUNDS: u64 = 100_000;

fn set(v: &Value) -> &[Value] {
    match v {
        Value::Set(items) => items,
        other => panic!("`{other}` is no set"),
    }
}

fn entries(v: &Value) -> &[(Value, Value)] {
    match v {
        Value::Map(entries) => entries,
        other => panic!("`{other}` is no map"),
    }
}

fn seq(v: &Value) -> &[Value] {
    match v {
        Value::Seq(items) => items,
        other => panic!("`{other}` is no sequence"),
    }
}

/// Where a key stands, or would.
fn find(map: &[(Value, Value)], key: &Value) -> Result<usize, usize> {
    map.binary_search_by(|(k, _)| k.cmp(key))
}

fn position(v: &Value) -> Option<usize> {
    match v {
        Value::Int(n) => usize::try_from(*n).ok(),
        _ => None,
    }
}

fn outside(index: &Value, len: usize) -> EvalError {
    EvalError::IndexOutOfRange { index: index.to_string(), len }
}

/// A set of items that are in order, each once.
fn sorted(items: Vec<Value>) -> Value {
    Value::Set(items.into())
}

/// The operations on sets and maps, and changes of sequences; `arg_sort` is the sort of the first argument.
pub(crate) fn apply(op: Op, v: &[Value], arg_sort: Option<SortId>) -> Result<Value, EvalError> {
    let key_sort = || arg_sort.expect("an operation with an argument");
    // What becomes larger is not larger than its parts together.
    let grows = matches!(
        op,
        Op::SetLit | Op::MapLit | Op::Replace | Op::Put | Op::Include | Op::InsertAt | Op::Union | Op::Merge
    );
    if grows && !value::small(v) {
        return Err(EvalError::TooLarge);
    }
    Ok(match op {
        Op::SetLit => Value::set(v.to_vec()),
        Op::MapLit => {
            let all = v.chunks_exact(2).map(|pair| (pair[0].clone(), pair[1].clone())).collect();
            Value::map(all).map_err(|key| EvalError::DuplicateKey { key, sort: key_sort() })?
        }
        Op::Size => match &v[0] {
            Value::Map(entries) => Value::Int(entries.len() as i64),
            other => Value::Int(set(other).len() as i64),
        },
        Op::Has => match &v[0] {
            Value::Map(entries) => Value::Bool(find(entries, &v[1]).is_ok()),
            other => Value::Bool(set(other).binary_search(&v[1]).is_ok()),
        },
        Op::Lookup => match find(entries(&v[0]), &v[1]) {
            Ok(i) => entries(&v[0])[i].1.clone(),
            Err(_) => return Err(EvalError::NoSuchKey { key: v[1].clone(), sort: key_sort() }),
        },
        Op::Put => {
            let mut new = entries(&v[0]).to_vec();
            match find(&new, &v[1]) {
                Ok(i) => new[i].1 = v[2].clone(),
                Err(i) => new.insert(i, (v[1].clone(), v[2].clone())),
            }
            Value::Map(new.into())
        }
        Op::Include => match set(&v[0]).binary_search(&v[1]) {
            Ok(_) => v[0].clone(),
            Err(i) => {
                let mut new = set(&v[0]).to_vec();
                new.insert(i, v[1].clone());
                sorted(new)
            }
        },
        Op::Exclude => match &v[0] {
            Value::Map(entries) => match find(entries, &v[1]) {
                Ok(i) => {
                    let mut new = entries.to_vec();
                    new.remove(i);
                    Value::Map(new.into())
                }
                Err(_) => v[0].clone(),
            },
            other => match set(other).binary_search(&v[1]) {
                Ok(i) => {
                    let mut new = set(other).to_vec();
                    new.remove(i);
                    sorted(new)
                }
                Err(_) => other.clone(),
            },
        },
        Op::Replace | Op::RemoveAt | Op::InsertAt => return changed(op, v),
        Op::Union | Op::Intersection | Op::Difference | Op::Subset => sets(op, set(&v[0]), set(&v[1])),
        Op::Merge => {
            let second = entries(&v[1]);
            let mut all: Vec<_> = entries(&v[0]).iter().filter(|(k, _)| find(second, k).is_err()).cloned().collect();
            all.extend(second.iter().cloned());
            all.sort_by(|a, b| a.0.cmp(&b.0));
            Value::Map(all.into())
        }
        Op::Keys => sorted(entries(&v[0]).iter().map(|(k, _)| k.clone()).collect()),
        Op::Values => Value::seq(entries(&v[0]).iter().map(|(_, v)| v.clone()).collect()),
        Op::ToSeq => Value::seq(set(&v[0]).to_vec()),
        Op::ToSet => Value::set(seq(&v[0]).to_vec()),
        Op::Span => return span(&v[0], &v[1]),
        Op::Apart if v[1..].contains(&v[0]) => {
            return Err(EvalError::SamePlace { key: v[0].clone(), sort: key_sort() });
        }
        Op::Apart => v[0].clone(),
        Op::Beyond => {
            let function = match &v[0] {
                Value::Str(name) => name.to_string(),
                other => other.to_string(),
            };
            return Err(EvalError::TooDeep { function, bound: v[1].to_string() });
        }
        _ => unreachable!("not an operation on collections"),
    })
}

/// A sequence with a change at a position.
fn changed(op: Op, v: &[Value]) -> Result<Value, EvalError> {
    let mut new = seq(&v[0]).to_vec();
    let room = new.len() + usize::from(op == Op::InsertAt);
    let Some(at) = position(&v[1]).filter(|i| *i < room) else { return Err(outside(&v[1], new.len())) };
    match op {
        Op::Replace => new[at] = v[2].clone(),
        Op::InsertAt => new.insert(at, v[2].clone()),
        _ => drop(new.remove(at)),
    }
    Ok(Value::seq(new))
}

/// An operation on two sets.
fn sets(op: Op, a: &[Value], b: &[Value]) -> Value {
    let keep = |inside: bool| sorted(a.iter().filter(|x| b.binary_search(x).is_ok() == inside).cloned().collect());
    match op {
        Op::Union => Value::set(a.iter().chain(b).cloned().collect()),
        Op::Intersection => keep(true),
        Op::Difference => keep(false),
        _ => Value::Bool(a.iter().all(|x| b.binary_search(x).is_ok())),
    }
}

fn span(from: &Value, to: &Value) -> Result<Value, EvalError> {
    let big = |v: &Value| number::to_big(v).expect("a well-sorted integer");
    let (from, to) = (big(from), big(to));
    if from > to {
        return Ok(Value::seq(Vec::new()));
    }
    let count = &to - &from + BigInt::ONE;
    match i64::try_from(&count) {
        Ok(count) if count <= MAX_SPAN => {
            Ok(Value::seq((0..count).map(|i| number::int(&from + BigInt::from(i))).collect()))
        }
        _ => Err(EvalError::TooManyNumbers),
    }
}

/// The rounds that an operation over a collection makes, with those around it.
///
/// # Errors
/// If they are too many.
pub fn rounds(before: u64, collection: &Value) -> Result<u64, EvalError> {
    let count = match collection {
        Value::Seq(items) | Value::Set(items) => items.len(),
        Value::Map(entries) => entries.len(),
        other => panic!("`{other}` is no collection"),
    };
    let all = before.max(1).saturating_mul((count as u64).max(1));
    if all > MAX_ROUNDS { Err(EvalError::TooManyRounds) } else { Ok(all) }
}

/// An operation over a collection. `body` has the value of the last argument for values of the bound variables, of which
/// there are `count`; `start` is where a fold starts. `real` says that a sum is a real number.
///
/// # Errors
/// If it is undefined, or too large.
///
/// # Panics
/// If the values are not well sorted.
pub fn each(
    each: Each,
    collection: &Value,
    start: Option<Value>,
    count: usize,
    real: bool,
    body: &mut dyn FnMut(&[Value]) -> Result<Value, EvalError>,
) -> Result<Value, EvalError> {
    let (len, fold) = match collection {
        Value::Seq(items) | Value::Set(items) => (items.len(), each == Each::Fold),
        Value::Map(entries) => (entries.len(), each == Each::Fold),
        other => panic!("`{other}` is no collection"),
    };
    let names = count - usize::from(fold);
    // What the names stand for in a round, and the item, or the key, itself.
    let round = |i: usize| -> (Vec<Value>, Value) {
        match collection {
            Value::Map(entries) => {
                let (k, v) = &entries[i];
                (if names == 2 { vec![k.clone(), v.clone()] } else { vec![k.clone()] }, k.clone())
            }
            Value::Seq(items) | Value::Set(items) => {
                let item = items[i].clone();
                (if names == 2 { vec![Value::Int(i as i64), item.clone()] } else { vec![item.clone()] }, item)
            }
            other => panic!("`{other}` is no collection"),
        }
    };
    let truth = |v: Value| v.as_bool().expect("a well-sorted condition");
    let mut kept: Vec<Value> = Vec::new();
    let mut pairs: Vec<(Value, Value)> = Vec::new();
    let mut found = 0i64;
    let mut sum = if real { Value::real(Rational::ZERO) } else { Value::Int(0) };
    let mut best: Option<(Value, Value)> = None;
    let mut acc = start;
    for i in 0..len {
        let (mut bound, item) = round(i);
        bound.extend(acc.take());
        let result = body(&bound)?;
        match each {
            Each::Any if truth(result.clone()) => return Ok(Value::Bool(true)),
            Each::All if !truth(result.clone()) => return Ok(Value::Bool(false)),
            Each::Any | Each::All => {}
            Each::FirstIndex if truth(result.clone()) => return Ok(Value::Int(i as i64)),
            Each::FirstIndex => {}
            Each::Count => found += i64::from(truth(result)),
            Each::Sum if real => {
                let parts = number::to_rational(&sum).zip(number::to_rational(&result));
                let (a, b) = parts.expect("well-sorted numbers");
                sum = bounded(Value::real(a + b))?;
            }
            Each::Sum => sum = bounded(number::add(&sum, &result).expect("well-sorted integers"))?,
            Each::Filter if truth(result.clone()) => match collection {
                Value::Map(entries) => pairs.push(entries[i].clone()),
                _ => kept.push(item),
            },
            Each::Filter => {}
            Each::Map => match collection {
                Value::Map(_) => pairs.push((item, result)),
                _ => kept.push(result),
            },
            Each::Least | Each::Greatest => {
                let better = best.as_ref().is_none_or(|(_, key)| match each {
                    Each::Least => result < *key,
                    _ => result > *key,
                });
                if better {
                    best = Some((item, result));
                }
            }
            Each::Fold => acc = Some(result),
        }
    }
    Ok(match each {
        Each::Any => Value::Bool(false),
        Each::All => Value::Bool(true),
        Each::FirstIndex => return Err(EvalError::NotFound),
        Each::Count => Value::Int(found),
        Each::Sum => sum,
        Each::Filter | Each::Map => {
            let result = match collection {
                Value::Map(_) => Value::Map(pairs.into()),
                Value::Set(_) => Value::set(kept),
                _ => Value::seq(kept),
            };
            if each == Each::Map && !value::small(std::slice::from_ref(&result)) {
                return Err(EvalError::TooLarge);
            }
            result
        }
        Each::Least | Each::Greatest => match best {
            Some((item, _)) => item,
            None => return Err(EvalError::NothingToChoose),
        },
        Each::Fold => acc.expect("a fold has a start"),
    })
}
