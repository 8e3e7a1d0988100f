//! Systems that speak plain text, over TCP and over the standard streams of a child: whole campaigns, and everything that
//! such systems may do wrong. Each gets the verdict or the error that the rules give it (T-V3, T-E1 to T-E4), and none
//! holds up the tester.

// Lints know tests by their attribute, which helpers do not have.
#![allow(clippy::unwrap_used)]

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use sioco_adapter::child::Program;
use sioco_adapter::config::{Config, Exchange};
use sioco_adapter::lines::Interrupt;
use sioco_adapter::tcp::Tcp;
use sioco_adapter::text::{Dialect, TextClient, TextOptions, torxakis};
use sioco_adapter::transport::Connector;
use sioco_exec::settings::Walks;
use sioco_exec::verdict::{Cause, Failure, Trouble};
use sioco_exec::{
    Clock, Driver, Fault, FaultKind, GateValue, Observation, Order, Polled, RunNumber, Settings, Summary, Sut,
    SutEvent, Verdict, drive,
};
use sioco_model::{Model, Value};
use sioco_plan::Cover;
use sioco_solve::BackEnd;
use sioco_solve::values::Bounds;

/// Tells the test program to play a system instead, and which.
const MODE: &str = "SIOCO_TEST_TEXT";
/// A time-out that is not meant to run out, on however busy a machine.
const LONG: Duration = Duration::from_secs(20);
/// A time-out that is meant to run out.
const SHORT: Duration = Duration::from_millis(100);

/// A calculator that adds up numbers, and says goodbye.
const MODEL: &str = "
input add(n: Int in 1..9)
input quit
output sum(n: Int)
output bye
output closed
process Calculator {
  var x: Int = 0
  init idle {
    ?add(n) [x < 40] / x := x + n -> busy
    ?quit -> leaving
  }
  state busy { !sum(x) -> idle }
  state leaving { !bye -> gone }
  state gone { !closed -> over }
  final over
}";

const DIALECT: &str = r#"
[dialect.d]
[dialect.d.inputs]
add = "ADD {n}"
quit = "QUIT"
[dialect.d.outputs]
sum = "SUM {n}"
bye = "BYE"
"#;

/// Its replies have several lines.
const LONG_WINDED: &str = r#"
[dialect.d]
line-end = "\r\n"
[dialect.d.inputs]
add = "ADD {n}"
quit = "QUIT"
[dialect.d.outputs]
sum = { regex = '(?:200-[^\r\n]*\r\n)*200 (?<n>\d+)[^\r\n]*\r\n' }
bye = { regex = '(?:221-[^\r\n]*\r\n)*221 [^\r\n]*\r\n' }
"#;

fn model(text: &str) -> Model {
    let checked = sioco_lang::check_text("m.sts", text);
    checked.model.unwrap_or_else(|| panic!("{:?}", checked.diagnostics)).model
}

fn dialect(text: &str) -> Dialect {
    let config: Config = text.parse().unwrap_or_else(|why| panic!("{why}"));
    Dialect { name: "d".into(), config: config.dialect["d"].clone() }
}

fn client<'m>(
    model: &'m Model,
    dialect: &Dialect,
    connector: Box<dyn Connector>,
    options: TextOptions,
) -> TextClient<'m> {
    let compiled = dialect.compile(model).unwrap_or_else(|why| panic!("{why:?}"));
    TextClient::new(model, compiled, connector, options, Interrupt::default())
}

fn long() -> TextOptions {
    TextOptions { patience: LONG, ..TextOptions::default() }
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
        walk: 12,
        max_steps: Some(40),
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

#[track_caller]
fn passes(model: &Model, sut: &mut dyn Sut) -> Summary {
    let summary = campaign(model, sut);
    assert_eq!(summary.verdict, Some(Verdict::Pass), "{}\n{summary:?}", outcome(&summary));
    assert!(summary.switches.iter().all(|(surely, _)| *surely), "{:?}", summary.switches);
    summary
}

/// A server, for as long as something is done with it. Each connection is a conversation; when the peer is gone, it ends.
fn with_server<T>(
    talk: impl Fn(&mut BufReader<TcpStream>, &mut TcpStream) -> io::Result<()> + Sync,
    work: impl FnOnce(Tcp) -> T,
) -> T {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            loop {
                let (mut stream, _) = listener.accept().unwrap();
                if over.load(Ordering::SeqCst) {
                    return;
                }
                stream.set_nodelay(true).unwrap();
                let mut reader = BufReader::new(stream.try_clone().unwrap());
                let _ = talk(&mut reader, &mut stream);
            }
        });
        let tcp = Tcp { patience: LONG, ..Tcp::new("127.0.0.1", port) };
        let found = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| work(tcp)));
        over.store(true, Ordering::SeqCst);
        drop(TcpStream::connect(("127.0.0.1", port)).unwrap());
        found.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

