//! How long a program may take from its start until something comes from it.
//!
//! The time before the first answer is not part of the answer: the program is being loaded, and the machine may have
//! much else to do. So until something has come from a program, it has as much time as an adapter has for its hello.
//! Once the start-up time of such programs is known, a multiple of it is enough. There is one exception: a program
//! has the full time when a failure is to be confirmed (T-Q10).

use std::time::{Duration, Instant};

use sioco_exec::reliance::Start;

/// A program may take this many times as long as the slowest one so far. The machine may be that much busier another
/// time; a program that hangs is noticed long before the whole patience is over.
const SLOWEST_FACTOR: u32 = 10;

/// See the [module](self).
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Startup {
    /// When the program was started that something came from last.
    heard: Option<Instant>,
    /// How long the slowest one took until something came.
    longest: Option<Duration>,
}

impl Startup {
    /// Something came from a program that was started then.
    pub(crate) fn heard(&mut self, started: Option<Instant>) {
        let Some(started) = started.filter(|started| self.heard != Some(*started)) else { return };
        self.heard = Some(started);
        self.longest = self.longest.max(Some(started.elapsed()));
    }

    /// How much longer a program that was started then may take, if it may take so long: all of it, or what it may take going
    /// by others.
    pub(crate) fn left(&self, started: Option<Instant>, patience: Duration, start: Start) -> Duration {
        let Some(started) = started.filter(|started| self.heard != Some(*started)) else { return Duration::ZERO };
        let usual = self
            .longest
            .filter(|_| start == Start::Usual)
            .map_or(patience, |longest| longest.saturating_mul(SLOWEST_FACTOR));
        usual.min(patience).saturating_sub(started.elapsed())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_has_time_until_something_comes() {
        let (patience, mut startup) = (Duration::from_secs(1000), Startup::default());
        let first = Instant::now();
        assert!(startup.left(Some(first), patience, Start::Usual) > patience / 2);
        assert_eq!(startup.left(None, patience, Start::Whole), Duration::ZERO);
        startup.heard(Some(first));
        assert_eq!(startup.left(Some(first), patience, Start::Whole), Duration::ZERO);
        // The next one is known to be quick.
        startup.longest = Some(Duration::from_secs(2));
        let second = Instant::now() + Duration::from_nanos(1);
        let left = startup.left(Some(second), patience, Start::Usual);
        assert!(left <= Duration::from_secs(20) && left > Duration::ZERO, "{left:?}");
        assert!(startup.left(Some(second), patience, Start::Whole) > patience / 2);
        // Patience is the limit of both.
        assert!(startup.left(Some(second), Duration::from_secs(3), Start::Usual) <= Duration::from_secs(3));
    }
}
