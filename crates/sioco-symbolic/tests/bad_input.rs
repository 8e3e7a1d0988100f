//! Models that are hard or odd: a marked `unknown`, a limit that is kept, or a plain answer; never a panic, a hang or a
//! wrong answer.

mod support;

use std::fmt::Write;
use std::time::Duration;

use sioco_lang::check_text;
use sioco_model::semantics::Interpreter;
use sioco_model::sort::Sort;
use sioco_model::{Id, Model, Value};
use sioco_solve::values::Choice;
use sioco_solve::{Cancellation, Limits, Reason};
use sioco_symbolic::{
    Exploration, ExploreOptions, Merge, Order, Path, Possible, Reach, Step, Stop, explore, named_steps, reach,
    reach_named,
};
use support::{builtin, has_z3, limits, model, z3};

fn run(model: &Model, options: ExploreOptions) -> Exploration {
    explore(model, &builtin, &ExploreOptions { limits: limits(), ..options }, &mut |_| {})
}

fn tree(depth: usize) -> ExploreOptions {
    ExploreOptions { merge: Merge::Nothing, depth: Some(depth), workers: 1, delta: true, ..ExploreOptions::default() }
}

/// How surely a switch is taken: not at all, perhaps, surely.
fn taken(model: &Model, found: &Exploration, switch: &str) -> Option<bool> {
    found.graph.taken(model)[model.switch(switch).expect("a switch").index()]
}

/// Replays a path that is said to be reachable.
fn replays(model: &Model, names: &[&str]) -> bool {
    let steps = named_steps(model, names).expect("a path");
    let mut path = Path::with(model, &builtin, Default::default(), limits());
    let Reach::Reachable(solved) = reach(&mut path, &steps, Choice::Min) else { return false };
    let mut interpreter = Interpreter::new(model);
    let start = |v| solved.start.iter().find(|(w, _)| *w == v).expect("a value").1.clone();
    let mut state = interpreter.initial(&mut { start });
    for (step, args) in &solved.steps {
        for switch in step.switches() {
            assert_eq!(interpreter.fire(&mut state, switch, args), Ok(true), "{names:?} with {args:?}");
        }
    }
    true
}

#[test]
fn nonlinear_guards() {
    let m = model(
        "input a(p: Int, q: Int)\noutput o\nprocess P {\n var x: Int = 0\n init l {\n \
         s: ?a(p, q) [p * p * p + q * q * q == 33 + x] / x := p -> m\n \
         t: ?a(p, q) [p * q == 6 && p > q] / x := p * q -> m\n u: ?a(p, q) [p * p < 0] -> m\n }\n \
         state m { v: !o [x * x == 2] -> l  w: !o [x * x >= 0] -> m }\n}",
    );
    let found = run(&m, tree(3));
    // Neither may be said to be surely possible.
    assert_ne!(taken(&m, &found, "u"), Some(true));
    assert!(taken(&m, &found, "t").is_some() && taken(&m, &found, "s").is_some());
    let _ = replays(&m, &["t", "w"]);
    // `x` may be anything whose cube is there, but no square is 2.
    assert_ne!(taken(&m, &found, "v"), Some(true));
}

#[test]
fn string_constraints() {
    let m = model(
        "input a(s: String, t: String)\noutput o(s: String)\nprocess P {\n var x: String = \"\"\n init l {\n \
         s: ?a(s, t) [s ++ t == t ++ s && s != t && len(s) > 2 && contains(t, \"ab\")] / x := s ++ t -> m\n \
         u: ?a(s, t) [len(s ++ t) < len(s)] -> m\n }\n \
         state m { v: !o(x) [len(x) > 3] -> l  w: !o(slice(x, 1, 2)) -> m }\n}",
    );
    let found = run(&m, tree(3));
    assert_ne!(taken(&m, &found, "u"), Some(true));
    assert!(taken(&m, &found, "s").is_some());
    let _ = replays(&m, &["s", "v"]);
}

#[test]
fn divisors_that_may_be_zero() {
    let m = model(
        "input a(p: Int in -2..2)\noutput o(n: Int)\nprocess P {\n var x: Int = 0\n init l {\n \
         s: ?a(p) / x := p -> m\n }\n state m {\n \
         v: !o(10 div x) -> l\n w: !o(x) [10 div x == 10 div x] -> l\n z: !o(0) [x == 0 && 10 div x > 3] -> l\n \
         y: !o(x) [x == 0 || 10 mod x == 1] / x := 6 div (x - 1) -> l\n }\n}",
    );
    let found = run(&m, tree(2));
    assert_eq!(taken(&m, &found, "z"), None, "what is undefined is not enabled");
    for name in ["v", "w", "y"] {
        assert_eq!(taken(&m, &found, name), Some(true));
        assert!(replays(&m, &["s", name]));
    }
    // Every value of the divisor but zero.
    for (choice, value) in [(Choice::Min, -2), (Choice::Max, 2)] {
        let steps = named_steps(&m, &["s", "w"]).expect("a path");
        let Reach::Reachable(solved) = reach(&mut Path::new(&m, &builtin), &steps, choice) else { panic!() };
        assert_eq!(solved.steps[0].1, [Value::Int(value)]);
    }
}

