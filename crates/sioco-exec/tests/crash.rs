//! Crashes of a system under test: an abnormal end is a failure, unless the model has the output `crashed` there, and is
//! never the same as `closed`.

// Lints know tests by their attribute, which helpers do not have.
#![allow(clippy::unwrap_used)]

mod support;

use std::cell::RefCell;
use std::time::Duration;

use sioco_exec::drive::Bench;
use sioco_exec::journal::{Header, decode, line, read};
use sioco_exec::judge::judge;
use sioco_exec::log::{Log, LoggedRun, LoggedStep};
use sioco_exec::replay::{Patience, Point, replay};
use sioco_exec::settings::{Settings, Walks};
use sioco_exec::shrink::{Budget, Ended, Failed, alike, shrink};
use sioco_exec::verdict::{Cause, Failure, OpenCause, Trouble};
use sioco_exec::{
    Action, Crash, Fault, FaultKind, GateValue, NoClock, Observation, Order, Player, Polled, Record, Referee,
    RunNumber, Stamped, Sut, Verdict, drive,
};
use sioco_model::Model;
use support::{Scripted, builtin, campaign, event, model, observation, planned, tester};

const PATIENCE: Patience<'static> =
    Patience { quiescence: Duration::from_millis(1), slower: None, accepted: Duration::from_secs(1) };
const ORDERS: [Order; 3] = [Order::Sut, Order::Sent, Order::Certain];

/// It works, and ends when it is told to: in the way that the last gate says.
fn server(end: &str) -> Model {
    let declared = if end.is_empty() { String::new() } else { format!("output {end}\n") };
    let ends = if end.is_empty() { "tau -> gone".to_owned() } else { format!("!{end} -> gone") };
    model(&format!(
        "input work(n: Int in 0..9)\ninput stop\noutput done(n: Int)\n{declared}\
         process P {{\n  var x: Int = 0\n  init idle {{ ?work(n) / x := n -> busy\n    ?stop -> leaving }}\n  \
         state busy {{ !done(x) -> idle }}\n  state leaving {{ {ends} }}\n  final gone\n}}\n"
    ))
}

/// `?work(3) !done(3) crashed` as a recorded run.
fn logged(model: &Model, words: &str) -> LoggedRun {
    let mut run = LoggedRun::new(RunNumber(1), 1);
    for (i, word) in words.split_whitespace().enumerate() {
        let action = match word.starts_with('?') {
            true => Action::Input(event(model, word)),
            false => Action::Seen(observation(model, word)),
        };
        run.steps.push(LoggedStep { line: i + 1, at: None, action, waited: 0, timed: None });
    }
    run
}

fn judged(model: &Model, words: &str, order: Order) -> Cause {
    let mut referee = Referee::new(model, &builtin, order);
    judge(&mut referee, &logged(model, words), order).cause
}

#[test]
fn a_crash_is_no_orderly_end_and_the_other_way_round() {
    let crashed = Cause::Failure(Failure::Crashed(Crash::new("")));
    let closed = Cause::Failure(Failure::Closed);
    for order in ORDERS {
        for (end, words, expected) in [
            ("", "crashed", &crashed),
            ("", "?work(3) crashed", &crashed),
            ("", "?stop crashed", &crashed),
            ("closed", "?stop closed", &Cause::Reached),
            ("closed", "?stop crashed", &crashed),
            ("closed", "?work(3) !done(3) crashed", &crashed),
            ("crashed", "?stop crashed", &Cause::Reached),
            ("crashed", "?stop closed", &closed),
            ("crashed", "?work(3) crashed", &crashed),
            ("crashed", "crashed", &crashed),
            // After its end, nothing may come.
            ("closed", "?stop closed crashed", &crashed),
            ("crashed", "?stop crashed crashed", &crashed),
            ("crashed", "?stop crashed closed", &closed),
        ] {
            assert_eq!(&judged(&server(end), words, order), expected, "{end}: {words}, {order:?}");
        }
    }
}

