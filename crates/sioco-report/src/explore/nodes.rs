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
}

impl<'m, 'g> Walker<'m, 'g> {
    /// At the initial state. Following steps that are in the graph takes no solver.
    pub fn new(model: &'m Model, graph: &'g Graph) -> Self {
        let path = Path::new(model, &|| Box::new(BackEnd::BuiltIn.chain()));
        Walker { graph, cursor: Cursor::new(path) }
    }

    /// A node in words.
    pub fn text(&mut self, node: NodeId) -> NodeText {
        self.cursor.go(self.graph, node);
        at_end(&mut self.cursor.path)
    }
}

/// The label of a step as the language writes it: `?inX(p)`, `send c(x) & recv c(y)`, nothing for silence.
pub fn label(model: &Model, step: Step) -> String {
    let labels: Vec<String> = step.switches().map(|s| sioco_model::print::label(model, s)).collect();
    labels.join(" & ")
}
