//! What the tester is told: inputs that were accepted or refused, observations, breakdowns.

use std::time::Duration;

use super::{FAULTS, HANGS, Mode, Pending, SPOILED, Tester};
use crate::course::Ahead;
use crate::event::{Action, GateValue, Observation};
use crate::ledger::Leftovers;
use crate::record::{End, Record};
use crate::reliance::Reliance;
use crate::settings::Walks as Walking;
use crate::sut::{Fault, FaultKind, Order};
use crate::verdict::{Cause, Open, Trouble};

impl Tester<'_> {
    /// The input that was decided on is being sent.
    pub fn sending(&mut self, now: Duration) {
        let Some((input, why)) = self.choice.take() else { return };
        if let Some(heard) = self.heard_at.take() {
            self.ledger.waited(now.saturating_sub(heard), self.run_steps);
        }
        if self.probing.is_some() {
            return self.probe_sending(&input);
        }
        self.ids += 1;
        self.record(Record::Input { id: self.ids, input: input.clone(), why });
        self.referee.sending(&input);
        self.repeats.happened(Action::Input(input.clone()));
        self.pending = Some(Pending { id: self.ids, input });
    }

    /// Something comes from the system, or it is found to be silent, at this time.
    pub fn hears(&mut self, now: Duration) {
        self.heard_at = Some(now);
    }

    /// An input was accepted. Says whether it was under way.
    pub fn accepted(&mut self, id: u64) -> bool {
        let Some(pending) = self.pending.take().filter(|p| p.id == id) else { return false };
        if self.probing.is_some() {
            self.probe_answered(id, None);
            return true;
        }
        self.record(Record::Accepted { id });
        let counted = self.referee.is_counted();
        if !counted {
            self.took(&pending.input);
        }
        let cause = self.referee.accepted();
        if !counted {
            self.goes_on(&pending.input, cause);
        }
        true
    }

    /// The system takes an input, or got it sent.
    fn took(&mut self, input: &GateValue) {
        self.keep_granted();
        self.inputs.patterns.sent(input.gate);
        self.ledger.took_input();
        self.heard = 0;
        self.owed = true;
        self.walks.ended(&self.referee);
        self.step(Some(input));
    }

    /// After an input.
    fn goes_on(&mut self, input: &GateValue, cause: Option<Cause>) {
        match cause {
            None => self.happened(Some(input)),
            Some(cause) => self.finish(cause),
        }
    }

    /// Whether silence would be no failure now.
    pub fn allows_silence(&mut self) -> bool {
        !self.in_run || self.probing.is_some() || self.referee.allows_silence()
    }

    /// Nothing came for the quiescence time, which is short by some clocks. The tester itself may have been held up for a
    /// while.
    pub fn timed_out(&mut self, took_time: bool, starved: Option<Duration>) {
        if took_time {
            self.walks.silence_takes_time();
        }
        let reliance = took_time.then(|| self.reliance(starved));
        self.saw(Observation::Delta, reliance);
    }

    /// Something came after the quiescence time, where silence would have been a failure.
    pub fn came_late(&mut self) {
        self.referee.withdrawn += 1;
        self.referee.hidden += 1;
        self.ledger.withdrew(self.last);
    }

    /// An input was refused. Says whether it was under way.
    pub fn refused(&mut self, id: u64, why: String) -> bool {
        let Some(pending) = self.pending.take().filter(|p| p.id == id) else { return false };
        if self.probing.is_some() {
            self.probe_answered(id, Some(why));
            return true;
        }
        self.record(Record::Refused { id, why: why.clone() });
        let cause = self.referee.refused(&pending.input, &why);
        // Who refuses everything would be asked for ever, except where that is a verdict, which ends the purpose.
        let fault = matches!(cause, Cause::Trouble(_));
        self.finish(cause);
        self.faults += u32::from(fault);
        if self.faults >= FAULTS {
            self.stop(End::Broken);
        }
        true
    }

    /// Something was observed.
    pub fn observed(&mut self, seen: Observation) {
        self.saw(seen, None);
    }

    /// Something was observed, or is silence by the clock, which can be relied on so far.
    fn saw(&mut self, seen: Observation, timed: Option<Reliance>) {
        self.choice = None;
        self.mute.observed(seen == Observation::Delta);
        if self.probing.is_some() {
            return self.probe_saw(seen, timed);
        }
        self.repeats.happened(Action::Seen(seen.clone()));
        self.record(timed.map_or_else(|| Record::Observed(seen.clone()), Record::TimedOut));
        let mut waiting =
            self.pending.as_ref().filter(|_| !self.referee.is_counted()).map(|pending| pending.input.clone());
        if self.referee.order() == Order::Sent
            && let Some(input) = waiting.take()
        {
            self.took(&input);
            let cause = self.referee.count();
            self.goes_on(&input, cause);
            if !self.in_run {
                return;
            }
        }
        let output = match &seen {
            Observation::Output(output) => Some(output.clone()),
            _ => None,
        };
        self.owed = false;
        self.heard += u64::from(output.is_some());
        self.step(output.as_ref());
        let withdrawn = self.referee.withdrawn;
        let cause = match timed {
            Some(reliance) => self.referee.timed_out(reliance),
            None => self.referee.observe(&seen),
        };
        if self.referee.withdrawn > withdrawn {
            self.ledger.withdrew(self.last);
            self.take_back();
        }
        if let Some(input) = waiting.filter(|_| self.referee.is_counted()) {
            self.took(&input);
            self.owed = false;
            self.happened(Some(&input));
        }
        match cause {
            Some(cause) => self.finish(cause),
            None => {
                self.happened(output.as_ref());
                if seen.is_end() && self.in_run {
                    let cause = match self.is_content() {
                        true => Cause::Reached,
                        false => Cause::Open(Open::Deviation),
                    };
                    self.finish(cause);
                }
            }
        }
    }

    /// The adapter or the surroundings broke down.
    pub fn fault(&mut self, fault: Fault) {
        self.choice = None;
        self.pending = None;
        let Fault { kind, message, stderr, again } = fault.clone();
        if self.in_run {
            self.finish(Cause::Trouble(Trouble::Fault { kind, message, stderr }));
        } else {
            self.repeats.put_back();
            self.record(Record::Fault(fault));
        }
        self.faults += 1;
        // Each of these costs a person time, whatever comes in between, and tells nothing new after a while.
        self.spoiled += u32::from(matches!(kind, FaultKind::Timeout | FaultKind::Died));
        self.hangs += u32::from(kind == FaultKind::Timeout);
        if !again || self.faults >= FAULTS || self.spoiled >= SPOILED || self.hangs >= HANGS {
            self.stop(End::Broken);
        }
    }

    /// What the connection with the system counted.
    pub fn set_leftovers(&mut self, leftovers: Leftovers) {
        self.ledger.set_leftovers(leftovers);
    }

    pub(super) fn step(&mut self, event: Option<&GateValue>) {
        self.faults = 0;
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
        self.last = event.map(|e| e.gate).or(self.last);
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
