//! What was found out about an adapter, for programs. `docs/adapters.md` describes it.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Serialize;

/// What `sioco adapter check --format json` prints. What was not looked at is missing.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AdapterCheck {
    /// Whether the adapter does its part.
    pub ok: bool,
    /// The exit code.
    pub exit: u8,
    /// What was looked at, in order.
    pub checks: Vec<CheckLine>,
    /// What was found out.
    #[serde(flatten)]
    pub facts: Facts,
}

/// One thing that was looked at.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Check"))]
pub struct CheckLine {
    /// How it is: `ok`, `note`, `warn` or `fail`.
    pub status: &'static str,
    /// What was looked at.
    pub check: &'static str,
    /// What was seen.
    pub message: String,
    /// More about it.
    pub details: Vec<String>,
}

/// What was found out about an adapter.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Facts {
    /// Its name: the command or the address.
    pub adapter: String,
    /// What it says of itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hello: Option<HelloLine>,
    /// How its gates differ from those of the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub differences: Option<Vec<String>>,
    /// How long each reset took.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub resets_ms: Vec<f64>,
    /// What the walk came to.
    #[serde(flatten)]
    pub walk: Option<WalkLine>,
    /// How long things took, and what follows.
    #[serde(flatten)]
    pub times: Times,
    /// What it printed besides messages.
    #[serde(flatten)]
    pub printed: Option<Printed>,
}

/// What an adapter says of itself.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "CheckedHello"))]
pub struct HelloLine {
    /// Its name, if it has one.
    pub name: Option<String>,
    /// The version of the protocol.
    pub protocol: u64,
    /// What the order of its messages means.
    pub order: &'static str,
    /// Whether it can reset the system.
    pub reset: bool,
    /// The inputs it takes, if it lists them.
    pub inputs: Option<Vec<String>>,
    /// The outputs it may give, if it lists them.
    pub outputs: Option<Vec<String>>,
    /// The time from its start to its hello.
    pub ms: f64,
}

/// What a walk came to.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "CheckedWalk"))]
pub struct WalkLine {
    /// Inputs, outputs and silences.
    pub steps: u64,
    /// Inputs alone.
    pub inputs: u64,
    /// Outputs that did not fit their gates, as they were received.
    pub malformed: Vec<String>,
    /// Whether something of a run is left over after a reset, if that is known.
    pub left_over: Option<bool>,
}

/// How long things took, and what follows.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Times {
    /// From an input to its acknowledgement.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accepted: Option<SpreadLine>,
    /// From the beginning of a run to its first output.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_outputs: Option<SpreadLine>,
    /// The quiescence time that is suggested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quiescence_ms: Option<u64>,
    /// The same if it is to be enough for late outputs as well.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quiescence_for_all_ms: Option<u64>,
    /// Longer times after single inputs and in single locations.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub quiescence_at_ms: BTreeMap<String, u64>,
    /// Answers, by input and output.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answers: Option<Vec<AnswerLine>>,
}

/// How long something took.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Spread"))]
pub struct SpreadLine {
    /// How often it was measured.
    pub count: usize,
    /// The least.
    pub min_ms: f64,
    /// The middle one.
    pub median_ms: f64,
    /// The greatest.
    pub max_ms: f64,
}

/// Answers to an input by an output.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Answer"))]
pub struct AnswerLine {
    /// The input.
    pub input: String,
    /// The output.
    pub output: String,
    /// How long they took.
    #[serde(flatten)]
    pub spread: SpreadLine,
    /// If they are much later than others: the time to wait for them.
    pub late_quiescence_ms: Option<u64>,
}

/// What was printed besides messages.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Printed {
    /// Lines on standard output that are no messages, the last ones.
    pub logs: Vec<String>,
    /// Lines on standard error, the last ones.
    pub stderr: Vec<String>,
}

/// Milliseconds, to the microsecond.
pub fn milliseconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1_000_000.0).round() / 1000.0
}

/// Whole milliseconds.
pub fn whole_milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
