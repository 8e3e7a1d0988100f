//! Nothing that somebody else wrote is started unasked, printed as it is, or read without an end.
#![cfg(unix)]
// Lints know tests by their attribute, which helpers do not have.
#![allow(clippy::unwrap_used)]

// Each test program uses a part of it.
#[allow(dead_code)]
mod support;

use std::fs;
use std::path::Path;

use support::{Folder, Run, sioco_in, sioco_in_folder_and_env};

const MODEL: &str = "\
input  ask(text: String)
output echo(text: String)

process Echo {
  var last: String = \"\"
  init idle { ask: ?ask(text) / last := text -> busy }
  state busy { echo: !echo(last) -> idle }
}
";

/// An adapter that leaves a mark when it is started, and always answers the same.
const SUT: &str = r#"
touch started
while read -r line; do
  case $line in
    *'"hello"'*) echo '{"type":"hello","protocol":1,"name":"echo","inputs":["ask"],"outputs":["echo"],"order":"sut"}';;
    *'"reset"'*) run=$(echo "$line" | sed 's/.*"run":\([0-9]*\).*/\1/'); echo "{\"type\":\"ready\",\"run\":$run}";;
    *'"input"'*)
      id=$(echo "$line" | sed 's/.*"id":\([0-9]*\).*/\1/')
      echo "{\"type\":\"accepted\",\"id\":$id}"
      printf '{"type":"output","gate":"echo","args":{"text":%s},"run":%s}\n' "$(cat text)" "$run";;
    *'"bye"'*) exit;;
  esac
done
"#;

const TEST: &[&str] =
    &["test", "m.sts", "--seed", "1", "--cover", "random:2", "--no-shrink", "--fail-fast", "--journal", "j.jsonl"];

fn folder(name: &str) -> Folder {
    let folder = Folder::new(&format!("strangers-{name}"));
    // A repository of its own: that of sioco itself may be around.
    folder.folder(".git");
    folder.write("m.sts", MODEL);
    folder.program("sut.sh", SUT);
    folder.write("text", "\"wrong\"");
    folder
}

fn run(folder: &Folder, args: &[&str], more: &[&str]) -> Run {
    sioco_in(&[args, more].concat(), &folder.path(""))
}

/// Whether the system was started since the last question.
fn started(folder: &Folder) -> bool {
    fs::remove_file(folder.path("started")).is_ok()
}

#[test]
fn a_journal_starts_nothing_on_its_own() {
    let folder = folder("journal");
    let tested = run(&folder, TEST, &["--sut", "./sut.sh"]);
    // The way to run it again names what is started.
    tested.exits(1).stdout_has("  replay     sioco replay j.jsonl --sut ./sut.sh\n");
    assert!(started(&folder));
    let refused = run(&folder, &["replay", "j.jsonl"], &[]);
    refused.exits(2).stdout_is("");
    refused.stderr_has("error: the journal `j.jsonl` starts `./sut.sh`, but nothing in this project says so\n");
    refused.stderr_has("`sioco replay j.jsonl --sut ./sut.sh`, or give `--trust`");
    assert!(!started(&folder), "it was started unasked");
    // Whoever knows it says so.
    run(&folder, &["replay", "j.jsonl", "--sut", "./sut.sh"], &[]).exits(1).stderr_is("");
    assert!(started(&folder));
    let trusted = run(&folder, &["replay", "j.jsonl", "--trust"], &[]);
    trusted.exits(1).stderr_is("starts `./sut.sh`, as the journal says\n");
    assert!(started(&folder));
}

