//! Process groups: a child and every process that it started, ended together.
//!
//! Killing a group is safe until its leader has been waited for: until then, the system gives the number of the group
//! to no other process. So this module checks whether a leader has exited without taking its status, where the system
//! allows that. A group ends when this program ends, even if this program is killed.

use std::fmt;
use std::process::Child;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use sioco_solve::guard::Guarded;

use crate::lines::Interrupt;

/// The groups that were started and not ended yet, by the ids of their leaders.
static RUNNING: Mutex<Vec<u32>> = Mutex::new(Vec::new());

/// A killed process has this long to disappear. Usually that takes milliseconds; a machine that swaps may take seconds.
/// One that is in an uninterruptible wait does not end at all, and must not hold up the campaign.
const DEATH: Duration = Duration::from_secs(5);
/// The status of a process is looked at this often. It is waited for at every end of a run that ends the system, so it
/// has to be short beside such a run; more often would be work for nothing.
const STATUS_CHECK: Duration = Duration::from_millis(2);

/// Kills everything that was started for systems under test and still runs. For those who are about to end the whole
/// program without dropping anything, as on a second Ctrl-C.
pub fn kill_all() {
    for leader in RUNNING.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
        kill_group(leader);
    }
}

/// How a process ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ending {
    /// In words: `exit status: 3`, `signal: SIGSEGV`.
    pub words: String,
    /// Whether it ended abnormally, by its own doing: by a signal, or with a status other than 0.
    pub crashed: bool,
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.words)
    }
}

/// A child that leads a process group of its own, on systems that have such.
pub struct Group {
    child: Child,
    ended: bool,
    /// Until its leader is waited for.
    guarded: Option<Guarded>,
}

impl Group {
    /// Takes charge of a child, which was started as the leader of a group.
    pub fn new(child: Child) -> Group {
        RUNNING.lock().unwrap_or_else(PoisonError::into_inner).push(child.id());
        let guarded = Some(Guarded::new(child.id()));
        Group { child, ended: false, guarded }
    }

    /// The number of its leader, which is that of the group.
    pub fn leader(&self) -> u32 {
        self.child.id()
    }

    /// How the leader ended, if it has. What was killed here is no crash.
    pub fn status(&mut self) -> Option<Ending> {
        let ending = status(&mut self.child)?;
        Some(Ending { crashed: ending.crashed && !self.ended, ..ending })
    }

    /// The same, after waiting for it for a while, unless everything is to end.
    pub fn status_within(&mut self, patience: Duration, interrupt: &Interrupt) -> Option<Ending> {
        let start = Instant::now();
        loop {
            let status = self.status();
            if status.is_some() || start.elapsed() >= patience || interrupt.is_over() {
                return status;
            }
            std::thread::sleep(STATUS_CHECK);
        }
    }

    /// Kills whatever is left of the group, and sees to it that nothing remains of the leader.
    pub fn end(&mut self) {
        if std::mem::replace(&mut self.ended, true) {
            return;
        }
        let leader = self.child.id();
        // While the list is locked, `kill_all` cannot be about to kill a group that is gone.
        let mut running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
        kill_group(leader);
        let _ = self.child.kill();
        running.retain(|id| *id != leader);
        drop(running);
        // A process that the system does not let go of must not hold up everything.
        if self.status_within(DEATH, &Interrupt::default()).is_some() {
            self.guarded = None;
            let _ = self.child.wait();
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.end();
    }
}

#[cfg(unix)]
fn kill_group(leader: u32) {
    use nix::sys::signal::{Signal, killpg};
    if let Ok(id) = i32::try_from(leader) {
        // It may be gone already.
        let _ = killpg(nix::unistd::Pid::from_raw(id), Signal::SIGKILL);
    }
}

#[cfg(not(unix))]
fn kill_group(_leader: u32) {}

#[cfg(target_os = "linux")]
fn status(child: &mut Child) -> Option<Ending> {
    use nix::sys::wait::{Id, WaitPidFlag, WaitStatus, waitid};
    let id = nix::unistd::Pid::from_raw(i32::try_from(child.id()).ok()?);
    match waitid(Id::Pid(id), WaitPidFlag::WEXITED | WaitPidFlag::WNOHANG | WaitPidFlag::WNOWAIT) {
        Ok(WaitStatus::Exited(_, code)) => Some(Ending { words: format!("exit status: {code}"), crashed: code != 0 }),
        Ok(WaitStatus::Signaled(_, signal, _)) => Some(Ending { words: format!("signal: {signal}"), crashed: true }),
        Ok(_) => None,
        Err(_) => Some(Ending { words: "exit status unknown".into(), crashed: false }),
    }
}

#[cfg(not(target_os = "linux"))]
fn status(child: &mut Child) -> Option<Ending> {
    let status = child.try_wait().ok().flatten()?;
    Some(Ending { words: status.to_string(), crashed: !status.success() })
}
