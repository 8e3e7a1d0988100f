//! Terms of reals as linear forms, case by case.
//!
//! A choice inside of a term (`if`, `min`, `max`, `abs`) becomes cases, each with its conditions and its form, and a
//! comparison becomes a disjunction over them: so there are no other variables than the symbols, as long as the cases are
//! few. Integers in such terms are variables as anywhere else. What is not linear gets a helper variable, about which
//! nothing is known.

use sioco_model::sort::Sort;
use sioco_model::term::{Op, Term};
use sioco_model::{SortId, TermId, Value};

use super::constraint::{All, Compare, Constraint, any, linear, never};
use super::equality::Operand;
use super::linear::{Linear, Relation, Var};
use super::normal::Normaliser;
use crate::query::Terms;
use crate::ratio::{Ratio, divisor, times};

/// Terms with more cases than this get a helper variable.
const MAX_CASES: usize = 8;
/// So do the two sides of a comparison with more than this together.
const MAX_COMPARED: usize = 16;
/// How many side conditions a term may have.
const MAX_SIDES: usize = 32;
/// Greatest coefficient of a row.
const MAX_COEFFICIENT: i128 = 1 << 62;
/// Greatest constant of a row.
const MAX_CONSTANT: i128 = 1 << 100;

/// `c1 * x1 + … + cn * xn + constant`; ordered by variable, without zero coefficients.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Form {
    terms: Vec<(Var, Ratio)>,
    constant: Ratio,
}

/// What a term is under conditions.
#[derive(Clone)]
struct Case {
    when: All,
    form: Form,
}

/// A term: its cases, one of which applies, and what must hold for it to be defined.
#[derive(Clone)]
pub(super) struct Real {
    cases: Vec<Case>,
    sides: All,
    exact: bool,
}

impl Form {
    fn constant(constant: Ratio) -> Form {
        Form { terms: Vec::new(), constant }
    }

    fn var(var: Var) -> Form {
        Form { terms: vec![(var, Ratio::ONE)], constant: Ratio::ZERO }
    }

    fn whole(form: &Linear) -> Option<Form> {
        let terms = form.terms.iter().map(|(v, c)| (*v, Ratio::from(*c))).collect();
        Some(Form { terms, constant: Ratio::whole(form.constant)? })
    }

    fn as_constant(&self) -> Option<Ratio> {
        self.terms.is_empty().then_some(self.constant)
    }

    /// `self + factor * other`.
    fn add(&self, other: &Form, factor: Ratio) -> Option<Form> {
        let mut terms = Vec::with_capacity(self.terms.len() + other.terms.len());
        let (mut i, mut j) = (0, 0);
        while i < self.terms.len() || j < other.terms.len() {
            let left = self.terms.get(i).map_or(Var::MAX, |t| t.0);
            let right = other.terms.get(j).map_or(Var::MAX, |t| t.0);
            let mut c = Ratio::ZERO;
            if left <= right {
                c = self.terms[i].1;
                i += 1;
            }
            if right <= left {
                c = c.add(other.terms[j].1.mul(factor)?)?;
                j += 1;
            }
            if !c.is_zero() {
                terms.push((left.min(right), c));
            }
        }
        Some(Form { terms, constant: self.constant.add(other.constant.mul(factor)?)? })
    }

    fn scale(&self, factor: Ratio) -> Option<Form> {
        Form::constant(Ratio::ZERO).add(self, factor)
    }
}

impl From<Form> for Real {
    fn from(form: Form) -> Real {
        Real { cases: vec![Case { when: All::new(), form }], sides: All::new(), exact: true }
    }
}

/// All pairs of cases, and what is made of their forms; nothing if there are too many.
fn pairs(left: &[Case], right: &[Case], make: &mut dyn FnMut(&Form, &Form) -> Option<Form>) -> Option<Vec<Case>> {
    if left.len() * right.len() > MAX_CASES {
        return None;
    }
    let mut out = Vec::with_capacity(left.len() * right.len());
    for a in left {
        for b in right {
            let when = a.when.iter().chain(&b.when).cloned().collect();
            out.push(Case { when, form: make(&a.form, &b.form)? });
        }
    }
    Some(out)
}