/// The calculator. It says its replies by a function of its own.
fn calculate<W: Write>(
    reader: &mut impl BufRead,
    writer: &mut W,
    mut say: impl FnMut(&mut W, &str) -> io::Result<()>,
) -> io::Result<()> {
    let mut total = 0;
    let mut line = String::new();
    while reader.read_line(&mut line)? > 0 {
        match line.trim_end().split_once(' ') {
            Some(("ADD", n)) => {
                total += n.parse::<i64>().expect("a number");
                say(writer, &format!("SUM {total}\n"))?;
            }
            _ => {
                assert_eq!(line.trim_end(), "QUIT");
                return say(writer, "BYE\n");
            }
        }
        line.clear();
    }
    Ok(())
}

fn plain<W: Write>(writer: &mut W, text: &str) -> io::Result<()> {
    writer.write_all(text.as_bytes())?;
    writer.flush()
}

fn well(reader: &mut BufReader<TcpStream>, stream: &mut TcpStream) -> io::Result<()> {
    calculate(reader, stream, plain)
}

/// Reads until the peer is gone.
fn wait_for_the_end(reader: &mut impl Read) {
    let _ = io::copy(reader, &mut io::sink());
}

/// What the campaign against a server comes to that answers the second input like this, and then reads on.
fn answering(answer: &'static [u8], text: &str, patience: Duration) -> String {
    let model = model(MODEL);
    let talk = |reader: &mut BufReader<TcpStream>, stream: &mut TcpStream| {
        let mut answers = 0;
        calculate(reader, stream, |writer, text| {
            answers += 1;
            writer.write_all(if answers == 2 { answer } else { text.as_bytes() })
        })?;
        if answers > 1 {
            wait_for_the_end(reader);
        }
        Ok(())
    };
    with_server(talk, |tcp| {
        let options = TextOptions { patience, ..TextOptions::default() };
        let begun = Instant::now();
        let summary = campaign(&model, &mut client(&model, &dialect(text), Box::new(tcp), options));
        assert!(begun.elapsed() < 2 * LONG, "{:?}", begun.elapsed());
        outcome(&summary)
    })
}

#[test]
fn a_server_passes_whatever_the_order_means() {
    let model = model(MODEL);
    for order in [Order::Sent, Order::Sut] {
        with_server(well, |tcp| {
            let options = TextOptions { order, ..long() };
            let summary = passes(&model, &mut client(&model, &dialect(DIALECT), Box::new(tcp), options));
            // The last input would have no room for its answer.
            assert!(summary.steps >= 39, "{}", summary.steps);
        });
    }
}

#[test]
fn replies_may_have_several_lines_and_come_in_single_bytes() {
    let model = model(MODEL);
    let long_winded = |text: &str| match text.trim_end().strip_prefix("SUM ") {
        Some(n) => format!("200-this is\r\n200-200 no sum\r\n200-\r\n200 {n} it is\r\n"),
        None => "221-good\r\n221 bye\r\n".into(),
    };
    let whole = |reader: &mut BufReader<TcpStream>, stream: &mut TcpStream| {
        calculate(reader, stream, |writer, text| plain(writer, &long_winded(text)))
    };
    let bytes = |reader: &mut BufReader<TcpStream>, stream: &mut TcpStream| {
        calculate(reader, stream, |writer, text| {
            long_winded(text).as_bytes().iter().try_for_each(|byte| writer.write_all(&[*byte]))
        })
    };
    with_server(whole, |tcp| passes(&model, &mut client(&model, &dialect(LONG_WINDED), Box::new(tcp), long())));
    with_server(bytes, |tcp| passes(&model, &mut client(&model, &dialect(LONG_WINDED), Box::new(tcp), long())));
}

