//! Nodes of a graph in words: where they are and what the variables are there.

use sioco_model::Model;
use sioco_solve::BackEnd;
use sioco_symbolic::explore::Cursor;
use sioco_symbolic::{Graph, NodeId, Path, Step};

/// A node in words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NodeText {
    /// The locations of the processes.
    pub locations: Vec<String>,
    /// The variables, each with its value as a term over symbols.
    pub state: Vec<(String, String)>,
}

impl NodeText {
    /// `l0, x = p#1`.
    pub fn line(&self) -> String {
        let variables = self.state.iter().map(|(name, value)| format!("{name} = {value}"));
        self.locations.iter().cloned().chain(variables).collect::<Vec<_>>().join(", ")
    }

    /// The same with only what is different from an earlier state: `l0, x = p#1, …`.
    pub fn changes(&self, earlier: &NodeText) -> String {
        let alone = self.locations.len() == 1;
        let moved = self.locations.iter().zip(&earlier.locations).filter(|(now, before)| alone || now != before);
        let variables = self.state.iter().filter(|v| !earlier.state.contains(v));
        let changes =
            moved.map(|(now, _)| now.clone()).chain(variables.map(|(name, value)| format!("{name} = {value}")));
        changes.chain(["…".to_owned()]).collect::<Vec<_>>().join(", ")
    }
}

/// The state at the end of a path.
pub fn at_end(path: &mut Path<'_>) -> NodeText {
    let model = path.model();
    let locations = path.locations().iter().map(|l| model.location_name(*l)).collect();
    let state = path.state().into_iter().map(|(v, t)| (model.variable_name(v), path.show(t))).collect();
    NodeText { locations, state }
}

/// Walks over a graph and tells about its nodes. Neighbours in the graph are near each other for it, too.
pub struct Walker<'m, 'g> {
    graph: &'g Graph,
    cursor: Cursor<'m>,
    /// So many bytes may be added to what it has at a node before it begins anew.
    kept: usize,
    most: usize,
}

/// A path remembers the terms of all states that it was in; this many bytes of these are kept. What is forgotten is
/// computed again; with less, that happens for each node of a long path.
const KEPT_BYTES: usize = 16 << 20;

impl<'m, 'g> Walker<'m, 'g> {
    /// At the initial state. Following steps that are in the graph takes no solver.
    pub fn new(model: &'m Model, graph: &'g Graph) -> Self {
        Walker::keeping(model, graph, KEPT_BYTES)
    }

    fn keeping(model: &'m Model, graph: &'g Graph, kept: usize) -> Self {
        let cursor = cursor(model);
        let most = cursor.path.bytes() + kept;
        Walker { graph, cursor, kept, most }
    }

    /// A node in words.
    pub fn text(&mut self, node: NodeId) -> NodeText {
        if self.cursor.path.bytes() > self.most {
            self.cursor = cursor(self.cursor.path.model());
            self.cursor.go(self.graph, node);
            // However much the way to this node takes, there is room for others.
            self.most = self.cursor.path.bytes() + self.kept;
        }
        self.cursor.go(self.graph, node);
        at_end(&mut self.cursor.path)
    }
}

fn cursor(model: &Model) -> Cursor<'_> {
    Cursor::new(Path::new(model, &|| Box::new(BackEnd::BuiltIn.chain())))
}

/// The label of a step as the language writes it: `?inX(p)`, `send c(x) & recv c(y)`, nothing for silence.
pub fn label(model: &Model, step: Step) -> String {
    let labels: Vec<String> = step.switches().map(|s| sioco_model::print::label(model, s)).collect();
    labels.join(" & ")
}

#[cfg(test)]
mod tests {
    use sioco_solve::values::Bounds;
    use sioco_symbolic::{ExploreOptions, Merge, explore};

    use super::*;

    /// What is forgotten on the way changes nothing, and the memory stays small.
    #[test]
    fn a_walker_that_begins_anew_says_the_same() {
        let text = "input a(p: Int in 1..9)\noutput o(q: Int)\nprocess P {\n  var x: Int = 0\n  \
                    init l { add: ?a(p) / x := x + p * p -> l  tell: !o(x) -> l }\n}\n";
        let model = sioco_lang::check_text("m.sts", text).model.expect("it is a model").model;
        let options = ExploreOptions { merge: Merge::Nothing, depth: Some(8), ..ExploreOptions::default() };
        let solvers = || -> Box<dyn Bounds> { Box::new(BackEnd::BuiltIn.chain()) };
        let found = explore(&model, &solvers, &options, &mut |_| {});
        let graph = &found.graph;
        let (mut one, mut other) = (Walker::new(&model, graph), Walker::keeping(&model, graph, 2_000));
        let mut most = 0;
        for node in graph.ids() {
            assert_eq!(one.text(node), other.text(node), "{node:?}");
            most = most.max(other.cursor.path.bytes());
        }
        assert!(most * 4 < one.cursor.path.bytes(), "{most} of {}", one.cursor.path.bytes());
    }
}
