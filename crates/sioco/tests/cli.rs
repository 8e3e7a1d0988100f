//! The program as people and scripts meet it: every command, with input of every kind.

// Each test program uses a part of it.
#[allow(dead_code)]
mod support;

use std::fs;
use std::path::Path;

use clap::CommandFactory;
use sioco::cli::Cli;
use support::{Folder, sioco};

const GOOD: &str = include_str!("../../../examples/accumulator/accumulator.sts");

/// Two errors, one of which can be mended with certainty.
const BROKEN: &str = "output o(p: Int)\nprocess P {\n  var x: Int := 0\n  init a { !o(x + true) -> a }\n}\n";

/// A warning, but no error.
const WARNING: &str = "output o\nprocess P {\n  var x: Int = 0\n  init a { !o -> a }\n}\n";

const IMPORTABLE: &str = r#"<register-automaton>
  <alphabet>
    <inputs><symbol name="IPut"><param type="data" name="p"/></symbol></inputs>
    <outputs><symbol name="OGet"><param type="data" name="p"/></symbol></outputs>
  </alphabet>
  <constants/>
  <globals><variable type="data" name="r">0</variable></globals>
  <locations><location name="a" initial="true"/><location name="b"/></locations>
  <transitions>
    <transition from="a" to="b" symbol="IPut" params="p"><assignments><assign to="r">p</assign></assignments></transition>
    <transition from="b" to="a" symbol="OGet" params="r"/>
  </transitions>
</register-automaton>
"#;

/// Every command that reads a file, as it is called with one.
const READERS: [&[&str]; 5] = [&["check"], &["fmt"], &["fmt", "--check"], &["graph"], &["import"]];

