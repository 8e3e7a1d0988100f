//! What `sioco compare --format json` says, as it is written. `docs/json.md` describes it.

use serde::Serialize;
use serde_json::Value as Json;
use sioco_plan::file::shape::EventLine;

/// A comparison.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Comparison"))]
pub(crate) struct ComparisonLine<'a> {
    /// The name of the format.
    pub format: &'static str,
    /// The version of the format.
    pub version: u32,
    /// The specification.
    pub spec: NamedLine<'a>,
    /// The model of the implementation.
    pub implementation: NamedLine<'a>,
    /// What was asked for.
    pub options: OptionsLine,
    /// Whether the implementation model conforms.
    pub conformance: ConformanceLine<'a>,
    /// What both can do together.
    pub composition: CompositionLine<'a>,
    /// The tests that were made.
    pub suite: SuiteLine<'a>,
    /// Switches that compute an undefined value for some inputs.
    pub undefined: Vec<UndefinedLine<'a>>,
    /// What was done.
    pub work: WorkLine,
}

/// A model.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "NamedModel"))]
pub(crate) struct NamedLine<'a> {
    /// The name of the system.
    pub name: &'a str,
    /// The file, as it was given.
    pub file: &'a str,
}

/// What was asked for.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "CompareOptions"))]
pub(crate) struct OptionsLine {
    /// What the tests cover: `transitions`, `inclusion` or `length`.
    pub cover: &'static str,
    /// The greatest length.
    pub length: Option<usize>,
    /// The greatest number of states.
    pub nodes: usize,
    /// How many values stand for all.
    pub uniformity: Option<usize>,
    /// The seed.
    pub seed: u64,
}

/// Whether the implementation model conforms.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Conformance"))]
#[serde(tag = "result", rename_all = "lowercase")]
pub(crate) enum ConformanceLine<'a> {
    /// It does, as far as is known.
    Conforms {
        /// Whether that is proved.
        proved: bool,
        /// The length up to which it is known.
        length: usize,
        /// Why the search ended.
        stop: &'static str,
        /// A trace to where the implementation model has no value for its answer.
        no_value: Option<Vec<ExchangeLine<'a>>>,
    },
    /// A solver left it open.
    Unknown {
        /// The length up to which nothing differs.
        length: usize,
        /// Why.
        reason: String,
    },
    /// It does not.
    Differs {
        /// How many inputs show it.
        inputs: usize,
        /// Whether shorter ones were left open.
        perhaps_longer: bool,
        /// What shows it.
        trace: Vec<ExchangeLine<'a>>,
    },
}

/// An input and its answers.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Exchange"))]
pub(crate) struct ExchangeLine<'a> {
    /// The input; nothing at the start.
    pub input: Option<EventLine<'a>>,
    /// What the implementation model answers; nothing if it does not take the input.
    pub implementation: Option<Vec<EventLine<'a>>>,
    /// Every answer that the specification allows.
    pub spec: Option<Vec<Vec<EventLine<'a>>>>,
    /// Whether there are more.
    pub more: bool,
}

/// What both can do together.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Composition"))]
pub(crate) struct CompositionLine<'a> {
    /// The states.
    pub states: Vec<PairLine>,
    /// The transitions.
    pub transitions: Vec<TransitionLine<'a>>,
    /// The length up to which it is complete.
    pub length: usize,
    /// Why the search ended.
    pub stop: &'static str,
}

/// A state of both.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Pair"))]
pub(crate) struct PairLine {
    /// The locations of the specification; nothing in an error.
    pub spec: Option<Vec<String>>,
    /// The locations of the implementation model; nothing in an error.
    pub implementation: Option<Vec<String>>,
    /// The transition that led there first.
    pub by: Option<usize>,
    /// How many steps lead there.
    pub depth: usize,
}

/// A transition of both.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Transition"))]
pub(crate) struct TransitionLine<'a> {
    /// The state before.
    pub from: usize,
    /// The state after.
    pub to: usize,
    /// The gate of its input.
    pub gate: &'a str,
    /// Who has it: `both`, `spec` or `implementation`.
    pub defined: &'static str,
    /// When it is taken.
    pub condition: &'a [String],
    /// How many tests tell its outputs apart.
    pub dist_deg: Option<usize>,
    /// Why it is only perhaps possible.
    pub doubt: Option<String>,
}

/// The tests that were made.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Suite"))]
#[serde(untagged)]
pub(crate) enum SuiteLine<'a> {
    /// There are tests.
    Made {
        /// Tests of what the specification defines.
        tests: usize,
        /// Tests of what it does not define.
        probes: usize,
        /// Inputs in all.
        inputs: usize,
        /// Transitions without tests since there was no time.
        left: usize,
        /// Transitions whose outputs are too large to have all their tests.
        large: Vec<LargeLine<'a>>,
        /// Transitions for which a solver left more tests open.
        open: Vec<OpenLine>,
        /// The tests, as a plan; `docs/schema/plan.json` describes it.
        plan: Option<&'a Json>,
    },
    /// There are none.
    None {
        /// Outputs that have no degree.
        no_degree: Vec<NoDegreeLine<'a>>,
    },
}

/// An output that is too large.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Large"))]
pub(crate) struct LargeLine<'a> {
    /// The transition.
    pub transition: usize,
    #[serde(flatten)]
    pub output: NoDegreeLine<'a>,
}

/// An output that has no degree.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "NoDegree"))]
pub(crate) struct NoDegreeLine<'a> {
    /// The gate.
    pub gate: &'a str,
    /// The part of its values.
    pub part: &'a str,
    /// Why.
    pub why: &'a str,
}

/// A transition for which a solver left more tests open.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "OpenTransition"))]
pub(crate) struct OpenLine {
    /// The transition.
    pub transition: usize,
    /// Why.
    pub reason: String,
}

/// A switch that computes an undefined value.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Undefined"))]
pub(crate) struct UndefinedLine<'a> {
    /// `spec` or `implementation`.
    pub model: &'static str,
    /// The switch.
    pub switch: &'a str,
}

/// What was done.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Work"))]
pub(crate) struct WorkLine {
    /// To find out about conformance.
    pub conformance: SearchLine,
    /// To compose both.
    pub composition: ComposedLine,
    /// Questions in all.
    pub solver: SolverLine,
}

/// What was done to find out about conformance.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Search"))]
pub(crate) struct SearchLine {
    /// Pairs of states.
    pub pairs: usize,
    /// Inputs with their answers.
    pub steps: usize,
    /// Whether all states of the specification were followed together.
    pub together: bool,
    /// Questions.
    pub solver: SolverLine,
}

/// What was done to compose both.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Composed"))]
pub(crate) struct ComposedLine {
    /// Transitions.
    pub steps: usize,
    /// Questions.
    pub solver: SolverLine,
}

/// Questions.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Questions"))]
pub(crate) struct SolverLine {
    /// How many there were.
    pub asked: u64,
    /// How many of them got to the back end.
    pub back_end: u64,
}
