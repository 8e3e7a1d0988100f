//! The simplifier: it makes terms as small as the knowledge about their parts allows, and determines what is
//! plain to see about a condition.
//!
//! The result equals the plain operation for all values, and is undefined for the same values. So the simplifier carries
//! out an operation only where it is defined, and drops a part only if it cannot be undefined. A formula that states its
//! conditions of definedness explicitly may treat all of its parts as defined, so more parts can go: see [`Parts`].

mod collections;

pub use collections::{entries, members};

use rustc_hash::FxHashMap;

use crate::eval::{Env, apply, eval};
use crate::id::{SortId, TermId};
use crate::sort::{Sort, Sorts};
use crate::term::{Op, Term, TermPool};
use crate::value::Value;

/// What is known of the parts of an operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Parts {
    /// Some may be undefined, and then the whole is.
    AsTheyAre,
    /// None is, wherever it matters.
    Defined,
}

impl Parts {
    /// Whether a part may be dropped.
    fn may_drop(self, pool: &TermPool, part: TermId) -> bool {
        self == Parts::Defined || !pool.is_partial(part)
    }
}

/// Replaces leaves and simplifies on the way up. `leaf` is asked once for every different leaf; `None` keeps it.
pub fn substitute(
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
            if new[..] == args[..] {
                term
            } else {
                let sort = pool.sort(term);
                operation(pool, sorts, op, &new, sort, Parts::AsTheyAre)
            }
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
pub fn simplify(pool: &mut TermPool, sorts: &Sorts, term: TermId, done: &mut FxHashMap<TermId, TermId>) -> TermId {
    if let Some(&result) = done.get(&term) {
        return result;
    }
    let Term::App(op, args) = pool.get(term) else { return term };
    let (op, args) = (*op, args.clone());
    let new: Vec<TermId> = args.iter().map(|a| simplify(pool, sorts, *a, done)).collect();
    let sort = pool.sort(term);
    let result = operation(pool, sorts, op, &new, sort, Parts::AsTheyAre);
    done.insert(term, result);
    result
}

/// An operation on parts that are simple already. Where it is undefined for what is known, it stays as it is.
pub fn operation(pool: &mut TermPool, sorts: &Sorts, op: Op, args: &[TermId], sort: SortId, parts: Parts) -> TermId {
    match op {
        Op::And | Op::Or => return junction(pool, sorts, op, args, parts),
        Op::Not => return pool.not(sorts, args[0]),
        Op::Ite if args[1] == args[2] && parts.may_drop(pool, args[0]) => return args[1],
        Op::Ite => return pool.ite(args[0], args[1], args[2]),
        Op::Exists { count: 0, .. } => return args[0],
        Op::Exists { .. } => {
            // A quantified constant says whether the sorts have values at all, which they have in a checked model.
            return match pool.as_const(args[0]) {
                Some(Value::Bool(false)) => args[0],
                _ => pool.app(op, args, sort),
            };
        }
        Op::Defined if !pool.is_partial(args[0]) => return pool.bool(sorts, true),
        Op::Defined => return pool.app(op, args, sort),
        Op::Each { .. } => {
            let plain = pool.app(op, args, sort);
            return collections::over(pool, sorts, plain, parts).unwrap_or(plain);
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
    if let Some(truth) = compared_with_itself(op, args)
        && parts.may_drop(pool, args[0])
    {
        return pool.bool(sorts, truth);
    }
    let simpler = match op {
        Op::Add if sort == sorts.int => Some(sum(pool, sorts, args)),
        Op::Sub if sort == sorts.int => difference(pool, sorts, args),
        Op::Mod => Some(remainder(pool, sorts, args)),
        Op::Is(c) => made_by(pool, sorts, args[0], parts).map(|made| pool.bool(sorts, made == c)),
        Op::Field(c, i) => field(pool, c, i, args[0], parts),
        Op::Len => length(pool, sorts, args[0], parts),
        _ => collections::operation(pool, sorts, op, args, sort, parts),
    };
    simpler.unwrap_or_else(|| pool.app(op, args, sort))
}

/// What a comparison of a term with itself is, where the term is defined.
fn compared_with_itself(op: Op, args: &[TermId]) -> Option<bool> {
    match op {
        Op::Eq | Op::Le if args[0] == args[1] => Some(true),
        Op::Lt if args[0] == args[1] => Some(false),
        _ => None,
    }
}

/// A conjunction or disjunction. One part decides, if none before it can be undefined.
fn junction(pool: &mut TermPool, sorts: &Sorts, op: Op, args: &[TermId], parts: Parts) -> TermId {
    let result = if op == Op::And { pool.and(sorts, args) } else { pool.or(sorts, args) };
    let decided = match pool.get(result) {
        Term::App(o, all) if *o == op && parts.may_drop(pool, result) => {
            all.last().is_some_and(|p| pool.as_const(*p) == Some(&Value::Bool(op == Op::Or)))
        }
        _ => false,
    };
    if decided { pool.bool(sorts, op == Op::Or) } else { result }
}

/// The constructor that made a value, where its fields may be dropped.
fn made_by(pool: &TermPool, sorts: &Sorts, value: TermId, parts: Parts) -> Option<u32> {
    match pool.get(value) {
        Term::App(Op::Construct(made), fields) if fields.iter().all(|f| parts.may_drop(pool, *f)) => Some(*made),
        // There is no other one.
        _ => match sorts.get(pool.sort(value)) {
            Sort::Data(data) if sorts.data[*data].constructors.len() == 1 && parts.may_drop(pool, value) => Some(0),
            _ => None,
        },
    }
}

/// The field of a value that is put together, where the others may be dropped.
fn field(pool: &TermPool, constructor: u32, index: u32, value: TermId, parts: Parts) -> Option<TermId> {
    match pool.get(value) {
        Term::App(Op::Construct(made), fields) if *made == constructor => {
            let others = fields.iter().all(|f| parts.may_drop(pool, *f));
            fields.get(index as usize).copied().filter(|_| others)
        }
        _ => None,
    }
}

/// The length of a sequence that is written out, where its items may be dropped.
fn length(pool: &mut TermPool, sorts: &Sorts, sequence: TermId, parts: Parts) -> Option<TermId> {
    let Term::App(Op::SeqLit, items) = pool.get(sequence) else { return None };
    let count = items.len() as i64;
    items.iter().all(|i| parts.may_drop(pool, *i)).then(|| pool.constant(Value::Int(count), sorts.int))
}

/// A difference as a sum, where what is taken away is known.
fn difference(pool: &mut TermPool, sorts: &Sorts, args: &[TermId]) -> Option<TermId> {
    match pool.as_const(args[1]) {
        Some(Value::Int(n)) if *n != i64::MIN => {
            let negative = pool.constant(Value::Int(-n), sorts.int);
            Some(sum(pool, sorts, &[args[0], negative]))
        }
        _ => None,
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

/// A sum of more parts is not made flat: whoever doubles a value again and again would double its parts. A guard of
/// people has a few.
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

/// The constructor and fields of a value that is put together, or is a constant.
pub fn construct(pool: &mut TermPool, sorts: &Sorts, value: TermId) -> Option<(u32, Vec<TermId>)> {
    match pool.get(value).clone() {
        Term::App(Op::Construct(c), args) => Some((c, args.into_vec())),
        Term::Const(Value::Enum(c), _) => Some((c, Vec::new())),
        Term::Const(Value::Data(value), sort) => {
            let Sort::Data(d) = sorts.get(sort) else { return None };
            let fields = &sorts.data[*d].constructors.get(value.constructor as usize)?.fields;
            let parts = value.fields.iter().zip(fields);
            let parts = parts.map(|(v, f)| pool.constant(v.clone(), sorts.base(f.sort))).collect();
            Some((value.constructor, parts))
        }
        _ => None,
    }
}

/// The items of a sequence that is written out, or is a constant.
pub fn items(pool: &mut TermPool, sorts: &Sorts, sequence: TermId) -> Option<Vec<TermId>> {
    match pool.get(sequence).clone() {
        Term::App(Op::SeqLit, args) => Some(args.into_vec()),
        Term::Const(Value::Seq(values), sort) => {
            let Sort::Seq(item) = sorts.get(sort) else { return None };
            let item = sorts.base(*item);
            Some(values.iter().map(|v| pool.constant(v.clone(), item)).collect())
        }
        _ => None,
    }
}

/// What can be seen of a condition without looking for values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Seen {
    /// It is true for all values.
    True,
    /// It is true for no values: false, or undefined.
    NeverTrue,
    /// It is false for all values, and so its negation is true for all.
    False,
    /// That depends.
    Open,
}

impl From<bool> for Seen {
    fn from(truth: bool) -> Seen {
        if truth { Seen::True } else { Seen::False }
    }
}

/// What can be seen of a condition, from what is seen of its parts. No term is made.
pub fn look(pool: &TermPool, sorts: &Sorts, condition: TermId, part: &mut dyn FnMut(TermId) -> Seen) -> Seen {
    let (op, args) = match pool.get(condition) {
        Term::Const(value, _) => return Seen::from(*value == Value::Bool(true)),
        Term::App(op, args) => (*op, &**args),
        _ => return Seen::Open,
    };
    match op {
        Op::Not => match part(args[0]) {
            Seen::True => Seen::False,
            Seen::False => Seen::True,
            // Nothing is known of what is never true: it may be false, or undefined.
            Seen::NeverTrue | Seen::Open => Seen::Open,
        },
        Op::And => look_along(args, Seen::True, Seen::False, part),
        Op::Or => look_along(args, Seen::False, Seen::True, part),
        Op::Ite => match part(args[0]) {
            Seen::True => part(args[1]),
            Seen::False => part(args[2]),
            _ => Seen::Open,
        },
        Op::Exists { .. } | Op::Each { .. } | Op::Defined => Seen::Open,
        _ => match compared_with_itself(op, args) {
            Some(truth) if !pool.is_partial(args[0]) => Seen::from(truth),
            Some(false) => Seen::NeverTrue,
            Some(true) => Seen::Open,
            None if args.iter().all(|a| pool.as_const(*a).is_some()) => {
                match eval(pool, sorts, condition, Env::default()) {
                    Ok(value) => Seen::from(value == Value::Bool(true)),
                    Err(_) => Seen::NeverTrue,
                }
            }
            None => Seen::Open,
        },
    }
}

/// A conjunction (`unit` true) or disjunction: the first part that is not the unit decides, if it is seen.
fn look_along(args: &[TermId], unit: Seen, zero: Seen, part: &mut dyn FnMut(TermId) -> Seen) -> Seen {
    let mut result = unit;
    for a in args {
        let seen = part(*a);
        if seen == unit {
            continue;
        }
        if result == unit {
            // Everything before is the unit: this part is reached.
            if seen == zero {
                return zero;
            }
            result = Seen::Open;
        }
        // A conjunct that is never true keeps the conjunction from being true, whatever stands before it.
        if unit == Seen::True && matches!(seen, Seen::NeverTrue | Seen::False) {
            return Seen::NeverTrue;
        }
    }
    result
}
