//! Values at which a condition is about to flip.

use sioco_model::sort::Sorts;
use sioco_model::term::{Op, Term, TermPool};
use sioco_model::{TermId, Value};

/// Conditions that put each atom of a guard on and next to its border: for `x > 15` that `x` is 15, 16, 17; for an
/// atom that is no comparison of numbers, that it holds, and that it does not.
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
        } else {
            let not = pool.not(sorts, atom);
            out.extend([atom, not]);
        }
    }
    let mut seen = rustc_hash::FxHashSet::default();
    out.retain(|c| seen.insert(*c));
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
