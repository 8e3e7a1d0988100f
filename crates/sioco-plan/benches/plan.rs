//! How long a plan takes that covers every switch, and how that grows; on BRP also against the same search by plain Z3.
//!
//! `cargo bench -p sioco-plan --bench plan` prints all tables; times are those on a core, where the
//! system tells them, and are only compared within one run. With
//! `--count SWITCHES` it only plans for a generated model with so many switches, for counting instructions; with
//! `--brp BOUND` only for BRP, and with `--data SWITCHES` also for the sides of the atoms of guards, for profiles.

use std::fmt::Write;
use std::path::Path as FilePath;
use std::time::{Duration, Instant};

use sioco_lang::check::{self, check_file, check_text};
use sioco_lang::source::FsLoader;
use sioco_model::Model;
use sioco_plan::{Cover, Plan, PlanOptions, plan};
use sioco_solve::back_end::BackEnd;
use sioco_solve::smt::z3;
use sioco_solve::values::Bounds;
use sioco_symbolic::{Merge, Shortcuts, Stop, explore};

fn example(name: &str, consts: &[(&str, usize)]) -> Model {
    let file = FilePath::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name);
    let consts = consts.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
    let options = check::CheckOptions { consts, ..Default::default() };
    check_file(&file, &FsLoader, &options).model.expect("an example is a model").model
}

/// A tree of locations, ten switches to a block: inputs that split their values, outputs, internal steps, a counter that
/// must be full before a switch can be taken, and one that runs along the way. The leaves lead back.
fn generate(switches: usize) -> Model {
    let blocks = switches / 10;
    let mut text = String::from(
        "input a(p: Int in 0..99)\ninput b\noutput o(x: Int)\noutput full\noutput again\nprocess G {\n  var x: Int = 0\n  var y: Int = 0\n  var z: Int = 0\n",
    );
    for i in 0..blocks {
        let to = |child: usize| if child < blocks { format!("l{child}") } else { "l0".into() };
        let (word, border) = (if i == 0 { "init" } else { "state" }, 10 + (i * 37) % 80);
        let (left, right, bound) = (to(2 * i + 1), to(2 * i + 2), 2 + i % 3);
        write!(
            text,
            "  {word} l{i} {{
    low{i}:   ?a(p) [p < {border}]           / z := p, x := 0          -> m{i}
    high{i}:  ?a(p) [p >= {border}]          / z := p, x := 0          -> n{i}
    count{i}: ?b    [x < {bound}]            / x := x + 1              -> k{i}
    full{i}:  !full [x >= {bound}]           / x := 0                  -> l{i}
  }}
  state k{i} {{
    tell{i}:  !o(x)                          / y := (y + 1) mod 2      -> l{i}
  }}
  state m{i} {{
    even{i}:  !o(z + y) [y == 0]             / z := 0                  -> {left}
    odd{i}:   tau       [y == 1]             / y := 0, z := 0          -> {left}
  }}
  state n{i} {{
    large{i}: !o(z)     [z > {border} + 5]   / z := 0                  -> {right}
    small{i}: tau       [z <= {border} + 5]                            -> s{i}
  }}
  state s{i} {{
    again{i}: !again                         / z := 0                  -> {right}
  }}
"
        )
        .expect("a string takes any text");
    }
    text.push_str("}\n");
    let model = check_text("generated.sts", &text).model.expect("the generated text is a model").model;
    assert_eq!(model.switches.len(), switches);
    model
}

fn chain() -> Box<dyn Bounds> {
    Box::new(BackEnd::Auto.chain())
}

fn plain() -> Box<dyn Bounds> {
    Box::new(BackEnd::Auto.plain())
}

fn options() -> PlanOptions {
    PlanOptions { steering: false, workers: 1, nodes: 4_000_000, ..PlanOptions::new(Cover::Switch) }
}

