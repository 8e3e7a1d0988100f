//! `sioco plan`: what people and programs see of a plan, files that are written and checked, and bad input.

// Lints know tests by their attribute, which helpers do not have.
#![allow(clippy::unwrap_used)]

// Each test program uses a part of it.
#[allow(dead_code)]
mod support;

use std::collections::BTreeSet;
use std::fs;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};
use support::{Folder, Run, sioco};

/// Tests run at the same time, each in a folder of its own.
fn folder() -> Folder {
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    Folder::new(&format!("plan-{}", NUMBER.fetch_add(1, Ordering::Relaxed)))
}

fn example(name: &str) -> String {
    format!("{}/../../examples/{name}.sts", env!("CARGO_MANIFEST_DIR"))
}

/// Plans for a file, without any other solver; models that count have no end, so not far.
fn plan(file: &str, options: &[&str]) -> Run {
    let mut args = vec!["plan", file, "--solver", "builtin"];
    if !["--check", "--nodes"].iter().any(|o| options.contains(o)) {
        args.extend(["--nodes", "60"]);
    }
    args.extend(options);
    sioco(&args)
}

fn document(file: &str, options: &[&str]) -> Value {
    let options: Vec<&str> = options.iter().copied().chain(["--format", "json"]).collect();
    let run = plan(file, &options);
    serde_json::from_str(&run.stdout).unwrap_or_else(|e| panic!("{e}: {}\n{}", run.stdout, run.stderr))
}

const MODEL: &str = "\
input  inX(p: Int in 1..10)
output outX(p: Int)
output done
output never

process Accumulator {
  var x: Int = 0
  init l0 {
    add:    ?inX(p)          / x := x + p -> l1
    finish: !done   [x > 15]              -> l2
    no:     !never  [x > 3 && x < 2]      -> l2
    far:    !never  [x > 5000]            -> l2
  }
  state l1 { tell: !outX(x) -> l0 }
  final l2
}
";

#[test]
fn a_plan_for_people() {
    let here = folder();
    let file = here.write("m.sts", MODEL);
    let run = plan(&file, &[]);
    let told = run.exits(3).stdout.replace(&file, "m.sts");
    assert_eq!(
        told,
        "\
Accumulator: 3 of 4 switches covered (75%) by 1 purpose with 5 steps
  1 more infeasible (proved), 1 not reached

1. 5 steps for add, finish, tell
   ?inX(p = 6)  !outX(6)  ?inX(p = 10)  !outX(16)  !done  accept

infeasible: `no` is never taken
   ╭▸ m.sts:11:22
   │
11 │     no:     !never  [x > 3 && x < 2]      -> l2
   ╰╴                     ━━━━━━━━━━━━━━ `x > 3` and `x < 2` are never true together

not reached: far (m.sts:12:13): within the limit on nodes: raise `--nodes`

  runs       can be inconclusive: the system chooses what happens next in 18
             states, for example `add` or `finish`
  looked at  60 nodes, not all: the limit on nodes was reached; raise `--nodes`
"
    );
    run.stderr_is("");
}

#[test]
fn values_are_chosen() {
    let file = example("accumulator/accumulator");
    for (values, steps) in [
        ("min", "?inX(p = 6)  !outX(6)  ?inX(p = 10)  !outX(16)  !done  accept"),
        ("max", "?inX(p = 10)  !outX(10)  ?inX(p = 10)  !outX(20)  !done  accept"),
        ("middle", "?inX(p = 8)  !outX(8)  ?inX(p = 9)  !outX(17)  !done  accept"),
    ] {
        plan(&file, &["--values", values]).exits(0).stdout_has(steps);
    }
    let random = |seed| plan(&file, &["--values", "random", "--seed", seed]).exits(0).stdout.clone();
    assert_eq!(random("7"), random("7"));
    plan(&file, &["--values", "boundary"]).exits(0).stdout_has("!outX(16)  !done");
}

