//! An oracle for ioco that is slow and plain: every state, every value, every trace, from the definitions alone
//! (`theory`, section 2). It shares nothing with the engine, which reads the same specifications as text.

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
