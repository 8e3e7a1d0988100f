//! Each command, held against the oracle. One file per command.

pub mod engine;
pub mod judge;
