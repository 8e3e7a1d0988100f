//! Breadth-first: layer by layer.
//!
//! All nodes of a layer are known when it begins, so the workers go through it piece by piece, while the first of them
//! numbers what they found whenever it is the turn of a piece that is done. New nodes lie beside the graph until the
//! layer ends, so that the workers can read the graph meanwhile.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::{Condvar, Mutex, MutexGuard};

use super::cursor::{Child, Cursor};
use super::numbering::Numbering;
use super::{ExploreOptions, ExploreProgress, Explorer, Stop};
use crate::graph::{Graph, Grow, Layer, NodeId};
use sioco_model::semantics::live::Live;

/// How many nodes a worker takes at a time: many while much is left, since going to the first of them takes a way of its
/// own, and few at the end of a layer, so that nobody waits long for the last.
const PIECE: std::ops::RangeInclusive<usize> = 32..=1024;

/// What is left of a layer would be divided into this many pieces per worker: pieces are large at first, which costs
/// little, and small at the end, so that all workers end together.
const SHARES: usize = 8;

/// Layers with fewer nodes than this are not worth a thread: to wake one takes about as long as to expand some dozen
/// nodes.
const SHARED_FROM: usize = 64;

/// At most this many pieces may be done and not numbered yet, per worker: one slow piece must not stop the others, and
/// what waits takes memory.
const AHEAD: usize = 16;

/// After this many nodes limits are looked at and somebody is told. At millions of nodes a second it is every few
/// milliseconds at most.
const LOOK_EVERY: usize = 4_096;

/// The successors of some nodes in a row. A piece that was given up is shorter than its nodes.
#[derive(Default)]
struct Piece {
    /// How many nodes it is about.
    nodes: usize,
    /// How many successors each node has.
    counts: Vec<u32>,
    children: Vec<Child>,
}

/// What is asked and answered while a layer is shared.
struct Shared {
    state: Mutex<State>,
    /// How many nodes the layer has.
    nodes: usize,
    workers: usize,
    /// For the thread that numbers: a piece is done.
    done: Condvar,
    /// For the others: there is room for more.
    room: Condvar,
}

struct State {
    /// The first node that nobody has taken.
    next: usize,
    /// How many pieces were taken.
    taken: usize,
    /// The piece that is to be numbered next.
    turn: usize,
    /// What was done, from `turn` on.
    done: VecDeque<Option<Piece>>,
    /// Pieces that were numbered, for their memory: whoever frees what another thread allocated makes both wait.
    spare: Vec<Piece>,
    /// Whether the thread that numbers waits, and how many others do: waking nobody takes time, too.
    numberer_waits: bool,
    others_wait: usize,
    /// Nothing more is wanted.
    over: bool,
}

/// Some nodes that a worker is to expand.
struct Job {
    /// Its number, from 0.
    number: usize,
    nodes: Range<usize>,
    spare: Piece,
}

impl State {
    /// The next nodes of the layer, as one piece.
    fn take(&mut self, nodes: usize, workers: usize) -> Option<Job> {
        let left = nodes - self.next;
        if left == 0 {
            return None;
        }
        let size = (left / (SHARES * workers)).clamp(*PIECE.start(), *PIECE.end()).min(left);
        let job =
            Job { number: self.taken, nodes: self.next..self.next + size, spare: self.spare.pop().unwrap_or_default() };
        self.next += size;
        self.taken += 1;
        Some(job)
    }
}

