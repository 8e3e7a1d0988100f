//! Steps whose arguments are known already: another model has taken the same input, or has given the output that is
//! expected (S2 definition 17: two models get the same inputs).

use std::sync::Arc;

use rustc_hash::FxHashSet;
use sioco_model::term::{Op, Term};
use sioco_model::{SymbolId, TermId, Value};
use sioco_solve::{Reason, Terms, logic};

use super::{Path, PathCondition, Possible, possible};
use crate::prepare::{Origin, Prepared, conjuncts, has_quantifiers};
use crate::step::Step;
use crate::symbols::Meaning;

/// An elimination of quantifiers may make a condition grow to at most this many terms: with more, every later question
/// is slower than with the quantifier.
const ELIMINATION: usize = 300;

impl Path<'_> {
    /// The values of the free parameters of a step with these arguments.
    pub(super) fn free_of(&self, prepared: &Prepared, args: &[TermId]) -> Arc<[TermId]> {
        prepared.free.iter().map(|f| args[f.param]).collect()
    }

    /// The conditions that the step computes these arguments, up to the tolerance.
    pub(super) fn agreement(&mut self, step: Step, prepared: &Prepared, args: &[TermId]) -> Vec<(TermId, Origin)> {
        let Step::Switch(switch) = step else { return Vec::new() };
        let free = self.free_of(prepared, args);
        let mut found = Vec::new();
        for (i, p) in self.model.switches[switch].params.iter().enumerate() {
            if p.term.is_none() {
                continue;
            }
            let (reads, _) = crate::prepare::leaves(&self.pool, prepared.args[i]);
            let own = self.instance(prepared.args[i], &reads);
            let own = self.with_symbols(own, &free, 0, prepared.signature, false);
            let same = match &p.tolerance {
                Some(tolerance) => {
                    let tolerance = self.pool.constant(Value::real(tolerance.clone()), self.model.sorts.real);
                    self.near(own, args[i], Some(tolerance))
                }
                None => self.same(own, args[i]),
            };
            found.push((same, Origin::Agreement(switch, switch)));
        }
        found
    }

    /// The condition that two terms have the same value.
    pub fn same(&mut self, a: TermId, b: TermId) -> TermId {
        let is_same = a == b && !self.pool.is_partial(a);
        // Two names for one value: that it is defined is among the conditions.
        if is_same || (self.is_name(a) || self.is_name(b)) && self.written(a) == self.written(b) {
            return self.pool.bool(&self.model.sorts, true);
        }
        if let (Some(x), Some(y)) = (self.pool.as_const(a), self.pool.as_const(b)) {
            let equal = x == y;
            return self.pool.bool(&self.model.sorts, equal);
        }
        self.pool.eq(&self.model.sorts, a, b)
    }

    /// Whether a term is a name for the value of a variable.
    fn is_name(&self, term: TermId) -> bool {
        match self.pool.get(term) {
            Term::Symbol(y, _) => matches!(self.names.meaning(*y), Meaning::Variable { depth, .. } if depth > 0),
            _ => false,
        }
    }

    /// What must hold for a step to be taken with these arguments; with `checks`, also that what it computes is defined.
    fn given(&mut self, step: Step, args: &[TermId], checks: bool) -> Vec<TermId> {
        let prepared = self.prepared(step);
        if prepared.impossible {
            return vec![self.pool.bool(&self.model.sorts, false)];
        }
        let free = self.free_of(&prepared, args);
        let mut found = Vec::new();
        for c in prepared.conditions.iter().filter(|c| checks || !matches!(c.origin, Origin::Defined(..))) {
            let term = self.instance(c.term, &c.reads);
            found.push(self.with_symbols(term, &free, 0, prepared.signature, false));
        }
        found.extend(self.agreement(step, &prepared, args).into_iter().map(|(term, _)| term));
        let is_true = |t: &TermId| self.pool.as_const(*t) == Some(&Value::Bool(true));
        found.retain(|t| !is_true(t));
        found
    }

    /// Whether a switch at a gate that leaves the locations of this state is possible with these arguments.
    pub fn probe_given(&mut self, step: Step, args: &[TermId]) -> Possible {
        let open = self.given(step, args, true);
        if open.iter().any(|t| self.pool.as_const(*t).is_some()) {
            return Possible::No;
        }
        if open.is_empty() {
            return Possible::Yes;
        }
        if self.is_opaque(&open) {
            return Possible::Unknown(Reason::TooLarge);
        }
        self.sync();
        let terms = Terms { pool: &self.pool, sorts: &self.model.sorts, symbols: &self.names.symbols };
        self.solvers.main.push();
        for c in open {
            self.solvers.main.assert(terms, c);
        }
        let answer = possible(self.solvers.main.check_afresh(terms, &self.solvers.limits, false));
        self.solvers.main.pop();
        self.counters.asked += 1;
        answer
    }

    /// Takes a switch at a gate with these arguments; it must be possible, or perhaps possible.
    pub fn advance_given(&mut self, step: Step, args: &[TermId]) {
        self.advance_as(step, Some(args));
    }

    /// The condition that a step is not enabled with these arguments.
    pub fn not_given(&mut self, step: Step, args: &[TermId]) -> TermId {
        let parts = self.given(step, args, false);
        let sorts = &self.model.sorts;
        let all = self.pool.and(sorts, &parts);
        logic::not_true(&mut self.pool, sorts, all)
    }

    /// The condition that a step cannot be taken with these arguments: it is not enabled, or what it computes is undefined.
    pub fn not_taken(&mut self, step: Step, args: &[TermId]) -> TermId {
        let parts = self.given(step, args, true);
        let sorts = &self.model.sorts;
        let all = self.pool.and(sorts, &parts);
        logic::not_true(&mut self.pool, sorts, all)
    }

    /// The condition that a step is enabled here and cannot be taken, since what it computes is undefined: an error of the
    /// model. Nothing if it computes nothing of that kind, or if that depends on values that the step itself chooses.
    pub fn breaks(&mut self, step: Step) -> Option<TermId> {
        let prepared = self.prepared(step);
        let computes = prepared.conditions.iter().any(|c| matches!(c.origin, Origin::Defined(..)));
        if prepared.impossible || !computes || !prepared.free.is_empty() {
            return None;
        }
        let (mut enabled, mut all) = (Vec::new(), Vec::new());
        for c in prepared.conditions.iter() {
            let term = self.instance(c.term, &c.reads);
            all.push(term);
            if !matches!(c.origin, Origin::Defined(..)) {
                enabled.push(logic::total(&mut self.pool, &self.model.sorts, term));
            }
        }
        let sorts = &self.model.sorts;
        let all = self.pool.and(sorts, &all);
        enabled.push(logic::not_true(&mut self.pool, sorts, all));
        Some(self.pool.and(sorts, &enabled))
    }

    /// The condition that a step is not enabled here, whatever its parameters are.
    pub fn silent(&mut self, step: Step) -> TermId {
        let prepared = self.prepared(step);
        if prepared.impossible {
            return self.pool.bool(&self.model.sorts, true);
        }
        self.instance(prepared.silent.term, &prepared.silent.reads)
    }

    /// The symbols that the conditions and the arguments of the path have so far.
    pub fn known_symbols(&mut self) -> FxHashSet<SymbolId> {
        let mut terms: Vec<TermId> = self.conditions.iter().map(|c| c.term).collect();
        terms.extend(
            self.frames.iter().flat_map(|f| f.args.iter().flatten().chain(f.free.iter().flat_map(|f| f.iter()))),
        );
        terms.extend(self.state.terms.iter().flatten());
        let lists: Vec<Arc<[SymbolId]>> = terms.into_iter().map(|t| self.symbols_in(t)).collect();
        lists.iter().flat_map(|l| l.iter().copied()).collect()
    }

    /// What the steps after some ask of symbols that were there before: that there are values of the others with which all
    /// their conditions hold.
    pub fn since(&mut self, steps: usize, known: &FxHashSet<SymbolId>) -> TermId {
        let own: Vec<TermId> = self.written_out().iter().filter(|c| c.step > steps).map(|c| c.term).collect();
        self.exist(&own, known)
    }

    /// What all conditions of the path ask of some symbols: that there are values of the others with which they hold.
    /// Nothing if that takes quantifiers.
    pub fn asked_of_symbols(&mut self, known: &FxHashSet<SymbolId>) -> Option<Vec<TermId>> {
        let all: Vec<TermId> = self.written_out().iter().map(|c| c.term).collect();
        let asked = self.exist(&all, known);
        (!has_quantifiers(&self.pool, asked)).then(|| {
            let mut parts = conjuncts(&self.pool, asked);
            parts.retain(|t| self.pool.as_const(*t) != Some(&Value::Bool(true)));
            parts
        })
    }

    /// That there are values of all symbols but some with which conditions hold.
    pub(crate) fn exist(&mut self, own: &[TermId], known: &FxHashSet<SymbolId>) -> TermId {
        let sorts = &self.model.sorts;
        let mut new: Vec<SymbolId> = Vec::new();
        for t in own {
            new.extend(self.symbols_in(*t).iter().filter(|y| !known.contains(*y)));
        }
        new.sort_unstable();
        new.dedup();
        let parts: Vec<TermId> = own.iter().map(|t| logic::total(&mut self.pool, sorts, *t)).collect();
        let body = self.pool.and(sorts, &parts);
        if new.is_empty() {
            return body;
        }
        let binders: Vec<_> = new.iter().map(|y| self.pool.binders.push(self.names.symbols[*y].sort)).collect();
        let bound: Vec<TermId> = binders.iter().map(|b| self.pool.bound(sorts, *b)).collect();
        let body = self.pool.replace(body, &mut |_, leaf| match leaf {
            Term::Symbol(y, _) => new.iter().position(|n| n == y).map(|i| bound[i]),
            _ => None,
        });
        let op = Op::Exists { first: binders[0], count: binders.len() as u32 };
        let exists = self.pool.app(op, &[body], sorts.bool);
        logic::eliminate(&mut self.pool, sorts, exists, ELIMINATION)
    }

    /// Adds a condition to the last step, as [`assume`](Self::assume) does, without asking whether the path is still
    /// possible: somebody has asked before.
    pub fn suppose(&mut self, term: TermId) {
        if self.pool.as_const(term) == Some(&Value::Bool(true)) {
            return;
        }
        if self.is_opaque(&[term]) {
            self.leave_unproved(Reason::TooLarge);
            return;
        }
        let term = self.build(|pool, sorts| logic::total(pool, sorts, term));
        self.add_condition(PathCondition { term, origin: Origin::Wanted, step: self.len() });
    }
}
