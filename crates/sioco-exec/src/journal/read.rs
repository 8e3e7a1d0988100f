//! Lines as records.

use std::time::Duration;

use serde_json::Value as Json;
use sioco_model::Id;
use sioco_model::model::{Direction, Model};
use sioco_plan::PurposeId;
use sioco_plan::file::{fingerprint, in_short};

use super::cause::{read_cause, read_crash, read_reliance, strings};
use super::event::{declared, read_args, short};
use super::wrong::RecordError;
use super::{FORMAT, Header, Journal, ReadError, Remark, VERSION, head};
use crate::event::{GateValue, Observation};
use crate::record::{Aim, End, Record, Stamped, Waiting, Why};
use crate::run_number::RunNumber;
use crate::shrink::Rate;
use crate::sut::{Fault, FaultKind, Order};
use crate::verdict::Verdict;

/// What to do about a file that is something else.
const GIVE: &str = "give a journal that `sioco test` wrote; by default, they are in `.sioco/runs`";
/// What to do about a line that is damaged.
const DAMAGED: &str = "the journal is damaged here; delete this line and everything below it to use the rest";

/// The first line of a journal: which model it is about.
pub fn read_header(text: &str) -> Result<Header, ReadError> {
    let (first, whole) = match text.split_once('\n') {
        Some((first, _)) => (first, true),
        None => (text, false),
    };
    let error = |what: String, help: &str| ReadError::at(1, what, help);
    if text.trim().is_empty() {
        return Err(ReadError { line: None, what: "the file is empty".into(), help: GIVE.into() });
    }
    let json: Json = match serde_json::from_str(first) {
        Ok(json) => json,
        Err(e) if e.is_eof() && !whole && text.starts_with(&format!("{{\"format\":\"{FORMAT}\"")) => {
            return Err(error("the journal ends in its first line: nothing was recorded".into(), GIVE));
        }
        Err(_) => return Err(error("this is not a journal: its first line is not JSON".into(), GIVE)),
    };
    match json.get("format").and_then(Json::as_str) {
        Some(FORMAT) => {}
        Some(other) => return Err(error(format!("this is a `{other}` file, not a journal"), GIVE)),
        None => {
            return Err(error(format!("this is not a journal: its first line has no `\"format\":\"{FORMAT}\"`"), GIVE));
        }
    }
    match json.get("version").and_then(Json::as_u64) {
        Some(version) if (1..=VERSION).contains(&version) => {}
        Some(version) => {
            let what = format!("this journal has format version {version}; this sioco reads up to version {VERSION}");
            return Err(error(what, "use a newer sioco"));
        }
        None => return Err(error("`version` must be a whole number".into(), DAMAGED)),
    }
    head::read(&json).map_err(|what| error(what.to_string(), DAMAGED))
}

/// The journal in a text, for a model that may be another one than the one that was tested: then that is said, and what
/// cannot be read with it is an error.
pub fn read(text: &str, model: &Model) -> Result<Journal, ReadError> {
    let header = read_header(text)?;
    let same = header.model.fingerprint == fingerprint(model);
    let mut journal = Journal { header, records: Vec::new(), remarks: Vec::new(), same, cut: false };
    if !same {
        let what = match journal.header.model.name == model.name {
            true => format!("`{}` has changed since the journal was written", model.name),
            false => format!(
                "the journal is for the model `{}`, but this model is `{}`",
                journal.header.model.name, model.name
            ),
        };
        journal.remarks.push(Remark { line: None, what });
    }
    let whole = text.ends_with('\n');
    let count = text.lines().count();
    for (number, line) in text.lines().enumerate().skip(1).map(|(i, line)| (i + 1, line)) {
        if line.trim().is_empty() {
            continue;
        }
        match entry(model, same, line) {
            Ok((stamped, remark)) => {
                journal.remarks.extend(remark.map(|what| Remark { line: Some(number), what }));
                journal.records.extend(stamped.map(|stamped| (number, stamped)));
            }
            // Nobody knows what such a line would have been: whoever wrote it ends every line.
            Err(wrong) if number == count && !whole => {
                let what = match wrong {
                    Wrong::Json(_) => "the journal is cut off here; the lines above are used".to_owned(),
                    Wrong::Record(what, _) => format!("the journal is cut off here ({what}); the lines above are used"),
                };
                journal.remarks.push(Remark { line: Some(number), what: in_short(what) });
                journal.cut = true;
            }
            Err(Wrong::Json(what)) => return Err(ReadError::at(number, what, DAMAGED)),
            Err(Wrong::Record(what, help)) => return Err(ReadError::at(number, what, help)),
        }
    }
    // What was shrunk stands below the end of the campaign.
    let over = journal.records.iter().any(|(_, stamped)| matches!(stamped.record, Record::End { .. }));
    if !over && !journal.cut {
        let what = "the journal ends before the end of the campaign".into();
        journal.remarks.push(Remark { line: None, what });
        journal.cut = true;
    }
    Ok(journal)
}

