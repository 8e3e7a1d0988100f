//! Which switches are taken, and which never are.

use sioco_model::model::{Direction, Label, Model};
use sioco_model::print;
use sioco_model::{Id, LocationId, SwitchId, TermId};
use sioco_solve::Reason;
use sioco_solve::values::{Choice, NoValues};

use super::question::FIRST;
use super::states::{Places, way};
use super::{AnalysisOptions, Finding, Kind, Status, What, WhyNot, kept};
use crate::explore::{Cursor, Exploration, Stop};
use crate::graph::NodeId;
use crate::path::Path;
use crate::reach::Clash;
use crate::step::Step;

/// What is known about a switch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reached {
    /// It is the last step on the way to this node; no way is shorter.
    Taken(NodeId),
    /// It is never taken.
    Never,
    /// It is not taken as far as was looked.
    NotWithin,
    /// It was not found out whether it can be taken.
    Unknown(Reason),
}

/// At most this many paths that rest on open questions are tried for a switch: each asks the open question again, with
/// more conditions.
const TRIES: usize = 8;

/// Looks at every switch.
pub(super) fn look(
    model: &Model,
    exploration: &Exploration,
    places: &Places,
    cursor: &mut Cursor<'_>,
    options: &AnalysisOptions,
    findings: &mut Vec<Finding>,
) -> Vec<Reached> {
    let graph = &exploration.graph;
    let complete = exploration.stop == Stop::Complete;
    let mut sure: Vec<Option<NodeId>> = vec![None; model.switches.len()];
    let mut doubtful: Vec<Vec<NodeId>> = vec![Vec::new(); model.switches.len()];
    for node in graph.ids() {
        for s in graph.step(node).into_iter().flat_map(Step::switches) {
            if graph.rests_on_unknown(node) {
                doubtful[s.index()].push(node);
            } else {
                sure[s.index()].get_or_insert(node);
            }
        }
    }
    let mut reached = Vec::new();
    let mut ways: Option<Ways> = None;
    for switch in model.switches.ids() {
        if let Some(node) = sure[switch.index()] {
            reached.push(Reached::Taken(node));
            continue;
        }
        if options.limits.cancelled() {
            let what = What::NotTaken { switch, why: WhyNot::Cut(Stop::Cancelled) };
            let (kind, status) = (Kind::Unreachable, Status::Bounded);
            reached.push(Reached::NotWithin);
            findings.extend(options.kinds.contains(&kind).then_some(Finding { kind, status, what, witness: None }));
            continue;
        }
        let (state, finding) = match open(graph, cursor, &doubtful[switch.index()]) {
            UnprovenSwitch::Taken(node) => (Reached::Taken(node), None),
            UnprovenSwitch::Unknown(reason, node) => {
                cursor.go(graph, graph.parent(node).unwrap_or(graph.root()));
                let witness = way(&mut cursor.path);
                let what = What::NotTaken { switch, why: WhyNot::Doubt };
                let status = Status::Undecided(reason.clone());
                (Reached::Unknown(reason), Some(Finding { kind: Kind::Unreachable, status, what, witness }))
            }
            UnprovenSwitch::No => {
                let ways = ways.get_or_insert_with(|| Ways::new(model, &mut cursor.path, &sure));
                let why = why_not(model, exploration, places, cursor, ways, switch);
                let proved = complete || !matches!(why, WhyNot::Cut(_));
                let status = if proved { Status::Proved } else { Status::Bounded };
                let kind = kind(model, switch, &why, options);
                let what = What::NotTaken { switch, why };
                let state = if proved { Reached::Never } else { Reached::NotWithin };
                (state, Some(Finding { kind, status, what, witness: None }))
            }
        };
        reached.push(state);
        findings.extend(finding.filter(|f| options.kinds.contains(&f.kind)));
    }
    reached
}

/// An output whose values are left open has a message of its own, where anybody gets to it.
fn kind(model: &Model, switch: SwitchId, why: &WhyNot, options: &AnalysisOptions) -> Kind {
    let s = &model.switches[switch];
    let chooses = model.direction(switch) == Some(Direction::Output) && s.params.iter().any(|p| p.term.is_none());
    let refuted = matches!(why, WhyNot::Contradiction(_) | WhyNot::NeverEnabled { .. });
    match chooses && refuted && options.kinds.contains(&Kind::UnsatisfiableOutput) {
        true => Kind::UnsatisfiableOutput,
        false => Kind::Unreachable,
    }
}

/// What becomes of a switch that is taken only on paths that rest on open questions.
enum UnprovenSwitch {
    Taken(NodeId),
    Unknown(Reason, NodeId),
    /// There are no such paths, or all of them are impossible.
    No,
}

fn open(graph: &crate::graph::Graph, cursor: &mut Cursor<'_>, nodes: &[NodeId]) -> UnprovenSwitch {
    let mut unknown = None;
    for &node in nodes.iter().take(TRIES) {
        cursor.go(graph, node);
        match cursor.path.solve_with(Choice::Min) {
            Ok(_) => return UnprovenSwitch::Taken(node),
            Err(NoValues::Unknown(reason)) => {
                unknown.get_or_insert((reason, node));
            }
            Err(NoValues::Impossible) => {}
        }
    }
    if unknown.is_none() && nodes.len() > TRIES {
        unknown = Some((Reason::Undecided("too many paths rest on open questions".into()), nodes[TRIES]));
    }
    unknown.map_or(UnprovenSwitch::No, |(reason, node)| UnprovenSwitch::Unknown(reason, node))
}

