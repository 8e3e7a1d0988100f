//! A run that follows another one, as a [session](Session) of the loop: a recorded run that is done again, or a trial of
//! shrinking. It is judged online as in a test, by a referee without purposes; nothing is planned, and nothing is counted.

use std::time::Duration;
use std::vec::Drain;

use sioco_model::GateId;
use sioco_model::model::Model;

use crate::controller::{Chosen, Follower};
use crate::drive::Session;
use crate::driver::Decision;
use crate::event::{Action, GateValue, Observation};
use crate::explanation::Explanation;
use crate::malformed::check;
use crate::record::{Aim, Record, Waiting, Why};
use crate::referee::Referee;
use crate::reliance::{self, Start};
use crate::replay::Patience;
use crate::run_number::RunNumber;
use crate::sut::{Fault, Order, Sut};
use crate::verdict::{Cause, OpenCause, Trouble};

/// At most this often something may come while an input is under way: where the clock stands still, that must not be
/// endless.
const LOOKS: u32 = 100_000;
/// Why a run ends before its end.
const LATE: &str = "the time for shrinking ran out";

/// Which run it is, and how long everything may take.
#[derive(Clone, Debug)]
pub(crate) struct Frame<'a> {
    /// The number of the run.
    pub number: RunNumber,
    /// The seed for the system.
    pub seed: u64,
    /// What it is for.
    pub aim: Aim,
    /// How long to wait.
    pub patience: Patience<'a>,
    /// When it has to be over.
    pub until: Option<Duration>,
}

/// What came of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Ended {
    /// Why it ended.
    pub cause: Cause,
    /// What the model allows instead, where an observation is not allowed.
    pub explanation: Option<Explanation>,
    /// Inputs, outputs and silences.
    pub steps: u64,
    /// What cut it short, if that was not the system.
    pub cut: Option<Cut>,
}

/// What cuts a run short.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Cut {
    /// Somebody wants it to end.
    Interrupted,
    /// Its time is used up.
    Late,
    /// Something broke down.
    Fault(Fault),
}

/// An input that was sent and not yet accepted.
struct Pending {
    /// Until when it may wait.
    by: Duration,
    /// How often something came meanwhile.
    looks: u32,
}

/// See the [module](self).
pub(crate) struct Rerun<'a, 'm> {
    referee: &'a mut Referee<'m>,
    follower: &'a mut dyn Follower<'m>,
    frame: Frame<'a>,
    begun: bool,
    steps: u64,
    ids: u64,
    /// The input that was decided on.
    choice: Option<(GateValue, Why)>,
    /// The input that was sent and not yet accepted.
    pending: Option<(GateValue, Pending)>,
    /// Whether nothing is waited for now.
    looks: bool,
    /// The gate of the last input or output.
    last: Option<GateId>,
    cut: Option<Cut>,
    ended: Option<(Cause, Option<Explanation>)>,
    records: Vec<Record>,
}

impl<'a, 'm> Rerun<'a, 'm> {
    /// A run that a controller leads.
    pub fn new(referee: &'a mut Referee<'m>, follower: &'a mut dyn Follower<'m>, frame: Frame<'a>) -> Self {
        Rerun {
            referee,
            follower,
            frame,
            begun: false,
            steps: 0,
            ids: 0,
            choice: None,
            pending: None,
            looks: false,
            last: None,
            cut: None,
            ended: None,
            records: Vec::new(),
        }
    }

    /// Something happens: whoever leads the run sees it before it is judged.
    fn record(&mut self, record: Record) {
        let order = self.referee.order();
        self.follower.sees(&mut self.referee.position, order, &record);
        self.records.push(record);
    }

    /// The run goes on, or it is over.
    fn go_on(&mut self, cause: Option<Cause>) {
        let Some(cause) = cause.filter(|_| self.ended.is_none()) else { return };
        let cause = self.referee.close(cause);
        let explanation = matches!(cause, Cause::Failure(_)).then(|| self.referee.explain());
        if self.begun {
            let doubt = matches!(cause, Cause::Open(OpenCause::Undecided(_)));
            self.record(Record::Verdict { verdict: cause.verdict(), cause: cause.clone(), steps: self.steps, doubt });
        }
        self.ended = Some((cause, explanation));
    }

    /// What to do next, if the run goes on.
    fn choose(&mut self) -> Option<Decision> {
        if !self.begun {
            return Some(Decision::Reset { run: self.frame.number, seed: self.frame.seed });
        }
        if self.pending.is_some() {
            return Some(Decision::Await { id: self.ids });
        }
        loop {
            match self.follower.select(&mut self.referee.position) {
                Some(Chosen::Send(input, _)) if let Err(mistake) = check(self.referee.model(), &input) => {
                    self.fault(mistake);
                    return None;
                }
                Some(Chosen::Send(input, why)) => {
                    self.choice = Some((input.clone(), why));
                    return Some(Decision::Send { id: self.ids + 1, input, at_once: true });
                }
                Some(Chosen::Wait) => return Some(Decision::Wait),
                Some(Chosen::Look) => return Some(Decision::Look),
                Some(Chosen::Again) => {}
                Some(Chosen::End(cause)) => {
                    self.go_on(Some(cause));
                    return None;
                }
                None => {
                    self.go_on(Some(Cause::Reached));
                    return None;
                }
            }
        }
    }
}

