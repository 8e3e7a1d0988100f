//! "For which values of the parameters does the guard hold?", answered exactly where that needs no solver.
//!
//! The guard is taken apart into conjuncts. One that says `parameter == term`, or compares a parameter (plus or minus
//! something) with a term, where the term has no parameters, narrows the domain of that parameter. If nothing is left
//! over, the domains are the answer; otherwise all their values are tried, if they are few. What remains is said to
//! need a solver, never guessed.

use std::cmp::Ordering;

use super::program::Context;
use crate::eval::{EXISTS_LIMIT, Env, EvalError, eval};
use crate::id::{BinderId, Id, SortId, TermId};
use crate::number::{self, BigInt, Rational};
use crate::sort::{Sort, Sorts};
use crate::term::{Op, Term};
use crate::value::Value;

/// A parameter whose value is looked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unknown {
    /// The n-th parameter of the switch.
    Param(u32),
    /// A variable bound by a quantifier.
    Bound(BinderId),
}

/// Whether some values of the bound variables make the body true.
pub(super) fn exists(
    context: Context<'_>,
    first: BinderId,
    count: u32,
    body: TermId,
    env: Env<'_>,
) -> Result<bool, EvalError> {
    let unknowns: Vec<(Unknown, SortId)> = (first.index()..first.index() + count as usize)
        .map(|i| {
            let binder = BinderId::from_index(i);
            (Unknown::Bound(binder), context.terms.binders[binder])
        })
        .collect();
    Ok(witness(context, &unknowns, body, env)?.is_some())
}

/// Values of the unknowns that make the condition true, if there are any.
///
/// Parameters that are not unknown have their values in `env`. Parameters that are unknown must be the first ones or
/// have some value there, which is not looked at.
pub fn witness(
    context: Context<'_>,
    unknowns: &[(Unknown, SortId)],
    condition: TermId,
    env: Env<'_>,
) -> Result<Option<Vec<Value>>, EvalError> {
    let mut undecided = None;
    for (i, part) in disjuncts(context, condition).iter().enumerate() {
        match Search::new(context, unknowns, condition, env).witness(part) {
            Ok(Some(values)) => {
                // A disjunct before may be undefined for these values.
                if i > 0 {
                    holds(context, unknowns, &values, condition, env)?;
                }
                return Ok(Some(values));
            }
            Ok(None) => {}
            Err(e @ EvalError::NeedsSolver(_)) => undecided = Some(e),
            // Where a disjunct before may hold, this one may never be reached.
            Err(_) if undecided.is_some() => {}
            Err(e) => return Err(e),
        }
    }
    undecided.map_or(Ok(None), Err)
}

/// All values of the unknowns that make the condition true, in a fixed order.
pub fn all(
    context: Context<'_>,
    unknowns: &[(Unknown, SortId)],
    condition: TermId,
    env: Env<'_>,
) -> Result<Vec<Vec<Value>>, EvalError> {
    let mut found: Vec<Vec<Value>> = Vec::new();
    let mut seen = rustc_hash::FxHashSet::default();
    for (i, part) in disjuncts(context, condition).iter().enumerate() {
        for values in Search::new(context, unknowns, condition, env).all(part, i == 0)? {
            if seen.insert(values.clone()) {
                found.push(values);
            }
        }
    }
    Ok(found)
}

/// The truth value of a condition, with its quantifiers decided as [`exists`] does: without trying every value where
/// that is not needed.
pub(super) fn decide(context: Context<'_>, condition: TermId, env: Env<'_>) -> Result<bool, EvalError> {
    match context.terms.get(condition) {
        Term::App(op @ (Op::And | Op::Or), args) => {
            let stop = *op == Op::Or;
            for a in args {
                if decide(context, *a, env)? == stop {
                    return Ok(stop);
                }
            }
            Ok(!stop)
        }
        Term::App(Op::Not, args) => Ok(!decide(context, args[0], env)?),
        Term::App(Op::Exists { first, count }, args) => exists(context, *first, *count, args[0], env),
        _ => {
            let value = eval(context.terms, context.sorts, condition, env)?;
            Ok(value.as_bool().expect("a well-sorted condition"))
        }
    }
}

