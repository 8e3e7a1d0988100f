//! Lines from an adapter, up to what the tester makes of them.

use std::io::{self, PipeReader, PipeWriter, Write};
use std::time::{Duration, Instant};

use serde_json::Value as Json;
use sioco_adapter::client::{Client, ConnectionOptions};
use sioco_adapter::lines::{Interrupt, KEPT_LINES, Line, LineWriter, Lines, Next, later};
use sioco_adapter::protocol::{AdapterMessage, TesterMessage, observation};
use sioco_adapter::transport::{Connection, Connector};
use sioco_exec::{Fault, GateValue, Observation, Polled, RunNumber, Sut, SutEvent};
use sioco_model::Value;
use sioco_model::number::{BigInt, Rational, parse_integer, rational};

use super::{assert_fits, in_pieces, model, shape};
use crate::Seen;

/// This many bytes fit into a pipe that nobody reads: half of what one of Linux holds.
const AT_ONCE: usize = 32 << 10;
/// An end that is there is not waited for: any time will do that no machine needs.
const LONG_ENOUGH: Duration = Duration::from_secs(20);
/// At most this many events of a client are looked at: an input of the usual length holds fewer.
const EVENTS: usize = 2000;

/// Some bytes as lines, whatever pieces they come in; each line as a message and back; and the same bytes as the whole
/// conversation of an adapter.
pub fn run(data: &[u8], seen: &mut Seen) {
    let whole = lines(&[data.to_vec()]);
    for pieces in in_pieces(data) {
        assert_eq!(lines(&pieces), whole, "other lines in {} pieces", pieces.len());
    }
    let (found, logs) = whole;
    let kept: usize = found.iter().map(|line| line_text(line).len()).sum();
    assert!(kept <= 3 * data.len() + 2000, "{kept} bytes of lines came from {}", data.len());
    assert!(logs.len() <= KEPT_LINES);
    for line in &found {
        seen.add(("line", std::mem::discriminant(line)));
        if let Line::Text(text) | Line::Partial(text) = line {
            message(text, seen);
        }
    }
    let shown: Vec<String> = found.iter().map(line_text).collect();
    numbers(&shown, seen);
    conversation(data, seen);
}

fn line_text(line: &Line) -> String {
    match line {
        Line::Text(text) | Line::Partial(text) | Line::Bad(text) => text.clone(),
        Line::End(_) => String::new(),
    }
}

/// The lines of a stream that brings these pieces, and its logs.
fn lines(pieces: &[Vec<u8>]) -> (Vec<Line>, Vec<String>) {
    let (ours, mut theirs) = io::pipe().expect("a pipe");
    let lines = Lines::of(ours, "fuzz").expect("a stream");
    let (mut found, never) = (Vec::new(), Interrupt::default());
    for piece in pieces.iter().flat_map(|piece| piece.chunks(AT_ONCE)) {
        theirs.write_all(piece).expect("it fits into the pipe");
        // What is there is taken, so that the next piece comes alone.
        while let Next::Line(line) = lines.next(Instant::now(), &never) {
            let last = matches!(line, Line::End(_) | Line::Bad(_));
            found.push(line);
            if last {
                return (found, lines.logs());
            }
        }
    }
    drop(theirs);
    loop {
        let Next::Line(line) = lines.next(later(LONG_ENOUGH), &never) else { panic!("the end does not come") };
        let last = matches!(line, Line::End(_) | Line::Bad(_));
        found.push(line);
        if last {
            return (found, lines.logs());
        }
    }
}

/// A line as a message: written and read again it is the same, and what is wrong with it is told in a few words.
fn message(text: &str, seen: &mut Seen) {
    match TesterMessage::parse(text) {
        Ok(Some(message)) => {
            seen.add(("tester", std::mem::discriminant(&message)));
            if !matches!(message, TesterMessage::Input { args: Some(Json::Null), .. }) {
                assert_eq!(TesterMessage::parse(&message.line()), Ok(Some(message)), "from {text}");
            }
        }
        Ok(None) => {}
        Err(why) => assert_short(&why.to_string(), seen),
    }
    match AdapterMessage::parse(text) {
        Ok(Some(message)) => {
            seen.add(("adapter", std::mem::discriminant(&message)));
            // Nobody writes this, and what is not there is not written.
            if !matches!(message, AdapterMessage::Output { args: Some(Json::Null), .. }) {
                assert_eq!(AdapterMessage::parse(&message.line()), Ok(Some(message.clone())), "from {text}");
            }
            if let AdapterMessage::Output { gate, args, raw, .. } = message {
                match observation(model(), &gate, args.as_ref(), raw.as_deref(), text) {
                    Ok(Observation::Output(output)) => {
                        seen.add(("output", output.gate));
                        written(&output);
                    }
                    Ok(Observation::Malformed { why, raw, .. }) => {
                        seen.add(("malformed", shape(&why)));
                        assert!(why.len() < 5000 && raw.chars().count() <= 1000, "{} {}", why.len(), raw.len());
                    }
                    Ok(_) => seen.add("end"),
                    Err(why) => assert_short(&why.to_string(), seen),
                }
            }
        }
        Ok(None) => seen.add("log"),
        Err(why) => assert_short(&why.to_string(), seen),
    }
}

/// What came is what is written, and what is read again.
fn written(output: &GateValue) {
    let model = model();
    assert_fits(model, output);
    let line = AdapterMessage::output(model, output, Some(RunNumber(1))).line();
    let Ok(Some(AdapterMessage::Output { gate, args, raw, .. })) = AdapterMessage::parse(&line) else {
        panic!("an output is written as {line}")
    };
    let again = observation(model, &gate, args.as_ref(), raw.as_deref(), &line);
    assert_eq!(again, Ok(Observation::Output(output.clone())), "{line}");
}

