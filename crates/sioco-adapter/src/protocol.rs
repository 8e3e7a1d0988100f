//! The messages between the tester and an adapter, as lines of JSON.
//!
//! | tester | adapter |
//! | --- | --- |
//! | `hello` | `hello` |
//! | `reset` | `ready`, or `refused` |
//! | `input` | `accepted`, or `refused` |
//! | | `output`, `quiescent`, `closed`, `crashed`, `error` |
//! | `bye` | `bye` |
//!
//! Unknown fields are ignored. If the two versions differ, both sides speak the lower one. A line that is not JSON is
//! a log. If such a line begins like an object, it is a fault instead: it was probably meant to be a message, and
//! ignoring it might look like quiescence of the system.

mod error;
mod wire;

use serde::Serialize;
use serde_json::{Map, Value as Json};
use sioco_exec::{Crash, GateValue, Observation, Order, RunNumber};
use sioco_model::model::{CLOSED, CRASHED, Direction, Gate, Model};
use sioco_model::names::did_you_mean;

pub use self::error::{FieldError, GateError, GateValueError, MessageError, NoJson, VersionError};
use self::wire::{is_nothing, is_usual};
use crate::lines::excerpt;
use crate::values::{Misread, arguments, keep_digits, plain};

/// The version of the protocol that is spoken here.
pub const VERSION: u64 = 1;
/// Where the protocol is described.
pub const DOCUMENT: &str = "docs/adapters.md";

/// At most this many characters of a message are kept with an observation that does not fit. A reader needs its
/// beginning; every such observation is in the journal with it.
const RAW_KEPT: usize = 1000;

/// What the tester says.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum TesterMessage {
    /// The first message.
    Hello {
        /// The newest version it speaks.
        protocol: u64,
        /// The oldest version it speaks, if it says so.
        #[serde(skip_serializing_if = "Option::is_none")]
        oldest: Option<u64>,
        /// Settings for the adapter, by the user.
        config: Map<String, Json>,
    },
    /// Back to the initial state.
    Reset {
        /// The number of the run that begins.
        run: RunNumber,
        /// The seed for whatever the system does at random.
        seed: u64,
    },
    /// An input.
    Input {
        /// Its number in the run.
        id: u64,
        /// The gate.
        gate: String,
        /// The values.
        #[serde(skip_serializing_if = "is_nothing")]
        args: Option<Json>,
    },
    /// The last message.
    Bye,
}

/// What an adapter says about itself.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Hello {
    /// The newest version it speaks.
    pub protocol: u64,
    /// The oldest version it speaks, if it says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub oldest: Option<u64>,
    /// Its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The inputs it takes, if it lists them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inputs: Option<Vec<String>>,
    /// The outputs it may give, if it lists them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outputs: Option<Vec<String>>,
    /// What the order of its messages means.
    pub order: Order,
    /// Whether it can bring the system back to its initial state.
    #[serde(skip_serializing_if = "is_usual")]
    pub reset: bool,
}

