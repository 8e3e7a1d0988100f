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
    run.stderr_has(" are planned, and not of 40: there was not enough memory for these; `--memory` gives more");
    let run = test("shorter-json", ROUND, &[&options[..], &["--format", "json"]].concat());
    let told = summary(&run.exits(3));
    let planned = told["length"]["planned"].as_u64().unwrap();
    assert!((1..40).contains(&planned), "{planned}");
    assert_eq!((&told["length"]["asked"], &told["length"]["want"]), (&40.into(), &"memory".into()));
    assert_eq!((&told["verdict"], &told["exit"]), (&"inconclusive".into(), &3.into()));
    assert_eq!(told["runs"]["inconclusive"], 0);
    // All of them.
    let run = test("whole", ROUND, &["--cover", "traces:4", "--memory", "5K", "--format", "json"]);
    let told = summary(&run.exits(0));
    assert_eq!((&told["length"], &told["verdict"]), (&Value::Null, &"pass".into()));
}

/// Nothing is said to be tested where nothing is.
#[test]
fn no_traces_at_all() {
    for (name, option, value, want) in [("none", "--memory", "1", "memory"), ("no-time", "--for", "0s", "time")] {
        let run = test(name, ROUND, &["--cover", "traces:4", option, value]);
        let told = format!("no traces can be tested, not even those of 1 step: there was not enough {want} for them; ");
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
    let told = summary(&run.exits(0));
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
