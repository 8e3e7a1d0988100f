//! How fast runs are judged and made, in process: steps per second, over the length of a run and the number of
//! hypotheses.
//!
//! `cargo bench -p sioco-exec --bench speed` prints all tables; times are those on a core, where the system tells them, and
//! are only compared within one run. With `--count STEPS` it only does a random walk, for counting instructions; with
//! `--count STEPS NAME` another one of them: `judge`, `guided`, `played`, `solved`, `example PATH`, or `hypotheses` (so many of them, 1,000
//! steps).

mod support;

use std::time::{Duration, Instant};

use sioco_exec::player::Player;
use sioco_exec::settings::Walks;
use sioco_exec::{Action, Driver, NoClock, Observation, Order, Record, Referee, Settings, Sut, Verdict, drive};
use sioco_lang::check::check_text;
use sioco_model::Model;
use sioco_plan::Plan;
use support::campaign::{SWITCH, Strategy, solvers};
use support::examples::{brp, example};
use support::sender::Sender;

/// How long this thread has been on a core, where the system tells; that it had to wait for one does not count.
fn on_core() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
}

/// The mean of as many runs as are needed to measure it.
fn timed<T>(run: &mut dyn FnMut() -> T) -> (Duration, T) {
    let (start, before) = (Instant::now(), on_core());
    let mut runs = 0;
    loop {
        let found = run();
        runs += 1;
        let time = match (before, on_core()) {
            (Some(before), Some(after)) => after - before,
            _ => start.elapsed(),
        };
        if time > Duration::from_millis(300) {
            return (time / runs, found);
        }
    }
}

/// One run with so many steps.
fn walk(model: &Model, sut: &mut dyn Sut, plan: &Plan, walks: Walks, steps: u64, trace: Option<&mut Vec<Action>>) {
    let settings = Settings { walks, max_steps: Some(steps), walk: u64::MAX, seed: 1, ..Settings::default() };
    let mut tester = Driver::new(model, &solvers, plan, settings);
    let mut sent = None;
    let mut kept = trace;
    let summary = drive(&mut tester, sut, &mut NoClock, &mut |stamped| {
        let Some(trace) = &mut kept else { return };
        match &stamped.record {
            Record::Input { input, .. } => sent = Some(input.clone()),
            Record::Accepted { .. } => trace.push(Action::Input(sent.take().expect("an input was sent"))),
            Record::Observed(seen) => trace.push(Action::Seen(seen.clone())),
            _ => {}
        }
    });
    // No input is sent last: its answer is to be judged, too.
    assert!(summary.verdict == Some(Verdict::Pass) && summary.steps + 2 > steps, "{summary:?}");
}

/// The verdict on a recorded run.
fn judge(model: &Model, trace: &[Action]) {
    let mut referee = Referee::new(model, &solvers, Order::Sut);
    assert_eq!(referee.start(), None);
    for action in trace {
        let cause = match action {
            Action::Input(input) => referee.input(input),
            Action::Seen(seen) => referee.observe(seen),
        };
        assert_eq!(cause, None);
    }
}

/// Every input is solved for: the plan that covers every switch, again and again with new values.
fn solved(model: &Model, sut: &mut dyn Sut, plan: &Plan, steps: u64) {
    let settings = Settings { seed: 1, walks: Walks::Again, max_steps: Some(steps), ..Settings::default() };
    let mut tester = Driver::new(model, &solvers, plan, settings);
    let summary = drive(&mut tester, sut, &mut NoClock, &mut |_| {});
    assert!(summary.verdict < Some(Verdict::Error) && summary.steps + 2 > steps, "{summary:?}");
}

/// A model with so many hypotheses: something hidden is chosen, and never shows.
fn hidden(hypotheses: usize) -> Model {
    let most = hypotheses - 1;
    let text = format!(
        "input a(p: Int)\noutput o(p: Int)\nprocess P {{\n  var x: Int = 0\n  var y: Int = 0\n  init s {{ tau any k: Int in 0..{most} / x := k -> t }}\n  state t {{ ?a(p) / y := p -> u }}\n  state u {{ !o(y) [x >= 0] -> t }}\n}}\n"
    );
    check_text("hidden.sts", &text).model.expect("the text is a model").model
}

