use std::time::Duration;

use serde_json::Value as Json;
use sioco_model::model::{Direction, Model};
use sioco_model::number::{parse_integer, rational};
use sioco_model::sort::Sort;
use sioco_model::{GateId, Id, SortId, SwitchId, Value, number};
use sioco_plan::PurposeId;
use sioco_solve::Reason;
use sioco_solve::values::{Choice, Random};

use super::*;
use crate::crash::Crash;
use crate::event::{GateValue, Observation};
use crate::record::{Aim, End, Record, Waiting, Why};
use crate::reliance::Reliance;
use crate::run_number::RunNumber;
use crate::settings::{Interaction, Settings, Walks};
use crate::sut::{Fault, FaultKind, Order};
use crate::verdict::{Cause, Failure, OpenCause, Trouble, Verdict};

const MODEL: &str = r#"
type Colour = Red | Green | Mix(a: Int, b: Colour2)
type Colour2 = Blue | Brown
type Point = { x: Real, s: Seq<String> }
input i(n: Int in 0..9, c: Colour)
input j(p: Point, b: Bool)
input k
output o(n: Int, s: String)
output m(r: Real in 0..1 tolerance 0.5, q: Seq<Int>)
output done
process P {
  init l {
    one: ?i(_, _) -> l
    two: ?j(_, _) -> l
    three: ?k -> l
    four: !o(any n, any s) -> l
    five: !m(any r, any q) -> l
    six: !done -> l
  }
}
"#;

fn model() -> Model {
    let checked = sioco_lang::check_text("m.sts", MODEL);
    checked.model.unwrap_or_else(|| panic!("{:?}", checked.diagnostics)).model
}

/// Draws records of all kinds.
struct Draw<'m> {
    model: &'m Model,
    random: Random,
}