/// It may crash as long as nobody has asked for anything, and not after that; or the other way round.
fn moody(before: bool) -> Model {
    let (doomed, busy) = match before {
        true => ("state doomed { !crashed -> gone\n ?ask -> busy }", "!done -> calm"),
        false => ("state doomed { ?ask -> busy }", "!done -> calm\n !crashed -> gone"),
    };
    model(&format!(
        "input ask\noutput done\noutput crashed\nprocess P {{\n  init start {{ tau -> calm\n tau -> doomed }}\n  \
         state calm {{ ?ask -> busy }}\n  {doomed}\n  state busy {{ {busy} }}\n  final gone\n}}\n"
    ))
}

/// What comes of a crash after an input was sent, and accepted or not.
fn under_way(model: &Model, order: Order, accepted: bool) -> Cause {
    let mut referee = Referee::new(model, &builtin, order);
    let input = event(model, if model.gate("ask").is_some() { "?ask" } else { "?work(3)" });
    assert_eq!(referee.start(), None);
    referee.sending(&input);
    let cause = if accepted { referee.accepted() } else { None };
    assert_eq!(cause, None);
    let cause = referee.observe(&Observation::Crashed(Crash::new("oh")));
    referee.close(cause.unwrap_or(Cause::Reached))
}

#[test]
fn a_crash_while_an_input_is_under_way() {
    let crashed = Cause::Failure(crash("oh"));
    for order in ORDERS {
        for accepted in [true, false] {
            // Where the model never allows it, it is a failure in any order.
            for end in ["", "closed"] {
                assert_eq!(under_way(&server(end), order, accepted), crashed, "{order:?} {accepted} {end}");
            }
        }
    }
    // Who only knows what was sent allows for a crash before the input was taken, and after it.
    for (before, accepted) in [(true, true), (true, false), (false, true), (false, false)] {
        let found = under_way(&moody(before), Order::Sent, accepted);
        assert_eq!(found, Cause::Reached, "{before} {accepted}");
    }
    for order in [Order::Sut, Order::Certain] {
        assert_eq!(under_way(&moody(true), order, false), Cause::Reached);
        assert_eq!(under_way(&moody(false), order, true), Cause::Reached);
        assert_eq!(under_way(&moody(true), order, true), crashed);
    }
    // What is allowed only after the input, and was told before it, shows that the adapter broke its promise.
    let found = under_way(&moody(false), Order::Sut, false);
    assert!(matches!(found, Cause::Trouble(Trouble::Fault { kind: FaultKind::Protocol, .. })), "{found:?}");
    assert_eq!(under_way(&moody(false), Order::Certain, false), crashed);
}

/// What a system says after its end belongs to no run: the tester has gone on.
#[test]
fn a_crash_right_after_an_allowed_end_is_not_seen() {
    let model = server("closed");
    let plan = planned(&model, "switch", false);
    let mut sut = Scripted::new(&model, |inputs| match inputs.last().map(|input| input.show(&model)) {
        Some(stop) if stop == "?stop" => vec!["closed".into(), "crashed: too late".into()],
        Some(work) => vec![work.replace("?work", "!done")],
        None => Vec::new(),
    });
    let (records, summary) = campaign(&mut tester(&model, &plan, Settings::default()), &mut sut);
    assert_eq!(summary.verdict, Some(Verdict::Pass), "{summary:?}");
    assert!(!records.iter().any(|r| matches!(r, Record::Observed(Observation::Crashed(_)))), "{records:?}");
}

/// Dies of a 7, and of five inputs in a row, each with words of its own.
fn fragile(inputs: &[GateValue]) -> Vec<String> {
    match inputs.last().and_then(|input| input.args.first()).map(ToString::to_string) {
        None => Vec::new(),
        Some(n) if n == "7" => vec![format!("crashed: index {} is out of bounds", 90 + inputs.len())],
        Some(_) if inputs.len() > 4 => vec!["crashed: out of memory".into()],
        Some(n) => vec![format!("!done({n})")],
    }
}

fn crash(why: &str) -> Failure {
    Failure::Crashed(Crash::new(why))
}

