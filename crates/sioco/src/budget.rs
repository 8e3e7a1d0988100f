//! An end to long explorations: on Ctrl-C, and when the time is up.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// How often is looked.
const BEAT: Duration = Duration::from_millis(20);
/// Whoever interrupts waits so long for what can still be found in the states that there are.
const GRACE: Duration = Duration::from_millis(500);

/// However little time there is, questions have as much as this.
const LEAST: Duration = Duration::from_secs(5);

/// What the work is told.
#[derive(Clone, Debug)]
pub struct Flags {
    /// There are enough states: the time is up, or somebody interrupted.
    pub enough: Arc<AtomicBool>,
    /// Everything has to end.
    pub stop: Arc<AtomicBool>,
}

/// Does some work, which is told by flags when the time is up or somebody interrupted it.
pub fn within<T>(time: Duration, interrupted: &AtomicBool, work: impl FnOnce(Flags) -> T) -> T {
    // Questions about what was explored have twice the time.
    until(time, time.saturating_mul(3).max(LEAST), interrupted, work)
}

/// The same with a time of its own after which everything has to end.
pub fn until<T>(time: Duration, all: Duration, interrupted: &AtomicBool, work: impl FnOnce(Flags) -> T) -> T {
    let flags = Flags { enough: Arc::new(AtomicBool::new(time.is_zero())), stop: Arc::default() };
    let start = Instant::now();
    std::thread::scope(|scope| {
        // Dropped when the work ends, however it ends.
        let (_working, ended) = channel::<()>();
        let told = flags.clone();
        scope.spawn(move || {
            let mut since = None;
            while ended.recv_timeout(BEAT) == Err(RecvTimeoutError::Timeout) {
                if interrupted.load(Ordering::Relaxed) {
                    let since = since.get_or_insert_with(Instant::now);
                    told.enough.store(true, Ordering::Relaxed);
                    told.stop.fetch_or(since.elapsed() >= GRACE, Ordering::Relaxed);
                }
                told.enough.fetch_or(start.elapsed() >= time, Ordering::Relaxed);
                told.stop.fetch_or(start.elapsed() >= all, Ordering::Relaxed);
            }
        });
        work(flags)
    })
}
