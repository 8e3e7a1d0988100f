//! A server that sioco starts and then connects to: on a free port, if its command has a place for one.
//!
//! Another program may listen at the server's address. It must not be mistaken for the server, since its behaviour
//! says nothing about the server. So nothing may listen at the address before the server is started: connections must
//! be refused there, and no weaker sign counts. When a connection is open, the server must still be running. Where
//! the operating system tells who listens, that must be the server or a process that it started. Otherwise there is
//! no connection to the server, and no verdict on it.

use crate::lines::STATUS_WAIT;
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use sioco_exec::{Crash, Fault, FaultKind};

use crate::child::Program;
use crate::config::ResetConfig;
use crate::crash;
use crate::group::{Ending, Group};
use crate::lines::{Interrupt, LineWriter, Lines, Tail, later, pause};
use crate::owner::{Owner, owner};
use crate::tcp::{Look, Socket, Tcp};
use crate::transport::{Connection, Connector, cannot_start};

/// What stands for the port in a command or an address.
pub const PORT: &str = "{port}";
/// One attempt to connect takes at most this long, before sioco looks whether the server is still there. A server on
/// the same machine accepts within a millisecond; the message about one that ended comes this much later.
const ATTEMPT: Duration = Duration::from_millis(200);
/// This often sioco looks whether nobody listens any more. A server frees its port within milliseconds after its end; a
/// run that starts a new one waits for at most this much too long.
const PORT_CHECK: Duration = Duration::from_millis(50);
/// A connection that nobody refuses or takes is waited for this long. On the same machine one of both comes at once,
/// unless the queue of the server is full or a firewall drops packets.
const UNCLEAR_WAIT: Duration = Duration::from_secs(1);
/// A server that was ended may still listen for this long. Its children may close the port a little later than itself;
/// who holds it longer is somebody else, and the user has to be told.
const PORT_RELEASE_WAIT: Duration = Duration::from_secs(1);
/// At most this many ports are tried: somebody else may take one before the server does. That this happens once is
/// rare; three times in a row it has another reason.
const PORT_ATTEMPTS: u32 = 3;
/// The end of a server that ended a connection, or dropped a request, is waited for this long, unless the model allows it
/// to end in an orderly way, which may take a while. One that crashed is gone by then; one that lives makes every such
/// reply wait for it.
pub(crate) const SERVER_END_WAIT: Duration = Duration::from_millis(50);
/// What a server says when it ended a connection is waited for this long. Its thread that writes the message and the
/// one that closes the connection are different ones, so the message may come last.
const STRANGER_STDERR_WAIT: Duration = Duration::from_millis(250);
/// What a server wrote at any other time is waited for this long. Such lines are in the pipe already; this is for the
/// thread that reads them.
const STDERR_WAIT: Duration = Duration::from_millis(20);

/// A server, and how it is started.
pub struct Host {
    /// The command.
    program: Program,
    /// Where it listens, with [`PORT`] for the port if that is free to choose.
    address: String,
    /// How long it may take until it does.
    patience: Duration,
    /// Whether it is started anew for each connection.
    reset: ResetConfig,
    running: Option<Running>,
    /// What happens between the look at an address and the start.
    #[cfg(test)]
    meanwhile: Option<Box<dyn FnMut() + Send>>,
}

/// What came of trying to connect.
enum Attempt {
    Open(Box<dyn Connection>),
    /// What was started has ended, in words.
    Ended(String),
    /// Somebody else is there, in words.
    Stranger(String),
    /// There is no connection yet, in words.
    NotYet(String),
}

#[derive(Clone)]
struct Running {
    /// Its connections look at it, too.
    group: Arc<Mutex<Group>>,
    started: Instant,
    port: u16,
    output: Arc<Tail>,
    errors: Arc<Tail>,
}

impl Running {
    fn group(&self) -> MutexGuard<'_, Group> {
        self.group.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How it crashed, if it did, after waiting for that no longer than this. With it, what it wrote to standard error after
    /// so many lines.
    fn crash(&self, patience: Duration, lines: u64) -> Option<Crash> {
        let ending = self.group().status_within(patience, &Interrupt::default()).filter(|ending| ending.crashed)?;
        self.errors.wait(STATUS_WAIT);
        Some(crash::of_program(&ending, self.errors.since(lines, Duration::ZERO)))
    }
}

/// A connection to the server.
struct Hosted {
    inner: Box<dyn Connection>,
    server: Running,
    /// How many lines the server had written to standard error before.
    lines: u64,
}

impl Connection for Hosted {
    fn lines(&self) -> &Lines {
        self.inner.lines()
    }

