//! A layout for graphs that are too large for a nice one: nodes row by row, no labels. Linear in time and space.

use super::rank::breadth_first;
use super::{Graph, Layout, Placement, Point, Route, Size};

/// Nodes on a grid, in the order in which a breadth-first walk meets them.
pub(crate) struct Grid;

/// The space between panels: wide enough that an edge label does not seem to belong to both.
const SPACE: f64 = 40.0;

impl Layout for Grid {
    fn place(&self, graph: &Graph) -> Option<Placement> {
        let order = walk(graph);
        let columns = (order.len() as f64).sqrt().ceil().max(1.0) as usize;
        let widest = graph.nodes.iter().map(|n| n.size.width).fold(0.0, f64::max);
        let highest = graph.nodes.iter().map(|n| n.size.height).fold(0.0, f64::max);
        let (dx, dy) = (widest + SPACE, highest + SPACE);
        let mut nodes = vec![(Point::default(), Size::default()); graph.nodes.len()];
        for (i, node) in order.iter().enumerate() {
            let (row, column) = (i / columns, i % columns);
            let at = Point { x: (column as f64 + 0.5) * dx, y: SPACE / 2.0 + (row as f64 + 0.5) * dy };
            nodes[*node] = (at, graph.nodes[*node].size);
        }
        let edges = graph.edges.iter().map(|e| arc(nodes[e.from], nodes[e.to]));
        let loops =
            graph.nodes.iter().zip(&nodes).map(|(node, at)| node.loops.iter().map(|_| (ring(*at), at.0)).collect());
        let rows = order.len().div_ceil(columns);
        let first = nodes.get(graph.start).copied().unwrap_or_default();
        let top = Point { x: first.0.x, y: first.0.y - first.1.height / 2.0 };
        let mut start = Route::at(Point { y: top.y - SPACE * 0.6, ..top });
        start.down_to(top);
        Some(Placement {
            size: Size { width: columns as f64 * dx, height: SPACE / 2.0 + rows as f64 * dy },
            start,
            loops: loops.collect(),
            edges: edges.collect(),
            labels: Vec::new(),
            nodes,
        })
    }
}

fn walk(graph: &Graph) -> Vec<usize> {
    let mut outgoing = vec![Vec::new(); graph.nodes.len()];
    for edge in &graph.edges {
        outgoing[edge.from].push(edge.to);
    }
    breadth_first(&outgoing, graph.start)
}

/// A flat arc from border to border; the two directions of a pair bend to different sides.
fn arc(from: (Point, Size), to: (Point, Size)) -> Route {
    let (a, b) = (border(from, to.0), border(to, from.0));
    let (dx, dy) = (b.x - a.x, b.y - a.y);
    // Flat enough to stay inside of the picture.
    let bulge = (SPACE * 0.5 / dx.hypot(dy).max(1.0)).min(0.12);
    let (nx, ny) = (-dy * bulge, dx * bulge);
    let control = |t: f64| Point { x: a.x + dx * t + nx, y: a.y + dy * t + ny };
    Route { from: a, pieces: vec![[control(0.3), control(0.7), b]] }
}

/// Where the line from the middle of a box towards a point leaves the box.
fn border((at, size): (Point, Size), towards: Point) -> Point {
    let (dx, dy) = (towards.x - at.x, towards.y - at.y);
    let scale = (dx.abs() / (size.width / 2.0).max(1.0)).max(dy.abs() / (size.height / 2.0).max(1.0)).max(1.0);
    Point { x: at.x + dx / scale, y: at.y + dy / scale }
}

fn ring((at, size): (Point, Size)) -> Route {
    let (x, y) = (at.x + size.width / 2.0, at.y);
    let out = |dy: f64| Point { x: x + SPACE * 0.6, y: y + dy };
    Route { from: Point { x, y: y - 5.0 }, pieces: vec![[out(-12.0), out(12.0), Point { x, y: y + 5.0 }]] }
}
