//! Paths for people: names of symbols, conditions without helper symbols, values for everything.

use rustc_hash::FxHashMap;
use sioco_model::eval::{Env, eval};
use sioco_model::model::Label;
use sioco_model::print;
use sioco_model::simplify;
use sioco_model::term::{Op, Term, TermPool};
use sioco_model::{Id, SymbolId, TermId, Value, VarId};

use sioco_solve::values::{Choice, NoValues, Request, choose, choose_in_turn};
use sioco_solve::{Reason, Witness};

use crate::path::{Path, PathCondition};
use crate::prepare::Origin;
use crate::step::Step;
use crate::symbols::Meaning;

/// Definitions are written out in conditions that stay smaller than this, in terms: a few lines.
const WRITTEN_OUT: usize = 60;

/// A path with values: it can be replayed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Solved {
    /// The values of the variables that are free at the start.
    pub start: Vec<(VarId, Value)>,
    /// The steps, each with the values of its parameters.
    pub steps: Vec<(Step, Vec<Value>)>,
    /// Parameters whose values have no end on the side asked for, or do not reach it, by step (from 0) and position;
    /// theirs is the value nearest to zero, one next to the end, or some.
    pub unbounded: Vec<(usize, usize)>,
    /// The same for variables that are free at the start.
    pub unbounded_start: Vec<VarId>,
    /// Whether a question was left open, so that there may be better values.
    pub uncertain: bool,
}

