//! `sioco compare`: what people and programs see of a comparison, its suite against systems, and bad input.

// Lints know tests by their attribute, which helpers do not have.
#![allow(clippy::unwrap_used)]

// Each test program uses a part of it.
#[allow(dead_code)]
mod support;

use std::fs;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;
use support::{Folder, Run, sioco, sioco_in};

/// Tests run at the same time, each in a folder of its own.
fn folder() -> Folder {
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    Folder::new(&format!("compare-{}", NUMBER.fetch_add(1, Ordering::Relaxed)))
}

fn example(name: &str) -> String {
    format!("{}/../../examples/{name}.sts", env!("CARGO_MANIFEST_DIR"))
}

/// Compares two files, without any other solver.
fn compare(spec: &str, implementation: &str, options: &[&str]) -> Run {
    let mut args = vec!["compare", spec, implementation, "--solver", "builtin"];
    args.extend(options);
    sioco(&args)
}

const GATES: &str = "input a(x: Int in 0..9)\ninput b\noutput u(y: Int)\noutput v\n";
const SPEC: &str = "process P { var n: Int = 0
  init l { low: ?a(x) [x <= 5] / n := x ; !u(n) -> l  go: ?b ; !v -> m }
  state m { back: ?b ; !v -> l }
}\n";

/// Two models in files, and the names of these.
fn two(folder: &Folder, spec: &str, implementation: &str) -> (String, String) {
    (folder.write("spec.sts", spec), folder.write("impl.sts", implementation))
}

fn gated(process: &str) -> String {
    format!("{GATES}{process}")
}

/// Runs a suite against a model that plays the system.
fn test(spec: &str, plan: &str, system: &str) -> Run {
    let folder = folder();
    let sut = format!("model:{system}");
    let journal = folder.path("runs.jsonl");
    let args =
        ["test", spec, "--plan", plan, "--sut", &sut, "--seed", "1", "--solver", "builtin", "--journal", &journal];
    sioco(&args)
}

#[test]
fn a_difference_is_shown_with_both_answers() {
    let run = compare(&example("prepaid-card/spec"), &example("prepaid-card/impl"), &[]);
    run.exits(1);
    run.stdout_has("does not conform to");
    run.stdout_has("  ?update(300)\n    specification:  !balance(300)\n    implementation: !balance(0)\n");
    run.stdout_has("composition: 12 states and 56 transitions (56 of both)");
    run.stdout_has("a path to every transition");
}

#[test]
fn what_conforms_is_proved_or_bounded() {
    let card = example("prepaid-card/spec");
    let run = compare(&card, &card, &[]);
    run.exits(0);
    assert!(run.stdout.contains("conforms to") && run.stdout.contains("(proved: "), "{}", run.stdout);
    let run = compare(&card, &card, &["--length", "2"]);
    run.exits(0);
    run.stdout_has(" up to 2 inputs\n");
    run.stdout_has("all paths of up to 2 inputs; longer ones are cut");
    // What a bound of the search leaves open is open.
    let run = compare(&card, &card, &["--nodes", "2"]);
    run.exits(3);
    run.stdout_has("the limit on nodes was reached; raise `--nodes`");
    let run = compare(&card, &card, &["--time", "0"]);
    run.exits(3);
    run.stdout_has("the time limit was reached; raise `--time`");
    // Where nothing was compared, nothing is said to conform.
    run.stdout_has(" is unknown: nothing could be compared: the time limit was reached");
    assert!(!run.stdout.contains("up to 0"), "{}", run.stdout);
    let run = compare(&card, &card, &["--nodes", "1", "--format", "json"]);
    run.exits(3);
    let json: Value = serde_json::from_str(&run.stdout).unwrap();
    let (result, reason) = (&json["conformance"]["result"], json["conformance"]["reason"].as_str().unwrap());
    assert_eq!(
        (result, reason),
        (&"unknown".into(), "nothing could be compared: the limit on nodes was reached; raise `--nodes`")
    );
}

#[test]
fn the_document_has_everything() {
    let (spec, imp) = (example("prepaid-card/spec"), example("prepaid-card/impl"));
    let run = compare(&spec, &imp, &["--format", "json", "--length", "2"]);
    run.exits(1);
    let json: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!((&json["format"], &json["version"]), (&"sioco-compare".into(), &1.into()));
    assert_eq!(json["conformance"]["result"], "differs");
    assert_eq!(json["conformance"]["trace"][1]["input"]["args"]["a"], 300);
    assert_eq!(json["conformance"]["trace"][1]["spec"][0][0]["args"]["b"], 300);
    assert_eq!(json["conformance"]["trace"][1]["implementation"][0]["args"]["b"], 0);
    assert_eq!((&json["options"]["cover"], &json["options"]["length"]), (&"length".into(), &2.into()));
    let (states, transitions) = (&json["composition"]["states"], &json["composition"]["transitions"]);
    assert_eq!(states[0]["spec"][0], "s0");
    for t in transitions.as_array().unwrap() {
        assert!(t["to"].as_u64().unwrap() < states.as_array().unwrap().len() as u64);
        assert!(!t["condition"].as_array().unwrap().is_empty());
        assert_eq!(t["defined"], "both");
    }
    let plan = &json["suite"]["plan"];
    assert_eq!((&plan["format"], &plan["cover"]), (&"sioco-plan".into(), &"compare".into()));
    assert_eq!(plan["purposes"].as_array().unwrap().len() as u64, json["suite"]["tests"].as_u64().unwrap());
    assert!(json["work"]["composition"]["solver"]["asked"].as_u64().unwrap() > 0);
}

