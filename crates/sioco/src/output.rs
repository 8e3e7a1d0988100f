//! Where a command writes: results to standard output, everything else to standard error.
//!
//! This is the one place that writes there, and text of others never gets there as it is: all but sioco's own emphasis is
//! made visible (see [`sioco_report::style`]). Only [data](Output::data) for another program goes through unchanged.
//!
//! Writing does not fail where it is done. A reader that has gone (`| head`) is no reason to leave work half done, so
//! the rest is dropped in silence; any other trouble is told at the end, by [`Output::finish`].

use std::fmt::Display;
use std::io::{self, BufRead, BufReader, ErrorKind, IsTerminal, Read, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::time::Duration;

use clap::ValueEnum;
use serde::Serialize;
use sioco_lang::Diagnostic;
use sioco_lang::source::SourceMap;
use sioco_model::visible;
use sioco_report::value::tree;
use sioco_report::{diagnostic, style};

use crate::exit::Exit;
use crate::failure::{Failure, plain};
use crate::interrupt;
use crate::style::{ColourChoice, Style};

/// The format of the output.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub enum Format {
    /// For people.
    #[default]
    #[value(alias = "text")]
    Human,
    /// For programs: JSON.
    Json,
}

/// Progress is shown this often: it moves before the eye, and a slow terminal is not busy with it.
pub const PROGRESS_INTERVAL: Duration = Duration::from_millis(100);
/// Text is set this wide where nobody says otherwise: the width of a terminal since there are any.
const WIDTH: usize = 80;
/// Longer lines are hard to read, however wide the terminal is.
const MAX_WIDTH: usize = 100;

/// At most this many bytes of an answer are read: it is yes, no, or a word.
const MAX_ANSWER: u64 = 1000;

/// This many bytes of a result that is made while it is printed are written at once: what a pipe of Linux holds.
const CHUNK: usize = 1 << 16;

/// Somebody who does not read is waited for at most this long when the program ends: nobody notices, and a pager that
/// is just busy gets the rest.
const LAST_WAIT: Duration = Duration::from_millis(100);

/// Says why the program ends without the command. Whoever writes meanwhile, and whoever does not read, does not keep it.
pub fn last_words(why: &str) {
    let line = format!("error: {why}\n");
    let (told, done) = channel();
    let say = move || {
        let _ = io::stderr().write_all(line.as_bytes());
        let _ = told.send(());
    };
    if std::thread::Builder::new().spawn(say).is_ok() {
        let _ = done.recv_timeout(LAST_WAIT);
    }
}

/// The two streams of a command.
pub struct Output<'a> {
    out: Stream<'a>,
    err: Stream<'a>,
    width: Option<usize>,
    /// Who answers questions; nobody, where nobody sits at a terminal.
    answers: Option<Box<dyn BufRead + 'a>>,
}

struct Stream<'a> {
    writer: Box<dyn Write + 'a>,
    terminal: bool,
    style: Style,
    /// Why nothing more is written.
    closed: Option<io::Error>,
    /// Whether results go here.
    results: bool,
}

