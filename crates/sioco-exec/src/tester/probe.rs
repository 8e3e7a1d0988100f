//! Probes: inputs that only the implementation model defines (T-G6; S2 definition 19). The specification says nothing
//! about them, so what the system does then is recorded and told, and judged by nobody.

use sioco_plan::Event;

use super::{Decision, Pending, Tester};
use crate::border;
use crate::event::{GateValue, Observation};
use crate::record::{Record, Why};
use crate::reliance::Reliance;
use crate::summary::Probed;
use crate::verdict::Cause;

/// A probe that is under way.
#[derive(Clone, Debug)]
pub(super) struct Probing {
    purpose: usize,
    inputs: Vec<Event>,
    found: Probed,
    /// Whether the answer to the last input is waited for.
    waits: bool,
    done: bool,
}

impl Tester<'_> {
    /// A purpose was reached: its probe begins, if it has one.
    pub(super) fn begin_probe(&mut self, purpose: usize) {
        let inputs = self.probes[purpose].clone();
        let found = Probed { purpose, run: self.run, seen: Vec::new(), refused: None };
        self.probing = Some(Probing { purpose, inputs, found, waits: false, done: false });
    }

    /// What a probe does next; nothing if none is under way, or if it is over.
    pub(super) fn probe(&mut self) -> Option<Decision> {
        let probing = self.probing.as_mut()?;
        if probing.waits {
            return Some(Decision::Wait);
        }
        let next = probing.inputs.get(probing.found.seen.len()).filter(|_| !probing.done);
        let Some(Event { gate, args }) = next else {
            let found = probing.found.clone();
            self.ledger.probed(found);
            self.probing = None;
            self.finish(Cause::Reached);
            return None;
        };
        let input = GateValue { gate: *gate, args: args.clone() };
        if border::check(self.referee.model(), &input).is_err() {
            probing.done = true;
            self.ledger.dropped_input();
            return None;
        }
        self.choice = Some((input.clone(), Why::Probe(probing.purpose)));
        Some(Decision::Send { id: self.ids + 1, input, at_once: true })
    }

    /// An input of a probe is being sent.
    pub(super) fn probe_sending(&mut self, input: &GateValue) {
        self.ids += 1;
        let Some(probing) = &mut self.probing else { return };
        let why = Why::Probe(probing.purpose);
        probing.found.seen.push((input.clone(), Vec::new()));
        self.record(Record::Input { id: self.ids, input: input.clone(), why });
        self.pending = Some(Pending { id: self.ids, input: input.clone() });
    }

    /// It was accepted, or refused with a reason.
    pub(super) fn probe_answered(&mut self, id: u64, refused: Option<String>) {
        self.faults = 0;
        self.record(match &refused {
            None => Record::Accepted { id },
            Some(why) => Record::Refused { id, why: why.clone() },
        });
        let Some(probing) = &mut self.probing else { return };
        probing.waits |= refused.is_none();
        probing.done |= refused.is_some();
        probing.found.refused = refused;
    }

    /// Something came, or silence.
    pub(super) fn probe_saw(&mut self, seen: Observation, timed: Option<Reliance>) {
        self.record(timed.map_or_else(|| Record::Observed(seen.clone()), Record::TimedOut));
        let Some(probing) = &mut self.probing else { return };
        match seen {
            Observation::Delta => probing.waits = self.pending.is_some() && probing.waits,
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
