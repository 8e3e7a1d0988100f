//! Whatever a system or its adapter does: every call returns in time, with the right fault or observation, and nothing
//! that was started is left behind.
#![cfg(target_os = "linux")]
// Lints know tests by their attribute, which helpers do not have.
#![allow(clippy::unwrap_used)]

mod sut;

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use sioco_adapter::child::Program;
use sioco_adapter::client::{Client, ConnectionOptions};
use sioco_adapter::lines::Interrupt;
use sioco_exec::{Crash, Fault, FaultKind, GateValue, Observation, Order, Polled, RunNumber, Sut, SutEvent};
use sioco_model::{Model, Value};

const MARK: &str = "SIOCO_TEST_MARK";
/// Longer than anything here may take; a wait that should end by an event, not by its time.
const LONG: Duration = Duration::from_secs(20);
/// A time-out that is meant to run out.
const SHORT: Duration = Duration::from_millis(150);

/// Not a test: the systems under test. Without a mode there is nothing to play.
#[test]
fn play_the_sut() {
    if let Ok(mode) = std::env::var(sut::MODE) {
        sut::play(&mode);
    }
}

fn model() -> Model {
    let text = "input inX(p: Int)\noutput outX(p: Int)\noutput done\nprocess Q { init l { ?inX(_) -> l\n!outX(any p) -> l\n!done -> l } }";
    sioco_lang::check_text("m.sts", text).model.expect("a model").model
}

/// A client for a system, and what tells its processes from all others.
struct Rig<'m> {
    client: Option<Client<'m>>,
    model: &'m Model,
    mark: String,
    interrupt: Interrupt,
}

impl<'m> Rig<'m> {
    fn new(model: &'m Model, mode: &str) -> Rig<'m> {
        Rig::with(
            model,
            mode,
            ConnectionOptions { hello: LONG, reset: LONG, write: LONG, grace: SHORT, ..ConnectionOptions::default() },
        )
    }

    fn with(model: &'m Model, mode: &str, options: ConnectionOptions) -> Rig<'m> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let mark = format!("{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let exe = std::env::current_exe().expect("a path").display().to_string();
        let words = [&exe, "play_the_sut", "--exact", "--nocapture"].map(str::to_owned).to_vec();
        let environment = vec![(sut::MODE.into(), mode.to_owned()), (MARK.into(), mark.clone())];
        let program = Program { words, environment, directory: None };
        let interrupt = Interrupt::default();
        let client = Some(Client::new(model, Box::new(program), options, interrupt.clone()));
        Rig { client, model, mark, interrupt }
    }

    fn client(&mut self) -> &mut Client<'m> {
        self.client.as_mut().expect("not ended")
    }

    #[track_caller]
    fn reset(&mut self, run: u64) -> Result<(), Fault> {
        timed(|| self.client().reset(RunNumber(run), 42))
    }

    #[track_caller]
    fn send(&mut self, id: u64, p: i64) -> Result<(), Fault> {
        let input = GateValue { gate: self.model.gate("inX").unwrap(), args: vec![Value::Int(p)] };
        timed(|| self.client().send(id, &input))
    }

    #[track_caller]
    fn poll(&mut self, wait: Duration) -> Result<Polled, Fault> {
        timed(|| self.client().poll(wait))
    }

    fn output(&self, p: i64) -> Polled {
        let gate = self.model.gate("outX").unwrap();
        seen(Observation::Output(GateValue { gate, args: vec![Value::Int(p)] }))
    }

    /// The processes that were started for this system, and live.
    fn processes(&self) -> Vec<String> {
        let mark = format!("{MARK}={}", self.mark);
        let mut found = Vec::new();
        for entry in std::fs::read_dir("/proc").expect("/proc").flatten() {
            let environment = std::fs::read(entry.path().join("environ")).unwrap_or_default();
            if environment.split(|b| *b == 0).any(|variable| variable == mark.as_bytes()) {
                found.push(entry.file_name().display().to_string());
            }
        }
        found
    }

    /// Ends everything, and looks whether that is so.
    #[track_caller]
    fn end(mut self) {
        timed(|| self.client().stop());
        drop(self.client.take());
        self.is_gone();
    }

    #[track_caller]
    fn is_gone(&self) {
        let start = Instant::now();
        // A killed process takes a moment to die.
        while !self.processes().is_empty() {
            assert!(start.elapsed() < LONG, "left behind: {:?}", self.processes());
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Rig<'_> {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            drop(self.client.take());
            self.is_gone();
        }
    }
}

/// Runs one call, which has to return soon.
#[track_caller]
fn timed<T>(call: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = call();
    assert!(start.elapsed() < LONG / 2, "it took {:?}", start.elapsed());
    result
}

fn seen(observation: Observation) -> Polled {
    Polled::Event(SutEvent::Observed(observation))
}

fn accepted(id: u64) -> Polled {
    Polled::Event(SutEvent::Accepted { id })
}

#[track_caller]
fn check_fault<T: std::fmt::Debug>(found: Result<T, Fault>, kind: FaultKind, part: &str, again: bool) -> Fault {
    let fault = found.expect_err("no fault");
    assert_eq!((fault.kind, fault.again), (kind, again), "{fault}");
    assert!(fault.message.contains(part) && fault.message.len() < 3000, "{fault}");
    fault
}

fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("a status");
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).expect("a peak");
    line.split_whitespace().nth(1).and_then(|n| n.parse().ok()).expect("a number")
}