impl Normaliser {
    /// The cases of a term of sort Real.
    fn real(&mut self, terms: Terms<'_>, term: TermId, out: &mut All) -> Real {
        // There are many numbers, and nothing to remember of them.
        if let Some(form) = self.leaf(terms, term) {
            return form.into();
        }
        if let Some(real) = self.reals.get(&term) {
            let real = real.clone();
            out.extend(real.sides.iter().cloned());
            if !real.exact {
                self.opaque();
            }
            return real;
        }
        let (outer, mut sides) = (self.begin_exact(), All::new());
        let cases = self.cases(terms, term, &mut sides);
        let cases = cases.unwrap_or_else(|| {
            self.opaque();
            vec![Case { when: All::new(), form: Form::var(self.places.real_helper()) }]
        });
        let mut real = Real { cases, sides: All::new(), exact: true };
        for side in sides {
            if real.sides.len() >= MAX_SIDES {
                self.opaque();
                break;
            }
            if !real.sides.contains(&side) {
                real.sides.push(side);
            }
        }
        real.exact = self.is_exact_so_far();
        out.extend(real.sides.iter().cloned());
        // A literal that gave up inside would give up elsewhere: do not remember it.
        if !self.gave_up() {
            self.reals.insert(term, real.clone());
        }
        self.end_exact(outer);
        real
    }

    /// A number that fits, or a symbol.
    fn leaf(&mut self, terms: Terms<'_>, term: TermId) -> Option<Form> {
        match terms.pool.get(term) {
            Term::Const(v, _) => Ratio::of_value(v).map(Form::constant),
            Term::Symbol(y, _) => {
                let place = self.places.root(terms, *y);
                self.places.places[place as usize].var.map(Form::var)
            }
            _ => None,
        }
    }

    /// The same with one case: a helper variable where there are more.
    fn collapse(&mut self, cases: Vec<Case>, sides: &mut All) -> Option<Vec<Case>> {
        if cases.len() == 1 {
            return Some(cases);
        }
        let helper = Form::var(self.places.real_helper());
        let mut alternatives = Vec::with_capacity(cases.len());
        for Case { mut when, form } in cases {
            self.row(&form.add(&helper, Ratio::ONE.neg())?, Compare::Eq, &mut when)?;
            alternatives.push(when);
        }
        any(alternatives, sides);
        Some(vec![Case { when: All::new(), form: helper }])
    }

    fn combine(
        &mut self,
        left: Vec<Case>,
        right: Vec<Case>,
        sides: &mut All,
        make: &mut dyn FnMut(&Form, &Form) -> Option<Form>,
    ) -> Option<Vec<Case>> {
        if left.len() * right.len() <= MAX_CASES {
            return pairs(&left, &right, make);
        }
        let (left, right) = match left.len() >= right.len() {
            true => (self.collapse(left, sides)?, right),
            false => (left, self.collapse(right, sides)?),
        };
        pairs(&left, &right, make)
    }

