//! Plans against the concrete interpreter on random small models: every accept can be reached, no goal is called
//! infeasible that a run reaches, no path or trace is lost or invented, and the plan is always the same.
//! A failure prints the seed and the model; `SIOCO_SEEDS` and `SIOCO_FIRST_SEED` say which seeds are tried.

#[path = "../../sioco-symbolic/tests/support/mod.rs"]
mod models;
#[path = "random/runs.rs"]
mod runs;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use models::generate::{ANY, DENSE, FINITE};
use models::scripted::{Scripted, is_wide};
use models::{Shape, builtin, by_hand, concrete_reachable, first_seed, has_z3, limits, random_model, seeds, show, z3};
use sioco_model::eval::{Env, eval};
use sioco_model::semantics::{Interpreter, Quiescence, State as Concrete};
use sioco_model::{Id, Model, Value};
use sioco_plan::walker::Walker;
use sioco_plan::want::{atoms, side_of};
use sioco_plan::{Cover, Goal, Leg, Plan, PlanOptions, Purpose, State, Want, plan};
use sioco_solve::values::{Bounds, Choice, NoValues};
use sioco_solve::{Limits, Reason};
use sioco_symbolic::{Path, Shortcuts, Solved, SolverFactory, Step, Stop};

/// As many accepts of a plan are replayed.
const REPLAYED: usize = 12;

/// Comparing states asks with quantifiers, whose values the built-in solver tries one by one; `unknown` is as good as no.
fn quick() -> Box<dyn Bounds> {
    Box::new(Scripted::new(builtin(), Reason::Resources, is_wide))
}

/// Runs a property on random models.
fn for_models(usual: u64, shape: Shape, mut property: impl FnMut(&Model)) {
    for seed in first_seed()..first_seed() + seeds(usual) {
        let (text, model) = random_model(seed, shape);
        if std::env::var("SIOCO_SHOW").is_ok() {
            eprintln!("seed {seed}\n{text}");
        }
        let run = std::panic::AssertUnwindSafe(|| property(&model));
        if let Err(why) = std::panic::catch_unwind(run) {
            eprintln!("seed {seed}, {shape:?}:\n{text}");
            std::panic::resume_unwind(why);
        }
    }
}

fn covers() -> Vec<(Cover, bool)> {
    vec![
        (Cover::Switch, false),
        (Cover::Location, false),
        (Cover::Paths(3), false),
        (Cover::Inclusion(1), false),
        (Cover::Reduced, false),
        (Cover::Traces(3), false),
        (Cover::Random(5), false),
        (Cover::Switch, true),
    ]
}

fn options(cover: Cover, data: bool) -> PlanOptions {
    PlanOptions {
        data,
        nodes: 120,
        internal: 20,
        walk: 6,
        workers: 1,
        steering: false,
        limits: limits(),
        ..PlanOptions::new(cover)
    }
}

fn make(model: &Model, solvers: SolverFactory<'_>, options: &PlanOptions) -> Plan {
    plan(model, solvers, options, &mut |_| {}).expect("no purpose is named")
}

/// What plans said, so that a test can tell that it was about something.
#[derive(Default, Debug)]
struct Seen {
    purposes: usize,
    accepts: usize,
    doubtful: usize,
    replayed: usize,
    wants: usize,
    wants_of_others: usize,
    silences: usize,
    diverging: usize,
    unsolved: usize,
    covered: usize,
    infeasible: usize,
    not_reached: usize,
    unknown: usize,
    complete: usize,
    atoms: usize,
}

fn is_doubtful(purpose: &Purpose, accept: usize) -> bool {
    let mut at = Some(accept);
    while let Some(n) = at {
        if purpose.nodes[n].doubt.is_some() {
            return true;
        }
        at = purpose.nodes[n].parent;
    }
    false
}

/// Whether a want holds concretely, before a step with arguments.
fn holds(model: &Model, want: &Want, state: &Concrete, args: &[Value]) -> bool {
    let Want::Atom { switch, atom, side } = want else { panic!("nothing is written") };
    let mut pool = model.terms.clone();
    let atom = atoms(model, *switch)[*atom];
    let Some(term) = side_of(&mut pool, &model.sorts, atom, *side) else { return false };
    let env = Env { vars: state.values(), params: args, ..Env::default() };
    eval(&pool, &model.sorts, term, env) == Ok(Value::Bool(true))
}

