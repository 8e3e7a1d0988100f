//! Lines to a stream.
//!
//! A line is written at once if it fits into the buffer that the operating system has for the other side. A thread
//! writes the rest, so that the sender never waits for a reader that is slow, or gone.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::{INTERRUPT_CHECK, Interrupt, later};

/// At most this many bytes wait to be written, unless a single line is longer. It is what a pipe of Linux holds: a
/// system that reads nothing is noticed after twice as much.
const MAX_UNWRITTEN: usize = 1 << 16;

/// Why a line cannot be sent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum WriteError {
    /// The other side has not taken anything for too long.
    Stuck,
    /// The stream is closed, in words.
    Closed(String),
}

/// A stream that lines can be written to.
pub trait Sink: Send {
    /// Writes as much as is possible without waiting, and says how much.
    fn write_now(&mut self, bytes: &[u8]) -> io::Result<usize>;

    /// Writes all of it, however long that takes.
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()>;
}

#[cfg(unix)]
impl<S: Write + std::os::fd::AsFd + Send> Sink for S {
    fn write_now(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // A pipe that is ready takes this many bytes at once, and so does a socket; with more, the call could block.
        const AT_ONCE: usize = nix::libc::PIPE_BUF;
        let fits = bytes.len() <= AT_ONCE;
        if !fits || !super::source::is_ready(self, nix::poll::PollFlags::POLLOUT, Duration::ZERO)? {
            return Ok(0);
        }
        let written = self.write(bytes)?;
        self.flush()?;
        Ok(written)
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        Write::write_all(self, bytes)?;
        self.flush()
    }
}

#[cfg(not(unix))]
impl<S: Write + Send> Sink for S {
    fn write_now(&mut self, _: &[u8]) -> io::Result<usize> {
        Ok(0)
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        Write::write_all(self, bytes)?;
        self.flush()
    }
}

/// Writes lines to a stream.
pub struct LineWriter {
    shared: Arc<Shared>,
}

/// What both threads share, and wait for each other with.
struct Shared {
    outgoing: Mutex<Outgoing>,
    changed: Condvar,
}

struct Outgoing {
    /// Not there while the thread writes to it, and after the end.
    stream: Option<Box<dyn Sink>>,
    lines: VecDeque<Vec<u8>>,
    bytes: usize,
    /// Since when the present line is being written.
    since: Option<Instant>,
    /// No more lines come.
    finished: bool,
    /// The thread is done: with everything, or since the stream broke.
    done: bool,
    broken: Option<String>,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Outgoing> {
        self.outgoing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, guard: MutexGuard<'a, Outgoing>, time: Duration) -> MutexGuard<'a, Outgoing> {
        self.changed.wait_timeout(guard, time).unwrap_or_else(PoisonError::into_inner).0
    }

    /// Writes what is left, and closes the stream in the end.
    fn write_out(&self) {
        let mut outgoing = self.lock();
        loop {
            if let Some(line) = outgoing.lines.pop_front() {
                // It is gone only after the end, and with it all lines.
                let Some(mut stream) = outgoing.stream.take() else { continue };
                outgoing.since = Some(Instant::now());
                drop(outgoing);
                let result = stream.write_all(&line);
                outgoing = self.lock();
                outgoing.since = None;
                outgoing.bytes -= line.len();
                match result {
                    Ok(()) => outgoing.stream = Some(stream),
                    Err(error) => outgoing.give_up(&error),
                }
                self.changed.notify_all();
            } else if outgoing.finished || outgoing.broken.is_some() {
                outgoing.stream = None;
                outgoing.done = true;
                self.changed.notify_all();
                return;
            } else {
                outgoing = self.changed.wait(outgoing).unwrap_or_else(PoisonError::into_inner);
            }
        }
    }
}

impl Outgoing {
    fn give_up(&mut self, error: &io::Error) {
        self.broken = Some(error.to_string());
        self.lines.clear();
        self.bytes = 0;
        self.stream = None;
    }

    /// What is left of a line after everything was written that could be at once.
    fn write_now(&mut self, line: Vec<u8>) -> io::Result<Vec<u8>> {
        if !self.lines.is_empty() {
            return Ok(line);
        }
        let Some(stream) = &mut self.stream else { return Ok(line) };
        match stream.write_now(&line) {
            Ok(0) => Ok(line),
            Ok(written) => Ok(line[written..].to_vec()),
            Err(error) if matches!(error.kind(), io::ErrorKind::Interrupted | io::ErrorKind::WouldBlock) => Ok(line),
            Err(error) => Err(error),
        }
    }
}

impl LineWriter {
    /// Writes to a stream, which is closed after [`finish`](LineWriter::finish).
    pub fn to(stream: impl Sink + 'static, name: &str) -> io::Result<LineWriter> {
        let outgoing = Outgoing {
            stream: Some(Box::new(stream)),
            lines: VecDeque::new(),
            bytes: 0,
            since: None,
            finished: false,
            done: false,
            broken: None,
        };
        let shared = Arc::new(Shared { outgoing: Mutex::new(outgoing), changed: Condvar::new() });
        let from = shared.clone();
        thread::Builder::new().name(name.into()).spawn(move || from.write_out())?;
        Ok(LineWriter { shared })
    }

