//! A model played as a system, served over a socket and tested from the other end: both sides of the protocol at once.

// Lints know tests by their attribute, which helpers do not have.
#![allow(clippy::unwrap_used)]

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::time::{Duration, Instant};

use sioco_adapter::client::{Client, ConnectionOptions};
use sioco_adapter::in_process::{Args, InProcess, Output, System};
use sioco_adapter::lines::Interrupt;
use sioco_adapter::server::{Serving, listen};
use sioco_adapter::tcp::Tcp;
use sioco_exec::{FaultKind, GateValue, Observation, Order, Player, Polled, RunNumber, Sut, SutEvent};
use sioco_model::{Model, Value};

const LONG: Duration = Duration::from_secs(20);

const MODEL: &str = "input inX(p: Int in 1..10)\noutput outX(p: Int)\nprocess Q {\n  var x: Int = 0\n  init l {\n    ?inX(p) / x := x + p -> m\n  }\n  state m {\n    !outX(x) -> l\n  }\n}";

fn model(text: &str) -> Model {
    let checked = sioco_lang::check_text("m.sts", text);
    checked.model.unwrap_or_else(|| panic!("{:?}", checked.diagnostics)).model
}

/// Serves a system while something else happens, and gives back what was told about the clients.
fn serve(model: &Model, sut: &mut dyn Sut, meanwhile: impl FnOnce(u16) + Send) -> Vec<String> {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let interrupt = &Interrupt::default();
    let mut told = Vec::new();
    std::thread::scope(|scope| {
        let clients = scope.spawn(move || {
            // The server ends also if something fails here.
            let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| meanwhile(port)));
            interrupt.end_at(Some(Instant::now()));
            result
        });
        let mut tell = |text: &str| told.push(text.split_once(": ").expect("an address").1.to_owned());
        listen(&listener, model, sut, &Serving::default(), interrupt, &mut tell).unwrap();
        let result = clients.join().unwrap();
        result.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    });
    told
}

fn client<'m>(model: &'m Model, port: u16, options: ConnectionOptions) -> Client<'m> {
    Client::new(model, Box::new(Tcp::new("127.0.0.1", port)), options, Interrupt::default())
}

fn at(model: &Model, gate: &str, p: i64) -> GateValue {
    GateValue { gate: model.gate(gate).unwrap(), args: vec![Value::Int(p)] }
}

#[test]
fn a_model_is_played_for_one_client_after_the_other() {
    let model = model(MODEL);
    let told = serve(&model, &mut Player::new(&model), |port| {
        for _ in 0..3 {
            let mut client = client(&model, port, ConnectionOptions::default());
            for run in 1..4 {
                client.reset(RunNumber(run), 7).unwrap();
                assert_eq!(client.order(), Order::Sut);
                for (id, sum) in [(1, 6), (2, 12)] {
                    client.send(id, &at(&model, "inX", 6)).unwrap();
                    let mut found = Vec::new();
                    while found.len() < 2 {
                        match client.poll(LONG) {
                            // Silence was said before the input came.
                            Ok(Polled::Event(SutEvent::Observed(Observation::Delta))) if found.is_empty() => {}
                            Ok(Polled::Event(event)) => found.push(event),
                            other => panic!("{other:?}"),
                        }
                    }
                    let output = SutEvent::Observed(Observation::Output(at(&model, "outX", sum)));
                    assert_eq!(found, [SutEvent::Accepted { id }, output]);
                }
            }
            assert_eq!(client.hello().and_then(|hello| hello.name.as_deref()), Some("sioco"));
        }
    });
    assert_eq!(told, ["connected", "done"].repeat(3));
}

#[test]
fn gates_are_compared_over_the_wire() {
    let served = model(MODEL);
    let ours = model(&MODEL.replace("outX", "outY"));
    serve(&served, &mut Player::new(&served), |port| {
        let fault = client(&ours, port, ConnectionOptions::default()).reset(RunNumber(1), 7).unwrap_err();
        assert_eq!((fault.kind, fault.again), (FaultKind::Protocol, false));
        assert!(fault.message.contains("does not list it: did you mean it by `outX`?"), "{fault}");
    });
}

/// Says things to a server, and gives back its answers until it hangs up.
fn talk(port: u16, lines: &[&str]) -> Vec<String> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    for line in lines {
        writeln!(stream, "{line}").unwrap();
    }
    stream.shutdown(std::net::Shutdown::Write).unwrap();
    BufReader::new(stream).lines().map_while(Result::ok).collect()
}

