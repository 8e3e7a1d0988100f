//! `sioco compare`: a specification and a model of an implementation together.

use crate::output::PROGRESS_INTERVAL;
use sioco_model::visible;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};
use serde_json::Value as Json;
use sioco_lang::check::CheckedModel;
use sioco_model::SwitchId;
use sioco_plan::compare::{CompareError, CompareOptions, CompareProgress, Compared, Conformance, Cover, Side, compare};
use sioco_report::analysis::Source;
use sioco_report::compare::{Comparison, Page, document, without_degree};
use sioco_report::plan::{Planned, document as plan_document};
use sioco_solve::values::Bounds;
use sioco_solve::{BackEnd, Cancellation, Limits, Reason};
use sioco_symbolic::Stop;

use crate::budget::{Budget, Flags, before, note, within, within_flags};
use crate::commands::plan::{NODES, can_be_written};
use crate::exit::Exit;
use crate::explore::size;
use crate::failure::Failure;
use crate::files::ShownPath;
use crate::interrupt;
use crate::model::{Choices, load, shell_word};
use crate::options::{Rule, Ruled, always};
use crate::output::{Format, Output, count};
use crate::run::values::Values;
use crate::seconds;
use crate::solver_choice::SolverChoice;

/// At most this many tests and transitions are shown, unless all are wanted: a screen.
const SHOWN: usize = 20;

/// A question may take this part of all the time, which is a tenth of a phase: one hard question leaves time for
/// others.
const QUESTION_PART: u32 = 30;

/// Compare a specification with a model of its implementation, and make tests from both.
///
/// Says whether the implementation model conforms to the specification, and if not, shows a shortest sequence of inputs
/// that tells them apart. Composes both models: inputs that both take, and inputs that only one of them takes. From the
/// composition it makes a test suite for this implementation, with enough inputs for every path to tell the outputs of
/// both apart. `sioco test SPEC --plan` runs the suite against the real system, and judges it by the specification
/// alone. `sioco import` converts the model of a model learner.
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  sioco compare spec.sts learned.sts
  sioco compare spec.sts learned.sts --composition
  sioco compare spec.sts learned.sts --length 3 --output suite.json
  sioco test spec.sts --plan suite.json --sut './system'

Exit codes:
  0    the implementation model conforms, or does so up to `--length`
  1    it does not conform: a sequence of inputs shows it
  2    the command line or a model is wrong, or an output has no degree
  3    a solver or a limit left it open, or the implementation has no value
  5    a solver broke down
  130  interrupted; the results so far are shown")]
pub struct Compare {
    /// The specification
    #[arg(value_name = "SPEC")]
    spec: PathBuf,

    /// The model of the implementation
    #[arg(value_name = "IMPL")]
    implementation: PathBuf,

    #[command(flatten)]
    choices: Choices,

    #[command(flatten)]
    solver: SolverChoice,

    /// Which paths to test, if loops make them infinitely many
    #[arg(long, value_enum, value_name = "WHICH", default_value_t, conflicts_with = "length")]
    cover: Covered,

    /// Tests all paths with up to this number of inputs, and compares the models no further
    #[arg(long, value_name = "INPUTS", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    length: Option<u32>,

    /// Ends paths where the outputs of both models differ for all inputs
    #[arg(long)]
    until_different: bool,

    /// How many inputs to take for outputs whose degree cannot be found
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    uniformity: Option<u32>,

    /// Which values the tests have
    #[arg(long, value_enum, default_value = "min")]
    values: Values,

    /// Seed of random values
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    seed: u64,

    /// The greatest number of states and of transitions
    #[arg(long, value_name = "NUMBER", default_value_t = NODES, allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..=4_000_000_000))]
    nodes: u32,

    /// The greatest number of steps of an answer to an input
    #[arg(long, value_name = "STEPS", default_value_t = 100, allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..=2_000))]
    answer: u32,

    /// Time limit for the command, in seconds: a third for the comparison, a third for the composition, and the rest
    /// for the tests. After that, the partial result is used and marked as such
    #[arg(long, value_name = "SECONDS", default_value = "60", allow_negative_numbers = true, value_parser = seconds::parse)]
    time: Duration,

    /// Memory limit, such as 512M; when it is reached, the partial result is used
    #[arg(long, value_name = "SIZE", default_value = "2G", allow_negative_numbers = true, value_parser = size::parse)]
    memory: usize,

    /// Time limit for one question to a solver, in seconds; at most a thirtieth of `--time`
    #[arg(long, value_name = "SECONDS", default_value = "10", allow_negative_numbers = true, value_parser = seconds::parse)]
    patience: Duration,

    /// Shows the transitions that both models have together
    #[arg(long)]
    composition: bool,

    /// Shows all tests and transitions, however many there are
    #[arg(long)]
    all: bool,

    /// Writes the suite to this file, to be run with `sioco test SPEC --plan`
    #[arg(long, short, value_name = "PLAN.json")]
    output: Option<PathBuf>,

