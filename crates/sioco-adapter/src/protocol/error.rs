//! What is wrong with a message.
//!
//! Each of these errors is the fault of the sender, an adapter or a tester. None of them says anything about the
//! system under test.

use std::fmt;

use sioco_model::model::Direction;

use super::VERSION;
use crate::values::{BadNumber, Misread};

/// Why a line is no message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MessageError {
    /// It is JSON, and no object.
    NoObject {
        /// The line, in short.
        line: String,
    },
    /// It has a number that cannot be kept as it is.
    Number(BadNumber),
    /// It begins like an object, and is no JSON.
    NoJson {
        /// The line, in short.
        line: String,
        /// What the parser says.
        why: String,
        /// What probably led to it.
        hint: Option<NoJson>,
    },
    /// It is an object with a field that is missing or wrong.
    Field {
        /// The line, in short.
        line: String,
        /// What is wrong with the field.
        what: FieldError,
    },
}

/// What writers of JSON by hand get wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoJson {
    /// Its texts are in single quotes.
    SingleQuotes,
    /// It has an infinite number, or one that is none.
    NoFiniteNumber,
}

/// What is wrong with a field of a message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FieldError {
    /// It is missing.
    Missing(&'static str),
    /// The number of the input is missing.
    NoInput,
    /// It is no text.
    NoString(&'static str),
    /// It is no natural number.
    NoNumber(&'static str),
    /// It is neither true nor false.
    NoFlag(&'static str),
    /// It is no list of names.
    NoNames(&'static str),
    /// It is no order of events.
    NoOrder,
    /// There is no message of this type.
    UnknownType {
        /// The type.
        name: String,
        /// What was probably meant.
        near: Option<String>,
        /// The types that there are.
        known: &'static [&'static str],
    },
}

impl fmt::Display for MessageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MessageError::NoObject { line } => {
                write!(f, "it sent {line}, which is not a message: messages are objects")
            }
            MessageError::Number(why) => write!(f, "it sent {why}"),
            MessageError::NoJson { line, why, hint } => {
                let hint = match hint {
                    Some(NoJson::SingleQuotes) => "; JSON has double quotes: in Python, use `json.dumps`",
                    Some(NoJson::NoFiniteNumber) => "; JSON has no such number",
                    None => "",
                };
                write!(f, "it sent {line}, which is not JSON ({why}){hint}")
            }
            MessageError::Field { line, what } => write!(f, "it sent {line}, which {what}"),
        }
    }
}

impl std::error::Error for MessageError {}

impl fmt::Display for FieldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FieldError::Missing(name) => write!(f, "has no `{name}`"),
            FieldError::NoInput => f.write_str("has no `id`: that of the input"),
            FieldError::NoString(name) => write!(f, "has a `{name}` that is not a string"),
            FieldError::NoNumber(name) => write!(f, "has a `{name}` that is not a natural number"),
            FieldError::NoFlag(name) => write!(f, "has a `{name}` that is neither true nor false"),
            FieldError::NoNames(name) => {
                write!(f, "has `{name}` that are not a list of names, such as [\"a\",\"b\"]")
            }
            FieldError::NoOrder => f.write_str("has an `order` that is neither \"sut\" nor \"sent\""),
            FieldError::UnknownType { name, near: Some(near), .. } => {
                write!(f, "has the unknown type `{name}`; did you mean `{near}`?")
            }
            FieldError::UnknownType { name, near: None, known } => {
                write!(f, "has the unknown type `{name}`; the types are {}", known.join(", "))
            }
        }
    }
}

impl std::error::Error for FieldError {}

/// Why two sides have no version of the protocol in common.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum VersionError {
    /// The oldest version that the other side speaks is newer than this one.
    Newer(u64),
    /// The other side speaks a version that does not exist.
    Nonexistent(u64),
}

impl fmt::Display for VersionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            VersionError::Newer(oldest) => write!(
                f,
                "the other side needs version {oldest} of the protocol or newer, but this sioco has version \
                 {VERSION}: use a newer sioco, or an older adapter"
            ),
            VersionError::Nonexistent(newest) => {
                write!(f, "the other side has version {newest} of the protocol, which does not exist; write 1")
            }
        }
    }
}

impl std::error::Error for VersionError {}

/// Why the model has no such gate.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum GateError {
    /// It is a gate of the other direction.
    Direction {
        /// The gate, in short.
        name: String,
        /// The direction in which it was sent.
        sent: Direction,
    },
    /// The model does not declare it.
    Undeclared {
        /// The gate, in short.
        name: String,
        /// The direction in which it was sent.
        sent: Direction,
        /// What was probably meant.
        near: Option<String>,
    },
}

impl fmt::Display for GateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = |direction: &Direction| match direction {
            Direction::Input => "an input",
            _ => "an output",
        };
        match self {
            GateError::Direction { name, sent } => {
                let is = if *sent == Direction::Input { "an output" } else { "an input" };
                write!(f, "`{name}` is {is} of the model, but was sent as {}", what(sent))
            }
            GateError::Undeclared { name, sent, near } => {
                write!(f, "the model does not declare {} `{name}`", what(sent))?;
                match near {
                    Some(near) => write!(f, "; did you mean `{near}`?"),
                    None => Ok(()),
                }
            }
        }
    }
}

impl std::error::Error for GateError {}

/// Why an output, or an input, of a message is none of the model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum GateValueError {
    /// There is no such gate.
    Gate(GateError),
    /// Its values are not written by the rules.
    Values {
        /// The message, in short, if it is to be told.
        line: Option<String>,
        /// What is wrong with them.
        why: Misread,
    },
}

impl From<GateError> for GateValueError {
    fn from(error: GateError) -> Self {
        GateValueError::Gate(error)
    }
}

impl fmt::Display for GateValueError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GateValueError::Gate(why) => why.fmt(f),
            GateValueError::Values { line: Some(line), why } => write!(f, "it sent {line}: {why}"),
            GateValueError::Values { line: None, why } => why.fmt(f),
        }
    }
}

impl std::error::Error for GateValueError {}