/// Replays a solved way step by step, with what it wants.
fn replay(model: &Model, legs: &[&Leg], solved: &Solved, seen: &mut Seen) {
    let mut interpreter = Interpreter::new(model);
    let start: BTreeMap<usize, &Value> = solved.start.iter().map(|(v, x)| (v.index(), x)).collect();
    let mut state = interpreter.initial(&mut |v| start[&v.index()].clone());
    for v in model.variables.ids() {
        assert!(model.sorts.contains(model.variables[v].sort, state.value(v)), "the initial value is in range");
    }
    assert_eq!(legs.len(), solved.steps.len());
    for (i, (leg, (step, args))) in legs.iter().zip(&solved.steps).enumerate() {
        assert_eq!(leg.step, *step);
        for want in leg.wants.iter() {
            seen.wants += 1;
            let Want::Atom { switch, .. } = want else { panic!("nothing is written") };
            seen.wants_of_others += usize::from(!step.switches().any(|s| s == *switch));
            let source = model.switches[*switch].source;
            assert!(state.locations().contains(&source), "step {i}: {want:?} is not asked here");
            assert!(holds(model, want, &state, args), "step {i} {}: {want:?} of {args:?}", step.name(model));
        }
        let silence = if step.is_silence() { Some(interpreter.quiescence(&state)) } else { None };
        match silence {
            None => {}
            Some(Ok(Quiescence::Unknown { .. })) => continue,
            Some(found) => {
                seen.silences += 1;
                let expected = if *step == Step::Delta { Quiescence::Quiescent } else { Quiescence::Diverging };
                assert_eq!(found, Ok(expected), "step {i}");
                continue;
            }
        }
        let fired: Vec<_> = step.switches().map(|s| interpreter.fire(&mut state, s, args)).collect();
        assert!(fired.iter().all(|f| *f == Ok(true)), "step {i} {} with {args:?}: {fired:?}", step.name(model));
    }
    seen.replayed += 1;
}

/// What holds of every purpose, whatever it is for.
fn check_purposes(model: &Model, solvers: SolverFactory<'_>, made: &Plan, seen: &mut Seen) {
    let mut walker = Walker::new(Path::with(model, solvers, Shortcuts::default(), Limits::default()));
    let all: usize = made.purposes.iter().map(|p| p.accepts().count()).sum();
    let every = all.div_ceil(REPLAYED).max(1);
    let mut lengths = Vec::new();
    let mut count: usize = 0;
    for purpose in &made.purposes {
        seen.purposes += 1;
        lengths.push(purpose.length(model));
        assert!(purpose.accepts().next().is_some(), "a purpose without accept");
        let leads = |n: usize| purpose.nodes[n].accept || purpose.children(n).next().is_some();
        assert!((0..purpose.nodes.len()).all(leads), "a leaf that is no accept");
        for (n, node) in purpose.nodes.iter().enumerate() {
            assert!(node.parent.is_none_or(|p| p < n) && node.parent.is_none() == (n == 0));
            assert!(node.accept || purpose.children(n).next().is_some(), "{n} leads nowhere: {purpose:?}");
            assert!(!node.accept || purpose.children(n).next().is_none(), "{n} goes on: {purpose:?}");
        }
        assert!(purpose.goals.iter().all(|g| *g < made.goals.len()));
        for accept in purpose.accepts() {
            seen.accepts += 1;
            count += 1;
            let legs = purpose.line(accept);
            let steps: Vec<Step> = legs.iter().map(|l| l.step).collect();
            let own = |s: &Step| s.is_silence() || (s.is_own(model) && s.is_observable(model));
            if is_doubtful(purpose, accept) {
                seen.doubtful += 1;
                let divergence = |n: &sioco_plan::purpose::Node| n.doubt.as_deref() == Some(&Reason::Divergence);
                seen.diverging += usize::from(purpose.nodes.iter().any(divergence));
                continue;
            }
            if !made.strict && !steps.last().is_some_and(own) {
                assert!(runs::is_mute(model, &legs, &holds), "{} is not answered", show(model, &steps));
            }
            if !count.is_multiple_of(every) {
                continue;
            }
            assert!(walker.follow(legs.iter().copied()), "{} is possible", show(model, &steps));
            let choice = [Choice::Min, Choice::Max, Choice::Middle, Choice::Random(7)][count % 4];
            match walker.path.solve_with(choice) {
                Ok(solved) => replay(model, &legs, &solved, seen),
                Err(NoValues::Impossible) => panic!("{} has no values", show(model, &steps)),
                Err(NoValues::Unknown(_)) => seen.unsolved += 1,
            }
        }
    }
    assert!(lengths.is_sorted_by(|a, b| a >= b), "the longest come first");
}

