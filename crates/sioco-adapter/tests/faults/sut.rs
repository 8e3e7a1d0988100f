//! Systems under test that misbehave, each in its own way. They are this test program itself, started again.

use std::io::{BufRead, Write};
use std::process::{Command, Stdio, exit};
use std::sync::Mutex;
use std::time::Duration;

use serde_json::{Value as Json, json};

/// The environment variable that says which system to be.
pub const MODE: &str = "SIOCO_TEST_SUT";

/// What waits to be sent, by those who flush only when they end.
static HELD: Mutex<Option<String>> = Mutex::new(None);

fn hold() {
    HELD.lock().unwrap().get_or_insert_default();
}

fn release() {
    let held = HELD.lock().unwrap().take();
    held.iter().flat_map(|held| held.lines()).for_each(say);
}

pub fn say(line: impl std::fmt::Display) {
    if let Some(held) = &mut *HELD.lock().unwrap() {
        held.push_str(&format!("{line}\n"));
        return;
    }
    let mut out = std::io::stdout().lock();
    let written = writeln!(out, "{line}").and_then(|()| out.flush());
    if written.is_err() {
        exit(0);
    }
}

fn for_ever() -> ! {
    loop {
        std::thread::sleep(Duration::from_secs(600));
    }
}

/// Starts this program once more, in another mode, with the same pipes.
fn fork(mode: &str) -> u32 {
    let exe = std::env::current_exe().expect("a path");
    let mut command = Command::new(exe);
    command.args(["play_the_sut", "--exact", "--nocapture"]).env(MODE, mode).stdin(Stdio::null());
    #[expect(clippy::zombie_processes, reason = "that nobody waits for it is the point")]
    let child = command.spawn().expect("a process");
    child.id()
}

