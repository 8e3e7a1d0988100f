//! Probes: inputs that only the implementation model defines (T-G6; S2 definition 19). The specification says nothing
//! about them, so what the system does then is recorded and reported, and not judged.

use sioco_model::IdVec;
use sioco_model::model::Model;
use sioco_plan::{Event, Plan, PurposeId};

use crate::border;
use crate::event::{GateValue, Observation};
use crate::run_number::RunNumber;
use crate::summary::Probed;

/// A probe that is under way.
#[derive(Clone, Debug)]
struct Probing {
    inputs: Vec<Event>,
    found: Probed,
    /// Whether the answer to the last input is waited for.
    waits: bool,
    done: bool,
}

/// What a probe does next.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ProbeMove {
    /// Send an input, for the probe of a purpose.
    Send(GateValue, PurposeId),
    /// Wait for the answer to the last input.
    Wait,
    /// The next input is no gate value of the model: the probe goes on without it.
    Drop,
    /// The probe is over, and so is its run.
    Over(Probed),
}

/// See the [module](self).
#[derive(Clone, Debug, Default)]
pub struct ProbeController {
    /// The inputs of the probe of each purpose; most have none.
    all: IdVec<PurposeId, Vec<Event>>,
    now: Option<Probing>,
}

impl ProbeController {
    /// For the probes of a plan.
    pub fn new(plan: &Plan) -> ProbeController {
        ProbeController::of(plan.purposes.iter().map(|p| p.probe.clone()).collect())
    }

    /// For these probes, one for each purpose, which may be empty.
    pub fn of(all: Vec<Vec<Event>>) -> ProbeController {
        ProbeController { all: all.into_iter().collect(), now: None }
    }

    /// Whether a purpose is reached for the sake of a probe.
    pub fn has(&self, purpose: PurposeId) -> bool {
        !self.all[purpose].is_empty()
    }

    /// A run begins, or ends: no probe is under way.
    pub fn stop(&mut self) {
        self.now = None;
    }

    /// A purpose was reached in a run: its probe begins.
    pub fn begin(&mut self, purpose: PurposeId, run: RunNumber) {
        let found = Probed { purpose, run, seen: Vec::new(), refused: None };
        self.now = Some(Probing { inputs: self.all[purpose].clone(), found, waits: false, done: false });
    }

    /// Whether a probe is under way.
    pub fn is_on(&self) -> bool {
        self.now.is_some()
    }

    /// What comes next; nothing if no probe is under way.
    pub fn select(&mut self, model: &Model) -> Option<ProbeMove> {
        let probing = self.now.as_mut()?;
        if probing.waits {
            return Some(ProbeMove::Wait);
        }
        let next = probing.inputs.get(probing.found.seen.len()).filter(|_| !probing.done);
        let Some(Event { gate, args }) = next else {
            return self.now.take().map(|probing| ProbeMove::Over(probing.found));
        };
        let input = GateValue { gate: *gate, args: args.clone() };
        if border::check(model, &input).is_err() {
            probing.done = true;
            return Some(ProbeMove::Drop);
        }
        Some(ProbeMove::Send(input, probing.found.purpose))
    }

    /// An input of the probe is being sent.
    pub fn sending(&mut self, input: &GateValue) {
        if let Some(probing) = &mut self.now {
            probing.found.seen.push((input.clone(), Vec::new()));
        }
    }

    /// The input was accepted, or refused with a reason.
    pub fn answered(&mut self, refused: Option<String>) {
        let Some(probing) = &mut self.now else { return };
        match refused {
            None => probing.waits = true,
            Some(why) => (probing.found.refused, probing.done) = (Some(why), true),
        }
    }

    /// Something came, or silence. What comes before an input is accepted may be no answer to it yet.
    pub fn saw(&mut self, seen: Observation, accepted: bool) {
        let Some(probing) = &mut self.now else { return };
        match seen {
            Observation::Delta => probing.waits &= !accepted,
            other => {
                probing.done |= other.is_end();
                probing.waits &= !probing.done;
                if let Some((_, answers)) = probing.found.seen.last_mut() {
                    answers.push(other);
                }
            }
        }
    }
}