#[test]
fn what_the_project_says_needs_no_question_and_is_shown() {
    for (name, toml) in [
        ("same", "[test]\nsut = \"./sut.sh\"\n"),
        ("profile", "[profile.ci]\nsut = \"./sut.sh\"\n"),
        ("command", "[sut.tank]\ncommand = \"./sut.sh\"\n"),
    ] {
        let folder = folder(name);
        folder.write("sioco.toml", toml);
        run(&folder, TEST, &["--sut", "./sut.sh"]).exits(1).stdout_has("  replay     sioco replay j.jsonl\n");
        assert!(started(&folder));
        let replayed = run(&folder, &["replay", "j.jsonl"], &[]);
        replayed.exits(1).stderr_is("starts `./sut.sh`, as `sioco.toml` says\n");
        assert!(started(&folder));
        // The same words mean another program in another folder.
        folder.folder("sub");
        let args = ["replay", "../j.jsonl", "--model", "../m.sts"];
        sioco_in(&args, &folder.path("sub")).exits(2).stderr_has("nothing in this project says so");
        // Another command is another command.
        let journal = fs::read_to_string(folder.path("j.jsonl")).unwrap();
        folder.write("evil.jsonl", &journal.replacen("./sut.sh", "./sut.sh evil", 1));
        run(&folder, &["replay", "evil.jsonl"], &[]).exits(2).stderr_has("starts `./sut.sh evil`");
        assert!(!started(&folder));
    }
}

#[test]
fn a_system_that_the_project_describes_is_started_and_shown() {
    let folder = folder("described");
    folder.write("sioco.toml", "[sut.tank]\ncommand = \"./sut.sh\"\nenvironment = { A = \"b c\" }\n");
    let tested = run(&folder, TEST, &["--sut", "tank"]);
    tested.exits(1).stderr_is("starts `A='b c' ./sut.sh`, as `sioco.toml` says\n");
    tested.stdout_has("  replay     sioco replay j.jsonl\n");
    assert!(started(&folder));
    run(&folder, &["replay", "j.jsonl"], &[]).exits(1).stderr_has("starts `A='b c' ./sut.sh`, as `sioco.toml` says\n");
    assert!(started(&folder));
    // A journal that names a model, and so a project, that the user is not in.
    let elsewhere = Folder::new("strangers-elsewhere");
    elsewhere.folder(".git");
    let journal = fs::read_to_string(folder.path("j.jsonl")).unwrap();
    elsewhere.write("j.jsonl", &journal.replacen("\"m.sts\"", &format!("{:?}", folder.path("m.sts")), 1));
    let refused = sioco_in(&["replay", "j.jsonl"], &elsewhere.path(""));
    refused.exits(2).stderr_has("the journal `j.jsonl` starts `A='b c' ./sut.sh`, but nothing in this project says so");
    assert!(!started(&folder));
}

/// A project above the model: in the same repository, around it, or without any.
#[test]
fn a_project_outside_of_the_repository_is_not_the_users() {
    let above = Folder::new("strangers-above");
    above.folder(".git");
    above.folder("models");
    above.write("models/m.sts", MODEL);
    above.program("sut.sh", SUT);
    above.write("text", "\"wrong\"");
    above.write("sioco.toml", "[sut.tank]\ncommand = \"./sut.sh\"\n");
    let models = above.path("models");
    let tested = sioco_in(&[TEST, &["--sut", "tank"]].concat(), &models);
    tested.exits(1).stderr_has("starts `./sut.sh`, as `");
    assert!(started(&above));
    // Now the model is in a repository of its own, below the file.
    above.folder("models/.git");
    let refused = sioco_in(&[TEST, &["--sut", "tank"]].concat(), &models);
    refused.exits(2).stderr_has("is not yours: it is outside of the repository of the model; it starts `./sut.sh`");
    refused.stderr_has("`--trust`");
    assert!(!started(&above));
    let trusted = sioco_in(&[TEST, &["--sut", "tank", "--trust"]].concat(), &models);
    trusted.exits(1).stderr_has("starts `./sut.sh`");
    assert!(started(&above));
    // Its options are not used either: they name programs and files.
    above.write("sioco.toml", "[test]\nsut = \"./sut.sh\"\njournal = \"/nowhere/there\"\n");
    let refused = sioco_in(&["test", "m.sts"], &models);
    refused
        .exits(2)
        .stderr_has("has options for `sioco test`, but is not yours")
        .stderr_has("give `--trust` to use them");
    // Where the user says what to test, they are not needed, and not in the way; nothing of the file is used.
    for toml in [
        "[test]\nsut = \"./sut.sh\"\nsolver = \"no-such\"\njournal = \"/nowhere/there\"\n[sut.tank]\ncommand = \"./sut.sh\"\n",
        "[test]\nnonsense = 1\n[sut.tank]\ncommand = \"./sut.sh\"\n[profile.x]\nsut = \"./sut.sh\"\n",
    ] {
        above.write("sioco.toml", toml);
        let play = ["test", "m.sts", "--sut", "model:m.sts", "--max-steps", "3"];
        let played = sioco_in(&play, &models);
        played.exits(0).stderr_has("its options for `sioco test` are not used; to use them, give `--trust`");
        sioco_in_folder_and_env(&["test", "m.sts", "--max-steps", "3"], &models, &[("SIOCO_SUT", "model:m.sts")])
            .exits(0);
        // Its systems and profiles are its own, whoever names them.
        sioco_in(&[TEST, &["--sut", "tank"]].concat(), &models).exits(2).stderr_has("it starts `./sut.sh`");
        sioco_in(&[&play[..], &["--profile", "x"]].concat(), &models).exits(2).stderr_has("but is not yours");
        assert!(!started(&above));
    }
    above.write("sioco.toml", "[test");
    let played = sioco_in(&["test", "m.sts", "--sut", "model:m.sts", "--max-steps", "3"], &models);
    played.exits(0).stderr_has("is wrong: ").stderr_has("it is not used, because it is not yours");
    // A file beside the model, even an empty one, takes its place.
    above.write("models/sioco.toml", "");
    sioco_in(&["test", "m.sts", "--sut", "model:m.sts", "--max-steps", "3"], &models).stderr_is("");
}

