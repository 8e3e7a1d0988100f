//! `sioco explore` on the examples and on what is wrong.

// Other tests use more of it.
#[allow(dead_code)]
mod support;

use serde_json::Value as Json;
use support::{Folder, Run, sioco, sioco_in, sioco_in_env, sioco_with_input};

const EXAMPLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples");

fn example(name: &str) -> String {
    format!("{EXAMPLES}/{name}")
}

fn explore(model: &str, args: &[&str]) -> Run {
    let all: Vec<&str> = ["explore", model].into_iter().chain(args.iter().copied()).collect();
    sioco(&all)
}

#[track_caller]
fn json(run: &Run) -> Json {
    assert_eq!(run.stdout.lines().count(), 1, "{}", run.stdout);
    serde_json::from_str(&run.stdout).expect("a JSON document")
}

/// Parameters of all kinds, and steps that only a solver can decide, if at all.
const KINDS: &str = "input a(x: Int, y: Int)
input b(s: Int in 1..10)
output c
output d(q: Int in 0..30)

process P {
  var v: Int = 0
  init l {
    cubes: ?a(x, y) [x * x * x + y * y * y == 854 && x > 1 && y > x] / v := x -> m
    range: ?b(s) / v := s -> k
  }
  state m {
    out: !c [v > 0] -> l
  }
  state k {
    big: !c [v > 15] -> l
    give: !d(v) -> l
    choose: !d(any q) [q > v] -> k
    between: tau [v > 3 && v < 4] -> l
  }
}
";

#[test]
fn a_model_without_end_stops_at_the_depth() {
    let model = example("accumulator/accumulator.sts");
    let run = explore(&model, &["--depth", "6"]);
    run.exits(0).stderr_is("").stdout_is(
        "Accumulator: 8 nodes, up to 6 steps deep
  stopped after 6 steps
  1 node not expanded; raise `--depth`

  switches  all 3 taken
  merged    no nodes: none is like an earlier one
  unknown   none: every step was decided
",
    );
    explore(&model, &["--depth", "3"]).exits(0).stdout_has("1 not reached so far: r2");
    explore(&model, &["--depth", "0"]).exits(0).stdout_has("1 node, up to 0 steps");
    let run = explore(&model, &["--nodes", "10", "--merge", "equal"]);
    run.exits(0).stdout_has("stopped at the limit of 10 nodes").stdout_has("raise `--nodes`");
    let run = explore(&model, &["--memory", "1", "--merge", "equal"]);
    run.exits(0).stdout_has("stopped at the limit of 1 B of memory").stdout_has("raise `--memory`");
    let run = explore(&model, &["--until-covered", "--merge", "equal"]);
    run.exits(0).stdout_has("stopped: every switch has been taken").stdout_has("all 3 taken");
}

#[test]
fn brp_is_explored_to_its_end() {
    let model = example("brp/brp.sts");
    explore(&model, &[]).exits(0).stdout_is(
        "Sender: 197 nodes, up to 26 steps deep
  complete: every state that can be reached is covered

  switches  all 16 taken
  merged    77 nodes included in an earlier one, 77 of them equal to it
  unknown   none: every step was decided
",
    );
    let deep = explore(&model, &["--order", "dfs"]);
    deep.exits(0).stdout_has("complete").stdout_has("all 16 taken");
    let tree = explore(&model, &["--merge", "none", "--depth", "8"]);
    tree.exits(0).stdout_has("nothing, as asked for: the graph is a tree");
}

#[test]
fn the_atm_is_included_in_its_start_after_two_steps() {
    let model = example("atm/atm.sts");
    explore(&model, &["--tree"]).exits(0).stdout_has(
        "n0  q0, m = m#0, cp = cp#0, x = x#0
├─ n1  ask ?amount(a)  q1, m = m#0, cp = cp#0, x = a#1
",
    );
    let document = json(explore(&model, &["--format", "json"]).exits(0));
    assert_eq!(document["stop"]["reason"], "complete");
    let nodes = document["nodes"].as_array().unwrap();
    for node in nodes.iter().filter(|n| n["depth"] == 2) {
        assert_eq!(node["included_in"], "n0", "{node}");
        assert_eq!(node["expanded"], false);
    }
    assert_eq!(nodes[1]["step"]["switch"], "ask");
    assert_eq!(nodes[1]["step"]["label"], "?amount(a)");
    assert_eq!(nodes[1]["state"]["x"], "a#1");
}

#[test]
fn the_number_of_cores_changes_nothing() {
    for (model, more) in [
        ("brp/brp.sts", &["--merge", "none", "--depth", "14"][..]),
        ("ceiling-speed-monitor/csm.sts", &["--delta"]),
        ("prepaid-card/spec.sts", &["--merge", "none", "--depth", "6"]),
    ] {
        let model = example(model);
        let with = |jobs: &str| {
            let mut args = vec!["--format", "json", "--jobs", jobs];
            args.extend(more);
            explore(&model, &args).exits(0).stdout.clone()
        };
        let one = with("1");
        assert!(one.len() > 2000, "{one}");
        assert!(one == with("2"), "{model}: two workers do not agree with one");
        assert!(one == with("7"), "{model}: seven workers do not agree with one");
    }
}