#[test]
fn what_else_may_happen_is_listed() {
    let run = plan(&example("atm/atm"), &[]);
    run.exits(0)
        .stdout_has("also allowed here (inconclusive): with another start !cash(x) by pay_cost, !screen(Refused)\n   !cash(0)  ?check")
        .stdout_has("where m = 0, cp = 0, x = 0 at the start")
        .stdout_has("can be inconclusive: whether `pay` is possible depends on the\n             initial `cp`");
    // Where nothing else may happen, nothing is listed.
    let run = plan(&example("coffee/coffee"), &[]);
    run.exits(0).stdout_has("none can be inconclusive: the model is deterministic (proved)");
    assert!(!run.stdout.contains("also allowed here"), "{}", run.stdout);
}

#[test]
fn trees_branch_where_the_system_chooses() {
    let run = plan(&example("atm/atm"), &["--cover", "paths:2"]);
    run.stdout_has("   ├ ?amount(a = 0)\n   │ ├ !cash(0) by pay (with another start)  accept\n");
    run.stdout_has("   │ ├ !cash(0) by pay_cost  accept\n   │ ├ !screen(Refused) (with another start)  accept\n");
    run.stdout_has("   └ delta  accept\n");
    // One purpose for each accept.
    let split = document(&example("atm/atm"), &["--cover", "paths:2", "--split"]);
    assert!(split["purposes"].as_array().unwrap().len() > 10);
    assert!(split["purposes"].as_array().unwrap().iter().all(|p| accepts(p) == 1), "{split}");
}

fn accepts(purpose: &Value) -> usize {
    purpose["nodes"].as_array().unwrap().iter().filter(|n| n["accept"] == true).count()
}

#[test]
fn strict_purposes_do_not_wait_for_the_answer() {
    let file = example("accumulator/accumulator");
    let options = ["--cover", "traces:1"];
    plan(&file, &options).exits(0).stdout_has("   ?inX(p = 1)  !outX(1)  accept\n");
    plan(&file, &[&options[..], &["--strict"]].concat()).exits(0).stdout_has("   ?inX(p = 1)  accept\n");
}

#[test]
fn internal_steps_and_silence() {
    plan(&example("coffee/coffee"), &[]).exits(0).stdout_has("?coffee_button_pressed  (more)  delta  accept\n");
}

#[test]
fn data_goals_say_what_they_ask_for() {
    let run = plan(&example("accumulator/accumulator"), &["--data", "boundary"]);
    run.exits(0).stdout_has("`x > 15` of r2 just true").stdout_has("x > 15 && 16 == x");
    run.stdout_has("infeasible: `p >= 1` of r0 false: no value will do");
}

#[test]
fn written_purposes() {
    let run = plan(&example("atm/atm"), &["--cover", "purpose:ThirdRefused"]);
    run.exits(0).stdout_has("ATM: 1 of 1 purpose covered (100%)").stdout_has("?amount(a = 0) [third <= m]");
    let run = plan(&example("atm/atm"), &["--cover", "purpose:ThirdRefusal"]);
    run.exits(2).stdout_is("").stderr_has("there is no purpose `ThirdRefusal` in this model; it has ThirdRefused");
    run.stderr_has("did you mean `--cover purpose:ThirdRefused`?");
}

#[test]
fn many_purposes_are_only_counted() {
    let options = ["--cover", "traces:4", "--nodes", "2000"];
    let run = plan(&example("atm/atm"), &options);
    run.stdout_has("\n20. ").stdout_has(" more purposes (`--all` shows them)\n");
    assert!(!run.stdout.contains("\n21. "));
    plan(&example("atm/atm"), &[&options[..], &["--all"]].concat()).stdout_has("\n21. ");
}

