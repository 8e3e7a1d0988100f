//! Records as lines.
//!
//! A record is written straight into bytes, without a tree in between: a campaign that is played in this process spends
//! much of its time on its journal.

use serde::Serialize;
use sioco_model::Id;
use sioco_model::model::Model;

use super::cause::{CauseLine, cause, of_reliance};
use super::event::{Args, by_name};
use super::head::micros;
use crate::crash::Crash;
use crate::event::Observation;
use crate::record::{Aim, End, Record, Stamped, Waiting, Why};
use crate::run_number::RunNumber;
use crate::sut::{FaultKind, Order};
use crate::verdict::Verdict;

/// The line of a record, with its line break.
pub fn line(model: &Model, stamped: &Stamped) -> String {
    let mut text = Vec::with_capacity(128);
    write(model, stamped, &mut text);
    String::from_utf8(text).unwrap_or_default()
}

/// Adds the line of a record, with its line break. Whoever writes many keeps the bytes, so that they grow only once.
pub fn write(model: &Model, stamped: &Stamped, to: &mut Vec<u8>) {
    put(to, &RecordLine { at: micros(stamped.at), what: what(model, &stamped.record) });
}

/// Adds a line.
pub(super) fn put(to: &mut Vec<u8>, line: &impl Serialize) {
    // Bytes in memory take everything, and no line has a map whose keys are no texts: this cannot go wrong.
    let written = serde_json::to_writer(&mut *to, line);
    debug_assert!(written.is_ok(), "{written:?}");
    to.push(b'\n');
}

/// A record as it is written. People read journals, too, so that time and type are first.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Record"))]
pub(super) struct RecordLine<'a> {
    /// When, in microseconds since the campaign began.
    at: u64,
    #[serde(flatten)]
    what: What<'a>,
}

/// What happened.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
enum What<'a> {
    /// A run begins.
    Run {
        /// Its number, from 1.
        run: RunNumber,
        /// The seed that the system got.
        seed: u64,
        /// What it is for at first.
        aim: AimWord,
        /// What the order of events means.
        order: Order,
    },
    /// The tester sends an input.
    Input {
        /// Its number in the run, from 1.
        id: u64,
        /// Its gate.
        gate: &'a str,
        /// Its values by the names of the parameters.
        args: Args<'a>,
        /// Why it is sent.
        why: WhyWord,
    },
    /// An input was accepted.
    Accepted {
        /// Which.
        id: u64,
    },
    /// An input was refused.
    Refused {
        /// Which.
        id: u64,
        /// Why, in the words of the adapter.
        why: &'a str,
    },
    /// An output was observed.
    Output {
        /// Its gate.
        gate: &'a str,
        /// Its values by the names of the parameters.
        args: Args<'a>,
    },
    /// Silence was observed.
    Quiescent {
        /// Whether it was by the clock.
        #[serde(skip_serializing_if = "is_false")]
        timed: bool,
        /// Whether it came only once.
        #[serde(skip_serializing_if = "is_false")]
        once: bool,
        /// How long the tester was held up, in microseconds.
        #[serde(skip_serializing_if = "Option::is_none")]
        starved: Option<u64>,
    },
    /// The system ended.
    Closed,
    /// The system crashed.
    Crashed {
        /// What happened.
        message: &'a str,
        /// Where in the code of the system.
        #[serde(skip_serializing_if = "Option::is_none")]
        place: Option<&'a str>,
        /// How its process ended.
        #[serde(skip_serializing_if = "Option::is_none")]
        status: Option<&'a str>,
        /// What else is known, line by line.
        #[serde(skip_serializing_if = "<[_]>::is_empty")]
        details: &'a [String],
    },
    /// Something came that is no output of the model.
    Malformed {
        /// The gate, if it is one.
        gate: Option<&'a str>,
        /// What is wrong with it.
        why: &'a str,
        /// What was received.
        raw: &'a str,
    },
    /// The time to think was over, and the tester did something cheaper.
    Hurried,
    /// A purpose got a verdict.
    Purpose {
        /// Which, by its place in the plan.
        purpose: usize,
        /// The verdict.
        verdict: Verdict,
        /// Why.
        cause: CauseLine<'a>,
        /// Whether there was exactly one hypothesis.
        alone: bool,
        /// Whether it rests on an `unknown` of a solver.
        doubt: bool,
    },
    /// The run ends.
    Verdict {
        /// The verdict on the whole run.
        verdict: Verdict,
        /// Why.
        cause: CauseLine<'a>,
        /// Inputs, outputs and silences of the run.
        steps: u64,
        /// Whether it rests on an `unknown` of a solver.
        doubt: bool,
    },
    /// The system or its adapter broke down before or between runs.
    Fault {
        /// Whose fault it is.
        kind: FaultKind,
        /// What happened.
        message: &'a str,
        /// The last lines of the standard error of the adapter.
        stderr: &'a [String],
        /// Whether it will happen again.
        again: bool,
    },
    /// A failing run was run again when it was shrunk.
    Again {
        /// Its number, or that of its shortest form.
        run: RunNumber,
        /// How often it failed again.
        failed: u64,
        /// Of how many runs.
        of: u64,
    },
    /// The campaign ends.
    End {
        /// Why.
        why: End,
        /// Outputs of older runs that were dropped.
        stale: u64,
        /// What was overdue.
        #[serde(skip_serializing_if = "Option::is_none")]
        waiting: Option<Waiting>,
    },
}

