//! "For which values of the parameters does the guard hold?", answered exactly where that needs no solver.
//!
//! The guard is taken apart into conjuncts. One that says `parameter == term`, or compares a parameter (plus or minus
//! something) with a term, where the term has no parameters, narrows the domain of that parameter. If nothing is left
//! over, the domains are the answer; otherwise all their values are tried, if they are few. What remains is said to
//! need a solver, never guessed.
//!
//! Conjuncts are evaluated from left to right, so one that is undefined for some values makes the guard undefined there,
//! whatever stands behind it. Hence there are two sets. Outside the first, the guard is false. Outside the second, it is
//! false or undefined. Only the first proves that a guard is false.

use super::domain::Domain;
use super::program::Context;
use super::trial::{TRIALS, Trial};
use crate::eval::{EXISTS_LIMIT, Env, EvalError, eval, junction};
use crate::id::{BinderId, Id, SortId, SymbolId, TermId};
use crate::number::{self, Rational};
use crate::sample::Draw;
use crate::term::{Op, Term};
use crate::value::Value;

/// A parameter whose value is looked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unknown {
    /// The n-th parameter of the switch.
    Param(u32),
    /// A variable bound by a quantifier.
    Bound(BinderId),
    /// A value that symbolic execution leaves open.
    Symbol(SymbolId),
}

/// Why there is no answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failed {
    /// The reason.
    pub error: EvalError,
    /// Values of the unknowns for which the condition is undefined, if some are known.
    pub at: Option<Vec<Value>>,
}

impl From<EvalError> for Failed {
    fn from(error: EvalError) -> Failed {
        Failed { error, at: None }
    }
}

/// At most this many domains of unknowns are narrowed, over all alternatives. Each alternative narrows those of all
/// unknowns, which is their number times the other.
const MOST_DOMAINS: usize = 200_000;

/// Whether some values of the bound variables make the body true. If none do, but it is undefined for some, the error is
/// that of the first of these where they can be tried, as in the reference.
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
    let search = Search { context, unknowns: &unknowns, condition: body, env };
    match search.witness() {
        Ok(found) => Ok(found.is_some()),
        Err(Failed { error: error @ EvalError::NeedsSolver(_), .. }) => Err(error),
        Err(failed) => Err(search.first_error().unwrap_or(failed.error)),
    }
}

/// Values of the unknowns that make the condition true, if there are any. It is an error if there are none, but some for
/// which it is undefined.
///
/// Parameters that are not unknown have their values in `env`. Parameters that are unknown must be the first ones or
/// have some value there, which is not looked at.
pub fn witness(
    context: Context<'_>,
    unknowns: &[(Unknown, SortId)],
    condition: TermId,
    env: Env<'_>,
) -> Result<Option<Vec<Value>>, Failed> {
    Search { context, unknowns, condition, env }.witness()
}

/// All values of the unknowns that make the condition true, in a fixed order. It is an error if there are some for which
/// it is undefined.
pub fn all(
    context: Context<'_>,
    unknowns: &[(Unknown, SortId)],
    condition: TermId,
    env: Env<'_>,
) -> Result<Vec<Vec<Value>>, Failed> {
    Search { context, unknowns, condition, env }.all()
}

/// The truth value of a condition, with its quantifiers decided as [`exists`] does: without trying every value where
/// that is not needed. What a solver would have to say does not matter where other parts decide.
pub(super) fn decide(context: Context<'_>, condition: TermId, env: Env<'_>) -> Result<bool, EvalError> {
    match context.terms.get(condition) {
        Term::App(op @ (Op::And | Op::Or), args) => junction(context.terms, *op, args, |a| decide(context, a, env)),
        Term::App(Op::Not, args) => Ok(!decide(context, args[0], env)?),
        Term::App(Op::Exists { first, count }, args) => exists(context, *first, *count, args[0], env),
        _ => {
            let value = eval(context.terms, context.sorts, condition, env)?;
            Ok(value.as_bool().expect("a well-sorted condition"))
        }
    }
}

