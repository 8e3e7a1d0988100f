//! Where a run is: what explains the observations so far, and the purposes that this stands in. Controllers choose by it;
//! verdicts are the matter of the [`Referee`](crate::referee::Referee).

use sioco_model::model::{Direction, Model};
use sioco_model::semantics::interpreter::{Quiescence, StepError};
use sioco_model::semantics::state::State;
use sioco_model::{GateId, LocationId};

use crate::account::Bits;
use crate::belief::{Belief, Hypothesis, HypothesisState, Mind};
use crate::block::Block;
use crate::event::GateValue;
use crate::suite::Suite;

/// A place where systems fall silent: the last gate of the run, and the locations of all hypotheses.
pub type Spot = (Option<GateId>, Vec<LocationId>);

/// See the [module](self).
pub struct Position<'m> {
    /// What changes the belief.
    pub mind: Mind<'m>,
    /// The purposes that hypotheses stand in.
    pub suite: Suite,
    pub(crate) belief: Belief,
    /// The deltas since the last input or output, if there are any.
    pub(crate) block: Option<Block>,
    /// All inputs that were sent in this run, where it is not known when they were taken.
    pub(crate) queue: Vec<GateValue>,
}

impl<'m> Position<'m> {
    /// Before a run.
    pub fn new(mind: Mind<'m>, suite: Suite) -> Position<'m> {
        Position { mind, suite, belief: Belief::default(), block: None, queue: Vec::new() }
    }

    /// After an input or an output, in the order in which the system took and gave them (`after`, T-L7). Says whether
    /// anything explains it.
    pub fn after(&mut self, event: &GateValue) -> Result<bool, StepError> {
        self.block = None;
        self.mind.step(&self.suite, &mut self.belief, event)
    }

    /// Where the run is after something happened at this gate, if the states are known.
    pub fn spot(&self, last: Option<GateId>) -> Option<Spot> {
        let mut locations = Vec::new();
        for h in self.belief.hypotheses() {
            locations.extend_from_slice(h.state()?.locations());
        }
        locations.sort_unstable();
        locations.dedup();
        Some((last, locations))
    }

    /// At the beginning of a run, or why the model has no defined one.
    pub fn start(&mut self) -> Result<(), StepError> {
        self.block = None;
        self.queue.clear();
        self.belief = self.mind.start(&self.suite)?;
        Ok(())
    }

    /// The model.
    pub fn model(&self) -> &'m Model {
        self.mind.model()
    }

    /// All that explains what was observed.
    pub fn belief(&self) -> &Belief {
        &self.belief
    }

