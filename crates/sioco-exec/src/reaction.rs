//! Reactions: an input and everything that the model does until the next one. A guided walk
//! tries to cover pairs of successive reactions: a fault that depends on how a mode was entered shows in the next reaction.

use sioco_model::model::{Direction, Model};
use sioco_model::{Id, SwitchId};
use sioco_symbolic::step::Step;

/// The reaction that a hypothesis is in, and the one before it, as numbers that stand for their switches.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Reactions {
    /// The one before.
    pub before: u64,
    /// The one that it is in, as far as it has got.
    pub now: u64,
}

impl Reactions {
    /// After a switch.
    #[inline]
    pub fn take(self, model: &Model, switch: SwitchId) -> Reactions {
        if model.direction(switch) == Some(Direction::Input) {
            return Reactions { before: self.now, now: mix(0, switch.index() as u64 + 1) };
        }
        Reactions { before: self.before, now: mix(self.now, switch.index() as u64 + 1) }
    }

    /// After a step.
    pub fn step(self, model: &Model, step: Step) -> Reactions {
        step.switches().fold(self, |reactions, switch| reactions.take(model, switch))
    }
}

/// A number that stands for one with another one after it.
fn mix(a: u64, b: u64) -> u64 {
    let z = (a ^ b.wrapping_mul(0x9e37_79b9_7f4a_7c15)).wrapping_add(0x2545_f491_4f6c_dd1d);
    let z = (z ^ (z >> 31)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 29)
}
