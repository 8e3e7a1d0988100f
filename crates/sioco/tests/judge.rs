//! `sioco judge`: the verdict on logs in all their forms, and on damaged ones.

// Lints know tests by their attribute, which helpers do not have.
#![allow(clippy::unwrap_used)]

// Each test program uses a part of it.
#[allow(dead_code)]
mod support;

use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;
use sioco_report::run::code::Code;
use support::{Folder, Run, sioco, sioco_in, sioco_with_input};

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

/// Tests run at the same time, each in a folder of its own, with a model in it.
fn folder() -> Folder {
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    let folder = Folder::new(&format!("judge-{}", NUMBER.fetch_add(1, Ordering::Relaxed)));
    folder.write("acc.sts", MODEL);
    folder
}

fn judge(folder: &Folder, log: &str, options: &[&str]) -> Run {
    folder.write("log.txt", log);
    let mut args = vec!["judge", "acc.sts", "log.txt", "--solver", "builtin"];
    args.extend(options);
    sioco_in(&args, &folder.path(""))
}

#[test]
fn traces_in_text_are_judged() {
    let folder = folder();
    let good = "// a remark\n?inX(6)\ntell: !outX(6)\ndelta\nadd: ?inX(p=10)\n!outX(16)\n!done\ndelta\n";
    judge(&folder, good, &[]).exits(0).stderr_is("").stdout_is(
        "PASS  Accumulator against `log.txt`: 1 run, 7 steps\n  runs       1 pass\n  coverage   3 of 3 switches surely taken (100%)\n",
    );
    let run = judge(&folder, "?inX(6)\n\n!outX(7)\n!outX(7)\nreset\n?inX(1)\n!outX(1)\n", &[]);
    run.exits(1).stderr_is("").stdout_is(
        " FAIL  run 1, step 2, log.txt:3
   tester ── ?inX(p=6) ───────▶ SUT
   tester ◀────── !outX(p=7) ── SUT    ✗
error[sioco::V001]: this output is not allowed here
   ╭▸ acc.sts:11:26
   │
11 │   state l1 { tell: !outX(x) -> l0 }
   │                          ━ is 6, but the SUT sent 7
   │
   ├ note: allowed here: !outX(p = 6)
   ╰ note: hypotheses: 1 (l1, x = 6)

FAIL  Accumulator against `log.txt`: 2 runs, 4 steps
  runs       1 pass, 1 fail
  coverage   2 of 3 switches surely taken (67%)
  not taken  finish
",
    );
    for (log, code, what) in [
        ("?inX(6)\ndelta\n", 1, "error[sioco::V002]"),
        ("closed\n", 1, "error[sioco::V003]"),
        ("?inX(6)\ncrashed\n", 1, "error[sioco::V006]: the SUT crashed\n"),
        ("?inX(6)\n!crashed // a comment\n", 1, "error[sioco::V006]"),
        ("?inX(6)\n!outX(true)\n", 1, "error[sioco::V004]"),
        ("?inX(6)\n?inX(6)\n", 3, "the model does not say what happens after ?inX(p=6)"),
        // With the place in the model, and the state.
        ("?inX(6)\n?inX(6)\n", 3, "in `l1`"),
        ("?inX(6)\n?inX(6)\n", 3, "note: hypotheses: 1 (l1, x = 6)"),
        ("?inX(6)\n?inX(6)\n", 3, "  open       1 run: the model does not say what happens after ?inX\n"),
        ("", 4, ""),
        ("// nothing\nreset\n", 4, ""),
    ] {
        let run = judge(&folder, log, &[]);
        run.exits(code).stdout_has(what);
    }
    judge(&folder, "", &[]).stderr_has("there is no run in `log.txt`");
}

/// Nobody can wait longer for what was recorded.
#[test]
fn silence_in_a_log_needs_no_help_about_waiting() {
    let folder = folder();
    for silence in ["delta", "quiescent"] {
        let run = judge(&folder, &format!("?inX(6)\n{silence}\n"), &[]);
        run.exits(1).stdout_has("error[sioco::V002]: the SUT is silent").stdout_has_not("--quiescence-at");
    }
}

