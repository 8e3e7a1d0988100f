//! `sioco test --cover traces:N`: what is told where not all traces are there, or not all of them can be covered.

// Lints know tests by their attribute, which helpers do not have.
#![allow(clippy::unwrap_used)]

// Each test program uses a part of it.
#[allow(dead_code)]
mod support;

use serde_json::Value;
use support::{Folder, Run, sioco_in};

/// A model plays itself, in a folder of its own.
fn test(name: &str, model: &str, options: &[&str]) -> Run {
    let folder = Folder::new(&format!("traces-{name}"));
    folder.write("m.sts", model);
    let mut args = vec!["test", "m.sts", "--sut", "model:m.sts", "--solver", "builtin", "--seed", "1"];
    args.extend(options);
    sioco_in(&args, &folder.path(""))
}

/// The last line for programs.
fn summary(run: &Run) -> Value {
    serde_json::from_str(run.stdout.lines().last().unwrap()).unwrap()
}

const ROUND: &str = "\
input a
output u
process P {
  init l0 { ?a -> l1 }
  state l1 { !u -> l0 }
}
";

/// Shorter traces than were asked for are no pass, whatever they show.
#[test]
fn shorter_traces_are_inconclusive() {
    let options = ["--cover", "traces:40", "--memory", "5K"];
    let run = test("shorter", ROUND, &options);
    run.exits(3).stdout_has("INCONCLUSIVE  P ").stdout_has("  length     all traces of up to ");
    run.stderr_has(" are planned, but not up to 40: not enough memory; raise `--memory`");
    let run = test("shorter-json", ROUND, &[&options[..], &["--format", "json"]].concat());
    let told = summary(run.exits(3));
    let planned = told["length"]["planned"].as_u64().unwrap();
    assert!((1..40).contains(&planned), "{planned}");
    assert_eq!((&told["length"]["asked"], &told["length"]["want"]), (&40.into(), &"memory".into()));
    assert_eq!((&told["verdict"], &told["exit"]), (&"inconclusive".into(), &3.into()));
    assert_eq!(told["runs"]["inconclusive"], 0);
    // All of them.
    let run = test("whole", ROUND, &["--cover", "traces:4", "--memory", "5K", "--format", "json"]);
    let told = summary(run.exits(0));
    assert_eq!((&told["length"], &told["verdict"]), (&Value::Null, &"pass".into()));
}

/// Nothing is said to be tested where nothing is.
#[test]
fn no_traces_at_all() {
    for (name, option, value, want) in [("none", "--memory", "1", "memory"), ("no-time", "--for", "0s", "time")] {
        let run = test(name, ROUND, &["--cover", "traces:4", option, value]);
        let told = format!("no traces can be tested, not even those of 1 step: not enough {want}; ");
        run.exits(4).stdout_has("NOTHING RUN").stdout_has("  length     no traces can be tested").stderr_has(&told);
        assert!(run.stderr.contains(option) && !run.stderr.contains("are tested"), "{}", run.stderr);
    }
}

/// Where an input and an output are both possible, a model that plays the system lets either come first.
#[test]
fn an_input_may_win() {
    let model = "\
input a
output u
process P {
  init l0 { ?a -> l1  !u -> l2 }
  final l1
  final l2
}
";
    let run = test("race", model, &["--cover", "traces:1", "--attempts", "100", "--format", "json"]);
    let told = summary(run.exits(0));
    assert_eq!((&told["verdict"], &told["coverage"]["switches"]["surely"]), (&"pass".into(), &2.into()));
    // The same seed, the same runs.
    let lines = |run: &Run| -> Vec<Value> {
        let records = run.stdout.lines().map(|l| serde_json::from_str::<Value>(l).unwrap());
        let records = records.filter(|r| r["type"] != "summary" && r.get("format").is_none());
        records
            .map(|mut r| {
                r.as_object_mut().unwrap().remove("at");
                r
            })
            .collect()
    };
    let again = test("race-again", model, &["--cover", "traces:1", "--attempts", "100", "--format", "json"]);
    assert_eq!(lines(&run), lines(&again));
}

