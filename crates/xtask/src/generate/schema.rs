//! JSON Schemas of the formats, from the types that are written.

use serde_json::Value as Json;

#[cfg(test)]
mod checker;
#[cfg(test)]
mod tests;

/// Where they are.
const FOLDER: &str = "docs/schema";

/// Every schema, with the name of its file.
fn schemas() -> Vec<(&'static str, Json)> {
    let crates = [
        sioco_exec::journal::schema::all(),
        sioco_plan::schema::all(),
        sioco_adapter::schema::all(),
        sioco_report::schema::all(),
    ];
    crates.into_iter().flatten().collect()
}

/// The files, each with its place and text.
pub fn files() -> Vec<(String, String)> {
    let text = |schema: Json| format!("{schema:#}\n");
    schemas().into_iter().map(|(name, schema)| (format!("{FOLDER}/{name}.json"), text(schema))).collect()
}
