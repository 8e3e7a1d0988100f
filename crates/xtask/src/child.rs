//! Running other programs.

use std::ffi::OsString;
use std::fmt;
use std::io::{self, Read};
use std::process::{Child, Command, Stdio};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// The cargo that runs this program, so that a chosen toolchain stays chosen.
pub fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo")))
}

/// Why a program gave no answer.
#[derive(Debug)]
pub enum Trouble {
    NotThere,
    TimedOut(Duration),
    Failed(String),
    Io(io::Error),
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Trouble::NotThere => f.write_str("it is not installed"),
            Trouble::TimedOut(limit) => write!(f, "it did not end within {} s", limit.as_secs()),
            Trouble::Failed(message) => f.write_str(message),
            Trouble::Io(error) => error.fmt(f),
        }
    }
}

impl From<io::Error> for Trouble {
    fn from(error: io::Error) -> Trouble {
        if error.kind() == io::ErrorKind::NotFound { Trouble::NotThere } else { Trouble::Io(error) }
    }
}

/// Runs a program to its end or to the limit, whichever comes first, and gives its standard output.
pub fn output(command: &mut Command, limit: Duration) -> Result<String, Trouble> {
    let started = Instant::now();
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    // Read on threads: a full pipe would stop the child, and a limit could not be kept while reading here.
    let (stdout, stderr) = (drain(child.stdout.take()), drain(child.stderr.take()));
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if started.elapsed() > limit {
            end(&mut child)?;
            // The threads are left alone: a grandchild may keep the pipes open.
            return Err(Trouble::TimedOut(limit));
        }
        thread::sleep(Duration::from_millis(20));
    };
    let text = |reader: JoinHandle<Vec<u8>>| {
        let bytes = reader.join().expect("the reading thread does not panic");
        String::from_utf8_lossy(&bytes).into_owned()
    };
    if status.success() {
        return Ok(text(stdout));
    }
    let stderr = text(stderr);
    let last = stderr.lines().rev().find(|line| !line.trim().is_empty());
    Err(Trouble::Failed(last.map_or_else(|| status.to_string(), |line| line.trim().to_owned())))
}

fn end(child: &mut Child) -> io::Result<()> {
    child.kill()?;
    child.wait()?;
    Ok(())
}

fn drain(pipe: Option<impl Read + Send + 'static>) -> JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            // What was read before an error is still worth showing.
            let _ = pipe.read_to_end(&mut bytes);
        }
        bytes
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn gives_the_output() {
        assert!(output(cargo().arg("--version"), LONG).unwrap().starts_with("cargo"));
    }

    #[test]
    fn a_failure_gives_the_last_line() {
        let trouble = output(cargo().arg("no-such-verb"), LONG).unwrap_err();
        assert!(matches!(&trouble, Trouble::Failed(line) if !line.is_empty()), "{trouble:?}");
    }

    #[test]
    fn a_missing_program_is_told_apart() {
        let trouble = output(&mut Command::new("sioco-no-such-program"), LONG).unwrap_err();
        assert!(matches!(trouble, Trouble::NotThere), "{trouble:?}");
    }

    #[cfg(unix)]
    #[test]
    fn the_limit_is_kept() {
        let started = Instant::now();
        let trouble = output(Command::new("sleep").arg("60"), Duration::from_millis(50)).unwrap_err();
        assert!(matches!(trouble, Trouble::TimedOut(_)), "{trouble:?}");
        assert!(started.elapsed() < Duration::from_secs(30));
    }
}
