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
        self.state.begun = Some(state.clone());
        self.state.locations.clear();
        self.state.locations.extend_from_slice(state.locations());
        for (i, value) in state.values().iter().enumerate() {
            self.state.grown |= is_large(value);
            self.state.values[i].clone_from(value);
            self.state.terms[i] = None;
        }
    }

    /// Goes back to the initial state of the model, with symbols for what is free there.
    pub fn start(&mut self) {
        while !self.frames.is_empty() {
            self.retreat();
        }
        self.state.begun = None;
        self.state.locations.clear();
        self.state.locations.extend(self.model.processes.values().map(|p| p.initial));
        for (id, v) in self.model.variables.iter() {
            let i = id.index();
            match &v.initial {
                Some(value) => {
                    self.state.values[i].clone_from(value);
                    self.state.terms[i] = None;
                }
                None => {
                    self.state.terms[i] =
                        Some(self.names.of_variable(&mut self.pool, &self.model.sorts, 0, id, v.sort));
                }
            }
        }
    }

    /// The same, where some of what is free has these values.
    pub fn start_with(&mut self, known: &[(VarId, Value)]) {
        self.start();
        for (var, value) in known {
            self.state.grown |= is_large(value);
            self.state.values[var.index()].clone_from(value);
            self.state.terms[var.index()] = None;
        }
    }

    /// The state at the end of the path, if all its values are known.
    pub fn known_state(&self) -> Option<State> {
        let known = self.state.terms.iter().all(Option::is_none);
        known.then(|| State::new(self.state.locations.clone(), self.state.values.clone()))
    }
}
