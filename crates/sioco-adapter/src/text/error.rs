//! What is wrong with a dialect. Its author is always to blame, and the error is reported before anything is started.

use std::fmt;

use sioco_model::model::{CLOSED, CRASHED, Direction, Model, Param};
use sioco_model::names::did_you_mean;

use super::room;
use crate::http::FormError;
use crate::lines::MAX_LINE;
use crate::values::Misread;

/// Bytes of a MiB, as a shift.
const MIB: usize = 20;

/// Something that is wrong with a dialect.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DialectError {
    /// The dialect.
    pub dialect: String,
    /// What is wrong with it.
    pub what: Mistake,
}

/// What can be wrong with a dialect.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Mistake {
    /// It is about a gate that the model does not have.
    NoGate(NoGate),
    /// The template of an input is wrong.
    Input {
        /// The input.
        name: String,
        /// What is wrong with it.
        why: TemplateError,
    },
    /// A template of an output is wrong.
    Output {
        /// The output.
        name: String,
        /// What is wrong with it.
        why: TemplateError,
    },
    /// The request of an input is wrong.
    Request {
        /// The input.
        name: String,
        /// What is wrong with it.
        why: FormError,
    },
    /// A response that is an output is described wrongly.
    Response {
        /// The output.
        name: String,
        /// What is wrong with it.
        why: FormError,
    },
    /// This input is a request, for a system that does not speak HTTP.
    InputIsRequest(String),
    /// This input is a text, for a system that speaks HTTP.
    InputIsText(String),
    /// This input of the model has no template.
    NoInput(String),
    /// This input of the model has no request.
    NoRequest(String),
    /// This output of the model has no template.
    NoOutput(String),
    /// The templates of this output are an empty list.
    NoTemplate(String),
    /// This output is a line that nothing ends.
    Endless(String),
    /// A word stands for a constructor that the model does not have.
    NoConstructor {
        /// The constructor.
        name: String,
        /// What was probably meant.
        near: Option<String>,
    },
    /// This gate cannot take what fits nothing else.
    OtherForm(String),
    /// The gate that is to take what fits nothing else is none of the model.
    Other(NoGate),
    /// All templates together cannot be used.
    Together(MatcherError),
}

impl fmt::Display for DialectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "dialect `{}`: {}", self.dialect, self.what)
    }
}

impl std::error::Error for DialectError {}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Mistake::NoGate(why) => why.fmt(f),
            Mistake::Input { name, why } => write!(f, "the input `{name}`: {why}"),
            Mistake::Output { name, why } => write!(f, "the output `{name}`: {why}"),
            Mistake::Request { name, why } => write!(f, "the input `{name}`: {why}"),
            Mistake::Response { name, why } => write!(f, "the output `{name}`: {why}"),
            Mistake::InputIsRequest(name) => write!(
                f,
                "the input `{name}` is a request, but this system does not use HTTP; write a text, or connect to \
                 `http://…`"
            ),
            Mistake::InputIsText(name) => write!(
                f,
                "the input `{name}` is a text, but this system uses HTTP: write {{ method = \"GET\", path = \"/…\" }}"
            ),
            Mistake::NoInput(name) => write!(f, "the input `{name}` of the model has no template in `inputs`"),
            Mistake::NoRequest(name) => write!(f, "the input `{name}` of the model has no request in `inputs`"),
            Mistake::NoOutput(name) => write!(f, "the output `{name}` of the model has no template in `outputs`"),
            Mistake::NoTemplate(name) => write!(f, "the output `{name}` has no template: the array is empty"),
            Mistake::Endless(name) => write!(
                f,
                "the output `{name}` is a line, but `line-end` is empty, so nothing ends it; use a `regex` with an \
                 end of its own"
            ),
            Mistake::NoConstructor { name, near } => {
                write!(f, "`words` has `{name}`, which is not a constructor of the model")?;
                near.iter().try_for_each(|near| write!(f, "; did you mean `{near}`?"))
            }
            Mistake::OtherForm(name) => {
                write!(f, "`other` is `{name}`, which must have one parameter, a String")
            }
            Mistake::Other(why) => write!(f, "`other`: {why}"),
            Mistake::Together(why) => why.fmt(f),
        }
    }
}

