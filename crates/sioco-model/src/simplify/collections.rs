//! Reads over writes, and operations over collections that are written out.

use rustc_hash::FxHashMap;

use super::{Parts, items};
use crate::eval::{Env, eval};
use crate::id::{BinderId, Id, SortId, TermId};
use crate::sort::{Sort, Sorts};
use crate::term::{Each, Op, Term, TermPool};
use crate::value::Value;

/// Operations over longer collections are left as they are.
const MOST_ITEMS: usize = 256;

/// Operations over collections that would become larger terms are left as they are.
const MOST_PARTS: usize = 10_000;

/// Terms do not become deeper than this.
const DEEPEST: usize = 400;

/// The entries of a map that is a constant, or written out with constant keys, in the order of the keys.
pub fn entries(pool: &mut TermPool, sorts: &Sorts, map: TermId) -> Option<Vec<(TermId, TermId)>> {
    match pool.get(map).clone() {
        Term::App(Op::MapLit, args) => {
            let mut all: Vec<(Value, TermId, TermId)> = Vec::with_capacity(args.len() / 2);
            for entry in args.chunks_exact(2) {
                all.push((pool.as_const(entry[0])?.clone(), entry[0], entry[1]));
            }
            all.sort_by(|a, b| a.0.cmp(&b.0));
            let distinct = all.windows(2).all(|w| w[0].0 != w[1].0);
            distinct.then(|| all.into_iter().map(|(_, k, v)| (k, v)).collect())
        }
        Term::Const(Value::Map(all), sort) => {
            let Sort::Map(key, value) = *sorts.get(sort) else { return None };
            let (key, value) = (sorts.base(key), sorts.base(value));
            let both = |(k, v): &(Value, Value)| (pool.constant(k.clone(), key), pool.constant(v.clone(), value));
            Some(all.iter().map(both).collect())
        }
        _ => None,
    }
}

/// The items of a set that is a constant, or written out with constant items, in the fixed order.
pub fn members(pool: &mut TermPool, sorts: &Sorts, set: TermId) -> Option<Vec<TermId>> {
    match pool.get(set).clone() {
        Term::App(Op::SetLit, args) => {
            let mut all: Vec<(Value, TermId)> = Vec::with_capacity(args.len());
            for item in args {
                all.push((pool.as_const(item)?.clone(), item));
            }
            all.sort();
            all.dedup();
            Some(all.into_iter().map(|(_, t)| t).collect())
        }
        Term::Const(Value::Set(all), sort) => {
            let Sort::Set(item) = *sorts.get(sort) else { return None };
            let item = sorts.base(item);
            Some(all.iter().map(|v| pool.constant(v.clone(), item)).collect())
        }
        _ => None,
    }
}

/// A map that is written out, of entries with different constant keys.
fn written(pool: &mut TermPool, sorts: &Sorts, all: &[(TermId, TermId)], sort: SortId) -> TermId {
    let args: Vec<TermId> = all.iter().flat_map(|(k, v)| [*k, *v]).collect();
    super::operation(pool, sorts, Op::MapLit, &args, sort, Parts::AsTheyAre)
}

/// Whether two terms are certainly the same value, or certainly not; nothing where that is open.
fn same(pool: &TermPool, a: TermId, b: TermId) -> Option<bool> {
    if a == b {
        return Some(true);
    }
    pool.as_const(a).zip(pool.as_const(b)).map(|(a, b)| a == b)
}

