//! `sioco test`: whether a system conforms to a model.

use crate::output::PROGRESS_INTERVAL;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};
use sioco_campaign::cover::Covered;
use sioco_campaign::engine::Engine;
use sioco_campaign::failing::FailingRun;
use sioco_campaign::gate::Demand;
use sioco_campaign::journal::{Writer, any_number};
use sioco_campaign::planning::{Clock, Ending, Planned, Planner, Time, WALKED, Wanted};
use sioco_campaign::{Campaign, CampaignOutcome, Deadline, Observer};
use sioco_exec::journal::About;
use sioco_exec::record::{Record, Stamped};
use sioco_exec::settings::{Interaction, Settings, Walks};
use sioco_exec::shrink::ShrinkProgress;
use sioco_exec::verdict::{Cause, OpenCause, Verdict};
use sioco_exec::{Order, RunNumber, Summary, Sut};
use sioco_model::{Model, visible};
use sioco_plan::{Cover, InputValues, Plan, Purpose};
use sioco_report::analysis::Source;
use sioco_report::run::{self as report, Page, bad_runs, hint, json, notes, summary};
use sioco_solve::{BackEnd, Reason};

use crate::budget::{before, leave};
use crate::exit::Exit;
use crate::explore::size;
use crate::failure::Failure;
use crate::files::ShownPath;
use crate::interrupt;
use crate::model::{Choices, load, shell_word};
use crate::options::{Rule, Ruled, always, unless};
use crate::output::{Format, Output, count};
use crate::permission::{self, Said, Wish};
use crate::run::planning::{self, Given};
use crate::run::quiescence_at;
use crate::run::sut;
use crate::run::values::Values;
use crate::seconds;
use crate::solver_choice::SolverChoice;

/// A plan alone ends after this many steps, should the system never come to an end: a hundred times the steps of a
/// usual campaign.
const GUARD: u64 = 100_000;

/// Test a system against a model
///
/// Sends inputs to the system under test (SUT), and judges its answers by the model. The verdict is PASS, WEAK PASS,
/// INCONCLUSIVE or FAIL. A fault of the adapter or the environment is an ERROR, which is not a verdict. Records every
/// run in a journal, so that `sioco replay` can run it again.
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  sioco test model.sts --sut 'python3 sut.py'
  sioco test model.sts --sut tcp://127.0.0.1:7000 --for 1m
  sioco test model.sts --sut model:other.sts --cover switch --seed 42
  sioco test model.sts --sut ./sut --plan plan.json --gate 'switch>=95%'

Exit codes:
  0    pass, or weak pass
  1    the SUT does not conform to the model
  2    the command line, the model or a plan file is wrong
  3    inconclusive, a gate missed, purposes not tried, or traces too short
  4    nothing to run: the plan has no purposes
  5    adapter, SUT infrastructure, solver or the writing of the journal failed
  130  interrupted; the results so far are shown")]
pub struct Test {
    /// The model
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// The system under test: the NAME of a `[sut.NAME]` in `sioco.toml`, a command that starts an adapter (no shell is
    /// used; write `sh -c '…'` for one), `tcp://HOST:PORT`, `ws://HOST:PORT/PATH`, or `model:FILE` for a model that
    /// plays it
    #[arg(long, value_name = "SUT")]
    sut: String,

    /// Whether the user says so, and no file.
    #[arg(skip)]
    pub(crate) sut_given: bool,

    /// Trusts a `sioco.toml` that is not yours: one of another user, or one outside of the model's repository
    #[arg(long)]
    trust: bool,

    /// Takes options from `[profile.NAME]` of `sioco.toml`, unless they are given here
    // It is read before the other options are: see `defaults`.
    #[arg(long, value_name = "NAME")]
    profile: Option<String>,

    #[command(flatten)]
    choices: Choices,

    #[command(flatten)]
    solver: SolverChoice,

