//! Journals as files: where they are, and writing them line by line.

use std::collections::hash_map::RandomState;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::hash::{BuildHasher, Hasher};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use sioco_exec::journal::{self, FORMAT, Journal};
use sioco_exec::verdict::Verdict;
use sioco_lang::diagnostic::did_you_mean;
use sioco_lang::source::{read_at_most, read_limited};
use sioco_model::{Model, visible};

use crate::exit::Exit;
use crate::failure::{Failure, plain, unreadable};
use crate::files::{MAX_LOG_BYTES, ShownPath};
use crate::model::shell_word;

/// Where journals go by themselves.
pub const FOLDER: &str = ".sioco/runs";
/// How a journal's name ends.
const ENDING: &str = "jsonl";

/// A number that nobody can guess, for seeds and names.
pub fn any_number() -> u64 {
    RandomState::new().build_hasher().finish()
}

/// A journal that is being written. Each line is on its way to the disk before the next thing happens.
pub struct Writer {
    file: File,
    /// Where it is, as people name it.
    pub path: PathBuf,
    /// What `sioco replay` calls it.
    pub name: String,
    /// The system, where `sioco replay` would not start it on the word of a journal alone.
    pub sut: Option<String>,
    /// Why nothing more is written.
    pub broken: Option<String>,
}

impl Writer {
    /// A new journal: at this path, or under a new name where journals go.
    pub fn create(path: Option<&Path>) -> Result<Writer, Failure> {
        match path {
            Some(path) => {
                refuse(path)?;
                let file = take(path)?;
                Ok(Writer { file, path: path.into(), name: path.display().to_string(), sut: None, broken: None })
            }
            None => {
                let folder = Path::new(FOLDER);
                fs::create_dir_all(folder).map_err(|error| cannot(folder, &error))?;
                keep_out_of_git(folder);
                loop {
                    let name = short_name(any_number());
                    let path = folder.join(format!("{name}.{ENDING}"));
                    match OpenOptions::new().write(true).create_new(true).open(&path) {
                        Ok(file) => {
                            // Nobody else knows the name yet, but may before it is over.
                            let _ = file.try_lock();
                            return Ok(Writer { file, path, name, sut: None, broken: None });
                        }
                        Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                        Err(error) => return Err(cannot(&path, &error)),
                    }
                }
            }
        }
    }

    /// Adds a line. After trouble, nothing more is written: a journal has no holes.
    pub fn add(&mut self, line: &str) {
        if self.broken.is_some() {
            return;
        }
        // People look at journals with whatever is at hand.
        let written = self.file.write_all(visible::json(line).as_bytes()).and_then(|()| self.file.flush());
        self.broken = written.err().map(|error| plain(&error));
    }

    /// Sees to it that all of it is on the disk, and still where people look for it. A campaign whose journal is not there
    /// cannot be shown to anybody.
    pub fn finish(&mut self) {
        if self.broken.is_some() {
            return;
        }
        self.broken = match self.file.sync_all() {
            // Devices and pipes keep nothing.
            Err(error) if error.kind() != ErrorKind::InvalidInput => Some(plain(&error)),
            _ if !is_at(&self.file, &self.path) => Some("it was deleted or replaced while it was written".into()),
            _ => None,
        };
    }

    /// The verdict on the campaign, given whether it could be recorded: what nobody can look at again is no pass.
    pub fn verdict(&self, verdict: Option<Verdict>) -> Option<Verdict> {
        if self.broken.is_some() { verdict.max(Some(Verdict::Error)) } else { verdict }
    }

    /// The command that runs the failing run of it again.
    pub fn replay(&self) -> String {
        let sut = self.sut.as_ref().map(|sut| format!(" --sut {}", shell_word(sut)));
        format!("sioco replay {}{}", shell_word(&self.name), sut.unwrap_or_default())
    }
}

/// Opens the file of a journal for this campaign alone: two of them would write over each other. The lock ends with the
/// file, and so with this program, however that ends.
fn take(path: &Path) -> Result<File, Failure> {
    let opened = OpenOptions::new().write(true).create(true).truncate(false).open(path);
    let file = opened.map_err(|error| cannot(path, &error))?;
    if !file.metadata().is_ok_and(|about| about.is_file()) {
        return Ok(file);
    }
    // Where files cannot be locked, nothing is better than that.
    if let Err(TryLockError::WouldBlock) = file.try_lock() {
        let failure = Failure::usage(format!("another campaign is writing the journal `{}`", path.shown()));
        return Err(failure.help("wait for it, or write to another file; without `--journal`, each has one of its own"));
    }
    // What was there before is over only now that nobody writes it.
    file.set_len(0).map_err(|error| cannot(path, &error))?;
    Ok(file)
}

/// Whether a file is still the one at a path.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    matches!((file.metadata(), fs::metadata(path)), (Ok(a), Ok(b)) if (a.dev(), a.ino()) == (b.dev(), b.ino()))
}

