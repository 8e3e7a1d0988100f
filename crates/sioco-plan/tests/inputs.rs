//! Purposes that send given inputs.

mod support;

use sioco_model::{Model, Value};
use sioco_plan::case::case;
use sioco_plan::event::Event;
use sioco_plan::file;
use sioco_plan::inputs::{NoPurpose, inputs_of, purpose, random};
use sioco_plan::walker::Walker;
use sioco_plan::{Cover, PlanError, PlanOptions, plan};
use sioco_solve::values::Choice;
use sioco_symbolic::path::Path;
use support::{builtin, example, lines, model};

fn int(model: &Model, gate: &str, args: &[i64]) -> Event {
    Event { gate: model.gate(gate).expect("a gate"), args: args.iter().map(|n| Value::Int(*n)).collect() }
}

/// The ways to the accepts, as names of steps.
fn ways(model: &Model, inputs: &[Event]) -> Vec<String> {
    let purpose = purpose(model, inputs).expect("a purpose");
    let of = |n| purpose.line(n).iter().map(|l| l.step.name(model)).collect::<Vec<_>>().join(" ");
    purpose.accepts().map(of).collect()
}

#[test]
fn inputs_are_followed_through_the_model() {
    let m = model(
        "input a(x: Int)\noutput u(y: Int)\noutput w\nprocess P { var n: Int = 0
        init l { one: ?a(x) [x <= 1] / n := x -> m  two: ?a(x) [x > 1] -> k }
        state m { go: tau [n == 1] -> o  tell: !u(n) [n != 1] -> l }
        state o { say: !u(7) -> l }
        state k { } }",
    );
    let a = |n| int(&m, "a", &[n]);
    assert_eq!(ways(&m, &[a(0), a(1)]), ["one tell one go say"]);
    // What has no answer is silent; what is not taken ends the test.
    assert_eq!(ways(&m, &[a(2)]), ["two delta"]);
    assert_eq!(ways(&m, &[a(0), a(2), a(1)]), ["one tell two delta"]);
    assert_eq!(inputs_of(&m, &purpose(&m, &[a(0), a(1)]).expect("a purpose")), [a(0), a(1)]);
}

#[test]
fn choices_are_all_there() {
    let m = model(
        "input a\noutput u\noutput w\nprocess P {
        init l { one: ?a -> m  other: ?a -> n }  state m { x: !u -> l  y: !w -> l }  state n { z: !w -> l } }",
    );
    let mut found = ways(&m, &[int(&m, "a", &[])]);
    found.sort();
    assert_eq!(found, ["one x", "one y", "other z"]);
    // A value that the system chooses makes other ways only if something depends on it.
    let text = |update: &str| {
        model(&format!(
            "input a\noutput u(k: Int in 0..2)\nprocess P {{ var n: Int = 0 init l {{ ?a -> m }} state m {{ x: !u(any k)
            {update} -> l }} }}"
        ))
    };
    for (update, ways_of) in [("", 1), ("/ n := k", 3)] {
        let m = text(update);
        assert_eq!(ways(&m, &[int(&m, "a", &[])]).len(), ways_of, "{update}");
    }
}

#[test]
fn what_cannot_be_followed_is_said() {
    let of = |text: &str| {
        let m = model(&format!("input a(x: Int)\noutput u(y: Int)\n{text}"));
        let found = purpose(&m, &[int(&m, "a", &[3])]);
        (found.clone().err(), found.err().map(|e| e.describe(&m)).unwrap_or_default())
    };
    let (why, text) = of("process P { var n: Int = any init l { ?a(x) [x > n] -> l } }");
    assert_eq!(why, Some(NoPurpose::Free("n".into())), "{text}");
    assert!(text.contains("`n` is free at the start"), "{text}");
    assert_eq!(of("process P { init l { ?a(x) [x > 5] -> l } }").0, Some(NoPurpose::Nothing));
    let endless = "process P { var n: Int = 0 init l { ?a(x) -> m } state m { tau / n := n + 1 -> m } }";
    assert_eq!(of(endless).0, Some(NoPurpose::Endless));
    let undefined = "process P { var n: Int = 0 init l { ?a(x) -> m } state m { !u(1 div n) -> l } }";
    assert!(matches!(of(undefined).0, Some(NoPurpose::Step(_))));
    let (why, text) = of("process P { init l { ?a(x) -> m } state m { say: !u(any k) [k > 2] -> l } }");
    assert!(matches!(why, Some(NoPurpose::Chosen(_))) && text.contains("too many values of `say`"), "{text}");
    // And a plan says it, too.
    let m = model("input a(x: Int)\nprocess P { var n: Int = any init l { ?a(x) [x > n] -> l } }");
    let found = plan(&m, &builtin, &PlanOptions::new(Cover::Inputs(2)), &mut |_| {});
    assert!(matches!(found, Err(PlanError::Inputs { .. })), "{found:?}");
}

