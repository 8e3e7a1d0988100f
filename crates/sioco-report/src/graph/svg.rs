//! Pictures that need no other program.

use std::fmt::Write;

use sioco_model::{Model, SwitchId};

use super::chart::{Edge, Kind, Panel, panels};
use super::label::{Line, Style, columns, lines};
use super::layout::{self, EdgeBox, Graph, NodeBox, Placement, Point, Route, Size};
use super::{PictureOptions, SwitchText, escape_xml};

/// Width of a column, for a fixed-width font of 11 px.
const COLUMN: f64 = 6.65;
/// Height of a line of labels, for the same font.
const LINE: f64 = 14.5;
/// Space between the labels of two switches at one edge: less than a line, so that they stay together.
const BETWEEN: f64 = 4.0;
/// Space around everything: about a line.
const MARGIN: f64 = 16.0;
/// Space inside of a panel: about a line.
const INSIDE: f64 = 14.0;
/// Panels stand side by side up to this width: what a screen shows without scrolling.
const MAX_WIDTH: f64 = 1_500.0;

/// The model as a self-contained SVG, with a panel per process instance.
pub fn svg(model: &Model, text: &dyn Fn(SwitchId) -> SwitchText, options: &PictureOptions) -> String {
    let mut panels: Vec<Drawn> = panels(model, text, options).into_iter().map(Drawn::new).collect();
    let (places, size) = shelves(&mut panels);
    let mut kinds: Vec<Kind> = panels.iter().flat_map(|p| p.panel.edges.iter().map(|e| e.kind)).collect();
    kinds.sort_unstable();
    kinds.dedup();
    let legend = if options.show_legend && !kinds.is_empty() { 26.0 } else { 0.0 };
    let (width, height) = (size.width.max(260.0), size.height + legend);

    let mut out = String::new();
    let _ = writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"sioco\" width=\"{w}\" height=\"{h}\" viewBox=\"0 0 {w} {h}\">",
        w = width.ceil(),
        h = height.ceil()
    );
    let _ = writeln!(out, "<title>{}</title>", escape_xml(&model.name));
    let _ = writeln!(out, "<style>{STYLE}{}</style>", escape_style(&options.css));
    out.push_str(MARKERS);
    out.push_str("<rect class=\"ground\" width=\"100%\" height=\"100%\"/>\n");
    for (panel, at) in panels.iter().zip(&places) {
        let _ = writeln!(out, "<g transform=\"translate({},{})\">", num(at.x), num(at.y));
        panel.draw(&mut out, panels.len() > 1);
        out.push_str("</g>\n");
    }
    if legend > 0.0 {
        draw_legend(&mut out, &kinds, size.height);
    }
    out.push_str("</svg>\n");
    out
}

