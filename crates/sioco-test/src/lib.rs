//! Rust code tested from `cargo test`, with this crate as a dev-dependency: whether it conforms to a model (T-L10: ioco).
//!
//! ```no_run
//! use sioco_test::{Args, Conformance, Output, System};
//!
//! #[derive(Default)]
//! struct Accumulator {
//!     sum: i64,
//!     answers: Vec<Output>,
//! }
//!
//! impl System for Accumulator {
//!     fn reset(&mut self) {
//!         *self = Accumulator::default();
//!     }
//!
//!     fn input(&mut self, _gate: &str, args: Args<'_>) {
//!         self.sum += args.get::<i64>("p");
//!         self.answers.push(Output::new("outX", self.sum));
//!     }
//!
//!     fn output(&mut self) -> Option<Output> {
//!         self.answers.pop()
//!     }
//! }
//!
//! #[test]
//! fn conforms() {
//!     Conformance::to("models/accumulator.sts").assert(Accumulator::default);
//! }
//! ```
//!
//! A function such as `Accumulator::default` makes the system under test: after a crash, the next run begins with a
//! new one. A panic in `input` or `output` is a crash. The test then fails with the message and the place of the
//! panic, and with the shortest run that leads to it. A panic of the connecting code is an error of the test, and
//! says nothing about the system. The connecting code is [`Args::get`], `reset`, the function that makes a new
//! system, and everything in [`glue`]. Some ends cannot be caught, and end the whole test program: an abort, a stack
//! overflow, `std::process::exit`. A call that never returns holds up the test program. With
//! [`Conformance::journal`], a file then has everything up to that call.

mod problem;

use std::fmt::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

pub use sioco_adapter::in_process::{Arg, Args, FromArg, InProcess, IntoArg, Output, System, glue};
use sioco_campaign::cover::Covered;
use sioco_campaign::journal::Writer;
use sioco_campaign::planning::{Clock, Planned, Planner, WALKED, Wanted};
use sioco_campaign::{Campaign, CampaignOutcome, Deadline};
use sioco_exec::journal::About;
use sioco_exec::settings::Settings;
use sioco_exec::{Summary, Verdict};
use sioco_lang::check::{CheckOptions, Checked, CheckedModel, check_file};
use sioco_lang::diagnostic::Severity;
use sioco_lang::source::FsLoader;
use sioco_report::analysis::Source;
use sioco_report::diagnostic;
use sioco_report::run::{self as report, Page, bad_runs, notes, summary};
use sioco_report::style::{self, Style};
use sioco_solve::BackEnd;
use sioco_solve::values::Choice;

pub use problem::Problem;

/// How wide text is set: nobody knows where it is read.
const WIDTH: usize = 80;
/// Text goes to a log, without emphasis.
const PLAIN: Style = Style::PLAIN;

/// A test of Rust code against a model. The same settings give the same test: the seed is 0 unless another is given.
#[derive(Clone, Debug)]
pub struct Conformance {
    file: PathBuf,
    choices: CheckOptions,
    cover: String,
    seed: u64,
    max_steps: Option<u64>,
    quiescence: Duration,
    journal: Option<PathBuf>,
}

/// What a test came to.
#[derive(Clone, Debug)]
pub struct Report {
    /// What the campaign came to.
    pub summary: Summary,
    /// The same for people: runs that did not pass, explained, and the summary.
    pub text: String,
}

impl Report {
    /// Whether the system passed, be it weakly.
    pub fn is_pass(&self) -> bool {
        matches!(self.summary.verdict, Some(Verdict::Pass | Verdict::WeakPass))
    }
}

impl Conformance {
    /// A test against the model in a file. A path that is not absolute starts where `cargo test` runs tests: at the
    /// package.
    pub fn to(file: impl Into<PathBuf>) -> Self {
        let quiescence = Settings::default().quiescence;
        let choices = CheckOptions::default();
        let (file, cover) = (file.into(), "auto".into());
        Conformance { file, choices, cover, seed: 0, max_steps: None, quiescence, journal: None }
    }

    /// What to cover, as `sioco test --cover` takes it; `auto` if nothing is said.
    pub fn cover(mut self, cover: &str) -> Self {
        self.cover = cover.into();
        self
    }

    /// Where random choices start.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// The greatest number of inputs, outputs and silences; 1000 after the plan if nothing is said, and as many as the walks
    /// of `random:N` have.
    pub fn max_steps(mut self, steps: u64) -> Self {
        self.max_steps = Some(steps);
        self
    }

    /// How long nothing must come before that is silence; only for a system that does not
    /// [settle](System::settles) by itself.
    pub fn quiescence(mut self, time: Duration) -> Self {
        self.quiescence = time;
        self
    }

    /// Writes down everything that happens, in this file: a journal, which `sioco judge MODEL FILE` reads. Each line is in the
    /// file before the system is called the next time. So whatever the system does to the process, the last input is there.
    pub fn journal(mut self, file: impl Into<PathBuf>) -> Self {
        self.journal = Some(file.into());
        self
    }

