//! An end to long work: on Ctrl-C, when the time is up, and when there is no memory left.
//!
//! Flags tell the work to stop, and it shows its partial result. If it is inside a call that cannot be interrupted, the
//! caller is told so and may [leave](Leave) the work behind. A command then ends the program, so that it stops within a
//! second of the request.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use sioco_symbolic::Stop;

use crate::usage::{Stopwatch, memory};

/// The thread looks this often whether time is up. A campaign ends this much late at most; more often would be work for
/// nothing.
const BEAT: Duration = Duration::from_millis(20);
/// After the end of the time, this long there is for what can still be found in the states that there are. Less would
/// throw away results that are nearly there; more would be noticed by whoever gave the time.
const GRACE: Duration = Duration::from_millis(300);
/// This long after the grace, everything has to end: whoever does not listen is left behind. Together both are under a
/// second, which a user takes for "at once".
const DEAF: Duration = Duration::from_millis(550);

/// What some work may use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Budget {
    /// The search ends after this time.
    pub search: Duration,
    /// Questions about what was found end as well.
    pub all: Duration,
    /// The program ends, if the work does not; never, if there is none.
    pub last: Option<Duration>,
    /// How much memory the program may use, in bytes.
    pub memory: usize,
}

impl Budget {
    /// For work that has so much time in all: a quarter of it is for questions about what was found.
    pub fn of(time: Duration, memory: usize) -> Budget {
        Budget { search: time / 4 * 3, all: time, last: Some(time), memory }
    }
}

/// What the work is told.
#[derive(Clone, Debug, Default)]
pub struct Flags {
    /// There are enough states: the time is up, there is no memory left, or somebody interrupted.
    pub enough: Arc<AtomicBool>,
    /// Everything has to end.
    pub stop: Arc<AtomicBool>,
    /// It is the memory.
    pub memory: Arc<AtomicBool>,
}

impl Flags {
    /// Whether the memory has ended something.
    pub fn is_out_of_memory(&self) -> bool {
        self.memory.load(Ordering::Relaxed)
    }

    /// Why a search ended that was told to.
    pub fn why(&self, stop: Stop) -> Stop {
        match stop {
            Stop::Cancelled if self.memory.load(Ordering::Relaxed) => Stop::Memory,
            stop => stop,
        }
    }
}

/// What work did not listen to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Overdue {
    /// It takes more than twice the memory.
    Memory,
    /// It goes on after its time.
    Time,
}

/// What is done about work that does not listen. It is called again and again, as long as the work goes on.
pub type Leave = fn(Overdue);

/// Waits for work that does not listen, as long as that takes.
pub fn wait_for_it(_: Overdue) {}

/// Does some work, which is told by flags when it has to end.
pub fn within<T>(
    budget: Budget,
    interrupted: &AtomicBool,
    leave: Leave,
    flags: Flags,
    work: impl FnOnce(Flags) -> T,
) -> T {
    flags.enough.store(budget.search.is_zero(), Ordering::Relaxed);
    let start = Stopwatch::start();
    std::thread::scope(|scope| {
        // Dropped when the work ends, however it ends.
        let (_working, ended) = channel::<()>();
        let told = flags.clone();
        scope.spawn(move || {
            // Since when everything is to end soon.
            let mut since: Option<Stopwatch> = None;
            while ended.recv_timeout(BEAT) == Err(RecvTimeoutError::Timeout) {
                let used = memory().unwrap_or(0);
                told.memory.fetch_or(used > budget.memory, Ordering::Relaxed);
                let asked = interrupted.load(Ordering::Relaxed);
                if asked || told.memory.load(Ordering::Relaxed) || start.wall() >= budget.all {
                    since.get_or_insert_with(Stopwatch::start);
                }
                told.enough.fetch_or(since.is_some() || start.wall() >= budget.search, Ordering::Relaxed);
                let over = since.as_ref().is_some_and(|since| since.passed(GRACE));
                told.stop.fetch_or(over, Ordering::Relaxed);
                // Whoever interrupts is seen to where signals come in.
                if used > budget.memory.saturating_mul(2) {
                    leave(Overdue::Memory);
                }
                let late = budget.last.is_some_and(|last| start.wall() >= last.saturating_add(GRACE + DEAF));
                if late && since.as_ref().is_some_and(|since| since.passed(GRACE + DEAF)) {
                    leave(Overdue::Time);
                }
            }
        });
        work(flags)
    })
}
