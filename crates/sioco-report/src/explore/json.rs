//! Explorations and paths as documents for programs; `docs/json.md` describes them.

use std::time::Duration;

use serde_json::{Map, Value as Json};
use sioco_lang::source::SourceMap;
use sioco_model::{Id, Model};
use sioco_plan::value::{Named, tree};
use sioco_solve::values::Choice;
use sioco_symbolic::{ExploreOptions, Merge, Order, Step, Stop};

use super::nodes::{Walker, label};
use super::path::{Conjunct, PathOutcome, PathReport, Witness};
use super::shape::{
    ConjunctLine, CountersLine, DoubtLine, ExplorationLine, HeadLine, InclusionLine, LayerLine, ModelLine, NodeLine,
    OptionsLine, PathLine, PathStepLine, ResultLine, StatisticsLine, StepLine, StopLine, SwitchLine, SymbolLine,
    UnboundedLine, WitnessLine,
};
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
    let fields = match tree(&small(&explored, time)) {
        Json::Object(fields) => fields,
        _ => Map::new(),
    };
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
    found.doubts.iter().map(|(n, why)| tree(&DoubtLine { node: found.graph.name(*n), reason: why.to_string() }))
}

fn nodes(explored: Explored<'_>) -> impl Iterator<Item = Json> {
    let Explored { model, found, .. } = explored;
    let graph = &found.graph;
    let mut walker = Walker::new(model, graph);
    graph.ids().map(move |id| {
        let text = walker.text(id);
        tree(&NodeLine {
            id: graph.name(id),
            parent: graph.parent(id).map(|p| graph.name(p)),
            step: graph.step(id).map(|s| step(model, s)),
            depth: graph.depth(id),
            locations: text.locations,
            state: Named::new(text.state),
            doubt: graph.is_doubtful(id),
            rests_on_unknown: graph.rests_on_unknown(id),
            included_in: graph.included_in(id).map(|n| graph.name(n)),
            expanded: graph.is_expanded(id),
        })
    })
}

fn head<'a>(model: &'a Model, file: &'a str, kind: &'static str) -> HeadLine<'a> {
    HeadLine { format: FORMAT, version: VERSION, kind, model: ModelLine { name: &model.name, file } }
}

/// The fields that stay small however large the graph is; the others are empty.
fn small<'a>(explored: &Explored<'a>, time: Option<Duration>) -> ExplorationLine<'a> {
    let Explored { model, file, options, found, .. } = *explored;
    let graph = &found.graph;
    let statuses = explored.statuses();
    let switches = (model.switches.iter())
        .map(|(id, s)| SwitchLine { name: &s.name, status: statuses[id.index()].name() })
        .collect();
    let (equal, included) = explored.merged();
    let errors = explored.model_errors.switches.iter().map(|s| model.switches[*s].name.as_str());
    ExplorationLine {
        head: head(model, file, "exploration"),
        options: options_line(options, explored),
        stop: StopLine {
            reason: stop_name(explored),
            text: summary::stop(explored).0.to_string(),
            unanswered: explored.unanswered(),
        },
        counters: CountersLine {
            nodes: graph.len(),
            depth: explored.depth(),
            equal,
            included,
            doubts: found.doubts.len(),
            open: graph.frontier().count(),
        },
        switches,
        model_errors: errors.collect(),
        model_errors_cut: explored.model_errors.cut,
        stats: time.map(|time| statistics(explored, time)),
        doubts: Vec::new(),
        nodes: Vec::new(),
    }
}

/// A path.
pub fn path(model: &Model, file: &str, sources: &SourceMap, report: &PathReport) -> Json {
    let result = match &report.outcome {
        PathOutcome::Reachable(witness) => ResultLine::Reachable { witness: witness_line(witness, &report.steps) },
        PathOutcome::Impossible { at, clash, error } => {
            ResultLine::Impossible { at: *at, clash: conjuncts(sources, clash), model_error: error.as_deref() }
        }
        PathOutcome::Unknown { at, reason, asked } => ResultLine::Unknown { at: *at, reason, asked },
    };
    let state = report.state.state.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    tree(&PathLine {
        head: head(model, file, "path"),
        node: report.node.as_deref(),
        path: &report.steps,
        condition: conjuncts(sources, &report.conditions),
        symbols: report.symbols.iter().map(|(name, sort)| SymbolLine { name, sort }).collect(),
        locations: &report.state.locations,
        state: Named::new(state.collect()),
        result,
    })
}

