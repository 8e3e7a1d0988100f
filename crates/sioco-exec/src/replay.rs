//! A recorded run against a system under test again: the same inputs at the same places, and what comes back is judged
//! anew.

use std::time::Duration;

use sioco_model::GateId;

use crate::border::{Border, check};
use crate::drive::Clock;
use crate::event::{Action, GateValue, Observation};
use crate::explanation::Explanation;
use crate::log::{LoggedRun, LoggedStep};
use crate::record::{Aim, Record, Stamped, Why};
use crate::referee::Referee;
use crate::slower::{Slower, grace};
use crate::sut::{Fault, FaultKind, Polled, Sut, SutEvent};
use crate::verdict::{Cause, Open, Trouble, Verdict};

/// How many more observations are waited for where the system went another way.
const AFTER: usize = 100;

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
    /// Whether it did so before the last recorded step: by other gates, or by silence. Then it was not where it was in the
    /// end.
    pub elsewhere: bool,
    /// Somebody wants it to end.
    pub interrupted: bool,
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
    let cause = again.run(sut, recorded, number).unwrap_or_else(|fault| {
        let Fault { kind, message, stderr, .. } = fault.clone();
        if !again.begun {
            again.put(Record::Fault(fault));
        }
        Cause::Trouble(Trouble::Fault { kind, message, stderr })
    });
    let (cause, explanation) = again.end(cause);
    let Again { steps, deviated, elsewhere, interrupted, .. } = again;
    Replayed { verdict: cause.verdict(), cause, explanation, steps, deviated, elsewhere, interrupted }
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
    deviated: bool,
    elsewhere: bool,
    /// Whether it did so at any step.
    otherwise: bool,
    pub(crate) interrupted: bool,
    begun: bool,
    /// Whether silence was seen last.
    quiet: bool,
    /// The gate of the last input or output.
    last: Option<GateId>,
}

/// Whether two observations are the same but for their values.
fn is_alike(a: &Observation, b: &Observation) -> bool {
    match (a, b) {
        (Observation::Output(a), Observation::Output(b)) => a.gate == b.gate,
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
            deviated: false,
            elsewhere: false,
            otherwise: false,
            interrupted: false,
            begun: false,
            quiet: false,
            last: None,
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
        let (steps, doubt) = (self.steps, verdict <= Verdict::WeakPass && self.referee.belief().is_doubtful());
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
        for (at, step) in recorded.steps.iter().enumerate() {
            if let Some((_, input)) = recorded.unanswered.as_ref().filter(|(after, _)| *after == at)
                && let Some(cause) = self.input(sut, input)?
            {
                return Ok(cause);
            }
            let next = match &step.action {
                Action::Input(input) => self.input(sut, input)?,
                Action::Seen(expected) => self.wait(sut, Some(expected), at + 1 == recorded.steps.len())?,
            };
            if let Some(cause) = next {
                return Ok(cause);
            }
        }
        // An input that was refused is none of the steps.
        if let Some(LoggedStep { action: Action::Input(input), .. }) = recorded.refused.as_ref()
            && let Some(cause) = self.input(sut, input)?
        {
            return Ok(cause);
        }
        // What was recorded may still come where the system went another way.
        for _ in 0..AFTER {
            if !self.otherwise || self.quiet {
                break;
            }
            if let Some(cause) = self.wait(sut, None, true)? {
                return Ok(cause);
            }
        }
        Ok(Cause::Reached)
    }

    fn input(&mut self, sut: &mut dyn Sut, input: &GateValue) -> Next {
        // As in a test, what comes before it is taken first.
        match sut.poll(Duration::ZERO)? {
            Polled::Interrupted => return Ok(Some(self.interrupt())),
            Polled::Nothing | Polled::Event(SutEvent::Observed(Observation::Delta)) => {}
            Polled::Event(event) => {
                // It did more than was recorded before the input, so the input finds it elsewhere.
                (self.deviated, self.otherwise, self.elsewhere) = (true, true, true);
                if let Some(cause) = self.event(event)? {
                    return Ok(Some(cause));
                }
            }
        }
        self.send(sut, input)
    }

    /// Sends an input, and waits until it is accepted.
    pub(crate) fn send(&mut self, sut: &mut dyn Sut, input: &GateValue) -> Next {
        check(self.referee.model(), input)?;
        self.ids += 1;
        let id = self.ids;
        self.put(Record::Input { id, input: input.clone(), why: Why::Replay });
        sut.send(id, input)?;
        self.last = Some(input.gate);
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
    pub(crate) fn wait(&mut self, sut: &mut dyn Sut, expected: Option<&Observation>, last: bool) -> Next {
        let general = self.patience.quiescence;
        let slower = self.patience.slower;
        let quiescence = slower.map_or(general, |slower| slower.time(general, self.last, self.referee.belief()));
        let begun = self.clock.now();
        let mut polled = sut.poll(quiescence)?;
        // What came then may only be slow today, and a failure is worth waiting for a little longer.
        let comes = expected.is_some_and(|e| *e != Observation::Delta);
        if polled == Polled::Nothing && (comes || !self.referee.allows_silence()) {
            polled = sut.poll(grace(quiescence))?;
        }
        let silent = polled == Polled::Nothing;
        let event = match polled {
            Polled::Interrupted => return Ok(Some(self.interrupt())),
            Polled::Nothing => SutEvent::Observed(Observation::Delta),
            Polled::Event(event) => event,
        };
        let timed = silent && self.clock.now() > begun;
        self.quiet = event == SutEvent::Observed(Observation::Delta);
        if let Some(expected) = expected {
            let seen = match &event {
                SutEvent::Observed(seen) => Some(seen),
                SutEvent::Accepted { .. } | SutEvent::Refused { .. } => None,
            };
            self.deviated |= seen != Some(expected);
            let alike = seen.is_some_and(|seen| is_alike(seen, expected));
            self.otherwise |= !alike;
            self.elsewhere |= !last && !alike;
        }
        if timed {
            self.put(Record::TimedOut);
            self.steps += 1;
            return Ok(self.referee.timed_out());
        }
        self.event(event)
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
                self.put(Record::Observed(seen.clone()));
                if let Observation::Output(output) = &seen {
                    self.last = Some(output.gate);
                }
                let counted = self.referee.is_counted();
                let cause = self.referee.observe(&seen);
                self.steps += 1 + u64::from(!counted && self.referee.is_counted());
                // After its end, nothing more can be asked of the system.
                Ok(cause.or((seen == Observation::Closed).then_some(Cause::Reached)))
            }
        }
    }
}