#[test]
fn a_trace_of_the_simulator_is_a_log() {
    let folder = folder();
    let script = "random 12\nsave trace.txt\nquit\n";
    folder.write("script", script);
    let args = ["simulate", &folder.path("acc.sts"), "--seed", "3"];
    let saved = folder.path("trace.txt");
    sioco_with_input(&args, script.replace("trace.txt", &saved).as_bytes()).exits(0);
    sioco_in(&["judge", "acc.sts", "trace.txt"], &folder.path("")).exits(0).stdout_has("PASS");
}

#[test]
fn lines_of_the_protocol_are_judged() {
    let folder = folder();
    let log = |p: i32| {
        format!(
            "{{\"type\":\"hello\",\"protocol\":1,\"order\":\"sut\"}}\n{{\"type\":\"reset\",\"run\":7}}\n> {{\"type\":\"input\",\"id\":1,\"gate\":\"inX\",\"args\":{{\"p\":6}}}}\n< {{\"type\":\"accepted\",\"id\":1}}\n< {{\"type\":\"output\",\"gate\":\"outX\",\"args\":{{\"p\":{p}}}}}\n"
        )
    };
    judge(&folder, &log(6), &[]).exits(0);
    judge(&folder, &log(7), &[]).exits(1).stdout_has(" FAIL  run 7, step 2, log.txt:5\n");
}

#[test]
fn the_order_of_a_log_matters() {
    let folder = folder();
    // The last input was sent while the system said that it is done.
    let log = "?inX(8)\n!outX(8)\n?inX(8)\n!outX(16)\n?inX(1)\n!done\n";
    judge(&folder, log, &["--order", "sut"]).exits(1);
    judge(&folder, log, &[]).exits(1);
    judge(&folder, log, &["--order", "sent"]).exits(0);
    judge(&folder, &log.replace("!done", "!outX(18)"), &["--order", "sent"]).exits(1);
    judge(&folder, log, &["--order", "mine"]).exits(2).stderr_has("possible values: sut, sent");
}

#[test]
fn standard_input_is_a_log() {
    let folder = folder();
    let model = folder.path("acc.sts");
    sioco_with_input(&["judge", &model, "-"], b"?inX(6)\n!outX(6)\n").exits(0).stdout_has("against standard input: ");
    sioco_with_input(&["judge", &model, "-"], b"?inX(6)\n!outX(7)\n").exits(1).stdout_has(", standard input:2\n");
    sioco_with_input(&["judge", &model, "-"], b"?inX(6)\nundo\n")
        .exits(2)
        .stderr_has("standard input:2: `undo` is not an event");
    sioco_with_input(&["judge", &model, "-"], b"").exits(4).stderr_has("there is no run in standard input");
}

#[test]
fn what_is_no_log_is_told_with_its_line() {
    let folder = folder();
    for (log, line, what) in [
        ("?inX(6)\n!outY(6)\n", 2, "did you mean `outX`?"),
        ("?inX(11)\n", 1, "11 is outside of"),
        ("?inX(6)\n!outX(7 div 0)\n", 2, "`7 div 0` is not a value"),
        ("hello\n", 1, "neither an event nor a switch"),
        ("?inX(6)\nundo\n", 2, "`undo` is not an event"),
        ("{\"type\":\"input\",\"gate\":\"inZ\"}\n", 1, "does not declare an input `inZ`"),
        ("{\"type\":\"input\",\n", 1, "this is not JSON"),
        ("{\"format\":\"sioco-journal\",\"version\":9}\n", 1, "version 9"),
    ] {
        judge(&folder, log, &[]).exits(2).stderr_has(&format!("log.txt:{line}: ")).stderr_has(what).stdout_is("");
    }
    folder.bytes("bytes", b"?inX(6)\n\xff\xfe\n");
    let run = sioco_in(&["judge", "acc.sts", "bytes"], &folder.path(""));
    run.exits(2).stderr_has("bytes:2: this line is not UTF-8 text");
    sioco_in(&["judge", "acc.sts", "none"], &folder.path("")).exits(2).stderr_has("cannot read `none`");
    sioco_in(&["judge", "acc.sts", "."], &folder.path("")).exits(2).stderr_has("cannot read `.`");
    sioco_in(&["judge", "none.sts", "bytes"], &folder.path("")).exits(2).stderr_has("none.sts");
}

