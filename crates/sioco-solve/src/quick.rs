//! Truth of a condition for given values of the symbols, computed quickly for small numbers and truth values.
//!
//! The reference evaluator computes with big numbers and lists of values; in a search it would take most of the time.
//! This evaluator does its arithmetic on 64 bits, that of reals on 128. It evaluates everything else as the reference evaluator does. Both
//! agree (`tests/quick.rs`), with one difference at quantifiers: this evaluator tries fewer values, but first narrows
//! them to those that the requirements on them leave.

use std::cell::Cell;
use std::rc::Rc;

use rustc_hash::FxHashMap;
use sioco_model::collection;
use sioco_model::eval::{Env, EvalError, Undefined, apply, has_value, junction};
use sioco_model::semantics::choice::Unknown;
use sioco_model::semantics::program::Context;
use sioco_model::semantics::trial::Trial;
use sioco_model::sort::{Sort, Sorts};
use sioco_model::term::{Each, Op, Term, TermPool};
use sioco_model::{BinderId, Id, SortId, SymbolId, TermId, Value};

use crate::ratio::Ratio;

/// Quantifiers over more combinations of values than this are not evaluated: a search asks thousands of times.
pub const MAX_COMBINATIONS: u64 = 256;

/// Whether the condition is true for these values; the same as the reference evaluator says. Where a quantifier over
/// more than [`MAX_COMBINATIONS`] would have to be tried, it is [`EvalError::NeedsSolver`].
pub fn truth(pool: &TermPool, sorts: &Sorts, condition: TermId, symbols: &[Value]) -> Result<bool, EvalError> {
    truth_with_work(pool, sorts, condition, symbols, MAX_COMBINATIONS).0
}

/// The same with another limit, and how much work it was: one, and one more for every combination of values that was
/// tried.
pub(crate) fn truth_with_work(
    pool: &TermPool,
    sorts: &Sorts,
    condition: TermId,
    symbols: &[Value],
    most: u64,
) -> (Result<bool, EvalError>, u64) {
    truth_remembering(pool, sorts, condition, symbols, most, &mut Quantifiers::default())
}

/// The same for somebody who evaluates conditions for many values, and remembers what quantifiers in them were.
pub(crate) fn truth_remembering(
    pool: &TermPool,
    sorts: &Sorts,
    condition: TermId,
    symbols: &[Value],
    most: u64,
    quantifiers: &mut Quantifiers,
) -> (Result<bool, EvalError>, u64) {
    let quick = Quick { pool, sorts, symbols, fuel: Cell::new(FUEL) };
    if let Some(truth) = quick.truth(condition, DEPTH) {
        return (Ok(truth), 1);
    }
    let mut plain = Plain::new(pool, sorts, symbols, most, quantifiers);
    plain.work = 1;
    let result = plain.value(condition).map(|v| v == Value::Bool(true));
    (result, plain.work)
}

/// The value of a term, in the same way.
pub(crate) fn value(pool: &TermPool, sorts: &Sorts, term: TermId, symbols: &[Value]) -> Result<Value, EvalError> {
    value_within(pool, sorts, term, symbols, MAX_COMBINATIONS)
}

/// The same with another limit of combinations, which holds for quantifiers inside of each other together.
pub(crate) fn value_within(
    pool: &TermPool,
    sorts: &Sorts,
    term: TermId,
    symbols: &[Value],
    most: u64,
) -> Result<Value, EvalError> {
    Plain::new(pool, sorts, symbols, most, &mut Quantifiers::default()).value(term)
}

/// Deeper terms are evaluated as the reference evaluator does it: this one recurses in wherever it is called.
const DEPTH: u32 = 40;

/// So are those that take more steps than this: they may share so much that walking them as trees takes for ever, while
/// the reference evaluator walks them as graphs.
const FUEL: u32 = 2_000;

