//! The layered layout (Sugiyama's method): levels, order, places, curves.

use super::coordinate::{Chain, Extent, Link, coordinates};
use super::order::{Levels, order};
use super::rank::ranks;
use super::{Graph, Layout, NodeBox, Placement, Point, Route, Size};

/// Nodes and labels on levels.
pub(crate) struct Layered;

/// With more nodes the picture is neither fast nor of use: the layout grows with the square of their number.
const MAX_NODES: usize = 500;
/// And with more bends of edges, for the same reason.
const MAX_VERTICES: usize = 12_000;

/// Space between the edges of a node, in the units of the picture (a line of labels is 14.5 high): an arrowhead fits.
const PORT: f64 = 20.0;
/// The least space around a line, so that two of them are not taken for one.
const LINE_SPACE: f64 = 9.0;
/// The least space around a node: a line of labels.
const NODE_SPACE: f64 = 16.0;
/// The least space around a label, so that it belongs to one edge only.
const LABEL_SPACE: f64 = 10.0;
/// How far a line runs straight where it meets a node: arrowheads stand on it.
const STUB: f64 = 9.0;
/// From the line to its label.
const LABEL_GAP: f64 = 7.0;
/// How far a loop goes out: its arrowhead and a bend fit.
const LOOP_REACH: f64 = 28.0;
/// Half the height of a loop where it meets the node.
const LOOP_SPREAD: f64 = 10.0;
/// The least height for a loop.
const LOOP_HEIGHT: f64 = 24.0;
/// The least space between two loops.
const LOOP_SPACE: f64 = 6.0;
/// The least space between levels, where edges run straight.
const LEAST_GAP: f64 = 14.0;
/// The greatest: steeper edges are still followed by the eye, and the picture stays small.
const MOST_GAP: f64 = 64.0;
/// How much space a bend of one unit adds, so that edges are not steep.
const GAP_PER_BEND: f64 = 0.16;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Start,
    Node(usize),
    Bend,
    Label(usize),
}

struct Vertex {
    role: Role,
    level: usize,
    extent: Extent,
    height: f64,
}

/// The graph with its edges cut into pieces from level to level.
struct Cut {
    vertices: Vec<Vertex>,
    levels: Levels,
    /// For each edge its vertices from top to bottom, nodes included, and whether it runs upwards.
    chains: Vec<(Vec<usize>, bool)>,
}

impl Layout for Layered {
    fn place(&self, graph: &Graph) -> Option<Placement> {
        if graph.nodes.is_empty() || graph.nodes.len() > MAX_NODES {
            return None;
        }
        let mut cut = cut(graph)?;
        order(&mut cut.levels);
        let sides = choose_sides(graph, &mut cut);
        let (links, ports) = connect(graph, &mut cut);
        let extents: Vec<Extent> = cut.vertices.iter().map(|v| v.extent).collect();
        let chains: Vec<Chain<'_>> = (cut.chains.iter().zip(&ports))
            .filter_map(|((chain, _), ports)| {
                let ([top, inner @ .., bottom], [first, ..], [.., last]) = (&chain[..], &ports[..], &ports[..]) else {
                    return None;
                };
                Some(Chain { top: (*top, first.0), inner, bottom: (*bottom, last.1) })
            })
            .collect();
        let x = coordinates(&cut.levels.levels, &extents, &links, &chains);
        Some(draw(graph, &cut, &sides, &ports, x))
    }
}