    /// Output format: text for people, or JSON (one object, on one line)
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// Which paths.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
enum Covered {
    /// One path to every transition; states that earlier ones include are not followed again.
    #[default]
    Transitions,
    /// All paths, each until its state is included in an earlier state of the same path.
    Inclusion,
}

impl Ruled for Compare {
    fn rules() -> Vec<Rule<Compare>> {
        let always = always(&[
            "const",
            "system",
            "solver",
            "cover",
            "length",
            "until-different",
            "uniformity",
            "values",
            "seed",
            "composition",
            "all",
            "nodes",
            "answer",
            "time",
            "memory",
            "patience",
            "output",
            "format",
        ]);
        always.collect()
    }
}

impl Compare {
    /// Compares two models.
    pub fn run(&self, out: &mut Output) -> Result<Exit, Failure> {
        let back_end = self.solver.back_end()?;
        if let Some(path) = &self.output {
            can_be_written(path)?;
        }
        let (checked, spec) = before(Some(self.time), || load(&self.spec, &self.choices, out))?;
        let (_, implementation) = before(Some(self.time), || load(&self.implementation, &self.choices, out))?;
        let interrupted = interrupt::flag();
        let mut options = CompareOptions::default();
        // A long search for a difference leaves time for the composition, and that for the tests.
        let (first, second) = (self.time / 3, self.time / 3 * 2);
        let budget = Budget { search: second, all: self.time, last: Some(self.time), memory: self.memory };
        let all = Flags::default();
        let found = within_flags(budget, &interrupted, all.clone(), |flags| {
            within(Budget { search: first, ..budget }, &interrupted, |first| {
                options = CompareOptions { enough_conformance: Some(first.enough), ..self.options(flags) };
                self.compare(&spec, &implementation, &back_end, &options, out)
            })
        })?;
        note(&all).into_iter().for_each(|note| out.say(note));
        let by_hand = interrupted.load(Ordering::Relaxed);
        let (spec_file, implementation_file) = (name(&self.spec), name(&self.implementation));
        let comparison = Comparison {
            spec: (&spec.model, &spec_file),
            implementation: (&implementation.model, &implementation_file),
            options: &options,
            found: &found,
            interrupted: by_hand,
        };
        let source = Source { checked: &spec, sources: &checked.sources };
        self.tell(&comparison, source, out)?;
        self.exit(&comparison)
    }

    fn options(&self, flags: Flags) -> CompareOptions {
        CompareOptions {
            cover: match (self.length, self.cover) {
                (Some(n), _) => Cover::Length(n as usize),
                (None, Covered::Transitions) => Cover::Transitions,
                (None, Covered::Inclusion) => Cover::Inclusion,
            },
            nodes: self.nodes as usize,
            internal: self.answer as usize,
            uniformity: self.uniformity.map(|n| n as usize),
            values: self.values.choice(self.seed),
            seed: self.seed,
            until_different: self.until_different,
            describe: self.composition || self.format == Format::Json,
            enough: Some(flags.enough),
            limits: Limits {
                wall: self.patience.min(self.time / QUESTION_PART),
                cancellation: Cancellation::by(flags.stop),
                ..Limits::default()
            },
            ..CompareOptions::default()
        }
    }

    fn compare(
        &self,
        spec: &CheckedModel,
        implementation: &CheckedModel,
        back_end: &BackEnd,
        options: &CompareOptions,
        out: &mut Output,
    ) -> Result<Compared, Failure> {
        let solvers = || -> Box<dyn Bounds> { Box::new(back_end.chain()) };
        let mut last = Instant::now();
        let mut progress = |p: CompareProgress| {
            if out.shows_progress() && last.elapsed() >= PROGRESS_INTERVAL {
                last = Instant::now();
                out.progress(format_args!("{p}"));
            }
        };
        let found = compare(&spec.model, &implementation.model, &solvers, options, &mut progress);
        out.progress("");
        found.map_err(|why| self.failure(&why, spec, implementation))
    }

