//! How long it takes to compose and compare two models, by their size.
//!
//! `cargo bench -p sioco-exec --bench compose` prints a table for models of 10, 100 and 1,000 switches each: one that
//! conforms and divides its inputs in another way, one with a wrong output, and one with a wrong limit, after which both
//! models are in different locations: followed, and only until there. `-- SWITCHES` measures one size.

mod support;

use std::time::Instant;

use sioco_lang::check::check_text;
use sioco_model::Model;
use sioco_plan::compare::{CompareOptions, Conformance, compare};
use support::campaign::solvers;
use support::pairs::{Differences, pair};

fn model(text: &str) -> Model {
    check_text("pair.sts", text).model.expect("the text is a model").model
}

fn main() {
    let size: Option<usize> = std::env::args().skip(1).find_map(|a| a.parse().ok());
    let sizes = size.map_or(vec![10, 100, 1_000], |n| vec![n]);
    let split = Differences { split_one_in: Some(10), ..Differences::default() };
    let kinds = [
        ("conforms", split),
        ("wrong output", Differences { output: true, ..split }),
        ("wrong limit", Differences { limit: true, ..split }),
        ("until there", Differences { limit: true, ..split }),
    ];
    println!(
        "{:>8} {:<13} {:<10} {:>7} {:>12} {:>10} {:>7} {:>8} {:>9} {:>11}",
        "switches", "pair", "result", "states", "transitions", "asked", "tests", "inputs", "time", "a step"
    );
    for switches in sizes {
        for (name, differences) in kinds {
            let (spec, imp) = pair(switches, differences);
            let (spec, imp) = (model(&spec), model(&imp));
            let until_different = name == "until there";
            let options = CompareOptions { until_different, ..CompareOptions::default() };
            let begun = Instant::now();
            let found = compare(&spec, &imp, &solvers, &options, &mut |_| {}).expect("they can be compared");
            let time = begun.elapsed();
            let result = match &found.conformance {
                Conformance::Conforms { proved: true, .. } => "proved".to_owned(),
                Conformance::Conforms { length, .. } => format!("up to {length}"),
                Conformance::Differs(difference) => format!("{} inputs", difference.inputs),
                Conformance::Unknown { .. } => "unknown".to_owned(),
            };
            let c = &found.composition;
            let suite = found.suite.as_ref().expect("the outputs have a degree");
            println!(
                "{switches:>8} {name:<13} {result:<10} {:>7} {:>12} {:>10} {:>7} {:>8} {:>8.2}s {:>8.0} us",
                c.pairs.len(),
                c.transitions.len(),
                found.counters.asked,
                suite.plan.purposes.len(),
                suite.inputs,
                time.as_secs_f64(),
                time.as_secs_f64() * 1e6 / c.transitions.len().max(1) as f64,
            );
        }
    }
}
