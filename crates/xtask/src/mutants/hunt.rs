//! Trying mutants, one after the other, until a test notices.

use std::collections::BTreeMap;
use std::io::IsTerminal as _;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use super::Listed;
use super::build::Program;
use super::programs::{Ended, Known, Test, try_mutant};
use super::results::{Outcome, Results};

/// How many of the tests that caught other mutants of a function come first.
const CATCHERS: usize = 4;
/// How long the first tests may take together; those after them twice as long, and so on.
const FIRST: f64 = 0.25;

/// Tests that run together: all of one program.
#[derive(PartialEq, Debug)]
struct Batch {
    program: usize,
    tests: Vec<String>,
    seconds: f64,
}

/// The tests in the order in which they are tried: first those that caught something in the same function, then short
/// ones before long ones. A program does not stop at its first failure, so that it gets few tests at a time.
fn batches(all: &[Test], reaching: &[usize], catchers: &[usize]) -> Vec<Batch> {
    let alone = |t: &Test| Batch { program: t.program, tests: vec![t.name.clone()], seconds: t.seconds };
    let first: Vec<usize> = catchers.iter().rev().filter(|c| reaching.contains(c)).take(CATCHERS).copied().collect();
    let mut batches: Vec<Batch> = first.iter().map(|t| alone(&all[*t])).collect();
    let mut rest: Vec<&Test> = reaching.iter().filter(|t| !first.contains(t)).map(|t| &all[*t]).collect();
    rest.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
    let (mut budget, mut used) = (FIRST, 0.0);
    let mut together: BTreeMap<usize, Batch> = BTreeMap::new();
    for test in rest {
        if used + test.seconds > budget && !together.is_empty() {
            batches.extend(std::mem::take(&mut together).into_values());
            (budget, used) = (budget * 2.0, 0.0);
        }
        used += test.seconds;
        let empty = || Batch { program: test.program, tests: Vec::new(), seconds: 0.0 };
        let batch = together.entry(test.program).or_insert_with(empty);
        batch.tests.push(test.name.clone());
        batch.seconds += test.seconds;
    }
    batches.extend(together.into_values());
    batches
}

/// What the threads share.
struct Shared<'a> {
    results: &'a mut Results,
    /// For each function the tests that caught something in it, the last one last.
    catchers: BTreeMap<(String, String), Vec<usize>>,
    progress: Progress,
    trouble: Option<String>,
}

/// What mutants are tried with.
pub struct Tests<'a> {
    pub programs: &'a [Program],
    pub known: &'a Known,
    /// How many seconds a test may take for a mutant; longer ones are left out.
    pub longest: &'a (dyn Fn(&Listed) -> f64 + Sync),
}

/// Tries mutants with all tests that reach them, except those that they have survived already.
pub fn hunt(mutants: &[&Listed], tests: &Tests<'_>, results: &mut Results, jobs: usize) -> Result<(), String> {
    let progress = Progress::new(mutants.len());
    let shared = Mutex::new(Shared { results, catchers: BTreeMap::new(), progress, trouble: None });
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..jobs.max(1) {
            scope.spawn(|| {
                while let Some(mutant) = mutants.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let lock = || shared.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                    if lock().trouble.is_some() {
                        return;
                    }
                    if let Err(trouble) = try_one(mutant, tests, &lock) {
                        lock().trouble = Some(trouble);
                    }
                }
            });
        }
    });
    let shared = shared.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    shared.trouble.map_or(Ok(()), Err)
}

