//! What `sioco analyze` needs besides its command line.

pub mod kinds;
pub mod replay;
