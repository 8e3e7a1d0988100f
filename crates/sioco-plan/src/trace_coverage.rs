//! All paths, or all symbolic traces, of a length (S3 definition 18, S1 section 5.1).
//!
//! The tree grows by one observable step at a time. The traces of length n extend those of length n - 1 (S1 section 5.3),
//! so a branch ends at its first impossible step. Internal steps do not count as length (T-P4). An internal step back to a
//! state on the same chain is not followed. All cores take part; the tree is the same
//! however many there are.

use std::sync::atomic::{AtomicUsize, Ordering};

use sioco_model::semantics::interpreter::Interpreter;
use sioco_model::semantics::live::Live;
use sioco_model::{LocationId, Model, TermId, Value};
use sioco_solve::values::{Choice, Random};
use sioco_solve::{Limits, Reason};
use sioco_symbolic::explore::{ExploreProgress, Stop};
use sioco_symbolic::path::{Path, Possible, Shortcuts, SolverFactory};
use sioco_symbolic::step::Step;

use crate::close::{close, is_observed};
use crate::drawn_values::Drawer;
use crate::pieces::in_pieces;
use crate::plan::{Counts, Memory, PlanOptions};
use crate::purpose::{Leg, Purpose};
use crate::walker::Walker;

/// A node of the tree. There may be millions.
struct Node {
    parent: u32,
    step: Option<Step>,
    doubt: Option<Box<Reason>>,
}

/// The tree of all paths up to a length.
pub(crate) struct Lengths {
    nodes: Vec<Node>,
    /// What there is of each length, from 0.
    layers: Vec<Layer>,
    /// The nodes where nothing follows, those of shorter paths first.
    ends: Vec<u32>,
    /// What the latter take besides their nodes.
    ended: Memory,
    /// The length that was reached.
    pub length: usize,
    pub stop: Stop,
    pub counts: Counts,
}

/// All paths up to a length.
struct Layer {
    length: usize,
    /// The nodes with so many observable steps.
    last: Vec<u32>,
    /// How many nodes there are before them where nothing follows.
    ends: usize,
}

/// Internal steps do not lead back.
const NOWHERE: usize = usize::MAX;
/// A worker expands this many nodes at a time: enough that handing out work costs little, and few enough that all
/// workers end together.
const PIECE: usize = 64;
/// A worker finds values for this many nodes at a time: that takes less time for each than expanding it.
const TESTS: usize = 512;

/// A state on a chain of internal steps is compared by a solver with at most this many others: the nearest ones, to
/// which a cycle leads back.
const COMPARED: usize = 4;
/// And in at most this many rounds of the chain: a state that was not met again by then has values that go on changing.
const ROUNDS: usize = 32;

/// A state as far as a path knows it: the values of the variables that still matter. What is known of them only grows
/// along a path, so a state with the values of an earlier one can do nothing that the earlier one cannot.
type Seen = (Vec<LocationId>, Vec<TermId>);

/// What follows a piece of a layer. Its nodes are numbered as if it were the only piece.
struct Growing<'a, 'm> {
    tree: &'a Lengths,
    walker: &'a mut Walker<'m>,
    options: &'a PlanOptions,
    live: &'a Live,
    /// Whether silence is a step.
    delta: bool,
    /// How many nodes there are, with those of other pieces, and how much memory that takes.
    total: &'a AtomicUsize,
    bytes: &'a AtomicUsize,
    /// How many steps lead to the node that is expanded.
    depth: usize,
    grown: Grown,
}

#[derive(Default)]
struct Grown {
    nodes: Vec<Node>,
    next: Vec<u32>,
    ends: Vec<u32>,
    ended: Memory,
    counts: Counts,
}

/// Walkers for all cores. They ask nothing when the search is over.
pub(crate) fn walkers<'m>(model: &'m Model, solvers: SolverFactory<'_>, options: &PlanOptions) -> Vec<Walker<'m>> {
    (0..options.workers.max(1)).map(|_| walker(model, solvers, options.search_limits())).collect()
}

fn walker<'m>(model: &'m Model, solvers: SolverFactory<'_>, limits: Limits) -> Walker<'m> {
    Walker::new(Path::with(model, solvers, Shortcuts::default(), limits))
}

