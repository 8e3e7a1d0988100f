//! Answers that come late, or are told before the input that they answer.

mod support;

use std::collections::VecDeque;
use std::time::Duration;

use sioco_exec::drive::Bench;
use sioco_exec::judge::judge;
use sioco_exec::log::{LoggedRun, Runs};
use sioco_exec::quiescence_time::QuiescenceTimes;
use sioco_exec::record::End;
use sioco_exec::reliance::Reliance;
use sioco_exec::replay::{Patience, Point, replay};
use sioco_exec::settings::Walks;
use sioco_exec::verdict::{Cause, Failure, Trouble};
use sioco_exec::{
    Crash, Fault, FaultKind, GateValue, NoClock, Observation, Order, Polled, Record, Referee, RunNumber, Settings,
    Stamped, Summary, Sut, SutEvent, Verdict, drive,
};
use sioco_model::Model;
use support::{Ticking, builtin, campaign, event, model, planned, tester};

const ECHO: &str = "input a(p: Int in 0..9)\noutput b(p: Int)\n\
                    process P {\n  var x: Int = 0\n  init l0 { take: ?a(p) / x := p -> l1 }\n  state l1 { give: !b(x) -> l0 }\n}\n";

/// Echoes inputs, with `late` waits that bring nothing before each answer; or with the answer before `accepted`.
struct Echo<'m> {
    model: &'m Model,
    order: Order,
    late: usize,
    early: bool,
    wrong: i64,
    events: VecDeque<Option<SutEvent>>,
}

impl Sut for Echo<'_> {
    fn order(&self) -> Order {
        self.order
    }

    fn reset(&mut self, _: RunNumber, _: u64) -> Result<(), Fault> {
        self.events.clear();
        Ok(())
    }

    fn send(&mut self, id: u64, input: &GateValue) -> Result<(), Fault> {
        let sioco_model::Value::Int(p) = input.args[0] else { panic!("{input:?}") };
        let answer = event(self.model, &format!("!b({})", p + self.wrong));
        let answer = Some(SutEvent::Observed(Observation::Output(answer)));
        self.events.push_back(Some(SutEvent::Accepted { id }));
        self.events.extend(std::iter::repeat_n(None, self.late));
        match self.early {
            true => self.events.push_front(answer),
            false => self.events.push_back(answer),
        }
        Ok(())
    }

    fn poll(&mut self, _: Duration) -> Result<Polled, Fault> {
        Ok(self.events.pop_front().flatten().map_or(Polled::Nothing, Polled::Event))
    }
}

fn tested(order: Order, late: usize, early: bool, wrong: i64) -> Summary {
    let model = model(ECHO);
    let plan = planned(&model, "switch", false);
    let mut sut = Echo { model: &model, order, late, early, wrong, events: VecDeque::new() };
    campaign(&mut tester(&model, &plan, Settings::default()), &mut sut).1
}

/// Where silence would be a failure, it is waited for a little longer; but not for ever.
#[test]
fn slow_answers_are_no_failures() {
    let prompt = tested(Order::Sut, 0, false, 0);
    assert_eq!((prompt.verdict, prompt.withdrawn), (Some(Verdict::Pass), 0));
    let slow = tested(Order::Sut, 1, false, 0);
    assert_eq!((slow.verdict, slow.withdrawn), (Some(Verdict::Pass), 1), "and it is told that something came late");
    assert_eq!(slow.late, [(model(ECHO).gate("a"), 1)], "and after what");
    let silent = tested(Order::Sut, 2, false, 0);
    assert_eq!(silent.bad[0].cause, Cause::Failure(Failure::Silence));
}

/// An answer before `accepted`: where the order is that of the system, the adapter has mixed them up, and that says
/// nothing about the system; where inputs are only known to be sent, it is an answer like any other.
#[test]
fn answers_before_their_input_was_accepted() {
    let mixed = tested(Order::Sut, 0, true, 0);
    let cause = &mixed.bad[0].cause;
    assert_eq!(mixed.verdict, Some(Verdict::Error));
    assert!(matches!(cause, Cause::Trouble(Trouble::Fault { kind: FaultKind::Protocol, .. })), "{cause:?}");
    assert_eq!(tested(Order::Sent, 0, true, 0).verdict, Some(Verdict::Pass));
    // A wrong answer is one, whenever it comes.
    for order in [Order::Sut, Order::Sent] {
        assert_eq!(tested(order, 0, true, 1).verdict, Some(Verdict::Fail), "{order:?}");
    }
}

