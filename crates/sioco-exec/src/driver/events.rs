//! How the driver handles events: inputs that were taken, and observations.

use super::Driver;
use crate::controller::Controller;
use crate::event::{GateValue, Observation};
use crate::record::Record;
use crate::reliance::Reliance;
use crate::run::Mode;
use crate::settings::Walks as Walking;
use crate::sut::Order;
use crate::verdict::{Cause, OpenCause};

impl Driver<'_> {
    /// Something passes between the tester and the system. Says whether it is judged: what comes of a probe is not (T-G6).
    pub(super) fn happens(&mut self, record: Record) -> bool {
        let order = self.stage.referee.order();
        self.probe.sees(&mut self.stage.situation(), order, &record);
        self.record(record);
        !self.probe.is_on()
    }

    /// The system takes an input, or got it sent.
    pub(super) fn took(&mut self, input: &GateValue) {
        self.keep_granted();
        self.stage.tools.inputs.patterns.sent(input.gate);
        self.stage.ledger.took_input();
        self.stage.run.heard = 0;
        self.stage.run.owed = true;
        self.walk.ended(&self.stage.referee.position);
        self.step(Some(input));
    }

    /// After an input.
    pub(super) fn goes_on(&mut self, input: &GateValue, cause: Option<Cause>) {
        match cause {
            None => self.happened(Some(input)),
            Some(cause) => self.finish(cause),
        }
    }

    /// Whether silence would be no failure now.
    pub(super) fn allows_silence(&mut self) -> bool {
        !self.stage.run.begun || self.probe.is_on() || self.stage.referee.allows_silence()
    }

    /// Something was observed, or is silence by the clock, which can be relied on so far.
    pub(super) fn saw(&mut self, seen: Observation, timed: Option<Reliance>) {
        self.stage.run.choice = None;
        self.mute.observed(seen == Observation::Delta);
        if !self.happens(timed.map_or_else(|| Record::Observed(seen.clone()), Record::TimedOut)) {
            return;
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
                        false => Cause::Open(OpenCause::Deviation),
                    };
                    self.finish(cause);
                }
            }
        }
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