/// Nodes stand on even levels, labels on odd ones. `None` if there would be too many pieces.
fn cut(graph: &Graph) -> Option<Cut> {
    let pairs: Vec<(usize, usize)> = graph.edges.iter().map(|e| (e.from, e.to)).collect();
    let ranks = ranks(graph.nodes.len(), &pairs, graph.start);
    let pieces: usize = pairs.iter().map(|(a, b)| 2 * ranks.rank[*a].abs_diff(ranks.rank[*b])).sum();
    if pieces > MAX_VERTICES {
        return None;
    }
    // Level 0 is for the dot above the first node.
    let level = |node: usize| 2 * ranks.rank[node] + 1;
    let mut vertices: Vec<Vertex> = Vec::new();
    for (i, node) in graph.nodes.iter().enumerate() {
        let half = node.size.width / 2.0;
        let beside = node.loops.iter().map(|l| l.width).fold(0.0, f64::max);
        let right = if node.loops.is_empty() { half } else { half + LOOP_REACH + LABEL_GAP + beside };
        let beside: f64 = loop_heights(&node.loops);
        vertices.push(Vertex {
            role: Role::Node(i),
            level: level(i),
            extent: Extent { left: half + NODE_SPACE, right: right + NODE_SPACE },
            height: (node_height(node) + 2.0 * STUB).max(beside),
        });
    }
    let line = Extent { left: LINE_SPACE, right: LINE_SPACE };
    let start = vertices.len();
    vertices.push(Vertex { role: Role::Start, level: level(graph.start) - 1, extent: line, height: 4.0 });
    let mut chains = Vec::new();
    for (e, (edge, turned)) in graph.edges.iter().zip(&ranks.turned).enumerate() {
        let (top, bottom) = if *turned { (edge.to, edge.from) } else { (edge.from, edge.to) };
        let (first, last) = (level(top), level(bottom));
        let middle = (first + last) / 2;
        // The label stands in the middle, on a level for labels.
        let labelled = if middle % 2 == 0 { middle } else { middle + 1 };
        let mut chain = vec![top];
        for at in first + 1..last {
            let role = if at == labelled { Role::Label(e) } else { Role::Bend };
            chain.push(vertices.len());
            let height = if at == labelled { edge.label.height } else { 0.0 };
            vertices.push(Vertex { role, level: at, extent: line, height });
        }
        chain.push(bottom);
        chains.push((chain, *turned));
    }
    let (mut above, mut below) = (vec![Vec::new(); vertices.len()], vec![Vec::new(); vertices.len()]);
    let mut connect = |a: usize, b: usize| {
        below[a].push(b);
        above[b].push(a);
    };
    connect(start, graph.start);
    for (chain, _) in &chains {
        chain.windows(2).for_each(|w| connect(w[0], w[1]));
    }
    let depth = vertices.iter().map(|v| v.level + 1).max().unwrap_or(0);
    let mut levels = vec![Vec::new(); depth];
    // The first order is the one in which a walk from the start meets the vertices.
    let mut seen = vec![false; vertices.len()];
    for root in std::iter::once(start).chain(0..vertices.len()) {
        let mut stack = vec![root];
        while let Some(v) = stack.pop() {
            if !std::mem::replace(&mut seen[v], true) {
                levels[vertices[v].level].push(v);
                stack.extend(below[v].iter().rev().copied());
            }
        }
    }
    Some(Cut { vertices, levels: Levels { levels, above, below }, chains })
}

/// The height of the labels of the loops of a node, one below the other.
fn loop_heights(loops: &[Size]) -> f64 {
    let labels: f64 = loops.iter().map(|l| l.height.max(LOOP_HEIGHT)).sum();
    labels + LOOP_SPACE * loops.len().saturating_sub(1) as f64
}

/// The height of a node at which its first and last loop leave it beside their labels.
fn node_height(node: &NodeBox) -> f64 {
    let ([first, ..], [.., last]) = (&node.loops[..], &node.loops[..]) else { return node.size.height };
    let outside = (first.height.max(LOOP_HEIGHT) + last.height.max(LOOP_HEIGHT)) / 2.0;
    let uneven = (first.height.max(LOOP_HEIGHT) - last.height.max(LOOP_HEIGHT)).abs() / 2.0;
    node.size.height.max(loop_heights(&node.loops) - outside + uneven + node.size.height)
}

/// Labels stand to the right of their lines, but the left ones of several edges between the same two nodes to the
/// left, so that the lines stay together. Gives for every edge whether its label is to the left.
fn choose_sides(graph: &Graph, cut: &mut Cut) -> Vec<bool> {
    let mut left = vec![false; graph.edges.len()];
    for level in &cut.levels.levels {
        let labels: Vec<usize> = (level.iter())
            .filter_map(|v| match cut.vertices[*v].role {
                Role::Label(e) => Some(e),
                _ => None,
            })
            .collect();
        let ends = |e: usize| {
            let edge = &graph.edges[e];
            (edge.from.min(edge.to), edge.from.max(edge.to))
        };
        let mut at = 0;
        while at < labels.len() {
            let same = labels[at..].iter().take_while(|e| ends(**e) == ends(labels[at])).count();
            for e in &labels[at..at + same / 2] {
                left[*e] = true;
            }
            at += same;
        }
    }
    for vertex in &mut cut.vertices {
        if let Role::Label(e) = vertex.role {
            let wide = LABEL_GAP + graph.edges[e].label.width + LABEL_SPACE;
            vertex.extent = if left[e] {
                Extent { left: wide, right: LINE_SPACE }
            } else {
                Extent { left: LINE_SPACE, right: wide }
            };
        }
    }
    left
}

