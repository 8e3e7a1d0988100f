//! How a system under test crashed: an abnormal end of it (T-E2).

/// At most this many characters of the first line of a message are kept: a dozen lines of a terminal.
const MESSAGE: usize = 1000;
/// At most this many lines of details are kept, the last ones: a screen. The reason usually stands at the end.
const LINES: usize = 50;
/// At most this many characters of each line are kept: some five lines of a terminal.
const LINE: usize = 400;

/// An abnormal end of the system under test: a panic, an exception that nobody handled, a signal, an exit status other
/// than 0, or a handler that died in the middle of a request.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Crash {
    /// What happened, on one line.
    pub message: String,
    /// Where in the code of the system, if that is known: `src/lib.rs:12:5`.
    pub place: Option<String>,
    /// How the process of the system ended, if it has one: `exit status: 3`, `signal: SIGSEGV`.
    pub status: Option<String>,
    /// What else is known, line by line: a traceback, or what was written last to standard error.
    pub details: Vec<String>,
}

impl Crash {
    /// A crash with a message. If that has several lines, all but the first are details.
    pub fn new(message: &str) -> Crash {
        let mut lines = message.trim().lines();
        let first = cut(lines.next().unwrap_or_default(), MESSAGE);
        let crash = Crash { message: first, ..Crash::default() };
        crash.with(lines.map(str::to_owned))
    }

    /// The same, at a place.
    pub fn at(self, place: impl Into<String>) -> Crash {
        Crash { place: Some(cut(&place.into(), LINE)), ..self }
    }

    /// The same, of a process that ended like this.
    pub fn ended(self, status: impl Into<String>) -> Crash {
        Crash { status: Some(cut(&status.into(), LINE)), ..self }
    }

    /// The same, with more details. Of too many the last ones are kept.
    pub fn with(mut self, lines: impl IntoIterator<Item = String>) -> Crash {
        let lines = lines.into_iter().map(|line| cut(line.trim_end(), LINE));
        self.details.extend(lines);
        let surplus = self.details.len().saturating_sub(LINES);
        self.details.drain(..surplus);
        self
    }

    /// Whether two crashes are probably the same one: at the same place and with the same exit status, and with messages
    /// that differ in values and addresses at most.
    pub fn is_same(&self, other: &Crash) -> bool {
        self.kind() == other.kind()
    }

    /// What crashes have in common that are probably the same one.
    pub fn kind(&self) -> String {
        let parts = [Some(without_values(&self.message)), self.place.clone(), self.status.clone()];
        parts.into_iter().flatten().collect::<Vec<_>>().join("; ")
    }
}

fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

/// A message with `#` for whatever may be another value the next time: numbers, addresses, and texts in quotes. Several in
/// a list are one, since lists may have other lengths.
pub fn without_values(message: &str) -> String {
    let chars: Vec<char> = message.chars().collect();
    let is_word = |i: usize| chars.get(i).is_some_and(|c| c.is_alphanumeric() || *c == '_');
    let mut found = String::new();
    let mut at = 0;
    while let Some(c) = chars.get(at) {
        let alone = at == 0 || !is_word(at - 1);
        let end = match c {
            '\'' | '"' if alone => quoted(&chars, at).filter(|end| !is_word(*end)),
            '-' if alone && chars.get(at + 1).is_some_and(char::is_ascii_digit) => number(&chars, at + 1),
            _ if alone && is_word(at) => number(&chars, at),
            _ => None,
        };
        match end {
            Some(end) => {
                at = end;
                if !found.ends_with("#, ") {
                    found.push('#');
                } else {
                    found.truncate(found.len() - 2);
                }
            }
            None => {
                found.push(*c);
                at += 1;
            }
        }
    }
    found
}

/// The end of a word that begins here, if there is a digit in it.
fn number(chars: &[char], start: usize) -> Option<usize> {
    let is_digit = |i: usize| chars.get(i).is_some_and(char::is_ascii_digit);
    let goes_on = |i: usize| match chars.get(i) {
        Some('.') => is_digit(i - 1) && is_digit(i + 1),
        Some(c) => c.is_alphanumeric() || *c == '_',
        None => false,
    };
    let end = (start + 1..).find(|i| !goes_on(*i))?;
    (start..end).any(is_digit).then_some(end)
}

/// The end of a text in quotes that begins here.
fn quoted(chars: &[char], start: usize) -> Option<usize> {
    let mut at = start + 1;
    while let Some(c) = chars.get(at) {
        match c {
            '\\' => at += 2,
            c if *c == chars[start] => return Some(at + 1),
            _ => at += 1,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_do_not_tell_crashes_apart() {
        for (a, b, same) in [
            ("division by zero", "division by zero", true),
            ("division by zero", "attempt to add with overflow", false),
            ("the len is 3 but the index is 7", "the len is 0 but the index is 12", true),
            ("KeyError: 'a'", "KeyError: 'b c'", true),
            ("KeyError: 'a'", "ValueError: 'a'", false),
            ("can't go from \"a\\\"b\" to 1.5e3", "can't go from \"\" to -7", true),
            ("bad object at 0x7ffd12ab", "bad object at 0x1", true),
            ("no room for [1, 2, 3]", "no room for [-4]", true),
            ("no room for ['a', 'b']", "no room for ['c']", true),
            ("the dog's 'x' is lost", "the dog's 'y' is lost", true),
            ("the dog's tail", "the dog's ear", false),
            ("an unclosed 'quote", "an unclosed 'word", false),
            ("`a` is none", "`b` is none", false),
            ("", "", true),
        ] {
            let (one, other) = (Crash::new(a), Crash::new(b));
            assert_eq!(one.is_same(&other), same, "{a}: {} and {b}: {}", one.kind(), other.kind());
        }
    }

    #[test]
    fn places_and_exit_statuses_do() {
        let crash = || Crash::new("attempt to add with overflow");
        assert!(crash().at("a.rs:1:2").is_same(&crash().at("a.rs:1:2").with(["frame 1".into()])));
        assert!(!crash().at("a.rs:1:2").is_same(&crash().at("a.rs:3:2")));
        assert!(!crash().ended("exit status: 3").is_same(&crash().ended("exit status: 4")));
        assert!(!crash().is_same(&crash().at("a.rs:1:2")));
    }

    #[test]
    fn whatever_is_told_has_bounds() {
        let crash = Crash::new("assertion failed\n  left: 1\n right: 2\n");
        assert_eq!(
            (crash.message.as_str(), crash.details),
            ("assertion failed", vec!["  left: 1".into(), " right: 2".into()])
        );
        let long = Crash::new(&"é".repeat(100_000)).with((0..1000).map(|i| format!("{i} {}", "x".repeat(10_000))));
        assert_eq!(long.message.chars().count(), MESSAGE + 1);
        assert!(long.details.len() == LINES && long.details[LINES - 1].starts_with("999 "), "{:?}", long.details.len());
        assert!(long.details.iter().all(|line| line.chars().count() == LINE + 1));
    }
}
