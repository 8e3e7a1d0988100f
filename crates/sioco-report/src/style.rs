//! Emphasis for a terminal.

use std::fmt::Display;

/// Emphasis, if it is on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Style {
    /// Whether anything is emphasised at all.
    pub on: bool,
}

impl Style {
    fn wrap(self, code: &str, text: impl Display) -> String {
        let text = text.to_string();
        if self.on && !text.is_empty() { format!("\x1b[{code}m{text}\x1b[0m") } else { text }
    }

    /// Headings and names.
    pub fn bold(self, text: impl Display) -> String {
        self.wrap("1", text)
    }

    /// Less important things.
    pub fn dim(self, text: impl Display) -> String {
        self.wrap("2", text)
    }

    /// Errors.
    pub fn red(self, text: impl Display) -> String {
        self.wrap("1;31", text)
    }

    /// What is right.
    pub fn green(self, text: impl Display) -> String {
        self.wrap("1;32", text)
    }

    /// What is neither right nor wrong.
    pub fn yellow(self, text: impl Display) -> String {
        self.wrap("1;33", text)
    }

    /// Code.
    pub fn cyan(self, text: impl Display) -> String {
        self.wrap("36", text)
    }
}
