//! Panics of code in this process. A panic of the system is a crash of the system. A panic of the connecting code is
//! a fault (T-E2, T-E3).
//!
//! While the system is called, a panic on this thread prints nothing: shrinking repeats runs many times, and the
//! report has the message, the place and the backtrace. Panics on other threads, and of any other code in this
//! process, are printed as always.

use std::any::Any;
use std::backtrace::{Backtrace, BacktraceStatus};
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind, panic_any, resume_unwind, set_hook, take_hook};
use std::sync::Once;

use sioco_exec::Crash;

/// This many lines of a backtrace are kept, from the place of the panic on. Code of the system comes first; what
/// follows is sioco and the runtime. More would leave the page.
const FRAMES: usize = 40;

thread_local! {
    /// Whether panics of this thread are caught, so that nothing is printed.
    static CATCHING: Cell<bool> = const { Cell::new(false) };
    /// The last panic that was caught on this thread.
    static LAST: RefCell<Option<Panic>> = const { RefCell::new(None) };
}

/// What the hook learns about a panic.
struct Panic {
    message: String,
    place: Option<String>,
    backtrace: Vec<String>,
}

/// The payload of a panic of the code that connects a system.
struct Glue(String);

/// A panic that was caught.
pub(super) enum Caught {
    /// Of the code that connects the system, in words.
    Glue(String),
    /// Of the system.
    System(Crash),
}

impl Caught {
    /// What happened, whoever did it.
    pub fn message(self) -> String {
        match self {
            Caught::Glue(message) => message,
            Caught::System(Crash { message, place: Some(place), .. }) => format!("{message} (at {place})"),
            Caught::System(Crash { message, .. }) => message,
        }
    }
}

/// Calls code of the user.
pub(super) fn catch<T>(call: impl FnOnce() -> T) -> Result<T, Caught> {
    listen();
    LAST.set(None);
    let before = CATCHING.replace(true);
    let result = catch_unwind(AssertUnwindSafe(call));
    CATCHING.set(before);
    result.map_err(|payload| match payload.downcast::<Glue>() {
        Ok(glue) => Caught::Glue(with_place(glue.0)),
        Err(payload) => Caught::System(crash(&*payload)),
    })
}

/// Runs code that connects a system: reads and converts values, for example. If it panics, that is an error of the test, and
/// no crash of the system. Outside of a [`System`](super::System) it is a panic like any other.
///
/// ```
/// # use sioco_adapter::in_process::glue;
/// # let text = "7";
/// let number: u8 = glue(|| text.parse().expect("a small number"));
/// # assert_eq!(number, 7);
/// ```
pub fn glue<T>(code: impl FnOnce() -> T) -> T {
    catch_unwind(AssertUnwindSafe(code)).unwrap_or_else(|payload| match CATCHING.get() && !payload.is::<Glue>() {
        true => resume_unwind(Box::new(Glue(text(&*payload)))),
        false => resume_unwind(payload),
    })
}

/// Ends the call: the code that connects the system cannot go on.
#[track_caller]
pub(super) fn give_up(message: String) -> ! {
    match CATCHING.get() {
        true => panic_any(Glue(message)),
        false => panic!("{message}"),
    }
}

/// Learns about panics from now on.
fn listen() {
    static HOOK: Once = Once::new();
    // The hook cannot be changed by a thread that panics.
    if std::thread::panicking() {
        return;
    }
    HOOK.call_once(|| {
        let before = take_hook();
        set_hook(Box::new(move |info| match CATCHING.get() {
            true => LAST.set(Some(learn(info))),
            false => before(info),
        }));
    });
}

fn learn(info: &PanicHookInfo<'_>) -> Panic {
    let place = info.location().map(ToString::to_string);
    // It is there if `RUST_BACKTRACE` asks for it.
    let backtrace = Backtrace::capture();
    let backtrace = match backtrace.status() {
        BacktraceStatus::Captured => frames(&backtrace.to_string()),
        _ => Vec::new(),
    };
    Panic { message: text(info.payload()), place, backtrace }
}

