//! Whether an implementation model conforms to a specification (S2 definition 6), by trying every sequence of inputs up to
//! a length, with the interpreter that executes models. Nothing here is symbolic.
//!
//! A step of a model is an input with all that the model does by itself until it waits for the next input. Both
//! conditions of the definition are asked for each sequence that the specification has:
//!
//! 1. the implementation has a path with these inputs;
//! 2. whatever outputs it has on such a path, the specification has them on one, too.

use std::collections::{BTreeMap, BTreeSet};

use sioco_exec::GateValue;
use sioco_model::model::{Direction, Label, Model};
use sioco_model::semantics::{Interpreter, State};

/// What became of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Judgement {
    /// It conforms, up to the length that was asked for and with the inputs that were tried.
    Conforms,
    /// Condition 1: the implementation does not have these inputs, which the specification has. None are shorter.
    Undefined { inputs: Vec<GateValue> },
    /// Condition 2: the implementation may answer the last of these inputs in a way that the specification does not
    /// allow. None are shorter.
    Different { inputs: Vec<GateValue> },
}

impl Judgement {
    pub fn conforms(&self) -> bool {
        *self == Judgement::Conforms
    }

    /// A sequence of inputs that shows the difference.
    pub fn inputs(&self) -> Option<&[GateValue]> {
        match self {
            Judgement::Conforms => None,
            Judgement::Undefined { inputs } | Judgement::Different { inputs } => Some(inputs),
        }
    }
}

/// Paths of both models with the same inputs and the same outputs: where they lead.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
struct Ends {
    spec: BTreeSet<State>,
    imp: BTreeSet<State>,
}

/// All paths with the same inputs. Which outputs they had does not matter any more, only which had the same.
type Paths = Vec<Ends>;

/// How many steps a model may take by itself.
const STEPS: usize = 1_000;

/// All inputs of a model whose parameters have few values.
pub fn inputs(model: &Model) -> Vec<GateValue> {
    let mut found = Vec::new();
    for (gate, g) in model.gates.iter().filter(|(_, g)| g.direction == Direction::Input) {
        let mut all = vec![Vec::new()];
        for p in &g.params {
            let count = model.sorts.cardinality(p.sort).expect("the judge tries all values: they must be finite");
            assert!(count <= 100, "{count} values of {} are too many to try", p.name);
            let with = |args: &Vec<_>| {
                let args = args.clone();
                (0..count).map(move |n| {
                    let value = model.sorts.nth_value(p.sort, n).expect("it is below their number");
                    args.iter().cloned().chain([value]).collect()
                })
            };
            all = all.iter().flat_map(with).collect();
        }
        found.extend(all.into_iter().map(|args| GateValue { gate, args }));
    }
    found
}

/// Whether the implementation conforms with these inputs, in sequences up to a length.
pub fn judge(spec: &Model, imp: &Model, inputs: &[GateValue], length: usize) -> Judgement {
    let (mut spec, mut imp) = (Run::new(spec, spec), Run::new(spec, imp));
    let start = |run: &mut Run<'_>| {
        let initial = run.run.initial_default();
        run.settle(initial)
    };
    let start = match pair_up([(start(&mut spec), start(&mut imp))]) {
        Ok(paths) => paths,
        Err(Wrong::NoPath) => return Judgement::Undefined { inputs: Vec::new() },
        Err(Wrong::Outputs) => return Judgement::Different { inputs: Vec::new() },
    };
    let mut seen: BTreeSet<Paths> = BTreeSet::from([start.clone()]);
    let mut layer: Vec<(Paths, Vec<GateValue>)> = vec![(start, Vec::new())];
    for _ in 0..length {
        let mut next = Vec::new();
        for (paths, before) in layer {
            for input in inputs {
                let after: Vec<(Reactions, Reactions)> =
                    paths.iter().map(|ends| (spec.react(&ends.spec, input), imp.react(&ends.imp, input))).collect();
                if after.iter().all(|(spec, _)| spec.is_empty()) {
                    // No path of the specification has these inputs: nothing is asked.
                    continue;
                }
                let inputs: Vec<GateValue> = before.iter().chain([input]).cloned().collect();
                match pair_up(after) {
                    Err(Wrong::NoPath) => return Judgement::Undefined { inputs },
                    Err(Wrong::Outputs) => return Judgement::Different { inputs },
                    // The same paths after other inputs lead to nothing else, and these are not longer.
                    Ok(paths) => {
                        if seen.insert(paths.clone()) {
                            next.push((paths, inputs));
                        }
                    }
                }
            }
        }
        layer = next;
    }
    Judgement::Conforms
}

