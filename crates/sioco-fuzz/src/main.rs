//! The driver: changes inputs at random and keeps those that reach something new.
//!
//! The targets run on a thread with a small stack; the main thread watches for inputs that hang or take too much memory.
//! Every input is written to a file before it runs, so that it is known even if the process dies of a stack overflow: the
//! next run finds it. A finding is made as short as it gets and kept, and the run goes on to look for others; one that
//! hangs ends it. The last line, which begins with `summary`, is for programs: `cargo xtask fuzz` reads it.

use std::collections::BTreeSet;
use std::collections::hash_map::DefaultHasher;
use std::fmt;
use std::fs::File;
use std::hash::{Hash, Hasher};
use std::io::{self, IsTerminal, Seek, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime};

use sioco_fuzz::corpus::Corpus;
use sioco_fuzz::mutate::{Mutator, Rng};
use sioco_fuzz::{Seen, TARGETS, Target, seeds, target};

/// `--seconds` are seconds of processor time, so that a busy machine does not make a run shorter.
const USAGE: &str = "usage: sioco-fuzz TARGET [--seconds N] [--seed N] | TARGET --replay FILE | TARGET --seeds FOLDER";

/// An input that computes longer hangs: usual ones take milliseconds, and the machine that runs the fuzzer may be busy.
const HANG: Duration = Duration::from_secs(5);
/// So does one that waits longer, however much else the machine has to do.
const STUCK: Duration = Duration::from_secs(120);

/// As small as the stack of any thread that may run the code: what a new thread of Rust gets.
const STACK: usize = 2 << 20;

/// The longest usual input. Most findings are short, and a target reads this much in well under the time of a [slow
/// one](SLOW). One in a hundred may be [`MAX_LONG`], and one in [`STRETCH`] is as long as the target allows.
const MAX_INPUT: usize = 8 << 10;
/// The longest input of one in a hundred: what grows with the square of the length is slow enough to be noticed then.
const MAX_LONG: usize = 256 << 10;
/// One input in this many is as long as the target allows. Each takes as long as many short ones; more of them would
/// leave little time for those.
const STRETCH: usize = 500;

/// This many bytes, above what the driver had before, are more than any input needs. A machine still has them, so that
/// the driver and not the system ends it.
const MEMORY: u64 = 1 << 30;

/// At most this many bytes are kept of what reached something new; then one goes for each that comes. With less, what
/// is rare would be forgotten.
const CORPUS: usize = 64 << 20;

/// From this many milliseconds on, the slowest input is kept to be looked at: a hundred times a usual one.
const SLOW: u64 = 200;

/// Progress is shown this often where nobody watches a terminal: two lines a minute in a log.
const REPORT: Duration = Duration::from_secs(30);

/// A finding is made smaller for this long. A person reads it, so that it is worth the time; most get no smaller after
/// a few seconds.
const MINIMISE: Duration = Duration::from_secs(20);

/// Why the driver ends with exit code 1.
struct Failure(String);

/// This is what is shown of an error that `main` returns.
impl fmt::Debug for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Failure(error.to_string())
    }
}

struct Args {
    target: Target,
    seconds: u64,
    seed: u64,
    replay: Option<PathBuf>,
    seeds: Option<PathBuf>,
}

fn main() -> Result<(), Failure> {
    let names: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
    if std::env::args().nth(1).is_some_and(|first| first == "--list") {
        println!("{}", names.join("\n"));
        return Ok(());
    }
    let args = arguments().ok_or_else(|| Failure(format!("{USAGE}\ntargets: {}", names.join(", "))))?;
    if let Some(file) = &args.replay {
        return replay(args.target, file);
    }
    if let Some(folder) = &args.seeds {
        std::fs::create_dir_all(folder)?;
        for (i, seed) in seeds::all(args.target, Path::new("examples")).iter().enumerate() {
            std::fs::write(folder.join(format!("seed-{i}")), seed)?;
        }
        return Ok(());
    }
    fuzz(args)
}

