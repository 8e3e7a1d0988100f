//! The adapter's side of the protocol: any [`Sut`] of this process, served to testers elsewhere.
//!
//! So a model can be played as a system that others connect to, and an adapter can be written in Rust as a program of
//! its own: a [`System`](crate::in_process::System) behind [`stdio`].

use std::io::ErrorKind;
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

use serde_json::Value as Json;
use sioco_exec::malformed::Border;
use sioco_exec::{Fault, FaultKind, GateValue, Observation, Polled, RunNumber, Sut, SutEvent};
use sioco_model::model::{Direction, Model, is_end};

use crate::lines::{Interrupt, Line, LineWriter, Lines, Next, WriteError, excerpt, later, pause};
use crate::protocol::{AdapterMessage, GateValueError, Hello, TesterMessage, VERSION, common_version, gate_of};
use crate::tcp::Socket;
use crate::transport::Connection;
use crate::values::arguments;
use crate::ws;

/// A listener looks for clients this often. A tester connects once for a campaign and does not notice the delay; more
/// often would be work for nothing.
const ACCEPT_CHECK: Duration = Duration::from_millis(25);
/// A system that is asked for outputs may take this long before the tester is listened to again. Inputs wait for at
/// most as long, which is short beside a quiescence time of 100 ms.
const OUTPUT_SLICE: Duration = Duration::from_millis(5);
/// A client may take nothing of what is sent to it for this long. A tester that thinks does not read: a minute is
/// longer than questions to a solver take. After that it is gone, and another one may come.
const WRITE_PATIENCE: Duration = Duration::from_secs(60);
/// A client may take this long for the handshake of a WebSocket: others wait meanwhile. On the same machine it takes a
/// millisecond, over a slow network a second.
const HANDSHAKE: Duration = Duration::from_secs(5);
/// At most this many events come at once after an input, before the pace is kept: whoever waits for an answer should
/// not wait longer than it takes. An answer has a few outputs; a system that never stops is slowed down after these.
const BURST: u32 = 16;
/// A time that is not meant to run out: what is waited for wakes the wait.
const IDLE: Duration = Duration::from_secs(3600);

/// Why serving a client ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Served {
    /// It said bye, or closed the connection.
    Done,
    /// Something was wrong with what it said, in words; it was told.
    Wrong(String),
    /// Somebody wants everything to end.
    Interrupted,
}

/// How a system is served.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Serving {
    /// What it is called.
    pub name: String,
    /// How long to listen for the next input before the next output is given, once there were a few since the last one: a
    /// system that never stops giving outputs would leave no room for inputs otherwise.
    pub pace: Duration,
    /// Whether clients come over WebSocket.
    pub web_socket: bool,
}

impl Default for Serving {
    fn default() -> Self {
        Serving { name: "sioco".into(), pace: Duration::from_millis(1), web_socket: false }
    }
}

/// Serves the program at the other end of standard input and output.
pub fn stdio(model: &Model, sut: &mut dyn Sut, serving: &Serving, interrupt: &Interrupt) -> std::io::Result<Served> {
    let lines = Lines::of(std::io::stdin(), "stdin")?;
    let writer = LineWriter::to(std::io::stdout(), "stdout")?;
    let served = Conversation::new(model, sut, &lines, &writer, serving, interrupt).run();
    writer.finish();
    writer.flush(WRITE_PATIENCE);
    Ok(served)
}

/// A listener at an address such as `127.0.0.1:7000`; with port 0 the system chooses a free one. With it, the address
/// that it got.
pub fn bind(address: &str) -> std::io::Result<(TcpListener, String)> {
    let listener = TcpListener::bind(address)?;
    let got = listener.local_addr()?.to_string();
    Ok((listener, got))
}

