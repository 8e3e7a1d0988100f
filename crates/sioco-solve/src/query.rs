//! What is asked of a solver, and what it answers (S0 section 2.2: `solver` and `getValues`).

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use rustc_hash::FxHashMap;
use sioco_model::eval::{EXISTS_LIMIT, Env, EvalError, apply, eval, junction};
use sioco_model::sort::Sorts;
use sioco_model::term::{Op, Term, TermPool};
use sioco_model::{IdVec, SortId, SymbolId, TermId, Value};

use crate::cancellation::Cancellation;
use crate::quick;
use crate::timer::Timer;

/// A symbol: a value that is left open.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Symbol {
    /// Its name for people, such as `p#3`.
    pub name: String,
    /// Its sort, with its range: a witness is inside.
    pub sort: SortId,
}

/// The symbols of a formula.
pub type Symbols = IdVec<SymbolId, Symbol>;

/// What conditions are made of.
#[derive(Clone, Copy)]
pub struct Terms<'a> {
    /// The terms.
    pub pool: &'a TermPool,
    /// The sorts.
    pub sorts: &'a Sorts,
    /// The symbols; a term may use any of them.
    pub symbols: &'a Symbols,
}

/// Values for all symbols, by id. Symbols that nothing constrains have some value of their sort.
pub type Witness = Vec<Value>;

impl Terms<'_> {
    /// Whether the witness is in the sorts of the symbols and makes the conjuncts true, by the reference evaluator.
    pub fn satisfies(&self, witness: &[Value], conjuncts: &[TermId]) -> bool {
        self.unsettled(witness, conjuncts).is_some_and(|open| open.is_empty())
    }

    /// Nothing if the witness is outside of the sorts of the symbols or does not make all conjuncts true; otherwise
    /// the conjuncts that the reference evaluator cannot evaluate, since they quantify over too many values.
    pub(crate) fn unsettled(&self, witness: &[Value], conjuncts: &[TermId]) -> Option<Vec<TermId>> {
        let typed = self.symbols.values().zip(witness).all(|(s, v)| self.sorts.contains(s.sort, v));
        if witness.len() != self.symbols.len() || !typed {
            return None;
        }
        let mut known = FxHashMap::default();
        let mut open = Vec::new();
        for &c in conjuncts {
            match self.eval(c, witness, &mut known) {
                Ok(Value::Bool(true)) => {}
                Err(EvalError::NeedsSolver(_)) => open.push(c),
                _ => return None,
            }
        }
        Some(open)
    }

    /// The reference evaluator, which evaluates every term once: path conditions share a lot.
    fn eval(
        &self,
        term: TermId,
        witness: &[Value],
        known: &mut FxHashMap<TermId, Result<Value, EvalError>>,
    ) -> Result<Value, EvalError> {
        let (op, args) = match self.pool.get(term) {
            Term::App(op, args) if op.binders().is_none() && *op != Op::Defined => (*op, args),
            // Inside of a quantifier the same term has many values. Quantifiers inside of each other are tried as far as
            // one alone would be, or there would be no end to it.
            Term::App(..) => {
                return quick::value_within(self.pool, self.sorts, term, witness, EXISTS_LIMIT);
            }
            _ => return eval(self.pool, self.sorts, term, Env { symbols: witness, ..Env::default() }),
        };
        if let Some(result) = known.get(&term) {
            return result.clone();
        }
        let mut arg = |t: TermId| self.eval(t, witness, known);
        let result = match op {
            Op::And | Op::Or => {
                junction(self.pool, op, args, |a| arg(a).map(|v| v == Value::Bool(true))).map(Value::Bool)
            }
            Op::Ite => arg(args[0]).and_then(|c| arg(if c == Value::Bool(true) { args[1] } else { args[2] })),
            _ => args.iter().map(|a| arg(*a)).collect::<Result<Vec<Value>, _>>().and_then(|values| {
                let sort = args.first().map(|a| self.pool.sort(*a));
                apply(self.sorts, op, &values, sort)
            }),
        };
        known.insert(term, result.clone());
        result
    }
}

/// The three answers (T-X9).
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// The conjuncts can be true together; the witness, if it was asked for.
    Sat(Option<Witness>),
    /// They cannot; conjuncts that clash among themselves, if the solver can tell (a subset, not always the least).
    Unsat(Option<Vec<TermId>>),
    /// It was not found out.
    Unknown(Reason),
}

/// Why an answer is unknown.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reason {
    /// The deterministic limit of work was reached.
    Resources,
    /// The wall-time cap was reached.
    Time,
    /// Somebody waits, and all the work that there is for that was done.
    Spent,
    /// It was cancelled.
    Cancelled,
    /// A value is too large to compute with.
    TooLarge,
    /// Whether internal steps go on for ever was not decided.
    Divergence,
    /// The solver cannot decide this kind of condition; in its own words, or ours.
    Undecided(String),
    /// No SMT solver was found, and the built-in layers do not decide this.
    NoSolver,
    /// The built-in layers do not decide this, and nobody wanted another solver.
    BuiltInAlone,
    /// The solver is missing, died, or printed something that is no answer. Never a statement about the formula.
    Broken {
        /// Which solver.
        solver: String,
        /// What happened.
        what: String,
    },
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Resources => f.write_str("the work limit was reached"),
            Reason::Time => f.write_str("the time limit was reached"),
            Reason::Spent => f.write_str("the search would have kept the system waiting"),
            Reason::Divergence => f.write_str("it is undecided whether internal steps go on for ever"),
            Reason::TooLarge => f.write_str("a value is too large to compute with"),
            Reason::Cancelled => f.write_str("it was cancelled"),
            Reason::Undecided(why) => {
                // Solvers like brackets; people do not want to read terms.
                let words = why.strip_prefix('(').and_then(|w| w.strip_suffix(')')).unwrap_or(why).trim();
                match words.is_empty() || words.contains(['(', ')']) {
                    true => f.write_str("the solver cannot decide it"),
                    false => write!(f, "the solver cannot decide it: {words}"),
                }
            }
            Reason::NoSolver => f.write_str(
                "the built-in solver cannot decide it, and there is no other solver: install z3, see `sioco doctor`",
            ),
            Reason::BuiltInAlone => {
                f.write_str("the built-in solver cannot decide it, and no other solver was allowed")
            }
            Reason::Broken { solver, what } => write!(f, "the solver `{solver}` failed: {what}"),
        }
    }
}

