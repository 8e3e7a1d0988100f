//! Failing runs made shorter, with systems of which the shortest form is known.

// Lints know tests by their attribute, which helpers do not have.
#![allow(clippy::unwrap_used)]

mod support;

use std::cell::RefCell;
use std::time::Duration;

use sioco_exec::drive::Bench;
use sioco_exec::journal::{Header, Journal};
use sioco_exec::judge::judge;
use sioco_exec::log::Log;
use sioco_exec::racer::{Racer, Wires};
use sioco_exec::replay::Patience;
use sioco_exec::settings::{Settings, Walks};
use sioco_exec::shrink::{Budget, Ended, Failed, ShrinkProgress, Shrunk, shrink};
use sioco_exec::verdict::{Cause, Failure};
use sioco_exec::{
    Action, Clock, Fault, FaultKind, GateValue, NoClock, Observation, Order, Player, Polled, Record, Referee,
    RunNumber, Sut, SutEvent,
};
use sioco_model::{Model, Value};
use sioco_plan::Plan;
use sioco_solve::values::Random;
use support::{Scripted, builtin, event, example, model, planned};

const PATIENCE: Patience<'static> =
    Patience { quiescence: Duration::from_millis(1), slower: None, accepted: Duration::from_secs(1) };

/// `?inX(6) !outX(6) delta` as what was sent and seen.
fn actions(model: &Model, words: &str) -> Vec<Action> {
    let of = |word: &str| match word {
        "delta" => Action::Seen(Observation::Delta),
        "closed" => Action::Seen(Observation::Closed),
        word if word.starts_with('?') => Action::Input(event(model, word)),
        word => Action::Seen(Observation::Output(event(model, word))),
    };
    words.split_whitespace().map(of).collect()
}

fn failure(actions: &[Action]) -> Failure {
    match actions.last() {
        Some(Action::Seen(Observation::Output(output))) => Failure::Output(output.clone()),
        Some(Action::Seen(Observation::Delta)) => Failure::Silence,
        Some(Action::Seen(Observation::Closed)) => Failure::Closed,
        other => panic!("{other:?} is no failure"),
    }
}

struct Test<'m> {
    model: &'m Model,
    budget: Budget,
    run: &'m str,
}

impl Test<'_> {
    fn shrink(&self, sut: &mut dyn Sut) -> Shrunk {
        self.shrink_by(sut, &mut NoClock)
    }

    fn shrink_by(&self, sut: &mut dyn Sut, clock: &mut dyn Clock) -> Shrunk {
        let actions = actions(self.model, self.run);
        let mut referee = Referee::new(self.model, &builtin, Order::Sut);
        let failure = failure(&actions);
        let steps = actions.len() as u64;
        let failed = Failed {
            run: RunNumber(7),
            seed: 1,
            actions: &actions,
            failure: &failure,
            steps,
            next: RunNumber(8),
            wanted: &|_, _| true,
        };
        let mut last = ShrinkProgress { runs: 0, from: steps, to: steps };
        let found = shrink(&mut referee, Bench { sut, clock }, failed, PATIENCE, self.budget, &mut |progress| {
            assert!(progress.runs >= last.runs && progress.from == steps, "{progress:?} after {last:?}");
            last = progress;
        });
        assert_eq!((found.run, found.from), (RunNumber(7), steps));
        assert!(found.runs == last.runs || found.runs == last.runs + 1, "{} after {last:?}", found.runs);
        assert!(found.runs <= self.budget.runs, "{} runs", found.runs);
        found
    }
}

fn test<'m>(model: &'m Model, run: &'m str) -> Test<'m> {
    Test { model, budget: Budget { runs: 200, time: Duration::MAX }, run }
}

/// What was sent and seen in the shortest form.
fn shortest(model: &Model, found: &Shrunk) -> String {
    let found = found.shortest.as_ref().unwrap_or_else(|| panic!("nothing is shorter: {found:?}"));
    let records: Vec<Record> = found.records.iter().map(|stamped| stamped.record.clone()).collect();
    assert!(matches!(records.last(), Some(Record::Verdict { steps, .. }) if *steps == found.steps));
    support::trace(model, &records).join(" ")
}

fn sum(inputs: &[GateValue]) -> i64 {
    let number = |v: &Value| if let Value::Int(n) = v { *n } else { panic!("{v}") };
    inputs.iter().flat_map(|input| &input.args).map(number).sum()
}

