//! Options in combination: each has an effect, or the command says why it has none.

// Lints know tests by their attribute, which helpers do not have.
#![allow(clippy::unwrap_used)]

// Each test program uses a part of it.
#[allow(dead_code)]
mod support;

use std::fs;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;
use support::{Folder, Run, sioco_in, sioco_in_folder_and_env};

/// Guards, two ways on, an input that ends everything, constants, and silence in the middle.
const MODEL: &str = "\
const K: Int = 1
const L: Int = 3
input  go(x: Int in 0..20)
input  end
output ok(y: Int)
output no
process P {
  var n: Int = 0
  init s {
    high: ?go(x) [x >= L] / n := n + 1 -> t
    low:  ?go(x) [x < L]               -> u
    end:  ?end                         -> over
  }
  state t { ok: !ok(n * K) -> s }
  state u { no: !no -> s  more: ?go(x) [x == 7] -> t }
  final over
}
";

fn folder() -> Folder {
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    let folder = Folder::new(&format!("options-{}", NUMBER.fetch_add(1, Ordering::Relaxed)));
    folder.write("m.sts", MODEL);
    folder.write("wrong.sts", &MODEL.replace("!ok(n * K)", "!ok(if n > 2 then 0 else n * K)"));
    folder
}

fn run(folder: &Folder, line: &str) -> Run {
    sioco_in(&line.split_whitespace().collect::<Vec<_>>(), &folder.path(""))
}

/// What happened, without times, and without the settings in the header.
fn events(folder: &Folder) -> Vec<String> {
    let text = fs::read_to_string(folder.path("j.jsonl")).unwrap_or_default();
    let event = |line: &str| {
        let mut json: Value = serde_json::from_str(line).unwrap();
        json.as_object_mut().unwrap().remove("at");
        json.to_string()
    };
    text.lines().skip(1).map(event).collect()
}

const TEST: &str = "test m.sts --sut model:m.sts --solver builtin --journal j.jsonl";

/// The kinds of campaigns.
const MODES: [(&str, &str); 5] = [
    ("auto", "--max-steps 120"),
    ("random", "--cover random:3"),
    ("cover", "--cover switch"),
    ("inputs", "--cover inputs:4"),
    ("file", "--plan plan.json"),
];

/// Each option of `sioco test` in each kind of campaign: it changes what happens (`!`), is for what cannot be seen in what
/// happens here (`.`), or is refused (`-`).
const OPTIONS: [(&str, [char; 5]); 22] = [
    ("--seed 7", ['!', '!', '!', '!', '!']),
    ("--const L=9", ['!', '!', '!', '!', '!']),
    ("--system P", ['-', '-', '-', '-', '-']),
    ("--values max", ['!', '!', '!', '-', '!']),
    ("--values boundary", ['!', '!', '!', '-', '!']),
    ("--max-steps 3", ['-', '!', '!', '!', '!']),
    ("--for 60s", ['.', '.', '.', '.', '.']),
    ("--quiescence 5", ['.', '.', '.', '.', '.']),
    ("--quiescence-at go=2s", ['.', '.', '.', '.', '.']),
    ("--patience 3", ['.', '.', '.', '.', '.']),
    ("--pause 5s", ['.', '.', '.', '.', '.']),
    ("--memory 1G", ['.', '.', '.', '.', '.']),
    ("--attempts 1", ['.', '-', '.', '.', '.']),
    ("--again", ['-', '-', '!', '-', '!']),
    ("--strict", ['!', '-', '!', '-', '-']),
    ("--fail-fast", ['.', '.', '.', '.', '.']),
    ("--interaction fair", ['.', '.', '.', '.', '.']),
    ("--no-shrink", ['.', '.', '.', '.', '.']),
    ("--shrink-for 1s", ['.', '.', '.', '.', '.']),
    ("--gate switch>=1%", ['.', '.', '.', '.', '.']),
    ("--gate purpose>=1%", ['.', '-', '.', '.', '.']),
    ("--cover traces:2", ['!', '-', '-', '-', '-']),
];

