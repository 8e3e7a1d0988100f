//! What verdicts rest on, as JSON.

use std::time::Duration;

use serde::Serialize;
use serde_json::Value as Json;
use sioco_model::GateId;
use sioco_model::model::{Direction, Model};
use sioco_plan::file::{ReasonLine, parse_reason, reason};

use super::event::{Args, by_name, declared, read_args};
use super::head::micros;
use super::wrong::{CauseError, RecordError};
use crate::crash::Crash;
use crate::event::GateValue;
use crate::reliance::Reliance;
use crate::run_number::RunNumber;
use crate::sut::FaultKind;
use crate::verdict::{Cause, Failure, OpenCause, Trouble};

/// A cause: `"reached"`, or an object with `fail`, `open` or `error`. The fields of each are in the order of their names.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Cause"))]
pub enum CauseLine<'a> {
    /// The purpose was reached, or the run is as it should be.
    Reached(Reached),
    /// An output that nothing allows.
    Output {
        /// Its values by the names of the parameters.
        args: Args<'a>,
        /// In what way it fails.
        fail: &'static str,
        /// Its gate.
        gate: &'a str,
    },
    /// A refused input that counts as a failure.
    RefusedInput {
        /// Its values by the names of the parameters.
        args: Args<'a>,
        /// In what way it fails.
        fail: &'static str,
        /// Its gate.
        gate: &'a str,
        /// What the adapter says about it.
        why: &'a str,
    },
    /// Something that is no output of the model.
    Malformed {
        /// In what way it fails.
        fail: &'static str,
        /// The gate, if it is one.
        gate: Option<&'a str>,
        /// What was received.
        raw: &'a str,
        /// What is wrong with it.
        why: &'a str,
    },
    /// A crash that nothing allows.
    Crashed {
        /// What else is known, line by line.
        #[serde(skip_serializing_if = "<[_]>::is_empty")]
        details: &'a [String],
        /// In what way it fails.
        fail: &'static str,
        /// What happened.
        message: &'a str,
        /// Where in the code of the system.
        #[serde(skip_serializing_if = "Option::is_none")]
        place: Option<&'a str>,
        /// How its process ended.
        #[serde(skip_serializing_if = "Option::is_none")]
        status: Option<&'a str>,
    },
    /// Silence, or an end, that nothing allows.
    Fails {
        /// In what way it fails.
        fail: &'static str,
    },
    /// An input after which the model says nothing.
    Unspecified {
        /// Its values by the names of the parameters.
        args: Args<'a>,
        /// Its gate.
        gate: &'a str,
        /// Why nothing definite can be said.
        open: &'static str,
    },
    /// Whether there are values is unknown.
    Unknown {
        /// Why nothing definite can be said.
        open: &'static str,
        /// The reason of the solver.
        reason: ReasonLine<'a>,
    },
    /// A question that no solver answered.
    Undecided {
        /// Why nothing definite can be said.
        open: &'static str,
        /// The question.
        question: &'a str,
    },
    /// A deadlock of the model.
    Deadlock {
        /// Why nothing definite can be said.
        open: &'static str,
        /// The state, in words.
        state: &'a str,
    },
    /// Another run failed on the way.
    Dropped {
        /// Why nothing definite can be said.
        open: &'static str,
        /// The run that failed.
        run: RunNumber,
    },
    /// Silence by the clock that does not count as it is.
    Silence {
        /// Whether it came only once.
        #[serde(skip_serializing_if = "is_false")]
        once: bool,
        /// Why nothing definite can be said.
        open: &'static str,
        /// How long the tester was held up, in microseconds.
        #[serde(skip_serializing_if = "Option::is_none")]
        starved: Option<u64>,
    },
    /// Something else, in words.
    Other {
        /// Why nothing definite can be said.
        open: &'static str,
        /// The words.
        text: &'a str,
    },
    /// A deviation, a crossing, an early end: the word says it all.
    Open {
        /// Why nothing definite can be said.
        open: &'static str,
    },
    /// The adapter or the surroundings of the system broke down.
    Fault {
        /// The kind of error.
        error: &'static str,
        /// Whose fault it is.
        kind: FaultKind,
        /// What happened.
        message: &'a str,
        /// The last lines of the standard error of the adapter.
        stderr: &'a [String],
    },
    /// The model is undefined for what happened.
    Model {
        /// The kind of error.
        error: &'static str,
        /// What is undefined.
        message: &'a str,
        /// The switch.
        switch: &'a str,
    },
    /// A refused input that says nothing.
    Refused {
        /// Its values by the names of the parameters.
        args: Args<'a>,
        /// The kind of error.
        error: &'static str,
        /// Its gate.
        gate: &'a str,
        /// What the adapter says about it.
        why: &'a str,
    },
}

