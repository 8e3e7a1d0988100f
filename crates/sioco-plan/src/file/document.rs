//! A plan as a document.

use serde_json::{Map, Value as Json, json};
use sioco_model::model::{Direction, Label, Model};
use sioco_model::print;
use sioco_model::{SwitchId, Value};
use sioco_symbolic::step::Step;

use super::explain::{infeasible, reason, steering, step, stop};
use super::fingerprint::{fingerprint, gate_text};
use super::read::conditions;
use super::{FORMAT, VERSION};
use crate::case::{Case, Other, Spot};
use crate::event::Event;
use crate::goal::{Goal, State};
use crate::plan::{Options, Plan};
use crate::purpose::{Node, Purpose};
use crate::value;
use crate::want::{Want, atoms};

/// The document of a plan, with the values of its purposes as far as there are cases for them.
pub fn document(model: &Model, options: &Options, plan: &Plan, cases: &[Case]) -> Json {
    let gates: Map<String, Json> = model.gates.values().map(|g| (g.name.clone(), gate_text(model, g).into())).collect();
    let none = Case::default();
    let purposes = plan.purposes.iter().enumerate();
    let purposes: Vec<Json> = purposes.map(|(i, p)| purpose(model, p, cases.get(i).unwrap_or(&none))).collect();
    json!({
        "format": FORMAT,
        "version": VERSION,
        "model": { "name": model.name, "fingerprint": format!("{:016x}", fingerprint(model)), "gates": gates },
        "cover": plan.cover.to_string(),
        "options": {
            "strict": plan.strict,
            "data": options.data,
            "split": options.split,
            "silence": options.silence,
            "depth": options.depth,
            "nodes": options.nodes,
            "walk": options.walk,
            "seed": options.seed,
        },
        "goals": plan.goals.iter().map(|(g, s)| goal(model, g, s)).collect::<Vec<_>>(),
        "purposes": purposes,
        "coverage": coverage(plan),
        "length": plan.length,
        "steering": plan.steering.as_ref().map(|s| steering(model, s)),
        "stop": stop(plan.stop),
        "counts": {
            "nodes": plan.counts.nodes,
            "candidates": plan.counts.candidates,
            "impossible": plan.counts.impossible,
            "cut": plan.counts.cut,
            "unfinished": plan.counts.unfinished,
        },
    })
}

/// How much is covered; nothing where there is nothing to count.
fn coverage(plan: &Plan) -> Option<Json> {
    let coverage = plan.coverage();
    let percent = (coverage.feasible() > 0).then(|| coverage.percent());
    (!plan.goals.is_empty()).then(|| {
        json!({
            "covered": coverage.covered,
            "perhaps": coverage.perhaps,
            "feasible": coverage.feasible(),
            "infeasible": coverage.infeasible,
            "not_reached": coverage.not_reached,
            "unknown": coverage.unknown,
            "percent": percent,
        })
    })
}

fn goal(model: &Model, goal: &Goal, state: &State) -> Json {
    let mut object = match goal {
        Goal::Switch(s) => json!({ "switch": model.switches[*s].name }),
        Goal::Location(l) => json!({ "location": model.location_name(*l) }),
        Goal::Atom { switch, atom, side } => json!({ "atom": atom_json(model, *switch, *atom, side.name()) }),
        Goal::Class(name) => json!({ "class": name }),
        Goal::Transition(name) => json!({ "transition": name }),
        Goal::Written(purpose) => json!({ "written": written_name(model, *purpose) }),
    };
    match state {
        State::Covered { by, doubt } => {
            object["state"] = json!("covered");
            object["by"] = json!(by);
            object["perhaps"] = json!(doubt);
        }
        State::Infeasible(why) => {
            object["state"] = json!("infeasible");
            object["why"] = infeasible(model, why);
        }
        State::NotReached(s) => {
            object["state"] = json!("not reached");
            object["stop"] = json!(stop(*s));
        }
        State::Unknown(why) => {
            object["state"] = json!("unknown");
            object["reason"] = value::tree(&reason(why));
        }
    }
    object
}

fn atom_json(model: &Model, switch: SwitchId, atom: usize, side: &str) -> Json {
    json!({
        "switch": model.switches[switch].name,
        "number": atom,
        "text": atom_text(model, switch, atom).unwrap_or_default(),
        "side": side,
    })
}

/// An atom of a guard as it is written.
pub(super) fn atom_text(model: &Model, switch: SwitchId, atom: usize) -> Option<String> {
    atoms(model, switch).get(atom).map(|t| print::term(model, Some(switch), *t))
}

fn purpose(model: &Model, purpose: &Purpose, case: &Case) -> Json {
    let none = Spot::default();
    let nodes = purpose.nodes.iter().enumerate();
    let nodes: Vec<Json> = nodes.map(|(i, n)| node(model, n, case.nodes.get(i).unwrap_or(&none))).collect();
    let start: Map<String, Json> = (case.start.iter())
        .map(|(v, x)| (model.variable_name(*v), value::json(&model.sorts, model.variables[*v].sort, x)))
        .collect();
    let mut object = json!({ "goals": purpose.goals, "length": purpose.length(model), "nodes": nodes, "start": start });
    if let Some(why) = &case.unknown {
        object["unknown"] = value::tree(&reason(why));
    }
    if !purpose.probe.is_empty() {
        object["probe"] = purpose.probe.iter().map(|e| probe(model, e)).collect();
    }
    object
}

