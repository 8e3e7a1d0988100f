//! What `sioco test`, `judge` and `replay` need besides their command lines.

pub mod cover;
pub mod described;
pub mod gate;
pub mod journal;
pub mod log;
pub mod planning;
pub mod played;
pub mod sendable;
pub mod show;
pub mod shrink;
pub mod slower;
pub mod sut;
pub mod text_log;
pub mod values;
pub mod watch;
