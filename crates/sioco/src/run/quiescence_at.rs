//! Places where silence takes longer, on the command line: `--quiescence-at NAME=TIME`.

use std::fmt;
use std::time::Duration;

use sioco_exec::quiescence_time::QuiescenceTimes;
use sioco_model::Model;
use sioco_model::names::did_you_mean;

use crate::failure::Failure;
use crate::seconds::{self, TimeError};

/// Why a text is no name with a time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum QuiescenceAtError {
    /// It is written in another way.
    Form,
    /// What follows the name is no time.
    Time(TimeError),
}

impl fmt::Display for QuiescenceAtError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            QuiescenceAtError::Form => f.write_str("write a gate or location with a time, as in `rcpt=2s`"),
            QuiescenceAtError::Time(why) => why.fmt(f),
        }
    }
}

impl std::error::Error for QuiescenceAtError {}

/// A name with a time.
pub fn parse(text: &str) -> Result<(String, Duration), QuiescenceAtError> {
    let (name, time) = text.split_once('=').ok_or(QuiescenceAtError::Form)?;
    Ok((name.trim().to_owned(), seconds::some(time.trim()).map_err(QuiescenceAtError::Time)?))
}

/// Whether a model has all these places.
pub fn check(all: &[(String, Duration)], model: &Model) -> Result<(), Failure> {
    let Some((name, _)) = all.iter().find(|(name, _)| !QuiescenceTimes::knows(model, name)) else { return Ok(()) };
    let gates = model.gates.values().map(|g| g.name.as_str());
    let near = did_you_mean(name, gates.chain(model.locations.values().map(|l| l.name.as_str())));
    let failure = Failure::usage(format!("`--quiescence-at`: the model has no gate or location `{name}`"));
    Err(match near {
        Some(near) => failure.help(format!("did you mean `{near}`?")),
        None => failure,
    })
}

/// The places of both, with the later time for a name.
pub fn join(before: &[(String, Duration)], later: &[(String, Duration)]) -> Vec<(String, Duration)> {
    let kept = before.iter().filter(|(name, _)| later.iter().all(|(n, _)| n != name));
    kept.chain(later).cloned().collect()
}