/// Whoever runs the tests may not be allowed to give files away.
#[test]
fn the_file_of_another_user_is_not_the_users() {
    let folder = folder("owner");
    let toml = folder.write("sioco.toml", "[test]\nsut = \"./sut.sh\"\n[sut.tank]\ncommand = \"./sut.sh\"\n");
    if std::os::unix::fs::chown(&toml, Some(4321), None).is_err() {
        eprintln!("skipped: only root may give files away");
        return;
    }
    for more in [&[][..], &["--sut", "tank"]] {
        run(&folder, TEST, more).exits(2).stderr_has("is not yours: it belongs to another user");
        assert!(!started(&folder));
    }
    let trusted = sioco_in_folder_and_env(TEST, &folder.path(""), &[("SIOCO_TRUST", "true")]);
    trusted.exits(1).stderr_has("starts `./sut.sh`, as `sioco.toml` says");
    assert!(started(&folder));
}

#[test]
fn files_name_solvers_and_no_commands() {
    let folder = folder("solver");
    let play = ["test", "m.sts", "--sut", "model:m.sts", "--max-steps", "3"];
    for (toml, args) in [
        ("[test]\nsolver = \"sh -c 'touch started'\"\n", &play[..]),
        ("[profile.x]\nsolver = \"./sut.sh\"\n", &[&play[..], &["--profile", "x"]].concat()),
    ] {
        folder.write("sioco.toml", toml);
        let refused = run(&folder, args, &[]);
        refused.exits(2).stderr_has("`solver`: a file may name only a known solver: `auto`, `builtin`, `z3`");
        assert!(!started(&folder));
        run(&folder, &["check", "sioco.toml"], &[]).exits(2).stdout_has("a file may name only a known solver");
    }
    folder.write("sioco.toml", "[test]\nsolver = \"builtin\"\n");
    run(&folder, &play, &[]).exits(0);
    folder.write("sioco.toml", "[test]\ntrust = true\n");
    run(&folder, &play, &[]).exits(2).stderr_has("a file cannot grant trust");
}

/// A library is code that runs in sioco itself.
#[test]
fn a_library_that_happens_to_lie_around_is_not_opened() {
    let folder = folder("library");
    folder.folder("target/tools/python/z3/lib");
    folder.write("target/tools/python/z3/lib/libz3.so", "no library");
    let told = run(&folder, &["doctor"], &[]).stdout.clone();
    assert!(!told.contains("target/tools/python/z3/lib/libz3.so"), "{told}");
}

