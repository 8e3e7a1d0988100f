//! The driver as a [session](Session) of the loop: inputs that are sent, accepted or refused, observations, breakdowns, and
//! waits that are cut.
//!
//! A wait is cut if the campaign is ended from outside: its time is up, or the user interrupts it. A wait that was cut is
//! no silence, and no verdict rests on it.

use std::time::Duration;
use std::vec::Drain;

use sioco_model::model::Model;

use super::{Decision, Driver, Stage};
use crate::controller::{AFTER, Controller, Situation};
use crate::drive::{Session, leftovers};
use crate::event::Observation;
use crate::ledger::Leftovers;
use crate::record::{End, Record, Waiting};
use crate::reliance::Start;
use crate::run::{Mode, Pending};
use crate::settings::{Interaction, Walks};
use crate::summary::Summary;
use crate::sut::{Fault, Order, Sut};
use crate::verdict::{Cause, Trouble};

impl<'m> Session<'m> for Driver<'m> {
    type Outcome = Summary;

    fn model(&self) -> &'m Model {
        self.stage.referee.position.model()
    }

    fn decide(&mut self) -> Decision {
        // Nobody has to think about that.
        if let Some(decision) = self.is_decided() {
            return decision;
        }
        let Stage { run, tools, settings, .. } = &mut self.stage;
        if !run.begun || run.steps == 0 || run.mode == Mode::Walk {
            tools.forget_terms();
        }
        // Before a run nobody waits; from the reset on the system does.
        tools.hurry(run.begun.then_some(settings.pause));
        let decision = self.choose();
        // What is observed is judged however long that takes.
        self.stage.tools.hurry(None);
        decision
    }

    fn records(&mut self) -> Drain<'_, Record> {
        self.records.drain(..)
    }

    fn until(&self, _: &Decision) -> Option<Duration> {
        self.stage.settings.time
    }

    fn late(&mut self) {
        self.stop(End::Time);
    }

    fn over(&self) -> Option<End> {
        self.stage
            .tools
            .cancellation
            .is_over()
            .then(|| if self.stage.tools.cancellation.is_cancelled() { End::Interrupted } else { End::Time })
    }

    fn quiescence(&self) -> Duration {
        let Stage { settings, run, referee, .. } = &self.stage;
        self.slower.time(settings.quiescence, run.last, referee.belief())
    }

    fn waits_longer(&mut self) -> bool {
        // Several runs failed by silence, and one of them here: the campaign fails already, and longer waits would tell
        // nothing new.
        !self.allows_silence() && !self.silent_spots.is_known(self.spot().as_ref())
    }

    fn start_up(&self) -> Option<Start> {
        match self.repeat.is_on() {
            true => Some(Start::Whole),
            // Where a run that was repeated had all of it in vain, more is of no use.
            false if !self.silent_spots.is_empty() && self.silent_spots.has(self.spot().as_ref()) => None,
            false => Some(Start::Usual),
        }
    }

    fn patience(&self) -> Duration {
        self.stage.settings.patience
    }

    fn patience_left(&self, _: Duration) -> Option<Duration> {
        // Whatever comes meanwhile gives the input all of it again.
        Some(self.patience())
    }

    fn started(&mut self, order: Order, may_be_late: bool) {
        if may_be_late {
            self.listening.may_be_late();
        }
        self.stage.interaction = self.stage.settings.interaction.unwrap_or(match order {
            Order::Sut | Order::Certain => Interaction::Eager,
            Order::Sent => Interaction::Fair,
        });
        self.stage.referee.set_order(order);
        self.mute.start();
        let at = &mut self.stage.situation();
        let controllers: [&mut dyn Controller<Situation<'_, '_>>; 5] =
            [&mut self.probe, &mut self.listening, &mut self.repeat, &mut self.purpose, &mut self.walk];
        controllers.into_iter().for_each(|controller| controller.start(at));
        let Stage { settings, tools, run, referee, .. } = &mut self.stage;
        // Now and then a short walk: what is possible only at the start wants to be tried with many values.
        let walk_end = match settings.walks == Walks::Guided && tools.random.below(4) == 0 {
            true => settings.walk.min(AFTER.0 + tools.random.below(AFTER.1)),
            false => settings.walk,
        };
        run.begins(walk_end);
        let begins = Record::Run { run: run.number, seed: run.seed, aim: run.aim.clone(), order };
        let trouble = referee.start();
        self.record(begins);
        match trouble {
            None => self.look_at_purposes(),
            Some(cause) => self.finish(cause),
        }
    }

    fn hears(&mut self, now: Duration) {
        self.stage.run.heard_at = Some(now);
    }

    fn sending(&mut self, now: Duration) {
        let Some((input, why)) = self.stage.run.choice.take() else { return };
        if let Some(heard) = self.stage.run.heard_at.take() {
            self.stage.ledger.waited(now.saturating_sub(heard), self.stage.run.steps);
        }
        self.stage.run.ids += 1;
        let id = self.stage.run.ids;
        if self.happens(Record::Input { id, input: input.clone(), why }) {
            self.stage.referee.sending(&input);
            // Where the order is certain, every silence counts, and no run is repeated.
            if self.stage.referee.order() != Order::Certain {
                self.repeat.sent(&input);
            }
        }
        self.stage.run.pending = Some(Pending { id, input });
    }

    fn accepted(&mut self, id: u64) -> bool {
        let Some(pending) = self.stage.run.pending.take().filter(|p| p.id == id) else { return false };
        if !self.happens(Record::Accepted { id }) {
            self.breakdowns.step();
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

    fn refused(&mut self, id: u64, why: String) -> bool {
        let Some(pending) = self.stage.run.pending.take().filter(|p| p.id == id) else { return false };
        if !self.happens(Record::Refused { id, why: why.clone() }) {
            self.breakdowns.step();
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

    fn observed(&mut self, seen: Observation) {
        self.saw(seen, None);
    }

    fn came_late(&mut self) {
        self.stage.referee.withdrawn += 1;
        self.stage.referee.hidden += 1;
        self.stage.ledger.withdrew(self.stage.run.last);
    }

    fn timed_out(&mut self, took_time: bool, starved: Option<Duration>) {
        if took_time {
            self.walk.silence_takes_time();
        }
        let reliance = took_time.then(|| self.reliance(starved));
        self.saw(Observation::Delta, reliance);
    }

    fn fault(&mut self, fault: Fault) {
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

    fn cut(&mut self, overdue: Option<Waiting>) {
        self.waiting = overdue;
        self.stage.run.choice = None;
        self.stop(self.over().unwrap_or(End::Interrupted));
    }

    fn set_leftovers(&mut self, leftovers: Leftovers) {
        self.stage.ledger.set_leftovers(leftovers);
    }

    fn end(&mut self, sut: &mut dyn Sut) -> Summary {
        sut.stop();
        let remarks = sut.remarks();
        self.set_leftovers(leftovers(sut, remarks));
        self.summary()
    }
}
