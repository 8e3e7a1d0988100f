//! When a campaign has to end: somebody interrupts, its time is up, or its memory is used up. One value goes through all
//! that may take long.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use sioco_solve::Cancellation;

use crate::budget::{Budget, Flags, Leave, wait_for_it, within};

/// See the [module](self).
#[derive(Clone, Debug)]
pub struct Deadline {
    interrupted: Arc<AtomicBool>,
    /// The campaign ends itself.
    ended: Arc<AtomicBool>,
    flags: Flags,
    begun: Instant,
    time: Option<Duration>,
    memory: Option<usize>,
    leave: Leave,
    waits: Cancellation,
    bounds: Bounds,
}

/// Whether anything ends a campaign from outside.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Bounds {
    None,
    Some,
}

impl Default for Deadline {
    /// Nothing ends the campaign but itself.
    fn default() -> Self {
        Deadline { bounds: Bounds::None, ..Deadline::new(Arc::default(), Instant::now(), None) }
    }
}

impl Deadline {
    /// The campaign ends when somebody interrupts, and when so much time has passed since some instant.
    pub fn new(interrupted: Arc<AtomicBool>, begun: Instant, time: Option<Duration>) -> Deadline {
        let (ended, flags) = (Arc::new(AtomicBool::new(false)), Flags::default());
        let end = time.and_then(|time| begun.checked_add(time));
        let waits = Cancellation::new([interrupted.clone(), ended.clone(), flags.memory.clone()], end);
        Deadline {
            interrupted,
            ended,
            flags,
            begun,
            time,
            memory: None,
            leave: wait_for_it,
            waits,
            bounds: Bounds::Some,
        }
    }

    /// It also ends when the process has taken so much memory, in bytes; what does not listen is left behind in this way.
    pub fn watched(self, memory: usize, leave: Leave) -> Deadline {
        Deadline { memory: Some(memory), leave, ..self }
    }

    /// What ends the waits of the system. It ends at the same time as whoever computes, and has no other limits.
    pub fn waits(&self) -> &Cancellation {
        &self.waits
    }

    /// Whether anything ends the campaign from outside.
    pub(crate) fn is_bounded(&self) -> bool {
        self.bounds == Bounds::Some
    }

    /// What ends questions: the same, and whatever else limits them.
    pub(crate) fn questions(&self) -> Cancellation {
        let stops = [self.interrupted.clone(), self.ended.clone(), self.flags.memory.clone()];
        Cancellation::new(stops, self.time.and_then(|time| self.begun.checked_add(time)))
    }

    /// The time that is left, if there is an end.
    pub(crate) fn left(&self) -> Option<Duration> {
        self.time.map(|time| time.saturating_sub(self.begun.elapsed()))
    }

    /// Ends the campaign.
    pub(crate) fn end(&self) {
        self.ended.store(true, Ordering::Relaxed);
    }

    /// Whether somebody has interrupted.
    pub fn is_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }

    /// Whether the memory is used up.
    pub fn is_out_of_memory(&self) -> bool {
        self.flags.is_out_of_memory()
    }

    /// Does the work, and watches it if there is something to watch.
    pub(crate) fn watch<T>(&self, work: impl FnOnce() -> T) -> T {
        let Some(memory) = self.memory else { return work() };
        let left = self.left();
        let whole = left.unwrap_or(Duration::MAX);
        let budget = Budget { search: whole, all: whole, last: left, memory };
        within(budget, &self.interrupted, self.leave, self.flags.clone(), |_| work())
    }
}