/// An operation on sets, maps, and changed sequences, simplified.
pub(super) fn operation(
    pool: &mut TermPool,
    sorts: &Sorts,
    op: Op,
    args: &[TermId],
    sort: SortId,
    parts: Parts,
) -> Option<TermId> {
    let droppable = |pool: &TermPool, all: &[(TermId, TermId)]| all.iter().all(|(_, v)| parts.may_drop(pool, *v));
    let key_at = |pool: &TermPool, all: &[(TermId, TermId)], key: TermId| {
        let value = pool.as_const(key)?;
        Some(all.binary_search_by(|(k, _)| pool.as_const(*k).expect("a constant key").cmp(value)))
    };
    match op {
        // No zeros: a map without entries, and a set without items, are constants.
        Op::MapLit if args.is_empty() => Some(pool.constant(Value::Map(Default::default()), sort)),
        Op::SetLit if args.is_empty() => Some(pool.constant(Value::set(Vec::new()), sort)),
        Op::Lookup => {
            if let Some(all) = entries(pool, sorts, args[0]) {
                let at = key_at(pool, &all, args[1])?.ok()?;
                return droppable(pool, &all).then(|| all[at].1);
            }
            let Term::App(Op::Put, write) = pool.get(args[0]) else { return None };
            let (before, key, value) = (write[0], write[1], write[2]);
            match same(pool, key, args[1])? {
                true => (parts.may_drop(pool, before) && parts.may_drop(pool, key)).then_some(value),
                false => parts
                    .may_drop(pool, value)
                    .then(|| super::operation(pool, sorts, Op::Lookup, &[before, args[1]], sort, parts)),
            }
        }
        Op::Has => has(pool, sorts, args, parts),
        Op::Size => {
            if let Some(all) = entries(pool, sorts, args[0]) {
                return droppable(pool, &all).then(|| pool.constant(Value::Int(all.len() as i64), sorts.int));
            }
            None
        }
        Op::Put => {
            let mut all = entries(pool, sorts, args[0])?;
            match key_at(pool, &all, args[1])? {
                Ok(at) if parts.may_drop(pool, all[at].1) => all[at].1 = args[2],
                Ok(_) => return None,
                Err(at) => all.insert(at, (args[1], args[2])),
            }
            Some(written(pool, sorts, &all, sort))
        }
        Op::Exclude => {
            let mut all = entries(pool, sorts, args[0])?;
            if let Ok(at) = key_at(pool, &all, args[1])? {
                if !parts.may_drop(pool, all[at].1) {
                    return None;
                }
                all.remove(at);
            }
            Some(written(pool, sorts, &all, sort))
        }
        Op::Merge => {
            let (first, mut second) = (entries(pool, sorts, args[0])?, entries(pool, sorts, args[1])?);
            for (key, value) in first {
                match key_at(pool, &second, key)? {
                    Ok(_) if !parts.may_drop(pool, value) => return None,
                    Ok(_) => {}
                    Err(at) => second.insert(at, (key, value)),
                }
            }
            Some(written(pool, sorts, &second, sort))
        }
        Op::Keys => {
            let all = entries(pool, sorts, args[0])?;
            let keys: Option<Vec<Value>> = all.iter().map(|(k, _)| pool.as_const(*k).cloned()).collect();
            let keys = Value::set(keys?);
            droppable(pool, &all).then(|| pool.constant(keys, sort))
        }
        Op::Values => {
            let all = entries(pool, sorts, args[0])?;
            let values: Vec<TermId> = all.iter().map(|(_, v)| *v).collect();
            Some(sequence(pool, sorts, &values, sort))
        }
        _ => of_sequences(pool, sorts, op, args, sort, parts),
    }
}

/// A read of a changed sequence, a change of one that is written out, and keys that are apart.
fn of_sequences(
    pool: &mut TermPool,
    sorts: &Sorts,
    op: Op,
    args: &[TermId],
    sort: SortId,
    parts: Parts,
) -> Option<TermId> {
    match op {
        // A change of a sequence is undefined outside of it.
        Op::Index if parts == Parts::Defined => {
            let Term::App(Op::Replace, write) = pool.get(args[0]) else { return None };
            let (before, at, value) = (write[0], write[1], write[2]);
            match same(pool, at, args[1])? {
                true => Some(value),
                false => Some(super::operation(pool, sorts, Op::Index, &[before, args[1]], sort, parts)),
            }
        }
        Op::Replace => {
            let mut all = items(pool, sorts, args[0])?;
            let Some(Value::Int(at)) = pool.as_const(args[1]) else { return None };
            let at = usize::try_from(*at).ok().filter(|at| *at < all.len())?;
            if !parts.may_drop(pool, all[at]) {
                return None;
            }
            all[at] = args[2];
            Some(sequence(pool, sorts, &all, sort))
        }
        Op::Apart if args.len() == 1 => Some(args[0]),
        Op::Apart => {
            let key = args[0];
            let all_apart = args[1..].iter().all(|a| same(pool, key, *a) == Some(false));
            all_apart.then_some(key)
        }
        _ => None,
    }
}

