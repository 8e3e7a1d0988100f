//! What the measurements share: models, mutants of them, and which of these are faulty.
#![allow(dead_code, missing_docs)]

pub mod campaign;
pub mod distinguish;
pub mod examples;
pub mod graybox;
pub mod industrial;
pub mod mutate;
pub mod pairs;
pub mod sender;
