//! `sioco plan`: what to test, and what that covers.

use crate::files::MAX_PLAN_BYTES;
use crate::output::PROGRESS_INTERVAL;
use sioco_lang::source::{LoadError, read_limited};
use sioco_model::visible;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};
use sioco_campaign::cover;
use sioco_lang::diagnostic::did_you_mean;
use sioco_plan::case::{Case, case, case_with_others};
use sioco_plan::walker::Walker;
use sioco_plan::{Cover, InputValues, Plan as Purposes, PlanError, PlanOptions, State, plan};
use sioco_report::analysis::Source;
use sioco_report::plan::{Page, Planned, document, missing, notes};
use sioco_solve::values::Bounds;
use sioco_solve::{BackEnd, Cancellation, Limits, Reason};
use sioco_symbolic::ExploreProgress;
use sioco_symbolic::path::{Path as Symbolic, Shortcuts};

use crate::budget::{Budget, Flags, before, note, within, within_flags};
use crate::exit::Exit;
use crate::explore::size;
use crate::failure::Failure;
use crate::files::ShownPath;
use crate::interrupt;
use crate::model::{Choices, load};
use crate::options::{Rule, Ruled, always, unless};
use crate::output::{Format, Output};
use crate::plan::check;
use crate::run::values::Values;
use crate::seconds;
use crate::solver_choice::SolverChoice;

/// At most this many purposes are shown, unless all are wanted: a few screens.
const PURPOSES: usize = 20;
/// At most this many lines of a purpose are shown, unless all are wanted: a screen.
const LINES: usize = 40;
/// At most this many goals that are not covered are shown, unless all are wanted: a screen.
const GOALS: usize = 30;

pub use sioco_campaign::planning::DEPTH;
/// At most this many nodes are looked at, unless something else is said: seconds, for most models. It is twenty times
/// what a campaign looks at before its first test, as a plan is made once and used often.
pub const NODES: u32 = 20_000;

/// Plan what to test: purposes that cover switches, locations, paths, traces, …
///
/// Explores the model for all values at once and finds purposes: paths, or trees of paths, for tests to follow. Shows
/// what they cover. For every goal that is not covered it gives the reason: the goal is proved infeasible, was not
/// reached within a bound, or a solver left it open. Shows each purpose with example values, and where the system may
/// leave it: a run that goes there is inconclusive.
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  sioco plan model.sts
  sioco plan model.sts --cover paths:4 --values max
  sioco plan model.sts --cover traces:5 --output plan.json
  sioco plan model.sts --check plan.json

Exit codes:
  0    every feasible goal is covered, or the checked plan fits
  2    the command line, the model or a plan file is wrong
  3    some goals are not covered, or the checked plan no longer fits
  4    nothing to run: there are no purposes
  5    goals are not covered because a solver broke down
  130  interrupted; the results so far are shown")]
pub struct Plan {
    /// The model
    #[arg(value_name = "FILE")]
    file: PathBuf,

    #[command(flatten)]
    choices: Choices,

    #[command(flatten)]
    solver: SolverChoice,

    /// What to cover: `switch`, `location`, `paths:N` (all paths of N steps), `traces:N` (all traces of N steps),
    /// `inclusion:K`, `reduced`, `classes` (of inputs), `random:N` (N walks), `inputs:N` (N sequences of random inputs)
    /// or `purpose:NAME` (one that the model has)
    #[arg(long, value_name = "WHAT", default_value = "switch", value_parser = cover::cover)]
    cover: Cover,

    /// Adds the conditions in guards as goals: each one true and false, and at the values where it flips
    #[arg(long, value_enum, value_name = "WHICH")]
    data: Option<Data>,

    /// Ends a purpose right after its last input, instead of waiting for the answer
    #[arg(long)]
    strict: bool,

    /// Makes one purpose for each accept
    #[arg(long)]
    split: bool,

    /// Continues after quiescence (delta); otherwise paths end there
    #[arg(long)]
    silence: bool,

    /// Maximum number of steps on a path
    #[arg(long, value_name = "STEPS", default_value_t = DEPTH, allow_negative_numbers = true)]
    depth: usize,

    /// Maximum number of nodes: the symbolic states that are explored
    #[arg(long, value_name = "NUMBER", default_value_t = NODES, allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..=4_000_000_000))]
    nodes: u32,