impl Draw<'_> {
    fn below(&mut self, n: usize) -> usize {
        self.random.below(n as u64) as usize
    }

    fn purpose(&mut self) -> PurposeId {
        PurposeId::from_index(self.below(9))
    }

    fn flag(&mut self) -> bool {
        self.random.below(2) == 0
    }

    fn text(&mut self) -> String {
        let parts = ["a", "\n", "\"", "\\", "é", "\u{1F980}", "}", "{", "\u{0}", " ", "\u{2028}", "delta"];
        (0..self.below(6)).map(|_| parts[self.below(parts.len())]).collect()
    }

    fn value(&mut self, sort: SortId) -> Value {
        let model = self.model;
        match model.sorts.get(sort) {
            Sort::Bool => Value::Bool(self.flag()),
            Sort::Int { lo: Some(_), .. } => model.sorts.nth_value(sort, self.random.below(10)).expect("a value"),
            Sort::Int { .. } => match self.below(3) {
                0 => Value::Int(self.random.between(-9, 9)),
                1 => Value::Int(self.random.bits() as i64),
                _ => number::int(parse_integer("-123456789012345678901234567890").expect("a number")),
            },
            Sort::Real { .. } => {
                let (n, d) = (self.random.between(-9, 99), self.random.between(1, 40));
                Value::real(rational(n.into(), d.into()).expect("a number"))
            }
            Sort::String => Value::string(&self.text()),
            Sort::Seq(item) => Value::seq((0..self.below(3)).map(|_| self.value(*item)).collect()),
            Sort::Set(item) => Value::set((0..self.below(3)).map(|_| self.value(*item)).collect()),
            Sort::Map(key, value) => {
                let entries = (0..self.below(3)).map(|_| (self.value(*key), self.value(*value))).collect();
                Value::map(entries).unwrap_or_else(|_| model.sorts.default_value(sort))
            }
            Sort::Data(data) => {
                let constructors = &model.sorts.data[*data].constructors;
                let at = self.below(constructors.len());
                Value::data(at as u32, constructors[at].fields.iter().map(|f| self.value(f.sort)).collect())
            }
        }
    }

    fn gate(&mut self, direction: Direction) -> GateId {
        let gates: Vec<GateId> =
            self.model.gates.iter().filter(|(_, g)| g.direction == direction).map(|(id, _)| id).collect();
        gates[self.below(gates.len())]
    }

    fn gate_value(&mut self, direction: Direction) -> GateValue {
        let gate = self.gate(direction);
        let model = self.model;
        // A tolerance reaches over the range.
        let args = model.gates[gate].params.iter().map(|p| match p.tolerance {
            Some(_) => loop {
                let value = self.value(model.sorts.base(p.sort));
                if p.takes(&model.sorts, &value) {
                    break value;
                }
            },
            None => self.value(p.sort),
        });
        GateValue { gate, args: args.collect() }
    }

    fn strings(&mut self) -> Vec<String> {
        (0..self.below(3)).map(|_| self.text()).collect()
    }

    fn kind(&mut self) -> FaultKind {
        use FaultKind::*;
        [Start, Protocol, Timeout, Died, Reported, Reset, Glue][self.below(7)]
    }

    fn cause(&mut self) -> Cause {
        match self.below(21) {
            0 => Cause::Reached,
            1 => Cause::Failure(Failure::Output(self.gate_value(Direction::Output))),
            2 => Cause::Failure(Failure::Silence),
            3 => Cause::Failure(Failure::Closed),
            4 => {
                let gate = (self.below(4) > 0).then(|| self.gate(Direction::Output));
                Cause::Failure(Failure::Malformed { gate, why: self.text(), raw: self.text() })
            }
            5 => Cause::Failure(Failure::Refused { input: self.gate_value(Direction::Input), why: self.text() }),
            6 => Cause::Open(OpenCause::Deviation),
            7 => Cause::Open(OpenCause::Crossed),
            8 => Cause::Open(OpenCause::Cut),
            9 => Cause::Open(OpenCause::Unknown(Reason::Undecided(self.text()))),
            10 => Cause::Open(OpenCause::Unknown(Reason::Broken { solver: self.text(), what: self.text() })),
            11 => Cause::Open(OpenCause::NoValues),
            12 if self.random.below(2) == 0 => Cause::Open(OpenCause::Silence(Reliance::Once)),
            12 => Cause::Open(OpenCause::Stopped),
            13 => Cause::Open(OpenCause::Other(self.text())),
            14 => Cause::Trouble(Trouble::Fault { kind: self.kind(), message: self.text(), stderr: self.strings() }),
            15 => {
                let switch = SwitchId::from_index(self.below(self.model.switches.len()));
                Cause::Trouble(Trouble::Model { switch, message: self.text() })
            }
            16 => Cause::Trouble(Trouble::Refused { input: self.gate_value(Direction::Input), why: self.text() }),
            17 => Cause::Open(OpenCause::Unspecified(self.gate_value(Direction::Input))),
            18 => Cause::Open(OpenCause::Deadlock { state: self.text() }),
            19 => Cause::Failure(Failure::Crashed(self.crash())),
            _ => Cause::Open(OpenCause::Dropped { run: RunNumber(self.random.bits()) }),
        }
    }

    fn crash(&mut self) -> Crash {
        let (place, status) = (self.flag().then(|| self.text()), self.flag().then(|| self.text()));
        Crash { message: self.text(), place, status, details: self.strings() }
    }

    fn verdict(&mut self) -> Verdict {
        use Verdict::*;
        [Pass, WeakPass, Inconclusive, Error, Fail][self.below(5)]
    }

    fn record(&mut self) -> Record {
        match self.below(13) {
            0 => {
                let aims = [
                    Aim::Walk,
                    Aim::Replay,
                    Aim::Purpose(self.purpose()),
                    Aim::Shrunk(RunNumber(self.below(9) as u64)),
                ];
                let aim = aims[self.below(4)].clone();
                let order = [Order::Sut, Order::Sent, Order::Certain][self.below(3)];
                Record::Run { run: RunNumber(self.random.bits()), seed: self.random.bits(), aim, order }
            }
            1 => {
                let n = self.purpose();
                let why =
                    [Why::Walk, Why::Replay, Why::Purpose(n), Why::Guess(n), Why::Probe(n)][self.below(5)].clone();
                Record::Input { id: self.random.bits(), input: self.gate_value(Direction::Input), why }
            }
            2 => Record::Accepted { id: self.random.bits() },
            3 => Record::Refused { id: self.random.bits(), why: self.text() },
            4 => Record::Observed(Observation::Output(self.gate_value(Direction::Output))),
            5 if self.random.below(3) == 0 => Record::Hurried,
            5 if self.random.below(2) == 0 => Record::TimedOut(match self.random.below(3) {
                0 => Reliance::Full,
                1 => Reliance::Once,
                _ => Reliance::Starved(Duration::from_micros(self.random.below(1 << 40))),
            }),
            5 => Record::Observed(Observation::Delta),
            6 if self.flag() => Record::Observed(Observation::Crashed(self.crash())),
            6 => Record::Observed(Observation::Closed),
            7 => {
                let gate = (self.below(4) > 0).then(|| self.gate(Direction::Output));
                Record::Observed(Observation::Malformed { gate, why: self.text(), raw: self.text() })
            }
            8 => Record::Purpose {
                purpose: self.purpose(),
                verdict: self.verdict(),
                cause: self.cause(),
                alone: self.flag(),
                doubt: self.flag(),
            },
            9 => Record::Verdict {
                verdict: self.verdict(),
                cause: self.cause(),
                steps: self.random.bits(),
                doubt: self.flag(),
            },
            10 => {
                let (kind, message) = (self.kind(), self.text());
                Record::Fault(Fault { kind, message, stderr: self.strings(), again: self.flag() })
            }
            11 => {
                let (failed, of) = (self.random.bits(), self.random.bits());
                Record::Again { run: RunNumber(self.random.bits()), rate: crate::shrink::Rate { failed, of } }
            }
            _ => {
                use End::*;
                let why = [Done, Steps, Time, Interrupted, FailFast, Broken, Mute, Undefined][self.below(8)].clone();
                let waiting =
                    [None, Some(Waiting::Reset), Some(Waiting::Accepted), Some(Waiting::Observed)][self.below(4)];
                Record::End { why, stale: self.random.bits(), waiting }
            }
        }
    }

    fn header(&mut self) -> Header {
        let seed = self.random.bits();
        let values = [Choice::Min, Choice::Max, Choice::Middle, Choice::Boundary, Choice::Random(seed)][self.below(5)];
        let settings = Settings {
            seed,
            values,
            walks: [Walks::None, Walks::Random, Walks::Guided, Walks::Again][self.below(4)],
            max_steps: self.flag().then(|| self.random.bits()),
            time: self.flag().then(|| Duration::from_micros(self.random.below(1 << 40))),
            quiescence: Duration::from_micros(self.random.below(1 << 40)),
            attempts: self.random.below(1 << 30) as u32,
            fail_fast: self.flag(),
            interaction: [None, Some(Interaction::Eager), Some(Interaction::Fair)][self.below(3)],
            ..Settings::default()
        };
        let system = self.flag().then(|| self.text());
        let consts = vec![(self.text(), self.text()), (self.text(), self.text())];
        Header {
            sioco: self.text(),
            model: About::new(self.model, &self.text(), system.as_deref(), &consts),
            cover: Some(self.text()),
            purposes: self.below(9),
            sut: self.text(),
            settings,
        }
    }
}

