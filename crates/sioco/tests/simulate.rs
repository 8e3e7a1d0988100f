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
        .env_remove("SIOCO_SOLVER")
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
        ("r1\n", 1, "it starts in `l1`, but the process is in `l0`"),
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
fn a_value_that_does_not_fit_says_which_part() {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("record.sts");
    let text = "type Rec = { a: Int in 0..9, b: Bool }\ninput i(r: Rec)\nprocess P { init l { e: ?i(_) -> l } }\n";
    std::fs::write(&file, text).expect("written");
    let output = simulate(&[&file.display().to_string()], "e Rec { a: 99, b: false }\n");
    assert!(stderr(&output).contains("in `a`: 99 is outside of `Int in 0..9`"), "{}", stderr(&output));
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
    let nobody = "no other process is ready for the handshake here";
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
    assert!(text.contains("`tell` cannot be taken: model error"), "{text}");
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

/// A model that takes a solver, in a file of its own.
fn model(name: &str, text: &str) -> String {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&file, text).expect("written");
    file.display().to_string()
}

/// Whether there is a Z3; if not, the test says that it is skipped.
fn z3() -> bool {
    let found = sioco_solve::BackEnd::Z3.open();
    if let Err(why) = &found {
        eprintln!("skipped: {why}");
    }
    found.is_ok()
}