/// Not a test: a system under test, as a child process. Without a mode there is nothing to play.
#[test]
fn play_the_sut() {
    match std::env::var(MODE).as_deref() {
        Ok("well") => {
            // What the test harness prints is on a line of its own, and not begun by it.
            let _ = calculate(&mut io::stdin().lock(), &mut io::stdout().lock(), plain);
        }
        Ok("torxakis") => {
            let mut total = 0;
            for line in io::stdin().lock().lines().map_while(Result::ok) {
                let n = line.strip_prefix("add(").and_then(|rest| rest.strip_suffix(')'));
                let Some(n) = n else {
                    assert_eq!(line, "quit");
                    let _ = plain(&mut io::stdout().lock(), "bye\n");
                    break;
                };
                total += n.parse::<i64>().expect("a number");
                let _ = plain(&mut io::stdout().lock(), &format!("sum({total})\n"));
            }
        }
        _ => return,
    }
    // The harness has more to say, which is not for the tester.
    std::process::exit(0);
}

fn child(mode: &str) -> Box<dyn Connector> {
    let exe = std::env::current_exe().expect("a path").display().to_string();
    let words = [&exe, "play_the_sut", "--exact", "--nocapture"].map(str::to_owned).to_vec();
    Box::new(Program { words, environment: vec![(MODE.into(), mode.into())], directory: None })
}

/// The harness says something before the test begins, so that is what a run waits for.
fn after_the_harness() -> TextOptions {
    let expect = |text: &str| Exchange { expect: Some(text.into()), ..Exchange::default() };
    TextOptions { before: vec![expect("running 1 test")], ..long() }
}

#[test]
fn a_child_passes_over_its_standard_streams() {
    let model = model(MODEL);
    passes(&model, &mut client(&model, &dialect(DIALECT), child("well"), after_the_harness()));
    passes(&model, &mut client(&model, &torxakis(&model), child("torxakis"), after_the_harness()));
}

#[cfg(unix)]
fn shell(script: &str) -> Box<dyn Connector> {
    Box::new(Program::new(vec!["sh".into(), "-c".into(), script.into()]))
}

#[cfg(unix)]
const CALCULATOR: &str = "x=0; while read what n; do case $what in
  ADD) x=$((x + n)); echo \"SUM $x\";;
  QUIT) echo BYE; exit;;
esac; done";

#[cfg(unix)]
#[test]
fn a_shell_script_passes() {
    let model = model(MODEL);
    passes(&model, &mut client(&model, &dialect(DIALECT), shell(CALCULATOR), long()));
}

/// Who started something that holds the streams open is gone all the same.
#[cfg(unix)]
#[test]
fn a_child_that_ended_has_closed_whoever_holds_its_streams() {
    let model = model(MODEL);
    let mut sut = client(&model, &dialect(DIALECT), shell("sleep 1000 & read line; echo BYE"), long());
    sut.reset(RunNumber(1), 1).unwrap();
    sut.send(1, &value(&model, "quit", &[])).unwrap();
    assert_eq!(sut.poll(LONG), Ok(Polled::Event(SutEvent::Accepted { id: 1 })));
    assert_eq!(shown(&model, &sut.poll(LONG)), "!bye");
    assert_eq!(shown(&model, &sut.poll(LONG)), "closed");
}

#[cfg(unix)]
#[test]
fn a_command_that_is_not_there_is_a_fault() {
    let model = model(MODEL);
    let program = Box::new(Program::new(vec!["./not-there".into()]));
    let fault = client(&model, &dialect(DIALECT), program, long()).reset(RunNumber(1), 1).unwrap_err();
    assert_eq!((fault.kind, fault.again), (FaultKind::Start, false), "{fault}");
    assert!(fault.message.contains("`./not-there` cannot be started"), "{fault}");
}

