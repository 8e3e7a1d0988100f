//! Test purposes that a user wrote: what is to happen, and what must not happen on the way.
//!
//! A purpose is a pattern over what can be observed at the gates of the model, over the places where its processes
//! are, and over data. It does not change the model: it says which of its runs are wanted.

use crate::id::{GateId, LocationId, SortId, SwitchId, TermId};

/// A purpose that a user wrote (T-P10): what is to happen, and what must not happen on the way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Purpose {
    /// Its name, unique in the model.
    pub name: String,
    /// What is to happen, from the start on. It may hold of no steps at all, which is warned of where it is certain.
    pub pattern: Pattern,
    /// What must not happen until the pattern is complete, nor as its last step: a step that is one of these ends
    /// the purpose, also where the pattern would allow it.
    pub rejects: Vec<Event>,
    /// The values that its events bind.
    pub slots: Vec<Slot>,
}

/// A value that an event binds, for conditions of it and of later events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slot {
    /// Its name; `_` for one that was not named, which no condition reads.
    pub name: String,
    /// Its sort, with its range.
    pub sort: SortId,
}

/// What is to happen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// One step.
    Event(Event),
    /// One after the other.
    Sequence(Vec<Pattern>),
    /// One of them.
    Choice(Vec<Pattern>),
    /// The same again and again. Every round binds its slots anew; what follows reads those of the last one. A round
    /// is never empty.
    Repeat {
        /// What is repeated.
        body: Box<Pattern>,
        /// How often at least.
        least: u32,
        /// How often at most; `None` is without end.
        most: Option<u32>,
    },
    /// Any observable steps, also none.
    Anything,
    /// A process is at one of these locations now (no step).
    At {
        /// The locations.
        locations: Vec<LocationId>,
        /// A Bool term over [`Term::Param`](crate::term::Term::Param)`(slot, sort)` for values bound before, and
        /// [`Term::Var`](crate::term::Term::Var) for the variables of the model now.
        condition: Option<TermId>,
    },
}

impl Pattern {
    /// Whether it may be complete without a step. Where the processes are, and the data, is not looked at.
    pub fn may_be_empty(&self) -> bool {
        match self {
            Pattern::Event(_) => false,
            Pattern::Sequence(parts) => parts.iter().all(Pattern::may_be_empty),
            Pattern::Choice(parts) => parts.iter().any(Pattern::may_be_empty),
            Pattern::Repeat { body, least, .. } => *least == 0 || body.may_be_empty(),
            Pattern::Anything | Pattern::At { .. } => true,
        }
    }
}

/// One step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// What happens.
    pub label: EventLabel,
    /// One slot per parameter of the gate; none for other labels. In a reject, they are bound only for its own
    /// condition.
    pub binds: Vec<u32>,
    /// A Bool term over [`Term::Param`](crate::term::Term::Param)`(slot, sort)` for values bound by this or earlier
    /// events, and [`Term::Var`](crate::term::Term::Var) for the variables of the model before the step.
    pub condition: Option<TermId>,
}

/// What happens in a step of a purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EventLabel {
    /// An interaction at a gate.
    Gate(GateId),
    /// Silence: nothing is observed.
    Delta,
    /// Any one observable step, silence included.
    Any,
    /// A switch, by its name; also one that nobody can observe.
    Switch(SwitchId),
}
