//! Recorded traces, wherever they come from: what was sent and seen, run by run, for `judge` and `replay`.
//!
//! A [`Journal`] is one; whoever reads another format tells [`Runs`] what it finds.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use rustc_hash::FxHashMap;
use sioco_plan::Cover;

use crate::event::{Action, GateValue, Observation};
use crate::journal::{Journal, Remark};
use crate::record::{Aim, Record, Stamped, Waiting, Why};
use crate::referee::Referee;
use crate::reliance::Reliance;
use crate::run_number::RunNumber;
use crate::shrink::Rate;
use crate::sut::{Fault, FaultKind, Order};
use crate::verdict::{Cause, Failure, Trouble, Verdict};

/// A step of a recorded run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LoggedStep {
    /// The line (from 1).
    pub line: usize,
    /// When, if that is known.
    pub at: Option<Duration>,
    /// What.
    pub action: Action,
    /// If it is an input, how many steps there were between when it was sent and when it was accepted.
    pub waited: usize,
    /// If it is silence that somebody waited for with a clock (T-Q7), how far it can be relied on: the system may only have
    /// been slow.
    pub timed: Option<Reliance>,
}

impl LoggedStep {
    /// Tells a referee what happened; a cause is the end of the run.
    pub fn tell(&self, referee: &mut Referee<'_>) -> Option<Cause> {
        match &self.action {
            Action::Input(input) => referee.input(input),
            Action::Seen(seen) => match self.timed.filter(|_| *seen == Observation::Delta) {
                Some(reliance) => referee.timed_out(reliance),
                None => referee.observe(seen),
            },
        }
    }
}

/// A recorded run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LoggedRun {
    /// Its number.
    pub number: RunNumber,
    /// The line (from 1) where it begins.
    pub line: usize,
    /// What the order of its steps means, if that was recorded.
    pub order: Option<Order>,
    /// The seed that the system got, if that was recorded.
    pub seed: Option<u64>,
    /// What was sent and seen.
    pub steps: Vec<LoggedStep>,
    /// An input that was sent after so many steps and never accepted: what ended the run came before that.
    pub unanswered: Option<(usize, GateValue)>,
    /// What broke down in the end, which says nothing about the system.
    pub trouble: Option<Trouble>,
    /// If that is an input that was refused, the step that sent it, where nothing else was seen in between.
    pub refused: Option<LoggedStep>,
    /// Whether it was refused after something else was seen.
    pub overtaken: bool,
    /// Whether an input that is refused and should have been taken is a failure.
    pub refusals: bool,
    /// Whether it is a probe and nothing else: then there is nothing to judge.
    pub only_probe: bool,
    /// Whether the campaign was ended while something in this run was overdue: it has not shown that the system goes on.
    pub overdue: bool,
    /// The verdict that was given then, and why.
    pub verdict: Option<(Verdict, Cause)>,
    /// The run that it is the shortest form of, if it is one: then it is no part of the campaign.
    pub shrunk: Option<RunNumber>,
    /// How often it failed again when it was shrunk, if that was tried.
    pub again: Option<Rate>,
}

impl LoggedRun {
    /// A run in which nothing has happened yet.
    pub fn new(number: RunNumber, line: usize) -> Self {
        let (steps, unanswered) = (Vec::new(), None);
        LoggedRun {
            number,
            line,
            order: None,
            seed: None,
            steps,
            unanswered,
            trouble: None,
            refused: None,
            overtaken: false,
            refusals: false,
            only_probe: false,
            overdue: false,
            verdict: None,
            shrunk: None,
            again: None,
        }
    }

    /// The inputs, in order.
    pub fn inputs(&self) -> impl Iterator<Item = &GateValue> {
        self.steps.iter().filter_map(|step| match &step.action {
            Action::Input(input) => Some(input),
            Action::Seen(_) => None,
        })
    }
}

/// Recorded runs.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Log {
    /// The runs.
    pub runs: Vec<LoggedRun>,
    /// What was read in spite of something.
    pub remarks: Vec<Remark>,
    /// What broke down before or between runs, which says nothing about the system.
    pub broken: Vec<Trouble>,
}

impl Log {
    /// The runs of a journal.
    pub fn of(journal: &Journal) -> Log {
        let log = Log::of_records(journal.records.iter().map(|(line, stamped)| (*line, stamped)));
        let mut log = Log { remarks: journal.remarks.clone(), ..log };
        let cover = journal.header.cover.as_deref().and_then(|cover| Cover::recorded(cover).ok());
        let compared = cover.is_some_and(|cover| cover.intent().compared);
        log.runs.iter_mut().for_each(|run| run.refusals |= compared);
        log
    }

