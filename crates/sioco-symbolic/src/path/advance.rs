//! Taking a step on a path, and taking it back.

use std::sync::Arc;

use sioco_model::eval::{Env, EvalError};
use sioco_model::semantics::program::Context;
use sioco_model::term::{Op, Term};
use sioco_model::{Id, TermId, Value, VarId};
use sioco_solve::{Reason, Terms};

use super::{Frame, NAMED_FROM, Path, PathCondition};
use crate::divergence::Rounds;
use crate::opaque::is_large;
use crate::prepare::{Origin, Prepared};
use crate::step::Step;

impl Path<'_> {
    /// Tells the solver about the conditions of the path. Every level is checked on the way, so that what the solver
    /// has found out depends on the path alone and not on where it was before.
    pub(crate) fn sync(&mut self) {
        let same = self.solvers.synced.iter().zip(&self.frames).take_while(|(s, f)| **s == f.serial).count();
        for _ in same..self.solvers.synced.len() {
            self.solvers.main.pop();
        }
        self.solvers.synced.truncate(same);
        let terms = Terms { pool: &self.pool, sorts: &self.model.sorts, symbols: &self.names.symbols };
        for i in same..self.frames.len() {
            let to = self.frames.get(i + 1).map_or(self.conditions.len(), |f| f.conditions);
            let from = self.frames[i].conditions;
            self.solvers.main.push();
            for c in &self.conditions[from..to] {
                self.solvers.main.assert(terms, c.term);
            }
            if to > from {
                // With a witness, which is often still right for the steps that leave this state.
                self.solvers.main.check(terms, &self.solvers.limits, true);
                self.counters.asked += 1;
            }
            self.solvers.synced.push(self.frames[i].serial);
        }
    }

    /// Adds a condition to the last step, or for good to the initial state.
    pub(crate) fn add_condition(&mut self, condition: PathCondition) {
        self.conditions.push(condition);
        match self.frames.last_mut() {
            // To the solver it is another step.
            Some(frame) => {
                self.serial += 1;
                frame.serial = self.serial;
            }
            None => {
                self.sync();
                let terms = Terms { pool: &self.pool, sorts: &self.model.sorts, symbols: &self.names.symbols };
                self.solvers.main.assert(terms, condition.term);
            }
        }
    }

    /// Where the conditions of the last step begin, and why values for it prove nothing.
    pub(crate) fn last_step(&self) -> (usize, Option<Reason>) {
        self.frames.last().map_or((0, None), |f| (f.conditions, f.unproved.clone()))
    }

    /// From the last step on, values for the path prove nothing.
    pub(crate) fn leave_unproved(&mut self, reason: Reason) {
        if let Some(frame) = self.frames.last_mut() {
            frame.unproved.get_or_insert(reason);
        }
    }

    /// Takes a step that leaves the locations of this state and is possible, or perhaps possible.
    pub fn advance(&mut self, step: Step) {
        self.advance_as(step, None);
        if step != Step::Divergence || self.frames.last().is_none_or(|f| f.unproved != Some(Reason::Divergence)) {
            return;
        }
        self.divergence.in_rounds = true;
        let rounds = self.proved_rounds();
        self.divergence.in_rounds = false;
        if let Rounds::If(term) = rounds {
            self.add_condition(PathCondition { term, origin: Origin::Rounds, step: self.frames.len() });
        }
        if let (Rounds::All | Rounds::If(_), Some(frame)) = (rounds, self.frames.last_mut()) {
            frame.unproved = None;
        }
    }

    /// The same; with arguments if they are given.
    pub(crate) fn advance_as(&mut self, step: Step, given: Option<&[TermId]>) {
        self.serial += 1;
        let mut frame = Frame {
            step,
            serial: self.serial,
            undo: self.state.undo.len(),
            locations: self.state.moved.len(),
            conditions: self.conditions.len(),
            free: None,
            args: None,
            unproved: None,
        };
        let depth = self.frames.len() + 1;
        if step.is_silence() {
            return self.advance_silently(frame);
        }
        let prepared = self.lend(step);
        let symbols = match given {
            _ if prepared.free.is_empty() => None,
            None => Some(self.symbols_of(depth as u32, prepared.signature)),
            Some(args) => Some(self.free_of(&prepared, args)),
        };
        let mut open: Vec<(TermId, Origin)> = Vec::new();
        for condition in &prepared.conditions {
            // What has no symbols is true, since the step is possible.
            let known =
                condition.program.is_some() && condition.reads.iter().all(|v| self.state.terms[v.index()].is_none());
            let settled = known && (!condition.quantified || self.is_true(condition));
            if !settled || !self.shortcuts.evaluation {
                let term = self.instance(condition.term, &condition.reads);
                open.push((term, condition.origin));
            }
        }
        let (kept, plain) = match given {
            None => self.determined(symbols, &prepared, &open),
            Some(args) => {
                open.extend(self.agreement(step, &prepared, args));
                (symbols, false)
            }
        };
        let free: &[TermId] = kept.as_deref().unwrap_or_default();
        for (term, origin) in open {
            let term = self.with_symbols(term, free, depth as u32, prepared.signature, plain);
            if self.is_opaque(&[term]) {
                frame.unproved = Some(Reason::TooLarge);
            } else if !self.shortcuts.evaluation || self.pool.as_const(term) != Some(&Value::Bool(true)) {
                self.conditions.push(PathCondition { term, origin, step: depth });
            }
        }
        if self.recording {
            let args = prepared.args.iter().map(|t| {
                let (reads, _) = crate::prepare::leaves(&self.pool, *t);
                let term = self.instance(*t, &reads);
                self.with_symbols(term, free, depth as u32, prepared.signature, plain)
            });
            frame.args = Some(args.collect());
        }
        self.update(&prepared, free, depth, plain, &mut frame);
        frame.free = kept;
        self.frames.push(frame);
        self.give_back(step, prepared);
    }

    /// Takes a step of silence.
    fn advance_silently(&mut self, mut frame: Frame) {
        let (step, depth) = (frame.step, self.frames.len() + 1);
        // Nobody has found out whether internal steps go on for ever, unless all values are known,
        // or few are possible.
        let known = step == Step::Delta || self.state.terms.iter().all(Option::is_none);
        let rounds = if known || self.divergence.in_rounds { None } else { self.rounds_by_values() };
        let mut unproved = (!known && rounds.is_none()).then_some(Reason::Divergence);
        if let Some(rounds) = rounds.filter(|r| !r.all) {
            let term = self.one_of_rows(&rounds.vars, &rounds.diverging);
            self.conditions.push(PathCondition { term, origin: Origin::Rounds, step: depth });
        }
        self.silence(step == Step::Delta, &mut |path, condition| {
            if path.shortcuts.evaluation && path.is_true(condition) {
                return Some(());
            }
            let term = path.instance(condition.term, &condition.reads);
            if path.is_opaque(&[term]) {
                unproved = Some(Reason::TooLarge);
            } else if path.pool.as_const(term) != Some(&Value::Bool(true)) {
                path.conditions.push(PathCondition { term, origin: condition.origin, step: depth });
            }
            Some(())
        });
        frame.unproved = unproved;
        self.frames.push(frame);
    }

    /// Gives variables their new values, and processes their new locations.
    fn update(&mut self, prepared: &Prepared, free: &[TermId], depth: usize, plain: bool, frame: &mut Frame) {
        let mut pending = std::mem::take(&mut self.state.pending);
        for a in &prepared.assignments {
            let value = self.assigned(a, free, depth as u32, prepared.signature, plain);
            pending.push((a.var, value));
        }
        for (var, value) in pending.drain(..) {
            let i = var.index();
            let (value, term) = match value {
                Ok(value) => {
                    self.state.grown |= is_large(&value);
                    (value, None)
                }
                Err(term) => {
                    let term = self.named(term, var, depth);
                    if self.is_opaque(&[term]) {
                        // The interpreter will not take this step.
                        frame.unproved = Some(Reason::TooLarge);
                    }
                    (Value::Bool(false), Some(term))
                }
            };
            let old = std::mem::replace(&mut self.state.values[i], value);
            self.state.undo.push((var, old, self.state.terms[i]));
            self.state.terms[i] = term;
        }
        self.state.pending = pending;
        for (process, target) in &prepared.moves {
            let place = &mut self.state.locations[process.index()];
            self.state.moved.push((*process, *place));
            *place = *target;
        }
    }

    /// The values of the free parameters: constants where a condition says so, otherwise their symbols.
    pub(super) fn determined(
        &mut self,
        symbols: Option<Arc<[TermId]>>,
        prepared: &Prepared,
        open: &[(TermId, Origin)],
    ) -> (Option<Arc<[TermId]>>, bool) {
        let Some(symbols) = symbols else { return (None, true) };
        if !self.shortcuts.evaluation {
            return (Some(symbols), true);
        }
        let mut found: Vec<(usize, TermId)> = Vec::new();
        for (term, _) in open {
            let Term::App(Op::Eq, args) = self.pool.get(*term) else { continue };
            for (a, b) in [(args[0], args[1]), (args[1], args[0])] {
                if let (Term::Param(k, _), Some(value)) = (self.pool.get(a), self.pool.as_const(b)) {
                    let k = *k as usize;
                    if self.model.sorts.contains(prepared.free[k].sort, value) && !found.iter().any(|f| f.0 == k) {
                        found.push((k, b));
                    }
                }
            }
        }
        if found.is_empty() {
            return (Some(symbols), true);
        }
        let mut free = symbols.to_vec();
        for (k, value) in found {
            free[k] = value;
        }
        (Some(free.into()), false)
    }

    pub(super) fn assigned(
        &mut self,
        a: &crate::prepare::Assignment,
        free: &[TermId],
        depth: u32,
        signature: u32,
        plain: bool,
    ) -> Result<Value, TermId> {
        if let Some(k) = a.copies {
            let term = free[k as usize];
            return self.pool.as_const(term).cloned().ok_or(term);
        }
        if a.reads.iter().all(|v| self.state.terms[v.index()].is_none())
            && let Some(program) = &a.program
        {
            let context = Context { terms: &self.pool, sorts: &self.model.sorts };
            let env = Env { vars: &self.state.values, ..Env::default() };
            match program.run(&mut self.memory, context, env) {
                Ok(value) => return Ok(value),
                Err(EvalError::TooLarge) => self.state.grown = true,
                Err(_) => {}
            }
        }
        let term = self.instance(a.term, &a.reads);
        let term = self.with_symbols(term, free, depth, signature, plain);
        self.pool.as_const(term).cloned().ok_or(term)
    }

    /// The term itself if it is small, otherwise a symbol for it. What may be undefined always gets a symbol: the
    /// condition that defines it says that it is not.
    pub(super) fn named(&mut self, term: TermId, var: VarId, depth: usize) -> TermId {
        if self.is_opaque(&[term]) {
            return self.opaque(term);
        }
        if self.pool.size_up_to(term, NAMED_FROM) <= NAMED_FROM && !self.pool.is_partial(term) {
            return term;
        }
        let sort = self.model.variables[var].sort;
        let symbol = self.names.of_variable(&mut self.pool, &self.model.sorts, depth as u32, var, sort);
        let same = self.pool.eq(&self.model.sorts, symbol, term);
        self.conditions.push(PathCondition { term: same, origin: Origin::Definition(var), step: depth });
        symbol
    }

    /// Takes the last step back; nothing if there is none.
    pub fn retreat(&mut self) {
        let Some(frame) = self.frames.pop() else { return };
        for (var, value, term) in self.state.undo.drain(frame.undo..).rev() {
            self.state.values[var.index()] = value;
            self.state.terms[var.index()] = term;
        }
        for (process, location) in self.state.moved.drain(frame.locations..).rev() {
            self.state.locations[process.index()] = location;
        }
        self.conditions.truncate(frame.conditions);
    }
}
