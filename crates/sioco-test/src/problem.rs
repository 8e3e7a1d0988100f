//! Why a test cannot be run: the model, the settings or the journal is wrong.

use std::fmt;

use sioco_campaign::journal::JournalError;
use sioco_campaign::planning::near;
use sioco_plan::PlanError;
use sioco_report::style;

/// Why a test cannot be run. Whoever wrote the model or the test is to blame, or the place for the journal; nothing was
/// found out about the system.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Problem {
    /// The model is wrong, or cannot be read; its diagnostics.
    Model(String),
    /// A setting is wrong.
    Setting {
        /// What is wrong.
        message: String,
        /// What to do about it.
        help: Option<String>,
    },
}

impl Problem {
    /// Something about the settings.
    pub(crate) fn usage(message: impl ToString) -> Problem {
        Problem::Setting { message: message.to_string(), help: None }
    }

    /// All of it, on lines.
    fn text(&self) -> String {
        match self {
            Problem::Model(said) => said.clone(),
            Problem::Setting { message, help } => {
                let help = help.iter().map(|help| format!("  help: {help}\n"));
                format!("error: {message}\n{}", help.collect::<String>())
            }
        }
    }
}

impl fmt::Display for Problem {
    /// Without what would do something to a terminal: the model may be anybody's.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&style::print(&self.text()))
    }
}

impl std::error::Error for Problem {}

impl From<PlanError> for Problem {
    fn from(error: PlanError) -> Problem {
        let help = near(&error).map(|near| format!("did you mean `--cover purpose:{near}`?"));
        Problem::Setting { message: error.to_string(), help }
    }
}

impl From<JournalError> for Problem {
    fn from(error: JournalError) -> Problem {
        Problem::Setting { message: error.to_string(), help: Some(error.help().into()) }
    }
}