fn step(model: &Model, step: Step) -> StepLine<'_> {
    let name = |s| model.switches[s].name.as_str();
    match step {
        Step::Switch(s) => StepLine::Switch { switch: name(s), label: label(model, step) },
        Step::Handshake { send, receive } => {
            StepLine::Handshake { send: name(send), receive: name(receive), label: label(model, step) }
        }
        Step::Delta => StepLine::Silence { delta: true, diverging: false },
        Step::Divergence => StepLine::Silence { delta: true, diverging: true },
    }
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
fn options_line(options: &ExploreOptions, explored: &Explored<'_>) -> OptionsLine {
    let order = match options.order {
        Order::BreadthFirst => "bfs",
        Order::DepthFirst => "dfs",
    };
    let merge = match options.merge {
        Merge::Nothing => "none",
        Merge::Equal => "equal",
        Merge::Included => "included",
    };
    OptionsLine {
        order,
        merge,
        delta: options.delta,
        depth: options.depth,
        nodes: options.nodes,
        memory: options.bytes,
        until_covered: options.until_covered,
        time: explored.time.map(|t| t.as_secs_f64()),
        solver: explored.back_end.to_string(),
    }
}

fn statistics<'a>(explored: &Explored<'a>, time: Duration) -> StatisticsLine<'a> {
    let counters = &explored.found.counters;
    let layers = layers(explored).into_iter().map(|(name, l)| {
        let line = LayerLine { asked: l.asked, sat: l.sat, unsat: l.unsat, passed_on: l.passed_on };
        (name.replace([' ', '-'], "_"), line)
    });
    let inclusion = &counters.inclusion;
    StatisticsLine {
        evaluated: counters.evaluated,
        refuted: counters.refuted,
        remembered: counters.remembered,
        asked: counters.asked,
        layers: Named::new(layers.collect()),
        percent_before_back_end: before_back_end(explored),
        solver: explored.solver,
        inclusion: InclusionLine {
            compared: inclusion.compared,
            included: inclusion.included,
            asked: inclusion.asked,
            unknown: inclusion.unknown,
        },
        seconds: time.as_secs_f64(),
        nodes_per_second: per_second(explored.found.graph.len(), time),
        bytes: explored.found.bytes,
    }
}

fn conjuncts<'a>(sources: &'a SourceMap, conjuncts: &'a [Conjunct]) -> Vec<ConjunctLine<'a>> {
    let of = |c: &'a Conjunct| {
        let place = c.span.map(|span| {
            let (line, column) = sources.position(span);
            (sources.file(span.file).name.as_str(), line, column)
        });
        ConjunctLine {
            text: &c.text,
            step: c.step,
            switch: c.switch.as_deref(),
            why: &c.why,
            file: place.map(|p| p.0),
            line: place.map(|p| p.1),
            column: place.map(|p| p.2),
            values: Named::new(c.values.iter().map(|(n, _, v)| (n.as_str(), v)).collect()),
        }
    };
    conjuncts.iter().map(of).collect()
}

fn witness_line<'a>(witness: &'a Witness, steps: &'a [String]) -> WitnessLine<'a> {
    let (choice, seed) = match witness.choice {
        Choice::Min => ("min", None),
        Choice::Max => ("max", None),
        Choice::Middle => ("middle", None),
        Choice::Random(seed) => ("random", Some(seed)),
        Choice::Boundary => ("boundary", None),
    };
    let steps = steps.iter().zip(&witness.values);
    WitnessLine {
        choice,
        seed,
        start: &witness.start,
        steps: steps.map(|(step, values)| PathStepLine { step, values }).collect(),
        script: &witness.script,
        unbounded: witness.unbounded.iter().map(|(step, name)| UnboundedLine { step: *step, name }).collect(),
        uncertain: witness.uncertain,
    }
}