const SQUARES: &str = "\
input give(p: Int)
input word(s: String)
input list(q: Seq<Int>)
output root(p: Int)
output cube(p: Int)
process P {
  var x: Int = 49
  var t: String = \"ab\"
  init l {
    seven: ?give(p) [p mod 7 == 3 && p > x * 2] / x := p -> l
    less:  ?give(p) [p < 0] / x := p -> l
    text:  ?word(s) [s ++ \"b\" == t] -> l
    seq:   ?list(q) [len(q) == 2 && q[0] + q[1] == 5 && q[0] * q[1] == 6 && q[0] < q[1]] -> l
    half:  ?give(p) [x div p == 7 && p * p > 50 && p < 1000] -> l
    never: ?give(p) [p * p < 10 && p > -100 && p * p * p > 100] -> l
    root:  !root(any p) [p * p == x] -> l
    quiet: tau [else] -> m
  }
  state m {
    cube: !cube(any p) [p * p * p + 3 * p * p == 1000000007 && p > x] -> l
  }
}
";

#[test]
fn values_are_solved_for() {
    if !z3() {
        return;
    }
    let file = model("squares.sts", SQUARES);
    let script = "why seven 3\nwhy text\nwhy never\nwhy half\nwhy root 6\nwhy quiet\n\
                  text\nseq\nroot\n?give(-1)\nwhy root\nquiet\ndelta\nwhy cube\ntrace\n";
    let output = simulate(&[&file, "--solver", "z3"], script);
    assert_eq!(output.status.code(), Some(0), "{}{}", stdout(&output), stderr(&output));
    let text = stdout(&output);
    for line in [
        "?give(p)  e.g. p = 101",
        "?word(s)  e.g. s = \"a\"",
        "?list(q)  e.g. q = [2, 3]",
        "!root(any p)  e.g. p = 7",
        "`seven` is not enabled: `p > x * 2` is false (x = 49, p = 3)",
        "`text` is enabled, for example for s = \"a\"",
        "`never` is not enabled: no values make `p * p < 10` and `p * p * p > 100` true together",
        "`half` is not enabled: no values make `x div p == 7` and `p * p > 50` true together (x = 49); \
         for other values, it cannot be taken: model error at ",
        "`root` is not enabled: `p * p == x` is false (p = 6, x = 49)",
        "`quiet` is not enabled: another switch of this location is enabled, so `else` is not",
        "`root` is not enabled: no values make `p * p == x` true (x = -1)",
        // Nothing is left to do in `m`, and a solver knows it.
        "delta: silence is allowed",
        "deadlock: nothing can happen here",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
    let trace = "text: ?word(\"a\")\nseq: ?list([2, 3])\nroot: !root(7)\nless: ?give(-1)\nquiet\ndelta\n";
    assert!(text.ends_with(trace), "{text}");
    assert!(!text.contains("unknown"), "{text}");
    let refused = simulate(&[&file], "?give(102)\n");
    assert!(stderr(&refused).contains("`p mod 7 == 3` is false (p = 102)"), "{}", stderr(&refused));
}

#[test]
fn without_a_solver_the_undecided_is_unknown() {
    let file = model("squares-builtin.sts", SQUARES);
    let built_in = "the built-in solver cannot decide it, and no other solver was allowed";
    let output = simulate(&[&file, "--solver", "builtin"], "why text\nwhy never\nwhy quiet\n!root(7)\n?word(\"a\")\n");
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = stdout(&output);
    assert!(text.contains("?give(p)  unknown"), "{text}");
    // What has few values to try is decided.
    assert!(text.contains("`text` is enabled, for example for s = \"a\""), "{text}");
    assert!(text.contains(&format!("it is unknown whether `never` is enabled: {built_in}")), "{text}");
    // Said once for all of them, not with each.
    assert!(text.contains(&format!("      unknown: {built_in}")), "{text}");
    // Values that are given need no solver.
    assert!(text.contains("text: ?word(\"a\")"), "{text}");
    // In `m` nothing is known to be possible, and that is all that is said.
    let only = "output cube(p: Int)\nprocess P {\n  init m {\n    cube: !cube(any p) [p * p * p + 3 * p * p == 1000000007] -> m\n  }\n}\n";
    let file = model("cube.sts", only);
    let output = simulate(&[&file, "--solver", "builtin"], "random 3\n");
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = stdout(&output);
    assert!(text.contains("nothing more is known to be possible: it is unknown whether `cube` is enabled"), "{text}");
    assert!(text.contains("delta: unknown whether silence is allowed"), "{text}");
    assert!(!text.contains("deadlock"), "{text}");
    let output = simulate(&[&file, "--solver", "builtin"], "delta\n");
    assert!(stderr(&output).contains("whether silence is allowed here is unknown, because of `cube`: the built-in"));
    let output = simulate(&[&file, "--solver", "builtin", "--format", "json"], "");
    let object: serde_json::Value = serde_json::from_str(&stdout(&output)).expect("JSON");
    assert_eq!(object["delta"], "unknown");
    assert!(object["delta_unknown"].as_str().expect("text").starts_with(built_in));
    assert!(object["options"][0]["unknown"].as_str().expect("text").starts_with(built_in));
}

#[test]
fn values_are_chosen_as_asked_for() {
    let text = "input give(p: Int in 1..100)\ninput any_(p: Int)\nprocess P {\n  var x: Int = 0\n  init l {\n    some: ?give(p) [p != 1 && p < 51] / x := p -> l\n    every: ?any_(p) [p != x] / x := p -> l\n  }\n}\n";
    let file = model("chosen.sts", text);
    for (values, some) in [("min", 2), ("max", 50), ("middle", 26)] {
        let output = simulate(&[&file, "--values", values, "--solver", "builtin"], "some\n");
        assert!(stdout(&output).contains(&format!("some: ?give({some})")), "{values}\n{}", stdout(&output));
    }
    // A side without an end has no such value, and that is said.
    for (values, without) in [("min", "no least value"), ("max", "no greatest value"), ("middle", "no middle")] {
        let text = stdout(&simulate(&[&file, "--values", values, "--solver", "builtin"], ""));
        assert!(text.contains(&format!("?any_(p)  e.g. p = 1 ({without})")), "{text}");
        assert!(text.matches("no ").count() == 1, "{text}");
    }
    let output = simulate(&[&file, "--values", "boundary", "--solver", "builtin"], "some\n");
    assert!(["(50)", "(2)"].iter().any(|v| stdout(&output).contains(v)), "{}", stdout(&output));
    // Drawn from a set without end: the same for a seed.
    for more in [&[][..], &["--values", "random"]] {
        let walk = |seed: &str| {
            let args: Vec<&str> = [&file, "--seed", seed].into_iter().chain(more.iter().copied()).collect();
            stdout(&simulate(&args, "random 20\ntrace\n"))
        };
        assert_eq!(walk("1"), walk("1"));
        assert_ne!(walk("1"), walk("2"));
        let drawn = walk("3");
        let drawn: std::collections::BTreeSet<&str> = drawn.lines().filter(|l| l.starts_with("every: ")).collect();
        assert!(drawn.len() > 3, "{drawn:?}");
    }
}

#[test]
fn hidden_choices_and_handshakes_are_solved_for() {
    if !z3() {
        return;
    }
    let text = "output done(n: Int)\nchannel c(n: Int)\nprocess A {\n  var x: Int = 0\n  init l {\n    pick: tau any k: Int [k * k * k - k == 0] / x := k -> m\n  }\n  state m {\n    over: send c(x) -> n\n  }\n  state n {\n    tell: !done(x) -> n\n  }\n}\nprocess B {\n  var y: Int = 5\n  init l {\n    take: recv c(v) [v * v == v] / y := v -> l\n  }\n}\nsystem S = A || B\n";
    let file = model("hidden.sts", text);
    let output = simulate(&[&file, "--solver", "z3"], "pick 1\nover & take\n!done(1)\n");
    assert_eq!(output.status.code(), Some(0), "{}{}", stdout(&output), stderr(&output));
    let output = simulate(&[&file, "--solver", "z3"], "pick 2\n");
    assert!(stderr(&output).contains("is false (k = 2)"), "{}", stderr(&output));
    // Three hidden choices, and never silence.
    let output = simulate(&[&file, "--solver", "z3"], "delta\n");
    assert!(stderr(&output).contains("silence is not allowed here: `A.pick` is enabled"), "{}", stderr(&output));
}

#[cfg(unix)]
#[test]
fn a_solver_that_is_missing_or_broken_is_named() {
    let file = model("squares-broken.sts", SQUARES);
    let output = simulate(&[&file, "--solver", "sioco-no-such-solver -in"], "");
    assert_eq!(output.status.code(), Some(5));
    assert!(stdout(&output).is_empty());
    let text = stderr(&output);
    assert!(text.contains("the solver `sioco-no-such-solver -in` failed: `sioco-no-such-solver` is not on the path"));
    assert!(text.contains("sioco doctor"), "{text}");
    let broken = [
        ("sh -c 'exit 3'", "it ended (exit status: 3)"),
        ("sh -c 'echo oh no'", "oh no"),
        ("sh -c 'exec sleep 1000'", "it printed nothing in its first"),
    ];
    let file = file.as_str();
    std::thread::scope(|scope| {
        for (command, what) in broken {
            scope.spawn(move || {
                let started = std::time::Instant::now();
                let output = simulate(&[file, "--solver", command], "why never\n!root(7)\n");
                assert_eq!(output.status.code(), Some(0), "{command}: {}", stderr(&output));
                let text = stdout(&output);
                assert!(text.contains("it is unknown whether `never` is enabled: the solver `sh -c"), "{text}");
                assert!(text.contains(what), "{text}");
                assert!(started.elapsed() < std::time::Duration::from_secs(60), "{command}: {:?}", started.elapsed());
            });
        }
    });
    for (solver, code) in [("", 2), ("'sh", 2)] {
        assert_eq!(simulate(&[file, "--solver", solver], "").status.code(), Some(code), "{solver}");
    }
}

#[test]
fn the_solver_can_be_chosen_by_the_environment() {
    let file = model("squares-environment.sts", SQUARES);
    let run = |args: &[&str], variable: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sioco"));
        command.arg("simulate").arg(&file).args(args).env("SIOCO_SOLVER", variable).stdin(Stdio::null());
        command.output().expect("the program ends")
    };
    let output = run(&[], "sioco-no-such-solver");
    assert_eq!(output.status.code(), Some(5));
    assert!(stderr(&output).contains("(chosen by SIOCO_SOLVER)"), "{}", stderr(&output));
    // The option goes before it, and an empty one is none.
    assert_eq!(run(&["--solver", "builtin"], "sioco-no-such-solver").status.code(), Some(0));
    assert_eq!(run(&[], "").status.code(), Some(0));
    let output = run(&[], "'sh");
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("SIOCO_SOLVER: "), "{}", stderr(&output));
}

