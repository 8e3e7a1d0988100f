//! Detours: a path that goes to the goal of a short path and comes back makes the short path superfluous.

use std::collections::{BTreeSet, VecDeque};

use rustc_hash::FxHashMap;
use sioco_model::Id;
use sioco_symbolic::graph::NodeId;

use crate::net::Net;
use crate::select::{Search, Way};

/// At most this many edges are looked at for a detour: the near ones make short detours. Measured: half and twice as
/// many give the same purposes for SMTP.
const NEAR: usize = 1_000;
/// At most this many detours are tried, and at most this many ways of each node: each is checked by a solver. Measured:
/// half and twice as many give the same purposes for SMTP.
const DETOURS: usize = 4;

/// Ways do not get longer than this: such a purpose would be hard to read, and to follow to its end. It is twice the
/// usual depth of a plan.
const LONGEST: usize = 400;

/// The ways, and where they lead.
pub(crate) struct Detours {
    pub ways: Vec<Option<Way>>,
    /// By goal: on how many ways that are not doubtful it lies. The others take no part.
    sure: Vec<usize>,
    /// By node: the ways over it, each with the number of steps before it.
    over: FxHashMap<NodeId, BTreeSet<(usize, usize)>>,
    /// By node: the ways that end there.
    ends: FxHashMap<NodeId, BTreeSet<(usize, usize)>>,
    /// From where a detour can be reached, and where one can get to from its end.
    to: Near,
    from: Near,
}

impl Detours {
    pub fn new(net: &Net<'_>, ways: Vec<Option<Way>>, sure: Vec<usize>) -> Self {
        let (over, ends, to, from) = (FxHashMap::default(), FxHashMap::default(), Near::new(net), Near::new(net));
        let mut found = Detours { sure, over, ends, to, from, ways };
        for w in 0..found.ways.len() {
            found.enter(net, w, true);
        }
        found
    }

    /// Adds a way to the tables, or takes it out.
    fn enter(&mut self, net: &Net<'_>, w: usize, add: bool) {
        let Some(way) = self.ways[w].as_ref().filter(|w| !w.is_doubtful()) else { return };
        let mut at = net.graph.root();
        for k in 0..=way.line.len() {
            let table = if k == way.line.len() { &mut self.ends } else { &mut self.over };
            let here = table.entry(at).or_default();
            if add {
                here.insert((w, k))
            } else {
                here.remove(&(w, k))
            };
            if let Some(edge) = way.line.get(k) {
                at = net.target(*edge);
            }
        }
    }

    /// Puts another way, or none, in the place of one.
    fn change(&mut self, net: &Net<'_>, w: usize, way: Option<Way>) {
        self.enter(net, w, false);
        for g in self.ways[w].iter().flat_map(|w| &w.goals) {
            self.sure[*g] -= 1;
        }
        self.ways[w] = way;
        for g in self.ways[w].iter().flat_map(|w| &w.goals) {
            self.sure[*g] += 1;
        }
        self.enter(net, w, true);
    }

