//! Runs that did not pass, for people: of those that fail in the same way, the shortest is explained.

use std::time::Duration;

use sioco_exec::Summary;
use sioco_exec::event::GateValue;
use sioco_exec::explanation::Explanation;
use sioco_exec::log::LoggedStep;
use sioco_exec::summary::most_telling;
use sioco_exec::verdict::{Cause, Verdict};
use sioco_report::analysis::Source;
use sioco_report::run::{Bad, Page, Trails, bad_run, same};

use crate::output::Output;

/// So many ways to fail are explained.
pub const EXPLAINED: usize = 5;
/// So many runs that fail in the same way are named.
const NAMED: usize = 6;

/// A run that did not pass.
#[derive(Clone, Copy)]
pub struct Shown<'a> {
    /// Its number.
    pub run: u64,
    /// Its verdict.
    pub verdict: Verdict,
    /// Why.
    pub cause: &'a Cause,
    /// What the model allows instead.
    pub explanation: Option<&'a Explanation>,
    /// What was sent and seen.
    pub steps: &'a [LoggedStep],
    /// When it began, if that is known.
    pub begun: Option<Duration>,
    /// How many steps count.
    pub length: u64,
    /// An input that was not accepted when the last step came, where that has to come first.
    pub unaccepted: Option<&'a GateValue>,
    /// How many steps the run had of which this is the shortest form.
    pub shrunk: Option<u64>,
    /// The number under which the steps are recorded.
    pub recorded: u64,
    /// What else there is to say about it, on lines.
    pub notes: &'a [String],
}

/// The bad runs of a campaign.
pub fn of<'a>(summary: &'a Summary, trails: &'a Trails) -> Vec<Shown<'a>> {
    let of = |b: &'a sioco_exec::summary::BadRun| Shown {
        run: b.run,
        verdict: b.verdict,
        cause: &b.cause,
        explanation: b.explanation.as_ref(),
        steps: trails.of(b.run),
        begun: trails.begun(b.run),
        length: b.steps,
        unaccepted: trails.unaccepted(b.run),
        shrunk: None,
        recorded: b.run,
        notes: &[],
    };
    summary.bad.iter().map(of).collect()
}

/// What is the same for all runs.
#[derive(Clone, Copy)]
pub struct About<'a> {
    /// The model with its texts.
    pub source: Source<'a>,
    /// The seed.
    pub seed: Option<u64>,
    /// The file that the steps come from, where they have lines.
    pub file: Option<&'a str>,
    /// The command that runs a run again, without its number.
    pub replay: Option<&'a str>,
}

/// Runs that did not pass, by what is probably the same reason.
pub fn groups<'a, 'r>(runs: &'a [Shown<'r>], source: Source<'_>) -> Vec<Vec<&'a Shown<'r>>> {
    let mut groups: Vec<(String, Vec<&Shown<'_>>)> = Vec::new();
    for run in runs {
        let key = same(source, run.cause, run.explanation);
        match groups.iter_mut().find(|(k, _)| *k == key) {
            Some((_, runs)) => runs.push(run),
            None => groups.push((key, vec![run])),
        }
    }
    // What the system did wrong comes before what broke down, and first of all what `sioco replay` takes.
    let first = most_telling(runs.iter().map(|r| (r.verdict, r.length))).map(|i| runs[i].run);
    let has_first = |runs: &[&Shown<'_>]| runs.iter().any(|r| Some(r.run) == first);
    groups.sort_by_key(|(_, runs)| (std::cmp::Reverse(runs[0].verdict), !has_first(runs)));
    groups.into_iter().map(|(_, runs)| runs).collect()
}

/// Explains the runs.
pub fn bad_runs(runs: &[Shown<'_>], about: About<'_>, out: &mut Output) {
    let page = Page { width: out.width(), style: out.style() };
    let groups = groups(runs, about.source);
    for runs in groups.iter().take(EXPLAINED) {
        let Some(run) = runs.iter().min_by_key(|r| r.length) else { continue };
        let command = about.replay.map(|replay| format!("{replay} --run {}", run.recorded));
        let shown = Bad {
            source: about.source,
            run: run.run,
            verdict: run.verdict,
            cause: run.cause,
            explanation: run.explanation,
            steps: run.steps,
            begun: run.begun,
            unaccepted: run.unaccepted,
            seed: about.seed,
            file: about.file,
            replay: command.as_deref(),
            shrunk: run.shrunk,
            notes: run.notes,
        };
        out.print(&bad_run(&shown, page));
        let others: Vec<String> =
            runs.iter().filter(|r| r.run != run.run).take(NAMED).map(|r| r.run.to_string()).collect();
        if !others.is_empty() {
            let more = if runs.len() - 1 > others.len() { ", …" } else { "" };
            let s = if others.len() == 1 { "" } else { "s" };
            out.line(format_args!("   in the same way: run{s} {}{more}", others.join(", ")));
        }
        out.line("");
    }
    if groups.len() > EXPLAINED {
        let more = groups.len() - EXPLAINED;
        let s = if more == 1 { "" } else { "s" };
        out.line(format_args!("… and {more} more way{s} not to pass; `--format json` tells them all\n"));
    }
}
