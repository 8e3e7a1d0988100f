//! Whether a reset brings the system back to its initial state: what passed once has to pass again.
//!
//! A run of the walk that passed is run again: at first to its middle, so that whatever the system keeps is somewhere
//! else, and then as a whole. If the model does not allow an answer then,
//! the system answered differently from before.
//!
//! A pass is evidence only if the same run would fail without the reset. So the observations are judged once more as if
//! there had been no reset. If the model explains them all, the check cannot tell. The run that is repeated is a passed
//! run for which it can tell.

use std::time::{Duration, Instant};

use sioco_exec::drive::Bench;
use sioco_exec::event::{Action, Observation};
use sioco_exec::log::{Log, LoggedRun, LoggedStep};
use sioco_exec::record::Stamped;
use sioco_exec::replay::{Patience, replay};
use sioco_exec::verdict::{Cause, OpenCause, Verdict};
use sioco_exec::{Order, Referee, RunNumber, Sut};
use sioco_model::Model;
use sioco_solve::{BackEnd, Cancellation};

use crate::drive::Since;
use crate::engine::{Engine, HYPOTHESES};

/// The parts of the run that are run again, one after the other, as fractions.
const PARTS: [(usize, usize); 4] = [(1, 2), (1, 1), (1, 3), (1, 1)];

/// Among this many runs that passed, one is looked for that would tell whether a reset resets. Each is followed in the
/// model; if none of them tells, it is likely that none at all does.
const TRIED: usize = 20;

/// What a run did after this part of the time is cut off before the run is repeated: the repetition takes as long, is
/// played twice, and has to fit into the time.
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
        run: RunNumber,
        /// How often it was run again, in part or as a whole.
        times: usize,
        /// Whether a system that was not reset would have been noticed.
        tells: bool,
    },
    /// It was answered in a way that the model does not allow.
    Differs {
        /// The run of the walk.
        run: RunNumber,
        /// The step that is not allowed.
        step: u64,
        /// Why.
        cause: Cause,
    },
}

impl Repeat<'_> {
    /// Runs a run that passed again, on a system whose next run has this number.
    pub fn run(&self, records: &[Stamped], sut: &mut dyn Sut, mut next: RunNumber) -> Again {
        let log = Log::of_records(records.iter().enumerate());
        let model = self.model;
        // A question that is under way is answered: the time is looked at between the steps.
        let cancellation = Cancellation::default();
        let engine = Engine::new(self.back_end, &cancellation);
        let (solvers, oracle) = (engine.solvers(), engine.oracle(model));
        let referee = || oracle.referee(model, &solvers, HYPOTHESES);
        let begun = Instant::now();
        let late = || begun.elapsed() >= self.time;
        // The run that would tell most, or else any.
        let (mut without_reset, time) = (referee(), self.time / SHARE);
        without_reset.set_order(log.runs.last().and_then(|run| run.order).unwrap_or(Order::Sut));
        let mut would_tell = |run: &&LoggedRun| {
            let whole = shortened(run, time, 1, 1);
            PARTS.iter().any(|(part, of)| {
                oracle.refill();
                !late() && is_noticed(&mut without_reset, &shortened(run, time, *part, *of).steps, &whole.steps)
            })
        };
        let telling = || log.runs.iter().filter(|run| is_telling(run));
        let Some(first) = telling().take(TRIED).find(&mut would_tell).or_else(|| telling().next()) else {
            return Again::Nothing;
        };
        let mut referee = referee();
        let patience = Patience { quiescence: self.wait, slower: None, accepted: self.patience };
        let (mut times, mut tells) = (0, false);
        let mut before: Vec<LoggedStep> = log.runs.last().map_or(Vec::new(), |run| run.steps.clone());
        for (part, of) in PARTS {
            let again = shortened(first, time, part, of);
            let mut seen: Vec<Stamped> = Vec::new();
            let mut sink = |stamped: &Stamped| {
                oracle.refill();
                seen.push(stamped.clone());
            };
            let found =
                replay(&mut referee, Bench { sut, clock: &mut Since(begun) }, &again, next, patience, &mut sink);
            next = next.next();
            match found.verdict {
                Verdict::Fail => return Again::Differs { run: first.number, step: found.steps, cause: found.cause },
                // What breaks down is no answer.
                Verdict::Error => break,
                _ if found.interrupted || late() => break,
                Verdict::Pass | Verdict::WeakPass | Verdict::Inconclusive => times += 1,
            }
            let now = Log::of_records(seen.iter().enumerate()).runs.pop().map_or(Vec::new(), |run| run.steps);
            oracle.refill();
            tells |= is_noticed(&mut without_reset, &before, &now);
            before = now;
        }
        if times == 0 { Again::Nothing } else { Again::Same { run: first.number, times, tells } }
    }
}

/// Whether the model does not explain what was seen if the system went on from where it was before.
fn is_noticed(referee: &mut Referee<'_>, before: &[LoggedStep], now: &[LoggedStep]) -> bool {
    if referee.start().is_some() || before.iter().any(|step| step.tell(referee).is_some()) {
        return false;
    }
    let end = now.iter().find_map(|step| step.tell(referee));
    // What the model does not specify there is another place, too.
    matches!(end, Some(Cause::Failure(_) | Cause::Open(OpenCause::Unspecified(_))))
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
