//! What `sioco test --format json` says in its last line, as it is written. `docs/journal.md` describes it.

use serde::Serialize;
use serde_json::Value as Json;
use sioco_exec::RunNumber;
#[cfg(feature = "schema")]
use sioco_exec::journal::CauseLine;
use sioco_exec::journal::GateLine;
use sioco_exec::record::{End, Waiting};
use sioco_exec::verdict::Verdict;
use sioco_plan::file::shape::PlaceLine;
use sioco_plan::value::{Named, Valued};

/// What a campaign came to.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Summary"))]
pub(crate) struct SummaryLine<'a> {
    /// Tells it from the records before it.
    #[serde(rename = "type")]
    #[cfg_attr(feature = "schema", schemars(extend("const" = "summary")))]
    pub kind: &'static str,
    /// The worst verdict.
    pub verdict: Option<Verdict>,
    /// The exit code of the command.
    pub exit: u8,
    /// Why the campaign ended.
    pub end: &'a End,
    /// What was overdue when it was ended from outside.
    pub waiting: Option<Waiting>,
    /// Runs by verdict.
    pub runs: RunsLine,
    /// Runs that only probed, and have no verdict.
    pub probing: u64,
    /// Runs that did not begin.
    pub unbegun: u64,
    /// Steps of all runs.
    pub steps: u64,
    /// Inputs of all runs.
    pub inputs: u64,
    /// What was covered.
    pub coverage: CoverageLine<'a>,
    /// Goals that no purpose reaches.
    pub unplanned: usize,
    /// Places where planning did not follow internal steps to their end.
    pub cut: usize,
    /// Purposes whose last answers there was no time to look for.
    pub unfinished: usize,
    /// The length that was asked for and was not reached.
    pub length: Option<LengthLine>,
    /// The purposes.
    pub purposes: Vec<PurposeLine<'a>>,
    /// What came of probes.
    pub probes: Vec<ProbeLine<'a>>,
    /// Runs that failed or ended in an error.
    pub bad: Vec<BadLine<'a>>,
    /// Why runs were inconclusive, the most frequent reason first.
    pub open: Vec<OpenLine>,
    /// The gates of the campaign.
    pub gates: Vec<ThresholdLine<'a>>,
    /// Deadlocks of the model that were met.
    pub deadlocks: Vec<DeadlockLine<'a>>,
    /// What a clock decided.
    pub clock: ClockLine,
    /// What the system had to wait for.
    pub pauses: PausesLine,
    /// Silences that an output withdrew.
    pub withdrawn: u64,
    /// Of these, those that could have hidden something.
    pub hidden: u64,
    /// After which gates that was.
    pub late: Vec<LateLine<'a>>,
    /// Outputs of older runs that came during later ones.
    pub stale: u64,
    /// Outputs after the end of their run.
    pub unheard: u64,
    /// Crashes after the end of their run.
    pub unheard_crashes: u64,
    /// What was odd about what the system sent.
    pub odd: &'a [String],
    /// Questions that a solver left open.
    pub unknown: u64,
    /// The seed, where anything is random.
    pub seed: Option<u64>,
    /// How long it took, in microseconds.
    pub time_us: Option<u64>,
    /// How long planning took, in microseconds.
    pub planned_us: Option<u64>,
    /// Where the journal is.
    pub journal: Option<&'a str>,
    /// The command that runs a failing run again.
    pub replay: Option<&'a str>,
}

/// Runs by verdict.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Runs"))]
pub(crate) struct RunsLine {
    /// Passed.
    pub pass: u64,
    /// Passed perhaps.
    #[serde(rename = "weak pass")]
    pub weak_pass: u64,
    /// Said nothing definite.
    pub inconclusive: u64,
    /// Ended in an error.
    pub error: u64,
    /// Failed.
    pub fail: u64,
}

/// What was covered.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Covered"))]
pub(crate) struct CoverageLine<'a> {
    /// How many switches.
    pub switches: ShareLine,
    /// How many locations.
    pub locations: ShareLine,
    /// Each switch.
    pub taken: Vec<TakenLine<'a>>,
    /// Each location.
    pub reached: Vec<ReachedLine>,
}

/// A share.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Share"))]
pub(crate) struct ShareLine {
    /// Whatever happened.
    pub surely: usize,
    /// By one explanation of what happened at least.
    pub possibly: usize,
    /// Of so many.
    pub feasible: usize,
    /// So many are proved to be impossible.
    pub infeasible: usize,
}