fn stamped(draw: &mut Draw<'_>) -> Stamped {
    Stamped { at: Duration::from_micros(draw.random.below(1 << 50)), record: draw.record() }
}

#[test]
fn what_is_written_is_read() {
    let model = model();
    for seed in 0..400 {
        let mut draw = Draw { model: &model, random: Random::new(seed) };
        let header = draw.header();
        let mut records: Vec<Stamped> = (0..20).map(|_| stamped(&mut draw)).collect();
        records.push(Stamped { at: Duration::ZERO, record: Record::End { why: End::Done, stale: 0, waiting: None } });
        let mut text = header.line();
        records.iter().for_each(|r| text.push_str(&line(&model, r)));
        assert_eq!(text.lines().count(), 22, "seed {seed}: one line each");
        let journal = read(&text, &model).unwrap_or_else(|e| panic!("seed {seed}: {e}\n{text}"));
        assert_eq!(journal.header, header, "seed {seed}");
        let read: Vec<Stamped> = journal.records.iter().map(|(_, r)| r.clone()).collect();
        assert_eq!(read, records, "seed {seed}");
        assert!(journal.remarks.is_empty() && journal.same && !journal.cut, "seed {seed}: {:?}", journal.remarks);
        assert_eq!(journal.records[0].0, 2, "lines are numbered from 1");
    }
}

