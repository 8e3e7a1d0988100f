//! The system under test that `--sut` names.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use sioco_exec::{Player, Sut};
use sioco_lang::check::{Checked, CheckedModel};
use sioco_model::Model;
use sioco_solve::{BackEnd, StateOracle};

use super::played::Played;
use crate::failure::Failure;
use crate::model::{Choices, load};
use crate::output::Output;

/// Where the system under test is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SutSpec {
    /// A model that plays the system: `model:FILE`.
    Model(PathBuf),
}

impl std::str::FromStr for SutSpec {
    type Err = String;

    fn from_str(text: &str) -> Result<SutSpec, String> {
        match text.trim().strip_prefix("model:").map(str::trim) {
            Some("") => Err("`model:` is followed by the file of the model, as in `model:sut.sts`".into()),
            Some(file) => Ok(SutSpec::Model(file.into())),
            None => Err("write `model:FILE`".into()),
        }
    }
}

/// The models that are needed besides the one that is tested against.
#[derive(Default)]
pub struct Others(Option<(Checked, CheckedModel)>);

/// Reads what a system needs, before it is [opened](open).
pub fn prepare(spec: &SutSpec, model: &Path, choices: &Choices, out: &mut Output) -> Result<Others, Failure> {
    match spec {
        // What was chosen about the model says nothing about another file.
        SutSpec::Model(file) if file == model => Ok(Others(Some(load(file, choices, out)?))),
        SutSpec::Model(file) => Ok(Others(Some(load(file, &Choices::default(), out)?))),
    }
}

/// The system, not started yet.
pub fn open<'a>(
    _spec: &SutSpec,
    others: &'a Others,
    model: &'a Model,
    back_end: &BackEnd,
    _interrupted: &Arc<AtomicBool>,
) -> Box<dyn Sut + 'a> {
    let Others(Some((checked, played))) = others else { unreachable!("prepared") };
    let oracle = StateOracle::new(&played.model.terms, &played.model.sorts, back_end.clone());
    let place = |s| checked.sources.show(played.spans.switches[s].label);
    let player = Player::new(&played.model).with_oracle(Arc::new(Mutex::new(oracle))).with_places(place);
    Box::new(Played::new(player, &played.model, model))
}
