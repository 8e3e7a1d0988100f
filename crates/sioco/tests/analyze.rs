//! `sioco analyze`: every kind of finding, on models that have it and on models that do not; traces are replayed.

// Lints know tests by their attribute, which helpers do not have.
#![allow(clippy::unwrap_used)]

// Each test program uses a part of it.
#[allow(dead_code)]
mod support;

use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;
use support::{Folder, sioco};

/// Tests run at the same time, each in a folder of its own.
fn folder() -> Folder {
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    Folder::new(&format!("analyze-{}", NUMBER.fetch_add(1, Ordering::Relaxed)))
}

/// The findings (as JSON) and the summary of a model given as text, without any other solver.
fn analyzed(text: &str, options: &[&str]) -> (Vec<Value>, Value) {
    let here = folder();
    let file = here.write("m.sts", text);
    let mut args = vec!["analyze", file.as_str(), "--solver", "builtin", "--format", "json"];
    args.extend(options);
    let run = sioco(&args);
    objects(&run.stdout)
}

fn example(name: &str) -> (Vec<Value>, Value) {
    let file = format!("{}/../../examples/{name}", env!("CARGO_MANIFEST_DIR"));
    let run = sioco(&["analyze", &file, "--solver", "builtin", "--format", "json", "--nodes", "1000"]);
    objects(&run.stdout)
}

fn objects(stdout: &str) -> (Vec<Value>, Value) {
    let mut lines: Vec<Value> = stdout.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    let summary = lines.pop().unwrap();
    assert_eq!(summary["type"], "summary", "{stdout}");
    assert_eq!((&lines[0]["type"], &lines[0]["version"]), (&"analysis".into(), &1.into()));
    lines.retain(|l| l["type"] == "finding");
    (lines, summary)
}

/// Kind, status and message of the findings that are more than good to know.
fn told(findings: &[Value]) -> Vec<(&str, &str, &str)> {
    (findings.iter())
        .filter(|f| f["severity"] != "information")
        .map(|f| (f["kind"].as_str().unwrap(), f["status"].as_str().unwrap(), f["message"].as_str().unwrap()))
        .collect()
}

fn script(finding: &Value) -> Vec<&str> {
    finding["witness"]["script"].as_array().unwrap().iter().map(|l| l.as_str().unwrap()).collect()
}

const ERRORS: &str = "\
input  a(p: Int)
output b(q: Int)
output c(r: Int in 0..5)
process P {
  var x: Int in 0..10 = 0
  init s0 { add: ?a(p) [p >= 1] / x := x + p -> s1 }
  state s1 {
    quo: !b(100 div (x - 3)) -> s2
    out: !c(x) -> s2
    rest: ?a(p) [p mod x == 1] -> s0
    bad: ?a(p) [100 mod (x - 4) == 1 && p == 7] -> s0
  }
  final s2
}
";

#[test]
fn model_errors() {
    let (findings, _) = analyzed(ERRORS, &["--only", "model-error"]);
    let told = told(&findings);
    // `x` is at least 1 in `s1`, so `p mod x` is always defined.
    assert_eq!(
        told,
        [
            ("model-error", "shown", "the new value of `x` of `add`: 11 is outside of its range `Int in 0..10`"),
            ("model-error", "shown", "the argument `q` of `quo` is undefined: division by zero"),
            ("model-error", "shown", "the argument `r` of `out`: 6 is outside of its range `Int in 0..5`"),
            ("model-error", "shown", "the guard of `bad` is undefined: division by zero"),
        ]
    );
    assert_eq!(findings[0]["witness"]["values"], serde_json::json!([11]));
    assert_eq!(script(&findings[0]), ["// the model error: add: ?a(11)", "why add 11"]);
    assert_eq!(script(&findings[1]), ["add: ?a(3)", "// the model error: quo", "why quo"]);
    assert_eq!(findings[1]["line"], 8);
    let safe = ERRORS.replace("[p >= 1]", "[p == 1]").replace("-> s0\n", "-> s2\n").replace("x - 3", "x + 3");
    assert_eq!(analyzed(&safe, &["--only", "model-error"]).0.len(), 0);
}

