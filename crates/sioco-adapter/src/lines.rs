//! Lines from and to a stream, each direction on a thread of its own.
//!
//! The other side is another program, so anything may come, at any speed and without an end. What waits to be
//! processed is bounded: the thread that reads stops reading when nobody takes its lines, and the other side is held
//! up in turn. A line may not be longer than a limit, and nothing is kept of what comes after one that is. Waits have a
//! deadline, are ended by an [`Interrupt`], and take no processor time.

use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Set by whoever wants everything to end, such as Ctrl-C.
pub type Interrupt = Arc<AtomicBool>;

/// The longest line, in bytes.
pub const MAX_LINE: usize = 1 << 20;
/// How many lines of standard error, and of what is no message, are kept.
pub const KEPT_LINES: usize = 50;

/// How many bytes of lines wait at most, unless a single line is longer.
const MAX_WAITING: usize = 1 << 20;
/// What a line takes besides its text.
const OVERHEAD: usize = 64;
/// How many bytes wait to be written, unless a single line is longer.
const MAX_UNWRITTEN: usize = 1 << 16;
/// How much of a line is kept or shown.
const SHOWN: usize = 400;
/// How often a wait looks whether somebody wants everything to end.
const SLICE: Duration = Duration::from_millis(25);

/// What a stream brought.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Line {
    /// A line that may be a message, without its end.
    Text(String),
    /// The stream ended inside of this line.
    Partial(String),
    /// Something that is no line; nothing after it is read. In words.
    Bad(String),
    /// The stream ended; with an error, if it was one.
    End(Option<String>),
}

/// What a wait for a line brought.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Next {
    /// A line, or the end.
    Line(Line),
    /// Nothing came in time.
    Nothing,
    /// Somebody wants everything to end.
    Interrupted,
}

/// The lines of a stream that may be messages. Others are [logs](Lines::logs).
pub struct Lines {
    shared: Arc<Shared<Incoming>>,
    logs: Arc<Tail>,
}

/// A value that two threads share, and wait for each other with.
struct Shared<T> {
    value: Mutex<T>,
    changed: Condvar,
}

impl<T> Shared<T> {
    fn new(value: T) -> Arc<Shared<T>> {
        Arc::new(Shared { value: Mutex::new(value), changed: Condvar::new() })
    }

    fn lock(&self) -> MutexGuard<'_, T> {
        self.value.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, guard: MutexGuard<'a, T>, time: Duration) -> MutexGuard<'a, T> {
        self.changed.wait_timeout(guard, time).unwrap_or_else(PoisonError::into_inner).0
    }
}

#[derive(Default)]
struct Incoming {
    lines: VecDeque<Line>,
    bytes: usize,
    /// The last thing that came; it comes again and again.
    end: Option<Line>,
    /// Nobody takes lines any more.
    dropped: bool,
    /// The beginning of a line is there, and its end is not.
    half: bool,
}

impl Lines {
    /// Reads a stream to its end, on a new thread. The thread ends with the stream, at the latest: whoever drops the
    /// lines should see to it that the stream ends as well.
    pub fn of(stream: impl Read + Send + 'static, name: &str) -> io::Result<Lines> {
        let (shared, logs) = (Shared::new(Incoming::default()), Arc::new(Tail::default()));
        let (to, kept) = (shared.clone(), logs.clone());
        thread::Builder::new().name(name.into()).spawn(move || pass_on(stream, &to, &kept))?;
        Ok(Lines { shared, logs })
    }

    /// The next line, as soon as there is one, until some time. After the end, it is the end again.
    pub fn next(&self, until: Instant, interrupt: &AtomicBool) -> Next {
        let mut incoming = self.shared.lock();
        loop {
            if interrupt.load(Ordering::Relaxed) {
                return Next::Interrupted;
            }
            if let Some(line) = incoming.lines.pop_front() {
                incoming.bytes -= weight(&line);
                self.shared.changed.notify_all();
                return Next::Line(line);
            }
            if let Some(end) = &incoming.end {
                return Next::Line(end.clone());
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Next::Nothing;
            }
            incoming = self.shared.wait(incoming, left.min(SLICE));
        }
    }

    /// Whether the beginning of a line is there that may become a message, and its end is not.
    pub fn is_half(&self) -> bool {
        let incoming = self.shared.lock();
        incoming.half && incoming.lines.is_empty() && incoming.end.is_none()
    }

