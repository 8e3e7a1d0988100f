//! Why a command cannot go on.

use std::path::Path;

use sioco_lang::check::load::load_failure;
use sioco_lang::source::LoadError;

use crate::exit::Exit;
use crate::files::ShownPath;

/// The end of a command that cannot go on, with what the user is told.
#[derive(Clone, Debug)]
pub struct Failure {
    /// How the program ends.
    pub exit: Exit,
    /// What is wrong; `None` if that was said already.
    pub message: Option<String>,
    /// What to do.
    pub help: Option<String>,
}

impl Failure {
    /// Something that the user can mend on the command line or in a file.
    pub fn usage(message: impl Into<String>) -> Self {
        Failure { exit: Exit::Usage, message: Some(message.into()), help: None }
    }

    /// What is wrong was said already.
    pub fn reported(exit: Exit) -> Self {
        Failure { exit, message: None, help: None }
    }

    /// A file that cannot be written.
    pub fn write(path: &Path, error: &std::io::Error) -> Self {
        let failure = Failure::usage(format!("cannot write `{}`: {}", path.shown(), plain(error)));
        failure.help("check that the folder exists and that you may write there")
    }

    /// Says what to do.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// Why a file could not be had, in words.
pub fn unreadable(shown: &str, error: &LoadError) -> String {
    load_failure(shown, error).message
}

/// What the operating system says, without its error number.
pub fn plain(error: &std::io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or(&text).to_owned()
}
