//! Silence by the clock is a failure only if the tester was not held up, the system had time to start, and the silence came
//! again (T-Q10). All delays are those of a clock of this test.

mod support;

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use sioco_exec::drive::Bench;
use sioco_exec::journal::{About, Header, line, read};
use sioco_exec::judge::judge;
use sioco_exec::log::Log;
use sioco_exec::reliance::{Reliance, Start};
use sioco_exec::replay::{Patience, replay};
use sioco_exec::settings::Walks;
use sioco_exec::verdict::{Cause, Failure, OpenCause};
use sioco_exec::{
    Clock, Fault, FaultKind, GateValue, Observation, Order, Polled, Record, Referee, RunNumber, Settings, Stamped,
    Summary, Sut, SutEvent, Verdict, drive,
};
use sioco_model::Model;
use support::{builtin, event, model, planned, tester};

const ECHO: &str = "input a(p: Int in 0..9)\ninput c\noutput b(p: Int)\noutput d\n\
                    process P {\n  var x: Int = 0\n  init l0 { take: ?a(p) / x := p -> l1 }\n  state l1 { give: !b(x) -> l2 }\n  \
                    state l2 { ?c -> l3 }\n  state l3 { !d -> l0 }\n}\n";

const NEVER: Duration = Duration::from_secs(1 << 30);
const SECOND: Duration = Duration::from_secs(1);

/// A clock that moves while somebody waits.
#[derive(Clone, Default)]
struct Shared(Rc<Cell<Duration>>);

impl Shared {
    fn pass(&self, time: Duration) {
        self.0.set(self.0.get() + time);
    }
}

impl Clock for Shared {
    fn now(&mut self) -> Duration {
        self.0.get()
    }
}

/// A system that answers `?a` after some time, another one for each run; the last one is for all runs after it.
struct Slow<'m> {
    model: &'m Model,
    clock: Shared,
    order: Order,
    delays: Vec<Duration>,
    /// How long it may take to start, and may take usually.
    starting: (Duration, Duration),
    /// How much later than it should each wait of the tester returns.
    late: Duration,
    announces: bool,
    /// Answers to `?a` that never come, by the run and by the number of the input in it.
    lost: Vec<(usize, usize)>,
    /// Resets that take too long.
    stuck: Vec<usize>,
    resets: usize,
    asked: usize,
    run: usize,
    seeds: Vec<u64>,
    events: Vec<SutEvent>,
    answer: Option<(Duration, GateValue)>,
}

impl<'m> Slow<'m> {
    fn new(model: &'m Model, clock: &Shared, delays: &[Duration]) -> Slow<'m> {
        let (clock, delays) = (clock.clone(), delays.to_vec());
        let none = Duration::ZERO;
        Slow {
            model,
            clock,
            order: Order::Sut,
            delays,
            starting: (none, none),
            late: none,
            announces: false,
            lost: Vec::new(),
            stuck: Vec::new(),
            resets: 0,
            asked: 0,
            run: 0,
            seeds: Vec::new(),
            events: Vec::new(),
            answer: None,
        }
    }
}

impl Sut for Slow<'_> {
    fn order(&self) -> Order {
        self.order
    }

    fn reset(&mut self, _: RunNumber, seed: u64) -> Result<(), Fault> {
        self.resets += 1;
        if self.stuck.contains(&self.resets) {
            let message = "it did not answer the reset".into();
            return Err(Fault { kind: FaultKind::Timeout, message, stderr: Vec::new(), again: true });
        }
        (self.run, self.answer, self.asked) = (self.run + 1, None, 0);
        self.seeds.push(seed);
        self.events.clear();
        Ok(())
    }

    fn send(&mut self, id: u64, input: &GateValue) -> Result<(), Fault> {
        self.events.push(SutEvent::Accepted { id });
        let delay = self.delays[(self.run - 1).min(self.delays.len() - 1)];
        let (delay, name) = match &self.model.gates[input.gate].name[..] {
            "a" => {
                self.asked += 1;
                let lost = self.lost.contains(&(self.run, self.asked));
                (if lost { NEVER } else { delay }, format!("!b({})", input.args[0]))
            }
            _ => (Duration::ZERO, "!d".into()),
        };
        self.answer = Some((self.clock.0.get() + delay, event(self.model, &name)));
        Ok(())
    }

    fn poll(&mut self, wait: Duration) -> Result<Polled, Fault> {
        if let Some(event) = self.events.pop() {
            return Ok(Polled::Event(event));
        }
        let now = self.clock.0.get();
        if let Some((at, answer)) = self.answer.take_if(|(at, _)| *at <= now + wait) {
            self.clock.pass(at.saturating_sub(now));
            return Ok(Polled::Event(SutEvent::Observed(Observation::Output(answer))));
        }
        if self.announces && !wait.is_zero() {
            return Ok(Polled::Event(SutEvent::Observed(Observation::Delta)));
        }
        self.clock.pass(wait + if wait.is_zero() { Duration::ZERO } else { self.late });
        Ok(Polled::Nothing)
    }

