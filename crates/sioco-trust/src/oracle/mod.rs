//! The reference semantics, by brute force, from the definitions of the theory alone: slow and plain.
//!
//! - [`eval`]: the value of a term, or that it has none;
//! - [`step`]: what a state can do, one step at a time (T-L3);
//! - [`belief`]: sets of states: closure over internal steps, silence, `after` (T-L5 to T-L8);
//! - [`judge`]: the verdicts that are right for a log (chapters V, Q, O and E of the theory);
//! - [`space`]: everything that can be reached.

pub mod belief;
pub mod eval;
pub mod judge;
pub mod space;
pub mod step;

/// The state space is larger than the oracle looks at: it does not know.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooLarge;