/// The published mutants of the Ceiling Speed Monitor, each as its own model: the suite kills it, and the reference passes.
#[test]
fn suites_kill_what_they_are_made_for() {
    // Its real numbers are too much for the built-in solver.
    if let Err(why) = sioco_solve::BackEnd::Z3.open() {
        println!("not tried: {why}");
        return;
    }
    let folder = folder();
    let reference = example("ceiling-speed-monitor/csm");
    for mutant in ["ex1", "ex2", "ex3"] {
        let plan = folder.path(&format!("{mutant}.json"));
        let mutant = example(&format!("ceiling-speed-monitor/mutant-{mutant}"));
        let run = sioco(&["compare", &reference, &mutant, "--solver", "z3", "--output", &plan]);
        run.exits(1);
        let killed = test(&reference, &plan, &mutant);
        killed.exits(1);
        killed.stdout_has("FAIL  CeilingSpeedMonitor");
        test(&reference, &plan, &reference).exits(0);
    }
}

#[test]
fn probes_are_told_and_not_judged() {
    let folder = folder();
    // It takes more, and answers differently there.
    let more = gated(
        "process Q { var n: Int = 0
          init l { ?a(x) [x <= 5] / n := x ; !u(n) -> l  ?a(x) [x == 7] ; !u(-x) -> k  ?b ; !v -> m }
          state m { ?b ; !v -> l  ?a(x) ; !v ; !v -> m }
          state k { ?b -> k } }",
    );
    let (spec, imp) = two(&folder, &gated(SPEC), &more);
    let plan = folder.path("plan.json");
    let run = compare(&spec, &imp, &["--output", &plan, "--composition"]);
    run.exits(0);
    run.stdout_has("-> (err_s, k)");
    run.stdout_has("probe: ?a(7)");
    let run = test(&spec, &plan, &imp);
    run.exits(0);
    run.stdout_has("with inputs outside the model: reported without a verdict");
    run.stdout_has("?a(x=7): !u(y=-7)");
    run.stdout_has("?a(x=0): !v !v");
    // Whatever the system does there.
    let wild = more.replace("!u(-x)", "!u(1000) ; !u(2)").replace("!v ; !v", "!u(3)");
    fs::write(folder.path("wild.sts"), wild).unwrap();
    test(&spec, &plan, &folder.path("wild.sts")).exits(0);
    // A plan is read as it was written.
    sioco(&["plan", &spec, "--check", &plan, "--solver", "builtin"]).exits(0);
}

#[test]
fn inputs_that_are_not_taken_are_a_difference() {
    let folder = folder();
    let (spec, imp) = two(&folder, &gated(SPEC), &gated(SPEC).replace("x <= 5", "x <= 4"));
    let run = compare(&spec, &imp, &[]);
    run.exits(1);
    run.stdout_has("  ?a(5)\n    specification:  !u(5)\n    implementation: does not take it");
    run.stdout_has("if the model is only incomplete");
    // A played model refuses what it does not take, if its refusals are judged.
    let plan = folder.path("plan.json");
    compare(&spec, &imp, &["--output", &plan]).exits(1);
    test(&spec, &plan, &imp).exits(1).stdout_has("error[sioco::V005]: the SUT refused ?a");
    test(&spec, &plan, &spec).exits(0).stdout_has("PASS");
    // Elsewhere it is a system that takes every input.
    let (system, journal) = (format!("model:{imp}"), folder.path("walk.jsonl"));
    let walked = sioco(&["test", &spec, "--sut", &system, "--seed", "1", "--solver", "builtin", "--journal", &journal]);
    walked.exits(1).stdout_has("error[sioco::V002]");
    assert!(!walked.stdout.contains("V005"), "{}", walked.stdout);
}

/// That nothing is answered shows only to those who wait: what comes late must not be taken for the answer to the next input,
/// or to a probe.
#[test]
fn no_answer_is_an_answer() {
    let folder = folder();
    let gates = "input a\ninput b\noutput x\n";
    let probed = [
        "process S { init s0 { ?a -> s1  ?b ; !x -> s0 } state s1 }",
        "process I { init s0 { ?a ; !x -> s1  ?b ; !x -> s0 } state s1 { ?b -> s1 } }",
    ];
    let inner = [
        "process S { init s0 { ?a -> s1 } state s1 { ?a -> s2 } state s2 { !x -> s0 } }",
        "process I { init s0 { ?a -> s1 } state s1 { ?a -> s2  !x -> s0 } state s2 { !x -> s0 } }",
    ];
    for pair in [probed, inner] {
        let [spec, imp] = pair.map(|text| format!("{gates}{text}\n"));
        let (spec, imp) = two(&folder, &spec, &imp);
        let plan = folder.path("plan.json");
        compare(&spec, &imp, &["--output", &plan]).exits(1);
        for seed in ["1", "2", "3", "4", "5", "6"] {
            let journal = folder.path("run.jsonl");
            for (system, exit) in [(&imp, 1), (&spec, 0)] {
                let sut = format!("model:{system}");
                let arguments = ["test", &spec, "--plan", &plan, "--sut", &sut, "--seed", seed, "--journal", &journal];
                sioco(&arguments).exits(exit);
            }
        }
    }
}

