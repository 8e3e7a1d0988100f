//! Silence by the clock of the tester, which may only be slowness of the system.

mod support;

use std::collections::VecDeque;
use std::time::Duration;

use sioco_exec::judge::judge;
use sioco_exec::log::{Log, LoggedRun, Runs};
use sioco_exec::record::End;
use sioco_exec::reliance::Reliance;
use sioco_exec::settings::Walks;
use sioco_exec::verdict::{Cause, Failure};
use sioco_exec::{
    Clock, Fault, GateValue, NoClock, Observation, Order, Polled, Record, Referee, RunNumber, Settings, Stamped,
    Summary, Sut, SutEvent, Verdict, drive,
};
use sioco_model::Model;
use support::{Ticking, builtin, event, model, planned, tester};

/// Answers, and may beep by itself once.
const BEEP: &str = "input get\noutput val\noutput beep\nprocess P {\n  var b: Int = 0\n  \
    init boot { tau any k: Int in 0..1 / b := k -> idle }\n  \
    state idle { ?get -> read   !beep [b > 0] / b := b - 1 -> idle }\n  \
    state read { !val -> idle   !beep [b > 0] / b := b - 1 -> read }\n}\n";

/// What answers is not decided before the input, or only seems to be.
const CHOICE: &str = "input a\noutput o\noutput p\nprocess P {\n  init l0 { tau -> x   tau -> y }\n  \
    state x { !o -> end   ?a -> end }\n  state y { ?a -> ya }\n  state ya { !p -> end }\n  state end { ?a -> end }\n}\n";

/// Takes inputs without a word, and tells how often.
const COUNT: &str = "input add\ninput get\noutput sum(n: Int)\nprocess P {\n  var n: Int = 0\n  \
    init l0 { ?add / n := n + 1 -> l0   ?get -> l1 }\n  state l1 { !sum(n) -> l0 }\n}\n";

/// An input that may lead to where it has an answer, and is not specified any more.
const MAYBE: &str = "input a(p: Int in 0..3)\noutput v\nprocess P {\n  \
    init l0 { ?a(p) [p >= 3] -> l0   ?a(p) -> l1 }\n  state l1 { !v -> l1 }\n}\n";

/// A recorded run out of words: `?a` is sent and accepted, `wait` is silence by the clock, `delta` is announced.
fn logged(model: &Model, order: Order, words: &str) -> LoggedRun {
    let mut runs = Runs::default();
    runs.begin(LoggedRun { order: Some(order), ..LoggedRun::new(RunNumber(1), 1) });
    for (line, word) in words.split_whitespace().enumerate() {
        match word {
            "wait" => runs.timed_out(Reliance::Full, line, None),
            "delta" => runs.seen(Observation::Delta, line, None),
            word if word.starts_with('?') => {
                runs.sent(line as u64, event(model, word));
                runs.accepted(line as u64, line, None);
            }
            word => runs.seen(Observation::Output(event(model, word)), line, None),
        }
    }
    runs.done.pop().expect("a run was begun")
}

fn judged(model: &Model, order: Order, words: &str) -> (Cause, u64) {
    let mut referee = Referee::new(model, &builtin, order);
    let judged = judge(&mut referee, &logged(model, order, words), order);
    (judged.cause, referee.withdrawn)
}

