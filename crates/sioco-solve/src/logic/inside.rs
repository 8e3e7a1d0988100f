//! Membership in sorts.

use sioco_model::simplify;
use sioco_model::sort::{Sort, Sorts};
use sioco_model::term::{Each, Op, Term, TermPool};
use sioco_model::{BinderId, SortId, TermId, Value};

use super::fold::app;

/// The condition that `x`, a value of the sort without its ranges, is inside of them; `None` if it always is. Total if
/// `x` is. `classical`: its parts are total one by one.
pub(super) fn inside(pool: &mut TermPool, sorts: &Sorts, sort: SortId, x: TermId, classical: bool) -> Option<TermId> {
    if !has_range(sorts, sort) {
        return None;
    }
    match sorts.get(sort) {
        Sort::Bool | Sort::String => None,
        Sort::Int { lo, hi } => {
            let [lo, hi] = [lo, hi].map(|b| b.as_ref().map(|n| sioco_model::number::int(n.clone())));
            Some(between(pool, sorts, x, lo, hi))
        }
        Sort::Real { lo, hi } => {
            let [lo, hi] = [lo, hi].map(|b| b.as_ref().map(|r| Value::real(r.clone())));
            Some(between(pool, sorts, x, lo, hi))
        }
        Sort::Data(d) => {
            let mut parts = Vec::new();
            for (c, alternative) in sorts.data[*d].constructors.iter().enumerate() {
                let made = app(pool, sorts, Op::Is(c as u32), &[x], sorts.bool);
                if pool.as_const(made) == Some(&Value::Bool(false)) {
                    continue;
                }
                let other = pool.not(sorts, made);
                for (f, field) in alternative.fields.iter().enumerate() {
                    let part = field_of(pool, sorts, x, c as u32, f as u32, classical);
                    if let Some(inner) = inside(pool, sorts, field.sort, part, classical) {
                        parts.push(pool.or(sorts, &[other, inner]));
                    }
                }
            }
            Some(pool.and(sorts, &parts))
        }
        Sort::Seq(item) => {
            if let Some(items) = simplify::items(pool, sorts, x) {
                let parts: Vec<TermId> =
                    items.iter().filter_map(|i| inside(pool, sorts, *item, *i, classical)).collect();
                return Some(pool.and(sorts, &parts));
            }
            // No position has an item outside.
            let binder = pool.binders.push(sorts.int);
            let i = pool.bound(sorts, binder);
            let at = is_position(pool, sorts, x, i);
            let base = sorts.base(*item);
            let mut value = app(pool, sorts, Op::Index, &[x, i], base);
            if classical {
                let other = pool.constant(sorts.default_value(base), base);
                value = pool.ite(at, value, other);
            }
            let inner = inside(pool, sorts, *item, value, classical)?;
            let outside = pool.not(sorts, inner);
            let body = pool.and(sorts, &[at, outside]);
            let some = pool.app(Op::Exists { first: binder, count: 1 }, &[body], sorts.bool);
            Some(pool.not(sorts, some))
        }
        Sort::Set(item) => {
            if let Term::App(Op::SetLit, items) = pool.get(x).clone() {
                let parts: Vec<TermId> =
                    items.iter().filter_map(|i| inside(pool, sorts, *item, *i, classical)).collect();
                return Some(pool.and(sorts, &parts));
            }
            Some(all_inside(pool, sorts, x, &[*item], classical))
        }
        Sort::Map(key, value) => {
            if let Some(entries) = simplify::entries(pool, sorts, x) {
                let mut parts = Vec::new();
                for (k, v) in entries {
                    parts.extend(inside(pool, sorts, *key, k, classical));
                    parts.extend(inside(pool, sorts, *value, v, classical));
                }
                return Some(pool.and(sorts, &parts));
            }
            Some(all_inside(pool, sorts, x, &[*key, *value], classical))
        }
    }
}