#[test]
fn a_long_purpose_is_cut_on_the_page() {
    // A little longer than the page, and many times as long.
    for cover in ["paths:4", "paths:6"] {
        let options = ["--cover", cover];
        let run = plan(&example("atm/atm"), &options);
        run.stdout_has(" more lines; `--all` shows them\n");
        let all = plan(&example("atm/atm"), &[&options[..], &["--all"]].concat());
        assert!(!all.stdout.contains(" more lines"));
        let hidden = all.stdout.lines().count() - run.stdout.lines().count() + 1;
        run.stdout_has(&format!("… and {hidden} more lines"));
    }
}

#[test]
fn lengths_that_are_not_reached_are_said() {
    let run = plan(&example("accumulator/accumulator"), &["--cover", "paths:90"]);
    run.exits(3).stdout_has("  length     all paths up to ").stdout_has("the limit on nodes was");
    // Nothing is missing where nothing is longer.
    let run = plan(&example("coffee/coffee-free"), &["--cover", "traces:9"]);
    run.exits(0).stdout_has("no traces are longer than these; you asked for 9 steps");
}

#[test]
fn nothing_to_run() {
    let here = folder();
    // The only switch is never possible.
    let file = here.write("m.sts", "output o\nprocess P { init s { !o [1 > 2] -> s } }\n");
    let run = plan(&file, &[]);
    run.exits(4).stdout_has("P: nothing to cover: s!o is infeasible (proved)\n").stdout_has("infeasible: ");
}

#[test]
fn time_is_up() {
    let here = folder();
    let file = here.write("m.sts", MODEL);
    let run = sioco(&["plan", &file, "--solver", "builtin", "--time", "0", "--nodes", "1000000"]);
    run.exits(4).stdout_has("the time limit was reached; raise `--time`").stdout_has("not reached: add");
}

#[test]
fn shares_of_nothing_are_not_told() {
    let here = folder();
    let file = here.write("m.sts", "output o\nprocess P { init s { !o -> e }\n final e }\npurpose A { !o; !o }\n");
    plan(&file, &["--cover", "purpose:A"]).exits(4).stdout_has("P: the purpose `A` cannot be reached (proved)\n");
    assert_eq!(document(&file, &["--cover", "purpose:A"])["coverage"]["percent"], Value::Null);
    assert_eq!(document(&file, &["--cover", "traces:1"])["coverage"], Value::Null);
    plan(&file, &["--cover", "traces:1"]).stdout_has("1 of 1 switch taken, 1 step at most\n");
    plan(&file, &["--cover", "random:2"]).stdout_has("1 of 1 switch taken, 2 steps in total\n");
}

#[test]
fn steps_have_labels_and_what_the_system_chooses() {
    let here = folder();
    let file = here.write(
        "m.sts",
        "input go\ninput big(p: Int in 0..9)\noutput n(v: Int in 0..9)\nprocess P {\n  init a { go: ?go -> b }\n  \
         state b { hide: tau -> c }\n  state c { tell: !n(any w) -> d\n }\n  state d { \n ?big(p) [p > 7] -> a } }\n\
         purpose Want { ?go; !n(v) [v == 5]; ?big(w) [w == 8] reject !n(q) [q == 3 || q == 4] }\n",
    );
    let to = here.path("plan.json");
    let run = plan(&file, &["--cover", "purpose:Want", "--output", &to, "--strict", "--seed", "7"]);
    run.exits(0).stdout_has("the system chooses the values of `tell`").stdout_has("v == 5").stdout_has("[w == 8]");
    let written: Value = serde_json::from_str(&fs::read_to_string(&to).unwrap()).unwrap();
    let nodes = written["purposes"][0]["nodes"].as_array().unwrap();
    let labels: Vec<&Value> = nodes.iter().map(|n| &n["label"]).collect();
    assert_eq!(json!(labels), json!([null, "?go", null, "!n", "?big"]));
    let chosen: Vec<&Value> = nodes.iter().map(|n| &n["chosen"]).collect();
    assert_eq!(json!(chosen), json!([null, null, null, ["v"], null]));
    // Conditions read as they were written, and are found again.
    let text = written["purposes"].to_string();
    assert!(text.contains("\"v == 5\"") && text.contains("\"q == 3 || q == 4\""), "{text}");
    plan(&file, &["--check", &to]).exits(0);
    let changed = here.write("other.sts", &fs::read_to_string(&file).unwrap().replace("v == 5", "v == 6"));
    let run = plan(&changed, &["--check", &to]);
    run.exits(3).stdout_has("the written purpose `Want` no longer has the condition `v == 5`");
    let again = format!("`sioco plan {changed} --cover purpose:Want --strict --nodes 60 --seed 7 --output {to}` makes");
    run.stdout_has(&again);
}

