//! Bytes from a stream, with a deadline.
//!
//! The thread that needs the bytes reads them itself, as soon as the operating system reports some. A thread in
//! between would have to be woken for each message, and then wake the reader. If the other side answers within
//! microseconds, a wait looks for the answer a few times before it sleeps: to sleep and wake up takes longer than
//! such an answer.

use std::io;
#[cfg(unix)]
use std::io::Read;
use std::time::Duration;

/// This many bytes are read at once: what a pipe of Linux holds. With less, a full pipe takes several calls; with more,
/// none takes fewer.
pub(crate) const CHUNK: usize = 1 << 16;

/// A stream that can be waited for.
pub(crate) trait Source: Send {
    /// Reads what is there into the buffer, as soon as there is something, but waits no longer than this. Says how much
    /// it was, nothing if there was nothing in time; zero bytes are the end of the stream.
    fn read(&mut self, buffer: &mut [u8; CHUNK], wait: Duration) -> io::Result<Option<usize>>;

    /// Whether something was read that is given away only once the rest of it is there.
    fn is_half(&self) -> bool {
        false
    }
}

#[cfg(unix)]
pub(crate) use polled::Waiter;
#[cfg(unix)]
pub(super) use polled::{Polled, is_ready};

#[cfg(unix)]
mod polled {
    use super::*;
    use std::net::TcpStream;
    use std::os::fd::AsFd;
    use std::thread;
    use std::time::Instant;

    use nix::errno::Errno;
    use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

    /// A wait looks for this long before it sleeps. A fast system answers within it, and to be woken would take as long
    /// again; looking longer would keep a core busy for a slow one.
    const BUSY_WAIT: Duration = Duration::from_micros(100);
    /// After this many waits in a row that looked in vain, none looks before it sleeps. A fast system that is slow now
    /// and then keeps its speed; a slow one costs 0.8 ms of looking in all.
    const VAIN_WAITS: u8 = 8;