/// What a silence by the clock ruled out is still possible; what was announced is not.
#[test]
fn hypotheses_outlast_a_silence_by_the_clock() {
    use Verdict::{Fail, Pass};
    for (text, words, verdict, withdrawn) in [
        (BEEP, "wait ?get !val", Pass, 0),
        (BEEP, "wait ?get !val !beep", Pass, 1),
        (BEEP, "wait ?get !beep !val", Pass, 1),
        (BEEP, "?get !val wait ?get !val wait ?get !val ?get !val !beep", Pass, 2),
        // There is one at most, and an answer has to come.
        (BEEP, "wait ?get !val !beep !beep", Fail, 1),
        (BEEP, "wait !beep ?get !val !beep", Fail, 1),
        (BEEP, "wait ?get !val !val", Fail, 0),
        (BEEP, "wait ?get wait", Fail, 0),
        (BEEP, "wait ?get !val !beep wait ?get wait", Fail, 1),
        // Silence that was announced counts, also after one that was not.
        (BEEP, "delta ?get !val !beep", Fail, 0),
        (BEEP, "wait ?get !val delta ?get !val !beep", Fail, 0),
        (BEEP, "wait ?get !val !beep delta ?get !val", Pass, 1),
        // Silence, too, may be allowed only if that before it was none. Where `p` has to come, no input is taken.
        (CHOICE, "wait ?a wait", Pass, 1),
        (CHOICE, "wait ?a wait !p", Pass, 1),
        (CHOICE, "wait ?a wait ?a !p", Fail, 1),
        (CHOICE, "wait ?a wait ?a !o", Fail, 1),
        (CHOICE, "delta ?a delta", Fail, 0),
    ] {
        let model = model(text);
        let (cause, count) = judged(&model, Order::Sut, words);
        assert_eq!((cause.verdict(), count), (verdict, withdrawn), "{words}: {cause:?}");
    }
}

/// The same where inputs may be under way: then the input may have crossed what was late, too.
#[test]
fn hypotheses_outlast_a_silence_where_messages_cross() {
    use Verdict::{Fail, Pass};
    for (text, words, verdict, withdrawn) in [
        (BEEP, "wait ?get !val !beep", Pass, 1),
        (BEEP, "wait ?get !beep !val", Pass, 1),
        (BEEP, "?get !val wait ?get !val wait ?get !val ?get !val !beep", Pass, 2),
        (BEEP, "wait ?get !val !beep !beep", Fail, 1),
        (BEEP, "wait ?get !val !val", Fail, 0),
        (BEEP, "wait ?get wait", Fail, 0),
        (CHOICE, "wait ?a wait", Pass, 1),
        // It came before the input was taken.
        (CHOICE, "wait ?a wait ?a !o", Pass, 2),
        (COUNT, "?add wait ?add wait ?get !sum(2)", Pass, 0),
        (COUNT, "?add wait ?add wait ?get !sum(1)", Fail, 0),
        // What took the first input either way takes the second one as well.
        (MAYBE, "?a(3) ?a(3) wait ?a(0) wait", Fail, 0),
    ] {
        let model = model(text);
        let (cause, count) = judged(&model, Order::Sent, words);
        assert_eq!((cause.verdict(), count), (verdict, withdrawn), "{words}: {cause:?}");
    }
    // If the second silence was premature, the system was still in `l1` and took the input there, where the model says
    // nothing about it.
    let model = model(
        "input a\noutput u\noutput v(p: Int in 1..2)\nprocess P {\n  init l0 { ?a -> l1   tau -> l0 }\n  \
         state l1 { !v(any p) -> l1   !v(1) -> l0 }\n}\n",
    );
    let (cause, _) = judged(&model, Order::Sent, "wait ?a !v(1) wait ?a !v(2) !u");
    assert_eq!(cause.verdict(), Verdict::Inconclusive, "{cause:?}");
    // However many silences there are, nothing is left open by them.
    let model = support::model(COUNT);
    let long = "?add wait ".repeat(200) + "?get !sum(199)";
    let (cause, _) = judged(&model, Order::Sent, &long);
    assert!(matches!(cause, Cause::Failure(Failure::Output(_))), "{cause:?}");
}

/// Answers at once; beeps when it has answered so often, as its seed has it, and once more if it is wrong.
struct Beeping<'m> {
    model: &'m Model,
    order: Order,
    wrong: bool,
    after: u64,
    events: VecDeque<SutEvent>,
}

