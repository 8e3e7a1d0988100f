//! The case distinctions that terms make: the conditions that they are made of, and those inside.

use sioco_model::sort::Sorts;
use sioco_model::term::{Op, Term, TermPool};
use sioco_model::{TermId, Value};

/// Adds the distinctions of a condition, each once, in order.
pub(super) fn of_condition(pool: &mut TermPool, sorts: &Sorts, term: TermId, found: &mut Vec<TermId>) {
    match pool.get(term).clone() {
        Term::App(Op::And | Op::Or | Op::Not | Op::Ite, args) => {
            args.iter().for_each(|a| of_condition(pool, sorts, *a, found));
        }
        Term::Const(..) => {}
        // What a quantifier is about is not the input.
        Term::App(op, _) if op.binders().is_some() => {}
        _ => {
            if !found.contains(&term) {
                // What decides about its parts comes first: it tells large parts of the inputs apart.
                of_value(pool, sorts, term, found);
                found.push(term);
            }
        }
    }
}

/// Adds the distinctions that are made to compute a value.
pub(super) fn of_value(pool: &mut TermPool, sorts: &Sorts, term: TermId, found: &mut Vec<TermId>) {
    let Term::App(op, args) = pool.get(term).clone() else { return };
    match op {
        Op::Exists { .. } | Op::Each { .. } => return,
        Op::Ite => {
            of_condition(pool, sorts, args[0], found);
            args[1..].iter().for_each(|a| of_value(pool, sorts, *a, found));
            return;
        }
        Op::Min | Op::Max => {
            for (i, a) in args.iter().enumerate() {
                for b in &args[i + 1..] {
                    let less = pool.app(Op::Le, &[*a, *b], sorts.bool);
                    of_condition(pool, sorts, less, found);
                }
            }
        }
        Op::Abs => {
            let sort = sorts.base(pool.sort(args[0]));
            let zero = if sort == sorts.int { Value::Int(0) } else { Value::real(0.into()) };
            let zero = pool.constant(zero, sort);
            let positive = pool.app(Op::Le, &[zero, args[0]], sorts.bool);
            of_condition(pool, sorts, positive, found);
        }
        _ => {}
    }
    args.iter().for_each(|a| of_value(pool, sorts, *a, found));
}
