//! Internal divergence: internal steps that can go on for ever.
//!
//! If internal steps alone lead back to a state, they can be repeated. The solver is asked whether all variables that
//! still matter can have their old values again. A round also goes on for ever, with new values each time, if its final
//! states are included in its initial states and every initial state allows the round. If neither can be shown, all
//! internal paths are followed to their ends. A long internal path that keeps making new states is reported as a
//! possible divergence only; so is a path that takes too long to follow.

use std::collections::{BTreeMap, VecDeque};

use rustc_hash::{FxHashMap, FxHashSet};
use sioco_model::{Id, LocationId, Model, TermId};
use sioco_solve::values::NoValues;
use sioco_solve::{Answer, Reason};

use super::loops::{Back, backs};
use super::states::{Places, way};
use super::unfold::{Unfolded, unfold};
use super::witness::Witness;
use super::{AnalysisOptions, Finding, Kind, Status, What, kept};
use crate::explore::{Cursor, Exploration};
use crate::graph::{Graph, NodeId};
use crate::path::{Path, Possible};
use crate::prepare::Origin;
use crate::step::Step;
use sioco_model::semantics::live::Live;

/// A round is gone through up to this many times: a counter with a small bound ends within these.
const TIMES: usize = 4;
/// At most this many ways back are looked at: a model has few circles of internal steps, but a way may lead into each
/// from many states.
const ROUNDS: usize = 2_000;
/// And at most this many states on each.
const SEARCHED: usize = 2_000;
/// Where that shows nothing, all internal paths are followed: this many steps first, and then as many as are tolerated.
/// Most internal paths end within a few, and the first pass finds that cheaply.
const STEPS: usize = 8;
/// That takes at most this many steps from one state: with two ways to go on, these are ten levels.
const WORK_EACH: usize = 1_000;
/// And at most this many in all, so that some states get as far as possible and the analysis ends.
const WORK: usize = 10_000;

/// What is known of rounds.
#[derive(Default)]
struct Rounds {
    /// The steps of those that were told.
    found_at: FxHashSet<Vec<Step>>,
    /// What was left open.
    unknown: Vec<(Vec<Step>, Finding)>,
    /// The parts of the graph about which something is told.
    told: FxHashSet<usize>,
}

/// Looks for rounds of internal steps.
pub(super) fn look(
    model: &Model,
    exploration: &Exploration,
    places: &Places,
    cursor: &mut Cursor<'_>,
    options: &AnalysisOptions,
    findings: &mut Vec<Finding>,
) {
    let live = Live::of(model);
    let search = Search { model, graph: &exploration.graph, places, live: &live, options };
    let backs = backs(model, search.graph);
    let mut rounds = Rounds::default();
    if !search.shortest(&backs, cursor, &mut rounds, findings) || !search.all(&backs, cursor, &mut rounds, findings) {
        return;
    }
    long_runs(exploration, places, cursor, options, &mut rounds.found_at, findings);
    for (set, finding) in rounds.unknown {
        if rounds.found_at.insert(set) {
            findings.push(finding);
        }
    }
}

/// Where rounds are looked for.
struct Search<'a> {
    model: &'a Model,
    graph: &'a Graph,
    places: &'a Places,
    live: &'a Live,
    options: &'a AnalysisOptions,
}