    /// What to cover: `auto` (switches and the sides of guards by a plan, then guided walks), `random:N` (at most N
    /// random walks of up to 100 steps, without a plan), `random` (walks until the limit of `--for` or `--max-steps`,
    /// otherwise 1000 steps), or what `sioco plan --cover` takes
    #[arg(long, value_name = "WHAT", default_value = "auto", value_parser = Covered::parse)]
    cover: Covered,

    /// Runs the plan in this file, which `sioco plan --output` wrote
    #[arg(long, value_name = "PLAN.json", conflicts_with_all = ["cover", "strict"])]
    plan: Option<PathBuf>,

    /// Seed of all random choices [default: a new one each time; it is always printed]
    #[arg(long, value_name = "NUMBER")]
    seed: Option<u64>,

    /// Which values inputs get, in the plan and in walks
    #[arg(long, value_enum, default_value_t)]
    values: Values,

    /// Whether they stand on the command line.
    #[arg(skip)]
    pub(crate) values_given: bool,

    /// Maximum number of steps (inputs, outputs, quiescence) in the whole campaign [default: 1000 after the plan for
    /// `auto` and for `random`, if there is no `--for`]
    #[arg(long, value_name = "STEPS", value_parser = clap::value_parser!(u64).range(1..))]
    max_steps: Option<u64>,

    /// How long to test, with planning: `30s`, `500ms`, `2m`, `1h`; a bare number is seconds
    #[arg(long = "for", value_name = "TIME", allow_negative_numbers = true, value_parser = seconds::parse)]
    time: Option<Duration>,

    /// Milliseconds without an output after which the SUT counts as quiescent
    #[arg(long, value_name = "MS", default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..=3_600_000))]
    quiescence: u64,

    /// A longer quiescence time after an event at a gate, or in a location, as in `rcpt=2s`: for systems that answer
    /// late
    #[arg(long = "quiescence-at", value_name = "NAME=TIME", value_parser = quiescence_at::parse)]
    slower: Vec<(String, Duration)>,

    /// Time limit, in seconds, for each of these: the hello of the adapter, a reset, the acceptance of an input, and
    /// the first answer of a program with a dialect
    #[arg(long, value_name = "SECONDS", default_value = "10", allow_negative_numbers = true, value_parser = seconds::some)]
    patience: Duration,

    /// Memory limit, such as 512M; the campaign ends when it is reached. For all traces of a length (`--cover
    /// traces:N`), the need is estimated beforehand
    #[arg(long, value_name = "SIZE", default_value = "2G", allow_negative_numbers = true, value_parser = size::parse)]
    memory: usize,

    /// How long to search for values during a run, while the system waits: `500ms`, `2s`; a bare number is seconds. A
    /// search ends when it takes more time, or more work than usually fits into that time
    #[arg(long, value_name = "TIME", default_value = "1", allow_negative_numbers = true, value_parser = seconds::parse)]
    pause: Duration,

    /// How often to try a purpose before giving it up
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    attempts: u32,

    /// Runs the plan repeatedly, with other values, until the limit of `--max-steps` or `--for` [default: 1000 steps
    /// after the plan]
    #[arg(long)]
    again: bool,

    /// Ends the campaign at the first run that fails
    #[arg(long)]
    fail_fast: bool,

    /// What to do when outputs may be under way: send at once, or wait for them first [default: `eager` if the order
    /// of the adapter is `sut`, otherwise `fair`]
    #[arg(long, value_enum)]
    interaction: Option<Manner>,

    /// How long to shrink failing runs after the campaign, by running the SUT again
    #[arg(long, value_name = "TIME", default_value = "10s", allow_negative_numbers = true, value_parser = seconds::parse)]
    shrink_for: Duration,

    /// Does not shrink failing runs
    #[arg(long, conflicts_with = "shrink_for")]
    no_shrink: bool,

    /// Required coverage, such as `switch>=95%`; if it is missed, the exit code is 3
    #[arg(long = "gate", value_name = "GATE", value_parser = Demand::parse)]
    gates: Vec<Demand>,