#[test]
fn variables_that_are_no_text_are_told() {
    use std::os::unix::ffi::OsStrExt;
    let folder = folder("variables");
    for name in ["SIOCO_SEED", "SIOCO_SOLVER", "SIOCO_PROFILE"] {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_sioco"));
        command.args(["test", "m.sts", "--sut", "model:m.sts"]).current_dir(folder.path(""));
        let output = command.env(name, std::ffi::OsStr::from_bytes(b"\xff")).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{name}");
        assert!(String::from_utf8_lossy(&output.stderr).contains("is not UTF-8"), "{name}: {output:?}");
    }
}

// What is printed.

/// A green word after clearing the screen, a title, an eight bit control, and a line that reads backwards.
const EVIL: &str = "\x1b[2J\x1b[1;32mPASS\x1b[0m\x1b]0;t\x07\u{9b}2J\u{202e}\u{200b}";

/// As TOML writes it in a string.
fn toml_text(text: &str) -> String {
    text.chars().map(|c| format!("\\u{:04x}", c as u32)).collect()
}

/// Whether anything but emphasis of sioco's own is in an output.
#[track_caller]
fn is_clean(run: &Run) {
    for text in [&run.stdout, &run.stderr] {
        let hidden = |c: char| sioco_model::visible::is_hidden(c) && c != '\n' && c != '\t' && c != '\x1b';
        assert!(!text.contains(hidden), "{text:?}");
        for after in text.split('\x1b').skip(1) {
            let code = after.split_inclusive('m').next().unwrap_or_default();
            let own = code.starts_with('[') && code.ends_with('m');
            assert!(own && code[1..code.len() - 1].bytes().all(|b| b.is_ascii_digit() || b == b';'), "{text:?}");
            assert!(!after.starts_with("[1;32mPASS\\u{1b}") && !after.starts_with("[1;32mPASS\x1b[0m\\u"), "{text:?}");
        }
    }
}

#[test]
fn nothing_of_others_is_printed_as_it_is() {
    let folder = folder("printed");
    let text = EVIL.escape_unicode().to_string();
    let named = format!("m{EVIL}\nPASS.sts");
    folder.write("evil.sts", &format!("// {EVIL}\nconst A = \"{EVIL}\"\n{MODEL}"));
    folder.write("long.sts", &MODEL.replace("\"\"", &format!("\"{text}\"")));
    folder.write(&named, &format!("// {EVIL}\nprocess {EVIL}"));
    folder.folder("toml");
    folder.write("toml/sioco.toml", &format!("[sut.\"{}\"]\ncommand = \"\"\n", toml_text(EVIL)));
    for command in [
        &["fmt", "--check", "evil.sts"][..],
        &["fmt", "--check", &named],
        &["check", "evil.sts", &named, "toml/sioco.toml"],
        &["check", EVIL],
        &["check", "m.sts", "--const", EVIL],
        &["check", "m.sts", "--const", &format!("{EVIL}=1")],
        &["check", "m.sts", &format!("--{EVIL}")],
        &[EVIL],
        &["explain", EVIL],
        &["explain", "W010"],
        &["test", "m.sts", "--sut", EVIL],
        &["test", "m.sts", "--sut", &format!("model:{EVIL}")],
        &["test", "m.sts", "--sut", &format!("tcp://{EVIL}")],
        &["test", "m.sts", "--sut", "model:m.sts", "--plan", EVIL],
        &["replay", EVIL],
        &["judge", "m.sts", EVIL],
        &["plan", "long.sts"],
        &["explore", "long.sts", "--depth", "2"],
        &["analyze", "long.sts"],
        &["graph", "long.sts"],
        &["graph", "long.sts", "--format", "dot"],
        &["graph", "long.sts", "--format", "mermaid"],
        &["adapter", "check", "--", "sh", "-c", "printf \"$0\\n$0\" >&2; echo \"$0\"; exit 3", EVIL],
    ] {
        for colour in ["--color=always", "--color=never"] {
            is_clean(&run(&folder, command, &[]));
            let coloured = sioco_in(&[&[colour], command].concat(), &folder.path(""));
            is_clean(&coloured);
            assert!(colour == "--color=always" || !coloured.stdout.contains('\x1b'), "{command:?}");
        }
    }
}

