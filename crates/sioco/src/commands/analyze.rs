//! `sioco analyze`: what is wrong or odd about a model.

use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::Duration;

use clap::{Args, ValueEnum};
use sioco_report::analysis::{self as report, Denied, Source};
use sioco_solve::values::Bounds;
use sioco_solve::{Cancellation, Limits, Reason};
use sioco_symbolic::ExploreProgress;
use sioco_symbolic::analysis::{Analysis, AnalysisOptions, Kind, Severity, Status, analyze};

use crate::analyze::replay::{Scripts, command, prepare};
use crate::budget::{Budget, Flags, before, note, within_flags};
use crate::exit::Exit;
use crate::explore::size;
use crate::failure::Failure;
use crate::interrupt;
use crate::model::{Choices, load};
use crate::options::{Rule, Ruled, always};
use crate::output::{Format, Output};
use crate::seconds;
use crate::solver_choice::SolverChoice;

/// At most this many findings of a kind are shown to people: a screen or two. JSON has all of them.
const SHOWN: usize = 30;

/// Find deadlocks, unreachable switches, nondeterminism and other oddities
///
/// Explores the model for all values at once. Every finding has a trace that leads to it, is proved, or is marked as
/// undecided. Defects of the model (deadlocks, values that are undefined, switches that are never taken, outputs
/// that no value satisfies) and findings of a kind given to --deny end with exit code 2. `sioco explain KIND` explains
/// a kind.
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  sioco analyze model.sts
  sioco analyze model.sts --only deadlock,model-error --witness traces
  sioco analyze model.sts --deny nondeterminism --format json

Exit codes:
  0    no defects
  2    defects, findings of a denied kind, or a wrong command line
  5    a solver broke down
  130  interrupted; the results so far are shown")]
pub struct Analyze {
    /// The model
    #[arg(value_name = "FILE")]
    file: PathBuf,

    #[command(flatten)]
    choices: Choices,

    #[command(flatten)]
    solver: SolverChoice,

    /// Looks only for these kinds
    #[arg(long, value_name = "KINDS", value_enum, value_delimiter = ',')]
    only: Vec<Sort>,

    /// Makes findings of these kinds errors, like defects
    #[arg(long, value_name = "KINDS", value_enum, value_delimiter = ',')]
    deny: Vec<Sort>,

    /// Maximum number of steps on a path
    #[arg(long, value_name = "STEPS", default_value_t = 200)]
    depth: usize,

    /// The greatest number of nodes: the symbolic states of the graph
    #[arg(long, value_name = "NUMBER", default_value_t = 20_000, allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..=4_000_000_000))]
    nodes: u32,

    /// After how many internal steps in a row, each to a new state, to report a possible divergence
    #[arg(long, value_name = "STEPS", default_value_t = AnalysisOptions::default().internal)]
    internal: usize,

    /// Time limit, in seconds. The exploration has three quarters of it; what was explored by then is analysed in the
    /// rest
    #[arg(long, value_name = "SECONDS", default_value = "20", allow_negative_numbers = true, value_parser = seconds::parse)]
    time: Duration,

    /// Memory limit, such as 512M; when it is reached, the partial result is used
    #[arg(long, value_name = "SIZE", default_value = "2G", allow_negative_numbers = true, value_parser = size::parse)]
    memory: usize,

    /// Time limit for one question to a solver, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "10", allow_negative_numbers = true, value_parser = seconds::parse)]
    patience: Duration,

    /// Writes the traces of the findings into this folder, as scripts for `sioco simulate`, and replaces those of an
    /// earlier run
    #[arg(long, value_name = "DIR")]
    witness: Option<PathBuf>,

    /// Output format: text for people, or JSON (one object per line)
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// The kinds of findings, for the command line.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Sort {
    /// A value is undefined or outside its range where it is needed
    ModelError,
    /// Nothing can happen, and not all locations are final
    Deadlock,
    /// No value satisfies an output that leaves values open
    UnsatisfiableOutput,
    /// A switch that is not taken
    Unreachable,
    /// Two switches with the same label are possible at once
    Nondeterminism,
    /// Internal steps without end
    Divergence,
    /// Inputs, or values of inputs, that are not specified
    InputGap,
}

impl From<Sort> for Kind {
    fn from(sort: Sort) -> Kind {
        match sort {
            Sort::ModelError => Kind::ModelError,
            Sort::Deadlock => Kind::Deadlock,
            Sort::UnsatisfiableOutput => Kind::UnsatisfiableOutput,
            Sort::Unreachable => Kind::Unreachable,
            Sort::Nondeterminism => Kind::Nondeterminism,
            Sort::Divergence => Kind::Divergence,
            Sort::InputGap => Kind::InputGap,
        }
    }
}

impl Ruled for Analyze {
    fn rules() -> Vec<Rule<Analyze>> {
        let always = always(&[
            "const", "system", "solver", "only", "deny", "depth", "nodes", "internal", "time", "memory", "patience",
            "witness", "format",
        ]);
        // What is denied in vain is told with its kind.
        always.collect()
    }
}

