//! Choosing values.
