//! What a campaign came to, for people.

use std::time::Duration;

use sioco_campaign::coverage::{Share, coverage};
use sioco_campaign::gate::Gate;
use sioco_campaign::planning::Clock;
use sioco_campaign::shrink::Shortened;
use sioco_campaign::trails::{DeadEnd, Reasons};
use sioco_exec::quiescence_time::grace;
use sioco_exec::record::End;
use sioco_exec::summary::{PurposeResult, Summary};
use sioco_exec::verdict::{Cause, OpenCause, Verdict};
use sioco_model::model::Direction;
use sioco_plan::{Goal, Kind, Plan, State};
use sioco_solve::Reason;
use sioco_symbolic::Stop;

use super::Page;
use super::dead_end;
use super::probes::probes;
use super::purposes::purposes;
use super::sequence::time;
use super::shorter::shorter;
use super::shrunk;
use super::ways;
use super::words::{in_short, overdue};
use crate::analysis::Source;
use crate::explore::{count, summary::wrap};
use crate::plan::{cut, goal_name};

/// At most this many purposes and switches are named: two lines. The option that lists all of them is named beside.
pub(super) const NAMED: usize = 8;
/// At most this many goals of a purpose are named, as each purpose has a line.
const GOALS: usize = 3;
/// A pause before an input that is worth a line: twice the usual quiescence time, so that it may have changed the state
/// of a system with a clock.
const LONG_PAUSE: Duration = Duration::from_millis(200);

/// A campaign with what is needed to speak about it.
#[derive(Clone, Copy)]
pub struct CampaignReport<'a> {
    /// The model with its texts.
    pub source: Source<'a>,
    /// What it came to.
    pub summary: &'a Summary,
    /// The plan, if there was one.
    pub plan: Option<&'a Plan>,
    /// The system under test, as it was given.
    pub sut: &'a str,
    /// The seed, where anything is random.
    pub seed: Option<u64>,
    /// How long silence takes.
    pub quiescence: Duration,
    /// How long it took, if somebody waited for it.
    pub took: Option<Duration>,
    /// How long planning took before that, if there was any.
    pub planned: Option<Duration>,
    /// What a clock decided.
    pub clock: Clock,
    /// What limited it, in words.
    pub budget: &'a str,
    /// Where the journal is.
    pub journal: Option<&'a str>,
    /// The command that runs the failing run again that is shown first.
    pub replay: Option<&'a str>,
    /// The gates of the campaign and whether each was missed.
    pub gates: &'a [Gate],
    /// Why runs were inconclusive.
    pub reasons: &'a Reasons,
    /// Where runs came to a deadlock of the model.
    pub dead_ends: &'a [DeadEnd],
    /// The command that runs any run again, with `--run N`.
    pub again: Option<&'a str>,
    /// Whether inputs were sent at once where outputs might be under way, so that waiting for them may help.
    pub eager: bool,
    /// Failing runs that were shrunk.
    pub shrunk: &'a [Shortened],
}

/// The summary of a campaign.
pub fn summary(campaign: &CampaignReport<'_>, page: Page) -> String {
    let (style, summary) = (page.style, campaign.summary);
    let runs = summary.all_runs();
    let missed = campaign.gates.iter().any(|g| !g.met);
    let passed = matches!(summary.verdict, Some(Verdict::Pass | Verdict::WeakPass));
    let mut head = summary.verdict.map_or("NOTHING RUN".to_owned(), |v| v.name().to_uppercase());
    // What was demanded counts, whatever the runs came to.
    head.push_str(if passed && missed { ", GATE MISSED" } else { "" });
    let interrupted = summary.end == End::Interrupted;
    head.push_str(if interrupted { ", INTERRUPTED" } else { "" });
    let head = match summary.verdict {
        Some(Verdict::Pass) if !missed && !interrupted => style.green(head),
        Some(Verdict::Error | Verdict::Fail) => style.red(head),
        _ => style.yellow(head),
    };
    let model = &campaign.source.checked.model;
    let mut out = format!(
        "{head}  {} against {}: {}, {}{}{}\n",
        style.bold(&model.name),
        campaign.sut,
        count(to_usize(runs), "run"),
        count(to_usize(summary.steps), "step"),
        campaign.took.map(|t| format!(" in {}", time(t))).unwrap_or_default(),
        campaign.planned.map(|t| format!(", planned in {}", time(t))).unwrap_or_default(),
    );
    for (heading, text) in rows(campaign) {
        let mut heading = heading;
        for line in wrap(&text, page.width.saturating_sub(13)) {
            out.push_str(format!("  {heading:<11}{line}").trim_end());
            out.push('\n');
            heading = "";
        }
    }
    out
}