    /// Lets another way reach what only this one does, if that takes no more steps and leaves the system no more choices.
    pub fn make(&mut self, search: &mut Search<'_, '_>, this: usize) -> Option<()> {
        let way = self.ways[this].as_ref().filter(|w| !w.is_doubtful())?;
        let net = search.net;
        let alone = |e: &NodeId| (search.goals_of)(*e).iter().any(|g| self.sure[*g] == 1);
        let Some(first) = way.line.iter().position(alone) else {
            // The detours of others have made it superfluous.
            self.change(net, this, None);
            return Some(());
        };
        let last = way.line.iter().rposition(alone)?;
        let middle = way.line[first..=last].to_vec();
        let length = net.length(&way.line);
        let budget = length - net.length(&middle);
        self.to.look(net, net.source(middle[0]), budget, false);
        self.from.look(net, net.target(*middle.last()?), budget, true);
        // Where to leave another way: what that costs, which way, after how many steps. Of each node the first few will do.
        // A detour does not come before something that carries more data: most behaviour begins there.
        let data = search.data(middle[0]);
        let mut found: Vec<(usize, usize, bool, usize, NodeId, bool)> = Vec::new();
        for at in &self.to.nodes {
            let (Some(there), back) = (self.to.far(*at), self.from.far(*at)) else { continue };
            for (table, cost, end) in [(&self.over, back.map(|b| there + b), false), (&self.ends, Some(there), true)] {
                let (Some(cost), Some(ways)) = (cost.filter(|c| *c <= budget), table.get(at)) else { continue };
                let others = ways.iter().filter(|(w, _)| *w != this).take(DETOURS);
                let next = |w: usize, k: usize| self.ways[w].as_ref().and_then(|w| w.line.get(k));
                let poor = |w: usize, k: usize| next(w, k).is_some_and(|e| data < search.data(*e));
                found.extend(others.map(|(w, k)| (cost, *w, poor(*w, *k), *k, *at, end)));
            }
        }
        found.sort_unstable();
        for (cost, w, _, k, at, end) in found.into_iter().take(DETOURS) {
            let mut detour = Vec::new();
            let mut node = at;
            while let Some(edge) = self.to.edge(node) {
                detour.push(edge);
                node = net.target(edge);
            }
            detour.extend(&middle);
            if !end {
                let mut back = Vec::new();
                let mut node = at;
                while let Some(edge) = self.from.edge(node) {
                    back.push(edge);
                    node = net.source(edge);
                }
                back.reverse();
                detour.extend(back);
            }
            let other = self.ways[w].as_ref()?;
            if net.choices(&detour) > 0 || net.length(&other.line) + length - budget + cost > LONGEST {
                continue;
            }
            let mut line = other.line.clone();
            line.splice(k..k, detour);
            let longer = search.way(line);
            let Some(longer) = search.verified_from(longer, k).filter(|w| !w.is_doubtful()) else { continue };
            self.change(net, this, None);
            self.change(net, w, Some(longer));
            return Some(());
        }
        None
    }
}

/// The nodes that a node is near to, or that are near to it.
struct Near {
    /// By node: how many steps that are seen it is away, and the first edge on the way from there, or the last on the way
    /// to there; the start has none.
    found: Vec<Option<(usize, Option<NodeId>)>>,
    /// Those that were found, in order.
    nodes: Vec<NodeId>,
}

impl Near {
    fn new(net: &Net<'_>) -> Self {
        Near { found: vec![None; net.graph.len()], nodes: Vec::new() }
    }

    fn far(&self, node: NodeId) -> Option<usize> {
        self.found[node.index()].map(|(far, _)| far)
    }

    fn edge(&self, node: NodeId) -> Option<NodeId> {
        self.found[node.index()].and_then(|(_, edge)| edge)
    }

    /// Looks around, nearest first.
    fn look(&mut self, net: &Net<'_>, start: NodeId, budget: usize, forward: bool) {
        for node in self.nodes.drain(..) {
            self.found[node.index()] = None;
        }
        self.found[start.index()] = Some((0, None));
        self.nodes.push(start);
        let mut open = VecDeque::from([(0, start)]);
        let mut left = NEAR;
        while let Some((far, node)) = open.pop_front() {
            if self.far(node).is_some_and(|known| known < far) {
                continue;
            }
            let edges = if forward { net.out(node) } else { net.into(node) };
            for &edge in edges {
                // Some nodes have very many edges, so it is these that are counted.
                if left == 0 {
                    return;
                }
                left -= 1;
                let next = if forward { net.target(edge) } else { net.source(edge) };
                let (seen, known) = (net.is_seen(edge), self.far(next));
                let far = far + usize::from(seen);
                if far > budget || known.is_some_and(|known| known <= far) || net.graph.is_doubtful(edge) {
                    continue;
                }
                if known.is_none() {
                    self.nodes.push(next);
                }
                self.found[next.index()] = Some((far, Some(edge)));
                if seen {
                    open.push_back((far, next))
                } else {
                    open.push_front((far, next))
                };
            }
        }
    }
}
