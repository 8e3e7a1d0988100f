//! Which variables still matter in a location: the others are projected away when states are compared.

use rustc_hash::{FxHashMap, FxHashSet};
use sioco_model::term::{Term, TermPool};
use sioco_model::{Id, LocationId, Model, TermId, VarId};

/// The live variables of every location.
#[derive(Clone, Debug)]
pub struct Live {
    by_location: Vec<Vec<VarId>>,
}

impl Live {
    /// The least sets such that a variable is live where a switch reads it, be it in the guard, in an argument, in a
    /// new value that may be undefined, or in a new value of a variable that is live in the target.
    pub fn of(model: &Model) -> Live {
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
        Live { by_location: sorted.collect() }
    }

    /// The live variables of a location, in order.
    pub fn at(&self, location: LocationId) -> &[VarId] {
        &self.by_location[location.index()]
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
