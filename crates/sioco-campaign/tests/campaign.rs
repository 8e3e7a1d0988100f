//! Campaigns on systems of this process: without a command, without text, without a clock.

use std::sync::Arc;

use sioco_adapter::in_process::{Args, InProcess, Output, System};
use sioco_campaign::cover::Covered;
use sioco_campaign::gate::Demand;
use sioco_campaign::journal::Writer;
use sioco_campaign::planning::{Planned, Planner, Wanted};
use sioco_campaign::played::Played;
use sioco_campaign::{Campaign, CampaignOutcome, Deadline, Observer};
use sioco_exec::journal::About;
use sioco_exec::log::Log;
use sioco_exec::record::{End, Stamped};
use sioco_exec::settings::Walks;
use sioco_exec::{Player, RunNumber, Settings, Sut, Verdict};
use sioco_model::Model;
use sioco_solve::BackEnd;
use sioco_solve::values::Choice;

const ACCUMULATOR: &str = "\
input  inX(p: Int in 1..10)
output outX(p: Int)
process Accumulator {
  var x: Int = 0
  init l0 { add: ?inX(p) / x := x + p -> l1 }
  state l1 { tell: !outX(x) -> l0 }
}
";

fn model(text: &str) -> Model {
    sioco_lang::check_text("m.sts", text).model.expect("a model").model
}

/// The accumulator, which tells one too much above some sum.
fn slipping(above: i64) -> Model {
    model(&ACCUMULATOR.replace("!outX(x)", &format!("!outX(if x > {above} then x + 1 else x)")))
}

fn planned(model: &Model, covered: &Covered) -> Planned {
    let never = Arc::default();
    let planner = Planner::new(model, &BackEnd::BuiltIn, &never);
    planner.make(covered, &Wanted::seeded(1), &mut |_| {}).expect("a plan")
}

fn settings(walks: Walks, steps: u64) -> Settings {
    Settings {
        seed: 1,
        values: Choice::Random(1),
        walks,
        max_steps: Some(steps),
        fail_fast: true,
        ..Settings::default()
    }
}

/// Counts what it is told.
#[derive(Default)]
struct Counting {
    records: u64,
    shrinking: u64,
    shrunk: u64,
    /// The order in which phases end.
    phases: Vec<&'static str>,
    /// The lines of the journal, as they come.
    lines: String,
}

impl Observer for Counting {
    fn line(&mut self, line: &str) {
        self.lines.push_str(line);
    }

    fn record(&mut self, _: &Stamped) {
        assert!(self.phases.is_empty(), "the campaign is over");
        self.records += 1;
    }

    fn tested(&mut self) {
        self.phases.push("tested");
    }

    fn shrinking(&mut self, _: RunNumber, _: sioco_exec::shrink::ShrinkProgress) {
        self.shrinking += 1;
    }

    fn finished(&mut self) {
        self.phases.push("finished");
    }

    fn shrunk(&mut self, _: &Stamped) {
        self.shrunk += 1;
    }
}

/// Tests what a model plays against the accumulator, with guided walks after the plan.
fn test(played: &Model, observer: &mut dyn Observer) -> CampaignOutcome {
    let model = model(ACCUMULATOR);
    let planned = planned(&model, &Covered::Auto);
    let (settings, deadline) = (settings(Walks::Guided, 100), Deadline::default());
    let demands = ["switch>=100%", "purpose>=0%"].map(|text| Demand::parse(text).expect("a demand"));
    let campaign = Campaign::new(&model, &planned.plan, &settings, &deadline).solver(&BackEnd::BuiltIn);
    let mut sut = Played::new(Player::new(played), played, &model);
    campaign.demands(&demands).untimed().run(&mut sut, None, observer)
}

#[test]
fn a_system_that_conforms_passes() {
    let mut counting = Counting::default();
    let outcome = test(&model(ACCUMULATOR), &mut counting);
    assert_eq!(outcome.summary.verdict, Some(Verdict::Pass));
    assert!(outcome.meets_gates() && outcome.gates.len() == 2, "{:?}", outcome.gates);
    assert!(outcome.failures().is_empty() && outcome.shrinks.all.is_empty());
    assert!(!outcome.interrupted && !outcome.unrecorded);
    assert!(counting.records > 100, "{}", counting.records);
    assert_eq!((counting.shrinking, counting.shrunk), (0, 0));
    assert_eq!(counting.phases, ["tested", "finished"]);
}

/// The failure is known by its run, and shown in its shortest form.
#[test]
fn a_failing_run_is_shrunk() {
    let mut counting = Counting::default();
    let outcome = test(&slipping(12), &mut counting);
    assert_eq!(outcome.summary.verdict, Some(Verdict::Fail));
    let failures = outcome.failures();
    let shortest = &failures[0];
    // Two inputs are needed for a sum above 12.
    assert_eq!((shortest.verdict, shortest.length), (Verdict::Fail, 4));
    assert_eq!(shortest.steps.len(), 4);
    assert!(shortest.shrunk.is_some() && shortest.recorded > shortest.run, "it has a number of its own");
    assert!(counting.shrinking > 0 && counting.shrunk > 0);
}

