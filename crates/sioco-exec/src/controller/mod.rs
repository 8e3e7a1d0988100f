//! Controllers: what to do next (S0 algorithm 1; S3 rules 0 to 6; S1 section 3.2). Each knows one reason to act, or
//! [follows](Follower) something that was recorded, and none gives verdicts: they see the [`Position`] of the run, not its
//! [`Referee`](crate::referee::Referee).

pub mod probe;
pub mod purpose;
pub mod repeat;
pub mod replay;
mod rest;
pub mod trial;
pub mod walk;

use sioco_model::IdVec;
use sioco_plan::{Intent, PurposeId};

use crate::event::{Action, GateValue};
use crate::ledger::Note;
use crate::position::Position;
use crate::record::{Record, Why};
use crate::run::Run;
use crate::settings::{Interaction, Settings};
use crate::summary::PurposeResult;
use crate::sut::Order;
use crate::tools::Tools;
use crate::verdict::Cause;

/// After this many outputs in a row, a tester that waits for them sends something all the same: some systems never
/// stop. Answers seldom have more outputs; with fewer, it would interrupt them.
pub(crate) const HEARD: u64 = 4;
/// How many steps a walk has after a purpose, or if it is a short one: at least so many, and up to so many more.
pub(crate) const AFTER: (u64, u64) = (2, 9);

/// What a controller chooses.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Chosen {
    /// To send an input.
    Send(GateValue, Why),
    /// To wait for what the system does, or for silence.
    Wait,
    /// To take what has come already.
    Look,
    /// Things have changed: whoever acts now decides.
    Again,
    /// To end the run.
    End(Cause),
}

/// What controllers see and use.
pub struct Situation<'a, 'm> {
    /// Where the run is.
    pub position: &'a mut Position<'m>,
    /// What values are found with.
    pub tools: &'a mut Tools<'m>,
    /// What the run is for, and how far it has got.
    pub run: &'a mut Run,
    /// What became of the purposes so far.
    pub results: &'a IdVec<PurposeId, PurposeResult>,
    /// How the campaign is run.
    pub settings: &'a Settings,
    /// What its plan is for.
    pub intent: Intent,
    /// What is done where outputs may be under way.
    pub interaction: Interaction,
    /// What is to be counted.
    pub notes: &'a mut Vec<Note>,
}

/// One reason to act. It sees the [`Situation`] in a campaign, or the [`Position`] alone where it needs nothing else.
pub trait Controller<At> {
    /// A run begins.
    fn start(&mut self, _at: &mut At) {}

    /// What to do next, if there is reason to do anything.
    fn select(&mut self, at: &mut At) -> Option<Chosen>;

    /// This happened, and will be judged now if it is no matter of a probe; and what the order of events means, which may
    /// turn out in the run.
    fn sees(&mut self, _at: &mut At, _order: Order, _record: &Record) {}

    /// Something happened that the model allows: an input, an output, or quiescence, which has no values.
    fn update(&mut self, _at: &mut At, _event: Option<&GateValue>) {}
}

/// A controller that follows a run that was recorded, and so knows what may come.
pub trait Follower<'m>: Controller<Position<'m>> {
    /// Whether quiescence that somebody announces before an input is sent is passed over: nobody waited for it.
    fn passes_over_quiescence(&mut self, at: &mut Position<'m>) -> bool;

    /// Whether something has to come now, so that it is worth waiting longer for.
    fn expects_something(&self) -> bool {
        false
    }

    /// What was recorded, if all of it is to happen again.
    fn script(&self) -> Option<&[Action]> {
        None
    }
}

impl Situation<'_, '_> {
    /// Whether to wait for outputs that may be under way before anything is sent.
    pub fn is_fair(&self) -> bool {
        self.interaction == Interaction::Fair && self.run.heard < HEARD
    }

    /// Whether to send an input now, or to wait for outputs that may be under way.
    pub fn stimulate(&mut self, input: GateValue, why: Why) -> Chosen {
        let wait = self.is_fair() && self.position.may_act();
        match wait || self.is_unanswered() {
            true => Chosen::Wait,
            false => Chosen::Send(input, why),
        }
    }

    /// Whether the answer to the last input of a test is not there yet, as far as anybody knows: also that nothing is
    /// answered is told apart only by waiting. The next input would be blamed for what comes late.
    pub fn is_unanswered(&mut self) -> bool {
        let tests = self.intent.compared && self.run.heard < HEARD && !self.position.is_quiet();
        tests && (self.run.owed || self.position.may_act())
    }

    /// Whether something is owed: nothing explains quiescence. Then the run ends only after one more observation, also where
    /// it has left its purpose (T-Q9).
    pub fn owes(&mut self) -> bool {
        !self.position.is_quiet() && !self.position.allows_silence()
    }

    /// Nothing can be done and nothing comes: if that is a deadlock and not the end of the model, it is noted.
    pub fn look_for_deadlock(&mut self) {
        let Some(state) = self.position.deadlock() else { return };
        self.notes.push(Note::Deadlock(state.show(self.position.model())));
    }
}
