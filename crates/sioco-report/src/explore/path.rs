//! What was found out about one path, for people.

use std::fmt::Write;

use serde_json::{Map, Value as Json};
use sioco_lang::diagnostic::Label;
use sioco_lang::source::{SourceMap, Span};
use sioco_solve::values::Choice;

use super::nodes::NodeText;
use super::summary::wrap;
use super::tree::cut;
use crate::diagnostic::{Finding, render_finding};
use crate::style::Style;

/// A list has at most this many lines before the rest is only counted: a few screens.
const LINES: usize = 100;

/// A path, and whether it can be taken.
#[derive(Clone, Debug)]
pub struct PathReport {
    /// The node of a graph that the path leads to, if that was asked for.
    pub node: Option<String>,
    /// The names of its steps.
    pub steps: Vec<String>,
    /// The path condition as far as the path can be taken, a conjunct each.
    pub conditions: Vec<Conjunct>,
    /// The symbols on the path, each with its type.
    pub symbols: Vec<(String, String)>,
    /// The state at the end, or before the step that is impossible.
    pub state: NodeText,
    /// Whether it can be taken.
    pub outcome: PathOutcome,
}

/// A conjunct of the path condition.
#[derive(Clone, Debug)]
pub struct Conjunct {
    /// The condition over symbols.
    pub text: String,
    /// The same as its author wrote it, where it is false by itself and that is known.
    pub written: Option<String>,
    /// The step that brings it, from 1.
    pub step: usize,
    /// The switch that it belongs to.
    pub switch: Option<String>,
    /// What it is, where that is not the guard: `must be defined`.
    pub why: String,
    /// Whether it says that something is not possible.
    pub in_silence: bool,
    /// Whether it belongs to a guard that has no value here.
    pub undefined: bool,
    /// Where it was written.
    pub span: Option<Span>,
    /// The values of the variables that it reads, where they are known: name, text, JSON.
    pub values: Vec<(String, String, Json)>,
}

/// Whether a path can be taken.
#[derive(Clone, Debug)]
pub enum PathOutcome {
    /// It can, with these values.
    Reachable(Witness),
    /// It cannot, since these conditions clash.
    Impossible {
        /// The step at which that shows, from 1.
        at: usize,
        /// The conditions.
        clash: Vec<Conjunct>,
        /// The model error that the step is for some values, in words.
        error: Option<String>,
    },
    /// It was not found out.
    Unknown {
        /// The first step that is unknown, from 1.
        at: usize,
        /// Why.
        reason: String,
        /// Who was asked.
        asked: String,
    },
}

/// Values for a path.
#[derive(Clone, Debug)]
pub struct Witness {
    /// How they were chosen.
    pub choice: Choice,
    /// The trace, as lines of a script for `sioco simulate`.
    pub script: Vec<String>,
    /// The values of the variables that are free at the start.
    pub start: Map<String, Json>,
    /// The values of the parameters, step by step.
    pub values: Vec<Map<String, Json>>,
    /// What has no end on the side asked for, or does not reach it: a variable at the start (step 0), or a parameter of a step.
    pub unbounded: Vec<(usize, String)>,
    /// Whether a question was left open, so that there may be better values.
    pub uncertain: bool,
    /// How to replay it.
    pub replay: String,
}

/// Where text goes.
#[derive(Clone, Copy)]
pub struct Page<'a> {
    /// The sources that the conditions come from.
    pub sources: &'a SourceMap,
    /// How wide text may be.
    pub width: usize,
    /// The emphasis.
    pub style: Style,
}

impl PathReport {
    /// The path as it was understood.
    fn name(&self) -> String {
        match &self.node {
            Some(node) => format!("{node}: {}", self.steps.join(" ")),
            None => self.steps.join(" "),
        }
    }

    /// The report for people.
    pub fn text(&self, page: Page<'_>) -> String {
        let style = page.style;
        let mut out = String::new();
        let name = if self.steps.is_empty() { "the initial state".to_owned() } else { self.name() };
        match &self.outcome {
            PathOutcome::Reachable(witness) => {
                self.title(&mut out, style.green("reachable"), &name, page);
                self.conditions(&mut out, page);
                self.state(&mut out, "state", page);
                witness.text(&mut out, page);
            }
            PathOutcome::Unknown { at, reason, asked } => {
                self.title(&mut out, style.yellow("unknown"), &name, page);
                let step = self.steps.get(at - 1).map(String::as_str).unwrap_or_default();
                let _ = writeln!(out, "\n{}", style.bold(format_args!("undecided from step {at}, `{step}`, on")));
                for line in wrap(reason, page.width - 2) {
                    let _ = writeln!(out, "  {line}");
                }
                let _ = writeln!(out, "  asked: {asked}");
                self.conditions(&mut out, page);
                self.state(&mut out, "state, if it is reachable", page);
            }
            PathOutcome::Impossible { at, clash, error } => {
                let finding = self.finding(*at, clash, error.as_deref());
                out.push_str(&render_finding(page.sources, &finding, style));
                self.state(&mut out, &format!("state before step {at}"), page);
            }
        }
        out
    }