/// Some editors mark the encoding at the start of a file.
#[test]
fn a_mark_of_the_encoding_is_passed_over() {
    let folder = folder();
    let text = journal(&folder, "60");
    for log in ["?inX(6)\n!outX(7)\n", &text] {
        let (plain, marked) = (judge(&folder, log, &[]), judge(&folder, &format!("\u{feff}{log}"), &[]));
        plain.exits(1);
        marked.exits(1).stdout_is(&plain.stdout).stderr_is(&plain.stderr);
    }
}

/// Something that broke down between runs is no verdict, whatever the runs say.
#[test]
fn breakdowns_between_runs_count() {
    let folder = folder();
    let log = "{\"type\":\"error\",\"message\":\"no paper\"}\n";
    judge(&folder, log, &[]).exits(5).stderr_has("there is no run in `log.txt`; it reports a breakdown: no paper");
    let fault =
        "{\"at\":1,\"type\":\"fault\",\"kind\":\"died\",\"message\":\"it ended\",\"stderr\":[],\"again\":true}\n";
    let args =
        ["test", "acc.sts", "--sut", "model:acc.sts", "--seed", "1", "--journal", "j.jsonl", "--max-steps", "60"];
    sioco_in(&args, &folder.path("")).exits(0);
    let text = std::fs::read_to_string(folder.path("j.jsonl")).unwrap();
    judge(&folder, &text, &[]).exits(0);
    let run = judge(&folder, &(text + fault), &[]);
    run.exits(5).stderr_has("log.txt: something broke down between runs: it ended").stdout_has("ERROR  Accumulator");
}

/// The words in brackets that are no codes have pages, too.
#[test]
fn words_in_brackets_are_explained() {
    for (word, head) in [
        ("refused", "error[refused]\n"),
        ("Inconclusive", "warning[inconclusive]\n"),
        ("adapter", "error[adapter]\n"),
        ("model", "error[model]\n"),
        ("solver", "error[solver]\n"),
    ] {
        sioco(&["explain", word]).exits(0).stderr_is("").stdout_has(head);
        sioco(&["explain"]).exits(0).stdout_has(&format!("\n{}  ", word.to_lowercase()));
    }
    sioco(&["explain", "refusd"]).exits(2).stderr_has("did you mean `refused`?");
}

/// A journal of a campaign in which some runs fail.
fn journal(folder: &Folder, steps: &str) -> String {
    folder.write("wrong.sts", &MODEL.replace("!outX(x)", "!outX(if x > 15 then x + 1 else x)"));
    let args = ["test", "acc.sts", "--sut", "model:wrong.sts", "--seed", "11", "--journal", "j.jsonl"];
    let args: Vec<&str> = args.into_iter().chain(["--max-steps", steps, "--solver", "builtin"]).collect();
    sioco_in(&args, &folder.path("")).exits(1);
    std::fs::read_to_string(folder.path("j.jsonl")).unwrap()
}

#[test]
fn a_journal_gets_the_verdicts_that_it_has() {
    let folder = folder();
    let text = journal(&folder, "300");
    let run = judge(&folder, &text, &["--format", "json"]);
    let found: Vec<Value> = run.exits(1).stdout.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    let (summary, verdicts) = found.split_last().unwrap();
    assert_eq!(summary["verdict"], "fail");
    let recorded: Vec<Value> = text.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    let recorded: Vec<&Value> = recorded.iter().filter(|l| l["type"] == "verdict").collect();
    assert_eq!(verdicts.len(), recorded.len());
    let mut failed = 0;
    for (judged, was) in verdicts.iter().zip(recorded) {
        // A log has no purposes.
        let fails = was["verdict"] == "fail";
        failed += usize::from(fails);
        assert_eq!(judged["verdict"] == "fail", fails, "{judged} {was}");
        assert_eq!(judged["steps"], was["steps"]);
        if fails {
            assert_eq!(judged["cause"], was["cause"]);
            assert_eq!(judged["code"], "sioco::V001");
        }
    }
    assert!(failed > 3, "{failed}");
}