/// Whether a set has an item, or a map a key.
fn has(pool: &mut TermPool, sorts: &Sorts, args: &[TermId], parts: Parts) -> Option<TermId> {
    let (keys, droppable) = match entries(pool, sorts, args[0]) {
        Some(all) => {
            let droppable = all.iter().all(|(_, v)| parts.may_drop(pool, *v));
            (Some(all.into_iter().map(|(k, _)| k).collect()), droppable)
        }
        None => (members(pool, sorts, args[0]), true),
    };
    if let Some(keys) = keys {
        return if droppable { one_of(pool, sorts, &keys, args[1], parts) } else { None };
    }
    let Term::App(op @ (Op::Put | Op::Include | Op::Exclude), write) = pool.get(args[0]) else { return None };
    let (op, before, key, value) = (*op, write[0], write[1], write.get(2).copied());
    let drop = |pool: &TermPool, terms: &[TermId]| terms.iter().all(|t| parts.may_drop(pool, *t));
    if !value.is_none_or(|v| parts.may_drop(pool, v)) {
        return None;
    }
    match same(pool, key, args[1])? {
        true => drop(pool, &[before, key]).then(|| pool.bool(sorts, op != Op::Exclude)),
        false => Some(super::operation(pool, sorts, Op::Has, &[before, args[1]], sorts.bool, parts)),
    }
}

/// The condition that a term is one of some constants.
fn one_of(pool: &mut TermPool, sorts: &Sorts, all: &[TermId], term: TermId, parts: Parts) -> Option<TermId> {
    if all.is_empty() || pool.as_const(term).is_some() {
        let found = all.iter().any(|one| pool.as_const(*one) == pool.as_const(term));
        return parts.may_drop(pool, term).then(|| pool.bool(sorts, found));
    }
    if all.len() > MOST_ITEMS {
        return None;
    }
    let same: Vec<TermId> =
        all.iter().map(|one| super::operation(pool, sorts, Op::Eq, &[*one, term], sorts.bool, parts)).collect();
    Some(pool.or(sorts, &same))
}

fn sequence(pool: &mut TermPool, sorts: &Sorts, all: &[TermId], sort: SortId) -> TermId {
    if all.is_empty() {
        return pool.constant(Value::seq(Vec::new()), sort);
    }
    super::operation(pool, sorts, Op::SeqLit, all, sort, Parts::AsTheyAre)
}