/// Whether the condition holds for these values of the unknowns.
fn holds(
    context: Context<'_>,
    unknowns: &[(Unknown, SortId)],
    values: &[Value],
    condition: TermId,
    env: Env<'_>,
) -> Result<bool, EvalError> {
    let mut params = env.params.to_vec();
    let mut bound = env.bound.to_vec();
    for ((unknown, _), value) in unknowns.iter().zip(values) {
        match unknown {
            Unknown::Param(i) => {
                let i = *i as usize;
                if params.len() <= i {
                    params.resize(i + 1, Value::Bool(false));
                }
                params[i] = value.clone();
            }
            Unknown::Bound(b) => bound.push((*b, value.clone())),
        }
    }
    decide(context, condition, Env { params: &params, bound: &bound, ..env })
}

/// A condition that holds, or does not (`positive == false`).
#[derive(Clone, Copy)]
struct Literal {
    term: TermId,
    positive: bool,
}

/// The condition as alternatives, each a list of conjuncts in order. Only a disjunction at the top is split.
fn disjuncts(context: Context<'_>, condition: TermId) -> Vec<Vec<Literal>> {
    match context.terms.get(condition) {
        // A disjunct is only reached when those before it are false; their truth does not matter to the question
        // whether any holds.
        Term::App(Op::Or, args) => args.iter().map(|a| conjuncts(context, *a)).collect(),
        _ => vec![conjuncts(context, condition)],
    }
}

fn conjuncts(context: Context<'_>, condition: TermId) -> Vec<Literal> {
    let mut out = Vec::new();
    flatten(context, Literal { term: condition, positive: true }, &mut out);
    out
}

fn flatten(context: Context<'_>, literal: Literal, out: &mut Vec<Literal>) {
    match (context.terms.get(literal.term), literal.positive) {
        (Term::App(Op::And, args), true) | (Term::App(Op::Or, args), false) => {
            for a in args {
                flatten(context, Literal { term: *a, ..literal }, out);
            }
        }
        (Term::App(Op::Not, args), positive) => {
            flatten(context, Literal { term: args[0], positive: !positive }, out);
        }
        _ => out.push(literal),
    }
}

/// The values an unknown can still have.
#[derive(Clone, Debug)]
struct Domain {
    sort: SortId,
    /// The only value, if it is known.
    exact: Option<Value>,
    lo: Option<(Rational, bool)>,
    hi: Option<(Rational, bool)>,
    excluded: Vec<Value>,
}

struct Search<'a> {
    context: Context<'a>,
    unknowns: &'a [(Unknown, SortId)],
    /// The whole condition. What is tried is tried on it, since a part alone may be undefined where the whole is not.
    condition: TermId,
    env: Env<'a>,
    domains: Vec<Domain>,
    /// No value is left for some unknown, or a conjunct without unknowns is false.
    impossible: bool,
}

impl<'a> Search<'a> {
    fn new(context: Context<'a>, unknowns: &'a [(Unknown, SortId)], condition: TermId, env: Env<'a>) -> Self {
        let domains = unknowns.iter().map(|(_, sort)| Domain::of(context.sorts, *sort)).collect();
        Search { context, unknowns, condition, env, domains, impossible: false }
    }

    fn witness(mut self, conjuncts: &[Literal]) -> Result<Option<Vec<Value>>, EvalError> {
        let rest = self.narrow(conjuncts)?;
        if self.impossible {
            return Ok(None);
        }
        if rest.is_empty() {
            let values: Option<Vec<Value>> = self.domains.iter().map(|d| d.first(self.context.sorts)).collect();
            return match values {
                Some(values) => Ok(Some(values)),
                None => Err(EvalError::NeedsSolver("the guard excludes values of a type without end".into())),
            };
        }
        let mut found = None;
        self.try_all(&mut |values| {
            found = Some(values.to_vec());
            false
        })?;
        Ok(found)
    }

    /// All values for which the condition holds, among those that the conjuncts leave. They are the `first` disjunct, or
    /// one that is only reached where those before are false.
    fn all(mut self, conjuncts: &[Literal], first: bool) -> Result<Vec<Vec<Value>>, EvalError> {
        match self.narrow(conjuncts) {
            Err(e) if first => return Err(e),
            _ => {}
        }
        let mut found = Vec::new();
        if !self.impossible {
            self.try_all(&mut |values| {
                found.push(values.to_vec());
                true
            })?;
        }
        Ok(found)
    }

