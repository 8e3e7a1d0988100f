//! A run that failed or broke down, for people.

use std::time::Duration;

use sioco_exec::RunNumber;
use sioco_exec::event::{Action, GateValue, Observation};
use sioco_exec::explanation::Explanation;
use sioco_exec::log::LoggedStep;
use sioco_exec::verdict::{Cause, Failure, Trouble, Verdict};
use sioco_lang::diagnostic::Label;

use super::Page;
use super::failure;
use super::sequence::sequence;
use super::word::Word;
use super::words::{cause, mend, named, short};
use crate::analysis::Source;
use crate::diagnostic::{Parts, Rank, render_parts};
use crate::words::Words;

/// A run that failed or broke down, with what is needed to speak about it.
#[derive(Clone, Copy)]
pub struct Bad<'a> {
    /// The model with its texts.
    pub source: Source<'a>,
    /// The number of the run.
    pub run: RunNumber,
    /// Its verdict.
    pub verdict: Verdict,
    /// Why.
    pub cause: &'a Cause,
    /// What was expected, where an observation is not allowed.
    pub explanation: Option<&'a Explanation>,
    /// What was sent and seen.
    pub steps: &'a [LoggedStep],
    /// When the run began, if that is known: the first step may have been waited for.
    pub begun: Option<Duration>,
    /// An input that was not accepted when the last step came, where that has to come first.
    pub unaccepted: Option<&'a GateValue>,
    /// The seed of the campaign.
    pub seed: Option<u64>,
    /// The file that the steps come from, where they have lines.
    pub file: Option<&'a str>,
    /// Whether somebody waited for the system with a clock, and can wait longer.
    pub clock: bool,
    /// The command that runs it again.
    pub replay: Option<&'a str>,
    /// How many steps the run had of which this is the shortest form.
    pub shrunk: Option<u64>,
    /// What else there is to say about it, on lines.
    pub notes: &'a [String],
}

/// What to do if a system is not silent but slow.
const SLOW: &str = "if the SUT is only slow, wait longer after an input with `--quiescence-at GATE=TIME`; `sioco \
                    adapter check` suggests where and how long";

/// At most this many of the last lines on standard error are shown: the reason of an end stands in the last few. The
/// journal has all that were kept.
const STDERR: usize = 10;
/// At most this many lines are shown of what is known about a crash: the places of the system in a backtrace come
/// first.
const DETAILS: usize = 30;

/// The run with its last steps, the place in the model and the command to run it again.
pub fn bad_run(bad: &Bad<'_>, page: Page) -> String {
    let (style, model) = (page.style, &bad.source.checked.model);
    let name = bad.verdict.name().to_uppercase();
    let title = match bad.verdict {
        Verdict::Fail | Verdict::Error => style.red(format!(" {name} ")),
        Verdict::Inconclusive | Verdict::WeakPass => style.yellow(format!(" {name} ")),
        Verdict::Pass => style.green(format!(" {name} ")),
    };
    let place = match (bad.file, bad.steps.last()) {
        (Some(file), Some(step)) => format!(", {file}:{}", step.line),
        _ => String::new(),
    };
    let step = match bad.steps.len() {
        0 => "before the first step".to_owned(),
        n => format!("step {n}"),
    };
    let shrunk = match bad.shrunk {
        Some(from) if from > bad.steps.len() as u64 => format!(", shrunk from {from}"),
        Some(_) => ", shrunk to simpler values".to_owned(),
        None => String::new(),
    };
    let seed = bad.seed.map(|seed| format!("   seed {seed}")).unwrap_or_default();
    let head = style.bold(format!("run {}, {step}{shrunk}{place}", bad.run));
    let mut out = format!("{title} {head}{}\n", style.dim(seed));
    let failed = matches!(bad.cause, Cause::Failure(_));
    out.push_str(&sequence(model, bad.steps, bad.begun, failed, page));
    out.push_str(&render_parts(bad.source.sources, &report(bad), style));
    match bad.cause {
        Cause::Trouble(Trouble::Fault { stderr, .. }) => {
            out.push_str(&lines("the last lines on standard error:", stderr, STDERR, page));
        }
        Cause::Failure(Failure::Crashed(crash)) => {
            out.push_str(&lines("how it crashed:", &crash.details, DETAILS, page));
        }
        _ => {}
    }
    for note in bad.notes {
        out.push_str(&format!("   {note}\n"));
    }
    if let Some(replay) = bad.replay.filter(|_| failed) {
        out.push_str(&format!("   replay: {}\n", style.cyan(replay)));
    }
    out
}

/// The last of some lines, below a heading.
fn lines(heading: &str, all: &[String], most: usize, page: Page) -> String {
    if all.is_empty() {
        return String::new();
    }
    let mut out = format!("   {heading}\n");
    for line in all.iter().skip(all.len().saturating_sub(most)) {
        out.push_str(&format!("   {} {}\n", page.style.dim("│"), short(line, 400)));
    }
    out
}

fn report(bad: &Bad<'_>) -> Parts {
    let words = Words { checked: bad.source.checked, sources: bad.source.sources };
    let model = words.model();
    let message = || cause(model, bad.cause);
    match bad.cause {
        Cause::Failure(failure) => {
            let mut parts = failure::parts(words, failure, bad.explanation);
            let silence = Action::Seen(Observation::Delta);
            let silence = bad.steps.iter().rev().find(|step| step.action == silence);
            // What an adapter announces is certain, and comes no later if somebody waits longer.
            if *failure == Failure::Silence && bad.clock && silence.is_some_and(|step| step.timed.is_some()) {
                parts.help = Some(SLOW.to_owned());
            }
            if let (Some(input), Failure::Output(_) | Failure::Silence) = (bad.unaccepted, failure) {
                let input = named(model, input, "=");
                let told = "an adapter must print `accepted` before it passes an input on";
                parts.notes.insert(0, format!("{input} was not yet accepted when this came; {told}"));
            }
            parts
        }
        Cause::Trouble(trouble) => {
            let place = match trouble {
                Trouble::Model { switch, .. } => words.checked.spans.switches.get(*switch),
                _ => None,
            };
            let mut labels: Vec<Label> =
                place.map(|s| Label { span: s.whole, text: String::new() }).into_iter().collect();
            labels.extend(failure::places(words, bad.explanation));
            let notes = bad.explanation.and_then(|e| failure::hypotheses(model, e)).into_iter().collect();
            let (id, help) = (Word::of(trouble).name().into(), Some(mend(trouble).to_owned()));
            Parts { rank: Rank::Error, id, message: message(), labels, notes, help }
        }
        Cause::Open(_) | Cause::Reached => {
            let labels = failure::places(words, bad.explanation);
            let notes = bad.explanation.and_then(|e| failure::hypotheses(model, e)).into_iter().collect();
            let rank = Rank::Warning;
            Parts { rank, id: bad.verdict.name().into(), message: message(), labels, notes, help: None }
        }
    }
}
