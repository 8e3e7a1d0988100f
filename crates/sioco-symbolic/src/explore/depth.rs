//! Depth-first: the first successor of a node is expanded next.
//!
//! The next node depends on the last result, so one thread goes through the graph in order. Further workers prepare
//! subtrees that this thread will reach soon. The roots of these subtrees are nodes that wait on its stack. A subtree is
//! prepared only if it is expected to be large enough; the estimate comes from subtrees that begin at the same depth.
//! When the thread reaches the root, it finds the successors ready and only numbers them. If the root is merged, nobody
//! needs its subtree: the work was wasted, but the result is the same.

use std::cell::Cell;
use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::{Arc, Condvar, Mutex, MutexGuard};

use super::breadth::over_limit;
use super::cursor::{Child, Cursor};
use super::{ExploreOptions, ExploreProgress, Explorer, Stop};
use crate::graph::{Graph, Grow, NodeId};
use crate::step::Step;
use sioco_model::semantics::live::Live;

/// Subtrees that are expected to be smaller are not worth the effort: to copy the path to another worker takes about as
/// long.
const WORTH: usize = 100;

/// At most this many nodes of a subtree are expanded ahead: whoever needs it may have to wait for all of them.
const MOST_NODES: usize = 5_000;

/// At most this many subtrees per worker are in preparation or ready: enough that no worker waits, and what is ready
/// takes memory.
const AHEAD: usize = 16;

/// One looks this far down the stack for them: those near its bottom are the largest, but they are needed last.
const LOOK: usize = 400;
/// For this many nodes one does not look again if there was nothing: looking takes longer than a node.
const REST: usize = 100;

/// At most this many levels of a subtree are prepared: it is built by recursion, and has to fit the stack of a thread.
const LEVELS: usize = 200;

/// A successor that waits to be numbered.
struct Waiting {
    parent: NodeId,
    child: Child,
    ready: Ready,
}

/// What was prepared for a node that waits.
enum Ready {
    Nothing,
    /// Its subtree is in somebody's hands, or soon will be.
    Asked(Arc<Order>),
    /// Its successors are in a subtree that was prepared, from a place on, so many.
    Found(Rc<Subtree>, u32, u32),
}

/// Successors that were found ahead, those of a node in a row. The root's are the first.
struct Subtree {
    nodes: Vec<Prepared>,
    /// How many the root has.
    count: u32,
}

struct Prepared {
    step: Step,
    /// It is taken out when its turn comes.
    child: Cell<Option<Child>>,
    /// Its own successors, if they were looked for.
    below: Option<(u32, u32)>,
}

/// A subtree that a worker is asked to prepare.
struct Order {
    path: Vec<Step>,
    answer: Mutex<Answer>,
}

enum Answer {
    Open,
    /// A worker is at it.
    Taken,
    Done(Option<Subtree>),
    /// Nobody wants it any more.
    Void,
}

/// What is asked of the workers.
#[derive(Default)]
struct Desk {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    orders: VecDeque<Arc<Order>>,
    over: bool,
}

impl Desk {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|e| e.into_inner())
    }

    fn end(&self) {
        self.lock().over = true;
        self.changed.notify_all();
    }
}

impl Order {
    fn lock(&self) -> MutexGuard<'_, Answer> {
        self.answer.lock().unwrap_or_else(|e| e.into_inner())
    }

    /// Takes it on, if it is still wanted and nobody else did.
    fn take(&self) -> bool {
        let mut answer = self.lock();
        let open = matches!(*answer, Answer::Open);
        if open {
            *answer = Answer::Taken;
        }
        open
    }
}

/// How large subtrees are that begin at a depth.
#[derive(Default)]
struct Sizes {
    /// The nodes on the way to the current one: each is the root of a subtree that is not finished.
    way: Vec<usize>,
    /// By depth; a running mean.
    means: Vec<usize>,
}

impl Sizes {
    /// A node at a depth is reached; what began at that depth or below is finished.
    fn reach(&mut self, depth: usize, node: usize) {
        if self.means.len() <= depth {
            self.means.resize(depth + 1, 0);
        }
        for d in depth..self.way.len() {
            let size = node - self.way[d];
            self.means[d] = if self.means[d] == 0 { size } else { (self.means[d] * 3 + size) / 4 };
        }
        self.way.truncate(depth);
        self.way.resize(depth + 1, node);
    }

    fn expected(&self, depth: usize) -> usize {
        self.means.get(depth).copied().unwrap_or(0)
    }
}

