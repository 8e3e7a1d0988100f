//! Explorations and paths as documents for programs; `docs/json.md` describes them.

use std::time::Duration;

use serde_json::{Map, Value as Json, json};
use sioco_lang::source::SourceMap;
use sioco_model::{Id, Model};
use sioco_solve::values::Choice;
use sioco_symbolic::{Merge, Options, Order, Step, Stop};

use super::nodes::{NodeText, Walker, label};
use super::path::{Conjunct, Outcome, PathReport, Witness};
use super::statistics::{before_back_end, layers, per_second};
use super::{Explored, summary};

/// The name of the format.
pub const FORMAT: &str = "sioco-explore";
/// The version of the format: it grows when a reader of the one before would be misled.
pub const VERSION: u32 = 1;

/// The exploration; with statistics if the time that it took is given. The document comes in pieces, made one after the
/// other: a large graph makes a document that is far larger than itself.
pub fn exploration<'a>(explored: &Explored<'a>, time: Option<Duration>) -> impl Iterator<Item = String> + use<'a> {
    let explored = *explored;
    let mut fields = fields(&explored);
    if let Some(time) = time {
        fields.insert("stats".into(), statistics(&explored, time));
    }
    fields.insert("doubts".into(), Json::Null);
    fields.insert("nodes".into(), Json::Null);
    let field = move |(i, (name, value)): (usize, (String, Json))| {
        let value: Box<dyn Iterator<Item = String> + 'a> = match name.as_str() {
            "doubts" => Box::new(list(doubts(explored))),
            "nodes" => Box::new(list(nodes(explored))),
            _ => Box::new(std::iter::once(value.to_string())),
        };
        let before = if i == 0 { "{" } else { "," };
        std::iter::once(format!("{before}{}:", Json::from(name))).chain(value)
    };
    fields.into_iter().enumerate().flat_map(field).chain(std::iter::once("}".to_owned()))
}

/// A list in pieces.
fn list(items: impl Iterator<Item = Json>) -> impl Iterator<Item = String> {
    let items = items.enumerate().map(|(i, item)| if i == 0 { item.to_string() } else { format!(",{item}") });
    std::iter::once("[".to_owned()).chain(items).chain(std::iter::once("]".to_owned()))
}

fn doubts(explored: Explored<'_>) -> impl Iterator<Item = Json> {
    let found = explored.found;
    found.doubts.iter().map(|(n, why)| json!({ "node": found.graph.name(*n), "reason": why.to_string() }))
}

fn nodes(explored: Explored<'_>) -> impl Iterator<Item = Json> {
    let Explored { model, found, .. } = explored;
    let graph = &found.graph;
    let mut walker = Walker::new(model, graph);
    graph.ids().map(move |id| {
        let text = walker.text(id);
        json!({
            "id": graph.name(id),
            "parent": graph.parent(id).map(|p| graph.name(p)),
            "step": graph.step(id).map(|s| step(model, s)),
            "depth": graph.depth(id),
            "locations": text.locations,
            "state": state(&text),
            "doubt": graph.is_doubtful(id),
            "rests_on_unknown": graph.rests_on_unknown(id),
            "included_in": graph.included_in(id).map(|n| graph.name(n)),
            "expanded": graph.is_expanded(id),
        })
    })
}

