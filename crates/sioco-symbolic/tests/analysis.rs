//! The analyses against brute force: on small random models, every state is visited and every value tried, and both
//! must agree on what is found.

use std::collections::{BTreeSet, HashSet};

use sioco_lang::check_text;
use sioco_model::model::{Direction, Label};
use sioco_model::semantics::{Interpreter, State, StepError};
use sioco_model::{Id, Model, SwitchId, Value};
use sioco_solve::back_end::BackEnd;
use sioco_solve::values::Bounds;
use sioco_symbolic::analysis::{Analysis, AnalysisOptions, Determinism, Kind, Reached, Status, What, analyze};
use sioco_symbolic::{Stop, analysis::witness::replay};

struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % n
    }

    fn of<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len() as u64) as usize]
    }
}

/// A model with small ranges, so that all states can be visited.
fn random_model(seed: u64) -> String {
    let mut r = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let mut text = String::from(
        "input a(p: Int in 0..3)\ninput b\noutput o(q: Int)\noutput k\nprocess P {\n  var x: Int in 0..4 = 0\n  var y: Int in 0..2 = 1\n",
    );
    let locations = 2 + r.below(3);
    for l in 0..locations {
        text.push_str(&format!("  {} l{l} {{\n", if l == 0 { "init" } else { r.of(&["state", "state", "final"]) }));
        for n in 0..1 + r.below(3) {
            let (label, names): (&str, &[&str]) = match r.below(6) {
                0 | 1 => ("?a(p)", &["x", "y", "p"]),
                2 => ("?b", &["x", "y"]),
                3 => ("!o(x)", &["x", "y"]),
                4 => ("!o(any q)", &["x", "y", "q"]),
                _ => (r.of(&["!k", "tau"]), &["x", "y"]),
            };
            let mut guards = Vec::new();
            if label == "!o(any q)" {
                guards.push("0 <= q && q <= 5".to_owned());
            }
            for _ in 0..r.below(3) {
                let (one, other) = (r.of(names), r.of(names));
                let c = r.below(4);
                guards.push(match r.below(5) {
                    0 => format!("{one} > {c}"),
                    1 => format!("{one} <= {other}"),
                    2 => format!("({one} == {c} || {other} < {c})"),
                    3 => format!("{one} != {other}"),
                    _ => format!("{one} mod ({other} + {}) == {}", r.below(2), c % 2),
                });
            }
            let guard = if guards.is_empty() { String::new() } else { format!(" [{}]", guards.join(" && ")) };
            let update = match r.below(4) {
                0 => format!(" / x := {} + {}", r.of(names), r.below(2)),
                1 => format!(" / y := {}", r.of(&["0", "2 - y", "1"])),
                2 => " / x := x - 1".to_owned(),
                _ => String::new(),
            };
            text.push_str(&format!("    s{l}_{n}: {label}{guard}{update} -> l{}\n", r.below(locations)));
        }
        text.push_str("  }\n");
    }
    text + "}\n"
}

/// What there is to find.
#[derive(PartialEq, Eq, Debug, Default)]
struct Found {
    taken: BTreeSet<SwitchId>,
    dead: BTreeSet<usize>,
    overlaps: BTreeSet<(SwitchId, SwitchId)>,
    errors: BTreeSet<(SwitchId, String)>,
    gaps: BTreeSet<(usize, usize)>,
}

fn values(model: &Model, switch: SwitchId) -> Vec<Vec<Value>> {
    match model.switches[switch].label {
        Label::Gate(g) if model.gates[g].params.is_empty() => vec![vec![]],
        Label::Gate(g) if model.gates[g].direction == Direction::Input => (0..4).map(|n| vec![Value::Int(n)]).collect(),
        Label::Gate(_) => (-1..12).map(|n| vec![Value::Int(n)]).collect(),
        _ => vec![vec![]],
    }
}

