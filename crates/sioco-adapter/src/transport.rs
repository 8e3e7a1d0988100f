//! What carries the lines of the protocol: a child process, a socket, or whatever else there will be.

use std::time::{Duration, Instant};

use sioco_exec::{Crash, Fault, FaultKind};

use crate::group::Ending;
use crate::lines::{Interrupt, LineWriter, Lines};

/// A connection to an adapter. Dropping it ends it at once, with everything that was started for it.
pub trait Connection: Send {
    /// What comes from the adapter.
    fn lines(&self) -> &Lines;

    /// What goes to the adapter.
    fn writer(&self) -> &LineWriter;

    /// Whether the adapter is gone, though its lines have no end: somebody else may hold the stream open.
    fn is_gone(&mut self) -> bool {
        false
    }

    /// What became of the adapter after its lines ended, in words that go on with "the adapter `…`". May wait a moment
    /// for the news.
    fn epitaph(&mut self) -> String;

    /// How the process ended that was started for this connection alone, after waiting a moment for the news: nothing if
    /// it runs on, or if there is none.
    fn ended(&mut self) -> Option<Ending> {
        None
    }

    /// Whether the process that was started for this connection alone runs.
    fn runs(&mut self) -> bool {
        false
    }

    /// How the system at the other end crashed, if it did, after waiting for the news no longer than this, and not if
    /// everything is to end: its process, as far as there is one that was started for it, ended abnormally.
    fn crash(&mut self, _patience: Duration, _interrupt: &Interrupt) -> Option<Crash> {
        None
    }

    /// When the program at the other end was started, if it was started here.
    fn started(&self) -> Option<Instant> {
        None
    }

    /// The last lines that the other end wrote to standard error, oldest first.
    fn stderr(&self) -> Vec<String> {
        Vec::new()
    }

    /// Ends the connection once everything is written; what has not ended by itself after this time is made to.
    fn close(&mut self, grace: Duration);
}

/// Opens connections to one and the same adapter.
pub trait Connector: Send {
    /// What it connects to, as the user wrote it.
    fn name(&self) -> String;

    /// Whether the system is in its initial state whenever a connection was opened: it is started for each.
    fn starts_afresh(&self) -> bool;

    /// Opens a connection; nothing if that was interrupted.
    fn open(&mut self, interrupt: &Interrupt) -> Result<Option<Box<dyn Connection>>, Fault>;
}

/// A fault about starting, which trying again does not mend.
pub(crate) fn cannot_start(message: String) -> Fault {
    Fault { kind: FaultKind::Start, message, stderr: Vec::new(), again: false }
}
