//! What would be believed if no silence by the clock had counted (T-Q5: patient belief).
//!
//! Announced silence is certain. Silence by the clock may only mean that the system is slow: an output that it ruled out
//! may come after the next input, or after the one after that. So the hypotheses that silence by the clock rules out are
//! followed beside the belief. An observation that only they explain is no failure. It withdraws the silences, and the run
//! goes on with these hypotheses.

use rustc_hash::FxHashSet;
use sioco_model::semantics::interpreter::Quiescence;
use sioco_model::semantics::state::State;

use crate::belief::{Belief, Doubt, Hypothesis, HypothesisState, Mind};
use crate::event::GateValue;
use crate::suite::Suite;
use crate::sut::Order;
use crate::verdict::{Cause, OpenCause};

/// Why a run ends where what was observed is perhaps allowed without the silences.
const SLOW: &str = "this may be allowed if the system was slow and not quiescent before it: raise `--quiescence`";

/// See the [module](self).
#[derive(Clone, Debug)]
pub(crate) struct Patient {
    /// All hypotheses, with those of the belief.
    pub belief: Belief,
    /// How many silences it ignores.
    pub silences: u64,
}

impl Patient {
    /// After a silence by the clock, with the belief before and after it; nothing if it rules nothing out.
    pub fn after(mind: &mut Mind<'_>, before: Belief, after: &Belief, sent: usize) -> Option<Patient> {
        let mut patient = Patient { belief: before, silences: 1 };
        patient.prune(mind, sent);
        patient.differs(after).then_some(patient)
    }

    /// Something is done with the hypotheses; says whether any are left. If the model is undefined for one of them,
    /// nothing is known about them any more.
    fn change<E>(&mut self, change: impl FnOnce(&mut Belief) -> Result<bool, E>) -> bool {
        change(&mut self.belief).unwrap_or_else(|_| {
            self.belief = Belief { cut: true, ..Belief::default() };
            false
        })
    }

    /// An input was taken, or sent: then it is the last one of the queue. Says whether this is still needed.
    pub fn input(
        &mut self,
        mind: &mut Mind<'_>,
        suite: &Suite,
        order: Order,
        queue: &[GateValue],
        input: &GateValue,
    ) -> bool {
        let left = self.change(|belief| match order {
            Order::Sut | Order::Certain => mind.take(suite, belief, input),
            Order::Sent => mind.sent(suite, belief, queue).map(|()| true),
        });
        self.prune(mind, queue.len());
        left || self.belief.cut
    }

    /// Something was observed. Says whether it is explained.
    pub fn seen(&mut self, mind: &mut Mind<'_>, suite: &Suite, queue: &[GateValue], event: &GateValue) -> bool {
        let explained = self.change(|belief| match queue.is_empty() {
            true => mind.step(suite, belief, event),
            false => mind.overtaken(suite, belief, queue, event),
        });
        self.prune(mind, queue.len());
        explained
    }

    /// The system is silent, by the clock or as it says itself. Says whether that is explained.
    pub fn silent(&mut self, mind: &mut Mind<'_>, suite: &Suite, sent: usize) -> bool {
        self.change(|belief| mind.delta(suite, belief, sent))
    }

    /// Silence was only perhaps allowed: unless these hypotheses surely allow it, they rest on that question as well.
    pub fn rest_on(&mut self, mind: &mut Mind<'_>, suite: &Suite, sent: usize, doubt: &Doubt) {
        let mut quiet = self.clone();
        if quiet.silent(mind, suite, sent) && !quiet.belief.is_doubtful() {
            return;
        }
        for h in self.belief.groups.iter_mut().flat_map(|g| &mut g.hypotheses) {
            h.doubt.get_or_insert_with(|| doubt.clone());
        }
    }

    /// Why a run ends where neither the belief nor this explains what was observed, unless it fails: something was left
    /// out, or the system may have taken an input that the model does not specify there.
    pub fn excuse(&self) -> Option<Cause> {
        let unsure = self.belief.cut || self.belief.crossed || self.belief.unsure.is_some();
        unsure.then(|| Cause::Open(OpenCause::Other(SLOW.into())))
    }

    /// Leaves out hypotheses that can do nothing but take the next input that is under way: those that took it are there,
    /// too. Otherwise each silence after an input would leave something to be followed.
    fn prune(&mut self, mind: &mut Mind<'_>, sent: usize) {
        for group in self.belief.groups.iter_mut().filter(|g| g.taken < sent) {
            group.hypotheses.retain(|h| match &h.place {
                HypothesisState::Known(state) => {
                    !matches!(mind.interpreter.quiescence(state), Ok(Quiescence::Quiescent))
                }
                HypothesisState::Open(_) => true,
            });
        }
        self.belief.groups.retain(|g| !g.hypotheses.is_empty());
    }

    /// Whether there is anything that is not in the belief.
    pub fn differs(&self, belief: &Belief) -> bool {
        if self.belief.cut != belief.cut || self.belief.crossed != belief.crossed {
            return true;
        }
        let mut known: FxHashSet<(usize, &State)> = FxHashSet::default();
        let mut open: Vec<(usize, &Hypothesis)> = Vec::new();
        for group in &belief.groups {
            for h in &group.hypotheses {
                match &h.place {
                    HypothesisState::Known(state) => drop(known.insert((group.taken, state))),
                    HypothesisState::Open(_) => open.push((group.taken, h)),
                }
            }
        }
        let is_new = |taken: usize, h: &Hypothesis| match &h.place {
            HypothesisState::Known(state) => !known.contains(&(taken, state)),
            HypothesisState::Open(_) => !open.iter().any(|(t, o)| *t == taken && o.place == h.place),
        };
        self.belief.groups.iter().any(|g| g.hypotheses.iter().any(|h| is_new(g.taken, h)))
    }
}