impl Shared {
    fn new(nodes: usize, workers: usize) -> Self {
        let state = State {
            next: 0,
            taken: 0,
            turn: 0,
            done: VecDeque::new(),
            spare: Vec::new(),
            numberer_waits: false,
            others_wait: 0,
            over: false,
        };
        Shared { state: Mutex::new(state), nodes, workers, done: Condvar::new(), room: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // A worker that panicked ends the scope, which passes the panic on.
        self.state.lock().unwrap_or_else(|e| e.into_inner())
    }

    /// Nothing more is wanted.
    fn end(&self) {
        self.lock().over = true;
        self.done.notify_all();
        self.room.notify_all();
    }

    fn put(&self, number: usize, piece: Piece) {
        let mut state = self.lock();
        let place = number - state.turn;
        if state.done.len() <= place {
            state.done.resize_with(place + 1, || None);
        }
        state.done[place] = Some(piece);
        let wake = place == 0 && state.numberer_waits;
        drop(state);
        if wake {
            self.done.notify_one();
        }
    }

    /// A piece for a worker; it waits while too much is not numbered yet.
    fn next(&self) -> Option<Job> {
        let mut state = self.lock();
        loop {
            if state.over {
                return None;
            }
            if state.taken < state.turn + AHEAD * self.workers {
                return state.take(self.nodes, self.workers);
            }
            state.others_wait += 1;
            state = self.room.wait(state).unwrap_or_else(|e| e.into_inner());
            state.others_wait -= 1;
        }
    }

    /// The next thing to do for the thread that numbers, which gives back the memory of what it has numbered: number
    /// if it can, expand if it cannot, wait if all is taken.
    fn turn(&self, numbered: Option<Piece>) -> Option<Turn> {
        let mut state = self.lock();
        state.spare.extend(numbered);
        loop {
            if let Some(Some(_)) = state.done.front() {
                let piece = state.done.pop_front().flatten().expect("it was just looked at");
                state.turn += 1;
                let wake = state.others_wait > 0;
                drop(state);
                if wake {
                    self.room.notify_all();
                }
                return Some(Turn::Number(piece));
            }
            if state.over {
                return None;
            }
            if let Some(job) = state.take(self.nodes, self.workers) {
                return Some(Turn::Expand(job));
            }
            state.numberer_waits = true;
            state = self.done.wait(state).unwrap_or_else(|e| e.into_inner());
            state.numberer_waits = false;
        }
    }
}

/// Says that nothing more is wanted when its owner panics: nobody must wait for a thread that is gone.
struct Alarm<'a>(&'a Shared);

impl Drop for Alarm<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.end();
        }
    }
}

/// What to do next on the thread that numbers.
enum Turn {
    Number(Piece),
    Expand(Job),
}

impl<'m> Explorer<'m> {
    pub(super) fn breadth_first(&mut self, progress: &mut dyn FnMut(ExploreProgress)) {
        let mut layer: Vec<NodeId> = vec![self.graph.root()];
        let mut next = Vec::new();
        while !layer.is_empty() && self.stop.is_none() {
            let depth = self.graph.depth(layer[0]);
            progress(ExploreProgress { nodes: self.graph.len(), depth, open: layer.len() });
            if self.options.depth.is_some_and(|d| depth >= d) {
                self.stop = Some(Stop::Depth);
                break;
            }
            self.expand_layer(&layer, &mut next, progress);
            std::mem::swap(&mut layer, &mut next);
            next.clear();
        }
    }

    /// Expands a layer; the next one goes to `next`.
    fn expand_layer(&mut self, layer: &[NodeId], next: &mut Vec<NodeId>, progress: &mut dyn FnMut(ExploreProgress)) {
        let depth = self.graph.depth(layer[0]);
        let (first, others) = self.cursors.split_first_mut().expect("there is at least one worker");
        let shared = layer.len() >= SHARED_FROM && !others.is_empty();
        // What others use, as of the beginning of the layer.
        let paths: usize = others.iter().map(|c| c.path.bytes()).sum();
        let mut growing = Growing {
            numbering: &mut self.numbering,
            layer: Layer::new(&self.graph),
            next,
            options: &self.options,
            stop: None,
            bytes: self.bytes,
            paths,
            unseen: 0,
        };
        let graph = &self.graph;
        let mut tell = |growing: &Growing<'_>| {
            progress(ExploreProgress { nodes: growing.layer.count(), depth, open: growing.next.len() });
        };
        if !shared {
            let mut piece = Piece::default();
            for nodes in layer.chunks(*PIECE.end()) {
                piece = expand(first, graph, nodes, growing.options, growing.numbering.live.as_deref(), piece);
                growing.number(first, nodes, &mut piece);
                if growing.look(first, nodes.len()) {
                    tell(&growing);
                }
                if growing.stop.is_some() {
                    break;
                }
            }
        } else {
            let live = growing.numbering.live.clone();
            let (options, live) = (growing.options, live.as_deref());
            let shared = Shared::new(layer.len(), others.len() + 1);
            std::thread::scope(|scope| {
                let _alarm = Alarm(&shared);
                for cursor in others {
                    let shared = &shared;
                    scope.spawn(move || {
                        let _alarm = Alarm(shared);
                        while let Some(job) = shared.next() {
                            let nodes = &layer[job.nodes];
                            shared.put(job.number, expand(cursor, graph, nodes, options, live, job.spare));
                        }
                    });
                }
                let (mut from, mut spare) = (0, None);
                while from < layer.len() && growing.stop.is_none() {
                    match shared.turn(spare.take()) {
                        Some(Turn::Expand(job)) => {
                            let nodes = &layer[job.nodes];
                            shared.put(job.number, expand(first, graph, nodes, options, live, job.spare));
                        }
                        Some(Turn::Number(mut piece)) => {
                            let nodes = &layer[from..from + piece.nodes];
                            growing.number(first, nodes, &mut piece);
                            from += nodes.len();
                            if growing.look(first, nodes.len()) {
                                tell(&growing);
                            }
                            spare = Some(piece);
                        }
                        // A worker panicked.
                        None => break,
                    }
                }
                shared.end();
            });
        }
        growing.limits(first);
        let Growing { layer, stop, bytes, .. } = growing;
        let new = layer.done();
        (self.stop, self.bytes) = (stop, bytes);
        self.graph.settle(new);
    }
}

