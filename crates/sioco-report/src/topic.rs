//! Topics that can be explained, for programs: `sioco explain --format json`.

use serde::Serialize;

/// A topic. It has its name under one of `code`, `kind`, `term`, `rule` and `word`, which says what it is.
#[derive(Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Topic"))]
pub struct TopicLine {
    /// A code of a diagnostic or of a failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// A kind of finding.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// A term of the glossary.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub term: Option<String>,
    /// A rule of the theory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// A word of a summary.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub word: Option<String>,
    /// `error` or `warning`, if it is one.
    pub severity: Option<&'static str>,
    /// What it is, in a line.
    pub title: String,
    /// Its page, where one topic was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explanation: Option<String>,
}
