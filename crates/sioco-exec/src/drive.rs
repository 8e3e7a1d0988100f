//! Connects a tester with a system under test: does what the tester decides, and tells it what comes of that.

use std::time::Duration;

use crate::border::Border;
use crate::driver::{Decision, Driver};
use crate::event::{GateValue, Observation};
use crate::ledger::Leftovers;
use crate::record::{End, Stamped, Waiting};
use crate::reliance::{Listened, listen};
use crate::summary::Summary;
use crate::sut::{Fault, FaultKind, Polled, Sut, SutEvent};

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
    driver: &mut Driver<'_>,
    sut: &mut dyn Sut,
    clock: &mut dyn Clock,
    sink: &mut dyn FnMut(&Stamped),
) -> Summary {
    let sut = &mut Border::new(driver.model(), sut);
    loop {
        let decision = driver.decide();
        flush(driver, clock, sink);
        if decision == Decision::Stop {
            break;
        }
        if driver.settings().time.is_some_and(|most| clock.now() >= most) {
            driver.stop(End::Time);
            continue;
        }
        let acted = act(driver, sut, decision, clock, sink);
        driver.set_leftovers(leftovers(sut, Vec::new()));
        match acted {
            // Nobody could tell since nobody was let think any longer.
            Err(fault) if fault.kind == FaultKind::Solver && driver.over().is_some() => driver.cut(None),
            Err(fault) => driver.fault(fault),
            Ok(()) => {}
        }
        flush(driver, clock, sink);
    }
    sut.stop();
    let remarks = sut.remarks();
    driver.set_leftovers(leftovers(sut, remarks));
    driver.summary()
}

/// What the connection has counted so far.
fn leftovers(sut: &dyn Sut, remarks: Vec<String>) -> Leftovers {
    Leftovers { stale: sut.stale(), unheard: sut.unheard(), crashes: sut.unheard_crashes(), remarks }
}

/// Gives away what was recorded.
fn flush(driver: &mut Driver<'_>, clock: &mut dyn Clock, sink: &mut dyn FnMut(&Stamped)) {
    if driver.has_records() {
        flush_at(driver, clock.now(), sink);
    }
}

fn flush_at(driver: &mut Driver<'_>, at: Duration, sink: &mut dyn FnMut(&Stamped)) {
    for record in driver.records() {
        sink(&Stamped { at, record });
    }
}

/// Does what was decided.
fn act(
    driver: &mut Driver<'_>,
    sut: &mut dyn Sut,
    decision: Decision,
    clock: &mut dyn Clock,
    sink: &mut dyn FnMut(&Stamped),
) -> Result<(), Fault> {
    match decision {
        Decision::Reset { run, seed } => {
            sut.reset(run, seed)?;
            // It may not have been reset then: nothing has begun.
            if driver.over().is_some() {
                driver.cut(Some(Waiting::Reset));
                return Ok(());
            }
            if sut.may_be_late() {
                driver.may_be_late();
            }
            driver.started(sut.order());
            driver.hears(clock.now());
        }
        Decision::Send { id, input, at_once: true } => {
            send(driver, sut, id, &input, clock, sink)?;
        }
        Decision::Send { id, input, at_once: false } => match sut.poll(Duration::ZERO)? {
            // What came while the input was being chosen is taken first.
            Polled::Event(event) => tell(driver, event, clock)?,
            Polled::Interrupted => driver.cut(None),
            Polled::Nothing => send(driver, sut, id, &input, clock, sink)?,
        },
        Decision::Await { id } => hear_of(driver, sut, id, clock)?,
        Decision::Wait => {
            let quiescence = driver.quiescence();
            wait(driver, sut, quiescence, clock)?;
        }
        Decision::Stop => {}
    }
    Ok(())
}

/// Waits until an input is accepted or refused, or something else comes.
fn hear_of(driver: &mut Driver<'_>, sut: &mut dyn Sut, id: u64, clock: &mut dyn Clock) -> Result<(), Fault> {
    let (begun, patience) = (clock.now(), driver.settings().patience);
    match acknowledged(sut, clock, begun, patience)? {
        Polled::Event(SutEvent::Accepted { id: other } | SutEvent::Refused { id: other, .. }) if other != id => {
            return Err(protocol(format!("input {other} is acknowledged, but {id} was sent last")));
        }
        Polled::Event(event) => tell(driver, event, clock)?,
        Polled::Interrupted => {
            let overdue = clock.now().saturating_sub(begun) >= driver.quiescence().min(ACCEPTED);
            driver.cut(overdue.then_some(Waiting::Accepted));
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
    driver: &mut Driver<'_>,
    sut: &mut dyn Sut,
    id: u64,
    input: &GateValue,
    clock: &mut dyn Clock,
    sink: &mut dyn FnMut(&Stamped),
) -> Result<(), Fault> {
    let now = clock.now();
    driver.sending(now);
    flush_at(driver, now, sink);
    sut.send(id, input)
}

/// Waits for what comes, or for silence.
fn wait(driver: &mut Driver<'_>, sut: &mut dyn Sut, quiescence: Duration, clock: &mut dyn Clock) -> Result<(), Fault> {
    let start = driver.start_up();
    // A failure is worth waiting for a little longer: perhaps the system is only slow.
    let mut worth_it = || !driver.allows_silence() && !driver.is_known_silent();
    let Listened { polled, graced, took_time, starved, overdue } =
        listen(sut, clock, quiescence, start, &mut worth_it)?;
    match polled {
        Polled::Event(event) => {
            if graced && event != SutEvent::Observed(Observation::Delta) {
                driver.came_late();
            }
            tell(driver, event, clock)?;
        }
        // With some clocks, that took no time.
        Polled::Nothing => {
            driver.hears(clock.now());
            driver.timed_out(took_time, starved);
        }
        Polled::Interrupted => driver.cut(overdue),
    }
    Ok(())
}

fn tell(driver: &mut Driver<'_>, event: SutEvent, clock: &mut dyn Clock) -> Result<(), Fault> {
    driver.hears(clock.now());
    match event {
        SutEvent::Accepted { id } => {
            if !driver.accepted(id) {
                return Err(protocol(format!("input {id} is accepted, but it was not sent, or was accepted before")));
            }
        }
        SutEvent::Refused { id, why } => {
            if !driver.refused(id, why) {
                return Err(protocol(format!("input {id} is refused, but it was not sent, or was accepted before")));
            }
        }
        SutEvent::Observed(seen) => driver.observed(seen),
    }
    Ok(())
}

fn protocol(message: String) -> Fault {
    Fault { kind: FaultKind::Protocol, message, stderr: Vec::new(), again: true }
}
