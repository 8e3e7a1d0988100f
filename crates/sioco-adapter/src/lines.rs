//! Streams as lines: [`Lines`] from one, a [`LineWriter`] to one, and the [`Tail`] of one.
//!
//! The other side is another program, so it may send anything, at any speed and without an end. The amount of
//! unprocessed data is bounded: if nobody takes the data, nothing more is read, and the other side is held up in
//! turn. Lines have a maximum length; after a line that is longer, nothing is kept. Waits have a deadline, and an
//! [`Interrupt`] ends them. They take no processor time, except for a moment if answers come within microseconds.

mod source;
mod tail;
mod writer;

use std::cell::RefCell;
use std::io;
#[cfg(not(unix))]
use std::io::Read;
use std::thread;
use std::time::{Duration, Instant};

use sioco_solve::Cancellation;

pub(crate) use source::{CHUNK, Source, Waiter};
pub use tail::Tail;
pub use writer::{LineWriter, Sink, WriteError};

/// Ends every wait, as it ends everything that is computed: by Ctrl-C, or by the clock. What a wait that was ended did not
/// bring says nothing.
pub type Interrupt = Cancellation;

/// The longest line, in bytes. A message of the protocol has some hundred bytes; a value may have [a million
/// characters](sioco_model::value::MAX_SIZE). A peer that never ends a line would otherwise fill the memory.
pub const MAX_LINE: usize = 1 << 20;
/// This many lines of standard error, and of what is no message, are kept: a screen. They are the last ones, which is
/// where the reason of an end stands.
pub const KEPT_LINES: usize = 50;

/// This many lines that are no messages may come one after the other, and have this many bytes. Whoever sends more will
/// never say anything; the log of a talkative start has some thousand lines.
const MAX_LOGS: usize = 1_000_000;
const MAX_LOG_BYTES: usize = 64 << 20;
/// At most this many bytes wait to be read, unless a single line is longer. Whoever sends more is held up by its pipe.
/// It is a whole longest line, so that reading one never waits for room.
const MAX_WAITING: usize = 1 << 20;
/// A wait that is over still reads this often, where there is nothing but logs: an answer may stand behind them. A
/// sender of endless logs could otherwise keep the wait from ending; each read takes up to 64 KiB.
const LAST_READS: u32 = 16;
/// At most this many bytes of a line are kept or shown: some five lines of a terminal. A message of the protocol fits;
/// the rest of a longer one says nothing more about what is wrong with it.
const SHOWN: usize = 400;
/// A wait looks this often whether somebody wants everything to end: with less than a frame of a film in between, nobody
/// notices the delay, and looking forty times a second costs nothing.
pub(crate) const INTERRUPT_CHECK: Duration = Duration::from_millis(25);
/// The exit status, and the last lines on standard error, of a program that closed its output or ended a connection are
/// waited for this long. Usually both are there within milliseconds; with less, a busy machine tells of an end without
/// its reason; with more, every program that runs on holds up its run.
pub(crate) const STATUS_WAIT: Duration = Duration::from_millis(300);
/// The last messages of an adapter or a system that is gone are waited for this long. What it wrote before its end is in
/// the pipe already, so that only the thread that reads has to get a turn. With less, a busy machine loses them; with
/// more, every end of a system takes longer.
pub(crate) const LAST_MESSAGE_WAIT: Duration = Duration::from_millis(100);

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

/// What a wait for bytes brought.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Raw {
    /// Some.
    Some,
    /// Nothing came in time.
    Nothing,
    /// The stream ended; with an error, if it was one.
    End(Option<String>),
    /// Somebody wants everything to end.
    Interrupted,
}

/// The lines of a stream that may be messages. Others are [logs](Lines::logs).
pub struct Lines {
    incoming: RefCell<Incoming>,
    logs: Tail,
}

/// What was read, and not taken yet.
struct Incoming {
    source: Box<dyn Source>,
    chunk: Box<[u8; CHUNK]>,
    bytes: Vec<u8>,
    /// How much of it was taken.
    taken: usize,
    /// How much of it has no end of a line, besides what was taken.
    searched: usize,
    /// How many lines that are no messages came since the last one that may be one, and their bytes.
    logged: usize,
    logged_bytes: usize,
    /// Nothing more is read: the stream ended like this. It comes again and again, once all else was taken.
    end: Option<Line>,
}

impl Lines {
    /// The lines of a stream.
    #[cfg(unix)]
    pub fn of(stream: impl io::Read + std::os::fd::AsFd + Send + 'static, _: &str) -> io::Result<Lines> {
        Ok(Lines::from(source::Polled::new(stream)))
    }

    /// The lines of a stream, read on a thread with this name.
    #[cfg(not(unix))]
    pub fn of(stream: impl Read + Send + 'static, name: &str) -> io::Result<Lines> {
        Ok(Lines::from(source::Threaded::new(stream, name)?))
    }

