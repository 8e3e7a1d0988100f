//! Programs and servers that crash: an abnormal end of the system is an observation, an orderly end is another one, and what
//! is not the system's doing is neither (T-E1, T-E2, T-E3).
#![cfg(target_os = "linux")]
// Lints know tests by their attribute, which helpers do not have.
#![allow(clippy::unwrap_used)]

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::exit;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use sioco_adapter::child::Program;
use sioco_adapter::config::{Config, Exchange, Request, ResetConfig};
use sioco_adapter::host::Host;
use sioco_adapter::http::{Http, HttpOptions};
use sioco_adapter::lines::Interrupt;
use sioco_adapter::text::{Dialect, TextClient, TextOptions};
use sioco_adapter::transport::Connector;
use sioco_exec::{Crash, Fault, GateValue, Observation, Order, Polled, RunNumber, Sut, SutEvent};
use sioco_model::{Model, Value};

/// A time-out that is not meant to run out, on however busy a machine.
const LONG: Duration = Duration::from_secs(20);
/// Tells the test program to be a server, and which port it has.
const SERVER: &str = "SIOCO_TEST_SERVER";

/// What a server is told to do.
const COMMANDS: [&str; 10] = ["Ok", "Close", "Reset", "Exit0", "Exit3", "Abort", "Half", "Later", "Slowly", "Panic"];

/// A model that may have an end, in an orderly way or not.
fn model(end: &str) -> Model {
    let declared = if end.is_empty() { String::new() } else { format!("output {end}\n") };
    let ends = if end.is_empty() { String::new() } else { format!("!{end} -> l") };
    let text = format!(
        "type C = {}\ninput say(c: C)\noutput ok\n{declared}process P {{ init l {{ ?say(_) -> m }}\nstate m {{ !ok -> l\n{ends} }} }}",
        COMMANDS.join(" | ")
    );
    let checked = sioco_lang::check_text("m.sts", &text);
    checked.model.unwrap_or_else(|| panic!("{:?}", checked.diagnostics)).model
}

fn say(model: &Model, command: &str) -> GateValue {
    let number = COMMANDS.iter().position(|c| *c == command).unwrap();
    GateValue { gate: model.gate("say").unwrap(), args: vec![Value::Enum(number as u32)] }
}

fn dialect(text: &str) -> Dialect {
    let config: Config = text.parse().unwrap_or_else(|why| panic!("{why}"));
    Dialect { name: "d".into(), config: config.dialect["d"].clone() }
}

fn shown(polled: Result<Polled, Fault>) -> String {
    match polled {
        Ok(Polled::Event(SutEvent::Observed(Observation::Output(_)))) => "ok".into(),
        Ok(Polled::Event(SutEvent::Observed(Observation::Closed))) => "closed".into(),
        Ok(Polled::Event(SutEvent::Observed(Observation::Crashed(crash)))) => told(&crash),
        Ok(Polled::Event(SutEvent::Accepted { .. })) => "accepted".into(),
        Ok(other) => format!("{other:?}"),
        Err(fault) => format!("{}: {fault}", fault.kind.name()),
    }
}

fn told(crash: &Crash) -> String {
    let status = crash.status.as_deref().unwrap_or("no status");
    let place = crash.place.as_deref().unwrap_or("no place");
    format!("crashed: {}; {place}; {status}", crash.message)
}

/// What comes of a command in a run: everything up to the end of the system, or the answer.
fn run(sut: &mut dyn Sut, number: u64, commands: &[&str], model: &Model) -> String {
    if let Err(fault) = sut.reset(RunNumber(number), 1) {
        return shown(Err(fault));
    }
    let mut found = Vec::new();
    for (i, command) in commands.iter().enumerate() {
        sut.send(i as u64, &say(model, command)).unwrap();
        let mut waits = 0;
        while waits < 2 {
            let seen = shown(sut.poll(LONG));
            waits += 1;
            if seen != "accepted" {
                found.push(seen);
                break;
            }
        }
    }
    found.join(" ")
}

// Programs that are spoken to over their standard streams.

const TEXT: &str = "[dialect.d]\n[dialect.d.inputs]\nsay = \"{c}\"\n[dialect.d.outputs]\nok = \"OK\"\n";