impl<'m> Explorer<'m> {
    pub(super) fn depth_first(&mut self, progress: &mut dyn FnMut(ExploreProgress)) {
        let (first, others) = self.cursors.split_first_mut().expect("there is at least one worker");
        let live = self.numbering.live.clone();
        let (options, live) = (&self.options, live.as_deref());
        let desk = Desk::default();
        let workers = others.len();
        let paths: usize = others.iter().map(|c| c.path.bytes()).sum();
        let mut run = Run {
            graph: &mut self.graph,
            options,
            live,
            desk: &desk,
            workers,
            open: Vec::new(),
            found: Vec::new(),
            asked: VecDeque::new(),
            sizes: Sizes::default(),
            rest: 0,
        };
        let numbering = &mut self.numbering;
        let stop = std::thread::scope(|scope| {
            for cursor in others {
                let desk = &desk;
                scope.spawn(move || work(desk, cursor, options, live));
            }
            // Whatever happens here, the workers must not wait for more.
            struct Closing<'a>(&'a Desk);
            impl Drop for Closing<'_> {
                fn drop(&mut self) {
                    self.0.end();
                }
            }
            let _closing = Closing(&desk);
            let mut current = Some(run.graph.root());
            let mut ready = Ready::Nothing;
            let (mut cut, mut steps) = (false, 0usize);
            let stop = loop {
                if let Some(node) = current {
                    if options.depth.is_some_and(|d| run.graph.depth(node) >= d) {
                        cut = true;
                    } else {
                        run.expand(first, node, ready);
                    }
                }
                steps += 1;
                if steps.is_multiple_of(1024) {
                    let (nodes, open) = (run.graph.len(), run.open.len());
                    progress(ExploreProgress { nodes, depth: first.path.len(), open });
                    let bytes = run.graph.bytes() + paths + first.path.bytes() + numbering.bytes();
                    self.bytes = self.bytes.max(bytes);
                    if let Some(stop) = over_limit(options, bytes) {
                        break Some(stop);
                    }
                } else if options.limits.cancelled() {
                    break Some(Stop::Cancelled);
                }
                if options.until_covered && numbering.covered() {
                    break Some(Stop::Covered);
                }
                if !run.open.is_empty() && run.graph.len() >= options.nodes {
                    break Some(Stop::Nodes);
                }
                let Some(waiting) = run.open.pop() else { break cut.then_some(Stop::Depth) };
                ready = waiting.ready;
                current = numbering.take(run.graph, first, waiting.parent, waiting.child);
                if current.is_none() {
                    run.void(&ready);
                }
            };
            for waiting in std::mem::take(&mut run.open) {
                run.graph.set_unfinished(waiting.parent);
                run.void(&waiting.ready);
            }
            stop
        });
        self.stop = stop;
    }
}

/// The thread that goes through the graph.
struct Run<'a> {
    graph: &'a mut Graph,
    options: &'a ExploreOptions,
    live: Option<&'a Live>,
    desk: &'a Desk,
    workers: usize,
    /// The successors that wait, last first.
    open: Vec<Waiting>,
    found: Vec<Child>,
    /// What was asked for and not used yet.
    asked: VecDeque<Arc<Order>>,
    sizes: Sizes,
    /// For so many nodes nothing is asked for.
    rest: usize,
}

impl Run<'_> {
    /// Finds the successors of a node, or uses what was prepared.
    fn expand(&mut self, cursor: &mut Cursor<'_>, node: NodeId, ready: Ready) {
        let ready = match ready {
            Ready::Asked(order) => self.collect(cursor, &order),
            other => other,
        };
        if let Ready::Found(subtree, from, count) = ready {
            for prepared in subtree.nodes[from as usize..][..count as usize].iter().rev() {
                let Some(child) = prepared.child.take() else { continue };
                let ready = match prepared.below {
                    Some((from, count)) => Ready::Found(subtree.clone(), from, count),
                    None => Ready::Nothing,
                };
                self.open.push(Waiting { parent: node, child, ready });
            }
        } else {
            cursor.go(self.graph, node);
            self.found.clear();
            cursor.expand(self.options, self.live, self.graph.step(node), &mut self.found);
            // When it is cancelled, answers may be unknown for no other reason.
            if self.options.limits.cancelled() {
                return;
            }
            let wait = |child| Waiting { parent: node, child, ready: Ready::Nothing };
            self.open.extend(self.found.drain(..).rev().map(wait));
        }
        self.graph.set_expanded(node);
        if self.workers > 0 {
            self.sizes.reach(self.graph.depth(node), self.graph.len());
            self.ask();
        }
    }

    /// What a worker prepared. While one is still at it, we do what else was asked for: it will be next.
    fn collect(&mut self, cursor: &mut Cursor<'_>, order: &Arc<Order>) -> Ready {
        self.asked.retain(|o| !Arc::ptr_eq(o, order));
        loop {
            let mut answer = order.lock();
            if !matches!(*answer, Answer::Taken) {
                return match std::mem::replace(&mut *answer, Answer::Void) {
                    Answer::Done(Some(found)) => {
                        let count = found.count;
                        Ready::Found(Rc::new(found), 0, count)
                    }
                    _ => Ready::Nothing,
                };
            }
            drop(answer);
            let mut state = self.desk.lock();
            if let Some(other) = state.orders.pop_front() {
                drop(state);
                prepare(self.desk, &other, cursor, self.options, self.live);
                continue;
            }
            // Looked at under the lock of the desk, which a worker takes when it is done, so that this is not missed.
            while !state.over && matches!(*order.lock(), Answer::Taken) && state.orders.is_empty() {
                state = self.desk.changed.wait(state).unwrap_or_else(|e| e.into_inner());
            }
            if state.over {
                return Ready::Nothing;
            }
        }
    }

    /// It is not needed after all.
    fn void(&mut self, ready: &Ready) {
        if let Ready::Asked(order) = ready {
            *order.lock() = Answer::Void;
            self.asked.retain(|o| !Arc::ptr_eq(o, order));
        }
    }

    /// Asks for subtrees that will be needed soon, except for the one that is next.
    fn ask(&mut self) {
        let most = AHEAD * self.workers;
        if self.asked.len() >= most || self.rest > 0 {
            self.rest = self.rest.saturating_sub(1);
            return;
        }
        self.rest = REST;
        let from = self.open.len().saturating_sub(LOOK);
        for i in (from..self.open.len().saturating_sub(1)).rev() {
            if self.asked.len() >= most {
                break;
            }
            let waiting = &self.open[i];
            let depth = self.graph.depth(waiting.parent) + 1;
            let deep = self.options.depth.is_some_and(|d| depth >= d);
            if deep || !matches!(waiting.ready, Ready::Nothing) || self.sizes.expected(depth) < WORTH {
                continue;
            }
            let mut path = self.graph.path(waiting.parent);
            path.push(waiting.child.step);
            let order = Arc::new(Order { path, answer: Mutex::new(Answer::Open) });
            self.open[i].ready = Ready::Asked(order.clone());
            self.asked.push_back(order.clone());
            self.rest = 0;
            self.desk.lock().orders.push_back(order);
            self.desk.changed.notify_all();
        }
    }
}

