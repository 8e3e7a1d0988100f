//! The graph as an indented tree.

use std::fmt::Write;

use sioco_model::{Id, SwitchId};
use sioco_symbolic::{Merge, NodeId, Step};

use super::nodes::Walker;
use super::{Explored, count};
use crate::style::Style;

/// Deeper branches are not indented any further: their lines say where they belong.
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

/// The tree. A node that is the only successor stands right below its predecessor; others branch off.
pub fn tree(explored: &Explored<'_>, drawing: &Drawing<'_>) -> String {
    let graph = &explored.found.graph;
    let style = drawing.style;
    let children = children(explored);
    let mut walker = Walker::new(explored.model, graph);
    let mut out = String::new();
    let mut open = vec![Waiting { node: graph.root(), before: String::new(), below: String::new(), level: 0 }];
    let mut drawn = 0;
    while let Some(Waiting { node, before, below, level }) = open.pop() {
        if drawing.lines > 0 && drawn == drawing.lines {
            let more = graph.len() - drawn;
            let text = format!("… and {}; `--tree=LINES` shows more lines, `--tree=0` all", count(more, "more node"));
            let _ = writeln!(out, "{}", style.dim(text));
            break;
        }
        drawn += 1;
        let state = walker.text(node);
        let marks = marks(explored, node);
        let parent = match graph.parent(node) {
            Some(parent) if level >= MAX_INDENT => format!("(after {}) ", graph.name(parent)),
            _ => String::new(),
        };
        let name = graph.name(node);
        let length = |t: &str| t.chars().count();
        let used = length(&before) + length(&name) + 2 + length(&parent);
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
        let _ = write!(out, "{}{}  {}", style.dim(&before), style.bold(name), style.dim(parent));
        let _ = write!(out, "{}{text}", style.cyan(what));
        for mark in marks {
            let _ = write!(out, "  {}", style.yellow(mark));
        }
        out.push('\n');
        let successors = &children[node.index()];
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
    }
    out
}

/// The successors of all nodes; asking the graph for each would walk over whole subtrees in depth-first order.
fn children(explored: &Explored<'_>) -> Vec<Vec<NodeId>> {
    let graph = &explored.found.graph;
    let mut children = vec![Vec::new(); graph.len()];
    for node in graph.ids() {
        if let Some(parent) = graph.parent(node) {
            children[parent.index()].push(node);
        }
    }
    children
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
