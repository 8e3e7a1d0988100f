//! Findings as JSON, one object a line. `docs/analyses.md` describes it.

use serde_json::Value as Json;
use sioco_model::semantics::State;
use sioco_model::{Model, Value};
use sioco_plan::value::{Named, Valued, tree};
use sioco_symbolic::analysis::{Analysis, Control, Determinism, Finding, Reached, Severity, Status, What, Witness};
use sioco_symbolic::{Step, Stop};

use super::shape::{DecidedLine, FindingLine, HeadLine, StateLine, StepLine, SummaryLine, SwitchLine, WitnessLine};
use super::words::Words;
use super::{Denied, Source, script};
use crate::diagnostic::{LabelLine, place};

/// The version of this format. Fields may be added without a new one.
pub const VERSION: u32 = 1;

/// The path to a switch is told if it has no more steps than this: those of a long chain would fill gigabytes.
const TOLD_STEPS: usize = 200;

/// The first object: what was analysed.
pub fn head(source: Source<'_>, file: &str) -> Json {
    tree(&HeadLine { kind: "analysis", version: VERSION, file, model: &source.checked.model.name })
}

/// One finding.
pub fn finding(source: Source<'_>, finding: &Finding, denied: Denied<'_>) -> Json {
    let model = &source.checked.model;
    let words = Words { model, spans: &source.checked.spans };
    let said = words.of(finding);
    let (status, reason) = match &finding.status {
        Status::Shown => ("shown", None),
        Status::Proved => ("proved", None),
        Status::Bounded => ("bounded", None),
        Status::Undecided(reason) => ("undecided", Some(reason.to_string())),
    };
    let gates = match &finding.what {
        What::NoInput { gates, .. } => gates.iter().map(|g| model.gates[*g].name.as_str()).collect(),
        What::InputGap { gate, .. } => vec![model.gates[*gate].name.as_str()],
        _ => Vec::new(),
    };
    let cycle = match &finding.what {
        What::Divergence { cycle, .. } => Some(names_of(model, cycle)),
        _ => None,
    };
    let labels = said.labels.iter();
    tree(&FindingLine {
        object: "finding",
        kind: finding.kind.name(),
        severity: severity(denied.severity(finding)),
        denied: denied.raises(finding),
        status,
        reason,
        place: place(source.sources, said.labels.first().map(|l| l.span)),
        labels: labels
            .map(|label| LabelLine { place: place(source.sources, Some(label.span)), text: label.text.clone() })
            .collect(),
        message: said.message,
        notes: said.notes,
        switches: finding.switches().iter().map(|s| model.switches[*s].name.as_str()).collect(),
        locations: finding.locations().iter().map(|l| model.location_name(*l)).collect(),
        gates,
        cycle,
        script: None,
        witness: finding.witness.as_ref().map(|w| witness(model, finding, w)),
    })
}

fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Information => "information",
    }
}

fn names_of(model: &Model, steps: &[Step]) -> Vec<String> {
    steps.iter().map(|s| s.name(model)).collect()
}

fn witness<'a>(model: &'a Model, finding: &Finding, w: &'a Witness) -> WitnessLine<'a> {
    let sorts = &model.sorts;
    let start = w
        .path
        .start
        .iter()
        .map(|(v, value)| (model.variable_name(*v), Valued { sorts, sort: model.variables[*v].sort, value }));
    let steps = w.path.steps.iter().map(|(step, values)| {
        let params = step.switches().next().map_or(&[][..], |s| &model.switches[s].params);
        let args = params.iter().zip(values).map(|(p, value)| Valued { sorts, sort: p.sort, value });
        StepLine { step: step.name(model), args: args.collect() }
    });
    WitnessLine {
        start: Named::new(start.collect()),
        steps: steps.collect(),
        script: script::of(model, finding),
        state: w.state.as_ref().map(|s| state(model, s)),
        values: values(model, finding, &w.values),
    }
}

fn state<'a>(model: &'a Model, state: &'a State) -> StateLine<'a> {
    let variables = (model.variables.iter())
        .filter(|(_, v)| !v.hidden)
        .map(|(id, v)| (model.variable_name(id), Valued { sorts: &model.sorts, sort: v.sort, value: state.value(id) }));
    let locations = state.locations().iter().map(|l| model.location_name(*l)).collect();
    StateLine { locations, variables: Named::new(variables.collect()) }
}

/// The values of the parameters that the finding is about.
fn values<'a>(model: &'a Model, finding: &Finding, values: &'a [Option<Value>]) -> Vec<Option<Valued<'a>>> {
    let switch = match &finding.what {
        What::Undefined { step, .. } => step.switches().next(),
        _ => finding.switches().first().copied(),
    };
    let Some(switch) = switch else { return Vec::new() };
    let params = model.switches[switch].params.iter().zip(values);
    params.map(|(p, v)| v.as_ref().map(|value| Valued { sorts: &model.sorts, sort: p.sort, value })).collect()
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
        tree(&SwitchLine { kind: "switch", switch: &s.name, state, steps, path, reason })
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
        Control::No { variable, switch, path } => Some(DecidedLine {
            variable: model.variable_name(*variable),
            switch: &model.switches[*switch].name,
            path: names_of(model, path),
        }),
        _ => None,
    });
    tree(&SummaryLine {
        kind: "summary",
        errors: of(Severity::Error),
        denied: analysis.findings.iter().filter(|f| denied.raises(f)).count(),
        warnings: of(Severity::Warning),
        information: of(Severity::Information),
        nodes: graph.len(),
        states: graph.ids().filter(|n| graph.included_in(*n).is_none()).count(),
        complete: analysis.complete(),
        stop,
        deterministic,
        internal_choices: analysis.internal_choices,
        controllable,
        decided_by,
    })
}