/// Why a template does not fit a gate.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TemplateError {
    /// A brace is closed that was not opened; the template.
    NotOpened(String),
    /// A brace is not closed; the template.
    NotClosed(String),
    /// What stands between braces is no place for a value.
    Place {
        /// The template.
        text: String,
        /// What is wrong with the place.
        why: PlaceError,
    },
    /// With all that it repeats, it is longer than a message may be.
    TooLong(String),
    /// Something names a parameter that the gate does not have.
    Parameter(NoParameter),
    /// A regular expression cannot be read, or is too large.
    Regex(RegexError),
    /// It would look for more, or less, than a whole message.
    Looks(String),
    /// It matches nothing at all.
    Empty(String),
    /// It is about HTTP, and the system does not speak it.
    NotHttp,
    /// It has neither a line nor a regular expression, or both.
    LineOrRegex,
    /// It says nothing about a parameter.
    Unsaid {
        /// The template.
        text: String,
        /// The parameter.
        parameter: String,
    },
    /// A parameter has several places in a line.
    Twice {
        /// The line.
        line: String,
        /// The parameter.
        parameter: String,
    },
    /// A parameter has a place, and a value in `set`.
    PlaceAndSet(String),
    /// A value in `set` does not fit its parameter.
    Set(Misread),
    /// A value in `set` is none that values can be written as.
    Unwritable(String),
}

/// Why the text between the braces of a template is no place for a value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PlaceError {
    /// No parameter can have this name.
    NoName(String),
    /// The gate has no such parameter.
    Parameter(NoParameter),
    /// A bracket is not closed.
    Bracket(String),
    /// There is no such function.
    Function(String),
    /// It does not say what is repeated, or how often.
    Repeat(String),
    /// What is repeated becomes too long.
    TooLong(String),
}

/// That a gate has no such parameter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NoParameter {
    name: String,
    near: Option<String>,
    there: Vec<String>,
}

/// Why a text is no regular expression that can be used.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RegexError {
    /// It cannot be read.
    Unreadable {
        /// The text.
        text: String,
        /// What is wrong with it, as the library says it.
        why: String,
    },
    /// It takes too much memory by itself.
    TooLarge(String),
    /// It takes too much memory, together with those before it.
    TooLargeTogether(String),
}

/// Why all templates together cannot be used.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MatcherError {
    /// They take too much memory.
    TooLarge(String),
    /// They have no state to begin in.
    Unusable(String),
}

/// That a model has no gate of a name and direction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NoGate {
    name: String,
    direction: Direction,
    hint: Hint,
}

/// What was probably meant by a gate that there is not.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Hint {
    Closed,
    Crashed,
    Near(String),
    OtherDirection,
    None,
}

impl NoParameter {
    pub(crate) fn new(name: &str, params: &[Param]) -> NoParameter {
        let there = || params.iter().map(|p| p.name.as_str());
        NoParameter {
            name: name.to_owned(),
            near: did_you_mean(name, there()),
            there: there().map(str::to_owned).collect(),
        }
    }
}

impl NoGate {
    pub(crate) fn new(model: &Model, name: &str, direction: Direction) -> NoGate {
        let names = model.gates.values().filter(|g| g.direction == direction).map(|g| g.name.as_str());
        let hint = match did_you_mean(name, names) {
            _ if name == CLOSED => Hint::Closed,
            _ if name == CRASHED => Hint::Crashed,
            Some(near) => Hint::Near(near),
            None if model.gate(name).is_some() => Hint::OtherDirection,
            None => Hint::None,
        };
        NoGate { name: name.to_owned(), direction, hint }
    }
}

impl From<NoParameter> for TemplateError {
    fn from(error: NoParameter) -> Self {
        TemplateError::Parameter(error)
    }
}

impl From<RegexError> for TemplateError {
    fn from(error: RegexError) -> Self {
        TemplateError::Regex(error)
    }
}

