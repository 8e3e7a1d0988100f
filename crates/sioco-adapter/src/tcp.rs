//! An adapter that already runs somewhere, and listens.

use crate::lines::INTERRUPT_CHECK;
use std::fmt;
use std::io::{self, ErrorKind};
use std::net::{IpAddr, Shutdown, SocketAddr, TcpStream, ToSocketAddrs};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use sioco_exec::Fault;

use crate::lines::{Interrupt, Line, LineWriter, Lines, Next, later, pause};
use crate::transport::{Connection, Connector, cannot_start};

/// A connection that was refused is tried again after this long: a server may be just starting. Starting takes most
/// servers longer than this, so that little is lost; more often fills their logs.
const RETRY_INTERVAL: Duration = Duration::from_millis(50);

/// A server that adapters are reached at.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tcp {
    /// A name or address; an IPv6 address without brackets.
    pub host: String,
    /// The port.
    pub port: u16,
    /// How long to try.
    pub patience: Duration,
}

impl Tcp {
    /// A server at a port of a host.
    pub fn new(host: &str, port: u16) -> Tcp {
        Tcp { host: host.into(), port, patience: Duration::from_secs(5) }
    }

    /// The addresses of the host. Asking for them may take any time, so a thread does it that may be left alone; an address
    /// is known without asking.
    fn addresses(&self, until: Instant, interrupt: &Interrupt) -> Result<Vec<SocketAddr>, Unreached> {
        if let Ok(ip) = self.host.parse::<IpAddr>() {
            return Ok(vec![SocketAddr::new(ip, self.port)]);
        }
        let (sender, receiver) = mpsc::channel();
        let (host, port) = (self.host.clone(), self.port);
        #[cfg(test)]
        let delay = tests::DELAY.get();
        let ask = move || {
            #[cfg(test)]
            thread::sleep(delay);
            let found = (host.as_str(), port).to_socket_addrs().map(|found| found.collect::<Vec<_>>());
            let _ = sender.send(found);
        };
        thread::Builder::new()
            .name("resolver".into())
            .spawn(ask)
            .map_err(|error| Unreached::NoThread(error.to_string()))?;
        loop {
            match receiver.recv_timeout(RETRY_INTERVAL) {
                Ok(Ok(found)) if found.is_empty() => return Err(Unreached::NoAddress(self.host.clone())),
                Ok(Ok(found)) => return Ok(found),
                Ok(Err(error)) => {
                    return Err(Unreached::UnknownHost { host: self.host.clone(), why: error.to_string() });
                }
                Err(_) if interrupt.is_over() => return Ok(Vec::new()),
                Err(_) if Instant::now() >= until => return Err(Unreached::SlowLookup(self.host.clone())),
                Err(_) => {}
            }
        }
    }

    /// Whether somebody listens there; each address is tried for no longer than this.
    pub(crate) fn look(&self, patience: Duration, interrupt: &Interrupt) -> Look {
        let addresses = match self.addresses(later(self.patience), interrupt) {
            Ok(addresses) if addresses.is_empty() => return Look::Interrupted,
            Ok(addresses) => addresses,
            Err(why) => return Look::Unclear(why.to_string()),
        };
        let (mut refused, mut missing) = (false, None);
        for address in addresses {
            match connect(address, patience, interrupt) {
                Ok(None) => return Look::Interrupted,
                Ok(Some(stream)) if is_own(&stream, &address) => refused = true,
                Ok(Some(_)) => return Look::Taken,
                Err(error) => match error.kind() {
                    ErrorKind::ConnectionRefused => refused = true,
                    // A name may have addresses that this machine does not: then nobody listens there.
                    ErrorKind::AddrNotAvailable | ErrorKind::NetworkUnreachable => missing = Some(error),
                    _ => return Look::Unclear(error.to_string()),
                },
            }
        }
        match missing {
            Some(error) if !refused => Look::Unclear(error.to_string()),
            _ => Look::Free,
        }
    }

    /// A stream to the server; nothing if that was interrupted.
    pub(crate) fn connect(&self, interrupt: &Interrupt) -> Result<Option<TcpStream>, Unreached> {
        let until = later(self.patience);
        let addresses = self.addresses(until, interrupt)?;
        let mut tries = 0;
        loop {
            tries += 1;
            let mut last = None;
            for address in &addresses {
                if interrupt.is_over() {
                    return Ok(None);
                }
                let left = until.saturating_duration_since(Instant::now()).max(Duration::from_millis(1));
                match connect(*address, left, interrupt) {
                    Ok(None) => return Ok(None),
                    // A port on this machine that nobody listens at may be connected to itself.
                    Ok(Some(stream)) if is_own(&stream, address) => {
                        last = Some(ErrorKind::ConnectionRefused.into());
                    }
                    Ok(Some(stream)) => return Ok(Some(stream)),
                    Err(error) => last = Some(error),
                }
            }
            let Some(error) = last else { return Ok(None) };
            let refused = matches!(error.kind(), ErrorKind::ConnectionRefused | ErrorKind::ConnectionReset);
            if !refused {
                return Err(Unreached::Failed(error.to_string()));
            }
            if Instant::now() + RETRY_INTERVAL >= until {
                return Err(Unreached::Refused { why: error.to_string(), tries, patience: self.patience });
            }
            pause(RETRY_INTERVAL, interrupt);
        }
    }
}