/// The outputs that a model may answer a sequence of inputs with, those before the first input first (S2 definition 12:
/// Exec); none if it does not have these inputs. Gates are those of the first model.
pub fn outputs(spec: &Model, model: &Model, inputs: &[GateValue]) -> BTreeSet<Vec<Vec<GateValue>>> {
    let mut run = Run::new(spec, model);
    let initial = run.run.initial_default();
    let start = run.settle(initial);
    let mut paths: Vec<(Vec<Vec<GateValue>>, State)> = start.into_iter().map(|(o, s)| (vec![o], s)).collect();
    for input in inputs {
        let mut next = Vec::new();
        for (outputs, state) in paths {
            for (o, s) in run.react(&BTreeSet::from([state]), input) {
                next.push((outputs.iter().cloned().chain([o]).collect(), s));
            }
        }
        paths = next;
    }
    paths.into_iter().map(|(outputs, _)| outputs).collect()
}

enum Wrong {
    NoPath,
    Outputs,
}

/// Puts reactions together that have the same outputs after paths that had.
fn pair_up(after: impl IntoIterator<Item = (Reactions, Reactions)>) -> Result<Paths, Wrong> {
    let mut same: BTreeMap<(usize, Vec<GateValue>), Ends> = BTreeMap::new();
    for (i, (spec, imp)) in after.into_iter().enumerate() {
        for (outputs, state) in spec {
            same.entry((i, outputs)).or_default().spec.insert(state);
        }
        for (outputs, state) in imp {
            same.entry((i, outputs)).or_default().imp.insert(state);
        }
    }
    if same.values().all(|ends| ends.imp.is_empty()) {
        return Err(Wrong::NoPath);
    }
    if same.values().any(|ends| ends.spec.is_empty()) {
        return Err(Wrong::Outputs);
    }
    let mut paths: Paths = same.into_values().collect();
    paths.sort();
    paths.dedup();
    Ok(paths)
}

/// Outputs, and where they lead.
type Reactions = Vec<(Vec<GateValue>, State)>;

/// A model that is executed, with the gates of another one that has the same.
struct Run<'m> {
    gates: &'m Model,
    run: Interpreter<'m>,
}

impl<'m> Run<'m> {
    fn new(gates: &'m Model, model: &'m Model) -> Self {
        Run { gates, run: Interpreter::new(model) }
    }

    fn react(&mut self, states: &BTreeSet<State>, input: &GateValue) -> Reactions {
        let name = &self.gates.gates[input.gate].name;
        let gate = self.run.model().gate(name).expect("both models have the same gates");
        let mut found = Vec::new();
        for state in states {
            let after = self.run.successors(state, gate, &input.args).expect("it is defined");
            for (_, state) in after {
                found.extend(self.settle(state));
            }
        }
        found
    }

    /// All that the model may do by itself, until it waits.
    fn settle(&mut self, state: State) -> Reactions {
        let mut found = Vec::new();
        let mut open: Vec<(Vec<GateValue>, State, usize)> = vec![(Vec::new(), state, 0)];
        while let Some((outputs, state, steps)) = open.pop() {
            assert!(steps < STEPS, "the model never waits for an input");
            let mut waits = true;
            for (_, next) in self.run.internal_steps(&state).expect("it is defined") {
                waits = false;
                open.push((outputs.clone(), next, steps + 1));
            }
            let switches: Vec<_> = self.run.outputs_at(&state).collect();
            for switch in switches {
                let Label::Gate(gate) = self.run.model().switches[switch].label else { continue };
                let name = &self.run.model().gates[gate].name;
                let same = self.gates.gate(name).expect("both models have the same gates");
                for args in self.run.choices(&state, switch).expect("it is defined") {
                    waits = false;
                    let mut next = state.clone();
                    self.run.take(&mut next, switch, &args).expect("it is defined");
                    let output = GateValue { gate: same, args };
                    open.push((outputs.iter().cloned().chain([output]).collect(), next, steps + 1));
                }
            }
            if waits {
                found.push((outputs, state));
            } else {
                let takes_inputs = self.run.inputs_at(&state).next().is_some();
                assert!(
                    !takes_inputs,
                    "the model does not wait where it takes inputs: {}",
                    state.show(self.run.model())
                );
            }
        }
        found
    }
}
