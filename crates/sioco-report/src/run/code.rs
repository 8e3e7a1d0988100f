//! The codes of failures, which `sioco explain` has pages about.

use sioco_exec::verdict::Failure;

/// A way in which a system does not conform.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Code {
    /// An output that is not allowed.
    Output,
    /// Silence that is not allowed.
    Silence,
    /// An end that is not allowed.
    Closed,
    /// Values that do not fit their gate.
    Malformed,
    /// An input refused that has to be taken.
    Refused,
    /// A crash that is not allowed.
    Crashed,
}

impl Code {
    /// All of them, in order.
    pub const ALL: [Code; 6] =
        [Code::Output, Code::Silence, Code::Closed, Code::Malformed, Code::Refused, Code::Crashed];

    /// The code of a failure.
    pub fn of(failure: &Failure) -> Code {
        match failure {
            Failure::Output(_) => Code::Output,
            Failure::Silence => Code::Silence,
            Failure::Closed => Code::Closed,
            Failure::Malformed { .. } => Code::Malformed,
            Failure::Refused { .. } => Code::Refused,
            Failure::Crashed(_) => Code::Crashed,
        }
    }

    /// The short form.
    pub fn short(self) -> &'static str {
        match self {
            Code::Output => "V001",
            Code::Silence => "V002",
            Code::Closed => "V003",
            Code::Malformed => "V004",
            Code::Refused => "V005",
            Code::Crashed => "V006",
        }
    }

    /// The code with a short form, `sioco::` before it or not, in any case.
    pub fn parse(text: &str) -> Option<Code> {
        let text = text.strip_prefix("sioco::").unwrap_or(text);
        Code::ALL.into_iter().find(|c| c.short().eq_ignore_ascii_case(text))
    }

    /// The page, in Markdown.
    pub fn page(self) -> &'static str {
        match self {
            Code::Output => include_str!("codes/V001.md"),
            Code::Silence => include_str!("codes/V002.md"),
            Code::Closed => include_str!("codes/V003.md"),
            Code::Malformed => include_str!("codes/V004.md"),
            Code::Refused => include_str!("codes/V005.md"),
            Code::Crashed => include_str!("codes/V006.md"),
        }
    }

    /// The heading of the page.
    pub fn title(self) -> &'static str {
        self.page().lines().next().unwrap_or_default().trim_start_matches('#').trim()
    }
}

impl std::fmt::Display for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "sioco::{}", self.short())
    }
}
