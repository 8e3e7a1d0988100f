//! Everything that can be reached.

use super::TooLarge;
use super::belief::World;
use super::step::{self, Place, State};
use crate::spec::{Event, Val};
use std::collections::BTreeSet;

/// The reachable part of a model.
#[derive(Clone, Debug, Default)]
pub struct Space {
    /// The states.
    pub states: BTreeSet<State>,
    /// The switches that can be taken.
    pub switches: BTreeSet<Place>,
    /// Whether something reachable is undefined.
    pub undefined: bool,
}

/// At most this many states are looked at, for the same reason as in a [closure](super::belief).
const MOST: usize = 4_000;

/// Explores everything.
pub fn explore(world: &World<'_>) -> Result<Space, TooLarge> {
    let spec = world.spec;
    let mut space = Space::default();
    let mut todo: Vec<State> = step::initial(spec)?;
    let inputs: Vec<Event> = (spec.inputs.iter().enumerate())
        .flat_map(|(gate, g)| Val::tuples(&g.params, spec).into_iter().map(move |args| Event { gate, args }))
        .collect();
    while let Some(state) = todo.pop() {
        if space.states.contains(&state) {
            continue;
        }
        let alone = world.alone(&state)?;
        space.undefined |= alone.undefined;
        let mut steps = alone.internal.steps.clone();
        let (outputs, undefined) = step::outputs(spec, &state);
        space.undefined |= undefined;
        steps.extend(outputs.into_iter().map(|(_, step)| step));
        for input in &inputs {
            let found = step::input(spec, &state, input);
            space.undefined |= found.undefined;
            steps.extend(found.steps);
        }
        for step in steps {
            space.switches.extend(step.switches);
            todo.push(step.to);
        }
        space.states.insert(state);
        if space.states.len() > MOST {
            return Err(TooLarge);
        }
    }
    Ok(space)
}