/// Serves clients one after the other, until somebody wants that to end. What becomes of each is told.
pub fn listen(
    listener: &TcpListener,
    model: &Model,
    sut: &mut dyn Sut,
    serving: &Serving,
    interrupt: &Interrupt,
    tell: &mut dyn FnMut(&str),
) -> std::io::Result<()> {
    listener.set_nonblocking(true)?;
    while !interrupt.is_over() {
        let (stream, address) = match listener.accept() {
            Ok(accepted) => accepted,
            Err(error) => {
                if error.kind() != ErrorKind::WouldBlock {
                    tell(&format!("cannot accept a client: {error}"));
                }
                pause(ACCEPT_CHECK, interrupt);
                continue;
            }
        };
        let mut socket = match connection(stream, serving.web_socket, interrupt) {
            Ok(Some(socket)) => socket,
            Ok(None) => continue,
            Err(error) => {
                tell(&format!("{address}: {error}"));
                continue;
            }
        };
        tell(&format!("{address}: connected"));
        let served = Conversation::new(model, sut, socket.lines(), socket.writer(), serving, interrupt).run();
        socket.close(OUTPUT_SLICE * 100);
        match served {
            Served::Done => tell(&format!("{address}: done")),
            Served::Wrong(why) => tell(&format!("{address}: {why}")),
            Served::Interrupted => {}
        }
    }
    Ok(())
}

/// A connection over a stream that was accepted; nothing if that was interrupted.
fn connection(
    stream: TcpStream,
    web_socket: bool,
    interrupt: &Interrupt,
) -> Result<Option<Box<dyn Connection>>, ws::NoHandshake> {
    if web_socket {
        let socket = ws::accept(stream, HANDSHAKE, interrupt)?;
        return Ok(socket.map(|socket| Box::new(socket) as Box<dyn Connection>));
    }
    let socket = stream.set_nonblocking(false).and_then(|()| Socket::over(stream));
    socket.map(|socket| Some(Box::new(socket) as Box<dyn Connection>)).map_err(ws::NoHandshake::io)
}

/// A conversation with one client.
pub struct Conversation<'a> {
    model: &'a Model,
    /// Whatever it takes and gives are gate values of the model.
    sut: Border<'a>,
    lines: &'a Lines,
    writer: &'a LineWriter,
    serving: &'a Serving,
    interrupt: &'a Interrupt,
    greeted: bool,
    run: Option<RunNumber>,
    /// Whether the system may give an output by itself.
    active: bool,
    /// How many events come at once.
    burst: u32,
}

