//! The last lines of a stream that nobody waits for, such as standard error.
//!
//! A thread reads the stream, so that its writer is never held up. The thread may be late on a busy machine. So a
//! caller that asks for the last lines first reads what is in the stream. Then a caller that knows of an event also
//! knows the lines that were written before it.

use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::{KEPT_LINES, SHOWN, later, shorten};

/// Lines that belong together come without a longer pause between them. A program writes a stack trace within a
/// millisecond; a busy machine may interrupt it for some.
const LINE_PAUSE: Duration = Duration::from_millis(20);
/// A line that is longer comes in pieces. Only the beginning of a line is shown, so a longer one need not be in memory
/// as a whole.
const PIECE: usize = 1 << 16;

/// The last lines of something.
#[derive(Default)]
pub struct Tail {
    kept: Mutex<Kept>,
    changed: Condvar,
}

#[derive(Default)]
struct Kept {
    lines: VecDeque<String>,
    /// How many lines there were in all.
    count: u64,
    /// The beginning of the next one.
    part: Vec<u8>,
    /// Whether the stream ended.
    over: bool,
    #[cfg(unix)]
    stream: Option<Box<dyn Readable>>,
}

impl Kept {
    fn push(&mut self, line: &str) {
        if self.lines.len() == KEPT_LINES {
            self.lines.pop_front();
        }
        self.lines.push_back(shorten(line.trim_end()));
        self.count += 1;
    }

    /// Takes what was read; nothing is the end.
    fn feed(&mut self, mut bytes: &[u8]) {
        self.over |= bytes.is_empty();
        while let Some(end) = bytes.iter().position(|b| *b == b'\n') {
            self.part.extend_from_slice(&bytes[..end]);
            self.end_line();
            bytes = &bytes[end + 1..];
        }
        self.part.extend_from_slice(bytes);
        if self.part.len() >= PIECE || (self.over && !self.part.is_empty()) {
            self.end_line();
        }
    }

    fn end_line(&mut self) {
        let line = std::mem::take(&mut self.part);
        self.push(&String::from_utf8_lossy(&line[..line.len().min(4 * SHOWN)]));
    }
}

#[cfg(unix)]
pub(crate) use polled::Readable;

#[cfg(unix)]
mod polled {
    use super::*;
    use crate::lines::source::is_ready;
    use nix::poll::PollFlags;
    use std::io::Read;
    use std::os::fd::AsFd;

    /// The thread waits this long at once: nobody wakes it but the stream. Any time will do that is not worth the
    /// waking.
    const ENDLESS: Duration = Duration::from_secs(3600);
    /// This many bytes are read at once: what a pipe of Linux holds.
    const CHUNK: usize = 1 << 16;
    /// The thread reads this often in a row before it lets others at what it has: some programs never stop writing, and
    /// one megabyte is more than is kept.
    const READS: usize = 16;

    /// A stream of which the system says whether something is there.
    pub(crate) trait Readable: Read + AsFd + Send {}

    impl<S: Read + AsFd + Send> Readable for S {}

    impl Tail {
        /// Reads a stream to its end, on a new thread, and keeps its last lines.
        pub fn of(stream: impl Read + AsFd + Send + 'static, name: &str) -> io::Result<Arc<Tail>> {
            let watched = stream.as_fd().try_clone_to_owned()?;
            let tail = Arc::new(Tail::default());
            tail.lock().stream = Some(Box::new(stream));
            let kept = tail.clone();
            let read = move || {
                while !kept.lock().over {
                    match is_ready(&watched, PollFlags::POLLIN, ENDLESS) {
                        Ok(true) => drop(kept.up_to_date()),
                        Ok(false) => {}
                        Err(_) => kept.lock().over = true,
                    }
                }
                kept.changed.notify_all();
            };
            thread::Builder::new().name(name.into()).spawn(read)?;
            Ok(tail)
        }

        /// What is kept, with all that was written until now.
        pub(super) fn up_to_date(&self) -> MutexGuard<'_, Kept> {
            let mut kept = self.lock();
            let mut chunk = [0; CHUNK];
            let before = kept.count;
            for _ in 0..READS {
                let Some(stream) = kept.stream.as_mut() else { break };
                match is_ready(&stream.as_fd(), PollFlags::POLLIN, Duration::ZERO) {
                    Ok(true) => {}
                    Ok(false) => break,
                    Err(_) => {
                        kept.feed(&[]);
                        break;
                    }
                }
                let read = match stream.read(&mut chunk) {
                    Ok(n) => n,
                    Err(error) if matches!(error.kind(), io::ErrorKind::Interrupted | io::ErrorKind::WouldBlock) => {
                        continue;
                    }
                    Err(_) => 0,
                };
                kept.feed(&chunk[..read]);
                if kept.over {
                    kept.stream = None;
                }
            }
            if kept.over || kept.count > before {
                self.changed.notify_all();
            }
            kept
        }
    }
}