#[test]
fn a_good_system_works_run_after_run() {
    let model = model();
    let mut rig = Rig::new(&model, "good");
    for run in 1..4 {
        rig.reset(run).unwrap();
        assert_eq!(rig.client().order(), Order::Sut);
        for (id, sum) in [(1, 6), (2, 12)] {
            rig.send(id, 6).unwrap();
            assert_eq!(rig.poll(LONG), Ok(accepted(id)));
            assert_eq!(rig.poll(LONG), Ok(rig.output(sum)));
            assert_eq!(rig.poll(LONG), Ok(seen(Observation::Delta)));
            assert_eq!(rig.poll(Duration::ZERO), Ok(Polled::Nothing));
        }
    }
    assert_eq!(rig.processes().len(), 1);
    assert!(rig.client().logs().contains(&"log: up".to_owned()));
    rig.end();
}

#[test]
fn a_crash_is_a_fault_with_its_last_words_and_is_mended_by_a_restart() {
    let model = model();
    let mut rig = Rig::new(&model, "crash");
    for run in 1..5 {
        rig.reset(run).unwrap();
        rig.send(1, 6).unwrap();
        let again = run < 4;
        let fault =
            check_fault(rig.poll(LONG), FaultKind::Died, "ended (exit status: 3) in the middle of a run", again);
        assert_eq!(fault.stderr.len(), 50);
        assert_eq!(fault.stderr[49], "about to crash 199");
        assert_eq!(fault.message.contains("gave up"), !again, "{fault}");
        rig.is_gone();
    }
    check_fault(rig.reset(5), FaultKind::Died, "gave up", false);
    rig.end();
}

#[test]
fn a_system_that_crashes_in_every_run_but_does_something_before_goes_on() {
    let model = model();
    let mut rig = Rig::new(&model, "crash-later");
    for run in 1..8 {
        rig.reset(run).unwrap();
        rig.send(1, 1).unwrap();
        for _ in 0..3 {
            assert!(matches!(rig.poll(LONG), Ok(Polled::Event(_))));
        }
        rig.send(2, 1).unwrap();
        check_fault(rig.poll(LONG), FaultKind::Died, "exit status: 3", true);
    }
    rig.end();
}

#[test]
fn a_signal_is_named() {
    let model = model();
    let mut rig = Rig::new(&model, "abort");
    rig.reset(1).unwrap();
    rig.send(1, 6).unwrap();
    check_fault(rig.poll(LONG), FaultKind::Died, "SIGABRT", true);
    rig.end();
}

#[test]
fn what_never_worked_is_not_tried_again() {
    let model = model();
    let mut rig = Rig::new(&model, "exit-at-once");
    let fault = check_fault(rig.reset(1), FaultKind::Died, "ended (exit status: 7) before it said hello", false);
    assert_eq!(fault.stderr, ["no configuration"]);
    rig.end();
}

/// Logs hold up nothing, but whoever sends nothing else without end is given up.
#[test]
fn logs_without_end_are_a_fault() {
    let model = model();
    let mut rig = Rig::new(&model, "logs-for-ever");
    rig.reset(1).unwrap();
    rig.send(1, 6).unwrap();
    let begun = Instant::now();
    let fault = loop {
        assert!(begun.elapsed() < 3 * LONG, "it goes on for ever");
        match rig.poll(SHORT) {
            Ok(_) => {}
            Err(fault) => break fault,
        }
    };
    check_fault(Err::<(), _>(fault), FaultKind::Protocol, "without a message, such as `nothing to see here`", true);
    rig.end();
}

