//! Switch and location coverage: goals that single steps reach (T-P5; S0 section 4).

use sioco_model::{Id, LocationId, Model};
use sioco_solve::Reason;
use sioco_symbolic::analysis::{self, Analysis, Kind, Reached, What, WhyNot};
use sioco_symbolic::explore::{Exploration, ExploreProgress, Stop};
use sioco_symbolic::graph::NodeId;
use sioco_symbolic::path::SolverFactory;

use crate::close::close;
use crate::goal::{Goal, Infeasible, State};
use crate::net::Net;
use crate::plan::{Counts, PlanOptions};
use crate::purpose::{Leg, Purpose, PurposeId};
use crate::reduced::restricted;
use crate::select::{Search, Way};
use crate::walker::Walker;

/// What came of the search.
pub(crate) struct SwitchCoverage {
    pub goals: Vec<(Goal, State)>,
    pub purposes: Vec<Purpose>,
    pub stop: Stop,
    pub counts: Counts,
    /// The graph, for those who go on.
    pub exploration: Exploration,
}

/// The graph in which goals are searched: all switches are enough, except for goals about data, which may need more.
pub(crate) fn graph(
    model: &Model,
    solvers: SolverFactory<'_>,
    options: &PlanOptions,
    progress: &mut dyn FnMut(ExploreProgress),
) -> Exploration {
    restricted(model, solvers, options, false, !options.data, progress)
}

/// Purposes for every switch, or for every location.
pub(crate) fn cover(
    model: &Model,
    solvers: SolverFactory<'_>,
    options: &PlanOptions,
    locations: bool,
    walker: &mut Walker<'_>,
    progress: &mut dyn FnMut(ExploreProgress),
) -> SwitchCoverage {
    let exploration = graph(model, solvers, options, progress);
    let goals: Vec<Goal> = if locations {
        let seen = |l: &LocationId| !model.locations[*l].hidden;
        model.locations.ids().filter(seen).map(Goal::Location).collect()
    } else {
        model.switches.ids().map(Goal::Switch).collect()
    };
    let mut place = vec![None; model.locations.len()];
    if locations {
        for (i, goal) in goals.iter().enumerate() {
            if let Goal::Location(l) = goal {
                place[l.index()] = Some(i);
            }
        }
    }
    let net = Net::new(model, &exploration.graph);
    let goals_of = |edge: NodeId| -> Vec<usize> {
        let switches = net.step(edge).switches();
        match locations {
            true => switches.filter_map(|s| place[model.switches[s].target.index()]).collect(),
            false => switches.map(|s| s.index()).collect(),
        }
    };
    let mut search = Search { net: &net, exploration: &exploration, walker, goals_of: &goals_of, goals: goals.len() };
    let ways = search.ways();
    let mut counts = Counts { nodes: exploration.graph.len(), ..Counts::default() };
    let mut purposes: Vec<Purpose> = Vec::new();
    for way in &ways {
        let (purpose, whole) = purpose(&net, walker, way, options.strict);
        counts.cut += usize::from(!whole);
        purposes.push(purpose);
    }
    let mut states = covered(goals.len(), &ways);
    if locations {
        // Everything begins there.
        for p in model.processes.values() {
            if let Some(i) = place[p.initial.index()] {
                states[i] =
                    Some(State::Covered { by: (0..purposes.len()).map(PurposeId::from_index).collect(), doubt: false });
                purposes.iter_mut().filter(|p| !p.goals.contains(&i)).for_each(|p| p.goals.push(i));
            }
        }
    }
    let open: Vec<usize> = (0..goals.len()).filter(|g| states[*g].is_none()).collect();
    let (exploration, why) = why_not(model, solvers, options, exploration, !open.is_empty());
    for g in open {
        states[g] = Some(missing(model, &exploration, &why, &goals[g]));
    }
    let goals = goals.into_iter().zip(states.into_iter().flatten()).collect();
    SwitchCoverage { goals, purposes, stop: exploration.stop, counts, exploration }
}

/// The purpose of a way, with its end.
fn purpose(net: &Net<'_>, walker: &mut Walker<'_>, way: &Way, strict: bool) -> (Purpose, bool) {
    let mut purpose = Purpose { goals: way.goals.clone(), ..Purpose::default() };
    let mut at = 0;
    for (edge, doubt) in way.line.iter().zip(&way.doubts) {
        at = purpose.add(at, Leg::from(net.step(*edge)), doubt.clone());
    }
    let legs: Vec<Leg> = way.line.iter().map(|e| Leg::from(net.step(*e))).collect();
    walker.follow(&legs);
    let whole = close(walker, &mut purpose, at, strict);
    (purpose, whole)
}

fn covered(goals: usize, ways: &[Way]) -> Vec<Option<State>> {
    let mut found = vec![None; goals];
    for (w, way) in ways.iter().enumerate().map(|(w, way)| (PurposeId::from_index(w), way)) {
        for g in &way.goals {
            match &mut found[*g] {
                Some(State::Covered { by, doubt }) => {
                    by.push(w);
                    *doubt &= way.is_doubtful();
                }
                state => *state = Some(State::Covered { by: vec![w], doubt: way.is_doubtful() }),
            }
        }
    }
    found
}

/// Why switches are not taken, if anybody needs to know.
fn why_not(
    model: &Model,
    solvers: SolverFactory<'_>,
    options: &PlanOptions,
    exploration: Exploration,
    needed: bool,
) -> (Exploration, Option<Analysis>) {
    if !needed {
        return (exploration, None);
    }
    let options = analysis::AnalysisOptions {
        kinds: vec![Kind::Unreachable],
        workers: options.workers,
        limits: options.limits.clone(),
        ..Default::default()
    };
    let analysis = analysis::examine(model, solvers, &options, exploration.clone());
    (exploration, Some(analysis))
}

/// What is known about a goal that no way reaches.
fn missing(model: &Model, exploration: &Exploration, why: &Option<Analysis>, goal: &Goal) -> State {
    let undecided = || State::Unknown(Reason::Undecided("no path to it was proved possible".into()));
    let Some(why) = why else { return undecided() };
    match goal {
        Goal::Switch(switch) => match &why.switches[switch.index()] {
            Reached::Never => {
                let of = |f: &&analysis::Finding| matches!(&f.what, What::NotTaken { switch: s, .. } if s == switch);
                let why = why.findings.iter().find(of).and_then(|f| match &f.what {
                    What::NotTaken { why, .. } => Some(why.clone()),
                    _ => None,
                });
                State::Infeasible(Infeasible::Switch(why.unwrap_or(WhyNot::SourceNotReached)))
            }
            Reached::NotWithin => State::NotReached(exploration.stop),
            Reached::Unknown(reason) => State::Unknown(reason.clone()),
            Reached::Taken(_) => undecided(),
        },
        Goal::Location(location) => {
            let into = model.switches.iter().filter(|(_, s)| s.target == *location).map(|(id, _)| id);
            let mut worst = State::Infeasible(Infeasible::Location);
            for switch in into {
                match &why.switches[switch.index()] {
                    Reached::Never => {}
                    Reached::Unknown(reason) => worst = State::Unknown(reason.clone()),
                    Reached::NotWithin if !matches!(worst, State::Unknown(_)) => {
                        worst = State::NotReached(exploration.stop);
                    }
                    Reached::NotWithin => {}
                    Reached::Taken(_) => worst = undecided(),
                }
            }
            worst
        }
        _ => undecided(),
    }
}
