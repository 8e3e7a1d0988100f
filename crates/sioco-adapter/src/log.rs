//! Lines of the adapter protocol as a log, with or without an arrow (`>`, `<`) before them.

use std::time::Duration;

use serde_json::Value as Json;
use sioco_exec::event::{Action, GateValue, Observation};
use sioco_exec::journal::{ReadError, Remark};
use sioco_exec::log::{Log, LoggedRun, LoggedStep, Runs};
use sioco_exec::verdict::Trouble;
use sioco_exec::{FaultKind, Order, RunNumber};
use sioco_model::model::{Direction, Model};

use crate::protocol::{AdapterMessage, gate_of, observation};
use crate::values::{arguments, keep_digits};

/// What to do about a line that is not one of a log.
const HELP: &str =
    "a log has one JSON message on each line: `input`, `output`, `quiescent`, `closed`, `crashed` or `reset`";

/// The runs in a text with lines of the protocol: `input`, `output`, `quiescent`, `closed`, `crashed`; `reset` begins another
/// run.
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
        // What is too long for a number is no JSON either.
        let exact = keep_digits(line).unwrap_or_default();
        match serde_json::from_str::<Json>(&exact) {
            Ok(json @ Json::Object(_)) => lines.push((number, line, json)),
            _ if number == count && !whole => {
                remarks.push(Remark { line: Some(number), what: "the log is cut off here".into() });
            }
            // Adapters may write anything else to their standard output.
            _ if !line.starts_with('{') => {
                remarks.push(Remark { line: Some(number), what: "this is not JSON and is skipped".into() });
            }
            _ => return Err(ReadError::at(number, "this is not JSON", HELP)),
        }
    }
    let acknowledged = lines.iter().any(|(.., json)| matches!(kind(json), Some("accepted" | "refused")));
    let (runs, broken) = (Runs::default(), Vec::new());
    let mut reader = Reader { model, acknowledged, runs, broken, order: None, run: None, resetting: false };
    // A system is reset when it says so, if it does.
    let mut ready = lines.iter().map(|_| false).collect::<Vec<_>>();
    let mut said = false;
    for (i, (.., json)) in lines.iter().enumerate().rev() {
        said |= kind(json) == Some("ready");
        ready[i] = said;
        said &= kind(json) != Some("reset");
    }
    for ((number, text, json), ready) in lines.iter().zip(ready) {
        let remark = match reader.is_old(json, ready) {
            true => Some("this belongs to an older run and is dropped".into()),
            false => reader.line(*number, text, json)?,
        };
        remarks.extend(remark.map(|what| Remark { line: Some(*number), what }));
    }
    reader.runs.finish();
    let mut runs = reader.runs.done;
    // A reset right at the start, or twice, begins nothing.
    runs.retain(|run| !run.steps.is_empty() || run.trouble.is_some());
    runs.iter_mut().for_each(|run| run.order = run.order.or(reader.order));
    Ok(Log { runs, remarks, broken: reader.broken })
}

fn kind(json: &Json) -> Option<&str> {
    json.get("type")?.as_str()
}

struct Reader<'m> {
    model: &'m Model,
    acknowledged: bool,
    runs: Runs,
    /// What broke down before the first run.
    broken: Vec<Trouble>,
    order: Option<Order>,
    /// The number of the run, if it has one.
    run: Option<RunNumber>,
    /// Whether the system is being reset.
    resetting: bool,
}