    /// The last lines that are no messages, oldest first.
    pub fn logs(&self) -> Vec<String> {
        self.logs.last()
    }

    /// Keeps a line as a log that turned out to be no message after all.
    pub fn log(&self, line: &str) {
        self.logs.push(line);
    }
}

impl Drop for Lines {
    fn drop(&mut self) {
        self.shared.lock().dropped = true;
        self.shared.changed.notify_all();
    }
}

fn weight(line: &Line) -> usize {
    match line {
        Line::Text(text) | Line::Partial(text) | Line::Bad(text) => text.len() + OVERHEAD,
        Line::End(_) => OVERHEAD,
    }
}

/// Whether JSON may begin like this. Everything else is a log.
fn may_be_json(line: &[u8]) -> bool {
    let words: [&[u8]; 3] = [b"true", b"false", b"null"];
    matches!(line.first(), Some(b'{' | b'[' | b'"' | b'-' | b'0'..=b'9')) || words.iter().any(|w| line.starts_with(w))
}

/// Splits a stream into lines. Lines that are surely no messages stay here, so that a flood of them holds up nothing.
fn pass_on(stream: impl Read, to: &Shared<Incoming>, logs: &Tail) {
    let mut reader = BufReader::with_capacity(1 << 16, stream);
    let mut line = Vec::new();
    loop {
        line.clear();
        let end = match read_line(&mut reader, &mut line, to) {
            Ok(0) => Some(Line::End(None)),
            Ok(_) if line.last() == Some(&b'\n') => None,
            Ok(_) if line.len() > MAX_LINE => Some(Line::Bad(format!(
                "a line of more than {} MiB, which begins with {}",
                MAX_LINE >> 20,
                excerpt(&String::from_utf8_lossy(&line[..SHOWN]))
            ))),
            Ok(_) => Some(Line::End(None)),
            Err(error) => Some(Line::End(Some(error.to_string()))),
        };
        let text = line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&line).trim_ascii();
        let whole = end.is_none();
        if text.is_empty() || matches!(end, Some(Line::Bad(_))) {
        } else if !may_be_json(text) {
            logs.push(&String::from_utf8_lossy(&text[..text.len().min(4 * SHOWN)]));
            // A socket that is shut down still has what goes on to come.
            if to.lock().dropped {
                return;
            }
        } else {
            let line = match std::str::from_utf8(text) {
                Ok(text) if whole => Line::Text(text.to_owned()),
                Ok(text) => Line::Partial(text.to_owned()),
                // Half a character is no news of a stream that ends half-way.
                Err(_) if !whole => Line::Partial(String::from_utf8_lossy(text).into_owned()),
                Err(_) => {
                    let text = String::from_utf8_lossy(&text[..text.len().min(4 * SHOWN)]);
                    Line::Bad(format!("a line that is not UTF-8: {}", excerpt(&text)))
                }
            };
            let mut incoming = to.lock();
            while !incoming.lines.is_empty() && incoming.bytes + weight(&line) > MAX_WAITING && !incoming.dropped {
                incoming = to.changed.wait(incoming).unwrap_or_else(PoisonError::into_inner);
            }
            if incoming.dropped {
                return;
            }
            if matches!(line, Line::Bad(_)) {
                incoming.end = Some(line);
                to.changed.notify_all();
                return;
            }
            incoming.bytes += weight(&line);
            incoming.lines.push_back(line);
            to.changed.notify_all();
        }
        if end.is_some() {
            to.lock().end = end;
            to.changed.notify_all();
            return;
        }
    }
}

/// Reads to the end of a line, but no more than a line may have and one byte, for its end. Says how much there was.
fn read_line(reader: &mut impl BufRead, line: &mut Vec<u8>, to: &Shared<Incoming>) -> io::Result<usize> {
    loop {
        let there = match reader.fill_buf() {
            Ok(there) => there,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        let end = there.iter().position(|b| *b == b'\n').map(|at| at + 1);
        let room = MAX_LINE + 1 - line.len();
        let take = end.unwrap_or(there.len()).min(room);
        line.extend_from_slice(&there[..take]);
        reader.consume(take);
        let over = take == 0 || line.last() == Some(&b'\n') || line.len() > MAX_LINE;
        to.lock().half = !over && may_be_json(line.trim_ascii_start());
        if over {
            return Ok(line.len());
        }
    }
}

/// Why a line cannot be sent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum WriteError {
    /// The other side has not taken anything for too long.
    Stuck,
    /// The stream is closed, in words.
    Closed(String),
}

