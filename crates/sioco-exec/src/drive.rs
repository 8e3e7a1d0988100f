//! The loop that connects a session with a system under test: does what the session decides, and tells it what comes of
//! that. There is no other one: campaigns, runs that are run again, and the trials of shrinking all come through here.

use std::time::Duration;
use std::vec::Drain;

use sioco_model::model::Model;

use crate::driver::Decision;
use crate::event::{Action, GateValue, Observation};
use crate::ledger::Leftovers;
use crate::malformed::Border;
use crate::record::{End, Record, Stamped, Waiting};
use crate::reliance::{Listened, Start, listen};
use crate::sut::{Fault, FaultKind, Order, Polled, Sut, SutEvent};

/// The time since the campaign began.
pub trait Clock {
    /// What time it is.
    fn now(&mut self) -> Duration;
}

/// A clock that stands still: for systems in the same process, and for tests.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoClock;

impl Clock for NoClock {
    fn now(&mut self) -> Duration {
        Duration::ZERO
    }
}

/// A system that runs are tried with, and what time it is for it.
pub struct Bench<'a> {
    /// The system.
    pub sut: &'a mut dyn Sut,
    /// Its time.
    pub clock: &'a mut dyn Clock,
}

impl Bench<'_> {
    /// The same for a while.
    pub fn lend(&mut self) -> Bench<'_> {
        Bench { sut: self.sut, clock: self.clock }
    }
}

/// An input that is neither accepted nor refused for this long is overdue, however short the quiescence time is. A fast
/// adapter answers within a millisecond, a busy machine takes some hundred.
const ACCEPTED: Duration = Duration::from_millis(500);
/// At most this many announcements of silence are passed over while an input is under way, where the clock stands
/// still: such a system would otherwise never end the wait.
const SILENCES: u32 = 100_000;

/// Whom a system is connected with: decides what happens next, and is told what comes of it.
pub trait Session<'m> {
    /// What comes of all of it.
    type Outcome;

    /// The model.
    fn model(&self) -> &'m Model;

    /// What to do next.
    fn decide(&mut self) -> Decision;

    /// The records since this was asked last.
    fn records(&mut self) -> Drain<'_, Record>;

    /// By when what was decided has to be begun, if its time is limited.
    fn until(&self, next: &Decision) -> Option<Duration>;

    /// It is too late for that.
    fn late(&mut self);

    /// Why everything has to end, if it has to.
    fn over(&self) -> Option<End> {
        None
    }

    /// What was recorded, if a system that makes choices of its own is to do that again.
    fn script(&self) -> Option<&[Action]> {
        None
    }

    /// How long nothing must come now before that is silence.
    fn quiescence(&self) -> Duration;

    /// Whether silence is worth waiting for a little longer now: perhaps the system is only slow.
    fn waits_longer(&mut self) -> bool;

    /// How much time the system has to start, if it gets any.
    fn start_up(&self) -> Option<Start>;

    /// How long an input may wait to be accepted.
    fn patience(&self) -> Duration;

    /// How long the one that is under way may still wait; nothing, if nobody looks for it any more.
    fn patience_left(&self, now: Duration) -> Option<Duration>;

    /// The system is in its initial state. Its outputs may be late if it goes on by itself.
    fn started(&mut self, order: Order, may_be_late: bool);

    /// Something comes from the system, or it is found to be silent, at this time.
    fn hears(&mut self, _now: Duration) {}

    /// The input that was decided on is being sent.
    fn sending(&mut self, now: Duration);

    /// An input was accepted. Says whether it was under way.
    fn accepted(&mut self, id: u64) -> bool;

    /// An input was refused. Says whether it was under way.
    fn refused(&mut self, id: u64, why: String) -> bool;

    /// Something was observed.
    fn observed(&mut self, seen: Observation);

    /// Something came after the quiescence time, where silence would have been a failure.
    fn came_late(&mut self) {}

    /// Nothing came for the quiescence time, which is short by some clocks. The tester itself may have been held up for a
    /// while.
    fn timed_out(&mut self, took_time: bool, starved: Option<Duration>);

    /// The adapter or the surroundings broke down.
    fn fault(&mut self, fault: Fault);

    /// A wait was cut from outside, perhaps while something was overdue.
    fn cut(&mut self, overdue: Option<Waiting>);

    /// What the connection with the system counted.
    fn set_leftovers(&mut self, _leftovers: Leftovers) {}

    /// Everything was done.
    fn end(&mut self, sut: &mut dyn Sut) -> Self::Outcome;
}