/// What an adapter holds back comes when its input is closed: then it is known why nothing came.
#[test]
fn output_that_is_not_flushed_is_told() {
    let model = model();
    let options = || ConnectionOptions { hello: SHORT, reset: SHORT, ..ConnectionOptions::default() };
    for (mode, what) in [("buffered", "hello"), ("buffered-from-reset", "reset")] {
        let mut rig = Rig::with(&model, mode, options());
        let fault = check_fault(rig.reset(1), FaultKind::Protocol, &format!("did not answer the {what} within"), false);
        assert!(
            fault.message.contains("its output waits in a buffer") && fault.message.contains("`python3 -u`"),
            "{fault}"
        );
        rig.end();
    }
    let mut rig = Rig::with(
        &model,
        "buffered-from-input",
        ConnectionOptions { hello: LONG, reset: LONG, ..ConnectionOptions::default() },
    );
    rig.reset(1).unwrap();
    rig.send(1, 6).unwrap();
    assert_eq!(rig.client().poll(SHORT), Ok(Polled::Nothing));
    let fault = rig.client().unacknowledged(1, SHORT);
    check_fault(Err::<(), _>(fault), FaultKind::Protocol, "within 150ms; its output waits in a buffer", false);
    rig.end();
}

#[test]
fn hanging_takes_no_longer_than_it_may() {
    let model = model();
    let short = || ConnectionOptions { hello: LONG, reset: SHORT, grace: SHORT, ..ConnectionOptions::default() };
    let mut rig = Rig::with(&model, "hang-at-hello", ConnectionOptions { hello: SHORT, ..short() });
    check_fault(rig.reset(1), FaultKind::Timeout, "did not answer the hello within 0.15 s", false);
    rig.end();
    let mut rig = Rig::with(&model, "endless-logs nothing to see here", ConnectionOptions { hello: SHORT, ..short() });
    check_fault(rig.reset(1), FaultKind::Timeout, "it printed `nothing to see here`", false);
    rig.end();
    // These look more like messages, so they are looked at by and by.
    let mut rig = Rig::with(&model, "endless-logs 1 2 3", ConnectionOptions { hello: SHORT, ..short() });
    let kind = rig.reset(1).unwrap_err().kind;
    assert!([FaultKind::Timeout, FaultKind::Protocol].contains(&kind), "{kind:?}");
    rig.end();
    let mut rig = Rig::with(&model, "hang-at-reset", short());
    check_fault(rig.reset(1), FaultKind::Timeout, "did not answer the reset within 0.15 s", false);
    rig.end();
    let mut rig = Rig::new(&model, "hang");
    rig.reset(1).unwrap();
    rig.send(1, 6).unwrap();
    assert_eq!(rig.poll(SHORT), Ok(Polled::Nothing));
    rig.end();
}

#[test]
fn a_reset_that_hangs_is_mended_by_a_restart() {
    let model = model();
    let mut rig = Rig::with(
        &model,
        "hang-at-second-reset",
        ConnectionOptions { reset: SHORT * 10, ..ConnectionOptions::default() },
    );
    rig.reset(1).unwrap();
    check_fault(rig.reset(2), FaultKind::Timeout, "did not answer the reset", true);
    rig.reset(3).unwrap();
    rig.end();
}