#[test]
fn contradictory_ranges() {
    let text = "input a(p: Int in 5..3)\ninput b\nprocess P {\n init l {\n s: ?a(p) -> l\n t: ?b -> l\n }\n}";
    assert!(check_text("m.sts", text).has_errors(), "the checker refuses it");
    // A model that was not made from text may have it.
    let mut m = model(&text.replace("5..3", "3..5"));
    let empty = m.sorts.intern(Sort::Int { lo: Some(5.into()), hi: Some(3.into()) });
    let s = m.switch("s").expect("s");
    m.switches[s].params[0].sort = empty;
    for gate in m.gates.ids().collect::<Vec<_>>() {
        m.gates[gate].params.iter_mut().for_each(|p| p.sort = empty);
    }
    let found = run(&m, tree(2));
    assert_eq!(taken(&m, &found, "s"), None, "there are no values");
    assert_eq!(taken(&m, &found, "t"), Some(true));
    let answer = reach(&mut Path::new(&m, &builtin), &[Step::Switch(s)], Choice::Min);
    assert!(matches!(answer, Reach::Impossible { at: 0, .. }), "{answer:?}");
}

#[test]
fn guards_that_contradict_ranges() {
    let m = model(
        "input a(p: Int in 0..3)\nprocess P {\n var x: Int in 0..3 = 0\n init l {\n s: ?a(p) [p > 3] -> l\n \
         t: ?a(p) / x := p + 4 -> l\n u: ?a(p) / x := p + 3 -> l\n }\n}",
    );
    let found = run(&m, tree(2));
    assert_eq!((taken(&m, &found, "s"), taken(&m, &found, "t")), (None, None));
    assert_eq!(taken(&m, &found, "u"), Some(true));
    let steps = named_steps(&m, &["u"]).expect("a path");
    let Reach::Reachable(solved) = reach(&mut Path::new(&m, &builtin), &steps, Choice::Max) else { panic!() };
    assert_eq!(solved.steps[0].1, [Value::Int(0)]);
}

#[test]
fn numbers_beyond_64_bits() {
    let big = "123456789012345678901234567890";
    let m = model(&format!(
        "input a(p: Int)\noutput o(n: Int)\nprocess P {{\n var x: Int = {big}\n init l {{\n \
         s: ?a(p) [p > {big}] / x := x + p -> m\n t: ?a(p) [p == x - {big} + 9223372036854775807] / x := p + 1 -> n\n }}\n \
         state m {{ v: !o(x) [x > 2 * {big}] -> m  w: !o(x) [x <= 2 * {big}] -> m }}\n \
         state n {{ y: !o(x) [x == 9223372036854775808] -> n  z: !o(x) [x < 0] -> n }}\n}}",
    ));
    for depth in [1, 2] {
        let found = run(&m, tree(depth));
        assert!(taken(&m, &found, "s").is_some() && taken(&m, &found, "t").is_some());
        assert_ne!(taken(&m, &found, "w"), Some(true));
        assert_eq!(taken(&m, &found, "z"), None, "nothing wraps around");
    }
    assert!(replays(&m, &["t", "y"]));
    let _ = replays(&m, &["s", "v"]);
}

const COUNTER: &str = "input a(p: Int in 1..3)\noutput o(n: Int)\nprocess P {\n var x: Int = 0\n init l {\n \
    s: ?a(p) / x := x + p -> m\n }\n state m { t: !o(x) -> l }\n}";

#[test]
fn a_path_of_thousands_of_steps() {
    let m = model(COUNTER);
    let options = ExploreOptions {
        merge: Merge::Nothing,
        order: Order::DepthFirst,
        depth: Some(5_000),
        workers: 1,
        ..ExploreOptions::default()
    };
    let found = run(&m, options);
    assert_eq!((found.stop, found.graph.len()), (Stop::Depth, 5_001));
    assert!(found.graph.ids().all(|n| !found.graph.rests_on_unknown(n)));
    let steps = found.graph.path(found.graph.ids().last().expect("a node"));
    assert_eq!(steps.len(), 5_000);
    let options = ExploreOptions {
        order: Order::BreadthFirst,
        merge: Merge::Nothing,
        depth: Some(2_000),
        ..ExploreOptions::default()
    };
    assert_eq!(run(&m, options).graph.len(), 2_001);
}

