//! States (T-L1; S0 definition 5): a location per process and a value per variable.

use crate::id::{Id, LocationId, ProcessId, VarId};
use crate::model::Model;
use crate::value::Value;

/// A state of a model.
#[derive(PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct State {
    pub(super) locations: Box<[LocationId]>,
    pub(super) vars: Box<[Value]>,
}

impl Clone for State {
    fn clone(&self) -> Self {
        State { locations: self.locations.clone(), vars: self.vars.clone() }
    }

    /// Without allocation: states of one model have one size.
    fn clone_from(&mut self, source: &Self) {
        self.locations.clone_from(&source.locations);
        self.vars.clone_from(&source.vars);
    }
}

impl State {
    /// A state from its parts: one location per process, one value per variable.
    pub fn new(locations: Vec<LocationId>, vars: Vec<Value>) -> State {
        State { locations: locations.into(), vars: vars.into() }
    }

    /// Where a process is.
    pub fn location(&self, process: ProcessId) -> LocationId {
        self.locations[process.index()]
    }

    /// Where all processes are.
    pub fn locations(&self) -> &[LocationId] {
        &self.locations
    }

    /// The value of a variable.
    pub fn value(&self, var: VarId) -> &Value {
        &self.vars[var.index()]
    }

    /// The same state with another value of a variable.
    pub fn with(&self, var: VarId, value: Value) -> State {
        let mut state = self.clone();
        state.vars[var.index()] = value;
        state
    }

    /// The values of all variables.
    pub fn values(&self) -> &[Value] {
        &self.vars
    }

    /// How much room it takes: about how many words.
    pub fn weight(&self) -> usize {
        self.vars.iter().fold(self.locations.len(), |sum, v| sum.saturating_add(v.weight()))
    }

    /// The state in words: `l1, x = 6`; hidden variables are left out.
    pub fn show(&self, model: &Model) -> String {
        self.show_with(model, &|_, _| None)
    }

    /// The same, with other words for some of the variables.
    pub fn show_with(&self, model: &Model, words: &dyn Fn(VarId, &Value) -> Option<String>) -> String {
        let mut parts: Vec<String> = self.locations.iter().map(|l| model.location_name(*l)).collect();
        for (id, v) in model.variables.iter().filter(|(_, v)| !v.hidden) {
            let value = self.value(id);
            let plain = || format!("{} = {}", model.variable_name(id), model.sorts.show(v.sort, value));
            parts.push(words(id, value).unwrap_or_else(plain));
        }
        parts.join(", ")
    }
}
