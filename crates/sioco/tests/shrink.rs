//! Shrinking: failing runs in their shortest form, in reports and in journals.

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
input  inX(p: Int in 1..10)
output outX(p: Int)
output done

process Accumulator {
  var x: Int = 0
  init l0 {
    add:    ?inX(p)         / x := x + p -> l1
    finish: !done   [x > 15]             -> l2
  }
  state l1 { tell: !outX(x) -> l0 }
  final l2
}
";

/// Tests run at the same time, each in a folder of its own, with a model and a wrong system in it.
fn folder() -> Folder {
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    let folder = Folder::new(&format!("shrink-{}", NUMBER.fetch_add(1, Ordering::Relaxed)));
    folder.write("acc.sts", MODEL);
    folder.write("wrong.sts", &MODEL.replace("!outX(x)", "!outX(if x > 15 then x + 1 else x)"));
    folder
}

fn objects(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{line}: {e}"))).collect()
}

fn sioco(folder: &Folder, args: &[&str]) -> Run {
    let args: Vec<&str> = args.iter().copied().chain(["--solver", "builtin"]).collect();
    sioco_in(&args, &folder.path(""))
}

/// What the shell of a system does for each line, with the number of the reset in `n` and the sum in `x`.
#[cfg(unix)]
fn accumulator(on_reset: &str, answer: &str) -> String {
    format!(
        r#"
while read -r line; do
  case $line in
    *'"hello"'*) echo '{{"type":"hello","protocol":1,"name":"acc","inputs":["inX"],"outputs":["outX","done"],"order":"sut"}}';;
    *'"reset"'*) x=0; echo r >> resets; n=$(wc -l < resets); {on_reset}
      run=$(echo "$line" | sed 's/.*"run":\([0-9]*\).*/\1/'); echo "{{\"type\":\"ready\",\"run\":$run}}";;
    *'"input"'*)
      id=$(echo "$line" | sed 's/.*"id":\([0-9]*\).*/\1/'); p=$(echo "$line" | sed 's/.*"p":\([0-9]*\).*/\1/')
      x=$((x + p)); y=$x; {answer}
      echo "{{\"type\":\"accepted\",\"id\":$id}}"
      [ -n "$y" ] && echo "{{\"type\":\"output\",\"gate\":\"outX\",\"args\":{{\"p\":$y}},\"run\":$run}}";;
    *'"bye"'*) exit;;
  esac
done
"#
    )
}

/// The mutants of BRP get as short as is known to be possible (in steps: an input and an output each), and what is found
/// stands in the journal, where it is judged and does not count.
#[test]
fn mutants_get_as_short_as_they_can() {
    let folder = folder();
    let examples = format!("{}/../../examples/brp", env!("CARGO_MANIFEST_DIR"));
    let spec = format!("{examples}/brp.sts");
    for (mutant, least) in (1..).zip([4, 12, 4, 6, 18, 6]) {
        let sut = format!("model:{examples}/mutant-{mutant}.sts");
        let run = sioco(
            &folder,
            &["test", &spec, "--sut", &sut, "--seed", "1", "--journal", "j.jsonl", "--format", "json", "--fail-fast"],
        );
        let lines = objects(&run.exits(1).stdout);
        let (summary, events) = lines.split_last().unwrap();
        assert_eq!(objects(&fs::read_to_string(folder.path("j.jsonl")).unwrap()), events, "mutant {mutant}");
        let (bad, shrunk) = (&summary["bad"][0], &summary["bad"][0]["shrunk"]);
        let number = |v: &Value| v.as_u64().unwrap_or_else(|| panic!("mutant {mutant}: {shrunk}"));
        assert_eq!((number(&shrunk["to"]), number(&shrunk["from"])), (least, number(&bad["steps"])), "mutant {mutant}");
        assert_eq!((&shrunk["end"], &shrunk["reproduced"]["failed"]), (&"done".into(), &5.into()), "mutant {mutant}");
        // The journal: it is there, fails, and counts for nothing.
        let judged = sioco(&folder, &["judge", &spec, "j.jsonl", "--format", "json"]);
        let judged = objects(&judged.exits(1).stdout);
        let (all, runs) = judged.split_last().unwrap();
        let found = runs.iter().find(|run| run["run"] == shrunk["run"]).unwrap();
        assert_eq!((&found["verdict"], &found["steps"]), (&"fail".into(), &shrunk["to"]), "mutant {mutant}");
        assert_eq!((&found["shrunk"], &found["cause"]), (&bad["run"], &shrunk["cause"]), "mutant {mutant}");
        for field in ["steps", "inputs"] {
            assert_eq!(all[field], summary[field], "mutant {mutant}: {field}");
        }
        assert_eq!(all["runs"]["fail"], summary["runs"]["fail"], "mutant {mutant}");
        assert_eq!(all["coverage"]["taken"], summary["coverage"]["taken"], "mutant {mutant}");
        // It is what is run again.
        let again = sioco(&folder, &["replay", "j.jsonl", "--times", "1", "--format", "json"]);
        let again = objects(&again.exits(1).stdout).pop().unwrap();
        assert_eq!((&again["run"], &again["shrunk"]), (&shrunk["run"], &bad["run"]), "mutant {mutant}");
    }
}