#[test]
fn crashes_are_shrunk_and_stay_what_they_are() {
    let model = server("");
    let shrunk = |words: &str, why: &str| {
        let mut actions: Vec<Action> = logged(&model, words).steps.into_iter().map(|step| step.action).collect();
        actions.push(Action::Seen(Observation::Crashed(Crash::new(why))));
        let (failure, steps) = (crash(why), actions.len() as u64);
        let failed = Failed {
            run: RunNumber(7),
            seed: 1,
            actions: &actions,
            failure: &failure,
            steps,
            next: RunNumber(8),
            wanted: &|_, _| true,
        };
        let mut referee = Referee::new(&model, &builtin, Order::Sut);
        let mut sut = Scripted::new(&model, fragile);
        let budget = Budget { runs: 200, time: Duration::MAX };
        let found =
            shrink(&mut referee, Bench { sut: &mut sut, clock: &mut NoClock }, failed, PATIENCE, budget, &mut |_| {});
        assert_eq!(found.ended, Ended::Done);
        let shortest = found.shortest.expect("a shorter form");
        assert!(alike(&shortest.failure, &failure), "{:?}", shortest.failure);
        let records: Vec<Record> = shortest.records.iter().map(|stamped| stamped.record.clone()).collect();
        support::trace(&model, &records).join(" ")
    };
    // The number in the message is another one each time.
    let run = "?work(1) !done(1) delta ?work(9) !done(9) ?work(7)";
    assert_eq!(shrunk(run, "index 93 is out of bounds"), "?work(7) crashed: index 91 is out of bounds");
    // It could be shorter with a 7, but that would be another crash.
    let run = "?work(1) !done(1) ?work(2) !done(2) ?work(3) !done(3) ?work(4) !done(4) ?work(9)";
    let expected =
        "?work(0) !done(0) ?work(0) !done(0) ?work(0) !done(0) ?work(0) !done(0) ?work(0) crashed: out of memory";
    assert_eq!(shrunk(run, "out of memory"), expected);
    assert!(
        !alike(&crash("out of memory"), &crash("index 3 is out of bounds")) && !alike(&crash(""), &Failure::Closed)
    );
}

#[test]
fn a_crash_is_replayed() {
    let model = server("");
    let words = "?work(1) !done(1) ?work(7) crashed:";
    let recorded = logged(&model, words);
    let again = |answers: fn(&[GateValue]) -> Vec<String>| {
        let mut referee = Referee::new(&model, &builtin, Order::Sut);
        let mut sut = Scripted::new(&model, answers);
        replay(
            &mut referee,
            Bench { sut: &mut sut, clock: &mut NoClock },
            &recorded,
            RunNumber(1),
            PATIENCE,
            &mut |_| {},
        )
    };
    let failed = again(fragile);
    assert_eq!((failed.verdict, failed.steps), (Verdict::Fail, 4), "{failed:?}");
    assert_eq!(failed.cause, Cause::Failure(crash("index 92 is out of bounds")));
    let mended = again(|inputs| inputs.last().map(|input| format!("!done({})", input.args[0])).into_iter().collect());
    assert_eq!((mended.verdict, mended.point), (Verdict::Pass, Point::Same), "{mended:?}");
}

