//! The controllers, each on its own: no referee and no ledger.

mod support;

use sioco_exec::controller::probe::{ProbeController, ProbeMove};
use sioco_exec::event::{GateValue, Observation};
use sioco_exec::summary::Probed;
use sioco_model::{GateId, Id, Value};
use sioco_plan::Event;

const MODEL: &str = "input a(x: Int in 0..9)\nprocess P {\n  init l { ?a(x) -> l }\n}\n";

fn a(x: i64) -> Event {
    Event { gate: GateId::from_index(0), args: vec![Value::Int(x)] }
}

fn sent(x: i64) -> GateValue {
    GateValue { gate: GateId::from_index(0), args: vec![Value::Int(x)] }
}

fn probes() -> ProbeController {
    ProbeController::of(vec![Vec::new(), vec![a(1), a(2)], vec![a(10)]])
}

#[test]
fn each_input_waits_until_its_answer_is_complete() {
    let (model, mut probe) = (support::model(MODEL), probes());
    assert!(probe.has(1) && !probe.has(0) && !probe.is_on());
    assert_eq!(probe.select(&model), None);
    probe.begin(1, 7);
    assert_eq!(probe.select(&model), Some(ProbeMove::Send(sent(1), 1)));
    probe.sending(&sent(1));
    probe.answered(None);
    assert_eq!(probe.select(&model), Some(ProbeMove::Wait));
    probe.saw(Observation::Output(sent(5)), true);
    assert_eq!(probe.select(&model), Some(ProbeMove::Wait), "there may be more");
    probe.saw(Observation::Delta, true);
    assert_eq!(probe.select(&model), Some(ProbeMove::Send(sent(2), 1)));
    probe.sending(&sent(2));
    probe.answered(None);
    probe.saw(Observation::Closed, true);
    let seen = vec![(sent(1), vec![Observation::Output(sent(5))]), (sent(2), vec![Observation::Closed])];
    let expected = Probed { purpose: 1, run: 7, seen, refused: None };
    assert_eq!(probe.select(&model), Some(ProbeMove::Over(expected)));
    assert!(!probe.is_on());
}

#[test]
fn silence_before_an_input_is_accepted_answers_nothing() {
    let (model, mut probe) = (support::model(MODEL), probes());
    probe.begin(1, 1);
    probe.sending(&sent(1));
    probe.answered(None);
    probe.saw(Observation::Delta, false);
    assert_eq!(probe.select(&model), Some(ProbeMove::Wait));
}

#[test]
fn a_refusal_ends_a_probe_and_an_input_outside_of_its_range_is_not_sent() {
    let (model, mut probe) = (support::model(MODEL), probes());
    probe.begin(1, 1);
    probe.sending(&sent(1));
    probe.answered(Some("busy".into()));
    let Some(ProbeMove::Over(found)) = probe.select(&model) else { panic!("it goes on") };
    assert_eq!((found.seen.len(), found.refused.as_deref()), (1, Some("busy")));
    probe.begin(2, 2);
    assert_eq!(probe.select(&model), Some(ProbeMove::Drop));
    assert!(matches!(probe.select(&model), Some(ProbeMove::Over(found)) if found.seen.is_empty()));
}