/// Whether the condition holds for these values of the unknowns.
pub(super) fn holds(
    context: Context<'_>,
    unknowns: &[(Unknown, SortId)],
    values: &[Value],
    condition: TermId,
    env: Env<'_>,
) -> Result<bool, EvalError> {
    let mut params = env.params.to_vec();
    let mut bound = env.bound.to_vec();
    let mut symbols = Vec::new();
    let put = |values: &mut Vec<Value>, i: usize, value: &Value| {
        if values.len() <= i {
            values.resize(i + 1, Value::Bool(false));
        }
        values[i] = value.clone();
    };
    for ((unknown, _), value) in unknowns.iter().zip(values) {
        match unknown {
            Unknown::Param(i) => put(&mut params, *i as usize, value),
            Unknown::Bound(b) => bound.push((*b, value.clone())),
            Unknown::Symbol(y) => {
                if symbols.is_empty() {
                    symbols = env.symbols.to_vec();
                }
                put(&mut symbols, y.index(), value);
            }
        }
    }
    let symbols = if symbols.is_empty() { env.symbols } else { &symbols };
    decide(context, condition, Env { params: &params, bound: &bound, symbols, ..env })
}

/// Values are drawn this often until the whole condition holds. Narrowed domains mostly hold values that fit; where
/// eight draws fail, a search finds one sooner.
const DRAWS: usize = 8;

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

/// Whether a condition holds for certain values.
type Truth = Result<bool, EvalError>;

/// What is left over of an alternative of the condition, after its conjuncts have narrowed the domains.
struct Left {
    /// Outside of these values it is false; `None` if it is false everywhere.
    not_false: Option<Vec<Domain>>,
    /// Outside of these values it is not true; `None` if it is true nowhere.
    maybe: Option<Vec<Domain>>,
    /// Whether it is true for all these values.
    exact: bool,
    /// Why it is undefined for all values for which it is not false, if it is.
    undefined: Option<EvalError>,
}

/// A question about the values of unknowns.
pub(super) struct Search<'a> {
    pub context: Context<'a>,
    pub unknowns: &'a [(Unknown, SortId)],
    /// The whole condition. What is tried is tried on it, since a part alone may be undefined where the whole is not.
    pub condition: TermId,
    pub env: Env<'a>,
}

impl<'a> Search<'a> {
    fn everything(&self) -> Vec<Domain> {
        self.unknowns.iter().map(|(_, sort)| Domain::of(self.context.sorts, *sort)).collect()
    }

    fn left(&self) -> Vec<Left> {
        let mut parts = disjuncts(self.context, self.condition);
        // Each has a domain for each unknown: that may be much more than what is written.
        if parts.len().saturating_mul(self.unknowns.len()) > MOST_DOMAINS {
            parts = vec![conjuncts(self.context, self.condition)];
        }
        parts.iter().map(|part| self.narrowing().all(part)).collect()
    }

