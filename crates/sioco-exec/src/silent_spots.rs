//! Places where the system is known to be silent although the model does not allow it. Longer waits there gain nothing.

use rustc_hash::FxHashSet;

use crate::position::Spot;

/// After this many runs that failed by silence, no more grace is given at places where one did: the failure is known,
/// and each further one would take two seconds at least.
const ENOUGH: u32 = 5;

/// See the [module](self).
#[derive(Clone, Debug, Default)]
pub(crate) struct SilentSpots {
    /// How many runs failed by silence.
    runs: u32,
    /// Where.
    spots: FxHashSet<Spot>,
}

impl SilentSpots {
    /// Whether several runs failed by silence, and one of them here: the campaign fails already, and longer waits would
    /// tell nothing new.
    pub(crate) fn is_known(&self, spot: Option<&Spot>) -> bool {
        self.runs >= ENOUGH && self.has(spot)
    }

    /// Whether no run failed by silence so far, so that nobody has to look where this one is.
    pub(crate) fn is_empty(&self) -> bool {
        self.spots.is_empty()
    }

    /// Whether a run failed by silence here.
    pub(crate) fn has(&self, spot: Option<&Spot>) -> bool {
        spot.is_some_and(|spot| self.spots.contains(spot))
    }

    /// A run failed by silence.
    pub(crate) fn add(&mut self, spot: Option<Spot>) {
        self.runs += 1;
        self.spots.extend(spot);
    }
}
