//! An adapter as a child process: it reads messages from its standard input and writes them to its standard output.
//!
//! The adapter leads a process group of its own, so that it can be ended together with every process that it started.
//! A process that leaves the group, as a daemon does, is not ended. Ctrl-C on a terminal does not reach the group:
//! the program that started the adapter ends it.

use crate::lines::STATUS_WAIT;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use sioco_exec::{Crash, Fault};
use sioco_solve::guard::lead;

use crate::crash;
use crate::group::{Ending, Group};
use crate::lines::{Interrupt, LineWriter, Lines, Tail};
use crate::transport::{Connection, Connector, cannot_start};

/// A program that is started for each connection.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Program {
    /// The program and its arguments.
    pub words: Vec<String>,
    /// Environment variables besides the inherited ones.
    pub environment: Vec<(String, String)>,
    /// Where it runs; the present directory, if nothing is said.
    pub directory: Option<PathBuf>,
}

impl Program {
    /// A program with arguments; the first word is the program.
    pub fn new(words: Vec<String>) -> Program {
        Program { words, environment: Vec::new(), directory: None }
    }

    fn start(&self) -> Result<Running, Fault> {
        let started = Instant::now();
        let mut child = self.spawn(Stdio::piped())?;
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let group = Group::new(child);
        let (Some(stdin), Some(stdout), Some(stderr)) = pipes else { unreachable!("all three are piped") };
        let parts = || {
            let errors = Tail::of(stderr, "stderr of the SUT")?;
            let lines = Lines::of(stdout, "from the SUT")?;
            let writer = LineWriter::to(stdin, "to the SUT")?;
            Ok((errors, lines, writer))
        };
        let (errors, lines, writer) = parts().map_err(no_thread)?;
        Ok(Running { group, started, lines, writer, errors })
    }

    /// Starts it as something that nobody speaks to over its standard input and output. With it, the last lines of its
    /// standard output and standard error.
    pub(crate) fn start_alone(&self) -> Result<(Group, Arc<Tail>, Arc<Tail>), Fault> {
        let mut child = self.spawn(Stdio::null())?;
        let pipes = (child.stdout.take(), child.stderr.take());
        let group = Group::new(child);
        let (Some(stdout), Some(stderr)) = pipes else { unreachable!("both are piped") };
        let output = Tail::of(stdout, "stdout of the server").map_err(no_thread)?;
        let errors = Tail::of(stderr, "stderr of the server").map_err(no_thread)?;
        Ok((group, output, errors))
    }

    fn spawn(&self, stdin: Stdio) -> Result<Child, Fault> {
        let Some((program, arguments)) = self.words.split_first() else {
            return Err(cannot_start("the command that starts the system is empty".into()));
        };
        let mut command = Command::new(program);
        command.args(arguments).envs(self.environment.iter().map(|(name, value)| (name, value)));
        command.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Some(directory) = &self.directory {
            command.current_dir(directory);
        }
        lead(&mut command);
        command.spawn().map_err(|error| {
            cannot_start(format!("`{program}` cannot be started: {error}{}", self.help(program, error.kind())))
        })
    }

    /// Whether this is something that only a shell understands: a word of its own, a variable, or several commands.
    fn wants_a_shell(&self, program: &str) -> bool {
        const WORDS: [&str; 10] = ["cd", "export", "source", ".", "exec", "set", "ulimit", "umask", "if", "while"];
        const SIGNS: [&str; 8] = ["&&", "||", "|", ";", "&", ">", "<", ">>"];
        let variable = program.split_once('=').is_some_and(|(name, _)| !name.is_empty() && !name.contains('/'));
        variable || WORDS.contains(&program) || self.words.iter().any(|word| SIGNS.contains(&word.as_str()))
    }

    /// What may help against an error.
    fn help(&self, program: &str, error: ErrorKind) -> String {
        let here = self.directory.as_deref().unwrap_or(Path::new(".")).join(program);
        let plain = !program.contains(['/', '\\']);
        if let Some(directory) = self.directory.as_ref().filter(|d| !d.is_dir()) {
            return format!("; there is no directory `{}`", directory.display());
        }
        match error {
            ErrorKind::NotFound if self.wants_a_shell(program) => {
                format!("; no shell is used: `sh -c '{}'` runs it in one", self.words.join(" "))
            }
            ErrorKind::NotFound if plain && here.is_file() => {
                format!("; a file of that name is in this directory: write `./{program}` to start it")
            }
            ErrorKind::NotFound if plain => "; is it installed and in the PATH?".into(),
            ErrorKind::NotFound if here.is_file() => "; the file is there: does its first line name a program?".into(),
            ErrorKind::NotFound => "; is the path right?".into(),
            ErrorKind::PermissionDenied if here.is_dir() => "; it is a directory".into(),
            ErrorKind::PermissionDenied => format!("; make it executable with `chmod +x {program}`"),
            _ => String::new(),
        }
    }
}

fn no_thread(error: std::io::Error) -> Fault {
    cannot_start(format!("cannot start a thread for the SUT: {error}"))
}

impl Connector for Program {
    fn name(&self) -> String {
        self.words.join(" ")
    }

