//! Listening at the end of a run (T-Q9), or before the last input that there can be in it.
//!
//! A surplus output may come late: after the run, where it is not judged. So where the model allows only silence, some
//! runs end with a wait for silence. Not all of them do, since each wait costs the quiescence time.

use sioco_model::Id;
use sioco_model::model::{Label, Model};
use sioco_solve::values::Random;

use crate::account::Bits;
use crate::controller::{Chosen, Controller, Situation};
use crate::event::GateValue;
use crate::farewell::farewells;
use crate::position::Position;
use crate::record::Why;
use crate::verdict::{Cause, OpenCause};

/// This many runs end with silence, if they may: a missing or late output is then seen early, and five waits of 100 ms
/// are half a second.
const FIRST: u64 = 5;
/// After those, one of this many ends with silence. Each wait takes far longer than a step; to stop waiting altogether
/// would miss outputs that come after the end.
const LATER: u64 = 4;

/// See the [module](self).
#[derive(Clone, Debug)]
pub struct Listening {
    /// Whether outputs may come late, since the system goes on by itself.
    late: bool,
    /// How many runs might have ended with silence.
    runs: u64,
    /// Why the run ends as soon as it was listened to.
    ending: Option<Cause>,
    /// What is sent as soon as it was listened to.
    pub then: Option<(GateValue, Why)>,
    /// The input switches after which no other one can be taken.
    farewells: Bits,
}

impl Controller<Situation<'_, '_>> for Listening {
    fn start(&mut self, _: &mut Situation<'_, '_>) {
        (self.ending, self.then) = (None, None);
    }

    /// The end that was put off.
    fn select(&mut self, at: &mut Situation<'_, '_>) -> Option<Chosen> {
        let cause = self.ending.take()?;
        // What came last may have reached the purpose after all.
        let reached = matches!(cause, Cause::Open(_)) && at.run.is_content();
        Some(Chosen::End(if reached { Cause::Reached } else { cause }))
    }
}

impl Listening {
    /// For a model.
    pub fn new(model: &Model) -> Listening {
        Listening { late: false, runs: 0, ending: None, then: None, farewells: farewells(model) }
    }

    /// Outputs of the system may come at any time: it goes on by itself.
    pub fn may_be_late(&mut self) {
        self.late = true;
    }

    /// The run ends like this as soon as it was listened to.
    pub fn put_off(&mut self, cause: Cause) {
        self.ending = Some(cause);
    }

    /// Whether no input can follow this one, so that the run ends by itself.
    fn is_last(&self, position: &Position<'_>, input: &GateValue) -> bool {
        let model = position.model();
        position.ready().all(|(_, h)| {
            let Some([at]) = h.state().map(|state| state.locations()) else { return false };
            let mut outgoing = model.locations[*at].outgoing.iter();
            outgoing.any(|s| model.switches[*s].label == Label::Gate(input.gate) && self.farewells.has(s.index()))
        })
    }

    /// Whether to wait for silence before this input.
    pub fn listens_before(&mut self, at: &mut Situation<'_, '_>, input: &GateValue) -> bool {
        self.late && self.is_last(at.position, input) && self.listens(at, &Cause::Reached)
    }

    /// Whether to wait for silence before the run ends like this.
    pub fn listens(&mut self, at: &mut Situation<'_, '_>, cause: &Cause) -> bool {
        let done = matches!(cause, Cause::Reached | Cause::Open(OpenCause::Deviation));
        let idle = !self.late || at.run.steps == 0;
        if !done || idle || at.position.is_quiet() || at.position.may_answer() {
            return false;
        }
        self.runs += 1;
        // Not one of the numbers that choose the inputs.
        let mut random = Random::new(!at.settings.seed.wrapping_add(at.run.number.0));
        self.runs <= FIRST || random.below(LATER) == 0
    }
}
