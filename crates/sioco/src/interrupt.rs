//! Ctrl-C: the first one asks a command to stop and to show what it has, the second one ends the program.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use crate::exit::Exit;

static FLAG: OnceLock<Arc<AtomicBool>> = OnceLock::new();

/// The flag that Ctrl-C sets. From the first call on, Ctrl-C does not end the program by itself.
pub fn flag() -> Arc<AtomicBool> {
    let new = || {
        let flag = Arc::new(AtomicBool::new(false));
        let seen = flag.clone();
        let handler = move || {
            if seen.swap(true, Ordering::Relaxed) {
                std::process::exit(Exit::Interrupted as i32);
            }
        };
        // Without a handler Ctrl-C ends the program at once, as it does elsewhere.
        let _ = ctrlc::set_handler(handler);
        flag
    };
    FLAG.get_or_init(new).clone()
}
