//! The verdict on a recorded log, without the system: every run is judged, and all of them come to a summary.

use sioco_exec::account::{Bits, covered};
use sioco_exec::event::{Action, GateValue};
use sioco_exec::judge::{Judged, judge_until};
use sioco_exec::log::{Log, LoggedRun, LoggedStep};
use sioco_exec::record::End;
use sioco_exec::summary::{BadRun, Pauses, Summary, at_least};
use sioco_exec::verdict::{Cause, Failure, OpenCause, Trouble, Verdict};
use sioco_exec::{Order, Referee, RunNumber};
use sioco_model::Model;
use sioco_solve::{BackEnd, Cancellation};

use crate::engine::{Engine, HYPOTHESES};
use crate::failing::FailingRun;
use crate::trails::Reasons;

/// At most this many runs of a log that do not pass are compared with each other: the comparison grows with their
/// square. Further ones are only counted.
pub const KEPT_FAILURES: usize = 200;

/// Who judges a log, and until when. See the [module](self).
#[derive(Clone, Copy)]
pub struct Judge<'a> {
    /// The model.
    pub model: &'a Model,
    /// Who answers questions.
    pub back_end: &'a BackEnd,
    /// What ends it.
    pub cancellation: &'a Cancellation,
}

/// A run that was judged.
pub struct JudgedRun<'l> {
    /// The run.
    pub run: &'l LoggedRun,
    /// What became of it.
    pub judged: Judged,
    /// Whether it was left when everything had to end.
    pub stopped: bool,
}

/// What a log comes to.
pub struct JudgedLog {
    /// The summary of its runs.
    pub summary: Summary,
    /// Why runs were inconclusive.
    pub reasons: Reasons,
    /// So many runs were not looked at any more.
    pub left: usize,
}

impl Judge<'_> {
    /// Judges a log. Whoever listens gets each run as soon as it is judged.
    pub fn judge<'l>(self, log: &'l Log, listen: &mut dyn FnMut(JudgedRun<'l>)) -> JudgedLog {
        let Judge { model, back_end, cancellation } = self;
        let engine = Engine::new(back_end, cancellation);
        let (solvers, oracle) = (engine.solvers(), engine.oracle(model));
        let mut referee = oracle.referee(model, &solvers, HYPOTHESES);
        let (mut all, mut reasons, mut left) = (Totals::new(model), Reasons::default(), 0);
        if !log.broken.is_empty() {
            all.worst = Some(Verdict::Error);
            all.unbegun = log.broken.len() as u64;
        }
        for (i, run) in log.runs.iter().enumerate() {
            if cancellation.is_over() {
                all.end = End::Interrupted;
                left = log.runs.len() - i;
                break;
            }
            oracle.refill();
            let judged = judge_until(&mut referee, run, Order::Sut, cancellation);
            let stopped = judged.cause == Cause::Open(OpenCause::Stopped) && cancellation.is_over();
            if stopped {
                all.end = End::Interrupted;
            }
            // What was shrunk is no part of the campaign: the run that it comes from counts.
            if run.shrunk.is_none() {
                let (surely, possibly) = referee.account();
                all.add(run, &judged, &surely, &possibly);
                reasons.add(&judged.cause);
            }
            listen(JudgedRun { run, judged, stopped });
        }
        JudgedLog { summary: all.summary(model, &referee), reasons, left }
    }
}

impl JudgedRun<'_> {
    /// The steps up to the one that ended it: that may be an input that was refused.
    pub fn steps(&self) -> Vec<LoggedStep> {
        let JudgedRun { run, judged, .. } = self;
        let refused = match &judged.cause {
            Cause::Failure(failure) => matches!(failure, Failure::Refused { .. }),
            cause => matches!(cause, Cause::Trouble(Trouble::Refused { .. })),
        };
        run.steps[..judged.steps].iter().chain(run.refused.as_ref().filter(|_| refused)).cloned().collect()
    }

    /// As a run that did not pass, with its steps.
    pub fn failing<'a>(&'a self, log: &Log, steps: &'a [LoggedStep]) -> FailingRun<'a> {
        let JudgedRun { run, judged, .. } = self;
        let length = |of: RunNumber| Some(log.runs.iter().find(|r| r.number == of)?.steps.len() as u64);
        FailingRun {
            run: run.number,
            verdict: judged.verdict,
            cause: &judged.cause,
            explanation: judged.explanation.as_ref(),
            steps,
            begun: None,
            length: steps.len() as u64,
            unaccepted: self.unaccepted(),
            shrunk: run.shrunk.and_then(length),
            recorded: run.number,
            shortened: None,
        }
    }

    /// The input that was sent and not accepted before what ended it, where `accepted` has to come first.
    fn unaccepted(&self) -> Option<&GateValue> {
        let (after, input) = self.run.unanswered.as_ref()?;
        (*after < self.judged.steps && self.run.order != Some(Order::Sent)).then_some(input)
    }
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
            Cause::Open(OpenCause::Crossed) => Verdict::Pass,
            Cause::Open(OpenCause::Stopped) if !run.overdue => Verdict::Pass,
            _ => judged.verdict,
        }));
        let steps = &run.steps[..judged.steps];
        self.steps += steps.len() as u64;
        self.inputs += steps.iter().filter(|s| matches!(s.action, Action::Input(_))).count() as u64;
        if judged.verdict >= Verdict::Error && self.bad.len() < KEPT_FAILURES {
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