    fn cases(&mut self, terms: Terms<'_>, term: TermId, sides: &mut All) -> Option<Vec<Case>> {
        let one = |form: Form| Some(vec![Case { when: All::new(), form }]);
        let (op, args) = match terms.pool.get(term) {
            Term::App(op, args) => (*op, &**args),
            // A number that does not fit.
            _ => return None,
        };
        if op == Op::ToReal {
            let whole = self.whole(terms, args[0], sides);
            return one(Form::whole(whole.form())?);
        }
        // Every argument that is evaluated must be defined, even if the form cannot be had.
        let mut parts = Vec::new();
        if matches!(op, Op::Add | Op::Sub | Op::Neg | Op::Mul | Op::Quot | Op::Min | Op::Max | Op::Abs)
            || matches!(op, Op::Checked(_))
        {
            parts = args.iter().map(|a| self.real(terms, *a, sides).cases).collect();
        }
        let minus = Ratio::ONE.neg();
        match op {
            Op::Add | Op::Sub | Op::Mul | Op::Min | Op::Max => {
                let mut rest = parts.into_iter();
                let mut sum = rest.next()?;
                for part in rest {
                    sum = match op {
                        Op::Add => self.combine(sum, part, sides, &mut |a, b| a.add(b, Ratio::ONE))?,
                        Op::Sub => self.combine(sum, part, sides, &mut |a, b| a.add(b, minus))?,
                        Op::Mul => {
                            self.combine(sum, part, sides, &mut |a, b| match (a.as_constant(), b.as_constant()) {
                                (_, Some(k)) => a.scale(k),
                                (Some(k), _) => b.scale(k),
                                _ => None,
                            })?
                        }
                        _ => self.best(sum, part, op == Op::Min, sides)?,
                    };
                }
                Some(sum)
            }
            Op::Neg => {
                for case in &mut parts[0] {
                    case.form = case.form.scale(minus)?;
                }
                Some(parts.swap_remove(0))
            }
            Op::Abs => {
                let mut mirrored = parts[0].clone();
                for case in &mut mirrored {
                    case.form = case.form.scale(minus)?;
                }
                // Of each case and its own mirror image.
                let mut out = Vec::new();
                for (case, mirror) in parts.swap_remove(0).into_iter().zip(mirrored) {
                    out.extend(self.best_of(&case, &mirror, false)?);
                }
                if out.len() > MAX_CASES { self.collapse(out, sides) } else { Some(out) }
            }
            Op::Quot => {
                let (dividend, by) = (parts.swap_remove(0), parts.swap_remove(0));
                self.quotient(dividend, by, sides)
            }
            Op::Ite => {
                let mut out = Vec::new();
                for (branch, positive) in [(args[1], true), (args[2], false)] {
                    let mut when = self.alternative(terms, &[(args[0], positive)]);
                    for mut case in self.real(terms, branch, &mut when).cases {
                        case.when.splice(0..0, when.iter().cloned());
                        out.push(case);
                    }
                }
                if out.len() > MAX_CASES { self.collapse(out, sides) } else { Some(out) }
            }
            Op::Checked(sort) => self.inside(terms, sort, parts.swap_remove(0), sides),
            Op::Field(..) => {
                let place = self.place(terms, term, sides)?;
                one(Form::var(self.places.places[place as usize].var?))
            }
            _ => None,
        }
    }

    /// A quotient; the divisor is not zero.
    fn quotient(&mut self, dividend: Vec<Case>, by: Vec<Case>, sides: &mut All) -> Option<Vec<Case>> {
        // The divisor is not zero, whichever it is.
        let mut alternatives = Vec::new();
        for Case { when, form } in &by {
            let mut all = when.clone();
            self.differ(form, &mut all)?;
            alternatives.push(all);
        }
        any(alternatives, sides);
        // Where it is, there is no value at all.
        let by: Vec<Case> = by.into_iter().filter(|c| c.form.as_constant() != Some(Ratio::ZERO)).collect();
        if by.is_empty() {
            return Some(vec![Case { when: All::new(), form: Form::constant(Ratio::ZERO) }]);
        }
        self.combine(dividend, by, sides, &mut |a, b| a.scale(Ratio::ONE.div(b.as_constant()?)?))
    }

    /// A term that must be inside of a range.
    fn inside(&mut self, terms: Terms<'_>, sort: SortId, cases: Vec<Case>, sides: &mut All) -> Option<Vec<Case>> {
        let Sort::Real { lo, hi } = terms.sorts.get(sort) else { return None };
        let minus = Ratio::ONE.neg();
        for (bound, sign) in [(lo, minus), (hi, Ratio::ONE)] {
            let Some(bound) = bound else { continue };
            let Some(bound) = Ratio::of(bound) else {
                self.opaque();
                continue;
            };
            // sign * (form - bound) <= 0
            let mut alternatives = Vec::new();
            for Case { when, form } in &cases {
                let mut all = when.clone();
                let form = form.add(&Form::constant(bound), minus)?.scale(sign)?;
                self.row(&form, Compare::Le, &mut all)?;
                alternatives.push(all);
            }
            any(alternatives, sides);
        }
        Some(cases)
    }