    fn failure(&self, why: &CompareError, spec: &CheckedModel, implementation: &CheckedModel) -> Failure {
        match why {
            CompareError::Mismatch(why) => {
                let files = format!("{} and {}", self.spec.shown(), self.implementation.shown());
                Failure::usage(format!("{files} cannot be compared: {why}")).help(why.help())
            }
            CompareError::Free(variable) => {
                let what = format!("`{variable}` of {} may begin with any value", self.spec.shown());
                let help = "a specification to compare with begins in one state: give the variable an initial value";
                Failure::usage(what).help(help)
            }
            CompareError::Silent(side) => {
                let file = self.file(*side);
                let what = format!("{} never answers an input with an output", file.shown());
                let file = shell_word(&name(file));
                let help = format!(
                    "a comparison takes models that answer inputs; `sioco explore {file}` shows what this one does"
                );
                Failure::usage(what).help(help)
            }
            CompareError::Endless(side, switches)
            | CompareError::Long(side, switches)
            | CompareError::Many(side, switches) => {
                let model = match side {
                    Side::Spec => spec,
                    Side::Impl => implementation,
                };
                let names: Vec<&str> = switches.iter().map(|s: &SwitchId| &*model.model.switches[*s].name).collect();
                let (file, names) = (self.file(*side).shown(), names.join(" "));
                let waits = "a comparison takes models that wait for the next input after every answer";
                if let CompareError::Endless(..) = why {
                    let what = format!(
                        "the answer of {file} to an input does not end: it takes `{names}` again and again, and is in the \
                         same state each time"
                    );
                    return Failure::usage(what).help(waits);
                }
                if let CompareError::Many(..) = why {
                    let what = format!(
                        "{file} has too many answers to one input: they go on in several ways again and again, last by \
                         `{names}`"
                    );
                    return Failure::usage(what).help(waits);
                }
                let what = format!(
                    "an answer of {file} to an input has more than {}, the last of them `{names}`",
                    count(self.answer as usize, "step")
                );
                Failure::usage(what).help(format!("`--answer STEPS` allows more; {waits}"))
            }
        }
    }

    fn file(&self, side: Side) -> &Path {
        match side {
            Side::Spec => &self.spec,
            Side::Impl => &self.implementation,
        }
    }

    fn tell(&self, comparison: &Comparison<'_>, source: Source<'_>, out: &mut Output) -> Result<(), Failure> {
        let found = comparison.found;
        let plan = found.suite.as_ref().ok().map(|suite| {
            let options =
                sioco_plan::PlanOptions { seed: self.seed, ..sioco_plan::PlanOptions::new(suite.plan.cover.clone()) };
            let planned = Planned { source, options: &options, plan: &suite.plan, interrupted: comparison.interrupted };
            plan_document(&planned, &name(&self.spec), &suite.cases)
        });
        if let (Some(path), Some(plan)) = (&self.output, &plan) {
            let text = format!("{plan:#}\n");
            crate::files::write(path, &visible::json(&text)).map_err(|error| Failure::write(path, &error))?;
            out.say(format_args!("wrote {}", path.shown()));
        }
        if self.format == Format::Json {
            let plan: Option<&Json> = plan.as_ref();
            out.json(document(comparison, plan));
            return Ok(());
        }
        let most = if self.all { usize::MAX } else { SHOWN };
        let page = Page { width: out.width(), style: out.style(), most };
        out.print(&comparison.conformance(page));
        if let Some(note) = comparison.undefined() {
            out.say(note);
        }
        out.line("");
        out.print(&comparison.composition(page));
        if self.composition {
            out.print(&comparison.transitions(page));
        }
        if let Ok(suite) = &found.suite {
            out.line("");
            out.print(&comparison.suite(suite, page));
        }
        Ok(())
    }

    fn exit(&self, comparison: &Comparison<'_>) -> Result<Exit, Failure> {
        let found = comparison.found;
        let no_suite = || {
            let none = found.suite.as_ref().err()?;
            let what = format!("there is no suite: {} has no degree", without_degree(comparison.spec.0, none));
            let help = "`--uniformity N` says how many inputs tell such outputs apart; N tests are made for each path";
            Some(Failure::usage(what).help(help))
        };
        match &found.conformance {
            Conformance::Differs(_) => match no_suite() {
                Some(failure) => Err(Failure { exit: Exit::Fail, ..failure }),
                None => Ok(Exit::Fail),
            },
            _ if comparison.interrupted => Ok(Exit::Interrupted),
            Conformance::Unknown { reason: why @ Reason::Broken { .. }, .. } => {
                let failure = Failure { exit: Exit::Infrastructure, message: Some(why.to_string()), help: None };
                Err(failure.help("`sioco doctor` lists the solvers; `--solver` chooses one"))
            }
            conformance => {
                if let Some(failure) = no_suite() {
                    return Err(failure);
                }
                Ok(match conformance {
                    Conformance::Conforms { no_value: Some(_), .. } => Exit::Inconclusive,
                    Conformance::Conforms { proved: true, .. } => Exit::Ok,
                    Conformance::Conforms { stop: Stop::Depth, .. } => Exit::Ok,
                    _ => Exit::Inconclusive,
                })
            }
        }
    }
}

fn name(path: &Path) -> String {
    path.display().to_string()
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        compare: Compare,
    }

    /// Ten questions that nobody can answer fit into each phase, however patient somebody is.
    #[test]
    fn a_question_takes_a_tenth_of_its_phase_at_most() {
        for (time, patience, most) in [("60", "10", 2000), ("6", "10", 200), ("60", "1", 1000)] {
            let line = Line::parse_from(["compare", "spec.sts", "impl.sts", "--time", time, "--patience", patience]);
            let options = line.compare.options(Flags::default());
            assert_eq!(options.limits.wall, Duration::from_millis(most), "{time} {patience}");
        }
    }
}