/// A switch.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Taken"))]
pub(crate) struct TakenLine<'a> {
    /// Its name.
    pub switch: &'a str,
    /// Whether it was taken: `surely`, `possibly` or `no`.
    pub taken: &'static str,
}

/// A location.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "ReachedLocation"))]
pub(crate) struct ReachedLine {
    /// Its name.
    pub location: String,
    /// Whether it was reached: `surely`, `possibly` or `no`.
    pub reached: &'static str,
}

/// All of a length were asked for, and these are shorter.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Length"))]
pub(crate) struct LengthLine {
    /// The length that was asked for.
    pub asked: usize,
    /// The greatest one of which all were planned.
    pub planned: usize,
    /// What there was too little of.
    pub want: &'static str,
}

/// What became of a purpose.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "PurposeResult"))]
pub(crate) struct PurposeLine<'a> {
    /// Which, by its place in the plan.
    pub purpose: usize,
    /// The switches on its way, where the plan is about ways.
    pub switches: Option<Vec<&'a str>>,
    /// The verdict; nothing if it was not tried.
    pub verdict: Option<Verdict>,
    /// Why.
    #[cfg_attr(feature = "schema", schemars(with = "Option<CauseLine<'static>>"))]
    pub cause: Option<Json>,
    /// Whether there was exactly one hypothesis.
    pub alone: bool,
    /// Whether it rests on an `unknown` of a solver.
    pub doubt: bool,
    /// How often it was attempted.
    pub attempts: u32,
    /// Whether it was reached on another way than planned.
    pub otherwise: bool,
    /// The run that decided.
    pub run: Option<RunNumber>,
}

/// What came of a probe.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Probe"))]
pub(crate) struct ProbeLine<'a> {
    /// The purpose, by its place in the plan.
    pub purpose: usize,
    /// The run.
    pub run: RunNumber,
    /// The inputs, and what came after each.
    pub steps: Vec<ProbeStepLine<'a>>,
}

/// An input of a probe.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "ProbeStep"))]
pub(crate) struct ProbeStepLine<'a> {
    /// The input.
    pub input: String,
    /// What was observed after it.
    pub seen: Vec<String>,
    /// Why it was refused, if it was.
    pub refused: Option<&'a str>,
}

/// A run that failed or ended in an error.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Bad"))]
pub(crate) struct BadLine<'a> {
    /// Its number.
    pub run: RunNumber,
    /// The verdict.
    pub verdict: Verdict,
    /// The code of the failure.
    pub code: Option<String>,
    /// Why.
    #[cfg_attr(feature = "schema", schemars(with = "CauseLine<'static>"))]
    pub cause: Json,
    /// Why, in words.
    pub message: String,
    /// How many steps it had.
    pub steps: u64,
    /// What the model allows instead.
    pub explanation: Option<ExplanationLine<'a>>,
    /// What became of shrinking it.
    pub shrunk: Option<ShrunkLine<'a>>,
}

/// What became of shrinking a run.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Shrunk"))]
pub(crate) struct ShrunkLine<'a> {
    /// How many steps it had.
    pub from: u64,
    /// How many its shortest form has.
    pub to: u64,
    /// How many runs that took.
    pub runs: u64,
    /// How often the run itself failed again.
    pub again: RateLine,
    /// How often the shortest form failed again.
    pub reproduced: Option<RateLine>,
    /// Why shrinking ended.
    pub end: &'static str,
    /// The number of the shortest form in the journal.
    pub run: Option<RunNumber>,
    /// Why the shortest form fails.
    #[cfg_attr(feature = "schema", schemars(with = "Option<CauseLine<'static>>"))]
    pub cause: Option<Json>,
    /// The same in words.
    pub message: Option<String>,
    /// What the model allows instead.
    pub explanation: Option<ExplanationLine<'a>>,
}

/// How often something failed.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Rate"))]
pub struct RateLine {
    /// In so many runs.
    pub failed: u64,
    /// Of so many.
    pub of: u64,
}

/// A reason for inconclusive runs.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Open"))]
pub(crate) struct OpenLine {
    /// How many.
    pub runs: u64,
    /// The reason.
    #[cfg_attr(feature = "schema", schemars(with = "CauseLine<'static>"))]
    pub cause: Json,
    /// The same in words.
    pub message: String,
}

