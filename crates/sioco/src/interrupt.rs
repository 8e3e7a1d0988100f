//! Ctrl-C: the first signal asks a command to stop and to show its results; the next one ends the program. A signal right
//! after the first belongs to it: `timeout -s INT` sends its signal twice, to the program and to its group.
//!
//! A command that still works most of a second after the first signal does not respond: the program ends without it. A
//! command that has begun to show its results by then has responded, and gets more time to show them.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use sioco_campaign::usage::Stopwatch;

use crate::exit::Exit;
use crate::output;

static FLAG: OnceLock<Arc<AtomicBool>> = OnceLock::new();

/// The flag that Ctrl-C sets. From the first call on, Ctrl-C does not end the program by itself. Threads that are
/// started before it may still be ended by Ctrl-C, so it comes first.
pub fn flag() -> Arc<AtomicBool> {
    let new = || {
        let flag = Arc::new(AtomicBool::new(false));
        let seen = flag.clone();
        let mut first = None;
        // Without a handler Ctrl-C ends the program at once, as it does elsewhere.
        listen(move || {
            if !seen.swap(true, Ordering::Relaxed) {
                let _ = std::thread::Builder::new().name("last".into()).spawn(wait_and_leave);
            }
            if is_another(&mut first, Instant::now()) {
                sioco_adapter::group::kill_all();
                std::process::exit(Exit::Interrupted as i32);
            }
        });
        flag
    };
    FLAG.get_or_init(new).clone()
}

/// This long after the first signal, whoever still works does not listen. It is under a second, which a user takes for
/// "at once".
const DEAF: Duration = Duration::from_millis(850);
/// A command may show results for this long after a signal: they are what the user stopped it for.
const SHOWING: Duration = Duration::from_secs(10);

/// Whether results are being shown.
static SHOWN: AtomicBool = AtomicBool::new(false);

/// A command shows a result.
pub fn show() {
    SHOWN.store(true, Ordering::Relaxed);
}

/// The thread looks this often: soon enough that nobody notices, and seldom enough that it takes no time.
const BEAT: Duration = Duration::from_millis(20);

/// Ends the program when the command does not.
fn wait_and_leave() {
    let since = Stopwatch::start();
    SHOWN.store(false, Ordering::Relaxed);
    while !since.passed(if SHOWN.load(Ordering::Relaxed) { SHOWING } else { DEAF }) {
        std::thread::sleep(BEAT);
    }
    leave(Exit::Interrupted, "interrupted; the results so far cannot be shown in time");
}

/// Ends the program at once, whatever it does, with the reason.
pub fn leave(exit: Exit, why: &str) -> ! {
    sioco_adapter::group::kill_all();
    output::last_words(why);
    std::process::exit(exit as i32)
}

/// For this long after the first signal, another one is no wish of its own: a terminal sends it to all processes of a
/// group, and some pass it on.
const SAME: Duration = Duration::from_secs(1);

/// Whether a signal that comes now is not the first, and not its echo either.
fn is_another(first: &mut Option<Instant>, now: Instant) -> bool {
    now.duration_since(*first.get_or_insert(now)) >= SAME
}

/// Has a thread wait for the signal, which is kept from everybody else: Z3 has a handler of its own while it works, so
/// that ours would not be called.
#[cfg(unix)]
fn listen(mut act: impl FnMut() + Send + 'static) {
    use nix::sys::signal::{SigSet, Signal};
    let mut set = SigSet::empty();
    set.add(Signal::SIGINT);
    // Who ends a program politely, as `timeout` does, or closes its terminal, wants the same.
    set.add(Signal::SIGTERM);
    set.add(Signal::SIGHUP);
    if set.thread_block().is_err() {
        return;
    }
    let wait = move || {
        while set.wait().is_ok() {
            act();
        }
    };
    if std::thread::Builder::new().name("ctrl-c".into()).spawn(wait).is_err() {
        let _ = set.thread_unblock();
    }
}

#[cfg(not(unix))]
fn listen(act: impl FnMut() + Send + 'static) {
    let _ = ctrlc::set_handler(act);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signal_and_its_echo_are_one() {
        let (mut first, start) = (None, Instant::now());
        for (millis, another) in [(0, false), (1, false), (900, false), (1100, true)] {
            assert_eq!(is_another(&mut first, start + Duration::from_millis(millis)), another, "{millis}");
        }
    }
}