#[test]
fn without_a_command_there_is_help() {
    let run = sioco(&[]);
    run.exits(2).stderr_has("Usage: sioco").stdout_is("");
    sioco(&["--help"]).exits(0).stdout_has("Exit codes:").stderr_is("");
    sioco(&["--version"]).exits(0).stdout_is(&format!("sioco {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn what_does_not_exist_is_refused() {
    sioco(&["--no-such-option"]).exits(2).stdout_is("").stderr_has("--no-such-option");
    sioco(&["chekc"]).exits(2).stdout_is("").stderr_has("check");
    sioco(&["check"]).exits(2).stdout_is("").stderr_has("<FILE>");
    for command in commands() {
        sioco(&[&command, "--no-such-option"]).exits(2).stdout_is("").stderr_has("--no-such-option");
    }
}

/// The names of all commands.
fn commands() -> Vec<String> {
    let names = Cli::command().get_subcommands().map(|command| command.get_name().to_owned()).collect::<Vec<_>>();
    assert!(names.len() > 5);
    names
}

#[test]
fn every_command_has_help_with_an_example() {
    for command in commands() {
        sioco(&[&command, "--help"]).exits(0).stdout_has("Example:").stderr_is("");
        sioco(&["help", &command]).exits(0).stdout_has(&format!("sioco {command}"));
    }
}

/// What is set by hand is not set again by narrow terminals without becoming ragged.
#[test]
fn examples_and_exit_codes_fit_on_narrow_terminals() {
    let help = sioco(&["--help"]);
    let (_, codes) = help.stdout.split_once("Exit codes:").unwrap();
    let mut ends = vec![("sioco".to_owned(), codes.to_owned())];
    for command in commands() {
        let help = sioco(&[&command, "--help"]);
        let (_, end) = help.stdout.split_once("Example:").unwrap();
        ends.push((command, end.to_owned()));
    }
    for (command, end) in ends {
        for line in end.lines() {
            assert!(line.chars().count() <= 80, "{command}: {line}");
        }
    }
    for code in ["\n  0 ", "\n  1 ", "\n  2 ", "\n  3 ", "\n  5 ", "\n  130 "] {
        sioco(&["help", "explore"]).exits(0).stdout_has(code);
    }
}

#[test]
fn the_table_of_the_readme_is_true() {
    let readme = include_str!("../../../README.md");
    let table = readme.split("## Commands").nth(1).and_then(|rest| rest.split("\n## ").next()).unwrap();
    for command in commands() {
        assert!(table.contains(&format!("`sioco {command}")), "the README does not know {command}");
    }
    for mention in table.split("`sioco ").skip(1) {
        let name = mention.split(['`', ' ']).next().unwrap();
        assert!(name == "help" || commands().iter().any(|c| c == name), "no command {name}");
    }
}

#[test]
fn input_of_every_kind_is_answered() {
    let folder = Folder::new("kinds");
    let deep = format!("const A = {}1{}\n", "(".repeat(10_000), ")".repeat(10_000));
    let inputs: Vec<(&str, String)> = vec![
        ("missing", folder.path("missing.sts")),
        ("binary", folder.bytes("binary.sts", b"\x00\x01\x02\x7fELF")),
        ("directory", folder.path(".")),
        ("empty", folder.write("empty.sts", "")),
        ("not UTF-8", folder.bytes("latin1.sts", b"// caf\xe9\n")),
        ("deep", folder.write("deep.sts", &deep)),
        ("broken", folder.write("broken.sts", BROKEN)),
        ("escape", folder.write("escape.sts", "process \x1b[31mP {\n")),
    ];
    for reader in READERS {
        for (kind, path) in &inputs {
            // An empty file has no layout to be wrong, and formatting needs no types.
            let fine = reader[0] == "fmt" && *kind == "empty";
            let args: Vec<&str> = reader.iter().copied().chain([path.as_str()]).collect();
            let run = sioco(&args);
            run.exits(if fine { 0 } else { 2 });
            // Problems are what `check` was asked for; others are kept from their result by them.
            let (told, other) = match reader[0] {
                "check" => (&run.stdout, &run.stderr),
                _ => (&run.stderr, &run.stdout),
            };
            assert!(told.lines().count() > usize::from(reader[0] == "check"), "{args:?}: silent on {kind}");
            assert!(!told.contains("\x1b"), "{args:?}: escapes leak on {kind}");
            assert_eq!(other, "", "{args:?} on {kind}");
        }
    }
}

#[test]
fn check_says_what_it_found() {
    let folder = Folder::new("check");
    let (good, broken, warning) =
        (folder.write("good.sts", GOOD), folder.write("broken.sts", BROKEN), folder.write("warning.sts", WARNING));
    sioco(&["check", &good]).exits(0).stdout_is("checked 1 file: no problems\n").stderr_is("");
    let run = sioco(&["check", &good, &broken, &warning]);
    run.exits(2)
        .stderr_is("")
        .stdout_has("\nchecked 3 files: 2 errors, 1 warning\n")
        .stdout_has("error[sioco::")
        .stdout_has("broken.sts:3");
    sioco(&["check", &warning]).exits(0).stdout_has("\nchecked 1 file: 1 warning\n").stdout_has("sioco::W001");
    sioco(&["check", "--deny-warnings", &warning]).exits(2).stdout_has("1 warning (denied)");
}

#[test]
fn check_speaks_json() {
    let folder = Folder::new("check-json");
    let broken = folder.write("broken.sts", BROKEN);
    let run = sioco(&["check", "--format", "json", &broken, &broken]);
    run.exits(2).stderr_is("");
    let lines: Vec<serde_json::Value> = run.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let kinds: Vec<&str> = lines.iter().map(|line| line["type"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["diagnostic", "diagnostic", "summary"], "told once each");
    assert_eq!(lines[0]["line"], 3);
    assert_eq!(lines[2]["errors"], 2);
    assert_eq!(lines[2]["files"], 2);
}

#[test]
fn constants_and_systems_are_chosen() {
    let folder = Folder::new("choices");
    let model = "output o(p: Int)\nconst N: Int in 1..9 = 5\nprocess P { init a { !o(N) -> a } }\n\
        system A = P\nsystem B = P || other: P\n";
    let path = folder.write("m.sts", model);
    sioco(&["check", &path, "--const", "N=7", "--system", "B"]).exits(0);
    sioco(&["check", &path, "--const", "N=70"]).exits(2).stdout_has("--const N");
    sioco(&["check", &path, "--const", "M=7"]).exits(2).stdout_has("M");
    sioco(&["check", &path, "--const", "N"]).exits(2).stderr_has("N=5");
    sioco(&["check", &path, "--system", "C"]).exits(2).stdout_has("C");
    sioco(&["graph", &path]).exits(2).stderr_has("--system").stdout_is("");
    sioco(&["graph", &path, "--system", "B", "--format", "dot"]).exits(0).stdout_has("digraph");
}

#[test]
fn fix_mends_what_is_certain_and_nothing_else() {
    let folder = Folder::new("fix");
    let common = folder.write("common.sts", "output o(p: Int)\nconst A: Int := 1\n");
    let path = folder.write("m.sts", &format!("import \"common.sts\"\n{}", BROKEN.replace("output o(p: Int)\n", "")));
    let before = fs::read_to_string(&common).unwrap();
    let run = sioco(&["check", "--fix", &path]);
    run.exits(2).stdout_has("fixed: ").stdout_has("`:=` became `=`").stdout_has("1 fixed");
    assert!(fs::read_to_string(&path).unwrap().contains("var x: Int = 0"));
    assert_eq!(fs::read_to_string(&common).unwrap(), before, "it was not given");
    assert_eq!(folder.names(), ["common.sts", "m.sts"], "nothing is left behind");
}

#[test]
fn explain_knows_every_code() {
    let list = sioco(&["explain"]);
    list.exits(0).stderr_is("");
    let codes = sioco_lang::Code::ALL.len() + sioco_report::run::code::Code::ALL.len();
    let words = sioco_report::run::word::Word::ALL.len();
    let topics = codes + words + sioco_symbolic::analysis::Kind::ALL.len();
    let terms = include_str!("../../../docs/glossary.md").matches("\n### ").count();
    // Some terms have a page as a word or a kind.
    assert!((topics + terms - 10..topics + terms).contains(&list.stdout.lines().count()), "{}", list.stdout);
    let mut names: Vec<&str> = list.stdout.lines().filter_map(|line| Some(line.split_once("  ")?.0)).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), list.stdout.lines().count(), "a name for each topic");
    for code in ["N001", "n001", "sioco::N001", "sioco::n001", "SIOCO::n001"] {
        sioco(&["explain", code]).exits(0).stdout_has("error[sioco::N001]\n").stderr_is("");
    }
    sioco(&["explain", "NN001"]).exits(2).stdout_is("").stderr_has("did you mean `N0");
    sioco(&["explain", "XYZW"]).exits(2).stdout_is("").stderr_has("lists all of them");
    sioco(&["explain", "distdeg"]).exits(0).stdout_has("DistDeg\n").stdout_has("`sioco explain T-G5`").stderr_is("");
    sioco(&["explain", "t-g5"]).exits(0).stdout_has("T-G5 DistDeg\n").stdout_has("lemma 1").stderr_is("");
    sioco(&["explain", "prob"]).exits(2).stderr_has("did you mean `probe`?");
    let run = sioco(&["explain", "patient belief", "--format", "json"]);
    let object: serde_json::Value = serde_json::from_str(&run.exits(0).stdout).unwrap();
    assert_eq!((&object["term"], &object["severity"]), (&"patient belief".into(), &serde_json::Value::Null));
    let run = sioco(&["explain", "N001", "--format", "json"]);
    let object: serde_json::Value = serde_json::from_str(&run.exits(0).stdout).unwrap();
    assert_eq!(object["code"], "sioco::N001");
}

const UGLY: &str = "output   o\nprocess P{init a{!o->a}}";

#[test]
fn fmt_changes_files_only_if_need_be() {
    let folder = Folder::new("fmt");
    let path = folder.write("m.sts", UGLY);
    let check = sioco(&["fmt", "--check", &path]);
    check.exits(2).stdout_has("--- ").stdout_has("\n-output   o\n").stderr_has("1 file would be formatted");
    assert_eq!(fs::read_to_string(&path).unwrap(), UGLY);
    sioco(&["fmt", &path]).exits(0).stdout_is("").stderr_has("formatted ");
    let formatted = fs::read_to_string(&path).unwrap();
    assert_ne!(formatted, UGLY);
    let time = fs::metadata(&path).unwrap().modified().unwrap();
    sioco(&["fmt", &path]).exits(0).stderr_has("1 file already formatted");
    assert_eq!(fs::metadata(&path).unwrap().modified().unwrap(), time);
    sioco(&["fmt", "--check", &path]).exits(0).stdout_is("");
    support::sioco_with_input(&["fmt", "--stdin"], UGLY.as_bytes()).exits(0).stdout_is(&formatted).stderr_is("");
    support::sioco_with_input(&["fmt", "--stdin", "--check"], UGLY.as_bytes()).exits(2).stdout_has("<stdin>");
    support::sioco_with_input(&["fmt", "--stdin"], b"process {").exits(2).stdout_is("").stderr_has("<stdin>:1:");
    support::sioco_with_input(&["fmt", "--stdin"], b"\xff").exits(2).stdout_is("").stderr_has("UTF-8");
    sioco(&["fmt", "--stdin", &path]).exits(2);
    sioco(&["fmt"]).exits(2);
    assert_eq!(folder.names(), ["m.sts"], "nothing is left behind");
}

#[cfg(unix)]
#[test]
fn fmt_keeps_permissions_and_links() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = Folder::new("fmt-links");
    let path = folder.write("m.sts", UGLY);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    let link = folder.path("link.sts");
    symlink("m.sts", &link).unwrap();
    sioco(&["fmt", &link]).exits(0);
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_ne!(fs::read_to_string(&path).unwrap(), UGLY);
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);

    let fixed = folder.write("fixed.sts", UGLY);
    fs::set_permissions(&fixed, fs::Permissions::from_mode(0o440)).unwrap();
    sioco(&["fmt", &fixed]).exits(2).stderr_has("read-only");
    assert_eq!(fs::read_to_string(&fixed).unwrap(), UGLY);
}

