//! Linear forms over terms, and literals made of them.

use rustc_hash::FxHashMap;
use sioco_model::number::{BigInt, Rational, to_rational};
use sioco_model::term::{Op, Term};
use sioco_model::{TermId, Value, number};

use super::formula::{Context, FALSE, Formula, TRUE};

/// `c1 * t1 + … + cn * tn + constant`; ordered by term, without zero coefficients.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Linear {
    pub terms: Vec<(TermId, Rational)>,
    pub constant: Rational,
}

/// How a linear form stands to zero.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Compare {
    Le,
    Lt,
    Eq,
    Ne,
}

/// A linear form compared with zero.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Relation {
    pub form: Linear,
    pub compare: Compare,
    /// Whether the terms are reals.
    pub real: bool,
}

impl Linear {
    pub fn constant(constant: Rational) -> Linear {
        Linear { terms: Vec::new(), constant }
    }

    /// `self + factor * other`.
    pub fn add(&self, other: &Linear, factor: &Rational) -> Linear {
        let mut terms = Vec::with_capacity(self.terms.len() + other.terms.len());
        let (mut left, mut right) = (self.terms.iter().peekable(), other.terms.iter().peekable());
        loop {
            let (t, c) = match (left.peek(), right.peek()) {
                (None, None) => break,
                (Some(l), Some(r)) if l.0 == r.0 => {
                    let sum = (l.0, &l.1 + &r.1 * factor);
                    left.next();
                    right.next();
                    sum
                }
                (Some(l), r) if r.is_none_or(|r| l.0 < r.0) => {
                    let next = (l.0, l.1.clone());
                    left.next();
                    next
                }
                (_, Some(r)) => {
                    let next = (r.0, &r.1 * factor);
                    right.next();
                    next
                }
                (Some(_), None) => unreachable!("covered by the case before"),
            };
            if !c.is_zero() {
                terms.push((t, c));
            }
        }
        Linear { terms, constant: &self.constant + &other.constant * factor }
    }

    /// `factor * self`.
    pub fn scale(&self, factor: &Rational) -> Linear {
        Linear::constant(Rational::ZERO).add(self, factor)
    }

    /// The coefficient of a term, and the rest.
    pub fn split(&self, t: TermId) -> (Rational, Linear) {
        let mut rest = self.clone();
        let c = match rest.terms.binary_search_by_key(&t, |(t, _)| *t) {
            Ok(at) => rest.terms.remove(at).1,
            Err(_) => Rational::ZERO,
        };
        (c, rest)
    }

    /// Whether the numbers are small enough to go on with.
    fn is_small(&self) -> bool {
        let small = |r: &Rational| {
            let limit = BigInt::ONE << 4096;
            *r.numerator() < limit && *r.numerator() > -&limit && BigInt::from(r.denominator().clone()) < limit
        };
        small(&self.constant) && self.terms.iter().all(|(_, c)| small(c))
    }
}

/// The greatest integer not above.
pub(super) fn floor(r: &Rational) -> Rational {
    Rational::from(r.floor())
}

/// The least integer not below.
pub(super) fn ceiling(r: &Rational) -> Rational {
    Rational::from(r.ceil())
}

fn gcd(a: BigInt, b: BigInt) -> BigInt {
    let (mut a, mut b) = (a, b);
    while !b.is_zero() {
        let rest = &a % &b;
        a = b;
        b = rest;
    }
    if a < BigInt::ZERO { -a } else { a }
}