impl Sut for Beeping<'_> {
    fn order(&self) -> Order {
        self.order
    }

    fn reset(&mut self, _: RunNumber, seed: u64) -> Result<(), Fault> {
        self.events.clear();
        self.after = 1 + seed % 4;
        Ok(())
    }

    fn send(&mut self, id: u64, _: &GateValue) -> Result<(), Fault> {
        let seen = |word: &str| SutEvent::Observed(Observation::Output(event(self.model, word)));
        self.after = self.after.saturating_sub(1);
        self.events.extend([SutEvent::Accepted { id }, seen("!val")]);
        if self.after == 0 {
            self.after = if self.wrong { 1 } else { u64::MAX };
            self.events.push_back(seen("!beep"));
        }
        Ok(())
    }

    fn poll(&mut self, _: Duration) -> Result<Polled, Fault> {
        Ok(self.events.pop_front().map_or(Polled::Nothing, Polled::Event))
    }
}

fn tested(order: Order, wrong: bool, clock: &mut dyn Clock, seed: u64) -> (Vec<Stamped>, Summary) {
    let model = model(BEEP);
    let plan = sioco_plan::Plan { purposes: Vec::new(), ..planned(&model, "switch", false) };
    let settings =
        Settings { walks: Walks::Random, max_steps: Some(400), walk: 12, seed, fail_fast: true, ..Settings::default() };
    let mut sut = Beeping { model: &model, order, wrong, after: 0, events: VecDeque::new() };
    let mut records = Vec::new();
    let summary = drive(&mut tester(&model, &plan, settings), &mut sut, clock, &mut |s| records.push(s.clone()));
    (records, summary)
}

/// A system that keeps to the model and is late does not fail; and who judges its journal says the same of every run.
#[test]
fn a_late_system_conforms_by_the_clock() {
    let model = model(BEEP);
    let mut withdrawn = 0;
    for (seed, order) in (0..10).flat_map(|seed| [(seed, Order::Sut), (seed, Order::Sent)]) {
        let (records, late) = tested(order, false, &mut Ticking::default(), seed);
        assert_eq!(late.verdict, Some(Verdict::Pass), "seed {seed}, {order:?}: {:?}", late.bad);
        withdrawn += late.withdrawn;
        assert!(records.iter().any(|s| matches!(s.record, Record::TimedOut(_))), "seed {seed}");
        let (wrong_records, wrong) = tested(order, true, &mut Ticking::default(), seed);
        assert_eq!(wrong.verdict, Some(Verdict::Fail), "seed {seed}, {order:?}");
        // Where no time passes, silence is what it is.
        let (_, announced) = tested(order, false, &mut NoClock, seed);
        assert_eq!((announced.verdict, announced.withdrawn), (Some(Verdict::Fail), 0), "seed {seed}, {order:?}");
        for records in [records, wrong_records] {
            let log = Log::of_records(records.iter().enumerate());
            let mut referee = Referee::new(&model, &builtin, order);
            for run in &log.runs {
                let again = judge(&mut referee, run, order);
                let (verdict, cause) = run.verdict.clone().expect("every run got a verdict");
                // A run that was stopped is one that passes as far as it goes.
                if verdict != Verdict::Inconclusive {
                    assert_eq!((again.verdict, again.cause), (verdict, cause), "seed {seed}, {order:?}, {run:?}");
                }
            }
        }
    }
    assert!(withdrawn > 0, "what came late was seen");
}

const OK: &str = "input a\noutput ok\nprocess P {\n  init l0 { ?a -> l1 }\n  state l1 { !ok -> l0 }\n}\n";

/// Answers at once, and gives one output too many for every so many of its inputs, which only comes to those who wait.
struct Chatty<'m> {
    model: &'m Model,
    every: u64,
    got: u64,
    events: VecDeque<SutEvent>,
    late: VecDeque<SutEvent>,
}

