//! A simulation, for programs: `sioco simulate --format json`.

use serde::Serialize;
use sioco_plan::value::{Named, Valued};

/// A state, and what can be done there.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "State"))]
pub struct StateLine<'a> {
    /// The step that led here.
    pub step: Option<&'a str>,
    /// The location of each process.
    pub locations: Vec<String>,
    /// The values of the variables.
    pub variables: Named<String, Valued<'a>>,
    /// What can be done.
    pub options: Vec<OptionLine<'a>>,
    /// Whether quiescence is allowed: `allowed`, `not allowed` or `unknown`.
    pub delta: &'static str,
    /// Why that is not known.
    pub delta_unknown: Option<&'a str>,
}

/// A step that can be taken, or perhaps.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Option"))]
pub struct OptionLine<'a> {
    /// The switch.
    pub switch: String,
    /// Its label.
    pub label: String,
    /// Values for which it can be taken.
    pub example: Option<Named<&'a str, Valued<'a>>>,
    /// Whether there are others.
    pub open: bool,
    /// Why the example is not what was asked for.
    pub without: Option<&'static str>,
    /// What is wrong with where it leads.
    pub leads_to: Option<String>,
    /// Why it is not known whether it can be taken.
    pub unknown: Option<&'a str>,
    /// What is undefined.
    pub problem: Option<String>,
    /// Where it leads.
    pub target: String,
}

/// The steps so far.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Trace"))]
pub struct TraceLine<'a> {
    /// Each as it can be asked for.
    pub trace: &'a [String],
}

/// A text.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Message"))]
pub struct MessageLine<'a> {
    /// The text.
    pub message: &'a str,
}

/// A request that was refused.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Refusal"))]
pub struct RefusalLine<'a> {
    /// The request.
    pub request: &'a str,
    /// Why.
    pub error: &'a str,
}
