//! `sioco replay`: run a recorded run again.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use clap::Args;
use sioco_campaign::drive::Since;
use sioco_campaign::engine::Engine;
use sioco_campaign::trails::Trails;
use sioco_campaign::watch::Watched;
use sioco_exec::drive::Bench;
use sioco_exec::journal::{self, decode, read_header};
use sioco_exec::log::{Log, LoggedRun};
use sioco_exec::quiescence_time::Slower;
use sioco_exec::record::Stamped;
use sioco_exec::replay::{Patience, Point, Replayed, is_alike, replay};
use sioco_exec::shrink::Rate;
use sioco_exec::suite::Suite;
use sioco_exec::summary::most_telling;
use sioco_exec::verdict::{Cause, Failure as Wrong, Verdict};
use sioco_exec::{Observation, Order, Referee, Sut};
use sioco_report::analysis::Source;
use sioco_report::run::again::{FoundLine, ReplayLine, TimeLine};
use sioco_report::run::{Bad, Page, RateLine, bad_run, cause_in_words};
use sioco_solve::{BackEnd, Cancellation};

use crate::exit::Exit;
use crate::failure::Failure;
use crate::files::ShownPath;
use crate::interrupt;
use crate::model::{Choices, load};
use crate::options::{Rule, Ruled, always};
use crate::output::{Format, Output};
use crate::permission::{Said, Wish};
use crate::run::journal::{find, read, read_bytes, wrong};
use crate::run::slower;
use crate::run::sut;
use crate::seconds;
use crate::solver_choice::SolverChoice;

/// So many hypotheses are followed.
const HYPOTHESES: usize = 10_000;

/// Run a recorded run again
///
/// Sends the inputs of a recorded run again at the same places, and judges anew what comes back. FIXED: the SUT came to
/// where it failed, and did something that is allowed. FAILED: it fails again. FLAKY: it fails only sometimes. NOT
/// REPRODUCED: it did not come there, or may only have chosen otherwise. A model that plays the SUT chooses as it was
/// recorded, as long as it can.
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  sioco replay k7Qp2
  sioco replay k7Qp2 --sut 'python3 fixed.py' --times 10
  sioco replay run.jsonl --run 3 --model other.sts

Exit codes:
  0    FIXED: it does not fail any more where it failed
  1    FAILED: it fails again
  2    the command line, the model or the journal is wrong
  3    FLAKY: it fails sometimes; NOT REPRODUCED: it did not fail, and
       that shows nothing; or it is inconclusive
  4    nothing to run: no run of the journal failed
  5    adapter, SUT infrastructure or solver broke down
  130  interrupted")]
pub struct Replay {
    /// The journal: its short name or its file
    #[arg(value_name = "ID|FILE")]
    journal: String,

    /// The system under test [default: the one that was tested]
    #[arg(long, value_name = "SUT")]
    sut: Option<String>,

    /// Starts whatever the journal names, without a question: journals may come from anywhere
    #[arg(long)]
    trust: bool,

    /// The model [default: the one that was tested against]
    #[arg(long, value_name = "FILE")]
    model: Option<PathBuf>,

    #[command(flatten)]
    choices: Choices,

    #[command(flatten)]
    solver: SolverChoice,

    /// The run to replay [default: the failing run that `sioco test` shows first, in its shortest form]
    #[arg(long, value_name = "N")]
    run: Option<u64>,

    /// How often to run it
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    times: u64,

    /// After how many milliseconds without an output the SUT counts as silent [default: as recorded]
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..=3_600_000))]
    quiescence: Option<u64>,

    /// Another quiescence time after an event at a gate, or in a location, as in `rcpt=2s` [default: as recorded]
    #[arg(long = "quiescence-at", value_name = "NAME=TIME", value_parser = slower::parse)]
    slower: Vec<(String, Duration)>,

    /// How long the adapter may take to say hello, to reset the system and to accept an input, in seconds [default: as
    /// recorded]
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, value_parser = seconds::some)]
    patience: Option<Duration>,

    /// Output format: text for people, or JSON (the records as they come, and a summary)
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// What came of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Outcome {
    Fixed,
    Failed,
    Flaky,
    Passed,
    NotReproduced(Shown),
    Inconclusive,
    Error,
}