/// Whether a model among the examples is one of a real system.
fn is_real(model: &str) -> bool {
    std::path::Path::new(model).with_file_name("sioco.toml").exists()
}

/// All models among the examples.
fn models() -> Vec<String> {
    let mut models = Vec::new();
    for folder in std::fs::read_dir(EXAMPLES).expect("there are examples") {
        let folder = folder.expect("it can be read").path();
        if folder.is_dir() {
            let files = std::fs::read_dir(folder).expect("it can be read");
            models.extend(files.map(|f| f.expect("it can be read").path().display().to_string()));
        }
    }
    models.retain(|m| m.ends_with(".sts") && !m.ends_with("common.sts"));
    models.sort();
    assert!(models.len() > 30, "{models:?}");
    models
}

#[test]
fn every_example_is_explored() {
    for model in &models() {
        // Real systems have so many inputs that a few steps are enough.
        let depth = if is_real(model) { "4" } else { "12" };
        let text = explore(model, &["--depth", depth, "--delta"]);
        text.exits(0).stderr_is("").stdout_has("  switches  ");
        let document = json(explore(model, &["--depth", depth, "--delta", "--format", "json"]).exits(0).stderr_is(""));
        // The document agrees with what people read.
        let counters = &document["counters"];
        let (nodes, depth) = (counters["nodes"].as_u64().unwrap(), counters["depth"].as_u64().unwrap());
        assert_eq!(document["nodes"].as_array().unwrap().len() as u64, nodes);
        let s = |n: u64| if n == 1 { "" } else { "s" };
        text.stdout_has(&format!(": {nodes} node{}, up to {depth} step{} deep", s(nodes), s(depth)));
        text.stdout_has(document["stop"]["text"].as_str().unwrap());
        let switches = document["switches"].as_array().unwrap();
        let taken = switches.iter().filter(|s| s["status"] == "taken").count();
        let all = if taken == switches.len() { "all ".into() } else { format!("{taken} of ") };
        text.stdout_has(&format!("{all}{} taken", switches.len()));
    }
}

#[test]
fn every_witness_can_be_replayed() {
    let folder = Folder::new("explore-replay");
    let kinds = folder.write("kinds.sts", KINDS);
    let script = folder.path("steps.txt");
    for (model, path) in [
        (example("accumulator/accumulator.sts"), "r0 r1 r0 r1 r2"),
        (example("atm/atm.sts"), "ask pay_cost question answer"),
        (example("atm/atm-two-processes.sts"), "ask put forward/receive allow pay delta"),
        (example("trace-figures/fig-3-04.sts"), "?a,?b,T1,T2,T3,!c"),
        (kinds, "range choose choose give range delta"),
    ] {
        // The last path is impossible: nothing is saved.
        let possible = !path.ends_with("range delta");
        for values in ["min", "max", "middle", "random", "boundary"] {
            let run = explore(&model, &["--path", path, "--values", values, "--seed", "7", "--save", &script]);
            if !possible {
                run.exits(1);
                continue;
            }
            run.exits(0).stderr_is("").stdout_has("reachable: ").stdout_has(&format!("< {script}\n"));
            let steps = std::fs::read_to_string(&script).unwrap();
            let again = sioco_with_input(&["simulate", &model], format!("{steps}trace\n").as_bytes());
            again.exits(0);
            // What was shown is what was saved, and what the stepper did.
            let taken: Vec<&str> = steps.lines().filter(|l| !l.starts_with("//") && !l.starts_with("set ")).collect();
            assert!(again.stdout.ends_with(&format!("{}\n", taken.join("\n"))), "{steps}\n{}", again.stdout);
            for line in steps.lines().filter(|l| !l.starts_with("//")) {
                run.stdout_has(&format!("\n  {line}\n"));
            }
        }
    }
}

/// Nodes of every example, with values of every kind.
#[test]
fn nodes_of_every_example_can_be_replayed() {
    let folder = Folder::new("explore-nodes");
    let script = folder.path("steps.txt");
    let mut kinds = ["min", "max", "middle", "random", "boundary"].iter().cycle();
    for model in &models() {
        let depth = ["--depth", "5", "--delta"];
        let document = json(explore(model, &[&depth[..], &["--format", "json"]].concat()).exits(0));
        let nodes = document["nodes"].as_array().unwrap();
        for node in nodes.iter().rev().step_by(nodes.len().div_ceil(3)) {
            let values = kinds.next().unwrap();
            let name = node["id"].as_str().unwrap();
            let args = [&depth[..], &["--node", name, "--values", values, "--save", &script]].concat();
            explore(model, &args).exits(0);
            let steps = std::fs::read(&script).unwrap();
            sioco_with_input(&["simulate", model], &steps).exits(0);
        }
    }
}