#[test]
fn every_part_of_a_journal_is_judged() {
    let folder = folder();
    let text = journal(&folder, "12");
    let head = text.find('\n').unwrap();
    // In steps that meet every kind of place in a line.
    for end in (0..text.len()).step_by(37).chain(head.saturating_sub(2)..head + 3) {
        let run = judge(&folder, &text[..text.floor_char_boundary(end)], &[]);
        let begun = text[..end].contains("\"type\":\"run\"");
        match (end < head, begun) {
            (true, _) | (false, false) => run.exits(4),
            // Whatever is there is allowed, or the one wrong output.
            (false, true) => {
                // With or without the end of its last line.
                let whole = text[..end].trim_end().ends_with('}') && text[..end].contains("\"type\":\"end\"");
                assert_eq!(run.stderr.contains("log.txt: "), !whole, "{end}: {}", run.stderr);
                &run
            }
        };
    }
}

#[test]
fn a_journal_of_another_model_is_judged_by_this_one() {
    let folder = folder();
    let text = journal(&folder, "60");
    // In this model the wrong system is right.
    folder.write("acc.sts", &MODEL.replace("!outX(x)", "!outX(if x > 15 then x + 1 else x)"));
    let run = judge(&folder, &text, &[]);
    run.exits(0).stderr_has("`Accumulator` has changed since the journal was written");
    // A gate that is gone is an error with its line.
    folder.write("acc.sts", &MODEL.replace("inX", "put"));
    judge(&folder, &text, &[]).exits(2).stderr_has("log.txt:3: the model has no input `inX`");
}

/// The examples of the pages: the wrong trace gets the code, the right one passes.
#[test]
fn every_code_has_a_page_with_examples() {
    let folder = folder();
    let list = sioco(&["explain"]);
    for code in Code::ALL {
        list.stdout_has(&format!("\n{}  ", code.short()));
        sioco(&["explain", code.short()]).exits(0).stderr_is("").stdout_has(&format!("error[{code}]\n"));
        let page = code.page();
        let block = |fence: &str| page.split(&format!("```{fence}\n")).nth(1).map(|b| b.split("```").next().unwrap());
        let Some(model) = block("sts") else {
            // There is no log in which that counts.
            assert_eq!(code, Code::Refused);
            continue;
        };
        let path = folder.write("page.sts", model);
        sioco(&["check", &path]).exits(0).stderr_is("");
        sioco(&["fmt", "--check", &path]).exits(0);
        let log = folder.write("wrong.txt", block("trace wrong").unwrap());
        sioco(&["judge", &path, &log]).exits(1).stdout_has(&format!("error[{code}]: "));
        let log = folder.write("right.txt", block("trace right").unwrap());
        sioco(&["judge", &path, &log]).exits(0);
    }
    sioco(&["explain", "V01"]).exits(2).stderr_has("did you mean `V0");
}

