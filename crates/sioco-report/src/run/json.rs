//! What a campaign came to, for programs; `docs/journal.md` describes the lines.

use serde_json::Value as Json;
use sioco_campaign::coverage::{Share, coverage};
use sioco_exec::explanation::{Allowed, Explanation, Narrowed, Offer, Values};
use sioco_exec::journal;
use sioco_exec::verdict::Cause;
use sioco_model::model::{Label, Model, Param};
use sioco_model::semantics::explain::Reason;
use sioco_model::{Id, SwitchId, Value};
use sioco_plan::file::shape::PlaceLine;
use sioco_plan::value::{Named, Valued, tree};

use super::code::Code;
use super::shape::{
    AllowedLine, BadLine, CoverageLine, EndsLine, ExplanationLine, HypothesisLine, LateLine, NarrowedLine, OpenLine,
    PausesLine, PurposeLine, ReachedLine, RunsLine, ShareLine, SummaryLine, SwitchLine, TakenLine, ThresholdLine,
    WithinLine,
};
use super::shrunk;
use super::summary::{CampaignReport, unplanned};
use super::words::cause as in_words;
use crate::analysis::Source;
use crate::words::{Words, describe};

/// The last line of a campaign.
pub fn summary(campaign: &CampaignReport<'_>, exit: u8) -> Json {
    let (model, s) = (&campaign.source.checked.model, campaign.summary);
    let micros = |time: std::time::Duration| u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
    tree(&SummaryLine {
        kind: "summary",
        verdict: s.verdict,
        exit,
        end: &s.end,
        waiting: s.waiting,
        runs: by_verdict(s.runs),
        probing: s.probing,
        unbegun: s.unbegun,
        steps: s.steps,
        inputs: s.inputs,
        coverage: covered(campaign),
        unplanned: unplanned(campaign.plan).map_or(0, |(open, _)| open),
        cut: campaign.plan.map_or(0, |p| p.counts.cut),
        unfinished: campaign.plan.map_or(0, |p| p.counts.unfinished),
        length: campaign.plan.and_then(super::shorter::json),
        purposes: purposes(campaign),
        probes: super::probes::json(model, &s.probes),
        bad: bad(campaign),
        open: open(campaign),
        gates: (campaign.gates.iter())
            .map(|g| ThresholdLine { gate: &g.text, percent: g.percent, met: g.met })
            .collect(),
        deadlocks: super::dead_end::json(campaign),
        clock: super::clock::json(campaign),
        pauses: PausesLine {
            longest_us: micros(s.pauses.longest),
            run: s.pauses.at.0,
            step: s.pauses.at.1,
            solved: s.pauses.solved,
            hurried: s.pauses.hurried,
        },
        withdrawn: s.withdrawn,
        hidden: s.hidden,
        late: (s.late.iter())
            .map(|(gate, n)| LateLine { gate: gate.map(|g| model.gates[g].name.as_str()), times: *n })
            .collect(),
        stale: s.stale,
        unheard: s.unheard,
        unheard_crashes: s.unheard_crashes,
        odd: &s.remarks,
        unknown: s.unknown,
        seed: campaign.seed,
        time_us: campaign.took.map(micros),
        planned_us: campaign.planned.map(micros),
        journal: campaign.journal,
        replay: campaign.replay,
    })
}

fn covered<'a>(campaign: &CampaignReport<'a>) -> CoverageLine<'a> {
    let (model, s) = (&campaign.source.checked.model, campaign.summary);
    let (switches, locations) = coverage(model, s, campaign.plan);
    let taken_switches = (model.switches.iter())
        .map(|(id, switch)| TakenLine { switch: &switch.name, taken: taken(s.surely(id), s.possibly(id)) });
    let reached = (model.locations.ids().filter(|l| !model.locations[*l].hidden)).map(|l| {
        let (surely, possibly) = s.locations.get(l.index()).copied().unwrap_or_default();
        ReachedLine { location: model.location_name(l), reached: taken(surely, possibly) }
    });
    CoverageLine {
        switches: share(&switches),
        locations: share(&locations),
        taken: taken_switches.collect(),
        reached: reached.collect(),
    }
}

fn purposes<'a>(campaign: &CampaignReport<'a>) -> Vec<PurposeLine<'a>> {
    let model = &campaign.source.checked.model;
    (campaign.summary.purposes.iter().enumerate())
        .map(|(i, p)| PurposeLine {
            purpose: i,
            switches: super::ways::names(model, campaign.plan, i),
            verdict: p.verdict,
            cause: p.cause.as_ref().map(|c| tree(&journal::cause(model, c))),
            alone: p.alone,
            doubt: p.doubt,
            attempts: p.attempts,
            otherwise: p.otherwise,
            run: p.run,
        })
        .collect()
}

fn bad<'a>(campaign: &CampaignReport<'a>) -> Vec<BadLine<'a>> {
    let model = &campaign.source.checked.model;
    (campaign.summary.bad.iter())
        .map(|b| BadLine {
            run: b.run,
            verdict: b.verdict,
            code: code(&b.cause),
            cause: tree(&journal::cause(model, &b.cause)),
            message: in_words(model, &b.cause),
            steps: b.steps,
            explanation: b.explanation.as_ref().map(|e| explained(campaign.source, e)),
            shrunk: campaign.shrunk.iter().find(|s| s.found.run == b.run).map(|s| shrunk::json(s, campaign.source)),
        })
        .collect()
}

