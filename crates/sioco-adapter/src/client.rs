//! The tester's side of the protocol: an adapter as a [`Sut`].
//!
//! Every call returns in bounded time, whatever the adapter does. Only a message that follows the rules of the
//! protocol becomes an observation (T-E3: error is not a verdict). After a fault, the client closes the connection
//! and ends every process that was started for it. The next reset opens a new connection.

use crate::lines::LAST_MESSAGE_WAIT;
use std::collections::{BTreeSet, VecDeque};
use std::time::{Duration, Instant};

use serde_json::{Map, Value as Json};
use sioco_exec::{Fault, FaultKind, GateValue, Observation, Order, Polled, RunNumber, Sut, SutEvent};
use sioco_model::Model;

use crate::gates::differences;
use crate::lines::{Interrupt, Line, Next, WriteError, excerpt, later, pause};
use crate::protocol::{AdapterMessage, DOCUMENT, Hello, TesterMessage, VERSION, common_version, observation};
use crate::transport::{Connection, Connector};

/// For this long, lines that say nothing new may keep a wait from ending. An adapter that sends them without end is no
/// better than one that hangs. A shorter time would cut off one that prints a long start-up message; a longer one only
/// adds to the wait that failed.
const FLOOD: Duration = Duration::from_secs(1);
/// At most this many outputs may come before the answer to the reset that they follow. An adapter that mixes them up
/// sends a few; without a bound, one that never stops would fill the memory.
const OUTPUTS_AHEAD: usize = 10_000;
/// A wait looks this often whether the adapter is gone. Its end usually shows at once on the connection, so this is
/// only for a connection that others keep open; people do not notice a quarter of a second there.
const ADAPTER_CHECK: Duration = Duration::from_millis(250);
/// An adapter has at most this long to end by itself when everything is to end. Most need a few milliseconds; whoever
/// pressed Ctrl-C waits for this, so it is half of the usual grace.
const HURRIED_GRACE: Duration = Duration::from_millis(250);
/// How to keep the output of an adapter from waiting in a buffer.
const BUFFERED: &str = "its output waits in a buffer: the answer came only when its input was closed. Flush it after \
                        every line: in Python by `print(…, flush=True)`, `python3 -u` or PYTHONUNBUFFERED=1, in C by \
                        `setlinebuf(stdout)`";

/// What can be chosen about a connection.
#[derive(Clone, PartialEq, Debug)]
pub struct ConnectionOptions {
    /// How long an adapter has to say hello.
    pub hello: Duration,
    /// How long it has to reset the system.
    pub reset: Duration,
    /// For how long it may take nothing of what is sent to it.
    pub write: Duration,
    /// How long it has to end by itself after the bye.
    pub grace: Duration,
    /// How often it is started again in a row, with nothing to show for it.
    pub restarts: u32,
    /// Settings for the adapter.
    pub config: Map<String, Json>,
    /// Whether its gates have to be those of the model.
    pub compare: bool,
}

impl Default for ConnectionOptions {
    fn default() -> Self {
        ConnectionOptions {
            hello: Duration::from_secs(10),
            reset: Duration::from_secs(10),
            write: Duration::from_secs(10),
            grace: Duration::from_millis(500),
            restarts: 3,
            config: Map::new(),
            compare: true,
        }
    }
}

/// An adapter, connected as a system under test. Dropping it ends it.
pub struct Client<'m> {
    model: &'m Model,
    connector: Box<dyn Connector>,
    options: ConnectionOptions,
    interrupt: Interrupt,
    connection: Option<LiveConnection>,
    /// What the adapter said about itself last.
    hello: Option<Hello>,
    /// Whether a run has begun at any time: then it is worth trying again.
    worked: bool,
    /// Whether the adapter turned out to be unable to reset.
    cannot_reset: bool,
    /// Connections that were opened again since something last came of one.
    restarts: u32,
    /// Whether the last connection ended in a fault.
    faulty: bool,
    run: Option<RunNumber>,
    /// Inputs of the run that are neither accepted nor refused.
    pending: BTreeSet<u64>,
    /// Events of the run that came before the answer to the reset.
    ahead: VecDeque<SutEvent>,
    /// Whether the system ended in this run.
    closed: bool,
    stale: u64,
    unheard: u64,
    crashes: u64,
}