#[test]
fn what_a_system_sends_is_shown_and_not_obeyed() {
    let folder = folder("sent");
    folder.write("text", &serde_json::Value::from(EVIL).to_string());
    folder.program("evil.sh", &SUT.replace("touch started", "cat evil >&2"));
    folder.write("evil", &format!("{EVIL}\n"));
    for colour in ["always", "never"] {
        let tested = run(&folder, TEST, &["--sut", "./evil.sh", "--color", colour]);
        is_clean(tested.exits(1).stdout_has("\\u{1b}[2J"));
        is_clean(&run(&folder, &["judge", "m.sts", "j.jsonl", "--color", colour], &[]));
    }
    let hidden = |c: char| sioco_model::visible::is_hidden(c) && c != '\n';
    assert!(!fs::read_to_string(folder.path("j.jsonl")).unwrap().contains(hidden), "people look at journals as well");
    // For programs it is JSON, and says the same.
    let tested = run(&folder, TEST, &["--sut", "./evil.sh", "--format", "json"]);
    is_clean(tested.exits(1));
    let values: Vec<serde_json::Value> = tested.stdout.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    assert!(values.iter().any(|v| v.to_string().contains('\u{202e}')), "{}", tested.stdout);
}

#[test]
fn what_simulate_repeats_is_shown() {
    let folder = folder("simulated");
    let model = folder.path("m.sts");
    let input = format!("{EVIL}\nask(\"{EVIL}\")\ntrace\n{EVIL} = 1\n");
    for more in [&[][..], &["--format", "json"], &["--color", "always"]] {
        let run = support::sioco_with_input(&[&["simulate", &model], more].concat(), input.as_bytes());
        is_clean(&run);
        assert!(!run.stdout.is_empty());
    }
}

/// A model that another program reads is the same as it was.
#[test]
fn data_for_programs_is_unchanged() {
    let text = format!("// {EVIL}\n{MODEL}");
    let formatted = support::sioco_with_input(&["fmt", "--stdin"], text.as_bytes());
    assert!(formatted.exits(0).stdout.contains(EVIL));
}

#[test]
fn check_warns_of_what_hides_in_a_model() {
    let folder = folder("hidden");
    for hidden in ["\u{202e}", "\u{200b}", "\x1b", "\u{2066}"] {
        for text in [format!("// {hidden}\n{MODEL}"), MODEL.replace("\"\"", &format!("\"{hidden}\""))] {
            folder.write("h.sts", &text);
            let checked = run(&folder, &["check", "h.sts"], &[]);
            checked.exits(0).stdout_has("warning[sioco::W010]: this character is hidden: U+");
            run(&folder, &["check", "h.sts", "--deny-warnings"], &[]).exits(2);
        }
    }
}

// What is read.

fn make(folder: &Folder, name: &str, kind: &str) -> Option<std::os::unix::net::UnixListener> {
    let path = folder.path(name);
    let _ = fs::remove_file(&path);
    let _ = fs::remove_dir_all(&path);
    match kind {
        "a pipe" => {
            assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
            None
        }
        "a device" => {
            std::os::unix::fs::symlink("/dev/zero", &path).unwrap();
            None
        }
        "a socket" => {
            // Names of sockets are short, and so is the way to one from here.
            let short = Folder::new("s");
            let at = Path::new(&short.path("s")).to_owned();
            let listener = std::os::unix::net::UnixListener::bind(&at);
            let listener = listener.ok()?;
            std::os::unix::fs::symlink(&at, &path).unwrap();
            Some(listener)
        }
        _ => {
            fs::create_dir(&path).unwrap();
            None
        }
    }
}

