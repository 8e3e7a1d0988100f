//! The mutants that the measurements use: many, the same each time, and known to be faulty or not without the tester.

#[path = "../benches/support/mod.rs"]
mod support;

use sioco_exec::Verdict;
use support::campaign::{Strategy, trial};
use support::distinguish::{Known, distinguish};
use support::{examples, mutate};

#[test]
fn many_mutants_do_not_conform() {
    let mut table = Vec::new();
    let mut sum = [0; 3];
    // Those that are quickly searched; the measurements use all.
    let quick = ["accumulator", "coffee", "fig-3-03", "fig-3-09", "fig-3-16-spec", "spec"];
    for (name, model) in examples::specifications() {
        if std::env::var("SIOCO_SEEDS").is_err() && !quick.contains(&&name[..]) {
            continue;
        }
        assert_eq!(distinguish(&model, &model, 1), Known::Nothing, "{name} conforms to itself");
        let mut counts = [0; 3];
        for mutant in mutate::mutants(&model) {
            let known = distinguish(&model, &mutant.model, 1);
            println!("{name}: {}: {known:?}", mutant.what);
            counts[match known {
                Known::Different(_) => 0,
                Known::Nothing => 1,
                Known::Undefined => 2,
            }] += 1;
        }
        (0..3).for_each(|i| sum[i] += counts[i]);
        table.push((name, counts));
    }
    println!("{table:#?} {sum:?}");
    assert!(sum[0] > 100, "{sum:?}");
}

#[test]
fn the_purposes_of_s0_need_what_the_paper_needs() {
    // S0, table 1: inputs and outputs until mutants 1 to 5 fail, strict purposes, the longest first.
    let spec = examples::brp("brp.sts", "Int in 0..5");
    let plan = Strategy::Paper.plan(&spec);
    let lengths: Vec<usize> = plan.purposes.iter().map(|p| p.length(&spec)).collect();
    assert_eq!(lengths, [18, 14, 8, 4, 2, 1]);
    for seed in 0..5 {
        for (number, expected) in [(1, 44), (2, 16), (3, 8), (4, 6), (5, 18)] {
            let mutant = examples::brp(&format!("mutant-{number}.sts"), "Int in 0..5");
            let found = trial(&spec, &plan, &mutant, Strategy::Paper, seed, 10_000).found();
            assert_eq!(found, Some(expected), "mutant {number}, seed {seed}");
        }
        // The sixth shows only with some values: the purposes are run again and again.
        let mutant = examples::brp("mutant-6.sts", "Int in 0..5");
        let found = trial(&spec, &plan, &mutant, Strategy::Paper, seed, 10_000).found();
        assert!(found.is_some(), "seed {seed}");
        let reference = trial(&spec, &plan, &spec, Strategy::Paper, seed, 2_000);
        assert_eq!(reference.verdict, Some(Verdict::Pass), "seed {seed}");
    }
}

#[test]
fn the_mutants_of_the_ceiling_speed_monitor_fail() {
    let spec = examples::example("ceiling-speed-monitor/csm.sts");
    let plan = Strategy::Auto.plan(&spec);
    for number in 1..=3 {
        let mutant = examples::example(&format!("ceiling-speed-monitor/mutant-ex{number}.sts"));
        // No purpose leads to the third one: walks have to meet it.
        let found = (0..10).filter_map(|seed| trial(&spec, &plan, &mutant, Strategy::Auto, seed, 1_000).found());
        let found: Vec<u64> = found.collect();
        println!("mutant {number}: after {found:?} steps");
        assert!(found.len() >= 8, "mutant {number}: {found:?}");
    }
    let reference = trial(&spec, &plan, &spec, Strategy::Auto, 0, 200);
    assert_eq!(reference.verdict, Some(Verdict::Pass));
}
