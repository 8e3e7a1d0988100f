//! Cycles of differences: `x < y && y < z && z < x` has no bound that propagation could move.
//!
//! Every constraint `x - y <= k` is an edge from `y` to `x` of length `k`. Every bound is an edge from or to a node for
//! zero. The constraints clash if and only if there is a cycle of negative length (Bellman and Ford); the edges of this
//! cycle are the explanation. This check runs once, before a search.

use rustc_hash::FxHashMap;

use super::constraint::Constraint;
use super::explain::Core;
use super::linear::{Relation, Var};
use super::store::{NO_HI, NO_LO, Store};

/// Differences are worth this much work: with many variables, following all of them takes longer than it saves. What is
/// left open goes on to the search.
const MAX_WORK: usize = 200_000;

/// What an edge stands for.
#[derive(Clone, Copy)]
enum Why {
    Constraint(u32),
    Bound(Var),
}

struct Edge {
    from: usize,
    to: usize,
    length: i128,
    why: Why,
}

/// Whether the differences in force clash; the conjuncts that do are added to the core.
pub(crate) fn clash(store: &mut Store, core: &mut Core) -> bool {
    let mut nodes: FxHashMap<Var, usize> = FxHashMap::default();
    let mut edges = Vec::new();
    for (id, active) in store.active.iter().enumerate() {
        let Constraint::Linear { relation, terms, k } = &*active.constraint else { continue };
        let (plus, minus) = match **terms {
            [(a, 1), (b, -1)] => (a, b),
            [(a, -1), (b, 1)] => (b, a),
            _ => continue,
        };
        if *relation == Relation::Ne {
            continue;
        }
        let mut node = |v: Var| {
            let next = nodes.len() + 1;
            *nodes.entry(v).or_insert(next)
        };
        // `k` belongs to the form as it is written: the second shape is b - a, with plus = b.
        let (from, to) = (node(minus), node(plus));
        edges.push(Edge { from, to, length: *k, why: Why::Constraint(id as u32) });
        if *relation == Relation::Eq {
            edges.push(Edge { from: to, to: from, length: -*k, why: Why::Constraint(id as u32) });
        }
    }
    if edges.len() < 2 {
        return false;
    }
    let mut by_node: Vec<(usize, Var)> = nodes.iter().map(|(v, n)| (*n, *v)).collect();
    by_node.sort_unstable();
    for (n, v) in by_node {
        let (lo, hi) = (store.lo[v as usize], store.hi[v as usize]);
        if hi != NO_HI {
            edges.push(Edge { from: 0, to: n, length: i128::from(hi), why: Why::Bound(v) });
        }
        if lo != NO_LO {
            edges.push(Edge { from: n, to: 0, length: -i128::from(lo), why: Why::Bound(v) });
        }
    }
    let count = nodes.len() + 1;
    if count * edges.len() > MAX_WORK {
        return false;
    }
    let Some(cycle) = negative_cycle(count, &edges, &mut store.work) else { return false };
    core.clear();
    let mut vars = Vec::new();
    for e in cycle {
        match edges[e].why {
            Why::Constraint(id) => core.explain_constraint(store, id),
            Why::Bound(v) => vars.push(v),
        }
    }
    core.explain_bounds(store, vars.into_iter());
    true
}

fn negative_cycle(count: usize, edges: &[Edge], work: &mut u64) -> Option<Vec<usize>> {
    let mut distance = vec![0i128; count];
    let mut last: Vec<Option<usize>> = vec![None; count];
    let mut changed = None;
    for _ in 0..count {
        changed = None;
        for (i, e) in edges.iter().enumerate() {
            if distance[e.from] + e.length < distance[e.to] {
                distance[e.to] = distance[e.from] + e.length;
                last[e.to] = Some(i);
                changed = Some(e.to);
            }
        }
        *work += 1 + edges.len() as u64 / 8;
        changed?;
    }
    // Going back as many steps as there are nodes ends on the cycle.
    let mut node = changed?;
    for _ in 0..count {
        node = edges[last[node]?].from;
    }
    let start = node;
    let mut cycle = Vec::new();
    loop {
        let e = last[node]?;
        cycle.push(e);
        node = edges[e].from;
        if node == start {
            return Some(cycle);
        }
    }
}
