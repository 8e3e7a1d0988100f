//! A system that speaks HTTP: inputs are requests, and responses are outputs.
//!
//! A thread of its own sends the requests one after the other, since nobody knows how long a response takes. An input
//! is accepted when its request begins, so the events come in the order of the system. There is one exception: the
//! system may end before it takes a request that was sent. So if the model allows the system to end, the events are
//! only in the order of sending. If the server cannot be connected to, that is a fault, unless it was started here
//! and has ended. If a connection breaks in the middle of an exchange, and the server is known to have been up, that
//! is a crash: the process that handled the request is gone. The observation is `closed` if the server was started
//! here and ended in an orderly way. Nobody sees how a server ends that was not started here: its end is `closed` if
//! the model has that output. A response that has begun to arrive is not quiescence: the client waits for its end. If
//! the end does not come in time, that is a fault.

mod arriving;
mod error;
mod odd;
mod recorded;
mod request;
mod response;

use crate::host::SERVER_END_WAIT;
use crate::lines::INTERRUPT_CHECK;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use sioco_exec::reliance::Start;
use sioco_exec::{Crash, Fault, FaultKind, GateValue, Observation, Order, Polled, RunNumber, Sut, SutEvent};
use sioco_model::model::{CLOSED, Direction, Model, is_end};
use sioco_model::{GateId, Value};
use ureq::Agent;
use ureq::unversioned::resolver::DefaultResolver;
use ureq::unversioned::transport::{Connector as _, DefaultConnector};

use crate::config::Exchange;
use crate::crash;
use crate::host::{Host, PORT};
use crate::lines::{Interrupt, MAX_LINE, later};
use crate::startup::Startup;
use crate::text::{Dialect, DialectError};
use crate::transport::Connector;
use arriving::{Arriving, Watch};
pub use error::{FormError, NoResponse, TooDeep};
use odd::{Odd, Oddity};
pub use recorded::Recorded;
use request::{Outgoing, Template};
use response::{Recognizer, Response};

/// What is chosen about a system that speaks HTTP.
#[derive(Clone, PartialEq, Debug)]
pub struct HttpOptions {
    /// Requests at the beginning of each run.
    pub before: Vec<Exchange>,
    /// How long a request may take.
    pub patience: Duration,
    /// How often in a row a fault may be mended by trying again.
    pub restarts: u32,
}

impl Default for HttpOptions {
    fn default() -> Self {
        HttpOptions { before: Vec::new(), patience: Duration::from_secs(10), restarts: 3 }
    }
}

/// A system that speaks HTTP.
pub struct Http<'m> {
    model: &'m Model,
    inputs: Vec<(GateId, Template)>,
    recognizer: Recognizer,
    before: Vec<(Outgoing, Option<u16>)>,
    host: Option<Host>,
    /// `HOST:PORT`, perhaps with a path; the port may have to be filled in.
    address: String,
    options: HttpOptions,
    interrupt: Interrupt,
    line: Option<Line>,
    events: VecDeque<SutEvent>,
    /// Whether a response was ever received: then the server was up.
    answered: bool,
    /// How many lines the server had written to standard error when the last request was sent.
    lines: u64,
    /// Whether the end of the system was told in this run.
    ended: bool,
    /// Crashes that nobody waited for.
    crashes: u64,
    startup: Startup,
    /// What was odd about responses.
    odd: Odd,
    worked: bool,
    restarts: u32,
}

/// The thread that sends requests, as long as somebody has this.
struct Line {
    requests: Sender<(u64, GateId, Outgoing)>,
    responses: Receiver<Told>,
    /// Whether a response has begun, and its end was not told.
    arriving: Arriving,
}

enum Told {
    Begun(u64),
    Answered(GateId, Result<Response, Broken>),
}

/// Why there is no response.
enum Broken {
    /// The server is not there.
    Unreachable(String),
    /// It ended the connection, before the response or in the middle of it.
    Dropped,
    /// It takes too long.
    Late,
    /// The same, after a part of the response.
    Unfinished,
    /// The request cannot be sent.
    Wrong(String),
}

/// What is compiled of a dialect.
type Parts = (Vec<(GateId, Template)>, Recognizer);

