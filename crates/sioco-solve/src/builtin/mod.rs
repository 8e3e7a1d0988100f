//! Answers without any other program.