    fn writer(&self) -> &LineWriter {
        self.inner.writer()
    }

    fn is_gone(&mut self) -> bool {
        self.inner.is_gone()
    }

    fn epitaph(&mut self) -> String {
        self.inner.epitaph()
    }

    fn crash(&mut self, patience: Duration, _: &Interrupt) -> Option<Crash> {
        // A server is not expected to end with a connection.
        self.server.crash(patience.min(SERVER_END_WAIT), self.lines)
    }

    fn started(&self) -> Option<Instant> {
        Some(self.server.started)
    }

    fn stderr(&self) -> Vec<String> {
        self.server.errors.since(self.lines, STDERR_WAIT)
    }

    fn close(&mut self, grace: Duration) {
        self.inner.close(grace);
    }
}

impl Host {
    /// A server that listens at an address, `HOST:PORT`, once it is started.
    pub fn new(program: Program, address: &str, patience: Duration, reset: ResetConfig) -> Host {
        Host {
            program,
            address: address.into(),
            patience,
            reset,
            running: None,
            #[cfg(test)]
            meanwhile: None,
        }
    }

    /// Where it listens.
    fn tcp(&self, port: u16, patience: Duration) -> Result<Tcp, Fault> {
        let address = self.address.replace(PORT, &port.to_string());
        let tcp =
            crate::spec::tcp(&address).map_err(|why| cannot_start(format!("`{address}` is not an address: {why}")))?;
        Ok(Tcp { patience, ..tcp })
    }

    /// Sees to it that nobody listens at an address that is not free to choose.
    fn check_free(&self, interrupt: &Interrupt) -> Result<(), Fault> {
        if self.address.contains(PORT) {
            return Ok(());
        }
        // What was just ended may take a moment to let go of its port.
        let until = later(PORT_RELEASE_WAIT);
        let tcp = self.tcp(0, self.patience)?;
        loop {
            let late = Instant::now() >= until;
            match tcp.look(UNCLEAR_WAIT, interrupt) {
                Look::Free | Look::Interrupted => return Ok(()),
                Look::Taken if late => return Err(self.taken()),
                Look::Unclear(why) if late => {
                    let (name, address) = (self.name(), &self.address);
                    return Err(cannot_start(format!(
                        "cannot check whether {address} is free for the server `{name}`: {why}; the address is free \
                         only if it refuses connections"
                    )));
                }
                Look::Taken | Look::Unclear(_) => pause(PORT_CHECK, interrupt),
            }
        }
    }

    fn taken(&self) -> Fault {
        let (name, address) = (self.name(), &self.address);
        cannot_start(format!(
            "something already listens at {address} before the server `{name}` is started: is a server left over \
             from before? End it, or write `{PORT}` for the port to get a free one"
        ))
    }

    fn start(&self) -> Result<Running, Fault> {
        let port = match self.address.contains(PORT) {
            true => free_port().map_err(|error| cannot_start(format!("there is no free port: {error}")))?,
            false => 0,
        };
        let fill = |text: &String| text.replace(PORT, &port.to_string());
        let program = Program {
            words: self.program.words.iter().map(fill).collect(),
            environment: self.program.environment.iter().map(|(name, value)| (name.clone(), fill(value))).collect(),
            directory: self.program.directory.clone(),
        };
        let started = Instant::now();
        let (group, output, errors) = program.start_alone()?;
        Ok(Running { group: Arc::new(Mutex::new(group)), started, port, output, errors })
    }

    /// Starts it, if it does not run, and waits until a connection to it is open; nothing if that was interrupted.
    pub fn connect(&mut self, interrupt: &Interrupt) -> Result<Option<Box<dyn Connection>>, Fault> {
        if self.starts_afresh() {
            self.stop();
        }
        let until = later(self.patience);
        let mut ports = 1;
        loop {
            if self.running.as_ref().is_some_and(|running| running.group().status().is_some()) {
                self.stop();
            }
            let port = match &self.running {
                Some(running) => running.port,
                None => {
                    self.check_free(interrupt)?;
                    #[cfg(test)]
                    self.meanwhile.iter_mut().for_each(|meanwhile| meanwhile());
                    let started = self.start()?;
                    self.running.insert(started).port
                }
            };
            match self.attempt(port, interrupt)? {
                Attempt::Open(connection) => return Ok(Some(connection)),
                _ if interrupt.is_over() => return Ok(None),
                Attempt::Ended(_) | Attempt::Stranger(_) if ports < PORT_ATTEMPTS && self.address.contains(PORT) => {
                    self.stop();
                    ports += 1;
                }
                Attempt::Ended(message) | Attempt::Stranger(message) => return Err(self.fault(message)),
                Attempt::NotYet(why) if Instant::now() >= until => {
                    let time = self.patience.as_secs_f64();
                    let name = self.name();
                    let message = format!(
                        "the server `{name}` runs, but sioco could not connect to it in {time} s: \
                                           {why}"
                    );
                    return Err(self.fault(message));
                }
                Attempt::NotYet(_) => {}
            }
        }
    }