    /// Narrows the domains by the conjuncts that allow it and gives back the others.
    fn narrow(&mut self, conjuncts: &[Literal]) -> Result<Vec<Literal>, EvalError> {
        let mut rest = Vec::new();
        for &literal in conjuncts {
            let used = if self.is_ground(literal.term) {
                decide(self.context, literal.term, self.env).map(|holds| {
                    self.impossible |= holds != literal.positive;
                    true
                })
            } else {
                self.narrow_by(literal)
            };
            match used {
                Ok(true) => {}
                Ok(false) | Err(EvalError::NeedsSolver(_)) => rest.push(literal),
                // Undefined, but never reached if what stands before already fails.
                Err(e) => return if rest.is_empty() { Err(e) } else { Ok(conjuncts.to_vec()) },
            }
            if self.impossible || self.domains.iter().any(|d| d.is_empty(self.context.sorts)) {
                self.impossible = true;
                return Ok(rest);
            }
        }
        Ok(rest)
    }

    fn narrow_by(&mut self, literal: Literal) -> Result<bool, EvalError> {
        // A Bool parameter that stands alone.
        if let Some(i) = self.unknown(literal.term) {
            self.domains[i].require(Value::Bool(literal.positive));
            return Ok(true);
        }
        let Term::App(op, args) = self.context.terms.get(literal.term) else { return Ok(false) };
        if !matches!(op, Op::Eq | Op::Lt | Op::Le) {
            return Ok(false);
        }
        let (a, b) = (args[0], args[1]);
        // `unknown == value` for any sort.
        if *op == Op::Eq {
            for (x, y) in [(a, b), (b, a)] {
                if let (Some(i), true) = (self.unknown(x), self.is_ground(y)) {
                    let value = eval(self.context.terms, self.context.sorts, y, self.env)?;
                    if literal.positive {
                        self.domains[i].require(value);
                    } else {
                        self.domains[i].excluded.push(value);
                    }
                    return Ok(true);
                }
            }
        }
        // `sign * unknown + ground (op) 0`, from `a - b (op) 0`.
        let mut sum = Sum::default();
        if !self.linear(a, 1, &mut sum) || !self.linear(b, -1, &mut sum) {
            return Ok(false);
        }
        let Some((i, sign)) = sum.unknown else { return Ok(false) };
        let mut constant = Rational::ZERO;
        for (term, sign) in &sum.ground {
            let value = eval(self.context.terms, self.context.sorts, *term, self.env)?;
            let value = number::to_rational(&value).expect("a well-sorted number");
            constant = if *sign > 0 { constant + value } else { constant - value };
        }
        // sign * unknown (op) -constant
        let bound = if sign > 0 { -constant } else { constant };
        let domain = &mut self.domains[i];
        match (op, literal.positive) {
            (Op::Eq, positive) => {
                let Some(value) = domain.number(self.context.sorts, &bound) else {
                    // An integer cannot equal a fraction.
                    self.impossible |= positive;
                    return Ok(true);
                };
                if positive {
                    domain.require(value);
                } else {
                    domain.excluded.push(value);
                }
            }
            (op, positive) => {
                // `!(l < r)` is `r <= l`: the other side, the other strictness.
                let strict = (*op == Op::Lt) == positive;
                let upper = (sign > 0) == positive;
                domain.bound(bound, strict, upper);
            }
        }
        Ok(true)
    }

    /// Adds `sign * term` to a sum; `false` if the unknown does not stand there plainly, once.
    fn linear(&self, term: TermId, sign: i8, sum: &mut Sum) -> bool {
        if self.is_ground(term) {
            sum.ground.push((term, sign));
            return true;
        }
        if let Some(i) = self.unknown(term) {
            return sum.unknown.replace((i, sign)).is_none();
        }
        match self.context.terms.get(term) {
            Term::App(Op::Add, args) => args.iter().all(|a| self.linear(*a, sign, sum)),
            Term::App(Op::Sub, args) => self.linear(args[0], sign, sum) && self.linear(args[1], -sign, sum),
            Term::App(Op::Neg, args) => self.linear(args[0], -sign, sum),
            Term::App(Op::ToReal, args) => self.linear(args[0], sign, sum),
            _ => false,
        }
    }

    fn unknown(&self, term: TermId) -> Option<usize> {
        let leaf = match self.context.terms.get(term) {
            Term::Param(i, _) => Unknown::Param(*i),
            Term::Bound(b, _) => Unknown::Bound(*b),
            _ => return None,
        };
        self.unknowns.iter().position(|(u, _)| *u == leaf)
    }

    fn is_ground(&self, term: TermId) -> bool {
        let mut ground = true;
        self.context.terms.visit(term, &mut |_, t| {
            let unknown = match t {
                Term::Param(i, _) => Unknown::Param(*i),
                Term::Bound(b, _) => Unknown::Bound(*b),
                _ => return,
            };
            ground &= !self.unknowns.iter().any(|(u, _)| *u == unknown);
        });
        ground
    }

