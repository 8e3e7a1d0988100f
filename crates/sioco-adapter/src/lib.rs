//! x
pub mod lines;
pub mod protocol;
pub mod values;
