//! Room for deep terms.
//!
//! The conditions of a term nest a few times as deep as the term itself, and several functions call each other on the
//! way down. So deep terms are processed in a thread with a large stack of its own.

/// Up to this depth any thread has room: at twenty kilobytes a level it fits 2 MiB.
const SHALLOW: u32 = 100;
/// Enough for terms of several times the depth that models may have; only what is used of it takes memory.
const STACK: usize = 256 << 20;

/// Does the work where there is room for terms of the depth.
pub(super) fn with_room<T: Send>(depth: u32, work: impl FnOnce() -> T + Send) -> T {
    if depth <= SHALLOW {
        return work();
    }
    let mut work = Some(work);
    let mut run = || work.take().map(|work| work());
    let done = std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("logic".into()).stack_size(STACK);
        let thread = thread.spawn_scoped(scope, &mut run).ok()?;
        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    });
    // Without a thread there is still this one.
    done.or_else(run).expect("the work was done once, there or here")
}