fn assert_short(why: &str, seen: &mut Seen) {
    assert!(!why.is_empty() && why.len() < 5000, "{} bytes of words", why.len());
    seen.add(("wrong", shape(why)));
}

/// Numbers are exactly what their digits say: nothing is rounded on the way.
fn numbers(lines: &[String], seen: &mut Seen) {
    let model = model();
    let is_part = |c: char| c.is_ascii_digit() || matches!(c, '.' | '-' | '+' | 'e' | 'E');
    let words = lines.iter().flat_map(|line| line.split(|c| !is_part(c))).filter(|word| word.len() <= 60);
    for word in words.take(20) {
        let Some(expected) = exact(word) else { continue };
        let text = format!(r#"{{"type":"output","gate":"v","args":{{"r":{word},"n":0}}}}"#);
        let Ok(Some(AdapterMessage::Output { gate, args, raw, .. })) = AdapterMessage::parse(&text) else {
            panic!("a number: {text}")
        };
        let found = observation(model, &gate, args.as_ref(), raw.as_deref(), &text);
        let Ok(Observation::Output(output)) = found else { panic!("a number: {text}: {found:?}") };
        assert_eq!(output.args[0], Value::real(expected), "{word}");
        seen.add(("number", word.len().min(20), word.contains(['e', 'E']), word.contains('.')));
    }
}

/// The number that a text is by the rules of JSON, in the plainest way; nothing if it is none, or too large to try.
fn exact(text: &str) -> Option<Rational> {
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    if exponent.starts_with("++") || exponent.starts_with("+-") {
        return None;
    }
    let exponent: i64 = exponent.parse().ok().filter(|e: &i64| e.unsigned_abs() <= 400)?;
    let negative = mantissa.starts_with('-');
    let mantissa = mantissa.strip_prefix('-').unwrap_or(mantissa);
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, "0"));
    let digits = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
    if !digits(whole) || !digits(fraction) || (whole.len() > 1 && whole.starts_with('0')) {
        return None;
    }
    let ten = |n: i64| BigInt::from(10).pow(n.unsigned_abs() as usize);
    let mut number = rational(parse_integer(&format!("{whole}{fraction}"))?, ten(fraction.len() as i64))?;
    let power = Rational::from(ten(exponent));
    if exponent < 0 {
        number /= power;
    } else {
        number *= power;
    }
    Some(if negative { -number } else { number })
}

/// What an adapter says, without anybody listening to it.
struct Canned {
    bytes: Vec<u8>,
    opened: bool,
}

struct OpenConnection {
    lines: Lines,
    writer: LineWriter,
    /// Nobody reads what is sent, and it fits.
    _unread: PipeReader,
}

impl Connection for OpenConnection {
    fn lines(&self) -> &Lines {
        &self.lines
    }

    fn writer(&self) -> &LineWriter {
        &self.writer
    }

    fn epitaph(&mut self) -> String {
        "said no more".into()
    }

    fn close(&mut self, _: Duration) {}
}

impl Connector for Canned {
    fn name(&self) -> String {
        "canned".into()
    }

    fn starts_afresh(&self) -> bool {
        true
    }

    fn open(&mut self, _: &Interrupt) -> Result<Option<Box<dyn Connection>>, Fault> {
        let (ours, mut theirs): (PipeReader, PipeWriter) = io::pipe().expect("a pipe");
        if !std::mem::replace(&mut self.opened, true) {
            theirs.write_all(&self.bytes).expect("it fits into the pipe");
        }
        drop(theirs);
        let (unread, writer) = io::pipe().expect("a pipe");
        let lines = Lines::of(ours, "fuzz").expect("a stream");
        let writer = LineWriter::to(writer, "fuzz").expect("a thread");
        Ok(Some(Box::new(OpenConnection { lines, writer, _unread: unread })))
    }
}

/// The bytes as all that an adapter ever says: whatever they are, only gate values of the model become observations, and
/// in the end there is a fault.
fn conversation(data: &[u8], seen: &mut Seen) {
    let model = model();
    let bytes = data[..data.len().min(AT_ONCE)].to_vec();
    let options = ConnectionOptions { restarts: 0, ..ConnectionOptions::default() };
    let connector = Box::new(Canned { bytes, opened: false });
    let mut client = Client::new(model, connector, options, Interrupt::default());
    let go = GateValue { gate: model.gate("go").expect("a gate"), args: Vec::new() };
    for run in 1..=2 {
        if let Err(fault) = client.reset(RunNumber(run), 7) {
            assert_short(&fault.message, seen);
            return;
        }
        seen.add(("ready", run));
        if let Err(fault) = client.send(1, &go) {
            assert_short(&fault.message, seen);
            return;
        }
        for _ in 0..EVENTS {
            match client.poll(Duration::ZERO) {
                Ok(Polled::Event(SutEvent::Observed(observed))) => {
                    seen.add(("observed", run, std::mem::discriminant(&observed)));
                    if let Observation::Output(output) = &observed {
                        assert_fits(model, output);
                    }
                    // The rest of the conversation is about the next run.
                    if observed.is_end() {
                        break;
                    }
                }
                Ok(Polled::Event(event)) => seen.add(("event", run, std::mem::discriminant(&event))),
                Ok(Polled::Nothing) => panic!("the stream has an end, and it is not found"),
                Ok(Polled::Interrupted) => panic!("nobody interrupts"),
                Err(fault) => {
                    assert_short(&fault.message, seen);
                    return;
                }
            }
        }
    }
}
