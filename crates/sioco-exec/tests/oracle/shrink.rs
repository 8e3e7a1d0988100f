//! Smaller specifications for which something still goes wrong: what is left is easier to understand.

use super::spec::*;

/// The smallest specification that can be found by taking things away for which `wrong` still holds.
pub fn shrink(spec: &Spec, wrong: &mut dyn FnMut(&Spec) -> bool) -> Spec {
    let mut best = spec.clone();
    // Every change makes something smaller that no other makes larger.
    'again: loop {
        for smaller in smaller(&best) {
            if smaller != best && wrong(&smaller) {
                best = smaller;
                continue 'again;
            }
        }
        return best;
    }
}

fn smaller(spec: &Spec) -> Vec<Spec> {
    let mut found = Vec::new();
    let mut with = |change: &dyn Fn(&mut Spec)| {
        let mut changed = spec.clone();
        change(&mut changed);
        found.push(changed);
    };
    if spec.processes.len() > 1 {
        let talks = |p: &Process| p.switches.iter().any(|s| matches!(s.label, Label::Send(_) | Label::Receive));
        if !talks(&spec.processes[0]) {
            with(&|s| s.processes.truncate(1));
        }
    }
    for p in 0..spec.processes.len() {
        for i in 0..spec.processes[p].switches.len() {
            with(&|s| {
                s.processes[p].switches.remove(i);
            });
            with(&|s| s.processes[p].switches[i].guard = Cond::True);
            with(&|s| s.processes[p].switches[i].update.clear());
            with(&|s| s.processes[p].switches[i].target = 0);
            if spec.processes[p].switches[i].target != 0 {
                // Otherwise the two would take turns for ever.
                with(&|s| {
                    let switch = &mut s.processes[p].switches[i];
                    switch.target = switch.source;
                });
            }
            if let Label::Output(g, Carried::Term(_)) = spec.processes[p].switches[i].label {
                let low = spec.outputs[g].param.expect("it carries a term").0;
                with(&|s| s.processes[p].switches[i].label = Label::Output(g, Carried::Term(Expr::Const(low))));
            }
            if let Cond::And(a, b) | Cond::Or(a, b) = &spec.processes[p].switches[i].guard {
                with(&|s| s.processes[p].switches[i].guard = *a.clone());
                with(&|s| s.processes[p].switches[i].guard = *b.clone());
            }
        }
        for v in 0..spec.processes[p].variables.len() {
            with(&|s| {
                let variable = &mut s.processes[p].variables[v];
                variable.initial = Some(variable.range.0);
            });
        }
        let used = spec.processes[p].switches.iter().map(|s| s.source.max(s.target)).max().unwrap_or(0);
        with(&|s| s.processes[p].locations = used + 1);
    }
    found
}
