//! Shrinking: a failing run is made shorter by running the system again, with fewer inputs and with simpler values.
//!
//! What is tried is judged online by the [referee](crate::referee), as in a test, so that whatever is found is a failing
//! run of its own; a failure of another kind does not count. The search is that of delta debugging (Zeller and
//! Hildebrandt, 2002), with help of the model: candidates that it does not take are skipped, and cuts that lead back
//! to the same state come first. The search is deterministic: equal answers of the system give the same search.

pub mod candidate;
mod outlook;
mod search;
mod simpler;
mod trial;

use std::time::Duration;

use self::search::{Search, better};
use crate::drive::Bench;
use crate::event::{Action, GateValue};
use crate::explanation::Explanation;
use crate::record::{Record, Stamped};
use crate::referee::Referee;
use crate::replay::Patience;
use crate::run_number::RunNumber;
use crate::sut::Fault;
use crate::verdict::Failure;

/// How much may be tried.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Budget {
    /// How many runs.
    pub runs: u64,
    /// How long.
    pub time: Duration,
}

impl Default for Budget {
    fn default() -> Self {
        Budget { runs: 200, time: Duration::from_secs(10) }
    }
}

/// Whether a failure is the one that somebody wants to see shorter.
pub type Wanted<'a> = &'a dyn Fn(&Failure, Option<&Explanation>) -> bool;

/// A run that failed.
#[derive(Clone, Copy)]
pub struct Failed<'a> {
    /// Its number.
    pub run: RunNumber,
    /// The seed that the system got.
    pub seed: u64,
    /// What was sent and seen, inputs where they were sent, up to the observation that is not allowed.
    pub actions: &'a [Action],
    /// Why it failed.
    pub failure: &'a Failure,
    /// Its steps, as reports count them.
    pub steps: u64,
    /// The number of the first run that the system has not seen yet.
    pub next: RunNumber,
    /// Which failures count besides being [alike].
    pub wanted: Wanted<'a>,
}

/// How often a run failed again.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Rate {
    /// In so many runs.
    pub failed: u64,
    /// Of so many.
    pub of: u64,
}

/// Why shrinking ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ended {
    /// Nothing more could be left out, as far as was looked.
    Done,
    /// As many runs as were wanted.
    Runs,
    /// The time is used up.
    Time,
    /// Somebody interrupted it.
    Interrupted,
    /// The run did not fail again.
    Gone,
    /// Something broke down, which says nothing about the system.
    Broken(Fault),
}

impl Ended {
    /// Its name for programs.
    pub fn name(&self) -> &'static str {
        match self {
            Ended::Done => "done",
            Ended::Runs => "runs",
            Ended::Time => "time",
            Ended::Interrupted => "interrupted",
            Ended::Gone => "gone",
            Ended::Broken(_) => "broken",
        }
    }
}

/// The shortest form that was found of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shortest {
    /// Why it failed.
    pub failure: Failure,
    /// What the model allows instead.
    pub explanation: Option<Explanation>,
    /// Inputs, outputs and silences.
    pub steps: u64,
    /// Everything that happened, from the beginning of the run to its verdict.
    pub records: Vec<Stamped>,
}

impl Shortest {
    /// The same as the run with a number.
    pub fn numbered(mut self, number: RunNumber) -> Self {
        for stamped in &mut self.records {
            if let Record::Run { run, .. } = &mut stamped.record {
                *run = number;
            }
        }
        self
    }
}

/// What came of shrinking a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shrunk {
    /// The run.
    pub run: RunNumber,
    /// How many steps it had.
    pub from: u64,
    /// The shortest form, if there is one that is shorter, or that has simpler values.
    pub shortest: Option<Shortest>,
    /// How many runs that took.
    pub runs: u64,
    /// How often the run itself failed again.
    pub again: Rate,
    /// How often the shortest form failed again in the end; nothing if there was no budget left.
    pub reproduced: Option<Rate>,
    /// Why it ended.
    pub ended: Ended,
}

impl Shrunk {
    /// The same, with this number for its shortest form.
    pub fn numbered(self, number: RunNumber) -> Self {
        Shrunk { shortest: self.shortest.map(|shortest| shortest.numbered(number)), ..self }
    }
}

/// How far it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ShrinkProgress {
    /// So many runs so far.
    pub runs: u64,
    /// So many steps at first.
    pub from: u64,
    /// And now.
    pub to: u64,
}

/// Shrinks a failing run. Whoever listens is told after everything that happens.
pub fn shrink(
    referee: &mut Referee<'_>,
    mut bench: Bench<'_>,
    failed: Failed<'_>,
    patience: Patience<'_>,
    budget: Budget,
    listen: &mut dyn FnMut(ShrinkProgress),
) -> Shrunk {
    // A failure of another kind would not be alike.
    referee.count_refusals(matches!(failed.failure, Failure::Refused { .. }));
    let mut search = Search::new(referee, bench.lend(), failed, patience, budget, listen);
    let ended = search.shrink();
    let (runs, again, reproduced) = (search.runs, search.again, search.reproduced);
    let before: Vec<&GateValue> = (failed.actions.iter())
        .filter_map(|action| match action {
            Action::Input(input) => Some(input),
            Action::Seen(_) => None,
        })
        .collect();
    let best = search.best.take().filter(|best| better(best, failed.steps, &before));
    let shortest = best.map(|best| {
        let trial::Failing { failure, explanation, records, steps, .. } = *best;
        Shortest { failure, explanation, steps, records }
    });
    Shrunk { run: failed.run, from: failed.steps, shortest, runs, again, reproduced, ended }
}

/// Whether two failures are of the same kind, and at the same gate if they are at one; crashes, whether they are the same
/// one.
pub fn alike(a: &Failure, b: &Failure) -> bool {
    match (a, b) {
        (Failure::Output(a), Failure::Output(b))
        | (Failure::Refused { input: a, .. }, Failure::Refused { input: b, .. }) => a.gate == b.gate,
        (Failure::Malformed { gate: a, .. }, Failure::Malformed { gate: b, .. }) => a == b,
        (Failure::Crashed(a), Failure::Crashed(b)) => a.is_same(b),
        (Failure::Silence, Failure::Silence) | (Failure::Closed, Failure::Closed) => true,
        _ => false,
    }
}
