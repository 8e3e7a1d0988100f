//! A thread that interrupts what takes too long.
//!
//! Questions come every few microseconds, so setting the alarm must cost next to nothing: the thread looks at it now
//! and then by itself, and is only woken if it has gone to sleep for want of work.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::query::Limits;

/// How often the thread looks.
const TICK: Duration = Duration::from_millis(10);
/// How many times it looks in vain before it sleeps.
const PATIENCE: u32 = 50;

/// Why it interrupted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Alarm {
    Time,
    Cancelled,
}

#[derive(Default)]
struct State {
    watch: Option<Watch>,
    rang: Option<Alarm>,
    asleep: bool,
    end: bool,
}

struct Watch {
    deadline: Instant,
    cancel: Option<Arc<AtomicBool>>,
}

struct Shared {
    state: Mutex<State>,
    wake: Condvar,
}

/// The watchdog.
pub struct Watchdog {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

impl Watchdog {
    /// A watchdog that calls `interrupt`, again and again, until the alarm is taken away.
    pub fn new(interrupt: impl Fn() + Send + 'static) -> std::io::Result<Watchdog> {
        let shared = Arc::new(Shared { state: Mutex::default(), wake: Condvar::new() });
        let inner = Arc::clone(&shared);
        let thread = std::thread::Builder::new().name("watchdog".into()).spawn(move || watch(&inner, &interrupt))?;
        Ok(Watchdog { shared, thread: Some(thread) })
    }

    /// Watches over `work`; says whether it was interrupted.
    pub fn over<T>(&self, limits: &Limits, work: impl FnOnce() -> T) -> (T, Option<Alarm>) {
        {
            let mut state = self.shared.state.lock().unwrap_or_else(PoisonError::into_inner);
            state.watch = Some(Watch {
                deadline: Instant::now() + limits.wall.min(Duration::from_secs(1_000_000)),
                cancel: limits.cancel.clone(),
            });
            state.rang = None;
            if state.asleep {
                self.shared.wake.notify_one();
            }
        }
        let result = work();
        let mut state = self.shared.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.watch = None;
        (result, state.rang.take())
    }
}

fn watch(shared: &Shared, interrupt: &dyn Fn()) {
    let mut state = shared.state.lock().unwrap_or_else(PoisonError::into_inner);
    let mut idle = 0;
    while !state.end {
        if let Some(watch) = &state.watch {
            idle = 0;
            let cancelled = watch.cancel.as_ref().is_some_and(|c| c.load(Ordering::Relaxed));
            let late = Instant::now() >= watch.deadline;
            if cancelled || late {
                state.rang.get_or_insert(if cancelled { Alarm::Cancelled } else { Alarm::Time });
                // Under the lock: nothing is interrupted whose watch is over.
                interrupt();
            }
        } else {
            idle += 1;
        }
        state = if idle > PATIENCE {
            state.asleep = true;
            let mut woken = shared.wake.wait(state).unwrap_or_else(PoisonError::into_inner);
            woken.asleep = false;
            idle = 0;
            woken
        } else {
            shared.wake.wait_timeout(state, TICK).unwrap_or_else(PoisonError::into_inner).0
        };
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        self.shared.state.lock().unwrap_or_else(PoisonError::into_inner).end = true;
        self.shared.wake.notify_one();
        if let Some(thread) = self.thread.take() {
            // It cannot have panicked with anything that matters here.
            let _ = thread.join();
        }
    }
}