    /// Where to write the journal [default: a new file in .sioco/runs]
    #[arg(long, value_name = "FILE")]
    journal: Option<PathBuf>,

    /// Stops right after the last input of a purpose, instead of waiting for the answer to it
    #[arg(long)]
    strict: bool,

    /// Output format: text for people, or JSON (the lines of the journal as they come, and a summary)
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// What to do where outputs may be under way.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Manner {
    /// Send at once
    Eager,
    /// Wait for outputs that may be under way
    Fair,
}

impl Ruled for Test {
    fn rules() -> Vec<Rule<Test>> {
        let always = always(&[
            "sut",
            "trust",
            "profile",
            "const",
            "system",
            "solver",
            "cover",
            "plan",
            "seed",
            "max-steps",
            "for",
            "memory",
            "quiescence",
            "quiescence-at",
            "patience",
            "pause",
            "fail-fast",
            "interaction",
            "shrink-for",
            "no-shrink",
            "journal",
            "format",
        ]);
        let others = [
            unless("values", |test: &Test| {
                test.draws_values().then_some("`inputs:N` draws values from the whole ranges of the parameters")
            }),
            unless("attempts", |test| test.is_walk().then_some("`random` has no purposes to try again")),
            unless("again", |test| match test.cover_planned() {
                None if test.plan.is_none() => Some("it works only with a plan; `auto` and `random` continue anyway"),
                _ if test.draws_values() => Some("`inputs:N` already determines the values"),
                _ if !matches!(test.values, Values::Random | Values::Boundary) => {
                    Some("there are no other values to try; use `--values random` or `boundary`")
                }
                _ => None,
            }),
            unless("strict", |test| match test.cover_planned() {
                _ if test.is_walk() => Some("`random` has no purposes that could end"),
                Some(cover) if cover.intent().ends_with_answer() => {
                    Some("tests of `inputs:N` and `classes` always end with an answer")
                }
                _ => None,
            }),
            unless("gate", |test| {
                let vain = test.is_walk() && test.gates.iter().any(Demand::is_about_purposes);
                vain.then_some("`random` has no purposes that could be reached")
            }),
        ];
        always.chain(others).collect()
    }
}

impl Test {
    /// What a plan that is made covers.
    fn cover_planned(&self) -> Option<&Cover> {
        match &self.cover {
            Covered::Plan(cover) if self.plan.is_none() => Some(cover),
            _ => None,
        }
    }

    /// Whether a plan that is made has inputs with values that nobody chooses.
    fn draws_values(&self) -> bool {
        self.cover_planned().is_some_and(|cover| cover.intent().values == InputValues::Drawn)
    }

