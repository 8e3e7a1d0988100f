//! Whether a mutant conforms, found out without the tester: a breadth-first search over what specification and mutant
//! may be doing after the same trace, for a trace after which the mutant may do something that the specification does
//! not allow (T-L10: ioco).

use std::collections::VecDeque;

use rustc_hash::FxHashSet;
use sioco_model::model::{Direction, Model};
use sioco_model::number::Rational;
use sioco_model::semantics::{Interpreter, Quiescence, State, StepError};
use sioco_model::sort::Sort;
use sioco_model::term::Term;
use sioco_model::{GateId, Id, SortId, TermId, Value};
use sioco_solve::values::Random;

/// What is known of a mutant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Known {
    /// It does not conform: so many steps show it.
    Different(usize),
    /// Nothing was found, within the bounds of the search.
    Nothing,
    /// It is undefined somewhere, or cannot be searched.
    Undefined,
}

/// How many values are drawn for an input, where there are more, and how many pairs of beliefs are looked at: many values
/// first, then long traces.
const SEARCHES: [(usize, usize); 2] = [(12, 3_000), (1, 6_000)];

type Pair = (Vec<State>, Vec<State>);

struct Search<'m> {
    model: &'m Model,
    spec: Interpreter<'m>,
    mutant: Interpreter<'m>,
    inputs: Vec<GateId>,
    mentioned: Vec<Rational>,
    random: Random,
    drawn: usize,
    pairs: usize,
}

/// Searches, with inputs drawn from small values and such as the model mentions.
pub fn distinguish(model: &Model, mutant: &Model, seed: u64) -> Known {
    let mut search = Search {
        model,
        spec: Interpreter::new(model),
        mutant: Interpreter::new(mutant),
        inputs: model.gates.iter().filter(|(_, g)| g.direction == Direction::Input).map(|(id, _)| id).collect(),
        mentioned: mentioned(model),
        random: Random::new(seed),
        drawn: 0,
        pairs: 0,
    };
    for (drawn, pairs) in SEARCHES {
        (search.drawn, search.pairs) = (drawn, pairs);
        match search.run().unwrap_or(Known::Undefined) {
            Known::Nothing => {}
            known => return known,
        }
    }
    Known::Nothing
}

fn mentioned(model: &Model) -> Vec<Rational> {
    let mut found: Vec<Rational> = [0, 1, 2].map(Rational::from).to_vec();
    for i in 0..model.terms.len() {
        if let Term::Const(value, _) = model.terms.get(TermId::from_index(i)) {
            found.extend(sioco_model::number::to_rational(value));
        }
    }
    found.sort();
    found.dedup();
    found
}

fn sorted(mut states: Vec<State>) -> Vec<State> {
    states.sort();
    states.dedup();
    states
}

