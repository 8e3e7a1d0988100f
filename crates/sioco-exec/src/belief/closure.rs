//! All hypotheses that internal steps lead to (T-L5), and what becomes of those that do the same (T-B4).

use std::collections::VecDeque;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use sioco_model::Id;
use sioco_model::semantics::interpreter::{CLOSURE_LIMIT, CLOSURE_ROOM, Passing, StepError};
use sioco_model::semantics::live::Live;
use sioco_model::semantics::state::State;
use sioco_symbolic::key::Key;
use sioco_symbolic::step::Step;

use super::{Doubt, Hypothesis, Mind, OPEN, Place};
use crate::suite::{self, Suite, Taken};
use crate::symbolic_hypothesis::{Breaks, Extent, Trail};

/// How many conditions of hypotheses without a known state are looked at until all internal steps are followed: where more
/// would be, every event would take long.
const OPEN_CONDITIONS: usize = 2_000;

/// With how many others one of these is compared by asking a solver.
const COMPARED: usize = 16;

impl Mind<'_> {
    /// All hypotheses that internal steps lead to, those given first; equal states are merged (S1 definition 2).
    pub(super) fn close(
        &mut self,
        suite: &Suite,
        from: Vec<Hypothesis>,
        cut: &mut bool,
    ) -> Result<Vec<Hypothesis>, StepError> {
        if let [h] = &from[..]
            && let Place::Known(state) = &h.place
            && !self.interpreter.may_move_alone(state)
        {
            return Ok(from);
        }
        let mut closure = Closure::new(self.live(suite));
        for mut h in self.general_first(from) {
            self.pass_by(suite, &mut h)?;
            self.add(&mut closure, h);
        }
        let limit = closure.found.len().max(self.limit).min(closure.found.len() + CLOSURE_LIMIT);
        let (mut conditions, mut room) = (0, CLOSURE_ROOM);
        while let Some(at) = closure.open.pop_front() {
            closure.waiting.remove(&at);
            if self.end.is_over() {
                *cut = true;
                break;
            }
            let h = &closure.found[at];
            if let Place::Open(trail) = &h.place {
                conditions += 1 + self.tracker().conditions(trail);
                if conditions > OPEN_CONDITIONS {
                    *cut = true;
                    break;
                }
            }
            let next: Vec<Hypothesis> = match &h.place {
                Place::Known(state) => {
                    if !self.interpreter.may_move_alone(state) {
                        continue;
                    }
                    match self.interpreter.internal_steps(state) {
                        Ok(steps) => {
                            let step_of = |s: &sioco_model::semantics::Step| match s.receive {
                                Some(receive) => Step::Handshake { send: s.switch, receive },
                                None => Step::Switch(s.switch),
                            };
                            let moved = |(s, next): (sioco_model::semantics::Step, State)| {
                                self.moved(suite, h, step_of(&s), &s.args, Some(state), Place::Known(next), None)
                            };
                            steps.into_iter().map(moved).collect()
                        }
                        // Too many hidden choices to try: from here on the state is not known.
                        Err(StepError::NeedsSolver { .. }) => self.open_steps(suite, h, &Trail::at(state.clone()))?,
                        Err(error) => return Err(error),
                    }
                }
                Place::Open(trail) => self.open_steps(suite, h, trail)?,
            };
            for mut h in next {
                self.pass_by(suite, &mut h)?;
                let open = matches!(h.place, Place::Open(_));
                if room == 0 || closure.found.len() >= limit || (open && closure.found.len() >= OPEN) {
                    // What merges takes no room.
                    *cut |= !self.merge(&mut closure, &h);
                } else {
                    let (before, weight) = (closure.found.len(), h.state().map_or(0, State::weight));
                    self.add(&mut closure, h);
                    room = room.saturating_sub(if closure.found.len() > before { weight } else { 0 });
                }
            }
        }
        // Nobody can tell that it is where it only passes by, so nothing is lost if that is left out.
        let passing = |h: &Hypothesis| h.state().is_some_and(|s| self.interpreter.passing(s) == Passing::Several);
        let passes: Vec<bool> = closure.found.iter().map(passing).collect();
        if passes.contains(&true) && !*cut {
            let mut passes = passes.into_iter();
            closure.found.retain(|_| !passes.next().expect("one answer for each"));
        }
        Ok(closure.found)
    }

    /// Hypotheses without a known state that have fewer conditions first, since they may cover others.
    fn general_first(&mut self, mut from: Vec<Hypothesis>) -> Vec<Hypothesis> {
        if from.iter().filter(|h| h.state().is_none()).count() > 1 {
            from.sort_by_cached_key(|h| match &h.place {
                Place::Known(_) => 0,
                Place::Open(trail) => self.tracker().conditions(trail),
            });
        }
        from
    }

    /// Takes a hypothesis along internal steps as long as there is only one, and nobody could tell that it is there.
    fn pass_by(&mut self, suite: &Suite, h: &mut Hypothesis) -> Result<(), StepError> {
        let Place::Known(state) = &mut h.place else { return Ok(()) };
        while let Passing::By(switch) = self.interpreter.passing(state) {
            let step = Step::Switch(switch);
            if h.marks.is_empty() {
                self.interpreter.take(state, switch, &[])?;
            } else {
                let before = state.clone();
                self.interpreter.take(state, switch, &[])?;
                self.marks.clear();
                let taken = Taken { step, internal: true, args: &[], before: Some(&before), after: Some(state) };
                suite.follow(self.model, &h.marks, taken, &mut self.marks);
                std::mem::swap(&mut h.marks, &mut self.marks);
            }
            h.account.take(switch.index());
            h.reactions = h.reactions.take(self.model, switch);
        }
        Ok(())
    }

    fn open_steps(&mut self, suite: &Suite, h: &Hypothesis, trail: &Trail) -> Result<Vec<Hypothesis>, StepError> {
        let model = self.model;
        match self.tracker().breaks(trail, &|step| !step.is_observable(model), None) {
            Breaks::No => {}
            Breaks::Yes(error) => return Err(error),
            Breaks::Unknown => {
                self.undefined.get_or_insert(Doubt("the model may be undefined for an internal step".into()));
            }
        }
        let mut next = Vec::new();
        for (step, reason) in self.tracker().internal(trail) {
            self.unknown += u64::from(reason.is_some());
            let place = self.settled(trail.with(step, None));
            let doubt = reason.map(|why| Doubt::of_step(self.model, step, &why));
            next.push(self.moved(suite, h, step, &[], None, place, doubt));
        }
        Ok(next)
    }

    fn add(&mut self, closure: &mut Closure, h: Hypothesis) {
        if self.merge(closure, &h) {
            return;
        }
        let at = closure.found.len();
        match &h.place {
            Place::Known(state) => {
                let same = closure.states.insert(closure.live.hash(state), at as u32).unwrap_or(NONE);
                closure.same.resize(at, NONE);
                closure.same.push(same);
            }
            Place::Open(trail) => {
                if let Some(key) = self.tracker().key(trail) {
                    closure.keys.insert(key, at);
                }
                closure.extents.push((at, self.tracker().extent(trail)));
            }
        }
        closure.found.push(h);
        closure.waiting.insert(at);
        closure.open.push_back(at);
    }

    /// Merges a hypothesis into an equal one; says whether there is one.
    fn merge(&mut self, closure: &mut Closure, h: &Hypothesis) -> bool {
        let known = match &h.place {
            Place::Known(state) => closure.find(state),
            Place::Open(trail) => {
                let key = self.tracker().key(trail);
                key.and_then(|key| closure.keys.get(&key).copied())
            }
        };
        let Some(at) = known.or_else(|| self.covering(closure, h)) else { return false };
        let doubtful = closure.found[at].doubt.is_some();
        // What changed goes on to where internal steps lead from here.
        if closure.found[at].merge(h) && closure.waiting.insert(at) {
            closure.open.push_back(at);
        }
        if let (true, None, Place::Open(trail)) = (doubtful, &h.doubt, &h.place) {
            let extent = self.tracker().extent(trail);
            closure.extents.iter_mut().filter(|(n, _)| *n == at).for_each(|(_, known)| *known = extent.clone());
        }
        true
    }

    /// A hypothesis without a known state whose states are more than those of this one: with it, the other one tells
    /// nothing new. What another one claims for all of its states has to be so already.
    fn covering(&mut self, closure: &mut Closure, h: &Hypothesis) -> Option<usize> {
        let Place::Open(trail) = &h.place else { return None };
        if closure.extents.is_empty() {
            return None;
        }
        let extent = self.tracker().extent(trail);
        let tracker = self.tracker();
        let tells_all = |at: usize| {
            let other = &closure.found[at];
            (other.doubt.is_none() || h.doubt.is_some()) && !suite::merge(&mut other.marks.clone(), &h.marks)
        };
        let covers = |(at, known): &&(usize, Extent)| tells_all(*at) && tracker.covers(known, &extent);
        if let Some((at, _)) = closure.extents.iter().find(covers) {
            return Some(*at);
        }
        let mut asked = 0;
        for (at, known) in closure.extents.iter().filter(|(at, _)| tells_all(*at)) {
            if known.has_values_of(&extent) && asked < COMPARED {
                asked += 1;
                if self.tracker().follows(known, &extent, trail) {
                    return Some(*at);
                }
            }
        }
        None
    }
}