    /// The least or the greatest of two terms.
    fn best(&mut self, left: Vec<Case>, right: Vec<Case>, least: bool, sides: &mut All) -> Option<Vec<Case>> {
        let few = |n: usize| n * 2 <= MAX_CASES;
        let (left, right) = match few(left.len() * right.len()) {
            true => (left, right),
            false if left.len() >= right.len() => (self.collapse(left, sides)?, right),
            false => (left, self.collapse(right, sides)?),
        };
        let right = if few(left.len() * right.len()) { right } else { self.collapse(right, sides)? };
        let mut out = Vec::new();
        for a in &left {
            for b in &right {
                out.extend(self.best_of(a, b, least)?);
            }
        }
        Some(out)
    }

    fn best_of(&mut self, a: &Case, b: &Case, least: bool) -> Option<Vec<Case>> {
        let when: All = a.when.iter().chain(&b.when).cloned().collect();
        let difference = a.form.add(&b.form, Ratio::ONE.neg())?;
        let (below, above) = if least { (a, b) } else { (b, a) };
        if let Some(constant) = difference.as_constant() {
            let form = if constant <= Ratio::ZERO { &below.form } else { &above.form };
            return Some(vec![Case { when, form: form.clone() }]);
        }
        let mut at_most = when.clone();
        self.row(&difference, Compare::Le, &mut at_most)?;
        let mut more = when;
        self.row(&difference.scale(Ratio::ONE.neg())?, Compare::Lt, &mut more)?;
        Some(vec![Case { when: at_most, form: below.form.clone() }, Case { when: more, form: above.form.clone() }])
    }

    /// `left <= right`, `left < right` or `left == right`, or the negation of the last.
    fn compare(&mut self, left: Vec<Case>, right: Vec<Case>, relation: Option<Compare>, out: &mut All) -> Option<()> {
        let (mut left, mut right) = (left, right);
        while left.len() * right.len() > MAX_COMPARED {
            let larger = if left.len() >= right.len() { &mut left } else { &mut right };
            let cases = std::mem::take(larger);
            *larger = self.collapse(cases, out)?;
        }
        let mut alternatives = Vec::with_capacity(left.len() * right.len());
        for a in &left {
            for b in &right {
                let mut all: All = a.when.iter().chain(&b.when).cloned().collect();
                let form = a.form.add(&b.form, Ratio::ONE.neg())?;
                match relation {
                    Some(relation) => self.row(&form, relation, &mut all)?,
                    None => self.differ(&form, &mut all)?,
                }
                alternatives.push(all);
            }
        }
        any(alternatives, out);
        Some(())
    }

    /// `left < right` (`strict`) or `left <= right` of two reals.
    pub(super) fn ordered(&mut self, terms: Terms<'_>, left: TermId, right: TermId, strict: bool, out: &mut All) {
        let left = self.real(terms, left, out).cases;
        let right = self.real(terms, right, out).cases;
        let relation = if strict { Compare::Lt } else { Compare::Le };
        if self.compare(left, right, Some(relation), out).is_none() {
            self.opaque();
        }
    }

    /// Two reals are equal, or are not.
    pub(super) fn same_real(
        &mut self,
        terms: Terms<'_>,
        a: Operand<'_>,
        b: Operand<'_>,
        positive: bool,
        out: &mut All,
    ) {
        let both = self.real_operand(terms, a, out).zip(self.real_operand(terms, b, out));
        let done = both.and_then(|(a, b)| self.compare(a, b, positive.then_some(Compare::Eq), out));
        if done.is_none() {
            self.opaque();
        }
    }

