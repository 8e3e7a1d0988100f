//! `plan`, `explore` and `analyze`: what they say can be reached is reached by brute force, and nothing else is.

use std::collections::BTreeSet;

use sioco_model::{Id, SwitchId};
use sioco_plan::{Cover, Goal, PlanOptions, State as Became, plan};
use sioco_symbolic::analysis::{self, Determinism, Kind, Reached, Status, What, analyze};

use super::solvers::Solvers;
use crate::case::Case;
use crate::oracle::belief::World;
use crate::oracle::space::{Space, explore};
use crate::oracle::step::{self, Place, State};
use crate::shrink::{Pair, shrink};
use crate::spec::{Event, Sort, Spec, Val};
use crate::tally::{Finding, Tally};

/// A space with no more states than this is small: the engine decides everything about it, and has to.
const SMALL: usize = 60;

/// Holds plan and analysis against the oracle.
pub fn run(case: &Case, solvers: &Solvers, tally: &mut Tally) {
    for (name, look) in [("plan", look_plan as Look), ("analyze", look_analysis as Look)] {
        let Some((kind, why)) = held(case, solvers, name, look, tally) else { continue };
        let again = |pair: &Pair| -> Option<(String, String)> {
            let small = Case::with(case.seed, pair.0.clone()).ok()?;
            held(&small, &solvers.fresh(), name, look, &mut Tally::default())
        };
        let still = &mut |pair: &Pair| again(pair).is_some_and(|(other, _)| other == kind);
        let small = shrink((case.spec.clone(), Vec::new()), still);
        let why = again(&small).map_or(why, |(_, why)| why);
        tally.find(Finding { check: "plan", kind, why, spec: small.0, log: None });
    }
}

type Look = fn(&Case, &Solvers, &Space, bool) -> Option<(String, String)>;

fn held(case: &Case, solvers: &Solvers, name: &str, look: Look, tally: &mut Tally) -> Option<(String, String)> {
    let world = World::new(&case.spec);
    let Ok(space) = explore(&world) else {
        tally.count(format!("{name}: too large"));
        return None;
    };
    tally.count(format!("{name}: cases"));
    look(case, solvers, &space, is_exact(&case.spec))
}

/// Whether every input that matters is tried: sequences of inputs have no bound.
fn is_exact(spec: &Spec) -> bool {
    !spec.inputs.iter().flat_map(|g| &g.params).any(|s| matches!(s, Sort::Seq(_)))
}

/// The place of a switch of the engine, by its name.
fn place(case: &Case, switch: SwitchId) -> Place {
    let name = &case.read.model.switches[switch].name;
    let name = name.rsplit('.').next().unwrap_or(name);
    let (process, at) = name.trim_start_matches('s').split_once('_').expect("switches are named by their place");
    (process.parse().expect("a number"), at.parse().expect("a number"))
}

fn look_plan(case: &Case, solvers: &Solvers, space: &Space, exact: bool) -> Option<(String, String)> {
    let make = || solvers.make();
    for cover in [Cover::Switch, Cover::Location] {
        let options = PlanOptions { nodes: 1_000, workers: 1, steering: false, ..PlanOptions::new(cover) };
        let Ok(plan) = plan(&case.read.model, &make, &options, &mut |_| {}) else { continue };
        for (goal, state) in &plan.goals {
            let (name, reachable) = match goal {
                Goal::Switch(switch) => {
                    let place = place(case, *switch);
                    (format!("switch s{}_{}", place.0, place.1), space.switches.contains(&place))
                }
                Goal::Location(location) => {
                    let found = &case.read.model.locations[*location];
                    let process = found.process.index();
                    let at = found.name.trim_start_matches('l').parse::<usize>().ok();
                    let reached = space.states.iter().any(|s| Some(s.locations[process]) == at);
                    (format!("location {}.{}", process, found.name), reached)
                }
                _ => continue,
            };
            let small = space.states.len() <= SMALL && !solvers.is_weary();
            match state {
                Became::Covered { doubt: false, .. } if !reachable && exact => {
                    return Some(("plan reaches what cannot be reached".into(), name));
                }
                Became::Infeasible(why) if reachable => {
                    return Some(("plan calls infeasible what can be reached".into(), format!("{name}: {why:?}")));
                }
                Became::Unknown(why) if small => {
                    let states = space.states.len();
                    return Some(("plan does not know".into(), format!("{name}: {why:?}; {states} states")));
                }
                Became::Covered { doubt: true, .. } if small => {
                    let states = space.states.len();
                    return Some(("plan is in doubt".into(), format!("{name}; {states} states")));
                }
                _ => {}
            }
        }
    }
    None
}

