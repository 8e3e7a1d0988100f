//! Making a plan.

use std::fmt;

use sioco_model::model::Direction;
use sioco_model::{Id, Model, SwitchId};
use sioco_symbolic::analysis::{self, Analysis, Control, Determinism, Kind};
use sioco_symbolic::explore::{Exploration, Progress};
use sioco_symbolic::graph::Graph;
use sioco_symbolic::path::{Path, Shortcuts, SolverFactory};

use crate::cover::Cover;
use crate::plan::{Options, Plan, Steering};
use crate::steps;
use crate::walker::Walker;

/// Why there is no plan.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PlanError {
    /// The model has no purpose of this name.
    NoSuchPurpose {
        /// The name.
        name: String,
        /// Those that it has.
        known: Vec<String>,
    },
}

impl fmt::Display for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlanError::NoSuchPurpose { name, known } if known.is_empty() => {
                write!(f, "there is no purpose `{name}`: this model has none; write `purpose {name} {{ … }}` in it")
            }
            PlanError::NoSuchPurpose { name, known } => {
                write!(f, "there is no purpose `{name}` in this model; there is {}", known.join(", "))
            }
        }
    }
}

impl std::error::Error for PlanError {}

/// How many nodes are looked at to find out whether a run can be inconclusive.
const STEERING: usize = 1_000;

/// Makes a plan for a model.
pub fn plan(
    model: &Model,
    solvers: SolverFactory<'_>,
    options: &Options,
    progress: &mut dyn FnMut(Progress),
) -> Result<Plan, PlanError> {
    let path = Path::with(model, solvers, Shortcuts::default(), options.limits.clone());
    let mut walker = Walker::new(path);
    let mut graph = None;
    let mut plan = match &options.cover {
        Cover::Switch | Cover::Location => {
            let locations = options.cover == Cover::Location;
            let found = steps::cover(model, solvers, options, locations, &mut walker, progress);
            graph = Some(found.exploration);
            Plan {
                cover: options.cover.clone(),
                strict: options.strict,
                goals: found.goals,
                purposes: found.purposes,
                length: None,
                steering: None,
                stop: found.stop,
                counts: found.counts,
            }
        }
        _ => unreachable!("to come"),
    };
    if options.split {
        plan.purposes = plan.purposes.iter().flat_map(|p| p.split()).collect();
    }
    if options.steering {
        plan.steering = Some(steering(model, solvers, options, graph));
    }
    Ok(plan)
}

/// Finds out whether a run can be inconclusive (S4 section 3.2): on the graph that there is, and further on if that leaves
/// it open.
fn steering(model: &Model, solvers: SolverFactory<'_>, options: &Options, graph: Option<Exploration>) -> Steering {
    let analysis = analysis::Options {
        kinds: vec![Kind::Nondeterminism],
        depth: options.depth,
        nodes: options.nodes.min(STEERING),
        workers: options.workers,
        enough: options.enough.clone(),
        limits: options.limits.clone(),
        ..Default::default()
    };
    let of = |found: Analysis| {
        let (choices, values) = choices(model, &found.exploration.graph);
        Steering {
            complete: found.complete(),
            determinism: found.determinism.unwrap_or(Determinism::NotFound),
            control: found.control.unwrap_or(Control::NotFound),
            choices,
            values,
        }
    };
    let small = graph.filter(|g| g.graph.len() <= STEERING);
    let first = small.map(|graph| of(analysis::examine(model, solvers, &analysis, graph)));
    // What was found once is found for good.
    let settled =
        |s: &Steering| s.determinism == Determinism::No || matches!(s.control, Control::No { .. }) || s.choices > 0;
    match first {
        Some(first) if first.complete || settled(&first) => first,
        _ => of(analysis::analyze(model, solvers, &analysis, &mut |_| {})),
    }
}

/// Where the system decides: in how many states, and which outputs have values of its choice.
fn choices(model: &Model, graph: &Graph) -> (usize, Vec<SwitchId>) {
    let (mut own, mut inputs) = (vec![0u32; graph.len()], vec![false; graph.len()]);
    let mut values = vec![false; model.switches.len()];
    for node in graph.ids() {
        let (Some(parent), Some(step)) = (graph.parent(node), graph.step(node)) else { continue };
        own[parent.index()] += u32::from(step.is_own(model));
        inputs[parent.index()] |= !step.is_own(model) && !step.is_silence();
        for s in step.switches().filter(|s| model.direction(*s) == Some(Direction::Output)) {
            values[s.index()] |= model.switches[s].params.iter().any(|p| p.term.is_none());
        }
    }
    let states = (0..graph.len()).filter(|n| own[*n] > 1 || (own[*n] == 1 && inputs[*n])).count();
    (states, model.switches.ids().filter(|s| values[s.index()]).collect())
}