/// Where a line leaves a vertex, relative to its middle: upper and lower end of each piece of each chain; the start
/// comes last.
type Ports = Vec<Vec<(f64, f64)>>;

/// Gives every edge its own point on the border of its nodes, in the order in which the edges come.
fn connect(graph: &Graph, cut: &mut Cut) -> (Vec<Link>, Ports) {
    let mut place = vec![0; cut.vertices.len()];
    for level in &cut.levels.levels {
        for (i, v) in level.iter().enumerate() {
            place[*v] = i;
        }
    }
    let start = cut.vertices.iter().position(|v| v.role == Role::Start);
    let mut chains: Vec<&[usize]> = cut.chains.iter().map(|(c, _)| c.as_slice()).collect();
    let first: Vec<usize> = start.into_iter().flat_map(|s| [s, cut.levels.below[s][0]]).collect();
    chains.push(&first);
    let mut ports: Ports = chains.iter().map(|c| vec![(0.0, 0.0); c.len().saturating_sub(1)]).collect();
    // Per node the edges that leave below and above, with the place of what they lead to.
    let nodes = cut.vertices.iter().filter(|v| matches!(v.role, Role::Node(_))).count();
    let (mut down, mut up) = (vec![Vec::new(); nodes], vec![Vec::new(); nodes]);
    for (c, chain) in chains.iter().enumerate() {
        let [head, second, ..] = chain else { continue };
        let (tail, before) = (chain[chain.len() - 1], chain[chain.len() - 2]);
        if *head < nodes {
            down[*head].push((place[*second], c));
        }
        if tail < nodes {
            up[tail].push((place[before], c));
        }
    }
    // A dot is too small for more than one point.
    for node in (0..nodes).filter(|n| graph.nodes[*n].size.width >= PORT) {
        let widest = down[node].len().max(up[node].len());
        let need = (widest.saturating_sub(1) as f64) * PORT + 28.0;
        let extent = &mut cut.vertices[node].extent;
        let grow = (need / 2.0 + NODE_SPACE - extent.left).max(0.0);
        extent.left += grow;
        extent.right += grow;
        for (edges, is_down) in [(&mut down[node], true), (&mut up[node], false)] {
            edges.sort_unstable();
            let middle = (edges.len() as f64 - 1.0) / 2.0;
            for (i, (_, c)) in edges.iter().enumerate() {
                let shift = (i as f64 - middle) * PORT;
                let pieces = &mut ports[*c];
                if is_down {
                    pieces[0].0 = shift;
                } else if let Some(last) = pieces.last_mut() {
                    last.1 = shift;
                }
            }
        }
    }
    let mut links = Vec::new();
    for (chain, ports) in chains.iter().zip(&ports) {
        for (w, (upper_shift, lower_shift)) in chain.windows(2).zip(ports) {
            // Long edges straight first; and rather straight into the lower node than a bend at both.
            let weight = match (w[0] < nodes, w[1] < nodes) {
                (false, false) => 6.0,
                (true, _) => 1.4,
                (false, true) => 1.5,
            };
            links.push(Link { upper: w[0], lower: w[1], upper_shift: *upper_shift, lower_shift: *lower_shift, weight });
        }
    }
    (links, ports)
}