#[test]
fn what_breaks_the_protocol_is_a_fault_and_no_observation() {
    let model = model();
    for (mode, part) in [
        ("bytes", "not UTF-8"),
        ("say {\"type\":\"output\"", "not JSON"),
        ("say {'type': 'output'}", "json.dumps"),
        ("say 42", "messages are objects"),
        ("say {}", "has no `type`"),
        ("say {\"type\":\"output\",\"gate\":\"outx\"}", "did you mean `outX`?"),
        ("say {\"type\":\"output\",\"gate\":\"inX\",\"args\":[1]}", "is an input of the model"),
        ("say {\"type\":\"output\",\"gate\":\"outX\",\"args\":{\"P\":1}}", "adapter sends `P`"),
        ("say {\"type\":\"ready\",\"run\":1}", "in the middle of a run"),
        ("say {\"type\":\"hello\"}", "in the middle of a run"),
        ("say {\"type\":\"accepted\",\"id\":2}", "no input 2 waits"),
        ("say {\"type\":\"refused\",\"id\":2}", "no input 2 waits"),
        ("say {\"type\":\"refused\"}", "without the id"),
        ("say {\"type\":\"output\",\"gate\":\"done\",\"run\":2}", "in run 1 it sent"),
    ] {
        let mut rig = Rig::new(&model, mode);
        rig.reset(1).unwrap();
        rig.send(1, 6).unwrap();
        check_fault(rig.poll(LONG), FaultKind::Protocol, part, true);
        rig.end();
    }
    let mut rig = Rig::new(&model, "say {\"type\":\"accepted\",\"id\":1}\n{\"type\":\"accepted\",\"id\":1}");
    rig.reset(1).unwrap();
    rig.send(1, 6).unwrap();
    assert_eq!(rig.poll(LONG), Ok(accepted(1)));
    check_fault(rig.poll(LONG), FaultKind::Protocol, "no input 1 waits", true);
    rig.end();
    let mut rig = Rig::new(&model, "say {\"type\":\"closed\"}\n{\"type\":\"quiescent\"}");
    rig.reset(1).unwrap();
    rig.send(1, 6).unwrap();
    assert_eq!(rig.poll(LONG), Ok(seen(Observation::Closed)));
    check_fault(rig.poll(LONG), FaultKind::Protocol, "after it had reported the end of the system", true);
    rig.end();
}

#[test]
fn values_that_do_not_fit_are_an_observation() {
    let model = model();
    let line = r#"{"type":"output","gate":"outX","args":{"p":"six"}}"#;
    let mut rig = Rig::new(&model, &format!("say {line}"));
    rig.reset(1).unwrap();
    rig.send(1, 6).unwrap();
    let gate = model.gate("outX").unwrap();
    let why = "`p` is `\"six\"`, but must be Int".to_owned();
    assert_eq!(rig.poll(LONG), Ok(seen(Observation::Malformed { gate: Some(gate), why, raw: line.into() })));
    rig.end();
}

#[test]
fn a_gigabyte_without_a_line_takes_no_memory() {
    let model = model();
    for start in ["", "{\"type\":\"output\",\"raw\":\""] {
        let mut rig = Rig::new(&model, &format!("gigabyte {start}"));
        rig.reset(1).unwrap();
        rig.send(1, 6).unwrap();
        check_fault(rig.poll(LONG), FaultKind::Protocol, "a line of more than 1 MiB", true);
        rig.end();
    }
    assert!(peak_memory() < 300_000, "{} kB", peak_memory());
}

#[test]
fn outputs_without_end_take_no_memory() {
    let model = model();
    let mut rig = Rig::new(&model, "endless");
    rig.reset(1).unwrap();
    rig.send(1, 6).unwrap();
    let output = rig.output(1);
    for _ in 0..20_000 {
        assert_eq!(rig.poll(LONG), Ok(output.clone()));
    }
    rig.end();
    let options = ConnectionOptions { reset: SHORT * 10, grace: SHORT, ..ConnectionOptions::default() };
    let mut rig = Rig::with(&model, "endless-at-reset", options);
    check_fault(rig.reset(1), FaultKind::Timeout, "did not answer the reset", false);
    assert!(rig.client().unheard() > 0);
    rig.end();
    let mut rig = Rig::new(&model, "endless-old");
    rig.reset(1).unwrap();
    let start = Instant::now();
    match rig.poll(SHORT) {
        Ok(found) => assert_eq!(found, Polled::Nothing),
        Err(fault) => assert_eq!(fault.kind, FaultKind::Protocol),
    }
    assert!(start.elapsed() < SHORT + Duration::from_secs(3) && rig.client().stale() > 0);
    rig.end();
    let mut rig = Rig::new(&model, "eager");
    check_fault(rig.reset(1), FaultKind::Protocol, "outputs of run 1 before it was ready", false);
    rig.end();
    assert!(peak_memory() < 300_000, "{} kB", peak_memory());
}

