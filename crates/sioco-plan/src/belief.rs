//! What else the system may do after the same observations. A purpose follows one path, but the observations may also
//! come from other paths (T-B2: belief).

use sioco_model::model::{Direction, Label, Model};
use sioco_model::semantics::closure::Closure;
use sioco_model::semantics::interpreter::{Interpreter, Quiescence};
use sioco_model::semantics::state::State;
use sioco_model::{GateId, Value};
use sioco_symbolic::step::Step;

use crate::case::{Case, Other};
use crate::purpose::Purpose;

/// At most this many things are listed at a node: what else may be observed there. A reader looks at a few, and the
/// file has them at each node.
const MOST: usize = 32;

/// Adds what states besides those on the path of a purpose allow, and values that it does not want, to what the system
/// may do. What takes a solver is left open, and said to be.
pub(crate) fn add_others(model: &Model, purpose: &Purpose, case: &mut Case) {
    let mut interpreter = Interpreter::new(model);
    let start = start(model, &interpreter, case);
    let mut beliefs: Vec<Option<Vec<State>>> = vec![None; purpose.nodes.len()];
    beliefs[0] = states(interpreter.closure(vec![start]).ok());
    for node in 1..purpose.nodes.len() {
        let n = &purpose.nodes[node];
        let (Some(parent), Some(leg)) = (n.parent, &n.leg) else { continue };
        // Where something else is needed, what was told so far does not hold.
        let spot = &case.nodes[node];
        let fits = !spot.apart && !spot.another_start && !spot.other_outputs;
        let Some(before) = beliefs[parent].clone().filter(|_| fits) else { continue };
        beliefs[node] = match (gate_of(model, leg.step), &case.nodes[node].values) {
            _ if leg.step.is_silence() => states(interpreter.after_delta(before).ok()),
            (Some(gate), Some(values)) => states(interpreter.after(before, gate, values).ok()),
            (Some(_), None) => None,
            (None, _) => Some(before),
        };
    }
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); purpose.nodes.len()];
    for (i, n) in purpose.nodes.iter().enumerate() {
        if let Some(parent) = n.parent {
            children[parent].push(i);
        }
    }
    for node in 0..purpose.nodes.len() {
        if purpose.nodes[node].accept || children[node].is_empty() {
            continue;
        }
        let steps = |c: &usize| purpose.nodes[*c].leg.as_ref().map(|leg| leg.step);
        let followed: Vec<(Step, Option<Vec<Value>>)> =
            children[node].iter().filter_map(|c| Some((steps(c)?, case.nodes[*c].values.clone()))).collect();
        // Values that the system chooses, and of which only some are wanted.
        for c in &children[node] {
            let Some(leg) = &purpose.nodes[*c].leg else { continue };
            let chosen = |s: sioco_model::SwitchId| {
                model.direction(s) == Some(Direction::Output)
                    && model.switches[s].params.iter().any(|p| p.term.is_none())
            };
            if !leg.wants.is_empty() && leg.step.switches().any(chosen) {
                add(model, purpose, case, node, Other { step: leg.step, perhaps: false, another_start: false });
            }
        }
        let Some(belief) = &beliefs[node] else {
            case.nodes[node].cut |= case.nodes[node].values.is_some() && !is_apart(purpose, case, node);
            continue;
        };
        // An internal step that the purpose follows is seen by nobody: what comes is told where it is expected.
        if followed.iter().any(|(s, _)| !s.is_observable(model)) {
            continue;
        }
        let waits = followed.iter().all(|(s, _)| s.is_own(model) || s.is_silence());
        for state in belief {
            match interpreter.outputs(state) {
                Ok(offers) => {
                    for offer in offers {
                        let same = |(step, values): &(Step, Option<Vec<Value>>)| {
                            let gate = gate_of(model, *step);
                            gate.is_some()
                                && gate == gate_of(model, Step::Switch(offer.switch))
                                && (!offer.fixed || values.as_ref().is_none_or(|v| *v == offer.args))
                        };
                        if !followed.iter().any(same) {
                            add(
                                model,
                                purpose,
                                case,
                                node,
                                Other { step: Step::Switch(offer.switch), perhaps: false, another_start: false },
                            );
                        }
                    }
                }
                Err(_) => case.nodes[node].cut = true,
            }
            let silence = followed.iter().any(|(s, _)| s.is_silence());
            if waits && !silence && matches!(interpreter.quiescence(state), Ok(Quiescence::Quiescent)) {
                add(model, purpose, case, node, Other { step: Step::Delta, perhaps: false, another_start: false });
            }
        }
    }
}

/// The state at the start that the example has.
fn start(model: &Model, interpreter: &Interpreter<'_>, case: &Case) -> State {
    interpreter.initial(&mut |v| {
        let given = case.start.iter().find(|(var, _)| *var == v).map(|(_, value)| value.clone());
        given.unwrap_or_else(|| model.sorts.default_value(model.variables[v].sort))
    })
}

/// What the system may do at the start that the example has; nothing if that is not known.
pub(crate) fn at_start(model: &Model, case: &Case) -> Option<Vec<Step>> {
    if model.free_variables().any(|v| case.start.iter().all(|(known, _)| *known != v)) {
        return None;
    }
    let mut interpreter = Interpreter::new(model);
    let start = start(model, &interpreter, case);
    let mut found = Vec::new();
    for state in states(interpreter.closure(vec![start]).ok())? {
        found.extend(interpreter.outputs(&state).ok()?.into_iter().map(|offer| Step::Switch(offer.switch)));
        match interpreter.quiescence(&state).ok()? {
            Quiescence::Quiescent | Quiescence::Diverging => found.push(Step::Delta),
            Quiescence::Active(_) => {}
            Quiescence::Unknown { .. } => return None,
        }
    }
    Some(found)
}

/// Whether a node is reached only with other inputs or outputs than those that stand before it, or with another start.
fn is_apart(purpose: &Purpose, case: &Case, node: usize) -> bool {
    let mut at = Some(node);
    while let Some(n) = at {
        let spot = &case.nodes[n];
        if spot.apart || spot.another_start || spot.other_outputs {
            return true;
        }
        at = purpose.nodes[n].parent;
    }
    false
}

/// Adds what may happen at a node, unless it was told there, or before an internal step that nobody has seen.
fn add(model: &Model, purpose: &Purpose, case: &mut Case, node: usize, other: Other) {
    let told = |o: &Other| o.step == other.step || (o.step.is_silence() && other.step.is_silence());
    let mut at = Some(node);
    while let Some(n) = at {
        if case.nodes[n].others.iter().any(told) {
            return;
        }
        let unseen = |l: &crate::purpose::Leg| !l.step.is_observable(model);
        at = purpose.nodes[n].parent.filter(|_| purpose.nodes[n].leg.as_ref().is_some_and(unseen));
    }
    let spot = &mut case.nodes[node];
    if spot.others.len() >= MOST {
        spot.cut = true;
    } else {
        spot.others.push(other);
    }
}

/// The states of a closure; nothing if it was cut.
fn states(closure: Option<Closure>) -> Option<Vec<State>> {
    closure.filter(|c| !c.cut).map(|c| c.states)
}

fn gate_of(model: &Model, step: Step) -> Option<GateId> {
    match step {
        Step::Switch(s) => match model.switches[s].label {
            Label::Gate(gate) => Some(gate),
            _ => None,
        },
        _ => None,
    }
}
