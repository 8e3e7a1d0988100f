//! A recorded run that is run again, several times, and what that shows: whether a failure is mended.

use std::time::Instant;

use sioco_exec::drive::Bench;
use sioco_exec::log::LoggedRun;
use sioco_exec::record::Stamped;
use sioco_exec::replay::{Patience, Point, Replayed, is_alike, replay};
use sioco_exec::shrink::{Rate, alike};
use sioco_exec::summary::most_telling;
use sioco_exec::verdict::{Cause, Failure, Verdict};
use sioco_exec::{Observation, RunNumber, Sut};
use sioco_model::Model;
use sioco_solve::{BackEnd, Cancellation};

use crate::drive::Since;
use crate::engine::{Engine, HYPOTHESES};
use crate::trails::Trails;
use crate::watch::Watched;

/// If a run that failed only sometimes passes, it has to pass as often as it would otherwise have failed this many
/// times. Then the chance that it still fails, but did not, is about one in 22,000 (e to the power of -10). The same
/// holds for a system that makes choices of its own.
pub const EXPECTED_FAILURES: u64 = 10;

/// What is run again, and how. See the [module](self).
#[derive(Clone, Copy)]
pub struct Replay<'a> {
    /// The model.
    pub model: &'a Model,
    /// Who answers questions.
    pub back_end: &'a BackEnd,
    /// What ends questions and the waits of the system.
    pub cancellation: &'a Cancellation,
    /// The run.
    pub recorded: &'a LoggedRun,
    /// How long to wait.
    pub patience: Patience<'a>,
    /// How often.
    pub times: u64,
}

/// Whom a replay tells what happens.
pub trait ReplayObserver {
    /// Something happened.
    fn record(&mut self, stamped: &Stamped);

    /// It was run again so often.
    fn replayed(&mut self, times: u64);
}

/// What came of it.
pub struct Replays {
    /// Each time.
    pub found: Vec<Replayed>,
    /// The steps of those that did not pass; they are numbered from 1.
    pub trails: Trails,
}

impl Replay<'_> {
    /// Runs it again until something breaks down or somebody interrupts, and stops the system.
    pub fn run(self, sut: &mut dyn Sut, observer: &mut dyn ReplayObserver) -> Replays {
        let engine = Engine::new(self.back_end, self.cancellation);
        let (solvers, oracle) = (engine.solvers(), engine.oracle(self.model));
        let mut referee = oracle.referee(self.model, &solvers, HYPOTHESES);
        let mut sut = Watched { sut, cancellation: self.cancellation };
        let mut clock = Since(Instant::now());
        let mut replays = Replays { found: Vec::new(), trails: Trails::default() };
        for number in 1..=self.times {
            // A system that chooses by its seed may choose as it did then, and otherwise in another way.
            let passed = (replays.found.len() - replays.fails()) as u64;
            let seed = self.recorded.seed.map(|seed| seed.wrapping_add(passed));
            let recorded = &LoggedRun { seed, ..self.recorded.clone() };
            let bench = Bench { sut: &mut sut, clock: &mut clock };
            let replayed = replay(&mut referee, bench, recorded, RunNumber(number), self.patience, &mut |stamped| {
                oracle.refill();
                replays.trails.record(stamped);
                observer.record(stamped);
            });
            observer.replayed(number);
            let over = replayed.interrupted || replayed.verdict == Verdict::Error;
            replays.found.push(replayed);
            if over {
                break;
            }
        }
        sut.stop();
        replays
    }
}

impl Replays {
    /// How often it failed.
    pub fn fails(&self) -> usize {
        self.found.iter().filter(|replayed| replayed.verdict == Verdict::Fail).count()
    }

    /// Whether somebody interrupted it.
    pub fn is_interrupted(&self) -> bool {
        self.found.iter().any(|replayed| replayed.interrupted)
    }