/// What an adapter says. Where there is a run, the message belongs to it, otherwise to the run that is on.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum AdapterMessage {
    /// The answer to a hello.
    Hello(Hello),
    /// The answer to a reset.
    Ready {
        /// The run that begins.
        #[serde(skip_serializing_if = "Option::is_none")]
        run: Option<RunNumber>,
    },
    /// An input was taken, or sent on.
    Accepted {
        /// Which.
        id: u64,
        /// In which run.
        #[serde(skip_serializing_if = "Option::is_none")]
        run: Option<RunNumber>,
    },
    /// An input or a reset was not taken.
    Refused {
        /// Which input; nothing for a reset.
        #[serde(skip_serializing_if = "Option::is_none")]
        id: Option<u64>,
        /// In which run.
        #[serde(skip_serializing_if = "Option::is_none")]
        run: Option<RunNumber>,
        /// Why.
        #[serde(rename = "message")]
        why: String,
    },
    /// An output.
    Output {
        /// The gate.
        gate: String,
        /// The values.
        #[serde(skip_serializing_if = "is_nothing")]
        args: Option<Json>,
        /// In which run.
        #[serde(skip_serializing_if = "Option::is_none")]
        run: Option<RunNumber>,
        /// What the system sent, in its own words.
        #[serde(skip_serializing_if = "Option::is_none")]
        raw: Option<String>,
    },
    /// The system ended in an orderly way.
    Closed {
        /// In which run.
        #[serde(skip_serializing_if = "Option::is_none")]
        run: Option<RunNumber>,
    },
    /// The system ended abnormally.
    Crashed {
        /// How.
        #[serde(flatten, serialize_with = "wire::crash")]
        #[cfg_attr(feature = "schema", schemars(with = "wire::CrashLine<'static>"))]
        crash: Crash,
        /// In which run.
        #[serde(skip_serializing_if = "Option::is_none")]
        run: Option<RunNumber>,
    },
    /// The system waits for an input.
    Quiescent {
        /// In which run.
        #[serde(skip_serializing_if = "Option::is_none")]
        run: Option<RunNumber>,
    },
    /// Something does not work, and it is not the system.
    Error {
        /// Whether it will not work after a reset either.
        fatal: bool,
        /// In which run.
        #[serde(skip_serializing_if = "Option::is_none")]
        run: Option<RunNumber>,
        /// What happened.
        message: String,
    },
    /// The last message.
    Bye,
}

impl TesterMessage {
    /// An input of the model.
    pub fn input(model: &Model, id: u64, input: &GateValue) -> TesterMessage {
        let gate = &model.gates[input.gate];
        TesterMessage::Input { id, gate: gate.name.clone(), args: Some(by_name(model, gate, input)) }
    }

    /// The message as a line, without its end.
    pub fn line(&self) -> String {
        wire::line(self)
    }

    /// The message of a line; nothing if it is a log; what is wrong with it.
    pub fn parse(text: &str) -> Result<Option<TesterMessage>, MessageError> {
        let Some(fields) = object(text)? else { return Ok(None) };
        let fields = Fields { fields: &fields, text };
        Ok(Some(match fields.kind(&["hello", "reset", "input", "bye"])? {
            "hello" => TesterMessage::Hello {
                protocol: fields.number("protocol")?.unwrap_or(VERSION),
                oldest: fields.number("oldest")?,
                config: fields.fields.get("config").and_then(Json::as_object).cloned().unwrap_or_default(),
            },
            "reset" => TesterMessage::Reset {
                run: fields.run()?.ok_or_else(|| fields.wrong(FieldError::Missing("run")))?,
                seed: fields.number("seed")?.unwrap_or(0),
            },
            "input" => TesterMessage::Input {
                id: fields.number("id")?.ok_or_else(|| fields.wrong(FieldError::Missing("id")))?,
                gate: fields.gate()?,
                args: fields.fields.get("args").cloned(),
            },
            _ => TesterMessage::Bye,
        }))
    }
}

impl AdapterMessage {
    /// An output of the model.
    pub fn output(model: &Model, output: &GateValue, run: Option<RunNumber>) -> AdapterMessage {
        let gate = &model.gates[output.gate];
        let args = Some(by_name(model, gate, output));
        AdapterMessage::Output { gate: gate.name.clone(), args, run, raw: None }
    }

    /// The message as a line, without its end.
    pub fn line(&self) -> String {
        wire::line(self)
    }

