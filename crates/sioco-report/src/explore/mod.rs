//! What an exploration found: a summary, a tree and statistics for people, a document for programs; the same for a
//! single path.

pub mod json;
pub mod nodes;
pub mod path;
pub(crate) mod shape;
pub mod statistics;
pub mod summary;
pub mod tree;

use std::time::Duration;

use sioco_model::Model;
use sioco_solve::BackEnd;
use sioco_symbolic::analysis::ModelErrors;
use sioco_symbolic::{Exploration, ExploreOptions, Stop};

/// An exploration with what is needed to speak about it.
#[derive(Clone, Copy)]
pub struct Explored<'a> {
    /// The model.
    pub model: &'a Model,
    /// The name of its file.
    pub file: &'a str,
    /// What was asked for.
    pub options: &'a ExploreOptions,
    /// What was found.
    pub found: &'a Exploration,
    /// The switches that are known to make a model error somewhere on the way.
    pub model_errors: &'a ModelErrors,
    /// How long it might take, if there was a limit.
    pub time: Option<Duration>,
    /// Whether it was ended because of that limit.
    pub late: bool,
    /// The solver that was chosen.
    pub back_end: &'a BackEnd,
    /// The solver by its own name and version, if one is there.
    pub solver: Option<&'a str>,
}

/// What the exploration says about a switch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// Some path takes it.
    Taken,
    /// Every path that takes it rests on an `unknown`.
    Perhaps,
    /// The exploration is complete, and no path takes it.
    Unreachable,
    /// No path that was looked at takes it.
    NotReached,
}

impl Status {
    /// Its name in documents.
    pub fn name(self) -> &'static str {
        match self {
            Status::Taken => "taken",
            Status::Perhaps => "unknown",
            Status::Unreachable => "unreachable",
            Status::NotReached => "not reached",
        }
    }
}

impl Explored<'_> {
    /// What is known about each switch, in their order.
    pub fn statuses(&self) -> Vec<Status> {
        // An `unknown` step is followed like a possible one, so what a complete graph lacks is not there.
        let absent = if self.found.stop == Stop::Complete { Status::Unreachable } else { Status::NotReached };
        let taken = self.found.graph.taken(self.model);
        let of = |taken: Option<bool>| match taken {
            Some(true) => Status::Taken,
            Some(false) => Status::Perhaps,
            None => absent,
        };
        taken.into_iter().map(of).collect()
    }

    /// The solver that had a question without an answer when the exploration was ended, if one had.
    pub fn unanswered(&self) -> Option<String> {
        let cut = self.found.stop == Stop::Cancelled && self.found.counters.chain.unanswered > 0;
        cut.then(|| self.solver.map_or_else(|| self.back_end.to_string(), str::to_owned))
    }

    /// The number of steps on the longest path.
    pub fn depth(&self) -> usize {
        let graph = &self.found.graph;
        graph.ids().map(|n| graph.depth(n)).max().unwrap_or(0)
    }

    /// How many nodes are equal to an earlier one, and how many are included in one without being equal.
    pub fn merged(&self) -> (usize, usize) {
        let graph = &self.found.graph;
        let all = graph.ids().filter(|n| graph.included_in(*n).is_some()).count();
        let included = usize::try_from(self.found.counters.inclusion.included).unwrap_or(usize::MAX).min(all);
        (all - included, included)
    }
}

/// A number of bytes for people: `1.5 GiB`.
pub fn bytes(n: usize) -> String {
    const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];
    if n < 1024 {
        return format!("{n} B");
    }
    let mut value = n as f64 / 1024.0;
    let mut unit = 0;
    while value >= 1023.95 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    format!("{value:.1} {}", UNITS[unit])
}

/// `1 node`, `2 nodes`, `switches` for `switch`.
pub(crate) fn count(n: usize, thing: &str) -> String {
    match (n, thing.ends_with("ch")) {
        (1, _) => format!("1 {thing}"),
        (_, true) => format!("{n} {thing}es"),
        _ => format!("{n} {thing}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_short() {
        for (n, text) in [
            (0, "0 B"),
            (1023, "1023 B"),
            (1024, "1.0 KiB"),
            (1536, "1.5 KiB"),
            (1 << 20, "1.0 MiB"),
            ((1 << 20) - 1, "1.0 MiB"),
            (2 << 30, "2.0 GiB"),
            (usize::MAX, "16777216.0 TiB"),
        ] {
            assert_eq!(bytes(n), text);
        }
    }
}