    fn title(&self, out: &mut String, verdict: String, name: &str, page: Page<'_>) {
        let mut lines = wrap(name, page.width.saturating_sub(11)).into_iter();
        let _ = writeln!(out, "{verdict}: {}", lines.next().unwrap_or_default());
        for line in lines {
            let _ = writeln!(out, "  {line}");
        }
    }

    fn conditions(&self, out: &mut String, page: Page<'_>) {
        let style = page.style;
        let _ = writeln!(out, "\n{}", style.bold("path condition"));
        if self.conditions.is_empty() {
            let _ = writeln!(out, "  true");
        }
        let shown = &self.conditions[..self.conditions.len().min(LINES)];
        let wide = shown.iter().map(|c| c.text.chars().count()).max().unwrap_or(0).min(page.width / 2);
        for c in shown {
            let place = c.span.map(|s| short_place(page.sources, s)).unwrap_or_default();
            let origin = format!("step {} {}", c.step, c.switch.as_deref().unwrap_or_default());
            let origin = [origin.trim_end(), &place, &c.why].into_iter().filter(|t| !t.is_empty());
            let origin = origin.collect::<Vec<_>>().join(", ");
            let fits = c.text.chars().count() <= wide && wide + origin.chars().count() + 4 <= page.width;
            if fits {
                let _ = writeln!(out, "  {:wide$}  {}", c.text, style.dim(origin));
                continue;
            }
            let _ = writeln!(out, "  {}", c.text);
            for line in wrap(&origin, page.width.saturating_sub(6)) {
                let _ = writeln!(out, "      {}", style.dim(line));
            }
        }
        rest(out, self.conditions.len());
        if !self.symbols.is_empty() {
            let _ = writeln!(out, "\n{}", style.bold("symbols"));
            let mut groups: Vec<(&str, Vec<&str>)> = Vec::new();
            for (name, sort) in &self.symbols {
                match groups.iter_mut().find(|(s, _)| s == sort) {
                    Some((_, names)) => names.push(name),
                    None => groups.push((sort, vec![name])),
                }
            }
            for (sort, names) in groups {
                for line in wrap(&format!("{sort}: {}", names.join(", ")), page.width - 2) {
                    let _ = writeln!(out, "  {line}");
                }
            }
        }
    }

    fn state(&self, out: &mut String, heading: &str, page: Page<'_>) {
        let _ = writeln!(out, "\n{}", page.style.bold(heading));
        let _ = writeln!(out, "  {}", self.state.locations.join(", "));
        let wide = self.state.state.iter().map(|(n, _)| n.chars().count()).max().unwrap_or(0);
        for (name, value) in &self.state.state {
            let _ = writeln!(out, "  {name:wide$} = {}", cut(value, 2000));
        }
    }

    /// The clash as a diagnostic: every condition at its place.
    pub fn finding(&self, at: usize, clash: &[Conjunct], error: Option<&str>) -> Finding {
        let step = self.steps.get(at - 1).map(String::as_str).unwrap_or_default();
        let before = match at {
            1 => "at the start".to_owned(),
            _ => format!("after `{}`", cut(&self.steps[..at - 1].join(" "), 200)),
        };
        let because = if error.is_some() { ", because of a model error" } else { "" };
        let message = format!("step {at}, `{step}`, cannot be taken {before}{because}");
        let mut labels: Vec<Label> = Vec::new();
        let mut notes: Vec<String> = error.map(str::to_owned).into_iter().collect();
        // The step that cannot be taken first; its place is the primary one.
        let (here, earlier): (Vec<&Conjunct>, Vec<&Conjunct>) = clash.iter().partition(|c| c.step == at);
        for c in here.into_iter().chain(earlier) {
            let text = c.in_words(at);
            match (c.span, labels.iter_mut().find(|l| Some(l.span) == c.span)) {
                (Some(_), Some(label)) => label.text = format!("{}; {text}", label.text),
                (Some(span), None) => labels.push(Label { span, text }),
                (None, _) => notes.push(text),
            }
        }
        for (name, sort) in &self.symbols {
            // A type without bounds of its own explains nothing.
            let plain = ["Int", "Real", "Bool", "String"].contains(&sort.as_str());
            if !plain && clash.iter().any(|c| mentions(&c.text, name)) {
                notes.push(format!("{name} is of type {sort}"));
            }
        }
        Finding { kind: "impossible".into(), message, labels, notes }
    }
}

