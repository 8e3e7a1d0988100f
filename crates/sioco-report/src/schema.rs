//! The JSON Schemas of what commands print.

use schemars::JsonSchema;
use serde_json::Value as Json;
use sioco_plan::schema::of;

use crate::adapter::AdapterCheck;
use crate::analysis::shape::{FindingLine, HeadLine, SummaryLine, SwitchLine};
use crate::compare::shape::ComparisonLine;
use crate::diagnostic::{CheckSummaryLine, ProjectLine, TypedLine};
use crate::doctor::DoctorLine;
use crate::explore::shape::{ExplorationLine, PathLine};
use crate::plan::PlanCheckLine;
use crate::run::again::{JudgedLine, ReplayLine};
use crate::run::shape as run;
use crate::simulate::{MessageLine, RefusalLine, StateLine, TraceLine};
use crate::topic::TopicLine;

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

/// An object of a simulation.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[allow(dead_code, clippy::large_enum_variant)]
enum Simulate<'a> {
    /// A state.
    State(StateLine<'a>),
    /// The steps so far.
    Trace(TraceLine<'a>),
    /// A text.
    Message(MessageLine<'a>),
    /// A request that was refused.
    Refusal(RefusalLine<'a>),
}

/// An object of `sioco check`.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[allow(dead_code, clippy::large_enum_variant)]
enum Check<'a> {
    /// A diagnostic.
    Diagnostic(TypedLine<'a>),
    /// A problem of a project's file.
    Project(ProjectLine<'a>),
    /// The last one.
    Summary(CheckSummaryLine),
}

/// The schemas of this crate, each with the name of its file.
pub fn all() -> Vec<(&'static str, Json)> {
    vec![
        ("explore", of::<Explore<'_>>("What `sioco explore --format json` prints")),
        ("compare", of::<ComparisonLine<'_>>("What `sioco compare --format json` prints")),
        ("analyze", of::<Analyze<'_>>("A line that `sioco analyze --format json` prints")),
        ("check", of::<Check<'_>>("A line that `sioco check --format json` prints")),
        ("judge", of::<JudgedLine<'_>>("The verdict on a run, as `sioco judge --format json` prints it")),
        ("replay", of::<ReplayLine<'_>>("The last line that `sioco replay --format json` prints")),
        ("plan-check", of::<PlanCheckLine>("What `sioco plan --check --format json` prints")),
        ("simulate", of::<Simulate<'_>>("A line that `sioco simulate --format json` prints")),
        ("doctor", of::<DoctorLine<'_>>("What `sioco doctor --format json` prints")),
        ("explain", of::<TopicLine>("A topic, as `sioco explain --format json` prints it")),
        ("adapter-check", of::<AdapterCheck>("What `sioco adapter check --format json` prints")),
        ("test", of::<run::SummaryLine<'_>>("The last line that `sioco test --format json` prints, after the journal")),
    ]
}