    fn narrowing(&self) -> Narrowing<'_> {
        Narrowing { search: self, domains: self.everything(), impossible: false, narrowed: Narrowed::All }
    }

    /// What trying the values says that are left, if they are few.
    fn by_trial<T>(&self, ask: impl FnOnce(&mut Trial<'_>) -> T) -> T {
        let Search { context, unknowns, condition, env } = *self;
        let holds = &mut |values: &[Value]| self.holds(values);
        ask(&mut Trial { context, env, unknowns, condition, most: TRIALS, holds, work: 0 })
    }

    fn holds(&self, values: &[Value]) -> Result<bool, EvalError> {
        holds(self.context, self.unknowns, values, self.condition, self.env)
    }

    /// See [`witness`].
    pub fn witness(&self) -> Result<Option<Vec<Value>>, Failed> {
        match self.witness_by_domains() {
            Err(Failed { error: why @ EvalError::NeedsSolver(_), .. }) => self.by_trial(|trial| trial.witness(why)),
            answer => answer,
        }
    }

    /// The same without trying more than what conjuncts leave that speak of one unknown plainly.
    pub(super) fn witness_by_domains(&self) -> Result<Option<Vec<Value>>, Failed> {
        let (mut undecided, mut undefined) = (None, None);
        for (i, part) in self.left().into_iter().enumerate() {
            if let Some(values) = self.plain_witness(i, &part) {
                return Ok(Some(values));
            }
            let Some(space) = &part.not_false else { continue };
            // Where an alternative before may hold, this one may never be reached.
            if let (0, Some(error)) = (i, &part.undefined) {
                undefined.get_or_insert(Failed::from(error.clone()));
                continue;
            }
            let complete = size(self.context, space).is_some();
            let Some(space) = (if complete { Some(space) } else { part.maybe.as_ref() }) else {
                undecided.get_or_insert(too_many(self.context, space));
                continue;
            };
            let mut found = None;
            let tried = self.try_all(space, &mut |values, truth| {
                match truth {
                    Ok(true) => found = Some(values.to_vec()),
                    Ok(false) => {}
                    Err(e @ EvalError::NeedsSolver(_)) => {
                        undecided.get_or_insert(e);
                    }
                    Err(error) => {
                        undefined.get_or_insert_with(|| Failed { error, at: Some(values.to_vec()) });
                    }
                }
                found.is_none()
            });
            if found.is_some() {
                return Ok(found);
            }
            if let Err(e) = tried {
                undecided.get_or_insert(e);
            } else if !complete {
                let space = part.not_false.as_ref().expect("looked at above");
                undecided.get_or_insert(too_many(self.context, space));
            }
        }
        match (undecided, undefined) {
            (Some(undecided), _) => Err(undecided.into()),
            (None, Some(undefined)) => Err(undefined),
            (None, None) => Ok(None),
        }
    }

    /// Values for which the i-th alternative holds, if nothing needs to be tried.
    fn plain_witness(&self, i: usize, part: &Left) -> Option<Vec<Value>> {
        let domains = part.maybe.as_ref().filter(|_| part.exact)?;
        let values: Vec<Value> = domains.iter().map(|d| d.first(self.context.sorts)).collect::<Option<_>>()?;
        // An alternative before may be undefined for these values.
        let sure = i == 0 || !self.context.terms.is_partial(self.condition) || self.holds(&values) == Ok(true);
        sure.then_some(values)
    }

    /// Values of the unknowns for which the condition may be true, drawn: from one of its alternatives, and there from
    /// what its conjuncts leave. Nothing if there are none, or if they are of a sort that is not drawn from.
    pub fn sample(&self, draw: &mut dyn Draw) -> Option<Vec<Value>> {
        let parts: Vec<(Vec<Domain>, bool)> =
            self.left().into_iter().filter_map(|part| Some((part.maybe?, part.exact))).collect();
        let (part, exact) = match &parts[..] {
            [only] => only,
            _ => parts.get(draw.source().below(parts.len() as u64) as usize)?,
        };
        let mut once = || part.iter().map(|domain| domain.draw(self.context.sorts, draw)).collect();
        match exact {
            true => once(),
            // What a conjunct says that narrows no domain is seen by trying.
            false => (0..DRAWS).map_while(|_| once()).find(|values: &Vec<Value>| self.holds(values) == Ok(true)),
        }
    }

    /// See [`all`].
    pub fn all(&self) -> Result<Vec<Vec<Value>>, Failed> {
        match self.all_by_domains() {
            Err(Failed { error: why @ EvalError::NeedsSolver(_), .. }) => self.by_trial(|trial| trial.all(why)),
            answer => answer,
        }
    }

    fn all_by_domains(&self) -> Result<Vec<Vec<Value>>, Failed> {
        let mut found: Vec<Vec<Value>> = Vec::new();
        let mut seen = rustc_hash::FxHashSet::default();
        for (i, part) in self.left().into_iter().enumerate() {
            let Some(space) = &part.not_false else { continue };
            if let (0, Some(error)) = (i, part.undefined) {
                return Err(error.into());
            }
            let mut failed = None;
            self.try_all(space, &mut |values, truth| {
                match truth {
                    Ok(true) if seen.insert(values.to_vec()) => found.push(values.to_vec()),
                    Ok(_) => {}
                    Err(error) => failed = Some(Failed { error, at: Some(values.to_vec()) }),
                }
                failed.is_none()
            })?;
            failed.map_or(Ok(()), Err)?;
        }
        Ok(found)
    }

    /// Why the condition is undefined for the first values, in the order of the reference, for which it is.
    fn first_error(&self) -> Option<EvalError> {
        let mut first = None;
        let tried = self.try_all(&self.everything(), &mut |_, truth| {
            first = truth.err();
            first.is_none()
        });
        first.filter(|_| tried.is_ok())
    }

    /// Tries the condition on all values of the domains; `found` says whether to go on.
    fn try_all(&self, domains: &[Domain], found: &mut dyn FnMut(&[Value], Truth) -> bool) -> Result<(), EvalError> {
        self.walk(domains, &mut |values| found(values, self.holds(values)))
    }

    /// All values of the domains, in the order of the reference.
    fn walk(&self, domains: &[Domain], visit: &mut dyn FnMut(&[Value]) -> bool) -> Result<(), EvalError> {
        let sorts = self.context.sorts;
        let (sizes, total) = size(self.context, domains).ok_or_else(|| too_many(self.context, domains))?;
        let mut values = vec![Value::Bool(false); domains.len()];
        for n in 0..total {
            let mut rest = n;
            for (i, domain) in domains.iter().enumerate() {
                values[i] = domain.nth(sorts, rest % sizes[i]).expect("below the size");
                rest /= sizes[i];
            }
            if !visit(&values) {
                return Ok(());
            }
        }
        Ok(())
    }
}

