//! The one-point rule: `exists b. b == t && f(b)` is `f(t)`, if `t` is in the sort of `b`.

use sioco_model::number::Rational;
use sioco_model::term::{MAX_DEPTH, Op, Term};
use sioco_model::{BinderId, TermId, Value};

use super::formula::{Context, Formula, and};
use super::inside::{has_range, inside};
use super::linear::{Compare, Linear, Relation};

/// A value of a variable that a literal determines.
pub(super) struct Point {
    /// What else the literal demands.
    pub condition: Formula,
    /// The value.
    pub value: TermId,
}

impl Context<'_> {
    /// Replaces the variable by its value if one of the conjuncts determines it.
    pub fn one_point(&mut self, b: BinderId, conjuncts: &[Formula]) -> Option<Formula> {
        self.replace(b, conjuncts, false)
    }

    /// The same, only if that takes no division.
    pub fn point_without_division(&mut self, b: BinderId, conjuncts: &[Formula]) -> Option<Formula> {
        self.replace(b, conjuncts, true)
    }

    fn replace(&mut self, b: BinderId, conjuncts: &[Formula], whole: bool) -> Option<Formula> {
        // The smallest value makes the smallest result.
        let mut best: Option<(usize, u32, Point)> = None;
        for (i, c) in conjuncts.iter().enumerate() {
            let Formula::Lit(t) = c else { continue };
            if let Some(point) = self.solve(b, *t, whole) {
                let depth = self.pool.depth(point.value);
                if best.as_ref().is_none_or(|(_, least, _)| depth < *least) {
                    best = Some((i, depth, point));
                }
            }
        }
        let (at, depth, Point { condition, value }) = best?;
        let deepest = conjuncts.iter().map(|c| self.depth(c)).max().unwrap_or(0);
        if depth + deepest > MAX_DEPTH {
            return None;
        }
        let mut parts = vec![condition];
        parts.extend(self.in_sort(b, value));
        for (i, c) in conjuncts.iter().enumerate() {
            if i != at {
                parts.push(self.substitute(c, b, value));
            }
        }
        Some(and(parts))
    }

    /// The condition that a value is in the sort of the variable.
    pub fn in_sort(&mut self, b: BinderId, value: TermId) -> Option<Formula> {
        let sort = self.pool.binders[b];
        if !has_range(self.sorts, sort) {
            return None;
        }
        if let Term::Bound(other, _) = self.pool.get(value)
            && self.sorts.includes(sort, self.pool.binders[*other])
        {
            return None;
        }
        let condition = inside(self.pool, self.sorts, sort, value, true)?;
        let condition = self.freshly_bound(condition);
        Some(self.normal(condition, true))
    }

    /// The value that a literal gives to a variable.
    fn solve(&mut self, b: BinderId, literal: TermId, whole: bool) -> Option<Point> {
        if !self.uses(literal, b) {
            return None;
        }
        let point = |value| Some(Point { condition: super::formula::TRUE, value });
        let is_b = |t: &Term| matches!(t, Term::Bound(found, _) if *found == b);
        let (op, args) = match self.pool.get(literal) {
            t if is_b(t) => return point(self.pool.bool(self.sorts, true)),
            Term::App(op, args) => (*op, args.clone()),
            _ => return None,
        };
        match op {
            Op::Not if is_b(self.pool.get(args[0])) => point(self.pool.bool(self.sorts, false)),
            // A Bool variable that differs from a term equals its negation.
            Op::Not => {
                let Term::App(Op::Eq, sides) = self.pool.get(args[0]).clone() else { return None };
                if self.pool.sort(sides[0]) != self.sorts.bool {
                    return None;
                }
                let value = self.other_side(b, &sides)?;
                point(self.pool.not(self.sorts, value))
            }
            Op::Is(c) if is_b(self.pool.get(args[0])) => {
                let sort = self.pool.sort(args[0]);
                let sioco_model::sort::Sort::Data(d) = self.sorts.get(sort) else { return None };
                let constructor = self.sorts.data[*d].constructors.get(c as usize)?;
                if !constructor.fields.is_empty() {
                    return None;
                }
                point(self.pool.constant(Value::Enum(c), sort))
            }
            Op::Eq if self.sorts.is_numeric(self.pool.sort(args[0])) => {
                let Relation { form, compare, real } = self.relation(literal)?;
                debug_assert_eq!(compare, Compare::Eq);
                let (c, rest) = self.isolate(b, &form)?;
                self.solve_linear(&c, &rest, real, whole)
            }
            Op::Eq => point(self.other_side(b, &args)?),
            _ => None,
        }
    }

    fn other_side(&mut self, b: BinderId, sides: &[TermId]) -> Option<TermId> {
        let is_b = |t: &Term| matches!(t, Term::Bound(found, _) if *found == b);
        let other = match (is_b(self.pool.get(sides[0])), is_b(self.pool.get(sides[1]))) {
            (true, _) => sides[1],
            (_, true) => sides[0],
            _ => return None,
        };
        (!self.uses(other, b)).then_some(other)
    }

    /// The coefficient of the variable, which is not zero, and the rest, in which it does not occur.
    pub fn isolate(&mut self, b: BinderId, form: &Linear) -> Option<(Rational, Linear)> {
        let variable = self.pool.bound(self.sorts, b);
        let (c, rest) = form.split(variable);
        let clean = !c.is_zero() && rest.terms.iter().all(|(t, _)| !self.uses(*t, b));
        clean.then_some((c, rest))
    }

    /// `c * b + rest == 0`.
    fn solve_linear(&mut self, c: &Rational, rest: &Linear, real: bool, whole: bool) -> Option<Point> {
        let minus = -Rational::ONE;
        if real || *c == Rational::ONE || *c == minus {
            let value = rest.scale(&(&minus / c));
            return Some(Point { condition: super::formula::TRUE, value: self.of_linear(&value, self.numbers(real)) });
        }
        if whole {
            return None;
        }
        // The multiple must be one.
        let (c, rest) = if *c > Rational::ZERO { (c.clone(), rest.scale(&minus)) } else { (c * &minus, rest.clone()) };
        let (divisor, multiple) = (self.number(&c, self.sorts.int), self.of_linear(&rest, self.sorts.int));
        let remainder = self.app(Op::Mod, &[multiple, divisor]);
        let form = self.linear(remainder);
        let condition = self.of_relation(Relation { form, compare: Compare::Eq, real });
        Some(Point { condition, value: self.app(Op::Div, &[multiple, divisor]) })
    }
}
