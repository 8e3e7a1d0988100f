//! Where a run may begin (T-M11): which values free variables have.

use sioco_model::semantics::sides::Sides;
use sioco_model::semantics::state::State;
use sioco_model::{LocationId, Value, VarId};

use super::{Mind, Place};
use crate::open::Trail;
use crate::suite::Suite;

/// Up to how many initial states each is a hypothesis of its own.
const START: u64 = 64;

impl Mind<'_> {
    /// Where a run may begin. What is left open for one variable is not known of the whole state.
    pub(super) fn initial_places(&mut self, suite: &Suite) -> Vec<Place> {
        let model = self.model;
        let locations: Vec<LocationId> = model.processes.values().map(|p| p.initial).collect();
        let mut choices: Vec<Vec<(VarId, Value)>> = vec![Vec::new()];
        let mut open = false;
        self.sides.clear();
        for var in model.free_variables() {
            let Some(values) = self.initial_values(suite, &locations, var, START / choices.len() as u64) else {
                open = true;
                continue;
            };
            let with = |c: &Vec<(VarId, Value)>| {
                let one = |v: &Value| [&c[..], &[(var, v.clone())]].concat();
                values.iter().map(one).collect::<Vec<_>>()
            };
            choices = choices.iter().flat_map(with).collect();
        }
        let place = |known: Vec<(VarId, Value)>| match open {
            true => Place::Open(Trail::initial(known)),
            false => Place::Known(self.interpreter.initial(&mut |var| {
                let value = known.iter().find(|(v, _)| *v == var).map(|(_, value)| value.clone());
                value.expect("a value for every free variable")
            })),
        };
        choices.into_iter().map(place).collect()
    }

    /// The values of a free variable: all of them if they are few, any one where nothing reads it, and otherwise one on
    /// each side of what it is compared with. Nothing if there are more than so many.
    fn initial_values(&mut self, suite: &Suite, at: &[LocationId], var: VarId, most: u64) -> Option<Vec<Value>> {
        let model = self.model;
        let (sorts, sort) = (&model.sorts, model.variables[var].sort);
        if let Some(count) = sorts.cardinality(sort).filter(|n| *n <= most) {
            return Some((0..count).filter_map(|i| sorts.nth_value(sort, i)).collect());
        }
        if suite.reads(var) {
            return None;
        }
        if !self.tracker().is_live(at, var) {
            return Some(vec![sorts.default_value(sort)]);
        }
        let sides = Sides::of(model, var, most)?;
        let values = sides.values.clone();
        self.sides.push(sides);
        Some(values)
    }

    /// A known state in words. A value that stands for others is shown as what it stands for.
    pub fn show(&self, state: &State) -> String {
        state.show_with(self.model, &|var, value| {
            let sides = self.sides.iter().find(|s| s.var == var)?;
            Some(sides.show(self.model, value))
        })
    }
}
