//! Rust code tested from `cargo test`, with sioco as a dev-dependency: whether it conforms to a model (T-L10: ioco).
//!
//! ```no_run
//! use sioco::conformance::{Args, Conformance, Output, System};
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
//! What is tested is made by a function, such as `Accumulator::default`: after a crash, the next run begins with a new one. A
//! panic in `input` or `output` is a crash, and the test fails with its message, its place and the shortest run that leads to
//! it. A panic of the code that connects the system is an error of the test, and says nothing about the system: of
//! [`Args::get`], `reset`, the function that makes a new system, and whatever is in [`glue`]. What cannot be caught ends the
//! whole test program: an abort, a stack overflow, `std::process::exit`; and a call that never returns holds it up. With
//! [`Conformance::journal`], everything up to that call is in a file then.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

pub use sioco_adapter::in_process::{Arg, Args, FromArg, InProcess, IntoArg, Output, System, glue};
use sioco_exec::journal::{About, Header, line};
use sioco_exec::record::Stamped;
use sioco_exec::settings::{Settings, Walks};
use sioco_exec::{Driver, Summary, Verdict, drive};
use sioco_model::Model;
use sioco_plan::{Cover, Plan};
use sioco_report::analysis::Source;
use sioco_report::run::{Campaign, Clock, Page, Trails, summary};
use sioco_solve::values::{Bounds, Choice};
use sioco_solve::{BackEnd, Cancellation, StateOracle};

use crate::failure::Failure;
use crate::model::{Choices, load};
use crate::output;
use crate::run::cover::Covered;
use crate::run::journal::Writer;
use crate::run::planning::{self, Time, Wanted};
use crate::run::show;
use crate::run::shrink::{self, Shrinking};
use crate::run::watch::Since;

/// So many steps are walked after the plan.
const WALKED: u64 = 1000;

/// A test of Rust code against a model. The same settings give the same test: the seed is 0 unless another is given.
#[derive(Clone, Debug)]
pub struct Conformance {
    file: PathBuf,
    choices: Choices,
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
        let choices = Choices::default();
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

