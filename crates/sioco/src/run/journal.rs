//! Journals as files: finding and reading them.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use sioco_campaign::journal::{ENDING, FOLDER, JournalError};
use sioco_exec::journal::{self, Journal};
use sioco_lang::diagnostic::did_you_mean;
use sioco_lang::source::{read_at_most, read_limited};
use sioco_model::Model;

use crate::exit::Exit;
use crate::failure::{Failure, unreadable};
use crate::files::{MAX_LOG_BYTES, ShownPath};

impl From<JournalError> for Failure {
    fn from(error: JournalError) -> Failure {
        let exit = match error {
            JournalError::Unwritable { .. } => Exit::Infrastructure,
            JournalError::Busy(_) | JournalError::Unfit(_) => Exit::Usage,
        };
        Failure { exit, message: Some(error.to_string()), help: Some(error.help().into()) }
    }
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
        failure.help("give a journal of `sioco test`, or a log; `-` means standard input")
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
