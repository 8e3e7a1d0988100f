//! Journals as files: writing them line by line.

use std::collections::hash_map::RandomState;
use std::fmt;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::hash::{BuildHasher, Hasher};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use sioco_exec::journal::FORMAT;
use sioco_exec::verdict::Verdict;
use sioco_model::visible;

/// Where journals go by themselves.
pub const FOLDER: &str = ".sioco/runs";
/// How a journal's name ends.
pub const ENDING: &str = "jsonl";

/// A number that nobody can guess, for seeds and names.
pub fn any_number() -> u64 {
    RandomState::new().build_hasher().finish()
}

/// Why a journal cannot be written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum JournalError {
    /// The operating system does not let it.
    Unwritable {
        /// The file or folder.
        path: PathBuf,
        /// What it says.
        why: String,
    },
    /// Another campaign is writing this file.
    Busy(PathBuf),
    /// It would replace something else, or cannot be a journal; in words.
    Unfit(String),
}

impl fmt::Display for JournalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            JournalError::Unwritable { path, why } => write!(f, "cannot write the journal `{}`: {why}", shown(path)),
            JournalError::Busy(path) => write!(f, "another campaign is writing the journal `{}`", shown(path)),
            JournalError::Unfit(why) => f.write_str(why),
        }
    }
}

impl JournalError {
    /// What to do about it.
    pub fn help(&self) -> &'static str {
        match self {
            JournalError::Unwritable { .. } => "choose another place with `--journal FILE`",
            JournalError::Busy(_) => {
                "wait for it, or write to another file; without `--journal`, each campaign has its own"
            }
            JournalError::Unfit(_) => "name a file that does not exist yet, such as `run.jsonl`",
        }
    }
}

impl std::error::Error for JournalError {}

/// A path as people see it.
fn shown(path: &Path) -> String {
    visible::line(&path.display().to_string()).into_owned()
}

/// What the operating system says, without its error number.
fn plain(error: &io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or(&text).to_owned()
}

/// A journal that is being written. Each line is on its way to the disk before the next thing happens.
pub struct Writer {
    file: File,
    /// Where it is, as people name it.
    pub path: PathBuf,
    /// What `sioco replay` calls it.
    pub name: String,
    /// Why nothing more is written.
    pub broken: Option<String>,
}

impl Writer {
    /// A new journal: at this path, or under a new name where journals go.
    pub fn create(path: Option<&Path>) -> Result<Writer, JournalError> {
        match path {
            Some(path) => {
                refuse(path)?;
                let file = take(path)?;
                Ok(Writer { file, path: path.into(), name: path.display().to_string(), broken: None })
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
                            return Ok(Writer { file, path, name, broken: None });
                        }
                        Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                        Err(error) => return Err(cannot(&path, &error)),
                    }
                }
            }
        }
    }

    /// Adds a line, with its line break.
    pub fn add(&mut self, line: &str) {
        // People look at journals with whatever is at hand.
        self.write(&visible::json(line));
    }

    /// Adds a line in which nothing is hidden. It is out of this process before the next thing happens. After trouble,
    /// nothing more is written: a journal has no holes.
    pub(crate) fn write(&mut self, line: &str) {
        if self.broken.is_none() {
            let written = self.file.write_all(line.as_bytes());
            self.broken = written.err().map(|error| plain(&error));
        }
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
            _ if !is_at(&self.file, &self.path) => Some("it was deleted or replaced during the campaign".into()),
            _ => None,
        };
    }

    /// The verdict on the campaign, given whether it could be recorded: what nobody can look at again is no pass.
    pub fn verdict(&self, verdict: Option<Verdict>) -> Option<Verdict> {
        if self.broken.is_some() { verdict.max(Some(Verdict::Error)) } else { verdict }
    }
}

/// Opens the file of a journal for this campaign alone: two of them would write over each other. The lock ends with the
/// file, and so with this program, however that ends.
fn take(path: &Path) -> Result<File, JournalError> {
    let opened = OpenOptions::new().write(true).create(true).truncate(false).open(path);
    let file = opened.map_err(|error| cannot(path, &error))?;
    if !file.metadata().is_ok_and(|about| about.is_file()) {
        return Ok(file);
    }
    // Where files cannot be locked, nothing is better than that.
    if let Err(TryLockError::WouldBlock) = file.try_lock() {
        return Err(JournalError::Busy(path.into()));
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

fn cannot(path: &Path, error: &io::Error) -> JournalError {
    JournalError::Unwritable { path: path.into(), why: plain(error) }
}

/// A slip of the hand must not cost anybody a model.
fn refuse(path: &Path) -> Result<(), JournalError> {
    let why = match path {
        _ if path.as_os_str() == "-" => "a journal is a file; `--format json` prints the same lines".to_owned(),
        _ if path.is_dir() => format!("`{}` is a folder", shown(path)),
        _ if path.is_file() && !is_journal(path) => {
            format!("the file `{}` exists and is not a journal", shown(path))
        }
        _ => return Ok(()),
    };
    Err(JournalError::Unfit(why))
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
