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
        Action::Seen(Observation::Crashed(crash)) => format!("crashed: {}", crash.message),
        Action::Seen(Observation::Malformed { why, .. }) => format!("malformed: {why}"),
    };
    log.runs.iter().map(|r| r.steps.iter().map(step).collect::<Vec<_>>().join(" ")).collect()
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

/// What ended the run came before the input was accepted: whoever runs it again has to send it all the same.
#[test]
fn an_input_without_an_answer_is_kept() {
    let model = model();
    let head = Header { model: About::new(&model, "m.sts", None, &[]), ..Header::default() }.line();
    let text = format!(
        "{head}{}",
        r#"{"at":0,"type":"run","run":1,"seed":9,"aim":"walk","order":"sut"}
{"at":1,"type":"input","id":1,"gate":"inX","args":{"p":6},"why":"walk"}
{"at":2,"type":"accepted","id":1}
{"at":3,"type":"output","gate":"outX","args":{"p":6}}
{"at":4,"type":"input","id":2,"gate":"inX","args":{"p":7},"why":"walk"}
{"at":5,"type":"closed"}
{"at":6,"type":"verdict","verdict":"fail","cause":{"fail":"closed"},"steps":3,"doubt":false}
"#
    );
    let log = Log::of(&read(&text, &model).expect("a journal"));
    assert_eq!(shown(&log, &model), ["?inX(6) !outX(6) closed"]);
    let (after, input) = log.runs[0].unanswered.clone().expect("the second input");
    assert_eq!((after, input.show(&model).as_str()), (2, "?inX(7)"));
    // Once it has an answer, it has a place of its own.
    let answered = text.replace("{\"at\":6", "{\"at\":5,\"type\":\"accepted\",\"id\":2}\n{\"at\":6");
    let log = Log::of(&read(&answered, &model).expect("a journal"));
    assert_eq!((log.runs[0].unanswered.clone(), log.runs[0].inputs().count()), (None, 2));
}

/// Whoever writes a log decides how many inputs wait, and in which order they are answered: each costs the same.
#[test]
fn many_inputs_may_wait() {
    const MANY: u64 = 50_000;
    let model = model();
    let input = GateValue { gate: model.gate("inX").expect("a gate"), args: vec![sioco_model::Value::Int(1)] };
    for order in [Order::Sut, Order::Sent] {
        let mut runs = Runs::default();
        runs.begin(LoggedRun { order: Some(order), ..LoggedRun::new(RunNumber(1), 1) });
        (0..MANY).for_each(|id| runs.sent(id, input.clone()));
        (0..MANY).for_each(|_| runs.timed_out(Reliance::Full, 1, None));
        (0..MANY).rev().for_each(|id| runs.accepted(id, 1, None));
        let run = runs.run().expect("a run");
        assert_eq!((run.steps.len() as u64, run.unanswered.clone()), (2 * MANY, None));
        let first = matches!(run.steps[0].action, Action::Input(_));
        assert_eq!(first, order == Order::Sent, "where an input counts");
    }
    let rate = |of| Rate { failed: 1, of };
    let again = |of| Stamped { at: Duration::ZERO, record: Record::Again { run: RunNumber(of), rate: rate(of) } };
    let begin = |run| Record::Run { run: RunNumber(run), seed: 0, aim: Aim::Walk, order: Order::Sut };
    let begin = |run| Stamped { at: Duration::ZERO, record: begin(run) };
    let records: Vec<Stamped> = (1..=MANY).map(begin).chain((1..=MANY).map(again)).collect();
    let log = Log::of_records(records.iter().map(|stamped| (1, stamped)));
    assert!(log.runs.iter().all(|run| run.again == Some(Rate { failed: 1, of: run.number.0 })));
}
