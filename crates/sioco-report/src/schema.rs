//! The JSON Schemas of what commands print.

use schemars::JsonSchema;
use serde_json::Value as Json;
use sioco_plan::schema::of;

use crate::analysis::shape::{FindingLine, HeadLine, SummaryLine, SwitchLine};
use crate::compare::shape::ComparisonLine;
use crate::diagnostic::DiagnosticLine;
use crate::explore::shape::{ExplorationLine, PathLine};
use crate::run::shape as run;

/// A document about a graph.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[allow(dead_code, clippy::large_enum_variant)]
enum Explore<'a> {
    /// An exploration.
    Exploration(ExplorationLine<'a>),
    /// A path.
    Path(PathLine<'a>),
}

/// An object of an analysis.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[allow(dead_code, clippy::large_enum_variant)]
enum Analyze<'a> {
    /// The first one.
    Head(HeadLine<'a>),
    /// A finding.
    Finding(FindingLine<'a>),
    /// A switch.
    Switch(SwitchLine<'a>),
    /// The last one.
    Summary(SummaryLine<'a>),
}

/// A diagnostic on a line of its own.
#[derive(JsonSchema)]
#[allow(dead_code)]
struct Diagnostic<'a> {
    /// Tells it from other objects.
    #[schemars(rename = "type", extend("const" = "diagnostic"))]
    kind: &'static str,
    #[schemars(flatten)]
    line: DiagnosticLine<'a>,
}

/// The schemas of this crate, each with the name of its file.
pub fn all() -> Vec<(&'static str, Json)> {
    vec![
        ("explore", of::<Explore<'_>>("What `sioco explore --format json` prints")),
        ("compare", of::<ComparisonLine<'_>>("What `sioco compare --format json` prints")),
        ("analyze", of::<Analyze<'_>>("A line that `sioco analyze --format json` prints")),
        ("diagnostic", of::<Diagnostic<'_>>("A diagnostic, as `sioco check --format json` prints it")),
        ("test", of::<run::SummaryLine<'_>>("The last line that `sioco test --format json` prints, after the journal")),
    ]
}