/// What cannot run is no system: whatever is sent to it, and whether or not that comes before its end.
#[cfg(unix)]
#[test]
fn a_program_that_ends_by_itself_without_a_word_is_a_fault() {
    let model = model(MODEL);
    let start = |script: &str| client(&model, &dialect(DIALECT), shell(script), long());
    let told = "it ended (exit status: 2) before it sent anything and without any input";
    let mut sut = start("echo 'no such file' >&2; exit 2");
    sut.reset(RunNumber(1), 1).unwrap();
    let fault = sut.poll(LONG).unwrap_err();
    assert!(fault.message.contains(told) && fault.stderr == ["no such file"], "{fault} {:?}", fault.stderr);
    assert_eq!((fault.kind, fault.again), (FaultKind::Start, false));
    // The input is there before its end.
    let mut sut = start("sleep 0.2; echo 'no such file' >&2; exit 2");
    sut.reset(RunNumber(1), 1).unwrap();
    sut.send(1, &value(&model, "quit", &[])).unwrap();
    assert_eq!(shown(&model, &sut.poll(LONG)), "accepted");
    let fault = sut.poll(LONG).unwrap_err();
    assert!(fault.message.contains(told) && fault.stderr == ["no such file"], "{fault} {:?}", fault.stderr);
    let summary = campaign(&model, &mut start("exit 2"));
    assert_eq!(summary.verdict, Some(Verdict::Error), "{}", outcome(&summary));
    // What ends because of an input has run, and so has what said something.
    let ends = |script: &str| {
        let mut sut = start(script);
        for run in 1..3 {
            sut.reset(RunNumber(run), 1).unwrap();
            sut.send(1, &value(&model, "quit", &[])).unwrap();
            assert_eq!(shown(&model, &sut.poll(LONG)), "accepted");
            let first = shown(&model, &sut.poll(LONG));
            let last = if first == "!bye" { shown(&model, &sut.poll(LONG)) } else { first };
            assert_eq!(last, if script.ends_with('2') { "crashed: exit status: 2" } else { "closed" }, "{script}");
        }
    };
    ends("read line; exit 0");
    ends("read line; exit 2");
    ends("echo BYE; exit 0");
    ends("echo BYE; exit 2");
}

fn value(model: &Model, gate: &str, args: &[i64]) -> GateValue {
    GateValue { gate: model.gate(gate).unwrap(), args: args.iter().map(|n| Value::Int(*n)).collect() }
}

fn shown(model: &Model, polled: &Result<Polled, Fault>) -> String {
    match polled {
        Ok(Polled::Event(SutEvent::Observed(Observation::Output(output)))) => output.show(model),
        Ok(Polled::Event(SutEvent::Observed(Observation::Closed))) => "closed".into(),
        Ok(Polled::Event(SutEvent::Observed(Observation::Crashed(crash)))) => format!("crashed: {}", crash.message),
        Ok(Polled::Event(SutEvent::Observed(Observation::Malformed { why, raw, .. }))) => format!("{why} [{raw}]"),
        Ok(Polled::Event(SutEvent::Accepted { .. })) => "accepted".into(),
        other => format!("{other:?}"),
    }
}

#[test]
fn what_fits_no_template_is_malformed_and_everything_is_told() {
    let found = answering(b"SUMM 3\n", DIALECT, LONG);
    assert_eq!(
        found,
        "malformed: the system sent something that fits no template; these were tried: `SUM {n}`, `BYE` [SUMM 3\\n]"
    );
    assert!(answering(b"\xff\xfe\n", DIALECT, LONG).ends_with("[\u{fffd}\u{fffd}\\n]"));
    assert_eq!(answering(b"SUM 1000\n", DIALECT, LONG), "unexpected output");
    // Several lines in one write: the first of them is told.
    assert!(answering(b"who?\nare\nyou?\n", DIALECT, LONG).ends_with("[who?\\n]"));
}

#[test]
fn what_fits_no_template_may_go_to_a_gate() {
    let text = MODEL.replace("output bye", "output bye\noutput chat(text: String)");
    let allowed = text.replace("{ !sum(x) -> idle }", "{ !sum(x) -> idle\n !chat(any text) -> busy }");
    let forbidden = text.replace("final over", "state never { !chat(\"no\") -> over }\n  final over");
    let other = DIALECT.replace("[dialect.d]\n", "[dialect.d]\nother = \"chat\"\n");
    let talk = |reader: &mut BufReader<TcpStream>, stream: &mut TcpStream| {
        calculate(reader, stream, |writer, text| {
            let chat = if text.starts_with("SUM") { "one moment, please\n" } else { "" };
            plain(writer, &format!("{chat}{text}"))
        })
    };
    with_server(talk, |tcp| {
        let model = model(&allowed);
        passes(&model, &mut client(&model, &dialect(&other), Box::new(tcp), long()));
    });
    with_server(talk, |tcp| {
        let model = model(&forbidden);
        let summary = campaign(&model, &mut client(&model, &dialect(&other), Box::new(tcp), long()));
        assert_eq!(outcome(&summary), "unexpected output");
    });
}

