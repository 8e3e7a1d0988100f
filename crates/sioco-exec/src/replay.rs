//! A recorded run against a system under test again: the same inputs at the same places, and what comes back is judged
//! anew.

use std::time::Duration;

use sioco_model::GateId;
use sioco_model::semantics::state::State;
use sioco_symbolic::key::Key;

use crate::belief::{Belief, Place};
use crate::border::{Border, check};
use crate::drive::Clock;
use crate::event::{Action, GateValue, Observation};
use crate::explanation::Explanation;
use crate::log::{LoggedRun, LoggedStep};
use crate::quiescence_time::Slower;
use crate::record::{Aim, Record, Stamped, Why};
use crate::referee::Referee;
use crate::reliance::{Listened, Reliance, Start, listen};
use crate::sut::{Fault, FaultKind, Order, Polled, Sut, SutEvent};
use crate::symbolic_hypothesis::Trail;
use crate::verdict::{Cause, Open, Trouble, Verdict};

/// How many more observations are waited for where the system went another way.
const AFTER: usize = 100;

/// With more hypotheses, two beliefs count as different.
const COMPARED: usize = 1_000;

/// How long to wait.
#[derive(Clone, Copy, Debug)]
pub struct Patience<'s> {
    /// How long nothing must come before that is silence.
    pub quiescence: Duration,
    /// Where it takes longer.
    pub slower: Option<&'s Slower>,
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
    sut: &mut dyn Sut,
    recorded: &LoggedRun,
    number: u64,
    patience: Patience<'_>,
    clock: &mut dyn Clock,
    sink: &mut dyn FnMut(&Stamped),
) -> Replayed {
    referee.count_refusals(recorded.refusals);
    let sut = &mut Border::new(referee.model(), sut);
    let mut again = Again::new(referee, patience, clock, sink);
    again.script = script(recorded);
    again.expects_silence = again.script.last() == Some(&Action::Seen(Observation::Delta));
    again.start = Start::Whole;
    let cause = again.run(sut, recorded, number).unwrap_or_else(|fault| {
        let Fault { kind, message, stderr, .. } = fault.clone();
        if !again.begun {
            again.put(Record::Fault(fault));
        }
        Cause::Trouble(Trouble::Fault { kind, message, stderr })
    });
    let (cause, explanation) = again.end(cause);
    let exact = !again.elsewhere && !again.values;
    let Again { steps, deviated, elsewhere, interrupted, arrived, last, .. } = again;
    // What comes before the last step, which is an input if one was refused.
    let before = recorded.steps.len() - usize::from(recorded.refused.is_none() && !recorded.steps.is_empty());
    let point = match arrived {
        _ if elsewhere => Point::Elsewhere,
        // The model may remember nothing of what is different.
        Some(here) if !is_where(referee, &here, &recorded.steps[..before]) => Point::Values,
        _ => Point::Same,
    };
    // Once it does something else, it chooses as it likes.
    let cannot = sut.follows().filter(|sure| !sure || exact);
    Replayed { verdict: cause.verdict(), cause, explanation, steps, deviated, point, last, cannot, interrupted }
}

/// All that was sent and seen. An input that was refused is none of the steps.
fn script(recorded: &LoggedRun) -> Vec<Action> {
    let refused = recorded.refused.as_ref().map(|step| &step.action);
    recorded.steps.iter().map(|step| &step.action).chain(refused).cloned().collect()
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
                Place::Known(state) => Told::State(state.clone()),
                Place::Open(trail) => {
                    let key = referee.mind.tracker().key(trail);
                    key.map_or_else(|| Told::Trail(trail.clone()), Told::Key)
                }
            };
            found.push((group.taken, told));
        }
    }
    found
}

