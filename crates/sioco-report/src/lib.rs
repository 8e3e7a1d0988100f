//! What people and programs see of sioco: diagnostics as text and JSON, pictures of models, what explorations found,
//! plans, and runs against a system under test.
//!
//! Values come in, text goes out; nothing here reads or writes a file, or asks what the terminal can do.

pub mod adapter;
pub mod analysis;
pub mod compare;
pub mod diagnostic;
pub mod doctor;
pub mod explore;
pub mod graph;
pub mod plan;
pub mod run;
#[cfg(feature = "schema")]
pub mod schema;
pub mod simulate;
pub mod style;
pub mod topic;
pub mod words;

pub use sioco_plan::value;