/// An accumulator that tells a wrong sum as soon as it is above 15.
fn wrong_sum(inputs: &[GateValue]) -> Vec<String> {
    let sum = sum(inputs);
    match inputs.len() {
        0 => Vec::new(),
        _ if sum > 15 => vec![format!("!outX({})", sum + 1)],
        _ => vec![format!("!outX({sum})")],
    }
}

#[test]
fn a_long_run_becomes_the_shortest_that_there_is() {
    let model = example("accumulator/accumulator");
    let run = "delta ?inX(1) !outX(1) ?inX(2) !outX(3) delta ?inX(1) !outX(4) ?inX(3) !outX(7) ?inX(5) !outX(12) \
               ?inX(1) !outX(13) delta ?inX(1) !outX(14) ?inX(1) !outX(15) ?inX(4) !outX(20)";
    let found = test(&model, run).shrink(&mut Scripted::new(&model, wrong_sum));
    assert_eq!((&found.ended, found.again.failed, found.again.of), (&Ended::Done, 3, 3));
    let rate = found.reproduced.unwrap();
    assert_eq!((rate.failed, rate.of), (5, 5));
    // No input is above 10, so that two are needed.
    let text = shortest(&model, &found);
    assert_eq!(found.shortest.as_ref().unwrap().steps, 4, "{text}");
    let again = test(&model, run).shrink(&mut Scripted::new(&model, wrong_sum));
    assert_eq!(found, again, "the same answers give the same search");
    // What is as short as it can be is not made any longer.
    let short = "?inX(6) !outX(6) ?inX(10) !outX(17)";
    let found = test(&model, short).shrink(&mut Scripted::new(&model, wrong_sum));
    assert_eq!((found.shortest, found.ended), (None, Ended::Done));
}

const SESSION: &str = "\
input  login(name: Int)
input  put(a: Int, b: Int, c: Int in 3..9)
input  logout
output ok
process P {
  init out { ?login(name) -> welcomed }
  state welcomed { !ok -> in_ }
  state in_ {
    ?put(a, b, c) [a <= b] -> told
    ?logout -> bye
  }
  state told { !ok -> in_ }
  state bye { !ok -> out }
}
";

/// Gets wrong what a certain `put` in a session does, and does not answer it.
fn silent_after(put: impl Fn(&[Value]) -> bool) -> impl FnMut(&[GateValue]) -> Vec<String> {
    move |inputs: &[GateValue]| match inputs.last() {
        None => Vec::new(),
        Some(input) if input.args.len() == 3 && put(&input.args) => Vec::new(),
        Some(_) => vec!["!ok".into()],
    }
}

fn ints(args: &[Value]) -> Vec<i64> {
    args.iter().map(|v| if let Value::Int(n) = v { *n } else { panic!("{v}") }).collect()
}

#[test]
fn values_get_simple_and_stay_within_guards() {
    let model = model(SESSION);
    let run = "?login(77) !ok ?put(1,2,3) !ok ?logout !ok ?login(-5) !ok ?put(4,9,9) !ok ?put(40,90,7) delta";
    let at_least = |n: i64| move |args: &[Value]| ints(args)[1] >= n;
    let found = test(&model, run).shrink(&mut Scripted::new(&model, silent_after(at_least(23))));
    assert_eq!(shortest(&model, &found), "?login(0) !ok ?put(0, 23, 3) delta");
    // Two values that have to be the same get simpler together; the third has to be another one.
    let run = "?login(77) !ok ?put(1,2,3) !ok ?put(40,40,7) delta";
    let same = |args: &[Value]| ints(args)[0] == ints(args)[1] && ints(args)[2] != 3;
    let found = test(&model, run).shrink(&mut Scripted::new(&model, silent_after(same)));
    assert_eq!(shortest(&model, &found), "?login(0) !ok ?put(0, 0, 4) delta");
}

/// A system that does not forgive an input which the model does not specify where it is.
struct Strict<'m> {
    sut: Scripted<'m>,
    sent: Vec<String>,
}

