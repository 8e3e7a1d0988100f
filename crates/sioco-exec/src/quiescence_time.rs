//! Where silence takes longer to be believed: after a gate, or in a location.
//!
//! Some systems answer late on purpose, after an error for example, and a quiescence time that is right for those would
//! make everything else slow.

use std::time::Duration;

use rustc_hash::FxHashMap;
use sioco_model::model::Model;
use sioco_model::{GateId, LocationId};

use crate::belief::Belief;

/// Silence that would be a failure is one only after this many more times the quiescence time. The user measured the
/// usual answers for that time; a late one is seldom five times as late. A larger factor makes each real failure by
/// silence take longer.
const GRACE_FACTOR: u32 = 4;
/// And not before this much more time: a system that has to share its machine may be slow for a while, whatever its
/// quiescence time is. With less, tests on a busy machine fail by chance.
const LEAST_GRACE: Duration = Duration::from_secs(2);

/// How much longer to wait than the quiescence time, where silence would be a failure (T-Q8).
pub fn grace(quiescence: Duration) -> Duration {
    (quiescence * GRACE_FACTOR).max(LEAST_GRACE)
}

/// The times, by gates and locations.
#[derive(Clone, Debug, Default)]
pub struct QuiescenceTimes {
    gates: FxHashMap<GateId, Duration>,
    locations: FxHashMap<LocationId, Duration>,
}

impl QuiescenceTimes {
    /// By the names of gates and of locations, of which several processes may have some. Names that the model does not
    /// have are left out.
    pub fn new(model: &Model, named: &[(String, Duration)]) -> QuiescenceTimes {
        let mut slower = QuiescenceTimes::default();
        for (name, time) in named {
            slower.gates.extend(model.gate(name).map(|gate| (gate, *time)));
            let locations = model.locations.iter().filter(|(_, l)| l.name == *name);
            slower.locations.extend(locations.map(|(id, _)| (id, *time)));
        }
        slower
    }

    /// Whether a model has a gate or location of a name.
    pub fn knows(model: &Model, name: &str) -> bool {
        model.gate(name).is_some() || model.locations.values().any(|l| l.name == name)
    }

    /// How long nothing must come now, if the last thing in the run was at this gate.
    pub fn time(&self, general: Duration, last: Option<GateId>, belief: &Belief) -> Duration {
        let mut time = last.and_then(|gate| self.gates.get(&gate)).map_or(general, |time| general.max(*time));
        if !self.locations.is_empty() {
            let states = belief.hypotheses().filter_map(|h| h.state());
            let all = states.flat_map(|state| state.locations()).filter_map(|l| self.locations.get(l));
            time = all.fold(time, |time, other| time.max(*other));
        }
        time
    }
}
