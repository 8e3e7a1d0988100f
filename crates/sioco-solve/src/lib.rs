//! Satisfiability, in three answers, and nothing guessed.
//!
//! A [`Solver`] is asked whether a conjunction of conditions over symbols can be true. Each condition means what the
//! reference evaluator says: a condition that is undefined for some values is not true for them. A *sat* comes with a
//! witness when one is asked for, an *unsat* with the conjuncts that clash where the solver can tell, and an *unknown*
//! with its reason, which is carried to the user.
//!
//! - [`builtin`]: bounds propagation and a small search, without any other program;
//! - [`chain`]: cheap answers, each in a layer of its own, in front of a solver;
//! - [`finite`]: conditions over few values, decided by trying them;
//! - [`cancellation`]: one end for all questions of those who wait together;
//! - [`logic`]: where conditions are defined, what follows from others, quantifiers that are not needed;
//! - [`quick`]: evaluation on small integers, for searches;
//! - [`values`]: choosing values among those that satisfy the conditions;
//! - [`smt`]: SMT-LIB text for Z3, opened at run time, and for other solvers as child processes;
//! - [`BackEnd`]: which of them is behind the chain, opened when the first question reaches it;
//! - [`StateOracle`]: questions about concrete states, where only parameters are open.

pub mod back_end;
pub mod builtin;
pub mod cancellation;
pub mod chain;
pub mod finite;
pub mod guard;
pub mod logic;
pub mod oracle;
pub mod query;
pub mod quick;
mod ratio;
pub mod smt;
mod timer;
pub mod values;

pub use back_end::BackEnd;
pub use cancellation::Cancellation;
pub use finite::Finite;
pub use oracle::StateOracle;
pub use query::{Answer, Limits, Reason, Solver, Symbol, Symbols, Terms, Witness};
