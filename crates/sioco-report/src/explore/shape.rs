//! What `sioco explore --format json` says, as it is written. `docs/json.md` describes it.

use serde::Serialize;
use serde_json::{Map, Value as Json};
use sioco_plan::value::Named;

/// An exploration.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Exploration"))]
pub(crate) struct ExplorationLine<'a> {
    #[serde(flatten)]
    pub head: HeadLine<'a>,
    /// What was asked for.
    pub options: OptionsLine,
    /// Why it ended.
    pub stop: StopLine,
    /// What was done.
    pub counters: CountersLine,
    /// What became of each switch.
    pub switches: Vec<SwitchLine<'a>>,
    /// Switches that compute a value which is undefined or outside its range.
    pub model_errors: Vec<&'a str>,
    /// Whether the search for these ended early.
    pub model_errors_cut: bool,
    /// How it went, if somebody asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stats: Option<StatisticsLine<'a>>,
    /// Steps that could not be decided.
    pub doubts: Vec<DoubtLine>,
    /// The nodes, parents before children.
    pub nodes: Vec<NodeLine<'a>>,
}

/// What every document has.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Head"))]
pub(crate) struct HeadLine<'a> {
    /// The name of the format.
    pub format: &'static str,
    /// The version of the format.
    pub version: u32,
    /// `exploration` or `path`.
    pub kind: &'static str,
    /// The model.
    pub model: ModelLine<'a>,
}

/// The model.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "ExploredModel"))]
pub(crate) struct ModelLine<'a> {
    /// The name of the system.
    pub name: &'a str,
    /// The file, as it was given.
    pub file: &'a str,
}

/// What was asked for. The number of workers changes nothing.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "ExploreOptions"))]
pub(crate) struct OptionsLine {
    /// `bfs` or `dfs`.
    pub order: &'static str,
    /// `none`, `equal` or `included`.
    pub merge: &'static str,
    /// Whether silence is a step.
    pub delta: bool,
    /// The greatest depth.
    pub depth: Option<usize>,
    /// The greatest number of nodes.
    pub nodes: usize,
    /// How much memory it may take, in bytes.
    pub memory: usize,
    /// Whether it ends when every switch was taken.
    pub until_covered: bool,
    /// How long it may take, in seconds.
    pub time: Option<f64>,
    /// The solver.
    pub solver: String,
}

/// Why it ended.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Stop"))]
pub(crate) struct StopLine {
    /// In a word.
    pub reason: &'static str,
    /// For people.
    pub text: String,
    /// The solver that had not answered a question at that moment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unanswered: Option<String>,
}

/// What was done.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Counters"))]
pub(crate) struct CountersLine {
    /// How many nodes there are.
    pub nodes: usize,
    /// The depth of the deepest.
    pub depth: usize,
    /// Merged nodes that are equal to another.
    pub equal: usize,
    /// Other merged nodes.
    pub included: usize,
    /// Steps whose own question was left open.
    pub doubts: usize,
    /// Nodes that were not expanded.
    pub open: usize,
}

/// What became of a switch.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "SwitchStatus"))]
pub(crate) struct SwitchLine<'a> {
    /// Its name.
    pub name: &'a str,
    /// `taken`, `unknown`, `unreachable` or `not reached`.
    pub status: &'static str,
}

/// A step that could not be decided.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Doubt"))]
pub(crate) struct DoubtLine {
    /// The node that it leads to.
    pub node: String,
    /// Why.
    pub reason: String,
}

/// A node.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "GraphNode"))]
pub(crate) struct NodeLine<'a> {
    /// Its name.
    pub id: String,
    /// Where it was reached from.
    pub parent: Option<String>,
    /// How.
    pub step: Option<StepLine<'a>>,
    /// How many steps lead to it.
    pub depth: usize,
    /// One location for each process.
    pub locations: Vec<String>,
    /// The variables, each with its value as a term.
    pub state: Named<String, String>,
    /// Whether its own step rests on an `unknown`.
    pub doubt: bool,
    /// Whether that or any step before it does.
    pub rests_on_unknown: bool,
    /// The node that it is equal to or included in.
    pub included_in: Option<String>,
    /// Whether all its successors are there.
    pub expanded: bool,
}

/// A step.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "GraphStep"))]
#[serde(untagged)]
pub(crate) enum StepLine<'a> {
    /// A switch.
    Switch {
        /// Its name.
        switch: &'a str,
        /// What is seen of it.
        label: String,
    },
    /// A handshake.
    Handshake {
        /// The switch that sends.
        send: &'a str,
        /// The switch that receives.
        receive: &'a str,
        /// What is seen of it.
        label: String,
    },
    /// Silence.
    Silence {
        /// Always true.
        delta: bool,
        /// Whether it is because internal steps go on for ever.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        diverging: bool,
    },
}