    /// The message of a line; nothing if it is a log; what is wrong with it.
    pub fn parse(text: &str) -> Result<Option<AdapterMessage>, MessageError> {
        let Some(fields) = object(text)? else { return Ok(None) };
        let fields = Fields { fields: &fields, text };
        let run = fields.run()?;
        const KINDS: &[&str] =
            &["hello", "ready", "accepted", "refused", "output", "closed", "crashed", "quiescent", "error", "bye"];
        Ok(Some(match fields.kind(KINDS)? {
            "hello" => AdapterMessage::Hello(fields.hello()?),
            "ready" => AdapterMessage::Ready { run },
            "accepted" => {
                let id = fields.number("id")?.ok_or_else(|| fields.wrong(FieldError::NoInput))?;
                AdapterMessage::Accepted { id, run }
            }
            "refused" => {
                let why = fields.text(&["message", "why"]).unwrap_or_else(|| "the adapter does not say why".into());
                AdapterMessage::Refused { id: fields.number("id")?, run, why }
            }
            "output" => AdapterMessage::Output {
                gate: fields.gate()?,
                args: fields.fields.get("args").cloned(),
                run,
                raw: fields.text(&["raw"]),
            },
            "closed" => AdapterMessage::Closed { run },
            "crashed" => AdapterMessage::Crashed { run, crash: fields.crash() },
            "quiescent" => AdapterMessage::Quiescent { run },
            "error" => {
                let fatal = fields.flag("fatal")?.unwrap_or(false);
                let message = match (fields.text(&["code"]), fields.text(&["message"])) {
                    (Some(code), Some(message)) => format!("{message} ({code})"),
                    (code, message) => message.or(code).unwrap_or_else(|| "the adapter does not say what".into()),
                };
                AdapterMessage::Error { fatal, run, message }
            }
            _ => AdapterMessage::Bye,
        }))
    }
}

/// The values of a gate value, by the names of the parameters.
fn by_name(model: &Model, gate: &Gate, value: &GateValue) -> Json {
    let args = gate.params.iter().zip(&value.args);
    args.map(|(p, v)| (p.name.clone(), sioco_plan::value::json(&model.sorts, p.sort, v))).collect()
}

/// The object that a line is; nothing if it is a log.
fn object(text: &str) -> Result<Option<Map<String, Json>>, MessageError> {
    if !text.trim_start().starts_with('{') {
        return match serde_json::from_str::<Json>(text) {
            Ok(_) => Err(MessageError::NoObject { line: excerpt(text) }),
            Err(_) => Ok(None),
        };
    }
    let kept = keep_digits(text).map_err(MessageError::Number)?;
    match serde_json::from_str(&kept) {
        Ok(Json::Object(fields)) => Ok(Some(fields)),
        Ok(_) => unreachable!("it begins like an object"),
        Err(error) => {
            let hint = if text.contains('\'') && !text.contains('"') {
                Some(NoJson::SingleQuotes)
            } else if ["NaN", "Infinity"].iter().any(|word| text.contains(word)) {
                Some(NoJson::NoFiniteNumber)
            } else {
                None
            };
            Err(MessageError::NoJson { line: excerpt(text), why: error.to_string(), hint })
        }
    }
}

/// The fields of a message, and how to get at them.
struct Fields<'a> {
    fields: &'a Map<String, Json>,
    text: &'a str,
}

impl<'a> Fields<'a> {
    fn wrong(&self, what: FieldError) -> MessageError {
        MessageError::Field { line: excerpt(self.text), what }
    }