/// A campaign makes its lines in a quicker way.
#[test]
fn lines_of_campaigns_are_those_that_are_written() {
    let model = model();
    let mut lines = Lines::new(&model);
    for seed in 0..400 {
        let mut draw = Draw { model: &model, random: Random::new(seed) };
        for _ in 0..20 {
            let record = stamped(&mut draw);
            assert_eq!(lines.line(&record), sioco_model::visible::json(&line(&model, &record)), "seed {seed}");
        }
    }
}

/// A value too few or too many is left out, as everywhere.
#[test]
fn lines_of_what_does_not_fit_are_those_that_are_written() {
    let model = model();
    let gate = model.gate("i").expect("a gate");
    for n in 0..4 {
        let input = GateValue { gate, args: vec![Value::Int(3); n] };
        let record = Stamped { at: Duration::ZERO, record: Record::Input { id: 1, input, why: Why::Walk } };
        assert_eq!(Lines::new(&model).line(&record), line(&model, &record));
    }
}

/// A gate that stands for the end of the system is the end, also where the record says that it is an output.
#[test]
fn the_end_of_the_system_is_no_output() {
    let text = "output done\noutput closed\noutput crashed\nprocess P { init l { !done -> l\n!closed -> e\n!crashed -> e } final e }";
    let model = sioco_lang::check_text("m.sts", text).model.expect("a model").model;
    let head = Header { model: About::new(&model, "m.sts", None, &[]), ..Header::default() };
    for (gate, expected) in [
        ("done", Observation::Output(GateValue { gate: model.gate("done").expect("a gate"), args: Vec::new() })),
        ("closed", Observation::Closed),
        ("crashed", Observation::Crashed(Crash::default())),
    ] {
        let text = format!("{}{{\"at\":1,\"type\":\"output\",\"gate\":\"{gate}\",\"args\":{{}}}}\n", head.line());
        let found = read(&text, &model).unwrap_or_else(|e| panic!("{gate}: {e}"));
        assert_eq!(found.records[0].1.record, Record::Observed(expected));
    }
}

/// Whatever stands on a last line without an end, all of it or a part, the lines above count.
#[test]
fn a_last_line_without_an_end_damages_nothing() {
    let model = model();
    let mut draw = Draw { model: &model, random: Random::new(7) };
    let mut text = draw.header().line();
    (0..5).for_each(|_| text.push_str(&line(&model, &stamped(&mut draw))));
    for last in [
        "{\"at\":1,\"type\":\"fault\",\"kind\":\"died\"} {",
        "{\"type\":\"hurried\"}]",
        "{\"at\":1,\"type\":\"input\",\"id\":1,\"gate\":\"no\"}x",
        "{}}",
        "[1],",
        "7 7",
        "\0\0\0",
    ] {
        for end in 0..=last.len() {
            let journal = read(&format!("{text}{}", &last[..end]), &model).unwrap_or_else(|e| panic!("{last}: {e}"));
            assert_eq!(journal.records.len(), 5, "{last}, {end}");
            assert!(end == 0 || (journal.cut && journal.remarks[0].line == Some(7)), "{last}, {end}");
        }
        // With an end it is a line like all others.
        assert_eq!(read(&format!("{text}{last}\n"), &model).expect_err(last).line, Some(7));
    }
}

#[test]
fn every_prefix_can_be_read() {
    let model = model();
    for seed in 0..3 {
        let mut draw = Draw { model: &model, random: Random::new(seed) };
        let mut text = draw.header().line();
        let head = text.len() - 1;
        (0..14).for_each(|_| text.push_str(&line(&model, &stamped(&mut draw))));
        for end in 0..=text.len() {
            let part = decode(&text.as_bytes()[..end]).unwrap_or_else(|e| panic!("seed {seed}, {end}: {e}"));
            let journal = read(part, &model);
            if end < head {
                assert!(journal.is_err(), "seed {seed}, {end}: no journal without its first line");
                continue;
            }
            let journal = journal.unwrap_or_else(|e| panic!("seed {seed}, {end}: {e}"));
            // A line is whole without its line break, too.
            let bytes = text.as_bytes();
            let end_of_line = end + usize::from(bytes.get(end) == Some(&b'\n'));
            let whole = bytes[..end_of_line].iter().filter(|b| **b == b'\n').count();
            assert_eq!(journal.records.len(), whole - 1, "seed {seed}, {end}");
        }
    }
}

