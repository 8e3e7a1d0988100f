//! Equivalence classes of inputs (S2 section 6).

mod support;

use std::collections::BTreeSet;

use sioco_model::number::to_rational;
use sioco_model::{Id, Model, Value};
use sioco_plan::inputs::inputs_of;
use sioco_plan::walker::Walker;
use sioco_plan::{Cover, Goal, Plan, PlanError, PlanOptions, State, plan};
use sioco_solve::values::{Bounds, Choice};
use sioco_symbolic::path::Path;
use support::{builtin, example, has_z3, model, z3};

fn options(choice: Choice) -> PlanOptions {
    PlanOptions { tests: Some(choice), steering: false, workers: 1, ..PlanOptions::new(Cover::Classes) }
}

fn classes(model: &Model, solvers: &(dyn Fn() -> Box<dyn Bounds> + Sync)) -> Plan {
    plan(model, solvers, &options(Choice::Middle), &mut |_| {}).expect("a plan")
}

/// The values of an input that the tests send in a part, by the part's name; only the first input of each test.
fn sent(m: &Model) -> Vec<(String, Vec<String>)> {
    let made = classes(m, &builtin);
    let of = |(name, state): &(Goal, State)| {
        let Goal::Class(name) = name else { panic!("{name:?}") };
        let State::Covered { by, .. } = state else { panic!("{name}: {state:?}") };
        let values = by.iter().map(|p| {
            let inputs = inputs_of(m, &made.purposes[p.index()]);
            inputs[0].args.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
        });
        (name.clone(), values.collect())
    };
    made.goals.iter().map(of).collect()
}

fn check(text: &str, expected: &[(&str, &str)]) {
    let m = model(text);
    let found = sent(&m);
    let found: Vec<(&str, &str)> = found.iter().map(|(name, values)| (name.as_str(), values[0].as_str())).collect();
    assert_eq!(found, expected, "{text}");
}

#[test]
fn both_sides_of_a_guard_and_their_borders() {
    let text = |sort: &str, guard: &str| {
        format!(
            "input a(x: {sort} in 0..100)\noutput u\noutput w\nprocess P {{
            init l {{ yes: ?a(x) [{guard}] -> m  no: ?a(x) [else] -> n }}
            state m {{ say: !u -> l }}  state n {{ tell: !w -> l }} }}"
        )
    };
    check(
        &text("Int", "x <= 40"),
        &[
            ("l: yes say, class 1, inside", "19"),
            ("l: yes say, class 1, border 1", "40"),
            ("l: no tell, class 1, inside", "71"),
            ("l: no tell, class 1, border 1", "41"),
        ],
    );
    check(
        &text("Int", "x == 40"),
        &[
            ("l: yes say, class 1, inside", "40"),
            ("l: no tell, class 1, inside", "50"),
            ("l: no tell, class 1, border 1", "41"),
        ],
    );
    // Reals have no next number: the border belongs to one side.
    check(
        &text("Real", "x < 40"),
        &[
            ("l: yes say, class 1, inside", "20.0"),
            ("l: no tell, class 1, inside", "70.0"),
            ("l: no tell, class 1, border 1", "40.0"),
        ],
    );
    // The same border, written twice, is one.
    check(
        &text("Int", "x <= 40 && !(x > 40)"),
        &[
            ("l: yes say, class 1, inside", "19"),
            ("l: yes say, class 1, border 1", "40"),
            ("l: no tell, class 1, inside", "71"),
            ("l: no tell, class 1, border 1", "41"),
        ],
    );
    // Two conditions divide what is taken.
    check(
        &text("Int", "x < 40 || x == 60"),
        &[
            ("l: yes say, class 1, inside", "19"),
            ("l: yes say, class 1, border 1", "39"),
            ("l: yes say, class 2, inside", "60"),
            ("l: no tell, class 1, inside", "70"),
            ("l: no tell, class 1, border 1", "40"),
            ("l: no tell, class 1, border 2", "61"),
        ],
    );
}