const OK: &str = "input a\noutput ok\nprocess P {\n  init l0 { ?a -> l1 }\n  state l1 { !ok -> l0 }\n}\n";

/// Answers everything twice; the second time when the next input is on its way already.
struct Twice<'m> {
    model: &'m Model,
    again: bool,
    events: VecDeque<SutEvent>,
}

impl Sut for Twice<'_> {
    fn order(&self) -> Order {
        Order::Sut
    }

    fn reset(&mut self, _: RunNumber, _: u64) -> Result<(), Fault> {
        self.events.clear();
        self.again = false;
        Ok(())
    }

    fn send(&mut self, id: u64, _: &GateValue) -> Result<(), Fault> {
        let answer = SutEvent::Observed(Observation::Output(event(self.model, "!ok")));
        if std::mem::replace(&mut self.again, true) {
            self.events.push_back(answer.clone());
        }
        self.events.push_back(SutEvent::Accepted { id });
        self.events.push_back(answer);
        Ok(())
    }

    fn poll(&mut self, _: Duration) -> Result<Polled, Fault> {
        Ok(self.events.pop_front().map_or(Polled::Nothing, Polled::Event))
    }
}

/// What fails whoever kept what order is a failure of the system, and not of its adapter.
#[test]
fn an_answer_too_many_is_a_failure_though_it_comes_with_the_next_input() {
    let model = model(OK);
    let plan = planned(&model, "switch", false);
    let settings = Settings { walks: Walks::Random, max_steps: Some(100), walk: 20, ..Settings::default() };
    let mut sut = Twice { model: &model, again: false, events: VecDeque::new() };
    let (_, summary) = campaign(&mut tester(&model, &plan, settings), &mut sut);
    assert_eq!(summary.verdict, Some(Verdict::Fail), "{summary:?}");
    assert!(summary.bad.iter().all(|b| b.verdict == Verdict::Fail), "{:?}", summary.bad);
}

/// A recorded run out of words: `?a` is sent, `.` is that it was accepted, `no` that it was refused, `delta` is silence by
/// the clock, `quiescent` silence that was announced, the others are seen.
fn logged(model: &Model, words: &str) -> LoggedRun {
    let mut runs = Runs::default();
    runs.begin(LoggedRun { order: Some(Order::Sut), ..LoggedRun::new(RunNumber(1), 1) });
    for (line, word) in words.split_whitespace().enumerate() {
        match word {
            "." => runs.accepted(1, line, None),
            "no" => runs.refused(1, "not now", line, None),
            "delta" => runs.timed_out(Reliance::Full, line, None),
            "quiescent" => runs.seen(Observation::Delta, line, None),
            "closed" => runs.seen(Observation::Closed, line, None),
            "crashed" => runs.seen(Observation::Crashed(Crash::default()), line, None),
            word if word.starts_with('?') => runs.sent(1, event(model, word)),
            word => runs.seen(Observation::Output(event(model, word)), line, None),
        }
    }
    runs.done.pop().expect("a run was begun")
}

/// Logs are judged as a tester would have judged what is in them.
#[test]
fn logs_are_judged_by_the_same_rules() {
    let model = model(OK);
    for (words, verdict, withdrawn) in [
        ("?a . !ok ?a . !ok", Verdict::Pass, 0),
        // The adapter told the answer before the input.
        ("?a !ok .", Verdict::Error, 0),
        ("?a !ok . delta ?a . !ok", Verdict::Error, 0),
        ("?a !ok", Verdict::Error, 0),
        // There is one answer too many, wherever the input was taken.
        ("?a !ok . !ok", Verdict::Fail, 0),
        ("?a . !ok ?a !ok . !ok", Verdict::Fail, 0),
        ("?a . !ok !ok ?a .", Verdict::Fail, 0),
        // An output after silence by the clock shows that there was none, however often it was waited for.
        ("?a . delta !ok", Verdict::Pass, 1),
        ("?a . delta delta !ok", Verdict::Pass, 1),
        ("delta !ok", Verdict::Fail, 1),
        // Silence that was announced is certain, and so is one by the clock that it confirms.
        ("?a . quiescent !ok", Verdict::Fail, 0),
        ("?a . delta quiescent", Verdict::Fail, 0),
        ("quiescent !ok", Verdict::Error, 0),
        ("delta quiescent !ok", Verdict::Error, 0),
        ("quiescent delta !ok", Verdict::Error, 0),
        // What is refused was only crossed if the model does not say what it does after the output.
        ("?a . ?a !ok no", Verdict::Error, 0),
        ("?a no", Verdict::Error, 0),
        ("?a . delta", Verdict::Fail, 0),
        ("?a . delta ?a .", Verdict::Fail, 0),
    ] {
        let mut referee = Referee::new(&model, &builtin, Order::Sut);
        let judged = judge(&mut referee, &logged(&model, words), Order::Sut);
        assert_eq!((judged.verdict, referee.withdrawn), (verdict, withdrawn), "{words}: {judged:?}");
    }
}

