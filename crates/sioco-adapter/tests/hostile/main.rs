//! Whole campaigns against systems that crash, hang, send garbage or never stop sending: each ends in bounded time,
//! with the verdict that the rules give it (T-V3, T-E1 to T-E4), a complete journal, and nothing left behind.
//! `SIOCO_RUNS` says how many campaigns there are.
#![cfg(target_os = "linux")]
// Lints know tests by their attribute, which helpers do not have.
#![allow(clippy::unwrap_used)]

mod kinds;
mod sut;

use std::collections::BTreeMap;
use std::io::BufReader;
use std::net::{TcpListener, TcpStream};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use kinds::{Expected, KINDS, Kind, Over, Specification, Time};
use sioco_adapter::child::Program;
use sioco_adapter::client::{Client, ConnectionOptions};
use sioco_adapter::lines::Interrupt;
use sioco_adapter::tcp::Tcp;
use sioco_adapter::transport::Connector;
use sioco_exec::journal::{self, About, Header};
use sioco_exec::settings::{Interaction, Walks};
use sioco_exec::verdict::{Cause, Trouble};
use sioco_exec::{Clock, Driver, Record, Settings, Stamped, Summary, Verdict, drive};
use sioco_model::Model;
use sioco_plan::{Cover, Plan};
use sioco_solve::BackEnd;
use sioco_solve::values::Bounds;

/// Tells the processes of a campaign from all others.
const MARK: &str = "SIOCO_TEST_MARK";
/// A time-out that is not meant to run out, on however busy a machine.
const LONG: Duration = Duration::from_secs(15);
/// A time-out that is meant to run out.
const SHORT: Duration = Duration::from_millis(100);
/// How long a campaign may take.
const BOUND: Duration = Duration::from_secs(60);
/// How many campaigns go on at the same time: most of their time is waiting.
const WORKERS: usize = 4;

/// Not a test: the systems under test. Without a mode there is nothing to play.
#[test]
fn play_the_sut() {
    if let Ok(mode) = std::env::var(sut::MODE) {
        sut::child(&mode);
    }
}

fn builtin() -> Box<dyn Bounds> {
    Box::new(BackEnd::BuiltIn.chain())
}

fn model(text: &str) -> Model {
    let checked = sioco_lang::check_text("m.sts", text);
    checked.model.unwrap_or_else(|| panic!("{:?}", checked.diagnostics)).model
}

struct Wall(Instant);

impl Clock for Wall {
    fn now(&mut self) -> Duration {
        self.0.elapsed()
    }
}

/// A specification with a plan.
struct Spec {
    model: Model,
    plan: Plan,
}

impl Spec {
    fn new(text: &str) -> Spec {
        let model = model(text);
        let options = sioco_plan::PlanOptions { steering: false, ..sioco_plan::PlanOptions::new(Cover::Switch) };
        let plan = sioco_plan::plan(&model, &builtin, &options, &mut |_| {}).unwrap();
        Spec { model, plan }
    }
}

/// A campaign, and all that was recorded.
fn campaign(spec: &Spec, kind: &Kind, seed: u64, connector: Box<dyn Connector>) -> (Summary, Vec<Stamped>, Settings) {
    let short = |which: Time| if kind.short == Some(which) { SHORT } else { LONG };
    let options = ConnectionOptions {
        hello: short(Time::Hello),
        reset: short(Time::Reset),
        write: LONG,
        grace: SHORT,
        ..ConnectionOptions::default()
    };
    let settings = Settings {
        seed,
        walks: if seed.is_multiple_of(2) { Walks::Random } else { Walks::Guided },
        // Where times run out, each run takes one.
        max_steps: Some(if kind.short.is_some() { 30 } else { 60 }),
        // Who never stops sending does not hear the next reset.
        fail_fast: true,
        walk: 12,
        quiescence: short(Time::Quiescence),
        patience: short(Time::Patience),
        interaction: (kind.spec == Specification::Lazy).then_some(Interaction::Fair),
        ..Settings::default()
    };
    let mut records = Vec::new();
    let mut client = Client::new(&spec.model, connector, options, Interrupt::default());
    let mut tester = Driver::new(&spec.model, &builtin, &spec.plan, settings.clone());
    let summary =
        drive(&mut tester, &mut client, &mut Wall(Instant::now()), &mut |stamped| records.push(stamped.clone()));
    (summary, records, settings)
}

