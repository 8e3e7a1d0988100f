//! What became of the purposes of a campaign, for people.

use sioco_exec::summary::PurposeResult;
use sioco_exec::verdict::{Cause, OpenCause, Verdict};
use sioco_model::{Id, SwitchId};

use super::summary::{CampaignReport, NAMED, what_for};
use super::words::in_short;
use crate::explore::count;

/// At most this many choices are named; more would not fit a line.
const CHOICES: usize = 3;

/// How many purposes were reached, and of each other one, why not.
pub(super) fn purposes(campaign: &CampaignReport<'_>) -> Vec<String> {
    // What is a probe and nothing else is reached from the start.
    let is_test = |i: usize| campaign.plan.and_then(|p| p.purposes.get(i)).is_none_or(|p| !p.is_only_probe());
    let all: Vec<(usize, &PurposeResult)> =
        campaign.summary.purposes.iter().enumerate().filter(|(i, _)| is_test(*i)).collect();
    if all.is_empty() {
        return Vec::new();
    }
    let model = &campaign.source.checked.model;
    let results = || all.iter().map(|(_, r)| r);
    let is = |v: Verdict| results().filter(|r| r.verdict == Some(v)).count();
    let alone = results().filter(|r| r.verdict == Some(Verdict::Pass) && r.alone).count();
    let (pass, weak) = (is(Verdict::Pass), is(Verdict::WeakPass));
    let mut head = format!("{pass} of {} reached", all.len());
    if alone < pass {
        head.push_str(&format!(", {alone} of these with a single hypothesis"));
    }
    if weak > 0 {
        head.push_str(&format!(", {weak} more possibly"));
    }
    let failed = is(Verdict::Fail);
    if failed > 0 {
        head.push_str(&format!(", {failed} failed"));
    }
    let left = results().filter(|r| r.otherwise).count();
    if left > 0 {
        head.push_str(&format!(", {left} left to choices of the system"));
    }
    let is_dropped = |r: &&&PurposeResult| matches!(r.cause, Some(Cause::Open(OpenCause::Dropped { .. })));
    let dropped = results().filter(is_dropped).count();
    if dropped > 0 {
        let them = if dropped == 1 { "it" } else { "them" };
        head.push_str(&format!(", {dropped} dropped since another run failed on the way to {them}"));
    }
    let mut lines = vec![head];
    lines.extend(wanting(campaign));
    // Those that were not tried are told of together.
    let missed = |r: &&(usize, &PurposeResult)| r.1.verdict.is_some_and(|v| v > Verdict::WeakPass);
    let mut missing: Vec<&(usize, &PurposeResult)> = all.iter().filter(missed).collect();
    // What went wrong first, what the system left to itself last.
    missing.sort_by_key(|(_, r)| (std::cmp::Reverse(r.verdict), r.otherwise));
    for (i, result) in missing.iter().take(NAMED) {
        let attempts = count(result.attempts as usize, "attempt");
        let name = result.verdict.map_or("not reached", Verdict::name);
        let why = match &result.cause {
            _ if result.otherwise => format!("not reached: the system made another choice each time ({attempts})"),
            Some(why) => format!("{name}, {} ({attempts})", in_short(model, why)),
            None => format!("{name} ({attempts})"),
        };
        lines.push(format!("{}.{} {why}", i + 1, what_for(campaign, *i)));
    }
    if missing.len() > NAMED {
        lines.push(format!("… and {} more", missing.len() - NAMED));
    }
    lines
}

/// The switches that were never taken and are on most of what was left to choices of the system: the choices themselves.
fn wanting(campaign: &CampaignReport<'_>) -> Option<String> {
    let (plan, summary, model) = (campaign.plan?, campaign.summary, &campaign.source.checked.model);
    let mut counts: Vec<(usize, SwitchId)> = model.switches.ids().map(|s| (0, s)).collect();
    for (purpose, _) in plan.purposes.iter().zip(&summary.purposes).filter(|(_, r)| r.otherwise) {
        let mut on: Vec<SwitchId> = purpose.switches().filter(|s| !summary.possibly(*s)).collect();
        on.sort_unstable();
        on.dedup();
        on.iter().for_each(|s| counts[s.index()].0 += 1);
    }
    counts.retain(|(n, _)| *n > 0);
    counts.sort_by_key(|(n, s)| (std::cmp::Reverse(*n), *s));
    let name = |(n, s): &(usize, SwitchId)| {
        let needs = if *n == 1 { "1 of these needs".to_owned() } else { format!("{n} of these need") };
        format!("{needs} `{}`", model.switches[*s].name)
    };
    let named: Vec<String> = counts.iter().take(CHOICES).map(name).collect();
    (!named.is_empty()).then(|| format!("{}, which the system never took", named.join(", ")))
}
