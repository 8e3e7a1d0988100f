//! Each command, held against the oracle. One file per command.

pub mod engine;
pub mod journal;
pub mod judge;
pub mod records;
pub mod solvers;
pub mod test;
