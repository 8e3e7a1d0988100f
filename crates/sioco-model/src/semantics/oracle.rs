//! Who is asked what cannot be found out by trying values.
//!
//! The interpreter answers by itself what it can, exactly. For the rest it has an oracle, if somebody gave it one; a
//! solver, mostly, which stands above this crate. Without one, and where the oracle does not know, the answer is that
//! it is not known.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use super::choice::Unknown;
use crate::eval::EvalError;
use crate::id::{SortId, TermId};
use crate::value::Value;

/// A question: for which values of the unknowns is the condition true?
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// The condition. Where it is undefined, it is not true.
    pub condition: TermId,
    /// The parameters whose values are looked for.
    pub unknowns: &'a [(Unknown, SortId)],
    /// The values of all variables.
    pub vars: &'a [Value],
    /// The values of the other parameters, by position.
    pub params: &'a [Value],
}

/// Answers questions about the values of parameters. An error says why an answer is not known, in words for people.
pub trait Oracle: Send {
    /// Values of the unknowns, in their order, for which the condition is true, if there are any.
    fn witness(&mut self, question: &Question<'_>) -> Result<Option<Vec<Value>>, String>;

    /// All such values, in a fixed order; that there are too many is an error.
    fn all(&mut self, question: &Question<'_>) -> Result<Vec<Vec<Value>>, String>;

    /// The conjuncts of the condition that cannot be true together; none if the condition can be true.
    fn clash(&mut self, question: &Question<'_>) -> Result<Vec<TermId>, String>;
}

/// An oracle, if there is one.
#[derive(Clone, Default)]
pub(super) struct Asked(pub Option<Arc<Mutex<dyn Oracle>>>);

impl Asked {
    /// The answer, or if that takes a solver, the oracle's.
    pub fn or<T>(
        &self,
        answer: Result<T, EvalError>,
        ask: impl FnOnce(&mut dyn Oracle) -> Result<T, String>,
    ) -> Result<T, EvalError> {
        match (answer, &self.0) {
            (Err(EvalError::NeedsSolver(_)), Some(oracle)) => {
                let mut oracle = oracle.lock().unwrap_or_else(PoisonError::into_inner);
                ask(&mut *oracle).map_err(EvalError::NeedsSolver)
            }
            (answer, _) => answer,
        }
    }

    /// A truth value, or if that takes a solver, the oracle's.
    pub fn or_whether(&self, answer: Result<bool, EvalError>, question: &Question<'_>) -> Result<bool, EvalError> {
        self.or(answer, |oracle| Ok(oracle.witness(question)?.is_some()))
    }
}

impl fmt::Debug for Asked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "an oracle" } else { "no oracle" })
    }
}