/// The lines of a backtrace from the frame on in which the panic began, up to where it was caught.
fn frames(backtrace: &str) -> Vec<String> {
    let lines: Vec<&str> = backtrace.lines().collect();
    let is_one_of = |line: &str, words: &[&str]| words.iter().any(|word| line.contains(word));
    let caught = |line: &&str| is_one_of(line, &["in_process::InProcess<", "do_call", "__rust_try", "catch_unwind"]);
    let end = lines.iter().position(caught).unwrap_or(lines.len());
    let began = |line: &&str| is_one_of(line, &["core::panicking::", "rust_begin_unwind", "begin_panic"]);
    let mut shown = &lines[lines[..end].iter().rposition(began).map_or(0, |last| last + 1)..end];
    // The place of that frame is on a line of its own.
    if shown.first().is_some_and(|line| line.trim_start().starts_with("at ")) {
        shown = &shown[1..];
    }
    shown.iter().take(FRAMES).map(|line| (*line).to_owned()).collect()
}

/// The message of a panic.
fn text(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().map(ToString::to_string);
    let text = text.or_else(|| payload.downcast_ref::<String>().cloned());
    let text = text.or_else(|| payload.downcast_ref::<Glue>().map(|glue| glue.0.clone()));
    text.unwrap_or_else(|| "a panic without a message".into())
}

/// A panic of the glue with the place where it was, if that is known.
fn with_place(message: String) -> String {
    match LAST.take() {
        Some(Panic { message: told, place: Some(place), .. }) if told == message => format!("{message} (at {place})"),
        _ => message,
    }
}

fn crash(payload: &(dyn Any + Send)) -> Crash {
    let message = text(payload);
    let crash = Crash::new(&message);
    // Whoever catches panics of its own may have had another one before.
    match LAST.take().filter(|last| last.message == message) {
        Some(Panic { place: Some(place), backtrace, .. }) => crash.at(place).with(backtrace),
        _ => crash,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn caught(call: impl FnOnce()) -> Result<Crash, String> {
        match catch(call) {
            Ok(()) => panic!("nothing was caught"),
            Err(Caught::System(crash)) => Ok(crash),
            Err(Caught::Glue(message)) => Err(message),
        }
    }

    #[test]
    fn panics_of_the_system_have_a_message_and_a_place() {
        let line = line!() + 1;
        let crash = caught(|| panic!("the answer is {}", 42)).expect("a crash");
        assert_eq!(crash.message, "the answer is 42");
        assert_eq!(crash.place, Some(format!("{}:{line}:31", file!())));
        let crash = caught(|| assert_eq!(1, 2)).expect("a crash");
        assert_eq!(crash.message, "assertion `left == right` failed");
        assert_eq!(crash.details[..2], ["  left: 1", " right: 2"]);
        assert_eq!(caught(|| panic_any(7)).expect("a crash").message, "a panic without a message");
        // A panic that was passed on is the one that it was.
        let crash = caught(|| {
            let other = catch_unwind(|| panic!("first")).expect_err("a panic");
            let _ = catch_unwind(|| panic!("second"));
            resume_unwind(other);
        });
        assert_eq!(crash, Ok(Crash::new("first")));
    }

    #[test]
    fn panics_of_the_glue_are_told_apart() {
        let line = line!() + 1;
        let glue_of = |text: &'static str| caught(move || glue(|| panic!("{text}"))).expect_err("no crash");
        assert_eq!(glue_of("oh"), format!("oh (at {}:{line}:67)", file!()));
        assert!(caught(|| give_up("no".into())).expect_err("no crash").starts_with("no (at "));
        assert!(caught(|| glue(|| glue(|| give_up("no".into())))).expect_err("no crash").starts_with("no (at "));
        assert_eq!(glue(|| 7), 7);
        // Elsewhere it is a panic like any other.
        let payload = catch_unwind(|| glue(|| std::panic::panic_any("no"))).expect_err("a panic");
        assert_eq!(payload.downcast_ref::<&str>(), Some(&"no"));
    }

    #[test]
    fn backtraces_begin_where_the_panic_was() {
        let text = "   0: std::panicking::begin_panic\n   1: core::panicking::panic_fmt\n             at x.rs:1\n   \
                    2: tank::drain\n             at src/lib.rs:9\n   3: <a::in_process::InProcess<S> as Sut>::send\n   \
                    4: sioco_adapter::in_process::panics::catch\n   5: main\n";
        assert_eq!(frames(text), ["   2: tank::drain", "             at src/lib.rs:9"]);
        assert_eq!(frames("   0: main"), ["   0: main"]);
        assert_eq!(frames(""), Vec::<String>::new());
    }
}