fn to_usize(n: u64) -> usize {
    usize::try_from(n).unwrap_or(usize::MAX)
}

fn rows(campaign: &CampaignReport<'_>) -> Vec<(&'static str, String)> {
    let (summary, model) = (campaign.summary, &campaign.source.checked.model);
    let mut rows: Vec<(&str, String)> = Vec::new();
    rows.extend(runs(summary).map(|text| ("runs", text)));
    if campaign.took.is_some() || summary.end == End::Interrupted {
        rows.push(("ended", ended(campaign)));
    }
    rows.extend(uncovered(campaign.plan).map(|text| ("plan", text)));
    rows.extend(campaign.plan.and_then(shorter).map(|text| ("length", text)));
    rows.extend(campaign.plan.into_iter().flat_map(|plan| cut(plan.counts)));
    rows.extend(open(campaign).into_iter().enumerate().map(|(i, t)| (if i == 0 { "open" } else { "" }, t)));
    rows.extend(untried(campaign).map(|text| ("not tried", text)));
    let takes = model.gates.values().any(|g| g.direction == Direction::Input);
    if takes && summary.inputs == 0 && summary.steps > 0 && campaign.took.is_some() {
        rows.push(("inputs", "none was sent".into()));
    }
    // What was not begun has covered nothing, and there is no use in saying so in detail.
    let ran = summary.all_runs() > 0;
    if ran {
        rows.push(("coverage", covered(campaign)));
        rows.extend(traces(campaign).map(|text| ("traces", text)));
        rows.extend(purposes(campaign).into_iter().enumerate().map(|(i, t)| (if i == 0 { "purposes" } else { "" }, t)));
        let probed = probes(&campaign.source.checked.model, &summary.probes);
        rows.extend(probed.into_iter().enumerate().map(|(i, t)| (if i == 0 { "probes" } else { "" }, t)));
    }
    for gate in campaign.gates {
        let state = if gate.met { "met" } else { "missed" };
        rows.push(("gate", format!("{} {state}: {}", gate.text, percent(gate.percent))));
    }
    if summary.verdict == Some(Verdict::WeakPass) {
        rows.push(("weak", "everything observed is allowed; the goal was possibly reached, not surely".into()));
    }
    rows.extend(unknown(summary).map(|text| ("unknown", text)));
    let deadlocks = dead_end::lines(campaign, NAMED).into_iter().enumerate();
    rows.extend(deadlocks.map(|(i, text)| (if i == 0 { "deadlock" } else { "" }, text)));
    rows.extend(withdrawn(campaign).map(|text| ("silence", text)));
    rows.extend(unjudged(campaign));
    let remarks = summary.remarks.iter().enumerate();
    rows.extend(remarks.map(|(i, text)| (if i == 0 { "odd" } else { "" }, text.clone())));
    rows.extend(pauses(campaign).map(|text| ("pause", text)));
    rows.extend(super::clock::line(campaign).map(|text| ("clock", text)));
    if ran {
        rows.extend(not_taken(campaign).map(|text| ("not taken", text)));
    }
    let shrunk = campaign.shrunk.iter().map(shrunk::row).enumerate();
    rows.extend(shrunk.map(|(i, text)| (if i == 0 { "shrunk" } else { "" }, text)));
    rows.extend(campaign.seed.map(|seed| ("seed", seed.to_string())));
    rows.extend(campaign.journal.map(|j| ("journal", j.to_owned())));
    rows.extend(campaign.replay.map(|r| ("replay", r.to_owned())));
    rows
}

/// What the solver left open, and what rests on that.
fn unknown(summary: &Summary) -> Option<String> {
    let doubts = summary.purposes.iter().filter(|p| p.doubt).count();
    if summary.unknown == 0 && doubts == 0 {
        return None;
    }
    let questions = count(to_usize(summary.unknown), "question");
    let rest = match doubts {
        0 => String::new(),
        n => format!("; {} on it", if n == 1 { "1 purpose depends".into() } else { format!("{n} purposes depend") }),
    };
    Some(format!("the solver left {questions} of the tester unanswered{rest}"))
}

