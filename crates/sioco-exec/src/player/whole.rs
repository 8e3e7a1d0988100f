//! All states that explain what happened, where the player follows only some of them: of free variables, and of hidden
//! choices among too many values (T-E6).
//!
//! The player asks for it only if no state that it follows allows an event. The belief then catches up with the events
//! since the last question.

use std::sync::{Arc, Mutex};

use sioco_model::Model;
use sioco_model::semantics::{Interpreter, State};
use sioco_solve::StateOracle;
use sioco_symbolic::path::SolverFactory;

use super::Event;
use crate::belief::{self, HypothesisState, Mind};
use crate::suite::Suite;

/// At most this many hypotheses are followed by a system that is played. It answers in a loop with the tester, so it
/// gets a tenth of what the [tester](crate::Settings) follows.
const HYPOTHESES: usize = 1_000;

/// What the model does with an event after what happened.
pub(super) enum Answer {
    /// It may be in these states then; and whether these are all.
    Possible(Vec<State>, bool),
    /// Whatever the hidden values are, it does not specify or allow this.
    Impossible,
    /// That is not known.
    Unknown,
}

/// See the [module](self).
pub(super) struct Whole<'m> {
    mind: Mind<'m>,
    suite: Suite,
    /// What explains the first of the events that happened, as many as are counted; nothing if that is not known.
    belief: Option<belief::Belief>,
    events: usize,
    /// Whether a run began since it was asked last.
    fresh: bool,
}

impl<'m> Whole<'m> {
    pub fn new(model: &'m Model, oracle: Option<Arc<Mutex<StateOracle>>>, solvers: SolverFactory<'m>) -> Whole<'m> {
        let mut interpreter = Interpreter::new(model);
        if let Some(oracle) = oracle {
            interpreter = interpreter.with_oracle(oracle);
        }
        let mind = Mind::new(model, interpreter, solvers, HYPOTHESES);
        Whole { mind, suite: Suite::default(), belief: None, events: 0, fresh: true }
    }

    /// A run begins.
    pub fn begin(&mut self) {
        self.fresh = true;
    }

    /// What the model does with an event after those that happened since the run began.
    pub fn after(&mut self, happened: &[Event], event: &Event, seed: u64) -> Answer {
        if std::mem::take(&mut self.fresh) {
            self.belief = self.mind.start(&self.suite).ok();
            self.events = 0;
        }
        for past in happened.get(self.events..).unwrap_or_default() {
            let mut belief = self.belief.take();
            if belief.as_mut().is_some_and(|belief| self.step(belief, past) == Some(true)) {
                self.belief = belief;
            }
        }
        self.events = happened.len();
        let Some(mut belief) = self.belief.clone() else { return Answer::Unknown };
        match self.step(&mut belief, event) {
            Some(true) => {}
            Some(false) if !belief.cut => return Answer::Impossible,
            Some(false) | None => return Answer::Unknown,
        }
        let mut states = Vec::new();
        let mut whole = !belief.cut;
        for hypothesis in belief.hypotheses() {
            whole &= hypothesis.doubt.is_none();
            match &hypothesis.place {
                _ if hypothesis.doubt.is_some() => {}
                HypothesisState::Known(state) => states.push(state.clone()),
                HypothesisState::Open(trail) => {
                    whole = false;
                    states.extend(self.mind.tracker().some_state(trail, seed));
                }
            }
        }
        states.sort_unstable();
        states.dedup();
        if states.is_empty() { Answer::Unknown } else { Answer::Possible(states, whole) }
    }

    /// What is believed after an event; `false` if nothing explains it. Nothing if the model is undefined there, or a
    /// question was left open.
    fn step(&mut self, belief: &mut belief::Belief, event: &Event) -> Option<bool> {
        match event {
            Event::At(at) => self.mind.step(&self.suite, belief, at).ok(),
            Event::Delta => self.mind.delta(&self.suite, belief, 0).ok(),
        }
    }
}