    fn real_operand(&mut self, terms: Terms<'_>, operand: Operand<'_>, out: &mut All) -> Option<Vec<Case>> {
        let form = match operand {
            Operand::Term(t) => return Some(self.real(terms, t, out).cases),
            Operand::Place(p) => Form::var(self.places.places[p as usize].var?),
            Operand::Value(v @ Value::Real(_)) => Form::constant(Ratio::of_value(v)?),
            Operand::Value(_) => return None,
        };
        Some(vec![Case { when: All::new(), form }])
    }

    /// The integers that a real lies between: a helper that is the greatest one not above.
    pub(super) fn floor(&mut self, terms: Terms<'_>, arg: TermId, sides: &mut All) -> Option<Linear> {
        let cases = self.real(terms, arg, sides).cases;
        if let [Case { form, .. }] = &cases[..]
            && let Some(constant) = form.as_constant()
        {
            return Linear::constant(constant.floor());
        }
        let helper = self.places.helper(super::store::NO_LO, super::store::NO_HI);
        let whole = Form::var(helper);
        let mut alternatives = Vec::new();
        for Case { mut when, form } in cases {
            let fraction = form.add(&whole, Ratio::ONE.neg())?;
            self.row(&fraction.scale(Ratio::ONE.neg())?, Compare::Le, &mut when)?;
            self.row(&fraction.add(&Form::constant(Ratio::ONE), Ratio::ONE.neg())?, Compare::Lt, &mut when)?;
            alternatives.push(when);
        }
        any(alternatives, sides);
        Some(Linear::var(helper))
    }

    /// `form != 0`: below or above.
    fn differ(&mut self, form: &Form, out: &mut All) -> Option<()> {
        if let Some(constant) = form.as_constant() {
            if constant.is_zero() {
                out.push(never());
            }
            return Some(());
        }
        let (mut below, mut above) = (All::new(), All::new());
        self.row(form, Compare::Lt, &mut below)?;
        self.row(&form.scale(Ratio::ONE.neg())?, Compare::Lt, &mut above)?;
        any(vec![below, above], out);
        Some(())
    }

    /// Adds `form compare 0` with whole coefficients; nothing if they are too large.
    fn row(&mut self, form: &Form, compare: Compare, out: &mut All) -> Option<()> {
        if let Some(constant) = form.as_constant() {
            if !compare.holds(constant) {
                out.push(never());
            }
            return Some(());
        }
        let numbers = || form.terms.iter().map(|t| t.1).chain([form.constant]);
        let mut multiple = 1;
        for c in numbers() {
            let d = c.denominator();
            multiple = times(multiple / divisor(multiple, d), d)?;
        }
        let whole = |c: Ratio| times(c.numerator(), multiple / c.denominator());
        let mut common = 0;
        for c in numbers() {
            common = divisor(common, whole(c)?);
        }
        let mut terms = Vec::with_capacity(form.terms.len());
        for (v, c) in &form.terms {
            let c = whole(*c)? / common;
            if c.abs() > MAX_COEFFICIENT {
                return None;
            }
            terms.push((*v, i64::try_from(c).ok()?));
        }
        let k = -(whole(form.constant)? / common);
        if k.abs() > MAX_CONSTANT {
            return None;
        }
        if terms.iter().any(|(v, _)| self.places.is_real(*v)) {
            out.push(std::sync::Arc::new(Constraint::Real { compare, terms: terms.into(), k }));
            return Some(());
        }
        // Whole numbers only.
        let constant = Linear::constant(if compare == Compare::Lt { 1 - k } else { -k })?;
        let mut sum = Linear::default();
        for (v, c) in terms {
            sum = sum.add(&Linear::var(v), c)?;
        }
        linear(&sum.add(&constant, 1)?, if compare == Compare::Eq { Relation::Eq } else { Relation::Le }, out);
        Some(())
    }
}
