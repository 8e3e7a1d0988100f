//! Trace coverage of a model with the shape of the industrial one of S1: what tables 5.1 and 5.2 of S1 tell, and what is
//! needed here.
//!
//! `cargo bench -p sioco-exec --bench traces` makes and runs a test for every trace of 1 to 5 steps, the model played as
//! the system; `-- 6` goes up to 6 steps, `-- 8 8` takes those of 8 alone, and `-- --model` prints the model. Traces are
//! counted without being made, over the graph of locations: one that is impossible is cut at its first impossible switch,
//! so few of them are ever looked at. Times are only to be compared with each other.

mod support;

use std::collections::HashMap;
use std::time::{Duration, Instant};

use sioco_exec::player::Player;
use sioco_exec::{Driver, NoClock, Settings, Verdict, drive};
use sioco_lang::check::check_text;
use sioco_model::model::Label;
use sioco_model::{LocationId, Model};
use sioco_plan::{Cover, Plan, PlanOptions, plan};
use sioco_solve::values::Choice;
use support::campaign::solvers;
use support::industrial::industrial;

/// What S1 has for a length: all traces, their average length, those that extend a possible one, those that are possible,
/// the share of switches, and the time.
struct Paper {
    all: &'static str,
    average: &'static str,
    extensions: &'static str,
    possible: &'static str,
    switches: &'static str,
    time: &'static str,
}

const fn row(
    all: &'static str,
    average: &'static str,
    extensions: &'static str,
    possible: &'static str,
    switches: &'static str,
    time: &'static str,
) -> Paper {
    Paper { all, average, extensions, possible, switches, time }
}

const PAPER: [Paper; 6] = [
    row("15", "18", "0", "13", "12.9%", "1.4 s"),
    row("3461", "43", "3454", "21", "18.28%", "46.7 s"),
    row("27835", "45", "315", "273", "21.35%", "1 min 4 s"),
    row("> 4884677", "-", "72534", "441", "22.43%", "36 min 34 s"),
    row("-", "-", "6587", "5709", "26.11%", "47 min 14 s"),
    row("-", "-", "1516323", "-", "-", "gave up after 42 h"),
];

const NOTHING: Paper = row("-", "-", "-", "-", "-", "-");

/// How many traces with so many observable steps begin at a location, and how many switches they have together.
fn count(
    model: &Model,
    from: LocationId,
    length: usize,
    known: &mut HashMap<(LocationId, usize), (u128, u128)>,
) -> (u128, u128) {
    if length == 0 {
        return (1, 0);
    }
    if let Some(found) = known.get(&(from, length)) {
        return *found;
    }
    let mut sum = (0, 0);
    for switch in &model.locations[from].outgoing {
        let s = &model.switches[*switch];
        let left = length - usize::from(matches!(s.label, Label::Gate(_)));
        let (traces, switches) = count(model, s.target, left, known);
        sum = (sum.0 + traces, sum.1 + switches + traces);
    }
    known.insert((from, length), sum);
    sum
}

/// Where the traces of a plan end.
fn ends<'p>(model: &'p Model, plan: &'p Plan) -> impl Iterator<Item = LocationId> + 'p {
    plan.purposes.iter().filter_map(|p| {
        let line = p.line(p.accepts().next()?);
        let switch = line.last()?.step.switches().next()?;
        Some(model.switches[switch].target)
    })
}

/// The most memory that the process has had, in megabytes, where the system tells.
fn memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|l| l.starts_with("VmHWM:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<u64>().ok()? / 1024)
}

fn seconds(time: Duration) -> String {
    format!("{:.3} s", time.as_secs_f64())
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.iter().any(|a| a == "--model") {
        print!("{}", industrial());
        return;
    }
    let numbers: Vec<usize> = arguments.iter().filter_map(|a| a.parse().ok()).collect();
    let (least, most) = match numbers[..] {
        [] => (1, 5),
        [most] => (1, most),
        [least, most, ..] => (least, most),
    };
    let checked = check_text("industrial.sts", &industrial());
    let model = checked.model.expect("it is a model").model;
    let start = model.processes.values().next().expect("a process").initial;
    println!("{} switches; ours, with S1's in brackets", model.switches.len());
    println!(
        "{:>2} {:>24} {:>12} {:>22} {:>18} {:>15} {:>17} {:>7} {:>9} {:>9} {:>20} {:>8}",
        "n",
        "all traces",
        "length",
        "extending possible",
        "asked, impossible",
        "possible",
        "switches",
        "runs",
        "planned",
        "run",
        "S1's time",
        "memory"
    );
    let mut known = HashMap::new();
    // How many traces extend a possible one of the length before, if that was counted.
    let mut extensions: Option<u128> = (least == 1).then_some(0);
    for n in least..=most {
        let begun = Instant::now();
        let options = PlanOptions {
            strict: true,
            steering: false,
            nodes: 100_000_000,
            tests: Some(Choice::Random(0)),
            ..PlanOptions::new(Cover::Traces(n))
        };
        let made = plan(&model, &solvers, &options, &mut |_| {}).expect("traces can be planned");
        let planned = begun.elapsed();
        let settings = Settings { seed: 1, attempts: 1_000, ..Settings::default() };
        let mut tester = Driver::new(&model, &solvers, &made, settings);
        let summary = drive(&mut tester, &mut Player::new(&model), &mut NoClock, &mut |_| {});
        let run = begun.elapsed() - planned;
        let covered = summary.purposes.iter().filter(|p| p.verdict <= Some(Verdict::WeakPass)).count();
        assert_eq!(covered, made.purposes.len(), "all traces are covered");
        let switches = summary.on_covered(&model, &made).into_iter().filter(|s| *s).count();
        let (all, length) = count(&model, start, n, &mut known);
        let extending = extensions.map_or("-".into(), |e| e.to_string());
        extensions = Some(ends(&model, &made).map(|end| count(&model, end, 1, &mut known).0).sum());
        let paper = PAPER.get(n - 1).unwrap_or(&NOTHING);
        println!(
            "{n:>2} {:>24} {:>12} {:>22} {:>18} {:>15} {:>17} {:>7} {:>9} {:>9} {:>20} {:>8}",
            format!("{all} ({})", paper.all),
            format!("{:.1} ({})", length as f64 / all as f64, paper.average),
            format!("{extending} ({})", paper.extensions),
            format!("{}, {}", made.counts.candidates, made.counts.impossible),
            format!("{} ({})", made.purposes.len(), paper.possible),
            format!("{:.2}% ({})", 100.0 * switches as f64 / model.switches.len() as f64, paper.switches),
            summary.runs.iter().sum::<u64>(),
            seconds(planned),
            seconds(run),
            paper.time,
            memory().map_or("-".into(), |m| format!("{m} MB"))
        );
    }
}