/// What a run is for: a word, or an object with a number.
#[derive(Debug, Serialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Aim"))]
enum AimWord {
    /// A purpose of the plan, by its place in it.
    Purpose(usize),
    /// A walk.
    Walk,
    /// A recorded trace is run again.
    Replay,
    /// The shortest form of the failing run with this number.
    Shrunk(RunNumber),
}

/// Why an input is sent: a word, or an object with the place of a purpose.
#[derive(Debug, Serialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Why"))]
enum WhyWord {
    /// It leads towards a purpose.
    Purpose(usize),
    /// It leads towards a purpose perhaps.
    Guess(usize),
    /// A walk chose it.
    Walk,
    /// The recorded trace has it.
    Replay,
    /// It is a probe of a purpose.
    Probe(usize),
}

fn is_false(flag: &bool) -> bool {
    !flag
}

fn what<'a>(model: &'a Model, record: &'a Record) -> What<'a> {
    match record {
        Record::Run { run, seed, aim, order } => What::Run { run: *run, seed: *seed, aim: of_aim(aim), order: *order },
        Record::Input { id, input, why } => {
            let gate = &model.gates[input.gate].name;
            What::Input { id: *id, gate, args: by_name(model, input), why: of_why(why) }
        }
        Record::Accepted { id } => What::Accepted { id: *id },
        Record::Refused { id, why } => What::Refused { id: *id, why },
        Record::Observed(seen) => observed(model, seen),
        Record::TimedOut(reliance) => {
            let (once, starved) = of_reliance(*reliance);
            What::Quiescent { timed: true, once, starved }
        }
        Record::Hurried => What::Hurried,
        Record::Purpose { purpose, verdict, cause: why, alone, doubt } => What::Purpose {
            purpose: purpose.index(),
            verdict: *verdict,
            cause: cause(model, why),
            alone: *alone,
            doubt: *doubt,
        },
        Record::Verdict { verdict, cause: why, steps, doubt } => {
            What::Verdict { verdict: *verdict, cause: cause(model, why), steps: *steps, doubt: *doubt }
        }
        Record::Fault(fault) => {
            What::Fault { kind: fault.kind, message: &fault.message, stderr: &fault.stderr, again: fault.again }
        }
        Record::Again { run, rate } => What::Again { run: *run, failed: rate.failed, of: rate.of },
        Record::End { why, stale, waiting } => What::End { why: why.clone(), stale: *stale, waiting: *waiting },
    }
}

fn observed<'a>(model: &'a Model, seen: &'a Observation) -> What<'a> {
    match seen {
        Observation::Output(output) => {
            What::Output { gate: &model.gates[output.gate].name, args: by_name(model, output) }
        }
        Observation::Delta => What::Quiescent { timed: false, once: false, starved: None },
        Observation::Closed => What::Closed,
        Observation::Crashed(Crash { message, place, status, details }) => {
            What::Crashed { message, place: place.as_deref(), status: status.as_deref(), details }
        }
        Observation::Malformed { gate, why, raw } => {
            What::Malformed { gate: gate.map(|gate| model.gates[gate].name.as_str()), why, raw }
        }
    }
}

fn of_aim(aim: &Aim) -> AimWord {
    match *aim {
        Aim::Purpose(n) => AimWord::Purpose(n.index()),
        Aim::Walk => AimWord::Walk,
        Aim::Replay => AimWord::Replay,
        Aim::Shrunk(run) => AimWord::Shrunk(run),
    }
}

fn of_why(why: &Why) -> WhyWord {
    match *why {
        Why::Purpose(n) => WhyWord::Purpose(n.index()),
        Why::Guess(n) => WhyWord::Guess(n.index()),
        Why::Walk => WhyWord::Walk,
        Why::Replay => WhyWord::Replay,
        Why::Probe(n) => WhyWord::Probe(n.index()),
    }
}
