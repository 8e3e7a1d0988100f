//! All paths, or all symbolic traces, of a length (S3 definition 18, S1 section 5.1).
//!
//! The tree grows by one observable step at a time: what can be reached with n of them is made out of what can be reached
//! with n - 1 (S1 section 5.3), so an impossible path is cut at its first impossible step. Internal steps cost no length;
//! those that lead back to a state on the same chain are not followed again.

use sioco_model::{LocationId, TermId, Value};
use sioco_solve::Reason;
use sioco_solve::values::{Choice, Random};
use sioco_symbolic::explore::{Progress, Stop};
use sioco_symbolic::path::Possible;
use sioco_symbolic::step::Step;

use crate::close::close;
use crate::plan::{Counts, Options};
use crate::purpose::{Leg, Purpose};
use crate::walker::Walker;

/// A node of the tree.
struct Node {
    parent: usize,
    step: Option<Step>,
    doubt: Option<Reason>,
}

/// The tree of all paths up to a length.
pub(crate) struct Lengths {
    nodes: Vec<Node>,
    /// The nodes with the greatest number of observable steps, and those before it where nothing follows.
    last: Vec<usize>,
    ends: Vec<usize>,
    /// The length that was reached.
    pub length: usize,
    pub stop: Stop,
    pub counts: Counts,
}

/// Internal steps do not lead back.
const NOWHERE: usize = usize::MAX;

/// A state as far as a path knows it.
type Seen = (Vec<LocationId>, Vec<TermId>);

struct Growing<'a, 'm> {
    tree: Lengths,
    walker: &'a mut Walker<'m>,
    options: &'a Options,
    /// Whether silence is a step.
    delta: bool,
    /// The next layer.
    next: Vec<usize>,
}

/// Grows the tree of a model.
pub(crate) fn grow(
    walker: &mut Walker<'_>,
    options: &Options,
    length: usize,
    delta: bool,
    progress: &mut dyn FnMut(Progress),
) -> Lengths {
    let root = Node { parent: 0, step: None, doubt: None };
    let tree = Lengths {
        nodes: vec![root],
        last: vec![0],
        ends: Vec::new(),
        length: 0,
        stop: Stop::Complete,
        counts: Counts::default(),
    };
    let mut g = Growing { tree, walker, options, delta, next: Vec::new() };
    for n in 1..=length {
        progress(Progress { nodes: g.tree.nodes.len(), depth: n, open: g.tree.last.len() });
        // If the layer does not fit, the one before it stays.
        let (nodes, ends) = (g.tree.nodes.len(), g.tree.ends.len());
        let layer = std::mem::take(&mut g.tree.last);
        g.next = Vec::new();
        let mut stop = None;
        for (i, &node) in layer.iter().enumerate() {
            if i % 256 == 255 {
                progress(Progress { nodes: g.tree.nodes.len(), depth: n, open: layer.len() - i });
            }
            let legs = g.legs(node);
            g.walker.follow(&legs);
            stop = g.expand(node, &mut Vec::new()).err();
            if stop.is_some() {
                break;
            }
        }
        if let Some(stop) = stop {
            g.tree.nodes.truncate(nodes);
            g.tree.ends.truncate(ends);
            g.tree.last = layer;
            g.tree.stop = stop;
            break;
        }
        g.tree.last = std::mem::take(&mut g.next);
        g.tree.length = n;
        if g.tree.last.is_empty() {
            break;
        }
    }
    g.tree.counts.nodes = g.tree.nodes.len();
    g.tree
}

impl Growing<'_, '_> {
    fn legs(&self, node: usize) -> Vec<Leg> {
        self.tree.line(node).into_iter().filter_map(|n| self.tree.nodes[n].step.map(Leg::from)).collect()
    }

