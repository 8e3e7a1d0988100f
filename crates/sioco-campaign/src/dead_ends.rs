//! Deadlocks of the model that runs came to (T-L11; S1 section 3.2.2), each with the way there.

use sioco_exec::event::Action;
use sioco_exec::log::LoggedStep;
use sioco_exec::verdict::{Cause, OpenCause};
use sioco_exec::{Record, RunNumber};

/// At most this many dead ends are kept: more than a summary shows, so that equal ones can be joined.
const MOST_DEAD_ENDS: usize = 50;

/// A state where nothing can happen any more, and the first run that ended there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DeadEnd {
    /// The state, in words.
    pub state: String,
    /// The run.
    pub run: RunNumber,
    /// What happened in it, inputs where they were accepted.
    pub trace: Vec<Action>,
}

/// Follows runs, and keeps the ways to deadlocks.
#[derive(Clone, Debug, Default)]
pub(crate) struct DeadEnds {
    run: RunNumber,
    /// What happened, by its place among the steps of the run.
    trace: Vec<usize>,
    /// Inputs that are not accepted, in the same way.
    sent: Vec<(u64, usize)>,
    pub found: Vec<DeadEnd>,
}

impl DeadEnds {
    /// Something happened, after these steps of the run.
    pub fn record(&mut self, record: &Record, steps: &[LoggedStep]) {
        match record {
            Record::Run { run, .. } => {
                self.run = *run;
                self.trace.clear();
                self.sent.clear();
            }
            Record::Input { id, .. } => self.sent.push((*id, steps.len())),
            Record::Accepted { id } => {
                if let Some(place) = self.sent.iter().position(|(sent, _)| sent == id) {
                    self.trace.push(self.sent.remove(place).1);
                }
            }
            Record::Observed(_) | Record::TimedOut(_) => self.trace.push(steps.len()),
            Record::Verdict { cause: Cause::Open(OpenCause::Deadlock { state }), .. }
                if self.found.len() < MOST_DEAD_ENDS && !self.found.iter().any(|f| f.state == *state) =>
            {
                let trace = self.trace.iter().filter_map(|at| Some(steps.get(*at)?.action.clone()));
                let (state, trace) = (state.clone(), trace.collect());
                self.found.push(DeadEnd { state, run: self.run, trace });
            }
            _ => {}
        }
    }
}
