//! Systems that speak HTTP: whole campaigns against a small server, and everything that one may do wrong. Each gets the
//! verdict or the error that the rules give it (T-V3, T-E1 to T-E4).

// Lints know tests by their attribute, which helpers do not have.
#![allow(clippy::unwrap_used)]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use sioco_adapter::config::{Config, Exchange, Request};
use sioco_adapter::http::{Http, HttpOptions};
use sioco_adapter::lines::Interrupt;
use sioco_adapter::text::Dialect;
use sioco_exec::settings::Walks;
use sioco_exec::verdict::{Cause, Failure, Trouble};
use sioco_exec::{
    Clock, Driver, Fault, FaultKind, GateValue, Observation, Polled, RunNumber, Settings, Summary, Sut, SutEvent,
    Verdict, drive,
};
use sioco_model::{Model, Value};
use sioco_plan::Cover;
use sioco_solve::BackEnd;
use sioco_solve::values::Bounds;

/// A time-out that is not meant to run out, on however busy a machine.
const LONG: Duration = Duration::from_secs(20);
/// A time-out that is meant to run out.
const SHORT: Duration = Duration::from_millis(100);

/// A place for one number.
const MODEL: &str = "
type Why = Missing | Odd
input put(n: Int in 1..6)
input get
output created
output value(n: Int)
output no(code: Int, why: Why)
process Store {
  var x: Int = 0
  init idle {
    ?put(n) [n mod 2 == 0] / x := n -> stored
    ?put(n) [n mod 2 == 1] -> odd
    ?get [x > 0] -> full
    ?get [x == 0] -> empty
  }
  state stored { !created -> idle }
  state odd { !no(400, Odd) -> idle }
  state full { !value(x) -> idle }
  state empty { !no(404, Missing) -> idle }
}";

const DIALECT: &str = r#"
[dialect.d]
words = { Missing = "not found" }
[dialect.d.inputs]
put = { method = "PUT", path = "/number", headers = { Content-Type = "application/json" }, body = '{{"n": {n}}}' }
get = { method = "get", path = "/number" }
[dialect.d.outputs]
created = { status = 201 }
value = { status = 200, after = ["get"], json = { n = "/store/0/n" } }
no = [
  { status = "{code}", json = { why = "/error" } },
  { status = "{code}", regex = 'an? (?<why>[A-Z][a-z]+) number' },
]
"#;

fn model(text: &str) -> Model {
    let checked = sioco_lang::check_text("m.sts", text);
    checked.model.unwrap_or_else(|| panic!("{:?}", checked.diagnostics)).model
}

fn client<'m>(model: &'m Model, dialect: &str, port: u16, options: HttpOptions) -> Http<'m> {
    let config: Config = dialect.parse().unwrap_or_else(|why| panic!("{why}"));
    let dialect = Dialect { name: "d".into(), config: config.dialect["d"].clone() };
    let address = format!("127.0.0.1:{port}");
    let http = Http::new(model, &dialect, None, &address, options, Interrupt::default());
    http.unwrap_or_else(|why| panic!("{why:?}"))
}

fn long() -> HttpOptions {
    HttpOptions { patience: LONG, ..HttpOptions::default() }
}

struct Wall(Instant);

impl Clock for Wall {
    fn now(&mut self) -> Duration {
        self.0.elapsed()
    }
}

/// A campaign that ends with the first run that fails.
fn campaign(model: &Model, sut: &mut dyn Sut) -> Summary {
    let builtin = || -> Box<dyn Bounds> { Box::new(BackEnd::BuiltIn.chain()) };
    let options = sioco_plan::PlanOptions { steering: false, ..sioco_plan::PlanOptions::new(Cover::Switch) };
    let plan = sioco_plan::plan(model, &builtin, &options, &mut |_| {}).unwrap();
    let settings = Settings {
        seed: 1,
        walks: Walks::Guided,
        max_steps: Some(60),
        fail_fast: true,
        quiescence: 2 * SHORT,
        patience: LONG,
        ..Settings::default()
    };
    let mut tester = Driver::new(model, &builtin, &plan, settings);
    drive(&mut tester, sut, &mut Wall(Instant::now()), &mut |_| {})
}