/// Plays the system, and never returns.
pub fn play(mode: &str) -> ! {
    // The test harness has begun a line.
    say("");
    say("log: up");
    let (name, what) = mode.split_once(' ').unwrap_or((mode, ""));
    let mut pids = vec![std::process::id()];
    match name {
        "exit-at-once" => {
            eprintln!("no configuration");
            exit(7);
        }
        "sleep" => for_ever(),
        "fork" => pids.extend([fork("sleep"), fork("fork-again")]),
        "fork-again" => {
            fork("sleep");
            for_ever();
        }
        "fork-and-leave" => pids.push(fork("sleep")),
        "endless-logs" => loop {
            say(what);
        },
        _ => {}
    }
    let mut stdin = std::io::stdin().lock();
    let (mut run, mut runs, mut sum, mut inputs) = (0u64, 0u64, 0i64, 0u64);
    loop {
        let mut line = String::new();
        if stdin.read_line(&mut line).unwrap_or(0) == 0 {
            // Those that are to be killed do not care that nobody is there any more.
            if ["fork", "stubborn"].contains(&name) {
                for_ever();
            }
            release();
            exit(0);
        }
        let message: Json = serde_json::from_str(&line).expect("a message");
        let kind = message["type"].as_str().expect("a type");
        if name == "buffered" || name.strip_prefix("buffered-from-") == Some(kind) {
            hold();
        }
        match kind {
            "hello" => match name {
                "hang-at-hello" => for_ever(),
                "hello" => say(what),
                "no-reset" => say(json!({"type": "hello", "protocol": 1, "reset": false, "order": "sut"})),
                _ => say(json!({
                    "type": "hello", "protocol": 1, "order": "sut", "name": format!("{pids:?}"),
                    "inputs": ["inX"], "outputs": ["outX", "done"],
                })),
            },
            "reset" => {
                (run, sum, inputs) = (message["run"].as_u64().expect("a run"), 0, 0);
                runs += 1;
                match name {
                    "hang-at-reset" => for_ever(),
                    "hang-at-second-reset" if runs == 2 => for_ever(),
                    "no-reset" => exit(9),
                    "refuse-reset" => {
                        say(json!({"type": "refused", "run": run, "message": "I cannot"}));
                        continue;
                    }
                    "fail-reset" => {
                        let fatal = what == "fatal";
                        say(json!({"type": "error", "fatal": fatal, "message": "the database is away"}));
                        continue;
                    }
                    "fail-second-reset" if runs == 2 => {
                        say(json!({"type": "error", "message": "the database is away"}));
                        continue;
                    }
                    "endless-at-reset" => loop {
                        say(json!({"type": "output", "gate": "outX", "args": [1], "run": run - 1}));
                    },
                    "eager" => loop {
                        say(json!({"type": "output", "gate": "outX", "args": [1], "run": run}));
                    },
                    "crash-at-reset" => {
                        say(json!({"type": "crashed", "message": "no database", "run": what.parse::<u64>().ok()}));
                        continue;
                    }
                    "early" => say(json!({"type": "output", "gate": "outX", "args": {"p": 99}, "run": run})),
                    "untagged" => say(json!({"type": "output", "gate": "outX", "args": {"p": 99}})),
                    "old" if runs == 2 => {
                        say(json!({"type": "output", "gate": "outX", "args": {"p": 5}}));
                        say(json!({"type": "crashed", "message": "after the run"}));
                        say(json!({"type": "accepted", "id": 77}));
                        say(json!({"type": "ready", "run": run - 1}));
                    }
                    _ => {}
                }
                say(json!({"type": "ready", "run": run}));
                match name {
                    "deaf" => for_ever(),
                    "old" if runs == 2 => {
                        for old in ["output", "accepted", "quiescent", "closed", "crashed", "error"] {
                            say(json!({"type": old, "gate": "outX", "args": {"p": 5}, "id": 7, "run": run - 1}));
                        }
                    }
                    "endless-old" => loop {
                        say(json!({"type": "output", "gate": "outX", "args": [1], "run": run - 1}));
                    },
                    "endless-stderr" if runs == 1 => {
                        std::thread::spawn(|| {
                            let mut err = std::io::stderr();
                            while err.write_all(&b"still here\n".repeat(1000)).is_ok() {}
                        });
                    }
                    "endless-stderr-line" if runs == 1 => {
                        std::thread::spawn(|| {
                            let mut err = std::io::stderr();
                            while err.write_all(&[b'x'; 1 << 16]).is_ok() {}
                        });
                    }
                    _ => {}
                }
            }
            "input" => {
                let id = message["id"].as_u64().expect("an id");
                inputs += 1;
                sum += message["args"]["p"].as_i64().unwrap_or(0);
                match name {
                    "crash" => {
                        for i in 0..200 {
                            eprintln!("about to crash {i}");
                        }
                        exit(3);
                    }
                    "abort" => std::process::abort(),
                    "crash-later" if inputs == 2 => exit(3),
                    "hang" => for_ever(),
                    "logs-for-ever" => {
                        say(json!({"type": "accepted", "id": id}));
                        let many = "nothing to see here\n".repeat(1000);
                        loop {
                            say(&many);
                        }
                    }
                    "refuse" => {
                        say(json!({"type": "refused", "id": id, "message": "not now"}));
                        continue;
                    }
                    "say" => {
                        say(what);
                        continue;
                    }
                    "bytes" => {
                        let mut out = std::io::stdout().lock();
                        let _ = out
                            .write_all(b"\x00\xff\xfe\x01 garbage\n{\"type\":\"\xc3\x28\"}\n")
                            .and_then(|()| out.flush());
                        continue;
                    }
                    "gigabyte" => {
                        let mut out = std::io::stdout().lock();
                        let _ = out.write_all(what.as_bytes());
                        for _ in 0..1 << 14 {
                            if out.write_all(&[b'x'; 1 << 16]).is_err() {
                                exit(0);
                            }
                        }
                        for_ever();
                    }
                    "endless" => loop {
                        say(json!({"type": "output", "gate": "outX", "args": {"p": 1}}));
                    },
                    "half" => {
                        let mut out = std::io::stdout().lock();
                        let _ = out.write_all(b"{\"type\":\"outp").and_then(|()| out.flush());
                        exit(0);
                    }
                    "last-words" => {
                        let mut out = std::io::stdout().lock();
                        let _ = write!(out, "{}", json!({"type": "accepted", "id": id})).and_then(|()| out.flush());
                        exit(0);
                    }
                    "fork-and-leave" => exit(0),
                    "close" => {
                        say(json!({"type": "accepted", "id": id}));
                        say(json!({"type": "closed"}));
                        exit(0);
                    }
                    // An adapter that tells of a crash, and goes on, or ends as it likes.
                    "crashed" => {
                        say(json!({"type": "accepted", "id": id}));
                        say(json!({"type": "crashed", "message": "KeyError: 'x'", "details": "Traceback\n  in f"}));
                        match what {
                            "" => continue,
                            _ => exit(3),
                        }
                    }
                    "late" if inputs == 1 => {
                        say(json!({"type": "accepted", "id": id}));
                        continue;
                    }
                    _ => say(json!({"type": "accepted", "id": id, "ts": 1794768147356664u64})),
                }
                // Without a reset, there is no number.
                let run = (run > 0).then_some(run);
                say(json!({"type": "output", "gate": "outX", "args": {"p": sum}, "run": run}));
                say(json!({"type": "quiescent"}));
            }
            _ if ["fork", "stubborn"].contains(&name) => {}
            _ => exit(0),
        }
    }
}
