//! What a plan file consists of, as it is written. `docs/plan-file.md` describes it.

use serde::Serialize;

use super::explain::{ControlLine, DeterminismLine, InfeasibleLine, ReasonLine, StepLine};
use crate::value::{Named, Valued};

/// A plan.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Plan"))]
pub struct PlanLine<'a> {
    /// The name of the format.
    pub format: &'static str,
    /// The version of the format.
    pub version: u64,
    /// The model that it was made for.
    pub model: ModelLine<'a>,
    /// What it covers, as `--cover` writes it.
    pub cover: String,
    /// The settings that it was made with.
    pub options: OptionsLine,
    /// The goals of the cover, and what became of them.
    pub goals: Vec<GoalLine<'a>>,
    /// The purposes, the longest first.
    pub purposes: Vec<PurposeLine<'a>>,
    /// How much is covered; nothing where there is nothing to count.
    pub coverage: Option<CoverageLine>,
    /// The length up to which all paths or traces are there, where the cover is about lengths.
    pub length: Option<usize>,
    /// Whether a run can be inconclusive; nothing if nobody asked.
    pub steering: Option<SteeringLine<'a>>,
    /// Why the search ended.
    pub stop: &'static str,
    /// What was done.
    pub counts: CountsLine,
}

/// What is known about a model without reading it.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Model"))]
pub struct ModelLine<'a> {
    /// The name of the system.
    pub name: &'a str,
    /// The file, as it was given, if the plan was made for a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<&'a str>,
    /// What tells models apart, in hexadecimal.
    pub fingerprint: String,
    /// The gates, each as it is declared.
    pub gates: Named<&'a str, String>,
}

/// Settings of the planning.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Options"))]
pub struct OptionsLine {
    /// Whether purposes stop right after a last input.
    pub strict: bool,
    /// Whether the atoms of guards on the way are goals of their own.
    pub data: bool,
    /// Whether purposes with several accepts are split.
    pub split: bool,
    /// Whether silence in the middle of a path is a step.
    pub silence: bool,
    /// The greatest number of steps on a path.
    pub depth: Option<usize>,
    /// The greatest number of nodes.
    pub nodes: usize,
    /// How many steps a random walk has.
    pub walk: usize,
    /// The seed of random walks.
    pub seed: u64,
}

/// A goal, and what became of it.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Goal"))]
pub struct GoalLine<'a> {
    /// What it is about.
    #[serde(flatten)]
    pub goal: WhichLine<'a>,
    /// What became of it.
    #[serde(flatten)]
    pub state: StateLine<'a>,
    /// Where that is in a file, if the plan was made for one; `null` if it has no place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<Option<PlaceLine<'a>>>,
}

/// A place in a file.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Place"))]
pub struct PlaceLine<'a> {
    /// The file.
    pub file: &'a str,
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1.
    pub column: usize,
}

/// What a goal is about.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum WhichLine<'a> {
    /// A switch.
    Switch(&'a str),
    /// A location.
    Location(String),
    /// A side of a condition in a guard.
    Atom(AtomLine<'a>),
    /// A class of values.
    Class(&'a str),
    /// A transition of a composition.
    Transition(&'a str),
    /// A purpose that was written.
    Written(&'a str),
}

/// A side of a condition in a guard.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Atom"))]
pub struct AtomLine<'a> {
    /// The switch whose guard it is in.
    pub switch: &'a str,
    /// Which condition, from 0.
    pub number: usize,
    /// The condition as it is written.
    pub text: String,
    /// The side.
    pub side: &'static str,
}

/// What became of a goal.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "state")]
pub enum StateLine<'a> {
    /// Purposes reach it.
    #[serde(rename = "covered")]
    Covered {
        /// These, by their places in the plan.
        by: Vec<usize>,
        /// Whether all of them only perhaps.
        perhaps: bool,
    },
    /// It is proved that nothing reaches it.
    #[serde(rename = "infeasible")]
    Infeasible {
        /// Why not.
        why: InfeasibleLine<'a>,
    },
    /// Nothing reaches it as far as was looked.
    #[serde(rename = "not reached")]
    NotReached {
        /// Why the search ended.
        stop: &'static str,
    },
    /// It was not found out.
    #[serde(rename = "unknown")]
    Unknown {
        /// Why not.
        reason: ReasonLine<'a>,
    },
}

/// A purpose.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Purpose"))]
pub struct PurposeLine<'a> {
    /// The goals that it is there for, by their places in the plan.
    pub goals: &'a [usize],
    /// How many steps it has.
    pub length: usize,
    /// Its nodes, parents before children. Node 0 is the initial state.
    pub nodes: Vec<NodeLine<'a>>,
    /// The values of variables that are free at the start.
    pub start: Named<String, Valued<'a>>,
    /// Why there are no values for all of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unknown: Option<ReasonLine<'a>>,
    /// Inputs at the end about which nothing is said.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub probe: Vec<EventLine<'a>>,
}

/// An input with its values.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Event"))]
pub struct EventLine<'a> {
    /// The gate.
    pub gate: &'a str,
    /// The values by the names of the parameters.
    pub args: Named<&'a str, Valued<'a>>,
}

