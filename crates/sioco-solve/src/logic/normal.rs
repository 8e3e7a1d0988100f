//! Terms to formulas: negation normal form, and replacement of variables.

use rustc_hash::FxHashMap;
use sioco_model::number::Rational;
use sioco_model::simplify::{construct, items};
use sioco_model::sort::Sort;
use sioco_model::term::{Op, Term};
use sioco_model::{BinderId, TermId, Value};

use super::fold::{app, binders};
use super::formula::{Context, FALSE, Formula, TRUE, and, or};
use super::inside::{field_of, is_position};

impl Context<'_> {
    /// The term with new variables for every quantifier, so that no two that are inside each other have the same.
    pub fn freshly_bound(&mut self, t: TermId) -> TermId {
        self.freshen(t, &mut FxHashMap::default())
    }

    fn freshen(&mut self, t: TermId, done: &mut FxHashMap<TermId, TermId>) -> TermId {
        let Term::App(op, args) = self.pool.get(t).clone() else { return t };
        if let Some(known) = done.get(&t) {
            return *known;
        }
        let mut new: Vec<TermId> = args.iter().map(|a| self.freshen(*a, done)).collect();
        let mut op = op;
        if let Op::Exists { first, count } = op {
            // Quantifiers further inside have other variables by now, so all that are left belong to this one.
            let fresh = self.pool.binders.next_id();
            let old: Vec<BinderId> = binders(first, count).collect();
            let names: Vec<BinderId> = (old.iter())
                .map(|b| {
                    let sort = self.pool.binders[*b];
                    self.pool.binders.push(sort)
                })
                .collect();
            let sorts = self.sorts;
            new[0] = self.pool.replace(new[0], &mut |pool, leaf| match leaf {
                Term::Bound(b, _) => {
                    let at = old.iter().position(|o| o == b)?;
                    Some(pool.bound(sorts, names[at]))
                }
                _ => None,
            });
            op = Op::Exists { first: fresh, count };
        }
        let sort = self.pool.sort(t);
        let result = self.pool.app(op, &new, sort);
        done.insert(t, result);
        result
    }

    /// A total Bool term, or its negation, as a formula. What is too much is left as a literal.
    pub fn normal(&mut self, t: TermId, positive: bool) -> Formula {
        if let Some(Value::Bool(value)) = self.pool.as_const(t) {
            return if *value == positive { TRUE } else { FALSE };
        }
        // What has no variables and no quantifiers is of no interest.
        let (op, args) = match self.pool.get(t).clone() {
            Term::App(op, args) if self.parts > 0 && self.has_bound(t) => (op, args),
            _ => return self.literal_of(t, positive),
        };
        self.parts -= 1;
        match op {
            Op::Not => self.normal(args[0], !positive),
            Op::And | Op::Or => {
                let parts = args.iter().map(|a| self.normal(*a, positive)).collect();
                if (op == Op::And) == positive { and(parts) } else { or(parts) }
            }
            Op::Ite if !self.is_guard(&args) => {
                let (yes, no) = (self.normal(args[0], true), self.normal(args[0], false));
                let (a, b) = (self.normal(args[1], positive), self.normal(args[2], positive));
                or(vec![and(vec![yes, a]), and(vec![no, b])])
            }
            Op::Exists { first, count } => {
                let body = self.normal(args[0], true);
                Formula::Exists { negated: !positive, binders: binders(first, count).collect(), body: Box::new(body) }
            }
            Op::Le | Op::Lt => {
                let literal = self.relation(t).expect("an order is a relation");
                let f = self.of_relation(literal);
                if positive { f } else { self.negate(f) }
            }
            Op::Eq => {
                let f = self.equality(args[0], args[1]);
                if positive { f } else { self.negate(f) }
            }
            _ => self.literal_of(t, positive),
        }
    }

    /// Whether an `if` is there for what it chooses, which is undefined elsewhere: the two must stay together.
    fn is_guard(&self, args: &[TermId]) -> bool {
        match self.pool.get(args[1]) {
            Term::App(Op::Div | Op::Mod | Op::Quot, inner) => self.pool.as_const(inner[1]).is_none(),
            Term::App(Op::Index | Op::Slice | Op::Field(..), _) => true,
            Term::App(op, inner) if op.is_partial_on_data() => self.pool.may_be_undefined(*op, inner),
            Term::App(Op::Each { .. }, _) => true,
            _ => false,
        }
    }

    fn literal_of(&mut self, t: TermId, positive: bool) -> Formula {
        Formula::Lit(if positive { t } else { self.negate_literal(t) })
    }

    /// `a == b`, taken apart as far as possible.
    fn equality(&mut self, a: TermId, b: TermId) -> Formula {
        if a == b {
            return TRUE;
        }
        match self.sorts.get(self.pool.sort(a)).clone() {
            Sort::Int { .. } | Sort::Real { .. } => {
                let t = self.pool.eq(self.sorts, a, b);
                let relation = self.relation(t).expect("an equality of numbers is a relation");
                self.of_relation(relation)
            }
            Sort::Bool => {
                for (x, y) in [(a, b), (b, a)] {
                    if let Some(Value::Bool(value)) = self.pool.as_const(x) {
                        let value = *value;
                        return self.normal(y, value);
                    }
                }
                // A definition of a variable is better kept.
                if self.is_variable(a) || self.is_variable(b) {
                    return Formula::Lit(self.pool.eq(self.sorts, a, b));
                }
                let [at, af, bt, bf] = [(a, true), (a, false), (b, true), (b, false)].map(|(t, p)| self.normal(t, p));
                or(vec![and(vec![at, bt]), and(vec![af, bf])])
            }
            Sort::Data(_) => {
                let (x, y) = (construct(self.pool, self.sorts, a), construct(self.pool, self.sorts, b));
                match (x, y) {
                    (Some((c, xs)), Some((d, ys))) => {
                        if c != d || xs.len() != ys.len() {
                            return FALSE;
                        }
                        and(xs.into_iter().zip(ys).map(|(x, y)| self.equality(x, y)).collect())
                    }
                    // A variable is better kept whole: it is defined here.
                    (Some((c, xs)), None) if self.has_bound(a) && !self.is_variable(b) => self.has_fields(b, c, &xs),
                    (None, Some((c, ys))) if self.has_bound(b) && !self.is_variable(a) => self.has_fields(a, c, &ys),
                    _ => Formula::Lit(self.app(Op::Eq, &[a, b])),
                }
            }
            Sort::Seq(_) => {
                let (x, y) = (items(self.pool, self.sorts, a), items(self.pool, self.sorts, b));
                match (x, y) {
                    (Some(xs), Some(ys)) => {
                        if xs.len() != ys.len() {
                            return FALSE;
                        }
                        and(xs.into_iter().zip(ys).map(|(x, y)| self.equality(x, y)).collect())
                    }
                    (Some(xs), None) if self.has_bound(a) && !self.is_variable(b) => self.has_items(b, &xs),
                    (None, Some(ys)) if self.has_bound(b) && !self.is_variable(a) => self.has_items(a, &ys),
                    _ => Formula::Lit(self.app(Op::Eq, &[a, b])),
                }
            }
            Sort::String | Sort::Set(_) | Sort::Map(..) => Formula::Lit(self.app(Op::Eq, &[a, b])),
        }
    }

    fn is_variable(&self, t: TermId) -> bool {
        matches!(self.pool.get(t), Term::Bound(..))
    }

    /// `x` equals a constructor applied to fields.
    fn has_fields(&mut self, x: TermId, c: u32, fields: &[TermId]) -> Formula {
        let made = self.app(Op::Is(c), &[x]);
        let mut parts = vec![self.normal(made, true)];
        for (f, field) in fields.iter().enumerate() {
            let part = field_of(self.pool, self.sorts, x, c, f as u32, true);
            parts.push(self.equality(part, *field));
        }
        and(parts)
    }

    /// `x` equals a sequence of items.
    fn has_items(&mut self, x: TermId, items: &[TermId]) -> Formula {
        let len = self.app(Op::Len, &[x]);
        let count = self.pool.constant(Value::Int(items.len() as i64), self.sorts.int);
        let mut parts = vec![self.equality(len, count)];
        for (i, item) in items.iter().enumerate() {
            let i = self.pool.constant(Value::Int(i as i64), self.sorts.int);
            let sort = self.pool.sort(*item);
            let at = is_position(self.pool, self.sorts, x, i);
            let there = app(self.pool, self.sorts, Op::Index, &[x, i], sort);
            let other = self.pool.constant(self.sorts.default_value(sort), sort);
            let there = self.pool.ite(at, there, other);
            parts.push(self.equality(there, *item));
        }
        and(parts)
    }

    /// The formula with a term for a variable; the term uses no variable that is bound inside of the formula.
    pub fn substitute(&mut self, f: &Formula, b: BinderId, by: TermId) -> Formula {
        self.substitute_in(f, b, by, &mut FxHashMap::default())
    }

    fn substitute_in(&mut self, f: &Formula, b: BinderId, by: TermId, done: &mut FxHashMap<TermId, TermId>) -> Formula {
        match f {
            Formula::Lit(t) if !self.uses(*t, b) => f.clone(),
            Formula::Lit(t) => {
                let t = self.put(*t, b, by, done);
                self.normal(t, true)
            }
            Formula::And(parts) => and(parts.iter().map(|p| self.substitute_in(p, b, by, done)).collect()),
            Formula::Or(parts) => or(parts.iter().map(|p| self.substitute_in(p, b, by, done)).collect()),
            Formula::Exists { negated, binders, body } => {
                let body = self.substitute_in(body, b, by, done);
                Formula::Exists { negated: *negated, binders: binders.clone(), body: Box::new(body) }
            }
        }
    }

    fn put(&mut self, t: TermId, b: BinderId, by: TermId, done: &mut FxHashMap<TermId, TermId>) -> TermId {
        if !self.uses(t, b) {
            return t;
        }
        if let Some(known) = done.get(&t) {
            return *known;
        }
        let result = match self.pool.get(t).clone() {
            Term::App(op, args) => {
                let args: Vec<TermId> = args.iter().map(|a| self.put(*a, b, by, done)).collect();
                let sort = self.pool.sort(t);
                app(self.pool, self.sorts, op, &args, sort)
            }
            _ => by,
        };
        done.insert(t, result);
        result
    }

    /// `x == C(t)` as conditions on the fields of `x`, if only `t` uses a variable; or the same for a sequence.
    pub fn apart(&mut self, literal: TermId, b: BinderId) -> Option<Formula> {
        let Term::App(Op::Eq, sides) = self.pool.get(literal).clone() else { return None };
        for (x, made) in [(sides[0], sides[1]), (sides[1], sides[0])] {
            if self.uses(x, b) {
                continue;
            }
            match self.pool.get(made).clone() {
                Term::App(Op::Construct(c), fields) => return Some(self.has_fields(x, c, &fields)),
                Term::App(Op::SeqLit, items) => return Some(self.has_items(x, &items)),
                _ => {}
            }
        }
        None
    }

    /// The cases of a literal in which an `if`, `min`, `max` or `abs` depends on a variable.
    pub fn selections(&mut self, literal: TermId, b: BinderId) -> Option<Vec<Formula>> {
        let choice = self.selection(literal, b)?;
        let (op, args) = match self.pool.get(choice).clone() {
            Term::App(op, args) => (op, args),
            _ => return None,
        };
        let sort = self.pool.sort(choice);
        let mut cases: Vec<(TermId, TermId)> = Vec::new();
        match op {
            Op::Ite => {
                let other = self.pool.not(self.sorts, args[0]);
                cases.extend([(args[0], args[1]), (other, args[2])]);
            }
            Op::Abs => {
                let zero = self.number(&Rational::ZERO, sort);
                let negative = self.app(Op::Neg, &[args[0]]);
                cases.push((self.app(Op::Le, &[zero, args[0]]), args[0]));
                cases.push((self.app(Op::Lt, &[args[0], zero]), negative));
            }
            _ => {
                for chosen in &args {
                    let others = args.iter().map(|other| match op {
                        Op::Min => [*chosen, *other],
                        _ => [*other, *chosen],
                    });
                    let others: Vec<TermId> = others.collect::<Vec<_>>().iter().map(|o| self.app(Op::Le, o)).collect();
                    cases.push((self.pool.and(self.sorts, &others), *chosen));
                }
            }
        }
        let mut formulas = Vec::new();
        for (condition, value) in cases {
            let mut done = FxHashMap::from_iter([(choice, value)]);
            // Only the way to the selection is walked again: it uses the variable.
            let variable = self.pool.bound(self.sorts, b);
            let literal = self.put(literal, b, variable, &mut done);
            let parts = vec![self.normal(condition, true), self.normal(literal, true)];
            formulas.push(and(parts));
        }
        Some(formulas)
    }

    /// An innermost selection that depends on a variable, outside of quantifiers.
    fn selection(&mut self, t: TermId, b: BinderId) -> Option<TermId> {
        if !self.uses(t, b) {
            return None;
        }
        let Term::App(op, args) = self.pool.get(t).clone() else { return None };
        if op.binders().is_some() || op == Op::Defined {
            return None;
        }
        let inner = args.iter().find_map(|a| self.selection(*a, b));
        if op == Op::Ite && self.is_guard(&args) {
            return inner;
        }
        inner.or(matches!(op, Op::Ite | Op::Min | Op::Max | Op::Abs).then_some(t))
    }
}