/// What became of goals, against all states and steps there are.
fn check_goals(model: &Model, made: &Plan, data: bool, seen: &mut Seen) {
    let Some((states, steps)) = concrete_reachable(model, 1_000) else { return };
    let switches: BTreeSet<_> = steps.iter().flat_map(|s| s.switches()).collect();
    let complete = matches!(made.stop, Stop::Complete | Stop::Covered);
    seen.complete += usize::from(complete);
    for (g, (goal, state)) in made.goals.iter().enumerate() {
        let reached = match goal {
            Goal::Switch(s) => Some(switches.contains(s)),
            Goal::Location(l) => Some(states.iter().any(|s| s.locations().contains(l))),
            Goal::Atom { .. } => {
                seen.atoms += 1;
                runs::atom_is_seen(model, &states, goal, &holds)
            }
            Goal::Written(_) | Goal::Class(_) | Goal::Transition(_) => None,
        };
        let Some(reached) = reached else { continue };
        match state {
            State::Covered { by, doubt } => {
                seen.covered += 1;
                assert!(*doubt || reached, "{goal:?} is covered, but no run reaches it");
                assert!(by.iter().all(|p| made.purposes[p.index()].goals.contains(&g)), "{goal:?}");
                assert!(
                    by.iter().all(|p| reaches(model, &made.purposes[p.index()], goal, false)),
                    "{goal:?} is not there"
                );
                // Only how the system answers at the end may be in doubt.
                let initial = matches!(goal, Goal::Location(l) if model.processes.values().any(|p| p.initial == *l));
                let sure = initial || by.iter().any(|p| reaches(model, &made.purposes[p.index()], goal, true));
                assert!(*doubt || sure, "{goal:?} is covered by doubtful ways only");
            }
            State::Infeasible(why) => {
                seen.infeasible += 1;
                assert!(!reached, "{goal:?} is reached, but {why:?}");
            }
            State::NotReached(_) => {
                seen.not_reached += 1;
                assert!(!complete || data, "{goal:?} must be decided");
            }
            State::Unknown(why) => {
                seen.unknown += 1;
                assert!(!reached || matches!(goal, Goal::Atom { .. }), "{goal:?}: {why:?}");
            }
        }
    }
}

/// Whether a purpose reaches a goal, surely if asked for.
fn reaches(model: &Model, purpose: &Purpose, goal: &Goal, surely: bool) -> bool {
    let is_it = |leg: &Leg| match goal {
        Goal::Switch(s) => leg.step.switches().any(|t| t == *s),
        Goal::Location(l) => leg.step.switches().any(|t| model.switches[t].target == *l),
        Goal::Atom { switch, atom, side } => {
            leg.wants.contains(&Want::Atom { switch: *switch, atom: *atom, side: *side })
        }
        Goal::Written(_) | Goal::Class(_) | Goal::Transition(_) => true,
    };
    let initial = matches!(goal, Goal::Location(l) if model.processes.values().any(|p| p.initial == *l));
    let mut nodes = purpose.nodes.iter().enumerate().filter(|(n, _)| !surely || !is_doubtful(purpose, *n));
    initial || nodes.any(|(_, n)| !n.answer && n.leg.as_ref().is_some_and(is_it))
}

