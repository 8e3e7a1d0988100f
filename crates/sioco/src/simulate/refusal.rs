//! Reasons why a request failed: the request is wrong, the model does not allow it in this state, or the answer is
//! unknown.

use std::fmt;

use sioco_lang::value::ValueError;
use sioco_model::model::Direction;

use super::request::RequestError;

/// Why a request could not be done. It is a sentence or several.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// The line is no request.
    Request(RequestError),
    /// A word is a switch and a request.
    Ambiguous(String),
    /// A variable is set after the first step.
    Late,
    /// There is no such variable that is free at the start.
    NoVariable {
        /// The name.
        name: String,
        /// Those that are.
        free: Vec<String>,
    },
    /// Something is no value of a variable or parameter.
    Value {
        /// The variable or parameter.
        name: String,
        /// What is wrong with it.
        why: ValueError,
    },
    /// There is no such parameter.
    NoParameter {
        /// The name.
        name: String,
        /// Those that there are.
        there: Vec<String>,
    },
    /// There are too many values.
    TooMany {
        /// So many are given,
        given: usize,
        /// for so many parameters.
        wanted: usize,
    },
    /// A parameter has two values.
    Twice(String),
    /// A parameter has no value.
    NeedsValue {
        /// The parameter.
        name: String,
        /// Its type.
        sort: String,
    },
    /// There is no such switch.
    NoSwitch {
        /// The name.
        name: String,
        /// What was probably meant.
        near: Option<String>,
    },
    /// Several processes have a switch of this name.
    SeveralSwitches {
        /// The name.
        name: String,
        /// The whole names.
        same: Vec<String>,
    },
    /// It is a gate, where a switch is wanted.
    IsGate(String),
    /// There is no such gate.
    NoGate {
        /// The name.
        name: String,
        /// What was probably meant.
        near: Option<String>,
    },
    /// A gate goes the other way.
    Direction {
        /// The gate.
        name: String,
        /// The way that it goes.
        is: Direction,
    },
    /// Several partners can shake hands.
    SeveralPartners(Vec<String>),
    /// Several switches do what is asked for.
    SeveralDo(Vec<String>),
    /// There is no option of this number.
    NoOption {
        /// The number.
        option: usize,
        /// So many there are.
        count: usize,
    },
    /// There is no step to take back.
    NothingToUndo,
    /// The operating system does not let the file be written.
    Unwritable {
        /// The file.
        file: String,
        /// What it says.
        why: String,
    },
    /// The model does not allow silence here, since this switch is enabled.
    NoSilence(String),
    /// The model does not allow it here; the reasons, in words.
    NotAllowed(String),
    /// The model is undefined here; how, in words.
    Undefined(String),
    /// No solver knows whether silence is allowed.
    SilenceUnknown {
        /// The switch that it depends on.
        switch: String,
        /// Why not.
        why: String,
    },
    /// No solver knows whether it is allowed.
    Unknown {
        /// The switch or handshake.
        name: String,
        /// Why not.
        why: String,
    },
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Request(why) => why.fmt(f),
            Refusal::Ambiguous(word) => write!(
                f,
                "`{word}` is a switch and a request: write `{word}:` for the switch, `:{word}` for the request"
            ),
            Refusal::Late => {
                f.write_str("values at the start can only be set before the first step; `reset` goes back there")
            }
            Refusal::NoVariable { name, free } => {
                write!(f, "`{name}` is not a variable that is free at the start; ")?;
                match free.is_empty() {
                    true => f.write_str("the model has none"),
                    false => write!(f, "these are: {}", free.join(", ")),
                }
            }
            Refusal::Value { name, why } => write!(f, "`{name}`: {why}"),
            Refusal::NoParameter { name, there } => {
                write!(f, "there is no parameter `{name}`; there are: {}", there.join(", "))
            }
            Refusal::TooMany { given, wanted } => write!(f, "{given} values for {wanted} parameters"),
            Refusal::Twice(name) => write!(f, "`{name}` is given twice"),
            Refusal::NeedsValue { name, sort } => write!(f, "`{name}` needs a value of type `{sort}`"),
            Refusal::NoSwitch { name, near: Some(near) } => {
                write!(f, "there is no switch `{name}`: did you mean `{near}`?")
            }
            Refusal::NoSwitch { name, near: None } => write!(
                f,
                "there is no switch `{name}`; `list all` shows those that leave this state, `help` all requests"
            ),
            Refusal::SeveralSwitches { name, same } => {
                write!(f, "several processes have a switch `{name}`: {}", same.join(", "))
            }
            Refusal::IsGate(name) => {
                write!(f, "`{name}` is a gate: write `{name}(…)`, or the name of a switch")
            }
            Refusal::NoGate { name, near } => {
                write!(f, "there is no gate `{name}`")?;
                near.iter().try_for_each(|near| write!(f, ": did you mean `{near}`?"))
            }
            Refusal::Direction { name, is } => {
                let what = if *is == Direction::Input { "an input" } else { "an output" };
                write!(f, "`{name}` is {what}: write `{}{name}`", is.sigil())
            }
            Refusal::SeveralPartners(names) => write!(f, "there are several partners: {}", names.join(", ")),
            Refusal::SeveralDo(names) => {
                write!(f, "several switches do this; name the one you mean: {}", names.join(", "))
            }
            Refusal::NoOption { option, count } => write!(f, "there is no option {option}; there are {count}"),
            Refusal::NothingToUndo => f.write_str("there is nothing to undo"),
            Refusal::Unwritable { file, why } => write!(f, "cannot write `{file}`: {why}"),
            Refusal::NoSilence(switch) => write!(f, "silence is not allowed here: `{switch}` is enabled"),
            Refusal::NotAllowed(why) | Refusal::Undefined(why) => f.write_str(why),
            Refusal::SilenceUnknown { switch, why } => {
                write!(f, "whether silence is allowed here is unknown, because of `{switch}`: {why}")
            }
            Refusal::Unknown { name, why } => write!(f, "it is unknown whether `{name}` is enabled: {why}"),
        }
    }
}

impl std::error::Error for Refusal {}
