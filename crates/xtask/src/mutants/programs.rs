//! Running tests: which there are, how long each takes, which mutants each reaches, and whether one notices a mutant.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::build::Program;
use super::weave::{CHOSEN, TRACE};
use crate::child;

/// A test that takes longer than this without any mutant hangs.
const LONGEST: Duration = Duration::from_secs(900);

/// How long a test may take with a mutant: seconds of its own, and so many times what it takes without. A busy machine
/// makes all times longer, so that the time on the processor has a limit of its own, which is what ends most loops.
const CPU: (f64, f64) = (3.0, 4.0);
const WALL: (f64, f64) = (30.0, 20.0);

/// How much memory a test may take with a mutant, in kilobytes: a loop may eat all there is.
const MEMORY: u64 = 8_000_000;

/// A test and what is known of it.
#[derive(Clone, PartialEq, Debug)]
pub struct Test {
    /// The index of its program.
    pub program: usize,
    pub name: String,
    /// How long it takes.
    pub seconds: f64,
}

/// All tests of some programs, and which mutants each of them reaches.
#[derive(Default, Debug)]
pub struct Known {
    pub tests: Vec<Test>,
    /// For each mutant the tests that reach it.
    pub reach: BTreeMap<usize, Vec<usize>>,
    /// Tests that fail without any mutant, and so show nothing.
    pub broken: Vec<String>,
}

/// How a run of tests ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ended {
    Passed,
    Failed,
    TimedOut,
}

/// Runs every test alone, without a mutant. What is known of a program that has not changed is read from `cache`.
pub fn know(programs: &[Program], cache: &Path, mut tell: impl FnMut(&str)) -> Result<Known, String> {
    fs::create_dir_all(cache).map_err(|e| format!("{}: {e}", cache.display()))?;
    let mut known = Known::default();
    for (at, program) in programs.iter().enumerate() {
        let file = cache.join(format!("{}.json", program.name.replace(['/', ' '], "-")));
        let remembered = fs::read_to_string(&file).ok().and_then(|text| serde_json::from_str::<Measured>(&text).ok());
        let found = match remembered.filter(|r| r.hash == program.hash) {
            Some(found) => found,
            None => {
                tell(&program.name);
                let found = measure(program, cache)?;
                fs::write(&file, found.text()).map_err(|e| format!("{}: {e}", file.display()))?;
                found
            }
        };
        known.add(at, &program.name, found);
    }
    Ok(known)
}

/// What is known of the tests of a program, as it is kept. Fields stand in the order of their names.
#[derive(Serialize, Deserialize)]
struct Measured {
    /// The hash of the program.
    hash: String,
    tests: Vec<MeasuredTest>,
}

#[derive(Serialize, Deserialize)]
struct MeasuredTest {
    name: String,
    passes: bool,
    /// The mutants that it reaches.
    reached: BTreeSet<usize>,
    seconds: f64,
}

impl Measured {
    fn text(&self) -> String {
        serde_json::to_string(self).expect("texts and numbers can be written")
    }
}

impl Known {
    fn add(&mut self, program: usize, shown: &str, found: Measured) {
        for MeasuredTest { name, passes, reached, seconds } in found.tests {
            if !passes {
                self.broken.push(format!("{shown} {name}"));
                continue;
            }
            for number in reached {
                self.reach.entry(number).or_default().push(self.tests.len());
            }
            self.tests.push(Test { program, name, seconds });
        }
    }
}

fn measure(program: &Program, place: &Path) -> Result<Measured, String> {
    let trace = std::path::absolute(place.join("trace")).map_err(|e| e.to_string())?;
    let mut tests = Vec::new();
    for name in list(program)? {
        // A test may fail once on a busy machine.
        let (mut ended, mut seconds, mut reached) = (Ended::Failed, 0.0, BTreeSet::new());
        for _ in 0..2 {
            let _ = fs::remove_file(&trace);
            let started = Instant::now();
            let mut command = command(program, std::slice::from_ref(&name), None);
            ended = run(command.env(TRACE, &trace), LONGEST)?;
            seconds = started.elapsed().as_secs_f64();
            reached = numbers(&fs::read_to_string(&trace).unwrap_or_default());
            if ended == Ended::Passed {
                break;
            }
        }
        let passes = ended == Ended::Passed;
        tests.push(MeasuredTest { name, passes, reached, seconds });
    }
    let _ = fs::remove_file(&trace);
    Ok(Measured { hash: program.hash.clone(), tests })
}

fn numbers(text: &str) -> BTreeSet<usize> {
    text.lines().filter_map(|line| line.parse().ok()).collect()
}

fn list(program: &Program) -> Result<Vec<String>, String> {
    let mut command = Command::new(&program.path);
    command.current_dir(&program.folder).args(["--list", "--format", "terse"]);
    let text = child::output(&mut command, LONGEST).map_err(|trouble| format!("{}: {trouble}", program.name))?;
    Ok(text.lines().filter_map(|line| Some(line.strip_suffix(": test")?.to_owned())).collect())
}

