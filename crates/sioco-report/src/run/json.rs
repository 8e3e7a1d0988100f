//! What a campaign came to, for programs; `docs/journal.md` describes the lines.

use serde_json::{Value as Json, json};
use sioco_exec::explanation::{Allowed, Explanation, Narrowed, Offer, Values};
use sioco_exec::journal;
use sioco_exec::record::Waiting;
use sioco_exec::verdict::{Cause, Verdict};
use sioco_model::model::{Label, Model};
use sioco_model::semantics::explain::Reason;
use sioco_model::{Id, SwitchId, Value};

use super::code::Code;
use super::summary::{Campaign, Share, coverage, unplanned};
use super::words::cause as in_words;
use crate::analysis::Source;
use crate::value;
use crate::words::{Words, describe};

/// The last line of a campaign.
pub fn summary(campaign: &Campaign<'_>, exit: u8) -> Json {
    let (model, s) = (&campaign.source.checked.model, campaign.summary);
    let (switches, locations) = coverage(model, s, campaign.plan);
    let purposes: Vec<Json> = (s.purposes.iter().enumerate())
        .map(|(i, p)| {
            json!({
                "purpose": i,
                "switches": super::ways::names(model, campaign.plan, i),
                "verdict": p.verdict.map(Verdict::name),
                "cause": p.cause.as_ref().map(|c| journal::cause(model, c)),
                "alone": p.alone,
                "doubt": p.doubt,
                "attempts": p.attempts,
                "otherwise": p.otherwise,
                "run": p.run,
            })
        })
        .collect();
    let bad: Vec<Json> = (s.bad.iter())
        .map(|b| {
            json!({
                "run": b.run,
                "verdict": b.verdict.name(),
                "code": code(&b.cause),
                "cause": journal::cause(model, &b.cause),
                "message": in_words(model, &b.cause),
                "steps": b.steps,
                "explanation": b.explanation.as_ref().map(|e| explanation(campaign.source, e)),
                "shrunk": campaign.shrunk.iter().find(|s| s.found.run == b.run).map(|s| s.json(campaign.source)),
            })
        })
        .collect();
    let switches_taken: Vec<Json> = (model.switches.iter())
        .map(|(id, switch)| json!({ "switch": switch.name, "taken": taken(s.surely(id), s.possibly(id)) }))
        .collect();
    let reached: Vec<Json> = (model.locations.ids().filter(|l| !model.locations[*l].hidden))
        .map(|l| {
            let (surely, possibly) = s.locations.get(l.index()).copied().unwrap_or_default();
            json!({ "location": model.location_name(l), "reached": taken(surely, possibly) })
        })
        .collect();
    let gates: Vec<Json> =
        campaign.gates.iter().map(|g| json!({ "gate": g.text, "percent": g.percent, "met": g.met })).collect();
    let open: Vec<Json> = (campaign.reasons.most_frequent_first().into_iter())
        .map(|(why, runs)| {
            let cause = Cause::Open(why.clone());
            json!({ "runs": runs, "cause": journal::cause(model, &cause), "message": in_words(model, &cause) })
        })
        .collect();
    json!({
        "type": "summary",
        "verdict": s.verdict.map(Verdict::name),
        "exit": exit,
        "end": s.end.name(),
        "waiting": s.waiting.map(Waiting::name),
        "runs": runs(s.runs),
        "probing": s.probing,
        "unbegun": s.unbegun,
        "steps": s.steps,
        "inputs": s.inputs,
        "coverage": {
            "switches": share(&switches),
            "locations": share(&locations),
            "taken": switches_taken,
            "reached": reached,
        },
        "unplanned": unplanned(campaign.plan).map_or(0, |(open, _)| open),
        "cut": campaign.plan.map_or(0, |p| p.counts.cut),
        "unfinished": campaign.plan.map_or(0, |p| p.counts.unfinished),
        "length": campaign.plan.and_then(super::shorter::json),
        "purposes": purposes,
        "probes": super::probes::json(model, &s.probes),
        "bad": bad,
        "open": open,
        "gates": gates,
        "deadlocks": super::dead_end::json(campaign),
        "clock": super::clock::json(campaign),
        "pauses": {
            "longest_us": u64::try_from(s.pauses.longest.as_micros()).unwrap_or(u64::MAX),
            "run": s.pauses.at.0,
            "step": s.pauses.at.1,
            "solved": s.pauses.solved,
            "hurried": s.pauses.hurried,
        },
        "withdrawn": s.withdrawn,
        "hidden": s.hidden,
        "late": s.late.iter().map(|(gate, n)| json!({ "gate": gate.map(|g| &model.gates[g].name), "times": n }))
            .collect::<Vec<_>>(),
        "stale": s.stale,
        "unheard": s.unheard,
        "unheard_crashes": s.unheard_crashes,
        "odd": s.remarks,
        "unknown": s.unknown,
        "seed": campaign.seed,
        "time_us": campaign.took.map(|t| u64::try_from(t.as_micros()).unwrap_or(u64::MAX)),
        "planned_us": campaign.planned.map(|t| u64::try_from(t.as_micros()).unwrap_or(u64::MAX)),
        "journal": campaign.journal,
        "replay": campaign.replay,
    })
}

