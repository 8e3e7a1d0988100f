//! Ctrl-C: the first one asks a command to stop and to show what it has, the next one ends the program. What comes
//! right after the first is the same wish: `timeout -s INT` sends its signal twice, to the program and to its group.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use crate::exit::Exit;

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
            seen.store(true, Ordering::Relaxed);
            if is_another(&mut first, Instant::now()) {
                sioco_adapter::group::kill_all();
                std::process::exit(Exit::Interrupted as i32);
            }
        });
        flag
    };
    FLAG.get_or_init(new).clone()
}

/// So long after the first signal, another one is no wish of its own.
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
