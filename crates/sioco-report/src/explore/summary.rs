//! An exploration in a few lines.

use crate::words::MAX_NAMES;
use std::fmt::Write;

use sioco_model::Id;
use sioco_symbolic::{Merge, NodeId, Stop};

use super::{Explored, Status, bytes, count};
use crate::style::Style;

/// At most this many reasons for `unknown` are listed: the most frequent ones, a line each.
const REASONS: usize = 5;

/// The summary; `width` is how wide text may be.
pub fn summary(explored: &Explored<'_>, width: usize, style: Style) -> String {
    let Explored { model, found, .. } = explored;
    let mut out = String::new();
    let nodes = count(found.graph.len(), "node");
    let depth = count(explored.depth(), "step");
    let _ = writeln!(out, "{}: {nodes}, up to {depth} deep", style.bold(&model.name));
    let (stop, help) = stop(explored);
    let stop = if found.stop == Stop::Complete { style.green(stop) } else { style.yellow(stop) };
    let _ = writeln!(out, "  {stop}");
    if !help.is_empty() {
        for line in wrap(&help, width.saturating_sub(2)) {
            let _ = writeln!(out, "  {line}");
        }
    }
    out.push('\n');
    let mut rows = Rows { out, width };
    rows.row("switches", switches(explored));
    rows.row("merged", merged(explored));
    rows.row("unknown", unknown(explored));
    rows.row("errors", errors(explored));
    rows.out
}

/// Why the exploration ended, and what to do to go on.
pub fn stop(explored: &Explored<'_>) -> (String, String) {
    let Explored { found, options, .. } = explored;
    let left = found.graph.frontier().count();
    let left = format!("{} not expanded", count(left, "node"));
    let bound = if options.depth.is_none() { "; `--depth N` bounds what has no end" } else { "" };
    match found.stop {
        Stop::Complete => ("complete: every state that can be reached is covered".into(), String::new()),
        Stop::Covered => {
            let help = format!("{left}; leave out `--until-covered` to go on");
            ("stopped: every switch has been taken".into(), help)
        }
        Stop::Depth => {
            let depth = count(options.depth.unwrap_or(0), "step");
            (format!("stopped after {depth}"), format!("{left}; raise `--depth`"))
        }
        Stop::Nodes => {
            let nodes = count(options.nodes, "node");
            (format!("stopped at the limit of {nodes}"), format!("{left}; raise `--nodes`{bound}"))
        }
        Stop::Memory => {
            let memory = bytes(options.bytes);
            let help = format!("{left}; raise `--memory`{bound}");
            (format!("stopped at the limit of {memory} of memory"), help)
        }
        Stop::Cancelled if explored.late => {
            let time = explored.time.unwrap_or_default().as_secs_f64();
            (format!("stopped after {time} s, at the time limit"), format!("{left}; raise `--time`"))
        }
        Stop::Cancelled => ("interrupted: these are the results so far".into(), left),
    }
}

/// Rows with a heading on the left.
struct Rows {
    out: String,
    width: usize,
}

impl Rows {
    fn row(&mut self, heading: &str, lines: Vec<String>) {
        let mut heading = heading;
        for line in lines.iter().flat_map(|l| wrap(l, self.width.saturating_sub(12))) {
            let _ = writeln!(self.out, "  {heading:<10}{line}");
            heading = "";
        }
    }
}

fn switches(explored: &Explored<'_>) -> Vec<String> {
    let model = explored.model;
    let statuses = explored.statuses();
    let named = |status: Status| -> Vec<&str> {
        let with = model.switches.iter().filter(|(id, _)| statuses[id.index()] == status);
        with.map(|(_, s)| s.name.as_str()).collect()
    };
    let taken = named(Status::Taken).len();
    let all = model.switches.len();
    let mut lines = vec![match taken == all {
        true => format!("all {all} taken"),
        false => format!("{taken} of {all} taken"),
    }];
    for (status, what) in [
        (Status::Perhaps, "perhaps taken, resting on `unknown`"),
        (Status::Unreachable, "proved unreachable"),
        (Status::NotReached, "not reached so far"),
    ] {
        let names = named(status);
        if !names.is_empty() {
            lines.push(format!("{} {what}: {}", names.len(), some(&names)));
        }
    }
    lines
}

