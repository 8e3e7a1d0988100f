//! Whatever the system does, a campaign ends when it is asked to, shows what there is, and takes no wait that was cut for
//! silence. Systems here hang for as long as they are let, and say so first.
#![cfg(unix)]
// Lints know tests by their attribute, which helpers do not have.
#![allow(clippy::unwrap_used)]

// Each test program uses a part of it.
#[allow(dead_code)]
mod support;

use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Stdio};

use support::{Folder, Run, command, ended, sioco_in};

const MODEL: &str = "\
input  ask(n: Int in 0..9)
output told(n: Int)

process P {
  var x: Int = 0
  init idle { ?ask(n) / x := n -> busy }
  state busy { !told(x) -> idle }
}
";

/// The same for a system that may end in both ways: then it is worth waiting how a program ends.
const ENDS: &str = "\
input  ask(n: Int in 0..9)
output told(n: Int)
output closed
output crashed

process P {
  var x: Int = 0
  init idle { ?ask(n) / x := n -> busy }
  state busy { !told(x) -> idle  !closed -> over  !crashed -> over }
  final over
}
";

/// An adapter that answers as many inputs as its second word says, and hangs after that where its first word says. Whoever
/// opens the pipe knows that it hangs; nothing else comes of it, and it does not end by itself.
const ADAPTER: &str = r#"
import json, sys, time

place, answers = sys.argv[1], int(sys.argv[2])

def say(**message):
    print(json.dumps(message), flush=True)

def hang(here):
    if place == here and answers == 0:
        open("fifo", "w").write("hangs")
        time.sleep(3600)

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        hang("hello")
        say(type="hello", protocol=1, name="x", order="sut", inputs=["ask"], outputs=["told"])
    elif message["type"] == "reset":
        hang("reset")
        say(type="ready", run=message["run"])
    elif message["type"] == "input":
        hang("accept")
        say(type="accepted", id=message["id"])
        hang("answer")
        answers -= 1
        say(type="output", gate="told", args=message["args"])
"#;

/// A folder with a model, a pipe with a name, and an adapter.
fn folder(name: &str, model: &str) -> Folder {
    let folder = Folder::new(&format!("ends-{name}"));
    folder.folder(".git");
    folder.write("m.sts", model);
    folder.write("adapter.py", ADAPTER);
    assert!(Command::new("mkfifo").arg(folder.path("fifo")).status().unwrap().success());
    folder
}

/// Longer than the test may take, so that no wait ends by itself.
const TEST: &[&str] = &["test", "m.sts", "--seed", "1", "--solver", "builtin", "--patience", "600", "--cover"];

/// Sends a signal as soon as the system says that it hangs.
fn interrupted(folder: &Folder, sioco: &mut Command, signal: &str) -> Run {
    let child = sioco.current_dir(folder.path("")).spawn().unwrap();
    assert_eq!(fs::read_to_string(folder.path("fifo")).unwrap().trim(), "hangs");
    assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
    ended(&format!("{sioco:?}"), child)
}

/// The journal, after it was judged.
fn journal(folder: &Folder) -> String {
    sioco_in(&["judge", "m.sts", "j.jsonl"], &folder.path(""));
    fs::read_to_string(folder.path("j.jsonl")).unwrap()
}

const PLACES: [(&str, &str, &str); 4] = [
    ("hello", "0", "while the SUT was being started or"),
    ("reset", "0", "while the SUT was being started or"),
    ("accept", "3", ") was waiting to be"),
    ("answer", "3", "while nothing came after ?ask(n="),
];

#[test]
fn the_time_is_up_where_the_system_hangs() {
    // Each waits until its time is up: all of them at the same time.
    std::thread::scope(|scope| {
        for (place, answers, said) in PLACES {
            scope.spawn(move || the_time_is_up(place, answers, said));
        }
    });
}

fn the_time_is_up(place: &str, answers: &str, said: &str) {
    let folder = folder(&format!("time-{place}"), MODEL);
    // Nobody reads the pipe: the adapter hangs where it would say so.
    let sut = format!("python3 adapter.py {place} {answers}");
    let args = [TEST, &["random", "--sut", &sut, "--for", "2s", "--journal", "j.jsonl"]].concat();
    let run = sioco_in(&args, &folder.path(""));
    run.exits(3).stdout_has("INCONCLUSIVE  P").stdout_has("  ended      the time ran out (2.0 s), ").stdout_has(said);
    let journal = journal(&folder);
    assert!(journal.contains("\"why\":\"time\"") && journal.contains("\"waiting\""), "{journal}");
    // A wait that was cut is no silence, and what came before it is there.
    assert!(!journal.contains("\"quiescent\"") && !run.stdout.contains("silence"), "{journal}\n{}", run.stdout);
    assert_eq!(journal.matches("\"type\":\"output\"").count().to_string(), answers, "{journal}");
}

