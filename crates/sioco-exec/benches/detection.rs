//! How many mutants of the examples are found within 100, 1,000 and 10,000 steps: by the plan that covers every switch
//! (again and again), by random walks, and by both plan and guided walks. Only mutants count that are known not to
//! conform, found out by a search that has nothing to do with the tester.
//!
//! `cargo bench -p sioco-exec --bench detection` prints the table; `-- NAME` only for the models whose names contain that,
//! with a line for every mutant; `-- NAME SEEDS` over more than one campaign per mutant. The numbers
//! are the same on every machine.

mod support;

use sioco_exec::Verdict;
use support::campaign::{SWITCH, Strategy, Trial, trial};
use support::distinguish::{Known, distinguish};
use support::examples::specifications;
use support::mutate::mutants;

const BUDGETS: [u64; 3] = [100, 1_000, 10_000];
/// A model for which solving for every input takes too long for ten thousand of them and hundreds of mutants: only one
/// in so many is tried, and the plan is repeated for 1,000 steps only.
const SLOW: (&str, usize) = ("csm", 6);
const STRATEGIES: [Strategy; 3] = [SWITCH, Strategy::Random, Strategy::Auto];

fn share(trials: &[Trial], most: u64) -> f64 {
    let found = trials.iter().filter(|t| t.found().is_some_and(|steps| steps <= most)).count();
    100.0 * found as f64 / trials.len().max(1) as f64
}

fn line(name: &str, mutants: usize, trials: &[Vec<Trial>; 3]) {
    print!("  {name:<20} {mutants:>5} mutants ");
    for (strategy, trials) in STRATEGIES.iter().zip(trials) {
        let [a, b, c] = BUDGETS.map(|most| share(trials, most));
        print!("  {} {a:>5.1} {b:>5.1} {c:>5.1} %", strategy.name());
    }
    println!();
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    let only = args.first().cloned().unwrap_or_default();
    let seeds: u64 = args.get(1).map_or(1, |n| n.parse().expect("a number of seeds"));
    println!("mutants that are found within {BUDGETS:?} steps, {seeds} seeds");
    let (mut count, mut sum): (usize, [Vec<Trial>; 3]) = Default::default();
    for (name, spec) in specifications() {
        if !name.contains(&only) {
            continue;
        }
        let plans = STRATEGIES.map(|s| s.plan(&spec));
        let mut all: [Vec<Trial>; 3] = Default::default();
        let mut faulty = 0;
        let one_in = if name == SLOW.0 { SLOW.1 } else { 1 };
        for mutant in mutants(&spec).into_iter().step_by(one_in) {
            let known = distinguish(&spec, &mutant.model, 1);
            let Known::Different(depth) = known else { continue };
            faulty += 1;
            let mut words = String::new();
            for (i, strategy) in STRATEGIES.iter().enumerate() {
                let most = if *strategy == SWITCH && name == SLOW.0 { BUDGETS[1] } else { BUDGETS[2] };
                let trials: Vec<Trial> =
                    (0..seeds).map(|seed| trial(&spec, &plans[i], &mutant.model, *strategy, seed, most)).collect();
                let shown: Vec<String> = trials
                    .iter()
                    .map(|t| match t.found() {
                        Some(steps) => steps.to_string(),
                        None if t.broken => "broken".into(),
                        None => format!("- {:?}", t.verdict),
                    })
                    .collect();
                words.push_str(&format!(" {} {};", strategy.name(), shown.join(" ")));
                all[i].extend(trials);
            }
            if !only.is_empty() {
                println!("    {} (shown by {depth} steps):{words}", mutant.what);
            }
        }
        // The specification itself never fails.
        for (i, strategy) in STRATEGIES.iter().enumerate() {
            let reference = trial(&spec, &plans[i], &spec, *strategy, 0, 2_000);
            assert!(reference.verdict < Some(Verdict::Fail), "{name}, {strategy:?}: {reference:?}");
        }
        line(&name, faulty, &all);
        count += faulty;
        for (sum, all) in sum.iter_mut().zip(all) {
            sum.extend(all);
        }
    }
    line("all", count, &sum);
}
