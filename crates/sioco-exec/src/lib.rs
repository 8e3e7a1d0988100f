//! The tester (S0 section 4, S3 section 4, S1 section 3.2; chapters B, V, Q, O, E and C of the theory).
//!
//! - [`event`], [`sut`]: what happens between tester and system under test; whoever connects a system implements
//!   [`Sut`]; [`malformed`]: which values may pass between them;
//! - [`verdict`]: pass, weak pass, inconclusive, fail, and error apart, with what they rest on;
//! - [`record`]: everything that happens in a campaign, in order;
//! - [`journal`]: the records as lines, and back;
//! - [`log`]: recorded traces of any origin; [`judge`], [`replay`]: what a recorded run means, and running it again;
//!   [`shrink`](mod@shrink): the shortest form of a failing run;
//! - [`drive`](mod@drive): the only loop, for campaigns, replays and the trials of shrinking; [`driver`]: what a campaign does
//!   next; [`controller`]: who chooses that, by the [`position`] of the run; [`referee`]: who judges; [`ledger`]: who counts;
//! - [`settings`], [`summary`]: what can be chosen about a campaign, and what it came to;
//! - [`explanation`]: why an observation is not allowed;
//! - [`player`]: a model played as a system under test; [`racer`]: any system behind wires with delays.
//!
//! Nothing here has a clock, a file, a socket or randomness of its own: time, seed and observations come in as values,
//! so that what was recorded can be run again exactly.

pub mod account;
pub mod belief;
mod block;

pub mod breakdowns;
pub mod controller;
pub mod course;
pub mod crash;
pub mod drive;
pub mod driver;
pub mod event;
pub mod explanation;
mod farewell;
pub mod inputs;
pub mod journal;
pub mod judge;
pub mod ledger;
pub mod listening;
pub mod log;
pub mod malformed;
mod mute;
mod patient;
pub mod pattern;
pub mod player;
pub mod position;
pub mod quiescence_time;
pub mod racer;
pub mod reaction;
pub mod record;
pub mod referee;
pub mod reliance;
pub mod replay;
mod rerun;
pub mod run;
mod run_number;
pub mod schedule;
pub mod seek;
pub mod settings;
pub mod shrink;
mod silent_spots;
pub mod suite;
pub mod summary;
pub mod sut;
pub mod symbolic_hypothesis;
pub mod tools;
mod under_way;
pub mod verdict;

pub use crash::Crash;
pub use drive::{Clock, NoClock, drive};
pub use driver::Driver;
pub use event::{Action, GateValue, Observation};
pub use player::Player;
pub use racer::Racer;
pub use record::{Record, Stamped};
pub use referee::Referee;
pub use run_number::RunNumber;
pub use settings::Settings;
pub use summary::Summary;
pub use sut::{Fault, FaultKind, Order, Polled, Sut, SutEvent};
pub use verdict::Verdict;
