//! Sets of states: closure over internal steps, silence, and what comes after an event (T-L5 to T-L8).

use std::cell::RefCell;
use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::hash::Hash;
use std::rc::Rc;

use super::TooLarge;
use super::step::{self, State, Steps};
use crate::spec::{Event, Spec};

/// A state of a [`World`], by the order in which they were met.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct StateId(u32);

/// A set of states of a [`World`]: equal sets have equal ids. The default is the empty set.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Set(u32);

impl Set {
    /// The set without states.
    pub const EMPTY: Set = Set(0);

    /// Whether it has no states.
    pub fn is_empty(self) -> bool {
        self == Set::EMPTY
    }
}

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
    /// Where the internal steps lead, each state once.
    next: Vec<StateId>,
}

/// What comes after an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
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

/// What may be observed, or sent.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Seen {
    Input(Event),
    Output(Event),
    Delta,
}

/// Things by number: equal things have equal numbers.
#[derive(Clone, Debug)]
struct Numbers<T> {
    of: HashMap<Rc<T>, u32>,
    all: Vec<Rc<T>>,
}

impl<T: Hash + Eq> Numbers<T> {
    fn new(first: Option<T>) -> Numbers<T> {
        let mut numbers = Numbers { of: HashMap::new(), all: Vec::new() };
        first.map(|t| numbers.number(t));
        numbers
    }

    fn number(&mut self, thing: T) -> u32 {
        match self.of.entry(Rc::new(thing)) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(new) => {
                let number = u32::try_from(self.all.len()).expect("there are at most some 100,000");
                self.all.push(new.key().clone());
                *new.insert(number)
            }
        }
    }
}

/// A model and what was found out about its states. Nothing is computed twice: what follows from a set of states and an
/// event is the same whenever it is asked.
pub struct World<'a> {
    /// The model.
    pub spec: &'a Spec,
    states: RefCell<Numbers<State>>,
    sets: RefCell<Numbers<Vec<StateId>>>,
    alone: RefCell<HashMap<StateId, Rc<Alone>>>,
    silent: RefCell<HashMap<StateId, bool>>,
    outputs: RefCell<HashMap<Set, Rc<Vec<Event>>>>,
    after: RefCell<HashMap<(Set, Seen), Result<After, TooLarge>>>,
}

