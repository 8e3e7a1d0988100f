//! A recorded run against a system under test again: the same inputs at the same places, and what comes back is judged
//! anew.

use std::time::Duration;

use sioco_model::semantics::state::State;
use sioco_symbolic::key::Key;

use crate::belief::{Belief, HypothesisState};
use crate::controller::replay::ReplayController;
use crate::drive::{Bench, drive};
use crate::event::Observation;
use crate::explanation::Explanation;
use crate::log::{LoggedRun, LoggedStep};
use crate::quiescence_time::QuiescenceTimes;
use crate::record::{Aim, Stamped};
use crate::referee::Referee;
use crate::rerun::{Cut, Ended, Frame, Rerun};
use crate::run_number::RunNumber;
use crate::symbolic_hypothesis::Trail;
use crate::verdict::{Cause, Verdict};

pub use crate::controller::replay::is_alike;

/// With more hypotheses than this, two beliefs count as different: comparing grows with their square.
const COMPARED: usize = 1_000;

/// How long to wait.
#[derive(Clone, Copy, Debug)]
pub struct Patience<'s> {
    /// How long nothing must come before that is silence.
    pub quiescence: Duration,
    /// Where it takes longer.
    pub slower: Option<&'s QuiescenceTimes>,
    /// How long an input may wait to be accepted.
    pub accepted: Duration,
}

/// What came of running it again.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Replayed {
    /// The verdict: pass if everything observed is allowed.
    pub verdict: Verdict,
    /// Why.
    pub cause: Cause,
    /// What the model allows instead, where an observation is not allowed.
    pub explanation: Option<Explanation>,
    /// Inputs, outputs and silences.
    pub steps: u64,
    /// Whether the system did something else than was recorded, which is allowed, too.
    pub deviated: bool,
    /// Where it was when the last recorded step was to come.
    pub point: Point,
    /// What it did at that step.
    pub last: Option<Observation>,
    /// Whether it cannot do any more what was recorded there, since it did everything before that again, and would have
    /// done that, too. Nothing if it is a system that chooses as it likes.
    pub cannot: Option<bool>,
    /// Somebody wants it to end.
    pub interrupted: bool,
}

/// Where a system is when the last recorded step is to come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Point {
    /// Where it was: what was observed until then is what was recorded, or differs in nothing that the model remembers.
    Same,
    /// It came there with other values than were recorded, and the model remembers them.
    Values,
    /// It went another way: by other gates, or by silence.
    Elsewhere,
}

impl Point {
    /// Its name for programs.
    pub fn name(self) -> &'static str {
        match self {
            Point::Same => "same",
            Point::Values => "values",
            Point::Elsewhere => "elsewhere",
        }
    }
}

/// Runs a recorded run again, as the run with this number. The sink gets every record as soon as it is there.
pub fn replay(
    referee: &mut Referee<'_>,
    bench: Bench<'_>,
    recorded: &LoggedRun,
    number: RunNumber,
    patience: Patience<'_>,
    sink: &mut dyn FnMut(&Stamped),
) -> Replayed {
    let Bench { sut, clock } = bench;
    referee.count_refusals(recorded.refusals);
    let mut controller = ReplayController::new(recorded);
    let frame = Frame { number, seed: recorded.seed.unwrap_or(0), aim: Aim::Replay, patience, until: None };
    let ended = drive(&mut Rerun::new(referee, &mut controller, frame), sut, clock, sink);
    let Ended { cause, explanation, steps, cut } = ended;
    let deviation = controller.deviation();
    let exact = deviation.is_none_before_last();
    // What comes before the last step, which is an input if one was refused.
    let before = recorded.steps.len() - usize::from(recorded.refused.is_none() && !recorded.steps.is_empty());
    let point = match deviation.arrived {
        _ if deviation.elsewhere => Point::Elsewhere,
        // The model may remember nothing of what is different.
        Some(here) if !is_where(referee, &here, &recorded.steps[..before]) => Point::Values,
        _ => Point::Same,
    };
    // Once it does something else, it chooses as it likes.
    let cannot = sut.follows().filter(|sure| !sure || exact);
    let interrupted = cut == Some(Cut::Interrupted);
    let (verdict, deviated, last) = (cause.verdict(), deviation.any, deviation.last);
    Replayed { verdict, cause, explanation, steps, deviated, point, last, cannot, interrupted }
}

/// Whether a belief is the one after what was recorded.
fn is_where(referee: &mut Referee<'_>, here: &Belief, recorded: &[LoggedStep]) -> bool {
    if referee.start().is_some() {
        return false;
    }
    let ended = recorded.iter().any(|step| step.tell(referee).is_some());
    let there = referee.belief().clone();
    if ended || here.len() != there.len() || here.len() > COMPARED {
        return false;
    }
    let (here, there) = (places(referee, here), places(referee, &there));
    here.iter().all(|place| there.contains(place))
}

/// What tells a place from others in all that follows.
#[derive(PartialEq, Eq)]
enum Told {
    State(State),
    Key(Key),
    Trail(Trail),
}

/// Where the hypotheses are, each with how many inputs it has taken.
fn places(referee: &mut Referee<'_>, belief: &Belief) -> Vec<(usize, Told)> {
    let mut found: Vec<(usize, Told)> = Vec::new();
    for group in &belief.groups {
        for h in &group.hypotheses {
            let told = match &h.place {
                HypothesisState::Known(state) => Told::State(state.clone()),
                HypothesisState::Open(trail) => {
                    let key = referee.mind.tracker().key(trail);
                    key.map_or_else(|| Told::Trail(trail.clone()), Told::Key)
                }
            };
            found.push((group.taken, told));
        }
    }
    found
}
