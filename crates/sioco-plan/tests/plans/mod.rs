//! Models and plans for tests.

// Lints know tests by their attribute, which helpers do not have.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};

use sioco_lang::check::check_file;
use sioco_lang::source::FsLoader;
use sioco_model::Model;
use sioco_plan::case::{Case, case_with_others};
use sioco_plan::walker::Walker;
use sioco_plan::{Cover, Plan, PlanOptions, plan};
use sioco_solve::chain::Chain;
use sioco_solve::values::{Bounds, Choice};
use sioco_symbolic::path::{Path as Symbolic, Shortcuts};

pub fn builtin() -> Box<dyn Bounds> {
    Box::new(Chain::new(None))
}

pub fn walker(model: &Model) -> Walker<'_> {
    Walker::new(Symbolic::with(model, &builtin, Shortcuts::default(), Default::default()))
}

pub fn examples() -> Vec<(String, Model)> {
    fn find(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            match path.extension().is_some_and(|e| e == "sts") {
                _ if path.is_dir() => find(&path, found),
                true => found.push(path),
                false => {}
            }
        }
    }
    let mut paths = Vec::new();
    find(&PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples"), &mut paths);
    // It has so many inputs that it would take longer than all the others together.
    paths.retain(|path| !path.iter().any(|part| part == "redis"));
    paths.sort();
    let model = |path: PathBuf| {
        let model = check_file(&path, &FsLoader, &Default::default()).model?.model;
        Some((path.file_stem().unwrap().to_str().unwrap().to_owned(), model))
    };
    let found: Vec<_> = paths.into_iter().filter_map(model).filter(|(n, _)| !n.starts_with("mutant")).collect();
    assert!(found.len() > 25, "{}", found.len());
    found
}

pub fn model(text: &str) -> Model {
    let checked = sioco_lang::check_text("m.sts", text);
    checked.model.unwrap_or_else(|| panic!("{:?}", checked.diagnostics)).model
}

/// Models that count have no end.
pub fn small(cover: Cover) -> PlanOptions {
    PlanOptions { nodes: 60, ..PlanOptions::new(cover) }
}

pub fn planned(model: &Model, options: &PlanOptions) -> (Plan, Vec<Case>) {
    let plan = plan(model, &builtin, options, &mut |_| {}).unwrap();
    let mut walker = walker(model);
    let cases = plan.purposes.iter().map(|p| case_with_others(&mut walker, p, Choice::Min)).collect();
    (plan, cases)
}

/// What the examples are planned with: a cover, whether data counts, and the name of the example if it is about one.
pub fn plans(name: &str, model: &Model) -> Vec<PlanOptions> {
    // Its real numbers keep the built-in solver busy.
    let slow = name == "csm";
    let covers: &[&str] = match slow {
        true => &["switch", "traces:2"],
        false => &["switch", "location", "paths:2", "inclusion:1", "reduced", "traces:2", "random:3"],
    };
    let mut found: Vec<PlanOptions> = covers.iter().map(|c| small(Cover::parse(c).unwrap())).collect();
    found.extend(model.purposes.values().map(|p| small(Cover::Purpose(p.name.clone()))));
    if !slow {
        found.push(PlanOptions { data: true, ..small(Cover::Switch) });
        found.push(PlanOptions { strict: true, ..small(Cover::Switch) });
        found.push(PlanOptions { split: true, ..small(Cover::Paths(2)) });
    }
    found
}