    /// The runs of records, each with its line.
    pub fn of_records<'r>(records: impl IntoIterator<Item = (usize, &'r Stamped)>) -> Log {
        let (mut runs, mut broken, mut again) = (Runs::default(), Vec::new(), FxHashMap::default());
        for (line, stamped) in records {
            let at = Some(stamped.at);
            match &stamped.record {
                Record::Run { run, seed, order, aim } => {
                    let shrunk = match aim {
                        Aim::Shrunk(of) => Some(*of),
                        Aim::Purpose(_) | Aim::Walk | Aim::Replay => None,
                    };
                    let new = LoggedRun::new(*run, line);
                    runs.begin(LoggedRun { order: Some(*order), seed: Some(*seed), shrunk, ..new });
                }
                // What comes from here on is not judged.
                Record::Input { why: Why::Probe(_), .. } => {
                    let first = !runs.unjudged;
                    runs.unjudged = true;
                    runs.run().filter(|_| first).into_iter().for_each(|run| run.only_probe = run.steps.is_empty());
                }
                _ if runs.unjudged && stamped.record.is_event() => {}
                Record::Input { id, input, .. } => runs.sent(*id, input.clone()),
                Record::Accepted { id } => runs.accepted(*id, line, at),
                Record::Refused { id, why } => runs.refused(*id, why, line, at),
                Record::Observed(seen) => runs.seen(seen.clone(), line, at),
                Record::TimedOut(reliance) => runs.timed_out(*reliance, line, at),
                Record::Verdict { verdict, cause, .. } => runs.verdict(*verdict, cause.clone()),
                Record::Fault(Fault { kind, message, stderr, .. }) => {
                    let (message, stderr) = (message.clone(), stderr.clone());
                    broken.push(Trouble::Fault { kind: *kind, message, stderr });
                }
                Record::Again { run, rate } => drop(again.insert(*run, *rate)),
                Record::End { waiting: Some(Waiting::Accepted | Waiting::Observed), .. } => {
                    runs.done
                        .iter_mut()
                        .rfind(|run| run.shrunk.is_none())
                        .into_iter()
                        .for_each(|run| run.overdue = true);
                }
                Record::Hurried | Record::Purpose { .. } | Record::End { .. } => {}
            }
        }
        runs.finish();
        runs.done.iter_mut().for_each(|run| run.again = again.get(&run.number).copied());
        // A journal that is cut where a shortest form was being written has all that the campaign found.
        runs.done.retain(|run| run.shrunk.is_none() || run.verdict.is_some());
        Log { runs: runs.done, remarks: Vec::new(), broken }
    }
}

/// An adapter that broke the rules of the protocol.
fn broken(message: String) -> Trouble {
    Trouble::Fault { kind: FaultKind::Protocol, message, stderr: Vec::new() }
}

/// Runs in the making: an input counts from when it was accepted, since that is its place in the order of events.
#[derive(Clone, Debug, Default)]
pub struct Runs {
    /// The runs so far; the last one goes on.
    pub done: Vec<LoggedRun>,
    /// Inputs that were neither accepted nor refused yet, in the order in which they were sent, each with the steps before
    /// it. Whoever wrote the log may have left thousands of them waiting.
    waiting: BTreeMap<u64, (GateValue, usize)>,
    /// Which of them have an id, the first one first.
    by_id: FxHashMap<u64, VecDeque<u64>>,
    /// How many were sent in the run.
    sent: u64,
    /// So many of those that were sent count already: in the order `sent`, from when something was seen after them.
    counted: u64,
    /// The last one in the order of sending that was accepted or refused.
    answered: Option<u64>,
    /// Whether the rest of the run is not judged.
    unjudged: bool,
}

impl Runs {
    /// A run begins.
    pub fn begin(&mut self, run: LoggedRun) {
        self.finish();
        let done = std::mem::take(&mut self.done);
        *self = Runs { done, ..Runs::default() };
        self.done.push(run);
    }

    /// The run is over. If an input was neither accepted nor refused, but a later one was, it is not known when the system
    /// took it, or whether: what comes after it says nothing about the system (T-E3).
    pub fn finish(&mut self) {
        let skipped = self.waiting.range(self.counted..).next().filter(|(at, _)| Some(**at) < self.answered);
        let Some((&at, &(_, sent))) = skipped else { return };
        let id = self.by_id.iter().find(|(_, all)| all.contains(&at)).map_or(0, |(id, _)| *id);
        if let Some(run) = self.done.last_mut().filter(|run| run.order != Some(Order::Sent)) {
            run.steps.truncate(sent);
            (run.unanswered, run.refused) = (None, None);
            run.trouble = Some(broken(format!("input {id} was neither accepted nor refused, but a later one was")));
        }
    }

