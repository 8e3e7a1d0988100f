//! `sioco explore`: what a model can do, for all values at once.

use crate::output::PROGRESS_INTERVAL;
use std::path::{self, PathBuf};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use clap::{ArgGroup, Args, ValueEnum};
use sioco_lang::check::{Checked, CheckedModel};
use sioco_report::explore::path::{Page, PathOutcome};
use sioco_report::explore::statistics::statistics;
use sioco_report::explore::summary::summary;
use sioco_report::explore::tree::{Drawing, tree};
use sioco_report::explore::{Explored, json};
use sioco_solve::values::{Bounds, Choice};
use sioco_solve::{BackEnd, Cancellation, Limits, Reason};
use sioco_symbolic::analysis::{self, ModelErrors};
use sioco_symbolic::{
    Exploration, ExploreOptions, ExploreProgress, Merge, Order, Path, Shortcuts, Step, Stop, explore,
};

use crate::budget::{Budget, Flags, before, within};
use crate::commands::simulate;
use crate::exit::Exit;
use crate::explore::path::{Question, answer};
use crate::explore::{names, size};
use crate::failure::Failure;
use crate::interrupt;
use crate::model::{Choices, load, shell_word};
use crate::options::{Rule, Ruled, always};
use crate::output::{Format, Output};
use crate::seconds;
use crate::solver_choice::SolverChoice;
use sioco_report::words::Words;

/// Explore what a model can do, for all values at once
///
/// Builds the symbolic execution graph: parameters stay symbols (`p#3` is the parameter `p` of the third step), and a
/// solver says which switches can be taken. Shows how far the exploration came and which switches can be reached. With
/// `--path` or `--node`, says instead whether one path can be taken, with its condition and values, or the conditions
/// that clash.
#[derive(Args, Debug)]
#[command(
    // Only after `--path` can it be missing, and then it is the last word there.
    override_usage = "sioco explore [OPTIONS] <FILE>",
    group = ArgGroup::new("one").args(["path", "node"]),
    after_help = "\
Example:
  sioco explore model.sts
  sioco explore model.sts --depth 4 --tree
  sioco explore model.sts --path 'add tell finish' --values max
  sioco explore model.sts --format json > graph.json

Exit codes:
  0    explored, whatever was found; with --path and --node: reachable
  1    with --path and --node: impossible
  2    the command line or the model is wrong
  3    with --path and --node: unknown
  5    a solver broke down
  130  interrupted; the results so far are shown"
)]
pub struct Explore {
    /// The model
    #[arg(value_name = "FILE", required_unless_present = "path")]
    file: Option<PathBuf>,

    #[command(flatten)]
    choices: Choices,

    #[command(flatten)]
    solver: SolverChoice,

    /// Maximum number of steps on a path
    #[arg(long, value_name = "N", allow_negative_numbers = true, default_value_t = 200)]
    depth: usize,

    /// The greatest number of nodes
    #[arg(long, value_name = "N", default_value_t = 100_000, allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..=4_000_000_000))]
    nodes: u32,

    /// The greatest amount of memory, such as 512M
    #[arg(long, value_name = "SIZE", default_value = "2G", allow_negative_numbers = true, value_parser = size::parse)]
    memory: usize,