/// What the failure or the fault of a campaign is.
fn outcome(summary: &Summary) -> String {
    match summary.bad.iter().find(|bad| Some(bad.verdict) == summary.verdict).map(|bad| &bad.cause) {
        Some(Cause::Failure(Failure::Malformed { why, raw, .. })) => format!("malformed: {why} [{raw}]"),
        Some(Cause::Failure(failure)) => failure.name().into(),
        Some(Cause::Trouble(Trouble::Fault { kind, message, .. })) => format!("{}: {message}", kind.name()),
        other => format!("{:?} {other:?}", summary.verdict),
    }
}

/// A request as the server got it.
#[derive(Clone, Debug, Default)]
struct Got {
    /// The method, the path and the version.
    line: String,
    headers: Vec<String>,
    body: String,
}

/// A server, for as long as something is done with it. Whatever it answers is sent as it is, and the connection closed.
fn with_server<T>(answer: impl Fn(&Got) -> Vec<u8> + Sync, work: impl FnOnce(u16) -> T) -> T {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            loop {
                let (stream, _) = listener.accept().unwrap();
                if over.load(Ordering::SeqCst) {
                    return;
                }
                let _ = converse(stream, &answer);
            }
        });
        let found = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| work(port)));
        over.store(true, Ordering::SeqCst);
        drop(TcpStream::connect(("127.0.0.1", port)).unwrap());
        found.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

fn converse(mut stream: TcpStream, answer: &impl Fn(&Got) -> Vec<u8>) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut got = Got::default();
    reader.read_line(&mut got.line)?;
    got.line.truncate(got.line.trim_end().len());
    loop {
        let mut header = String::new();
        reader.read_line(&mut header)?;
        match header.trim_end() {
            "" => break,
            text => got.headers.push(text.to_ascii_lowercase()),
        }
    }
    let length = got.headers.iter().find_map(|h| h.strip_prefix("content-length: ")?.parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body)?;
    got.body = String::from_utf8(body).expect("bodies are texts");
    stream.write_all(&answer(&got))
}

fn response(status: u16, headers: &str, body: &str) -> Vec<u8> {
    format!("HTTP/1.1 {status} Whatever\r\nContent-Length: {}\r\n{headers}\r\n{body}", body.len()).into_bytes()
}

/// The store as it should be. It is emptied by a request of its own.
fn store(number: &Mutex<i64>, got: &Got) -> Vec<u8> {
    let mut number = number.lock().unwrap();
    match &got.line[..] {
        "PUT /number HTTP/1.1" => {
            assert!(got.headers.contains(&"content-type: application/json".into()), "{got:?}");
            let n = got.body.strip_prefix("{\"n\": ").and_then(|rest| rest.strip_suffix('}')).expect("the body");
            match n.parse::<i64>().unwrap() {
                n if n % 2 == 1 => response(400, "", "that is an Odd number"),
                n => {
                    *number = n;
                    response(201, "", "")
                }
            }
        }
        "GET /number HTTP/1.1" if *number == 0 => response(404, "", "{\"error\": \"not found\"}"),
        "GET /number HTTP/1.1" => response(200, "", &format!("{{\"store\": [{{\"n\": {number}}}]}}")),
        "DELETE /number HTTP/1.1" => {
            *number = 0;
            response(204, "", "")
        }
        other => panic!("{other}"),
    }
}

fn emptied(status: u16) -> HttpOptions {
    let request = Request { method: "DELETE".into(), path: "/number".into(), ..Request::default() };
    let before = vec![Exchange { request: Some(request), status: Some(status), ..Exchange::default() }];
    HttpOptions { before, ..long() }
}

#[test]
fn a_server_passes() {
    let model = model(MODEL);
    let number = Mutex::new(7);
    with_server(
        |got| store(&number, got),
        |port| {
            let summary = campaign(&model, &mut client(&model, DIALECT, port, emptied(204)));
            assert_eq!(summary.verdict, Some(Verdict::Pass), "{}\n{summary:?}", outcome(&summary));
            assert!(summary.switches.iter().all(|(surely, _)| *surely), "{:?}", summary.switches);
        },
    );
}

/// What a campaign comes to against a server that answers the question for the number like this.
fn getting(answer: Vec<u8>) -> String {
    let model = model(MODEL);
    let number = Mutex::new(0);
    let answer = |got: &Got| if got.line.starts_with("GET") { answer.clone() } else { store(&number, got) };
    with_server(answer, |port| outcome(&campaign(&model, &mut client(&model, DIALECT, port, emptied(204)))))
}