    /// Adds what follows a node, up to the next observable step. The walker is there. Says how far back internal steps
    /// lead: to a place on the chain, or nowhere if something follows or the node is an end.
    fn expand(&mut self, node: usize, chain: &mut Vec<Seen>) -> Result<usize, Stop> {
        if self.options.is_over() {
            return Err(Stop::Cancelled);
        }
        let model = self.walker.path.model();
        let terms = model.variables.ids().map(|v| self.walker.path.term(v)).collect();
        let here = (self.walker.path.locations().to_vec(), terms);
        if let Some(back) = chain.iter().position(|c| *c == here) {
            return Ok(back);
        }
        if chain.len() >= self.options.internal {
            self.tree.counts.cut += 1;
            return Ok(NOWHERE);
        }
        let mut steps = Vec::new();
        self.walker.path.outgoing(&mut steps);
        // Two silences in a row say nothing new.
        if self.delta && !self.tree.nodes[node].step.is_some_and(Step::is_silence) {
            steps.push(Step::Delta);
            if self.walker.path.may_diverge() {
                steps.push(Step::Divergence);
            }
        }
        chain.push(here);
        // Whether something can be seen from here on, and how far back steps lead otherwise.
        let (mut follows, mut back) = (false, NOWHERE);
        for step in steps {
            self.tree.counts.candidates += 1;
            let doubt = match self.walker.take(&Leg::from(step)) {
                Possible::No => {
                    self.tree.counts.impossible += 1;
                    continue;
                }
                Possible::Yes => None,
                Possible::Unknown(Reason::Cancelled) => return Err(Stop::Cancelled),
                Possible::Unknown(reason) => Some(reason),
            };
            if self.tree.nodes.len() >= self.options.nodes {
                return Err(Stop::Nodes);
            }
            let child = self.tree.nodes.len();
            self.tree.nodes.push(Node { parent: node, step: Some(step), doubt });
            if !step.is_observable(model) {
                let to = self.expand(child, chain)?;
                follows |= to == NOWHERE;
                back = back.min(to);
            } else if step.is_silence() && !self.options.silence {
                self.tree.ends.push(child);
                follows = true;
            } else {
                self.next.push(child);
                follows = true;
            }
            self.walker.back();
        }
        chain.pop();
        if follows || back < chain.len() {
            return Ok(if follows { NOWHERE } else { back });
        }
        // Nothing follows, or internal steps for ever.
        self.tree.ends.push(node);
        Ok(NOWHERE)
    }
}

impl Lengths {
    /// The nodes from the initial state to one.
    fn line(&self, node: usize) -> Vec<usize> {
        let mut line = vec![node];
        let mut at = node;
        while at != 0 {
            at = self.nodes[at].parent;
            line.push(at);
        }
        line.reverse();
        line
    }

    /// The nodes that are to become accepts, in the order of the tree.
    fn targets(&self) -> Vec<usize> {
        let mut targets: Vec<usize> = self.last.iter().chain(&self.ends).copied().filter(|n| *n != 0).collect();
        targets.sort_unstable();
        targets
    }

    /// One purpose with all of them (S3 definition 18).
    pub fn one_purpose(&mut self, walker: &mut Walker<'_>, options: &Options) -> Vec<Purpose> {
        let targets = self.targets();
        let mut wanted = vec![false; self.nodes.len()];
        for target in &targets {
            for node in self.line(*target) {
                wanted[node] = true;
            }
        }
        let mut purpose = Purpose::default();
        let mut place = vec![0; self.nodes.len()];
        for (i, node) in self.nodes.iter().enumerate().skip(1).filter(|(i, _)| wanted[*i]) {
            let Some(step) = node.step else { continue };
            place[i] = purpose.add(place[node.parent], Leg::from(step), node.doubt.clone());
        }
        for &target in &targets {
            self.end(walker, &mut purpose, target, place[target], options);
        }
        if targets.is_empty() { Vec::new() } else { vec![purpose] }
    }

    /// A purpose for each of them (S1: one test case for every symbolic trace), the longest first.
    pub fn purposes(&mut self, walker: &mut Walker<'_>, options: &Options) -> Vec<Purpose> {
        let mut found = Vec::new();
        let mut random = Random::new(options.seed);
        for target in self.targets() {
            let mut purpose = Purpose::default();
            let mut at = 0;
            for node in self.line(target).into_iter().skip(1) {
                let node = &self.nodes[node];
                if let Some(step) = node.step {
                    at = purpose.add(at, Leg::from(step), node.doubt.clone());
                }
            }
            if let Some(choice) = options.tests.filter(|_| !options.is_over()) {
                walker.follow(&self.legs(target));
                purpose.test = test(walker, choice, &mut random);
            }
            self.end(walker, &mut purpose, target, at, options);
            found.push(purpose);
        }
        found
    }

    /// Adds the end of a purpose. If there is no time left, it ends where it is.
    fn end(&mut self, walker: &mut Walker<'_>, purpose: &mut Purpose, target: usize, at: usize, options: &Options) {
        if options.is_over() {
            purpose.nodes[at].accept = true;
            self.counts.cut += 1;
            return;
        }
        walker.follow(&self.legs(target));
        self.counts.cut += usize::from(!close(walker, purpose, at, options.strict));
    }

    fn legs(&self, node: usize) -> Vec<Leg> {
        self.line(node).into_iter().filter_map(|n| self.nodes[n].step.map(Leg::from)).collect()
    }
}

/// Values for the way to where the walker is, one after the other; nothing if the solver finds none.
fn test(walker: &mut Walker<'_>, choice: Choice, random: &mut Random) -> Option<Box<[Value]>> {
    let model = walker.path.model();
    let choice = match choice {
        Choice::Random(_) => Choice::Random(random.bits()),
        other => other,
    };
    let solved = walker.path.solve_with(choice).ok()?;
    let seen = solved.steps.into_iter().filter(|(step, _)| step.is_observable(model));
    Some(seen.flat_map(|(_, values)| values).collect())
}
