//! The figures of S1, chapters 3 and 5.

use sioco_model::model::Direction;
use sioco_model::term::Term;
use sioco_model::{SwitchId, Value};
use sioco_solve::values::Choice;
use sioco_symbolic::analysis::{Kind, Status, analyze};
use sioco_symbolic::{ExploreOptions, Merge, Reach, Step, Stop};

use crate::load;
use crate::semantics::World;
use crate::symbolic::builtin;

fn figure(name: &str) -> World {
    load(&format!("trace-figures/fig-{name}.sts"))
}

fn steps(path: &[SwitchId]) -> Vec<Step> {
    path.iter().map(|s| Step::Switch(*s)).collect()
}

/// The least values for a path, by trying and by symbolic execution.
fn least(w: &World, path: &[SwitchId]) -> Option<Vec<Vec<Value>>> {
    let tried = w.solve(path);
    assert_eq!(w.values_for(&steps(path), Choice::Min), tried);
    tried
}

/// The first test case for every symbolic trace, as S1 writes them: with the parameters of observable switches only.
fn test_cases(w: &World, depth: usize) -> Vec<String> {
    let case = |path: &Vec<_>| {
        let solution = least(w, path)?;
        let steps = path.iter().zip(solution).filter(|(s, _)| w.model.direction(**s).is_some());
        let show = steps.map(|(s, values)| match values.first() {
            Some(v) => format!("{}({v})", w.label(*s)),
            None => w.label(*s),
        });
        Some(show.collect::<Vec<_>>().join(" "))
    };
    w.symbolic_traces(depth).iter().filter_map(case).collect()
}

#[test]
fn fig_3_01() {
    let w = figure("3-01");
    for n in 1..=10 {
        assert!(w.can(&"?a ".repeat(n)));
    }
}

#[test]
fn fig_3_02() {
    let w = figure("3-02");
    for (y, possible) in [(-1, false), (0, false), (1, true), (2, true), (3, true), (1_000_000_000, true)] {
        assert_eq!(w.can(&format!("?a({y})")), possible);
    }
    assert!(!w.can("?a(1) ?a(1)"));
    assert_eq!(test_cases(&w, 1), ["?a(1)"]);
}

#[test]
fn fig_3_03() {
    let w = figure("3-03");
    for (n, answer) in [(1, "!odd"), (2, "!even"), (3, "!odd")] {
        assert_eq!(w.run(&format!("?n({n})")).outputs(), answer);
    }
    assert_eq!(w.show_traces(2), ["?n T1 !odd", "?n T2 !even"]);
    assert_eq!(test_cases(&w, 2), ["?n(1) !odd", "?n(2) !even"]);
}

#[test]
fn fig_3_04() {
    let mut w = figure("3-04");
    w.integers.retain(|n| *n >= 0);

    // The least values: x is 52, then -3 in s2, and the internal switches make it -5 and -4.
    assert_eq!(w.run("?a(51)").get("x"), "52");
    let stuck = w.run("?a(51) ?b(0)");
    let x: Vec<_> = stuck
        .hypotheses
        .iter()
        .map(|(s, _)| (w.model.location_name(s.locations()[0]), s.values()[0].to_string()))
        .collect();
    let pairs: Vec<(&str, &str)> = x.iter().map(|(l, v)| (l.as_str(), v.as_str())).collect();
    assert_eq!(pairs, [("s2", "-3"), ("s3", "-5"), ("s4", "-4")]);
    assert!(stuck.deadlock());

    // The greatest values, and those in the middle.
    let greatest = 268_435_455;
    let middle = i64::midpoint(51, greatest);
    for (first, second) in [(greatest, greatest), (middle, middle / 2)] {
        let stuck = w.run(&format!("?a({first}) ?b({second})"));
        assert_eq!((stuck.at(), stuck.deadlock()), ("s2 s3 s4".into(), true));
    }
    assert!(!w.can(&format!("?a({})", greatest + 1)) && !w.can("?a(50)") && !w.can("?a(51) ?b(52)"));

    assert!(w.can("?a(55) ?b(55) !c"));
    assert!(!w.can("?a(54) ?b(54) !c") && w.can("?a(63) ?b(63) !c") && !w.can("?a(64) ?b(64) !c"));
    assert_eq!(w.show_traces(3), ["?a ?b T1 T2 T3 !c"]);
    assert_eq!(test_cases(&w, 3), ["?a(55) ?b(55) !c"]);
    for free in ["T1", "T2"].map(|t| &w.model.switches[w.model.switch(t).unwrap()]) {
        assert_eq!(w.model.terms.get(free.guard), &Term::Const(Value::Bool(true), w.model.sorts.bool));
        assert_eq!(free.update.len(), 1);
    }
    let fifth = w.model.switch("T3").unwrap();
    assert_eq!(w.symbolic_traces(3)[0][4], fifth);
    assert_eq!(w.model.location_name(w.model.switches[fifth].source), "s4");
}

