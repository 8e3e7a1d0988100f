//! Random specifications, small ones with everything in them: overlapping guards, internal steps and cycles, silence,
//! values that the system chooses, free variables, `else`, processes that talk to each other.

use super::rng::Rng;
use super::spec::*;

/// What a term or guard may be about: the variables of its process, and the parameter of its switch.
struct Scope {
    variables: Vec<Range>,
    param: Option<Range>,
}

impl Scope {
    fn of(spec: &Spec, process: usize, label: &Label) -> Scope {
        let variables = spec.processes[process].variables.iter().map(|v| v.range).collect();
        Scope { variables, param: spec.param(label) }
    }
}

/// The specification of a seed.
pub fn spec(rng: &mut Rng) -> Spec {
    some_spec(rng, false)
}

/// The same with much to believe at once, and mostly with an end: the first variable is free with twelve values, each a
/// hypothesis of its own, and systems may close.
pub fn spec_with_many_hypotheses(rng: &mut Rng) -> Spec {
    some_spec(rng, true)
}

fn some_spec(rng: &mut Rng, many: bool) -> Spec {
    let gates = |rng: &mut Rng, names: &[&str]| -> Vec<Gate> {
        let gate = |name: &&str, rng: &mut Rng| Gate {
            name: (*name).into(),
            param: if rng.chance(55) { Some(range(rng)) } else { None },
        };
        names.iter().map(|name| gate(name, rng)).collect()
    };
    let inputs = 1 + rng.below(2);
    let outputs = 1 + rng.below(3);
    let mut spec = Spec {
        inputs: gates(rng, &["a", "b"][..inputs]),
        outputs: gates(rng, &["u", "v", "w"][..outputs]),
        channel: range(rng),
        processes: Vec::new(),
    };
    if many && rng.chance(80) {
        spec.outputs.push(Gate { name: CLOSED.into(), param: None });
    }
    let processes = if rng.chance(20) { 2 } else { 1 };
    for process in 0..processes {
        let most = if processes == 1 { 2 } else { 1 };
        let first = many && process == 0;
        let count = rng.below(most + 1).max(usize::from(first));
        let variables = (0..count).map(|v| {
            let range = range(rng);
            match rng.below(100) {
                _ if first && v == 0 => Variable { range: (0, 11), initial: None },
                // More values than the engine follows one by one.
                0..3 => Variable { range: (0, 99), initial: None },
                3..15 => Variable { range, initial: None },
                _ => Variable { range, initial: Some(rng.between(range.0, range.1)) },
            }
        });
        let variables = variables.collect();
        let locations = 2 + rng.below(if processes == 1 { 3 } else { 2 });
        spec.processes.push(Process { locations, variables, switches: Vec::new() });
    }
    let sender = rng.below(2);
    for process in 0..processes {
        for source in 0..spec.processes[process].locations {
            let counts: &[usize] = if source == 0 { &[1, 2, 2, 3, 3] } else { &[0, 1, 1, 2, 2, 2, 2, 3, 3, 4] };
            for i in 0..*rng.pick(counts) {
                // A channel needs both ends.
                let channel = processes > 1 && ((source == 0 && i == 0) || rng.chance(20));
                let label = match channel {
                    true if process == sender => {
                        Label::Send(term(rng, &Scope::of(&spec, process, &Label::Tau(None)), spec.channel))
                    }
                    true => Label::Receive,
                    false => label(rng, &spec, process),
                };
                let switch = switch(rng, &spec, process, source, label);
                spec.processes[process].switches.push(switch);
            }
        }
        if rng.chance(15) {
            internal_cycle(rng, &mut spec, process);
        }
    }
    spec
}

fn range(rng: &mut Rng) -> Range {
    *rng.pick(&[(0, 1), (0, 2), (0, 2), (1, 3), (-1, 1), (1, 2)])
}

fn internal_cycle(rng: &mut Rng, spec: &mut Spec, process: usize) {
    let length = 1 + rng.below(spec.processes[process].locations);
    for source in 0..length {
        let mut new = switch(rng, spec, process, source, Label::Tau(None));
        new.target = (source + 1) % length;
        if rng.chance(70) {
            new.update.clear();
        }
        spec.processes[process].switches.push(new);
    }
}

fn label(rng: &mut Rng, spec: &Spec, process: usize) -> Label {
    match rng.below(10) {
        0..=3 => Label::Input(rng.below(spec.inputs.len())),
        4..=7 => output(rng, spec, process),
        8 => Label::Tau(None),
        _ => Label::Tau(if rng.chance(50) { Some(range(rng)) } else { None }),
    }
}