/// Grows the tree of a model.
pub(crate) fn grow(
    walkers: &mut [Walker<'_>],
    options: &PlanOptions,
    length: usize,
    delta: bool,
    progress: &mut dyn FnMut(ExploreProgress),
) -> Lengths {
    let mut tree = Lengths {
        nodes: vec![Node { parent: 0, step: None, doubt: None }],
        layers: vec![Layer { length: 0, last: vec![0], ends: 0 }],
        ends: Vec::new(),
        ended: Memory::default(),
        length: 0,
        stop: Stop::Complete,
        counts: Counts::default(),
    };
    let Some(model) = walkers.first().map(|w| w.path.model()) else { return tree };
    let live = Live::of(model);
    for n in 1..=length {
        let last = tree.last();
        let layer = last.len();
        progress(ExploreProgress { nodes: tree.nodes.len(), depth: n, open: layer });
        let total = AtomicUsize::new(tree.nodes.len());
        // What is not an end yet gives way to what follows it.
        let bytes = AtomicUsize::new(Memory { nodes: tree.nodes.len(), ..tree.ended }.bytes());
        let expand = |walker: &mut Walker<'_>, _: usize, piece: &[u32]| {
            let grown = Grown::default();
            let mut growing = Growing {
                tree: &tree,
                walker,
                options,
                live: &live,
                delta,
                total: &total,
                bytes: &bytes,
                depth: 0,
                grown,
            };
            for &node in piece {
                // Going there takes time, too.
                if options.is_over() {
                    return Err(Stop::Cancelled);
                }
                let legs = tree.legs(node);
                growing.depth = legs.len();
                growing.walker.follow(&legs);
                growing.expand(node, &mut Vec::new())?;
            }
            Ok(growing.grown)
        };
        let mut told = |done| {
            let nodes = total.load(Ordering::Relaxed);
            progress(ExploreProgress { nodes, depth: n, open: layer - done });
        };
        // If the layer does not fit, the one before it stays.
        let found: Result<Vec<Grown>, Stop> = in_pieces(last, PIECE, walkers, expand, &mut told).into_iter().collect();
        match found {
            Err(stop) => {
                tree.stop = stop;
                break;
            }
            Ok(pieces) => tree.add(n, pieces),
        }
        if tree.last().is_empty() {
            break;
        }
    }
    tree.counts.nodes = tree.nodes.len();
    tree
}

impl Growing<'_, '_> {
    /// The number of the first node that is new.
    fn first(&self) -> u32 {
        self.tree.nodes.len() as u32
    }

    fn node(&self, node: u32) -> &Node {
        match node.checked_sub(self.first()) {
            Some(new) => &self.grown.nodes[new as usize],
            None => &self.tree.nodes[node as usize],
        }
    }

    /// Adds what follows a node, up to the next observable step. The walker is there. Says how far back internal steps
    /// lead: to a place on the chain, or nowhere if something follows or the node is an end.
    fn expand(&mut self, node: u32, chain: &mut Vec<Seen>) -> Result<usize, Stop> {
        if self.options.is_over() {
            return Err(Stop::Cancelled);
        }
        let model = self.walker.path.model();
        let locations = self.walker.path.locations().to_vec();
        let live = self.live;
        let vars = locations.iter().flat_map(|l| live.at(*l));
        let terms = vars.map(|v| self.walker.path.term(*v)).collect();
        let here = (locations, terms);
        if let Some(back) = self.again(&here, chain) {
            return Ok(back);
        }
        if chain.len() >= self.options.internal {
            self.grown.counts.cut += 1;
            return Ok(NOWHERE);
        }
        let mut steps = Vec::new();
        self.walker.path.outgoing(&mut steps);
        // Two silences in a row say nothing new (T-P18).
        if self.delta && !self.node(node).step.is_some_and(Step::is_silence) {
            steps.push(Step::Delta);
            if self.walker.path.may_diverge() {
                steps.push(Step::Divergence);
            }
        }
        chain.push(here);
        // Whether something can be seen from here on, and how far back steps lead otherwise.
        let (mut follows, mut back) = (false, NOWHERE);
        for step in steps {
            self.grown.counts.candidates += 1;
            let doubt = match self.walker.take(&Leg::from(step)) {
                Possible::No => {
                    self.grown.counts.impossible += 1;
                    continue;
                }
                Possible::Yes => None,
                Possible::Unknown(Reason::Cancelled) => return Err(Stop::Cancelled),
                Possible::Unknown(reason) => Some(Box::new(reason)),
            };
            if self.total.fetch_add(1, Ordering::Relaxed) >= self.options.nodes.min(u32::MAX as usize) {
                return Err(Stop::Nodes);
            }
            self.takes(Memory { nodes: 1, ..Memory::default() })?;
            let child = self.first() + self.grown.nodes.len() as u32;
            self.grown.nodes.push(Node { parent: node, step: Some(step), doubt });
            if !step.is_observable(model) {
                let to = self.expand(child, chain)?;
                follows |= to == NOWHERE;
                back = back.min(to);
            } else {
                let test = one_test(self.depth + chain.len());
                self.takes(test)?;
                if step.is_silence() && !self.options.silence {
                    self.grown.end(child, test);
                } else {
                    self.grown.next.push(child);
                }
                follows = true;
            }
            self.walker.back();
        }
        chain.pop();
        if follows || back < chain.len() {
            return Ok(if follows { NOWHERE } else { back });
        }
        // Nothing follows, or internal steps for ever.
        let test = one_test(self.depth + chain.len());
        self.takes(test)?;
        self.grown.end(node, test);
        Ok(NOWHERE)
    }