/// Damaged logs of all forms are read or refused: nothing panics, and whatever is read can be judged.
#[test]
fn damaged_logs_do_no_harm() {
    use sioco_exec::judge::judge;
    use sioco_exec::{Order, Referee};
    use sioco_solve::BackEnd;
    use sioco_solve::values::{Bounds, Random};
    let folder = folder();
    let model = sioco_lang::check_text("acc.sts", MODEL).model.unwrap().model;
    let solvers = || -> Box<dyn Bounds> { Box::new(BackEnd::BuiltIn.chain()) };
    let text = "?inX(6)\ntell: !outX(6)\ndelta\nreset\nadd: ?inX(p=10)\n!outX(\"a\")\nclosed\n";
    let protocol = "{\"type\":\"hello\",\"order\":\"sent\"}\n{\"type\":\"reset\",\"run\":1}\n{\"type\":\"input\",\"id\":1,\"gate\":\"inX\",\"args\":{\"p\":6}}\n{\"type\":\"accepted\",\"id\":1}\n{\"type\":\"output\",\"gate\":\"outX\",\"args\":{\"p\":6.0}}\n{\"type\":\"quiescent\"}\n";
    let seeds = [text.to_owned(), protocol.to_owned(), journal(&folder, "12")];
    let (mut read, mut refused) = (0, 0);
    for seed in 0..3000 {
        let mut random = Random::new(seed);
        let mut bytes = seeds[seed as usize % seeds.len()].clone().into_bytes();
        for _ in 0..1 + random.below(3) {
            let at = random.below(bytes.len() as u64) as usize;
            let end = (at + random.below(20) as usize).min(bytes.len());
            let part = bytes[at..end].to_vec();
            match random.below(5) {
                0 => bytes[at] = random.below(256) as u8,
                1 => bytes[at] = b"{}[]()\"'\n,:.-09?!/\\"[random.below(19) as usize],
                2 => drop(bytes.drain(at..end)),
                3 => drop(bytes.splice(at..at, part)),
                _ => bytes.truncate(at + 1),
            }
        }
        match sioco::run::log::read(std::path::Path::new("log"), &bytes, &model) {
            Ok(log) => {
                read += 1;
                let mut referee = Referee::new(&model, &solvers, Order::Sut);
                log.runs.iter().for_each(|run| drop(judge(&mut referee, run, Order::Sut)));
            }
            Err(failure) => {
                refused += 1;
                assert!(failure.message.is_some() && failure.help.is_some(), "seed {seed}: {failure:?}");
            }
        }
    }
    assert!(read > 300 && refused > 300, "{read} {refused}");
}

/// A question that no solver answers: not the built-in one, not one that dies, not one that does not know. What rests on it
/// is inconclusive in every command, and the question is named.
#[test]
fn an_open_question_is_never_a_pass() {
    let folder = folder();
    folder.write(
        "cubes.sts",
        "input i\noutput o(p: Int, q: Int)\nprocess P {\n  init l0 {\n    \
         cubes: !o(any a, any b) [a*a*a + b*b*b == 42*a*b + 1729111] -> l0\n    ?i -> l0\n  }\n}\n",
    );
    // A system that is always silent.
    folder.write("mute.sts", "input i\noutput o(p: Int, q: Int)\nprocess P { init l0 { ?i -> l0 } }\n");
    folder.write("delta.txt", "delta\n");
    folder.write("input.txt", "?i\n?i\n");
    let here = &folder.path("");
    let question = "it is unknown whether `cubes` is enabled";
    let solvers = ["builtin", "false", "sh -c 'cat >/dev/null'", "sh -c 'while read -r l; do echo unknown; done'"];
    // One of them is waited for until its time is over, by both commands: all of them at the same time.
    std::thread::scope(|scope| {
        for solver in solvers {
            scope.spawn(move || {
                let run = sioco_in(&["judge", "cubes.sts", "delta.txt", "--solver", solver], here);
                assert!(run.exits(3).stdout.contains(question), "{solver}: {}", run.stdout);
                let run = sioco_in(&["judge", "cubes.sts", "input.txt", "--solver", solver], here);
                run.exits(0);
            });
            scope.spawn(move || {
                let options = ["--sut", "model:mute.sts", "--cover", "random", "--max-steps", "60", "--seed", "1"];
                let run = sioco_in(&[&["test", "cubes.sts", "--solver", solver][..], &options].concat(), here);
                assert!(run.exits(3).stdout.contains(question), "{solver}: {}", run.stdout);
            });
        }
    });
}