#[test]
fn options_of_test_have_an_effect_or_are_refused() {
    let folder = folder();
    run(&folder, "plan m.sts --solver builtin --output plan.json").exits(0);
    for (m, (mode, options)) in MODES.iter().enumerate() {
        // Values that are found, and not drawn, so that what differs is due to the option.
        let base = format!("{TEST} {options} --seed 3");
        run(&folder, &base).exits(0);
        let before = events(&folder);
        assert!(before.len() > 10, "{mode}: {before:?}");
        for (option, effects) in &OPTIONS {
            let line = match option.starts_with("--seed") {
                true => format!("{TEST} {options} {option}"),
                false => format!("{base} {option}"),
            };
            let found = run(&folder, &line);
            match effects[m] {
                '-' => {
                    found.exits(2);
                    let told = found.stderr.contains("has no effect here") || found.stderr.contains("cannot be used");
                    assert!(told || option.starts_with("--system"), "{mode} {option}: {}", found.stderr);
                }
                '!' => assert_ne!(events(&folder), before, "{mode} {option} changes nothing"),
                _ => assert!(found.stderr.is_empty(), "{mode} {option}: {}", found.stderr),
            }
        }
    }
}

/// Other commands: what is refused, and why.
#[test]
fn options_of_other_commands_are_refused_where_they_do_nothing() {
    let folder = folder();
    run(&folder, "plan m.sts --solver builtin --output plan.json").exits(0);
    for (line, why) in [
        ("plan m.sts --silence", "`--silence` has no effect here: it works only with `--cover paths:N`"),
        ("plan m.sts --cover inputs:3 --values max", "`--values` has no effect here: `inputs:N` draws values"),
        ("plan m.sts --cover inputs:3 --strict", "`--strict` has no effect here"),
        ("plan m.sts --cover classes --strict", "`--strict` has no effect here"),
        ("plan m.sts --check plan.json --jobs 2", "`--jobs` has no effect here: a plan is always checked on one core"),
        ("adapter check --steps 5 -- ./adapter", "`--steps` has no effect here: it is for the walk through a model"),
        ("adapter check --const K=2 -- ./adapter", "`--const` has no effect here"),
    ] {
        run(&folder, line).exits(2).stderr_has(why).stderr_has("help: remove it");
    }
    for line in [
        "plan m.sts --silence --cover paths:2 --solver builtin",
        "plan m.sts --cover classes --strict --data boundary --solver builtin",
        "adapter check --seed 5 -- ./adapter",
    ] {
        let found = run(&folder, line);
        assert!(!found.stderr.contains("no effect"), "{line}: {}", found.stderr);
    }
    // Values that a suite of a comparison says.
    folder.write("impl.sts", &MODEL.replace("!ok(n * K)", "!ok(n + K - 1)"));
    run(&folder, "compare m.sts impl.sts --solver builtin --length 2 --output suite.json");
    let line = format!("{TEST} --plan suite.json --values max");
    run(&folder, &line).exits(2).stderr_has("the plan `suite.json` already has the values");
}

/// So many walks, also where there is time for more, and no more steps than were allowed.
#[test]
fn walks_are_counted_whatever_else_limits_a_campaign() {
    let folder = folder();
    for (options, runs, steps) in [
        ("--cover random:5", 5, u64::MAX),
        ("--cover random:5 --for 60s", 5, u64::MAX),
        ("--cover random:5 --max-steps 100000", 5, u64::MAX),
        ("--cover random:5 --for 60s --max-steps 100000", 5, u64::MAX),
        ("--cover random:500 --max-steps 30", 0, 30),
        ("--cover random --max-steps 30", 0, 30),
        ("--cover random", 0, 1000),
    ] {
        let found = run(&folder, &format!("{TEST} --seed 1 --format json {options}"));
        found.exits(0);
        let summary: Value = serde_json::from_str(found.stdout.lines().last().unwrap()).unwrap();
        let all: u64 = summary["runs"].as_object().unwrap().values().map(|n| n.as_u64().unwrap()).sum();
        assert!(runs == 0 || all == runs, "{options}: {all} runs");
        assert!(summary["steps"].as_u64().unwrap() <= steps, "{options}: {}", summary["steps"]);
    }
}

