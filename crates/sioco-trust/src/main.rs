//! The driver of the campaign; `cargo xtask trust` builds and runs it.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use sioco_trust::driver::{self, Wanted};
use sioco_trust::table::table;
use sioco_trust::work::{self, CHECKS, Part};

const USAGE: &str = "\
usage: sioco-trust [--models N] [--child N] [--hanging N] [--journals N] [--seed S] [--jobs N] [--resume]
                   [--deadline SECONDS] [--folder FOLDER]
       sioco-trust --case SEED --check CHECK
       sioco-trust --show SEED | --table";

fn main() -> ExitCode {
    match run(&std::env::args().skip(1).collect::<Vec<_>>()) {
        Ok(code) => code,
        Err(message) => {
            eprintln!("sioco-trust: {message}\n{USAGE}");
            ExitCode::from(2)
        }
    }
}

fn run(arguments: &[String]) -> Result<ExitCode, String> {
    if arguments.first().is_some_and(|a| a == "--worker") {
        return driver::worker().map(|()| ExitCode::SUCCESS).map_err(|e| e.to_string());
    }
    let mut wanted = Wanted {
        parts: vec![(Part::Models, 1_000), (Part::Child, 0), (Part::Hanging, 0), (Part::Journals, 5)],
        seed: 0,
        resume: false,
        jobs: 2,
        deadline: Duration::from_secs(20),
        folder: PathBuf::from("target/trust"),
    };
    let (mut case, mut check, mut only_table) = (None, None, false);
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        let mut number = || -> Result<u64, String> {
            let text = words.next().ok_or(format!("{word} needs a number"))?;
            text.parse().map_err(|_| format!("`{text}` is no number"))
        };
        match word.as_str() {
            "--resume" => wanted.resume = true,
            "--table" => only_table = true,
            "--seed" => wanted.seed = number()?,
            "--jobs" => wanted.jobs = number()?.max(1) as usize,
            "--deadline" => wanted.deadline = Duration::from_secs(number()?.max(1)),
            "--case" => case = Some(number()?),
            "--show" => {
                println!("{}", sioco_trust::case::model(number()?).text());
                return Ok(ExitCode::SUCCESS);
            }
            "--folder" => wanted.folder = words.next().ok_or("--folder needs a folder")?.into(),
            "--check" => {
                let name = words.next().ok_or("--check needs a name")?;
                let known = CHECKS.into_iter().find(|c| c == name);
                check = Some(known.ok_or_else(|| format!("there is no check `{name}`; there are {CHECKS:?}"))?);
            }
            word => {
                let part = word.strip_prefix("--").and_then(Part::named);
                let part = part.ok_or_else(|| format!("not understood: {word}"))?;
                let count = number()?;
                wanted.parts.iter_mut().filter(|(p, _)| *p == part).for_each(|(_, n)| *n = count);
            }
        }
    }
    if let Some(seed) = case {
        return Ok(alone(seed, check.ok_or("--case needs --check")?));
    }
    let ended = only_table || driver::run(&wanted).map_err(|e| e.to_string())?;
    let (text, none) = table(&wanted.folder);
    print!("{text}");
    if !ended {
        println!("interrupted; go on with --resume");
    }
    Ok(if none && ended { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// One check on one seed.
fn alone(seed: u64, check: &'static str) -> ExitCode {
    work::catch_panics();
    let done = work::run(check, seed);
    println!("seed {seed}, check {check}: {} ms, {} questions", done.micros / 1000, done.asked);
    for (name, n) in &done.tally.counts {
        println!("  {name}: {n}");
    }
    for finding in &done.tally.findings {
        println!("\n{}: {}\n{}", finding.kind, finding.why, finding.spec.text());
        if let Some((lines, order)) = &finding.log {
            println!("order {order:?}: {}", finding.spec.lines(lines));
        }
    }
    if done.tally.findings.is_empty() {
        println!("no finding\n{}", sioco_trust::case::model(seed).text());
        return ExitCode::SUCCESS;
    }
    ExitCode::FAILURE
}
