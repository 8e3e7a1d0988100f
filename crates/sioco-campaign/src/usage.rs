//! What this process has used so far: time of the processor, and memory.

use std::time::{Duration, Instant};

/// The most memory that this process has had at once, in bytes; nothing where nobody can tell.
#[cfg(unix)]
pub fn memory() -> Option<usize> {
    use nix::sys::resource::{UsageWho, getrusage};
    let most = usize::try_from(getrusage(UsageWho::RUSAGE_SELF).ok()?.max_rss()).ok()?;
    // Everybody but Apple counts in kilobytes.
    Some(if cfg!(target_vendor = "apple") { most } else { most.saturating_mul(1024) })
}

/// The time that the processors have worked for this process; nothing where nobody can tell.
#[cfg(unix)]
pub fn processor() -> Option<Duration> {
    use nix::sys::resource::{UsageWho, getrusage};
    use nix::sys::time::TimeValLike;
    let usage = getrusage(UsageWho::RUSAGE_SELF).ok()?;
    let micros = usage.user_time().num_microseconds() + usage.system_time().num_microseconds();
    Some(Duration::from_micros(u64::try_from(micros).ok()?))
}

#[cfg(not(unix))]
pub fn memory() -> Option<usize> {
    None
}

#[cfg(not(unix))]
pub fn processor() -> Option<Duration> {
    None
}

/// A time that somebody has to do something. Where others have the processors, it is longer by the clock.
#[derive(Clone, Copy, Debug)]
pub struct Stopwatch {
    wall: Instant,
    processor: Option<Duration>,
}

/// Work that mostly waits for something else, such as a solver in another process, has this many times as long by the
/// clock. With less, a busy machine would change what is planned; with more, a solver that hangs would hold up the
/// campaign.
const WAITING_FACTOR: u32 = 8;

impl Stopwatch {
    /// Starts now.
    pub fn start() -> Stopwatch {
        Stopwatch { wall: Instant::now(), processor: processor() }
    }

    /// The time by the clock.
    pub fn wall(&self) -> Duration {
        self.wall.elapsed()
    }

    /// Whether so much time has passed, and the process had at least half of it; or a long time.
    pub fn passed(&self, time: Duration) -> bool {
        let worked = match (self.processor, processor()) {
            (Some(before), Some(now)) => now.saturating_sub(before),
            _ => Duration::MAX,
        };
        let wall = self.wall();
        wall >= time && (worked >= time / 2 || wall >= time.saturating_mul(WAITING_FACTOR))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn what_is_used_is_counted() {
        let watch = Stopwatch::start();
        assert!(watch.passed(Duration::ZERO) && !watch.passed(Duration::from_secs(1000)));
        let before = memory().unwrap();
        // Written, or there would be no memory behind it.
        let large = vec![1u8; 64 << 20];
        assert!(memory().unwrap() >= before.max(large.iter().map(|b| usize::from(*b)).sum()));
        assert!(processor().unwrap() > Duration::ZERO);
    }
}