/// What is not to be shrunk stays as it was.
#[test]
fn shrinking_can_be_left_out() {
    let (model, played) = (model(ACCUMULATOR), slipping(0));
    let planned = planned(&model, &Covered::Random(None));
    let (settings, deadline) = (settings(Walks::Random, 20), Deadline::default());
    let campaign = Campaign::new(&model, &planned.plan, &settings, &deadline).unshrunk().untimed();
    let outcome = campaign.run(&mut Played::new(Player::new(&played), &played, &model), None, &mut ());
    assert_eq!(outcome.summary.verdict, Some(Verdict::Fail));
    assert!(outcome.shrinks.all.is_empty());
    assert!(outcome.failures().iter().all(|run| run.shrunk.is_none() && run.recorded == run.run));
}

/// Whoever interrupts before the first run gets a campaign without one.
#[test]
fn an_interrupt_ends_it() {
    let model = model(ACCUMULATOR);
    let planned = planned(&model, &Covered::Auto);
    let settings = settings(Walks::Guided, 100);
    let interrupted = Arc::new(true.into());
    let deadline = Deadline::new(interrupted, std::time::Instant::now(), None);
    let campaign = Campaign::new(&model, &planned.plan, &settings, &deadline).solver(&BackEnd::BuiltIn).untimed();
    let outcome = campaign.run(&mut Played::new(Player::new(&model), &model, &model), None, &mut ());
    assert!(outcome.interrupted);
    assert_eq!(outcome.summary.end, End::Interrupted);
}

/// A campaign that has no time left runs nothing, and fails nobody.
#[test]
fn no_time_is_no_campaign() {
    let model = model(ACCUMULATOR);
    let planned = planned(&model, &Covered::Auto);
    let settings = settings(Walks::Guided, 100);
    let deadline = Deadline::new(Arc::default(), std::time::Instant::now(), Some(std::time::Duration::ZERO));
    let campaign = Campaign::new(&model, &planned.plan, &settings, &deadline).solver(&BackEnd::BuiltIn);
    let outcome = campaign.run(&mut Played::new(Player::new(&model), &model, &model), None, &mut ());
    assert_eq!((outcome.summary.end, outcome.summary.steps), (End::Time, 0));
    assert!(!outcome.interrupted && outcome.summary.verdict < Some(Verdict::Fail));
}

/// A journal has the first line, all that happened, and what shrinking found.
#[test]
fn everything_is_recorded() {
    let (model, played) = (model(ACCUMULATOR), slipping(12));
    let planned = planned(&model, &Covered::Auto);
    let (settings, deadline) = (settings(Walks::Guided, 100), Deadline::default());
    let campaign = Campaign::new(&model, &planned.plan, &settings, &deadline).solver(&BackEnd::BuiltIn).untimed();
    let path = std::env::temp_dir().join(format!("sioco-campaign-{}.jsonl", std::process::id()));
    let mut journal = Writer::create(Some(&path)).expect("a journal");
    let header = campaign.header(About::new(&model, "m.sts", None, &[]), "a model");
    assert_eq!(header.purposes, planned.plan.purposes.len());
    journal.add(&header.line());
    let mut counting = Counting::default();
    let mut sut = Played::new(Player::new(&played), &played, &model);
    let outcome = campaign.run(&mut sut, Some(&mut journal), &mut counting);
    let text = std::fs::read_to_string(&path).expect("the journal");
    std::fs::remove_file(&path).expect("it is removed");
    assert!(!outcome.unrecorded && journal.broken.is_none());
    assert_eq!(text.lines().count() as u64, 1 + counting.records + counting.shrunk);
    assert_eq!(
        text.split_once('\n').map(|(_, records)| records),
        Some(&counting.lines[..]),
        "who listens gets the same"
    );
    let log = Log::of(&sioco_exec::journal::read(&text, &model).expect("a journal"));
    let shrunk: Vec<RunNumber> = log.runs.iter().filter(|run| run.shrunk.is_some()).map(|run| run.number).collect();
    assert_eq!(shrunk, [outcome.failures()[0].recorded]);
}

/// Rust code that counts wrongly above 12.
#[derive(Default)]
struct Counter {
    sum: i64,
    answer: Option<Output>,
}

impl System for Counter {
    fn reset(&mut self) {
        *self = Counter::default();
    }

    fn input(&mut self, _gate: &str, args: Args<'_>) {
        self.sum += args.get::<i64>("p");
        self.answer = Some(Output::new("outX", self.sum + i64::from(self.sum > 12)));
    }

    fn output(&mut self) -> Option<Output> {
        self.answer.take()
    }
}

#[test]
fn rust_code_is_a_system_as_well() {
    let model = model(ACCUMULATOR);
    let planned = planned(&model, &Covered::Auto);
    let (settings, deadline) = (settings(Walks::Guided, 100), Deadline::default());
    let campaign = Campaign::new(&model, &planned.plan, &settings, &deadline).solver(&BackEnd::BuiltIn);
    let mut sut = InProcess::new(&model, Counter::default);
    let outcome = campaign.run(&mut sut as &mut dyn Sut, None, &mut ());
    assert_eq!(outcome.summary.verdict, Some(Verdict::Fail));
    assert_eq!(outcome.failures()[0].length, 4);
}