/// Why a line is no entry of a journal: what is wrong and, where it is an object, what to do.
enum Wrong {
    Json(String),
    Record(String, &'static str),
}

/// The record of a line, and what was read in spite of something.
fn entry(model: &Model, same: bool, line: &str) -> Result<(Option<Stamped>, Option<String>), Wrong> {
    let json: Json = match serde_json::from_str(line) {
        Ok(json @ Json::Object(_)) => json,
        Ok(other) => return Err(Wrong::Json(format!("this must be an object, but is {}", short(&other)))),
        Err(e) => {
            // Its place is told apart.
            let what = e.to_string();
            let what = what.split(" at line ").next().unwrap_or_default();
            return Err(Wrong::Json(format!("this is not JSON: {what}")));
        }
    };
    let help = match same {
        true => DAMAGED,
        false => "this is not the model that was tested; use that model, or test again",
    };
    let mut reader = Reader { model, json: &json, same, remark: None };
    let record = reader.record().map_err(|what| Wrong::Record(what.to_string(), help))?;
    let remark = reader.remark.take();
    let Some(record) = record else { return Ok((None, remark)) };
    let at = json.get("at").and_then(Json::as_u64).map(Duration::from_micros);
    let at = at.ok_or_else(|| Wrong::Record("`at` must be a number of microseconds".into(), DAMAGED))?;
    Ok((Some(Stamped { at, record }), remark))
}

struct Reader<'a> {
    model: &'a Model,
    json: &'a Json,
    same: bool,
    remark: Option<String>,
}

