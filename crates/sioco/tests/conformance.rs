//! Rust code tested from `cargo test`.

// Each test program uses a part of it.
#[allow(dead_code)]
mod support;

use std::collections::VecDeque;

use sioco::conformance::{Args, Conformance, Output, System, glue};
use sioco_exec::Verdict;

/// An accumulator; `slip` is added to what it tells from the third input on.
#[derive(Default)]
struct Accumulator {
    slip: i64,
    inputs: u32,
    sum: i64,
    answers: VecDeque<Output>,
}

impl System for Accumulator {
    fn reset(&mut self) {
        *self = Accumulator { slip: self.slip, ..Accumulator::default() };
    }

    fn input(&mut self, gate: &str, args: Args<'_>) {
        assert_eq!(gate, "inX");
        self.sum += args.get::<i64>("p");
        self.inputs += 1;
        let slip = if self.inputs > 2 { self.slip } else { 0 };
        self.answers.push_back(Output::new("outX", self.sum + slip));
        if self.sum > 15 {
            self.answers.push_back(Output::new("done", ()));
        }
    }

    fn output(&mut self) -> Option<Output> {
        self.answers.pop_front()
    }
}

fn test() -> Conformance {
    Conformance::to("../../examples/accumulator/accumulator.sts").max_steps(300)
}

#[test]
fn what_conforms_never_fails() {
    for cover in ["auto", "random", "switch"] {
        let report = test().cover(cover).check(Accumulator::default).expect("a report");
        assert_eq!(report.summary.verdict, Some(Verdict::Pass), "{}", report.text);
    }
    test().cover("random").assert(Accumulator::default);
}

#[test]
fn what_does_not_conform_is_explained() {
    let report = test().check(|| Accumulator { slip: 1, ..Accumulator::default() }).expect("a report");
    assert_eq!(report.summary.verdict, Some(Verdict::Fail));
    assert!(!report.is_pass());
    assert!(report.text.contains("this output is not allowed here"), "{}", report.text);
    // Three inputs are needed, and none of them has to be more than 1.
    assert!(report.text.contains(", step 6, shrunk "), "{}", report.text);
    assert!(report.text.contains("?inX(p=1)") && report.text.contains("is 3, but the SUT sent 4"), "{}", report.text);
    assert!(report.text.contains("fails in 5 of 5 runs"), "{}", report.text);
    let mut again = test().check(|| Accumulator { slip: 1, ..Accumulator::default() }).expect("a report");
    // How long something took is another matter.
    (again.summary.pauses.longest, again.summary.pauses.at) = (report.summary.pauses.longest, report.summary.pauses.at);
    assert_eq!(report.summary, again.summary, "the same test again");
}

#[test]
#[should_panic(expected = "the system does not pass")]
fn an_assertion_fails() {
    test().assert(|| Accumulator { slip: 1, ..Accumulator::default() });
}

/// Goes wrong as soon as the sum is above 12, in a way of its choice.
#[derive(Default)]
struct Fragile {
    way: &'static str,
    inner: Accumulator,
}

impl System for Fragile {
    fn reset(&mut self) {
        assert!(self.way != "reset" || self.inner.sum <= 12, "cannot be reset");
        self.inner.reset();
    }

    fn input(&mut self, gate: &str, args: Args<'_>) {
        let sum = self.inner.sum + args.get::<i64>("p");
        if sum > 12 {
            match self.way {
                "panic" => panic!("the sum is {sum}"),
                "name" => assert!(args.get::<i64>("q") > 0),
                "type" => assert!(args.get::<bool>("p")),
                "glue" => glue(|| panic!("not connected")),
                "gate" => self.inner.answers.push_back(Output::new("outY", sum)),
                "abort" => std::process::abort(),
                _ => {}
            }
        }
        self.inner.input(gate, args);
    }

    fn output(&mut self) -> Option<Output> {
        assert!(self.way != "output" || self.inner.sum <= 12, "no output");
        self.inner.output()
    }
}

fn fragile(way: &'static str) -> impl FnMut() -> Fragile {
    move || Fragile { way, ..Fragile::default() }
}

/// A panic of the code under test is a failure, shrunk, with its message and its place.
#[test]
fn a_crash_is_a_failure() {
    let report = test().cover("random").seed(1).check(fragile("panic")).expect("a report");
    assert_eq!(report.summary.verdict, Some(Verdict::Fail), "{}", report.text);
    assert_eq!(report.summary.runs[3], 0, "{}", report.text);
    for part in [
        "error[sioco::V006]: the SUT crashed: the sum is 13\n",
        "note: it crashed at crates/sioco/tests/conformance.rs:",
        ", step 4, shrunk from ",
        "fails in 5 of 5 runs",
    ] {
        assert!(report.text.contains(part), "{part}\n{}", report.text);
    }
    assert!(report.text.contains("── crashed ── SUT"), "{}", report.text);
    // There is no adapter, and one way to fail.
    assert!(!report.text.contains(" adapter") && !report.text.contains("more group"), "{}", report.text);
    let output = test().check(fragile("output")).expect("a report");
    assert!(output.text.contains("error[sioco::V006]: the SUT crashed: no output\n"), "{}", output.text);
}