fn open(campaign: &CampaignReport<'_>) -> Vec<OpenLine> {
    let model = &campaign.source.checked.model;
    (campaign.reasons.most_frequent_first().into_iter())
        .map(|(why, runs)| {
            let cause = Cause::Open(why.clone());
            OpenLine { runs, cause: tree(&journal::cause(model, &cause)), message: in_words(model, &cause) }
        })
        .collect()
}

/// Runs by verdict.
pub fn runs(runs: [u64; 5]) -> Json {
    tree(&by_verdict(runs))
}

fn by_verdict([pass, weak_pass, inconclusive, error, fail]: [u64; 5]) -> RunsLine {
    RunsLine { pass, weak_pass, inconclusive, error, fail }
}

fn taken(surely: bool, possibly: bool) -> &'static str {
    match (surely, possibly) {
        (true, _) => "surely",
        (_, true) => "possibly",
        _ => "no",
    }
}

fn share(share: &Share) -> ShareLine {
    let Share { surely, possibly, feasible, infeasible } = *share;
    ShareLine { surely, possibly, feasible, infeasible }
}

/// The code of a cause, if it is a failure.
pub fn code(cause: &Cause) -> Option<String> {
    match cause {
        Cause::Failure(failure) => Some(Code::of(failure).to_string()),
        _ => None,
    }
}

/// What the model allows instead.
pub fn explanation(source: Source<'_>, explanation: &Explanation) -> Json {
    tree(&explained(source, explanation))
}

/// What the model allows instead, as it is written.
pub(super) fn explained<'a>(source: Source<'a>, explanation: &'a Explanation) -> ExplanationLine<'a> {
    let words = Words { checked: source.checked, sources: source.sources };
    let model = &source.checked.model;
    let hypotheses = explanation.hypotheses.iter().map(|left| HypothesisLine {
        state: &left.shown,
        under_way: left.under_way.iter().map(|input| journal::gate_value(model, input)).collect(),
        allowed: left.allowed.iter().map(|a| allowed(model, a)).collect(),
        switches: left.switches.iter().map(|(s, reasons)| switch(source, words, *s, reasons)).collect(),
    });
    let mut all: Vec<AllowedLine<'_>> = explanation.offers.iter().map(|o| offer(model, o)).collect();
    all.extend(explanation.silence.then_some(AllowedLine::Silence("quiescent")));
    let narrowed = |n: &'a Narrowed| {
        let input = journal::gate_value(model, &n.input);
        NarrowedLine { input, only: n.only.as_deref(), kept: n.kept, ended: n.ended }
    };
    ExplanationLine {
        all: explanation.all,
        allowed: all,
        more: explanation.more,
        hypotheses: hypotheses.collect(),
        narrowed: explanation.narrowed.iter().map(narrowed).collect(),
    }
}

/// An output that some hypothesis allows.
fn offer<'a>(model: &'a Model, offer: &'a Offer) -> AllowedLine<'a> {
    let mut found = output(model, offer.switch, &offer.args, offer.values == Values::Only);
    let AllowedLine::Output { within, ends, .. } = &mut found else { return found };
    let params = &model.switches[offer.switch].params;
    let name = |param: usize| params.get(param).map_or("", |p| p.name.as_str());
    match &offer.values {
        Values::Within { param, parts } => *within = Some(WithinLine { param: name(*param), parts }),
        Values::Some { ends: Some((param, least, greatest)) } => {
            let show = |value| Valued { sorts: &model.sorts, sort: params[*param].sort, value };
            *ends = Some(EndsLine { param: name(*param), least: show(least), greatest: show(greatest) });
        }
        Values::Only | Values::Some { ends: None } => {}
    }
    found
}

fn allowed<'a>(model: &'a Model, allowed: &'a Allowed) -> AllowedLine<'a> {
    match allowed {
        Allowed::Output { switch, args, fixed } => output(model, *switch, args, *fixed),
        Allowed::Silence => AllowedLine::Silence("quiescent"),
    }
}

fn output<'a>(model: &'a Model, switch: SwitchId, args: &'a [Value], fixed: bool) -> AllowedLine<'a> {
    let s = &model.switches[switch];
    let Label::Gate(gate) = s.label else { return AllowedLine::Hidden { switch: &s.name } };
    let gate = &model.gates[gate];
    let of =
        |(p, value): (&'a Param, &'a Value)| (p.name.as_str(), Valued { sorts: &model.sorts, sort: p.sort, value });
    let args = Named::new(gate.params.iter().zip(args).map(of).collect());
    AllowedLine::Output { switch: &s.name, gate: &gate.name, args, fixed, within: None, ends: None }
}

fn switch<'a>(source: Source<'a>, words: Words<'_>, switch: SwitchId, reasons: &[Reason]) -> SwitchLine<'a> {
    let place = source.checked.spans.switches.get(switch).map(|s| {
        let (line, column) = source.sources.position(s.label);
        PlaceLine { file: &source.sources.file(s.label.file).name, line, column }
    });
    let why = reasons.iter().map(|r| describe(words, switch, r)).collect();
    SwitchLine { switch: &source.checked.model.switches[switch].name, place, why }
}
