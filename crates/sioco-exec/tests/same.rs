//! The same seed, the same campaign: event for event, however many cores plan, and whatever the solver is. Work is counted;
//! where the clock decides, that is known.

mod support;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use sioco_exec::settings::Walks;
use sioco_exec::{Driver, NoClock, Player, Record, Settings, Stamped, Summary, drive};
use sioco_model::Model;
use sioco_plan::{Cover, Plan, PlanOptions, plan};
use sioco_solve::values::{Bounds, Choice};
use sioco_solve::{BackEnd, Cancellation, StateOracle};
use support::{builtin, example, model};

/// Longer than any test takes: what is left is counted.
const FOREVER: Duration = Duration::from_secs(100_000);

fn back_ends() -> Vec<BackEnd> {
    let z3 = BackEnd::Z3.open().is_ok().then_some(BackEnd::Z3);
    [BackEnd::BuiltIn].into_iter().chain(z3).collect()
}

/// A campaign against the model itself, as `sioco test` runs it.
fn run(model: &Model, back_end: &BackEnd, workers: usize, cover: &str, settings: Settings) -> (Vec<Record>, Summary) {
    let cancellation = Cancellation::new([], None);
    let solvers = || -> Box<dyn Bounds> { Box::new(back_end.chain().on(Some(&cancellation))) };
    let options = PlanOptions {
        workers,
        data: true,
        nodes: 300,
        steering: false,
        tests: Some(Choice::Random(settings.seed)),
        seed: settings.seed,
        ..PlanOptions::new(Cover::parse(cover).expect("a cover"))
    };
    let plan = plan(model, &solvers, &options, &mut |_| {}).expect("a plan");
    assert_eq!(cancellation.late(), 0, "the clock ended a question of planning");
    let oracle = StateOracle::new(&model.terms, &model.sorts, back_end.clone()).on(&cancellation);
    let oracle = Arc::new(Mutex::new(oracle));
    let mut tester = Driver::with(model, &solvers, &plan, settings, Some(oracle.clone())).on(&cancellation);
    let mut records = Vec::new();
    let mut sink = |stamped: &Stamped| {
        oracle.lock().expect("nobody panics").refill();
        records.push(stamped.record.clone());
    };
    let summary = drive(&mut tester, &mut Player::new(model), &mut NoClock, &mut sink);
    (records, summary)
}

#[test]
fn the_same_seed_gives_the_same_campaign() {
    // One with a guard that takes a solver, and hidden values.
    let hard = model(
        "input a(x: Int in 0..99, y: Int in 0..99)\noutput b(z: Int in 0..9)\nprocess P {\n  var v: Int in 0..9 = any\n  init s {\n    \
         r: ?a(x, y) [x * y == 42 || x * x + y == 90] -> t\n    q: ?a(x, y) [x + y < 9] -> u\n  }\n  state t { b: !b(v) -> s }\n  \
         state u { c: !b(any z) [z * z > 20] -> s }\n}\n",
    );
    let models = [
        ("accumulator", example("accumulator/accumulator")),
        ("prepaid card", example("prepaid-card/spec")),
        ("hard", hard),
    ];
    for (name, model) in &models {
        // The built-in solver takes too long for the hard one if nobody limits it.
        let able = |back_end: &BackEnd| *name != "hard" || *back_end != BackEnd::BuiltIn;
        for back_end in back_ends().into_iter().filter(able) {
            for (cover, walks) in [("switch", Walks::Guided), ("traces:3", Walks::Again), ("switch", Walks::Random)] {
                let settings = Settings {
                    seed: 11,
                    values: Choice::Random(11),
                    walks,
                    max_steps: Some(120),
                    pause: FOREVER,
                    ..Settings::default()
                };
                let what = format!("{name} by {back_end}, {cover}, then {walks:?}");
                let (first, summary) = run(model, &back_end, 1, cover, settings.clone());
                let (second, again) = run(model, &back_end, 2, cover, settings);
                for (i, (a, b)) in first.iter().zip(&second).enumerate() {
                    assert_eq!(a, b, "{what}: record {i}");
                }
                assert_eq!((first.len(), &summary), (second.len(), &again), "{what}");
                assert_eq!(summary.pauses.clock, 0, "{what}");
            }
        }
    }
}

/// Where the clock ends the search for values, the records and the summary have it.
#[test]
fn what_the_clock_decided_is_known() {
    let model = example("prepaid-card/spec");
    let options = PlanOptions { steering: false, ..PlanOptions::new(Cover::parse("switch").expect("a cover")) };
    let plan: Plan = plan(&model, &builtin, &options, &mut |_| {}).expect("a plan");
    let settings = |pause| Settings {
        seed: 3,
        walks: Walks::Guided,
        values: Choice::Middle,
        max_steps: Some(200),
        pause,
        ..Settings::default()
    };
    let mut found = Vec::new();
    for pause in [Duration::ZERO, FOREVER] {
        let mut tester = Driver::new(&model, &builtin, &plan, settings(pause));
        let mut records = Vec::new();
        let summary = drive(&mut tester, &mut Player::new(&model), &mut NoClock, &mut |s: &Stamped| {
            records.push(s.record.clone());
        });
        let hurried = records.iter().filter(|r| **r == Record::Hurried).count() as u64;
        assert_eq!(hurried, summary.pauses.clock, "{summary:?}");
        assert!(summary.pauses.hurried >= summary.pauses.clock);
        found.push(summary.pauses.clock);
    }
    assert!(found[0] > 0 && found[1] == 0, "{found:?}");
}