    fn starting(&self, start: Start) -> Duration {
        match start {
            Start::Whole => self.starting.0,
            Start::Usual => self.starting.1,
        }
    }
}

/// Runs a campaign, and sees to it that its journal gives the same verdicts again.
fn run(sut: &mut Slow<'_>, settings: Settings) -> (Summary, Vec<Record>) {
    run_for(sut, "switch", settings)
}

/// The same for a cover.
fn run_for(sut: &mut Slow<'_>, cover: &str, settings: Settings) -> (Summary, Vec<Record>) {
    let model = sut.model;
    let plan = planned(model, cover, false);
    let mut clock = sut.clock.clone();
    let about = About::new(model, "m.sts", None, &[]);
    let mut text = Header { model: about, ..Header::default() }.line();
    let mut records = Vec::new();
    let summary = drive(&mut tester(model, &plan, settings), sut, &mut clock, &mut |stamped: &Stamped| {
        text.push_str(&line(model, stamped));
        records.push(stamped.record.clone());
    });
    let journal = read(&text, model).unwrap_or_else(|error| panic!("{error:?}"));
    assert_eq!(journal.records.iter().map(|(_, s)| s.record.clone()).collect::<Vec<_>>(), records);
    for run in Log::of(&journal).runs {
        let again = judge(&mut Referee::new(model, &builtin, sut.order), &run, sut.order);
        let (verdict, cause) = run.verdict.clone().expect("every run has a verdict");
        let passed = |verdict: Verdict| verdict <= Verdict::WeakPass;
        assert!(again.verdict == verdict || (passed(again.verdict) && passed(verdict)), "{cause:?}: {again:?}");
    }
    (summary, records)
}

fn causes(records: &[Record]) -> Vec<Cause> {
    let cause = |record: &Record| match record {
        Record::Verdict { cause, .. } => Some(cause.clone()),
        _ => None,
    };
    records.iter().filter_map(cause).collect()
}

/// The inputs of each run.
fn inputs(records: &[Record]) -> Vec<Vec<GateValue>> {
    let mut runs = Vec::new();
    for record in records {
        match record {
            Record::Run { .. } => runs.push(Vec::new()),
            Record::Input { input, .. } => runs.last_mut().expect("a run").push(input.clone()),
            _ => {}
        }
    }
    runs
}

const ONCE: Cause = Cause::Open(OpenCause::Silence(Reliance::Once));
const FAILS: Cause = Cause::Failure(Failure::Silence);

#[test]
fn silence_fails_when_it_comes_again() {
    let model = model(ECHO);
    let mut sut = Slow::new(&model, &Shared::default(), &[NEVER]);
    let (summary, records) = run(&mut sut, Settings { walks: Walks::Random, ..Settings::default() });
    assert_eq!(causes(&records)[..2], [ONCE, FAILS]);
    assert_eq!(summary.verdict, Some(Verdict::Fail));
    // The same is done with the same system.
    let inputs = inputs(&records);
    assert!(inputs[0] == inputs[1] && sut.seeds[0] == sut.seeds[1], "{inputs:?} {:?}", sut.seeds);
    // A place where a run failed needs no repetition any more, and the campaign ends as soon as it did before.
    assert!(causes(&records)[2..].iter().all(|cause| *cause == FAILS) && summary.runs.iter().sum::<u64>() == 5);
}

#[test]
fn silence_that_does_not_come_again_is_inconclusive() {
    let model = model(ECHO);
    let mut sut = Slow::new(&model, &Shared::default(), &[NEVER, Duration::ZERO]);
    let (summary, records) = run(&mut sut, Settings::default());
    assert_eq!(causes(&records)[0], ONCE);
    assert_eq!((summary.verdict, summary.runs[Verdict::Fail as usize]), (Some(Verdict::Inconclusive), 0));
    assert!(summary.purposes.iter().all(|p| p.verdict == Some(Verdict::Pass)), "{:?}", summary.purposes);
    // The budget does not end before a silence was repeated.
    let mut sut = Slow::new(&model, &Shared::default(), &[NEVER]);
    let (summary, records) = run(&mut sut, Settings { max_steps: Some(2), ..Settings::default() });
    assert_eq!((causes(&records), summary.verdict), (vec![ONCE, FAILS], Some(Verdict::Fail)));
}

