//! Pairs of small models, a specification and something like an implementation of it, and a judge of whether the second
//! conforms to the first (S2 definition 6) that tries every sequence of inputs.
//!
//! - [`machine`]: models that answer every input with an output, as text;
//! - [`generate`]: random ones; [`mutate`]: changes to them, some of which make no difference;
//! - [`judge`]: the definition of conformance, word by word.
#![allow(dead_code)]

pub mod generate;
pub mod judge;
pub mod machine;
pub mod mutate;
#[path = "../oracle/rng.rs"]
pub mod rng;

use machine::Machine;
use rng::Rng;
use sioco_lang::check::check_text;
use sioco_model::Model;

/// A specification and an implementation of it, which may be wrong.
pub struct Pair {
    pub seed: u64,
    pub spec: Machine,
    pub imp: Machine,
    /// What was done to the specification to get the implementation.
    pub changes: Vec<mutate::Change>,
}

impl Pair {
    /// The pair of a seed.
    pub fn new(seed: u64, kind: generate::Kind) -> Pair {
        let mut rng = Rng::new(seed);
        let spec = generate::machine(&mut rng, kind);
        let (imp, changes) = mutate::implementation(&mut rng, &spec);
        Pair { seed, spec, imp, changes }
    }

    /// Both models.
    pub fn models(&self) -> (Model, Model) {
        (model(&self.spec.text("Spec")), model(&self.imp.text("Impl")))
    }

    /// All about it, for messages.
    pub fn show(&self) -> String {
        let Pair { seed, changes, .. } = self;
        format!("seed {seed}, {changes:?}\n{}\n{}", self.spec.text("Spec"), self.imp.text("Impl"))
    }
}

/// A model from its text.
pub fn model(text: &str) -> Model {
    let checked = check_text("test.sts", text);
    checked.model.unwrap_or_else(|| panic!("{:?}\n{text}", checked.diagnostics)).model
}
