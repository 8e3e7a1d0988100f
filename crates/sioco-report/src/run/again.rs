//! Runs that were judged or run again, for programs: what `sioco judge` and `sioco replay` print with `--format json`.

use serde::Serialize;
use sioco_exec::explanation::Explanation;
use sioco_exec::journal::{self, CauseLine};
use sioco_exec::verdict::Cause;
use sioco_exec::{RunNumber, Verdict};

use super::json::{code, explained};
use super::shape::{ExplanationLine, RateLine};
use super::words::cause as in_words;
use crate::analysis::Source;

/// What became of a run.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Found"))]
pub struct FoundLine<'a> {
    /// The verdict.
    pub verdict: Verdict,
    /// The code of the failure.
    pub code: Option<String>,
    /// Why.
    pub cause: CauseLine<'a>,
    /// Why, in words.
    pub message: String,
    /// How many steps were looked at.
    pub steps: u64,
    /// What the model allows instead.
    explanation: Option<ExplanationLine<'a>>,
}

impl<'a> FoundLine<'a> {
    /// Of a run that ended like this.
    pub fn new(
        source: Source<'a>,
        verdict: Verdict,
        cause: &'a Cause,
        steps: u64,
        explanation: Option<&'a Explanation>,
    ) -> Self {
        let model = &source.checked.model;
        FoundLine {
            verdict,
            code: code(cause),
            cause: journal::cause(model, cause),
            message: in_words(model, cause),
            steps,
            explanation: explanation.map(|e| explained(source, e)),
        }
    }
}

/// The verdict on a recorded run.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "JudgedRun"))]
pub struct JudgedLine<'a> {
    /// Tells it from other objects: `verdict`.
    #[serde(rename = "type")]
    #[cfg_attr(feature = "schema", schemars(extend("const" = "verdict")))]
    pub kind: &'static str,
    /// The number of the run.
    pub run: RunNumber,
    /// If it is the shortest form of another run: the number of that one.
    pub shrunk: Option<RunNumber>,
    /// The line of the log with the step that ended it.
    pub line: Option<usize>,
    /// Whether the verdict rests on an open question.
    pub doubt: bool,
    /// What became of it.
    #[serde(flatten)]
    pub found: FoundLine<'a>,
}

/// A recorded run that was run again.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Replay"))]
pub struct ReplayLine<'a> {
    /// Tells it from other objects: `replay`.
    #[serde(rename = "type")]
    #[cfg_attr(feature = "schema", schemars(extend("const" = "replay")))]
    pub kind: &'static str,
    /// What came of it, in a word.
    pub outcome: &'static str,
    /// The exit code.
    pub exit: u8,
    /// The number of the run.
    pub run: RunNumber,
    /// If it is the shortest form of another run: the number of that one.
    pub shrunk: Option<RunNumber>,
    /// How often it failed again when it was recorded.
    pub again: Option<RateLine>,
    /// How often it failed now.
    pub failed: usize,
    /// Each time.
    pub times: Vec<TimeLine<'a>>,
}

/// One time that a run was run again.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Time"))]
pub struct TimeLine<'a> {
    /// What became of it.
    #[serde(flatten)]
    pub found: FoundLine<'a>,
    /// Whether the system did something else than was recorded, which is allowed, too.
    pub deviated: bool,
    /// Where it ended, compared with the recorded run.
    pub point: &'static str,
}