/// Does what it is told: ends, for example, with a last word.
const PROGRAM: &str = "while read c; do case $c in
  Ok) echo OK;;
  Close) exec >&-; exec sleep 1000;;
  Exit0) echo bye >&2; exit 0;;
  Exit3) echo oh >&2; echo no >&2; exit 3;;
  Abort) kill -ABRT $$;;
  Half) printf HAL; exit 3;;
  Later) echo $$ > \"$PID\"; echo OK; exit 3;;
  Panic) echo \"thread 'main' panicked at src/main.rs:4:5:\" >&2; echo 'index 7 is out of bounds' >&2; exit 101;;
esac; done; exit 3";

/// A file for the number of a process; its folder is that of the tests.
fn pid_file() -> PathBuf {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let name = format!("crashes-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name)
}

/// Waits until the process whose number is in a file has ended; whoever started it has not looked yet.
fn wait_for_the_end(file: &Path) {
    let begun = Instant::now();
    loop {
        assert!(begun.elapsed() < LONG, "it does not end");
        let id = std::fs::read_to_string(file).unwrap_or_default();
        let state = std::fs::read_to_string(format!("/proc/{}/stat", id.trim())).unwrap_or_default();
        let state = state.rsplit(") ").next().and_then(|rest| rest.chars().next());
        if state.is_some_and(|state| "ZX".contains(state)) {
            let _ = std::fs::remove_file(file);
            return;
        }
        std::thread::yield_now();
    }
}

fn program(file: &Path, script: &str) -> Box<dyn Connector> {
    let words = vec!["sh".into(), "-c".into(), script.into()];
    let environment = vec![("PID".into(), file.display().to_string())];
    Box::new(Program { words, environment, directory: None })
}

fn text<'m>(model: &'m Model, connector: Box<dyn Connector>, options: TextOptions) -> TextClient<'m> {
    let compiled = dialect(TEXT).compile(model).unwrap_or_else(|why| panic!("{why:?}"));
    TextClient::new(model, compiled, connector, options, Interrupt::default())
}

fn patient() -> TextOptions {
    TextOptions { patience: LONG, ..TextOptions::default() }
}

#[test]
fn a_program_that_ends_abnormally_crashed() {
    let model = model("");
    let mut sut = text(&model, program(&pid_file(), PROGRAM), patient());
    for (number, (command, expected)) in [
        ("Ok", "ok ok"),
        ("Exit0", "ok closed"),
        ("Exit3", "ok crashed: exit status: 3; no place; exit status: 3"),
        ("Abort", "ok crashed: signal: SIGABRT; no place; signal: SIGABRT"),
        ("Half", "ok crashed: exit status: 3; no place; exit status: 3"),
        ("Panic", "ok crashed: index 7 is out of bounds; src/main.rs:4:5; exit status: 101"),
        // It runs on, and nothing is known about its end.
        ("Close", "ok closed"),
        ("Exit3", "ok crashed: exit status: 3; no place; exit status: 3"),
    ]
    .into_iter()
    .enumerate()
    {
        assert_eq!(run(&mut sut, number as u64 + 1, &["Ok", command], &model), expected);
    }
    // Whatever ran on was ended from here.
    sut.stop();
    assert_eq!(sut.unheard_crashes(), 0);
}