#[test]
fn standard_error_never_blocks() {
    let model = model();
    for mode in ["endless-stderr", "endless-stderr-line"] {
        let mut rig = Rig::new(&model, mode);
        rig.reset(1).unwrap();
        for id in 1..50 {
            rig.send(id, 1).unwrap();
            assert_eq!(rig.poll(LONG), Ok(accepted(id)));
            assert_eq!(rig.poll(LONG), Ok(rig.output(id as i64)));
            assert_eq!(rig.poll(LONG), Ok(seen(Observation::Delta)));
        }
        assert!(rig.client().stderr().len() <= 50);
        rig.end();
    }
    assert!(peak_memory() < 300_000, "{} kB", peak_memory());
}

#[test]
fn an_end_in_the_middle_of_a_line_is_an_end() {
    let model = model();
    let mut rig = Rig::new(&model, "half");
    rig.reset(1).unwrap();
    rig.send(1, 6).unwrap();
    check_fault(rig.poll(LONG), FaultKind::Died, "in the middle of `{\"type\":\"outp`", true);
    rig.end();
    // A last line that is whole but for its end counts.
    let mut rig = Rig::new(&model, "last-words");
    rig.reset(1).unwrap();
    rig.send(1, 6).unwrap();
    assert_eq!(rig.poll(LONG), Ok(accepted(1)));
    check_fault(rig.poll(LONG), FaultKind::Died, "exit status: 0", true);
    rig.end();
}

#[test]
fn a_late_answer_is_an_answer() {
    let model = model();
    let mut rig = Rig::new(&model, "late");
    rig.reset(1).unwrap();
    rig.send(1, 6).unwrap();
    assert_eq!(rig.poll(LONG), Ok(accepted(1)));
    assert_eq!(rig.poll(SHORT), Ok(Polled::Nothing));
    // What has been waited for in vain comes when the system gets to it.
    rig.send(2, 6).unwrap();
    assert_eq!(rig.poll(LONG), Ok(accepted(2)));
    assert_eq!(rig.poll(LONG), Ok(rig.output(12)));
    rig.end();
}

#[test]
fn an_input_may_be_refused() {
    let model = model();
    let mut rig = Rig::new(&model, "refuse");
    rig.reset(1).unwrap();
    rig.send(1, 6).unwrap();
    let refused = SutEvent::Refused { id: 1, why: "not now".into() };
    assert_eq!(rig.poll(LONG), Ok(Polled::Event(refused)));
    rig.end();
}

#[test]
fn messages_of_older_runs_are_dropped_and_outputs_counted() {
    let model = model();
    let mut rig = Rig::new(&model, "old");
    rig.reset(1).unwrap();
    rig.reset(2).unwrap();
    assert_eq!((rig.client().unheard(), rig.client().stale()), (1, 0));
    assert_eq!(rig.client().unheard_crashes(), 1);
    rig.send(1, 6).unwrap();
    assert_eq!(rig.poll(LONG), Ok(accepted(1)));
    assert_eq!(rig.poll(LONG), Ok(rig.output(6)));
    assert_eq!((rig.client().unheard(), rig.client().stale()), (1, 1));
    assert_eq!(rig.client().unheard_crashes(), 2);
    rig.end();
}

#[test]
fn outputs_before_ready_belong_to_a_run_if_they_say_so() {
    let model = model();
    let mut rig = Rig::new(&model, "early");
    rig.reset(1).unwrap();
    assert_eq!(rig.poll(LONG), Ok(rig.output(99)));
    rig.end();
    let mut rig = Rig::new(&model, "untagged");
    check_fault(rig.reset(1), FaultKind::Protocol, "outputs may come only after `ready`", false);
    rig.end();
}

#[test]
fn nothing_is_left_of_a_family() {
    let model = model();
    let mut rig = Rig::new(&model, "fork");
    rig.reset(1).unwrap();
    let start = Instant::now();
    while rig.processes().len() < 4 {
        assert!(start.elapsed() < LONG, "{:?}", rig.processes());
    }
    let name = rig.client().hello().and_then(|hello| hello.name.clone()).expect("a name");
    let leader = name.trim_matches('[').split(',').next().expect("an id").to_owned();
    rig.end();
    // It was waited for as well.
    assert!(!std::path::Path::new("/proc").join(leader).exists());
}

#[test]
fn a_stubborn_system_is_killed() {
    let model = model();
    let mut rig = Rig::new(&model, "stubborn");
    rig.reset(1).unwrap();
    assert_eq!(rig.processes().len(), 1);
    rig.end();
}

