//! Substitution that computes what it can: the terms of symbolic states stay as small as their values are known.
//!
//! The result is equal to the plain substitution for all values, undefined ones included: only operations that are
//! defined are carried out, and only parts that cannot be undefined are dropped.

use rustc_hash::FxHashMap;
use sioco_model::eval::apply;
use sioco_model::sort::Sorts;
use sioco_model::term::{Op, Term, TermPool};
use sioco_model::{TermId, Value};

/// Replaces leaves and folds on the way up. `leaf` is asked once for every different leaf; `None` keeps it.
pub(crate) fn substitute(
    pool: &mut TermPool,
    sorts: &Sorts,
    term: TermId,
    done: &mut FxHashMap<TermId, TermId>,
    leaf: &mut dyn FnMut(&mut TermPool, &Term) -> Option<TermId>,
) -> TermId {
    if let Some(&result) = done.get(&term) {
        return result;
    }
    let result = match pool.get(term) {
        Term::Const(..) => term,
        Term::App(op, args) => {
            let (op, args) = (*op, args.clone());
            let new: Vec<TermId> = args.iter().map(|a| substitute(pool, sorts, *a, done, leaf)).collect();
            if new[..] == args[..] { term } else { rebuild(pool, sorts, op, &new, term) }
        }
        other => {
            let other = other.clone();
            leaf(pool, &other).unwrap_or(term)
        }
    };
    done.insert(term, result);
    result
}

/// Computes what can be computed without knowing any leaf.
pub(crate) fn simplify(
    pool: &mut TermPool,
    sorts: &Sorts,
    term: TermId,
    done: &mut FxHashMap<TermId, TermId>,
) -> TermId {
    if let Some(&result) = done.get(&term) {
        return result;
    }
    let Term::App(op, args) = pool.get(term) else { return term };
    let (op, args) = (*op, args.clone());
    let new: Vec<TermId> = args.iter().map(|a| simplify(pool, sorts, *a, done)).collect();
    let result = rebuild(pool, sorts, op, &new, term);
    done.insert(term, result);
    result
}

/// The operation on new arguments; `old` has the sort.
fn rebuild(pool: &mut TermPool, sorts: &Sorts, op: Op, args: &[TermId], old: TermId) -> TermId {
    let sort = pool.sort(old);
    match op {
        Op::And | Op::Or => {
            let result = if op == Op::And { pool.and(sorts, args) } else { pool.or(sorts, args) };
            // One part decides, if none before it can be undefined.
            let decided = match pool.get(result) {
                Term::App(o, parts) if *o == op && !pool.is_partial(result) => {
                    parts.last().is_some_and(|p| pool.as_const(*p) == Some(&Value::Bool(op == Op::Or)))
                }
                _ => false,
            };
            return if decided { pool.bool(sorts, op == Op::Or) } else { result };
        }
        Op::Not => return pool.not(sorts, args[0]),
        Op::Ite if args[1] == args[2] && !pool.is_partial(args[0]) => return args[1],
        Op::Ite => return pool.ite(args[0], args[1], args[2]),
        Op::Exists { .. } => {
            // A quantified constant says whether the sorts have values at all, which they have in a checked model.
            return match pool.as_const(args[0]) {
                Some(Value::Bool(false)) => args[0],
                _ => pool.app(op, args, sort),
            };
        }
        _ => {}
    }
    let constants: Option<Vec<Value>> = args.iter().map(|a| pool.as_const(*a).cloned()).collect();
    if let Some(values) = constants {
        let arg_sort = args.first().map(|a| pool.sort(*a));
        // `Construct` and `SeqLit` without arguments are constants already.
        if let Ok(value) = apply(sorts, op, &values, arg_sort) {
            return pool.constant(value, sort);
        }
        return pool.app(op, args, sort);
    }
    match op {
        Op::Eq if args[0] == args[1] && !pool.is_partial(args[0]) => pool.bool(sorts, true),
        Op::Add if sort == sorts.int => sum(pool, sorts, args),
        Op::Sub if sort == sorts.int => match pool.as_const(args[1]) {
            Some(Value::Int(n)) if *n != i64::MIN => {
                let negative = pool.constant(Value::Int(-n), sort);
                sum(pool, sorts, &[args[0], negative])
            }
            _ => pool.app(op, args, sort),
        },
        Op::Mod => remainder(pool, sorts, args),
        Op::Is(c) => match pool.get(args[0]) {
            Term::App(Op::Construct(d), fields) if !fields.iter().any(|f| pool.is_partial(*f)) => {
                let same = *d == c;
                pool.bool(sorts, same)
            }
            _ => pool.app(op, args, sort),
        },
        Op::Field(c, i) => match pool.get(args[0]) {
            Term::App(Op::Construct(d), fields) if *d == c && !fields.iter().any(|f| pool.is_partial(*f)) => {
                fields[i as usize]
            }
            _ => pool.app(op, args, sort),
        },
        _ => pool.app(op, args, sort),
    }
}

