//! The JSON Schemas of the adapter protocol.

use serde_json::Value as Json;
use sioco_plan::schema::of;

use crate::protocol::{AdapterMessage, TesterMessage};

/// The schemas of this crate, each with the name of its file.
pub fn all() -> Vec<(&'static str, Json)> {
    vec![
        ("protocol-tester", of::<TesterMessage>("A message of sioco to an adapter")),
        ("protocol-adapter", of::<AdapterMessage>("A message of an adapter to sioco")),
    ]
}
