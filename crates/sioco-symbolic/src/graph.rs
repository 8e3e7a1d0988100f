//! The symbolic execution graph (T-X4; S0 definition 14): a tree of nodes, each of which remembers its parent and the
//! step that leads to it.

use sioco_model::{Id, Model, SwitchId};

use crate::rows::Rows;
use crate::step::Step;

sioco_model::ids! {
    /// A node of the graph.
    NodeId "node";
}

const NONE: u32 = u32::MAX;
const DELTA: u32 = u32::MAX - 1;
const DIVERGENCE: u32 = u32::MAX - 2;

/// The step is only perhaps possible: a solver answered `unknown`.
const DOUBT: u8 = 1;
/// So is a step before it.
const DOUBT_BEFORE: u8 = 2;
/// All its successors are in the graph.
const EXPANDED: u8 = 4;

/// What a node needs: 32 bytes.
#[derive(Clone, Copy, Debug)]
struct Node {
    parent: u32,
    switch: u32,
    receive: u32,
    depth: u32,
    first_child: u32,
    children: u32,
    included_in: u32,
    marks: u8,
}

/// The graph. Node 0 is the initial state; children have greater numbers than their parents.
#[derive(Clone, Debug)]
pub struct Graph {
    nodes: Rows<Node>,
    /// For graphs whose children are not numbered in a row.
    pub(crate) scattered: bool,
}

impl Default for Graph {
    fn default() -> Self {
        Self::new()
    }
}

impl Graph {
    /// The graph of the initial state alone.
    pub fn new() -> Self {
        let root = Node {
            parent: NONE,
            switch: NONE,
            receive: NONE,
            depth: 0,
            first_child: NONE,
            children: 0,
            included_in: NONE,
            marks: 0,
        };
        let mut nodes = Rows::default();
        nodes.push(root);
        Graph { nodes, scattered: false }
    }

    /// The initial state.
    pub fn root(&self) -> NodeId {
        NodeId(0)
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Never: there is always the initial state.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All nodes, in order.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = NodeId> + ExactSizeIterator + use<> {
        (0..self.nodes.len()).map(NodeId::from_index)
    }

    /// The bytes that the nodes take.
    pub fn bytes(&self) -> usize {
        self.nodes.bytes()
    }

    fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    /// Where the node was reached from.
    pub fn parent(&self, id: NodeId) -> Option<NodeId> {
        let parent = self.node(id).parent;
        (parent != NONE).then_some(NodeId(parent))
    }

    /// The step that leads to the node; none for the initial state.
    pub fn step(&self, id: NodeId) -> Option<Step> {
        let node = self.node(id);
        match (node.switch, node.receive) {
            (NONE, _) => None,
            (DELTA, _) => Some(Step::Delta),
            (DIVERGENCE, _) => Some(Step::Divergence),
            (s, NONE) => Some(Step::Switch(SwitchId::from_index(s as usize))),
            (s, r) => Some(Step::Handshake {
                send: SwitchId::from_index(s as usize),
                receive: SwitchId::from_index(r as usize),
            }),
        }
    }

    /// How many steps lead to the node.
    pub fn depth(&self, id: NodeId) -> usize {
        self.node(id).depth as usize
    }

    /// Whether the step to this node rests on an `unknown`.
    pub fn is_doubtful(&self, id: NodeId) -> bool {
        self.node(id).marks & DOUBT != 0
    }

    /// Whether some step on the way to this node, the last one included, rests on an `unknown`.
    pub fn rests_on_unknown(&self, id: NodeId) -> bool {
        self.node(id).marks & (DOUBT | DOUBT_BEFORE) != 0
    }

    /// Whether all successors of the node are in the graph.
    pub fn is_expanded(&self, id: NodeId) -> bool {
        self.node(id).marks & EXPANDED != 0
    }

    /// The node that this one is included in (S3 definition 10): it is not expanded, and in the reduced graph (S4) the
    /// edge leads there.
    pub fn included_in(&self, id: NodeId) -> Option<NodeId> {
        let other = self.node(id).included_in;
        (other != NONE).then_some(NodeId(other))
    }

    /// The successors, in order.
    pub fn children(&self, id: NodeId) -> Vec<NodeId> {
        let node = self.node(id);
        if node.children == 0 {
            return Vec::new();
        }
        if !self.scattered {
            return (node.first_child..node.first_child + node.children).map(NodeId).collect();
        }
        // In depth-first order a child's subtree lies between it and the next child.
        let mut found = Vec::with_capacity(node.children as usize);
        let mut at = node.first_child;
        while found.len() < node.children as usize && (at as usize) < self.nodes.len() {
            if self.nodes[at as usize].parent == id.0 {
                found.push(NodeId(at));
            }
            at += 1;
        }
        found
    }

    /// The steps from the initial state to the node.
    pub fn path(&self, id: NodeId) -> Vec<Step> {
        let mut steps = Vec::with_capacity(self.depth(id));
        let mut at = Some(id);
        while let Some(node) = at {
            steps.extend(self.step(node));
            at = self.parent(node);
        }
        steps.reverse();
        steps
    }

    pub(crate) fn set_unfinished(&mut self, id: NodeId) {
        self.nodes[id.index()].marks &= !EXPANDED;
    }

    /// The nodes that nobody has looked at further: neither expanded nor included in another.
    pub fn frontier(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.ids().filter(|id| !self.is_expanded(*id) && self.included_in(*id).is_none())
    }

    /// The name of a node for people: `n7`.
    pub fn name(&self, id: NodeId) -> String {
        format!("n{}", id.0)
    }

    /// Switches that some step in the graph takes, and whether one of these steps is proved possible.
    pub fn taken(&self, model: &Model) -> Vec<Option<bool>> {
        let mut taken = vec![None; model.switches.len()];
        for id in self.ids() {
            let sure = !self.rests_on_unknown(id);
            for s in self.step(id).into_iter().flat_map(Step::switches) {
                let entry = &mut taken[s.index()];
                *entry = Some(entry.unwrap_or(false) || sure);
            }
        }
        taken
    }
}

/// Something that takes new nodes: the graph itself, or a layer on top of it.
pub(crate) trait Grow {
    /// The nodes that do not change any more.
    fn settled(&self) -> &Graph;

