//! The concrete semantics of a model: states, steps, internal closure, quiescence (`theory`, section 2; S0 definitions
//! 5 to 8).
//!
//! - [`program`] compiles terms to a small register machine; the interpreter runs nothing else;
//! - [`choice`] answers "for which parameter values": exactly where that needs no solver;
//! - [`state`] is a state, [`interpreter`] what can be done in one.

pub mod choice;
pub mod explain;
pub mod interpreter;
pub mod program;
pub mod state;

pub use interpreter::{Interpreter, Quiescence, Step, StepError};
pub use state::State;