/// Silences that were none after all, and what helps.
fn withdrawn(campaign: &CampaignReport<'_>) -> Option<String> {
    let summary = campaign.summary;
    let mut what = match summary.withdrawn {
        0 => return None,
        1 => "quiescence was withdrawn once, because an output came after it".to_owned(),
        n => format!("quiescence was withdrawn {n} times, because outputs came after it"),
    };
    what += &match (summary.hidden, summary.withdrawn) {
        (0, _) => String::new(),
        (1, 1) => "; it would have been a failure".to_owned(),
        (n, _) => format!("; in {n} of these cases it would have been a failure"),
    };
    let ms = campaign.quiescence.as_millis();
    let advice = match campaign.took.is_some() {
        true if summary.late.is_empty() => format!(": raise `--quiescence` (now {ms} ms)"),
        true => format!(": {}", late(campaign)),
        false => String::new(),
    };
    Some(format!("{what}{advice}"))
}

/// What came between runs, which nobody judged.
fn unjudged(campaign: &CampaignReport<'_>) -> Vec<(&'static str, String)> {
    let summary = campaign.summary;
    let mut rows = Vec::new();
    // A few may come when a run ends; if many do, there is something to be heard.
    let dropped = summary.stale + summary.unheard;
    let many = dropped > 1 && dropped * 10 > summary.all_runs();
    let advice = match many && campaign.took.is_some() {
        true => ": they were not judged; a longer `--quiescence` may catch them",
        false => "",
    };
    if summary.stale > 0 {
        let what = match summary.stale {
            1 => "an output of an earlier run came during a later run and was dropped".to_owned(),
            n => format!("{n} outputs of earlier runs came during later runs and were dropped"),
        };
        rows.push(("stale", format!("{what}{}", if summary.unheard == 0 { advice } else { "" })));
    }
    if summary.unheard > 0 {
        let what = match summary.unheard {
            1 => "an output came after the end of its run".to_owned(),
            n => format!("{n} outputs came after the end of their runs"),
        };
        rows.push(("unheard", format!("{what}{advice}")));
    }
    if summary.unheard_crashes > 0 {
        let what = match summary.unheard_crashes {
            1 => "the SUT crashed once after the end of a run".to_owned(),
            n => format!("the SUT crashed {n} times after the end of a run"),
        };
        let advice = ": that was not judged; a longer `--quiescence` may catch it in a run";
        rows.push(("crashes", format!("{what}{}", if campaign.took.is_some() { advice } else { "" })));
    }
    rows
}

/// The switches that no run took, though nothing proves that none can.
fn not_taken(campaign: &CampaignReport<'_>) -> Option<String> {
    let mut names: Vec<String> = Vec::new();
    for (id, s) in campaign.source.checked.model.switches.iter() {
        if !campaign.summary.possibly(id) && !infeasible(campaign, id) {
            names.push(s.name.clone());
        }
    }
    (!names.is_empty()).then(|| list(&names))
}

/// After which gates outputs came late, and the options that wait for them.
fn late(campaign: &CampaignReport<'_>) -> String {
    let model = &campaign.source.checked.model;
    let all = &campaign.summary.late;
    let direction = |gate| model.gates[gate].direction.sigil();
    let (mut places, mut options) = (Vec::new(), Vec::new());
    // What came did so before silence would have been a failure.
    let wait = time_option(grace(campaign.quiescence));
    for (gate, times) in all.iter().take(NAMED) {
        match gate {
            Some(gate) => {
                let name = &model.gates[*gate].name;
                places.push(format!("after {}{name} ({times})", direction(*gate)));
                options.push(format!("--quiescence-at {name}={wait}"));
            }
            None => {
                places.push(format!("at the beginning of a run ({times})"));
                let mut starts: Vec<&str> =
                    model.processes.values().map(|p| model.locations[p.initial].name.as_str()).collect();
                starts.sort_unstable();
                starts.dedup();
                options.extend(starts.iter().map(|start| format!("--quiescence-at {start}={wait}")));
            }
        }
    }
    let more = if all.len() > NAMED { ", …" } else { "" };
    let ms = campaign.quiescence.as_millis();
    format!(
        "{}{more}; use `{}` to wait longer there, or raise `--quiescence` (now {ms} ms)",
        places.join(", "),
        options.join(" ")
    )
}

/// A time as options take it.
fn time_option(time: Duration) -> String {
    match time.subsec_millis() {
        0 => format!("{}s", time.as_secs()),
        _ => format!("{}ms", time.as_millis()),
    }
}

fn infeasible(campaign: &CampaignReport<'_>, switch: sioco_model::SwitchId) -> bool {
    let goals = campaign.plan.map(|p| p.goals.as_slice()).unwrap_or_default();
    goals.iter().any(|(g, state)| *g == Goal::Switch(switch) && matches!(state, State::Infeasible(_)))
}

