//! How hypotheses are followed along internal steps (T-L5), and what becomes of those that do the same (T-B4).
//!
//! The traversal is that of [`sioco_model::semantics::closure`], as for known states. This module adds what a hypothesis carries
//! besides its state, and hypotheses without a known state. For the latter, a solver decides whether a step is possible
//! and whether one hypothesis covers another.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use sioco_model::semantics::closure::{self, CLOSURE_LIMIT, Closure, Follow, Observe};
use sioco_model::semantics::interpreter::{Passing, StepError};
use sioco_model::semantics::live::Live;
use sioco_model::semantics::state::State;
use sioco_model::{GateId, Id, SwitchId, Value};
use sioco_symbolic::key::Key;
use sioco_symbolic::step::Step;

use super::{Doubt, Hypothesis, HypothesisState, Mind, Move, OPEN_HYPOTHESES};
use crate::event::GateValue;
use crate::suite::{self, Suite, Taken};
use crate::symbolic_hypothesis::{Breaks, Extent, Trail};

/// At most this many conditions of hypotheses without a known state are looked at until all internal steps are
/// followed: where more would be, every event would take long. Measured: half and twice as many change no run of the
/// examples; on a model with three internal ways after each input, 60 steps take 0.08 s of computing with half, and
/// 0.11 s with twice as many.
const OPEN_CONDITIONS: usize = 2_000;

/// Each of these hypotheses is compared with at most this many others by asking a solver. A question takes longer than
/// a few further hypotheses do; equal ones that are missed only cost work.
const COMPARED: usize = 16;

/// Follows hypotheses.
pub(super) struct Hypotheses<'c, 'm> {
    mind: &'c mut Mind<'m>,
    suite: &'c Suite,
    /// The hypotheses without a known state, by what they have in common if they are the same.
    keys: FxHashMap<Key, usize>,
    /// What they stand for.
    extents: Vec<(usize, Extent)>,
    /// How many conditions of these were looked at.
    conditions: usize,
}

impl Follow for Hypotheses<'_, '_> {
    type Member = Hypothesis;

    /// Whatever another way took counts, also if no more hypotheses are followed.
    const GOES_ON: bool = true;

    fn state<'h>(&self, member: &'h Hypothesis) -> Option<&'h State> {
        member.state()
    }

    fn live(&mut self) -> Option<Arc<Live>> {
        Some(self.mind.live(self.suite))
    }

    fn limit(&self, given: usize) -> usize {
        given.max(self.mind.limit).min(given + CLOSURE_LIMIT)
    }

    fn stays(&self, member: &Hypothesis) -> bool {
        member.state().is_some_and(|state| !self.mind.interpreter.may_move_alone(state))
    }

    fn internal(&mut self, _at: usize, h: &Hypothesis) -> Result<Option<Vec<Hypothesis>>, StepError> {
        if self.mind.end.is_over() {
            return Ok(None);
        }
        let state = match &h.place {
            HypothesisState::Known(state) => state,
            HypothesisState::Open(trail) => {
                self.conditions += 1 + self.mind.tracker().conditions(trail);
                return match self.conditions > OPEN_CONDITIONS {
                    true => Ok(None),
                    false => self.mind.open_steps(self.suite, h, trail).map(Some),
                };
            }
        };
        match self.mind.interpreter.internal_steps(state) {
            Ok(steps) => {
                let step_of = |s: &sioco_model::semantics::Step| match s.receive {
                    Some(receive) => Step::Handshake { send: s.switch, receive },
                    None => Step::Switch(s.switch),
                };
                let moved = |(s, next): (sioco_model::semantics::Step, State)| {
                    let (step, place) = (step_of(&s), HypothesisState::Known(next));
                    let to = Move { step, args: &s.args, before: Some(state), place, doubt: None };
                    self.mind.moved(self.suite, h, to)
                };
                Ok(Some(steps.into_iter().map(moved).collect()))
            }
            // Too many hidden choices to try: from here on the state is not known.
            Err(StepError::NeedsSolver { .. }) => {
                self.mind.open_steps(self.suite, h, &Trail::at(state.clone())).map(Some)
            }
            Err(error) => Err(error),
        }
    }

    fn passing(&mut self, h: &Hypothesis) -> Option<SwitchId> {
        match self.mind.interpreter.passing(h.state()?) {
            Passing::By(switch) => Some(switch),
            Passing::Stays | Passing::Several => None,
        }
    }

    fn pass(&mut self, h: &mut Hypothesis, switch: SwitchId) -> Result<(), StepError> {
        let Mind { model, interpreter, marks, .. } = &mut *self.mind;
        let HypothesisState::Known(state) = &mut h.place else { return Ok(()) };
        let step = Step::Switch(switch);
        if h.marks.is_empty() {
            interpreter.take(state, switch, &[])?;
        } else {
            let before = state.clone();
            interpreter.take(state, switch, &[])?;
            marks.clear();
            let taken = Taken { step, internal: true, args: &[], before: Some(&before), after: Some(state) };
            self.suite.follow(model, &h.marks, taken, marks);
            std::mem::swap(&mut h.marks, marks);
        }
        h.account.take(switch.index());
        h.reactions = h.reactions.take(model, switch);
        Ok(())
    }

    fn known(&mut self, found: &[Hypothesis], h: &Hypothesis) -> Option<usize> {
        let HypothesisState::Open(trail) = &h.place else { return None };
        let key = self.mind.tracker().key(trail);
        let same = key.and_then(|key| self.keys.get(&key).copied());
        same.or_else(|| self.covering(found, h, trail))
    }

    fn admits(&mut self, count: usize, h: &Hypothesis) -> bool {
        h.state().is_some() || count < OPEN_HYPOTHESES
    }

    fn added(&mut self, at: usize, h: &Hypothesis) {
        let HypothesisState::Open(trail) = &h.place else { return };
        if let Some(key) = self.mind.tracker().key(trail) {
            self.keys.insert(key, at);
        }
        self.extents.push((at, self.mind.tracker().extent(trail)));
    }

    fn merge(&mut self, at: usize, known: &mut Hypothesis, h: &Hypothesis) -> bool {
        let doubtful = known.doubt.is_some();
        let changed = known.merge(h);
        if let (true, None, HypothesisState::Open(trail)) = (doubtful, &h.doubt, &h.place) {
            let extent = self.mind.tracker().extent(trail);
            self.extents.iter_mut().filter(|(n, _)| *n == at).for_each(|(_, known)| *known = extent.clone());
        }
        changed
    }
}

