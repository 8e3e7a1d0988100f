//! Logic on conditions, by a shorter name.

pub(crate) use sioco_solve::logic::{defined, eliminate, not_true, total};
