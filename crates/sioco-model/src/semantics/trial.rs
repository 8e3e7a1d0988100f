//! Trying the values that are left after [narrowing](super::narrow), where there are few; where there are many, trying
//! some.
//!
//! This is for conditions whose conjuncts do not say plainly which values there are: lengths of sequences, variants
//! with fields, several unknowns that depend on each other. What is found out is exact. Work is counted, so that the
//! answer is the same on every machine.

use super::choice::{Failed, Unknown};
use super::narrow::Narrowing;
use super::program::Context;
use super::shape::{Shape, first_combinations};
use crate::eval::{Env, EvalError};
use crate::id::{SortId, TermId};
use crate::term::Term;
use crate::value::Value;

/// How many combinations of values are tried. A guard over three sequences of up to two items out of three has 2,197;
/// trying one takes about a microsecond, so that this is some 20 ms at the most.
pub const TRIALS: u64 = 20_000;

/// This many combinations are tried where they are too many to try all. A guard that one in forty satisfies is met
/// nearly always (96 %); others are left to a solver.
const SAMPLES: u64 = 128;

/// How much work narrowing may be, in terms that are looked at: a guard of ten conjuncts has some fifty terms, which are
/// looked at in a few rounds.
const NARROWING: u64 = 20_000;

/// A question about a condition, with somebody who evaluates it.
pub struct Trial<'a> {
    /// The terms and sorts.
    pub context: Context<'a>,
    /// The values of everything but the unknowns.
    pub env: Env<'a>,
    /// The unknowns.
    pub unknowns: &'a [(Unknown, SortId)],
    /// The condition.
    pub condition: TermId,
    /// No more combinations of values than this are tried at a time.
    pub most: u64,
    /// Whether the condition holds for values of the unknowns.
    pub holds: &'a mut dyn FnMut(&[Value]) -> Result<bool, EvalError>,
    /// How much work narrowing was.
    pub work: u64,
}

/// What trying values said.
#[derive(Default)]
struct Tried {
    found: Vec<Vec<Value>>,
    undefined: Option<Failed>,
    open: Option<EvalError>,
}