/// The condition that all items of a set, or all keys and values of a map, are inside of their ranges.
fn all_inside(pool: &mut TermPool, sorts: &Sorts, x: TermId, parts: &[SortId], classical: bool) -> TermId {
    let binders: Vec<BinderId> = parts.iter().map(|s| pool.binders.push(sorts.base(*s))).collect();
    let mut all = Vec::new();
    for (binder, sort) in binders.iter().zip(parts) {
        let item = pool.bound(sorts, *binder);
        all.extend(inside(pool, sorts, *sort, item, classical));
    }
    let body = pool.and(sorts, &all);
    pool.each(sorts, Each::All, &binders, &[x, body], sorts.bool)
}

/// Whether a value of the sort without its ranges can be outside of them.
pub(super) fn has_range(sorts: &Sorts, sort: SortId) -> bool {
    match sorts.get(sort) {
        Sort::Bool | Sort::String => false,
        Sort::Int { lo, hi } => lo.is_some() || hi.is_some(),
        Sort::Real { lo, hi } => lo.is_some() || hi.is_some(),
        Sort::Data(d) => sorts.data[*d].constructors.iter().flat_map(|c| &c.fields).any(|f| has_range(sorts, f.sort)),
        Sort::Seq(item) | Sort::Set(item) => has_range(sorts, *item),
        Sort::Map(key, value) => has_range(sorts, *key) || has_range(sorts, *value),
    }
}

/// Whether the sort has a value at all.
pub(super) fn has_value(sorts: &Sorts, sort: SortId) -> bool {
    match sorts.get(sort) {
        Sort::Int { lo: Some(lo), hi: Some(hi) } => lo <= hi,
        Sort::Real { lo: Some(lo), hi: Some(hi) } => lo <= hi,
        Sort::Data(d) => sorts.data[*d].constructors.iter().any(|c| c.fields.iter().all(|f| has_value(sorts, f.sort))),
        _ => true,
    }
}

fn between(pool: &mut TermPool, sorts: &Sorts, x: TermId, lo: Option<Value>, hi: Option<Value>) -> TermId {
    let sort = pool.sort(x);
    let mut parts = Vec::new();
    if let Some(lo) = lo {
        let lo = pool.constant(lo, sort);
        parts.push(app(pool, sorts, Op::Le, &[lo, x], sorts.bool));
    }
    if let Some(hi) = hi {
        let hi = pool.constant(hi, sort);
        parts.push(app(pool, sorts, Op::Le, &[x, hi], sorts.bool));
    }
    pool.and(sorts, &parts)
}

/// The condition that `i` is a position of the sequence or string.
pub(super) fn is_position(pool: &mut TermPool, sorts: &Sorts, seq: TermId, i: TermId) -> TermId {
    let zero = pool.constant(Value::Int(0), sorts.int);
    let len = app(pool, sorts, Op::Len, &[seq], sorts.int);
    let low = app(pool, sorts, Op::Le, &[zero, i], sorts.bool);
    let high = app(pool, sorts, Op::Lt, &[i, len], sorts.bool);
    pool.and(sorts, &[low, high])
}

/// A field; if `guarded`, with some value for other constructors.
pub(super) fn field_of(pool: &mut TermPool, sorts: &Sorts, x: TermId, c: u32, f: u32, guarded: bool) -> TermId {
    let Sort::Data(d) = sorts.get(pool.sort(x)) else { unreachable!("fields are fields of data types") };
    let constructors = &sorts.data[*d].constructors;
    let sort = sorts.base(constructors[c as usize].fields[f as usize].sort);
    let field = app(pool, sorts, Op::Field(c, f), &[x], sort);
    if !guarded || constructors.len() == 1 {
        return field;
    }
    let made = app(pool, sorts, Op::Is(c), &[x], sorts.bool);
    let other = pool.constant(sorts.default_value(sort), sort);
    pool.ite(made, field, other)
}