#[test]
fn a_reachable_path_has_a_condition_a_state_and_values() {
    let model = example("accumulator/accumulator.sts");
    explore(&model, &["--path", "r0 r1 r0 r1 r2"]).exits(0).stderr_is("").stdout_is(&format!(
        "reachable: r0 r1 r0 r1 r2

path condition
  p#1 >= 1        step 1 r0, accumulator.sts:12:18
  p#1 <= 10       step 1 r0, accumulator.sts:12:18
  p#3 >= 1        step 3 r0, accumulator.sts:12:18
  p#3 <= 10       step 3 r0, accumulator.sts:12:18
  p#1 + p#3 > 15  step 5 r2, accumulator.sts:13:18

symbols
  Int: p#1, p#3

state
  l2
  x = p#1 + p#3

witness, least values
  r0: ?inX(6)
  r1: !outX(6)
  r0: ?inX(10)
  r1: !outX(16)
  r2: !done

replay: add `--save steps.txt`, then sioco simulate {model} < steps.txt
"
    ));
    // Several values are one path, and labels are names, too.
    for args in [&["--path", "r0", "!outX", "?inX,r1", "!done"][..], &["--path", "r0 r1", "--path", "r0\tr1,r2"]] {
        explore(&model, args).exits(0).stdout_has("reachable: r0 r1 r0 r1 r2\n");
    }
    explore(&model, &["--path", ""]).exits(0).stdout_has("reachable: the initial state\n");
    let document = json(explore(&model, &["--path", "r0 r1", "--values", "max", "--format", "json"]).exits(0));
    assert_eq!(document["result"], "reachable");
    assert_eq!(document["path"], serde_json::json!(["r0", "r1"]));
    assert_eq!(document["condition"][1]["text"], "p#1 <= 10");
    assert_eq!(document["condition"][1]["line"], 12);
    assert_eq!(document["witness"]["steps"][1]["values"]["p"], 10);
    assert_eq!(document["witness"]["script"], serde_json::json!(["r0: ?inX(10)", "r1: !outX(10)"]));
    // A node is a path, too.
    explore(&model, &["--depth", "6", "--node", "n6"]).exits(0).stdout_has("reachable: n6: r0 r1 r0 r1 r2\n");
    let boundary = explore(&model, &["--path", "r0 r1 r0 r1 r2", "--values", "boundary"]);
    boundary.exits(0).stdout_has("r1: !outX(16)");
}

#[test]
fn what_is_unbounded_is_said() {
    let model = example("atm/atm.sts");
    let run = explore(&model, &["--path", "put", "--values", "max"]);
    run.exits(0)
        .stdout_has("no greatest value (of numbers, the one nearest to zero is taken, or one")
        .stdout_has("`x` at the start");
    let document = json(explore(&model, &["--path", "put", "--values", "max", "--format", "json"]).exits(0));
    let unbounded = document["witness"]["unbounded"].as_array().unwrap();
    assert!(unbounded.contains(&serde_json::json!({ "step": 0, "name": "x" })), "{unbounded:?}");
}

#[test]
fn an_impossible_path_shows_the_conditions_that_clash() {
    let model = example("accumulator/accumulator.sts");
    explore(&model, &["--path", "r0 r1 r2"]).exits(1).stderr_is("").stdout_is(&format!(
        "impossible: step 3, `r2`, cannot be taken after `r0 r1`
   ╭▸ {model}:13:18
   │
12 │     r0: ?inX(p) [1 <= p <= 10] / x := x + p -> l1
   │                  ──────────── step 1: p#1 <= 10
13 │     r2: !done   [x > 15]                    -> l2
   ╰╴                 ━━━━━━ step 3, here: p#1 > 15

state before step 3
  l0
  x = p#1
"
    ));
    explore(&model, &["--path", "r2"]).exits(1).stdout_has("step 1, here: x > 15 is false (x = 0)\n");
    let document = json(explore(&model, &["--path", "r0 r1 r2", "--format", "json"]).exits(1));
    assert_eq!((&document["result"], &document["at"]), (&"impossible".into(), &3.into()));
    let clash: Vec<&str> = document["clash"].as_array().unwrap().iter().map(|c| c["text"].as_str().unwrap()).collect();
    assert_eq!(clash, ["p#1 <= 10", "p#1 > 15"]);
    // What a type says takes part in a clash as well.
    let folder = Folder::new("explore-impossible");
    let kinds = folder.write("kinds.sts", KINDS);
    let run = explore(&kinds, &["--path", "range big"]);
    run.exits(1).stdout_has("step 2, here: s#1 > 15").stdout_has("note: s#1 is of type Int in 1..10");
    explore(&kinds, &["--path", "range between"]).exits(1).stdout_has("s#1 < 4").stdout_has("s#1 > 3");
    explore(&kinds, &["--path", "range delta"]).exits(1).stdout_has("for silence, `give` must not be possible");
    for (figure, path) in [("05", "!a ?b"), ("06", "?input_ !output_")] {
        let model = example(&format!("trace-figures/fig-3-{figure}.sts"));
        explore(&model, &["--path", path]).exits(1).stdout_has("step 2, here: ");
    }
}

