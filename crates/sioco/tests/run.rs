//! `sioco test`: campaigns against models that play the system and against adapters, what is printed, exit codes, and
//! bad input.

// Lints know tests by their attribute, which helpers do not have.
#![allow(clippy::unwrap_used)]

// Each test program uses a part of it.
#[allow(dead_code)]
mod support;

use std::fs;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;
use support::{Folder, Run, sioco_in};

/// Tests run at the same time, each in a folder of its own, with a model in it.
fn folder() -> Folder {
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    let folder = Folder::new(&format!("run-{}", NUMBER.fetch_add(1, Ordering::Relaxed)));
    folder.write("acc.sts", MODEL);
    folder.write("wrong.sts", &MODEL.replace("!outX(x)", "!outX(if x > 15 then x + 1 else x)"));
    folder
}

const MODEL: &str = "\
input  inX(p: Int in 1..10)
output outX(p: Int)
output done

process Accumulator {
  var x: Int = 0
  init l0 {
    add:    ?inX(p)          / x := x + p -> l1
    finish: !done   [x > 15]              -> l2
  }
  state l1 { tell: !outX(x) -> l0 }
  final l2
}
";

/// Tests in a folder, without any other solver.
fn test(folder: &Folder, options: &[&str]) -> Run {
    let mut args = vec!["test", "acc.sts", "--solver", "builtin"];
    args.extend(options);
    sioco_in(&args, &folder.path(""))
}

/// The journals in a folder.
fn journals(folder: &Folder) -> Vec<String> {
    let entries = fs::read_dir(folder.path(".sioco/runs")).into_iter().flatten();
    entries.map(|e| e.unwrap().path().to_str().unwrap().to_owned()).collect()
}

/// The lines that a program sees.
fn objects(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"))).collect()
}

#[test]
fn a_system_that_conforms_passes() {
    let folder = folder();
    let run = test(&folder, &["--sut", "model:acc.sts", "--seed", "42"]);
    run.exits(0).stderr_is("");
    run.stdout_has("PASS  Accumulator against `model:acc.sts`: ")
        .stdout_has("the step limit was reached (1000 steps after the ")
        .stdout_has("3 of 3 switches surely taken (100%)")
        .stdout_has("  seed       42\n")
        .stdout_has("  journal    .sioco/runs/");
    assert!(!run.stdout.contains("replay"), "{}", run.stdout);
    let written = journals(&folder);
    assert_eq!(written.len(), 1);
    // What is only of use here stays out of repositories.
    assert_eq!(fs::read_to_string(folder.path(".sioco/.gitignore")).unwrap(), "*\n");
    let lines = objects(&fs::read_to_string(&written[0]).unwrap());
    assert_eq!(lines[0]["format"], "sioco-journal");
    assert_eq!(lines[0]["settings"]["seed"], 42);
    assert_eq!(lines[0]["sut"], "model:acc.sts");
    assert_eq!(lines[1]["type"], "run");
    assert_eq!(lines.last().unwrap()["type"], "end");
}

#[test]
fn a_system_that_does_not_conform_fails_and_is_explained() {
    let folder = folder();
    let run = test(&folder, &["--sut", "model:wrong.sts", "--seed", "6", "--cover", "switch", "--journal", "j.jsonl"]);
    run.exits(1).stderr_is("");
    run.stdout_has(" FAIL  run 1, step 4   seed 6\n")
        .stdout_has("   tester ── ?inX(p=")
        .stdout_has("error[sioco::V001]: this output is not allowed here\n")
        .stdout_has("acc.sts:11:26\n")
        .stdout_has("11 │   state l1 { tell: !outX(x) -> l0 }\n")
        .stdout_has(", but the SUT sent ")
        .stdout_has("note: allowed here: !outX(p = ")
        .stdout_has("note: hypotheses: 1 (l1, x = ")
        .stdout_has("   replay: sioco replay j.jsonl --run 1\n")
        .stdout_has("  replay     sioco replay j.jsonl\n");
    // The same seed, the same campaign.
    let again =
        test(&folder, &["--sut", "model:wrong.sts", "--seed", "6", "--cover", "switch", "--journal", "k.jsonl"]);
    let bare = |name: &str| {
        let text = fs::read_to_string(folder.path(name)).unwrap();
        let mut lines = objects(&text);
        lines.iter_mut().for_each(|line| line["at"] = Value::Null);
        lines
    };
    again.exits(1);
    assert_eq!(bare("j.jsonl"), bare("k.jsonl"));
}

#[test]
fn a_seed_is_told_even_if_nobody_chose_it() {
    let folder = folder();
    let options = ["--sut", "model:acc.sts", "--cover", "random:1", "--format", "json"];
    let seed = |run: &Run| objects(&run.exits(0).stdout).last().unwrap()["seed"].as_u64().unwrap();
    let seeds: Vec<u64> = (0..3).map(|_| seed(&test(&folder, &options))).collect();
    assert!(seeds.iter().any(|s| *s != seeds[0]), "{seeds:?}");
    assert_eq!(journals(&folder).len(), 3);
}

