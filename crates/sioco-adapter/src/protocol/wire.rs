//! Messages as they are written: a field is left out if its value is unknown, or the usual one.

use serde::{Serialize, Serializer};
use serde_json::Value as Json;
use sioco_exec::Crash;

/// A message as a line, without its end. Its type is first, as people read it.
pub(super) fn line(message: &impl Serialize) -> String {
    // No message has a map whose keys are no texts: this cannot go wrong.
    serde_json::to_string(message).unwrap_or_default()
}

/// Whether there are no values to write.
pub(super) fn is_nothing(args: &Option<Json>) -> bool {
    args.as_ref().is_none_or(Json::is_null)
}

/// Whether an adapter can bring the system back to its initial state, as usual.
pub(super) fn is_usual(reset: &bool) -> bool {
    *reset
}

/// A crash as it is written.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Crash"))]
pub(super) struct CrashLine<'a> {
    /// What happened.
    message: &'a str,
    /// Where in the code of the system.
    #[serde(skip_serializing_if = "Option::is_none")]
    place: Option<&'a str>,
    /// How its process ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<&'a str>,
    /// What else is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    details: Option<Details<'a>>,
}

/// Details of a crash.
#[derive(Debug, Serialize)]
#[serde(untagged)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
enum Details<'a> {
    /// A text of several lines.
    Text(String),
    /// Its lines, where a text would lose some.
    Lines(&'a [String]),
}

/// Writes a crash among the fields of its message.
pub(super) fn crash<S: Serializer>(crash: &Crash, to: S) -> Result<S::Ok, S::Error> {
    let Crash { message, place, status, details } = crash;
    // A text where its lines are these, which an empty one at the end would not be.
    let text = details.join("\n");
    let details = match text.lines().eq(details) {
        true => (!details.is_empty()).then_some(Details::Text(text)),
        false => Some(Details::Lines(details)),
    };
    CrashLine { message, place: place.as_deref(), status: status.as_deref(), details }.serialize(to)
}
