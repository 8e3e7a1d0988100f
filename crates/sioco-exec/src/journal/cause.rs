//! What verdicts rest on, as JSON.

use std::time::Duration;

use serde_json::{Value as Json, json};
use sioco_model::model::{Direction, Model};
use sioco_plan::file::{parse_reason, reason};

use super::event::{declared, gate_value, read_args};
use crate::crash::Crash;
use crate::event::GateValue;
use crate::reliance::Reliance;
use crate::sut::FaultKind;
use crate::verdict::{Cause, Failure, Open, Trouble};

/// A cause: `"reached"`, or an object with `fail`, `open` or `error`.
pub fn cause(model: &Model, cause: &Cause) -> Json {
    match cause {
        Cause::Reached => json!("reached"),
        Cause::Failure(failure) => {
            let mut object = match failure {
                Failure::Output(output) => gate_value(model, output),
                Failure::Refused { input, why } => {
                    let mut object = gate_value(model, input);
                    object["why"] = json!(why);
                    object
                }
                Failure::Malformed { gate, why, raw } => {
                    json!({ "gate": gate.map(|gate| &model.gates[gate].name), "why": why, "raw": raw })
                }
                Failure::Crashed(crash) => {
                    of_crash(crash).into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
                }
                Failure::Silence | Failure::Closed => json!({}),
            };
            object["fail"] = json!(failure.name());
            object
        }
        Cause::Open(open) => match open {
            Open::Deviation => json!({ "open": "deviation" }),
            Open::Crossed => json!({ "open": "crossed" }),
            Open::Unspecified(input) => {
                let mut object = gate_value(model, input);
                object["open"] = json!("unspecified");
                object
            }
            Open::Cut => json!({ "open": "cut" }),
            Open::Unknown(why) => json!({ "open": "unknown", "reason": reason(why) }),
            Open::Undecided(question) => json!({ "open": "undecided", "question": question }),
            Open::NoValues => json!({ "open": "no values" }),
            Open::Deadlock { state } => json!({ "open": "deadlock", "state": state }),
            Open::Dropped { run } => json!({ "open": "dropped", "run": run }),
            Open::Silence(reliance) => {
                let fields = of_reliance(*reliance).into_iter().map(|(name, value)| (name.to_owned(), value));
                let mut object: Json = fields.collect();
                object["open"] = json!("silence");
                object
            }
            Open::Stopped => json!({ "open": "stopped" }),
            Open::Other(text) => json!({ "open": "other", "text": text }),
        },
        Cause::Trouble(trouble) => match trouble {
            Trouble::Fault { kind, message, stderr } => {
                json!({ "error": "fault", "kind": kind.name(), "message": message, "stderr": stderr })
            }
            Trouble::Model { switch, message } => {
                json!({ "error": "model", "switch": model.switches[*switch].name, "message": message })
            }
            Trouble::Refused { input, why } => {
                let mut object = gate_value(model, input);
                object["error"] = json!("refused");
                object["why"] = json!(why);
                object
            }
        },
    }
}

/// The cause that [`cause`] wrote.
pub(super) fn read_cause(model: &Model, json: &Json) -> Result<Cause, String> {
    if json.as_str() == Some("reached") {
        return Ok(Cause::Reached);
    }
    let text = |name: &str| json.get(name).and_then(Json::as_str).unwrap_or_default().to_owned();
    let of_gate = |direction| -> Result<GateValue, String> {
        let gate = declared(model, &text("gate"), direction)?;
        let args = read_args(model, gate, json.get("args")).map_err(|why| why.0)?;
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
            other => return Err(format!("`{other}` is no way to fail")),
        }));
    }
    if let Some(open) = word("open") {
        return Ok(Cause::Open(match open {
            "deviation" => Open::Deviation,
            "crossed" => Open::Crossed,
            "unspecified" => Open::Unspecified(of_gate(Direction::Input)?),
            "cut" => Open::Cut,
            "unknown" => {
                let reason = json.get("reason").and_then(parse_reason);
                Open::Unknown(reason.ok_or("`reason` does not say why it is unknown")?)
            }
            "undecided" => Open::Undecided(text("question")),
            "no values" => Open::NoValues,
            "deadlock" => Open::Deadlock { state: text("state") },
            "dropped" => Open::Dropped { run: json.get("run").and_then(Json::as_u64).unwrap_or(0) },
            "silence" => Open::Silence(read_reliance(json)),
            "stopped" => Open::Stopped,
            "other" => Open::Other(text("text")),
            other => return Err(format!("`{other}` is no reason for an inconclusive run")),
        }));
    }
    if let Some(error) = word("error") {
        return Ok(Cause::Trouble(match error {
            "fault" => {
                let kind = text("kind");
                let kind = FaultKind::named(&kind).ok_or_else(|| format!("`{kind}` is no kind of fault"))?;
                Trouble::Fault { kind, message: text("message"), stderr: strings(json.get("stderr")) }
            }
            "model" => {
                let name = text("switch");
                let switch = model.switches.iter().find(|(_, s)| s.name == name).map(|(id, _)| id);
                let switch = switch.ok_or_else(|| format!("the model has no switch `{name}`"))?;
                Trouble::Model { switch, message: text("message") }
            }
            "refused" => Trouble::Refused { input: of_gate(Direction::Input)?, why: text("why") },
            other => return Err(format!("`{other}` is no error")),
        }));
    }
    Err("`cause` should be \"reached\", or an object with `fail`, `open` or `error`".into())
}

/// How far silence by the clock can be relied on; nothing if it counts.
pub(super) fn of_reliance(reliance: Reliance) -> Option<(&'static str, Json)> {
    match reliance {
        Reliance::Full => None,
        Reliance::Once => Some(("once", json!(true))),
        Reliance::Starved(late) => Some(("starved", json!(u64::try_from(late.as_micros()).unwrap_or(u64::MAX)))),
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

/// The fields of a crash: what is not known is left out.
pub(super) fn of_crash(crash: &Crash) -> Vec<(&'static str, Json)> {
    let Crash { message, place, status, details } = crash;
    let mut fields = vec![("message", json!(message))];
    fields.extend(place.iter().map(|place| ("place", json!(place))));
    fields.extend(status.iter().map(|status| ("status", json!(status))));
    fields.extend((!details.is_empty()).then(|| ("details", json!(details))));
    fields
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
