//! Adapters over WebSocket: whole campaigns, and everything that servers may do wrong.

// Lints know tests by their attribute, which helpers do not have.
#![allow(clippy::unwrap_used)]

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use sioco_adapter::client::{Client, ConnectionOptions};
use sioco_adapter::lines::{Interrupt, Line, Next, WriteError, later};
use sioco_adapter::server::{Serving, listen};
use sioco_adapter::tcp::Tcp;
use sioco_adapter::transport::{Connection, Connector};
use sioco_adapter::ws::Ws;
use sioco_exec::settings::Walks;
use sioco_exec::{Clock, Driver, Fault, FaultKind, Player, RunNumber, Settings, Summary, Sut, Verdict, drive};
use sioco_model::Model;
use sioco_plan::Cover;
use sioco_solve::BackEnd;
use sioco_solve::values::Bounds;
use tungstenite::protocol::CloseFrame;
use tungstenite::protocol::frame::coding::CloseCode;
use tungstenite::{Message, WebSocket};

/// The server of the document.
#[path = "../examples/websocket.rs"]
#[allow(dead_code)]
mod example;

const LONG: Duration = Duration::from_secs(20);

fn model(name: &str) -> Model {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("../../examples/{name}.sts"));
    let options = sioco_lang::check::CheckOptions::default();
    sioco_lang::check::check_file(&path, &sioco_lang::source::FsLoader, &options).model.expect(name).model
}

struct Wall(Instant);

impl Clock for Wall {
    fn now(&mut self) -> Duration {
        self.0.elapsed()
    }
}

fn campaign(model: &Model, port: u16, settings: Settings) -> Summary {
    let builtin = || -> Box<dyn Bounds> { Box::new(BackEnd::BuiltIn.chain()) };
    let options =
        sioco_plan::PlanOptions { steering: false, ..sioco_plan::PlanOptions::new(Cover::parse("switch").unwrap()) };
    let plan = sioco_plan::plan(model, &builtin, &options, &mut |_| {}).unwrap();
    let ws = Box::new(Ws::new("127.0.0.1", port, "/sut"));
    let mut client = Client::new(model, ws, ConnectionOptions::default(), Interrupt::default());
    let mut tester = Driver::new(model, &builtin, &plan, settings);
    drive(&mut tester, &mut client, &mut Wall(Instant::now()), &mut |_| {})
}

/// A campaign against a played model at the other end.
fn played(model: &Model, played: &Model, settings: Settings) -> Summary {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let interrupt = &Interrupt::default();
    thread::scope(|scope| {
        let tester = scope.spawn(move || {
            let tested = std::panic::catch_unwind(|| campaign(model, port, settings));
            interrupt.end_at(Some(Instant::now()));
            tested
        });
        let serving = Serving { web_socket: true, ..Serving::default() };
        listen(&listener, played, &mut Player::new(played), &serving, interrupt, &mut |_| {}).unwrap();
        tester.join().unwrap().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

#[test]
fn campaigns_pass_and_fail_as_they_should() {
    for (spec, sut, verdict) in [
        ("accumulator/accumulator", "accumulator/accumulator", Verdict::Pass),
        ("brp/brp", "brp/brp", Verdict::Pass),
        ("brp/brp", "brp/mutant-1", Verdict::Fail),
    ] {
        let settings =
            Settings { seed: 1, walks: Walks::Guided, max_steps: Some(1500), fail_fast: true, ..Settings::default() };
        let summary = played(&model(spec), &model(sut), settings);
        match verdict {
            Verdict::Fail => assert_eq!(summary.verdict, Some(Verdict::Fail), "{sut}: {summary:?}"),
            _ => assert!(summary.verdict < Some(Verdict::Error), "{sut}: {:?}", summary.bad),
        }
        assert!(verdict == Verdict::Fail || summary.steps >= 1400, "{sut}: {} steps", summary.steps);
    }
}

/// The document has this very server, and it can be tested.
#[test]
fn the_server_of_the_document_conforms() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let text = |path: &str| std::fs::read_to_string(root.join(path)).unwrap().replace("\r\n", "\n");
    let page = text("../../docs/adapters.md");
    let block = page.split("```rust,no_run\n").nth(1).and_then(|rest| rest.split("```").next()).expect("a block");
    assert_eq!(block, text("examples/websocket.rs"));
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    // It serves without end, and ends with the tests.
    thread::spawn(move || example::serve(listener));
    let settings = Settings { seed: 7, walks: Walks::Guided, max_steps: Some(300), ..Settings::default() };
    let summary = campaign(&model("accumulator/accumulator"), port, settings);
    assert!(summary.verdict < Some(Verdict::Error), "{:?}", summary.bad);
    assert!(summary.steps >= 250, "{} steps", summary.steps);
}

/// A server for one connection, and where it is.
fn server<T: Send + 'static>(serve: impl FnOnce(TcpStream) -> T + Send + 'static) -> (Ws, JoinHandle<T>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let ws = Ws::new("127.0.0.1", listener.local_addr().unwrap().port(), "/sut");
    (ws, thread::spawn(move || serve(listener.accept().unwrap().0)))
}

/// The same for one that speaks WebSocket.
fn web_server<T: Send + 'static>(
    serve: impl FnOnce(WebSocket<TcpStream>) -> T + Send + 'static,
) -> (Ws, JoinHandle<T>) {
    server(|stream| serve(tungstenite::accept(stream).unwrap()))
}

