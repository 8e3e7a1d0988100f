//! A conversation with a solver that narrows a path condition down, step by step.

use sioco_model::eval::{Env, eval};
use sioco_model::number;
use sioco_model::sort::Sorts;
use sioco_model::term::{Op, Term, TermPool};
use sioco_model::{Id, SymbolId, TermId, Value};

use super::Bounds;
use crate::builtin::Extent;
use crate::query::{Answer, Limits, Reason, Symbols, Terms, Witness};
use crate::quick;

/// Why there are no values.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NoValues {
    /// No values satisfy the conditions.
    Impossible,
    /// It was not found out whether there are any.
    Unknown(Reason),
}

pub(super) struct ValueSearch<'a> {
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
    /// Whether there are numbers that do not fit 64 bits: not every solver computes with those, so that values are tried
    /// before it is asked.
    large: bool,
    /// How many questions about such numbers stayed open.
    open: u32,
}

/// At most this many questions about large numbers stay open: the next ones would as well, and each takes its whole
/// time.
const OPEN: u32 = 4;

impl<'a> ValueSearch<'a> {
    pub fn start(
        solver: &'a mut dyn Bounds,
        pool: &'a mut TermPool,
        sorts: &'a Sorts,
        symbols: &'a Symbols,
        limits: &'a Limits,
    ) -> Result<Self, NoValues> {
        match solver.check(Terms { pool, sorts, symbols }, limits, true) {
            Answer::Sat(Some(witness)) => Ok(ValueSearch {
                solver,
                pool,
                sorts,
                symbols,
                limits,
                witness,
                uncertain: false,
                levels: 0,
                settled: Vec::new(),
                large: false,
                open: 0,
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
        let holds = quick::truth(self.pool, self.sorts, condition, &self.witness) == Ok(true);
        self.solver.push();
        let terms = Terms { pool: self.pool, sorts: self.sorts, symbols: self.symbols };
        self.solver.assert(terms, condition);
        if !holds {
            let answer = match self.large && self.open >= OPEN {
                true => Answer::Unknown(Reason::Resources),
                false => self.solver.check(terms, self.limits, true),
            };
            match answer {
                Answer::Sat(Some(witness)) => {
                    self.witness = witness;
                    for (y, value) in &self.settled {
                        self.witness[y.index()] = value.clone();
                    }
                }
                other => {
                    let open = !matches!(other, Answer::Unsat(_));
                    self.uncertain |= open;
                    self.open += u32::from(open && self.large);
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
        let constant = self.pool.constant(value.clone(), sort);
        let condition = self.test(Op::Eq, term, constant);
        self.narrow_to(condition, &[(term, value)])
    }

    /// Adds the condition if it is possible. It holds for these values of terms; where there are large numbers, they are
    /// tried with what the other symbols have, before anybody is asked.
    pub fn narrow_to(&mut self, condition: TermId, values: &[(TermId, Value)]) -> bool {
        self.large = self.large || values.iter().any(|(_, v)| is_large(v));
        if self.large
            && let Some(witness) = self.with(values)
            && self.solver.offer(Terms { pool: self.pool, sorts: self.sorts, symbols: self.symbols }, &witness)
        {
            self.witness = witness;
        }
        self.narrow(condition)
    }

    /// Adds the condition if it is possible; one that says which value a term has is tried with that.
    pub fn narrow_to_border(&mut self, condition: TermId) -> bool {
        let said = match self.pool.get(condition) {
            Term::App(Op::Eq, sides) => {
                let value = |t: TermId| self.pool.as_const(t).cloned();
                let (left, right) = (sides[0], sides[1]);
                value(right).map(|v| (left, v)).or_else(|| value(left).map(|v| (right, v)))
            }
            _ => None,
        };
        self.narrow_to(condition, said.as_slice())
    }

    /// The witness, with other values of these terms; nothing if they cannot have them.
    fn with(&self, values: &[(TermId, Value)]) -> Option<Witness> {
        let mut witness = self.witness.clone();
        for (term, value) in values {
            self.put(&mut witness, *term, value.clone())?;
        }
        Some(witness)
    }

    /// Gives a symbol, or a part of what it stands for, a value.
    fn put(&self, witness: &mut Witness, term: TermId, value: Value) -> Option<()> {
        let now = |witness: &Witness, t: TermId| {
            eval(self.pool, self.sorts, t, Env { symbols: witness, ..Env::default() }).ok()
        };
        match self.pool.get(term) {
            Term::Symbol(y, _) => {
                let fits = self.sorts.contains(self.symbols[*y].sort, &value);
                fits.then(|| witness[y.index()] = value)
            }
            Term::App(Op::Field(c, i), args) => {
                let Value::Data(data) = now(witness, args[0])? else { return None };
                let mut fields = data.fields.to_vec();
                *fields.get_mut(*i as usize).filter(|_| data.constructor == *c)? = value;
                self.put(witness, args[0], Value::data(*c, fields))
            }
            Term::App(Op::Index, args) => {
                let (Value::Seq(items), Value::Int(at)) = (now(witness, args[0])?, now(witness, args[1])?) else {
                    return None;
                };
                let mut items = items.to_vec();
                *items.get_mut(usize::try_from(at).ok()?)? = value;
                self.put(witness, args[0], Value::seq(items))
            }
            _ => None,
        }
    }

    /// The bounds that the solver knows for a symbol that is a real.
    pub fn extent(&mut self, symbol: Option<SymbolId>) -> Option<Extent> {
        let terms = Terms { pool: self.pool, sorts: self.sorts, symbols: self.symbols };
        symbol.and_then(|y| self.solver.extent(terms, y))
    }

    /// The bounds that the solver knows for a symbol.
    pub fn bounds(&mut self, symbol: Option<SymbolId>) -> (Option<i64>, Option<i64>) {
        symbol.map_or((None, None), |y| self.solver.bounds(y))
    }
}

/// Whether a number in a value does not fit 64 bits.
fn is_large(value: &Value) -> bool {
    match value {
        Value::BigInt(_) => true,
        Value::Real(_) => number::bits(value) > 63,
        Value::Data(data) => data.fields.iter().any(is_large),
        Value::Seq(items) => items.iter().any(is_large),
        _ => false,
    }
}
