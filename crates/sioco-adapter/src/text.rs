//! Systems that speak plain text: how inputs become bytes, and bytes become outputs.
//!
//! A [`dialect`](Dialect) says it, in templates that a project writes into its `sioco.toml`. They are compiled against
//! a model before anything is started: every gate has a template, every parameter its place, and templates that several
//! of could read the same bytes are told. A message ends as soon as one template matches all of what was received since
//! the last one; what no template can match any more is an observation, *malformed*, with everything that was tried.

mod client;
mod dialect;
mod error;
mod form;
mod matcher;
mod nearly;
mod plain;
mod room;
mod template;
mod torxakis;
mod value;

pub use client::{TextClient, TextOptions};
pub use dialect::{Compiled, Dialect, Heard};
pub(crate) use dialect::{output_gate, set_value};
pub use error::{DialectError, MatcherError, Mistake, NoGate, NoParameter, PlaceError, RegexError, TemplateError};
pub use matcher::Trail;
pub use plain::Plain;
pub(crate) use room::Room;
pub(crate) use template::{Piece, render, template, unplaced};
pub use torxakis::torxakis;
pub(crate) use value::{Words, read};
