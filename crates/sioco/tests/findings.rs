//! How findings of `sioco analyze` are told: traces that are replayed, denied kinds, places, names, pages.

// Lints know tests by their attribute, which helpers do not have.
#![allow(clippy::unwrap_used)]

// Each test program uses a part of it.
#[allow(dead_code)]
mod support;

use serde_json::Value;
use support::{Folder, sioco, sioco_with_input};

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

const SYSTEM: &str = "\
channel c(n: Int in 0..9)
input a(p: Int in 0..9)
output o(q: Int in 0..9)
process A {
  var x: Int in 0..9 = any
  var z: Int in 0..12 = 0
  init a0 { ?a(p) / z := p + x -> a1 }
  state a1 { give: send c(x) -> a2 }
  state a2 { !o(z) -> a0 }
}
process B { init b0 { take: recv c(n) [n < 7] -> b0 } }
system S = A || B
";

const HANDSHAKE: &str = "\
channel c(n: Int)
input a(p: Int in 0..9)
process A {
  var x: Int in 0..9 = 1
  init a0 {
    put: ?a(p) / x := p -> a0
    give: send c(10 div x) -> a0
  }
}
process B { init b0 { take: recv c(n) -> b0 } }
system S = A || B
";

const BOTH: &str = "\
input a(p: Int in 0..9)
output b(q: Int)
output r(v: Real tolerance 0.5)
process P {
  var x: Int = 0
  init s0 {
    low:  ?a(p) [p <= 5] / x := p -> s1
    high: ?a(p) [p >= 5 && p < 9] -> s0
  }
  state s1 {
    one: !b(x + 1) -> s0
    two: !b(any q) [q > 3] -> s0
    here: !r(1.0) -> s0
    there: !r(1.9) -> s0
  }
}
";

fn analyzed(folder: &Folder, text: &str, options: &[&str]) -> (String, Vec<Value>, Value) {
    let file = folder.write("m.sts", text);
    let mut args = vec!["analyze", file.as_str(), "--solver", "builtin", "--format", "json"];
    args.extend(options);
    let mut lines: Vec<Value> = sioco(&args).stdout.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    let summary = lines.pop().unwrap();
    lines.retain(|l| l["type"] == "finding");
    (file, lines, summary)
}

