//! An oracle for ioco that is slow and plain: every state, every value, every trace, from the definitions alone
//! (T-L1 to T-L10). It shares nothing with the engine, which reads the same specifications as text.
//!
//! - [`spec`], [`lts`]: specifications over small ranges, as text and as what they mean;
//! - [`machine`]: implementations, conforming ones and others, and the relation ioco;
//! - [`crossing`]: what can be concluded where messages may cross;
//! - [`generate`], [`mutate`], [`shrink`]: random specifications, wrong ones, smaller ones;
//! - [`sut`], [`campaign`], [`cases`]: machines as systems under test, campaigns against them, many of them;
//! - `literature`: the oracle itself on pairs with known answers.

pub mod campaign;
pub mod cases;
pub mod crossing;
pub mod generate;
mod literature;
pub mod lts;
pub mod machine;
pub mod mutate;
pub mod rng;
pub mod shrink;
pub mod spec;
pub mod sut;