/// The fields that stay small however large the graph is.
fn fields(explored: &Explored<'_>) -> Map<String, Json> {
    let Explored { model, file, options, found, .. } = explored;
    let graph = &found.graph;
    let statuses = explored.statuses();
    let switches: Vec<Json> =
        model.switches.iter().map(|(id, s)| json!({ "name": s.name, "status": statuses[id.index()].name() })).collect();
    let (equal, included) = explored.merged();
    let mut stop = json!({ "reason": stop_name(explored), "text": summary::stop(explored).0 });
    if let (Some(solver), Some(stop)) = (explored.unanswered(), stop.as_object_mut()) {
        stop.insert("unanswered".into(), solver.into());
    }
    let errors: Vec<&String> = explored.model_errors.switches.iter().map(|s| &model.switches[*s].name).collect();
    let counters = json!({
        "nodes": graph.len(),
        "depth": explored.depth(),
        "equal": equal,
        "included": included,
        "doubts": found.doubts.len(),
        "open": graph.frontier().count(),
    });
    let fields = [
        ("format", json!(FORMAT)),
        ("version", json!(VERSION)),
        ("kind", json!("exploration")),
        ("model", json!({ "name": model.name, "file": file })),
        ("options", options_json(options, explored)),
        ("stop", stop),
        ("counters", counters),
        ("switches", switches.into()),
        ("model_errors", json!(errors)),
        ("model_errors_cut", json!(explored.model_errors.cut)),
    ];
    fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// A path.
pub fn path(model: &Model, file: &str, sources: &SourceMap, report: &PathReport) -> Json {
    let mut document = json!({
        "format": FORMAT,
        "version": VERSION,
        "kind": "path",
        "model": { "name": model.name, "file": file },
        "node": report.node,
        "path": report.steps,
        "condition": conjuncts(sources, &report.conditions),
        "symbols": report.symbols.iter().map(|(n, s)| json!({ "name": n, "type": s })).collect::<Vec<_>>(),
        "locations": report.state.locations,
        "state": state(&report.state),
    });
    let Some(object) = document.as_object_mut() else { return document };
    match &report.outcome {
        Outcome::Reachable(witness) => {
            object.insert("result".into(), "reachable".into());
            object.insert("witness".into(), witness_json(witness, &report.steps));
        }
        Outcome::Impossible { at, clash, error } => {
            object.insert("result".into(), "impossible".into());
            object.insert("at".into(), (*at).into());
            object.insert("clash".into(), conjuncts(sources, clash));
            object.insert("model_error".into(), error.as_deref().into());
        }
        Outcome::Unknown { at, reason, asked } => {
            object.insert("result".into(), "unknown".into());
            object.insert("at".into(), (*at).into());
            object.insert("reason".into(), reason.as_str().into());
            object.insert("asked".into(), asked.as_str().into());
        }
    }
    document
}

fn step(model: &Model, step: Step) -> Json {
    let name = |s| model.switches[s].name.as_str();
    match step {
        Step::Switch(s) => json!({ "switch": name(s), "label": label(model, step) }),
        Step::Handshake { send, receive } => {
            json!({ "send": name(send), "receive": name(receive), "label": label(model, step) })
        }
        Step::Delta => json!({ "delta": true }),
        Step::Divergence => json!({ "delta": true, "diverging": true }),
    }
}

fn state(text: &NodeText) -> Json {
    Json::Object(text.state.iter().map(|(n, v)| (n.clone(), Json::from(v.as_str()))).collect())
}

fn stop_name(explored: &Explored<'_>) -> &'static str {
    match explored.found.stop {
        Stop::Complete => "complete",
        Stop::Covered => "covered",
        Stop::Depth => "depth",
        Stop::Nodes => "nodes",
        Stop::Memory => "memory",
        Stop::Cancelled if explored.late => "time",
        Stop::Cancelled => "interrupted",
    }
}

/// What changes the result; the number of workers does not.
fn options_json(options: &Options, explored: &Explored<'_>) -> Json {
    let order = match options.order {
        Order::BreadthFirst => "bfs",
        Order::DepthFirst => "dfs",
    };
    let merge = match options.merge {
        Merge::Nothing => "none",
        Merge::Equal => "equal",
        Merge::Included => "included",
    };
    json!({
        "order": order,
        "merge": merge,
        "delta": options.delta,
        "depth": options.depth,
        "nodes": options.nodes,
        "memory": options.bytes,
        "until_covered": options.until_covered,
        "time": explored.time.map(|t| t.as_secs_f64()),
        "solver": explored.back_end.to_string(),
    })
}

fn statistics(explored: &Explored<'_>, time: Duration) -> Json {
    let counters = &explored.found.counters;
    let layers: Map<String, Json> = layers(explored)
        .into_iter()
        .map(|(name, l)| {
            let key = name.replace([' ', '-'], "_");
            (key, json!({ "asked": l.asked, "sat": l.sat, "unsat": l.unsat, "passed_on": l.passed_on }))
        })
        .collect();
    let inclusion = &counters.inclusion;
    json!({
        "evaluated": counters.evaluated,
        "refuted": counters.refuted,
        "remembered": counters.remembered,
        "asked": counters.asked,
        "layers": layers,
        "percent_before_back_end": before_back_end(explored),
        "solver": explored.solver,
        "inclusion": {
            "compared": inclusion.compared,
            "included": inclusion.included,
            "asked": inclusion.asked,
            "unknown": inclusion.unknown,
        },
        "seconds": time.as_secs_f64(),
        "nodes_per_second": per_second(explored.found.graph.len(), time),
        "bytes": explored.found.bytes,
    })
}

fn conjuncts(sources: &SourceMap, conjuncts: &[Conjunct]) -> Json {
    let of = |c: &Conjunct| {
        let place = c.span.map(|span| {
            let (line, column) = sources.position(span);
            (sources.file(span.file).name.as_str(), line, column)
        });
        let values: Map<String, Json> = c.values.iter().map(|(n, _, v)| (n.clone(), v.clone())).collect();
        json!({
            "text": c.text,
            "step": c.step,
            "switch": c.switch,
            "why": c.why,
            "file": place.map(|p| p.0),
            "line": place.map(|p| p.1),
            "column": place.map(|p| p.2),
            "values": values,
        })
    };
    conjuncts.iter().map(of).collect()
}

fn witness_json(witness: &Witness, steps: &[String]) -> Json {
    let steps: Vec<Json> =
        steps.iter().zip(&witness.values).map(|(step, values)| json!({ "step": step, "values": values })).collect();
    let (choice, seed) = match witness.choice {
        Choice::Min => ("min", None),
        Choice::Max => ("max", None),
        Choice::Middle => ("middle", None),
        Choice::Random(seed) => ("random", Some(seed)),
        Choice::Boundary => ("boundary", None),
    };
    let unbounded: Vec<Json> = witness.unbounded.iter().map(|(s, n)| json!({ "step": s, "name": n })).collect();
    json!({
        "choice": choice,
        "seed": seed,
        "start": witness.start,
        "steps": steps,
        "script": witness.script,
        "unbounded": unbounded,
        "uncertain": witness.uncertain,
    })
}
