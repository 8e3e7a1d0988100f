//! The failing runs of a campaign in their shortest form: of those that fail in the same way, the one that is shown.

use std::time::{Duration, Instant};

use sioco_exec::drive::Bench;
use sioco_exec::explanation::Explanation;
use sioco_exec::quiescence_time::QuiescenceTimes;
use sioco_exec::record::Record;
use sioco_exec::replay::Patience;
use sioco_exec::shrink::{Budget, Ended, Failed, Rate, ShrinkProgress, Shrunk, alike, shrink};
use sioco_exec::verdict::{Cause, Failure, Verdict};
use sioco_exec::{Action, Referee, RunNumber, Settings, Stamped, Summary};
use sioco_model::Model;
use sioco_solve::{BackEnd, Cancellation};

use crate::engine::Engine;
use crate::failing::{EXPLAINED, FailingRun, Likeness, failing, groups};
use crate::trails::Trails;

/// Shrinking takes at most this long, if nobody says otherwise. A person waits that long for a shorter run; a run of
/// some hundred steps on a fast system needs a second or less.
pub const TIME: Duration = Duration::from_secs(10);
/// At most this many runs are tried for each second, and at least as many as usual. Where time is longer than usual,
/// the number of runs must not end the shrinking first.
const RUNS_PER_SECOND: u64 = 20;

/// What is shrunk, and how.
#[derive(Clone, Copy)]
pub struct Shrinking<'a> {
    /// The model.
    pub model: &'a Model,
    /// Who answers questions.
    pub back_end: &'a BackEnd,
    /// The settings of the campaign.
    pub settings: &'a Settings,
    /// How long it may take.
    pub time: Duration,
    /// What ends questions and the waits of the system: somebody at the keyboard, and here the time.
    pub cancellation: &'a Cancellation,
    /// Which runs fail for the same reason.
    pub likeness: &'a dyn Likeness,
}

/// A failing run that was shrunk.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shortened {
    /// The number that its shortest form has in the journal.
    pub number: RunNumber,
    /// What came of it.
    pub found: Shrunk,
}

impl Shortened {
    /// How often the run failed again, and its shortest form, for the journal.
    pub fn again(&self) -> impl Iterator<Item = Record> + use<> {
        let Shrunk { run, shortest, again, reproduced, .. } = &self.found;
        let form = reproduced.map(|rate| (if shortest.is_some() { self.number } else { *run }, rate));
        // Where the run is its own shortest form, what was tried last is what counts.
        let run = (form.is_none_or(|(number, _)| number != *run) && again.of > 0).then_some((*run, *again));
        run.into_iter().chain(form).map(|(run, rate): (RunNumber, Rate)| Record::Again { run, rate })
    }
}

/// See the [module](self).
#[derive(Default)]
pub struct Shrinks {
    /// What became of each run.
    pub all: Vec<Shortened>,
    causes: Vec<Option<Cause>>,
    trails: Trails,
}

/// Whom shrinking tells the number of the run and how far it is, after everything that happens.
pub(crate) type Listen<'a> = &'a mut dyn FnMut(RunNumber, ShrinkProgress);

/// The next number of a run, and that of the next shortest form in the journal.
struct Numbers {
    next: RunNumber,
    form: RunNumber,
}

