//! `sioco simulate` with scripts, on the examples.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn simulate(args: &[&str], script: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_sioco"))
        .current_dir(project())
        .arg("simulate")
        .args(args)
        .env_remove("FORCE_COLOR")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    // A script that fails early closes its end; that is not this test's business.
    let _ = child.stdin.take().expect("piped").write_all(script.as_bytes());
    child.wait_with_output().expect("the program ends")
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("UTF-8")
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("UTF-8")
}

const ACCUMULATOR: &str = "examples/accumulator/accumulator.sts";

#[test]
fn a_script_steps_through_the_model() {
    let output = simulate(&[ACCUMULATOR], "// S0, example 18\nr0 6\n!outX(6)\n1 10\nr1\nwhy r2\n!done\ntrace\n");
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = stdout(&output);
    assert!(text.contains("`r2` is enabled"), "{text}");
    assert!(text.contains("the end: all locations are final"), "{text}");
    let trace = "r0: ?inX(6)\nr1: !outX(6)\nr0: ?inX(10)\nr1: !outX(16)\nr2: !done\n";
    assert!(text.ends_with(trace), "{text}");
    // The trace is a script again.
    let again = simulate(&[ACCUMULATOR], &format!("{trace}trace\n"));
    assert!(stdout(&again).ends_with(trace));
}

#[test]
fn what_is_not_enabled_is_explained_and_ends_the_script() {
    for (script, line, reason) in [
        ("r0 6\n!outX(7)\n", 2, "`p` is 6 here, not 7"),
        ("r0 6\n!done\n", 2, "allowed here: !outX(p = 6)"),
        ("hlep\n", 1, "did you mean `help`?"),
        ("inX\n", 1, "`inX` is a gate: write `inX(…)`"),
        ("set x=1\n", 1, "`x` is not a variable that is free at the start"),
        ("r0 11\n", 1, "`p <= 10` is false (p = 11)"),
        ("r2\n", 1, "`x > 15` is false (x = 0)"),
        ("r1\n", 1, "it starts in `l1`, but we are in `l0`"),
        ("r0 true\n", 1, "`true` is not a value of type `Int`"),
        ("9\n", 1, "there is no option 9; there are 1"),
        ("undo\n", 1, "there is nothing to undo"),
        ("?outX(1)\n", 1, "`outX` is an output: write `!outX`"),
        ("?inx(1)\n", 1, "did you mean `inX`?"),
        ("r0 6\ndelta\n", 2, "silence is not allowed here: `r1` is enabled"),
        ("r0 q=1\n", 1, "there is no parameter `q`; there are: p"),
    ] {
        let output = simulate(&[ACCUMULATOR], script);
        assert_eq!(output.status.code(), Some(2), "{script}");
        let text = stderr(&output);
        assert!(text.contains(reason), "{script}\n{text}");
        assert!(text.contains(&format!("line {line} of the script")), "{script}\n{text}");
    }
}

#[test]
fn undo_and_reset_go_back() {
    let output = simulate(&[ACCUMULATOR], "r0 6\nr1\nundo\nstate\nr1\nr0 3\nundo 2\nstate\nreset\nstate\n");
    let text = stdout(&output);
    let states: Vec<&str> = text.lines().filter(|l| l.starts_with('l')).collect();
    // Each step shows the state; `state` shows it once more.
    assert_eq!(states[3..5], ["l1, x = 6", "l1, x = 6"], "{text}");
    assert_eq!(states.last(), Some(&"l0, x = 0"));
}

#[test]
fn two_processes_shake_hands() {
    let script = "?amount(5)\nwhy forward\nput 9\nforward\nallow\n!cash(5)\nwhy receive\n";
    let output = simulate(&["examples/atm/atm-two-processes.sts"], script);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = stdout(&output);
    let nobody = "no other process takes the other half of the handshake here";
    assert_eq!(text.matches(nobody).count(), 2, "{text}");
    assert!(text.contains("InternalSystem.m = 4"), "{text}");
    assert!(stderr(&output).contains("`UserInterface.x` is free at the start: 0 is taken"), "{}", stderr(&output));
}

#[test]
fn free_variables_can_be_set() {
    let model = "examples/atm/atm.sts";
    let output = simulate(&[model, "--set", "m=7", "--set", "cp=1"], "?check\n!screen(Balance(7))\n");
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    for (set, message) in
        [("k=1", "`k` is not a variable that is free at the start; these are: m, cp, x"), ("m=x", "`x` is not a value")]
    {
        let output = simulate(&[model, "--set", set], "");
        assert_eq!(output.status.code(), Some(2));
        assert!(stderr(&output).contains(message), "{}", stderr(&output));
    }
}