#[test]
fn damage_has_a_place_and_a_way_out() {
    let model = model();
    let mut draw = Draw { model: &model, random: Random::new(1) };
    let head = draw.header().line();
    let good = r#"{"at":1,"type":"accepted","id":1}"#;
    for (bad, line, what) in [
        ("nonsense", 3, "not JSON"),
        ("[1]", 3, "must be an object"),
        (r#"{"at":1}"#, 3, "`type` is missing"),
        (r#"{"type":"accepted","id":1}"#, 3, "`at` must be"),
        (r#"{"at":-1,"type":"accepted","id":1}"#, 3, "`at` must be"),
        (r#"{"at":1,"type":"accepted","id":-1}"#, 3, "`id` must be a whole number"),
        (r#"{"at":1,"type":"input","id":1,"gate":"x","args":{},"why":"walk"}"#, 3, "has no input `x`"),
        (r#"{"at":1,"type":"input","id":1,"gate":"done","args":{},"why":"walk"}"#, 3, "has the other direction"),
        (
            r#"{"at":1,"type":"input","id":1,"gate":"i","args":{"n":10,"c":"Red"},"why":"walk"}"#,
            3,
            "10 is not a value of",
        ),
        (r#"{"at":1,"type":"input","id":1,"gate":"i","args":{"n":1},"why":"walk"}"#, 3, "no value for `c`"),
        (r#"{"at":1,"type":"input","id":1,"gate":"k","args":{"n":1},"why":"walk"}"#, 3, "no parameter `n`"),
        (r#"{"at":1,"type":"input","id":1,"gate":"k","args":7,"why":"walk"}"#, 3, "`args` must be an object"),
        (r#"{"at":1,"type":"output","gate":"o","args":{"n":"x","s":""}}"#, 3, "\"x\" is not a value of"),
        (r#"{"at":1,"type":"verdict","verdict":"great","cause":"reached","steps":1,"doubt":false}"#, 3, "\"great\""),
        (r#"{"at":1,"type":"verdict","verdict":"pass","cause":"so","steps":1,"doubt":false}"#, 3, "`cause` must be"),
        (r#"{"at":1,"type":"run","run":1,"seed":1,"aim":"fun","order":"sut"}"#, 3, "`aim` must be"),
    ] {
        let text = format!("{head}{good}\n{bad}\n{good}\n");
        let error = read(&text, &model).expect_err(bad);
        assert_eq!(error.line, Some(line), "{bad}");
        assert!(error.what.contains(what), "{bad}: {}", error.what);
        assert!(!error.help.is_empty());
    }
    for (text, what) in [
        (String::new(), "the file is empty"),
        ("\n\n".into(), "the file is empty"),
        ("?inX(6)\n".into(), "not JSON"),
        ("{}\n".into(), "no `\"format\""),
        ("{\"format\":\"sioco-plan\"}\n".into(), "`sioco-plan` file"),
        (head.replace("\"version\":1", "\"version\":2"), "version 2"),
        (head.replace("\"version\":1", "\"version\":\"1\""), "`version` must be"),
        (head.replace("\"fingerprint\":\"", "\"fingerprint\":\"x"), "hexadecimal"),
        (head.replace("\"model\"", "\"modell\""), "`model` is missing"),
        (head[..head.len() / 2].to_owned(), "ends in its first line"),
    ] {
        let error = read(&text, &model).expect_err(&text);
        assert!(error.what.contains(what), "{text}: {}", error.what);
    }
    assert_eq!(decode(b"a\nb\xff\nc").expect_err("no text").line, Some(2));
    assert_eq!(decode(b"a\nb\xff"), Ok("a\nb"));
}

#[test]
fn what_a_later_version_adds_is_passed_over() {
    let model = model();
    let head = Header { model: About::new(&model, "m.sts", None, &[]), ..Header::default() }.line();
    let text = format!(
        "{head}{}\n{}\n{}\n",
        r#"{"at":1,"type":"weather","fine":true}"#,
        r#"{"at":1,"type":"accepted","id":1,"more":2}"#,
        r#"{"at":2,"type":"end","why":"done","stale":0}"#
    );
    let journal = read(&text, &model).expect("a journal");
    assert_eq!(journal.records.len(), 2);
    assert_eq!(journal.remarks.len(), 1);
    assert_eq!(journal.remarks[0].line, Some(2));
}

#[test]
fn a_journal_of_another_model_says_so() {
    let model = model();
    let head = Header { model: About::new(&model, "m.sts", None, &[]), ..Header::default() }.line();
    let text = format!("{head}{}\n", r#"{"at":1,"type":"output","gate":"o","args":{"n":10,"s":""}}"#);
    assert!(read(&text, &model).expect("a journal").same);
    let text_of = MODEL.replace("output o(n: Int,", "output o(n: Int in 0..9,");
    let other = sioco_lang::check_text("m.sts", &text_of).model.expect("a model").model;
    let journal = read(&text, &other).expect("a journal");
    assert!(!journal.same);
    let said: Vec<String> = journal.remarks.iter().map(ToString::to_string).collect();
    assert!(said[0].contains("has changed since"), "{said:?}");
    assert!(said[1].starts_with("line 2: these values no longer fit"), "{said:?}");
    let seen = &journal.records[0].1.record;
    assert!(matches!(seen, Record::Observed(Observation::Malformed { .. })), "{seen:?}");
}

/// Every kind of record, as version 1 writes it: bytes that are out there, which have to mean the same for ever.
const KEPT: &str = include_str!("../../tests/formats/journal-1.jsonl");

/// What [`KEPT`] says.
fn kept(model: &Model) -> (Header, Vec<Stamped>) {
    let mut draw = Draw { model, random: Random::new(1) };
    let header = draw.header();
    (header, (0..120).map(|_| stamped(&mut draw)).collect())
}

#[test]
fn a_journal_of_version_1_is_read_and_written_as_ever() {
    let model = model();
    let (header, records) = kept(&model);
    let mut text = header.line().into_bytes();
    records.iter().for_each(|record| write(&model, record, &mut text));
    let text = String::from_utf8(text).expect("text");
    for (line, (written, kept)) in text.lines().zip(KEPT.lines()).enumerate() {
        assert_eq!(written, kept, "line {}", line + 1);
    }
    assert_eq!(text.lines().count(), KEPT.lines().count());
    let journal = read(KEPT, &model).expect("a journal");
    assert_eq!(journal.header, header);
    assert!(journal.records.iter().map(|(_, record)| record).eq(&records));
    let kinds: std::collections::BTreeSet<&str> =
        KEPT.lines().skip(1).map(|line| line.split('"').nth(5).expect("a type")).collect();
    assert_eq!(kinds.len(), 15, "all kinds of records are kept: {kinds:?}");
}

/// What serde writes is what the readers know.
#[test]
fn words_are_the_same_everywhere() {
    use crate::record::End::*;
    let word = |json: serde_json::Result<Json>| json.expect("a word").as_str().map(str::to_owned);
    for end in [Done, Steps, Time, Interrupted, FailFast, Broken, Mute, Undefined, Memory, Unrecorded] {
        assert_eq!(word(serde_json::to_value(&end)).as_deref(), Some(end.name()));
    }
    for waiting in [Waiting::Reset, Waiting::Accepted, Waiting::Observed] {
        assert_eq!(word(serde_json::to_value(waiting)).as_deref(), Some(waiting.name()));
    }
    for verdict in [Verdict::Pass, Verdict::WeakPass, Verdict::Inconclusive, Verdict::Error, Verdict::Fail] {
        assert_eq!(word(serde_json::to_value(verdict)).as_deref(), Some(verdict.name()));
    }
    for order in [Order::Sut, Order::Sent, Order::Certain] {
        assert_eq!(word(serde_json::to_value(order)).as_deref(), Some(order.name()));
    }
    use FaultKind::{Died, Glue, Played, Protocol, Reported, Reset, Solver, Start, Timeout, Tool};
    for kind in [Start, Protocol, Timeout, Died, Reported, Reset, Glue, Tool, Played, Solver] {
        assert_eq!(word(serde_json::to_value(kind)).as_deref(), Some(kind.name()));
    }
}

/// Within a record, fields are in the order of their names, as they always were.
#[test]
fn causes_keep_the_order_of_their_fields() {
    let model = model();
    let mut draw = Draw { model: &model, random: Random::new(3) };
    for _ in 0..500 {
        let drawn = draw.cause();
        let written = serde_json::to_string(&cause(&model, &drawn)).expect("JSON");
        assert_eq!(written, sioco_plan::value::tree(&cause(&model, &drawn)).to_string());
    }
}