#[test]
fn programs_get_events_and_a_summary() {
    let folder = folder();
    let options =
        ["--sut", "model:wrong.sts", "--seed", "3", "--journal", "j.jsonl", "--format", "json", "--fail-fast"];
    let run = test(&folder, &options);
    run.exits(1).stderr_is("");
    let lines = objects(&run.stdout);
    let (summary, events) = lines.split_last().unwrap();
    // The events are the lines of the journal.
    assert_eq!(events, objects(&fs::read_to_string(folder.path("j.jsonl")).unwrap()));
    assert_eq!(summary["type"], "summary");
    assert_eq!(summary["verdict"], "fail");
    assert_eq!(summary["exit"], 1);
    assert_eq!(summary["end"], "fail-fast");
    assert_eq!(summary["runs"]["fail"], 1);
    let bad = &summary["bad"][0];
    assert_eq!(bad["code"], "sioco::V001");
    assert_eq!(bad["cause"]["gate"], "outX");
    let left = &bad["explanation"]["hypotheses"][0];
    assert_eq!(left["allowed"][0]["gate"], "outX");
    assert_eq!(left["switches"][0]["place"]["line"], 11);
    assert!(summary["replay"].as_str().unwrap().starts_with("sioco replay j.jsonl"));
    for key in ["steps", "inputs", "coverage", "purposes", "gates", "withdrawn", "stale", "unknown", "seed", "time_us"]
    {
        assert!(!summary[key].is_null(), "{key}");
    }
}

#[test]
fn what_is_covered_can_be_chosen() {
    let folder = folder();
    for cover in ["auto", "switch", "location", "paths:3", "traces:3", "random", "random:2"] {
        let options = ["--sut", "model:acc.sts", "--seed", "5", "--cover", cover, "--values", "min"];
        test(&folder, &options).exits(0).stdout_has("PASS  Accumulator");
    }
    for values in ["min", "max", "middle", "random", "boundary"] {
        let options = ["--sut", "model:acc.sts", "--seed", "5", "--cover", "switch", "--values", values, "--strict"];
        test(&folder, &options).exits(0);
    }
    for manner in ["eager", "fair"] {
        test(&folder, &["--sut", "model:acc.sts", "--interaction", manner, "--cover", "random:1"]).exits(0);
    }
    let run = test(&folder, &["--sut", "model:acc.sts", "--cover", "random:2", "--seed", "8"]);
    run.exits(0).stdout_has(": 2 runs,");
    let run = test(&folder, &["--sut", "model:acc.sts", "--cover", "random", "--seed", "8"]);
    run.exits(0).stdout_has("the step limit was reached (1000 steps)");
    let run = test(&folder, &["--sut", "model:acc.sts", "--for", "100ms", "--cover", "random"]);
    run.exits(0).stdout_has("the time ran out (100 ms)");
    let run = test(&folder, &["--sut", "model:acc.sts", "--max-steps", "7", "--cover", "random"]);
    run.exits(0).stdout_has("the step limit was reached (7 steps)");
    // In the middle of a purpose, that is inconclusive.
    test(&folder, &["--sut", "model:acc.sts", "--max-steps", "1"]).exits(3).stdout_has("it was stopped");
}

/// What was planned and not tried is no pass, wherever the budget ends.
#[test]
fn a_plan_that_the_budget_cuts_off_is_inconclusive() {
    let folder = folder();
    let (mut untried, mut whole) = (0, 0);
    for most in (1..30).map(|n| n.to_string()) {
        let options = ["--sut", "model:acc.sts", "--seed", "1", "--max-steps", &most];
        let run = test(&folder, &[&options[..], &["--format", "json"]].concat());
        let summary = objects(&run.stdout).pop().unwrap();
        let purposes = summary["purposes"].as_array().unwrap();
        assert!(purposes.len() > 1, "{summary}");
        let left = purposes.iter().filter(|p| p["verdict"].is_null()).count();
        let open = purposes.iter().any(|p| p["verdict"] == "inconclusive");
        assert_eq!(summary["verdict"] == "inconclusive", left > 0 || open, "{most}: {summary}");
        run.exits(if left > 0 || open { 3 } else { 0 });
        if left == 1 && !open {
            untried += 1;
            let text = "  not tried  the budget ended before 1 purpose was tried; raise `--max-steps`\n";
            test(&folder, &options).exits(3).stdout_has("INCONCLUSIVE  Accumulator").stdout_has(text);
        }
        whole += usize::from(left == 0 && !open);
    }
    assert!(untried > 0 && whole > 0, "{untried} {whole}");
    // However little there is.
    sioco_in(&["plan", "acc.sts", "--output", "plan.json"], &folder.path("")).exits(0);
    let run = test(&folder, &["--sut", "model:acc.sts", "--plan", "plan.json", "--for", "0"]);
    run.exits(3).stdout_has("INCONCLUSIVE  Accumulator").stdout_has("before 1 purpose was tried; raise `--for`\n");
    // A failure stays one.
    test(&folder, &["--sut", "model:wrong.sts", "--seed", "1", "--max-steps", "40", "--fail-fast"]).exits(1);
}