/// What is sent is computed before it is received: an error in it is the sender's, whatever the receivers do with it.
#[test]
fn model_errors_of_what_is_sent() {
    let text = "channel c(v: Int in 0..5)\ninput a(p: Int in 0..9)\nprocess A {\n  var x: Int = 0\n  init a0 {\n    \
                set: ?a(p) / x := p -> a0\n    give: send c(x + 1) -> a0\n  }\n}\n\
                process B {\n  var y: Int in 0..5 = 0\n  init b0 {\n    plain: recv c(v) / y := v -> b0\n    \
                guard: recv c(v) [v > 2] / y := if v > 3 then v else 1 -> b0\n  }\n}\nsystem S = A || B\n";
    let (findings, _) = analyzed(text, &["--only", "model-error"]);
    let sent = ("model-error", "shown", "the argument `v` of `A.give`: 6 is outside of its range `Int in 0..5`");
    assert_eq!(told(&findings), [sent]);
    assert_eq!(findings[0]["line"], 7);
    // Even if nobody can receive anything else.
    let deaf = text.replace("plain: recv c(v) / y := v -> b0", "").replace("[v > 2]", "[v > 20]");
    assert_eq!(told(&analyzed(&deaf, &["--only", "model-error"]).0), [sent]);
    // Errors of receivers stay theirs, each in its own words.
    let theirs = text.replace("y := v", "y := v + 1").replace("[v > 2]", "[10 div (v - 5) < 2]");
    let (findings, _) = analyzed(&theirs, &["--only", "model-error"]);
    let update = ("model-error", "shown", "the new value of `y` of `B.plain`: 6 is outside of its range `Int in 0..5`");
    let guard = ("model-error", "shown", "the guard of `B.guard` is undefined: division by zero");
    assert_eq!(told(&findings), [sent, update, guard]);
    let lines: Vec<u64> = findings.iter().filter_map(|f| f["line"].as_u64()).collect();
    assert_eq!(lines, [7, 13, 14]);
}

#[test]
fn deadlocks() {
    let text = "input a(p: Int in 0..9)\noutput b\nprocess P {\n  var x: Int = 0\n  init s0 { ?a(p) / x := p -> s1 }\n  \
                state s1 { !b [x > 3] -> s0 }\n}\n";
    let (findings, _) = analyzed(text, &[]);
    assert_eq!(told(&findings), [("deadlock", "shown", "nothing can happen in `s1`")]);
    assert_eq!(script(&findings[0]), ["s0?a: ?a(0)", "list all"]);
    assert_eq!(findings[0]["witness"]["state"]["variables"]["x"], 0);
    // A final location, an input, or a step for every value: no deadlock.
    for other in [
        text.replace("state s1 { !b [x > 3] -> s0 }", "final s1 { !b [x > 3] -> s0 }"),
        text.replace("[x > 3] -> s0", "[x > 3] -> s0\n ?a(_) -> s0"),
        text.replace("[x > 3] -> s0", "[x > 3] -> s0\n !b [x <= 3] -> s0"),
    ] {
        assert_eq!(told(&analyzed(&other, &["--only", "deadlock"]).0), [], "{other}");
    }
}

#[test]
fn a_system_is_dead_where_no_process_moves() {
    let text = "channel c(n: Int in 0..9)\ninput a(p: Int in 0..9)\nprocess A {\n  var x: Int in 0..9 = 0\n  \
                init a0 { ?a(p) / x := p -> a1 }\n  state a1 { give: send c(x) -> a0 }\n}\n\
                process B { init b0 { take: recv c(n) [n < 7] -> b0 } }\nsystem S = A || B\n";
    let (findings, _) = analyzed(text, &["--only", "deadlock,unreachable"]);
    assert_eq!(told(&findings), [("deadlock", "shown", "nothing can happen in (`A.a1`, `B.b0`)")]);
    assert_eq!(script(&findings[0]), ["A.a0?a: ?a(7)", "list all"]);
    let apart = text.replace("send c(x)", "send c(8)");
    let (findings, _) = analyzed(&apart, &["--only", "unreachable"]);
    let never = ["`A.give` is never taken", "`B.take` is never taken"].map(|m| ("unreachable", "proved", m));
    assert_eq!(told(&findings), never);
}