/// A remainder. Of one that was counted on, `(t mod n + c) mod n`, the inner one is not needed, and the constant is less than
/// the divisor: who counts round and round comes back to the same term. Other sums stay as they are, or they would grow.
fn remainder(pool: &mut TermPool, sorts: &Sorts, args: &[TermId]) -> TermId {
    let divisor = match pool.as_const(args[1]) {
        Some(Value::Int(n)) if *n > 0 => *n,
        _ => return pool.app(Op::Mod, args, sorts.int),
    };
    let parts = |pool: &TermPool, term: TermId| match pool.get(term) {
        Term::App(Op::Add, inner) => inner.to_vec(),
        _ => vec![term],
    };
    let mut sum_of = parts(pool, args[0]);
    let inner = match pool.get(sum_of[0]) {
        Term::App(Op::Mod, inner) if inner[1] == args[1] => Some(inner[0]),
        _ => None,
    };
    if let (Some(inner), true) = (inner, sum_of[1..].iter().all(|t| pool.as_const(*t).is_some())) {
        sum_of[0] = inner;
        let whole = sum(pool, sorts, &sum_of);
        sum_of = parts(pool, whole);
    }
    if let Some(last) = sum_of.last_mut()
        && let Some(Value::Int(n)) = pool.as_const(*last)
    {
        *last = pool.constant(Value::Int(n.rem_euclid(divisor)), sorts.int);
    }
    let whole = sum(pool, sorts, &sum_of);
    pool.app(Op::Mod, &[whole, args[1]], sorts.int)
}

/// A sum of more parts is not made flat: whoever doubles a value again and again would double its parts.
const PARTS: usize = 32;

/// A sum of integers, flat and with one constant at its end.
fn sum(pool: &mut TermPool, sorts: &Sorts, args: &[TermId]) -> TermId {
    let mut flat: Vec<TermId> = Vec::with_capacity(args.len());
    let mut constant: i64 = 0;
    for &arg in args {
        let nested: &[TermId] = match pool.get(arg) {
            Term::App(Op::Add, inner) => inner,
            _ => &[arg],
        };
        if flat.len() + nested.len() > PARTS {
            return pool.app(Op::Add, args, sorts.int);
        }
        for &t in nested {
            match pool.as_const(t) {
                Some(Value::Int(n)) => match constant.checked_add(*n) {
                    Some(sum) => constant = sum,
                    None => return pool.app(Op::Add, args, sorts.int),
                },
                _ => flat.push(t),
            }
        }
    }
    if constant != 0 || flat.is_empty() {
        let c = pool.constant(Value::Int(constant), sorts.int);
        flat.push(c);
    }
    if flat.len() == 1 { flat[0] } else { pool.app(Op::Add, &flat, sorts.int) }
}

/// The number of different subterms, counted up to a limit.
pub(crate) fn size_up_to(pool: &TermPool, term: TermId, limit: usize) -> usize {
    let mut seen: Vec<TermId> = Vec::with_capacity(limit + 1);
    let mut open = vec![term];
    while let Some(t) = open.pop() {
        if seen.contains(&t) {
            continue;
        }
        seen.push(t);
        if seen.len() > limit {
            break;
        }
        if let Term::App(_, args) = pool.get(t) {
            open.extend(args.iter().copied());
        }
    }
    seen.len()
}
