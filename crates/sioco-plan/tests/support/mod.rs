//! Models and plans for tests.
#![allow(dead_code)]

use std::path::{Path as FilePath, PathBuf};

use sioco_lang::check::{check_file, check_text};
use sioco_lang::source::FsLoader;
use sioco_model::Model;
use sioco_plan::walker::Walker;
use sioco_plan::{Plan, Purpose};
use sioco_solve::back_end::BackEnd;
use sioco_solve::values::{Bounds, Choice};
use sioco_symbolic::path::Path;

/// The built-in layers alone.
pub fn builtin() -> Box<dyn Bounds> {
    Box::new(BackEnd::BuiltIn.chain())
}

/// With Z3 behind them.
pub fn z3() -> Box<dyn Bounds> {
    Box::new(BackEnd::Z3.chain())
}

/// Whether there is a Z3.
pub fn has_z3() -> bool {
    BackEnd::Z3.open().is_ok()
}

/// The folder of the examples.
pub fn examples() -> PathBuf {
    FilePath::new(env!("CARGO_MANIFEST_DIR")).join("../../examples")
}

/// An example, by its folder and name.
pub fn example(name: &str) -> Model {
    let checked = check_file(&examples().join(format!("{name}.sts")), &FsLoader, &Default::default());
    checked.model.unwrap_or_else(|| panic!("{name}: {:?}", checked.diagnostics)).model
}

/// The model that a text means.
pub fn model(text: &str) -> Model {
    let checked = check_text("test.sts", text);
    checked.model.unwrap_or_else(|| panic!("{:?}", checked.diagnostics)).model
}

/// The ways to all accepts, as names of steps.
pub fn lines(model: &Model, plan: &Plan) -> Vec<String> {
    let line = |p: &Purpose, n| p.line(n).iter().map(|l| l.step.name(model)).collect::<Vec<_>>().join(" ");
    plan.purposes.iter().flat_map(|p| p.accepts().map(|n| line(p, n)).collect::<Vec<_>>()).collect()
}

/// The observable steps to the first accept of a purpose, with the least values.
pub fn values(model: &Model, purpose: &Purpose) -> Vec<String> {
    let mut walker = Walker::new(Path::new(model, &builtin));
    let accept = purpose.accepts().next().expect("a purpose has an accept");
    assert!(walker.follow(purpose.line(accept)), "it was found possible");
    let solved = walker.path.solve_with(Choice::Min).expect("it was found possible");
    let shown = solved.steps.iter().filter_map(|(step, values)| {
        let switch = step.switches().next()?;
        let sioco_model::model::Label::Gate(gate) = model.switches[switch].label else { return None };
        let values: Vec<String> = values.iter().map(show).collect();
        Some(format!("{}({})", model.gates[gate].name, values.join(", ")))
    });
    shown.collect()
}

fn show(value: &sioco_model::Value) -> String {
    match value {
        sioco_model::Value::Int(n) => n.to_string(),
        other => format!("{other:?}"),
    }
}
