//! The campaign: workers in processes of their own, so that what hangs or dies takes nothing else with it.
//!
//! A worker gets a line with a seed and its checks, and answers with a line for each check. What came of a block of
//! seeds is written to a file as soon as it is done, so that a campaign that was interrupted goes on where it ended.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde::Serialize;

use crate::case::model;
use crate::lines::{BlockLine, DoneLine, FindingLine, SlowLine};
use crate::work::{self, CHECKS, Part, checks};

/// This many seeds are one block: a worker takes some seconds for it, so that handing it out costs nothing.
const BLOCK: u64 = 50;

/// What is wanted.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// How many cases of each part.
    pub parts: Vec<(Part, u64)>,
    /// The first seed.
    pub seed: u64,
    /// Whether what is done already counts.
    pub resume: bool,
    /// How many workers.
    pub jobs: usize,
    /// How long a check may take.
    pub deadline: Duration,
    /// Where results are kept.
    pub folder: PathBuf,
}

/// What a block came to.
#[derive(Clone, Debug, Default)]
pub struct Block {
    counts: BTreeMap<String, u64>,
    findings: Vec<FindingLine>,
    slow: Vec<SlowLine>,
}

impl Block {
    fn add(&mut self, seed: u64, check: &str, done: DoneLine) {
        for (name, n) in done.counts {
            *self.counts.entry(name).or_default() += n;
        }
        self.findings.extend(done.findings);
        *self.counts.entry(format!("micros: {check}")).or_default() += done.micros;
        *self.counts.entry(format!("checks: {check}")).or_default() += 1;
        self.slow.push(SlowLine { asked: done.asked, check: check.to_owned(), micros: done.micros, seed });
        self.slow.sort_by_key(|s| std::cmp::Reverse(s.micros));
        self.slow.truncate(3);
    }

    fn line(self, part: Part, first: u64, count: u64) -> BlockLine {
        let Block { counts, findings, slow } = self;
        BlockLine { count, counts, findings, first, part: part.name().to_owned(), slow }
    }
}

/// A line of results as text.
fn text(line: &impl Serialize) -> String {
    serde_json::to_string(line).expect("texts and numbers can be written")
}

/// The worker: reads lines `SEED CHECK,CHECK` and answers `begin CHECK` and the result of each.
pub fn worker() -> io::Result<()> {
    work::catch_panics();
    let mut out = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let line = line?;
        let Some((seed, names)) = line.split_once(' ') else { continue };
        let Ok(seed) = seed.parse::<u64>() else { continue };
        for name in names.split(',') {
            let Some(check) = CHECKS.into_iter().find(|c| *c == name) else { continue };
            writeln!(out, "begin {check}")?;
            out.flush()?;
            let done = work::run(check, seed);
            writeln!(out, "{}", text(&done.line(seed)))?;
            out.flush()?;
        }
        writeln!(out, "done")?;
        out.flush()?;
    }
    Ok(())
}

/// A worker may take this many times its deadline if it does not compute: the machine is busy, or a solver hangs.
const WAITS: u32 = 6;

/// A worker as its driver sees it.
struct Worker {
    child: Child,
    lines: Receiver<String>,
}