fn open(ws: &mut Ws) -> Box<dyn Connection> {
    ws.open(&Interrupt::default()).unwrap().unwrap()
}

fn next(connection: &dyn Connection) -> Next {
    connection.lines().next(later(LONG), &Interrupt::default())
}

fn text(line: &str) -> Next {
    Next::Line(Line::Text(line.into()))
}

/// Why there is no connection.
fn refused(ws: &mut Ws) -> Fault {
    ws.open(&Interrupt::default()).err().expect("a fault")
}

#[test]
fn frames_are_lines_and_lines_are_frames() {
    let (mut ws, server) = web_server(|mut socket| {
        socket.send(Message::text("{\"a\":1}")).unwrap();
        socket.send(Message::text("{\"b\":1}\n{\"c\":1}\r\n\nstarting up\n{\"d\":1}\n")).unwrap();
        socket.send(Message::binary(&b"{\"e\":1}"[..])).unwrap();
        let got = [socket.read().unwrap(), socket.read().unwrap()];
        socket.close(None).unwrap();
        let end = socket.read().unwrap();
        (got, end)
    });
    let mut connection = open(&mut ws);
    for line in ["{\"a\":1}", "{\"b\":1}", "{\"c\":1}", "{\"d\":1}", "{\"e\":1}"] {
        assert_eq!(next(&*connection), text(line));
    }
    assert_eq!(connection.lines().logs(), ["starting up"]);
    for line in ["{\"x\":1}", "{\"y\":\"ü\"}"] {
        connection.writer().send(line.into(), LONG, &Interrupt::default(), &mut || {}).unwrap();
    }
    // The close frame is the end, and is answered.
    assert_eq!(next(&*connection), Next::Line(Line::End(None)));
    assert_eq!(connection.epitaph(), "closed the connection");
    let (got, end) = server.join().unwrap();
    assert_eq!(got, [Message::text("{\"x\":1}"), Message::text("{\"y\":\"ü\"}")]);
    assert_eq!(end, Message::Close(None));
}

#[test]
fn pings_are_answered() {
    let (mut ws, server) = web_server(|mut socket| {
        for i in 0..100_u8 {
            socket.send(Message::Ping(vec![i].into())).unwrap();
            assert_eq!(socket.read().unwrap(), Message::Pong(vec![i].into()));
        }
        socket.send(Message::Pong("unasked".into())).unwrap();
        socket.send(Message::text("{}")).unwrap();
        socket.read().unwrap()
    });
    let mut connection = open(&mut ws);
    assert_eq!(next(&*connection), text("{}"));
    connection.close(LONG);
    assert_eq!(server.join().unwrap(), Message::Close(None));
}

