//! The crash of a program, read from its standard error. If one of the usual forms is found there, it gives the
//! message and the place. Everything else becomes details.

use sioco_exec::Crash;

use crate::group::Ending;

/// The crash of a program that ended like this, and wrote these lines last to standard error.
pub(crate) fn of_program(ending: &Ending, stderr: Vec<String>) -> Crash {
    of_lines(&ending.words, stderr).ended(&ending.words)
}

/// A crash of which is known what was written to standard error at that time; if that says nothing, there is another
/// message.
pub(crate) fn of_lines(otherwise: &str, stderr: Vec<String>) -> Crash {
    let crash = match told(&stderr) {
        Some((message, Some(place))) => Crash::new(&message).at(place),
        Some((message, None)) => Crash::new(&message),
        None => Crash::new(otherwise),
    };
    crash.with(stderr)
}

/// A message, and its place if that is known.
type Told = (String, Option<String>);

/// The last message about a crash in some lines.
fn told(lines: &[String]) -> Option<Told> {
    let at = |i: usize| lines[i..].iter().map(String::as_str).collect::<Vec<_>>();
    (0..lines.len()).rev().find_map(|i| {
        let lines = at(i);
        python(&lines)
            .or_else(|| rust(&lines))
            .or_else(|| go(&lines))
            .or_else(|| stack(&lines))
            .or_else(|| sanitizer(&lines))
    })
}

/// `Traceback (most recent call last):`, places and lines of code, further in, and the exception.
fn python(lines: &[&str]) -> Option<Told> {
    let (first, rest) = lines.split_first()?;
    let is_outer = |line: &&str| !line.starts_with(char::is_whitespace) && !line.is_empty();
    let end = rest
        .iter()
        .position(is_outer)
        .filter(|end| *end > 0 && first.ends_with("Traceback (most recent call last):"))?;
    let place = rest[..end].iter().rev().find_map(|line| {
        let (file, line) = line.trim_start().strip_prefix("File \"")?.split_once("\", line ")?;
        let number: String = line.chars().take_while(char::is_ascii_digit).collect();
        Some(format!("{file}:{number}"))
    });
    Some((rest[end].to_owned(), place))
}

/// `thread 'main' panicked at src/main.rs:4:5:` and the message on the next line.
fn rust(lines: &[&str]) -> Option<Told> {
    let (_, place) = lines.first()?.strip_prefix("thread '")?.split_once(" panicked at ")?;
    let message = lines.get(1).copied().unwrap_or_default();
    Some((message.to_owned(), Some(place.trim_end_matches(':').to_owned())))
}

/// `panic: ` and the message.
fn go(lines: &[&str]) -> Option<Told> {
    let message = lines.first()?.strip_prefix("panic: ")?;
    Some((format!("panic: {message}"), None))
}

/// A message, and below it where it came from, frame by frame: `    at f (a.js:3:11)`.
fn stack(lines: &[&str]) -> Option<Told> {
    let (message, frame) = (lines.first()?, lines.get(1)?);
    let frame = frame.strip_prefix(char::is_whitespace)?.trim_start().strip_prefix("at ")?;
    if message.starts_with(char::is_whitespace) || !message.contains("Error") && !message.contains("xception") {
        return None;
    }
    let message = match message.strip_prefix("Exception in thread \"").and_then(|rest| rest.split_once("\" ")) {
        Some((_, message)) => message,
        None => message,
    };
    let place = frame.rsplit_once('(').and_then(|(_, place)| place.strip_suffix(')')).unwrap_or(frame);
    Some((message.to_owned(), Some(place.to_owned())))
}

/// `==7==ERROR: AddressSanitizer: heap-use-after-free on address 0x7…`
fn sanitizer(lines: &[&str]) -> Option<Told> {
    let (_, message) = lines.first()?.split_once("ERROR: ").filter(|(_, rest)| rest.contains("Sanitizer: "))?;
    Some((message.to_owned(), None))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_forms_are_known() {
        for (text, message, place) in [
            (
                "log\nTraceback (most recent call last):\n  File \"a.py\", line 3, in f\n    g()\n  File \"b.py\", line 7, in g\n    return x[9]\n           ~^^^\nIndexError: list index out of range\n----------",
                "IndexError: list index out of range",
                Some("b.py:7"),
            ),
            (
                "Traceback (most recent call last):\n  File \"a.py\", line 1, in f\nKeyError: 1\n\nDuring handling of the above exception, another exception occurred:\n\nTraceback (most recent call last):\n  File \"a.py\", line 3, in f\nValueError",
                "ValueError",
                Some("a.py:3"),
            ),
            (
                "\nthread 'main' (123) panicked at src/main.rs:4:5:\nattempt to divide by zero\nnote: run with `RUST_BACKTRACE=1`",
                "attempt to divide by zero",
                Some("src/main.rs:4:5"),
            ),
            (
                "panic: runtime error: index out of range [5] with length 3\n\ngoroutine 1 [running]:\nmain.main()\n\t/m/main.go:6 +0x1d\nexit status 2",
                "panic: runtime error: index out of range [5] with length 3",
                None,
            ),
            (
                "/m/a.js:3\n  throw new TypeError('no')\n  ^\n\nTypeError: no\n    at f (/m/a.js:3:9)\n    at Object.<anonymous> (/m/a.js:5:1)\n\nNode.js v22",
                "TypeError: no",
                Some("/m/a.js:3:9"),
            ),
            (
                "Exception in thread \"main\" java.lang.IllegalStateException: no\n\tat a.B.c(B.java:12)\n\tat a.B.main(B.java:3)",
                "java.lang.IllegalStateException: no",
                Some("B.java:12"),
            ),
            (
                "==7==ERROR: AddressSanitizer: heap-use-after-free on address 0x602000 at pc 0x1\nREAD of size 4",
                "AddressSanitizer: heap-use-after-free on address 0x602000 at pc 0x1",
                None,
            ),
            ("oh no\n at all", "exit status: 3", None),
            ("Traceback (most recent call last):", "exit status: 3", None),
            ("Traceback (most recent call last):\nno frames", "exit status: 3", None),
            ("thread 'main' panicked at a.rs:1:1:", "", Some("a.rs:1:1")),
            ("", "exit status: 3", None),
        ] {
            let lines: Vec<String> = text.lines().map(str::to_owned).collect();
            let ending = Ending { words: "exit status: 3".into(), crashed: true };
            let crash = of_program(&ending, lines.clone());
            assert_eq!((crash.message.as_str(), crash.place.as_deref()), (message, place), "{text}");
            assert_eq!((crash.status.as_deref(), crash.details), (Some("exit status: 3"), lines));
        }
    }
}
