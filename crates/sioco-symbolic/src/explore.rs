//! Building the graph: breadth-first on all cores, or depth-first, until it is complete or a limit is reached.
//!
//! Breadth-first goes layer by layer. Workers expand pieces of a layer, each with a path and a solver of its own; what
//! they found is numbered in the order of the layer, so the result does not depend on who did what. States are
//! compared while they are numbered, so that too is in order.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use rustc_hash::FxHashMap;
use sioco_model::Model;
use sioco_solve::{Limits, Reason};

use crate::graph::{Graph, NodeId};
use crate::inclusion::Inclusion;
use crate::key::Key;
use crate::live::Live;
use crate::path::{Path, Possible, Shortcuts, SolverFactory};
use crate::stats::Counters;
use crate::step::Step;

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
    /// Those that are included in an earlier one (S3 definition 11, S4).
    Included,
}

/// How far to go, and how.
#[derive(Clone, Debug)]
pub struct Options {
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
    /// Stops as soon as every switch has been taken.
    pub until_covered: bool,
    /// The limits of each question to a solver; its `cancel` stops the exploration, too.
    pub limits: Limits,
    /// Cheap ways, switched off for measurements.
    pub shortcuts: Shortcuts,
}

impl Default for Options {
    fn default() -> Self {
        Options {
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
pub struct Progress {
    /// Nodes so far.
    pub nodes: usize,
    /// The depth that is being expanded.
    pub depth: usize,
    /// Nodes that wait.
    pub open: usize,
}

/// A successor that a worker found.
struct Child {
    step: Step,
    doubt: Option<Reason>,
    key: Option<Key>,
}

/// The successors of some nodes in a row.
#[derive(Default)]
struct Piece {
    /// How many successors each node has.
    counts: Vec<u32>,
    children: Vec<Child>,
}

/// A path that follows a graph.
pub struct Cursor<'m> {
    /// The path to the current node.
    pub path: Path<'m>,
    at: Vec<NodeId>,
    steps: Vec<Step>,
}

impl<'m> Cursor<'m> {
    /// At the initial state.
    pub fn new(path: Path<'m>) -> Self {
        Cursor { path, at: Vec::new(), steps: Vec::new() }
    }

    /// Goes to a node, over the nearest common ancestor.
    pub fn go(&mut self, graph: &Graph, node: NodeId) {
        let depth = graph.depth(node);
        let mut up = node;
        let mut missing = Vec::new();
        loop {
            let d = graph.depth(up);
            if d == 0 || (d <= self.at.len() && self.at[d - 1] == up) {
                while self.at.len() > d {
                    self.path.retreat();
                    self.at.pop();
                }
                break;
            }
            missing.push(up);
            up = graph.parent(up).expect("only the initial state has no parent");
        }
        for id in missing.into_iter().rev() {
            self.path.advance(graph.step(id).expect("only the initial state has no step"));
            self.at.push(id);
        }
        debug_assert_eq!(self.at.len(), depth);
    }

    /// Finds the successors of the current node.
    fn expand(&mut self, options: &Options, live: Option<&Live>, last: Option<Step>, found: &mut Vec<Child>) -> u32 {
        let mut steps = std::mem::take(&mut self.steps);
        self.path.outgoing(&mut steps);
        // Two silences in a row say nothing new.
        if options.delta && last != Some(Step::Delta) {
            steps.push(Step::Delta);
        }
        let before = found.len();
        for &step in &steps {
            let doubt = match self.path.probe(step) {
                Possible::No => continue,
                Possible::Yes => None,
                Possible::Unknown(reason) => Some(reason),
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

/// Explores a model.
pub fn explore(
    model: &Model,
    solvers: SolverFactory<'_>,
    options: &Options,
    progress: &mut dyn FnMut(Progress),
) -> Exploration {
    Explorer::new(model, solvers, options.clone()).run(progress)
}

/// An exploration that is under way: the graph is built as far as it is asked for.
pub struct Explorer<'m> {
    options: Options,
    live: Option<Live>,
    cursors: Vec<Cursor<'m>>,
    graph: Graph,
    seen: FxHashMap<Key, NodeId>,
    inclusion: Option<Inclusion>,
    taken: Vec<bool>,
    not_taken: usize,
    doubts: Vec<(NodeId, Reason)>,
    stop: Option<Stop>,
    bytes: usize,
    key_bytes: usize,
}

/// How many nodes a worker takes at a time.
const PIECE: usize = 256;

/// Layers with fewer nodes than this are not worth a thread.
const SHARED_FROM: usize = 64;

impl<'m> Explorer<'m> {
    /// Nothing but the initial state so far.
    pub fn new(model: &'m Model, solvers: SolverFactory<'_>, options: Options) -> Self {
        let path = || Path::with(model, solvers, options.shortcuts, options.limits.clone());
        let workers = match options.order {
            Order::BreadthFirst => options.workers.max(1),
            Order::DepthFirst => 1,
        };
        let mut cursors: Vec<Cursor<'m>> = (0..workers).map(|_| Cursor::new(path())).collect();
        let live = (options.merge != Merge::Nothing).then(|| Live::of(model));
        let mut seen = FxHashMap::default();
        let mut graph = Graph::new();
        graph.scattered = options.order == Order::DepthFirst;
        if let Some(live) = &live {
            seen.extend(cursors[0].path.key(live).map(|key| (key, graph.root())));
        }
        let mut inclusion = (options.merge == Merge::Included).then(|| Inclusion::new(model));
        if let (Some(inclusion), Some(live)) = (&mut inclusion, &live) {
            inclusion.keep(&mut cursors[0].path, live, graph.root());
        }
        Explorer {
            live,
            cursors,
            graph,
            seen,
            inclusion,
            taken: vec![false; model.switches.len()],
            not_taken: model.switches.len(),
            doubts: Vec::new(),
            stop: None,
            bytes: 0,
            key_bytes: 0,
            options,
        }
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
    pub fn run(mut self, progress: &mut dyn FnMut(Progress)) -> Exploration {
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
        if let Some(inclusion) = &self.inclusion {
            counters.inclusion = inclusion.counters();
        }
        let bytes = self.bytes.max(self.graph.bytes() + self.key_bytes);
        let stop = self.stop.unwrap_or(Stop::Complete);
        Exploration { graph: self.graph, stop, doubts: self.doubts, counters, bytes }
    }

    fn cancelled(&self) -> bool {
        self.options.limits.cancelled()
    }

    fn breadth_first(&mut self, progress: &mut dyn FnMut(Progress)) {
        let mut layer: Vec<NodeId> = vec![self.graph.root()];
        while !layer.is_empty() && self.stop.is_none() {
            let depth = self.graph.depth(layer[0]);
            progress(Progress { nodes: self.graph.len(), depth, open: layer.len() });
            if self.options.depth.is_some_and(|d| depth >= d) {
                self.stop = Some(Stop::Depth);
                break;
            }
            let mut next = Vec::new();
            // In portions, so that limits on nodes and memory are kept within a very large layer, too.
            for portion in layer.chunks(PIECE * 64) {
                let pieces = self.expand_pieces(portion);
                for (nodes, piece) in portion.chunks(PIECE).zip(pieces) {
                    self.take_piece(nodes, piece, &mut next);
                }
                self.check_limits();
                if self.stop.is_some() {
                    break;
                }
                if portion.len() == PIECE * 64 {
                    progress(Progress { nodes: self.graph.len(), depth, open: next.len() });
                }
            }
            layer = next;
        }
    }

    /// Expands nodes in pieces, in parallel if there are many. A piece that was given up is shorter than its nodes.
    fn expand_pieces(&mut self, nodes: &[NodeId]) -> Vec<Piece> {
        let pieces: Vec<&[NodeId]> = nodes.chunks(PIECE).collect();
        let (graph, options, live) = (&self.graph, &self.options, self.live.as_ref());
        let work = |cursor: &mut Cursor<'m>, nodes: &[NodeId]| {
            let mut piece = Piece::default();
            for &node in nodes {
                if options.limits.cancelled() {
                    break;
                }
                cursor.go(graph, node);
                let before = piece.children.len();
                let count = cursor.expand(options, live, graph.step(node), &mut piece.children);
                if options.limits.cancelled() {
                    // Some of these answers may be unknown for no other reason.
                    piece.children.truncate(before);
                    break;
                }
                piece.counts.push(count);
            }
            piece
        };
        if self.cursors.len() == 1 || nodes.len() < SHARED_FROM {
            let cursor = &mut self.cursors[0];
            return pieces.into_iter().map(|p| work(cursor, p)).collect();
        }
        // Smaller pieces than PIECE would balance better; larger ones share more of the way.
        let results: Vec<Mutex<Option<Piece>>> = pieces.iter().map(|_| Mutex::new(None)).collect();
        let next = AtomicUsize::new(0);
        let halves: Vec<(usize, &[NodeId])> = pieces.iter().copied().enumerate().collect();
        std::thread::scope(|scope| {
            for cursor in &mut self.cursors {
                let (results, next, halves, work) = (&results, &next, &halves, &work);
                scope.spawn(move || {
                    while let Some((i, nodes)) = halves.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let piece = work(cursor, nodes);
                        *results[*i].lock().unwrap_or_else(|e| e.into_inner()) = Some(piece);
                    }
                });
            }
        });
        results.into_iter().map(|r| r.into_inner().unwrap_or_else(|e| e.into_inner()).unwrap_or_default()).collect()
    }

    /// Numbers what was found; nodes that are to be expanded go to `next`.
    fn take_piece(&mut self, nodes: &[NodeId], piece: Piece, next: &mut Vec<NodeId>) {
        let mut children = piece.children.into_iter();
        for (i, &node) in nodes.iter().enumerate() {
            if self.stop.is_some() {
                return;
            }
            let Some(&count) = piece.counts.get(i) else {
                self.stop = Some(Stop::Cancelled);
                return;
            };
            // As many successors as still fit; the node then counts as not expanded.
            let fit = (count as usize).min(self.options.nodes.saturating_sub(self.graph.len()));
            for child in children.by_ref().take(fit) {
                if let Some(kept) = self.take_child(node, child) {
                    next.push(kept);
                }
            }
            if fit < count as usize {
                self.stop = Some(Stop::Nodes);
                return;
            }
            self.graph.set_expanded(node);
            if self.options.until_covered && self.not_taken == 0 {
                self.stop = Some(Stop::Covered);
            }
        }
    }

    /// Numbers a successor; it is given back if it is to be expanded.
    fn take_child(&mut self, parent: NodeId, child: Child) -> Option<NodeId> {
        let id = self.graph.add(parent, child.step, child.doubt.is_some());
        self.doubts.extend(child.doubt.map(|reason| (id, reason)));
        for s in child.step.switches() {
            let taken = &mut self.taken[sioco_model::Id::index(s)];
            self.not_taken -= usize::from(!*taken);
            *taken = true;
        }
        let graph = &self.graph;
        // A state that is surely reached is not merged into one that is reached perhaps.
        let fits = |other: NodeId| !graph.rests_on_unknown(other) || graph.rests_on_unknown(id);
        let equal = child.key.as_ref().and_then(|key| self.seen.get(key)).copied();
        if let Some(other) = equal.filter(|other| fits(*other)) {
            self.graph.set_included(id, other);
            return None;
        }
        if let (Some(inclusion), Some(live)) = (&mut self.inclusion, &self.live) {
            let cursor = &mut self.cursors[0];
            cursor.go(&self.graph, id);
            if let Some(other) = inclusion.find(&mut cursor.path, &fits) {
                self.graph.set_included(id, other);
                return None;
            }
            inclusion.keep(&mut cursor.path, live, id);
        }
        if let Some(key) = child.key {
            self.key_bytes += size_of_val(&*key) + size_of::<(Key, NodeId)>();
            self.seen.insert(key, id);
        }
        Some(id)
    }

    fn check_limits(&mut self) {
        let paths: usize = self.cursors.iter().map(|c| c.path.bytes()).sum();
        let bytes = self.graph.bytes() + paths + self.key_bytes;
        self.bytes = self.bytes.max(bytes);
        if self.stop.is_some() {
        } else if bytes > self.options.bytes {
            self.stop = Some(Stop::Memory);
        } else if self.cancelled() {
            self.stop = Some(Stop::Cancelled);
        }
    }

    fn depth_first(&mut self, progress: &mut dyn FnMut(Progress)) {
        // The successors that wait, last first.
        let mut open: Vec<(NodeId, Child)> = Vec::new();
        let mut current = Some(self.graph.root());
        let mut cut = false;
        let mut steps = 0usize;
        loop {
            if let Some(node) = current {
                if self.options.depth.is_some_and(|d| self.graph.depth(node) >= d) {
                    cut = true;
                } else {
                    let mut found = Vec::new();
                    let cursor = &mut self.cursors[0];
                    cursor.go(&self.graph, node);
                    cursor.expand(&self.options, self.live.as_ref(), self.graph.step(node), &mut found);
                    // When it is cancelled, answers may be unknown for no other reason.
                    if !self.cancelled() {
                        self.graph.set_expanded(node);
                        open.extend(found.into_iter().rev().map(|child| (node, child)));
                    }
                }
            }
            steps += 1;
            if steps.is_multiple_of(1024) {
                progress(Progress { nodes: self.graph.len(), depth: self.cursors[0].path.len(), open: open.len() });
                self.check_limits();
            } else if self.cancelled() {
                self.stop = Some(Stop::Cancelled);
            }
            if self.options.until_covered && self.not_taken == 0 {
                self.stop = Some(Stop::Covered);
            }
            if self.stop.is_none() && !open.is_empty() && self.graph.len() >= self.options.nodes {
                self.stop = Some(Stop::Nodes);
            }
            if self.stop.is_some() {
                break;
            }
            let Some((parent, child)) = open.pop() else { break };
            current = self.take_child(parent, child);
        }
        for (parent, _) in open {
            self.graph.set_unfinished(parent);
        }
        if self.stop.is_none() && cut {
            self.stop = Some(Stop::Depth);
        }
    }
}

/// A flag that stops an exploration when it is set.
pub fn cancel_flag() -> Arc<AtomicBool> {
    Arc::new(AtomicBool::new(false))
}
