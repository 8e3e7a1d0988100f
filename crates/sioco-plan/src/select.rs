//! Few and short ways that cover all goals that steps can reach.
//!
//! The goals that are hardest to reach come first, each with the best path to it. Goals on that path are covered as well.
//! Then superfluous paths are dropped, and short paths become detours of others where that costs no extra steps.
//! Finding the fewest is NP-hard (set cover); this is quick, and repeatable.

use sioco_model::model::Direction;
use sioco_solve::{Answer, Reason};
use sioco_symbolic::explore::Exploration;
use sioco_symbolic::graph::NodeId;
use sioco_symbolic::path::Possible;

use crate::detour::Detours;
use crate::net::Net;
use crate::purpose::Leg;
use crate::walker::Walker;

/// At most this many edges are tried for a goal, and as many of equal cost are compared: the nearest is mostly
/// possible. Measured: half and twice as many give the same purposes for Redis, SMTP, the speed monitor and the prepaid
/// card.
const TRIES: usize = 8;

/// A way through the graph.
#[derive(Clone, Debug)]
pub(crate) struct Way {
    pub line: Vec<NodeId>,
    /// Per step: why it is only perhaps possible, if it is.
    pub doubts: Vec<Option<Reason>>,
    /// The goals on it.
    pub goals: Vec<usize>,
}

impl Way {
    pub fn is_doubtful(&self) -> bool {
        self.doubts.iter().any(Option::is_some)
    }
}

/// What is searched, and with what.
pub(crate) struct Search<'a, 'm> {
    pub net: &'a Net<'a>,
    pub exploration: &'a Exploration,
    pub walker: &'a mut Walker<'m>,
    /// The goals that an edge reaches.
    pub goals_of: &'a dyn Fn(NodeId) -> Vec<usize>,
    /// How many goals there are.
    pub goals: usize,
}

impl Search<'_, '_> {
    /// Ways that cover the goals that were reached, the longest first.
    pub fn ways(&mut self) -> Vec<Way> {
        let mut edges: Vec<Vec<NodeId>> = vec![Vec::new(); self.goals];
        for edge in self.net.edges() {
            for goal in (self.goals_of)(edge) {
                edges[goal].push(edge);
            }
        }
        for edges in &mut edges {
            edges.sort_by_key(|e| (self.net.cost(*e), *e));
        }
        let mut order: Vec<usize> = (0..self.goals).filter(|g| !edges[*g].is_empty()).collect();
        order.sort_by_key(|g| (std::cmp::Reverse(self.net.cost(edges[*g][0])), *g));
        let mut covered = vec![false; self.goals];
        let mut ways: Vec<Way> = Vec::new();
        for goal in order {
            // What there is no time for is left open.
            if self.walker.path.is_cancelled() {
                break;
            }
            if covered[goal] {
                continue;
            }
            if let Some(way) = self.best(&edges[goal], &covered) {
                way.goals.iter().for_each(|g| covered[*g] = true);
                ways.push(way);
            }
        }
        self.shorten(&mut ways);
        let net = self.net;
        ways.sort_by_cached_key(|w| (std::cmp::Reverse(net.length(&w.line)), w.line.clone()));
        ways
    }

    /// The best way that ends with one of these edges: proved if possible, then by cost, then by what it covers.
    fn best(&mut self, edges: &[NodeId], covered: &[bool]) -> Option<Way> {
        let mut doubtful: Option<Way> = None;
        let mut tried = 0;
        let mut i = 0;
        while i < edges.len() && tried < TRIES {
            let cost = self.net.cost(edges[i]);
            let same: Vec<NodeId> =
                edges[i..].iter().copied().take_while(|e| self.net.cost(*e) == cost).take(TRIES).collect();
            i += same.len();
            let mut ways: Vec<Way> = same.iter().map(|e| self.way(self.net.line(*e))).collect();
            let news = |w: &Way| w.goals.iter().filter(|g| !covered[**g]).count();
            ways.sort_by_key(|w| std::cmp::Reverse(news(w)));
            for way in ways {
                tried += 1;
                let last = *way.line.last()?;
                let fallback = self.net.tree_line(last);
                let found = self.verified(way).or_else(|| {
                    let way = self.way(fallback);
                    self.verified(way)
                });
                match found {
                    Some(way) if !way.is_doubtful() => return Some(way),
                    Some(way) => {
                        doubtful.get_or_insert(way);
                    }
                    None => {}
                }
            }
        }
        doubtful
    }