    /// Time limit for the exploration, in seconds [default: no limit]
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, value_parser = seconds::parse)]
    time: Option<Duration>,

    /// Which nodes are expanded first
    #[arg(long, value_enum, default_value_t)]
    order: OrderName,

    /// Which states are not expanded again
    #[arg(long, value_enum, default_value_t)]
    merge: MergeName,

    /// Makes silence (delta) a step as well
    #[arg(long)]
    delta: bool,

    /// Stops as soon as every switch has been taken
    #[arg(long)]
    until_covered: bool,

    /// How many cores are used; the result is the same for any number [default: all]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u16).range(1..=256))]
    jobs: Option<u16>,

    /// Shows which layer answered how many questions, and what it cost
    ///
    /// The first table counts questions: whether a step is possible (answered by evaluation where the values are known,
    /// remembered from a step with the same conditions, or asked), and whether a state is included in an earlier one.
    /// The second counts answers by layer. A question goes from one layer to the next until one has an answer:
    /// simplification, the last witness, the built-in solver, the cache, the back-end. There may be more answers than
    /// questions, because values are looked for beforehand. Questions without an answer are not in the table.
    #[arg(long, conflicts_with = "one")]
    stats: bool,

    /// Shows the graph as a tree, up to this number of lines; 0 shows all [default: 200 on a terminal, else all]
    #[arg(long, value_name = "LINES", num_args = 0..=1, require_equals = true, conflicts_with = "one")]
    tree: Option<Option<usize>>,

    /// Says whether this path can be taken: names of switches, `send/receive`, labels such as `?gate`, and `delta`
    #[arg(
        long,
        value_name = "STEPS",
        num_args = 1..,
        conflicts_with_all = ["depth", "nodes", "memory", "time", "order", "merge", "delta", "until_covered", "jobs"]
    )]
    path: Option<Vec<String>>,

    /// Shows how this node of the graph is reached, such as n7
    #[arg(long, value_name = "NODE")]
    node: Option<String>,

    /// Which values to show for a path
    #[arg(long, value_enum, default_value_t, requires = "one")]
    values: Values,

    /// Where random values start
    #[arg(long, default_value_t = 0, requires = "one")]
    seed: u64,

    /// Writes the path with its values as a script for `sioco simulate`
    #[arg(long, value_name = "FILE", requires = "one")]
    save: Option<PathBuf>,

    /// Output format: text for people, or JSON (one object, on one line)
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// Orders.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
enum OrderName {
    /// Breadth-first: the nearest ones.
    #[default]
    Bfs,
    /// Depth-first: the first successor of the last one.
    Dfs,
}

/// What is merged.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
enum MergeName {
    /// None: the graph is a tree.
    None,
    /// Those that are equal to an earlier one.
    Equal,
    /// Those that an earlier one includes: everything that is possible in them is possible there.
    #[default]
    Included,
}

/// Which values.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
enum Values {
    /// The least, parameter by parameter.
    #[default]
    Min,
    /// The greatest.
    Max,
    /// Half way between.
    Middle,
    /// At random, by --seed.
    Random,
    /// At the values where a condition flips.
    Boundary,
}

/// Model errors are looked for in this many nodes: `sioco explore` is to be quick, and `sioco analyze` looks at all.
const ERRORS_AMONG: usize = 1_000;

/// A question about a model error may take this much work: most take far less, and `sioco analyze` has time for the
/// others.
const ERROR_WORK: u64 = 500_000;

/// At most this many lines of a tree are shown on a terminal: some screens, which can be scrolled. A file gets all.
const TREE_LINES: usize = 200;

/// What an exploration came to.
struct ExploreResult {
    exploration: Exploration,
    /// The switches with a model error not far from the start.
    model_errors: ModelErrors,
    /// How long it took.
    time: Duration,
}

/// What all of the command works with.
struct Work<'a> {
    sources: &'a Checked,
    checked: &'a CheckedModel,
    file: &'a path::Path,
    back_end: BackEnd,
    limits: Limits,
}

impl Ruled for Explore {
    fn rules() -> Vec<Rule<Explore>> {
        let always = always(&[
            "const",
            "system",
            "solver",
            "depth",
            "nodes",
            "memory",
            "time",
            "order",
            "merge",
            "delta",
            "until-covered",
            "jobs",
            "tree",
            "seed",
            "stats",
            "path",
            "node",
            "values",
            "save",
            "format",
        ]);
        always.collect()
    }
}

impl Explore {
    /// Explores the model, or asks about one path.
    pub fn run(&self, out: &mut Output) -> Result<Exit, Failure> {
        let back_end = self.solver.back_end()?;
        let (file, path) = self.file_and_path()?;
        let (sources, checked) = before(self.time, || load(&file, &self.choices, out))?;
        let limits = Limits { cancellation: Cancellation::by(interrupt::flag()), ..Limits::default() };
        let work = Work { sources: &sources, checked: &checked, file: &file, back_end, limits };
        if let Some(texts) = path {
            let steps = names::steps(&checked.model, &texts)?;
            return self.one(&work, None, &steps, out);
        }
        let start = Instant::now();
        let interrupted = interrupt::flag();
        let whole = self.time.unwrap_or(Duration::MAX);
        let budget = Budget { search: whole, all: whole, last: self.time, memory: self.memory };
        let (options, found, time, model_errors) = within(budget, &interrupted, |flags| {
            let options =
                self.options(Limits { cancellation: Cancellation::by(flags.enough.clone()), ..work.limits.clone() });
            let mut found = self.explore(&work, &options, out);
            found.stop = flags.why(found.stop);
            let time = start.elapsed();
            let model_errors = match self.node {
                None => self.model_errors(&work, &found, &flags),
                Some(_) => ModelErrors::default(),
            };
            (options, found, time, model_errors)
        });
        if let Some(name) = &self.node {
            if found.stop == Stop::Cancelled && interrupted.load(Ordering::Relaxed) {
                out.say("interrupted before the graph was complete");
                return Ok(Exit::Interrupted);
            }
            let late = || "the time limit was reached before the graph was complete; raise `--time`";
            let node = names::node(&found.graph, name)
                .map_err(|failure| if found.stop == Stop::Cancelled { failure.help(late()) } else { failure })?;
            return self.one(&work, Some(found.graph.name(node)), &found.graph.path(node), out);
        }
        self.tell(&work, &options, &ExploreResult { exploration: found, model_errors, time }, out)
    }