    fn kind(&self, known: &'static [&'static str]) -> Result<&'static str, MessageError> {
        let Some(kind) = self.fields.get("type") else {
            return Err(self.wrong(FieldError::Missing("type")));
        };
        let kind = kind.as_str().ok_or_else(|| self.wrong(FieldError::NoString("type")))?;
        known.iter().copied().find(|k| *k == kind).ok_or_else(|| {
            let near = did_you_mean(kind, known.iter().copied());
            self.wrong(FieldError::UnknownType { name: shown(kind), near, known })
        })
    }

    fn number(&self, name: &'static str) -> Result<Option<u64>, MessageError> {
        match self.fields.get(name) {
            None | Some(Json::Null) => Ok(None),
            Some(json) => match json.as_u64() {
                Some(n) => Ok(Some(n)),
                None => Err(self.wrong(FieldError::NoNumber(name))),
            },
        }
    }

    fn run(&self) -> Result<Option<RunNumber>, MessageError> {
        Ok(self.number("run")?.map(RunNumber))
    }

    fn flag(&self, name: &'static str) -> Result<Option<bool>, MessageError> {
        match self.fields.get(name) {
            None | Some(Json::Null) => Ok(None),
            Some(Json::Bool(b)) => Ok(Some(*b)),
            Some(_) => Err(self.wrong(FieldError::NoFlag(name))),
        }
    }

    /// The first of these fields that is there.
    fn text(&self, names: &[&str]) -> Option<String> {
        names.iter().find_map(|name| match self.fields.get(*name)? {
            Json::Null => None,
            Json::String(text) => Some(text.clone()),
            other => Some(plain(other)),
        })
    }

    /// How the system crashed. Whatever the adapter knows about that is taken as it is.
    fn crash(&self) -> Crash {
        let mut crash = Crash::new(&self.text(&["message", "why"]).unwrap_or_default());
        if let Some(place) = self.text(&["place"]) {
            crash = crash.at(place);
        }
        if let Some(status) = self.text(&["status"]) {
            crash = crash.ended(status);
        }
        match self.fields.get("details") {
            None | Some(Json::Null) => crash,
            Some(Json::String(text)) => crash.with(text.lines().map(str::to_owned)),
            Some(Json::Array(lines)) => crash.with(lines.iter().map(|line| match line {
                Json::String(text) => text.clone(),
                other => plain(other),
            })),
            Some(other) => crash.with([plain(other)]),
        }
    }

    fn gate(&self) -> Result<String, MessageError> {
        match self.fields.get("gate") {
            Some(Json::String(gate)) => Ok(gate.clone()),
            Some(_) => Err(self.wrong(FieldError::NoString("gate"))),
            None => Err(self.wrong(FieldError::Missing("gate"))),
        }
    }

    fn gates(&self, name: &'static str) -> Result<Option<Vec<String>>, MessageError> {
        let wrong = || self.wrong(FieldError::NoNames(name));
        match self.fields.get(name) {
            None | Some(Json::Null) => Ok(None),
            Some(Json::Array(items)) => items
                .iter()
                .map(|item| item.as_str().map(str::to_owned))
                .collect::<Option<_>>()
                .ok_or_else(wrong)
                .map(Some),
            Some(_) => Err(wrong()),
        }
    }

    fn hello(&self) -> Result<Hello, MessageError> {
        let order = match self.text(&["order"]) {
            None => Order::Sent,
            Some(name) => Order::promised(&name).ok_or_else(|| self.wrong(FieldError::NoOrder))?,
        };
        Ok(Hello {
            protocol: self.number("protocol")?.unwrap_or(VERSION),
            oldest: self.number("oldest")?,
            name: self.text(&["name"]),
            inputs: self.gates("inputs")?,
            outputs: self.gates("outputs")?,
            order,
            reset: self.flag("reset")?.unwrap_or(true),
        })
    }
}

/// The version that is spoken with one who speaks these; what is wrong if there is none.
pub fn common_version(newest: u64, oldest: Option<u64>) -> Result<u64, VersionError> {
    let oldest = oldest.unwrap_or(1);
    if oldest > VERSION {
        return Err(VersionError::Newer(oldest));
    }
    if newest == 0 || newest < oldest {
        return Err(VersionError::Nonexistent(newest));
    }
    Ok(newest.min(VERSION))
}

