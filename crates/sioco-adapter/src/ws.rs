//! An adapter that already runs somewhere, and is reached over WebSocket (RFC 6455).
//!
//! The messages are the same as over TCP. Each line is sent as a text frame of its own. A received frame ends a line,
//! and may hold several lines. Pings are answered whenever something is read or written. A close frame is the end of
//! the stream. The socket never blocks, so the reader and the writer can share it: a thread that has to wait releases
//! the socket first.

mod boundary;
mod error;

use crate::lines::INTERRUPT_CHECK;
use std::fmt;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use sioco_exec::Fault;
use tungstenite::error::{CapacityError, ProtocolError};
use tungstenite::handshake::{HandshakeError, HandshakeRole};
use tungstenite::protocol::WebSocketConfig;
use tungstenite::{Error, Message, WebSocket};

use boundary::Boundary;
pub use error::{NoHandshake, Refusal};

use crate::lines::{CHUNK, Interrupt, Line, LineWriter, Lines, MAX_LINE, Next, Sink, Source, Waiter, excerpt, later};
use crate::tcp::Tcp;
use crate::transport::{Connection, Connector, cannot_start};

/// At most this many frames without any text, such as pings, are taken in a row before the clock is looked at: a server
/// that sends them without end must not hold up the wait. A ping a second is usual.
const CONTROLS: usize = 16;
/// This many bytes are read at once: more than most messages, and one page of the stack or heap for each connection.
const BUFFER: usize = 1 << 14;
/// One frame is read for this often before the clock is looked at: a message in pieces may have no end. Most frames
/// come in one read.
const READS: usize = 4;
/// At most this many bytes are kept of what a server sends instead of a handshake: its status line and some headers,
/// which tell why.
const KEPT_ANSWER: usize = 400;

/// A server that adapters are reached at over WebSocket.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ws {
    /// Where it listens. Its patience is that of the handshake as well.
    pub tcp: Tcp,
    /// The path with its slash, and the query, if there is one; or nothing.
    pub path: String,
}

impl Ws {
    /// A server at a port of a host, with a path that may be empty.
    pub fn new(host: &str, port: u16, path: &str) -> Ws {
        Ws { tcp: Tcp::new(host, port), path: path.into() }
    }

    /// The connection, after the handshake; nothing if that was interrupted.
    fn shake_hands(&self, stream: TcpStream, interrupt: &Interrupt) -> Result<Option<WsSocket>, NoHandshake> {
        let patience = self.tcp.patience;
        let url = if self.path.is_empty() { format!("{}/", self.name()) } else { self.name() };
        let seen = Seen::default();
        let (stream, tap) = prepare(stream, &seen).map_err(NoHandshake::io)?;
        let first = tungstenite::client::client_with_config(url, tap, Some(config()));
        let shaken = match drive_handshake(first, &stream, later(patience), interrupt) {
            Ok(Some((socket, _))) => {
                return WsSocket::over(socket, stream).map(Some).map_err(NoHandshake::io);
            }
            Ok(None) => return Ok(None),
            Err(failed) => failed,
        };
        let answer = seen.text();
        Err(match shaken {
            Failed::Late if answer.is_empty() => NoHandshake::NoAnswer(patience),
            Failed::Late => NoHandshake::Unfinished { patience, answer: excerpt(&answer) },
            Failed::With(Error::Http(response)) => NoHandshake::Refused {
                answer: excerpt(&answer),
                refusal: match response.status().as_u16() {
                    404 => Refusal::NotFound,
                    300..400 => {
                        let to = response.headers().get("Location").and_then(|to| to.to_str().ok());
                        Refusal::Elsewhere(to.map(excerpt))
                    }
                    _ => Refusal::Other,
                },
                path: if self.path.is_empty() { "/".into() } else { self.path.clone() },
            },
            Failed::With(_) if answer.is_empty() => NoHandshake::Closed,
            Failed::With(error) => NoHandshake::NoServer { why: reason(&error), answer: excerpt(&answer) },
        })
    }
}

impl Connector for Ws {
    fn name(&self) -> String {
        let Tcp { host, port, .. } = &self.tcp;
        let host = if host.contains(':') { format!("[{host}]") } else { host.clone() };
        format!("ws://{host}:{port}{}", self.path)
    }