    /// How many nodes there are, the new ones included.
    fn count(&self) -> usize;

    /// Adds a successor. Breadth-first, the successors of a node are added one after the other.
    fn add(&mut self, parent: NodeId, step: Step, doubt: bool) -> NodeId;

    /// All successors of the node have been added.
    fn set_expanded(&mut self, id: NodeId);

    /// The node is included in another one.
    fn set_included(&mut self, id: NodeId, other: NodeId);

    /// As [`Graph::rests_on_unknown`].
    fn rests_on_unknown(&self, id: NodeId) -> bool;
}

impl Grow for Graph {
    fn settled(&self) -> &Graph {
        self
    }

    fn count(&self) -> usize {
        self.nodes.len()
    }

    fn add(&mut self, parent: NodeId, step: Step, doubt: bool) -> NodeId {
        let id = NodeId::from_index(self.nodes.len());
        let p = &mut self.nodes[parent.index()];
        if p.children == 0 {
            p.first_child = id.0;
        }
        p.children += 1;
        let node = Node::after(parent, p, step, doubt);
        self.nodes.push(node);
        id
    }

    fn set_expanded(&mut self, id: NodeId) {
        self.nodes[id.index()].marks |= EXPANDED;
    }

    fn set_included(&mut self, id: NodeId, other: NodeId) {
        self.nodes[id.index()].included_in = other.0;
    }