#[test]
fn a_server_that_closes_is_closed() {
    let talk = |reader: &mut BufReader<TcpStream>, stream: &mut TcpStream| {
        let mut answers = 0;
        calculate(reader, stream, |writer, text| {
            answers += 1;
            if answers == 2 { Err(io::ErrorKind::Other.into()) } else { plain(writer, text) }
        })
    };
    let model = model(MODEL);
    with_server(talk, |tcp| {
        let summary = campaign(&model, &mut client(&model, &dialect(DIALECT), Box::new(tcp), long()));
        assert_eq!((summary.verdict, &outcome(&summary)[..]), (Some(Verdict::Fail), "closed"));
    });
    // With half a message before, both are told.
    let half = |reader: &mut BufReader<TcpStream>, stream: &mut TcpStream| {
        reader.read_line(&mut String::new())?;
        stream.write_all(b"SUM")
    };
    with_server(half, |tcp| {
        let mut sut = client(&model, &dialect(DIALECT), Box::new(tcp), long());
        sut.reset(RunNumber(1), 1).unwrap();
        sut.send(1, &value(&model, "add", &[1])).unwrap();
        assert_eq!(shown(&model, &sut.poll(LONG)), "accepted");
        let found = shown(&model, &sut.poll(LONG));
        assert!(found.starts_with("the system sent half a message, and ended; these were tried: "), "{found}");
        assert!(found.ends_with("[SUM]"), "{found}");
        assert_eq!(shown(&model, &sut.poll(LONG)), "closed");
        // What is sent now reaches nobody, and that is known already.
        sut.send(2, &value(&model, "add", &[1])).unwrap();
        assert_eq!(shown(&model, &sut.poll(LONG)), "accepted");
        assert_eq!(sut.poll(Duration::ZERO), Ok(Polled::Nothing));
    });
}

/// After a farewell the end of the connection is no news, and the model need not have it.
#[test]
fn the_end_after_a_farewell_is_no_news() {
    let model = model(
        &MODEL
            .replace("output closed\n", "")
            .replace("-> gone", "-> over")
            .replace("state gone { !closed -> over }", ""),
    );
    let last = DIALECT.replace("[dialect.d]\n", "[dialect.d]\nlast = [\"bye\"]\n");
    with_server(well, |tcp| passes(&model, &mut client(&model, &dialect(&last), Box::new(tcp), long())));
    with_server(well, |tcp| {
        let summary = campaign(&model, &mut client(&model, &dialect(DIALECT), Box::new(tcp), long()));
        assert_eq!(outcome(&summary), "closed");
    });
}

#[test]
fn a_line_without_end_is_cut() {
    let endless = |reader: &mut BufReader<TcpStream>, stream: &mut TcpStream| {
        reader.read_line(&mut String::new())?;
        loop {
            stream.write_all(&[b'x'; 1 << 16])?;
        }
    };
    let digits = |reader: &mut BufReader<TcpStream>, stream: &mut TcpStream| {
        reader.read_line(&mut String::new())?;
        stream.write_all(b"SUM ")?;
        loop {
            stream.write_all(&[b'1'; 1 << 16])?;
        }
    };
    let model = model(MODEL);
    let found = |tcp| outcome(&campaign(&model, &mut client(&model, &dialect(DIALECT), Box::new(tcp), long())));
    let line = with_server(endless, found);
    assert!(line.starts_with("malformed: the system sent a line without an end; "), "{line}");
    assert!(line.ends_with("xxx…]") && line.len() < 5000, "{line}");
    let number = with_server(digits, found);
    assert!(number.starts_with("malformed: the system sent a message without an end; "), "{number}");
    assert!(number.contains("[SUM 111") && number.ends_with("111…]"), "{number}");
}

#[test]
fn half_a_message_and_nothing_after_it_is_malformed() {
    for half in [&b"SUM 1"[..], b"nonsense without an end"] {
        let found = answering(half, DIALECT, SHORT);
        assert!(found.starts_with("malformed: the system sent half a message, and nothing after it; "), "{found}");
        assert!(found.ends_with(&format!("[{}]", half.escape_ascii())), "{found}");
    }
}

fn before(send: Option<&str>, expect: Option<&str>) -> Exchange {
    let owned = |text: Option<&str>| text.map(str::to_owned);
    Exchange { send: owned(send), expect: owned(expect), ..Exchange::default() }
}

/// How the first reset ends.
fn reset(tcp: Tcp, before: Vec<Exchange>, patience: Duration) -> Result<(), Fault> {
    let model = model(MODEL);
    let options = TextOptions { before, patience, ..TextOptions::default() };
    client(&model, &dialect(DIALECT), Box::new(tcp), options).reset(RunNumber(1), 1)
}

