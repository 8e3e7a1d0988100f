//! An end to long explorations: on Ctrl-C, and when the time is up.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// How often is looked.
const BEAT: Duration = Duration::from_millis(20);

/// Does some work, which is told by a flag when the time is up or somebody interrupted it.
pub fn within<T>(time: Duration, interrupted: &AtomicBool, work: impl FnOnce(Arc<AtomicBool>) -> T) -> T {
    let enough = Arc::new(AtomicBool::new(time.is_zero()));
    let start = Instant::now();
    std::thread::scope(|scope| {
        // Dropped when the work ends, however it ends.
        let (_working, ended) = channel::<()>();
        let told = enough.clone();
        scope.spawn(move || {
            while ended.recv_timeout(BEAT) == Err(RecvTimeoutError::Timeout) {
                if interrupted.load(Ordering::Relaxed) || start.elapsed() >= time {
                    told.store(true, Ordering::Relaxed);
                }
            }
        });
        work(enough)
    })
}