/// Nobody who sends waits for a reader that is slow, and everything comes in order.
#[test]
fn a_slow_reader_gets_everything() {
    let lines: Vec<String> = (0..40).map(|i| format!("\"{}\"", i.to_string().repeat(1 << (i % 17)))).collect();
    let (send, receive) = std::sync::mpsc::channel();
    let (mut ws, server) = web_server(move |mut socket| {
        // Nothing is read before somebody has to wait.
        receive.recv_timeout(LONG).unwrap();
        let mut got = Vec::new();
        while let Ok(frame) = socket.read() {
            if let Message::Text(text) = frame {
                got.push(text.to_string());
            }
        }
        got
    });
    let mut connection = open(&mut ws);
    let writer = connection.writer();
    let begun = Instant::now();
    let mut sent = 0;
    // First as much as nobody reads; then the rest.
    loop {
        let line = lines[sent % lines.len()].clone();
        match writer.send(line, Duration::from_millis(20), &Interrupt::default(), &mut || {}) {
            Ok(()) => sent += 1,
            Err(error) => {
                assert_eq!(error, WriteError::Stuck);
                break;
            }
        }
        assert!(begun.elapsed() < LONG, "nobody had to wait");
    }
    send.send(()).unwrap();
    for line in &lines {
        let meanwhile = &mut || {};
        while writer.send(line.clone(), LONG, &Interrupt::default(), meanwhile) == Err(WriteError::Stuck) {
            assert!(begun.elapsed() < LONG, "the reader reads, and nothing is written");
        }
    }
    connection.close(LONG);
    let all: Vec<String> = (0..sent).map(|i| lines[i % lines.len()].clone()).chain(lines.clone()).collect();
    let got = server.join().unwrap();
    assert_eq!(got.len(), all.len());
    assert!(got == all, "the order is another one");
}

#[test]
fn a_server_that_dies_is_a_fault() {
    let model = model("accumulator/accumulator");
    let dies = |end: fn(WebSocket<TcpStream>)| {
        let (ws, server) = web_server(move |mut socket| {
            for answer in [r#"{"type":"hello","protocol":1}"#, r#"{"type":"ready"}"#] {
                socket.read().unwrap();
                socket.send(Message::text(answer)).unwrap();
            }
            end(socket);
        });
        let options = ConnectionOptions { hello: LONG, reset: LONG, ..ConnectionOptions::default() };
        let mut client = Client::new(&model, Box::new(ws), options, Interrupt::default());
        client.reset(RunNumber(1), 1).unwrap();
        let fault = client.poll(LONG).unwrap_err();
        server.join().unwrap();
        assert_eq!(fault.kind, FaultKind::Died, "{fault}");
        fault.message
    };
    let message = dies(drop);
    assert!(message.contains("closed the connection, without a WebSocket close frame, in the middle"), "{message}");
    let message = dies(|mut socket| {
        let frame = CloseFrame { code: CloseCode::Error, reason: "out of memory".into() };
        socket.close(Some(frame)).unwrap();
        while socket.read().is_ok() {}
    });
    assert!(message.contains("(WebSocket close code 1011: `out of memory`)"), "{message}");
    // In the middle of a frame: its header promises more.
    let message = dies(|mut socket| socket.get_mut().write_all(&[0x81, 50, b'{']).unwrap());
    assert!(message.contains("without a WebSocket close frame"), "{message}");
}