#[test]
fn else_is_decided_where_it_quantifies_over_all_integers() {
    if !z3() {
        return;
    }
    let text = "output out(q: Int)\noutput both(q: Int, w: Int)\ninput give(p: Int)\nprocess P {\n  var y: Int = 3\n  init m {\n    cube: !out(any q) [q * q * q == 2 * y * y && q > 0] -> m\n    rest: !both(any q, q + 1) [else] -> m\n    set: ?give(p) [p * p < 50] / y := p -> m\n    other: ?give(p) [else] / y := 0 -> m\n  }\n}\n";
    let file = model("else.sts", text);
    // 2 * 3 * 3 is no cube, 2 * 2 * 2 is one.
    let output =
        simulate(&[&file, "--solver", "z3"], "why cube\n!both(4, 5)\nother\n?give(2)\nwhy rest\nwhy other 7\n");
    assert_eq!(output.status.code(), Some(0), "{}{}", stdout(&output), stderr(&output));
    let text = stdout(&output);
    for line in [
        "!both(any q, q + 1)  e.g. q = 0, w = 1",
        "`cube` is not enabled: no values make `q * q * q == 2 * y * y` true (y = 3)",
        "other: ?give(",
        "!out(any q)  e.g. q = 2",
        "`rest` is not enabled: another switch of this location is enabled, so `else` is not",
        "`other` is not enabled: another switch of this location is enabled, so `else` is not",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
    let output = simulate(&[&file, "--solver", "z3"], "?give(2)\n!both(4, 5)\n");
    assert!(stderr(&output).contains("allowed here: !out(q = 2), for example"), "{}", stderr(&output));
    let output = simulate(&[&file, "--solver", "builtin"], "why rest\n");
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stdout(&output).contains("it is unknown whether `rest` is enabled: the built-in"), "{}", stdout(&output));
}