    /// The lines of whatever else brings bytes.
    pub(crate) fn from(source: impl Source + 'static) -> Lines {
        let incoming = Incoming {
            source: Box::new(source),
            chunk: Box::new([0; CHUNK]),
            bytes: Vec::new(),
            taken: 0,
            searched: 0,
            logged: 0,
            logged_bytes: 0,
            end: None,
        };
        Lines { incoming: RefCell::new(incoming), logs: Tail::default() }
    }

    /// The next line, as soon as there is one, until some time. After the end, it is the end again.
    pub fn next(&self, until: Instant, interrupt: &Interrupt) -> Next {
        let mut incoming = self.incoming.borrow_mut();
        let mut reads = 0;
        loop {
            if interrupt.is_over() {
                return Next::Interrupted;
            }
            if let Some(line) = incoming.take(&self.logs) {
                return Next::Line(line);
            }
            let left = until.saturating_duration_since(Instant::now());
            // Logs hold up nothing: there may be a message behind them.
            reads += u32::from(left.is_zero());
            if (!incoming.read(left.min(INTERRUPT_CHECK)) && left.is_zero()) || reads > LAST_READS {
                return Next::Nothing;
            }
        }
    }

    /// The next bytes, as soon as there are some, until some time: for who does not want lines. They are added to others.
    pub fn raw(&self, bytes: &mut Vec<u8>, until: Instant, interrupt: &Interrupt) -> Raw {
        let mut incoming = self.incoming.borrow_mut();
        loop {
            if interrupt.is_over() {
                return Raw::Interrupted;
            }
            if !incoming.left().is_empty() {
                bytes.extend_from_slice(incoming.left());
                (incoming.taken, incoming.searched) = (incoming.bytes.len(), 0);
                return Raw::Some;
            }
            match &incoming.end {
                Some(Line::End(error)) => return Raw::End(error.clone()),
                Some(_) => return Raw::End(None),
                None => {}
            }
            let left = until.saturating_duration_since(Instant::now());
            if !incoming.read(left.min(INTERRUPT_CHECK)) && left.is_zero() {
                return Raw::Nothing;
            }
        }
    }

    /// Reads what is there, as far as it may wait: the other side may not take anything before it got rid of it.
    pub fn pump(&self) {
        let mut incoming = self.incoming.borrow_mut();
        while incoming.end.is_none() && incoming.left().len() < MAX_WAITING && incoming.read(Duration::ZERO) {}
    }