/// A run that follows another one: also the one in which a [shorter](mod@crate::shrink) one is tried.
pub(crate) struct Again<'a, 'm> {
    pub(crate) referee: &'a mut Referee<'m>,
    patience: Patience<'a>,
    pub(crate) clock: &'a mut dyn Clock,
    sink: &'a mut dyn FnMut(&Stamped),
    pub(crate) steps: u64,
    ids: u64,
    /// The input that was sent and not yet accepted.
    waiting: Option<GateValue>,
    /// What was recorded, where a run is done again.
    script: Vec<Action>,
    /// How much of it has come.
    at: usize,
    /// Whether the input that is under way is one that was not accepted then.
    unanswered: bool,
    deviated: bool,
    elsewhere: bool,
    /// Whether it did so at any step.
    otherwise: bool,
    /// Whether values were different before the last step.
    values: bool,
    /// What was believed before the last step, if values were.
    arrived: Option<Belief>,
    /// What came at the last step.
    last: Option<Observation>,
    pub(crate) interrupted: bool,
    begun: bool,
    /// Whether silence was seen last.
    quiet: bool,
    /// The gate of the last input or output.
    gate: Option<GateId>,
    /// Whether what is done again is known to end in silence: then silence that is a failure came before.
    expects_silence: bool,
    /// How much time the system has to start.
    start: Start,
}

/// Whether two observations are the same but for their values.
pub fn is_alike(a: &Observation, b: &Observation) -> bool {
    match (a, b) {
        (Observation::Output(a), Observation::Output(b)) => a.gate == b.gate,
        (Observation::Crashed(a), Observation::Crashed(b)) => a.is_same(b),
        (a, b) => a == b,
    }
}

/// The run ends here, or it goes on.
pub(crate) type Next = Result<Option<Cause>, Fault>;

impl<'a, 'm> Again<'a, 'm> {
    pub(crate) fn new(
        referee: &'a mut Referee<'m>,
        patience: Patience<'a>,
        clock: &'a mut dyn Clock,
        sink: &'a mut dyn FnMut(&Stamped),
    ) -> Self {
        Again {
            referee,
            patience,
            clock,
            sink,
            steps: 0,
            ids: 0,
            waiting: None,
            script: Vec::new(),
            at: 0,
            unanswered: false,
            deviated: false,
            elsewhere: false,
            otherwise: false,
            values: false,
            arrived: None,
            last: None,
            interrupted: false,
            begun: false,
            quiet: false,
            gate: None,
            expects_silence: true,
            start: Start::Usual,
        }
    }

    /// Brings the system to its initial state.
    pub(crate) fn begin(&mut self, sut: &mut dyn Sut, number: u64, seed: u64, aim: Aim) -> Next {
        sut.reset(number, seed)?;
        let order = sut.order();
        self.begun = true;
        self.referee.set_order(order);
        self.put(Record::Run { run: number, seed, aim, order });
        Ok(self.referee.start())
    }

    /// The run is over: why, and what the model allows instead where an observation is not allowed.
    pub(crate) fn end(&mut self, cause: Cause) -> (Cause, Option<Explanation>) {
        let cause = self.referee.close(cause);
        let verdict = cause.verdict();
        let explanation = matches!(cause, Cause::Failure(_)).then(|| self.referee.explain());
        let (steps, doubt) = (self.steps, matches!(cause, Cause::Open(Open::Undecided(_))));
        if self.begun {
            self.put(Record::Verdict { verdict, cause: cause.clone(), steps, doubt });
        }
        (cause, explanation)
    }

    fn put(&mut self, record: Record) {
        let at = self.clock.now();
        (self.sink)(&Stamped { at, record });
    }

