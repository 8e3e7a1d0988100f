//! `sioco adapter check`, with adapters that do their part and adapters that do not.
#![cfg(unix)]
// Lints know tests by their attribute, which helpers do not have.
#![allow(clippy::unwrap_used)]

// Each test program uses a part of it.
#[allow(dead_code)]
mod support;

use std::net::TcpListener;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;
use support::{Folder, Run, sioco_in};

const MODEL: &str = "\
input  ping(n: Int in 1..3)
input  knock
output pong(n: Int)
output open

process Pinger {
  var m: Int = 0
  init idle {
    hit:  ?ping(n) / m := n -> hurt
    rap:  ?knock            -> heard
  }
  state hurt { back: !pong(m) -> idle }
  state heard { door: !open -> idle }
}
";

const HELLO: &str = r#"{"type":"hello","protocol":1,"name":"pinger","order":"sut","inputs":["ping","knock"],"outputs":["pong","open"]}"#;
const READY: &str = r#"echo '{"type":"ready"}'"#;
const KNOCK: &str = r#"echo '{"type":"output","gate":"open"}'"#;
const PING: &str =
    r#"n=${line#*'"n":'}; n=${n%%\}*}; echo "{\"type\":\"output\",\"gate\":\"pong\",\"args\":{\"n\":$n}}""#;

/// An adapter in the language of the shell.
struct Shell {
    /// What it does before anything else.
    first: &'static str,
    hello: String,
    reset: &'static str,
    ping: &'static str,
    knock: &'static str,
}

impl Default for Shell {
    fn default() -> Self {
        Shell { first: "", hello: format!("echo '{HELLO}'"), reset: READY, ping: PING, knock: KNOCK }
    }
}

impl Shell {
    fn text(&self) -> String {
        let Shell { first, hello, reset, ping, knock } = self;
        format!(
            r#"
            {first}
            resets=0
            while read -r line; do
              id=${{line#*'"id":'}}; id=${{id%%,*}}; id=${{id%%\}}*}}
              case "$line" in
                *'"type":"hello"'*) {hello} ;;
                *'"type":"reset"'*) resets=$((resets + 1)); {reset} ;;
                *'"gate":"ping"'*) echo "{{\"type\":\"accepted\",\"id\":$id}}"; {ping} ;;
                *'"gate":"knock"'*) echo "{{\"type\":\"accepted\",\"id\":$id}}"; {knock} ;;
                *'"type":"bye"'*) exit 0 ;;
              esac
            done"#
        )
    }

    /// Checks it, with some options.
    fn check(&self, options: &[&str]) -> Run {
        self.check_with(MODEL, options)
    }

    /// The same, with another model of the same gates.
    fn check_with(&self, model: &str, options: &[&str]) -> Run {
        let folder = folder();
        folder.write("m.sts", model);
        let program = folder.program("adapter", &self.text());
        let mut args = vec!["adapter", "check", "m.sts", "--solver", "builtin"];
        args.extend(options);
        args.extend(["--", &program]);
        sioco_in(&args, &folder.path(""))
    }
}

/// Tests run at the same time, each in a folder of its own, with a model in it.
fn folder() -> Folder {
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    let folder = Folder::new(&format!("adapter-{}", NUMBER.fetch_add(1, Ordering::Relaxed)));
    folder.write("m.sts", MODEL);
    folder
}

#[test]
fn an_adapter_that_does_its_part() {
    let run = Shell { first: "echo starting; echo 'no problem' >&2", ..Shell::default() }.check(&[]);
    run.exits(0).stderr_is("");
    run.stdout_has("  ok    hello       `pinger`, protocol 1, ")
        .stdout_has("order `sut`: ")
        .stdout_has("  ok    gates       2 inputs and 2 outputs, those of the model\n")
        .stdout_has("  ok    reset       twice, in ")
        .stdout_has("  ok    inputs      ")
        .stdout_has("  ok    answers     ")
        .stdout_has("  ?ping !pong: ")
        .stdout_has("  ?knock !open: ")
        .stdout_has("  note  quiescence  ")
        .stdout_has("1 line on its output besides messages; at the end:\n                    starting\n")
        .stdout_has("1 line on its standard error; at the end:\n                    no problem\n")
        .stdout_has("\nthe adapter does its part")
        .stdout_has("\nnext: sioco test m.sts --sut ");
    assert!(!run.stdout.contains("fail") && !run.stdout.contains("walk"), "{}", run.stdout);
}

