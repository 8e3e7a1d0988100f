//! The built-in solver against brute force: never sat against unsat, and every witness satisfies.

mod support;

use sioco_solve::builtin::Builtin;
use support::{seeds, walk};

fn agrees(seeds: std::ops::Range<u64>, rich: bool, most_undecided: f64) {
    let (mut checks, mut undecided) = (0, 0);
    for seed in seeds {
        for ranged in [false, true] {
            let answers = walk(seed, rich, ranged, &mut Builtin::new());
            checks += answers.len();
            undecided += answers.iter().filter(|a| a.is_none()).count();
        }
    }
    println!("rich {rich}: {checks} checks, {undecided} undecided");
    assert!(undecided as f64 <= most_undecided * checks as f64, "{undecided} of {checks} undecided");
}

#[test]
fn linear_conditions_agree_with_brute_force() {
    agrees(seeds(0, 20), false, 0.0);
}

#[test]
fn partial_and_nonlinear_conditions_agree_with_brute_force() {
    agrees(seeds(1_000, 20), true, 0.02);
}
