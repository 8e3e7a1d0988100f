//! The oracle: it answers questions that cannot be settled by trying values.
//!
//! The interpreter answers by itself what it can, exactly. For the rest it has an oracle, if somebody gave it one; a
//! solver, mostly, which stands above this crate. Without one, and where the oracle does not know, the answer is that
//! it is not known.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use super::choice::{self, Failed, Unknown};
use super::program::Context;
use crate::eval::{Env, EvalError};
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

/// Why an oracle does not know an answer. It says nothing about what the answer is (T-V8).
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unanswered {
    /// The question has no value for a variable or parameter of its condition: whoever asks left it out.
    Unbound,
    /// There are more answers than this, and all of them are asked for.
    TooMany(usize),
    /// A solver says that there are values, and names none: the solver is to blame.
    NoValues,
    /// No solver decides it, for this reason, in words for people.
    Undecided(String),
}

impl fmt::Display for Unanswered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unanswered::Unbound => f.write_str("it depends on a value that is not known here"),
            Unanswered::TooMany(many) => write!(f, "there are more than {many} values to choose from"),
            Unanswered::NoValues => f.write_str("the solver gave no values"),
            Unanswered::Undecided(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for Unanswered {}

/// Answers questions about the values of parameters.
pub trait Oracle: Send {
    /// Values of the unknowns, in their order, for which the condition is true, if there are any.
    fn witness(&mut self, question: &Question<'_>) -> Result<Option<Vec<Value>>, Unanswered>;

    /// All such values, in a fixed order; that there are too many is an error.
    fn all(&mut self, question: &Question<'_>) -> Result<Vec<Vec<Value>>, Unanswered>;

    /// Values of the unknowns, in their order, for which the condition is undefined, if there are any.
    fn undefined(&mut self, question: &Question<'_>) -> Result<Option<Vec<Value>>, Unanswered>;

    /// The conjuncts of the condition that cannot be true together; none if the condition can be true.
    fn clash(&mut self, question: &Question<'_>) -> Result<Vec<TermId>, Unanswered>;

    /// A number that changes when it is worth asking again what had no answer.
    fn generation(&self) -> u64 {
        0
    }
}

/// An oracle, if there is one.
#[derive(Clone, Default)]
pub(super) struct Asked(pub Option<Arc<Mutex<dyn Oracle>>>);

impl Asked {
    /// The answer, or if that takes a solver, the oracle's. Where the oracle finds `nothing`, it must not be because the
    /// condition is undefined.
    fn or<T>(
        &self,
        context: Context<'_>,
        question: &Question<'_>,
        answer: Result<T, Failed>,
        ask: impl FnOnce(&mut dyn Oracle) -> Result<T, Unanswered>,
        sure: impl FnOnce(&T) -> bool,
    ) -> Result<T, Failed> {
        let (Err(Failed { error: EvalError::NeedsSolver(_), .. }), Some(oracle)) = (&answer, &self.0) else {
            return answer;
        };
        let mut oracle = oracle.lock().unwrap_or_else(PoisonError::into_inner);
        let open = |why: Unanswered| Failed::from(EvalError::NeedsSolver(why.to_string()));
        let found = ask(&mut *oracle).map_err(open)?;
        if sure(&found) || !context.terms.is_partial(question.condition) {
            return Ok(found);
        }
        match oracle.undefined(question).map_err(open)? {
            None => Ok(found),
            Some(at) => Err(undefined_at(context, question, at)),
        }
    }

    /// Values of the unknowns for which the condition is true, if there are any; an error if it is undefined for some and
    /// true for none.
    pub fn witness(
        &self,
        context: Context<'_>,
        question: &Question<'_>,
        answer: Result<Option<Vec<Value>>, Failed>,
    ) -> Result<Option<Vec<Value>>, Failed> {
        self.or(context, question, answer, |oracle| oracle.witness(question), Option::is_some)
    }

    /// All such values; an error if the condition is undefined for some.
    pub fn all(
        &self,
        context: Context<'_>,
        question: &Question<'_>,
        answer: Result<Vec<Vec<Value>>, Failed>,
    ) -> Result<Vec<Vec<Value>>, Failed> {
        self.or(context, question, answer, |oracle| oracle.all(question), |_| false)
    }

    /// The truth value of a condition without unknowns.
    pub fn whether(
        &self,
        context: Context<'_>,
        question: &Question<'_>,
        answer: Result<bool, EvalError>,
    ) -> Result<bool, EvalError> {
        let answer = answer.map_err(Failed::from);
        let ask = |oracle: &mut dyn Oracle| Ok(oracle.witness(question)?.is_some());
        self.or(context, question, answer, ask, |holds| *holds).map_err(|f| f.error)
    }

    /// See [`Oracle::generation`].
    pub fn generation(&self) -> u64 {
        let Some(oracle) = &self.0 else { return 0 };
        oracle.lock().unwrap_or_else(PoisonError::into_inner).generation()
    }

    /// The conjuncts that clash, if the oracle finds some.
    pub fn clash(&self, question: &Question<'_>) -> Vec<TermId> {
        let Some(oracle) = &self.0 else { return Vec::new() };
        let mut oracle = oracle.lock().unwrap_or_else(PoisonError::into_inner);
        oracle.clash(question).unwrap_or_default()
    }
}

/// What is undefined for these values. The evaluator has the last word.
fn undefined_at(context: Context<'_>, question: &Question<'_>, at: Vec<Value>) -> Failed {
    let env = Env { vars: question.vars, params: question.params, bound: &[], symbols: &[], rounds: 0 };
    let error = match choice::holds(context, question.unknowns, &at, question.condition, env) {
        Err(EvalError::NeedsSolver(_)) => EvalError::UndefinedChoice,
        Err(error) => error,
        Ok(_) => return EvalError::NeedsSolver("the solver calls something undefined that is not".into()).into(),
    };
    Failed { error, at: Some(at) }
}

impl fmt::Debug for Asked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "an oracle" } else { "no oracle" })
    }
}
