//! The model of sioco: sorts, values, terms, the checked [`Model`] and its concrete semantics.
//!
//! Nothing here reads files, knows source positions or asks a solver: text becomes a model in `sioco-lang`.

pub mod collection;
pub mod eval;
pub mod id;
pub mod model;
pub mod names;
pub mod number;
pub mod print;
pub mod purpose;
pub mod random;
pub mod sample;
pub mod semantics;
pub mod simplify;
pub mod sort;
pub mod term;
pub mod text;
pub mod value;
pub mod verify;
pub mod visible;

pub use id::*;
pub use model::Model;
pub use purpose::Purpose;
pub use value::Value;