    /// Time limit, in seconds. The search gets three quarters of it; then the partial result is used and marked as
    /// such. Questions about it and example values get the rest
    #[arg(long, value_name = "SECONDS", default_value = "20", allow_negative_numbers = true, value_parser = seconds::parse)]
    time: Duration,

    /// Time limit for one question to a solver, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "10", allow_negative_numbers = true, value_parser = seconds::parse)]
    patience: Duration,

    /// Memory limit, such as 512M; when it is reached, the partial result is used
    #[arg(long, value_name = "SIZE", default_value = "2G", allow_negative_numbers = true, value_parser = size::parse)]
    memory: usize,

    /// Seed of random walks and random values
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    seed: u64,

    /// Number of cores; the plan is the same for any number [default: all]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    jobs: Option<u16>,

    /// Which values to show for the purposes
    #[arg(long, value_enum, default_value = "min")]
    values: Values,

    /// Shows all purposes, lines and goals, however many there are
    #[arg(long)]
    all: bool,

    /// Writes the plan to this file, to be run or checked later
    #[arg(long, short, value_name = "PLAN.json", conflicts_with = "check")]
    output: Option<PathBuf>,

    /// Checks whether the plan in this file still fits the model, instead of making a new one
    #[arg(
        long,
        value_name = "PLAN.json",
        conflicts_with_all = ["cover", "data", "strict", "split", "silence", "depth", "nodes", "seed", "values"]
    )]
    check: Option<PathBuf>,

    /// Output format: text for people, or JSON (one object, on one line: what `--output` writes)
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// Which goals about data there are.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Data {
    /// Each condition true and false, and at the values where it flips.
    Boundary,
}

impl Ruled for Plan {
    fn rules() -> Vec<Rule<Plan>> {
        let always = always(&[
            "const", "system", "solver", "cover", "data", "split", "depth", "nodes", "time", "memory", "patience",
            "seed", "all", "output", "check", "format",
        ]);
        let others = [
            unless("strict", |plan: &Plan| {
                let answered = plan.cover.intent().ends_with_answer() && plan.data.is_none();
                answered.then_some("tests of `inputs:N` and `classes` always end with an answer")
            }),
            unless("silence", |plan| {
                let other = !plan.cover.intent().is_by_length();
                other.then_some("it works only with `--cover paths:N`, `traces:N` and `inclusion:K`")
            }),
            unless("jobs", |plan| plan.check.is_some().then_some("a plan is always checked on one core")),
            unless("values", |plan| {
                let drawn = plan.cover.intent().values == InputValues::Drawn;
                drawn.then_some("`inputs:N` draws values from the whole ranges of the parameters")
            }),
        ];
        always.chain(others).collect()
    }
}

impl Plan {
    /// Makes a plan, or checks one.
    pub fn run(&self, out: &mut Output) -> Result<Exit, Failure> {
        let back_end = self.solver.back_end()?;
        if let Some(path) = &self.output {
            can_be_written(path)?;
        }
        let (checked, model) = before(Some(self.time), || load(&self.file, &self.choices, out))?;
        let source = Source { checked: &model, sources: &checked.sources };
        let interrupted = interrupt::flag();
        if let Some(path) = &self.check {
            return self.compare(path, source, &back_end, &interrupted, out);
        }
        let solvers = || -> Box<dyn Bounds> { Box::new(back_end.chain()) };
        let flags = Flags::default();
        let (options, plan, mut walker, cases) = within_flags(self.budget(), &interrupted, flags.clone(), |flags| {
            let options = self.options(flags.clone());
            let mut plan = self.plan(source, &back_end, &options, out)?;
            plan.stop = flags.why(plan.stop);
            let limits = self.limits(flags.stop.clone());
            let mut walker = Walker::new(Symbolic::with(&model.model, &solvers, Shortcuts::default(), limits));
            // What is not solved by the end has no values.
            let cases = self.cases(&plan, &mut walker, &flags, out);
            Ok::<_, Failure>((options, plan, walker, cases))
        })?;
        note(&flags).into_iter().for_each(|note| out.say(note));
        let by_hand = interrupted.load(Ordering::Relaxed);
        let planned = Planned { source, options: &options, plan: &plan, interrupted: by_hand };
        self.tell(&planned, &cases, &mut walker, out)?;
        if by_hand || interrupted.load(Ordering::Relaxed) {
            return Ok(Exit::Interrupted);
        }
        if plan.purposes.is_empty() {
            return Ok(Exit::Nothing);
        }
        let broken = plan.goals.iter().find_map(|(_, state)| match state {
            State::Unknown(why @ Reason::Broken { .. }) => Some(why.to_string()),
            _ => None,
        });
        if let Some(message) = broken {
            let failure = Failure { exit: Exit::Infrastructure, message: Some(message), help: None };
            return Err(failure.help("`sioco doctor` lists the solvers; `--solver` chooses one"));
        }
        Ok(if planned.is_whole() { Exit::Ok } else { Exit::Inconclusive })
    }