fn expand(
    cursor: &mut Cursor<'_>,
    graph: &Graph,
    nodes: &[NodeId],
    options: &ExploreOptions,
    live: Option<&Live>,
    mut piece: Piece,
) -> Piece {
    piece.nodes = nodes.len();
    piece.counts.clear();
    piece.children.clear();
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
}

/// A layer that is being numbered.
struct Growing<'a> {
    numbering: &'a mut Numbering,
    layer: Layer<'a>,
    next: &'a mut Vec<NodeId>,
    options: &'a ExploreOptions,
    stop: Option<Stop>,
    bytes: usize,
    paths: usize,
    /// Nodes since the limits were looked at.
    unseen: usize,
}

impl Growing<'_> {
    /// Numbers what was found; nodes that are to be expanded go to `next`.
    fn number(&mut self, cursor: &mut Cursor<'_>, nodes: &[NodeId], piece: &mut Piece) {
        let mut children = piece.children.drain(..);
        for (i, &node) in nodes.iter().enumerate() {
            if self.stop.is_some() {
                return;
            }
            let Some(&count) = piece.counts.get(i) else {
                self.stop = Some(Stop::Cancelled);
                return;
            };
            // As many successors as still fit; the node then counts as not expanded.
            let fit = (count as usize).min(self.options.nodes.saturating_sub(self.layer.count()));
            for child in children.by_ref().take(fit) {
                self.next.extend(self.numbering.take(&mut self.layer, cursor, node, child));
            }
            if fit < count as usize {
                self.stop = Some(Stop::Nodes);
                return;
            }
            self.layer.set_expanded(node);
            if self.options.until_covered && self.numbering.covered() {
                self.stop = Some(Stop::Covered);
            }
        }
    }

    /// Looks at the limits now and then, after so many more nodes; says whether it did.
    fn look(&mut self, cursor: &Cursor<'_>, nodes: usize) -> bool {
        self.unseen += nodes;
        let look = self.unseen >= LOOK_EVERY;
        if look {
            self.unseen = 0;
            self.limits(cursor);
        }
        look
    }

    fn limits(&mut self, cursor: &Cursor<'_>) {
        let paths = self.paths + cursor.path.bytes();
        let bytes = self.layer.settled().bytes() + self.layer.bytes() + paths + self.numbering.bytes();
        self.bytes = self.bytes.max(bytes);
        if self.stop.is_none() {
            self.stop = over_limit(self.options, bytes);
        }
    }
}

/// The limit that is reached, if one is.
pub(super) fn over_limit(options: &ExploreOptions, bytes: usize) -> Option<Stop> {
    if bytes > options.bytes {
        Some(Stop::Memory)
    } else if options.limits.cancelled() {
        Some(Stop::Cancelled)
    } else {
        None
    }
}
