//! Where a system is when the last step of a recorded run is to come: only there it can show that it is mended.

mod support;

use std::time::Duration;

use sioco_exec::drive::Bench;
use sioco_exec::log::{LoggedRun, Runs};
use sioco_exec::replay::{Patience, Point, Replayed, replay};
use sioco_exec::verdict::Cause;
use sioco_exec::{
    Fault, GateValue, NoClock, Observation, Order, Player, Polled, Referee, RunNumber, Sut, SutEvent, Verdict,
};
use sioco_model::Model;
use support::{Scripted, builtin, event, model as model_of};

/// A greeting that the model forgets, a token that it remembers, and something that it asks for in the end.
const MODEL: &str = "
input  open
input  ask
output hello(version: Int)
output token(t: Int in 0..9)
output here(t: Int in 0..9)
output busy
process P {
  var t: Int in 0..9 = 0
  init l0 { ?open -> l1 }
  state l1 { !hello(any v) [v > 0] -> l2 }
  state l2 { !token(any k) / t := k -> l3 }
  state l3 { ?ask -> l4 }
  state l4 { !here(t) -> l3 !busy -> l4 }
}
";

/// A recorded run: inputs that were accepted, or with a question mark at the end were not, outputs, `delta`.
fn recorded(model: &Model, text: &str) -> LoggedRun {
    let mut runs = Runs::default();
    runs.begin(LoggedRun { order: Some(Order::Sut), ..LoggedRun::new(RunNumber(1), 1) });
    for (line, word) in text.split_whitespace().enumerate() {
        let (word, open) = word.strip_suffix('?').map_or((word, false), |word| (word, true));
        match word {
            "delta" => runs.seen(Observation::Delta, line, None),
            "closed" => runs.seen(Observation::Closed, line, None),
            word if word.starts_with('?') => {
                runs.sent(line as u64, event(model, word));
                if !open {
                    runs.accepted(line as u64, line, None);
                }
            }
            word => runs.seen(Observation::Output(event(model, word)), line, None),
        }
    }
    runs.done.pop().expect("a run was begun")
}

fn again(model: &Model, text: &str, sut: &mut dyn Sut) -> Replayed {
    let mut referee = Referee::new(model, &builtin, Order::Sut);
    let patience = Patience { quiescence: Duration::from_millis(1), slower: None, accepted: Duration::from_secs(1) };
    replay(
        &mut referee,
        Bench { sut, clock: &mut NoClock },
        &recorded(model, text),
        RunNumber(1),
        patience,
        &mut |_| {},
    )
}

/// A system that answers the first input and the second one like this.
fn answers<'m>(model: &'m Model, first: &'m str, second: &'m str) -> Scripted<'m> {
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect();
    Scripted::new(model, move |got: &[GateValue]| match got.len() {
        0 => Vec::new(),
        1 => words(first),
        _ => words(second),
    })
}

#[test]
fn where_a_system_is_when_the_last_step_is_to_come() {
    let model = model_of(MODEL);
    let run = "?open !hello(1) !token(3) ?ask !here(4)";
    for (first, second, point, last) in [
        ("!hello(1) !token(3)", "!here(3)", Point::Same, "!here(3)"),
        ("!hello(1) !token(3)", "!busy !here(3)", Point::Same, "!busy"),
        // The model does not remember the version; it does remember the token.
        ("!hello(2) !token(3)", "!here(3)", Point::Same, "!here(3)"),
        ("!hello(1) !token(4)", "!here(4)", Point::Values, "!here(4)"),
        ("!hello(2) !token(4)", "!busy !here(4)", Point::Values, "!busy"),
    ] {
        let found = again(&model, run, &mut answers(&model, first, second));
        assert_eq!((found.verdict, &found.cause), (Verdict::Pass, &Cause::Reached), "{first} {second}");
        assert_eq!(found.point, point, "{first} {second}");
        assert_eq!(found.last, Some(Observation::Output(event(&model, last))), "{first} {second}");
        assert_eq!((found.deviated, found.cannot), (true, None), "{first} {second}");
    }
    // One thing more, or another one, is another way.
    for (run, second) in [
        ("?open !hello(1) !token(3) ?ask !busy !here(4)", "!here(3)"),
        ("?open !hello(1) !token(3) ?ask !busy !busy !here(4)", "!busy !here(3) delta"),
    ] {
        let found = again(&model, run, &mut answers(&model, "!hello(1) !token(3)", second));
        assert_eq!((found.verdict, found.point), (Verdict::Pass, Point::Elsewhere), "{run}: {second}");
    }
}

/// The same where the state is not known, and the model forgets or remembers values symbolically.
#[test]
fn where_a_system_is_whose_state_is_not_known() {
    let model = model_of(
        &MODEL
            .replace("var t: Int in 0..9 = 0", "var t: Int in 0..9 = 0\n  var n: Int = any")
            .replace("!here(t) -> l3", "!here(t) [n > 0] -> l3 !here(t) [n < 10] -> l3"),
    );
    let run = "?open !hello(1) !token(3) ?ask !here(4)";
    for (first, second, point) in [
        ("!hello(1) !token(3)", "!here(3)", Point::Same),
        ("!hello(2) !token(3)", "!here(3)", Point::Same),
        ("!hello(1) !token(4)", "!here(4)", Point::Values),
    ] {
        let found = again(&model, run, &mut answers(&model, first, second));
        assert_eq!((found.verdict, found.point), (Verdict::Pass, point), "{first} {second}");
    }
}