impl Reader<'_> {
    /// The record of a line; nothing if a later version may know what it is.
    fn record(&mut self) -> Result<Option<Record>, RecordError> {
        let kind = self.text("type")?;
        Ok(Some(match kind {
            "run" => Record::Run {
                run: self.run()?,
                seed: self.number("seed")?,
                aim: self.aim()?,
                order: self.word("order", Order::named)?,
            },
            "input" => {
                let gate = declared(self.model, self.text("gate")?, Direction::Input)?;
                let args = read_args(self.model, gate, self.json.get("args"))?;
                Record::Input { id: self.number("id")?, input: GateValue { gate, args }, why: self.why()? }
            }
            "accepted" => Record::Accepted { id: self.number("id")? },
            "refused" => Record::Refused { id: self.number("id")?, why: self.text("why")?.to_owned() },
            "output" => Record::Observed(self.output()?),
            "quiescent" if self.json.get("timed").is_some() && self.flag("timed")? => {
                Record::TimedOut(read_reliance(self.json))
            }
            "quiescent" => Record::Observed(Observation::Delta),
            "closed" => Record::Observed(Observation::Closed),
            "crashed" => Record::Observed(Observation::Crashed(read_crash(self.json))),
            "malformed" => {
                let gate = match self.json.get("gate") {
                    None | Some(Json::Null) => None,
                    Some(_) => Some(declared(self.model, self.text("gate")?, Direction::Output)?),
                };
                let (why, raw) = (self.text("why")?.to_owned(), self.text("raw")?.to_owned());
                Record::Observed(Observation::Malformed { gate, why, raw })
            }
            "hurried" => Record::Hurried,
            "purpose" => Record::Purpose {
                purpose: self.purpose()?,
                verdict: self.word("verdict", Verdict::named)?,
                cause: self.cause()?,
                alone: self.flag("alone")?,
                doubt: self.flag("doubt")?,
            },
            "verdict" => Record::Verdict {
                verdict: self.word("verdict", Verdict::named)?,
                cause: self.cause()?,
                steps: self.number("steps")?,
                doubt: self.flag("doubt")?,
            },
            "fault" => Record::Fault(Fault {
                kind: self.word("kind", FaultKind::named)?,
                message: self.text("message")?.to_owned(),
                stderr: strings(self.json.get("stderr")),
                again: self.flag("again")?,
            }),
            "again" => Record::Again {
                run: self.run()?,
                rate: Rate { failed: self.number("failed")?, of: self.number("of")? },
            },
            "end" => Record::End {
                why: self.word("why", End::named)?,
                stale: self.number("stale")?,
                waiting: self.json.get("waiting").and_then(Json::as_str).and_then(Waiting::named),
            },
            other => {
                self.remark = Some(format!("this sioco does not know the record `{other}` and skips it"));
                return Ok(None);
            }
        }))
    }

    /// An output. Values that fitted the model that was tested and do not fit this one are what the system would be
    /// told, too: malformed.
    fn output(&mut self) -> Result<Observation, RecordError> {
        let name = self.text("gate")?;
        // The end of the system is no output, whatever it is called.
        if let Some(end) = Observation::end_named(name) {
            return Ok(end);
        }
        let gate = declared(self.model, name, Direction::Output)?;
        match read_args(self.model, gate, self.json.get("args")) {
            Ok(args) => Ok(Observation::Output(GateValue { gate, args })),
            Err(why) if self.same => Err(why.into()),
            Err(why) => {
                self.remark = Some(format!("these values no longer fit the model: {why}"));
                let raw = self.json.get("args").map(Json::to_string).unwrap_or_default();
                Ok(Observation::Malformed { gate: Some(gate), why: why.0, raw })
            }
        }
    }

    fn aim(&self) -> Result<Aim, RecordError> {
        let json = self.field("aim")?;
        match (json.as_str(), purpose(json, "purpose")) {
            (Some("walk"), _) => Ok(Aim::Walk),
            (Some("replay"), _) => Ok(Aim::Replay),
            (_, Some(n)) => Ok(Aim::Purpose(n)),
            _ => match json.get("shrunk").and_then(Json::as_u64) {
                Some(run) => Ok(Aim::Shrunk(RunNumber(run))),
                None => Err(RecordError::Should {
                    name: "aim",
                    be: "\"walk\", \"replay\" or an object with `purpose` or `shrunk`",
                }),
            },
        }
    }

    fn why(&self) -> Result<Why, RecordError> {
        let json = self.field("why")?;
        if let Some(n) = purpose(json, "probe") {
            return Ok(Why::Probe(n));
        }
        match (json.as_str(), purpose(json, "purpose"), purpose(json, "guess")) {
            (Some("walk"), ..) => Ok(Why::Walk),
            (Some("replay"), ..) => Ok(Why::Replay),
            (_, Some(n), _) => Ok(Why::Purpose(n)),
            (.., Some(n)) => Ok(Why::Guess(n)),
            _ => Err(RecordError::Should {
                name: "why",
                be: "\"walk\", \"replay\" or an object with `purpose`, `guess` or `probe`",
            }),
        }
    }

    fn cause(&self) -> Result<crate::verdict::Cause, RecordError> {
        read_cause(self.model, self.field("cause")?)
    }

    fn field(&self, name: &'static str) -> Result<&Json, RecordError> {
        self.json.get(name).ok_or(RecordError::Missing(name))
    }

    fn text(&self, name: &'static str) -> Result<&str, RecordError> {
        self.field(name)?.as_str().ok_or(RecordError::Should { name, be: "a string" })
    }

    fn number(&self, name: &'static str) -> Result<u64, RecordError> {
        self.field(name)?.as_u64().ok_or(RecordError::Should { name, be: "a whole number" })
    }

    fn run(&self) -> Result<RunNumber, RecordError> {
        self.number("run").map(RunNumber)
    }

    fn purpose(&self) -> Result<PurposeId, RecordError> {
        self.number("purpose")?;
        purpose(self.json, "purpose").ok_or(RecordError::TooLarge("purpose"))
    }

    fn flag(&self, name: &'static str) -> Result<bool, RecordError> {
        self.field(name)?.as_bool().ok_or(RecordError::Should { name, be: "true or false" })
    }

    fn word<T>(&self, name: &'static str, of: impl FnOnce(&str) -> Option<T>) -> Result<T, RecordError> {
        let text = self.text(name)?;
        of(text).ok_or_else(|| RecordError::Word { name, word: text.to_owned() })
    }
}

/// A purpose by its place in the plan.
fn purpose(json: &Json, name: &str) -> Option<PurposeId> {
    json.get(name)?.as_u64().and_then(|n| u32::try_from(n).ok()).map(|n| PurposeId::from_index(n as usize))
}
