//! Runs against a system under test: failing ones explained, what broke down, and what a campaign came to; for people,
//! and for programs.

mod allowed;
mod answers;
mod bad;
mod clock;
pub mod code;
mod dead_end;
mod failure;
pub mod json;
mod probes;
mod purposes;
mod reasons;
mod sequence;
pub(crate) mod shape;
mod shorter;
mod shrunk;
mod summary;
#[cfg(test)]
mod tests;
mod trail;
mod ways;
pub mod word;
mod words;

pub use self::bad::{Bad, bad_run};
pub use self::clock::Clock;
pub use self::dead_end::DeadEnd;
pub use self::failure::same;
pub use self::reasons::Reasons;
pub use self::sequence::time;
pub use self::shorter::shorter;
pub use self::shrunk::Shortened;
pub use self::summary::{Campaign, Gate, Share, coverage, summary};
pub use self::trail::Trails;
pub use self::words::{cause as cause_in_words, observation, overdue, trouble};
use crate::style::Style;

/// How text is set.
#[derive(Clone, Copy)]
pub struct Page {
    /// How wide it may be.
    pub width: usize,
    /// The emphasis.
    pub style: Style,
}
