//! Sets of states: closure over internal steps, silence, and what comes after an event (T-L5 to T-L8).

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use super::TooLarge;
use super::step::{self, State, Steps};
use crate::spec::{Event, Spec};

/// A set of states.
pub type Set = BTreeSet<State>;

/// A closure may have at most this many states: a model with more is left out, since the oracle tries everything.
const MOST_STATES: usize = 3_000;
/// At most this many states may be looked at for one model, for the same reason.
const MOST_LOOKED_AT: usize = 60_000;

/// What a state does by itself.
#[derive(Clone, Debug)]
pub struct Alone {
    /// The internal steps.
    pub internal: Steps,
    /// Whether it can give an output.
    pub speaks: bool,
    /// Whether the guard of an output or something of an internal step is undefined.
    pub undefined: bool,
    /// Whether a value that an output carries is undefined though its guard holds.
    pub no_value: bool,
}

/// What comes after an event.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct After {
    /// The states, closed over internal steps.
    pub states: Set,
    /// Whether something was undefined in a state that was asked.
    pub undefined: bool,
    /// Whether something was undefined in the closure afterwards.
    pub undefined_later: bool,
    /// Whether something was undefined that does not matter: silence is ruled out anyway.
    pub needless: bool,
}

/// A model and what was found out about its states.
pub struct World<'a> {
    /// The model.
    pub spec: &'a Spec,
    alone: RefCell<HashMap<State, Rc<Alone>>>,
}

impl<'a> World<'a> {
    /// Nothing is known yet.
    pub fn new(spec: &'a Spec) -> World<'a> {
        World { spec, alone: RefCell::default() }
    }

    /// How many states were looked at.
    pub fn looked_at(&self) -> usize {
        self.alone.borrow().len()
    }

    /// What a state does by itself.
    pub fn alone(&self, state: &State) -> Result<Rc<Alone>, TooLarge> {
        if let Some(known) = self.alone.borrow().get(state) {
            return Ok(known.clone());
        }
        if self.looked_at() > MOST_LOOKED_AT {
            return Err(TooLarge);
        }
        let internal = step::internal(self.spec, state);
        let (speaks, undefined) = step::can_output(self.spec, state);
        let undefined = undefined || internal.undefined;
        let no_value = step::outputs(self.spec, state).1;
        let alone = Rc::new(Alone { internal, speaks, undefined, no_value });
        self.alone.borrow_mut().insert(state.clone(), alone.clone());
        Ok(alone)
    }

    /// The states that internal steps lead to, with those where they begin.
    pub fn closure(&self, from: impl IntoIterator<Item = State>) -> Result<(Set, /* undefined */ bool), TooLarge> {
        let mut set = Set::new();
        let mut todo: Vec<State> = from.into_iter().collect();
        let mut undefined = false;
        while let Some(state) = todo.pop() {
            if set.contains(&state) {
                continue;
            }
            let alone = self.alone(&state)?;
            undefined |= alone.internal.undefined;
            todo.extend(alone.internal.steps.iter().map(|s| s.to.clone()));
            set.insert(state);
            if set.len() > MOST_STATES {
                return Err(TooLarge);
            }
        }
        Ok((set, undefined))
    }

    /// Where a model starts.
    pub fn start(&self) -> Result<After, TooLarge> {
        let (states, undefined_later) = self.closure(step::initial(self.spec)?)?;
        Ok(After { states, undefined_later, ..After::default() })
    }

    fn after(&self, set: &Set, step: impl Fn(&State) -> Steps) -> Result<After, TooLarge> {
        let (mut next, mut undefined) = (Set::new(), false);
        for state in set {
            let found = step(state);
            undefined |= found.undefined;
            next.extend(found.steps.into_iter().map(|s| s.to));
        }
        let (states, undefined_later) = self.closure(next)?;
        Ok(After { states, undefined, undefined_later, needless: false })
    }

    /// What comes after an input.
    pub fn input(&self, set: &Set, event: &Event) -> Result<After, TooLarge> {
        self.after(set, |state| step::input(self.spec, state, event))
    }

    /// What comes after an output.
    pub fn output(&self, set: &Set, event: &Event) -> Result<After, TooLarge> {
        self.after(set, |state| step::output(self.spec, state, event))
    }

    /// What comes after silence.
    pub fn delta(&self, set: &Set) -> Result<After, TooLarge> {
        let (mut next, mut undefined, mut needless) = (Set::new(), false, false);
        for state in set {
            let alone = self.alone(state)?;
            let active = alone.speaks || !alone.internal.steps.is_empty();
            undefined |= alone.undefined && !active;
            needless |= alone.no_value || (alone.undefined && active);
            if self.may_be_silent(state)? {
                next.insert(state.clone());
            }
        }
        let (states, undefined_later) = self.closure(next)?;
        Ok(After { states, undefined, undefined_later, needless })
    }

    /// Whether a state allows silence: it enables no output and no internal step, or it is on an internal cycle whose
    /// states enable no output.
    pub fn may_be_silent(&self, state: &State) -> Result<bool, TooLarge> {
        let alone = self.alone(state)?;
        if alone.speaks {
            return Ok(false);
        }
        if alone.internal.steps.is_empty() {
            return Ok(!alone.undefined);
        }
        let mut seen = Set::new();
        let mut todo: Vec<State> = alone.internal.steps.iter().map(|s| s.to.clone()).collect();
        while let Some(other) = todo.pop() {
            if other == *state {
                return Ok(true);
            }
            let its = self.alone(&other)?;
            if its.speaks || !seen.insert(other) {
                continue;
            }
            todo.extend(its.internal.steps.iter().map(|s| s.to.clone()));
        }
        Ok(false)
    }
}
