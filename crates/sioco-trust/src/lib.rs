//! An oracle of its own for sioco, and the campaign that holds every command against it.
//!
//! - [`spec`]: models in the oracle's own terms, and their text;
//! - [`generate`]: random models;
//! - [`oracle`]: what they mean, by brute force;
//! - [`systems`]: logs and systems that conform, and those that do not;
//! - [`checks`]: each command against the oracle;
//! - [`work`], [`driver`], [`table`]: the campaign, and its [`lines`] of results.
//!
//! Only [`checks`] and the systems that run know the engine. The engine sees a model as text.

pub mod case;
pub mod checks;
pub mod driver;
pub mod generate;
pub mod lines;
pub mod oracle;
pub mod rng;
pub mod shrink;
pub mod spec;
pub mod systems;
pub mod table;
pub mod tally;
pub mod work;