/// A step that is impossible since it is undefined says so.
#[test]
fn an_impossible_path_names_a_model_error() {
    let text = "input a(p: Int in 0..9)\noutput o(q: Int)\noutput r(q: Int in 0..5)\nprocess P {\n  \
                var x: Int in 0..12 = 0\n  init l {\n    quo: !o(10 div x) -> l\n    add: ?a(p) / x := x + p -> l\n    \
                big: ?a(p) [p > 8] / x := x + p + 4 -> l\n    guard: ?a(p) [10 div x > 3] -> l\n    \
                rng: !r(x + 7) -> l\n    small: ?a(p) [x > 20] -> l\n  }\n}\n";
    let folder = Folder::new("explore-model-error");
    let model = folder.write("m.sts", text);
    for (path, place, error) in [
        ("quo", "7:13", "the argument `q` of `quo` is undefined: division by zero (x = 0)"),
        ("big", "9:26", "the new value of `x` of `big`: 13 is outside of its range `Int in 0..12` (x = 0, p = 9)"),
        ("guard", "10:19", "the guard of `guard` is undefined: division by zero (x = 0)"),
        ("rng", "11:13", "the argument `q` of `rng`: 7 is outside of its range `Int in 0..5` (x = 0)"),
        ("add rng", "11:13", "the argument `q` of `rng`: 7 is outside of its range `Int in 0..5` (x = 0)"),
    ] {
        let run = explore(&model, &["--path", path]);
        run.exits(1)
            .stdout_has(", because of a model error\n")
            .stdout_has(&format!("note: model error at {model}:{place}"));
        let document = json(explore(&model, &["--path", path, "--format", "json"]).exits(1));
        let told = document["model_error"].as_str().unwrap();
        assert!(told.ends_with(&format!("m.sts:{place}: {error}")), "{path}: {told}");
    }
    explore(&model, &["--path", "guard"]).stdout_has("step 1, here: 10 div x > 3 is undefined (x = 0)");
    // What is only not enabled is no error.
    let run = explore(&model, &["--path", "small"]);
    assert!(!run.exits(1).stdout.contains("model error"), "{}", run.stdout);
}

#[test]
fn what_is_unknown_is_marked_with_its_reason() {
    let folder = Folder::new("explore-unknown");
    let model = folder.write("kinds.sts", KINDS);
    let run = explore(&model, &["--solver", "builtin"]);
    run.exits(0)
        .stdout_has("2 perhaps taken, resting on `unknown`: cubes, out")
        .stdout_has("2 steps (n1 `cubes`, n3 `out`): the built-in solver cannot")
        .stdout_has("asked: the built-in layers alone")
        .stdout_has("2 proved unreachable: big, between");
    explore(&model, &["--solver", "builtin", "--tree"]).exits(0).stdout_has("cubes ?a(x, y)  m, v = x#1  unknown\n");
    let run = explore(&model, &["--solver", "builtin", "--path", "cubes out"]);
    run.exits(3)
        .stdout_has("unknown: cubes out\n")
        .stdout_has(
            "undecided from step 1, `cubes`, on\n  the built-in solver cannot decide it, and no other solver was \
             allowed",
        )
        .stdout_has("state, if it is reachable");
    let document = json(explore(&model, &["--solver", "builtin", "--path", "cubes", "--format", "json"]).exits(3));
    assert_eq!((&document["result"], &document["at"]), (&"unknown".into(), &1.into()));
    let document = json(explore(&model, &["--solver", "builtin", "--format", "json"]).exits(0));
    assert_eq!(document["doubts"][0]["node"], "n1");
    assert_eq!(document["switches"][0]["status"], "unknown");
    assert_eq!(document["nodes"][1]["doubt"], true);
}

#[cfg(unix)]
#[test]
fn a_solver_that_breaks_down_is_named() {
    let folder = Folder::new("explore-solver");
    let model = folder.write("kinds.sts", KINDS);
    let program = folder.program("mute", "exit 0");
    for args in [&["--solver", &program][..], &["--solver", &program, "--path", "cubes"]] {
        let run = explore(&model, args);
        run.exits(5).stderr_has("mute").stderr_has("`sioco doctor` lists the solvers");
    }
    explore(&model, &["--solver", "/no/such/solver"]).exits(5).stderr_has("/no/such/solver");
}

#[test]
fn statistics_say_who_answered() {
    let model = example("brp/brp.sts");
    let run = explore(&model, &["--stats", "--depth", "20"]);
    run.exits(0)
        .stdout_has("yes by evaluation")
        .stdout_has("built-in solver")
        .stdout_has("never reached the back-end")
        .stdout_has("100.00 %")
        .stdout_has("nodes per second")
        .stdout_has("bytes per node");
    let document = json(explore(&model, &["--stats", "--format", "json"]).exits(0));
    assert_eq!(document["stats"]["percent_before_back_end"], 100.0);
    assert_eq!(document["stats"]["layers"]["back_end"]["asked"], 0);
}

