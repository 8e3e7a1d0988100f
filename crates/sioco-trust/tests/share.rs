//! A share of the campaign for the test command. `SIOCO_TRUST` says how many models, `SIOCO_FIRST_SEED` where to start.

use std::collections::BTreeMap;

use sioco_trust::generate::Feature;
use sioco_trust::work::{self, Done};

fn number(name: &str, usual: u64) -> u64 {
    std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(usual)
}

/// The seeds of a share; a check gets a part of them.
fn seeds(percent: u64) -> impl Iterator<Item = u64> {
    let first = number("SIOCO_FIRST_SEED", 0);
    first..first + number("SIOCO_TRUST", 400) * percent / 100
}

fn hold(check: &'static str, percent: u64) -> BTreeMap<String, u64> {
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    let mut wrong = Vec::new();
    for seed in seeds(percent) {
        let Done { tally, .. } = work::run(check, seed);
        for (name, n) in tally.counts {
            *counts.entry(name).or_default() += n;
        }
        for finding in tally.findings {
            let log = finding
                .log
                .as_ref()
                .map_or_else(String::new, |(lines, order)| format!("order {order:?}: {}", finding.spec.lines(lines)));
            wrong.push(format!(
                "{}: {}\n{}{log}\ncargo xtask trust --case {seed} --check {check}",
                finding.kind,
                finding.why,
                finding.spec.text()
            ));
        }
        // Those that follow are mostly the same.
        if wrong.len() >= 5 {
            break;
        }
    }
    assert!(wrong.is_empty(), "{} findings\n\n{}", wrong.len(), wrong.join("\n\n"));
    counts
}

#[test]
fn judge() {
    let counts = hold("judge", 100);
    let share = |name: &str| 100 * counts.get(name).copied().unwrap_or(0) / counts["right: all"];
    assert!(share("right: Fail") >= 20, "{counts:?}");
    assert!(share("right: two or more hypotheses") >= 10, "{counts:?}");
}

#[test]
fn test() {
    let counts = hold("test", 60);
    assert!(counts["test: campaigns that fail"] > 10, "{counts:?}");
}

#[test]
fn solvers_that_do_not_know() {
    hold("judge-weary", 30);
    hold("judge-exhausted", 30);
    hold("test-weary", 20);
}

#[test]
fn replay_and_shrinking() {
    let counts = hold("replay", 40);
    assert!(counts["replay: cases"] > 3, "{counts:?}");
}

#[test]
fn plan_and_analyze() {
    hold("plan", 10);
}

#[test]
fn compare() {
    hold("compare", 20);
}

#[test]
fn journals_that_are_cut() {
    hold("journal", 1);
}

#[test]
fn the_same_seed_twice() {
    hold("twice", 8);
}

#[test]
fn every_feature_is_there() {
    let mut counts: BTreeMap<Feature, u64> = BTreeMap::new();
    let all = 2_000;
    for seed in 0..all {
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
