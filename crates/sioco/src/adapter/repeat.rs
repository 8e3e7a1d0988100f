//! Whether a reset brings the system back to its initial state: what passed once has to pass again.
//!
//! A run of the walk that passed is run again: at first to its middle, so that whatever the system keeps is somewhere
//! else, and then as a whole. What the model did not allow then was another answer where it allows only some.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use sioco_exec::event::{Action, Observation};
use sioco_exec::log::{Log, LoggedRun};
use sioco_exec::record::Stamped;
use sioco_exec::replay::{Patience, Replayed, replay};
use sioco_exec::suite::Suite;
use sioco_exec::verdict::{Cause, Verdict};
use sioco_exec::{Order, Referee, Sut};
use sioco_model::Model;
use sioco_solve::values::Bounds;
use sioco_solve::{BackEnd, StateOracle};

use crate::run::watch::Since;

/// So many hypotheses are followed.
const HYPOTHESES: usize = 10_000;
/// The parts of the run that are run again, one after the other, as fractions.
const PARTS: [(usize, usize); 4] = [(1, 2), (1, 1), (1, 3), (1, 1)];

/// A run that took longer than this part of the time is cut.
const SHARE: u32 = 3;

/// How it is run again.
#[derive(Clone, Copy)]
pub struct Repeat<'a> {
    /// The model.
    pub model: &'a Model,
    /// Who answers questions.
    pub back_end: &'a BackEnd,
    /// How long an answer is waited for.
    pub wait: Duration,
    /// How long an input may wait to be accepted.
    pub patience: Duration,
    /// How long all of it may take.
    pub time: Duration,
}

/// What came of it.
#[derive(Clone, PartialEq, Debug)]
pub enum Again {
    /// No run of the walk passed and has something to compare.
    Nothing,
    /// It was answered as before.
    Same {
        /// The run of the walk.
        run: u64,
        /// How often it was run again, in part or as a whole.
        times: usize,
    },
    /// It was answered in a way that the model does not allow.
    Differs {
        /// The run of the walk.
        run: u64,
        /// The step that is not allowed.
        step: u64,
        /// Why.
        cause: Cause,
    },
}

impl Repeat<'_> {
    /// Runs the first run that passed again, on a system whose next run has this number.
    pub fn run(&self, records: &[Stamped], sut: &mut dyn Sut, mut next: u64) -> Again {
        let log = Log::of_records(records.iter().enumerate());
        let Some(first) = log.runs.iter().find(|run| is_telling(run)) else { return Again::Nothing };
        let model = self.model;
        let solvers = || -> Box<dyn Bounds> { Box::new(self.back_end.chain()) };
        let oracle = Arc::new(Mutex::new(StateOracle::new(&model.terms, &model.sorts, self.back_end.clone())));
        let suite = Suite::default();
        let mut referee = Referee::with(model, &solvers, Order::Sut, suite, Some(oracle.clone()), HYPOTHESES);
        let patience = Patience { quiescence: self.wait, slower: None, accepted: self.patience };
        let begun = Instant::now();
        let mut times = 0;
        for (part, of) in PARTS {
            let again = shortened(first, self.time / SHARE, part, of);
            let mut sink = |_: &Stamped| oracle.lock().unwrap_or_else(PoisonError::into_inner).refill();
            let found: Replayed = replay(&mut referee, sut, &again, next, patience, &mut Since(begun), &mut sink);
            next += 1;
            match found.verdict {
                Verdict::Fail => return Again::Differs { run: first.number, step: found.steps, cause: found.cause },
                // What breaks down is no answer.
                Verdict::Error => break,
                _ if found.interrupted || begun.elapsed() >= self.time => break,
                Verdict::Pass | Verdict::WeakPass | Verdict::Inconclusive => times += 1,
            }
        }
        if times == 0 { Again::Nothing } else { Again::Same { run: first.number, times } }
    }
}

/// Whether a run passed, and both has inputs and was answered.
fn is_telling(run: &LoggedRun) -> bool {
    let passed = run.verdict.as_ref().is_some_and(|(verdict, _)| *verdict <= Verdict::WeakPass);
    let answered = |action: &Action| matches!(action, Action::Seen(Observation::Output(_)));
    passed && run.inputs().next().is_some() && run.steps.iter().any(|step| answered(&step.action))
}

/// The beginning of a run, to an output, and without the silences: each of them takes time, of which there is so much.
fn shortened(run: &LoggedRun, time: Duration, part: usize, of: usize) -> LoggedRun {
    let mut steps = run.steps.clone();
    let begun = steps.first().and_then(|step| step.at).unwrap_or_default();
    steps.retain(|step| {
        step.action != Action::Seen(Observation::Delta) && step.at.is_none_or(|at| at.saturating_sub(begun) <= time)
    });
    let least = (steps.len() * part).div_ceil(of);
    let is_input = |i: usize| steps.get(i).is_some_and(|step| matches!(step.action, Action::Input(_)));
    let end = (least..steps.len()).find(|i| is_input(*i)).unwrap_or(steps.len());
    steps.truncate(end);
    LoggedRun { steps, unanswered: None, ..run.clone() }
}