#[test]
fn programs_get_an_object() {
    let run = Shell::default().check(&["--format", "json", "--steps", "40"]);
    run.exits(0).stderr_is("");
    let found: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!((&found["ok"], &found["exit"]), (&true.into(), &0.into()));
    assert_eq!(found["hello"]["name"], "pinger");
    assert_eq!(found["hello"]["order"], "sut");
    assert_eq!(found["resets_ms"].as_array().unwrap().len(), 2);
    assert_eq!(found["differences"], serde_json::json!([]));
    let accepted = &found["accepted"];
    assert!(accepted["count"].as_u64() >= Some(10), "{found}");
    let times = ["min_ms", "median_ms", "max_ms"].map(|name| accepted[name].as_f64().unwrap());
    assert!(times.is_sorted(), "{times:?}");
    assert_eq!(found["answers"].as_array().unwrap().len(), 2);
    assert!(found["quiescence_ms"].as_u64() >= Some(20));
    assert!(found["checks"].as_array().unwrap().iter().all(|c| c["status"] != "fail"), "{found}");
}

#[test]
fn gates_are_compared_all_of_them() {
    let hello = HELLO.replace("\"ping\"", "\"Ping\"").replace("\"open\"", "\"opened\",\"shut\"");
    let run = Shell { hello: format!("echo '{hello}'"), ..Shell::default() }.check(&[]);
    run.exits(5);
    run.stdout_has("  fail  gates       not those of Pinger\n")
        .stdout_has("the model has the input `ping`, but the adapter does not list it: did you mean it by `Ping`?")
        .stdout_has("the adapter lists the output `opened`, but the model does not have it")
        .stdout_has("the adapter lists the output `shut`")
        .stdout_has("  ok    reset       twice")
        .stdout_has("not looked at: the gates are not those of the model")
        .stdout_has("the adapter does not do its part: 1 thing is wrong");
    let run = Shell { hello: r#"echo '{"type":"hello","protocol":1}'"#.into(), ..Shell::default() }.check(&[]);
    run.exits(0).stdout_has("  warn  gates       its hello has no `inputs` and `outputs`");
    run.stdout_has("without a name").stdout_has("order `sent`").stdout_has("the adapter does its part, ");
}

#[test]
fn resets_that_are_not_answered() {
    let run = Shell { reset: "", ..Shell::default() }.check(&["--patience", "0.3"]);
    run.exits(5)
        .stdout_has("  fail  reset       the first reset: ")
        .stdout_has("did not answer the reset within 0.3 s");
    let once = "if [ $resets = 1 ]; then echo '{\"type\":\"ready\"}'; fi";
    let run = Shell { reset: once, ..Shell::default() }.check(&["--patience", "0.3"]);
    run.exits(5).stdout_has("  fail  reset       the second reset: ");
}

#[test]
fn hellos_that_are_late_or_missing() {
    let late = Shell { first: "sleep 1.1", ..Shell::default() };
    late.check(&[]).exits(0).stdout_has("  warn  hello ").stdout_has("that is long");
    let run = Shell { first: "echo 'no license' >&2; echo hello", hello: String::new(), ..Shell::default() };
    let run = run.check(&["--patience", "0.3"]);
    run.exits(5).stdout_has("  fail  hello ").stdout_has("did not answer the hello within 0.3 s; it printed `hello`");
    run.stdout_has("stderr: no license");
    let run = Shell { hello: r#"echo '{"type":"ready"}'"#.into(), ..Shell::default() }.check(&[]);
    run.exits(5).stdout_has("its first message must be hello");
    let hello = format!("echo '{}'", HELLO.replace("\"protocol\":1", "\"protocol\":3,\"oldest\":2"));
    Shell { hello, ..Shell::default() }.check(&[]).exits(5).stdout_has("  fail  hello ");
}

#[test]
fn outputs_that_do_not_fit() {
    let ping = r#"echo '{"type":"output","gate":"pong","args":{"n":"many"}}'"#;
    let run = Shell { ping, ..Shell::default() }.check(&[]);
    run.exits(5).stdout_has("with values that do not fit the gate\n").stdout_has("!pong: `n` is `\"many\"`");
    // What fits and is wrong is no fault of the adapter, as far as anybody knows.
    let ping = r#"echo '{"type":"output","gate":"pong","args":{"n":7}}'"#;
    let run = Shell { ping, ..Shell::default() }.check(&[]);
    run.exits(0).stdout_has("  warn  walk        something that the model does not allow").stdout_has("`sioco test`");
}

/// A door that the first knock opens and the second one shuts.
const DOOR: &str = "\
input  ping(n: Int in 1..3)
input  knock
output pong(n: Int)
output open

process Door {
  init shut {
    rap:  ?knock ; !open    -> opened
    hit:  ?ping(n) ; !pong(n) -> shut
  }
  state opened { shove: ?knock ; !pong(0) -> shut }
}
";
const SWING: &str = r#"if [ "$door" = open ]; then door=shut; echo '{"type":"output","gate":"pong","args":{"n":0}}'
    else door=open; echo '{"type":"output","gate":"open"}'; fi"#;

#[test]
fn what_is_left_over_after_a_reset_is_noticed() {
    for seed in ["0", "1", "2"] {
        let run = Shell { knock: SWING, ..Shell::default() }.check_with(DOOR, &["--seed", seed]);
        run.exits(5).stdout_has("  fail  repeat      the state of the last run seems to be left over after a reset\n");
        run.stdout_has("the same inputs again fail in step ").stdout_has("at `reset`, the adapter must bring ");
        run.stdout_has("the adapter does not do its part: 1 thing is wrong");
        let reset = r#"door=shut; echo '{"type":"ready"}'"#;
        let run = Shell { knock: SWING, reset, ..Shell::default() }.check_with(DOOR, &["--seed", seed]);
        run.exits(0).stdout_has("  ok    repeat      inputs of run ").stdout_has(": nothing is left over\n");
    }
    let run = Shell { knock: SWING, ..Shell::default() }.check_with(DOOR, &["--format", "json"]);
    let found: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(found["left_over"], true, "{found}");
}

/// Where runs change nothing that the model could notice later, nobody can tell whether something is left over.
#[test]
fn what_changes_nothing_does_not_show_whether_something_is_left_over() {
    let stateless = "input ping(n: Int in 1..3)\ninput knock\noutput pong(n: Int)\noutput open\n\
                     process P {\n  init idle { ?ping(n) ; !pong(n) -> idle ?knock ; !open -> idle }\n}\n";
    // The second one remembers a number that it never looks at again.
    for model in [stateless, MODEL] {
        for seed in ["0", "1"] {
            let run = Shell::default().check_with(model, &["--seed", seed]);
            run.exits(0)
                .stdout_has("  note  repeat      inputs of run ")
                .stdout_has("answered as before, which does not");
            assert!(!run.stdout.contains("nothing is left over"), "{}", run.stdout);
        }
    }
    let of = |model: &str, shell: &Shell| {
        let run = shell.check_with(model, &["--format", "json"]);
        let found: Value = serde_json::from_str(&run.stdout).unwrap();
        found["left_over"].clone()
    };
    assert_eq!(of(stateless, &Shell::default()), Value::Null);
    let door = Shell { knock: SWING, reset: r#"door=shut; echo '{"type":"ready"}'"#, ..Shell::default() };
    assert_eq!(of(DOOR, &door), false);
}

/// What is late after one input is late after others as well, seen or not; and the first output of a run is timed, too.
#[test]
fn times_are_suggested_for_what_was_not_seen() {
    let model = DOOR
        .replace("  init shut {", "  var left: Int = 0\n  init shut {\n    never: ?ping(n) [left > 0] ; !open -> shut");
    let knock = r#"sleep 0.3; echo '{"type":"output","gate":"open"}'"#;
    let model = model.replace("!open    -> opened", "!open -> shut");
    let run = Shell { knock, ..Shell::default() }.check_with(&model, &["--steps", "30"]);
    run.exits(0).stdout_has("after ?knock, wait ");
    run.stdout_has("!open may answer ?ping, too, which was not seen: `--quiescence-at ping=");
    let next = run.stdout.lines().last().unwrap();
    assert!(next.contains(" --quiescence-at knock=") && next.contains(" --quiescence-at ping="), "{next}");
    let folder = folder();
    greeter(&folder, "sleep 0.3; echo open; while read -r line; do echo open; done");
    let args = ["adapter", "check", "m.sts", "--sut", "s", "--steps", "30", "--solver", "builtin"];
    let run = sioco_in(&args, &folder.path(""));
    run.exits(0).stdout_has("the first output of a run, in ").stdout_has(", much later than answers\n");
    run.stdout_has("at the beginning of a run, wait ").stdout_has(" --quiescence-at start=");
}

/// A system that speaks text, and that should say `open` at first.
fn greeter(folder: &Folder, program: &str) {
    folder.program("greeter", program);
    folder.write(
        "m.sts",
        "input knock\noutput open\nprocess P { init start { !open -> idle } state idle { ?knock -> start } }\n",
    );
    let dialect = "[dialect.d.inputs]\nknock = \"knock\"\n[dialect.d.outputs]\nopen = \"open\"\n";
    folder.write("sioco.toml", &format!("[sut.s]\ncommand = \"./greeter\"\ndialect = \"d\"\n{dialect}"));
}

#[test]
fn a_system_that_says_nothing_is_told_to_flush() {
    let folder = folder();
    let check = |more: &[&str]| {
        let args = ["adapter", "check", "m.sts", "--sut", "s", "--wait", "40ms", "--solver", "builtin"];
        sioco_in(&[&args, more].concat(), &folder.path(""))
    };
    greeter(&folder, "while read -r line; do :; done");
    let run = check(&["--for", "2s"]);
    run.exits(5).stdout_has("  fail  outputs     nothing was ever received, though the model requires an output\n");
    run.stdout_has("does it flush its output after every line?").stdout_has("`line-end`");
    greeter(&folder, "echo open; while read -r line; do echo open; done");
    check(&[]).exits(0);
}

/// An adapter that ends when its input does, and sends then what it held back, shows why it did not answer.
#[test]
fn output_that_is_not_flushed_is_told() {
    let held = format!("H='{HELLO}'; trap 'echo \"$H\"' EXIT");
    let run = Shell { hello: held, ..Shell::default() }.check(&["--patience", "0.3"]);
    run.exits(5)
        .stdout_has("  fail  hello ")
        .stdout_has("did not answer the hello within 0.3 s; its output waits in a buffer");
    run.stdout_has("`python3 -u`");
    // What is sent later may be held back as well.
    let run = Shell { ping: ":", knock: ":", ..Shell::default() }.check(&["--for", "1s", "--wait", "100ms"]);
    run.stdout_has("  warn  outputs     no output was ever received, though the model requires one\n");
    run.stdout_has("does it flush its output after every line? in Python `print(…, flush=True)`");
}

/// Beside the test above: both wait by the clock.
#[test]
fn a_campaign_with_a_system_that_says_nothing_ends() {
    let folder = folder();
    greeter(&folder, "while read -r line; do :; done");
    let args = ["test", "m.sts", "--sut", "s", "--patience", "3", "--seed", "1", "--no-shrink", "--solver", "builtin"];
    let run = sioco_in(&args, &folder.path(""));
    run.stdout_has("wait longer after an input with `--quiescence-at GATE=TIME`")
        .stdout_has("(silence)")
        .stdout_has("+3.");
    run.exits(1)
        .stdout_has("  runs       1 inconclusive, 4 fail\n")
        .stdout_has("  ended      the SUT sent nothing in any run");
}

#[test]
fn a_system_that_cannot_run_is_told_with_its_last_lines() {
    let folder = folder();
    // Inputs come first, and it ends only after the first one was sent.
    greeter(&folder, "sleep 0.2; echo 'no such file' >&2; exit 2");
    let model = "input knock\noutput open\nprocess P { init idle { ?knock -> start } state start { !open -> idle } }\n";
    folder.write("m.sts", model);
    let args = ["m.sts", "--sut", "s", "--solver", "builtin"];
    let run = sioco_in(&[&["adapter", "check"], &args[..]].concat(), &folder.path(""));
    run.exits(5).stdout_has("ended (exit status: 2) before it sent anything").stdout_has("no such file");
    let run = sioco_in(&[&["test"], &args[..], &["--seed", "1", "--max-steps", "5"]].concat(), &folder.path(""));
    run.exits(5).stdout_has("ended (exit status: 2) before it sent anything").stdout_has("no such file");
}

#[test]
fn how_a_program_ended_is_in_the_report() {
    let folder = folder();
    greeter(&folder, "echo open; read -r line; echo 'knocked too hard' >&2; exit 3");
    let args = ["test", "m.sts", "--sut", "s", "--seed", "1", "--max-steps", "20", "--solver", "builtin"];
    for more in [&["--no-shrink"][..], &[]] {
        let run = sioco_in(&[&args[..], more].concat(), &folder.path(""));
        run.exits(1).stdout_has("error[sioco::V006]: the SUT crashed: exit status: 3\n");
        run.stdout_has("   how it crashed:\n   │ knocked too hard\n");
    }
    let run = sioco_in(&[&args[..], &["--format", "json"]].concat(), &folder.path(""));
    let summary: Value = serde_json::from_str(run.exits(1).stdout.lines().last().unwrap()).unwrap();
    let bad = &summary["bad"][0];
    assert_eq!((&bad["code"], &bad["verdict"]), (&"sioco::V006".into(), &"fail".into()), "{bad}");
    let cause = serde_json::json!({
        "fail": "crashed", "message": "exit status: 3", "status": "exit status: 3", "details": ["knocked too hard"],
    });
    assert_eq!((&bad["cause"], &summary["runs"]["error"]), (&cause, &0.into()), "{bad}");
    // An orderly end is none the less one that the model does not allow.
    greeter(&folder, "echo open; read -r line; echo 'good bye' >&2; exit 0");
    let run = sioco_in(&args, &folder.path(""));
    run.exits(1).stdout_has("error[sioco::V003]").stdout_has("   the program ended (exit status: 0); the last lines");
    run.stdout_has("   │ good bye\n");
}

/// A model that allows a crash does not allow an orderly end, and the other way round.
#[test]
fn a_crash_may_be_allowed() {
    let folder = folder();
    let test = |end: &str, status: u8| {
        greeter(&folder, &format!("echo open; read -r line; exit {status}"));
        let model = format!(
            "input knock\noutput open\noutput {end}\nprocess P {{ init start {{ !open -> idle }} \
             state idle {{ ?knock -> ending }} state ending {{ !{end} -> over }} final over }}\n"
        );
        folder.write("m.sts", &model);
        let args = ["test", "m.sts", "--sut", "s", "--seed", "1", "--max-steps", "20", "--solver", "builtin"];
        sioco_in(&args, &folder.path(""))
    };
    test("crashed", 3).exits(0).stdout_has("PASS  P").stdout_has("3 of 3 switches surely taken (100%)");
    test("crashed", 0).exits(1).stdout_has("error[sioco::V003]: the SUT ended, which is not allowed here\n");
    test("closed", 0).exits(0).stdout_has("PASS  P");
    let run = test("closed", 3);
    run.exits(1)
        .stdout_has("error[sioco::V006]: the SUT crashed: exit status: 3\n")
        .stdout_has("allowed here: !closed");
}

#[test]
fn a_test_hints_at_what_may_be_left_over() {
    let folder = folder();
    folder.write("m.sts", DOOR);
    let run = |knock, reset| {
        let program = folder.program("adapter", &Shell { knock, reset, ..Shell::default() }.text());
        let args = ["test", "m.sts", "--sut", &program, "--seed", "1", "--max-steps", "60", "--solver", "builtin"];
        sioco_in(&args, &folder.path(""))
    };
    let hint = "the same inputs got another answer in run ";
    run(SWING, READY).exits(1).stdout_has(hint).stdout_has("`sioco adapter check` tests that\n");
    // What is always wrong has nothing to do with it.
    let wrong = run(r#"echo '{"type":"output","gate":"pong","args":{"n":7}}'"#, READY);
    assert!(!wrong.exits(1).stdout.contains(hint), "{}", wrong.stdout);
}

#[test]
fn answers_that_are_late_on_purpose_are_noticed() {
    let knock = r#"sleep 0.3; echo '{"type":"output","gate":"open"}'"#;
    // Both wait by the clock, and at the same time.
    let (late, silent) = std::thread::scope(|scope| {
        let late = scope.spawn(|| Shell { knock, ..Shell::default() }.check(&["--steps", "30"]));
        let silent = Shell { ping: "", knock: "", ..Shell::default() }.check(&["--steps", "4", "--wait", "20ms"]);
        (late.join().unwrap(), silent)
    });
    late.exits(0);
    late.stdout_has(", much later than the others\n")
        .stdout_has("  warn  late        some outputs come much later than others")
        .stdout_has("after ?knock, wait ")
        .stdout_has(" ms for the others: ")
        .stdout_has(" --quiescence-at knock=");
    // No answer at all within the time.
    silent.exits(0).stdout_has("  warn  answers     no output came within 20.0 ms of an input");
}

#[test]
fn adapters_that_break_down_on_the_way() {
    let run = Shell { ping: "echo 'out of paper' >&2; exit 3", ..Shell::default() }.check(&["--steps", "20"]);
    run.exits(5).stdout_has("  fail  walk        run ").stdout_has("it ended (exit status: 3)");
    let run = Shell { ping: "echo '{oops'", ..Shell::default() }.check(&["--steps", "20"]);
    run.exits(5).stdout_has("  fail  walk        run ").stdout_has("{oops");
    let folder = folder();
    let run = sioco_in(&["adapter", "check", "--", "./not-there"], &folder.path(""));
    run.exits(5).stdout_has("  fail  hello       `./not-there` cannot be started");
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("tcp://{}", listener.local_addr().unwrap());
    drop(listener);
    let run = sioco_in(&["adapter", "check", "m.sts", "--sut", &address, "--patience", "1"], &folder.path(""));
    run.exits(5).stdout_has("does the server run, and is the port right?");
}

#[test]
fn without_a_model_the_rest_is_checked() {
    let folder = folder();
    let program = folder.program("adapter", &Shell::default().text());
    let run = sioco_in(&["adapter", "check", "--", &program], &folder.path(""));
    run.exits(0).stdout_has("ok    hello").stdout_has("ok    reset").stdout_has("give the model");
    assert!(!run.stdout.contains("gates") && !run.stdout.contains("next:"), "{}", run.stdout);
    // One that cannot reset is started anew.
    let hello = format!("echo '{}'", HELLO.replace("\"protocol\"", "\"reset\":false,\"protocol\""));
    let run = Shell { hello, reset: "exit 9", ..Shell::default() }.check(&["--steps", "10"]);
    run.exits(0).stdout_has("  note  reset       twice").stdout_has("it is restarted for every run");
}

#[test]
fn mistakes_on_the_command_line() {
    let folder = folder();
    let run = |args: &[&str]| sioco_in(&[&["adapter", "check"], args].concat(), &folder.path(""));
    run(&[]).exits(2).stderr_has("there is no adapter to check").stderr_has("sioco adapter check model.sts -- ");
    run(&["m.sts"]).exits(2).stderr_has("there is no adapter to check");
    run(&["m.sts", "--sut", "x", "--", "y"]).exits(2).stderr_has("cannot be used with");
    run(&["no.sts", "--", "y"]).exits(2).stderr_has("cannot read `no.sts`");
    run(&["m.sts", "--sut", "model:m.sts"]).exits(2).stderr_has("is a played model");
    run(&["m.sts", "--sut", "wss://a:1"]).exits(2).stderr_has("needs TLS");
    run(&["m.sts", "--for", "0", "--", "y"]).exits(2).stderr_has("too short");
}

/// The adapter presses Ctrl-C, in effect: so nobody has to guess when it runs.
#[test]
fn it_can_be_interrupted() {
    let run = Shell { hello: "kill -INT $PPID".into(), ..Shell::default() }.check(&["--patience", "100"]);
    run.exits(130).stdout_has("interrupted");
    let run = Shell { knock: "kill -INT $PPID", ping: "kill -INT $PPID", ..Shell::default() };
    run.check(&["--wait", "100", "--for", "1000"]).exits(130).stdout_has("ok    reset").stdout_has("interrupted");
}