/// A system that refuses one test after the other is judged in all of them.
#[test]
fn refusals_do_not_end_a_campaign() {
    let folder = folder();
    let spec = "input a(p: Int in 0..9)\noutput x(p: Int)\nprocess S {\n  init s0 {\n    ?a(p) [p < 3] ; !x(p) -> s0\n    \
                ?a(p) [3 <= p < 6] ; !x(1) -> s0\n    ?a(p) [p >= 6] ; !x(p + 1) -> s0\n  }\n}\n";
    let imp = "input a(p: Int in 0..9)\noutput x(p: Int)\nprocess I {\n  init s0 { ?a(p) [p > 9] ; !x(p) -> s0 }\n}\n";
    let (spec, imp) = two(&folder, spec, imp);
    let plan = folder.path("plan.json");
    compare(&spec, &imp, &["--output", &plan, "--length", "1"]).exits(1);
    let run = test(&spec, &plan, &imp);
    run.exits(1).stdout_has("everything was done");
    assert!(!run.stdout.contains("not tried"), "{}", run.stdout);
}

#[test]
fn specifications_may_choose() {
    let folder = folder();
    let choice = "process P { init l { ?b ; !v -> m  ?b ; !v -> n  ?a(x) ; !u(x) -> l }
      state m { ?b ; !u(1) -> m } state n { ?b ; !u(2) -> n } }";
    let first = "process P { init l { ?b ; !v -> m  ?a(x) ; !u(x) -> l } state m { ?b ; !u(1) -> m } }";
    let mixed = "process P { init l { ?b ; !v -> m  ?a(x) ; !u(x) -> l }
      state m { ?b ; !u(1) -> n } state n { ?b ; !u(2) -> m } }";
    let (spec, imp) = two(&folder, &gated(choice), &gated(first));
    let run = compare(&spec, &imp, &[]);
    run.exits(0);
    run.stdout_has("(proved: ");
    fs::write(&imp, gated(mixed)).unwrap();
    let run = compare(&spec, &imp, &[]);
    run.exits(1);
    run.stdout_has("  ?b !v\n  ?b !u(1)\n  ?b\n    specification:  !u(1)\n    implementation: !u(2)\n");
}

/// Where a specification may be in several states and one of them does not define an input, nobody has to take it.
#[test]
fn models_with_choices_conform_to_themselves() {
    let folder = folder();
    let gates = "input a\ninput b\noutput x\noutput y\n";
    let chooses = "process P { init s0 { ?a ; !x -> s0  ?a ; !x -> s1  ?b ; !y -> s0 } state s1 { ?a ; !x -> s0 } }";
    let spec = format!("{gates}{chooses}");
    let (spec, imp) = two(&folder, &spec, &spec);
    let plan = folder.path("plan.json");
    compare(&spec, &imp, &["--output", &plan]).exits(0).stdout_has("(proved: ");
    let run = test(&spec, &plan, &imp);
    assert!(!run.stdout.contains("FAIL"), "{}", run.stdout);
    // What all of these states define has to be taken.
    fs::write(&imp, format!("{gates}process P {{ init s0 {{ ?a ; !x -> s1  ?b ; !y -> s0 }} state s1 {{ }} }}"))
        .unwrap();
    let run = compare(&spec, &imp, &[]);
    run.exits(1);
    run.stdout_has("  ?a !x\n  ?a\n    specification:  !x\n    implementation: does not take it");
    // Who takes it answers as those do that define it.
    let wrong = "process P { init s0 { ?a ; !x -> s1  ?b ; !y -> s0 } state s1 { ?a ; !x -> s0  ?b ; !x -> s0 } }";
    fs::write(&imp, format!("{gates}{wrong}")).unwrap();
    let run = compare(&spec, &imp, &[]);
    run.exits(1);
    run.stdout_has("  ?a !x\n  ?b\n    specification:  !y\n    implementation: !x\n");
}

#[test]
fn outputs_without_a_degree_need_a_number() {
    let folder = folder();
    let (spec, imp) =
        two(&folder, &gated(SPEC).replace("!u(n)", "!u(n mod 2)"), &gated(SPEC).replace("!u(n)", "!u(n mod 2)"));
    let plan = folder.path("plan.json");
    let run = compare(&spec, &imp, &["--output", &plan]);
    run.exits(2);
    run.stderr_has("the output `u` (`x#1 mod 2` is a remainder (`mod`)) has no degree");
    run.stderr_has("`--uniformity N`");
    assert!(!fs::exists(&plan).unwrap());
    let run = compare(&spec, &imp, &["--output", &plan, "--uniformity", "4"]);
    run.exits(0);
    // Four inputs of `low`, and both of `b`.
    run.stdout_has("suite: 5 tests, 6 inputs together");
    test(&spec, &plan, &imp).exits(0);
    // Where there are fewer inputs, all of them.
    let run = compare(&spec, &imp, &["--uniformity", "40"]);
    run.stdout_has("suite: 7 tests, 8 inputs together");
}

