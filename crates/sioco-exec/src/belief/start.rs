//! Where a run may begin (T-M11): which values free variables have.

use sioco_model::number::BigInt;
use sioco_model::semantics::sides::{Seen, Sides};
use sioco_model::semantics::state::State;
use sioco_model::{LocationId, Value, VarId};

use super::{Belief, Hypothesis, HypothesisState, Mind};
use crate::event::GateValue;
use crate::suite::Suite;
use crate::symbolic_hypothesis::Trail;

/// Up to this many initial states each is a hypothesis of its own: a byte and a flag. A step of a known state takes
/// about a microsecond, a question about states that are not known hundreds. Measured on a model that lets one guess a
/// number of 401 values, 1,000 steps: 0.02 s with this limit, 0.07 s with half of it, where the number is a condition.
/// With 801 values the same holds for twice the limit.
const INITIAL_STATES: u64 = 512;

impl Mind<'_> {
    /// Where a run may begin. What is left open for one variable is not known of the whole state.
    pub(super) fn initial_places(&mut self, suite: &Suite) -> Vec<HypothesisState> {
        self.sides.clear();
        let (mut choices, mut open) = self.initial_choices(suite, true);
        if open && self.sides.iter().any(|s| s.follows) {
            // In a state that is not known, nothing can be told apart later.
            self.sides.clear();
            (choices, open) = self.initial_choices(suite, false);
        }
        let place = |known: Vec<(VarId, Value)>| match open {
            true => HypothesisState::Open(Trail::initial(known)),
            false => HypothesisState::Known(self.interpreter.initial(&mut |var| {
                let value = known.iter().find(|(v, _)| *v == var).map(|(_, value)| value.clone());
                value.expect("a value for every free variable")
            })),
        };
        choices.into_iter().map(place).collect()
    }

    /// The values that free variables may have together, and whether some are left open. With `following`, values may
    /// stand for others only until something is sent or seen.
    fn initial_choices(&mut self, suite: &Suite, following: bool) -> (Vec<Vec<(VarId, Value)>>, bool) {
        let model = self.model;
        let locations: Vec<LocationId> = model.processes.values().map(|p| p.initial).collect();
        let mut choices: Vec<Vec<(VarId, Value)>> = vec![Vec::new()];
        let mut open = false;
        for var in model.free_variables() {
            let most = INITIAL_STATES / choices.len() as u64;
            let Some(values) = self.initial_values(suite, &locations, var, most, following) else {
                open = true;
                continue;
            };
            let with = |c: &Vec<(VarId, Value)>| {
                let one = |v: &Value| [&c[..], &[(var, v.clone())]].concat();
                values.iter().map(one).collect::<Vec<_>>()
            };
            choices = choices.iter().flat_map(with).collect();
        }
        (choices, open)
    }

    /// The values of a free variable: all of them if they are few, any one where nothing reads it, and otherwise one on
    /// each side of what it is compared with. Nothing if there are more than so many.
    fn initial_values(
        &mut self,
        suite: &Suite,
        at: &[LocationId],
        var: VarId,
        most: u64,
        following: bool,
    ) -> Option<Vec<Value>> {
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
        let sides = Sides::of(model, var, most).filter(|s| following || !s.follows)?;
        let values = sides.values.clone();
        self.sides.push(sides);
        Some(values)
    }

    /// A known state in words. A value that stands for others is shown as what it stands for. Variables that do not
    /// matter have no value.
    pub fn show(&self, state: &State, seen: &Seen, matters: &dyn Fn(VarId) -> bool) -> String {
        state.show_with(self.model, &|var, _| match matters(var) {
            true => Some(self.show_variable(state, var, seen)),
            false => Some(format!("{} no longer matters", self.model.variable_name(var))),
        })
    }

    /// What the value of a variable stands for; nothing if it stands for itself alone.
    pub fn extent(&self, state: &State, var: VarId, seen: &Seen) -> Option<Option<(BigInt, BigInt)>> {
        self.sides.iter().find(|s| s.var == var)?.extent(state.value(var), seen)
    }

    /// Something is sent or seen: what its values lie between is told apart from now on (T-B4).
    pub fn tell_apart(&self, belief: &mut Belief, event: &GateValue) {
        if !self.sides.iter().any(|s| s.follows) {
            return;
        }
        for new in event.args.iter().filter(|v| matches!(v, Value::Int(_) | Value::BigInt(_) | Value::Str(_))) {
            for sides in self.sides.iter().filter(|s| s.follows) {
                for group in &mut belief.groups {
                    // States that are not known stand for themselves alone, so that others are left out.
                    belief.cut |= group.hypotheses.iter().any(|h| h.state().is_none());
                    group.hypotheses = split(std::mem::take(&mut group.hypotheses), sides, &belief.seen, new);
                }
            }
            belief.seen.insert(new);
        }
    }
}

/// Hypotheses that stand for what these stood for, with what is on both sides of a new value apart.
fn split(hypotheses: Vec<Hypothesis>, sides: &Sides, seen: &Seen, new: &Value) -> Vec<Hypothesis> {
    let mut found = Vec::with_capacity(hypotheses.len());
    for h in hypotheses {
        let apart = h.state().and_then(|state| Some((state, sides.split(state.value(sides.var), seen, new)?)));
        match apart {
            Some((state, values)) => found.extend(values.into_iter().map(|value| {
                let place = HypothesisState::Known(state.with(sides.var, value));
                Hypothesis { place, ..h.clone() }
            })),
            None => found.push(h),
        }
    }
    found
}