const CHOICE: &str = "input a(p: Int in 1..5)\noutput b(q: Int)\noutput c(q: Int)\nprocess P {\n  var x: Int = 0\n  \
                      init s0 { ?a(p) / x := p -> s1 }\n  state s1 {\n    state_: !b(any q) [q > x && q < 0] -> s0\n    \
                      always: !b(any q) [q > 3 && q < 3] -> s0\n    fine: !c(any q) [q > x] -> s0\n  }\n}\n";

#[test]
fn outputs_that_no_value_satisfies() {
    let (findings, _) = analyzed(CHOICE, &[]);
    let message = |name| ("unsatisfiable-output", "proved", name);
    assert_eq!(
        told(&findings),
        [message("no value satisfies the output `state_`"), message("no value satisfies the output `always`")]
    );
    assert_eq!(findings[1]["labels"][0]["text"], "`q > 3` and `q < 3` are never true together");
    // By another name, if that is what was asked for.
    let (findings, _) = analyzed(CHOICE, &["--only", "unreachable"]);
    assert_eq!(findings.iter().filter(|f| f["kind"] == "unreachable" && f["status"] == "proved").count(), 2);
}

#[test]
fn switches_without_end_are_bounded_or_proved() {
    // The counter makes new states without end; still, what contradicts itself and what nothing leads to is proved.
    let text = "input go\noutput b\noutput c\nprocess P {\n  var x: Int = 0\n  init s0 {\n    up: ?go / x := x + 1 -> s0\n    \
                far: !b [x == 5000] -> s0\n    no: !c [x > 3 && x < 2] -> s1\n  }\n  state s1 { after: !b -> s0 }\n}\n";
    let (findings, summary) = analyzed(text, &["--nodes", "100", "--only", "unreachable"]);
    let found: Vec<(&str, &str)> =
        findings.iter().map(|f| (f["switches"][0].as_str().unwrap(), f["status"].as_str().unwrap())).collect();
    assert_eq!(found, [("no", "proved"), ("after", "proved"), ("far", "bounded")]);
    assert_eq!(summary["stop"], "nodes");
    let (_, summary) = analyzed(text, &["--depth", "7", "--only", "nondeterminism"]);
    assert_eq!((&summary["stop"], &summary["deterministic"]), (&"depth".into(), &"proved".into()));
}

#[test]
fn nondeterminism() {
    let text = "input a(p: Int)\noutput b(q: Int)\nprocess P {\n  var x: Int = 0\n  init s0 {\n    low: ?a(p) [p <= 5] / x := p -> s0\n    \
                high: ?a(p) [p >= 5] -> s0\n    one: !b(x + 1) -> s0\n    two: !b(any q) [q > 3] -> s0\n    \
                three: !b(0) [x == 7] -> s0\n  }\n}\n";
    let (findings, summary) = analyzed(text, &["--only", "nondeterminism"]);
    let pairs: Vec<&str> = findings.iter().map(|f| f["message"].as_str().unwrap()).collect();
    assert_eq!(pairs, ["`low` and `high` are both possible", "`one` and `two` are both possible"]);
    assert_eq!(findings[0]["witness"]["values"], serde_json::json!([5]));
    // `x` has to be 3 at least for both outputs to say the same.
    assert_eq!(script(&findings[1]), ["low: ?a(3)", "one: !b(4)", "undo", "two: !b(4)"]);
    assert_eq!(findings[1]["witness"]["values"], serde_json::json!([4]));
    assert_eq!(summary["deterministic"], "no");
}

