//! How far silence by the clock can be relied on (T-Q10).
//!
//! On a machine that has too much to do, a system that conforms may be silent for any time. So where silence would be a
//! failure, two things are checked: whether the tester itself was held up during the wait, and whether the silence comes
//! again when the run is repeated. The result is part of the record of the silence, so a journal gives the same verdict.

use std::time::Duration;

use crate::drive::Clock;
use crate::quiescence_time::grace;
use crate::record::Waiting;
use crate::sut::{Fault, Order, Polled, Sut};

/// A part of a long wait takes this long: each shows how late the tester's own timers are. Shorter parts would wake the
/// tester for nothing; a longer one hides a machine that stood still in between.
const SLICE: Duration = Duration::from_millis(200);
/// Waits may altogether take this much longer than they were meant to: one usual quiescence time. A machine that was
/// later did not run the system either, so that its silence proves nothing.
const LEAST_LATENESS: Duration = Duration::from_millis(100);
/// Long waits may take longer by one of this many parts: timers of a loaded machine are late a little each time.
const LATENESS_SHARE: u32 = 10;

/// See the [module](self).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Reliance {
    /// It counts: it is allowed, it came again, or nobody knows better.
    #[default]
    Full,
    /// It would be a failure, and was seen once so far.
    Once,
    /// The tester was held up while it waited, for so long.
    Starved(Duration),
}

impl Reliance {
    /// That of two silences in a row: one that counts is enough.
    pub(crate) fn or(self, other: Reliance) -> Reliance {
        if self == Reliance::Full { self } else { other }
    }
}

/// How far silence by the clock can be relied on in a run with this order of events, if the tester was held up for so long
/// (T-Q10). It counts at once where it is allowed, or came there before.
pub(crate) fn rate(order: Order, starved: Option<Duration>, counts: impl FnOnce() -> bool) -> Reliance {
    match starved {
        // Nobody is slow who is played in this process.
        _ if order == Order::Certain => Reliance::Full,
        Some(late) => Reliance::Starved(late),
        None if counts() => Reliance::Full,
        None => Reliance::Once,
    }
}

/// How much time a system has to start.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Start {
    /// Many times what it usually takes.
    Usual,
    /// All that it may take.
    Whole,
}

/// What a wait for something, or for silence, brought.
pub(crate) struct Listened {
    pub polled: Polled,
    /// Whether it took longer than the quiescence time, since silence would have been a failure, and the system has started.
    pub graced: bool,
    /// Whether it took any time by the clock.
    pub took_time: bool,
    /// How long the tester was held up, if that is too long.
    pub starved: Option<Duration>,
    /// What had not come for the quiescence time, where it was worth waiting longer: the start of the system, or anything.
    pub overdue: Option<Waiting>,
}

/// Waits for something for the quiescence time, and for longer if that is worth it: for the grace (T-Q8), and for as long
/// as the system may take to start, if it is given time for that.
pub(crate) fn listen(
    sut: &mut dyn Sut,
    clock: &mut dyn Clock,
    quiescence: Duration,
    starting: Option<Start>,
    worth_it: &mut dyn FnMut() -> bool,
) -> Result<Listened, Fault> {
    let begun = clock.now();
    let (mut asked, mut graced, mut overdue) = (quiescence, false, None);
    let mut polled = sut.poll(quiescence)?;
    if polled != Polled::Nothing {
        // How long that took says nothing.
        return Ok(Listened { polled, graced, took_time: false, starved: None, overdue });
    }
    // A clock that stands still measures nothing.
    let moves = clock.now() > begun;
    if worth_it() {
        let starting = starting.map_or(Duration::ZERO, |start| sut.starting(start));
        graced = starting.is_zero();
        // A system that still has time to start owes nothing yet.
        overdue = Some(if graced { Waiting::Observed } else { Waiting::Reset });
        let mut left = grace(quiescence).max(starting);
        while polled == Polled::Nothing && !left.is_zero() {
            let slice = if moves { left.min(SLICE) } else { left };
            polled = sut.poll(slice)?;
            (asked, left) = (asked.saturating_add(slice), left.saturating_sub(slice));
        }
    }
    let took = clock.now().saturating_sub(begun);
    let late = took.saturating_sub(asked);
    let starved = (late > LEAST_LATENESS.max(asked / LATENESS_SHARE)).then_some(late);
    Ok(Listened { polled, graced, took_time: !took.is_zero(), starved, overdue })
}
