//! Trying the values that are left after [narrowing](super::narrow), where there are few; where there are many, trying
//! some.
//!
//! This is for conditions whose conjuncts do not say plainly which values there are: lengths of sequences, variants
//! with fields, several unknowns that depend on each other. What is found out is exact. Work is counted, so that the
//! answer is the same on every machine.

use super::choice::{Failed, Search};
use super::narrow::Narrowing;
use super::shape::{Shape, first_combinations};
use crate::eval::EvalError;
use crate::id::TermId;
use crate::value::Value;

/// How many combinations of values are tried. A guard over three sequences of up to two items out of three has 2,197;
/// trying one takes about a microsecond, so that this is some 20 ms at the most.
pub(super) const TRIALS: u64 = 20_000;

/// How many are tried where they are too many to try all.
const SAMPLES: usize = 128;

/// How much work narrowing may be, in terms that are looked at: a guard of ten conjuncts has some fifty terms, which are
/// looked at in a few rounds.
const NARROWING: u64 = 20_000;

/// What trying values said.
#[derive(Default)]
struct Tried {
    found: Vec<Vec<Value>>,
    undefined: Option<Failed>,
    open: Option<EvalError>,
}

impl Search<'_> {
    /// Values for which the condition is true. `Err` if it is undefined for some and true for none, or if that was not found
    /// out, for this reason.
    pub(super) fn witness_by_trial(&self, why: EvalError) -> Result<Option<Vec<Value>>, Failed> {
        let Some(shapes) = self.narrowed() else { return self.nowhere_true(why, None) };
        let Some(lists) = listed(&shapes) else {
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
    pub(super) fn all_by_trial(&self, why: EvalError) -> Result<Vec<Vec<Value>>, Failed> {
        let mut found = Vec::new();
        let mut undefined = None;
        if let Some(shapes) = self.narrowed() {
            let Some(lists) = listed(&shapes) else { return Err(why.into()) };
            let tried = self.try_lists(&lists, usize::MAX);
            if let Some(open) = tried.open {
                return Err(open.into());
            }
            (found, undefined) = (tried.found, tried.undefined);
        }
        self.nowhere_true(why, undefined).map(|_| found)
    }

    /// The condition is true nowhere, or is told elsewhere: nothing, unless it is undefined for some values.
    fn nowhere_true(&self, why: EvalError, undefined: Option<Failed>) -> Result<Option<Vec<Value>>, Failed> {
        if let Some(undefined) = undefined {
            return Err(undefined);
        }
        if !self.context.terms.is_partial(self.condition) {
            return Ok(None);
        }
        let everything = self.sorts();
        let Some(cases) = self.shaping().undefined(&everything, self.condition) else { return Err(why.into()) };
        for shapes in cases {
            match listed(&shapes) {
                Some(lists) => {
                    let tried = self.try_lists(&lists, usize::MAX);
                    tried.undefined.map_or(Ok(()), Err)?;
                    if let Some(open) = tried.open {
                        return Err(open.into());
                    }
                }
                None => {
                    return Err(match self.sampled(&shapes, false) {
                        Some((values, Err(error))) => Failed { error, at: Some(values) },
                        _ => why.into(),
                    });
                }
            }
        }
        Ok(None)
    }

    fn shaping(&self) -> Narrowing<'_> {
        let unknowns = self.unknowns.iter().map(|(unknown, _)| *unknown).collect();
        Narrowing::new(self.context, self.env, unknowns, NARROWING)
    }

    /// All values of the unknowns.
    fn sorts(&self) -> Vec<Shape> {
        self.unknowns.iter().map(|(_, sort)| Shape::of(self.context.sorts, *sort)).collect()
    }

    /// Where the condition can be true; nothing if nowhere.
    fn narrowed(&self) -> Option<Vec<Shape>> {
        let mut shapes = self.sorts();
        self.shaping().narrow(&mut shapes, &[self.condition]).then_some(shapes)
    }

    /// Tries all combinations, until the condition is true for so many.
    fn try_lists(&self, lists: &[Vec<Value>], enough: usize) -> Tried {
        let mut tried = Tried::default();
        let places: Vec<&[Value]> = lists.iter().map(Vec::as_slice).collect();
        first_combinations(&places, &mut |values| {
            match self.holds(&values) {
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
    fn sampled(&self, shapes: &[Shape], wanted: bool) -> Option<(Vec<Value>, Result<bool, EvalError>)> {
        let condition: [TermId; 1] = [self.condition];
        let spoken_of = self.shaping().spoken_of(shapes, &condition);
        let lists: Vec<Vec<Value>> = shapes.iter().map(|s| s.some(&spoken_of, SAMPLES)).collect();
        let places: Vec<&[Value]> = lists.iter().map(Vec::as_slice).collect();
        let (mut found, mut left) = (None, SAMPLES);
        first_combinations(&places, &mut |values| {
            left -= 1;
            let result = self.holds(&values);
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

/// All values of the shapes, if there are few combinations.
fn listed(shapes: &[Shape]) -> Option<Vec<Vec<Value>>> {
    let counts = shapes.iter().map(Shape::count);
    counts.into_iter().try_fold(1u64, |all, n| all.checked_mul(n?).filter(|all| *all <= TRIALS))?;
    shapes.iter().map(|s| s.list(TRIALS)).collect()
}