/// The equations have solutions that nobody finds in time, and there are many of them.
#[test]
fn planning_counts_to_the_time() {
    let folder = folder();
    let equations: String = (0..16)
        .map(|n| format!("?a(p, q) [p*p*p + q*q*q == {} || p > q] / x := x * x + p * q -> l1\n", 42 + n * 72))
        .collect();
    let text = format!(
        "input a(p: Int, q: Int in -1000000000000000000000000000000..1000000000000000000000000000000)\noutput b(p: Int)\n\
         process P {{\n  var x: Int = 1\n  init l0 {{ {equations} }}\n  state l1 {{ !b(x) -> l0 }}\n}}\n"
    );
    folder.write("acc.sts", &text);
    let begun = std::time::Instant::now();
    let run = test(&folder, &["--sut", "model:acc.sts", "--seed", "3", "--for", "2s"]);
    // On a pipe nothing tells how far it is.
    run.stdout_has("the time ran out (2.0 s)")
        .stderr_has(" uncovered; planning gets half of `--for`; raise it to cover more\n");
    assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
    assert!(begun.elapsed().as_secs() < 20, "{:?}", begun.elapsed());
}

#[test]
fn the_failure_that_is_shown_first_is_the_one_to_replay() {
    let folder = folder();
    let run = test(&folder, &["--sut", "model:wrong.sts", "--seed", "7", "--journal", "j.jsonl"]);
    run.exits(1).stdout_has("  replay     sioco replay j.jsonl\n");
    let number = |text: &str, before: &str| -> u64 {
        let rest = text.split(before).nth(1).unwrap_or_else(|| panic!("no {before:?} in {text}"));
        rest.split(|c: char| !c.is_ascii_digit()).next().unwrap().parse().unwrap()
    };
    let shown = number(&run.stdout, " FAIL  run ");
    let steps = number(&run.stdout, &format!(" FAIL  run {shown}, step "));
    assert_eq!(number(&run.stdout, "replay: sioco replay j.jsonl --run "), shown);
    // No other failing run is shorter, and none of the same length comes before it.
    let journal = objects(&fs::read_to_string(folder.path("j.jsonl")).unwrap());
    let (mut at, mut failed) = (0, Vec::new());
    for line in &journal {
        match line["type"].as_str() {
            Some("run") => at = line["run"].as_u64().unwrap(),
            Some("verdict") if line["verdict"] == "fail" => failed.push((line["steps"].as_u64().unwrap(), at)),
            _ => {}
        }
    }
    assert!(failed.len() > 20, "{}", failed.len());
    assert_eq!(failed.iter().min(), Some(&(steps, shown)));
    // The first one that failed is another.
    assert_ne!(failed[0].1, shown, "another seed is needed");
    let again = sioco_in(&["replay", "j.jsonl", "--solver", "builtin"], &folder.path(""));
    again.exits(1).stdout_has(&format!(" FAIL  run {shown}, step {steps} "));
    again.stdout_has(&format!("FAILED  run {shown} fails again"));
}

#[test]
fn a_plan_can_be_run() {
    let folder = folder();
    sioco_in(&["plan", "acc.sts", "--output", "plan.json", "--nodes", "60"], &folder.path("")).exits(0);
    let run = test(&folder, &["--sut", "model:acc.sts", "--plan", "plan.json"]);
    run.exits(0).stdout_has("everything was done").stdout_has("purposes   1 of 1 reached");
    // A plan that does not fit any more is used as far as it does.
    folder.write("acc.sts", &MODEL.replace("finish:", "end:"));
    let run = test(&folder, &["--sut", "model:acc.sts", "--plan", "plan.json"]);
    run.exits(4).stderr_has("no longer has a switch `finish`").stderr_has("0 purposes of it can still be used");
    run.stdout_has("NOTHING RUN");
    // However much of it does not fit, the command that is named for the rest is one that works.
    let many: Vec<String> = (0..12).map(|i| format!("    s{i}: !o({i}) -> a\n")).collect();
    let many = format!("output o(n: Int)\n\nprocess P {{\n  init a {{\n{}  }}\n}}\n", many.concat());
    folder.write("acc.sts", &many);
    sioco_in(&["plan", "acc.sts", "--cover", "switch", "--output", "many.json"], &folder.path("")).exits(0);
    folder.write("acc.sts", &many.replace("    s", "    t"));
    let run = test(&folder, &["--sut", "model:acc.sts", "--plan", "many.json"]);
    run.exits(4).stderr_has(" more; `sioco plan acc.sts --check many.json --all` shows them\n");
    let args = ["plan", "acc.sts", "--check", "many.json", "--all"];
    sioco_in(&args, &folder.path("")).exits(3).stdout_has("no longer has a switch `s11`");
    folder.write("acc.sts", MODEL);
    test(&folder, &["--sut", "model:acc.sts", "--plan", "no.json"]).exits(2).stderr_has("cannot read `no.json`");
    test(&folder, &["--sut", "model:acc.sts", "--plan", "acc.sts"]).exits(2).stderr_has("this is not JSON");
    test(&folder, &["--sut", "model:acc.sts", "--plan", "plan.json", "--cover", "switch"])
        .exits(2)
        .stderr_has("cannot be used with");
}

