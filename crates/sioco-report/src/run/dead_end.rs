//! Deadlocks of the model that runs came to (T-L11; S1 section 3.2.2), each with the way there.

use sioco_campaign::trails::DeadEnd;
use sioco_exec::event::Action;
use sioco_model::Model;

use super::shape::DeadlockLine;
use super::summary::CampaignReport;
use super::words::{named, observation};

/// At most this many steps of the way are told on a line: the last ones, some three lines of a terminal.
const STEPS: usize = 20;

/// The deadlocks of a campaign, a sentence each.
pub(super) fn lines(campaign: &CampaignReport<'_>, most: usize) -> Vec<String> {
    let model = &campaign.source.checked.model;
    let of = |state: &String| {
        let what = format!("nothing more can happen in {state}");
        let Some(end) = way(campaign, state) else { return format!("{what}; `sioco analyze` shows the way there") };
        let steps = trace(model, end);
        let dots = if steps.len() > STEPS { "… " } else { "" };
        let last = steps[steps.len().saturating_sub(STEPS)..].join(" ");
        let run = end.run;
        let again = campaign.again.map(|again| format!("; `{again} --run {run}` repeats it"));
        format!("{what}, after {dots}{last} (run {run}{})", again.unwrap_or_default())
    };
    campaign.summary.deadlocks.iter().take(most).map(of).collect()
}

/// The same for programs.
pub(super) fn json<'a>(campaign: &CampaignReport<'a>) -> Vec<DeadlockLine<'a>> {
    let model = &campaign.source.checked.model;
    let of = |state: &'a String| {
        let end = way(campaign, state);
        DeadlockLine { state, run: end.map(|e| e.run), trace: end.map(|e| trace(model, e)) }
    };
    campaign.summary.deadlocks.iter().map(of).collect()
}

fn way<'a>(campaign: &CampaignReport<'a>, state: &str) -> Option<&'a DeadEnd> {
    campaign.dead_ends.iter().find(|end| end.state == state)
}

fn trace(model: &Model, end: &DeadEnd) -> Vec<String> {
    let step = |action: &Action| match action {
        Action::Input(input) => named(model, input, "="),
        Action::Seen(seen) => observation(model, seen),
    };
    end.trace.iter().map(step).collect()
}
