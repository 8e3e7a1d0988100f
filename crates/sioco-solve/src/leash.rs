//! When whoever asks has to be done, whatever is asked.
//!
//! Questions come from many places: where values are chosen, where steps are looked for, where what was observed is
//! judged. None of them knows who waits. So all solvers of a campaign hang on one leash, which whoever does know pulls:
//! from then on every question, also the one that is under way, is *unknown*, with its reason.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// See the [module](self). Clones are the same leash.
#[derive(Clone, Debug, Default)]
pub struct Leash {
    /// Everything ends when one of them is set.
    stops: Arc<[Arc<AtomicBool>]>,
    times: Arc<Mutex<Times>>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Times {
    /// Everything ends.
    end: Option<Instant>,
    /// Somebody waits, and not longer than this.
    pause: Option<Instant>,
}

impl Leash {
    /// One that is pulled when a flag is set, and when a time has come.
    pub fn new(stops: impl IntoIterator<Item = Arc<AtomicBool>>, end: Option<Instant>) -> Leash {
        Leash { stops: stops.into_iter().collect(), times: Arc::new(Mutex::new(Times { end, pause: None })) }
    }

    fn times(&self) -> Times {
        *self.times.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// From now on, questions must all be over within this time, until something else is said here: somebody waits.
    pub fn hurry(&self, within: Option<Duration>) {
        let pause = within.and_then(|time| Instant::now().checked_add(time));
        self.times.lock().unwrap_or_else(PoisonError::into_inner).pause = pause;
    }

    /// The same without anybody who waits: for what happens once and serves all.
    pub(crate) fn without_pause(&self) -> Leash {
        let times = Times { pause: None, ..self.times() };
        Leash { stops: self.stops.clone(), times: Arc::new(Mutex::new(times)) }
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
        let Times { end, pause } = self.times();
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
        leash.hurry(None);
        assert!(!limits.is_late() && limits.deadline() > Instant::now());
        stop.store(true, Ordering::Relaxed);
        assert!(limits.cancelled() && leash.is_over());
        let ended = Leash::new([], Some(Instant::now()));
        let limits = Limits { leash: Some(ended.clone()), ..Limits::default() };
        assert!(ended.is_over() && limits.is_late() && !limits.cancelled());
    }
}
