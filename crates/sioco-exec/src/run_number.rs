//! The number of a run. It is a type of its own, so that nobody takes a count of runs, a seed or a step for it.

use std::fmt;

use serde::Serialize;

/// The number of a run. A campaign counts from [`FIRST`](RunNumber::FIRST); the default comes before that and belongs to
/// no run. A recorded number may be any number: logs of others count as they like.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize)]
#[serde(transparent)]
pub struct RunNumber(pub u64);

impl RunNumber {
    /// The first run of a campaign.
    pub const FIRST: RunNumber = RunNumber(1);

    /// The number of the next run.
    #[must_use]
    pub fn next(self) -> RunNumber {
        self.plus(1)
    }

    /// The number of the run that comes so many runs later. The largest number has no next one, and stays.
    #[must_use]
    pub fn plus(self, runs: u64) -> RunNumber {
        RunNumber(self.0.saturating_add(runs))
    }
}

impl fmt::Display for RunNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// In formats it is a whole number like any other.
#[cfg(feature = "schema")]
impl schemars::JsonSchema for RunNumber {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        u64::schema_name()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        u64::json_schema(generator)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_runs_are_written_as_numbers() {
        let last = RunNumber(u64::MAX);
        assert_eq!((RunNumber::default().next(), RunNumber::FIRST.plus(6)), (RunNumber::FIRST, RunNumber(7)));
        assert_eq!((last.next(), last.plus(7)), (last, last));
        for run in [RunNumber::default(), RunNumber(7), last] {
            assert_eq!(run.to_string(), run.0.to_string());
            assert_eq!(serde_json::to_string(&run).ok(), Some(run.0.to_string()));
        }
        assert_eq!(format!("{:>4}|", RunNumber(7)), "   7|");
    }
}
