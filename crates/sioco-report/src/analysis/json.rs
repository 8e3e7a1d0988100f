//! Findings as JSON, one object a line. `docs/analyses.md` describes it.

use serde_json::{Map, Value as Json, json};
use sioco_model::semantics::State;
use sioco_model::{Model, Value};
use sioco_symbolic::analysis::{Analysis, Control, Determinism, Finding, Reached, Severity, Status, What, Witness};
use sioco_symbolic::{Step, Stop};

use super::words::Words;
use super::{Denied, Source, script};
use crate::diagnostic::place;
use crate::value;

/// The version of this format. Fields may be added without a new one.
pub const VERSION: u32 = 1;

/// The path to a switch is told if it has no more steps than this: those of a long chain would fill gigabytes.
const TOLD_STEPS: usize = 200;

/// The first object: what was analysed.
pub fn head(source: Source<'_>, file: &str) -> Json {
    json!({ "type": "analysis", "version": VERSION, "file": file, "model": source.checked.model.name })
}

/// One finding.
pub fn finding(source: Source<'_>, finding: &Finding, denied: Denied<'_>) -> Json {
    let model = &source.checked.model;
    let words = Words { model, spans: &source.checked.spans };
    let said = words.of(finding);
    let mut object = Map::new();
    object.insert("type".into(), "finding".into());
    object.insert("kind".into(), finding.kind.name().into());
    object.insert("severity".into(), severity(denied.severity(finding)).into());
    object.insert("denied".into(), denied.raises(finding).into());
    let (status, reason) = match &finding.status {
        Status::Shown => ("shown", None),
        Status::Proved => ("proved", None),
        Status::Bounded => ("bounded", None),
        Status::Undecided(reason) => ("undecided", Some(reason.to_string())),
    };
    object.insert("status".into(), status.into());
    object.insert("reason".into(), json!(reason));
    object.insert("message".into(), said.message.into());
    place(&mut object, source.sources, said.labels.first().map(|l| l.span));
    let labels = said.labels.iter().map(|label| {
        let mut object = Map::new();
        place(&mut object, source.sources, Some(label.span));
        object.insert("text".into(), label.text.as_str().into());
        Json::Object(object)
    });
    object.insert("labels".into(), labels.collect());
    object.insert("notes".into(), json!(said.notes));
    let names: Vec<&str> = finding.switches().iter().map(|s| model.switches[*s].name.as_str()).collect();
    object.insert("switches".into(), json!(names));
    let locations: Vec<String> = finding.locations().iter().map(|l| model.location_name(*l)).collect();
    object.insert("locations".into(), json!(locations));
    let gates: Vec<&str> = match &finding.what {
        What::NoInput { gates, .. } => gates.iter().map(|g| model.gates[*g].name.as_str()).collect(),
        What::InputGap { gate, .. } => vec![&model.gates[*gate].name],
        _ => Vec::new(),
    };
    object.insert("gates".into(), json!(gates));
    if let What::Divergence { cycle, .. } = &finding.what {
        object.insert("cycle".into(), names_of(model, cycle));
    }
    object.insert("witness".into(), json!(finding.witness.as_ref().map(|w| witness(model, finding, w))));
    Json::Object(object)
}

fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Information => "information",
    }
}

fn names_of(model: &Model, steps: &[Step]) -> Json {
    steps.iter().map(|s| s.name(model)).collect()
}

fn witness(model: &Model, finding: &Finding, w: &Witness) -> Json {
    let start: Map<String, Json> = (w.path.start.iter())
        .map(|(v, x)| (model.variable_name(*v), value::json(&model.sorts, model.variables[*v].sort, x)))
        .collect();
    let steps: Vec<Json> = (w.path.steps.iter())
        .map(|(step, values)| {
            let args: Vec<Json> = match step.switches().next() {
                Some(s) => {
                    let params = model.switches[s].params.iter().zip(values);
                    params.map(|(p, v)| value::json(&model.sorts, p.sort, v)).collect()
                }
                None => Vec::new(),
            };
            json!({ "step": step.name(model), "args": args })
        })
        .collect();
    json!({
        "start": start,
        "steps": steps,
        "script": script::of(model, finding),
        "state": w.state.as_ref().map(|s| state(model, s)),
        "values": values(model, finding, &w.values),
    })
}

