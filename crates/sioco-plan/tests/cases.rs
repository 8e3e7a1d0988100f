//! Purposes as test cases: their values can be had, and what else may happen is listed where it may.

// Lints know tests by their attribute, which helpers do not have.
#![allow(clippy::unwrap_used)]

// Each test program uses a part of it.
#[allow(dead_code)]
mod plans;

use plans::{examples, model, planned, plans, small, walker};
use sioco_model::Model;
use sioco_model::semantics::Interpreter;
use sioco_plan::case::{Case, case};
use sioco_plan::{Cover, Purpose};
use sioco_solve::values::Choice;

/// The nodes of a way that a case has values for: of those that are not answers of their own, the longest.
fn valued(purpose: &Purpose, case: &Case) -> Vec<usize> {
    let line = |accept: usize| {
        let mut line = vec![accept];
        while let Some(parent) = purpose.nodes[line[0]].parent {
            line.insert(0, parent);
        }
        line.remove(0);
        line
    };
    let whole = |line: &Vec<usize>| line.iter().all(|n| case.nodes[*n].values.is_some() && !case.nodes[*n].apart);
    let sure = |line: &Vec<usize>| line.iter().all(|n| purpose.nodes[*n].doubt.is_none());
    let mut ways: Vec<Vec<usize>> = purpose.accepts().map(line).filter(whole).filter(sure).collect();
    // The first of the longest: its values are those that the start belongs to.
    ways.sort_by_key(|w| std::cmp::Reverse(w.len()));
    ways.into_iter().next().unwrap_or_default()
}

fn replay(model: &Model, purpose: &Purpose, case: &Case, what: &str) {
    let mut interpreter = Interpreter::new(model);
    let start = |v| case.start.iter().find(|(w, _)| *w == v).expect("a value").1.clone();
    let mut state = interpreter.initial(&mut { start });
    for node in valued(purpose, case) {
        let step = purpose.nodes[node].leg.as_ref().unwrap().step;
        let values = case.nodes[node].values.as_ref().unwrap();
        for switch in step.switches() {
            let fired = interpreter.fire(&mut state, switch, values);
            assert_eq!(fired, Ok(true), "{what}: {} with {values:?}", step.name(model));
        }
    }
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
                    replay(&model, purpose, case, &what);
                    replayed += 1;
                }
                // Where no run can be inconclusive, nothing leads away.
                let away = case.nodes.iter().any(|n| !n.others.is_empty() || n.cut);
                assert!(!(certain && away), "{what}: {case:?}");
            }
        }
    }
    assert!(replayed > 200, "{replayed}");
}

/// What may happen instead, by the names of the steps, at each node that has something.
fn others(text: &str) -> Vec<Vec<String>> {
    let model = model(text);
    let (plan, _) = planned(&model, &small(Cover::Switch));
    let mut walker = walker(&model);
    let mut found = Vec::new();
    for purpose in &plan.purposes {
        let case = case(&mut walker, purpose, Choice::Min, true);
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
    let (_, cases) = planned(&model, &sioco_plan::Options::new(Cover::Switch));
    let case = &cases[0];
    let told: Vec<Vec<String>> =
        case.nodes.iter().map(|n| n.others.iter().map(|o| o.step.name(&model)).collect()).collect();
    assert_eq!(told.iter().filter(|o| !o.is_empty()).count(), 2, "{told:?}");
    assert!(told.contains(&vec!["grant".to_string()]) && told.contains(&vec!["nope".to_string()]), "{told:?}");
}
