//! What `sioco analyze` needs besides its command line.

pub mod replay;
