//! What the concrete interpreter says about paths, traces and atoms of guards, by trying everything.

use std::collections::{BTreeMap, BTreeSet};

use sioco_model::model::Label;
use sioco_model::semantics::{Interpreter, Quiescence, State};
use sioco_model::term::Term;
use sioco_model::{LocationId, Model, SwitchId, Value};
use sioco_plan::want::atoms;
use sioco_plan::{Goal, Leg, Want};
use sioco_symbolic::Step;

use super::models::{concrete_steps, initial_states};

/// Whether a want holds in a state, of a step with arguments.
pub type Holds<'a> = &'a dyn Fn(&Model, &Want, &State, &[Value]) -> bool;

/// A path, and where it may end.
type Paths = BTreeMap<Vec<Step>, BTreeSet<State>>;

fn extended(path: &[Step], step: Step) -> Vec<Step> {
    [path, &[step]].concat()
}

/// Whether internal steps may lead back to a location, whatever their guards say.
pub fn may_go_round(model: &Model) -> bool {
    let internal = |s: &&SwitchId| !matches!(model.switches[**s].label, Label::Gate(_));
    model.locations.ids().any(|start| {
        let mut seen: BTreeSet<LocationId> = BTreeSet::new();
        let mut open = vec![start];
        while let Some(at) = open.pop() {
            for switch in model.locations[at].outgoing.iter().filter(internal) {
                if seen.insert(model.switches[*switch].target) {
                    open.push(model.switches[*switch].target);
                }
            }
        }
        seen.contains(&start)
    })
}

/// The paths with a number of observable steps, and the shorter ones that cannot go on; with silence as a step, they end
/// there. Nothing if there are too many, or if a silence could not be decided. Internal steps must not go round.
pub fn of_length(model: &Model, length: usize, delta: bool, limit: usize) -> Option<BTreeSet<Vec<Step>>> {
    let mut interpreter = Interpreter::new(model);
    let mut found = BTreeSet::new();
    let mut layer = Paths::from([(Vec::new(), initial_states(model))]);
    for _ in 0..length {
        let mut next = Paths::new();
        let mut open: Vec<(Vec<Step>, BTreeSet<State>)> = layer.into_iter().collect();
        while let Some((path, states)) = open.pop() {
            let mut inner = Paths::new();
            let mut ends = true;
            for state in &states {
                for (step, _, after) in concrete_steps(&mut interpreter, state) {
                    let to = if step.is_observable(model) { &mut next } else { &mut inner };
                    to.entry(extended(&path, step)).or_default().insert(after);
                    ends = false;
                }
                if delta {
                    match interpreter.quiescence(state) {
                        Ok(Quiescence::Quiescent) => {
                            found.insert(extended(&path, Step::Delta));
                            ends = false;
                        }
                        Ok(Quiescence::Diverging) => {
                            found.insert(extended(&path, Step::Divergence));
                            ends = false;
                        }
                        Ok(Quiescence::Active(_)) => {}
                        Ok(Quiescence::Unknown { .. }) | Err(_) => return None,
                    }
                }
            }
            if ends && !path.is_empty() {
                found.insert(path);
            }
            open.extend(inner);
            if found.len() + next.len() + open.len() > limit {
                return None;
            }
        }
        layer = next;
    }
    found.extend(layer.into_keys().filter(|p| !p.is_empty()));
    Some(found)
}

/// What is seen of runs with a number of observable steps; nothing if that is too much.
pub fn seen_of_length(model: &Model, length: usize, limit: usize) -> Option<BTreeSet<Vec<Step>>> {
    let mut interpreter = Interpreter::new(model);
    let mut layer = Paths::from([(Vec::new(), initial_states(model))]);
    for _ in 0..length {
        let mut next = Paths::new();
        for (path, states) in &layer {
            let mut seen = states.clone();
            let mut open: Vec<State> = states.iter().cloned().collect();
            while let Some(state) = open.pop() {
                for (step, _, after) in concrete_steps(&mut interpreter, &state) {
                    if step.is_observable(model) {
                        next.entry(extended(path, step)).or_default().insert(after);
                    } else if seen.insert(after.clone()) {
                        open.push(after);
                    }
                }
                if seen.len() > limit {
                    return None;
                }
            }
        }
        if next.len() > limit {
            return None;
        }
        layer = next;
    }
    Some(layer.into_keys().collect())
}

/// Whether nothing can be seen of the system at the end of a path, by itself: in some state no output and no silence is
/// possible, since something is undefined there or could not be decided.
pub fn is_mute(model: &Model, legs: &[&Leg], holds: Holds<'_>) -> bool {
    let mut interpreter = Interpreter::new(model);
    let mut states = initial_states(model);
    for leg in legs {
        let mut next = BTreeSet::new();
        let wanted = |state: &State, args: &[Value]| leg.wants.iter().all(|w| holds(model, w, state, args));
        for state in &states {
            if leg.step.is_silence() && wanted(state, &[]) {
                next.insert(state.clone());
            }
            let steps = concrete_steps(&mut interpreter, state).into_iter().filter(|t| t.0 == leg.step);
            next.extend(steps.filter(|(_, args, _)| wanted(state, args)).map(|t| t.2));
        }
        states = next;
    }
    let mut open: Vec<State> = states.iter().cloned().collect();
    while let Some(state) = open.pop() {
        match interpreter.quiescence(&state) {
            Ok(Quiescence::Quiescent | Quiescence::Diverging) => return false,
            Ok(Quiescence::Active(_)) => {}
            Ok(Quiescence::Unknown { .. }) | Err(_) => return true,
        }
        // Internal steps with more and more values are followed for a while only.
        if states.len() > 1_000 {
            return true;
        }
        for (step, _, after) in concrete_steps(&mut interpreter, &state) {
            if step.is_own(model) && step.is_observable(model) {
                return false;
            }
            if step.is_own(model) && states.insert(after.clone()) {
                open.push(after);
            }
        }
    }
    true
}

/// Whether a side of an atom is seen in some of the states: at a step of the switch, or for a side that does not hold at
/// another one with the same source, or in silence. Nothing if a silence could not be decided.
pub fn atom_is_seen(model: &Model, states: &BTreeSet<State>, goal: &Goal, holds: Holds<'_>) -> Option<bool> {
    let Goal::Atom { switch, atom, side } = goal else { return None };
    let want = Want::Atom { switch: *switch, atom: *atom, side: *side };
    let s = &model.switches[*switch];
    let mut about_params = false;
    model.terms.visit(atoms(model, *switch)[*atom], &mut |_, t| about_params |= matches!(t, Term::Param(..)));
    let shows = |t: SwitchId| {
        let other = &model.switches[t];
        let same_label = other.label == s.label && s.label != Label::Internal;
        t == *switch || (!side.holds() && other.source == s.source && (!about_params || same_label))
    };
    let mut interpreter = Interpreter::new(model);
    let mut unclear = false;
    for state in states.iter().filter(|state| state.locations().contains(&s.source)) {
        for (step, args, _) in concrete_steps(&mut interpreter, state) {
            if step.switches().any(shows) && holds(model, &want, state, &args) {
                return Some(true);
            }
        }
        if !side.holds() && !about_params && holds(model, &want, state, &[]) {
            match interpreter.quiescence(state) {
                Ok(Quiescence::Quiescent) => return Some(true),
                Ok(Quiescence::Unknown { .. }) | Err(_) => unclear = true,
                Ok(_) => {}
            }
        }
    }
    if unclear { None } else { Some(false) }
}