    /// Tests the system.
    pub fn run(&self, out: &mut Output) -> Result<Exit, Failure> {
        // It may come from a profile.
        if self.again && self.plan.is_none() && !matches!(self.cover, Covered::Plan(_)) {
            let failure = Failure::usage("`--again` works only with a plan; `auto` and `random` continue anyway");
            return Err(failure.help("choose a plan, for example with `--cover switch`, or remove `--again`"));
        }
        let back_end = self.solver.back_end()?;
        let (checked, mut model) = before(self.time, || load(&self.file, &self.choices, out))?;
        quiescence_at::check(&self.slower, &model.model)?;
        let said = if self.sut_given { Said::User } else { Said::Project };
        let wish = Wish { sut: &self.sut, said, trust: self.trust };
        let prepared = sut::prepare(&wish, &self.file, Some(&model.model), &self.choices, out)?;
        // Whoever is asked something can still end the program by Ctrl-C until here.
        let interrupted = interrupt::flag();
        sut::narrow(&prepared, &mut model.model);
        let source = Source { checked: &model, sources: &checked.sources };
        // Short ones are easier to type; there are enough of them.
        let seed = self.seed.unwrap_or_else(|| any_number() >> 40);
        let begun = Instant::now();
        let planned = self.plan(source, &back_end, seed, &interrupted, out)?;
        let planning = (self.plan.is_none() && !self.is_walk()).then(|| begun.elapsed());
        if interrupted.load(Ordering::Relaxed) {
            out.say("interrupted while planning: nothing was run");
            return Ok(Exit::Interrupted);
        }
        let plan = &planned.plan;
        let (settings, budget) = self.settings(plan, &model.model, seed);
        let deadline = Deadline::new(interrupted, begun, self.time).watched(self.memory, leave);
        let campaign = Campaign::new(&model.model, plan, &settings, &deadline).solver(&back_end);
        let campaign = campaign.demands(&self.gates).alike_by(&source);
        let campaign = if self.no_shrink { campaign.unshrunk() } else { campaign.shrink_for(self.shrink_for) };
        let mut journal = Writer::create(self.journal.as_deref())?;
        let about = About::new(
            &model.model,
            &self.file.display().to_string(),
            self.choices.system.as_deref(),
            &self.choices.consts,
        );
        let header = campaign.header(about, &self.sut);
        journal.add(&header.line());
        let engine = Engine::new(&back_end, deadline.waits());
        let (solvers, refusals) = (engine.solvers(), plan.intent().compared);
        let asked = (engine, &solvers as _);
        let mut sut = sut::open(&prepared, &model.model, asked, self.patience, refusals, deadline.waits());
        let mut watcher = Watcher::new(self.format, &deadline, out);
        watcher.line(&visible::json(&header.line()));
        let outcome = campaign.run(&mut *sut, Some(&mut journal), &mut watcher);
        let exit = self.exit(&outcome);
        let replay = self.replay(&journal);
        let path = journal.path.display().to_string();
        let failed = outcome.summary.bad.iter().any(|b| b.verdict == Verdict::Fail);
        let told = report::CampaignReport {
            source,
            summary: &outcome.summary,
            plan: Some(plan),
            sut: &format!("`{}`", self.sut),
            seed: Some(seed),
            quiescence: settings.quiescence,
            took: Some(outcome.took),
            planned: planning,
            clock: Clock { questions: planned.clock.questions + outcome.late, ..planned.clock },
            budget: &budget,
            journal: Some(&path),
            replay: failed.then_some(&replay),
            gates: &outcome.gates,
            reasons: outcome.trails.reasons(),
            dead_ends: outcome.trails.dead_ends(),
            again: Some(&replay),
            eager: match self.interaction {
                Some(manner) => manner == Manner::Eager,
                None => outcome.trails.order().is_some_and(Order::is_of_system),
            },
            shrunk: &outcome.shrinks.all,
        };
        match self.format {
            Format::Json => out.json(json::summary(&told, exit as u8)),
            Format::Human => tell(&told, &outcome, &*sut, out),
        }
        end(exit, &outcome, &journal)
    }

    /// The command that runs a run of the journal again. It names the system, where `sioco replay` would not start it
    /// on the word of a journal alone.
    fn replay(&self, journal: &Writer) -> String {
        let known = permission::is_known(&self.sut, &self.file);
        let sut = if known { String::new() } else { format!(" --sut {}", shell_word(&self.sut)) };
        format!("sioco replay {}{sut}", shell_word(&journal.name))
    }

    /// Whether there is no plan.
    fn is_walk(&self) -> bool {
        self.plan.is_none() && matches!(self.cover, Covered::Random(_))
    }

