//! Models of other tools, turned into text of our language.
//!
//! An import gives text, not a model: what was imported can be read, changed and kept like any other file.

pub mod raxml;

use std::fmt;

pub use raxml::{Order, raxml, raxml_with};

/// What an import gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Imported {
    /// The text of the model; its first lines are a comment with the notes.
    pub text: String,
    /// What was changed or assumed on the way, for the user. Each is one sentence without a full stop.
    pub notes: Vec<String>,
}

/// A place in the imported file; both count from 1, columns count characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FilePosition {
    /// The line.
    pub line: u32,
    /// The column.
    pub column: u32,
}

impl fmt::Display for FilePosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// Why a file cannot be imported. Shown, it says where, what is wrong, and how to mend it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ImportError {
    /// The file is larger than anything that is read.
    TooLarge {
        /// What there is too much of, such as `33554433 bytes`.
        what: String,
    },
    /// The file is not XML.
    NotXml {
        /// What the XML parser says.
        message: String,
        /// Where.
        at: FilePosition,
    },
    /// XML, but something other than a register automaton.
    NotARegisterAutomaton {
        /// The name of the outermost element.
        found: String,
        /// Where.
        at: FilePosition,
    },
    /// An element lacks an attribute.
    MissingAttribute {
        /// The element.
        element: String,
        /// The attribute.
        attribute: String,
        /// Where.
        at: FilePosition,
    },
    /// A name or value that cannot be what it should be.
    BadValue {
        /// What it should be, such as `an integer`.
        expected: String,
        /// What it is.
        found: String,
        /// How to mend it.
        help: String,
        /// Where.
        at: FilePosition,
    },
    /// One name for two things.
    DeclaredTwice {
        /// What is declared, such as `location`.
        kind: String,
        /// The name.
        name: String,
        /// How the second declaration differs, or why it cannot stand beside the first.
        why: String,
        /// The first declaration.
        first: FilePosition,
        /// The second.
        second: FilePosition,
    },
    /// A name that nothing declares.
    Unknown {
        /// What it should name, such as `location`.
        kind: String,
        /// The name.
        name: String,
        /// The name that was probably meant.
        meant: Option<String>,
        /// Where.
        at: FilePosition,
    },
    /// A transition has too many or too few parameters.
    WrongCount {
        /// The symbol.
        symbol: String,
        /// How many its declaration has.
        declared: usize,
        /// How many the transition has.
        found: usize,
        /// The transition.
        at: FilePosition,
        /// The declaration.
        declaration: FilePosition,
    },
    /// No location is the initial one.
    NoInitial {
        /// Where the locations are, or should be.
        at: FilePosition,
    },
    /// Two locations are initial.
    TwoInitials {
        /// The first.
        first: (String, FilePosition),
        /// The second.
        second: (String, FilePosition),
    },
    /// A guard, parameter or assigned value that cannot be understood.
    BadExpression {
        /// What is wrong.
        message: String,
        /// How to mend it.
        help: String,
        /// Where.
        at: FilePosition,
    },
}

impl ImportError {
    /// Where it is wrong; `None` when it is the file as a whole.
    pub fn place(&self) -> Option<FilePosition> {
        match self {
            ImportError::TooLarge { .. } => None,
            ImportError::NotXml { at, .. }
            | ImportError::NotARegisterAutomaton { at, .. }
            | ImportError::MissingAttribute { at, .. }
            | ImportError::BadValue { at, .. }
            | ImportError::Unknown { at, .. }
            | ImportError::WrongCount { at, .. }
            | ImportError::NoInitial { at }
            | ImportError::BadExpression { at, .. }
            | ImportError::DeclaredTwice { second: at, .. } => Some(*at),
            ImportError::TwoInitials { second, .. } => Some(second.1),
        }
    }
}

impl fmt::Display for ImportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(at) = self.place() {
            write!(f, "{at}: ")?;
        }
        match self {
            ImportError::TooLarge { what } => {
                write!(f, "the file is too large to import: {what}; import a smaller automaton")
            }
            ImportError::NotXml { message, .. } => {
                write!(f, "this is not valid XML: {message}; fix the XML")
            }
            ImportError::NotARegisterAutomaton { found, .. } => write!(
                f,
                "expected the element `register-automaton`, found `{found}`; \
                 only register automata in the XML format of RaLib can be imported"
            ),
            ImportError::MissingAttribute { element, attribute, .. } => {
                write!(f, "`{element}` has no attribute `{attribute}`; write `<{element} {attribute}=\"…\">`")
            }
            ImportError::BadValue { expected, found, help, .. } => {
                write!(f, "expected {expected}, found `{found}`; {help}")
            }
            ImportError::DeclaredTwice { kind, name, why, first, .. } => {
                write!(f, "the {kind} `{name}` is declared twice, first at {first}{why}; remove or rename one of them")
            }
            ImportError::Unknown { kind, name, meant, .. } => match meant {
                Some(meant) => write!(f, "there is no {kind} `{name}`; did you mean `{meant}`?"),
                None => write!(f, "there is no {kind} `{name}`; declare it, or write the name of one that is declared"),
            },
            ImportError::WrongCount { symbol, declared, found, declaration, .. } => write!(
                f,
                "`{symbol}` has {} here, but its declaration at {declaration} has {declared}; \
                 give as many in `params` as are declared",
                if *found == 1 { "1 parameter".to_string() } else { format!("{found} parameters") },
            ),
            ImportError::NoInitial { .. } => {
                write!(f, "no location is the initial one; mark one with `initial=\"true\"`")
            }
            ImportError::TwoInitials { first, second } => write!(
                f,
                "`{}` is marked as initial, but so is `{}` at {}; keep one `initial=\"true\"`",
                second.0, first.0, first.1
            ),
            ImportError::BadExpression { message, help, .. } => write!(f, "{message}; {help}"),
        }
    }
}

impl std::error::Error for ImportError {}
