//! Each command, held against the oracle. One file per command.

pub mod compare;
pub mod engine;
pub mod explore;
pub mod journal;
pub mod judge;
pub mod records;
pub mod replay;
pub mod solvers;
pub mod test;
pub mod twice;
