//! Cycles of internal steps in the reduced graph: its strongly connected parts, and in each part the states that every
//! endless run visits again and again.

use rustc_hash::FxHashMap;
use sioco_model::{Id, Model};

use crate::graph::{Graph, NodeId};

/// An internal step to a state that is included in an earlier one, from which internal steps lead to it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Back {
    /// The node that is included.
    pub last: NodeId,
    /// The one that it is included in.
    pub first: NodeId,
    /// The part of the graph in which they are, by number.
    pub part: usize,
}

/// All of them, in the order of the nodes. Without them the graph is a tree, so whatever goes on for ever takes some of
/// them again and again; and from some time on it stays in one part.
pub(super) fn backs(model: &Model, graph: &Graph) -> Vec<Back> {
    let internal = |n: &NodeId| graph.step(*n).is_some_and(|s| !s.is_observable(model));
    let edges = graph.ids().filter(internal).filter_map(|n| {
        let from = graph.parent(n)?;
        Some((from, n, graph.included_in(n).unwrap_or(n)))
    });
    let edges: Vec<(NodeId, NodeId, NodeId)> = edges.collect();
    if !edges.iter().any(|(_, node, to)| node != to) {
        return Vec::new();
    }
    let mut next: Vec<Vec<usize>> = vec![Vec::new(); graph.len()];
    for (from, _, to) in &edges {
        next[from.index()].push(to.index());
    }
    let part = parts(&next);
    let mut numbers: FxHashMap<usize, usize> = FxHashMap::default();
    let back = edges.iter().filter(|(from, node, to)| node != to && part[from.index()] == part[to.index()]);
    back.map(|&(_, last, first)| {
        let new = numbers.len();
        Back { last, first, part: *numbers.entry(part[first.index()]).or_insert(new) }
    })
    .collect()
}

/// The strongly connected part of each node, by number (Tarjan 1972).
fn parts(next: &[Vec<usize>]) -> Vec<usize> {
    const NONE: usize = usize::MAX;
    let mut order = vec![NONE; next.len()];
    let mut low = vec![NONE; next.len()];
    let mut part = vec![NONE; next.len()];
    let (mut count, mut number) = (0, 0);
    let mut open: Vec<usize> = Vec::new();
    // The nodes on the way here, each with how many of its successors were looked at.
    let mut way: Vec<(usize, usize)> = Vec::new();
    for root in 0..next.len() {
        if order[root] != NONE {
            continue;
        }
        way.push((root, 0));
        while let Some((node, looked_at)) = way.last_mut() {
            let node = *node;
            if *looked_at == 0 && order[node] == NONE {
                (order[node], low[node]) = (count, count);
                count += 1;
                open.push(node);
            }
            if let Some(&to) = next[node].get(*looked_at) {
                *looked_at += 1;
                if order[to] == NONE {
                    way.push((to, 0));
                } else if part[to] == NONE {
                    low[node] = low[node].min(order[to]);
                }
                continue;
            }
            way.pop();
            if let Some((before, _)) = way.last() {
                low[*before] = low[*before].min(low[node]);
            }
            if low[node] == order[node] {
                while let Some(member) = open.pop() {
                    part[member] = number;
                    if member == node {
                        break;
                    }
                }
                number += 1;
            }
        }
    }
    part
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_those_that_lead_to_each_other() {
        let mut seed = 1_u64;
        let mut below = |n: usize| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) as usize % n
        };
        for _ in 0..200 {
            let n = 1 + below(12);
            let next: Vec<Vec<usize>> = (0..n).map(|_| (0..below(3)).map(|_| below(n)).collect()).collect();
            let mut leads = vec![vec![false; n]; n];
            for (from, row) in leads.iter_mut().enumerate() {
                let mut open = vec![from];
                while let Some(node) = open.pop() {
                    if !std::mem::replace(&mut row[node], true) {
                        open.extend(&next[node]);
                    }
                }
            }
            let part = parts(&next);
            for a in 0..n {
                for b in 0..n {
                    assert_eq!(part[a] == part[b], leads[a][b] && leads[b][a], "{a} and {b} of {next:?}");
                }
            }
        }
    }
}