/// Runs a session to its end. The sink gets every record as soon as it is there.
pub fn drive<'m, S: Session<'m>>(
    session: &mut S,
    sut: &mut dyn Sut,
    clock: &mut dyn Clock,
    sink: &mut dyn FnMut(&Stamped),
) -> S::Outcome {
    let sut = &mut Border::new(session.model(), sut);
    loop {
        let decision = session.decide();
        flush(session, clock, sink);
        if decision == Decision::Stop {
            break;
        }
        if session.until(&decision).is_some_and(|until| clock.now() >= until) {
            session.late();
            continue;
        }
        let acted = act(session, sut, decision, clock, sink);
        session.set_leftovers(leftovers(sut, Vec::new()));
        match acted {
            // Nobody could tell since nobody was let think any longer.
            Err(fault) if fault.kind == FaultKind::Solver && session.over().is_some() => session.cut(None),
            Err(fault) => session.fault(fault),
            Ok(()) => {}
        }
        flush(session, clock, sink);
    }
    session.end(sut)
}

/// What the connection has counted so far.
pub(crate) fn leftovers(sut: &dyn Sut, remarks: Vec<String>) -> Leftovers {
    Leftovers { stale: sut.stale(), unheard: sut.unheard(), crashes: sut.unheard_crashes(), remarks }
}

/// Gives away what was recorded.
fn flush<'m>(session: &mut impl Session<'m>, clock: &mut dyn Clock, sink: &mut dyn FnMut(&Stamped)) {
    let records = session.records();
    if records.len() > 0 {
        give(records, clock.now(), sink);
    }
}

fn give(records: Drain<'_, Record>, at: Duration, sink: &mut dyn FnMut(&Stamped)) {
    records.for_each(|record| sink(&Stamped { at, record }));
}

/// Does what was decided.
fn act<'m>(
    session: &mut impl Session<'m>,
    sut: &mut dyn Sut,
    decision: Decision,
    clock: &mut dyn Clock,
    sink: &mut dyn FnMut(&Stamped),
) -> Result<(), Fault> {
    match decision {
        Decision::Reset { run, seed } => {
            sut.reset(run, seed)?;
            // It may not have been reset then: nothing has begun.
            if session.over().is_some() {
                session.cut(Some(Waiting::Reset));
                return Ok(());
            }
            session.started(sut.order(), sut.may_be_late());
            if let Some(script) = session.script() {
                sut.follow(script);
            }
            session.hears(clock.now());
        }
        Decision::Send { id, input, at_once: true } => {
            send(session, sut, id, &input, clock, sink)?;
        }
        Decision::Send { id, input, at_once: false } => match sut.poll(Duration::ZERO)? {
            // What came while the input was being chosen is taken first.
            Polled::Event(event) => tell(session, event, clock)?,
            Polled::Interrupted => session.cut(None),
            Polled::Nothing => send(session, sut, id, &input, clock, sink)?,
        },
        Decision::Look => match sut.poll(Duration::ZERO)? {
            Polled::Event(event) => tell(session, event, clock)?,
            Polled::Interrupted => session.cut(None),
            Polled::Nothing => {}
        },
        Decision::Await { id } => acknowledge(session, sut, id, clock)?,
        Decision::Wait => wait(session, sut, clock)?,
        Decision::Stop => {}
    }
    Ok(())
}