#[test]
fn an_end_is_noticed_though_somebody_else_holds_the_output_open() {
    let model = model();
    let mut rig = Rig::new(&model, "fork-and-leave");
    rig.reset(1).unwrap();
    rig.send(1, 6).unwrap();
    let start = Instant::now();
    let found = loop {
        match rig.poll(SHORT) {
            Ok(Polled::Nothing) => assert!(start.elapsed() < LONG),
            found => break found,
        }
    };
    check_fault(found, FaultKind::Died, "ended (exit status: 0)", true);
    rig.end();
}

#[test]
fn a_system_that_does_not_listen_is_a_timeout() {
    let model = model();
    let options = ConnectionOptions { write: SHORT, grace: SHORT, ..ConnectionOptions::default() };
    let mut rig = Rig::with(&model, "deaf", options);
    rig.reset(1).unwrap();
    let found = (1..100_000).find_map(|id| rig.send(id, 6).err()).ok_or(()).map_or_else(|()| Ok(()), Err);
    check_fault(found, FaultKind::Timeout, "has not read its input for 0.15 s", true);
    rig.end();
}

#[test]
fn the_end_of_the_system_is_an_observation_and_that_of_the_adapter_after_it_no_fault() {
    let model = model();
    let mut rig = Rig::new(&model, "close");
    for run in 1..6 {
        rig.reset(run).unwrap();
        rig.send(1, 6).unwrap();
        assert_eq!(rig.poll(LONG), Ok(accepted(1)));
        assert_eq!(rig.poll(LONG), Ok(seen(Observation::Closed)));
        if run % 2 == 0 {
            assert_eq!(rig.poll(SHORT), Ok(Polled::Nothing));
            assert_eq!(rig.poll(SHORT), Ok(Polled::Nothing));
        }
    }
    rig.end();
}

/// The system crashed, as the adapter says; the adapter itself may end then, with whatever status.
#[test]
fn a_crash_of_the_system_is_an_observation_and_one_of_the_adapter_is_none() {
    let model = model();
    for mode in ["crashed ", "crashed and ends"] {
        let mut rig = Rig::new(&model, mode);
        for run in 1..6 {
            rig.reset(run).unwrap();
            rig.send(1, 6).unwrap();
            assert_eq!(rig.poll(LONG), Ok(accepted(1)));
            let crash = Crash::new("KeyError: 'x'").with(["Traceback".into(), "  in f".into()]);
            assert_eq!(rig.poll(LONG), Ok(seen(Observation::Crashed(crash))));
            if run % 2 == 0 {
                assert_eq!(rig.poll(SHORT), Ok(Polled::Nothing));
            }
        }
        assert_eq!(rig.client().unheard_crashes(), 0);
        rig.end();
    }
    // After its end, nothing may come, be it another end.
    for (first, second) in [("closed", "crashed"), ("crashed", "closed"), ("crashed", "quiescent")] {
        let mut rig = Rig::new(&model, &format!("say {{\"type\":\"{first}\"}}\n{{\"type\":\"{second}\"}}"));
        rig.reset(1).unwrap();
        rig.send(1, 6).unwrap();
        assert!(matches!(rig.poll(LONG), Ok(Polled::Event(SutEvent::Observed(end))) if end.is_end()));
        check_fault(rig.poll(LONG), FaultKind::Protocol, "after it had reported the end of the system", true);
        rig.end();
    }
    // One that crashes while it is being reset is not in its initial state.
    let mut rig = Rig::new(&model, "crash-at-reset ");
    check_fault(rig.reset(1), FaultKind::Reset, "the system crashed before its first run: `no database`", false);
    rig.end();
    let mut rig = Rig::new(&model, "crash-at-reset 1");
    check_fault(rig.reset(1), FaultKind::Protocol, "while it is being reset for run 1 it sent", false);
    rig.end();
}

#[test]
fn reported_problems_are_no_observations() {
    let model = model();
    let mut rig =
        Rig::new(&model, "say {\"type\":\"error\",\"fatal\":false,\"code\":\"sut.timeout\",\"message\":\"away\"}");
    for run in 1..10 {
        rig.reset(run).unwrap();
        rig.send(1, 6).unwrap();
        check_fault(rig.poll(LONG), FaultKind::Reported, "it reports: away (sut.timeout)", true);
        assert_eq!(rig.processes().len(), 1);
    }
    rig.end();
    let mut rig = Rig::new(&model, "say {\"type\":\"error\",\"fatal\":true,\"message\":\"away\"}");
    rig.reset(1).unwrap();
    rig.send(1, 6).unwrap();
    check_fault(rig.poll(LONG), FaultKind::Reported, "it reports: away", false);
    rig.end();
}

