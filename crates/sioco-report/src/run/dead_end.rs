//! Deadlocks of the model that runs came to (T-L11; S1 section 3.2.2), each with the way there.

use sioco_exec::Record;
use sioco_exec::event::{Action, GateValue, Observation};
use sioco_exec::verdict::{Cause, Open};
use sioco_model::Model;

use super::shape::DeadlockLine;
use super::summary::Campaign;
use super::words::{named, observation};

/// So many are kept.
const MOST: usize = 50;
/// So many steps of the way are told on a line: the last ones.
const STEPS: usize = 20;

/// A state where nothing can happen any more, and the first run that ended there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DeadEnd {
    /// The state, in words.
    pub state: String,
    /// The run.
    pub run: u64,
    /// What happened in it, inputs where they were accepted.
    pub trace: Vec<Action>,
}

/// Follows runs, and keeps the ways to deadlocks.
#[derive(Clone, Debug, Default)]
pub(super) struct DeadEnds {
    run: u64,
    trace: Vec<Action>,
    /// Inputs that are not accepted.
    sent: Vec<(u64, GateValue)>,
    pub found: Vec<DeadEnd>,
}

impl DeadEnds {
    /// Something happened.
    pub fn record(&mut self, record: &Record) {
        match record {
            Record::Run { run, .. } => {
                self.run = *run;
                self.trace.clear();
                self.sent.clear();
            }
            Record::Input { id, input, .. } => self.sent.push((*id, input.clone())),
            Record::Accepted { id } => {
                if let Some(place) = self.sent.iter().position(|(sent, _)| sent == id) {
                    self.trace.push(Action::Input(self.sent.remove(place).1));
                }
            }
            Record::Observed(seen) => self.trace.push(Action::Seen(seen.clone())),
            Record::TimedOut(_) => self.trace.push(Action::Seen(Observation::Delta)),
            Record::Verdict { cause: Cause::Open(Open::Deadlock { state }), .. }
                if self.found.len() < MOST && !self.found.iter().any(|f| f.state == *state) =>
            {
                let (state, trace) = (state.clone(), std::mem::take(&mut self.trace));
                self.found.push(DeadEnd { state, run: self.run, trace });
            }
            _ => {}
        }
    }
}

/// The deadlocks of a campaign, a sentence each.
pub(super) fn lines(campaign: &Campaign<'_>, most: usize) -> Vec<String> {
    let model = &campaign.source.checked.model;
    let of = |state: &String| {
        let what = format!("nothing can happen any more in {state}");
        let Some(end) = way(campaign, state) else { return format!("{what}; `sioco analyze` shows the way there") };
        let steps = trace(model, end);
        let dots = if steps.len() > STEPS { "… " } else { "" };
        let last = steps[steps.len().saturating_sub(STEPS)..].join(" ");
        let run = end.run;
        let again = campaign.again.map(|again| format!("; `{again} --run {run}` goes there again"));
        format!("{what}, after {dots}{last} (run {run}{})", again.unwrap_or_default())
    };
    campaign.summary.deadlocks.iter().take(most).map(of).collect()
}

/// The same for programs.
pub(super) fn json<'a>(campaign: &Campaign<'a>) -> Vec<DeadlockLine<'a>> {
    let model = &campaign.source.checked.model;
    let of = |state: &'a String| {
        let end = way(campaign, state);
        DeadlockLine { state, run: end.map(|e| e.run), trace: end.map(|e| trace(model, e)) }
    };
    campaign.summary.deadlocks.iter().map(of).collect()
}

fn way<'a>(campaign: &Campaign<'a>, state: &str) -> Option<&'a DeadEnd> {
    campaign.dead_ends.iter().find(|end| end.state == state)
}

fn trace(model: &Model, end: &DeadEnd) -> Vec<String> {
    let step = |action: &Action| match action {
        Action::Input(input) => named(model, input, "="),
        Action::Seen(seen) => observation(model, seen),
    };
    end.trace.iter().map(step).collect()
}
