//! A plan: what is to be covered, the purposes that cover it, and what is known about the rest.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use sioco_model::{Id, Model, SwitchId};
use sioco_solve::Limits;
use sioco_solve::values::Choice;
use sioco_symbolic::analysis::{Control, Determinism};
use sioco_symbolic::explore::Stop;
use sioco_symbolic::step::Step;

use crate::cover::Cover;
use crate::goal::{Goal, State};
use crate::intent::Intent;
use crate::purpose::Purpose;

/// What to plan, and how far to look.
#[derive(Clone, Debug)]
pub struct PlanOptions {
    /// What to cover.
    pub cover: Cover,
    /// Whether the atoms of guards on the way are goals of their own.
    pub data: bool,
    /// Whether purposes stop right after a last input, as in S0, and do not wait for the answer.
    pub strict: bool,
    /// Whether purposes with several accepts are split into one for each.
    pub split: bool,
    /// Whether silence in the middle of a path is a step, too; otherwise paths end there.
    pub silence: bool,
    /// The greatest number of steps on a path.
    pub depth: Option<usize>,
    /// The greatest number of nodes of a graph or tree.
    pub nodes: usize,
    /// How much memory all traces of a length may take, in bytes, [estimated](Memory::bytes).
    pub memory: Option<usize>,
    /// How many internal steps in a row are followed.
    pub internal: usize,
    /// How many steps a random walk has.
    pub walk: usize,
    /// The seed of random walks.
    pub seed: u64,
    /// How values for traces are chosen beforehand (S1 section 5.2.2), if they are.
    pub tests: Option<Choice>,
    /// How many workers explore.
    pub workers: usize,
    /// Whether it is found out if a run can be inconclusive.
    pub steering: bool,
    /// Set from outside when the search has taken long enough: what it has is then used. Whoever ends the planning sets this
    /// as well: where there is such a flag, it is what cuts questions of the search for all traces of a length.
    pub enough: Option<Arc<AtomicBool>>,
    /// The limits of each question to a solver; its `cancel` ends the planning with what was found.
    pub limits: Limits,
}

impl PlanOptions {
    /// The usual settings.
    pub fn new(cover: Cover) -> Self {
        let explore = sioco_symbolic::explore::ExploreOptions::default();
        PlanOptions {
            cover,
            data: false,
            strict: false,
            split: false,
            silence: false,
            depth: None,
            nodes: 20_000,
            memory: None,
            internal: 100,
            walk: 20,
            seed: 0,
            tests: None,
            workers: explore.workers,
            steering: true,
            enough: None,
            limits: Limits::default(),
        }
    }

    /// The limits of questions that end with the search, so that what comes after it has its own share of the time.
    pub(crate) fn search_limits(&self) -> Limits {
        self.limits.until(self.enough.as_ref())
    }

    /// Whether it is time to stop looking.
    pub(crate) fn is_over(&self) -> bool {
        self.limits.cancelled() || self.enough.as_ref().is_some_and(|e| e.load(std::sync::atomic::Ordering::Relaxed))
    }
}

/// Whether a run can be inconclusive (S4 section 3.2).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Steering {
    /// Whether what was observed always tells the state.
    pub determinism: Determinism,
    /// Whether free initial values decide anything.
    pub control: Control,
    /// In how many states the system decides by itself what happens next: between several outputs or internal steps, or
    /// whether it waits for an input.
    pub choices: usize,
    /// Two steps between which it decides in the first of them.
    pub choice: Option<(Step, Step)>,
    /// The output switches whose values the system chooses; and, where there are internal choices, the internal ones.
    pub values: Vec<SwitchId>,
    /// Whether all states were looked at.
    pub complete: bool,
}

impl Steering {
    /// Whether no run can be inconclusive: it is proved that the model is deterministic and that the tester alone decides.
    pub fn is_certain(&self) -> bool {
        self.determinism == Determinism::Proved
            && matches!(self.control, Control::NothingFree | Control::Proved)
            && self.choices == 0
            && self.values.is_empty()
            && self.complete
    }
}

/// What was done to get the plan.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// The nodes of the graph or tree that was built.
    pub nodes: usize,
    /// The steps that were asked about where the search is made of them (traces, paths); the sequences of inputs where
    /// these are drawn.
    pub candidates: usize,
    /// How many of these are impossible.
    pub impossible: usize,
    /// Places where internal steps went on longer than was followed.
    pub cut: usize,
    /// Purposes that end right after a last stimulus, since there was no time to look for the answers to it.
    pub unfinished: usize,
}

