//! What to test: goals, test purposes that reach them, and plans (S0 section 4, S1 chapter 5, S3 sections 4.1 and 5, S4
//! section 3; T-P1 to T-P18).
//!
//! - [`purpose`]: finite subtrees of the symbolic execution, whose leaves are accepts;
//! - [`goal`]: what is to be covered, and what became of it: covered, proved infeasible, not reached, unknown;
//! - [`cover`]: the ways to get purposes; [`plan()`] follows one of them;
//! - [`intent`]: what a plan is for, for those who run or show it;
//! - [`case`]: purposes with values, and what else the system may do; [`file`](mod@file): plans as files;
//! - [`drawn_values`]: values along a purpose where that takes no solver;
//! - [`inputs`]: purposes that send given inputs, and random ones;
//! - [`walker`]: the symbolic path along a purpose, with what the purpose asks for besides the model.
//!
//! Nothing here depends on a clock or on the number of cores: the same model and options give the same plan.

mod automaton;
mod belief;
pub mod case;
mod classes;
mod close;
pub mod compare;
pub mod cover;
mod data;
mod detour;
pub mod drawn_values;
pub mod event;
pub mod file;
pub mod goal;
pub mod inputs;
pub mod intent;
mod make;
mod net;
mod pieces;
pub mod plan;
pub mod purpose;
mod random;
mod reduced;
#[cfg(feature = "schema")]
pub mod schema;
mod select;
mod switch_coverage;
mod trace_coverage;
pub mod value;
pub mod walker;
pub mod want;
mod written;

pub use cover::{Cover, CoverError};
pub use event::Event;
pub use goal::{Goal, Infeasible, State};
pub use intent::{InputValues, Intent, Kind};
pub use make::{PlanError, plan};
pub use plan::{Coverage, Memory, Plan, PlanOptions, Shorter, Steering};
pub use purpose::{Leg, Purpose, PurposeId};
pub use want::{Side, Want};
