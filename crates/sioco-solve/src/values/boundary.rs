//! Values at which a condition is about to flip.

use sioco_model::number;
use sioco_model::sort::{Sort, Sorts};
use sioco_model::term::{Op, Term, TermPool};
use sioco_model::{SymbolId, TermId, Value};

use crate::query::Symbols;

/// How far next to its border a real is put.
const BESIDE: (i64, i64) = (1, 1000);

/// Conditions that put each atom of a guard on and next to its border: for `x > 15` that `x` is 15, 16, 17, for a real
/// that it is 15, 15.001, 14.999; for an atom that is no comparison of numbers, that it holds, and that it does not.
pub fn boundary_conditions(pool: &mut TermPool, sorts: &Sorts, guard: TermId) -> Vec<TermId> {
    let mut atoms = Vec::new();
    collect(pool, guard, &mut atoms);
    let mut out = Vec::new();
    for atom in atoms {
        let (op, left, right) = match pool.get(atom) {
            Term::App(op @ (Op::Lt | Op::Le | Op::Eq), args) => (*op, args[0], args[1]),
            _ => {
                let not = pool.not(sorts, atom);
                out.extend([atom, not]);
                continue;
            }
        };
        if pool.sort(left) == sorts.int {
            // `left < right` flips between right == left and right == left + 1, the others one earlier.
            let first = if op == Op::Lt { 0 } else { -1 };
            for d in first..first + 3 {
                let d = pool.constant(Value::Int(d), sorts.int);
                let moved = pool.app(Op::Add, &[left, d], sorts.int);
                out.push(pool.eq(sorts, right, moved));
            }
        } else if pool.sort(left) == sorts.real {
            out.push(pool.eq(sorts, left, right));
            for sign in [1, -1] {
                let moved = beside(pool, sorts, right, sign);
                out.push(pool.eq(sorts, left, moved));
            }
        } else {
            let not = pool.not(sorts, atom);
            out.extend([atom, not]);
        }
    }
    let mut seen = rustc_hash::FxHashSet::default();
    out.retain(|c| seen.insert(*c));
    out
}

/// The term, moved a little.
fn beside(pool: &mut TermPool, sorts: &Sorts, term: TermId, sign: i64) -> TermId {
    let little = number::rational((sign * BESIDE.0).into(), BESIDE.1.into()).unwrap_or(number::Rational::ZERO);
    if let Some(Value::Real(at)) = pool.as_const(term) {
        let moved = Value::real(at.as_ref() + little);
        return pool.constant(moved, sorts.real);
    }
    let little = pool.constant(Value::real(little), sorts.real);
    pool.app(Op::Add, &[term, little], sorts.real)
}

/// Conditions that put numbers on and next to the ends of their ranges, which are borders like those of a guard.
pub(super) fn range_conditions(
    pool: &mut TermPool,
    sorts: &Sorts,
    symbols: &Symbols,
    wanted: &[SymbolId],
) -> Vec<TermId> {
    let mut out = Vec::new();
    for y in wanted {
        let sort = symbols[*y].sort;
        let term = pool.symbol(*y, sorts.base(sort));
        let ends = match sorts.get(sort) {
            Sort::Int { lo, hi } => [(1, lo), (-1, hi)].map(|(inside, end)| {
                let mut constant = |n: number::BigInt| pool.constant(number::int(n), sorts.int);
                end.as_ref().map(|end| (constant(end.clone()), constant(end + number::BigInt::from(inside))))
            }),
            Sort::Real { lo, hi } => [(1, lo), (-1, hi)].map(|(inside, end)| {
                let end = end.as_ref().map(|end| pool.constant(Value::real(end.clone()), sorts.real));
                end.map(|end| (end, beside(pool, sorts, end, inside)))
            }),
            _ => continue,
        };
        for (end, next) in ends.into_iter().flatten() {
            out.extend([pool.eq(sorts, term, end), pool.eq(sorts, term, next)]);
        }
    }
    out
}

fn collect(pool: &TermPool, term: TermId, out: &mut Vec<TermId>) {
    match pool.get(term) {
        Term::App(Op::And | Op::Or | Op::Not, args) => args.iter().for_each(|a| collect(pool, *a, out)),
        Term::App(Op::Ite, args) if matches!(pool.get(args[1]), Term::App(..)) => {
            args.iter().for_each(|a| collect(pool, *a, out));
        }
        Term::Const(..) => {}
        _ => out.push(term),
    }
}
