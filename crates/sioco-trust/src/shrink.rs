//! Makes a finding small: fewer lines, switches, variables and parameters, simpler terms, as long as it stays a finding
//! of the same kind.

use std::time::{Duration, Instant};

use crate::spec::{Carried, Guard, Label, Line, Sort, Spec, Switch, Term, Val};

/// A model and a log.
pub type Pair = (Spec, Vec<Line>);

/// At most this many candidates are tried: small models have fewer parts to leave out.
const MOST: usize = 3_000;
/// And for at most this long: somebody waits, and a smaller model is only easier to read.
const TIME: Duration = Duration::from_secs(4);

/// The smallest pair that was found of those that still have it.
pub fn shrink(pair: Pair, still: &mut dyn FnMut(&Pair) -> bool) -> Pair {
    let mut best = pair;
    let mut tried = 0;
    let began = Instant::now();
    loop {
        let mut progress = false;
        let mut at = 0;
        // The number of a candidate stays about the same when an earlier one was taken.
        while let Some(candidate) = candidates(&best).into_iter().nth(at) {
            tried += 1;
            if tried > MOST || began.elapsed() > TIME {
                return best;
            }
            if candidate != best && still(&candidate) {
                (best, progress) = (candidate, true);
            } else {
                at += 1;
            }
        }
        if !progress {
            return best;
        }
    }
}

fn candidates(pair: &Pair) -> Vec<Pair> {
    let mut all = Vec::new();
    for at in 0..pair.1.len() {
        let mut lines = pair.1.clone();
        lines.remove(at);
        all.push((pair.0.clone(), lines));
    }
    let mut specs = Vec::new();
    processes(&pair.0, &mut specs);
    switches(&pair.0, &mut specs);
    declarations(&pair.0, &mut specs);
    all.extend(specs.into_iter().map(|spec| (spec, pair.1.clone())));
    gates(pair, &mut all);
    all
}

fn processes(spec: &Spec, found: &mut Vec<Spec>) {
    if spec.processes.len() > 1 {
        for p in 0..spec.processes.len() {
            let mut less = spec.clone();
            less.processes.remove(p);
            found.push(less);
        }
    }
    for (p, process) in spec.processes.iter().enumerate() {
        let last = process.locations - 1;
        if last > 0 && process.switches.iter().all(|s| s.source != last && s.target != last) {
            let mut less = spec.clone();
            less.processes[p].locations -= 1;
            less.processes[p].finals.retain(|l| *l != last);
            found.push(less);
        }
        if !process.finals.is_empty() {
            let mut less = spec.clone();
            less.processes[p].finals.clear();
            found.push(less);
        }
        for l in 1..process.locations {
            if process.switches.iter().all(|s| s.source != l && s.target != l) && l != last {
                let mut less = spec.clone();
                for s in &mut less.processes[p].switches {
                    for place in [&mut s.source, &mut s.target] {
                        if *place == last {
                            *place = l;
                        }
                    }
                }
                less.processes[p].switches.sort_by_key(|s| s.source);
                less.processes[p].finals.clear();
                less.processes[p].locations -= 1;
                found.push(less);
            }
        }
    }
}

fn switches(spec: &Spec, found: &mut Vec<Spec>) {
    for (p, process) in spec.processes.iter().enumerate() {
        for at in 0..process.switches.len() {
            let mut less = spec.clone();
            less.processes[p].switches.remove(at);
            found.push(less);
        }
        for (at, switch) in process.switches.iter().enumerate() {
            let mut simpler = Vec::new();
            simplify(spec, switch, &mut simpler);
            for switch in simpler {
                let mut less = spec.clone();
                less.processes[p].switches[at] = switch;
                found.push(less);
            }
        }
    }
}