impl Path<'_> {
    /// The name of a symbol of this path: the parameter and its step, `p#3`, or the variable and the step that gave it
    /// its value, `x#0` at the start. A parameter that has the name of a variable has that of its gate in front.
    pub fn symbol_name(&self, symbol: SymbolId) -> String {
        let model = self.model();
        let depth = match self.names.meaning(symbol) {
            Meaning::Variable { depth, var } => return format!("{}#{depth}", model.variable_name(var)),
            Meaning::Param { depth, .. } => depth as usize,
            Meaning::Opaque(_) => return self.symbols()[symbol].name.clone(),
        };
        let is_it = |t: &TermId| matches!(self.pool().get(*t), Term::Symbol(y, _) if *y == symbol);
        let found = depth.checked_sub(1).and_then(|i| {
            let step = self.step(i)?;
            let k = self.free(i).iter().position(is_it)?;
            Some(format!("{}#{depth}", self.free_name(step, k)))
        });
        found.unwrap_or_else(|| self.symbols()[symbol].name.clone())
    }

    /// The name of the k-th free parameter of a step.
    fn free_name(&self, step: Step, k: usize) -> String {
        let model = self.model();
        let Some(switch) = step.switches().next() else { return format!("p{k}") };
        let s = &model.switches[switch];
        let free: Vec<usize> = (0..s.params.len()).filter(|i| s.params[*i].term.is_none()).collect();
        let Some(&i) = free.get(k) else { return format!("p{k}") };
        let (of, declared) = match s.label {
            Label::Gate(g) => (&model.gates[g].name, model.gates[g].params.get(i)),
            Label::Send(c) | Label::Receive(c) => (&model.channels[c].name, model.channels[c].params.get(i)),
            Label::Internal => (&s.name, None),
        };
        let name = match (&s.params[i].name, declared) {
            (own, _) if own != "_" => own.clone(),
            (_, Some(declared)) => declared.name.clone(),
            _ => format!("p{k}"),
        };
        let taken = model.variables.values().any(|v| v.name == name);
        if taken { format!("{of}.{name}") } else { name }
    }

    /// A term over symbols in the syntax of the language.
    pub fn show(&self, term: TermId) -> String {
        print::term_in(self.model(), self.pool(), None, &|y| self.symbol_name(y), term)
    }

    /// The definitions of helper symbols on this path, each written out.
    pub(crate) fn definitions(&mut self) -> FxHashMap<SymbolId, TermId> {
        let mut known: FxHashMap<SymbolId, TermId> = FxHashMap::default();
        for c in self.conditions().to_vec() {
            if let (Origin::Definition(_), Term::App(Op::Eq, args)) = (c.origin, self.pool.get(c.term)) {
                let args = args.clone();
                if let Term::Symbol(y, _) = self.pool.get(args[0]) {
                    let y = *y;
                    let value = self.put_in(args[1], &known);
                    if self.pool.size_up_to(value, WRITTEN_OUT) <= WRITTEN_OUT {
                        known.insert(y, value);
                    }
                }
            }
        }
        known
    }

    pub(crate) fn put_in(&mut self, term: TermId, known: &FxHashMap<SymbolId, TermId>) -> TermId {
        let mut leaf = |_: &mut TermPool, leaf: &Term| match leaf {
            Term::Symbol(y, _) => known.get(y).copied(),
            _ => None,
        };
        simplify::substitute(&mut self.pool, &self.model.sorts, term, &mut FxHashMap::default(), &mut leaf)
    }

    /// A term over the symbols of this path, with helper symbols replaced by what they stand for, unless that would become
    /// very large.
    pub fn written(&mut self, term: TermId) -> TermId {
        let known = self.definitions();
        self.put_in(term, &known)
    }

    /// The path condition over parameters and free initial values alone: helper symbols are replaced by what they
    /// stand for, unless that would become very large.
    pub fn written_out(&mut self) -> Vec<PathCondition> {
        let known = self.definitions();
        let mut found = Vec::new();
        for c in self.conditions().to_vec() {
            if let (Origin::Definition(_), Term::App(Op::Eq, args)) = (c.origin, self.pool.get(c.term))
                && matches!(self.pool.get(args[0]), Term::Symbol(y, _) if known.contains_key(y))
            {
                continue;
            }
            let term = self.put_in(c.term, &known);
            found.push(PathCondition { term, ..c });
        }
        found
    }

    /// The values of the variables, helper symbols replaced like in [`written_out`](Self::written_out).
    pub fn state(&mut self) -> Vec<(VarId, TermId)> {
        let known = self.definitions();
        let model = self.model();
        let vars: Vec<VarId> = model.variables.ids().filter(|v| !model.variables[*v].hidden).collect();
        vars.into_iter()
            .map(|v| {
                let term = self.term(v);
                (v, self.put_in(term, &known))
            })
            .collect()
    }

    /// The arguments of a recorded step, helper symbols replaced.
    pub fn shown_args(&mut self, step: usize) -> Vec<TermId> {
        let known = self.definitions();
        let args = self.args(step).to_vec();
        args.into_iter().map(|t| self.put_in(t, &known)).collect()
    }

    /// Values for the whole path, chosen parameter by parameter in the order of the path. The path must be recorded.
    pub fn solve_with(&mut self, choice: Choice) -> Result<Solved, NoValues> {
        self.witness_with(choice).map(|(solved, _)| solved)
    }

    /// The least and the greatest value that a symbol has on this path, if both are there and known.
    pub fn ends(&mut self, symbol: SymbolId) -> Option<(Value, Value)> {
        if self.unproved().is_some() {
            return None;
        }
        self.sync();
        let (limits, sorts) = (self.solvers.limits.clone(), &self.model.sorts);
        let mut end = |choice: Choice| {
            let request = Request { symbols: &[symbol], choice, used: &[], guard: None, limits: &limits };
            let chosen = choose(&mut *self.solvers.main, &mut self.pool, sorts, &self.names.symbols, request).ok()?;
            let known = !chosen.uncertain && !chosen.unbounded.contains(&symbol);
            chosen.values.into_iter().next().filter(|_| known)
        };
        Some((end(Choice::Min)?, end(Choice::Max)?))
    }

    /// The same; where borders are chosen, another one for each turn.
    pub fn solve_in_turn(&mut self, choice: Choice, turn: u64) -> Result<Solved, NoValues> {
        self.witness_in_turn(choice, turn).map(|(solved, _)| solved)
    }

    /// The same, with the values of all symbols.
    pub fn witness_with(&mut self, choice: Choice) -> Result<(Solved, Witness), NoValues> {
        self.witness_in_turn(choice, 0)
    }

    fn witness_in_turn(&mut self, choice: Choice, turn: u64) -> Result<(Solved, Witness), NoValues> {
        if let Some(reason) = self.unproved_by_values() {
            return Err(NoValues::Unknown(reason));
        }
        self.sync();
        let wanted = self.open_symbols();
        let limits = self.solvers.limits.clone();
        let sorts = &self.model.sorts;
        // The borders of the last steps are tried first: what leads there was only the way.
        let borders: Vec<TermId> = match choice {
            Choice::Boundary => self.written_out().iter().rev().map(|c| c.term).collect(),
            _ => Vec::new(),
        };
        // Ranges have borders where no guard has any.
        let guard = (choice == Choice::Boundary).then(|| self.pool.and(sorts, &borders));
        let request = Request { symbols: &wanted, choice, used: &[], guard, limits: &limits };
        let chosen =
            choose_in_turn(&mut *self.solvers.main, &mut self.pool, sorts, &self.names.symbols, request, turn)?;
        let env = Env { symbols: &chosen.witness, ..Env::default() };
        let model = self.model();
        let start = model.free_variables().filter_map(|v| {
            let symbol = self.names.known_variable(0, v)?;
            Some((v, chosen.witness[symbol.index()].clone()))
        });
        let start = start.collect();
        let open = |v: &VarId| self.names.known_variable(0, *v).is_some_and(|y| chosen.unbounded.contains(&y));
        let unbounded_start = model.free_variables().filter(open).collect();
        let mut steps = Vec::new();
        let mut unbounded = Vec::new();
        for (i, step) in self.steps().enumerate() {
            let values: Result<Vec<Value>, _> = self.args(i).iter().map(|t| eval(&self.pool, sorts, *t, env)).collect();
            // Arguments are defined: that is among the conditions.
            let Ok(values) = values else { return Err(NoValues::Impossible) };
            for (k, t) in self.args(i).iter().enumerate() {
                if matches!(self.pool.get(*t), Term::Symbol(y, _) if chosen.unbounded.contains(y)) {
                    unbounded.push((i, k));
                }
            }
            steps.push((step, values));
        }
        let solved = Solved { start, steps, unbounded, unbounded_start, uncertain: chosen.uncertain };
        // Other values may go round for ever where these do not.
        if self.unproved().is_some() && !self.diverges_with(&solved) {
            return Err(NoValues::Unknown(Reason::Divergence));
        }
        Ok((solved, chosen.witness))
    }
}