/// What came while an input was under way, and failed, may not come any more: then the input is taken where it failed.
#[test]
fn inputs_that_were_under_way_when_it_failed() {
    let model = model_of(MODEL);
    let run = "?open !hello(1) !token(3) ?ask? !busy";
    let found = again(&model, run, &mut answers(&model, "!hello(1) !token(3)", "!here(3)"));
    assert_eq!((found.verdict, found.point, found.deviated), (Verdict::Pass, Point::Same, true));
    let found = again(&model, run, &mut answers(&model, "!hello(1) !token(3) !busy", ""));
    assert_eq!(found.verdict, Verdict::Fail);
    // Taken before something else that came before it then, it is elsewhere.
    let model = model_of(&MODEL.replace("?ask -> l4", "?ask -> l4 !busy -> l3"));
    let run = "?open !hello(1) !token(3) ?ask? !busy !here(5)";
    let found = again(&model, run, &mut answers(&model, "!hello(1) !token(3)", "!here(3)"));
    assert_eq!(found.point, Point::Elsewhere);
}

/// Ticks before it takes the first input, and ticks afterwards.
#[derive(Default)]
struct Ticker {
    events: Vec<SutEvent>,
    tick: Option<GateValue>,
}

impl Sut for Ticker {
    fn order(&self) -> Order {
        Order::Sut
    }

    fn reset(&mut self, _: RunNumber, _: u64) -> Result<(), Fault> {
        self.events.clear();
        Ok(())
    }

    fn send(&mut self, id: u64, _: &GateValue) -> Result<(), Fault> {
        let tick = SutEvent::Observed(Observation::Output(self.tick.clone().expect("it has one")));
        self.events = vec![tick.clone(), SutEvent::Accepted { id }, tick];
        Ok(())
    }

    fn poll(&mut self, _: Duration) -> Result<Polled, Fault> {
        if self.events.is_empty() { Ok(Polled::Nothing) } else { Ok(Polled::Event(self.events.remove(0))) }
    }
}

/// What comes before an input is accepted is not what was recorded after it: that is still to come, and fails again.
#[test]
fn outputs_that_overtake_an_input_are_none_that_follow_it() {
    let model = model_of("input stop\noutput tick\nprocess P { init l0 { !tick -> l0 ?stop -> l1 } final l1 }");
    let mut sut = Ticker { tick: Some(event(&model, "!tick")), ..Ticker::default() };
    let found = again(&model, "?stop !tick", &mut sut);
    assert_eq!((found.verdict, found.point, found.deviated), (Verdict::Fail, Point::Elsewhere, true));
}

/// Answers each input before it says that it took it.
struct Hasty(Vec<SutEvent>, GateValue);

impl Sut for Hasty {
    fn order(&self) -> Order {
        Order::Sut
    }

    fn reset(&mut self, _: RunNumber, _: u64) -> Result<(), Fault> {
        self.0.clear();
        Ok(())
    }

    fn send(&mut self, id: u64, _: &GateValue) -> Result<(), Fault> {
        self.0 = vec![SutEvent::Observed(Observation::Output(self.1.clone())), SutEvent::Accepted { id }];
        Ok(())
    }

    fn poll(&mut self, _: Duration) -> Result<Polled, Fault> {
        if self.0.is_empty() { Ok(Polled::Nothing) } else { Ok(Polled::Event(self.0.remove(0))) }
    }
}

/// Once the order that was promised is known to be wrong, what comes before an input is accepted may follow it.
#[test]
fn what_is_compared_with_what_depends_on_the_order_that_holds_by_then() {
    let model = model_of("input a\noutput r\nprocess P { init l0 { ?a -> l1 } state l1 { !r -> l0 } }");
    let answer = event(&model, "!r");
    let found = again(&model, "?a !r ?a !r", &mut Hasty(Vec::new(), answer.clone()));
    assert_eq!((found.verdict, found.point), (Verdict::Error, Point::Elsewhere));
    // The first answer came before its input had its place, the second one did not.
    assert_eq!(found.last, Some(Observation::Output(answer)));
}

/// A played model does what was recorded as long as it can, whatever its seed: what it then does not do, it cannot.
#[test]
fn models_that_are_played_do_what_was_recorded() {
    let model = model_of(MODEL);
    let wrong = model_of(&MODEL.replace("!busy -> l4", "!busy -> l4 !here(any k) [k != t] -> l3"));
    let run = "?open !hello(17) !token(3) ?ask !busy !busy !busy !here(4)";
    for seed in 0..20 {
        let run = LoggedRun { seed: Some(seed), ..recorded(&model, run) };
        let again = |played: &Model| {
            let mut referee = Referee::new(&model, &builtin, Order::Sut);
            let (quiescence, accepted) = (Duration::from_millis(1), Duration::from_secs(1));
            let patience = Patience { quiescence, slower: None, accepted };
            replay(
                &mut referee,
                Bench { sut: &mut Player::new(played), clock: &mut NoClock },
                &run,
                RunNumber(1),
                patience,
                &mut |_| {},
            )
        };
        let failed = again(&wrong);
        assert_eq!((failed.verdict, failed.steps, failed.deviated), (Verdict::Fail, 8, false), "seed {seed}");
        let mended = again(&model);
        assert_eq!(
            (mended.verdict, mended.point, mended.cannot),
            (Verdict::Pass, Point::Same, Some(true)),
            "seed {seed}"
        );
        // One that is not busy for so long goes another way, and what it does in the end is its own choice.
        let shorter = model_of(
            &MODEL.replace("!busy -> l4", "!busy -> l5").replace("state l4", "state l5 { !here(t) -> l3 }\n  state l4"),
        );
        let other = again(&shorter);
        assert_eq!((other.verdict, other.point, other.cannot), (Verdict::Pass, Point::Elsewhere, None), "seed {seed}");
    }
}