#[test]
fn fig_3_05() {
    let w = figure("3-05");
    assert_eq!(w.show_traces(2), ["!a ?b"]);
    assert!(test_cases(&w, 2).is_empty());
    assert!((1..=5).all(|y| w.run(&format!("!a({y})")).deadlock()));
}

#[test]
fn fig_3_06() {
    let w = figure("3-06");
    assert!(w.can("?input_") && !w.can("?input_ !output_"));
    assert!(w.can("?input_ ?input_ ?input_ ?input_ !output_"));
}

#[test]
fn fig_3_07() {
    let w = figure("3-07");
    assert_eq!(w.run("?a").at(), "s1");
    assert_eq!(w.run("?a").outputs(), "!b !c");
    assert_eq!((w.run("?a !b").at(), w.run("?a !c").at()), ("s2".into(), "s3".into()));
    assert_eq!(w.show_traces(2), ["?a !b", "?a !c"]);
}

#[test]
fn fig_3_08() {
    let w = figure("3-08");
    assert_eq!(w.start(&[]).at(), "s1");
    assert_eq!(w.start(&[]).outputs(), "!a");
    assert_eq!(w.show_traces(3), ["!a ?b !e", "!a ?c !f", "!a ?d !g"]);
    assert_eq!(test_cases(&w, 3), ["!a(3) ?b(3) !e", "!a(22) ?c(1) !f", "!a(41) ?d(1) !g"]);
    for y in 1..=60 {
        let told = w.run(&format!("!a({y})"));
        let left = (1..=20).contains(&y) && (3..=5).contains(&(y % 6));
        let middle = (21..=40).contains(&y) && (1..=4).contains(&(y % 7));
        let right = (41..=60).contains(&y) && (0..=1).contains(&(y % 4));
        let expected = if left {
            "?b"
        } else if middle {
            "?c"
        } else if right {
            "?d"
        } else {
            ""
        };
        assert_eq!(told.inputs(), expected, "{y}");
        assert_eq!(told.deadlock(), expected.is_empty(), "{y}");
    }
    assert!(!w.can("!a(0)") && !w.can("!a(61)"));
    for trace in ["!a(9) ?b(3) !e", "!a(11) ?b(5) !e", "!a(22) ?c(1) !f", "!a(31) ?c(3) !f"] {
        assert!(w.can(trace), "{trace}");
    }
    assert!(!w.can("!a(11) ?b(3)") && !w.can("!a(22) ?b(3)") && !w.can("!a(31) ?c(1)"));
    for y in [18, 27, 54] {
        assert!(w.run(&format!("!a({y})")).deadlock(), "{y}");
    }
}