#[test]
fn a_plan_can_be_run_again_and_again() {
    let folder = folder();
    let options = ["--sut", "model:acc.sts", "--seed", "1", "--cover", "switch", "--format", "json"];
    let steps = |more: &[&str]| {
        let run = test(&folder, &[&options[..], more].concat());
        run.exits(0);
        objects(&run.stdout).pop().unwrap()["steps"].as_u64().unwrap()
    };
    let once = steps(&[]);
    assert!(once < 20, "{once}");
    // No input is sent last: its answer is to be judged, too.
    assert!((once + 999..=once + 1000).contains(&steps(&["--again"])));
    assert!((99..=100).contains(&steps(&["--again", "--max-steps", "100"])));
    test(&folder, &["--sut", "model:acc.sts", "--again"])
        .exits(2)
        .stderr_has("`--again` has no effect here: it works only with a plan");
}

#[test]
fn every_end_of_a_tree_is_wanted() {
    let folder = folder();
    // Silence at the start is one of them, and says nothing about the others.
    for cover in ["paths:5", "inclusion:1"] {
        test(&folder, &["--sut", "model:wrong.sts", "--seed", "1", "--cover", cover]).exits(1);
        let run = test(&folder, &["--sut", "model:acc.sts", "--seed", "1", "--cover", cover]);
        run.stdout_has("3 of 3 switches surely taken");
    }
    sioco_in(&["plan", "acc.sts", "--cover", "paths:5", "--output", "paths.json"], &folder.path("")).exits(0);
    test(&folder, &["--sut", "model:wrong.sts", "--seed", "1", "--plan", "paths.json"]).exits(1);
}

#[test]
fn a_model_plays_itself_however_its_path_is_written() {
    let folder = folder();
    folder.write("n.sts", &format!("const N: Int = 15\n{}", MODEL.replace("x > 15", "x > N")));
    for sut in ["model:n.sts", "model:./n.sts", &format!("model:{}", folder.path("n.sts"))] {
        let args = ["test", "n.sts", "--const", "N=3", "--sut", sut, "--seed", "1", "--max-steps", "60"];
        sioco_in(&args, &folder.path("")).exits(0);
    }
}

#[test]
fn gates_decide_about_the_exit_code() {
    let folder = folder();
    let gated = |gates: &[&str]| {
        let mut options = vec!["--sut", "model:acc.sts", "--seed", "1", "--max-steps", "2", "--cover", "random"];
        gates.iter().for_each(|gate| options.extend(["--gate", gate]));
        test(&folder, &options)
    };
    gated(&["switch>=50%"]).exits(0).stdout_has("gate       switch>=50% met: 67%");
    gated(&["switch>=95%"]).exits(3).stdout_has("gate       switch>=95% missed: 67%");
    gated(&["surely location>=60%", "switch>=95%"]).exits(3).stdout_has("surely location>=60% met");
    // A failure is worse than a gate.
    let options = ["--sut", "model:wrong.sts", "--seed", "1", "--gate", "switch>=100%"];
    test(&folder, &options).exits(1);
    for (gate, what) in
        [("swich>=95%", "did you mean `switch`?"), ("switch", "such as"), ("switch>=101%", "not a percentage")]
    {
        gated(&[gate]).exits(2).stderr_has(what);
    }
}

#[test]
fn bad_options_are_told() {
    let folder = folder();
    let sut = ["--sut", "model:acc.sts"];
    for (options, what) in [
        (&["--cover", "swich"][..], "did you mean `switch`?"),
        (&["--cover", "atuo"], "did you mean `auto`?"),
        (&["--cover", "everything"], "write `auto`, `switch`"),
        (&["--cover", "random:0"], "random"),
        (&["--cover", "purpose:nothing"], "nothing"),
        (&["--seed", "x"], "invalid value 'x' for '--seed"),
        (&["--seed", "-1"], "unexpected argument '-1'"),
        (&["--values", "big"], "possible values: min, max, middle, random, boundary"),
        (&["--max-steps", "0"], "0 is not in 1.."),
        (&["--for", "soon"], "write a number of seconds"),
        (&["--for", "-1"], "write a number of seconds"),
        (&["--for", "1d"], "`500ms`, `90s`, `2m`, `1h`"),
        (&["--patience", "0"], "too short"),
        (&["--quiescence", "0"], "0 is not in 1..=3600000"),
        (&["--quiescence", "fast"], "invalid value 'fast'"),
        (&["--attempts", "0"], "0 is not in 1.."),
        (&["--interaction", "rude"], "possible values: eager, fair"),
        (&["--format", "xml"], "possible values: human, json"),
        (&["--const", "N"], "write a name, `=` and a value"),
        (&["--const", "N=1"], "N"),
        (&["--system", "S"], "S"),
        (&["--journal", "-"], "a journal is a file"),
        (&["--journal", "."], "is a folder"),
        (&["--journal", "acc.sts"], "is not a journal"),
        (&["--solver", "nonsense-solver"], "nonsense-solver"),
    ] {
        let all: Vec<&str> = sut.iter().chain(options).copied().collect();
        let mut args = vec!["test", "acc.sts"];
        args.extend(&all);
        let code = if options[0] == "--solver" { 5 } else { 2 };
        sioco_in(&args, &folder.path("")).exits(code).stderr_has(what);
    }
    assert_eq!(fs::read_to_string(folder.path("acc.sts")).unwrap(), MODEL);
    test(&folder, &[]).exits(2).stderr_has("--sut <SUT>");
    for (sut, what) in [
        ("", "it is empty"),
        ("model:", "write the file of the model after"),
        ("model:no.sts", "no.sts"),
        ("tcp://nowhere", "the port is missing"),
        ("gopher://a:1", "cannot connect to"),
    ] {
        test(&folder, &["--sut", sut]).exits(2).stderr_has(what);
    }
    sioco_in(&["test", "no.sts", "--sut", "model:acc.sts"], &folder.path("")).exits(2).stderr_has("no.sts");
    folder.write("broken.sts", "process {");
    sioco_in(&["test", "broken.sts", "--sut", "model:acc.sts"], &folder.path("")).exits(2).stderr_has("error[sioco::");
}