/// Writes lines to a stream, on a thread of its own.
pub struct LineWriter {
    shared: Arc<Shared<Outgoing>>,
}

#[derive(Default)]
struct Outgoing {
    lines: VecDeque<String>,
    bytes: usize,
    /// Since when the present line is being written.
    since: Option<Instant>,
    /// No more lines come.
    finished: bool,
    /// The thread is done: with everything, or since the stream broke.
    done: bool,
    broken: Option<String>,
}

impl LineWriter {
    /// Writes to a stream, on a new thread, which ends after [`finish`](LineWriter::finish) and closes the stream.
    pub fn to(stream: impl Write + Send + 'static, name: &str) -> io::Result<LineWriter> {
        let shared = Shared::new(Outgoing::default());
        let from = shared.clone();
        thread::Builder::new().name(name.into()).spawn(move || write_out(stream, &from))?;
        Ok(LineWriter { shared })
    }

    /// Hands over a line. Waits only while too much else waits, and no longer than this.
    pub fn send(&self, line: String, patience: Duration, interrupt: &AtomicBool) -> Result<(), WriteError> {
        let until = later(patience);
        let mut outgoing = self.shared.lock();
        loop {
            if let Some(why) = &outgoing.broken {
                return Err(WriteError::Closed(why.clone()));
            }
            // What is wanted then is the end; that a line is missing does not matter any more.
            if interrupt.load(Ordering::Relaxed) {
                return Ok(());
            }
            if outgoing.since.is_some_and(|since| since.elapsed() >= patience) {
                return Err(WriteError::Stuck);
            }
            if outgoing.lines.is_empty() || outgoing.bytes + line.len() <= MAX_UNWRITTEN {
                outgoing.bytes += line.len() + 1;
                outgoing.lines.push_back(line + "\n");
                self.shared.changed.notify_all();
                return Ok(());
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(WriteError::Stuck);
            }
            outgoing = self.shared.wait(outgoing, left.min(SLICE));
        }
    }

    /// For how long the other side has not taken what is there for it.
    pub fn stuck(&self) -> Duration {
        self.shared.lock().since.map_or(Duration::ZERO, |since| since.elapsed())
    }

    /// Why nothing can be written any more, if that is so.
    pub fn broken(&self) -> Option<String> {
        self.shared.lock().broken.clone()
    }

    /// Says that no more lines come: once they are all written, the stream is closed.
    pub fn finish(&self) {
        self.shared.lock().finished = true;
        self.shared.changed.notify_all();
    }

