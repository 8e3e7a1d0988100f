//! What `sioco adapter check` needs besides its command line.

pub mod about;
pub mod advice;
pub mod list;
pub mod look;
pub mod may_answer;
mod rules;
pub mod timed;
pub mod times;
pub mod words;