fn why_not(
    model: &Model,
    exploration: &Exploration,
    places: &Places,
    cursor: &mut Cursor<'_>,
    ways: &Ways,
    switch: SwitchId,
) -> WhyNot {
    let s = &model.switches[switch];
    if !ways.locations[s.source.index()] {
        return if is_led_to(model, s.source) { WhyNot::SourceNotReached } else { WhyNot::NoWay };
    }
    let steps = steps_with(model, switch);
    if let [step @ Step::Switch(_)] = steps[..]
        && let Some(clash) = contradiction(&mut cursor.path, step)
    {
        return WhyNot::Contradiction(clash);
    }
    if !ways.possible[switch.index()] {
        return WhyNot::NoPartner;
    }
    if exploration.stop != Stop::Complete {
        return WhyNot::Cut(exploration.stop);
    }
    let graph = &exploration.graph;
    if !places.all().iter().any(|p| p[s.process.index()] == s.source) {
        return WhyNot::SourceNotReached;
    }
    // Every switch of the step must be at its source.
    let fits = |here: &[LocationId], step: Step| {
        step.switches().all(|t| here[model.switches[t].process.index()] == model.switches[t].source)
    };
    let mut found = kept(graph).filter_map(|n| {
        let step = steps.iter().find(|step| fits(places.at(n), **step))?;
        Some((n, *step))
    });
    let Some((node, step)) = found.next() else { return WhyNot::NoPartner };
    let states = 1 + found.count();
    cursor.go(graph, node);
    let clash = cursor.path.clash(step);
    WhyNot::NeverEnabled { states, path: graph.path(node), clash }
}

/// Whether the switches of a process, whatever their conditions are, lead to a location.
fn is_led_to(model: &Model, location: LocationId) -> bool {
    let mut found: Vec<LocationId> = model.processes.values().map(|p| p.initial).collect();
    let mut at = 0;
    while let Some(&here) = found.get(at) {
        at += 1;
        for s in model.switches.values().filter(|s| s.source == here) {
            if !found.contains(&s.target) {
                found.push(s.target);
            }
        }
    }
    found.contains(&location)
}

/// The steps that take a switch, in whatever states.
fn steps_with(model: &Model, switch: SwitchId) -> Vec<Step> {
    let partners = |wanted: Label| {
        let process = model.switches[switch].process;
        model.switches.iter().filter(move |(_, t)| t.label == wanted && t.process != process).map(|(id, _)| id)
    };
    match model.switches[switch].label {
        Label::Gate(_) | Label::Internal => vec![Step::Switch(switch)],
        Label::Send(c) => {
            partners(Label::Receive(c)).map(|receive| Step::Handshake { send: switch, receive }).collect()
        }
        Label::Receive(c) => partners(Label::Send(c)).map(|send| Step::Handshake { send, receive: switch }).collect(),
    }
}

/// The conditions of a step that contradict each other whatever the state is, as few as possible.
fn contradiction(path: &mut Path<'_>, step: Step) -> Option<Vec<Clash>> {
    let terms = path.step_terms(step, FIRST).all();
    let sources = path.step_conditions(step);
    if !path.contradict(&terms) || terms.len() != sources.len() {
        return None;
    }
    let mut left: Vec<usize> = (0..terms.len()).collect();
    let mut i = left.len();
    while i > 0 && left.len() > 1 {
        i -= 1;
        let without: Vec<TermId> = left.iter().enumerate().filter(|(k, _)| *k != i).map(|(_, n)| terms[*n]).collect();
        if path.contradict(&without) {
            left.remove(i);
        }
    }
    let switch = step.switches().next();
    let clash = left.into_iter().map(|n| {
        let (origin, source, _) = &sources[n];
        let text = print::term_in(path.model(), path.pool(), switch, &|y| path.symbol_name(y), *source);
        Clash { step: 0, origin: *origin, text, values: Vec::new() }
    });
    Some(clash.collect())
}

/// What locations and switches alone say: an upper bound of what can be reached, process by process.
struct Ways {
    locations: Vec<bool>,
    possible: Vec<bool>,
}

impl Ways {
    fn new(model: &Model, path: &mut Path<'_>, taken: &[Option<NodeId>]) -> Ways {
        let mut locations = vec![false; model.locations.len()];
        let mut possible = vec![false; model.switches.len()];
        for p in model.processes.values() {
            locations[p.initial.index()] = true;
        }
        // The steps that no state rules out by itself.
        let mut steps: Vec<Step> = Vec::new();
        for (id, s) in model.switches.iter() {
            if matches!(s.label, Label::Receive(_)) {
                continue;
            }
            for step in steps_with(model, id) {
                let known = step.switches().count() == 1 && taken[id.index()].is_some();
                let terms = path.step_terms(step, FIRST);
                if known || !terms.impossible && !path.contradict(&terms.all()) {
                    steps.push(step);
                }
            }
        }
        loop {
            let before = steps.len();
            steps.retain(|step| {
                let here = step.switches().all(|s| locations[model.switches[s].source.index()]);
                if here {
                    for s in step.switches() {
                        possible[s.index()] = true;
                        locations[model.switches[s].target.index()] = true;
                    }
                }
                !here
            });
            if steps.len() == before {
                return Ways { locations, possible };
            }
        }
    }
}
