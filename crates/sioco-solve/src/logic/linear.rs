//! Linear forms over terms, and literals made of them.

use rustc_hash::FxHashMap;
use sioco_model::number::{BigInt, Rational, to_rational};
use sioco_model::term::{Op, Term};
use sioco_model::{BinderId, SortId, TermId, Value, number};

use super::formula::{Context, FALSE, Formula, TRUE};

/// A variable is split into at most this many residue classes: each is a case of its own.
const MAX_CLASSES: u32 = 64;

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

impl Relation {
    /// The simplest form, with whole coefficients that have no common divisor; or whether it always holds.
    pub fn canonical(self) -> Result<Relation, bool> {
        let Relation { mut form, mut compare, real } = self;
        if form.terms.is_empty() {
            let zero = Rational::ZERO;
            return Err(match compare {
                Compare::Le => form.constant <= zero,
                Compare::Lt => form.constant < zero,
                Compare::Eq => form.constant == zero,
                Compare::Ne => form.constant != zero,
            });
        }
        let mut multiple = BigInt::ONE;
        for (_, c) in &form.terms {
            let d = BigInt::from(c.denominator().clone());
            multiple = &multiple / gcd(multiple.clone(), d.clone()) * d;
        }
        let divisor = form.terms.iter().fold(BigInt::ZERO, |g, (_, c)| {
            let whole = c * Rational::from(multiple.clone());
            gcd(g, whole.numerator().clone())
        });
        let factor = Rational::from(multiple) / Rational::from(divisor);
        if factor != Rational::ONE {
            form = form.scale(&factor);
        }
        if !real {
            match compare {
                Compare::Eq | Compare::Ne if floor(&form.constant) != form.constant => {
                    return Err(compare == Compare::Ne);
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
        Ok(Relation { form, compare, real })
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
            Op::Div | Op::Mod => self.division(op, args[0], args[1]),
            _ => None,
        }
    }

    /// Division by a constant, with coefficients below it: `(7 * x + y) div 3` is `2 * x + (x + y) div 3`.
    fn division(&mut self, op: Op, dividend: TermId, divisor: TermId) -> Option<Linear> {
        let zero = Rational::ZERO;
        let given = self.linear(divisor);
        if !given.terms.is_empty() || given.constant.is_zero() {
            return None;
        }
        let k = if given.constant > zero { given.constant.clone() } else { -&given.constant };
        let form = self.linear(dividend);
        let whole = |c: &Rational| floor(&(c / &k));
        let mut quotient = Linear::constant(whole(&form.constant));
        let mut rest = Linear::constant(&form.constant - &quotient.constant * &k);
        for (t, c) in &form.terms {
            let q = whole(c);
            let r = c - &q * &k;
            if !q.is_zero() {
                quotient.terms.push((*t, q));
            }
            if !r.is_zero() {
                rest.terms.push((*t, r));
            }
        }
        let leaf = if rest.terms.is_empty() {
            // The constant that is left is below the divisor.
            Linear::constant(if op == Op::Div { zero.clone() } else { rest.constant })
        } else {
            let (inner, by) = (self.of_linear(&rest, self.sorts.int), self.number(&k, self.sorts.int));
            let leaf = self.pool.app(op, &[inner, by], self.sorts.int);
            Linear { terms: vec![(leaf, Rational::ONE)], constant: zero.clone() }
        };
        if op == Op::Mod {
            return Some(leaf);
        }
        let sum = leaf.add(&quotient, &Rational::ONE);
        // `a div -k` is `-(a div k)`, while the remainder does not mind.
        Some(if given.constant > zero { sum } else { sum.scale(&-Rational::ONE) })
    }

    /// The number of residue classes that a variable must be split into, so that it no longer occurs under a division
    /// by a constant; `None` if that does not help, or takes too many.
    pub fn residues(&mut self, b: BinderId, conjuncts: &[Formula]) -> Option<u32> {
        let mut classes = BigInt::ONE;
        for c in conjuncts {
            let Formula::Lit(t) = c else { continue };
            let mut divisions = Vec::new();
            self.pool.visit(*t, &mut |_, t| {
                if let Term::App(Op::Div | Op::Mod, args) = t
                    && let Some(k) = self.pool.as_const(args[1]).and_then(number::to_big).filter(|k| !k.is_zero())
                {
                    divisions.push((args[0], k));
                }
            });
            for (dividend, k) in divisions {
                let form = self.linear(dividend);
                if let Some((c, _)) = self.isolate(b, &form) {
                    let needed = &k / gcd(k.clone(), c.numerator().clone());
                    let needed = if needed < BigInt::ZERO { -needed } else { needed };
                    classes = &classes / gcd(classes.clone(), needed.clone()) * needed;
                }
            }
        }
        u32::try_from(&classes).ok().filter(|n| (2..=MAX_CLASSES).contains(n))
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

    /// A relation as a formula, in its simplest form.
    pub fn of_relation(&mut self, relation: Relation) -> Formula {
        let Relation { mut form, compare, real } = match relation.canonical() {
            Ok(relation) => relation,
            Err(true) => return TRUE,
            Err(false) => return FALSE,
        };
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
        let sort = self.numbers(real);
        (self.of_linear(&left, sort), self.of_linear(&right, sort))
    }

    /// The sort of real numbers, or of integers.
    pub(super) fn numbers(&self, real: bool) -> SortId {
        if real { self.sorts.real } else { self.sorts.int }
    }

    /// A linear form as a term of Int or Real; of integers, its numbers are whole.
    pub fn of_linear(&mut self, form: &Linear, sort: SortId) -> TermId {
        let mut parts = Vec::new();
        for (t, c) in &form.terms {
            parts.push(if *c == Rational::ONE {
                *t
            } else if *c == -Rational::ONE {
                self.pool.app(Op::Neg, &[*t], sort)
            } else {
                let c = self.number(c, sort);
                self.pool.app(Op::Mul, &[c, *t], sort)
            });
        }
        if !form.constant.is_zero() || parts.is_empty() {
            parts.push(self.number(&form.constant, sort));
        }
        match parts[..] {
            [only] => only,
            _ => self.pool.app(Op::Add, &parts, sort),
        }
    }

    /// `factor * b + rest`.
    pub fn multiple(&mut self, b: BinderId, factor: u32, rest: u32) -> TermId {
        let variable = self.pool.bound(self.sorts, b);
        let form = Linear { terms: vec![(variable, Rational::from(factor))], constant: Rational::from(rest) };
        self.of_linear(&form, self.sorts.int)
    }

    /// A number as a term: a Real, or else an Int.
    pub fn number(&mut self, r: &Rational, sort: SortId) -> TermId {
        if sort == self.sorts.real {
            self.pool.constant(Value::real(r.clone()), self.sorts.real)
        } else {
            self.pool.constant(number::int(r.numerator().clone()), self.sorts.int)
        }
    }
}

/// Linear forms of terms that were looked at.
pub(super) type Known = FxHashMap<TermId, Linear>;
