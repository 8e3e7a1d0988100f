//! The few functions of the Z3 library that are used, and the only unsafe code.
//!
//! The library is opened at run time, so sioco builds and runs without it. The functions have had the same signatures
//! since Z3 4.6.
#![allow(unsafe_code)]

use std::cell::Cell;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::fmt;
use std::path::Path;
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, PoisonError};

use libloading::Library;

type Config = *mut c_void;
type RawContext = *mut c_void;
type ErrorHandler = extern "C" fn(RawContext, c_int);
/// What C++ calls when an exception is caught by nobody; null for the usual one.
type Terminate = Option<unsafe extern "C" fn()>;

/// The library, open.
pub struct Z3Library {
    mk_config: unsafe extern "C" fn() -> Config,
    del_config: unsafe extern "C" fn(Config),
    mk_context: unsafe extern "C" fn(Config) -> RawContext,
    del_context: unsafe extern "C" fn(RawContext),
    set_error_handler: unsafe extern "C" fn(RawContext, ErrorHandler),
    eval: unsafe extern "C" fn(RawContext, *const c_char) -> *const c_char,
    interrupt: unsafe extern "C" fn(RawContext),
    global_param_set: unsafe extern "C" fn(*const c_char, *const c_char),
    version: String,
    /// Last, so that it is closed after nothing uses the functions any more.
    _library: Library,
}

/// By default an error ends the process; what went wrong is in the answer anyway.
extern "C" fn ignore_error(_: RawContext, _: c_int) {}

thread_local! {
    /// See [`on_break_down`].
    static BREAK_DOWN: Cell<Option<Box<dyn FnOnce()>>> = const { Cell::new(None) };
}

/// What C++ did before with an exception that nobody catches.
static BEFORE: Mutex<Terminate> = Mutex::new(None);

/// Says what is done if Z3 breaks down on this thread, which then stays where it is for ever.
///
/// Some versions of Z3 throw exceptions out of functions that must not throw, for instance if they reach a limit while
/// they clean up. C++ ends the whole process then, unless its handler does not return: nothing else may be done on that
/// thread, as nothing on its stack is tidied up.
pub(super) fn on_break_down(tell: impl FnOnce() + 'static) {
    BREAK_DOWN.set(Some(Box::new(tell)));
}

extern "C" fn terminate() {
    if let Some(tell) = BREAK_DOWN.try_with(Cell::take).ok().flatten() {
        tell();
        loop {
            std::thread::park();
        }
    }
    let before = *BEFORE.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(before) = before {
        // SAFETY: C++ gave it as its handler, and would have called it here.
        unsafe { before() }
    }
    std::process::abort();
}

/// Has [`terminate`] called where C++ would end the process. The function is a part of the C++ library that Z3 stands
/// on; if it has another name there, a breakdown ends the process as ever.
///
/// # Safety
///
/// The library must be Z3, or not be able to do anything with C++.
unsafe fn guard(library: &Library) {
    // SAFETY: the name says the type: `std::set_terminate(void (*)())`.
    unsafe {
        let Ok(set) = library.get::<unsafe extern "C" fn(Terminate) -> Terminate>(b"_ZSt13set_terminatePFvvE\0") else {
            return;
        };
        let before = set(Some(terminate));
        if before.is_none_or(|f| f as usize != terminate as extern "C" fn() as usize) {
            *BEFORE.lock().unwrap_or_else(PoisonError::into_inner) = before;
        }
    }
}

/// Why Z3 does not do what it should: it, or the way in which it is installed, is to blame.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LibraryError {
    /// It cannot be opened, or is no Z3; as the operating system says it.
    Unopened(String),
    /// It makes no context.
    NoContext,
    /// A command cannot be handed over, since it has a zero byte in it.
    ZeroByte,
    /// It says nothing, not even that it has nothing to say.
    NoAnswer,
}

impl fmt::Display for LibraryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LibraryError::Unopened(why) => f.write_str(why),
            LibraryError::NoContext => f.write_str("it gave no context"),
            LibraryError::ZeroByte => f.write_str("a command has a zero byte in it"),
            LibraryError::NoAnswer => f.write_str("it gave no answer"),
        }
    }
}

impl std::error::Error for LibraryError {}

