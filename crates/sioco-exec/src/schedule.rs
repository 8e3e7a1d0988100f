//! Which run comes next: purposes that were tried least, then walks, or purposes again (T-B10, T-P13).

use std::collections::BTreeSet;

use sioco_model::Id;
use sioco_plan::PurposeId;
use sioco_solve::values::Random;

use crate::ledger::Ledger;
use crate::record::Aim;
use crate::run::Mode;
use crate::settings::{Settings, Walks};
use crate::suite::Suite;
use crate::summary::PurposeResult;
use crate::verdict::{Cause, OpenCause};

/// A walk begins with a purpose again once in this many times: it then starts somewhere deep in the model. More often,
/// the rest of the model would get fewer walks.
const REPEATED: u64 = 4;

/// What the next run is for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Next {
    /// What it does at first.
    pub mode: Mode,
    /// What it is for.
    pub aim: Aim,
    /// Whether a purpose is repeated for the sake of new values.
    pub repeated: bool,
}

/// See the [module](self).
#[derive(Clone, Debug)]
pub struct Schedule {
    /// How many purposes there are.
    purposes: usize,
    /// The purposes that may be tried, with how often they were; some may have been reached meanwhile.
    to_try: BTreeSet<(u32, PurposeId)>,
    /// The purpose that comes next in a round over all of them, and how many steps there were before the round.
    turn: usize,
    round: Option<u64>,
    /// How many walks have begun.
    walked: u64,
}

impl Schedule {
    /// For so many purposes, each of which is tried so often.
    pub fn new(purposes: usize, attempts: u32) -> Schedule {
        let to_try =
            (0..purposes).filter(|_| attempts > 0).map(|purpose| (0, PurposeId::from_index(purpose))).collect();
        Schedule { purposes, to_try, turn: usize::MAX, round: None, walked: 0 }
    }

    /// The next run, if there is anything left to do.
    pub fn next(
        &mut self,
        suite: &mut Suite,
        ledger: &mut Ledger,
        settings: &Settings,
        random: &mut Random,
    ) -> Option<Next> {
        // What was tried least comes first; otherwise in the order of the plan (S1 5.2.3; S0: the longest first).
        while let Some((_, purpose)) = self.to_try.first()
            && !suite.is_open(*purpose)
        {
            self.to_try.pop_first();
        }
        if let Some((_, purpose)) = self.to_try.first().copied() {
            let before = ledger.attempt(purpose);
            self.to_try.remove(&(before, purpose));
            if before + 1 < settings.attempts {
                self.to_try.insert((before + 1, purpose));
            }
            return Some(Next { mode: Mode::Purpose(purpose), aim: Aim::Purpose(purpose), repeated: false });
        }
        if settings.max_walks.is_some_and(|most| self.walked >= most) {
            return None;
        }
        self.walked += 1;
        let again = match settings.walks {
            Walks::None => return None,
            Walks::Random => None,
            // A purpose again, with other values, is a good beginning of a walk.
            Walks::Guided => {
                let count = self.purposes as u64;
                (count > 0 && random.below(REPEATED) == 0).then(|| PurposeId::from_index(random.below(count) as usize))
            }
            Walks::Again => Some(self.next_in_round(suite, ledger)?),
        };
        if settings.walks != Walks::Again {
            suite.close_all();
            if let Some(purpose) = again {
                suite.reopen(purpose);
            }
        }
        Some(Next { mode: again.map_or(Mode::Walk, Mode::Purpose), aim: Aim::Walk, repeated: again.is_some() })
    }

    /// The next purpose of a round over all that do not fail; one run may do for several of them.
    fn next_in_round(&mut self, suite: &mut Suite, ledger: &Ledger) -> Option<PurposeId> {
        let dropped =
            |r: &PurposeResult| matches!(r.cause, Some(Cause::Failure(_) | Cause::Open(OpenCause::Dropped { .. })));
        let all = |from| (from..self.purposes).map(PurposeId::from_index);
        let left = all(self.turn).find(|p| suite.is_open(*p));
        let next = left.or_else(|| {
            // A round in which nothing happens would be followed by others for ever.
            if self.round.replace(ledger.steps()) == Some(ledger.steps()) {
                return None;
            }
            suite.close_all();
            let again: Vec<PurposeId> = all(0).filter(|p| !dropped(ledger.result(*p))).collect();
            again.iter().for_each(|p| suite.reopen(*p));
            again.first().copied()
        })?;
        self.turn = next.index() + 1;
        Some(next)
    }
}
