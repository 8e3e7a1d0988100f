//! Runs that did not pass, and which of them did so for what is probably the same reason.

use std::cmp::Reverse;
use std::mem::discriminant;
use std::time::Duration;

use sioco_exec::crash::without_values;
use sioco_exec::event::GateValue;
use sioco_exec::explanation::Explanation;
use sioco_exec::log::LoggedStep;
use sioco_exec::summary::{BadRun, most_telling};
use sioco_exec::verdict::{Cause, Failure, Trouble, Verdict};
use sioco_exec::{RunNumber, Summary};

use crate::shrink::Shortened;
use crate::trails::Trails;

/// At most this many ways to fail are explained, and as many runs are shrunk. Each shrinking takes up to [ten
/// seconds](crate::shrink::TIME), and nobody mends more failures at a time.
pub const EXPLAINED: usize = 5;

/// A run that did not pass.
#[derive(Clone)]
pub struct FailingRun<'a> {
    /// Its number.
    pub run: RunNumber,
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
    /// What became of shrinking it.
    pub shortened: Option<&'a Shortened>,
    /// The number under which the steps are recorded.
    pub recorded: RunNumber,
}

/// The bad runs of a campaign, as they were.
pub fn failing<'a>(summary: &'a Summary, trails: &'a Trails) -> Vec<FailingRun<'a>> {
    let of = |b: &'a BadRun| FailingRun {
        run: b.run,
        verdict: b.verdict,
        cause: &b.cause,
        explanation: b.explanation.as_ref(),
        steps: trails.of(b.run),
        begun: trails.begun(b.run),
        length: b.steps,
        unaccepted: trails.unaccepted(b.run),
        shrunk: None,
        shortened: None,
        recorded: b.run,
    };
    summary.bad.iter().map(of).collect()
}

/// Says which runs do not pass for what is probably the same reason. Whoever shows runs knows more about that than a
/// campaign does: the places in the text of the model.
pub trait Likeness {
    /// What runs have in common that do not pass for the same reason.
    fn key(&self, cause: &Cause, explanation: Option<&Explanation>) -> String;
}

/// Runs are alike if the same kind of thing happened at the same gate, with the same switches to blame.
#[derive(Clone, Copy, Debug, Default)]
pub struct ByGate;

impl Likeness for ByGate {
    fn key(&self, cause: &Cause, explanation: Option<&Explanation>) -> String {
        let gate = match cause {
            Cause::Failure(Failure::Output(value) | Failure::Refused { input: value, .. }) => Some(value.gate),
            Cause::Failure(Failure::Malformed { gate, .. }) => *gate,
            Cause::Failure(Failure::Crashed(crash)) => return format!("crash {}", crash.kind()),
            Cause::Trouble(Trouble::Fault { kind, message, .. }) => {
                return format!("{} {}", kind.name(), without_values(message));
            }
            _ => None,
        };
        let kind = match cause {
            Cause::Failure(failure) => format!("{:?}", discriminant(failure)),
            Cause::Trouble(trouble) => format!("{:?}", discriminant(trouble)),
            Cause::Open(open) => format!("{:?}", discriminant(open)),
            other => format!("{:?}", discriminant(other)),
        };
        let switches: Vec<_> = explanation.iter().flat_map(|e| &e.switches).map(|(switch, _)| switch).collect();
        format!("{:?} {kind} {gate:?} {switches:?}", discriminant(cause))
    }
}

/// Runs by what is probably the same reason.
pub fn groups<'a, 'r>(runs: &'a [FailingRun<'r>], likeness: &dyn Likeness) -> Vec<Vec<&'a FailingRun<'r>>> {
    let mut groups: Vec<(String, Vec<&FailingRun<'_>>)> = Vec::new();
    for run in runs {
        let key = likeness.key(run.cause, run.explanation);
        match groups.iter_mut().find(|(k, _)| *k == key) {
            Some((_, runs)) => runs.push(run),
            None => groups.push((key, vec![run])),
        }
    }
    // What the system did wrong comes before what broke down, and first of all what `sioco replay` takes.
    let first = most_telling(runs.iter().map(|r| (r.verdict, r.length))).map(|i| runs[i].run);
    let has_first = |runs: &[&FailingRun<'_>]| runs.iter().any(|r| Some(r.run) == first);
    groups.sort_by_key(|(_, runs)| (Reverse(runs[0].verdict), !has_first(runs)));
    groups.into_iter().map(|(_, runs)| runs).collect()
}