#[test]
fn who_cannot_reset_is_started_anew() {
    let model = model();
    for mode in ["no-reset", "refuse-reset"] {
        let mut rig = Rig::new(&model, mode);
        for run in 1..8 {
            rig.reset(run).unwrap();
            rig.send(1, 6).unwrap();
            assert_eq!(rig.poll(LONG), Ok(accepted(1)), "{mode}");
            // A sum of a former life would be more.
            let gate = model.gate("outX").unwrap();
            assert_eq!(rig.poll(LONG), Ok(seen(Observation::Output(GateValue { gate, args: vec![Value::Int(6)] }))));
        }
        rig.end();
    }
    let mut rig = Rig::new(&model, "fail-second-reset");
    for run in 1..8 {
        rig.reset(run).unwrap();
    }
    rig.end();
    for (mode, again) in [("fail-reset", false), ("fail-reset fatal", false)] {
        let mut rig = Rig::new(&model, mode);
        check_fault(rig.reset(1), FaultKind::Reset, "the database is away", again);
        rig.end();
    }
}

#[test]
fn gates_and_versions_are_compared_before_anything_else() {
    let model = model();
    for (hello, part) in [
        (r#"{"type":"hello","inputs":["inx"]}"#, "did you mean it by `inx`?"),
        (r#"{"type":"hello","inputs":["inX"],"outputs":["outX"]}"#, "the model has the output `done`"),
        (r#"{"type":"hello","outputs":["outX","done","more"]}"#, "lists the output `more`"),
        (r#"{"type":"hello","protocol":3,"oldest":2}"#, "newer sioco"),
        (r#"{"type":"hello","protocol":0}"#, "version 0"),
    ] {
        let mut rig = Rig::new(&model, &format!("hello {hello}"));
        check_fault(rig.reset(1), FaultKind::Protocol, part, false);
        rig.end();
    }
    for hello in [r#"{"type":"hello"}"#, r#"{"type":"hello","protocol":7,"outputs":["done","outX","closed"]}"#] {
        let mut rig = Rig::new(&model, &format!("hello {hello}"));
        rig.reset(1).unwrap();
        assert_eq!(rig.client().order(), Order::Sent);
        rig.end();
    }
    let mut rig = Rig::new(&model, r#"hello {"type":"ready"}"#);
    check_fault(rig.reset(1), FaultKind::Protocol, "must be hello", false);
    rig.end();
    let mut rig = Rig::new(&model, r#"hello {"type":"error","message":"no licence"}"#);
    check_fault(rig.reset(1), FaultKind::Reported, "no licence", false);
    rig.end();
}

#[test]
fn an_interrupt_ends_every_wait() {
    let model = model();
    for mode in ["hang-at-hello", "hang-at-reset", "hang"] {
        let mut rig = Rig::new(&model, mode);
        let interrupt = rig.interrupt.clone();
        let other = std::thread::spawn(move || {
            std::thread::sleep(SHORT);
            interrupt.end_at(Some(Instant::now()));
        });
        rig.reset(1).unwrap();
        rig.send(1, 6).unwrap();
        assert_eq!(rig.poll(LONG), Ok(Polled::Interrupted), "{mode}");
        assert_eq!(rig.poll(LONG), Ok(Polled::Interrupted), "{mode}");
        other.join().unwrap();
        rig.end();
    }
}

#[test]
fn everything_can_be_killed_at_once() {
    // In a program of its own: here, that would hit the other tests.
    let model = model();
    if std::env::var("SIOCO_TEST_KILL_ALL").is_ok() {
        let mut rig = Rig::new(&model, "fork");
        rig.reset(1).unwrap();
        assert!(!rig.processes().is_empty());
        sioco_adapter::group::kill_all();
        rig.is_gone();
        // As on a second Ctrl-C: nothing is dropped.
        std::process::exit(77);
    }
    let exe = std::env::current_exe().unwrap();
    let status = std::process::Command::new(exe)
        .args(["everything_can_be_killed_at_once", "--exact"])
        .env("SIOCO_TEST_KILL_ALL", "1")
        .stdout(std::process::Stdio::null())
        .status()
        .unwrap();
    assert_eq!(status.code(), Some(77));
}