impl Search<'_> {
    fn run(&mut self) -> Result<Known, StepError> {
        let start: Pair = {
            let (a, b) = (self.spec.initial_default(), self.mutant.initial_default());
            (sorted(self.spec.closure(vec![a])?.states), sorted(self.mutant.closure(vec![b])?.states))
        };
        let mut seen: FxHashSet<Pair> = FxHashSet::default();
        seen.insert(start.clone());
        let mut open: VecDeque<(Pair, usize)> = VecDeque::from([(start, 0)]);
        while let Some((pair, depth)) = open.pop_front() {
            let Some(next) = self.next(&pair)? else { return Ok(Known::Different(depth + 1)) };
            for pair in next {
                if seen.len() < self.pairs && seen.insert(pair.clone()) {
                    open.push_back((pair, depth + 1));
                }
            }
        }
        Ok(Known::Nothing)
    }

    /// The pairs after one more step; nothing if the mutant may do something that is not allowed.
    fn next(&mut self, (spec, mutant): &Pair) -> Result<Option<Vec<Pair>>, StepError> {
        let mut next = Vec::new();
        for state in mutant {
            let outputs: Vec<_> = self.mutant.outputs_at(state).collect();
            for switch in outputs {
                let sioco_model::model::Label::Gate(gate) = self.mutant.model().switches[switch].label else {
                    continue;
                };
                let choices = match self.mutant.choices(state, switch) {
                    Err(StepError::NeedsSolver { .. }) => self.mutant.example(state, switch)?.into_iter().collect(),
                    all => all?,
                };
                for args in choices {
                    // A value outside the range of the gate is refused by any tester.
                    let allowed = self.spec.is_gate_value(gate, &args);
                    let after = self.spec.after(spec.clone(), gate, &args)?.states;
                    if !allowed || after.is_empty() {
                        return Ok(None);
                    }
                    let mutated = self.mutant.after(mutant.clone(), gate, &args)?.states;
                    next.push((sorted(after), sorted(mutated)));
                }
            }
        }
        let quiet = quiet(&mut self.mutant, mutant)?;
        if !quiet.is_empty() {
            let allowed = self::quiet(&mut self.spec, spec)?;
            if allowed.is_empty() {
                return Ok(None);
            }
            next.push((sorted(allowed), sorted(quiet)));
        }
        for gate in self.inputs.clone() {
            for args in self.values(gate, spec) {
                let after = self.spec.after(spec.clone(), gate, &args)?.states;
                if after.is_empty() {
                    continue;
                }
                let mutated = self.mutant.after(mutant.clone(), gate, &args)?.states;
                // What the mutant does not specify, it ignores.
                let mutated = if mutated.is_empty() { mutant.clone() } else { sorted(mutated) };
                next.push((sorted(after), mutated));
            }
        }
        Ok(Some(next))
    }

    /// Values for an input.
    fn values(&mut self, gate: GateId, states: &[State]) -> Vec<Vec<Value>> {
        let sorts: Vec<SortId> = self.model.gates[gate].params.iter().map(|p| p.sort).collect();
        if sorts.is_empty() {
            return vec![Vec::new()];
        }
        let used: Vec<Rational> = states
            .first()
            .map_or(Vec::new(), |s| s.values().iter().filter_map(sioco_model::number::to_rational).collect());
        let mut found: Vec<Vec<Value>> = Vec::new();
        for _ in 0..self.drawn {
            let mut before: Option<Rational> = None;
            let args: Vec<Value> = sorts.iter().map(|sort| self.value(*sort, &used, &mut before)).collect();
            if self.spec.is_gate_value(gate, &args) && !found.contains(&args) {
                found.push(args);
            }
        }
        found
    }

    fn value(&mut self, sort: SortId, used: &[Rational], before: &mut Option<Rational>) -> Value {
        let sorts = &self.model.sorts;
        if let Some(n) = sorts.cardinality(sort).filter(|n| *n <= 8) {
            return sorts.nth_value(sort, self.random.below(n)).unwrap_or_else(|| sorts.default_value(sort));
        }
        let int = match sorts.get(sort) {
            Sort::Int { .. } => true,
            Sort::Real { .. } => false,
            _ => return sorts.default_value(sort),
        };
        let constant = |random: &mut Random, from: &[Rational]| from[random.below(from.len() as u64) as usize].clone();
        let mut n = match (self.random.below(4), &before) {
            (0, _) if !used.is_empty() => constant(&mut self.random, used),
            (1 | 2, Some(before)) => before + constant(&mut self.random, &self.mentioned),
            _ => constant(&mut self.random, &self.mentioned),
        };
        // At the border, and next to it.
        match self.random.below(4) {
            0 => n += Rational::ONE,
            1 => n -= Rational::ONE,
            2 if !int => n += Rational::from(1) / Rational::from(2),
            _ => {}
        }
        if int {
            n = Rational::from(n.floor());
        }
        *before = Some(n.clone());
        if int { sioco_model::number::int(n.floor()) } else { Value::real(n) }
    }
}

/// The silent states.
fn quiet(run: &mut Interpreter<'_>, states: &[State]) -> Result<Vec<State>, StepError> {
    let mut found = Vec::new();
    for state in states {
        match run.quiescence(state)? {
            Quiescence::Quiescent | Quiescence::Diverging => found.push(state.clone()),
            Quiescence::Active(_) => {}
            Quiescence::Unknown { switch, why } => return Err(StepError::NeedsSolver { switch, why }),
        }
    }
    Ok(found)
}