/// A connection with what is known about its system.
struct LiveConnection {
    connection: Box<dyn Connection>,
    /// Whether the system was just started for it.
    fresh: bool,
}

/// What came of a reset.
enum Reset {
    Ready,
    /// The adapter does not do it, in its words.
    Refused(String),
    /// The same, since something does not work.
    Failed {
        fatal: bool,
        why: String,
    },
    Interrupted,
}

impl<'m> Client<'m> {
    /// A client for a model. Nothing is started before the first reset.
    pub fn new(
        model: &'m Model,
        connector: Box<dyn Connector>,
        options: ConnectionOptions,
        interrupt: Interrupt,
    ) -> Client<'m> {
        Client {
            model,
            connector,
            options,
            interrupt,
            connection: None,
            hello: None,
            worked: false,
            cannot_reset: false,
            restarts: 0,
            faulty: false,
            run: None,
            pending: BTreeSet::new(),
            ahead: VecDeque::new(),
            closed: false,
            stale: 0,
            unheard: 0,
            crashes: 0,
        }
    }

    /// Opens the connection, if it is not open, and compares the gates; nothing if that was interrupted.
    pub fn connect(&mut self) -> Result<Option<&Hello>, Fault> {
        if self.connection.is_none() {
            let Some(connection) = self.connector.open(&self.interrupt)? else { return Ok(None) };
            self.connection = Some(LiveConnection { connection, fresh: self.connector.starts_afresh() });
            let config = self.options.config.clone();
            self.write(&TesterMessage::Hello { protocol: VERSION, oldest: None, config })?;
            let Some(hello) = self.await_hello()? else { return Ok(None) };
            common_version(hello.protocol, hello.oldest).map_err(|why| self.unusable(&why.to_string()))?;
            let differences = differences(self.model, &hello);
            if self.options.compare && !differences.is_empty() {
                let all = differences.join("; ");
                return Err(self.unusable(&format!("its gates differ from those of the model: {all}")));
            }
            self.hello = Some(hello);
        }
        Ok(self.hello.as_ref())
    }

    /// What the adapter said about itself; known after the first connection.
    pub fn hello(&self) -> Option<&Hello> {
        self.hello.as_ref()
    }

    /// The last lines of its output that are no messages, oldest first.
    pub fn logs(&self) -> Vec<String> {
        self.connection.as_ref().map(|open| open.connection.lines().logs()).unwrap_or_default()
    }

    /// The last lines of its standard error, oldest first.
    pub fn stderr(&self) -> Vec<String> {
        self.connection.as_ref().map(|open| open.connection.stderr()).unwrap_or_default()
    }

    /// Gives up the connection, and says why.
    fn fault(&mut self, kind: FaultKind, what: &str) -> Fault {
        let again = self.worked && self.restarts < self.options.restarts;
        let mut message = format!("the adapter `{}`: {what}", self.connector.name());
        if self.worked && !again {
            message.push_str(&format!("; it was restarted {} times in a row, so sioco gave up", self.restarts));
        }
        let stderr = self.stderr();
        self.connection = None;
        self.faulty = true;
        Fault { kind, message, stderr, again }
    }

    /// The same for what no restart mends.
    fn unusable(&mut self, what: &str) -> Fault {
        let message = format!("the adapter `{}`: {what}", self.connector.name());
        let stderr = self.stderr();
        self.connection = None;
        self.faulty = true;
        Fault { kind: FaultKind::Protocol, message, stderr, again: false }
    }

    /// The fault of an adapter whose lines ended, perhaps inside of one.
    fn died(&mut self, when: &str, partial: Option<&str>, error: Option<&str>) -> Fault {
        let epitaph = self.connection.as_mut().map(|open| open.connection.epitaph()).unwrap_or_default();
        let mut what = format!("it {epitaph} {when}");
        if let Some(error) = error {
            what.push_str(&format!(" ({error})"));
        }
        if let Some(partial) = partial {
            what.push_str(&format!(", in the middle of {}", excerpt(partial)));
        }
        self.fault(FaultKind::Died, &what)
    }

    /// The fault of an adapter that takes nothing.
    fn stuck(&mut self) -> Fault {
        let time = self.options.write.as_secs_f64();
        self.fault(FaultKind::Timeout, &format!("it has not read its input for {time} s"))
    }

    fn write(&mut self, message: &TesterMessage) -> Result<(), Fault> {
        let Some(open) = &self.connection else {
            // Somebody wants everything to end; the next poll says so.
            return Ok(());
        };
        let (writer, lines) = (open.connection.writer(), open.connection.lines());
        match writer.send(message.line(), self.options.write, &self.interrupt, &mut || lines.pump()) {
            Ok(()) => Ok(()),
            Err(WriteError::Stuck) => Err(self.stuck()),
            // Its last lines may say more, and whoever reads them sees its end. If there is none, it is found later
            // that an input was not taken.
            Err(WriteError::Closed(_)) => Ok(()),
        }
    }

    /// The next message until some time; nothing for none, and for an interruption.
    fn message(&mut self, until: Instant, when: &str) -> Result<Option<(AdapterMessage, String)>, Fault> {
        loop {
            let Some(open) = &mut self.connection else { return Ok(None) };
            let lines = open.connection.lines();
            // The end of the adapter is no event where somebody else holds its stream open: it has to be looked for.
            let look = until.min(later(ADAPTER_CHECK));
            let (text, partial) = match lines.next(look, &self.interrupt) {
                Next::Line(Line::Text(text)) => (text, false),
                Next::Line(Line::Partial(text)) => (text, true),
                Next::Line(Line::Bad(why)) => return Err(self.fault(FaultKind::Protocol, &format!("it sent {why}"))),
                Next::Line(Line::End(error)) => return Err(self.died(when, None, error.as_deref())),
                Next::Interrupted => return Ok(None),
                Next::Nothing => {
                    if open.connection.is_gone() {
                        // What it sent last may still be on its way.
                        let last = open.connection.lines().next(later(LAST_MESSAGE_WAIT), &self.interrupt);
                        match last {
                            Next::Line(Line::Text(text)) => (text, false),
                            Next::Line(Line::Partial(text)) => (text, true),
                            Next::Interrupted => return Ok(None),
                            _ => return Err(self.died(when, None, None)),
                        }
                    } else if look < until {
                        continue;
                    } else {
                        return Ok(None);
                    }
                }
            };
            match AdapterMessage::parse(&text) {
                Ok(Some(message)) => return Ok(Some((message, text))),
                Ok(None) => self.log(&text),
                Err(_) if partial => return Err(self.died(when, Some(&text), None)),
                Err(why) => return Err(self.fault(FaultKind::Protocol, &why.to_string())),
            }
            self.end_flood(until)?;
        }
    }

    fn log(&self, text: &str) {
        if let Some(open) = &self.connection {
            open.connection.lines().log(text);
        }
    }

    fn end_flood(&mut self, until: Instant) -> Result<(), Fault> {
        if Instant::now() >= until + FLOOD {
            let what = "it sends only log lines and lines of older runs, and too many of them";
            return Err(self.fault(FaultKind::Protocol, what));
        }
        Ok(())
    }

    fn interrupted(&self) -> bool {
        self.interrupt.is_over()
    }

    /// Whether the answer that an adapter owes waits in its buffer: then it comes when its input is closed, since a program
    /// that ends flushes its output. Nothing else can be done with the connection after that.
    fn holds_back(&mut self, is_answer: impl Fn(&AdapterMessage) -> bool) -> bool {
        let until = later(self.options.grace);
        let Some(open) = &mut self.connection else { return false };
        if self.interrupt.is_over() || !open.connection.runs() {
            return false;
        }
        open.connection.writer().finish();
        while let Next::Line(Line::Text(text)) = open.connection.lines().next(until, &self.interrupt) {
            if AdapterMessage::parse(&text).is_ok_and(|message| message.is_some_and(|message| is_answer(&message))) {
                return true;
            }
            if Instant::now() >= until {
                break;
            }
        }
        false
    }

    /// The fault of an adapter that did not answer in time. One that holds its answers back will do so again.
    fn overdue(&mut self, what: &str, help: &str, is_answer: impl Fn(&AdapterMessage) -> bool) -> Fault {
        match self.holds_back(is_answer) {
            true => {
                let mut fault = self.fault(FaultKind::Protocol, &format!("{what}; {BUFFERED}"));
                fault.again = false;
                fault
            }
            false => self.fault(FaultKind::Timeout, &format!("{what}{help}")),
        }
    }

    fn await_hello(&mut self) -> Result<Option<Hello>, Fault> {
        let until = later(self.options.hello);
        match self.message(until, "before it said hello")? {
            Some((AdapterMessage::Hello(hello), _)) => Ok(Some(hello)),
            Some((AdapterMessage::Error { message, .. }, _)) => {
                let mut fault = self.fault(FaultKind::Reported, &format!("it reports: {message}"));
                fault.again = false;
                Err(fault)
            }
            Some((_, text)) => {
                let what = format!("its first message must be hello, but is {}", excerpt(&text));
                Err(self.fault(FaultKind::Protocol, &what))
            }
            None if self.interrupted() => {
                self.connection = None;
                Ok(None)
            }
            None => {
                let time = self.options.hello.as_secs_f64();
                let logs = self.logs();
                let log = logs.last().map(|log| format!("; it printed {}", excerpt(log))).unwrap_or_default();
                let what = format!("it did not answer the hello within {time} s{log}");
                let help = format!("; does it use the protocol ({DOCUMENT}), and flush its output after every line?");
                Err(self.overdue(&what, &help, |message| matches!(message, AdapterMessage::Hello(_))))
            }
        }
    }

    fn await_ready(&mut self, run: RunNumber) -> Result<Reset, Fault> {
        let until = later(self.options.reset);
        let fresh = self.connection.as_ref().is_some_and(|open| open.fresh);
        let old = |tag: Option<RunNumber>| tag.is_none_or(|tag| tag < run);
        loop {
            let Some((message, text)) = self.message(until, "instead of a reset")? else {
                if self.interrupted() {
                    self.connection = None;
                    return Ok(Reset::Interrupted);
                }
                return Err(self.no_ready());
            };
            match message {
                AdapterMessage::Ready { run: tag } if tag.is_none_or(|tag| tag == run) => return Ok(Reset::Ready),
                AdapterMessage::Ready { run: Some(tag) } if tag < run => {}
                AdapterMessage::Refused { id: None, run: tag, why } if tag.is_none_or(|tag| tag == run) => {
                    return Ok(Reset::Refused(why));
                }
                AdapterMessage::Error { fatal, run: tag, message } if tag.is_none_or(|tag| tag == run) => {
                    return Ok(Reset::Failed { fatal, why: message });
                }
                // No older run was ever on this connection.
                AdapterMessage::Output { run: None, .. } if fresh => {
                    let what =
                        format!("before its first run it sent {}; outputs may come only after `ready`", excerpt(&text));
                    return Err(self.fault(FaultKind::Protocol, &what));
                }
                // There is no older run that could have ended so.
                AdapterMessage::Crashed { run: None, crash } if fresh => {
                    let why = format!("the system crashed before its first run: {}", excerpt(&crash.message));
                    return Ok(Reset::Failed { fatal: false, why });
                }
                AdapterMessage::Output { run: tag, .. } if old(tag) => self.unheard += 1,
                AdapterMessage::Crashed { run: tag, .. } if old(tag) => self.crashes += 1,
                AdapterMessage::Accepted { run: tag, .. }
                | AdapterMessage::Refused { run: tag, .. }
                | AdapterMessage::Closed { run: tag }
                | AdapterMessage::Quiescent { run: tag }
                | AdapterMessage::Error { run: tag, .. }
                    if old(tag) => {}
                // It belongs to the run that is about to begin.
                AdapterMessage::Output { run: Some(tag), gate, args, raw } if tag == run => {
                    let seen = observation(self.model, &gate, args.as_ref(), raw.as_deref(), &text);
                    let seen = seen.map_err(|why| self.fault(FaultKind::Protocol, &why.to_string()))?;
                    self.ahead.push_back(SutEvent::Observed(seen));
                    if self.ahead.len() > OUTPUTS_AHEAD {
                        let what =
                            format!("it sent more than {OUTPUTS_AHEAD} outputs of run {run} before it was ready");
                        return Err(self.fault(FaultKind::Protocol, &what));
                    }
                }
                _ => {
                    let what = format!("while it is being reset for run {run} it sent {}", excerpt(&text));
                    return Err(self.fault(FaultKind::Protocol, &what));
                }
            }
            if Instant::now() >= until {
                return Err(self.no_ready());
            }
        }
    }

    fn no_ready(&mut self) -> Fault {
        let time = self.options.reset.as_secs_f64();
        let what = format!("it did not answer the reset within {time} s");
        self.overdue(&what, "", |message| matches!(message, AdapterMessage::Ready { .. }))
    }

    /// Ends the connection, with a bye.
    fn hang_up(&mut self) {
        if let Some(mut open) = self.connection.take() {
            let bye = TesterMessage::Bye.line();
            // A bye that cannot be sent is no loss.
            let _ = open.connection.writer().send(bye, Duration::ZERO, &Interrupt::default(), &mut || {});
            // Somebody who waits for the end does not wait for this as well.
            let grace = if self.interrupted() { self.options.grace.min(HURRIED_GRACE) } else { self.options.grace };
            open.connection.close(grace);
        }
    }

    /// Opens the connection, if it is not open; whether it is, unless that was interrupted.
    fn open(&mut self) -> Result<bool, Fault> {
        if self.connection.is_none() && std::mem::replace(&mut self.faulty, false) {
            if self.worked && self.restarts >= self.options.restarts {
                return Err(self.fault(FaultKind::Died, "it no longer works"));
            }
            self.restarts += 1;
        }
        Ok(self.connect()?.is_some())
    }

    fn begin(&mut self, run: RunNumber) {
        if let Some(open) = &mut self.connection {
            open.fresh = false;
        }
        self.worked = true;
        self.run = Some(run);
    }

    /// What a message says, in the run that is on; nothing if it is about an older one.
    fn event(&mut self, message: AdapterMessage, text: &str) -> Result<Option<SutEvent>, Fault> {
        let run = self.run.unwrap_or_default();
        let tag = match &message {
            AdapterMessage::Ready { run }
            | AdapterMessage::Accepted { run, .. }
            | AdapterMessage::Refused { run, .. }
            | AdapterMessage::Output { run, .. }
            | AdapterMessage::Closed { run }
            | AdapterMessage::Crashed { run, .. }
            | AdapterMessage::Quiescent { run }
            | AdapterMessage::Error { run, .. } => *run,
            AdapterMessage::Hello(_) | AdapterMessage::Bye => None,
        };
        match tag {
            Some(tag) if tag < run => {
                self.stale += u64::from(matches!(message, AdapterMessage::Output { .. }));
                self.crashes += u64::from(matches!(message, AdapterMessage::Crashed { .. }));
                return Ok(None);
            }
            Some(tag) if tag > run => {
                let what = format!("in run {run} it sent {}", excerpt(text));
                return Err(self.fault(FaultKind::Protocol, &what));
            }
            _ => {}
        }
        let answered = |client: &mut Self, id: u64| {
            if client.pending.remove(&id) {
                return Ok(());
            }
            let what = format!("it sent {}, but no input {id} waits for an answer", excerpt(text));
            Err(client.fault(FaultKind::Protocol, &what))
        };
        let after_end = |client: &mut Self| {
            let what = format!("it sent {} after it had reported the end of the system", excerpt(text));
            client.fault(FaultKind::Protocol, &what)
        };
        Ok(Some(match message {
            AdapterMessage::Accepted { id, .. } => {
                answered(self, id)?;
                SutEvent::Accepted { id }
            }
            AdapterMessage::Refused { id: Some(id), why, .. } => {
                answered(self, id)?;
                SutEvent::Refused { id, why }
            }
            AdapterMessage::Output { .. }
            | AdapterMessage::Quiescent { .. }
            | AdapterMessage::Closed { .. }
            | AdapterMessage::Crashed { .. }
                if self.closed =>
            {
                return Err(after_end(self));
            }
            AdapterMessage::Output { gate, args, raw, .. } => {
                let seen = observation(self.model, &gate, args.as_ref(), raw.as_deref(), text);
                let seen = seen.map_err(|why| self.fault(FaultKind::Protocol, &why.to_string()))?;
                self.closed = seen.is_end();
                SutEvent::Observed(seen)
            }
            AdapterMessage::Crashed { crash, .. } => {
                self.closed = true;
                SutEvent::Observed(Observation::Crashed(crash))
            }
            AdapterMessage::Closed { .. } => {
                self.closed = true;
                SutEvent::Observed(Observation::Closed)
            }
            AdapterMessage::Quiescent { .. } => SutEvent::Observed(Observation::Delta),
            AdapterMessage::Error { fatal: true, message, .. } => {
                let mut fault = self.fault(FaultKind::Reported, &format!("it reports: {message}"));
                fault.again = false;
                return Err(fault);
            }
            AdapterMessage::Error { message, .. } => {
                // The adapter itself is well: it stays.
                let message = format!("the adapter `{}`: it reports: {message}", self.connector.name());
                return Err(Fault { kind: FaultKind::Reported, message, stderr: self.stderr(), again: true });
            }
            AdapterMessage::Bye => return Err(self.died("in the middle of a run, with a bye", None, None)),
            AdapterMessage::Refused { id: None, .. } => {
                let what = format!("it sent {} without the id of an input", excerpt(text));
                return Err(self.fault(FaultKind::Protocol, &what));
            }
            AdapterMessage::Hello(_) | AdapterMessage::Ready { .. } => {
                let what = format!("in the middle of a run it sent {}", excerpt(text));
                return Err(self.fault(FaultKind::Protocol, &what));
            }
        }))
    }

    /// Looks whether silence means that the adapter did not get what was sent.
    fn check_delivery(&mut self) -> Result<(), Fault> {
        let Some(open) = &self.connection else { return Ok(()) };
        let writer = open.connection.writer();
        if writer.stuck() >= self.options.write {
            return Err(self.stuck());
        }
        match writer.broken() {
            Some(error) if !self.pending.is_empty() => {
                Err(self.fault(FaultKind::Died, &format!("it no longer accepts inputs: {error}")))
            }
            _ => Ok(()),
        }
    }
}

