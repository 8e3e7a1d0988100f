//! The input that was sent last and has not been accepted yet, and what comes meanwhile (T-O2, T-O3: order of
//! events).
//!
//! In the order `sent`, the system may have taken this input before the next observation, even if the input is not
//! accepted yet. In the order `sut`, it has not.
//! An output that is explained only if the input was taken shows that the promise was broken, or that the system
//! is wrong: then the rest of the run is judged as if nothing had been promised. What still fails is a failure in any order.
//! Otherwise the run says nothing about the system and ends as an error of the adapter. In the order `certain` there is
//! no promise to break.

use crate::belief::Belief;
use crate::event::{Action, GateValue, Observation};
use crate::referee::Referee;
use crate::reliance::Reliance;
use crate::sut::Order;
use crate::verdict::{Cause, OpenCause};

/// See the [module](self).
#[derive(Clone, Debug)]
pub(crate) struct UnderWay {
    input: GateValue,
    /// Whether something was seen since it was sent.
    overtaken: bool,
    /// Whether it counts as sent already.
    counted: bool,
    /// The belief before the first thing that was seen since, and all that was.
    since: Option<(Belief, Vec<Observation>)>,
}

impl Referee<'_> {
    /// An input is sent; it will be accepted or refused.
    pub fn sending(&mut self, input: &GateValue) {
        self.under_way = Some(UnderWay { input: input.clone(), overtaken: false, counted: false, since: None });
    }

    /// Whether the input that is under way counts as sent, and may have been taken.
    pub fn is_counted(&self) -> bool {
        self.under_way.as_ref().is_some_and(|u| u.counted)
    }

    /// Something is about to be seen: where it is only known that inputs were sent, the one that is under way counts from
    /// here on.
    pub fn count(&mut self) -> Option<Cause> {
        let order = self.order();
        let under_way = self.under_way.as_mut().filter(|u| order == Order::Sent && !u.counted)?;
        under_way.counted = true;
        let input = under_way.input.clone();
        self.input(&input)
    }

    /// The input that is under way was accepted.
    pub fn accepted(&mut self) -> Option<Cause> {
        let under_way = self.under_way.take()?;
        if under_way.counted {
            return None;
        }
        match self.input(&under_way.input) {
            Some(Cause::Open(OpenCause::Unspecified(_))) if under_way.overtaken => {
                Some(Cause::Open(OpenCause::Crossed))
            }
            cause => cause,
        }
    }

    /// The input that is under way was refused. Where an output overtook it, and the model does not say what it does now,
    /// they only crossed. Where [refusals count](Self::count_refusals), one that every hypothesis would have taken is a failure.
    pub fn refused(&mut self, input: &GateValue, why: &str) -> Cause {
        let overtaken = self.under_way.take().is_some_and(|u| u.overtaken);
        self.refusal(overtaken, input, why)
    }

    /// Nothing came for the quiescence time, by a clock, and nobody waits any longer: quiescence that nothing explains
    /// ends the run. With how far it can be relied on.
    pub fn timed_out(&mut self, reliance: Reliance) -> Option<Cause> {
        self.clock_delta(reliance);
        self.refused_quiescence()
    }

    /// Nothing came for the quiescence time, by a clock, as far as a log says. It is judged at the next event.
    pub fn clock_delta(&mut self, reliance: Reliance) {
        // While an input is under way, that says nothing.
        if self.under_way.is_none() {
            self.delta(Some(reliance));
        }
    }

    /// A step of a log. The next one decides about silence by the clock (T-Q7), which can be relied on so far.
    pub fn read(&mut self, action: &Action, timed: Option<Reliance>) -> Option<Cause> {
        match (action, timed) {
            (Action::Input(input), _) => self.input(input),
            (Action::Seen(Observation::Delta), Some(reliance)) => {
                self.clock_delta(reliance);
                None
            }
            (Action::Seen(seen), _) => self.observe(seen),
        }
    }

    /// Something was observed.
    pub fn observe(&mut self, seen: &Observation) -> Option<Cause> {
        if *seen == Observation::Delta && self.under_way.is_some() {
            // Quiescence while an input is under way says nothing.
            return None;
        }
        if let Some(cause) = self.count() {
            return Some(cause);
        }
        if let Some(mut under_way) = self.under_way.take() {
            under_way.overtaken = true;
            if self.order() == Order::Sut {
                let since = under_way.since.get_or_insert_with(|| (self.before_observation(), Vec::new()));
                since.1.push(seen.clone());
            }
            self.under_way = Some(under_way);
        }
        let cause = self.look_at(seen);
        match cause {
            Some(Cause::Failure(_)) => self.loosened().unwrap_or(cause),
            _ => cause,
        }
    }

    /// Judges what was seen since the input was sent anew, as if it might have been taken at any time since. Nothing if
    /// that fails, too; then nothing changes.
    fn loosened(&mut self) -> Option<Option<Cause>> {
        let under_way = self.under_way.as_mut()?;
        let (belief, seen) = under_way.since.take()?;
        let input = under_way.input.clone();
        let strict = self.set_aside(belief);
        let takes = self.input(&input).is_none();
        let cause = seen.iter().find_map(|s| self.look_at(s));
        if !takes || matches!(cause, Some(Cause::Failure(_))) {
            self.restore(strict);
            return None;
        }
        self.misordered = true;
        if let Some(under_way) = &mut self.under_way {
            under_way.counted = true;
        }
        Some(cause)
    }

    /// Whether the adapter told things in another order than it promised, as far as is known.
    pub fn is_misordered(&self) -> bool {
        self.misordered
    }
}