fn draw(graph: &Graph, cut: &Cut, sides: &[bool], ports: &Ports, mut x: Vec<f64>) -> Placement {
    let edge_of = |v: usize| x[v] - cut.vertices[v].extent.left;
    let least = (0..x.len()).map(edge_of).fold(f64::INFINITY, f64::min);
    x.iter_mut().for_each(|x| *x -= least);
    let width = x.iter().zip(&cut.vertices).map(|(x, v)| x + v.extent.right).fold(0.0, f64::max);

    let bands = bands(cut, ports, &x);
    let middle = |v: usize| {
        let (top, bottom) = bands[cut.vertices[v].level];
        (top + bottom) / 2.0
    };
    let nodes: Vec<(Point, Size)> = graph
        .nodes
        .iter()
        .enumerate()
        .map(|(i, node)| {
            let width = 2.0 * (cut.vertices[i].extent.left - NODE_SPACE);
            (Point { x: x[i], y: middle(i) }, Size { width, height: node_height(node) })
        })
        .collect();

    let route = |chain: &[usize], ports: &[(f64, f64)]| {
        let (head, tail) = (chain[0], chain[chain.len() - 1]);
        // The line starts at the lower border of its node, or in the middle of the dot.
        let below = if head < nodes.len() { nodes[head].1.height / 2.0 } else { 0.0 };
        let mut route = Route::at(Point { x: x[head] + ports[0].0, y: middle(head) + below });
        route.down_to(Point { x: route.from.x, y: bands[cut.vertices[head].level].1 });
        for (w, (_, shift)) in chain.windows(2).zip(ports) {
            let (top, bottom) = bands[cut.vertices[w[1]].level];
            let at = x[w[1]] + shift;
            route.down_to(Point { x: at, y: top });
            let end = if w[1] == tail { middle(tail) - nodes[tail].1.height / 2.0 } else { bottom };
            route.down_to(Point { x: at, y: end });
        }
        route
    };
    let start = cut.vertices.iter().position(|v| v.role == Role::Start).unwrap_or(0);
    let mut labels = vec![(Point::default(), false); graph.edges.len()];
    for (v, vertex) in cut.vertices.iter().enumerate() {
        if let Role::Label(e) = vertex.role {
            let size = graph.edges[e].label;
            let left = if sides[e] { x[v] - LABEL_GAP - size.width } else { x[v] + LABEL_GAP };
            labels[e] = (Point { x: left, y: middle(v) - size.height / 2.0 }, sides[e]);
        }
    }
    let edges = cut.chains.iter().zip(ports).map(|((chain, turned), ports)| {
        let route = route(chain, ports);
        if *turned { route.reversed() } else { route }
    });
    Placement {
        size: Size { width, height: bands.last().map_or(0.0, |b| b.1) },
        start: route(&[start, graph.start], &ports[ports.len() - 1]),
        loops: graph.nodes.iter().zip(&nodes).map(|(node, (at, size))| loops(&node.loops, *at, *size)).collect(),
        edges: edges.collect(),
        nodes,
        labels,
    }
}

/// Top and bottom of every level. The space between two grows with the bends in it, so that they do not get flat.
fn bands(cut: &Cut, ports: &Ports, x: &[f64]) -> Vec<(f64, f64)> {
    let depth = cut.levels.levels.len();
    let mut bend = vec![0.0f64; depth];
    for ((chain, _), ports) in cut.chains.iter().zip(ports) {
        for (w, (upper, lower)) in chain.windows(2).zip(ports) {
            let wide = (x[w[0]] + upper - x[w[1]] - lower).abs();
            let level = cut.vertices[w[0]].level;
            bend[level] = bend[level].max(wide);
        }
    }
    let mut bands = Vec::with_capacity(depth);
    let mut at = 0.0;
    for (level, row) in cut.levels.levels.iter().enumerate() {
        let height = row.iter().map(|v| cut.vertices[*v].height).fold(0.0, f64::max);
        bands.push((at, at + height));
        at += height + (LEAST_GAP + bend[level] * GAP_PER_BEND).min(MOST_GAP);
    }
    bands
}

/// The loops of a node, one below the other at its right side.
fn loops(labels: &[Size], at: Point, size: Size) -> Vec<(Route, Point)> {
    let side = at.x + size.width / 2.0;
    let tip = side + LOOP_REACH;
    let mut out = Vec::new();
    let mut top = at.y - loop_heights(labels) / 2.0;
    let spread = LOOP_SPREAD.min(size.height / 2.0 - 9.0);
    for label in labels {
        let height = label.height.max(LOOP_HEIGHT);
        let y = top + height / 2.0;
        let (upper, lower) = (y - spread * 0.7, y + spread * 0.7);
        let mut route = Route::at(Point { x: side, y: upper });
        let bulge = spread * 1.25;
        route.pieces.push([
            Point { x: side + LOOP_REACH * 0.55, y: y - bulge },
            Point { x: tip, y: y - bulge },
            Point { x: tip, y },
        ]);
        route.pieces.push([
            Point { x: tip, y: y + bulge },
            Point { x: side + LOOP_REACH * 0.55, y: lower },
            Point { x: side, y: lower },
        ]);
        out.push((route, Point { x: tip + LABEL_GAP, y: y - label.height / 2.0 }));
        top += height + LOOP_SPACE;
    }
    out
}
