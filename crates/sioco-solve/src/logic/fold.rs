//! Operations that are carried out where their arguments allow it.

use sioco_model::eval::{Env, eval};
use sioco_model::sort::{Sort, Sorts};
use sioco_model::term::{Op, Term, TermPool};
use sioco_model::{BinderId, Id, SortId, TermId, Value};

/// The binders of an [`Op::Exists`].
pub(super) fn binders(first: BinderId, count: u32) -> impl Iterator<Item = BinderId> + Clone {
    (first.index()..first.index() + count as usize).map(BinderId::from_index)
}

/// An operation on total terms, carried out if its arguments are constants or constructors. Where the operation is
/// undefined, so is the result.
pub(super) fn app(pool: &mut TermPool, sorts: &Sorts, op: Op, args: &[TermId], sort: SortId) -> TermId {
    match op {
        Op::Not => return pool.not(sorts, args[0]),
        Op::And => return pool.and(sorts, args),
        Op::Or => return pool.or(sorts, args),
        Op::Ite if args[1] == args[2] => return args[1],
        Op::Ite => return pool.ite(args[0], args[1], args[2]),
        Op::Exists { count: 0, .. } => return args[0],
        Op::Exists { .. } => return pool.app(op, args, sort),
        Op::Eq | Op::Le if args[0] == args[1] => return pool.bool(sorts, true),
        Op::Lt if args[0] == args[1] => return pool.bool(sorts, false),
        Op::Is(c) => {
            if let Some((made, _)) = construct(pool, sorts, args[0]) {
                return pool.bool(sorts, made == c);
            }
            if let Sort::Data(d) = sorts.get(pool.sort(args[0]))
                && sorts.data[*d].constructors.len() == 1
            {
                return pool.bool(sorts, c == 0);
            }
        }
        Op::Field(c, i) => {
            if let Some((made, fields)) = construct(pool, sorts, args[0])
                && made == c
                && let Some(field) = fields.get(i as usize)
            {
                return *field;
            }
        }
        Op::Len => {
            if let Term::App(Op::SeqLit, items) = pool.get(args[0]) {
                let len = items.len() as i64;
                return pool.constant(Value::Int(len), sorts.int);
            }
        }
        _ => {}
    }
    let raw = pool.app(op, args, sort);
    let foldable = !matches!(op, Op::SeqLit | Op::Construct(_)) && args.iter().all(|a| pool.as_const(*a).is_some());
    if foldable && let Ok(value) = eval(pool, sorts, raw, Env::default()) {
        return pool.constant(value, sort);
    }
    raw
}

/// The constructor and fields of a term that is made by one, or is a constant.
pub(super) fn construct(pool: &mut TermPool, sorts: &Sorts, t: TermId) -> Option<(u32, Vec<TermId>)> {
    match pool.get(t).clone() {
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
pub(super) fn items(pool: &mut TermPool, sorts: &Sorts, t: TermId) -> Option<Vec<TermId>> {
    match pool.get(t).clone() {
        Term::App(Op::SeqLit, args) => Some(args.into_vec()),
        Term::Const(Value::Seq(values), sort) => {
            let Sort::Seq(item) = sorts.get(sort) else { return None };
            let item = sorts.base(*item);
            Some(values.iter().map(|v| pool.constant(v.clone(), item)).collect())
        }
        _ => None,
    }
}