/// What is decided inside terms, and after the input, tells inputs apart as well.
#[test]
fn distinctions_inside_and_afterwards() {
    for (guard, output, count) in [
        // Two classes of one guard; what is computed divides them further.
        ("x <= 50", "0", 2),
        ("x <= 50", "if x < 20 then 1 else 2", 3),
        ("x <= 50", "min(x, 30)", 3),
        ("x <= 50", "max(x, 80)", 3),
        ("x <= 50", "abs(x - 70)", 3),
        ("x <= (if x > 90 then 95 else 50)", "0", 4),
        // A condition that does not depend on the input divides nothing.
        ("x <= 50 && 1 < 2", "0", 2),
    ] {
        let text = format!(
            "input a(x: Int in 0..100)\noutput u(y: Int)\nprocess P {{ var n: Int = 0
            init l {{ ?a(x) / n := x -> m }}
            state m {{ tau [{}] -> k  tau [else] -> o }}
            state k {{ !u({}) -> l }}  state o {{ !u({}) -> l }} }}",
            guard.replace('x', "n"),
            output.replace("max", "MAX").replace('x', "n").replace("MAX", "max"),
            output.replace("max", "MAX").replace('x', "n").replace("MAX", "max"),
        );
        let m = model(&text);
        let names: BTreeSet<String> =
            sent(&m).into_iter().map(|(name, _)| name.rsplit_once(", ").expect("a part").0.to_owned()).collect();
        assert_eq!(names.len(), count, "{guard} {output}: {names:?}");
    }
}

/// A border that no input is at in the first state may be there in a later one.
#[test]
fn borders_of_later_states() {
    check(
        "input a(x: Int in 5..9)\ninput b\noutput u\noutput w\nprocess P { var n: Int = 0
        init l { more: ?b / n := n + 6 -> k  yes: ?a(x) [x <= n] -> m  no: ?a(x) [x > n] -> o }
        state k { ok: !u -> l }  state m { say: !u -> l }  state o { tell: !w -> l } }",
        &[
            ("l: more ok, class 1, inside", ""),
            // With nothing added yet, every number is greater, and none by one.
            ("l: no tell, class 1, inside", "7"),
            ("l: yes say, class 1, inside", ""),
            ("l: yes say, class 1, border 1", ""),
            ("l: no tell, class 1, border 1", ""),
        ],
    );
}

/// Where the model has a choice, a test has all ways, and the system decides.
#[test]
fn choices_are_in_the_tests() {
    let m = model(
        "input a(x: Int in 0..9)\noutput u\noutput w\nprocess P {
        init l { low: ?a(x) [x <= 5] -> m  high: ?a(x) [x >= 5] -> n }
        state m { say: !u -> l }  state n { tell: !w -> l } }",
    );
    let made = classes(&m, &builtin);
    let five = |p: &&sioco_plan::Purpose| inputs_of(&m, p)[0].args == [Value::Int(5)];
    let both = made.purposes.iter().find(five).expect("a test at the border");
    let ways: BTreeSet<String> = both
        .accepts()
        .map(|n| both.line(n)[..2].iter().map(|l| l.step.name(&m)).collect::<Vec<_>>().join(" "))
        .collect();
    assert_eq!(ways.into_iter().collect::<Vec<_>>(), ["high tell", "low say"]);
}

/// A test goes on with inputs that tell where it should be from where else it might be.
#[test]
fn states_are_told_apart() {
    let m = model(
        "input a(x: Int in 0..9)\ninput b\noutput u\noutput w\nprocess P {
        init l { low: ?a(x) [x <= 4]; !u -> l  high: ?a(x) [x > 4]; !u -> m  ?b; !u -> l }
        state m { back: ?a(_); !u -> l  ?b; !w -> m } }",
    );
    let made = classes(&m, &builtin);
    assert!(!made.purposes.is_empty());
    let b = m.gate("b").expect("the gate");
    for p in &made.purposes {
        let inputs = inputs_of(&m, p);
        assert_eq!(inputs.last().map(|i| i.gate), Some(b), "only b tells l from m");
        assert_eq!(p.goals.len(), 1);
    }
    // Where nothing tells states apart, nothing is added.
    let same = model(
        "input a(x: Int in 0..9)\noutput u\nprocess P { init l { ?a(x) [x > 4]; !u -> m  ?a(x) [x <= 4]; !u -> l } state m { ?a(_); !u -> l } }",
    );
    let made = classes(&same, &builtin);
    assert!(made.purposes.iter().all(|p| inputs_of(&same, p).len() <= 2));
    // Two inputs may be needed: what the first leads to shows only with the second.
    let two = model(
        "input a\ninput b\noutput u\noutput w\nprocess P {
        init l { ?a; !u -> m  ?b; !u -> l }
        state m { ?a; !u -> n  ?b; !u -> m }
        state n { ?a; !u -> n  ?b; !w -> n } }",
    );
    let made = classes(&two, &builtin);
    let longest = made.purposes.iter().map(|p| inputs_of(&two, p).len()).max();
    // To m with one input, the input of a class, and then `?a ?b`, which tells l from m.
    assert_eq!(longest, Some(4));
}