/// What connects the system breaks down: that is an error, and no verdict.
#[test]
fn glue_that_breaks_is_an_error() {
    for (way, part) in [
        ("name", "broke down at the input ?inX("),
        ("name", "`inX` has no parameter `q` (at crates/sioco/tests/conformance.rs:"),
        ("type", ", which is not a value of type bool (at crates/sioco/tests/conformance.rs:"),
        ("glue", ": not connected"),
        ("gate", "the model does not declare an output `outY`; did you mean `outX`?"),
        ("reset", "cannot reset the system: cannot be reset (at "),
    ] {
        let report = test().check(fragile(way)).expect("a report");
        assert_eq!(report.summary.verdict, Some(Verdict::Error), "{way}: {}", report.text);
        assert!(report.text.contains("error[glue]: ") && report.text.contains(part), "{part}\n{}", report.text);
        assert!(!report.text.contains(" adapter"), "{}", report.text);
        // Whatever the values are, it is one and the same.
        assert_eq!(report.text.matches(" ERROR  run").count(), 1, "{}", report.text);
    }
    let report = test().check(|| -> Fragile { panic!("no system") }).expect("a report");
    assert_eq!(report.summary.verdict, Some(Verdict::Error), "{}", report.text);
    assert!(report.text.contains("cannot make a new system: no system (at "), "{}", report.text);
}

/// Tells the test program to end itself in the middle of a test, and where the journal is.
const ABORTING: &str = "SIOCO_TEST_ABORTING";

/// Not a test: without a journal there is nothing to do.
#[test]
fn play_the_aborting_system() {
    if let Ok(journal) = std::env::var(ABORTING) {
        test().cover("random").journal(journal).assert(fragile("abort"));
    }
}

/// What cannot be caught ends the process, and the journal has everything up to the last call.
#[test]
fn nothing_is_lost_when_the_process_ends() {
    let folder = support::Folder::new("conformance-abort");
    let path = folder.path("run.jsonl");
    let mut command = std::process::Command::new(std::env::current_exe().expect("a path"));
    command.args(["play_the_aborting_system", "--exact", "--nocapture"]).env(ABORTING, &path);
    let status = command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null()).status();
    assert!(!status.expect("it runs").success());
    let journal = std::fs::read_to_string(&path).expect("a journal");
    let last: serde_json::Value = serde_json::from_str(journal.lines().last().expect("a line")).expect("JSON");
    assert_eq!((&last["type"], &last["gate"]), (&"input".into(), &"inX".into()), "{journal}");
    // With it, the sum of the run is above 12.
    let lines = journal.lines().rev().map(|line| serde_json::from_str::<serde_json::Value>(line).expect("JSON"));
    let run = lines.take_while(|line| line["type"] != "run");
    let sum: i64 = run.filter_map(|line| line["args"]["p"].as_i64().filter(|_| line["type"] == "input")).sum();
    assert!(sum > 12, "{journal}");
    // It can be judged up to there.
    let model = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/accumulator/accumulator.sts");
    support::sioco(&["judge", model, &path]).stderr_has("the journal ends before the end of the campaign");
}

/// The journal of a test that fails says so when it is judged, also in its shortest form.
#[test]
fn a_journal_is_written() {
    let folder = support::Folder::new("conformance-journal");
    let path = folder.path("run.jsonl");
    let report = test().journal(&path).check(fragile("panic")).expect("a report");
    assert!(report.text.contains(&format!("  journal    {path}")), "{}", report.text);
    let model = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/accumulator/accumulator.sts");
    let judged = support::sioco(&["judge", model, &path]);
    judged
        .exits(1)
        .stderr_is("")
        .stdout_has("error[sioco::V006]: the SUT crashed: the sum is 15\n")
        .stdout_has("the same happened in run 2\n");
    let nowhere = test().journal("no/such/folder.jsonl").check(fragile("")).expect_err("no journal");
    assert!(nowhere.to_string().contains("cannot write the journal"), "{nowhere}");
}

#[test]
fn what_cannot_be_run_is_said() {
    let missing = Conformance::to("no-such-model.sts").check(Accumulator::default).expect_err("no model");
    assert!(missing.to_string().contains("no-such-model.sts"), "{missing}");
    let cover = test().cover("everything").check(Accumulator::default).expect_err("no cover");
    assert!(cover.to_string().contains("everything"), "{cover}");
}
