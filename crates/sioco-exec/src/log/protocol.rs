//! Lines of the adapter protocol as a log, with or without an arrow (`>`, `<`) before them.

use std::time::Duration;

use serde_json::Value as Json;
use sioco_model::model::{Direction, Model};

use super::{Log, LoggedRun, LoggedStep, Runs};
use crate::event::{Action, GateValue, Observation};
use crate::journal::{ReadError, Remark, declared, read_args};
use crate::sut::{FaultKind, Order};
use crate::verdict::Trouble;

/// What to do about a line that is not one of a log.
const HELP: &str = "a log has a line of JSON for each `input` and `output`, and `quiescent`, `closed` and `reset`";

/// The runs in a text with lines of the protocol: `input`, `output`, `quiescent`, `closed`; `reset` begins another run.
/// An input counts where it was accepted, if the log has lines about that.
pub fn protocol(text: &str, model: &Model) -> Result<Log, ReadError> {
    let whole = text.ends_with('\n');
    let count = text.lines().count();
    let (mut lines, mut remarks) = (Vec::new(), Vec::new());
    for (number, line) in text.lines().enumerate().map(|(i, line)| (i + 1, line)) {
        let line = line.trim_start_matches(['>', '<']).trim();
        if line.is_empty() {
            continue;
        }
        match serde_json::from_str::<Json>(line) {
            Ok(json @ Json::Object(_)) => lines.push((number, json)),
            _ if number == count && !whole => {
                remarks.push(Remark { line: Some(number), what: "the log is cut here".into() });
            }
            // Adapters may write anything else to their standard output.
            _ if !line.starts_with('{') => {
                remarks.push(Remark { line: Some(number), what: "this is no JSON, and is passed over".into() });
            }
            _ => return Err(ReadError::at(number, "this is no JSON", HELP)),
        }
    }
    let acknowledged = lines.iter().any(|(_, json)| kind(json) == Some("accepted"));
    let mut reader = Reader { model, acknowledged, runs: Runs::default(), order: None };
    for (number, json) in &lines {
        let remark = reader.line(*number, json)?;
        remarks.extend(remark.map(|what| Remark { line: Some(*number), what }));
    }
    let mut runs = reader.runs.done;
    // A reset right at the start, or twice, begins nothing.
    runs.retain(|run| !run.steps.is_empty() || run.trouble.is_some());
    runs.iter_mut().for_each(|run| run.order = run.order.or(reader.order));
    Ok(Log { runs, remarks })
}

fn kind(json: &Json) -> Option<&str> {
    json.get("type")?.as_str()
}

struct Reader<'m> {
    model: &'m Model,
    acknowledged: bool,
    runs: Runs,
    order: Option<Order>,
}

impl Reader<'_> {
    fn line(&mut self, line: usize, json: &Json) -> Result<Option<String>, ReadError> {
        let wrong = |what: String| ReadError::at(line, what, HELP);
        let Some(kind) = kind(json) else { return Err(wrong("`type` is missing".into())) };
        let gate = || json.get("gate").and_then(Json::as_str).ok_or_else(|| wrong("`gate` is missing".into()));
        let id = json.get("id").and_then(Json::as_u64);
        let at = json.get("ts").and_then(Json::as_u64).map(Duration::from_micros);
        match kind {
            "reset" => {
                let number = json.get("run").and_then(Json::as_u64).unwrap_or(self.runs.done.len() as u64 + 1);
                let seed = json.get("seed").and_then(Json::as_u64);
                self.runs.begin(LoggedRun { seed, ..LoggedRun::new(number, line) });
            }
            "hello" => {
                let order = json.get("order").and_then(Json::as_str);
                self.order = order.and_then(Order::named).or(self.order);
            }
            "input" => {
                let gate = declared(self.model, gate()?, Direction::Input).map_err(wrong)?;
                let args = read_args(self.model, gate, json.get("args")).map_err(|why| wrong(why.0))?;
                let input = GateValue { gate, args };
                self.start(line);
                match (self.acknowledged, id) {
                    (true, Some(id)) => self.runs.sent(id, input),
                    (true, None) => return Err(wrong("`id` is missing, which the lines `accepted` ask for".into())),
                    (false, _) => {
                        let step = LoggedStep { line, at, action: Action::Input(input), overtaken: false };
                        self.runs.done.last_mut().into_iter().for_each(|run| run.steps.push(step.clone()));
                    }
                }
            }
            "accepted" => {
                let id = id.ok_or_else(|| wrong("`id` is missing".into()))?;
                self.runs.accepted(id, line, at);
            }
            "refused" => {
                let id = id.ok_or_else(|| wrong("`id` is missing".into()))?;
                let why = ["message", "why"].iter().find_map(|name| json.get(*name)?.as_str());
                self.runs.refused(id, why.unwrap_or_default());
            }
            "output" => {
                let gate = declared(self.model, gate()?, Direction::Output).map_err(wrong)?;
                let seen = match read_args(self.model, gate, json.get("args")) {
                    Ok(args) => Observation::Output(GateValue { gate, args }),
                    Err(why) => {
                        let raw = json.get("args").map(Json::to_string).unwrap_or_default();
                        Observation::Malformed { gate, why: why.0, raw }
                    }
                };
                self.start(line);
                self.runs.seen(seen, line, at);
            }
            "quiescent" => {
                self.start(line);
                self.runs.seen(Observation::Delta, line, at);
            }
            "closed" => {
                self.start(line);
                self.runs.seen(Observation::Closed, line, at);
            }
            "error" => {
                let message = json.get("message").and_then(Json::as_str).unwrap_or_default().to_owned();
                if json.get("fatal").and_then(Json::as_bool).unwrap_or(true)
                    && let Some(run) = self.runs.run()
                {
                    let kind = FaultKind::Reported;
                    run.trouble = Some(Trouble::Fault { kind, message, stderr: Vec::new() });
                }
            }
            "ready" | "bye" => {}
            other => return Ok(Some(format!("`{other}` is no line of the protocol, and is passed over"))),
        }
        Ok(None)
    }

    /// A log may leave out the first reset.
    fn start(&mut self, line: usize) {
        if self.runs.done.is_empty() {
            self.runs.begin(LoggedRun::new(1, line));
        }
    }
}
