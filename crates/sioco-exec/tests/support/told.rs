//! A referee that is told what happens in words, and what it says about it in words.

use sioco_exec::reliance::Reliance;
use sioco_exec::suite::Suite;
use sioco_exec::verdict::{Cause, OpenCause, Trouble};
use sioco_exec::{Crash, GateValue, Observation, Order, Referee};
use sioco_model::Model;

use super::{builtin, event};

pub const ORDERS: [Order; 3] = [Order::Sut, Order::Sent, Order::Certain];

/// Something that happens in a run, in a word:
/// `?a` an input that is sent and accepted, `>a` one that is only sent, `<` its acceptance, `x` its refusal,
/// `!o` an output, `delta` quiescence by the clock, `quiescent` quiescence that is announced, `closed`, `crashed`, `bad` for
/// something malformed.
pub fn happen(referee: &mut Referee<'_>, sent: &mut Option<GateValue>, word: &str) -> Option<Cause> {
    let model = referee.model();
    match word {
        "<" => {
            *sent = None;
            referee.accepted()
        }
        "x" => {
            let input = sent.take().expect("an input is under way");
            Some(referee.refused(&input, "no"))
        }
        "delta" => {
            referee.clock_delta(Reliance::Full);
            None
        }
        "quiescent" => referee.observe(&Observation::Delta),
        "closed" => referee.observe(&Observation::Closed),
        "crashed" => referee.observe(&Observation::Crashed(Crash::new("it fell"))),
        "bad" => referee.observe(&Observation::Malformed { gate: None, why: "so".into(), raw: "#".into() }),
        _ if word.starts_with('!') => referee.observe(&Observation::Output(event(model, word))),
        _ => {
            // Whatever the tester sends makes a block of deltas final.
            let input = event(model, word.trim_start_matches('>'));
            if word.starts_with('?')
                && let Some(cause) = referee.conclude()
            {
                return Some(cause);
            }
            referee.sending(&input);
            *sent = Some(input);
            if word.starts_with('?') { happen(referee, sent, "<") } else { None }
        }
    }
}

/// Runs words until something ends the run; gives why.
pub fn run(referee: &mut Referee<'_>, words: &str) -> Option<Cause> {
    let mut sent = None;
    referee.start().or_else(|| words.split_whitespace().find_map(|word| happen(referee, &mut sent, word)))
}

/// The same to the end of the run, in words.
pub fn verdict(referee: &mut Referee<'_>, words: &str) -> &'static str {
    let cause = run(referee, words).or_else(|| referee.conclude());
    name(&referee.close(cause.unwrap_or(Cause::Reached)))
}

pub fn name(cause: &Cause) -> &'static str {
    match cause {
        Cause::Reached => "pass",
        Cause::Failure(failure) => failure.name(),
        Cause::Open(OpenCause::Crossed) => "crossed",
        Cause::Open(OpenCause::Cut) => "cut",
        Cause::Open(OpenCause::Unspecified(_)) => "unspecified",
        Cause::Open(OpenCause::Undecided(_)) => "undecided",
        Cause::Open(OpenCause::Other(why)) if why.contains("--quiescence") => "perhaps slow",
        Cause::Open(OpenCause::Other(why)) if why.contains("may be undefined") => "perhaps undefined",
        Cause::Open(_) => "open",
        Cause::Trouble(Trouble::Fault { .. }) => "error of the adapter",
        Cause::Trouble(Trouble::Model { .. }) => "error of the model",
        Cause::Trouble(Trouble::Refused { .. }) => "refused, which says nothing",
    }
}

pub fn referee(model: &Model, order: Order) -> Referee<'_> {
    Referee::new(model, &builtin, order)
}

/// A referee that follows so many hypotheses.
pub fn limited(model: &Model, order: Order, limit: usize) -> Referee<'_> {
    Referee::with(model, &builtin, order, Suite::default(), None, limit)
}

#[track_caller]
pub fn check(model: &Model, orders: &[Order], rows: &[(&str, &str)]) {
    for order in orders {
        for (words, expected) in rows {
            let mut referee = referee(model, *order);
            assert_eq!(verdict(&mut referee, words), *expected, "{order:?}: {words}");
        }
    }
}

/// The same, with how many deltas were withdrawn, and how many of them hid a failure.
#[track_caller]
pub fn check_withdrawn(model: &Model, orders: &[Order], rows: &[(&str, &str, u64, u64)]) {
    for order in orders {
        for (words, expected, withdrawn, hidden) in rows {
            let mut referee = referee(model, *order);
            let found = (verdict(&mut referee, words), referee.withdrawn, referee.hidden);
            assert_eq!(found, (*expected, *withdrawn, *hidden), "{order:?}: {words}");
        }
    }
}