/// In both tables, the lines add up to the last one.
#[test]
fn statistics_add_up() {
    for model in ["accumulator/accumulator.sts", "prepaid-card/spec.sts", "ceiling-speed-monitor/csm.sts"] {
        let run = explore(&example(model), &["--stats", "--depth", "10", "--solver", "builtin"]);
        let tables = run.exits(0).stdout.split_once("\nquestions\n").unwrap().1;
        let (questions, answers) = tables.split_once("answers, by layer").unwrap();
        for (table, lines, columns) in [(questions, 5, 1), (answers.split_once('\n').unwrap().1, 6, 3)] {
            let numbers = |line: &str| -> Vec<u64> { line.split_whitespace().filter_map(|w| w.parse().ok()).collect() };
            let rows: Vec<Vec<u64>> = table.lines().take(lines + 1).map(numbers).collect();
            for column in 0..columns {
                let sum: u64 = rows[..lines].iter().map(|row| row[column]).sum();
                assert_eq!(sum, rows[lines][column], "{model}\n{table}");
            }
            assert!(rows[lines][columns - 1] > 0, "{model}\n{table}");
            if columns == 3 {
                assert!(rows.iter().all(|row| row[0] + row[1] == row[2]), "{table}");
            }
        }
    }
    sioco(&["explore", "--help"]).stdout_has("counts answers by layer").stdout_has("JSON (one object, on one line)");
}

/// Who reads a pipe gets everything: no line is shortened, and none is left out.
#[test]
fn a_pipe_gets_the_whole_tree() {
    let folder = Folder::new("explore-pipe");
    let variables: String = (0..30).map(|i| format!("  var variable_{i}: Int = {i}\n")).collect();
    let text = format!(
        "input go\nprocess P {{\n{variables}  var n: Int in 0..300 = 0\n  init l {{ up: ?go [n < 300] / n := n + 1 -> l }}\n}}\n"
    );
    let model = folder.write("wide.sts", &text);
    let run = explore(&model, &["--tree", "--depth", "400"]);
    let (tree, _) = run.exits(0).stdout.split_once("\n\n").unwrap();
    assert_eq!(tree.lines().count(), 301);
    assert!(!tree.contains('…'), "{tree}");
    assert!(tree.lines().all(|line| line.contains("variable_29 = 29")), "{tree}");
    assert!(tree.lines().last().unwrap().contains("up ?go  l, "), "{tree}");
}

const TWO: &str = "\
channel c(n: Int)
output o
process P { init p0 { out: !o -> p0  give: send c(1) -> p0 } }
process Q { init q0 { take: recv c(_) -> q0  other: !o -> q0 } }
system S = A: P || B: P || Q
";

#[test]
fn names_that_several_processes_have_are_ambiguous() {
    let folder = Folder::new("explore-names");
    let model = folder.write("two.sts", TWO);
    let ambiguous = |path: &str, candidates: &str| {
        let run = explore(&model, &["--path", path]);
        run.exits(2).stderr_has(&format!("`{path}` is ambiguous, it may be one of {candidates}"));
    };
    ambiguous("out", "A.out, B.out");
    ambiguous("give", "A.give, B.give");
    ambiguous("give/take", "A.give/Q.take, B.give/Q.take");
    for (path, near) in [
        ("A.giv/Q.take", "A.give/Q.take"),
        ("A.give/tke", "A.give/take"),
        ("A.oot", "A.out"),
        ("othr", "other"),
        ("oot", "out"),
    ] {
        let run = explore(&model, &["--path", path]);
        run.exits(2).stderr_has("there is no switch").stderr_has(&format!("did you mean `{near}`?"));
    }
    explore(&model, &["--path", "nothing/like/this"]).exits(2).stderr_has("there is no switch");
    // A handshake is read in both ways, and written in one.
    for path in ["A.give/Q.take", "A.give/take", "A.give & Q.take"] {
        let document = json(explore(&model, &["--path", path, "--format", "json"]).exits(0));
        assert_eq!(document["path"], serde_json::json!(["A.give/Q.take"]));
        assert_eq!(document["witness"]["script"], serde_json::json!(["A.give/Q.take"]));
    }
    for line in ["A.give/Q.take", "A.give/take", "A.give & take"] {
        let run = sioco_with_input(&["simulate", &model], format!("{line}\n").as_bytes());
        run.exits(0).stdout_has("\nA.give/Q.take\n");
        assert!(!run.stdout.contains("A.give & "), "{}", run.stdout);
    }
    let run = sioco_with_input(&["simulate", &model], b"oot\n");
    run.exits(2).stderr_has("did you mean `out`?");
    sioco_with_input(&["simulate", &model], b"out\n").exits(2).stderr_has("several processes have a switch `out`");
}

