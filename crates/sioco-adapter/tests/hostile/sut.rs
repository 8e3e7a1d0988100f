//! Systems under test that misbehave, over any pair of streams: as a child process, this test program started again, or
//! as a server.

use std::io::{BufRead, Write};
use std::process::{Command, Stdio, exit};
use std::time::Duration;

use serde_json::{Value as Json, json};

/// The environment variable that says which system to be.
pub const MODE: &str = "SIOCO_TEST_SUT";

/// A system: what it does wrong, and when it begins with that.
pub struct Sut<'a> {
    pub kind: &'a str,
    /// From this run on.
    pub run: u64,
    /// At this input of the run.
    pub input: u64,
    /// Whether it is a process of its own.
    pub child: bool,
}

/// The other side is gone, or the system has had enough.
pub struct Over;

fn for_ever() -> ! {
    loop {
        std::thread::sleep(Duration::from_secs(600));
    }
}

/// Starts this program once more, as a process that does nothing, with the same output.
fn fork() {
    let exe = std::env::current_exe().expect("a path");
    let mut command = Command::new(exe);
    command.args(["play_the_sut", "--exact", "--nocapture"]).env(MODE, "sleep 1 1").stdin(Stdio::null());
    #[expect(clippy::zombie_processes, reason = "that nobody waits for it is the point")]
    let _child = command.spawn().expect("a process");
}

/// Plays the system of the environment variable, and never returns.
pub fn child(mode: &str) -> ! {
    let words: Vec<&str> = mode.split(' ').collect();
    let [kind, run, input] = words[..] else { panic!("{mode}") };
    if kind == "sleep" {
        for_ever();
    }
    let sut = Sut { kind, run: run.parse().expect("a run"), input: input.parse().expect("a number"), child: true };
    if kind == "fork" {
        fork();
    }
    if kind == "endless-stderr" {
        std::thread::spawn(|| while std::io::stderr().write_all(&b"still here\n".repeat(1000)).is_ok() {});
    }
    // The test harness has begun a line.
    println!();
    let _ = sut.converse(&mut std::io::stdin().lock(), &mut std::io::stdout());
    if kind == "stubborn" {
        for_ever();
    }
    exit(3);
}

fn say(out: &mut dyn Write, line: impl std::fmt::Display) -> Result<(), Over> {
    let text = format!("{line}\n");
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(|_| Over)
}

fn endless(out: &mut dyn Write, line: impl std::fmt::Display) -> Result<(), Over> {
    loop {
        say(out, &line)?;
    }
}