    /// Tries to connect to what was started.
    fn attempt(&mut self, port: u16, interrupt: &Interrupt) -> Result<Attempt, Fault> {
        let opened = self.tcp(port, ATTEMPT)?.connect(interrupt);
        let Some(running) = &self.running else { return Ok(Attempt::NotYet("it does not run".into())) };
        let status = running.group().status();
        let Some(status) = status else {
            return Ok(match opened {
                Ok(Some(stream)) => self.welcome(stream, running),
                Ok(None) => Attempt::NotYet("it was interrupted".into()),
                Err(why) => Attempt::NotYet(why.to_string()),
            });
        };
        running.errors.wait(STATUS_WAIT);
        let name = self.name();
        Ok(Attempt::Ended(match opened {
            Ok(Some(_)) => format!(
                "the server `{name}` ended ({status}), but something still listens at {}: does another program use \
                 that port? The server must stay in the foreground during the test",
                self.address.replace(PORT, &port.to_string())
            ),
            _ => format!("the server `{name}` ended ({status}) before sioco could connect to it"),
        }))
    }

    /// A connection to what was started, unless somebody else is at the other end of it.
    fn welcome(&self, stream: TcpStream, running: &Running) -> Attempt {
        let ends = stream.peer_addr().and_then(|peer| Ok((peer, stream.local_addr()?)));
        let whose = ends.map(|(peer, local)| (peer, owner(peer, local, running.group().leader())));
        match whose {
            Ok((peer, Owner::Stranger(who))) => Attempt::Stranger(format!(
                "{who}, listens at {peer}, but it is not the server `{}` that was started, nor one of its \
                 processes: end it, or write `{PORT}` for the port to get a free one",
                self.name()
            )),
            // Where that cannot be found out, nobody listened before the start.
            Ok((_, Owner::Ours | Owner::Unknown)) => match Socket::over(stream) {
                Ok(socket) => {
                    let lines = running.errors.count();
                    Attempt::Open(Box::new(Hosted { inner: Box::new(socket), server: running.clone(), lines }))
                }
                Err(error) => Attempt::NotYet(error.to_string()),
            },
            Err(error) => Attempt::NotYet(error.to_string()),
        }
    }

    /// When it was started, if it runs.
    pub fn started(&self) -> Option<Instant> {
        self.running.as_ref().map(|running| running.started)
    }

    /// The port that it listens at, once it was connected to.
    pub fn port(&self) -> Option<u16> {
        self.running.as_ref().map(|running| running.port)
    }

    /// How many lines it has written to standard error so far.
    pub fn lines(&self) -> u64 {
        self.running.as_ref().map_or(0, |running| running.errors.count())
    }

    /// What it wrote to standard error after so many lines, after waiting a moment for it.
    pub fn said(&self, lines: u64) -> Vec<String> {
        self.running.as_ref().map(|running| running.errors.since(lines, STRANGER_STDERR_WAIT)).unwrap_or_default()
    }

    /// How it ended, if it did, after waiting for that no longer than this, and not if everything is to end.
    pub fn ended(&self, patience: Duration, interrupt: &Interrupt) -> Option<Ending> {
        self.running.as_ref()?.group().status_within(patience, interrupt)
    }

    /// How it crashed, if it did, after waiting for that no longer than this, with what it wrote to standard error after so
    /// many lines.
    pub fn crash(&self, patience: Duration, lines: u64) -> Option<Crash> {
        self.running.as_ref()?.crash(patience, lines)
    }

    /// The last lines that it printed, those of standard error last.
    pub fn last_lines(&self) -> Vec<String> {
        self.running.iter().flat_map(|r| [r.output.last(), r.errors.last()].concat()).collect()
    }

    fn fault(&mut self, message: String) -> Fault {
        let lines = self.last_lines();
        self.stop();
        Fault { kind: FaultKind::Start, message, stderr: lines, again: false }
    }

    /// Ends it.
    pub fn stop(&mut self) {
        // A connection may still look at it.
        if let Some(running) = self.running.take() {
            running.group().end();
        }
    }
}

/// A port that nobody listens at, at this moment.
fn free_port() -> std::io::Result<u16> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?.port())
}

impl Drop for Host {
    fn drop(&mut self) {
        self.stop();
    }
}

