//! What the tester is told: inputs that were accepted or refused, observations, breakdowns.

use super::{FAULTS, Mode, Pending, SPOILED, Tester};
use crate::course::Ahead;
use crate::event::{GateValue, Observation};
use crate::record::{End, Record};
use crate::settings::Walks as Walking;
use crate::sut::{Fault, FaultKind, Order};
use crate::verdict::{Cause, Open, Trouble, Verdict};

impl Tester<'_> {
    /// The input that was decided on is being sent.
    pub fn sending(&mut self) {
        let Some((input, why)) = self.choice.take() else { return };
        self.ids += 1;
        self.records.push(Record::Input { id: self.ids, input: input.clone(), why });
        self.pending = Some(Pending { id: self.ids, input, overtaken: false, counted: false });
    }

    /// An input was accepted. Says whether it was under way.
    pub fn accepted(&mut self, id: u64) -> bool {
        let Some(pending) = self.pending.take().filter(|p| p.id == id) else { return false };
        self.records.push(Record::Accepted { id });
        if !pending.counted {
            self.took(&pending.input, pending.overtaken);
        }
        true
    }

    /// The system took an input, or got it sent.
    pub(super) fn took(&mut self, input: &GateValue, overtaken: bool) {
        self.inputs.patterns.sent(input.gate);
        self.sent += 1;
        self.owed = true;
        self.walks.ended(&self.referee);
        self.step(Some(input));
        match self.referee.input(input) {
            None => self.happened(Some(input)),
            Some(Cause::Open(Open::Unspecified(_))) if overtaken => self.finish(Cause::Open(Open::Crossed)),
            Some(cause) => self.finish(cause),
        }
    }

    /// Whether silence would be no failure now.
    pub fn allows_silence(&mut self) -> bool {
        !self.in_run || self.referee.allows_silence()
    }

    /// Something came after the quiescence time, where silence would have been a failure.
    pub fn came_late(&mut self) {
        self.referee.withdrawn += 1;
    }

    /// An input was refused. Says whether it was under way.
    pub fn refused(&mut self, id: u64, why: String) -> bool {
        let Some(pending) = self.pending.take().filter(|p| p.id == id) else { return false };
        self.records.push(Record::Refused { id, why: why.clone() });
        self.finish(Cause::Trouble(Trouble::Refused { input: pending.input, why }));
        self.steps += 1;
        // Who refuses everything would be asked for ever.
        self.faults += 1;
        if self.faults >= FAULTS {
            self.stop(End::Broken);
        }
        true
    }

    /// Something was observed.
    pub fn observed(&mut self, seen: Observation) {
        self.choice = None;
        self.records.push(Record::Observed(seen.clone()));
        if let Some(pending) = &mut self.pending {
            pending.overtaken = true;
            // Where it is only known that inputs were sent, this one may have been taken before what comes now, even if the
            // adapter has not said yet that it was sent.
            if self.order == Order::Sent && !std::mem::replace(&mut pending.counted, true) {
                let input = pending.input.clone();
                self.took(&input, false);
                if !self.in_run {
                    return;
                }
            }
        }
        let output = match &seen {
            Observation::Output(output) => Some(output.clone()),
            _ => None,
        };
        self.owed = false;
        self.step(output.as_ref());
        match self.referee.observe(&seen) {
            Some(Cause::Failure(_)) if self.is_early(&seen) => {
                let message = "an answer came before `accepted` of the input that it answers; in the order `sut`, the adapter \
                               says `accepted` first";
                let trouble = Trouble::Fault { kind: FaultKind::Protocol, message: message.into(), stderr: Vec::new() };
                self.finish(Cause::Trouble(trouble));
                self.spoiled += 1;
                if self.spoiled >= SPOILED {
                    self.stop(End::Broken);
                }
            }
            Some(cause) => self.finish(cause),
            None => {
                self.happened(output.as_ref());
                if seen == Observation::Closed && self.in_run {
                    let cause = match self.is_content() {
                        true => Cause::Reached,
                        false => Cause::Open(Open::Deviation),
                    };
                    self.finish(cause);
                }
            }
        }
    }

    /// Whether an output that nothing explains would be explained if the input that is under way had been taken: then the
    /// adapter has told them in the wrong order, and nothing is known about the system.
    pub(super) fn is_early(&mut self, seen: &Observation) -> bool {
        let Some(pending) = self.pending.as_ref().filter(|p| !p.counted) else { return false };
        let input = pending.input.clone();
        self.referee.explains_after(&input, seen)
    }

    /// The adapter or the surroundings broke down.
    pub fn fault(&mut self, fault: Fault) {
        self.choice = None;
        self.pending = None;
        let Fault { kind, message, stderr, again } = fault.clone();
        if self.in_run {
            self.finish(Cause::Trouble(Trouble::Fault { kind, message, stderr }));
        } else {
            self.records.push(Record::Fault(fault));
            self.worst = self.worst.max(Some(Verdict::Error));
            self.bad(Verdict::Error, Cause::Trouble(Trouble::Fault { kind, message, stderr }));
        }
        self.faults += 1;
        // Each of these costs a person many seconds, whatever comes in between.
        self.spoiled += u32::from(kind == FaultKind::Timeout);
        if !again || self.faults >= FAULTS || self.spoiled >= SPOILED {
            self.stop(End::Broken);
        }
    }

    /// Outputs that were dropped so far: those of older runs during later ones, and those after the end of their run.
    pub fn set_dropped(&mut self, stale: u64, unheard: u64) {
        (self.stale, self.unheard) = (stale, unheard);
    }

    pub(super) fn step(&mut self, event: Option<&GateValue>) {
        self.faults = 0;
        self.steps += 1;
        self.run_steps += 1;
        if let Some(e) = event
            && self.settings.walks == Walking::Guided
        {
            self.inputs.remember(self.referee.model(), e.gate, &e.args);
        }
    }

    /// Something happened that the model allows.
    pub(super) fn happened(&mut self, event: Option<&GateValue>) {
        let model = self.referee.model();
        let seen = event.map(|e| (e.gate, &e.args[..]));
        self.walks.happened(model, event);
        if matches!(self.mode, Mode::Purpose(_)) {
            self.trace.push(event.cloned());
            let went = match &mut self.course {
                // Silence that nobody asked for changes nothing.
                Some((_, course)) if seen.is_none() && course.ahead(model) != Ahead::Own => true,
                Some((_, course)) => course.advance(model, seen),
                None => true,
            };
            if !went || self.course.as_ref().is_some_and(|(_, c)| c.guess) {
                self.course = None;
            }
            self.look_at_purposes();
        }
    }
}
