//! More conditions on a path than the model has: what a test purpose asks for (S0 definition 16 takes the path condition
//! as it is; data goals and written purposes add to it).

use rustc_hash::FxHashMap;
use sioco_model::simplify;
use sioco_model::sort::Sorts;
use sioco_model::term::{Op, Term, TermPool};
use sioco_model::{SymbolId, TermId, Value, VarId};
use sioco_solve::{Reason, Terms, logic};

use crate::analysis::question::FIRST;
use crate::path::{Path, PathCondition, Possible};
use crate::prepare::{Origin, leaves};
use crate::reach::Clash;
use crate::step::Step;

/// The condition that a term has a value. Constructors and sequences are taken apart, so that what is left is about
/// numbers and the like, which every solver understands.
pub fn has_value(pool: &mut TermPool, sorts: &Sorts, term: TermId, value: &Value) -> TermId {
    let parts = match (pool.get(term), value) {
        (Term::App(Op::Construct(c), args), Value::Data(d)) if d.fields.len() == args.len() => {
            if *c != d.constructor {
                return pool.constant(Value::Bool(false), sorts.bool);
            }
            Some(args.iter().copied().zip(d.fields.iter()).collect::<Vec<_>>())
        }
        (Term::App(Op::Construct(c), _), Value::Enum(e)) if c != e => {
            return pool.constant(Value::Bool(false), sorts.bool);
        }
        (Term::App(Op::Construct(_), args), Value::Data(_)) if !args.is_empty() => {
            return pool.constant(Value::Bool(false), sorts.bool);
        }
        (Term::App(Op::SeqLit, args), Value::Seq(items)) => {
            if args.len() != items.len() {
                return pool.constant(Value::Bool(false), sorts.bool);
            }
            Some(args.iter().copied().zip(items.iter()).collect())
        }
        _ => None,
    };
    match parts {
        Some(parts) => {
            let all: Vec<TermId> = parts.into_iter().map(|(t, v)| has_value(pool, sorts, t, v)).collect();
            pool.and(sorts, &all)
        }
        None => {
            if let Some(known) = pool.as_const(term) {
                let same = known == value;
                return pool.constant(Value::Bool(same), sorts.bool);
            }
            let value = pool.constant(value.clone(), pool.sort(term));
            pool.eq(sorts, term, value)
        }
    }
}

impl Path<'_> {
    /// The condition that terms have values, all of them.
    pub fn have_values(&mut self, terms: &[TermId], values: &[Value]) -> TermId {
        self.build(|pool, sorts| {
            let all: Vec<TermId> = terms.iter().zip(values).map(|(t, v)| has_value(pool, sorts, *t, v)).collect();
            pool.and(sorts, &all)
        })
    }

    /// That variables which are free at the start have these values there.
    pub fn starts_with(&mut self, start: &[(VarId, Value)]) -> TermId {
        let known = |(v, value): &(VarId, Value)| Some((*v, self.names.known_variable(0, *v)?, value.clone()));
        let known: Vec<(VarId, SymbolId, Value)> = start.iter().filter_map(known).collect();
        let model = self.model;
        self.build(|pool, sorts| {
            let is = |(v, symbol, value): &(VarId, SymbolId, Value)| {
                let term = pool.symbol(*symbol, model.variables[*v].sort);
                has_value(pool, sorts, term, value)
            };
            let all: Vec<TermId> = known.iter().map(is).collect();
            pool.and(sorts, &all)
        })
    }

    /// Whether somebody has given up on the questions of this path.
    pub fn is_cancelled(&self) -> bool {
        self.solvers.limits.cancelled()
    }

    /// Makes a term for this path, out of terms of the model and others of this path.
    pub fn build<T>(&mut self, make: impl FnOnce(&mut TermPool, &Sorts) -> T) -> T {
        make(&mut self.pool, &self.model.sorts)
    }

    /// A term with the values that the variables have now; parameters stay.
    pub fn with_values(&mut self, term: TermId) -> TermId {
        let (reads, _) = leaves(&self.pool, term);
        self.instance(term, &reads)
    }

    /// A term with parameters replaced; those without a replacement stay.
    pub fn with_params(&mut self, term: TermId, of: &dyn Fn(u32) -> Option<TermId>) -> TermId {
        let mut leaf = |_: &mut TermPool, leaf: &Term| match leaf {
            Term::Param(k, _) => of(*k),
            _ => None,
        };
        simplify::substitute(&mut self.pool, &self.model.sorts, term, &mut FxHashMap::default(), &mut leaf)
    }

    /// Whether a condition over symbols may be true at the end of the path.
    pub fn may_hold(&mut self, term: TermId) -> Possible {
        match self.pool.as_const(term) {
            Some(Value::Bool(true)) => Possible::Yes,
            Some(_) => Possible::No,
            None => {
                let term = self.build(|pool, sorts| logic::total(pool, sorts, term));
                if self.is_opaque(&[term]) {
                    return Possible::Unknown(Reason::TooLarge);
                }
                self.sync();
                let terms = Terms { pool: &self.pool, sorts: &self.model.sorts, symbols: &self.names.symbols };
                self.solvers.main.push();
                self.solvers.main.assert(terms, term);
                let answer = crate::path::possible(self.solvers.main.check_afresh(terms, &self.solvers.limits, false));
                self.solvers.main.pop();
                answer
            }
        }
    }

    /// Whether a step is never taken with a condition on the variables before it and on its arguments, whatever the state
    /// is. Not for silence.
    pub fn never_with(&mut self, step: Step, condition: TermId) -> bool {
        let terms = self.step_terms(step, FIRST);
        let wanted = self.with_params(condition, &|k| terms.args.get(k as usize).copied());
        let wanted = self.build(|pool, sorts| logic::total(pool, sorts, wanted));
        let mut all = terms.all();
        all.push(wanted);
        terms.impossible || self.contradict(&all)
    }

    /// The conditions of the path that cannot be true together, as few as can be found; for a path on which something was
    /// [assumed](Self::assume) that is impossible.
    pub fn contradiction(&mut self) -> Vec<Clash> {
        self.smallest()
    }

    /// Adds a condition over symbols to the last step, or to the initial state, and says whether the path is still
    /// possible. Taking the step back takes it back; a condition on the initial state stays for good.
    pub fn assume(&mut self, term: TermId) -> Possible {
        match self.pool.as_const(term) {
            Some(Value::Bool(true)) => return Possible::Yes,
            Some(_) => {
                self.add_condition(PathCondition { term, origin: Origin::Wanted, step: self.len() });
                return Possible::No;
            }
            None => {}
        }
        let open = if leaves(&self.pool, term).1 {
            // A plan from a file may name values that the path does not have.
            Some(Reason::Undecided("a condition is about values that are not there".into()))
        } else {
            self.is_opaque(&[term]).then_some(Reason::TooLarge)
        };
        if let Some(reason) = open {
            self.leave_unproved(reason.clone());
            return Possible::Unknown(reason);
        }
        // A term that may be undefined is asked for only where it is defined.
        let term = self.build(|pool, sorts| logic::total(pool, sorts, term));
        self.add_condition(PathCondition { term, origin: Origin::Wanted, step: self.len() });
        self.sync();
        let terms = Terms { pool: &self.pool, sorts: &self.model.sorts, symbols: &self.names.symbols };
        crate::path::possible(self.solvers.main.check_afresh(terms, &self.solvers.limits, false))
    }
}
