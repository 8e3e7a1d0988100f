//! Logic on conditions, by another name.
pub(crate) use sioco_solve::logic::{defined, eliminate, not_true};
