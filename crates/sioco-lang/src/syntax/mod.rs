//! From text to syntax tree: tokens, the tree, the parser and the formatter.

pub mod ast;
pub mod format;
pub mod lexer;
pub mod parser;
