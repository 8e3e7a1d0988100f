//! Random models: small ones, with everything in them.
//!
//! - [`wish`]: what a model is to have;
//! - [`terms`]: terms and conditions of a sort;
//! - [`model`]: processes and switches;
//! - [`compared`]: values without bounds that are only compared;
//! - [`computed`]: a free variable with many values with which internal steps compute;
//! - [`feature`]: what a model has.

pub mod compared;
pub mod computed;
pub mod feature;
pub mod model;
pub mod terms;
pub mod wish;

pub use feature::{Feature, features};
pub use model::spec;
pub use wish::Wish;