#[test]
fn a_long_path_of_known_values() {
    let m = model(
        "output o(n: Int)\nprocess P {\n var x: Int = 0\n init l {\n s: !o(x) / x := (x * 7 + 3) mod 10007 -> l\n }\n}",
    );
    let found = run(&m, ExploreOptions { order: Order::DepthFirst, depth: Some(20_000), ..ExploreOptions::default() });
    assert!(matches!(found.stop, Stop::Complete), "{:?}", found.stop);
}

#[test]
fn values_for_a_long_path() {
    let m = model(COUNTER);
    let steps: Vec<Step> = named_steps(&m, &["s", "t"].repeat(150)).expect("a path");
    let mut path = Path::with(&m, &builtin, Default::default(), limits());
    match reach(&mut path, &steps, Choice::Min) {
        Reach::Reachable(solved) => assert_eq!(solved.steps[299].1, [Value::Int(150)]),
        other => panic!("{other:?}"),
    }
}

#[test]
fn ten_thousand_switches_in_a_location() {
    let mut text = String::from("input a(p: Int)\nprocess P {\n var x: Int = 7\n init l {\n");
    for i in 0..10_000 {
        let _ = writeln!(text, " s{i}: ?a(p) [p == {i} && x > {}] / x := p -> l", i % 14);
    }
    text.push_str(" }\n}");
    let m = model(&text);
    let found = run(&m, ExploreOptions { nodes: 20_000, ..tree(1) });
    // The half with a guard that holds for 7, and silence.
    let expected = (0..10_000).filter(|i| i % 14 < 7).count() + 1;
    assert_eq!(found.graph.children(found.graph.root()).len(), expected);
}

#[test]
fn nothing_to_do() {
    let m = model("input a\nprocess P {\n init l {\n s: ?a -> m\n }\n state m {\n }\n}");
    let found = run(&m, ExploreOptions { workers: 1, ..ExploreOptions::default() });
    assert_eq!((found.stop, found.graph.len()), (Stop::Complete, 2));
    let m = model("process P {\n init final l\n}");
    for order in [Order::BreadthFirst, Order::DepthFirst] {
        for merge in [Merge::Nothing, Merge::Equal, Merge::Included] {
            let found = run(&m, ExploreOptions { order, merge, ..ExploreOptions::default() });
            assert_eq!((found.stop, found.graph.len()), (Stop::Complete, 1));
            assert!(found.graph.is_expanded(found.graph.root()));
            // Silence is all there is, once.
            let found = run(&m, ExploreOptions { order, merge, delta: true, ..ExploreOptions::default() });
            assert_eq!((found.stop, found.graph.len()), (Stop::Complete, 2));
        }
    }
}

#[test]
fn limits_are_kept() {
    let m = model(COUNTER);
    for order in [Order::BreadthFirst, Order::DepthFirst] {
        for nodes in [1, 2, 10] {
            let found = run(&m, ExploreOptions { order, nodes, merge: Merge::Nothing, ..ExploreOptions::default() });
            assert_eq!(found.stop, Stop::Nodes);
            assert!(found.graph.len() <= nodes, "{} nodes", found.graph.len());
            assert!(found.graph.frontier().next().is_some(), "{order:?}: something is left to do");
        }
        let found =
            run(&m, ExploreOptions { order, depth: Some(0), merge: Merge::Nothing, ..ExploreOptions::default() });
        assert_eq!((found.stop, found.graph.len()), (Stop::Depth, 1));
    }
    let cancel = sioco_symbolic::explore::cancel_flag();
    cancel.store(true, std::sync::atomic::Ordering::Relaxed);
    for order in [Order::BreadthFirst, Order::DepthFirst] {
        let limits = Limits {
            cancellation: Cancellation::by(cancel.clone()),
            wall: Duration::from_secs(1),
            ..Limits::default()
        };
        let found = explore(&m, &builtin, &ExploreOptions { order, limits, ..ExploreOptions::default() }, &mut |_| {});
        assert_eq!(found.stop, Stop::Cancelled);
    }
}

/// With a back-end the hard ones are no worse.
#[test]
fn hard_guards_for_z3() {
    if !has_z3() {
        return;
    }
    let m = model(
        "input a(p: Int, s: String)\nprocess P {\n init l {\n s: ?a(p, s) [p * p * p == 27 && len(s) == p] -> l\n \
         u: ?a(p, s) [p * p == 2] -> l\n }\n}",
    );
    let limits = Limits { wall: Duration::from_secs(2), ..Limits::default() };
    let found = explore(&m, &z3, &ExploreOptions { limits, ..tree(1) }, &mut |_| {});
    assert!(taken(&m, &found, "s").is_some());
    assert_ne!(taken(&m, &found, "u"), Some(true));
}