fn compile(model: &Model, dialect: &Dialect) -> Result<Parts, Vec<DialectError>> {
    let mut wrong = Vec::new();
    let inputs = request::inputs(model, dialect, &mut wrong);
    let recognizer = Recognizer::new(model, dialect, &mut wrong);
    match wrong.is_empty() {
        true => Ok((inputs, recognizer)),
        false => Err(wrong.into_iter().map(|what| dialect.error(what)).collect()),
    }
}

impl<'m> Http<'m> {
    /// Everything that is wrong with a dialect for a model, and otherwise what may not be meant like this.
    pub fn check(model: &Model, dialect: &Dialect) -> Result<Vec<String>, Vec<DialectError>> {
        let (inputs, recognizer) = compile(model, dialect)?;
        let remark = |remark: String| format!("dialect `{}`: {remark}", dialect.name);
        let gate = |id: GateId| &model.gates[id];
        let unplaced = inputs.iter().filter_map(|(id, request)| request.unplaced(&gate(*id).name, &gate(*id).params));
        Ok(recognizer.hidden().into_iter().chain(unplaced).map(remark).collect())
    }

    /// A client for a server at an address, which is started if there is a host.
    pub fn new(
        model: &'m Model,
        dialect: &Dialect,
        host: Option<Host>,
        address: &str,
        options: HttpOptions,
        interrupt: Interrupt,
    ) -> Result<Http<'m>, Vec<DialectError>> {
        let (inputs, recognizer) = compile(model, dialect)?;
        let before = options.before.iter().filter_map(|exchange| {
            let request = exchange.request.as_ref()?;
            Some((Outgoing::fixed(request), exchange.status))
        });
        let before = before.collect();
        Ok(Http {
            model,
            inputs,
            recognizer,
            before,
            host,
            address: address.into(),
            options,
            interrupt,
            line: None,
            events: VecDeque::new(),
            answered: false,
            lines: 0,
            ended: false,
            crashes: 0,
            startup: Startup::default(),
            odd: Odd::default(),
            worked: false,
            restarts: 0,
        })
    }

    fn name(&self) -> String {
        match &self.host {
            Some(host) => host.name(),
            None => format!("http://{}", self.address),
        }
    }

    fn fault(&mut self, kind: FaultKind, what: &str) -> Fault {
        self.line = None;
        let again = self.worked && self.restarts < self.options.restarts;
        self.restarts += 1;
        let stderr = self.host.as_ref().map(Host::last_lines).unwrap_or_default();
        Fault { kind, message: format!("the system `{}`: {what}", self.name()), stderr, again }
    }

    fn unfinished(&self) -> String {
        format!("a response began to arrive, but did not end within {} s", self.options.patience.as_secs_f64())
    }

    /// Looks whether the server crashed after the last response in a run. To be called before anything is done that might end
    /// it.
    fn look_for_crash(&mut self) {
        let host = self.host.as_ref().filter(|_| !std::mem::replace(&mut self.ended, true));
        self.crashes += u64::from(host.is_some_and(|host| host.crash(Duration::ZERO, self.lines).is_some()));
    }

    fn interrupted(&self) -> bool {
        self.interrupt.is_over()
    }

    /// Whether a part of a response is there, and nothing was told about it.
    fn is_arriving(&self) -> bool {
        self.line.as_ref().is_some_and(|line| line.arriving.load(Ordering::SeqCst))
    }

    /// What was told next, until some time.
    fn next(&self, until: Instant) -> Option<Told> {
        let line = self.line.as_ref()?;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            match line.responses.recv_timeout(left.min(INTERRUPT_CHECK)) {
                Ok(told) => return Some(told),
                Err(RecvTimeoutError::Disconnected) => return None,
                Err(RecvTimeoutError::Timeout) if left <= INTERRUPT_CHECK || self.interrupted() => return None,
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    /// A response came.
    fn hear(&mut self) {
        self.answered = true;
        self.startup.heard(self.host.as_ref().and_then(Host::started));
    }

    /// What it is that a request was not answered since the connection ended; nothing if everything is to end before that is
    /// known.
    fn dropped(&mut self, gate: GateId) -> Result<Option<Observation>, Fault> {
        let request = &self.model.gates[gate].name;
        let message = format!("the connection was closed without a response to `{request}`");
        let may_close = self.model.gate(CLOSED).is_some();
        let seen = match &self.host {
            Some(host) => {
                match host.ended(if may_close { self.options.patience } else { SERVER_END_WAIT }, &self.interrupt) {
                    Some(ending) if !ending.crashed => Observation::Closed,
                    Some(_) => Observation::Crashed(host.crash(Duration::ZERO, self.lines).unwrap_or_default()),
                    None if may_close && self.interrupted() => return Ok(None),
                    None => Observation::Crashed(crash::of_lines(&message, host.said(self.lines))),
                }
            }
            None if !self.answered => {
                let what = format!("{message}, and it has never answered: is it an HTTP server?");
                return Err(self.fault(FaultKind::Start, &what));
            }
            // Nobody sees how a server ended that was not started here.
            None if may_close => Observation::Closed,
            None => Observation::Crashed(Crash::new(&message)),
        };
        self.ended = true;
        Ok(Some(seen))
    }

    /// What it is that the server cannot be connected to any more.
    fn unreachable(&mut self, why: &str) -> Result<Observation, Fault> {
        let ending = self.host.as_ref().and_then(|host| host.ended(SERVER_END_WAIT, &Interrupt::default()));
        let Some(ending) = ending else {
            return Err(self.fault(FaultKind::Start, &format!("sioco cannot connect to it: {why}")));
        };
        self.ended = true;
        let crash = self.host.as_ref().and_then(|host| host.crash(Duration::ZERO, self.lines));
        Ok(if ending.crashed { Observation::Crashed(crash.unwrap_or_default()) } else { Observation::Closed })
    }

    /// The requests before a run.
    fn prepare(&mut self) -> Result<(), Fault> {
        for (outgoing, status) in self.before.clone() {
            let Some(line) = &self.line else { return Ok(()) };
            let shown = outgoing.to_string();
            // Which gate it is does not matter: nobody asks.
            let Some(gate) = self.model.gates.ids().next() else { return Ok(()) };
            let _ = line.requests.send((0, gate, outgoing));
            let until = later(self.options.patience + INTERRUPT_CHECK);
            let answer = loop {
                match self.next(until) {
                    Some(Told::Begun(_)) => {}
                    Some(Told::Answered(_, answer)) => break answer,
                    None if self.interrupted() => return Ok(()),
                    None => break Err(Broken::Late),
                }
            };
            let why = match (answer, status) {
                (Ok(response), Some(status)) if response.status != status => {
                    format!("expected status {status}, received: {response}")
                }
                (Ok(_), _) => {
                    self.hear();
                    continue;
                }
                (Err(Broken::Late), _) => format!("no response came within {} s", self.options.patience.as_secs_f64()),
                (Err(Broken::Unfinished), _) => self.unfinished(),
                (Err(Broken::Dropped), _) => "the connection was closed".into(),
                (Err(Broken::Unreachable(why) | Broken::Wrong(why)), _) => why,
            };
            return Err(self.fault(FaultKind::Reset, &format!("before a run, after {shown}: {why}")));
        }
        Ok(())
    }
}

/// Sends requests until nobody wants responses any more.
fn serve(
    (agent, base): (&Agent, &str),
    requests: &Receiver<(u64, GateId, Outgoing)>,
    told: &Sender<Told>,
    arriving: &AtomicBool,
    odd: &Odd,
) {
    for (id, gate, outgoing) in requests {
        if told.send(Told::Begun(id)).is_err() {
            return;
        }
        let answer = match ask(agent, base, &outgoing, odd) {
            Err(Broken::Late) if arriving.load(Ordering::SeqCst) => Err(Broken::Unfinished),
            answer => answer,
        };
        let over = told.send(Told::Answered(gate, answer)).is_err();
        // Only now: who sees that nothing arrives any more has been told what did.
        arriving.store(false, Ordering::SeqCst);
        if over {
            return;
        }
    }
}

/// How requests are sent and responses are read.
fn settings(patience: Duration) -> ureq::config::Config {
    Agent::config_builder()
        .http_status_as_error(false)
        .max_redirects(0)
        .max_redirects_will_error(false)
        .timeout_global(Some(patience))
        .proxy(None)
        // Each request has a connection of its own: where one is used again, nobody knows whether a server that
        // closed it had seen the request, and it may close one that is idle at any time.
        .max_idle_connections(0)
        .max_idle_connections_per_host(0)
        .build()
}

fn ask(agent: &Agent, base: &str, outgoing: &Outgoing, odd: &Odd) -> Result<Response, Broken> {
    // What a broken exchange left behind says nothing.
    odd.had_more();
    let mut request = ureq::http::Request::builder().method(&*outgoing.method).uri(format!("{base}{}", outgoing.path));
    for (name, value) in &outgoing.headers {
        request = request.header(name, value);
    }
    let wrong = |error: ureq::http::Error| Broken::Wrong(format!("{outgoing} is not a request: {error}"));
    let sent = match &outgoing.body {
        Some(body) => agent.run(request.body(body.clone()).map_err(wrong)?),
        None => agent.run(request.body(()).map_err(wrong)?),
    };
    let mut response = sent.map_err(broken)?;
    let status = response.status().as_u16();
    let has = |name: &str| response.headers().contains_key(name);
    if has("content-length") && has("transfer-encoding") {
        odd.note(Oddity::TwoLengths, outgoing);
    }
    let body = response.body_mut().with_config().limit(MAX_LINE as u64).read_to_vec().map_err(broken)?;
    // Its connection ends with it.
    drop(response);
    if odd.had_more() {
        odd.note(Oddity::More, outgoing);
    }
    Ok(Response { status, body })
}

/// Whether no connection could be made, for whatever reason: then the system has done nothing.
fn is_unreachable(kind: std::io::ErrorKind) -> bool {
    use std::io::ErrorKind;
    matches!(
        kind,
        ErrorKind::ConnectionRefused
            | ErrorKind::AddrNotAvailable
            | ErrorKind::HostUnreachable
            | ErrorKind::NetworkUnreachable
            | ErrorKind::NetworkDown
    )
}

/// Whether it was the other side that ended a connection.
fn is_drop(kind: std::io::ErrorKind) -> bool {
    use std::io::ErrorKind;
    matches!(
        kind,
        ErrorKind::UnexpectedEof
            | ErrorKind::ConnectionReset
            | ErrorKind::ConnectionAborted
            | ErrorKind::BrokenPipe
            | ErrorKind::NotConnected
    )
}

fn broken(error: ureq::Error) -> Broken {
    use std::io::ErrorKind;
    match error {
        ureq::Error::Timeout(_) => Broken::Late,
        ureq::Error::Io(error) if is_unreachable(error.kind()) => Broken::Unreachable(error.to_string()),
        ureq::Error::Io(error) if error.kind() == ErrorKind::TimedOut => Broken::Late,
        ureq::Error::Io(error) if is_drop(error.kind()) => Broken::Dropped,
        error @ (ureq::Error::HostNotFound | ureq::Error::ConnectionFailed) => Broken::Unreachable(error.to_string()),
        error @ ureq::Error::BodyExceedsLimit(_) => Broken::Wrong(format!("a response is too long: {error}")),
        error => Broken::Wrong(error.to_string()),
    }
}

impl Sut for Http<'_> {
    fn order(&self) -> Order {
        // Where the system may end by itself, it may do so before it takes a request that was sent.
        match self.model.gates.values().any(|gate| is_end(&gate.name)) {
            true => Order::Sent,
            false => Order::Sut,
        }
    }

    fn reset(&mut self, _: RunNumber, _: u64) -> Result<(), Fault> {
        self.look_for_crash();
        self.line = None;
        self.events.clear();
        self.ended = false;
        let mut address = self.address.clone();
        if let Some(host) = &mut self.host {
            let opened = host.connect(&self.interrupt);
            let Some(mut probe) = opened.map_err(|mut fault| {
                fault.again = self.worked && self.restarts < self.options.restarts;
                self.restarts += 1;
                fault
            })?
            else {
                return Ok(());
            };
            probe.close(Duration::ZERO);
            let port = host.port().unwrap_or_default();
            address = address.replace(PORT, &port.to_string());
        }
        let arriving = Arriving::default();
        let odd = self.odd.clone();
        let connector = DefaultConnector::default().chain(Watch { arriving: arriving.clone(), odd: odd.clone() });
        let agent = Agent::with_parts(settings(self.options.patience), connector, DefaultResolver::default());
        let (requests, to_send) = channel();
        let (tell, responses) = channel();
        let base = format!("http://{address}");
        let watched = arriving.clone();
        let work = move || serve((&agent, &base), &to_send, &tell, &watched, &odd);
        let started = thread::Builder::new().name("http".into()).spawn(work);
        started.map_err(|error| self.fault(FaultKind::Start, &format!("cannot start a thread for it: {error}")))?;
        self.line = Some(Line { requests, responses, arriving });
        self.prepare()?;
        self.worked |= !self.interrupted();
        Ok(())
    }

    fn send(&mut self, id: u64, input: &GateValue) -> Result<(), Fault> {
        let (_, template) =
            self.inputs.iter().find(|(gate, _)| *gate == input.gate).expect("every input has a template");
        let outgoing = template.fill(self.model, input);
        self.lines = self.host.as_ref().map_or(0, Host::lines);
        if let Some(line) = &self.line {
            let _ = line.requests.send((id, input.gate, outgoing));
        }
        Ok(())
    }

    fn poll(&mut self, wait: Duration) -> Result<Polled, Fault> {
        if self.interrupted() {
            return Ok(Polled::Interrupted);
        }
        if let Some(event) = self.events.pop_front() {
            return Ok(Polled::Event(event));
        }
        let mut until = later(wait);
        loop {
            let event = match self.next(until) {
                None if self.interrupted() => return Ok(Polled::Interrupted),
                // A part of a response is no silence. Whoever reads it gives up by itself.
                None if self.is_arriving() && !wait.is_zero() => {
                    until = later(INTERRUPT_CHECK);
                    continue;
                }
                None => return Ok(Polled::Nothing),
                Some(Told::Begun(id)) => SutEvent::Accepted { id },
                Some(Told::Answered(gate, Ok(response))) => {
                    self.hear();
                    match self.recognizer.observation(self.model, gate, &response) {
                        Ok(seen) => SutEvent::Observed(seen),
                        Err(why) => return Err(self.fault(FaultKind::Protocol, &why.to_string())),
                    }
                }
                Some(Told::Answered(_, Err(Broken::Unfinished))) => {
                    let why = self.unfinished();
                    return Err(self.fault(FaultKind::Timeout, &why));
                }
                Some(Told::Answered(gate, Err(Broken::Dropped))) => match self.dropped(gate)? {
                    Some(seen) => SutEvent::Observed(seen),
                    None => return Ok(Polled::Interrupted),
                },
                // That nothing comes is for the tester's own timer to say.
                Some(Told::Answered(_, Err(Broken::Late))) => continue,
                Some(Told::Answered(_, Err(Broken::Unreachable(why)))) => SutEvent::Observed(self.unreachable(&why)?),
                Some(Told::Answered(_, Err(Broken::Wrong(why)))) => return Err(self.fault(FaultKind::Protocol, &why)),
            };
            self.restarts = 0;
            return Ok(Polled::Event(event));
        }
    }

    fn unheard_crashes(&self) -> u64 {
        self.crashes
    }

    fn starting(&self, start: Start) -> Duration {
        let started = self.host.as_ref().and_then(Host::started).filter(|_| !self.ended);
        self.startup.left(started, self.options.patience, start)
    }

    fn remarks(&self) -> Vec<String> {
        self.odd.remarks()
    }

    fn stop(&mut self) {
        self.look_for_crash();
        self.line = None;
        if let Some(host) = &mut self.host {
            host.stop();
        }
    }
}

/// The gates of a direction.
fn gates(model: &Model, direction: Direction) -> impl Iterator<Item = (GateId, &sioco_model::model::Gate)> {
    model.gates.iter().filter(move |(_, g)| g.direction == direction)
}

/// A gate value of an output.
fn output(gate: GateId, args: Vec<Value>) -> Observation {
    Observation::Output(GateValue { gate, args })
}
