//! Runs a command on a model of the zoo, asks it to end, and measures how that went.
//!
//! Everything is read from `/proc`, so this works on Linux alone.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// What is done with a model. `FILE` stands for it, and `LOG` for a record of a run.
pub struct Deed {
    /// The name in the table.
    pub name: &'static str,
    /// The arguments.
    pub arguments: &'static [&'static str],
    /// Whether a script comes from standard input.
    pub script: bool,
    /// The argument that limits the time, if there is one.
    pub time: Option<&'static str>,
    /// Whether `--memory` is known.
    pub memory: bool,
}

const fn deed(name: &'static str, arguments: &'static [&'static str], time: Option<&'static str>) -> Deed {
    Deed { name, arguments, script: false, time, memory: time.is_some() }
}

/// Every command that takes a model.
pub const DEEDS: &[Deed] = &[
    deed("check", &["check", "FILE"], None),
    deed("fmt", &["fmt", "--check", "FILE"], None),
    deed("graph", &["graph", "FILE"], None),
    deed("explore", &["explore", "FILE"], Some("--time")),
    deed("analyze", &["analyze", "FILE"], Some("--time")),
    deed("plan", &["plan", "FILE"], Some("--time")),
    deed("test", &["test", "FILE", "--sut", "model:FILE", "--seed", "1"], Some("--for")),
    deed("judge", &["judge", "FILE", "LOG"], None),
    deed("compare", &["compare", "FILE", "FILE"], Some("--time")),
    Deed { name: "simulate", arguments: &["simulate", "FILE"], script: true, time: None, memory: false },
];

/// How a command is asked to end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wish {
    /// By a signal of this name.
    Signal(&'static str),
    /// By its own option.
    Time,
}

/// How it went.
#[derive(Debug)]
pub struct Outcome {
    /// How it ended.
    pub status: ExitStatus,
    /// How long it went on after it was asked to end; nothing if it had ended before.
    pub wall: Option<Duration>,
    /// The time of the processor that it used meanwhile.
    pub cpu: Option<Duration>,
    /// The most memory that it had, in bytes.
    pub peak: u64,
    /// What it printed.
    pub stdout: String,
    /// What it said.
    pub stderr: String,
}

/// Where and how commands run.
pub struct Keeper {
    /// The program.
    pub sioco: PathBuf,
    /// A folder of its own.
    pub folder: PathBuf,
    /// When it is asked to end.
    pub after: Duration,
    /// What `--memory` says, in megabytes.
    pub memory: u64,
    /// How much address space there is, in megabytes: nothing may take the machine down.
    pub space: u64,
    /// After this it is killed.
    pub patience: Duration,
}

/// What is looked at how often.
const BEAT: Duration = Duration::from_millis(5);

/// So many times as long something may take on a machine that does something else.
const STARVED: u32 = 30;

/// A record that fits most of the models to some extent.
const LOG: &str = "?a(1)\n!b(3)\n?a(2)\n!b(4)\ndelta\n?a(3)\n";

impl Keeper {
    /// Does one thing with a model.
    pub fn run(&self, model: &str, deed: &Deed, wish: Wish) -> io::Result<Outcome> {
        fs::create_dir_all(&self.folder)?;
        let (file, log) = (self.folder.join("model.sts"), self.folder.join("log.txt"));
        fs::write(&file, model)?;
        fs::write(&log, LOG)?;
        let name = |p: &Path| p.to_string_lossy().into_owned();
        let mut line: Vec<String> =
            deed.arguments.iter().map(|a| a.replace("FILE", &name(&file)).replace("LOG", &name(&log))).collect();
        if deed.memory {
            line.extend(["--memory".into(), format!("{}M", self.memory)]);
        }
        if let (Wish::Time, Some(option)) = (wish, deed.time) {
            line.extend([option.into(), format!("{}ms", self.after.as_millis())]);
        }
        let (out, err) = (self.folder.join("stdout"), self.folder.join("stderr"));
        let input = if deed.script { Stdio::from(File::open(&log)?) } else { Stdio::null() };
        let limit = format!("ulimit -v {}; ulimit -c 0; exec \"$0\" \"$@\"", self.space * 1024);
        let started = Instant::now();
        let mut child = Command::new("sh")
            .args(["-c", &limit])
            .arg(&self.sioco)
            .args(&line)
            .current_dir(&self.folder)
            .env_remove("SIOCO_SOLVER")
            .stdin(input)
            .stdout(File::create(&out)?)
            .stderr(File::create(&err)?)
            .spawn()?;
        let mut peak = 0;
        // When it was asked to end, and how much time of the processor it had used then.
        let mut asked: Option<(Instant, Duration)> = None;
        let mut last = Duration::ZERO;
        let status = loop {
            if let Some(status) = child.try_wait()? {
                break status;
            }
            peak = peak.max(resident(&child));
            if asked.is_none() && started.elapsed() >= self.after {
                asked = Some((Instant::now(), used(&child)));
                if let Wish::Signal(signal) = wish {
                    Command::new("kill").args(["-s", signal, &child.id().to_string()]).status()?;
                }
            }
            if started.elapsed() > self.after + self.patience {
                child.kill()?;
                break child.wait()?;
            }
            std::thread::sleep(BEAT);
            last = last.max(used(&child));
        };
        let wall = asked.map(|(at, _)| at.elapsed());
        let cpu = asked.map(|(_, before)| last.saturating_sub(before));
        let text = |path: &Path| Ok::<_, io::Error>(String::from_utf8_lossy(&fs::read(path)?).into_owned());
        Ok(Outcome { status, wall, cpu, peak, stdout: text(&out)?, stderr: text(&err)? })
    }
}

/// The most memory that a process has had so far.
fn resident(child: &Child) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"));
    line.and_then(|l| l.split_whitespace().next()?.parse::<u64>().ok()).unwrap_or(0) * 1024
}

/// The time of the processor that a process has used so far.
fn used(child: &Child) -> Duration {
    let stat = fs::read_to_string(format!("/proc/{}/stat", child.id())).unwrap_or_default();
    // The name of the program may have blanks in it; after it, the fields are counted from 3.
    let rest = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
    let ticks: u64 = rest.split_whitespace().skip(11).take(2).filter_map(|t| t.parse::<u64>().ok()).sum();
    Duration::from_millis(ticks * 10)
}

impl Outcome {
    /// Whether the program ended without what it had: the command did not listen.
    pub fn is_deaf(&self) -> bool {
        self.stderr.contains("cannot be shown in time")
    }

    /// What is wrong with it, if something is. Where others have the processors, so that the program had little of the
    /// time, it may take longer.
    pub fn complaint(&self, most: Duration, memory: u64) -> Option<String> {
        use std::os::unix::process::ExitStatusExt;
        if self.stderr.contains("panicked")
            || self.stderr.contains("a bug in sioco")
            || self.stderr.contains("overflowed its stack")
        {
            return Some("it broke down".into());
        }
        match self.status.signal() {
            // One that nobody catches ends the program, which is what was wanted.
            Some(2 | 15) | None => {}
            Some(9) => return Some("it had to be killed".into()),
            Some(other) => return Some(format!("it ended by signal {other}")),
        }
        let busy = self.cpu.is_some_and(|cpu| cpu > most) || self.wall.is_some_and(|wall| wall > most * STARVED);
        if self.wall.is_some_and(|wall| wall > most) && busy {
            return Some("it went on for too long".into());
        }
        if self.peak > memory {
            return Some("it took too much memory".into());
        }
        None
    }
}
