//! The modelling language of sioco: source text, diagnostics, parser, checker and formatter.
//!
//! Nothing here fails: every function gives back what it understood and a list of [`Diagnostic`]s.

pub mod check;
pub mod code;
pub mod diagnostic;
pub mod import;
pub mod shell;
pub mod source;
pub mod syntax;
pub mod value;

pub use check::{Checked, CheckedModel, check_file, check_text};
pub use code::Code;
pub use diagnostic::{Diagnostic, Severity};