/// The end of the system, too, shows that there was no silence; what is owed is judged at the end, and an input makes
/// silence final.
#[test]
fn the_end_of_the_system_withdraws_silence() {
    let model = model(
        "input a\noutput ok\noutput closed\noutput crashed\nprocess P {\n  init l0 { ?a -> l1 }\n  state l1 { !ok -> l0   !closed -> l2   !crashed -> l2 }\n  final l2\n}\n",
    );
    for (words, verdict, hidden, steps) in [
        ("?a . delta closed", Verdict::Pass, 1, 3),
        ("?a . delta delta closed", Verdict::Pass, 1, 4),
        ("?a . delta crashed", Verdict::Pass, 1, 3),
        ("delta crashed", Verdict::Fail, 0, 2),
        ("quiescent crashed", Verdict::Fail, 0, 2),
        ("?a . quiescent closed", Verdict::Fail, 0, 2),
        ("delta closed", Verdict::Fail, 0, 2),
        // The failing step is the first silence of its block.
        ("?a . delta delta", Verdict::Fail, 0, 2),
        ("?a . delta delta ?a .", Verdict::Fail, 0, 2),
        ("?a . !ok delta delta ?a . !ok", Verdict::Pass, 0, 6),
    ] {
        let mut referee = Referee::new(&model, &builtin, Order::Sut);
        let judged = judge(&mut referee, &logged(&model, words), Order::Sut);
        assert_eq!((judged.verdict, referee.hidden, judged.steps), (verdict, hidden, steps), "{words}: {judged:?}");
    }
}

/// What was recorded is waited for as in a test; and where the system goes another way, that is told.
#[test]
fn replay_is_as_patient_as_a_test() {
    let model = model(ECHO);
    let again = |words: &str, late: usize, wrong: i64| {
        let mut sut = Echo { model: &model, order: Order::Sut, late, early: false, wrong, events: VecDeque::new() };
        let mut referee = Referee::new(&model, &builtin, Order::Sut);
        let patience =
            Patience { quiescence: Duration::from_millis(1), slower: None, accepted: Duration::from_secs(1) };
        replay(
            &mut referee,
            Bench { sut: &mut sut, clock: &mut NoClock },
            &logged(&model, words),
            RunNumber(1),
            patience,
            &mut |_| {},
        )
    };
    let same = again("?a(1) . !b(1)", 0, 0);
    assert_eq!((same.verdict, same.deviated, same.point), (Verdict::Pass, false, Point::Same));
    let slow = again("?a(1) . !b(1)", 1, 0);
    assert_eq!((slow.verdict, slow.deviated, slow.point), (Verdict::Pass, false, Point::Same));
    let silent = again("?a(1) . !b(1)", 2, 0);
    assert_eq!(silent.cause, Cause::Failure(Failure::Silence));
    let wrong = again("?a(1) . !b(1)", 0, 1);
    assert_eq!(wrong.verdict, Verdict::Fail);
    // Where an answer was recorded to be missing, the right one is the end of it.
    let mended = again("?a(1) . delta", 0, 0);
    assert_eq!((mended.verdict, mended.deviated, mended.point), (Verdict::Pass, true, Point::Same));
}

/// Remembers how long was waited for what did not come.
struct Waited<'m> {
    echo: Echo<'m>,
    times: Vec<Duration>,
}

