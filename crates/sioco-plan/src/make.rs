//! Making a plan.

use std::fmt;

use sioco_model::model::{Direction, Label};
use sioco_model::{Id, Model, SwitchId};
use sioco_symbolic::analysis::{self, Analysis, Control, Determinism, Kind};
use sioco_symbolic::explore::{Exploration, ExploreProgress, Stop};
use sioco_symbolic::graph::Graph;
use sioco_symbolic::path::{Path, Possible, Shortcuts, SolverFactory};
use sioco_symbolic::step::Step;

use crate::classes;
use crate::cover::Cover;
use crate::data;
use crate::goal::{Goal, State};
use crate::inputs;
use crate::plan::{Plan, PlanOptions, Steering};
use crate::purpose::{Leg, Purpose, PurposeId};
use crate::random;
use crate::reduced;
use crate::switch_coverage;
use crate::trace_coverage;
use crate::walker::Walker;
use crate::written;

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
    /// Such a plan is made by a [comparison](crate::compare) of two models.
    TwoModels,
    /// The purpose has too many parts.
    PurposeTooLarge {
        /// Its name.
        name: String,
    },
    /// Which way given inputs take through the model cannot be told.
    Inputs {
        /// Why, in words.
        why: String,
    },
}

impl fmt::Display for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlanError::NoSuchPurpose { name, known } if known.is_empty() => {
                write!(f, "there is no purpose `{name}`: this model has no purposes; add `purpose {name} {{ … }}`")
            }
            PlanError::TwoModels => write!(f, "a comparison takes two models; use `sioco compare SPEC IMPL`"),
            PlanError::PurposeTooLarge { name } => {
                write!(f, "the purpose `{name}` has too many parts: repeat less often, or use `*` or `+`")
            }
            PlanError::Inputs { why } => write!(f, "inputs cannot be followed through this model: {why}"),
            PlanError::NoSuchPurpose { name, known } => {
                write!(f, "there is no purpose `{name}` in this model; it has {}", known.join(", "))
            }
        }
    }
}

impl std::error::Error for PlanError {}

/// At most this many nodes are looked at to find out whether a run can be inconclusive: as many as a campaign looks at
/// for its plan, since it is only a line of it. In a larger graph it stays unknown.
const STEERING: usize = 1_000;

/// And at most this many pairs of steps, each of which is a question to a solver.
const PAIRS: usize = 2_000;

