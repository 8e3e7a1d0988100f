//! The shape of a term, from the shapes of its arguments: all values that it can have where it is defined.

use super::{Narrowing, Nodes};
use crate::eval::{EvalError, apply, eval};
use crate::id::{SortId, TermId};
use crate::number::{self, Rational};
use crate::semantics::program::Context;
use crate::semantics::range::Range;
use crate::semantics::shape::{Kind, Shape, first_combinations};
use crate::term::{Op, Term};
use crate::value::Value;

/// Operations are computed for all values of their arguments if these are no more combinations. Two arguments with eight
/// values each have as many.
pub(super) const COMBINATIONS: u64 = 64;

impl Narrowing<'_> {
    /// The shape of an operation.
    pub(super) fn computed(&mut self, op: Op, args: &[TermId], term: TermId, nodes: &Nodes) -> Shape {
        let sorts = self.context.sorts;
        let of = |i: usize| nodes.shape(args[i]);
        match op {
            Op::Not => truth(of(0).may_be(false), of(0).may_be(true)),
            Op::And | Op::Or => {
                // Every part up to the first that decides has to be defined.
                let unit = op == Op::And;
                let mut decided = false;
                for a in args {
                    let shape = nodes.shape(*a);
                    decided |= shape.may_be(!unit);
                    if !shape.may_be(unit) {
                        return if decided { Shape::truth(!unit) } else { Shape::nothing() };
                    }
                }
                if decided { truth(true, true) } else { Shape::truth(unit) }
            }
            Op::Ite => {
                let then = if of(0).may_be(true) { of(1).clone() } else { Shape::nothing() };
                if of(0).may_be(false) { then.join(of(2)) } else { then }
            }
            Op::Exists { .. } | Op::Defined => truth(true, true),
            Op::Each { .. } => self.over_collection(term),
            _ => {
                let shapes: Vec<&Shape> = args.iter().map(|a| nodes.shape(*a)).collect();
                if shapes.iter().any(|s| s.is_nothing()) {
                    return Shape::nothing();
                }
                let sort = args.first().map(|a| self.context.terms.sort(*a));
                if let Some(shape) = self.each(op, &shapes, sort) {
                    return shape;
                }
                let whole = Shape::of(sorts, self.context.terms.sort(term));
                self.bounds(op, &shapes).map_or_else(|| whole.clone(), |shape| shape.meet(&whole))
            }
        }
    }

    /// The values of an operation for all values of its arguments, if these are few.
    fn each(&mut self, op: Op, args: &[&Shape], sort: Option<SortId>) -> Option<Shape> {
        let lists = few(args)?;
        let places: Vec<&[Value]> = lists.iter().map(Vec::as_slice).collect();
        let mut values = Vec::new();
        let mut too_large = false;
        first_combinations(&places, &mut |args| {
            self.work += 1;
            match apply(self.context.sorts, op, &args, sort) {
                Ok(value) => values.push(value),
                // That is no matter of the model.
                Err(EvalError::TooLarge) => too_large = true,
                Err(_) => {}
            }
            !too_large
        });
        (!too_large).then(|| Shape::these(values))
    }

    /// Bounds for the values of an operation.
    fn bounds(&self, op: Op, args: &[&Shape]) -> Option<Shape> {
        let sorts = self.context.sorts;
        Some(match op {
            Op::Eq => {
                let possible = !args[0].meet(args[1]).is_nothing();
                let same = args[0].as_only().is_some() && args[0].as_only() == args[1].as_only();
                truth(possible, !same)
            }
            Op::Lt | Op::Le => {
                let (below, above) = if op == Op::Lt { (false, true) } else { (true, false) };
                truth(may_be_below(args[0], args[1], below)?, may_be_below(args[1], args[0], above)?)
            }
            Op::Add => args[1..].iter().try_fold(args[0].clone(), |sum, a| arith(&sum, a, Range::add, Range::add))?,
            Op::Mul => {
                args[1..].iter().try_fold(args[0].clone(), |sum, a| arith(&sum, a, Range::multiply, Range::multiply))?
            }
            Op::Sub => arith(args[0], args[1], Range::subtract, Range::subtract)?,
            Op::Min => {
                args[1..].iter().try_fold(args[0].clone(), |sum, a| arith(&sum, a, Range::least, Range::least))?
            }
            Op::Max => {
                args[1..].iter().try_fold(args[0].clone(), |sum, a| arith(&sum, a, Range::greatest, Range::greatest))?
            }
            Op::Neg => match (whole(args[0]), real(args[0])) {
                (Some(r), _) => Shape::whole(r.negate()),
                (_, Some(r)) => Shape::real(r.negate()),
                _ => return None,
            },
            Op::Abs => match (whole(args[0]), real(args[0])) {
                (Some(r), _) => Shape::whole(r.absolute()),
                (_, Some(r)) => Shape::real(r.absolute()),
                _ => return None,
            },
            Op::Div => Shape::whole(whole(args[0])?.divide(divisor(args[1])?)),
            Op::Mod => {
                let by = divisor(args[1])?;
                let range = whole(args[0])?;
                // What is already a remainder stays as it is.
                let inside = range.lo.is_some_and(|lo| lo >= 0) && range.hi.is_some_and(|hi| hi < by);
                Shape::whole(if inside { range } else { Range { lo: Some(0), hi: Some(by - 1) } })
            }
            Op::ToReal => {
                let r = whole(args[0])?;
                Shape::real(Range { lo: r.lo.map(Rational::from), hi: r.hi.map(Rational::from) })
            }
            Op::Floor => {
                let r = real(args[0])?;
                let floor = |n: &Rational| i128::try_from(n.floor()).ok();
                Shape::whole(Range::new(r.lo.as_ref().and_then(floor), r.hi.as_ref().and_then(floor)))
            }
            Op::Len => Shape::whole(args[0].length()),
            Op::Concat => {
                let length = args.iter().fold(Range { lo: Some(0), hi: Some(0) }, |sum, a| sum.add(&a.length()));
                if is_text(args[0]) {
                    Shape::text(&length)
                } else {
                    Shape::sequence(length, args.iter().fold(Shape::nothing(), |items, a| items.join(&a.items())))
                }
            }
            Op::Contains if is_text(args[0]) => {
                let (text, part) = (args[0].length(), args[1].length());
                truth(may_not_exceed(&part, &text), part.hi != Some(0))
            }
            Op::Contains => {
                let possible = !args[0].items().meet(args[1]).is_nothing() && args[0].length().hi != Some(0);
                truth(possible, true)
            }
            Op::Index if is_text(args[0]) => Shape::text(&Range { lo: Some(1), hi: Some(1) }),
            Op::Index => args[0].items(),
            Op::Slice => {
                let length = whole(args[2])?.subtract(&whole(args[1])?);
                let most = Range { lo: Some(0), hi: args[0].length().hi };
                let length = length.meet(&most);
                if is_text(args[0]) { Shape::text(&length) } else { Shape::sequence(length, args[0].items()) }
            }
            Op::SeqLit => {
                let length = args.len() as i128;
                let items = args.iter().fold(Shape::nothing(), |items, a| items.join(a));
                Shape::sequence(Range { lo: Some(length), hi: Some(length) }, items)
            }
            Op::Construct(c) => {
                let mut all = vec![None; c as usize + 1];
                all[c as usize] = Some(args.iter().map(|a| (*a).clone()).collect());
                Shape::data(all)
            }
            Op::Is(c) => truth(args[0].may_be_made_by(c), !args[0].made_by(c, false).is_nothing()),
            Op::Field(c, i) => args[0].field(c, i),
            Op::Checked(sort) => args[0].meet(&Shape::of(sorts, sort)),
            Op::Size | Op::ByteLen => Shape::whole(Range { lo: Some(0), hi: None }),
            Op::Apart => args[0].clone(),
            Op::Beyond => Shape::nothing(),
            // Nothing is known of the others but their sort.
            _ => return None,
        })
    }

    /// The value of an operation over a collection in which everything is known; otherwise any value of its sort.
    fn over_collection(&mut self, term: TermId) -> Shape {
        let Context { terms, sorts } = self.context;
        let mut known = terms.free(term).is_empty();
        terms.visit(term, &mut |_, t| {
            self.work += 1;
            match t {
                Term::Bound(..) => {}
                Term::App(op, _) => known &= !matches!(op, Op::Exists { .. }),
                leaf => known &= self.unknown(leaf).is_none() && self.known(leaf).is_some(),
            }
        });
        match known.then(|| eval(terms, sorts, term, self.env)) {
            Some(Ok(value)) => Shape::only(value),
            Some(Err(EvalError::TooLarge | EvalError::NeedsSolver(_) | EvalError::TooManyRounds)) | None => {
                Shape::of(sorts, terms.sort(term))
            }
            Some(Err(_)) => Shape::nothing(),
        }
    }
}

