//! Messages that cross never fail a system that conforms: campaigns over a socket against models that are played
//! behind wires with delays. `SIOCO_RUNS` says how many runs there are.

// Lints know tests by their attribute, which helpers do not have.
#![allow(clippy::unwrap_used)]

mod server;

use std::net::TcpListener;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use server::{Seen, Wires, serve};
use sioco_adapter::client::{Client, ConnectionOptions};
use sioco_adapter::lines::Interrupt;
use sioco_adapter::tcp::Tcp;
use sioco_exec::settings::{Interaction, Walks};
use sioco_exec::verdict::{Cause, OpenCause};
use sioco_exec::{Clock, Driver, Record, Settings, Summary, Verdict, drive};
use sioco_model::Model;
use sioco_plan::{Cover, Plan};
use sioco_solve::BackEnd;
use sioco_solve::values::Bounds;

/// Tells by itself how far it is, while it is given more.
const COUNTER: &str = "
input add(p: Int in 1..3)
input clear
output tell(x: Int)
process P {
  var x: Int = 0
  init s {
    ?add(p)           / x := x + p -> s
    ?clear            / x := 0     -> s
    !tell(x) [x >= 4] / x := x - 4 -> s
  }
}
";

/// Goes away by itself, and then the input is not specified any more.
const LEAVING: &str = "
input a
output u
output v
output w
process P {
  init l0 { ?a -> l1   !u -> l2 }
  state l1 { !v -> l0 }
  state l2 { !w -> l0 }
}
";

/// Several inputs wait to be answered, in their order.
const QUEUE: &str = "
input put(p: Int in 0..9)
output got(x: Int, left: Int)
process P {
  var n: Int in 0..5 = 0
  var s: Int in 0.. = 0
  init q {
    ?put(p)    [n < 5] / n := n + 1, s := s + p -> q
    !got(s, n) [n > 0] / n := n - 1             -> q
  }
}
";

/// May tick or not: silence is allowed wherever outputs are.
const LAZY: &str = "
input a(p: Int in 0..9)
output u
process P {
  init l0 { tau -> l0   tau -> l1   ?a(_) -> l0 }
  state l1 { !u -> l0   ?a(_) -> l0 }
}
";

fn builtin() -> Box<dyn Bounds> {
    Box::new(BackEnd::BuiltIn.chain())
}

fn example(name: &str) -> Model {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("../../examples/{name}.sts"));
    let options = sioco_lang::check::CheckOptions::default();
    sioco_lang::check::check_file(&path, &sioco_lang::source::FsLoader, &options).model.expect(name).model
}

fn model(text: &str) -> Model {
    let checked = sioco_lang::check_text("m.sts", text);
    checked.model.unwrap_or_else(|| panic!("{:?}", checked.diagnostics)).model
}

fn planned(model: &Model) -> Plan {
    let options =
        sioco_plan::PlanOptions { steering: false, ..sioco_plan::PlanOptions::new(Cover::parse("switch").unwrap()) };
    sioco_plan::plan(model, &builtin, &options, &mut |_| {}).unwrap()
}

struct Wall(Instant);

impl Clock for Wall {
    fn now(&mut self) -> Duration {
        self.0.elapsed()
    }
}

/// What campaigns came to.
#[derive(Default, Debug)]
struct Tally {
    campaigns: u64,
    /// By verdict: pass, weak pass, inconclusive, error, fail.
    runs: [u64; 5],
    steps: u64,
    /// Runs that end since an input was overtaken.
    crossed: u64,
    /// Outputs that came between an input and its acknowledgement, and between that and the time when it was taken.
    overtaken: u64,
    crossings: u64,
    withdrawn: u64,
    /// Outputs of older runs that were sent, and that were dropped.
    old: u64,
    stale: u64,
}

impl Tally {
    fn add(&mut self, summary: &Summary, seen: &Seen, (crossed, overtaken): (u64, u64)) {
        self.campaigns += 1;
        self.runs.iter_mut().zip(summary.runs).for_each(|(all, these)| *all += these);
        self.steps += summary.steps;
        self.crossed += crossed;
        self.overtaken += overtaken;
        self.crossings += seen.crossings;
        self.withdrawn += summary.withdrawn;
        self.old += seen.old;
        self.stale += summary.stale + summary.unheard;
    }

    fn runs(&self) -> u64 {
        self.runs.iter().sum()
    }
}

/// A campaign against a model behind wires.
fn campaign(
    spec: (&Model, &Plan),
    played: &Model,
    settings: &Settings,
    wires: Wires,
    tally: &mut Tally,
) -> (Summary, Vec<Record>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let mut records = Vec::new();
    let (summary, seen) = std::thread::scope(|scope| {
        let server = scope.spawn(|| serve(&listener, played, wires, !settings.seed));
        let tcp = Box::new(Tcp::new("127.0.0.1", port));
        let mut client = Client::new(spec.0, tcp, ConnectionOptions::default(), Interrupt::default());
        let mut tester = Driver::new(spec.0, &builtin, spec.1, settings.clone());
        let summary =
            drive(&mut tester, &mut client, &mut Wall(Instant::now()), &mut |s| records.push(s.record.clone()));
        (summary, server.join().unwrap())
    });
    let (mut crossed, mut overtaken, mut pending) = (0, 0, false);
    for record in &records {
        match record {
            Record::Input { .. } => pending = true,
            Record::Accepted { .. } | Record::Run { .. } => pending = false,
            Record::Observed(_) => overtaken += u64::from(pending),
            Record::Verdict { cause: Cause::Open(OpenCause::Crossed), .. } => crossed += 1,
            _ => {}
        }
    }
    tally.add(&summary, &seen, (crossed, overtaken));
    (summary, records)
}

