//! What the papers say about their examples, checked on the models in `examples/`. The README of each example lists
//! the statements.

mod accumulator;
mod atm;
mod brp;
mod ceiling_speed_monitor;
mod coffee;
mod prepaid_card;
mod readme;
mod semantics;
mod symbolic;
mod trace_figures;

use sioco_lang::check::{CheckOptions, check_file};
use sioco_lang::source::FsLoader;

use crate::semantics::{World, example};

/// The model of an example, which must be free of problems and warnings.
fn load(path: &str) -> World {
    load_with(path, &[])
}

/// The model of an example with other constants.
fn load_with(path: &str, consts: &[(&str, &str)]) -> World {
    let consts = consts.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
    let checked = check_file(&example(path), &FsLoader, &CheckOptions { consts, system: None });
    assert_eq!(checked.diagnostics, [], "{path}");
    let model = checked.model.expect("a model").model;
    assert_eq!(sioco_model::verify::verify(&model), Vec::<String>::new(), "{path}");
    World::new(model)
}