#[test]
fn divergence() {
    let text = "input go(p: Int in 0..5)\noutput b\nprocess P {\n  var x: Int = 0\n  init s0 { ?go(p) / x := p -> s1 }\n  \
                state s1 {\n    loop: tau [x == 3] -> s2\n    down: tau [x > 3] / x := x - 1 -> s1\n    !b [x < 3] -> s0\n  }\n  \
                state s2 { back: tau -> s1 }\n}\n";
    let (findings, _) = analyzed(text, &["--only", "divergence"]);
    assert_eq!(told(&findings), [("divergence", "shown", "internal steps from `s1` can go on for ever")]);
    assert_eq!(findings[0]["cycle"], serde_json::json!(["loop", "back"]));
    assert_eq!(
        script(&findings[0]),
        ["s0?go: ?go(3)", "loop: tau", "back: tau", "// and so on, again and again: loop, back"]
    );
    // Counting down comes to an end.
    let ends = text.replace("loop: tau [x == 3]", "loop: !b [x == 3]");
    assert_eq!(analyzed(&ends, &["--only", "divergence"]).0.len(), 0);
    // Counting up does not, and the states are new each time.
    let up =
        text.replace("tau [x > 3] / x := x - 1", "tau [x > 3] / x := x + 1").replace("tau [x == 3]", "!b [x == 3]");
    let (findings, _) = analyzed(&up, &["--only", "divergence", "--nodes", "40", "--internal", "10"]);
    assert_eq!(findings.len(), 1, "{findings:?}");
    assert_eq!(findings[0]["cycle"], serde_json::json!(["down"]));
}

#[test]
fn input_gaps() {
    let text = "input a(p: Int in 0..9)\ninput c\noutput b\nprocess P {\n  init s0 {\n    ?a(p) [p > 2] -> s1\n    ?a(p) [p < 2] -> s1\n  }\n  \
                state s1 { ?a(_) -> s0 }\n}\n";
    let (findings, summary) = analyzed(text, &["--only", "input-gap"]);
    let messages: Vec<&str> = findings.iter().map(|f| f["message"].as_str().unwrap()).collect();
    assert_eq!(
        messages,
        [
            "in `s0`, `?c` is not specified",
            "in `s1`, `?c` is not specified",
            "in `s0`, `?a` is not specified for p = 2"
        ]
    );
    assert_eq!((&summary["information"], &summary["errors"]), (&3.into(), &0.into()));
}