#[test]
fn a_symbol_says_whether_it_is_a_parameter_or_a_variable() {
    let folder = Folder::new("explore-symbols");
    let text = "input a(x: Int in 0..9)\nprocess P {\n  var x: Int in 0..9 = any\n  \
                init l { up: ?a(_) [x > 3] -> m }\n  state m { on: ?a(p) [p > x] / x := p -> m }\n}\n";
    let model = folder.write("m.sts", text);
    let document = json(explore(&model, &["--path", "up on", "--format", "json"]).exits(0));
    let names: Vec<&str> = document["symbols"].as_array().unwrap().iter().filter_map(|s| s["name"].as_str()).collect();
    assert_eq!(names, ["x#0", "a.x#1", "p#2"]);
}

/// What is not followed since the model is not defined there is told, and who finds out more.
#[test]
fn model_errors_on_the_way_are_mentioned() {
    let folder = Folder::new("explore-errors");
    let text = "input a(p: Int in 1..9)\nprocess P {\n  var x: Int in 0..20 = 0\n  \
                init l { add: ?a(p) / x := x + p -> l  same: ?a(_) -> l }\n}\n";
    let model = folder.write("m.sts", text);
    let run = explore(&model, &[]);
    run.exits(0).stdout_has("  errors    `add` can compute a value").stdout_has("`sioco analyze`");
    let document = json(explore(&model, &["--format", "json"]).exits(0));
    assert_eq!(document["model_errors"], serde_json::json!(["add"]));
    let fine = folder.write("fine.sts", &text.replace("/ x", "[x + p <= 20] / x"));
    let run = explore(&fine, &[]);
    assert!(!run.exits(0).stdout.contains("errors"), "{}", run.stdout);
}

/// Model errors about items of sequences are found as well, and conditions on items are told in words.
#[test]
fn items_outside_of_their_range_are_model_errors() {
    let folder = Folder::new("explore-items");
    let text = "type R = { a: Int in 0..2 }\ninput i(n: Int, r: Int)\noutput o\nprocess P {\n  \
                var s: Seq<Int in 0..2> = []\n  var t: Seq<R> = []\n  var u: Seq<Seq<Int in 0..2>> = []\n  \
                var v: Seq<Int> = []\n  init l {\n    a: !o / s := s ++ [-1] -> l\n    b: !o -> l\n    \
                more: ?i(n, _) / v := v ++ [n] -> m\n  }\n  state m {\n    \
                copy: !o / s := v -> l\n    other: ?i(n, r) [n > r] -> m\n  }\n}\n";
    let model = folder.write("m.sts", text);
    explore(&model, &["--depth", "2"]).exits(0).stdout_has("  errors    `a`, `copy` can compute a value");
    let document = json(explore(&model, &["--depth", "2", "--format", "json"]).exits(0));
    assert_eq!(document["model_errors"], serde_json::json!(["a", "copy"]));
    let document = json(explore(&model, &["--path", "a", "--format", "json"]).exits(1));
    assert_eq!(document["clash"][0]["text"], "every item of s ++ [-1] is in 0..2");
    explore(&model, &["--path", "a"]).exits(1).stdout_has("every item of s ++ [-1] is in 0..2 is false (s = [])");
}

/// What is merged has the same name in the tree, in the document and in the summary.
#[test]
fn merged_nodes_are_called_the_same_everywhere() {
    let model = example("brp/brp.sts");
    let all = explore(&model, &["--tree"]);
    assert_eq!(all.exits(0).stdout.matches("  included in n").count(), 77);
    let equal = explore(&model, &["--tree", "--merge", "equal"]);
    equal.exits(0).stdout_has("77 nodes equal to an earlier one\n");
    assert_eq!(equal.stdout.matches("  equal to n").count(), 77);
    assert!(!equal.stdout.contains("included"), "{}", equal.stdout);
}

/// A limit of the time ends the exploration like any other.
#[test]
fn the_time_is_a_limit() {
    let model = example("accumulator/accumulator.sts");
    let run = explore(&model, &["--merge", "equal", "--depth", "4000000000", "--nodes", "4000000000", "--time", "0.2"]);
    run.exits(0).stdout_has("stopped after 0.2 s, at the time limit").stdout_has("raise `--time`");
    let document = json(explore(&model, &["--time", "0", "--format", "json"]).exits(0));
    assert_eq!((&document["stop"]["reason"], &document["options"]["time"]), (&"time".into(), &0.0.into()));
    let run = explore(&model, &["--time", "0", "--node", "n5"]);
    run.exits(2).stderr_has("there is no node `n5`").stderr_has("raise `--time`");
    explore(&model, &["--time", "0", "--node", "n0"]).exits(0);
    explore(&model, &["--depth", "4", "--time", "600"]).exits(0).stdout_has("stopped after 4 steps");
    for wrong in ["-1", "soon", "1e3"] {
        explore(&model, &["--time", wrong]).exits(2).stderr_has("write a number of seconds, such as 20 or 0.5");
    }
}