/// Limits of one question.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Work, in units of the solver's own: the same limit gives the same answer on every machine.
    pub resources: u64,
    /// Wall time: the last resort.
    pub wall: Duration,
    /// What ends this question together with others: somebody wants that, or waits for all of them.
    pub cancellation: Cancellation,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { resources: 10_000_000, wall: Duration::from_secs(10), cancellation: Cancellation::default() }
    }
}

impl Limits {
    /// Whether somebody wants to give up.
    pub fn cancelled(&self) -> bool {
        self.cancellation.is_cancelled()
    }

    /// The same, which also end when a flag is set, if there is one.
    pub fn until(&self, flag: Option<&Arc<AtomicBool>>) -> Limits {
        let cancellation = match flag {
            Some(flag) => self.cancellation.and(&Cancellation::by(flag.clone())),
            None => self.cancellation.clone(),
        };
        Limits { cancellation, ..self.clone() }
    }

    /// The limits for starting a solver within a time: whoever waits for an answer waits for that as well.
    pub(crate) fn to_start(&self, within: Duration) -> Limits {
        Limits { wall: within, cancellation: self.cancellation.without_pause(), ..self.clone() }
    }

    /// The same for several questions from now on, which have the wall time of one together.
    pub fn shared(&self) -> Limits {
        Limits { cancellation: self.cancellation.sharing(self.wall), ..self.clone() }
    }

    /// Whether the wall time that several questions [share](Limits::shared) is used up.
    pub fn is_used_up(&self) -> bool {
        self.cancellation.is_used_up()
    }

    /// The time for a question that is asked now.
    pub(crate) fn timer(&self) -> Timer {
        self.cancellation.timer(self.wall)
    }

    /// Whether somebody waits, and there is no work left for that.
    pub fn is_spent(&self) -> bool {
        self.cancellation.is_spent()
    }

    /// Whether it is too late for another question.
    pub fn is_late(&self) -> bool {
        self.cancellation.is_out_of_time()
    }
}

/// A solver with a stack of conjuncts.
///
/// Between calls, `terms` may only grow: what was asserted stays valid.
pub trait Solver: Send {
    /// Its name, with its version if known.
    fn name(&self) -> String;

    /// Opens a level; what is asserted from here on is forgotten with it.
    fn push(&mut self);

    /// Closes the last level.
    fn pop(&mut self);

    /// Adds a conjunct: a Bool term over symbols.
    fn assert(&mut self, terms: Terms<'_>, conjunct: TermId);

    /// Whether all conjuncts on the stack can be true together.
    fn check(&mut self, terms: Terms<'_>, limits: &Limits, want_witness: bool) -> Answer;

    /// Like [`check`](Solver::check), but whether it is answered at all must not depend on what was asked before, as
    /// far as the solver can see to that: what is found on several cores must be the same as on one.
    fn check_afresh(&mut self, terms: Terms<'_>, limits: &Limits, want_witness: bool) -> Answer {
        self.check(terms, limits, want_witness)
    }

    /// What its layers did so far, if it has some.
    fn counters(&self) -> Option<crate::chain::ChainCounters> {
        None
    }

    /// The same question, and if they cannot, which of them clash, where the solver can tell. Dearer than
    /// [`check`](Solver::check).
    fn core(&mut self, terms: Terms<'_>, limits: &Limits) -> Answer {
        self.check(terms, limits, false)
    }
}

impl Solver for Box<dyn Solver> {
    fn name(&self) -> String {
        self.as_ref().name()
    }

    fn push(&mut self) {
        self.as_mut().push();
    }

    fn pop(&mut self) {
        self.as_mut().pop();
    }

    fn assert(&mut self, terms: Terms<'_>, conjunct: TermId) {
        self.as_mut().assert(terms, conjunct);
    }

    fn check(&mut self, terms: Terms<'_>, limits: &Limits, want_witness: bool) -> Answer {
        self.as_mut().check(terms, limits, want_witness)
    }

    fn check_afresh(&mut self, terms: Terms<'_>, limits: &Limits, want_witness: bool) -> Answer {
        self.as_mut().check_afresh(terms, limits, want_witness)
    }

    fn counters(&self) -> Option<crate::chain::ChainCounters> {
        self.as_ref().counters()
    }

    fn core(&mut self, terms: Terms<'_>, limits: &Limits) -> Answer {
        self.as_mut().core(terms, limits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_words() {
        for (why, shown) in [
            ("(incomplete quantifiers)", "the solver cannot decide it: incomplete quantifiers"),
            ("(incomplete (theory arithmetic))", "the solver cannot decide it"),
            ("", "the solver cannot decide it"),
            ("it is too deep", "the solver cannot decide it: it is too deep"),
        ] {
            assert_eq!(Reason::Undecided(why.into()).to_string(), shown);
        }
    }
}