/// An output with something to carry.
pub fn output(rng: &mut Rng, spec: &Spec, process: usize) -> Label {
    let gate = rng.below(spec.outputs.len());
    let carried = match spec.outputs[gate].param {
        None => Carried::Nothing,
        Some(_) if rng.chance(35) => Carried::Any,
        Some(range) => Carried::Term(term(rng, &Scope::of(spec, process, &Label::Tau(None)), range)),
    };
    Label::Output(gate, carried)
}

/// A switch with this label.
pub fn switch(rng: &mut Rng, spec: &Spec, process: usize, source: usize, label: Label) -> Switch {
    let guard = guard(rng, spec, process, source, &label);
    let update = update(rng, spec, process, &label);
    let locations = spec.processes[process].locations;
    let target = if rng.chance(40) { (source + 1) % locations } else { rng.below(locations) };
    Switch { source, label, guard, update, target }
}

/// A guard for a switch with this label.
pub fn guard(rng: &mut Rng, spec: &Spec, process: usize, source: usize, label: &Label) -> Cond {
    let scope = Scope::of(spec, process, label);
    let here = || spec.processes[process].switches.iter().filter(|s| s.source == source);
    // One `else` for each input, and one for outputs and internal steps: two would wait for each other.
    let may_be_else = match label {
        Label::Input(g) => !here().any(|s| s.label == Label::Input(*g) && s.guard == Cond::Else),
        Label::Output(..) | Label::Tau(_) => {
            !here().any(|s| matches!(s.label, Label::Output(..) | Label::Tau(_)) && s.guard == Cond::Else)
        }
        _ => false,
    };
    if may_be_else && rng.chance(8) {
        return Cond::Else;
    }
    let plain = scope.param.is_none() && scope.variables.is_empty();
    if plain || rng.chance(40) { Cond::True } else { condition(rng, &scope, 2) }
}

/// New values for some of the variables.
pub fn update(rng: &mut Rng, spec: &Spec, process: usize, label: &Label) -> Vec<(usize, Expr)> {
    let scope = Scope::of(spec, process, label);
    let mut update = Vec::new();
    for (v, variable) in spec.processes[process].variables.iter().enumerate() {
        if rng.chance(50) {
            update.push((v, term(rng, &scope, variable.range)));
        }
    }
    update
}

/// A term that stays in a range.
fn term(rng: &mut Rng, scope: &Scope, range: Range) -> Expr {
    let fits = |r: &Range| range.0 <= r.0 && r.1 <= range.1;
    let mut plain: Vec<Expr> = vec![Expr::Const(rng.between(range.0, range.1))];
    plain.extend((0..scope.variables.len()).filter(|v| fits(&scope.variables[*v])).map(Expr::Var));
    plain.extend(scope.param.filter(fits).map(|_| Expr::Param));
    if rng.chance(50) {
        return rng.pick(&plain).clone();
    }
    if rng.chance(15) {
        let (a, b) = (rng.pick(&plain).clone(), rng.pick(&plain).clone());
        return Expr::If(Box::new(condition(rng, scope, 1)), Box::new(a), Box::new(b));
    }
    let rest = Expr::Mod(Box::new(any_term(rng, scope, 2)), range.1 - range.0 + 1);
    match range.0 {
        0 => rest,
        low => Expr::Add(Box::new(Expr::Const(low)), Box::new(rest)),
    }
}

/// Any term.
fn any_term(rng: &mut Rng, scope: &Scope, depth: usize) -> Expr {
    let mut leaves: Vec<Expr> = vec![Expr::Const(rng.between(-1, 3))];
    for v in 0..scope.variables.len() {
        leaves.extend([Expr::Var(v), Expr::Var(v)]);
    }
    if scope.param.is_some() {
        leaves.extend([Expr::Param, Expr::Param, Expr::Param]);
    }
    if depth == 0 || rng.chance(40) {
        return rng.pick(&leaves).clone();
    }
    let (a, b) = (Box::new(any_term(rng, scope, depth - 1)), Box::new(any_term(rng, scope, depth - 1)));
    if rng.chance(60) { Expr::Add(a, b) } else { Expr::Sub(a, b) }
}

fn condition(rng: &mut Rng, scope: &Scope, depth: usize) -> Cond {
    if depth > 0 && rng.chance(35) {
        let (a, b) = (Box::new(condition(rng, scope, depth - 1)), Box::new(condition(rng, scope, depth - 1)));
        return match rng.below(3) {
            0 => Cond::And(a, b),
            1 => Cond::Or(a, b),
            _ => Cond::Not(a),
        };
    }
    let how = *rng.pick(&[Compare::Equal, Compare::Different, Compare::Less, Compare::LessOrEqual]);
    Cond::Compare(how, any_term(rng, scope, 1), any_term(rng, scope, 1))
}