/// Runs by verdict.
pub fn runs(runs: [u64; 5]) -> Json {
    let [pass, weak, inconclusive, error, fail] = runs;
    json!({ "pass": pass, "weak pass": weak, "inconclusive": inconclusive, "error": error, "fail": fail })
}

fn taken(surely: bool, possibly: bool) -> &'static str {
    match (surely, possibly) {
        (true, _) => "surely",
        (_, true) => "possibly",
        _ => "no",
    }
}

fn share(share: &Share) -> Json {
    json!({
        "surely": share.surely,
        "possibly": share.possibly,
        "feasible": share.feasible,
        "infeasible": share.infeasible,
    })
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
    let words = Words { checked: source.checked, sources: source.sources };
    let model = words.model();
    let hypotheses: Vec<Json> = (explanation.hypotheses.iter())
        .map(|left| {
            let allowed: Vec<Json> = left.allowed.iter().map(|a| allowed(model, a)).collect();
            let switches: Vec<Json> = left.switches.iter().map(|(s, reasons)| switch(words, *s, reasons)).collect();
            let under_way: Vec<_> = left.under_way.iter().map(|input| journal::gate_value(model, input)).collect();
            json!({ "state": left.shown, "under_way": under_way, "allowed": allowed, "switches": switches })
        })
        .collect();
    let mut all: Vec<Json> = explanation.offers.iter().map(|o| offer(model, o)).collect();
    all.extend(explanation.silence.then(|| json!("quiescent")));
    let narrowed = |n: &Narrowed| {
        let input = journal::gate_value(model, &n.input);
        json!({ "input": input, "only": n.only, "kept": n.kept, "ended": n.ended })
    };
    let narrowed: Vec<Json> = explanation.narrowed.iter().map(narrowed).collect();
    let more = explanation.more;
    json!({ "all": explanation.all, "allowed": all, "more": more, "hypotheses": hypotheses, "narrowed": narrowed })
}

/// An output that some hypothesis allows.
fn offer(model: &Model, offer: &Offer) -> Json {
    let fixed = offer.values == Values::Only;
    let mut found = allowed(model, &Allowed::Output { switch: offer.switch, args: offer.args.clone(), fixed });
    let name =
        |param: usize| model.switches[offer.switch].params.get(param).map(|p| p.name.clone()).unwrap_or_default();
    match &offer.values {
        Values::Within { param, parts } => found["within"] = json!({ "param": name(*param), "parts": parts }),
        Values::Some { ends: Some((param, least, greatest)) } => {
            let sort = model.switches[offer.switch].params[*param].sort;
            let show = |v: &Value| value::json(&model.sorts, sort, v);
            found["ends"] = json!({ "param": name(*param), "least": show(least), "greatest": show(greatest) });
        }
        Values::Only | Values::Some { ends: None } => {}
    }
    found
}

fn allowed(model: &Model, allowed: &Allowed) -> Json {
    let Allowed::Output { switch, args, fixed } = allowed else { return json!("quiescent") };
    let s = &model.switches[*switch];
    let Label::Gate(gate) = s.label else { return json!({ "switch": s.name }) };
    let gate = &model.gates[gate];
    let of = |(p, v): (&sioco_model::model::Param, &Value)| (p.name.clone(), value::json(&model.sorts, p.sort, v));
    let args: serde_json::Map<String, Json> = gate.params.iter().zip(args).map(of).collect();
    json!({ "switch": s.name, "gate": gate.name, "args": args, "fixed": fixed })
}

fn switch(words: Words<'_>, switch: SwitchId, reasons: &[Reason]) -> Json {
    let place = words.checked.spans.switches.get(switch).map(|s| {
        let (line, column) = words.sources.position(s.label);
        json!({ "file": words.sources.file(s.label.file).name, "line": line, "column": column })
    });
    let why: Vec<String> = reasons.iter().map(|r| describe(words, switch, r)).collect();
    json!({ "switch": words.model().switches[switch].name, "place": place, "why": why })
}
