//! Purposes as test cases: their values can be had, and what else may happen is listed where it may.

// Lints know tests by their attribute, which helpers do not have.
#![allow(clippy::unwrap_used)]

// Each test program uses a part of it.
#[allow(dead_code)]
mod plans;

use plans::{examples, model, planned, plans, small, walker};
use sioco_model::Model;
use sioco_model::semantics::{Interpreter, Quiescence};
use sioco_plan::case::{Case, case_with_others};
use sioco_plan::{Cover, Purpose};
use sioco_solve::values::Choice;

/// The ways of a case that have values and go with what is shown: those at the start, and what stands before.
fn valued(purpose: &Purpose, case: &Case) -> Vec<Vec<usize>> {
    let line = |accept: usize| {
        let mut line = vec![accept];
        while let Some(parent) = purpose.nodes[line[0]].parent {
            line.insert(0, parent);
        }
        line.remove(0);
        line
    };
    let plain = |n: &usize| {
        let spot = &case.nodes[*n];
        spot.values.is_some() && !spot.apart && !spot.another_start && !spot.other_outputs
    };
    let sure = |n: &usize| purpose.nodes[*n].doubt.is_none();
    let ways = purpose.accepts().map(line).filter(|line| line.iter().all(|n| plain(n) && sure(n)));
    ways.collect()
}

/// Takes all ways that are shown without a remark, from the start that is shown; says how many there are.
fn replay(model: &Model, purpose: &Purpose, case: &Case, what: &str) -> usize {
    let mut interpreter = Interpreter::new(model);
    let start = |v| case.start.iter().find(|(w, _)| *w == v).expect("a value").1.clone();
    let ways = valued(purpose, case);
    for way in &ways {
        let mut state = interpreter.initial(&mut { start });
        for node in way {
            let step = purpose.nodes[*node].leg.as_ref().unwrap().step;
            let values = case.nodes[*node].values.as_ref().unwrap();
            for switch in step.switches() {
                let fired = interpreter.fire(&mut state, switch, values);
                assert_eq!(fired, Ok(true), "{what}: {} with {values:?}, {way:?} of {case:?}", step.name(model));
            }
            if step.is_silence() {
                let quiet = interpreter.quiescence(&state);
                let quiet = matches!(quiet, Ok(Quiescence::Quiescent | Quiescence::Diverging));
                assert!(quiet, "{what}: no silence at {node} of {way:?} in {case:?}");
            }
        }
    }
    ways.len()
}

#[test]
fn values_replay() {
    let mut replayed = 0;
    for (name, model) in examples() {
        for options in plans(&name, &model) {
            let (plan, cases) = planned(&model, &options);
            let certain = plan.steering.as_ref().is_some_and(|s| s.is_certain());
            for (purpose, case) in plan.purposes.iter().zip(&cases) {
                let what = format!("{name} {}", options.cover);
                if !case.start.is_empty() || model.free_variables().next().is_none() {
                    replayed += replay(&model, purpose, case, &what);
                }
                // Where no run can be inconclusive, nothing leads away.
                let away = case.nodes.iter().any(|n| !n.others.is_empty() || n.cut);
                assert!(!(certain && away), "{what}: {case:?}");
            }
        }
    }
    assert!(replayed > 500, "{replayed}");
}

/// A branch that is not possible with the start that is shown says so, and so does what else the system may do: whatever
/// variables are free.
#[test]
fn branches_that_contradict_the_start_are_marked() {
    let text = "input amount(a: Int in 0..)\noutput cash(x: Int)\noutput refused\nprocess ATM {\n  \
                var m: Int = any\n  var x: Int = 0\n  init q0 { ask: ?amount(a) / x := a -> q1 }\n  \
                state q1 { pay: !cash(x) [x <= m] / m := m - x -> q0\n refuse: !refused [x > m] -> q0 }\n}\n";
    let model_ = model(text);
    let (plan, cases) = planned(&model_, &small(Cover::Paths(2)));
    let of = |name: &str| {
        let purpose = &plan.purposes[0];
        let is = |i: &usize| purpose.nodes[*i].leg.as_ref().is_some_and(|l| l.step.name(&model_) == name);
        let node = (0..purpose.nodes.len()).find(is).expect("it is a step");
        (cases[0].nodes[node].apart, cases[0].nodes[node].another_start)
    };
    // With `m = 0` and the amount 0, nothing is refused.
    assert_eq!((of("ask"), of("pay"), of("refuse")), ((false, false), (false, false), (false, true)));
    let (plan, cases) = planned(&model_, &small(Cover::Switch));
    for (purpose, case) in plan.purposes.iter().zip(&cases) {
        let others: Vec<_> = case.nodes.iter().flat_map(|n| &n.others).collect();
        assert!(!others.is_empty() && others.iter().all(|o| o.another_start), "{purpose:?}: {others:?}");
    }
    // Before the first step, too; and where it can be had from this start, nothing is said.
    let first = "input i\noutput a\noutput b\noutput c\nprocess P {\n  var m: Int = any\n  \
                 init s { x: !a [m >= 0] -> t\n y: !b [m < 0] -> t\n z: !c [m >= 0] -> t }\n  final t\n}\n";
    let model_ = model(first);
    let (plan, cases) = planned(&model_, &small(Cover::Switch));
    let shown = plan
        .purposes
        .iter()
        .zip(&cases)
        .find(|(p, _)| p.nodes.iter().any(|n| n.leg.as_ref().is_some_and(|l| l.step.name(&model_) == "x")));
    let (_, case) = shown.expect("a purpose for `x`");
    let others: Vec<(String, bool)> =
        case.nodes[0].others.iter().map(|o| (o.step.name(&model_), o.another_start)).collect();
    assert_eq!(others, [("y".to_owned(), true), ("z".to_owned(), false)]);
}