#[cfg(not(unix))]
impl Tail {
    /// Reads a stream to its end, on a new thread, and keeps its last lines.
    pub fn of(mut stream: impl io::Read + Send + 'static, name: &str) -> io::Result<Arc<Tail>> {
        let tail = Arc::new(Tail::default());
        let kept = tail.clone();
        let read = move || {
            let mut chunk = vec![0; PIECE];
            while !kept.lock().over {
                let read = match stream.read(&mut chunk) {
                    Ok(n) => n,
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                    Err(_) => 0,
                };
                kept.lock().feed(&chunk[..read]);
                kept.changed.notify_all();
            }
        };
        thread::Builder::new().name(name.into()).spawn(read)?;
        Ok(tail)
    }

    /// What is kept; the thread may be late.
    fn up_to_date(&self) -> MutexGuard<'_, Kept> {
        self.lock()
    }
}

impl Tail {
    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn push(&self, line: &str) {
        self.lock().push(line);
        self.changed.notify_all();
    }

    /// The lines, oldest first.
    pub fn last(&self) -> Vec<String> {
        self.up_to_date().lines.iter().cloned().collect()
    }

    /// How many lines there were so far.
    pub fn count(&self) -> u64 {
        self.up_to_date().count
    }

    /// The last ones of the lines after so many, oldest first. Something new is waited for, and then whatever comes with it;
    /// but no longer than this in all.
    pub fn since(&self, count: u64, patience: Duration) -> Vec<String> {
        let until = later(patience);
        let mut kept = self.up_to_date();
        loop {
            let known = kept.count;
            let left = until.saturating_duration_since(Instant::now());
            let wait = if known > count { left.min(LINE_PAUSE) } else { left };
            if kept.over || wait.is_zero() {
                break;
            }
            let timeout;
            (kept, timeout) = self.changed.wait_timeout(kept, wait).unwrap_or_else(PoisonError::into_inner);
            if timeout.timed_out() && kept.count == known && known > count {
                break;
            }
        }
        let new = usize::try_from(kept.count.saturating_sub(count)).unwrap_or(usize::MAX);
        kept.lines.iter().skip(kept.lines.len().saturating_sub(new)).cloned().collect()
    }

    /// Waits for the end of the stream, but no longer than this.
    pub fn wait(&self, patience: Duration) {
        let until = later(patience);
        let mut kept = self.up_to_date();
        while !kept.over {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            kept = self.changed.wait_timeout(kept, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_lines_are_told_from_old_ones() {
        let (reader, mut writer) = io::pipe().unwrap();
        let tail = Tail::of(reader, "test").unwrap();
        let long = Duration::from_secs(20);
        io::Write::write_all(&mut writer, b"a\nb\n").unwrap();
        while tail.count() < 2 {
            thread::yield_now();
        }
        assert_eq!(tail.since(0, long), ["a", "b"]);
        let mark = tail.count();
        assert_eq!(tail.since(mark, Duration::from_millis(1)), Vec::<String>::new());
        io::Write::write_all(&mut writer, b"c\n").unwrap();
        assert_eq!(tail.since(mark, long), ["c"]);
        io::Write::write_all(&mut writer, "d\n".repeat(2 * KEPT_LINES).as_bytes()).unwrap();
        drop(writer);
        tail.wait(long);
        assert_eq!(tail.since(mark, long).len(), KEPT_LINES);
        assert_eq!(tail.since(tail.count(), long), Vec::<String>::new());
    }

    #[test]
    #[cfg(unix)]
    fn what_was_written_is_known_however_late_the_thread_is() {
        let (reader, mut writer) = io::pipe().unwrap();
        let mut tail = Tail::default();
        // As if it never got to run.
        tail.kept.get_mut().unwrap().stream = Some(Box::new(reader));
        io::Write::write_all(&mut writer, b"a\nb").unwrap();
        assert_eq!((tail.count(), tail.last()), (1, vec!["a".to_owned()]));
        io::Write::write_all(&mut writer, b"c\n").unwrap();
        assert_eq!(tail.since(1, Duration::ZERO), ["bc"]);
        io::Write::write_all(&mut writer, b"d").unwrap();
        drop(writer);
        tail.wait(Duration::ZERO);
        assert_eq!(tail.since(2, Duration::ZERO), ["d"]);
    }

    #[test]
    fn the_last_lines_are_kept() {
        let text: String = (0..200).map(|i| format!("line {i}\n")).collect::<String>() + &"y".repeat(1 << 20);
        let (reader, mut writer) = io::pipe().unwrap();
        let tail = Tail::of(reader, "test").unwrap();
        io::Write::write_all(&mut writer, text.as_bytes()).unwrap();
        drop(writer);
        tail.wait(Duration::from_secs(20));
        let last = tail.last();
        assert_eq!(last.len(), KEPT_LINES);
        assert!(last[0].starts_with("line 1") && last[KEPT_LINES - 1].chars().count() == SHOWN + 1, "{last:?}");
    }
}
