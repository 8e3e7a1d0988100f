//! What rests on an `unknown` is kept and marked, and the reason is carried on.

mod support;

use std::path::Path as FilePath;

use sioco_lang::check::check_file;
use sioco_lang::source::FsLoader;
use sioco_model::eval::{Env, eval};
use sioco_model::term::Term;
use sioco_model::{Id, Model, TermId, Value};
use sioco_solve::values::{Bounds, Choice};
use sioco_solve::{Reason, Terms};
use sioco_symbolic::{
    Exploration, ExploreOptions, Merge, Order, Path, Possible, Reach, SolverFactory, Stop, explore, named_steps, reach,
};
use support::scripted::Scripted;
use support::{builtin, model};

fn accumulator() -> Model {
    let file = FilePath::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/accumulator/accumulator.sts");
    check_file(&file, &FsLoader, &Default::default()).model.expect("a model").model
}

/// Whether a condition over one symbol says `symbol > 15`.
fn is_above_15(terms: Terms<'_>, term: TermId) -> bool {
    let mut symbols = Vec::new();
    terms.pool.visit(term, &mut |_, t| {
        if let Term::Symbol(y, _) = t {
            symbols.push(*y);
        }
    });
    let [y] = symbols[..] else { return false };
    let holds = |n: i64| {
        let mut all: Vec<Value> = terms.symbols.values().map(|_| Value::Int(0)).collect();
        all[y.index()] = Value::Int(n);
        eval(terms.pool, terms.sorts, term, Env { symbols: &all, ..Env::default() }) == Ok(Value::Bool(true))
    };
    !holds(0) && !holds(15) && holds(16) && holds(1_000)
}

/// The solver of S0 figure 2: it does not know about `x > 15` after one input.
fn not_after_one_input() -> Box<dyn Bounds> {
    Box::new(Scripted::new(builtin(), Reason::Undecided("figure 2".into()), is_above_15))
}

fn dead() -> Box<dyn Bounds> {
    let reason = Reason::Broken { solver: "scripted".into(), what: "it died".into() };
    Box::new(Scripted::new(builtin(), reason, |_, _| true))
}

fn tree(model: &Model, solvers: SolverFactory<'_>, merge: Merge, order: Order, depth: usize) -> Exploration {
    let options = ExploreOptions { merge, order, depth: Some(depth), workers: 1, ..ExploreOptions::default() };
    explore(model, solvers, &options, &mut |_| {})
}

/// S0 example 15 and figure 2: the edge `r2` after `r0 r1` is kept where the solver says `unknown`, and marked; with a
/// solver that knows, it is not there.
#[test]
fn s0_example_15_figure_2_unknown_edge_is_kept_and_marked() {
    let model = accumulator();
    let steps = named_steps(&model, &["r0", "r1", "r2"]).expect("a path");
    for order in [Order::BreadthFirst, Order::DepthFirst] {
        let sure = tree(&model, &builtin, Merge::Nothing, order, 5);
        assert!(sure.graph.ids().all(|n| sure.graph.path(n) != steps && !sure.graph.rests_on_unknown(n)));
        let found = tree(&model, &not_after_one_input, Merge::Nothing, order, 5);
        let graph = &found.graph;
        let marked: Vec<Vec<String>> = graph
            .ids()
            .filter(|n| graph.rests_on_unknown(*n))
            .map(|n| graph.path(n).iter().map(|s| s.name(&model)).collect())
            .collect();
        assert_eq!(marked, [["r0", "r1", "r2"]], "{order:?}");
        // After two inputs the solver knows again.
        let later = named_steps(&model, &["r0", "r1", "r0", "r1", "r2"]).expect("a path");
        assert!(graph.ids().any(|n| graph.path(n) == later && !graph.rests_on_unknown(n)), "{order:?}");
    }
}

/// The same for a given path: it is unknown, with the step and the words of the solver.
#[test]
fn s0_example_15_unknown_path_names_step_and_reason() {
    let model = accumulator();
    let steps = named_steps(&model, &["r0", "r1", "r2"]).expect("a path");
    let mut path = Path::new(&model, &not_after_one_input);
    let expected = Reach::Unknown { at: 2, reason: Reason::Undecided("figure 2".into()) };
    assert_eq!(reach(&mut path, &steps, Choice::Min), expected);
}

