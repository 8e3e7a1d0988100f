//! Where everything goes: from boxes and connections to places and curves.
//!
//! [`Layered`] draws what people would like to look at. It puts nodes on levels, and keeps the levels between them
//! for labels, so that no label can meet a node, another label or a foreign edge: inside of a level edges only run
//! straight down, and they bend only in the space between two levels. [`Grid`] is for what is too large for that.

mod coordinate;
mod grid;
mod layered;
mod order;
mod rank;

pub(super) use grid::Grid;
pub(super) use layered::Layered;

/// A point; y grows downwards.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(super) struct Point {
    pub x: f64,
    pub y: f64,
}

/// Width and height.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(super) struct Size {
    pub width: f64,
    pub height: f64,
}

/// What is to be laid out.
#[derive(Clone, Debug, Default)]
pub(super) struct Graph {
    pub nodes: Vec<NodeBox>,
    /// Connections between different nodes.
    pub edges: Vec<EdgeBox>,
    /// The node that the arrow from nowhere leads to.
    pub start: usize,
}

/// A node, with the labels of its loops.
#[derive(Clone, Debug)]
pub(super) struct NodeBox {
    pub size: Size,
    pub loops: Vec<Size>,
}

/// A connection of two different nodes.
#[derive(Clone, Copy, Debug)]
pub(super) struct EdgeBox {
    pub from: usize,
    pub to: usize,
    pub label: Size,
}

/// A layout. All coordinates are from 0 to the size.
#[derive(Clone, Debug, Default)]
pub(super) struct Placement {
    pub size: Size,
    /// The arrow to the first node, from the middle of the dot.
    pub start: Route,
    /// Middle and size of each node; a node may get wider to make room for its edges.
    pub nodes: Vec<(Point, Size)>,
    /// For each node and each of its loops the curve and the top left corner of the label.
    pub loops: Vec<Vec<(Route, Point)>>,
    /// For each edge the curve.
    pub edges: Vec<Route>,
    /// For each edge the top left corner of its label, and whether the edge is to the right of it; empty if the
    /// layout has no place for labels.
    pub labels: Vec<(Point, bool)>,
}

/// A curve: a start and cubic Bézier pieces, each with two control points and its end.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Route {
    pub from: Point,
    pub pieces: Vec<[Point; 3]>,
}

impl Route {
    /// A curve that starts at a point.
    pub fn at(from: Point) -> Route {
        Route { from, pieces: Vec::new() }
    }

    /// The last point.
    pub fn end(&self) -> Point {
        self.pieces.last().map_or(self.from, |p| p[2])
    }

    /// Goes on to a point that is below or above: straight, or in a curve that begins and ends vertically.
    pub fn down_to(&mut self, to: Point) {
        let from = self.end();
        let middle = (from.y + to.y) / 2.0;
        self.pieces.push([Point { x: from.x, y: middle }, Point { x: to.x, y: middle }, to]);
    }

    /// The same curve from its end to its start.
    pub fn reversed(&self) -> Route {
        let mut out = Route::at(self.end());
        for (i, [a, b, _]) in self.pieces.iter().enumerate().rev() {
            let to = if i == 0 { self.from } else { self.pieces[i - 1][2] };
            out.pieces.push([*b, *a, to]);
        }
        out
    }
}

/// A way to lay out a graph.
pub(super) trait Layout {
    /// The layout, or `None` if this one is not for graphs like that.
    fn place(&self, graph: &Graph) -> Option<Placement>;
}

/// The nicest layout that the size of the graph allows.
pub(super) fn place(graph: &Graph) -> Placement {
    let ways: [&dyn Layout; 2] = [&Layered, &Grid];
    ways.iter().find_map(|way| way.place(graph)).unwrap_or_default()
}

#[cfg(test)]
mod tests;