#[test]
fn bad_input_is_told() {
    let folder = folder();
    let good = gated(SPEC);
    let cases = [
        (
            good.replace("input b", "input b(z: Bool)").replace("?b", "?b(_)"),
            "the gate `b` is not the same in both models",
        ),
        (
            good.replace("output v", "output v(z: Real)").replace("!v", "!v(0)"),
            "`!v` in the specification, `!v(z: Real)` in",
        ),
        (good.replace("Int in 0..9", "Int in 0..8"), "the gate `a` is not the same in both models"),
        (format!("{good}input c\n"), "the specification has no gate `?c`, and the implementation model has one"),
        (good.replace("output v\n", "").replace("; !v", "; !u(1)"), "the implementation model has no gate `!v`"),
        (good.replace("state m {", "state m { again: tau -> m"), "does not end: it takes `again` again and again"),
        (good.replace("; !u(n)", "").replace("; !v", ""), "impl.sts never answers an input with an output"),
    ];
    for (text, says) in cases {
        let (spec, imp) = two(&folder, &good, &text);
        let run = compare(&spec, &imp, &[]);
        run.exits(2);
        assert!(run.stderr.contains(says), "{says}: {}", run.stderr);
        run.stderr_has("help: ");
    }
    let (spec, imp) = two(&folder, &good.replace("n: Int = 0", "n: Int = any"), &good);
    let run = compare(&spec, &imp, &[]);
    run.exits(2);
    assert!(run.stderr.contains("`n` of ") && run.stderr.contains("may begin with any value"), "{}", run.stderr);
    for options in
        [&["--length", "0"][..], &["--length", "2", "--cover", "inclusion"], &["--uniformity", "0"], &["-o", "."]]
    {
        compare(&spec, &imp, options).exits(2);
    }
    compare(&spec, &folder.path("none.sts"), &[]).exits(2);
    sioco(&["plan", &spec, "--cover", "compare"]).exits(2);
}

/// A model that a learner wrote is compared like any other.
#[test]
fn imported_models_are_compared() {
    let folder = folder();
    let (_, first) = two(&folder, &gated(SPEC), &gated(SPEC));
    // Other names of processes, locations and parameters make no difference.
    let other =
        gated(SPEC).replace("process P", "process Learned").replace("state m", "state q").replace("-> m", "-> q");
    let (_, imp) = two(&folder, &gated(SPEC), &other.replace("a(x: Int", "a(p0: Int"));
    assert_eq!(first, imp);
    compare(&folder.path("spec.sts"), &imp, &[]).exits(0);
}

/// Types are the same if they look the same, wherever they are declared.
#[test]
fn types_are_compared_by_what_they_are() {
    let folder = folder();
    let text = "type Colour = Red | Mix(part: Part)\ntype Part = { n: Int in 0..9, s: Seq<Bool> }
        input a(c: Colour)\noutput u(c: Colour)\n
        process P { var k: Colour = Red  init l { ?a(c) / k := c ; !u(k) -> l } }";
    // In another order, and with a type of its own.
    let (first, second) = (text.lines().next().unwrap(), text.lines().nth(1).unwrap());
    let other = text.replace(&format!("{first}\n{second}"), &format!("type Own = A | B\n{second}\n{first}"));
    let (spec, imp) = two(&folder, text, &other.replace("var k", "var o: Own = A  var k"));
    let run = compare(&spec, &imp, &["--uniformity", "2"]);
    run.exits(0).stdout_has("(proved: ");
    // Deep inside, something is different.
    let (spec, imp) = two(&folder, text, &other.replace("0..9", "0..8"));
    compare(&spec, &imp, &[]).exits(2).stderr_has("the gate `a` is not the same in both models");
}

/// A note says where nothing is compared, since a model has no value there.
#[test]
fn undefined_values_are_noted() {
    let folder = folder();
    let wrong = gated(SPEC).replace("/ n := x ; !u(n)", "/ n := 10 div (x - 3) ; !u(n)");
    let (spec, imp) = two(&folder, &wrong, &wrong);
    let run = compare(&spec, &imp, &["--uniformity", "2"]);
    run.exits(0).stderr_has("some values of `low` in ").stderr_has("`sioco analyze ");
    // The same for a guard.
    let wrong = gated(SPEC).replace("[x <= 5]", "[10 div (x - 3) <= 5]");
    let (spec, imp) = two(&folder, &wrong, &wrong);
    compare(&spec, &imp, &[]).exits(0).stderr_has("some values of `low` in ");
}

/// Answers with several cases have a degree in each.
#[test]
fn answers_are_divided_into_cases() {
    let folder = folder();
    let cases = gated(SPEC).replace("!u(n)", "!u(if n < 3 then 2 * n else min(n, 4))");
    let (spec, imp) = two(&folder, &cases, &cases.replace("min(n, 4)", "4"));
    let run = compare(&spec, &imp, &["--composition"]);
    // 3 is answered with 3 by one, and with 4 by the other.
    run.exits(1).stdout_has("  ?a(3)\n    specification:  !u(3)\n    implementation: !u(4)\n");
    run.stdout_has("composition: 2 states and 5 transitions (5 of both)");
    // Two for each of the first cases, one for the constant; and that of `b`.
    run.stdout_has("suite: 6 tests, 7 inputs together");
}

/// Behaves as [`SPEC`], announces silence after every answer, and refuses what is not defined.
#[cfg(unix)]
const QUIET: &str = r#"
say() { echo "{\"type\":$1}"; }
while read -r line; do
  id=$(echo "$line" | sed 's/.*"id":\([0-9]*\).*/\1/'); x=$(echo "$line" | sed 's/.*"x":\([0-9]*\).*/\1/')
  case $line in
    *'"hello"'*) say '"hello","protocol":1,"name":"quiet","inputs":["a","b"],"outputs":["u","v"],"order":"sut"';;
    *'"reset"'*) run=$(echo "$line" | sed 's/.*"run":\([0-9]*\).*/\1/'); at=l; say "\"ready\",\"run\":$run";;
    *'"gate":"a"'*)
      if [ $at = m ]; then say "\"refused\",\"id\":$id,\"message\":\"not now\""; continue; fi
      say "\"accepted\",\"id\":$id"; say "\"output\",\"gate\":\"u\",\"args\":{\"y\":$x},\"run\":$run"; say '"quiescent"';;
    *'"gate":"b"'*)
      say "\"accepted\",\"id\":$id"; say "\"output\",\"gate\":\"v\",\"args\":{},\"run\":$run"; say '"quiescent"'
      if [ $at = l ]; then at=m; else at=l; fi;;
    *'"bye"'*) exit;;
  esac