impl Sut for Strict<'_> {
    fn order(&self) -> Order {
        self.sut.order()
    }

    fn reset(&mut self, run: RunNumber, seed: u64) -> Result<(), Fault> {
        self.sent.clear();
        self.sut.reset(run, seed)
    }

    fn send(&mut self, id: u64, input: &GateValue) -> Result<(), Fault> {
        let text = input.show(self.sut.model);
        let inside = self.sent.last().is_some_and(|last| last != "?logout");
        let fits = match &text {
            t if t.starts_with("?login") => !inside,
            t if t.starts_with("?put") => inside && ints(&input.args)[0] <= ints(&input.args)[1],
            _ => inside,
        };
        assert!(fits, "{text} after {:?}", self.sent);
        self.sent.push(text);
        self.sut.send(id, input)
    }

    fn poll(&mut self, wait: Duration) -> Result<Polled, Fault> {
        self.sut.poll(wait)
    }
}

#[test]
fn what_the_model_does_not_specify_is_never_sent() {
    let model = model(SESSION);
    // The second session matters: what is wrong needs a logout before it.
    let wrong = |inputs: &[GateValue]| {
        let logouts = inputs.iter().filter(|i| i.args.is_empty()).count();
        let puts = inputs.iter().filter(|i| i.args.len() == 3).count();
        let last = inputs.last().is_some_and(|i| i.args.len() == 3);
        if last && logouts > 0 && puts > 1 { vec![] } else { vec!["!ok".to_owned(); usize::from(!inputs.is_empty())] }
    };
    let run = "?login(1) !ok ?logout !ok ?login(2) !ok ?put(1,1,5) !ok ?logout !ok ?login(3) !ok ?logout !ok \
               ?login(3) !ok ?put(2,3,4) delta";
    let mut sut = Strict { sut: Scripted::new(&model, wrong), sent: Vec::new() };
    let found = test(&model, run).shrink(&mut sut);
    let text = shortest(&model, &found);
    assert_eq!(text, "?login(0) !ok ?logout !ok ?login(0) !ok ?put(0, 0, 3) !ok ?put(0, 0, 3) delta", "{found:?}");
}

#[test]
fn another_failure_does_not_count() {
    let model = model(SESSION);
    // The first `put` of all is answered by the end of the system, a later large one by silence.
    let wrong = |inputs: &[GateValue]| match inputs.last() {
        Some(input) if input.args.len() == 3 && inputs.len() == 2 && ints(&input.args)[0] > 5 => vec!["closed".into()],
        Some(input) if input.args.len() == 3 && ints(&input.args)[0] > 5 => vec![],
        Some(_) => vec!["!ok".into()],
        None => vec![],
    };
    let run = "?login(1) !ok ?put(1,1,5) !ok ?put(2,2,5) !ok ?put(9,9,5) delta";
    let found = test(&model, run).shrink(&mut Scripted::new(&model, wrong));
    assert_eq!(shortest(&model, &found), "?login(0) !ok ?put(0, 0, 3) !ok ?put(6, 6, 3) delta");
}

#[test]
fn a_system_with_moods_is_tried_more_often() {
    let model = model(SESSION);
    for seed in 0..20 {
        let coin = RefCell::new(Random::new(seed));
        let wrong = |inputs: &[GateValue]| match inputs.last() {
            // Two times of three.
            Some(input) if input.args.len() == 3 && ints(&input.args)[1] > 9 && coin.borrow_mut().below(3) > 0 => {
                vec![]
            }
            Some(_) => vec!["!ok".to_owned()],
            None => vec![],
        };
        let run = "?login(1) !ok ?put(1,1,5) !ok ?logout !ok ?login(2) !ok ?put(2,2,5) !ok ?put(9,90,5) delta";
        let found = test(&model, run).shrink(&mut Scripted::new(&model, wrong));
        let steps = found.shortest.as_ref().map(|s| s.steps);
        // A one in 27 chance that a good candidate does not show it.
        assert!(steps.is_some_and(|steps| steps <= 8), "seed {seed}: {found:?}");
        let rate = found.reproduced.unwrap();
        assert!(rate.of == 5 && rate.failed <= 5, "seed {seed}: {rate:?}");
    }
    // What never fails again is left as it is.
    let fine = |inputs: &[GateValue]| vec!["!ok".to_owned(); usize::from(!inputs.is_empty())];
    let found = test(&model, "?login(1) !ok ?put(1,1,5) delta").shrink(&mut Scripted::new(&model, fine));
    assert_eq!((found.ended, found.shortest, found.again.failed, found.again.of), (Ended::Gone, None, 0, 6));
}

/// A system that breaks down, or that somebody interrupts, after so many runs.
struct Ending<'m> {
    sut: Scripted<'m>,
    runs: u64,
    fault: bool,
}

