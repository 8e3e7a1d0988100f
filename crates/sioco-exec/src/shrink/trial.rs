//! A trial: a candidate is run, and what comes is judged as in a test.
//!
//! An input is never sent where the model does not say what happens after it: nothing that follows would mean anything.

use std::time::Duration;

use super::candidate::{Await, Candidate};
use crate::drive::Clock;
use crate::event::{Action, GateValue, Observation};
use crate::explanation::Explanation;
use crate::record::{Aim, Record, Stamped};
use crate::referee::Referee;
use crate::replay::{Again, Next, Patience};
use crate::sut::{Fault, Polled, Sut, SutEvent};
use crate::verdict::{Cause, Failure, Open};

/// So many observations are taken at most where something is waited for: some systems never stop.
const MANY: usize = 100;
/// After so many in a row an input is sent all the same, if the model takes it.
const HEARD: usize = 4;

/// A run that failed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Failing {
    pub failure: Failure,
    pub explanation: Option<Explanation>,
    /// What was sent and seen, inputs where they were sent.
    pub actions: Vec<Action>,
    pub records: Vec<Stamped>,
    /// Inputs, outputs and silences.
    pub steps: u64,
    /// The seed that the system got.
    pub seed: u64,
}

impl Failing {
    /// The inputs.
    pub fn inputs(&self) -> impl Iterator<Item = &GateValue> {
        self.actions.iter().filter_map(|action| match action {
            Action::Input(input) => Some(input),
            Action::Seen(_) => None,
        })
    }
}

/// What came of a trial.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Outcome {
    /// The system failed.
    Failed(Box<Failing>),
    /// It did not, or an input could not be sent.
    Not,
    /// The time is used up.
    Late,
    /// Somebody wants it to end.
    Interrupted,
    /// Something broke down, which says nothing about the system.
    Broken(Fault),
}

/// How a trial is run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Way<'s> {
    /// The number of the run for the system.
    pub number: u64,
    /// The seed for the system.
    pub seed: u64,
    /// The run that is to be shortened.
    pub of: u64,
    pub patience: Patience<'s>,
    /// When it has to be over.
    pub until: Duration,
}

/// Why a trial ends before its end.
const LATE: &str = "the time for shrinking is used up";
const UNSPECIFIED: &str = "an input cannot be sent here";

/// Runs a candidate. Whoever listens is told after every record.
pub(super) fn run(
    referee: &mut Referee<'_>,
    sut: &mut dyn Sut,
    clock: &mut dyn Clock,
    candidate: &Candidate,
    way: Way<'_>,
    listen: &mut dyn FnMut(),
) -> Outcome {
    let mut records = Vec::new();
    let mut sink = |stamped: &Stamped| {
        records.push(stamped.clone());
        listen();
    };
    let mut again = Again::new(referee, way.patience, clock, &mut sink);
    let cause = match follow(&mut again, sut, candidate, way) {
        Ok(cause) => cause,
        Err(fault) => return Outcome::Broken(fault),
    };
    let (interrupted, steps) = (again.interrupted, again.steps);
    let (cause, explanation) = again.end(cause);
    match cause {
        Cause::Failure(failure) => {
            let actions = records.iter().filter_map(|stamped| match &stamped.record {
                Record::Input { input, .. } => Some(Action::Input(input.clone())),
                Record::Observed(seen) => Some(Action::Seen(seen.clone())),
                Record::TimedOut(_) => Some(Action::Seen(Observation::Delta)),
                _ => None,
            });
            let (actions, seed) = (actions.collect(), way.seed);
            Outcome::Failed(Box::new(Failing { failure, explanation, actions, records, steps, seed }))
        }
        _ if interrupted => Outcome::Interrupted,
        Cause::Open(Open::Other(what)) if what == LATE => Outcome::Late,
        _ => Outcome::Not,
    }
}

/// Does what the candidate says, and says why the run ends.
fn follow(again: &mut Again<'_, '_>, sut: &mut dyn Sut, candidate: &Candidate, way: Way<'_>) -> Result<Cause, Fault> {
    if let Some(cause) = again.begin(sut, way.number, way.seed, Aim::Shrunk(way.of))? {
        return Ok(cause);
    }
    for unit in &candidate.units {
        if let Some(input) = &unit.input
            && let Some(cause) = send(again, sut, input, way)?
        {
            return Ok(cause);
        }
        for wait in &unit.waits {
            if let Some(cause) = await_(again, sut, *wait, way)? {
                return Ok(cause);
            }
        }
    }
    // What is missing may still come where the system went another way.
    for _ in 0..MANY {
        if again.referee.is_quiet() || !again.referee.may_act() {
            break;
        }
        if let Some(cause) = watch(again, sut, way)? {
            return Ok(cause);
        }
    }
    Ok(Cause::Reached)
}

/// Waits for one thing, or silence.
fn watch(again: &mut Again<'_, '_>, sut: &mut dyn Sut, way: Way<'_>) -> Next {
    if again.clock.now() >= way.until {
        return Ok(Some(Cause::Open(Open::Other(LATE.into()))));
    }
    again.wait(sut)
}

fn await_(again: &mut Again<'_, '_>, sut: &mut dyn Sut, wait: Await, way: Way<'_>) -> Next {
    for _ in 0..MANY {
        // Silence twice in a row says nothing new.
        if again.referee.is_quiet() {
            break;
        }
        if let Some(cause) = watch(again, sut, way)? {
            return Ok(Some(cause));
        }
        if wait == Await::Something {
            break;
        }
    }
    Ok(None)
}

/// Sends an input where the model takes it. As in a test, what comes before it is taken first.
fn send(again: &mut Again<'_, '_>, sut: &mut dyn Sut, input: &GateValue, way: Way<'_>) -> Next {
    for heard in 0..MANY {
        if again.clock.now() >= way.until {
            return Ok(Some(Cause::Open(Open::Other(LATE.into()))));
        }
        let polled = sut.poll(Duration::ZERO)?;
        // Nobody asked for silence.
        let silent = polled == Polled::Event(SutEvent::Observed(Observation::Delta));
        match polled {
            Polled::Interrupted => return Ok(Some(again.interrupt())),
            Polled::Event(event) if !(silent && again.referee.takes(input)) => {
                if let Some(cause) = again.event(event)? {
                    return Ok(Some(cause));
                }
                if heard < HEARD {
                    continue;
                }
            }
            Polled::Event(_) | Polled::Nothing => {}
        }
        if again.referee.takes(input) {
            return again.send(sut, input);
        }
        // Perhaps something has to come first.
        if again.referee.is_quiet() || !again.referee.may_act() {
            break;
        }
        if let Some(cause) = watch(again, sut, way)? {
            return Ok(Some(cause));
        }
    }
    Ok(Some(Cause::Open(Open::Other(UNSPECIFIED.into()))))
}