done
"#;

/// Takes more than the specification in the state `m`.
#[cfg(unix)]
fn more() -> String {
    gated(&SPEC.replace("state m {", "state m { ?a(x) ; !v -> m "))
}

/// A silence that is announced where a probe begins leads away from nothing.
#[cfg(unix)]
#[test]
fn announced_silences_lead_nowhere_else() {
    let folder = folder();
    folder.program("quiet.sh", QUIET);
    let (spec, imp) = two(&folder, &gated(SPEC), &more());
    let plan = folder.path("plan.json");
    compare(&spec, &imp, &["--output", &plan]).exits(0);
    let args =
        ["test", "spec.sts", "--plan", "plan.json", "--sut", "./quiet.sh", "--attempts", "1", "--solver", "builtin"];
    let run = sioco_in(&args, &folder.path(""));
    run.exits(0);
    run.stdout_has("PASS  P against");
    // What is refused is told as that.
    run.stdout_has("?a(x=0): refused (not now)");
    let json = sioco_in(&[&args[..], &["--format", "json"]].concat(), &folder.path(""));
    json.exits(0).stdout_has("\"refused\":\"not now\"");
}

/// An input that is refused and should not be: the run fails, shrinks, and fails again; whoever judges it agrees.
#[cfg(unix)]
#[test]
fn refusals_fail_again() {
    let folder = folder();
    // After `b`, nothing is taken any more.
    let shut = r#"if [ $at = m ]; then say "\"refused\",\"id\":$id,\"message\":\"shut down\""; continue; fi"#;
    let at = r#"*'"gate":"b"'*)"#;
    folder.program("no.sh", &QUIET.replace(at, &format!("{at} {shut}")));
    let (spec, imp) = two(&folder, &gated(SPEC), &gated(SPEC));
    let plan = folder.path("plan.json");
    compare(&spec, &imp, &["--output", &plan]).exits(0);
    let of = |args: &[&str]| sioco_in(&[args, &["--solver", "builtin"]].concat(), &folder.path(""));
    let run =
        of(&["test", "spec.sts", "--plan", "plan.json", "--sut", "./no.sh", "--journal", "j.jsonl", "--seed", "1"]);
    run.exits(1).stdout_has("error[sioco::V005]: the SUT refused ?b").stdout_has("the adapter says: shut down");
    assert!(!run.stdout.contains("did not fail again"), "{}", run.stdout);
    let again = of(&["replay", "j.jsonl", "--sut", "./no.sh"]);
    again.exits(1).stdout_has("with the same failure").stdout_has("error[sioco::V005]");
    // The mark is at the input.
    let judged = of(&["judge", "spec.sts", "j.jsonl"]);
    judged.exits(1).stdout_has("error[sioco::V005]: the SUT refused ?b");
    let marked = judged.stdout.lines().find(|line| line.contains('✗')).unwrap();
    assert!(marked.contains("?b"), "{}", judged.stdout);
    // The plan says so, and not only the verdict that was given then: what passed is replayed against it.
    folder.program("quiet.sh", QUIET);
    let passed =
        of(&["test", "spec.sts", "--plan", "plan.json", "--sut", "./quiet.sh", "--journal", "k.jsonl", "--seed", "1"]);
    passed.exits(0);
    of(&["replay", "k.jsonl", "--run", "1", "--sut", "./no.sh"]).exits(1).stdout_has("V005");
    sioco(&["explain", "V005"]).exits(0).stdout_has("`sioco compare`");
}

/// A condition that leaves one value is shown like any other, whichever model has it; states that differ in their
/// variables have numbers.
#[test]
fn conditions_that_leave_one_value_are_shown() {
    let folder = folder();
    let process = "process P { var n: Int = 0
      init l { ?a(p) [p == 7] / n := p ; !v -> l  ?a(_) [n == 7] ; !u(n) -> l  ?b ; !v -> m }
      state m { ?a(x) [x == n] ; !v -> m } }\n";
    let (spec, imp) = two(&folder, &gated(process), &gated(process));
    let run = compare(&spec, &imp, &["--composition", "--all"]);
    run.stdout_has("(l, l)/1 ?a [p#1 == 7] -> (l, l)/2");
    run.stdout_has("?a [x#2 == 0] -> (m, m)");
    let run = compare(&spec, &imp, &["--composition", "--format", "json"]);
    run.stdout_has("\"condition\":[\"p#1 == 7\"]");
}

/// Sequences of random inputs whose first one is not taken are no tests, which is told.
#[test]
fn random_inputs_that_are_not_taken_are_counted() {
    let folder = folder();
    let spec =
        folder.write("spec.sts", &gated("process P { init l { ?a(x) [x == 12] ; !v -> l } }").replace("0..9", "0..99"));
    let run = sioco(&["plan", &spec, "--cover", "inputs:3", "--seed", "1", "--solver", "builtin"]);
    run.exits(4)
        .stdout_has("0 purposes for random inputs")
        .stdout_has("left out   3 of 3 sequences: the model does not");
    let json = sioco(&["plan", &spec, "--cover", "inputs:3", "--seed", "1", "--solver", "builtin", "--format", "json"]);
    json.stdout_has("\"candidates\":3").stdout_has("\"impossible\":3");
}