/// Evaluation of anything, as the reference evaluator does it.
struct Plain<'a> {
    pool: &'a TermPool,
    sorts: &'a Sorts,
    symbols: &'a [Value],
    bound: Vec<(BinderId, Value)>,
    /// How many rounds operations over collections make that this is inside of.
    rounds: u64,
    /// How many combinations a quantifier here may have.
    left: u64,
    work: u64,
    /// Terms that were evaluated already, for the values that the bound variables have now: conditions share a lot.
    known: FxHashMap<TermId, Result<Value, EvalError>>,
    quantifiers: &'a mut Quantifiers,
}

/// What quantifiers were, for values of what they speak of.
#[derive(Default)]
pub(crate) struct Quantifiers {
    decided: FxHashMap<(TermId, Vec<Value>), Result<bool, EvalError>>,
    free: FxHashMap<TermId, Rc<Free>>,
}

/// What a term speaks of and does not bind itself.
struct Free {
    symbols: Vec<SymbolId>,
    bound: Vec<BinderId>,
}

impl Quantifiers {
    fn free(&mut self, pool: &TermPool, term: TermId) -> Rc<Free> {
        let find = || {
            let mut symbols = Vec::new();
            pool.visit(term, &mut |_, t| {
                if let Term::Symbol(y, _) = t {
                    symbols.push(*y);
                }
            });
            Rc::new(Free { symbols, bound: pool.free(term).to_vec() })
        };
        Rc::clone(self.free.entry(term).or_insert_with(find))
    }
}

