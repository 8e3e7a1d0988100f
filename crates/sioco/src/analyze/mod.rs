//! What `sioco analyze` needs besides its command line.

pub mod budget;
pub mod kinds;
pub mod replay;