/// S1 section 3.2.4: what the model did not think of is told with the way there (figure 3.8).
#[test]
fn deadlocks_come_with_a_trace() {
    let model = "\
output a(y: Int)
input b
process P {
  var w: Int = 0
  init s1 { !a(any y) [1 <= y <= 10] / w := y -> s2 }
  state s2 { ?b [w == 10] -> s3 }
  final s3
}
";
    let options = ["--cover", "traces:4", "--attempts", "20"];
    let folder = Folder::new("traces-deadlock");
    folder.write("m.sts", model);
    let args = ["test", "m.sts", "--sut", "model:m.sts", "--solver", "builtin", "--seed", "1"];
    let args = [&args[..], &options[..], &["--journal", "j.jsonl", "--format", "json"]].concat();
    let run = sioco_in(&args, &folder.path(""));
    let told = summary(&run);
    let ends = told["deadlocks"].as_array().unwrap();
    assert!(!ends.is_empty(), "{told}");
    for end in ends {
        let w: i64 = end["state"].as_str().unwrap().strip_prefix("s2, w = ").unwrap().parse().unwrap();
        assert_ne!(w, 10);
        assert_eq!(end["trace"], serde_json::json!([format!("!a(y={w})")]));
        // It is the run that the journal has.
        let number = end["run"].to_string();
        let again = ["replay", "j.jsonl", "--run", &number, "--times", "1", "--solver", "builtin", "--format", "json"];
        let again = sioco_in(&again, &folder.path(""));
        assert_eq!(summary(&again)["run"], end["run"], "{}", again.stdout);
        let records = run.stdout.lines().map(|l| serde_json::from_str::<Value>(l).unwrap());
        let verdict = records.skip_while(|r| r["run"] != end["run"]).find(|r| r["type"] == "verdict").unwrap();
        assert_eq!(verdict["cause"]["state"], end["state"]);
    }
    let run = test("deadlock", model, &options);
    let (state, number) = (ends[0]["state"].as_str().unwrap(), &ends[0]["run"]);
    let text = run.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    let trace = ends[0]["trace"][0].as_str().unwrap();
    let way = format!("nothing more can happen in {state}, after {trace} (run {number}; `sioco replay ");
    assert!(text.contains(&way) && text.contains(&format!(" --run {number}` repeats it)")), "{text}");
}

/// Internal steps that were not followed to their end may hide traces.
#[test]
fn cuts_are_told() {
    let model = "\
output u
process P {
  var x: Int = any
  init l0 { tau / x := x + 1 -> l0   !u [x >= 0] -> l0 }
}
";
    let options = ["--cover", "traces:1", "--max-steps", "5"];
    test("cut", model, &options).stdout_has("  cut        internal steps were not followed to their end in 1 place\n");
    let run = test("cut-json", model, &[&options[..], &["--format", "json"]].concat());
    assert_eq!((&summary(&run)["cut"], &summary(&run)["unfinished"]), (&1.into(), &0.into()));
    let run = test("no-cut", ROUND, &["--cover", "traces:3"]);
    assert!(!run.stdout.contains("  cut "), "{}", run.stdout);
}

/// What comes back to where it was is followed once, also where nobody knows where that is.
#[test]
fn rounds_are_no_cuts() {
    let model = "\
output u
process P {
  var x: Int in 0..3 = any
  init l0 { tau / x := (x + 1) mod 4 -> l0   !u -> l0 }
}
";
    let run = test("rounds", model, &["--cover", "traces:1", "--max-steps", "5"]);
    run.stdout_has("  traces     4 of 4 with 1 step covered (100%)");
    assert!(!run.stdout.contains("  cut "), "{}", run.stdout);
}

/// A system need not do all that the model allows; what it never did is told by its switches.
#[test]
fn choices_are_left_to_the_system() {
    let model = |answers: &str| {
        format!(
            "input a\noutput b\noutput c\nprocess P {{\n  init l0 {{ ask: ?a -> l1 }}\n  state l1 {{ {answers} }}\n}}\n"
        )
    };
    let folder = Folder::new("traces-left");
    folder.write("m.sts", &model("yes: !b -> l0  no: !c -> l0"));
    folder.write("sut.sts", &model("yes: !b -> l0"));
    let run = |format: &str| {
        let args = ["test", "m.sts", "--sut", "model:sut.sts", "--solver", "builtin", "--seed", "1"];
        sioco_in(&[&args[..], &["--cover", "traces:2", "--format", format]].concat(), &folder.path(""))
    };
    run("human")
        .exits(0)
        .stdout_has("PASS  P against `model:sut.sts`: 4 runs, 8 steps in ")
        .stdout_has(", planned in ")
        .stdout_has("  purposes   1 of 2 reached, 1 left to choices of the system\n")
        .stdout_has("1 of these needs `no`, which the system never took\n")
        .stdout_has("2. (ask no) not reached: the system made another choice each time");
    let run = run("json");
    let told = summary(run.exits(0));
    let switches: Vec<&Value> = told["purposes"].as_array().unwrap().iter().map(|p| &p["switches"]).collect();
    assert_eq!(switches, [&serde_json::json!(["ask", "yes"]), &serde_json::json!(["ask", "no"])]);
    assert!(told["planned_us"].is_u64(), "{told}");
}
