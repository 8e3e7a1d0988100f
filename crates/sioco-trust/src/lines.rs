//! Lines of results: what a worker answers for a check, and what a block of seeds came to. Fields stand in the order of
//! their names.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The log of a finding.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct LogLine {
    /// What was seen, a line each.
    pub lines: Vec<String>,
    /// What the order of events means.
    pub order: String,
}

/// Something that is wrong, with the command that repeats it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct FindingLine {
    /// The command that repeats it.
    pub again: String,
    /// The check.
    pub check: String,
    /// What kind, in a few words.
    pub kind: String,
    /// The log, if it is about one.
    pub log: Option<LogLine>,
    /// The text of the model.
    pub model: String,
    /// The seed of the case.
    pub seed: u64,
    /// The details.
    pub why: String,
}

impl FindingLine {
    /// The command that repeats a check on the case of a seed.
    pub fn again(seed: u64, check: &str) -> String {
        format!("cargo xtask trust --case {seed} --check {check}")
    }
}

/// What a check on one case came to.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct DoneLine {
    /// So many questions were asked of solvers.
    pub asked: u64,
    /// Numbers by name.
    pub counts: BTreeMap<String, u64>,
    /// What was found.
    pub findings: Vec<FindingLine>,
    /// How long it took, in microseconds.
    pub micros: u64,
}

/// A check that took long.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SlowLine {
    /// So many questions were asked of solvers.
    pub asked: u64,
    /// The check.
    pub check: String,
    /// How long it took, in microseconds.
    pub micros: u64,
    /// The seed of the case.
    pub seed: u64,
}

/// What a block of seeds came to.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct BlockLine {
    /// How many seeds.
    pub count: u64,
    /// Numbers by name.
    pub counts: BTreeMap<String, u64>,
    /// What was found.
    pub findings: Vec<FindingLine>,
    /// The first seed.
    pub first: u64,
    /// The part of the campaign.
    pub part: String,
    /// The checks that took longest.
    pub slow: Vec<SlowLine>,
}
