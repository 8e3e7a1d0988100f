//! Table 1 of S0: how many inputs and outputs it takes until the mutants of the Bounded Retransmission Protocol fail; and
//! the same for the Ceiling Speed Monitor.
//!
//! `cargo bench -p sioco-exec --bench brp` prints the tables; `-- SEEDS` sets how many campaigns the means are of,
//! `-- SEEDS NAME` is for one of `brp`, `int`, `csm` only. Nothing here is a time: the numbers are the same on every
//! machine.

mod support;

use sioco_exec::Verdict;
use sioco_model::Model;
use support::campaign::{STRICT, SWITCH, Strategy, Trial, trial};
use support::examples::{brp, example};

/// When a campaign is given up.
const MOST: u64 = 10_000;

/// The mean of the steps until a fault is found, and how often it was not.
struct Cell {
    mean: f64,
    missed: u64,
}

fn cell(trials: &[Trial]) -> Cell {
    let sum: u64 = trials.iter().map(|t| t.steps).sum();
    let missed = trials.iter().filter(|t| t.found().is_none()).count() as u64;
    Cell { mean: sum as f64 / trials.len() as f64, missed }
}

/// A line of the table.
fn line(name: &str, cells: &[Cell]) {
    print!("  {name:<22}");
    for c in cells {
        let missed = if c.missed > 0 { format!("({} missed)", c.missed) } else { String::new() };
        print!(" {:>8}", format!("{:.1}{missed}", c.mean));
    }
    let sum: f64 = cells.iter().map(|c| c.mean).sum();
    let mean = (cells.iter().map(|c| c.mean.ln()).sum::<f64>() / cells.len() as f64).exp();
    println!("   sum {sum:>8.1}  geometric mean {mean:>6.1}");
}

fn table(spec: &Model, mutants: &[Model], seeds: u64, strategies: &[Strategy], most: u64) {
    for strategy in strategies {
        let plan = strategy.plan(spec);
        let cells: Vec<Cell> = mutants
            .iter()
            .map(|mutant| {
                let trials: Vec<Trial> =
                    (0..seeds).map(|seed| trial(spec, &plan, mutant, *strategy, seed, most)).collect();
                cell(&trials)
            })
            .collect();
        line(strategy.name(), &cells);
        // The reference is played, too: whatever else happens, it must not fail.
        for seed in 0..seeds.div_ceil(10) {
            let reference = trial(spec, &plan, spec, *strategy, seed, most.min(2_000));
            assert!(reference.verdict < Some(Verdict::Error), "{strategy:?}, seed {seed}: {reference:?}");
        }
    }
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    let seeds = args.first().map_or(100, |n| n.parse().expect("a number of seeds"));
    let wanted = |name: &str| args.get(1).is_none_or(|only| only == name);
    let strategies = [Strategy::Paper, STRICT, SWITCH, Strategy::Random, Strategy::Auto];
    for (name, what, message) in [("brp", "messages from 0..5", "Int in 0..5"), ("int", "messages from Int", "Int")] {
        if !wanted(name) {
            continue;
        }
        println!("BRP, {what}: steps until mutants 1 to 6 fail, mean of {seeds} seeds");
        let paper =
            |steps: &[u64]| -> Vec<Cell> { steps.iter().map(|s| Cell { mean: *s as f64, missed: 0 }).collect() };
        line("S0, switch coverage", &paper(&[44, 16, 8, 6, 18, 164]));
        line("S0, TorXakis, random", &paper(&[12, 234, 12, 18, 1620, 76]));
        let spec = brp("brp.sts", message);
        let mutants: Vec<Model> = (1..=6).map(|m| brp(&format!("mutant-{m}.sts"), message)).collect();
        table(&spec, &mutants, seeds, &strategies, MOST);
    }
    if !wanted("csm") {
        return;
    }
    println!("Ceiling Speed Monitor: steps until Ex1 to Ex3 fail, mean of {seeds} seeds");
    let spec = example("ceiling-speed-monitor/csm.sts");
    let mutants: Vec<Model> = (1..=3).map(|m| example(&format!("ceiling-speed-monitor/mutant-ex{m}.sts"))).collect();
    // Strict purposes end at internal switches, before anything shows.
    table(&spec, &mutants, seeds, &[Strategy::Auto, Strategy::Random, SWITCH], 1_000);
}
