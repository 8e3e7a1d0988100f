//! What the tester is told: inputs that were accepted or refused, observations, breakdowns.

use std::time::Duration;

use super::Tester;
use crate::course::Ahead;
use crate::event::{Action, GateValue, Observation};
use crate::ledger::Leftovers;
use crate::record::Record;
use crate::reliance::Reliance;
use crate::run::{Mode, Pending};
use crate::settings::Walks as Walking;
use crate::sut::{Fault, Order};
use crate::verdict::{Cause, Open, Trouble};

impl Tester<'_> {
    /// The input that was decided on is being sent.
    pub fn sending(&mut self, now: Duration) {
        let Some((input, why)) = self.run.choice.take() else { return };
        if let Some(heard) = self.run.heard_at.take() {
            self.ledger.waited(now.saturating_sub(heard), self.run.steps);
        }
        self.run.ids += 1;
        let id = self.run.ids;
        self.record(Record::Input { id, input: input.clone(), why });
        if self.probe.is_on() {
            self.probe.sending(&input);
        } else {
            self.referee.sending(&input);
            self.repeats.happened(Action::Input(input.clone()));
        }
        self.run.pending = Some(Pending { id, input });
    }

    /// Something comes from the system, or it is found to be silent, at this time.
    pub fn hears(&mut self, now: Duration) {
        self.run.heard_at = Some(now);
    }

    /// An input was accepted. Says whether it was under way.
    pub fn accepted(&mut self, id: u64) -> bool {
        let Some(pending) = self.run.pending.take().filter(|p| p.id == id) else { return false };
        self.record(Record::Accepted { id });
        if self.probe.is_on() {
            self.breakdowns.step();
            self.probe.answered(None);
            return true;
        }
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
        self.tools.inputs.patterns.sent(input.gate);
        self.ledger.took_input();
        self.run.heard = 0;
        self.run.owed = true;
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
        !self.run.begun || self.probe.is_on() || self.referee.allows_silence()
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
        self.ledger.withdrew(self.run.last);
    }

    /// An input was refused. Says whether it was under way.
    pub fn refused(&mut self, id: u64, why: String) -> bool {
        let Some(pending) = self.run.pending.take().filter(|p| p.id == id) else { return false };
        self.record(Record::Refused { id, why: why.clone() });
        if self.probe.is_on() {
            self.breakdowns.step();
            self.probe.answered(Some(why));
            return true;
        }
        let cause = self.referee.refused(&pending.input, &why);
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
        self.run.choice = None;
        self.mute.observed(seen == Observation::Delta);
        self.record(timed.map_or_else(|| Record::Observed(seen.clone()), Record::TimedOut));
        if self.probe.is_on() {
            return self.probe.saw(seen, self.run.pending.is_none());
        }
        self.repeats.happened(Action::Seen(seen.clone()));
        let mut waiting =
            self.run.pending.as_ref().filter(|_| !self.referee.is_counted()).map(|pending| pending.input.clone());
        if self.referee.order() == Order::Sent
            && let Some(input) = waiting.take()
        {
            self.took(&input);
            let cause = self.referee.count();
            self.goes_on(&input, cause);
            if !self.run.begun {
                return;
            }
        }
        let output = match &seen {
            Observation::Output(output) => Some(output.clone()),
            _ => None,
        };
        self.run.owed = false;
        self.run.heard += u64::from(output.is_some());
        self.step(output.as_ref());
        let withdrawn = self.referee.withdrawn;
        let cause = match timed {
            Some(reliance) => self.referee.timed_out(reliance),
            None => self.referee.observe(&seen),
        };
        if self.referee.withdrawn > withdrawn {
            self.ledger.withdrew(self.run.last);
            self.take_back();
        }
        if let Some(input) = waiting.filter(|_| self.referee.is_counted()) {
            self.took(&input);
            self.run.owed = false;
            self.happened(Some(&input));
        }
        match cause {
            Some(cause) => self.finish(cause),
            None => {
                self.happened(output.as_ref());
                if seen.is_end() && self.run.begun {
                    let cause = match self.run.is_content() {
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
        self.run.choice = None;
        self.run.pending = None;
        match self.run.begun {
            true => {
                let Fault { kind, message, stderr, .. } = fault.clone();
                self.finish(Cause::Trouble(Trouble::Fault { kind, message, stderr }));
            }
            false => {
                self.repeats.put_back();
                self.record(Record::Fault(fault.clone()));
            }
        }
        if let Some(end) = self.breakdowns.fault(&fault) {
            self.stop(end);
        }
    }

    /// What the connection with the system counted.
    pub fn set_leftovers(&mut self, leftovers: Leftovers) {
        self.ledger.set_leftovers(leftovers);
    }

    pub(super) fn step(&mut self, event: Option<&GateValue>) {
        self.breakdowns.step();
        self.run.steps += 1;
        if let Some(e) = event
            && self.settings.walks == Walking::Guided
        {
            self.tools.inputs.remember(self.referee.model(), e.gate, &e.args);
        }
    }

    /// Something happened that the model allows.
    pub(super) fn happened(&mut self, event: Option<&GateValue>) {
        let model = self.referee.model();
        let seen = event.map(|e| (e.gate, &e.args[..]));
        self.walks.happened(model, event);
        self.run.last = event.map(|e| e.gate).or(self.run.last);
        if matches!(self.run.mode, Mode::Purpose(_)) {
            self.run.trace.push(event.cloned());
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
