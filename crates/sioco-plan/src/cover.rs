//! Ways to get purposes (T-P5 to T-P15, T-G4).

use std::fmt;

use crate::intent::Intent;

/// What a plan is to cover.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Cover {
    /// Every switch (T-P5; S0 section 4).
    Switch,
    /// Every location.
    Location,
    /// All paths with so many observable steps, closed by outputs or silence (T-P6; S3 definition 18).
    Paths(usize),
    /// All paths that are so many times as long as the longest restricted by inclusion (T-P7; S3 definition 19).
    Inclusion(usize),
    /// Every redirected edge of the reduced graph (T-P8; S4 section 3.1).
    Reduced,
    /// Every symbolic trace with so many observable steps, and the shorter ones that end (T-P9; S1 section 5.1).
    Traces(usize),
    /// So many random walks: the baseline (T-P12).
    Random(usize),
    /// Every class of inputs that the guards tell apart, and its borders (T-P15; S2 section 6).
    Classes,
    /// So many sequences of random inputs, whatever the guards are: the baseline of S2.
    Inputs(usize),
    /// A purpose that the user wrote, by its name (T-P10).
    Purpose(String),
    /// The transitions that a specification and an implementation model have together: made by a
    /// [comparison](crate::compare).
    Compare,
}

/// `random` means this many walks: enough to see whether they find anything, and few enough to read.
const WALKS: usize = 10;

/// What can be written, for messages.
pub const WAYS: &str = "`switch`, `location`, `paths:N`, `inclusion:K`, `reduced`, `traces:N`, `classes`, `random`, `random:N`, `inputs:N` or `purpose:NAME`";

/// Why a text is no cover. Whoever wrote it is to blame.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CoverError {
    /// There is no such way to cover.
    Unknown(String),
    /// A number is missing.
    Missing {
        /// The way.
        name: String,
        /// What the number is.
        what: &'static str,
        /// A number that would do.
        example: usize,
    },
    /// A number is zero.
    Zero {
        /// The whole text.
        text: String,
        /// What the number is.
        what: &'static str,
    },
    /// A number is too large for this machine.
    TooLarge {
        /// The number.
        value: String,
        /// What it is.
        what: &'static str,
    },
    /// What should be a number is none.
    NoNumber {
        /// The way.
        name: String,
        /// What is there.
        value: String,
        /// What the number is.
        what: &'static str,
        /// A number that would do.
        example: usize,
    },
    /// Something follows a way that takes nothing.
    Extra {
        /// The way.
        name: String,
        /// What follows.
        value: String,
    },
    /// The name of the purpose is missing.
    NoPurpose,
    /// It needs a second model.
    Compare,
}

impl fmt::Display for CoverError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CoverError::Unknown(name) => write!(f, "`--cover` has no value `{name}`; write {WAYS}"),
            CoverError::Missing { name, what, example } => {
                write!(f, "`{name}` needs {what}: write `{name}:{example}`")
            }
            CoverError::Zero { text, what } => write!(f, "`{text}` covers nothing: {what} must be at least 1"),
            CoverError::TooLarge { value, what } => write!(f, "`{value}` is too large for {what}"),
            CoverError::NoNumber { name, value, what, example } => {
                write!(f, "`{value}` is not {what}: write a whole number, as in `{name}:{example}`")
            }
            CoverError::Extra { name, value } => {
                write!(f, "`{name}` takes no value: write `{name}`, without `:{value}`")
            }
            CoverError::NoPurpose => f.write_str("`purpose` needs the name of a purpose: write `purpose:NAME`"),
            CoverError::Compare => {
                f.write_str("`compare` takes two models: `sioco compare SPEC IMPL` makes such a plan")
            }
        }
    }
}

impl std::error::Error for CoverError {}

impl Cover {
    /// What a plan for it is for.
    pub fn intent(&self) -> Intent {
        Intent::of(self)
    }

    /// Reads what a plan file or a journal says.
    pub fn recorded(text: &str) -> Result<Cover, CoverError> {
        match text {
            // Nobody asks for it by name.
            "compare" => Ok(Cover::Compare),
            cover => Cover::parse(cover),
        }
    }