/// Waits until an input is accepted or refused, or something else comes.
fn acknowledge<'m>(
    session: &mut impl Session<'m>,
    sut: &mut dyn Sut,
    id: u64,
    clock: &mut dyn Clock,
) -> Result<(), Fault> {
    let begun = clock.now();
    let polled = match session.patience_left(begun) {
        Some(patience) => acknowledged(sut, clock, begun, patience)?,
        None => Polled::Nothing,
    };
    match polled {
        Polled::Event(SutEvent::Accepted { id: other } | SutEvent::Refused { id: other, .. }) if other != id => {
            return Err(protocol(format!("input {other} was acknowledged, but {id} was sent last")));
        }
        Polled::Event(event) => tell(session, event, clock)?,
        Polled::Interrupted => {
            let overdue = clock.now().saturating_sub(begun) >= session.quiescence().min(ACCEPTED);
            session.cut(overdue.then_some(Waiting::Accepted));
        }
        Polled::Nothing => {
            // Who does not answer this will hardly answer a reset.
            return Err(sut.unacknowledged(id, session.patience()));
        }
    }
    Ok(())
}

/// What comes while an input is under way. Silence says nothing then, and gives nobody more time.
fn acknowledged(
    sut: &mut dyn Sut,
    clock: &mut dyn Clock,
    begun: Duration,
    patience: Duration,
) -> Result<Polled, Fault> {
    let (mut left, mut silences) = (patience, 0);
    loop {
        let polled = sut.poll(left)?;
        if polled != Polled::Event(SutEvent::Observed(Observation::Delta)) {
            return Ok(polled);
        }
        let now = clock.now();
        left = patience.saturating_sub(now.saturating_sub(begun));
        silences += 1;
        // A clock that stands still must not make this endless.
        if left.is_zero() || (now == begun && silences >= SILENCES) {
            return Ok(Polled::Nothing);
        }
    }
}

/// Sends an input. That is recorded first: a system in this process may end the whole process by it.
fn send<'m>(
    session: &mut impl Session<'m>,
    sut: &mut dyn Sut,
    id: u64,
    input: &GateValue,
    clock: &mut dyn Clock,
    sink: &mut dyn FnMut(&Stamped),
) -> Result<(), Fault> {
    let now = clock.now();
    session.sending(now);
    give(session.records(), now, sink);
    sut.send(id, input)
}

/// Waits for what comes, or for silence.
fn wait<'m>(session: &mut impl Session<'m>, sut: &mut dyn Sut, clock: &mut dyn Clock) -> Result<(), Fault> {
    let (quiescence, start) = (session.quiescence(), session.start_up());
    let Listened { polled, graced, took_time, starved, overdue } =
        listen(sut, clock, quiescence, start, &mut || session.waits_longer())?;
    match polled {
        Polled::Event(event) => {
            if graced && event != SutEvent::Observed(Observation::Delta) {
                session.came_late();
            }
            tell(session, event, clock)?;
        }
        // With some clocks, that took no time.
        Polled::Nothing => {
            session.hears(clock.now());
            session.timed_out(took_time, starved);
        }
        Polled::Interrupted => session.cut(overdue),
    }
    Ok(())
}

fn tell<'m>(session: &mut impl Session<'m>, event: SutEvent, clock: &mut dyn Clock) -> Result<(), Fault> {
    session.hears(clock.now());
    match event {
        SutEvent::Accepted { id } => {
            if !session.accepted(id) {
                return Err(protocol(format!("input {id} was accepted, but it was not sent, or was accepted before")));
            }
        }
        SutEvent::Refused { id, why } => {
            if !session.refused(id, why) {
                return Err(protocol(format!("input {id} was refused, but it was not sent, or was accepted before")));
            }
        }
        SutEvent::Observed(seen) => session.observed(seen),
    }
    Ok(())
}

fn protocol(message: String) -> Fault {
    Fault { kind: FaultKind::Protocol, message, stderr: Vec::new(), again: true }
}