    /// Tests a system, made by a function, and says what came of it. An error is a fault of the model or of these settings, in
    /// words.
    pub fn check<S: System>(&self, make: impl FnMut() -> S) -> Result<Report, String> {
        let (mut text, mut problems) = (Vec::new(), Vec::new());
        let result = {
            let mut out = output::Output::new(&mut text, &mut problems);
            let result = self.run(make, &mut out);
            if let Err(failure) = &result {
                out.failure(failure);
            }
            result
        };
        match result {
            Ok(summary) => Ok(Report { summary, text: String::from_utf8_lossy(&text).into_owned() }),
            Err(_) => Err(String::from_utf8_lossy(&problems).into_owned()),
        }
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

    fn run<S: System>(&self, make: impl FnMut() -> S, out: &mut output::Output<'_>) -> Result<Summary, Failure> {
        let (checked, model) = load(&self.file, &self.choices, out)?;
        let source = Source { checked: &model, sources: &checked.sources };
        let covered = Covered::parse(&self.cover).map_err(Failure::usage)?;
        let back_end = BackEnd::Auto;
        let never = Arc::new(AtomicBool::new(false));
        let (plan, mut clock) = match &covered {
            Covered::Random(walks) => (planning::nothing(Covered::walks(*walks)), Clock::default()),
            Covered::Auto => {
                let wanted = Wanted {
                    cover: Cover::Switch,
                    data: true,
                    strict: false,
                    seed: self.seed,
                    values: Choice::Random(self.seed),
                    memory: planning::MEMORY,
                    // The rest of the process is none of our business.
                    resident: usize::MAX,
                };
                planning::make(&wanted, source, &back_end, Time::default(), &never, out)?
            }
            Covered::Plan(cover) => {
                let wanted = Wanted {
                    cover: cover.clone(),
                    data: false,
                    strict: false,
                    seed: self.seed,
                    values: Choice::Random(self.seed),
                    memory: planning::MEMORY,
                    // The rest of the process is none of our business.
                    resident: usize::MAX,
                };
                planning::make(&wanted, source, &back_end, Time::default(), &never, out)?
            }
        };
        let walks = match &covered {
            Covered::Random(_) => Walks::Random,
            Covered::Auto => Walks::Guided,
            Covered::Plan(_) => Walks::None,
        };
        let planned = plan.steps(&model.model) as u64;
        let max_walks = covered.most_walks();
        let most = match max_walks {
            Some(_) => self.max_steps,
            None => Some(self.max_steps.unwrap_or(planned.saturating_add(WALKED))),
        };
        let settings = Settings {
            seed: self.seed,
            values: Choice::Random(self.seed),
            walks,
            max_walks,
            max_steps: most,
            quiescence: self.quiescence,
            fail_fast: true,
            ..Settings::default()
        };
        let kept = settings.clone();
        let cancellation = Cancellation::default();
        let solvers = || -> Box<dyn Bounds> { Box::new(back_end.chain().on(Some(&cancellation))) };
        let oracle = StateOracle::new(&model.model.terms, &model.model.sorts, back_end.clone()).on(&cancellation);
        let oracle = Arc::new(Mutex::new(oracle));
        let mut tester = Driver::with(&model.model, &solvers, &plan, settings, Some(oracle)).on(&cancellation);
        let mut sut = InProcess::new(&model.model, make);
        let mut trails = Trails::default();
        let mut journal = match &self.journal {
            Some(file) => Some(self.begin(file, &model.model, &kept, walks, &plan)?),
            None => None,
        };
        let begun = Instant::now();
        let found = drive(&mut tester, &mut sut, &mut Since(begun), &mut |stamped| {
            trails.record(stamped);
            record(&mut journal, &model.model, stamped);
        });
        clock.questions += cancellation.late();
        let mut found = found.of_plan(&plan);
        if let Some(journal) = &mut journal {
            journal.finish();
            found.verdict = journal.verdict(found.verdict);
        }
        let took = begun.elapsed();
        let shrinking = Shrinking {
            source,
            back_end: &back_end,
            settings: &kept,
            time: shrink::TIME,
            cancellation: &Cancellation::default(),
        };
        let shrinks = shrinking.shrink(&found, &trails, &mut sut, &mut Since(begun), &mut |_, _| {});
        shrinks.records(begun.elapsed()).for_each(|stamped| record(&mut journal, &model.model, &stamped));
        let path = journal.as_ref().map(|journal| journal.path.display().to_string());
        let told = Campaign {
            source,
            summary: &found,
            plan: Some(&plan),
            sut: "Rust code in this process",
            seed: Some(self.seed),
            quiescence: kept.quiescence,
            took: Some(took),
            planned: None,
            clock,
            budget: &most.map(|most| format!("{most} steps")).unwrap_or_default(),
            journal: path.as_deref(),
            replay: None,
            gates: &[],
            reasons: trails.reasons(),
            dead_ends: trails.dead_ends(),
            again: None,
            eager: false,
            shrunk: &shrinks.all,
        };
        show::bad_runs(
            &shrinks.show(show::of(&found, &trails)),
            show::About { source, seed: Some(self.seed), file: None, replay: None },
            out,
        );
        let page = Page { width: out.width(), style: out.style() };
        out.print(&summary(&told, page));
        match journal.and_then(|journal| journal.broken) {
            Some(why) => Err(Failure::usage(format!("cannot write the journal: {why}"))),
            None => Ok(found),
        }
    }

    /// A journal with its first line.
    fn begin(
        &self,
        file: &Path,
        model: &Model,
        settings: &Settings,
        walks: Walks,
        plan: &Plan,
    ) -> Result<Writer, Failure> {
        let mut journal = Writer::create(Some(file))?;
        let Choices { system, consts } = &self.choices;
        let header = Header {
            sioco: env!("CARGO_PKG_VERSION").into(),
            model: About::new(model, &self.file.display().to_string(), system.as_deref(), consts),
            sut: "Rust code".into(),
            settings: settings.clone(),
            ..Header::default()
        };
        let header = if walks == Walks::Random { header } else { header.with_plan(plan) };
        journal.add(&header.line());
        Ok(journal)
    }
}

/// Adds a line to the journal, if there is one.
fn record(journal: &mut Option<Writer>, model: &Model, stamped: &Stamped) {
    if let Some(journal) = journal {
        journal.add(&line(model, stamped));
    }
}
