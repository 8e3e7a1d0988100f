//! Comparisons as documents for programs; `docs/json.md` describes them.

use serde_json::Value as Json;
use sioco_model::model::Model;
use sioco_plan::Event;
use sioco_plan::compare::{Conformance, Cover, Defined, Exchange, NoDegree, Pair, Side};
use sioco_plan::file::{event, shape::EventLine};
use sioco_plan::value::tree;
use sioco_symbolic::Stop;
use sioco_symbolic::stats::Counters;

use super::Comparison;
use super::shape::{
    ComparisonLine, ComposedLine, CompositionLine, ConformanceLine, ExchangeLine, LargeLine, NamedLine, NoDegreeLine,
    OpenLine, OptionsLine, PairLine, SearchLine, SolverLine, SuiteLine, TransitionLine, UndefinedLine, WorkLine,
};

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
    let transitions = c.transitions.iter().map(|t| TransitionLine {
        from: t.from,
        to: t.to,
        gate: &spec.0.gates[t.gate].name,
        defined: defined(t.defined),
        condition: &t.condition,
        dist_deg: t.dist_deg(),
        doubt: t.doubt.as_ref().map(ToString::to_string),
    });
    tree(&ComparisonLine {
        format: FORMAT,
        version: VERSION,
        spec: NamedLine { name: &spec.0.name, file: spec.1 },
        implementation: NamedLine { name: &implementation.0.name, file: implementation.1 },
        options: OptionsLine {
            cover: all,
            length: paths.or(options.length),
            nodes: options.nodes,
            uniformity: options.uniformity,
            seed: options.seed,
        },
        conformance: conformance(comparison),
        composition: CompositionLine {
            states: c.pairs.iter().map(|p| pair(comparison, p)).collect(),
            transitions: transitions.collect(),
            length: c.length,
            stop: stop(c.stop, comparison.interrupted),
        },
        suite: suite(comparison, plan),
        undefined: (found.undefined.iter())
            .map(|(side, s)| match side {
                Side::Spec => UndefinedLine { model: "spec", switch: &spec.0.switches[*s].name },
                Side::Impl => UndefinedLine { model: "implementation", switch: &implementation.0.switches[*s].name },
            })
            .collect(),
        work: WorkLine {
            conformance: SearchLine {
                pairs: found.work.pairs,
                steps: found.work.steps,
                together: found.work.together,
                solver: solver(&found.asked),
            },
            composition: ComposedLine { steps: c.transitions.len(), solver: solver(&found.composed) },
            solver: solver(&found.counters),
        },
    })
}

fn suite<'a>(comparison: &Comparison<'a>, plan: Option<&'a Json>) -> SuiteLine<'a> {
    let spec = comparison.spec.0;
    let output = |n: &'a NoDegree| NoDegreeLine { gate: &spec.gates[n.gate].name, part: &n.text, why: &n.why };
    match &comparison.found.suite {
        Ok(suite) => SuiteLine::Made {
            tests: suite.defined.iter().filter(|d| **d != Defined::Impl).count(),
            probes: suite.defined.iter().filter(|d| **d == Defined::Impl).count(),
            inputs: suite.inputs,
            left: suite.left.len(),
            large: suite.large.iter().map(|(t, n)| LargeLine { transition: *t, output: output(n) }).collect(),
            open: (suite.open.iter()).map(|(t, why)| OpenLine { transition: *t, reason: why.to_string() }).collect(),
            plan,
        },
        Err(none) => SuiteLine::None { no_degree: none.iter().map(output).collect() },
    }
}

fn solver(counters: &Counters) -> SolverLine {
    SolverLine { asked: counters.asked, back_end: counters.chain.back_end.asked }
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

fn pair(comparison: &Comparison<'_>, pair: &Pair) -> PairLine {
    let of = |model: &Model, at: &Option<Vec<_>>| {
        at.as_ref().map(|at| at.iter().map(|l| model.location_name(*l)).collect::<Vec<_>>())
    };
    PairLine {
        spec: of(comparison.spec.0, &pair.spec),
        implementation: of(comparison.implementation.0, &pair.implementation),
        by: pair.by,
        depth: pair.depth,
    }
}

fn conformance<'a>(comparison: &Comparison<'a>) -> ConformanceLine<'a> {
    let model = comparison.spec.0;
    if let Some(reason) = comparison.nothing_compared() {
        return ConformanceLine::Unknown { length: 0, reason: reason.to_string() };
    }
    match &comparison.found.conformance {
        Conformance::Conforms { proved, length, stop: why, no_value } => ConformanceLine::Conforms {
            proved: *proved,
            length: *length,
            stop: stop(*why, comparison.interrupted),
            no_value: no_value.as_ref().map(|trace| trace.iter().map(|e| exchange(model, e)).collect()),
        },
        Conformance::Unknown { reason, length } => {
            ConformanceLine::Unknown { length: *length, reason: reason.to_string() }
        }
        Conformance::Differs(difference) => ConformanceLine::Differs {
            inputs: difference.inputs,
            perhaps_longer: difference.perhaps_longer,
            trace: difference.trace.iter().map(|e| exchange(model, e)).collect(),
        },
    }
}

fn exchange<'a>(model: &'a Model, exchange: &'a Exchange) -> ExchangeLine<'a> {
    let all = |events: &'a Vec<Event>| -> Vec<EventLine<'a>> { events.iter().map(|e| event(model, e)).collect() };
    ExchangeLine {
        input: exchange.input.as_ref().map(|e| event(model, e)),
        implementation: exchange.implementation.as_ref().map(all),
        spec: exchange.spec.as_ref().map(|answers| answers.iter().map(all).collect()),
        more: exchange.more,
    }
}