    /// Tries the condition on all values of the domains; `found` says whether to go on.
    fn try_all(&self, found: &mut dyn FnMut(&[Value]) -> bool) -> Result<(), EvalError> {
        let sorts = self.context.sorts;
        let mut sizes = Vec::new();
        let mut total = 1u64;
        for domain in &self.domains {
            let size = domain.len(sorts).unwrap_or(u64::MAX);
            total = total.saturating_mul(size);
            sizes.push(size);
        }
        if total > EXISTS_LIMIT {
            let (widest, _) = self.domains.iter().zip(&sizes).max_by_key(|(_, size)| **size).expect("total is above 1");
            return Err(EvalError::NeedsSolver(format!("`{}` has too many values to try", sorts.name(widest.sort))));
        }
        let mut values = vec![Value::Bool(false); self.domains.len()];
        for n in 0..total {
            let mut rest = n;
            for (i, domain) in self.domains.iter().enumerate() {
                values[i] = domain.nth(sorts, rest % sizes[i]).expect("below the size");
                rest /= sizes[i];
            }
            if holds(self.context, self.unknowns, &values, self.condition, self.env)? && !found(&values) {
                return Ok(());
            }
        }
        Ok(())
    }
}

/// `sign * unknown + ground terms with their signs`.
#[derive(Default)]
struct Sum {
    unknown: Option<(usize, i8)>,
    ground: Vec<(TermId, i8)>,
}

impl Domain {
    fn of(sorts: &Sorts, sort: SortId) -> Domain {
        let (lo, hi) = match sorts.get(sort) {
            Sort::Int { lo, hi } => (lo.clone().map(Rational::from), hi.clone().map(Rational::from)),
            Sort::Real { lo, hi } => (lo.clone(), hi.clone()),
            _ => (None, None),
        };
        Domain { sort, exact: None, lo: lo.map(|b| (b, false)), hi: hi.map(|b| (b, false)), excluded: Vec::new() }
    }

    fn require(&mut self, value: Value) {
        match &self.exact {
            Some(other) if *other != value => self.excluded.push(other.clone()),
            _ => self.exact = Some(value),
        }
    }

    fn bound(&mut self, bound: Rational, strict: bool, upper: bool) {
        let side = if upper { &mut self.hi } else { &mut self.lo };
        let tighter = match side {
            None => true,
            Some((old, old_strict)) => match bound.cmp(old) {
                Ordering::Equal => strict && !*old_strict,
                Ordering::Less => upper,
                Ordering::Greater => !upper,
            },
        };
        if tighter {
            *side = Some((bound, strict));
        }
    }

    /// The number as a value of this domain's sort, if it can be one.
    fn number(&self, sorts: &Sorts, n: &Rational) -> Option<Value> {
        match sorts.get(self.sort) {
            Sort::Int { .. } => n.is_int().then(|| number::int(n.numerator().clone())),
            _ => Some(Value::real(n.clone())),
        }
    }

    fn allows(&self, sorts: &Sorts, value: &Value) -> bool {
        let n = number::to_rational(value);
        let inside = |n: &Rational| {
            self.lo.as_ref().is_none_or(|(lo, strict)| if *strict { lo < n } else { lo <= n })
                && self.hi.as_ref().is_none_or(|(hi, strict)| if *strict { n < hi } else { n <= hi })
        };
        sorts.contains(self.sort, value) && !self.excluded.contains(value) && n.is_none_or(|n| inside(&n))
    }

    /// The integers that the bounds leave, if this is an integer domain with two bounds.
    fn integers(&self, sorts: &Sorts) -> (Option<BigInt>, Option<BigInt>) {
        if !matches!(sorts.get(self.sort), Sort::Int { .. }) {
            return (None, None);
        }
        let lo = self.lo.as_ref().map(
            |(lo, strict)| {
                if *strict && lo.is_int() { lo.numerator() + BigInt::ONE } else { lo.ceil() }
            },
        );
        let hi = self.hi.as_ref().map(
            |(hi, strict)| {
                if *strict && hi.is_int() { hi.numerator() - BigInt::ONE } else { hi.floor() }
            },
        );
        (lo, hi)
    }