    fn starts_afresh(&self) -> bool {
        false
    }

    fn open(&mut self, interrupt: &Interrupt) -> Result<Option<Box<dyn Connection>>, Fault> {
        let cannot = |why: &dyn fmt::Display| cannot_start(format!("cannot connect to {}: {why}", self.name()));
        let Some(stream) = self.tcp.connect(interrupt).map_err(|why| cannot(&why))? else { return Ok(None) };
        let socket = self.shake_hands(stream, interrupt).map_err(|why| cannot(&why))?;
        Ok(socket.map(|socket| Box::new(socket) as Box<dyn Connection>))
    }
}

/// The server's side: the connection of a client that was accepted, after the handshake; nothing if that was
/// interrupted.
pub fn accept(stream: TcpStream, patience: Duration, interrupt: &Interrupt) -> Result<Option<WsSocket>, NoHandshake> {
    let seen = Seen::default();
    let (stream, tap) = prepare(stream, &seen).map_err(NoHandshake::io)?;
    let first = tungstenite::accept_with_config(tap, Some(config()));
    match drive_handshake(first, &stream, later(patience), interrupt) {
        Ok(Some(socket)) => WsSocket::over(socket, stream).map(Some).map_err(NoHandshake::io),
        Ok(None) => Ok(None),
        Err(Failed::Late) => Err(NoHandshake::NoClient(patience)),
        Err(Failed::With(error)) => Err(NoHandshake::Strange { why: reason(&error), sent: excerpt(&seen.text()) }),
    }
}

/// A frame holds a line at most as long as lines may be, with its end.
fn config() -> WebSocketConfig {
    let most = Some(MAX_LINE + 2);
    WebSocketConfig::default().read_buffer_size(BUFFER).write_buffer_size(0).max_message_size(most).max_frame_size(most)
}

/// What a library says, without what it says of itself.
fn reason(error: &Error) -> String {
    match error {
        Error::Protocol(ProtocolError::HandshakeIncomplete) => "the connection ended".into(),
        Error::Protocol(ProtocolError::HttparseError(_)) => "this is not HTTP".into(),
        Error::Protocol(error) => error.to_string(),
        Error::Io(error) => error.to_string(),
        error => error.to_string(),
    }
}

/// Makes a stream ready: one to wait for, and one to read and write.
fn prepare(stream: TcpStream, seen: &Seen) -> io::Result<(TcpStream, Tap)> {
    // Messages are short, and each is waited for.
    stream.set_nodelay(true)?;
    stream.set_nonblocking(true)?;
    let other = stream.try_clone()?;
    Ok((other, Tap { stream, seen: Some(seen.clone()), reads: usize::MAX, boundary: Boundary::default() }))
}

/// Why there is no handshake.
enum Failed {
    Late,
    With(Error),
}

/// Goes on with a handshake until it is done; nothing if somebody wants everything to end.
fn drive_handshake<R: HandshakeRole>(
    first: Result<R::FinalResult, HandshakeError<R>>,
    stream: &TcpStream,
    until: Instant,
    interrupt: &Interrupt,
) -> Result<Option<R::FinalResult>, Failed> {
    let mut waiter = Waiter::new(stream.try_clone().map_err(|error| Failed::With(error.into()))?);
    let mut result = first;
    loop {
        let middle = match result {
            Ok(done) => return Ok(Some(done)),
            Err(HandshakeError::Failure(error)) => return Err(Failed::With(error)),
            Err(HandshakeError::Interrupted(middle)) => middle,
        };
        if interrupt.is_over() {
            return Ok(None);
        }
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(Failed::Late);
        }
        waiter.wait(left.min(INTERRUPT_CHECK)).map_err(|error| Failed::With(error.into()))?;
        result = middle.handshake();
    }
}

/// The first bytes that came.
#[derive(Clone, Default)]
struct Seen(Arc<Mutex<Vec<u8>>>);

impl Seen {
    fn text(&self) -> String {
        let bytes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&bytes).trim().to_owned()
    }
}