#[test]
fn a_saved_trace_runs_again_with_its_values_at_the_start() {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("saved-trace.txt");
    let model = "examples/atm/atm.sts";
    let script = format!("?check\n!screen(Balance(7))\nsave {}\n", file.display());
    let output = simulate(&[model, "--set", "m=7"], &script);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let saved = std::fs::read_to_string(&file).expect("saved");
    assert!(saved.contains("set m=7, cp=0, x=0"), "{saved}");
    assert_eq!(simulate(&[model], &saved).status.code(), Some(0));
}

#[test]
fn a_model_error_names_its_place_and_leaves_the_rest_usable() {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("undefined.sts");
    let text = "input a(v: Int)\noutput b(x: Int)\nprocess P {\n  var v: Int = 0\n  init l {\n    ?a(w) / v := w -> m\n  }\n  state m {\n    tell: !b(1 div v) -> l\n    back: tau -> l\n  }\n}\n";
    std::fs::write(&file, text).expect("written");
    let name = file.display().to_string();
    let output = simulate(&[&name], "?a(0)\nwhy tell\nback\n?a(1)\n!b(1)\n");
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = stdout(&output);
    assert!(text.contains("undefined.sts:9:14: the argument `x` of `tell` is undefined: division by zero"), "{text}");
    assert!(text.contains("`tell` is not enabled: model error"), "{text}");
}

#[test]
fn people_read_what_they_wrote() {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("words.sts");
    let text = "input a(v: Int)\noutput b(x: Int)\nconst MAX = 3\nfun twice(n: Int): Int = n + n\nprocess P {\n  var v: Int = 0\n  init l {\n    in_: ?a(w) [w < 9 && twice(MAX) > v] / v := w -> l\n    tell: !b(MAX - v) [v > MAX] -> l\n    rest: tau [else] / v := 8 -> l\n  }\n}\n";
    std::fs::write(&file, text).expect("written");
    let name = file.display().to_string();
    let output = simulate(&[&name], "a(6)\nwhy in_ 6\nwhy ?a(9)\nwhy tell\nwhy rest\n");
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = stdout(&output);
    assert!(text.contains("!b(MAX - v)"), "{text}");
    assert!(text.contains("`twice(MAX) > v` is false (v = 6)"), "{text}");
    assert!(text.contains("`w < 9` is false (w = 9)"), "{text}");
    assert!(text.contains("another switch of this location is enabled, so `else` is not"), "{text}");
}

#[test]
fn the_same_seed_gives_the_same_walk() {
    let walk = |seed: &str| stdout(&simulate(&["examples/brp/brp.sts", "--seed", seed], "random 50\ntrace\n"));
    assert_eq!(walk("1"), walk("1"));
    assert_ne!(walk("1"), walk("2"));
}

#[test]
fn programs_get_json() {
    let output = simulate(&[ACCUMULATOR, "--format", "json"], "r0 6\nr0 6\n");
    assert_eq!(output.status.code(), Some(2));
    let lines: Vec<serde_json::Value> =
        stdout(&output).lines().map(|l| serde_json::from_str(l).expect("JSON")).collect();
    assert_eq!(lines.len(), 3);
    assert_eq!(lines[0]["options"][0]["switch"], "r0");
    assert_eq!(lines[1]["variables"]["x"], 6);
    assert_eq!(lines[1]["delta"], "not allowed");
    assert!(lines[2]["error"].as_str().expect("text").contains("it starts in `l0`"));
}

#[test]
fn every_example_can_be_walked() {
    let mut walked = 0;
    for folder in std::fs::read_dir(project().join("examples")).expect("examples").flatten() {
        let Ok(files) = std::fs::read_dir(folder.path()) else { continue };
        for file in files.flatten().map(|f| f.path()) {
            if file.extension().is_none_or(|e| e != "sts") || file.file_name().is_some_and(|n| n == "common.sts") {
                continue;
            }
            let output = simulate(&[&file.display().to_string(), "--seed", "5"], "random 100\n");
            assert_eq!(output.status.code(), Some(0), "{}\n{}", file.display(), stderr(&output));
            walked += 1;
        }
    }
    assert!(walked >= 30, "{walked} examples");
}

#[test]
fn odd_scripts_do_no_harm() {
    for script in
        ["\u{0}\u{1}\n", "((((\n", "random 99999999999999999999\n", "save\n", "r0 \"\n", "why\n", "!\n", "?é(1)\n"]
    {
        let output = simulate(&[ACCUMULATOR], script);
        assert_eq!(output.status.code(), Some(2), "{script:?}");
        assert!(!stderr(&output).contains("panicked"), "{script:?}");
    }
}