impl Observe for Hypotheses<'_, '_> {
    fn interact(
        &mut self,
        h: &Hypothesis,
        gate: GateId,
        args: &[Value],
        found: &mut Vec<Hypothesis>,
    ) -> Result<(), StepError> {
        self.mind.interact(self.suite, h, gate, args, found)
    }

    fn quiet(&mut self, h: &Hypothesis, found: &mut Vec<Hypothesis>) -> Result<(), StepError> {
        self.mind.silent(self.suite, h, found)
    }

    /// Hypotheses without a known state that have fewer conditions come first, since they may cover others.
    fn arrange(&mut self, found: &mut Vec<Hypothesis>) {
        if found.iter().filter(|h| h.state().is_none()).count() > 1 {
            found.sort_by_cached_key(|h| match &h.place {
                HypothesisState::Known(_) => 0,
                HypothesisState::Open(trail) => self.mind.tracker().conditions(trail),
            });
        }
    }
}

impl Hypotheses<'_, '_> {
    /// A hypothesis without a known state whose states are more than those of this one: with it, the other one tells
    /// nothing new. What another one claims for all of its states has to be so already.
    fn covering(&mut self, found: &[Hypothesis], h: &Hypothesis, trail: &Trail) -> Option<usize> {
        if self.extents.is_empty() {
            return None;
        }
        let extent = self.mind.tracker().extent(trail);
        let tracker = self.mind.tracker();
        let tells_all = |at: usize| {
            let other = &found[at];
            (other.doubt.is_none() || h.doubt.is_some()) && !suite::merge(&mut other.marks.clone(), &h.marks)
        };
        let covers = |(at, known): &&(usize, Extent)| tells_all(*at) && tracker.covers(known, &extent);
        if let Some((at, _)) = self.extents.iter().find(covers) {
            return Some(*at);
        }
        let mut asked = 0;
        for (at, known) in self.extents.iter().filter(|(at, _)| tells_all(*at)) {
            if known.has_values_of(&extent) && asked < COMPARED {
                asked += 1;
                if self.mind.tracker().follows(known, &extent, trail) {
                    return Some(*at);
                }
            }
        }
        None
    }
}

impl<'m> Mind<'m> {
    fn hypotheses<'c>(&'c mut self, suite: &'c Suite) -> Hypotheses<'c, 'm> {
        Hypotheses { mind: self, suite, keys: FxHashMap::default(), extents: Vec::new(), conditions: 0 }
    }

    /// All hypotheses that internal steps lead to, those given first; equal states are merged (S1 definition 2).
    pub(super) fn close(
        &mut self,
        suite: &Suite,
        mut from: Vec<Hypothesis>,
        cut: &mut bool,
    ) -> Result<Vec<Hypothesis>, StepError> {
        let mut hypotheses = self.hypotheses(suite);
        hypotheses.arrange(&mut from);
        let closure = closure::close(&mut hypotheses, from)?;
        Ok(self.without_passing(closure, cut))
    }

    /// The hypotheses after an interaction, closed over internal steps.
    pub(super) fn next(
        &mut self,
        suite: &Suite,
        from: &[Hypothesis],
        event: &GateValue,
        cut: &mut bool,
    ) -> Result<Vec<Hypothesis>, StepError> {
        let closure = closure::after(&mut self.hypotheses(suite), from, event.gate, &event.args)?;
        Ok(self.without_passing(closure, cut))
    }

    /// The same after silence.
    pub(super) fn next_after_delta(
        &mut self,
        suite: &Suite,
        from: &[Hypothesis],
        cut: &mut bool,
    ) -> Result<Vec<Hypothesis>, StepError> {
        let closure = closure::after_delta(&mut self.hypotheses(suite), from)?;
        Ok(self.without_passing(closure, cut))
    }

    /// Leaves out hypotheses that are only passing by: nobody can tell that one is there, so that nothing is lost.
    fn without_passing(&mut self, closure: Closure<Hypothesis>, cut: &mut bool) -> Vec<Hypothesis> {
        let mut found = closure.states;
        *cut |= closure.cut;
        if let [h] = &found[..]
            && h.state().is_some_and(|state| !self.interpreter.may_move_alone(state))
        {
            return found;
        }
        let passing = |h: &Hypothesis| h.state().is_some_and(|s| self.interpreter.passing(s) == Passing::Several);
        let passes: Vec<bool> = found.iter().map(passing).collect();
        if passes.contains(&true) && !*cut {
            let mut passes = passes.into_iter();
            found.retain(|_| !passes.next().expect("one answer for each"));
        }
        found
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
            next.push(self.moved(suite, h, Move { step, args: &[], before: None, place, doubt }));
        }
        Ok(next)
    }
}
