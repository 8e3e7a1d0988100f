//! When the options of `sioco adapter check` have an effect.

use crate::commands::adapter::Check;
use crate::options::{Rule, Ruled, always, unless};

impl Ruled for Check {
    fn rules() -> Vec<Rule<Check>> {
        let idle =
            |check: &Check| check.file.is_none().then_some("it is for the walk through a model, and there is none");
        let walk = ["const", "system", "solver", "steps", "for", "wait"].map(|long| unless(long, idle));
        always(&["sut", "trust", "seed", "patience", "format"]).chain(walk).collect()
    }
}