#[test]
fn people_see_the_shortest_form() {
    let folder = folder();
    let test = ["test", "acc.sts", "--sut", "model:wrong.sts", "--cover", "random:2", "--seed", "1", "--journal"];
    let with = |more: &[&'static str]| -> Vec<&str> { test.iter().copied().chain(more.iter().copied()).collect() };
    let run = sioco(&folder, &with(&["j.jsonl", "--fail-fast"]));
    run.exits(1).stderr_is("").stdout_has(" FAIL  run 1, step 4, shrunk from ").stdout_has("   fails in 5 of 5 runs\n");
    run.stdout_has("   replay: sioco replay j.jsonl --run 2\n").stdout_has("  shrunk     run 1 from ");
    run.stdout_has(": 1 run, ").stdout_has("  runs       1 fail\n");
    let again = sioco(&folder, &["replay", "j.jsonl"]);
    again
        .exits(1)
        .stdout_has("FAILED  run 2, the shortest form of run 1, fails again, 3 times, with the same failure\n");
    sioco(&folder, &["replay", "j.jsonl", "--run", "1", "--sut", "model:acc.sts"])
        .exits(0)
        .stdout_has("FIXED  run 1 no");
    let judged = sioco(&folder, &["judge", "acc.sts", "j.jsonl"]);
    judged.exits(1).stdout_has(" FAIL  run 2, step 4, shrunk from ").stdout_has("   the same happened in run 1\n");
    judged.stdout_has("  runs       1 fail\n");
    // Without it, everything else is the same.
    let plain = sioco(&folder, &with(&["k.jsonl", "--fail-fast", "--no-shrink"]));
    plain.exits(1).stdout_has("   replay: sioco replay k.jsonl --run 1\n");
    assert!(!plain.stdout.contains("shrunk") && !plain.stdout.contains("fails in"), "{}", plain.stdout);
    let text = |name: &str| {
        let mut lines = objects(&fs::read_to_string(folder.path(name)).unwrap());
        lines.iter_mut().for_each(|line| line["at"] = Value::Null);
        lines
    };
    let (long, short) = (text("j.jsonl"), text("k.jsonl"));
    assert_eq!(long[..short.len()], short);
    assert!(long.len() > short.len() && short.last().unwrap()["type"] == "end");
    // No time is no time.
    let none = sioco(&folder, &with(&["z.jsonl", "--fail-fast", "--shrink-for", "0"]));
    none.exits(1).stdout_has("there may be a simpler form: the time for shrinking ran out; raise `--shrink-for`");
    sioco(&folder, &with(&["z.jsonl", "--no-shrink", "--shrink-for", "1s"])).exits(2).stderr_has("--no-shrink");
    sioco(&folder, &with(&["z.jsonl", "--shrink-for", "soon"])).exits(2).stderr_has("`500ms`");
}

/// A journal that ends anywhere while the shortest form was written has all that the campaign found.
#[test]
fn a_journal_may_end_while_it_is_shrunk() {
    let folder = folder();
    let test = ["test", "acc.sts", "--sut", "model:wrong.sts", "--seed", "1", "--journal", "j.jsonl", "--fail-fast"];
    sioco(&folder, &test).exits(1);
    let text = fs::read_to_string(folder.path("j.jsonl")).unwrap();
    let end = text.find("\"type\":\"end\"").unwrap();
    let end = end + text[end..].find('\n').unwrap() + 1;
    let counts = |cut: &str| {
        folder.write("cut.jsonl", cut);
        let judged = sioco(&folder, &["judge", "acc.sts", "cut.jsonl", "--format", "json"]);
        let mut all = objects(&judged.exits(1).stdout).pop().unwrap();
        all["bad"] = Value::Null;
        (all, judged.stderr.lines().count())
    };
    let (whole, notes) = counts(&text);
    assert_eq!(notes, 0);
    assert_eq!(counts(&text[..end]), (whole.clone(), 0), "nothing was shrunk yet");
    let rest: Vec<usize> = text[end..].match_indices('\n').map(|(at, _)| end + at).collect();
    assert!(rest.len() > 5, "{text}");
    for at in rest {
        // After a whole line, and in the middle of the next one.
        assert_eq!(counts(&text[..at + 1]), (whole.clone(), 0), "{at}");
        let (all, notes) = counts(&text[..(at + 20).min(text.len())]);
        assert!(all == whole && notes <= 1, "{at}: {notes} notes");
    }
    sioco(&folder, &["replay", "cut.jsonl"]).exits(1);
}

#[cfg(unix)]
#[test]
fn a_system_with_moods_is_said_to_have_some() {
    let folder = folder();
    // Every third reset is a good day.
    folder.program("moody.sh", &accumulator("", "[ $((n % 3)) -ne 0 ] && y=$((x + 1))"));
    let test = ["test", "acc.sts", "--sut", "./moody.sh", "--seed", "1", "--cover", "switch", "--fail-fast"];
    let run = sioco(&folder, &test);
    run.exits(1).stderr_is("").stdout_has(", step 2").stdout_has(" of 5 runs\n").stdout_has("  runs       1 fail\n");
    assert!(!run.stdout.contains("5 of 5 runs"), "{}", run.stdout);
}

#[cfg(unix)]
#[test]
fn an_adapter_that_dies_meanwhile_changes_no_verdict() {
    let folder = folder();
    let dies = "if [ $n -gt 6 ]; then echo 'out of paper' >&2; exit 3; fi";
    folder.program("dies.sh", &accumulator(dies, "[ $x -gt 15 ] && y=$((x + 1))"));
    let test = ["test", "acc.sts", "--sut", "./dies.sh", "--seed", "1", "--cover", "random:1", "--fail-fast"];
    let run = sioco(&folder, &[&test[..], &["--journal", "j.jsonl"]].concat());
    run.exits(1).stderr_is("").stdout_has("   shrinking was given up: ").stdout_has("  runs       1 fail\n");
    run.stdout_has("FAIL  Accumulator against `./dies.sh`: 1 run, ");
    sioco(&folder, &["judge", "acc.sts", "j.jsonl"]).exits(1).stdout_has("  runs       1 fail\n");
}

/// The campaign has its verdict before anything is shrunk: Ctrl-C then ends only that.
#[cfg(unix)]
#[test]
fn ctrl_c_ends_only_the_shrinking() {
    let folder = folder();
    // The first reset is that of the campaign. The system presses the key itself, so that it is always at the same place.
    let press = "[ $n -eq 4 ] && kill -INT $PPID";
    folder.program("keyed.sh", &accumulator(press, "[ $x -gt 15 ] && y=$((x + 1))"));
    let test = ["test", "acc.sts", "--sut", "./keyed.sh", "--seed", "1", "--cover", "random:1", "--fail-fast"];
    let more = ["--shrink-for", "10m", "--journal", "j.jsonl", "--format", "json"];
    let run = sioco(&folder, &[&test[..], &more[..]].concat());
    let summary = objects(&run.exits(1).stdout).pop().unwrap();
    assert_eq!((&summary["verdict"], &summary["exit"]), (&"fail".into(), &1.into()));
    assert_eq!(summary["bad"][0]["shrunk"]["end"], "interrupted");
    sioco(&folder, &["judge", "acc.sts", "j.jsonl"]).exits(1).stdout_has("  runs       1 fail\n");
}