#[test]
fn frames_have_a_limit() {
    let sends = |bytes: Vec<u8>| {
        let (mut ws, server) = web_server(move |mut socket| {
            // The client may be gone before all of it is sent.
            let _ = socket.get_mut().write_all(&bytes);
            let _ = socket.read();
        });
        let connection = open(&mut ws);
        let found = next(&*connection);
        drop(connection);
        server.join().unwrap();
        found
    };
    let frame = |opcode: u8, payload: Vec<u8>| {
        let length = (payload.len() as u64).to_be_bytes();
        [&[opcode, 127][..], &length, &payload].concat()
    };
    let quoted = |n: usize| [b"\"", &vec![b'x'; n - 2][..], b"\""].concat();
    let bad = |found: &Next| match found {
        Next::Line(Line::Bad(why)) => why.clone(),
        other => panic!("{other:?}"),
    };
    // The longest line, and one that is longer.
    assert_eq!(sends(frame(0x81, quoted(1 << 20))), text(std::str::from_utf8(&quoted(1 << 20)).unwrap()));
    assert!(bad(&sends(frame(0x81, quoted((1 << 20) + 1)))).contains("a line of more than 1 MiB, which begins with"));
    let why = bad(&sends(frame(0x81, quoted(2 << 20))));
    assert_eq!(why, "a WebSocket message of 2097152 bytes; the limit is 1 MiB");
    // A header alone may promise as much as it likes.
    let why = bad(&sends([&[0x82, 127][..], &u64::MAX.to_be_bytes()].concat()));
    assert!(why.ends_with("the limit is 1 MiB"), "{why}");
    // In pieces, none of them too long.
    let pieces = (0..40).flat_map(|i| frame(u8::from(i == 0), vec![b'1'; 60_000])).collect();
    assert!(bad(&sends(pieces)).ends_with("the limit is 1 MiB"));
    // Other things that are no frames.
    assert_eq!(bad(&sends(frame(0x81, vec![b'{', 0xff]))), "a text frame that is not UTF-8");
    assert!(bad(&sends(frame(0x82, vec![b'{', 0xff]))).contains("a line that is not UTF-8"));
    assert!(bad(&sends(b"no frames\n".to_vec())).contains("breaks the rules of WebSocket"));
}

/// A message in pieces that has no end holds up nobody for longer than they want.
#[test]
fn an_endless_message_does_not_hang() {
    let (mut ws, server) = web_server(|mut socket| {
        socket.get_mut().write_all(&[0x01, 0]).unwrap();
        let pieces = [0x00, 0].repeat(10_000);
        while socket.get_mut().write_all(&pieces).is_ok() {}
    });
    let connection = open(&mut ws);
    let begun = Instant::now();
    let found = connection.lines().next(later(Duration::from_millis(200)), &Interrupt::default());
    assert_eq!(found, Next::Nothing);
    assert!(begun.elapsed() < LONG);
    drop(connection);
    server.join().unwrap();
}

/// Half a message is no silence, and known to be one: in the middle of a frame, and between frames.
#[test]
fn half_a_message_is_known_to_be_one() {
    let (send, receive) = std::sync::mpsc::channel::<()>();
    let (mut ws, server) = web_server(move |mut socket| {
        for part in [&[0x81][..], &[0x02, b'['], b"]", &[0x01, 0x01, b'['], &[0x80, 0x01, b']']] {
            socket.get_mut().write_all(part).unwrap();
            receive.recv_timeout(LONG).unwrap();
        }
    });
    let connection = open(&mut ws);
    let lines = connection.lines();
    let begun = Instant::now();
    for whole in [false, false, true, false, true] {
        if whole {
            assert_eq!(next(&*connection), text("[]"));
            assert!(!lines.is_half());
        } else {
            while !lines.is_half() {
                let found = lines.next(later(Duration::from_millis(5)), &Interrupt::default());
                assert!(found == Next::Nothing && begun.elapsed() < LONG, "{found:?}");
            }
        }
        send.send(()).unwrap();
    }
    server.join().unwrap();
}

#[test]
fn servers_that_speak_something_else_are_told() {
    for (answer, parts) in [
        (
            &b"220 mail.example.org ready\r\n"[..],
            &["not a WebSocket server (this is not HTTP)", "`220 mail.example.org ready`"][..],
        ),
        (
            b"HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\nnope",
            &["`HTTP/1.1 404 Not Found", "nope`; is the path `/sut` right?"],
        ),
        (b"HTTP/1.1 200 OK\r\n\r\n<html>", &["`HTTP/1.1 200 OK", "<html>`; does it serve WebSockets at `/sut`?"]),
        (b"HTTP/1.1 301 Moved\r\nLocation: /there\r\n\r\n", &["refuses", "it has moved to `/there`"]),
        (b"HTTP/1.1 101 Switching Protocols\r\n\r\n", &["not a WebSocket server (No \"Upgrade: websocket\" header)"]),
        (b"", &["it closed the connection instead of answering the WebSocket handshake", "`tcp://HOST:PORT`"]),
        (b"HTTP/1.1 1", &["(the connection ended): it sent `HTTP/1.1 1`"]),
    ] {
        let (mut ws, server) = server(move |mut stream| {
            let mut request = Vec::new();
            while !request.ends_with(b"\r\n\r\n") {
                let mut byte = [0];
                stream.read_exact(&mut byte).unwrap();
                request.push(byte[0]);
            }
            stream.write_all(answer).unwrap();
            String::from_utf8(request).unwrap()
        });
        let fault = refused(&mut ws);
        assert!(server.join().unwrap().starts_with("GET /sut HTTP/1.1\r\nHost: 127.0.0.1:"));
        for part in parts {
            assert!(fault.message.contains(part), "{fault}");
        }
        assert_eq!((fault.kind, fault.again), (FaultKind::Start, false));
        assert!(fault.message.starts_with(&format!("cannot connect to {}: ", ws.name())), "{fault}");
    }
}

