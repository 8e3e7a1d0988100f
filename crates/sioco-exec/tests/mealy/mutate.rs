//! Implementations: a specification with a few changes, some of which cannot make a difference. Whether the others do, the
//! judge says.

use super::generate;
use super::machine::*;
use super::rng::Rng;

/// What can be changed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Change {
    /// A case is divided in two that do the same.
    Split,
    /// A location has a second name, which some cases lead to.
    Copy,
    /// One more case, for inputs that were not defined.
    More,
    /// A constant in a condition is one more or less.
    Shift,
    /// Another comparison, such as `<` for `<=`.
    Compare,
    /// Another value of an output.
    Output,
    /// Another new value of a variable.
    Update,
    /// Another target.
    Target,
    /// A case is missing.
    Less,
    /// Two cases change places.
    Swap,
}

impl Change {
    pub const ALL: [Change; 10] = [
        Change::Split,
        Change::Copy,
        Change::More,
        Change::Shift,
        Change::Compare,
        Change::Output,
        Change::Update,
        Change::Target,
        Change::Less,
        Change::Swap,
    ];

    /// Whether the implementation conforms after it, whatever the specification is.
    pub fn is_harmless(self) -> bool {
        self < Change::More
    }

    /// The same for specifications without choices. With choices, what one path does not take another one with the same
    /// inputs may; then the specification has the whole sequence, and says which outputs are allowed (S2 definition 6).
    pub fn is_harmless_without_choices(self) -> bool {
        self <= Change::More
    }
}

/// An implementation of a specification: some changes that are harmless, and mostly some that may not be.
pub fn implementation(rng: &mut Rng, spec: &Machine) -> (Machine, Vec<Change>) {
    let (harmless, other): (Vec<Change>, Vec<Change>) =
        Change::ALL.into_iter().partition(|c| c.is_harmless_without_choices());
    let mut wanted: Vec<Change> = (0..rng.below(3)).map(|_| *rng.pick(&harmless)).collect();
    for _ in 0..*rng.pick(&[0, 1, 1, 1, 2, 2]) {
        wanted.insert(rng.below(wanted.len() + 1), *rng.pick(&other));
    }
    let mut imp = spec.clone();
    // What cannot be done here may be possible elsewhere; otherwise it is left out.
    let mut done = |c: &Change| (0..4).any(|_| change(rng, &mut imp, *c).is_some());
    let done = wanted.into_iter().filter(|c| done(c)).collect();
    (imp, done)
}

/// Changes something; nothing if there is nothing of the kind.
pub fn change(rng: &mut Rng, machine: &mut Machine, what: Change) -> Option<()> {
    let places = machine.places();
    if places.is_empty() {
        return None;
    }
    let (l, i, c) = *rng.pick(&places);
    let locations = machine.choices.len();
    match what {
        Change::Split => {
            let cond = generate::cond(rng, machine, i, 1);
            let cases = &mut machine.choices[l][i].cases;
            let first = Case { cond: Cond::And(Box::new(cases[c].cond.clone()), Box::new(cond)), ..cases[c].clone() };
            cases.insert(c, first);
        }
        Change::Copy => {
            // At least one case leads to it.
            let of = machine.choices[l][i].cases[c].target;
            machine.choices[l][i].cases[c].target = locations;
            let copy = machine.choices[of].clone();
            machine.choices.push(copy);
            for choice in machine.choices.iter_mut().flatten() {
                for case in choice.cases.iter_mut().filter(|case| case.target == of) {
                    if rng.chance(40) {
                        case.target = locations;
                    }
                }
            }
        }
        Change::More => {
            let l = rng.below(locations);
            let i = rng.below(machine.inputs.len());
            let cond = if rng.chance(50) { Cond::Always } else { generate::cond(rng, machine, i, 1) };
            let new = generate::case(rng, machine, locations, i, cond);
            let choice = &mut machine.choices[l][i];
            if choice.any || choice.cases.last().is_some_and(|c| c.cond == Cond::Always) {
                return None;
            }
            choice.cases.push(new);
        }
        Change::Shift => {
            let mut sums = machine.choices[l][i].cases[c].cond.sums();
            let at = rng.below(sums.len().max(1));
            sums.get_mut(at)?.0.constant += *rng.pick(&[-1, 1]);
        }
        Change::Compare => {
            let mut sums = machine.choices[l][i].cases[c].cond.sums();
            let at = rng.below(sums.len().max(1));
            let compare = &mut *sums.get_mut(at)?.1;
            *compare = if *compare == Compare::AtMost { Compare::Less } else { Compare::AtMost };
        }
        Change::Output => {
            let case = &machine.choices[l][i].cases[c];
            let new = generate::case(rng, machine, locations, i, case.cond.clone());
            let case = &mut machine.choices[l][i].cases[c];
            match rng.below(3) {
                0 => (case.output, case.args) = (new.output, new.args),
                _ => {
                    let at = rng.below(case.args.len().max(1));
                    let arg = case.args.get_mut(at)?;
                    match arg.params.first_mut().filter(|_| rng.chance(50)) {
                        Some(factor) => *factor += *rng.pick(&[-1, 1]),
                        None => arg.constant += *rng.pick(&[-1, 1]),
                    }
                }
            }
        }
        Change::Update => {
            let v = rng.below(machine.variables.len().max(1));
            let new = generate::sum(rng, machine, i);
            let update = &mut machine.choices[l][i].cases[c].update;
            match update.iter_mut().find(|(u, _)| *u == v) {
                Some((_, sum)) => *sum = new,
                None if v < machine.variables.len() => update.push((v, new)),
                None => return None,
            }
        }
        Change::Target => machine.choices[l][i].cases[c].target = rng.below(locations),
        Change::Less => {
            let choice = &mut machine.choices[l][i];
            if choice.internal && c + 1 == choice.cases.len() {
                return None;
            }
            choice.cases.remove(c);
        }
        Change::Swap => {
            let choice = &mut machine.choices[l][i];
            if c + 1 == choice.cases.len() || (choice.internal && c + 2 == choice.cases.len()) {
                return None;
            }
            choice.cases.swap(c, c + 1);
        }
    }
    Some(())
}