fn all_covers(usual: u64, shape: Shape, solvers: SolverFactory<'_>) -> Seen {
    let mut seen = Seen::default();
    for_models(usual, shape, |model| {
        for (cover, data) in covers() {
            for strict in [false, true] {
                // Most of what strictness changes is the end of a purpose, whatever the purpose is.
                if strict && !matches!(cover, Cover::Switch | Cover::Paths(_)) {
                    continue;
                }
                let options = PlanOptions { strict, ..options(cover.clone(), data) };
                let made = make(model, solvers, &options);
                check_purposes(model, solvers, &made, &mut seen);
                check_goals(model, &made, data, &mut seen);
            }
        }
    });
    println!("{seen:?}");
    seen
}

#[test]
fn accepts_have_values_and_goals_are_right() {
    let seen = all_covers(10, FINITE, &quick);
    assert!(
        by_hand()
            || seen.replayed > 250
                && seen.wants > 40
                && seen.silences > 50
                && seen.infeasible > 20
                && seen.complete > 20
                && seen.unsolved * 20 < seen.replayed,
        "{seen:?}"
    );
}

#[test]
fn accepts_have_values_whatever_the_data() {
    let seen = all_covers(3, ANY, &quick);
    assert!(by_hand() || seen.replayed > 40, "{seen:?}");
}

#[test]
fn accepts_have_values_and_goals_are_right_for_z3() {
    if has_z3() {
        let seen = all_covers(1, FINITE, &z3);
        assert!(by_hand() || seen.replayed > 10, "{seen:?}");
    }
}

/// The ways to the accepts: those that are sure, and those that are not.
fn ways(made: &Plan) -> (BTreeSet<Vec<Step>>, BTreeSet<Vec<Step>>) {
    let (mut sure, mut perhaps) = (BTreeSet::new(), BTreeSet::new());
    for purpose in &made.purposes {
        for accept in purpose.accepts() {
            let steps: Vec<Step> = purpose.line(accept).iter().map(|l| l.step).collect();
            if is_doubtful(purpose, accept) {
                perhaps.insert(steps)
            } else {
                sure.insert(steps)
            };
        }
    }
    (sure, perhaps)
}

/// Traces and paths of a length are exactly those that runs have.
fn check_lengths(model: &Model, solvers: SolverFactory<'_>, cover: Cover, counts: &mut [usize; 4]) {
    let delta = matches!(cover, Cover::Paths(_));
    let options = PlanOptions { strict: true, nodes: 400, ..options(cover.clone(), false) };
    let made = make(model, solvers, &options);
    let length = made.length.expect("the cover is about lengths");
    let (sure, perhaps) = ways(&made);
    if !runs::may_go_round(model) {
        let Some(expected) = runs::of_length(model, length, delta, 3_000) else { return };
        counts[0] += 1;
        counts[1] += expected.len();
        let names = |s: &BTreeSet<Vec<Step>>| s.iter().map(|p| show(model, p)).collect::<Vec<_>>();
        let invented: BTreeSet<_> = sure.difference(&expected).cloned().collect();
        assert!(invented.is_empty(), "{cover} to {length}, invented: {:?}", names(&invented));
        // Where a run ends, a path may go on perhaps.
        let is_there = |p: &Vec<Step>| sure.contains(p) || perhaps.iter().any(|q| q.starts_with(p));
        let lost: BTreeSet<_> = expected.iter().filter(|p| !is_there(p)).cloned().collect();
        assert!(lost.is_empty(), "{cover} to {length}, lost: {:?}", names(&lost));
    } else if !delta && made.counts.cut == 0 {
        // Internal steps may lead back: then only what is seen is compared.
        let seen = |paths: &BTreeSet<Vec<Step>>| -> BTreeSet<Vec<Step>> {
            let seen = paths.iter().map(|p| p.iter().copied().filter(|s| s.is_observable(model)).collect::<Vec<_>>());
            seen.filter(|p| p.len() == length).collect()
        };
        let Some(expected) = runs::seen_of_length(model, length, 3_000) else { return };
        counts[2] += 1;
        counts[3] += expected.len();
        let (sure, perhaps) = (seen(&sure), seen(&perhaps));
        assert!(length == 0 || sure.is_subset(&expected), "{cover} to {length}: {sure:?}, {expected:?}");
        for path in expected.iter().filter(|p| !p.is_empty()) {
            assert!(sure.contains(path) || perhaps.contains(path), "lost: {}", show(model, path));
        }
    }
    // Where something can be seen, there is something to test.
    let nothing = made.purposes.is_empty() && made.counts.cut == 0 && length > 0;
    assert!(!nothing || runs::seen_of_length(model, 1, 3_000).is_none_or(|s| s.is_empty()), "no purpose: {made:?}");
}