/// A gate of the campaign.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Threshold"))]
pub(crate) struct ThresholdLine<'a> {
    /// As it was given.
    pub gate: &'a str,
    /// The share that was reached.
    pub percent: f64,
    /// Whether that is enough.
    pub met: bool,
}

/// A deadlock of the model.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Deadlock"))]
pub(crate) struct DeadlockLine<'a> {
    /// The state, in words.
    pub state: &'a str,
    /// A run that came there.
    pub run: Option<RunNumber>,
    /// How.
    pub trace: Option<Vec<String>>,
}

/// What a clock decided.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Clock"))]
pub(crate) struct ClockLine {
    /// Planning was ended after so many microseconds.
    pub planning_us: Option<u64>,
    /// Questions to solvers that were ended.
    pub questions: u64,
    /// Pauses that were ended.
    pub pauses: u64,
}

/// What the system had to wait for.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Pauses"))]
pub(crate) struct PausesLine {
    /// The longest pause, in microseconds.
    pub longest_us: u64,
    /// Its run.
    pub run: RunNumber,
    /// Its step.
    pub step: u64,
    /// Pauses in which a solver was asked.
    pub solved: u64,
    /// Pauses that were cut.
    pub hurried: u64,
}

/// Outputs that withdrew a silence.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Late"))]
pub(crate) struct LateLine<'a> {
    /// After this gate; nothing at the beginning of a run.
    pub gate: Option<&'a str>,
    /// So often.
    pub times: u64,
}

/// What the model allows instead of what was observed.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Explanation"))]
pub(crate) struct ExplanationLine<'a> {
    /// How many hypotheses there were.
    pub all: usize,
    /// What any of them allows.
    pub allowed: Vec<AllowedLine<'a>>,
    /// Whether there is more than that.
    pub more: bool,
    /// Some of them.
    pub hypotheses: Vec<HypothesisLine<'a>>,
    /// Which inputs ended hypotheses.
    pub narrowed: Vec<NarrowedLine<'a>>,
}

/// What the system may have been doing.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Hypothesis"))]
pub(crate) struct HypothesisLine<'a> {
    /// The state, in words.
    pub state: &'a str,
    /// Inputs that are on their way.
    pub under_way: Vec<GateLine<'a>>,
    /// What it allows.
    pub allowed: Vec<AllowedLine<'a>>,
    /// Why each output switch does not fit.
    pub switches: Vec<SwitchLine<'a>>,
}

/// Something that is allowed.
#[derive(Debug, Serialize)]
#[serde(untagged)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Allowed"))]
pub(crate) enum AllowedLine<'a> {
    /// An output.
    Output {
        /// Its switch.
        switch: &'a str,
        /// Its gate.
        gate: &'a str,
        /// Values that are allowed.
        args: Named<&'a str, Valued<'a>>,
        /// Whether only these are.
        fixed: bool,
        /// Which other values one parameter may have.
        #[serde(skip_serializing_if = "Option::is_none")]
        within: Option<WithinLine<'a>>,
        /// The least and the greatest value that one parameter may have.
        #[serde(skip_serializing_if = "Option::is_none")]
        ends: Option<EndsLine<'a>>,
    },
    /// A step that is not observed.
    Hidden {
        /// Its switch.
        switch: &'a str,
    },
    /// `quiescent`: silence.
    Silence(&'static str),
}

/// Values that a parameter may have.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Within"))]
pub(crate) struct WithinLine<'a> {
    /// The parameter.
    pub param: &'a str,
    /// From and to, each of them included.
    pub parts: &'a [(i64, i64)],
}

/// The ends of the values that a parameter may have.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Ends"))]
pub(crate) struct EndsLine<'a> {
    /// The parameter.
    pub param: &'a str,
    /// The least value.
    pub least: Valued<'a>,
    /// The greatest value.
    pub greatest: Valued<'a>,
}

/// A switch, and why it does not fit.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Unfit"))]
pub(crate) struct SwitchLine<'a> {
    /// Its name.
    pub switch: &'a str,
    /// Where it is.
    pub place: Option<PlaceLine<'a>>,
    /// Why it does not fit, in words.
    pub why: Vec<String>,
}

/// An input that ended hypotheses.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Narrowed"))]
pub(crate) struct NarrowedLine<'a> {
    /// The input.
    pub input: GateLine<'a>,
    /// Where alone it is enabled, in words.
    pub only: Option<&'a str>,
    /// How many hypotheses went on.
    pub kept: usize,
    /// How many ended.
    pub ended: usize,
}
