//! Any SMT-LIB 2 solver, as a child process.
//!
//! The child is another program, so anything may happen: it may be missing, die, hang, print nonsense or never stop
//! printing. Every wait has an end, each such case is a fault that names the program and its last lines, and the next
//! question starts it anew.

use std::collections::VecDeque;
use std::fmt;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::read::excerpt;
use super::session::{CORES, Connection, Dialect, Fault, SmtSession, Z3};
use crate::guard::{self, Guarded};
use crate::query::Limits;

/// A solver as a child process.
pub type ProcessSolver = SmtSession<ProcessConnection>;

/// At most this many bytes one answer may be: values of the [greatest size](sioco_model::value::MAX_SIZE) for some
/// symbols. A solver that prints without end is broken.
const MAX_ANSWER: usize = 16 << 20;
/// This many lines of what it prints to standard error are kept: they become part of a message.
const KEPT_LINES: usize = 5;
/// A child has this long to say its first word. Solvers start within a tenth of a second; one that is started through a
/// network or a container may take seconds.
const START: Duration = Duration::from_secs(10);
/// A wait looks this often whether somebody wants to give up: soon enough that nobody notices.
const TICK: Duration = Duration::from_millis(20);

/// Reads the resource limit only when it starts, and sequences only if told so.
const CVC5: Dialect = Dialect {
    resources: Some("reproducible-resource-limit"),
    resources_any_time: false,
    options: "(set-option :strings-exp true)\n",
    cores: CORES,
};

/// For those about which nothing is known, wall time is the only limit.
const OTHER: Dialect = Dialect { resources: None, resources_any_time: true, options: "", cores: CORES };

impl ProcessSolver {
    /// A solver by its command line, such as `cvc5 --lang smt2 --incremental`. It is started with the first question.
    pub fn new(command_line: &str) -> Result<ProcessSolver, CommandLineError> {
        ProcessSolver::with_start_limit(command_line, START)
    }

    /// The same, with another limit for its first word.
    pub fn with_start_limit(command_line: &str, start: Duration) -> Result<ProcessSolver, CommandLineError> {
        let words = words(command_line)?;
        if words.is_empty() {
            return Err(CommandLineError::Empty);
        }
        Ok(SmtSession::over(|_| ProcessConnection { words: words.clone(), start, running: None, questions: 0 }))
    }
}

/// A child process.
pub struct ProcessConnection {
    words: Vec<String>,
    start: Duration,
    running: Option<Running>,
    questions: u64,
}

struct Running {
    child: Child,
    /// Until it is waited for.
    guarded: Option<Guarded>,
    input: Sender<String>,
    output: Receiver<Line>,
    errors: Arc<Mutex<VecDeque<String>>>,
}

/// A line of output; the end of output is the end of the channel.
type Line = Result<String, NoLine>;

/// Why there is no next line of output: the program is to blame, or the operating system.
#[derive(Clone, PartialEq, Eq, Debug)]
enum NoLine {
    /// It is longer than any answer.
    Endless,
    /// It cannot be read.
    Unreadable(String),
}

impl fmt::Display for NoLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoLine::Endless => f.write_str("it does not stop printing"),
            NoLine::Unreadable(why) => write!(f, "its output cannot be read: {why}"),
        }
    }
}

impl Connection for ProcessConnection {
    fn name(&self) -> String {
        self.words.join(" ")
    }

    fn dialect(&self) -> Dialect {
        let program = Path::new(&self.words[0]).file_stem().and_then(|s| s.to_str()).unwrap_or_default();
        match program {
            "z3" => Z3,
            "cvc5" => CVC5,
            _ => OTHER,
        }
    }

    fn run(&mut self, commands: &str, limits: &Limits) -> Result<String, Fault> {
        if self.running.is_none() {
            self.running = Some(Running::start(&self.words)?);
            // What is no solver shows it here, before its silence could be taken for hard thinking.
            let start = limits.to_start(self.start.min(limits.wall));
            let first = self.question("", &start).map_err(|fault| match fault {
                Fault::Time if !start.is_late() => Fault::Broken(format!(
                    "it printed nothing in its first {:.1} s; does it read SMT-LIB from standard input?",
                    start.wall.as_secs_f64()
                )),
                other => other,
            });
            let first = self.or_restart(first)?;
            if !first.is_empty() {
                return self.or_restart(Err(Fault::Broken(format!("its first words were {}", excerpt(&first)))));
            }
        }
        let answer = self.question(commands, limits);
        self.or_restart(answer)
    }

