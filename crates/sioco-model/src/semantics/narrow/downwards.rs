//! What is required of the arguments of a term, from what is required of the term itself.

use super::upwards::{divisor, few, integer, is_text, real, whole};
use super::{ALTERNATIVES, Alternative, Contradiction, Demand, Narrowing, Nodes, require};
use crate::eval::{EvalError, apply};
use crate::id::TermId;
use crate::number::Rational;
use crate::semantics::range::Range;
use crate::semantics::shape::{Kind, Shape, first_combinations};
use crate::term::{Op, Term};
use crate::value::Value;

/// The parts of longer texts are not listed: a text of sixteen characters has 137 of them.
const LONG: usize = 16;

impl Narrowing<'_> {
    /// Requires of the arguments what the shape of the i-th term asks for.
    pub(super) fn downwards(&mut self, nodes: &mut Nodes, i: usize) -> Result<(), Contradiction> {
        let terms = self.context.terms;
        let Term::App(op, args) = terms.get(nodes.order[i]) else { return Ok(()) };
        let shape = nodes.shapes[i].clone();
        match op {
            Op::Not => require(nodes, args[0], &Shape::these(flipped(&shape))),
            Op::And | Op::Or => junction(nodes, *op == Op::And, args, &shape),
            Op::Ite => self.selection(nodes, args, &shape),
            Op::Exists { first, count } => {
                if !shape.may_be(false) {
                    let demands = vec![(args[0], Shape::truth(true))];
                    nodes.cases.push(vec![Alternative { demands, binders: Some((*first, *count)) }]);
                }
                Ok(())
            }
            // Of what it is made of, nothing is looked at.
            Op::Each { .. } | Op::Defined => Ok(()),
            _ => {
                // Whatever is evaluated must be defined.
                for a in args {
                    let shape = nodes.shape(*a).clone();
                    require(nodes, *a, &shape)?;
                }
                if self.supported(nodes, *op, args, &shape)? { Ok(()) } else { self.bound(nodes, *op, args, &shape) }
            }
        }
    }

    /// Where the combinations of values are few, those of the arguments stay that give a value in the shape together with
    /// some of the others. Whether that was so.
    fn supported(&mut self, nodes: &mut Nodes, op: Op, args: &[TermId], shape: &Shape) -> Result<bool, Contradiction> {
        let shapes: Vec<&Shape> = args.iter().map(|a| nodes.shape(*a)).collect();
        let Some(lists) = few(&shapes) else { return Ok(false) };
        if lists.iter().all(|l| l.len() == 1) {
            // Its value was computed on the way up.
            return Ok(true);
        }
        let sort = args.first().map(|a| self.context.terms.sort(*a));
        let places: Vec<&[Value]> = lists.iter().map(Vec::as_slice).collect();
        let mut left: Vec<Vec<Value>> = vec![Vec::new(); args.len()];
        let mut too_large = false;
        first_combinations(&places, &mut |values| {
            self.work += 1;
            match apply(self.context.sorts, op, &values, sort) {
                Ok(value) if shape.contains(&value) => left.iter_mut().zip(values).for_each(|(l, v)| l.push(v)),
                Err(EvalError::TooLarge) => too_large = true,
                Ok(_) | Err(_) => {}
            }
            !too_large
        });
        if too_large {
            return Ok(false);
        }
        for (arg, values) in args.iter().zip(left) {
            require(nodes, *arg, &Shape::these(values))?;
        }
        Ok(true)
    }

    /// A condition decides between two terms.
    fn selection(&mut self, nodes: &mut Nodes, args: &[TermId], shape: &Shape) -> Result<(), Contradiction> {
        let possible = |nodes: &Nodes, which: bool, branch: TermId| {
            nodes.shape(args[0]).may_be(which) && !nodes.shape(branch).meet(shape).is_nothing()
        };
        let branches = [(true, args[1]), (false, args[2])];
        let left: Vec<(bool, TermId)> =
            branches.into_iter().filter(|(which, branch)| possible(nodes, *which, *branch)).collect();
        match &left[..] {
            [] => Err(Contradiction),
            [(which, branch)] => {
                require(nodes, args[0], &Shape::truth(*which))?;
                require(nodes, *branch, shape)
            }
            both => {
                let case = |(which, branch): &(bool, TermId)| {
                    let demands = vec![(args[0], Shape::truth(*which)), (*branch, shape.clone())];
                    Alternative { demands, binders: None }
                };
                nodes.cases.push(both.iter().map(case).collect());
                Ok(())
            }
        }
    }

    /// What bounds of a term say about its arguments.
    fn bound(&mut self, nodes: &mut Nodes, op: Op, args: &[TermId], shape: &Shape) -> Result<(), Contradiction> {
        let of = |nodes: &Nodes, i: usize| nodes.shape(args[i]).clone();
        match op {
            Op::Eq if !shape.may_be(false) => {
                let both = of(nodes, 0).meet(&of(nodes, 1));
                require(nodes, args[0], &both)?;
                require(nodes, args[1], &both)
            }
            Op::Eq if !shape.may_be(true) => {
                for (a, b) in [(0, 1), (1, 0)] {
                    if let Some(value) = of(nodes, a).as_only() {
                        let others = of(nodes, b).without(value);
                        require(nodes, args[b], &others)?;
                    }
                }
                Ok(())
            }
            Op::Lt | Op::Le if shape.as_only().is_some() => {
                let holds = shape.may_be(true);
                // `!(a < b)` is `b <= a`.
                let (low, high) = if holds { (args[0], args[1]) } else { (args[1], args[0]) };
                below(nodes, low, high, (op == Op::Lt) == holds)
            }
            Op::Add => {
                for i in 0..args.len() {
                    let rest = args.iter().enumerate().filter(|(j, _)| *j != i).map(|(_, a)| nodes.shape(*a));
                    let share = share(shape, rest);
                    require_some(nodes, args[i], share)?;
                }
                Ok(())
            }
            Op::Sub => {
                let (a, b) = (of(nodes, 0), of(nodes, 1));
                require_some(nodes, args[0], numbers(shape, &b, Range::add, Range::add))?;
                require_some(nodes, args[1], numbers(&a, shape, Range::subtract, Range::subtract))
            }
            Op::Neg => {
                let negated = match (whole(shape), real(shape)) {
                    (Some(r), _) => Some(Shape::whole(r.negate())),
                    (_, Some(r)) => Some(Shape::real(r.negate())),
                    _ => None,
                };
                require_some(nodes, args[0], negated)
            }
            Op::Abs => {
                let either = match (whole(shape), real(shape)) {
                    (Some(r), _) => Some(Shape::whole(r.either_sign())),
                    (_, Some(r)) => Some(Shape::real(r.either_sign())),
                    _ => None,
                };
                require_some(nodes, args[0], either)
            }
            Op::Mul => {
                for i in 0..args.len() {
                    let rest: Vec<Shape> = (0..args.len()).filter(|j| *j != i).map(|j| of(nodes, j)).collect();
                    require_some(nodes, args[i], factor(shape, &rest))?;
                }
                Ok(())
            }
            Op::Div => {
                let undivided = divisor(&of(nodes, 1)).zip(whole(shape)).map(|(by, r)| Shape::whole(r.undivide(by)));
                require_some(nodes, args[0], undivided)
            }
            Op::Min | Op::Max => {
                for a in args {
                    let bounds = match (whole(shape), real(shape)) {
                        (Some(r), _) if op == Op::Min => Some(Shape::whole(Range { hi: None, ..r })),
                        (Some(r), _) => Some(Shape::whole(Range { lo: None, ..r })),
                        (_, Some(r)) if op == Op::Min => Some(Shape::real(Range { hi: None, ..r })),
                        (_, Some(r)) => Some(Shape::real(Range { lo: None, ..r })),
                        _ => None,
                    };
                    require_some(nodes, *a, bounds)?;
                }
                Ok(())
            }
            Op::ToReal => {
                let inside = real(shape).map(|r| {
                    let end = |n: dashu_int::IBig| i128::try_from(n).ok();
                    let lo = r.lo.as_ref().and_then(|n| end(n.ceil()));
                    let hi = r.hi.as_ref().and_then(|n| end(n.floor()));
                    Shape::whole(Range::new(lo, hi))
                });
                require_some(nodes, args[0], inside)
            }
            Op::Floor => {
                let inside = whole(shape).map(|r| {
                    let hi = r.hi.map(|n| Rational::from(n + 1));
                    Shape::real(Range { lo: r.lo.map(Rational::from), hi })
                });
                require_some(nodes, args[0], inside)
            }
            Op::Len | Op::Concat | Op::Index | Op::Contains | Op::Slice | Op::SeqLit => {
                self.items(nodes, op, args, shape)
            }
            Op::Construct(c) => {
                for (i, a) in args.iter().enumerate() {
                    require(nodes, *a, &shape.field(c, i as u32))?;
                }
                Ok(())
            }
            Op::Is(c) => {
                if let Some(Value::Bool(it)) = shape.as_only() {
                    let made = of(nodes, 0).made_by(c, *it);
                    require(nodes, args[0], &made)?;
                }
                Ok(())
            }
            Op::Field(c, i) => {
                let with = of(nodes, 0).with_field(c, i, shape);
                require(nodes, args[0], &with)
            }
            Op::Checked(_) => require(nodes, args[0], shape),
            _ => Ok(()),
        }
    }

    /// Texts and sequences.
    fn items(&mut self, nodes: &mut Nodes, op: Op, args: &[TermId], shape: &Shape) -> Result<(), Contradiction> {
        let first = nodes.shape(args.first().copied().unwrap_or(nodes.order[0])).clone();
        let text = is_text(&first);
        let of_length = |length: &Range<i128>, items: Shape| {
            if text { Shape::text(length) } else { Shape::sequence(length.clone(), items) }
        };
        match op {
            Op::Len => {
                let Some(length) = whole(shape) else { return Ok(()) };
                require(nodes, args[0], &of_length(&length, first.items()))
            }
            Op::Concat => {
                let (length, items) = (shape.length(), shape.items());
                for i in 0..args.len() {
                    let rest = args.iter().enumerate().filter(|(j, _)| *j != i).map(|(_, a)| nodes.shape(*a).length());
                    let rest = rest.fold(Range { lo: Some(0), hi: Some(0) }, |sum, l| sum.add(&l));
                    require(nodes, args[i], &of_length(&length.subtract(&rest), items.clone()))?;
                }
                Ok(())
            }
            Op::Index => {
                let Some(index) = whole(nodes.shape(args[1])) else { return Ok(()) };
                let longer = Range { lo: Some(index.lo.unwrap_or(0).max(0) + 1), hi: None };
                require(nodes, args[0], &of_length(&longer, first.items()))?;
                let last = first.length().hi.map(|n| n - 1);
                require(nodes, args[1], &Shape::whole(Range { lo: Some(0), hi: last }))
            }
            Op::Contains if !shape.may_be(false) && text => {
                let part = nodes.shape(args[1]).length();
                let at_least = Range { lo: part.lo, hi: None };
                require(nodes, args[0], &Shape::text(&at_least))?;
                let at_most = Range { lo: None, hi: first.length().hi };
                require(nodes, args[1], &Shape::text(&at_most))?;
                require_some(nodes, args[1], parts_of(&first))
            }
            Op::Contains if !shape.may_be(false) => {
                let some = Range { lo: Some(1), hi: None };
                require(nodes, args[0], &of_length(&some, first.items()))?;
                require(nodes, args[1], &first.items())
            }
            // An item that it must not have.
            Op::Contains if !shape.may_be(true) && !text => {
                let item = nodes.shape(args[1]).as_only().map(|v| first.items().without(v));
                let without = item.map(|item| Shape::sequence(Range { lo: Some(0), hi: None }, item));
                require_some(nodes, args[0], without)
            }
            Op::Slice => {
                let Some(to) = whole(nodes.shape(args[2])) else { return Ok(()) };
                let longer = Range { lo: Some(to.lo.unwrap_or(0).max(0)), hi: None };
                require(nodes, args[0], &of_length(&longer, first.items()))?;
                let most = Range { lo: Some(0), hi: first.length().hi };
                require(nodes, args[1], &Shape::whole(most.clone()))?;
                require(nodes, args[2], &Shape::whole(most))
            }
            Op::SeqLit => {
                for (i, a) in args.iter().enumerate() {
                    let at = match shape.kind() {
                        Kind::Few(values) => {
                            let items = values.iter().filter_map(|v| match v {
                                Value::Seq(items) if items.len() == args.len() => items.get(i).cloned(),
                                _ => None,
                            });
                            Shape::these(items.collect())
                        }
                        _ => shape.items(),
                    };
                    require(nodes, *a, &at)?;
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

/// A conjunction (`unit` true) or disjunction: all parts are the unit, or the first that is not decides.
fn junction(nodes: &mut Nodes, unit: bool, args: &[TermId], shape: &Shape) -> Result<(), Contradiction> {
    if !shape.may_be(!unit) {
        return args.iter().try_for_each(|a| require(nodes, *a, &Shape::truth(unit)));
    }
    if shape.may_be(unit) {
        return Ok(());
    }
    // Each alternative says what is before it: where there are too many, they are not written down.
    let last = args.iter().position(|a| !nodes.shape(*a).may_be(unit)).map_or(args.len(), |i| i + 1);
    if args[..last].iter().filter(|a| nodes.shape(**a).may_be(!unit)).take(ALTERNATIVES + 1).count() > ALTERNATIVES {
        return Ok(());
    }
    let mut before: Vec<Demand> = Vec::new();
    let mut alternatives: Vec<Alternative> = Vec::new();
    for a in args {
        if nodes.shape(*a).may_be(!unit) {
            let mut demands = before.clone();
            demands.push((*a, Shape::truth(!unit)));
            alternatives.push(Alternative { demands, binders: None });
        }
        if !nodes.shape(*a).may_be(unit) {
            break;
        }
        before.push((*a, Shape::truth(unit)));
    }
    match &alternatives[..] {
        [] => Err(Contradiction),
        [only] => only.demands.iter().try_for_each(|(term, shape)| require(nodes, *term, shape)),
        _ => {
            nodes.cases.push(alternatives);
            Ok(())
        }
    }
}

/// The opposite truth values.
fn flipped(shape: &Shape) -> Vec<Value> {
    [true, false].into_iter().filter(|b| shape.may_be(!b)).map(Value::Bool).collect()
}

fn require_some(nodes: &mut Nodes, term: TermId, shape: Option<Shape>) -> Result<(), Contradiction> {
    shape.map_or(Ok(()), |shape| require(nodes, term, &shape))
}

/// A number below another, or equal to it unless that is `strict`.
fn below(nodes: &mut Nodes, low: TermId, high: TermId, strict: bool) -> Result<(), Contradiction> {
    let (a, b) = (nodes.shape(low).clone(), nodes.shape(high).clone());
    if let (Some(a), Some(b)) = (whole(&a), whole(&b)) {
        let step = i128::from(strict);
        require(nodes, low, &Shape::whole(Range::new(None, b.hi.map(|n| n - step))))?;
        return require(nodes, high, &Shape::whole(Range::new(a.lo.map(|n| n + step), None)));
    }
    let (Some(a), Some(b)) = (real(&a), real(&b)) else { return Ok(()) };
    require(nodes, low, &Shape::real(Range { lo: None, hi: b.hi }))?;
    require(nodes, high, &Shape::real(Range { lo: a.lo, hi: None }))
}

/// What is left of a sum for one of its parts.
fn share<'s>(sum: &Shape, mut rest: impl Iterator<Item = &'s Shape>) -> Option<Shape> {
    rest.try_fold(sum.clone(), |left, part| numbers(&left, part, Range::subtract, Range::subtract))
}

fn numbers(
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

/// A factor of a product whose other factors are one number that is not zero.
fn factor(product: &Shape, rest: &[Shape]) -> Option<Shape> {
    let [rest] = rest else { return None };
    let by = rest.as_only()?;
    if let Some(r) = whole(product) {
        let by = integer(by).filter(|n| *n != 0 && i64::try_from(*n).is_ok())?;
        return Some(Shape::whole(r.unscale(by)));
    }
    match by {
        Value::Real(by) if !by.is_zero() => Some(Shape::real(real(product)?.unscale(by))),
        _ => None,
    }
}

/// All parts of texts that are known, if they are short.
fn parts_of(texts: &Shape) -> Option<Shape> {
    let Kind::Few(values) = texts.kind() else { return None };
    let mut parts = vec![Value::string("")];
    for value in values {
        let Value::Str(text) = value else { return None };
        let chars: Vec<char> = text.chars().collect();
        if chars.len() > LONG {
            return None;
        }
        for from in 0..chars.len() {
            for to in from + 1..=chars.len() {
                parts.push(Value::string(&chars[from..to].iter().collect::<String>()));
            }
        }
    }
    Some(Shape::these(parts))
}
