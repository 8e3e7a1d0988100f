//! A campaign that is ended while it waits for the system: the wait is cut, which is no silence and no verdict, and what was
//! observed until then is kept. Time is that of a clock of this test, and the end comes at a known place.

mod support;

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use sioco_exec::journal::{About, Header, line, read};
use sioco_exec::judge::{judge, judge_until};
use sioco_exec::log::{Log, LoggedRun, LoggedStep};
use sioco_exec::record::{End, Waiting};
use sioco_exec::reliance::Start;
use sioco_exec::settings::Walks;
use sioco_exec::verdict::{Cause, OpenCause};
use sioco_exec::{
    Action, Clock, Fault, GateValue, Observation, Order, Polled, Record, Referee, RunNumber, Settings, Stamped,
    Summary, Sut, SutEvent, Verdict, drive,
};
use sioco_model::Model;
use sioco_plan::Plan;
use sioco_solve::Cancellation;
use support::{builtin, event, model, planned, tester};

const ECHO: &str = "input a(p: Int in 0..9)\noutput b(p: Int)\n\
                    process P {\n  var x: Int = 0\n  init l0 { ?a(p) / x := p -> l1 }\n  state l1 { !b(x) -> l0 }\n}\n";

/// Where it hangs.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Hang {
    Reset,
    Accept,
    /// The same, and it says again and again that it is quiescent.
    AcceptQuiescent,
    Answer,
    /// The same, while it may still be starting.
    Start,
}

/// Who ends the campaign then.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Ender {
    Somebody,
    Clock,
}

#[derive(Clone, Default)]
struct Hands(Rc<Cell<Duration>>);

impl Clock for Hands {
    fn now(&mut self) -> Duration {
        self.0.get()
    }
}

/// A system that answers some inputs, and then hangs; meanwhile the campaign is ended.
struct Hanging<'m> {
    model: &'m Model,
    hang: Hang,
    /// So many inputs it answers before.
    answers: usize,
    /// So long it is waited for before the end comes.
    after: Duration,
    ender: Ender,
    flag: Arc<AtomicBool>,
    cancellation: Cancellation,
    clock: Hands,
    hangs: bool,
    events: Vec<SutEvent>,
}

impl Hanging<'_> {
    fn end(&mut self) {
        match self.ender {
            Ender::Somebody => self.flag.store(true, Ordering::Relaxed),
            Ender::Clock => self.cancellation.end_at(Some(Instant::now())),
        }
    }
}

impl Sut for Hanging<'_> {
    fn order(&self) -> Order {
        Order::Sut
    }

    fn reset(&mut self, _: RunNumber, _: u64) -> Result<(), Fault> {
        if self.hang == Hang::Reset && self.answers == 0 {
            self.end();
        }
        Ok(())
    }

    fn send(&mut self, id: u64, input: &GateValue) -> Result<(), Fault> {
        self.hangs = self.answers == 0 && self.hang != Hang::Reset;
        self.answers = self.answers.saturating_sub(1);
        if !self.hangs {
            let answer = event(self.model, &format!("!b({})", input.args[0]));
            self.events.push(SutEvent::Observed(Observation::Output(answer)));
        }
        if !self.hangs || matches!(self.hang, Hang::Answer | Hang::Start) {
            self.events.push(SutEvent::Accepted { id });
        }
        Ok(())
    }

    fn poll(&mut self, wait: Duration) -> Result<Polled, Fault> {
        if let Some(event) = self.events.pop() {
            return Ok(Polled::Event(event));
        }
        let (now, end) = (self.clock.0.get(), self.after);
        if self.hangs && self.hang == Hang::AcceptQuiescent && end > TICK {
            self.clock.0.set(now + TICK);
            self.after -= TICK;
            return Ok(Polled::Event(SutEvent::Observed(Observation::Delta)));
        }
        self.clock.0.set(now + wait.min(end));
        if !self.hangs || wait < end {
            self.after -= if self.hangs { wait } else { Duration::ZERO };
            return Ok(Polled::Nothing);
        }
        self.end();
        Ok(Polled::Interrupted)
    }

    fn starting(&self, _: Start) -> Duration {
        if self.hang == Hang::Start { 10 * LONG } else { Duration::ZERO }
    }
}

