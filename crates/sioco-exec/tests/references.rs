//! Models played as systems under test: references never fail, mutants do.

mod support;

use sioco_exec::player::Player;
use sioco_exec::settings::Walks;
use sioco_exec::{Settings, Verdict};
use support::{builtin, campaign, example, planned};

/// Every example passes against itself, with its switch plan and with walks.
#[test]
fn every_example_conforms_to_itself() {
    for name in ["accumulator/accumulator", "brp/brp", "atm/atm", "atm/atm-two-processes", "coffee/coffee"] {
        let model = example(name);
        let plan = planned(&model, "switch", false);
        for seed in 0..5 {
            for walks in [Walks::None, Walks::Random, Walks::Guided] {
                let settings = Settings { seed, walks, max_steps: Some(500), ..Settings::default() };
                let mut tester = sioco_exec::Tester::new(&model, &builtin, &plan, settings);
                let mut player = Player::new(&model);
                let (_, summary) = campaign(&mut tester, &mut player);
                let bad = summary.bad.first();
                assert!(summary.verdict < Some(Verdict::Error), "{name}, seed {seed}, {walks:?}: {bad:?}");
            }
        }
    }
}

/// The mutants of the BRP are found by the plan and guided walks.
#[test]
fn mutants_of_the_brp_fail() {
    let model = example("brp/brp");
    let plan = planned(&model, "switch", false);
    for m in 1..=6 {
        let mutant = example(&format!("brp/mutant-{m}"));
        let settings =
            Settings { seed: 1, walks: Walks::Guided, max_steps: Some(5_000), fail_fast: true, ..Settings::default() };
        let mut tester = sioco_exec::Tester::new(&model, &builtin, &plan, settings);
        let mut player = Player::new(&mutant);
        let (_, summary) = campaign(&mut tester, &mut player);
        println!("mutant {m}: {:?} after {} steps, run {:?}", summary.verdict, summary.steps, summary.runs);
        assert_eq!(summary.verdict, Some(Verdict::Fail), "mutant {m}");
    }
}
