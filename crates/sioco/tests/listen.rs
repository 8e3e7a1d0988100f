//! A model that plays a system under test for others.
#![cfg(unix)]

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

const MODEL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/accumulator/accumulator.sts");

/// A program that ends with the test, whatever happens.
struct Playing(Child);

impl Drop for Playing {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn testers_connect_to_a_model() {
    for scheme in ["tcp", "ws"] {
        connects(scheme);
    }
}

fn connects(scheme: &str) {
    let listen = format!("{scheme}://127.0.0.1:0");
    let mut command = Command::new(env!("CARGO_BIN_EXE_sioco"));
    command.args(["simulate", MODEL, "--listen", &listen]).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut playing = Playing(command.spawn().expect("sioco starts"));
    let mut first = String::new();
    let stdout = playing.0.stdout.take().expect("its output is piped");
    BufReader::new(stdout).read_line(&mut first).expect("it says where it listens");
    let address =
        first.split_whitespace().find(|w| w.starts_with(&format!("{scheme}://127.0.0.1:"))).expect("an address");
    let address = address.trim_end_matches(';');
    let journal = std::env::temp_dir().join(format!("sioco-listen-{scheme}-{}.jsonl", std::process::id()));
    // Two testers, one after the other.
    for seed in ["1", "2"] {
        let mut test = Command::new(env!("CARGO_BIN_EXE_sioco"));
        test.args(["test", MODEL, "--sut", address, "--seed", seed, "--max-steps", "60", "--journal"]).arg(&journal);
        let result = test.output().expect("sioco starts");
        let said = String::from_utf8_lossy(&result.stdout);
        assert_eq!(result.status.code(), Some(0), "{said}{}", String::from_utf8_lossy(&result.stderr));
        assert!(said.contains("PASS"), "{said}");
        std::fs::remove_file(&journal).expect("a journal was written");
    }
    let pid = Pid::from_raw(i32::try_from(playing.0.id()).expect("a process id"));
    kill(pid, Signal::SIGINT).expect("it is still there");
    assert_eq!(playing.0.wait().expect("it ends").code(), Some(130));
}

#[test]
fn an_address_that_cannot_be_used_is_said() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sioco"));
    let result = command.args(["simulate", MODEL, "--listen", "ws://nowhere/x"]).output().expect("sioco starts");
    assert_eq!(result.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&result.stderr).contains("cannot listen at `ws://nowhere/x`"));
}
