//! Recorded runs that are run again, and logs that are judged: without a command, without text.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use sioco_campaign::judge::{Judge, JudgedRun};
use sioco_campaign::played::Played;
use sioco_campaign::replay::{Replay, ReplayObserver, Replays, Sameness, Shown, most_telling_run};
use sioco_campaign::{Campaign, Deadline, Observer};
use sioco_exec::log::{Log, LoggedRun};
use sioco_exec::record::{End, Stamped};
use sioco_exec::replay::Patience;
use sioco_exec::settings::Walks;
use sioco_exec::{Player, RunNumber, Settings, Verdict};
use sioco_model::Model;
use sioco_plan::{Cover, Plan};
use sioco_solve::{BackEnd, Cancellation};

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

/// Keeps everything.
#[derive(Default)]
struct Keeping {
    records: Vec<Stamped>,
    times: u64,
}

impl Observer for Keeping {
    fn record(&mut self, stamped: &Stamped) {
        self.records.push(stamped.clone());
    }
}

impl ReplayObserver for Keeping {
    fn record(&mut self, stamped: &Stamped) {
        self.records.push(stamped.clone());
    }

    fn replayed(&mut self, times: u64) {
        assert_eq!(times, self.times + 1);
        self.times = times;
    }
}

/// What random walks find about an accumulator that slips above 15.
fn recorded() -> Log {
    let model = model(ACCUMULATOR);
    let plan = Plan::new(Cover::Random(1));
    let settings = Settings { seed: 1, walks: Walks::Random, max_steps: Some(100), walk: 30, ..Settings::default() };
    let (deadline, mut keeping) = (Deadline::default(), Keeping::default());
    let played = slipping(15);
    let mut sut = Played::new(Player::new(&played), &played, &model);
    let campaign = Campaign::new(&model, &plan, &settings, &deadline).solver(&BackEnd::BuiltIn);
    campaign.untimed().unshrunk().run(&mut sut, None, &mut keeping);
    Log::of_records(keeping.records.iter().enumerate())
}

/// Runs a run again three times on an accumulator that slips above this.
fn again(recorded: &LoggedRun, above: i64, cancellation: &Cancellation) -> (Replays, Keeping) {
    let (model, played) = (model(ACCUMULATOR), slipping(above));
    let patience = Patience { quiescence: Duration::from_millis(1), slower: None, accepted: Duration::from_secs(10) };
    let replay = Replay { model: &model, back_end: &BackEnd::BuiltIn, cancellation, recorded, patience, times: 3 };
    let mut keeping = Keeping::default();
    let found = replay.run(&mut Played::new(Player::new(&played), &played, &model), &mut keeping);
    (found, keeping)
}

#[test]
fn a_failure_is_found_again_until_it_is_mended() {
    let log = recorded();
    let run = most_telling_run(&log.runs).expect("some run failed");
    let never = Cancellation::default();
    let (found, kept) = again(run, 15, &never);
    assert_eq!((found.shows(run), found.fails_as(run)), (Shown::Failed, Sameness::Same));
    assert_eq!((found.fails(), kept.times, found.worst().map(|(number, _)| number)), (3, 3, Some(RunNumber(1))));
    assert_eq!(found.trails.of(RunNumber(1)).len(), run.steps.len());
    let (found, _) = again(run, 1_000, &never);
    assert_eq!((found.shows(run), found.fails()), (Shown::Fixed, 0));
    // Slipping earlier, it fails in another way.
    let (found, _) = again(run, -1, &never);
    assert_eq!((found.shows(run), found.fails_as(run)), (Shown::Failed, Sameness::Other));
    let passed = log.runs.iter().find(|run| matches!(run.verdict, Some((Verdict::Pass, _))));
    if let Some(passed) = passed {
        let (found, _) = again(passed, 1_000, &never);
        assert_eq!(found.shows(passed), Shown::Passed);
    }
}

#[test]
fn what_somebody_interrupts_shows_nothing() {
    let log = recorded();
    let run = most_telling_run(&log.runs).expect("some run failed");
    let now = Cancellation::by(Arc::new(AtomicBool::new(true)));
    let (found, kept) = again(run, 15, &now);
    assert!(found.is_interrupted() && kept.times == 1);
    assert_eq!(found.shows(run), Shown::Inconclusive);
}

#[test]
fn a_log_comes_to_what_the_campaign_came_to() {
    let (log, model) = (recorded(), model(ACCUMULATOR));
    let never = Cancellation::default();
    let judge = Judge { model: &model, back_end: &BackEnd::BuiltIn, cancellation: &never };
    let mut verdicts = Vec::new();
    let judged = judge.judge(&log, &mut |JudgedRun { run, judged, stopped }| {
        assert!(!stopped);
        assert_eq!(run.verdict.as_ref().map(|(verdict, _)| *verdict), Some(judged.verdict));
        verdicts.push(judged.verdict);
    });
    assert_eq!((judged.left, verdicts.len()), (0, log.runs.len()));
    assert_eq!((judged.summary.verdict, judged.summary.end), (Some(Verdict::Fail), End::Done));
    let fails = verdicts.iter().filter(|verdict| **verdict == Verdict::Fail).count();
    assert_eq!((judged.summary.runs[Verdict::Fail as usize], judged.summary.bad.len()), (fails as u64, fails));
    let now = Cancellation::by(Arc::new(AtomicBool::new(true)));
    let judged = Judge { cancellation: &now, ..judge }.judge(&log, &mut |_| panic!("nothing is judged any more"));
    assert_eq!((judged.left, judged.summary.end), (log.runs.len(), End::Interrupted));
}