#[test]
fn clients_that_are_wrong_are_told() {
    let model = model(MODEL);
    let hello = r#"{"type":"hello","protocol":1}"#;
    let told = serve(&model, &mut Player::new(&model), |port| {
        for (lines, part) in [
            (vec![r#"{"type":"reset","run":1}"#], "the first message must be hello"),
            (vec!["{"], "not JSON"),
            (vec![hello, "17"], "messages are objects"),
            (vec![hello, r#"{"type":"rest"}"#], "did you mean `reset`?"),
            (vec![r#"{"type":"hello","protocol":9,"oldest":2}"#], "newer sioco"),
            (vec![hello, r#"{"type":"input","id":1,"gate":"inX"}"#], "before the first reset"),
        ] {
            let answers = talk(port, &lines);
            let last = answers.last().expect("an answer");
            assert!(last.contains(r#""type":"error","fatal":true"#) && last.contains(part), "{last}");
        }
        // The next client is served as if nothing had happened, and may make mistakes of its own.
        let reset = r#"{"type":"reset","run":7,"seed":42}"#;
        for (input, part) in [
            (r#"{"type":"input","id":1,"gate":"inX","args":{"p":11}}"#, "`p` is 11, but must be Int in 1..10"),
            (r#"{"type":"input","id":1,"gate":"inY","args":{"p":1}}"#, "did you mean `inX`?"),
            (r#"{"type":"input","id":1,"gate":"outX","args":{"p":1}}"#, "is an output of the model"),
        ] {
            let answers = talk(port, &[hello, reset, input]);
            assert_eq!(
                answers[0],
                r#"{"type":"hello","protocol":1,"name":"sioco","inputs":["inX"],"outputs":["outX"],"order":"sut"}"#
            );
            assert_eq!(answers[1], r#"{"type":"ready","run":7}"#);
            let refused = answers.iter().find(|a| a.starts_with(r#"{"type":"refused","id":1,"run":7"#));
            assert!(refused.is_some_and(|refused| refused.contains(part)), "{answers:?}");
        }
    });
    assert_eq!(told.len(), 18);
}

/// Gives outputs for ever.
struct Ticker;

impl System for Ticker {
    fn reset(&mut self) {}
    fn input(&mut self, _: &str, _: Args<'_>) {}
    fn output(&mut self) -> Option<Output> {
        Some(Output::new("outX", 1))
    }
}

#[test]
fn outputs_without_end_leave_room_for_inputs_and_for_the_end() {
    let model = model(MODEL);
    let told = serve(&model, &mut InProcess::new(&model, || Ticker), |port| {
        let mut client = client(&model, port, ConnectionOptions::default());
        client.reset(RunNumber(1), 7).unwrap();
        client.send(1, &at(&model, "inX", 6)).unwrap();
        let mut outputs = 0;
        loop {
            match client.poll(LONG) {
                Ok(Polled::Event(SutEvent::Accepted { id: 1 })) => break,
                Ok(Polled::Event(SutEvent::Observed(Observation::Output(_)))) => outputs += 1,
                other => panic!("{other:?}"),
            }
            assert!(outputs < 1_000_000, "the input is never taken");
        }
        client.reset(RunNumber(2), 7).unwrap();
    });
    assert_eq!(told[0], "connected");
}

/// Panics, closes, and reads a wrong argument, by order.
struct Moody(Option<Output>);

impl System for Moody {
    fn reset(&mut self) {
        self.0 = None;
    }
    fn input(&mut self, _: &str, args: Args<'_>) {
        match args.get("p") {
            1 => panic!("one is too few"),
            2 => self.0 = Some(Output::closed()),
            4 => assert!(args.get::<bool>("q")),
            _ => self.0 = Some(Output::new("outX", "many")),
        }
    }
    fn output(&mut self) -> Option<Output> {
        self.0.take()
    }
}

#[test]
fn faults_ends_and_misfits_get_through() {
    let model = model(MODEL);
    serve(&model, &mut InProcess::new(&model, || Moody(None)), |port| {
        let mut client = client(&model, port, ConnectionOptions::default());
        let mut result = |run: u64, p: i64| {
            client.reset(RunNumber(run), 7).unwrap();
            client.send(1, &at(&model, "inX", p)).unwrap();
            loop {
                match client.poll(LONG) {
                    Ok(Polled::Event(SutEvent::Accepted { .. } | SutEvent::Observed(Observation::Delta))) => {}
                    other => return other,
                }
            }
        };
        let Ok(Polled::Event(SutEvent::Observed(Observation::Crashed(crash)))) = result(1, 1) else {
            panic!("no crash")
        };
        assert_eq!(crash.message, "one is too few");
        assert!(crash.place.is_some_and(|place| place.contains("tests/server.rs:")));
        let fault = result(2, 4).unwrap_err();
        assert!(fault.kind == FaultKind::Reported && fault.again, "{fault}");
        assert!(fault.message.contains("broke down at the input ?inX(4): `inX` has no parameter `q` (at "), "{fault}");
        assert_eq!(result(3, 2), Ok(Polled::Event(SutEvent::Observed(Observation::Closed))));
        let malformed = result(4, 3);
        assert!(
            matches!(&malformed, Ok(Polled::Event(SutEvent::Observed(Observation::Malformed { raw, .. }))) if raw.contains("many")),
            "{malformed:?}"
        );
    });
}

/// A played model may crash.
#[test]
fn a_crash_of_a_played_model_gets_through() {
    let text = "input inX(p: Int in 1..10)\noutput outX(p: Int)\noutput crashed\nprocess P { init a { ?inX(p) -> b }\nstate b { !crashed -> c }\nstate c { !outX(1) -> a } }";
    let model = model(text);
    serve(&model, &mut Player::new(&model), |port| {
        let mut client = client(&model, port, ConnectionOptions::default());
        for run in 1..3 {
            client.reset(RunNumber(run), 7).unwrap();
            client.send(1, &at(&model, "inX", 6)).unwrap();
            let seen = loop {
                match client.poll(LONG) {
                    Ok(Polled::Event(SutEvent::Accepted { .. } | SutEvent::Observed(Observation::Delta))) => {}
                    other => break other,
                }
            };
            assert!(matches!(&seen, Ok(Polled::Event(SutEvent::Observed(Observation::Crashed(_))))), "{seen:?}");
        }
    });
}

#[test]
fn a_connection_that_breaks_is_opened_again_at_the_next_reset() {
    let model = model(MODEL);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    // Each connection is closed after the first input.
    let server = std::thread::spawn(move || {
        for _ in 0..3 {
            let (stream, _) = listener.accept().unwrap();
            let mut answers = stream.try_clone().unwrap();
            for line in BufReader::new(stream).lines() {
                let line = line.unwrap();
                let answer = match line {
                    line if line.contains("hello") => r#"{"type":"hello"}"#.to_owned(),
                    line if line.contains("reset") => line.replace("reset", "ready"),
                    _ => break,
                };
                writeln!(answers, "{answer}").unwrap();
            }
        }
    });
    let mut client = client(&model, port, ConnectionOptions::default());
    for run in 1..4 {
        client.reset(RunNumber(run), 7).unwrap();
        assert_eq!(client.order(), Order::Sent);
        client.send(1, &at(&model, "inX", 6)).unwrap();
        let fault = client.poll(LONG).unwrap_err();
        assert_eq!((fault.kind, fault.again), (FaultKind::Died, true), "{fault}");
        assert!(fault.message.contains("closed the connection in the middle of a run"), "{fault}");
    }
    server.join().unwrap();
}

#[test]
fn a_server_that_cannot_reset_is_told_so() {
    let model = model(MODEL);
    for (hello, part) in [(r#"{"type":"hello","reset":false}"#, "cannot reset"), (r#"{"type":"hello"}"#, "refuses")] {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let server = std::thread::spawn(move || {
            let (stream, _) = listener.accept().unwrap();
            let mut answers = stream.try_clone().unwrap();
            writeln!(answers, "{hello}").unwrap();
            for line in BufReader::new(stream).lines().map_while(Result::ok) {
                if line.contains("reset") {
                    writeln!(answers, r#"{{"type":"refused","message":"never"}}"#).unwrap();
                }
            }
        });
        let fault = client(&model, port, ConnectionOptions::default()).reset(RunNumber(1), 7).unwrap_err();
        assert_eq!((fault.kind, fault.again), (FaultKind::Reset, false), "{fault}");
        assert!(fault.message.contains(part), "{fault}");
        server.join().unwrap();
    }
}