/// What an output is for the tester; otherwise what the adapter did wrong.
pub fn observation(
    model: &Model,
    gate: &str,
    args: Option<&Json>,
    raw: Option<&str>,
    text: &str,
) -> Result<Observation, GateValueError> {
    if gate == CLOSED {
        return Ok(Observation::Closed);
    }
    if gate == CRASHED {
        return Ok(Observation::Crashed(Crash::new(raw.unwrap_or_default())));
    }
    let id = gate_of(model, gate, Direction::Output)?;
    match arguments(model, &model.gates[id], args) {
        Ok(args) => Ok(Observation::Output(GateValue { gate: id, args })),
        Err(Misread::Misfit(why)) => {
            let raw: String = raw.unwrap_or(text).chars().take(RAW_KEPT).collect();
            Ok(Observation::Malformed { gate: Some(id), why, raw })
        }
        Err(why @ Misread::Protocol(_)) => Err(GateValueError::Values { line: Some(excerpt(text)), why }),
    }
}

/// The gate with a name and direction; what is wrong if there is none.
pub fn gate_of(model: &Model, name: &str, direction: Direction) -> Result<sioco_model::GateId, GateError> {
    match model.gate(name) {
        Some(id) if model.gates[id].direction == direction => Ok(id),
        Some(_) => Err(GateError::Direction { name: shown(name), sent: direction }),
        None => {
            let gates = model.gates.values().filter(|g| g.direction == direction).map(|g| g.name.as_str());
            Err(GateError::Undeclared { name: shown(name), sent: direction, near: did_you_mean(name, gates) })
        }
    }
}

