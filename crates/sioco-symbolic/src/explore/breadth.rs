//! Breadth-first: layer by layer.
//!
//! All nodes of a layer are known when it begins, so the workers go through it piece by piece, while the first of them
//! numbers what they found whenever it is the turn of a piece that is done. New nodes lie beside the graph until the
//! layer ends, so that the workers can read the graph meanwhile.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard};

use super::cursor::{Child, Cursor};
use super::numbering::Numbering;
use super::{Explorer, Options, Progress, Stop};
use crate::graph::{Graph, Grow, Layer, NodeId};
use crate::live::Live;

/// How many nodes a worker takes at a time.
const PIECE: usize = 256;

/// Layers with fewer nodes than this are not worth a thread.
const SHARED_FROM: usize = 64;

/// How many pieces may be done and not numbered yet, per worker.
const AHEAD: usize = 16;

/// After how many pieces limits are looked at and somebody is told.
const LOOK_EVERY: usize = 64;

/// The successors of some nodes in a row. A piece that was given up is shorter than its nodes.
#[derive(Default)]
struct Piece {
    /// How many successors each node has.
    counts: Vec<u32>,
    children: Vec<Child>,
}

/// What is asked and answered while a layer is shared.
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    /// The piece that is to be done next.
    next: usize,
    /// The piece that is to be numbered next.
    turn: usize,
    /// What was done, from `turn` on.
    done: VecDeque<Option<Piece>>,
    /// Pieces that were numbered, for their memory: whoever frees what another thread allocated makes both wait.
    spare: Vec<Piece>,
    /// Nothing more is wanted.
    over: bool,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        // A worker that panicked ends the scope, which passes the panic on.
        self.state.lock().unwrap_or_else(|e| e.into_inner())
    }

    /// Nothing more is wanted.
    fn end(&self) {
        self.lock().over = true;
        self.changed.notify_all();
    }

    fn put(&self, at: usize, piece: Piece) {
        let mut state = self.lock();
        let place = at - state.turn;
        if state.done.len() <= place {
            state.done.resize_with(place + 1, || None);
        }
        state.done[place] = Some(piece);
        drop(state);
        self.changed.notify_all();
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
    Expand(usize, Piece),
}

impl<'m> Explorer<'m> {
    pub(super) fn breadth_first(&mut self, progress: &mut dyn FnMut(Progress)) {
        let mut layer: Vec<NodeId> = vec![self.graph.root()];
        let mut next = Vec::new();
        while !layer.is_empty() && self.stop.is_none() {
            let depth = self.graph.depth(layer[0]);
            progress(Progress { nodes: self.graph.len(), depth, open: layer.len() });
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
    fn expand_layer(&mut self, layer: &[NodeId], next: &mut Vec<NodeId>, progress: &mut dyn FnMut(Progress)) {
        let depth = self.graph.depth(layer[0]);
        let pieces: Vec<&[NodeId]> = layer.chunks(PIECE).collect();
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
        };
        let graph = &self.graph;
        let mut tell = |growing: &Growing<'_>, done: usize| {
            if done.is_multiple_of(LOOK_EVERY) {
                progress(Progress { nodes: growing.layer.count(), depth, open: growing.next.len() });
            }
        };
        if !shared {
            let mut piece = Piece::default();
            for (i, nodes) in pieces.iter().enumerate() {
                piece = expand(first, graph, nodes, growing.options, growing.numbering.live.as_deref(), piece);
                growing.number(first, nodes, &mut piece);
                growing.look(first, i + 1, pieces.len());
                if growing.stop.is_some() {
                    break;
                }
                tell(&growing, i + 1);
            }
        } else {
            let live = growing.numbering.live.clone();
            let (options, live) = (growing.options, live.as_deref());
            let ahead = AHEAD * (others.len() + 1);
            let shared = Shared {
                state: Mutex::new(State { next: 0, turn: 0, done: VecDeque::new(), spare: Vec::new(), over: false }),
                changed: Condvar::new(),
            };
            std::thread::scope(|scope| {
                let _alarm = Alarm(&shared);
                for cursor in others {
                    let (shared, pieces) = (&shared, &pieces);
                    scope.spawn(move || {
                        let _alarm = Alarm(shared);
                        while let Some((i, spare)) = next_piece(shared, pieces.len(), ahead) {
                            shared.put(i, expand(cursor, graph, pieces[i], options, live, spare));
                        }
                    });
                }
                let mut numbered = 0;
                while numbered < pieces.len() && growing.stop.is_none() {
                    match turn(&shared, pieces.len()) {
                        Some(Turn::Expand(i, spare)) => {
                            shared.put(i, expand(first, graph, pieces[i], options, live, spare));
                        }
                        Some(Turn::Number(mut piece)) => {
                            growing.number(first, pieces[numbered], &mut piece);
                            shared.lock().spare.push(piece);
                            numbered += 1;
                            growing.look(first, numbered, pieces.len());
                            tell(&growing, numbered);
                        }
                        // A worker panicked.
                        None => break,
                    }
                }
                shared.end();
            });
        }
        let Growing { layer, stop, bytes, .. } = growing;
        let new = layer.done();
        (self.stop, self.bytes) = (stop, bytes);
        self.graph.settle(new);
    }
}

/// A piece for a worker; it waits while too much is not numbered yet.
fn next_piece(shared: &Shared, pieces: usize, ahead: usize) -> Option<(usize, Piece)> {
    let mut state = shared.lock();
    loop {
        if state.over || state.next >= pieces {
            return None;
        }
        if state.next < state.turn + ahead {
            state.next += 1;
            return Some((state.next - 1, state.spare.pop().unwrap_or_default()));
        }
        state = shared.changed.wait(state).unwrap_or_else(|e| e.into_inner());
    }
}

/// The next thing to do for the thread that numbers: number if it can, expand if it cannot, wait if all is taken.
fn turn(shared: &Shared, pieces: usize) -> Option<Turn> {
    let mut state = shared.lock();
    loop {
        if let Some(Some(_)) = state.done.front() {
            let piece = state.done.pop_front().flatten().expect("it was just looked at");
            state.turn += 1;
            drop(state);
            shared.changed.notify_all();
            return Some(Turn::Number(piece));
        }
        if state.over {
            return None;
        }
        if state.next < pieces {
            state.next += 1;
            return Some(Turn::Expand(state.next - 1, state.spare.pop().unwrap_or_default()));
        }
        state = shared.changed.wait(state).unwrap_or_else(|e| e.into_inner());
    }
}

fn expand(
    cursor: &mut Cursor<'_>,
    graph: &Graph,
    nodes: &[NodeId],
    options: &Options,
    live: Option<&Live>,
    mut piece: Piece,
) -> Piece {
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
    options: &'a Options,
    stop: Option<Stop>,
    bytes: usize,
    paths: usize,
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

    /// Looks at the limits now and then.
    fn look(&mut self, cursor: &Cursor<'_>, done: usize, of: usize) {
        if !done.is_multiple_of(LOOK_EVERY) && done != of {
            return;
        }
        let paths = self.paths + cursor.path.bytes();
        let bytes = self.layer.settled().bytes() + self.layer.bytes() + paths + self.numbering.bytes();
        self.bytes = self.bytes.max(bytes);
        if self.stop.is_none() {
            self.stop = over_limit(self.options, bytes);
        }
    }
}

/// The limit that is reached, if one is.
pub(super) fn over_limit(options: &Options, bytes: usize) -> Option<Stop> {
    if bytes > options.bytes {
        Some(Stop::Memory)
    } else if options.limits.cancelled() {
        Some(Stop::Cancelled)
    } else {
        None
    }
}
