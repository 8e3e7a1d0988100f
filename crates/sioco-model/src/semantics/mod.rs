//! The concrete semantics of a model: states, steps, internal closure, quiescence (T-L1 to T-L9; S0 definitions
//! 5 to 8).
//!
//! - [`program`] compiles terms to a small register machine; the interpreter runs nothing else;
//! - [`choice`] answers "for which parameter values": exactly where that needs no solver;
//! - [`oracle`] is who answers where it does;
//! - [`live`] says which variables still matter, [`sides`] finds free variables of which few values matter;
//! - [`state`] is a state, [`interpreter`] what can be done in one, [`closure`] what can be done in a set of them.

pub mod choice;
pub mod closure;
mod domain;
pub mod explain;
pub mod interpreter;
pub mod live;
pub mod narrow;
pub mod oracle;
pub mod program;
mod range;
pub mod shape;
pub mod sides;
pub mod state;
pub mod trial;

pub use interpreter::{Interpreter, Quiescence, Step, StepError};
pub use oracle::{Oracle, Question, Unanswered};
pub use state::State;
