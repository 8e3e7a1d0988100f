//! What `sioco analyze --format json` says, as it is written. `docs/analyses.md` describes it.

use serde::Serialize;
use sioco_plan::value::{Named, Valued};

use crate::diagnostic::{LabelLine, SpanLine};

/// The first object: what was analysed.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Analysis"))]
pub(crate) struct HeadLine<'a> {
    /// Tells it from the objects after it.
    #[serde(rename = "type")]
    #[cfg_attr(feature = "schema", schemars(extend("const" = "analysis")))]
    pub kind: &'static str,
    /// The version of the format.
    pub version: u32,
    /// The file, as it was given.
    pub file: &'a str,
    /// The name of the system.
    pub model: &'a str,
}

/// A finding.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Finding"))]
pub(crate) struct FindingLine<'a> {
    /// Tells it from other objects.
    #[serde(rename = "type")]
    #[cfg_attr(feature = "schema", schemars(extend("const" = "finding")))]
    pub object: &'static str,
    /// What kind of finding it is.
    pub kind: &'static str,
    /// `error`, `warning` or `information`.
    pub severity: &'static str,
    /// Whether it is an error only since somebody wants that.
    pub denied: bool,
    /// How sure it is.
    pub status: &'static str,
    /// Why it is undecided.
    pub reason: Option<String>,
    /// What was found.
    pub message: String,
    #[serde(flatten)]
    pub place: SpanLine<'a>,
    /// The places that it is about.
    pub labels: Vec<LabelLine<'a>>,
    /// What else there is to say.
    pub notes: Vec<String>,
    /// The switches that it is about.
    pub switches: Vec<&'a str>,
    /// The locations that it is about.
    pub locations: Vec<String>,
    /// The gates that it is about.
    pub gates: Vec<&'a str>,
    /// The steps that go on for ever.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cycle: Option<Vec<String>>,
    /// The file that the run was written to, which the command knows.
    pub script: Option<String>,
    /// A run that shows it.
    pub witness: Option<WitnessLine<'a>>,
}

/// A run that shows a finding.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Witness"))]
pub(crate) struct WitnessLine<'a> {
    /// The values of variables that are free at the start.
    pub start: Named<String, Valued<'a>>,
    /// The steps.
    pub steps: Vec<StepLine<'a>>,
    /// The same for `sioco simulate`.
    pub script: Vec<String>,
    /// Where it ends.
    pub state: Option<StateLine<'a>>,
    /// The values of the parameters that the finding is about.
    pub values: Vec<Option<Valued<'a>>>,
}

/// A step of a witness.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "WitnessStep"))]
pub(crate) struct StepLine<'a> {
    /// Its name.
    pub step: String,
    /// The values of its parameters.
    pub args: Vec<Valued<'a>>,
}

/// A state.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "State"))]
pub(crate) struct StateLine<'a> {
    /// One location for each process.
    pub locations: Vec<String>,
    /// The values of the variables.
    pub variables: Named<String, Valued<'a>>,
}

/// What is known about a switch.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Switch"))]
pub(crate) struct SwitchLine<'a> {
    /// Tells it from other objects.
    #[serde(rename = "type")]
    #[cfg_attr(feature = "schema", schemars(extend("const" = "switch")))]
    pub kind: &'static str,
    /// Its name.
    pub switch: &'a str,
    /// `taken`, `never`, `not reached` or `undecided`.
    pub state: &'static str,
    /// How many steps lead to where it is taken.
    pub steps: Option<usize>,
    /// These, if they are not too many.
    pub path: Option<Vec<String>>,
    /// Why it is undecided.
    pub reason: Option<String>,
}

/// The last object.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "AnalysisSummary"))]
pub(crate) struct SummaryLine<'a> {
    /// Tells it from the objects before it.
    #[serde(rename = "type")]
    #[cfg_attr(feature = "schema", schemars(extend("const" = "summary")))]
    pub kind: &'static str,
    /// How many errors were found.
    pub errors: usize,
    /// How many of them only since somebody wants that.
    pub denied: usize,
    /// How many warnings.
    pub warnings: usize,
    /// How much information.
    pub information: usize,
    /// The nodes of the graph.
    pub nodes: usize,
    /// The states among them.
    pub states: usize,
    /// Whether all of it was looked at.
    pub complete: bool,
    /// Why the search ended.
    pub stop: &'static str,
    /// Whether what is observed tells the state.
    pub deterministic: Option<&'static str>,
    /// In how many states the system decides what happens next.
    pub internal_choices: usize,
    /// Whether the tester decides alone.
    pub controllable: Option<&'static str>,
    /// What decides besides.
    pub decided_by: Option<DecidedLine<'a>>,
}

/// A free initial value that decides something.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Decided"))]
pub(crate) struct DecidedLine<'a> {
    /// The variable.
    pub variable: String,
    /// The switch that it decides about.
    pub switch: &'a str,
    /// The way there.
    pub path: Vec<String>,
}
