//! A trial: a candidate is run, and what comes is judged as in a test.

use super::candidate::Candidate;
use crate::controller::trial::TrialController;
use crate::drive::{Bench, drive};
use crate::event::{Action, GateValue, Observation};
use crate::explanation::Explanation;
use crate::record::{Record, Stamped};
use crate::referee::Referee;
use crate::rerun::{Cut, Ended, Frame, Rerun};
use crate::sut::Fault;
use crate::verdict::{Cause, Failure};

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

/// Runs a candidate. Whoever listens is told after every record.
pub(super) fn run(
    referee: &mut Referee<'_>,
    bench: Bench<'_>,
    candidate: &Candidate,
    frame: Frame<'_>,
    listen: &mut dyn FnMut(),
) -> Outcome {
    let mut records = Vec::new();
    let mut sink = |stamped: &Stamped| {
        records.push(stamped.clone());
        listen();
    };
    let seed = frame.seed;
    let mut controller = TrialController::new(candidate);
    let ended = drive(&mut Rerun::new(referee, &mut controller, frame), bench.sut, bench.clock, &mut sink);
    let Ended { cause, explanation, steps, cut } = ended;
    match (cause, cut) {
        (_, Some(Cut::Fault(fault))) => Outcome::Broken(fault),
        (Cause::Failure(failure), _) => {
            let actions = records.iter().filter_map(|stamped| match &stamped.record {
                Record::Input { input, .. } => Some(Action::Input(input.clone())),
                Record::Observed(seen) => Some(Action::Seen(seen.clone())),
                Record::TimedOut(_) => Some(Action::Seen(Observation::Delta)),
                _ => None,
            });
            let actions = actions.collect();
            Outcome::Failed(Box::new(Failing { failure, explanation, actions, records, steps, seed }))
        }
        (_, Some(Cut::Interrupted)) => Outcome::Interrupted,
        (_, Some(Cut::Late)) => Outcome::Late,
        _ => Outcome::Not,
    }
}