/// Quiescence in a trace is one by the clock, which an output or the end of the system withdraws; announced, it is certain.
#[test]
fn quiescence_is_withdrawn_unless_it_was_announced() {
    let folder = folder();
    folder.write(
        "acc.sts",
        "input a\noutput o\noutput closed\nprocess P {\n  init l0 { ?a -> l1 }\n  state l1 { !o -> l0   !closed -> l2 }\n  final l2\n}\n",
    );
    for (log, code, what) in [
        ("?a\ndelta\n!o\n", 0, "quiescence was withdrawn"),
        ("?a\ndelta\ndelta\n!o\n", 0, "it would have been a failure"),
        ("?a\ndelta\nclosed\n", 0, "quiescence was withdrawn"),
        ("?a\ndelta\n", 1, "error[sioco::V002]"),
        ("?a\ndelta\n?a\n", 1, "error[sioco::V002]"),
        ("?a\nquiescent\n!o\n", 1, "error[sioco::V002]"),
        ("quiescent\n!o\n", 5, "an output came after `quiescent`"),
    ] {
        let run = judge(&folder, log, &[]);
        let text = run.exits(code).stdout.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains(what), "{log}: {}", run.stdout);
    }
}

/// The values that make a guard undefined are named, and only these; beside an `else`, the guard itself is shown.
#[test]
fn an_undefined_guard_names_its_values() {
    let folder = folder();
    for (guards, place) in [
        ("b: !p [else] -> s\n    a: !o [z > 2 && 7 div k >= 2] -> s", "acc.sts:11:5"),
        ("a: !o [z > 2 && 7 div k >= 2] -> s\n    b: !p [else] -> s", "acc.sts:10:5"),
    ] {
        let model = format!(
            "input i(x: Int in 0..3)\noutput o\noutput p\nprocess A {{\n  var k: Int = 1\n  var z: Int = 5\n  init s {{\n    go: ?i(x) / k := x -> t }}\n  state t {{\n    {guards}\n  }}\n}}\n"
        );
        folder.write("acc.sts", &model);
        for seen in ["!o", "!p", "quiescent\n?i(1)"] {
            let run = judge(&folder, &format!("?i(0)\n{seen}\n"), &[]);
            run.exits(5).stdout_has("the guard of `a` is undefined: division by zero, where k = 0\n").stdout_has(place);
            run.stdout_has("add a condition that excludes these values");
        }
    }
}

/// What a hidden value has to be for an input is told, where something else would end the run.
#[test]
fn inputs_that_only_some_hypotheses_specify_are_told() {
    let folder = folder();
    for range in ["", " in 0..9"] {
        let safe = format!(
            "input enter(code: Int)\noutput opened\nprocess Safe {{\n  var secret: Int{range} = any\n  init locked {{ try: ?enter(code) [code == secret] -> opening }}\n  state opening {{ open: !opened -> locked }}\n}}\n"
        );
        folder.write("acc.sts", &safe);
        let run = judge(&folder, "?enter(3)\ndelta\n", &[]);
        let told = "note: ?enter(code = 3) is specified only where secret = 3; the other hypotheses ended there\n";
        run.exits(1).stdout_has("error[sioco::V002]").stdout_has(told);
        let all = judge(&folder, "?enter(3)\ndelta\n", &["--format", "json"]);
        all.stdout_has("\"only\":\"where secret = 3\"");
        // After the first time it is known.
        let again = judge(&folder, "?enter(3)\n!opened\n?enter(3)\ndelta\n", &[]);
        again.exits(1).stdout_has(told);
        assert_eq!(again.stdout.matches("is specified only").count(), 1, "{}", again.stdout);
    }
    // No value tells them apart, or only the location does; what moves on by itself did not end.
    for (locked, told) in [
        (
            "a: ?enter(code) [code == secret + other] -> opening",
            "is specified only by 3 of 9 hypotheses; the other hyp",
        ),
        ("a: ?enter(code) [secret != 1] -> opening", "is specified only where secret = 0 or secret = 2; the other hyp"),
    ] {
        let safe = format!(
            "input enter(code: Int)\noutput opened\nprocess Safe {{\n  var secret: Int in 0..2 = any\n  var other: Int in 0..2 = any\n  init locked {{ {locked} }}\n  state opening {{ open: !opened [secret + other >= 0] -> locked }}\n}}\n"
        );
        folder.write("acc.sts", &safe);
        judge(&folder, "?enter(2)\ndelta\n", &[]).exits(1).stdout_has(told);
    }
    let moves =
        "input go\noutput o\nprocess P {\n  init a { tau -> b }\n  state b { ?go -> c }\n  state c { !o -> a }\n}\n";
    let parts = "input set\ninput go\noutput o\nprocess P {\n  init a { l: ?set -> b\n    r: ?set -> d }\n  state b { ?go -> c }\n  state c { !o -> a }\n  state d { ?set -> d }\n}\n";
    folder.write("acc.sts", moves);
    let run = judge(&folder, "?go\ndelta\n", &[]);
    assert!(!run.exits(1).stdout.contains("is specified"), "{}", run.stdout);
    folder.write("acc.sts", parts);
    judge(&folder, "?set\n?go\ndelta\n", &[]).exits(1).stdout_has("?go is specified only in `b`; the other hyp");
}

