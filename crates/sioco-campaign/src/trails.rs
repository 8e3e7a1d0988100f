//! The steps of runs, as they come: those of the bad ones are kept, and why others were inconclusive.

use std::time::Duration;

use sioco_exec::event::{Action, GateValue, Observation};
use sioco_exec::log::LoggedStep;
use sioco_exec::record::Stamped;
use sioco_exec::summary::make_room;
use sioco_exec::verdict::Verdict;
use sioco_exec::{Order, Record, RunNumber};

use crate::answers::Answers;
pub use crate::dead_ends::DeadEnd;
use crate::dead_ends::DeadEnds;
pub use crate::reasons::Reasons;

/// The steps of runs, as they come. Those of the bad runs that a summary keeps are kept.
#[derive(Clone, Debug)]
pub struct Trails {
    line: usize,
    run: RunNumber,
    seed: u64,
    begun: Duration,
    resets: u64,
    order: Option<Order>,
    current: Vec<LoggedStep>,
    /// The step that is an input and neither accepted nor refused yet.
    waiting: Option<usize>,
    bad: Vec<Trail>,
    reasons: Reasons,
    answers: Answers,
    dead_ends: DeadEnds,
}

#[derive(Clone, Debug)]
struct Trail {
    run: RunNumber,
    seed: u64,
    begun: Duration,
    verdict: Verdict,
    length: u64,
    steps: Vec<LoggedStep>,
    unaccepted: Option<GateValue>,
}

impl Default for Trails {
    fn default() -> Self {
        // The first line of a journal is none of a record.
        Trails {
            line: 1,
            run: RunNumber::default(),
            seed: 0,
            begun: Duration::ZERO,
            resets: 0,
            order: None,
            current: Vec::new(),
            waiting: None,
            bad: Vec::new(),
            reasons: Reasons::default(),
            answers: Answers::default(),
            dead_ends: DeadEnds::default(),
        }
    }
}

impl Trails {
    /// Something happened.
    pub fn record(&mut self, stamped: &Stamped) {
        self.line += 1;
        self.dead_ends.record(&stamped.record, &self.current);
        let action = match &stamped.record {
            Record::Run { run, seed, order, .. } => {
                (self.run, self.seed, self.begun) = (*run, *seed, stamped.at);
                self.resets += 1;
                self.order = Some(*order);
                self.current.clear();
                self.waiting = None;
                return;
            }
            Record::Input { input, .. } => {
                self.waiting = Some(self.current.len());
                Action::Input(input.clone())
            }
            Record::Accepted { .. } | Record::Refused { .. } => {
                self.waiting = None;
                return;
            }
            Record::Observed(seen) => Action::Seen(seen.clone()),
            Record::TimedOut(_) => Action::Seen(Observation::Delta),
            Record::Verdict { verdict: verdict @ (Verdict::Fail | Verdict::Error), steps, .. } => {
                // All but the last step is allowed.
                let allowed = self.current.len().saturating_sub(1);
                self.answers.add(self.run, &self.current[..allowed]);
                self.keep(self.run, *verdict, *steps);
                return;
            }
            Record::Verdict { cause, .. } => {
                self.answers.add(self.run, &self.current);
                self.reasons.add(cause);
                return;
            }
            // It has its place among the bad runs, and no steps.
            Record::Fault(_) => {
                self.current.clear();
                self.resets += 1;
                self.keep(RunNumber::default(), Verdict::Error, 0);
                return;
            }
            Record::Hurried | Record::Purpose { .. } | Record::Again { .. } | Record::End { .. } => return,
        };
        self.current.push(LoggedStep {
            line: self.line,
            at: Some(stamped.at),
            action,
            waited: 0,
            timed: match stamped.record {
                Record::TimedOut(reliance) => Some(reliance),
                _ => None,
            },
        });
    }

    fn keep(&mut self, run: RunNumber, verdict: Verdict, length: u64) {
        let (steps, waiting) = (std::mem::take(&mut self.current), self.waiting.take());
        if make_room(&mut self.bad, |t| (t.verdict, t.length), verdict, length) {
            let waiting = waiting.filter(|_| self.order.is_some_and(Order::is_of_system));
            let unaccepted = waiting.and_then(|at| match &steps.get(at)?.action {
                Action::Input(input) => Some(input.clone()),
                Action::Seen(_) => None,
            });
            self.bad.push(Trail { run, seed: self.seed, begun: self.begun, verdict, length, steps, unaccepted });
        }
    }

    fn trail(&self, run: RunNumber) -> Option<&Trail> {
        self.bad.iter().find(|t| t.run == run)
    }

    /// The steps of a bad run.
    pub fn of(&self, run: RunNumber) -> &[LoggedStep] {
        self.trail(run).map_or(&[], |t| &t.steps)
    }

    /// The input of a bad run that was not accepted when the run ended, where that has to come first.
    pub fn unaccepted(&self, run: RunNumber) -> Option<&GateValue> {
        self.trail(run)?.unaccepted.as_ref()
    }

    /// A run that was answered otherwise where the last output of a failing run came, though everything before it was the
    /// same.
    pub fn otherwise(&self, steps: &[LoggedStep]) -> Option<RunNumber> {
        self.answers.otherwise(steps)
    }

    /// The seed that the system got in a bad run.
    pub fn seed(&self, run: RunNumber) -> Option<u64> {
        self.trail(run).map(|t| t.seed)
    }

    /// When a bad run began.
    pub fn begun(&self, run: RunNumber) -> Option<Duration> {
        self.trail(run).map(|t| t.begun)
    }

    /// The number of the last run.
    pub fn last(&self) -> RunNumber {
        self.run
    }

    /// The number of the last run that the system was reset for, or should have been: it has seen no greater one.
    pub fn last_reset(&self) -> RunNumber {
        RunNumber(self.resets).max(self.run)
    }

    /// Why runs were inconclusive.
    pub fn reasons(&self) -> &Reasons {
        &self.reasons
    }

    /// Where runs came to a deadlock of the model.
    pub fn dead_ends(&self) -> &[DeadEnd] {
        &self.dead_ends.found
    }

    /// What the order of events means, as the last run says.
    pub fn order(&self) -> Option<Order> {
        self.order
    }
}