impl Sut<'_> {
    /// Does nothing any more: until it is killed, or for as long as the other side is there.
    fn hang(&self, reader: &mut dyn BufRead) -> Result<(), Over> {
        if self.child {
            for_ever();
        }
        let mut buffer = [0; 1024];
        while reader.read(&mut buffer).is_ok_and(|n| n > 0) {}
        Err(Over)
    }

    /// Answers until the other side ends, or for as long as it likes.
    pub fn converse(&self, reader: &mut dyn BufRead, out: &mut dyn Write) -> Result<(), Over> {
        let (mut run, mut sum, mut inputs, mut held) = (0, 0, 0, None);
        if self.kind == "exit-at-once" {
            return Err(Over);
        }
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line).unwrap_or(0) == 0 {
                return Ok(());
            }
            let message: Json = serde_json::from_str(&line).expect("a message");
            match message["type"].as_str().expect("a type") {
                "hello" => self.hello(reader, out)?,
                "reset" => {
                    (run, sum, inputs, held) = (message["run"].as_u64().expect("a run"), 0, 0, None);
                    self.reset(run, reader, out)?;
                }
                "input" => {
                    inputs += 1;
                    sum += message["args"]["p"].as_i64().expect("a number");
                    let id = message["id"].as_u64().expect("an id");
                    // An answer that is late comes when the next input is there, and before that is taken.
                    if let Some(late) = held.take() {
                        say(out, late)?;
                    }
                    // Without a reset, there is no number.
                    let tag = (run > 0).then_some(run);
                    let output = json!({"type": "output", "gate": "outX", "args": {"p": sum}, "run": tag});
                    if ["late", "late-demanded"].contains(&self.kind) {
                        say(out, json!({"type": "accepted", "id": id}))?;
                        held = Some(output);
                    } else if run < self.run || inputs < self.input || !self.misbehave(run, id, sum, reader, out)? {
                        say(out, json!({"type": "accepted", "id": id}))?;
                        say(out, output)?;
                        say(out, json!({"type": "quiescent"}))?;
                    }
                }
                _ if self.kind == "stubborn" => {}
                _ => return Ok(()),
            }
        }
    }

    fn hello(&self, reader: &mut dyn BufRead, out: &mut dyn Write) -> Result<(), Over> {
        let mut hello = json!({
            "type": "hello", "protocol": 1, "order": "sut", "inputs": ["inX"], "outputs": ["outX"],
        });
        match self.kind {
            "hang-at-hello" => self.hang(reader)?,
            "drip" => {
                // The beginning of a message, and never its end.
                out.write_all(b"{\"type\":\"hel").and_then(|()| out.flush()).map_err(|_| Over)?;
                self.hang(reader)?;
            }
            "endless-logs-at-hello" => endless(out, "not yet")?,
            "gates" => hello["outputs"] = json!(["outY"]),
            "version" => (hello["protocol"], hello["oldest"]) = (json!(9), json!(9)),
            "no-hello" => hello = json!({"type": "ready"}),
            "no-reset" => hello["reset"] = json!(false),
            _ => {}
        }
        say(out, hello)
    }

    fn reset(&self, run: u64, reader: &mut dyn BufRead, out: &mut dyn Write) -> Result<(), Over> {
        let old = json!({"type": "output", "gate": "outX", "args": [99], "run": run - 1});
        match self.kind {
            "crash-at-reset" if run > self.run => return Err(Over),
            "hang-at-reset" if run >= self.run => self.hang(reader)?,
            "endless-at-reset" if run >= self.run => endless(out, &old)?,
            "refuse-reset" => return say(out, json!({"type": "refused", "run": run, "message": "I cannot"})),
            "fail-reset" => return say(out, json!({"type": "error", "message": "the database is away"})),
            "old" if run > 1 => {
                say(out, json!({"type": "output", "gate": "outX", "args": {"p": 5}}))?;
                say(out, json!({"type": "accepted", "id": 77}))?;
                say(out, json!({"type": "ready", "run": run - 1}))?;
            }
            _ => {}
        }
        say(out, json!({"type": "ready", "run": run}))?;
        say(out, json!({"type": "quiescent", "run": run}))?;
        if self.kind == "old" && run > 1 {
            for kind in ["output", "accepted", "quiescent", "closed", "error"] {
                say(out, json!({"type": kind, "gate": "outX", "args": {"p": 5}, "id": 1, "run": run - 1}))?;
            }
        }
        Ok(())
    }

    /// Does what is wrong instead of answering an input; whether there was anything to do.
    fn misbehave(
        &self,
        run: u64,
        id: u64,
        sum: i64,
        reader: &mut dyn BufRead,
        out: &mut dyn Write,
    ) -> Result<bool, Over> {
        let accepted = json!({"type": "accepted", "id": id});
        let output = |args: Json| json!({"type": "output", "gate": "outX", "args": args});
        match self.kind {
            "crash" | "fork" => return Err(Over),
            "abort" => std::process::abort(),
            "crash-after" => {
                say(out, accepted)?;
                return Err(Over);
            }
            "hang" => self.hang(reader)?,
            "garbage-json" => say(out, r#"{"type":"output", gate: outX}"#)?,
            "garbage-bytes" => out
                .write_all(b"\x00\xff\xfe\x01 garbage\n{\"type\":\"\xc3\x28\"}\n")
                .and_then(|()| out.flush())
                .map_err(|_| Over)?,
            "garbage-type" => say(out, json!({"type": "acceptd", "id": id}))?,
            "garbage-id" => say(out, json!({"type": "accepted", "id": id + 70}))?,
            "garbage-number" => say(out, 17)?,
            "unknown-gate" => say(out, json!({"type": "output", "gate": "outZ"}))?,
            "wrong-direction" => say(out, json!({"type": "output", "gate": "inX", "args": [1]}))?,
            "future" => say(out, json!({"type": "output", "gate": "outX", "args": [1], "run": run + 1}))?,
            "hello-again" => say(out, json!({"type": "hello", "protocol": 1}))?,
            "accepted-twice" => {
                say(out, &accepted)?;
                say(out, accepted)?;
            }
            "long-line" => loop {
                out.write_all(&[b'"'; 1 << 16]).map_err(|_| Over)?;
            },
            "endless-logs" => endless(out, "still here")?,
            "endless-old" => {
                endless(out, json!({"type": "output", "gate": "outX", "args": [1], "run": run - 1}))?;
            }
            "endless-outputs" => {
                say(out, accepted)?;
                endless(out, output(json!([sum])))?;
            }
            "half" => {
                out.write_all(b"{\"type\":\"outp").and_then(|()| out.flush()).map_err(|_| Over)?;
                return Err(Over);
            }
            "close" | "close-allowed" => {
                say(out, accepted)?;
                say(out, json!({"type": "closed"}))?;
                return Err(Over);
            }
            "close-and-stay" => {
                say(out, accepted)?;
                say(out, json!({"type": "closed"}))?;
            }
            "malformed" => {
                say(out, accepted)?;
                say(out, output(json!({"p": "many"})))?;
            }
            "malformed-none" => {
                say(out, accepted)?;
                say(out, output(json!({"q": 1})))?;
            }
            "silent" => say(out, accepted)?,
            "silent-said" => {
                say(out, accepted)?;
                say(out, json!({"type": "quiescent"}))?;
            }
            "wrong" => {
                say(out, accepted)?;
                say(out, output(json!({"p": sum + 1})))?;
            }
            "refuse" => say(out, json!({"type": "refused", "id": id, "message": "not now"}))?,
            "report" => say(out, json!({"type": "error", "message": "the test bench is away"}))?,
            "report-fatal" => say(out, json!({"type": "error", "fatal": true, "message": "the test bench burns"}))?,
            _ => return Ok(false),
        }
        Ok(true)
    }
}