impl<'a> Plain<'a> {
    fn new(
        pool: &'a TermPool,
        sorts: &'a Sorts,
        symbols: &'a [Value],
        most: u64,
        quantifiers: &'a mut Quantifiers,
    ) -> Plain<'a> {
        Plain {
            pool,
            sorts,
            symbols,
            bound: Vec::new(),
            rounds: 0,
            left: most,
            work: 0,
            known: FxHashMap::default(),
            quantifiers,
        }
    }

    /// A quantifier, which is decided once for the values that it depends on.
    fn quantifier(&mut self, term: TermId, first: BinderId, count: u32, body: TermId) -> Result<bool, EvalError> {
        let free = self.quantifiers.free(self.pool, term);
        let bound = |b: &BinderId| self.bound.iter().rev().find(|(id, _)| id == b).map(|(_, v)| v.clone());
        let symbols = free.symbols.iter().map(|y| self.symbols.get(y.index()).cloned());
        let Some(values) = symbols.chain(free.bound.iter().map(bound)).collect::<Option<Vec<Value>>>() else {
            return self.exists(first, count, body);
        };
        let key = (term, values);
        if let Some(known) = self.quantifiers.decided.get(&key) {
            return known.clone();
        }
        let result = self.exists(first, count, body);
        // What there was no room for may have room another time.
        if !matches!(result, Err(EvalError::NeedsSolver(_))) {
            self.quantifiers.decided.insert(key, result.clone());
        }
        result
    }

    fn value(&mut self, term: TermId) -> Result<Value, EvalError> {
        let pool = self.pool;
        let (op, args) = match pool.get(term) {
            Term::Const(v, _) => return Ok(v.clone()),
            Term::Symbol(y, _) => return Ok(self.symbols[y.index()].clone()),
            Term::Bound(b, _) => {
                // Part of the body of a quantifier whose values nobody has chosen yet: it takes somebody who does.
                let found = self.bound.iter().rev().find(|(id, _)| id == b);
                let open = || EvalError::NeedsSolver("a quantifier is left open".into());
                return found.map(|(_, value)| value.clone()).ok_or_else(open);
            }
            Term::Var(..) | Term::Param(..) | Term::ProcessParam(..) => panic!("conditions are over symbols"),
            Term::App(op, args) => (*op, args),
        };
        if let Some(known) = self.known.get(&term) {
            return known.clone();
        }
        let result = match op {
            Op::Exists { first, count } => self.quantifier(term, first, count, args[0]).map(Value::Bool),
            Op::Each { each, first, count } => self.each(term, each, first, count, args),
            Op::Defined => has_value(self.value(args[0])),
            _ => self.applied(op, args),
        };
        self.known.insert(term, result.clone());
        result
    }

    fn truth(&mut self, condition: TermId) -> Result<bool, EvalError> {
        self.value(condition).map(|v| v == Value::Bool(true))
    }

    fn applied(&mut self, op: Op, args: &[TermId]) -> Result<Value, EvalError> {
        let pool = self.pool;
        match op {
            Op::And | Op::Or => junction(pool, op, args, |a| self.truth(a)).map(Value::Bool),
            Op::Ite => {
                let branch = if self.value(args[0])? == Value::Bool(true) { args[1] } else { args[2] };
                self.value(branch)
            }
            _ => {
                let values = args.iter().map(|a| self.value(*a)).collect::<Result<Vec<Value>, _>>()?;
                apply(self.sorts, op, &values, args.first().map(|a| pool.sort(*a)))
            }
        }
    }

    /// An operation over a collection, whose last argument is evaluated in every round.
    fn each(
        &mut self,
        term: TermId,
        each: Each,
        first: BinderId,
        count: u32,
        args: &[TermId],
    ) -> Result<Value, EvalError> {
        let [over, start @ .., body] = args else { unreachable!("a collection and a term") };
        let over = self.value(*over)?;
        let start = start.first().map(|s| self.value(*s)).transpose()?;
        let rounds = collection::rounds(self.rounds, &over)?;
        let real = self.pool.sort(term) == self.sorts.real;
        let (depth, before) = (self.bound.len(), std::mem::replace(&mut self.rounds, rounds));
        let outside = std::mem::take(&mut self.known);
        let result = collection::each(each, &over, start, count as usize, real, &mut |values| {
            self.bound.truncate(depth);
            for (i, value) in values.iter().enumerate() {
                self.bound.push((BinderId::from_index(first.index() + i), value.clone()));
            }
            self.work += 1;
            self.known.clear();
            self.value(*body)
        });
        self.bound.truncate(depth);
        self.rounds = before;
        self.known = outside;
        result
    }

    fn exists(&mut self, first: BinderId, count: u32, body: TermId) -> Result<bool, EvalError> {
        let spoken_of = self.quantifiers.free(self.pool, body);
        let binders = (first.index()..first.index() + count as usize).map(BinderId::from_index);
        let mut sizes = Vec::new();
        for b in binders {
            let sort = self.pool.binders[b];
            let size = self.sorts.cardinality(sort).unwrap_or(u64::MAX);
            if spoken_of.bound.contains(&b) {
                sizes.push((b, sort, size));
            } else if size == 0 {
                return Ok(false);
            }
        }
        let total = sizes.iter().fold(1u64, |total, (_, _, size)| total.saturating_mul(*size));
        if total > self.left.min(NARROWED) {
            let unknowns: Vec<(Unknown, SortId)> =
                sizes.iter().map(|(b, sort, _)| (Unknown::Bound(*b), *sort)).collect();
            let found = self.exists_narrowed(&unknowns, body);
            if !matches!(found, Err(EvalError::NeedsSolver(_))) || total > self.left {
                return found;
            }
        }
        // What stands inside is evaluated as often.
        let left = self.left;
        self.left /= total.max(1);
        let depth = self.bound.len();
        let outside = std::mem::take(&mut self.known);
        let mut found = false;
        let mut undefined = Undefined::default();
        for n in 0..total {
            let mut rest = n;
            self.bound.truncate(depth);
            for (b, sort, size) in &sizes {
                self.bound.push((*b, self.sorts.nth_value(*sort, rest % size).expect("below the cardinality")));
                rest /= size;
            }
            self.work += 1;
            self.known.clear();
            match self.value(body) {
                Ok(value) => found = value == Value::Bool(true),
                Err(error) => undefined.note(error),
            }
            if found {
                break;
            }
        }
        self.bound.truncate(depth);
        self.left = left;
        self.known = outside;
        if found { Ok(true) } else { undefined.or_false() }
    }
}

/// A quantifier over more combinations of values is looked at first, whether few of them are left: looking at a small
/// body costs about as much as trying this many.
const NARROWED: u64 = 64;

/// This many terms that narrowing looks at are as much work as a combination of values.
const TERMS: u64 = 16;

