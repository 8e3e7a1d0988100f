//! `sioco judge`: the verdict on a recorded log.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use sioco_campaign::engine::Engine;
use sioco_campaign::failing::FailingRun;
use sioco_campaign::planning::Clock;
use sioco_campaign::trails::Reasons;
use sioco_exec::account::{Bits, covered};
use sioco_exec::event::{Action, GateValue};
use sioco_exec::judge::{Judged, judge_until};
use sioco_exec::log::{Log, LoggedRun, LoggedStep};
use sioco_exec::record::End;
use sioco_exec::suite::Suite;
use sioco_exec::summary::{BadRun, Pauses, Summary, at_least};
use sioco_exec::verdict::{self, Cause, Open, Trouble, Verdict};
use sioco_exec::{Order, Referee};
use sioco_model::Model;
use sioco_report::analysis::Source;
use sioco_report::run::again::{FoundLine, JudgedLine};
use sioco_report::run::{About, CampaignReport, Page, bad_runs, json as report, summary};
use sioco_solve::{BackEnd, Cancellation};

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

/// So many runs that do not pass are compared with each other.
const KEPT: usize = 200;
/// What standard input is called.
const STDIN: &str = "standard input";
/// So many hypotheses are followed.
const HYPOTHESES: usize = 10_000;

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
  0    everything that was observed is allowed
  1    the SUT does not conform to the model
  2    the command line, the model or the log is wrong
  3    inconclusive
  4    there is no run in the log
  5    the log tells of a breakdown, or the model is undefined for it
  130  interrupted, with what was judged until then")]
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
            let message = Some(format!("there is no run in {name}, which tells of a breakdown: {what}"));
            let failure = Failure { exit: Exit::Infrastructure, message, help: None };
            return Err(failure.help("mend that and test again; nothing was found out about the system"));
        }
        if log.runs.is_empty() {
            let message = Some(format!("there is no run in {name}"));
            let failure = Failure { exit: Exit::Nothing, message, help: None };
            return Err(failure.help("a log has a line for each event, such as `?gate(1)` or `!gate(1)`"));
        }
        // Until here there is nothing to show.
        let cancellation = Cancellation::by(interrupt::flag());
        let (found, reasons) = self.judge(source, &log, &back_end, &cancellation, out);
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

    fn judge(
        &self,
        source: Source<'_>,
        log: &Log,
        back_end: &BackEnd,
        cancellation: &Cancellation,
        out: &mut Output,
    ) -> (Summary, Reasons) {
        let model = &source.checked.model;
        let engine = Engine::new(back_end, cancellation);
        let (solvers, oracle) = (engine.solvers(), engine.oracle(model));
        let asked = Some(oracle.0.clone() as _);
        let suite = Suite::default();
        let mut referee = Referee::with(model, &solvers, Order::Sut, suite, asked, HYPOTHESES);
        let (mut all, mut reasons) = (Totals::new(model), Reasons::default());
        for trouble in &log.broken {
            all.worst = all.worst.max(Some(Verdict::Error));
            all.unbegun += 1;
            let what = sioco_report::run::trouble(model, trouble);
            out.say(format_args!("note: {}: something broke down between runs: {what}", self.name()));
        }
        let mut bad: Vec<(&LoggedRun, Judged)> = Vec::new();
        for (i, run) in log.runs.iter().enumerate() {
            if cancellation.is_over() {
                all.end = End::Interrupted;
                let more = log.runs.len() - i;
                out.say(format_args!(
                    "interrupted: {} not judged",
                    if more == 1 { "1 run was".into() } else { format!("{more} runs were") }
                ));
                break;
            }
            oracle.refill();
            let judged = judge_until(&mut referee, run, Order::Sut, cancellation);
            let stopped = judged.cause == Cause::Open(Open::Stopped) && cancellation.is_over();
            if stopped {
                all.end = End::Interrupted;
            }
            // What was shrunk is no part of the campaign: the run that it comes from counts.
            if run.shrunk.is_none() {
                let (surely, possibly) = referee.account();
                all.add(run, &judged, &surely, &possibly);
                reasons.add(&judged.cause);
            }
            if self.format == Format::Json {
                tell(source, run, &judged, out);
            } else if judged.verdict > Verdict::WeakPass && !stopped && bad.len() < KEPT {
                bad.push((run, judged));
            }
        }
        let file = self.name();
        let steps: Vec<Vec<LoggedStep>> = bad.iter().map(|(run, judged)| steps(run, judged)).collect();
        let runs: Vec<FailingRun<'_>> = (bad.iter().zip(&steps))
            .map(|((run, judged), steps)| FailingRun {
                run: run.number,
                verdict: judged.verdict,
                cause: &judged.cause,
                explanation: judged.explanation.as_ref(),
                steps,
                begun: None,
                length: steps.len() as u64,
                unaccepted: unaccepted(run, judged),
                shrunk: run.shrunk.and_then(|of| Some(log.runs.iter().find(|r| r.number == of)?.steps.len() as u64)),
                recorded: run.number,
                shortened: None,
            })
            .collect();
        let about = About { source, seed: None, file: Some(&file), replay: None, notes: &|_| Vec::new() };
        out.print(&bad_runs(&runs, about, Page { width: out.width(), style: out.style() }));
        (all.summary(model, &referee), reasons)
    }

    fn is_stdin(&self) -> bool {
        self.log.as_os_str() == "-"
    }

    /// What people call the log.
    fn name(&self) -> String {
        if self.is_stdin() { STDIN.to_owned() } else { self.log.shown() }
    }
}