/// Where the specification may be in several states, it is followed after the implementation model; the input that this
/// one does not take is still the last one of the sequence.
#[test]
fn what_is_refused_after_a_choice_is_shown_as_it_is() {
    const CHOICES: &str = "init l0 { ?a ; !o(0) -> l1  ?a ; !o(0) -> l2 }\n  state l1 { ?b ; !o(1) -> l3 }\n  \
        state l2 { ?b ; !o(2) -> l3 }\n";
    let gates = "input a\ninput b\ninput c\noutput o(y: Int)\n";
    let implementation = format!(
        "{gates}process I {{\n  init l0 {{ ?a ; !o(0) -> l1 }}\n  state l1 {{ ?b ; !o(1) -> l3 }}\n  \
         state l3 {{ ?a ; !o(7) -> l3 }}\n}}\n"
    );
    // With and without an input that both take there.
    for more in ["?a ; !o(7) -> l3", ""] {
        let spec = format!("{gates}process S {{\n  {CHOICES}  state l3 {{ ?c ; !o(5) -> l3  {more} }}\n}}\n");
        let folder = folder();
        let (spec, implementation) = two(&folder, &spec, &implementation);
        let run = compare(&spec, &implementation, &[]);
        run.exits(1)
            .stdout_has("3 inputs show it\n\n  ?a !o(0)\n  ?b !o(1)\n  ?c\n    specification:  !o(5)\n")
            .stdout_has("    implementation: does not take it\n");
    }
}

/// Where a gate tolerates differences, the points that tell polynomials apart may be too near each other.
#[test]
fn a_difference_beyond_the_tolerance_is_tested() {
    let model = |answer: &str| {
        format!(
            "input a(p: Int in 0..1000)\noutput o(y: Real tolerance 0.5)\nprocess P {{\n  init l {{ ?a(p) ; \
             !o({answer}) -> l }}\n}}\n"
        )
    };
    let folder = folder();
    let (spec, implementation) = two(&folder, &model("0.0"), &model("p * 0.001"));
    let plan = folder.path("suite.json");
    compare(&spec, &implementation, &["--output", &plan]).exits(1).stdout_has("?a(501)");
    test(&spec, &plan, &implementation).exits(1);
    test(&spec, &plan, &spec).exits(0);
}

/// One output that is too large costs the suite nothing else: the path is told, in the plan as well, and whoever runs that
/// does not pass.
#[test]
fn paths_that_are_too_large_are_told_and_the_others_kept() {
    let folder = folder();
    let large = gated(SPEC).replace("!u(n)", "!u(n * n * n * n * n * n * n * n * n * n * n * n * n)");
    let (spec, imp) = two(&folder, &large, &large);
    let plan = folder.path("plan.json");
    let run = compare(&spec, &imp, &["--output", &plan]);
    run.exits(0).stdout_has("suite: 2 tests, 3 inputs together").stdout_has("1. ?b !v ?b !v\n");
    run.stdout_has("  1 path may need more tests: the output `u`").stdout_has("is too large");
    let written: Value = serde_json::from_str(&fs::read_to_string(&plan).unwrap()).unwrap();
    let states: Vec<&str> = written["goals"].as_array().unwrap().iter().map(|g| g["state"].as_str().unwrap()).collect();
    assert_eq!(states, ["unknown", "covered", "covered"]);
    assert_eq!(written["goals"][0]["transition"], "transition 1: (l, l) ?a -> (l, l)");
    assert_eq!(written["goals"][1]["by"], serde_json::json!([0]));
    let run = test(&spec, &plan, &imp);
    run.exits(3).stdout_has("INCONCLUSIVE  P").stdout_has("1 of 3 transitions may need more tests");
    sioco(&["plan", &spec, "--check", &plan, "--solver", "builtin"]).exits(0);
    // The user may say how many tests there are.
    compare(&spec, &imp, &["--output", &plan, "--uniformity", "3"]).exits(0).stdout_has("suite: 4 tests");
    test(&spec, &plan, &imp).exits(0).stdout_has("PASS");
}

/// A suite of a composition that was cut is not whole, unless the length was asked for.
#[test]
fn suites_that_were_cut_are_no_reason_to_pass() {
    let folder = folder();
    let (card, plan) = (example("prepaid-card/spec"), folder.path("plan.json"));
    compare(&card, &card, &["--nodes", "2", "--output", &plan]).exits(3);
    test(&card, &plan, &card).exits(3).stdout_has("is incomplete: `sioco compare` did not have enough states");
    compare(&card, &card, &["--length", "2", "--output", &plan]).exits(0);
    test(&card, &plan, &card).exits(0).stdout_has("PASS");
}

/// What a solver leaves open about a path is in the plan.
#[test]
fn paths_that_a_solver_leaves_open_are_in_the_plan() {
    let folder = folder();
    let hard = "process P { init l { ?b ; !v -> l  ?a(x) [x < 5] ; !u(x) -> l
      ?c(x, y) [x * x * x + y * y * y == 33 * x * y + 114] ; !v -> l } }";
    let text = format!("input c(x: Int, y: Int)\n{}", gated(hard));
    let (spec, imp) = two(&folder, &text, &text);
    let plan = folder.path("plan.json");
    let run = compare(&spec, &imp, &["--output", &plan]);
    run.stdout_has("1 path may need more tests: ");
    let written: Value = serde_json::from_str(&fs::read_to_string(&plan).unwrap()).unwrap();
    let open: Vec<&Value> = written["goals"].as_array().unwrap().iter().filter(|g| g["state"] == "unknown").collect();
    assert_eq!((open.len(), &open[0]["reason"]["kind"]), (1, &"built-in alone".into()), "{open:?}");
    test(&spec, &plan, &imp).exits(3).stdout_has("transitions may need more tests: the built-in");
}

