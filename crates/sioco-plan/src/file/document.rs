//! A plan as a document.

use serde_json::Value as Json;
use sioco_model::model::{Direction, Label, Model, SwitchParam};
use sioco_model::print;
use sioco_model::{Id, SwitchId, Value, WrittenId};
use sioco_symbolic::step::Step;

use super::explain::{infeasible, reason, steering, step, stop};
use super::fingerprint::{fingerprint, gate_text};
use super::read::conditions;
use super::shape::{
    AtomLine, CountsLine, CoverageLine, EventLine, GoalLine, LegLine, ModelLine, NodeLine, OptionsLine, OtherLine,
    PlanLine, PurposeLine, StateLine, WantLine, WhichLine, WrittenLine,
};
use super::{FORMAT, VERSION};
use crate::case::{Case, Spot};
use crate::event::Event;
use crate::goal::{Goal, State};
use crate::plan::{Plan, PlanOptions};
use crate::purpose::{Node, Purpose};
use crate::value::{self, Named, Valued};
use crate::want::{Want, atoms};

/// The document of a plan, with the values of its purposes as far as there are cases for them.
pub fn document(model: &Model, options: &PlanOptions, plan: &Plan, cases: &[Case]) -> Json {
    value::tree(&line(model, options, plan, cases))
}

/// A plan as it is written, with the values of its purposes as far as there are cases for them.
pub fn line<'a>(model: &'a Model, options: &PlanOptions, plan: &'a Plan, cases: &'a [Case]) -> PlanLine<'a> {
    let gates = model.gates.values().map(|g| (g.name.as_str(), gate_text(model, g))).collect();
    let purposes = plan.purposes.iter().enumerate();
    PlanLine {
        format: FORMAT,
        version: VERSION,
        model: ModelLine {
            name: &model.name,
            file: None,
            fingerprint: format!("{:016x}", fingerprint(model)),
            gates: Named::new(gates),
        },
        cover: plan.cover.to_string(),
        options: OptionsLine {
            strict: plan.strict,
            data: options.data,
            split: options.split,
            silence: options.silence,
            depth: options.depth,
            nodes: options.nodes,
            walk: options.walk,
            seed: options.seed,
        },
        goals: plan.goals.iter().map(|(g, s)| goal(model, g, s)).collect(),
        purposes: purposes.map(|(i, p)| purpose(model, p, cases.get(i))).collect(),
        coverage: coverage(plan),
        length: plan.length,
        steering: plan.steering.as_ref().map(|s| steering(model, s)),
        stop: stop(plan.stop),
        counts: CountsLine {
            nodes: plan.counts.nodes,
            candidates: plan.counts.candidates,
            impossible: plan.counts.impossible,
            cut: plan.counts.cut,
            unfinished: plan.counts.unfinished,
        },
    }
}

/// How much is covered; nothing where there is nothing to count.
fn coverage(plan: &Plan) -> Option<CoverageLine> {
    let coverage = plan.coverage();
    (!plan.goals.is_empty()).then(|| CoverageLine {
        covered: coverage.covered,
        perhaps: coverage.perhaps,
        feasible: coverage.feasible(),
        infeasible: coverage.infeasible,
        not_reached: coverage.not_reached,
        unknown: coverage.unknown,
        percent: (coverage.feasible() > 0).then(|| coverage.percent()),
    })
}

fn goal<'a>(model: &'a Model, goal: &'a Goal, state: &'a State) -> GoalLine<'a> {
    let goal = match goal {
        Goal::Switch(s) => WhichLine::Switch(&model.switches[*s].name),
        Goal::Location(l) => WhichLine::Location(model.location_name(*l)),
        Goal::Atom { switch, atom, side } => WhichLine::Atom(atom_line(model, *switch, *atom, side.name())),
        Goal::Class(name) => WhichLine::Class(name),
        Goal::Transition(name) => WhichLine::Transition(name),
        Goal::Written(purpose) => WhichLine::Written(written_name(model, *purpose)),
    };
    let state = match state {
        State::Covered { by, doubt } => {
            StateLine::Covered { by: by.iter().map(|p| p.index()).collect(), perhaps: *doubt }
        }
        State::Infeasible(why) => StateLine::Infeasible { why: infeasible(model, why) },
        State::NotReached(s) => StateLine::NotReached { stop: stop(*s) },
        State::Unknown(why) => StateLine::Unknown { reason: reason(why) },
    };
    GoalLine { goal, state, place: None }
}

