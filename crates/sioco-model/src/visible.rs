//! Text of others, made visible: what a terminal would obey, and what hides or reorders other text.
//!
//! Values, messages, names of files and lines of programs may have anything in them. A terminal obeys control characters;
//! marks for the direction of writing make a line read as something else than it says; characters without width hide in
//! it. Here each of these becomes its number, in the way of the language: `\u{202e}`.

use std::borrow::Cow;
use std::fmt::Write;

/// Whether a character does not show as what it is: it controls a terminal, changes the direction of text, breaks lines
/// where no line break is seen, or has no width. Tabs and line feeds are among these; who prints several lines keeps them.
pub fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            // A hyphen that shows only at the end of a line.
            '\u{ad}'
            // Direction of writing.
            | '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{206f}'
            // Breaks of lines and paragraphs.
            | '\u{2028}' | '\u{2029}'
            // Without width.
            | '\u{34f}' | '\u{180e}' | '\u{200b}'..='\u{200d}' | '\u{2060}'..='\u{2065}' | '\u{feff}'
            // Letters that are blank.
            | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{3164}' | '\u{ffa0}'
            // Notes for programs, and tags that spell a text which nobody sees.
            | '\u{fff9}'..='\u{fffb}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}'
        )
}

/// Text of several lines: line feeds and tabs stay.
pub fn text(text: &str) -> Cow<'_, str> {
    replaced(text, |c| is_hidden(c) && c != '\n' && c != '\t', escape)
}

/// Text that stands on one line, such as the name of a file: line breaks become visible too.
pub fn line(text: &str) -> Cow<'_, str> {
    replaced(text, is_hidden, escape)
}

/// The text of a JSON document, which stays the same document: what hides inside its strings is escaped.
pub fn json(text: &str) -> Cow<'_, str> {
    // Outside of strings there are only these two, and inside of them no control characters.
    let hidden = |c| is_hidden(c) && c != '\n' && c != '\t' && c != '\r';
    replaced(text, hidden, |c, out| {
        for unit in c.encode_utf16(&mut [0; 2]) {
            let _ = write!(out, "\\u{unit:04x}");
        }
    })
}

/// A hidden character, as the language writes it.
pub fn escape(c: char, out: &mut String) {
    match c {
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        c => {
            let _ = write!(out, "\\u{{{:x}}}", c as u32);
        }
    }
}

fn replaced(text: &str, hidden: impl Fn(char) -> bool, escape: impl Fn(char, &mut String)) -> Cow<'_, str> {
    // Nearly all text is plain, and bytes are looked at faster than characters: every line of a journal passes here.
    let breaks = !hidden('\n');
    if text.bytes().all(|b| (b' '..=b'~').contains(&b) || (b == b'\n' && breaks)) {
        return Cow::Borrowed(text);
    }
    let Some(first) = text.find(&hidden) else { return Cow::Borrowed(text) };
    let mut out = String::with_capacity(text.len() + 16);
    out.push_str(&text[..first]);
    for c in text[first..].chars() {
        if hidden(c) { escape(c, &mut out) } else { out.push(c) }
    }
    Cow::Owned(out)
}

/// At most this many characters of a text are put into a sentence: two and a half lines.
const SHOWN: usize = 200;

/// As much of a text as fits into a sentence.
pub fn shortened(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(SHOWN) {
        Some((at, _)) => Cow::Owned(format!("{}…", &text[..at])),
        None => Cow::Borrowed(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_would_obey_is_shown() {
        assert_eq!(text("a\x1b[31mb\r\u{7f}\u{9b}0m"), "a\\u{1b}[31mb\\r\\u{7f}\\u{9b}0m");
        assert_eq!(text("two\n\tlines"), "two\n\tlines");
        assert_eq!(line("two\n\tlines"), "two\\n\\tlines");
    }

    #[test]
    fn what_reorders_or_hides_is_shown() {
        let all = "\u{202a}\u{202b}\u{202c}\u{202d}\u{202e}\u{2066}\u{2067}\u{2068}\u{2069}\u{200e}\u{200f}\u{61c}\
                   \u{2028}\u{2029}\u{200b}\u{200c}\u{200d}\u{2060}\u{feff}\u{ad}\u{3164}\u{e0041}";
        for c in all.chars() {
            assert!(is_hidden(c), "{:x}", c as u32);
            assert_eq!(text(&format!("x{c}")), format!("x\\u{{{:x}}}", c as u32));
        }
        for c in "aä漢字שלוםمرحبا🙂 \u{a0}é".chars() {
            assert!(!is_hidden(c), "{c:?}");
        }
    }

    #[test]
    fn json_stays_the_same_document() {
        assert_eq!(json("{\"a\": \"\u{202e}\u{7f}\u{e0041}\"}\n"), "{\"a\": \"\\u202e\\u007f\\udb40\\udc41\"}\n");
    }

    #[test]
    fn harmless_text_is_not_copied() {
        assert!(matches!(text("harmless\n"), Cow::Borrowed(_)));
    }
}