#[test]
fn wrong_responses_fail() {
    assert_eq!(getting(response(404, "", "an Odd number")), "unexpected output");
    let fits_nothing = getting(response(500, "", "oh\nno"));
    assert!(fits_nothing.starts_with("malformed: the response fits no template; these were tried: `created` (status 201), `value` (status 200), `no` (status \"{code}\"), "), "{fits_nothing}");
    assert!(fits_nothing.ends_with("[500 `oh no`]"), "{fits_nothing}");
    let no_json = getting(response(200, "", "{\"store\": [{}]}"));
    assert!(no_json.starts_with("malformed: the response fits no template"), "{no_json}");
    let misfit = getting(response(200, "", "{\"store\": [{\"n\": true}]}"));
    assert_eq!(misfit, "malformed: `n` is `true`, but must be Int [200 `{\"store\": [{\"n\": true}]}`]");
    let word = getting(response(404, "", "{\"error\": \"gone\"}"));
    assert!(word.starts_with("malformed: `why` is `\"gone\"`, but must be Why"), "{word}");
    // Other servers are not asked on its behalf.
    let elsewhere = getting(response(302, "Location: /elsewhere\r\n", "{\"error\": \"Missing\"}"));
    assert_eq!(elsewhere, "unexpected output");
}

#[test]
fn a_response_may_go_to_a_gate_that_takes_the_rest() {
    let text = MODEL.replace("output created", "output created\noutput other(text: String)");
    let text = text.replace("?get [x > 0] -> full", "?get [x > 0] -> full\n !other(\"never\") -> idle");
    let model = model(&text);
    let dialect = DIALECT.replace("words =", "other = \"other\"\nwords =");
    with_server(
        |_| response(500, "", "oh\nno"),
        |port| assert_eq!(seen(&model, &dialect, port, "get", &[], long()), "!other(\"500 oh\\nno\")"),
    );
}

#[test]
fn a_connection_that_ends_without_a_response_is_a_crash() {
    assert_eq!(getting(Vec::new()), "crashed");
    assert_eq!(getting(b"HTTP/1.1 200 OK\r\nContent-Le".to_vec()), "crashed");
    assert_eq!(getting(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"store\"".to_vec()), "crashed");
}

/// Something else than HTTP is nothing that could be held against a model.
#[test]
fn what_is_odd_about_responses_is_told() {
    let model = model(MODEL);
    let chunked =
        b"HTTP/1.1 201 Created\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n".to_vec();
    let twice = [response(201, "", "ok"), response(500, "", "")].concat();
    for (answer, expected) in [
        (response(201, "", "ok"), None),
        (chunked, Some("a response had both `Content-Length` and `Transfer-Encoding`, first after `PUT /number`")),
        (twice, Some("the server sent extra data after a response, perhaps a second response")),
    ] {
        let remarks = with_server(
            |_| answer.clone(),
            |port| {
                let mut sut = client(&model, DIALECT, port, long());
                sut.reset(RunNumber(1), 0).unwrap();
                for id in 1..=2 {
                    sut.send(id, &value(&model, "put", &[Value::Int(2)])).unwrap();
                    assert_eq!(sut.poll(LONG), Ok(Polled::Event(SutEvent::Accepted { id })));
                    let seen = Observation::Output(value(&model, "created", &[]));
                    assert_eq!(sut.poll(LONG), Ok(Polled::Event(SutEvent::Observed(seen))));
                }
                sut.remarks()
            },
        );
        match expected {
            None => assert_eq!(remarks, Vec::<String>::new()),
            Some(part) => assert!(
                matches!(&remarks[..], [one] if one.starts_with("2 times, ") && one.contains(part)),
                "{remarks:?}"
            ),
        }
    }
}

#[test]
fn what_is_no_response_is_a_fault() {
    let found = getting(b"220 mail.example.org\r\n\r\n".to_vec());
    assert!(found.starts_with("protocol: the system `http://127.0.0.1:"), "{found}");
    let long = getting(response(200, "", &"x".repeat(2 << 20)));
    assert!(long.starts_with("protocol: ") && long.contains("too long"), "{long}");
}

