//! The failing runs of a campaign in their shortest form: of those that fail in the same way, the one that is shown.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use sioco_exec::explanation::Explanation;
use sioco_exec::quiescence_time::Slower;
use sioco_exec::replay::Patience;
use sioco_exec::shrink::{Budget, Ended, Failed, Progress, alike, shrink};
use sioco_exec::suite::Suite;
use sioco_exec::verdict::{Cause, Failure, Verdict};
use sioco_exec::{Action, Clock, Order, Referee, Settings, Stamped, Summary, Sut};
use sioco_report::analysis::Source;
use sioco_report::run::{Shortened, Trails, same};
use sioco_solve::values::Bounds;
use sioco_solve::{BackEnd, Cancellation, StateOracle};

use super::show::{self, EXPLAINED, Shown};

/// How long shrinking takes at most, if nobody says otherwise.
pub const TIME: Duration = Duration::from_secs(10);
/// So many runs are tried for each second, and at least as many as usual.
const RUNS: u64 = 20;

/// What is shrunk, and how.
pub struct Shrinking<'a> {
    /// The model with its texts.
    pub source: Source<'a>,
    /// Who answers questions.
    pub back_end: &'a BackEnd,
    /// The settings of the campaign.
    pub settings: &'a Settings,
    /// How long it may take.
    pub time: Duration,
    /// What ends questions and the waits of the system: somebody at the keyboard, and here the time.
    pub cancellation: &'a Cancellation,
}

/// See the [module](self).
#[derive(Default)]
pub struct Shrinks {
    /// What became of each run.
    pub all: Vec<Shortened>,
    causes: Vec<Option<Cause>>,
    notes: Vec<Vec<String>>,
    trails: Trails,
}

impl Shrinking<'_> {
    /// Shrinks a run for each way to fail that is explained. Whoever listens is told the number of the run and how far it
    /// is, after everything that happens.
    pub fn shrink(
        &self,
        found: &Summary,
        trails: &Trails,
        sut: &mut dyn Sut,
        clock: &mut dyn Clock,
        listen: &mut dyn FnMut(u64, Progress),
    ) -> Shrinks {
        let model = &self.source.checked.model;
        let cancellation = self.cancellation;
        let solvers = || -> Box<dyn Bounds> { Box::new(self.back_end.chain().on(Some(cancellation))) };
        let oracle = StateOracle::new(&model.terms, &model.sorts, self.back_end.clone()).on(cancellation);
        let oracle = Arc::new(Mutex::new(oracle));
        let limit = self.settings.hypotheses;
        let suite = Suite::default();
        let mut referee = Referee::with(model, &solvers, Order::Sut, suite, Some(oracle.clone()), limit);
        let slower = Slower::new(model, &self.settings.slower);
        let patience =
            Patience { quiescence: self.settings.quiescence, slower: Some(&slower), accepted: self.settings.patience };
        let runs = show::of(found, trails);
        let ways: Vec<&Shown<'_>> = (show::groups(&runs, self.source).iter())
            .filter_map(|runs| runs.iter().min_by_key(|run| run.length).copied())
            .filter(|run| run.verdict == Verdict::Fail)
            .collect();
        let chosen = &ways[..ways.len().min(EXPLAINED)];
        let mut shrinks = Shrinks::default();
        let (mut next, mut number) = (trails.resets() + 1, trails.last() + 1);
        let end = clock.now().saturating_add(self.time);
        for (i, run) in chosen.iter().enumerate() {
            let Cause::Failure(failure) = run.cause else { continue };
            // Where others fail alike at another place in the model, each stays at its own, so that none is lost.
            let alone = ways.iter().filter(|r| matches!(r.cause, Cause::Failure(f) if alike(f, failure))).count() < 2;
            let key = same(self.source, run.cause, run.explanation);
            let actions: Vec<Action> = run.steps.iter().map(|step| step.action.clone()).collect();
            let (seed, steps) = (trails.seed(run.run).unwrap_or(0), run.length);
            let wanted = |found: &Failure, explanation: Option<&Explanation>| {
                alone || same(self.source, &Cause::Failure(found.clone()), explanation) == key
            };
            let failed = Failed { run: run.run, seed, actions: &actions, failure, steps, next, wanted: &wanted };
            // Whoever comes later gets what is left.
            let left = u32::try_from(chosen.len() - i).unwrap_or(u32::MAX);
            let time = end.saturating_sub(clock.now()) / left;
            cancellation.end_at(Instant::now().checked_add(time));
            let runs = Budget::default().runs.max(time.as_secs().saturating_mul(RUNS));
            let mut found =
                shrink(&mut referee, sut, clock, failed, patience, Budget { runs, time }, &mut |progress| {
                    // Every step may ask as much as any.
                    oracle.lock().unwrap_or_else(PoisonError::into_inner).refill();
                    listen(run.run, progress);
                });
            next += found.runs;
            // A reset that was waited for ends in a fault then.
            if matches!(found.ended, Ended::Broken(_)) && cancellation.is_cancelled() {
                found.ended = Ended::Interrupted;
            }
            found.shortest = found.shortest.map(|shortest| shortest.numbered(number));
            let over = matches!(found.ended, Ended::Interrupted | Ended::Broken(_));
            let shortest = found.shortest.as_ref();
            shortest.iter().flat_map(|s| &s.records).for_each(|stamped| shrinks.trails.record(stamped));
            shrinks.causes.push(shortest.map(|s| Cause::Failure(s.failure.clone())));
            let is_shorter = shortest.is_some();
            let shortened = Shortened { number, found };
            shrinks.notes.push(shortened.notes());
            shrinks.all.push(shortened);
            number += u64::from(is_shorter);
            if over {
                break;
            }
        }
        sut.stop();
        shrinks
    }
}

impl Shrinks {
    /// What was found, for the journal: the shortest forms, and how often each run failed again.
    pub fn records(&self, at: Duration) -> impl Iterator<Item = Stamped> + '_ {
        self.all.iter().flat_map(move |one| {
            let shortest = one.found.shortest.iter().flat_map(|s| s.records.iter().cloned());
            shortest.chain(one.again().map(move |record| Stamped { at, record }))
        })
    }

    /// Shows the shortest forms in place of the runs; they come first.
    pub fn show<'a>(&'a self, mut runs: Vec<Shown<'a>>) -> Vec<Shown<'a>> {
        for ((one, cause), notes) in self.all.iter().zip(&self.causes).zip(&self.notes) {
            let Some(run) = runs.iter_mut().find(|run| run.run == one.found.run) else { continue };
            run.notes = notes;
            if let (Some(shortest), Some(cause)) = (&one.found.shortest, cause) {
                run.cause = cause;
                run.explanation = shortest.explanation.as_ref();
                run.steps = self.trails.of(one.number);
                run.begun = self.trails.begun(one.number);
                run.length = shortest.steps;
                run.unaccepted = self.trails.unaccepted(one.number);
                run.shrunk = Some(one.found.from);
                run.recorded = one.number;
            }
        }
        runs.sort_by_key(|run| run.shrunk.is_none());
        runs
    }
}
