//! Symbolic execution against the concrete interpreter on random small models: nothing is lost, nothing is invented.
//! A failure prints the seed and the model; `SIOCO_SEEDS` and `SIOCO_FIRST_SEED` say which seeds are tried.

mod support;

use std::collections::{BTreeMap, BTreeSet};

use sioco_model::semantics::live::Live;
use sioco_model::semantics::{Interpreter, State};
use sioco_model::{Id, LocationId, Model, SymbolId, Value, VarId};
use sioco_solve::values::{Bounds, Choice};
use sioco_solve::{Limits, Reason};
use sioco_symbolic::explore::Cursor;
use sioco_symbolic::{
    ExploreOptions, Graph, Merge, NodeId, Order, Path, Reach, Shortcuts, Solved, SolverFactory, Step, Stop, explore,
    reach,
};
use support::generate::{ANY, DENSE, FINITE, SHORT};
use support::scripted::{Scripted, is_wide};
use support::{
    Shape, Tree, builtin, by_hand, complete, concrete_reachable, concrete_steps, concrete_tree, domain, first_seed,
    has_z3, limits, plain_builtin, plain_z3, random_model, seeds, show, state_for, states_of, value, z3,
};

/// As many values of symbols are tried for one symbolic state.
const TRIED: u64 = 3_000;

fn tree_options(depth: usize) -> ExploreOptions {
    ExploreOptions {
        merge: Merge::Nothing,
        depth: Some(depth),
        workers: 1,
        limits: limits(),
        ..ExploreOptions::default()
    }
}

