//! Where a condition may be undefined: its partial operations, each with the condition under which evaluation reaches it.

use super::upwards::whole;
use super::{Demand, Narrowing};
use crate::id::TermId;
use crate::number::Rational;
use crate::semantics::shape::Shape;
use crate::term::{Op, Term};
use crate::value::Value;

/// Conditions with more operations that may be undefined are left alone: each is looked at for itself, and few
/// conditions of people have more than three.
const ORIGINS: usize = 32;

/// An operation that may be undefined, and what holds where it is evaluated.
struct Origin {
    term: TermId,
    demands: Vec<Demand>,
}

impl Narrowing<'_> {
    /// Shapes of the unknowns that hold all values for which the condition is undefined, as several cases; nothing if these
    /// are too many.
    pub fn undefined(&mut self, shapes: &[Shape], condition: TermId) -> Option<Vec<Vec<Shape>>> {
        let mut origins = Vec::new();
        self.origins(condition, &mut Vec::new(), &mut origins)?;
        let mut cases = Vec::new();
        for Origin { term, mut demands } in origins {
            let mut own = shapes.to_vec();
            let Term::App(op, args) = self.context.terms.get(term) else { continue };
            if op.binders().is_some() {
                if self.deepen(&mut own, &demands).is_ok() {
                    cases.push(own);
                }
                continue;
            }
            let zero = match op {
                Op::Div | Op::Mod => Some(Value::Int(0)),
                Op::Quot => Some(Value::real(Rational::ZERO)),
                _ => None,
            };
            if let Some(zero) = zero {
                demands.push((args[1], Shape::only(zero)));
            }
            if let Op::Field(c, _) = op {
                let others = Shape::of(self.context.sorts, self.context.terms.sort(args[0])).made_by(*c, false);
                demands.push((args[0], others));
            }
            // Its arguments have values.
            for a in args {
                demands.push((*a, Shape::of(self.context.sorts, self.context.terms.sort(*a))));
            }
            if self.deepen(&mut own, &demands).is_err() {
                continue;
            }
            let nodes = self.upwards(&own, args);
            let values: Vec<&Shape> = args.iter().map(|a| nodes.shape(*a)).collect();
            if self.may_fail(*op, &values) {
                cases.push(own);
            }
        }
        Some(cases)
    }

    /// Whether an operation may be undefined for arguments of these shapes.
    fn may_fail(&self, op: Op, args: &[&Shape]) -> bool {
        let range = |i: usize| whole(args[i]);
        // Whether every number of one range is at most, or below, every number of another.
        let ordered = |a: Option<i128>, b: Option<i128>, strict: bool| match (a, b) {
            (Some(a), Some(b)) => a < b || (!strict && a == b),
            _ => false,
        };
        match op {
            Op::Index => range(1).is_none_or(|index| {
                let length = args[0].length();
                !(ordered(Some(0), index.lo, false) && ordered(index.hi, length.lo, true))
            }),
            Op::Slice => match (range(1), range(2)) {
                (Some(from), Some(to)) => {
                    let length = args[0].length();
                    !(ordered(Some(0), from.lo, false)
                        && ordered(from.hi, to.lo, false)
                        && ordered(to.hi, length.lo, false))
                }
                _ => true,
            },
            Op::Checked(sort) => args[0].meet(&Shape::of(self.context.sorts, sort)) != *args[0],
            _ => true,
        }
    }

    /// All operations in a term that may be undefined, with what holds where they are reached.
    fn origins(&self, term: TermId, before: &mut Vec<Demand>, found: &mut Vec<Origin>) -> Option<()> {
        let terms = self.context.terms;
        if !terms.is_partial(term) {
            return Some(());
        }
        if found.len() > ORIGINS {
            return None;
        }
        let Term::App(op, args) = terms.get(term) else { return Some(()) };
        let reached = before.len();
        match op {
            Op::And | Op::Or => {
                for a in args {
                    self.origins(*a, before, found)?;
                    before.push((*a, Shape::truth(*op == Op::And)));
                }
            }
            Op::Ite => {
                self.origins(args[0], before, found)?;
                for (branch, which) in [(args[1], true), (args[2], false)] {
                    before.push((args[0], Shape::truth(which)));
                    self.origins(branch, before, found)?;
                    before.truncate(reached);
                }
            }
            // What its body says is about values that are not known here.
            Op::Exists { .. } | Op::Each { .. } => found.push(Origin { term, demands: before.clone() }),
            _ => {
                for a in args {
                    self.origins(*a, before, found)?;
                }
                if terms.may_be_undefined(*op, args) {
                    found.push(Origin { term, demands: before.clone() });
                }
            }
        }
        before.truncate(reached);
        Some(())
    }
}