#[test]
fn a_plan_goes_to_a_file_and_back() {
    let here = folder();
    let file = here.write("m.sts", MODEL);
    let to = here.path("plan.json");
    let run = plan(&file, &["--output", &to]);
    run.exits(3).stdout_has("Accumulator: 3 of 4 switches covered").stderr_is(&format!("wrote {to}\n"));
    // What is printed is what is written.
    let written: Value = serde_json::from_str(&fs::read_to_string(&to).unwrap()).unwrap();
    assert_eq!(written, document(&file, &[]));
    assert_eq!((&written["format"], &written["version"]), (&json!("sioco-plan"), &json!(1)));
    assert_eq!(written["goals"][2]["place"]["line"], 11);
    assert_eq!(written["purposes"][0]["nodes"][1]["args"], json!({ "p": 6 }));
    let run = plan(&file, &["--check", &to]);
    run.exits(0).stdout_is(&format!("{to} fits: 1 purpose for `switch`, made for exactly this model\n"));
    // A change that does no harm, and some that do.
    let changed = here.write("other.sts", &MODEL.replace("x > 15", "x > 12"));
    plan(&changed, &["--check", &to]).exits(0).stdout_has("the model has changed since, but not where it matters");
    for (old, new, told) in [
        ("tell:", "tel:", "misfit: purpose 1: the model no longer has a switch `tell`; did you mean `tel`?\n"),
        ("[x > 15]", "[x > 15 && x < 2]", "step 5, `finish`, can no longer be taken after `add tell add tell`: "),
        ("-> l1\n", "-> l0\n", "misfit: purpose 1: step 2, `tell`, no longer leaves `l0`\n"),
        ("inX(p: Int", "inX(q: Int", "misfit: the gate `inX` has other parameters: it was `?inX(p: Int in 1..10)`"),
    ] {
        let changed = here.write("other.sts", &MODEL.replace(old, new));
        let run = plan(&changed, &["--check", &to]);
        run.exits(3).stdout_has(told).stdout_has("no longer fits");
        run.stdout_has(&format!("sioco plan {changed} --cover switch --nodes 60 --output {to}"));
        let run = plan(&changed, &["--check", &to, "--format", "json"]);
        let found: Value = serde_json::from_str(&run.exits(3).stdout).unwrap();
        assert_eq!((&found["fits"], &found["same_model"]), (&json!(false), &json!(false)));
        assert!(!found["misfits"].as_array().unwrap().is_empty());
    }
}