/// The same location after the same input, further on in the run: that is another silence, which has come once.
#[test]
fn silence_elsewhere_is_another_one() {
    let model = model(ECHO);
    let settings = || Settings { walks: Walks::Random, max_steps: Some(60), walk: 12, ..Settings::default() };
    let mut sut = Slow { lost: vec![(1, 1), (2, 2)], ..Slow::new(&model, &Shared::default(), &[Duration::ZERO]) };
    let (summary, records) = run_for(&mut sut, "random:5", settings());
    assert_eq!(causes(&records)[..2], [ONCE, ONCE]);
    assert_eq!(summary.runs[Verdict::Fail as usize], 0);
    let mut sut = Slow { lost: vec![(1, 1), (2, 1)], ..Slow::new(&model, &Shared::default(), &[Duration::ZERO]) };
    assert_eq!(causes(&run_for(&mut sut, "random:5", settings()).1)[..2], [ONCE, FAILS]);
}

/// A system that hangs may take its adapter with it: the run is repeated as soon as one begins.
#[test]
fn a_run_that_does_not_begin_is_repeated_later() {
    let model = model(ECHO);
    let mut sut = Slow { stuck: vec![2, 3], ..Slow::new(&model, &Shared::default(), &[NEVER]) };
    let (summary, records) = run(&mut sut, Settings { walks: Walks::Random, ..Settings::default() });
    assert_eq!((causes(&records)[..2].to_vec(), summary.verdict), (vec![ONCE, FAILS], Some(Verdict::Fail)));
}

#[test]
fn a_tester_that_is_held_up_says_nothing_about_silence() {
    let model = model(ECHO);
    let mut sut = Slow { late: SECOND / 4, ..Slow::new(&model, &Shared::default(), &[NEVER]) };
    let (summary, records) = run(&mut sut, Settings::default());
    let starved =
        |cause: &Cause| matches!(cause, Cause::Open(OpenCause::Silence(Reliance::Starved(late))) if *late > SECOND);
    assert!(causes(&records).iter().all(starved), "{:?}", causes(&records));
    assert_eq!(summary.verdict, Some(Verdict::Inconclusive));
    // A little late is what every timer is.
    let mut sut = Slow { late: SECOND / 200, ..Slow::new(&model, &Shared::default(), &[NEVER]) };
    assert_eq!(run(&mut sut, Settings::default()).0.verdict, Some(Verdict::Fail));
}

#[test]
fn a_system_has_time_to_start() {
    let model = model(ECHO);
    let slow = |whole: u32, usual: u32| {
        let starting = (whole * SECOND, usual * SECOND);
        let mut sut = Slow { starting, ..Slow::new(&model, &Shared::default(), &[8 * SECOND]) };
        run(&mut sut, Settings::default()).0
    };
    assert_eq!(slow(9, 9).verdict, Some(Verdict::Pass));
    // What it usually takes is not enough: when the run is repeated, it has all that it may take.
    let summary = slow(9, 1);
    assert_eq!((summary.verdict, summary.runs[Verdict::Fail as usize]), (Some(Verdict::Inconclusive), 0));
    assert_eq!(slow(1, 1).verdict, Some(Verdict::Fail));
}

#[test]
fn silence_that_is_announced_or_played_fails_at_once() {
    let model = model(ECHO);
    for (order, announces) in [(Order::Sut, true), (Order::Certain, false)] {
        let mut sut = Slow { order, announces, late: SECOND, ..Slow::new(&model, &Shared::default(), &[NEVER]) };
        let (summary, records) = run(&mut sut, Settings::default());
        assert_eq!((causes(&records)[0].clone(), summary.verdict), (FAILS, Some(Verdict::Fail)), "{order:?}");
    }
}

#[test]
fn a_run_again_confirms_a_recorded_silence_and_no_other() {
    let model = model(ECHO);
    let clock = Shared::default();
    let mut sut = Slow::new(&model, &clock, &[Duration::ZERO]);
    let (_, passed) = run(&mut sut, Settings::default());
    let mut sut = Slow::new(&model, &clock, &[NEVER]);
    let (_, failed) = run(&mut sut, Settings::default());
    for (records, expected) in [(passed, ONCE), (failed, FAILS)] {
        let stamped: Vec<Stamped> = records.into_iter().map(|record| Stamped { at: Duration::ZERO, record }).collect();
        let log = Log::of_records(stamped.iter().enumerate());
        let mut sut = Slow::new(&model, &clock, &[NEVER]);
        let mut referee = Referee::new(&model, &builtin, Order::Sut);
        let patience = Patience { quiescence: SECOND / 10, slower: None, accepted: SECOND };
        let again = replay(
            &mut referee,
            Bench { sut: &mut sut, clock: &mut clock.clone() },
            &log.runs[0],
            RunNumber(1),
            patience,
            &mut |_| {},
        );
        assert_eq!(again.cause, expected);
    }
}
