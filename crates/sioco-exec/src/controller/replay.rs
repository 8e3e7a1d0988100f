//! A recorded run that is done again: the same inputs at the same places. What comes is compared with what was recorded,
//! and judged by somebody else.

use super::{Chosen, Controller, Follower};
use crate::belief::Belief;
use crate::event::{Action, GateValue, Observation};
use crate::log::LoggedRun;
use crate::position::Position;
use crate::record::{Record, Why};
use crate::sut::Order;
use crate::verdict::Cause;

/// At most this many more observations are waited for where the system went another way. They show where it ended up; a
/// system that never stops must not keep the replay from ending.
const OBSERVATIONS_AFTER: usize = 100;

/// How far what is done again differs from what was recorded.
#[derive(Clone, Debug, Default)]
pub struct Deviation {
    /// Whether anything was different.
    pub any: bool,
    /// Whether something else came, and not only other values, before the last step.
    pub elsewhere: bool,
    /// Whether what came before the last step was different, if only in its values.
    pub different: bool,
    /// What was believed when the last step was to come, if so.
    pub arrived: Option<Belief>,
    /// What came at the last step.
    pub last: Option<Observation>,
}

impl Deviation {
    /// Whether everything came as it was recorded, until the last step.
    pub fn is_none_before_last(&self) -> bool {
        !self.elsewhere && !self.different
    }
}

/// See the [module](self).
#[derive(Clone, Debug)]
pub struct ReplayController {
    /// All that was sent and seen.
    script: Vec<Action>,
    /// How much of it has come.
    at: usize,
    /// An input that was sent after so much of it and not accepted then.
    unanswered: Option<(usize, GateValue)>,
    /// The input that is sent next, and whether it was accepted then.
    next: Option<(GateValue, bool)>,
    /// Whether an input is under way, and whether it is the one that was not accepted then.
    under_way: Option<bool>,
    /// Whether something else came at any step, and not only other values.
    otherwise: bool,
    /// Whether what comes next was waited for.
    waits: bool,
    /// Whether silence was waited for last.
    quiet: bool,
    /// How often something was waited for after everything that was recorded.
    after: usize,
    found: Deviation,
}

/// Whether two observations are the same but for their values.
pub fn is_alike(a: &Observation, b: &Observation) -> bool {
    match (a, b) {
        (Observation::Output(a), Observation::Output(b)) => a.gate == b.gate,
        (Observation::Crashed(a), Observation::Crashed(b)) => a.is_same(b),
        (a, b) => a == b,
    }
}

impl ReplayController {
    /// Does this run again. An input that was refused is none of its steps.
    pub fn new(recorded: &LoggedRun) -> ReplayController {
        let refused = recorded.refused.as_ref().map(|step| &step.action);
        ReplayController {
            script: recorded.steps.iter().map(|step| &step.action).chain(refused).cloned().collect(),
            at: 0,
            unanswered: recorded.unanswered.clone(),
            next: None,
            under_way: None,
            otherwise: false,
            waits: false,
            quiet: false,
            after: 0,
            found: Deviation::default(),
        }
    }

    /// How far it differs from what was recorded.
    pub fn deviation(self) -> Deviation {
        self.found
    }

    /// Whether what comes next is the last of what was recorded.
    fn is_at_last(&self) -> bool {
        self.at + 1 == self.script.len()
    }

    /// The last of what was recorded is to come next, if it is: what is believed now tells where the system is.
    fn come_to_last(&mut self, at: &Position<'_>) {
        if self.is_at_last() && self.found.different && self.found.arrived.is_none() {
            self.found.arrived = Some(at.belief().clone());
        }
    }

    /// The input that comes next in what was recorded, and whether it was accepted then. One that was not is none of the
    /// steps.
    fn due(&mut self) -> Option<(GateValue, bool)> {
        let at = self.at;
        if let Some((_, input)) = self.unanswered.take_if(|(after, _)| *after <= at) {
            return Some((input, false));
        }
        match &self.script[at] {
            Action::Input(input) => Some((input.clone(), true)),
            Action::Seen(_) => None,
        }
    }

    /// Compares what is seen with what was recorded there.
    fn compare(&mut self, at: &Position<'_>, order: Order, seen: &Observation) {
        self.come_to_last(at);
        let last = self.is_at_last();
        // Where lines are in the order of the system, an input has its place when it is accepted.
        let overtakes = self.under_way == Some(false) && order != Order::Sent;
        let expected = match self.script.get(self.at) {
            Some(Action::Seen(expected)) if !overtakes => expected,
            // It did more than was recorded before the input, so the input finds it elsewhere.
            Some(_) => {
                (self.found.any, self.otherwise, self.found.elsewhere) = (true, true, true);
                return;
            }
            None => return,
        };
        let alike = is_alike(seen, expected);
        // The same crash may have other words the next time.
        let same = seen == expected || (alike && expected.is_end());
        self.found.any |= !same;
        self.otherwise |= !alike;
        self.found.elsewhere |= !last && !alike;
        self.found.different |= !last && !same;
        if last {
            self.found.last = Some(seen.clone());
        }
        self.at += 1;
    }
}

impl<'m> Controller<Position<'m>> for ReplayController {
    fn select(&mut self, at: &mut Position<'m>) -> Option<Chosen> {
        self.waits = false;
        if let Some((input, accepted)) = self.next.take() {
            if accepted {
                self.come_to_last(at);
                self.at += 1;
            }
            self.under_way = Some(!accepted);
            return Some(Chosen::Send(input, Why::Replay));
        }
        if self.at < self.script.len() {
            self.next = self.due();
            self.waits = self.next.is_none();
            // As in a test, what comes before an input is taken first.
            return Some(if self.waits { Chosen::Wait } else { Chosen::Look });
        }
        // What was recorded may still come where the system went another way.
        if !self.otherwise || self.quiet || self.after >= OBSERVATIONS_AFTER {
            return Some(Chosen::End(Cause::Reached));
        }
        (self.after, self.waits) = (self.after + 1, true);
        Some(Chosen::Wait)
    }

    fn sees(&mut self, at: &mut Position<'m>, order: Order, record: &Record) {
        match record {
            Record::Accepted { .. } if self.under_way.take() == Some(true) => {
                // Something else came before that when it was recorded, and then what was not allowed.
                self.come_to_last(at);
                self.found.any = true;
                self.found.elsewhere |= self.at + 1 < self.script.len();
            }
            Record::Observed(seen) => {
                self.compare(at, order, seen);
                if self.waits {
                    self.quiet = *seen == Observation::Delta;
                }
            }
            Record::TimedOut(_) => {
                self.compare(at, order, &Observation::Delta);
                self.quiet = true;
            }
            _ => {}
        }
    }
}

impl<'m> Follower<'m> for ReplayController {
    fn passes_over_quiescence(&mut self, _: &mut Position<'m>) -> bool {
        true
    }

    /// What came then may only be slow today.
    fn expects_something(&self) -> bool {
        matches!(self.script.get(self.at), Some(Action::Seen(expected)) if *expected != Observation::Delta)
    }

    fn script(&self) -> Option<&[Action]> {
        Some(&self.script)
    }
}