/// How deep JSON can be read is no matter of the system.
#[test]
fn json_that_is_nested_too_deeply_is_a_fault() {
    let nested =
        |depth: usize| format!("{{\"store\": [{{\"n\": true}}], \"a\": {}{}}}", "[".repeat(depth), "]".repeat(depth));
    let found = getting(response(200, "", &nested(100)));
    assert!(found.starts_with("malformed: `n` is `true`"), "{found}");
    for depth in [200, 100_000] {
        let found = getting(response(200, "", &nested(depth)));
        assert!(found.starts_with("protocol: ") && found.contains("nested too deeply to be read"), "{found}");
        // Who does not look into it does not care.
        assert_eq!(getting(response(201, "", &nested(depth))), "unexpected output");
    }
}

/// How long the rest of a response is held back.
const HELD: Duration = Duration::from_millis(600);

/// What is seen of a server that sends a part of a response, and the rest only later, if at all.
fn in_parts(first: &'static str, rest: &'static str, patience: Duration) -> String {
    let model = model(MODEL);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let (go, wait) = channel::<()>();
    std::thread::scope(|scope| {
        let (told, begun) = channel();
        scope.spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let _ = stream.read(&mut [0; 4096]);
            stream.write_all(first.as_bytes()).unwrap();
            told.send(()).unwrap();
            let _ = wait.recv_timeout(HELD);
            let _ = stream.write_all(rest.as_bytes());
            let _ = wait.recv_timeout(LONG);
        });
        let mut sut = client(&model, DIALECT, port, HttpOptions { patience, ..long() });
        sut.reset(RunNumber(1), 1).unwrap();
        sut.send(1, &value(&model, "get", &[])).unwrap();
        assert_eq!(shown(&model, &sut.poll(LONG)), "accepted");
        begun.recv_timeout(LONG).unwrap();
        // Its first byte has to be read, which may take a moment on a busy machine; but then it is waited for.
        let mut silences = 0;
        let seen = loop {
            let seen = shown(&model, &sut.poll(SHORT));
            if seen != "Ok(Nothing)" || silences > 100 {
                break seen;
            }
            silences += 1;
        };
        // Nobody who does not wait for it sees less than five.
        assert!(silences <= 2, "{first}: {silences} silences");
        drop(go);
        seen
    })
}

#[test]
fn a_response_that_is_arriving_is_no_silence() {
    let body = "{\"store\": [{\"n\": 4}]}";
    assert_eq!(body.len(), 21);
    for (first, rest) in [
        ("HTTP/1.1 200 OK\r\nConte", "nt-Length: 21\r\n\r\n{\"store\": [{\"n\": 4}]}"),
        ("HTTP/1.1 200 OK\r\nContent-Length: 21\r\n\r\n", "{\"store\": [{\"n\": 4}]}"),
        ("HTTP/1.1 200 OK\r\nContent-Length: 21\r\n\r\n{\"store\": ", "[{\"n\": 4}]}"),
    ] {
        assert_eq!(in_parts(first, rest, LONG), "!value(4)", "{first}");
        let late = in_parts(first, "", HELD);
        assert!(late.contains("Timeout") && late.contains("did not end within 0.6 s"), "{first}: {late}");
    }
}

#[test]
fn a_server_that_is_not_there_is_a_fault() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let model = model(MODEL);
    let summary = campaign(&model, &mut client(&model, DIALECT, port, long()));
    assert_eq!(summary.verdict, Some(Verdict::Error), "{summary:?}");
    assert!(outcome(&summary).starts_with("start: ") && outcome(&summary).contains("refused"), "{}", outcome(&summary));
    // Before a run as well.
    let fault = client(&model, DIALECT, port, emptied(204)).reset(RunNumber(1), 1).unwrap_err();
    assert!(
        fault.message.contains("before a run, after `DELETE /number`: ") && fault.message.contains("refused"),
        "{fault}"
    );
}

#[test]
fn what_has_to_come_before_a_run_and_does_not_is_a_fault() {
    let model = model(MODEL);
    with_server(
        |_| response(403, "", "never"),
        |port| {
            let fault = client(&model, DIALECT, port, emptied(204)).reset(RunNumber(1), 1).unwrap_err();
            assert_eq!((fault.kind, fault.again), (FaultKind::Reset, false), "{fault}");
            let told = "before a run, after `DELETE /number`: expected status 204, received: 403 `never`";
            assert!(fault.message.ends_with(told), "{fault}");
            // Without a status, any will do.
            let mut options = emptied(204);
            options.before[0].status = None;
            client(&model, DIALECT, port, options).reset(RunNumber(1), 1).unwrap();
        },
    );
    let (send, receive) = channel::<()>();
    let receive = Mutex::new(receive);
    let mute = |_: &Got| {
        let _ = receive.lock().unwrap().recv_timeout(LONG);
        Vec::new()
    };
    with_server(mute, |port| {
        let options = HttpOptions { patience: SHORT, ..emptied(204) };
        let fault = client(&model, DIALECT, port, options).reset(RunNumber(1), 1).unwrap_err();
        assert!(fault.message.ends_with("no response came within 0.1 s"), "{fault}");
        send.send(()).unwrap();
    });
}