fn brute_force(model: &Model) -> Found {
    let mut interpreter = Interpreter::new(model);
    let mut found = Found::default();
    let start = interpreter.initial_default();
    let mut seen: HashSet<State> = HashSet::from([start.clone()]);
    let mut open = vec![start];
    while let Some(state) = open.pop() {
        let here = state.locations()[0];
        let mut moves = false;
        let mut events: Vec<(SwitchId, Vec<Value>)> = Vec::new();
        for &switch in &model.locations[here].outgoing {
            for args in values(model, switch) {
                // A guard that is undefined is a model error, and no deadlock.
                moves |= interpreter.enabled(&state, switch, &args) != Ok(false);
                let mut next = state.clone();
                match interpreter.fire(&mut next, switch, &args) {
                    Ok(true) => {
                        found.taken.insert(switch);
                        events.push((switch, args));
                        if seen.insert(next.clone()) {
                            open.push(next);
                        }
                    }
                    Ok(false) => {}
                    Err(StepError::Undefined { part, .. }) => {
                        found.errors.insert((switch, format!("{part:?}")));
                    }
                    Err(e) => panic!("{e}"),
                }
            }
        }
        if !moves && !model.locations[here].is_final {
            found.dead.insert(here.index());
        }
        for (i, (s, args)) in events.iter().enumerate() {
            for (t, others) in &events[i + 1..] {
                let gate = matches!(model.switches[*s].label, Label::Gate(_));
                if s != t && gate && model.switches[*s].label == model.switches[*t].label && args == others {
                    found.overlaps.insert((*s, *t));
                }
            }
        }
        for (gate, g) in model.gates.iter().filter(|(_, g)| g.direction == Direction::Input) {
            let of_gate: Vec<SwitchId> = (model.locations[here].outgoing.iter().copied())
                .filter(|s| model.switches[*s].label == Label::Gate(gate))
                .collect();
            let all = if g.params.is_empty() { vec![vec![]] } else { (0..4).map(|n| vec![Value::Int(n)]).collect() };
            // A guard that is undefined is a model error, and no gap.
            let mut covered =
                |args: &Vec<Value>| of_gate.iter().any(|s| interpreter.enabled(&state, *s, args) != Ok(false));
            if !of_gate.is_empty() && !all.iter().all(&mut covered) {
                found.gaps.insert((here.index(), gate.index()));
            }
        }
    }
    found
}

/// What was found, and what was left open.
fn symbolic(model: &Model, analysis: &Analysis) -> (Found, Found) {
    let (mut found, mut open) = (Found::default(), Found::default());
    for (s, reached) in model.switches.ids().zip(&analysis.switches) {
        match reached {
            Reached::Taken(_) => drop(found.taken.insert(s)),
            Reached::Unknown(_) => drop(open.taken.insert(s)),
            other => assert_eq!(*other, Reached::Never),
        }
    }
    for f in &analysis.findings {
        let undecided = matches!(f.status, Status::Undecided(_));
        let to = if undecided { &mut open } else { &mut found };
        if let Some(witness) = f.witness.as_ref().filter(|_| !undecided) {
            // The interpreter gets there, too.
            assert!(witness.state.is_some() && witness.state == replay(model, &witness.path), "{f:?}");
        }
        match &f.what {
            What::Deadlock { locations } => drop(to.dead.insert(locations[0].index())),
            What::Overlap { first, second } => drop(to.overlaps.insert((*first, *second))),
            What::Undefined { switch, part, .. } => drop(to.errors.insert((*switch, format!("{part:?}")))),
            What::InputGap { locations, gate, .. } => drop(to.gaps.insert((locations[0].index(), gate.index()))),
            _ => {}
        }
    }
    (found, open)
}