#[test]
fn paths_and_traces_are_exactly_those_of_runs() {
    for (cover, least) in [(Cover::Traces(3), 80), (Cover::Paths(3), 40)] {
        let mut counts = [0; 4];
        for_models(30, FINITE, |model| check_lengths(model, &builtin, cover.clone(), &mut counts));
        println!("{cover}: {counts:?}");
        assert!(by_hand() || counts[0] > 10 && counts[1] + counts[3] > least, "{counts:?}");
    }
    if has_z3() {
        for_models(2, FINITE, |model| check_lengths(model, &z3, Cover::Traces(2), &mut [0; 4]));
    }
}

#[test]
fn split_purposes_have_the_same_accepts() {
    let mut split_up = 0;
    for_models(6, FINITE, |model| {
        for (cover, data) in covers() {
            let whole = make(model, &quick, &options(cover.clone(), data));
            let split = make(model, &quick, &PlanOptions { split: true, ..options(cover, data) });
            assert!(split.purposes.iter().all(|p| p.accepts().count() == 1));
            let lines = |plan: &Plan| -> Vec<String> {
                let of = |p: &Purpose| p.accepts().map(|n| format!("{:?}", p.line(n))).collect::<Vec<_>>();
                let mut lines: Vec<String> = plan.purposes.iter().flat_map(of).collect();
                lines.sort();
                lines
            };
            assert_eq!(lines(&whole), lines(&split));
            assert_eq!(ways(&whole), ways(&split));
            split_up += split.purposes.len() - whole.purposes.len();
            let kinds =
                |plan: &Plan| -> Vec<_> { plan.goals.iter().map(|(g, s)| (g.clone(), s.is_covered())).collect() };
            assert_eq!(kinds(&whole), kinds(&split));
        }
    });
    assert!(by_hand() || split_up > 10, "{split_up}");
}

#[test]
fn the_same_plan_on_any_number_of_workers_and_again() {
    // Only large layers are shared between workers.
    for (shape, models, nodes) in [(FINITE, 3, 120), (DENSE, 1, 600)] {
        for_models(models, shape, |model| {
            for (cover, data) in covers() {
                for steering in [false, true] {
                    if steering && cover != Cover::Switch {
                        continue;
                    }
                    let run = |workers| {
                        let options = PlanOptions { workers, steering, nodes, ..options(cover.clone(), data) };
                        format!("{:?}", make(model, &quick, &options))
                    };
                    let first = run(1);
                    for workers in [1, 2, 3] {
                        assert_eq!(run(workers), first, "{cover}, {workers} workers");
                    }
                }
            }
        });
    }
}

#[test]
fn tiny_limits_are_no_trouble() {
    let mut seen = Seen::default();
    for_models(3, FINITE, |model| {
        for (cover, data) in covers() {
            let usual = || PlanOptions { steering: cover == Cover::Switch, ..options(cover.clone(), data) };
            let few = Limits { resources: 10, ..Limits::default() };
            let flag = || Some(Arc::new(AtomicBool::new(true)));
            let mut all: Vec<PlanOptions> =
                [0, 1, 2, 10].iter().map(|n| PlanOptions { nodes: *n, ..usual() }).collect();
            all.push(PlanOptions { limits: few, ..usual() });
            all.push(PlanOptions { limits: limits().until(flag().as_ref()), ..usual() });
            all.push(PlanOptions { enough: flag(), ..usual() });
            all.push(PlanOptions { depth: Some(0), ..usual() });
            all.push(PlanOptions { depth: Some(1), ..usual() });
            all.push(PlanOptions { internal: 0, ..usual() });
            all.push(PlanOptions { internal: 1, walk: 0, ..usual() });
            for options in all {
                let made = make(model, &quick, &options);
                check_purposes(model, &quick, &made, &mut seen);
                check_goals(model, &made, data, &mut seen);
            }
        }
    });
    println!("{seen:?}");
}
