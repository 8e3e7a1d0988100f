//! What is tested: logs of conforming systems, changed logs, and systems that run.
//!
//! - [`trace`]: random logs of a conforming system, and mistakes in them.

pub mod trace;