/// A stream that remembers what came first, and does not read for too long in a row.
struct Tap {
    stream: TcpStream,
    /// Until the handshake is done.
    seen: Option<Seen>,
    /// How often it may still be read.
    reads: usize,
    /// Whether what was read ends between two messages.
    boundary: Boundary,
}

impl Read for Tap {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.reads == 0 {
            return Err(ErrorKind::WouldBlock.into());
        }
        self.reads -= 1;
        let n = self.stream.read(buffer)?;
        self.boundary.read(&buffer[..n]);
        if let Some(Seen(seen)) = &self.seen {
            let mut seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
            let room = KEPT_ANSWER.saturating_sub(seen.len());
            seen.extend_from_slice(&buffer[..n.min(room)]);
        }
        Ok(n)
    }
}

impl Write for Tap {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.stream.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

/// What reader and writer share.
struct Shared {
    socket: Mutex<WebSocket<Tap>>,
    /// How the other side ended it, once it did; in words that go on with its name.
    epitaph: Mutex<Option<String>>,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, WebSocket<Tap>> {
        self.socket.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn ended(&self, how: String) {
        self.epitaph.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(how);
    }

    /// What has come, without waiting.
    fn read(&self) -> io::Result<Got> {
        let mut socket = self.lock();
        socket.get_mut().reads = READS;
        let error = match socket.read() {
            Ok(Message::Text(text)) => return Ok(Got::Text(text.as_bytes().to_vec())),
            Ok(Message::Binary(bytes)) => return Ok(Got::Text(bytes.to_vec())),
            Ok(Message::Close(frame)) => {
                // It is answered, if that is possible.
                let _ = socket.flush();
                let why = frame.map(|frame| match frame.reason.trim() {
                    "" => format!(" (WebSocket close code {})", frame.code),
                    reason => format!(" (WebSocket close code {}: {})", frame.code, excerpt(reason)),
                });
                self.ended(format!("closed the connection{}", why.unwrap_or_default()));
                return Ok(Got::End);
            }
            Ok(_) => return Ok(Got::Control),
            Err(error) => error,
        };
        let wrong = |what: String| Err(io::Error::new(ErrorKind::InvalidData, what));
        match error {
            Error::Io(error) if error.kind() == ErrorKind::WouldBlock => Ok(Got::Nothing),
            Error::Io(error) => Err(error),
            Error::ConnectionClosed | Error::AlreadyClosed => Ok(Got::End),
            Error::Protocol(ProtocolError::ResetWithoutClosingHandshake) => {
                self.ended("closed the connection, without a WebSocket close frame,".into());
                Ok(Got::End)
            }
            Error::Capacity(CapacityError::MessageTooLong { size, .. }) => {
                wrong(format!("a WebSocket message of {size} bytes; the limit is {} MiB", MAX_LINE >> 20))
            }
            Error::Utf8(_) => wrong("a text frame that is not UTF-8".into()),
            error => wrong(format!("something that breaks the rules of WebSocket: {}", reason(&error))),
        }
    }
}

/// What was there to read.
enum Got {
    Text(Vec<u8>),
    /// A frame that says nothing to anybody here.
    Control,
    Nothing,
    End,
}

/// Frames as bytes of lines.
struct Frames {
    shared: Arc<Shared>,
    waiter: Waiter,
    /// The last frame, with the end of its line.
    frame: Vec<u8>,
    /// How much of it was taken.
    taken: usize,
}

impl Frames {
    /// Looks for the next frame with text; whether there is one, or the end.
    fn next(&mut self, wait: Duration) -> io::Result<Got> {
        let mut waited = false;
        for _ in 0..CONTROLS {
            match self.shared.read()? {
                Got::Control => {}
                Got::Nothing if waited || !self.waiter.wait(wait)? => return Ok(Got::Nothing),
                Got::Nothing => waited = true,
                found => return Ok(found),
            }
        }
        Ok(Got::Nothing)
    }
}

impl Source for Frames {
    fn read(&mut self, buffer: &mut [u8; CHUNK], wait: Duration) -> io::Result<Option<usize>> {
        if self.taken == self.frame.len() {
            match self.next(wait)? {
                Got::Text(text) => {
                    (self.frame, self.taken) = (text, 0);
                    self.frame.push(b'\n');
                }
                Got::End => return Ok(Some(0)),
                Got::Control | Got::Nothing => return Ok(None),
            }
        }
        let left = &self.frame[self.taken..];
        let n = left.len().min(CHUNK);
        buffer[..n].copy_from_slice(&left[..n]);
        self.taken += n;
        Ok(Some(n))
    }