impl Search<'_> {
    /// Goes the shortest round of each way back. Whether nobody interrupted it.
    fn shortest(
        &self,
        backs: &[Back],
        cursor: &mut Cursor<'_>,
        rounds: &mut Rounds,
        findings: &mut Vec<Finding>,
    ) -> bool {
        // A round may end in one state and go on for ever in another.
        let mut known: FxHashSet<(NodeId, Vec<Step>)> = FxHashSet::default();
        for &Back { last, first, part } in backs.iter().take(ROUNDS) {
            if self.options.limits.cancelled() {
                return false;
            }
            let Some(round) = round(self.model, self.graph, first, last) else { continue };
            let set = set_of(&round);
            if rounds.found_at.contains(&set) {
                rounds.told.insert(part);
                continue;
            }
            if !known.insert((first, round.clone())) {
                continue;
            }
            let direct = round.len() + self.graph.depth(first) == self.graph.depth(last);
            cursor.go(self.graph, first);
            // Values may come back after several rounds only: `x := (x + 1) mod 3`.
            let mut outcome = try_round(&mut cursor.path, self.live, &round, direct);
            for times in 2..=TIMES {
                if matches!(outcome, Outcome::Ends) {
                    outcome = try_round(&mut cursor.path, self.live, &round.repeat(times), false);
                }
            }
            let locations = self.places.at(first).to_vec();
            match outcome {
                Outcome::Endless(witness) => {
                    findings.push(finding(Status::Shown, locations, round, witness));
                    rounds.found_at.insert(set);
                }
                Outcome::Unknown(reason) => {
                    let witness = way(&mut cursor.path);
                    rounds.unknown.push((set, finding(Status::Undecided(reason), locations, round, witness)));
                }
                Outcome::Ends => continue,
            }
            rounds.told.insert(part);
        }
        true
    }

    /// Where the shortest rounds end, others may not: follows all internal paths in parts about which nothing is told.
    /// Whether nobody interrupted it.
    fn all(&self, backs: &[Back], cursor: &mut Cursor<'_>, rounds: &mut Rounds, findings: &mut Vec<Finding>) -> bool {
        let mut work = WORK;
        let mut begun: FxHashSet<NodeId> = FxHashSet::default();
        let mut open: BTreeMap<usize, (Vec<Step>, Finding)> = BTreeMap::new();
        for &Back { first, part, .. } in backs {
            if rounds.told.contains(&part) || !begun.insert(first) {
                continue;
            }
            if self.options.limits.cancelled() {
                return false;
            }
            cursor.go(self.graph, first);
            let before = work.min(WORK_EACH);
            let mut own = before;
            let mut found = unfold(&mut cursor.path, self.live, self.options.internal.min(STEPS), &mut own);
            // One that is left open is enough to tell.
            if matches!(found, Unfolded::Long(..)) && !open.contains_key(&part) {
                found = unfold(&mut cursor.path, self.live, self.options.internal, &mut own);
            }
            work -= before - own;
            let locations = self.places.at(first).to_vec();
            match found {
                Unfolded::Ends => {}
                Unfolded::Endless(round, witness) => {
                    rounds.told.insert(part);
                    if rounds.found_at.insert(set_of(&round)) {
                        findings.push(finding(Status::Shown, locations, round, witness));
                    }
                }
                Unfolded::Long(locations, round, witness) => {
                    let set = set_of(&round);
                    open.entry(part).or_insert((set, finding(Status::Bounded, locations, round, witness)));
                }
                Unfolded::Unknown(reason, round) => {
                    let (set, witness) = (set_of(&round), way(&mut cursor.path));
                    open.entry(part).or_insert((set, finding(Status::Undecided(reason), locations, round, witness)));
                }
            }
        }
        open.retain(|part, _| !rounds.told.contains(part));
        rounds.unknown.extend(open.into_values());
        true
    }
}

fn finding(status: Status, locations: Vec<LocationId>, cycle: Vec<Step>, witness: Option<Witness>) -> Finding {
    let endless = status == Status::Shown;
    Finding { kind: Kind::Divergence, status, what: What::Divergence { locations, cycle, endless }, witness }
}

/// The steps of a round in order, each once: rounds with the same steps are told once.
fn set_of(round: &[Step]) -> Vec<Step> {
    let mut set = round.to_vec();
    set.sort_unstable();
    set.dedup();
    set
}

/// The internal steps from one node to another and on, in the reduced graph.
fn round(model: &Model, graph: &Graph, first: NodeId, last: NodeId) -> Option<Vec<Step>> {
    let goal = graph.parent(last)?;
    let mut from: FxHashMap<NodeId, (NodeId, Step)> = FxHashMap::default();
    let mut open = VecDeque::from([first]);
    let mut seen: FxHashSet<NodeId> = FxHashSet::from_iter([first]);
    while let Some(node) = open.pop_front() {
        if node == goal {
            let mut steps: Vec<Step> = graph.step(last).into_iter().collect();
            let mut at = node;
            while at != first {
                let (before, step) = from[&at];
                steps.push(step);
                at = before;
            }
            steps.reverse();
            return Some(steps);
        }
        if seen.len() > SEARCHED {
            return None;
        }
        for child in graph.children(node) {
            let Some(step) = graph.step(child).filter(|s| !s.is_observable(model)) else { continue };
            let target = graph.included_in(child).unwrap_or(child);
            if seen.insert(target) {
                from.insert(target, (node, step));
                open.push_back(target);
            }
        }
    }
    None
}