    /// The hypotheses that have taken all inputs, with their place among all: what is sent next, they get next. The others
    /// stand where inputs are still to come that were sent before.
    pub fn ready(&self) -> impl Iterator<Item = (usize, &Hypothesis)> + '_ {
        let taken = self.belief.groups.iter().flat_map(|g| std::iter::repeat_n(g.taken, g.hypotheses.len()));
        let all = self.belief.hypotheses().zip(taken).enumerate();
        all.filter(|(_, (_, taken))| *taken == self.queue.len()).map(|(at, (h, _))| (at, h))
    }

    /// Whether a hypothesis takes this input next, or perhaps does.
    pub fn takes(&mut self, input: &GateValue) -> bool {
        let Position { belief, queue, mind, .. } = self;
        if !mind.interpreter.is_gate_value(input.gate, &input.args) {
            return false;
        }
        mind.tell_apart(belief, input);
        let (mut enabled, mut unsure) = (Vec::new(), Vec::new());
        let ready = belief.groups.iter().filter(|g| g.taken == queue.len());
        for h in ready.flat_map(|g| &g.hypotheses) {
            let takes = match &h.place {
                HypothesisState::Known(state) => {
                    let found =
                        mind.interpreter.enabled_switches(state, input.gate, &input.args, &mut enabled, &mut unsure);
                    found.is_err() || !enabled.is_empty() || !unsure.is_empty()
                }
                HypothesisState::Open(trail) => !mind.tracker().next(trail, input.gate, &input.args).is_empty(),
            };
            if takes {
                return true;
            }
        }
        false
    }

    /// Whether every hypothesis takes this input next, for sure (T-E4: refused inputs).
    pub fn must_take(&mut self, input: &GateValue) -> bool {
        let Position { belief, queue, mind, .. } = self;
        let (mut enabled, mut unsure) = (Vec::new(), Vec::new());
        let mut any = false;
        mind.tell_apart(belief, input);
        // Where something was not followed to its end, there may be others.
        if belief.cut || belief.groups.iter().any(|g| g.taken != queue.len()) {
            return false;
        }
        for h in belief.groups.iter().flat_map(|g| &g.hypotheses) {
            let HypothesisState::Known(state) = &h.place else { return false };
            enabled.clear();
            let found = mind.interpreter.enabled_switches(state, input.gate, &input.args, &mut enabled, &mut unsure);
            if found.is_err() || enabled.is_empty() {
                return false;
            }
            any = true;
        }
        any
    }

    /// Whether the last thing observed was silence.
    pub fn is_quiet(&self) -> bool {
        self.block.is_some()
    }

    /// The switches that were surely and possibly taken in this run.
    pub fn account(&self) -> (Bits, Bits) {
        self.belief.account(self.model().switches.len())
    }

    /// Whether some hypothesis may give an output or do something by itself, so that something may still come.
    pub fn may_act(&mut self) -> bool {
        if self.is_quiet() {
            return false;
        }
        // Inputs that are still to be taken lead to hypotheses of their own, so that waiting for them alone is of no use.
        let Position { mind, belief, .. } = self;
        belief.hypotheses().any(|h| match &h.place {
            HypothesisState::Known(state) => {
                let i = &mut mind.interpreter;
                // Most states are told by their locations.
                let may = i.may_move_alone(state) || i.outputs_at(state).next().is_some();
                may && !matches!(i.quiescence(state), Ok(Quiescence::Quiescent))
            }
            HypothesisState::Open(trail) => {
                let model = mind.model();
                mind.tracker().enabled(trail).iter().any(|s| model.direction(*s) == Some(Direction::Output))
            }
        })
    }

    /// Whether some hypothesis may give an output. What internal steps lead to is a hypothesis of its own, so that a step
    /// that is still to come is no reason to wait.
    pub fn may_answer(&mut self) -> bool {
        if self.belief.cut || !self.may_act() {
            return self.may_act();
        }
        let Position { mind, belief, .. } = self;
        belief.hypotheses().any(|h| match &h.place {
            HypothesisState::Known(state) => match mind.interpreter.quiescence(state) {
                Ok(Quiescence::Quiescent | Quiescence::Diverging) => false,
                Ok(Quiescence::Active(switch)) => mind.model().direction(switch) == Some(Direction::Output),
                Ok(Quiescence::Unknown { .. }) | Err(_) => true,
            },
            HypothesisState::Open(_) => true,
        })
    }

    /// The state, if nothing can happen in any hypothesis and one of them is not at the end of the model.
    pub fn deadlock(&mut self) -> Option<State> {
        let Position { mind, belief, .. } = self;
        let mut found = None;
        for h in belief.hypotheses() {
            let state = h.state()?;
            let is_final = state.locations().iter().all(|l| mind.model().locations[*l].is_final);
            match is_final {
                true => {}
                false if mind.interpreter.is_deadlock(state) == Ok(Some(true)) => found = found.or(Some(state.clone())),
                false => return None,
            }
        }
        found
    }
    /// Whether a delta would surely be no failure now.
    pub fn allows_silence(&mut self) -> bool {
        if let Some(block) = &self.block {
            return !block.is_refused();
        }
        if self.belief.crossed || self.belief.cut {
            return true;
        }
        let mut belief = self.belief.clone();
        match self.mind.delta(&self.suite, &mut belief, self.queue.len()) {
            // Where that is not decided, it may be a failure for all that is known.
            Ok(allowed) => allowed && !belief.is_doubtful(),
            Err(_) => true,
        }
    }
}