/// A plan that covers every switch, on one core.
fn cover(model: &Model) -> Plan {
    let made = plan(model, &chain, &options(), &mut |_| {}).expect("switches can be covered");
    let covered = made.coverage();
    assert_eq!((covered.covered, covered.perhaps), (model.switches.len(), 0), "{covered:?}, {:?}", made.stop);
    made
}

/// The same for data goals as well.
fn cover_data(model: &Model) -> Plan {
    plan(model, &chain, &PlanOptions { data: true, ..options() }, &mut |_| {}).expect("switches can be covered")
}

/// How long this thread has been on a core, where the system tells; that it had to wait for one does not count.
fn on_core() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
}

/// The mean of as many runs as are needed to measure it: the system counts in ticks of some milliseconds.
fn timed<T>(run: &dyn Fn() -> T) -> (Duration, T) {
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

/// Prints a line of the table, and gives the time.
fn line(name: &str, model: &Model, relative: Option<f64>) -> (Duration, f64) {
    let (time, made) = timed(&|| cover(model));
    let each = time.as_secs_f64() / model.switches.len() as f64;
    println!(
        "  {name:<18} {:>6} switches {time:>10.3?} {:>7} nodes {:>5} purposes {:>6} steps {}",
        model.switches.len(),
        made.counts.nodes,
        made.purposes.len(),
        made.steps(model),
        relative.map_or(String::new(), |first| format!("{:>5.2} times the time per switch of 1,000", each / first)),
    );
    (time, each)
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    if let ["--count", switches] = args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        cover(&generate(switches.parse().expect("a number of switches")));
        return;
    }
    if let ["--brp", bound] = args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        cover(&example("brp/brp.sts", &[("max_rn", bound.parse().expect("a number"))]));
        return;
    }
    if let ["--data", switches] = args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        let model = generate(switches.parse().expect("a number of switches"));
        let made = cover_data(&model);
        println!("{:?}, {} purposes, {} steps", made.coverage(), made.purposes.len(), made.steps(&model));
        return;
    }
    println!("time of a plan that covers every switch, one core");
    line("S0 figure 1", &example("accumulator/accumulator.sts", &[]), None);
    let mut brp = Duration::ZERO;
    for bound in [5, 20, 100] {
        let model = example("brp/brp.sts", &[("max_rn", bound)]);
        let (time, _) = line(&format!("BRP, bound {bound}"), &model, None);
        if bound == 5 {
            brp = time;
        }
    }
    let (_, first) = line("generated", &generate(1_000), None);
    for switches in [100, 1_000, 10_000] {
        line("generated", &generate(switches), Some(first));
    }

    println!("the same with data goals");
    let mut first = None;
    for switches in [100, 1_000, 10_000] {
        let model = generate(switches);
        let (time, made) = timed(&|| cover_data(&model));
        let each = time.as_secs_f64() / switches as f64;
        println!(
            "  generated          {switches:>6} switches {time:>10.3?} {:>7} goals {:>5} purposes {:>6} steps {:>5.2} times the time per switch of 100",
            made.goals.len(),
            made.purposes.len(),
            made.steps(&model),
            each / *first.get_or_insert(each)
        );
    }

    println!("BRP, bound 5: breadth-first until every switch is taken, everything asked of Z3");
    if z3::find().0.is_none() {
        println!("  skipped, no Z3 was found");
        return;
    }
    let options = sioco_symbolic::ExploreOptions {
        merge: Merge::Nothing,
        workers: 1,
        nodes: 4_000_000,
        bytes: 8 << 30,
        until_covered: true,
        shortcuts: Shortcuts { evaluation: false, independence: false },
        ..Default::default()
    };
    let model = example("brp/brp.sts", &[]);
    let (time, found) = timed(&|| explore(&model, &plain, &options, &mut |_| {}));
    assert_eq!(found.stop, Stop::Covered);
    println!(
        "  tree               {:>6} nodes    {time:>10.3?}, {:.0} times the plan",
        found.graph.len(),
        time.as_secs_f64() / brp.as_secs_f64()
    );
}
