use sioco_model::model::Model;

use super::*;
use crate::journal::{About, Header, read};

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
    assert_eq!(runs, ["?inX(6) !outX(6) delta", "malformed: \"six\" is no value of `p: Int` closed"]);
    assert_eq!((log.runs[0].number, log.runs[0].order, log.runs[0].seed), (7, Some(Order::Sut), Some(42)));
    let remarks: Vec<String> = log.remarks.iter().map(ToString::to_string).collect();
    assert_eq!(remarks.len(), 2, "{remarks:?}");
    assert!(remarks[0].starts_with("line 6: this is no JSON"), "{remarks:?}");
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
        (r#"{"type":"input","gate":"inY","args":{}}"#, "no input `inY`"),
        (r#"{"type":"input","gate":"outX","args":{}}"#, "the other way"),
        (r#"{"type":"input","gate":"inX","args":{"p":11}}"#, "11 is no value"),
        (r#"{"type":"input","args":{"p":11}}"#, "`gate` is missing"),
        (r#"{"gate":"inX"}"#, "`type` is missing"),
        (r#"{"type":"input""#, "this is no JSON"),
    ] {
        let text = format!("{{\"type\":\"quiescent\"}}\n{bad}\n{{\"type\":\"quiescent\"}}\n");
        let error = protocol(&text, &model).expect_err(bad);
        assert_eq!(error.line, Some(2), "{bad}");
        assert!(error.what.contains(what), "{bad}: {}", error.what);
    }
}

#[test]
fn a_journal_is_a_log() {
    let model = model();
    let head = Header { model: About::new(&model, "m.sts", None, &[]), ..Header::default() }.line();
    let text = format!(
        "{head}{}",
        r#"{"at":0,"type":"run","run":1,"seed":9,"aim":"walk","order":"sent"}
{"at":1,"type":"input","id":1,"gate":"inX","args":{"p":6},"why":"walk"}
{"at":2,"type":"accepted","id":1}
{"at":3,"type":"output","gate":"outX","args":{"p":7}}
{"at":4,"type":"verdict","verdict":"fail","cause":{"fail":"unexpected output","gate":"outX","args":{"p":7}},"steps":2,"doubt":false}
{"at":5,"type":"run","run":2,"seed":9,"aim":"walk","order":"sent"}
{"at":5,"type":"verdict","verdict":"error","cause":{"error":"fault","kind":"died","message":"gone","stderr":[]},"steps":0,"doubt":false}
{"at":6,"type":"end","why":"done","stale":0}
"#
    );
    let log = Log::of(&read(&text, &model).expect("a journal"));
    assert_eq!(shown(&log, &model), ["?inX(6) !outX(7)", ""]);
    assert_eq!(log.runs[0].verdict.as_ref().map(|v| v.0), Some(Verdict::Fail));
    assert_eq!(log.runs[0].inputs().count(), 1);
    assert_eq!(log.runs[0].steps[1].line, 5);
    assert!(log.runs[1].trouble.is_some());
}
