//! Ctrl-C: the first one asks a command to stop and to show what it has, the second one ends the program.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use crate::exit::Exit;

static FLAG: OnceLock<Arc<AtomicBool>> = OnceLock::new();

/// The flag that Ctrl-C sets. From the first call on, Ctrl-C does not end the program by itself. Threads that are
/// started before it may still be ended by Ctrl-C, so it comes first.
pub fn flag() -> Arc<AtomicBool> {
    let new = || {
        let flag = Arc::new(AtomicBool::new(false));
        let seen = flag.clone();
        // Without a handler Ctrl-C ends the program at once, as it does elsewhere.
        listen(move || {
            if seen.swap(true, Ordering::Relaxed) {
                std::process::exit(Exit::Interrupted as i32);
            }
        });
        flag
    };
    FLAG.get_or_init(new).clone()
}

/// Has a thread wait for the signal, which is kept from everybody else: Z3 has a handler of its own while it works, so
/// that ours would not be called.
#[cfg(unix)]
fn listen(act: impl Fn() + Send + 'static) {
    use nix::sys::signal::{SigSet, Signal};
    let mut set = SigSet::empty();
    set.add(Signal::SIGINT);
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
fn listen(act: impl Fn() + Send + 'static) {
    let _ = ctrlc::set_handler(act);
}