fn answers(model: &Model, steps: usize) -> Vec<Action> {
    let gate = |name: &str| model.gate(name).expect("declared");
    let at = |gate, n: usize| sioco_exec::GateValue { gate, args: vec![sioco_model::Value::Int((n / 2) as i64)] };
    let action = |n: usize| match n % 2 {
        0 => Action::Input(at(gate("a"), n)),
        _ => Action::Seen(Observation::Output(at(gate("o"), n))),
    };
    (0..steps).map(action).collect()
}

fn line(name: &str, steps: u64, time: Duration, first: &mut Option<f64>) {
    let each = time.as_secs_f64() / steps as f64;
    let times = each / *first.get_or_insert(each);
    println!(
        "  {name:<28} {steps:>9} steps {time:>11.3?} {:>9.0} steps/s {times:>6.2} times the first per step",
        1.0 / each
    );
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    let model = brp("brp.sts", "Int");
    let (switch, none) = (SWITCH.plan(&model), Strategy::Random.plan(&model));
    if let ["--count", steps, name @ ..] = &args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        let steps: u64 = steps.parse().expect("a number of steps");
        match name.first().copied().unwrap_or("random") {
            "random" => walk(&model, &mut Sender::new(&model), &none, Walks::Random, steps, None),
            "guided" => walk(&model, &mut Sender::new(&model), &none, Walks::Guided, steps, None),
            "played" => walk(&model, &mut Player::new(&model), &none, Walks::Random, steps, None),
            "solved" => solved(&model, &mut Sender::new(&model), &switch, steps),
            "example" => {
                let model = example(name.get(1).expect("the path of an example"));
                solved(&model, &mut Player::new(&model), &SWITCH.plan(&model), steps);
            }
            "hypotheses" => {
                let model = hidden(steps as usize);
                judge(&model, &answers(&model, 1_000));
            }
            _ => {
                let mut trace = Vec::new();
                walk(&model, &mut Sender::new(&model), &none, Walks::Random, 1_000, Some(&mut trace));
                (0..steps / 1_000).for_each(|_| judge(&model, &trace));
            }
        }
        return;
    }

    println!("one run of BRP, in process, one core");
    for (name, walks) in [("random walk", Walks::Random), ("guided walk", Walks::Guided)] {
        let mut first = None;
        for steps in [1_000, 10_000, 100_000, 1_000_000] {
            let (time, ()) = timed(&mut || walk(&model, &mut Sender::new(&model), &none, walks, steps, None));
            line(name, steps, time, &mut first);
        }
    }
    let mut first = None;
    for steps in [1_000, 100_000] {
        let (time, ()) = timed(&mut || walk(&model, &mut Player::new(&model), &none, Walks::Random, steps, None));
        line("random walk, played model", steps, time, &mut first);
    }
    let mut first = None;
    for steps in [1_000, 10_000, 100_000, 1_000_000] {
        let mut trace = Vec::new();
        walk(&model, &mut Sender::new(&model), &none, Walks::Random, steps, Some(&mut trace));
        let (time, ()) = timed(&mut || judge(&model, &trace));
        line("referee alone", steps, time, &mut first);
    }

    println!("every input solved for: plans that cover every switch, again and again with new values");
    let mut first = None;
    for steps in [1_000, 10_000, 100_000] {
        let (time, ()) = timed(&mut || solved(&model, &mut Sender::new(&model), &switch, steps));
        line("BRP", steps, time, &mut first);
    }
    for name in ["accumulator/accumulator", "prepaid-card/spec", "atm/atm", "ceiling-speed-monitor/csm"] {
        let model = example(&format!("{name}.sts"));
        let plan = SWITCH.plan(&model);
        let (time, ()) = timed(&mut || solved(&model, &mut Player::new(&model), &plan, 2_000));
        line(name, 2_000, time, &mut None);
    }

    println!("hypotheses: 1,000 steps of a model in which something hidden never shows");
    let mut first = None;
    for count in [1, 10, 100, 1_000] {
        let model = hidden(count);
        let trace = answers(&model, 1_000);
        let (time, ()) = timed(&mut || judge(&model, &trace));
        let each = time.as_secs_f64() / (count as f64 * 1_000.0);
        let times = each / *first.get_or_insert(each);
        println!(
            "  {count:>5} hypotheses {time:>11.3?} {:>8.1} ns per step and hypothesis {times:>6.2} times the first",
            each * 1e9
        );
    }
}