/// Why runs that do not fail show nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Shown {
    /// The system went another way before it came to where it failed.
    Elsewhere,
    /// It came there with other values.
    Values,
    /// It makes choices of its own.
    Choices,
    /// It is not known whether it can still do what was recorded.
    Unknown,
}

impl Outcome {
    fn name(self) -> &'static str {
        match self {
            Outcome::Fixed => "FIXED",
            Outcome::Failed => "FAILED",
            Outcome::Flaky => "FLAKY",
            Outcome::Passed => "PASSED",
            Outcome::NotReproduced(_) => "NOT REPRODUCED",
            Outcome::Inconclusive => "INCONCLUSIVE",
            Outcome::Error => "ERROR",
        }
    }

    fn exit(self) -> Exit {
        match self {
            Outcome::Fixed | Outcome::Passed => Exit::Ok,
            Outcome::Failed => Exit::Fail,
            Outcome::Flaky | Outcome::NotReproduced(_) | Outcome::Inconclusive => Exit::Inconclusive,
            Outcome::Error => Exit::Infrastructure,
        }
    }

    /// What several verdicts mean together, for a run that failed or did not.
    fn of(found: &[Replayed], failed: bool, again: Option<Rate>) -> Outcome {
        // What somebody interrupted says nothing.
        let found: Vec<&Replayed> = found.iter().filter(|r| !r.interrupted).collect();
        let has = |v: Verdict| found.iter().any(|r| r.verdict == v);
        let fails = found.iter().filter(|r| r.verdict == Verdict::Fail).count();
        match fails {
            _ if found.is_empty() => Outcome::Inconclusive,
            0 if has(Verdict::Error) => Outcome::Error,
            0 if has(Verdict::Inconclusive) => Outcome::Inconclusive,
            0 if failed => Outcome::without_failure(&found, again),
            0 => Outcome::Passed,
            n if n == found.len() => Outcome::Failed,
            _ => Outcome::Flaky,
        }
    }

    /// What it means if a run that failed does not fail any more.
    fn without_failure(found: &[&Replayed], again: Option<Rate>) -> Outcome {
        if found.iter().any(|r| r.cannot == Some(true)) {
            return Outcome::Fixed;
        }
        if found.iter().any(|r| r.cannot == Some(false)) {
            return Outcome::NotReproduced(Shown::Unknown);
        }
        // What failed each time it was run again did not depend on values that change from run to run.
        let always = again.is_some_and(|rate| rate.of > 1 && rate.failed == rate.of);
        let is_there = |r: &Replayed| match r.point {
            Point::Same => true,
            Point::Values => always,
            Point::Elsewhere => false,
        };
        let there: Vec<&Replayed> = found.iter().copied().filter(|r| is_there(r)).collect();
        let passed = there.len() as u64;
        match again.filter(|_| !always) {
            _ if there.is_empty() && found.iter().all(|r| r.point == Point::Values) => {
                Outcome::NotReproduced(Shown::Values)
            }
            _ if there.is_empty() => Outcome::NotReproduced(Shown::Elsewhere),
            // It did not always fail before anybody could mend anything: passing a few times says nothing.
            Some(rate) if enough(rate).is_none_or(|enough| passed < enough) => Outcome::Flaky,
            None if passed < EXPECTED && chooses(found, &there) => Outcome::NotReproduced(Shown::Choices),
            _ => Outcome::Fixed,
        }
    }
}

