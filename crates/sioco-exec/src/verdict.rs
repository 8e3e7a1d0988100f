//! Verdicts, and what they rest on (T-V2 to T-V10; S3 section 4.3, rules 1 to 5).

use serde::Serialize;
use sioco_model::GateId;
use sioco_solve::Reason;

use crate::crash::Crash;
use crate::event::GateValue;
use crate::reliance::Reliance;
use crate::run_number::RunNumber;
use crate::sut::FaultKind;

/// A verdict on a run or a purpose. What is worse is greater: of a whole campaign the worst counts (T-V10).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Everything observed is allowed, and the purpose was surely reached (T-V4; S3 rule 4).
    Pass,
    /// Everything observed is allowed; the purpose was perhaps reached (T-V5; S3 rule 5).
    #[serde(rename = "weak pass")]
    WeakPass,
    /// Everything observed is allowed; the purpose was not reached (T-V6; S3 rule 3).
    Inconclusive,
    /// Not a verdict on the system (T-E3): the tool, the adapter, the solver or the model broke down.
    Error,
    /// The system does not conform (T-V2; S3 rule 2).
    Fail,
}

impl Verdict {
    /// Its name everywhere.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Pass => "pass",
            Verdict::WeakPass => "weak pass",
            Verdict::Inconclusive => "inconclusive",
            Verdict::Error => "error",
            Verdict::Fail => "fail",
        }
    }

    /// The verdict with a name.
    pub fn named(name: &str) -> Option<Verdict> {
        use Verdict::*;
        [Pass, WeakPass, Inconclusive, Error, Fail].into_iter().find(|v| v.name() == name)
    }
}

/// Why a system fails.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Failure {
    /// No hypothesis allows this output.
    Output(GateValue),
    /// No hypothesis allows silence (T-Q4).
    Silence,
    /// The system ended where no hypothesis allows that (T-E1).
    Closed,
    /// The system crashed where no hypothesis allows that.
    Crashed(Crash),
    /// Values that do not fit their gate, or something that is no output at all.
    Malformed {
        /// The gate, if it is one.
        gate: Option<GateId>,
        /// What is wrong with them.
        why: String,
        /// What was received.
        raw: String,
    },
    /// An input was refused that every hypothesis enables, in a suite for which that counts (T-E4; S2 definition 6).
    Refused {
        /// The input.
        input: GateValue,
        /// What the adapter says about it.
        why: String,
    },
}

impl Failure {
    /// In a few words.
    pub fn name(&self) -> &'static str {
        match self {
            Failure::Output(_) => "unexpected output",
            Failure::Silence => "unexpected silence",
            Failure::Closed => "closed",
            Failure::Crashed(_) => "crashed",
            Failure::Malformed { .. } => "malformed",
            Failure::Refused { .. } => "refused",
        }
    }
}

/// Why a purpose is open again.
const WITHDRAWN: &str = "quiescence reached the goal, but then an output came after all";

/// Why a run says nothing definite.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum OpenCause {
    /// What was observed is allowed but leads away from the purpose (T-B8; S3 rule 3).
    Deviation,
    /// An input was overtaken by outputs (T-O6), after which the model does not say what it does.
    Crossed,
    /// The model does not say what happens after this input.
    Unspecified(GateValue),
    /// No hypothesis explains what was observed, but internal steps were not followed to their end (T-V7).
    Cut,
    /// Whether any values lead to the purpose is unknown, and values of the next input alone were not found or lead
    /// nowhere (S0 lines 16 and 22).
    Unknown(Reason),
    /// What was observed is allowed only if the answer to this question is the right one, and no solver answered it.
    Undecided(String),
    /// No values lead to the purpose.
    NoValues,
    /// Nothing can happen any more in the model, though it is not at its end: a deadlock of the model (T-L11).
    Deadlock {
        /// The state, in words.
        state: String,
    },
    /// Another run failed on the way to it, so that it would fail as well (T-B11; S1 section 3.2.4).
    Dropped {
        /// The run that failed.
        run: RunNumber,
    },
    /// Silence by the clock that nothing allows, and that does not count as it is (T-Q10): it came once, or the tester was
    /// held up.
    Silence(Reliance),
    /// The run was stopped: by the budget, or from outside.
    Stopped,
    /// Something else, in words.
    Other(String),
}

impl OpenCause {
    /// Why a purpose is open again that was reached by a silence which was withdrawn (T-Q3).
    pub fn withdrawn() -> OpenCause {
        OpenCause::Other(WITHDRAWN.into())
    }

    /// Whether it is that.
    pub fn is_withdrawn(&self) -> bool {
        matches!(self, OpenCause::Other(why) if why == WITHDRAWN)
    }
}

/// Why a run ends in an error.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Trouble {
    /// Of the adapter or the surroundings of the system.
    Fault {
        /// What kind.
        kind: FaultKind,
        /// What happened.
        message: String,
        /// The last lines of the standard error of the adapter.
        stderr: Vec<String>,
    },
    /// The model is undefined for what happened, in words; with the switch, so that its line can be shown.
    Model {
        /// The switch.
        switch: sioco_model::SwitchId,
        /// What is undefined.
        message: String,
    },
    /// An input was refused, and that says nothing (it may not be specified).
    Refused {
        /// The input.
        input: GateValue,
        /// Why, in the words of the adapter.
        why: String,
    },
}

/// What a verdict rests on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Cause {
    /// Nothing more to say: pass or weak pass.
    Reached,
    /// See [`Failure`].
    Failure(Failure),
    /// See [`OpenCause`].
    Open(OpenCause),
    /// See [`Trouble`].
    Trouble(Trouble),
}

impl Cause {
    /// The verdict of a run that ends like this, if it does not pass.
    pub fn verdict(&self) -> Verdict {
        match self {
            Cause::Reached => Verdict::Pass,
            Cause::Failure(_) => Verdict::Fail,
            Cause::Open(_) => Verdict::Inconclusive,
            Cause::Trouble(_) => Verdict::Error,
        }
    }
}