/// The word of a cause that needs no more.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Reached {
    /// What was wanted was reached.
    Reached,
}

fn is_false(flag: &bool) -> bool {
    !flag
}

/// A cause as it is written.
pub fn cause<'a>(model: &'a Model, cause: &'a Cause) -> CauseLine<'a> {
    match cause {
        Cause::Reached => CauseLine::Reached(Reached::Reached),
        Cause::Failure(failure) => of_failure(model, failure),
        Cause::Open(open) => of_open(model, open),
        Cause::Trouble(trouble) => match trouble {
            Trouble::Fault { kind, message, stderr } => {
                CauseLine::Fault { error: "fault", kind: *kind, message, stderr }
            }
            Trouble::Model { switch, message } => {
                CauseLine::Model { error: "model", message, switch: &model.switches[*switch].name }
            }
            Trouble::Refused { input, why } => {
                let (args, gate) = (by_name(model, input), gate(model, input.gate));
                CauseLine::Refused { args, error: "refused", gate, why }
            }
        },
    }
}

fn gate(model: &Model, gate: GateId) -> &str {
    &model.gates[gate].name
}

fn of_failure<'a>(model: &'a Model, failure: &'a Failure) -> CauseLine<'a> {
    let fail = failure.name();
    match failure {
        Failure::Output(output) => {
            CauseLine::Output { args: by_name(model, output), fail, gate: gate(model, output.gate) }
        }
        Failure::Refused { input, why } => {
            CauseLine::RefusedInput { args: by_name(model, input), fail, gate: gate(model, input.gate), why }
        }
        Failure::Malformed { gate: id, why, raw } => {
            CauseLine::Malformed { fail, gate: id.map(|id| gate(model, id)), raw, why }
        }
        Failure::Crashed(Crash { message, place, status, details }) => {
            CauseLine::Crashed { details, fail, message, place: place.as_deref(), status: status.as_deref() }
        }
        Failure::Silence | Failure::Closed => CauseLine::Fails { fail },
    }
}

fn of_open<'a>(model: &'a Model, open: &'a OpenCause) -> CauseLine<'a> {
    match open {
        OpenCause::Deviation => CauseLine::Open { open: "deviation" },
        OpenCause::Crossed => CauseLine::Open { open: "crossed" },
        OpenCause::Unspecified(input) => {
            let (args, gate) = (by_name(model, input), gate(model, input.gate));
            CauseLine::Unspecified { args, gate, open: "unspecified" }
        }
        OpenCause::Cut => CauseLine::Open { open: "cut" },
        OpenCause::Unknown(why) => CauseLine::Unknown { open: "unknown", reason: reason(why) },
        OpenCause::Undecided(question) => CauseLine::Undecided { open: "undecided", question },
        OpenCause::NoValues => CauseLine::Open { open: "no values" },
        OpenCause::Deadlock { state } => CauseLine::Deadlock { open: "deadlock", state },
        OpenCause::Dropped { run } => CauseLine::Dropped { open: "dropped", run: *run },
        OpenCause::Silence(reliance) => {
            let (once, starved) = of_reliance(*reliance);
            CauseLine::Silence { once, open: "silence", starved }
        }
        OpenCause::Stopped => CauseLine::Open { open: "stopped" },
        OpenCause::Other(text) => CauseLine::Other { open: "other", text },
    }
}