/// A campaign in which runs crash fails, and its journal says the same when it is read again.
#[test]
fn journals_have_crashes() {
    let model = server("");
    let plan = planned(&model, "switch", false);
    let settings = Settings { seed: 3, walks: Walks::Random, max_steps: Some(200), ..Settings::default() };
    let mut tester = tester(&model, &plan, settings);
    let mut sut = Scripted::new(&model, fragile);
    let mut text =
        Header { model: sioco_exec::journal::About::new(&model, "m.sts", None, &[]), ..Header::default() }.line();
    let summary = drive(&mut tester, &mut sut, &mut NoClock, &mut |stamped| text.push_str(&line(&model, stamped)));
    assert_eq!(summary.verdict, Some(Verdict::Fail));
    assert!(summary.runs[4] > 2 && summary.runs[3] == 0, "{:?}", summary.runs);
    assert!(text.contains(r#""type":"crashed","message":"index "#) && text.contains(r#""fail":"crashed""#), "{text}");
    let log = Log::of(&read(decode(text.as_bytes()).unwrap(), &model).unwrap());
    let mut referee = Referee::new(&model, &builtin, Order::Sut);
    for run in &log.runs {
        let (verdict, cause) = run.verdict.clone().unwrap();
        let found = judge(&mut referee, run, Order::Sut);
        // A log has no purpose.
        assert_eq!(found.verdict == Verdict::Fail, verdict == Verdict::Fail);
        if verdict == Verdict::Fail {
            assert_eq!(found.cause, cause);
            assert!(matches!(cause, Cause::Failure(Failure::Crashed(_))), "{cause:?}");
        }
    }
}

/// What ends the whole process may end it in any call: everything before it is recorded by then.
#[test]
fn an_input_is_recorded_before_it_is_sent() {
    let model = server("");
    let plan = planned(&model, "switch", false);
    let records: RefCell<Vec<Record>> = RefCell::default();
    struct Watch<'a, 'm>(Scripted<'m>, &'a RefCell<Vec<Record>>);
    impl Sut for Watch<'_, '_> {
        fn order(&self) -> Order {
            self.0.order()
        }
        fn reset(&mut self, run: RunNumber, seed: u64) -> Result<(), Fault> {
            self.0.reset(run, seed)
        }
        fn send(&mut self, id: u64, input: &GateValue) -> Result<(), Fault> {
            let last = self.1.borrow().last().cloned();
            assert!(
                matches!(&last, Some(Record::Input { id: i, input: sent, .. }) if *i == id && sent == input),
                "{last:?}"
            );
            self.0.send(id, input)
        }
        fn poll(&mut self, wait: Duration) -> Result<Polled, Fault> {
            self.0.poll(wait)
        }
    }
    let mut sut = Watch(Scripted::new(&model, fragile), &records);
    let mut tester = tester(&model, &plan, Settings::default());
    drive(&mut tester, &mut sut, &mut NoClock, &mut |stamped: &Stamped| {
        records.borrow_mut().push(stamped.record.clone())
    });
    assert!(records.borrow().iter().any(|r| matches!(r, Record::Input { .. })));
}

/// What connects a system may break down in the same run: that is no verdict, whatever it says.
#[test]
fn a_fault_of_the_glue_is_an_error() {
    struct Broken;
    impl Sut for Broken {
        fn order(&self) -> Order {
            Order::Sut
        }
        fn reset(&mut self, _: RunNumber, _: u64) -> Result<(), Fault> {
            Ok(())
        }
        fn send(&mut self, _: u64, _: &GateValue) -> Result<(), Fault> {
            Err(Fault { kind: FaultKind::Glue, message: "no parameter".into(), stderr: Vec::new(), again: true })
        }
        fn poll(&mut self, _: Duration) -> Result<Polled, Fault> {
            Ok(Polled::Nothing)
        }
    }
    let model = server("");
    let plan = planned(&model, "switch", false);
    let (_, summary) = campaign(&mut tester(&model, &plan, Settings::default()), &mut Broken);
    assert_eq!(summary.verdict, Some(Verdict::Error));
    let glue = |bad: &sioco_exec::summary::BadRun| {
        matches!(bad.cause, Cause::Trouble(Trouble::Fault { kind: FaultKind::Glue, .. }))
    };
    assert!(summary.bad.iter().all(glue), "{:?}", summary.bad);
}

/// A model with `crashed` conforms to itself, and fails against one without.
#[test]
fn a_model_that_crashes_is_played() {
    let settings = || Settings { seed: 5, walks: Walks::Guided, max_steps: Some(300), ..Settings::default() };
    let tested = |model: &Model, played: &Model| {
        let plan = planned(model, "switch", false);
        campaign(&mut tester(model, &plan, settings()), &mut Player::new(played))
    };
    for end in ["closed", "crashed"] {
        let (records, summary) = tested(&server(end), &server(end));
        assert_eq!(summary.verdict, Some(Verdict::Pass), "{end}: {:?}", summary.bad);
        let ends = records.iter().filter(|r| matches!(r, Record::Observed(seen) if seen.is_end())).count();
        assert!(ends > 2 && summary.switches.iter().all(|(surely, _)| *surely), "{end}: {ends} ends");
    }
    let (_, summary) = tested(&server("closed"), &server("crashed"));
    assert_eq!(summary.verdict, Some(Verdict::Fail), "{summary:?}");
    assert!(summary.bad.iter().any(|bad| bad.cause == Cause::Failure(crash(""))), "{:?}", summary.bad);
    let open = summary.bad.iter().any(|bad| matches!(bad.cause, Cause::Open(OpenCause::Crossed)));
    assert!(!open, "{:?}", summary.bad);
}