#[test]
fn what_it_said_last_is_kept() {
    let model = model("");
    for (command, expected) in
        [("Exit3", vec!["oh", "no"]), ("Half", vec!["before that, it sent half a message: `HAL`"])]
    {
        let mut sut = text(&model, program(&pid_file(), PROGRAM), patient());
        sut.reset(RunNumber(1), 1).unwrap();
        sut.send(1, &say(&model, "Ok")).unwrap();
        sut.send(2, &say(&model, command)).unwrap();
        let crash = loop {
            match sut.poll(LONG) {
                Ok(Polled::Event(SutEvent::Observed(Observation::Crashed(crash)))) => break crash,
                Ok(Polled::Event(_)) => {}
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(crash.details, expected);
        // After that, nothing comes.
        assert_eq!(sut.poll(Duration::from_millis(1)), Ok(Polled::Nothing));
    }
}

/// What sioco ends itself, with whatever status, is no crash; what ended before that was one, which nobody waited for.
#[test]
fn ends_between_runs() {
    let model = model("");
    let file = pid_file();
    let mut sut = text(&model, program(&file, PROGRAM), patient());
    for number in 1..4 {
        assert_eq!(run(&mut sut, number, &["Ok"], &model), "ok");
    }
    assert_eq!(sut.unheard_crashes(), 0);
    assert_eq!(run(&mut sut, 4, &["Later"], &model), "ok");
    wait_for_the_end(&file);
    assert_eq!(run(&mut sut, 5, &["Ok"], &model), "ok");
    assert_eq!(sut.unheard_crashes(), 1);
    // It is seen in a run if somebody waits for it.
    assert_eq!(run(&mut sut, 6, &["Later"], &model), "ok");
    assert_eq!(shown(sut.poll(LONG)), "crashed: exit status: 3; no place; exit status: 3");
    sut.stop();
    assert_eq!(sut.unheard_crashes(), 1);
    let _ = std::fs::remove_file(&file);
}

#[test]
fn a_crash_before_a_run_is_a_fault() {
    let model = model("");
    let before = |command: &str| {
        let exchange = Exchange { send: Some(command.into()), expect: Some("OK".into()), ..Exchange::default() };
        let options = TextOptions { before: vec![exchange], ..patient() };
        run(&mut text(&model, program(&pid_file(), PROGRAM), options), 1, &["Ok"], &model)
    };
    assert_eq!(before("Ok"), "ok");
    for command in ["Exit3", "Abort", "Exit0"] {
        let found = before(command);
        assert!(found.starts_with("reset: ") && found.contains("the connection ended"), "{found}");
    }
    // What cannot run at all is no system.
    let found = run(&mut text(&model, program(&pid_file(), "exit 3"), patient()), 1, &["Ok"], &model);
    assert!(found.starts_with("start: ") && found.contains("it ended (exit status: 3) before it sent"), "{found}");
}

// Servers.

/// Not a test: a server, which does what it is told, over plain text or over HTTP. Without a port there is nothing to do.
#[test]
fn play_the_server() {
    let Ok(port) = std::env::var(SERVER) else { return };
    let listener = TcpListener::bind(format!("127.0.0.1:{port}")).unwrap();
    loop {
        let (mut stream, _) = listener.accept().unwrap();
        let _ = serve(&mut stream);
    }
}

/// The next line, and nothing after it: what is unread when a connection is closed resets it.
fn read_line(stream: &mut TcpStream) -> std::io::Result<String> {
    let mut line = Vec::new();
    let mut byte = [0];
    while !line.ends_with(b"\n") && stream.read(&mut byte)? > 0 {
        line.extend(byte);
    }
    Ok(String::from_utf8_lossy(&line).into_owned())
}

fn serve(stream: &mut TcpStream) -> std::io::Result<()> {
    loop {
        let line = read_line(stream)?;
        if line.is_empty() {
            return Ok(());
        }
        let is_http = line.contains(" /");
        let command = match is_http {
            true => line.split(['/', ' ']).nth(2).unwrap().to_owned(),
            false => line.trim().to_owned(),
        };
        if is_http && command != "Reset" {
            while read_line(stream)?.len() > 2 {}
        }
        let ok: &[u8] = match is_http {
            true => b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: keep-alive\r\n\r\n",
            false => b"OK\n",
        };
        match command.as_str() {
            "Ok" => stream.write_all(ok)?,
            "Close" | "Reset" => return Ok(()),
            "Exit0" => exit(0),
            "Exit3" => {
                eprintln!("oh no");
                exit(3);
            }
            "Abort" => std::process::abort(),
            "Half" => {
                stream.write_all(&ok[..ok.len() / 2])?;
                exit(3);
            }
            "Later" => {
                let file = std::env::var("PID").unwrap();
                std::fs::write(file, std::process::id().to_string()).unwrap();
                stream.write_all(ok)?;
                exit(3);
            }
            // The connection ends first, and then the program, in an orderly way.
            "Slowly" => {
                stream.shutdown(std::net::Shutdown::Both)?;
                std::thread::sleep(Duration::from_millis(300));
                exit(0);
            }
            // What a server in Python does when a handler raises something.
            "Panic" => {
                eprintln!(
                    "Exception occurred during processing of request from ('127.0.0.1', {})",
                    stream.peer_addr()?.port()
                );
                eprintln!(
                    "Traceback (most recent call last):\n  File \"server.py\", line 9, in do_POST\nKeyError: 'x'"
                );
                return Ok(());
            }
            other => panic!("{other}"),
        }
    }
}

fn host(file: &Path, reset: ResetConfig) -> Host {
    let exe = std::env::current_exe().expect("a path").display().to_string();
    let words = [&exe, "play_the_server", "--exact", "--nocapture"].map(str::to_owned).to_vec();
    let environment = vec![(SERVER.into(), "{port}".into()), ("PID".into(), file.display().to_string())];
    Host::new(Program { words, environment, directory: None }, "127.0.0.1:{port}", LONG, reset)
}

#[test]
fn a_server_that_ends_abnormally_crashed() {
    let model = model("");
    for reset in [ResetConfig::Reconnect, ResetConfig::Restart] {
        let file = pid_file();
        let mut sut = text(&model, Box::new(host(&file, reset)), patient());
        for (number, (command, expected)) in [
            ("Ok", "ok ok"),
            // The server goes on: its connections may end as they like.
            ("Close", "ok closed"),
            ("Exit0", "ok closed"),
            ("Exit3", "ok crashed: exit status: 3; no place; exit status: 3"),
            ("Abort", "ok crashed: signal: SIGABRT; no place; signal: SIGABRT"),
            ("Half", "ok crashed: exit status: 3; no place; exit status: 3"),
            ("Ok", "ok ok"),
        ]
        .into_iter()
        .enumerate()
        {
            assert_eq!(run(&mut sut, number as u64 + 1, &["Ok", command], &model), expected, "{reset:?}");
        }
        assert_eq!(sut.unheard_crashes(), 0, "{reset:?}");
        assert_eq!(run(&mut sut, 8, &["Later"], &model), "ok");
        wait_for_the_end(&file);
        assert_eq!(run(&mut sut, 9, &["Ok"], &model), "ok");
        assert_eq!(sut.unheard_crashes(), 1, "{reset:?}");
    }
}

/// What a connection was told when it ended is there, even if the server runs on.
#[test]
fn a_server_that_drops_a_connection_has_last_words() {
    let model = model("");
    let mut sut = text(&model, Box::new(host(&pid_file(), ResetConfig::Reconnect)), patient());
    assert_eq!(run(&mut sut, 1, &["Ok", "Close"], &model), "ok closed");
    assert_eq!(run(&mut sut, 2, &["Ok", "Panic"], &model), "ok closed");
    sut.stop();
    assert_eq!(sut.last_words(RunNumber(1)), Vec::<String>::new());
    let words = sut.last_words(RunNumber(2));
    assert!(words[0] == "the last lines on its standard error:" && words[4] == "│ KeyError: 'x'", "{words:?}");
}

// HTTP.

const HTTP: &str = "[dialect.d]\n[dialect.d.inputs]\nsay = { method = \"GET\", path = \"/{c}\" }\n[dialect.d.outputs]\nok = { status = 200 }\n";

fn http<'m>(model: &'m Model, host: Option<Host>, address: &str, before: &[&str]) -> Http<'m> {
    let request = |path: &&str| Request { method: "GET".into(), path: format!("/{path}"), ..Request::default() };
    let exchange = |path| Exchange { request: Some(request(path)), status: Some(200), ..Exchange::default() };
    let options =
        HttpOptions { before: before.iter().map(exchange).collect(), patience: LONG, ..HttpOptions::default() };
    Http::new(model, &dialect(HTTP), host, address, options, Interrupt::default())
        .unwrap_or_else(|why| panic!("{why:?}"))
}

