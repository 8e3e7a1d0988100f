//! The experiment of S2, section 6, on the Ceiling Speed Monitor: which of nine faulty implementations are killed by random
//! testing, by equivalence classes, and by the suite of the composition; and what that takes.
//!
//! `cargo bench -p sioco-exec --bench graybox` prints the table; `-- SEEDS` averages over so many campaigns (100). Random
//! testing has as many tests as the composition's suite, with as many inputs each. Values inside a class are random, too.
//! The numbers are the same on every machine with the same solver.

mod support;

use sioco_model::Model;
use sioco_plan::inputs::inputs_of;
use sioco_plan::{Cover, Plan, PlanOptions, plan};
use sioco_solve::values::Choice;
use support::graybox::{Composed, composed, is_killed, random, solvers, subjects};

/// What S2 has in its table 1: killed by random testing, by equivalence classes, tests and steps of its own suite.
struct Paper {
    random: bool,
    classes: bool,
    tests: u32,
    steps: u32,
}

const fn row(random: bool, classes: bool, tests: u32, steps: u32) -> Paper {
    Paper { random, classes, tests, steps }
}

const PAPER: [Paper; 6] = [
    row(false, true, 24, 18),
    row(false, false, 30, 19),
    row(false, true, 25, 19),
    row(false, false, 37, 22),
    row(false, false, 24, 21),
    row(true, true, 21, 16),
];
const PAPER_CLASSES: u32 = 186;

fn classes(spec: &Model, seed: u64) -> Plan {
    let options =
        PlanOptions { steering: false, seed, tests: Some(Choice::Random(seed)), ..PlanOptions::new(Cover::Classes) };
    plan(spec, &solvers, &options, &mut |_| {}).expect("the model can be divided into classes")
}

fn inputs(spec: &Model, plan: &Plan) -> usize {
    plan.purposes.iter().map(|p| inputs_of(spec, p).len()).sum()
}

fn share(killed: usize, of: u64) -> String {
    format!("{:.0}%", 100.0 * killed as f64 / of.max(1) as f64)
}

fn main() {
    let seeds: u64 = std::env::args().skip(1).find_map(|a| a.parse().ok()).unwrap_or(100);
    let (spec, subjects) = subjects();
    let all: Vec<Plan> = (0..seeds).map(|seed| classes(&spec, seed)).collect();
    let suite = all.first().expect("at least one seed");
    println!("Ceiling Speed Monitor, {seeds} seeds; ours, with S2's in brackets");
    println!(
        "equivalence classes: {} tests ({PAPER_CLASSES}), {} inputs; {} of {} parts of classes covered",
        suite.purposes.len(),
        inputs(&spec, suite),
        suite.coverage().covered,
        suite.goals.len()
    );
    println!(
        "{:<14} {:>13} {:>13} {:>13} {:>10} {:>8} {:>10} {:>8} {:>10}",
        "implementation", "random", "classes", "composition", "tests", "inputs", "steps", "asked", "back-end"
    );
    for (number, (name, imp)) in subjects.iter().enumerate() {
        let Composed { plan, steps, asked, back_end, inputs: sent } = composed(&spec, imp);
        let lengths: Vec<usize> = plan.purposes.iter().map(|p| inputs_of(&spec, p).len() + p.probe.len()).collect();
        let drawn = (0..seeds).filter(|seed| is_killed(&spec, &random(&spec, &lengths, *seed), imp));
        let drawn = drawn.count();
        let divided = all.iter().filter(|plan| is_killed(&spec, plan, imp)).count();
        let killed = is_killed(&spec, &plan, imp);
        let yes = |is: bool| if is { "killed" } else { "-" };
        let paper = PAPER.get(number);
        let beside = |text: String, paper: Option<String>| match paper {
            Some(paper) => format!("{text} ({paper})"),
            None => format!("{text} (?)"),
        };
        println!(
            "{name:<14} {:>13} {:>13} {:>13} {:>10} {:>8} {:>10} {:>8} {:>10}",
            beside(share(drawn, seeds), paper.map(|p| yes(p.random).to_owned())),
            beside(share(divided, seeds), paper.map(|p| yes(p.classes).to_owned())),
            yes(killed),
            beside(plan.purposes.len().to_string(), paper.map(|p| p.tests.to_string())),
            sent,
            beside(steps.to_string(), paper.map(|p| p.steps.to_string())),
            asked,
            back_end
        );
    }
}
