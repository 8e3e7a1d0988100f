//! What is wrong with requests and responses, and with how a dialect describes them.

use std::fmt;

use crate::lines::MAX_LINE;
use crate::text::{NoGate, NoParameter, RegexError, TemplateError};

/// Why a dialect does not say what a request or response is. Whoever wrote it is to blame.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FormError {
    /// A part of it is no template.
    Template(TemplateError),
    /// A response is described by a line.
    Line,
    /// A description of a response has a line.
    HasLine,
    /// Where to look in JSON is written wrongly.
    Pointer(String),
    /// Nothing says where the value of a parameter comes from.
    Nowhere(String),
    /// A parameter has several places.
    Twice(String),
    /// It is for responses to an input that there is not.
    Gate(NoGate),
    /// A status has another number of digits.
    Digits,
    /// This is no status; as it is written.
    Status(String),
    /// There is no such method.
    Method(String),
    /// A path does not begin with a slash.
    Path(String),
    /// The headers are longer than a message may be.
    Headers,
}

impl From<TemplateError> for FormError {
    fn from(error: TemplateError) -> Self {
        FormError::Template(error)
    }
}

impl From<NoParameter> for FormError {
    fn from(error: NoParameter) -> Self {
        FormError::Template(error.into())
    }
}

impl From<RegexError> for FormError {
    fn from(error: RegexError) -> Self {
        FormError::Template(error.into())
    }
}

impl fmt::Display for FormError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let status = "write a number such as 404, a class such as \"4xx\", or a parameter such as \"{code}\"";
        match self {
            FormError::Template(why) => why.fmt(f),
            FormError::Line => {
                f.write_str("write { status = …, json = { … }, regex = '…' } to recognize a response; a line cannot")
            }
            FormError::HasLine => f.write_str("a response has no lines; `regex` looks into its body"),
            FormError::Pointer(pointer) => write!(f, "`{pointer}` is not a JSON pointer: write `/{pointer}`"),
            FormError::Nowhere(parameter) => {
                write!(f, "the parameter `{parameter}` has no place")
            }
            FormError::Twice(parameter) => write!(f, "`{parameter}` has more than one place"),
            FormError::Gate(why) => why.fmt(f),
            FormError::Digits => write!(f, "`status` must have three digits; {status}"),
            FormError::Status(text) => write!(f, "`status` is {text}; {status}"),
            FormError::Method(method) => {
                write!(f, "`{method}` is not a method; write GET, POST, PUT, DELETE or another one")
            }
            FormError::Path(path) => write!(f, "the path `{path}` must begin with `/`"),
            FormError::Headers => write!(f, "the headers are longer than {} MiB in total", MAX_LINE >> 20),
        }
    }
}

impl std::error::Error for FormError {}

/// Why it cannot be found out what a response is, whose JSON is nested too deeply to be read here. That is no fault of
/// who sent it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TooDeep {
    /// The response, in short.
    pub response: String,
}

impl fmt::Display for TooDeep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the JSON of a response is nested too deeply to be read: {}", self.response)
    }
}

impl std::error::Error for TooDeep {}

/// Why there is no response.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NoResponse {
    /// The server ended the connection before the response, or in the middle of it.
    Dropped,
    /// It takes too long.
    Late,
    /// What came is no response, or the server is not there; as the library says it.
    Wrong(String),
}

impl fmt::Display for NoResponse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoResponse::Dropped => f.write_str("the connection ended"),
            NoResponse::Late => f.write_str("it takes too long"),
            NoResponse::Wrong(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for NoResponse {}
