//! Specifications with one thing changed: what a programmer gets wrong. Whether the change matters, the oracle says.

use super::generate;
use super::rng::Rng;
use super::spec::*;

/// The specification with a change somewhere; it is still defined everywhere.
pub fn mutant(rng: &mut Rng, spec: &Spec) -> Spec {
    loop {
        let mut changed = spec.clone();
        change(rng, &mut changed);
        if changed != *spec {
            return changed;
        }
    }
}

fn change(rng: &mut Rng, spec: &mut Spec) {
    let process = rng.below(spec.processes.len());
    let locations = spec.processes[process].locations;
    let count = spec.processes[process].switches.len();
    if count == 0 || rng.chance(10) {
        // An output more.
        let label = generate::output(rng, spec, process);
        let source = rng.below(locations);
        let new = generate::switch(rng, spec, process, source, label);
        spec.processes[process].switches.push(new);
        return;
    }
    let at = rng.below(count);
    let old = spec.processes[process].switches[at].clone();
    let mut new = old.clone();
    match rng.below(8) {
        // A switch less: an output that never comes, an input that is ignored.
        0 => {
            spec.processes[process].switches.remove(at);
            return;
        }
        1 => new.target = rng.below(locations),
        2 => new.guard = generate::guard(rng, spec, process, old.source, &old.label),
        3 if old.guard != Cond::Else => new.guard = Cond::Not(Box::new(old.guard)),
        4 => new.update = generate::update(rng, spec, process, &old.label),
        // An update less, such as a counter that is not set back.
        5 if !old.update.is_empty() => {
            new.update.remove(rng.below(old.update.len()));
        }
        6 | 7 if matches!(old.label, Label::Output(..)) => {
            // Another value, or another output. What the switch read of its old parameter is gone.
            new.label = generate::output(rng, spec, process);
            if spec.param(&old.label) != spec.param(&new.label) {
                new.guard = generate::guard(rng, spec, process, old.source, &new.label);
                new.update = generate::update(rng, spec, process, &new.label);
            }
        }
        _ => {}
    }
    spec.processes[process].switches[at] = new;
}