#[test]
fn a_system_that_cannot_be_started_is_an_error() {
    let folder = folder();
    let run = test(&folder, &["--sut", "./no-such-program"]);
    run.exits(5).stdout_has("error[adapter]: ").stdout_has("no-such-program").stdout_has("ERROR  Accumulator");
    // Nothing was run, so there is nothing to say about coverage.
    for word in ["coverage", "purposes", "not taken", "listening"] {
        assert!(!run.stdout.contains(word), "{word}: {}", run.stdout);
    }
    let run = test(&folder, &["--sut", "cd /somewhere && python3 a.py"]);
    run.exits(5).stdout_has("no shell is used: `sh -c 'cd /somewhere && python3 a.py'` runs it in one");
    let run = test(&folder, &["--sut", "./no-such-program", "--format", "json"]);
    let lines = objects(&run.exits(5).stdout);
    assert_eq!(lines.last().unwrap()["verdict"], "error");
    assert_eq!(lines[1]["type"], "fault");
}

#[test]
fn a_model_with_other_gates_is_no_verdict() {
    let folder = folder();
    folder.write("other.sts", "output bye\nprocess P { init a { !bye -> a } }\n");
    let run = test(&folder, &["--sut", "model:other.sts", "--seed", "1"]);
    run.exits(5)
        .stdout_has("error[adapter]: the played model (`other.sts`) has other gates than the model (`acc.sts`): ");
    run.stdout_has("the model has the input `inX`, but the played model does not have it; ");
    run.stdout_has("the played model has the output `bye`, but the model does not have it");
    run.stdout_has(": 0 runs, 0 steps");
    // Nor is one whose gates have other types, which no value of the system could be of.
    folder.write("text.sts", &MODEL.replace("outX(p: Int)", "outX(p: String)").replace("!outX(x)", "!outX(\"six\")"));
    let run = test(&folder, &["--sut", "model:text.sts", "--seed", "1"]);
    run.exits(5)
        .stdout_has("(`text.sts`) has other gates than the model (`acc.sts`): ")
        .stdout_has(": 0 runs, 0 steps");
    run.stdout_has("the model has the output `outX(p: Int)`, but the played model has `outX(p: String)`");
    // A value outside a range is one on the system.
    let spec = MODEL.replace("outX(p: Int)", "outX(p: Int in 0..1000)");
    folder.write("acc.sts", &spec);
    folder.write("minus.sts", &MODEL.replace("!outX(x)", "!outX(-x)"));
    let run = test(&folder, &["--sut", "model:minus.sts", "--seed", "1"]);
    run.exits(1).stdout_has("error[sioco::V004]: the SUT sent values that do not fit `!outX`");
}

/// Purposes that are not tried since another run failed are counted.
#[test]
fn dropped_purposes_are_counted() {
    let folder = folder();
    folder.write("plus.sts", &MODEL.replace("!outX(x)", "!outX(x + 1)"));
    let run = test(&folder, &["--sut", "model:plus.sts", "--cover", "paths:4", "--seed", "1", "--no-shrink"]);
    run.exits(1).stdout_has("1 of 3 reached, 1 failed, 1 dropped since another run failed");
}

/// A played model is never slow.
#[test]
fn silence_of_a_played_model_needs_no_help_about_waiting() {
    let folder = folder();
    folder.write("mute.sts", &MODEL.replace("tell: !outX(x)", "tell: !outX(x) [x > 20]"));
    let run = test(&folder, &["--sut", "model:mute.sts", "--seed", "1"]);
    run.exits(1).stdout_has("error[sioco::V002]: the SUT is silent").stdout_has_not("--quiescence-at");
}