/// Prepares subtrees until there is nothing more to do.
fn work(desk: &Desk, cursor: &mut Cursor<'_>, options: &ExploreOptions, live: Option<&Live>) {
    // Nobody must wait for a worker that panicked.
    struct Alarm<'a>(&'a Desk);
    impl Drop for Alarm<'_> {
        fn drop(&mut self) {
            if std::thread::panicking() {
                self.0.end();
            }
        }
    }
    let _alarm = Alarm(desk);
    loop {
        let mut state = desk.lock();
        let order = loop {
            if state.over {
                return;
            }
            match state.orders.pop_front() {
                Some(order) => break order,
                None => state = desk.changed.wait(state).unwrap_or_else(|e| e.into_inner()),
            }
        };
        drop(state);
        prepare(desk, &order, cursor, options, live);
    }
}

/// Does what was asked for, unless it is done or not wanted any more.
fn prepare(desk: &Desk, order: &Order, cursor: &mut Cursor<'_>, options: &ExploreOptions, live: Option<&Live>) {
    if !order.take() {
        return;
    }
    cursor.follow(&order.path);
    let depth = (order.path.len() + LEVELS).min(options.depth.unwrap_or(usize::MAX));
    let mut wanted = Wanted { nodes: MOST_NODES, depth, found: Vec::new() };
    let mut nodes = Vec::new();
    let root = subtree(desk, cursor, options, live, &mut wanted, &mut nodes);
    let found = root.map(|(_, count)| Subtree { nodes, count });
    // Under the lock, so that it is not missed by somebody who is about to wait.
    let _state = desk.lock();
    let mut answer = order.lock();
    if matches!(*answer, Answer::Taken) {
        *answer = Answer::Done(found);
    }
    drop(answer);
    desk.changed.notify_all();
}

/// How much of a subtree is wanted.
struct Wanted {
    nodes: usize,
    depth: usize,
    /// The successors of one node, before they get their places.
    found: Vec<Child>,
}

/// Adds the successors of the node where the path ends, and theirs, as far as they are wanted; says where its own are.
fn subtree(
    desk: &Desk,
    cursor: &mut Cursor<'_>,
    options: &ExploreOptions,
    live: Option<&Live>,
    wanted: &mut Wanted,
    nodes: &mut Vec<Prepared>,
) -> Option<(u32, u32)> {
    let depth = cursor.path.len();
    if wanted.nodes == 0 || depth >= wanted.depth || options.limits.cancelled() {
        return None;
    }
    wanted.nodes -= 1;
    if wanted.nodes.is_multiple_of(256) && desk.lock().over {
        wanted.nodes = 0;
        return None;
    }
    let last = cursor.path.step(depth.wrapping_sub(1));
    wanted.found.clear();
    let count = cursor.expand(options, live, last, &mut wanted.found);
    if options.limits.cancelled() {
        return None;
    }
    let from = nodes.len();
    let prepared = |child: Child| Prepared { step: child.step, child: Cell::new(Some(child)), below: None };
    nodes.extend(wanted.found.drain(..).map(prepared));
    if depth + 1 < wanted.depth {
        for i in from..from + count as usize {
            if wanted.nodes == 0 {
                break;
            }
            cursor.path.advance(nodes[i].step);
            let below = subtree(desk, cursor, options, live, wanted, nodes);
            cursor.path.retreat();
            nodes[i].below = below;
        }
    }
    Some((from as u32, count))
}