#[test]
fn graph_draws() {
    let folder = Folder::new("graph");
    let path = folder.write("m.sts", GOOD);
    let svg = sioco(&["graph", &path]);
    svg.exits(0).stdout_has("<svg").stdout_has("x := x + p").stderr_is("");
    sioco(&["graph", &path, "--format", "mermaid"]).exits(0).stdout_has("flowchart");
    let (dot, picture) = (folder.path("m.dot"), folder.path("m.svg"));
    sioco(&["graph", &path, "-o", &dot]).exits(0).stdout_is("").stderr_has("wrote ");
    assert!(fs::read_to_string(&dot).unwrap().starts_with("digraph"));
    sioco(&["graph", &path, "-o", &picture]).exits(0);
    assert_eq!(fs::read_to_string(&picture).unwrap(), svg.stdout);
    sioco(&["graph", &path, "-o", "-"]).exits(0).stdout_is(&svg.stdout);
    sioco(&["graph", &path, "--process", "Acumulator"]).exits(2).stdout_is("").stderr_has("did you mean `Accumulator`");
    sioco(&["graph", &path, "-o", &folder.path("no/such/m.svg")]).exits(2).stderr_has("cannot write");
    sioco(&["graph", &path, "-o", &folder.path(".")]).exits(2).stderr_has("cannot write");
}