impl<'a> World<'a> {
    /// Nothing is known yet.
    pub fn new(spec: &'a Spec) -> World<'a> {
        World {
            spec,
            states: RefCell::new(Numbers::new(None)),
            sets: RefCell::new(Numbers::new(Some(Vec::new()))),
            alone: RefCell::default(),
            silent: RefCell::default(),
            outputs: RefCell::default(),
            after: RefCell::default(),
        }
    }

    /// How many states were looked at.
    pub fn looked_at(&self) -> usize {
        self.alone.borrow().len()
    }

    fn id(&self, state: &State) -> StateId {
        StateId(self.states.borrow_mut().number(state.clone()))
    }

    fn state(&self, id: StateId) -> Rc<State> {
        self.states.borrow().all[id.0 as usize].clone()
    }

    fn set(&self, of: BTreeSet<StateId>) -> Set {
        Set(self.sets.borrow_mut().number(of.into_iter().collect()))
    }

    fn members(&self, set: Set) -> Rc<Vec<StateId>> {
        self.sets.borrow().all[set.0 as usize].clone()
    }

    /// How many states a set has.
    pub fn size(&self, set: Set) -> usize {
        self.members(set).len()
    }

    /// What a state does by itself.
    pub fn alone(&self, state: &State) -> Result<Rc<Alone>, TooLarge> {
        self.alone_by_id(self.id(state))
    }

    fn alone_by_id(&self, id: StateId) -> Result<Rc<Alone>, TooLarge> {
        if let Some(known) = self.alone.borrow().get(&id) {
            return Ok(known.clone());
        }
        if self.looked_at() > MOST_LOOKED_AT {
            return Err(TooLarge);
        }
        let state = &self.state(id);
        let internal = step::internal(self.spec, state);
        let (speaks, undefined) = step::can_output(self.spec, state);
        let undefined = undefined || internal.undefined;
        let no_value = step::outputs(self.spec, state).1;
        let mut known = HashSet::new();
        let mut next: Vec<StateId> = internal.steps.iter().map(|s| self.id(&s.to)).collect();
        next.retain(|id| known.insert(*id));
        let alone = Rc::new(Alone { internal, speaks, undefined, no_value, next });
        self.alone.borrow_mut().insert(id, alone.clone());
        Ok(alone)
    }

    /// The states that internal steps lead to, with those where they begin.
    fn closure(&self, from: impl IntoIterator<Item = StateId>) -> Result<(Set, /* undefined */ bool), TooLarge> {
        let mut set = BTreeSet::new();
        let mut todo: Vec<StateId> = from.into_iter().collect();
        let mut undefined = false;
        while let Some(state) = todo.pop() {
            if !set.insert(state) {
                continue;
            }
            if set.len() > MOST_STATES {
                return Err(TooLarge);
            }
            let alone = self.alone_by_id(state)?;
            undefined |= alone.internal.undefined;
            todo.extend(&alone.next);
        }
        Ok((self.set(set), undefined))
    }

    /// Where a model starts.
    pub fn start(&self) -> Result<After, TooLarge> {
        let initial = step::initial(self.spec)?;
        let (states, undefined_later) = self.closure(initial.iter().map(|s| self.id(s)))?;
        Ok(After { states, undefined_later, ..After::default() })
    }

    fn remember(
        &self,
        set: Set,
        seen: Seen,
        find: impl FnOnce() -> Result<After, TooLarge>,
    ) -> Result<After, TooLarge> {
        let key = (set, seen);
        if let Some(known) = self.after.borrow().get(&key) {
            return *known;
        }
        let found = find();
        self.after.borrow_mut().insert(key, found);
        found
    }

    fn steps(&self, set: Set, step: impl Fn(&State) -> Steps) -> Result<After, TooLarge> {
        let (mut next, mut undefined) = (Vec::new(), false);
        for id in self.members(set).iter() {
            let found = step(&self.state(*id));
            undefined |= found.undefined;
            next.extend(found.steps.iter().map(|s| self.id(&s.to)));
        }
        let (states, undefined_later) = self.closure(next)?;
        Ok(After { states, undefined, undefined_later, needless: false })
    }

    /// What comes after an input.
    pub fn input(&self, set: Set, event: &Event) -> Result<After, TooLarge> {
        let find = || self.steps(set, |state| step::input(self.spec, state, event));
        self.remember(set, Seen::Input(event.clone()), find)
    }

    /// What comes after an output.
    pub fn output(&self, set: Set, event: &Event) -> Result<After, TooLarge> {
        let find = || self.steps(set, |state| step::output(self.spec, state, event));
        self.remember(set, Seen::Output(event.clone()), find)
    }

    /// The outputs that some state of a set can give, each once; the order does not depend on what was asked before.
    pub fn outputs(&self, set: Set) -> Rc<Vec<Event>> {
        if let Some(known) = self.outputs.borrow().get(&set) {
            return known.clone();
        }
        let mut states: Vec<Rc<State>> = self.members(set).iter().map(|id| self.state(*id)).collect();
        states.sort();
        let (mut events, mut known) = (Vec::new(), HashSet::new());
        for (event, _) in states.iter().flat_map(|state| step::outputs(self.spec, state).0) {
            if known.insert(event.clone()) {
                events.push(event);
            }
        }
        let events = Rc::new(events);
        self.outputs.borrow_mut().insert(set, events.clone());
        events
    }

    /// What comes after silence.
    pub fn delta(&self, set: Set) -> Result<After, TooLarge> {
        self.remember(set, Seen::Delta, || {
            let (mut next, mut undefined, mut needless) = (Vec::new(), false, false);
            for id in self.members(set).iter() {
                let alone = self.alone_by_id(*id)?;
                let active = alone.speaks || !alone.internal.steps.is_empty();
                undefined |= alone.undefined && !active;
                needless |= alone.no_value || (alone.undefined && active);
                if self.may_be_silent_by_id(*id)? {
                    next.push(*id);
                }
            }
            let (states, undefined_later) = self.closure(next)?;
            Ok(After { states, undefined, undefined_later, needless })
        })
    }

    /// Whether a state allows silence: it enables no output and no internal step, or it is on an internal cycle whose
    /// states enable no output.
    pub fn may_be_silent(&self, state: &State) -> Result<bool, TooLarge> {
        self.may_be_silent_by_id(self.id(state))
    }

    fn may_be_silent_by_id(&self, id: StateId) -> Result<bool, TooLarge> {
        if let Some(known) = self.silent.borrow().get(&id) {
            return Ok(*known);
        }
        let silent = self.find_silence(id)?;
        self.silent.borrow_mut().insert(id, silent);
        Ok(silent)
    }

    fn find_silence(&self, id: StateId) -> Result<bool, TooLarge> {
        let alone = self.alone_by_id(id)?;
        if alone.speaks {
            return Ok(false);
        }
        if alone.next.is_empty() {
            return Ok(!alone.undefined);
        }
        let mut seen = HashSet::new();
        let mut todo = alone.next.clone();
        while let Some(other) = todo.pop() {
            if other == id {
                return Ok(true);
            }
            let its = self.alone_by_id(other)?;
            if !its.speaks && seen.insert(other) {
                todo.extend(&its.next);
            }
        }
        Ok(false)
    }
}