/// Hypotheses that differ only in what nothing reads any more are one.
#[test]
fn hypotheses_that_do_the_same_are_one() {
    let folder = folder();
    let model = "input a\noutput o\noutput p\nprocess P {\n  var secret: Int in 0..9 = any\n  init s { low: ?a [secret < 5] -> t\n    high: ?a [secret >= 5] -> u }\n  state t { x: !o -> t }\n  state u { y: !o -> u }\n}\n";
    folder.write("acc.sts", model);
    let shown = "hypotheses: 2\n          t, secret no longer matters\n          u, secret no longer matters\n";
    judge(&folder, "?a\n!p\n", &[]).exits(1).stdout_has(shown);
    folder.write("acc.sts", &model.replace("-> u }", "-> t }"));
    let one = "hypotheses: 1 (t, secret no longer matters)\n";
    judge(&folder, "?a\n!p\n", &[]).exits(1).stdout_has(one);
    // What is still read is told apart.
    folder.write("acc.sts", &model.replace("-> u }", "-> t }").replace("!o -> t", "!o [secret < 3] -> t"));
    let several = judge(&folder, "?a\n!p\n", &[]);
    several.exits(1).stdout_has("t, secret = 0\n").stdout_has("t, secret = 7\n").stdout_has("… and 2 more\n");
}

/// Shells take quotes away, so the whole word is told that keeps them.
#[test]
fn a_string_without_quotes_gets_the_word_to_type() {
    let folder = folder();
    for (declared, value, word) in [
        (": String", "bob", r#"`--const 'NAME="bob"'`"#),
        ("", "bob", r#"`--const 'NAME="bob"'`"#),
        (": String", "hello world", r#"`--const 'NAME="hello world"'`"#),
        (": String", "it's", r#"`--const 'NAME="it'\''s"'`"#),
        (": String", "7", r#"`--const 'NAME="7"'`"#),
        (": String", "true", r#"`--const 'NAME="true"'`"#),
    ] {
        folder.write("acc.sts", &format!("const OTHER = \"x\"\nconst NAME{declared} = \"a\"\n{MODEL}"));
        let run = sioco_in(&["check", "acc.sts", "--const", &format!("NAME={value}")], &folder.path(""));
        run.exits(2).stdout_has("`NAME` is a String, and strings have double quotes").stdout_has(word);
        assert_eq!(run.stdout.matches("error[").count(), 1, "{}", run.stdout);
        let right = sioco_in(&["check", "acc.sts", "--const", &format!("NAME=\"{value}\"")], &folder.path(""));
        right.exits(0);
    }
    let run = |value: &str| sioco_in(&["check", "acc.sts", "--const", value], &folder.path(""));
    run("NAME=OTHER").exits(0);
    run("NAME=OTHR").exits(2).stdout_has("did you mean `OTHER`?");
    run("NAME=\"open").exits(2).stdout_has("this string never ends");
}
