//! Characters in the source that do not show as what they are.

use sioco_model::visible::is_hidden;

use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::source::{FileId, SourceMap, Span};

/// At most this many further places are named; more would not fit a message.
const LISTED_PLACES: usize = 5;

/// What hides in a file: one warning with the first place, and a note about the others.
pub(super) fn find(sources: &SourceMap, file: FileId) -> Option<Diagnostic> {
    let mut all = hidden(&sources.file(file).text);
    let (at, c) = all.next()?;
    let span = |at: usize, c: char| Span { file, start: at as u32, end: (at + c.len_utf8()) as u32 };
    let warning =
        Diagnostic::new(Code::HiddenCharacter, span(at, c), format!("this character is hidden: U+{:04X}", c as u32))
            .help(format!("remove it, or write `\\u{{{:x}}}` in a string", c as u32));
    let place = |(at, c)| {
        let (line, column) = sources.position(span(at, c));
        format!("U+{:04X} at {line}:{column}", c as u32)
    };
    let named: Vec<String> = all.by_ref().take(LISTED_PLACES).map(place).collect();
    let more = match all.count() {
        0 => String::new(),
        more => format!(", and {more} more"),
    };
    Some(if named.is_empty() { warning } else { warning.note(format!("there is also {}{more}", named.join(", "))) })
}

/// Hidden characters and their places. Line ends, tabs and a mark for the byte order at the beginning are no secret.
fn hidden(text: &str) -> impl Iterator<Item = (usize, char)> {
    let is_plain = |at: usize, c: char| match c {
        '\n' | '\t' => true,
        '\r' => text[at + 1..].starts_with('\n'),
        '\u{feff}' => at == 0,
        _ => false,
    };
    text.char_indices().filter(move |(at, c)| is_hidden(*c) && !is_plain(*at, *c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_hides_is_told_and_what_does_not_is_not() {
        let found = |text: &str| hidden(text).map(|(at, _)| at).collect::<Vec<_>>();
        assert_eq!(found("\u{feff}a\tb\r\nc\n"), []);
        assert_eq!(found("a\rb\u{feff}// \u{202e}\n\"\u{1b}\""), [1, 3, 9, 14]);
    }

    #[test]
    fn however_many_there_are_one_warning_tells_them() {
        let mut sources = SourceMap::default();
        let file = sources.add("m.sts", "\u{202e}\n".repeat(100_000));
        let warning = find(&sources, file).unwrap();
        assert!(warning.notes[0].ends_with("U+202E at 6:1, and 99994 more"), "{:?}", warning.notes);
        let file = sources.add("n.sts", "\"\u{200b}\"");
        let warning = find(&sources, file).unwrap();
        assert!(warning.notes.is_empty() && warning.help.is_some_and(|help| help.contains("\\u{200b}")));
    }
}