/// A plan.
#[derive(Clone, Debug)]
pub struct Plan {
    /// What it covers.
    pub cover: Cover,
    /// Whether its purposes stop right after a last input.
    pub strict: bool,
    /// The goals of the cover, each with what became of it. Paths, traces and walks are their own goals and are not here.
    pub goals: Vec<(Goal, State)>,
    /// The purposes, the longest first.
    pub purposes: Vec<Purpose>,
    /// The length that was reached, where the cover is about lengths: all paths or traces up to it are there.
    pub length: Option<usize>,
    /// Whether a run can be inconclusive; nothing if nobody asked.
    pub steering: Option<Steering>,
    /// Why the search ended.
    pub stop: Stop,
    /// What was done.
    pub counts: Counts,
}

/// What all traces of a length take memory for, in plan and suite.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Memory {
    /// The nodes of the tree, which the suite has once more.
    pub nodes: usize,
    /// The purposes: one for every trace.
    pub purposes: usize,
    /// The steps of all purposes.
    pub steps: usize,
}

impl Memory {
    /// How much that is in bytes (measured, and rounded up).
    pub fn bytes(self) -> usize {
        let of = |n: usize, bytes: usize| n.saturating_mul(bytes);
        of(self.nodes, 200).saturating_add(of(self.purposes, 600)).saturating_add(of(self.steps, 120))
    }
}

/// All paths or traces of a length were asked for, and the search ended before it had them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shorter {
    /// The length that was asked for.
    pub asked: usize,
    /// The greatest one of which all are there.
    pub reached: usize,
}

/// How much is covered.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Coverage {
    /// Goals that a purpose reaches.
    pub covered: usize,
    /// Of these, how many only perhaps.
    pub perhaps: usize,
    /// Goals that nothing reaches: it is proved. They are not missing.
    pub infeasible: usize,
    /// Goals that were not reached as far as was looked.
    pub not_reached: usize,
    /// Goals about which a solver left the question open.
    pub unknown: usize,
}

impl Coverage {
    /// The goals that count.
    pub fn feasible(&self) -> usize {
        self.covered + self.not_reached + self.unknown
    }

    /// Covered goals of those that count, in percent; 100 if none do.
    pub fn percent(&self) -> f64 {
        match self.feasible() {
            0 => 100.0,
            n => 100.0 * self.covered as f64 / n as f64,
        }
    }
}

impl Plan {
    /// A plan without anything in it.
    pub fn new(cover: Cover) -> Plan {
        Plan {
            cover,
            strict: false,
            goals: Vec::new(),
            purposes: Vec::new(),
            length: None,
            steering: None,
            stop: Stop::Complete,
            counts: Counts::default(),
        }
    }

    /// What it is for.
    pub fn intent(&self) -> Intent {
        self.cover.intent()
    }

    /// The length that was asked for, where the search ended before it was reached. Where nothing is longer, nothing is
    /// missing.
    pub fn shorter(&self) -> Option<Shorter> {
        let asked = self.intent().length?;
        let reached = self.length.filter(|reached| *reached < asked && self.stop != Stop::Complete)?;
        Some(Shorter { asked, reached })
    }

    /// Whether it is a suite that may need more tests than it has: one of a comparison is there for all transitions, so what
    /// nobody knows about one of them, or about what was cut, is missing, and one of classes for all of these. A length that
    /// was asked for cuts nothing.
    pub fn lacks_tests(&self) -> bool {
        let coverage = self.coverage();
        let cut = matches!(self.stop, Stop::Nodes | Stop::Memory | Stop::Cancelled);
        match self.cover {
            Cover::Compare => cut || coverage.unknown + coverage.not_reached > 0,
            Cover::Classes => coverage.unknown > 0,
            _ => false,
        }
    }

    /// The a-priori coverage of the goals (T-C1; S0: cov, but without what cannot be covered).
    pub fn coverage(&self) -> Coverage {
        let mut found = Coverage::default();
        for (_, state) in &self.goals {
            match state {
                State::Covered { doubt, .. } => {
                    found.covered += 1;
                    found.perhaps += usize::from(*doubt);
                }
                State::Infeasible(_) => found.infeasible += 1,
                State::NotReached(_) => found.not_reached += 1,
                State::Unknown(_) => found.unknown += 1,
            }
        }
        found
    }

    /// The switches on the purposes, by id: the a-priori switch coverage of whatever the plan covers (S1's transition
    /// coverage).
    pub fn switches(&self, model: &Model) -> Vec<bool> {
        let mut found = vec![false; model.switches.len()];
        for purpose in &self.purposes {
            for s in purpose.switches() {
                found[s.index()] = true;
            }
        }
        found
    }

    /// Inputs and outputs of all purposes together.
    pub fn steps(&self, model: &Model) -> usize {
        self.purposes.iter().map(|p| p.length(model)).sum()
    }
}