impl Z3Library {
    /// Opens the library.
    pub fn open(path: &Path) -> Result<Arc<Z3Library>, LibraryError> {
        let said = |error: libloading::Error| LibraryError::Unopened(error.to_string());
        // SAFETY: opening a library runs its initialisers, which is what the user wants by naming or installing it.
        // The symbols have the types that Z3's C header gives them, and the library outlives them as it is kept
        // beside them.
        unsafe {
            let library = Library::new(path).map_err(said)?;
            let full_version: unsafe extern "C" fn() -> *const c_char =
                *library.get(b"Z3_get_full_version\0").map_err(said)?;
            guard(&library);
            let version = full_version();
            let version = match version.is_null() {
                true => String::new(),
                // The text is static in Z3.
                false => CStr::from_ptr(version).to_string_lossy().trim_start_matches("Z3 ").to_owned(),
            };
            Ok(Arc::new(Z3Library {
                mk_config: *library.get(b"Z3_mk_config\0").map_err(said)?,
                del_config: *library.get(b"Z3_del_config\0").map_err(said)?,
                mk_context: *library.get(b"Z3_mk_context\0").map_err(said)?,
                del_context: *library.get(b"Z3_del_context\0").map_err(said)?,
                set_error_handler: *library.get(b"Z3_set_error_handler\0").map_err(said)?,
                eval: *library.get(b"Z3_eval_smtlib2_string\0").map_err(said)?,
                interrupt: *library.get(b"Z3_interrupt\0").map_err(said)?,
                global_param_set: *library.get(b"Z3_global_param_set\0").map_err(said)?,
                version,
                _library: library,
            }))
        }
    }

    /// The version, such as `4.8.12.0`.
    pub fn version(&self) -> &str {
        &self.version
    }
}

/// A Z3 context: everything that one solver knows.
pub struct Context {
    raw: Raw,
    library: Arc<Z3Library>,
}

#[derive(Clone, Copy)]
struct Raw(NonNull<c_void>);

// SAFETY: Z3 keeps nothing per thread; a context may be used from any thread, one at a time, which `&mut self` of
// `Context::eval` sees to. `Z3_interrupt` is made for being called from other threads meanwhile.
unsafe impl Send for Raw {}

/// Held while a context is made: what contexts start with is a setting of the whole library.
static MAKING: Mutex<()> = Mutex::new(());

impl Context {
    /// A new context, which can tell unsat cores or is fast.
    pub fn new(library: &Arc<Z3Library>, cores: bool) -> Result<Context, LibraryError> {
        let _guard = MAKING.lock().unwrap_or_else(PoisonError::into_inner);
        let set = |value: &CStr| {
            if cores {
                // SAFETY: both texts end with a zero byte and are copied by Z3.
                unsafe { (library.global_param_set)(c"unsat_core".as_ptr(), value.as_ptr()) }
            }
        };
        set(c"true");
        let context = Self::plain(library).and_then(|mut context| {
            // The first command is what reads the settings.
            context.eval("(set-option :print-success false)").map(|_| context)
        });
        set(c"false");
        context
    }

    fn plain(library: &Arc<Z3Library>) -> Result<Context, LibraryError> {
        // SAFETY: as Z3's header has it: the configuration is made, used and deleted here; the handler is a function
        // that lives for ever.
        let raw = unsafe {
            let config = (library.mk_config)();
            let raw = (library.mk_context)(config);
            (library.del_config)(config);
            if !raw.is_null() {
                (library.set_error_handler)(raw, ignore_error);
            }
            raw
        };
        let raw = Raw(NonNull::new(raw).ok_or(LibraryError::NoContext)?);
        Ok(Context { raw, library: Arc::clone(library) })
    }

    /// Has SMT-LIB commands executed, and gives what they print.
    pub fn eval(&mut self, commands: &str) -> Result<String, LibraryError> {
        let commands = CString::new(commands).map_err(|_| LibraryError::ZeroByte)?;
        // SAFETY: the context is alive until `self` is dropped. The answer belongs to the context and is valid until
        // the next call, and it is copied before.
        unsafe {
            let answer = (self.library.eval)(self.raw.0.as_ptr(), commands.as_ptr());
            if answer.is_null() {
                return Err(LibraryError::NoAnswer);
            }
            Ok(CStr::from_ptr(answer).to_string_lossy().into_owned())
        }
    }

    /// Does what C++ does with an exception that nobody catches.
    #[cfg(test)]
    pub(super) fn break_down(&self) -> ! {
        // SAFETY: the name says the type: `std::terminate()`, which does not return.
        unsafe {
            let terminate = self.library._library.get::<unsafe extern "C" fn() -> !>(b"_ZSt9terminatev\0");
            terminate.expect("std::terminate")()
        }
    }

    /// A function that interrupts what the context is doing. It must not be called once the context is gone.
    pub(super) fn interrupter(&self) -> Interrupter {
        Interrupter { raw: self.raw, library: Arc::clone(&self.library) }
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: nothing else refers to the context: the owner of an interrupter drops it first.
        unsafe { (self.library.del_context)(self.raw.0.as_ptr()) }
    }
}

/// See [`Context::interrupter`].
pub(super) struct Interrupter {
    raw: Raw,
    library: Arc<Z3Library>,
}

impl Interrupter {
    pub(super) fn interrupt(&self) {
        // SAFETY: only a seat has one, and interrupts only what it waits for; the context is deleted when the seat
        // is gone.
        unsafe { (self.library.interrupt)(self.raw.0.as_ptr()) }
    }
}
