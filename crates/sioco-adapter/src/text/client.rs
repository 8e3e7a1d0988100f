//! A system that speaks plain text, as a [`Sut`].
//!
//! The connection is the system. If it ends, the observation is `closed`, or `crashed` if the program of the system
//! ended abnormally. A message that fits no template is an observation as well. Only a problem that the system did
//! not cause is a fault: the server is not there, or does not take what is sent, or the program cannot run at all. A
//! connection reset is `closed`: it also happens when a system ends the connection in an orderly way, with something
//! unread.

use crate::lines::LAST_MESSAGE_WAIT;
use crate::lines::STATUS_WAIT;
use std::collections::{BTreeMap, VecDeque};
use std::time::{Duration, Instant};

use sioco_exec::reliance::Start;
use sioco_exec::{Crash, Fault, FaultKind, GateValue, Observation, Order, Polled, RunNumber, Sut, SutEvent};
use sioco_model::Model;
use sioco_model::model::CRASHED;

use super::dialect::{Compiled, Heard, raw};
use super::matcher::Trail;
use crate::config::Exchange;
use crate::group::Ending;
use crate::lines::{Interrupt, MAX_LINE, Raw, WriteError, later, pause};
use crate::startup::Startup;
use crate::transport::{Connection, Connector};

/// A wait looks this often whether the system is still there. Its end usually shows on the connection at once; where
/// children keep that open, a crash is seen this much later.
const SYSTEM_CHECK: Duration = Duration::from_millis(50);
/// Where programs run on after they close their output, the exit status is waited for only this long. Such a program
/// ends when it likes, and every run would wait for it; one that crashed is gone by then.
const LINGERING_STATUS_WAIT: Duration = Duration::from_millis(20);
/// A program that is started once more to see whether it ends by itself gets twice the time that the first one took,
/// and this much more: starting takes longer now and then. With less, a slow start looks like a program that goes on;
/// each such end waits for it.
const END_GRACE: Duration = Duration::from_millis(500);

/// The ends of this many programs are kept for the report. A campaign with more has shown its ways to end; each may
/// take ten lines of memory.
const KEPT_ENDINGS: usize = 1000;
/// This many of the last lines of each program are kept: the reason of an end stands in the last few, and more would
/// hide it among others.
const LAST_LINES: usize = 10;

/// What is chosen about a system that speaks plain text.
#[derive(Clone, PartialEq, Debug)]
pub struct TextOptions {
    /// What is done at the beginning of each run.
    pub before: Vec<Exchange>,
    /// What the order of its messages means.
    pub order: Order,
    /// Whether the connection stays from run to run.
    pub keep: bool,
    /// How long it may take to start, to answer what is done before a run, to take what is sent, and to end a message.
    pub patience: Duration,
    /// How often in a row a connection is opened again, with nothing to show for it.
    pub restarts: u32,
}

impl Default for TextOptions {
    fn default() -> Self {
        TextOptions {
            before: Vec::new(),
            order: Order::Sent,
            keep: false,
            patience: Duration::from_secs(10),
            restarts: 3,
        }
    }
}

/// What was exchanged over a connection.
#[derive(Clone, Copy)]
struct Begun {
    at: Instant,
    /// Something was received.
    heard: bool,
    /// An input was sent.
    sent: bool,
}

impl Begun {
    fn now() -> Begun {
        Begun { at: Instant::now(), heard: false, sent: false }
    }
}

/// What was received and is no message yet.
#[derive(Default)]
struct Received {
    bytes: Vec<u8>,
    /// What is known of these bytes.
    trail: Trail,
}

