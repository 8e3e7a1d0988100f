//! Why a test cannot be run: the model, the settings or the journal is wrong.

use std::fmt::Write;

use sioco_campaign::journal::JournalError;
use sioco_campaign::planning::near;
use sioco_plan::PlanError;

/// Why a test cannot be run.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Problem {
    message: Option<String>,
    help: Option<String>,
    /// What is wrong with the model.
    model: String,
}

impl Problem {
    /// Something about the settings.
    pub fn usage(message: impl ToString) -> Problem {
        Problem { message: Some(message.to_string()), ..Problem::default() }
    }

    /// What is wrong with the model was said already.
    pub fn of_model(said: String) -> Problem {
        Problem { model: said, ..Problem::default() }
    }

    /// All of it, on lines.
    pub fn text(&self) -> String {
        let mut text = self.model.clone();
        for (name, said) in [("error", &self.message), ("  help", &self.help)] {
            let _ = said.iter().try_for_each(|said| writeln!(text, "{name}: {said}"));
        }
        text
    }
}

impl From<PlanError> for Problem {
    fn from(error: PlanError) -> Problem {
        let help = near(&error).map(|near| format!("did you mean `--cover purpose:{near}`?"));
        Problem { help, ..Problem::usage(error) }
    }
}

impl From<JournalError> for Problem {
    fn from(error: JournalError) -> Problem {
        Problem { help: Some(error.help().into()), ..Problem::usage(error) }
    }
}
