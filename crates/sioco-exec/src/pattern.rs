//! Equal and different values among the parameters of an input. Systems that mix up two values show it only if these
//! differ, and systems that treat equal values in a special way only if they are equal. So each pair of parameters that can
//! have the same value has its turn to be equal, in the order of the parameters, while all other values differ. After the
//! last pair, one input gets values without a pattern.

use sioco_model::model::{Direction, Model};
use sioco_model::sort::Sort;
use sioco_model::{GateId, Id};

/// More pairs than this are not tried one by one. These are all pairs among eight values; more would take longer than a
/// question.
const PAIRS: usize = 28;

/// See the [module](self).
#[derive(Clone, Debug)]
pub struct Patterns {
    /// By gate: the pairs of parameters of the same sort, whose ranges have something in common.
    pairs: Vec<Vec<(usize, usize)>>,
    /// By gate: how often it was sent.
    turns: Vec<usize>,
}

impl Patterns {
    /// For the inputs of a model.
    pub fn new(model: &Model) -> Patterns {
        let pairs_of = |gate: &sioco_model::model::Gate| {
            let mut found = Vec::new();
            if gate.direction == Direction::Output {
                return found;
            }
            for (i, p) in gate.params.iter().enumerate() {
                let sort = model.sorts.base(p.sort);
                // Of two values every second pair is equal anyway.
                if matches!(model.sorts.get(sort), Sort::Bool) {
                    continue;
                }
                for (j, q) in gate.params.iter().enumerate().skip(i + 1) {
                    let same = model.sorts.base(q.sort) == sort && model.sorts.overlap(p.sort, q.sort);
                    if same && found.len() < PAIRS {
                        found.push((i, j));
                    }
                }
            }
            found
        };
        let pairs: Vec<_> = model.gates.values().map(pairs_of).collect();
        Patterns { turns: vec![0; pairs.len()], pairs }
    }

    /// The pairs of parameters of a gate that could be equal.
    pub fn pairs(&self, gate: GateId) -> &[(usize, usize)] {
        &self.pairs[gate.index()]
    }

    /// The pair that is to be equal when the gate is sent for the n-th time from now; none if values are as they come.
    pub fn pair(&self, gate: GateId, n: usize) -> Option<(usize, usize)> {
        let pairs = self.pairs(gate);
        pairs.get((self.turns[gate.index()] + n) % (pairs.len() + 1)).copied()
    }

    /// The gate was sent.
    pub fn sent(&mut self, gate: GateId) {
        self.turns[gate.index()] += 1;
    }
}
