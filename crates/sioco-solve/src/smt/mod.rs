//! SMT-LIB solvers.