/// Walks send the values that were asked for.
#[test]
fn values_of_walks_are_those_that_were_asked_for() {
    let folder = folder();
    let sent = |options: &str| {
        run(&folder, &format!("{TEST} --seed 1 --max-steps 200 {options}")).exits(0);
        let mut found: Vec<i64> = (events(&folder).iter())
            .map(|line| serde_json::from_str::<Value>(line).unwrap())
            .filter(|event| event["type"] == "input" && event["gate"] == "go" && event["why"] == "walk")
            .map(|event| event["args"]["x"].as_i64().unwrap())
            .collect();
        found.sort_unstable();
        found.dedup();
        found
    };
    for cover in ["--cover random", "--cover auto"] {
        // Of `high`, `low` and `more`.
        assert!(sent(&format!("{cover} --values min")).iter().all(|x| [0, 3, 7].contains(x)), "{cover}");
        let highest = sent(&format!("{cover} --values max"));
        assert!(highest.iter().all(|x| [20, 2, 7, 3, 0].contains(x)) && highest.contains(&20), "{cover} {highest:?}");
        let border = sent(&format!("{cover} --values boundary"));
        assert!(border.iter().all(|x| [0, 1, 2, 3, 4, 5, 7, 19, 20].contains(x)), "{cover} {border:?}");
        assert!(border.contains(&20) && border.contains(&3), "{cover} {border:?}");
        assert!(sent(cover).len() > 8, "{cover}");
    }
}

