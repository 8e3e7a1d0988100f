//! A candidate for a shorter run that is tried.
//!
//! An input is never sent where the model does not say what happens after it: nothing that follows would mean anything.

use super::{Chosen, Controller, Follower};
use crate::event::GateValue;
use crate::position::Position;
use crate::record::{Record, Why};
use crate::shrink::candidate::{Await, Candidate, Unit};
use crate::sut::Order;
use crate::verdict::{Cause, OpenCause};

/// At most this many observations are taken where something is waited for: some systems never stop, and a trial that
/// needs more is no shorter run.
const MOST_OBSERVATIONS: usize = 100;
/// After this many in a row an input is sent all the same, if the model takes it: as a [walk](super::HEARD) does.
const HEARD: usize = 4;

/// Why a trial ends before its end.
const UNSPECIFIED: &str = "an input cannot be sent here";

/// What a trial does next.
#[derive(Clone, Debug)]
enum Move {
    Send(GateValue),
    Await(Await),
}

/// See the [module](self).
#[derive(Clone, Debug)]
pub struct TrialController {
    moves: Vec<Move>,
    /// The move that comes next, or is under way.
    at: usize,
    /// How often something was waited for, or came, for its sake.
    round: usize,
    /// Whether what has come already was taken before the input is sent.
    looked: bool,
    /// Whether that was anything.
    came: bool,
}

impl TrialController {
    /// Tries a candidate.
    pub fn new(candidate: &Candidate) -> TrialController {
        let unit = |unit: &Unit| {
            let sent = unit.input.clone().map(Move::Send);
            sent.into_iter().chain(unit.waits.iter().copied().map(Move::Await)).collect::<Vec<Move>>()
        };
        let moves = candidate.units.iter().flat_map(unit).collect();
        TrialController { moves, at: 0, round: 0, looked: false, came: false }
    }

    fn go_on(&mut self) {
        (self.at, self.round) = (self.at + 1, 0);
    }

    fn wait(&mut self) -> Option<Chosen> {
        self.round += 1;
        Some(Chosen::Wait)
    }

    /// Sends an input where the model takes it. As in a test, what comes before it is taken first.
    fn send(&mut self, at: &mut Position<'_>, input: GateValue) -> Option<Chosen> {
        if std::mem::take(&mut self.looked) {
            if self.came && self.round < HEARD {
                self.round += 1;
            } else if at.takes(&input) {
                self.go_on();
                return Some(Chosen::Send(input, Why::Replay));
            } else if at.may_act() {
                // Perhaps something has to come first.
                return self.wait();
            } else {
                self.round = MOST_OBSERVATIONS;
            }
        }
        if self.round >= MOST_OBSERVATIONS {
            return Some(Chosen::End(Cause::Open(OpenCause::Other(UNSPECIFIED.into()))));
        }
        (self.looked, self.came) = (true, false);
        Some(Chosen::Look)
    }
}

impl<'m> Controller<Position<'m>> for TrialController {
    fn select(&mut self, at: &mut Position<'m>) -> Option<Chosen> {
        loop {
            match self.moves.get(self.at).cloned() {
                Some(Move::Send(input)) => return self.send(at, input),
                Some(Move::Await(what)) => {
                    let enough = if what == Await::Something { 1 } else { MOST_OBSERVATIONS };
                    // Silence twice in a row says nothing new.
                    if self.round < enough && !at.is_quiet() {
                        return self.wait();
                    }
                    self.go_on();
                }
                // What is missing may still come where the system went another way.
                None if self.round < MOST_OBSERVATIONS && at.may_act() => return self.wait(),
                None => return Some(Chosen::End(Cause::Reached)),
            }
        }
    }

    fn sees(&mut self, _: &mut Position<'m>, _: Order, record: &Record) {
        self.came |= matches!(record, Record::Observed(_));
    }
}

impl<'m> Follower<'m> for TrialController {
    fn passes_over_quiescence(&mut self, at: &mut Position<'m>) -> bool {
        match self.moves.get(self.at) {
            Some(Move::Send(input)) => at.takes(input),
            _ => false,
        }
    }
}