    /// The one that tells most: the shortest failure, or else the worst; and its number.
    pub fn worst(&self) -> Option<(RunNumber, &Replayed)> {
        let failing = most_telling(self.found.iter().map(|r| (r.verdict, r.steps)));
        let worst = || self.found.iter().enumerate().max_by_key(|(i, r)| (r.verdict, std::cmp::Reverse(*i)));
        let at = failing.or_else(|| worst().map(|(i, _)| i))?;
        Some((RunNumber::FIRST.plus(at as u64), &self.found[at]))
    }

    /// What it shows about a recorded run.
    pub fn shows(&self, recorded: &LoggedRun) -> Shown {
        Shown::of(&self.found, failure(recorded).is_some(), recorded.again)
    }

    /// How a run that fails fails.
    pub fn fails_as(&self, recorded: &LoggedRun) -> Sameness {
        let first = self.found.iter().find_map(|r| Some((failure_of(&r.cause)?, r.steps)));
        let steps = recorded.steps.len() as u64 + u64::from(recorded.unanswered.is_some());
        match failure(recorded).and_then(failure_of).map(|failure| (failure, steps)) {
            None => Sameness::New,
            Some(before) if first.is_some_and(|first| is_same(before, first)) => Sameness::Same,
            Some((before, at)) if first.is_some_and(|(now, then)| at == then && alike(before, now)) => Sameness::Values,
            Some(_) => Sameness::Other,
        }
    }
}

/// Why a recorded run failed, if it did.
fn failure(recorded: &LoggedRun) -> Option<&Cause> {
    recorded.verdict.as_ref().filter(|(verdict, _)| *verdict == Verdict::Fail).map(|(_, cause)| cause)
}

/// The failing run that a campaign shows first: of equally short ones, those that were shrunk have the simpler values.
pub fn most_telling_run(runs: &[LoggedRun]) -> Option<&LoggedRun> {
    let of = |run: &LoggedRun| {
        let verdict = run.verdict.as_ref().map_or(Verdict::Pass, |(verdict, _)| *verdict);
        (verdict, run.steps.len() as u64)
    };
    let mut runs: Vec<&LoggedRun> = runs.iter().collect();
    runs.sort_by_key(|run| (run.shrunk.is_none(), run.shrunk));
    most_telling(runs.iter().map(|run| of(run))).map(|i| runs[i])
}

/// How a failure is like the one that was recorded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sameness {
    /// It did not fail then.
    New,
    /// The same failure at the same step.
    Same,
    /// The same, with other values: a system may make new ones each time.
    Values,
    /// Another failure, or at another step.
    Other,
}

/// What running it again shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shown {
    /// It failed, and does not fail any more where it failed.
    Fixed,
    /// It fails each time.
    Failed,
    /// It fails sometimes, or did before.
    Flaky,
    /// It did not fail when it was recorded either.
    Passed,
    /// It does not fail, and that shows nothing.
    NotReproduced(Unshown),
    /// It is inconclusive.
    Inconclusive,
    /// Something broke down.
    Error,
}

/// Why runs that do not fail show nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unshown {
    /// The system went another way before it came to where it failed.
    Elsewhere,
    /// It came there with other values.
    Values,
    /// It makes choices of its own.
    Choices,
    /// It is not known whether it can still do what was recorded.
    Unknown,
}

