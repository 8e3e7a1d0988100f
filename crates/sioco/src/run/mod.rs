//! What `sioco test`, `judge` and `replay` need besides their command lines.

pub mod described;
pub mod journal;
pub mod log;
pub mod planning;
pub mod quiescence_at;
pub mod sendable;
pub mod sut;
pub mod text_log;
pub mod values;
mod way_error;