#[test]
fn only_files_are_read() {
    let folder = folder("pipes");
    folder.write("importing.sts", &format!("import \"x.sts\"\n{MODEL}"));
    let play = ["--sut", "model:m.sts", "--max-steps", "3"];
    for kind in ["a pipe", "a device", "a socket", "a directory"] {
        for (name, command) in [
            ("x.sts", &["check", "x.sts"][..]),
            ("x.sts", &["check", "importing.sts"]),
            ("x.sts", &["fmt", "x.sts"]),
            ("x.sts", &["import", "x.sts"]),
            ("x.sts", &["test", "m.sts", "--sut", "model:x.sts"]),
            ("x.json", &[&["test", "m.sts", "--plan", "x.json"], &play[..]].concat()),
            ("x.json", &["plan", "m.sts", "--check", "x.json"]),
            ("x.jsonl", &["replay", "x.jsonl"]),
            ("x.jsonl", &["judge", "m.sts", "x.jsonl"]),
            ("sioco.toml", &["check", "sioco.toml"]),
            ("sioco.toml", &[&["test", "m.sts"], &play[..]].concat()),
        ] {
            let held = make(&folder, name, kind);
            if kind == "a socket" && held.is_none() {
                eprintln!("skipped: the name of a socket would be too long here");
                continue;
            }
            let read = run(&folder, command, &[]);
            let told = format!("{}{}", read.exits(2).stdout, read.stderr);
            // What a link leads to may lie outside of the project, which is told first.
            let outside = command[1] == "importing.sts" && told.contains("this import leaves the project");
            assert!(outside || told.contains(&format!("it is {kind}")), "{command:?}: {told}");
            let path = folder.path(name);
            if kind == "a directory" { fs::remove_dir(path).unwrap() } else { fs::remove_file(path).unwrap() }
        }
    }
}

#[test]
fn files_have_limits() {
    let folder = folder("limits");
    let play = ["--sut", "model:m.sts", "--max-steps", "3"];
    for (name, mib, command) in [
        ("x.sts", 32, &["check", "x.sts"][..]),
        ("x.sts", 32, &["import", "x.sts"]),
        ("x.json", 256, &[&["test", "m.sts", "--plan", "x.json"], &play[..]].concat()),
        ("x.jsonl", 1024, &["replay", "x.jsonl"]),
        ("x.jsonl", 1024, &["judge", "m.sts", "x.jsonl"]),
        ("sioco.toml", 4, &["check", "sioco.toml"]),
        ("sioco.toml", 4, &[&["test", "m.sts"], &play[..]].concat()),
    ] {
        let file = fs::File::create(folder.path(name)).unwrap();
        // It takes no room: nothing is written.
        file.set_len((mib << 20) + 1).unwrap();
        let read = run(&folder, command, &[]);
        let told = format!("{}{}", read.exits(2).stdout, read.stderr);
        assert!(told.contains("is too large") && told.contains(&format!("the limit is {mib} MiB")), "{told}");
        fs::remove_file(folder.path(name)).unwrap();
    }
}

#[test]
fn numbers_have_limits() {
    let folder = folder("numbers");
    folder.write("n.sts", "output n(x: Int)\nprocess P { init a { !n(any x) -> a } }\n");
    let number = |digits: usize| "7".repeat(digits);
    for (digits, code) in [(100_000, 0), (100_001, 2), (1_000_000, 2)] {
        folder.write("x.sts", &format!("output n(x: Int)\nprocess P {{ init a {{ !n({}) -> a }} }}\n", number(digits)));
        let checked = run(&folder, &["check", "x.sts"], &[]);
        checked.exits(code);
        assert_eq!(checked.stdout.contains("this number has more than 100000 digits"), code == 2, "{digits}");
        folder.write("x.txt", &format!("!n({})\n", number(digits)));
        let judged = run(&folder, &["judge", "n.sts", "x.txt"], &[]);
        assert!(judged.exits(code).stderr.len() < 1000, "{digits}");
    }
    // A fraction with many places is no reason to wait.
    let text = format!("output r(x: Real)\nprocess P {{ init a {{ !r(0.{}) -> a }} }}\n", number(99_000));
    folder.write("x.sts", &text);
    run(&folder, &["plan", "x.sts"], &[]).exits(0);
}