struct Closure {
    /// States that differ only in what does not matter any more are the same.
    live: Arc<Live>,
    found: Vec<Hypothesis>,
    /// For the hash of a state the last hypothesis that has it, and for each of them the one before: states are not kept
    /// twice.
    states: FxHashMap<u64, u32>,
    same: Vec<u32>,
    keys: FxHashMap<Key, usize>,
    /// What the hypotheses without a known state stand for.
    extents: Vec<(usize, Extent)>,
    open: VecDeque<usize>,
    waiting: FxHashSet<usize>,
}

/// No hypothesis.
const NONE: u32 = u32::MAX;

impl Closure {
    fn new(live: Arc<Live>) -> Closure {
        Closure {
            live,
            found: Vec::new(),
            states: FxHashMap::default(),
            same: Vec::new(),
            keys: FxHashMap::default(),
            extents: Vec::new(),
            open: VecDeque::new(),
            waiting: FxHashSet::default(),
        }
    }

    /// The hypothesis in a state.
    fn find(&self, state: &State) -> Option<usize> {
        let mut at = *self.states.get(&self.live.hash(state))?;
        while at != NONE {
            if self.found[at as usize].state().is_some_and(|other| self.live.same(other, state)) {
                return Some(at as usize);
            }
            at = self.same[at as usize];
        }
        None
    }
}