/// What was found is there, and what is there was found or left open; gives how much was left open.
fn agree<T: Ord + std::fmt::Debug>(there: &BTreeSet<T>, found: &BTreeSet<T>, open: &BTreeSet<T>, text: &str) -> usize {
    assert!(found.is_subset(there), "found {found:?}, there is {there:?}:\n{text}");
    let lost: Vec<&T> = there.iter().filter(|t| !found.contains(t) && !open.contains(t)).collect();
    assert!(lost.is_empty(), "lost {lost:?}:\n{text}");
    open.difference(found).count()
}

fn builtin() -> Box<dyn Bounds> {
    Box::new(BackEnd::BuiltIn.chain())
}

#[test]
fn analyses_agree_with_brute_force() {
    let mut kinds = [0; 5];
    let mut open = 0;
    for seed in 0..500 {
        let text = random_model(seed);
        let checked = check_text("m.sts", &text);
        let Some(model) = checked.model else { panic!("{text}\n{:?}", checked.diagnostics) };
        let model = model.model;
        let options = AnalysisOptions { workers: 1, ..AnalysisOptions::default() };
        let analysis = analyze(&model, &builtin, &options, &mut |_| {});
        assert_eq!(analysis.exploration.stop, Stop::Complete, "{text}");
        let (there, (found, left)) = (brute_force(&model), symbolic(&model, &analysis));
        open += agree(&there.taken, &found.taken, &left.taken, &text)
            + agree(&there.dead, &found.dead, &left.dead, &text)
            + agree(&there.overlaps, &found.overlaps, &left.overlaps, &text)
            + agree(&there.errors, &found.errors, &left.errors, &text)
            + agree(&there.gaps, &found.gaps, &left.gaps, &text);
        if !found.overlaps.is_empty() {
            assert_eq!(analysis.determinism, Some(Determinism::No), "{text}");
        }
        let sizes = [
            model.switches.len() - found.taken.len(),
            found.dead.len(),
            found.overlaps.len(),
            found.errors.len(),
            found.gaps.len(),
        ];
        kinds.iter_mut().zip(sizes).for_each(|(k, n)| *k += usize::from(n > 0));
    }
    // All of it occurs, or this shows nothing; and little is left open, even without any other solver.
    assert!(kinds.iter().all(|n| *n > 20), "{kinds:?}");
    assert!(open < 20, "{open} of {kinds:?}");
}

#[test]
fn only_what_is_asked_for_is_looked_for() {
    let text = random_model(3);
    let model = check_text("m.sts", &text).model.expect("a model").model;
    for kind in Kind::ALL {
        let options = AnalysisOptions { kinds: vec![kind], ..AnalysisOptions::default() };
        let analysis = analyze(&model, &builtin, &options, &mut |_| {});
        assert!(analysis.findings.iter().all(|f| f.kind == kind), "{kind}");
    }
}

/// Two processes that share a gate and a channel; new values are always inside the ranges.
fn random_system(seed: u64) -> String {
    let mut r = Random(seed.wrapping_mul(0xd134_2543_de82_ef95) | 1);
    let mut text = String::from("input a(p: Int in 0..3)\noutput k\nchannel c(n: Int in 0..3)\n");
    for (process, way) in [("A", "send"), ("B", "recv")] {
        let start = r.of(&["= 0", "= 2", "= any"]);
        text.push_str(&format!("process {process} {{\n  var x: Int in 0..3 {start}\n"));
        let locations = 2 + r.below(2);
        for l in 0..locations {
            text.push_str(&format!("  {} l{l} {{\n", if l == 0 { "init" } else { r.of(&["state", "state", "final"]) }));
            for n in 0..1 + r.below(2) {
                let (label, names): (String, &[&str]) = match (r.below(5), way) {
                    (0, _) => ("?a(p)".into(), &["x", "p"]),
                    (1, _) => ("!k".into(), &["x"]),
                    (2, _) => ("tau".into(), &["x"]),
                    (_, "send") => (format!("send c({})", r.of(&["x", "1", "3 - x"])), &["x"]),
                    _ => ("recv c(n)".into(), &["x", "n"]),
                };
                let guard = match r.below(3) {
                    0 => format!(" [{} > {}]", r.of(names), r.below(3)),
                    1 => format!(" [{} <= {} || x == {}]", r.of(names), r.of(names), r.below(4)),
                    _ => String::new(),
                };
                let update = match r.below(3) {
                    0 => String::new(),
                    _ => format!(" / x := {}", r.of(&[names[names.len() - 1], "3 - x", "1"])),
                };
                text.push_str(&format!("    s{l}_{n}: {label}{guard}{update} -> l{}\n", r.below(locations)));
            }
            text.push_str("  }\n");
        }
        text.push_str("}\n");
    }
    text + "system S = A || B\n"
}