/// What the plan of a campaign leaves out is told by the command that it names.
#[test]
fn the_command_that_tells_what_is_uncovered_makes_the_same_plan() {
    let folder = folder();
    let text = "input coin(v: Int in 1..10)\ninput choose\noutput item\noutput refuse\nprocess P {\n  \
                var credit: Int = 0\n  var stock: Int = 40\n  \
                init idle {\n    pay: ?coin(v) / credit := credit + v -> idle\n    \
                buy: ?choose [credit >= 5 && stock > 0] / credit := credit - 5, stock := stock - 1 -> giving\n    \
                poor: ?choose [credit < 5 || stock == 0] -> refusing\n  }\n  \
                state giving { !item -> idle }\n  state refusing { !refuse -> idle }\n}\n";
    folder.write("vending.sts", text);
    let args = ["test", "vending.sts", "--sut", "model:vending.sts", "--seed", "1", "--solver", "builtin"];
    let run = sioco_in(&args, &folder.path(""));
    let said = run.stderr.split_once("the plan leaves ").expect("goals are uncovered").1;
    let (open, rest) = said.split_once(" goals uncovered; `sioco ").expect("goals");
    let command = rest.split_once("` shows which and why").expect("a command").0;
    assert_eq!(command, "plan vending.sts --data boundary --nodes 1000");
    let args: Vec<&str> = command.split(' ').chain(["--solver", "builtin"]).collect();
    let run = sioco_in(&args, &folder.path(""));
    run.exits(3);
    assert_eq!(run.stdout.matches("not reached: ").count().to_string(), open);
}

/// Gates and values go by their names, wherever they were declared.
#[test]
fn a_model_that_plays_may_be_declared_in_another_order() {
    let folder = folder();
    let text = "type C = Red | Green | Mix(a: Int in 0..9)\ninput  ask(c: C)\noutput say(c: C, n: Int)\noutput no\n\nprocess P {\n  \
                var d: C = Red\n  init a { ?ask(c) / d := c -> b }\n  state b { !say(d, 3) -> a }\n}\n";
    folder.write("one.sts", text);
    let other = "output no\ntype C = Mix(a: Int in 0..9) | Green | Red\noutput say(c: C, n: Int)\ninput  ask(c: C)\n\nprocess Q {\n  \
                 var d: C = Red\n  init a { ?ask(c) / d := c -> b }\n  state b { !say(d, 3) -> a }\n}\n";
    folder.write("two.sts", other);
    let args = |sut| ["test", "one.sts", "--sut", sut, "--cover", "random:2", "--seed", "6", "--solver", "builtin"];
    sioco_in(&args("model:two.sts"), &folder.path("")).exits(0).stdout_has("2 of 2 switches surely taken");
    folder.write("two.sts", &other.replace("d := c", "d := if c == Green then Red else c"));
    let run = sioco_in(&args("model:two.sts"), &folder.path(""));
    run.exits(1).stdout_has("is Green, but the SUT sent Red");
}

/// What a model that plays gives before it takes an input came before it: no adapter could have mixed them up, so it is a
/// failure, for whoever reads the journal, too.
#[test]
fn the_order_of_a_model_that_plays_is_certain() {
    let folder = folder();
    let gates = "input a\noutput x\n\n";
    let spec = "process S {\n  init s0 { ?a -> s1 }\n  state s1 { ?a -> s2 }\n  state s2 { !x -> s0 }\n}\n";
    folder.write("s.sts", &format!("{gates}{spec}"));
    folder.write("i.sts", &format!("{gates}process I {{\n  init s0 {{ ?a -> s1 }}\n  state s1 {{ !x -> s0 }}\n}}\n"));
    let sut = ["--sut", "model:i.sts", "--solver", "builtin"];
    // With other seeds it ignores the second input, and gives the output after that.
    for seed in ["2", "3"] {
        let args = ["test", "s.sts", "--cover", "traces:3", "--seed", seed, "--journal", "j.jsonl", "--no-shrink"];
        let run = sioco_in(&[&args[..], &sut].concat(), &folder.path(""));
        run.exits(1).stdout_has("error[sioco::V001]").stdout_has("no `!x` leaves `s1`");
        let judged = sioco_in(&["judge", "s.sts", "j.jsonl", "--solver", "builtin"], &folder.path(""));
        judged.exits(1).stdout_has("error[sioco::V001]");
        let replayed = sioco_in(&[&["replay", "j.jsonl", "--times", "1"][..], &sut].concat(), &folder.path(""));
        replayed.exits(1).stdout_has("FAILED");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_journal_that_cannot_be_written_is_told_with_all_that_is_known() {
    let folder = folder();
    let run = test(&folder, &["--sut", "model:acc.sts", "--journal", "/dev/full"]);
    run.exits(5).stderr_has("cannot write the journal `/dev/full`").stdout_has("Accumulator against");
    // Where it cannot even be begun, nothing is run.
    let run = test(&folder, &["--sut", "model:acc.sts", "--journal", "no/such/folder/j.jsonl"]);
    run.exits(5).stderr_has("cannot write the journal").stderr_has("`--journal FILE`").stdout_is("");
    folder.write(".sioco", "in the way");
    test(&folder, &["--sut", "model:acc.sts"]).exits(5).stderr_has(".sioco");
}

/// An adapter in a few lines of shell: it adds nothing, and says the number back.
#[cfg(unix)]
const ECHO: &str = r#"
while read -r line; do
  case $line in
    *'"hello"'*) echo '{"type":"hello","protocol":1,"name":"echo","inputs":["inX"],"outputs":["outX","done"],"order":"sut"}';;
    *'"reset"'*) run=$(echo "$line" | sed 's/.*"run":\([0-9]*\).*/\1/'); echo "{\"type\":\"ready\",\"run\":$run}";;
    *'"input"'*)
      id=$(echo "$line" | sed 's/.*"id":\([0-9]*\).*/\1/'); p=$(echo "$line" | sed 's/.*"p":\([0-9]*\).*/\1/')
      echo "{\"type\":\"accepted\",\"id\":$id}"; echo "{\"type\":\"output\",\"gate\":\"outX\",\"args\":{\"p\":$p},\"run\":$run}";;
    *'"bye"'*) exit;;
  esac