fn simplify(spec: &Spec, switch: &Switch, found: &mut Vec<Switch>) {
    // The bound of a sequence that the system chooses stays.
    let bounded = !matches!(switch.label, Label::Input(_))
        && spec.params(&switch.label).iter().any(|s| matches!(s, Sort::Seq(_)));
    let keep = spec.params(&switch.label).iter().filter(|s| bounded && matches!(s, Sort::Seq(_))).count();
    match &switch.guard {
        Guard::Else => found.push(Switch { guard: Guard::All(Vec::new()), ..switch.clone() }),
        Guard::All(parts) => {
            for at in keep..parts.len() {
                let mut less = parts.clone();
                less.remove(at);
                found.push(Switch { guard: Guard::All(less), ..switch.clone() });
            }
            for at in keep..parts.len() {
                for simpler in simpler_terms(&parts[at]) {
                    let mut less = parts.clone();
                    less[at] = simpler;
                    found.push(Switch { guard: Guard::All(less), ..switch.clone() });
                }
            }
        }
    }
    for at in 0..switch.update.len() {
        let mut less = switch.clone();
        less.update.remove(at);
        found.push(less);
        for simpler in simpler_terms(&switch.update[at].1) {
            let mut less = switch.clone();
            less.update[at].1 = simpler;
            found.push(less);
        }
    }
    let in_label = |label: &Label| -> Vec<Term> {
        match label {
            Label::Output(_, carried) => carried
                .iter()
                .filter_map(|c| match c {
                    Carried::Term(t) => Some(t.clone()),
                    Carried::Any(_) => None,
                })
                .collect(),
            Label::Send(_, sent) => sent.clone(),
            _ => Vec::new(),
        }
    };
    for (at, term) in in_label(&switch.label).iter().enumerate() {
        for simpler in simpler_terms(term) {
            let mut less = switch.clone();
            *less.terms_mut()[at] = simpler;
            found.push(less);
        }
    }
    if switch.target != switch.source {
        found.push(Switch { target: switch.source, ..switch.clone() });
    }
}

/// Simpler terms of the same sort.
fn simpler_terms(term: &Term) -> Vec<Term> {
    let mut found = Vec::new();
    match term {
        Term::Compare(..) | Term::Is(..) | Term::Contains(..) | Term::Match(..) => {
            found.extend([Term::bool(true), Term::bool(false)]);
        }
        Term::And(a, b) | Term::Or(a, b) | Term::Implies(a, b) => {
            found.extend([Term::bool(true), Term::bool(false), (**a).clone(), (**b).clone()]);
        }
        Term::Not(a) => found.extend([Term::bool(true), Term::bool(false), (**a).clone()]),
        Term::Add(a, b) | Term::Sub(a, b) | Term::Mul(a, b) | Term::Div(a, b) | Term::Mod(a, b) => {
            found.extend([Term::int(0), Term::int(1), (**a).clone(), (**b).clone()]);
        }
        Term::If(_, a, b) => found.extend([(**a).clone(), (**b).clone()]),
        Term::Concat(a, b) => found.extend([(**a).clone(), (**b).clone()]),
        Term::Slice(a, ..) | Term::With(a, ..) => found.push((**a).clone()),
        _ => {}
    }
    let parts = term.parts().len();
    for at in 0..parts {
        for simpler in simpler_terms(term.parts()[at]) {
            let mut less = term.clone();
            *less.parts_mut()[at] = simpler;
            found.push(less);
        }
    }
    found
}

fn declarations(spec: &Spec, found: &mut Vec<Spec>) {
    for (p, process) in spec.processes.iter().enumerate() {
        for (v, variable) in process.variables.iter().enumerate() {
            let read = |t: &Term| t.has(&|t| *t == Term::Variable(v));
            let used = process.switches.iter().flat_map(Switch::terms).any(read)
                || process.switches.iter().any(|s| s.update.iter().any(|(to, _)| *to == v));
            if !used {
                let mut less = spec.clone();
                less.processes[p].variables.remove(v);
                for switch in &mut less.processes[p].switches {
                    switch.update.iter_mut().for_each(|(to, _)| *to -= usize::from(*to > v));
                    for term in switch.terms_mut() {
                        renumber(term, &|t| match t {
                            Term::Variable(n) if *n > v => *n -= 1,
                            _ => {}
                        });
                    }
                }
                found.push(less);
            }
            if variable.initial.is_none() {
                for value in Val::all(&variable.sort, spec).into_iter().take(4) {
                    let mut less = spec.clone();
                    less.processes[p].variables[v].initial = Some(value);
                    found.push(less);
                }
            }
        }
    }
    if let Some(t) = spec.types.len().checked_sub(1) {
        let mentions = |s: &Sort| match s {
            Sort::Data(n) => *n == t,
            Sort::Seq(item) => **item == Sort::Data(t),
            _ => false,
        };
        let gates = spec.inputs.iter().chain(&spec.outputs).chain(&spec.channels);
        let hidden = spec.switches().any(|s| matches!(&s.label, Label::Tau(c) if c.iter().any(mentions)));
        let used = gates.flat_map(|g| &g.params).any(mentions)
            || spec.processes.iter().flat_map(|p| &p.variables).any(|v| mentions(&v.sort))
            || hidden
            || spec.has(&|term| matches!(term, Term::Make(n, ..) if *n == t));
        if !used {
            let mut less = spec.clone();
            less.types.pop();
            found.push(less);
        }
    }
    if spec.switches().all(|s| !matches!(s.label, Label::Send(..) | Label::Receive(_))) && !spec.channels.is_empty() {
        let mut less = spec.clone();
        less.channels.clear();
        found.push(less);
    }
}