impl<'m> Session<'m> for Rerun<'_, 'm> {
    type Outcome = Ended;

    fn model(&self) -> &'m Model {
        self.referee.model()
    }

    fn decide(&mut self) -> Decision {
        let decision = if self.ended.is_none() { self.choose() } else { None };
        let decision = decision.unwrap_or(Decision::Stop);
        self.looks = decision == Decision::Look;
        decision
    }

    fn records(&mut self) -> Drain<'_, Record> {
        self.records.drain(..)
    }

    fn until(&self, next: &Decision) -> Option<Duration> {
        // What was begun is brought to its end.
        self.frame.until.filter(|_| matches!(next, Decision::Look | Decision::Wait))
    }

    fn late(&mut self) {
        self.cut = Some(Cut::Late);
        self.go_on(Some(Cause::Open(OpenCause::Other(LATE.into()))));
    }

    fn script(&self) -> Option<&[Action]> {
        self.follower.script().filter(|_| self.ended.is_none())
    }

    fn quiescence(&self) -> Duration {
        let Patience { quiescence, slower, .. } = self.frame.patience;
        slower.map_or(quiescence, |slower| slower.time(quiescence, self.last, self.referee.belief()))
    }

    fn waits_longer(&mut self) -> bool {
        self.follower.expects_something() || !self.referee.allows_silence()
    }

    fn start_up(&self) -> Option<Start> {
        // Nobody waits for all that a system may take to start in each of many trials.
        Some(if self.follower.script().is_some() { Start::Whole } else { Start::Usual })
    }

    fn patience(&self) -> Duration {
        self.frame.patience.accepted
    }

    fn patience_left(&self, now: Duration) -> Option<Duration> {
        // What comes meanwhile gives the input no more time.
        let (_, pending) = self.pending.as_ref()?;
        (pending.looks < LOOKS).then(|| pending.by.saturating_sub(now))
    }

    fn started(&mut self, order: Order, _: bool) {
        self.begun = true;
        self.referee.set_order(order);
        let Frame { number, seed, ref aim, .. } = self.frame;
        self.record(Record::Run { run: number, seed, aim: aim.clone(), order });
        let cause = self.referee.start();
        self.go_on(cause);
    }

    fn sending(&mut self, now: Duration) {
        let Some((input, why)) = self.choice.take() else { return };
        self.ids += 1;
        self.record(Record::Input { id: self.ids, input: input.clone(), why });
        self.last = Some(input.gate);
        self.referee.sending(&input);
        let by = now.saturating_add(self.frame.patience.accepted);
        self.pending = Some((input, Pending { by, looks: 0 }));
    }

    fn accepted(&mut self, id: u64) -> bool {
        if self.pending.take().filter(|_| id == self.ids).is_none() {
            return false;
        }
        self.record(Record::Accepted { id });
        self.steps += u64::from(!self.referee.is_counted());
        let cause = self.referee.accepted();
        self.go_on(cause);
        true
    }

    fn refused(&mut self, id: u64, why: String) -> bool {
        let Some((input, _)) = self.pending.take().filter(|_| id == self.ids) else { return false };
        self.record(Record::Refused { id, why: why.clone() });
        let cause = self.referee.refused(&input, &why);
        self.go_on(Some(cause));
        true
    }

    fn observed(&mut self, seen: Observation) {
        let position = &mut self.referee.position;
        if self.looks && seen == Observation::Delta && self.follower.passes_over_quiescence(position) {
            return;
        }
        if let Some((_, pending)) = &mut self.pending {
            pending.looks += 1;
        }
        self.record(Record::Observed(seen.clone()));
        if let Observation::Output(output) = &seen {
            self.last = Some(output.gate);
        }
        let counted = self.referee.is_counted();
        let cause = self.referee.observe(&seen);
        self.steps += 1 + u64::from(!counted && self.referee.is_counted());
        // After its end, nothing more can be asked of the system.
        self.go_on(cause.or(seen.is_end().then_some(Cause::Reached)));
    }

    fn timed_out(&mut self, took_time: bool, starved: Option<Duration>) {
        if !took_time {
            return self.observed(Observation::Delta);
        }
        // What failed by silence did so before: that came again. What is tried comes of a run that failed.
        let seen = |script: &[Action]| script.last() == Some(&Action::Seen(Observation::Delta));
        let came_before = self.follower.script().is_none_or(seen);
        let order = self.referee.order();
        let reliance = reliance::rate(order, starved, || came_before || self.referee.allows_silence());
        self.record(Record::TimedOut(reliance));
        self.steps += 1;
        let cause = self.referee.timed_out(reliance);
        self.go_on(cause);
    }

    fn fault(&mut self, fault: Fault) {
        let Fault { kind, message, stderr, .. } = fault.clone();
        if !self.begun {
            self.record(Record::Fault(fault.clone()));
        }
        self.cut = Some(Cut::Fault(fault));
        self.go_on(Some(Cause::Trouble(Trouble::Fault { kind, message, stderr })));
    }

    fn cut(&mut self, _: Option<Waiting>) {
        self.cut = Some(Cut::Interrupted);
        self.go_on(Some(Cause::Open(OpenCause::Stopped)));
    }

    fn end(&mut self, _: &mut dyn Sut) -> Ended {
        let (cause, explanation) = self.ended.take().expect("a run is left only when it is over");
        Ended { cause, explanation, steps: self.steps, cut: self.cut.take() }
    }
}