    fn is_half(&self) -> bool {
        self.shared.lock().get_ref().boundary.is_inside()
    }
}

/// Lines as text frames.
struct Framing {
    shared: Arc<Shared>,
    waiter: Waiter,
    /// Whether a line is in a frame already that was not written to its end.
    unwritten: bool,
}

impl Framing {
    /// Puts a line into a frame, and writes what can be written of it; whether that was all.
    fn send(&self, line: &[u8]) -> io::Result<bool> {
        let text = String::from_utf8_lossy(line.strip_suffix(b"\n").unwrap_or(line)).into_owned();
        self.sent(self.shared.lock().send(Message::text(text)))
    }

    fn sent(&self, result: Result<(), Error>) -> io::Result<bool> {
        match result {
            Ok(()) => Ok(true),
            Err(Error::Io(error)) if error.kind() == ErrorKind::WouldBlock => Ok(false),
            Err(Error::Io(error)) => Err(error),
            Err(error) => Err(io::Error::other(reason(&error))),
        }
    }
}

impl Sink for Framing {
    fn write_now(&mut self, line: &[u8]) -> io::Result<usize> {
        if self.unwritten {
            return Ok(0);
        }
        self.unwritten = !self.send(line)?;
        // What is left then is the end of the line: for whoever writes that, the rest of the frame.
        Ok(if self.unwritten { line.len().saturating_sub(1) } else { line.len() })
    }

    fn write_all(&mut self, line: &[u8]) -> io::Result<()> {
        let mut done = if self.unwritten { false } else { self.send(line)? };
        while !done {
            self.waiter.wait_to_write(INTERRUPT_CHECK)?;
            let flushed = self.shared.lock().flush();
            done = self.sent(flushed)?;
        }
        self.unwritten = false;
        Ok(())
    }
}

/// A connection over WebSocket, of either side.
pub struct WsSocket {
    stream: TcpStream,
    shared: Arc<Shared>,
    lines: Lines,
    writer: LineWriter,
}

impl WsSocket {
    fn over(mut socket: WebSocket<Tap>, stream: TcpStream) -> io::Result<WsSocket> {
        socket.get_mut().seen = None;
        let shared = Arc::new(Shared { socket: Mutex::new(socket), epitaph: Mutex::new(None) });
        let waiter = || Ok::<_, io::Error>(Waiter::new(stream.try_clone()?));
        let frames = Frames { shared: shared.clone(), waiter: waiter()?, frame: Vec::new(), taken: 0 };
        let framing = Framing { shared: shared.clone(), waiter: waiter()?, unwritten: false };
        let lines = Lines::from(frames);
        let writer = LineWriter::to(framing, "to the WebSocket")?;
        Ok(WsSocket { stream, shared, lines, writer })
    }
}

impl Connection for WsSocket {
    fn lines(&self) -> &Lines {
        &self.lines
    }

    fn writer(&self) -> &LineWriter {
        &self.writer
    }

    fn epitaph(&mut self) -> String {
        let known = self.shared.epitaph.lock().unwrap_or_else(PoisonError::into_inner).clone();
        known.unwrap_or_else(|| "closed the connection".into())
    }

    fn close(&mut self, grace: Duration) {
        let until = later(grace);
        self.writer.finish();
        if !grace.is_zero() && self.writer.flush(grace) {
            // The other side answers with a close frame of its own, before which its last messages may come.
            let _ = self.shared.lock().close(None);
            let never = Interrupt::default();
            while let Next::Line(Line::Text(_)) = self.lines.next(until, &never) {
                if Instant::now() >= until {
                    break;
                }
            }
        }
        // This also ends the thread that writes.
        let _ = self.stream.shutdown(Shutdown::Both);
    }
}

impl Drop for WsSocket {
    fn drop(&mut self) {
        self.close(Duration::ZERO);
    }
}