impl Shown {
    /// Its name for programs and people.
    pub fn name(self) -> &'static str {
        match self {
            Shown::Fixed => "FIXED",
            Shown::Failed => "FAILED",
            Shown::Flaky => "FLAKY",
            Shown::Passed => "PASSED",
            Shown::NotReproduced(_) => "NOT REPRODUCED",
            Shown::Inconclusive => "INCONCLUSIVE",
            Shown::Error => "ERROR",
        }
    }

    /// What several verdicts mean together, for a run that failed or did not.
    fn of(found: &[Replayed], failed: bool, again: Option<Rate>) -> Shown {
        // What somebody interrupted says nothing.
        let found: Vec<&Replayed> = found.iter().filter(|r| !r.interrupted).collect();
        let has = |v: Verdict| found.iter().any(|r| r.verdict == v);
        let fails = found.iter().filter(|r| r.verdict == Verdict::Fail).count();
        match fails {
            _ if found.is_empty() => Shown::Inconclusive,
            0 if has(Verdict::Error) => Shown::Error,
            0 if has(Verdict::Inconclusive) => Shown::Inconclusive,
            0 if failed => Shown::without_failure(&found, again),
            0 => Shown::Passed,
            n if n == found.len() => Shown::Failed,
            _ => Shown::Flaky,
        }
    }

    /// What it means if a run that failed does not fail any more.
    fn without_failure(found: &[&Replayed], again: Option<Rate>) -> Shown {
        if found.iter().any(|r| r.cannot == Some(true)) {
            return Shown::Fixed;
        }
        if found.iter().any(|r| r.cannot == Some(false)) {
            return Shown::NotReproduced(Unshown::Unknown);
        }
        // What failed each time it was run again did not depend on values that change from run to run.
        let always = again.is_some_and(|rate| rate.of > 1 && rate.failed == rate.of);
        let is_there = |r: &Replayed| match r.point {
            Point::Same => true,
            Point::Values => always,
            Point::Elsewhere => false,
        };
        let there: Vec<&Replayed> = found.iter().copied().filter(|r| is_there(r)).collect();
        let passed = there.len() as u64;
        match again.filter(|_| !always) {
            _ if there.is_empty() && found.iter().all(|r| r.point == Point::Values) => {
                Shown::NotReproduced(Unshown::Values)
            }
            _ if there.is_empty() => Shown::NotReproduced(Unshown::Elsewhere),
            // It did not always fail before anybody could mend anything: passing a few times says nothing.
            Some(rate) if enough(rate).is_none_or(|enough| passed < enough) => Shown::Flaky,
            None if passed < EXPECTED_FAILURES && chooses(found, &there) => Shown::NotReproduced(Unshown::Choices),
            _ => Shown::Fixed,
        }
    }
}

/// Whether the system does now one thing and now another, on its way to where it failed or there.
fn chooses(found: &[&Replayed], there: &[&Replayed]) -> bool {
    let last = |r: &Replayed| r.last.clone();
    let alike = |a: Option<Observation>, b: Option<Observation>| match (a, b) {
        (Some(a), Some(b)) => is_alike(&a, &b),
        (a, b) => a == b,
    };
    found.iter().any(|r| r.point == Point::Elsewhere) || there.windows(2).any(|w| !alike(last(w[0]), last(w[1])))
}

/// How often a run that failed at this rate, in some of its runs, has to pass until that says something; never, if it did
/// not fail again.
pub fn enough(rate: Rate) -> Option<u64> {
    match rate.failed {
        0 => None,
        failed => Some(EXPECTED_FAILURES.saturating_mul(rate.of).div_ceil(failed)),
    }
}

fn failure_of(cause: &Cause) -> Option<&Failure> {
    match cause {
        Cause::Failure(failure) => Some(failure),
        _ => None,
    }
}