impl Plain<'_> {
    /// The same for a quantifier over many values, if few are left by what its body says about them.
    fn exists_narrowed(&mut self, unknowns: &[(Unknown, SortId)], body: TermId) -> Result<bool, EvalError> {
        let (left, depth) = (self.left, self.bound.len());
        let outside = std::mem::take(&mut self.known);
        // What stands inside is evaluated as often as there are values, which is not known yet.
        let end = self.work + left;
        let open = || EvalError::NeedsSolver("a quantifier is over too many values to try".into());
        let context = Context { terms: self.pool, sorts: self.sorts };
        let bound = self.bound.clone();
        let env = Env { symbols: self.symbols, bound: &bound, ..Env::default() };
        let holds = &mut |values: &[Value]| {
            self.bound.truncate(depth);
            for ((unknown, _), value) in unknowns.iter().zip(values) {
                if let Unknown::Bound(b) = unknown {
                    self.bound.push((*b, value.clone()));
                }
            }
            if self.work >= end {
                return Err(open());
            }
            self.work += 1;
            self.known.clear();
            self.left = left.min(end - self.work);
            self.truth(body)
        };
        let mut trial = Trial { context, env, unknowns, condition: body, most: left, holds, work: 0 };
        let found = trial.witness(open()).map(|w| w.is_some()).map_err(|failed| failed.error);
        self.work += trial.work / TERMS;
        self.bound.truncate(depth);
        self.left = left;
        self.known = outside;
        found
    }
}

struct Quick<'a> {
    pool: &'a TermPool,
    sorts: &'a Sorts,
    symbols: &'a [Value],
    fuel: Cell<u32>,
}

