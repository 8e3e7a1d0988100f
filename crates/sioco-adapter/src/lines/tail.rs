//! The last lines of a stream that nobody waits for, such as standard error.

use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Read};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::{KEPT_LINES, SHOWN, later, shorten};

/// Lines that belong together come without a longer pause between them.
const PAUSE: Duration = Duration::from_millis(20);

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
    /// Whether the stream ended.
    over: bool,
}

impl Tail {
    /// Reads a stream to its end, on a new thread, and keeps its last lines.
    pub fn of(stream: impl Read + Send + 'static, name: &str) -> io::Result<Arc<Tail>> {
        let tail = Arc::new(Tail::default());
        let kept = tail.clone();
        let read = move || {
            let mut reader = BufReader::with_capacity(1 << 16, stream);
            let mut line = Vec::new();
            // A line that is too long comes in pieces.
            while let Ok(1..) = reader.by_ref().take(1 << 16).read_until(b'\n', &mut line) {
                kept.push(&String::from_utf8_lossy(&line[..line.len().min(4 * SHOWN)]));
                line.clear();
            }
            kept.lock().over = true;
            kept.changed.notify_all();
        };
        thread::Builder::new().name(name.into()).spawn(read)?;
        Ok(tail)
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn push(&self, line: &str) {
        let line = line.trim_end();
        let mut kept = self.lock();
        if kept.lines.len() == KEPT_LINES {
            kept.lines.pop_front();
        }
        kept.lines.push_back(shorten(line));
        kept.count += 1;
        drop(kept);
        self.changed.notify_all();
    }

    /// The lines, oldest first.
    pub fn last(&self) -> Vec<String> {
        self.lock().lines.iter().cloned().collect()
    }

    /// How many lines there were so far.
    pub fn count(&self) -> u64 {
        self.lock().count
    }

    /// The last ones of the lines after so many, oldest first. Something new is waited for, and then whatever comes with it;
    /// but no longer than this in all.
    pub fn since(&self, count: u64, patience: Duration) -> Vec<String> {
        let until = later(patience);
        let mut kept = self.lock();
        loop {
            let known = kept.count;
            let left = until.saturating_duration_since(Instant::now());
            let wait = if known > count { left.min(PAUSE) } else { left };
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
        let mut kept = self.lock();
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
    fn the_last_lines_are_kept() {
        let text: String = (0..200).map(|i| format!("line {i}\n")).collect::<String>() + &"y".repeat(1 << 20);
        let tail = Tail::of(io::Cursor::new(text), "test").unwrap();
        tail.wait(Duration::from_secs(20));
        let last = tail.last();
        assert_eq!(last.len(), KEPT_LINES);
        assert!(last[0].starts_with("line 1") && last[KEPT_LINES - 1].chars().count() == SHOWN + 1, "{last:?}");
    }
}