impl fmt::Display for TemplateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TemplateError::NotOpened(text) => {
                write!(f, "in `{text}`, a `}}` has no `{{`; to write a brace itself, write it twice")
            }
            TemplateError::NotClosed(text) => {
                write!(f, "in `{text}`, a `{{` is not closed; to write a brace itself, write it twice")
            }
            TemplateError::Place { text, why } => write!(f, "in `{text}`, {why}"),
            TemplateError::TooLong(text) => write!(f, "`{text}` is longer than {} MiB in total", MAX_LINE >> MIB),
            TemplateError::Parameter(why) => why.fmt(f),
            TemplateError::Regex(why) => why.fmt(f),
            TemplateError::Looks(text) => {
                write!(
                    f,
                    "`{text}` has `^`, `$` or `\\b`; remove it: a template always describes a whole message, \
                           with its line end"
                )
            }
            TemplateError::Empty(text) => {
                write!(f, "`{text}` also matches the empty text, so it would match forever")
            }
            TemplateError::NotHttp => {
                f.write_str("`status`, `json` and `after` need HTTP, but this system does not use it")
            }
            TemplateError::LineOrRegex => f.write_str("a template has either `line` or `regex`"),
            TemplateError::Unsaid { text, parameter } => {
                write!(f, "`{text}` has no place for the parameter `{parameter}`; name it, or `set` it")
            }
            TemplateError::Twice { line, parameter } => {
                write!(f, "in `{line}`, `{parameter}` has more than one place")
            }
            TemplateError::PlaceAndSet(name) => {
                write!(f, "`{name}` has both a place in the template and a value in `set`")
            }
            TemplateError::Set(why) => write!(f, "`set`: {why}"),
            TemplateError::Unwritable(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for TemplateError {}

impl fmt::Display for PlaceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlaceError::NoName(name) => write!(f, "`{name}` is not a valid parameter name"),
            PlaceError::Parameter(why) => why.fmt(f),
            PlaceError::Bracket(inside) => write!(f, "`{{{inside}}}` lacks a `)`"),
            PlaceError::Function(name) => {
                write!(f, "`{name}` is unknown; write `len(p)`, `quoted(p)` or `repeat(text, n)`")
            }
            PlaceError::Repeat(inside) => write!(f, "write `repeat(x, 100)`, not `repeat({inside})`"),
            PlaceError::TooLong(inside) => {
                write!(f, "`repeat({inside})` is longer than {} MiB", MAX_LINE >> MIB)
            }
        }
    }
}

impl std::error::Error for PlaceError {}

impl fmt::Display for NoParameter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is not a parameter; ", self.name)?;
        match &self.near {
            Some(near) => write!(f, "did you mean `{near}`?"),
            None if self.there.is_empty() => f.write_str("the gate has none"),
            None => write!(f, "there are {}", self.there.join(", ")),
        }
    }
}

impl std::error::Error for NoParameter {}

impl fmt::Display for RegexError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RegexError::Unreadable { text, why } => write!(f, "`{text}` is not a regular expression: {why}"),
            RegexError::TooLarge(text) => {
                let most = room::ALONE >> MIB;
                write!(f, "`{text}` is too large: it takes more than {most} MiB")
            }
            RegexError::TooLargeTogether(text) => {
                let most = room::SIZE >> MIB;
                write!(f, "`{text}` is too large together with the templates before it: they take more than {most} MiB")
            }
        }
    }
}

impl std::error::Error for RegexError {}

impl fmt::Display for MatcherError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MatcherError::TooLarge(why) => write!(f, "the templates for outputs are too large in total: {why}"),
            MatcherError::Unusable(why) => write!(f, "the templates for outputs cannot be used: {why}"),
        }
    }
}

impl std::error::Error for MatcherError {}

impl fmt::Display for NoGate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = if self.direction == Direction::Input { "input" } else { "output" };
        write!(f, "`{}` is not an {what} of the model", self.name)?;
        match &self.hint {
            Hint::Closed => f.write_str("; `closed`, the end of the connection, needs no template"),
            Hint::Crashed => f.write_str("; `crashed`, a crash of the system, needs no template"),
            Hint::Near(near) => write!(f, "; did you mean `{near}`?"),
            Hint::OtherDirection => f.write_str(
                "; in the model it has the other direction (directions are seen \
                                                 from the system)",
            ),
            Hint::None => Ok(()),
        }
    }
}

impl std::error::Error for NoGate {}