#[test]
fn nobody_reads_terms_of_a_solver() {
    if !z3() {
        return;
    }
    // The solver knows roots; our reals are rational, so its witness is none.
    let text = "input give(r: Real)\nprocess P {\n  init l {\n    root: ?give(r) [r * r == 2.0] -> l\n    fine: ?give(r) [r * r == 2.25 && r > 0.0] -> l\n    zero: ?give(r) [1.0 / r == 4.0] -> l\n  }\n}\n";
    let file = model("irrational.sts", text);
    let output = simulate(&[&file, "--solver", "z3"], "why root\nwhy zero 0\n");
    let text = stdout(&output);
    assert!(text.contains("it is unknown whether `root` is enabled: the solver cannot decide it"), "{text}");
    assert!(text.contains("?give(r)  e.g. r = 1.5"), "{text}");
    assert!(text.contains("?give(r)  e.g. r = 0.25"), "{text}");
    assert!(text.contains("model error") && text.contains("division by zero"), "{text}");
    assert!(!text.contains("root-obj"), "{text}");
}

const UNDEFINED: &str = "\
input give(p: Int)
input small(p: Int in 0..3)
output out(q: Int)
output err
process P {
  var x: Int = 7
  init l {
    a: ?give(p) [x / p > 0.0 && false] -> l
    b: ?give(p) [else] -> l
    c: ?small(p) [6 div p > 100 && p > 5] -> l
    d: ?small(p) [else] -> m
    e: ?small(p) [false && 6 div p > 100] -> m
  }
  state m {
    f: !out(any q) [10 div q > 3 && q > 100] -> l
    g: !err [else] -> l
  }
}
";

