//! `sioco judge`: the verdict on a recorded log.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use sioco_campaign::failing::FailingRun;
use sioco_campaign::judge::{self, JudgedLog, JudgedRun, KEPT_FAILURES};
use sioco_campaign::planning::Clock;
use sioco_campaign::trails::Reasons;
use sioco_exec::Order;
use sioco_exec::log::{Log, LoggedStep};
use sioco_exec::record::End;
use sioco_exec::summary::Summary;
use sioco_exec::verdict::Verdict;
use sioco_report::analysis::Source;
use sioco_report::run::again::{FoundLine, JudgedLine};
use sioco_report::run::{About, CampaignReport, Page, bad_runs, json as report, summary};
use sioco_solve::Cancellation;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::files::ShownPath;
use crate::interrupt;
use crate::model::{Choices, load};
use crate::options::{Rule, Ruled, always};
use crate::output::{Format, Output};
use crate::run::journal::read_bytes;
use crate::run::log;
use crate::solver_choice::SolverChoice;

/// What standard input is called.
const STDIN: &str = "standard input";

/// Give the verdict on a recorded log, without the system
///
/// The rules and explanations are those of `sioco test`. A log is a journal of `sioco test`, lines of the adapter
/// protocol, or a trace in text as `sioco simulate` saves it: `?inX(6)`, `!outX(6)`, `delta`, `closed`, one per line,
/// and `reset` between runs.
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  sioco judge model.sts trace.txt
  sioco judge model.sts .sioco/runs/k7Qp2.jsonl
  grep -v DEBUG sut.log | sioco judge model.sts - --order sent

Exit codes:
  0    everything observed is allowed
  1    the SUT does not conform to the model
  2    the command line, the model or the log is wrong
  3    inconclusive
  4    there is no run in the log
  5    the log reports a breakdown, or the model is undefined for it
  130  interrupted; the verdict so far is shown")]
pub struct Judge {
    /// The model
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// The log; `-` is standard input
    #[arg(value_name = "LOG")]
    log: PathBuf,

    #[command(flatten)]
    choices: Choices,

    #[command(flatten)]
    solver: SolverChoice,

    /// What the order of the log means: the order in which the SUT took inputs and gave outputs, or the order in which
    /// the tester sent and received them, so that messages may have crossed [default: as the log says, otherwise `sut`]
    #[arg(long, value_enum)]
    order: Option<Meaning>,

    /// Output format: text for people, or JSON (a line for each run, and a summary)
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// What the order of a log means.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Meaning {
    /// As the SUT took inputs and gave outputs
    Sut,
    /// As the tester sent and received
    Sent,
}

impl Ruled for Judge {
    fn rules() -> Vec<Rule<Judge>> {
        always(&["const", "system", "solver", "order", "format"]).collect()
    }
}

