//! Whether a step is possible after a path: what is plain to see first, then the solver.

use sioco_model::eval::{Env, EvalError};
use sioco_model::semantics::program::Context;
use sioco_model::{Id, TermId, Value, VarId};
use sioco_solve::{Reason, Terms};

use super::{Path, Possible, possible};
use crate::prepare::{Condition, Origin};
use crate::step::Step;

impl Path<'_> {
    /// Whether a step that leaves the locations of this state is possible: whether the path condition and the
    /// conditions of the step can be true together (S0 definition 12). A path that ends in an impossible state has no
    /// meaning.
    pub fn probe(&mut self, step: Step) -> Possible {
        let mut open: Vec<TermId> = Vec::new();
        let mut alone = true;
        let signature = match step {
            Step::Divergence => return self.probe_divergence(),
            Step::Delta => match self.silence(true, &mut |path, condition| path.look(condition, &mut open, &mut alone))
            {
                Some(()) => 0,
                None => return Possible::No,
            },
            step => {
                let prepared = self.lend(step);
                let mut conditions = prepared.conditions.iter();
                let possible = !prepared.impossible
                    && conditions.all(|condition| self.look(condition, &mut open, &mut alone).is_some());
                let signature = prepared.signature;
                self.give_back(step, prepared);
                if !possible {
                    return Possible::No;
                }
                signature
            }
        };
        if open.is_empty() {
            self.counters.evaluated += 1;
            return Possible::Yes;
        }
        if self.is_opaque(&open) {
            return Possible::Unknown(Reason::TooLarge);
        }
        if alone && self.shortcuts.independence {
            return self.ask_alone(signature, open);
        }
        self.ask_on_path(signature, &open)
    }

    /// Looks at one condition of a step: `None` if it is false, otherwise what is left of it goes to `open`, with
    /// parameters as such.
    pub(crate) fn look(&mut self, condition: &Condition, open: &mut Vec<TermId>, alone: &mut bool) -> Option<()> {
        let known = condition.reads.iter().all(|v| self.state.terms[v.index()].is_none());
        if self.shortcuts.evaluation
            && known
            && let Some(program) = &condition.program
        {
            let context = Context { terms: &self.pool, sorts: &self.model.sorts };
            let env = Env { vars: &self.state.values, ..Env::default() };
            match program.run_bool(&mut self.memory, context, env) {
                Ok(true) => return Some(()),
                Err(EvalError::NeedsSolver(_)) => {}
                Err(EvalError::TooLarge) => self.state.grown = true,
                Ok(false) | Err(_) => {
                    self.counters.refuted += 1;
                    return None;
                }
            }
        }
        let term = self.instance(condition.term, &condition.reads);
        match self.pool.as_const(term) {
            Some(Value::Bool(true)) if self.shortcuts.evaluation => Some(()),
            Some(_) if self.shortcuts.evaluation => {
                self.counters.refuted += 1;
                None
            }
            _ => {
                *alone &= known;
                open.push(term);
                Some(())
            }
        }
    }

    /// Whether evaluation alone says that a condition is true: a quantifier may take a solver even where all variables
    /// have values.
    pub(crate) fn is_true(&mut self, condition: &Condition) -> bool {
        let known = condition.reads.iter().all(|v| self.state.terms[v.index()].is_none());
        let Some(program) = condition.program.as_ref().filter(|_| known) else { return false };
        let context = Context { terms: &self.pool, sorts: &self.model.sorts };
        let env = Env { vars: &self.state.values, ..Env::default() };
        program.run_bool(&mut self.memory, context, env) == Ok(true)
    }

    /// The conditions that nothing can happen by itself: no output, and, if wanted, no internal step (T-X8).
    pub(crate) fn silence(
        &mut self,
        internal: bool,
        each: &mut dyn FnMut(&mut Self, &Condition) -> Option<()>,
    ) -> Option<()> {
        let mut steps = Vec::new();
        self.outgoing(&mut steps);
        for step in steps {
            if step.is_own(self.model) && (internal || step.is_observable(self.model)) {
                let prepared = self.prepared(step);
                if !prepared.impossible {
                    each(self, &prepared.silent)?;
                }
            }
        }
        Some(())
    }

    /// The conditions of a step: where each comes from, what it says, and which variables it reads.
    pub(crate) fn step_conditions(&mut self, step: Step) -> Vec<(Origin, TermId, Box<[VarId]>)> {
        let of = |c: &Condition| (c.origin, c.term, c.reads.clone());
        if !step.is_silence() {
            return self.prepared(step).conditions.iter().map(of).collect();
        }
        let mut found = Vec::new();
        self.silence(step == Step::Delta, &mut |_, condition| {
            found.push(of(condition));
            Some(())
        });
        found
    }

    /// A condition that shares no symbols with the path.
    pub(super) fn ask_alone(&mut self, signature: u32, open: Vec<TermId>) -> Possible {
        let key = (signature, open.into_boxed_slice());
        if let Some(answer) = self.solvers.alone.get(&key) {
            self.counters.remembered += 1;
            return answer.clone();
        }
        let symbols = self.symbols_of(0, signature);
        self.solvers.side.push();
        for &term in &key.1 {
            let condition = self.with_symbols(term, &symbols, 0, signature, true);
            let terms = Terms { pool: &self.pool, sorts: &self.model.sorts, symbols: &self.names.symbols };
            self.solvers.side.assert(terms, condition);
        }
        let terms = Terms { pool: &self.pool, sorts: &self.model.sorts, symbols: &self.names.symbols };
        let answer = possible(self.solvers.side.check_afresh(terms, &self.solvers.limits, false));
        self.solvers.side.pop();
        self.counters.asked += 1;
        // What was cancelled may be asked again.
        if !matches!(answer, Possible::Unknown(Reason::Cancelled | Reason::Time | Reason::Spent)) {
            self.solvers.alone.insert(key, answer.clone());
        }
        answer
    }

    pub(crate) fn ask_on_path(&mut self, signature: u32, open: &[TermId]) -> Possible {
        let depth = self.frames.len() as u32 + 1;
        let symbols = self.symbols_of(depth, signature);
        let conditions: Vec<TermId> =
            open.iter().map(|t| self.with_symbols(*t, &symbols, depth, signature, true)).collect();
        self.sync();
        let terms = Terms { pool: &self.pool, sorts: &self.model.sorts, symbols: &self.names.symbols };
        self.solvers.main.push();
        for c in conditions {
            self.solvers.main.assert(terms, c);
        }
        let answer = possible(self.solvers.main.check_afresh(terms, &self.solvers.limits, false));
        self.solvers.main.pop();
        self.counters.asked += 1;
        answer
    }
}
