//! Whether a condition follows from others.

use sioco_model::TermId;
use sioco_model::sort::Sorts;
use sioco_model::term::TermPool;

use super::not_true;
use crate::query::{Answer, Limits, Reason, Solver, Symbols, Terms, Witness};

/// Whether a condition follows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Entailment {
    /// It is defined and true wherever the conjuncts are.
    Yes,
    /// It is not: for these values the conjuncts are true, and it is false or undefined.
    No(Witness),
    /// It was not found out.
    Unknown(Reason),
}

/// Whether the conjuncts on the solver's stack imply that `conclusion`, a Bool term over symbols, is defined and true.
/// The stack is afterwards what it was.
pub fn entails(
    solver: &mut dyn Solver,
    pool: &mut TermPool,
    sorts: &Sorts,
    symbols: &Symbols,
    conclusion: TermId,
    limits: &Limits,
) -> Entailment {
    let negation = not_true(pool, sorts, conclusion);
    let terms = Terms { pool, sorts, symbols };
    solver.push();
    solver.assert(terms, negation);
    let answer = solver.check(terms, limits, true);
    solver.pop();
    match answer {
        Answer::Unsat(_) => Entailment::Yes,
        Answer::Sat(Some(witness)) => Entailment::No(witness),
        Answer::Sat(None) => Entailment::Unknown(Reason::Broken {
            solver: solver.name(),
            what: "it was asked for a witness and gave none".into(),
        }),
        Answer::Unknown(why) => Entailment::Unknown(why),
    }
}