    /// Reads what a user wrote.
    pub fn parse(text: &str) -> Result<Cover, CoverError> {
        let (name, value) = match text.split_once(':') {
            Some((name, value)) => (name, Some(value)),
            None => (text, None),
        };
        let number = |what: &'static str, example: usize| {
            let name = || name.to_owned();
            let Some(value) = value else {
                return Err(CoverError::Missing { name: name(), what, example });
            };
            match value.parse::<usize>() {
                Ok(0) => Err(CoverError::Zero { text: text.to_owned(), what }),
                Ok(n) => Ok(n),
                Err(_) if !value.is_empty() && value.bytes().all(|b| b.is_ascii_digit()) => {
                    Err(CoverError::TooLarge { value: value.to_owned(), what })
                }
                Err(_) => Err(CoverError::NoNumber { name: name(), value: value.to_owned(), what, example }),
            }
        };
        let plain = |cover: Cover| match value {
            None => Ok(cover),
            Some(value) => Err(CoverError::Extra { name: name.to_owned(), value: value.to_owned() }),
        };
        match name {
            "switch" => plain(Cover::Switch),
            "location" => plain(Cover::Location),
            "reduced" => plain(Cover::Reduced),
            "classes" => plain(Cover::Classes),
            "paths" => number("a length", 3).map(Cover::Paths),
            "inclusion" => number("a factor", 1).map(Cover::Inclusion),
            "traces" => number("a length", 3).map(Cover::Traces),
            "random" if value.is_none() => Ok(Cover::Random(WALKS)),
            "random" => number("a number of walks", WALKS).map(Cover::Random),
            "inputs" => number("a number of tests", WALKS).map(Cover::Inputs),
            "purpose" => match value {
                Some(name) if !name.is_empty() => Ok(Cover::Purpose(name.into())),
                _ => Err(CoverError::NoPurpose),
            },
            "compare" => Err(CoverError::Compare),
            _ => Err(CoverError::Unknown(name.to_owned())),
        }
    }
}

impl fmt::Display for Cover {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cover::Switch => write!(f, "switch"),
            Cover::Location => write!(f, "location"),
            Cover::Paths(n) => write!(f, "paths:{n}"),
            Cover::Inclusion(k) => write!(f, "inclusion:{k}"),
            Cover::Reduced => write!(f, "reduced"),
            Cover::Traces(n) => write!(f, "traces:{n}"),
            Cover::Random(n) => write!(f, "random:{n}"),
            Cover::Classes => write!(f, "classes"),
            Cover::Inputs(n) => write!(f, "inputs:{n}"),
            Cover::Purpose(name) => write!(f, "purpose:{name}"),
            Cover::Compare => write!(f, "compare"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        for text in [
            "switch",
            "location",
            "paths:3",
            "inclusion:1",
            "reduced",
            "traces:12",
            "random:7",
            "classes",
            "inputs:7",
            "purpose:Big",
        ] {
            assert_eq!(Cover::parse(text).map(|c| c.to_string()), Ok(text.to_string()));
            assert_eq!(Cover::recorded(text), Cover::parse(text));
        }
        assert_eq!(Cover::parse("random"), Ok(Cover::Random(WALKS)));
        assert_eq!(Cover::recorded("compare"), Ok(Cover::Compare));
        assert!(Cover::parse("compare").is_err());
    }

    #[test]
    fn what_is_wrong_is_said() {
        let cases = [
            ("switches", "`--cover` has no value `switches`"),
            ("paths", "`paths` needs a length: write `paths:3`"),
            ("paths:0", "must be at least 1"),
            ("traces:x", "`x` is not a length"),
            ("switch:3", "without `:3`"),
            ("purpose:", "write `purpose:NAME`"),
            ("inputs", "`inputs` needs a number of tests: write `inputs:10`"),
            ("traces:99999999999999999999999", "is too large for a length"),
        ];
        for (text, says) in cases {
            let error = Cover::parse(text).expect_err(text).to_string();
            assert!(error.contains(says), "{text}: {error}");
        }
    }
}
