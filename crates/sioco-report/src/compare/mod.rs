//! Comparisons of two models: whether one conforms to the other, what both do together, and the tests that follow.

mod json;
pub(crate) mod shape;

use std::collections::BTreeMap;

use sioco_model::model::Model;
use sioco_model::{Id, LocationId};
use sioco_plan::Event;
use sioco_plan::case::Case;
use sioco_plan::compare::{
    CompareOptions, Compared, Conformance, Cover, Defined, Difference, Exchange, NoDegree, Pair, Side, Suite,
};
use sioco_solve::Reason;
use sioco_symbolic::Stop;

pub use self::json::document;
use crate::explore::{count, summary::wrap};
use crate::style::Style;

/// At most this many characters of an expression are shown, so that it fits a line with what is said of it.
const TEXT: usize = 60;

/// A comparison with what is needed to speak about it.
#[derive(Clone, Copy)]
pub struct Comparison<'a> {
    /// The specification, and its file.
    pub spec: (&'a Model, &'a str),
    /// The implementation model, and its file.
    pub implementation: (&'a Model, &'a str),
    /// What was asked for.
    pub options: &'a CompareOptions,
    /// What was found.
    pub found: &'a Compared,
    /// Whether somebody interrupted the work.
    pub interrupted: bool,
}

/// How text is set.
#[derive(Clone, Copy)]
pub struct Page {
    /// How wide it may be.
    pub width: usize,
    /// The emphasis.
    pub style: Style,
    /// So many tests and transitions are shown.
    pub most: usize,
}