impl Judge {
    /// Judges the log.
    pub fn run(&self, out: &mut Output) -> Result<Exit, Failure> {
        let back_end = self.solver.back_end()?;
        let (checked, model) = load(&self.file, &self.choices, out)?;
        let source = Source { checked: &model, sources: &checked.sources };
        let bytes = read_bytes(&self.log)?;
        let mut log = log::read(&self.log, &bytes, &model.model)?;
        for remark in &log.remarks {
            out.say(format_args!("note: {}: {remark}", self.name()));
        }
        if let Some(order) = self.order {
            let order = if order == Meaning::Sut { Order::Sut } else { Order::Sent };
            log.runs.iter_mut().for_each(|run| run.order = Some(order));
        }
        let name = if self.is_stdin() { STDIN.to_owned() } else { format!("`{}`", self.log.shown()) };
        if let (true, Some(trouble)) = (log.runs.is_empty(), log.broken.first()) {
            let what = sioco_report::run::trouble(&model.model, trouble);
            let message = Some(format!("there is no run in {name}; it reports a breakdown: {what}"));
            let failure = Failure { exit: Exit::Infrastructure, message, help: None };
            return Err(failure.help("fix that and test again; this says nothing about the system"));
        }
        if log.runs.is_empty() {
            let message = Some(format!("there is no run in {name}"));
            let failure = Failure { exit: Exit::Nothing, message, help: None };
            return Err(failure.help("a log has one event on each line, such as `?gate(1)` or `!gate(1)`"));
        }
        // Until here there is nothing to show.
        let cancellation = Cancellation::by(interrupt::flag());
        let judge = judge::Judge { model: &model.model, back_end: &back_end, cancellation: &cancellation };
        let (found, reasons) = self.judge(source, &log, judge, out);
        let interrupted = found.end == End::Interrupted;
        if found.steps == 0 && interrupted {
            out.say("interrupted before anything was judged");
            return Ok(Exit::Interrupted);
        }
        if found.steps == 0 && found.verdict <= Some(Verdict::WeakPass) {
            let message = Some(format!("nothing happened in {name}: no run has an input, an output or a silence"));
            let failure = Failure { exit: Exit::Nothing, message, help: None };
            return Err(failure.help("there is nothing to judge; a run that was stopped at once looks like this"));
        }
        let told = CampaignReport {
            source,
            summary: &found,
            plan: None,
            sut: &name,
            seed: None,
            quiescence: Duration::ZERO,
            took: None,
            planned: None,
            clock: Clock::default(),
            budget: "",
            journal: None,
            replay: None,
            gates: &[],
            reasons: &reasons,
            dead_ends: &[],
            again: None,
            eager: false,
            shrunk: &[],
        };
        let exit = match found.verdict {
            _ if interrupted => Exit::Interrupted,
            Some(Verdict::Fail) => Exit::Fail,
            Some(Verdict::Error) => Exit::Infrastructure,
            Some(Verdict::Inconclusive) => Exit::Inconclusive,
            Some(Verdict::Pass | Verdict::WeakPass) => Exit::Ok,
            None => Exit::Nothing,
        };
        match self.format {
            Format::Json => out.json(report::summary(&told, exit as u8)),
            Format::Human => {
                let page = Page { width: out.width(), style: out.style() };
                out.print(&summary(&told, page));
            }
        }
        Ok(exit)
    }

    /// Judges the runs, and tells of each, or of those that did not pass.
    fn judge(&self, source: Source<'_>, log: &Log, judge: judge::Judge<'_>, out: &mut Output) -> (Summary, Reasons) {
        let file = self.name();
        for trouble in &log.broken {
            let what = sioco_report::run::trouble(&source.checked.model, trouble);
            out.say(format_args!("note: {file}: something broke down between runs: {what}"));
        }
        let mut bad: Vec<JudgedRun<'_>> = Vec::new();
        let judged = judge.judge(log, &mut |run| {
            if self.format == Format::Json {
                tell(source, &run, out);
            } else if run.judged.verdict > Verdict::WeakPass && !run.stopped && bad.len() < KEPT_FAILURES {
                bad.push(run);
            }
        });
        let JudgedLog { summary, reasons, left } = judged;
        match left {
            0 => {}
            1 => out.say("interrupted: 1 run was not judged"),
            more => out.say(format_args!("interrupted: {more} runs were not judged")),
        }
        let steps: Vec<Vec<LoggedStep>> = bad.iter().map(JudgedRun::steps).collect();
        let runs: Vec<FailingRun<'_>> = bad.iter().zip(&steps).map(|(run, steps)| run.failing(log, steps)).collect();
        let about = About { source, seed: None, file: Some(&file), clock: false, replay: None, notes: &|_| Vec::new() };
        out.print(&bad_runs(&runs, about, Page { width: out.width(), style: out.style() }));
        (summary, reasons)
    }

    fn is_stdin(&self) -> bool {
        self.log.as_os_str() == "-"
    }

    /// What people call the log.
    fn name(&self) -> String {
        if self.is_stdin() { STDIN.to_owned() } else { self.log.shown() }
    }
}

/// What became of a run, for programs.
fn tell(source: Source<'_>, judged: &JudgedRun<'_>, out: &mut Output) {
    let end = judged.steps().last().map(|s| s.line);
    let JudgedRun { run, judged, .. } = judged;
    out.object(&JudgedLine {
        kind: "verdict",
        run: run.number,
        shrunk: run.shrunk,
        line: end,
        doubt: judged.doubt,
        found: FoundLine::new(source, judged.verdict, &judged.cause, judged.steps as u64, judged.explanation.as_ref()),
    });
}
