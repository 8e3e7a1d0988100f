//! The reduced graph (S4) as a net to search in. A node that is included in an earlier node leads to that node.
//!
//! An edge has the number of the node that it was found with. A way over a redirected edge need not be possible, since
//! the earlier state allows more: it is tried before it is used.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use sioco_model::{Id, Model};
use sioco_symbolic::graph::{Graph, NodeId};
use sioco_symbolic::step::Step;

/// What a step that is seen adds to the length of a way. Ways with fewer such steps are shorter to run and to read.
const SEEN: u64 = 16;
/// What an internal step adds: it takes no time of the tester, so that it only decides between ways that are alike.
const UNSEEN: u64 = 1;
/// What it adds if the system may do something else on the way: as much as four steps, since the run may have to be
/// tried again.
const CHOICE: u64 = 64;
/// What a step adds that is only perhaps possible: more than all steps of the longest way, so that such a way is taken
/// only where there is no other.
const DOUBT: u64 = 1 << 40;

/// See the [module](self).
pub(crate) struct Net<'g> {
    pub graph: &'g Graph,
    /// Per node: the edges that leave it, and those that lead to it.
    out: Vec<Vec<NodeId>>,
    into: Vec<Vec<NodeId>>,
    /// Per edge: what it costs, and how many other things the system may do instead.
    weight: Vec<u64>,
    choices: Vec<u32>,
    /// Per node: the cost of the best way to it, and its last edge.
    best: Vec<Option<(u64, Option<NodeId>)>>,
    /// Whether the outside sees the step of an edge.
    seen: Vec<bool>,
}

impl<'g> Net<'g> {
    pub fn new(model: &Model, graph: &'g Graph) -> Self {
        let count = graph.len();
        let mut net = Net {
            graph,
            out: vec![Vec::new(); count],
            into: vec![Vec::new(); count],
            weight: vec![0; count],
            choices: vec![0; count],
            best: vec![None; count],
            seen: vec![false; count],
        };
        let mut own = vec![0u32; count];
        for edge in graph.ids().skip(1) {
            let (from, step) = (net.source(edge), net.step(edge));
            own[from.index()] += u32::from(step.is_own(model));
            net.out[from.index()].push(edge);
            let target = net.target(edge).index();
            net.into[target].push(edge);
        }
        for edge in graph.ids().skip(1) {
            let (from, step) = (net.source(edge), net.step(edge));
            let seen = step.is_observable(model);
            let others = own[from.index()] - u32::from(step.is_own(model));
            net.seen[edge.index()] = seen;
            net.choices[edge.index()] = others;
            net.weight[edge.index()] = if seen { SEEN } else { UNSEEN }
                + CHOICE * u64::from(others)
                + if graph.is_doubtful(edge) { DOUBT } else { 0 };
        }
        net.find_best();
        net
    }

    /// The best ways from the initial state (Dijkstra); of equal ones, that with the lower numbers.
    fn find_best(&mut self) {
        let root = self.graph.root();
        let mut heap = BinaryHeap::new();
        self.best[root.index()] = Some((0, None));
        heap.push(Reverse((0, root)));
        while let Some(Reverse((cost, node))) = heap.pop() {
            if self.best[node.index()].is_some_and(|(known, _)| known < cost) {
                continue;
            }
            for &edge in &self.out[node.index()] {
                let (target, cost) = (self.target(edge), cost + self.weight[edge.index()]);
                if self.best[target.index()].is_none_or(|(known, _)| cost < known) {
                    self.best[target.index()] = Some((cost, Some(edge)));
                    heap.push(Reverse((cost, target)));
                }
            }
        }
    }

    pub fn step(&self, edge: NodeId) -> Step {
        self.graph.step(edge).expect("only the initial state has no step")
    }

    pub fn source(&self, edge: NodeId) -> NodeId {
        self.graph.parent(edge).expect("only the initial state has no parent")
    }

    /// Where an edge leads, once redirected.
    pub fn target(&self, edge: NodeId) -> NodeId {
        self.graph.included_in(edge).unwrap_or(edge)
    }

    pub fn out(&self, node: NodeId) -> &[NodeId] {
        &self.out[node.index()]
    }

    pub fn into(&self, node: NodeId) -> &[NodeId] {
        &self.into[node.index()]
    }

    /// What the best way that ends with this edge costs.
    pub fn cost(&self, edge: NodeId) -> u64 {
        let before = self.best[self.source(edge).index()].map_or(u64::MAX / 2, |(cost, _)| cost);
        before + self.weight[edge.index()]
    }

    /// How often the system may leave a way.
    pub fn choices(&self, line: &[NodeId]) -> u32 {
        line.iter().map(|e| self.choices[e.index()]).sum()
    }

    /// How many steps of a way are seen.
    pub fn length(&self, line: &[NodeId]) -> usize {
        line.iter().filter(|e| self.seen[e.index()]).count()
    }

    pub fn is_seen(&self, edge: NodeId) -> bool {
        self.seen[edge.index()]
    }

    /// The best way that ends with this edge.
    pub fn line(&self, edge: NodeId) -> Vec<NodeId> {
        let mut line = vec![edge];
        let mut at = self.source(edge);
        while let Some((_, Some(edge))) = self.best[at.index()] {
            line.push(edge);
            at = self.source(edge);
        }
        line.reverse();
        line
    }

    /// The way on which this edge was found: it is possible, as far as the graph says.
    pub fn tree_line(&self, edge: NodeId) -> Vec<NodeId> {
        let mut line = Vec::new();
        let mut at = Some(edge);
        while let Some(node) = at.filter(|n| *n != self.graph.root()) {
            line.push(node);
            at = self.graph.parent(node);
        }
        line.reverse();
        line
    }

    /// Whether a way is one of the tree, which was found possible as a whole.
    pub fn is_tree_line(&self, line: &[NodeId]) -> bool {
        line.windows(2).all(|w| self.source(w[1]) == w[0])
    }

    /// The edges whose step takes part in something, in order.
    pub fn edges(&self) -> impl Iterator<Item = NodeId> + use<'g> {
        self.graph.ids().skip(1)
    }
}
