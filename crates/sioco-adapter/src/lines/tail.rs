//! The last lines of a stream that nobody waits for, such as standard error.

use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Read};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::{KEPT_LINES, SHOWN, later, shorten};

/// The last lines of something.
#[derive(Default)]
pub struct Tail {
    kept: Mutex<(VecDeque<String>, bool)>,
    changed: Condvar,
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
            kept.lock().1 = true;
            kept.changed.notify_all();
        };
        thread::Builder::new().name(name.into()).spawn(read)?;
        Ok(tail)
    }

    fn lock(&self) -> MutexGuard<'_, (VecDeque<String>, bool)> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn push(&self, line: &str) {
        let line = line.trim_end();
        let mut kept = self.lock();
        if kept.0.len() == KEPT_LINES {
            kept.0.pop_front();
        }
        kept.0.push_back(shorten(line));
    }

    /// The lines, oldest first.
    pub fn last(&self) -> Vec<String> {
        self.lock().0.iter().cloned().collect()
    }

    /// Waits for the end of the stream, but no longer than this.
    pub fn wait(&self, patience: Duration) {
        let until = later(patience);
        let mut kept = self.lock();
        while !kept.1 {
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
    fn the_last_lines_are_kept() {
        let text: String = (0..200).map(|i| format!("line {i}\n")).collect::<String>() + &"y".repeat(1 << 20);
        let tail = Tail::of(io::Cursor::new(text), "test").unwrap();
        tail.wait(Duration::from_secs(20));
        let last = tail.last();
        assert_eq!(last.len(), KEPT_LINES);
        assert!(last[0].starts_with("line 1") && last[KEPT_LINES - 1].chars().count() == SHOWN + 1, "{last:?}");
    }
}