#[test]
fn a_server_that_drops_a_request_crashed() {
    let dropped = "crashed: the connection was closed without a response to `say`; no place; no status";
    for end in ["", "closed", "crashed"] {
        let model = model(end);
        let file = pid_file();
        let mut sut = http(&model, Some(host(&file, ResetConfig::Reconnect)), "127.0.0.1:{port}", &[]);
        // Where it may end by itself, that may be before it takes a request.
        assert_eq!(sut.order(), if end.is_empty() { Order::Sut } else { Order::Sent });
        for (number, (commands, expected)) in [
            (&["Ok", "Ok"][..], "ok ok".to_owned()),
            (&["Ok", "Close"], format!("ok {dropped}")),
            (&["Ok", "Reset"], format!("ok {dropped}")),
            (&["Panic"], "crashed: KeyError: 'x'; server.py:9; no status".to_owned()),
            // What it said earlier is another matter.
            (&["Close"], dropped.to_owned()),
            (&["Ok", "Exit3"], "ok crashed: exit status: 3; no place; exit status: 3".to_owned()),
            (&["Half"], "crashed: exit status: 3; no place; exit status: 3".to_owned()),
            (&["Abort"], "crashed: signal: SIGABRT; no place; signal: SIGABRT".to_owned()),
            (&["Exit0"], "closed".to_owned()),
            (&["Later", "Ok"], "ok crashed: exit status: 3; no place; exit status: 3".to_owned()),
            (&["Ok"], "ok".to_owned()),
        ]
        .into_iter()
        .enumerate()
        {
            // Where an orderly end is allowed, it is waited for: that takes a while, and is the same for all of these.
            if end == "closed" && (["Reset", "Panic"].contains(commands.last().unwrap()) || *commands == ["Close"]) {
                continue;
            }
            assert_eq!(run(&mut sut, number as u64 + 1, commands, &model), expected, "{end} {commands:?}");
        }
        if end == "closed" {
            // An orderly end may take a while.
            assert_eq!(run(&mut sut, 12, &["Slowly"], &model), "closed");
        }
        assert_eq!(sut.unheard_crashes(), 0, "{end}");
        assert_eq!(run(&mut sut, 13, &["Later"], &model), "ok");
        wait_for_the_end(&file);
        assert_eq!(run(&mut sut, 14, &["Ok"], &model), "ok");
        sut.stop();
        assert_eq!(sut.unheard_crashes(), 1, "{end}");
    }
}