/// The first names of a list.
fn list(names: &[String]) -> String {
    let more = names.len().saturating_sub(NAMED);
    let shown = names[..names.len() - more].join(", ");
    if more == 0 { shown } else { format!("{shown} and {more} more") }
}

fn runs(summary: &Summary) -> Option<String> {
    use Verdict::*;
    let kinds = [Pass, WeakPass, Inconclusive, Error, Fail];
    let parts = kinds.iter().zip(summary.runs).filter(|(_, n)| *n > 0);
    let mut parts: Vec<String> = parts.map(|(verdict, n)| format!("{n} {}", verdict.name())).collect();
    match summary.probing {
        0 => {}
        1 => parts.push("1 only a probe, without a verdict".into()),
        n => parts.push(format!("{n} only probes, without a verdict")),
    }
    if summary.unbegun > 0 {
        parts.push(format!("{} did not begin", summary.unbegun));
    }
    (!parts.is_empty()).then(|| parts.join(", "))
}

fn ended(campaign: &CampaignReport<'_>) -> String {
    let why = match campaign.summary.end {
        End::Done if campaign.summary.all_runs() == 0 => "the plan has no purposes",
        End::Done => "everything was done",
        End::Steps => "the step limit was reached",
        End::Time => "the time ran out",
        End::Interrupted => "it was interrupted",
        End::FailFast => "a run failed (`--fail-fast`)",
        End::Broken => "the SUT or its adapter is no longer usable",
        End::Undefined => "the model is undefined before the first step",
        End::Memory => "the memory limit was reached; raise `--memory`",
        End::Unrecorded => "the journal could not be written",
        End::Mute => "the SUT sent nothing in any run; find out why with `sioco adapter check`",
    };
    let mut text = match campaign.summary.end {
        End::Steps | End::Time if !campaign.budget.is_empty() => format!("{why} ({})", campaign.budget),
        _ => why.to_owned(),
    };
    if let Some(waiting) = campaign.summary.waiting {
        let last = campaign.summary.last_input.as_ref();
        text.push_str(&format!(", while {}", overdue(&campaign.source.checked.model, waiting, last)));
    }
    if campaign.summary.end == End::Interrupted && campaign.summary.verdict.is_some() {
        text.push_str("; the verdict covers only what was observed until then");
    }
    text
}

fn percent(percent: f64) -> String {
    format!("{}%", crate::plan::percent(percent))
}

fn covered(campaign: &CampaignReport<'_>) -> String {
    let (switches, _) = coverage(&campaign.source.checked.model, campaign.summary, campaign.plan);
    let Share { surely, possibly, feasible, infeasible } = switches;
    let share = percent(switches.percent(surely));
    let mut text = format!("{surely} of {} surely taken ({share})", count(feasible, "switch"));
    if possibly > surely {
        text.push_str(&format!(", {possibly} possibly"));
    }
    if infeasible > 0 {
        text.push_str(&format!("; {infeasible} more infeasible (proved)"));
    }
    text
}

/// What a purpose is there for, in brackets: its goals, or the trace.
pub(super) fn what_for(campaign: &CampaignReport<'_>, purpose: usize) -> String {
    let Some(plan) = campaign.plan else { return String::new() };
    if let Some(way) = ways::shown(&campaign.source.checked.model, campaign.plan, purpose) {
        return format!(" ({way})");
    }
    let goals = plan.purposes.get(purpose).map(|p| p.goals.as_slice()).unwrap_or_default();
    let words = campaign.source.words();
    let names: Vec<String> =
        goals.iter().take(GOALS).filter_map(|g| Some(goal_name(words, &plan.goals.get(*g)?.0))).collect();
    let more = if goals.len() > GOALS { ", …" } else { "" };
    if names.is_empty() { String::new() } else { format!(" (for {}{more})", names.join(", ")) }
}

/// Why runs were inconclusive, the most frequent reasons first.
fn open(campaign: &CampaignReport<'_>) -> Vec<String> {
    let model = &campaign.source.checked.model;
    let all = campaign.reasons.most_frequent_first();
    let mut lines: Vec<String> = Vec::new();
    for (why, runs) in all.iter().take(NAMED) {
        let hint = match why {
            OpenCause::Crossed if campaign.eager => "; use `--interaction fair` to wait for outputs first",
            _ => "",
        };
        lines.push(format!(
            "{}: {}{hint}",
            count(to_usize(*runs), "run"),
            in_short(model, &Cause::Open((*why).clone()))
        ));
    }
    let more: u64 = all.iter().skip(NAMED).map(|(_, runs)| runs).sum();
    if more > 0 {
        lines.push(format!("… and {} for other reasons", count(to_usize(more), "run")));
    }
    lines
}

