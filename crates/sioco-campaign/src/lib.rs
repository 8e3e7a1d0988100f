//! One campaign from model to summary: what the command, `cargo test` and whoever else tests call.
//!
//! A [`Planner`](planning::Planner) makes a plan for what is to be [covered](cover::Covered). A [`Campaign`] runs it against a
//! system, within a [`Deadline`], and tells an [`Observer`] and a [journal](journal::Writer) what happens. What comes of it is
//! an [`CampaignOutcome`]: the summary, the [gates](gate), and the [failing runs](failing) in their [shortest form](shrink).
//!
//! A run that was recorded is [run again](replay), and a log is [judged](judge), in the same way.
//!
//! Nothing here prints, knows a command line, or reads the text of a model. [`drive`] is the only place where a driver meets
//! a system.

mod alike;
mod answers;
pub mod budget;
pub mod campaign;
pub mod cover;
pub mod coverage;
mod dead_ends;
pub mod deadline;
pub mod drive;
pub mod engine;
pub mod failing;
pub mod gate;
pub mod journal;
pub mod judge;
pub mod observer;
pub mod planning;
pub mod played;
mod reasons;
pub mod replay;
pub mod resets;
pub mod shrink;
pub mod trails;
pub mod usage;
pub mod watch;

pub use campaign::{Campaign, CampaignOutcome};
pub use deadline::Deadline;
pub use observer::Observer;
