//! Emphasis for a terminal. Only sioco itself can put it into a text.
//!
//! Printed text contains text from others: values, names, lines of programs. So emphasis is a mark with a number that
//! nobody can guess. The mark becomes an escape sequence only where text is written, in [`print()`]. All other text
//! that a terminal would obey is made visible there, and the terminal does not obey it.

use std::borrow::Cow;
use std::collections::hash_map::RandomState;
use std::fmt::Display;
use std::hash::{BuildHasher, Hasher};
use std::sync::LazyLock;

use sioco_model::visible;

/// How escape sequences begin.
const ESCAPE: &str = "\x1b";

/// How a mark begins: new with each start of the program, and never shown.
static MARK: LazyLock<String> =
    LazyLock::new(|| format!("{ESCAPE}{:016x}", RandomState::new().build_hasher().finish()));

/// Emphasis, if it is on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Style {
    /// Whether anything is emphasised at all.
    pub on: bool,
}

impl Style {
    /// Nothing is emphasised.
    pub const PLAIN: Style = Style { on: false };

    fn wrap(self, code: &str, text: impl Display) -> String {
        let text = text.to_string();
        if self.on && !text.is_empty() { format!("{0}[{code}m{text}{0}[0m", *MARK) } else { text }
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

/// Emphasis that another library of this program put into a text. The text of others in it must have been made visible
/// before, or its escape sequences would be taken for those of the library.
pub fn adopt(text: &str) -> String {
    text.replace(&format!("{ESCAPE}["), &format!("{}[", *MARK))
}

/// The text for a terminal or a file: marks become emphasis, and everything else that is hidden becomes visible.
pub fn print(text: &str) -> Cow<'_, str> {
    if !text.contains(MARK.as_str()) {
        return visible::text(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut parts = text.split(MARK.as_str());
    out.push_str(&visible::text(parts.next().unwrap_or_default()));
    for part in parts {
        // A mark is followed by `[`, numbers and `m`.
        let end = part.find('m').map_or(0, |end| end + 1);
        let (code, rest) = part.split_at(end);
        if code.starts_with('[') && code[1..end - 1].bytes().all(|b| b.is_ascii_digit() || b == b';') {
            out.push_str(ESCAPE);
            out.push_str(code);
            out.push_str(&visible::text(rest));
        } else {
            out.push_str(&visible::text(part));
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn emphasis_is_printed_and_nothing_else_is_obeyed() {
        let style = Style { on: true };
        let text = format!("a {} \x1b[31mb\x1b[0m\n", style.bold("c\x1b[2J\u{202e}"));
        assert_eq!(print(&text), "a \x1b[1mc\\u{1b}[2J\\u{202e}\x1b[0m \\u{1b}[31mb\\u{1b}[0m\n");
        assert_eq!(print(&Style { on: false }.bold("c\x1b[2J")), "c\\u{1b}[2J");
        assert_eq!(print(&adopt("\x1b[1;31mred\x1b[0m")), "\x1b[1;31mred\x1b[0m");
    }

    #[test]
    fn a_mark_is_followed_by_a_code_and_nothing_else() {
        for wrong in ["", "[1", "[1J", "]0;titlem", "[1\x1bm", "m"] {
            assert!(!print(&format!("{}{wrong}", *MARK)).contains('\x1b'), "{wrong}");
        }
    }

    /// Whoever writes a mark down has to guess 64 bits.
    #[test]
    fn marks_are_long() {
        assert_eq!(MARK.len(), 17);
    }
}