#[test]
fn servers_that_say_nothing_or_are_not_there_are_told() {
    let short = Duration::from_millis(60);
    for (greeting, part) in
        [(&b""[..], "did not answer the WebSocket"), (b"HTTP/1.1 ", "and sent `HTTP/1.1`; for lines")]
    {
        let (ws, server) = server(move |mut stream| {
            stream.write_all(greeting).unwrap();
            // Until the client gives up.
            let _ = stream.read_to_end(&mut Vec::new());
        });
        let mut ws = Ws { tcp: Tcp { patience: short, ..ws.tcp }, ..ws };
        let fault = refused(&mut ws);
        assert!(fault.message.contains(part) && fault.message.contains("within 0.06 s"), "{fault}");
        server.join().unwrap();
    }
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    let mut ws = Ws { tcp: Tcp { patience: short, ..Tcp::new("127.0.0.1", port) }, path: String::new() };
    let fault = refused(&mut ws);
    assert!(fault.message.contains("does the server run, and is the port right?"), "{fault}");
}

#[test]
fn a_handshake_can_be_interrupted() {
    let interrupt = Interrupt::default();
    let from = interrupt.clone();
    let (ws, server) = server(move |mut stream| {
        let mut request = [0; 16];
        stream.read_exact(&mut request).unwrap();
        from.end_at(Some(Instant::now()));
        stream.read_to_end(&mut Vec::new()).unwrap();
    });
    let mut ws = Ws { tcp: Tcp { patience: 100 * LONG, ..ws.tcp }, ..ws };
    assert!(matches!(ws.open(&interrupt), Ok(None)));
    server.join().unwrap();
}

/// The server's side of it, with clients that are none.
#[test]
fn clients_that_speak_something_else_are_told() {
    let model = model("accumulator/accumulator");
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let interrupt = &Interrupt::default();
    let mut said = Vec::new();
    thread::scope(|scope| {
        let clients = scope.spawn(move || {
            let mut client = TcpStream::connect(("127.0.0.1", port)).unwrap();
            client.write_all(b"{\"type\":\"hello\",\"protocol\":1}\n").unwrap();
            let told = client.read_to_end(&mut Vec::new());
            let mut ws = Ws::new("127.0.0.1", port, "");
            let connection = ws.open(&Interrupt::default()).unwrap().unwrap();
            let hello = "{\"type\":\"hello\",\"protocol\":1}".into();
            connection.writer().send(hello, LONG, &Interrupt::default(), &mut || {}).unwrap();
            let answer = next(&*connection);
            interrupt.end_at(Some(Instant::now()));
            (told, answer)
        });
        let serving = Serving { web_socket: true, ..Serving::default() };
        let tell = &mut |text: &str| said.push(text.to_owned());
        listen(&listener, &model, &mut Player::new(&model), &serving, interrupt, tell).unwrap();
        let (_, answer) = clients.join().unwrap();
        assert!(matches!(&answer, Next::Line(Line::Text(text)) if text.contains("\"hello\"")), "{answer:?}");
    });
    assert!(said[0].contains("no WebSocket handshake (this is not HTTP): it sent `{\"type\":\"hello\""), "{said:?}");
}