#[test]
fn what_has_to_come_before_a_run_and_does_not_is_a_fault() {
    let refuses = |reader: &mut BufReader<TcpStream>, stream: &mut TcpStream| {
        reader.read_line(&mut String::new())?;
        stream.write_all(b"hello\nno such command\nhalf")?;
        wait_for_the_end(reader);
        Ok(())
    };
    let exchange = || vec![before(Some("CLEAR"), Some("OK"))];
    let fault = with_server(refuses, |tcp| reset(tcp, exchange(), SHORT)).unwrap_err();
    assert_eq!((fault.kind, fault.again), (FaultKind::Reset, false), "{fault}");
    let told = "before a run, `CLEAR` was sent, and sioco waited for a line that begins with `OK`: no such line came \
                within 0.1 s; received: `hello\\nno such command\\nhalf`";
    assert!(fault.message.ends_with(told), "{fault}");
    let closes = |_: &mut BufReader<TcpStream>, stream: &mut TcpStream| stream.write_all(b"421 busy\n");
    let fault = with_server(closes, |tcp| reset(tcp, vec![before(None, Some("220"))], LONG)).unwrap_err();
    assert!(fault.message.contains("begins with `220`: the connection ended; received: `421 busy\\n`"), "{fault}");
    let mute = |reader: &mut BufReader<TcpStream>, _: &mut TcpStream| {
        wait_for_the_end(reader);
        Ok(())
    };
    let fault = with_server(mute, |tcp| reset(tcp, vec![before(None, Some("220"))], SHORT)).unwrap_err();
    assert!(fault.message.ends_with("no such line came within 0.1 s; received: ``"), "{fault}");
}

/// Something else without end does not keep anybody waiting for longer than they want, nor fill the memory.
#[test]
fn what_comes_without_end_before_a_run_is_a_fault() {
    for flood in [&b"nothing of interest\n"[..], b"no line at all "] {
        let flood = flood.repeat(4000);
        let talk = |_: &mut BufReader<TcpStream>, stream: &mut TcpStream| {
            loop {
                stream.write_all(&flood)?;
            }
        };
        let begun = Instant::now();
        let fault = with_server(talk, |tcp| reset(tcp, vec![before(None, Some("220"))], 3 * SHORT)).unwrap_err();
        assert!(begun.elapsed() < LONG, "{:?}", begun.elapsed());
        assert_eq!(fault.kind, FaultKind::Reset, "{fault}");
        assert!(fault.message.len() < 6000, "{}", fault.message.len());
    }
}

#[test]
fn a_greeting_may_come_late() {
    let (send, receive) = channel();
    let receive = std::sync::Mutex::new(receive);
    let late = |reader: &mut BufReader<TcpStream>, stream: &mut TcpStream| {
        // As late as the tester is there already, and waits.
        let () = receive.lock().unwrap().recv_timeout(LONG).unwrap();
        stream.write_all(b"220 welcome\n")?;
        calculate(reader, stream, plain)
    };
    with_server(late, |tcp| {
        let waits = std::thread::spawn(move || reset(tcp, vec![before(None, Some("220"))], LONG));
        send.send(()).unwrap();
        waits.join().unwrap().unwrap();
    });
    // Where nobody waits for it, it is no output of the system that the model knows.
    let greets = |reader: &mut BufReader<TcpStream>, stream: &mut TcpStream| {
        stream.write_all(b"220 welcome\n")?;
        calculate(reader, stream, plain)
    };
    let model = model(MODEL);
    with_server(greets, |tcp| {
        let summary = campaign(&model, &mut client(&model, &dialect(DIALECT), Box::new(tcp), long()));
        assert!(outcome(&summary).ends_with("[220 welcome\\n]"), "{summary:?}");
    });
}

#[test]
fn a_refused_connection_is_a_fault() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let tcp = Tcp { patience: SHORT, ..Tcp::new("127.0.0.1", port) };
    let model = model(MODEL);
    let summary = campaign(&model, &mut client(&model, &dialect(DIALECT), Box::new(tcp), long()));
    assert_eq!(summary.verdict, Some(Verdict::Error), "{summary:?}");
    let found = outcome(&summary);
    assert!(found.starts_with("start: ") && found.contains(&port.to_string()), "{found}");
}

