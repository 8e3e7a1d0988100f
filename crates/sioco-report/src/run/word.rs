//! The words in brackets where something is no verdict on the system, such as `error[adapter]`; `sioco explain` has pages
//! about them.

use sioco_exec::sut::FaultKind;
use sioco_exec::verdict::Trouble;

/// What is no verdict.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Word {
    /// The adapter or the surroundings of the system broke down.
    Adapter,
    /// The code that connects a system of this process broke down.
    Glue,
    /// The model is undefined for what happened.
    Model,
    /// No solver can tell what a model does that plays the system.
    Solver,
    /// An input was refused.
    Refused,
    /// Everything is allowed, but nothing definite came of it.
    Inconclusive,
}

impl Word {
    /// All of them.
    pub const ALL: [Word; 6] =
        [Word::Adapter, Word::Glue, Word::Model, Word::Solver, Word::Refused, Word::Inconclusive];

    /// The word for something that broke down.
    pub fn of(trouble: &Trouble) -> Word {
        match trouble {
            Trouble::Fault { kind: FaultKind::Glue, .. } => Word::Glue,
            Trouble::Fault { kind: FaultKind::Played, .. } => Word::Model,
            Trouble::Fault { kind: FaultKind::Solver, .. } => Word::Solver,
            Trouble::Fault { .. } => Word::Adapter,
            Trouble::Model { .. } => Word::Model,
            Trouble::Refused { .. } => Word::Refused,
        }
    }

    /// The word.
    pub fn name(self) -> &'static str {
        match self {
            Word::Adapter => "adapter",
            Word::Glue => "glue",
            Word::Model => "model",
            Word::Solver => "solver",
            Word::Refused => "refused",
            Word::Inconclusive => "inconclusive",
        }
    }

    /// How bad it is.
    pub fn severity(self) -> &'static str {
        if self == Word::Inconclusive { "warning" } else { "error" }
    }

    /// The word in a text, in any case.
    pub fn parse(text: &str) -> Option<Word> {
        Word::ALL.into_iter().find(|w| w.name().eq_ignore_ascii_case(text.trim()))
    }

    /// The page, in Markdown.
    pub fn page(self) -> &'static str {
        match self {
            Word::Adapter => include_str!("codes/adapter.md"),
            Word::Glue => include_str!("codes/glue.md"),
            Word::Model => include_str!("codes/model.md"),
            Word::Solver => include_str!("codes/solver.md"),
            Word::Refused => include_str!("codes/refused.md"),
            Word::Inconclusive => include_str!("codes/inconclusive.md"),
        }
    }

    /// The heading of the page.
    pub fn title(self) -> &'static str {
        self.page().lines().next().unwrap_or_default().trim_start_matches('#').trim()
    }
}
