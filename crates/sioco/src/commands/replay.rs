//! `sioco replay`: run a recorded run again.

use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::Duration;

use clap::Args;
use clap::builder::TypedValueParser;
use sioco_campaign::engine::Engine;
use sioco_campaign::replay::{
    self, EXPECTED_FAILURES, ReplayObserver, Replays, Sameness, Shown, Unshown, enough, most_telling_run,
};
use sioco_exec::journal::{self, decode, read_header};
use sioco_exec::log::{Log, LoggedRun};
use sioco_exec::quiescence_time::QuiescenceTimes;
use sioco_exec::record::Stamped;
use sioco_exec::replay::{Patience, Replayed};
use sioco_exec::shrink::Rate;
use sioco_exec::verdict::Verdict;
use sioco_exec::{Order, RunNumber};
use sioco_model::Model;
use sioco_report::analysis::Source;
use sioco_report::run::again::{FoundLine, ReplayLine, TimeLine};
use sioco_report::run::{Bad, Page, RateLine, bad_run, cause_in_words};
use sioco_solve::Cancellation;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::files::ShownPath;
use crate::interrupt;
use crate::model::{Choices, load};
use crate::options::{Rule, Ruled, always};
use crate::output::{Format, Output};
use crate::permission::{Said, Wish};
use crate::run::journal::{find, read, read_bytes, wrong};
use crate::run::quiescence_at;
use crate::run::sut;
use crate::seconds;
use crate::solver_choice::SolverChoice;

/// Run a recorded run again
///
/// Sends the inputs of a recorded run again at the same places, and judges anew what comes back. FIXED: the SUT reached
/// the point of the failure and did something that is allowed. FAILED: it fails again. FLAKY: it fails only sometimes.
/// NOT REPRODUCED: it did not reach that point, or it may have made another choice. A model that plays the SUT repeats
/// the recorded choices, as long as it can.
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  sioco replay k7Qp2
  sioco replay k7Qp2 --sut 'python3 fixed.py' --times 10
  sioco replay run.jsonl --run 3 --model other.sts

Exit codes:
  0    FIXED: it no longer fails where it failed
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
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).map(RunNumber))]
    run: Option<RunNumber>,

    /// How often to run it
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    times: u64,

    /// Milliseconds without an output after which the SUT counts as quiescent [default: as recorded]
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..=3_600_000))]
    quiescence: Option<u64>,

    /// Another quiescence time after an event at a gate, or in a location, as in `rcpt=2s` [default: as recorded]
    #[arg(long = "quiescence-at", value_name = "NAME=TIME", value_parser = quiescence_at::parse)]
    slower: Vec<(String, Duration)>,

    /// How long the adapter may take to say hello, to reset the system and to accept an input, in seconds [default: as
    /// recorded]
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, value_parser = seconds::some)]
    patience: Option<Duration>,

    /// Output format: text for people, or JSON (the records as they come, and a summary)
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// The exit code for what it shows.
fn exit(shown: Shown) -> Exit {
    match shown {
        Shown::Fixed | Shown::Passed => Exit::Ok,
        Shown::Failed => Exit::Fail,
        Shown::Flaky | Shown::NotReproduced(_) | Shown::Inconclusive => Exit::Inconclusive,
        Shown::Error => Exit::Infrastructure,
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
        quiescence_at::check(&self.slower, &model.model)?;
        let slower = QuiescenceTimes::new(&model.model, &quiescence_at::join(&header.settings.slower, &self.slower));
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
        let replay = replay::Replay {
            model: &model.model,
            back_end: &back_end,
            cancellation: &cancellation,
            recorded,
            patience,
            times: self.times,
        };
        let found = replay.run(&mut *sut, &mut Listener { model: &model.model, of: self, out });
        out.progress("");
        let told = Told { source, recorded, found: &found, shown: found.shows(recorded) };
        let by_hand = found.is_interrupted() || interrupted.load(Ordering::Relaxed);
        let exit = if by_hand { Exit::Interrupted } else { exit(told.shown) };
        match self.format {
            Format::Json => out.object(&told.line(exit)),
            Format::Human => {
                told.show(out);
                if by_hand {
                    out.line("  interrupted");
                }
            }
        }
        Ok(exit)
    }

    /// The run that is run again.
    fn choose<'l>(&self, log: &'l Log, path: &std::path::Path) -> Result<&'l LoggedRun, Failure> {
        match self.run {
            Some(number) => log.runs.iter().find(|run| run.number == number).ok_or_else(|| {
                let last = log.runs.last().map(|run| run.number).unwrap_or_default();
                let failure = Failure::usage(format!("there is no run {number} in `{}`", path.shown()));
                failure.help(format!("its runs are numbered from 1 to {last}"))
            }),
            None => most_telling_run(&log.runs).ok_or_else(|| {
                let message = Some(format!("no run of `{}` failed", path.shown()));
                let failure = Failure { exit: Exit::Nothing, message, help: None };
                failure.help("`--run N` chooses a run that did not fail")
            }),
        }
    }
}

/// Shows what happens while a run is run again.
struct Listener<'a, 'o> {
    model: &'a Model,
    of: &'a Replay,
    out: &'a mut Output<'o>,
}

impl ReplayObserver for Listener<'_, '_> {
    fn record(&mut self, stamped: &Stamped) {
        if self.of.format == Format::Json {
            self.out.json(journal::line(self.model, stamped).trim_end());
            self.out.flush();
        }
    }