#[test]
fn an_undefined_guard_is_not_false() {
    if !z3() {
        return;
    }
    let file = model("undefined-guards.sts", UNDEFINED);
    let output = simulate(&[&file, "--solver", "z3"], "why e\nd 1\nwhy g\n");
    assert_eq!(output.status.code(), Some(0), "{}{}", stdout(&output), stderr(&output));
    let text = stdout(&output);
    let place = |line: u32, what: &str| format!("undefined-guards.sts:{line}:{what}");
    for line in [
        place(8, "18: the guard of `a` is undefined: division by zero (x = 7, p = 0)"),
        place(10, "19: the guard of `c` is undefined: division by zero (p = 0)"),
        "?small(p)  e.g. p = 1".into(),
        "`e` is not enabled: `false` is false\n".into(),
        place(15, "21: the guard of `f` is undefined: division by zero (q = 0)"),
        place(16, "14: the guard of `g` is undefined: a condition over all values of a choice"),
    ] {
        assert!(text.contains(&line), "{line}\n{text}");
    }
    // Neither silence nor `else`: nobody knows what the model means.
    assert!(!text.ends_with("delta: silence is allowed\n"), "{text}");
    for script in ["d 1\ndelta\n", "d 1\n!err\n", "d 1\ng\n"] {
        let output = simulate(&[&file, "--solver", "z3"], script);
        assert_eq!(output.status.code(), Some(2), "{script}: {}", stdout(&output));
        assert!(stderr(&output).contains("model error at"), "{script}: {}", stderr(&output));
    }
    // Without a solver it is not known, which is not the same as false.
    let output = simulate(&[&file, "--solver", "builtin"], "d 1\nwhy g\n");
    assert!(stdout(&output).contains("it is unknown whether `g` is enabled"), "{}", stdout(&output));
}

#[test]
fn an_undefined_guard_is_the_same_by_event_and_by_name() {
    let file = model("undefined-same.sts", UNDEFINED);
    let told = |script: &str| {
        let output = simulate(&[&file, "--solver", "builtin"], script);
        assert_eq!(output.status.code(), Some(2), "{script}: {}", stdout(&output));
        stderr(&output).lines().next().unwrap_or_default().to_owned()
    };
    let ends = "undefined-same.sts:10:19: the guard of `c` is undefined: division by zero (p = 0)";
    for script in ["?small(0)\n", "small(0)\n", "c 0\n", "c: ?small(0)\n", "3 0\n", "3\n", "c\n"] {
        let message = told(script);
        assert!(message.starts_with("model error at") && message.ends_with(ends), "{script}: {message}");
    }
    let message = told("d 0\n");
    // There is nothing to mend at `else`.
    assert!(message.ends_with(ends), "{message}");
    // The guard of this one is false, whatever the others are.
    let message = told("e 0\n");
    assert!(!message.contains("model error") && message.contains("false"), "{message}");
    let output = simulate(&[&file, "--solver", "builtin"], "why ?small(0)\nwhy c 0\n");
    assert_eq!(stdout(&output).matches(&format!("{ends}\n")).count(), 2, "{}", stdout(&output));
}

/// Whatever is undefined, and however it is asked for.
#[test]
fn why_has_one_wording_for_model_errors() {
    let text = "input a(p: Int in 0..9)\noutput o(q: Int in 0..5)\nchannel c(v: Int in 0..5)\n\
                process P {\n  var x: Int in 0..5 = 0\n  init l {\n    guard: ?a(p) [10 div x > p] -> l\n    \
                update: ?a(p) / x := x + p -> l\n    arg: !o(x + 7) -> l\n    give: send c(7 + x) -> l\n  }\n}\n\
                process Q {\n  init m {\n    take: recv c(v) -> m\n  }\n}\nsystem S = P || Q\n";
    let file = model("why-undefined.sts", text);
    for request in ["why guard", "why guard 3", "why update 7", "why arg", "why ?a(3)", "why give/take", "why give"] {
        let output = simulate(&[&file, "--solver", "builtin"], &format!("{request}\n"));
        let told = stdout(&output).lines().last().unwrap_or_default().to_owned();
        let (what, error) = told.split_once(" cannot be taken: ").unwrap_or_else(|| panic!("{request}: {told}"));
        assert!(what.starts_with('`') && what.ends_with('`'), "{request}: {told}");
        assert!(error.starts_with("model error at "), "{request}: {told}");
    }
}

