//! JSON Schemas of formats, from the types that are written. They describe what this version writes: a newer one may
//! add fields, which `docs/formats.md` says more about.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::Value as Json;

use crate::file::shape::PlanLine;

/// The schema of a type.
pub fn of<T: JsonSchema>(title: &str) -> Json {
    let generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
    let mut schema = generator.into_root_schema_for::<T>();
    schema.insert("title".to_owned(), title.into());
    schema.to_value()
}

/// The schemas of this crate, each with the name of its file.
pub fn all() -> Vec<(&'static str, Json)> {
    vec![("plan", of::<PlanLine<'_>>("A plan file of sioco"))]
}