/// An operation over a collection, computed if nothing in it is open, or else spelled out if the collection is written out.
pub(super) fn over(pool: &mut TermPool, sorts: &Sorts, term: TermId, parts: Parts) -> Option<TermId> {
    let Term::App(Op::Each { each, first, count }, args) = pool.get(term).clone() else { return None };
    let (body, sort) = (args[args.len() - 1], pool.sort(term));
    if args[..args.len() - 1].iter().all(|a| pool.as_const(*a).is_some()) && is_closed(pool, term) {
        // Undefined, or too much of it: as it was.
        let value = eval(pool, sorts, term, Env::default()).ok()?;
        return Some(pool.constant(value, sort));
    }
    // What the names stand for in each round, and the key of the round.
    let names = count as usize - usize::from(each == Each::Fold);
    let rounds: Vec<Vec<TermId>> = match sorts.get(pool.sort(args[0])) {
        Sort::Seq(_) => {
            let all = items(pool, sorts, args[0])?;
            let position = |pool: &mut TermPool, i: usize| pool.constant(Value::Int(i as i64), sorts.int);
            all.into_iter()
                .enumerate()
                .map(|(i, item)| if names == 2 { vec![position(pool, i), item] } else { vec![item] })
                .collect()
        }
        Sort::Set(_) => members(pool, sorts, args[0])?.into_iter().map(|item| vec![item]).collect(),
        Sort::Map(..) => entries(pool, sorts, args[0])?
            .into_iter()
            .map(|(k, v)| if names == 2 { vec![k, v] } else { vec![k] })
            .collect(),
        _ => return None,
    };
    // All of the collection is evaluated, whatever the body reads.
    if !parts.may_drop(pool, args[0]) {
        return None;
    }
    let size = pool.size_up_to(body, MOST_PARTS).saturating_mul(rounds.len());
    if rounds.len() > MOST_ITEMS || size > MOST_PARTS {
        return None;
    }
    let all = |pool: &mut TermPool| -> Vec<TermId> {
        rounds.iter().map(|by| instantiate(pool, sorts, body, first, by, &mut FxHashMap::default())).collect()
    };
    match each {
        Each::Any => {
            let all = all(pool);
            Some(super::operation(pool, sorts, Op::Or, &all, sort, Parts::AsTheyAre))
        }
        Each::All => {
            let all = all(pool);
            Some(super::operation(pool, sorts, Op::And, &all, sort, Parts::AsTheyAre))
        }
        Each::Count | Each::Sum => {
            let mut all = all(pool);
            let (zero, one) = (pool.constant(Value::Int(0), sorts.int), pool.constant(Value::Int(1), sorts.int));
            if each == Each::Count {
                all = all.into_iter().map(|c| pool.ite(c, one, zero)).collect();
            }
            match (&all[..], sort == sorts.int) {
                ([], true) => Some(zero),
                ([], false) => Some(pool.constant(Value::real(0.into()), sort)),
                ([only], _) => Some(*only),
                (all, _) => Some(super::operation(pool, sorts, Op::Add, all, sort, Parts::AsTheyAre)),
            }
        }
        Each::Map => match sorts.get(sort) {
            Sort::Seq(_) => {
                let all = all(pool);
                Some(sequence(pool, sorts, &all, sort))
            }
            Sort::Set(_) => {
                let all = all(pool);
                Some(super::operation(pool, sorts, Op::SetLit, &all, sort, Parts::AsTheyAre))
            }
            _ => {
                let values = all(pool);
                let all: Vec<(TermId, TermId)> = rounds.iter().map(|by| by[0]).zip(values).collect();
                Some(written(pool, sorts, &all, sort))
            }
        },
        Each::Fold => {
            let deep = pool.depth(body) as usize * rounds.len() + pool.depth(args[1]) as usize;
            // A round that does not read the one before is undefined where that is.
            if pool.is_partial(body) || !parts.may_drop(pool, args[1]) || deep > DEEPEST {
                return None;
            }
            let mut acc = args[1];
            for by in &rounds {
                let mut by = by.clone();
                by.push(acc);
                acc = instantiate(pool, sorts, body, first, &by, &mut FxHashMap::default());
            }
            Some(acc)
        }
        Each::Filter | Each::FirstIndex | Each::Least | Each::Greatest => None,
    }
}

/// Whether all leaves are constants, or variables that are bound inside.
fn is_closed(pool: &TermPool, term: TermId) -> bool {
    let mut closed = pool.free(term).is_empty();
    pool.visit(term, &mut |_, t| match t {
        Term::App(op, _) => closed &= !matches!(op, Op::Exists { .. }),
        Term::Const(..) | Term::Bound(..) => {}
        _ => closed = false,
    });
    closed
}

/// The body of an operation over a collection for one of its rounds, simplified; variables that are bound again inside
/// stay as they are.
fn instantiate(
    pool: &mut TermPool,
    sorts: &Sorts,
    term: TermId,
    first: BinderId,
    by: &[TermId],
    done: &mut FxHashMap<TermId, TermId>,
) -> TermId {
    let bound = |b: &BinderId| b.index().checked_sub(first.index()).is_some_and(|i| i < by.len());
    if !pool.free(term).iter().any(bound) {
        return term;
    }
    if let Some(&result) = done.get(&term) {
        return result;
    }
    let result = match pool.get(term) {
        Term::Bound(b, _) => b.index().checked_sub(first.index()).and_then(|i| by.get(i)).copied().unwrap_or(term),
        Term::App(op, args) => {
            let (op, args) = (*op, args.clone());
            let again = op.binds(first);
            let mut new = args.to_vec();
            for (i, arg) in new.iter_mut().enumerate() {
                if !(again && i + 1 == args.len()) {
                    *arg = instantiate(pool, sorts, *arg, first, by, done);
                }
            }
            if new[..] == args[..] {
                term
            } else {
                let sort = pool.sort(term);
                super::operation(pool, sorts, op, &new, sort, Parts::AsTheyAre)
            }
        }
        _ => term,
    };
    done.insert(term, result);
    result
}