impl Sut for Waited<'_> {
    fn order(&self) -> Order {
        self.echo.order()
    }

    fn reset(&mut self, run: RunNumber, seed: u64) -> Result<(), Fault> {
        self.echo.reset(run, seed)
    }

    fn send(&mut self, id: u64, input: &GateValue) -> Result<(), Fault> {
        self.echo.send(id, input)
    }

    fn poll(&mut self, timeout: Duration) -> Result<Polled, Fault> {
        let polled = self.echo.poll(timeout)?;
        if polled == Polled::Nothing && !timeout.is_zero() {
            self.times.push(timeout);
        }
        Ok(polled)
    }
}

/// Where a gate or location takes longer, only what comes there is waited for longer when a run is run again.
#[test]
fn replay_waits_longer_only_where_it_takes_longer() {
    let model = model(ECHO);
    let (short, long) = (Duration::from_secs(1), Duration::from_secs(60));
    for (name, expected) in
        [("a", [long, short]), ("l1", [long, short]), ("b", [short, long]), ("l0", [short, long]), ("none", [short; 2])]
    {
        let slower = QuiescenceTimes::new(&model, &[(name.to_owned(), long)]);
        let patience = Patience { quiescence: short, slower: Some(&slower), accepted: short };
        let echo = Echo { model: &model, order: Order::Sut, late: 1, early: false, wrong: 0, events: VecDeque::new() };
        let mut sut = Waited { echo, times: Vec::new() };
        let mut referee = Referee::new(&model, &builtin, Order::Sut);
        let run = logged(&model, "?a(1) . !b(1) delta");
        let replayed = replay(
            &mut referee,
            Bench { sut: &mut sut, clock: &mut NoClock },
            &run,
            RunNumber(1),
            patience,
            &mut |_| {},
        );
        assert_eq!((replayed.verdict, sut.times.as_slice()), (Verdict::Pass, &expected[..]), "{name}");
    }
}

/// A test waits as long as a gate or location needs, and then longer before silence is a failure: four times as long, and
/// two seconds at least, since a machine may be busy.
#[test]
fn a_silence_that_fails_is_waited_for_longer() {
    let model = model(ECHO);
    let plan = planned(&model, "switch", false);
    let ms = Duration::from_millis;
    for (quiescence, slower, expected) in [
        (100, None, [ms(100), ms(2000)]),
        (1000, None, [ms(1000), ms(4000)]),
        (100, Some("a"), [ms(3000), ms(12_000)]),
        (100, Some("l1"), [ms(3000), ms(12_000)]),
        (100, Some("b"), [ms(100), ms(2000)]),
    ] {
        let slower: Vec<_> = slower.map(|name: &str| (name.to_owned(), ms(3000))).into_iter().collect();
        let settings = Settings { quiescence: ms(quiescence), slower, fail_fast: true, ..Settings::default() };
        let echo = Echo { model: &model, order: Order::Sut, late: 9, early: false, wrong: 0, events: VecDeque::new() };
        let mut sut = Waited { echo, times: Vec::new() };
        let summary = campaign(&mut tester(&model, &plan, settings.clone()), &mut sut).1;
        assert_eq!(summary.bad[0].cause, Cause::Failure(Failure::Silence));
        assert_eq!(sut.times, expected, "{settings:?}");
    }
}

/// Tells something by itself, and then does not take the input any more that is on its way.
struct Leaving<'m> {
    model: &'m Model,
    events: VecDeque<SutEvent>,
}

impl Sut for Leaving<'_> {
    fn order(&self) -> Order {
        Order::Sut
    }

    fn reset(&mut self, _: RunNumber, _: u64) -> Result<(), Fault> {
        self.events.clear();
        Ok(())
    }

    fn send(&mut self, id: u64, _: &GateValue) -> Result<(), Fault> {
        self.events.push_back(SutEvent::Observed(Observation::Output(event(self.model, "!gone"))));
        self.events.push_back(SutEvent::Refused { id, why: "it is gone".into() });
        Ok(())
    }

    fn poll(&mut self, _: Duration) -> Result<Polled, Fault> {
        Ok(self.events.pop_front().map_or(Polled::Nothing, Polled::Event))
    }
}

