//! Cancellation: one signal that ends all work that belongs together.
//!
//! Questions to the solver come from many places: code that chooses values, searches for steps, or judges observations.
//! None of these places knows who waits for the answer. So all work that belongs together shares one cancellation, and
//! the caller who knows cancels it. From then on every question, also the one in progress, is *unknown* with its reason,
//! and every search ends with the results so far.
//!
//! When somebody waits, a limit on counted work comes first: the same questions get the same answers on any machine. The
//! clock is the last resort, and the questions that it ended are [counted](Cancellation::late).

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::timer::Timer;

/// See the [module](self). Clones are the same one.
#[derive(Clone, Debug, Default)]
pub struct Cancellation {
    /// Everything ends when one of them is set.
    stops: Arc<[Arc<AtomicBool>]>,
    times: Arc<Mutex<Times>>,
    /// Another time when everything ends.
    also: Option<Timer>,
    /// The time that several questions have together.
    shared: Option<Timer>,
    /// How many questions the clock has ended while nobody waited.
    late: Arc<AtomicU64>,
}

/// For whoever waits, this much work is in a millisecond, in units of the solvers: about as much as is done in one.
const WORK_PER_MILLISECOND: u128 = 500;
/// However short the time is, there is as much work as this: a tenth of a second, so that easy questions always get
/// their answers.
const LEAST_WORK: u64 = 50_000;

#[derive(Clone, Copy, Debug, Default)]
struct Times {
    /// Everything ends.
    end: Option<Timer>,
    /// Somebody waits, and not longer than this.
    pause: Option<Timer>,
    /// How much work is left meanwhile, and how much there was.
    work: Option<(u64, u64)>,
}

impl Cancellation {
    /// One that comes when one of the flags is set, and when a time has come.
    pub fn new(stops: impl IntoIterator<Item = Arc<AtomicBool>>, end: Option<Instant>) -> Cancellation {
        let times = Times { end: end.map(Timer::until), ..Times::default() };
        let (stops, times) = (stops.into_iter().collect(), Arc::new(Mutex::new(times)));
        Cancellation { stops, times, also: None, shared: None, late: Arc::default() }
    }

    /// One that comes when a flag is set.
    pub fn by(flag: Arc<AtomicBool>) -> Cancellation {
        Cancellation::new([flag], None)
    }

    /// The same, which another one ends as well. Whoever waits does so for this one.
    pub fn and(&self, other: &Cancellation) -> Cancellation {
        let same = Arc::ptr_eq(&self.times, &other.times);
        let end = if same { None } else { other.times().end.into_iter().chain(other.also).min() };
        let shared = self.shared.into_iter().chain(other.shared).min();
        if same || (other.stops.is_empty() && end.is_none()) {
            return Cancellation { shared, ..self.clone() };
        }
        let stops = self.stops.iter().chain(other.stops.iter()).cloned().collect();
        Cancellation { stops, also: self.also.into_iter().chain(end).min(), shared, ..self.clone() }
    }

    /// From now on it comes at this time, or only when somebody wants that: what begins next has a time of its own.
    pub fn end_at(&self, end: Option<Instant>) {
        self.times.lock().unwrap_or_else(PoisonError::into_inner).end = end.map(Timer::until);
    }

    /// The same for questions that must all be over within this time from now.
    pub(crate) fn sharing(&self, time: Duration) -> Cancellation {
        let shared = self.shared.into_iter().chain([Timer::within(time)]).min();
        Cancellation { shared, ..self.clone() }
    }

    /// Whether the time that several questions have together is used up.
    pub(crate) fn is_used_up(&self) -> bool {
        self.shared.is_some_and(Timer::is_over)
    }

    /// Whether it may ever come: otherwise nobody has to look.
    pub(crate) fn may_come(&self) -> bool {
        !self.stops.is_empty() || self.end().is_some()
    }