/// Values that the system chose may not go with every branch behind them.
#[test]
fn branches_that_contradict_outputs_are_marked() {
    let text = "output o(v: Int in 0..9)\noutput low\noutput high\nprocess P {\n  var n: Int = 0\n  \
                init s { tell: !o(any v) / n := v -> t }\n  state t { x: !low [n < 5] -> u\n y: !high [n >= 5] -> u }\n  final u\n}\n";
    let model = model(text);
    let (plan, cases) = planned(&model, &small(Cover::Paths(2)));
    let marked: Vec<String> = plan.purposes[0]
        .nodes
        .iter()
        .zip(&cases[0].nodes)
        .filter(|(_, spot)| spot.other_outputs)
        .map(|(n, _)| n.leg.as_ref().unwrap().step.name(&model))
        .collect();
    assert_eq!(marked, ["y"]);
}

/// What may happen instead, by the names of the steps, at each node that has something.
fn others(text: &str) -> Vec<Vec<String>> {
    let model = model(text);
    let (plan, _) = planned(&model, &small(Cover::Switch));
    let mut walker = walker(&model);
    let mut found = Vec::new();
    for purpose in &plan.purposes {
        let case = case_with_others(&mut walker, purpose, Choice::Min);
        let names = |n: &sioco_plan::case::Spot| n.others.iter().map(|o| o.step.name(&model)).collect::<Vec<_>>();
        found.extend(case.nodes.iter().map(names).filter(|n| !n.is_empty()));
    }
    found
}

#[test]
fn what_else_may_happen() {
    // The system chooses between two outputs.
    let text = "input i\noutput a\noutput b\noutput c\nprocess P {\n  init s { go: ?i -> t }\n  \
                state t { x: !a -> u\n y: !b -> s }\n  state u { z: !c -> s }\n}\n";
    assert_eq!(others(text), [["y"], ["x"]]);
    // Behind an internal step, which nobody sees.
    let hidden = text.replace("y: !b -> s }", "h: tau -> v }\n  state v { y: !b -> s }");
    assert_eq!(others(&hidden), [["y"], ["x"]]);
    // Or it says nothing at all.
    let silent = text.replace("y: !b -> s }", "h: tau -> v }\n  state v { y: ?i -> s }");
    assert!(others(&silent).contains(&vec!["delta".to_owned()]), "{:?}", others(&silent));
    // The guards leave no choice.
    let ruled = text.replace("input i", "input i(p: Int in 0..9)").replace("?i ", "?i(p) / n := p ");
    let ruled = ruled.replace("process P {", "process P {\n  var n: Int = 0").replace("!a", "!a [n > 4]");
    assert_eq!(others(&ruled.replace("!b", "!b [n <= 4]")), Vec::<Vec<String>>::new());
    // They do for some inputs only; those of the case count.
    let some = ruled.replace("!b", "!b [n >= 9]");
    assert_eq!(others(&some), [["x"]]);
}

/// Branches keep the inputs of the others where they can.
#[test]
fn branches_go_together() {
    let text = "input i(p: Int in 0..9)\noutput a\noutput b\nprocess P {\n  var n: Int = 0\n  \
                init s { go: ?i(p) / n := p -> t }\n  state t { x: !a [n > 4] -> s\n y: !b [n >= 3] -> s }\n}\n";
    let of = |text: &str| {
        let model = model(text);
        let (plan, cases) = planned(&model, &small(Cover::Paths(2)));
        assert_eq!(plan.purposes.len(), 1);
        let apart = cases[0].nodes.iter().filter(|n| n.apart).count();
        let valued = cases[0].nodes.iter().filter(|n| n.values.is_some()).count();
        (plan.purposes[0].nodes.len() - 1, valued, apart)
    };
    let (all, valued, apart) = of(text);
    assert_eq!((valued, apart > 0), (all, true), "silence needs a small number, an output a large one");
    let (all, valued, apart) = of(&text.replace("[n > 4]", "[n > 2]").replace("go: ?i(p)", "go: ?i(p) [p >= 3]"));
    assert_eq!((valued, apart), (all, 0));
}

/// What was observed may come from other paths than the one that is followed; what they allow is told.
#[test]
fn other_paths_are_told() {
    let model = model(
        "input login
         output locked
         output ok
         process P {
           init blocked { still: ?login -> no  unlock: tau -> out }
           state no { nope: !locked -> blocked }
           state out { enter: ?login -> yes }
           state yes { grant: !ok -> end }
           final end
         }",
    );
    let (_, cases) = planned(&model, &sioco_plan::PlanOptions::new(Cover::Switch));
    let case = &cases[0];
    let told: Vec<Vec<String>> =
        case.nodes.iter().map(|n| n.others.iter().map(|o| o.step.name(&model)).collect()).collect();
    assert_eq!(told.iter().filter(|o| !o.is_empty()).count(), 2, "{told:?}");
    assert!(told.contains(&vec!["grant".to_string()]) && told.contains(&vec!["nope".to_string()]), "{told:?}");
}