#[test]
fn a_signal_comes_where_the_system_hangs() {
    for ((place, answers, _), signal) in PLACES.into_iter().zip(["-INT", "-TERM", "-INT", "-TERM"]) {
        let folder = folder(&format!("signal-{place}"), MODEL);
        let sut = format!("python3 adapter.py {place} {answers}");
        let mut sioco = command(&[TEST, &["random", "--sut", &sut, "--journal", "j.jsonl"]].concat());
        let run = interrupted(&folder, &mut sioco, signal);
        run.exits(130).stdout_has(", INTERRUPTED  P against").stdout_has("  ended      it was interrupted");
        let journal = journal(&folder);
        assert!(journal.contains("\"why\":\"interrupted\""), "{journal}");
        assert!(!journal.contains("\"quiescent\""), "{journal}");
        assert_eq!(journal.matches("\"type\":\"output\"").count().to_string(), answers, "{journal}");
    }
}

/// Whether a program that closed its output has ended or crashed is waited for; until that is known, it has done neither.
#[test]
fn a_program_that_neither_goes_on_nor_ends() {
    for (signal, code) in [(Some("-INT"), 130), (None, 3)] {
        let folder = folder(&format!("closed-{code}"), ENDS);
        folder.program("system", "read -r line\nexec 1>&-\necho hangs > fifo\nexec sleep 3600");
        folder.write(
            "sioco.toml",
            "[sut.s]\ncommand = \"./system\"\ndialect = \"d\"\n[dialect.d.inputs]\nask = \"ASK {n}\"\n\
             [dialect.d.outputs]\ntold = \"TOLD {n}\"\n",
        );
        let args = [TEST, &["random", "--sut", "s", "--journal", "j.jsonl"]].concat();
        let run = match signal {
            Some(signal) => interrupted(&folder, &mut command(&args), signal),
            None => sioco_in(&[&args[..], &["--for", "2s"]].concat(), &folder.path("")),
        };
        run.exits(code).stdout_has("  ended      ");
        let journal = journal(&folder);
        let seen = ["\"closed\"", "\"crashed\"", "\"quiescent\""].iter().any(|what| journal.contains(what));
        assert!(!seen, "{journal}\n{}", run.stdout);
    }
}

/// A server that takes no more connections does not even refuse them.
#[test]
fn a_connection_that_nobody_takes() {
    let folder = folder("connect", MODEL);
    // A queue for one, which is full then: so many connections are begun that some wait in vain.
    let full = "import socket, sys\ns = socket.socket()\ns.bind((\"127.0.0.1\", 0))\ns.listen(0)\nothers = []\n\
                for _ in range(8):\n    c = socket.socket()\n    c.setblocking(False)\n    c.connect_ex(s.getsockname())\n    \
                others.append(c)\nprint(s.getsockname()[1], flush=True)\nsys.stdin.read()";
    let mut server =
        Command::new("python3").args(["-c", full]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut port = String::new();
    std::io::BufRead::read_line(&mut std::io::BufReader::new(server.stdout.take().unwrap()), &mut port).unwrap();
    let sut = format!("tcp://127.0.0.1:{}", port.trim());
    let run = sioco_in(&[TEST, &["random", "--sut", &sut, "--for", "1s"]].concat(), &folder.path(""));
    run.exits(3).stdout_has("INCONCLUSIVE  P").stdout_has("while the SUT was being started or");
    drop(server.stdin.take());
    server.wait().unwrap();
}

/// A server that speaks HTTP, and takes requests without ever answering.
#[test]
fn a_server_that_never_answers() {
    let folder = folder("http", MODEL);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    folder.write(
        "sioco.toml",
        &format!(
            "[sut.s]\nconnect = \"http://{address}\"\ndialect = \"d\"\n[dialect.d.inputs]\n\
             ask = {{ method = \"GET\", path = \"/{{n}}\" }}\n[dialect.d.outputs]\ntold = {{ status = 200, json = {{ n = \"/n\" }} }}\n"
        ),
    );
    let server = std::thread::spawn(move || {
        let mut held: Vec<TcpStream> = Vec::new();
        while let Ok((mut stream, _)) = listener.accept() {
            let mut first = [0];
            if stream.read(&mut first).unwrap_or(0) == 0 || first == *b"!" {
                return;
            }
            held.push(stream);
        }
    });
    let args = [TEST, &["random", "--sut", "s", "--for", "1s", "--trust"]].concat();
    let run = sioco_in(&args, &folder.path(""));
    TcpStream::connect(address).unwrap().write_all(b"!").unwrap();
    server.join().unwrap();
    run.exits(3).stdout_has("INCONCLUSIVE  P").stdout_has("while nothing came after ?ask(n=");
}

/// What was found counts, and the first line says what it rests on.
#[test]
fn a_campaign_that_was_interrupted_says_so_first() {
    let folder = folder("headline", MODEL);
    // Whether the last answer is overdue by then depends on how fast the machine is.
    let mut sioco = command(&[TEST, &["auto", "--sut", "python3 adapter.py answer 40"]].concat());
    let run = interrupted(&folder, &mut sioco, "-INT");
    run.exits(130).stdout_has(", INTERRUPTED  P against").stdout_has("the verdict covers only");
}