fn value(model: &Model, gate: &str, args: &[Value]) -> GateValue {
    GateValue { gate: model.gate(gate).unwrap(), args: args.to_vec() }
}

fn shown(model: &Model, polled: &Result<Polled, Fault>) -> String {
    match polled {
        Ok(Polled::Event(SutEvent::Observed(Observation::Output(output)))) => output.show(model),
        Ok(Polled::Event(SutEvent::Accepted { .. })) => "accepted".into(),
        other => format!("{other:?}"),
    }
}

/// What comes after an input.
fn seen(model: &Model, dialect: &str, port: u16, gate: &str, args: &[Value], options: HttpOptions) -> String {
    let mut sut = client(model, dialect, port, options);
    sut.reset(RunNumber(1), 1).unwrap();
    sut.send(1, &value(model, gate, args)).unwrap();
    assert_eq!(shown(model, &sut.poll(LONG)), "accepted");
    shown(model, &sut.poll(LONG))
}

/// Whether a response is too late is for the tester to say, and it says so no sooner than anybody else's.
#[test]
fn a_slow_response_is_silence_until_it_comes() {
    let model = model(MODEL);
    let (send, receive) = channel::<()>();
    let receive = Mutex::new(receive);
    let slow = |_: &Got| {
        let _ = receive.lock().unwrap().recv_timeout(LONG);
        response(404, "", "{\"error\": \"not found\"}")
    };
    with_server(slow, |port| {
        let mut sut = client(&model, DIALECT, port, long());
        sut.reset(RunNumber(1), 1).unwrap();
        sut.send(1, &value(&model, "get", &[])).unwrap();
        assert_eq!(shown(&model, &sut.poll(LONG)), "accepted");
        let begun = Instant::now();
        assert_eq!(sut.poll(SHORT), Ok(Polled::Nothing));
        assert!(begun.elapsed() >= SHORT, "{:?}", begun.elapsed());
        send.send(()).unwrap();
        assert_eq!(shown(&model, &sut.poll(LONG)), "!no(404, Missing)");
        // Once more, and it never comes; neither does what is left of it when the next run begins.
        sut.send(2, &value(&model, "get", &[])).unwrap();
        assert_eq!(shown(&model, &sut.poll(LONG)), "accepted");
        sut.reset(RunNumber(2), 1).unwrap();
        send.send(()).unwrap();
        assert_eq!(sut.poll(SHORT), Ok(Polled::Nothing));
    });
    let (send, receive) = channel::<()>();
    let receive = Mutex::new(receive);
    let mute = |_: &Got| {
        let _ = receive.lock().unwrap().recv_timeout(LONG);
        Vec::new()
    };
    with_server(mute, |port| {
        let found = outcome(&campaign(&model, &mut client(&model, DIALECT, port, long())));
        assert_eq!(found, "unexpected silence");
        drop(send);
    });
}

#[test]
fn values_are_percent_encoded_in_paths_and_as_they_are_elsewhere() {
    let text = "type Kind = Big | Small\ninput find(key: String, kind: Kind)\noutput ok\nprocess P { init l { ?find(key, kind) -> m }\n state m { !ok -> l } }";
    let dialect = r#"
        [dialect.d]
        words = { Big = "big/one" }
        [dialect.d.inputs]
        find = { method = "POST", path = "/{key}/x?kind={kind}&n={len(key)}", headers = { X-Key = "{kind}" }, body = "{key}" }
        [dialect.d.outputs]
        ok = { status = "2xx" }
    "#;
    let model = model(text);
    let gots = Mutex::new(Vec::new());
    let answer = |got: &Got| {
        gots.lock().unwrap().push(got.clone());
        response(204, "", "")
    };
    let key = "a b/c?d=é&%\n";
    with_server(answer, |port| {
        let args = [Value::string(key), Value::Enum(0)];
        assert_eq!(seen(&model, dialect, port, "find", &args, long()), "!ok");
    });
    let got = gots.lock().unwrap().pop().unwrap();
    assert_eq!(got.line, "POST /a%20b%2Fc%3Fd%3D%C3%A9%26%25%0A/x?kind=big%2Fone&n=13 HTTP/1.1");
    assert!(got.headers.contains(&"x-key: big/one".into()), "{got:?}");
    assert_eq!(got.body, key);
}