const PROJECT: &str = "\
[test]
const = [\"K=3\", \"L=5\"]
gate = [\"switch>=1%\", \"location>=1%\"]
quiescence-at = [\"go=2s\", \"s=1s\"]
no-shrink = true

[profile.ci]
const = [\"L=7\"]
gate = [\"switch>=2%\"]
plan = \"plan.json\"
";

/// The constants, places and gates of a campaign.
fn lists(folder: &Folder, found: &Run) -> (String, String, Vec<String>) {
    let header = fs::read_to_string(folder.path("j.jsonl")).unwrap();
    let header: Value = serde_json::from_str(header.lines().next().unwrap()).unwrap();
    let gates = found.stdout.lines().filter_map(|line| line.trim().strip_prefix("gate"));
    let gates = gates.map(|gate| gate.split_whitespace().next().unwrap().to_owned()).collect();
    (header["model"]["consts"].to_string(), header["settings"]["slower_us"].to_string(), gates)
}

/// What the command line says about one constant, gate or place says nothing about the others.
#[test]
fn lists_are_joined_with_those_of_the_project() {
    let folder = folder();
    run(&folder, "plan m.sts --solver builtin --output plan.json").exits(0);
    folder.write("sioco.toml", PROJECT);
    let places = r#"{"go":2000000,"s":1000000}"#;
    for (options, consts, slower, gates) in [
        ("", r#"[["K","3"],["L","5"]]"#, places, ["switch>=1%", "location>=1%"]),
        ("--const K=2", r#"[["L","5"],["K","2"]]"#, places, ["switch>=1%", "location>=1%"]),
        ("--profile ci --const K=2", r#"[["L","7"],["K","2"]]"#, places, ["location>=1%", "switch>=2%"]),
        ("--gate switch>=3%", r#"[["K","3"],["L","5"]]"#, places, ["location>=1%", "switch>=3%"]),
        (
            "--quiescence-at s=3s",
            r#"[["K","3"],["L","5"]]"#,
            r#"{"go":2000000,"s":3000000}"#,
            ["switch>=1%", "location>=1%"],
        ),
    ] {
        let found = run(&folder, &format!("{TEST} --cover random:1 --seed 1 {options}"));
        found.exits(0);
        let expected = (consts.to_owned(), slower.to_owned(), gates.map(str::to_owned).to_vec());
        assert_eq!(lists(&folder, &found), expected, "{options}");
    }
    let args: Vec<&str> = TEST.split(' ').chain(["--cover", "random:1"]).collect();
    let found = sioco_in_folder_and_env(&args, &folder.path(""), &[("SIOCO_CONST", "K=4")]);
    assert_eq!(lists(&folder, &found).0, r#"[["L","5"],["K","4"]]"#);
    // A constant twice is still a mistake.
    run(&folder, &format!("{TEST} --const K=1 --const K=2")).exits(2).stderr_has("`--const K` is given twice");
}

/// An option takes the place of one of the project that it excludes.
#[test]
fn the_command_line_replaces_what_it_excludes() {
    let folder = folder();
    run(&folder, "plan m.sts --solver builtin --output plan.json").exits(0);
    folder.write("sioco.toml", PROJECT);
    // `plan` of the profile would otherwise win over `--cover`.
    let found = run(&folder, &format!("{TEST} --profile ci --cover random:2 --seed 1"));
    found.exits(0).stdout_has("2 runs");
    // `no-shrink` would otherwise win over `--shrink-for`.
    let wrong = TEST.replace("model:m.sts", "model:wrong.sts");
    run(&folder, &format!("{wrong} --seed 1 --const K=1")).exits(1);
    assert!(!events(&folder).iter().any(|line| line.contains("shrunk")));
    run(&folder, &format!("{wrong} --seed 1 --const K=1 --shrink-for 20s")).exits(1);
    assert!(events(&folder).iter().any(|line| line.contains("shrunk")));
}

/// A replay keeps what the journal says, but for what is given.
#[test]
fn replays_keep_constants_and_places() {
    let folder = folder();
    let wrong = TEST.replace("model:m.sts", "model:wrong.sts");
    run(&folder, &format!("{wrong} --seed 1 --const L=2 --quiescence-at go=1s")).exits(1);
    run(&folder, "replay j.jsonl --times 1 --quiescence 20 --quiescence-at s=1s").exits(1);
    run(&folder, "replay j.jsonl --times 1 --quiescence-at nowhere=1s")
        .exits(2)
        .stderr_has("the model has no gate or location `nowhere`");
    run(&folder, "replay j.jsonl --times 1 --model m.sts")
        .stderr_has("note: `--model` takes another model as it is; the journal was made with `--const L=2`");
}

/// Many traces: planning all of them takes longer than anybody waits.
const BRANCHING: &str = "\
input a(x: Int in 0..9)
input b(x: Int in 0..9)
output c(x: Int)
output d
process P {
  var n: Int = 0
  init s {
    a1: ?a(x) [x > n mod 3] / n := n + x -> t
    a2: ?a(x) [x < 5] / n := n * 2 -> t
    b1: ?b(x) [x != n] / n := n + 1 -> t
    b2: ?b(x) [x > n mod 7] -> t
  }
  state t { c: !c(n) -> s  d: !d [n > 2] -> s }
}
";

/// What a clock decided is named, for people and for programs.
#[test]
fn a_clock_that_decides_is_named() {
    let folder = folder();
    folder.write("b.sts", BRANCHING);
    let line = "test b.sts --sut model:b.sts --solver builtin --journal j.jsonl --seed 1";
    let found = run(&folder, &format!("{line} --cover traces:40 --for 900ms"));
    found.stdout_has("  clock").stdout_has("planning was stopped after").stdout_has("another");
    let found = run(&folder, &format!("{line} --cover traces:40 --for 900ms --format json"));
    let summary: Value = serde_json::from_str(found.stdout.lines().last().unwrap()).unwrap();
    assert!(summary["clock"]["planning_us"].as_u64().is_some_and(|us| us > 100_000), "{}", summary["clock"]);
    // Nothing waits for a clock here: walks need no plan, however busy the machine is.
    let line = &format!("{line} --cover random");
    let found = run(&folder, &format!("{line} --max-steps 60 --pause 1000"));
    assert!(!found.stdout.contains("  clock"), "{}", found.stdout);
    let found = run(&folder, &format!("{line} --max-steps 60 --pause 1000 --format json"));
    let summary: Value = serde_json::from_str(found.stdout.lines().last().unwrap()).unwrap();
    let nothing = serde_json::json!({ "planning_us": null, "questions": 0, "pauses": 0 });
    assert_eq!(summary["clock"], nothing);
    // The same seed, the same events.
    let first = events(&folder);
    run(&folder, &format!("{line} --max-steps 60 --pause 1000"));
    assert_eq!(events(&folder), first);
    let hurried = run(&folder, &format!("{line} --max-steps 60 --pause 0 --values middle"));
    hurried.stdout_has("  clock").stdout_has("while the").stdout_has("the clock decided");
}
