//! The possible values of variables at the end of a path, listed one by one if they are few. Then a question about all
//! of them becomes one question about each.

use sioco_model::model::Label;
use sioco_model::semantics::interpreter::{Interpreter, Quiescence};
use sioco_model::semantics::state::State;
use sioco_model::{Id, SymbolId, TermId, Value, VarId};
use sioco_solve::Terms;

use crate::assume::has_value;
use crate::path::Path;
use crate::symbols::symbols_of;
use sioco_model::semantics::live::Live;

/// At most this many combinations of values are told one by one: a byte, or a few small choices. With more, the terms
/// are kept, and the solver is asked.
pub(crate) const MOST: usize = 256;

/// Combinations are told with at most this many conditions,
const CONDITIONS: usize = 200;
/// and with at most this many evaluations of these. Beyond, values are kept as terms, which is slower but loses
/// nothing.
const WORK: u64 = 10_000;

/// What is known of rounds of internal steps that begin at the end of a path.
pub(crate) struct Rounds {
    /// The variables that these have to do with: those that something reads from here on, and those that internal steps
    /// assign.
    pub vars: Vec<VarId>,
    /// Their values for which there is a round, without outputs.
    pub diverging: Vec<Vec<Value>>,
    /// Whether that is so for all values.
    pub all: bool,
}

impl Path<'_> {
    /// The values of variables, given as terms or known, that conditions leave; in order, each combination once.
    pub(crate) fn rows(&mut self, vars: &[Result<Value, TermId>], conditions: &[TermId]) -> Option<Vec<Vec<Value>>> {
        let of: Vec<TermId> = vars.iter().filter_map(|v| v.as_ref().err().copied()).collect();
        let terms = Terms { pool: &self.pool, sorts: &self.model.sorts, symbols: &self.names.symbols };
        let found =
            self.concrete.few.valuations(terms, conditions, &of, MOST, self.solvers.limits.resources.min(WORK))?;
        let row = |open: &Vec<Value>| {
            let mut open = open.iter();
            let value = |v: &Result<Value, TermId>| match v {
                Ok(value) => value.clone(),
                Err(_) => open.next().expect("a value for every open variable").clone(),
            };
            vars.iter().map(value).collect()
        };
        Some(found.iter().map(row).collect())
    }

    /// The values that variables can have together at the end of the path.
    pub(crate) fn possible_values(&mut self, vars: &[VarId]) -> Option<Vec<Vec<Value>>> {
        let mut given = Vec::with_capacity(vars.len());
        let mut symbols: Vec<SymbolId> = Vec::new();
        for var in vars {
            given.push(match self.value(*var) {
                Some(value) => Ok(value.clone()),
                None => {
                    let term = self.term(*var);
                    symbols_of(&self.pool, term, &mut symbols);
                    Err(term)
                }
            });
        }
        let conditions = self.relevant(&symbols, CONDITIONS)?;
        self.rows(&given, &conditions)
    }

    /// Where internal steps go on for ever, if few values are possible.
    pub(crate) fn rounds_by_values(&mut self) -> Option<Rounds> {
        let model = self.model;
        let vars = self.round_variables();
        let rows = self.possible_values(&vars)?;
        let locations = self.locations().to_vec();
        let live = self.concrete.live.get_or_insert_with(|| Live::of(model));
        let some_dead =
            self.divergence.merging && !vars.iter().all(|v| locations.iter().any(|l| live.at(*l).contains(v)));
        // What has nothing to do with it has some value.
        let mut values: Vec<Value> = Vec::with_capacity(model.variables.len());
        for (var, v) in model.variables.iter() {
            values.push(self.value(var).cloned().unwrap_or_else(|| model.sorts.default_value(v.sort)));
        }
        let interpreter = self.concrete.interpreter.get_or_insert_with(|| Box::new(Interpreter::new(model)));
        let mut rounds = Rounds { vars, diverging: Vec::new(), all: true };
        for row in rows {
            rounds.vars.iter().zip(&row).for_each(|(var, value)| values[var.index()] = value.clone());
            match interpreter.quiescence(&State::new(locations.clone(), values.clone())) {
                Ok(Quiescence::Diverging) => {
                    rounds.diverging.push(row);
                    continue;
                }
                // Values that nobody can try one by one may have nothing to do with it.
                Ok(Quiescence::Unknown { .. }) => return None,
                // Values that nothing reads any more stand for all others: with one of these it may come back.
                Ok(Quiescence::Active(switch)) if some_dead && model.direction(switch).is_none() => return None,
                // An undefined guard is a model error, and no silence.
                Ok(Quiescence::Quiescent | Quiescence::Active(_)) | Err(_) => {}
            }
            rounds.all = false;
        }
        Some(rounds)
    }

    /// The variables that decide whether internal steps lead back to the same state.
    fn round_variables(&mut self) -> Vec<VarId> {
        let model = self.model;
        let live = self.concrete.live.get_or_insert_with(|| Live::of(model));
        let mut vars: Vec<VarId> = self.state.locations.iter().flat_map(|l| live.at(*l)).copied().collect();
        for s in model.switches.values().filter(|s| !matches!(s.label, Label::Gate(_))) {
            vars.extend(s.update.iter().map(|(var, _)| *var));
        }
        vars.sort_unstable_by_key(|v| v.index());
        vars.dedup();
        vars
    }

    /// The condition that variables have the values of one of these rows.
    pub(crate) fn one_of_rows(&mut self, vars: &[VarId], rows: &[Vec<Value>]) -> TermId {
        let mut open: Vec<(usize, TermId)> = Vec::new();
        for (i, var) in vars.iter().enumerate() {
            if self.value(*var).is_none() {
                open.push((i, self.term(*var)));
            }
        }
        self.build(|pool, sorts| {
            let mut cases = Vec::with_capacity(rows.len());
            for row in rows {
                let same: Vec<TermId> = open.iter().map(|(i, t)| has_value(pool, sorts, *t, &row[*i])).collect();
                cases.push(pool.and(sorts, &same));
            }
            pool.or(sorts, &cases)
        })
    }
}
