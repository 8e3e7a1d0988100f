//! The commands, one file each: its options, and what it does.

pub mod adapter;
pub mod analyze;
pub mod check;
pub mod compare;
pub mod completions;
pub mod demo;
pub mod doctor;
pub mod explain;
pub mod explore;
pub mod fmt;
pub mod graph;
pub mod import;
pub mod judge;
pub mod man;
pub mod new;
pub mod plan;
pub mod replay;
pub mod simulate;
pub mod test;