impl Comparison<'_> {
    /// Whether it conforms, with the sequence that shows it if not.
    pub fn conformance(&self, page: Page) -> String {
        let style = page.style;
        let (spec, implementation) = (self.spec.1, style.bold(self.implementation.1));
        match &self.found.conformance {
            Conformance::Differs(difference) => {
                let shown = count(difference.inputs, "input");
                let perhaps = if difference.perhaps_longer { ", and a solver left shorter ones open" } else { "" };
                let differs = style.red("does not conform");
                let shortest = match difference.inputs {
                    0 => "it shows before the first input".to_owned(),
                    _ => format!("{shown} show{} it{perhaps}", if difference.inputs == 1 { "s" } else { "" }),
                };
                let mut text = format!("{implementation} {differs} to {spec}: {shortest}\n\n");
                text.push_str(&self.difference(difference, style));
                text
            }
            Conformance::Conforms { proved: true, .. } => {
                let conforms = style.green("conforms");
                let pairs = count(self.found.work.pairs, "pair");
                format!("{implementation} {conforms} to {spec} (proved: {pairs} of states, and no others)\n")
            }
            Conformance::Conforms { length, stop, no_value, .. } => {
                if let Some(why) = self.nothing_compared() {
                    return format!(
                        "whether {implementation} conforms to {spec} is {}: {why}\n",
                        style.yellow("unknown")
                    );
                }
                let why = match stop {
                    Stop::Depth | Stop::Complete => String::new(),
                    _ => format!("; {}", self.stop(*stop)),
                };
                let conforms = match (stop, no_value) {
                    (Stop::Depth, None) => style.green("conforms"),
                    _ => style.yellow("conforms"),
                };
                let far = match stop {
                    Stop::Complete => String::new(),
                    _ => format!(" up to {}", count(*length, "input")),
                };
                let Some(trace) = no_value else { return format!("{implementation} {conforms} to {spec}{far}{why}\n") };
                let except = "except where it has no value, so that it is unknown what it does; for example";
                let mut text = format!("{implementation} {conforms} to {spec}{far}, {except}{why}\n\n");
                text.push_str(&self.exchanges(trace, "no value: an error of this model", style));
                text
            }
            Conformance::Unknown { reason, length } => {
                let unknown = style.yellow("unknown");
                let why = self.reason(reason);
                let shorter = match length {
                    0 => String::new(),
                    n => format!("; up to {} they do not differ", count(*n, "input")),
                };
                format!("whether {implementation} conforms to {spec} is {unknown}: {why}{shorter}\n")
            }
        }
    }

    /// Why not even one input was compared, if that is so: then nothing is known.
    pub fn nothing_compared(&self) -> Option<String> {
        match &self.found.conformance {
            Conformance::Conforms { length: 0, stop, .. } if !matches!(stop, Stop::Complete | Stop::Depth) => {
                Some(format!("nothing could be compared: {}", self.stop(*stop)))
            }
            _ => None,
        }
    }

    fn reason(&self, reason: &Reason) -> String {
        match reason {
            Reason::Cancelled if self.interrupted => "it was interrupted".into(),
            Reason::Cancelled => "the time limit was reached; raise `--time`".into(),
            Reason::Time => format!("{reason}; raise `--patience` and `--time`"),
            _ => reason.to_string(),
        }
    }

    fn stop(&self, stop: Stop) -> &'static str {
        match stop {
            Stop::Cancelled if self.interrupted => "it was interrupted",
            Stop::Cancelled => "the time limit was reached; raise `--time`",
            Stop::Nodes => "the limit on nodes was reached; raise `--nodes`",
            _ => "that is the bound",
        }
    }

    fn difference(&self, difference: &Difference, style: Style) -> String {
        let mut text = self.exchanges(&difference.trace, "does not take it", style);
        if difference.trace.last().is_some_and(|last| last.implementation.is_none()) {
            text.push_str("\n  if the model is only incomplete, the suite shows what the system itself does\n");
        }
        text
    }

    /// A trace, with both answers to its last input; `none` is said where the implementation model has none.
    fn exchanges(&self, trace: &[Exchange], none: &str, style: Style) -> String {
        let model = self.spec.0;
        let mut text = String::new();
        let (last, before) = match trace.split_last() {
            Some(split) => split,
            None => return text,
        };
        let shown = |events: &[Event]| match events.is_empty() {
            true => "nothing".to_owned(),
            false => events.iter().map(|e| e.show(model)).collect::<Vec<_>>().join(" "),
        };
        for Exchange { input, implementation, .. } in before {
            let answer = implementation.as_deref().unwrap_or_default();
            match input {
                Some(input) => text.push_str(&format!("  {} {}\n", input.show(model), shown(answer))),
                None if !answer.is_empty() => text.push_str(&format!("  {}\n", shown(answer))),
                None => {}
            }
        }
        let input = last.input.as_ref().map_or("(at the start)".to_owned(), |i| i.show(model));
        text.push_str(&format!("  {}\n", style.bold(input)));
        let answers = last.spec.as_deref().unwrap_or_default();
        let mut allowed: Vec<String> = answers.iter().map(|a| shown(a)).collect();
        if last.more {
            allowed.push("…".into());
        }
        text.push_str(&format!("    specification:  {}\n", style.green(allowed.join(", or "))));
        let given = match &last.implementation {
            Some(events) => shown(events),
            None => none.to_owned(),
        };
        text.push_str(&format!("    implementation: {}\n", style.red(given)));
        text
    }

    /// What both models do together.
    pub fn composition(&self, page: Page) -> String {
        let c = &self.found.composition;
        let (both, spec, implementation) = (c.count(Defined::Both), c.count(Defined::Spec), c.count(Defined::Impl));
        let mut parts = vec![format!("{both} of both")];
        if spec > 0 {
            parts.push(format!("{spec} of the specification alone"));
        }
        if implementation > 0 {
            parts.push(format!("{implementation} of the implementation model alone"));
        }
        let questions = count(usize::try_from(self.found.composed.asked).unwrap_or(usize::MAX), "question");
        let what = format!(
            "composition: {} and {} ({}), {questions} to the solver",
            count(c.pairs.len(), "state"),
            count(c.transitions.len(), "transition"),
            parts.join(", "),
        );
        let mut text = wrap(&what, page.width).join("\n  ");
        text.push_str(&format!("\n  {}\n", self.cut()));
        let ended = c.pairs.iter().filter(|p| p.ends).count();
        if ended > 0 {
            let ended = count(ended, "path");
            text.push_str(&format!("  {ended} not followed further: the outputs differ whatever the inputs are\n"));
        }
        text
    }

    /// Which paths there are, and what was cut.
    fn cut(&self) -> String {
        let c = &self.found.composition;
        let which = match self.options.cover {
            Cover::Transitions => "a path to every transition; states that earlier ones include are not followed again",
            Cover::Inclusion => "all paths; each ends where its state is included in one that it has passed",
            Cover::Length(n) => return self.bounded(n),
        };
        match c.stop {
            Stop::Complete => which.to_owned(),
            Stop::Depth => format!("{which}; cut after {}", count(c.length, "input")),
            stop => format!("{which}; cut after {}: {}", count(c.length, "input"), self.stop(stop)),
        }
    }

    fn bounded(&self, n: usize) -> String {
        let c = &self.found.composition;
        match c.stop {
            Stop::Complete => format!("all paths: none has more than {}", count(n, "input")),
            Stop::Depth => format!("all paths of up to {}; longer ones are cut", count(n, "input")),
            stop => format!("paths of up to {}; cut: {}", count(c.length, "input"), self.stop(stop)),
        }
    }

    /// Where values are undefined, which is not compared.
    pub fn undefined(&self) -> Option<String> {
        let all = &self.found.undefined;
        let (side, _) = all.first()?;
        let (model, file) = if *side == Side::Spec { self.spec } else { self.implementation };
        let names = all.iter().filter(|(s, _)| s == side).map(|(_, s)| format!("`{}`", model.switches[*s].name));
        let names: Vec<String> = names.collect();
        // What the specification says there is tested; what it does not say cannot be.
        let tested = if *side == Side::Impl { " (the suite has tests for them)" } else { "" };
        Some(format!(
            "some values of {} in {file} are undefined or outside their range, and not compared{tested}; \
             `sioco analyze {file}` says which",
            names.join(", ")
        ))
    }

    /// The transitions of the composition.
    pub fn transitions(&self, page: Page) -> String {
        let c = &self.found.composition;
        let mut text = String::new();
        let names = self.names();
        for (i, t) in c.transitions.iter().enumerate().take(page.most) {
            let input = &self.spec.0.gates[t.gate].name;
            // Both models may say the same.
            let mut parts: Vec<&str> = Vec::new();
            for part in &t.condition {
                if !parts.contains(&part.as_str()) {
                    parts.push(part);
                }
            }
            let condition = match parts.is_empty() {
                true => String::new(),
                false => format!(" [{}]", parts.join(" && ")),
            };
            let (from, to) = (&names[t.from], &names[t.to]);
            let tests = match t.dist_deg() {
                Some(n) if t.defined == Defined::Both => format!("  DistDeg {n}"),
                _ => String::new(),
            };
            text.push_str(&format!("  {}. {from} ?{input}{condition} -> {to}{tests}\n", i + 1));
        }
        let more = c.transitions.len().saturating_sub(page.most);
        if more > 0 {
            text.push_str(&format!("  … and {more} more; `--all` shows them\n"));
        }
        text
    }

    /// The states of the composition. Those at the same places differ in the values of variables, and have a number.
    fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = self.found.composition.pairs.iter().map(|p| self.pair(p)).collect();
        let mut places: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (i, name) in names.iter().enumerate() {
            places.entry(name.clone()).or_default().push(i);
        }
        for same in places.values().filter(|same| same.len() > 1) {
            for (number, i) in (1..).zip(same) {
                names[*i] = format!("{}/{number}", names[*i]);
            }
        }
        names
    }

    /// A state of the composition: where both models are.
    fn pair(&self, pair: &Pair) -> String {
        let of = |model: &Model, at: &Option<Vec<LocationId>>, lost: &str| match at {
            Some(at) => at.iter().map(|l| model.location_name(*l)).collect::<Vec<_>>().join(","),
            None => lost.to_owned(),
        };
        let spec = of(self.spec.0, &pair.spec, "err_s");
        let implementation = of(self.implementation.0, &pair.implementation, "err_t");
        format!("({spec}, {implementation})")
    }

    /// The tests.
    pub fn suite(&self, suite: &Suite, page: Page) -> String {
        let probes = suite.defined.iter().filter(|d| **d == Defined::Impl).count();
        let tests = suite.plan.purposes.len() - probes;
        let mut text = format!("suite: {}", count(tests, "test"));
        if probes > 0 {
            text.push_str(&format!(" and {}", count(probes, "probe")));
        }
        text.push_str(&format!(", {} together\n", count(suite.inputs, "input")));
        let shown = page.most.min(suite.plan.purposes.len());
        let width = shown.to_string().len();
        for (i, case) in suite.cases.iter().take(shown).enumerate() {
            let line = self.test(suite, i, case);
            let lines = wrap(&line, page.width.saturating_sub(width + 4));
            let indent = format!("\n  {}", " ".repeat(width + 2));
            let lines = lines.join(&indent).replace('\u{a0}', " ");
            text.push_str(&format!("  {:>width$}. {lines}\n", i + 1));
        }
        let more = suite.plan.purposes.len() - shown;
        if more > 0 {
            text.push_str(&format!("  … and {more} more; `--all` shows them\n"));
        }
        let mut notes: Vec<String> = Vec::new();
        if let Some((_, reason)) = suite.open.first() {
            let paths = count(suite.open.len(), "path");
            notes.push(format!("{paths} may need more tests: {}", self.reason(reason)));
        }
        if let Some((_, found)) = suite.large.first() {
            let paths = count(suite.large.len(), "path");
            // A long expression says no more than its beginning.
            let found = NoDegree { text: shortened(&found.text), ..found.clone() };
            let what = without_degree(self.spec.0, &[found]);
            notes.push(format!(
                "{paths} may need more tests: {what}; `--uniformity N` says how many to make, and `--length N` ends paths \
                 earlier"
            ));
        }
        if !suite.left.is_empty() {
            let left = count(suite.left.len(), "transition");
            notes.push(format!("no tests for {left}: {}", self.stop(Stop::Cancelled)));
        }
        for note in notes {
            let lines = wrap(&note, page.width.saturating_sub(2)).join("\n    ");
            text.push_str(&format!("  {lines}\n"));
        }
        if let (Some(n), false) = (self.options.uniformity, suite.without_degree.is_empty()) {
            let of = without_degree(self.spec.0, &suite.without_degree);
            text.push_str(&format!("  {} for each path with {of}, as `--uniformity` says\n", count(n, "test")));
        }
        text
    }

    /// A test in a line: its inputs and what is expected.
    fn test(&self, suite: &Suite, number: usize, case: &Case) -> String {
        let model = self.spec.0;
        let purpose = &suite.plan.purposes[number];
        let mut parts: Vec<String> = Vec::new();
        for (node, spot) in purpose.nodes.iter().zip(&case.nodes) {
            let (Some(leg), Some(values)) = (&node.leg, &spot.values) else { continue };
            if leg.step.is_silence() {
                parts.push("(silence)".into());
            }
            let Some(switch) = leg.step.switches().next() else { continue };
            if let sioco_model::model::Label::Gate(gate) = model.switches[switch].label {
                parts.push(whole(&Event { gate, args: values.clone() }, model));
            }
        }
        if !purpose.probe.is_empty() {
            let probes: Vec<String> = purpose.probe.iter().map(|e| whole(e, model)).collect();
            parts.push(format!("probe: {}", probes.join(" ")));
        }
        parts.join(" ")
    }
}

/// An event that is not broken in the middle when lines are.
fn whole(event: &Event, model: &Model) -> String {
    event.show(model).replace(' ', "\u{a0}")
}

/// The beginning of a text, if it is long.
fn shortened(text: &str) -> String {
    match text.char_indices().nth(TEXT) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Outputs without a degree, in words.
pub fn without_degree(model: &Model, found: &[NoDegree]) -> String {
    let of = |n: &NoDegree| {
        let part = if n.text.is_empty() { String::new() } else { format!("`{}` is ", n.text) };
        format!("`{}` ({part}{})", model.gates[n.gate].name, n.why)
    };
    let mut texts: Vec<String> = Vec::new();
    for n in found {
        // One part of an expression is enough for each gate.
        if found.iter().find(|o| o.gate.index() == n.gate.index()) == Some(n) {
            texts.push(of(n));
        }
    }
    format!("the output {}", texts.join(", "))
}