/// Names of switches that are requests, too, are never taken for the other.
#[test]
fn switches_with_the_names_of_requests_are_told_apart() {
    let text = "input a\noutput b\nprocess P {\n  var n: Int = any\n  init l {\n    q: ?a -> l\n    undo: ?a -> m\n    \
                delta: tau [n < 0] -> l\n    set: tau [n < 0] -> l\n  }\n  \
                state m {\n    list: !b -> l\n    why: !b -> m\n  }\n}\n";
    let file = model("names.sts", text);
    for word in ["q", "undo", "undo 1", "list", "delta", "why q"] {
        let output = simulate(&[&file], &format!("{word}\n"));
        assert_eq!(output.status.code(), Some(2), "{word}: {}", stdout(&output));
        let name = word.split(' ').next().unwrap_or_default();
        let told = format!("`{name}` is a switch and a request: write `{name}:` for the switch, `:{name}` for");
        assert!(stderr(&output).contains(&told), "{word}: {}", stderr(&output));
    }
    let saved = Path::new(env!("CARGO_TARGET_TMPDIR")).join("names.txt");
    let requests = ":set n=3\nundo:\nlist:\nq:\n:delta\n:undo 1\n:list";
    let script = format!("{requests}\nsave {}\n:quit\nnonsense\n", saved.display());
    let output = simulate(&[&file], &script);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let lines = std::fs::read_to_string(&saved).expect("saved");
    let lines: Vec<&str> = lines.lines().filter(|l| !l.starts_with("//")).collect();
    assert_eq!(lines, [":set n=3", "undo: ?a", "list: !b", "q: ?a"]);
    assert_eq!(simulate(&[&file], &(lines.join("\n") + "\n:delta\n")).status.code(), Some(0));
    // What is no request is none behind a colon either.
    let output = simulate(&[&file], ":add 3\n");
    assert!(stderr(&output).contains("`:add` is not a request"), "{}", stderr(&output));
    let output = simulate(&[&file], "help\n");
    assert!(stdout(&output).contains("quit, q ") && stdout(&output).contains("`undo:`"), "{}", stdout(&output));
}

#[test]
fn examples_do_not_lead_to_a_model_error_where_there_are_others() {
    let text = "input add(p: Int)\ninput some(p: Int in 0..9)\ninput no(p: Int)\ninput twice(p: Int in 1..9)\nprocess P {\n  var x: Int in 0..20 = 17\n  init l {\n    add: ?add(p) [p > -30] / x := p - 5 -> l\n    some: ?some(p) [p mod 2 == 1] / x := 20 div (p - 1) -> l\n    no: ?no(p) [p > 30] / x := p -> l\n    twice: ?twice(p) [p != 1] / x := x * p -> l\n    go: tau [x > 16] / x := x + 10 -> l\n  }\n}\n";
    let file = model("dead-end.sts", text);
    for solver in ["builtin", "z3"] {
        if solver == "z3" && !z3() {
            continue;
        }
        let output = simulate(&[&file, "--solver", solver], "1\nsome\n");
        assert_eq!(output.status.code(), Some(0), "{solver}: {}{}", stdout(&output), stderr(&output));
        let text = stdout(&output);
        for line in [
            "?add(p)  e.g. p = 5 ",
            "?some(p)  e.g. p = 3 ",
            "?no(p)  e.g. p = 31: all values lead to a model error, this one to a model error at",
            "the new value of `x` of `no`: 31 is outside of its range",
            "?twice(p)  e.g. p = 2: all values lead to a model error",
            "tau: leads to a model error at",
        ] {
            assert!(text.contains(line), "{solver}: {line}\n{text}");
        }
        for values in ["min", "max", "middle", "random", "boundary"] {
            let output = simulate(&[&file, "--solver", solver, "--values", values], "add\nsome\n");
            assert_eq!(output.status.code(), Some(0), "{values}: {}{}", stdout(&output), stderr(&output));
        }
        let output = simulate(&[&file, "--solver", solver], "no 40\n");
        assert!(stderr(&output).contains("40 is outside of its range"), "{}", stderr(&output));
    }
    let output = simulate(&[&file, "--solver", "builtin", "--format", "json"], "");
    let object: serde_json::Value = serde_json::from_str(&stdout(&output)).expect("JSON");
    assert!(object["options"][0]["leads_to"].is_null(), "{object}");
    assert!(object["options"][2]["leads_to"].as_str().expect("text").starts_with("all values lead"), "{object}");
}

