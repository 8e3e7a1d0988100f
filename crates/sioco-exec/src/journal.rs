//! Journals: a campaign as JSON lines, written while it runs and read afterwards. `docs/journal.md` describes them.
//!
//! The first line says what was tested and how, each other line is a [`Stamped`]. Nothing here opens a file: lines
//! come out as texts, and a text goes in. A journal that was cut anywhere, by a full disk or a lost connection, is good
//! up to its last whole line.

mod cause;
mod event;
mod head;
mod lines;
mod read;
#[cfg(feature = "schema")]
pub mod schema;
#[cfg(test)]
mod tests;
mod write;
mod wrong;

use std::fmt;

use sioco_plan::file::in_short;

pub use self::cause::{CauseLine, Reached, cause};
pub use self::event::{Args, GateLine, Misfit, args, by_name, declared, gate_value, read_args};
pub use self::head::{About, Header};
pub use self::lines::Lines;
pub use self::read::{read, read_header};
pub use self::write::{line, write};
pub use self::wrong::Undeclared;
use crate::record::Stamped;

/// The name of the format.
pub const FORMAT: &str = "sioco-journal";
/// The version of the format: it grows when a reader of the one before would be misled.
pub const VERSION: u64 = 1;

/// A journal that was read.
#[derive(Clone, PartialEq, Debug)]
pub struct Journal {
    /// Its first line.
    pub header: Header,
    /// Everything that happened, each with its line (from 1).
    pub records: Vec<(usize, Stamped)>,
    /// What was read in spite of something.
    pub remarks: Vec<Remark>,
    /// Whether the model is the one that was tested.
    pub same: bool,
    /// Whether it ends in the middle of a line, or before the campaign does.
    pub cut: bool,
}

/// Something about a journal or log that whoever reads it should know.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Remark {
    /// The line (from 1), if it is about one.
    pub line: Option<usize>,
    /// What.
    pub what: String,
}

impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "line {line}: {}", self.what),
            None => write!(f, "{}", self.what),
        }
    }
}

/// Why a text cannot be read as a journal or log.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReadError {
    /// The line (from 1), if it is about one.
    pub line: Option<usize>,
    /// What is wrong.
    pub what: String,
    /// What to do.
    pub help: String,
}

impl ReadError {
    /// An error about a line.
    pub fn at(line: usize, what: impl Into<String>, help: impl Into<String>) -> Self {
        ReadError { line: Some(line), what: in_short(what.into()), help: help.into() }
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "line {line}: {}", self.what),
            None => write!(f, "{}", self.what),
        }
    }
}

impl std::error::Error for ReadError {}

/// The text of a journal or log. Bytes that are no text are an error, except on a last line that was cut; a mark of
/// the encoding at the start, which some editors write, is passed over.
pub fn decode(bytes: &[u8]) -> Result<&str, ReadError> {
    let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
    std::str::from_utf8(bytes).or_else(|error| {
        let (good, bad) = bytes.split_at(error.valid_up_to());
        let good = std::str::from_utf8(good).unwrap_or_default();
        match bad.contains(&b'\n') {
            false => Ok(good),
            true => {
                let line = good.matches('\n').count() + 1;
                Err(ReadError::at(line, "this line is not UTF-8 text", "give a journal, or a log in UTF-8"))
            }
        }
    })
}
