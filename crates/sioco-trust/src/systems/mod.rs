//! What is tested: logs of conforming systems, changed logs, and systems that run.
//!
//! - [`trace`]: random logs of a conforming system, and mistakes in them;
//! - [`mutate`](mod@mutate): models with a mistake;
//! - [`sut`]: models that are played as systems, and bad habits.

pub mod mutate;
pub mod sut;
pub mod trace;

pub use mutate::mutate;
