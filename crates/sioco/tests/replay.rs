//! `sioco replay`: recorded runs again, against the same system and others.

// Lints know tests by their attribute, which helpers do not have.
#![allow(clippy::unwrap_used)]

// Each test program uses a part of it.
#[allow(dead_code)]
mod support;

use std::fs;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;
use support::{Folder, Run, sioco_in};

const MODEL: &str = "\
const N: Int = 15
input  inX(p: Int in 1..10)
output outX(p: Int)
output done

process Accumulator {
  var x: Int = 0
  init l0 {
    add:    ?inX(p)         / x := x + p -> l1
    finish: !done   [x > N]              -> l2
  }
  state l1 { tell: !outX(x) -> l0 }
  final l2
}
";

/// Tests run at the same time, each in a folder of its own, with a model and a wrong system in it.
fn folder() -> Folder {
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    let folder = Folder::new(&format!("replay-{}", NUMBER.fetch_add(1, Ordering::Relaxed)));
    folder.write("acc.sts", MODEL);
    folder.write("wrong.sts", &MODEL.replace("!outX(x)", "!outX(if x > 15 then x + 1 else x)"));
    folder
}

fn record(folder: &Folder, options: &[&str]) -> Run {
    let mut args = vec!["test", "acc.sts", "--seed", "2", "--solver", "builtin"];
    args.extend(options);
    sioco_in(&args, &folder.path(""))
}

fn replay(folder: &Folder, options: &[&str]) -> Run {
    // The journals are those of these tests; what others may do is tested elsewhere.
    let mut args = vec!["replay", "--trust"];
    args.extend(options);
    args.extend(["--solver", "builtin"]);
    sioco_in(&args, &folder.path(""))
}

#[test]
fn a_failure_is_found_again_or_is_fixed() {
    let folder = folder();
    record(&folder, &["--sut", "model:wrong.sts", "--fail-fast"]).exits(1);
    let files = fs::read_dir(folder.path(".sioco/runs")).unwrap();
    let names: Vec<String> = files.map(|f| f.unwrap().path().file_stem().unwrap().to_str().unwrap().into()).collect();
    let id = names[0].as_str();
    // The system that was tested is the one that is taken.
    let run = replay(&folder, &[id]);
    run.exits(1).stderr_is("").stdout_has("error[sioco::V001]").stdout_has(", but the SUT sent ");
    run.stdout_has("fails again, 3 times, with the same failure\n");
    let run = replay(&folder, &[id, "--sut", "model:acc.sts"]);
    run.exits(0).stderr_is("").stdout_has("FIXED  run ").stdout_has("no longer fails, tried 3 times\n");
    replay(&folder, &[id, "--sut", "model:acc.sts", "--times", "1"]).exits(0).stdout_has("tried once\n");
    let file = format!(".sioco/runs/{id}.jsonl");
    replay(&folder, &[&file, "--sut", "model:acc.sts"]).exits(0);
    // What a system makes up each time is no other failure.
    folder.write("other.sts", &MODEL.replace("!outX(x)", "!outX(if x > 15 then x + 2 else x)"));
    let run = replay(&folder, &[id, "--sut", "model:other.sts"]);
    run.exits(1).stdout_has("fails again, 3 times, with the same failure but for its values\n");
    // A model that allows it: nothing is wrong any more.
    folder.write("acc.sts", &MODEL.replace("!outX(x)", "!outX(if x > 15 then x + 1 else x)"));
    replay(&folder, &[id]).exits(0).stderr_has("has changed since the journal was written");
}

/// An accumulator in a few lines of shell, which is wrong in every other run.
#[cfg(unix)]
const MOODY: &str = r#"
while read -r line; do
  case $line in
    *'"hello"'*) echo '{"type":"hello","protocol":1,"name":"moody","inputs":["inX"],"outputs":["outX","done"],"order":"sut"}';;
    *'"reset"'*) x=0; run=$(echo "$line" | sed 's/.*"run":\([0-9]*\).*/\1/'); echo "{\"type\":\"ready\",\"run\":$run}";;
    *'"input"'*)
      id=$(echo "$line" | sed 's/.*"id":\([0-9]*\).*/\1/'); p=$(echo "$line" | sed 's/.*"p":\([0-9]*\).*/\1/')
      x=$((x + p)); y=$((x + run % 2))
      echo "{\"type\":\"accepted\",\"id\":$id}"; echo "{\"type\":\"output\",\"gate\":\"outX\",\"args\":{\"p\":$y},\"run\":$run}";;
    *'"bye"'*) exit;;
  esac
done
"#;

