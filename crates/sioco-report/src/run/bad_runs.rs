//! Runs that did not pass, for people: of those that fail in the same way, the shortest is explained.

use crate::words::FEW_NAMES;
use std::fmt::Write;

use sioco_campaign::failing::{EXPLAINED, FailingRun, groups};

use super::Page;
use super::bad::{Bad, bad_run};
use crate::analysis::Source;

/// What is the same for all runs.
#[derive(Clone, Copy)]
pub struct About<'a> {
    /// The model with its texts.
    pub source: Source<'a>,
    /// The seed.
    pub seed: Option<u64>,
    /// The file that the steps come from, where they have lines.
    pub file: Option<&'a str>,
    /// Whether somebody waited for the system with a clock, and can wait longer.
    pub clock: bool,
    /// The command that runs a run again, without its number.
    pub replay: Option<&'a str>,
    /// What else there is to say about a run, on lines.
    pub notes: &'a dyn Fn(&FailingRun<'_>) -> Vec<String>,
}

/// Explains the runs.
pub fn bad_runs(runs: &[FailingRun<'_>], about: About<'_>, page: Page) -> String {
    let mut out = String::new();
    let groups = groups(runs, &about.source);
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
            clock: about.clock,
            replay: command.as_deref(),
            shrunk: run.shrunk,
            notes: &(about.notes)(run),
        };
        out.push_str(&bad_run(&shown, page));
        let others: Vec<String> =
            runs.iter().filter(|r| r.run != run.run).take(FEW_NAMES).map(|r| r.run.to_string()).collect();
        if !others.is_empty() {
            let more = if runs.len() - 1 > others.len() { ", …" } else { "" };
            let s = if others.len() == 1 { "" } else { "s" };
            let _ = writeln!(out, "   the same happened in run{s} {}{more}", others.join(", "));
        }
        out.push('\n');
    }
    if groups.len() > EXPLAINED {
        let more = groups.len() - EXPLAINED;
        let s = if more == 1 { "" } else { "s" };
        let _ = writeln!(out, "… and {more} more group{s} of runs that did not pass; `--format json` shows all\n");
    }
    out
}
