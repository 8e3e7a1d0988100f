//! Connects a tester with a system under test: does what the tester decides, and tells it what comes of that.

use std::time::Duration;

use crate::border::Border;
use crate::event::{GateValue, Observation};
use crate::ledger::Leftovers;
use crate::record::{End, Stamped, Waiting};
use crate::reliance::{Listened, listen};
use crate::summary::Summary;
use crate::sut::{Fault, FaultKind, Polled, Sut, SutEvent};
use crate::tester::{Decision, Tester};

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

/// An input that is neither accepted nor refused for so long is overdue, however long silence takes.
const ACCEPTED: Duration = Duration::from_millis(500);

/// Runs a campaign to its end. The sink gets every record as soon as it is there.
pub fn drive(
    tester: &mut Tester<'_>,
    sut: &mut dyn Sut,
    clock: &mut dyn Clock,
    sink: &mut dyn FnMut(&Stamped),
) -> Summary {
    let sut = &mut Border::new(tester.model(), sut);
    loop {
        let decision = tester.decide();
        flush(tester, clock, sink);
        if decision == Decision::Stop {
            break;
        }
        let now = clock.now();
        if tester.settings().time.is_some_and(|most| now >= most) {
            tester.stop(End::Time);
            continue;
        }
        let acted = act(tester, sut, decision, clock, sink);
        tester.set_leftovers(leftovers(sut, Vec::new()));
        match acted {
            // Nobody could tell since nobody was let think any longer.
            Err(fault) if fault.kind == FaultKind::Solver && tester.over().is_some() => tester.cut(None),
            Err(fault) => tester.fault(fault),
            Ok(()) => {}
        }
        flush(tester, clock, sink);
    }
    sut.stop();
    let remarks = sut.remarks();
    tester.set_leftovers(leftovers(sut, remarks));
    tester.summary()
}

/// What the connection has counted so far.
fn leftovers(sut: &dyn Sut, remarks: Vec<String>) -> Leftovers {
    Leftovers { stale: sut.stale(), unheard: sut.unheard(), crashes: sut.unheard_crashes(), remarks }
}

fn flush(tester: &mut Tester<'_>, clock: &mut dyn Clock, sink: &mut dyn FnMut(&Stamped)) {
    let mut at = None;
    for record in tester.records() {
        let at = *at.get_or_insert_with(|| clock.now());
        sink(&Stamped { at, record });
    }
}

/// Does what was decided.
fn act(
    tester: &mut Tester<'_>,
    sut: &mut dyn Sut,
    decision: Decision,
    clock: &mut dyn Clock,
    sink: &mut dyn FnMut(&Stamped),
) -> Result<(), Fault> {
    let patience = tester.settings().patience;
    let begun = clock.now();
    match decision {
        Decision::Reset { run, seed } => {
            sut.reset(run, seed)?;
            // It may not have been reset then: nothing has begun.
            if tester.over().is_some() {
                tester.cut(Some(Waiting::Reset));
                return Ok(());
            }
            if sut.may_be_late() {
                tester.may_be_late();
            }
            tester.started(sut.order());
            tester.hears(clock.now());
        }
        Decision::Send { id, input, at_once: true } => {
            send(tester, sut, id, &input, clock, sink)?;
        }
        Decision::Send { id, input, at_once: false } => match sut.poll(Duration::ZERO)? {
            // What came while the input was being chosen is taken first.
            Polled::Event(event) => tell(tester, event, clock)?,
            Polled::Interrupted => tester.cut(None),
            Polled::Nothing => send(tester, sut, id, &input, clock, sink)?,
        },
        Decision::Await { id } => match acknowledged(sut, clock, patience)? {
            Polled::Event(SutEvent::Accepted { id: other } | SutEvent::Refused { id: other, .. }) if other != id => {
                return Err(protocol(format!("input {other} is acknowledged, but {id} was sent last")));
            }
            Polled::Event(event) => tell(tester, event, clock)?,
            Polled::Interrupted => {
                let overdue = clock.now().saturating_sub(begun) >= tester.quiescence().min(ACCEPTED);
                tester.cut(overdue.then_some(Waiting::Accepted));
            }
            Polled::Nothing => {
                // Who does not answer this will hardly answer a reset.
                sut.stop();
                return Err(Fault {
                    kind: FaultKind::Timeout,
                    message: format!("input {id} was neither accepted nor refused within {patience:?}"),
                    stderr: Vec::new(),
                    again: true,
                });
            }
        },
        Decision::Wait => {
            let quiescence = tester.quiescence();
            wait(tester, sut, quiescence, clock)?;
        }
        Decision::Stop => {}
    }
    Ok(())
}

/// What comes while an input is under way. Silence says nothing then, and gives nobody more time.
fn acknowledged(sut: &mut dyn Sut, clock: &mut dyn Clock, patience: Duration) -> Result<Polled, Fault> {
    let begun = clock.now();
    let mut left = patience;
    loop {
        let polled = sut.poll(left)?;
        if polled != Polled::Event(SutEvent::Observed(Observation::Delta)) {
            return Ok(polled);
        }
        left = patience.saturating_sub(clock.now().saturating_sub(begun));
        if left.is_zero() {
            return Ok(Polled::Nothing);
        }
    }
}

/// Sends an input. That is recorded first: a system in this process may end the whole process by it.
fn send(
    tester: &mut Tester<'_>,
    sut: &mut dyn Sut,
    id: u64,
    input: &GateValue,
    clock: &mut dyn Clock,
    sink: &mut dyn FnMut(&Stamped),
) -> Result<(), Fault> {
    tester.sending(clock.now());
    flush(tester, clock, sink);
    sut.send(id, input)
}

/// Waits for what comes, or for silence.
fn wait(tester: &mut Tester<'_>, sut: &mut dyn Sut, quiescence: Duration, clock: &mut dyn Clock) -> Result<(), Fault> {
    let start = tester.start_up();
    // A failure is worth waiting for a little longer: perhaps the system is only slow.
    let mut worth_it = || !tester.allows_silence() && !tester.is_known_silent();
    let Listened { polled, graced, took_time, starved, overdue } =
        listen(sut, clock, quiescence, start, &mut worth_it)?;
    match polled {
        Polled::Event(event) => {
            if graced && event != SutEvent::Observed(Observation::Delta) {
                tester.came_late();
            }
            tell(tester, event, clock)?;
        }
        // With some clocks, that took no time.
        Polled::Nothing => {
            tester.hears(clock.now());
            tester.timed_out(took_time, starved);
        }
        Polled::Interrupted => tester.cut(overdue),
    }
    Ok(())
}

fn tell(tester: &mut Tester<'_>, event: SutEvent, clock: &mut dyn Clock) -> Result<(), Fault> {
    tester.hears(clock.now());
    match event {
        SutEvent::Accepted { id } => {
            if !tester.accepted(id) {
                return Err(protocol(format!("input {id} is accepted, but it was not sent, or was accepted before")));
            }
        }
        SutEvent::Refused { id, why } => {
            if !tester.refused(id, why) {
                return Err(protocol(format!("input {id} is refused, but it was not sent, or was accepted before")));
            }
        }
        SutEvent::Observed(seen) => tester.observed(seen),
    }
    Ok(())
}

fn protocol(message: String) -> Fault {
    Fault { kind: FaultKind::Protocol, message, stderr: Vec::new(), again: true }
}
