//! What is in a picture, before anything has a place: panels, nodes, and edges with their labels.

use std::collections::BTreeMap;

use sioco_model::id::{Id, LocationId, ProcessId};
use sioco_model::model::{Direction, Label};
use sioco_model::{Model, SwitchId};

use super::{PictureOptions, SwitchText};

/// How an edge is drawn.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Kind {
    Input,
    Output,
    Internal,
}

/// One process instance.
pub(super) struct Panel {
    pub title: String,
    /// Declarations of its variables.
    pub variables: Vec<String>,
    pub nodes: Vec<Node>,
    pub edges: Vec<Edge>,
    /// The node it starts at.
    pub initial: usize,
}

/// A location.
pub(super) struct Node {
    pub name: String,
    pub is_final: bool,
    /// Stands between an input and its answer, and could not be drawn as part of an edge.
    pub hidden: bool,
}

/// All switches of one kind from one location to another.
pub(super) struct Edge {
    pub from: usize,
    pub to: usize,
    pub kind: Kind,
    pub items: Vec<Item>,
}

/// A switch, with the answers that follow it at once.
pub(super) struct Item {
    /// The given name of the first switch, if names are shown.
    pub name: Option<String>,
    /// The name of the first switch, given or derived.
    pub id: String,
    pub parts: Vec<(Kind, SwitchText)>,
}

impl Item {
    /// The item on one line, the name first.
    pub fn line(&self) -> String {
        let parts: Vec<_> = self.parts.iter().map(|(_, text)| one_line(text)).collect();
        let parts = parts.join(" ; ");
        match &self.name {
            Some(name) => format!("{name}: {parts}"),
            None => parts,
        }
    }
}

/// `label [guard] / update`.
pub(super) fn one_line(text: &SwitchText) -> String {
    let mut line = text.label.clone();
    if !text.guard.is_empty() {
        line.push_str(&format!(" [{}]", text.guard));
    }
    if !text.update.is_empty() {
        line.push_str(&format!(" / {}", text.update));
    }
    line
}

/// The panels of a model.
pub(super) fn panels(model: &Model, text: &dyn Fn(SwitchId) -> SwitchText, options: &PictureOptions) -> Vec<Panel> {
    let mut incoming = vec![0usize; model.locations.len()];
    for switch in model.switches.values() {
        incoming[switch.target.index()] += 1;
    }
    // A hidden location with one way in and one way out is not drawn: its two switches are one edge.
    let passed =
        |l: LocationId| model.locations[l].hidden && incoming[l.index()] == 1 && model.locations[l].outgoing.len() == 1;
    let shown = model.processes.ids().filter(|process| options.only.is_none_or(|only| only == *process));
    shown.map(|process| panel(model, process, &passed, text, options)).collect()
}

fn panel(
    model: &Model,
    id: ProcessId,
    passed: &dyn Fn(LocationId) -> bool,
    text: &dyn Fn(SwitchId) -> SwitchText,
    options: &PictureOptions,
) -> Panel {
    let process = &model.processes[id];
    let shown: Vec<LocationId> =
        process.locations.iter().copied().filter(|l| *l == process.initial || !passed(*l)).collect();
    let place: BTreeMap<LocationId, usize> = shown.iter().enumerate().map(|(i, l)| (*l, i)).collect();
    let nodes = shown.iter().map(|l| {
        let location = &model.locations[*l];
        Node { name: location.name.clone(), is_final: location.is_final, hidden: location.hidden }
    });

    let mut edges: Vec<Edge> = Vec::new();
    let mut index: BTreeMap<(usize, usize, Kind), usize> = BTreeMap::new();
    for &first in &process.switches {
        let switch = &model.switches[first];
        let Some(&from) = place.get(&switch.source) else { continue };
        let kind = kind(model, first);
        let mut parts = vec![(kind, text(first))];
        let mut target = switch.target;
        while !place.contains_key(&target) {
            let Some(&answer) = model.locations[target].outgoing.first() else { break };
            parts.push((self::kind(model, answer), text(answer)));
            target = model.switches[answer].target;
        }
        let Some(&to) = place.get(&target) else { continue };
        // In its own panel, a switch needs no instance before its name.
        let short = switch.name.strip_prefix(&process.name).and_then(|n| n.strip_prefix('.')).unwrap_or(&switch.name);
        let name = (options.show_names && switch.named).then(|| short.to_string());
        let item = Item { name, id: switch.name.clone(), parts };
        let at = *index.entry((from, to, kind)).or_insert_with(|| {
            edges.push(Edge { from, to, kind, items: Vec::new() });
            edges.len() - 1
        });
        edges[at].items.push(item);
    }
    Panel {
        title: title(model, id),
        variables: if options.show_variables { variables(model, id) } else { Vec::new() },
        nodes: nodes.collect(),
        edges,
        initial: place.get(&process.initial).copied().unwrap_or(0),
    }
}

fn kind(model: &Model, switch: SwitchId) -> Kind {
    match (model.switches[switch].label, model.direction(switch)) {
        (Label::Gate(_), Some(Direction::Input)) => Kind::Input,
        (Label::Gate(_), Some(Direction::Output)) => Kind::Output,
        _ => Kind::Internal,
    }
}

/// The name of the instance, with its process and arguments where they say more.
fn title(model: &Model, id: ProcessId) -> String {
    let process = &model.processes[id];
    let args: Vec<_> =
        process.args.iter().map(|(name, sort, value)| format!("{name} = {}", model.sorts.show(*sort, value))).collect();
    let mut title = process.name.clone();
    if process.template != process.name {
        title.push_str(&format!(": {}", process.template));
    }
    if !args.is_empty() {
        title.push_str(&format!("({})", args.join(", ")));
    }
    title
}

fn variables(model: &Model, id: ProcessId) -> Vec<String> {
    let shown = model.processes[id].variables.iter().map(|v| &model.variables[*v]).filter(|v| !v.hidden);
    shown
        .map(|v| {
            let value = v.initial.as_ref().map_or("any".into(), |value| model.sorts.show(v.sort, value));
            format!("{}: {} = {value}", v.name, model.sorts.name(v.sort))
        })
        .collect()
}
