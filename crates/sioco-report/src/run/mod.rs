//! Runs against a system under test: failing ones explained, what broke down, and what a campaign came to; for people,
//! and for programs.

pub mod again;
mod allowed;
mod bad;
mod bad_runs;
mod clock;
pub mod code;
mod dead_end;
mod failure;
pub mod json;
mod probes;
mod purposes;
mod sequence;
pub(crate) mod shape;
mod shorter;
mod shrunk;
mod summary;
#[cfg(test)]
mod tests;
mod ways;
pub mod word;
mod words;

pub use self::bad::{Bad, bad_run};
pub use self::bad_runs::{About, bad_runs};
pub use self::sequence::time;
pub use self::shape::RateLine;
pub use self::shorter::shorter;
pub use self::shrunk::{hint, notes};
pub use self::summary::{CampaignReport, summary};
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