/// Connects to an address, for no longer than this; nothing if everything is to end. Where nobody answers at all, it can
/// only be waited for, so a thread does it that may be left alone.
fn connect(address: SocketAddr, patience: Duration, interrupt: &Interrupt) -> io::Result<Option<TcpStream>> {
    let (sender, receiver) = mpsc::channel();
    let ask = move || {
        let _ = sender.send(TcpStream::connect_timeout(&address, patience));
    };
    thread::Builder::new().name("to a server".into()).spawn(ask)?;
    loop {
        match receiver.recv_timeout(INTERRUPT_CHECK) {
            Ok(opened) => return opened.map(Some),
            Err(RecvTimeoutError::Timeout) if interrupt.is_over() => return Ok(None),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Err(io::Error::other("sioco did not try to connect")),
        }
    }
}

/// Why a server cannot be connected to. The surroundings are to blame: the address, the network, or a server that does
/// not run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Unreached {
    /// The operating system gives no thread.
    NoThread(String),
    /// A host is known, and has no address.
    NoAddress(String),
    /// A host is not known.
    UnknownHost {
        /// The host.
        host: String,
        /// What the operating system says.
        why: String,
    },
    /// Nobody says in time where a host is.
    SlowLookup(String),
    /// The connection is refused, again and again.
    Refused {
        /// What the operating system says.
        why: String,
        /// How often it was tried.
        tries: u32,
        /// How long.
        patience: Duration,
    },
    /// The operating system does not make the connection.
    Failed(String),
}

impl fmt::Display for Unreached {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unreached::NoThread(why) => write!(f, "cannot start a thread for it: {why}"),
            Unreached::NoAddress(host) => write!(f, "`{host}` has no address"),
            Unreached::UnknownHost { host, why } => write!(f, "the host `{host}` is unknown: {why}"),
            Unreached::SlowLookup(host) => write!(f, "looking up `{host}` takes too long"),
            Unreached::Refused { why, tries, patience } => {
                let s = if *tries == 1 { "" } else { "s" };
                let time = patience.as_secs_f64();
                write!(f, "{why} ({tries} time{s} in {time} s); does the server run, and is the port right?")
            }
            Unreached::Failed(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for Unreached {}

/// Whether a connection is one to itself.
fn is_own(stream: &TcpStream, address: &SocketAddr) -> bool {
    stream.local_addr().is_ok_and(|own| own == *address)
}

/// What a look at a server brought.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Look {
    /// Nobody listens: connections are refused.
    Free,
    /// Somebody does.
    Taken,
    /// That cannot be found out, in words.
    Unclear(String),
    /// Somebody wants everything to end.
    Interrupted,
}

impl Connector for Tcp {
    fn name(&self) -> String {
        let Tcp { host, port, .. } = self;
        if host.contains(':') { format!("tcp://[{host}]:{port}") } else { format!("tcp://{host}:{port}") }
    }

    fn starts_afresh(&self) -> bool {
        false
    }

    fn open(&mut self, interrupt: &Interrupt) -> Result<Option<Box<dyn Connection>>, Fault> {
        let cannot = |why: &dyn fmt::Display| cannot_start(format!("cannot connect to {}: {why}", self.name()));
        let Some(stream) = self.connect(interrupt).map_err(|why| cannot(&why))? else { return Ok(None) };
        let socket = Socket::over(stream).map_err(|error| cannot(&error))?;
        Ok(Some(Box::new(socket)))
    }
}

/// A connection over TCP, of either side.
pub struct Socket {
    stream: TcpStream,
    lines: Lines,
    writer: LineWriter,
}

impl Socket {
    /// A connection over a stream.
    pub fn over(stream: TcpStream) -> io::Result<Socket> {
        // Messages are short, and each is waited for.
        stream.set_nodelay(true)?;
        let lines = Lines::of(stream.try_clone()?, "from the socket")?;
        let writer = LineWriter::to(stream.try_clone()?, "to the socket")?;
        Ok(Socket { stream, lines, writer })
    }
}

impl Connection for Socket {
    fn lines(&self) -> &Lines {
        &self.lines
    }

    fn writer(&self) -> &LineWriter {
        &self.writer
    }

    fn epitaph(&mut self) -> String {
        "closed the connection".into()
    }

