//! What people and programs see of sioco: diagnostics and findings as text and JSON, and pictures of models.
//!
//! Values come in, text goes out; nothing here reads or writes a file, or asks what the terminal can do.

pub mod analysis;
pub mod diagnostic;
pub mod graph;
pub mod value;
