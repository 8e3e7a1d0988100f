//! Logic on conditions: where they are defined, whether they follow, and quantifiers that are not needed.
//!
//! - [`defined`], [`total`] and [`not_true`] build terms that are never undefined; these describe what the evaluator
//!   does with terms that can be undefined;
//! - [`entails`] asks a solver whether a condition follows from its stack;
//! - [`eliminate`] finds an equivalent condition with fewer quantifiers.

mod defined;
mod distinct;
mod eliminate;
mod entail;
mod finite;
mod fold;
mod formula;
mod fourier;
mod inside;
mod linear;
mod normal;
mod point;
mod project;
mod stack;
mod tighten;

pub use self::defined::{defined, not_true, total};
pub use self::eliminate::eliminate;
pub use self::entail::{Entailment, entails};