#[test]
fn large_numbers_are_exact() {
    let model = model(MODEL);
    for number in ["9007199254740993", "-170141183460469231731687303715884105728000001"] {
        let body = format!("{{\"store\": [{{\"n\": {number}}}]}}");
        with_server(
            |_| response(200, "", &body),
            |port| assert_eq!(seen(&model, DIALECT, port, "get", &[], long()), format!("!value({number})")),
        );
    }
    let sent = Mutex::new(String::new());
    let answer = |got: &Got| {
        *sent.lock().unwrap() = got.body.clone();
        response(201, "", "")
    };
    with_server(answer, |port| {
        let args = [Value::Int(9_007_199_254_740_993)];
        assert_eq!(seen(&model, DIALECT, port, "put", &args, long()), "!created");
    });
    assert_eq!(*sent.lock().unwrap(), "{\"n\": 9007199254740993}");
}

/// An output whose responses an earlier one takes never comes; one that is special stands before the general one.
#[test]
fn outputs_that_never_count_are_told() {
    let model = model(
        "input a\ninput b\noutput first(n: Int)\noutput second(n: Int)\nprocess P { init l { ?a -> m\n?b -> m }\nstate m { !first(any n) -> l\n!second(any n) -> l } }",
    );
    let hidden = |first: &str, second: &str| {
        let text = format!(
            "[dialect.d.inputs]\na = {{ method = \"GET\", path = \"/\" }}\nb = {{ method = \"GET\", path = \"/\" }}\n[dialect.d.outputs]\nfirst = {{ {first} }}\nsecond = {{ {second} }}"
        );
        let config: Config = text.parse().unwrap_or_else(|why| panic!("{why}"));
        let dialect = Dialect { name: "d".into(), config: config.dialect["d"].clone() };
        Http::check(&model, &dialect).unwrap_or_else(|why| panic!("{why:?}"))
    };
    let expected = "dialect `d`: the template `first` (status 200) hides `second` (status 200) below it: ";
    let told = hidden("status = 200, set = { n = 1 }", "status = 200, set = { n = 2 }");
    assert!(told.len() == 1 && told[0].starts_with(expected), "{told:?}");
    for (first, second, count) in [
        ("status = 200, json = { n = '/n' }", "status = 200, json = { n = '/n' }", 1),
        ("status = 200, json = { n = '/n' }", "status = 200, json = { n = '/m' }", 0),
        ("status = 200, json = { n = '/n' }", "status = 200, set = { n = 2 }", 0),
        ("status = 200, set = { n = 2 }", "status = 200, json = { n = '/n' }", 1),
        ("status = '4xx', set = { n = 1 }", "status = 404, set = { n = 1 }", 1),
        ("status = 404, set = { n = 1 }", "status = '4xx', set = { n = 1 }", 0),
        ("status = '4xx', set = { n = 1 }", "status = '5xx', set = { n = 1 }", 0),
        ("status = '{n}'", "status = 204, set = { n = 1 }", 1),
        ("status = 204, set = { n = 1 }", "status = '{n}'", 0),
        ("status = 200, regex = 'x(?<n>[0-9])'", "status = 200, regex = 'y(?<n>[0-9])'", 0),
        ("status = 200, regex = 'x(?<n>[0-9])'", "status = 200, regex = 'x(?<n>[0-9])'", 1),
        ("status = 200, set = { n = 1 }, after = ['a']", "status = 200, set = { n = 1 }, after = ['b']", 0),
        ("status = 200, set = { n = 1 }, after = ['a']", "status = 200, set = { n = 1 }", 0),
        ("status = 200, set = { n = 1 }", "status = 200, set = { n = 1 }, after = ['b']", 1),
        ("status = 200, set = { n = 1 }, after = ['a', 'b']", "status = 200, set = { n = 1 }, after = ['b']", 1),
    ] {
        assert_eq!(hidden(first, second).len(), count, "{first}; {second}");
    }
}