/// Whether the system does now one thing and now another, on its way to where it failed or there.
fn chooses(found: &[&Replayed], there: &[&Replayed]) -> bool {
    let last = |r: &Replayed| r.last.clone();
    let alike = |a: Option<Observation>, b: Option<Observation>| match (a, b) {
        (Some(a), Some(b)) => is_alike(&a, &b),
        (a, b) => a == b,
    };
    found.iter().any(|r| r.point == Point::Elsewhere) || there.windows(2).any(|w| !alike(last(w[0]), last(w[1])))
}

/// If a run that failed only sometimes passes, it has to pass as often as it would otherwise have failed so many times. The
/// same holds for a system that makes choices of its own.
const EXPECTED: u64 = 10;

/// How often a run that failed at this rate, in some of its runs, has to pass until that says something; never, if it did
/// not fail again.
fn enough(rate: Rate) -> Option<u64> {
    match rate.failed {
        0 => None,
        failed => Some(EXPECTED.saturating_mul(rate.of).div_ceil(failed)),
    }
}

impl Ruled for Replay {
    fn rules() -> Vec<Rule<Replay>> {
        let all = always(&[
            "sut",
            "trust",
            "model",
            "const",
            "system",
            "solver",
            "run",
            "times",
            "quiescence",
            "quiescence-at",
            "patience",
            "format",
        ]);
        all.collect()
    }
}

/// One of the times that a run was run again, for programs.
fn time_line<'a>(source: Source<'a>, replayed: &'a Replayed) -> TimeLine<'a> {
    TimeLine {
        found: FoundLine::new(source, replayed.verdict, &replayed.cause, replayed.steps, replayed.explanation.as_ref()),
        deviated: replayed.deviated,
        point: replayed.point.name(),
    }
}

impl Replay {
    /// Runs it again.
    pub fn run(&self, out: &mut Output) -> Result<Exit, Failure> {
        let back_end = self.solver.back_end()?;
        let path = find(&self.journal)?;
        let bytes = read_bytes(&path)?;
        let text = decode(&bytes).map_err(|error| wrong(&path, &error))?;
        let header = read_header(text).map_err(|error| wrong(&path, &error))?;
        let file = self.model.clone().unwrap_or_else(|| header.model.file.clone().into());
        // What was chosen then is chosen again, unless somebody says otherwise.
        let mut choices = self.choices.clone();
        if self.model.is_none() {
            choices.system = choices.system.or(header.model.system.clone());
            let given = choices.consts.clone();
            let kept = header.model.consts.iter().filter(|(name, _)| given.iter().all(|(n, _)| n != name));
            choices.consts.extend(kept.cloned());
        } else if !header.model.consts.is_empty() || header.model.system.is_some() {
            let then = Choices { consts: header.model.consts.clone(), system: header.model.system.clone() };
            let options = then.command("", &file);
            let options = options.split_once(" --").map_or("", |(_, options)| options);
            out.say(format_args!(
                "note: `--model` takes another model as it is; the journal was made with `--{options}`"
            ));
        }
        let name = self.sut.as_ref().unwrap_or(&header.sut);
        let (checked, model) = load(&file, &choices, out).map_err(|failure| match self.model {
            Some(_) => failure,
            None => failure.help("the journal names this model; `--model FILE` takes another"),
        })?;
        let source = Source { checked: &model, sources: &checked.sources };
        let read = read(&path, text, &model.model)?;
        for remark in &read.remarks {
            out.say(format_args!("note: {}: {remark}", path.shown()));
        }
        let log = Log::of(&read);
        let recorded = self.choose(&log, &path)?;
        slower::check(&self.slower, &model.model)?;
        let slower = Slower::new(&model.model, &slower::join(&header.settings.slower, &self.slower));
        let patience = Patience {
            quiescence: self.quiescence.map_or(header.settings.quiescence, Duration::from_millis),
            slower: Some(&slower),
            accepted: self.patience.unwrap_or(header.settings.patience),
        };
        let said = if self.sut.is_some() { Said::User } else { Said::Journal(&path) };
        let wish = Wish { sut: name, said, trust: self.trust };
        let prepared = sut::prepare(&wish, &file, Some(&model.model), &choices, out)?;
        // Whoever is asked something can still end the program by Ctrl-C until here.
        let interrupted = interrupt::flag();
        let cancellation = Cancellation::new([interrupted.clone()], None);
        let engine = Engine::new(&back_end, &cancellation);
        let solvers = engine.solvers();
        let asked = (engine, &solvers as _);
        let mut sut = sut::open(&prepared, &model.model, asked, patience.accepted, recorded.refusals, &cancellation);
        let mut sut = Watched { sut: &mut *sut, cancellation: &cancellation };
        let (found, trails) = self.again(source, &back_end, recorded, patience, &mut sut, out);
        sut.stop();
        out.progress("");
        self.tell(source, recorded, &found, &trails, &interrupted, out)
    }