/// A path takes all words up to the next option; a model among them is found.
#[test]
fn the_model_may_stand_behind_the_path() {
    let model = example("accumulator/accumulator.sts");
    let before = explore(&model, &["--path", "r0", "r1"]);
    before.exits(0).stdout_has("reachable: r0 r1");
    sioco(&["explore", "--path", "r0", "r1", &model]).exits(0).stdout_is(&before.stdout);
    sioco(&["explore", "--path", "r0 r1", "--values", "min", &model]).exits(0).stdout_is(&before.stdout);
    let run = sioco(&["explore", "--path", "r0", "r1"]);
    run.exits(2).stdout_is("").stderr_has("there is no model: `--path` takes all words that follow it as steps");
    run.stderr_has("write `sioco explore FILE --path 'r0 r1'`");
    sioco(&["explore", "--help"]).stdout_has("Usage: sioco explore [OPTIONS] <FILE>");
}

/// A solver by its name alone gets the arguments that it needs.
#[cfg(unix)]
#[test]
fn a_known_solver_needs_no_arguments() {
    let folder = Folder::new("explore-solver");
    let model = folder.write(
        "hard.sts",
        "input a(x: Int, y: Int)\nprocess P {\n  var v: Int = 0\n  \
        init l { cubes: ?a(x, y) [x * x * x + y * y * y == 1729 && x > 1 && y > x] / v := x -> m }\n  final m\n}\n",
    );
    let told = folder.path("told");
    folder.program("cvc5", &format!("echo \"$@\" >> {told}"));
    let program = folder.path("cvc5");
    explore(&model, &["--solver", &program]);
    let told = std::fs::read_to_string(told).unwrap_or_default();
    assert!(told.starts_with("--lang smt2 --incremental\n"), "{told:?}");
}

#[test]
fn a_long_tree_is_cut_and_says_so() {
    let model = example("brp/brp.sts");
    let run = explore(&model, &["--tree=5"]);
    run.exits(0).stdout_has("\n… and 192 more nodes; ").stdout_has("`--tree=0` all");
    let all = explore(&model, &["--tree=0"]);
    all.exits(0);
    assert!(!all.stdout.contains("… and "), "{}", all.stdout);
    for name in ["n0 ", "n50 ", "n196 "] {
        all.stdout_has(name);
    }
    explore(&model, &["--tree=0", "--order", "dfs", "--depth", "300"]).exits(0).stdout_has("n196 ");
}

#[test]
fn what_is_wrong_is_answered_clearly() {
    let folder = Folder::new("explore-wrong");
    let model = example("accumulator/accumulator.sts");
    let bad = folder.write("bad.sts", "process P { init l { ?x -> l } }");
    sioco(&["explore", &folder.path("none.sts")]).exits(2).stderr_has("none.sts");
    sioco(&["explore", &bad]).exits(2).stderr_has("error[");
    sioco(&["explore"]).exits(2).stderr_has("FILE");
    for (args, message) in [
        (&["--path", "r0 rr1"][..], "step 2: there is no switch or gate `rr1`"),
        (&["--path", "r0 ?inx"], "did you mean `?inX`?"),
        (&["--path", "inX"], "did you mean `?inX`?"),
        (&["--path", "dleta"], "did you mean `delta`?"),
        (&["--path", "r1"], "step 1: `r1` does not leave l0; what does: r0, r2"),
        (&["--path", "r0 r1 r2 r0"], "step 4: `r0` does not leave l2; nothing does"),
        (&["--depth", "4", "--node", "n99"], "there is no node `n99`: the graph has n0 to n4"),
        (&["--depth", "4", "--node", "x"], "there is no node `x`"),
        (&["--depth", "4", "--node", ""], "there is no node ``"),
        (&["--depth", "-1"], "--depth"),
        (&["--depth", "99999999999999999999"], "--depth"),
        (&["--nodes", "0"], "--nodes"),
        (&["--nodes", "99999999999"], "--nodes"),
        (&["--memory", "0"], "write more than 0 bytes"),
        (&["--memory", "much"], "such as 512M"),
        (&["--jobs", "0"], "--jobs"),
        (&["--jobs", "100000"], "--jobs"),
        (&["--order", "random"], "bfs"),
        (&["--merge", "all"], "included"),
        (&["--solver", ""], "name a solver"),
        (&["--values", "max"], "--path"),
        (&["--path", "r0", "--depth", "3"], "cannot be used with"),
        (&["--path", "r0", "--node", "n1"], "cannot be used with"),
        (&["--path", "r0", "--tree"], "cannot be used with"),
        (&["--path", "r0", "--save", "/no/such/folder/x"], "cannot write `/no/such/folder/x`"),
    ] {
        let run = explore(&model, args);
        run.exits(2).stderr_has(message);
        assert_eq!(run.stdout, "", "{args:?}");
    }
    let ambiguous = folder.write("two.sts", "input a\nprocess P { init l { x: ?a -> l  y: ?a -> l } }");
    let run = explore(&ambiguous, &["--path", "?a"]);
    run.exits(2).stderr_has("`?a` is ambiguous, it may be one of x, y").stderr_has("name one of them: `x` or `y`");
}

