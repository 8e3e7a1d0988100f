//! Random models: guards and outputs are affine, ranges of inputs small.

use super::machine::*;
use super::rng::Rng;

/// What models are like.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Kind {
    /// Whether the system may choose between cases.
    pub choices: bool,
    /// Whether there are internal switches between inputs and outputs.
    pub internal: bool,
}

/// A model.
pub fn machine(rng: &mut Rng, kind: Kind) -> Machine {
    let inputs = 1 + rng.below(2);
    // Few enough to try them all: at most 4 for an input.
    let ranges = |rng: &mut Rng| match rng.below(10) {
        0 => Vec::new(),
        1..4 => vec![(0, 1), (0, 1)],
        _ => vec![*rng.pick(&[(0, 3), (0, 3), (-1, 2), (0, 2)])],
    };
    let locations = *rng.pick(&[1, 2, 2, 3, 3]);
    let mut machine = Machine {
        inputs: (0..inputs).map(|_| ranges(rng)).collect(),
        outputs: (0..1 + rng.below(2)).map(|_| *rng.pick(&[1, 1, 1, 0, 2])).collect(),
        variables: (0..rng.below(3)).map(|_| rng.between(0, 2)).collect(),
        choices: Vec::new(),
    };
    for _ in 0..locations {
        let choices = (0..inputs).map(|i| choice(rng, &machine, locations, i, kind)).collect();
        machine.choices.push(choices);
    }
    machine
}

fn choice(rng: &mut Rng, machine: &Machine, locations: usize, input: usize, kind: Kind) -> Choice {
    let mut cases: Vec<Case> = Vec::new();
    for _ in 0..rng.below(3) {
        let cond = cond(rng, machine, input, 1);
        cases.push(case(rng, machine, locations, input, cond));
    }
    // Mostly, something happens otherwise.
    if rng.chance(75) {
        cases.push(case(rng, machine, locations, input, Cond::Always));
    }
    let last = cases.last().is_some_and(|c| c.cond == Cond::Always);
    Choice { cases, any: kind.choices && rng.chance(40), internal: kind.internal && last && rng.chance(50) }
}

/// A case with a condition.
pub fn case(rng: &mut Rng, machine: &Machine, locations: usize, input: usize, cond: Cond) -> Case {
    let mut update = Vec::new();
    for v in 0..machine.variables.len() {
        if rng.chance(40) {
            update.push((v, sum(rng, machine, input)));
        }
    }
    let output = rng.below(machine.outputs.len());
    let args = (0..machine.outputs[output]).map(|_| sum(rng, machine, input)).collect();
    Case { cond, update, output, args, target: rng.below(locations) }
}

/// A sum of a few things.
pub fn sum(rng: &mut Rng, machine: &Machine, input: usize) -> Affine {
    let factor = |rng: &mut Rng| *rng.pick(&[0, 0, 0, 1, 1, 1, -1, 2]);
    Affine {
        constant: rng.between(-1, 2),
        params: (0..machine.inputs[input].len()).map(|_| factor(rng)).collect(),
        variables: (0..machine.variables.len()).map(|_| factor(rng)).collect(),
    }
}

/// A condition that has something to do with the input, mostly.
pub fn cond(rng: &mut Rng, machine: &Machine, input: usize, depth: usize) -> Cond {
    if depth > 0 && rng.chance(25) {
        let (a, b) = (Box::new(cond(rng, machine, input, depth - 1)), Box::new(cond(rng, machine, input, depth - 1)));
        return match rng.below(3) {
            0 => Cond::And(a, b),
            1 => Cond::Or(a, b),
            _ => Cond::Not(a),
        };
    }
    let mut left = sum(rng, machine, input);
    if let Some(params) = machine.inputs[input].len().checked_sub(1) {
        left.params[rng.below(params + 1)] = 1;
    }
    left.constant = -rng.between(0, 3);
    Cond::Atom(left, *rng.pick(&[Compare::AtMost, Compare::AtMost, Compare::Less, Compare::Equal]))
}
