//! The other lines of `sioco check --format json`.

use serde::Serialize;

/// A problem of a project's file.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Project"))]
pub struct ProjectLine<'a> {
    /// Tells it from other objects: `project`.
    #[serde(rename = "type")]
    #[cfg_attr(feature = "schema", schemars(extend("const" = "project")))]
    pub kind: &'static str,
    /// `error` or `warning`.
    pub severity: &'static str,
    /// What is wrong.
    pub message: &'a str,
}

/// The last line.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "CheckSummary"))]
pub struct CheckSummaryLine {
    /// Tells it from other objects: `summary`.
    #[serde(rename = "type")]
    #[cfg_attr(feature = "schema", schemars(extend("const" = "summary")))]
    pub kind: &'static str,
    /// How many files were checked.
    pub files: usize,
    /// How many errors there are.
    pub errors: usize,
    /// How many warnings there are.
    pub warnings: usize,
    /// How many problems were mended.
    pub fixed: usize,
}
