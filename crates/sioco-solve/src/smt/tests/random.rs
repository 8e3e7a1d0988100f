//! Random formulas against brute force.
