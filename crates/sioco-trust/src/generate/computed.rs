//! A free variable with more values than are tried one by one, with which internal steps compute.
//!
//! Silence depends on it: internal steps that lead back to the values that they began with may go on for ever, for some
//! values and not for others, at once or after several steps. Whether they do shows in what is possible after a delta.
//! [Random models](super::model) have small ranges, where everything is tried; so such rounds are made on purpose here, from
//! random choices of their own.

use crate::rng::Rng;
use crate::spec::{Carried, Compare, Gate, Guard, Label, Process, Sort, Spec, Switch, Term, Variable};

/// The gate of what tells values apart.
pub const SHOWN: &str = "shown";

/// Such models have a free variable alone: with others, there are too many states at the start.
pub fn has_room(spec: &Spec) -> bool {
    spec.processes.iter().flat_map(|p| &p.variables).all(|v| v.initial.is_some())
}

/// Adds the variable, internal steps that compute with it, and outputs and inputs that depend on it.
pub fn add(rng: &mut Rng, spec: &mut Spec) {
    let last = rng.between(65, 80);
    let sort = Sort::Int(0, last);
    let process = &mut spec.processes[0];
    let v = process.variables.len();
    process.variables.push(Variable { sort: sort.clone(), initial: None });
    let near = rng.between(2, last - 2);
    let mut made = Made { rng, sort, last, near, v };
    let process = &mut spec.processes[0];
    let mut found = Vec::new();
    // A round at one location, or over two.
    let start = made.rng.below(process.locations);
    let over = made.rng.below(process.locations);
    found.push(made.internal(start, over));
    if over != start || made.rng.chance(40) {
        found.push(made.internal(over, start));
    }
    spec.outputs.push(Gate { name: SHOWN.into(), params: Vec::new() });
    let output = Label::Output(spec.outputs.len() - 1, Vec::new());
    found.push(made.shown(process, output));
    if made.rng.chance(50) {
        spec.inputs.push(Gate { name: "asked".into(), params: Vec::new() });
        found.push(made.shown(process, Label::Input(spec.inputs.len() - 1)));
    }
    if made.rng.chance(25) {
        spec.outputs.push(Gate { name: "told".into(), params: vec![made.sort.clone()] });
        let source = made.rng.below(process.locations);
        let same = Term::compare(Compare::Equal, Term::Param(0), Term::Variable(v));
        let label = Label::Output(spec.outputs.len() - 1, vec![Carried::Any(0)]);
        let target = made.rng.below(process.locations);
        found.push(Switch { source, label, guard: Guard::All(vec![same]), update: Vec::new(), target });
    }
    process.switches.extend(found);
    process.switches.sort_by_key(|s| s.source);
}

struct Made<'a> {
    rng: &'a mut Rng,
    sort: Sort,
    /// The greatest value.
    last: i64,
    /// Constants lie around it, so that guards meet.
    near: i64,
    v: usize,
}

impl Made<'_> {
    fn constant(&mut self) -> i64 {
        (self.near + self.rng.between(-2, 2)).clamp(0, self.last)
    }

    fn variable(&self) -> Term {
        Term::Variable(self.v)
    }

    /// A comparison of a term with a constant.
    fn compared(&mut self, subject: Term) -> Term {
        let how = *self.rng.pick(&[
            Compare::Equal,
            Compare::Different,
            Compare::Less,
            Compare::LessOrEqual,
            Compare::LessOrEqual,
        ]);
        let constant = Term::int(self.constant());
        if self.rng.chance(50) { Term::compare(how, subject, constant) } else { Term::compare(how, constant, subject) }
    }

    /// An internal step that computes with the variable, inside of its range.
    fn internal(&mut self, source: usize, target: usize) -> Switch {
        let (v, near) = (self.variable(), self.constant().clamp(1, self.last - 1));
        let by = |n: i64| Box::new(Term::int(n));
        let variable = || Box::new(Term::Variable(self.v));
        let mut choices = Vec::new();
        let mut guard = Vec::new();
        let update = match self.rng.below(6) {
            // There and back.
            0 => Some(Term::Sub(by(self.last), variable())),
            1 => Some(Term::If(
                Box::new(Term::compare(Compare::Less, Term::int(near), v.clone())),
                Box::new(Term::Sub(variable(), by(1))),
                Box::new(Term::Add(variable(), by(1))),
            )),
            2 => {
                guard.push(Term::compare(Compare::Less, v.clone(), Term::int(self.last)));
                Some(Term::Add(variable(), by(1)))
            }
            3 => None,
            _ => {
                choices.push(self.sort.clone());
                let how = *self.rng.pick(&[Compare::Less, Compare::LessOrEqual, Compare::Different, Compare::Equal]);
                let tied = Term::compare(how, Term::Param(0), v.clone());
                match self.rng.below(4) {
                    0 => {}
                    1 => guard.push(tied),
                    2 => guard.push(self.compared(Term::Param(0))),
                    _ => {
                        let other = self.compared(Term::Param(0));
                        guard.push(Term::Or(Box::new(tied), Box::new(other)));
                    }
                }
                Some(Term::Param(0))
            }
        };
        if self.rng.chance(45) {
            guard.push(self.compared(v));
        }
        let update = update.into_iter().map(|term| (self.v, term)).collect();
        Switch { source, label: Label::Tau(choices), guard: Guard::All(guard), update, target }
    }

    /// A switch that is possible for some values.
    fn shown(&mut self, process: &Process, label: Label) -> Switch {
        let v = self.variable();
        let guard = Guard::All(vec![self.compared(v)]);
        let (source, target) = (self.rng.below(process.locations), self.rng.below(process.locations));
        Switch { source, label, guard, update: Vec::new(), target }
    }
}