    /// Where on a chain of internal steps the same state was before: in the same words, or as it is proved.
    fn again(&mut self, here: &Seen, chain: &[Seen]) -> Option<usize> {
        if let Some(back) = chain.iter().position(|c| c == here) {
            return Some(back);
        }
        let alike: Vec<(usize, &Seen)> = chain.iter().enumerate().filter(|(_, c)| c.0 == here.0).collect();
        // Whoever has not come back after so many rounds hardly will.
        if alike.len() > ROUNDS {
            return None;
        }
        for (back, before) in alike.into_iter().take(COMPARED) {
            let other = self.walker.path.build(|pool, sorts| {
                let same: Vec<TermId> = before.1.iter().zip(&here.1).map(|(a, b)| pool.eq(sorts, *a, *b)).collect();
                let same = pool.and(sorts, &same);
                pool.not(sorts, same)
            });
            if self.walker.path.may_hold(other) == Possible::No {
                return Some(back);
            }
        }
        None
    }

    /// More memory is taken, if there is any.
    fn takes(&self, more: Memory) -> Result<(), Stop> {
        let bytes = more.bytes();
        let before = self.bytes.fetch_add(bytes, Ordering::Relaxed);
        if self.options.memory.is_some_and(|most| before.saturating_add(bytes) > most) {
            return Err(Stop::Memory);
        }
        Ok(())
    }
}

/// What a trace of so many steps takes besides its nodes.
fn one_test(steps: usize) -> Memory {
    Memory { nodes: 0, purposes: 1, steps }
}

impl Grown {
    /// Nothing follows a node.
    fn end(&mut self, node: u32, test: Memory) {
        self.ends.push(node);
        self.ended.purposes += test.purposes;
        self.ended.steps += test.steps;
    }
}

impl Lengths {
    /// The longest paths so far that may go on.
    fn last(&self) -> &[u32] {
        self.layers.last().map_or(&[], |layer| &layer.last)
    }

    /// Adds a layer, given in pieces. If nothing has its last observable step there, it only shows that nothing is longer.
    fn add(&mut self, n: usize, pieces: Vec<Grown>) {
        let (first, ended) = (self.nodes.len() as u32, self.ends.len());
        let mut last = Vec::new();
        for piece in pieces {
            let by = self.nodes.len() as u32 - first;
            let moved = |n: u32| if n < first { n } else { n + by };
            last.extend(piece.next.into_iter().map(moved));
            self.ends.extend(piece.ends.into_iter().map(moved));
            self.nodes.extend(piece.nodes.into_iter().map(|n| Node { parent: moved(n.parent), ..n }));
            self.ended.purposes += piece.ended.purposes;
            self.ended.steps += piece.ended.steps;
            self.counts.candidates += piece.counts.candidates;
            self.counts.impossible += piece.counts.impossible;
            self.counts.cut += piece.counts.cut;
        }
        let is_silence = |n: &u32| *n >= first && self.nodes[*n as usize].step.is_some_and(Step::is_silence);
        if !last.is_empty() || self.ends[ended..].iter().any(is_silence) {
            self.length = n;
        }
        self.layers.push(Layer { length: self.length, last, ends: self.ends.len() });
    }

