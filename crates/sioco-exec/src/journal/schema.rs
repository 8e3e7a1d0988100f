//! The JSON Schema of journals.

use schemars::JsonSchema;
use serde_json::Value as Json;
use sioco_plan::schema::of;

use super::head::HeaderLine;
use super::write::RecordLine;

/// A line of a journal: the header first, then records.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[allow(dead_code, clippy::large_enum_variant)]
enum Line<'a> {
    /// The first line.
    Header(HeaderLine<'a>),
    /// Each other line.
    Record(RecordLine<'a>),
}

/// The schemas of this crate, each with the name of its file.
pub fn all() -> Vec<(&'static str, Json)> {
    vec![("journal", of::<Line<'_>>("A line of a journal of sioco"))]
}

/// No field is required: settings were added in the course of time, and what is missing is as usual.
pub(super) fn any_of_its_fields(schema: &mut schemars::Schema) {
    schema.remove("required");
}
