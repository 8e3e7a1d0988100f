//! What `sioco adapter check` needs besides its command line.

pub mod advice;
pub mod may_answer;
pub mod repeat;
mod rules;
pub mod timed;
pub mod words;