    fn times(&self) -> Times {
        *self.times.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// From now on, questions must all be over within this time, until something else is said here: somebody waits. They
    /// also get only so much work as is usually done in that time, all together.
    pub fn hurry(&self, within: Option<Duration>) {
        let pause = within.map(Timer::within);
        let work = within.map(|time| {
            let work = u64::try_from(time.as_millis() * WORK_PER_MILLISECOND).unwrap_or(u64::MAX).max(LEAST_WORK);
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

    /// The same without anybody who waits, and for no question alone: for what happens once and serves all.
    pub(crate) fn without_pause(&self) -> Cancellation {
        let times = Times { pause: None, work: None, ..self.times() };
        Cancellation { times: Arc::new(Mutex::new(times)), shared: None, ..self.clone() }
    }

    /// Whether whoever waits has waited long enough.
    pub fn is_late(&self) -> bool {
        self.times().pause.is_some_and(Timer::is_over)
    }

    /// Whether everything has to end: somebody wants that, or the time has come.
    pub fn is_over(&self) -> bool {
        let end = self.times().end.into_iter().chain(self.also).min();
        self.is_cancelled() || end.is_some_and(Timer::is_over)
    }

    /// Whether questions end early now.
    pub(crate) fn has_come(&self) -> bool {
        self.is_cancelled() || self.is_out_of_time()
    }

    /// Whether somebody wants everything to end.
    pub fn is_cancelled(&self) -> bool {
        self.stops.iter().any(|stop| stop.load(Ordering::Relaxed))
    }

    /// Whether it is too late for another question.
    pub(crate) fn is_out_of_time(&self) -> bool {
        self.end().is_some_and(Timer::is_over)
    }

    /// The time for a question that begins now and may take so long by itself.
    pub(crate) fn timer(&self, own: Duration) -> Timer {
        let own = Timer::within(own);
        self.end().map_or(own, |end| own.min(end))
    }

    /// When questions must be over.
    fn end(&self) -> Option<Timer> {
        let Times { end, pause, .. } = self.times();
        end.into_iter().chain(pause).chain(self.also).chain(self.shared).min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::Limits;

    #[test]
    fn who_cancels_shortens_all_questions() {
        let stop = Arc::new(AtomicBool::new(false));
        let cancellation = Cancellation::new([stop.clone()], None);
        let limits = Limits { cancellation: cancellation.clone(), ..Limits::default() };
        assert!(!limits.cancelled() && !limits.is_late() && !cancellation.is_over());
        cancellation.hurry(Some(Duration::ZERO));
        assert!(limits.is_late() && cancellation.is_late() && limits.timer().is_over());
        assert!(!limits.cancelled() && !cancellation.is_over());
        assert!(!cancellation.is_spent() && cancellation.most_work() == Some(LEAST_WORK));
        cancellation.spend(LEAST_WORK - 1);
        assert!(!limits.is_spent());
        cancellation.spend(2);
        assert!(limits.is_spent());
        cancellation.hurry(Some(Duration::from_secs(2)));
        assert!(!limits.is_spent() && cancellation.most_work() == Some(1_000_000));
        cancellation.hurry(None);
        cancellation.spend(1);
        assert!(!limits.is_spent() && cancellation.most_work().is_none());
        assert!(!limits.is_late() && !limits.timer().is_over());
        stop.store(true, Ordering::Relaxed);
        assert!(limits.cancelled() && cancellation.is_over());
        let ended = Cancellation::default();
        ended.clone().end_at(Some(Instant::now()));
        let limits = Limits { cancellation: ended.clone(), ..Limits::default() };
        assert!(ended.is_over() && limits.is_late() && !limits.cancelled());
    }

    /// Their common time ends them, and nothing else.
    #[test]
    fn questions_share_a_time() {
        let whole = Cancellation::default();
        let shared = whole.sharing(Duration::ZERO);
        assert!(shared.is_used_up() && shared.is_out_of_time() && shared.has_come() && shared.timer(WEEK).is_over());
        assert!(!shared.is_over() && !shared.is_late() && !shared.is_cancelled());
        assert!(!whole.is_used_up() && !whole.is_out_of_time() && !shared.without_pause().is_used_up());
        assert!(!whole.sharing(WEEK).is_used_up() && !whole.sharing(WEEK).timer(WEEK).is_over());
        // Whoever has another cancellation besides shares it all the same.
        assert!(Cancellation::default().and(&shared).is_used_up() && shared.and(&Cancellation::default()).is_used_up());
        assert!(Cancellation::by(Arc::default()).and(&shared).is_used_up() && shared.and(&shared).is_used_up());
        assert!(shared.and(&Cancellation::by(Arc::default())).is_used_up() && shared.sharing(WEEK).is_used_up());
    }

    const WEEK: Duration = Duration::from_secs(7 * 24 * 60 * 60);
}