/// An input that nothing is said about.
fn probe(model: &Model, event: &Event) -> Json {
    let gate = &model.gates[event.gate];
    let values = gate.params.iter().zip(&event.args);
    let args: Map<String, Json> = values.map(|(p, v)| (p.name.clone(), value::json(&model.sorts, p.sort, v))).collect();
    json!({ "gate": gate.name, "args": args })
}

/// What is false, empty or nothing is left out: plans have many nodes.
fn node(model: &Model, node: &Node, spot: &Spot) -> Json {
    let mut object = Map::new();
    let Some(leg) = &node.leg else {
        if node.accept {
            object.insert("accept".into(), true.into());
        }
        others(model, &mut object, spot);
        return Json::Object(object);
    };
    object.insert("parent".into(), json!(node.parent));
    object.insert("step".into(), step(model, leg.step));
    if let Some(label) = label(model, leg.step) {
        object.insert("label".into(), label.into());
    }
    let chosen = chosen(model, leg.step);
    if !chosen.is_empty() {
        object.insert("chosen".into(), json!(chosen));
    }
    if !leg.wants.is_empty() {
        object.insert("wants".into(), leg.wants.iter().map(|w| want(model, leg.step, w)).collect());
    }
    for (name, is) in [
        ("accept", node.accept),
        ("answer", node.answer),
        ("apart", spot.apart),
        ("another_start", spot.another_start),
        ("other_outputs", spot.other_outputs),
    ] {
        if is {
            object.insert(name.into(), true.into());
        }
    }
    if let Some(why) = &node.doubt {
        object.insert("doubt".into(), value::tree(&reason(why)));
    }
    if let Some(values) = &spot.values {
        object.insert("args".into(), Json::Object(args(model, leg.step, values)));
    }
    others(model, &mut object, spot);
    Json::Object(object)
}

fn others(model: &Model, object: &mut Map<String, Json>, spot: &Spot) {
    if !spot.others.is_empty() {
        let of = |o: &Other| {
            let mut object = json!({ "step": step(model, o.step), "perhaps": o.perhaps });
            if let Some(label) = label(model, o.step) {
                object["label"] = label.into();
            }
            if o.another_start {
                object["another_start"] = true.into();
            }
            object
        };
        object.insert("others".into(), spot.others.iter().map(of).collect());
    }
    if spot.cut {
        object.insert("cut".into(), true.into());
    }
}

fn want(model: &Model, at: Step, want: &Want) -> Json {
    match want {
        Want::Values(values) => json!({ "values": args(model, at, values) }),
        Want::Atom { switch, atom, side } => json!({ "atom": atom_json(model, *switch, *atom, side.name()) }),
        Want::Written { purpose, condition, slots, negated, after } => json!({
            "written": {
                "purpose": written_name(model, *purpose),
                "condition": model.purposes.get(*purpose).map(|p| print::condition(model, p, *condition)),
                "number": model.purposes.get(*purpose).and_then(|p| conditions(p).iter().position(|c| c == condition)),
                "slots": slots.iter().map(|(slot, step, arg)| json!([slot, step, arg])).collect::<Vec<_>>(),
                "negated": negated,
                "after": after,
            }
        }),
    }
}

fn written_name(model: &Model, purpose: usize) -> &str {
    model.purposes.get(purpose).map_or("", |p| p.name.as_str())
}

/// What is seen of a step from outside.
fn label(model: &Model, step: Step) -> Option<String> {
    let switch = step.switches().next()?;
    let Label::Gate(gate) = model.switches[switch].label else { return None };
    let gate = &model.gates[gate];
    Some(format!("{}{}", gate.direction.sigil(), gate.name))
}

/// The parameters of a step whose values the system chooses.
fn chosen(model: &Model, step: Step) -> Vec<String> {
    let Some(switch) = step.switches().next() else { return Vec::new() };
    if model.direction(switch) == Some(Direction::Input) {
        return Vec::new();
    }
    let params = model.switches[switch].params.iter().enumerate();
    params.filter(|(_, p)| p.term.is_none()).map(|(i, _)| parameter(model, switch, i)).collect()
}

/// The values of a step by the names of its parameters.
fn args(model: &Model, step: Step, values: &[Value]) -> Map<String, Json> {
    let Some(switch) = step.switches().next() else { return Map::new() };
    let params = model.switches[switch].params.iter().enumerate().zip(values);
    params.map(|((i, p), v)| (parameter(model, switch, i), value::json(&model.sorts, p.sort, v))).collect()
}

/// The name of a parameter: that of the gate or channel; of internal steps, its own, with its number if it has none.
pub fn parameter(model: &Model, switch: SwitchId, i: usize) -> String {
    let s = &model.switches[switch];
    let declared = match s.label {
        Label::Gate(g) => model.gates[g].params.get(i),
        Label::Send(c) | Label::Receive(c) => model.channels[c].params.get(i),
        Label::Internal => None,
    };
    match (declared, s.params.get(i).map(|p| p.name.as_str())) {
        (Some(p), _) => p.name.clone(),
        (None, Some(own)) if own != "_" => own.to_owned(),
        _ => format!("_{i}"),
    }
}