/// An input that an output overtakes may be refused; where the model still has it, that is a fault.
#[test]
fn inputs_that_cross_may_be_refused() {
    for (gone, verdict) in [("final l1", Verdict::Inconclusive), ("state l1 { ?a -> l0 }", Verdict::Error)] {
        let model = model(&format!(
            "input a\noutput gone\nprocess P {{\n  init l0 {{ tau -> calm   tau -> going }}\n  \
             state calm {{ ?a -> l0 }}\n  state going {{ ?a -> l0   !gone -> l1 }}\n  {gone}\n}}\n"
        ));
        let plan = planned(&model, "switch", false);
        let settings = Settings { walks: Walks::Random, max_steps: Some(20), ..Settings::default() };
        let mut sut = Leaving { model: &model, events: VecDeque::new() };
        // It announces no silence, so that the tester has to wait for it.
        let mut records = Vec::new();
        let mut keep = |s: &Stamped| records.push(s.record.clone());
        let summary = drive(&mut tester(&model, &plan, settings), &mut sut, &mut Ticking::default(), &mut keep);
        let refused = records.iter().any(|r| matches!(r, Record::Refused { .. }));
        assert!(refused && summary.verdict == Some(verdict), "{gone}: {summary:?}");
    }
}

/// Dies whenever it gets its second input.
struct Dying<'m>(Twice<'m>, u32);

impl Sut for Dying<'_> {
    fn order(&self) -> Order {
        Order::Sut
    }

    fn reset(&mut self, run: RunNumber, seed: u64) -> Result<(), Fault> {
        self.1 = 0;
        self.0.reset(run, seed)
    }

    fn send(&mut self, id: u64, input: &GateValue) -> Result<(), Fault> {
        self.1 += 1;
        if self.1 == 2 {
            let message = "it ended in the middle of a run".into();
            return Err(Fault { kind: FaultKind::Died, message, stderr: Vec::new(), again: true });
        }
        self.0.send(id, input)
    }

    fn poll(&mut self, wait: Duration) -> Result<Polled, Fault> {
        self.0.poll(wait)
    }
}

/// An adapter that dies in every run is started again some times, and not for ever.
#[test]
fn who_dies_again_and_again_is_given_up() {
    let model = model(OK);
    let plan = planned(&model, "switch", false);
    let settings = Settings { walks: Walks::Random, max_steps: Some(1_000), ..Settings::default() };
    let mut sut = Dying(Twice { model: &model, again: false, events: VecDeque::new() }, 0);
    let (_, summary) = campaign(&mut tester(&model, &plan, settings), &mut sut);
    assert_eq!((summary.verdict, &summary.end), (Some(Verdict::Error), &End::Broken), "{summary:?}");
    assert_eq!(summary.runs[Verdict::Error as usize], 10, "{summary:?}");
}

/// Nothing ever comes: after a few runs, one more would tell nothing new. As soon as anything came, it might.
#[test]
fn a_system_that_never_says_anything_is_given_up() {
    let model = model(ECHO);
    let plan = planned(&model, "switch", false);
    let run = |late: usize, wrong: i64, max_steps: u64| {
        let settings = Settings { walks: Walks::Guided, max_steps: Some(max_steps), ..Settings::default() };
        let mut sut = Echo { model: &model, order: Order::Sut, late, early: false, wrong, events: VecDeque::new() };
        campaign(&mut tester(&model, &plan, settings), &mut sut).1
    };
    let mute = run(1000, 0, 100);
    assert_eq!((mute.end, mute.verdict, mute.runs), (End::Mute, Some(Verdict::Fail), [0, 0, 0, 0, 5]));
    let wrong = run(0, 1, 100);
    assert_eq!(wrong.end, End::Steps);
    assert!(wrong.runs[Verdict::Fail as usize] > 40, "{:?}", wrong.runs);
}

/// A system with somebody at the keyboard who wants it to end.
struct Interrupted<'m>(Echo<'m>, u32);

impl Sut for Interrupted<'_> {
    fn order(&self) -> Order {
        self.0.order()
    }

    fn reset(&mut self, run: RunNumber, seed: u64) -> Result<(), Fault> {
        self.0.reset(run, seed)
    }

    fn send(&mut self, id: u64, input: &GateValue) -> Result<(), Fault> {
        self.0.send(id, input)
    }

    fn poll(&mut self, wait: Duration) -> Result<Polled, Fault> {
        if self.1 == 0 {
            return Ok(Polled::Interrupted);
        }
        self.1 -= 1;
        self.0.poll(wait)
    }
}