    fn restart(&mut self) {
        self.running = None;
    }
}

impl ProcessConnection {
    fn or_restart<T>(&mut self, result: Result<T, Fault>) -> Result<T, Fault> {
        if result.is_err() {
            self.running = None;
        }
        result
    }

    /// Sends commands, and waits for what they print. An `echo` behind them tells where it ends.
    fn question(&mut self, commands: &str, limits: &Limits) -> Result<String, Fault> {
        self.questions += 1;
        let end = format!("sioco-{}", self.questions);
        let running = self.running.as_mut().expect("started before");
        // If it is gone, reading says so.
        let _ = running.input.send(format!("{commands}(echo \"{end}\")\n"));
        let timer = limits.timer();
        let is_first = commands.is_empty();
        let mut answer = String::new();
        loop {
            if limits.cancelled() {
                return Err(Fault::Cancelled);
            }
            let left = timer.remaining();
            let wait = if limits.cancellation.may_come() { left.min(TICK) } else { left };
            match running.output.recv_timeout(wait) {
                Ok(Ok(line)) if line.trim().trim_matches('"') == end => return Ok(answer),
                Ok(Ok(line)) => {
                    answer.push_str(&line);
                    answer.push('\n');
                    if answer.len() > MAX_ANSWER {
                        return Err(running.broken("it does not stop printing", &answer));
                    }
                    if is_first {
                        return Ok(answer);
                    }
                }
                Ok(Err(why)) => return Err(running.broken(&why.to_string(), &answer)),
                Err(RecvTimeoutError::Timeout) if left.is_zero() => return Err(Fault::Time),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(running.ended(&answer)),
            }
        }
    }
}

impl Running {
    fn start(words: &[String]) -> Result<Running, Fault> {
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        guard::lead(&mut command);
        let mut child = command.spawn().map_err(|error| Fault::Broken(format!("it cannot be started: {error}")))?;
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(stdin), Some(stdout), Some(stderr)) = pipes else {
            unreachable!("all three are piped");
        };
        let (input, commands) = channel();
        let (lines, output) = sync_channel(256);
        let errors = Arc::default();
        let kept = Arc::clone(&errors);
        let guarded = Some(Guarded::new(child.id()));
        let running = Running { child, guarded, input, output, errors };
        // The threads end with the pipes; nobody waits for them, since a grandchild may keep a pipe open.
        let threads = [
            std::thread::Builder::new().name("to solver".into()).spawn(move || feed(stdin, &commands)),
            std::thread::Builder::new().name("from solver".into()).spawn(move || pass_on(stdout, &lines)),
            std::thread::Builder::new().name("solver errors".into()).spawn(move || keep(stderr, &kept)),
        ];
        match threads.into_iter().find_map(Result::err) {
            Some(error) => Err(Fault::Broken(format!("cannot start a thread for it: {error}"))),
            None => Ok(running),
        }
    }

    /// A fault with what it printed last.
    fn broken(&self, what: &str, printed: &str) -> Fault {
        let errors = self.errors.lock().unwrap_or_else(PoisonError::into_inner);
        let last = |lines: Vec<&str>| lines.iter().map(|line| format!("`{}`", excerpt(line))).collect::<Vec<_>>();
        let mut shown = last(printed.lines().rev().take(KEPT_LINES).collect::<Vec<_>>().into_iter().rev().collect());
        shown.extend(last(errors.iter().map(String::as_str).collect()));
        let shown = if shown.is_empty() {
            "it printed nothing".into()
        } else {
            format!("last it printed {}", shown.join(", "))
        };
        Fault::Broken(format!("{what}; {shown}"))
    }

    /// The fault of a child that has closed its output.
    fn ended(&mut self, printed: &str) -> Fault {
        // A moment for the status, and for the last lines of standard error.
        for _ in 0..20 {
            // Whoever was waited for may have lent its number to somebody else.
            self.guarded = None;
            if let Ok(Some(status)) = self.child.try_wait() {
                std::thread::sleep(Duration::from_millis(5));
                return self.broken(&format!("it ended ({status})"), printed);
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        self.broken("it closed its output", printed)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // If it has ended by itself there is nothing to kill, but it still must be waited for.
        let _ = self.child.kill();
        self.guarded = None;
        let _ = self.child.wait();
    }
}

fn feed(mut stdin: impl Write, commands: &Receiver<String>) {
    for text in commands {
        if stdin.write_all(text.as_bytes()).and_then(|()| stdin.flush()).is_err() {
            return;
        }
    }
}

fn pass_on(stdout: impl Read, lines: &SyncSender<Line>) {
    let mut reader = BufReader::new(stdout);
    loop {
        let mut line = Vec::new();
        let result = match reader.by_ref().take(MAX_ANSWER as u64).read_until(b'\n', &mut line) {
            Ok(0) => return,
            Ok(_) if line.len() >= MAX_ANSWER => Err(NoLine::Endless),
            Ok(_) => Ok(String::from_utf8_lossy(&line).trim_end_matches(['\n', '\r']).to_owned()),
            Err(error) => Err(NoLine::Unreadable(error.to_string())),
        };
        let last = result.is_err();
        if lines.send(result).is_err() || last {
            return;
        }
    }
}

fn keep(stderr: impl Read, kept: &Mutex<VecDeque<String>>) {
    let mut reader = BufReader::new(stderr);
    loop {
        let mut line = Vec::new();
        match reader.by_ref().take(1 << 16).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return,
            Ok(_) => {
                let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                if kept.len() == KEPT_LINES {
                    kept.pop_front();
                }
                kept.push_back(excerpt(&String::from_utf8_lossy(&line)));
            }
        }
    }
}