/// Makes a plan for a model.
pub fn plan(
    model: &Model,
    solvers: SolverFactory<'_>,
    options: &PlanOptions,
    progress: &mut dyn FnMut(ExploreProgress),
) -> Result<Plan, PlanError> {
    let path = Path::with(model, solvers, Shortcuts::default(), options.limits.clone());
    let mut walker = Walker::new(path);
    let mut graph = None;
    let mut plan = Plan { strict: options.strict, ..Plan::new(options.cover.clone()) };
    match options.cover {
        Cover::Switch | Cover::Location => {
            let locations = options.cover == Cover::Location;
            let found = switch_coverage::cover(model, solvers, options, locations, &mut walker, progress);
            (plan.goals, plan.purposes) = (found.goals, found.purposes);
            (plan.stop, plan.counts) = (found.stop, found.counts);
            graph = Some(found.exploration);
        }
        Cover::Paths(n) => lengths(&mut plan, (model, solvers), &mut walker, options, All::Paths(n), progress),
        Cover::Traces(n) => lengths(&mut plan, (model, solvers), &mut walker, options, All::Traces(n), progress),
        Cover::Inclusion(k) => {
            let restricted = reduced::restricted(model, solvers, options, true, false, progress);
            let longest = reduced::longest(model, &restricted);
            let all = All::Paths(k.saturating_mul(longest));
            lengths(&mut plan, (model, solvers), &mut walker, options, all, progress);
            if plan.stop == Stop::Complete {
                plan.stop = restricted.stop;
            }
        }
        Cover::Reduced => {
            let restricted = reduced::restricted(model, solvers, options, false, false, progress);
            plan.purposes = reduced::purpose(&mut walker, &restricted, options, &mut plan.counts);
            plan.stop = restricted.stop;
            graph = Some(restricted);
        }
        Cover::Random(walks) => {
            plan.purposes = random::walks(&mut walker, options, walks, &mut plan.counts);
            let cut = plan.purposes.len() < walks && !plan.purposes.is_empty();
            plan.stop = if options.is_over() {
                Stop::Cancelled
            } else if cut {
                Stop::Nodes
            } else {
                Stop::Complete
            };
        }
        Cover::Classes => {
            let known = reduced::restricted(model, solvers, options, false, false, progress);
            let found = classes::cover(&mut walker, &known, options, progress);
            let found = found.map_err(|why| PlanError::Inputs { why: why.describe(model) })?;
            (plan.goals, plan.purposes) = (found.goals, found.purposes);
            (plan.stop, plan.counts) = (found.stop, found.counts);
            graph = Some(known);
        }
        Cover::Inputs(tests) => {
            let length = options.depth.map_or(options.walk, |depth| depth.min(options.walk));
            let found = inputs::random(model, &vec![length; tests], options.seed);
            plan.purposes = found.map_err(|why| PlanError::Inputs { why: why.describe(model) })?;
            (plan.counts.candidates, plan.counts.impossible) = (tests, tests - plan.purposes.len());
            plan.counts.nodes = plan.purposes.iter().map(|p| p.nodes.len()).sum();
        }
        Cover::Compare => return Err(PlanError::TwoModels),
        Cover::Purpose(ref name) => {
            let Some(purpose) = model.purpose(name) else {
                let known = model.purposes.values().map(|p| p.name.clone()).collect();
                return Err(PlanError::NoSuchPurpose { name: name.clone(), known });
            };
            let found = written::unfold(&mut walker, options, purpose, progress)
                .ok_or_else(|| PlanError::PurposeTooLarge { name: name.clone() })?;
            plan.goals = vec![(Goal::Written(purpose), found.state)];
            (plan.purposes, plan.stop, plan.counts) = (found.purposes, found.stop, found.counts);
        }
    }
    if options.data {
        let known = match graph.take() {
            Some(graph) => graph,
            None => switch_coverage::graph(model, solvers, options, progress),
        };
        data::add_goals(&mut plan, &mut walker, &known, options);
        graph = Some(known);
    }
    if options.split {
        plan.purposes = plan.purposes.iter().flat_map(Purpose::split).collect();
    }
    finish(&mut plan, model);
    if options.steering {
        plan.steering = Some(steering(model, solvers, options, &mut walker, graph));
    }
    Ok(plan)
}

/// Puts the longest purposes first, and says which of them cover a goal.
fn finish(plan: &mut Plan, model: &Model) {
    plan.purposes.sort_by_cached_key(|p| std::cmp::Reverse(p.length(model)));
    let mut by: Vec<Vec<PurposeId>> = vec![Vec::new(); plan.goals.len()];
    for (p, purpose) in plan.purposes.iter().enumerate() {
        purpose.goals.iter().for_each(|g| by[*g].push(PurposeId::from_index(p)));
    }
    for ((_, state), found) in plan.goals.iter_mut().zip(by) {
        if let State::Covered { by, .. } = state {
            *by = found;
        }
    }
}

/// What is wanted of a length.
#[derive(Clone, Copy)]
enum All {
    Paths(usize),
    Traces(usize),
}

