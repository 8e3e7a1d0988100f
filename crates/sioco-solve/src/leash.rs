//! When whoever asks has to be done, whatever is asked.
//!
//! Questions come from many places: where values are chosen, where steps are looked for, where what was observed is
//! judged. None of them knows who waits. So all solvers of a campaign hang on one leash, which whoever does know pulls:
//! from then on every question, also the one that is under way, is *unknown*, with its reason.
//!
//! Where somebody waits, questions are rationed by work first, which is counted: the same questions get the same answers on
//! any machine. The clock is the last resort, and what it decided is [known](Leash::late).

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// See the [module](self). Clones are the same leash.
#[derive(Clone, Debug, Default)]
pub struct Leash {
    /// Everything ends when one of them is set.
    stops: Arc<[Arc<AtomicBool>]>,
    times: Arc<Mutex<Times>>,
    /// How many questions the clock has ended while nobody waited.
    late: Arc<AtomicU64>,
}

/// How much work there is in a second for whoever waits, in units of the solvers: about as much as is done in one.
const WORK: u128 = 500_000;
/// However short the time is, there is as much as this.
const LEAST: u64 = 50_000;

#[derive(Clone, Copy, Debug, Default)]
struct Times {
    /// Everything ends.
    end: Option<Instant>,
    /// Somebody waits, and not longer than this.
    pause: Option<Instant>,
    /// How much work is left meanwhile, and how much there was.
    work: Option<(u64, u64)>,
}

impl Leash {
    /// One that is pulled when a flag is set, and when a time has come.
    pub fn new(stops: impl IntoIterator<Item = Arc<AtomicBool>>, end: Option<Instant>) -> Leash {
        let times = Arc::new(Mutex::new(Times { end, ..Times::default() }));
        Leash { stops: stops.into_iter().collect(), times, late: Arc::default() }
    }

    fn times(&self) -> Times {
        *self.times.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// From now on, questions must all be over within this time, until something else is said here: somebody waits. They
    /// also get only so much work as is usually done in that time, all together.
    pub fn hurry(&self, within: Option<Duration>) {
        let pause = within.and_then(|time| Instant::now().checked_add(time));
        let work = within.map(|time| {
            let work = u64::try_from(time.as_millis() * WORK / 1_000).unwrap_or(u64::MAX).max(LEAST);
            (work, work)
        });
        let mut times = self.times.lock().unwrap_or_else(PoisonError::into_inner);
        (times.pause, times.work) = (pause, work);
    }

    /// Whoever waits gets another amount of work.
    pub fn ration(&self, work: u64) {
        let mut times = self.times.lock().unwrap_or_else(PoisonError::into_inner);
        times.work = times.work.map(|_| (work, work));
    }

    /// How much work one question may take at most while somebody waits.
    pub(crate) fn most_work(&self) -> Option<u64> {
        self.times().work.map(|(_, most)| most)
    }

    /// Some of the work was done.
    pub(crate) fn spend(&self, work: u64) {
        if let Some((left, _)) = &mut self.times.lock().unwrap_or_else(PoisonError::into_inner).work {
            *left = left.saturating_sub(work);
        }
    }

    /// Whether somebody waits, and all the work that there is for that is done.
    pub fn is_spent(&self) -> bool {
        self.times().work.is_some_and(|(left, _)| left == 0)
    }

    /// How many questions the clock has ended so far, besides those of whoever waits: on another machine they may have been
    /// answered.
    pub fn late(&self) -> u64 {
        self.late.load(Ordering::Relaxed)
    }

    /// The clock has ended a question. At the end of everything, that decides nothing.
    pub(crate) fn count_late(&self) {
        if !self.is_over() {
            self.late.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// The same without anybody who waits: for what happens once and serves all.
    pub(crate) fn without_pause(&self) -> Leash {
        let times = Times { pause: None, work: None, ..self.times() };
        Leash { stops: self.stops.clone(), times: Arc::new(Mutex::new(times)), late: self.late.clone() }
    }

    /// Whether whoever waits has waited long enough.
    pub fn is_late(&self) -> bool {
        self.times().pause.is_some_and(|pause| Instant::now() >= pause)
    }

    /// Whether everything has to end: somebody wants that, or the time has come.
    pub fn is_over(&self) -> bool {
        self.is_cancelled() || self.times().end.is_some_and(|end| Instant::now() >= end)
    }

    /// Whether questions end early now.
    pub(crate) fn is_pulled(&self) -> bool {
        self.is_cancelled() || self.deadline().is_some_and(|end| Instant::now() >= end)
    }

    /// Whether somebody wants everything to end.
    pub fn is_cancelled(&self) -> bool {
        self.stops.iter().any(|stop| stop.load(Ordering::Relaxed))
    }

    /// When a question that is asked now must be over.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        let Times { end, pause, .. } = self.times();
        end.into_iter().chain(pause).min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::Limits;

    #[test]
    fn who_pulls_shortens_all_questions() {
        let stop = Arc::new(AtomicBool::new(false));
        let leash = Leash::new([stop.clone()], None);
        let limits = Limits { leash: Some(leash.clone()), ..Limits::default() };
        assert!(!limits.cancelled() && !limits.is_late() && !leash.is_over());
        leash.hurry(Some(Duration::ZERO));
        assert!(limits.is_late() && leash.is_late() && limits.deadline() <= Instant::now());
        assert!(!limits.cancelled() && !leash.is_over());
        assert!(!leash.is_spent() && leash.most_work() == Some(LEAST));
        leash.spend(LEAST - 1);
        assert!(!limits.is_spent());
        leash.spend(2);
        assert!(limits.is_spent());
        leash.hurry(Some(Duration::from_secs(2)));
        assert!(!limits.is_spent() && leash.most_work() == Some(1_000_000));
        leash.hurry(None);
        leash.spend(1);
        assert!(!limits.is_spent() && leash.most_work().is_none());
        assert!(!limits.is_late() && limits.deadline() > Instant::now());
        stop.store(true, Ordering::Relaxed);
        assert!(limits.cancelled() && leash.is_over());
        let ended = Leash::new([], Some(Instant::now()));
        let limits = Limits { leash: Some(ended.clone()), ..Limits::default() };
        assert!(ended.is_over() && limits.is_late() && !limits.cancelled());
    }
}
