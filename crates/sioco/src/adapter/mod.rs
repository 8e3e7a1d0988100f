//! What `sioco adapter check` needs besides its command line.

pub mod advice;
pub mod repeat;
pub mod timed;