/// So often it says that it is quiescent.
const TICK: Duration = Duration::from_millis(10);

/// A campaign in which the system hangs after so many answers, and is waited for so long.
fn run(hang: Hang, ender: Ender, answers: usize, after: Duration) -> (Summary, Vec<Record>) {
    let model = &model(ECHO);
    let (flag, clock) = (Arc::new(AtomicBool::new(false)), Hands::default());
    let cancellation = Cancellation::by(flag.clone());
    // Nothing but walks.
    let plan = Plan { purposes: Vec::new(), ..planned(model, "switch", false) };
    let settings = Settings { walks: Walks::Random, walk: 20, max_steps: Some(1000), ..Settings::default() };
    let mut sut = Hanging {
        model,
        hang,
        answers,
        after,
        ender,
        flag,
        cancellation: cancellation.clone(),
        clock: clock.clone(),
        hangs: false,
        events: Vec::new(),
    };
    let mut text = Header { model: About::new(model, "m.sts", None, &[]), ..Header::default() }.line();
    let mut records = Vec::new();
    let mut tester = tester(model, &plan, settings).on(&cancellation);
    let summary = drive(&mut tester, &mut sut, &mut clock.clone(), &mut |stamped: &Stamped| {
        text.push_str(&line(model, stamped));
        records.push(stamped.record.clone());
    });
    // The journal has all of it.
    let journal = read(&text, model).unwrap_or_else(|error| panic!("{error:?}"));
    assert_eq!(journal.records.iter().map(|(_, s)| s.record.clone()).collect::<Vec<_>>(), records);
    (summary, records)
}

fn outputs(records: &[Record]) -> usize {
    records.iter().filter(|r| matches!(r, Record::Observed(Observation::Output(_)))).count()
}

const LONG: Duration = Duration::from_secs(1);

#[test]
fn a_wait_that_is_cut_is_no_silence() {
    for (ender, end) in [(Ender::Somebody, End::Interrupted), (Ender::Clock, End::Time)] {
        for (hang, waiting) in [
            (Hang::Reset, Waiting::Reset),
            (Hang::Accept, Waiting::Accepted),
            (Hang::AcceptQuiescent, Waiting::Accepted),
            (Hang::Answer, Waiting::Observed),
        ] {
            for answers in [0, 3] {
                let what = format!("{hang:?} {ender:?} {answers}");
                let (summary, records) = run(hang, ender, answers, LONG);
                assert_eq!((&summary.end, summary.waiting), (&end, Some(waiting)), "{what}");
                assert_eq!(
                    records.last(),
                    Some(&Record::End { why: end.clone(), stale: 0, waiting: Some(waiting) }),
                    "{what}"
                );
                assert!(!records.iter().any(|r| matches!(r, Record::TimedOut(_) | Record::Fault(_))), "{what}");
                assert!(summary.bad.is_empty(), "{what}: {:?}", summary.bad);
                if hang == Hang::Reset {
                    // After some runs, or before the first one, which has not begun.
                    assert!(answers > 0 || !records.iter().any(|r| matches!(r, Record::Run { .. })), "{what}");
                    continue;
                }
                // What came before is there, and the run has no verdict but that it was stopped.
                assert_eq!(outputs(&records), answers, "{what}");
                let stopped = |r: &Record| {
                    matches!(
                        r,
                        Record::Verdict { cause: Cause::Open(OpenCause::Stopped), verdict: Verdict::Inconclusive, .. }
                    )
                };
                assert!(records.iter().any(stopped), "{what}: {records:?}");
                assert_eq!(summary.verdict, Some(Verdict::Inconclusive), "{what}");
                assert!(summary.last_input.is_some(), "{what}");
                // Whoever judges the journal says the same.
                let stamped: Vec<Stamped> =
                    records.iter().map(|r| Stamped { at: Duration::ZERO, record: r.clone() }).collect();
                let log = Log::of_records(stamped.iter().enumerate());
                let model = model(ECHO);
                let mut referee = Referee::new(&model, &builtin, Order::Sut);
                let judged = judge(&mut referee, log.runs.last().expect("a run"), Order::Sut);
                assert_eq!(judged.cause, Cause::Open(OpenCause::Stopped), "{what}");
            }
        }
    }
}

