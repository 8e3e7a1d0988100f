//! Paths that start where a run is: everything observed so far has become values (S0 line 8: the path condition with the
//! values put in).

use sioco_model::semantics::state::State;
use sioco_model::{Id, Value, VarId};

use super::Path;
use crate::opaque::is_large;

impl Path<'_> {
    /// Goes to the path without steps from a state whose values are all known. What was assumed of the initial state
    /// before stays, so nothing must have been.
    pub fn start_at(&mut self, state: &State) {
        while !self.frames.is_empty() {
            self.retreat();
        }
        self.begun = Some(state.clone());
        self.locations.clear();
        self.locations.extend_from_slice(state.locations());
        for (i, value) in state.values().iter().enumerate() {
            self.grown |= is_large(value);
            self.values[i].clone_from(value);
            self.terms[i] = None;
        }
    }

    /// Goes back to the initial state of the model, with symbols for what is free there.
    pub fn start(&mut self) {
        while !self.frames.is_empty() {
            self.retreat();
        }
        self.begun = None;
        self.locations.clear();
        self.locations.extend(self.model.processes.values().map(|p| p.initial));
        for (id, v) in self.model.variables.iter() {
            let i = id.index();
            match &v.initial {
                Some(value) => {
                    self.values[i].clone_from(value);
                    self.terms[i] = None;
                }
                None => {
                    self.terms[i] = Some(self.names.of_variable(&mut self.pool, &self.model.sorts, 0, id, v.sort));
                }
            }
        }
    }

    /// The same, where some of what is free has these values.
    pub fn start_with(&mut self, known: &[(VarId, Value)]) {
        self.start();
        for (var, value) in known {
            self.grown |= is_large(value);
            self.values[var.index()].clone_from(value);
            self.terms[var.index()] = None;
        }
    }

    /// The state at the end of the path, if all its values are known.
    pub fn known_state(&self) -> Option<State> {
        let known = self.terms.iter().all(Option::is_none);
        known.then(|| State::new(self.locations.clone(), self.values.clone()))
    }
}
