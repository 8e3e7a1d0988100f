//! Pictures for Mermaid, which many web pages show without further ado.

use sioco_model::visible::{is_hidden, line};
use std::fmt::Write;

use sioco_model::{Model, SwitchId};

use super::chart::{Edge, Kind, panels};
use super::label::lines;
use super::{PictureOptions, SwitchText};

/// The model as a Mermaid flowchart, with a subgraph per process instance.
///
/// A flowchart rather than a state diagram: the latter has no quoted labels, and guards are full of its operators.
pub fn mermaid(model: &Model, text: &dyn Fn(SwitchId) -> SwitchText, options: &PictureOptions) -> String {
    let mut out = String::from("flowchart TB\n");
    let mut links = 0;
    let mut coloured: [Vec<String>; 2] = Default::default();
    for (p, panel) in panels(model, text, options).iter().enumerate() {
        let caption: Vec<_> = std::iter::once(&panel.title).chain(&panel.variables).map(|l| escape(l)).collect();
        let _ = writeln!(out, "  subgraph p{p}[\"{}\"]", caption.join("<br/>"));
        let _ = writeln!(out, "    p{p}_start(( )):::dot");
        for (n, node) in panel.nodes.iter().enumerate() {
            let name = escape(&node.name);
            let _ = match (node.hidden, node.is_final) {
                (true, _) => writeln!(out, "    p{p}_n{n}(( )):::dot"),
                (false, true) => writeln!(out, "    p{p}_n{n}(((\"{name}\")))"),
                (false, false) => writeln!(out, "    p{p}_n{n}([\"{name}\"])"),
            };
        }
        let _ = writeln!(out, "    p{p}_start --> p{p}_n{}", panel.initial);
        links += 1;
        for edge in &panel.edges {
            let arrow = match edge.kind {
                Kind::Input => "-->",
                Kind::Output => "==>",
                Kind::Internal => "-.->",
            };
            let _ = writeln!(out, "    p{p}_n{} {arrow}|\"{}\"| p{p}_n{}", edge.from, label(edge), edge.to);
            match edge.kind {
                Kind::Input => coloured[0].push(links.to_string()),
                Kind::Output => coloured[1].push(links.to_string()),
                Kind::Internal => {}
            }
            links += 1;
        }
        out.push_str("  end\n");
    }
    out.push_str("  classDef dot fill:#24292f,stroke:#24292f\n");
    for (which, colour) in coloured.iter().zip(["#0b5cad", "#a33a00"]) {
        if !which.is_empty() {
            let _ = writeln!(out, "  linkStyle {} stroke:{colour}", which.join(","));
        }
    }
    out
}

fn label(edge: &Edge) -> String {
    let lines = lines(edge);
    let texts = lines.iter().map(|(_, line)| {
        let runs: Vec<_> = line.runs.iter().map(|(_, _, text)| escape(text)).collect();
        runs.join(" ")
    });
    texts.collect::<Vec<_>>().join("<br/>")
}

/// Text inside of quotes, with Mermaid's own entity codes for all that it, Markdown or HTML would read otherwise.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '"' => out.push_str("#quot;"),
            '&' => out.push_str("#amp;"),
            '<' => out.push_str("#lt;"),
            '>' => out.push_str("#gt;"),
            '#' | '`' | '*' | '_' | '~' | '\\' | '|' | '{' | '}' | ';' => {
                let _ = write!(out, "#{};", c as u32);
            }
            c if is_hidden(c) => out.push_str(&escape(&line(c.encode_utf8(&mut [0; 4])))),
            c => out.push(c),
        }
    }
    out
}