#[test]
fn values_are_given_for_a_handshake() {
    let text = "\
output done(n: Int)
channel c(n: Int, s: String)
process A(start: Int) {
  var x: Int = start
  init l {
    more: tau any k: Int [k > 3] / x := k -> l
    over: send c(x, \"a & b\") -> m
  }
  final m
}
process B {
  var y: Int = 5
  init l {
    take: recv c(v, _) [v < 1000 && v != 4] / y := v -> m
  }
  state m {
    tell: !done(y) -> m
  }
}
system S = one: A(1) || two: A(2) || B
";
    let file = model("handshake.sts", text);
    for script in [
        "one.over & take 77\n",
        "one.over & take 77, \"a & b\"\n",
        "one.over & take n=77\n",
        "one.over 77\n",
        "one.over\n",
        // The value says which of the two senders is meant.
        "take n = 77\n",
        "3 77\n",
    ] {
        let script = format!("one.more 77\n{script}!done(77)\n");
        let output = simulate(&[&file, "--solver", "builtin"], &script);
        assert_eq!(output.status.code(), Some(0), "{script}: {}{}", stdout(&output), stderr(&output));
    }
    for (script, why) in [
        ("one.over & take 3\n", "`n` is 1 here, not 3"),
        ("one.over 3\n", "`n` is 1 here, not 3"),
        ("one.more 4\none.over & take 4\n", "`v != 4` is false (v = 4)"),
        ("one.more 1000\none.over & take 1000\n", "`v < 1000` is false (v = 1000)"),
        ("one.over & take 1, \"b\"\n", "`s` is \"a & b\" here, not \"b\""),
        ("one.over & take x\n", "`x` is not a value"),
        ("one.over & take 5, \"b\", 3\n", "3 values for 2 parameters"),
        ("take & one.over 5\n", "cannot shake hands here"),
        ("take\n", "there are several partners: `one.over/B.take`, `two.over/B.take`"),
    ] {
        let output = simulate(&[&file, "--solver", "builtin"], script);
        assert_eq!(output.status.code(), Some(2), "{script}: {}", stdout(&output));
        assert!(stderr(&output).contains(why), "{script}: {}", stderr(&output));
    }
}

#[test]
fn seeds_give_other_reals_texts_and_borders() {
    let text = "\
input real(r: Real)
input text(s: String)
process P {
  init l {
    real: ?real(r) [2.5 < r && r <= 7.25] -> l
    text: ?text(s) [s != \"a\"] -> l
  }
}
";
    let file = model("seeds.sts", text);
    let drawn = |values: &str, of: &str| -> std::collections::BTreeSet<String> {
        let args = |seed: u32| [file.clone(), "--values".into(), values.into(), "--seed".into(), seed.to_string()];
        let shown = |seed: u32| {
            let args = args(seed);
            let args: Vec<&str> = args.iter().map(String::as_str).chain(["--solver", "builtin"]).collect();
            let output = stdout(&simulate(&args, &format!("{of}\ntrace\n")));
            output.lines().last().unwrap_or_default().to_owned()
        };
        assert_eq!(shown(5), shown(5), "{values} {of}, seed 5");
        (0..10).map(shown).collect()
    };
    for (values, of, least) in [("random", "real", 9), ("random", "text", 8), ("boundary", "real", 2)] {
        let drawn = drawn(values, of);
        assert!(drawn.len() >= least, "{values} {of}, seeds 0 to 9: {drawn:?}");
    }
}