fn renumber(term: &mut Term, change: &dyn Fn(&mut Term)) {
    change(term);
    term.parts_mut().into_iter().for_each(|part| renumber(part, change));
}

/// Without a gate or a parameter that nothing uses.
fn gates(pair: &Pair, found: &mut Vec<Pair>) {
    let (spec, lines) = pair;
    for gate in 0..spec.outputs.len() {
        let used = spec.switches().any(|s| matches!(&s.label, Label::Output(g, _) if *g == gate))
            || lines.iter().any(|l| match l {
                Line::Output(event) => event.gate == gate,
                Line::Malformed(g) => *g == gate,
                _ => false,
            });
        if used || spec.outputs.len() == 1 {
            continue;
        }
        let (mut less, mut lines) = pair.clone();
        less.outputs.remove(gate);
        for switch in less.processes.iter_mut().flat_map(|p| &mut p.switches) {
            if let Label::Output(g, _) = &mut switch.label {
                *g -= usize::from(*g > gate);
            }
        }
        for line in &mut lines {
            match line {
                Line::Output(event) => event.gate -= usize::from(event.gate > gate),
                Line::Malformed(g) => *g -= usize::from(*g > gate),
                _ => {}
            }
        }
        found.push((less, lines));
    }
    for gate in 0..spec.inputs.len() {
        let used = spec.switches().any(|s| s.label == Label::Input(gate))
            || lines.iter().any(|l| matches!(l, Line::Input(event) if event.gate == gate));
        if used || spec.inputs.len() == 1 {
            continue;
        }
        let (mut less, mut lines) = pair.clone();
        less.inputs.remove(gate);
        for switch in less.processes.iter_mut().flat_map(|p| &mut p.switches) {
            if let Label::Input(g) = &mut switch.label {
                *g -= usize::from(*g > gate);
            }
        }
        for line in &mut lines {
            if let Line::Input(event) = line {
                event.gate -= usize::from(event.gate > gate);
            }
        }
        found.push((less, lines));
    }
    for gate in 0..spec.inputs.len() {
        for place in 0..spec.inputs[gate].params.len() {
            found.extend(without_input_param(pair, gate, place));
        }
    }
    for gate in 0..spec.outputs.len() {
        for place in 0..spec.outputs[gate].params.len() {
            found.extend(without_output_param(pair, gate, place));
        }
    }
}

fn without_param(switch: &mut Switch, param: usize) -> Option<()> {
    if switch.terms().into_iter().any(|t| t.has(&|t| *t == Term::Param(param))) {
        return None;
    }
    for term in switch.terms_mut() {
        renumber(term, &|t| match t {
            Term::Param(n) if *n > param => *n -= 1,
            _ => {}
        });
    }
    Some(())
}

fn without_input_param(pair: &Pair, gate: usize, place: usize) -> Option<Pair> {
    let (mut spec, mut lines) = pair.clone();
    spec.inputs[gate].params.remove(place);
    for switch in spec.processes.iter_mut().flat_map(|p| &mut p.switches) {
        if switch.label == Label::Input(gate) {
            without_param(switch, place)?;
        }
    }
    for line in &mut lines {
        if let Line::Input(event) = line
            && event.gate == gate
        {
            event.args.remove(place);
        }
    }
    Some((spec, lines))
}

fn without_output_param(pair: &Pair, gate: usize, place: usize) -> Option<Pair> {
    let (mut spec, mut lines) = pair.clone();
    if spec.outputs[gate].params.len() == 1 && lines.contains(&Line::Malformed(gate)) {
        return None;
    }
    spec.outputs[gate].params.remove(place);
    for switch in spec.processes.iter_mut().flat_map(|p| &mut p.switches) {
        let Label::Output(g, carried) = &mut switch.label else { continue };
        if *g != gate {
            continue;
        }
        if let Carried::Any(param) = carried.remove(place) {
            for carried in carried.iter_mut() {
                if let Carried::Any(p) = carried {
                    *p -= usize::from(*p > param);
                }
            }
            without_param(switch, param)?;
        }
    }
    for line in &mut lines {
        if let Line::Output(event) = line
            && event.gate == gate
        {
            event.args.remove(place);
        }
    }
    Some((spec, lines))
}
