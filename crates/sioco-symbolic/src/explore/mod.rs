//! Building the graph: breadth-first on all cores, or depth-first, until it is complete or a limit is reached.
//!
//! Workers find successors, each with a path and a solver of its own; what they found is numbered in order
//! on one thread, so the result does not depend on who did what. States are compared while they are numbered, so that
//! too is in order. Breadth-first, the workers are given pieces of a layer; depth-first, subtrees
//! that will be needed soon.

mod breadth;
mod cursor;
mod depth;
mod numbering;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use sioco_model::Model;
use sioco_solve::{Limits, Reason};

pub use self::cursor::Cursor;
use self::numbering::Numbering;
use crate::graph::{Graph, NodeId};
use crate::path::{Path, Shortcuts, SolverFactory};
use crate::stats::Counters;

/// In which order nodes are expanded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// Nearest to the initial state first.
    BreadthFirst,
    /// The first successor first.
    DepthFirst,
}

/// Which states are not expanded again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Merge {
    /// All are expanded: the graph is a tree (S0).
    Nothing,
    /// Those that are equal to an earlier one, up to the names of symbols.
    Equal,
    /// Those that are included in an earlier one (T-X7; S3 definition 11, S4).
    Included,
}

/// How far to go, and how.
#[derive(Clone, Debug)]
pub struct ExploreOptions {
    /// The order.
    pub order: Order,
    /// What is merged.
    pub merge: Merge,
    /// Whether silence is a step, too.
    pub delta: bool,
    /// The greatest number of steps on a path.
    pub depth: Option<usize>,
    /// The greatest number of nodes.
    pub nodes: usize,
    /// The greatest number of bytes, estimated.
    pub bytes: usize,
    /// How many workers there are.
    pub workers: usize,
    /// Stops as soon as every switch has been taken on a path that is proved possible.
    pub until_covered: bool,
    /// The limits of each question to a solver; its `cancel` stops the exploration, too.
    pub limits: Limits,
    /// Cheap ways, switched off for measurements.
    pub shortcuts: Shortcuts,
}

impl Default for ExploreOptions {
    fn default() -> Self {
        ExploreOptions {
            order: Order::BreadthFirst,
            merge: Merge::Included,
            delta: false,
            depth: None,
            nodes: 100_000,
            bytes: 2 << 30,
            workers: std::thread::available_parallelism().map_or(1, |n| n.get()),
            until_covered: false,
            limits: Limits::default(),
            shortcuts: Shortcuts::default(),
        }
    }
}

/// Why the exploration ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stop {
    /// There is nothing more to expand.
    Complete,
    /// Every switch has been taken.
    Covered,
    /// Longer paths were not wanted.
    Depth,
    /// There are as many nodes as wanted.
    Nodes,
    /// As much memory is used as wanted.
    Memory,
    /// Somebody gave up.
    Cancelled,
}

/// What was found.
#[derive(Clone, Debug)]
pub struct Exploration {
    /// The graph.
    pub graph: Graph,
    /// Why it ends where it does.
    pub stop: Stop,
    /// The nodes whose own step rests on an `unknown`, in order, each with the reason.
    pub doubts: Vec<(NodeId, Reason)>,
    /// Who answered how many questions.
    pub counters: Counters,
    /// The estimated greatest number of bytes in use.
    pub bytes: usize,
}

/// Where an exploration is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ExploreProgress {
    /// Nodes so far.
    pub nodes: usize,
    /// The depth that is being expanded.
    pub depth: usize,
    /// Nodes that wait.
    pub open: usize,
}

/// Explores a model.
pub fn explore(
    model: &Model,
    solvers: SolverFactory<'_>,
    options: &ExploreOptions,
    progress: &mut dyn FnMut(ExploreProgress),
) -> Exploration {
    Explorer::new(model, solvers, options.clone()).run(progress)
}

/// An exploration that is under way: the graph is built as far as it is asked for.
pub struct Explorer<'m> {
    options: ExploreOptions,
    cursors: Vec<Cursor<'m>>,
    graph: Graph,
    numbering: Numbering,
    stop: Option<Stop>,
    bytes: usize,
}

impl<'m> Explorer<'m> {
    /// Nothing but the initial state so far.
    pub fn new(model: &'m Model, solvers: SolverFactory<'_>, options: ExploreOptions) -> Self {
        let path = || Path::with(model, solvers, options.shortcuts, options.limits.clone());
        let mut cursors: Vec<Cursor<'m>> = (0..options.workers.max(1)).map(|_| Cursor::new(path())).collect();
        let mut graph = Graph::new();
        graph.scattered = options.order == Order::DepthFirst;
        let numbering = Numbering::new(model, options.merge, &mut cursors[0].path, graph.root());
        Explorer { cursors, graph, numbering, stop: None, bytes: 0, options }
    }

    /// The graph so far.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// A path that can be taken to any node.
    pub fn cursor(&mut self) -> (&Graph, &mut Cursor<'m>) {
        (&self.graph, &mut self.cursors[0])
    }

    /// Explores until the end.
    pub fn run(mut self, progress: &mut dyn FnMut(ExploreProgress)) -> Exploration {
        match self.options.order {
            Order::BreadthFirst => self.breadth_first(progress),
            Order::DepthFirst => self.depth_first(progress),
        }
        self.finish()
    }

    /// What was found so far.
    pub fn finish(self) -> Exploration {
        let mut counters = Counters::default();
        for cursor in &self.cursors {
            counters.add(&cursor.path.counters());
        }
        counters.inclusion = self.numbering.inclusion_counters();
        let bytes = self.bytes.max(self.graph.bytes() + self.numbering.bytes());
        let stop = self.stop.unwrap_or(Stop::Complete);
        Exploration { graph: self.graph, stop, doubts: self.numbering.doubts, counters, bytes }
    }
}

/// A flag that stops an exploration when it is set.
pub fn cancel_flag() -> Arc<AtomicBool> {
    Arc::new(AtomicBool::new(false))
}