fn look_analysis(case: &Case, solvers: &Solvers, space: &Space, exact: bool) -> Option<(String, String)> {
    let make = || solvers.make();
    let options = analysis::AnalysisOptions { nodes: 1_000, workers: 1, ..analysis::AnalysisOptions::default() };
    let found = analyze(&case.read.model, &make, &options, &mut |_| {});
    let small = space.states.len() <= SMALL && !solvers.is_weary();
    for (index, reached) in found.switches.iter().enumerate() {
        let place = place(case, SwitchId::from_index(index));
        let reachable = space.switches.contains(&place);
        let name = format!("switch s{}_{}", place.0, place.1);
        match reached {
            Reached::Taken(_) if !reachable && exact => {
                return Some(("analyze takes a switch that cannot be taken".into(), name));
            }
            Reached::Never if reachable => return Some(("analyze says never of what can be taken".into(), name)),
            Reached::Unknown(why) if small => {
                return Some(("analyze does not know".into(), format!("{name}: {why:?}")));
            }
            _ => {}
        }
    }
    if !exact || space.undefined {
        return None;
    }
    let dead = deadlocks(&case.spec, space);
    let mut told: BTreeSet<Vec<usize>> = BTreeSet::new();
    for finding in &found.findings {
        match (&finding.what, &finding.status) {
            (What::Deadlock { locations }, Status::Shown | Status::Proved) => {
                let at: Vec<usize> = (locations.iter())
                    .map(|l| case.read.model.locations[*l].name.trim_start_matches('l').parse().unwrap_or(usize::MAX))
                    .collect();
                if !dead.contains(&at) {
                    return Some(("analyze tells of a deadlock that is none".into(), format!("{at:?}")));
                }
                told.insert(at);
            }
            (What::Overlap { first, second }, Status::Shown) => {
                let pair = [place(case, *first), place(case, *second)];
                if !overlaps(&case.spec, space, Some(pair)) {
                    return Some(("analyze tells of nondeterminism that is none".into(), format!("{pair:?}")));
                }
            }
            (_, Status::Undecided(why))
                if small && finding.kind != Kind::InputGap && finding.kind != Kind::ModelError =>
            {
                return Some(("analyze leaves something open".into(), format!("{}: {why:?}", finding.kind.name())));
            }
            _ => {}
        }
    }
    if found.complete() && dead.iter().any(|at| !told.contains(at)) {
        return Some(("analyze misses a deadlock".into(), format!("{dead:?}, told {told:?}")));
    }
    if found.determinism == Some(Determinism::Proved) && overlaps(&case.spec, space, None) {
        return Some(("analyze proves determinism that is not there".into(), String::new()));
    }
    None
}

fn all_inputs(spec: &Spec) -> Vec<Event> {
    let of = |(gate, g): (usize, &crate::spec::Gate)| {
        Val::tuples(&g.params, spec).into_iter().map(move |args| Event { gate, args }).collect::<Vec<_>>()
    };
    spec.inputs.iter().enumerate().flat_map(of).collect()
}

/// Where nothing can happen though not all processes are at a final location.
fn deadlocks(spec: &Spec, space: &Space) -> BTreeSet<Vec<usize>> {
    let inputs = all_inputs(spec);
    let is_dead = |state: &&State| {
        let finals = state.locations.iter().enumerate().all(|(p, l)| spec.processes[p].finals.contains(l));
        !finals
            && step::internal(spec, state).steps.is_empty()
            && step::outputs(spec, state).0.is_empty()
            && inputs.iter().all(|event| step::input(spec, state, event).steps.is_empty())
    };
    space.states.iter().filter(is_dead).map(|s| s.locations.clone()).collect()
}

/// Whether two switches, or these two, can be taken with the same event.
fn overlaps(spec: &Spec, space: &Space, pair: Option<[Place; 2]>) -> bool {
    let inputs = all_inputs(spec);
    let is = |a: Place, b: Place| pair.is_none_or(|[x, y]| (a == x && b == y) || (a == y && b == x));
    let among = |steps: &[(Event, Place)]| {
        (0..steps.len())
            .any(|i| (0..i).any(|j| steps[i].0 == steps[j].0 && steps[i].1 != steps[j].1 && is(steps[i].1, steps[j].1)))
    };
    space.states.iter().any(|state| {
        let outputs: Vec<(Event, Place)> =
            step::outputs(spec, state).0.into_iter().map(|(e, s)| (e, s.switches[0])).collect();
        let mut taken = Vec::new();
        for event in &inputs {
            taken.extend(step::input(spec, state, event).steps.into_iter().map(|s| (event.clone(), s.switches[0])));
        }
        among(&outputs) || among(&taken)
    })
}