/// What the plan does not cover.
fn uncovered(plan: Option<&Plan>) -> Option<String> {
    let unplanned = unplanned(plan);
    let Some(plan) = plan.filter(|p| p.lacks_tests()) else {
        return unplanned.map(|(open, all)| format!("leaves {open} of {all} goals uncovered"));
    };
    let Some((open, all)) = unplanned else {
        let why = if plan.stop == Stop::Cancelled { "time" } else { "states (`--nodes`)" };
        return Some(format!(
            "is incomplete: `sioco compare` did not have enough {why} to compose the two models \
                             completely"
        ));
    };
    // Where nothing is known about a path, the first reason stands for the others.
    let why = plan.goals.iter().find_map(|(_, state)| match state {
        State::Unknown(Reason::Cancelled) | State::NotReached(_) => Some("the time ran out".to_owned()),
        State::Unknown(Reason::TooLarge) => Some("their outputs are too large to distinguish".to_owned()),
        State::Unknown(reason) => Some(reason.to_string()),
        _ => None,
    });
    let why = why.unwrap_or_default();
    let what = if plan.intent().compared { "transitions" } else { "goals" };
    Some(format!("{open} of {all} {what} may need more tests: {why}"))
}

/// How many goals the plan does not reach though they are not proved to be infeasible, and of how many.
pub(super) fn unplanned(plan: Option<&Plan>) -> Option<(usize, usize)> {
    let coverage = plan?.coverage();
    let open = coverage.not_reached + coverage.unknown;
    (open > 0).then_some((open, open + coverage.covered))
}

/// What the budget left untried.
fn untried(campaign: &CampaignReport<'_>) -> Option<String> {
    let left = campaign.summary.untried();
    let begun = campaign.summary.all_runs() > 0;
    if left == 0 || !(begun || matches!(campaign.summary.end, End::Steps | End::Time)) {
        return None;
    }
    let purposes = if left == 1 { "1 purpose was".to_owned() } else { format!("{left} purposes were") };
    Some(match campaign.summary.end {
        End::Steps => format!("the budget ended before {purposes} tried; raise `--max-steps`"),
        End::Time => format!("the budget ended before {purposes} tried; raise `--for`"),
        _ => format!("the campaign ended before {purposes} tried"),
    })
}

/// How many traces of a length were covered (T-C4: those that some hypothesis followed), and the switches on them.
fn traces(campaign: &CampaignReport<'_>) -> Option<String> {
    let plan = campaign.plan?;
    let (Kind::Traces, Some(length)) = (plan.intent().kind, plan.length) else { return None };
    let (summary, model) = (campaign.summary, &campaign.source.checked.model);
    let is_covered = |r: &&PurposeResult| r.verdict.is_some_and(|v| v <= Verdict::WeakPass);
    let (found, all) = (summary.purposes.iter().filter(is_covered).count(), summary.purposes.len());
    let on = summary.on_covered(model, plan).into_iter().filter(|s| *s).count();
    let switches = model.switches.len();
    let share = |of: usize, all: usize| percent(if all == 0 { 100.0 } else { 100.0 * of as f64 / all as f64 });
    Some(format!(
        "{found} of {all} with {} covered ({}), with {on} of {switches} switches on them ({})",
        count(length, "step"),
        share(found, all),
        share(on, switches)
    ))
}

/// What the system had to wait for, where that is worth a line.
fn pauses(campaign: &CampaignReport<'_>) -> Option<String> {
    let pauses = campaign.summary.pauses;
    let planned = campaign.plan.is_some_and(|p| p.intent().kind == Kind::Traces);
    let long = pauses.longest >= LONG_PAUSE || (planned && !pauses.longest.is_zero());
    if campaign.took.is_none() || !(long || pauses.hurried > 0) {
        return None;
    }
    let (run, step) = pauses.at;
    let mut text =
        format!("the system waited at most {} for an input (run {run}, after step {step})", time(pauses.longest));
    if pauses.solved > 0 {
        text.push_str(&format!("; sioco searched {} for values during a run", times(pauses.solved)));
    }
    if pauses.hurried > 0 {
        text.push_str(&format!(
            "; sioco tried only some continuations {}, to keep the wait short",
            times(pauses.hurried)
        ));
    }
    Some(text)
}

pub(super) fn times(n: u64) -> String {
    if n == 1 { "once".into() } else { format!("{n} times") }
}
