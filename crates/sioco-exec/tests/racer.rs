//! A system behind wires: inputs and outputs cross, and the rules for that order of events never fail it.

use std::time::Duration;

use sioco_exec::racer::Wires;
use sioco_exec::verdict::Cause;
use sioco_exec::{GateValue, Observation, Order, Player, Polled, Racer, Referee, RunNumber, Sut, SutEvent, Verdict};
use sioco_lang::check::check_text;
use sioco_model::Value;
use sioco_model::model::Model;
use sioco_solve::BackEnd;
use sioco_solve::values::{Bounds, Random};

const WAIT: Duration = Duration::from_secs(1);

fn solvers() -> Box<dyn Bounds> {
    Box::new(BackEnd::Auto.chain())
}

fn model(text: &str) -> Model {
    let checked = check_text("raced.sts", text);
    assert!(checked.model.is_some(), "{:?}", checked.diagnostics);
    checked.model.expect("it was there").model
}

/// A system that counts, and tells by itself how far it is.
const COUNTER: &str = "
input add(p: Int in 1..3)
input reset
output tell(x: Int)
process P {
  var x: Int = 0
  init s {
    ?add(p)           / x := x + p -> s
    ?reset            / x := 0     -> s
    !tell(x) [x >= 4] / x := x - 4 -> s
  }
}
";

/// What a race came to: how many outputs were seen while inputs were under way, and the cause of its end.
fn race(spec: &Model, played: &Model, seed: u64, wires: Wires, steps: u32) -> (u32, u32, Option<Cause>) {
    let mut sut = Racer::new(Player::new(played), wires);
    let mut referee = Referee::new(spec, &solvers, sut.order());
    let mut random = Random::new(seed);
    assert_eq!(sut.order(), Order::Sent);
    sut.reset(RunNumber(1), seed).expect("an initial state");
    assert_eq!(referee.start(), None);
    let (mut crossings, mut silences) = (0, 0);
    let mut sent: Option<GateValue> = None;
    for step in 0..steps {
        if sent.is_none() && random.below(3) > 0 {
            let (gate, args) = match random.below(5) {
                0 => ("reset", vec![]),
                n => ("add", vec![Value::Int(n as i64 % 3 + 1)]),
            };
            let input = GateValue { gate: spec.gate(gate).expect("declared"), args };
            sut.send(u64::from(step), &input).expect("an input can be sent");
            sent = Some(input);
        }
        let wait = if random.below(3) == 0 { WAIT } else { Duration::ZERO };
        let cause = match sut.poll(wait).expect("the model is never undefined") {
            Polled::Event(SutEvent::Accepted { .. }) => referee.input(&sent.take().expect("an input was sent")),
            Polled::Event(SutEvent::Observed(seen)) => {
                crossings += u32::from(sut.under_way().0 > 0 && seen != Observation::Delta);
                silences += u32::from(seen == Observation::Delta);
                referee.observe(&seen)
            }
            Polled::Nothing => None,
            other => panic!("seed {seed}, step {step}: {other:?}"),
        };
        if cause.is_some() {
            return (crossings, silences, cause);
        }
    }
    (crossings, silences, None)
}

#[test]
fn crossings_never_fail_a_system_that_conforms() {
    let model = model(COUNTER);
    let (mut crossings, mut silences) = (0, 0);
    for seed in 0..100 {
        for input in [0, 50, 90] {
            let wires = Wires { input, output: 60, announce: true };
            let (crossed, silent, cause) = race(&model, &model, seed, wires, 40);
            assert!(cause.as_ref().is_none_or(|c| c.verdict() != Verdict::Fail), "seed {seed}, {input}: {cause:?}");
            crossings += crossed;
            silences += silent;
        }
    }
    assert!(crossings > 500 && silences > 200, "{crossings} {silences}");
}

#[test]
fn what_does_not_conform_still_fails() {
    let (spec, played) = (model(COUNTER), model(&COUNTER.replace("x := x - 4", "x := x - 3")));
    let failing = |seed: &u64| {
        let (_, _, cause) = race(&spec, &played, *seed, Wires::default(), 400);
        cause.is_some_and(|c| c.verdict() == Verdict::Fail)
    };
    let found = (0..30).filter(failing).count();
    assert!(found > 15, "{found} of 30");
}

#[test]
fn without_delays_nothing_crosses_and_silence_may_stay_unsaid() {
    let model = model(COUNTER);
    let wires = Wires { input: 0, output: 0, announce: false };
    for seed in 0..20 {
        let (_, silences, cause) = race(&model, &model, seed, wires.clone(), 60);
        assert_eq!((silences, cause), (0, None), "seed {seed}");
    }
}