#[test]
fn systems_agree_with_brute_force() {
    let (mut looked_at, mut dead_ones, mut open) = (0, 0, 0);
    for seed in 0..400 {
        let text = random_system(seed);
        // Some have a channel with one end: that is an error.
        let Some(model) = check_text("m.sts", &text).model else { continue };
        let model = model.model;
        let analysis =
            analyze(&model, &builtin, &AnalysisOptions { workers: 1, ..AnalysisOptions::default() }, &mut |_| {});
        assert_eq!(analysis.exploration.stop, Stop::Complete, "{text}");
        let (mut taken, mut dead, mut overlaps) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
        let mut interpreter = Interpreter::new(&model);
        let free = model.free_variables().count() as u32;
        let mut open_states: Vec<State> = (0..4i64.pow(free))
            .map(|n| {
                let mut rest = n;
                interpreter.initial(&mut |_| Value::Int(std::mem::replace(&mut rest, n / 4) % 4))
            })
            .collect();
        let mut seen: HashSet<State> = open_states.iter().cloned().collect();
        while let Some(state) = open_states.pop() {
            if interpreter.is_deadlock(&state).expect("no model errors") == Some(true) {
                dead.insert(state.locations().to_vec());
            }
            let mut events: Vec<(SwitchId, Vec<Value>)> = Vec::new();
            let mut next_states = Vec::new();
            for &switch in state.locations().iter().flat_map(|l| &model.locations[*l].outgoing) {
                if matches!(model.switches[switch].label, Label::Send(_) | Label::Receive(_)) {
                    continue;
                }
                for args in values(&model, switch) {
                    let mut next = state.clone();
                    if interpreter.fire(&mut next, switch, &args) == Ok(true) {
                        taken.insert(switch);
                        events.push((switch, args));
                        next_states.push(next);
                    }
                }
            }
            for (step, next) in interpreter.handshake_steps(&state).expect("no model errors") {
                taken.extend([Some(step.switch), step.receive].into_iter().flatten());
                next_states.push(next);
            }
            for (i, (s, args)) in events.iter().enumerate() {
                for (t, others) in &events[i + 1..] {
                    let label = model.switches[*s].label;
                    if s != t && label != Label::Internal && label == model.switches[*t].label && args == others {
                        overlaps.insert((*s, *t));
                    }
                }
            }
            open_states.extend(next_states.into_iter().filter(|next| seen.insert(next.clone())));
        }
        let (found, left) = symbolic(&model, &analysis);
        let of = |undecided: bool| -> BTreeSet<_> {
            let is = |s: &Status| matches!(s, Status::Undecided(_)) == undecided;
            let findings = analysis.findings.iter().filter(|f| f.kind == Kind::Deadlock && is(&f.status));
            findings.map(|f| f.locations().to_vec()).collect()
        };
        open += agree(&taken, &found.taken, &left.taken, &text)
            + agree(&dead, &of(false), &of(true), &text)
            + agree(&overlaps, &found.overlaps, &left.overlaps, &text);
        looked_at += 1;
        dead_ones += usize::from(!dead.is_empty());
    }
    assert!(looked_at > 150 && dead_ones > 20, "{looked_at} {dead_ones}");
    assert!(open < 20, "{open}");
}