    /// The run that goes on.
    pub fn run(&mut self) -> Option<&mut LoggedRun> {
        self.done.last_mut()
    }

    /// An input was sent; it will be accepted or refused.
    pub fn sent(&mut self, id: u64, input: GateValue) {
        let steps = self.done.last().map_or(0, |run| run.steps.len());
        self.waiting.insert(self.sent, (input, steps));
        self.by_id.entry(id).or_default().push_back(self.sent);
        self.sent += 1;
    }

    /// An input that was under way, after how many steps it was sent, and whether it counts already.
    fn take(&mut self, id: u64) -> Option<(GateValue, usize, bool)> {
        let at = self.by_id.get_mut(&id)?.pop_front()?;
        let (input, sent) = self.waiting.remove(&at)?;
        self.answered = self.answered.max(Some(at));
        // It has its place among the steps now.
        self.run().into_iter().for_each(|run| run.unanswered = None);
        Some((input, sent, at < self.counted))
    }

    /// An input was accepted.
    pub fn accepted(&mut self, id: u64, line: usize, at: Option<Duration>) {
        let Some((input, sent, counted)) = self.take(id) else { return self.answers_nothing(id, "accepted") };
        if let Some(run) = self.run().filter(|run| !counted && run.trouble.is_none()) {
            let waited = run.steps.len() - sent;
            run.steps.push(LoggedStep { line, at, action: Action::Input(input), waited, timed: None });
        }
    }

    /// An input was refused.
    pub fn refused(&mut self, id: u64, why: &str, line: usize, at: Option<Duration>) {
        let Some((input, sent, _)) = self.take(id) else { return self.answers_nothing(id, "refused") };
        if let Some(run) = self.run() {
            run.overtaken = run.steps.len() > sent;
            let action = Action::Input(input.clone());
            run.refused = (!run.overtaken).then_some(LoggedStep { line, at, action, waited: 0, timed: None });
            run.trouble = Some(Trouble::Refused { input, why: why.to_owned() });
        }
    }

    /// An answer to no input that waits for one: the adapter broke its word, as in a test.
    fn answers_nothing(&mut self, id: u64, how: &str) {
        if let Some(run) = self.run().filter(|run| run.trouble.is_none()) {
            run.trouble = Some(broken(format!("input {id} was {how}, but it was not sent, or was answered before")));
        }
    }

    /// Something was observed. Silence is one that the system or its adapter told.
    pub fn seen(&mut self, seen: Observation, line: usize, at: Option<Duration>) {
        self.observed(seen, None, line, at);
    }

    /// Nothing came for the quiescence time, by a clock.
    pub fn timed_out(&mut self, reliance: Reliance, line: usize, at: Option<Duration>) {
        self.observed(Observation::Delta, Some(reliance), line, at);
    }

    fn observed(&mut self, seen: Observation, timed: Option<Reliance>, line: usize, at: Option<Duration>) {
        if let Some(run) = self.done.last_mut().filter(|run| run.order == Some(Order::Sent)) {
            for (input, _) in self.waiting.range(self.counted..).map(|(_, waiting)| waiting) {
                let action = Action::Input(input.clone());
                run.steps.push(LoggedStep { line, at, action, waited: 0, timed: None });
            }
            self.counted = self.sent;
        }
        // What comes after something broke down says nothing any more.
        if let Some(run) = self.done.last_mut().filter(|run| run.trouble.is_none()) {
            if run.unanswered.is_none() {
                let first = self.waiting.range(self.counted..).next();
                run.unanswered = first.map(|(_, (input, _))| (run.steps.len(), input.clone()));
            }
            run.steps.push(LoggedStep { line, at, action: Action::Seen(seen), waited: 0, timed });
        }
    }

    /// The run got a verdict.
    pub fn verdict(&mut self, verdict: Verdict, cause: Cause) {
        if let Some(run) = self.run() {
            if let Cause::Trouble(trouble @ Trouble::Fault { .. }) = &cause {
                run.trouble = Some(trouble.clone());
            }
            run.refusals |= matches!(cause, Cause::Failure(Failure::Refused { .. }));
            run.verdict = Some((verdict, cause));
        }
    }
}