done
"#;

#[cfg(unix)]
#[test]
fn an_adapter_is_tested() {
    let folder = folder();
    folder.program("echo.sh", ECHO);
    let run = test(&folder, &["--sut", "./echo.sh", "--seed", "4", "--cover", "switch", "--journal", "j.jsonl"]);
    run.exits(1).stdout_has("error[sioco::V001]").stdout_has("FAIL  Accumulator against `./echo.sh`");
    // The same as a model, where one number is right.
    folder.write("once.sts", &MODEL.replace("-> l0 }", "-> l3 }\n  final l3"));
    let args = ["test", "once.sts", "--sut", "./echo.sh", "--cover", "location", "--solver", "builtin", "--strict"];
    sioco_in(&args, &folder.path("")).stdout_has("against `./echo.sh`");
}

#[cfg(unix)]
#[test]
fn an_adapter_that_dies_is_an_error_with_its_last_words() {
    let folder = folder();
    folder.program("dies.sh", "read -r hello\necho 'out of paper' >&2\nexit 3");
    let run = test(&folder, &["--sut", "./dies.sh"]);
    run.exits(5).stdout_has("error[adapter]").stdout_has("   │ out of paper\n").stdout_has("ERROR  Accumulator");
}

/// An adapter that refuses every input, and says something else each time.
#[cfg(unix)]
#[test]
fn refused_inputs_are_told_together() {
    let folder = folder();
    let text = ECHO.replace("accepted\\\",\\\"id\\\":$id", "refused\\\",\\\"id\\\":$id,\\\"message\\\":\\\"not $p\\\"");
    assert!(text.contains("not $p"));
    let text: String = text
        .lines()
        .map(|line| line.split("; echo \"{\\\"type\\\":\\\"output").next().unwrap().to_owned() + "\n")
        .collect();
    folder.program("no.sh", &text.replace("not $p\\\"}\"\n", "not $p\\\"}\";;\n"));
    let run = test(&folder, &["--sut", "./no.sh", "--seed", "4", "--cover", "random:9"]);
    run.exits(5).stdout_has("error[refused]: ?inX(p=").stdout_has(" was refused: not ");
    run.stdout_has("in `l0`").stdout_has("note: hypotheses: 1 (l0, x = 0)");
    run.stdout_has("the same happened in runs 2, 3\n");
    assert_eq!(run.stdout.matches("error[refused]").count(), 1, "{}", run.stdout);
}

/// The adapter answers nothing; how long it is waited for can be said.
#[cfg(unix)]
#[test]
fn patience_can_be_chosen() {
    let folder = folder();
    folder.program("hangs.sh", "while read -r line; do :; done");
    let run = test(&folder, &["--sut", "./hangs.sh", "--patience", "200ms", "--journal", "j.jsonl"]);
    run.exits(5).stdout_has("did not answer the hello within 0.2 s").stdout_has("raise `--patience` to wait longer");
    let head = &objects(&fs::read_to_string(folder.path("j.jsonl")).unwrap())[0];
    assert_eq!(head["settings"]["patience_us"], 200_000);
    // A journal in which there is nothing but a breakdown.
    let judged = sioco_in(&["judge", "acc.sts", "j.jsonl", "--solver", "builtin"], &folder.path(""));
    judged.exits(5).stderr_has("there is no run in `j.jsonl`; it reports a breakdown: the adapter `./hangs.sh`");
}

/// What an adapter says when it breaks down is told once, and not for every purpose.
#[cfg(unix)]
#[test]
fn what_broke_down_is_told_once() {
    let folder = folder();
    let text = ECHO.replace(
        "*'\"input\"'*)",
        "*'\"input\"'*) echo '{\"type\":\"error\",\"message\":\"no paper\"}'; continue;;\n    *'\"none\"'*)",
    );
    folder.program("error.sh", &text);
    let run = test(&folder, &["--sut", "./error.sh", "--seed", "4", "--journal", "j.jsonl"]);
    run.exits(5).stdout_has(" error, the connection to the");
    assert_eq!(run.stdout.matches("no paper").count(), 1, "{}", run.stdout);
}