    fn replayed(&mut self, times: u64) {
        self.out.progress(format_args!("replaying: {times} of {}", self.of.times));
    }
}

/// What is told in the end.
struct Told<'a> {
    source: Source<'a>,
    recorded: &'a LoggedRun,
    found: &'a Replays,
    shown: Shown,
}

impl Told<'_> {
    /// The last line for programs.
    fn line(&self, exit: Exit) -> ReplayLine<'_> {
        let Told { source, recorded, found, shown } = self;
        ReplayLine {
            kind: "replay",
            outcome: shown.name(),
            exit: exit as u8,
            run: recorded.number,
            shrunk: recorded.shrunk,
            again: recorded.again.map(|rate| RateLine { failed: rate.failed, of: rate.of }),
            failed: found.fails(),
            times: found.found.iter().map(|r| time_line(*source, r)).collect(),
        }
    }

    /// The same for people.
    fn show(&self, out: &mut Output) {
        self.show_worst(out);
        let style = out.style();
        let name = self.shown.name();
        let title = match self.shown {
            Shown::Fixed | Shown::Passed => style.green(name),
            Shown::Failed | Shown::Error => style.red(name),
            Shown::Flaky | Shown::NotReproduced(_) | Shown::Inconclusive => style.yellow(name),
        };
        out.line(format_args!("{title}  {}", self.what()));
        if let Some(remark) = self.remark() {
            out.line(format_args!("  {remark}"));
        }
    }

    /// The run that did not pass and tells most.
    fn show_worst(&self, out: &mut Output) {
        let Told { source, recorded, found, .. } = *self;
        let worst = found.worst().filter(|(_, r)| r.verdict > Verdict::WeakPass && !r.interrupted);
        let Some((number, bad)) = worst else { return };
        let shown = Bad {
            source,
            run: recorded.number,
            verdict: bad.verdict,
            cause: &bad.cause,
            explanation: bad.explanation.as_ref(),
            steps: found.trails.of(number),
            begun: found.trails.begun(number),
            unaccepted: found.trails.unaccepted(number),
            seed: recorded.seed,
            file: None,
            clock: found.trails.order() != Some(Order::Certain),
            replay: None,
            shrunk: None,
            notes: &[],
        };
        let page = Page { width: out.width(), style: out.style() };
        out.print(&bad_run(&shown, page));
        out.line("");
    }

    /// What it shows, in a sentence.
    fn what(&self) -> String {
        let Told { recorded, found, .. } = *self;
        let times = |n: usize| if n == 1 { "once".to_owned() } else { format!("{n} times") };
        let all = times(found.found.len());
        let number = match recorded.shrunk {
            Some(of) => format!("{}, the shortest form of run {of},", recorded.number),
            None => recorded.number.to_string(),
        };
        match self.shown {
            Shown::Fixed => format!("run {number} no longer fails, tried {all}"),
            Shown::Passed => format!("run {number} passes, tried {all}"),
            Shown::Failed => match found.fails_as(recorded) {
                Sameness::New => {
                    format!("run {number}, which did not fail when it was recorded, fails now, {all}")
                }
                Sameness::Same => format!("run {number} fails again, {all}, with the same failure"),
                Sameness::Values => {
                    format!("run {number} fails again, {all}, with the same failure but for its values")
                }
                Sameness::Other => {
                    format!("run {number} fails again, {all}, with another failure or at another step")
                }
            },
            Shown::Flaky if found.fails() == 0 => {
                let Rate { failed, of } = recorded.again.unwrap_or(Rate { failed: 0, of: 0 });
                let before = match (failed, of) {
                    (0, 1) => "did not fail when it was shrunk either, tried once".to_owned(),
                    (0, _) => format!("did not fail when it was shrunk either, tried {of} times"),
                    _ => format!("failed in {failed} of {of} runs when it was shrunk"),
                };
                format!("run {number} does not fail, tried {all}; but it {before}")
            }
            Shown::Flaky => format!("run {number} failed {} of {} times", found.fails(), found.found.len()),
            Shown::NotReproduced(why) => {
                let why = match why {
                    Unshown::Elsewhere => "the SUT took another allowed path before the place where it failed",
                    Unshown::Values => "the SUT reached the place where it failed with other allowed values",
                    Unshown::Choices => "the SUT made another choice: its choices vary, and all of them are allowed",
                    Unshown::Unknown => "it is unknown whether the played model can still do what was recorded",
                };
                format!("run {number} does not fail, tried {all}; but {why}")
            }
            Shown::Inconclusive => {
                let model = &self.source.checked.model;
                let why = found.worst().map(|(_, r)| cause_in_words(model, &r.cause)).unwrap_or_default();
                format!("run {number} does not show it: {why}")
            }
            Shown::Error => format!("run {number} could not be run again"),
        }
    }

    /// What is to be said of it besides.
    fn remark(&self) -> Option<String> {
        let Told { recorded, found, .. } = *self;
        match self.shown {
            Shown::Flaky if found.fails() == 0 => {
                let more = recorded.again.and_then(enough);
                let more = more.map(|times| format!(": `--times {times}` would")).unwrap_or_default();
                Some(format!("it fails only sometimes: this does not show that it is fixed{more}"))
            }
            Shown::NotReproduced(why) => {
                let more = match why {
                    Unshown::Choices => format!(": `--times {EXPECTED_FAILURES}` tries more often"),
                    Unshown::Elsewhere | Unshown::Values | Unshown::Unknown => String::new(),
                };
                Some(format!("this does not show that it is fixed{more}"))
            }
            _ => None,
        }
    }
}
