//! Plans as files: JSON with names instead of ids, so that a plan outlives the program and small changes of its model.
//! `docs/plan-file.md` describes the format.

mod document;
mod explain;
mod fingerprint;
mod locate;
mod read;
mod retake;
pub mod shape;
mod wrong;

use std::fmt;

use sioco_model::Model;
use sioco_symbolic::reach::Clash;
use sioco_symbolic::step::Step;

use crate::case::Case;
use crate::plan::Plan;
use crate::purpose::PurposeId;

pub use document::{document, event, line, parameter};
pub use explain::{
    ClashLine, ControlLine, DeterminismLine, InfeasibleLine, OriginLine, ReasonLine, StepLine, parse_reason, reason,
    step,
};
pub use fingerprint::fingerprint;
pub(crate) use fingerprint::gate_text;
pub use read::read;
pub use retake::retake;

/// The name of the format.
pub const FORMAT: &str = "sioco-plan";
/// The version of the format: it grows when a reader of the one before would be misled.
pub const VERSION: u64 = 1;

/// A plan that was read.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// What of the plan fits the model.
    pub plan: Plan,
    /// The values of its purposes.
    pub cases: Vec<Case>,
    /// The numbers (from 0) that its purposes have in the file.
    pub numbers: Vec<PurposeId>,
    /// What does not fit.
    pub misfits: Vec<Misfit>,
    /// Whether the model is the one that the plan was made for.
    pub same: bool,
    /// The name of the model that it was made for.
    pub model: String,
}

/// Why a file is no plan.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FileError {
    /// The line (from 1), if it is about one.
    pub line: Option<usize>,
    /// What is wrong.
    pub what: String,
    /// What to do.
    pub help: String,
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "line {line}: {}", self.what),
            None => write!(f, "{}", self.what),
        }
    }
}

impl std::error::Error for FileError {}

/// A sentence about a file, without its end if that is long: the file may be anybody's, and names in it of any length.
pub fn in_short(mut what: String) -> String {
    /// At most this many characters of what is wrong are repeated in a message: a screen.
    const MOST_CHARACTERS: usize = 2000;
    if let Some((at, _)) = what.char_indices().nth(MOST_CHARACTERS) {
        what.truncate(at);
        what.push('…');
    }
    what
}

/// Something in a plan that does not fit a model. Purposes are numbered from 0, as in the file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Misfit {
    /// The model has no such switch.
    NoSwitch {
        /// The purpose.
        purpose: PurposeId,
        /// The name of the switch.
        name: String,
    },
    /// A step does not leave the location that the purpose is at.
    NotHere {
        /// The purpose.
        purpose: PurposeId,
        /// Which step on the way, from 1.
        at: usize,
        /// Its name.
        step: String,
        /// Where the processes are.
        locations: Vec<String>,
    },
    /// A path cannot be taken.
    Impossible {
        /// The purpose.
        purpose: PurposeId,
        /// The steps to the one that is impossible.
        path: Vec<Step>,
        /// The conditions that clash.
        clash: Vec<Clash>,
    },
    /// A path can be taken, but not with the values that stand in the file.
    Values {
        /// The purpose.
        purpose: PurposeId,
        /// Which step on the way, from 1.
        at: usize,
        /// Its name.
        step: String,
    },
    /// A purpose asks for something about a guard that is another one now.
    Guard {
        /// The purpose; none if it is a goal.
        purpose: Option<PurposeId>,
        /// The switch.
        switch: String,
        /// The condition in its guard.
        was: String,
    },
    /// A purpose asks for something that is not in the purpose that was written any more.
    Written {
        /// The purpose.
        purpose: PurposeId,
        /// The name of the purpose that was written.
        name: String,
        /// The condition.
        was: String,
    },
    /// The parameters of a gate are others.
    Gate {
        /// The gate.
        gate: String,
        /// What they were.
        was: String,
        /// What they are; nothing if there is no such gate.
        is: Option<String>,
    },
    /// A goal is about something that the model does not have.
    NoGoal {
        /// What it is about: `switch`, `location` or `purpose`.
        kind: &'static str,
        /// Its name.
        name: String,
    },
    /// The model has something to cover that the plan does not know.
    NewGoal {
        /// What it is: `switch` or `location`.
        kind: &'static str,
        /// Its name.
        name: String,
    },
}

impl Misfit {
    /// The purpose that is not usable because of it.
    pub fn purpose(&self) -> Option<PurposeId> {
        match self {
            Misfit::NoSwitch { purpose, .. }
            | Misfit::NotHere { purpose, .. }
            | Misfit::Impossible { purpose, .. }
            | Misfit::Values { purpose, .. }
            | Misfit::Written { purpose, .. } => Some(*purpose),
            Misfit::Guard { purpose, .. } => *purpose,
            Misfit::Gate { .. } | Misfit::NoGoal { .. } | Misfit::NewGoal { .. } => None,
        }
    }

    /// What does not fit, in a sentence.
    pub fn describe(&self, model: &Model) -> String {
        match self {
            Misfit::NoSwitch { purpose, name } => {
                format!("purpose {}: the model no longer has a switch `{name}`", purpose.number())
            }
            Misfit::NotHere { purpose, at, step, locations } => {
                let from = locations.join(", ");
                format!("purpose {}: step {at}, `{step}`, no longer leaves `{from}`", purpose.number())
            }
            Misfit::Values { purpose, at, step } => {
                let purpose = purpose.number();
                format!("purpose {purpose}: step {at}, `{step}`, is not possible with the values of the plan")
            }
            Misfit::Impossible { purpose, path, .. } => {
                let (last, before) = path.split_last().map_or((String::new(), &path[..]), |(l, b)| (l.name(model), b));
                let names: Vec<String> = before.iter().map(|s| s.name(model)).collect();
                let after = match names.is_empty() {
                    true => "at the start".to_owned(),
                    false => format!("after `{}`", names.join(" ")),
                };
                format!("purpose {}: step {}, `{last}`, can no longer be taken {after}", purpose.number(), path.len())
            }
            Misfit::Guard { purpose: Some(purpose), switch, was } => {
                format!("purpose {}: the guard of `{switch}` no longer has the condition `{was}`", purpose.number())
            }
            Misfit::Guard { purpose: None, switch, was } => {
                format!("the guard of `{switch}` no longer has the condition `{was}`")
            }
            Misfit::Written { purpose, name, was } => {
                format!(
                    "purpose {}: the written purpose `{name}` no longer has the condition `{was}`",
                    purpose.number()
                )
            }
            Misfit::Gate { gate, was, is: Some(is) } => {
                format!("the gate `{gate}` has other parameters: it was `{was}`, and is now `{is}`")
            }
            Misfit::Gate { gate, was, is: None } => format!(
                "the gate `{was}` is gone: the model no longer has a \
                                                             `{gate}`"
            ),
            Misfit::NoGoal { kind, name } => format!("the model no longer has a {kind} `{name}`"),
            Misfit::NewGoal { kind, name } => format!("the {kind} `{name}` is new: the plan does not cover it"),
        }
    }
}