/// Whether there is a file at a path.
#[cfg(not(unix))]
fn is_at(_: &File, path: &Path) -> bool {
    path.exists()
}

fn cannot(path: &Path, error: &io::Error) -> Failure {
    let message = Some(format!("cannot write the journal `{}`: {}", path.shown(), plain(error)));
    let failure = Failure { exit: Exit::Infrastructure, message, help: None };
    failure.help("`--journal FILE` writes it somewhere else")
}

/// A slip of the hand must not cost anybody a model.
fn refuse(path: &Path) -> Result<(), Failure> {
    let why = match path {
        _ if path.as_os_str() == "-" => "a journal is a file; `--format json` prints the same lines".to_owned(),
        _ if path.is_dir() => format!("`{}` is a folder", path.shown()),
        _ if path.is_file() && !is_journal(path) => {
            format!("there is a file `{}`, and it is no journal", path.shown())
        }
        _ => return Ok(()),
    };
    Err(Failure::usage(why).help("name a file that is not there yet, such as `run.jsonl`"))
}

fn is_journal(path: &Path) -> bool {
    let start = format!("{{\"format\":\"{FORMAT}\"");
    let mut head = Vec::new();
    let read = File::open(path).and_then(|file| file.take(start.len() as u64).read_to_end(&mut head));
    read.is_ok() && (head.is_empty() || head == start.as_bytes())
}

/// What is only of use on this machine does not belong into a repository.
fn keep_out_of_git(folder: &Path) {
    let Some(above) = folder.parent() else { return };
    let ignore = above.join(".gitignore");
    if !ignore.exists() {
        // It is a courtesy: where it cannot be written, nothing is lost.
        let _ = fs::write(ignore, "*\n");
    }
}

/// Five letters and digits that are not mistaken for each other.
fn short_name(mut number: u64) -> String {
    const LETTERS: &[u8] = b"123456789abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ";
    let letter = |_| {
        let at = number % LETTERS.len() as u64;
        number /= LETTERS.len() as u64;
        char::from(LETTERS[at as usize])
    };
    (0..5).map(letter).collect()
}

/// The file of a journal that somebody names, by its file or by its short name.
pub fn find(name: &str) -> Result<PathBuf, Failure> {
    let path = Path::new(name);
    if path.exists() {
        return Ok(path.into());
    }
    let kept = Path::new(FOLDER).join(format!("{name}.{ENDING}"));
    if kept.is_file() {
        return Ok(kept);
    }
    let names = recent();
    let failure = Failure::usage(format!("there is no journal `{name}`, neither as a file nor in `{FOLDER}`"));
    Err(match (did_you_mean(name, names.iter().map(String::as_str)), names.first()) {
        (Some(near), _) => failure.help(format!("did you mean `{near}`?")),
        (None, Some(last)) => failure.help(format!("the last one is `{last}`")),
        (None, None) => failure.help("`sioco test FILE --sut …` writes journals"),
    })
}

/// The short names of the journals here, the latest first.
fn recent() -> Vec<String> {
    let entries = fs::read_dir(FOLDER).into_iter().flatten().flatten();
    let mut found: Vec<(std::time::SystemTime, String)> = entries
        .filter_map(|entry| {
            let path = entry.path();
            let name = path.file_stem()?.to_str()?.to_owned();
            let is = path.extension().is_some_and(|e| e == ENDING);
            is.then_some((entry.metadata().ok()?.modified().ok()?, name))
        })
        .collect();
    found.sort_by(|a, b| b.cmp(a));
    found.into_iter().map(|(_, name)| name).collect()
}

/// The text of a journal or log; `-` is standard input.
pub fn read_bytes(path: &Path) -> Result<Vec<u8>, Failure> {
    let (name, read) = match path.as_os_str() == "-" {
        true => ("standard input".into(), read_at_most(io::stdin().lock(), MAX_LOG_BYTES)),
        false => (path.shown(), read_limited(path, MAX_LOG_BYTES).map(|(bytes, _)| bytes)),
    };
    read.map_err(|error| {
        let failure = Failure::usage(unreadable(&name, &error));
        failure.help("give a journal of `sioco test`, or a log; `-` is standard input")
    })
}

/// What is wrong with a journal or log, with its place.
pub fn wrong(path: &Path, error: &journal::ReadError) -> Failure {
    let line = error.line.map(|line| format!(":{line}")).unwrap_or_default();
    let name = if path.as_os_str() == "-" { "standard input".into() } else { path.shown() };
    Failure::usage(format!("{name}{line}: {}", error.what)).help(error.help.clone())
}

/// Reads a journal.
pub fn read(path: &Path, text: &str, model: &Model) -> Result<Journal, Failure> {
    journal::read(text, model).map_err(|error| wrong(path, &error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_short_and_many() {
        let names: std::collections::BTreeSet<String> = (0..1000).map(short_name).collect();
        assert_eq!(names.len(), 1000);
        assert!(names.iter().all(|n| n.len() == 5 && n.chars().all(|c| c.is_ascii_alphanumeric())));
    }
}