/// All values of the shapes, if their combinations are few.
pub(super) fn few(shapes: &[&Shape]) -> Option<Vec<Vec<Value>>> {
    let counts = shapes.iter().map(|s| s.count());
    counts.into_iter().try_fold(1u64, |all, n| Some(all.checked_mul(n?)?).filter(|all| *all <= COMBINATIONS))?;
    shapes.iter().map(|s| s.list(COMBINATIONS)).collect()
}

/// A shape of truth values.
pub(super) fn truth(yes: bool, no: bool) -> Shape {
    let values = [(no, false), (yes, true)].into_iter().filter(|(may, _)| *may).map(|(_, b)| Value::Bool(b));
    Shape::these(values.collect())
}

/// Whether it is a shape of texts, and not of sequences.
pub(super) fn is_text(shape: &Shape) -> bool {
    match shape.kind() {
        Kind::Text(_) => true,
        Kind::Few(values) => matches!(values.first(), Some(Value::Str(_))),
        _ => false,
    }
}

/// Bounds of integers.
pub(super) fn whole(shape: &Shape) -> Option<Range<i128>> {
    match shape.kind() {
        Kind::Int(r) => Some(r.clone()),
        Kind::Few(values) => match values.first()? {
            Value::Int(_) | Value::BigInt(_) => match Shape::hull(values).kind() {
                Kind::Int(r) => Some(r.clone()),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    }
}

/// Bounds of reals.
pub(super) fn real(shape: &Shape) -> Option<Range<Rational>> {
    match shape.kind() {
        Kind::Real(r) => Some(r.clone()),
        Kind::Few(values) => match values.first()? {
            Value::Real(_) => match Shape::hull(values).kind() {
                Kind::Real(r) => Some(r.clone()),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    }
}

/// The only value of a divisor, if it is positive and small.
pub(super) fn divisor(shape: &Shape) -> Option<i128> {
    match shape.as_only()? {
        Value::Int(n) if *n > 0 => Some(i128::from(*n)),
        _ => None,
    }
}

fn arith(
    a: &Shape,
    b: &Shape,
    wholes: impl FnOnce(&Range<i128>, &Range<i128>) -> Range<i128>,
    reals: impl FnOnce(&Range<Rational>, &Range<Rational>) -> Range<Rational>,
) -> Option<Shape> {
    if let (Some(a), Some(b)) = (whole(a), whole(b)) {
        return Some(Shape::whole(wholes(&a, &b)));
    }
    Some(Shape::real(reals(&real(a)?, &real(b)?)))
}

/// Whether a number of the first shape may be below one of the second, or equal to it.
fn may_be_below(a: &Shape, b: &Shape, or_equal: bool) -> Option<bool> {
    fn may<N: Ord>(lo: Option<&N>, hi: Option<&N>, or_equal: bool) -> bool {
        match (lo, hi) {
            (Some(lo), Some(hi)) => lo < hi || (or_equal && lo == hi),
            _ => true,
        }
    }
    if let (Some(a), Some(b)) = (whole(a), whole(b)) {
        return Some(may(a.lo.as_ref(), b.hi.as_ref(), or_equal));
    }
    let (a, b) = (real(a)?, real(b)?);
    Some(may(a.lo.as_ref(), b.hi.as_ref(), or_equal))
}

/// Whether a length of the first range may be at most one of the second.
fn may_not_exceed(a: &Range<i128>, b: &Range<i128>) -> bool {
    match (a.lo, b.hi) {
        (Some(lo), Some(hi)) => lo <= hi,
        _ => true,
    }
}

/// A number that a value is, as an integer.
pub(super) fn integer(value: &Value) -> Option<i128> {
    number::to_big(value).and_then(|n| i128::try_from(n).ok())
}