    /// Hands over a line. Waits only while too much else waits, and no longer than this; meanwhile, again and again,
    /// something else is done.
    pub fn send(
        &self,
        line: String,
        patience: Duration,
        interrupt: &Interrupt,
        meanwhile: &mut dyn FnMut(),
    ) -> Result<(), WriteError> {
        let mut line = line.into_bytes();
        line.push(b'\n');
        self.send_bytes(line, patience, interrupt, meanwhile)
    }

    /// The same for bytes that need not be a line.
    pub fn send_bytes(
        &self,
        mut line: Vec<u8>,
        patience: Duration,
        interrupt: &Interrupt,
        meanwhile: &mut dyn FnMut(),
    ) -> Result<(), WriteError> {
        let mut until = None;
        let mut outgoing = self.shared.lock();
        loop {
            if let Some(why) = &outgoing.broken {
                return Err(WriteError::Closed(why.clone()));
            }
            // What is wanted then is the end; that a line is missing does not matter any more.
            if interrupt.is_over() {
                return Ok(());
            }
            line = match outgoing.write_now(line) {
                Ok(rest) if rest.is_empty() => return Ok(()),
                Ok(rest) => rest,
                Err(error) => {
                    outgoing.give_up(&error);
                    self.shared.changed.notify_all();
                    return Err(WriteError::Closed(error.to_string()));
                }
            };
            if outgoing.since.is_some_and(|since| since.elapsed() >= patience) {
                return Err(WriteError::Stuck);
            }
            if outgoing.lines.is_empty() || outgoing.bytes + line.len() <= MAX_UNWRITTEN {
                outgoing.bytes += line.len();
                outgoing.lines.push_back(line);
                self.shared.changed.notify_all();
                return Ok(());
            }
            let left = until.get_or_insert_with(|| later(patience)).saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(WriteError::Stuck);
            }
            drop(self.shared.wait(outgoing, left.min(INTERRUPT_CHECK)));
            meanwhile();
            outgoing = self.shared.lock();
        }
    }

    /// For how long the other side has not taken what is there for it.
    pub fn stuck(&self) -> Duration {
        self.shared.lock().since.map_or(Duration::ZERO, |since| since.elapsed())
    }

    /// Why nothing can be written any more, if that is so.
    pub fn broken(&self) -> Option<String> {
        self.shared.lock().broken.clone()
    }

    /// Says that no more lines come: once they are all written, the stream is closed.
    pub fn finish(&self) {
        self.shared.lock().finished = true;
        self.shared.changed.notify_all();
    }

    /// Waits until everything is written, or cannot be; whether that was so in time.
    pub fn flush(&self, patience: Duration) -> bool {
        let until = later(patience);
        let mut outgoing = self.shared.lock();
        loop {
            if outgoing.done || (outgoing.lines.is_empty() && outgoing.since.is_none()) {
                return true;
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            outgoing = self.shared.wait(outgoing, left);
        }
    }
}

impl Drop for LineWriter {
    fn drop(&mut self) {
        self.finish();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOON: Duration = Duration::from_millis(20);
    const LONG: Duration = Duration::from_secs(20);

    fn never() -> Interrupt {
        Interrupt::default()
    }

    #[test]
    fn lines_are_written_in_order_and_the_stream_is_closed() {
        let (ours, theirs) = io::pipe().unwrap();
        let writer = LineWriter::to(theirs, "test").unwrap();
        for i in 0..1000 {
            writer.send(i.to_string(), LONG, &never(), &mut || {}).unwrap();
        }
        writer.finish();
        let read = io::read_to_string(ours).unwrap();
        assert_eq!(read, (0..1000).map(|i| format!("{i}\n")).collect::<String>());
        assert!(writer.flush(LONG));
    }

    #[test]
    fn writing_to_nobody_is_told() {
        let (ours, theirs) = io::pipe().unwrap();
        let writer = LineWriter::to(theirs, "test").unwrap();
        let mut sent = 0;
        let error = loop {
            match writer.send("x".repeat(10_000), SOON, &never(), &mut || {}) {
                Ok(()) => sent += 1,
                Err(error) => break error,
            }
            assert!(sent < 1000);
        };
        assert_eq!(error, WriteError::Stuck);
        let start = Instant::now();
        while writer.stuck() < SOON {
            assert!(!writer.flush(SOON) && start.elapsed() < LONG);
        }
        drop(ours);
        assert!(writer.flush(LONG));
        assert!(matches!(writer.send("x".into(), LONG, &never(), &mut || {}), Err(WriteError::Closed(_))));
    }

    #[test]
    fn what_does_not_fit_is_written_later_and_in_order() {
        let (mut ours, theirs) = io::pipe().unwrap();
        let writer = LineWriter::to(theirs, "test").unwrap();
        // Far more than a pipe holds and may wait, in lines that may be written at once and lines that may not.
        let lines: Vec<String> = (0..300).map(|i| i.to_string().repeat(if i % 3 == 0 { 3000 } else { 10 })).collect();
        let mut read = Vec::new();
        for line in &lines {
            let mut meanwhile = || {
                let mut some = vec![0; 10_000];
                let n = io::Read::read(&mut ours, &mut some).unwrap();
                read.extend_from_slice(&some[..n]);
            };
            writer.send(line.clone(), LONG, &never(), &mut meanwhile).unwrap();
        }
        assert!(!read.is_empty(), "nobody had to wait");
        writer.finish();
        io::Read::read_to_end(&mut ours, &mut read).unwrap();
        assert!(read == (lines.join("\n") + "\n").into_bytes());
    }
}
