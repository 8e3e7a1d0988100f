//! Values without bounds that are only compared: with constants, with one another, with what is sent and seen.
//!
//! Whether the system has a value to choose may depend on what nobody knows: with a free `x`, `p == x && p != 3` has no value
//! where `x` is 3. Conditions of several comparisons about one value are rare among [random terms](super::terms), so they
//! are made on purpose here. They are added to a model that is already there, from random choices of their own, so that a
//! seed without them stands for the same model as ever.

use crate::rng::Rng;
use crate::spec::{Carried, Compare, Gate, Guard, Label, Process, Sort, Spec, Switch, Term, Val, Variable};

/// At most this many variables without bounds are there: with a value that is chosen, [three](crate::spec::sort::WIDE).
/// The oracle tries all their values, so that each multiplies its work.
const MOST: usize = 2;

/// The gate of what the system chooses.
pub const CHOSEN: &str = "z";
/// The gate of what the tester sends.
pub const SENT: &str = "y";

/// Adds a free variable, and switches whose guards compare it with what is chosen, sent and known.
pub fn add(rng: &mut Rng, spec: &mut Spec) {
    let sort = if rng.chance(70) { Sort::Wide } else { Sort::Text };
    let process = &mut spec.processes[0];
    let is_same = |v: &&Variable| v.sort == sort;
    let free = process.variables.iter().any(|v| v.sort == sort && v.initial.is_none());
    let there = process.variables.iter().filter(is_same).count();
    let wanted = if free { rng.below(2) } else { 1 + rng.below(2) };
    for i in 0..wanted.min(MOST.saturating_sub(there)) {
        let initial = if (free || i > 0) && rng.chance(50) { Some(constant(rng, &sort)) } else { None };
        process.variables.push(Variable { sort: sort.clone(), initial });
    }
    spec.outputs.push(Gate { name: CHOSEN.into(), params: vec![sort.clone()] });
    spec.inputs.push(Gate { name: SENT.into(), params: vec![sort.clone()] });
    let (output, input) = (spec.outputs.len() - 1, spec.inputs.len() - 1);
    let mut labels = vec![Label::Output(output, vec![Carried::Any(0)])];
    let more = [
        (45, Label::Output(output, vec![Carried::Any(0)])),
        (55, Label::Input(input)),
        (8, Label::Tau(vec![sort.clone()])),
    ];
    labels.extend(more.into_iter().filter(|(percent, _)| rng.chance(*percent)).map(|(_, label)| label));
    for label in labels {
        let switch = switch(rng, &spec.processes[0], &sort, label);
        spec.processes[0].switches.push(switch);
    }
    spec.processes[0].switches.sort_by_key(|s| s.source);
}

fn switch(rng: &mut Rng, process: &Process, sort: &Sort, label: Label) -> Switch {
    let source = rng.below(process.locations);
    let is_output = |l: &Label| matches!(l, Label::Output(..) | Label::Tau(_));
    let has_else = process.switches.iter().any(|s| {
        s.source == source && s.guard == Guard::Else && (s.label == label || is_output(&s.label) && is_output(&label))
    });
    let guard = match !has_else && rng.chance(6) {
        true => Guard::Else,
        false => Guard::All((0..1 + rng.below(2)).map(|_| comparisons(rng, process, sort)).collect()),
    };
    let mut update = Vec::new();
    for (v, variable) in process.variables.iter().enumerate() {
        // In a variable with a range, only some of these values have room.
        if variable.sort == *sort && rng.chance(25)
            || matches!(variable.sort, Sort::Int(..)) && *sort == Sort::Wide && rng.chance(6)
        {
            update.push((v, Term::Param(0)));
        }
    }
    Switch { source, label, guard, update, target: rng.below(process.locations) }
}

/// Two or three comparisons, most of them about the parameter.
fn comparisons(rng: &mut Rng, process: &Process, sort: &Sort) -> Term {
    let own: Vec<Term> =
        (0..process.variables.len()).filter(|v| process.variables[*v].sort == *sort).map(Term::Variable).collect();
    let mut all = comparison(rng, process, sort, Term::Param(0), Some(&own));
    for _ in 0..1 + rng.below(2) {
        let subject = if rng.chance(80) { Term::Param(0) } else { rng.pick(&own).clone() };
        let other = if rng.chance(25) { Some(&own[..]) } else { None };
        let next = comparison(rng, process, sort, subject, other);
        let (a, b) = (Box::new(all), Box::new(next));
        all = match rng.below(10) {
            0..7 => Term::And(a, b),
            7..9 => Term::Or(a, b),
            _ => Term::Implies(a, b),
        };
    }
    if rng.chance(8) { Term::Not(Box::new(all)) } else { all }
}

/// A comparison with one of these, or with something that is known.
fn comparison(rng: &mut Rng, process: &Process, sort: &Sort, subject: Term, others: Option<&[Term]>) -> Term {
    let mut how = *rng.pick(&[Compare::Equal, Compare::Equal, Compare::Different]);
    let other = match others.filter(|o| !o.is_empty()) {
        Some(others) => rng.pick(others).clone(),
        None => {
            let numbers = (0..process.variables.len()).filter(|v| matches!(process.variables[*v].sort, Sort::Int(..)));
            let numbers: Vec<Term> = numbers.map(Term::Variable).collect();
            if *sort == Sort::Wide && rng.chance(25) {
                how = *rng.pick(&[Compare::Less, Compare::LessOrEqual]);
            }
            match *sort == Sort::Wide && !numbers.is_empty() && rng.chance(35) {
                true => rng.pick(&numbers).clone(),
                false => Term::Value(constant(rng, sort), sort.clone()),
            }
        }
    };
    if rng.chance(50) { Term::compare(how, subject, other) } else { Term::compare(how, other, subject) }
}

fn constant(rng: &mut Rng, sort: &Sort) -> Val {
    match sort {
        Sort::Text => Val::Text((*rng.pick(&["", "a", "b"])).into()),
        _ => Val::Int(rng.between(-1, 4)),
    }
}