#[test]
fn a_connection_may_stay() {
    let (connections, clears) = (AtomicU64::new(0), AtomicU64::new(0));
    // It does not know runs, only what it is told; whatever was under way comes before the answer.
    let talk = |reader: &mut BufReader<TcpStream>, stream: &mut TcpStream| {
        connections.fetch_add(1, Ordering::SeqCst);
        let (mut total, mut line) = (1000, String::new());
        while reader.read_line(&mut line)? > 0 {
            match line.trim_end().split_once(' ') {
                Some((_, n)) => {
                    total += n.parse::<i64>().expect("a number");
                    plain(stream, &format!("SUM {total}\n"))?;
                }
                None if line == "CLEAR\n" => {
                    clears.fetch_add(1, Ordering::SeqCst);
                    total = 0;
                    plain(stream, "SUM 7\nCLEARED all\n")?;
                }
                None => return plain(stream, "BYE\n"),
            }
            line.clear();
        }
        Ok(())
    };
    let model = model(MODEL);
    with_server(talk, |tcp| {
        let before = vec![before(Some("CLEAR"), Some("CLEARED"))];
        let options = TextOptions { keep: true, before, ..long() };
        let mut sut = client(&model, &dialect(DIALECT), Box::new(tcp), options);
        for run in 1..=3 {
            sut.reset(RunNumber(run), 1).unwrap();
            sut.send(1, &value(&model, "add", &[run as i64])).unwrap();
            assert_eq!(shown(&model, &sut.poll(LONG)), "accepted");
            assert_eq!(shown(&model, &sut.poll(LONG)), format!("!sum({run})"));
        }
        assert_eq!(connections.load(Ordering::SeqCst), 1);
        // One that ended is opened again.
        sut.send(2, &value(&model, "quit", &[])).unwrap();
        let seen: Vec<String> = (0..3).map(|_| shown(&model, &sut.poll(LONG))).collect();
        assert_eq!(seen, ["accepted", "!bye", "closed"]);
        let summary = passes(&model, &mut sut);
        assert_eq!(clears.load(Ordering::SeqCst), 3 + summary.runs.iter().sum::<u64>());
        assert!(connections.load(Ordering::SeqCst) > 1);
    });
}

/// What it does not read piles up, and is neither its fault nor a reason to wait without end.
#[test]
fn a_server_that_reads_nothing_is_a_fault() {
    let (send, receive) = channel();
    let receive = std::sync::Mutex::new(receive);
    let deaf = |_: &mut BufReader<TcpStream>, _: &mut TcpStream| {
        let _: Result<(), _> = receive.lock().unwrap().recv_timeout(LONG);
        Ok(())
    };
    let text = DIALECT.replace("ADD {n}", "ADD {repeat(0, 1000000)}{n}");
    let model = model(MODEL);
    with_server(deaf, |tcp| {
        let options = TextOptions { patience: SHORT, ..TextOptions::default() };
        let mut sut = client(&model, &dialect(&text), Box::new(tcp), options);
        sut.reset(RunNumber(1), 1).unwrap();
        let begun = Instant::now();
        let fault = (1..).find_map(|id| {
            assert!(begun.elapsed() < LONG, "it took {id} inputs of a megabyte");
            sut.send(id, &value(&model, "add", &[1])).err()
        });
        let fault = fault.unwrap();
        assert_eq!(fault.kind, FaultKind::Timeout, "{fault}");
        assert!(fault.message.ends_with("it has not read its input for 0.1 s"), "{fault}");
        send.send(()).unwrap();
    });
}

/// Nothing came, and nothing has to: that is silence, and takes as long as was asked for.
#[test]
fn silence_is_silence() {
    let model = model(MODEL);
    with_server(well, |tcp| {
        let mut sut = client(&model, &dialect(DIALECT), Box::new(tcp), long());
        sut.reset(RunNumber(1), 1).unwrap();
        let begun = Instant::now();
        assert_eq!(sut.poll(SHORT), Ok(Polled::Nothing));
        assert!(begun.elapsed() >= SHORT, "{:?}", begun.elapsed());
    });
    let mute = |reader: &mut BufReader<TcpStream>, _: &mut TcpStream| {
        wait_for_the_end(reader);
        Ok(())
    };
    with_server(mute, |tcp| {
        let summary = campaign(&model, &mut client(&model, &dialect(DIALECT), Box::new(tcp), long()));
        assert_eq!(outcome(&summary), "unexpected silence");
    });
}