/// Why a text is no command line. Whoever wrote it is to blame.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CommandLineError {
    /// A quote is not closed.
    Open {
        /// The quote.
        quote: char,
        /// The whole text.
        line: String,
    },
    /// It ends with a backslash.
    Backslash(String),
    /// There is no word in it, where a solver has to be named.
    Empty,
}

impl fmt::Display for CommandLineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CommandLineError::Open { quote, line } => write!(f, "a `{quote}` in `{line}` is not closed"),
            CommandLineError::Backslash(line) => write!(f, "`{line}` ends with a backslash"),
            CommandLineError::Empty => f.write_str("the command line of the solver is empty"),
        }
    }
}

impl std::error::Error for CommandLineError {}

/// The words of a command line, by the rules of a shell for quotes and backslashes; nothing is expanded.
pub fn words(line: &str) -> Result<Vec<String>, CommandLineError> {
    let open = |quote| Err(CommandLineError::Open { quote, line: line.to_owned() });
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut rest = line.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            c if c.is_whitespace() => words.extend(word.take()),
            '\'' => {
                let word = word.get_or_insert_default();
                loop {
                    match rest.next() {
                        Some('\'') => break,
                        Some(c) => word.push(c),
                        None => return open('\''),
                    }
                }
            }
            '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match rest.next() {
                        Some('"') => break,
                        Some('\\') if rest.peek().is_some_and(|c| ['"', '\\', '$', '`'].contains(c)) => {
                            word.extend(rest.next());
                        }
                        Some(c) => word.push(c),
                        None => return open('"'),
                    }
                }
            }
            '\\' => match rest.next() {
                Some(c) => word.get_or_insert_default().push(c),
                None => return Err(CommandLineError::Backslash(line.to_owned())),
            },
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn command_lines_are_split_as_a_shell_does() {
        let check = |line: &str, expected: &[&str]| assert_eq!(words(line).unwrap(), expected, "{line}");
        check("cvc5 --lang smt2  --incremental ", &["cvc5", "--lang", "smt2", "--incremental"]);
        check("sh -c 'exit 1'", &["sh", "-c", "exit 1"]);
        check(r#"a"b c"'d e' \"f\ g "" "\"\n""#, &["ab cd e", "\"f g", "", "\"\\n"]);
        check("", &[]);
        for line in ["'a", "\"a", "a\\"] {
            assert!(words(line).is_err(), "{line}");
        }
    }
}
