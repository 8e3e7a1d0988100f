//! Why an observation is not allowed, in the terms of the model: which conjunct broke, with which values, what was
//! allowed, which hypotheses were left.

use crate::event::GateValue;
use sioco_model::semantics::explain;
use sioco_model::semantics::state::State;
use sioco_model::{LocationId, SwitchId, Value};

/// What the model allows somewhere.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Allowed {
    /// An output.
    Output {
        /// By this switch.
        switch: SwitchId,
        /// With these values: the only ones, or an example.
        args: Vec<Value>,
        /// Whether they are the only ones.
        fixed: bool,
    },
    /// Silence.
    Silence,
}

/// A hypothesis that was left when something came that it does not allow.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Left {
    /// Where its processes are.
    pub locations: Vec<LocationId>,
    /// The state, if it is known.
    pub state: Option<State>,
    /// The state in words.
    pub shown: String,
    /// Inputs that were sent and that it has not taken yet, where the order of events is that of sending.
    pub under_way: Vec<GateValue>,
    /// What it allows instead.
    pub allowed: Vec<Allowed>,
    /// The switches of the observed gate that leave it, and why each is not enabled for the observed values, with no
    /// reasons where the state is not known; for silence, the switches that are enabled, with no reasons.
    pub switches: Vec<(SwitchId, Vec<explain::Reason>)>,
}

/// See the [module](self).
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Explanation {
    /// The hypotheses before the observation, at most [`MOST`].
    pub hypotheses: Vec<Left>,
    /// How many there were in all.
    pub all: usize,
}

/// How many hypotheses are explained.
pub const MOST: usize = 8;