/// Of a server that was not started here, less is known.
#[test]
fn a_server_that_runs_already() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let count = AtomicU32::new(0);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            loop {
                let (mut stream, _) = listener.accept().unwrap();
                if stream.peek(&mut [0]).unwrap_or(0) == 0 {
                    return;
                }
                count.fetch_add(1, Ordering::SeqCst);
                let _ = serve(&mut stream);
            }
        });
        let work = || {
            let model = model("");
            // It may be anything that listens there.
            let found = run(&mut http(&model, None, &address, &[]), 1, &["Close"], &model);
            assert!(found.starts_with("start: ") && found.contains("it has never answered"), "{found}");
            let dropped = "crashed: the connection was closed without a response to `say`; no place; no status";
            for command in ["Close", "Reset"] {
                let mut sut = http(&model, None, &address, &[]);
                assert_eq!(run(&mut sut, 1, &["Ok", command], &model), format!("ok {dropped}"));
                assert_eq!(run(&mut sut, 2, &[command], &model), dropped);
            }
            // Before a run, it is a fault.
            let found = run(&mut http(&model, None, &address, &["Ok", "Close"]), 1, &["Ok"], &model);
            assert!(found.starts_with("reset: ") && found.contains("the connection was closed"), "{found}");
            let mut sut = http(&model, None, &address, &["Ok"]);
            assert_eq!(run(&mut sut, 1, &["Close"], &model), dropped);
            // Whether it ended in an orderly way cannot be seen from here.
            let model = self::model("closed");
            assert_eq!(run(&mut http(&model, None, &address, &["Ok"]), 1, &["Close"], &model), "closed");
        };
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
        drop(TcpStream::connect(&address).unwrap());
        result.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        // A server may close a connection that is idle at any time. So none is used twice, whatever the server offers.
        assert_eq!(count.load(Ordering::SeqCst), 1 + 2 * 3 + 2 + 2 + 2, "each request has a connection of its own");
    });
    let model = model("");
    let mut nobody = http(&model, None, &address, &[]);
    drop(listener);
    let found = run(&mut nobody, 1, &["Ok"], &model);
    assert!(found.starts_with("start: ") && found.contains("cannot connect to it"), "{found}");
}