impl Quick<'_> {
    /// The truth value; nothing if it is undefined or not found out this way.
    fn truth(&self, t: TermId, depth: u32) -> Option<bool> {
        let depth = depth.checked_sub(1)?;
        self.fuel.set(self.fuel.get().checked_sub(1)?);
        let (op, args) = match self.pool.get(t) {
            Term::Const(Value::Bool(b), _) => return Some(*b),
            Term::Symbol(y, _) => return self.symbols.get(y.index())?.as_bool(),
            Term::App(op, args) => (op, args),
            _ => return None,
        };
        match op {
            Op::Not => self.truth(args[0], depth).map(|b| !b),
            Op::And => {
                for a in args {
                    if !self.truth(*a, depth)? {
                        return Some(false);
                    }
                }
                Some(true)
            }
            Op::Or => {
                for a in args {
                    if self.truth(*a, depth)? {
                        return Some(true);
                    }
                }
                Some(false)
            }
            Op::Ite => {
                let chosen = if self.truth(args[0], depth)? { args[1] } else { args[2] };
                self.truth(chosen, depth)
            }
            Op::Lt | Op::Le if self.pool.sort(args[0]) == self.sorts.real => {
                let (left, right) = (self.real(args[0], depth)?, self.real(args[1], depth)?);
                Some(if *op == Op::Lt { left < right } else { left <= right })
            }
            Op::Lt => Some(self.int(args[0], depth)? < self.int(args[1], depth)?),
            Op::Le => Some(self.int(args[0], depth)? <= self.int(args[1], depth)?),
            Op::Eq => match self.sorts.get(self.pool.sort(args[0])) {
                Sort::Int { .. } => Some(self.int(args[0], depth)? == self.int(args[1], depth)?),
                Sort::Bool => Some(self.truth(args[0], depth)? == self.truth(args[1], depth)?),
                Sort::Real { .. } => Some(self.real(args[0], depth)? == self.real(args[1], depth)?),
                _ => Some(self.leaf(args[0])? == self.leaf(args[1])?),
            },
            Op::Is(c) => Some(self.leaf(args[0])?.constructor() == Some(*c)),
            _ => None,
        }
    }

    fn leaf(&self, t: TermId) -> Option<&Value> {
        match self.pool.get(t) {
            Term::Const(v, _) => Some(v),
            Term::Symbol(y, _) => self.symbols.get(y.index()),
            _ => None,
        }
    }

    /// A real, if it and all that it is computed from are not too large.
    fn real(&self, t: TermId, depth: u32) -> Option<Ratio> {
        let depth = depth.checked_sub(1)?;
        self.fuel.set(self.fuel.get().checked_sub(1)?);
        let (op, args) = match self.pool.get(t) {
            Term::Const(v, _) => return Ratio::of_value(v),
            Term::Symbol(y, _) => return Ratio::of_value(self.symbols.get(y.index())?),
            Term::App(op, args) => (op, args),
            _ => return None,
        };
        match op {
            Op::Add => args.iter().try_fold(Ratio::ZERO, |sum, a| sum.add(self.real(*a, depth)?)),
            Op::Mul => args.iter().try_fold(Ratio::ONE, |product, a| product.mul(self.real(*a, depth)?)),
            Op::Sub => self.real(args[0], depth)?.sub(self.real(args[1], depth)?),
            Op::Neg => Some(self.real(args[0], depth)?.neg()),
            Op::Abs => {
                let r = self.real(args[0], depth)?;
                Some(if r.is_negative() { r.neg() } else { r })
            }
            Op::Quot => self.real(args[0], depth)?.div(self.real(args[1], depth)?),
            Op::ToReal => Some(Ratio::from(self.int(args[0], depth)?)),
            Op::Ite => {
                let chosen = if self.truth(args[0], depth)? { args[1] } else { args[2] };
                self.real(chosen, depth)
            }
            Op::Min | Op::Max => {
                let mut best = self.real(args[0], depth)?;
                for a in &args[1..] {
                    let r = self.real(*a, depth)?;
                    best = if *op == Op::Min { best.min(r) } else { best.max(r) };
                }
                Some(best)
            }
            Op::Checked(sort) => {
                let r = self.real(args[0], depth)?;
                let Sort::Real { lo, hi } = self.sorts.get(*sort) else { return None };
                let above = lo.as_ref().map_or(Some(true), |lo| Some(Ratio::of(lo)? <= r))?;
                let below = hi.as_ref().map_or(Some(true), |hi| Some(r <= Ratio::of(hi)?))?;
                (above && below).then_some(r)
            }
            _ => None,
        }
    }

    fn int(&self, t: TermId, depth: u32) -> Option<i64> {
        let depth = depth.checked_sub(1)?;
        self.fuel.set(self.fuel.get().checked_sub(1)?);
        let (op, args) = match self.pool.get(t) {
            Term::Const(Value::Int(n), _) => return Some(*n),
            Term::Symbol(y, _) => match self.symbols.get(y.index())? {
                Value::Int(n) => return Some(*n),
                _ => return None,
            },
            Term::App(op, args) => (op, args),
            _ => return None,
        };
        match op {
            Op::Add => args.iter().try_fold(0i64, |sum, a| sum.checked_add(self.int(*a, depth)?)),
            Op::Mul => args.iter().try_fold(1i64, |product, a| product.checked_mul(self.int(*a, depth)?)),
            Op::Sub => self.int(args[0], depth)?.checked_sub(self.int(args[1], depth)?),
            Op::Neg => self.int(args[0], depth)?.checked_neg(),
            Op::Abs => self.int(args[0], depth)?.checked_abs(),
            Op::Div => self.int(args[0], depth)?.checked_div_euclid(self.int(args[1], depth)?),
            Op::Mod => self.int(args[0], depth)?.checked_rem_euclid(self.int(args[1], depth)?),
            Op::Floor => i64::try_from(self.real(args[0], depth)?.floor()).ok(),
            Op::Ite => {
                let chosen = if self.truth(args[0], depth)? { args[1] } else { args[2] };
                self.int(chosen, depth)
            }
            Op::Min | Op::Max => {
                let mut best = self.int(args[0], depth)?;
                for a in &args[1..] {
                    let n = self.int(*a, depth)?;
                    best = if *op == Op::Min { best.min(n) } else { best.max(n) };
                }
                Some(best)
            }
            Op::Checked(sort) => {
                let n = self.int(args[0], depth)?;
                self.sorts.contains(*sort, &Value::Int(n)).then_some(n)
            }
            _ => None,
        }
    }
}