enum Outcome {
    Endless(Option<Witness>),
    Ends,
    Unknown(Reason),
}

/// Goes round once from the end of the path and comes back; the path is as before afterwards.
fn try_round(path: &mut Path<'_>, live: &Live, round: &[Step], direct: bool) -> Outcome {
    let start = path.len();
    let locations = path.locations().to_vec();
    let vars: Vec<_> = locations.iter().flat_map(|l| live.at(*l)).copied().collect();
    let before: Vec<TermId> = vars.iter().map(|v| path.term(*v)).collect();
    let conditions = path.conditions().len();
    let mut possible = true;
    for &step in round {
        possible = path.probe(step) != Possible::No;
        if !possible {
            break;
        }
        path.advance(step);
    }
    let outcome = match possible && path.locations() == locations {
        true => at_the_end(path, &vars, &before, conditions, start, direct),
        false => Outcome::Ends,
    };
    while path.len() > start {
        path.retreat();
    }
    outcome
}

fn at_the_end(
    path: &mut Path<'_>,
    vars: &[sioco_model::VarId],
    before: &[TermId],
    conditions: usize,
    start: usize,
    direct: bool,
) -> Outcome {
    let sorts = &path.model.sorts;
    let mut same = Vec::new();
    for (v, old) in vars.iter().zip(before) {
        let new = path.term(*v);
        if new != *old {
            same.push(path.pool.eq(sorts, *old, new));
        }
    }
    match path.solve_also(&same, &[]) {
        Ok((solved, _)) => {
            let state = path.replay(&solved);
            return Outcome::Endless(Some(Witness { path: solved, state, values: Vec::new() }));
        }
        Err(NoValues::Unknown(reason)) => return Outcome::Unknown(reason),
        Err(NoValues::Impossible) => {}
    }
    // The values that the round chooses by itself would have to exist for every state; that is not asked.
    let open = (start..path.len()).any(|i| path.free(i).iter().any(|t| path.pool().as_const(*t).is_none()));
    if !direct || open {
        return Outcome::Ends;
    }
    let of_round = path.conditions()[conditions..].to_vec();
    let (definitions, guards): (Vec<_>, Vec<_>) =
        of_round.into_iter().partition(|c| matches!(c.origin, Origin::Definition(_)));
    let guards: Vec<TermId> = guards.iter().map(|c| c.term).collect();
    if guards.is_empty() {
        return Outcome::Endless(way(path));
    }
    let mut question: Vec<TermId> = definitions.iter().map(|c| c.term).collect();
    question.push(path.not_all(&guards));
    // Asked before the round: its guards are in the question, turned around.
    let round: Vec<Step> = path.steps().skip(start).collect();
    let witness = way(path);
    while path.len() > start {
        path.retreat();
    }
    let answer = path.ask(&question);
    for step in round {
        path.advance(step);
    }
    match answer {
        Answer::Unsat(_) => Outcome::Endless(witness),
        Answer::Sat(_) => Outcome::Ends,
        Answer::Unknown(reason) => Outcome::Unknown(reason),
    }
}

/// Internal paths that are as long as is tolerated.
fn long_runs(
    exploration: &Exploration,
    places: &Places,
    cursor: &mut Cursor<'_>,
    options: &AnalysisOptions,
    found_at: &mut FxHashSet<Vec<Step>>,
    findings: &mut Vec<Finding>,
) {
    let (model, graph) = (cursor.path.model(), &exploration.graph);
    let mut run = vec![0usize; graph.len()];
    for node in kept(graph) {
        let (Some(parent), Some(step)) = (graph.parent(node), graph.step(node)) else { continue };
        if step.is_observable(model) {
            continue;
        }
        run[node.index()] = run[parent.index()] + 1;
        if run[node.index()] != options.internal || options.limits.cancelled() {
            continue;
        }
        // The last steps since the same locations were there before.
        let mut cycle = Vec::new();
        let mut at = node;
        for _ in 0..options.internal {
            let (Some(parent), Some(step)) = (graph.parent(at), graph.step(at)) else { break };
            cycle.push(step);
            at = parent;
            if places.at(at) == places.at(node) {
                break;
            }
        }
        cycle.reverse();
        if !found_at.insert(set_of(&cycle)) {
            continue;
        }
        cursor.go(graph, node);
        let witness = way(&mut cursor.path);
        findings.push(finding(Status::Bounded, places.at(node).to_vec(), cycle, witness));
    }
}