/// S2's case study: near its 186 tests.
#[test]
fn the_ceiling_speed_monitor() {
    if !has_z3() {
        eprintln!("skipped: there is no Z3 here");
        return;
    }
    let m = example("ceiling-speed-monitor/csm");
    let made = classes(&m, &z3);
    let names: BTreeSet<&str> = made
        .goals
        .iter()
        .filter_map(|(g, _)| match g {
            Goal::Class(name) => name.rsplit_once(", ").map(|(class, _)| class),
            _ => None,
        })
        .collect();
    assert_eq!((names.len(), made.goals.len(), made.purposes.len()), (75, 168, 168));
    assert_eq!(made.coverage().covered, 168);
    // At every border that a closed side has, there is a test: here at the allowed speed itself.
    let at_border = |p: &sioco_plan::Purpose| {
        let inputs = inputs_of(&m, p);
        let number = |v: &Value| to_rational(v).expect("a speed");
        inputs.len() == 2 && number(&inputs[0].args[0]) == number(&inputs[0].args[1])
    };
    assert!(made.purposes.iter().any(at_border));
}

/// Every example: a plan whose tests can be followed, or a reason.
#[test]
fn all_examples() {
    let (mut planned, mut refused) = (0, 0);
    for folder in std::fs::read_dir(support::examples()).expect("the examples").flatten().map(|f| f.path()) {
        // Those of real systems take more than the built-in solver.
        if folder.join("sioco.toml").exists() {
            continue;
        }
        for file in std::fs::read_dir(&folder).into_iter().flatten().flatten().map(|f| f.path()) {
            let name = |path: &std::path::Path| path.file_stem().expect("a name").to_string_lossy().into_owned();
            let other = ["common", "csm", "impl-", "mutant-"].iter().any(|start| name(&file).starts_with(start));
            if file.extension().is_none_or(|e| e != "sts") || other {
                continue;
            }
            let name = format!("{}/{}", name(&folder), name(&file));
            let m = example(&name);
            let few = PlanOptions { nodes: 200, ..options(Choice::Min) };
            match plan(&m, &builtin, &few, &mut |_| {}) {
                Ok(made) => {
                    planned += 1;
                    let mut walker = Walker::new(Path::new(&m, &builtin));
                    for purpose in &made.purposes {
                        for accept in purpose.accepts() {
                            assert!(walker.follow(purpose.line(accept)), "{name}: a test leads nowhere");
                        }
                    }
                    for (goal, state) in &made.goals {
                        let is = matches!(state, State::Covered { by, doubt: false } if !by.is_empty());
                        assert!(is || matches!(state, State::Unknown(_)), "{name}: {goal:?} {state:?}");
                    }
                }
                Err(PlanError::Inputs { why }) => {
                    assert!(why.contains("is free at the start"), "{name}: {why}");
                    refused += 1;
                }
                Err(other) => panic!("{name}: {other}"),
            }
        }
    }
    println!("{planned} planned, {refused} with free variables");
    assert!(planned > 20 && refused > 0, "{planned} {refused}");
}

#[test]
fn values_follow_the_seed() {
    let m = example("prepaid-card/spec");
    let random = |seed: u64| {
        let options = PlanOptions { seed, ..options(Choice::Random(seed)) };
        plan(&m, &builtin, &options, &mut |_| {}).expect("a plan").purposes
    };
    assert_eq!(random(3), random(3));
    assert_ne!(random(3), random(4));
}

/// What a solver does not decide is told, and not left out.
#[test]
fn what_is_not_decided_is_told() {
    let m = model(
        "input a(x: Int, y: Int)\noutput u\noutput w\nprocess P {
        init l { ?a(x, y) [x * x * x + y * y * y == 33 * x * y + 114]; !u -> l  ?a(_, _) [else]; !w -> l } }",
    );
    let made = classes(&m, &builtin);
    let open = made.goals.iter().filter(|(_, s)| matches!(s, State::Unknown(_))).count();
    assert!(open > 0, "{:?}", made.goals);
}

#[test]
fn what_has_no_classes_is_said() {
    let free = model("input a(x: Int)\noutput u\nprocess P { var n: Int = any init l { ?a(x) [x > n]; !u -> l } }");
    match plan(&free, &builtin, &options(Choice::Middle), &mut |_| {}) {
        Err(PlanError::Inputs { why }) => assert!(why.contains("`n` is free at the start"), "{why}"),
        other => panic!("{other:?}"),
    }
    // Nothing waits for an input here.
    let never = model("output u\nprocess P { init l { !u -> l } }");
    assert!(classes(&never, &builtin).purposes.is_empty());
}