/// What is not overdue yet when the end comes says nothing against the system: what it did until then counts.
#[test]
fn a_run_that_ends_between_two_steps_counts() {
    for ender in [Ender::Somebody, Ender::Clock] {
        for hang in [Hang::Accept, Hang::Answer] {
            let (summary, records) = run(hang, ender, 3, Duration::from_millis(20));
            assert_eq!((summary.waiting, outputs(&records)), (None, 3), "{hang:?} {ender:?}");
            assert_eq!(summary.verdict, Some(Verdict::Pass), "{hang:?} {ender:?}");
            assert!(!records.iter().any(|r| matches!(r, Record::TimedOut(_))), "{hang:?} {ender:?}");
        }
    }
}

/// A system that may still be starting owes nothing yet: the runs before count.
#[test]
fn a_system_that_is_starting_is_not_overdue() {
    for ender in [Ender::Somebody, Ender::Clock] {
        let (summary, _) = run(Hang::Start, ender, 3, LONG);
        assert_eq!((summary.waiting, summary.verdict), (Some(Waiting::Reset), Some(Verdict::Pass)), "{ender:?}");
        assert_eq!(summary.last_input, None, "{ender:?}");
    }
}

/// An input that is not accepted is waited for no longer if the system says that it is quiescent.
#[test]
fn quiescence_gives_no_more_time_to_accept() {
    let (summary, _) = run(Hang::AcceptQuiescent, Ender::Clock, 3, 100 * LONG);
    assert_eq!(summary.verdict, Some(Verdict::Error));
    assert!(matches!(&summary.bad[0].cause, Cause::Trouble(_)), "{:?}", summary.bad);
}

/// Before the first run, nothing is known: that is no pass, and not for want of something to do either.
#[test]
fn a_campaign_whose_time_is_up_before_its_first_run_is_inconclusive() {
    let (summary, _) = run(Hang::Reset, Ender::Clock, 0, LONG);
    assert_eq!((summary.verdict, summary.all_runs()), (Some(Verdict::Inconclusive), 0));
}

/// Whoever judges a log ends as well: what was judged counts, and a run that was left is no pass.
#[test]
fn judging_can_be_ended() {
    let model = &model(ECHO);
    let steps = |text: &[&str]| -> Vec<LoggedStep> {
        let step = |t: &&str| match t.starts_with('?') {
            true => Action::Input(event(model, t)),
            false => Action::Seen(Observation::Output(event(model, t))),
        };
        text.iter().map(|t| LoggedStep { line: 1, at: None, action: step(t), waited: 0, timed: None }).collect()
    };
    let allowed = LoggedRun { steps: steps(&["?a(1)", "!b(1)"]), ..LoggedRun::new(RunNumber(1), 1) };
    let over = Cancellation::new([], Some(Instant::now()));
    let mut referee = Referee::new(model, &builtin, Order::Sut);
    let judged = judge_until(&mut referee, &allowed, Order::Sut, &over);
    assert_eq!((judged.verdict, judged.steps), (Verdict::Inconclusive, 0));
    assert_eq!(judged.cause, Cause::Open(OpenCause::Stopped));
    assert_eq!(judge_until(&mut referee, &allowed, Order::Sut, &Cancellation::default()).verdict, Verdict::Pass);
}

/// So many internal steps lead to so many states that nobody would wait for all of them.
#[test]
fn a_closure_is_cut_where_everything_has_to_end() {
    let text = "output b(p: Int)\nprocess P {\n  var v: Int = 0\n  init s {\n    \
                tau any c: Int in 0..9 [v < 100000] / v := v * 10 + c -> s\n    !b(v) -> s\n  }\n}\n";
    let model = &model(text);
    let states = |end: Cancellation| {
        let mut referee = Referee::new(model, &builtin, Order::Sut);
        referee.mind.end = end;
        assert_eq!(referee.start(), None);
        (referee.belief().hypotheses().count(), referee.belief().cut)
    };
    let (all, _) = states(Cancellation::default());
    let (some, cut) = states(Cancellation::new([], Some(Instant::now())));
    assert!(cut && some == 1 && all > 100, "{some} of {all}");
}