    /// The nodes from the initial state to one.
    fn line(&self, node: u32) -> Vec<u32> {
        let mut line = vec![node];
        let mut at = node;
        while at != 0 {
            at = self.nodes[at as usize].parent;
            line.push(at);
        }
        line.reverse();
        line
    }

    fn legs(&self, node: u32) -> Vec<Leg> {
        self.line(node).into_iter().filter_map(|n| self.nodes[n as usize].step.map(Leg::from)).collect()
    }

    /// The nodes that are to become accepts, in the order of the tree.
    fn targets(&self, layer: &Layer) -> Vec<u32> {
        let ends = &self.ends[..layer.ends];
        let mut targets: Vec<u32> = layer.last.iter().chain(ends).copied().filter(|n| *n != 0).collect();
        targets.sort_unstable();
        targets
    }

    /// One purpose with all of them (S3 definition 18).
    pub fn one_purpose(&mut self, walker: &mut Walker<'_>, options: &PlanOptions) -> Vec<Purpose> {
        let targets = self.layers.last().map_or_else(Vec::new, |layer| self.targets(layer));
        let mut wanted = vec![false; self.nodes.len()];
        for target in &targets {
            for node in self.line(*target) {
                wanted[node as usize] = true;
            }
        }
        let mut purpose = Purpose::default();
        let mut place = vec![0; self.nodes.len()];
        for (i, node) in self.nodes.iter().enumerate().skip(1).filter(|(i, _)| wanted[*i]) {
            let Some(step) = node.step else { continue };
            place[i] = purpose.add(place[node.parent as usize], Leg::from(step), node.doubt.as_deref().cloned());
        }
        for &target in &targets {
            let end = End { walker, purpose: &mut purpose, at: place[target as usize] };
            let legs = self.legs(target);
            end.make(&legs, options, &mut self.counts);
        }
        if targets.is_empty() { Vec::new() } else { vec![purpose] }
    }

    /// A purpose for each of them (S1: one test case for every symbolic trace), the longest first. If there is no time for
    /// all tests of the greatest length, those of the greatest one for which there is.
    pub fn purposes(&mut self, model: &Model, solvers: SolverFactory<'_>, options: &PlanOptions) -> Vec<Purpose> {
        let make = |layer: &Layer, limits: &Limits, over: &Over<'_>| {
            self.tests(model, solvers, &PlanOptions { limits: limits.clone(), ..options.clone() }, layer, over)
                .map(|made| (layer.length, made))
        };
        // A question about the greatest length must not take the time that is there for the others.
        let (search, all, over) = (options.search_limits(), &options.limits, || options.is_over());
        let greatest = self.layers.last().filter(|_| self.stop != Stop::Cancelled);
        let mut found = greatest.and_then(|layer| make(layer, &search, &over));
        if found.is_none() {
            // The shorter they are, the sooner they are made; each length is a small part of the next one. What is left of
            // the time decides how many there are.
            let over = || all.cancelled();
            found = self.layers.iter().skip(1).map_while(|layer| make(layer, all, &over)).last();
        }
        // Where no length has all its tests, the shortest ones without values are better than nothing.
        let found = found.or_else(|| self.layers.get(1).and_then(|layer| make(layer, all, &|| false)));
        let Some((length, Made { purposes, counts })) = found else { return Vec::new() };
        if length < self.length {
            (self.length, self.stop) = (length, Stop::Cancelled);
        }
        self.counts.cut += counts.cut;
        self.counts.unfinished += counts.unfinished;
        purposes
    }

    /// The purposes of a layer, if there is time for them.
    fn tests(
        &self,
        model: &Model,
        solvers: SolverFactory<'_>,
        options: &PlanOptions,
        layer: &Layer,
        over: &Over<'_>,
    ) -> Option<Made> {
        let make = |(): &mut (), number: usize, piece: &[u32]| {
            if over() {
                return None;
            }
            let mut tests = Tests::new(model, solvers, options, number);
            let one = |target: &u32| Some(tests.purpose(self, *target)).filter(|_| !over());
            let purposes = piece.iter().map(one).collect::<Option<Vec<Purpose>>>()?;
            Some(Made { purposes, counts: tests.counts })
        };
        let mut workers = vec![(); options.workers.max(1)];
        let mut all = Made::default();
        for made in in_pieces(&self.targets(layer), TESTS, &mut workers, make, &mut |_| {}) {
            let made = made?;
            all.purposes.extend(made.purposes);
            all.counts.cut += made.counts.cut;
            all.counts.unfinished += made.counts.unfinished;
        }
        Some(all)
    }
}