fn atom_line<'a>(model: &'a Model, switch: SwitchId, number: usize, side: &'static str) -> AtomLine<'a> {
    let text = atom_text(model, switch, number).unwrap_or_default();
    AtomLine { switch: &model.switches[switch].name, number, text, side }
}

/// An atom of a guard as it is written.
pub(super) fn atom_text(model: &Model, switch: SwitchId, atom: usize) -> Option<String> {
    atoms(model, switch).get(atom).map(|t| print::term(model, Some(switch), *t))
}

fn purpose<'a>(model: &'a Model, purpose: &'a Purpose, case: Option<&'a Case>) -> PurposeLine<'a> {
    let nodes = purpose.nodes.iter().enumerate();
    let nodes = nodes.map(|(i, n)| node(model, n, case.and_then(|case| case.nodes.get(i)))).collect();
    let start = case.map_or(&[][..], |case| &case.start).iter().map(|(v, value)| {
        (model.variable_name(*v), Valued { sorts: &model.sorts, sort: model.variables[*v].sort, value })
    });
    PurposeLine {
        goals: &purpose.goals,
        length: purpose.length(model),
        nodes,
        start: Named::new(start.collect()),
        unknown: case.and_then(|case| case.unknown.as_ref()).map(reason),
        probe: purpose.probe.iter().map(|e| event(model, e)).collect(),
    }
}

/// An event with the values of its gate.
pub fn event<'a>(model: &'a Model, event: &'a Event) -> EventLine<'a> {
    let gate = &model.gates[event.gate];
    let values = gate.params.iter().zip(&event.args);
    let args = values.map(|(p, value)| (p.name.as_str(), Valued { sorts: &model.sorts, sort: p.sort, value }));
    EventLine { gate: &gate.name, args: Named::new(args.collect()) }
}

fn node<'a>(model: &'a Model, node: &'a Node, spot: Option<&'a Spot>) -> NodeLine<'a> {
    let is = |of: fn(&Spot) -> bool| spot.is_some_and(of);
    let leg = node.leg.as_ref().map(|leg| LegLine {
        parent: node.parent,
        step: step(model, leg.step),
        label: label(model, leg.step),
        chosen: chosen(model, leg.step),
        wants: leg.wants.iter().map(|w| want(model, leg.step, w)).collect(),
        answer: node.answer,
        apart: is(|spot| spot.apart),
        another_start: is(|spot| spot.another_start),
        other_outputs: is(|spot| spot.other_outputs),
        doubt: node.doubt.as_deref().map(reason),
        args: spot.and_then(|spot| spot.values.as_ref()).map(|values| args(model, leg.step, values)),
    });
    let others = spot.map_or(&[][..], |spot| &spot.others).iter().map(|o| OtherLine {
        step: step(model, o.step),
        perhaps: o.perhaps,
        label: label(model, o.step),
        another_start: o.another_start,
    });
    NodeLine { leg, accept: node.accept, others: others.collect(), cut: is(|spot| spot.cut) }
}

fn want<'a>(model: &'a Model, at: Step, want: &'a Want) -> WantLine<'a> {
    match want {
        Want::Values(values) => WantLine::Values(args(model, at, values)),
        Want::Atom { switch, atom, side } => WantLine::Atom(atom_line(model, *switch, *atom, side.name())),
        Want::Written { purpose, condition, slots, negated, after } => WantLine::Written(WrittenLine {
            purpose: written_name(model, *purpose),
            condition: model.purposes.get(*purpose).map(|p| print::condition(model, p, *condition)),
            number: model.purposes.get(*purpose).and_then(|p| conditions(p).iter().position(|c| c == condition)),
            slots,
            negated: *negated,
            after: *after,
        }),
    }
}

fn written_name(model: &Model, purpose: WrittenId) -> &str {
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
fn args<'a>(model: &'a Model, step: Step, values: &'a [Value]) -> Named<String, Valued<'a>> {
    let Some(switch) = step.switches().next() else { return Named::new(Vec::new()) };
    let params = model.switches[switch].params.iter().enumerate().zip(values);
    let of = |((i, p), value): ((usize, &SwitchParam), &'a Value)| {
        (parameter(model, switch, i), Valued { sorts: &model.sorts, sort: p.sort, value })
    };
    Named::new(params.map(of).collect())
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