    /// Whether the beginning of a line is there that may become a message, and its end is not.
    pub fn is_half(&self) -> bool {
        let incoming = self.incoming.borrow();
        let left = incoming.left();
        let half = !left.contains(&b'\n') && may_be_json(left.trim_ascii_start());
        incoming.end.is_none() && (half || incoming.source.is_half())
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

impl Incoming {
    fn left(&self) -> &[u8] {
        &self.bytes[self.taken..]
    }

    /// Reads once, if there is something within this time; whether there was, or will not be any more.
    fn read(&mut self, wait: Duration) -> bool {
        match self.source.read(&mut self.chunk, wait) {
            Ok(None) => return false,
            Ok(Some(0)) => self.end = Some(Line::End(None)),
            Ok(Some(n)) => {
                self.bytes.drain(..self.taken);
                self.taken = 0;
                self.bytes.extend_from_slice(&self.chunk[..n]);
            }
            // Bytes that are none of a line at all, by the rules of what carries them.
            Err(error) if error.kind() == io::ErrorKind::InvalidData => self.end = Some(Line::Bad(error.to_string())),
            Err(error) => self.end = Some(Line::End(Some(error.to_string()))),
        }
        true
    }

    /// The next line that may be a message, or the end, if it is there.
    fn take(&mut self, logs: &Tail) -> Option<Line> {
        loop {
            if let Some(Line::Bad(_)) = self.end {
                return self.end.clone();
            }
            let found = self.left()[self.searched..].iter().position(|b| *b == b'\n');
            let length = self.searched + found.unwrap_or(self.left().len() - self.searched);
            if length > MAX_LINE {
                let begin = String::from_utf8_lossy(&self.left()[..SHOWN]);
                let what = format!("a line of more than {} MiB, which begins with {}", MAX_LINE >> 20, excerpt(&begin));
                return self.give_up(what);
            }
            let whole = found.is_some();
            if !whole && self.end.is_none() {
                self.searched = length;
                return None;
            }
            let from = self.taken;
            self.taken += length + usize::from(whole);
            self.searched = 0;
            let line = &self.bytes[from..from + length];
            let text = line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line).trim_ascii();
            if text.is_empty() {
                if !whole {
                    return self.end.clone();
                }
            } else if !may_be_json(text) {
                let shown = String::from_utf8_lossy(&text[..text.len().min(4 * SHOWN)]).into_owned();
                logs.push(&shown);
                self.logged += 1;
                self.logged_bytes += length;
                if self.logged > MAX_LOGS || self.logged_bytes > MAX_LOG_BYTES {
                    let how = match self.logged > MAX_LOGS {
                        true => format!("{MAX_LOGS} lines"),
                        false => format!("{} MiB", MAX_LOG_BYTES >> 20),
                    };
                    return self.give_up(format!("more than {how} without a message, such as {}", excerpt(&shown)));
                }
            } else {
                (self.logged, self.logged_bytes) = (0, 0);
                match std::str::from_utf8(text) {
                    Ok(text) if whole => return Some(Line::Text(text.to_owned())),
                    Ok(text) => return Some(Line::Partial(text.to_owned())),
                    // Half a character is no news of a stream that ends half-way.
                    Err(_) if !whole => return Some(Line::Partial(String::from_utf8_lossy(text).into_owned())),
                    Err(_) => {
                        let begin = String::from_utf8_lossy(&text[..text.len().min(4 * SHOWN)]);
                        let what = format!("a line that is not UTF-8: {}", excerpt(&begin));
                        return self.give_up(what);
                    }
                }
            }
        }
    }

    fn give_up(&mut self, why: String) -> Option<Line> {
        (self.bytes, self.taken, self.searched) = (Vec::new(), 0, 0);
        self.end = Some(Line::Bad(why));
        self.end.clone()
    }
}

/// Whether JSON may begin like this. Everything else is a log.
fn may_be_json(line: &[u8]) -> bool {
    let words: [&[u8]; 3] = [b"true", b"false", b"null"];
    matches!(line.first(), Some(b'{' | b'[' | b'"' | b'-' | b'0'..=b'9')) || words.iter().any(|w| line.starts_with(w))
}

/// So much later than now; a time that clocks may not be able to show is just very late.
pub fn later(wait: Duration) -> Instant {
    Instant::now() + wait.min(Duration::from_secs(1_000_000_000))
}

/// Waits, unless somebody wants everything to end.
pub fn pause(wait: Duration, interrupt: &Interrupt) {
    let until = later(wait);
    while !interrupt.is_over() {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return;
        }
        thread::sleep(left.min(INTERRUPT_CHECK));
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
    use std::io::Read;
    use std::sync::Arc;
    use std::sync::atomic::Ordering;

    const SOON: Duration = Duration::from_millis(20);
    const LONG: Duration = Duration::from_secs(20);

    fn never() -> Interrupt {
        Interrupt::default()
    }

    /// What is read from a pipe, and from a thread: the same.
    fn all(text: &[u8]) -> (Vec<Line>, Vec<String>) {
        let (ours, mut theirs) = io::pipe().unwrap();
        let bytes = text.to_vec();
        let other = thread::spawn(move || io::Write::write_all(&mut theirs, &bytes));
        let piped = all_of(Lines::of(ours, "test").unwrap());
        // It may break where a line was too long for us.
        let _ = other.join().unwrap();
        assert_eq!(all_of(threaded(io::Cursor::new(text.to_vec()))), piped);
        piped
    }

    fn threaded(stream: impl io::Read + Send + 'static) -> Lines {
        Lines::from(source::Threaded::new(stream, "test").unwrap())
    }

    fn all_of(lines: Lines) -> (Vec<Line>, Vec<String>) {
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

    #[test]
    fn half_a_line_is_known_to_be_one() {
        let (ours, mut theirs) = io::pipe().unwrap();
        let lines = Lines::of(ours, "test").unwrap();
        assert!(!lines.is_half());
        for (text, half) in [("a log", false), (" goes on\n{\"a\"", true), (":1", true)] {
            io::Write::write_all(&mut theirs, text.as_bytes()).unwrap();
            assert_eq!(lines.next(Instant::now(), &never()), Next::Nothing);
            assert_eq!(lines.is_half(), half, "{text}");
        }
        io::Write::write_all(&mut theirs, b"}\n").unwrap();
        assert_eq!(lines.next(later(LONG), &never()), Next::Line(Line::Text("{\"a\":1}".into())));
        assert!(!lines.is_half());
    }

    #[test]
    fn a_line_has_a_limit() {
        let exact = vec![b'1'; MAX_LINE];
        assert_eq!(all(&[exact.clone(), b"\n2\n".to_vec()].concat()).0.len(), 3);
        let long = [exact, b"1\n2\n".to_vec()].concat();
        let (lines, _) = all(&long);
        assert!(matches!(&lines[..], [Line::Bad(why)] if why.contains("1 MiB") && why.len() < 1000), "{lines:?}");
        let taken = Arc::default();
        let lines = threaded(Endless(vec![b'x'; 4096], Arc::clone(&taken)));
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
        let lines = threaded(Endless(b"{\"type\":\"output\"}\n".to_vec(), Arc::clone(&taken)));
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
        let other = thread::spawn(move || seen.end_at(Some(Instant::now())));
        assert_eq!(lines.next(later(LONG), &interrupt), Next::Interrupted);
        other.join().unwrap();
        drop(theirs);
        assert_eq!(lines.next(later(LONG), &never()), Next::Line(Line::End(None)));
        assert_eq!(lines.next(later(LONG), &never()), Next::Line(Line::End(None)));
        assert!(start.elapsed() < LONG);
    }
}
