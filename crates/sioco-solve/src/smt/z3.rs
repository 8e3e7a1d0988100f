//! Z3 in this process.

pub mod lib;

use std::sync::Arc;

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
        })
    }
}

/// Z3 by its library.
pub struct Z3Connection {
    library: Arc<Z3Library>,
    cores: bool,
    running: Option<Running>,
}

struct Running {
    /// Before the context, so that it ends before: it holds a pointer.
    watchdog: Watchdog,
    context: Context,
}

impl Z3Connection {
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

    fn run(&mut self, commands: &str, limits: &Limits) -> Result<String, Fault> {
        let Running { watchdog, context } = self.running()?;
        let (answer, alarm) = watchdog.over(limits, || context.eval(commands));
        match alarm {
            Some(Alarm::Time) => Err(Fault::Time),
            Some(Alarm::Cancelled) => Err(Fault::Cancelled),
            None => answer.map_err(Fault::Broken),
        }
    }

    fn restart(&mut self) {
        self.running = None;
    }
}