/// Where a guard is undefined, that is a model error: nobody can say whether the input is specified.
#[test]
fn an_undefined_guard_is_no_input_gap() {
    let text = "input i(p: Int in 0..3)\noutput b\nprocess P {\n  var x: Int in 0..3 = 0\n  \
                init s0 { s: ?i(_) [1 div x > 0] -> s0  b: !b -> s0 }\n}\n";
    let (findings, _) = analyzed(text, &["--only", "input-gap,model-error"]);
    let kinds: Vec<&str> = findings.iter().map(|f| f["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["model-error"], "{findings:?}");
    // Where it is defined and false, there is a gap.
    let (findings, _) = analyzed(&text.replace("?i(_) [1 div x", "?i(p) [1 div p"), &["--only", "input-gap"]);
    assert_eq!(findings[0]["message"], "in `s0`, `?i` is not specified for p = 2 where x = 0", "{findings:?}");
}

/// `else` is plainly false where another switch is enabled, whatever is undefined elsewhere.
#[test]
fn an_undefined_value_is_not_the_error_of_an_else() {
    let text = "output o(q: Int in 0..3)\nprocess P {\n  init l0 {\n    s: !o(any q) [1 div q > 0] -> l0\n    \
                e: !o(0) [else] -> l1\n  }\n  state l1 { f: !o(1) -> l0 }\n  state l2 { g: !o(1) -> l0 }\n}\n";
    let (findings, _) = analyzed(text, &["--only", "model-error,unreachable"]);
    let wrong: Vec<&Value> = findings.iter().filter(|f| f["kind"] == "model-error").collect();
    assert_eq!(wrong.len(), 1, "{findings:?}");
    assert_eq!(wrong[0]["switches"], serde_json::json!(["s"]));
    let label = |switch: &str| {
        let it = findings.iter().find(|f| f["kind"] == "unreachable" && f["switches"][0] == switch);
        it.unwrap()["labels"][0]["text"].as_str().unwrap().to_owned()
    };
    assert_eq!(label("f"), "`l1` is never reached: no switch that leads there is ever taken");
    assert_eq!(label("g"), "no path leads to `l2`");
    // One that is always defined is asked first.
    let two = text.replace("s: !o(any q) [1 div q > 0]", "r: !o(3) [1 div n > 0] -> l0\n    s: !o(any q) [q > 1]");
    let two = two.replace("init l0", "var n: Int in 0..1 = 0\n  init l0");
    let (findings, _) = analyzed(&two, &["--only", "model-error"]);
    let switches: Vec<&Value> = findings.iter().map(|f| &f["switches"]).collect();
    assert_eq!(switches, [&serde_json::json!(["r"])], "{findings:?}");
}

#[test]
fn what_nobody_decides_is_said_to_be_open() {
    let text = "input a(p: Int, q: Int)\noutput b\noutput c\nprocess P {\n  var x: Int = 0\n  var y: Int = 0\n  \
                init s0 { ?a(p, q) [p > 1 && q > 1] / x := p, y := q -> s1 }\n  state s1 {\n    \
                one: !b [x * x * x + y * y * y == 114 * 1000003] -> s0\n    two: !b [x * y == 7000031] -> s0\n    \
                else_: !c -> s0\n  }\n}\n";
    let (findings, summary) = analyzed(text, &[]);
    let open = told(&findings);
    assert!(open.contains(&("unreachable", "undecided", "it is undecided whether `one` can be taken")), "{open:?}");
    assert!(open.iter().all(|(_, status, _)| *status == "undecided"), "{open:?}");
    assert!(findings.iter().filter(|f| f["status"] == "undecided").all(|f| f["reason"].is_string()));
    assert_eq!((&summary["deterministic"], &summary["errors"]), (&"undecided".into(), &0.into()));
    let text = "input a(p: String)\noutput b\noutput c\nprocess P {\n  var s: String = \"\"\n  init s0 { ?a(p) / s := p -> s1 }\n  \
                state s1 {\n    one: !b [len(s) > 3 && contains(s, \"xy\") && contains(s, \"zw\")] -> s0\n    two: !c -> s0\n  }\n}\n";
    for (kind, status, _) in told(&analyzed(text, &["--nodes", "20"]).0) {
        assert_eq!((kind, status), ("unreachable", "undecided"));
    }
}

#[test]
fn exit_codes() {
    let here = folder();
    let file = here.write("m.sts", CHOICE);
    sioco(&["analyze", &file]).exits(2).stdout_has("error[unsatisfiable-output]").stdout_has("analyzed ");
    sioco(&["analyze", &file, "--only", "deadlock"]).exits(0).stderr_is("");
    sioco(&["analyze", &file, "--only", "input-gap"]).exits(0).stdout_has("info[input-gap]: in `s1`, `?a`");
    sioco(&["analyze", &file, "--only", "input-gap", "--deny", "input-gap"]).exits(2);
    sioco(&["analyze", &file, "--only", "nonsense"]).exits(2).stderr_has("nondeterminism");
    sioco(&["analyze", "no-such-file.sts"]).exits(2).stdout_is("");
    sioco(&["analyze", &file, "--solver", "no-such-solver"]).exits(5).stdout_is("");
    sioco(&["analyze", &file, "--time", "0"]).stdout_has("not complete");
    sioco(&["analyze", &file, "--time", "0.5"]).exits(2).stdout_has("analyzed ");
    for (option, value, message) in [
        ("--time", "soon", "write a number of seconds, such as 20 or 0.5"),
        ("--patience", "-1", "write a number of seconds, such as 20 or 0.5"),
        ("--nodes", "0", "0 is not in 1..=4000000000"),
    ] {
        sioco(&["analyze", &file, option, value]).exits(2).stdout_is("").stderr_has(message).stderr_has(option);
    }
}

/// Ctrl-C ends the exploration; what there is by then is analysed and told.
#[cfg(unix)]
#[test]
fn an_interrupt_keeps_what_was_found() {
    let here = folder();
    // States without end, each harder to compare than the one before; and a deadlock near the start.
    let text = "input a(p: Int in 1..10)\noutput o\nprocess P {\n  var x: Int = 0\n  init s0 {\n    ?a(p) / x := x + p -> s0\n    \
                !o -> s1\n  }\n  state s1 { !o [x > 3] -> s0 }\n}\n";
    let file = here.write("m.sts", text);
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_sioco"))
        .args(["analyze", &file, "--solver", "builtin", "--nodes", "1000000", "--time", "600"])
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(std::time::Duration::from_secs(2));
    let kill = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    if !kill.is_ok_and(|status| status.success()) {
        // No such program here: nothing to show.
        child.kill().unwrap();
        child.wait().unwrap();
        return;
    }
    let output = child.wait_with_output().unwrap();
    let told = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(130), "{told}");
    assert!(told.contains("error[deadlock]: nothing can happen in `s1`") && told.contains("interrupted"), "{told}");
}

/// S1: what the figures are about.
#[test]
fn figures() {
    let (findings, _) = example("trace-figures/fig-3-05.sts");
    let found = told(&findings);
    assert!(found.contains(&("unreachable", "proved", "`s1?b` is never taken")), "{found:?}");
    let never = findings.iter().find(|f| f["kind"] == "unreachable").unwrap();
    let note = never["notes"][0].as_str().unwrap();
    assert!(note.contains("`_y#1 <= 5` and `_y#1 > 5`"), "{note}");
    for figure in ["11", "12"] {
        let (findings, summary) = example(&format!("trace-figures/fig-3-{figure}.sts"));
        let pairs = [("nondeterminism", "shown", "`left` and `right` are both possible")];
        assert_eq!(told(&findings), pairs);
        let shown = findings.iter().find(|f| f["kind"] == "nondeterminism").unwrap();
        assert_eq!(shown["witness"]["state"]["variables"]["x"], 5);
        assert_eq!(summary["deterministic"], "no");
    }
    // In these the system chooses by itself.
    for (figure, choices) in [("10", 1), ("13", 2), ("14", 1)] {
        let (findings, summary) = example(&format!("trace-figures/fig-3-{figure}.sts"));
        assert_eq!(told(&findings), [], "{figure}");
        assert_eq!((&summary["deterministic"], &summary["internal_choices"]), (&"no".into(), &choices.into()));
    }
}

/// S4: the cash machine of two processes is deterministic and has only controllable variables; the other one has not.
#[test]
fn cash_machines() {
    let (findings, summary) = example("atm/atm-two-processes.sts");
    assert_eq!(told(&findings), []);
    assert_eq!((&summary["deterministic"], &summary["controllable"]), (&"proved".into(), &"proved".into()));
    let (findings, summary) = example("atm/atm.sts");
    assert_eq!(told(&findings), []);
    assert_eq!((&summary["deterministic"], &summary["controllable"]), (&"proved".into(), &"no".into()));
}

#[test]
fn the_other_examples_are_clean() {
    for name in ["brp/brp.sts", "coffee/coffee.sts", "prepaid-card/spec.sts"] {
        let (findings, summary) = example(name);
        assert_eq!(told(&findings), [], "{name}");
        assert_eq!((&summary["complete"], &summary["deterministic"]), (&true.into(), &"proved".into()), "{name}");
    }
}
