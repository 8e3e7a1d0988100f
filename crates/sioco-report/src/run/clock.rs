//! What the clock cut short in a campaign: then the same seed may give another campaign.

use sioco_campaign::planning::Clock;

use super::sequence::time;
use super::shape::ClockLine;
use super::summary::{CampaignReport, times};

/// What it decided, in a line; nothing if it decided nothing.
pub(super) fn line(campaign: &CampaignReport<'_>) -> Option<String> {
    let Clock { planning, questions } = campaign.clock;
    let mut parts = Vec::new();
    parts.extend(planning.map(|after| format!("planning was stopped after {}", time(after))));
    parts.extend((questions > 0).then(|| match questions {
        1 => "a question to the solver was stopped".to_owned(),
        n => format!("{n} questions to the solver were stopped"),
    }));
    let hurried = campaign.summary.pauses.clock;
    parts.extend(
        (hurried > 0).then(|| format!("the search for values was stopped {} while the system waited", times(hurried))),
    );
    if parts.is_empty() {
        return None;
    }
    let help = match planning {
        Some(_) => {
            "; for the same plan each time, write it with `sioco plan --nodes N --output FILE` and run it \
                    with `--plan FILE`"
        }
        None => "",
    };
    Some(format!(
        "{}; the clock decided this, so another campaign with the same seed may differ{help}",
        parts.join("; ")
    ))
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
