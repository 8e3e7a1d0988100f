//! What checks count and find.

use std::collections::BTreeMap;

use crate::lines::{FindingLine, LogLine};
use crate::spec::{Line, Order, Spec};

/// Something that is wrong.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The check.
    pub check: &'static str,
    /// What kind, in a few words.
    pub kind: String,
    /// The details.
    pub why: String,
    /// The model.
    pub spec: Spec,
    /// The log, if it is about one, and what its order means.
    pub log: Option<(Vec<Line>, Order)>,
}

/// What was counted and found in one case.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Numbers by name.
    pub counts: BTreeMap<String, u64>,
    /// What was found.
    pub findings: Vec<Finding>,
}

impl Tally {
    /// Counts one.
    pub fn count(&mut self, what: impl Into<String>) {
        self.add(what, 1);
    }

    /// Counts several.
    pub fn add(&mut self, what: impl Into<String>, many: u64) {
        *self.counts.entry(what.into()).or_default() += many;
    }

    /// Something is wrong.
    pub fn find(&mut self, finding: Finding) {
        self.findings.push(finding);
    }
}

impl Finding {
    /// As a line, with the command that repeats it.
    pub fn line(&self, seed: u64) -> FindingLine {
        let log = self.log.as_ref().map(|(lines, order)| LogLine {
            lines: lines.iter().map(|l| self.spec.line(l)).collect(),
            order: format!("{order:?}").to_lowercase(),
        });
        FindingLine {
            again: FindingLine::again(seed, self.check),
            check: self.check.to_owned(),
            kind: self.kind.clone(),
            log,
            model: self.spec.text(),
            seed,
            why: self.why.clone(),
        }
    }
}