#[test]
fn fig_3_09() {
    let w = figure("3-09");
    assert_eq!(w.show_traces(4), ["?a !b !d !f", "?a !c ?e T !g", "?a !c ?e T !h"]);
    assert_eq!(test_cases(&w, 4), ["?a !b(1) !d !f", "?a !c(22) ?e(1) !g", "?a !c(22) ?e(1) !h"]);
    let state = w.run("?a").state().clone();
    let values = w.enabled(&state, Direction::Output);
    assert_eq!((w.run("?a").outputs(), values.len()), ("!b !c".into(), 40));
    let deviated = w.run("?a !c(23)");
    assert!(deviated.can("?e(2)") && !deviated.can("?e(1)"));
    let again = deviated.after("?e(2)");
    assert_eq!((again.at(), again.outputs()), ("s5 s6".into(), "!g !h".into()));
    assert_eq!((again.after("!g").at(), again.after("!h").at()), ("s8".into(), "s9".into()));
}

#[test]
fn fig_3_10() {
    let w = figure("3-10");
    let after_a = w.run("?a");
    assert_eq!((after_a.at(), after_a.outputs()), ("s2 s3".into(), "!b !c !d".into()));
    for (output, state) in [("!b(1)", "s4"), ("!c(7)", "s4"), ("!d(10)", "s5")] {
        assert_eq!(after_a.after(output).at(), state);
    }
    assert_eq!(w.show_traces(3), ["T1 ?a T2 !b !e", "T1 ?a T2 !c !e", "T1 ?a !d !f"]);
    assert_eq!(test_cases(&w, 3), ["?a !b(1) !e", "?a !c(5) !e", "?a !d(10) !f"]);
    assert_eq!(w.run("?a !c(7)").outputs(), "!e");
    assert_eq!(w.run("?a !c(7)").paths(), ["T1 ?a T2 !c"]);
}

#[test]
fn fig_3_11() {
    let w = figure("3-11");
    let both = w.run("!a(5) ?b");
    assert_eq!((both.at(), both.outputs()), ("s2 s3".into(), "!c !d".into()));
    assert_eq!((w.run("!a(4) ?b").at(), w.run("!a(6) ?b").at()), ("s2".into(), "s3".into()));
}

#[test]
fn fig_3_12() {
    let w = figure("3-12");
    let both = w.run("?a(5) !b");
    assert_eq!((both.at(), both.inputs(), both.outputs()), ("s2 s3".into(), "?c ?d".into(), "".into()));
    assert!(both.can("?c") && both.can("?d"));
}

#[test]
fn fig_3_13() {
    let w = figure("3-13");
    assert_eq!(w.show_traces(2), ["?a T1 T3 !b", "?a T2 T4 !c", "?a T2 T5 !c"]);
    let three = w.run("?a(3)");
    assert_eq!((three.at(), three.outputs()), ("s1 s2 s3 s4 s5 s6".into(), "!b !c".into()));
    assert_eq!((three.after("!b").at(), three.after("!c").at()), ("s7".into(), "s8 s9".into()));
    assert_eq!(three.after("!c").paths(), ["?a T2 T4 !c", "?a T2 T5 !c"]);
    let two = w.run("?a(2)");
    assert_eq!((two.at(), two.outputs()), ("s1 s2 s3 s4 s5".into(), "!b !c".into()));
    assert_eq!((two.after("!b").at(), two.after("!c").at()), ("s7".into(), "s8".into()));
    assert_eq!(two.after("!c").paths(), ["?a T2 T4 !c"]);
    assert_eq!(w.run("?a(1) !c").paths(), ["?a T2 T4 !c", "?a T2 T5 !c"]);
}

#[test]
fn fig_3_14() {
    let w = figure("3-14");
    let five = w.run("?a(5)");
    assert_eq!((five.at(), five.outputs()), ("s1 s3".into(), "!b !d".into()));
    assert_eq!(five.after("!b").at(), "s2 s5");
    assert_eq!(five.after("!b").outputs(), "!c !e");
    let one = w.run("?a(1)");
    assert_eq!((one.at(), one.outputs()), ("s1 s3".into(), "!b !d".into()));
    assert_eq!((one.after("!b").at(), one.after("!b").outputs()), ("s5".into(), "!e".into()));
    assert_eq!(one.after("!b").paths(), ["?a T !b"]);
    assert!(w.show_traces(3).contains(&"?a !b !c".into()) && w.show_traces(3).contains(&"?a T !b !e".into()));
}

