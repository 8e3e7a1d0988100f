//! Logs of any kind, as `sioco judge` reads them.

use std::path::Path;

use sioco::run::{log, text_log};
use sioco_exec::Order;
use sioco_exec::event::{Action, Observation};
use sioco_exec::log::{Log, LoggedStep};
use sioco_exec::reliance::Reliance;
use sioco_model::Model;

use super::{assert_fits, assert_judged, model, shape};
use crate::Seen;

/// A log is read with no more steps than it has lines, or refused with its line. Written as a trace in text, its steps are
/// the same. Runs can be judged.
pub fn run(data: &[u8], seen: &mut Seen) {
    let (model, text) = (model(), String::from_utf8_lossy(data));
    let lines = text.lines().count().max(1);
    let found = match log::read(Path::new("fuzz.log"), data, model) {
        Ok(found) => found,
        Err(failure) => {
            let words = failure.message.unwrap_or_default();
            let line = words.strip_prefix("fuzz.log:").and_then(|rest| rest.split(':').next()?.parse::<usize>().ok());
            assert!(line.is_some_and(|line| (1..=lines).contains(&line)), "no line of {lines} is named: {words}");
            assert!(words.len() < 20_000 && failure.help.is_some_and(|help| !help.is_empty()), "{} bytes", words.len());
            seen.add(("refused", shape(&words)));
            return;
        }
    };
    let mut steps = 0;
    for run in &found.runs {
        seen.add((
            "run",
            run.order == Some(Order::Sent),
            run.trouble.is_some(),
            run.unanswered.is_some(),
            run.steps.len().min(3),
        ));
        for step in &run.steps {
            steps += 1;
            assert!((1..=lines).contains(&step.line), "line {} of {lines}", step.line);
            assert_step(model, step, seen);
        }
    }
    assert!(steps <= 2 * lines && found.runs.len() <= lines, "{steps} steps in {lines} lines");
    for remark in &found.remarks {
        assert!(!remark.what.is_empty() && remark.line.is_none_or(|line| (1..=lines).contains(&line)), "{remark}");
        seen.add(("remark", shape(&remark.what)));
    }
    written(model, &found);
    assert_judged(model, &found.runs, seen);
}

fn assert_step(model: &Model, step: &LoggedStep, seen: &mut Seen) {
    match &step.action {
        Action::Input(value) | Action::Seen(Observation::Output(value)) => {
            assert_fits(model, value);
            seen.add(("step", value.gate));
        }
        Action::Seen(Observation::Malformed { why, gate, .. }) => seen.add(("malformed", *gate, shape(why))),
        Action::Seen(other) => seen.add(("seen", std::mem::discriminant(other))),
    }
}

/// The steps as `sioco simulate` would save them, and read again. What was malformed has no form of its own.
fn written(model: &Model, log: &Log) {
    for run in log.runs.iter().take(5) {
        let (mut text, mut expected) = (String::new(), Vec::new());
        for step in run.steps.iter().take(200) {
            let line = match &step.action {
                Action::Input(value) | Action::Seen(Observation::Output(value)) => value.show(model),
                Action::Seen(Observation::Delta) if step.timed.is_some() => "delta".into(),
                Action::Seen(Observation::Delta) => "quiescent".into(),
                Action::Seen(Observation::Closed) => "closed".into(),
                Action::Seen(Observation::Crashed(_) | Observation::Malformed { .. }) => continue,
            };
            text.push_str(&line);
            text.push('\n');
            // How far silence by the clock can be relied on has no form in a trace.
            expected.push((&step.action, step.timed.map(|_| Reliance::Full)));
        }
        let again = text_log::read(&text, model).unwrap_or_else(|e| panic!("written again: {e}\n{text}"));
        let steps: Vec<_> = again.runs.iter().flat_map(|run| &run.steps).map(|s| (&s.action, s.timed)).collect();
        assert_eq!(steps, expected, "{text}");
    }
}

const TRACE: &str = "// a trace\nreset\ntake: ?a(6, Red)\n!oa(p=6, c=Red) // said\n?s(\"a\\n//b\", true)\n\n?pt((1, 2.5), [1, 2])\nset x=3\n\
    go: ?go\ndelta\nreset\n!v(0.25, -7)\n!r(Balance(6, true))\n!r(Refused)\n!opt(Point { x: 1, y: 1/3 }, [])\nquiescent\n\
    !line(\"\\u{e9}\")\n!oa(2000, Blue)\na & b 3\nsay/free 1\nend\ncrashed\nreset\n!done\nclosed\n";

const PROTOCOL: &str = r##"> {"type":"hello","protocol":1,"config":{}}
< {"type":"hello","protocol":1,"name":"x","order":"sent","inputs":["a"],"outputs":["oa"]}
> {"type":"reset","run":1,"seed":7}
< {"type":"ready","run":1}
a word of the adapter
> {"type":"input","id":1,"gate":"a","args":{"p":6,"c":"Red"},"ts":5}
< {"type":"output","gate":"oa","args":[6,"Red"],"run":1}
< {"type":"accepted","id":1}
> {"type":"input","id":2,"gate":"pt","args":{"p":{"x":1,"y":2.5},"q":[1,{"#bigint":"12345678901234567890"}]}}
< {"type":"refused","id":2,"message":"too much"}
> {"type":"reset","run":2}
< {"type":"output","gate":"v","args":{"r":{"#rational":"1/3"},"n":0.1},"raw":"x"}
< {"type":"quiescent"}
< {"type":"output","gate":"r","args":{"r":{"Balance":{"amount":1e2,"ok":true}}}}
< {"type":"error","message":"no","fatal":false}
< {"type":"crashed","message":"oh","details":["a","b"],"status":"exit status: 1"}
> {"type":"bye"}
"##;

/// Logs to start from.
pub fn seeds() -> Vec<Vec<u8>> {
    let mut found = vec![TRACE.as_bytes().to_vec(), PROTOCOL.as_bytes().to_vec()];
    found.extend(super::journal::seeds());
    found
}

/// What an adapter says.
pub fn conversations() -> Vec<Vec<u8>> {
    let said = PROTOCOL.lines().filter_map(|line| line.strip_prefix("< ")).collect::<Vec<_>>().join("\n");
    let short = "{\"type\":\"hello\",\"order\":\"sut\"}\nlog\n{\"type\":\"ready\",\"run\":1}\n{\"type\":\"accepted\",\"id\":1,\"run\":1}\n\
        {\"type\":\"output\",\"gate\":\"v\",\"args\":{\"r\":1.25e-3,\"n\":12345678901234567890}}\n{\"type\":\"closed\"}\n\
        {\"type\":\"ready\",\"run\":2}\n{\"type\":\"output\",\"gate\":\"line\",\"args\":[\"x\"]}\n{\"type\":\"quiescent\"}\n";
    vec![short.as_bytes().to_vec(), said.into_bytes(), PROTOCOL.as_bytes().to_vec()]
}