fn state(model: &Model, state: &State) -> Json {
    let variables: Map<String, Json> = (model.variables.iter())
        .filter(|(_, v)| !v.hidden)
        .map(|(id, v)| (model.variable_name(id), value::json(&model.sorts, v.sort, state.value(id))))
        .collect();
    let locations: Vec<String> = state.locations().iter().map(|l| model.location_name(*l)).collect();
    json!({ "locations": locations, "variables": variables })
}

/// The values of the parameters that the finding is about.
fn values(model: &Model, finding: &Finding, values: &[Option<Value>]) -> Json {
    let switch = match &finding.what {
        What::Undefined { step, .. } => step.switches().next(),
        _ => finding.switches().first().copied(),
    };
    let Some(switch) = switch else { return json!([]) };
    let params = model.switches[switch].params.iter().zip(values);
    params.map(|(p, v)| v.as_ref().map_or(Json::Null, |v| value::json(&model.sorts, p.sort, v))).collect()
}

/// What is known about every switch, an object each.
pub fn switches<'a>(source: Source<'a>, analysis: &'a Analysis) -> impl Iterator<Item = Json> + 'a {
    let model = &source.checked.model;
    model.switches.iter().zip(&analysis.switches).map(move |((_, s), reached)| {
        let (state, path, reason) = match reached {
            Reached::Taken(node) => ("taken", Some(*node), None),
            Reached::Never => ("never", None, None),
            Reached::NotWithin => ("not reached", None, None),
            Reached::Unknown(reason) => ("undecided", None, Some(reason.to_string())),
        };
        let graph = &analysis.exploration.graph;
        let steps = path.map(|node| graph.depth(node));
        let told = path.filter(|node| graph.depth(*node) <= TOLD_STEPS);
        let path = told.map(|node| names_of(model, &graph.path(node)));
        json!({ "type": "switch", "switch": s.name, "state": state, "steps": steps, "path": path, "reason": reason })
    })
}

/// The last object.
pub fn summary(source: Source<'_>, analysis: &Analysis, denied: Denied<'_>) -> Json {
    let model = &source.checked.model;
    let of = |severity: Severity| analysis.findings.iter().filter(|f| denied.severity(f) == severity).count();
    let graph = &analysis.exploration.graph;
    let stop = match analysis.exploration.stop {
        _ if analysis.late => "time",
        _ if analysis.cancelled => "interrupted",
        Stop::Complete => "complete",
        Stop::Covered => "covered",
        Stop::Depth => "depth",
        Stop::Nodes => "nodes",
        Stop::Memory => "memory",
        Stop::Cancelled => "time",
    };
    let deterministic = analysis.determinism.map(|d| match d {
        Determinism::Proved => "proved",
        Determinism::No => "no",
        Determinism::NotFound => "bounded",
        Determinism::Undecided | Determinism::Undefined(_) => "undecided",
    });
    let controllable = analysis.control.as_ref().map(|c| match c {
        Control::NothingFree | Control::Proved => "proved",
        Control::No { .. } => "no",
        Control::NotFound => "bounded",
    });
    let decided_by = analysis.control.as_ref().and_then(|c| match c {
        Control::No { variable, switch, path } => Some(json!({
            "variable": model.variable_name(*variable),
            "switch": model.switches[*switch].name,
            "path": names_of(model, path),
        })),
        _ => None,
    });
    json!({
        "type": "summary",
        "errors": of(Severity::Error),
        "denied": analysis.findings.iter().filter(|f| denied.raises(f)).count(),
        "warnings": of(Severity::Warning),
        "information": of(Severity::Information),
        "nodes": graph.len(),
        "states": graph.ids().filter(|n| graph.included_in(*n).is_none()).count(),
        "complete": analysis.complete(),
        "stop": stop,
        "deterministic": deterministic,
        "internal_choices": analysis.internal_choices,
        "controllable": controllable,
        "decided_by": decided_by,
    })
}