/// Purposes for all paths, or all traces, of a length.
fn lengths(
    plan: &mut Plan,
    (model, solvers): (&Model, SolverFactory<'_>),
    walker: &mut Walker<'_>,
    options: &PlanOptions,
    all: All,
    progress: &mut dyn FnMut(ExploreProgress),
) {
    let (paths, length) = match all {
        All::Paths(length) => (true, length),
        All::Traces(length) => (false, length),
    };
    let mut walkers = trace_coverage::walkers(model, solvers, options);
    let mut tree = trace_coverage::grow(&mut walkers, options, length, paths, progress);
    plan.purposes = match paths {
        true => tree.one_purpose(walker, options),
        false => tree.purposes(model, solvers, options),
    };
    (plan.length, plan.stop, plan.counts) = (Some(tree.length), tree.stop, tree.counts);
}

/// Finds out whether a run can be inconclusive (S4 section 3.2): on the graph that there is, and further on if that leaves
/// it open.
fn steering(
    model: &Model,
    solvers: SolverFactory<'_>,
    options: &PlanOptions,
    walker: &mut Walker<'_>,
    graph: Option<Exploration>,
) -> Steering {
    let analysis = analysis::AnalysisOptions {
        kinds: vec![Kind::Nondeterminism],
        depth: options.depth,
        nodes: options.nodes.min(STEERING),
        workers: options.workers,
        enough: options.enough.clone(),
        limits: options.limits.clone(),
        ..Default::default()
    };
    let steered = is_steered(walker);
    let mut of = |found: Analysis| {
        let hidden = found.determinism == Some(Determinism::No) && found.internal_choices > 0;
        let (determinism, control) = (found.determinism, found.control.clone());
        let (determinism, control) =
            (determinism.unwrap_or(Determinism::NotFound), control.unwrap_or(Control::NotFound));
        if steered && !found.complete() {
            // What holds in every state needs no graph of all that can be reached.
            return Steering { complete: true, determinism, control, choices: 0, choice: None, values: Vec::new() };
        }
        let (choices, choice, sure, values) = choices(walker, &found.exploration.graph, hidden);
        Steering { complete: found.complete() && sure, determinism, control, choices, choice, values }
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

/// Whether the system decides nothing by itself in any state at all, reachable or not: no step of its own competes with
/// another step, and none has values of its choice. Only for one process: where several meet depends on the way.
fn is_steered(walker: &mut Walker<'_>) -> bool {
    let model = walker.path.model();
    let chosen = |s: SwitchId| model.switches[s].params.iter().any(|p| p.term.is_none());
    let own = |s: &SwitchId| model.direction(*s) != Some(Direction::Input);
    if model.processes.len() > 1 || model.switches.ids().any(|s| own(&s) && chosen(s)) {
        return false;
    }
    let mut steps = Vec::new();
    let mut asked = 0;
    model.locations.ids().all(|location| {
        walker.path.outgoing_of(&[location], &mut steps);
        let pairs = steps.iter().enumerate().flat_map(|(i, a)| steps[i + 1..].iter().map(move |b| (*a, *b)));
        let mut competing = pairs.filter(|(a, b)| a.is_own(model) || b.is_own(model));
        competing.all(|(a, b)| {
            asked += 1;
            asked <= PAIRS && !walker.path.is_cancelled() && walker.path.never_together(a, b)
        })
    })
}

/// Where the system decides by itself: in how many states, as far as they were looked at, whether that is all, and which
/// outputs have values of its choice; with `hidden`, also which internal steps.
fn choices(walker: &mut Walker<'_>, graph: &Graph, hidden: bool) -> (usize, Option<(Step, Step)>, bool, Vec<SwitchId>) {
    let model = walker.path.model();
    let mut values = vec![false; model.switches.len()];
    let mut steps: Vec<Vec<Step>> = vec![Vec::new(); graph.len()];
    for node in graph.ids() {
        let (Some(parent), Some(step)) = (graph.parent(node), graph.step(node)) else { continue };
        if !step.is_silence() {
            steps[parent.index()].push(step);
        }
        let own = |s: &SwitchId| match model.switches[*s].label {
            Label::Internal => hidden,
            _ => model.direction(*s) == Some(Direction::Output),
        };
        for s in step.switches().filter(own) {
            values[s.index()] |= model.switches[s].params.iter().any(|p| p.term.is_none());
        }
    }
    let (mut found, mut first, mut sure, mut asked) = (0, None, true, 0);
    for node in graph.ids() {
        let here = &steps[node.index()];
        let own = |s: &Step| s.is_own(model);
        let pairs = here.iter().enumerate().flat_map(|(i, a)| here[i + 1..].iter().map(move |b| (*a, *b)));
        let pairs: Vec<(Step, Step)> = pairs.filter(|(a, b)| own(a) || own(b)).collect();
        if pairs.is_empty() {
            continue;
        }
        let legs: Vec<Leg> = graph.path(node).into_iter().map(Leg::from).collect();
        walker.follow(&legs);
        for (a, b) in pairs {
            asked += 1;
            if asked > PAIRS {
                return (found, first, false, model.switches.ids().filter(|s| values[s.index()]).collect());
            }
            match walker.path.possible_together(a, b) {
                Possible::Yes => {
                    found += 1;
                    first.get_or_insert((a, b));
                    break;
                }
                Possible::No => {}
                Possible::Unknown(_) => sure = false,
            }
        }
    }
    (found, first, sure, model.switches.ids().filter(|s| values[s.index()]).collect())
}