fn try_one<'g, 'a: 'g>(
    mutant: &Listed,
    tests: &Tests<'_>,
    lock: &impl Fn() -> std::sync::MutexGuard<'g, Shared<'a>>,
) -> Result<(), String> {
    let Tests { programs, known, .. } = *tests;
    let longest = (tests.longest)(mutant);
    let function = (mutant.file.clone(), mutant.mutant.function.clone());
    let (mut passed, catchers) = {
        let shared = lock();
        let passed = match shared.results.get(&mutant.key, &mutant.hash) {
            Some(Outcome::Survived(passed)) => passed.clone(),
            _ => BTreeMap::new(),
        };
        (passed, shared.catchers.get(&function).cloned().unwrap_or_default())
    };
    let is_new = |p: usize| passed.get(&programs[p].name) != Some(&programs[p].hash);
    let reaching = known.reach.get(&mutant.number).map(Vec::as_slice).unwrap_or_default();
    let is_wanted = |t: &usize| is_new(known.tests[*t].program) && known.tests[*t].seconds <= longest;
    let reaching: Vec<usize> = reaching.iter().copied().filter(is_wanted).collect();
    let mut outcome = None;
    for batch in batches(&known.tests, &reaching, &catchers) {
        let program = &programs[batch.program];
        let ended = try_mutant(program, &batch.tests, batch.seconds, mutant.number)?;
        let by = format!("{} {}", program.name, batch.tests.join(" "));
        outcome = match ended {
            Ended::Passed => continue,
            Ended::Failed => Some(Outcome::Caught(by)),
            Ended::TimedOut => Some(Outcome::TimedOut(by)),
        };
        let mut shared = lock();
        if let [test] = &batch.tests[..] {
            let found = known.tests.iter().position(|t| t.program == batch.program && t.name == *test);
            let list = shared.catchers.entry(function.clone()).or_default();
            if let Some(test) = found {
                list.retain(|t| *t != test);
                list.push(test);
            }
        } else if ended == Ended::Failed {
            let of = |name: &String| known.tests.iter().position(|t| t.program == batch.program && t.name == *name);
            drop(shared);
            // Which one it is is worth knowing, for the reader and for the next mutant of this function.
            for test in &batch.tests {
                let seconds = of(test).map_or(batch.seconds, |t| known.tests[t].seconds);
                if try_mutant(program, std::slice::from_ref(test), seconds, mutant.number)? != Ended::Passed {
                    outcome = Some(Outcome::Caught(format!("{} {test}", program.name)));
                    lock().catchers.entry(function.clone()).or_default().extend(of(test));
                    break;
                }
            }
        }
        break;
    }
    let outcome = outcome.unwrap_or_else(|| {
        // Where tests were left out, it has not survived the program.
        let complete = |p: &usize| known.tests.iter().all(|t| t.program != *p || t.seconds <= longest);
        let done = (0..programs.len()).filter(complete).map(|p| &programs[p]);
        passed.extend(done.map(|p| (p.name.clone(), p.hash.clone())));
        Outcome::Survived(passed)
    });
    let mut shared = lock();
    shared.progress.count(&outcome);
    shared.results.put(&mutant.key, &mutant.hash, outcome)
}

/// Says now and then how far it is.
struct Progress {
    all: usize,
    caught: usize,
    timed_out: usize,
    survived: usize,
    started: Instant,
    told: Instant,
    pause: Duration,
}

impl Progress {
    fn new(all: usize) -> Progress {
        let pause = Duration::from_secs(if std::io::stdout().is_terminal() { 5 } else { 30 });
        let now = Instant::now();
        Progress { all, caught: 0, timed_out: 0, survived: 0, started: now, told: now, pause }
    }

    fn count(&mut self, outcome: &Outcome) {
        match outcome {
            Outcome::Caught(_) => self.caught += 1,
            Outcome::TimedOut(_) => self.timed_out += 1,
            Outcome::Survived(_) => self.survived += 1,
            Outcome::Unbuildable => {}
        }
        let done = self.caught + self.timed_out + self.survived;
        if self.told.elapsed() >= self.pause || done == self.all {
            self.told = Instant::now();
            println!(
                "{done} of {} tried: {} caught, {} timed out, {} survived; {} s",
                self.all,
                self.caught,
                self.timed_out,
                self.survived,
                self.started.elapsed().as_secs()
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn test(program: usize, name: &str, seconds: f64) -> Test {
        Test { program, name: name.to_owned(), seconds }
    }

    #[test]
    fn catchers_come_first_and_long_tests_last() {
        let all = [test(0, "long", 5.0), test(0, "a", 0.1), test(1, "b", 0.1), test(0, "c", 0.04), test(0, "d", 0.3)];
        let order: Vec<(usize, Vec<String>)> =
            batches(&all, &[0, 1, 2, 3, 4], &[1, 4]).into_iter().map(|b| (b.program, b.tests)).collect();
        let named = |program: usize, names: &[&str]| (program, names.iter().map(|&n| n.to_owned()).collect());
        let expected: Vec<(usize, Vec<String>)> =
            vec![named(0, &["d"]), named(0, &["a"]), named(0, &["c"]), named(1, &["b"]), named(0, &["long"])];
        assert_eq!(order, expected);
        assert!(batches(&all, &[], &[1]).is_empty());
        let together = batches(&all, &[1, 3], &[]);
        assert_eq!(together[0].tests, ["c", "a"]);
    }
}