    /// Waits until everything is written, or cannot be; whether that was so in time.
    pub fn flush(&self, patience: Duration) -> bool {
        let until = later(patience);
        let mut outgoing = self.shared.lock();
        loop {
            if outgoing.done || (outgoing.lines.is_empty() && outgoing.since.is_none()) {
                return true;
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            outgoing = self.shared.wait(outgoing, left);
        }
    }
}

impl Drop for LineWriter {
    fn drop(&mut self) {
        self.finish();
    }
}

fn write_out(mut stream: impl Write, from: &Shared<Outgoing>) {
    let mut outgoing = from.lock();
    loop {
        if let Some(line) = outgoing.lines.pop_front() {
            outgoing.since = Some(Instant::now());
            drop(outgoing);
            let result = stream.write_all(line.as_bytes()).and_then(|()| stream.flush());
            outgoing = from.lock();
            outgoing.since = None;
            outgoing.bytes -= line.len();
            if let Err(error) = result {
                outgoing.broken = Some(error.to_string());
                outgoing.lines.clear();
                outgoing.done = true;
                from.changed.notify_all();
                return;
            }
            from.changed.notify_all();
        } else if outgoing.finished {
            outgoing.done = true;
            from.changed.notify_all();
            return;
        } else {
            outgoing = from.changed.wait(outgoing).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

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

    fn push(&self, line: &str) {
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

/// So much later than now; a time that clocks may not be able to show is just very late.
pub fn later(wait: Duration) -> Instant {
    Instant::now() + wait.min(Duration::from_secs(1_000_000_000))
}

/// Waits, unless somebody wants everything to end.
pub fn pause(wait: Duration, interrupt: &AtomicBool) {
    let until = later(wait);
    while !interrupt.load(Ordering::Relaxed) {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return;
        }
        thread::sleep(left.min(SLICE));
    }
}

/// A text in backquotes, as far as it can be shown in a sentence.
pub fn excerpt(text: &str) -> String {
    format!("`{}`", shorten(text.trim()))
}

/// A text without control characters, and without its end if it is long.
fn shorten(text: &str) -> String {
    let mut out: String = text.chars().take(SHOWN).map(|c| if c.is_control() && c != '\t' { ' ' } else { c }).collect();
    if out.len() < text.len() {
        out.push('…');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOON: Duration = Duration::from_millis(20);
    const LONG: Duration = Duration::from_secs(20);

    fn never() -> Interrupt {
        Interrupt::default()
    }

    fn all(text: &[u8]) -> (Vec<Line>, Vec<String>) {
        let lines = Lines::of(io::Cursor::new(text.to_vec()), "test").unwrap();
        let mut found = Vec::new();
        loop {
            let Next::Line(line) = lines.next(later(LONG), &never()) else { panic!("no end") };
            let last = matches!(line, Line::End(_) | Line::Bad(_));
            found.push(line);
            if last {
                return (found, lines.logs());
            }
        }
    }

    /// A stream that never ends, and counts what was taken of it.
    struct Endless(Vec<u8>, Arc<std::sync::atomic::AtomicU64>);

    impl Read for Endless {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let n = buffer.len().min(self.0.len());
            buffer[..n].copy_from_slice(&self.0[..n]);
            self.1.fetch_add(n as u64, Ordering::SeqCst);
            Ok(n)
        }
    }

    #[test]
    fn lines_are_split_and_logs_kept_apart() {
        let (lines, logs) = all(b"\xef\xbb\xbf{\"a\":1}\r\n\n  starting \xff up\n [x]\n{\"b\"");
        let text = |t: &str| Line::Text(t.into());
        assert_eq!(lines, [text("{\"a\":1}"), text("[x]"), Line::Partial("{\"b\"".into()), Line::End(None)]);
        assert_eq!(logs, ["starting \u{fffd} up"]);
    }

    /// A stream that gives what it is told to, and waits in between.
    struct Told(std::sync::mpsc::Receiver<&'static [u8]>);

    impl Read for Told {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let Ok(text) = self.0.recv() else { return Ok(0) };
            buffer[..text.len()].copy_from_slice(text);
            Ok(text.len())
        }
    }

    #[test]
    fn half_a_line_is_known_to_be_one() {
        let (tell, told) = std::sync::mpsc::channel();
        let lines = Lines::of(Told(told), "test").unwrap();
        let wait = |half: bool| {
            let until = later(LONG);
            while lines.is_half() != half {
                assert!(Instant::now() < until, "never");
                thread::yield_now();
            }
        };
        assert!(!lines.is_half());
        for (text, half) in [(&b"a log"[..], false), (b" goes on\n{\"a\"", true), (b":1", true)] {
            tell.send(text).unwrap();
            wait(half);
        }
        tell.send(b"}\n").unwrap();
        assert_eq!(lines.next(later(LONG), &never()), Next::Line(Line::Text("{\"a\":1}".into())));
        wait(false);
    }

    #[test]
    fn a_line_has_a_limit() {
        let exact = vec![b'1'; MAX_LINE];
        assert_eq!(all(&[exact.clone(), b"\n2\n".to_vec()].concat()).0.len(), 3);
        let long = [exact, b"1\n2\n".to_vec()].concat();
        let (lines, _) = all(&long);
        assert!(matches!(&lines[..], [Line::Bad(why)] if why.contains("1 MiB") && why.len() < 1000), "{lines:?}");
        let taken = Arc::default();
        let lines = Lines::of(Endless(vec![b'x'; 4096], Arc::clone(&taken)), "test").unwrap();
        let Next::Line(Line::Bad(_)) = lines.next(later(LONG), &never()) else { panic!("no limit") };
        assert!(taken.load(Ordering::SeqCst) < 2 * MAX_LINE as u64);
    }

    #[test]
    fn text_that_is_not_utf8_is_told() {
        let (lines, _) = all(b"{\"a\":\"\xff\"}\n1\n");
        assert!(matches!(&lines[..], [Line::Bad(why)] if why.contains("UTF-8")), "{lines:?}");
    }

    #[test]
    fn nobody_reads_what_nobody_takes() {
        let taken = Arc::default();
        let lines = Lines::of(Endless(b"{\"type\":\"output\"}\n".to_vec(), Arc::clone(&taken)), "test").unwrap();
        let mut before = 0;
        // Until it stands still: as much as may wait is read, and no more.
        loop {
            thread::sleep(SOON);
            let now = taken.load(Ordering::SeqCst);
            assert!(now < 2 * MAX_WAITING as u64, "{now} bytes, and nobody wants them");
            if now > 0 && now == before {
                break;
            }
            before = now;
        }
        // And then as much as is taken.
        for _ in 0..100_000 {
            assert!(matches!(lines.next(later(LONG), &never()), Next::Line(Line::Text(_))));
        }
        assert!(taken.load(Ordering::SeqCst) < 100_000 * 18 + 2 * MAX_WAITING as u64);
    }

    #[test]
    fn logs_hold_up_nothing_and_are_not_all_kept() {
        let text: String = (0..100_000).map(|i| format!("line {i}\n")).collect();
        let (lines, logs) = all((text + "{}\n").as_bytes());
        assert_eq!(lines.len(), 2);
        assert_eq!((logs.len(), logs[0].as_str()), (KEPT_LINES, "line 99950"));
    }

    #[test]
    fn waits_end() {
        let (ours, theirs) = io::pipe().unwrap();
        let lines = Lines::of(ours, "test").unwrap();
        let start = Instant::now();
        assert_eq!(lines.next(later(SOON), &never()), Next::Nothing);
        assert!(start.elapsed() >= SOON);
        assert_eq!(lines.next(Instant::now(), &never()), Next::Nothing);
        let interrupt = never();
        let seen = interrupt.clone();
        let other = thread::spawn(move || seen.store(true, Ordering::Relaxed));
        assert_eq!(lines.next(later(LONG), &interrupt), Next::Interrupted);
        other.join().unwrap();
        drop(theirs);
        assert_eq!(lines.next(later(LONG), &never()), Next::Line(Line::End(None)));
        assert_eq!(lines.next(later(LONG), &never()), Next::Line(Line::End(None)));
        assert!(start.elapsed() < LONG);
    }

    #[test]
    fn lines_are_written_in_order_and_the_stream_is_closed() {
        let (ours, theirs) = io::pipe().unwrap();
        let writer = LineWriter::to(theirs, "test").unwrap();
        for i in 0..1000 {
            writer.send(i.to_string(), LONG, &never()).unwrap();
        }
        writer.finish();
        let read = io::read_to_string(ours).unwrap();
        assert_eq!(read, (0..1000).map(|i| format!("{i}\n")).collect::<String>());
        assert!(writer.flush(LONG));
    }

    #[test]
    fn writing_to_nobody_is_told() {
        let (ours, theirs) = io::pipe().unwrap();
        let writer = LineWriter::to(theirs, "test").unwrap();
        let mut sent = 0;
        let error = loop {
            match writer.send("x".repeat(10_000), SOON, &never()) {
                Ok(()) => sent += 1,
                Err(error) => break error,
            }
            assert!(sent < 1000);
        };
        assert_eq!(error, WriteError::Stuck);
        let start = Instant::now();
        while writer.stuck() < SOON {
            assert!(!writer.flush(SOON) && start.elapsed() < LONG);
        }
        drop(ours);
        assert!(writer.flush(LONG));
        assert!(matches!(writer.send("x".into(), LONG, &never()), Err(WriteError::Closed(_))));
    }

    #[test]
    fn the_last_lines_are_kept() {
        let text: String = (0..200).map(|i| format!("line {i}\n")).collect::<String>() + &"y".repeat(1 << 20);
        let tail = Tail::of(io::Cursor::new(text), "test").unwrap();
        tail.wait(LONG);
        let last = tail.last();
        assert_eq!(last.len(), KEPT_LINES);
        assert!(last[0].starts_with("line 1") && last[KEPT_LINES - 1].chars().count() == SHOWN + 1, "{last:?}");
    }
}