    /// The run that is run again.
    fn choose<'l>(&self, log: &'l Log, path: &std::path::Path) -> Result<&'l LoggedRun, Failure> {
        match self.run {
            Some(number) => log.runs.iter().find(|run| run.number == number).ok_or_else(|| {
                let last = log.runs.last().map_or(0, |run| run.number);
                let failure = Failure::usage(format!("there is no run {number} in `{}`", path.shown()));
                failure.help(format!("its runs are numbered from 1 to {last}"))
            }),
            None => shortest(&log.runs).ok_or_else(|| {
                let message = Some(format!("no run of `{}` failed", path.shown()));
                let failure = Failure { exit: Exit::Nothing, message, help: None };
                failure.help("`--run N` chooses a run that did not fail")
            }),
        }
    }

    fn again(
        &self,
        source: Source<'_>,
        back_end: &BackEnd,
        recorded: &LoggedRun,
        patience: Patience<'_>,
        sut: &mut dyn Sut,
        out: &mut Output,
    ) -> (Vec<Replayed>, Trails) {
        let model = &source.checked.model;
        let cancellation = Cancellation::new([interrupt::flag()], None);
        let engine = Engine::new(back_end, &cancellation);
        let (solvers, oracle) = (engine.solvers(), engine.oracle(model));
        let asked = Some(oracle.0.clone() as _);
        let suite = Suite::default();
        let mut referee = Referee::with(model, &solvers, Order::Sut, suite, asked, HYPOTHESES);
        let mut trails = Trails::default();
        let mut found = Vec::new();
        let mut clock = Since(Instant::now());
        for number in 1..=self.times {
            let mut sink = |stamped: &Stamped| {
                oracle.refill();
                trails.record(stamped);
                if self.format == Format::Json {
                    out.json(journal::line(model, stamped).trim_end());
                    out.flush();
                }
            };
            // A system that chooses by its seed may choose as it did then, and otherwise in another way.
            let passed = found.iter().filter(|r: &&Replayed| r.verdict != Verdict::Fail).count() as u64;
            let seed = recorded.seed.map(|seed| seed.wrapping_add(passed));
            let recorded = &LoggedRun { seed, ..recorded.clone() };
            let replayed =
                replay(&mut referee, Bench { sut, clock: &mut clock }, recorded, number, patience, &mut sink);
            out.progress(format_args!("replaying: {number} of {}", self.times));
            let over = replayed.interrupted || replayed.verdict == Verdict::Error;
            found.push(replayed);
            if over {
                break;
            }
        }
        (found, trails)
    }

    fn tell(
        &self,
        source: Source<'_>,
        recorded: &LoggedRun,
        found: &[Replayed],
        trails: &Trails,
        interrupted: &AtomicBool,
        out: &mut Output,
    ) -> Result<Exit, Failure> {
        let model = &source.checked.model;
        let failed = recorded.verdict.as_ref().filter(|(v, _)| *v == Verdict::Fail);
        let verdicts: Vec<Verdict> = found.iter().map(|r| r.verdict).collect();
        let outcome = Outcome::of(found, failed.is_some(), recorded.again);
        let by_hand = found.iter().any(|r| r.interrupted) || interrupted.load(Ordering::Relaxed);
        let exit = if by_hand { Exit::Interrupted } else { outcome.exit() };
        let fails = verdicts.iter().filter(|v| **v == Verdict::Fail).count();
        if self.format == Format::Json {
            out.object(&ReplayLine {
                kind: "replay",
                outcome: outcome.name(),
                exit: exit as u8,
                run: recorded.number,
                shrunk: recorded.shrunk,
                again: recorded.again.map(|rate| RateLine { failed: rate.failed, of: rate.of }),
                failed: fails,
                times: found.iter().map(|r| time_line(source, r)).collect(),
            });
            return Ok(exit);
        }
        let page = Page { width: out.width(), style: out.style() };
        let failing = most_telling(found.iter().map(|r| (r.verdict, r.steps))).map(|i| (i, &found[i]));
        let worst =
            failing.or_else(|| found.iter().enumerate().max_by_key(|(i, r)| (r.verdict, std::cmp::Reverse(*i))));
        if let Some((i, bad)) = worst.filter(|(_, r)| r.verdict > Verdict::WeakPass && !r.interrupted) {
            let number = i as u64 + 1;
            let shown = Bad {
                source,
                run: recorded.number,
                verdict: bad.verdict,
                cause: &bad.cause,
                explanation: bad.explanation.as_ref(),
                steps: trails.of(number),
                begun: trails.begun(number),
                unaccepted: trails.unaccepted(number),
                seed: recorded.seed,
                file: None,
                replay: None,
                shrunk: None,
                notes: &[],
            };
            out.print(&bad_run(&shown, page));
            out.line("");
        }
        let style = out.style();
        let title = match outcome {
            Outcome::Fixed | Outcome::Passed => style.green(outcome.name()),
            Outcome::Failed | Outcome::Error => style.red(outcome.name()),
            Outcome::Flaky | Outcome::NotReproduced(_) | Outcome::Inconclusive => style.yellow(outcome.name()),
        };
        let times = |n: usize| if n == 1 { "once".to_owned() } else { format!("{n} times") };
        let all = times(found.len());
        let number = match recorded.shrunk {
            Some(of) => format!("{}, the shortest form of run {of},", recorded.number),
            None => recorded.number.to_string(),
        };
        let what = match outcome {
            Outcome::Fixed => format!("run {number} does not fail any more, tried {all}"),
            Outcome::Passed => format!("run {number} passes, tried {all}"),
            Outcome::Failed => {
                let first = found.iter().find_map(|r| Some((failure(&r.cause)?, r.steps)));
                let steps = recorded.steps.len() as u64 + u64::from(recorded.unanswered.is_some());
                let before = failed.and_then(|(_, cause)| failure(cause)).map(|f| (f, steps));
                match before {
                    None => format!("run {number}, which did not fail when it was recorded, fails now, {all}"),
                    Some(before) if first.is_some_and(|first| is_same(before, first)) => {
                        format!("run {number} fails again, {all}, with the same failure")
                    }
                    Some(_) => format!("run {number} fails again, {all}, with another failure or at another step"),
                }
            }
            Outcome::Flaky if fails == 0 => {
                let Rate { failed, of } = recorded.again.unwrap_or(Rate { failed: 0, of: 0 });
                let before = match (failed, of) {
                    (0, 1) => "did not fail when it was shrunk either, tried once".to_owned(),
                    (0, _) => format!("did not fail when it was shrunk either, tried {of} times"),
                    _ => format!("failed in {failed} of {of} runs when it was shrunk"),
                };
                format!("run {number} does not fail, tried {all}; but it {before}")
            }
            Outcome::Flaky => format!("run {number} failed {fails} of {} times", found.len()),
            Outcome::NotReproduced(why) => {
                let why = match why {
                    Shown::Elsewhere => "the SUT went another way before it came to where it failed, which is allowed",
                    Shown::Values => "the SUT came to where it failed with other values, which are allowed",
                    Shown::Choices => "the SUT chose otherwise: it does now one thing and now another, all allowed",
                    Shown::Unknown => "whether the model that is played can still do what was recorded is not known",
                };
                format!("run {number} does not fail, tried {all}; but {why}")
            }
            Outcome::Inconclusive => {
                let why = worst.map(|(_, r)| cause_in_words(model, &r.cause)).unwrap_or_default();
                format!("run {number} does not show it: {why}")
            }
            Outcome::Error => format!("run {number} could not be run again"),
        };
        out.line(format_args!("{title}  {what}"));
        if outcome == Outcome::Fixed && found.iter().any(|r| r.deviated) && failed.is_none() {
            out.line("  the SUT did something else than was recorded, which is allowed, too");
        }
        if outcome == Outcome::Flaky && fails == 0 {
            let more = recorded.again.and_then(enough);
            let more = more.map(|times| format!(": `--times {times}` would")).unwrap_or_default();
            out.line(format_args!("  it fails only sometimes: this does not show that it is mended{more}"));
        }
        if let Outcome::NotReproduced(why) = outcome {
            let more = match why {
                Shown::Choices => format!(": `--times {EXPECTED}` tries more often"),
                Shown::Elsewhere | Shown::Values | Shown::Unknown => String::new(),
            };
            out.line(format_args!("  this does not show that it is mended{more}"));
        }
        if by_hand {
            out.line("  interrupted");
        }
        Ok(exit)
    }
}