    fn run(&mut self, sut: &mut dyn Sut, recorded: &LoggedRun, number: u64) -> Result<Cause, Fault> {
        if let Some(cause) = self.begin(sut, number, recorded.seed.unwrap_or(0), Aim::Replay)? {
            return Ok(cause);
        }
        sut.follow(&self.script);
        let mut unanswered = recorded.unanswered.clone();
        while let Some(action) = self.script.get(self.at).cloned() {
            let cause = match action {
                // It is none of what is in order, since it was not accepted.
                _ if unanswered.as_ref().is_some_and(|(after, _)| *after <= self.at) => match unanswered.take() {
                    Some((_, input)) => self.input(sut, &input, false)?,
                    None => None,
                },
                Action::Input(input) => self.input(sut, &input, true)?,
                Action::Seen(_) => self.wait(sut)?,
            };
            if let Some(cause) = cause {
                return Ok(cause);
            }
        }
        // What was recorded may still come where the system went another way.
        for _ in 0..AFTER {
            if !self.otherwise || self.quiet {
                break;
            }
            if let Some(cause) = self.wait(sut)? {
                return Ok(cause);
            }
        }
        Ok(Cause::Reached)
    }

    /// The last of what was recorded is to come next, if it is: what is believed now tells where the system is.
    fn come_to_last(&mut self) {
        if self.at + 1 == self.script.len() && self.values && self.arrived.is_none() {
            self.arrived = Some(self.referee.belief().clone());
        }
    }

    /// Compares what is seen with what was recorded there, before anybody judges it.
    fn compare(&mut self, seen: &Observation) {
        let last = self.at + 1 == self.script.len();
        self.come_to_last();
        // Where lines are in the order of the system, an input has its place when it is accepted.
        let overtakes = self.waiting.is_some() && !self.unanswered && self.referee.order() != Order::Sent;
        let expected = match self.script.get(self.at) {
            Some(Action::Seen(expected)) if !overtakes => expected,
            // It did more than was recorded before the input, so the input finds it elsewhere.
            Some(_) => {
                (self.deviated, self.otherwise, self.elsewhere) = (true, true, true);
                return;
            }
            None => return,
        };
        let alike = is_alike(seen, expected);
        // The same crash may have other words the next time.
        let same = seen == expected || (alike && expected.is_end());
        self.deviated |= !same;
        self.otherwise |= !alike;
        self.elsewhere |= !last && !alike;
        self.values |= !last && !same;
        if last {
            self.last = Some(seen.clone());
        }
        self.at += 1;
    }

    /// Sends an input that was recorded, one that was accepted then or not.
    fn input(&mut self, sut: &mut dyn Sut, input: &GateValue, accepted: bool) -> Next {
        // As in a test, what comes before it is taken first.
        match sut.poll(Duration::ZERO)? {
            Polled::Interrupted => return Ok(Some(self.interrupt())),
            Polled::Nothing | Polled::Event(SutEvent::Observed(Observation::Delta)) => {}
            Polled::Event(event) => {
                if let Some(cause) = self.event(event)? {
                    return Ok(Some(cause));
                }
            }
        }
        if accepted {
            self.come_to_last();
            self.at += 1;
        }
        self.unanswered = !accepted;
        self.send(sut, input)
    }

    /// Sends an input, and waits until it is accepted.
    pub(crate) fn send(&mut self, sut: &mut dyn Sut, input: &GateValue) -> Next {
        check(self.referee.model(), input)?;
        self.ids += 1;
        let id = self.ids;
        self.put(Record::Input { id, input: input.clone(), why: Why::Replay });
        sut.send(id, input)?;
        self.gate = Some(input.gate);
        self.waiting = Some(input.clone());
        self.referee.sending(input);
        let by = self.clock.now() + self.patience.accepted;
        // A clock that stands still must not make this endless.
        let mut left = 100_000_u32;
        while self.waiting.is_some() {
            let rest = by.saturating_sub(self.clock.now());
            let polled = if left == 0 { Polled::Nothing } else { sut.poll(rest)? };
            left = left.saturating_sub(1);
            match polled {
                Polled::Interrupted => return Ok(Some(self.interrupt())),
                Polled::Nothing => {
                    let message =
                        format!("input {id} was neither accepted nor refused within {:?}", self.patience.accepted);
                    return Err(Fault { kind: FaultKind::Timeout, message, stderr: Vec::new(), again: true });
                }
                // Silence while an input is under way says nothing.
                Polled::Event(SutEvent::Observed(Observation::Delta)) => {}
                Polled::Event(event) => {
                    if let Some(cause) = self.event(event)? {
                        return Ok(Some(cause));
                    }
                }
            }
        }
        Ok(None)
    }