#[test]
fn random_inputs_have_their_lengths_and_their_seed() {
    let m = example("ceiling-speed-monitor/csm");
    let lengths = [3, 1, 2];
    let first = random(&m, &lengths, 7).expect("purposes");
    assert_eq!(first.iter().map(|p| inputs_of(&m, p).len()).collect::<Vec<_>>(), lengths);
    assert_eq!(first, random(&m, &lengths, 7).expect("purposes"));
    assert_ne!(first, random(&m, &lengths, 8).expect("purposes"));
    // Whatever the guards are: values are from the whole range.
    let many = random(&m, &[1; 400], 1).expect("purposes");
    let speeds = many.iter().flat_map(|p| inputs_of(&m, p)).map(|e| e.args[0].clone());
    let low = speeds.filter(|v| *v < Value::real(175.into())).count();
    assert!((150..250).contains(&low), "{low} of 400");
}

/// What is given is written to files and read again, and holds there.
#[test]
fn given_values_are_kept_in_files() {
    let m = example("ceiling-speed-monitor/csm");
    let options = PlanOptions { walk: 2, steering: false, ..PlanOptions::new(Cover::Inputs(5)) };
    let made = plan(&m, &builtin, &options, &mut |_| {}).expect("a plan");
    assert_eq!(lines(&m, &made).len(), 5);
    let mut walker = Walker::new(Path::new(&m, &builtin));
    let cases: Vec<_> = made.purposes.iter().map(|p| case(&mut walker, p, Choice::Max)).collect();
    for (purpose, case) in made.purposes.iter().zip(&cases) {
        assert_eq!(case.unknown, None);
        // Whoever looks for the greatest values finds those that are given.
        let line =
            purpose.nodes.iter().zip(&case.nodes).filter(|(n, _)| n.leg.as_ref().is_some_and(|l| !l.wants.is_empty()));
        let found: Vec<_> = line.map(|(_, spot)| spot.values.clone().expect("values")).collect();
        let given: Vec<_> = inputs_of(&m, purpose).into_iter().map(|e| e.args).collect();
        assert_eq!(found, given);
    }
    let text = file::document(&m, &options, &made, &cases).to_string();
    let mut loaded = file::read(&text, &m).expect("it is a plan");
    assert_eq!(loaded.plan.purposes, made.purposes);
    file::retake(&mut loaded, &mut walker);
    assert_eq!((loaded.plan.purposes, loaded.misfits), (made.purposes, Vec::new()));
    // In a model where they are impossible, or no values at all, that is said.
    let folder = support::examples().join("ceiling-speed-monitor");
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).expect("the example");
    let whole = read("csm.sts").replace("import \"common.sts\"", &read("common.sts"));
    let other = |from: &str, to: &str| {
        assert!(whole.contains(from));
        let m = model(&whole.replace(from, to));
        let mut loaded = file::read(&text, &m).expect("it is a plan");
        file::retake(&mut loaded, &mut Walker::new(Path::new(&m, &builtin)));
        loaded.misfits.iter().filter(|m| m.purpose().is_some()).map(|x| x.describe(&m)).collect::<Vec<_>>()
    };
    let slow = other("Real in 0..350", "Real in 0..1");
    assert!(slow.iter().all(|m| m.contains("is not possible with the values of the plan")), "{slow:?}");
    assert_eq!(slow.len(), 5);
    let never = other("tau [V_est > V_mrsp] ", "tau [V_est > V_mrsp + 1000] ");
    assert!(!never.is_empty());
}