impl Analyze {
    /// Analyses the model and says what was found.
    pub fn run(&self, out: &mut Output) -> Result<Exit, Failure> {
        self.nothing_in_vain()?;
        let back_end = self.solver.back_end()?;
        let (checked, model) = before(Some(self.time), || load(&self.file, &self.choices, out))?;
        let source = Source { checked: &model, sources: &checked.sources };
        let denied: Vec<Kind> = self.deny.iter().map(|s| Kind::from(*s)).collect();
        let denied = Denied(&denied);
        if let Some(folder) = &self.witness {
            prepare(folder)?;
        }
        let solvers = || -> Box<dyn Bounds> { Box::new(back_end.chain()) };
        let mut last = None;
        let mut progress = |p: ExploreProgress| {
            if out.shows_progress() && last != Some(p.depth) {
                last = Some(p.depth);
                out.progress(format_args!("exploring: {} nodes, depth {}", p.nodes, p.depth));
            }
        };
        let interrupted = interrupt::flag();
        let flags = Flags::default();
        let budget = Budget::of(self.time, self.memory);
        let mut analysis = within_flags(budget, &interrupted, flags.clone(), |flags| {
            let mut analysis = analyze(&model.model, &solvers, &self.options(flags.clone()), &mut progress);
            analysis.exploration.stop = flags.why(analysis.exploration.stop);
            analysis
        });
        let by_hand = interrupted.load(Ordering::Relaxed);
        analysis.late = analysis.cancelled && !by_hand;
        analysis.cancelled |= by_hand;
        out.progress("");
        note(&flags).into_iter().for_each(|note| out.say(note));
        // The worst first; within that, the order of the analysis stays.
        analysis.findings.sort_by_key(|f| denied.severity(f));
        let scripts = match &self.witness {
            Some(folder) => Some(Scripts::write(folder, &self.file, &self.choices, source, &analysis.findings)?),
            None => None,
        };
        match self.format {
            Format::Human => self.tell(source, &analysis, denied, scripts.as_ref(), out),
            Format::Json => self.tell_json(source, &analysis, denied, scripts.as_ref(), out),
        }
        if by_hand {
            return Ok(Exit::Interrupted);
        }
        if analysis.findings.iter().any(|f| denied.severity(f) == Severity::Error) {
            return Ok(Exit::Usage);
        }
        // Nothing bad was found, but only because nobody could answer.
        let broken = analysis.findings.iter().find_map(|f| match &f.status {
            Status::Undecided(why @ Reason::Broken { .. }) => Some(why),
            _ => None,
        });
        match broken {
            Some(why) => Err(Failure { exit: Exit::Infrastructure, message: Some(why.to_string()), help: None }),
            None => Ok(Exit::Ok),
        }
    }

    fn options(&self, flags: Flags) -> AnalysisOptions {
        let limits = Limits { wall: self.patience, cancellation: Cancellation::by(flags.stop), ..Limits::default() };
        let kinds = match self.only.is_empty() {
            true => Kind::ALL.to_vec(),
            false => self.only.iter().map(|s| Kind::from(*s)).collect(),
        };
        AnalysisOptions {
            kinds,
            depth: Some(self.depth),
            nodes: self.nodes as usize,
            internal: self.internal,
            enough: Some(flags.enough),
            limits,
            ..AnalysisOptions::default()
        }
    }

    /// A kind that is denied but not looked for would never be found.
    fn nothing_in_vain(&self) -> Result<(), Failure> {
        let lost = self.deny.iter().find(|d| !self.only.is_empty() && !self.only.contains(d));
        let Some(lost) = lost else { return Ok(()) };
        let names = |kinds: &[Sort]| kinds.iter().map(|s| Kind::from(*s).name()).collect::<Vec<_>>().join(",");
        let (lost, only) = (Kind::from(*lost), names(&self.only));
        let failure = Failure::usage(format!("`--deny {lost}` denies nothing: `--only {only}` does not look for it"));
        Err(failure.help(format!("write `--only {only},{lost}`, or leave one of the two out")))
    }

    fn tell(
        &self,
        source: Source<'_>,
        analysis: &Analysis,
        denied: Denied<'_>,
        scripts: Option<&Scripts>,
        out: &mut Output,
    ) {
        let style = out.style();
        let mut shown: Vec<(Severity, Kind, usize)> = Vec::new();
        let mut in_lines = false;
        for (i, finding) in analysis.findings.iter().enumerate() {
            let (severity, kind) = (denied.severity(finding), finding.kind);
            let place = shown.iter().position(|(s, k, _)| (*s, *k) == (severity, kind));
            let place = place.unwrap_or_else(|| {
                shown.push((severity, kind, 0));
                shown.len() - 1
            });
            shown[place].2 += 1;
            if shown[place].2 > SHOWN {
                continue;
            }
            let replay = match scripts.and_then(|s| s.of(i)) {
                Some(file) => Some(command(&self.file, &self.choices, source, finding, Some(file))),
                None => finding.witness.is_some().then(|| command(&self.file, &self.choices, source, finding, None)),
            };
            out.print(&report::render(source, finding, denied, replay.as_deref(), style));
            // What is one line stays together.
            in_lines = severity == Severity::Information;
            if !in_lines {
                out.line("");
            }
        }
        for (_, kind, n) in shown.iter().filter(|(.., n)| *n > SHOWN) {
            out.line(format_args!("… and {} more of the kind {kind}; `--format json` lists all", n - SHOWN));
        }
        if in_lines {
            out.line("");
        }
        out.print(&report::summary(source.checked, &self.file.display().to_string(), analysis, denied));
    }

    fn tell_json(
        &self,
        source: Source<'_>,
        analysis: &Analysis,
        denied: Denied<'_>,
        scripts: Option<&Scripts>,
        out: &mut Output,
    ) {
        out.json(report::json_head(source, &self.file.display().to_string()));
        for (i, finding) in analysis.findings.iter().enumerate() {
            let mut object = report::json_finding(source, finding, denied);
            object["script"] = scripts.and_then(|s| s.of(i)).map(|p| p.display().to_string()).into();
            out.json(object);
        }
        for object in report::switches(source, analysis) {
            out.json(object);
        }
        out.json(report::json_summary(source, analysis, denied));
    }
}