/// Everything below an edge that rests on `unknown` rests on it, too, however sure its own steps are.
#[test]
fn what_follows_an_unknown_is_marked() {
    let m = model(
        "input a(p: Int)\noutput b(q: Int)\nprocess P {\n var x: Int = 0\n init l {\n i: ?a(p) / x := p -> m\n }\n \
         state m {\n o: !b(x) [x > 15] -> n\n q: !b(x) [x < 3] -> n\n }\n state n { z: !b(0) -> n }\n}",
    );
    for order in [Order::BreadthFirst, Order::DepthFirst] {
        let found = tree(&m, &not_after_one_input, Merge::Nothing, order, 5);
        let graph = &found.graph;
        let (mut marked, mut doubtful) = (0, 0);
        for n in graph.ids() {
            let names: Vec<String> = graph.path(n).iter().map(|s| s.name(&m)).collect();
            assert_eq!(graph.rests_on_unknown(n), names.contains(&"o".to_string()), "{names:?}");
            marked += usize::from(graph.rests_on_unknown(n));
            doubtful += usize::from(graph.is_doubtful(n));
        }
        assert_eq!((marked, doubtful), (4, 1), "{order:?}");
    }
}

/// T-X3: where a proved-satisfiable path exists, it is preferred.
#[test]
fn sure_states_are_not_merged_into_doubtful_ones() {
    let m = model(
        "input a(p: Int)\noutput b\nprocess P {\n var x: Int = 0\n init l {\n i: ?a(p) / x := p -> m\n }\n \
         state m {\n o: !b [x > 15] / x := 0 -> n\n q: !b [x < 3] / x := 0 -> n\n }\n state n { z: !b -> n }\n}",
    );
    for merge in [Merge::Equal, Merge::Included] {
        let found = tree(&m, &not_after_one_input, merge, Order::BreadthFirst, 9);
        assert_eq!(found.stop, Stop::Complete);
        let taken = found.graph.taken(&m);
        let z = m.switch("z").expect("z");
        assert_eq!(taken[z.index()], Some(true), "{merge:?}: z is surely possible");
        assert_eq!(taken[m.switch("o").expect("o").index()], Some(false));
    }
}

/// A solver that died says nothing about the model: its name and what happened reach whoever asked.
#[test]
fn a_dead_solver_is_named() {
    let model = accumulator();
    let broken = Reason::Broken { solver: "scripted".into(), what: "it died".into() };
    let mut path = Path::new(&model, &dead);
    let r0 = named_steps(&model, &["r0"]).expect("a path");
    assert_eq!(path.probe(r0[0]), Possible::Unknown(broken.clone()));
    assert_eq!(reach(&mut path, &r0, Choice::Min), Reach::Unknown { at: 0, reason: broken });
    let found = tree(&model, &dead, Merge::Nothing, Order::BreadthFirst, 4);
    // What needs no solver is still known: `x > 15` is false for 0.
    assert!(found.graph.ids().skip(1).all(|n| found.graph.rests_on_unknown(n)));
    assert_eq!(found.graph.children(found.graph.root()).len(), 1);
}

/// No included state on the word of a solver that does not know.
#[test]
fn unknown_is_not_included() {
    let model = accumulator();
    let found = tree(&model, &dead, Merge::Included, Order::BreadthFirst, 4);
    assert!(found.graph.ids().all(|n| found.graph.included_in(n).is_none()));
}

/// A condition on known values that takes a solver, since it quantifies without end: where the solver does not know,
/// the path is not said to be reachable.
#[test]
fn an_undecided_quantifier_on_known_values_stays_undecided() {
    let m = model(
        "output o(n: Int)\noutput t\nprocess P {\n var x: Int = 7\n init l {\n a: !o(any n) [n * n * n == x] -> l\n \
         e: tau [else] -> m\n }\n state m { z: !t -> m }\n}",
    );
    let undecided = || -> Box<dyn Bounds> {
        Box::new(Scripted::new(builtin(), Reason::Undecided("quantifier".into()), |terms, t| {
            let mut found = false;
            let is_exists = |t: &Term| matches!(t, Term::App(sioco_model::term::Op::Exists { .. }, _));
            terms.pool.visit(t, &mut |_, t| found |= is_exists(t));
            found
        }))
    };
    let steps = named_steps(&m, &["e", "z"]).expect("a path");
    let mut path = Path::new(&m, &undecided);
    assert!(matches!(path.probe(steps[0]), Possible::Unknown(_)));
    let answer = reach(&mut path, &steps, Choice::Min);
    assert!(matches!(answer, Reach::Unknown { at: 0, .. }), "{answer:?}");
}