/// The failing run that `sioco test` shows first: of equally short ones, those that were shrunk have the simpler values.
fn shortest(runs: &[LoggedRun]) -> Option<&LoggedRun> {
    let of = |run: &LoggedRun| {
        let verdict = run.verdict.as_ref().map_or(Verdict::Pass, |(verdict, _)| *verdict);
        (verdict, run.steps.len() as u64)
    };
    let mut runs: Vec<&LoggedRun> = runs.iter().collect();
    runs.sort_by_key(|run| (run.shrunk.is_none(), run.shrunk));
    most_telling(runs.iter().map(|run| of(run))).map(|i| runs[i])
}

fn failure(cause: &Cause) -> Option<&Wrong> {
    match cause {
        Cause::Failure(failure) => Some(failure),
        _ => None,
    }
}

/// Whether two failures are the same, and at the same step. With which words an input is refused may change, and so may the
/// traceback of a crash.
fn is_same((a, at): (&Wrong, u64), (b, then): (&Wrong, u64)) -> bool {
    at == then
        && match (a, b) {
            (Wrong::Refused { input: a, .. }, Wrong::Refused { input: b, .. }) => a == b,
            (Wrong::Crashed(a), Wrong::Crashed(b)) => a.is_same(b),
            (a, b) => a == b,
        }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(verdicts: &[Verdict], point: Point) -> Vec<Replayed> {
        let of = |verdict: &Verdict| Replayed {
            verdict: *verdict,
            cause: Cause::Reached,
            explanation: None,
            steps: 1,
            deviated: point != Point::Same,
            point,
            last: Some(Observation::Delta),
            cannot: None,
            interrupted: false,
        };
        verdicts.iter().map(of).collect()
    }

    #[test]
    fn what_verdicts_mean_together() {
        use Verdict::*;
        for (verdicts, failed, outcome) in [
            (&[Pass, Pass][..], true, Outcome::Fixed),
            (&[Pass], false, Outcome::Passed),
            (&[Fail, Fail], true, Outcome::Failed),
            (&[Fail, Pass], true, Outcome::Flaky),
            (&[Pass, Inconclusive], true, Outcome::Inconclusive),
            (&[Pass, Error], true, Outcome::Error),
            (&[Fail, Error], true, Outcome::Flaky),
        ] {
            assert_eq!(Outcome::of(&found(verdicts, Point::Same), failed, None), outcome, "{verdicts:?}");
        }
        // What did not fail again before either is not mended by passing.
        for (failed, times, outcome) in [
            (0, 1000, Outcome::Flaky),
            (1, 49, Outcome::Flaky),
            (1, 50, Outcome::Fixed),
            (4, 12, Outcome::Flaky),
            (4, 13, Outcome::Fixed),
            (5, 1, Outcome::Fixed),
        ] {
            let again = Some(Rate { failed, of: 5 });
            let times = found(&vec![Pass; times], Point::Same);
            assert_eq!(Outcome::of(&times, true, again), outcome, "{failed} {}", times.len());
        }
        let gone = Some(Rate { failed: 0, of: 6 });
        assert_eq!(Outcome::of(&found(&[Fail, Fail], Point::Same), true, gone), Outcome::Failed);
        assert_eq!(Outcome::of(&found(&[Pass], Point::Same), false, gone), Outcome::Passed);
    }

    /// It is mended only where the system was where it failed, and did not just choose otherwise.
    #[test]
    fn what_does_not_fail_shows_something_only_where_it_failed() {
        use Verdict::*;
        let elsewhere = |why| Outcome::NotReproduced(why);
        let away = found(&[Pass, Pass], Point::Elsewhere);
        assert_eq!(Outcome::of(&away, true, None), elsewhere(Shown::Elsewhere));
        assert_eq!(Outcome::of(&away, false, None), Outcome::Passed);
        assert_eq!(Outcome::of(&found(&[Pass, Fail], Point::Elsewhere), true, None), Outcome::Flaky);
        // Other values matter, unless it failed each time before, whatever they were.
        let values = found(&[Pass, Pass], Point::Values);
        let rate = |failed| Some(Rate { failed, of: 5 });
        assert_eq!(Outcome::of(&values, true, None), elsewhere(Shown::Values));
        assert_eq!(Outcome::of(&values, true, Some(Rate { failed: 1, of: 1 })), elsewhere(Shown::Values));
        assert_eq!(Outcome::of(&values, true, rate(3)), elsewhere(Shown::Values));
        assert_eq!(Outcome::of(&values, true, rate(5)), Outcome::Fixed);
        // Who goes now here and now there may go elsewhere the next time.
        let mixed = [found(&[Pass], Point::Elsewhere), found(&[Pass], Point::Same)].concat();
        assert_eq!(Outcome::of(&mixed, true, None), elsewhere(Shown::Choices));
        let often = [found(&[Pass], Point::Elsewhere), found(&[Pass; 10], Point::Same)].concat();
        assert_eq!(Outcome::of(&often, true, None), Outcome::Fixed);
        let mut several = found(&[Pass, Pass], Point::Same);
        several[0].last = Some(Observation::Closed);
        assert_eq!(Outcome::of(&several, true, None), elsewhere(Shown::Choices));
        assert_eq!(Outcome::of(&several, true, rate(5)), elsewhere(Shown::Choices));
        // Only runs that came there count.
        let one = [found(&[Pass; 12], Point::Elsewhere), found(&[Pass; 12], Point::Same)].concat();
        assert_eq!(Outcome::of(&one, true, rate(4)), Outcome::Flaky);
        // A system that does whatever was recorded, if it can, needs no statistics.
        let mut exact = found(&[Pass, Pass], Point::Same);
        exact.iter_mut().for_each(|r| r.cannot = Some(true));
        assert_eq!(Outcome::of(&exact, true, rate(1)), Outcome::Fixed);
        exact.iter_mut().for_each(|r| r.cannot = Some(false));
        assert_eq!(Outcome::of(&exact, true, rate(5)), elsewhere(Shown::Unknown));
    }
}