    fn options(&self, flags: Flags) -> PlanOptions {
        let default = PlanOptions::new(self.cover.clone());
        PlanOptions {
            data: self.data == Some(Data::Boundary),
            strict: self.strict,
            split: self.split,
            silence: self.silence,
            depth: Some(self.depth),
            nodes: self.nodes as usize,
            memory: Some(self.memory),
            walk: default.walk.min(self.depth),
            seed: self.seed,
            // What a class is represented by is part of the plan.
            tests: (self.cover.intent().values == InputValues::OfClass).then(|| self.values.choice(self.seed)),
            workers: self.jobs.map_or(default.workers, usize::from),
            enough: Some(flags.enough),
            limits: self.limits(flags.stop),
            ..default
        }
    }

    fn budget(&self) -> Budget {
        Budget::of(self.time, self.memory)
    }

    /// How many purposes are shown.
    fn shown(&self, plan: &Purposes) -> usize {
        if self.all { plan.purposes.len() } else { PURPOSES.min(plan.purposes.len()) }
    }

    /// Whether all of the plan is told.
    fn is_whole(&self) -> bool {
        self.format == Format::Json || self.output.is_some()
    }

    fn limits(&self, cancel: Arc<AtomicBool>) -> Limits {
        Limits { wall: self.patience, cancellation: Cancellation::by(cancel), ..Limits::default() }
    }

    fn plan(
        &self,
        source: Source<'_>,
        back_end: &BackEnd,
        options: &PlanOptions,
        out: &mut Output,
    ) -> Result<Purposes, Failure> {
        let solvers = || -> Box<dyn Bounds> { Box::new(back_end.chain()) };
        let mut last = Instant::now();
        let mut progress = |p: ExploreProgress| {
            if out.shows_progress() && last.elapsed() >= PROGRESS_INTERVAL {
                last = Instant::now();
                out.progress(format_args!("planning: {} nodes, depth {}, {} open", p.nodes, p.depth, p.open));
            }
        };
        let found = plan(&source.checked.model, &solvers, options, &mut progress);
        out.progress("");
        found.map_err(|why| {
            let failure = Failure::usage(why.to_string());
            let near = match &why {
                PlanError::NoSuchPurpose { name, known } => did_you_mean(name, known.iter().map(String::as_str)),
                _ => None,
            };
            match near {
                Some(near) => failure.help(format!("did you mean `--cover purpose:{near}`?")),
                None => failure,
            }
        })
    }

    /// Shows the plan and writes it, as far as it was asked for.
    fn tell(
        &self,
        planned: &Planned<'_>,
        cases: &[Case],
        walker: &mut Walker<'_>,
        out: &mut Output,
    ) -> Result<(), Failure> {
        let plan = planned.plan;
        let shown = self.shown(plan);
        if self.is_whole() {
            let document = document(planned, &self.file.display().to_string(), cases);
            if let Some(path) = &self.output {
                let text = format!("{document:#}\n");
                crate::files::write(path, &visible::json(&text)).map_err(|error| Failure::write(path, &error))?;
                out.say(format_args!("wrote {}", path.shown()));
            }
            if self.format == Format::Json {
                out.json(document);
                return Ok(());
            }
        }
        let page = self.page(out);
        out.print(&planned.headline(page.style));
        out.line("");
        for (i, case) in cases.iter().take(shown).enumerate() {
            out.print(&planned.purpose(i, case, walker, page));
            out.line("");
        }
        let more = plan.purposes.len() - shown;
        if more > 0 {
            let (s, them) = if more == 1 { ("", "it") } else { ("s", "them") };
            out.line(format_args!("… and {more} more purpose{s} (`--all` shows {them})\n"));
        }
        let most = if self.all { usize::MAX } else { GOALS };
        out.print(&missing(planned, most, page));
        out.print(&notes(planned, page));
        Ok(())
    }