impl Sut for Chatty<'_> {
    fn order(&self) -> Order {
        Order::Sut
    }

    fn may_be_late(&self) -> bool {
        true
    }

    fn reset(&mut self, _: RunNumber, _: u64) -> Result<(), Fault> {
        self.events.clear();
        self.late.clear();
        Ok(())
    }

    fn send(&mut self, id: u64, input: &GateValue) -> Result<(), Fault> {
        let ok = SutEvent::Observed(Observation::Output(event(self.model, "!ok")));
        if input.gate != event(self.model, "?a").gate {
            self.events.push_back(SutEvent::Accepted { id });
            return Ok(());
        }
        self.got += 1;
        self.events.extend([SutEvent::Accepted { id }, ok.clone()]);
        if self.got.is_multiple_of(self.every) {
            self.late.push_back(ok);
        }
        Ok(())
    }

    fn poll(&mut self, wait: Duration) -> Result<Polled, Fault> {
        let late = |s: &mut Self| s.late.pop_front().filter(|_| !wait.is_zero());
        Ok(self.events.pop_front().or_else(|| late(self)).map_or(Polled::Nothing, Polled::Event))
    }
}

/// The first runs, and later some, end with silence where nothing else may come: so what comes too late is judged.
#[test]
fn runs_are_listened_to_at_their_end() {
    let model = model(OK);
    let plan = planned(&model, "switch", false);
    let run = |walks: Walks, every: u64, seed: u64| {
        let settings = Settings { walks, walk: 2, max_steps: Some(1000), seed, ..Settings::default() };
        let (events, late) = Default::default();
        let mut sut = Chatty { model: &model, every, got: 0, events, late };
        let mut records = Vec::new();
        let clock = &mut Ticking::default();
        let summary = drive(&mut tester(&model, &plan, settings), &mut sut, clock, &mut |s| records.push(s.clone()));
        (records, summary.verdict)
    };
    for seed in 0..10 {
        assert_eq!(run(Walks::None, 1, seed).1, Some(Verdict::Fail), "seed {seed}");
        for walks in [Walks::Random, Walks::Guided, Walks::Again] {
            assert_eq!(run(walks, 4, seed).1, Some(Verdict::Fail), "seed {seed}, {walks:?}");
        }
        let (records, verdict) = run(Walks::Again, u64::MAX, seed);
        assert_eq!(verdict, Some(Verdict::Pass), "seed {seed}");
        let before =
            |i: usize| records[..i].iter().rev().map(|s| &s.record).find(|r| !matches!(r, Record::Purpose { .. }));
        let ends = (0..records.len()).filter(|i| matches!(records[*i].record, Record::Verdict { .. }));
        let ends: Vec<bool> = ends.map(|i| matches!(before(i), Some(Record::TimedOut(_)))).collect();
        let listened = ends.iter().filter(|end| **end).count();
        assert!(ends[..5].iter().all(|end| *end), "seed {seed}: {:?}", &ends[..5]);
        assert!(listened * 8 > ends.len() && listened * 3 < ends.len(), "seed {seed}: {listened} of {}", ends.len());
    }
}

/// An internal step that is still to come is no reason not to listen: what it leads to may only be silent, too.
#[test]
fn runs_are_listened_to_before_internal_steps() {
    let model = model(
        "input a\noutput ok\noutput more\nprocess P {\n  var n: Int = 0\n  init l0 { ?a -> l1 }\n  state l1 { !ok -> l2 }\n  \
         state l2 { !more [n > 0] -> l0   tau [n == 0] -> l0 }\n}\n",
    );
    let plan = planned(&model, "paths:2", true);
    for (every, verdict) in [(1, Verdict::Fail), (u64::MAX, Verdict::Pass)] {
        let settings = Settings { walks: Walks::None, ..Settings::default() };
        let (events, late) = Default::default();
        let mut sut = Chatty { model: &model, every, got: 0, events, late };
        let clock = &mut Ticking::default();
        let summary = drive(&mut tester(&model, &plan, settings), &mut sut, clock, &mut |_| {});
        assert_eq!(summary.verdict, Some(verdict), "{summary:?}");
    }
}

const QUIT: &str = "input a\ninput quit\noutput ok\nprocess P {\n  init l0 { ?a -> l1   ?quit -> over }\n  \
    state l1 { !ok -> l0 }\n  final over\n}\n";

