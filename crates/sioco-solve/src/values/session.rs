//! A conversation with a solver that narrows a path condition down, step by step.

use sioco_model::eval::{Env, eval};
use sioco_model::sort::Sorts;
use sioco_model::term::{Op, TermPool};
use sioco_model::{Id, SymbolId, TermId, Value};

use super::Bounds;
use crate::query::{Answer, Limits, Reason, Symbols, Terms, Witness};

/// Why there are no values.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NoValues {
    /// No values satisfy the conditions.
    Impossible,
    /// It was not found out whether there are any.
    Unknown(Reason),
}

pub(super) struct Session<'a> {
    pub solver: &'a mut dyn Bounds,
    pub pool: &'a mut TermPool,
    pub sorts: &'a Sorts,
    pub symbols: &'a Symbols,
    pub limits: &'a Limits,
    /// Values that satisfy everything so far.
    pub witness: Witness,
    /// Whether some question stayed open: there may be values that were not found.
    pub uncertain: bool,
    levels: usize,
    /// Values of symbols that no condition speaks of, which no answer may change.
    settled: Vec<(SymbolId, Value)>,
}

impl<'a> Session<'a> {
    pub fn start(
        solver: &'a mut dyn Bounds,
        pool: &'a mut TermPool,
        sorts: &'a Sorts,
        symbols: &'a Symbols,
        limits: &'a Limits,
    ) -> Result<Self, NoValues> {
        match solver.check(Terms { pool, sorts, symbols }, limits, true) {
            Answer::Sat(Some(witness)) => Ok(Session {
                solver,
                pool,
                sorts,
                symbols,
                limits,
                witness,
                uncertain: false,
                levels: 0,
                settled: Vec::new(),
            }),
            Answer::Sat(None) => {
                Err(NoValues::Unknown(Reason::Broken { solver: solver.name(), what: "it gave no witness".into() }))
            }
            Answer::Unsat(_) => Err(NoValues::Impossible),
            Answer::Unknown(why) => Err(NoValues::Unknown(why)),
        }
    }

    /// The value of a term for the witness; `None` where it is undefined.
    pub fn value(&self, term: TermId) -> Option<Value> {
        eval(self.pool, self.sorts, term, Env { symbols: &self.witness, ..Env::default() }).ok()
    }

    /// Adds the condition if it is possible; the witness then satisfies it too.
    pub fn narrow(&mut self, condition: TermId) -> bool {
        let holds = self.value(condition) == Some(Value::Bool(true));
        self.solver.push();
        let terms = Terms { pool: self.pool, sorts: self.sorts, symbols: self.symbols };
        self.solver.assert(terms, condition);
        if !holds {
            match self.solver.check(terms, self.limits, true) {
                Answer::Sat(Some(witness)) => {
                    self.witness = witness;
                    for (y, value) in &self.settled {
                        self.witness[y.index()] = value.clone();
                    }
                }
                other => {
                    self.uncertain |= !matches!(other, Answer::Unsat(_));
                    self.solver.pop();
                    return false;
                }
            }
        }
        self.levels += 1;
        true
    }

    /// Gives a symbol that no condition speaks of, now and later, a value of its sort. Before anything is narrowed.
    pub fn settle(&mut self, symbol: SymbolId, value: Value) {
        self.witness[symbol.index()] = value.clone();
        self.settled.push((symbol, value));
    }

    /// The state, to come back to.
    pub fn mark(&self) -> (usize, Witness) {
        (self.levels, self.witness.clone())
    }

    /// Forgets what was narrowed since.
    pub fn back(&mut self, mark: (usize, Witness)) {
        while self.levels > mark.0 {
            self.solver.pop();
            self.levels -= 1;
        }
        self.witness = mark.1;
    }

    /// Closes all levels that were opened; the values.
    pub fn finish(mut self) -> (Witness, bool) {
        while self.levels > 0 {
            self.solver.pop();
            self.levels -= 1;
        }
        (std::mem::take(&mut self.witness), self.uncertain)
    }

    pub fn test(&mut self, op: Op, left: TermId, right: TermId) -> TermId {
        self.pool.app(op, &[left, right], self.sorts.bool)
    }

    /// Adds `term == value` if that is possible.
    pub fn fix(&mut self, term: TermId, value: Value) -> bool {
        let sort = self.pool.sort(term);
        let constant = self.pool.constant(value, sort);
        let condition = self.test(Op::Eq, term, constant);
        self.narrow(condition)
    }

    /// The bounds that the solver knows for a symbol.
    pub fn bounds(&mut self, symbol: Option<SymbolId>) -> (Option<i64>, Option<i64>) {
        symbol.map_or((None, None), |y| self.solver.bounds(y))
    }
}