    fn close(&mut self, grace: Duration) {
        let until = later(grace);
        self.writer.finish();
        if !grace.is_zero() && self.writer.flush(grace) {
            // A socket that is closed with something unread may take back what was written last. So the other side is
            // told that nothing more comes, and has a while to end by itself.
            let _ = self.stream.shutdown(Shutdown::Write);
            let never = Interrupt::default();
            while let Next::Line(Line::Text(_)) = self.lines.next(until, &never) {
                if Instant::now() >= until {
                    break;
                }
            }
        }
        // This also ends both threads.
        let _ = self.stream.shutdown(Shutdown::Both);
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        self.close(Duration::ZERO);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;
    use std::io::{Read, Write};
    use std::net::TcpListener;

    thread_local! {
        /// How late a thread begins that looks up a name for this one.
        pub(crate) static DELAY: Cell<Duration> = const { Cell::new(Duration::ZERO) };
    }

    const LONG: Duration = Duration::from_secs(20);

    fn open(tcp: &mut Tcp) -> Result<Option<Box<dyn Connection>>, Fault> {
        tcp.open(&Interrupt::default())
    }

    #[test]
    fn lines_go_both_ways_and_end() {
        for host in ["127.0.0.1", "::1", "localhost"] {
            let Ok(listener) = TcpListener::bind((host, 0)) else {
                assert_ne!(host, "127.0.0.1", "there is no loopback");
                continue;
            };
            let mut tcp = Tcp::new(host, listener.local_addr().unwrap().port());
            let server = thread::spawn(move || {
                let (mut stream, _) = listener.accept().unwrap();
                stream.write_all(b"1\n").unwrap();
                let mut all = String::new();
                stream.read_to_string(&mut all).unwrap();
                all
            });
            let mut connection = open(&mut tcp).unwrap().unwrap();
            let first = connection.lines().next(later(LONG), &Interrupt::default());
            assert_eq!(first, Next::Line(Line::Text("1".into())));
            connection.writer().send("2".into(), LONG, &Interrupt::default(), &mut || {}).unwrap();
            connection.close(LONG);
            assert_eq!(server.join().unwrap(), "2\n");
            let end = connection.lines().next(later(LONG), &Interrupt::default());
            assert!(matches!(end, Next::Line(Line::End(_))), "{end:?}");
        }
    }

    #[test]
    fn a_server_may_be_late() {
        // Somebody else may take the port in between; not again and again.
        let again = (0..5).any(|_| {
            let listener = TcpListener::bind("127.0.0.1:0").unwrap();
            let address = listener.local_addr().unwrap();
            drop(listener);
            let mut tcp = Tcp { patience: LONG, ..Tcp::new("127.0.0.1", address.port()) };
            // Refused at first; there once the client has begun to try.
            let late = thread::spawn(move || {
                thread::sleep(3 * RETRY_INTERVAL);
                TcpListener::bind(address)
            });
            let connection = open(&mut tcp);
            late.join().unwrap().is_ok() && connection.is_ok()
        });
        assert!(again, "no connection to a server that starts late");
    }

    #[test]
    fn servers_that_cannot_be_reached_are_told() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        drop(listener);
        let mut tcp = Tcp { patience: 3 * RETRY_INTERVAL, ..Tcp::new("127.0.0.1", port) };
        let fault = open(&mut tcp).err().expect("a fault");
        assert!(fault.message.contains("times in 0.15 s); does the server run"), "{fault}");
        let mut tcp = Tcp { patience: LONG, ..Tcp::new("no such host", port) };
        let fault = open(&mut tcp).err().expect("a fault");
        assert!(fault.message.contains("is unknown"), "{fault}");
        assert!(!fault.again);
    }

    #[test]
    fn a_look_tells_whether_somebody_listens() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let look = |host: &str| Tcp::new(host, port).look(LONG, &Interrupt::default());
        // However late a thread is that looks up a name, it is waited for; an address needs none.
        DELAY.set(Duration::from_millis(60));
        assert_eq!(look("localhost"), Look::Taken);
        DELAY.set(Duration::from_secs(3600));
        assert_eq!(look("127.0.0.1"), Look::Taken);
        drop(listener);
        assert_eq!(look("127.0.0.1"), Look::Free);
        DELAY.set(Duration::ZERO);
        assert_eq!(look("localhost"), Look::Free);
        assert!(matches!(look("no such host"), Look::Unclear(why) if why.contains("is unknown")));
    }

    #[test]
    fn trying_can_be_interrupted() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        drop(listener);
        let interrupt = Interrupt::default();
        interrupt.end_at(Some(Instant::now()));
        let mut tcp = Tcp { patience: LONG, ..Tcp::new("127.0.0.1", port) };
        assert!(matches!(tcp.open(&interrupt), Ok(None)));
    }
}
