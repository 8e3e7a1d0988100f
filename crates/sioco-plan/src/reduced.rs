//! Purposes out of the graph that inclusion makes finite (S4 section 3.1), and how long its paths are (S3 definition 19).

use sioco_model::{Id, Model};
use sioco_symbolic::explore::{self, Exploration, ExploreProgress, Merge};
use sioco_symbolic::graph::NodeId;
use sioco_symbolic::path::SolverFactory;

use crate::close::close;
use crate::plan::{Counts, PlanOptions};
use crate::purpose::{Leg, Purpose};
use crate::walker::Walker;

/// The symbolic execution, breadth-first, restricted by inclusion (S3 definition 11).
pub(crate) fn restricted(
    model: &Model,
    solvers: SolverFactory<'_>,
    options: &PlanOptions,
    delta: bool,
    until_covered: bool,
    progress: &mut dyn FnMut(ExploreProgress),
) -> Exploration {
    let limits = options.search_limits();
    let explore = explore::ExploreOptions {
        merge: Merge::Included,
        delta,
        depth: options.depth,
        nodes: options.nodes,
        workers: options.workers,
        until_covered,
        limits,
        ..Default::default()
    };
    explore::explore(model, solvers, &explore, progress)
}

/// The greatest number of observable steps on a path of a graph.
pub(crate) fn longest(model: &Model, exploration: &Exploration) -> usize {
    let graph = &exploration.graph;
    let mut lengths = vec![0; graph.len()];
    for node in graph.ids().skip(1) {
        if let (Some(parent), Some(step)) = (graph.parent(node), graph.step(node)) {
            lengths[node.index()] = lengths[parent.index()] + usize::from(step.is_observable(model));
        }
    }
    lengths.into_iter().max().unwrap_or(0)
}

/// The purpose of the reduced graph: the nodes that an earlier one includes are accepts, and those where nothing follows.
pub(crate) fn purpose(
    walker: &mut Walker<'_>,
    exploration: &Exploration,
    options: &PlanOptions,
    counts: &mut Counts,
) -> Vec<Purpose> {
    let graph = &exploration.graph;
    counts.nodes = graph.len();
    let is_end = |n: NodeId| graph.included_in(n).is_some() || (graph.is_expanded(n) && graph.children(n).is_empty());
    let targets: Vec<NodeId> = graph.ids().skip(1).filter(|n| is_end(*n)).collect();
    let mut wanted = vec![false; graph.len()];
    for &target in &targets {
        let mut at = Some(target);
        while let Some(node) = at.filter(|n| !wanted[n.index()]) {
            wanted[node.index()] = true;
            at = graph.parent(node);
        }
    }
    let mut purpose = Purpose::default();
    let mut place = vec![0; graph.len()];
    for node in graph.ids().skip(1).filter(|n| wanted[n.index()]) {
        if let (Some(parent), Some(step)) = (graph.parent(node), graph.step(node)) {
            let doubt = exploration.doubts.binary_search_by_key(&node, |(n, _)| *n).ok();
            let doubt = doubt.map(|i| exploration.doubts[i].1.clone());
            place[node.index()] = purpose.add(place[parent.index()], Leg::from(step), doubt);
        }
    }
    for &target in &targets {
        if options.is_over() {
            purpose.nodes[place[target.index()]].accept = true;
            counts.cut += 1;
            continue;
        }
        let legs: Vec<Leg> = graph.path(target).into_iter().map(Leg::from).collect();
        walker.follow(&legs);
        counts.cut += usize::from(!close(walker, &mut purpose, place[target.index()], options.strict));
    }
    if targets.is_empty() { Vec::new() } else { vec![purpose] }
}
