//! Whether a plan fits a model, for programs: `sioco plan --check --format json`.

use serde::Serialize;
use sioco_model::{Id, Model};
use sioco_plan::file::Misfit;

/// Whether a plan fits a model.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "PlanCheck"))]
pub struct PlanCheckLine {
    /// The name of the format.
    pub format: &'static str,
    /// Its version.
    pub version: u32,
    /// Whether it fits.
    pub fits: bool,
    /// Whether it was made for this very model.
    pub same_model: bool,
    /// The numbers of the purposes that can be used.
    pub usable: Vec<usize>,
    /// What does not fit.
    pub misfits: Vec<MisfitLine>,
}

/// Something that does not fit.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Misfit"))]
pub struct MisfitLine {
    /// The number of the purpose.
    pub purpose: Option<usize>,
    /// What does not fit.
    pub message: String,
}

impl MisfitLine {
    /// What does not fit, as it is written.
    pub fn new(model: &Model, misfit: &Misfit) -> MisfitLine {
        MisfitLine { purpose: misfit.purpose().map(Id::index), message: misfit.describe(model) }
    }
}
