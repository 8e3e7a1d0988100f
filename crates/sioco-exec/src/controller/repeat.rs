//! Runs that are repeated: silence by the clock that would be a failure is one only if it comes again (T-Q10).
//!
//! The same inputs are sent where they were sent before, for as long as the model takes them. Where the system goes another
//! way that is allowed, the run goes on as any other.

use super::{Chosen, Controller, Situation};
use crate::event::{GateValue, Observation};
use crate::position::Spot;
use crate::record::{Aim, Why};
use crate::run::{Mode, Run};
use crate::verdict::{Cause, OpenCause};

/// A run is repeated at most this often: silence that shows three times is a failure for certain enough, and each
/// repetition waits for the whole grace.
const TIMES: u32 = 2;
/// At most this many repetitions are in a campaign: a system that is silent now and then would be repeated for ever.
/// With the usual grace of two seconds it is some minutes at most.
const MOST_REPEATS: u32 = 100;

/// What was sent or seen in a run. What exactly was seen does not matter.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Past {
    Sent(GateValue),
    Seen,
    Silent,
}

/// A run that is to be repeated, or is being repeated.
#[derive(Clone, Debug)]
pub struct Repeat {
    /// Where it was silent.
    spot: Option<Spot>,
    /// What was sent and seen.
    script: Vec<Past>,
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
pub struct RepeatController {
    /// What was sent and seen in this run.
    history: Vec<Past>,
    next: Option<Repeat>,
    now: Option<Repeat>,
    /// How many runs were repeated.
    runs: u32,
}

impl RepeatController {
    /// Something was sent.
    pub fn sent(&mut self, input: &GateValue) {
        self.happened(Past::Sent(input.clone()));
    }

    /// Something was seen.
    pub fn saw(&mut self, seen: &Observation) {
        self.happened(if *seen == Observation::Delta { Past::Silent } else { Past::Seen });
    }

    fn happened(&mut self, what: Past) {
        let is_sent = |past: &Past| matches!(past, Past::Sent(_));
        if let Some(repeat) = &mut self.now
            && let Some(expected) = repeat.script.get(repeat.at)
            && is_sent(expected) == is_sent(&what)
        {
            repeat.at += 1;
        }
        self.history.push(what);
    }

    /// The run did not begin: what it was to repeat is still to be repeated.
    pub fn put_back(&mut self) {
        if self.next.is_none() {
            self.next = self.now.take();
        }
    }

    /// Whether as much was sent and seen as in the run that is repeated: a silence before or after that is another one.
    fn is_at_the_end(&self) -> bool {
        let count = |all: &[Past]| all.iter().filter(|past| **past != Past::Silent).count();
        self.now.as_ref().is_some_and(|repeat| count(&repeat.script) == count(&self.history))
    }

    /// Whether the run repeats another one, and is not through with it.
    pub fn is_on(&self) -> bool {
        self.now.as_ref().is_some_and(|repeat| repeat.at < repeat.script.len())
    }

    /// Whether the run that is repeated fell silent at this place, and this one has got as far.
    pub fn fell_silent_at(&self, spot: &Option<Spot>) -> bool {
        self.now.as_ref().is_some_and(|repeat| repeat.spot == *spot) && self.is_at_the_end()
    }

    /// The run ends like this, at this place: if that is a silence that does not count, it is repeated next.
    pub fn ended(&mut self, cause: &Cause, run: &Run, spot: Option<Spot>) {
        let times = self.now.take().map_or(0, |repeat| repeat.times + 1);
        let unsure = matches!(cause, Cause::Open(OpenCause::Silence(_)));
        if !unsure || times >= TIMES || self.runs >= MOST_REPEATS {
            return;
        }
        self.runs += 1;
        self.next = Some(Repeat {
            spot,
            script: std::mem::take(&mut self.history),
            at: 0,
            seed: run.seed,
            mode: run.mode,
            aim: run.aim.clone(),
            repeated: run.repeated,
            times,
        });
    }

    /// Begins to repeat a run, if one is to be repeated. Says with which seed.
    pub fn next(&mut self, run: &mut Run) -> Option<u64> {
        self.now = self.next.take();
        let repeat = self.now.as_ref()?;
        run.plan(repeat.mode, repeat.aim.clone(), repeat.repeated);
        Some(repeat.seed)
    }
}

impl Controller<Situation<'_, '_>> for RepeatController {
    fn start(&mut self, _: &mut Situation<'_, '_>) {
        self.history.clear();
    }

    fn select(&mut self, at: &mut Situation<'_, '_>) -> Option<Chosen> {
        let repeat = self.now.as_mut()?;
        // Two silences in a row say nothing new.
        while at.position.is_quiet() && matches!(repeat.script.get(repeat.at), Some(Past::Seen | Past::Silent)) {
            repeat.at += 1;
        }
        let input: GateValue = match repeat.script.get(repeat.at)? {
            Past::Seen | Past::Silent => return Some(Chosen::Wait),
            Past::Sent(input) => input.clone(),
        };
        match at.position.takes(&input) {
            true => Some(Chosen::Send(input, Why::Replay)),
            false => {
                repeat.at = repeat.script.len();
                None
            }
        }
    }
}