/// The same against a child process, of which nothing is left afterwards.
fn by_child(spec: &Spec, kind: &Kind, seed: u64) -> (Summary, Vec<Stamped>, Settings) {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let mark = format!("{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
    let exe = std::env::current_exe().expect("a path").display().to_string();
    let words = [&exe, "play_the_sut", "--exact", "--nocapture"].map(str::to_owned).to_vec();
    let (run, input) = begins(seed);
    let mode = format!("{} {run} {input}", kind.name);
    let environment = vec![(sut::MODE.into(), mode), (MARK.into(), mark.clone())];
    let found = campaign(spec, kind, seed, Box::new(Program { words, environment, directory: None }));
    let start = Instant::now();
    // A killed process takes a moment to die.
    loop {
        let left = processes(&mark);
        if left.is_empty() {
            return found;
        }
        assert!(start.elapsed() < BOUND, "{}, seed {seed}: left behind: {left:?}", kind.name);
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// The processes with a mark that live.
fn processes(mark: &str) -> Vec<String> {
    let mark = format!("{MARK}={mark}");
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").expect("/proc").flatten() {
        let environment = std::fs::read(entry.path().join("environ")).unwrap_or_default();
        if environment.split(|b| *b == 0).any(|variable| variable == mark.as_bytes()) {
            found.push(entry.file_name().display().to_string());
        }
    }
    found
}

/// The same against a server.
fn by_tcp(spec: &Spec, kind: &Kind, seed: u64) -> (Summary, Vec<Stamped>, Settings) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let tcp = Tcp { patience: if kind.name == "nobody" { SHORT } else { LONG }, ..Tcp::new("127.0.0.1", port) };
    if kind.name == "nobody" {
        drop(listener);
        return campaign(spec, kind, seed, Box::new(tcp));
    }
    let over = AtomicBool::new(false);
    let (run, input) = begins(seed);
    std::thread::scope(|scope| {
        let server = scope.spawn(|| {
            loop {
                let (mut stream, _) = listener.accept().unwrap();
                if over.load(Ordering::SeqCst) {
                    return;
                }
                stream.set_nodelay(true).unwrap();
                let mut reader = BufReader::new(stream.try_clone().unwrap());
                let sut = sut::Sut { kind: kind.name, run, input, child: false };
                let _ = sut.converse(&mut reader, &mut stream);
            }
        });
        let found = std::panic::catch_unwind(|| campaign(spec, kind, seed, Box::new(tcp)));
        over.store(true, Ordering::SeqCst);
        drop(TcpStream::connect(("127.0.0.1", port)).unwrap());
        server.join().unwrap();
        found.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

/// From which run on a system is wrong, and at which input.
fn begins(seed: u64) -> (u64, u64) {
    (1 + seed / 3 % 2, 1 + seed % 3)
}

/// What a campaign came to, in words.
fn outcome(summary: &Summary) -> String {
    let verdict = summary.verdict.map_or("none", Verdict::name);
    match summary.bad.iter().find(|bad| Some(bad.verdict) == summary.verdict).map(|bad| &bad.cause) {
        Some(Cause::Failure(failure)) => format!("{verdict} ({})", failure.name()),
        Some(Cause::Trouble(Trouble::Fault { kind, .. })) => format!("{verdict} ({})", kind.name()),
        Some(Cause::Trouble(Trouble::Refused { .. })) => format!("{verdict} (refused)"),
        Some(other) => format!("{verdict} ({other:?})"),
        None if summary.withdrawn > 0 => format!("{verdict}, silence withdrawn"),
        None if summary.stale + summary.unheard > 0 => format!("{verdict}, outputs of older runs dropped"),
        None => verdict.into(),
    }
}

fn as_expected(expected: &Expected, summary: &Summary) -> bool {
    match expected {
        Expected::Good => summary.verdict < Some(Verdict::Inconclusive) && summary.runs[0] > 1,
        Expected::Old => summary.verdict < Some(Verdict::Inconclusive) && summary.stale + summary.unheard > 1,
        // What is late may not be what a purpose wants.
        Expected::Withdrawn => summary.verdict < Some(Verdict::Error) && summary.withdrawn > 0,
        // The last switch of that model is the one that says so.
        Expected::Closed => summary.verdict < Some(Verdict::Error) && summary.switches.last() == Some(&(true, true)),
        Expected::Fail(name) => outcome(summary) == format!("fail ({name})"),
        Expected::Error(kind) => outcome(summary) == format!("error ({kind})"),
        Expected::Either(one, other) => [one, other].iter().any(|k| outcome(summary) == format!("error ({k})")),
    }
}

/// Every run begins, has a verdict and ends before the next one; inputs are answered once; the campaign ends once; and
/// the journal tells the same when it is read again.
fn is_complete(spec: &Spec, summary: &Summary, records: &[Stamped], settings: &Settings) -> Result<(), String> {
    let (mut runs, mut open, mut sent, mut verdicts, mut ended) = (0, false, None, [0; 5], false);
    for (at, stamped) in records.iter().enumerate() {
        let wrong = |what: &str| Err(format!("record {at}, {:?}: {what}", stamped.record));
        if ended {
            return wrong("it is after the end");
        }
        match &stamped.record {
            Record::Run { .. } if open => return wrong("the run before has no verdict"),
            Record::Run { .. } => {
                (runs, open, sent) = (runs + 1, true, None);
            }
            Record::Fault(_) if open => return wrong("the run has no verdict"),
            Record::Fault(_) => {}
            Record::End { .. } if open => return wrong("the last run has no verdict"),
            Record::End { why, stale, .. } => {
                ended = true;
                if *why != summary.end || *stale != summary.stale {
                    return wrong("the summary says something else");
                }
            }
            _ if !open => return wrong("it is in no run"),
            Record::Input { .. } if sent.is_some() => return wrong("an input was not answered"),
            Record::Input { id, .. } => sent = Some(*id),
            Record::Accepted { id } | Record::Refused { id, .. } => {
                if sent.take() != Some(*id) {
                    return wrong("no such input");
                }
            }
            Record::Verdict { verdict, .. } => {
                open = false;
                verdicts[*verdict as usize] += 1;
            }
            Record::Observed(_)
            | Record::TimedOut(_)
            | Record::Hurried
            | Record::Purpose { .. }
            | Record::Again { .. } => {}
        }
    }
    if !ended || verdicts != summary.runs || runs != verdicts.iter().sum::<u64>() {
        return Err(format!("ended: {ended}, {runs} runs, {verdicts:?}"));
    }
    let about = About::new(&spec.model, "m.sts", None, &[]);
    let header = Header { model: about, settings: settings.clone(), ..Header::default() }.with_plan(&spec.plan);
    let lines: String = records.iter().map(|stamped| journal::line(&spec.model, stamped)).collect();
    let read = journal::read(&(header.line() + &lines), &spec.model).map_err(|error| error.to_string())?;
    let same = read.records.iter().map(|(_, stamped)| &stamped.record).eq(records.iter().map(|s| &s.record));
    if read.cut || !same || !read.remarks.is_empty() {
        return Err(format!("cut: {}, same: {same}, {:?}", read.cut, read.remarks));
    }
    Ok(())
}

/// By transport and kind: how often each verdict was given.
type Table<'a> = BTreeMap<(Over, &'a str), BTreeMap<String, u64>>;

#[test]
fn campaigns_end_with_the_right_verdict_whatever_the_system_does() {
    let specs = [Specification::Prompt, Specification::Lazy, Specification::Closing].map(|s| Spec::new(s.text()));
    let pairs: Vec<(&Kind, Over)> =
        KINDS.iter().flat_map(|kind| kind.over.iter().map(move |over| (kind, *over))).collect();
    let wanted = std::env::var("SIOCO_RUNS").ok().and_then(|n| n.parse().ok()).unwrap_or(pairs.len() as u64);
    let table: Mutex<Table<'_>> = Mutex::default();
    let longest: Mutex<(Duration, &str)> = Mutex::default();
    let next = AtomicU64::new(0);
    let work = || {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= wanted {
                return;
            }
            let (kind, over) = pairs[number as usize % pairs.len()];
            // Those that are tried only once begin to be wrong at different places.
            let seed = number / pairs.len() as u64 + number;
            let spec = &specs[kind.spec as usize];
            let start = Instant::now();
            let (summary, records, settings) = match over {
                Over::Child => by_child(spec, kind, seed),
                Over::Tcp => by_tcp(spec, kind, seed),
            };
            let took = start.elapsed();
            let what = format!("{} over {over:?}, seed {seed}", kind.name);
            assert!(took < BOUND, "{what}: it took {took:?}");
            assert!(
                as_expected(&kind.expected, &summary),
                "{what}: {}, not {:?}\n{summary:?}\n{records:#?}",
                outcome(&summary),
                kind.expected
            );
            if let Err(why) = is_complete(spec, &summary, &records, &settings) {
                panic!("{what}: {why}\n{records:#?}");
            }
            *table.lock().unwrap().entry((over, kind.name)).or_default().entry(outcome(&summary)).or_default() += 1;
            let mut longest = longest.lock().unwrap();
            *longest = (*longest).max((took, kind.name));
        }
    };
    std::thread::scope(|scope| (0..WORKERS).for_each(|_| drop(scope.spawn(work))));
    let table = table.into_inner().unwrap();
    for ((over, kind), outcomes) in &table {
        let outcomes: Vec<String> = outcomes.iter().map(|(what, n)| format!("{what}: {n}")).collect();
        println!("{over:?} {kind}: {}", outcomes.join("; "));
    }
    println!("the longest: {:?}", longest.into_inner().unwrap());
    assert_eq!(table.values().flat_map(BTreeMap::values).sum::<u64>(), wanted);
}
