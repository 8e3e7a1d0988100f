//! Probes: inputs that only the implementation model defines (T-G6; S2 definition 19). The specification says nothing
//! about them, so what the system does then is recorded and reported, and not judged.

use sioco_model::IdVec;
use sioco_plan::{Event, Plan, PurposeId};

use super::{Chosen, Controller, Situation};
use crate::event::{GateValue, Observation};
use crate::ledger::Note;
use crate::malformed;
use crate::record::{Record, Why};
use crate::run::Mode;
use crate::summary::Probed;
use crate::sut::Order;
use crate::verdict::Cause;

/// A probe that is under way.
#[derive(Clone, Debug)]
struct Probing {
    inputs: Vec<Event>,
    found: Probed,
    /// Whether the answer to the last input is waited for.
    waits: bool,
    done: bool,
}

/// See the [module](self).
#[derive(Clone, Debug, Default)]
pub struct ProbeController {
    /// The inputs of the probe of each purpose; most have none.
    all: IdVec<PurposeId, Vec<Event>>,
    now: Option<Probing>,
    /// Whether one begins as soon as the answer to what came before it is there.
    put_off: bool,
}

impl ProbeController {
    /// For the probes of a plan.
    pub fn new(plan: &Plan) -> ProbeController {
        ProbeController::of(plan.purposes.iter().map(|p| p.probe.clone()).collect())
    }

    /// For these probes, one for each purpose, which may be empty.
    pub fn of(all: Vec<Vec<Event>>) -> ProbeController {
        ProbeController { all: all.into_iter().collect(), ..ProbeController::default() }
    }

    /// Whether a probe is under way: nobody judges what comes until the run ends.
    pub fn is_on(&self) -> bool {
        self.now.is_some()
    }

    /// A purpose was reached. One that is there for the sake of a probe counts only where its probe begins. Says whether it
    /// counts.
    pub fn reached(&mut self, at: &mut Situation<'_, '_>, purpose: PurposeId) -> bool {
        let inputs = &self.all[purpose];
        if inputs.is_empty() {
            return true;
        }
        if at.run.mode != Mode::Purpose(purpose) || self.is_on() || at.run.repeated {
            return false;
        }
        // What was judged before it is over first.
        self.put_off = at.is_unanswered();
        if !self.put_off {
            let found = Probed { purpose, run: at.run.number, seen: Vec::new(), refused: None };
            self.now = Some(Probing { inputs: inputs.clone(), found, waits: false, done: false });
        }
        !self.put_off
    }
}

impl Controller<Situation<'_, '_>> for ProbeController {
    fn start(&mut self, _: &mut Situation<'_, '_>) {
        (self.now, self.put_off) = (None, false);
    }

    fn select(&mut self, at: &mut Situation<'_, '_>) -> Option<Chosen> {
        let Some(probing) = &self.now else {
            let waits = std::mem::take(&mut self.put_off) && !at.position.is_quiet();
            return waits.then_some(Chosen::Wait);
        };
        if probing.waits {
            return Some(Chosen::Wait);
        }
        let next = probing.inputs.get(probing.found.seen.len()).filter(|_| !probing.done);
        if let Some(Event { gate, args }) = next {
            let input = GateValue { gate: *gate, args: args.clone() };
            if malformed::check(at.position.model(), &input).is_ok() {
                return Some(Chosen::Send(input, Why::Probe(probing.found.purpose)));
            }
            // It is no gate value of the model: the probe ends without it.
            at.notes.push(Note::Dropped);
        }
        at.notes.extend(self.now.take().map(|probing| Note::Probed(probing.found)));
        Some(Chosen::End(Cause::Reached))
    }

    fn sees(&mut self, _: &mut Situation<'_, '_>, _: Order, record: &Record) {
        let Some(probing) = &mut self.now else { return };
        match record {
            Record::Input { input, .. } => probing.found.seen.push((input.clone(), Vec::new())),
            Record::Accepted { .. } => probing.waits = true,
            Record::Refused { why, .. } => (probing.found.refused, probing.done) = (Some(why.clone()), true),
            Record::TimedOut(_) | Record::Observed(Observation::Delta) => probing.waits = false,
            Record::Observed(seen) => {
                probing.done |= seen.is_end();
                probing.waits &= !probing.done;
                if let Some((_, answers)) = probing.found.seen.last_mut() {
                    answers.push(seen.clone());
                }
            }
            _ => {}
        }
    }
}