#[test]
fn files_that_are_no_plans() {
    let here = folder();
    let model = here.write("m.sts", MODEL);
    let check = |file: &str| plan(&model, &["--check", file]);
    check(&here.path("none.json")).exits(2).stderr_has("cannot read `").stderr_has("help: give a file that");
    check(&here.bytes("bytes.json", &[0xff, 0xfe, 0])).exits(2).stderr_has("is not a text file, so it is not a plan");
    check(&here.write("empty.json", "")).exits(2).stderr_has("the file is empty");
    check(&here.write("garbage.json", "{\n  no")).exits(2).stderr_has("garbage.json`:2: this is not JSON");
    let good = document(&model, &[]).to_string();
    check(&here.write("cut.json", &good[..good.len() / 2])).exits(2).stderr_has("is truncated");
    check(&here.write("other.json", r#"{"format": "sioco-explore"}"#)).exits(2).stderr_has("not a plan");
    let newer = good.replace("\"version\":1", "\"version\":2");
    check(&here.write("new.json", &newer)).exits(2).stderr_has("format version 2; this sioco reads up to version 1");
    check(&here.write("types.json", &good.replace("\"parent\":0", "\"parent\":\"0\"")))
        .exits(2)
        .stderr_has("`purposes[0].nodes[1].parent` must be a whole number");
    check(&model).exits(2).stderr_has("this is not JSON");
}

#[test]
fn a_wrong_command_line() {
    let here = folder();
    let model = here.write("m.sts", MODEL);
    for (options, told) in [
        (&["--cover", "swich"][..], "`--cover` has no value `swich`"),
        (&["--cover", "swich"], "did you mean `switch`?"),
        (&["--cover", "paths:0"], "`paths:0` covers nothing: a length must be at least 1"),
        (&["--cover", "paths:99999999999999999999"], "`99999999999999999999` is too large for a length"),
        (&["--cover", "traces"], "`traces` needs a length: write `traces:3`"),
        (&["--cover", ""], "`--cover` has no value ``"),
        (&["--values", "most"], "invalid value 'most'"),
        (&["--data", "all"], "invalid value 'all'"),
        (&["--jobs", "0"], "0 is not in 1..=256"),
        (&["--nodes", "0"], "0 is not in 1..=4000000000"),
        (&["--time", "soon"], "write a number of seconds"),
        (&["--check", "p.json", "--cover", "switch"], "cannot be used with"),
        (&["--check", "p.json", "--output", "q.json"], "cannot be used with"),
    ] {
        sioco(&[&["plan", &model], options].concat()).exits(2).stdout_is("").stderr_has(told);
    }
    let to = here.path("no/such/folder/plan.json");
    plan(&model, &["-o", &to]).exits(2).stdout_is("").stderr_has("there is no folder").stderr_has("help: name a file");
    let to = here.folder("folder");
    plan(&model, &["-o", &to]).exits(2).stdout_is("").stderr_has("it is a folder");
    plan(&model, &["-o", "-"]).exits(2).stdout_is("").stderr_has("help: use `--format json` to print only the plan");
    sioco(&["plan", &here.path("none.sts")]).exits(2).stdout_is("");
    let wrong = here.write("wrong.sts", "process P { init s { ?nothing -> s } }");
    sioco(&["plan", &wrong]).exits(2).stdout_is("").stderr_has("nothing");
}

#[test]
fn the_number_of_cores_changes_nothing() {
    let file = example("brp/brp");
    let one = sioco(&["plan", &file, "--solver", "builtin", "--jobs", "1", "--format", "json"]);
    let three = sioco(&["plan", &file, "--solver", "builtin", "--jobs", "3", "--format", "json"]);
    assert_eq!(one.exits(0).stdout, three.exits(0).stdout);
}

/// Ctrl-C ends the search; what there is by then becomes a plan.
#[cfg(unix)]
#[test]
fn an_interrupt_keeps_what_was_found() {
    use std::process::{Command, Stdio};
    let here = folder();
    // So far that it is never reached.
    let file = here.write("m.sts", &MODEL.replace("5000", "5000000"));
    // On a busy machine the program may need longer until it listens.
    for patience in [2, 8, 24] {
        let child = Command::new(env!("CARGO_BIN_EXE_sioco"))
            .args(["plan", &file, "--solver", "builtin", "--nodes", "4000000", "--depth", "4000000", "--time", "600"])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        std::thread::sleep(std::time::Duration::from_secs(patience));
        let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
        assert!(kill.is_ok_and(|status| status.success()));
        let output = child.wait_with_output().unwrap();
        let told = String::from_utf8(output.stdout).unwrap();
        if output.status.code() == Some(130) && told.contains("by 1 purpose with 5 steps") {
            assert!(told.contains("interrupted: these are the results so far"), "{told}");
            assert!(told.contains("before the interrupt") && !told.contains("`--time`"), "{told}");
            return;
        }
    }
    panic!("never interrupted in time");
}

/// The names of fields in a document; below some, names are those of the model.
fn fields(json: &Value, found: &mut BTreeSet<String>) {
    match json {
        Value::Object(object) => {
            for (key, value) in object {
                found.insert(key.clone());
                let of_the_model =
                    ["gates", "args", "start"].contains(&key.as_str()) || (key == "values" && value.is_object());
                if !of_the_model {
                    fields(value, found);
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| fields(item, found)),
        _ => {}
    }
}

/// The page about plan files has all fields, and no others.
#[test]
fn every_field_of_a_plan_file_is_described() {
    let here = folder();
    let file = here.write("m.sts", MODEL);
    let system = here.write(
        "system.sts",
        "channel c(n: Int in 0..9)\ninput a(p: Int in 0..9)\noutput o\nprocess A {\n  var x: Int in 0..9 = 0\n  \
         init a0 { ?a(p) / x := p -> a1 }\n  state a1 { give: send c(x) -> a0 }\n}\n\
         process B { init b0 { take: recv c(n) -> b1 }\n state b1 { !o -> b0 } }\nsystem S = A || B\n",
    );
    let mut found = BTreeSet::new();
    for (file, options) in [
        (&file, &[][..]),
        (&system, &[]),
        (&example("accumulator/accumulator"), &["--cover", "location"]),
        (&example("accumulator/accumulator"), &["--data", "boundary"]),
        (&example("atm/atm"), &[]),
        (&example("atm/atm"), &["--cover", "paths:2"]),
        (&example("atm/atm"), &["--cover", "purpose:ThirdRefused"]),
        (&example("trace-figures/fig-3-05"), &[]),
        (&example("prepaid-card/spec"), &["--cover", "classes"]),
    ] {
        fields(&document(file, options), &mut found);
    }
    // What only the implementation model defines is a probe.
    let few = here.write("few.sts", "input a\ninput b\noutput o\nprocess P { init l { ?a ; !o -> l } }");
    let more = here.write("more.sts", "input a\ninput b\noutput o\nprocess P { init l { ?a ; !o -> l ?b ; !o -> l } }");
    let compared = sioco(&["compare", &few, &more, "--solver", "builtin", "--format", "json"]);
    let compared: Value = serde_json::from_str(&compared.stdout).unwrap();
    fields(&compared["suite"]["plan"], &mut found);
    let page = format!("{}/../../docs/plan-file.md", env!("CARGO_MANIFEST_DIR"));
    let page = fs::read_to_string(page).unwrap();
    let words: BTreeSet<&str> = page.split('`').skip(1).step_by(2).collect();
    let missing: Vec<&String> = found.iter().filter(|f| !words.contains(f.as_str())).collect();
    assert!(missing.is_empty(), "not in docs/plan-file.md: {missing:?}");
    // The fields in the first column, all but those that take bad luck.
    let rows = page.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next());
    let rare = ["cut", "reason", "doubt", "unknown", "apart", "other_outputs", "answer"];
    let wrong: Vec<&str> = rows.filter(|f| !found.contains(*f) && !rare.contains(f)).collect();
    assert!(wrong.is_empty(), "in docs/plan-file.md, but never written: {wrong:?}");
}

/// A file that is no plan is not written over.
#[test]
fn the_model_is_not_lost() {
    let here = folder();
    let file = here.write("m.sts", MODEL);
    let told = sioco(&["plan", &file, "--output", &file]);
    let told = told.exits(2);
    assert!(told.stderr.contains("that file exists and is not a plan"), "{}", told.stderr);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), MODEL);
}
