//! `cargo xtask fuzz`: every fuzz target for a time, some of them at once, and a table of what came of it. The time is that of
//! the processor, so that a busy machine does not make a run shorter.
//!
//! Each target is a process of its own. One that dies of its input, or is ended by it, counts as a finding, and is started
//! again with another seed for the rest of its time.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::child::cargo;
use crate::project::Project;
use crate::{Findings, Stop};

/// How long each target runs, unless somebody says otherwise.
const MINUTES: f64 = 20.0;
/// So often is a target started again.
const RESTARTS: u64 = 20;

struct Wanted<'a> {
    minutes: f64,
    targets: Vec<&'a str>,
    seed: u64,
    at_once: usize,
}

/// What came of a target.
#[derive(Default)]
struct Result {
    seconds: u64,
    inputs: u64,
    kept: u64,
    seen: u64,
    findings: u64,
    slowest: u64,
    bytes: u64,
}

/// Builds the driver and runs it for each target.
pub fn main(project: &Project, arguments: &[&str]) -> std::result::Result<Findings, Stop> {
    let wanted = parse(arguments).map_err(Stop::Usage)?;
    let built = cargo()
        .current_dir(&project.root)
        .args(["build", "--release", "--quiet", "--package", "sioco-fuzz"])
        .status()
        .map_err(|e| format!("cannot start cargo: {e}"))?;
    if !built.success() {
        return Err(Stop::Failed);
    }
    let driver = project.target.join("release").join(format!("sioco-fuzz{}", std::env::consts::EXE_SUFFIX));
    let known = targets(&driver)?;
    if let Some(unknown) = wanted.targets.iter().find(|name| !known.iter().any(|known| known == *name)) {
        return Err(Stop::Usage(format!("there is no target `{unknown}`; there are {}", known.join(", "))));
    }
    let chosen: Vec<&str> = known
        .iter()
        .map(String::as_str)
        .filter(|name| wanted.targets.is_empty() || wanted.targets.contains(name))
        .collect();
    let results = run_all(project, &driver, &chosen, &wanted)?;
    print!("\n{}", table(&results));
    if results.iter().any(|(_, result)| result.findings > 0) { Err(Stop::Failed) } else { Ok(Findings::new()) }
}

fn parse<'a>(arguments: &[&'a str]) -> std::result::Result<Wanted<'a>, String> {
    let mut wanted = Wanted { minutes: MINUTES, targets: Vec::new(), seed: 1, at_once: 1 };
    let mut words = arguments.iter();
    while let Some(option) = words.next() {
        let mut value = || words.next().copied().ok_or_else(|| format!("{option} needs a value"));
        match *option {
            "--minutes" => {
                let minutes = value()?.parse().ok().filter(|minutes: &f64| *minutes > 0.0 && *minutes < 1e6);
                wanted.minutes = minutes.ok_or("--minutes needs a number, such as 20 or 0.5")?;
            }
            "--seed" => wanted.seed = value()?.parse().map_err(|_| "--seed needs a whole number")?,
            "--at-once" => {
                let number = value()?.parse().ok().filter(|number| *number > 0);
                wanted.at_once = number.ok_or("--at-once needs a number of targets")?;
            }
            "--target" => wanted.targets.extend(value()?.split(',')),
            other => return Err(format!("not understood: {other}")),
        }
    }
    Ok(wanted)
}

/// The targets, as the driver lists them.
fn targets(driver: &PathBuf) -> std::result::Result<Vec<String>, Stop> {
    let output = Command::new(driver).arg("--list").output().map_err(|e| format!("cannot start the driver: {e}"))?;
    Ok(String::from_utf8_lossy(&output.stdout).split_whitespace().map(str::to_owned).collect())
}

/// Runs the targets, so many at once. Results are in the order of the targets.
fn run_all<'a>(
    project: &Project,
    driver: &PathBuf,
    targets: &[&'a str],
    wanted: &Wanted<'_>,
) -> std::result::Result<Vec<(&'a str, Result)>, Stop> {
    let (next, results) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..wanted.at_once.min(targets.len()) {
            scope.spawn(|| {
                while let Some(name) = targets.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let result = run(project, driver, name, wanted);
                    results.lock().expect("nobody panics with it").push((*name, result));
                }
            });
        }
    });
    let mut results = results.into_inner().expect("nobody panics with it");
    results.sort_by_key(|(name, _)| targets.iter().position(|target| target == name));
    results.into_iter().map(|(name, result)| Ok((name, result?))).collect()
}

