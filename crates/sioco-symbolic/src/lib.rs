//! Symbolic execution of models (S0 section 3, S3 section 3, S4 section 2.2).
//!
//! - [`path`]: a path and its condition; the one place where switches are executed symbolically;
//! - [`graph`]: the symbolic execution graph; [`mod@explore`] builds it;
//! - [`mod@reach`]: whether a given path can be taken; [`describe`]: paths for people;
//! - [`inclusion`]: which states need not be expanded, since earlier ones include them;
//! - [`analysis`]: what is wrong or odd about a model, each finding with a witness or with what is known.
//!
//! Answers of solvers stay three-valued: a step is possible, impossible, or perhaps possible, and what rests on an
//! `unknown` is marked.

pub mod analysis;
pub mod assume;
mod clash;
pub mod describe;
mod divergence;
pub mod explore;
mod few;
pub mod graph;
pub mod inclusion;
pub mod key;
mod opaque;
pub mod path;
mod prepare;
pub mod reach;
mod rows;
pub mod stats;
pub mod step;
mod symbols;

pub use describe::Solved;
pub use explore::{Exploration, ExploreOptions, ExploreProgress, Explorer, Merge, Order, Stop, explore};
pub use graph::{Graph, NodeId};
pub use path::{Path, PathCondition, Possible, Shortcuts, SolverFactory};
pub use prepare::Origin;
pub use reach::{Clash, NoPath, Reach, named_steps, reach, reach_named};
pub use step::Step;
