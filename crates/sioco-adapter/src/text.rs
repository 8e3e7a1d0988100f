//! Systems that speak plain text: how inputs become bytes, and bytes become outputs.
//!
//! A [`dialect`](Dialect) describes this, in templates that a project writes into its `sioco.toml`. They are compiled
//! against a model before anything is started: every gate needs a template, and every parameter a place in it.
//! Templates that can match the same bytes are reported. A message ends as soon as one template matches all bytes
//! since the last message. If no template can match the bytes any more, the observation is *malformed*, with
//! everything that was tried.

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