impl Context<'_> {
    /// The term as a linear form; what is not linear in it stands for itself.
    pub fn linear(&mut self, t: TermId) -> Linear {
        if let Some(known) = self.linear.get(&t) {
            return known.clone();
        }
        let result = self.find_linear(t).filter(Linear::is_small);
        let result = result.unwrap_or_else(|| Linear { terms: vec![(t, Rational::ONE)], constant: Rational::ZERO });
        self.linear.insert(t, result.clone());
        result
    }

    fn find_linear(&mut self, t: TermId) -> Option<Linear> {
        let (op, args) = match self.pool.get(t) {
            Term::Const(v, _) => return to_rational(v).map(Linear::constant),
            Term::App(op, args) => (*op, args.clone()),
            _ => return None,
        };
        let one = Rational::ONE;
        match op {
            Op::Add => {
                let zero = Linear::constant(Rational::ZERO);
                Some(args.iter().fold(zero, |sum, a| sum.add(&self.linear(*a), &one)))
            }
            Op::Sub => Some(self.linear(args[0]).add(&self.linear(args[1]), &-one)),
            Op::Neg => Some(self.linear(args[0]).scale(&-one)),
            Op::Mul => {
                let mut product = Linear::constant(one);
                for arg in &args {
                    let factor = self.linear(*arg);
                    product = match (product.terms.is_empty(), factor.terms.is_empty()) {
                        (_, true) => product.scale(&factor.constant),
                        (true, _) => factor.scale(&product.constant),
                        _ => return None,
                    };
                }
                Some(product)
            }
            Op::Quot => {
                let divisor = self.linear(args[1]);
                let open = !divisor.terms.is_empty() || divisor.constant.is_zero();
                if open { None } else { Some(self.linear(args[0]).scale(&(one / divisor.constant))) }
            }
            _ => None,
        }
    }

    /// A literal as a relation of numbers, if it is one.
    pub fn relation(&mut self, literal: TermId) -> Option<Relation> {
        let (op, args) = match self.pool.get(literal) {
            Term::App(op, args) => (*op, args.clone()),
            _ => return None,
        };
        let compare = match op {
            Op::Le => Compare::Le,
            Op::Lt => Compare::Lt,
            Op::Eq if self.sorts.is_numeric(self.pool.sort(args[0])) => Compare::Eq,
            Op::Not => {
                let mut inner = self.relation(args[0])?;
                let minus = -Rational::ONE;
                (inner.form, inner.compare) = match inner.compare {
                    Compare::Le => (inner.form.scale(&minus), Compare::Lt),
                    Compare::Lt => (inner.form.scale(&minus), Compare::Le),
                    Compare::Eq => (inner.form, Compare::Ne),
                    Compare::Ne => (inner.form, Compare::Eq),
                };
                return Some(inner);
            }
            _ => return None,
        };
        let real = self.pool.sort(args[0]) == self.sorts.real;
        let form = self.linear(args[0]).add(&self.linear(args[1]), &-Rational::ONE);
        Some(Relation { form, compare, real })
    }

    /// A relation in its simplest form.
    pub fn of_relation(&mut self, relation: Relation) -> Formula {
        let Relation { mut form, mut compare, real } = relation;
        if form.terms.is_empty() {
            let zero = Rational::ZERO;
            let holds = match compare {
                Compare::Le => form.constant <= zero,
                Compare::Lt => form.constant < zero,
                Compare::Eq => form.constant == zero,
                Compare::Ne => form.constant != zero,
            };
            return if holds { TRUE } else { FALSE };
        }
        // Coefficients become integers without a common divisor.
        let mut multiple = BigInt::ONE;
        for (_, c) in &form.terms {
            let d = BigInt::from(c.denominator().clone());
            multiple = &multiple / gcd(multiple.clone(), d.clone()) * d;
        }
        form = form.scale(&Rational::from(multiple));
        let divisor = form.terms.iter().fold(BigInt::ZERO, |g, (_, c)| gcd(g, c.numerator().clone()));
        form = form.scale(&(Rational::ONE / Rational::from(divisor)));
        if !real {
            match compare {
                Compare::Eq | Compare::Ne if floor(&form.constant) != form.constant => {
                    return if compare == Compare::Eq { FALSE } else { TRUE };
                }
                Compare::Lt => {
                    // Below zero is at most minus one; the constant need not be whole here.
                    form.constant = floor(&form.constant) + Rational::ONE;
                    compare = Compare::Le;
                }
                Compare::Le => form.constant = ceiling(&form.constant),
                _ => {}
            }
        }
        if matches!(compare, Compare::Eq | Compare::Ne) && form.terms[0].1 < Rational::ZERO {
            form = form.scale(&-Rational::ONE);
        }
        let (left, right) = self.sides(&form, real);
        let op = match compare {
            Compare::Le => Op::Le,
            Compare::Lt => Op::Lt,
            Compare::Eq | Compare::Ne => Op::Eq,
        };
        let t = self.pool.app(op, &[left, right], self.sorts.bool);
        Formula::Lit(if compare == Compare::Ne { self.pool.not(self.sorts, t) } else { t })
    }

    /// `left - right` is the form, and neither has a negative number in it if that can be helped.
    fn sides(&mut self, form: &Linear, real: bool) -> (TermId, TermId) {
        let zero = Rational::ZERO;
        let minus = -Rational::ONE;
        let mut left = Linear::constant(zero.clone());
        let mut right = Linear::constant(zero.clone());
        for (t, c) in &form.terms {
            if *c > zero {
                left.terms.push((*t, c.clone()));
            } else {
                right.terms.push((*t, c * &minus));
            }
        }
        if left.terms.is_empty() || (form.constant > zero && !right.terms.is_empty()) {
            left.constant = form.constant.clone();
        } else {
            right.constant = &form.constant * &minus;
        }
        (self.of_linear(&left, real), self.of_linear(&right, real))
    }

    /// A linear form as a term; of integers, its numbers are whole.
    pub fn of_linear(&mut self, form: &Linear, real: bool) -> TermId {
        let mut parts = Vec::new();
        let sort = if real { self.sorts.real } else { self.sorts.int };
        for (t, c) in &form.terms {
            parts.push(if *c == Rational::ONE {
                *t
            } else if *c == -Rational::ONE {
                self.pool.app(Op::Neg, &[*t], sort)
            } else {
                let c = self.number(c, real);
                self.pool.app(Op::Mul, &[c, *t], sort)
            });
        }
        if !form.constant.is_zero() || parts.is_empty() {
            parts.push(self.number(&form.constant, real));
        }
        match parts[..] {
            [only] => only,
            _ => self.pool.app(Op::Add, &parts, sort),
        }
    }

    /// A number as a term.
    pub fn number(&mut self, r: &Rational, real: bool) -> TermId {
        if real {
            self.pool.constant(Value::real(r.clone()), self.sorts.real)
        } else {
            self.pool.constant(number::int(r.numerator().clone()), self.sorts.int)
        }
    }
}

/// Linear forms of terms that were looked at.
pub(super) type Known = FxHashMap<TermId, Linear>;