/// A name that came from outside.
fn shown(name: &str) -> String {
    excerpt(name).trim_matches('`').to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn model() -> Model {
        let text = "input inX(p: Int)\noutput outX(p: Int in 0..99)\noutput done\nprocess Q { init l { ?inX(_) -> l } state m { !outX(any p) -> l\n!done -> l } }";
        sioco_lang::check_text("m.sts", text).model.expect("a model").model
    }

    fn seen(text: &str) -> Result<Observation, String> {
        match AdapterMessage::parse(text).map_err(|why| why.to_string())?.expect("a message") {
            AdapterMessage::Output { gate, args, raw, .. } => {
                observation(&model(), &gate, args.as_ref(), raw.as_deref(), text).map_err(|why| why.to_string())
            }
            other => panic!("{other:?}"),
        }
    }

    /// However a number is written, the message is the same when it is written and read again, and texts keep its digits.
    #[test]
    fn numbers_keep_their_form() {
        for number in [
            "0",
            "-0",
            "7",
            "-12",
            "1.0",
            "1.50",
            "0.1",
            "0.000001",
            "0.00000100",
            "1e-6",
            "1e-7",
            "1E5",
            "1e5",
            "1.25e+2",
            "123456789012345680000",
            "1e16",
            "0.1000000000000000055",
            "5e-324",
            "1e400",
            "-1.7976931348623157e308",
        ] {
            let output =
                format!(r#"{{"type":"output","gate":"outX","args":[{number},{{"a":{number}}}],"raw":{number}}}"#);
            let message = AdapterMessage::parse(&output).expect(number).expect("a message");
            assert_eq!(AdapterMessage::parse(&message.line()), Ok(Some(message.clone())), "{number}");
            let AdapterMessage::Output { raw, .. } = message else { panic!("{message:?}") };
            assert_eq!(raw.as_deref(), Some(number));
            let hello = format!(r#"{{"type":"hello","config":{{"a":{number}}}}}"#);
            let message = TesterMessage::parse(&hello).expect(number).expect("a message");
            assert_eq!(TesterMessage::parse(&message.line()), Ok(Some(message)), "{number}");
        }
        for number in ["01", "01.5", "-00.5", "01e5", "1.", ".5", "1e", "1.2.3", "--1", "1e99999"] {
            let output = format!(r#"{{"type":"output","gate":"outX","args":[{number}]}}"#);
            assert!(AdapterMessage::parse(&output).is_err(), "{number}");
        }
    }

    /// Messages of version 1, which adapters out there speak.
    #[test]
    fn messages_of_version_1_are_written_and_read_as_ever() {
        for line in include_str!("../tests/formats/adapter-1.jsonl").lines() {
            let message = AdapterMessage::parse(line).expect(line).expect("a message");
            assert_eq!(message.line(), line);
        }
        for line in include_str!("../tests/formats/tester-1.jsonl").lines() {
            let message = TesterMessage::parse(line).expect(line).expect("a message");
            assert_eq!(message.line(), line);
        }
    }

    #[test]
    fn messages_are_written_and_read() {
        let about = Hello {
            protocol: 1,
            oldest: None,
            name: Some("a \"b\"".into()),
            inputs: Some(vec!["inX".into()]),
            outputs: None,
            order: Order::Sut,
            reset: false,
        };
        use AdapterMessage::{Accepted, Bye, Closed, Crashed, Error, Output, Quiescent, Ready, Refused};
        for (message, text) in [
            (
                AdapterMessage::Hello(about),
                r#"{"type":"hello","protocol":1,"name":"a \"b\"","inputs":["inX"],"order":"sut","reset":false}"#,
            ),
            (Ready { run: Some(RunNumber(7)) }, r#"{"type":"ready","run":7}"#),
            (Accepted { id: 1, run: None }, r#"{"type":"accepted","id":1}"#),
            (Refused { id: Some(1), run: None, why: "no".into() }, r#"{"type":"refused","id":1,"message":"no"}"#),
            (
                Output {
                    gate: "outX".into(),
                    args: Some(json!({"p": 6})),
                    run: Some(RunNumber(7)),
                    raw: Some("6;".into()),
                },
                r#"{"type":"output","gate":"outX","args":{"p":6},"run":7,"raw":"6;"}"#,
            ),
            (Closed { run: None }, r#"{"type":"closed"}"#),
            (Crashed { run: None, crash: Crash::new("oh \"no\"") }, r#"{"type":"crashed","message":"oh \"no\""}"#),
            (
                Crashed {
                    run: Some(RunNumber(7)),
                    crash: Crash::new("oh").at("a.c:1").ended("exit status: 3").with(["x".into(), "y".into()]),
                },
                r#"{"type":"crashed","message":"oh","place":"a.c:1","status":"exit status: 3","details":"x\ny","run":7}"#,
            ),
            (
                Crashed { run: None, crash: Crash::new("oh").with(["x".into(), String::new()]) },
                r#"{"type":"crashed","message":"oh","details":["x",""]}"#,
            ),
            (Quiescent { run: Some(RunNumber(1)) }, r#"{"type":"quiescent","run":1}"#),
            (
                Error { fatal: true, run: None, message: "broken".into() },
                r#"{"type":"error","fatal":true,"message":"broken"}"#,
            ),
            (Bye, r#"{"type":"bye"}"#),
        ] {
            assert_eq!(message.line(), text);
            assert_eq!(AdapterMessage::parse(text), Ok(Some(message)));
        }
        let input = GateValue { gate: model().gate("inX").unwrap(), args: vec![sioco_model::Value::Int(6)] };
        for (message, text) in [
            (
                TesterMessage::Hello { protocol: 1, oldest: None, config: Map::from_iter([("a".into(), json!(1))]) },
                r#"{"type":"hello","protocol":1,"config":{"a":1}}"#,
            ),
            (
                TesterMessage::Reset { run: RunNumber(7), seed: u64::MAX },
                r#"{"type":"reset","run":7,"seed":18446744073709551615}"#,
            ),
            (TesterMessage::input(&model(), 1, &input), r#"{"type":"input","id":1,"gate":"inX","args":{"p":6}}"#),
            (TesterMessage::Bye, r#"{"type":"bye"}"#),
        ] {
            assert_eq!(message.line(), text);
            assert_eq!(TesterMessage::parse(text), Ok(Some(message)));
        }
    }

    #[test]
    fn fields_that_are_not_known_are_ignored() {
        let text = r#"{"type":"accepted","id":1,"ts":179476814735666400000000,"new":{"a":[]}}"#;
        assert_eq!(AdapterMessage::parse(text), Ok(Some(AdapterMessage::Accepted { id: 1, run: None })));
    }

    #[test]
    fn what_is_not_said_has_a_meaning() {
        let Ok(Some(AdapterMessage::Hello(hello))) = AdapterMessage::parse(r#"{"type":"hello"}"#) else {
            panic!("no hello")
        };
        assert_eq!((hello.protocol, hello.order, hello.reset, hello.inputs), (1, Order::Sent, true, None));
    }

    #[test]
    fn whatever_an_adapter_knows_about_a_crash_is_taken() {
        let crash = |fields: &str| match AdapterMessage::parse(&format!(r#"{{"type":"crashed"{fields}}}"#)) {
            Ok(Some(AdapterMessage::Crashed { crash, run: None })) => crash,
            other => panic!("{other:?}"),
        };
        assert_eq!(crash(""), Crash::default());
        assert_eq!(crash(r#","message":null,"details":[]"#), Crash::default());
        assert_eq!(crash(r#","message":3,"details":7"#), Crash::new("3").with(["7".into()]));
        let details = crash(r#","message":"KeyError: 'a'\nin b","details":["x",1]"#);
        assert_eq!(details, Crash::new("KeyError: 'a'").with(["in b".into(), "x".into(), "1".into()]));
        let seen = seen(r#"{"type":"output","gate":"crashed","raw":"oh"}"#);
        assert_eq!(seen, Ok(Observation::Crashed(Crash::new("oh"))));
    }

    #[test]
    fn logs_are_told_from_broken_messages() {
        for text in ["[info] up", "true story", "12:00:01 hello", "-", "\"a", "null and void"] {
            assert_eq!(AdapterMessage::parse(text), Ok(None), "{text}");
        }
        for (text, part) in [
            ("42", "messages are objects"),
            ("[1]", "messages are objects"),
            ("\"hello\"", "messages are objects"),
            ("{'type': 'hello'}", "json.dumps"),
            (r#"{"type":"output","args":{"x":NaN}}"#, "no such number"),
            ("{}", "has no `type`"),
            (r#"{"type":3}"#, "not a string"),
            (r#"{"type":"outptu"}"#, "did you mean `output`?"),
            (r#"{"type":"xyz"}"#, "the types are hello, ready"),
            (r#"{"type":"accepted"}"#, "has no `id`"),
            (r#"{"type":"accepted","id":-1}"#, "not a natural number"),
            (r#"{"type":"output"}"#, "has no `gate`"),
            (r#"{"type":"output","gate":1}"#, "a `gate` that is not a string"),
            (r#"{"type":"hello","order":"tus"}"#, "neither \"sut\" nor \"sent\""),
            (r#"{"type":"hello","order":"certain"}"#, "neither \"sut\" nor \"sent\""),
            (r#"{"type":"hello","inputs":"inX"}"#, "not a list of names"),
            (r#"{"type":"hello","inputs":[1]}"#, "not a list of names"),
            (r#"{"type":"hello","reset":"no"}"#, "neither true nor false"),
            (r#"{"type":"ready","run":1.5}"#, "not a natural number"),
            (&format!(r#"{{"type":"output","args":{}"#, "[".repeat(100_000)), "not JSON"),
        ] {
            let why = AdapterMessage::parse(text).unwrap_err().to_string();
            assert!(why.contains(part) && why.len() < 2000, "{text}: {why}");
        }
    }

    #[test]
    fn outputs_are_gate_values_or_malformed_or_mistakes() {
        let model = model();
        let gate = model.gate("outX").unwrap();
        let good = Observation::Output(GateValue { gate, args: vec![sioco_model::Value::Int(6)] });
        assert_eq!(seen(r#"{"type":"output","gate":"outX","args":{"p":6}}"#), Ok(good.clone()));
        assert_eq!(seen(r#"{"type":"output","gate":"outX","args":[6]}"#), Ok(good));
        assert_eq!(seen(r#"{"type":"output","gate":"closed"}"#), Ok(Observation::Closed));
        for (args, why) in [
            (r#""args":{"p":100}"#, "`p` is 100, but must be Int in 0..99"),
            (r#""args":{"p":"x"}"#, "`p` is `\"x\"`, but must be Int in 0..99"),
            (r#""args":{}"#, "`p` is missing"),
            (r#""args":{"q":1}"#, "`p` is missing, but `q` came, which is not a parameter; did you mean `p`?"),
            (
                r#""args":{"left":1,"right":2}"#,
                "`p` is missing, but there is no parameter `left`, `right`; the parameters of `outX` are `p`",
            ),
            (r#""args":[]"#, "0 values came for 1 parameter"),
        ] {
            let text = format!(r#"{{"type":"output","gate":"outX",{args}}}"#);
            let malformed = Observation::Malformed { gate: Some(gate), why: why.into(), raw: text.clone() };
            assert_eq!(seen(&text), Ok(malformed), "{text}");
        }
        let raw = seen(r#"{"type":"output","gate":"outX","args":{},"raw":"OUT ;"}"#);
        assert!(matches!(raw, Ok(Observation::Malformed { raw, .. }) if raw == "OUT ;"));
        for (text, part) in [
            (r#"{"type":"output","gate":"outx","args":[6]}"#, "did you mean `outX`?"),
            (r#"{"type":"output","gate":"inX","args":[6]}"#, "is an input of the model"),
            (r#"{"type":"output","gate":"what"}"#, "does not declare an output `what`"),
            (r#"{"type":"output","gate":"outX","args":6}"#, "`args` is `6`"),
            (r#"{"type":"output","gate":"outX","args":null}"#, "`args` is `null`"),
        ] {
            let why = seen(text).unwrap_err();
            assert!(why.contains(part), "{text}: {why}");
        }
    }

    #[test]
    fn any_text_is_read_without_a_panic() {
        let model = model();
        let seeds = [
            r##"{"type":"output","gate":"outX","args":{"p":{"#bigint":"12"}},"run":7,"raw":"a\\\"b"}"##,
            r#"{"type":"output","gate":"outX","args":[12345678901234567890.5e-3,"é"]}"#,
            r#"{"type":"hello","protocol":1,"inputs":["inX"],"outputs":[],"order":"sut","reset":false}"#,
            r#"{"type":"refused","id":1,"message":null}"#,
        ];
        let pieces =
            ["\"", "\\", "{", "}", "[", "]", ",", ":", "-", "1e9", "99999999999999999999", "null", "é", " ", "'"];
        let mut random = sioco_solve::values::Random::new(42);
        let mut read = 0;
        for round in 0..20_000u64 {
            let mut text: Vec<char> = seeds[(round % 4) as usize].chars().collect();
            for _ in 0..=random.below(3) {
                let at = random.below(text.len() as u64) as usize;
                let end = (at + random.below(4) as usize).min(text.len());
                let piece = pieces[random.below(pieces.len() as u64) as usize];
                text.splice(at..end, piece.chars());
            }
            let text: String = text.into_iter().collect();
            let _ = TesterMessage::parse(&text);
            if let Ok(Some(message)) = AdapterMessage::parse(&text) {
                read += 1;
                if let AdapterMessage::Output { gate, args, raw, .. } = message {
                    let _ = observation(&model, &gate, args.as_ref(), raw.as_deref(), &text);
                }
            }
        }
        assert!(read > 500, "only {read} of them are messages");
    }

    #[test]
    fn the_lower_version_wins() {
        assert_eq!(common_version(1, None), Ok(1));
        assert_eq!(common_version(7, None), Ok(1));
        assert_eq!(common_version(7, Some(1)), Ok(1));
        assert!(common_version(7, Some(2)).unwrap_err().to_string().contains("newer sioco"));
        assert!(common_version(0, None).unwrap_err().to_string().contains("version 0"));
    }
}