impl Shrinking<'_> {
    /// Shrinks a run for each way to fail that is explained.
    pub(crate) fn shrink(self, found: &Summary, trails: &Trails, mut bench: Bench<'_>, listen: Listen<'_>) -> Shrinks {
        let engine = Engine::new(self.back_end, self.cancellation);
        let (solvers, oracle) = (engine.solvers(), engine.oracle(self.model));
        let mut referee = oracle.referee(self.model, &solvers, self.settings.hypotheses);
        let runs = failing(found, trails);
        let ways: Vec<&FailingRun<'_>> = (groups(&runs, self.likeness).iter())
            .filter_map(|runs| runs.iter().min_by_key(|run| run.length).copied())
            .filter(|run| run.verdict == Verdict::Fail)
            .collect();
        let chosen = &ways[..ways.len().min(EXPLAINED)];
        let mut shrinks = Shrinks::default();
        let mut numbers = Numbers { next: trails.last_reset().next(), form: trails.last().next() };
        let end = bench.clock.now().saturating_add(self.time);
        for (i, run) in chosen.iter().enumerate() {
            let Cause::Failure(failure) = run.cause else { continue };
            // Where others fail alike at another place in the model, each stays at its own, so that none is lost.
            let alone = ways.iter().filter(|r| matches!(r.cause, Cause::Failure(f) if alike(f, failure))).count() < 2;
            // Whoever comes later gets what is left.
            let left = u32::try_from(chosen.len() - i).unwrap_or(u32::MAX);
            let time = end.saturating_sub(bench.clock.now()) / left;
            let seed = trails.seed(run.run).unwrap_or(0);
            let wanted = Wanted { run, failure, alone, seed, time, next: numbers.next };
            let found = self.one(&mut referee, wanted, bench.lend(), &mut |run, progress| {
                oracle.refill();
                listen(run, progress);
            });
            let found = found.numbered(numbers.form);
            numbers.next = numbers.next.plus(found.runs);
            if shrinks.add(found, &mut numbers) {
                break;
            }
        }
        bench.sut.stop();
        shrinks
    }

    /// Shrinks one run.
    fn one(&self, referee: &mut Referee<'_>, of: Wanted<'_>, bench: Bench<'_>, listen: Listen<'_>) -> Shrunk {
        let Wanted { run, failure, alone, seed, time, next } = of;
        let slower = QuiescenceTimes::new(self.model, &self.settings.slower);
        let patience =
            Patience { quiescence: self.settings.quiescence, slower: Some(&slower), accepted: self.settings.patience };
        let key = self.likeness.key(run.cause, run.explanation);
        let actions: Vec<Action> = run.steps.iter().map(|step| step.action.clone()).collect();
        let wanted = |found: &Failure, explanation: Option<&Explanation>| {
            alone || self.likeness.key(&Cause::Failure(found.clone()), explanation) == key
        };
        let steps = run.length;
        let failed = Failed { run: run.run, seed, actions: &actions, failure, steps, next, wanted: &wanted };
        self.cancellation.end_at(Instant::now().checked_add(time));
        let budget = Budget { runs: Budget::default().runs.max(time.as_secs().saturating_mul(RUNS_PER_SECOND)), time };
        let mut found = shrink(referee, bench, failed, patience, budget, &mut |progress| listen(run.run, progress));
        // A reset that was waited for ends in a fault then.
        if matches!(found.ended, Ended::Broken(_)) && self.cancellation.is_cancelled() {
            found.ended = Ended::Interrupted;
        }
        found
    }
}

/// A run to shrink.
#[derive(Clone, Copy)]
struct Wanted<'a> {
    run: &'a FailingRun<'a>,
    failure: &'a Failure,
    /// No other run fails alike.
    alone: bool,
    seed: u64,
    time: Duration,
    /// The number of the first run that the system has not seen yet.
    next: RunNumber,
}

impl Shrinks {
    /// Adds what came of a run; whether shrinking is over.
    fn add(&mut self, found: Shrunk, numbers: &mut Numbers) -> bool {
        let over = matches!(found.ended, Ended::Interrupted | Ended::Broken(_));
        let shortest = found.shortest.as_ref();
        shortest.iter().flat_map(|s| &s.records).for_each(|stamped| self.trails.record(stamped));
        self.causes.push(shortest.map(|s| Cause::Failure(s.failure.clone())));
        let is_shorter = shortest.is_some();
        self.all.push(Shortened { number: numbers.form, found });
        numbers.form = numbers.form.plus(u64::from(is_shorter));
        over
    }

    /// What was found, for the journal: the shortest forms, and how often each run failed again.
    pub fn records(&self, at: Duration) -> impl Iterator<Item = Stamped> + '_ {
        self.all.iter().flat_map(move |one| {
            let shortest = one.found.shortest.iter().flat_map(|s| s.records.iter().cloned());
            shortest.chain(one.again().map(move |record| Stamped { at, record }))
        })
    }

    /// Shows the shortest forms in place of the runs; they come first.
    pub fn show<'a>(&'a self, mut runs: Vec<FailingRun<'a>>) -> Vec<FailingRun<'a>> {
        for (one, cause) in self.all.iter().zip(&self.causes) {
            let Some(run) = runs.iter_mut().find(|run| run.run == one.found.run) else { continue };
            run.shortened = Some(one);
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