impl<'a> Output<'a> {
    /// The streams of this program.
    pub fn standard() -> Output<'static> {
        let out = Stream { results: true, ..Stream::new(io::stdout(), io::stdout().is_terminal()) };
        let err = Stream::new(io::stderr(), io::stderr().is_terminal());
        let width = terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
        // A question is read where it is answered: both ends are terminals.
        let asked = err.terminal && io::stdin().is_terminal();
        let answers = asked.then(|| Box::new(BufReader::new(io::stdin())) as Box<dyn BufRead>);
        let mut output = Output { out, err, width, answers };
        output.choose_colour(ColourChoice::Auto);
        output
    }

    /// Any two streams that are not terminals.
    pub fn new(out: impl Write + 'a, err: impl Write + 'a) -> Output<'a> {
        Output { out: Stream::new(out, false), err: Stream::new(err, false), width: None, answers: None }
    }

    /// Lets questions be answered by these lines.
    pub fn answer_from(&mut self, answers: impl BufRead + 'a) {
        self.answers = Some(Box::new(answers));
    }

    /// Whether the user says yes; nothing, where there is nobody to ask.
    pub fn ask(&mut self, question: &str) -> Option<bool> {
        let answers = self.answers.as_mut()?;
        self.out.flush();
        self.err.write(question);
        self.err.flush();
        let mut line = Vec::new();
        // An answer is short; whatever never ends is none.
        let read = answers.take(MAX_ANSWER).read_until(b'\n', &mut line);
        let answer = String::from_utf8_lossy(&line).trim().to_lowercase();
        Some(read.is_ok() && (answer == "y" || answer == "yes"))
    }

    /// Uses colour or not.
    pub fn choose_colour(&mut self, choice: ColourChoice) {
        for stream in [&mut self.out, &mut self.err] {
            stream.style.on = choice.decide(stream.terminal, |name| std::env::var(name).ok());
        }
    }

    /// The emphasis for standard output.
    pub fn style(&self) -> Style {
        self.out.style
    }

    /// The emphasis for standard error.
    pub fn err_style(&self) -> Style {
        self.err.style
    }

    /// Whether standard output is a terminal.
    pub fn is_terminal(&self) -> bool {
        self.out.terminal
    }

    /// The width of the terminal, if there is one.
    pub fn terminal_width(&self) -> Option<usize> {
        self.width
    }

    /// How wide to set text.
    pub fn width(&self) -> usize {
        if self.out.terminal { self.width.map_or(WIDTH, |w| w.clamp(20, MAX_WIDTH)) } else { WIDTH }
    }

    /// A result for people.
    pub fn print(&mut self, text: &str) {
        self.out.write(text);
    }

    /// A result that is a file of its own, such as a model or a picture: as it is, unless somebody looks at it here.
    pub fn data(&mut self, text: &str) {
        if self.out.terminal { self.out.write(text) } else { self.out.write_raw(text) }
    }

    /// A result for programs: a JSON document on a line.
    pub fn object(&mut self, object: &impl Serialize) {
        self.json(tree(object));
    }

    /// A JSON document that is made already.
    pub fn json(&mut self, document: impl Display) {
        // To make the text of a large one takes a while.
        if self.out.results {
            interrupt::show();
        }
        self.out.write_raw(&visible::json(&format!("{document}\n")));
    }

    /// A line of JSON in which nothing is hidden, with its line break.
    pub fn json_line(&mut self, line: &str) {
        debug_assert!(visible::json(line) == line && line.ends_with('\n'), "this is no such line: {line}");
        self.out.write_raw(line);
    }

    /// A result that is made while it is printed. Once somebody has interrupted, every piece is visible at once: the
    /// next interrupt ends the program.
    pub fn stream(&mut self, pieces: impl Iterator<Item = String>, interrupted: &AtomicBool) {
        self.stream_with(pieces, interrupted, Stream::write);
    }

    /// The same for pieces of JSON.
    pub fn stream_json(&mut self, pieces: impl Iterator<Item = String>, interrupted: &AtomicBool) {
        self.stream_with(pieces, interrupted, |out, text| out.write_raw(&visible::json(text)));
    }

    fn stream_with(
        &mut self,
        pieces: impl Iterator<Item = String>,
        interrupted: &AtomicBool,
        write: impl Fn(&mut Stream<'a>, &str),
    ) {
        let mut waiting = String::new();
        for piece in pieces {
            waiting.push_str(&piece);
            if waiting.len() >= CHUNK || interrupted.load(Ordering::Relaxed) {
                write(&mut self.out, &waiting);
                self.out.flush();
                waiting.clear();
            }
            if self.out.closed.is_some() {
                return;
            }
        }
        write(&mut self.out, &waiting);
    }

    /// Makes what was printed so far visible, before a question is waited for.
    pub fn flush(&mut self) {
        self.out.flush();
    }

    /// A line of the result.
    pub fn line(&mut self, text: impl Display) {
        self.out.write(&format!("{text}\n"));
    }

    /// A line about what is going on.
    pub fn say(&mut self, text: impl Display) {
        self.err.write(&format!("{text}\n"));
    }

    /// Whether progress is shown: only where somebody watches.
    pub fn shows_progress(&self) -> bool {
        self.err.terminal
    }

    /// How far the work is, in a line that the next one replaces; nothing, at the end.
    pub fn progress(&mut self, text: impl Display) {
        if self.err.terminal {
            // Back to the start of the line, and away with what stands there.
            self.err.write_raw("\r\x1b[2K");
            self.err.write(&visible::line(&text.to_string()));
            self.err.flush();
        }
    }

    /// A problem of a model, for people, where problems are what was asked for.
    pub fn result_diagnostic(&mut self, sources: &SourceMap, problem: &Diagnostic) {
        let text = diagnostic::render(sources, problem, self.out.style);
        self.out.write(&format!("{text}\n"));
    }

    /// A problem of a model, for people, that keeps a command from its result.
    pub fn diagnostic(&mut self, sources: &SourceMap, problem: &Diagnostic) {
        let text = diagnostic::render(sources, problem, self.err.style);
        self.err.write(&format!("{text}\n"));
    }

    /// Why the command cannot go on.
    pub fn failure(&mut self, failure: &Failure) {
        let style = self.err.style;
        if let Some(message) = &failure.message {
            self.say(format_args!("{}{}", style.red("error"), style.bold(format_args!(": {message}"))));
        }
        if let Some(help) = &failure.help {
            self.say(format_args!("  {}: {help}", style.bold("help")));
        }
    }

    /// Writes out what is left, and says how the program ends: as it would, or with an error if a result was lost.
    pub fn finish(&mut self, exit: Exit) -> Exit {
        self.out.flush();
        self.err.flush();
        match &self.out.closed {
            Some(error) if error.kind() != ErrorKind::BrokenPipe => {
                let message = format!("cannot write to standard output: {}", plain(error));
                self.failure(&Failure { exit: Exit::Infrastructure, message: Some(message), help: None });
                Exit::Infrastructure
            }
            _ => exit,
        }
    }
}

