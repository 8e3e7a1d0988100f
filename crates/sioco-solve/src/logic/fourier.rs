//! Fourier and Motzkin: a variable between bounds exists if every lower bound is at most every upper one.
//!
//! For integers as well, once bounds are whole: `2 * b <= x` is `b <= x div 2`, and where one of two bounds has
//! coefficient 1, no division is needed.

use sioco_model::number::Rational;
use sioco_model::sort::Sort;
use sioco_model::term::Op;
use sioco_model::{BinderId, TermId};

use super::formula::{Context, Formula, TRUE, and, or};
use super::linear::{Compare, Linear, Relation, ceiling, floor};

/// `factor * b` is compared with a form; the factor is positive.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Bound {
    factor: Rational,
    form: Linear,
    strict: bool,
}

/// What literals say about a variable.
#[derive(Clone, Default, Debug)]
pub(super) struct Bounds {
    lower: Vec<Bound>,
    upper: Vec<Bound>,
    /// Values that it does not have.
    holes: Vec<Bound>,
    real: bool,
}

impl Bounds {
    /// Whether the result has divisions.
    pub fn divides(&self) -> bool {
        let plain = |b: &Bound| b.factor == Rational::ONE;
        !self.real && !self.lower.iter().all(plain) && !self.upper.iter().all(plain)
    }

    /// How many literals the result has more than there are bounds.
    pub fn growth(&self) -> usize {
        let splits = 1usize << self.holes.len().min(30);
        (self.lower.len() * self.upper.len() * splits).saturating_sub(self.lower.len() + self.upper.len())
    }
}

impl Context<'_> {
    /// What the conjuncts say about a number, and its sort; `None` if that is not only bounds.
    pub fn bounds(&mut self, b: BinderId, conjuncts: &[Formula]) -> Option<Bounds> {
        let (lo, hi, real) = match self.sorts.get(self.pool.binders[b]) {
            Sort::Int { lo, hi } => (lo.clone().map(Rational::from), hi.clone().map(Rational::from), false),
            Sort::Real { lo, hi } => (lo.clone(), hi.clone(), true),
            _ => return None,
        };
        let mut bounds = Bounds { real, ..Bounds::default() };
        for (limit, of) in [(lo, &mut bounds.lower), (hi, &mut bounds.upper)] {
            let limit = limit.map(|n| Bound { factor: Rational::ONE, form: Linear::constant(n), strict: false });
            of.extend(limit);
        }
        for c in conjuncts {
            let Formula::Lit(t) = c else { return None };
            self.bound(b, *t, &mut bounds)?;
        }
        Some(bounds)
    }

    fn bound(&mut self, b: BinderId, literal: TermId, bounds: &mut Bounds) -> Option<()> {
        let Relation { form, compare, real } = self.relation(literal)?;
        let (c, rest) = self.isolate(b, &form)?;
        // c * b + rest ~ 0, so |c| * b stands to -rest or rest.
        let positive = c > Rational::ZERO;
        let minus = -Rational::ONE;
        let (factor, form) = if positive { (c, rest.scale(&minus)) } else { (&c * &minus, rest) };
        let mut bound = Bound { factor, form, strict: compare == Compare::Lt };
        if !real && bound.strict {
            // Whole numbers on both sides.
            let step = if positive { minus } else { Rational::ONE };
            bound.form.constant += step;
            bound.strict = false;
        }
        match compare {
            Compare::Ne => bounds.holes.push(bound),
            Compare::Eq => {
                tighten(&mut bounds.lower, bound.clone(), true, real);
                tighten(&mut bounds.upper, bound, false, real);
            }
            Compare::Le | Compare::Lt if positive => tighten(&mut bounds.upper, bound, false, real),
            Compare::Le | Compare::Lt => tighten(&mut bounds.lower, bound, true, real),
        }
        Some(())
    }

    /// The condition that a number inside of the bounds exists; `None` if it grows too large.
    pub fn between(&mut self, bounds: &Bounds) -> Option<Formula> {
        // Finitely many holes leave something of an infinite range.
        if bounds.lower.is_empty() || bounds.upper.is_empty() {
            return Some(TRUE);
        }
        let Some((hole, others)) = bounds.holes.split_first() else {
            let mut parts = Vec::new();
            for l in &bounds.lower {
                for u in &bounds.upper {
                    self.spend(1)?;
                    parts.push(self.at_most(l, u, bounds.real));
                }
            }
            return Some(and(parts));
        };
        let mut below = Bounds { holes: others.to_vec(), ..bounds.clone() };
        let mut above = below.clone();
        let side = |step: Rational| {
            let mut side = Bound { strict: bounds.real, ..hole.clone() };
            if !bounds.real {
                side.form.constant += step;
            }
            side
        };
        tighten(&mut below.upper, side(-Rational::ONE), false, bounds.real);
        tighten(&mut above.lower, side(Rational::ONE), true, bounds.real);
        Some(or(vec![self.between(&below)?, self.between(&above)?]))
    }

    /// A number between two bounds exists.
    fn at_most(&mut self, l: &Bound, u: &Bound, real: bool) -> Formula {
        let one = Rational::ONE;
        if real || l.factor == one || u.factor == one {
            // l.form / l.factor <= u.form / u.factor
            let form = l.form.scale(&u.factor).add(&u.form, &-&l.factor);
            let compare = if l.strict || u.strict { Compare::Lt } else { Compare::Le };
            return self.of_relation(Relation { form, compare, real });
        }
        // The ceiling of one is at most the floor of the other.
        let negative = l.form.scale(&-Rational::ONE);
        let (low, high) = (self.quotient(&negative, &l.factor), self.quotient(&u.form, &u.factor));
        let low = self.pool.app(Op::Neg, &[low], self.sorts.int);
        let t = self.pool.app(Op::Le, &[low, high], self.sorts.bool);
        self.normal(t, true)
    }

    fn quotient(&mut self, form: &Linear, by: &Rational) -> TermId {
        let (form, by) = (self.of_linear(form, self.sorts.int), self.number(by, self.sorts.int));
        self.app(Op::Div, &[form, by])
    }
}

/// Adds a bound, unless there is one that says more; the same form is bounded once.
fn tighten(bounds: &mut Vec<Bound>, mut new: Bound, lower: bool, real: bool) {
    if new.form.terms.is_empty() {
        new.form.constant = &new.form.constant / &new.factor;
        new.factor = Rational::ONE;
        if !real {
            new.form.constant = if lower { ceiling(&new.form.constant) } else { floor(&new.form.constant) };
        }
    }
    let like = bounds.iter_mut().find(|b| b.factor == new.factor && b.form.terms == new.form.terms);
    match like {
        None => bounds.push(new),
        Some(old) => {
            let (a, b) = (&new.form.constant, &old.form.constant);
            let tighter = if lower { a > b } else { a < b };
            if tighter || (a == b && new.strict) {
                *old = new;
            }
        }
    }
}