/// A node of a purpose. What is false, empty or nothing is left out: plans have many nodes.
#[derive(Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Node"))]
pub struct NodeLine<'a> {
    /// How it is reached; nothing for the initial state.
    #[serde(flatten)]
    pub leg: Option<LegLine<'a>>,
    /// Whether the purpose is reached here.
    #[serde(skip_serializing_if = "is_false")]
    pub accept: bool,
    /// What else may be observed here.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<OtherLine<'a>>,
    /// Whether there are more of these.
    #[serde(skip_serializing_if = "is_false")]
    pub cut: bool,
}

/// How a node is reached.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Leg"))]
pub struct LegLine<'a> {
    /// The node before it.
    pub parent: Option<usize>,
    /// The step.
    pub step: StepLine<'a>,
    /// What is seen of it from outside.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The parameters whose values the system chooses.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub chosen: Vec<String>,
    /// What the purpose wants of the step.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub wants: Vec<WantLine<'a>>,
    /// Whether it is one of several answers.
    #[serde(skip_serializing_if = "is_false")]
    pub answer: bool,
    /// Whether its values do not go with those of the nodes beside it.
    #[serde(skip_serializing_if = "is_false")]
    pub apart: bool,
    /// Whether it needs other values at the start.
    #[serde(skip_serializing_if = "is_false")]
    pub another_start: bool,
    /// Whether it needs other outputs before it.
    #[serde(skip_serializing_if = "is_false")]
    pub other_outputs: bool,
    /// Why the step is only perhaps possible.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub doubt: Option<ReasonLine<'a>>,
    /// The values of its parameters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub args: Option<Named<String, Valued<'a>>>,
}

/// Something else that may be observed.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Other"))]
pub struct OtherLine<'a> {
    /// The step.
    pub step: StepLine<'a>,
    /// Whether it is only perhaps possible.
    pub perhaps: bool,
    /// What is seen of it from outside.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Whether it needs other values at the start.
    #[serde(skip_serializing_if = "is_false")]
    pub another_start: bool,
}

/// What a purpose wants of a step.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Want"))]
#[serde(rename_all = "lowercase")]
pub enum WantLine<'a> {
    /// These values, and no others.
    Values(Named<String, Valued<'a>>),
    /// A condition of the guard on a side.
    Atom(AtomLine<'a>),
    /// What a written purpose asks for.
    Written(WrittenLine<'a>),
}

/// A condition of a written purpose.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Written"))]
pub struct WrittenLine<'a> {
    /// The written purpose.
    pub purpose: &'a str,
    /// The condition as it is written.
    pub condition: Option<String>,
    /// Which condition of the purpose, from 0.
    pub number: Option<usize>,
    /// Where the values of its slots come from: the slot, the step and the argument.
    pub slots: &'a [(u32, usize, usize)],
    /// Whether it must be false.
    pub negated: bool,
    /// Whether it is about the values after the step.
    pub after: bool,
}

/// How much is covered.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Coverage"))]
pub struct CoverageLine {
    /// Goals that a purpose reaches.
    pub covered: usize,
    /// Of these, how many only perhaps.
    pub perhaps: usize,
    /// Goals that count.
    pub feasible: usize,
    /// Goals that nothing reaches.
    pub infeasible: usize,
    /// Goals that were not reached as far as was looked.
    pub not_reached: usize,
    /// Goals about which a solver left the question open.
    pub unknown: usize,
    /// Covered goals of those that count; nothing if none do.
    pub percent: Option<f64>,
}

/// Whether a run can be inconclusive.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Steering"))]
pub struct SteeringLine<'a> {
    /// Whether it is proved that none can.
    pub certain: bool,
    /// Whether what was observed always tells the state.
    pub deterministic: DeterminismLine<'a>,
    /// Whether free initial values decide anything.
    pub controllable: ControlLine<'a>,
    /// In how many states the system decides by itself what happens next.
    pub choices: usize,
    /// Two steps between which it decides.
    pub choice: Option<[StepLine<'a>; 2]>,
    /// The switches whose values the system chooses.
    pub values: Vec<&'a str>,
    /// Whether all states were looked at.
    pub complete: bool,
}

/// What was done to get the plan.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Counts"))]
pub struct CountsLine {
    /// The nodes of the graph or tree that was built.
    pub nodes: usize,
    /// The steps that were asked about.
    pub candidates: usize,
    /// How many of these are impossible.
    pub impossible: usize,
    /// Places where internal steps went on longer than was followed.
    pub cut: usize,
    /// Purposes that end right after a last stimulus.
    pub unfinished: usize,
}

fn is_false(flag: &bool) -> bool {
    !flag
}
