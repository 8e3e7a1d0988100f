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

/// With which values an output is allowed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Values {
    /// With those of [`Offer::args`] and no others.
    Only,
    /// All values of one parameter that are allowed, as intervals in order; the other parameters have only those of
    /// [`Offer::args`].
    Within {
        /// Which parameter.
        param: usize,
        /// Its values.
        parts: Vec<(i64, i64)>,
    },
    /// With those for which the guard of the switch holds, such as [`Offer::args`], which are none if nobody knows any.
    Some {
        /// A parameter whose least and greatest value are known.
        ends: Option<(usize, Value, Value)>,
    },
}

/// An output that some hypothesis allows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Offer {
    /// By this switch, and perhaps others.
    pub switch: SwitchId,
    /// The values of its parameters, or an example.
    pub args: Vec<Value>,
    /// What these are.
    pub values: Values,
}

/// An input of the run that only some hypotheses specify: the others ended there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Narrowed {
    /// The input.
    pub input: GateValue,
    /// Which hypotheses specify it, in words such as `where secret = 3`, if that can be told in a few.
    pub only: Option<String>,
    /// How many of them do.
    pub kept: usize,
    /// How many do not.
    pub ended: usize,
}

/// See the [module](self).
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Explanation {
    /// The hypotheses before the observation, at most [`MOST_SHOWN`].
    pub hypotheses: Vec<Left>,
    /// How many there were in all. What follows is about all of them.
    pub all: usize,
    /// Where their processes are, each location once.
    pub locations: Vec<LocationId>,
    /// The outputs that they allow, each once.
    pub offers: Vec<Offer>,
    /// Whether there are more of these than are kept.
    pub more: bool,
    /// Whether one of them allows silence.
    pub silence: bool,
    /// The switches of the observed gate, as [in a hypothesis](Left::switches).
    pub switches: Vec<(SwitchId, Vec<explain::Reason>)>,
    /// The last inputs that only some hypotheses specify, at most [`MOST_SHOWN`].
    pub narrowed: Vec<Narrowed>,
}

/// At most this many hypotheses are shown, and inputs that only some of them specify: with a line or two for each, they
/// are half a page.
pub const MOST_SHOWN: usize = 8;
