//! Models with a mistake in them.

use crate::generate::model::Maker;
use crate::generate::wish::{Knows, Wish};
use crate::rng::Rng;
use crate::spec::{Guard, Label, Spec, Term};

/// The same model with another guard, term or target, without a switch, or with one more output.
pub fn mutate(spec: &Spec, rng: &mut Rng) -> Spec {
    let mut wish = Wish::any(rng, Knows { crashed: false });
    wish.errors = false;
    let mut maker = Maker { wish: &wish, spec: spec.clone() };
    let process = rng.below(spec.processes.len());
    let count = spec.processes[process].switches.len();
    if count == 0 {
        return spec.clone();
    }
    let at = rng.below(count);
    let old = spec.processes[process].switches[at].clone();
    match rng.below(6) {
        0 if old.guard != Guard::Else => {
            let guard = loop {
                let guard = maker.guard(rng, process, old.source, &old.label);
                if guard != Guard::Else {
                    break guard;
                }
            };
            maker.spec.processes[process].switches[at].guard = guard;
        }
        1 => {
            maker.spec.processes[process].switches[at].update = maker.update(rng, process, &old.label);
        }
        2 => {
            maker.spec.processes[process].switches[at].target = rng.below(spec.processes[process].locations);
        }
        3 => {
            maker.spec.processes[process].switches.remove(at);
        }
        4 => {
            let label = maker.output(rng, process);
            let source = rng.below(spec.processes[process].locations);
            let mut switch = maker.switch(rng, process, source, label);
            if switch.guard == Guard::Else {
                switch.guard = Guard::All(Vec::new());
            }
            maker.spec.processes[process].switches.push(switch);
            maker.spec.processes[process].switches.sort_by_key(|s| s.source);
        }
        _ => {
            if let Label::Output(gate, carried) = &old.label {
                let changed = carried.iter().enumerate().map(|(i, c)| match c {
                    crate::spec::Carried::Term(_) => {
                        let sort = spec.outputs[*gate].params[i].clone();
                        let value = crate::systems::trace::value(rng, &sort, spec);
                        crate::spec::Carried::Term(Term::Value(value, sort))
                    }
                    any => any.clone(),
                });
                let label = Label::Output(*gate, changed.collect());
                maker.spec.processes[process].switches[at].label = label;
            }
        }
    }
    maker.spec
}