#[test]
fn colour_and_progress_stay_where_they_belong() {
    let model = example("atm/atm.sts");
    let plain = explore(&model, &["--tree", "--stats"]);
    plain.exits(0).stderr_is("");
    assert!(!plain.stdout.contains('\x1b') && !plain.stdout.contains('\r'));
    let colour = sioco_in_env(&["explore", &model, "--tree"], &[("FORCE_COLOR", "1")]);
    colour.exits(0).stderr_is("").stdout_has("\x1b[1;32mcomplete");
    for (variables, coloured) in [(("FORCE_COLOR", "1"), true), (("NO_COLOR", "1"), false)] {
        let run = sioco_in_env(&["explore", &model, "--path", "ask"], &[variables]);
        assert_eq!(run.exits(0).stdout.contains('\x1b'), coloured);
    }
}

/// The first Ctrl-C ends the exploration with what there is, also if it comes twice at once, as `timeout` sends it.
#[cfg(unix)]
#[test]
fn an_interrupt_shows_what_was_found() {
    let text = "input a(p: Int in 1..9)\noutput o(q: Int in 0..20)\nprocess P {\n  var x: Int = 0\n  \
                init l { add: ?a(p) / x := x + p -> l  tell: !o(x) -> l }\n}\n";
    let folder = Folder::new("explore-interrupt");
    let model = folder.write("m.sts", text);
    for signals in [1, 2] {
        let told = interrupted(&[&model], signals);
        assert!(told.contains("interrupted: these are the results so far"), "{told}");
        assert!(told.contains("  errors    `tell` can compute a value"), "{told}");
    }
    let told = interrupted(&[&model, "--format", "json"], 1);
    let document: Json = serde_json::from_str(&told).expect("a JSON document");
    assert_eq!(document["stop"]["reason"], "interrupted");
    assert_eq!(document["model_errors"], serde_json::json!(["tell"]));
    assert!(document["model_errors_cut"].is_boolean());
}

/// What an exploration without end says when it is interrupted by so many signals.
#[cfg(unix)]
fn interrupted(args: &[&str], signals: usize) -> String {
    use std::process::{Command, Stdio};
    use std::time::Duration;
    // On a busy machine the program may need longer until it listens.
    for patience in [1, 4, 16] {
        let child = Command::new(env!("CARGO_BIN_EXE_sioco"))
            .arg("explore")
            .args(args)
            .args(["--merge", "equal", "--nodes", "4000000000", "--depth", "4000000000"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it starts");
        std::thread::sleep(Duration::from_secs(patience));
        for _ in 0..signals {
            let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("there is kill");
            assert!(killed.success());
        }
        let output = child.wait_with_output().expect("it ends");
        if output.status.code().is_none() {
            continue;
        }
        let text = String::from_utf8(output.stdout).expect("text");
        assert_eq!(output.status.code(), Some(130), "{text}");
        assert_eq!(output.stderr, b"");
        return text;
    }
    panic!("the interrupt was never heeded");
}

/// Functions and constants are expanded in a model; people read what they wrote.
#[test]
fn calls_of_functions_are_shown_as_they_were_written() {
    let folder = Folder::new("explore-functions");
    folder.write(
        "f.sts",
        "input go\ninput set(n: Int in 0..9)\noutput yes\nconst LIMIT = 5\n\
         fun beyond(n: Int): Bool = n > LIMIT\nfun never(): Bool = LIMIT > 7\n\
         process P {\n  var x: Int = 0\n  init a {\n    s: ?set(n) / x := n -> a\n    t: ?go [beyond(x)] -> b\n    \
         u: ?go [beyond(3)] -> b\n    v: ?go [never()] -> b\n  }\n  state b { y: !yes -> a }\n}\n",
    );
    let explore = |path| sioco_in(&["explore", "f.sts", "--solver", "builtin", "--path", path], &folder.path(""));
    explore("t").exits(1).stdout_has("step 1, here: beyond(x) is false (x = 0)");
    explore("u").exits(1).stdout_has("step 1, here: beyond(3) is false");
    explore("v").exits(1).stdout_has("step 1, here: never() is false");
    // Where symbols decide, they are shown.
    explore("s t").exits(0).stdout_has("n#1 > 5");
    let run = sioco_in(&["plan", "f.sts", "--solver", "builtin", "--data", "boundary"], &folder.path(""));
    run.stdout_has("`beyond(x)` of t true").stdout_has("`beyond(x)` of t just false");
    // Where one part is folded and another is two conditions, nobody knows which is which.
    folder.write(
        "g.sts",
        "input go\noutput yes\nconst ON = true\nfun both(x: Int): Bool = x > 3 && x < 8\nprocess P {\n  \
         var x: Int in 0..9 = 0\n  init a {\n    s: ?go [ON && both(x)] -> b\n    t: ?go [x <= 3] / x := 5 -> a\n  }\n  \
         state b { y: !yes -> a }\n}\n",
    );
    let run = sioco_in(&["plan", "g.sts", "--solver", "builtin", "--data", "boundary"], &folder.path(""));
    run.stdout_has("`x > 3` of s true").stdout_has("`x < 8` of s true");
}
