//! Pictures for Graphviz.

use sioco_model::visible::{is_hidden, line};
use std::fmt::Write;

use sioco_model::{Model, SwitchId};

use super::chart::{Edge, Kind, panels};
use super::label::{Style, lines};
use super::{PictureOptions, SwitchText, escape_xml};

/// The model as a DOT graph, with a cluster per process instance.
pub fn dot(model: &Model, text: &dyn Fn(SwitchId) -> SwitchText, options: &PictureOptions) -> String {
    let mut out = format!("digraph {} {{\n", quote(&model.name));
    out.push_str("  graph [rankdir=TB, fontname=\"Helvetica\", bgcolor=\"white\", nodesep=0.5, ranksep=0.5];\n");
    out.push_str("  node [shape=box, style=\"rounded,filled\", fillcolor=\"#f6f8fa\", fontname=\"Helvetica\"];\n");
    out.push_str("  edge [fontname=\"monospace\", fontsize=10];\n");
    for (p, panel) in panels(model, text, options).iter().enumerate() {
        let _ = writeln!(out, "  subgraph cluster_{p} {{");
        let mut caption = format!("<b>{}</b>", escape_xml(&panel.title));
        for variable in &panel.variables {
            let _ = write!(caption, "<br align=\"left\"/>{}", escape_xml(variable));
        }
        let _ = writeln!(out, "    label=<{caption}<br align=\"left\"/>>; labeljust=l; color=\"#b0b8c0\";");
        let _ = writeln!(out, "    p{p}_start [shape=point, width=0.1, fillcolor=black, label=\"\"];");
        for (n, node) in panel.nodes.iter().enumerate() {
            let look = match (node.hidden, node.is_final) {
                (true, _) => "shape=point, width=0.06, fillcolor=black, label=\"\"".into(),
                (false, is_final) => {
                    let border = if is_final { ", peripheries=2" } else { "" };
                    format!("label={}{border}", quote(&node.name))
                }
            };
            let _ = writeln!(out, "    p{p}_n{n} [{look}];");
        }
        let _ = writeln!(out, "    p{p}_start -> p{p}_n{};", panel.initial);
        let mut edges: Vec<(usize, usize, Vec<&Edge>)> = Vec::new();
        for edge in &panel.edges {
            // Graphviz draws several loops of one node over each other.
            let loops =
                edges.iter_mut().find(|(from, to, _)| edge.from == edge.to && (*from, *to) == (edge.from, edge.to));
            match loops {
                Some((.., loops)) => loops.push(edge),
                None => edges.push((edge.from, edge.to, vec![edge])),
            }
        }
        for (from, to, edges) in &edges {
            for item in edges.iter().flat_map(|e| &e.items) {
                let _ = writeln!(out, "    // {}", item.id.replace(['\n', '\r'], " "));
            }
            let look = match edges[..] {
                [Edge { kind: Kind::Input, .. }] => "color=\"#0b5cad\", arrowhead=normal",
                [Edge { kind: Kind::Output, .. }] => "color=\"#a33a00\", arrowhead=empty",
                [Edge { kind: Kind::Internal, .. }] => "color=\"#57606a\", arrowhead=vee, style=dashed",
                _ => "color=\"#24292f\", arrowhead=normal",
            };
            let label: String = edges.iter().map(|e| label(e)).collect();
            let _ = writeln!(out, "    p{p}_n{from} -> p{p}_n{to} [{look}, label=<{label}>];");
        }
        out.push_str("  }\n");
    }
    out.push_str("}\n");
    out
}

fn label(edge: &Edge) -> String {
    let mut out = String::new();
    for (_, line) in lines(edge) {
        // An indent, because spaces at the beginning of a line are lost.
        let indent = line.runs.first().map_or(0, |r| r.0);
        out.push_str(&"&#160;".repeat(indent));
        for (i, (_, style, text)) in line.runs.iter().enumerate() {
            if i > 0 {
                out.push(' ');
            }
            let text = escape_xml(text);
            match style {
                Style::Name => {
                    let _ = write!(out, "<b>{text}</b>");
                }
                Style::Label(_) | Style::Plain => out.push_str(&text),
            }
        }
        out.push_str("<br align=\"left\"/>");
    }
    out
}

/// A quoted id: DOT knows the escapes `\"` and `\\`, and reads other backslashes in its own way.
fn quote(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            // A backslash of its own, for the escape of the language.
            c if is_hidden(c) => out.push_str(&line(c.encode_utf8(&mut [0; 4])).replace('\\', "\\\\")),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