/// Every script leads to its finding and shows it: what happens is done, what cannot happen is asked about.
#[test]
fn scripts_lead_to_the_thing_itself() {
    let mut kinds = Vec::new();
    for (name, text) in [("errors", ERRORS), ("system", SYSTEM), ("handshake", HANDSHAKE), ("both", BOTH)] {
        let folder = Folder::new(&format!("findings-replay-{name}"));
        let traces = folder.path("traces");
        let (file, findings, _) = analyzed(&folder, text, &["--witness", &traces]);
        for finding in findings.iter().filter(|f| f["witness"].is_object()) {
            let kind = finding["kind"].as_str().unwrap();
            let script = std::fs::read_to_string(finding["script"].as_str().unwrap()).unwrap();
            let run = sioco_with_input(&["simulate", &file, "--format", "json"], script.as_bytes());
            run.exits(0);
            let objects: Vec<Value> = run.stdout.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
            if finding["status"] == "undecided" {
                assert!(script.ends_with("// the undecided question is here\n"), "{script}");
                continue;
            }
            // The state before the thing itself.
            let state = &finding["witness"]["state"];
            let is_there = |o: &&Value| o["locations"] == state["locations"] && o["variables"] == state["variables"];
            let before = objects.iter().rfind(is_there).unwrap_or_else(|| panic!("{script}\n{}", run.stdout));
            let said: Vec<&str> = objects.iter().filter_map(|o| o["message"].as_str()).collect();
            let said = said.join("\n");
            let steps: Vec<&str> = objects.iter().filter_map(|o| o["step"].as_str()).collect();
            match kind {
                "model-error" => assert!(said.contains(finding["message"].as_str().unwrap()), "{script}\n{said}"),
                "deadlock" => {
                    assert_eq!(before["options"], serde_json::json!([]));
                    assert!(said.contains("is not enabled"), "{said}");
                }
                "input-gap" => assert!(said.contains("is not possible here"), "{script}\n{said}"),
                "nondeterminism" => {
                    for name in finding["switches"].as_array().unwrap() {
                        let start = format!("{}: ", name.as_str().unwrap());
                        assert!(steps.iter().any(|s| s.starts_with(&start)), "{script}");
                    }
                }
                "divergence" => {
                    let cycle: Vec<&str> =
                        finding["cycle"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
                    assert!(steps.ends_with(&cycle), "{steps:?}");
                }
                other => panic!("{other}"),
            }
            kinds.push((name, kind.to_owned()));
        }
    }
    let count = |kind: &str| kinds.iter().filter(|(_, k)| k == kind).count();
    assert_eq!([count("model-error"), count("deadlock"), count("nondeterminism")], [7, 1, 3], "{kinds:?}");
    assert!(count("input-gap") >= 3, "{kinds:?}");
}

#[test]
fn what_is_replayed_on_the_command_line_has_no_comments() {
    let folder = Folder::new("findings-command");
    let file = folder.write("m.sts", ERRORS);
    let run = sioco(&["analyze", &file, "--only", "model-error"]);
    run.exits(2).stdout_has("printf '%s\\n' 'why add 11' | sioco simulate ").stdout_has("'add: ?a(3)' 'why quo' | ");
}

#[test]
fn denied_findings_are_errors() {
    let folder = Folder::new("findings-denied");
    let file = folder.write("m.sts", BOTH);
    let plain = sioco(&["analyze", &file, "--only", "nondeterminism,input-gap"]);
    plain.exits(0).stdout_has("warning[nondeterminism]").stdout_has(": 3 warnings, 2 for information\n");
    let args = ["analyze", &file, "--only", "nondeterminism,input-gap", "--deny", "input-gap"];
    let run = sioco(&args);
    run.exits(2)
        .stdout_has("error[input-gap]: in `s0`, `?a` is not specified for p = 9")
        .stdout_has("note: an error because of `--deny input-gap`")
        .stdout_has(": 2 errors (2 denied), 3 warnings\n");
    let places = ["error[input-gap]", "warning[nondeterminism]"].map(|t| run.stdout.find(t).unwrap());
    assert!(places[0] < places[1], "the worst come first");
    let (_, findings, summary) = analyzed(&folder, BOTH, &["--deny", "nondeterminism"]);
    assert_eq!((&summary["errors"], &summary["denied"]), (&3.into(), &3.into()));
    for finding in findings {
        let is_denied = finding["kind"] == "nondeterminism";
        assert_eq!(finding["denied"], is_denied);
        assert_eq!(finding["severity"] == "error", is_denied);
    }
    // What is an error anyway is not denied.
    let (_, findings, summary) = analyzed(&folder, ERRORS, &["--deny", "model-error"]);
    assert!(findings.iter().all(|f| f["denied"] == false));
    assert_eq!(summary["denied"], 0);
}

#[test]
fn nothing_is_denied_in_vain() {
    let folder = Folder::new("findings-vain");
    let file = folder.write("m.sts", BOTH);
    let run = sioco(&["analyze", &file, "--only", "deadlock", "--deny", "deadlock,input-gap"]);
    run.exits(2)
        .stdout_is("")
        .stderr_has("`--deny input-gap` denies nothing: `--only deadlock` does not look for it")
        .stderr_has("write `--only deadlock,input-gap`");
}

#[test]
fn every_finding_names_its_place() {
    for text in [ERRORS, SYSTEM, HANDSHAKE, BOTH] {
        let folder = Folder::new("findings-places");
        let (file, findings, _) = analyzed(&folder, text, &[]);
        for finding in &findings {
            assert!(finding["line"].as_u64().is_some_and(|n| n > 0), "{finding}");
        }
        let told = sioco(&["analyze", &file, "--solver", "builtin"]).stdout;
        for line in told.lines().filter(|l| l.starts_with("info[")) {
            assert!(line.contains("m.sts:"), "{line}");
        }
        let places = told.lines().filter(|l| l.trim_start().starts_with("╭▸ ")).count();
        assert_eq!(places, findings.iter().filter(|f| f["severity"] != "information").count(), "{told}");
    }
}

#[test]
fn a_parameter_and_a_variable_of_one_name_are_told_apart() {
    let folder = Folder::new("findings-names");
    let text = "input a(x: Int in 0..3)\nprocess P {\n  var x: Int in 0..5 = 3\n  var y: Int in 0..1 = 0\n  \
                init s0 { in_: ?a(p) [p > 0] / x := x + p -> s0 }\n}\n";
    let (_, findings, _) = analyzed(&folder, text, &[]);
    let gap = findings.iter().find(|f| f["kind"] == "input-gap").unwrap()["message"].as_str().unwrap();
    assert_eq!(gap, "in `s0`, `?a` is not specified for the parameter x = 0 where the variable x = 3, y = 0");
    let error = findings.iter().find(|f| f["kind"] == "model-error").unwrap();
    assert_eq!(error["notes"][0], "for the parameter x = 3, where the variable x = 3, y = 0");
    let other = text.replace("a(x:", "a(z:");
    let (_, findings, _) = analyzed(&folder, &other, &["--only", "input-gap"]);
    assert_eq!(findings[0]["message"], "in `s0`, `?a` is not specified for z = 0 where x = 3, y = 0");
}

#[test]
fn the_simulator_tells_them_apart_as_well() {
    let folder = Folder::new("findings-simulator");
    let text = "output o(x: Int)\noutput other(z: Int)\nprocess P {\n  var x: Int = 1\n  var y: Int = 2\n  \
                init s { tell: !o(y) -> s  more: !other(y) -> s }\n}\n";
    let file = folder.write("m.sts", text);
    let run = sioco_with_input(&["simulate", &file], b"why tell 1\nwhy more 1\n");
    run.exits(0).stdout_has(": the parameter `x` is 2 here, not 1\n").stdout_has(": `z` is 2 here, not 1\n");
}

#[test]
fn the_folder_for_traces_is_looked_at_first() {
    let folder = Folder::new("findings-folder");
    let file = folder.write("m.sts", ERRORS);
    let taken = folder.write("taken", "mine");
    let run = sioco(&["analyze", &file, "--witness", &taken]);
    run.exits(2).stdout_is("").stderr_has("that is a file, not a folder").stderr_has("name a folder");
    assert_eq!(std::fs::read_to_string(&taken).unwrap(), "mine");
    // What an earlier run left does not stay; what others wrote does.
    let traces = folder.folder("traces");
    sioco(&["analyze", &file, "--witness", &traces]).exits(2);
    let names = || {
        let entries = std::fs::read_dir(&traces).unwrap();
        let mut names: Vec<String> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    };
    assert!(names().contains(&"model-error-4.txt".to_owned()), "{:?}", names());
    folder.write("traces/deadlock-7.txt", "notes of somebody");
    folder.write("traces/mine.txt", "// run again: sioco simulate x\n");
    let good = folder.write("good.sts", "output o\nprocess P { init s { !o -> s } }\n");
    sioco(&["analyze", &good, "--witness", &traces]).exits(0);
    assert_eq!(names(), ["deadlock-7.txt", "mine.txt"]);
}

/// The examples of the pages: the wrong one has a finding of the kind, the right one none.
#[test]
fn every_kind_has_a_page_with_examples() {
    let kinds = sioco_symbolic::analysis::Kind::ALL.map(|kind| kind.name());
    let list = sioco(&["explain"]);
    for kind in kinds {
        list.stdout_has(&format!("\n{kind}  "));
        sioco(&["explain", kind]).exits(0).stderr_is("").stdout_has(&format!("[{kind}]\n"));
        let run = sioco(&["explain", &kind.to_uppercase(), "--format", "json"]);
        let object: Value = serde_json::from_str(&run.exits(0).stdout).unwrap();
        assert_eq!(object["kind"], kind);
        let page = object["explanation"].as_str().unwrap();
        let folder = Folder::new(&format!("findings-page-{kind}"));
        for (fence, expected) in [("```sts wrong\n", true), ("```sts right\n", false)] {
            let text = page.split(fence).nth(1).unwrap().split("```").next().unwrap();
            let check = folder.write("page.sts", text);
            sioco(&["check", &check]).exits(0);
            sioco(&["fmt", "--check", &check]).exits(0);
            let (_, findings, _) = analyzed(&folder, text, &["--only", kind]);
            let sure = ["shown", "proved"].map(Value::from);
            let found =
                findings.iter().any(|f| f["gates"] != serde_json::json!(["ask"]) && sure.contains(&f["status"]));
            // Which inputs are missing altogether is told as well.
            let found = found && (kind != "input-gap" || findings.iter().any(|f| f["witness"].is_object()));
            assert_eq!(found, expected, "{kind}: {text}\n{findings:?}");
            if !expected {
                // Nor is another defect shown as the right way.
                sioco(&["analyze", &check]).exits(0);
            }
        }
    }
    sioco(&["explain", "deadlok"]).exits(2).stderr_has("did you mean `deadlock`?");
}

#[test]
fn determinism_is_not_claimed_where_a_guard_is_undefined() {
    let text = "input a(p: Int in 0..9)\noutput o\nprocess P {\n  init s0 {\n    one: ?a(p) [10 div p > 3] -> s1\n    \
                two: ?a(p) [p == 0] -> s0\n  }\n  state s1 { fin: !o -> s0 }\n}\n";
    let folder = Folder::new("findings-undefined");
    let deterministic = |text: &str| analyzed(&folder, text, &["--only", "nondeterminism"]).2["deterministic"].clone();
    assert_eq!(deterministic(text), "undecided");
    let file = folder.write("m.sts", text);
    sioco(&["analyze", &file]).stdout_has("deterministic  not decided: the guard of `one` can be undefined\n");
    // Where the other is ruled out, or the guard is never undefined, it does not matter.
    assert_eq!(deterministic(&text.replace("p == 0", "p == 9")), "proved");
    assert_eq!(deterministic(&text.replace("10 div p", "p > 0 && 10 div p")), "proved");
    assert_eq!(deterministic(&text.replace("p == 0", "p >= 1 && p <= 2")), "no");
    // The same where the exploration has no end.
    let endless =
        text.replace("process P {", "process P {\n  var n: Int = 0").replace("[p == 0]", "[p == 0] / n := n + 1");
    let endless = endless.replace("fin: !o", "fin: !o [n < 5000]");
    assert_eq!(deterministic(&endless), "undecided");
}

#[test]
fn only_conditions_that_exclude_something_take_control() {
    let folder = Folder::new("findings-control");
    let model = |guard: &str, range: &str| {
        format!(
            "input a(p: Int in 0..9)\nprocess P {{\n  var x: Int in 0..9 = any\n  var y: Int in {range} = 0\n  \
             init s0 {{ one: ?a(p) {guard} / y := x + p -> s1 }}\n  state s1 {{ two: ?a(_) -> s1 }}\n}}\n"
        )
    };
    let controllable = |text: &str| analyzed(&folder, text, &["--only", "nondeterminism"]).2["controllable"].clone();
    for (guard, range, expected) in [
        ("", "0..18", "proved"),
        ("[x >= 0]", "0..18", "proved"),
        ("", "0..17", "no"),
        ("[p < 9]", "0..17", "proved"),
        ("[x > 3]", "0..18", "no"),
        // Each follows from the other, but not from the rest.
        ("[x > 3 && x >= 4]", "0..18", "no"),
    ] {
        assert_eq!(controllable(&model(guard, range)), expected, "{guard} {range}");
    }
    // Here the first step says what the second one checks.
    let later = "input a(p: Int in 0..9)\nprocess P {\n  var x: Int in 0..9 = any\n  var y: Int in 0..9 = 0\n  \
                 init s0 { one: ?a(p) / y := p -> s1 }\n  state s1 { two: ?a(_) [x + y <= 18] -> s1 }\n}\n";
    assert_eq!(controllable(later), "proved");
}

/// The kinds that were found, each with its status.
fn found(folder: &Folder, text: &str) -> Vec<(String, String)> {
    let (_, findings, _) = analyzed(folder, text, &[]);
    let word = |f: &Value, key: &str| f[key].as_str().unwrap().to_owned();
    let kept = findings.iter().filter(|f| f["kind"] != "input-gap");
    kept.map(|f| (word(f, "kind"), word(f, "status"))).collect()
}

#[test]
fn an_undefined_guard_is_no_deadlock() {
    let folder = Folder::new("findings-undefined");
    let text = "output o\nprocess P {\n  var x: Int = 0\n  init a { f: !o [1 div x > 0] -> a }\n}\n";
    let found = found(&folder, text);
    assert!(found.iter().any(|(kind, _)| kind == "model-error"), "{found:?}");
    assert!(!found.iter().any(|(kind, _)| kind == "deadlock"), "{found:?}");
}

/// A trace names its switches, so that another guard that is undefined does not matter.
#[test]
fn a_trace_goes_past_a_guard_that_is_undefined() {
    let folder = Folder::new("findings-past");
    let traces = folder.path("traces");
    let text = "output o\nprocess P {\n  var x: Int = 0\n  init a {\n    f: !o [1 div x > 0] -> a\n    g: !o -> b\n  }\n  \
                state b { h: !o [x > 1] -> b }\n}\n";
    let (file, findings, _) = analyzed(&folder, text, &["--witness", &traces]);
    let deadlock = findings.iter().find(|f| f["kind"] == "deadlock").unwrap();
    let script = std::fs::read_to_string(deadlock["script"].as_str().unwrap()).unwrap();
    let run = sioco_with_input(&["simulate", &file], script.as_bytes());
    run.exits(0);
    assert!(run.stdout.contains("deadlock: nothing can happen here"), "{}", run.stdout);
}

#[test]
fn what_cannot_be_replayed_is_not_shown() {
    let folder = Folder::new("findings-large");
    let text = "input a\nprocess P {\n  var x: Int = 2\n  var n: Int = 0\n  \
                init l { sq: ?a [n < 30] / x := x * x, n := n + 1 -> l }\n}\n";
    let found = found(&folder, text);
    let deadlocks: Vec<_> = found.iter().filter(|(kind, _)| kind == "deadlock").collect();
    assert!(deadlocks.iter().all(|(_, status)| status == "undecided") && !deadlocks.is_empty(), "{found:?}");
}

#[test]
fn values_may_come_back_after_several_rounds() {
    let folder = Folder::new("findings-rounds");
    let text = "input i\nprocess P {\n  var x: Int in 0..5 = any\n  init l {\n    \
                t: tau [x < 5] / x := (x + 1) mod 3 -> l\n    u: ?i -> l\n  }\n}\n";
    assert_eq!(found(&folder, text), [("divergence".to_owned(), "shown".to_owned())]);
}

#[test]
fn a_variable_with_one_value_is_not_free() {
    let folder = Folder::new("findings-one-value");
    let text =
        "input i(p: Int in 0..3)\nprocess P {\n  var v: Int in 0..0 = any\n  init l { a: ?i(p) [p == v] -> l }\n}\n";
    assert_ne!(analyzed(&folder, text, &["--only", "nondeterminism"]).2["controllable"], "no");
}