impl Connector for Host {
    fn name(&self) -> String {
        self.program.words.join(" ")
    }

    fn starts_afresh(&self) -> bool {
        self.reset == ResetConfig::Restart
    }

    fn open(&mut self, interrupt: &Interrupt) -> Result<Option<Box<dyn Connection>>, Fault> {
        self.connect(interrupt)
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn host(script: &str, address: &str) -> Host {
        let words = vec!["sh".into(), "-c".into(), script.into()];
        Host::new(Program::new(words), address, Duration::from_millis(300), ResetConfig::Reconnect)
    }

    #[test]
    fn servers_that_cannot_be_connected_to_are_told() {
        let fault = host("echo oh >&2; exit 3", "127.0.0.1:{port}").open(&Interrupt::default()).err().expect("a fault");
        assert!(fault.message.contains("ended (exit status: 3) before sioco could connect to it"), "{fault}");
        assert_eq!(fault.stderr, ["oh"]);
        let fault = host("sleep 60", "127.0.0.1:{port}").open(&Interrupt::default()).err().expect("a fault");
        assert!(fault.message.contains("runs, but sioco could not connect to it in 0.3 s"), "{fault}");
        let fault = host("sleep 60", "127.0.0.1").open(&Interrupt::default()).err().expect("a fault");
        assert!(fault.message.contains("the port is missing"), "{fault}");
    }

    #[test]
    fn somebody_else_is_not_taken_for_the_server() {
        let other = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = other.local_addr().unwrap().to_string();
        // The address is fixed: nothing is started.
        let fault = host("echo started >&2; sleep 60", &address).open(&Interrupt::default()).err().expect("a fault");
        assert!(fault.message.starts_with(&format!("something already listens at {address}")), "{fault}");
        assert_eq!((fault.kind, fault.stderr.len(), fault.again), (FaultKind::Start, 0, false));
    }

    #[test]
    fn a_stranger_who_comes_between_the_look_and_the_start_is_not_taken_for_the_server() {
        // The port is let go of, so that it is free when it is looked at; the stranger has it when the server starts.
        let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let (hold, held) = std::sync::mpsc::channel();
        for address in [free.to_string(), format!("localhost:{}", free.port())] {
            let mut host = host("sleep 600", &address);
            let hold = hold.clone();
            host.meanwhile = Some(Box::new(move || hold.send(TcpListener::bind(free)).unwrap()));
            let opened = host.open(&Interrupt::default());
            // Somebody else may have been quicker still.
            let Ok(_stranger) = held.recv().unwrap() else { continue };
            let message = opened.err().expect("a fault").message;
            let own = std::process::id();
            match cfg!(target_os = "linux") {
                true => assert!(message.starts_with(&format!("process {own}, ")), "{message}"),
                false => assert!(message.contains("sleep"), "{message}"),
            }
            assert!(host.running.is_none());
        }
    }

    #[test]
    fn a_server_is_known_by_what_it_started() {
        if !cfg!(target_os = "linux") || std::process::Command::new("python3").arg("--version").output().is_err() {
            // Nothing tells it elsewhere, and nothing serves without Python.
            return;
        }
        let serve = "import socket, sys, time; s = socket.socket(); s.bind(('127.0.0.1', int(sys.argv[1]))); s.listen(); \
                     time.sleep(600)";
        // Behind a shell, and in a session of its own.
        for start in ["python3 -c", "setsid python3 -c"] {
            let script = format!("{start} \"{serve}\" {{port}}; true");
            let words = vec!["sh".into(), "-c".into(), script];
            let patience = Duration::from_secs(60);
            let mut host = Host::new(Program::new(words), "127.0.0.1:{port}", patience, ResetConfig::Reconnect);
            let opened = host.open(&Interrupt::default());
            assert!(opened.as_ref().is_ok_and(Option::is_some), "{start}: {:?}", opened.err());
        }
    }

    #[test]
    fn a_server_has_to_run_when_there_is_a_connection() {
        let other = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = other.local_addr().unwrap().port();
        let mut host = host("echo taken >&2; exit 1", &format!("127.0.0.1:{port}"));
        // As if the other one had come just after it was looked for.
        let started = host.start().unwrap();
        started.group().status_within(Duration::from_secs(20), &Interrupt::default()).expect("it ends");
        host.running = Some(started);
        let Ok(Attempt::Ended(why)) = host.attempt(port, &Interrupt::default()) else { panic!("no end") };
        assert!(why.contains("ended (exit status: 1), but something still listens at 127.0.0.1:"), "{why}");
        assert!(why.contains("does another program use that port?"), "{why}");
        assert_eq!(host.fault(why).stderr, ["taken"]);
    }
}
