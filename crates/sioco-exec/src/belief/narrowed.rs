//! Inputs that only some of the hypotheses specify (T-B6).
//!
//! Such an input is a step of the specification, since one of the hypotheses takes it. The others explain nothing that
//! follows. Whoever reads about a failure after it has to know that.

use rustc_hash::FxHashSet;
use sioco_model::VarId;
use sioco_model::model::Label;
use sioco_model::semantics::sides::Seen;
use sioco_model::semantics::state::State;

use super::{Group, Mind};
use crate::event::GateValue;
use crate::explanation::Narrowed;

/// Only up to this many hypotheses are compared to tell what was learnt; of more, only the number is told. Comparing
/// them must not slow down a run.
const COMPARED: usize = 1_000;
/// At most this many values or locations are named: what a line of the explanation has room for.
const NAMED: usize = 3;
/// At most this many variables are named, for the same reason.
const VARIABLES: usize = 2;

impl Mind<'_> {
    /// What an input ended, where some hypotheses took it and others did not; `ended` has an answer for each of them.
    pub(super) fn narrowed(
        &self,
        groups: &[Group],
        ended: &[bool],
        seen: &Seen,
        input: &GateValue,
    ) -> Option<Narrowed> {
        let all = groups.iter().flat_map(|g| &g.hypotheses).zip(ended);
        let (mut kept, mut left): (Vec<&State>, Vec<&State>) = (Vec::new(), Vec::new());
        // Where states stand for others, variables that do not matter tell nothing.
        let blurred = groups.iter().flat_map(|g| &g.hypotheses).any(|h| h.blurred);
        for (h, ended) in all {
            match (h.state(), ended) {
                (Some(state), true) if !self.may_move_on(state) => left.push(state),
                // It may have moved on meanwhile, to where another hypothesis is.
                (Some(_), true) => {}
                (Some(state), false) => kept.push(state),
                // Nobody knows what is the same of one that is not known.
                (None, _) => return None,
            }
        }
        if kept.is_empty() || left.is_empty() {
            return None;
        }
        let only = match kept.len() + left.len() <= COMPARED {
            true => self.condition(&kept, &left, seen, blurred),
            false => None,
        };
        Some(Narrowed { input: input.clone(), only, kept: kept.len(), ended: left.len() })
    }

    /// Whether a state may be left by an internal step.
    fn may_move_on(&self, state: &State) -> bool {
        let outgoing = state.locations().iter().flat_map(|l| &self.model.locations[*l].outgoing);
        outgoing.into_iter().any(|s| matches!(self.model.switches[*s].label, Label::Internal | Label::Send(_)))
    }

    /// What some states have and others have not, in words: values of a variable, or else locations.
    fn condition(&self, kept: &[&State], left: &[&State], seen: &Seen, blurred: bool) -> Option<String> {
        let model = self.model;
        let free: Vec<VarId> = model.free_variables().collect();
        let bound = model.variables.iter().map(|(id, _)| id).filter(|id| !free.contains(id));
        for vars in [free.clone(), bound.collect()] {
            let tells = |v: &VarId| {
                let mut states = kept.iter().chain(left);
                !blurred || self.live.as_ref().is_some_and(|(_, live)| states.all(|s| live.matters(s, *v)))
            };
            let vars = vars.into_iter().filter(|v| !model.variables[*v].hidden && tells(v));
            let of = |var: VarId| apart(kept, left, &|state| self.show_variable(state, var, seen));
            let found: Vec<String> = vars.filter_map(of).take(VARIABLES).collect();
            if !found.is_empty() {
                return Some(format!("where {}", found.join(" and ")));
            }
        }
        let names = |state: &State| {
            let names: Vec<String> = state.locations().iter().map(|l| model.location_name(*l)).collect();
            format!("`{}`", names.join(", "))
        };
        apart(kept, left, &names).map(|names| format!("in {names}"))
    }

    /// The value of a variable in words, or what it stands for.
    pub(super) fn show_variable(&self, state: &State, var: VarId, seen: &Seen) -> String {
        let (model, value) = (self.model, state.value(var));
        match self.sides.iter().find(|s| s.var == var) {
            Some(sides) => sides.show(model, value, seen),
            None => format!("{} = {}", model.variable_name(var), model.sorts.show(model.variables[var].sort, value)),
        }
    }
}

/// What the first states have in common, if none of the others has any of it.
fn apart(kept: &[&State], left: &[&State], show: &dyn Fn(&State) -> String) -> Option<String> {
    let mut words: Vec<String> = Vec::new();
    for state in kept {
        let word = show(state);
        if !words.contains(&word) {
            words.push(word);
        }
        if words.len() > NAMED {
            return None;
        }
    }
    let others: FxHashSet<String> = left.iter().map(|state| show(state)).collect();
    words.iter().all(|word| !others.contains(word)).then(|| words.join(" or "))
}