impl Trial<'_> {
    /// Values for which the condition is true. `Err` if it is undefined for some and true for none, or if that was not found
    /// out, for this reason.
    pub fn witness(&mut self, why: EvalError) -> Result<Option<Vec<Value>>, Failed> {
        let Some(mut shapes) = self.narrowed() else { return self.nowhere_true(why, None) };
        self.fix_unmentioned(&mut shapes);
        let Some(lists) = self.listed(&shapes) else {
            return match self.sampled(&shapes, true) {
                Some((values, Ok(_))) => Ok(Some(values)),
                _ => Err(why.into()),
            };
        };
        let mut tried = self.try_lists(&lists, 1);
        match (tried.found.pop(), tried.open) {
            (Some(values), _) => Ok(Some(values)),
            (None, Some(open)) => Err(open.into()),
            (None, None) => self.nowhere_true(why, tried.undefined),
        }
    }

    /// All values for which the condition is true; `Err` if it is undefined for some, or if that was not found out.
    pub fn all(&mut self, why: EvalError) -> Result<Vec<Vec<Value>>, Failed> {
        let mut found = Vec::new();
        let mut undefined = None;
        if let Some(shapes) = self.narrowed() {
            let Some(lists) = self.listed(&shapes) else { return Err(why.into()) };
            let tried = self.try_lists(&lists, usize::MAX);
            if let Some(open) = tried.open {
                return Err(open.into());
            }
            (found, undefined) = (tried.found, tried.undefined);
        }
        self.nowhere_true(why, undefined).map(|_| found)
    }

    /// The condition is true nowhere else: nothing, unless it is undefined for some values.
    fn nowhere_true(&mut self, why: EvalError, undefined: Option<Failed>) -> Result<Option<Vec<Value>>, Failed> {
        if let Some(undefined) = undefined {
            return Err(undefined);
        }
        if !self.context.terms.is_partial(self.condition) {
            return Ok(None);
        }
        let everything = self.everything();
        let condition = self.condition;
        let Some(cases) = self.narrowing(|n| n.undefined(&everything, condition)) else { return Err(why.into()) };
        for mut shapes in cases {
            self.fix_unmentioned(&mut shapes);
            let Some(lists) = self.listed(&shapes) else {
                return Err(match self.sampled(&shapes, false) {
                    Some((values, Err(error))) => Failed { error, at: Some(values) },
                    _ => why.into(),
                });
            };
            let tried = self.try_lists(&lists, usize::MAX);
            tried.undefined.map_or(Ok(()), Err)?;
            if let Some(open) = tried.open {
                return Err(open.into());
            }
        }
        Ok(None)
    }

    fn narrowing<T>(&mut self, narrow: impl FnOnce(&mut Narrowing<'_>) -> T) -> T {
        let unknowns = self.unknowns.iter().map(|(unknown, _)| *unknown).collect();
        let mut narrowing = Narrowing::new(self.context, self.env, unknowns, NARROWING);
        let result = narrow(&mut narrowing);
        self.work += narrowing.work;
        result
    }

    /// All values of the unknowns.
    fn everything(&self) -> Vec<Shape> {
        self.unknowns.iter().map(|(_, sort)| Shape::of(self.context.sorts, *sort)).collect()
    }

    /// Where the condition can be true; nothing if nowhere.
    fn narrowed(&mut self) -> Option<Vec<Shape>> {
        let mut shapes = self.everything();
        let condition = self.condition;
        let possible = !shapes.iter().any(Shape::is_nothing) && self.narrowing(|n| n.narrow(&mut shapes, &[condition]));
        possible.then_some(shapes)
    }

    /// One value is as good as any other for an unknown that the condition does not speak of.
    fn fix_unmentioned(&self, shapes: &mut [Shape]) {
        let mut mentioned = vec![false; self.unknowns.len()];
        self.context.terms.visit(self.condition, &mut |_, t| {
            let unknown = match t {
                Term::Param(i, _) => Unknown::Param(*i),
                Term::Bound(b, _) => Unknown::Bound(*b),
                Term::Symbol(y, _) => Unknown::Symbol(*y),
                _ => return,
            };
            if let Some(i) = self.unknowns.iter().position(|(u, _)| *u == unknown) {
                mentioned[i] = true;
            }
        });
        for ((shape, (_, sort)), _) in shapes.iter_mut().zip(self.unknowns).zip(mentioned).filter(|(_, m)| !m) {
            let value = self.context.sorts.default_value(*sort);
            if shape.contains(&value) {
                *shape = Shape::only(value);
            }
        }
    }

    /// All values of the shapes, if there are few combinations.
    fn listed(&self, shapes: &[Shape]) -> Option<Vec<Vec<Value>>> {
        let counts = shapes.iter().map(Shape::count);
        counts.into_iter().try_fold(1u64, |all, n| all.checked_mul(n?).filter(|all| *all <= self.most))?;
        shapes.iter().map(|s| s.list(self.most)).collect()
    }

    /// Tries all combinations, until the condition is true for so many.
    fn try_lists(&mut self, lists: &[Vec<Value>], enough: usize) -> Tried {
        let mut tried = Tried::default();
        let places: Vec<&[Value]> = lists.iter().map(Vec::as_slice).collect();
        first_combinations(&places, &mut |values| {
            match (self.holds)(&values) {
                Ok(true) => tried.found.push(values),
                Ok(false) => {}
                Err(open @ EvalError::NeedsSolver(_)) => {
                    tried.open.get_or_insert(open);
                }
                Err(error) => {
                    tried.undefined.get_or_insert(Failed { error, at: Some(values) });
                }
            }
            tried.found.len() < enough
        });
        tried
    }

    /// Some values for which the condition is true, or (`wanted` false) undefined.
    fn sampled(&mut self, shapes: &[Shape], wanted: bool) -> Option<(Vec<Value>, Result<bool, EvalError>)> {
        let condition = [self.condition];
        let spoken_of = self.narrowing(|n| n.spoken_of(shapes, &condition));
        let mut left = SAMPLES.min(self.most);
        let lists: Vec<Vec<Value>> = shapes.iter().map(|s| s.some(&spoken_of, left as usize)).collect();
        let places: Vec<&[Value]> = lists.iter().map(Vec::as_slice).collect();
        let mut found = None;
        first_combinations(&places, &mut |values| {
            left = left.saturating_sub(1);
            let result = (self.holds)(&values);
            let fits = match &result {
                Ok(truth) => wanted && *truth,
                Err(EvalError::NeedsSolver(_)) => false,
                Err(_) => !wanted,
            };
            if fits {
                found = Some((values, result));
            }
            found.is_none() && left > 0
        });
        found
    }
}
