//! What `sioco plan` needs besides its command line.

pub mod check;
