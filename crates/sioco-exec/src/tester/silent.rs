//! Places where the system is known to be silent though it must not be: waiting longer there is of no use any more.

use rustc_hash::FxHashSet;
use sioco_model::{GateId, LocationId};

use super::Tester;

/// After so many runs that failed by silence, no more grace is given at places where one did.
const ENOUGH: u32 = 5;

/// Where a run is: its last gate, and the locations of all hypotheses.
pub(super) type Spot = (Option<GateId>, Vec<LocationId>);

/// See the [module](self).
#[derive(Clone, Debug, Default)]
pub(super) struct Silent {
    /// How many runs failed by silence.
    runs: u32,
    /// Where.
    spots: FxHashSet<Spot>,
}

impl Tester<'_> {
    /// Whether several runs failed by silence, and one of them here: the campaign fails already, and longer waits would
    /// tell nothing new.
    pub fn is_known_silent(&self) -> bool {
        self.silent.runs >= ENOUGH && self.spot().is_some_and(|spot| self.silent.spots.contains(&spot))
    }

    /// Whether a run failed by silence here.
    pub(super) fn has_failed_silently(&self, spot: Option<Spot>) -> bool {
        spot.is_some_and(|spot| self.silent.spots.contains(&spot))
    }

    /// A run failed by silence.
    pub(super) fn fell_silent(&mut self) {
        self.silent.runs += 1;
        let spot = self.spot();
        self.silent.spots.extend(spot);
    }

    /// Where the run is, if the states are known.
    pub(super) fn spot(&self) -> Option<Spot> {
        let mut locations = Vec::new();
        for h in self.referee.belief().hypotheses() {
            locations.extend_from_slice(h.state()?.locations());
        }
        locations.sort_unstable();
        locations.dedup();
        Some((self.run.last, locations))
    }
}
