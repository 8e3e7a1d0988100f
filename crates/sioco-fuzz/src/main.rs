//! The driver: changes inputs at random and keeps those that reach something new.
//!
//! The targets run in a child process, on a thread with a small stack. The child writes every input to a file before it
//! runs it, so that the input is known however the child ends.

use std::collections::hash_map::DefaultHasher;
use std::fs::File;
use std::hash::{Hash, Hasher};
use std::io::{IsTerminal, Seek, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime};

use sioco_fuzz::mutate::{Mutator, Rng};
use sioco_fuzz::{Seen, TARGETS, Target, seeds, target};

const USAGE: &str = "usage: sioco-fuzz TARGET [--seconds N] [--seed N] | TARGET --replay FILE | TARGET --seeds FOLDER
targets: parser, format, check, import";

/// An input that takes longer hangs.
const HANG: Duration = Duration::from_secs(5);

/// As small as the stack of any thread that may run the code.
const STACK: usize = 2 << 20;

/// The longest input; one in a hundred may be [`MAX_LONG`].
const MAX_INPUT: usize = 8 << 10;
const MAX_LONG: usize = 256 << 10;

/// How long a finding is made smaller.
const MINIMISE: Duration = Duration::from_secs(20);

/// The exit codes of the child.
const FOUND: u8 = 1;

struct Args {
    target: Target,
    seconds: u64,
    seed: u64,
    replay: Option<PathBuf>,
    seeds: Option<PathBuf>,
    worker: bool,
}

fn main() -> ExitCode {
    let Some(args) = arguments() else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    let result = match (&args.replay, &args.seeds) {
        (Some(file), _) => replay(&args, file),
        (_, Some(folder)) => write_seeds(&args, folder),
        _ if args.worker => on_small_stack(move || work(&args)),
        _ => supervise(&args),
    };
    result.unwrap_or_else(|error| {
        eprintln!("error: {error}");
        ExitCode::from(2)
    })
}

fn arguments() -> Option<Args> {
    let mut given = std::env::args().skip(1);
    let mut args = Args { target: TARGETS[0], seconds: 60, seed: 0, replay: None, seeds: None, worker: false };
    args.target = target(&given.next()?)?;
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).ok()?;
    args.seed = now.as_nanos() as u64 % 1_000_000_000;
    while let Some(option) = given.next() {
        match option.as_str() {
            "--seconds" => args.seconds = given.next()?.parse().ok()?,
            "--seed" => args.seed = given.next()?.parse().ok()?,
            "--replay" => args.replay = Some(given.next()?.into()),
            "--seeds" => args.seeds = Some(given.next()?.into()),
            "--worker" => args.worker = true,
            _ => return None,
        }
    }
    Some(args)
}

/// Where findings go.
fn folder(target: Target) -> PathBuf {
    let build = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| PathBuf::from("target"), PathBuf::from);
    build.join("fuzz").join(target.name)
}

fn on_small_stack(run: impl FnOnce() -> std::io::Result<ExitCode> + Send + 'static) -> std::io::Result<ExitCode> {
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(run)?;
    thread.join().unwrap_or_else(|_| Ok(ExitCode::from(FOUND)))
}

fn replay(args: &Args, file: &Path) -> std::io::Result<ExitCode> {
    let (data, target) = (std::fs::read(file)?, args.target);
    on_small_stack(move || {
        let start = Instant::now();
        (target.run)(&data, &mut Seen::default());
        let time = start.elapsed();
        println!("nothing found, in {:.2} s", time.as_secs_f64());
        Ok(ExitCode::from(if time > HANG { FOUND } else { 0 }))
    })
}