/// Where the implementation model has no value, the specification still says what is expected.
#[test]
fn inputs_that_break_the_implementation_model_are_tested() {
    let folder = folder();
    for broken in ["/ n := 10 div (x - 3) ; !u(x)", "/ n := x ; !u(if n == 3 then 10 div (n - 3) else n)"] {
        let (spec, imp) = two(&folder, &gated(SPEC), &gated(&SPEC.replace("/ n := x ; !u(n)", broken)));
        let run = compare(&spec, &imp, &["--composition"]);
        run.exits(3).stdout_has("4 of the specification").stdout_has("?a(3) !u(3)").stdout_has("-> (l, err_t)");
        // What it does there is unknown, so nothing is proved.
        run.stdout_has(" conforms to ").stdout_has("except where it has no value");
        run.stdout_has("  ?a(3)\n    specification:  !u(3)\n    implementation: no value: an error of this model\n");
        assert!(!run.stdout.contains("proved"), "{}", run.stdout);
        let run = compare(&spec, &imp, &["--format", "json", "--length", "1"]);
        run.exits(3);
        let json: Value = serde_json::from_str(&run.stdout).unwrap();
        assert_eq!((&json["conformance"]["proved"], &json["conformance"]["stop"]), (&false.into(), &"length".into()));
        assert_eq!(json["conformance"]["no_value"][1]["input"]["args"]["x"], 3);
        // The same where all states of the specification are followed together.
        let may = |text: &str| gated(&text.replace("go: ?b ; !v -> m", "go: ?b ; !v -> m  stay: ?b ; !v -> l"));
        let (spec, imp) = two(&folder, &may(SPEC), &may(&SPEC.replace("/ n := x ; !u(n)", broken)));
        let run = compare(&spec, &imp, &["--length", "2"]);
        run.exits(3).stdout_has("except where it has no value");
        run.stdout_has("  ?a(3)\n    specification:  !u(3)\n    implementation: no value");
        two(&folder, &gated(SPEC), &gated(&SPEC.replace("/ n := x ; !u(n)", broken)));
    }
    // That a system is wrong there is found.
    let plan = folder.path("plan.json");
    compare(&folder.path("spec.sts"), &folder.path("impl.sts"), &["--output", &plan]).exits(3);
    let wrong = folder.write("wrong.sts", &gated(&SPEC.replace("!u(n)", "!u(if n == 3 then 4 else n)")));
    test(&folder.path("spec.sts"), &plan, &wrong).exits(1);
    test(&folder.path("spec.sts"), &plan, &folder.path("spec.sts")).exits(0);
}

/// A run that is a probe and nothing else is counted apart, and shows nothing.
#[test]
fn probes_are_no_passes() {
    let folder = folder();
    let (spec, imp) =
        two(&folder, &gated(SPEC), &gated(&SPEC.replace("init l {", "init l { ?a(x) [x > 5] ; !v -> l ")));
    let plan = folder.path("plan.json");
    compare(&spec, &imp, &["--output", &plan]).exits(0).stdout_has("suite: 3 tests and 3 probes");
    let run = test(&spec, &plan, &imp);
    run.exits(0).stdout_has("PASS").stdout_has("  runs       3 pass, 3 only probes, without a verdict\n");
    run.stdout_has("3 probes with inputs outside the model");
    run.stdout_has("purposes   3 of 3 reached\n");
    // A plan of probes alone shows nothing.
    let mut alone: Value = serde_json::from_str(&fs::read_to_string(&plan).unwrap()).unwrap();
    alone["purposes"].as_array_mut().unwrap().retain(|p| p.get("probe").is_some());
    alone["goals"] = serde_json::json!([]);
    for purpose in alone["purposes"].as_array_mut().unwrap() {
        purpose["goals"] = serde_json::json!([]);
    }
    fs::write(&plan, alone.to_string()).unwrap();
    test(&spec, &plan, &imp).exits(3).stdout_has("INCONCLUSIVE").stdout_has("  runs       3 only probes");
    let (sut, journal) = (format!("model:{imp}"), folder.path("j.jsonl"));
    let run = sioco(&["test", &spec, "--plan", &plan, "--sut", &sut, "--format", "json", "--journal", &journal]);
    run.exits(3).stdout_has("\"probing\":3").stdout_has("\"pass\":0");
    // Whoever judges the journal says the same.
    sioco(&["judge", &spec, &journal, "--solver", "builtin"]).exits(3).stdout_has("3 only probes, without a verdict");
}