impl Reader<'_> {
    /// Whether something was seen of a run that is over.
    fn is_old(&self, json: &Json, ready_follows: bool) -> bool {
        let seen = matches!(kind(json), Some("output" | "quiescent" | "closed" | "crashed"));
        let of = json.get("run").and_then(Json::as_u64).map(RunNumber);
        let answers = matches!(kind(json), Some("accepted" | "refused"));
        (answers && ready_follows && self.resetting)
            || seen && ((ready_follows && self.resetting) || of.zip(self.run).is_some_and(|(of, run)| of < run))
    }

    fn line(&mut self, line: usize, text: &str, json: &Json) -> Result<Option<String>, ReadError> {
        let wrong = |what: String| ReadError::at(line, what, HELP);
        let Some(kind) = kind(json) else { return Err(wrong("`type` is missing".into())) };
        let gate = || json.get("gate").and_then(Json::as_str).ok_or_else(|| wrong("`gate` is missing".into()));
        let id = json.get("id").and_then(Json::as_u64);
        let at = json.get("ts").and_then(Json::as_u64).map(Duration::from_micros);
        match kind {
            "reset" => {
                let number = json.get("run").and_then(Json::as_u64).map(RunNumber);
                let number = number.unwrap_or_else(|| RunNumber::FIRST.plus(self.runs.done.len() as u64));
                let seed = json.get("seed").and_then(Json::as_u64);
                (self.run, self.resetting) = (Some(number), true);
                self.runs.begin(LoggedRun { seed, ..LoggedRun::new(number, line) });
            }
            "hello" => {
                let order = json.get("order").and_then(Json::as_str).and_then(Order::promised);
                // An adapter that says nothing about it means `sent`; the hello of a tester has settings.
                let silent = json.get("config").is_none().then_some(Order::Sent);
                self.order = order.or(self.order).or(silent);
            }
            "input" => {
                let gate = gate_of(self.model, gate()?, Direction::Input).map_err(|why| wrong(why.to_string()))?;
                let args = arguments(self.model, &self.model.gates[gate], json.get("args"));
                let args = args.map_err(|why| wrong(why.to_string()))?;
                let input = GateValue { gate, args };
                self.start(line);
                match (self.acknowledged, id) {
                    (true, Some(id)) => self.runs.sent(id, input),
                    (true, None) => return Err(wrong("`id` is missing, but the lines `accepted` need it".into())),
                    (false, _) => {
                        let step = LoggedStep { line, at, action: Action::Input(input), waited: 0, timed: None };
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
                self.runs.refused(id, why.unwrap_or_default(), line, at);
            }
            "output" => {
                let raw = json.get("raw").and_then(Json::as_str);
                let seen = observation(self.model, gate()?, json.get("args"), raw, text);
                let seen = seen.map_err(|why| wrong(why.to_string()))?;
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
            "crashed" => {
                let crash = match AdapterMessage::parse(text) {
                    Ok(Some(AdapterMessage::Crashed { crash, .. })) => crash,
                    Ok(_) => unreachable!("the type is `crashed`"),
                    Err(why) => return Err(wrong(why.to_string())),
                };
                self.start(line);
                self.runs.seen(Observation::Crashed(crash), line, at);
            }
            "error" => {
                let message = json.get("message").and_then(Json::as_str).unwrap_or_default().to_owned();
                let trouble = Trouble::Fault { kind: FaultKind::Reported, message, stderr: Vec::new() };
                match self.runs.run() {
                    Some(run) => run.trouble = Some(trouble),
                    None => self.broken.push(trouble),
                }
            }
            "ready" => self.resetting = false,
            "bye" => {}
            "run" if json.get("aim").is_some() => {
                let what = "this is a journal, but its first line is missing";
                return Err(ReadError::at(line, what, "judge the whole journal: its first line says what it is about"));
            }
            other => return Ok(Some(format!("`{other}` is not a message of the protocol and is skipped"))),
        }
        Ok(None)
    }

    /// A log may leave out the first reset.
    fn start(&mut self, line: usize) {
        if self.runs.done.is_empty() {
            self.runs.begin(LoggedRun::new(RunNumber::FIRST, line));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sioco_exec::Crash;

    fn model() -> Model {
        let text = "input inX(p: Int in 1..10)\noutput outX(p: Int)\noutput done\nprocess P { var x: Int = 0\n init a { ?inX(p) / x := x + p -> b\n !done [x > 15] -> c }\n state b { !outX(x) -> a }\n final c }";
        sioco_lang::check_text("m.sts", text).model.expect("a model").model
    }

    /// The runs in short: a line for each.
    fn shown(log: &Log, model: &Model) -> Vec<String> {
        let step = |s: &LoggedStep| match &s.action {
            Action::Input(i) => i.show(model),
            Action::Seen(Observation::Output(o)) => o.show(model),
            Action::Seen(Observation::Delta) => "delta".into(),
            Action::Seen(Observation::Closed) => "closed".into(),
            Action::Seen(Observation::Crashed(crash)) => format!("crashed: {}", crash.kind()),
            Action::Seen(Observation::Malformed { why, .. }) => format!("malformed: {why}"),
        };
        log.runs.iter().map(|r| r.steps.iter().map(step).collect::<Vec<_>>().join(" ")).collect()
    }

    #[test]
    fn lines_of_the_protocol_are_a_log() {
        let model = model();
        let text = r#"
> {"type":"hello","protocol":1}
< {"type":"hello","protocol":1,"name":"acc","order":"sut"}
{"type":"reset","run":7,"seed":42}
{"type":"ready","run":7}
a word of the adapter
{"type":"input","gate":"inX","args":{"p":6}}
{"type":"output","gate":"outX","args":[6]}
{"type":"quiescent"}
{"type":"reset"}
{"type":"output","gate":"outX","args":{"p":"six"}}
{"type":"closed"}
{"type":"music"}
"#;
        let log = protocol(text, &model).expect("a log");
        let runs = shown(&log, &model);
        assert_eq!(runs, ["?inX(6) !outX(6) delta", "malformed: `p` is `\"six\"`, but must be Int closed"]);
        assert_eq!(
            (log.runs[0].number, log.runs[0].order, log.runs[0].seed),
            (RunNumber(7), Some(Order::Sut), Some(42))
        );
        let remarks: Vec<String> = log.remarks.iter().map(ToString::to_string).collect();
        assert_eq!(remarks.len(), 2, "{remarks:?}");
        assert!(remarks[0].starts_with("line 6: this is not JSON"), "{remarks:?}");
    }

    #[test]
    fn a_crash_is_read_back() {
        let model = model();
        let crash = Crash::new("KeyError: 'a'").with(["Traceback".into()]);
        let line = AdapterMessage::Crashed { run: Some(RunNumber(7)), crash: crash.clone() }.line();
        let log = protocol(&format!("{{\"type\":\"reset\",\"run\":7}}\n< {line}\n"), &model).expect("a log");
        assert_eq!(log.runs[0].steps[0].action, Action::Seen(Observation::Crashed(crash)));
        let log = protocol("{\"type\":\"output\",\"gate\":\"crashed\"}\n", &model).expect("a log");
        assert_eq!(shown(&log, &model), ["crashed: "]);
        // One of an older run is dropped.
        let log = protocol(&format!("{{\"type\":\"reset\",\"run\":8}}\n{line}\n"), &model).expect("a log");
        assert_eq!((shown(&log, &model).len(), log.remarks.len()), (0, 1));
    }

    /// Where an adapter breaks its word about an input, what follows says nothing about the system.
    #[test]
    fn answers_that_are_missing_or_too_many_are_faults() {
        let model = model();
        let input =
            |id: u64, p: i64| format!("{{\"type\":\"input\",\"id\":{id},\"gate\":\"inX\",\"args\":{{\"p\":{p}}}}}\n");
        let output = |p: i64| format!("{{\"type\":\"output\",\"gate\":\"outX\",\"args\":{{\"p\":{p}}}}}\n");
        let answer = |how: &str, id: u64| format!("{{\"type\":\"{how}\",\"id\":{id}}}\n");
        let missing = [input(1, 6), output(6), input(2, 1), answer("accepted", 2), output(7)].concat();
        let twice = [input(1, 6), answer("accepted", 1), answer("accepted", 1), output(6)].concat();
        let both = [input(1, 6), answer("accepted", 1), answer("refused", 1), output(6)].concat();
        let wrong = [input(1, 6), answer("accepted", 2)].concat();
        for (text, steps, why) in [
            (&missing, "", "input 1 was neither accepted nor refused, but a later one was"),
            (&twice, "?inX(6)", "input 1 was accepted, but it was not sent, or was answered before"),
            (&both, "?inX(6)", "input 1 was refused, but it was not sent, or was answered before"),
            (&wrong, "", "input 2 was accepted, but it was not sent, or was answered before"),
        ] {
            let log = protocol(text, &model).expect("a log");
            assert_eq!(shown(&log, &model), [steps], "{text}");
            let Some(Trouble::Fault { message, .. }) = &log.runs[0].trouble else { panic!("{text}") };
            assert_eq!(message, why);
        }
        // An answer that comes while the system is being reset belongs to the run before.
        let reset = "{\"type\":\"reset\",\"run\":2}\n".to_owned();
        let late = [input(1, 6), reset, answer("accepted", 1), answer("ready", 2), input(2, 6), answer("accepted", 2)];
        let log = protocol(&late.concat(), &model).expect("a log");
        assert!(log.runs.iter().all(|run| run.trouble.is_none()), "{:?}", log.runs);
        // An input at the end may still be under way.
        let end = [input(1, 6), answer("accepted", 1), output(6), input(2, 1)].concat();
        assert!(protocol(&end, &model).expect("a log").runs[0].trouble.is_none());
    }

    #[test]
    fn an_input_counts_where_it_was_accepted() {
        let model = model();
        let text = r#"{"type":"input","id":1,"gate":"inX","args":{"p":6}}
{"type":"output","gate":"done"}
{"type":"accepted","id":1}
{"type":"input","id":2,"gate":"inX","args":{"p":7}}
{"type":"refused","id":2,"message":"too much"}
"#;
        let log = protocol(text, &model).expect("a log");
        assert_eq!(shown(&log, &model), ["!done ?inX(6)"]);
        assert!(matches!(&log.runs[0].trouble, Some(Trouble::Refused { why, .. }) if why == "too much"));
    }

    #[test]
    fn what_is_wrong_has_its_line() {
        let model = model();
        for (bad, what) in [
            (r#"{"type":"input","gate":"inY","args":{}}"#, "did you mean `inX`?"),
            (r#"{"type":"input","gate":"outX","args":{}}"#, "is an output of the model"),
            (r#"{"type":"input","gate":"inX","args":{"p":11}}"#, "`p` is"),
            (r#"{"type":"input","args":{"p":11}}"#, "`gate` is missing"),
            (r#"{"gate":"inX"}"#, "`type` is missing"),
            (r#"{"type":"input""#, "this is not JSON"),
        ] {
            let text = format!("{{\"type\":\"quiescent\"}}\n{bad}\n{{\"type\":\"quiescent\"}}\n");
            let error = protocol(&text, &model).expect_err(bad);
            assert_eq!(error.line, Some(2), "{bad}");
            assert!(error.what.contains(what), "{bad}: {}", error.what);
        }
    }

    /// What a tester would drop, or take for a fault, is the same in a log.
    #[test]
    fn a_log_is_read_by_the_rules_of_the_protocol() {
        let model = model();
        let six = r#"{"type":"input","id":1,"gate":"inX","args":{"p":6}}
{"type":"accepted","id":1}
"#;
        let read = |text: String| protocol(&text, &model).expect("a log");
        // Outputs of an older run, by their number or since the system is being reset.
        let log = read(format!(
            "{{\"type\":\"reset\",\"run\":2}}\n{{\"type\":\"output\",\"gate\":\"done\"}}\n\
             {{\"type\":\"ready\",\"run\":2}}\n{six}{{\"type\":\"output\",\"gate\":\"outX\",\"args\":[1],\"run\":1}}\n"
        ));
        assert_eq!((shown(&log, &model), log.remarks.len()), (vec!["?inX(6)".into()], 2));
        // A refused input was not taken, and nothing after it counts.
        let refused = six.replace("accepted", "refused");
        let log = read(format!("{refused}{{\"type\":\"output\",\"gate\":\"outX\",\"args\":[6]}}\n"));
        assert_eq!(shown(&log, &model), [""]);
        assert!(matches!(log.runs[0].trouble, Some(Trouble::Refused { .. })));
        let log = read(format!("{six}{{\"type\":\"error\",\"fatal\":false,\"message\":\"no\"}}\n"));
        assert!(matches!(log.runs[0].trouble, Some(Trouble::Fault { .. })));
        // An adapter that says nothing about the order means `sent`; the hello of a tester says nothing.
        for (hello, order) in [("\"name\":\"x\"", Some(Order::Sent)), ("\"config\":{}", None)] {
            assert_eq!(read(format!("{{\"type\":\"hello\",{hello}}}\n{six}")).runs[0].order, order);
        }
        let run = r#"{"at":1,"type":"run","run":1,"seed":2,"aim":"walk","order":"sut"}"#;
        assert!(protocol(&format!("{run}\n{six}"), &model).expect_err("no log").what.contains("first line is missing"));
    }

    #[test]
    fn numbers_are_exact() {
        let text = "output o(r: Real)\nprocess P { init a { !o(0.1234567890123456789) -> a } }";
        let model = sioco_lang::check_text("m.sts", text).model.expect("a model").model;
        let text = "{\"type\":\"output\",\"gate\":\"o\",\"args\":{\"r\":0.1234567890123456789}}\n";
        let log = protocol(text, &model).expect("a log");
        assert_eq!(shown(&log, &model), ["!o(0.1234567890123456789)"]);
    }
}
