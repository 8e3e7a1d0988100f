//! Running a property on many random specifications. What goes wrong is made smaller before it is shown.
//!
//! `SIOCO_CASES` says how many cases there are in all, `SIOCO_FIRST_SEED` where to start, and with `SIOCO_SHOW` every
//! case is shown before it is tried.

use std::panic::{AssertUnwindSafe, catch_unwind};

use sioco_lang::check::check_text;
use sioco_model::Model;

use super::generate;
use super::lts::Lts;
use super::rng::Rng;
use super::shrink::shrink;
use super::spec::Spec;
use super::sut::Names;

/// A specification in all its forms.
pub struct Case {
    pub spec: Spec,
    pub model: Model,
    pub lts: Lts,
    pub names: Names,
    pub seed: u64,
}

impl Case {
    /// Nothing if the engine does not take the text.
    pub fn new(spec: &Spec, seed: u64) -> Result<Case, String> {
        let checked = check_text("test.sts", &spec.text());
        let Some(model) = checked.model else { return Err(format!("{:?}", checked.diagnostics)) };
        let names = Names::new(spec, &model.model);
        Ok(Case { spec: spec.clone(), model: model.model, lts: Lts::of(spec), names, seed })
    }

    /// Whether a variable is free with so many values that the engine does not follow them one by one.
    pub fn is_wide(&self) -> bool {
        self.spec.processes.iter().flat_map(|p| &p.variables).any(|v| v.range.1 > 50)
    }

    /// The random choices of the case; `what` keeps those of several uses apart.
    pub fn rng(&self, what: u64) -> Rng {
        Rng::new(self.seed.wrapping_mul(1_000_003) ^ (what << 48))
    }
}

/// So many cases where there are usually 2,000 in all.
fn cases(usual: u64) -> u64 {
    let all = std::env::var("SIOCO_CASES").ok().and_then(|n| n.parse::<u64>().ok());
    all.map_or(usual, |n| (n * usual).div_ceil(2_000))
}

fn first_seed() -> Option<u64> {
    std::env::var("SIOCO_FIRST_SEED").ok().and_then(|n| n.parse().ok())
}

/// Whether enough cases are tried to say how often something happens.
pub fn are_many() -> bool {
    first_seed().is_none() && cases(2_000) >= 2_000
}

/// Runs a property on as many random specifications as its part of all cases; it says what is wrong. Properties with
/// different numbers get different specifications.
pub fn for_cases(number: u64, usual: u64, property: impl FnMut(&Case) -> Result<(), String>) {
    for_cases_of(generate::spec, number, usual, property);
}

/// The same on specifications of another kind.
pub fn for_cases_of(
    kind_of: fn(&mut Rng) -> Spec,
    number: u64,
    usual: u64,
    mut property: impl FnMut(&Case) -> Result<(), String>,
) {
    let first = first_seed().unwrap_or(number * 1_000_000);
    for seed in first..first + cases(usual) {
        let spec = kind_of(&mut Rng::new(seed));
        let case = Case::new(&spec, seed).unwrap_or_else(|why| panic!("seed {seed}: {why}\n{}", spec.text()));
        let mut check = |case: &Case| match catch_unwind(AssertUnwindSafe(|| property(case))) {
            Ok(result) => result,
            Err(why) => {
                let text = why.downcast_ref::<String>().cloned();
                Err(format!("panic: {}", text.unwrap_or_else(|| "see above".into())))
            }
        };
        if std::env::var("SIOCO_SHOW").is_ok() {
            eprintln!("seed {seed}\n{}", spec.text());
        }
        if let Err(why) = check(&case) {
            let same = |other: Result<(), String>| other.is_err_and(|other| kind(&other) == kind(&why));
            let smaller = shrink(&spec, &mut |s| Case::new(s, seed).is_ok_and(|c| same(check(&c))));
            let shrunk = Case::new(&smaller, seed).map_err(|e| e.to_string()).and_then(|c| check(&c));
            let still = shrunk.expect_err("it was wrong before");
            panic!("seed {seed}: {why}\n{}\nmade smaller: {still}\n{}", spec.text(), smaller.text());
        }
    }
}

/// What is wrong, without where: what follows the last `but`, up to its details.
fn kind(why: &str) -> String {
    let what = why.rsplit(" but ").next().unwrap_or(why);
    what.chars().take(28).collect()
}
