//! The parts of `sioco explore`: paths by name, their conditions with places, sizes.

pub mod names;
pub mod path;
pub mod places;
pub mod size;