impl Sut for Ending<'_> {
    fn order(&self) -> Order {
        self.sut.order()
    }

    fn reset(&mut self, run: RunNumber, seed: u64) -> Result<(), Fault> {
        assert!(run > RunNumber(7), "the system has seen run {run}");
        self.runs = self.runs.saturating_sub(1);
        if self.runs == 0 && self.fault {
            let message = "the adapter died".to_owned();
            return Err(Fault { kind: FaultKind::Died, message, stderr: Vec::new(), again: true });
        }
        self.sut.reset(run, seed)
    }

    fn send(&mut self, id: u64, input: &GateValue) -> Result<(), Fault> {
        self.sut.send(id, input)
    }

    fn poll(&mut self, wait: Duration) -> Result<Polled, Fault> {
        if self.runs == 0 { Ok(Polled::Interrupted) } else { self.sut.poll(wait) }
    }
}

#[test]
fn whatever_ends_it_nothing_is_lost() {
    let model = example("accumulator/accumulator");
    let run = "?inX(1) !outX(1) ?inX(2) !outX(3) ?inX(1) !outX(4) ?inX(3) !outX(7) ?inX(5) !outX(12) ?inX(9) !outX(22)";
    let ending = |runs, fault| {
        let mut sut = Ending { sut: Scripted::new(&model, wrong_sum), runs, fault };
        test(&model, run).shrink(&mut sut)
    };
    let steps = |found: &Shrunk| found.shortest.as_ref().map_or(found.from, |s| s.steps);
    let mut before = u64::MAX;
    for runs in 1..60 {
        let found = ending(runs, true);
        assert!(steps(&found) <= before, "more runs do not make it longer");
        before = steps(&found);
        let over = found.runs < runs;
        match &found.ended {
            Ended::Broken(fault) => assert!(!over && fault.message == "the adapter died"),
            other => assert!(over && *other == Ended::Done, "{other:?} after {runs}"),
        }
        let by_hand = ending(runs, false);
        assert_eq!(steps(&by_hand), steps(&found), "{runs}");
        assert!(over || by_hand.ended == Ended::Interrupted, "{:?}", by_hand.ended);
    }
    assert_eq!(before, 4);
    // In the very first run nothing is known about what the run does.
    let found = ending(1, true);
    assert_eq!((found.shortest, found.again.of, found.runs, found.reproduced), (None, 0, 1, None));
}

/// Each look at it is a second later.
struct Ticking(u64);

impl Clock for Ticking {
    fn now(&mut self) -> Duration {
        self.0 += 1;
        Duration::from_secs(self.0)
    }
}

#[test]
fn it_ends_when_the_budget_does() {
    let model = example("accumulator/accumulator");
    let run = "?inX(1) !outX(1) ?inX(2) !outX(3) ?inX(1) !outX(4) ?inX(3) !outX(7) ?inX(5) !outX(12) ?inX(9) !outX(22)";
    for runs in 0..40 {
        let budget = Budget { runs, time: Duration::MAX };
        let found = Test { budget, ..test(&model, run) }.shrink(&mut Scripted::new(&model, wrong_sum));
        assert!(found.runs <= runs, "{} of {runs}", found.runs);
        if runs == 10 {
            assert_eq!(found.ended, Ended::Runs);
            assert!(found.shortest.is_some(), "something is found with ten runs");
        }
    }
    for seconds in 0..300 {
        let budget = Budget { runs: 200, time: Duration::from_secs(seconds) };
        let mut clock = Ticking(1000);
        Test { budget, ..test(&model, run) }.shrink_by(&mut Scripted::new(&model, wrong_sum), &mut clock);
        // A run notices within a few looks that it is late.
        assert!(clock.0 <= 1000 + seconds + 20, "{} of {seconds}", clock.0 - 1000);
    }
}