impl Sut for Client<'_> {
    fn order(&self) -> Order {
        self.hello.as_ref().map_or(Order::Sent, |hello| hello.order)
    }

    fn reset(&mut self, run: RunNumber, seed: u64) -> Result<(), Fault> {
        let mut ended = std::mem::replace(&mut self.closed, false);
        self.pending.clear();
        self.ahead.clear();
        let afresh = self.connector.starts_afresh();
        let cannot = "and sioco cannot restart it; make it answer `reset` with `ready`";
        // At most: a connection that turns out to be useless, and a new one.
        loop {
            if !self.open()? {
                return Ok(());
            }
            let fresh = self.connection.as_ref().is_some_and(|open| open.fresh);
            let declared = self.hello.as_ref().is_some_and(|hello| !hello.reset);
            if (declared || self.cannot_reset) && !fresh {
                if !afresh {
                    let mut fault = self.fault(FaultKind::Reset, &format!("it says that it cannot reset, {cannot}"));
                    fault.again = false;
                    return Err(fault);
                }
                self.hang_up();
                continue;
            }
            if declared {
                self.begin(run);
                return Ok(());
            }
            self.write(&TesterMessage::Reset { run, seed })?;
            let reset = self.await_ready(run);
            let why = match reset {
                Ok(Reset::Ready) => {
                    self.begin(run);
                    return Ok(());
                }
                Ok(Reset::Interrupted) => return Ok(()),
                // The system had ended, and its adapter with it.
                Err(fault) if ended && !fresh && fault.kind == FaultKind::Died => {
                    (ended, self.faulty) = (false, false);
                    continue;
                }
                Err(fault) => return Err(fault),
                // Nothing was done to it yet, so there is nothing to reset.
                Ok(Reset::Refused(_)) if fresh => {
                    self.begin(run);
                    return Ok(());
                }
                Ok(ref no @ (Reset::Refused(_) | Reset::Failed { fatal: false, .. })) if afresh && !fresh => {
                    // What does not work now may work another time, but who refuses once is not asked again.
                    self.cannot_reset |= matches!(no, Reset::Refused(_));
                    self.hang_up();
                    continue;
                }
                Ok(Reset::Refused(why)) => format!("it refuses to reset ({why}), {cannot}"),
                Ok(Reset::Failed { fatal, why }) => {
                    let mut fault = self.fault(FaultKind::Reset, &format!("it cannot reset the system: {why}"));
                    fault.again &= !fatal;
                    return Err(fault);
                }
            };
            let mut fault = self.fault(FaultKind::Reset, &why);
            fault.again = false;
            return Err(fault);
        }
    }

    fn send(&mut self, id: u64, input: &GateValue) -> Result<(), Fault> {
        if self.connection.is_none() && !self.interrupted() {
            return Err(self.fault(FaultKind::Died, "it is gone"));
        }
        self.pending.insert(id);
        self.write(&TesterMessage::input(self.model, id, input))
    }

    fn poll(&mut self, wait: Duration) -> Result<Polled, Fault> {
        let begun = Instant::now();
        let mut until = later(wait);
        if self.interrupted() {
            return Ok(Polled::Interrupted);
        }
        if let Some(event) = self.ahead.pop_front() {
            self.closed |= matches!(&event, SutEvent::Observed(seen) if seen.is_end());
            return Ok(Polled::Event(event));
        }
        if self.connection.is_none() && !self.closed {
            return Err(self.fault(FaultKind::Died, "it is gone"));
        }
        loop {
            let found = match self.message(until, "in the middle of a run") {
                // After the end of the system, the adapter may end as well, when it likes.
                Err(fault) if self.closed && fault.kind == FaultKind::Died => {
                    self.faulty = false;
                    None
                }
                found => found?,
            };
            if self.connection.is_none() {
                pause(until.saturating_duration_since(Instant::now()), &self.interrupt);
            }
            let Some((message, text)) = found else {
                if self.interrupted() {
                    return Ok(Polled::Interrupted);
                }
                self.check_delivery()?;
                let half = self.connection.as_ref().is_some_and(|open| open.connection.lines().is_half());
                // Half a message is no silence.
                if half && !wait.is_zero() {
                    if Instant::now() >= begun + wait + self.options.write {
                        let what = "it stopped in the middle of a line; each message is one line with a line end";
                        return Err(self.fault(FaultKind::Timeout, what));
                    }
                    until = later(ADAPTER_CHECK);
                    continue;
                }
                return Ok(Polled::Nothing);
            };
            if let Some(event) = self.event(message, &text)? {
                self.restarts = 0;
                return Ok(Polled::Event(event));
            }
            self.end_flood(until)?;
        }
    }

    fn may_be_late(&self) -> bool {
        true
    }

    fn stale(&self) -> u64 {
        self.stale
    }

    fn unheard(&self) -> u64 {
        self.unheard
    }

    fn unheard_crashes(&self) -> u64 {
        self.crashes
    }

    fn unacknowledged(&mut self, id: u64, patience: Duration) -> Fault {
        let what = format!("input {id} was neither accepted nor refused within {patience:?}");
        let of = |message: &AdapterMessage| match message {
            AdapterMessage::Accepted { id: of, .. } | AdapterMessage::Refused { id: Some(of), .. } => *of == id,
            _ => false,
        };
        let held_back = self.holds_back(of);
        let stderr = self.stderr();
        self.hang_up();
        match held_back {
            true => {
                let message = format!("the adapter `{}`: {what}; {BUFFERED}", self.connector.name());
                Fault { kind: FaultKind::Protocol, message, stderr, again: false }
            }
            false => Fault { kind: FaultKind::Timeout, message: what, stderr: Vec::new(), again: true },
        }
    }

    fn stop(&mut self) {
        self.hang_up();
    }
}

impl Drop for Client<'_> {
    fn drop(&mut self) {
        self.hang_up();
    }
}