/// A state is not included in one whose condition is undefined for some of its values.
#[test]
fn undefined_is_not_included() {
    let m = model(
        "input a(p: Int in -2..2)\noutput b\nprocess P {\n var x: Int = 0\n init l {\n \
         i: ?a(p) [6 div p >= -6] / x := p -> m\n j: ?a(p) / x := p -> m\n }\n state m { o: !b [x == 0] -> m }\n}",
    );
    for merge in [Merge::Equal, Merge::Included] {
        let found = run(&m, ExploreOptions { merge, workers: 1, ..ExploreOptions::default() });
        assert_eq!((found.stop, taken(&m, &found, "o")), (Stop::Complete, Some(true)), "{merge:?}");
    }
}

/// Values that soon are too large to compute with: what depends on them is left open, nothing is said to be impossible,
/// and it takes no time.
#[test]
fn values_that_grow_beyond_all_limits() {
    let m = model(
        "input a(p: Int)\noutput u\noutput v\noutput w\nprocess P {\n var x: Int = 2\n var s: String = \"ab\"\n \
         var t: Seq<Int> = [1]\n var n: Int = 0\n init l {\n \
         grow: ?a(p) / x := x * x, s := s ++ s, t := t ++ t, n := n + 1 -> l\n \
         u: !u [x < 0 && n > 25] -> end\n v: !v [n == 30] -> end\n w: !w [n < 0 || (s == \"b\" && n < 10)] -> end\n \
         }\n final end\n}",
    );
    for merge in [Merge::Nothing, Merge::Equal, Merge::Included] {
        let options = ExploreOptions { merge, depth: Some(32), workers: 1, ..ExploreOptions::default() };
        let found = run(&m, options);
        assert_eq!(taken(&m, &found, "u"), Some(false), "{merge:?}: only perhaps");
        assert_eq!(taken(&m, &found, "v"), Some(true), "{merge:?}: whatever the large values are");
        assert_eq!(taken(&m, &found, "w"), None, "{merge:?}: impossible before anything is large");
        assert!(found.doubts.iter().all(|(_, why)| *why == Reason::TooLarge), "{:?}", found.doubts);
    }
    // No values prove a path that rests on such a value.
    let names: Vec<&str> = std::iter::repeat_n("grow", 30).chain(["u"]).collect();
    let steps = named_steps(&m, &names).expect("a path");
    let mut path = Path::with(&m, &builtin, Default::default(), limits());
    assert!(matches!(reach(&mut path, &steps, Choice::Min), Reach::Unknown { reason: Reason::TooLarge, .. }));
    // One that does not is proved.
    assert!(replays(&m, &["grow", "grow"]));
}

/// Silence on rounds of internal steps: decided where all values are known, otherwise ruled out or left open.
#[test]
fn silence_on_rounds_of_internal_steps() {
    let m = model(
        "input a(p: Int)\noutput o\nprocess P {\n var x: Int = 0\n \
         init l { get: ?a(p) / x := p -> m\n around: tau [x == 0] -> k }\n state k { back: tau -> l }\n \
         state m { low: tau [x < 0] -> n  out: !o [x > 5] -> m }\n state n { high: tau [x > 0] -> m }\n}",
    );
    let at = |names: &[&str]| {
        let steps = named_steps(&m, names).expect("a path");
        let mut path = Path::with(&m, &builtin, Default::default(), limits());
        match reach_named(&mut path, &steps, Choice::Min) {
            Reach::Reachable(_) => "possible",
            Reach::Impossible { .. } => "impossible",
            Reach::Unknown { reason: Reason::Divergence, .. } => "open",
            Reach::Unknown { .. } => "unknown",
        }
    };
    // Known values: round and round.
    assert_eq!(at(&["delta"]), "possible");
    assert_eq!(at(&["around", "delta"]), "possible");
    // No value lets it go on in `n` and come back; in `m`, it may be silent for another reason.
    assert_eq!(at(&["get", "delta"]), "possible");
    assert_eq!(at(&["get", "low", "delta"]), "possible");
    let after_input = |low: &str| {
        let m = model(&format!(
            "input a(p: Int)\noutput o\nprocess P {{\n var x: Int = 0\n init l {{ get: ?a(p) / x := p -> m }}\n \
             state m {{ low: tau [x < 9] / {low} -> n }}\n \
             state n {{ high: tau [x > 0 - 9] -> m  out: !o [x == 4] -> n }}\n}}"
        ));
        let mut path = Path::with(&m, &builtin, Default::default(), limits());
        path.advance(named_steps(&m, &["get"]).expect("a path")[0]);
        assert!(path.may_diverge(), "{low}");
        path.probe(Step::Divergence)
    };
    // 0 comes back at once, other values the second time.
    assert_eq!(after_input("x := 0 - x"), Possible::Yes);
    // Nothing ever comes back, which takes too many steps to see.
    assert_eq!(after_input("x := x - 1"), Possible::Unknown(Reason::Divergence));
}
