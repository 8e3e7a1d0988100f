//! Z3 in this process.

pub mod lib;
#[cfg(test)]
mod tests;

use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::Duration;

use self::lib::{Context, Interrupter, LibraryError, Z3Library};
use super::locate::{self, Candidate, Fate};
use super::session::{Connection, Dialect, Fault, Purpose, SmtSession, Z3};
use crate::query::Limits;
use crate::timer::Timer;

/// A solver in this process.
pub type Z3Solver = SmtSession<Z3Connection>;

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
            Err(why) => candidate.fate = Fate::Refused(why.to_string()),
        }
    }
    (taken, candidates)
}

impl Z3Solver {
    /// A solver of its own.
    pub fn new(library: &Arc<Z3Library>) -> Z3Solver {
        SmtSession::over(|purpose| Z3Connection {
            library: Arc::clone(library),
            cores: purpose == Purpose::Cores,
            seat: None,
        })
    }
}

/// Z3 by its library.
pub struct Z3Connection {
    library: Arc<Z3Library>,
    cores: bool,
    seat: Option<Seat>,
}

/// Z3 may take this long to notice that it was interrupted; afterwards it is left to itself. It looks often, except in
/// some preprocessing; a thread that is left behind keeps a core busy.
const GRACE: Duration = Duration::from_millis(500);

/// The same where everything is to end: whoever asked for that does not wait longer.
const HURRIED_GRACE: Duration = Duration::from_millis(100);

/// One looks this often whether somebody gave up: soon enough that nobody notices.
const TICK: Duration = Duration::from_millis(10);

/// Z3 may take this long to make a context. It takes milliseconds, on a busy machine some hundred; after this it has
/// failed.
const START: Duration = Duration::from_secs(20);

/// Z3 goes down into terms as deep as they are, and a thread has less than that by default: this is eight times as
/// much. Only what is used of it takes memory.
const STACK: usize = 16 << 20;

/// Who sets options.
static OPTIONS: Mutex<()> = Mutex::new(());

/// Something for Z3 to do.
type Job = Box<dyn FnOnce(&mut Context) -> Result<String, LibraryError> + Send>;

/// What the thread of a seat says.
enum Told {
    Ready(Interrupter),
    Done(Result<String, LibraryError>),
    BrokeDown,
}

/// A context on a thread of its own, where all happens that Z3 does. The thread is left alone if Z3 does not stop when
/// it should, as there are computations with huge numbers that it does not interrupt, and if it breaks down, which
/// would end the process on any other thread.
struct Seat {
    /// Nothing once the thread shall end.
    jobs: Option<mpsc::Sender<Job>>,
    told: mpsc::Receiver<Told>,
    interrupter: Option<Interrupter>,
    /// Nobody waits for it any more.
    left: bool,
}

impl Seat {
    fn new(library: &Arc<Z3Library>, cores: bool, limits: &Limits) -> Result<Seat, Fault> {
        let (jobs, work) = mpsc::channel::<Job>();
        let (tell, told) = mpsc::channel();
        let library = Arc::clone(library);
        let builder = std::thread::Builder::new().name("z3".into()).stack_size(STACK);
        let thread = builder.spawn(move || {
            let alarm = tell.clone();
            // If nobody listens any more, here and below, nobody needs to know.
            lib::on_break_down(move || drop(alarm.send(Told::BrokeDown)));
            let mut context = match Context::new(&library, cores) {
                Ok(context) => context,
                Err(why) => return drop(tell.send(Told::Done(Err(why)))),
            };
            let _ = tell.send(Told::Ready(context.interrupter()));
            for job in work {
                let _ = tell.send(Told::Done(job(&mut context)));
            }
        });
        thread.map_err(|error| Fault::Broken(format!("cannot start a thread for it: {error}")))?;
        let mut seat = Seat { jobs: Some(jobs), told, interrupter: None, left: false };
        seat.wait(&limits.to_start(START))?;
        Ok(seat)
    }

    fn run(&mut self, job: Job, limits: &Limits) -> Result<String, Fault> {
        // A thread that has ended shows below.
        let _ = self.jobs.as_ref().map(|jobs| jobs.send(job));
        self.wait(limits)
    }

    /// Waits for what the thread says next. After a fault the seat must not be used again.
    fn wait(&mut self, limits: &Limits) -> Result<String, Fault> {
        let timer = limits.timer();
        let mut alarm: Option<(Fault, Timer)> = None;
        loop {
            let left = timer.remaining();
            match self.told.recv_timeout(if alarm.is_none() { left.min(TICK) } else { TICK }) {
                Ok(Told::Ready(interrupter)) => {
                    self.interrupter = Some(interrupter);
                    return alarm.map_or(Ok(String::new()), |(fault, _)| Err(fault));
                }
                Ok(Told::Done(answer)) => {
                    return alarm.map_or(answer.map_err(|why| Fault::Broken(why.to_string())), |(fault, _)| Err(fault));
                }
                Ok(Told::BrokeDown) => {
                    self.left = true;
                    return Err(Fault::Broken("it broke down, by an exception that it did not catch".into()));
                }
                Err(mpsc::RecvTimeoutError::Disconnected) => return Err(Fault::Broken("its thread failed".into())),
                Err(mpsc::RecvTimeoutError::Timeout) => {}
            }
            if alarm.is_none() && limits.cancelled() {
                alarm = Some((Fault::Cancelled, Timer::within(HURRIED_GRACE)));
            } else if alarm.is_none() && timer.is_over() {
                alarm = Some((Fault::Time, Timer::within(GRACE)));
            }
            let Some((fault, patience)) = &alarm else { continue };
            if patience.is_over() {
                self.left = true;
                return Err(match fault {
                    Fault::Time => Fault::Broken("it did not stop when its time was over".into()),
                    other => other.clone(),
                });
            }
            if let Some(interrupter) = &self.interrupter {
                interrupter.interrupt();
            }
        }
    }
}

impl Drop for Seat {
    /// Z3 must not be at work any more when the process ends and its library is taken apart.
    fn drop(&mut self) {
        self.jobs = None;
        if !self.left {
            // The thread says nothing more, except that Z3 broke down, and then it never ends.
            let _ = self.told.recv_timeout(GRACE);
        }
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
        let commands = commands.to_owned();
        let run = move |context: &mut Context| {
            // Options are global in Z3, and a context takes them over when it sets one: another thread must not come
            // between the two.
            let options = commands.rfind("(set-option").and_then(|at| Some(at + commands[at..].find('\n')? + 1));
            let (options, rest) = commands.split_at(options.unwrap_or(0));
            let mut printed = String::new();
            if !options.is_empty() {
                let _alone = OPTIONS.lock().unwrap_or_else(PoisonError::into_inner);
                printed = context.eval(options)?;
            }
            printed.push_str(&context.eval(rest)?);
            Ok(printed)
        };
        self.run_job(Box::new(run), limits)
    }

    fn restart(&mut self) {
        self.seat = None;
    }
}

impl Z3Connection {
    fn run_job(&mut self, job: Job, limits: &Limits) -> Result<String, Fault> {
        let mut seat = match self.seat.take() {
            Some(seat) => seat,
            None => Seat::new(&self.library, self.cores, limits)?,
        };
        let answer = seat.run(job, limits)?;
        self.seat = Some(seat);
        Ok(answer)
    }
}