impl<'a> Conversation<'a> {
    /// A conversation over a pair of streams.
    pub fn new(
        model: &'a Model,
        sut: &'a mut dyn Sut,
        lines: &'a Lines,
        writer: &'a LineWriter,
        serving: &'a Serving,
        interrupt: &'a Interrupt,
    ) -> Conversation<'a> {
        let sut = Border::new(model, sut);
        Conversation {
            model,
            sut,
            lines,
            writer,
            serving,
            interrupt,
            greeted: false,
            run: None,
            active: false,
            burst: 0,
        }
    }

    /// Talks until the end.
    pub fn run(mut self) -> Served {
        loop {
            let wait = match self.active {
                true if self.burst > 0 => Duration::ZERO,
                true => self.serving.pace,
                false => IDLE,
            };
            let step = match self.lines.next(later(wait), self.interrupt) {
                Next::Interrupted => Err(Served::Interrupted),
                Next::Line(Line::End(None)) => Err(Served::Done),
                Next::Line(Line::End(Some(error))) => Err(Served::Wrong(error)),
                Next::Line(Line::Bad(why)) => self.wrong(&why),
                Next::Line(Line::Text(text) | Line::Partial(text)) => self.hear(&text),
                Next::Nothing if self.active => self.act(),
                Next::Nothing => Ok(()),
            };
            if let Err(served) = step {
                return served;
            }
        }
    }

    fn say(&self, message: &AdapterMessage) -> Result<(), Served> {
        match self.writer.send(message.line(), WRITE_PATIENCE, self.interrupt, &mut || self.lines.pump()) {
            Ok(()) => Ok(()),
            Err(WriteError::Stuck) => Err(Served::Wrong("it does not read its input".into())),
            // The end of its lines says the same.
            Err(WriteError::Closed(_)) => Err(Served::Done),
        }
    }

    /// Tells the client that it made a mistake, after which there is nothing more to say.
    fn wrong(&self, why: &str) -> Result<(), Served> {
        self.say(&AdapterMessage::Error { fatal: true, run: None, message: why.into() })?;
        Err(Served::Wrong(why.into()))
    }

    fn hear(&mut self, text: &str) -> Result<(), Served> {
        let message = match TesterMessage::parse(text) {
            Ok(Some(message)) => message,
            Ok(None) => return Ok(()),
            Err(why) => return self.wrong(&why.to_string()),
        };
        match message {
            TesterMessage::Hello { protocol, oldest, .. } => {
                if let Err(why) = common_version(protocol, oldest) {
                    return self.wrong(&why.to_string());
                }
                self.greeted = true;
                let names = |direction| {
                    let gates = self.model.gates.values().filter(|g| g.direction == direction && !is_end(&g.name));
                    Some(gates.map(|g| g.name.clone()).collect())
                };
                let hello = Hello {
                    protocol: VERSION,
                    oldest: None,
                    name: Some(self.serving.name.clone()),
                    inputs: names(Direction::Input),
                    outputs: names(Direction::Output),
                    order: self.sut.order().as_promise(),
                    reset: true,
                };
                self.say(&AdapterMessage::Hello(hello))
            }
            TesterMessage::Bye => Err(Served::Done),
            _ if !self.greeted => self.wrong("the first message must be hello"),
            TesterMessage::Reset { run, seed } => {
                (self.run, self.active, self.burst) = (Some(run), false, BURST);
                match self.sut.reset(run, seed) {
                    Ok(()) => {
                        self.active = true;
                        self.say(&AdapterMessage::Ready { run: Some(run) })
                    }
                    Err(fault) => self.report(&fault),
                }
            }
            TesterMessage::Input { .. } if self.run.is_none() => self.wrong("an input came before the first reset"),
            TesterMessage::Input { id, gate, args } => match self.input(&gate, args.as_ref()) {
                Ok(input) => match self.sut.send(id, &input) {
                    Ok(()) => {
                        (self.active, self.burst) = (true, BURST);
                        Ok(())
                    }
                    Err(fault) => self.report(&fault),
                },
                Err(why) => self.say(&AdapterMessage::Refused { id: Some(id), run: self.run, why: why.to_string() }),
            },
        }
    }

    fn input(&self, gate: &str, args: Option<&Json>) -> Result<GateValue, GateValueError> {
        let id = gate_of(self.model, gate, Direction::Input)?;
        let args = arguments(self.model, &self.model.gates[id], args);
        let args = args.map_err(|why| GateValueError::Values { line: None, why })?;
        Ok(GateValue { gate: id, args })
    }

    /// The run cannot go on.
    fn report(&mut self, fault: &Fault) -> Result<(), Served> {
        self.active = false;
        // In its own process, only what says that it cannot be mended cannot be mended.
        let fatal = !fault.again && fault.kind != FaultKind::Timeout;
        self.say(&AdapterMessage::Error { fatal, run: self.run, message: fault.message.clone() })
    }

    /// Lets the system do something.
    fn act(&mut self) -> Result<(), Served> {
        let run = self.run;
        self.burst = self.burst.saturating_sub(1);
        let event = match self.sut.poll(OUTPUT_SLICE) {
            Ok(Polled::Event(event)) => event,
            Ok(Polled::Nothing) => return Ok(()),
            Ok(Polled::Interrupted) => return Err(Served::Interrupted),
            Err(fault) => return self.report(&fault),
        };
        let message = match event {
            SutEvent::Accepted { id } => AdapterMessage::Accepted { id, run },
            SutEvent::Refused { id, why } => AdapterMessage::Refused { id: Some(id), run, why },
            SutEvent::Observed(Observation::Output(output)) => AdapterMessage::output(self.model, &output, run),
            SutEvent::Observed(Observation::Delta) => {
                self.active = false;
                AdapterMessage::Quiescent { run }
            }
            SutEvent::Observed(Observation::Closed) => {
                self.active = false;
                AdapterMessage::Closed { run }
            }
            SutEvent::Observed(Observation::Crashed(crash)) => {
                self.active = false;
                AdapterMessage::Crashed { run, crash }
            }
            SutEvent::Observed(Observation::Malformed { gate: None, why, raw }) => {
                let message = format!("the system sent {}, which is not an output: {why}", excerpt(&raw));
                AdapterMessage::Error { fatal: false, run, message }
            }
            SutEvent::Observed(Observation::Malformed { gate: Some(gate), raw, .. }) => {
                // One value too many fits no gate.
                let gate = &self.model.gates[gate];
                let args = Some(vec![Json::Null; gate.params.len() + 1].into());
                AdapterMessage::Output { gate: gate.name.clone(), args, run, raw: Some(raw) }
            }
        };
        self.say(&message)
    }
}
