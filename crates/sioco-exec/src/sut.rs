//! The system under test, as the tester sees it: whoever connects one implements [`Sut`].

use std::fmt;
use std::time::Duration;

use serde::Serialize;

use crate::event::{Action, GateValue, Observation};
use crate::reliance::Start;
use crate::run_number::RunNumber;

/// What the order of the events of a [`Sut`] means (T-O1).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Order {
    /// Inputs are acknowledged when they were sent (T-O3): the system may still give outputs before it takes them.
    #[default]
    Sent,
    /// Events are in the order in which the system took inputs and gave outputs, as its adapter promises (T-O2).
    Sut,
    /// The same, and nobody has to promise it (T-O4): the system is played in this process. No adapter can say this.
    Certain,
}

impl Order {
    /// Its name in the protocol and in journals.
    pub fn name(self) -> &'static str {
        match self {
            Order::Sent => "sent",
            Order::Sut => "sut",
            Order::Certain => "certain",
        }
    }

    /// The order with a name in a journal.
    pub fn named(name: &str) -> Option<Order> {
        [Order::Sent, Order::Sut, Order::Certain].into_iter().find(|o| o.name() == name)
    }

    /// The order that an adapter may promise by this name.
    pub fn promised(name: &str) -> Option<Order> {
        Order::named(name).filter(|o| *o != Order::Certain)
    }

    /// What an adapter of a system with this order promises: whoever hears it only has its word.
    pub fn as_promise(self) -> Order {
        if self == Order::Certain { Order::Sut } else { self }
    }

    /// Whether events are in the order in which the system took and gave things: promised, or for sure.
    pub fn is_of_system(self) -> bool {
        self != Order::Sent
    }
}

/// An event from the side of the system.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SutEvent {
    /// An input was taken (order [`Sut`](Order::Sut)) or sent (order [`Sent`](Order::Sent)).
    Accepted {
        /// Which input.
        id: u64,
    },
    /// An input was not taken; the system is as before.
    Refused {
        /// Which input.
        id: u64,
        /// Why, in the words of the adapter.
        why: String,
    },
    /// Something was observed. A [`Delta`](Observation::Delta) comes from an adapter that knows that the system is
    /// silent (T-Q6); otherwise the tester's own timer says so.
    Observed(Observation),
}

/// What a wait brought.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Polled {
    /// An event.
    Event(SutEvent),
    /// Nothing came while there was time.
    Nothing,
    /// Somebody wants the whole campaign to end.
    Interrupted,
}

/// Whose fault it is that a run cannot go on. None of these says anything about whether the system conforms.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum FaultKind {
    /// The adapter or system could not be started or reached.
    Start,
    /// The adapter said something that the protocol does not allow.
    Protocol,
    /// The adapter did not answer in time.
    Timeout,
    /// The adapter died.
    Died,
    /// The adapter reports a problem of its own or of the surroundings of the system.
    Reported,
    /// The system cannot be brought back to its initial state.
    Reset,
    /// The code that connects a system of this process broke down, and not the system: reading arguments, for example.
    Glue,
    /// Sioco itself made a mistake.
    Tool,
    /// A model plays the system, and is undefined for what happened.
    Played,
    /// A model plays the system, and no solver can tell what it does.
    Solver,
}

impl FaultKind {
    /// Its name in journals.
    pub fn name(self) -> &'static str {
        match self {
            FaultKind::Start => "start",
            FaultKind::Protocol => "protocol",
            FaultKind::Timeout => "timeout",
            FaultKind::Died => "died",
            FaultKind::Reported => "reported",
            FaultKind::Reset => "reset",
            FaultKind::Glue => "glue",
            FaultKind::Tool => "tool",
            FaultKind::Played => "played",
            FaultKind::Solver => "solver",
        }
    }

    /// The kind with a name.
    pub fn named(name: &str) -> Option<FaultKind> {
        use FaultKind::*;
        [Start, Protocol, Timeout, Died, Reported, Reset, Glue, Tool, Played, Solver]
            .into_iter()
            .find(|k| k.name() == name)
    }
}

/// A run cannot go on, and it is not known to be the fault of the system under test (T-E3: error).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// What kind of fault.
    pub kind: FaultKind,
    /// What happened, for people: what, where, and what to do.
    pub message: String,
    /// The last lines that the adapter wrote to standard error, oldest first.
    pub stderr: Vec<String>,
    /// Whether a new [`reset`](Sut::reset) may mend it; otherwise the campaign ends.
    pub again: bool,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Fault {}

/// A system under test, connected.
///
/// Every method returns in bounded time. After a [`Fault`], only [`reset`](Sut::reset) is called again, which starts
/// a new adapter if need be.
pub trait Sut {
    /// What the order of events means; known after the first reset.
    fn order(&self) -> Order;

    /// Brings the system to its initial state. Events of runs before this one never come again.
    fn reset(&mut self, run: RunNumber, seed: u64) -> Result<(), Fault>;

    /// Sends an input, and does not wait: that it was accepted or refused is an event.
    fn send(&mut self, id: u64, input: &GateValue) -> Result<(), Fault>;

    /// The next event, as soon as there is one, or nothing after this time. A time of zero takes only what is there.
    fn poll(&mut self, wait: Duration) -> Result<Polled, Fault>;

    /// Asks a system that makes choices of its own to do what was recorded, from the last [`reset`](Sut::reset) on, as long
    /// as it can. Most systems cannot be asked.
    fn follow(&mut self, _recorded: &[Action]) {}

    /// Whether the system did what was [asked](Sut::follow) as long as it could: then what it did not do again, it cannot
    /// do any more. Otherwise that is not known. Nothing if it cannot be asked.
    fn follows(&self) -> Option<bool> {
        None
    }

    /// Whether the system goes on by itself, so that it may give an output at any time, however late. Then it is worth
    /// listening at the end of a run.
    fn may_be_late(&self) -> bool {
        false
    }

    /// Outputs of older runs that came during a later one and were dropped so far.
    fn stale(&self) -> u64 {
        0
    }

    /// Outputs that came after the end of their run, before the next one began: nobody waited for them.
    fn unheard(&self) -> u64 {
        0
    }

    /// Crashes after the end of their run, before the next one began, that nobody but the system caused: nobody waited for
    /// them.
    fn unheard_crashes(&self) -> u64 {
        0
    }

    /// How the system ended in a run in which it did, as far as that is known, for people: its exit status, and what it
    /// wrote last to standard error.
    fn last_words(&self, _run: RunNumber) -> Vec<String> {
        Vec::new()
    }

    /// How much longer the system may take to start, if it was started and nothing has come from it: until then its silence
    /// says nothing (T-Q10): all that it may take, or what it may take going by how long others like it took.
    fn starting(&self, _start: Start) -> Duration {
        Duration::ZERO
    }

    /// What was odd about what the system sent, and changes no verdict, for people; each only once.
    fn remarks(&self) -> Vec<String> {
        Vec::new()
    }

    /// Ends the system, which neither accepted nor refused an input for so long, and says so, with what is known about why.
    fn unacknowledged(&mut self, id: u64, patience: Duration) -> Fault {
        self.stop();
        let message = format!("input {id} was neither accepted nor refused within {patience:?}");
        Fault { kind: FaultKind::Timeout, message, stderr: Vec::new(), again: true }
    }

    /// Ends the system and whatever was started for it. A reset after that starts it anew.
    fn stop(&mut self) {}
}