    fn starts_afresh(&self) -> bool {
        true
    }

    fn open(&mut self, _: &Interrupt) -> Result<Option<Box<dyn Connection>>, Fault> {
        Ok(Some(Box::new(self.start()?)))
    }
}

/// A running child. Its threads end with the pipes, and these with the group.
struct Running {
    group: Group,
    started: Instant,
    lines: Lines,
    writer: LineWriter,
    errors: Arc<Tail>,
}

impl Connection for Running {
    fn lines(&self) -> &Lines {
        &self.lines
    }

    fn writer(&self) -> &LineWriter {
        &self.writer
    }

    fn is_gone(&mut self) -> bool {
        self.group.status().is_some()
    }

    fn epitaph(&mut self) -> String {
        match self.ended() {
            Some(status) => format!("ended ({status})"),
            None => "closed its standard output".into(),
        }
    }

    fn ended(&mut self) -> Option<Ending> {
        let ending = self.group.status_within(STATUS_WAIT, &Interrupt::default())?;
        self.errors.wait(STATUS_WAIT);
        Some(ending)
    }

    fn runs(&mut self) -> bool {
        self.group.status().is_none()
    }

    fn crash(&mut self, patience: Duration, interrupt: &Interrupt) -> Option<Crash> {
        let ending = self.group.status_within(patience, interrupt).filter(|ending| ending.crashed)?;
        self.errors.wait(STATUS_WAIT);
        Some(crash::of_program(&ending, self.errors.last()))
    }

    fn started(&self) -> Option<Instant> {
        Some(self.started)
    }

    fn stderr(&self) -> Vec<String> {
        self.errors.last()
    }

    fn close(&mut self, grace: Duration) {
        self.writer.finish();
        if !grace.is_zero() {
            self.group.status_within(grace, &Interrupt::default());
        }
        self.group.end();
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::lines::{Line, Next, later};
    use sioco_exec::FaultKind;

    const LONG: Duration = Duration::from_secs(20);

    fn start(script: &str) -> Running {
        Program::new(vec!["sh".into(), "-c".into(), script.into()]).start().expect("a shell")
    }

    fn next(running: &Running) -> Line {
        match running.lines.next(later(LONG), &Interrupt::default()) {
            Next::Line(line) => line,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn lines_go_both_ways() {
        let mut running = start("read line; echo \"$line$line\"; echo oh >&2; exit 3");
        running.writer.send("11".into(), LONG, &Interrupt::default(), &mut || {}).unwrap();
        assert_eq!(next(&running), Line::Text("1111".into()));
        assert_eq!(next(&running), Line::End(None));
        assert_eq!(running.epitaph(), "ended (exit status: 3)");
        assert_eq!(running.stderr(), ["oh"]);
        assert!(running.is_gone());
    }

    #[test]
    fn the_end_of_input_is_enough_to_end_it() {
        let mut running = start("cat > /dev/null; echo bye >&2");
        let start = Instant::now();
        running.close(LONG);
        assert!(start.elapsed() < LONG);
        running.errors.wait(LONG);
        assert_eq!(running.stderr(), ["bye"]);
    }

    #[test]
    fn what_does_not_end_is_killed() {
        let mut running = start("trap '' TERM INT HUP; echo 1; while :; do sleep 60; done");
        assert_eq!(next(&running), Line::Text("1".into()));
        let id = running.group.status();
        assert_eq!(id, None);
        let start = Instant::now();
        running.close(Duration::from_millis(10));
        assert!(start.elapsed() < LONG);
        // The sleep had the pipe as well: it is gone, too.
        assert_eq!(next(&running), Line::End(None));
    }

    #[test]
    fn programs_that_cannot_be_started_are_told() {
        let directory = std::env::temp_dir();
        for (words, directory, part) in [
            (vec!["sioco-no-such-program"], None, "in the PATH?"),
            (vec!["./sioco/no/such/program"], None, "is the path right?"),
            (vec!["X=1", "python3", "a.py"], None, "; no shell is used: `sh -c 'X=1 python3 a.py'` runs it in one"),
            (vec!["sioco-no-such-program", "&&", "b"], None, "; no shell is used"),
            (vec!["/"], None, "directory"),
            (vec!["sh"], Some(directory.join("sioco-no-such-directory")), "there is no directory"),
            (vec![], None, "is empty"),
        ] {
            let words = words.iter().map(|w| w.to_string()).collect();
            let fault = Program { words, environment: vec![], directory }.start().err().expect("a fault");
            assert!(fault.message.contains(part), "{fault}");
            assert_eq!((fault.kind, fault.again), (FaultKind::Start, false));
        }
    }

    #[test]
    fn it_has_its_directory_and_environment() {
        let program = Program {
            words: vec!["sh".into(), "-c".into(), "echo \"[$X\"; pwd".into()],
            environment: vec![("X".into(), "7".into())],
            directory: Some("/".into()),
        };
        let mut running = program.start().unwrap();
        assert_eq!(next(&running), Line::Text("[7".into()));
        assert_eq!(next(&running), Line::End(None));
        assert_eq!(running.lines.logs(), ["/"]);
        assert_eq!(running.epitaph(), "ended (exit status: 0)");
    }
}
