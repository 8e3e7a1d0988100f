//! What a random model is to have. Each wish is drawn on its own, so that every pair of features meets.

use crate::rng::Rng;

/// What to generate.
#[derive(Clone, Debug)]
pub struct Wish {
    /// Gates with two parameters of different ranges.
    pub two_params: bool,
    /// An enumeration.
    pub enumeration: bool,
    /// Variants with fields.
    pub variants: bool,
    /// A record.
    pub record: bool,
    /// Sequences.
    pub sequences: bool,
    /// Texts.
    pub texts: bool,
    /// Variables that are free at the start.
    pub free: bool,
    /// Those without bounds.
    pub wide: bool,
    /// Internal steps with hidden choices.
    pub choices: bool,
    /// Internal cycles.
    pub cycles: bool,
    /// `else`.
    pub otherwise: bool,
    /// Outputs with values that the system chooses.
    pub any: bool,
    /// Guards that never hold.
    pub never: bool,
    /// `closed` as an output.
    pub closed: bool,
    /// `crashed` as an output.
    pub crashed: bool,
    /// Two processes with channels.
    pub channels: bool,
    /// What may be undefined.
    pub errors: bool,
    /// Final locations.
    pub finals: bool,
    /// Inputs with large ranges.
    pub large: bool,
}

/// What the engine under test knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Knows {
    /// Whether `output crashed` has its meaning.
    pub crashed: bool,
}

impl Wish {
    /// Random wishes.
    pub fn any(rng: &mut Rng, knows: Knows) -> Wish {
        // Plain models are small and often hit what rich ones hide.
        let plain = rng.chance(15);
        let mut wish = |percent: u64| rng.chance(if plain { percent / 4 } else { percent });
        Wish {
            two_params: wish(35),
            enumeration: wish(22),
            variants: wish(30),
            record: wish(18),
            sequences: wish(25),
            texts: wish(18),
            free: wish(30),
            wide: wish(18),
            choices: wish(24),
            cycles: wish(22),
            otherwise: wish(40),
            any: wish(46),
            never: wish(16),
            closed: wish(20),
            crashed: wish(16) && knows.crashed,
            channels: wish(20),
            errors: wish(30),
            finals: wish(20),
            large: wish(14),
        }
    }
}
