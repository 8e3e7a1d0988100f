//! Runs that are repeated: silence by the clock that would be a failure is one only if it comes again (T-Q10).
//!
//! The same inputs are sent where they were sent before, for as long as the model takes them. Where the system goes another
//! way that is allowed, the run goes on as any other.

use super::silent::Spot;
use super::{Chosen, Decision, Tester};
use crate::event::{Action, GateValue, Observation};
use crate::record::{Aim, Why};
use crate::reliance::{Reliance, Start};
use crate::run::Mode;
use crate::sut::Order;
use crate::verdict::{Cause, Open};

/// So often a run is repeated at most,
const TIMES: u32 = 2;
/// and so many are in a campaign: a system that is silent now and then would be repeated for ever.
const MOST: u32 = 100;

/// A run that is to be repeated, or is being repeated.
#[derive(Clone, Debug)]
pub(super) struct Repeat {
    /// Where it was silent.
    spot: Option<Spot>,
    /// What was sent and seen.
    script: Vec<Action>,
    /// How much of it has come again.
    at: usize,
    seed: u64,
    mode: Mode,
    aim: Aim,
    repeated: bool,
    /// How often it was repeated before.
    times: u32,
}

/// See the [module](self).
#[derive(Clone, Debug, Default)]
pub(super) struct Repeats {
    /// What was sent and seen in this run.
    history: Vec<Action>,
    next: Option<Repeat>,
    now: Option<Repeat>,
    /// How many runs were repeated.
    runs: u32,
}

impl Repeats {
    /// A run begins.
    pub(super) fn start(&mut self) {
        self.history.clear();
    }

    /// Something was sent or seen.
    pub(super) fn happened(&mut self, action: Action) {
        if let Some(repeat) = &mut self.now
            && let Some(expected) = repeat.script.get(repeat.at)
            && matches!((expected, &action), (Action::Input(_), Action::Input(_)) | (Action::Seen(_), Action::Seen(_)))
        {
            repeat.at += 1;
        }
        self.history.push(action);
    }

    /// The run did not begin: what it was to repeat is still to be repeated.
    pub(super) fn put_back(&mut self) {
        if self.next.is_none() {
            self.next = self.now.take();
        }
    }

    /// Whether as much was sent and seen as in the run that is repeated: a silence before or after that is another one.
    fn is_at_the_end(&self) -> bool {
        let count = |actions: &[Action]| actions.iter().filter(|a| **a != Action::Seen(Observation::Delta)).count();
        self.now.as_ref().is_some_and(|repeat| count(&repeat.script) == count(&self.history))
    }
}

impl Tester<'_> {
    /// Whether the run repeats another one, and is not through with it.
    pub(super) fn is_repeating(&self) -> bool {
        self.repeats.now.as_ref().is_some_and(|repeat| repeat.at < repeat.script.len())
    }

    /// How much time the system has to start. Where a run that was repeated had all of it in vain, more is of no use.
    pub(crate) fn start_up(&self) -> Option<Start> {
        match self.is_repeating() {
            true => Some(Start::Whole),
            false if self.has_failed_silently(self.spot()) => None,
            false => Some(Start::Usual),
        }
    }

    /// How far silence by the clock can be relied on now, if the tester was held up for so long.
    pub(super) fn reliance(&mut self, starved: Option<std::time::Duration>) -> Reliance {
        match starved {
            // Nobody is slow who is played in this process.
            _ if self.referee.order() == Order::Certain => Reliance::Full,
            Some(late) => Reliance::Starved(late),
            None if self.allows_silence() || self.came_before() => Reliance::Full,
            None => Reliance::Once,
        }
    }

    /// Whether another run fell silent here.
    fn came_before(&self) -> bool {
        let spot = self.spot();
        let repeated = self.repeats.now.as_ref().is_some_and(|repeat| repeat.spot == spot);
        repeated && self.repeats.is_at_the_end() || self.has_failed_silently(spot)
    }

    /// The run ends like this: if that is a silence that does not count, it is repeated next.
    pub(super) fn repeat_if_unsure(&mut self, cause: &Cause) {
        let times = self.repeats.now.take().map_or(0, |repeat| repeat.times + 1);
        let unsure = matches!(cause, Cause::Open(Open::Silence(_)));
        if !unsure || times >= TIMES || self.repeats.runs >= MOST {
            return;
        }
        self.repeats.runs += 1;
        self.repeats.next = Some(Repeat {
            spot: self.spot(),
            script: std::mem::take(&mut self.repeats.history),
            at: 0,
            seed: self.run.seed,
            mode: self.run.mode,
            aim: self.run.aim.clone(),
            repeated: self.run.repeated,
            times,
        });
    }

    /// Begins to repeat a run, if one is to be repeated.
    pub(super) fn next_repeat(&mut self) -> Option<Decision> {
        self.repeats.now = self.repeats.next.take();
        let repeat = self.repeats.now.as_ref()?;
        self.run.plan(repeat.mode, repeat.aim.clone(), repeat.repeated);
        let seed = repeat.seed;
        Some(self.reset(seed))
    }

    /// What comes next in a run that repeats another one.
    pub(super) fn repeat(&mut self) -> Option<Chosen> {
        let repeat = self.repeats.now.as_mut()?;
        // Two silences in a row say nothing new.
        while self.referee.is_quiet() && matches!(repeat.script.get(repeat.at), Some(Action::Seen(_))) {
            repeat.at += 1;
        }
        let input: GateValue = match repeat.script.get(repeat.at)? {
            Action::Seen(_) => return Some(Chosen::Wait),
            Action::Input(input) => input.clone(),
        };
        match self.referee.takes(&input) {
            true => Some(Chosen::Send(input, Why::Replay)),
            false => {
                repeat.at = repeat.script.len();
                None
            }
        }
    }
}