    /// Whether something can be done with a stream, within some time.
    pub(in crate::lines) fn is_ready(stream: &impl AsFd, what: PollFlags, wait: Duration) -> io::Result<bool> {
        // A wait of less than the system can tell is a short one rather than none.
        let wait = wait.as_nanos().div_ceil(1_000_000);
        let wait = PollTimeout::try_from(i32::try_from(wait).unwrap_or(i32::MAX)).unwrap_or(PollTimeout::MAX);
        match poll(&mut [PollFd::new(stream.as_fd(), what)], wait) {
            Ok(ready) => Ok(ready > 0),
            // Somebody pressed Ctrl-C, perhaps; whoever waits looks.
            Err(Errno::EINTR) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Waits for a stream.
    pub(crate) struct Waiter<S = TcpStream> {
        stream: S,
        /// How many more waits look before they sleep: those who got quick answers expect more of them.
        hope: u8,
    }

    impl<S: AsFd> Waiter<S> {
        pub(crate) fn new(stream: S) -> Self {
            Waiter { stream, hope: VAIN_WAITS }
        }

        /// Waits until there is something to read, or this time is over; whether there is.
        pub(crate) fn wait(&mut self, wait: Duration) -> io::Result<bool> {
            if is_ready(&self.stream, PollFlags::POLLIN, Duration::ZERO)? {
                return Ok(true);
            }
            if wait.is_zero() {
                return Ok(false);
            }
            let start = Instant::now();
            if self.hope > 0 {
                while start.elapsed() < BUSY_WAIT.min(wait) {
                    // The other side may need this very processor.
                    thread::yield_now();
                    if is_ready(&self.stream, PollFlags::POLLIN, Duration::ZERO)? {
                        self.hope = VAIN_WAITS;
                        return Ok(true);
                    }
                }
                self.hope -= 1;
            }
            let ready = is_ready(&self.stream, PollFlags::POLLIN, wait.saturating_sub(start.elapsed()))?;
            if ready && start.elapsed() < BUSY_WAIT {
                self.hope = VAIN_WAITS;
            }
            Ok(ready)
        }

        /// Waits until something can be written, or this time is over.
        pub(crate) fn wait_to_write(&self, wait: Duration) -> io::Result<()> {
            is_ready(&self.stream, PollFlags::POLLOUT, wait).map(|_| ())
        }
    }

    /// A stream that the system knows.
    pub(in crate::lines) struct Polled<S>(Waiter<S>);

    impl<S: Read + AsFd> Polled<S> {
        pub(in crate::lines) fn new(stream: S) -> Self {
            Polled(Waiter::new(stream))
        }
    }

    impl<S: Read + AsFd + Send> Source for Polled<S> {
        fn read(&mut self, buffer: &mut [u8; CHUNK], wait: Duration) -> io::Result<Option<usize>> {
            if !self.0.wait(wait)? {
                return Ok(None);
            }
            match self.0.stream.read(buffer) {
                Ok(n) => Ok(Some(n)),
                Err(error) if matches!(error.kind(), io::ErrorKind::Interrupted | io::ErrorKind::WouldBlock) => {
                    Ok(None)
                }
                Err(error) => Err(error),
            }
        }
    }
}

#[cfg(not(unix))]
pub(crate) use slept::Waiter;

/// Where nothing says whether a socket has something to read, whoever waits looks again and again.
#[cfg(not(unix))]
mod slept {
    use super::*;
    use std::net::TcpStream;
    use std::thread;

    /// Where a wait cannot be woken, somebody looks again after this long. Answers come this much later at most; more
    /// often would keep a core busy.
    const POLL_INTERVAL: Duration = Duration::from_millis(1);

    /// Waits for a stream that does not block.
    pub(crate) struct Waiter;

    impl Waiter {
        pub(crate) fn new(_: TcpStream) -> Self {
            Waiter
        }

        /// Waits for a moment; whether it is worth looking again.
        pub(crate) fn wait(&mut self, wait: Duration) -> io::Result<bool> {
            thread::sleep(wait.min(POLL_INTERVAL));
            Ok(!wait.is_zero())
        }

        /// Waits for a moment.
        pub(crate) fn wait_to_write(&self, wait: Duration) -> io::Result<()> {
            thread::sleep(wait.min(POLL_INTERVAL));
            Ok(())
        }
    }
}

#[cfg(any(test, not(unix)))]
pub(super) use threaded::Threaded;

/// Where nothing says whether a stream has something to read, a thread finds out.
#[cfg(any(test, not(unix)))]
mod threaded {
    use super::*;
    use std::io::Read;
    use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
    use std::thread;

    /// At most this many pieces wait. When nobody takes them, the thread stops reading, and the other side is held up:
    /// half a megabyte in all.
    const WAITING_PIECES: usize = 8;

    /// A stream that is read on a thread of its own.
    pub(in crate::lines) struct Threaded(Receiver<io::Result<Vec<u8>>>);

    impl Threaded {
        /// The thread ends with the stream, or with the first piece that nobody takes any more.
        pub(in crate::lines) fn new(mut stream: impl Read + Send + 'static, name: &str) -> io::Result<Self> {
            let (sender, receiver) = sync_channel(WAITING_PIECES);
            let read = move || {
                let mut chunk = vec![0; CHUNK];
                loop {
                    let piece = match stream.read(&mut chunk) {
                        Ok(n) => Ok(chunk[..n].to_vec()),
                        Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                        Err(error) => Err(error),
                    };
                    let last = !piece.as_ref().is_ok_and(|piece| !piece.is_empty());
                    if sender.send(piece).is_err() || last {
                        return;
                    }
                }
            };
            thread::Builder::new().name(name.into()).spawn(read)?;
            Ok(Threaded(receiver))
        }
    }

    impl Source for Threaded {
        fn read(&mut self, buffer: &mut [u8; CHUNK], wait: Duration) -> io::Result<Option<usize>> {
            match self.0.recv_timeout(wait) {
                Ok(piece) => piece.map(|piece| {
                    buffer[..piece.len()].copy_from_slice(&piece);
                    Some(piece.len())
                }),
                Err(RecvTimeoutError::Timeout) => Ok(None),
                Err(RecvTimeoutError::Disconnected) => Ok(Some(0)),
            }
        }
    }
}