fn write_seeds(args: &Args, folder: &Path) -> std::io::Result<ExitCode> {
    std::fs::create_dir_all(folder)?;
    for (i, seed) in seeds::all(args.target.xml, Path::new("examples")).iter().enumerate() {
        std::fs::write(folder.join(format!("seed-{i}")), seed)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Runs the child and looks after what it leaves behind.
fn supervise(args: &Args) -> std::io::Result<ExitCode> {
    let folder = folder(args.target);
    std::fs::create_dir_all(&folder)?;
    println!("{}: seed {}, {} s", args.target.name, args.seed, args.seconds);
    let status = Command::new(std::env::current_exe()?)
        .args([args.target.name, "--worker", "--seed", &args.seed.to_string()])
        .args(["--seconds", &args.seconds.to_string()])
        .status()?;
    if status.success() {
        return Ok(ExitCode::SUCCESS);
    }
    let data = std::fs::read(folder.join("current"))?;
    let mut hasher = DefaultHasher::new();
    data.hash(&mut hasher);
    let file = folder.join(format!("{:016x}", hasher.finish()));
    std::fs::write(&file, data)?;
    if status.code() != Some(i32::from(FOUND)) {
        println!("the process died ({status}), probably of a stack overflow");
    }
    println!("found with seed {}; to see it again:", args.seed);
    println!("  cargo run --release -p sioco-fuzz -- {} --replay {}", args.target.name, file.display());
    Ok(ExitCode::from(FOUND))
}

/// Runs one target again and again.
struct Worker {
    target: Target,
    current: File,
    /// When the current input began, in milliseconds since the start, plus 1; 0 between inputs.
    begun: Arc<AtomicU64>,
    start: Instant,
    /// Where the last panic was, and what it said.
    panic: Arc<Mutex<Option<(String, String)>>>,
}

impl Worker {
    /// Writes the input down, runs it, and gives the place of its panic.
    fn run(&mut self, data: &[u8], seen: &mut Seen) -> std::io::Result<Option<(String, String)>> {
        self.current.rewind()?;
        self.current.write_all(data)?;
        self.current.set_len(data.len() as u64)?;
        self.begun.store(self.start.elapsed().as_millis() as u64 + 1, Ordering::Relaxed);
        let result = catch_unwind(AssertUnwindSafe(|| (self.target.run)(data, seen)));
        self.begun.store(0, Ordering::Relaxed);
        Ok(result.is_err().then(|| {
            let place = self.panic.lock().ok().and_then(|mut p| p.take());
            place.unwrap_or_default()
        }))
    }

    /// Leaves out what is not needed for the same panic.
    fn minimise(&mut self, mut data: Vec<u8>, place: &str) -> std::io::Result<Vec<u8>> {
        let until = Instant::now() + MINIMISE;
        let mut size = data.len().div_ceil(2);
        while size > 0 {
            let (mut at, mut smaller) = (0, false);
            while at < data.len() {
                if Instant::now() > until {
                    return Ok(data);
                }
                let mut less = data.clone();
                less.drain(at..(at + size).min(data.len()));
                if self.run(&less, &mut Seen::default())?.is_some_and(|(there, _)| there == place) {
                    (data, smaller) = (less, true);
                } else {
                    at += size;
                }
            }
            if !smaller || size > 1 {
                size /= 2;
            }
        }
        Ok(data)
    }
}

/// A thread that ends the process if an input hangs.
fn watch(begun: Arc<AtomicU64>, start: Instant) {
    std::thread::spawn(move || {
        loop {
            std::thread::sleep(Duration::from_millis(100));
            let since = begun.load(Ordering::Relaxed);
            let now = start.elapsed().as_millis() as u64 + 1;
            if since > 0 && now.saturating_sub(since) > HANG.as_millis() as u64 {
                println!("\nan input takes longer than {} s", HANG.as_secs());
                std::process::exit(i32::from(FOUND));
            }
        }
    });
}

fn work(args: &Args) -> std::io::Result<ExitCode> {
    let panic = Arc::new(Mutex::new(None));
    let place = panic.clone();
    std::panic::set_hook(Box::new(move |info| {
        if let Ok(mut last) = place.lock() {
            *last = Some((info.location().map(|l| l.to_string()).unwrap_or_default(), info.to_string()));
        }
    }));
    let (begun, start) = (Arc::new(AtomicU64::new(0)), Instant::now());
    watch(begun.clone(), start);
    let current = File::create(folder(args.target).join("current"))?;
    let mut worker = Worker { target: args.target, current, begun, start, panic };
    let mut corpus = seeds::all(args.target.xml, Path::new("examples"));
    let (mut rng, mut seen, mutator) = (Rng::new(args.seed), Seen::default(), Mutator { xml: args.target.xml });
    let (mut count, seeds) = (0u64, corpus.len());
    let (mut shown, terminal) = (Instant::now(), std::io::stdout().is_terminal());
    let progress = |count: u64, corpus: usize, seen: usize, end: &str| {
        let seconds = start.elapsed().as_secs_f64();
        let rate = count as f64 / seconds.max(0.001);
        print!("{seconds:6.0} s: {count} inputs, {rate:.0} per second, {corpus} kept, {seen} things seen{end}");
        std::io::stdout().flush()
    };
    while start.elapsed().as_secs() < args.seconds {
        let known = seen.0.len();
        let index = count as usize;
        let limit = if rng.below(100) == 0 { MAX_LONG } else { MAX_INPUT };
        let data = if index < seeds { corpus[index].clone() } else { mutator.next(&corpus, &mut rng, limit) };
        if let Some((place, message)) = worker.run(&data, &mut seen)? {
            println!("\n{message}");
            let small = worker.minimise(data, &place)?;
            if let Some((_, message)) = worker.run(&small, &mut Seen::default())? {
                println!("made smaller, {} bytes:\n{message}", small.len());
            }
            return Ok(ExitCode::from(FOUND));
        }
        count += 1;
        if index >= seeds && seen.0.len() > known && data.len() <= MAX_INPUT {
            corpus.push(data);
        }
        if terminal && shown.elapsed() > Duration::from_millis(500) {
            shown = Instant::now();
            progress(count, corpus.len(), seen.0.len(), "\r")?;
        }
    }
    progress(count, corpus.len(), seen.0.len(), "\n")?;
    println!("nothing found");
    Ok(ExitCode::SUCCESS)
}
