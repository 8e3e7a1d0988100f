//! Room for deep terms.
//!
//! Conditions of terms nest a few times as deep as the terms, and several functions call each other on the way down.
//! What is deep is therefore worked on in a thread with a stack of its own.

/// Up to this depth any thread has room.
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
