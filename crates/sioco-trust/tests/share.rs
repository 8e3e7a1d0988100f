//! A share of the campaign for the test command. `SIOCO_TRUST` says how many models, `SIOCO_FIRST_SEED` where to start.

use std::collections::BTreeMap;
use std::process::Command;

use sioco_trust::generate::Feature;

fn number(name: &str, usual: u64) -> u64 {
    std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(usual)
}

#[test]
fn nothing_is_found() {
    let folder = format!("{}/trust-{}", env!("CARGO_TARGET_TMPDIR"), std::process::id());
    let options = [
        ("--models", number("SIOCO_TRUST", 100)),
        ("--journals", 2),
        ("--seed", number("SIOCO_FIRST_SEED", 100_000_000)),
        ("--deadline", 60),
    ];
    let mut driver = Command::new(env!("CARGO_BIN_EXE_sioco-trust"));
    driver.args(["--folder", &folder]);
    for (name, value) in options {
        driver.args([name, &value.to_string()]);
    }
    let done = driver.output().expect("the driver is there");
    let told = String::from_utf8_lossy(&done.stdout);
    std::fs::remove_dir_all(&folder).expect("it was made by the driver");
    assert!(done.status.success(), "{told}\n{}", String::from_utf8_lossy(&done.stderr));
    // It is worth something only if there was something to find out.
    let share = |name: &str| {
        let line = told.lines().find(|line| line.trim_start().starts_with(name)).unwrap_or_default();
        line.split_whitespace().rev().nth(1).and_then(|n| n.parse::<f64>().ok()).unwrap_or(0.0)
    };
    assert!(share("Fail") >= 20.0 && share("two or more hypotheses") >= 10.0, "{told}");
}

#[test]
fn every_feature_is_there() {
    let mut counts: BTreeMap<Feature, u64> = BTreeMap::new();
    let all = 2_000;
    for seed in (100_000_000..).take(all as usize) {
        for feature in sioco_trust::generate::features(&sioco_trust::case::model(seed)) {
            *counts.entry(feature).or_default() += 1;
        }
    }
    for feature in Feature::ALL {
        if feature == Feature::Crashed && !sioco_trust::case::KNOWS.crashed {
            continue;
        }
        let n = counts.get(&feature).copied().unwrap_or(0);
        assert!(20 * n >= all, "{feature:?} is in {n} of {all} models");
    }
}
