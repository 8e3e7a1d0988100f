//! A case: the model of a seed, in all its forms.

use crate::checks::engine::Read;
use crate::generate::wish::{Knows, Wish};
use crate::generate::{Feature, compared, computed, features, spec};
use crate::oracle::belief::World;
use crate::rng::Rng;
use crate::spec::Spec;

/// What the engine under test knows: `output crashed` is an ordinary output unless it does.
pub const KNOWS: Knows = Knows { crashed: cfg!(crashed) };

/// The random choices that add [values which are only compared](compared).
const COMPARED: u64 = 0x636D_7072;

/// The random choices that add [values with which internal steps compute](computed).
const COMPUTED: u64 = 0x636F_7075;

/// Models from this seed on have everything; `docs/trust.md` names seeds below it, which stand for the same models as ever.
const COMPUTED_FROM: u64 = 100_000_000;

/// A model, as the oracle and as the engine see it.
pub struct Case {
    /// Where random choices start.
    pub seed: u64,
    /// The model in the oracle's terms.
    pub spec: Spec,
    /// The model as the engine read it.
    pub read: Read,
}

impl Case {
    /// The case of a seed.
    pub fn of(seed: u64) -> Result<Case, String> {
        Case::with(seed, model(seed))
    }

    /// A case with this model.
    pub fn with(seed: u64, spec: Spec) -> Result<Case, String> {
        let read = Read::new(&spec)?;
        Ok(Case { seed, spec, read })
    }

    /// What is known about its states: nothing yet.
    pub fn world(&self) -> World<'_> {
        World::new(&self.spec)
    }

    /// What it has.
    pub fn features(&self) -> Vec<Feature> {
        features(&self.spec)
    }

    /// The random choices of one use.
    pub fn rng(&self, what: u64) -> Rng {
        Rng::of(self.seed, what)
    }
}

/// The model of a seed.
pub fn model(seed: u64) -> Spec {
    let mut rng = Rng::new(seed);
    let wish = Wish::any(&mut rng, KNOWS);
    let mut spec = spec(&mut rng, &wish);
    let mut own = Rng::of(seed, COMPARED);
    if own.chance(14) {
        compared::add(&mut own, &mut spec);
    }
    let mut own = Rng::of(seed, COMPUTED);
    if seed >= COMPUTED_FROM && own.chance(11) && computed::has_room(&spec) {
        computed::add(&mut own, &mut spec);
    }
    spec
}