#[test]
fn graph_draws_one_process_of_several() {
    let folder = Folder::new("graph-process");
    let model = "output o\nprocess P { init here { !o -> here } }\nprocess Q { init there { !o -> there } }\n\
        system S = P || Q\n";
    let path = folder.write("m.sts", model);
    sioco(&["graph", &path, "--format", "dot"]).exits(0).stdout_has("here").stdout_has("there");
    let one = sioco(&["graph", &path, "--format", "dot", "--process", "Q"]);
    one.exits(0).stdout_has("there");
    assert!(!one.stdout.contains("\"here\""));
}

#[test]
fn import_gives_a_model() {
    let folder = Folder::new("import");
    let xml = folder.write("buffer.xml", IMPORTABLE);
    let run = sioco(&["import", &xml]);
    run.exits(0).stdout_has("?IPut(p)").stderr_has("note: ");
    let path = folder.path("buffer.sts");
    sioco(&["import", &xml, "-o", &path]).exits(0).stdout_is("");
    sioco(&["check", &path]).exits(0);
    sioco(&["fmt", "--check", &path]).exits(0);
    let wrong = folder.write("wrong.xml", "<a>\n<b>\n</a>");
    sioco(&["import", &wrong]).exits(2).stdout_is("").stderr_has("wrong.xml:3:");
    sioco(&["import", &xml, "--from", "uml"]).exits(2).stderr_has("raxml");
}