/// The command that runs some tests of a program; with limits, if there are any.
fn command(program: &Program, tests: &[String], cpu: Option<f64>) -> Command {
    let mut command = match cpu {
        Some(seconds) if cfg!(unix) => {
            let mut command = Command::new("sh");
            let script = "ulimit -S -t \"$1\"; ulimit -v \"$2\"; shift 2; exec \"$@\"";
            command.args(["-c", script, "limits", &format!("{}", seconds.ceil() as u64), &MEMORY.to_string()]);
            command.arg(&program.path);
            command
        }
        _ => Command::new(&program.path),
    };
    command.args(["--exact", "--test-threads=1", "--quiet"]).args(tests);
    command.current_dir(&program.folder).env("CARGO_MANIFEST_DIR", &program.folder);
    command.env_remove(CHOSEN).env_remove(TRACE).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// Runs some tests of a program with a mutant. `seconds` is what they take without it.
pub fn try_mutant(program: &Program, tests: &[String], seconds: f64, number: usize) -> Result<Ended, String> {
    let limit = |(base, factor): (f64, f64)| base + factor * seconds;
    let mut command = command(program, tests, Some(limit(CPU)));
    command.env(CHOSEN, number.to_string());
    run(&mut command, Duration::from_secs_f64(limit(WALL)))
}

/// Runs a command in a group of its own to its end or its limit; whatever it started ends with it.
fn run(command: &mut Command, limit: Duration) -> Result<Ended, String> {
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    let started = Instant::now();
    let trouble = |error: std::io::Error| format!("a test program: {error}");
    let mut child = command.spawn().map_err(trouble)?;
    let mut pause = Duration::from_millis(1);
    loop {
        if let Some(status) = child.try_wait().map_err(trouble)? {
            end_group(&mut child);
            return Ok(ended(status));
        }
        if started.elapsed() > limit {
            end_group(&mut child);
            let _ = child.kill();
            child.wait().map_err(trouble)?;
            return Ok(Ended::TimedOut);
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(20));
    }
}

fn ended(status: std::process::ExitStatus) -> Ended {
    #[cfg(unix)]
    {
        /// The time on the processor was up.
        const SIGXCPU: i32 = 24;
        if std::os::unix::process::ExitStatusExt::signal(&status) == Some(SIGXCPU) {
            return Ended::TimedOut;
        }
    }
    if status.success() { Ended::Passed } else { Ended::Failed }
}

fn end_group(child: &mut Child) {
    if cfg!(unix) {
        let group = format!("-{}", child.id());
        let mut kill = Command::new("kill");
        kill.args(["-KILL", "--", &group]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        // There may be nobody left.
        let _ = kill.status();
    }
}

/// A program that exists, for tests of others.
#[cfg(test)]
pub fn fake(name: &str, path: impl Into<std::path::PathBuf>) -> Program {
    Program {
        name: name.to_owned(),
        package: name.to_owned(),
        path: path.into(),
        folder: std::env::temp_dir(),
        hash: "1".to_owned(),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    /// A script that behaves as a test program.
    fn script(name: &str, body: &str) -> Program {
        let path = std::env::temp_dir().join(format!("sioco-mutants-{}-{name}.sh", std::process::id()));
        // Written by another process: a file that this one has open for writing may not be run meanwhile, and a child of
        // another test may have inherited it.
        let write = "printf '%s\n' '#!/bin/sh' \"$1\" > \"$2\" && chmod +x \"$2\"";
        assert!(Command::new("sh").args(["-c", write, "write", body]).arg(&path).status().expect("a shell").success());
        fake(name, path)
    }

    #[test]
    fn tests_are_listed_measured_and_tried() {
        let body = format!(
            "case \"$*\" in\n*--list*) echo 'good: test'; echo 'bad: test'; echo 'speed: bench';;\n\
             *bad*) exit 1;;\n*) test -n \"${TRACE}\" && printf '3\\n5\\n3\\n' >> \"${TRACE}\"\n\
             test \"${CHOSEN}\" = 5 && exit 1; test \"${CHOSEN}\" = 6 && exec sleep 60; exit 0;;\nesac"
        );
        let program = script("all", &body);
        let cache = std::env::temp_dir().join(format!("sioco-mutants-{}-cache", std::process::id()));
        let mut told = 0;
        for _ in 0..2 {
            let known = know(std::slice::from_ref(&program), &cache, |_| told += 1).unwrap();
            assert_eq!(known.broken, ["all bad"]);
            assert_eq!(known.tests.iter().map(|t| t.name.as_str()).collect::<Vec<_>>(), ["good"]);
            assert_eq!(known.reach, BTreeMap::from([(3, vec![0]), (5, vec![0])]));
        }
        assert_eq!(told, 1, "the second time it is remembered");
        let tried = |number: usize| try_mutant(&program, &["good".to_owned()], 0.01, number).unwrap();
        assert_eq!((tried(4), tried(5)), (Ended::Passed, Ended::Failed));
        fs::remove_file(&program.path).unwrap();
        fs::remove_dir_all(&cache).unwrap();
    }

    #[test]
    fn what_hangs_or_loops_is_ended() {
        let sleeping = script("sleeping", "sleep 60 & sleep 60");
        let started = Instant::now();
        let mut command = command(&sleeping, &[], None);
        assert_eq!(run(&mut command, Duration::from_millis(100)).unwrap(), Ended::TimedOut);
        assert!(started.elapsed() < Duration::from_secs(30));
        let looping = script("looping", "while :; do :; done");
        let mut command = super::command(&looping, &[], Some(1.0));
        assert_eq!(run(&mut command, Duration::from_secs(120)).unwrap(), Ended::TimedOut);
        fs::remove_file(&sleeping.path).unwrap();
        fs::remove_file(&looping.path).unwrap();
    }
}