/// A long answer is not an endless one.
#[test]
fn long_answers_are_told_from_endless_ones() {
    let folder = folder();
    let counts = |guard: &str| {
        gated(&format!(
            "process P {{ var n: Int = 0  init l {{ ?b / n := 0 -> c  ?a(x) ; !u(x) -> l }}
             state c {{ count: tau{guard} / n := n + 1 -> c  done: !v [n >= 150] -> l }} }}"
        ))
    };
    let (spec, imp) = two(&folder, &counts(" [n < 150]"), &counts(" [n < 150]"));
    let run = compare(&spec, &imp, &[]);
    run.exits(2).stderr_has("an answer of ").stderr_has(" has more than 100 steps, the last of them `count`");
    run.stderr_has("`--answer STEPS` allows more");
    compare(&spec, &imp, &["--answer", "200"]).exits(0).stdout_has("(proved: ").stdout_has("?b !v");
    // It goes on for ever, and is never in the same state: nobody can tell.
    let (spec, imp) = two(&folder, &counts(""), &counts(""));
    compare(&spec, &imp, &["--answer", "200"]).exits(2).stderr_has("has more than 200 steps");
    // This one is.
    let circle = gated(&SPEC.replace("state m {", "state m { one: tau -> k } state k { two: tau -> m "));
    let (spec, imp) = two(&folder, &circle, &circle);
    compare(&spec, &imp, &[]).exits(2).stderr_has("it takes `one two` again and again, and is in the same state");
}

/// What the system chooses is no part of a test: nothing is tested twice for it.
#[test]
fn values_that_the_system_chooses_make_no_tests() {
    let folder = folder();
    let any = "process P { var n: Int = 0
      init l { ?b ; !u(any k) / n := k -> m  ?a(x) ; !v -> l } state m { ?b ; !u(n + 1) -> l  ?a(x) ; !u(n + x) -> l } }";
    let (spec, imp) = two(&folder, &gated(any), &gated(any));
    let run = compare(&spec, &imp, &["--composition"]);
    // One for `?b ?b`, two for `?b ?a`, whose answer depends on `x`, and one for `?a`.
    run.stdout_has("suite: 4 tests, 7 inputs together");
    run.stdout_has("?b !u(0) ?b !u(1)").stdout_has("?b !u(0) ?a(0) !u(0)").stdout_has("?b !u(0) ?a(1) !u(1)");
    // Nor do ways of the implementation model that nobody can tell from outside.
    let twice = gated(&SPEC.replace("go: ?b ; !v -> m", "go: ?b ; !v -> m  again: ?b ; !v -> m"));
    let (spec, imp) = two(&folder, &gated(SPEC), &twice);
    compare(&spec, &imp, &[]).exits(0).stdout_has("suite: 3 tests, 4 inputs together");
}

/// With two ways to go on at each of thirty steps, there are more answers than anybody can look at.
#[test]
fn answers_in_too_many_ways_are_told() {
    let folder = folder();
    let model = "input a\noutput u\noutput v\noutput w\nprocess P {\n  var n: Int in 0..30 = 0\n  init l0 { ?a -> l1 }\n  \
                 state l1 {\n    one: !u [n < 30] / n := n + 1 -> l1\n    two: !v [n < 30] / n := n + 1 -> l1\n    \
                 last: !w [n == 30] / n := 0 -> l0\n  }\n}\n";
    let (one, other) = (folder.write("one.sts", model), folder.write("other.sts", model));
    let run = compare(&one, &other, &[]);
    run.exits(2);
    run.stderr_has("has too many answers to one input: they go on in several ways again and again");
}

/// A specification with choices is followed in all its states; what was found out about a state is not found out again.
#[test]
fn many_inputs_and_many_states_are_proved() {
    let folder = folder();
    let model = "input a(p: Int in 0..2, q: Int in 1..90)\noutput u(x: Int in 0..6)\nprocess P {\n  \
                 var x: Int in 0..6 = 0\n  init l0 {\n    one: ?a(p, q) / x := (x + p) mod 7 -> l1\n    \
                 two: ?a(p, q) [q > 40] / x := (x + p + 3) mod 7 -> l1\n    three: ?a(p, q) -> l1\n  }\n  \
                 state l1 { say: !u(if x < 3 then 0 else 1) -> l0  hide: tau [x > 4] / x := 6 -> l2 }\n  \
                 state l2 { !u(1) -> l0 }\n}\n";
    let (one, other) = (folder.write("one.sts", model), folder.write("other.sts", model));
    let run = compare(&one, &other, &["--uniformity", "1", "--nodes", "10"]);
    run.exits(0);
    run.stdout_has("(proved: ");
}

/// A wrong answer to the third input comes before a refusal of the fourth, however many internal steps it takes.
#[test]
fn no_shorter_sequence_shows_it() {
    let folder = folder();
    let gates = "input a\ninput b\noutput x\noutput y\nprocess P {\n";
    let ends = "  state ox { !x -> s0 }\n  state oy { !y -> s0 }\n}\n";
    let spec = "  init s0 { ?a -> n }\n  state n { tau -> s1  tau -> s2 }\n  state s1 { ?a -> ox  ?b -> t }\n  \
                state s2 { ?a -> oy  ?b -> t }\n  state t { ?b -> w }\n  state w { ?a -> ox  ?b -> oy }\n";
    let imp = "  init s0 { ?a -> s1 }\n  state s1 { ?a -> ox  ?b -> t }\n  state t { ?b -> n }\n  \
               state n { tau -> refuses  tau -> c1 }\n  state refuses { ?b -> oy }\n  state c1 { tau -> c2 }\n  \
               state c2 { tau -> c3 }\n  state c3 { !x -> s0 }\n";
    let write = |name: &str, switches: &str| folder.write(name, &format!("{gates}{switches}{ends}"));
    let run = compare(&write("spec.sts", spec), &write("imp.sts", imp), &[]);
    run.exits(1);
    run.stdout_has("3 inputs show it");
}
