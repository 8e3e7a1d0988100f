//! Solvers that are none.