/// Whether the time is over.
type Over<'a> = dyn Fn() -> bool + Sync + 'a;

/// Purposes of a length.
#[derive(Default)]
struct Made {
    purposes: Vec<Purpose>,
    counts: Counts,
}

/// The end of a purpose.
struct End<'a, 'm> {
    walker: &'a mut Walker<'m>,
    purpose: &'a mut Purpose,
    at: usize,
}

impl End<'_, '_> {
    /// Adds it, and counts it if it is not whole. It is worth more time than was planned, since otherwise nobody waits for
    /// the answer to the last input; only if that is over, too, the purpose ends where it is.
    fn make(self, legs: &[Leg], options: &PlanOptions, counts: &mut Counts) {
        if options.strict || is_observed(self.walker.path.model(), self.purpose, self.at) {
            self.purpose.nodes[self.at].accept = true;
        } else if options.limits.cancelled() {
            self.purpose.nodes[self.at].accept = true;
            counts.unfinished += 1;
        } else {
            self.walker.follow(legs);
            counts.cut += usize::from(!close(self.walker, self.purpose, self.at, false));
        }
    }
}

/// Makes purposes of traces, with values. It has a seed and a solver of its own, so that they are the same whoever made
/// others.
struct Tests<'a, 'm> {
    model: &'m Model,
    options: &'a PlanOptions,
    walker: Walker<'m>,
    interpreter: Interpreter<'m>,
    drawer: Drawer,
    random: Random,
    counts: Counts,
}

impl<'a, 'm> Tests<'a, 'm> {
    fn new(model: &'m Model, solvers: SolverFactory<'_>, options: &'a PlanOptions, number: usize) -> Self {
        let mut seeds = Random::new(options.seed.wrapping_add(number as u64));
        Tests {
            model,
            options,
            walker: walker(model, solvers, options.limits.clone()),
            interpreter: Interpreter::new(model),
            drawer: Drawer::default(),
            random: Random::new(seeds.bits()),
            counts: Counts::default(),
        }
    }

    fn purpose(&mut self, tree: &Lengths, target: u32) -> Purpose {
        let mut purpose = Purpose::default();
        let mut at = 0;
        let line = tree.line(target);
        purpose.nodes.reserve_exact(line.len() - 1);
        for node in line.into_iter().skip(1) {
            let node = &tree.nodes[node as usize];
            if let Some(step) = node.step {
                at = purpose.add(at, Leg::from(step), node.doubt.as_deref().cloned());
            }
        }
        let legs = tree.legs(target);
        if let Some(choice) = self.options.tests.filter(|_| !self.options.limits.cancelled()) {
            purpose.test = self.test(&legs, choice);
        }
        let end = End { walker: &mut self.walker, purpose: &mut purpose, at };
        end.make(&legs, self.options, &mut self.counts);
        purpose
    }

    /// Values for the way, one after the other; nothing if none are found.
    fn test(&mut self, legs: &[Leg], choice: Choice) -> Option<Box<[Value]>> {
        let random = matches!(choice, Choice::Random(_));
        let steps = match random.then(|| self.drawn(legs)).flatten() {
            Some(steps) => steps,
            None => {
                self.walker.follow(legs);
                let choice = if random { Choice::Random(self.random.bits()) } else { choice };
                self.walker.path.solve_with(choice).ok()?.steps
            }
        };
        let seen = steps.into_iter().filter(|(step, _)| step.is_observable(self.model));
        Some(seen.flat_map(|(_, values)| values).collect())
    }

    fn drawn(&mut self, legs: &[Leg]) -> Option<Vec<(Step, Vec<Value>)>> {
        if self.model.free_variables().next().is_some() {
            return None;
        }
        let start = self.interpreter.initial_default();
        let legs: Vec<&Leg> = legs.iter().collect();
        self.drawer.along(&mut self.interpreter, &start, &legs, &mut self.random)
    }
}