/// A run that was stopped before anything was observed passes nothing, and takes nothing from what others showed.
#[test]
fn a_run_without_an_observation_is_no_pass() {
    let model = model(ECHO);
    let plan = sioco_plan::Plan { purposes: Vec::new(), ..planned(&model, "switch", false) };
    let run = |polls: u32, walk: u64| {
        let settings = Settings { walks: Walks::Random, walk, ..Settings::default() };
        let echo = Echo { model: &model, order: Order::Sut, late: 0, early: false, wrong: 0, events: VecDeque::new() };
        campaign(&mut tester(&model, &plan, settings), &mut Interrupted(echo, polls)).1
    };
    for polls in [0, 1, 2] {
        let found = run(polls, 100);
        assert_eq!(found.end, End::Interrupted);
        assert_eq!((found.verdict, found.runs), (Some(Verdict::Inconclusive), [0, 0, 1, 0, 0]), "{polls}");
    }
    let found = run(3, 100);
    assert_eq!((found.verdict, found.runs), (Some(Verdict::Pass), [1, 0, 0, 0, 0]));
    // Walks of an input and its answer; the last one is stopped at once.
    let several = (3..30).map(|polls| run(polls, 2)).filter(|found| found.runs[Verdict::Inconclusive as usize] == 1);
    let several: Vec<Summary> = several.collect();
    assert!(!several.is_empty() && several.iter().all(|found| found.verdict == Some(Verdict::Pass)), "{several:?}");
}

/// Does not answer its second input in some runs, and some resets.
struct Hanging<'m> {
    sut: Twice<'m>,
    inputs: u32,
    hangs: fn(RunNumber) -> bool,
    resets: fn(RunNumber) -> bool,
    run: RunNumber,
}

impl Sut for Hanging<'_> {
    fn order(&self) -> Order {
        Order::Sut
    }

    fn reset(&mut self, run: RunNumber, seed: u64) -> Result<(), Fault> {
        (self.inputs, self.run) = (0, run);
        if !(self.resets)(run) {
            let message = "there was no `ready`".into();
            return Err(Fault { kind: FaultKind::Timeout, message, stderr: Vec::new(), again: true });
        }
        self.sut.reset(run, seed)
    }

    fn send(&mut self, id: u64, input: &GateValue) -> Result<(), Fault> {
        self.inputs += 1;
        if self.inputs == 2 && (self.hangs)(self.run) {
            return Ok(());
        }
        self.sut.send(id, input)
    }

    fn poll(&mut self, wait: Duration) -> Result<Polled, Fault> {
        self.sut.poll(wait)
    }
}

/// Each time that an adapter does not answer takes all of the patience: three such runs in a row are enough. Runs that did
/// not begin are counted.
#[test]
fn who_hangs_again_and_again_is_given_up_soon() {
    let model = model(OK);
    let plan = planned(&model, "switch", false);
    let of = |hangs: fn(RunNumber) -> bool, resets: fn(RunNumber) -> bool| {
        let settings = Settings { walks: Walks::Random, max_steps: Some(1_000), ..Settings::default() };
        let sut = Twice { model: &model, again: false, events: VecDeque::new() };
        let mut sut = Hanging { sut, inputs: 0, hangs, resets, run: RunNumber::default() };
        let (_, summary) = campaign(&mut tester(&model, &plan, settings), &mut sut);
        // What it answers wrongly besides is a failure, as ever.
        assert!(summary.verdict >= Some(Verdict::Error) && summary.end == End::Broken, "{summary:?}");
        (summary.runs[Verdict::Error as usize], summary.unbegun)
    };
    assert_eq!(of(|_| true, |_| true), (3, 0));
    // Who hangs now and then is given a few more chances.
    assert_eq!(of(|run| run.0 % 2 == 0, |_| true), (10, 0));
    assert_eq!(of(|_| false, |_| false), (0, 3));
    let (errors, unbegun) = of(|run| run.0 % 2 == 0, |run| run.0 % 3 != 0);
    assert!(errors > 0 && unbegun > 0 && errors + unbegun <= 10, "{errors} {unbegun}");
}