    fn rests_on_unknown(&self, id: NodeId) -> bool {
        Graph::rests_on_unknown(self, id)
    }
}

impl Node {
    /// A node that a step leads to.
    fn after(parent: NodeId, p: &Node, step: Step, doubt: bool) -> Node {
        let (switch, receive) = match step {
            Step::Switch(s) => (s.index() as u32, NONE),
            Step::Handshake { send, receive } => (send.index() as u32, receive.index() as u32),
            Step::Delta => (DELTA, NONE),
            Step::Divergence => (DIVERGENCE, NONE),
        };
        let before = if p.marks & (DOUBT | DOUBT_BEFORE) != 0 { DOUBT_BEFORE } else { 0 };
        Node {
            parent: parent.0,
            switch,
            receive,
            depth: p.depth + 1,
            first_child: NONE,
            children: 0,
            included_in: NONE,
            marks: before | if doubt { DOUBT } else { 0 },
        }
    }
}

/// What is known of a node whose successors are in a [`Layer`].
struct Expanded {
    id: NodeId,
    first_child: u32,
    children: u32,
    /// Whether these are all.
    whole: bool,
}

/// New nodes on top of a graph that others are reading meanwhile.
pub(crate) struct Layer<'g> {
    graph: &'g Graph,
    new: NewNodes,
    /// The number of the first node in `new`.
    start: usize,
    /// How many nodes there are.
    count: usize,
}

/// A [`Layer`] that has left its graph.
pub(crate) struct NewNodes {
    /// The last nodes of the graph and the new ones.
    nodes: Rows<Node>,
    parents: Vec<Expanded>,
}

impl<'g> Layer<'g> {
    /// Nothing so far.
    pub fn new(graph: &'g Graph) -> Self {
        let new = NewNodes { nodes: Rows::end_of(&graph.nodes), parents: Vec::new() };
        Layer { graph, new, start: graph.nodes.start_of_end(), count: graph.len() }
    }

    /// The bytes that it takes.
    pub fn bytes(&self) -> usize {
        self.new.nodes.bytes() + self.new.parents.capacity() * size_of::<Expanded>()
    }

    /// What is to be added to the graph.
    pub fn done(self) -> NewNodes {
        self.new
    }

    fn parent(&mut self, id: NodeId) -> &mut Expanded {
        let parents = &mut self.new.parents;
        if parents.last().is_none_or(|p| p.id != id) {
            parents.push(Expanded { id, first_child: NONE, children: 0, whole: false });
        }
        parents.last_mut().expect("it was just added")
    }
}

impl Grow for Layer<'_> {
    fn settled(&self) -> &Graph {
        self.graph
    }

    fn count(&self) -> usize {
        self.count
    }

    fn add(&mut self, parent: NodeId, step: Step, doubt: bool) -> NodeId {
        let id = NodeId::from_index(self.count);
        self.count += 1;
        let node = Node::after(parent, self.graph.node(parent), step, doubt);
        let p = self.parent(parent);
        if p.children == 0 {
            p.first_child = id.0;
        }
        p.children += 1;
        self.new.nodes.push(node);
        id
    }

    fn set_expanded(&mut self, id: NodeId) {
        self.parent(id).whole = true;
    }

    fn set_included(&mut self, id: NodeId, other: NodeId) {
        self.new.nodes[id.index() - self.start].included_in = other.0;
    }

    fn rests_on_unknown(&self, id: NodeId) -> bool {
        match id.index().checked_sub(self.start) {
            Some(new) => self.new.nodes[new].marks & (DOUBT | DOUBT_BEFORE) != 0,
            None => self.graph.rests_on_unknown(id),
        }
    }
}

impl Graph {
    /// Takes in a layer that was built on top of this graph.
    pub(crate) fn settle(&mut self, layer: NewNodes) {
        self.nodes.set_end(layer.nodes);
        for p in layer.parents {
            let node = &mut self.nodes[p.id.index()];
            (node.first_child, node.children) = (p.first_child, p.children);
            node.marks |= if p.whole { EXPANDED } else { 0 };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_is_small() {
        assert!(size_of::<Node>() <= 32, "{}", size_of::<Node>());
    }

    #[test]
    fn doubts_are_passed_on() {
        let mut graph = Graph::new();
        let s = |n| Step::Switch(SwitchId::from_index(n));
        let a = graph.add(graph.root(), s(0), true);
        let b = graph.add(a, s(1), false);
        let c = graph.add(graph.root(), Step::Delta, false);
        assert!(graph.is_doubtful(a) && graph.rests_on_unknown(a));
        assert!(!graph.is_doubtful(b) && graph.rests_on_unknown(b));
        assert!(!graph.rests_on_unknown(c));
        assert_eq!(graph.path(b), [s(0), s(1)]);
        assert_eq!(graph.step(c), Some(Step::Delta));
    }
}