/// How many values each domain has, and how many combinations there are; `None` if these are too many to try.
fn size(context: Context<'_>, domains: &[Domain]) -> Option<(Vec<u64>, u64)> {
    let sizes: Vec<u64> = domains.iter().map(|d| d.len(context.sorts)).collect::<Option<_>>()?;
    let total = sizes.iter().try_fold(1u64, |total, size| total.checked_mul(*size))?;
    (total <= EXISTS_LIMIT).then_some((sizes, total))
}

fn too_many(context: Context<'_>, domains: &[Domain]) -> EvalError {
    let sorts = context.sorts;
    let widest = domains.iter().max_by_key(|d| d.len(sorts).unwrap_or(u64::MAX)).expect("one combination can be tried");
    EvalError::NeedsSolver(format!("`{}` has too many values to try", sorts.name(widest.sort)))
}

/// Domains that the conjuncts of an alternative narrow.
struct Narrowing<'a> {
    search: &'a Search<'a>,
    domains: Vec<Domain>,
    /// No value is left for some unknown, or a conjunct without unknowns is false: that decides (T-V9).
    impossible: bool,
    narrowed: Narrowed,
}

/// Which domains may have become empty since that was asked.
enum Narrowed {
    All,
    One(usize),
    No,
}

impl Narrowing<'_> {
    /// The domain of an unknown, to narrow it.
    fn domain(&mut self, i: usize) -> &mut Domain {
        self.narrowed = match self.narrowed {
            Narrowed::All => Narrowed::All,
            Narrowed::One(_) | Narrowed::No => Narrowed::One(i),
        };
        &mut self.domains[i]
    }

    /// Narrows by the conjuncts that allow it.
    fn all(mut self, conjuncts: &[Literal]) -> Left {
        let context = self.search.context;
        let mut exact = true;
        // The domains before the first conjunct that may be undefined.
        let mut defined = None;
        for &literal in conjuncts {
            let used = if self.is_ground(literal.term) {
                decide(context, literal.term, self.search.env).map(|holds| {
                    self.impossible |= holds != literal.positive;
                    true
                })
            } else {
                self.narrow_by(literal)
            };
            match used {
                Ok(true) => {}
                Ok(false) | Err(EvalError::NeedsSolver(_)) => {
                    exact = false;
                    if defined.is_none() && context.terms.is_partial(literal.term) {
                        defined = Some(self.domains.clone());
                    }
                }
                // Undefined for whatever gets here; that is not known if something before was left over.
                Err(e) => {
                    let undefined = exact.then_some(e);
                    return Left { not_false: Some(defined.unwrap_or(self.domains)), maybe: None, exact, undefined };
                }
            }
            // A domain is empty from the start, or since it was narrowed.
            let empty = match std::mem::replace(&mut self.narrowed, Narrowed::No) {
                Narrowed::All => self.domains.iter_mut().any(|d| d.is_empty(context.sorts)),
                Narrowed::One(i) => self.domains[i].is_empty(context.sorts),
                Narrowed::No => false,
            };
            if self.impossible || empty {
                return Left { not_false: defined, maybe: None, exact, undefined: None };
            }
        }
        let not_false = defined.unwrap_or_else(|| self.domains.clone());
        Left { not_false: Some(not_false), maybe: Some(self.domains), exact, undefined: None }
    }

    /// Takes down that an unknown is one of a few values, for those who draw.
    fn hint_at_few(&mut self, literal: Literal) -> Option<()> {
        let Term::App(Op::Or, args) = self.search.context.terms.get(literal.term) else { return None };
        let (mut which, mut few) = (None, Vec::new());
        for arg in args.iter().filter(|_| literal.positive) {
            let Term::App(Op::Eq, sides) = self.search.context.terms.get(*arg) else { return None };
            let (i, other) = match (self.unknown(sides[0]), self.unknown(sides[1])) {
                (Some(i), None) => (i, sides[1]),
                (None, Some(i)) => (i, sides[0]),
                _ => return None,
            };
            if !self.is_ground(other) || *which.get_or_insert(i) != i {
                return None;
            }
            few.push(eval(self.search.context.terms, self.search.context.sorts, other, self.search.env).ok()?);
        }
        let hints = &mut self.domains[which?].hints;
        if hints.few.is_empty() {
            hints.few = few;
        }
        Some(())
    }

    fn narrow_by(&mut self, literal: Literal) -> Result<bool, EvalError> {
        if self.hint_at_few(literal).is_some() {
            return Ok(false);
        }
        // A Bool parameter that stands alone.
        if let Some(i) = self.unknown(literal.term) {
            self.domain(i).require(Value::Bool(literal.positive));
            return Ok(true);
        }
        let Term::App(op, args) = self.search.context.terms.get(literal.term) else { return Ok(false) };
        if !matches!(op, Op::Eq | Op::Lt | Op::Le) {
            return Ok(false);
        }
        let (a, b) = (args[0], args[1]);
        // `unknown == value` for any sort.
        if *op == Op::Eq {
            for (x, y) in [(a, b), (b, a)] {
                if let (Some(i), true) = (self.unknown(x), self.is_ground(y)) {
                    let value = eval(self.search.context.terms, self.search.context.sorts, y, self.search.env)?;
                    if literal.positive {
                        self.domain(i).require(value);
                    } else {
                        self.domain(i).exclude(value);
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
        let Some((i, sign, length)) = sum.unknown else { return Ok(false) };
        let mut constant = Rational::ZERO;
        for (term, sign) in &sum.ground {
            let value = eval(self.search.context.terms, self.search.context.sorts, *term, self.search.env)?;
            let value = number::to_rational(&value).expect("a well-sorted number");
            constant = if *sign > 0 { constant + value } else { constant - value };
        }
        // sign * unknown (op) -constant
        let bound = if sign > 0 { -constant } else { constant };
        let sorts = self.search.context.sorts;
        let domain = self.domain(i);
        if length {
            match (op, literal.positive) {
                (Op::Eq, true) => [true, false].into_iter().for_each(|upper| domain.hints.length(&bound, false, upper)),
                (Op::Eq, false) => {}
                (op, positive) => domain.hints.length(&bound, (*op == Op::Lt) == positive, (sign > 0) == positive),
            }
            return Ok(false);
        }
        match (op, literal.positive) {
            (Op::Eq, positive) => {
                let Some(value) = domain.number(sorts, &bound) else {
                    // An integer cannot equal a fraction.
                    self.impossible |= positive;
                    return Ok(true);
                };
                if positive {
                    domain.require(value);
                } else {
                    domain.exclude(value);
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
            return sum.unknown.replace((i, sign, false)).is_none();
        }
        match self.search.context.terms.get(term) {
            Term::App(Op::Add, args) => args.iter().all(|a| self.linear(*a, sign, sum)),
            Term::App(Op::Sub, args) => self.linear(args[0], sign, sum) && self.linear(args[1], -sign, sum),
            Term::App(Op::Neg, args) => self.linear(args[0], -sign, sum),
            Term::App(Op::ToReal, args) => self.linear(args[0], sign, sum),
            Term::App(Op::Len, args) => match self.unknown(args[0]) {
                Some(i) => sum.unknown.replace((i, sign, true)).is_none(),
                None => false,
            },
            _ => false,
        }
    }

    fn unknown(&self, term: TermId) -> Option<usize> {
        let leaf = match self.search.context.terms.get(term) {
            Term::Param(i, _) => Unknown::Param(*i),
            Term::Bound(b, _) => Unknown::Bound(*b),
            Term::Symbol(y, _) => Unknown::Symbol(*y),
            _ => return None,
        };
        self.search.unknowns.iter().position(|(u, _)| *u == leaf)
    }

    fn is_ground(&self, term: TermId) -> bool {
        let mut ground = true;
        self.search.context.terms.visit(term, &mut |_, t| {
            let unknown = match t {
                Term::Param(i, _) => Unknown::Param(*i),
                Term::Bound(b, _) => Unknown::Bound(*b),
                Term::Symbol(y, _) => Unknown::Symbol(*y),
                _ => return,
            };
            ground &= !self.search.unknowns.iter().any(|(u, _)| *u == unknown);
        });
        ground
    }
}

/// `sign * unknown + ground terms with their signs`.
#[derive(Default)]
struct Sum {
    /// Which unknown, its sign, and whether it is about its length.
    unknown: Option<(usize, i8, bool)>,
    ground: Vec<(TermId, i8)>,
}
