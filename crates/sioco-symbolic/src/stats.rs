//! Counted work: who answered how many questions.

use sioco_solve::chain::ChainCounters;

use crate::inclusion::InclusionCounters;

/// How the questions of symbolic execution were answered.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counters {
    /// Steps found possible by evaluation alone.
    pub evaluated: u64,
    /// Steps found impossible by evaluation alone.
    pub refuted: u64,
    /// Conditions on fresh parameters that were decided before.
    pub remembered: u64,
    /// Questions to a solver.
    pub asked: u64,
    /// What the layers in front of the back-end did with these.
    pub chain: ChainCounters,
    /// Comparisons of states.
    pub inclusion: InclusionCounters,
}

impl Counters {
    /// All questions.
    pub fn total(&self) -> u64 {
        self.evaluated + self.refuted + self.remembered + self.asked
    }

    /// Adds those of another worker.
    pub fn add(&mut self, other: &Counters) {
        self.evaluated += other.evaluated;
        self.refuted += other.refuted;
        self.remembered += other.remembered;
        self.asked += other.asked;
        self.add_chain(&other.chain);
    }

    pub(crate) fn add_chain(&mut self, other: &ChainCounters) {
        let own = &mut self.chain;
        let pairs = [
            (&mut own.simplification, &other.simplification),
            (&mut own.witness, &other.witness),
            (&mut own.builtin, &other.builtin),
            (&mut own.few, &other.few),
            (&mut own.cache, &other.cache),
            (&mut own.back_end, &other.back_end),
        ];
        for (a, b) in pairs {
            a.asked += b.asked;
            a.sat += b.sat;
            a.unsat += b.unsat;
            a.passed_on += b.passed_on;
        }
        own.grouped += other.grouped;
        own.unanswered += other.unanswered;
    }
}
