//! What the tester is told: inputs that were accepted or refused, observations, breakdowns.

use std::time::Duration;

use super::Driver;
use crate::controller::Controller;
use crate::event::{GateValue, Observation};
use crate::ledger::Leftovers;
use crate::record::Record;
use crate::reliance::Reliance;
use crate::run::{Mode, Pending};
use crate::settings::Walks as Walking;
use crate::sut::{Fault, Order};
use crate::verdict::{Cause, Open, Trouble};

impl Driver<'_> {
    /// The input that was decided on is being sent.
    pub fn sending(&mut self, now: Duration) {
        let Some((input, why)) = self.stage.run.choice.take() else { return };
        if let Some(heard) = self.stage.run.heard_at.take() {
            self.stage.ledger.waited(now.saturating_sub(heard), self.stage.run.steps);
        }
        self.stage.run.ids += 1;
        let id = self.stage.run.ids;
        self.record(Record::Input { id, input: input.clone(), why });
        if self.probe.is_on() {
            self.probe.sending(&input);
        } else {
            self.stage.referee.sending(&input);
            // Where the order is certain, every silence counts, and no run is repeated.
            if self.stage.referee.order() != Order::Certain {
                self.repeat.sent(&input);
            }
        }
        self.stage.run.pending = Some(Pending { id, input });
    }

    /// Something comes from the system, or it is found to be silent, at this time.
    pub fn hears(&mut self, now: Duration) {
        self.stage.run.heard_at = Some(now);
    }

    /// An input was accepted. Says whether it was under way.
    pub fn accepted(&mut self, id: u64) -> bool {
        let Some(pending) = self.stage.run.pending.take().filter(|p| p.id == id) else { return false };
        self.record(Record::Accepted { id });
        if self.probe.is_on() {
            self.breakdowns.step();
            self.probe.answered(None);
            return true;
        }
        let counted = self.stage.referee.is_counted();
        if !counted {
            self.took(&pending.input);
        }
        let cause = self.stage.referee.accepted();
        if !counted {
            self.goes_on(&pending.input, cause);
        }
        true
    }

    /// The system takes an input, or got it sent.
    fn took(&mut self, input: &GateValue) {
        self.keep_granted();
        self.stage.tools.inputs.patterns.sent(input.gate);
        self.stage.ledger.took_input();
        self.stage.run.heard = 0;
        self.stage.run.owed = true;
        self.walk.ended(&self.stage.referee.position);
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
        !self.stage.run.begun || self.probe.is_on() || self.stage.referee.allows_silence()
    }

    /// Nothing came for the quiescence time, which is short by some clocks. The tester itself may have been held up for a
    /// while.
    pub fn timed_out(&mut self, took_time: bool, starved: Option<Duration>) {
        if took_time {
            self.walk.silence_takes_time();
        }
        let reliance = took_time.then(|| self.reliance(starved));
        self.saw(Observation::Delta, reliance);
    }

    /// Something came after the quiescence time, where silence would have been a failure.
    pub fn came_late(&mut self) {
        self.stage.referee.withdrawn += 1;
        self.stage.referee.hidden += 1;
        self.stage.ledger.withdrew(self.stage.run.last);
    }

    /// An input was refused. Says whether it was under way.
    pub fn refused(&mut self, id: u64, why: String) -> bool {
        let Some(pending) = self.stage.run.pending.take().filter(|p| p.id == id) else { return false };
        self.record(Record::Refused { id, why: why.clone() });
        if self.probe.is_on() {
            self.breakdowns.step();
            self.probe.answered(Some(why));
            return true;
        }
        let cause = self.stage.referee.refused(&pending.input, &why);
        // Who refuses everything would be asked for ever, except where that is a verdict, which ends the purpose.
        let fault = matches!(cause, Cause::Trouble(_));
        self.finish(cause);
        if let Some(end) = fault.then(|| self.breakdowns.refused()).flatten() {
            self.stop(end);
        }
        true
    }

    /// Something was observed.
    pub fn observed(&mut self, seen: Observation) {
        self.saw(seen, None);
    }

    /// Something was observed, or is silence by the clock, which can be relied on so far.
    fn saw(&mut self, seen: Observation, timed: Option<Reliance>) {
        self.stage.run.choice = None;
        self.mute.observed(seen == Observation::Delta);
        self.record(timed.map_or_else(|| Record::Observed(seen.clone()), Record::TimedOut));
        if self.probe.is_on() {
            return self.probe.saw(seen, self.stage.run.pending.is_none());
        }
        self.repeat.saw(&seen);
        let mut waiting = self
            .stage
            .run
            .pending
            .as_ref()
            .filter(|_| !self.stage.referee.is_counted())
            .map(|pending| pending.input.clone());
        if self.stage.referee.order() == Order::Sent
            && let Some(input) = waiting.take()
        {
            self.took(&input);
            let cause = self.stage.referee.count();
            self.goes_on(&input, cause);
            if !self.stage.run.begun {
                return;
            }
        }
        let output = match &seen {
            Observation::Output(output) => Some(output),
            _ => None,
        };
        self.stage.run.owed = false;
        self.stage.run.heard += u64::from(output.is_some());
        self.step(output);
        let withdrawn = self.stage.referee.withdrawn;
        let cause = match timed {
            Some(reliance) => self.stage.referee.timed_out(reliance),
            None => self.stage.referee.observe(&seen),
        };
        if self.stage.referee.withdrawn > withdrawn {
            self.stage.ledger.withdrew(self.stage.run.last);
            self.take_back();
        }
        if let Some(input) = waiting.filter(|_| self.stage.referee.is_counted()) {
            self.took(&input);
            self.stage.run.owed = false;
            self.happened(Some(&input));
        }
        match cause {
            Some(cause) => self.finish(cause),
            None => {
                self.happened(output);
                if seen.is_end() && self.stage.run.begun {
                    let cause = match self.stage.run.is_content() {
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
        self.stage.run.choice = None;
        self.stage.run.pending = None;
        match self.stage.run.begun {
            true => {
                let Fault { kind, message, stderr, .. } = fault.clone();
                self.finish(Cause::Trouble(Trouble::Fault { kind, message, stderr }));
            }
            false => {
                self.repeat.put_back();
                self.record(Record::Fault(fault.clone()));
            }
        }
        if let Some(end) = self.breakdowns.fault(&fault) {
            self.stop(end);
        }
    }

    /// What the connection with the system counted.
    pub fn set_leftovers(&mut self, leftovers: Leftovers) {
        self.stage.ledger.set_leftovers(leftovers);
    }

    pub(super) fn step(&mut self, event: Option<&GateValue>) {
        self.breakdowns.step();
        self.stage.run.steps += 1;
        if let Some(e) = event
            && self.stage.settings.walks == Walking::Guided
        {
            self.stage.tools.inputs.remember(self.stage.referee.model(), e.gate, &e.args);
        }
    }

    /// Something happened that the model allows.
    pub(super) fn happened(&mut self, event: Option<&GateValue>) {
        let at = &mut self.stage.situation();
        self.walk.update(at, event);
        at.run.last = event.map(|e| e.gate).or(at.run.last);
        if matches!(at.run.mode, Mode::Purpose(_)) {
            self.purpose.update(at, event);
            self.look_at_purposes();
        }
    }
}
