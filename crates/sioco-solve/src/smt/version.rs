//! Which version a solver program is, by asking it.

use std::fmt;
use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use super::read::excerpt;
use crate::guard::{self, Guarded};
use crate::timer::Timer;

/// A program has this long to say its version: it is asked before each command that needs a solver, and answers within
/// a tenth of a second.
pub const PATIENCE: Duration = Duration::from_secs(2);
/// At most this many bytes of what it prints are looked at: a version is in the first line, and what prints a whole
/// help text is no solver.
const MAX_PRINTED: u64 = 8192;

/// Why it is not known which version a program is. The program is to blame, or the operating system.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NoVersion {
    /// It cannot be started.
    Start(String),
    /// Its output cannot be read.
    Unreadable,
    /// The operating system gives no thread to read it.
    NoThread(String),
    /// It did not end in time.
    Late(Duration),
    /// It printed something else; the first line.
    Else(String),
    /// It failed, and printed nothing.
    Failed(ExitStatus),
    /// It printed nothing.
    Silent,
}

impl fmt::Display for NoVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoVersion::Start(why) => write!(f, "it cannot be started: {why}"),
            NoVersion::Unreadable => f.write_str("its output cannot be read"),
            NoVersion::NoThread(why) => write!(f, "cannot start a thread for it: {why}"),
            NoVersion::Late(patience) => {
                write!(f, "asked for its version, it did not end within {:.1} s", patience.as_secs_f64())
            }
            NoVersion::Else(line) => write!(f, "it does not say its version; it printed `{line}`"),
            NoVersion::Failed(status) => write!(f, "it ended ({status}) and printed nothing"),
            NoVersion::Silent => f.write_str("it printed nothing"),
        }
    }
}

impl std::error::Error for NoVersion {}

/// The first line with a version in it that the program prints when it is asked for one; otherwise what happened.
/// Whatever the program does, this ends soon after `patience`, and so does the program.
pub fn ask(program: &Path, patience: Duration) -> Result<String, NoVersion> {
    let timer = Timer::within(patience);
    let mut command = Command::new(program);
    command.arg(option_of(program)).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    guard::lead(&mut command);
    let child = command.spawn().map_err(|error| NoVersion::Start(error.to_string()))?;
    let guarded = Some(Guarded::new(child.id()));
    let mut child = Ended(child, guarded);
    let Some(stdout) = child.0.stdout.take() else { return Err(NoVersion::Unreadable) };
    let (printed, output) = channel();
    // Nobody waits for the thread: a grandchild may keep the pipe open.
    let reader = std::thread::Builder::new().name("solver version".into()).spawn(move || {
        let mut bytes = Vec::new();
        // What was read before an error is as good as if it had stopped there.
        let _ = stdout.take(MAX_PRINTED).read_to_end(&mut bytes);
        let _ = printed.send(bytes);
    });
    reader.map_err(|error| NoVersion::NoThread(error.to_string()))?;
    let bytes = match output.recv_timeout(patience) {
        Ok(bytes) => bytes,
        Err(RecvTimeoutError::Timeout) => return Err(NoVersion::Late(patience)),
        Err(RecvTimeoutError::Disconnected) => return Err(NoVersion::Unreadable),
    };
    let text = String::from_utf8_lossy(&bytes);
    let shown = text.lines().map(str::trim).find(|line| !line.is_empty()).map(excerpt);
    if let Some(line) = text.lines().map(str::trim).find(|line| version_in(line).is_some()) {
        return Ok(excerpt(line));
    }
    match (shown, child.status(timer)) {
        (Some(line), _) => Err(NoVersion::Else(line)),
        (None, Some(status)) if !status.success() => Err(NoVersion::Failed(status)),
        (None, _) => Err(NoVersion::Silent),
    }
}

/// `4.8.12` in `Z3 version 4.8.12 - 64 bit`.
pub fn version_in(line: &str) -> Option<&str> {
    let words = line.split(|c: char| c.is_whitespace() || ",;()[]".contains(c));
    let mut words = words.map(|word| word.trim_start_matches('v').trim_end_matches('.'));
    words.find(|word| {
        let mut parts = word.split('.');
        let number = |part: Option<&str>| part.is_some_and(|p| !p.is_empty() && p.bytes().all(|b| b.is_ascii_digit()));
        number(parts.next()) && parts.next().is_some_and(|part| part.starts_with(|c: char| c.is_ascii_digit()))
    })
}

/// Most programs know `--version`.
fn option_of(program: &Path) -> &'static str {
    match program.file_stem().and_then(|stem| stem.to_str()) {
        Some("mathsat") => "-version",
        _ => "--version",
    }
}

/// A child that does not outlive this value.
struct Ended(Child, Option<Guarded>);

impl Ended {
    /// How it ended, if it does in time.
    fn status(&mut self, timer: Timer) -> Option<std::process::ExitStatus> {
        // Whoever was waited for may have lent its number to somebody else.
        self.1 = None;
        loop {
            match self.0.try_wait() {
                Ok(Some(status)) => return Some(status),
                Ok(None) if !timer.is_over() => std::thread::sleep(Duration::from_millis(5)),
                _ => return None,
            }
        }
    }
}

impl Drop for Ended {
    fn drop(&mut self) {
        // If it has ended by itself there is nothing to kill, but it still must be waited for.
        let _ = self.0.kill();
        self.1 = None;
        let _ = self.0.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_told_from_other_words() {
        for (line, version) in [
            ("Z3 version 4.8.12 - 64 bit", Some("4.8.12")),
            ("This is cvc5 version 1.0.5 [git tag 1.0.5]", Some("1.0.5")),
            ("Yices 2.6.4", Some("2.6.4")),
            ("MathSAT5 version 5.6.10 (abc) (Jul  5 2023)", Some("5.6.10")),
            ("v2.7-pre", Some("2.7-pre")),
            ("no version here, 7 . 8", None),
            ("", None),
        ] {
            assert_eq!(version_in(line), version, "{line}");
        }
    }
}