#[cfg(unix)]
#[test]
fn what_fails_sometimes_is_flaky() {
    let folder = folder();
    folder.program("moody.sh", MOODY);
    // A long silence would be wrong, too; what is asked for here is the sum.
    let options = ["--sut", "./moody.sh", "--fail-fast", "--journal", "j.jsonl", "--cover", "switch", "--no-shrink"];
    record(&folder, &options).exits(1).stdout_has("FAIL  Accumulator");
    let run = replay(&folder, &["j.jsonl"]);
    run.exits(3).stdout_has("FLAKY  run 1 failed 2 of 3 times\n").stdout_has("error[sioco::V001]");
    replay(&folder, &["j.jsonl", "--times", "1"]).exits(1).stdout_has("FAILED  run 1 fails again, once");
}

/// What failed only sometimes when it was shrunk may pass a few times by chance.
#[cfg(unix)]
#[test]
fn what_failed_sometimes_before_is_not_fixed_by_a_few_passes() {
    let folder = folder();
    folder.program("moody.sh", MOODY);
    let options = ["--sut", "./moody.sh", "--fail-fast", "--journal", "j.jsonl", "--cover", "switch"];
    let run = record(&folder, &options);
    let rate = (1..5).find(|n| run.exits(1).stdout.contains(&format!("fails in {n} of 5 runs"))).expect("a rate");
    folder.program("moody.sh", &MOODY.replace("y=$((x + run % 2))", "y=$x"));
    let run = replay(&folder, &["j.jsonl"]);
    run.exits(3).stdout_has(&format!("tried 3 times; but it failed in {rate} of 5 runs when it was shrunk\n"));
    let enough = 50_u64.div_ceil(rate).to_string();
    run.stdout_has(&format!("this does not show that it is fixed: `--times {enough}` would\n"));
    replay(&folder, &["j.jsonl", "--times", &enough]).exits(0).stdout_has("FIXED  run ");
}