/// The steps up to the one that ended a run: that may be an input that was refused.
fn steps(run: &LoggedRun, judged: &Judged) -> Vec<LoggedStep> {
    let refused = match &judged.cause {
        Cause::Failure(failure) => matches!(failure, verdict::Failure::Refused { .. }),
        cause => matches!(cause, Cause::Trouble(Trouble::Refused { .. })),
    };
    run.steps[..judged.steps].iter().chain(run.refused.as_ref().filter(|_| refused)).cloned().collect()
}

/// The input that was sent and not accepted before what ended a run, where `accepted` has to come first.
fn unaccepted<'a>(run: &'a LoggedRun, judged: &Judged) -> Option<&'a GateValue> {
    let (after, input) = run.unanswered.as_ref()?;
    (*after < judged.steps && run.order != Some(Order::Sent)).then_some(input)
}

/// What became of a run, for programs.
fn tell(source: Source<'_>, run: &LoggedRun, judged: &Judged, out: &mut Output) {
    let end = steps(run, judged).last().map(|s| s.line);
    out.object(&JudgedLine {
        kind: "verdict",
        run: run.number,
        shrunk: run.shrunk,
        line: end,
        doubt: judged.doubt,
        found: FoundLine::new(source, judged.verdict, &judged.cause, judged.steps as u64, judged.explanation.as_ref()),
    });
}

/// What all runs came to.
struct Totals {
    surely: Bits,
    possibly: Bits,
    runs: [u64; 5],
    probing: u64,
    unbegun: u64,
    worst: Option<Verdict>,
    steps: u64,
    inputs: u64,
    bad: Vec<BadRun>,
    end: End,
}

impl Totals {
    fn new(model: &Model) -> Totals {
        let none = || Bits::new(model.switches.len());
        let (surely, possibly) = (none(), none());
        let (probing, unbegun, steps, inputs) = (0, 0, 0, 0);
        Totals {
            surely,
            possibly,
            runs: [0; 5],
            probing,
            unbegun,
            worst: None,
            steps,
            inputs,
            bad: Vec::new(),
            end: End::Done,
        }
    }

    fn add(&mut self, run: &LoggedRun, judged: &Judged, surely: &Bits, possibly: &Bits) {
        self.surely.unite(surely);
        self.possibly.unite(possibly);
        match run.only_probe && judged.verdict <= Verdict::WeakPass {
            true => self.probing += 1,
            false => self.runs[judged.verdict as usize] += 1,
        }
        self.worst = self.worst.max(Some(match judged.cause {
            // As in a test: nothing is lost by a run that an output crossed, or that was left, if there are others.
            Cause::Open(Open::Crossed) => Verdict::Pass,
            Cause::Open(Open::Stopped) if !run.overdue => Verdict::Pass,
            _ => judged.verdict,
        }));
        let steps = &run.steps[..judged.steps];
        self.steps += steps.len() as u64;
        self.inputs += steps.iter().filter(|s| matches!(s.action, Action::Input(_))).count() as u64;
        if judged.verdict >= Verdict::Error && self.bad.len() < KEPT {
            self.bad.push(BadRun {
                run: run.number,
                verdict: judged.verdict,
                cause: judged.cause.clone(),
                steps: judged.steps as u64,
                explanation: judged.explanation.clone(),
            });
        }
    }

    fn summary(self, model: &Model, referee: &Referee<'_>) -> Summary {
        let (switches, locations) = covered(model, true, &self.surely, &self.possibly);
        Summary {
            verdict: self.worst.map(|worst| at_least(worst, &self.runs)),
            end: self.end,
            waiting: None,
            last_input: None,
            runs: self.runs,
            probing: self.probing,
            unbegun: self.unbegun,
            steps: self.steps,
            inputs: self.inputs,
            purposes: Vec::new(),
            probes: Vec::new(),
            switches,
            locations,
            bad: self.bad,
            deadlocks: Vec::new(),
            withdrawn: referee.withdrawn,
            hidden: referee.hidden,
            late: Vec::new(),
            stale: 0,
            unheard: 0,
            unheard_crashes: 0,
            remarks: Vec::new(),
            unknown: referee.mind.unknown,
            pauses: Pauses::default(),
        }
    }
}