    fn plan(
        &self,
        source: Source<'_>,
        back_end: &BackEnd,
        seed: u64,
        interrupted: &Arc<AtomicBool>,
        out: &mut Output,
    ) -> Result<Planned, Failure> {
        let time = Time::of(self.time);
        let planner = Planner::new(&source.checked.model, back_end, interrupted).within(time, leave);
        if let Some(path) = &self.plan {
            let command = self.choices.command("plan", &self.file);
            let given = Given { path, source, command: &command };
            let planned = planning::load(&planner, given, self.memory, out)?;
            if self.values_given && planned.plan.purposes.iter().any(Purpose::has_values) {
                let path = path.shown();
                let failure =
                    Failure::usage(format!("`--values` has no effect here: the plan `{path}` already has the values"));
                return Err(failure.help("remove it, or make the plan again with other values"));
            }
            return Ok(planned);
        }
        let wanted = Wanted {
            ending: if self.strict { Ending::Strict } else { Ending::Answered },
            seed,
            values: self.values.choice(seed),
            memory: self.memory,
            resident: self.memory,
        };
        let planned = planning::make(&planner, &self.cover, &wanted, out)?;
        if !self.is_walk() && !interrupted.load(Ordering::Relaxed) {
            planning::tell(&planned, &self.cover, time, &self.choices.command("plan", &self.file), out);
        }
        Ok(planned)
    }

    /// The settings, and what limits the campaign in words.
    fn settings(&self, plan: &Plan, model: &Model, seed: u64) -> (Settings, String) {
        let usual = Settings::default();
        let walks = match (&self.plan, &self.cover) {
            (Some(_), _) | (None, Covered::Plan(_)) if self.again => Walks::Again,
            (Some(_), _) | (None, Covered::Plan(_)) => Walks::None,
            (None, covered) => covered.then(),
        };
        let planned = plan.steps(model) as u64;
        let (most, mut budget) = match (self.max_steps, &self.cover) {
            (Some(most), _) => (Some(most), count(usize::try_from(most).unwrap_or(usize::MAX), "step")),
            (None, _) if self.time.is_some() => (None, String::new()),
            (None, _) if walks == Walks::None => (Some(GUARD.max(planned.saturating_mul(100))), String::new()),
            (None, Covered::Random(Some(_))) if walks == Walks::Random => (None, String::new()),
            (None, _) if walks == Walks::Random => (Some(WALKED), count(WALKED as usize, "step")),
            (None, _) => {
                let most = planned.saturating_add(WALKED);
                (Some(most), format!("{WALKED} steps after the {planned} of the plan"))
            }
        };
        let max_walks = self.cover.most_walks().filter(|_| walks == Walks::Random);
        if let Some(time) = self.time {
            let time = sioco_report::run::time(time);
            budget = if budget.is_empty() { time } else { format!("{time} or {budget}") };
        }
        let settings = Settings {
            seed,
            values: self.values.choice(seed),
            walks,
            max_walks,
            max_steps: most,
            time: self.time,
            pause: self.pause,
            quiescence: Duration::from_millis(self.quiescence),
            slower: self.slower.clone(),
            patience: self.patience,
            attempts: self.attempts,
            fail_fast: self.fail_fast,
            interaction: self.interaction.map(|i| match i {
                Manner::Eager => Interaction::Eager,
                Manner::Fair => Interaction::Fair,
            }),
            ..usual
        };
        (settings, budget)
    }

    fn exit(&self, outcome: &CampaignOutcome) -> Exit {
        match outcome.summary.verdict {
            _ if outcome.interrupted => Exit::Interrupted,
            Some(Verdict::Fail) => Exit::Fail,
            _ if outcome.unrecorded => Exit::Infrastructure,
            None => Exit::Nothing,
            Some(Verdict::Error) => Exit::Infrastructure,
            Some(Verdict::Inconclusive) if broken_solver(&outcome.summary).is_some() => Exit::Infrastructure,
            Some(Verdict::Inconclusive) => Exit::Inconclusive,
            Some(Verdict::Pass | Verdict::WeakPass) if !outcome.meets_gates() => Exit::Inconclusive,
            Some(Verdict::Pass | Verdict::WeakPass) => Exit::Ok,
        }
    }
}