/// What did not fail again when it was shrunk was not mended by anybody if it does not fail now.
#[cfg(unix)]
#[test]
fn what_never_failed_again_is_not_fixed() {
    let folder = folder();
    // It is wrong in its first run, and never again.
    let once = MOODY.replace("y=$((x + run % 2))", "y=$((x + (run == 1)))");
    folder.program("once.sh", &once);
    let options = ["--sut", "./once.sh", "--fail-fast", "--journal", "j.jsonl", "--cover", "switch"];
    let run = record(&folder, &options);
    run.exits(1).stdout_has("did not fail again in 6 runs").stdout_has("`sioco adapter check`");
    assert!(
        fs::read_to_string(folder.path("j.jsonl")).unwrap().contains(r#""type":"again","run":1,"failed":0,"of":6}"#)
    );
    // Its runs are numbered from 1 again.
    folder.program("once.sh", &MOODY.replace("y=$((x + run % 2))", "y=$x"));
    let run = replay(&folder, &["j.jsonl"]);
    run.exits(3).stdout_has("FLAKY  run 1 does not fail, tried 3 times; but it did not fail when it was shrunk either");
    run.stdout_has("it fails only sometimes");
    let run = replay(&folder, &["j.jsonl", "--format", "json"]);
    let last: Value = serde_json::from_str(run.stdout.lines().last().unwrap()).unwrap();
    assert_eq!(last["outcome"], "FLAKY");
    assert_eq!(last["again"], serde_json::json!({ "failed": 0, "of": 6 }));
    folder.program("once.sh", &once);
    replay(&folder, &["j.jsonl"]).exits(3).stdout_has("FLAKY  run 1 failed 1 of 3 times\n");
}

#[test]
fn a_run_can_be_chosen() {
    let folder = folder();
    record(&folder, &["--sut", "model:acc.sts", "--cover", "switch", "--journal", "j.jsonl"]).exits(0);
    replay(&folder, &["j.jsonl"]).exits(4).stderr_has("no run of `j.jsonl` failed").stderr_has("`--run N`");
    replay(&folder, &["j.jsonl", "--run", "1"]).exits(0).stdout_has("PASSED  run 1 passes, tried 3 times");
    replay(&folder, &["j.jsonl", "--run", "1", "--sut", "model:wrong.sts"])
        .exits(1)
        .stdout_has("which did not fail when it was recorded");
    replay(&folder, &["j.jsonl", "--run", "99"]).exits(2).stderr_has("there is no run 99").stderr_has("from 1 to 1");
}

#[test]
fn programs_get_records_and_an_outcome() {
    let folder = folder();
    record(&folder, &["--sut", "model:wrong.sts", "--fail-fast", "--journal", "j.jsonl"]).exits(1);
    let run = replay(&folder, &["j.jsonl", "--format", "json", "--times", "2"]);
    let lines: Vec<Value> = run.exits(1).stdout.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    let last = lines.last().unwrap();
    assert_eq!((&last["type"], &last["outcome"]), (&"replay".into(), &"FAILED".into()));
    assert_eq!(last["failed"], 2);
    assert_eq!(last["times"].as_array().unwrap().len(), 2);
    assert_eq!(lines.iter().filter(|l| l["type"] == "run" && l["aim"] == "replay").count(), 2);
}

#[test]
fn constants_and_systems_are_chosen_as_they_were() {
    let folder = folder();
    record(&folder, &["--sut", "model:wrong.sts", "--const", "N=12", "--fail-fast", "--journal", "j.jsonl"]).exits(1);
    let run = replay(&folder, &["j.jsonl"]);
    assert!(!run.stderr.contains("has changed"), "{}", run.stderr);
    run.exits(1);
    replay(&folder, &["j.jsonl", "--const", "N=13"]).stderr_has("has changed since");
    let systems = MODEL.to_owned()
        + "\nprocess Other {\n  init a { ?inX(p) -> b }\n  state b { !outX(0) -> a }\n}\nsystem One = Accumulator\nsystem Two = Other\n";
    folder.write("acc.sts", &systems);
    let options = ["--sut", "model:wrong.sts", "--fail-fast", "--journal", "s.jsonl", "--cover", "random"];
    record(&folder, &options).exits(2).stderr_has("--system");
    let chosen: Vec<&str> = options.iter().copied().chain(["--system", "Two"]).collect();
    record(&folder, &chosen).exits(1);
    replay(&folder, &["s.jsonl"]).exits(1).stderr_is("").stdout_has("with the same failure");
}

#[test]
fn bad_input_is_told() {
    let folder = folder();
    replay(&folder, &["k7Qp2"]).exits(2).stderr_has("there is no journal `k7Qp2`").stderr_has("`sioco test FILE");
    record(&folder, &["--sut", "model:wrong.sts", "--fail-fast"]).exits(1);
    replay(&folder, &["k7Qp2x"]).exits(2).stderr_has("there is no journal `k7Qp2x`").stderr_has("`");
    replay(&folder, &["acc.sts"]).exits(2).stderr_has("acc.sts:1: this is not a journal");
    folder.write("empty.jsonl", "");
    replay(&folder, &["empty.jsonl"]).exits(2).stderr_has("the file is empty");
    record(&folder, &["--sut", "model:wrong.sts", "--fail-fast", "--journal", "j.jsonl"]).exits(1);
    replay(&folder, &["j.jsonl", "--times", "0"]).exits(2).stderr_has("0 is not in 1..");
    replay(&folder, &["j.jsonl", "--quiescence", "0"]).exits(2);
    replay(&folder, &["j.jsonl", "--sut", "tcp://x"]).exits(2).stderr_has("the port is missing");
    replay(&folder, &["j.jsonl", "--model", "no.sts"]).exits(2).stderr_has("no.sts");
    replay(&folder, &["j.jsonl", "--sut", "./no-such-program"]).exits(5).stdout_has("ERROR  run ");
    let text = fs::read_to_string(folder.path("j.jsonl")).unwrap();
    // Cut before the failing run is over, it has not failed.
    let cut: String = text.lines().take(4).map(|l| format!("{l}\n")).collect();
    folder.write("cut.jsonl", &cut);
    replay(&folder, &["cut.jsonl"]).exits(4).stderr_has("the journal ends before the end of the campaign");
    folder.write("bad.jsonl", &text.replacen("\"type\":\"accepted\"", "\"type\":7", 1));
    replay(&folder, &["bad.jsonl"]).exits(2).stderr_has("`type` must be a string");
    // The model is gone.
    fs::remove_file(folder.path("acc.sts")).unwrap();
    replay(&folder, &["j.jsonl"]).exits(2).stderr_has("acc.sts").stderr_has("`--model FILE`");
}

const CHOICE: &str = "\
input  a
output x
output y
output z
process P {
  init s { ?a -> t }
  state t { !x -> s !y -> s }
}
";

/// A system that may do several things does again what it did when it failed; what it cannot do any more is fixed.
#[test]
fn a_model_that_is_played_chooses_as_it_was_recorded() {
    let folder = folder();
    folder.write("choice.sts", CHOICE);
    folder.write("seldom.sts", &CHOICE.replace("!y -> s", "!y -> s !x -> s !y -> s !x -> s !z -> s"));
    let mut elsewhere = 0;
    for seed in ["1", "2", "3", "4"] {
        for more in [&["--no-shrink"][..], &[]] {
            let args = ["test", "choice.sts", "--sut", "model:seldom.sts", "--solver", "builtin", "--seed", seed];
            let options = ["--fail-fast", "--cover", "random", "--journal", "j.jsonl"];
            sioco_in(&[&args[..], &options, more].concat(), &folder.path("")).exits(1);
            for times in ["1", "5"] {
                let run = replay(&folder, &["j.jsonl", "--times", times]);
                run.exits(1).stdout_has("FAILED  run ").stdout_has("with the same failure\n");
            }
            replay(&folder, &["j.jsonl", "--sut", "model:choice.sts"]).exits(0).stdout_has("FIXED  run ");
            // Where it was cannot be reached any more: that says nothing about what it would do there.
            folder.write(
                "other.sts",
                &CHOICE
                    .replace("?a -> t", "?a -> u")
                    .replace("state t", "state u { !x -> v }\n  state v { ?a -> u }\n  state t"),
            );
            let run = replay(&folder, &["j.jsonl", "--sut", "model:other.sts"]);
            // The first answer was the one that failed, or all before it was `x`.
            if run.stdout.contains("FIXED") {
                run.exits(0);
            } else {
                run.exits(3).stdout_has("NOT REPRODUCED  run ").stdout_has("took another allowed path before");
                elsewhere += 1;
            }
        }
    }
    assert!(elsewhere > 0, "it never went another way");
}

/// The same where values are free at the start, or chosen by the system.
#[test]
fn a_model_that_is_played_has_the_values_that_were_recorded() {
    let folder = folder();
    let text = "\
input  ask
output tell(n: Int)
output any_(n: Int)
process P {
  var n: Int = any
  init s { ?ask -> t }
  state t { !tell(n) -> u }
  state u { !any_(any k) [k > n] -> s }
}
";
    folder.write("free.sts", text);
    folder
        .write("wrong.sts", &text.replace("!any_(any k) [k > n] -> s", "!any_(any k) [k > n] -> s !any_(n - 1) -> s"));
    for seed in ["1", "2", "3"] {
        let args =
            ["test", "free.sts", "--sut", "model:wrong.sts", "--solver", "builtin", "--seed", seed, "--fail-fast"];
        let run = sioco_in(&[&args[..], &["--cover", "random", "--journal", "j.jsonl"]].concat(), &folder.path(""));
        run.exits(1).stdout_has("error[sioco::V001]");
        replay(&folder, &["j.jsonl"]).exits(1).stdout_has("fails again, 3 times, with the same failure\n");
        replay(&folder, &["j.jsonl", "--sut", "model:free.sts"]).exits(0).stdout_has("FIXED  run ");
    }
}

/// A system that goes another way now and then may go the wrong one the next time: a few runs do not show that it is
/// mended.
#[cfg(unix)]
#[test]
fn a_system_that_chooses_is_not_fixed_by_choosing_otherwise() {
    let folder = folder();
    folder.write("choice.sts", CHOICE);
    // What it says is decided by the number of the run.
    let system = |says: &str| {
        MOODY
            .replace(r#""inputs":["inX"],"outputs":["outX","done"]"#, r#""inputs":["a"],"outputs":["x","y","z"]"#)
            .replace("x=$((x + p)); y=$((x + run % 2))", says)
            .replace(r#"\"gate\":\"outX\",\"args\":{\"p\":$y}"#, r#"\"gate\":\"$says\""#)
    };
    folder.program("sut.sh", &system("says=z"));
    let args = ["test", "choice.sts", "--sut", "./sut.sh", "--solver", "builtin", "--seed", "1", "--no-shrink"];
    let run = sioco_in(
        &[&args[..], &["--fail-fast", "--cover", "random", "--journal", "j.jsonl"]].concat(),
        &folder.path(""),
    );
    run.exits(1);
    replay(&folder, &["j.jsonl"]).exits(1).stdout_has("FAILED");
    folder.program("sut.sh", &system("says=x; [ $((run % 2)) = 0 ] && says=y"));
    let run = replay(&folder, &["j.jsonl"]);
    run.exits(3).stdout_has("NOT REPRODUCED  run 1 does not fail, tried 3 times; but the SUT made another choice");
    run.stdout_has("  this does not show that it is fixed: `--times 10` tries more often\n");
    let run = replay(&folder, &["j.jsonl", "--format", "json"]);
    let last: Value = serde_json::from_str(run.stdout.lines().last().unwrap()).unwrap();
    assert_eq!((&last["outcome"], &last["exit"]), (&"NOT REPRODUCED".into(), &3.into()));
    assert_eq!(last["times"][0]["point"], "same");
    replay(&folder, &["j.jsonl", "--times", "10"])
        .exits(0)
        .stdout_has("FIXED  run 1 no longer fails, tried 10 times\n");
    folder.program("sut.sh", &system("says=x"));
    replay(&folder, &["j.jsonl"]).exits(0).stdout_has("FIXED  run 1 ");
}
