//! A path that goes from node to node, and finds their successors.

use sioco_solve::Reason;

use super::ExploreOptions;
use crate::graph::{Graph, NodeId};
use crate::key::Key;
use crate::path::{Path, Possible};
use crate::step::Step;
use sioco_model::semantics::live::Live;

/// A successor that was found, and has no number yet.
pub(super) struct Child {
    pub step: Step,
    /// Boxed, since it is rare and there are many successors.
    pub doubt: Option<Box<Reason>>,
    pub key: Option<Key>,
}

/// A path that follows a graph.
pub struct Cursor<'m> {
    /// The path to the current node.
    pub path: Path<'m>,
    at: Vec<NodeId>,
    steps: Vec<Step>,
    /// For the nodes between here and the next one.
    missing: Vec<NodeId>,
}

impl<'m> Cursor<'m> {
    /// At the initial state.
    pub fn new(path: Path<'m>) -> Self {
        Cursor { path, at: Vec::new(), steps: Vec::new(), missing: Vec::new() }
    }

    /// Goes to a node, over the nearest common ancestor.
    pub fn go(&mut self, graph: &Graph, node: NodeId) {
        if self.at.len() != self.path.len() {
            // It was elsewhere.
            while !self.path.is_empty() {
                self.path.retreat();
            }
            self.at.clear();
        }
        let depth = graph.depth(node);
        let mut up = node;
        loop {
            let d = graph.depth(up);
            if d == 0 || (d <= self.at.len() && self.at[d - 1] == up) {
                while self.at.len() > d {
                    self.path.retreat();
                    self.at.pop();
                }
                break;
            }
            self.missing.push(up);
            up = graph.parent(up).expect("only the initial state has no parent");
        }
        while let Some(id) = self.missing.pop() {
            self.path.advance(graph.step(id).expect("only the initial state has no step"));
            self.at.push(id);
        }
        debug_assert_eq!(self.at.len(), depth);
    }

    /// Goes to a node that a graph need not have yet, over its parent.
    pub(super) fn enter(&mut self, graph: &Graph, parent: NodeId, step: Step, node: NodeId) {
        self.go(graph, parent);
        self.path.advance(step);
        self.at.push(node);
    }

    /// Goes where steps lead, over what they have in common with the path. Afterwards its way to a node begins anew.
    pub(super) fn follow(&mut self, steps: &[Step]) {
        self.at.clear();
        let same = self.path.steps().zip(steps).take_while(|(a, b)| a == *b).count();
        while self.path.len() > same {
            self.path.retreat();
        }
        for step in &steps[same..] {
            self.path.advance(*step);
        }
    }

    /// Finds the successors of the current node.
    pub(super) fn expand(
        &mut self,
        options: &ExploreOptions,
        live: Option<&Live>,
        last: Option<Step>,
        found: &mut Vec<Child>,
    ) -> u32 {
        let mut steps = std::mem::take(&mut self.steps);
        self.path.outgoing(&mut steps);
        // Two silences in a row say nothing new.
        if options.delta && !last.is_some_and(Step::is_silence) {
            steps.push(Step::Delta);
            if self.path.may_diverge() {
                steps.push(Step::Divergence);
            }
        }
        let before = found.len();
        for &step in &steps {
            // There may be many, and each may take long.
            if options.limits.cancelled() {
                break;
            }
            let doubt = match self.path.probe(step) {
                Possible::No => continue,
                Possible::Yes => None,
                Possible::Unknown(reason) => Some(Box::new(reason)),
            };
            let key = live.and_then(|live| {
                self.path.advance(step);
                let key = self.path.key(live);
                self.path.retreat();
                key
            });
            found.push(Child { step, doubt, key });
        }
        self.steps = steps;
        (found.len() - before) as u32
    }
}