/// After the last input nothing can be heard any more: it is listened to before.
#[test]
fn runs_are_listened_to_before_their_last_input() {
    let model = model(QUIT);
    let plan = planned(&model, "switch", false);
    for (seed, walks) in (0..10).flat_map(|seed| [(seed, Walks::Random), (seed, Walks::Guided)]) {
        let settings = Settings { walks, max_steps: Some(2000), seed, ..Settings::default() };
        let (events, late) = Default::default();
        let mut sut = Chatty { model: &model, every: u64::MAX, got: 0, events, late };
        let mut records = Vec::new();
        let clock = &mut Ticking::default();
        drive(&mut tester(&model, &plan, settings), &mut sut, clock, &mut |s| records.push(s.record.clone()));
        let quit = event(&model, "?quit");
        let is_quit = |i: &usize| matches!(&records[*i], Record::Input { input, id, .. } if *input == quit && *id > 1);
        let quits: Vec<bool> =
            (0..records.len()).filter(is_quit).map(|i| matches!(records[i - 1], Record::TimedOut(_))).collect();
        let listened = quits.iter().filter(|listened| **listened).count();
        assert!(
            quits.len() > 40 && listened * 9 > quits.len(),
            "seed {seed}, {walks:?}: {listened} of {}",
            quits.len()
        );
        assert!(listened * 2 < quits.len(), "seed {seed}, {walks:?}: {listened} of {}", quits.len());
    }
}

const TWO: &str = "input a\ninput c\noutput b\noutput d\nprocess P {\n  init l0 { ?a -> l1   ?c -> l2 }\n  \
    state l1 { !b -> l0 }\n  state l2 { !d -> l0 }\n}\n";

/// Never answers one input, and the other one slowly; remembers how long was waited.
struct Half<'m> {
    model: &'m Model,
    events: VecDeque<Option<SutEvent>>,
    /// How long altogether, beyond the quiescence time.
    long: Duration,
}

impl Sut for Half<'_> {
    fn order(&self) -> Order {
        Order::Sut
    }

    fn reset(&mut self, _: RunNumber, _: u64) -> Result<(), Fault> {
        self.events.clear();
        Ok(())
    }

    fn send(&mut self, id: u64, input: &GateValue) -> Result<(), Fault> {
        self.events.push_back(Some(SutEvent::Accepted { id }));
        if *input == event(self.model, "?c") {
            let seen = Observation::Output(event(self.model, "!d"));
            self.events.extend([None, Some(SutEvent::Observed(seen))]);
        }
        Ok(())
    }

    fn poll(&mut self, wait: Duration) -> Result<Polled, Fault> {
        let next = self.events.pop_front().flatten();
        self.long += if next.is_none() && wait > Settings::default().quiescence { wait } else { Duration::ZERO };
        Ok(next.map_or(Polled::Nothing, Polled::Event))
    }
}

/// Where several runs failed by silence, nobody waits longer at the same place again; elsewhere one still does.
#[test]
fn the_same_silence_is_not_waited_for_again_and_again() {
    let model = model(TWO);
    let plan = planned(&model, "switch", false);
    let mut mute = 0;
    for seed in 0..10 {
        let settings = Settings { walks: Walks::Random, max_steps: Some(400), seed, ..Settings::default() };
        let mut sut = Half { model: &model, events: VecDeque::new(), long: Duration::ZERO };
        let clock = &mut Ticking::default();
        let summary = drive(&mut tester(&model, &plan, settings), &mut sut, clock, &mut |_| {});
        let failed = summary.runs[Verdict::Fail as usize];
        // The first five runs may all begin with the input that is never answered.
        if summary.end == End::Mute {
            mute += 1;
            continue;
        }
        // The first silence is repeated before it counts.
        let graces = 6 * Duration::from_secs(2);
        assert!(failed > 20 && sut.long == graces, "seed {seed}: {failed} runs failed, {:?} of long waits", sut.long);
        let silence = |e: &sioco_exec::explanation::Explanation| e.hypotheses[0].shown.starts_with("l1");
        let told = summary.bad.iter().filter_map(|b| b.explanation.as_ref()).all(silence);
        assert!(told && summary.withdrawn > 20, "seed {seed}: {summary:?}");
    }
    assert!(mute < 5, "{mute} of 10");
}