/// Runs a campaign that would go on for long, and interrupts it once it has printed a line with this text. What it
/// prints after that, and its exit code.
#[cfg(unix)]
fn interrupted(folder: &Folder, sut: &str, begun: &str) -> (String, Option<i32>) {
    use std::io::{BufRead, BufReader, Read};
    use std::process::{Command, Stdio};
    let mut child = Command::new(env!("CARGO_BIN_EXE_sioco"))
        .args(["test", "acc.sts", "--sut", sut, "--for", "100", "--journal", "j.jsonl", "--format", "json"])
        .args(["--solver", "builtin"])
        .current_dir(folder.path(""))
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    while !line.contains(begun) {
        line.clear();
        assert_ne!(out.read_line(&mut line).unwrap(), 0, "it ended before it began");
    }
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let mut rest = String::new();
    out.read_to_string(&mut rest).unwrap();
    (rest, child.wait().unwrap().code())
}

#[cfg(unix)]
#[test]
fn ctrl_c_keeps_the_journal_and_tells_what_is_known() {
    let folder = folder();
    // From then on, there is something to judge.
    let (rest, code) = interrupted(&folder, "model:acc.sts", "\"type\":\"accepted\"");
    assert_eq!(code, Some(130));
    let summary: Value = serde_json::from_str(rest.lines().last().unwrap()).unwrap();
    assert_eq!((&summary["type"], &summary["end"]), (&"summary".into(), &"interrupted".into()));
    assert_eq!(summary["exit"], 130);
    let journal = objects(&fs::read_to_string(folder.path("j.jsonl")).unwrap());
    assert_eq!(journal.last().unwrap()["why"], "interrupted");
    // What was recorded can be judged.
    sioco_in(&["judge", "acc.sts", "j.jsonl", "--solver", "builtin"], &folder.path("")).exits(0);
}

/// What was found before Ctrl-C is told, though the exit code is that of an interruption.
#[cfg(unix)]
#[test]
fn ctrl_c_does_not_hide_a_failure() {
    let folder = folder();
    let (rest, code) = interrupted(&folder, "model:wrong.sts", "\"verdict\":\"fail\"");
    assert_eq!(code, Some(130));
    let summary: Value = serde_json::from_str(rest.lines().last().unwrap()).unwrap();
    assert_eq!((&summary["verdict"], &summary["exit"]), (&"fail".into(), &130.into()));
    assert_eq!((&summary["end"], &summary["bad"][0]["code"]), (&"interrupted".into(), &"sioco::V001".into()));
}

/// The adapter never says a word, and is waited for when the signal comes.
#[cfg(unix)]
#[test]
fn ctrl_c_does_not_wait_for_an_adapter_that_hangs() {
    let folder = folder();
    folder.program("hangs.sh", "while read -r line; do :; done");
    let began = std::time::Instant::now();
    let (_, code) = interrupted(&folder, "./hangs.sh", "\"format\"");
    assert_eq!(code, Some(130));
    assert!(began.elapsed().as_secs() < 60);
}

/// A solver that breaks down is not the fault of an adapter, where a model plays the system.
#[cfg(unix)]
#[test]
fn trouble_of_a_played_model_is_named_as_what_it_is() {
    let folder = folder();
    folder.program("broken.sh", "exit 3\n");
    let model = "input i(x: Int)\noutput o(y: Int)\nprocess A {\n  var f: Int = 0\n  init s { go: ?i(x) / f := x -> t }\n  state t { a: !o(any y) [y * y * y + y * y == f * f * 7 + 5] -> s }\n}\n";
    folder.write("hard.sts", model);
    folder.write("spec.sts", &model.replace(" [y * y * y + y * y == f * f * 7 + 5]", ""));
    folder.write("zero.sts", &model.replace("y * y * y + y * y == f * f * 7 + 5", "y == 7 div (f - f)"));
    let args = |sut| ["test", "spec.sts", "--sut", sut, "--cover", "random:1", "--max-steps", "5", "--seed", "1"];
    let run = |sut| sioco_in(&[&args(sut)[..], &["--solver", "./broken.sh"]].concat(), &folder.path(""));
    run("model:hard.sts")
        .exits(5)
        .stdout_has("error[solver]: the played model cannot go on")
        .stdout_has("sioco doctor");
    let undefined = run("model:zero.sts");
    undefined.exits(5).stdout_has("error[model]: ").stdout_has("zero.sts:").stdout_has("division by zero, where f = ");
    for told in [run("model:hard.sts").stdout, undefined.stdout] {
        assert!(!told.contains("adapter"), "{told}");
    }
}

/// A variable that only a purpose reads still matters: states that differ in it are not one.
#[test]
fn what_a_purpose_reads_matters() {
    let folder = folder();
    let model = "input go\noutput o\nprocess P {\n  var n: Int = 0\n  init a { ?go -> m  !o [n > 100] -> a }\n  \
                 state m { one: tau / n := 1 -> s  two: tau / n := 2 -> s }\n  state s { !o -> b }\n  \
                 state b { ?go / n := 0 -> c }\n  state c { !o -> a }\n}\n\
                 purpose One { ?go; !o; at b [n == 1]; ?go }\npurpose Two { ?go; !o; at b [n == 2]; ?go }\n";
    folder.write("p.sts", model);
    for purpose in ["One", "Two"] {
        let cover = format!("purpose:{purpose}");
        let run = sioco_in(&["test", "p.sts", "--sut", "model:p.sts", "--cover", &cover], &folder.path(""));
        run.exits(0).stdout_has("0 of 1 reached, 1 more possibly");
    }
}