    /// Gives a constant of the model another value.
    pub fn constant(mut self, name: &str, value: &str) -> Self {
        self.choices.consts.push((name.into(), value.into()));
        self
    }

    /// The system to take, where the model declares several.
    pub fn system(mut self, name: &str) -> Self {
        self.choices.system = Some(name.into());
        self
    }

    /// Tests a system, made by a function, and says what came of it. An error is a fault of the model or of these settings.
    pub fn check<S: System>(&self, make: impl FnMut() -> S) -> Result<Report, Problem> {
        self.run(make)
    }

    /// Tests a system, made by a function: `Accumulator::default`, or `|| Accumulator::new(7)`.
    ///
    /// # Panics
    /// If it does not pass, with the explanation; also if the model or these settings are wrong.
    #[track_caller]
    pub fn assert<S: System>(&self, make: impl FnMut() -> S) {
        match self.check(make) {
            Ok(report) if report.is_pass() => {}
            Ok(report) => panic!("the system does not pass\n\n{}", report.text),
            Err(problems) => panic!("the test cannot be run\n\n{problems}"),
        }
    }

    fn run<S: System>(&self, make: impl FnMut() -> S) -> Result<Report, Problem> {
        let (checked, model) = self.load()?;
        let source = Source { checked: &model, sources: &checked.sources };
        let model = &model.model;
        let covered = Covered::parse(&self.cover).map_err(Problem::usage)?;
        let (back_end, never) = (BackEnd::Auto, Arc::default());
        let planned = Planner::new(model, &back_end, &never).make(&covered, &Wanted::seeded(self.seed), &mut |_| {})?;
        let plan = &planned.plan;
        let settings = self.settings(&covered, plan.steps(model) as u64);
        let deadline = Deadline::default();
        let campaign = Campaign::new(model, plan, &settings, &deadline).solver(&back_end).alike_by(&source);
        let mut journal = match &self.journal {
            Some(file) => {
                let CheckOptions { system, consts } = &self.choices;
                let about = About::new(model, &self.file.display().to_string(), system.as_deref(), consts);
                let mut journal = Writer::create(Some(file))?;
                journal.add(&campaign.header(about, "Rust code").line());
                Some(journal)
            }
            None => None,
        };
        let mut sut = InProcess::new(model, make);
        let outcome = campaign.run(&mut sut, journal.as_mut(), &mut ());
        if let Some(why) = journal.as_ref().and_then(|journal| journal.broken.as_ref()) {
            return Err(Problem::usage(format!("cannot write the journal: {why}")));
        }
        let path = journal.map(|journal| journal.path.display().to_string());
        let text = self.text(source, &planned, &settings, &outcome, path.as_deref());
        Ok(Report { summary: outcome.summary, text: style::print(&text).into_owned() })
    }

    /// The model, which has to be without errors.
    fn load(&self) -> Result<(Checked, CheckedModel), Problem> {
        let mut checked = check_file(&self.file, &FsLoader, &self.choices);
        let errors = checked.diagnostics.iter().filter(|d| d.severity() == Severity::Error);
        let mut text = String::new();
        for problem in errors.cloned().chain(checked.require_model().err().flatten().map(|problem| *problem)) {
            let _ = writeln!(text, "{}", diagnostic::render(&checked.sources, &problem, PLAIN));
        }
        match checked.model.take() {
            Some(model) => Ok((checked, model)),
            None => Err(Problem::Model(text)),
        }
    }

    fn settings(&self, covered: &Covered, planned: u64) -> Settings {
        let max_walks = covered.most_walks();
        Settings {
            seed: self.seed,
            values: Choice::Random(self.seed),
            walks: covered.then(),
            max_walks,
            max_steps: match max_walks {
                Some(_) => self.max_steps,
                None => Some(self.max_steps.unwrap_or(planned.saturating_add(WALKED))),
            },
            quiescence: self.quiescence,
            fail_fast: true,
            ..Settings::default()
        }
    }

    /// The runs that did not pass, and the summary.
    fn text(
        &self,
        source: Source<'_>,
        planned: &Planned,
        settings: &Settings,
        outcome: &CampaignOutcome,
        journal: Option<&str>,
    ) -> String {
        let told = report::CampaignReport {
            source,
            summary: &outcome.summary,
            plan: Some(&planned.plan),
            sut: "Rust code in this process",
            seed: Some(self.seed),
            quiescence: settings.quiescence,
            took: Some(outcome.took),
            planned: None,
            clock: Clock { questions: planned.clock.questions + outcome.late, ..planned.clock },
            budget: &settings.max_steps.map(|most| format!("{most} steps")).unwrap_or_default(),
            journal,
            replay: None,
            gates: &[],
            reasons: outcome.trails.reasons(),
            dead_ends: outcome.trails.dead_ends(),
            again: None,
            eager: false,
            shrunk: &outcome.shrinks.all,
        };
        let about =
            report::About { source, seed: Some(self.seed), file: None, clock: false, replay: None, notes: &notes };
        let page = Page { width: WIDTH, style: PLAIN };
        bad_runs(&outcome.failures(), about, page) + &summary(&told, page)
    }
}
