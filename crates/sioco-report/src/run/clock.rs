//! What the clock cut short in a campaign: then the same seed may give another campaign.

use sioco_campaign::planning::Clock;

use super::sequence::time;
use super::shape::ClockLine;
use super::summary::{CampaignReport, times};

/// What it decided, in a line; nothing if it decided nothing.
pub(super) fn line(campaign: &CampaignReport<'_>) -> Option<String> {
    let Clock { planning, questions } = campaign.clock;
    let mut parts = Vec::new();
    parts.extend(planning.map(|after| format!("planning ended after {}", time(after))));
    parts.extend((questions > 0).then(|| match questions {
        1 => "a question to the solver was ended".to_owned(),
        n => format!("{n} questions to the solver were ended"),
    }));
    let hurried = campaign.summary.pauses.clock;
    parts.extend(
        (hurried > 0).then(|| format!("the search for values was ended {} while the system waited", times(hurried))),
    );
    if parts.is_empty() {
        return None;
    }
    let help = match planning {
        Some(_) => "; `sioco plan --nodes N --output FILE` makes a plan that `--plan FILE` runs each time",
        None => "",
    };
    Some(format!("{} by the clock: with the same seed, another campaign may differ{help}", parts.join("; ")))
}

/// The same for programs.
pub(super) fn json(campaign: &CampaignReport<'_>) -> ClockLine {
    let Clock { planning, questions } = campaign.clock;
    ClockLine {
        planning_us: planning.map(|after| u64::try_from(after.as_micros()).unwrap_or(u64::MAX)),
        questions,
        pauses: campaign.summary.pauses.clock,
    }
}
