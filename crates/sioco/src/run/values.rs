//! Which values inputs get, on the command line.

use clap::ValueEnum;
use sioco_solve::values::Choice;

/// Which values.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub enum Values {
    /// The least, parameter by parameter
    Min,
    /// The greatest
    Max,
    /// Half way between
    Middle,
    /// At random, by the seed
    #[default]
    Random,
    /// At the values where a condition flips
    Boundary,
}

impl Values {
    /// How values are chosen.
    pub fn choice(self, seed: u64) -> Choice {
        match self {
            Values::Min => Choice::Min,
            Values::Max => Choice::Max,
            Values::Middle => Choice::Middle,
            Values::Random => Choice::Random(seed),
            Values::Boundary => Choice::Boundary,
        }
    }
}
