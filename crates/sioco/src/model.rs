//! Reading a model for a command.

use std::fmt;
use std::path::{Path, PathBuf};

use clap::Args;
use sioco_lang::check::load::load_failure;
use sioco_lang::check::{CheckOptions, Checked, CheckedModel, check_file};
use sioco_lang::diagnostic::Severity;
pub use sioco_lang::shell::word as shell_word;
use sioco_lang::source::{FsLoader, LoadError, Loader, SourceMap};

use crate::exit::Exit;
use crate::failure::Failure;
use crate::files::ShownPath;
use crate::output::Output;

/// What can be chosen about a model on the command line.
#[derive(Args, Clone, Debug, Default)]
pub struct Choices {
    /// Gives a constant of the model another value
    #[arg(long = "const", value_name = "NAME=VALUE", value_parser = name_and_value)]
    pub consts: Vec<(String, String)>,

    /// The system to use, if the model declares several
    #[arg(long, value_name = "NAME")]
    pub system: Option<String>,
}

impl Choices {
    /// A command on the same model, for people to repeat.
    pub fn command(&self, verb: &str, file: &Path) -> String {
        let mut command = format!("sioco {verb} {}", shell_word(&file.display().to_string()));
        for (name, value) in &self.consts {
            command.push_str(&format!(" --const {}", shell_word(&format!("{name}={value}"))));
        }
        if let Some(system) = &self.system {
            command.push_str(&format!(" --system {}", shell_word(system)));
        }
        command
    }
}

impl From<&Choices> for CheckOptions {
    fn from(choices: &Choices) -> CheckOptions {
        CheckOptions { consts: choices.consts.clone(), system: choices.system.clone() }
    }
}

/// That a text is no name with a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NoPair;

impl fmt::Display for NoPair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("write a name, `=` and a value, such as `N=5`")
    }
}

impl std::error::Error for NoPair {}

/// `NAME=VALUE`.
pub fn name_and_value(text: &str) -> Result<(String, String), NoPair> {
    match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() && !value.trim().is_empty() => {
            Ok((name.trim().to_owned(), value.trim().to_owned()))
        }
        _ => Err(NoPair),
    }
}

/// The model of a file for commands that need one, with what was checked. Errors are told here; warnings are left to
/// `sioco check`.
pub fn load(path: &Path, choices: &Choices, out: &mut Output) -> Result<(Checked, CheckedModel), Failure> {
    let mut checked = check_file(path, &FsLoader, &choices.into());
    for problem in checked.diagnostics.iter().filter(|d| d.severity() == Severity::Error) {
        out.diagnostic(&checked.sources, problem);
    }
    if let Err(Some(problem)) = checked.require_model() {
        out.diagnostic(&checked.sources, &problem);
    }
    match checked.model.take() {
        Some(model) => Ok((checked, model)),
        None => Err(Failure::reported(Exit::Usage)),
    }
}

/// The text of a file that is not necessarily a model. Trouble is told here.
pub fn read_text(path: &Path, out: &mut Output) -> Option<String> {
    match FsLoader.load(path) {
        Ok(text) => Some(text),
        Err(error) => {
            tell_load_error(&path.shown(), &error, out);
            None
        }
    }
}

/// Says why a text could not be had.
pub fn tell_load_error(name: &str, error: &LoadError, out: &mut Output) {
    out.diagnostic(&SourceMap::default(), &load_failure(name, error));
}

/// Writes a result to the file that was asked for, or to standard output; `-` is standard output as well.
pub fn deliver(text: &str, to: Option<&PathBuf>, out: &mut Output) -> Result<(), Failure> {
    match to {
        Some(path) if path.as_os_str() != "-" => {
            crate::files::write(path, text).map_err(|error| Failure::write(path, &error))?;
            out.say(format_args!("wrote {}", path.shown()));
        }
        _ => out.data(text),
    }
    Ok(())
}