/// How the command ends, with what to do about a solver or a journal that broke down.
fn end(exit: Exit, outcome: &CampaignOutcome, journal: &Writer) -> Result<Exit, Failure> {
    let solver = broken_solver(&outcome.summary).filter(|_| exit == Exit::Infrastructure);
    match (&journal.broken, solver) {
        (None, None) => Ok(exit),
        (None, message) => {
            let failure = Failure { exit, message, help: None };
            Err(failure.help("`sioco doctor` lists the solvers; `--solver` chooses one"))
        }
        (Some(why), _) => {
            let path = journal.path.display();
            let message = Some(format!("cannot write the journal `{path}`: {why}; the campaign was stopped"));
            Err(Failure { exit, message, help: None }.help("choose another place with `--journal FILE`"))
        }
    }
}

/// The solver that broke down, if purposes were not reached because of that.
fn broken_solver(found: &Summary) -> Option<String> {
    found.purposes.iter().find_map(|p| match &p.cause {
        Some(Cause::Open(OpenCause::Unknown(why @ Reason::Broken { .. }))) => Some(why.to_string()),
        _ => None,
    })
}

/// Shows how far the campaign is, and what happens in it, for programs.
struct Watcher<'a, 'o> {
    format: Format,
    deadline: &'a Deadline,
    out: &'a mut Output<'o>,
    /// When progress was shown the last time.
    last: Instant,
    run: RunNumber,
    steps: u64,
}

impl<'a, 'o> Watcher<'a, 'o> {
    fn new(format: Format, deadline: &'a Deadline, out: &'a mut Output<'o>) -> Watcher<'a, 'o> {
        Watcher { format, deadline, out, last: Instant::now(), run: RunNumber::default(), steps: 0 }
    }

    /// Whether progress is to be shown now.
    fn is_due(&mut self) -> bool {
        let due = self.out.shows_progress() && self.last.elapsed() >= PROGRESS_INTERVAL;
        if due {
            self.last = Instant::now();
        }
        due
    }
}

impl Observer for Watcher<'_, '_> {
    fn line(&mut self, line: &str) {
        if self.format == Format::Json {
            self.out.json_line(line);
            self.out.flush();
        }
    }

    fn record(&mut self, stamped: &Stamped) {
        match &stamped.record {
            Record::Run { run, .. } => self.run = *run,
            Record::Accepted { .. } | Record::Observed(_) | Record::TimedOut(_) => self.steps += 1,
            _ => {}
        }
        if self.is_due() {
            self.out.progress(format_args!("testing: run {}, {} steps", self.run, self.steps));
        }
    }

    fn tested(&mut self) {
        if self.deadline.is_out_of_memory() {
            self.out.say("the campaign was stopped: the memory limit was reached; raise `--memory`");
        }
        self.out.progress("");
    }

    fn shrinking(&mut self, run: RunNumber, progress: ShrinkProgress) {
        if self.is_due() {
            let ShrinkProgress { runs, from, to } = progress;
            self.out.progress(format_args!("shrinking run {run}: {to} of {from} steps left, {runs} runs"));
        }
    }

    fn finished(&mut self) {
        self.out.progress("");
    }
}

/// The bad runs and the summary, for people.
fn tell(told: &report::CampaignReport<'_>, outcome: &CampaignOutcome, sut: &dyn Sut, out: &mut Output) {
    let last_words = |run: &FailingRun<'_>| match run.cause {
        Cause::Failure(sioco_exec::verdict::Failure::Closed) => sut.last_words(run.run),
        _ => Vec::new(),
    };
    let notes = |run: &FailingRun<'_>| {
        last_words(run).into_iter().chain(notes(run)).chain(hint(&outcome.trails, run)).collect()
    };
    // Nobody is slow who is played in this process.
    let clock = outcome.trails.order() != Some(Order::Certain);
    let about =
        report::About { source: told.source, seed: told.seed, file: None, clock, replay: told.replay, notes: &notes };
    let page = Page { width: out.width(), style: out.style() };
    out.print(&bad_runs(&outcome.failures(), about, page));
    out.print(&summary(told, page));
}
