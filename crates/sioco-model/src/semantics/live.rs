//! Which variables still matter in a location: the others are projected away when states are compared (T-B4).

use std::hash::{Hash, Hasher};

use rustc_hash::{FxHashMap, FxHashSet, FxHasher};

use super::state::State;
use crate::id::{Id, LocationId, ProcessId, TermId, VarId};
use crate::model::Model;
use crate::term::{Term, TermPool};

/// The live variables of every location.
#[derive(Clone, Debug)]
pub struct Live {
    by_location: Vec<Vec<VarId>>,
    /// Whether every variable matters wherever its process is.
    whole: bool,
}

impl Live {
    /// The least sets such that a variable is live where a switch reads it, be it in the guard, in an argument, in a
    /// new value that may be undefined, or in a new value of a variable that is live in the target.
    pub fn of(model: &Model) -> Live {
        Live::beside(model, &|_| false)
    }

    /// The same where somebody beside the model reads some of the variables, wherever the model is.
    pub fn beside(model: &Model, read: &dyn Fn(VarId) -> bool) -> Live {
        let reads = |t: TermId| variables(&model.terms, t);
        let mut always: Vec<FxHashSet<VarId>> = Vec::new();
        let mut updates: Vec<FxHashMap<VarId, Vec<VarId>>> = Vec::new();
        for s in model.switches.values() {
            let mut read: FxHashSet<VarId> = reads(s.guard).into_iter().collect();
            for p in &s.params {
                read.extend(p.term.map(reads).unwrap_or_default());
            }
            let mut new = FxHashMap::default();
            for (var, term) in &s.update {
                let from = reads(*term);
                if model.terms.is_partial(*term) {
                    read.extend(from.iter().copied());
                }
                new.insert(*var, from);
            }
            always.push(read);
            updates.push(new);
        }
        let mut live: Vec<FxHashSet<VarId>> = vec![FxHashSet::default(); model.locations.len()];
        let mut incoming: Vec<Vec<usize>> = vec![Vec::new(); model.locations.len()];
        for (id, s) in model.switches.iter() {
            incoming[s.target.index()].push(id.index());
        }
        // Each variable once for each location where it is live, and not all of them with every new one.
        let mut open: Vec<(usize, VarId)> = Vec::new();
        let add = |live: &mut Vec<FxHashSet<VarId>>, open: &mut Vec<(usize, VarId)>, at: usize, var: VarId| {
            if live[at].insert(var) {
                open.push((at, var));
            }
        };
        for (id, s) in model.switches.iter() {
            for var in &always[id.index()] {
                add(&mut live, &mut open, s.source.index(), *var);
            }
        }
        let beside: Vec<VarId> = model.variables.iter().map(|(var, _)| var).filter(|var| read(*var)).collect();
        for (location, l) in model.locations.iter().filter(|_| !beside.is_empty()) {
            for var in beside.iter().filter(|var| model.variables[**var].process == l.process) {
                add(&mut live, &mut open, location.index(), *var);
            }
        }
        while let Some((location, var)) = open.pop() {
            for &i in &incoming[location] {
                let source = model.switches.as_slice()[i].source.index();
                match updates[i].get(&var) {
                    Some(from) => from.iter().for_each(|v| add(&mut live, &mut open, source, *v)),
                    None => add(&mut live, &mut open, source, var),
                }
            }
        }
        let sorted = live.into_iter().map(|set| {
            let mut vars: Vec<VarId> = set.into_iter().collect();
            vars.sort_unstable_by_key(|v| v.index());
            vars
        });
        let by_location: Vec<Vec<VarId>> = sorted.collect();
        let mut owned: FxHashMap<ProcessId, usize> = FxHashMap::default();
        for v in model.variables.values() {
            *owned.entry(v.process).or_default() += 1;
        }
        let own = |p: ProcessId| owned.get(&p).copied().unwrap_or(0);
        let whole = model.locations.iter().all(|(id, l)| by_location[id.index()].len() >= own(l.process));
        Live { by_location, whole }
    }

    /// The live variables of a location, in order.
    pub fn at(&self, location: LocationId) -> &[VarId] {
        &self.by_location[location.index()]
    }

    /// Whether a variable matters in a state.
    pub fn matters(&self, state: &State, var: VarId) -> bool {
        self.whole || state.locations().iter().any(|l| self.at(*l).contains(&var))
    }

    /// Whether two states do the same for ever: they differ in nothing that matters.
    pub fn same(&self, one: &State, other: &State) -> bool {
        if self.whole {
            return one == other;
        }
        one.locations() == other.locations()
            && one.locations().iter().flat_map(|l| self.at(*l)).all(|v| one.value(*v) == other.value(*v))
    }

    /// Gives variables that do not matter a value that says so: states that are the [same](Self::same) become equal.
    pub fn project(&self, model: &Model, state: &mut State) {
        if self.whole {
            return;
        }
        for (var, v) in model.variables.iter() {
            if !self.matters(state, var) {
                state.vars[var.index()] = model.sorts.default_value(v.sort);
            }
        }
    }

    /// Equal for states that are the [same](Self::same).
    pub fn hash(&self, state: &State) -> u64 {
        let mut hasher = FxHasher::default();
        if self.whole {
            state.hash(&mut hasher);
        } else {
            state.locations().hash(&mut hasher);
            state.locations().iter().flat_map(|l| self.at(*l)).for_each(|v| state.value(*v).hash(&mut hasher));
        }
        hasher.finish()
    }
}

fn variables(pool: &TermPool, term: TermId) -> Vec<VarId> {
    let mut found = Vec::new();
    pool.visit(term, &mut |_, t| {
        if let Term::Var(v, _) = t {
            found.push(*v);
        }
    });
    found
}