#[test]
fn an_input_that_an_output_overtakes_can_be_left_out() {
    // The system speaks by itself, and what it says is wrong.
    let model =
        model("input a(n: Int)\noutput tick(n: Int)\nprocess P {\n  init l { ?a(n) -> l\n    !tick(1) -> l }\n}\n");
    struct Talking(Vec<SutEvent>, GateValue);
    impl Sut for Talking {
        fn order(&self) -> Order {
            Order::Sut
        }
        fn reset(&mut self, _: RunNumber, _: u64) -> Result<(), Fault> {
            self.0.clear();
            Ok(())
        }
        fn send(&mut self, id: u64, _: &GateValue) -> Result<(), Fault> {
            self.0.push(SutEvent::Accepted { id });
            Ok(())
        }
        fn poll(&mut self, wait: Duration) -> Result<Polled, Fault> {
            let tick = || SutEvent::Observed(Observation::Output(self.1.clone()));
            let next = self.0.pop().or_else(|| (!wait.is_zero()).then(tick));
            Ok(next.map_or(Polled::Nothing, Polled::Event))
        }
    }
    let mut sut = Talking(Vec::new(), event(&model, "!tick(2)"));
    let found = test(&model, "?a(1) ?a(2) ?a(3) !tick(2)").shrink(&mut sut);
    assert_eq!(shortest(&model, &found), "!tick(2)");
}

/// A system that counts, and tells by itself how far it is.
const COUNTER: &str = "
input add(p: Int in 1..3)
input reset
output tell(x: Int)
process P {
  var x: Int = 0
  init s {
    ?add(p)           / x := x + p -> s
    ?reset            / x := 0     -> s
    !tell(x) [x >= 4] / x := x - 4 -> s
  }
}
";

/// The failing runs among records: number, seed, what was sent and seen, why, and the steps.
fn failing(records: &[Record]) -> Vec<(RunNumber, u64, Vec<Action>, Failure, u64)> {
    let (mut found, mut actions, mut begun) = (Vec::new(), Vec::new(), (RunNumber::default(), 0));
    for record in records {
        match record {
            Record::Run { run, seed, .. } => (begun, actions) = ((*run, *seed), Vec::new()),
            Record::Input { input, .. } => actions.push(Action::Input(input.clone())),
            Record::Observed(seen) => actions.push(Action::Seen(seen.clone())),
            Record::Verdict { cause: Cause::Failure(failure), steps, .. } => {
                found.push((begun.0, begun.1, actions.clone(), failure.clone(), *steps));
            }
            _ => {}
        }
    }
    found
}

/// Behind wires, inputs and outputs cross. What is found fails by the same rules when it is judged, and a system that
/// conforms fails in no trial, whatever is tried with it.
#[test]
fn crossings_make_no_failures() {
    let (spec, wrong) = (model(COUNTER), model(&COUNTER.replace("x := x - 4", "x := x - 3")));
    let (mut tried, mut shorter) = (0, 0);
    for seed in 0..30 {
        let walks = Walks::Random;
        let settings = Settings { seed, walks, max_steps: Some(150), walk: 40, ..Settings::default() };
        let plan = Plan { purposes: Vec::new(), ..planned(&spec, "switch", false) };
        let mut tester = support::tester(&spec, &plan, settings);
        let mut sut = Racer::new(Player::new(&wrong), Wires::default());
        let (records, summary) = support::campaign(&mut tester, &mut sut);
        let next = RunNumber::FIRST.plus(summary.runs.iter().sum());
        let Some((run, seed, actions, failure, steps)) = failing(&records).into_iter().next() else { continue };
        let failed = Failed { run, seed, actions: &actions, failure: &failure, steps, next, wanted: &|_, _| true };
        let budget = Budget { runs: 200, time: Duration::MAX };
        let mut referee = Referee::new(&spec, &builtin, Order::Sut);
        let found =
            shrink(&mut referee, Bench { sut: &mut sut, clock: &mut NoClock }, failed, PATIENCE, budget, &mut |_| {});
        tried += 1;
        if let Some(shortest) = &found.shortest {
            assert!(shortest.steps <= steps, "seed {seed}");
            shorter += 1;
            let records = shortest.records.iter().cloned().enumerate().collect();
            let (header, remarks) = (Header::default(), Vec::new());
            let log = Log::of(&Journal { header, records, remarks, same: true, cut: false });
            assert_eq!(log.runs[0].shrunk, Some(run), "seed {seed}");
            let judged = judge(&mut referee, &log.runs[0], Order::Sut);
            assert_eq!(judged.cause, Cause::Failure(shortest.failure.clone()), "seed {seed}");
        }
        let mut fine = Racer::new(Player::new(&spec), Wires::default());
        let none =
            shrink(&mut referee, Bench { sut: &mut fine, clock: &mut NoClock }, failed, PATIENCE, budget, &mut |_| {});
        assert_eq!((none.ended, none.shortest, none.again.failed), (Ended::Gone, None, 0), "seed {seed}");
    }
    assert!(tried > 15 && shorter > 10, "{shorter} of {tried}");
}
