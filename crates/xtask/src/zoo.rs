//! `cargo xtask zoo`: every command on every hostile model, asked to end.

// The tests of sioco use more of it.
#[allow(dead_code)]
#[path = "../../sioco/tests/zoo/keeper.rs"]
mod keeper;
#[path = "../../sioco/tests/zoo/models.rs"]
mod models;

use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use keeper::{DEEDS, Deed, Keeper, Outcome, Wish};
use models::Animal;

use crate::child::cargo;
use crate::project::Project;
use crate::{Findings, Stop};

/// So long after the wish everything has ended.
const MOST: Duration = Duration::from_secs(1);
/// What the commands are told that they may use, and what they may use in the end, in megabytes.
const MEMORY: u64 = 512;
const PEAK: u64 = 1024;

struct Choice<'a> {
    models: Option<Vec<&'a str>>,
    deeds: Option<Vec<&'a str>>,
    after: u64,
    jobs: usize,
    wishes: Vec<Wish>,
    all: bool,
    binary: Option<PathBuf>,
}

/// Runs the zoo and prints a table.
pub fn main(project: &Project, arguments: &[&str]) -> Result<Findings, Stop> {
    let choice = read(arguments)?;
    let sioco = match &choice.binary {
        Some(binary) => binary.clone(),
        None => build(project)?,
    };
    let folder = project.root.join("target/zoo");
    let zoo = models::all();
    let chosen = |list: &Option<Vec<&str>>, name: &str| list.as_ref().is_none_or(|l| l.contains(&name));
    let mut cases: Vec<(&Animal, &Deed, Wish)> = Vec::new();
    for animal in zoo.iter().filter(|a| chosen(&choice.models, a.name)) {
        for deed in DEEDS.iter().filter(|d| chosen(&choice.deeds, d.name)) {
            let wishes = choice.wishes.iter().filter(|w| **w != Wish::Time || deed.time.is_some());
            cases.extend(wishes.map(|wish| (animal, deed, *wish)));
        }
    }
    let (next, findings) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    println!(
        "{:<32} {:<9} {:<5} {:>8} {:>8} {:>8}  how it ended",
        "model", "command", "end", "wall ms", "cpu ms", "peak MB"
    );
    std::thread::scope(|scope| {
        for job in 0..choice.jobs {
            let keeper = Keeper {
                sioco: sioco.clone(),
                folder: folder.join(job.to_string()),
                after: Duration::from_millis(choice.after),
                memory: MEMORY,
                space: 8 * 1024,
                patience: Duration::from_secs(40),
            };
            let (next, findings, cases, all) = (&next, &findings, &cases, choice.all);
            scope.spawn(move || {
                while let Some((animal, deed, wish)) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let (line, bad) = match keeper.run(&animal.text, deed, *wish) {
                        Ok(outcome) => row(animal, deed, *wish, &outcome),
                        Err(error) => (format!("{} {}: {error}", animal.name, deed.name), true),
                    };
                    if bad || all {
                        println!("{line}");
                    }
                    if bad {
                        findings.lock().expect("no thread panics while it holds this").push(line);
                    }
                }
            });
        }
    });
    let bad = findings.into_inner().expect("no thread panics while it holds this");
    println!("{} models, {} cases, {} findings", zoo.len(), cases.len(), bad.len());
    if bad.is_empty() { Ok(Findings::new()) } else { Err(Stop::Failed) }
}

fn row(animal: &Animal, deed: &Deed, wish: Wish, outcome: &Outcome) -> (String, bool) {
    let complaint = outcome.complaint(MOST, PEAK << 20);
    let millis = |time: Option<Duration>| time.map_or("-".into(), |t| t.as_millis().to_string());
    let end = match wish {
        Wish::Signal(signal) => signal,
        Wish::Time => "time",
    };
    let line = format!(
        "{:<32} {:<9} {end:<5} {:>8} {:>8} {:>8}  {}{}",
        animal.name,
        deed.name,
        millis(outcome.wall),
        millis(outcome.cpu),
        outcome.peak >> 20,
        outcome.status,
        complaint.as_ref().map_or_else(
            || if outcome.is_deaf() { "  (without what it had)".to_owned() } else { String::new() },
            |why| format!("  <-- {why}")
        ),
    );
    (line, complaint.is_some())
}

fn read<'a>(arguments: &[&'a str]) -> Result<Choice<'a>, Stop> {
    let mut choice = Choice {
        models: None,
        deeds: None,
        after: 1_000,
        jobs: 1,
        wishes: vec![Wish::Signal("TERM"), Wish::Time],
        all: false,
        binary: None,
    };
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        let wrong = || Stop::Usage(format!("not understood: zoo {word}"));
        if *word == "--all" {
            choice.all = true;
            continue;
        }
        let value = *words.next().ok_or_else(wrong)?;
        match *word {
            "--model" => choice.models = Some(value.split(',').collect()),
            "--command" => choice.deeds = Some(value.split(',').collect()),
            "--after" => choice.after = value.parse().map_err(|_| wrong())?,
            "--jobs" => choice.jobs = value.parse().map_err(|_| wrong())?,
            "--binary" => choice.binary = Some(value.into()),
            "--end" => {
                choice.wishes = match value {
                    "time" => vec![Wish::Time],
                    "signal" => vec![Wish::Signal("TERM")],
                    _ => return Err(wrong()),
                }
            }
            _ => return Err(wrong()),
        }
    }
    Ok(choice)
}

fn build(project: &Project) -> Result<PathBuf, Stop> {
    let built = cargo()
        .current_dir(&project.root)
        .args(["build", "--release", "--quiet", "--package", "sioco"])
        .status()
        .map_err(|e| format!("cannot start cargo: {e}"))?;
    if !built.success() {
        return Err(Stop::Failed);
    }
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| project.root.join("target"), PathBuf::from);
    Ok(target.join("release/sioco"))
}