    /// Waits for something, where something was recorded, or where anything may come.
    pub(crate) fn wait(&mut self, sut: &mut dyn Sut) -> Next {
        let general = self.patience.quiescence;
        let slower = self.patience.slower;
        let quiescence = slower.map_or(general, |slower| slower.time(general, self.gate, self.referee.belief()));
        // What came then may only be slow today, and a failure is worth waiting for a little longer.
        let comes = matches!(self.script.get(self.at), Some(Action::Seen(e)) if *e != Observation::Delta);
        let referee = &mut *self.referee;
        let mut worth_it = || comes || !referee.allows_silence();
        let listened = listen(sut, self.clock, quiescence, Some(self.start), &mut worth_it)?;
        let Listened { polled, took_time, starved, .. } = listened;
        let silent = polled == Polled::Nothing;
        let event = match polled {
            Polled::Interrupted => return Ok(Some(self.interrupt())),
            Polled::Nothing => SutEvent::Observed(Observation::Delta),
            Polled::Event(event) => event,
        };
        let timed = silent && took_time;
        self.quiet = event == SutEvent::Observed(Observation::Delta);
        if timed {
            let reliance = self.reliance(starved);
            self.compare(&Observation::Delta);
            self.put(Record::TimedOut(reliance));
            self.steps += 1;
            return Ok(self.referee.timed_out(reliance));
        }
        self.event(event)
    }

    /// How far silence by the clock can be relied on now (T-Q10). Where it was seen before, it came again.
    fn reliance(&mut self, starved: Option<Duration>) -> Reliance {
        match starved {
            _ if self.referee.order() == Order::Certain => Reliance::Full,
            Some(late) => Reliance::Starved(late),
            None if self.expects_silence || self.referee.allows_silence() => Reliance::Full,
            None => Reliance::Once,
        }
    }

    pub(crate) fn interrupt(&mut self) -> Cause {
        self.interrupted = true;
        Cause::Open(Open::Stopped)
    }

    pub(crate) fn event(&mut self, event: SutEvent) -> Next {
        let wrong = |what: &str, id: u64| Fault {
            kind: FaultKind::Protocol,
            message: format!("input {id} is {what}, but it was not sent, or was answered before"),
            stderr: Vec::new(),
            again: true,
        };
        match event {
            SutEvent::Accepted { id } => {
                if self.waiting.take().filter(|_| id == self.ids).is_none() {
                    return Err(wrong("accepted", id));
                }
                if std::mem::take(&mut self.unanswered) {
                    // Something else came before that when it was recorded, and then what was not allowed.
                    self.come_to_last();
                    self.deviated = true;
                    self.elsewhere |= self.at + 1 < self.script.len();
                }
                self.put(Record::Accepted { id });
                self.steps += u64::from(!self.referee.is_counted());
                Ok(self.referee.accepted())
            }
            SutEvent::Refused { id, why } => {
                let Some(input) = self.waiting.take().filter(|_| id == self.ids) else {
                    return Err(wrong("refused", id));
                };
                self.put(Record::Refused { id, why: why.clone() });
                Ok(Some(self.referee.refused(&input, &why)))
            }
            SutEvent::Observed(seen) => {
                self.compare(&seen);
                self.put(Record::Observed(seen.clone()));
                if let Observation::Output(output) = &seen {
                    self.gate = Some(output.gate);
                }
                let counted = self.referee.is_counted();
                let cause = self.referee.observe(&seen);
                self.steps += 1 + u64::from(!counted && self.referee.is_counted());
                // After its end, nothing more can be asked of the system.
                Ok(cause.or(seen.is_end().then_some(Cause::Reached)))
            }
        }
    }
}