    /// Values for the first purposes, and what else the system may do where that is not ruled out.
    fn cases(&self, plan: &Purposes, walker: &mut Walker<'_>, flags: &Flags, out: &mut Output) -> Vec<Case> {
        let needed = if self.is_whole() { plan.purposes.len() } else { self.shown(plan) };
        let certain = plan.steering.as_ref().is_some_and(|s| s.is_certain());
        let mut last = Instant::now();
        let mut cases = Vec::new();
        for (i, purpose) in plan.purposes.iter().take(needed).enumerate() {
            if flags.stop.load(Ordering::Relaxed) {
                cases.push(Case { unknown: Some(Reason::Cancelled), ..Case::default() });
                continue;
            }
            if out.shows_progress() && last.elapsed() >= PROGRESS_INTERVAL {
                last = Instant::now();
                out.progress(format_args!("values for purpose {} of {needed}", i + 1));
            }
            let choice = self.values.choice(self.seed);
            cases.push(match certain {
                true => case(walker, purpose, choice),
                false => case_with_others(walker, purpose, choice),
            });
        }
        out.progress("");
        cases
    }

    fn page(&self, out: &Output) -> Page {
        Page { width: out.width(), style: out.style(), lines: if self.all { usize::MAX } else { LINES } }
    }

    /// Checks a plan against the model.
    fn compare(
        &self,
        path: &Path,
        source: Source<'_>,
        back_end: &BackEnd,
        interrupted: &AtomicBool,
        out: &mut Output,
    ) -> Result<Exit, Failure> {
        let solvers = || -> Box<dyn Bounds> { Box::new(back_end.chain()) };
        let most = if self.all { usize::MAX } else { GOALS };
        let (exit, late) = within(self.budget(), interrupted, |flags| {
            let limits = self.limits(flags.stop.clone());
            let model = &source.checked.model;
            let mut walker = Walker::new(Symbolic::with(model, &solvers, Shortcuts::default(), limits));
            let again = self.choices.command("plan", &self.file);
            let told = check::Told { most, page: self.page(out), format: self.format, again: &again };
            let exit = check::check(path, source, &mut walker, told, out)?;
            Ok::<_, Failure>((exit, flags.stop.load(Ordering::Relaxed)))
        })?;
        if late {
            // What was not asked is taken to be possible.
            let why = match interrupted.load(Ordering::Relaxed) {
                true => "it was interrupted",
                false => "the time limit was reached; raise `--time`",
            };
            out.say(format_args!("not all paths were followed again: {why}"));
        }
        Ok(match exit {
            _ if interrupted.load(Ordering::Relaxed) => Exit::Interrupted,
            Exit::Ok if late => Exit::Inconclusive,
            exit => exit,
        })
    }
}

/// Whether there is a file that is no plan.
fn is_something_else(path: &Path) -> bool {
    let kind = format!("\"{}\"", sioco_plan::file::FORMAT);
    path.is_file()
        && match read_limited(path, MAX_PLAN_BYTES) {
            Ok((text, _)) => !text.is_empty() && !contains(&text, kind.as_bytes()),
            Err(error) => matches!(error, LoadError::TooLarge { .. }),
        }
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|w| w == part)
}

/// A file that cannot be written is told before any work is done.
pub fn can_be_written(path: &Path) -> Result<(), Failure> {
    if path.as_os_str() == "-" {
        let failure = Failure::usage("`--output -` would mix the plan with the summary");
        return Err(failure.help("use `--format json` to print only the plan"));
    }
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let why = match (folder.is_dir(), path.is_dir()) {
        (false, _) => format!("there is no folder `{}`", folder.shown()),
        (_, true) => "it is a folder".to_owned(),
        // A slip of the hand must not cost anybody a model.
        _ if is_something_else(path) => "that file exists and is not a plan".to_owned(),
        _ => return Ok(()),
    };
    let failure = Failure::usage(format!("cannot write `{}`: {why}", path.shown()));
    Err(failure.help("name a file in a folder that exists, such as `plan.json`"))
}
