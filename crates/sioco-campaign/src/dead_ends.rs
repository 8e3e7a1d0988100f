//! Deadlocks of the model that runs came to (T-L11; S1 section 3.2.2), each with the way there.

use sioco_exec::Record;
use sioco_exec::event::{Action, GateValue, Observation};
use sioco_exec::verdict::{Cause, Open};

/// So many are kept.
const MOST: usize = 50;

/// A state where nothing can happen any more, and the first run that ended there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DeadEnd {
    /// The state, in words.
    pub state: String,
    /// The run.
    pub run: u64,
    /// What happened in it, inputs where they were accepted.
    pub trace: Vec<Action>,
}

/// Follows runs, and keeps the ways to deadlocks.
#[derive(Clone, Debug, Default)]
pub(crate) struct DeadEnds {
    run: u64,
    trace: Vec<Action>,
    /// Inputs that are not accepted.
    sent: Vec<(u64, GateValue)>,
    pub found: Vec<DeadEnd>,
}

impl DeadEnds {
    /// Something happened.
    pub fn record(&mut self, record: &Record) {
        match record {
            Record::Run { run, .. } => {
                self.run = *run;
                self.trace.clear();
                self.sent.clear();
            }
            Record::Input { id, input, .. } => self.sent.push((*id, input.clone())),
            Record::Accepted { id } => {
                if let Some(place) = self.sent.iter().position(|(sent, _)| sent == id) {
                    self.trace.push(Action::Input(self.sent.remove(place).1));
                }
            }
            Record::Observed(seen) => self.trace.push(Action::Seen(seen.clone())),
            Record::TimedOut(_) => self.trace.push(Action::Seen(Observation::Delta)),
            Record::Verdict { cause: Cause::Open(Open::Deadlock { state }), .. }
                if self.found.len() < MOST && !self.found.iter().any(|f| f.state == *state) =>
            {
                let (state, trace) = (state.clone(), std::mem::take(&mut self.trace));
                self.found.push(DeadEnd { state, run: self.run, trace });
            }
            _ => {}
        }
    }
}
