//! Deadlines. This is the only module that reads the clock. All other code only learns whether the time is over. The few
//! places that wait for another program or thread also learn how long they may wait.

use std::time::{Duration, Instant};

/// Longer than anybody waits (eleven days), and short enough to compute with.
const LONGEST: Duration = Duration::from_secs(1_000_000);

/// A time that comes to an end.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Timer {
    end: Instant,
}

impl Timer {
    /// It begins now.
    pub(crate) fn within(time: Duration) -> Timer {
        Timer { end: Instant::now() + time.min(LONGEST) }
    }

    /// It ends then.
    pub(crate) fn until(end: Instant) -> Timer {
        Timer { end }
    }

    /// Whether it is over.
    pub(crate) fn is_over(self) -> bool {
        Instant::now() >= self.end
    }

    /// What is left of it: for those who wait.
    pub(crate) fn remaining(self) -> Duration {
        self.end.saturating_duration_since(Instant::now())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_ends() {
        assert!(Timer::within(Duration::ZERO).is_over() && Timer::within(Duration::ZERO).remaining().is_zero());
        let long = Timer::within(Duration::MAX);
        assert!(!long.is_over() && long.remaining() > LONGEST / 2);
        assert!(Timer::until(Instant::now()).is_over() && Timer::until(Instant::now()) < long);
    }
}
