//! A system from which nothing ever comes: each run waits for it in vain, and one more tells nothing new.

use sioco_model::LocationId;

use crate::belief::Belief;

/// This many runs in a row that fail by silence at the same place are enough: the next ones would show the same, each
/// after the whole grace.
const ENOUGH: u32 = 5;

/// See the [module](self).
#[derive(Clone, Debug, Default)]
pub(crate) struct Mute {
    /// Whether anything came in the whole campaign.
    heard: bool,
    /// Whether anything was observed in this run, be it silence.
    pub(crate) observed: bool,
    /// Where the last run failed by silence, and how many did so there in a row.
    silent: (Vec<LocationId>, u32),
}

impl Mute {
    /// A run begins.
    pub(crate) fn start(&mut self) {
        self.observed = false;
    }

    /// Something was observed.
    pub(crate) fn observed(&mut self, silence: bool) {
        self.observed = true;
        self.heard |= !silence;
    }

    /// A run failed by silence, or ended otherwise. Says whether that is enough.
    pub(crate) fn ended(&mut self, silence: bool, belief: &Belief) -> bool {
        if self.heard || !silence {
            self.silent = Default::default();
            return false;
        }
        let states = belief.hypotheses().filter_map(|h| h.state());
        let place: Vec<LocationId> = states.flat_map(|state| state.locations().iter().copied()).collect();
        match self.silent.0 == place {
            true => self.silent.1 += 1,
            false => self.silent = (place, 1),
        }
        self.silent.1 >= ENOUGH
    }
}
