//! The graph as an indented tree.

use std::fmt::Write;

use sioco_model::{Id, SwitchId};
use sioco_symbolic::{Graph, Merge, NodeId, Step};

use super::nodes::Walker;
use super::{Explored, count};
use crate::style::Style;

/// Deeper branches are not indented any further: their lines say where they belong. At two columns each it is a third
/// of a terminal.
const MAX_INDENT: usize = 12;

/// How the tree is drawn.
pub struct Drawing<'a> {
    /// The greatest number of nodes to draw; 0 is no limit.
    pub lines: usize,
    /// How wide lines may be: where a state does not fit, only what changed is shown, and what is still too long is
    /// cut. Without a width, everything is shown.
    pub width: Option<usize>,
    /// The emphasis.
    pub style: Style,
    /// The label of a switch.
    pub label: &'a dyn Fn(SwitchId) -> String,
}

/// A node that waits to be drawn.
struct Waiting {
    node: NodeId,
    /// What stands before it, and before what hangs on it.
    before: String,
    below: String,
    level: usize,
}

/// The tree, line by line. A node that is the only successor stands right below its predecessor; others branch off.
pub fn tree<'a>(explored: &Explored<'a>, drawing: Drawing<'a>) -> impl Iterator<Item = String> + use<'a> {
    let explored = *explored;
    let graph = &explored.found.graph;
    let children = Children::new(graph);
    let mut walker = Walker::new(explored.model, graph);
    let mut open = vec![Waiting { node: graph.root(), before: String::new(), below: String::new(), level: 0 }];
    let mut drawn = 0;
    std::iter::from_fn(move || {
        let waiting = open.pop()?;
        if drawing.lines > 0 && drawn == drawing.lines {
            open.clear();
            let more = count(graph.len() - drawn, "more node");
            let text = format!("… and {more}; `--tree=LINES` shows more lines, `--tree=0` all");
            return Some(format!("{}\n", drawing.style.dim(text)));
        }
        drawn += 1;
        let line = line(&explored, &drawing, &mut walker, &waiting);
        let Waiting { node, below, level, .. } = waiting;
        let successors: Vec<NodeId> = children.of(node).collect();
        let branches = successors.len() > 1 && level < MAX_INDENT;
        for (i, child) in successors.iter().enumerate().rev() {
            let last = i + 1 == successors.len();
            let (first, rest) = match (branches, last) {
                (false, _) => ("", ""),
                (true, false) => ("├─ ", "│  "),
                (true, true) => ("└─ ", "   "),
            };
            open.push(Waiting {
                node: *child,
                before: format!("{below}{first}"),
                below: format!("{below}{rest}"),
                level: level + usize::from(successors.len() > 1),
            });
        }
        Some(line)
    })
}

/// The line of a node.
fn line(explored: &Explored<'_>, drawing: &Drawing<'_>, walker: &mut Walker<'_, '_>, waiting: &Waiting) -> String {
    let graph = &explored.found.graph;
    let style = drawing.style;
    let Waiting { node, before, level, .. } = waiting;
    let (node, level) = (*node, *level);
    let state = walker.text(node);
    let marks = marks(explored, node);
    let parent = match graph.parent(node) {
        Some(parent) if level >= MAX_INDENT => format!("(after {}) ", graph.name(parent)),
        _ => String::new(),
    };
    let name = graph.name(node);
    let length = |t: &str| t.chars().count();
    let used = length(before) + length(&name) + 2 + length(&parent);
    let width = drawing.width.unwrap_or(usize::MAX);
    let room = width.saturating_sub(used + marks.iter().map(|m| length(m) + 2).sum::<usize>());
    let (mut what, mut text) = (String::new(), state.line());
    if let (Some(step), Some(from)) = (graph.step(node), graph.parent(node)) {
        what = format!("{}  ", shown_step(explored, drawing, step));
        // Where not everything fits, what changed matters most, and the label least.
        if length(&what) + length(&text) > room {
            text = state.changes(&walker.text(from));
        }
        if length(&what) + length(&text) > room {
            what = format!("{}  ", step.name(explored.model));
        }
    }
    if drawing.width.is_some() {
        text = cut(&text, room.saturating_sub(length(&what)).max(8));
    }
    let mut out = format!("{}{}  {}", style.dim(before), style.bold(name), style.dim(parent));
    let _ = write!(out, "{}{text}", style.cyan(what));
    for mark in marks {
        let _ = write!(out, "  {}", style.yellow(mark));
    }
    out.push('\n');
    out
}

/// The successors of all nodes; asking the graph for each would walk over whole subtrees in depth-first order.
struct Children {
    /// The first successor of each node, and the next one of the same parent; 0 if there is none.
    first: Vec<u32>,
    next: Vec<u32>,
}

impl Children {
    fn new(graph: &Graph) -> Children {
        let mut children = Children { first: vec![0; graph.len()], next: vec![0; graph.len()] };
        for node in graph.ids().rev() {
            if let Some(parent) = graph.parent(node) {
                let first = &mut children.first[parent.index()];
                children.next[node.index()] = *first;
                *first = node.index() as u32;
            }
        }
        children
    }

    fn of(&self, node: NodeId) -> impl Iterator<Item = NodeId> {
        let some = |n: u32| (n != 0).then_some(n);
        let first = some(self.first[node.index()]);
        std::iter::successors(first, move |n| some(self.next[*n as usize])).map(|n| NodeId::from_index(n as usize))
    }
}

fn shown_step(explored: &Explored<'_>, drawing: &Drawing<'_>, step: Step) -> String {
    let labels: Vec<String> = step.switches().map(|s| (drawing.label)(s)).collect();
    format!("{} {}", step.name(explored.model), labels.join(" & ")).trim_end().to_owned()
}

/// What there is to say about a node besides its state.
fn marks(explored: &Explored<'_>, node: NodeId) -> Vec<String> {
    let graph = &explored.found.graph;
    let mut marks = Vec::new();
    if graph.is_doubtful(node) {
        marks.push("unknown".to_owned());
    }
    match graph.included_in(node) {
        Some(other) if explored.options.merge == Merge::Equal => marks.push(format!("equal to {}", graph.name(other))),
        Some(other) => marks.push(format!("included in {}", graph.name(other))),
        None if !graph.is_expanded(node) => marks.push("not expanded".to_owned()),
        None => {}
    }
    marks
}

/// The beginning of a text that is too long.
pub(super) fn cut(text: &str, width: usize) -> String {
    match text.char_indices().nth(width) {
        None => text.to_owned(),
        Some(_) => text.chars().take(width.saturating_sub(1)).chain(['…']).collect(),
    }
}
