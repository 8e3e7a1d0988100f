use super::*;

fn graph(nodes: usize, edges: usize, seed: u64) -> Graph {
    let mut state = seed;
    let mut next = |limit: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % limit
    };
    let mut graph = Graph::default();
    for _ in 0..nodes {
        let size = Size { width: 40.0 + next(60) as f64, height: 30.0 };
        let loops = (0..next(8).saturating_sub(4)).map(|_| Size { width: 50.0, height: 10.0 + next(60) as f64 });
        graph.nodes.push(NodeBox { size, loops: loops.collect() });
    }
    for _ in 0..edges {
        let (from, to) = (next(nodes), next(nodes));
        if from != to {
            let label = Size { width: 30.0 + next(200) as f64, height: 14.0 * (1 + next(4)) as f64 };
            graph.edges.push(EdgeBox { from, to, label });
        }
    }
    graph
}

#[derive(Clone, Copy, Debug)]
struct Rect {
    left: f64,
    top: f64,
    right: f64,
    bottom: f64,
}

impl Rect {
    fn corner(at: Point, size: Size) -> Rect {
        Rect { left: at.x, top: at.y, right: at.x + size.width, bottom: at.y + size.height }
    }

    fn middle(at: Point, size: Size) -> Rect {
        Rect::corner(Point { x: at.x - size.width / 2.0, y: at.y - size.height / 2.0 }, size)
    }

    fn meets(&self, other: &Rect) -> bool {
        self.left < other.right && other.left < self.right && self.top < other.bottom && other.top < self.bottom
    }

    fn has(&self, p: Point) -> bool {
        self.left + 0.5 < p.x && p.x < self.right - 0.5 && self.top + 0.5 < p.y && p.y < self.bottom - 0.5
    }
}

fn points(route: &Route) -> Vec<Point> {
    let mut out = Vec::new();
    let mut from = route.from;
    for [a, b, to] in &route.pieces {
        for step in 0..=16 {
            let (t, u) = (f64::from(step) / 16.0, 1.0 - f64::from(step) / 16.0);
            let mix = |p: f64, a: f64, b: f64, q: f64| {
                u * u * u * p + 3.0 * u * u * t * a + 3.0 * u * t * t * b + t * t * t * q
            };
            out.push(Point { x: mix(from.x, a.x, b.x, to.x), y: mix(from.y, a.y, b.y, to.y) });
        }
        from = *to;
    }
    out
}

/// Boxes of nodes, labels and labels of loops do not meet, and no edge runs through any of them.
fn check(graph: &Graph) {
    let placement = Layered.place(graph).expect("not too large");
    let mut boxes: Vec<Rect> = placement.nodes.iter().map(|(at, size)| Rect::middle(*at, *size)).collect();
    boxes.extend(placement.labels.iter().zip(&graph.edges).map(|((at, _), e)| Rect::corner(*at, e.label)));
    for (node, loops) in graph.nodes.iter().zip(&placement.loops) {
        boxes.extend(node.loops.iter().zip(loops).map(|(size, (_, at))| Rect::corner(*at, *size)));
    }
    let all = Rect::corner(Point::default(), placement.size);
    for (i, a) in boxes.iter().enumerate() {
        assert!(a.left >= all.left && a.right <= all.right && a.top >= all.top && a.bottom <= all.bottom, "{a:?}");
        for b in &boxes[..i] {
            assert!(!a.meets(b), "{a:?} meets {b:?}");
        }
    }
    for route in placement.edges.iter().chain([&placement.start]) {
        for p in points(route) {
            assert!(p.x.is_finite() && p.y.is_finite());
            assert!(!boxes.iter().any(|b| b.has(p)), "{route:?} runs through a box at {p:?}");
        }
    }
    for (edge, route) in graph.edges.iter().zip(&placement.edges) {
        let ends = [(edge.from, route.from), (edge.to, route.end())];
        for (node, end) in ends {
            let (at, size) = placement.nodes[node];
            assert!((end.x - at.x).abs() <= size.width / 2.0, "an end beside its node");
            assert!(((end.y - at.y).abs() - size.height / 2.0).abs() < 0.01, "an end away from the border");
        }
    }
}

#[test]
fn nothing_meets_in_a_layered_layout() {
    for seed in 0..60 {
        let nodes = 1 + seed as usize % 20;
        check(&graph(nodes, nodes + seed as usize % 17, seed));
    }
    check(&graph(60, 100, 1));
}

#[test]
fn extreme_graphs_have_a_layout() {
    assert_eq!(place(&Graph::default()).nodes.len(), 0);
    check(&graph(1, 0, 1));
    check(&graph(8, 0, 1));
    let large = graph(3_000, 9_000, 1);
    assert!(Layered.place(&large).is_none());
    assert_eq!(place(&large).nodes.len(), 3_000);
}