    pub fn way(&self, line: Vec<NodeId>) -> Way {
        let mut goals: Vec<usize> = line.iter().flat_map(|e| (self.goals_of)(*e)).collect();
        goals.sort_unstable();
        goals.dedup();
        Way { doubts: vec![None; line.len()], line, goals }
    }

    /// The way with its doubts, if it is not impossible.
    fn verified(&mut self, way: Way) -> Option<Way> {
        self.verified_from(way, 0)
    }

    /// The same if the beginning of the way is known to be possible.
    pub fn verified_from(&mut self, mut way: Way, known: usize) -> Option<Way> {
        if self.net.is_tree_line(&way.line) {
            for (edge, doubt) in way.line.iter().zip(&mut way.doubts) {
                if self.net.graph.is_doubtful(*edge) {
                    let all = &self.exploration.doubts;
                    let at = all.binary_search_by_key(edge, |(n, _)| *n).ok()?;
                    *doubt = Some(all[at].1.clone());
                }
            }
            if !way.is_doubtful() {
                return Some(way);
            }
            let legs: Vec<Leg> = way.line.iter().map(|e| Leg::from(self.net.step(*e))).collect();
            self.walker.follow(&legs);
        } else {
            let before: Vec<Leg> = way.line[..known].iter().map(|e| Leg::from(self.net.step(*e))).collect();
            self.walker.follow(&before);
            for (i, edge) in way.line.iter().enumerate().skip(known) {
                match self.walker.take(&Leg::from(self.net.step(*edge))) {
                    Possible::No => return None,
                    Possible::Yes => {}
                    Possible::Unknown(reason) => way.doubts[i] = Some(reason),
                }
            }
            if !way.is_doubtful() {
                return Some(way);
            }
        }
        // What is open step by step may be plain for the whole.
        match self.walker.path.solve() {
            Answer::Sat(_) => way.doubts.fill(None),
            Answer::Unsat(_) => return None,
            Answer::Unknown(_) => {}
        }
        Some(way)
    }

    /// How many values the tester chooses for the step of an edge.
    pub(crate) fn data(&self, edge: NodeId) -> usize {
        let model = self.walker.path.model();
        let inputs = self.net.step(edge).switches().filter(|s| model.direction(*s) == Some(Direction::Input));
        inputs.map(|s| model.switches[s].params.len()).sum()
    }

    /// Leaves out what others cover, and makes short ways detours of others.
    fn shorten(&mut self, ways: &mut Vec<Way>) {
        let mut times = vec![0usize; self.goals];
        for goal in ways.iter().flat_map(|w| &w.goals) {
            times[*goal] += 1;
        }
        let order = |ways: &[Option<Way>], net: &Net<'_>| {
            let mut order: Vec<usize> = (0..ways.len()).filter(|w| ways[*w].is_some()).collect();
            order.sort_by_cached_key(|w| (ways[*w].as_ref().map(|w| net.length(&w.line)), *w));
            order
        };
        let mut all: Vec<Option<Way>> = ways.drain(..).map(Some).collect();
        // What covers only perhaps makes nothing superfluous that covers surely.
        let mut sure = vec![0usize; self.goals];
        for w in all.iter().flatten().filter(|w| !w.is_doubtful()) {
            w.goals.iter().for_each(|g| sure[*g] += 1);
        }
        for w in order(&all, self.net) {
            let Some(way) = &all[w] else { continue };
            let needless = |g: &usize| if way.is_doubtful() { times[*g] > 1 } else { sure[*g] > 1 };
            if way.goals.iter().all(needless) {
                for g in &way.goals {
                    times[*g] -= 1;
                    sure[*g] -= usize::from(!way.is_doubtful());
                }
                all[w] = None;
            }
        }
        let order = order(&all, self.net);
        let mut detours = Detours::new(self.net, all, sure);
        for w in order {
            if self.walker.path.is_cancelled() {
                break;
            }
            detours.make(self, w);
        }
        ways.extend(detours.ways.into_iter().flatten());
    }
}