// Everything stands on a white ground of its own, so a dark page does not swallow the lines. Kinds differ in colour,
// but also in arrowhead and dashes, for those who print.
const STYLE: &str = "
.sioco .ground { fill: #fff }
.sioco .panel { fill: none; stroke: #d0d7de }
.sioco .title { font: 600 14px Helvetica, Arial, 'Liberation Sans', sans-serif; fill: #1f2328 }
.sioco .location { font: 500 13px Helvetica, Arial, 'Liberation Sans', sans-serif; fill: #1f2328; text-anchor: middle }
.sioco .note { font: 11px Helvetica, Arial, 'Liberation Sans', sans-serif; fill: #57606a }
.sioco .code, .sioco .variables { font: 11px Menlo, Consolas, 'DejaVu Sans Mono', 'Liberation Mono', monospace; fill: #1f2328 }
.sioco .variables { fill: #57606a }
.sioco .name { font-weight: 700 }
.sioco .node { fill: #f6f8fa; stroke: #1f2328; stroke-width: 1.2 }
.sioco .inner { fill: none; stroke: #1f2328; stroke-width: 1 }
.sioco .dot { fill: #1f2328 }
.sioco .line { fill: none; stroke: #1f2328; stroke-width: 1.25; stroke-linecap: round }
.sioco .input .line { stroke: #0b5cad }
.sioco .output .line { stroke: #a33a00 }
.sioco .internal .line { stroke: #57606a; stroke-dasharray: 5 4 }
.sioco tspan.input { fill: #0b5cad }
.sioco tspan.output { fill: #a33a00 }
.sioco tspan.internal { fill: #57606a }
";

const MARKERS: &str = "<defs>
<marker id=\"sioco-start\" viewBox=\"0 0 10 10\" refX=\"9.5\" refY=\"5\" markerWidth=\"9\" markerHeight=\"9\" markerUnits=\"userSpaceOnUse\" orient=\"auto\"><path d=\"M0.5,1 L9.5,5 L0.5,9 Z\" fill=\"#1f2328\"/></marker>
<marker id=\"sioco-input\" viewBox=\"0 0 10 10\" refX=\"9.5\" refY=\"5\" markerWidth=\"10\" markerHeight=\"10\" markerUnits=\"userSpaceOnUse\" orient=\"auto\"><path d=\"M0.5,1 L9.5,5 L0.5,9 Z\" fill=\"#0b5cad\"/></marker>
<marker id=\"sioco-output\" viewBox=\"0 0 10 10\" refX=\"9.5\" refY=\"5\" markerWidth=\"10\" markerHeight=\"10\" markerUnits=\"userSpaceOnUse\" orient=\"auto\"><path d=\"M0.9,1.2 L9,5 L0.9,8.8 Z\" fill=\"#fff\" stroke=\"#a33a00\" stroke-width=\"1.2\" stroke-linejoin=\"round\"/></marker>
<marker id=\"sioco-internal\" viewBox=\"0 0 10 10\" refX=\"9\" refY=\"5\" markerWidth=\"10\" markerHeight=\"10\" markerUnits=\"userSpaceOnUse\" orient=\"auto\"><path d=\"M1.5,1.2 L9,5 L1.5,8.8\" fill=\"none\" stroke=\"#57606a\" stroke-width=\"1.4\" stroke-linecap=\"round\" stroke-linejoin=\"round\"/></marker>
</defs>
";

fn class(kind: Kind) -> &'static str {
    match kind {
        Kind::Input => "input",
        Kind::Output => "output",
        Kind::Internal => "internal",
    }
}

/// A panel with everything in its place.
struct Drawn {
    panel: Panel,
    /// The labels of all edges.
    labels: Vec<Vec<(usize, Line)>>,
    /// Which edge is the n-th connection, or the n-th loop of a node, of the layout.
    connections: Vec<usize>,
    loops: Vec<Vec<usize>>,
    placement: Placement,
    caption: Vec<String>,
    size: Size,
}

impl Drawn {
    fn new(panel: Panel) -> Drawn {
        let labels: Vec<_> = panel.edges.iter().map(lines).collect();
        let mut graph = Graph { start: panel.initial, ..Graph::default() };
        for node in &panel.nodes {
            let size = if node.hidden {
                Size { width: 9.0, height: 9.0 }
            } else {
                Size { width: (columns(&node.name) as f64 * 7.8 + 26.0).max(48.0), height: 32.0 }
            };
            graph.nodes.push(NodeBox { size, loops: Vec::new() });
        }
        let (mut connections, mut loops) = (Vec::new(), vec![Vec::new(); panel.nodes.len()]);
        for (e, edge) in panel.edges.iter().enumerate() {
            let size = label_size(&labels[e]);
            if edge.from == edge.to {
                let node = &mut graph.nodes[edge.from];
                node.loops.push(size);
                loops[edge.from].push(e);
            } else {
                graph.edges.push(EdgeBox { from: edge.from, to: edge.to, label: size });
                connections.push(e);
            }
        }
        let placement = layout::place(&graph);
        let room = placement.size.width.max(columns(&panel.title) as f64 * 8.5).max(300.0);
        let mut caption = flow(&panel.variables, (room / COLUMN) as usize);
        if placement.labels.len() < connections.len() {
            caption.push("(too large for labels: hover over an edge to see its switches)".into());
        }
        let wide = caption.iter().map(|l| columns(l) as f64 * COLUMN).fold(0.0, f64::max);
        let width = placement.size.width.max(wide).max(columns(&panel.title) as f64 * 8.5) + 2.0 * INSIDE;
        let head = 26.0 + caption.len() as f64 * LINE;
        let size = Size { width, height: head + 14.0 + placement.size.height + 2.0 * INSIDE };
        Drawn { panel, labels, connections, loops, placement, caption, size }
    }

    fn draw(&self, out: &mut String, frame: bool) {
        if frame {
            let (w, h) = (num(self.size.width), num(self.size.height));
            let _ = writeln!(out, "<rect class=\"panel\" width=\"{w}\" height=\"{h}\" rx=\"8\"/>");
        }
        let _ = writeln!(
            out,
            "<text class=\"title\" x=\"{INSIDE}\" y=\"{}\">{}</text>",
            num(INSIDE + 12.0),
            escape_xml(&self.panel.title)
        );
        let mut y = INSIDE + 32.0;
        for line in &self.caption {
            let _ = writeln!(
                out,
                "<text class=\"variables\" xml:space=\"preserve\" x=\"{INSIDE}\" y=\"{}\">{}</text>",
                num(y),
                escape_xml(line)
            );
            y += LINE;
        }
        let left = (self.size.width - self.placement.size.width) / 2.0;
        let top = INSIDE + 40.0 + self.caption.len() as f64 * LINE;
        let _ = writeln!(out, "<g transform=\"translate({},{})\">", num(left), num(top));
        self.draw_graph(out);
        out.push_str("</g>\n");
    }

    fn draw_graph(&self, out: &mut String) {
        let start = &self.placement.start;
        let _ =
            writeln!(out, "<circle class=\"dot\" cx=\"{}\" cy=\"{}\" r=\"4\"/>", num(start.from.x), num(start.from.y));
        draw_line(out, start, "start");
        for (i, &e) in self.connections.iter().enumerate() {
            let label = self.placement.labels.get(i);
            self.draw_edge(out, e, &self.placement.edges[i], label.copied());
        }
        for (edges, routes) in self.loops.iter().zip(&self.placement.loops) {
            for (&e, (route, at)) in edges.iter().zip(routes) {
                let label =
                    if self.placement.labels.len() < self.connections.len() { None } else { Some((*at, false)) };
                self.draw_edge(out, e, route, label);
            }
        }
        for (node, (at, size)) in self.panel.nodes.iter().zip(&self.placement.nodes) {
            if node.hidden {
                let _ = writeln!(out, "<circle class=\"dot\" cx=\"{}\" cy=\"{}\" r=\"4\"/>", num(at.x), num(at.y));
                continue;
            }
            let name = escape_xml(&node.name);
            let _ = writeln!(out, "<g data-location=\"{name}\">");
            draw_box(out, "node", *at, *size);
            if node.is_final {
                draw_box(out, "inner", *at, Size { width: size.width - 7.0, height: size.height - 7.0 });
            }
            let _ = writeln!(
                out,
                "<text class=\"location\" x=\"{}\" y=\"{}\">{name}</text></g>",
                num(at.x),
                num(at.y + 4.5)
            );
        }
    }

    /// A line with its label, if there is a place for it; the label is given by its corner and whether it stands to
    /// the left of the line.
    fn draw_edge(&self, out: &mut String, e: usize, route: &Route, label: Option<(Point, bool)>) {
        let edge = &self.panel.edges[e];
        let all: Vec<String> = edge.items.iter().map(|item| escape_xml(&item.line())).collect();
        let _ = writeln!(out, "<g class=\"{}\"><title>{}</title>", class(edge.kind), all.join("\n"));
        draw_line(out, route, class(edge.kind));
        if let Some((at, left)) = label {
            self.draw_label(out, e, edge, at, left);
        }
        out.push_str("</g>\n");
    }

    fn draw_label(&self, out: &mut String, e: usize, edge: &Edge, at: Point, left: bool) {
        let wide = label_size(&self.labels[e]).width;
        let mut y = at.y + LINE * 0.76;
        for (i, (item, line)) in self.labels[e].iter().enumerate() {
            if line.first {
                if i > 0 {
                    y += BETWEEN;
                    out.push_str("</g>\n");
                }
                match edge.items.get(*item) {
                    Some(item) => {
                        let _ = write!(out, "<g data-switch=\"{}\">", escape_xml(&item.id));
                    }
                    None => out.push_str("<g>"),
                }
            }
            // To the left of a line, every item ends at the line.
            let widest = self.labels[e].iter().filter(|(n, _)| n == item).map(|(_, l)| l.columns).max().unwrap_or(0);
            let shift = if left { wide - widest as f64 * COLUMN } else { 0.0 };
            let _ = write!(out, "<text class=\"code\" y=\"{}\">", num(y));
            for (column, style, text) in &line.runs {
                let class = match style {
                    Style::Name => " class=\"name\"".into(),
                    Style::Label(kind) => format!(" class=\"{}\"", class(*kind)),
                    Style::Plain => String::new(),
                };
                let x = num(at.x + shift + *column as f64 * COLUMN);
                let _ = write!(out, "<tspan x=\"{x}\"{class}>{}</tspan>", escape_xml(text));
            }
            out.push_str("</text>");
            y += LINE;
        }
        if !self.labels[e].is_empty() {
            out.push_str("</g>\n");
        }
    }
}

fn label_size(lines: &[(usize, Line)]) -> Size {
    let width = lines.iter().map(|(_, l)| l.columns).max().unwrap_or(0) as f64 * COLUMN;
    let items = lines.iter().filter(|(_, l)| l.first).count().max(1) as f64;
    Size { width, height: lines.len() as f64 * LINE + (items - 1.0) * BETWEEN }
}

fn draw_box(out: &mut String, class: &str, at: Point, size: Size) {
    let _ = writeln!(
        out,
        "<rect class=\"{class}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"{}\"/>",
        num(at.x - size.width / 2.0),
        num(at.y - size.height / 2.0),
        num(size.width),
        num(size.height),
        num((size.height / 2.0).min(13.0))
    );
}

fn draw_line(out: &mut String, route: &Route, marker: &str) {
    let mut path = format!("M{},{}", num(route.from.x), num(route.from.y));
    let mut at = route.from;
    for [a, b, to] in &route.pieces {
        let straight = (a.x - at.x).abs() < 0.05 && (b.x - to.x).abs() < 0.05 && (at.x - to.x).abs() < 0.05;
        if straight {
            let _ = write!(path, " V{}", num(to.y));
        } else {
            let _ = write!(path, " C{},{} {},{} {},{}", num(a.x), num(a.y), num(b.x), num(b.y), num(to.x), num(to.y));
        }
        at = *to;
    }
    let _ = writeln!(out, "<path class=\"line\" d=\"{path}\" marker-end=\"url(#sioco-{marker})\"/>");
}

fn draw_legend(out: &mut String, kinds: &[Kind], y: f64) {
    let mut x = MARGIN + INSIDE;
    for kind in kinds {
        let name = class(*kind);
        let _ = writeln!(
            out,
            "<g class=\"{name}\"><path class=\"line\" d=\"M{},{y} h30\" marker-end=\"url(#sioco-{name})\"/></g>\
             <text class=\"note\" x=\"{}\" y=\"{}\">{name}</text>",
            num(x),
            num(x + 37.0),
            num(y + 4.0),
            y = num(y)
        );
        x += 45.0 + name.len() as f64 * 6.0 + 16.0;
    }
}

/// Declarations one after the other, on lines of limited width.
fn flow(items: &[String], limit: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for item in items {
        match lines.last_mut() {
            Some(line) if columns(line) + 3 + columns(item) <= limit => {
                line.push_str("   ");
                line.push_str(item);
            }
            _ => lines.push(item.clone()),
        }
    }
    lines
}

/// Panels in rows, those of a row equally high; and the size of all.
fn shelves(panels: &mut [Drawn]) -> (Vec<Point>, Size) {
    let mut places: Vec<Point> = Vec::with_capacity(panels.len());
    let (mut x, mut y, mut width) = (MARGIN, MARGIN, 0.0f64);
    let mut row = 0..0;
    while row.start < panels.len() {
        while row.end < panels.len() && (row.is_empty() || x + panels[row.end].size.width <= MAX_WIDTH) {
            places.push(Point { x, y });
            x += panels[row.end].size.width + MARGIN;
            row.end += 1;
        }
        let high = panels[row.clone()].iter().map(|p| p.size.height).fold(0.0, f64::max);
        panels[row.clone()].iter_mut().for_each(|p| p.size.height = high);
        width = width.max(x);
        (x, y, row) = (MARGIN, y + high + MARGIN, row.end..row.end);
    }
    (places, Size { width, height: y })
}

/// Style rules cannot be escaped in a way that both XML and HTML read, but nothing in them needs these two.
fn escape_style(css: &str) -> String {
    css.replace(['<', '&'], " ")
}

/// A coordinate with at most one decimal: files stay small, and equal pictures equal.
fn num(value: f64) -> String {
    let rounded = (value * 10.0).round() / 10.0;
    // Negative zero would be another text.
    format!("{}", rounded + 0.0)
}
