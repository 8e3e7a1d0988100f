//! The steps of runs, as they come: those of the bad ones are kept.

use sioco_exec::Record;
use sioco_exec::event::Action;
use sioco_exec::log::LoggedStep;
use sioco_exec::record::Stamped;
use sioco_exec::verdict::Verdict;

/// So many bad runs are kept.
const RUNS: usize = 100;

/// The steps of runs, as they come. Those of bad runs are kept.
#[derive(Clone, Debug)]
pub struct Trails {
    line: usize,
    run: u64,
    current: Vec<LoggedStep>,
    bad: Vec<(u64, Vec<LoggedStep>)>,
}

impl Default for Trails {
    fn default() -> Self {
        // The first line of a journal is none of a record.
        Trails { line: 1, run: 0, current: Vec::new(), bad: Vec::new() }
    }
}

impl Trails {
    /// Something happened.
    pub fn record(&mut self, stamped: &Stamped) {
        self.line += 1;
        let action = match &stamped.record {
            Record::Run { run, .. } => {
                self.run = *run;
                self.current.clear();
                return;
            }
            Record::Input { input, .. } => Action::Input(input.clone()),
            Record::Observed(seen) => Action::Seen(seen.clone()),
            Record::Verdict { verdict: Verdict::Fail | Verdict::Error, .. } => {
                if self.bad.len() < RUNS {
                    self.bad.push((self.run, std::mem::take(&mut self.current)));
                }
                return;
            }
            _ => return,
        };
        self.current.push(LoggedStep { line: self.line, at: Some(stamped.at), action, overtaken: false });
    }

    /// The steps of a bad run.
    pub fn of(&self, run: u64) -> &[LoggedStep] {
        self.bad.iter().find(|(r, _)| *r == run).map_or(&[], |(_, steps)| steps)
    }
}