impl<'a> Stream<'a> {
    fn new(writer: impl Write + 'a, terminal: bool) -> Self {
        Stream { writer: Box::new(writer), terminal, style: Style { on: false }, closed: None, results: false }
    }

    /// Writes text with everything visible that is not sioco's own emphasis.
    fn write(&mut self, text: &str) {
        debug_assert!(!text.starts_with("{\""), "this is JSON, which has its own way out: {text}");
        self.write_raw(&style::print(text));
    }

    /// Writes text that nothing foreign can be hidden in, or that is not for people.
    fn write_raw(&mut self, text: &str) {
        if self.results {
            interrupt::show();
        }
        if self.closed.is_none() {
            self.closed = self.writer.write_all(text.as_bytes()).err();
        }
    }

    fn flush(&mut self) {
        if self.closed.is_none() {
            self.closed = self.writer.flush().err();
        }
    }
}

/// `1 file`, `2 files`.
pub fn count(number: usize, thing: &str) -> String {
    if number == 1 { format!("1 {thing}") } else { format!("{number} {thing}s") }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Full(ErrorKind);

    impl Write for Full {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(self.0.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_reader_that_has_gone_changes_nothing() {
        let mut err = Vec::new();
        let mut output = Output::new(Full(ErrorKind::BrokenPipe), &mut err);
        output.line("lost");
        assert_eq!(output.finish(Exit::Usage), Exit::Usage);
        drop(output);
        assert_eq!(err, b"");
    }

    /// What was written out, and what is still on its way.
    #[derive(Clone, Default)]
    struct Seen(std::rc::Rc<std::cell::RefCell<(String, String)>>);

    impl Write for Seen {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.borrow_mut().1.push_str(std::str::from_utf8(bytes).expect("it is text"));
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            let (out, waiting) = &mut *self.0.borrow_mut();
            out.push_str(waiting);
            waiting.clear();
            Ok(())
        }
    }

    #[test]
    fn a_stream_is_written_while_it_is_made() {
        let seen = Seen::default();
        let mut output = Output::new(seen.clone(), io::sink());
        let interrupted = AtomicBool::new(false);
        let out = |seen: &Seen| seen.0.borrow().0.len();
        // Pieces of 10 bytes, of which 10,000 come before somebody interrupts.
        let pieces = (0..20_000).map(|n| {
            match n {
                0..10_000 => assert!(out(&seen) + CHUNK + 10 > 10 * n, "{n}: {}", out(&seen)),
                10_000 => interrupted.store(true, Ordering::Relaxed),
                _ => assert_eq!(out(&seen), 10 * n),
            }
            "0123456789".to_owned()
        });
        output.stream(pieces, &interrupted);
        assert_eq!(out(&seen), 200_000);
    }

    #[test]
    fn a_stream_ends_where_nobody_reads_it() {
        let mut output = Output::new(Full(ErrorKind::BrokenPipe), io::sink());
        output.stream(std::iter::repeat("0123456789".to_owned()), &AtomicBool::new(false));
        assert_eq!(output.finish(Exit::Ok), Exit::Ok);
    }

    #[test]
    fn a_lost_result_is_an_error() {
        let mut err = Vec::new();
        let mut output = Output::new(Full(ErrorKind::StorageFull), &mut err);
        output.line("lost");
        assert_eq!(output.finish(Exit::Ok), Exit::Infrastructure);
        drop(output);
        let err = String::from_utf8(err).unwrap();
        assert!(err.starts_with("error: cannot write to standard output: "), "{err}");
    }
}
