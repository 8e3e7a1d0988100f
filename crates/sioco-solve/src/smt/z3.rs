//! Z3 in this process.

pub mod lib;

use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use self::lib::{Context, Z3Library};
use super::locate::{self, Candidate, Fate};
use super::session::{Connection, Dialect, Fault, Purpose, Session, Z3};
use super::watchdog::{Alarm, Watchdog};
use crate::query::Limits;

/// A solver in this process.
pub type Z3Solver = Session<Z3Connection>;

/// Opens the first Z3 library that works, and says what became of each that was found.
pub fn find() -> (Option<Arc<Z3Library>>, Vec<Candidate>) {
    let mut candidates = locate::candidates();
    let mut taken = None;
    for candidate in &mut candidates {
        if candidate.fate != Fate::NotTried {
            continue;
        }
        match Z3Library::open(&candidate.path) {
            Ok(library) => {
                candidate.fate = Fate::Taken(library.version().to_owned());
                taken = Some(library);
                break;
            }
            Err(why) => candidate.fate = Fate::Refused(why),
        }
    }
    (taken, candidates)
}

impl Z3Solver {
    /// A solver of its own.
    pub fn new(library: &Arc<Z3Library>) -> Z3Solver {
        Session::over(|purpose| Z3Connection {
            library: Arc::clone(library),
            cores: purpose == Purpose::Cores,
            running: None,
            risky: false,
        })
    }
}

/// Z3 by its library.
pub struct Z3Connection {
    library: Arc<Z3Library>,
    cores: bool,
    running: Option<Running>,
    risky: bool,
}

/// How long Z3 may take to notice that it was interrupted; afterwards it is left to itself.
const GRACE: Duration = Duration::from_millis(500);

/// How often one looks whether somebody gave up.
const TICK: Duration = Duration::from_millis(20);

/// Longer commands have huge numbers or texts in them, which Z3 reads without looking up.
const LONG: usize = 100_000;

struct Running {
    /// Before the context, so that it ends before: it holds a pointer.
    watchdog: Watchdog,
    context: Context,
}

impl Running {
    fn eval(&mut self, commands: &str, limits: &Limits) -> Result<String, Fault> {
        let (answer, alarm) = self.watchdog.over(limits, || self.context.eval(commands));
        match alarm {
            Some(Alarm::Time) => Err(Fault::Time),
            Some(Alarm::Cancelled) => Err(Fault::Cancelled),
            None => answer.map_err(Fault::Broken),
        }
    }
}

impl Z3Connection {
    /// On a thread of its own, which is left alone if Z3 does not stop when it should: there are computations with
    /// huge numbers that it does not interrupt. The thread ends when they do, or with the program.
    fn run_aside(&mut self, commands: &str, limits: &Limits) -> Result<String, Fault> {
        let Some(mut running) = self.running.take() else { return Err(Fault::Broken("it was not started".into())) };
        let (tell, told) = mpsc::channel();
        let (text, its_limits) = (commands.to_owned(), limits.clone());
        let thread = std::thread::Builder::new().name("z3".into()).spawn(move || {
            let answer = running.eval(&text, &its_limits);
            // If nobody listens any more, everything ends here.
            let _ = tell.send((running, answer));
        });
        thread.map_err(|error| Fault::Broken(format!("there is no thread for it: {error}")))?;
        let deadline = Instant::now() + limits.wall.min(Duration::from_secs(1_000_000)) + GRACE;
        let mut cancelled: Option<Instant> = None;
        loop {
            match told.recv_timeout(TICK) {
                Ok((running, answer)) => {
                    self.running = Some(running);
                    return answer;
                }
                Err(mpsc::RecvTimeoutError::Disconnected) => return Err(Fault::Broken("its thread failed".into())),
                Err(mpsc::RecvTimeoutError::Timeout) => {}
            }
            if limits.cancelled() && cancelled.get_or_insert_with(Instant::now).elapsed() > GRACE {
                return Err(Fault::Cancelled);
            }
            if Instant::now() > deadline {
                return Err(Fault::Broken("it did not stop when its time was over".into()));
            }
        }
    }

    fn running(&mut self) -> Result<&mut Running, Fault> {
        if self.running.is_none() {
            let context = Context::new(&self.library, self.cores).map_err(Fault::Broken)?;
            let interrupter = context.interrupter();
            let watchdog = Watchdog::new(move || interrupter.interrupt());
            let watchdog = watchdog.map_err(|error| Fault::Broken(format!("there is no thread for it: {error}")))?;
            self.running = Some(Running { watchdog, context });
        }
        Ok(self.running.as_mut().expect("made above"))
    }
}

impl Connection for Z3Connection {
    fn name(&self) -> String {
        format!("Z3 {}", self.library.version())
    }

    fn dialect(&self) -> Dialect {
        // The library takes it only before the first command.
        Dialect { cores: "", ..Z3 }
    }

    fn beware(&mut self, risky: bool) {
        self.risky = risky;
    }

    fn run(&mut self, commands: &str, limits: &Limits) -> Result<String, Fault> {
        self.running()?;
        if self.risky || commands.len() > LONG {
            return self.run_aside(commands, limits);
        }
        self.running()?.eval(commands, limits)
    }

    fn restart(&mut self) {
        self.running = None;
    }
}
