//! Trace coverage of a model with the shape of the industrial one of S1 (section 5.3, tables 5.1 and 5.2).

mod support;

use std::time::Instant;

use sioco_exec::player::Player;
use sioco_exec::{NoClock, Settings, Tester, drive};
use sioco_lang::check::check_text;
use sioco_plan::{Cover, Options, plan};
use sioco_solve::values::Choice;
use support::campaign::solvers;
use support::industrial::industrial;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with("--bench")).collect();
    if arguments.iter().any(|a| a == "--model") {
        print!("{}", industrial());
        return;
    }
    let most: usize = arguments.iter().find_map(|a| a.parse().ok()).unwrap_or(6);
    let checked = check_text("industrial.sts", &industrial());
    let model = checked.model.expect("it is a model").model;
    for n in 1..=most {
        let start = Instant::now();
        let options = Options {
            strict: true,
            steering: false,
            nodes: 100_000_000,
            tests: Some(Choice::Random(0)),
            ..Options::new(Cover::Traces(n))
        };
        let made = plan(&model, &solvers, &options, &mut |_| {}).expect("traces can be planned");
        let planned = start.elapsed();
        if std::env::var_os("DOUBT").is_some() {
            let mut seen = std::collections::BTreeMap::new();
            for p in &made.purposes {
                for node in p.nodes.iter().filter(|n| n.doubt.is_some()) {
                    let s = node.leg.as_ref().unwrap().step.switches().next().unwrap();
                    *seen.entry((model.switches[s].name.clone(), format!("{:?}", node.doubt))).or_insert(0) += 1;
                }
            }
            println!("{seen:?}");
        }
        let settings = Settings {
            seed: 1,
            attempts: std::env::var("ATT").map_or(100, |a| a.parse().unwrap()),
            ..Settings::default()
        };
        let mut tester = Tester::new(&model, &solvers, &made, settings);
        let built = start.elapsed();
        let summary = drive(&mut tester, &mut Player::new(&model), &mut NoClock, &mut |r| {
            if std::env::var_os("SHOW").is_some() {
                println!("{:?}", r.record)
            }
        });
        let took = start.elapsed();
        let taken = summary.switches.iter().filter(|s| s.1).count();
        println!(
            "{n} {} {:?} plan {planned:?} suite {:?} run {:?} runs {:?} steps {} switches {taken} {:.2}% verdict {:?}",
            made.purposes.len(),
            made.counts,
            built - planned,
            took - built,
            summary.runs,
            summary.steps,
            100.0 * taken as f64 / model.switches.len() as f64,
            summary.verdict
        );
    }
}
