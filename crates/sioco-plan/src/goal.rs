//! What is to be covered, and what became of it.

use sioco_model::{LocationId, SwitchId, WrittenId};
use sioco_solve::Reason;
use sioco_symbolic::analysis::WhyNot;
use sioco_symbolic::explore::Stop;
use sioco_symbolic::reach::Clash;
use sioco_symbolic::step::Step;

use crate::purpose::PurposeId;
use crate::want::Side;

/// Something to cover.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Goal {
    /// A switch is taken (S0).
    Switch(SwitchId),
    /// A location is reached.
    Location(LocationId),
    /// An atom of the guard of a switch is on a side where the guard is asked (T-P11).
    Atom {
        /// The switch.
        switch: SwitchId,
        /// Which atom of its guard.
        atom: usize,
        /// The side.
        side: Side,
    },
    /// A purpose that somebody wrote is reached.
    Written(WrittenId),
    /// An input of a class is sent, or of a part of one (S2 section 6); by its name.
    Class(String),
    /// A transition of the composition of two models is tested (S2 definition 19); by its name.
    Transition(String),
}

/// Why a goal cannot be reached: it is proved.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Infeasible {
    /// A switch is never taken.
    Switch(WhyNot),
    /// A location is reached by no switch that can be taken.
    Location,
    /// No value will do: in none of the states where the question arises, or in no state at all.
    Values {
        /// How many states there are; nothing if it is so whatever the state is.
        states: Option<usize>,
        /// What clashes in the first of them.
        clash: Vec<Clash>,
    },
    /// What was written contradicts the model: no path fits, and all were tried.
    Written {
        /// The steps that come nearest to it, and the one after them that would go on but cannot be taken.
        path: Vec<Step>,
        /// Why not: the conditions that clash.
        clash: Vec<Clash>,
    },
}

/// What became of a goal (T-P16).
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum State {
    /// Purposes reach it. With `doubt`, all of them only perhaps.
    Covered {
        /// The purposes.
        by: Vec<PurposeId>,
        /// Whether all of them rest on an `unknown`.
        doubt: bool,
    },
    /// It is proved that nothing reaches it.
    Infeasible(Infeasible),
    /// Nothing reaches it as far as was looked.
    NotReached(Stop),
    /// It was not found out.
    Unknown(Reason),
}

impl State {
    /// Whether a purpose reaches it.
    pub fn is_covered(&self) -> bool {
        matches!(self, State::Covered { .. })
    }
}
