//! Listening at the end of a run (T-Q9), or before the last input that there can be in it.
//!
//! What a system gives too much may come late: after the run, where nobody judges it. So where the model allows nothing
//! but silence, some runs end with it. That costs the quiescence time, so that not all of them do.

use sioco_model::Id;
use sioco_model::model::{Label, Model};
use sioco_solve::values::Random;

use super::Tester;
use crate::account::Bits;
use crate::event::GateValue;
use crate::farewell::farewells;
use crate::record::Why;
use crate::verdict::{Cause, Open};

/// So many runs end with silence, if they may.
const FIRST: u64 = 5;
/// And then one of so many.
const LATER: u64 = 4;

/// See the [module](self).
#[derive(Clone, Debug)]
pub(super) struct Listening {
    /// Whether outputs may come late, since the system goes on by itself.
    pub(super) late: bool,
    /// How many runs might have ended with silence.
    runs: u64,
    /// Why the run ends as soon as it was listened to.
    pub(super) ending: Option<Cause>,
    /// What is sent as soon as it was listened to.
    pub(super) then: Option<(GateValue, Why)>,
    /// The input switches after which no other one can be taken.
    farewells: Bits,
}

impl Listening {
    /// For a model.
    pub(super) fn new(model: &Model) -> Listening {
        Listening { late: false, runs: 0, ending: None, then: None, farewells: farewells(model) }
    }
}

impl Tester<'_> {
    /// Outputs of the system may come at any time: it goes on by itself.
    pub fn may_be_late(&mut self) {
        self.listening.late = true;
    }

    /// Whether no input can follow this one, so that the run ends by itself.
    fn is_last(&self, input: &GateValue) -> bool {
        let model = self.model();
        self.referee.ready().all(|(_, h)| {
            let Some([at]) = h.state().map(|state| state.locations()) else { return false };
            let mut outgoing = model.locations[*at].outgoing.iter();
            outgoing
                .any(|s| model.switches[*s].label == Label::Gate(input.gate) && self.listening.farewells.has(s.index()))
        })
    }

    /// Whether to wait for silence before this input.
    pub(super) fn listens_before(&mut self, input: &GateValue) -> bool {
        self.listening.late && self.is_last(input) && self.listens(&Cause::Reached)
    }

    /// Whether something is owed: nothing explains quiescence. Then the run ends only after one more observation, also where
    /// it has left its purpose (T-Q9).
    pub(super) fn owes(&mut self) -> bool {
        !self.referee.is_quiet() && !self.referee.allows_silence()
    }

    /// Whether to wait for silence before the run ends like this.
    pub(super) fn listens(&mut self, cause: &Cause) -> bool {
        let done = matches!(cause, Cause::Reached | Cause::Open(Open::Deviation));
        let idle = !self.listening.late || self.run.steps == 0;
        if !done || idle || self.referee.is_quiet() || self.referee.may_answer() {
            return false;
        }
        self.listening.runs += 1;
        // Not one of the numbers that choose the inputs.
        let mut random = Random::new(!self.settings.seed.wrapping_add(self.run.number));
        self.listening.runs <= FIRST || random.below(LATER) == 0
    }
}