/// Whether two failures are the same, and at the same step. With which words an input is refused may change, and so may the
/// traceback of a crash.
fn is_same((a, at): (&Failure, u64), (b, then): (&Failure, u64)) -> bool {
    at == then
        && match (a, b) {
            (Failure::Refused { input: a, .. }, Failure::Refused { input: b, .. }) => a == b,
            (Failure::Crashed(a), Failure::Crashed(b)) => a.is_same(b),
            (a, b) => a == b,
        }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(verdicts: &[Verdict], point: Point) -> Vec<Replayed> {
        let of = |verdict: &Verdict| Replayed {
            verdict: *verdict,
            cause: Cause::Reached,
            explanation: None,
            steps: 1,
            deviated: point != Point::Same,
            point,
            last: Some(Observation::Delta),
            cannot: None,
            interrupted: false,
        };
        verdicts.iter().map(of).collect()
    }

    #[test]
    fn what_verdicts_mean_together() {
        use Verdict::*;
        for (verdicts, failed, outcome) in [
            (&[Pass, Pass][..], true, Shown::Fixed),
            (&[Pass], false, Shown::Passed),
            (&[Fail, Fail], true, Shown::Failed),
            (&[Fail, Pass], true, Shown::Flaky),
            (&[Pass, Inconclusive], true, Shown::Inconclusive),
            (&[Pass, Error], true, Shown::Error),
            (&[Fail, Error], true, Shown::Flaky),
        ] {
            assert_eq!(Shown::of(&found(verdicts, Point::Same), failed, None), outcome, "{verdicts:?}");
        }
        // What did not fail again before either is not mended by passing.
        for (failed, times, outcome) in [
            (0, 1000, Shown::Flaky),
            (1, 49, Shown::Flaky),
            (1, 50, Shown::Fixed),
            (4, 12, Shown::Flaky),
            (4, 13, Shown::Fixed),
            (5, 1, Shown::Fixed),
        ] {
            let again = Some(Rate { failed, of: 5 });
            let times = found(&vec![Pass; times], Point::Same);
            assert_eq!(Shown::of(&times, true, again), outcome, "{failed} {}", times.len());
        }
        let gone = Some(Rate { failed: 0, of: 6 });
        assert_eq!(Shown::of(&found(&[Fail, Fail], Point::Same), true, gone), Shown::Failed);
        assert_eq!(Shown::of(&found(&[Pass], Point::Same), false, gone), Shown::Passed);
    }

    /// It is mended only where the system was where it failed, and did not just choose otherwise.
    #[test]
    fn what_does_not_fail_shows_something_only_where_it_failed() {
        use Verdict::*;
        let elsewhere = |why| Shown::NotReproduced(why);
        let away = found(&[Pass, Pass], Point::Elsewhere);
        assert_eq!(Shown::of(&away, true, None), elsewhere(Unshown::Elsewhere));
        assert_eq!(Shown::of(&away, false, None), Shown::Passed);
        assert_eq!(Shown::of(&found(&[Pass, Fail], Point::Elsewhere), true, None), Shown::Flaky);
        // Other values matter, unless it failed each time before, whatever they were.
        let values = found(&[Pass, Pass], Point::Values);
        let rate = |failed| Some(Rate { failed, of: 5 });
        assert_eq!(Shown::of(&values, true, None), elsewhere(Unshown::Values));
        assert_eq!(Shown::of(&values, true, Some(Rate { failed: 1, of: 1 })), elsewhere(Unshown::Values));
        assert_eq!(Shown::of(&values, true, rate(3)), elsewhere(Unshown::Values));
        assert_eq!(Shown::of(&values, true, rate(5)), Shown::Fixed);
        // Who goes now here and now there may go elsewhere the next time.
        let mixed = [found(&[Pass], Point::Elsewhere), found(&[Pass], Point::Same)].concat();
        assert_eq!(Shown::of(&mixed, true, None), elsewhere(Unshown::Choices));
        let often = [found(&[Pass], Point::Elsewhere), found(&[Pass; 10], Point::Same)].concat();
        assert_eq!(Shown::of(&often, true, None), Shown::Fixed);
        let mut several = found(&[Pass, Pass], Point::Same);
        several[0].last = Some(Observation::Closed);
        assert_eq!(Shown::of(&several, true, None), elsewhere(Unshown::Choices));
        assert_eq!(Shown::of(&several, true, rate(5)), elsewhere(Unshown::Choices));
        // Only runs that came there count.
        let one = [found(&[Pass; 12], Point::Elsewhere), found(&[Pass; 12], Point::Same)].concat();
        assert_eq!(Shown::of(&one, true, rate(4)), Shown::Flaky);
        // A system that does whatever was recorded, if it can, needs no statistics.
        let mut exact = found(&[Pass, Pass], Point::Same);
        exact.iter_mut().for_each(|r| r.cannot = Some(true));
        assert_eq!(Shown::of(&exact, true, rate(1)), Shown::Fixed);
        exact.iter_mut().for_each(|r| r.cannot = Some(false));
        assert_eq!(Shown::of(&exact, true, rate(5)), elsewhere(Unshown::Unknown));
    }
}
