//! First driver.
use std::collections::BTreeMap;
use std::time::Instant;

use sioco_trust::case::Case;
use sioco_trust::checks::solvers::Solvers;
use sioco_trust::checks::{compare, explore, journal, judge, replay, test, twice};
use sioco_trust::tally::Tally;

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let check = args.get(1).cloned().unwrap_or_default();
    let first: u64 = args.get(2).and_then(|a| a.parse().ok()).unwrap_or(0);
    let count: u64 = args.get(3).and_then(|a| a.parse().ok()).unwrap_or(200);
    let mut all = Tally::default();
    let mut kinds: BTreeMap<String, u64> = BTreeMap::new();
    let began = Instant::now();
    let mut slowest: Vec<(u128, u64)> = Vec::new();
    for seed in first..first + count {
        let case = match Case::of(seed) {
            Ok(case) => case,
            Err(why) => {
                println!("seed {seed}: not read: {why}");
                continue;
            }
        };
        for f in case.features() {
            all.count(format!("feature {f:?}"));
        }
        eprintln!("{seed}");
        let t = Instant::now();
        let mut tally = Tally::default();
        let solvers = Solvers::builtin();
        match check.as_str() {
            "show" => println!("{}", case.spec.text()),
            "judge" => judge::run(&case, &solvers, &mut tally),
            "test" => test::run(&case, &solvers, &mut tally),
            "plan" => explore::run(&case, &solvers, &mut tally),
            "compare" => compare::run(&case, &solvers, &mut tally),
            "replay" => replay::run(&case, &solvers, &mut tally),
            "twice" => twice::run(&case, &solvers, &mut tally),
            "journal" => journal::run(&case, &solvers, &mut tally),
            _ => panic!("which check?"),
        }
        if t.elapsed().as_secs() > 1 {
            println!("SLOW seed {seed} {:?} asked {}", t.elapsed(), solvers.asked());
        }
        slowest.push((t.elapsed().as_micros(), seed));
        for (k, n) in tally.counts {
            all.add(k, n);
        }
        for finding in tally.findings {
            let n = kinds.entry(format!("{}: {}", finding.check, finding.kind)).or_default();
            *n += 1;
            if *n <= 5 {
                let log = finding.log.as_ref().map(|(l, o)| format!("{o:?}: {}", finding.spec.lines(l)));
                println!("seed {seed} {}: {}\n{}{}\n", finding.kind, finding.why, finding.spec.text(), log.unwrap_or_default());
            }
        }
    }
    slowest.sort();
    println!("{:#?}\n{kinds:#?}\nslowest {:?}\n{:?}", all.counts, &slowest[slowest.len().saturating_sub(10)..], began.elapsed());
}
