//! What is wrong with a line of a journal: somebody changed it, or it is about another model.

use std::fmt;

use sioco_model::model::Direction;

use super::event::Misfit;

/// Why an object is no record, or no header.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum RecordError {
    /// A field is missing.
    Missing(&'static str),
    /// A field is something else than this.
    Should {
        /// The field.
        name: &'static str,
        /// What it should be.
        be: &'static str,
    },
    /// A number is too large for this machine.
    TooLarge(&'static str),
    /// A field has a word that means nothing.
    Word {
        /// The field.
        name: &'static str,
        /// The word.
        word: String,
    },
    /// The model has no such gate.
    Gate(Undeclared),
    /// Values do not fit their gate.
    Values(Misfit),
    /// A cause means nothing.
    Cause(CauseError),
}

/// Why an object is no cause of a verdict.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum CauseError {
    /// It is neither reached, nor a failure, nor open, nor an error.
    Form,
    /// Nothing fails in this way.
    Failure(String),
    /// Nothing stays open for this reason.
    Open(String),
    /// There is no such error.
    Trouble(String),
    /// There is no such kind of fault.
    FaultKind(String),
    /// The model has no such switch.
    Switch(String),
    /// It does not say why something is unknown.
    Reason,
}

/// That a model has no gate of a name and direction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Undeclared {
    /// The name.
    pub name: String,
    /// The direction that is wanted.
    pub direction: Direction,
    /// The gates of this direction; nothing if the gate goes the other way.
    pub there: Option<Vec<String>>,
}

impl From<Undeclared> for RecordError {
    fn from(error: Undeclared) -> Self {
        RecordError::Gate(error)
    }
}

impl From<Misfit> for RecordError {
    fn from(error: Misfit) -> Self {
        RecordError::Values(error)
    }
}

impl From<CauseError> for RecordError {
    fn from(error: CauseError) -> Self {
        RecordError::Cause(error)
    }
}

impl fmt::Display for RecordError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RecordError::Missing(name) => write!(f, "`{name}` is missing"),
            RecordError::Should { name, be } => write!(f, "`{name}` must be {be}"),
            RecordError::TooLarge(name) => write!(f, "`{name}` is too large"),
            RecordError::Word { name, word } => write!(f, "`{name}` has the unknown value \"{word}\""),
            RecordError::Gate(why) => why.fmt(f),
            RecordError::Values(why) => why.fmt(f),
            RecordError::Cause(why) => why.fmt(f),
        }
    }
}

impl std::error::Error for RecordError {}

impl fmt::Display for CauseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CauseError::Form => f.write_str("`cause` must be \"reached\", or an object with `fail`, `open` or `error`"),
            CauseError::Failure(word) => write!(f, "`{word}` is not a kind of failure"),
            CauseError::Open(word) => write!(f, "`{word}` is not a reason for an inconclusive run"),
            CauseError::Trouble(word) => write!(f, "`{word}` is not a kind of error"),
            CauseError::FaultKind(word) => write!(f, "`{word}` is not a kind of fault"),
            CauseError::Switch(name) => write!(f, "the model has no switch `{name}`"),
            CauseError::Reason => f.write_str("`reason` does not say why it is unknown"),
        }
    }
}

impl std::error::Error for CauseError {}

impl fmt::Display for Undeclared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.direction {
            Direction::Input => "input",
            Direction::Output => "output",
        };
        let name = &self.name;
        let Some(there) = &self.there else {
            return write!(f, "`{name}` is not an {kind} of the model: it has the other direction");
        };
        let names: Vec<String> = there.iter().map(|name| format!("`{name}`")).collect();
        let those = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        write!(f, "the model has no {kind} `{name}`; its {kind}s are: {those}")
    }
}

impl std::error::Error for Undeclared {}