/// All that is varied in campaigns of so many runs, and a little more, by seed.
fn settings(seed: u64) -> (Settings, Wires) {
    let pick = |n: u64, of: u64| seed / n % of;
    let settings = Settings {
        seed: seed * 1_000_003,
        walks: if pick(1, 2) == 0 { Walks::Random } else { Walks::Guided },
        interaction: Some(if pick(2, 2) == 0 { Interaction::Eager } else { Interaction::Fair }),
        max_steps: Some(200),
        walk: 20,
        // Silence is said here. A time that runs out on a busy machine would be the fault of the test.
        quiescence: Duration::from_secs(30),
        patience: Duration::from_secs(30),
        ..Settings::default()
    };
    let held = [(50, 50), (90, 50), (0, 50), (50, 90), (80, 80)][pick(1, 5) as usize];
    let pause = [0, 200, 1000][pick(2, 3) as usize];
    (settings, Wires { input: held.0, output: held.1, pause, announce: true })
}

fn wanted() -> u64 {
    std::env::var("SIOCO_RUNS").ok().and_then(|n| n.parse().ok()).unwrap_or(300)
}

#[test]
fn crossings_never_fail_a_system_that_conforms() {
    let models: Vec<(&str, Model)> = ["accumulator/accumulator", "brp/brp", "coffee/coffee", "atm/atm-two-processes"]
        .map(|name| (name, example(name)))
        .into_iter()
        .chain([("counter", model(COUNTER)), ("leaving", model(LEAVING)), ("queue", model(QUEUE))])
        .collect();
    let plans: Vec<Plan> = models.iter().map(|(_, model)| planned(model)).collect();
    let mut tallies: Vec<Tally> = models.iter().map(|_| Tally::default()).collect();
    let mut all = Tally::default();
    let wanted = wanted();
    for seed in 0.. {
        // How much crosses is up to the machine, but that nothing does is the fault of the test.
        let sum = |what: fn(&Tally) -> u64| tallies.iter().map(what).sum::<u64>();
        if all.runs() >= wanted && sum(|t| t.crossings + t.overtaken) > 20 && sum(|t| t.crossed) > 0 {
            break;
        }
        assert!(all.runs() < 30 * wanted, "nothing crosses, or is overtaken: {tallies:?}");
        for (((name, model), plan), tally) in models.iter().zip(&plans).zip(&mut tallies) {
            let (settings, wires) = settings(seed);
            let before = tally.runs();
            let (summary, records) = campaign((model, plan), model, &settings, wires, tally);
            assert!(
                summary.verdict < Some(Verdict::Error),
                "{name}, seed {seed}, {wires:?}: {:?}\n{records:?}",
                summary.bad
            );
            all.runs[0] += tally.runs() - before;
        }
    }
    for ((name, _), tally) in models.iter().zip(&tallies) {
        println!("{name}: {tally:?}");
        // Outputs of an older run are dropped, and counted: also those that were under way at the reset.
        assert!(tally.stale >= tally.old && tally.steps > 100, "{name}: {tally:?}");
    }
}

#[test]
fn an_answer_that_comes_late_withdraws_silence() {
    let model = model(LAZY);
    let plan = planned(&model);
    let mut tally = Tally::default();
    let wanted = wanted() / 5;
    for seed in 0.. {
        if tally.runs() >= wanted && tally.withdrawn > 0 {
            break;
        }
        assert!(tally.runs() < 100 * wanted, "no silence was ever withdrawn: {tally:?}");
        let (settings, wires) = settings(seed);
        let settings = Settings { quiescence: Duration::from_millis(1), max_steps: Some(100), ..settings };
        let wires = Wires { pause: 4000, announce: false, ..wires };
        let (summary, records) = campaign((&model, &plan), &model, &settings, wires, &mut tally);
        assert!(summary.verdict < Some(Verdict::Error), "seed {seed}, {wires:?}: {:?}\n{records:?}", summary.bad);
    }
    println!("lazy: {tally:?}");
}

#[test]
fn what_does_not_conform_still_fails() {
    let changed = |text: &str, from: &str, to: &str| {
        assert!(text.contains(from));
        model(&text.replace(from, to))
    };
    let accumulator = include_str!("../../../../examples/accumulator/accumulator.sts");
    let coffee = include_str!("../../../../examples/coffee/coffee.sts");
    let pairs = [
        ("counter", model(COUNTER), changed(COUNTER, "x := x - 4", "x := x - 3")),
        ("leaving", model(LEAVING), changed(LEAVING, "l2 { !w", "l2 { !v")),
        ("queue", model(QUEUE), changed(QUEUE, "s := s + p", "s := s + p mod 9")),
        ("accumulator", model(accumulator), changed(accumulator, "!outX(x) -> l0", "!outX(x + x div 9) -> l0")),
        ("coffee", model(coffee), changed(coffee, "!dispense_coffee -> s4", "!dispense_cup -> s4")),
        ("brp", example("brp/brp"), example("brp/mutant-1")),
        ("brp, 4", example("brp/brp"), example("brp/mutant-4")),
    ];
    for (name, spec, mutant) in &pairs {
        let plan = planned(spec);
        let mut tally = Tally::default();
        for interaction in [Interaction::Eager, Interaction::Fair] {
            let found = (0..20).find(|seed| {
                let (settings, wires) = settings(*seed);
                let settings =
                    Settings { interaction: Some(interaction), fail_fast: true, max_steps: Some(600), ..settings };
                let (summary, _) = campaign((spec, &plan), mutant, &settings, wires, &mut tally);
                summary.verdict == Some(Verdict::Fail)
            });
            println!("{name}, {interaction:?}: found with seed {found:?} ({} steps in all)", tally.steps);
            assert!(found.is_some(), "{name}, {interaction:?}: {tally:?}");
        }
    }
}