    /// The model and the words of the path. `--path` takes all words up to the next option, so that the model may be
    /// among them: the last one, where there is no other.
    fn file_and_path(&self) -> Result<(PathBuf, Option<Vec<String>>), Failure> {
        let mut path = self.path.clone();
        if let Some(file) = &self.file {
            return Ok((file.clone(), path));
        }
        let is_file = |word: &String| word.ends_with(".sts") || path::Path::new(word).is_file();
        match path.as_mut().and_then(|words| words.pop_if(|word| is_file(word))) {
            Some(file) => Ok((file.into(), path)),
            None => {
                let failure = Failure::usage("there is no model: `--path` takes all words that follow it as steps");
                let words = path.unwrap_or_default().join(" ");
                Err(failure.help(format!("write `sioco explore FILE --path {}`", shell_word(&words))))
            }
        }
    }

    fn options(&self, limits: Limits) -> ExploreOptions {
        let default = ExploreOptions::default();
        ExploreOptions {
            order: match self.order {
                OrderName::Bfs => Order::BreadthFirst,
                OrderName::Dfs => Order::DepthFirst,
            },
            merge: match self.merge {
                MergeName::None => Merge::Nothing,
                MergeName::Equal => Merge::Equal,
                MergeName::Included => Merge::Included,
            },
            delta: self.delta,
            depth: Some(self.depth),
            nodes: self.nodes as usize,
            bytes: self.memory,
            workers: self.jobs.map_or(default.workers, usize::from),
            until_covered: self.until_covered,
            limits,
            shortcuts: Shortcuts::default(),
        }
    }

    fn explore(&self, work: &Work<'_>, options: &ExploreOptions, out: &mut Output) -> Exploration {
        let solvers = || -> Box<dyn Bounds> { Box::new(work.back_end.chain()) };
        let mut last = Instant::now();
        let mut shown = false;
        let mut show = |p: ExploreProgress| {
            if out.shows_progress() && last.elapsed() >= PROGRESS_INTERVAL {
                (last, shown) = (Instant::now(), true);
                out.progress(format_args!("exploring: {} nodes, depth {}, {} open", p.nodes, p.depth, p.open));
            }
        };
        let found = explore(&work.checked.model, &solvers, options, &mut show);
        if shown {
            out.progress("");
        }
        found
    }

    /// Tells what was found.
    fn tell(
        &self,
        work: &Work<'_>,
        options: &ExploreOptions,
        found: &ExploreResult,
        out: &mut Output,
    ) -> Result<Exit, Failure> {
        let ExploreResult { exploration: found, model_errors, time } = found;
        let model = &work.checked.model;
        let file = work.file.display().to_string();
        let asked = !found.doubts.is_empty() || found.counters.chain.unanswered > 0;
        let solver = if self.stats || asked { work.solver_name() } else { None };
        // Whether it was the time can only be seen before more time passes.
        let late = found.stop == Stop::Cancelled && !interrupt::flag().load(Ordering::Relaxed);
        let explored = Explored {
            model,
            file: &file,
            options,
            found,
            model_errors,
            time: self.time,
            late,
            back_end: &work.back_end,
            solver: solver.as_deref(),
        };
        match self.format {
            Format::Json => {
                out.stream_json(json::exploration(&explored, self.stats.then_some(*time)), &interrupt::flag());
                out.line("");
            }
            Format::Human => {
                let style = out.style();
                if let Some(lines) = self.tree {
                    let words = work.words();
                    let label = |s| words.label(s);
                    // Only where lines are looked at do they have to fit.
                    let terminal = out.is_terminal();
                    let lines = lines.unwrap_or(if terminal { TREE_LINES } else { 0 });
                    let width = terminal.then(|| out.terminal_width().unwrap_or(out.width()));
                    let drawing = Drawing { lines, width, style, label: &label };
                    out.stream(tree(&explored, drawing), &interrupt::flag());
                    out.line("");
                }
                out.print(&summary(&explored, out.width(), style));
                if self.stats {
                    out.line("");
                    out.print(&statistics(&explored, *time, style));
                }
            }
        }
        if interrupt::flag().load(Ordering::Relaxed) && (found.stop == Stop::Cancelled || model_errors.cut) {
            return Ok(Exit::Interrupted);
        }
        match found.doubts.iter().find(|(_, why)| matches!(why, Reason::Broken { .. })) {
            Some((_, why)) => Err(broken(why)),
            None => Ok(Exit::Ok),
        }
    }