impl Conjunct {
    /// The condition as a remark at its place.
    fn in_words(&self, at: usize) -> String {
        let here = if self.step == at { ", here" } else { "" };
        let values: Vec<String> = self.values.iter().map(|(name, value, _)| format!("{name} = {value}")).collect();
        let what = match (self.in_silence || self.text == "false", values.is_empty()) {
            // What must not be possible is better said than written down.
            (true, _) if !self.why.is_empty() => self.why.clone(),
            _ if let Some(written) = &self.written => {
                format!("{written} is {}", if self.undefined { "undefined" } else { "false" })
            }
            (_, false) if self.undefined => format!("{} is undefined", self.text),
            (_, false) => format!("{} is false", self.text),
            (_, true) if self.why.is_empty() => self.text.clone(),
            (_, true) => format!("{} ({})", self.text, self.why),
        };
        let values = if values.is_empty() { String::new() } else { format!(" ({})", values.join(", ")) };
        format!("step {}{here}: {what}{values}", self.step)
    }
}

impl Witness {
    fn text(&self, out: &mut String, page: Page<'_>) {
        let style = page.style;
        let (choice, no_end) = match self.choice {
            Choice::Min => (
                "least values".into(),
                "no least value (of numbers, the one nearest to zero is taken, or one next to an open end)",
            ),
            Choice::Max => (
                "greatest values".into(),
                "no greatest value (of numbers, the one nearest to zero is taken, or one next to an open end)",
            ),
            Choice::Middle => {
                ("middle values".into(), "no middle, being unbounded (of numbers, the one nearest to zero is taken)")
            }
            Choice::Random(seed) => (format!("random values (seed {seed})"), "unbounded, so of any size"),
            Choice::Boundary => ("boundary values".into(), ""),
        };
        let _ = writeln!(out, "\n{}", style.bold(format_args!("witness, {choice}")));
        if self.script.is_empty() {
            let _ = writeln!(out, "  {}", style.dim("no steps"));
        }
        for line in self.script.iter().take(LINES) {
            let _ = writeln!(out, "  {}", style.cyan(line));
        }
        rest(out, self.script.len());
        let unbounded = self.unbounded.iter().take(LINES).map(|(step, name)| match step {
            0 => format!("`{name}` at the start"),
            _ => format!("`{name}` of step {step}"),
        });
        let unbounded: Vec<String> = unbounded.collect();
        if !unbounded.is_empty() && !no_end.is_empty() {
            for line in wrap(&format!("{no_end}: {}", unbounded.join(", ")), page.width) {
                let _ = writeln!(out, "{line}");
            }
        }
        if self.uncertain {
            let _ = writeln!(out, "the solver left a question open: other values may fit better");
        }
        let _ = writeln!(out, "\n{}: {}", style.bold("replay"), self.replay);
    }
}

/// Says how many lines were left out.
fn rest(out: &mut String, all: usize) {
    if all > LINES {
        let _ = writeln!(out, "  … and {} more; `--format json` has all", all - LINES);
    }
}

/// The file without its folders, and the line.
fn short_place(sources: &SourceMap, span: Span) -> String {
    let place = sources.show(span);
    place.rsplit('/').next().unwrap_or(&place).to_owned()
}

/// Whether a name stands in a text as a whole: `p#1` does not stand in `p#12`.
fn mentions(text: &str, name: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '_' || c == '#' || c == '.';
    text.match_indices(name)
        .any(|(i, _)| !text[..i].ends_with(part) && !text[i + name.len()..].starts_with(|c: char| part(c) && c != '.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_as_a_whole() {
        for (text, name, found) in [
            ("p#1 > 3", "p#1", true),
            ("p#12 > 3", "p#1", false),
            ("xp#1 > 3", "p#1", false),
            ("a + p#1", "p#1", true),
            ("p#1.field == 2", "p#1", true),
            ("p#12 > p#1", "p#1", true),
        ] {
            assert_eq!(mentions(text, name), found, "{text}");
        }
    }
}
