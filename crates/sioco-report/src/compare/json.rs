//! Comparisons as documents for programs; `docs/json.md` describes them.

use serde_json::{Value as Json, json};
use sioco_model::model::Model;
use sioco_plan::Event;
use sioco_plan::compare::{Conformance, Cover, Defined, Exchange, Pair, Side};
use sioco_symbolic::Stop;
use sioco_symbolic::stats::Counters;

use super::Comparison;
use crate::value;

/// The name of the format.
pub const FORMAT: &str = "sioco-compare";
/// The version of the format: it grows when a reader of the one before would be misled.
pub const VERSION: u32 = 1;

/// A comparison; `plan` is the document of its tests.
pub fn document(comparison: &Comparison<'_>, plan: Option<&Json>) -> Json {
    let Comparison { spec, implementation, options, found, .. } = comparison;
    let c = &found.composition;
    let (all, paths) = match options.cover {
        Cover::Transitions => ("transitions", None),
        Cover::Inclusion => ("inclusion", None),
        Cover::Length(n) => ("length", Some(n)),
    };
    let transitions = c.transitions.iter().map(|t| {
        json!({
            "from": t.from,
            "to": t.to,
            "gate": spec.0.gates[t.gate].name,
            "defined": defined(t.defined),
            "condition": t.condition,
            "dist_deg": t.dist_deg(),
            "doubt": t.doubt.as_ref().map(ToString::to_string),
        })
    });
    let pairs = c.pairs.iter().map(|p| pair(comparison, p));
    let suite = match &found.suite {
        Ok(suite) => json!({
            "tests": suite.defined.iter().filter(|d| **d != Defined::Impl).count(),
            "probes": suite.defined.iter().filter(|d| **d == Defined::Impl).count(),
            "inputs": suite.inputs,
            "left": suite.left.len(),
            "large": suite.large.iter().map(|(t, n)| json!({ "transition": t, "gate": spec.0.gates[n.gate].name, "part": n.text, "why": n.why })).collect::<Vec<_>>(),
            "open": suite.open.iter().map(|(t, why)| json!({ "transition": t, "reason": why.to_string() })).collect::<Vec<_>>(),
            "plan": plan,
        }),
        Err(none) => json!({
            "no_degree": none.iter().map(|n| json!({ "gate": spec.0.gates[n.gate].name, "part": n.text, "why": n.why })).collect::<Vec<_>>(),
        }),
    };
    json!({
        "format": FORMAT,
        "version": VERSION,
        "spec": { "name": spec.0.name, "file": spec.1 },
        "implementation": { "name": implementation.0.name, "file": implementation.1 },
        "options": {
            "cover": all,
            "length": paths.or(options.length),
            "nodes": options.nodes,
            "uniformity": options.uniformity,
            "seed": options.seed,
        },
        "conformance": conformance(comparison),
        "composition": {
            "states": pairs.collect::<Vec<_>>(),
            "transitions": transitions.collect::<Vec<_>>(),
            "length": c.length,
            "stop": stop(c.stop, comparison.interrupted),
        },
        "suite": suite,
        "undefined": found.undefined.iter().map(|(side, s)| match side {
            Side::Spec => json!({ "model": "spec", "switch": spec.0.switches[*s].name }),
            Side::Impl => json!({ "model": "implementation", "switch": implementation.0.switches[*s].name }),
        }).collect::<Vec<_>>(),
        "work": {
            "conformance": { "pairs": found.work.pairs, "steps": found.work.steps, "together": found.work.together, "solver": solver(&found.asked) },
            "composition": { "steps": c.transitions.len(), "solver": solver(&found.composed) },
            "solver": solver(&found.counters),
        },
    })
}

fn solver(counters: &Counters) -> Json {
    json!({ "asked": counters.asked, "back_end": counters.chain.back_end.asked })
}

fn stop(stop: Stop, interrupted: bool) -> &'static str {
    match stop {
        Stop::Complete | Stop::Covered => "complete",
        Stop::Depth => "length",
        Stop::Nodes | Stop::Memory => "nodes",
        Stop::Cancelled if interrupted => "interrupted",
        Stop::Cancelled => "time",
    }
}

fn defined(by: Defined) -> &'static str {
    match by {
        Defined::Both => "both",
        Defined::Spec => "spec",
        Defined::Impl => "implementation",
    }
}

fn pair(comparison: &Comparison<'_>, pair: &Pair) -> Json {
    let of = |model: &Model, at: &Option<Vec<_>>| {
        at.as_ref().map(|at| at.iter().map(|l| model.location_name(*l)).collect::<Vec<_>>())
    };
    json!({
        "spec": of(comparison.spec.0, &pair.spec),
        "implementation": of(comparison.implementation.0, &pair.implementation),
        "by": pair.by,
        "depth": pair.depth,
    })
}

fn conformance(comparison: &Comparison<'_>) -> Json {
    let model = comparison.spec.0;
    if let Some(reason) = comparison.nothing_compared() {
        return json!({ "result": "unknown", "length": 0, "reason": reason });
    }
    match &comparison.found.conformance {
        Conformance::Conforms { proved, length, stop: why, no_value } => json!({
            "result": "conforms",
            "proved": proved,
            "length": length,
            "stop": stop(*why, comparison.interrupted),
            "no_value": no_value.as_ref().map(|trace| trace.iter().map(|e| exchange(model, e)).collect::<Vec<_>>()),
        }),
        Conformance::Unknown { reason, length } => json!({
            "result": "unknown",
            "length": length,
            "reason": reason.to_string(),
        }),
        Conformance::Differs(difference) => json!({
            "result": "differs",
            "inputs": difference.inputs,
            "perhaps_longer": difference.perhaps_longer,
            "trace": difference.trace.iter().map(|e| exchange(model, e)).collect::<Vec<_>>(),
        }),
    }
}

fn exchange(model: &Model, exchange: &Exchange) -> Json {
    let all = |events: &Vec<Event>| events.iter().map(|e| event(model, e)).collect::<Vec<_>>();
    json!({
        "input": exchange.input.as_ref().map(|e| event(model, e)),
        "implementation": exchange.implementation.as_ref().map(all),
        "spec": exchange.spec.as_ref().map(|answers| answers.iter().map(all).collect::<Vec<_>>()),
        "more": exchange.more,
    })
}

fn event(model: &Model, event: &Event) -> Json {
    let gate = &model.gates[event.gate];
    let args = gate.params.iter().zip(&event.args);
    let args: serde_json::Map<String, Json> =
        args.map(|(p, v)| (p.name.clone(), value::json(&model.sorts, p.sort, v))).collect();
    json!({ "gate": gate.name, "args": args })
}