    /// How many values are left, exclusions not counted; `None` if too many or infinitely many.
    fn len(&self, sorts: &Sorts) -> Option<u64> {
        if let Some(value) = &self.exact {
            return Some(u64::from(self.allows(sorts, value)));
        }
        match sorts.get(self.sort) {
            Sort::Int { .. } => match self.integers(sorts) {
                (Some(lo), Some(hi)) if lo > hi => Some(0),
                (Some(lo), Some(hi)) => u64::try_from(hi - lo + BigInt::ONE).ok(),
                _ => None,
            },
            Sort::Real { .. } => match (&self.lo, &self.hi) {
                (Some((lo, a)), Some((hi, b))) if lo == hi => Some(u64::from(!a && !b)),
                (Some((lo, _)), Some((hi, _))) if lo > hi => Some(0),
                _ => None,
            },
            _ => sorts.cardinality(self.sort),
        }
    }

    fn nth(&self, sorts: &Sorts, n: u64) -> Option<Value> {
        if let Some(value) = &self.exact {
            return Some(value.clone());
        }
        match sorts.get(self.sort) {
            Sort::Int { .. } => Some(number::int(self.integers(sorts).0? + BigInt::from(n))),
            Sort::Real { .. } => Some(Value::real(self.lo.as_ref()?.0.clone())),
            _ => sorts.nth_value(self.sort, n),
        }
    }

    /// Whether no value is left. An infinite data type is never found empty: too many values to tell.
    fn is_empty(&self, sorts: &Sorts) -> bool {
        let infinite_data = matches!(sorts.get(self.sort), Sort::Data(_)) && self.len(sorts).is_none();
        !infinite_data && self.first(sorts).is_none()
    }

    /// Some value of the domain, near to zero if it can be.
    fn first(&self, sorts: &Sorts) -> Option<Value> {
        if let Some(value) = &self.exact {
            return self.allows(sorts, value).then(|| value.clone());
        }
        let more = self.excluded.len() as u64 + 1;
        match (self.len(sorts), sorts.get(self.sort)) {
            // Among one more value than there are exclusions, one is left; or there are no more.
            (Some(len), _) => (0..len.min(more)).filter_map(|n| self.nth(sorts, n)).find(|v| self.allows(sorts, v)),
            (None, Sort::Int { .. }) => {
                let (lo, hi) = self.integers(sorts);
                let zero = BigInt::ZERO;
                let (start, step) = match (lo, hi) {
                    (Some(lo), _) if lo > zero => (lo, 1),
                    (_, Some(hi)) if hi < zero => (hi, -1),
                    (_, Some(_)) => (zero, -1),
                    _ => (zero, 1),
                };
                let values = (0..more as i64).map(|n| number::int(&start + BigInt::from(n * step)));
                let mut values = values.filter(|v| self.allows(sorts, v));
                values.next().or_else(|| {
                    // A wide range with both ends, walked over its upper end: from the lower end then.
                    let lo = self.integers(sorts).0?;
                    (0..more as i64).map(|n| number::int(&lo + BigInt::from(n))).find(|v| self.allows(sorts, v))
                })
            }
            (None, Sort::Real { .. }) => {
                let one = Rational::ONE;
                let (a, b) = match (&self.lo, &self.hi) {
                    (Some((lo, _)), Some((hi, _))) => (lo.clone(), hi.clone()),
                    (Some((lo, _)), None) => (lo.clone(), lo + &one),
                    (None, Some((hi, _))) => (hi - &one, hi.clone()),
                    (None, None) => (Rational::ZERO, one),
                };
                // The ends, and fractions between them: more of those than exclusions.
                let between = (1..=more).map(|n| {
                    let part = Rational::from_parts(BigInt::from(n), (more + 1).into());
                    &a + (&b - &a) * part
                });
                [Rational::ZERO, a.clone(), b.clone()]
                    .into_iter()
                    .chain(between)
                    .map(Value::real)
                    .find(|v| self.allows(sorts, v))
            }
            (None, Sort::String) => {
                (0..more).map(|n| Value::string(&"a".repeat(n as usize))).find(|v| self.allows(sorts, v))
            }
            (None, Sort::Seq(item)) => {
                let item = sorts.default_value(*item);
                (0..more).map(|n| Value::seq(vec![item.clone(); n as usize])).find(|v| self.allows(sorts, v))
            }
            // A data type with infinitely many values: the default, or with exclusions, whatever its fields allow is
            // not worth a search.
            (None, _) => Some(sorts.default_value(self.sort)).filter(|v| self.allows(sorts, v)),
        }
    }
}