fn arguments() -> Option<Args> {
    let mut given = std::env::args().skip(1);
    let mut args = Args { target: TARGETS[0], seconds: 60, seed: 0, replay: None, seeds: None };
    args.target = target(&given.next()?)?;
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).ok()?;
    args.seed = now.as_nanos() as u64 % 1_000_000_000;
    while let Some(option) = given.next() {
        match option.as_str() {
            "--seconds" => args.seconds = given.next()?.parse().ok()?,
            "--seed" => args.seed = given.next()?.parse().ok()?,
            "--replay" => args.replay = Some(given.next()?.into()),
            "--seeds" => args.seeds = Some(given.next()?.into()),
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

fn replay(target: Target, file: &Path) -> Result<(), Failure> {
    let data = std::fs::read(file)?;
    let start = Instant::now();
    let thread = std::thread::Builder::new().stack_size(STACK);
    let run = thread.spawn(move || (target.run)(&data, &mut Seen::default()))?;
    run.join().map_err(|_| Failure("found".into()))?;
    let time = start.elapsed();
    if time > HANG {
        return Err(Failure(format!("takes {:.1} s", time.as_secs_f64())));
    }
    println!("nothing found, in {:.2} s", time.as_secs_f64());
    Ok(())
}

/// Runs a worker and watches it.
fn fuzz(args: Args) -> Result<(), Failure> {
    let (target, seed) = (args.target, args.seed);
    let current = folder(target).join("current");
    std::fs::create_dir_all(folder(target))?;
    if current.exists() {
        println!("the last run died or was stopped with this input:");
        println!("{}", keep(target, &std::fs::read(&current)?)?);
    }
    println!("{}: seed {seed}, {} s; the current input is {}", target.name, args.seconds, current.display());
    let (begun, start) = (Arc::new(Begun::default()), Instant::now());
    let counts = Arc::new(Counts::default());
    let (watched, counted) = (begun.clone(), counts.clone());
    let worker = std::thread::Builder::new().stack_size(STACK).spawn(move || work(&args, begun, start, &counts))?;
    let mut last = (0, Instant::now());
    while !worker.is_finished() {
        std::thread::sleep(Duration::from_millis(50));
        let since = watched.at.load(Ordering::Acquire);
        let inputs = counted.inputs.load(Ordering::Relaxed);
        if inputs != last.0 || since == 0 {
            last = (inputs, Instant::now());
        }
        let hangs =
            (since > 0 && clock(start).saturating_sub(since) > HANG.as_millis() as u64) || last.1.elapsed() > STUCK;
        let greedy = since > 0
            && memory().is_some_and(|bytes| bytes.saturating_sub(watched.memory.load(Ordering::Relaxed)) > MEMORY);
        if hangs || greedy {
            let kept = keep(target, &std::fs::read(&current)?)?;
            std::fs::remove_file(&current)?;
            counted.findings.fetch_add(1, Ordering::Relaxed);
            let limit = if hangs { format!("{} s", HANG.as_secs()) } else { format!("{} MiB", MEMORY >> 20) };
            println!("\nan input takes more than {limit}, seed {seed}\n{kept}\n{}", counted.summary(start));
            return Err(Failure("found".into()));
        }
    }
    worker.join().map_err(|_| Failure("the driver itself panicked".into()))??;
    std::fs::remove_file(&current)?;
    println!("{}", counted.summary(start));
    match counted.findings.load(Ordering::Relaxed) {
        0 => Ok(()),
        _ => Err(Failure("found".into())),
    }
}

/// The time that this process has had, in milliseconds, and never 0: on a machine with much else to do, an input that waits
/// for its turn does not hang. Where nothing says so, the time since the start.
fn clock(start: Instant) -> u64 {
    let stat = std::fs::read_to_string("/proc/self/stat").ok();
    // The name of the program stands in brackets and may be anything.
    let ticks = stat.as_deref().and_then(|text| text.rsplit_once(')')).and_then(|(_, rest)| {
        let fields: Vec<&str> = rest.split_whitespace().collect();
        Some(fields.get(11)?.parse::<u64>().ok()? + fields.get(12)?.parse::<u64>().ok()?)
    });
    1 + ticks.map_or(start.elapsed().as_millis() as u64, |ticks| ticks * 10)
}

/// How much memory this process has, where that can be known.
fn memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    Some(text.split(' ').nth(1)?.parse::<u64>().ok()? * 4096)
}

/// When the current input began.
#[derive(Default)]
struct Begun {
    /// By [`clock`]; 0 between inputs.
    at: AtomicU64,
    /// How much memory there was then: the driver keeps inputs, and that grows.
    memory: AtomicU64,
}

/// What a run has done so far.
#[derive(Default)]
struct Counts {
    inputs: AtomicU64,
    kept: AtomicU64,
    seen: AtomicU64,
    findings: AtomicU64,
    /// The time of the slowest input, in milliseconds by [`clock`], and its length.
    slowest: AtomicU64,
    slowest_bytes: AtomicU64,
}

impl Counts {
    fn summary(&self, start: Instant) -> String {
        let of = |count: &AtomicU64| count.load(Ordering::Relaxed);
        format!(
            "summary seconds={} inputs={} kept={} seen={} findings={} slowest={} bytes={}",
            clock(start) / 1000,
            of(&self.inputs),
            of(&self.kept),
            of(&self.seen),
            of(&self.findings),
            of(&self.slowest),
            of(&self.slowest_bytes)
        )
    }
}

/// Keeps an input in a file of its own, and says how to run it again.
fn keep(target: Target, data: &[u8]) -> io::Result<String> {
    let mut hasher = DefaultHasher::new();
    data.hash(&mut hasher);
    let file = folder(target).join(format!("{:016x}", hasher.finish()));
    std::fs::write(&file, data)?;
    Ok(format!("  cargo run --release -p sioco-fuzz -- {} --replay {}", target.name, file.display()))
}

/// Runs one target again and again.
struct Worker {
    target: Target,
    current: File,
    begun: Arc<Begun>,
    start: Instant,
    /// Where the last panic was, and what it said.
    panic: Arc<Mutex<Option<(String, String)>>>,
}

impl Worker {
    /// Writes the input down, runs it, and gives the place of its panic.
    fn run(&mut self, data: &[u8], seen: &mut Seen) -> io::Result<Option<(String, String)>> {
        self.current.rewind()?;
        self.current.write_all(data)?;
        self.current.set_len(data.len() as u64)?;
        self.begun.memory.store(memory().unwrap_or(0), Ordering::Relaxed);
        self.begun.at.store(clock(self.start), Ordering::Release);
        let result = catch_unwind(AssertUnwindSafe(|| (self.target.run)(data, seen)));
        self.begun.at.store(0, Ordering::Relaxed);
        Ok(result.is_err().then(|| {
            let place = self.panic.lock().ok().and_then(|mut p| p.take());
            place.unwrap_or_default()
        }))
    }

    /// Leaves out what is not needed for the same panic.
    fn minimise(&mut self, mut data: Vec<u8>, place: &str) -> io::Result<Vec<u8>> {
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

/// Runs inputs until the time is over. Each place that panics is told once.
fn work(args: &Args, begun: Arc<Begun>, start: Instant, counts: &Counts) -> io::Result<()> {
    let panic = Arc::new(Mutex::new(None));
    let place = panic.clone();
    std::panic::set_hook(Box::new(move |info| {
        if let Ok(mut last) = place.lock() {
            *last = Some((info.location().map(|l| l.to_string()).unwrap_or_default(), info.to_string()));
        }
    }));
    let target = args.target;
    let current = File::create(folder(target).join("current"))?;
    let mut worker = Worker { target, current, begun, start, panic };
    let mut corpus = Corpus::new(seeds::all(target, Path::new("examples")), CORPUS);
    let (mut rng, mut seen, mutator) = (Rng::new(args.seed), Seen::default(), Mutator { kind: target.kind });
    let (mut known_places, seeds) = (BTreeSet::new(), corpus.seeds);
    let (mut shown, terminal) = (Instant::now(), io::stdout().is_terminal());
    let every = if terminal { Duration::from_millis(500) } else { REPORT };
    let mut index = 0;
    while clock(start) / 1000 < args.seconds {
        let known = seen.0.len();
        let data = match rng.below(STRETCH) {
            _ if index < seeds => corpus.inputs[index].clone(),
            0 => {
                let base = rng.pick(&corpus.inputs).cloned().unwrap_or_default();
                let length = target.longest >> rng.below(10);
                mutator.stretched(&base, &mut rng, length)
            }
            n => mutator.next(&corpus.inputs, &mut rng, if n % 100 == 1 { MAX_LONG } else { MAX_INPUT }),
        };
        let before = clock(start);
        let found = worker.run(&data, &mut seen)?;
        let took = clock(start).saturating_sub(before);
        if took > counts.slowest.load(Ordering::Relaxed) {
            counts.slowest.store(took, Ordering::Relaxed);
            counts.slowest_bytes.store(data.len() as u64, Ordering::Relaxed);
            // What takes long on a part of the longest input may take too long on all of it.
            if took > SLOW {
                std::fs::write(folder(target).join("slowest"), &data)?;
            }
        }
        if let Some((place, message)) = found {
            if known_places.insert(place.clone()) {
                println!("\n{}", beginning(&message));
                let small = worker.minimise(data, &place)?;
                if let Some((_, message)) = worker.run(&small, &mut Seen::default())? {
                    println!("made smaller, {} bytes:\n{}", small.len(), beginning(&message));
                }
                println!("found with seed {}\n{}", args.seed, keep(target, &small)?);
                counts.findings.fetch_add(1, Ordering::Relaxed);
            }
        } else if index >= seeds && seen.0.len() > known && data.len() <= MAX_INPUT {
            corpus.keep(data, &mut rng);
        }
        index += 1;
        counts.inputs.store(index as u64, Ordering::Relaxed);
        counts.kept.store(corpus.inputs.len() as u64, Ordering::Relaxed);
        counts.seen.store(seen.0.len() as u64, Ordering::Relaxed);
        if shown.elapsed() > every {
            shown = Instant::now();
            let seconds = clock(start) as f64 / 1000.0;
            let (rate, kept, seen) = (index as f64 / seconds, corpus.inputs.len(), seen.0.len());
            let end = if terminal { "\r" } else { "\n" };
            let name = target.name;
            let places = known_places.len();
            print!(
                "{name} {seconds:5.0} s: {index} inputs, {rate:.0} per second, {kept} kept, {seen} things seen, {places} findings{end}"
            );
            io::stdout().flush()?;
        }
    }
    Ok(())
}

/// As much of a message as anybody reads.
fn beginning(message: &str) -> String {
    message.chars().take(3000).collect()
}
