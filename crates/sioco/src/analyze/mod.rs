//! What `sioco analyze` needs besides its command line.

pub mod budget;
pub mod replay;