#[test]
fn doctor_finds_what_is_there() {
    let folder = Folder::new("doctor");
    let lib = folder.folder("venv/lib/python3.12/site-packages/z3/lib");
    fs::write(Path::new(&lib).join("libz3.so"), "").unwrap();
    folder.folder("venv/lib/python3.12/site-packages/z3_solver-4.15.1.0.dist-info");
    let venv = folder.path("venv");
    let run = support::sioco_in_env(&["doctor"], &[("VIRTUAL_ENV", &venv)]);
    run.exits(0).stdout_has("libz3.so (version 4.15.1.0, of Python, not used)").stderr_is("");
    run.stdout_has("\n  auto takes  ");

    // It is there, but it is no library.
    let chosen = folder.write("libz3.so.4.9", "");
    let env = [("SIOCO_Z3", chosen.as_str()), ("PATH", "/no/such")];
    let run = support::sioco_in_env(&["doctor", "--format", "json"], &env);
    let object: serde_json::Value = serde_json::from_str(&run.exits(0).stdout).unwrap();
    assert_eq!(object["libraries"].as_array().unwrap().len(), 1);
    assert_eq!(object["libraries"][0]["version"], "4.9");
    assert_eq!(object["libraries"][0]["used"], false);
    assert!(object["libraries"][0]["problem"].is_string());
    assert_eq!(object["solver"], false);
    assert!(object["auto"].is_null());
    support::sioco_in_env(&["doctor"], &env).stdout_has("auto takes  no working Z3");
    support::sioco_in_env(&["doctor"], &env).exits(0).stdout_has("problem").stdout_has("pip install z3-solver");

    let run = support::sioco_in_env(&["doctor"], &[("SIOCO_Z3", "/no/such/libz3.so"), ("PATH", "/no/such")]);
    run.exits(0).stdout_has("there is no such file").stdout_has("pip install z3-solver");
}

#[cfg(unix)]
#[test]
fn doctor_asks_programs_for_their_version_whatever_they_do() {
    let folder = Folder::new("doctor-programs");
    folder.program("z3", "echo Z3 version 4.8.12 - 64 bit");
    folder.program("cvc5", "exec /bin/sleep 1000");
    folder.program("yices-smt2", "printf '\\033[31mnonsense\\377\\n'; while :; do echo more; done");
    folder.program("mathsat", "exit 7");
    let path = folder.path("");
    let env = [("SIOCO_Z3", "/no/such/libz3.so"), ("PATH", path.as_str())];
    let started = std::time::Instant::now();
    let run = support::sioco_in_env(&["doctor", "--format", "json"], &env);
    let object: serde_json::Value = serde_json::from_str(&run.exits(0).stderr_is("").stdout).unwrap();
    assert!(started.elapsed() < std::time::Duration::from_secs(60), "{:?}", started.elapsed());
    let program = |name: &str| {
        let programs = object["programs"].as_array().unwrap();
        programs.iter().find(|p| p["name"] == name).unwrap().clone()
    };
    let problem = |name: &str| program(name)["problem"].as_str().unwrap_or_default().to_owned();
    assert_eq!(program("z3")["version"], "4.8.12");
    assert!(program("z3")["problem"].is_null());
    assert!(program("z3")["path"].as_str().unwrap().ends_with("z3"));
    assert!(program("opensmt")["path"].is_null());
    assert!(problem("cvc5").contains("did not end within 2.0 s"), "{}", problem("cvc5"));
    assert!(problem("yices-smt2").contains("does not say its version"), "{}", problem("yices-smt2"));
    assert!(problem("mathsat").contains("7") && problem("mathsat").contains("printed nothing"));
    assert_eq!(object["solver"], true);
    let run = support::sioco_in_env(&["doctor"], &env);
    run.exits(0).stdout_has("(version 4.8.12)").stdout_has("did not end").stdout_has("opensmt     not found");
    assert!(!run.stdout.contains('\x1b'), "{}", run.stdout);
}