fn merged(explored: &Explored<'_>) -> Vec<String> {
    let (equal, included) = explored.merged();
    vec![match explored.options.merge {
        Merge::Nothing => "nothing, as asked for: the graph is a tree".into(),
        _ if (equal, included) == (0, 0) => "no nodes: none is like an earlier one".into(),
        Merge::Equal => format!("{} equal to an earlier one", count(equal, "node")),
        // Equality is inclusion, too: that is how trees and documents call both.
        Merge::Included => {
            format!("{} included in an earlier one, {equal} of them equal to it", count(equal + included, "node"))
        }
    }]
}

/// Steps that were not followed since the model is not defined there. Finding all of them is another command's work.
fn errors(explored: &Explored<'_>) -> Vec<String> {
    let model = explored.model;
    let names: Vec<String> =
        explored.model_errors.switches.iter().map(|s| format!("`{}`", model.switches[*s].name)).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut lines = Vec::new();
    if !names.is_empty() {
        lines.push(format!(
            "{} can compute a value that is undefined or outside its range; such steps are not followed; `sioco \
             analyze` shows how they come about",
            some(&names)
        ));
    }
    if explored.model_errors.cut {
        lines.push("there may be more: looking for them was ended as well".into());
    }
    lines
}

/// The steps that nobody could decide, by reason.
fn unknown(explored: &Explored<'_>) -> Vec<String> {
    let doubts = &explored.found.doubts;
    let when = if explored.late { "when the time limit was reached" } else { "when it was interrupted" };
    let unanswered = explored.unanswered().map(|solver| format!("{solver} had not answered {when}"));
    if doubts.is_empty() {
        return vec![match unanswered {
            Some(text) => format!("not all steps were decided: {text}"),
            None => "none: every step was decided".into(),
        }];
    }
    let mut reasons: Vec<(String, Vec<NodeId>)> = Vec::new();
    for (node, reason) in doubts {
        let text = reason.to_string();
        match reasons.iter_mut().find(|(known, _)| *known == text) {
            Some((_, nodes)) => nodes.push(*node),
            None => reasons.push((text, vec![*node])),
        }
    }
    let graph = &explored.found.graph;
    let mut lines = Vec::new();
    for (reason, nodes) in reasons.iter().take(REASONS) {
        let names: Vec<String> = nodes.iter().take(MAX_NAMES + 1).map(|n| step_name(explored, *n)).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let more = nodes.len().saturating_sub(names.len());
        let names = some_and(&names, more);
        lines.push(format!("{} ({names}): {reason}", count(nodes.len(), "step")));
    }
    if reasons.len() > REASONS {
        lines.push(format!("… for {} more", count(reasons.len() - REASONS, "reason")));
    }
    let resting = graph.ids().filter(|n| graph.rests_on_unknown(*n)).count();
    lines.push(format!("{} in all rest on these", count(resting, "node")));
    lines.push(format!("asked: {}", asked(explored)));
    lines.extend(unanswered);
    lines
}

/// Who was asked.
pub fn asked(explored: &Explored<'_>) -> String {
    match explored.solver {
        Some(name) => format!("the built-in layers, then {name}"),
        None => "the built-in layers alone".into(),
    }
}

fn step_name(explored: &Explored<'_>, node: NodeId) -> String {
    let graph = &explored.found.graph;
    match graph.step(node) {
        Some(step) => format!("{} `{}`", graph.name(node), step.name(explored.model)),
        None => graph.name(node),
    }
}

fn some(names: &[&str]) -> String {
    some_and(names, 0)
}

/// The first names, and how many more there are.
fn some_and(names: &[&str], further: usize) -> String {
    let more = names.len().saturating_sub(MAX_NAMES) + further;
    let shown = names[..names.len().min(MAX_NAMES)].join(", ");
    if more == 0 { shown } else { format!("{shown}, … and {more} more") }
}

/// The text in lines of at most this width, as far as its words allow.
pub(crate) fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}
