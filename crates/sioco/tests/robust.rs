//! A slow machine, a full disk, a kill: none of these is a fault of the system, and none is a pass.
#![cfg(unix)]
// Lints know tests by their attribute, which helpers do not have.
#![allow(clippy::unwrap_used)]

// Each test program uses a part of it.
#[allow(dead_code)]
mod support;

use std::fs::{self, File};
use std::io::Read;
use std::process::{Child, Command, Stdio};

use support::{Folder, Run, command, run, sioco_in};

const MODEL: &str = "\
input  ask(n: Int in 0..9)
output told(n: Int)

process P {
  var x: Int = 0
  init idle { ?ask(n) / x := n -> busy }
  state busy { !told(x) -> idle }
}
";

const DIALECT: &str = "[dialect.d.inputs]\nask = \"ASK {n}\"\n[dialect.d.outputs]\ntold = \"TOLD {n}\"\n";
/// Answers questions.
const ANSWER: &str = "while read -r word n; do echo \"TOLD $n\"; done";
const TEST: &[&str] = &["test", "m.sts", "--sut", "s", "--cover", "switch", "--seed", "1", "--solver", "builtin"];

/// A folder with a system that speaks text.
fn folder(name: &str, system: &str) -> Folder {
    let folder = Folder::new(&format!("robust-{name}"));
    // A repository of its own: that of sioco itself may be around.
    folder.folder(".git");
    folder.write("m.sts", MODEL);
    folder.program("system", system);
    folder.write("sioco.toml", &format!("[sut.s]\ncommand = \"./system\"\ndialect = \"d\"\n{DIALECT}"));
    folder
}

fn test(folder: &Folder, more: &[&str]) -> Run {
    sioco_in(&[TEST, more].concat(), &folder.path(""))
}

#[test]
fn what_a_program_does_before_its_first_answer_is_no_part_of_it() {
    // Longer than any answer may take.
    let folder = folder("start", &format!("sleep 3\n{ANSWER}"));
    let hurried = self::folder("start-hurried", &format!("sleep 3\n{ANSWER}"));
    let (passed, failed) = std::thread::scope(|scope| {
        let failed = scope.spawn(|| test(&hurried, &["--patience", "1", "--no-shrink"]));
        (test(&folder, &[]), failed.join().unwrap())
    });
    passed.exits(0).stdout_has("PASS  P against `s`: 1 run");
    assert!(!passed.stdout.contains("withdrawn"), "{}", passed.stdout);
    // It has no more time than adapters have.
    failed.exits(1).stdout_has("FAIL  P").stdout_has("error[sioco::V002]");
}

#[test]
fn a_server_that_listens_before_it_is_ready_has_time_to_start() {
    if Command::new("python3").arg("--version").output().is_err() {
        eprintln!("skipped: there is no Python");
        return;
    }
    let folder = folder("server", "");
    folder.write(
        "server.py",
        "import socket, sys, time\ns = socket.create_server((\"127.0.0.1\", int(sys.argv[1])))\ntime.sleep(3)\nwhile True:\n    \
         c = s.accept()[0]\n    for line in c.makefile():\n        c.sendall(line.replace(\"ASK\", \"TOLD\").encode())\n",
    );
    let sut = "[sut.s]\nstart = \"python3 server.py {port}\"\nconnect = \"tcp://127.0.0.1:{port}\"\ndialect = \"d\"\n";
    folder.write("sioco.toml", &format!("{sut}{DIALECT}"));
    test(&folder, &[]).exits(0).stdout_has("PASS  P against `s`");
}

#[test]
fn silence_that_does_not_come_again_is_no_failure() {
    // The first one that is started answers nothing; it is told apart by a file.
    let folder = folder("once", &format!("if mkdir first; then cat > /dev/null; fi\n{ANSWER}"));
    let run = test(&folder, &["--patience", "1", "--journal", "j.jsonl"]);
    run.exits(3).stdout_has("INCONCLUSIVE  P").stdout_has("  runs       1 pass, 1 inconclusive\n");
    run.stdout_has("  open       1 run: nothing came, but an output must come here; such");
    let journal = fs::read_to_string(folder.path("j.jsonl")).unwrap();
    assert!(journal.contains("\"type\":\"quiescent\",\"timed\":true,\"once\":true}"), "{journal}");
    // The journal says the same again.
    let judged = sioco_in(&["judge", "m.sts", "j.jsonl"], &folder.path(""));
    judged.exits(3).stdout_has("INCONCLUSIVE");
    // It comes again now, and then it is one.
    folder.program("system", "cat > /dev/null");
    let again = sioco_in(&["replay", "j.jsonl", "--run", "1", "--sut", "s", "--patience", "1"], &folder.path(""));
    again.exits(1).stdout_has("silence");
}

#[test]
fn a_journal_that_cannot_be_kept_is_no_pass() {
    let folder = folder("journal", &format!("rm -f j.jsonl\n{ANSWER}"));
    let deleted = test(&folder, &["--journal", "j.jsonl"]);
    deleted.exits(5).stdout_has("ERROR  P against `s`");
    deleted.stderr_has("cannot write the journal `j.jsonl`: it was deleted or replaced during the campaign");
    let full = test(&folder, &["--journal", "/dev/full"]);
    full.exits(5).stdout_has("ERROR  P against `s`").stderr_has("cannot write the journal `/dev/full`");
    for run in [deleted, full] {
        assert!(!run.stdout.contains("PASS"), "{}", run.stdout);
    }
    let json = test(&folder, &["--journal", "/dev/full", "--format", "json"]);
    assert!(json.exits(5).stdout.contains("\"verdict\":\"error\""), "{}", json.stdout);
    // What keeps nothing on purpose is something else.
    test(&folder, &["--journal", "/dev/null"]).exits(0).stdout_has("PASS");
}