/// A system that speaks plain text. Dropping it ends the connection, and what was started for it.
pub struct TextClient<'m> {
    model: &'m Model,
    dialect: Compiled,
    connector: Box<dyn Connector>,
    options: TextOptions,
    interrupt: Interrupt,
    connection: Option<Box<dyn Connection>>,
    received: Received,
    events: VecDeque<SutEvent>,
    /// The last message was one after which the system may end the connection.
    farewell: bool,
    /// The connection is over, and everybody knows.
    over: bool,
    /// When the connection was opened, and what was exchanged since.
    begun: Begun,
    /// Whether it is known that the system can run: it said something, or waited for something.
    runs: bool,
    /// The run, and how programs ended that did so in a run.
    run: RunNumber,
    endings: BTreeMap<RunNumber, Vec<String>>,
    /// Whether a program ran on after it closed its output: nobody waits for its end then.
    lingers: bool,
    /// The connection ended while something was expected before a run.
    ended: bool,
    /// Crashes that nobody waited for.
    crashes: u64,
    startup: Startup,
    /// Whether a run has begun at any time.
    worked: bool,
    restarts: u32,
}

impl<'m> TextClient<'m> {
    /// A client for a model. Nothing is started before the first reset.
    pub fn new(
        model: &'m Model,
        dialect: Compiled,
        connector: Box<dyn Connector>,
        options: TextOptions,
        interrupt: Interrupt,
    ) -> TextClient<'m> {
        TextClient {
            model,
            dialect,
            connector,
            options,
            interrupt,
            connection: None,
            received: Received::default(),
            events: VecDeque::new(),
            farewell: false,
            over: false,
            begun: Begun::now(),
            runs: false,
            run: RunNumber::default(),
            endings: BTreeMap::new(),
            lingers: false,
            ended: false,
            crashes: 0,
            startup: Startup::default(),
            worked: false,
            restarts: 0,
        }
    }

    fn interrupted(&self) -> bool {
        self.interrupt.is_over()
    }

    /// Gives up the connection, and says why.
    fn fault(&mut self, kind: FaultKind, what: &str) -> Fault {
        let stderr = self.connection.as_ref().map(|open| open.stderr()).unwrap_or_default();
        let message = format!("the system `{}`: {what}", self.connector.name());
        self.connection = None;
        let again = self.worked && self.restarts < self.options.restarts;
        self.restarts += 1;
        Fault { kind, message, stderr, again }
    }

    fn write(&mut self, bytes: Vec<u8>) -> Result<(), Fault> {
        let Some(open) = &self.connection else { return Ok(()) };
        let (writer, lines) = (open.writer(), open.lines());
        match writer.send_bytes(bytes, self.options.patience, &self.interrupt, &mut || lines.pump()) {
            // That it is closed is told by what is read.
            Ok(()) | Err(WriteError::Closed(_)) => Ok(()),
            Err(WriteError::Stuck) => Err(self.deaf()),
        }
    }

    /// Opens the connection, if there is none; whether there is one.
    fn open(&mut self) -> Result<bool, Fault> {
        if self.connection.is_none() {
            let opened = self.connector.open(&self.interrupt);
            self.connection = opened.map_err(|mut fault| {
                fault.again = self.worked && self.restarts < self.options.restarts;
                self.restarts += 1;
                fault
            })?;
            self.begun = Begun::now();
        }
        Ok(self.connection.is_some())
    }

    /// Sends and receives what comes before a run; whether that was not interrupted.
    fn prepare(&mut self) -> Result<bool, Fault> {
        for exchange in self.options.before.clone() {
            if let Some(text) = &exchange.send {
                let bytes = format!("{text}{}", self.dialect.line_end()).into_bytes();
                self.write(bytes)?;
            }
            if let Some(expected) = &exchange.expect
                && !self.expect(&exchange, expected)?
            {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// What was received and is no message: it is gone then.
    fn take_all(&mut self) -> Vec<u8> {
        self.received.trail = Trail::default();
        std::mem::take(&mut self.received.bytes)
    }

    fn expect(&mut self, exchange: &Exchange, expected: &str) -> Result<bool, Fault> {
        // What comes now is looked at line by line.
        self.received.trail = Trail::default();
        let until = later(self.options.patience);
        let mut received = Vec::new();
        let mut searched = 0;
        loop {
            while let Some(length) = self.received.bytes[searched..].iter().position(|b| *b == b'\n') {
                let line: Vec<u8> = self.received.bytes.drain(..=searched + length).collect();
                searched = 0;
                if line.starts_with(expected.as_bytes()) {
                    return Ok(true);
                }
                received.extend(line);
            }
            searched = self.received.bytes.len();
            let Some(open) = &self.connection else { return Ok(false) };
            let found = open.lines().raw(&mut self.received.bytes, until, &self.interrupt);
            let ended = match found {
                // Somebody who never stops sending something else is not waited for either.
                Raw::Some if received.len() + self.received.bytes.len() > MAX_LINE => {
                    format!("no such line came in {} MiB", MAX_LINE >> 20)
                }
                Raw::Some => {
                    self.heard();
                    continue;
                }
                Raw::Interrupted => return Ok(false),
                Raw::Nothing => format!("no such line came within {} s", self.options.patience.as_secs_f64()),
                Raw::End(error) => {
                    self.ended = true;
                    let status = self.connection.as_mut().and_then(|open| open.ended()).map(|ending| ending.words);
                    let why = status.or(error).map(|why| format!(" ({why})")).unwrap_or_default();
                    format!("the connection ended{why}")
                }
            };
            received.append(&mut self.received.bytes);
            let sent = exchange.send.as_ref().map(|text| format!("`{text}` was sent, and ")).unwrap_or_default();
            let what = format!(
                "before a run, {sent}sioco waited for a line that begins with `{expected}`: {ended}; received: `{}`",
                raw(&received)
            );
            return Err(self.fault(FaultKind::Reset, &what));
        }
    }

    /// Something came.
    fn heard(&mut self) {
        (self.begun.heard, self.runs) = (true, true);
        self.startup.heard(self.connection.as_ref().and_then(|open| open.started()));
    }

    /// The next event that is there already.
    fn next(&mut self) -> Option<SutEvent> {
        if let Some(event) = self.events.pop_front() {
            return Some(event);
        }
        let heard = self.dialect.read(self.model, &self.received.bytes, &mut self.received.trail);
        let Heard::Message(length, seen) = heard else { return None };
        self.received.bytes.drain(..length);
        self.farewell = self.dialect.is_last(&seen);
        Some(SutEvent::Observed(seen))
    }

    /// Whether the system ended, and nothing more comes of it, though something that it started holds its streams open.
    fn is_gone(&mut self) -> bool {
        let Some(open) = &mut self.connection else { return false };
        // What it wrote last may still be on its way.
        open.is_gone()
            && open.lines().raw(&mut self.received.bytes, later(LAST_MESSAGE_WAIT), &self.interrupt) == Raw::Nothing
    }

    /// Looks whether silence means that the system did not get what was sent.
    fn check_delivery(&mut self) -> Result<(), Fault> {
        let stuck = self.connection.as_ref().map(|open| open.writer().stuck());
        match stuck.is_some_and(|stuck| stuck >= self.options.patience) {
            true => Err(self.deaf()),
            false => Ok(()),
        }
    }

    fn deaf(&mut self) -> Fault {
        let time = self.options.patience.as_secs_f64();
        self.fault(FaultKind::Timeout, &format!("it has not read its input for {time} s"))
    }

    /// Whether a program that ended without a word ends all the same if nothing is sent to it, and how. What was sent to
    /// it may have come too late for it, and it is none of its doing then that it cannot run. It is started once more to
    /// find out, with twice the time that it took.
    fn ends_untold(&mut self) -> Option<(Ending, Vec<String>)> {
        let wait = (self.begun.at.elapsed() * 2 + END_GRACE).min(self.options.patience);
        let mut open = self.connector.open(&self.interrupt).ok().flatten()?;
        let mut bytes = Vec::new();
        let (until, mut found) = (later(wait), Raw::Nothing);
        while found == Raw::Nothing && !open.is_gone() && Instant::now() < until {
            found = open.lines().raw(&mut bytes, until.min(later(SYSTEM_CHECK)), &self.interrupt);
        }
        let mute = !self.interrupted() && bytes.is_empty();
        let ended = (mute && found != Raw::Some).then(|| open.ended()).flatten();
        let told = ended.map(|status| (status, open.stderr()));
        open.close(Duration::ZERO);
        told
    }

    /// A program that ended before it said anything, and before anything was asked of it, did not run at all.
    fn check_start(&mut self) -> Result<(), Fault> {
        let Begun { heard, sent, .. } = self.begun;
        if heard || (sent && self.runs) {
            return Ok(());
        }
        let Some(status) = self.connection.as_mut().and_then(|open| open.ended()) else { return Ok(()) };
        let (status, stderr) = match sent {
            false => (status, None),
            true => match self.ends_untold() {
                Some((status, stderr)) => (status, Some(stderr)),
                None => {
                    self.runs = true;
                    return Ok(());
                }
            },
        };
        let what = format!("it ended ({status}) before it sent anything and without any input: is the command right?");
        let fault = self.fault(FaultKind::Start, &what);
        let again = fault.again && self.runs;
        Err(Fault { again, stderr: stderr.unwrap_or(fault.stderr), ..fault })
    }

    /// Keeps how a program ended that did so in an orderly way, if that is over what the run was, and what it or its server
    /// wrote last to standard error.
    fn remember(&mut self) {
        let wanted = self.over && self.endings.len() < KEPT_ENDINGS;
        let lingers = self.lingers;
        let Some(open) = self.connection.as_mut().filter(|_| wanted) else { return };
        let ending = if lingers { None } else { open.ended() };
        let all = open.stderr();
        let last = all.iter().skip(all.len().saturating_sub(LAST_LINES)).map(|line| format!("│ {line}"));
        let head = match (&ending, all.is_empty()) {
            (Some(ending), true) => format!("the program ended ({ending})"),
            (Some(ending), false) => format!("the program ended ({ending}); the last lines on its standard error:"),
            (None, false) => "the last lines on its standard error:".to_owned(),
            (None, true) => return,
        };
        let words = std::iter::once(head).chain(last).collect();
        self.endings.entry(self.run).or_insert(words);
    }

    /// How the system crashed, if that is why the connection ended.
    fn crash(&mut self) -> Option<Crash> {
        let open = self.connection.as_mut()?;
        // Where the model tells a crash from an orderly end, the news is worth waiting for.
        let news = if self.model.gate(CRASHED).is_some() { self.options.patience } else { STATUS_WAIT };
        let crash = open.crash(if self.lingers { LINGERING_STATUS_WAIT } else { news }, &self.interrupt);
        self.lingers |= crash.is_none() && !self.interrupt.is_over() && open.runs();
        crash
    }

    /// Looks whether the system crashed after the last thing that was heard of it in a run. To be called before anything is
    /// done that might end it.
    fn look_for_crash(&mut self) {
        let events = self.events.len();
        self.events.retain(|event| !matches!(event, SutEvent::Observed(Observation::Crashed(_))));
        let crashed = match self.connection.as_mut().filter(|_| !self.over) {
            Some(open) => open.crash(Duration::ZERO, &self.interrupt).is_some(),
            // That it did was not looked at any more.
            None => self.events.len() < events,
        };
        self.crashes += u64::from(crashed && self.begun.heard);
    }

    /// The connection ended.
    fn end(&mut self) -> Result<(), Fault> {
        self.check_start()?;
        let crash = self.crash();
        // Whoever did not wait for the news does not know how it ended.
        if crash.is_none() && self.interrupted() {
            return Ok(());
        }
        self.over = true;
        if let Some(mut crash) = crash {
            if !self.received.bytes.is_empty() {
                let rest = self.take_all();
                crash = crash.with([format!("before that, it sent half a message: `{}`", raw(&rest))]);
            }
            self.events.push_back(SutEvent::Observed(Observation::Crashed(crash)));
            return Ok(());
        }
        if !self.received.bytes.is_empty() {
            let rest = self.take_all();
            let seen = self.dialect.malformed(&rest, "half a message, and ended");
            self.events.push_back(SutEvent::Observed(seen));
        }
        if !self.farewell {
            self.events.push_back(SutEvent::Observed(Observation::Closed));
        }
        Ok(())
    }
}

impl Sut for TextClient<'_> {
    fn order(&self) -> Order {
        self.options.order
    }

    fn reset(&mut self, run: RunNumber, _: u64) -> Result<(), Fault> {
        if !self.options.keep || self.over {
            self.stop();
        }
        self.run = run;
        (self.farewell, self.over) = (false, false);
        self.take_all();
        self.events.clear();
        self.ended = false;
        let stayed = self.connection.is_some();
        if !self.open()? {
            return Ok(());
        }
        let prepared = match self.prepare() {
            // The run before was its last one, and nobody had waited for its end.
            Err(_) if stayed && self.ended => {
                self.restarts = self.restarts.saturating_sub(1);
                self.take_all();
                self.open()? && self.prepare()?
            }
            other => other?,
        };
        self.worked |= prepared;
        Ok(())
    }

    fn send(&mut self, id: u64, input: &GateValue) -> Result<(), Fault> {
        let bytes = self.dialect.write(self.model, input);
        self.begun.sent = true;
        self.write(bytes)?;
        self.events.push_back(SutEvent::Accepted { id });
        Ok(())
    }

    fn may_be_late(&self) -> bool {
        true
    }

    fn poll(&mut self, wait: Duration) -> Result<Polled, Fault> {
        let begun = Instant::now();
        let mut until = later(wait);
        loop {
            if self.interrupted() {
                return Ok(Polled::Interrupted);
            }
            if let Some(event) = self.next() {
                self.restarts = 0;
                return Ok(Polled::Event(event));
            }
            let Some(open) = self.connection.as_ref().filter(|_| !self.over) else {
                pause(until.saturating_duration_since(Instant::now()), &self.interrupt);
                return Ok(if self.interrupted() { Polled::Interrupted } else { Polled::Nothing });
            };
            let look = until.min(later(SYSTEM_CHECK));
            match open.lines().raw(&mut self.received.bytes, look, &self.interrupt) {
                Raw::Some => self.heard(),
                Raw::Interrupted => {}
                Raw::End(_) => self.end()?,
                Raw::Nothing if self.is_gone() => self.end()?,
                Raw::Nothing if look < until => {}
                Raw::Nothing if self.received.bytes.is_empty() || wait.is_zero() => {
                    self.check_delivery()?;
                    return Ok(Polled::Nothing);
                }
                // Half a message is no silence, for a while.
                Raw::Nothing => {
                    let most = begun + wait + self.options.patience;
                    if Instant::now() >= most {
                        let rest = self.take_all();
                        let seen = self.dialect.malformed(&rest, "half a message, and nothing after it");
                        self.events.push_back(SutEvent::Observed(seen));
                    }
                    until = most;
                }
            }
        }
    }

    fn starting(&self, start: Start) -> Duration {
        let open = self.connection.as_ref().filter(|_| !self.over);
        self.startup.left(open.and_then(|open| open.started()), self.options.patience, start)
    }

    fn last_words(&self, run: RunNumber) -> Vec<String> {
        self.endings.get(&run).cloned().unwrap_or_default()
    }

    fn unheard_crashes(&self) -> u64 {
        self.crashes
    }

    fn stop(&mut self) {
        self.look_for_crash();
        self.remember();
        if let Some(mut connection) = self.connection.take() {
            connection.close(Duration::ZERO);
        }
    }
}

impl Drop for TextClient<'_> {
    fn drop(&mut self) {
        self.stop();
    }
}