#[test]
fn fig_3_15() {
    let (spec, sut) = (figure("3-15-spec"), figure("3-15-sut"));
    assert_eq!((spec.run("?a").outputs(), sut.run("?a").outputs()), ("!b !c".into(), "!b".into()));
    assert!(!sut.run("?a").may_be_quiescent());
}

#[test]
fn fig_3_16() {
    let (spec, sut) = (figure("3-16-spec"), figure("3-16-sut"));
    assert_eq!((spec.run("?b").outputs(), sut.run("?b").outputs()), ("!d".into(), "!c".into()));
    assert_eq!((spec.run("?a").outputs(), sut.run("?a").outputs()), ("!c".into(), "!c".into()));
}

#[test]
fn fig_5_01() {
    let w = figure("5-01");
    for y in 1..=10 {
        assert!(w.can(&format!("?a({y}) !b")));
    }
    assert_eq!(w.show_traces(2), ["?a !b"]);
    assert_eq!(test_cases(&w, 2), ["?a(1) !b"]);
}

#[test]
fn fig_5_02() {
    let w = figure("5-02");
    let mut traces = w.symbolic_traces(4);
    traces.sort_by_key(|t| (t.len(), w.label(*t.last().unwrap()) == "?input_"));
    let possible: Vec<bool> = traces.iter().map(|t| least(&w, t).is_some()).collect();
    assert_eq!(possible, [false, false, false, true, true]);
    assert_eq!(traces.iter().map(Vec::len).collect::<Vec<_>>(), [1, 2, 3, 4, 4]);
}

#[test]
fn fig_5_11() {
    let w = figure("5-11");
    assert_eq!(w.run("?a").at(), "s1 s2 s3");
    assert_eq!(test_cases(&w, 2), ["?a !b", "?a !c", "?a !c"]);
    assert_eq!((w.run("?a !b").hypotheses.len(), w.run("?a !c").hypotheses.len()), (1, 2));
    assert_eq!((w.run("?a !b").at(), w.run("?a !c").at()), ("s4".into(), "s4".into()));
}

#[test]
fn fig_5_12() {
    let w = figure("5-12");
    let mut traces = w.show_traces(2);
    traces.sort();
    assert_eq!(traces, ["?a T1 T3 !b", "?a T1 T4 !c", "?a T2 T5 !b", "?a T2 T6 !c"]);
    let mut cases = test_cases(&w, 2);
    cases.sort();
    assert_eq!(cases, ["?a !b", "?a !b", "?a !c", "?a !c"]);
    assert_eq!(w.run("?a !b").paths(), ["?a T1 T3 !b", "?a T2 T5 !b"]);
    assert_eq!(w.run("?a !c").paths(), ["?a T1 T4 !c", "?a T2 T6 !c"]);
}

/// S1's two ways to choose values. Step by step is as if the first two steps were all: nothing after them counts.
#[test]
fn fig_3_04_whole_trace() {
    let w = figure("3-04");
    let (start, end) = (w.steps("?a ?b"), w.steps("?a ?b T1 T2 T3 !c"));
    let greatest = 268_435_455;
    let middle = i64::midpoint(51, greatest);
    for (choice, local, whole) in [
        (Choice::Min, [51, 0], [55, 55]),
        (Choice::Max, [greatest, greatest], [greatest, 63]),
        (Choice::Middle, [middle, middle / 2], [i64::midpoint(55, greatest), 59]),
    ] {
        let chosen = |steps: &[Step]| {
            let values = w.values_for(steps, choice).expect("possible");
            [0, 1].map(|i: usize| values[i][0].clone())
        };
        assert_eq!(chosen(&start), local.map(Value::Int), "{choice:?}");
        assert!(w.run(&format!("?a({}) ?b({})", local[0], local[1])).deadlock(), "{choice:?}");
        assert_eq!(chosen(&end), whole.map(Value::Int), "{choice:?}");
        assert!(w.can(&format!("?a({}) ?b({}) !c", whole[0], whole[1])), "{choice:?}");
    }
    for seed in 0..5 {
        let values = w.values_for(&end, Choice::Random(seed)).expect("possible");
        assert!(w.can(&format!("?a({}) ?b({}) !c", values[0][0], values[1][0])), "{values:?}");
    }
    // Figure 5.10, with _y0 and _y1 for our _y#1 and _y#2.
    let constraint = w.walk(&end).condition;
    assert_eq!(constraint, "_y#1 > 50 && _y#2 < _y#1 + 1 && _y#2 - 4 > 50 && _y#2 - 4 < 60");
    let found = analyze(w.model, &builtin, &Default::default(), &mut |_| {});
    assert!(found.findings.iter().any(|f| f.kind == Kind::Deadlock && f.status == Status::Shown));
}