    /// The switches with a model error not far from the start. The same solver is asked as by `sioco analyze`, each
    /// time with a little work; what was explored before an interruption is still looked at for a moment.
    fn model_errors(&self, work: &Work<'_>, found: &Exploration, flags: &Flags) -> ModelErrors {
        let solvers = || -> Box<dyn Bounds> { Box::new(work.back_end.chain()) };
        let resources = work.limits.resources.min(ERROR_WORK);
        let limits = Limits { resources, cancellation: Cancellation::by(flags.stop.clone()), ..work.limits.clone() };
        analysis::model_errors(&work.checked.model, found, ERRORS_AMONG, &solvers, &limits)
    }

    /// Tells about one path.
    fn one(&self, work: &Work<'_>, node: Option<String>, steps: &[Step], out: &mut Output) -> Result<Exit, Failure> {
        let model = &work.checked.model;
        let solvers = || -> Box<dyn Bounds> { Box::new(work.back_end.chain()) };
        let mut path = Path::with(model, &solvers, Shortcuts::default(), work.limits.clone());
        let replay = self.choices.command("simulate", work.file);
        let question = Question {
            words: work.words(),
            node,
            steps,
            choice: match self.values {
                Values::Min => Choice::Min,
                Values::Max => Choice::Max,
                Values::Middle => Choice::Middle,
                Values::Random => Choice::Random(self.seed),
                Values::Boundary => Choice::Boundary,
            },
            asked: match work.solver_name() {
                Some(name) => format!("the built-in layers, then {name}"),
                None => "the built-in layers alone".into(),
            },
            replay: match &self.save {
                Some(file) => format!("{replay} < {}", shell_word(&file.display().to_string())),
                None => format!("add `--save steps.txt`, then {replay} < steps.txt"),
            },
        };
        let (report, unknown) = answer(question, &mut path);
        if let (Some(file), PathOutcome::Reachable(witness)) = (&self.save, &report.outcome) {
            let script: String = witness.script.iter().map(|line| format!("{line}\n")).collect();
            let text = simulate::header(model, &replay) + &script;
            crate::files::write(file, &text).map_err(|error| Failure::write(file, &error))?;
        }
        match self.format {
            Format::Json => {
                let file = work.file.display().to_string();
                out.json(json::path(model, &file, &work.sources.sources, &report));
            }
            Format::Human => {
                let page = Page { sources: &work.sources.sources, width: out.width(), style: out.style() };
                out.print(&report.text(page));
            }
        }
        match (&report.outcome, unknown) {
            (PathOutcome::Reachable(_), _) => Ok(Exit::Ok),
            (PathOutcome::Impossible { .. }, _) => Ok(Exit::Fail),
            (_, Some(Reason::Cancelled)) => Ok(Exit::Interrupted),
            (_, Some(why @ Reason::Broken { .. })) => Err(broken(&why)),
            _ => Ok(Exit::Inconclusive),
        }
    }
}

impl<'a> Work<'a> {
    fn words(&self) -> Words<'a> {
        Words { checked: self.checked, sources: &self.sources.sources }
    }

    /// The solver's own name; none if there is none.
    fn solver_name(&self) -> Option<String> {
        match self.back_end.open() {
            Ok(solver) => solver.map(|s| s.name()),
            Err(_) => None,
        }
    }
}

/// A solver that broke down.
fn broken(why: &Reason) -> Failure {
    let failure = Failure { exit: Exit::Infrastructure, message: Some(why.to_string()), help: None };
    failure.help("`sioco doctor` lists the solvers; `--solver` chooses one")
}
