//! What a journal consists of: everything that happened, in order. Verdicts and coverage follow from it.
//!
//! Reporters get the same records while a campaign runs. [`journal`](crate::journal) writes and reads them as lines.

use std::time::Duration;

use serde::Serialize;

use sioco_plan::PurposeId;

use crate::event::GateValue;
use crate::event::Observation;
use crate::reliance::Reliance;
use crate::run_number::RunNumber;
use crate::shrink::Rate;
use crate::sut::{Fault, Order};
use crate::verdict::{Cause, Verdict};

/// What a run is for.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Aim {
    /// A purpose of the plan.
    Purpose(PurposeId),
    /// A walk: after what the plan covers.
    #[default]
    Walk,
    /// A recorded trace is run again.
    Replay,
    /// The shortest form that was found of the failing run with this number. It is no part of the campaign: its verdict
    /// and what it covers are those of that run already.
    Shrunk(RunNumber),
}

/// Why the tester sends an input.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Why {
    /// It leads towards a purpose.
    Purpose(PurposeId),
    /// It leads towards a purpose perhaps: the solver did not decide about the rest of the path, and the values satisfy
    /// the guard alone (S0 lines 12 to 20).
    Guess(PurposeId),
    /// A walk chose it.
    Walk,
    /// The recorded trace has it.
    Replay,
    /// It is a probe of a purpose: nothing is said about it, and what comes from here on is not judged.
    Probe(PurposeId),
}

/// Why a campaign ends.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum End {
    /// Everything was done.
    Done,
    /// As many steps as were wanted.
    Steps,
    /// The time is used up.
    Time,
    /// Somebody interrupted it.
    Interrupted,
    /// A run failed, and that was enough.
    FailFast,
    /// The system or its adapter cannot be used any more.
    Broken,
    /// Nothing ever came from the system.
    Mute,
    /// The model is undefined before the first step of a run.
    Undefined,
    /// There was no memory left.
    Memory,
    /// Nothing could be recorded any more.
    Unrecorded,
}

impl End {
    /// Its name in journals.
    pub fn name(&self) -> &'static str {
        match self {
            End::Done => "done",
            End::Steps => "steps",
            End::Time => "time",
            End::Interrupted => "interrupted",
            End::FailFast => "fail-fast",
            End::Broken => "broken",
            End::Mute => "mute",
            End::Undefined => "undefined",
            End::Memory => "memory",
            End::Unrecorded => "unrecorded",
        }
    }

    /// The end with a name.
    pub fn named(name: &str) -> Option<End> {
        use End::*;
        [Done, Steps, Time, Interrupted, FailFast, Broken, Mute, Undefined, Memory, Unrecorded]
            .into_iter()
            .find(|e| e.name() == name)
    }
}

/// What was overdue when the campaign was ended from outside, by the clock or by somebody: the tester waited for it, and
/// the wait was cut. That nothing came says nothing then.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Waiting {
    /// The system was being started, or brought to its initial state.
    Reset,
    /// An input was neither accepted nor refused for the quiescence time, or half a second.
    Accepted,
    /// Nothing was observed for the quiescence time, where something has to come.
    Observed,
}

impl Waiting {
    /// Its name in journals.
    pub fn name(self) -> &'static str {
        match self {
            Waiting::Reset => "reset",
            Waiting::Accepted => "accepted",
            Waiting::Observed => "observed",
        }
    }

    /// The one with a name.
    pub fn named(name: &str) -> Option<Waiting> {
        [Waiting::Reset, Waiting::Accepted, Waiting::Observed].into_iter().find(|w| w.name() == name)
    }
}

/// A record.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Record {
    /// A run begins: the system was brought to its initial state.
    Run {
        /// Its number, from 1.
        run: RunNumber,
        /// The seed that the system got.
        seed: u64,
        /// What it is for at first.
        aim: Aim,
        /// What the order of events means.
        order: Order,
    },
    /// The tester sends an input.
    Input {
        /// Its number in the run, from 1.
        id: u64,
        /// The input.
        input: GateValue,
        /// Why.
        why: Why,
    },
    /// An input was accepted.
    Accepted {
        /// Which one.
        id: u64,
    },
    /// An input was refused.
    Refused {
        /// Which one.
        id: u64,
        /// Why, in the words of the adapter.
        why: String,
    },
    /// Something was observed. An output right after a delta withdraws that delta.
    Observed(Observation),
    /// Nothing came for the quiescence time, by the clock (T-Q1, T-Q2): a delta, too, unless the system was only slow. With
    /// it, how far it can be relied on (T-Q10).
    TimedOut(Reliance),
    /// The time to think was over before everything was computed, and the tester did something cheaper: that decision of
    /// the clock.
    Hurried,
    /// A purpose got a verdict, perhaps one of several in a run.
    Purpose {
        /// Which one.
        purpose: PurposeId,
        /// The verdict.
        verdict: Verdict,
        /// Why.
        cause: Cause,
        /// Whether there was exactly one hypothesis (S0: counts for conservative a-posteriori coverage).
        alone: bool,
        /// Whether it rests on an `unknown` of a solver.
        doubt: bool,
    },
    /// The run ends.
    Verdict {
        /// The verdict on the whole run.
        verdict: Verdict,
        /// Why.
        cause: Cause,
        /// Inputs, outputs and silences of the run.
        steps: u64,
        /// Whether it rests on an `unknown` of a solver.
        doubt: bool,
    },
    /// The system or its adapter broke down before or between runs.
    Fault(Fault),
    /// After the campaign, a failing run was run again when it was shrunk.
    Again {
        /// Its number, or that of its shortest form.
        run: RunNumber,
        /// How often it failed again.
        rate: Rate,
    },
    /// The campaign ends.
    End {
        /// Why.
        why: End,
        /// Outputs of older runs that were dropped.
        stale: u64,
        /// What was overdue, if the campaign was ended while it was waited for.
        waiting: Option<Waiting>,
    },
}

impl Record {
    /// Whether it is something that happened between tester and system in a run.
    pub fn is_event(&self) -> bool {
        use Record::*;
        matches!(self, Input { .. } | Accepted { .. } | Refused { .. } | Observed(_) | TimedOut(_))
    }
}

/// A record with the time since the campaign began. Time decides nothing that is not in the records.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stamped {
    /// When.
    pub at: Duration,
    /// What.
    pub record: Record,
}