/// How it went.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Statistics"))]
pub(crate) struct StatisticsLine<'a> {
    /// Conditions that were computed.
    pub evaluated: u64,
    /// Conditions that known values refuted.
    pub refuted: u64,
    /// Answers that were known.
    pub remembered: u64,
    /// Questions.
    pub asked: u64,
    /// How many of them each layer answered.
    pub layers: Named<String, LayerLine>,
    /// How many did not get to the back end, in percent.
    pub percent_before_back_end: f64,
    /// The solver.
    pub solver: Option<&'a str>,
    /// Nodes that were compared.
    pub inclusion: InclusionLine,
    /// How long it took.
    pub seconds: f64,
    /// How many nodes that is in a second.
    pub nodes_per_second: f64,
    /// How much memory it took.
    pub bytes: usize,
}

/// What a layer answered.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Layer"))]
pub(crate) struct LayerLine {
    /// Questions that it got.
    pub asked: u64,
    /// It answered that there are values.
    pub sat: u64,
    /// It answered that there are none.
    pub unsat: u64,
    /// It left the answer to the next layer.
    pub passed_on: u64,
}

/// Nodes that were compared.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Inclusion"))]
pub(crate) struct InclusionLine {
    /// Pairs.
    pub compared: u64,
    /// Of these, included.
    pub included: u64,
    /// Of these, those a solver was asked about.
    pub asked: u64,
    /// Of these, those it left open.
    pub unknown: u64,
}

/// A path.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Path"))]
pub(crate) struct PathLine<'a> {
    #[serde(flatten)]
    pub head: HeadLine<'a>,
    /// The node that was asked for.
    pub node: Option<&'a str>,
    /// The names of the steps.
    pub path: &'a [String],
    /// The path condition.
    pub condition: Vec<ConjunctLine<'a>>,
    /// The symbols in it.
    pub symbols: Vec<SymbolLine<'a>>,
    /// The locations at its end.
    pub locations: &'a [String],
    /// The variables at its end.
    pub state: Named<&'a str, &'a str>,
    #[serde(flatten)]
    pub result: ResultLine<'a>,
}

/// Whether a path can be taken.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "PathResult"))]
#[serde(tag = "result", rename_all = "lowercase")]
pub(crate) enum ResultLine<'a> {
    /// It can.
    Reachable {
        /// Values that take it.
        witness: WitnessLine<'a>,
    },
    /// It cannot.
    Impossible {
        /// The step that is impossible, from 1.
        at: usize,
        /// What cannot be true together.
        clash: Vec<ConjunctLine<'a>>,
        /// The model error that the step is for some values.
        model_error: Option<&'a str>,
    },
    /// A solver left it open.
    Unknown {
        /// The first step that could not be decided, from 1.
        at: usize,
        /// Why.
        reason: &'a str,
        /// Which solver was asked.
        asked: &'a str,
    },
}

/// A symbol.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Symbol"))]
pub(crate) struct SymbolLine<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its type.
    #[serde(rename = "type")]
    pub sort: &'a str,
}

/// A part of a path condition.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Conjunct"))]
pub(crate) struct ConjunctLine<'a> {
    /// What has to be true.
    pub text: &'a str,
    /// The step that brings it.
    pub step: usize,
    /// The switch.
    pub switch: Option<&'a str>,
    /// Why it is there, if it does not come from a guard.
    pub why: &'a str,
    /// The file.
    pub file: Option<&'a str>,
    /// The line, from 1.
    pub line: Option<usize>,
    /// The column, from 1.
    pub column: Option<usize>,
    /// The known values of the variables that it reads.
    pub values: Named<&'a str, &'a Json>,
}

/// Values that take a path.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "PathWitness"))]
pub(crate) struct WitnessLine<'a> {
    /// How they were chosen.
    pub choice: &'static str,
    /// The seed, where that was at random.
    pub seed: Option<u64>,
    /// The values of variables that are free at the start.
    pub start: &'a Map<String, Json>,
    /// The steps.
    pub steps: Vec<PathStepLine<'a>>,
    /// The same as lines for `sioco simulate`.
    pub script: &'a [String],
    /// Symbols without a least or greatest value.
    pub unbounded: Vec<UnboundedLine<'a>>,
    /// Whether other values may fit better.
    pub uncertain: bool,
}

/// A step of a path.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "PathStep"))]
pub(crate) struct PathStepLine<'a> {
    /// Its name.
    pub step: &'a str,
    /// The values of its parameters.
    pub values: &'a Map<String, Json>,
}

/// A symbol without a least or greatest value.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Unbounded"))]
pub(crate) struct UnboundedLine<'a> {
    /// Its step; 0 is the start.
    pub step: usize,
    /// Its name.
    pub name: &'a str,
}