/// A pipe with a name: whoever opens it to read waits until somebody writes, and its end is the end of all writers.
fn fifo(folder: &Folder) -> String {
    let path = folder.path("fifo");
    assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
    path
}

/// Nobody answers this without a solver.
const HARD: &str = "input ask(a: Int, b: Int)\noutput told\nprocess P {\n  \
                    init idle { ?ask(a, b) [a * a * a + b * b * b == 91 * 1000003 && a > b && b > 100] -> busy }\n  \
                    state busy { !told -> idle }\n}\n";
/// Holds the pipe open once something was sent to it, and runs for longer than any kill takes.
const HOLD: &str = "read -r line\nexec 9> fifo\nsleep 120 >&9\necho survived >&9";
/// The same for a server, once somebody has connected to it.
const SERVER: &str = "exec python3 -c 'import socket, sys, time; s = socket.create_server((\"127.0.0.1\", int(sys.argv[1]))); \
                      s.accept(); f = open(\"fifo\", \"w\"); time.sleep(120); f.write(\"survived\")' \"$1\"";

fn start(folder: &Folder, args: &[&str]) -> Child {
    let mut sioco = command(args);
    sioco.current_dir(folder.path("")).stdout(Stdio::null()).stderr(Stdio::null());
    sioco.spawn().unwrap()
}

#[test]
fn two_campaigns_do_not_write_one_journal() {
    let folder = folder("lock", HOLD);
    let path = fifo(&folder);
    let args = [TEST, &["--journal", "j.jsonl"]].concat();
    let mut first = start(&folder, &args);
    let mut held = File::open(&path).unwrap();
    let before = fs::read_to_string(folder.path("j.jsonl")).unwrap();
    assert!(before.starts_with("{\"format\""), "{before}");
    let second = test(&folder, &["--journal", "j.jsonl"]);
    second.exits(2).stdout_is("").stderr_has("error: another campaign is writing the journal `j.jsonl`\n");
    assert!(fs::read_to_string(folder.path("j.jsonl")).unwrap().starts_with(&before));
    first.kill().unwrap();
    first.wait().unwrap();
    held.read_to_end(&mut Vec::new()).unwrap();
    // Whoever is dead writes nothing any more.
    folder.program("system", ANSWER);
    test(&folder, &["--journal", "j.jsonl"]).exits(0).stdout_has("PASS");
}

#[test]
fn nothing_outlives_a_sioco_that_is_killed() {
    let python = Command::new("python3").arg("--version").output().is_ok();
    let server = "[sut.server]\nstart = \"./system {port}\"\nconnect = \"tcp://127.0.0.1:{port}\"\ndialect = \"d\"\n";
    for (name, args) in [
        ("program", &["test", "m.sts", "--sut", "s", "--solver", "builtin"][..]),
        ("server", &["test", "m.sts", "--sut", "server", "--solver", "builtin"]),
        ("adapter", &["test", "m.sts", "--sut", "./system", "--solver", "builtin"]),
        ("solver", &["plan", "hard.sts", "--solver", "./system"]),
    ] {
        if name == "server" && !python {
            eprintln!("skipped: there is no Python");
            continue;
        }
        let folder = folder(&format!("kill-{name}"), if name == "server" { SERVER } else { HOLD });
        let toml = fs::read_to_string(folder.path("sioco.toml")).unwrap();
        folder.write("sioco.toml", &format!("{server}{toml}"));
        folder.write("hard.sts", HARD);
        let path = fifo(&folder);
        let mut sioco = start(&folder, args);
        let mut held = File::open(&path).unwrap();
        sioco.kill().unwrap();
        sioco.wait().unwrap();
        let mut words = String::new();
        held.read_to_string(&mut words).unwrap();
        assert_eq!(words, "", "{name}");
    }
}

#[test]
fn variables_that_are_no_text_are_an_error() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let folder = folder("environment", ANSWER);
    for name in ["SIOCO_SEED", "SIOCO_SUT", "SIOCO_SOLVER", "SIOCO_PROFILE", "SIOCO_TRUST", "SIOCO_CONST", "SIOCO_FOR"]
    {
        let mut sioco = command(&["test", "m.sts"]);
        sioco.current_dir(folder.path("")).env("SIOCO_SUT", "s").env(name, OsStr::from_bytes(b"a\xff"));
        let run = run(sioco, b"");
        run.exits(2).stdout_is("").stderr_has(&format!("{name}` is not UTF-8\n"));
    }
    for args in [&["plan", "m.sts"][..], &["explore", "m.sts"], &["analyze", "m.sts"]] {
        let mut sioco = command(args);
        sioco.current_dir(folder.path("")).env("SIOCO_SOLVER", OsStr::from_bytes(b"a\xff"));
        run(sioco, b"").exits(2).stderr_has("SIOCO_SOLVER is not UTF-8\n");
    }
}
