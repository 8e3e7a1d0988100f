//! A way to end long work of a command. A user who asks for an end gets it within a second: if the work does not respond,
//! the program ends without it.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use sioco_campaign::budget::{self, Overdue};
pub use sioco_campaign::budget::{Budget, Flags};

use crate::exit::Exit;
use crate::interrupt;

/// What to say where the memory has ended something, whatever else is said about it.
pub fn note(flags: &Flags) -> Option<&'static str> {
    let text = "the memory limit was reached: these are the results so far; raise `--memory`";
    flags.is_out_of_memory().then_some(text)
}

/// Does what comes before the work, such as reading a model. It has as much time as the work itself, and nothing to show:
/// when that is over, the program ends.
pub fn before<T>(time: Option<Duration>, first: impl FnOnce() -> T) -> T {
    let Some(time) = time else { return first() };
    let budget = Budget { search: Duration::MAX, all: time, last: Some(time), memory: usize::MAX };
    within(budget, &AtomicBool::new(false), |_| first())
}

/// Does some work, which is told by flags when it has to end.
pub fn within<T>(budget: Budget, interrupted: &AtomicBool, work: impl FnOnce(Flags) -> T) -> T {
    within_flags(budget, interrupted, Flags::default(), work)
}

/// The same with flags that somebody else knows, too.
pub fn within_flags<T>(budget: Budget, interrupted: &AtomicBool, flags: Flags, work: impl FnOnce(Flags) -> T) -> T {
    budget::within(budget, interrupted, leave, flags, work)
}

/// Ends the program without work that does not listen.
pub fn leave(overdue: Overdue) {
    match overdue {
        Overdue::Memory => interrupt::leave(Exit::Infrastructure, "out of memory: it takes more than twice `--memory`"),
        Overdue::Time => {
            interrupt::leave(Exit::Inconclusive, "the time limit was reached, and the results cannot be shown in time")
        }
    }
}
