//! Rust code tested from `cargo test`, with sioco as a dev-dependency.
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
//!     Conformance::to("models/accumulator.sts").assert(Accumulator::default());
//! }
//! ```

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

pub use sioco_adapter::in_process::{Arg, Args, FromArg, InProcess, IntoArg, Output, System};
use sioco_exec::settings::{Settings, Walks};
use sioco_exec::{Summary, Tester, Verdict, drive};
use sioco_plan::Cover;
use sioco_report::analysis::Source;
use sioco_report::run::{Campaign, Clock, Page, Trails, summary};
use sioco_solve::values::{Bounds, Choice};
use sioco_solve::{BackEnd, Leash, StateOracle};

use crate::failure::Failure;
use crate::model::{Choices, load};
use crate::output;
use crate::run::cover::Covered;
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
        Conformance { file: file.into(), choices, cover: "auto".into(), seed: 0, max_steps: None, quiescence }
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

    /// Tests a system and says what came of it. An error is a fault of the model or of these settings, in words.
    pub fn check<S: System>(&self, system: S) -> Result<Report, String> {
        let (mut text, mut problems) = (Vec::new(), Vec::new());
        let result = {
            let mut out = output::Output::new(&mut text, &mut problems);
            let result = self.run(system, &mut out);
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

    /// Tests a system.
    ///
    /// # Panics
    /// If it does not pass, with the explanation; also if the model or these settings are wrong.
    #[track_caller]
    pub fn assert<S: System>(&self, system: S) {
        match self.check(system) {
            Ok(report) if report.is_pass() => {}
            Ok(report) => panic!("the system does not pass\n\n{}", report.text),
            Err(problems) => panic!("the test cannot be run\n\n{problems}"),
        }
    }

    fn run<S: System>(&self, system: S, out: &mut output::Output<'_>) -> Result<Summary, Failure> {
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
        let leash = Leash::default();
        let solvers = || -> Box<dyn Bounds> { Box::new(back_end.chain().on(Some(&leash))) };
        let oracle = StateOracle::new(&model.model.terms, &model.model.sorts, back_end.clone()).on(&leash);
        let oracle = Arc::new(Mutex::new(oracle));
        let mut tester = Tester::with(&model.model, &solvers, &plan, settings, Some(oracle)).on(&leash);
        let mut sut = InProcess::new(&model.model, system);
        let mut trails = Trails::default();
        let begun = Instant::now();
        let found = drive(&mut tester, &mut sut, &mut Since(begun), &mut |stamped| trails.record(stamped));
        clock.questions += leash.late();
        let found = found.of_plan(&plan);
        let took = begun.elapsed();
        let shrinking =
            Shrinking { source, back_end: &back_end, settings: &kept, time: shrink::TIME, interrupted: &never };
        let shrinks = shrinking.shrink(&found, &trails, &mut sut, &mut Since(begun), &mut |_, _| {});
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
            journal: None,
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
        Ok(found)
    }
}