/// The nodes of a tree by their paths.
fn paths(graph: &Graph) -> BTreeMap<Vec<Step>, NodeId> {
    graph.ids().map(|n| (graph.path(n), n)).collect()
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

/// What a tree said, so that a test can tell that it was about something.
#[derive(Default, Debug)]
struct Seen {
    paths: usize,
    doubtful: usize,
    impossible: usize,
    compared: usize,
    replayed: usize,
    silences: usize,
    divergences: usize,
    unsolved: usize,
}

/// Replays a solved path, and compares the symbolic state with the concrete one after the last step.
fn replay(path: &mut Path<'_>, solved: &Solved) {
    let model = path.model();
    let mut interpreter = Interpreter::new(model);
    let start: BTreeMap<usize, &Value> = solved.start.iter().map(|(v, x)| (v.index(), x)).collect();
    let mut state = interpreter.initial(&mut |v| start[&v.index()].clone());
    for v in model.variables.ids() {
        assert!(model.sorts.contains(model.variables[v].sort, state.value(v)), "the initial value is in range");
    }
    let mut open: Vec<(SymbolId, Value)> = Vec::new();
    for y in path.open_symbols() {
        let name = path.symbol_name(y);
        if let Some(var) = name.strip_suffix("#0") {
            open.push((y, start[&model.variable(var).expect("a variable").index()].clone()));
        }
    }
    for (i, (step, args)) in solved.steps.iter().enumerate() {
        let mut fired = Vec::new();
        for switch in step.switches() {
            fired.push(interpreter.fire(&mut state, switch, args));
        }
        assert!(fired.iter().all(|f| *f == Ok(true)), "step {i} {} with {args:?}: {fired:?}", step.name(model));
        let Some(first) = step.switches().next() else { continue };
        let params = &model.switches[first].params;
        let chosen = params.iter().zip(args).filter(|(p, _)| p.term.is_none());
        for (p, x) in chosen.clone() {
            assert!(model.sorts.contains(p.sort, x), "step {i}: {x} is out of range");
        }
        for (term, (_, x)) in path.free(i).iter().zip(chosen) {
            match path.pool().get(*term) {
                sioco_model::term::Term::Symbol(y, _) => open.push((*y, x.clone())),
                _ => assert_eq!(value(path, *term, &[]).as_ref(), Some(x), "step {i}"),
            }
        }
    }
    let symbols = complete(path, &open).expect("the values satisfy the path condition");
    for (i, (_, args)) in solved.steps.iter().enumerate() {
        for (term, x) in path.args(i).iter().zip(args) {
            assert_eq!(value(path, *term, &symbols).as_ref(), Some(x), "argument of step {i}");
        }
    }
    assert_eq!(state_for(path, &symbols), state);
}

/// Every concrete run is a path of the tree; every path that is not doubtful has values that replay; and each symbolic
/// state stands for exactly the concrete states at the end of these runs.
fn check_tree(model: &Model, solvers: SolverFactory<'_>, concrete: &Tree, options: &ExploreOptions, seen: &mut Seen) {
    let found = explore(model, solvers, options, &mut |_| {});
    assert!(matches!(found.stop, Stop::Depth | Stop::Complete), "{:?}", found.stop);
    let graph = &found.graph;
    let nodes = paths(graph);
    assert_eq!(nodes.len(), graph.len(), "no path is there twice");
    for (path, set) in concrete {
        assert!(set.states.is_empty() || nodes.contains_key(path), "{} is lost", show(model, path));
    }
    let mut cursor = Cursor::new(Path::with(model, solvers, options.shortcuts, options.limits.clone()));
    let mut other = Path::with(model, solvers, Shortcuts::default(), limits());
    for (steps, &node) in &nodes {
        seen.paths += 1;
        cursor.go(graph, node);
        let none = support::Set::default();
        let set = concrete.get(steps).unwrap_or(&none);
        let shown = show(model, steps);
        assert!(!steps.windows(2).any(|w| w.iter().all(|s| s.is_silence())), "{shown}");
        let sure = !graph.rests_on_unknown(node);
        seen.doubtful += usize::from(!sure);
        seen.silences += usize::from(steps.last() == Some(&Step::Delta));
        seen.divergences += usize::from(steps.last() == Some(&Step::Divergence) && !set.states.is_empty());
        if sure {
            assert!(set.unclear || !set.states.is_empty(), "{shown} is impossible, but in the tree");
        }
        if !set.unclear
            && let Some(states) = states_of(&mut cursor.path, TRIED)
        {
            seen.compared += 1;
            if !sure && steps.contains(&Step::Divergence) {
                // It was not decided for which values internal steps go on for ever.
                assert!(states.is_superset(&set.states), "after {shown}");
            } else {
                assert_eq!(states, set.states, "after {shown}");
            }
        }
        let choice = [Choice::Min, Choice::Max, Choice::Middle, Choice::Random(7)][seen.paths % 4];
        match reach(&mut other, steps, choice) {
            Reach::Reachable(solved) => {
                seen.replayed += 1;
                assert_eq!(solved.steps.iter().map(|s| s.0).collect::<Vec<_>>(), *steps);
                replay(&mut other, &solved);
            }
            Reach::Impossible { .. } => {
                assert!(!sure, "{shown} was possible and is impossible");
                assert!(set.states.is_empty(), "{shown} is not impossible");
            }
            // Every step was possible, but values for all of them together were not found.
            Reach::Unknown { .. } => seen.unsolved += 1,
        }
    }
    // What is not in the tree is impossible for `reach` as well, and concretely, see above.
    for (steps, &node) in nodes.iter().filter(|(_, n)| graph.is_expanded(**n)) {
        cursor.go(graph, node);
        let mut outgoing = Vec::new();
        cursor.path.outgoing(&mut outgoing);
        for step in outgoing {
            let longer = [&steps[..], &[step]].concat();
            if nodes.contains_key(&longer) {
                continue;
            }
            seen.impossible += 1;
            match reach(&mut other, &longer, Choice::Min) {
                Reach::Impossible { at, clash } => {
                    // It may show earlier, where the tree had a doubt.
                    assert!(at == steps.len() || at < steps.len() && graph.rests_on_unknown(node), "{at}");
                    assert!(!clash.is_empty(), "{} has no reason", show(model, &longer));
                }
                Reach::Unknown { .. } => seen.unsolved += 1,
                found => panic!("{}: {found:?}", show(model, &longer)),
            }
        }
    }
}

fn trees(usual: u64, shape: Shape, delta: bool, shortcuts: Shortcuts, solvers: SolverFactory<'_>) -> Seen {
    let mut seen = Seen::default();
    for_models(usual, shape, |model| {
        let (concrete, depth) = concrete_tree(model, 4, delta, 60);
        let options = ExploreOptions { delta, shortcuts, ..tree_options(depth) };
        check_tree(model, solvers, &concrete, &options, &mut seen);
    });
    println!("{seen:?}");
    seen
}

#[test]
fn trees_are_exactly_the_runs() {
    let seen = trees(16, ANY, false, Shortcuts::default(), &builtin);
    assert!(
        by_hand() || seen.paths > 200 && seen.replayed * 4 > seen.paths * 3 && seen.compared * 4 > seen.paths,
        "{seen:?}"
    );
    let seen = trees(40, FINITE, false, Shortcuts::default(), &builtin);
    assert!(
        by_hand() || seen.paths > 200 && seen.replayed * 10 > seen.paths * 9 && seen.compared * 2 > seen.paths,
        "{seen:?}"
    );
}

#[test]
fn trees_are_exactly_the_runs_for_z3() {
    if has_z3() {
        let seen = trees(6, ANY, false, Shortcuts::default(), &z3);
        assert!(by_hand() || seen.doubtful * 10 <= seen.paths, "{seen:?}");
    }
}

#[test]
fn trees_without_shortcuts_are_the_same() {
    let off = Shortcuts { evaluation: false, independence: false };
    trees(6, ANY, false, off, &plain_builtin);
    trees(8, FINITE, true, off, &builtin);
    trees(8, FINITE, false, Shortcuts { evaluation: true, independence: false }, &builtin);
    trees(8, FINITE, false, Shortcuts { evaluation: false, independence: true }, &builtin);
    if has_z3() {
        trees(3, ANY, false, off, &plain_z3);
    }
}

/// Silence is a step exactly where some concrete state is quiescent, or on a round of internal steps without outputs.
#[test]
fn silence_is_where_states_are_quiescent() {
    let seen = trees(40, FINITE, true, Shortcuts::default(), &builtin);
    assert!(by_hand() || (seen.silences > 50 && seen.divergences > 0), "{seen:?}");
    if has_z3() {
        let seen = trees(4, FINITE, true, Shortcuts::default(), &z3);
        assert!(by_hand() || seen.silences > 2, "{seen:?}");
    }
}

/// Short sequences, variants, records and small numbers: everything is decided without a back-end, silence included.
#[test]
fn small_models_are_decided_by_the_built_in_solver() {
    let mut seen = Seen::default();
    for_models(60, SHORT, |model| {
        let (concrete, depth) = concrete_tree(model, 3, true, 60);
        let options = ExploreOptions { delta: true, limits: Limits::default(), ..tree_options(depth) };
        check_tree(model, &builtin, &concrete, &options, &mut seen);
    });
    assert!(by_hand() || seen.paths > 500 && seen.silences > 50, "{seen:?}");
    assert_eq!((seen.doubtful, seen.unsolved), (0, 0), "{seen:?}");
    // And the whole graph is finite.
    let mut counts = [0; 4];
    for_models(40, SHORT, |model| {
        let options = ExploreOptions { nodes: 400, workers: 1, ..ExploreOptions::default() };
        check_merged(model, &options, &builtin, &mut counts);
    });
    println!("cut, complete, inclusions, compared: {counts:?}");
    assert_eq!(counts[0], 0, "{counts:?}");
}

/// The live variables of a state.
fn live_values(live: &Live, state: &State) -> Vec<Value> {
    state.locations().iter().flat_map(|l| live.at(*l)).map(|v| state.value(*v).clone()).collect()
}

/// Comparing states asks with quantifiers, whose values the built-in solver tries one by one; `unknown` is as good as no.
fn quick() -> Box<dyn Bounds> {
    Box::new(Scripted::new(builtin(), Reason::Resources, is_wide))
}

fn check_merged(model: &Model, options: &ExploreOptions, solvers: SolverFactory<'_>, counts: &mut [usize; 4]) {
    let Some((states, steps)) = concrete_reachable(model, 1_000) else { return };
    let found = explore(model, solvers, options, &mut |_| {});
    let graph = &found.graph;
    let complete = found.stop == Stop::Complete;
    counts[usize::from(complete)] += 1;
    let mut cursor = Cursor::new(Path::with(model, solvers, Shortcuts::default(), limits()));
    let (mut sure, mut perhaps) = (BTreeSet::new(), BTreeSet::new());
    let (mut sure_at, mut perhaps_at): (BTreeSet<Vec<LocationId>>, BTreeSet<Vec<LocationId>>) = Default::default();
    let live = Live::of(model);
    for node in graph.ids() {
        cursor.go(graph, node);
        let locations = cursor.path.locations().to_vec();
        if !graph.rests_on_unknown(node) {
            sure.extend(graph.step(node));
            sure_at.insert(locations.clone());
        }
        perhaps.extend(graph.step(node));
        perhaps_at.insert(locations);
        let Some(other) = graph.included_in(node) else { continue };
        assert!(other < node && graph.included_in(other).is_none());
        assert!(!complete || graph.is_expanded(other));
        assert!(!graph.is_expanded(node));
        assert!(graph.rests_on_unknown(node) || !graph.rests_on_unknown(other), "sure states stay sure");
        if let Some(own) = states_of(&mut cursor.path, TRIED) {
            cursor.go(graph, other);
            if let Some(theirs) = states_of(&mut cursor.path, TRIED) {
                counts[2] += 1;
                let mut all = BTreeMap::new();
                for s in &theirs {
                    all.insert((s.locations().to_vec(), live_values(&live, s)), s);
                }
                for s in own {
                    let key = (s.locations().to_vec(), live_values(&live, &s));
                    assert!(
                        all.contains_key(&key),
                        "{} is in {} but {} is not",
                        show(model, &graph.path(node)),
                        show(model, &graph.path(other)),
                        s.show(model)
                    );
                }
            }
        }
    }
    let reached: BTreeSet<Vec<LocationId>> = states.iter().map(|s| s.locations().to_vec()).collect();
    assert!(sure.is_subset(&steps), "invented: {:?}", sure.difference(&steps));
    assert!(sure_at.is_subset(&reached));
    if complete {
        counts[3] += 1;
        let lost: Vec<String> = steps.difference(&perhaps).map(|s| s.name(model)).collect();
        assert!(lost.is_empty(), "lost: {lost:?}");
        assert!(reached.is_subset(&perhaps_at));
    }
}

#[test]
fn merged_graphs_reach_what_can_be_reached() {
    for (merge, order) in [
        (Merge::Equal, Order::BreadthFirst),
        (Merge::Included, Order::BreadthFirst),
        (Merge::Included, Order::DepthFirst),
        (Merge::Equal, Order::DepthFirst),
    ] {
        let mut counts = [0; 4];
        for_models(20, FINITE, |model| {
            let depth = (order == Order::DepthFirst).then_some(12);
            let options = ExploreOptions {
                merge,
                order,
                depth,
                nodes: 60,
                workers: 1,
                limits: limits(),
                ..ExploreOptions::default()
            };
            check_merged(model, &options, &quick, &mut counts);
        });
        println!("{merge:?} {order:?}: cut, complete, inclusions, compared: {counts:?}");
        assert!(by_hand() || counts[2] > 20 && counts[3] > 8, "{counts:?}");
    }
}

#[test]
fn merged_graphs_reach_what_can_be_reached_for_z3() {
    if has_z3() {
        let mut counts = [0; 4];
        for_models(4, FINITE, |model| {
            let options = ExploreOptions {
                merge: Merge::Included,
                nodes: 60,
                workers: 1,
                limits: limits(),
                ..ExploreOptions::default()
            };
            check_merged(model, &options, &z3, &mut counts);
        });
        println!("{counts:?}");
    }
}

/// All that a graph says.
fn everything(graph: &Graph) -> Vec<impl PartialEq + std::fmt::Debug + use<>> {
    let all = graph.ids().map(|n| {
        let marks = (graph.is_doubtful(n), graph.rests_on_unknown(n), graph.is_expanded(n));
        (graph.parent(n), graph.step(n), graph.depth(n), marks, graph.included_in(n), graph.children(n))
    });
    all.collect()
}

#[test]
fn workers_do_not_change_the_graph() {
    let mut large = 0;
    for merge in [Merge::Nothing, Merge::Equal, Merge::Included] {
        for_models(8, DENSE, |model| {
            for (order, depth) in [(Order::BreadthFirst, None), (Order::DepthFirst, Some(9))] {
                let run = |workers| {
                    let nodes = 1_500;
                    let options = ExploreOptions {
                        merge,
                        workers,
                        nodes,
                        order,
                        depth,
                        delta: true,
                        ..ExploreOptions::default()
                    };
                    explore(model, &builtin, &options, &mut |_| {})
                };
                let one = run(1);
                large += usize::from(one.graph.len() > 600);
                for workers in [2, 3] {
                    let more = run(workers);
                    assert_eq!(more.stop, one.stop, "{merge:?}, {order:?}");
                    assert_eq!(
                        everything(&more.graph),
                        everything(&one.graph),
                        "{merge:?}, {order:?}, {workers} workers"
                    );
                }
            }
        });
    }
    assert!(by_hand() || large > 1, "{large} graphs have layers that are shared");
}

#[test]
fn depth_first_has_the_same_paths() {
    for_models(30, FINITE, |model| {
        let (concrete, depth) = concrete_tree(model, 4, true, 100);
        assert!(!concrete.is_empty());
        let run = |order| {
            let options = ExploreOptions { order, delta: true, ..tree_options(depth) };
            explore(model, &quick, &options, &mut |_| {})
        };
        let (wide, deep) = (run(Order::BreadthFirst), run(Order::DepthFirst));
        assert_eq!(wide.stop, deep.stop);
        // What was undecided in one order may be decided in the other; what is sure is in both.
        for (one, other) in [(&wide.graph, &deep.graph), (&deep.graph, &wide.graph)] {
            let all = paths(other);
            for (steps, node) in paths(one) {
                match all.get(&steps) {
                    Some(same) => assert_eq!(one.is_expanded(node), other.is_expanded(*same)),
                    None => assert!(one.rests_on_unknown(node), "{} is in one order only", show(model, &steps)),
                }
            }
        }
        // Children are found in both.
        for graph in [&wide.graph, &deep.graph] {
            for n in graph.ids() {
                let expected: Vec<NodeId> = graph.ids().filter(|c| graph.parent(*c) == Some(n)).collect();
                assert_eq!(graph.children(n), expected);
            }
        }
    });
}

/// The steps with their arguments that are possible within a number of steps.
fn future(
    interpreter: &mut Interpreter<'_>,
    state: &State,
    depth: usize,
    at: &mut Vec<u32>,
    all: &mut BTreeSet<Vec<u32>>,
) {
    if depth == 0 || all.len() > 400 {
        return;
    }
    let mut by_label: BTreeMap<String, Vec<State>> = BTreeMap::new();
    for (step, args, next) in concrete_steps(interpreter, state) {
        by_label.entry(format!("{step:?}{args:?}")).or_default().push(next);
    }
    for (label, next) in by_label {
        let hash = label.bytes().fold(17u32, |h, b| h.wrapping_mul(31).wrapping_add(u32::from(b)));
        at.push(hash);
        all.insert(at.clone());
        for state in next {
            future(interpreter, &state, depth - 1, at, all);
        }
        at.pop();
    }
}

#[test]
fn dead_variables_do_not_matter() {
    let mut dead = 0;
    for_models(60, FINITE, |model| {
        let live = Live::of(model);
        let Some((states, _)) = concrete_reachable(model, 400) else { return };
        let mut interpreter = Interpreter::new(model);
        for state in states.iter().step_by(states.len().div_ceil(6)) {
            let matters: Vec<VarId> = state.locations().iter().flat_map(|l| live.at(*l)).copied().collect();
            let expected = {
                let mut all = BTreeSet::new();
                future(&mut interpreter, state, 3, &mut Vec::new(), &mut all);
                all
            };
            for v in model.variables.ids().filter(|v| !matters.contains(v)) {
                for x in domain(model, model.variables[v].sort) {
                    let mut values = state.values().to_vec();
                    values[v.index()] = x;
                    let changed = State::new(state.locations().to_vec(), values);
                    let mut all = BTreeSet::new();
                    future(&mut interpreter, &changed, 3, &mut Vec::new(), &mut all);
                    dead += 1;
                    assert_eq!(all, expected, "{} in {}", model.variable_name(v), state.show(model));
                }
            }
        }
    });
    assert!(by_hand() || dead > 100, "{dead}");
}