#[test]
fn fig_3_05_clash() {
    let w = figure("3-05");
    assert_eq!(w.clash("!a ?b"), (1, vec!["_y#1 <= 5".into(), "_y#1 > 5".into()]));
    // That it is a mistake shows in that no path has it.
    let found = w.explore(&builtin, &ExploreOptions::default());
    assert_eq!((found.stop, found.graph.len()), (Stop::Complete, 2));
    assert_eq!(found.graph.taken(w.model), [Some(true), None]);
}

#[test]
fn fig_3_06_clash() {
    let w = figure("3-06");
    let Reach::Impossible { at: 1, clash } = w.reach(&w.steps("?input_ !output_"), Choice::Min) else { panic!() };
    let [clash] = &clash[..] else { panic!("{clash:?}") };
    assert_eq!(clash.text, "c >= 4");
    assert_eq!(clash.values, [(w.model.variable("c").unwrap(), Value::Int(1))]);
    // A strict length is something else: a longer path has the switch.
    let found = w.explore(&builtin, &ExploreOptions { until_covered: true, ..ExploreOptions::default() });
    let deepest = found.graph.ids().map(|n| found.graph.depth(n)).max();
    assert_eq!((found.stop, deepest), (Stop::Covered, Some(5)));
}

/// The symbolic tree of figure 5.3, without what is impossible.
#[test]
fn fig_5_03() {
    let w = figure("5-02");
    let found =
        w.explore(&builtin, &ExploreOptions { merge: Merge::Nothing, depth: Some(4), ..ExploreOptions::default() });
    let graph = &found.graph;
    let label = |s: &Step| s.switches().map(|s| w.label(s)).collect::<String>();
    let leaves = graph.ids().filter(|n| graph.children(*n).is_empty());
    let leaves: Vec<String> = leaves.map(|n| graph.path(n).iter().map(label).collect::<Vec<_>>().join(" ")).collect();
    let i = "?input_";
    assert_eq!(leaves, [format!("{i} {i} {i} {i}"), format!("{i} {i} {i} !output_")]);
    for n in 0..3 {
        let path = format!("{}!output_", format!("{i} ").repeat(n));
        assert_eq!(w.clash(&path), (n, vec!["c >= 4".into()]), "{path}");
    }
}

/// Every trace of every figure, to its end or four observable steps deep.
#[test]
fn figures_symbolic_traces() {
    let pairs = ["3-15-spec", "3-15-sut", "3-16-spec", "3-16-sut"].map(String::from);
    let single = (1..=14).map(|n| format!("3-{n:02}")).chain([1, 2, 11, 12].map(|n| format!("5-{n:02}")));
    for name in single.chain(pairs) {
        let w = figure(&name);
        let traces: Vec<Vec<Step>> = w.symbolic_traces(4).iter().map(|t| steps(t)).collect();
        let depth = traces.iter().map(Vec::len).max();
        let tree =
            w.explore(&builtin, &ExploreOptions { merge: Merge::Nothing, depth, ..ExploreOptions::default() }).graph;
        for trace in traces {
            let there = tree.ids().any(|n| tree.path(n) == trace && !tree.rests_on_unknown(n));
            assert_eq!(w.values_for(&trace, Choice::Min).is_some(), there, "{name} {trace:?}");
        }
    }
}
