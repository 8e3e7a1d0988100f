//! The runs of a campaign, as the oracle sees them: made of its records.

use sioco_exec::event::Observation;
use sioco_exec::record::{Aim, Why};
use sioco_exec::verdict::{Cause, Verdict};
use sioco_exec::{Order as EngineOrder, Record, RunNumber};

use super::engine::Read;
use crate::spec::{Event, Line, Order};

/// An input that the tester sent.
#[derive(Clone, Debug)]
pub struct Sent {
    /// After so many lines.
    pub after: usize,
    /// What.
    pub event: Event,
    /// Whether nothing is said about it.
    pub probe: bool,
}

/// A run.
#[derive(Clone, Debug)]
pub struct Run {
    /// Its number.
    pub number: RunNumber,
    /// The seed that the system got: a run that is repeated gets it again.
    pub seed: u64,
    /// What the order of events means.
    pub order: Order,
    /// What happened.
    pub lines: Vec<Line>,
    /// Inputs where they were sent.
    pub sent: Vec<Sent>,
    /// Whether something was seen while an input was not accepted yet, though the order is that of the system.
    pub overtaken: bool,
    /// Whether it has something that the oracle does not judge: a probe, a refusal.
    pub foreign: bool,
    /// How it ended.
    pub verdict: Option<(Verdict, Cause)>,
    /// Whether it is the shortest form of another run.
    pub shrunk: bool,
}

impl Run {
    /// Everything that was sent and seen, in any order. What was sent and never accepted has values, too.
    pub fn all_lines(&self) -> Vec<Line> {
        let sent = self.sent.iter().map(|s| Line::Input(s.event.clone()));
        self.lines.iter().cloned().chain(sent).collect()
    }
}

/// The runs of records.
pub fn runs<'r>(read: &Read, records: impl IntoIterator<Item = &'r Record>) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    let mut waiting: Vec<(u64, Event)> = Vec::new();
    for record in records {
        if let Record::Run { run, seed, order, aim } = record {
            waiting.clear();
            let order = match order {
                EngineOrder::Sent => Order::Sent,
                EngineOrder::Sut => Order::Sut,
                EngineOrder::Certain => Order::Certain,
            };
            runs.push(Run {
                number: *run,
                seed: *seed,
                order,
                lines: Vec::new(),
                sent: Vec::new(),
                overtaken: false,
                foreign: false,
                verdict: None,
                shrunk: matches!(aim, Aim::Shrunk(_)),
            });
            continue;
        }
        let Some(run) = runs.last_mut() else { continue };
        let mut seen = |run: &mut Run, line: Line| {
            if run.order == Order::Sent {
                // It counts as soon as something is seen after it was sent.
                run.lines.extend(waiting.drain(..).map(|(_, event)| Line::Input(event)));
            } else {
                run.overtaken |= !waiting.is_empty();
            }
            run.lines.push(line);
        };
        match record {
            Record::Input { id, input, why } => {
                let probe = matches!(why, Why::Probe(_));
                let (_, event) = read.event(input);
                run.sent.push(Sent { after: run.lines.len(), event: event.clone(), probe });
                run.foreign |= probe;
                waiting.push((*id, event));
            }
            Record::Accepted { id } => {
                if let Some(at) = waiting.iter().position(|(i, _)| i == id) {
                    run.lines.push(Line::Input(waiting.remove(at).1));
                }
            }
            Record::Refused { .. } | Record::Fault(_) => run.foreign = true,
            Record::TimedOut(_) => seen(run, Line::Delta),
            Record::Observed(observation) => {
                let line = match observation {
                    Observation::Output(value) => {
                        let (_, event) = read.event(value);
                        Line::Output(event)
                    }
                    Observation::Delta => Line::Announced,
                    Observation::Closed => Line::Closed,
                    Observation::Malformed { .. } => {
                        run.foreign = true;
                        continue;
                    }
                    #[cfg(crashed)]
                    Observation::Crashed(_) => Line::Crashed,
                };
                seen(run, line);
            }
            Record::Verdict { verdict, cause, .. } => run.verdict = Some((*verdict, cause.clone())),
            _ => {}
        }
    }
    runs
}