#[test]
fn completions_and_manual_pages_are_made() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        sioco(&["completions", shell]).exits(0).stdout_has("explain").stderr_is("");
    }
    sioco(&["completions", "csh"]).exits(2).stderr_has("bash");
    sioco(&["man"]).exits(0).stdout_has(".TH").stderr_is("");
    let folder = Folder::new("man");
    let pages = folder.path("new/man1");
    sioco(&["man", "-o", &pages]).exits(0).stdout_is("");
    for command in commands() {
        let page = fs::read_to_string(Path::new(&pages).join(format!("sioco-{command}.1"))).unwrap();
        assert!(page.contains("Example"), "{command}");
    }
    assert!(Path::new(&pages).join("sioco.1").is_file());
    assert!(Path::new(&pages).join("sioco-adapter-check.1").is_file());
}

#[test]
fn the_tour_is_always_the_same() {
    let folder = Folder::new("demo");
    folder.folder("target");
    let first = support::sioco_in(&["demo"], &folder.path(""));
    first
        .exits(0)
        .stderr_is("")
        .stdout_has("3 of 3 switches covered (100%) by 1 purpose with 5 steps")
        .stdout_has("PASS  Accumulator against the model itself")
        .stdout_has("error[sioco::V001]: this output is not allowed here")
        .stdout_has("is 16, but the SUT sent 17")
        .stdout_has("allowed here: !outX(p = 16)")
        .stdout_has(" FAIL  run 1, step 4, shrunk to simpler values   seed 42\n")
        .stdout_has("fails in 5 of 5 runs\n")
        .stdout_has("FAIL  Accumulator against the broken system")
        .stdout_has("Accumulator: 8 nodes, up to 6 steps deep")
        .stdout_has("    r2: !done")
        .stdout_has("error[model-error]: the new value of `x` of `r0`: 31 is outside of its range");
    assert!(Path::new(&folder.path("target/sioco-demo/accumulator.svg")).is_file());
    let second = support::sioco_in(&["demo"], &folder.path(""));
    assert_eq!(first.stdout, second.stdout);
}

#[test]
fn colour_is_used_when_asked_for() {
    let folder = Folder::new("colour");
    let path = folder.write("broken.sts", BROKEN);
    let escapes = |args: &[&str], env: &[(&str, &str)]| {
        let run = support::sioco_in_env(args, env);
        run.exits(2);
        run.stdout.contains("\x1b[") || run.stderr.contains("\x1b[")
    };
    assert!(!escapes(&["check", &path], &[]));
    assert!(escapes(&["check", &path], &[("FORCE_COLOR", "1")]));
    assert!(!escapes(&["check", &path], &[("FORCE_COLOR", "1"), ("NO_COLOR", "1")]));
    assert!(escapes(&["check", &path, "--color", "always"], &[("NO_COLOR", "1")]));
    assert!(!escapes(&["--color=never", "check", &path], &[("FORCE_COLOR", "1")]));
    assert!(escapes(&["--color=always", "chekc"], &[]));
    assert!(!escapes(&["chekc"], &[]));
}

#[test]
fn a_reader_that_goes_away_is_no_problem() {
    for args in [&["explain"][..], &["demo"], &["completions", "bash"], &["man"], &["--help"]] {
        support::sioco_without_reader(args).exits(0).stderr_is("");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_told() {
    support::sioco_to_full_disk(&["explain"]).exits(5).stderr_has("cannot write to standard output");
}