impl Worker {
    fn start() -> io::Result<Worker> {
        let mut child = Command::new(std::env::current_exe()?)
            .arg("--worker")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let out = child.stdout.take().expect("it is piped");
        let (tell, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(out).lines().map_while(Result::ok) {
                if tell.send(line).is_err() {
                    return;
                }
            }
        });
        Ok(Worker { child, lines })
    }

    /// The next line. The deadline is for the time that the worker computes, so that a busy machine makes nothing hang;
    /// one that waits for something has more of it.
    fn answer(&self, deadline: Duration) -> Result<String, RecvTimeoutError> {
        let before = computed(self.child.id());
        let mut waited = Duration::ZERO;
        loop {
            let found = self.lines.recv_timeout(deadline);
            waited += deadline;
            let busy = before.zip(computed(self.child.id())).map(|(before, now)| now.saturating_sub(before));
            match found {
                Err(RecvTimeoutError::Timeout) if waited < WAITS * deadline && busy.is_some_and(|b| b < deadline) => {}
                found => return found,
            }
        }
    }

    fn stop(mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// For how long a process has computed, where the system tells.
fn computed(process: u32) -> Option<Duration> {
    let text = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name of the program is in parentheses, and may be anything. After it, the times are the 12th and the 13th.
    let mut fields = text.rsplit_once(')')?.1.split_whitespace().skip(11);
    let mut ticks = || fields.next()?.parse::<u64>().ok();
    Some(Duration::from_millis(10 * (ticks()? + ticks()?)))
}

/// Something that a worker did not survive.
fn lost(check: &str, seed: u64, kind: &str, deadline: Duration) -> DoneLine {
    let finding = FindingLine {
        again: FindingLine::again(seed, check),
        check: check.to_owned(),
        kind: kind.to_owned(),
        log: None,
        model: model(seed).text(),
        seed,
        why: format!("no answer within {} s", deadline.as_secs()),
    };
    let micros = u64::try_from(deadline.as_micros()).expect("a deadline of a person is short");
    DoneLine { findings: vec![finding], micros, ..DoneLine::default() }
}

/// One seed on a worker; the worker is replaced if it hangs or dies.
fn seed(
    worker: &mut Option<Worker>,
    part: Part,
    seed: u64,
    wanted: &Wanted,
    stop: &AtomicBool,
    block: &mut Block,
) -> io::Result<()> {
    let mut left: Vec<&str> = checks(part, seed);
    while !left.is_empty() && !stop.load(Ordering::Relaxed) {
        if worker.is_none() {
            *worker = Some(Worker::start()?);
        }
        let Some(this) = worker.as_mut() else { continue };
        let input = this.child.stdin.as_mut().expect("it is piped");
        // One that died is noticed below.
        let _ = writeln!(input, "{seed} {}", left.join(",")).and_then(|()| input.flush());
        loop {
            match this.answer(wanted.deadline) {
                Ok(line) if line == "done" => return Ok(()),
                Ok(line) if line.starts_with("begin ") => {}
                Ok(line) => {
                    block.add(seed, left.remove(0), serde_json::from_str(&line).unwrap_or_default());
                }
                Err(why) => {
                    if stop.load(Ordering::Relaxed) {
                        return Ok(());
                    }
                    let kind = if why == RecvTimeoutError::Timeout { "hang" } else { "the process died" };
                    let check = left.remove(0);
                    block.add(seed, check, lost(check, seed, kind, wanted.deadline));
                    if let Some(worker) = worker.take() {
                        worker.stop();
                    }
                    break;
                }
            }
        }
    }
    Ok(())
}

/// Runs the campaign. Whether it came to its end.
pub fn run(wanted: &Wanted) -> io::Result<bool> {
    fs::create_dir_all(&wanted.folder)?;
    let stop = Arc::new(AtomicBool::new(false));
    let flag = stop.clone();
    // Somebody else may have a handler already; then the campaign just cannot be interrupted in order.
    let _ = ctrlc::set_handler(move || flag.store(true, Ordering::Relaxed));
    for (part, count) in &wanted.parts {
        if *count > 0 && !stop.load(Ordering::Relaxed) {
            self::part(wanted, *part, *count, &stop)?;
        }
    }
    Ok(!stop.load(Ordering::Relaxed))
}

fn path(folder: &Path, part: Part) -> PathBuf {
    folder.join(format!("{}.jsonl", part.name()))
}

/// The lines of a part that are there.
pub fn read(folder: &Path, part: Part) -> Vec<BlockLine> {
    let Ok(text) = fs::read_to_string(path(folder, part)) else { return Vec::new() };
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

fn part(wanted: &Wanted, part: Part, count: u64, stop: &Arc<AtomicBool>) -> io::Result<()> {
    let firsts = (0..count.div_ceil(BLOCK)).map(|n| wanted.seed + n * BLOCK);
    let mut done: BTreeSet<u64> = BTreeSet::new();
    if wanted.resume {
        done.extend(read(&wanted.folder, part).iter().map(|line| line.first));
    } else {
        File::create(path(&wanted.folder, part))?;
    }
    let file = OpenOptions::new().create(true).append(true).open(path(&wanted.folder, part))?;
    let todo: Vec<u64> = firsts.filter(|first| !done.contains(first)).collect();
    let state = Arc::new(Mutex::new((todo.clone().into_iter(), file)));
    let progress = Arc::new(Mutex::new((0u64, 0u64)));
    let began = Instant::now();
    std::thread::scope(|scope| -> io::Result<()> {
        let mut threads = Vec::new();
        for _ in 0..wanted.jobs {
            let (state, progress, stop) = (state.clone(), progress.clone(), stop.clone());
            threads.push(scope.spawn(move || -> io::Result<()> {
                let mut worker = None;
                loop {
                    let next = state.lock().expect("no thread panics").0.next();
                    let Some(first) = next.filter(|_| !stop.load(Ordering::Relaxed)) else { break };
                    let many = BLOCK.min(wanted.seed + count - first);
                    let mut block = Block::default();
                    for s in first..first + many {
                        let before = block.findings.len();
                        seed(&mut worker, part, s, wanted, &stop, &mut block)?;
                        let mut progress = progress.lock().expect("no thread panics");
                        progress.0 += 1;
                        progress.1 += (block.findings.len() - before) as u64;
                    }
                    if stop.load(Ordering::Relaxed) {
                        break;
                    }
                    let line = text(&block.line(part, first, many));
                    let file = &mut state.lock().expect("no thread panics").1;
                    writeln!(file, "{line}")?;
                }
                if let Some(worker) = worker {
                    worker.stop();
                }
                Ok(())
            }));
        }
        let terminal = io::stderr().is_terminal();
        let mut told = Instant::now();
        while threads.iter().any(|t| !t.is_finished()) {
            std::thread::sleep(Duration::from_millis(200));
            if told.elapsed() < Duration::from_secs(if terminal { 1 } else { 30 }) {
                continue;
            }
            told = Instant::now();
            let (cases, findings) = *progress.lock().expect("no thread panics");
            let all = todo.len() as u64 * BLOCK;
            let per = began.elapsed().as_secs_f64() / cases.max(1) as f64;
            let rest = Duration::from_secs_f64(per * all.saturating_sub(cases) as f64).as_secs();
            let text = format!("{}: {cases} of {all}, {findings} findings, {} min left", part.name(), rest / 60 + 1);
            if terminal { eprint!("\r\x1b[K{text}") } else { eprintln!("{text}") }
        }
        if terminal {
            eprint!("\r\x1b[K");
        }
        threads.into_iter().try_for_each(|t| t.join().expect("no thread panics"))
    })
}
