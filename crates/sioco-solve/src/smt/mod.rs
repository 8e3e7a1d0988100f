//! SMT-LIB solvers.
//!
//! Every solver is spoken to in SMT-LIB 2, so there is one writer ([`mod@write`]) and one reader ([`read`]). A
//! [`SmtSession`](session::SmtSession) keeps the stack of conjuncts and asks; it works over a connection, of which there
//! are two kinds:
//!
//! - [`z3`]: the Z3 library, opened at run time from where [`locate`] finds it;
//! - [`process`]: any other solver, as a child process.
//!
//! Which version a program is, [`version`] asks.

pub mod locate;
pub mod process;
pub mod read;
pub mod session;
mod sorts;
mod stack;
pub mod version;
pub mod write;
pub mod z3;

#[cfg(test)]
mod tests;