/// The cause that [`cause`] wrote.
pub(super) fn read_cause(model: &Model, json: &Json) -> Result<Cause, RecordError> {
    if json.as_str() == Some("reached") {
        return Ok(Cause::Reached);
    }
    let text = |name: &str| json.get(name).and_then(Json::as_str).unwrap_or_default().to_owned();
    let of_gate = |direction| -> Result<GateValue, RecordError> {
        let gate = declared(model, &text("gate"), direction)?;
        let args = read_args(model, gate, json.get("args"))?;
        Ok(GateValue { gate, args })
    };
    let word = |name: &str| json.get(name).and_then(Json::as_str);
    if let Some(fail) = word("fail") {
        return Ok(Cause::Failure(match fail {
            "unexpected output" => Failure::Output(of_gate(Direction::Output)?),
            "unexpected silence" => Failure::Silence,
            "closed" => Failure::Closed,
            "crashed" => Failure::Crashed(read_crash(json)),
            "malformed" => {
                let gate = word("gate").map(|name| declared(model, name, Direction::Output)).transpose()?;
                Failure::Malformed { gate, why: text("why"), raw: text("raw") }
            }
            "refused" => Failure::Refused { input: of_gate(Direction::Input)?, why: text("why") },
            other => return Err(CauseError::Failure(other.to_owned()).into()),
        }));
    }
    if let Some(open) = word("open") {
        return Ok(Cause::Open(match open {
            "deviation" => OpenCause::Deviation,
            "crossed" => OpenCause::Crossed,
            "unspecified" => OpenCause::Unspecified(of_gate(Direction::Input)?),
            "cut" => OpenCause::Cut,
            "unknown" => {
                let reason = json.get("reason").and_then(parse_reason);
                OpenCause::Unknown(reason.ok_or(CauseError::Reason)?)
            }
            "undecided" => OpenCause::Undecided(text("question")),
            "no values" => OpenCause::NoValues,
            "deadlock" => OpenCause::Deadlock { state: text("state") },
            "dropped" => {
                OpenCause::Dropped { run: json.get("run").and_then(Json::as_u64).map(RunNumber).unwrap_or_default() }
            }
            "silence" => OpenCause::Silence(read_reliance(json)),
            "stopped" => OpenCause::Stopped,
            "other" => OpenCause::Other(text("text")),
            other => return Err(CauseError::Open(other.to_owned()).into()),
        }));
    }
    if let Some(error) = word("error") {
        return Ok(Cause::Trouble(match error {
            "fault" => {
                let kind = text("kind");
                let kind = FaultKind::named(&kind).ok_or(CauseError::FaultKind(kind))?;
                Trouble::Fault { kind, message: text("message"), stderr: strings(json.get("stderr")) }
            }
            "model" => {
                let name = text("switch");
                let switch = model.switches.iter().find(|(_, s)| s.name == name).map(|(id, _)| id);
                let switch = switch.ok_or(CauseError::Switch(name))?;
                Trouble::Model { switch, message: text("message") }
            }
            "refused" => Trouble::Refused { input: of_gate(Direction::Input)?, why: text("why") },
            other => return Err(CauseError::Trouble(other.to_owned()).into()),
        }));
    }
    Err(CauseError::Form.into())
}

/// How far silence by the clock can be relied on: whether it came only once, and for how many microseconds the tester
/// was held up.
pub(super) fn of_reliance(reliance: Reliance) -> (bool, Option<u64>) {
    match reliance {
        Reliance::Full => (false, None),
        Reliance::Once => (true, None),
        Reliance::Starved(late) => (false, Some(micros(late))),
    }
}

/// How far a silence with these fields can be relied on.
pub(super) fn read_reliance(json: &Json) -> Reliance {
    match json.get("starved").and_then(Json::as_u64) {
        Some(late) => Reliance::Starved(Duration::from_micros(late)),
        None if json.get("once").and_then(Json::as_bool) == Some(true) => Reliance::Once,
        None => Reliance::Full,
    }
}

/// The crash that these fields tell of; whoever records one need not know anything about it.
pub(super) fn read_crash(json: &Json) -> Crash {
    let text = |name: &str| json.get(name).and_then(Json::as_str).map(str::to_owned);
    let message = text("message").unwrap_or_default();
    Crash { message, place: text("place"), status: text("status"), details: strings(json.get("details")) }
}

/// A list of texts; what is none is left out.
pub(super) fn strings(json: Option<&Json>) -> Vec<String> {
    let items = json.and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default();
    items.iter().filter_map(|item| item.as_str().map(str::to_owned)).collect()
}