/// Runs a target for its time.
fn run(project: &Project, driver: &PathBuf, name: &str, wanted: &Wanted<'_>) -> std::result::Result<Result, Stop> {
    let time = Duration::from_secs_f64(wanted.minutes * 60.0).as_secs().max(1);
    let mut all = Result::default();
    for again in 0..=RESTARTS {
        let (start, left) = (Instant::now(), time.saturating_sub(all.seconds));
        if left == 0 {
            break;
        }
        let mut command = Command::new(driver);
        let seed = (wanted.seed + again).to_string();
        command.current_dir(&project.root).args([name, "--seconds", &left.to_string(), "--seed", &seed]);
        let mut child = command.stdout(Stdio::piped()).spawn().map_err(|e| format!("cannot start the driver: {e}"))?;
        let mut summary = None;
        let lines = child.stdout.take().map(BufReader::new);
        for line in lines.into_iter().flat_map(BufRead::lines).map_while(std::io::Result::ok) {
            match line.strip_prefix("summary ") {
                Some(fields) => summary = Some(fields.to_owned()),
                None => println!("{line}"),
            }
        }
        child.wait().map_err(|e| format!("the driver: {e}"))?;
        match summary {
            Some(fields) => all.add(&fields),
            // It died of an input, which it wrote down before.
            None => {
                all.findings += 1;
                all.seconds += start.elapsed().as_secs();
            }
        }
    }
    Ok(all)
}

impl Result {
    /// Adds what a run of the driver says of itself.
    fn add(&mut self, fields: &str) {
        let fields: BTreeMap<&str, u64> = fields
            .split(' ')
            .filter_map(|field| field.split_once('='))
            .filter_map(|(k, v)| Some((k, v.parse().ok()?)))
            .collect();
        let of = |name: &str| fields.get(name).copied().unwrap_or_default();
        self.seconds += of("seconds");
        self.inputs += of("inputs");
        self.kept = self.kept.max(of("kept"));
        self.seen = self.seen.max(of("seen"));
        self.findings += of("findings");
        if of("slowest") > self.slowest {
            (self.slowest, self.bytes) = (of("slowest"), of("bytes"));
        }
    }
}

fn table(results: &[(&str, Result)]) -> String {
    let mut text = format!(
        "{:<10} {:>8} {:>12} {:>8} {:>8} {:>20} {:>9}\n",
        "target", "seconds", "inputs", "kept", "seen", "slowest", "findings"
    );
    for (name, r) in results {
        let slowest = format!("{} ms, {} KiB", r.slowest, r.bytes.div_ceil(1024));
        let (seconds, inputs, kept, seen, findings) = (r.seconds, r.inputs, r.kept, r.seen, r.findings);
        let _ = writeln!(text, "{name:<10} {seconds:>8} {inputs:>12} {kept:>8} {seen:>8} {slowest:>20} {findings:>9}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_read() {
        let wanted = parse(&["--minutes", "0.5", "--target", "plan,log", "--seed", "7", "--at-once", "3"]).unwrap();
        assert_eq!((wanted.minutes, wanted.targets, wanted.seed, wanted.at_once), (0.5, vec!["plan", "log"], 7, 3));
        assert_eq!(parse(&[]).unwrap().minutes, MINUTES);
        for wrong in [&["--minutes"][..], &["--minutes", "0"], &["--minutes", "x"], &["--at-once", "0"], &["plan"]] {
            assert!(parse(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn what_a_driver_says_is_added_up() {
        let mut result = Result::default();
        result.add("seconds=3 inputs=10 kept=4 seen=7 findings=1 slowest=12 bytes=2048");
        result.add("inputs=5 kept=6 seen=2 findings=0 slowest=3 bytes=1");
        let text = table(&[("plan", result)]);
        let words: Vec<&str> = text.lines().nth(1).unwrap().split_whitespace().collect();
        assert_eq!(words, ["plan", "3", "15", "6", "7", "12", "ms,", "2", "KiB", "1"]);
    }
}
