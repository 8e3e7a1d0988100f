//! Internal steps against brute force: whether they can go on for ever, whether they decide what nobody sees, and what a
//! `delta` on a path stands for. On small random models, every state is visited and every value tried.

mod support;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fmt::Write;

use sioco_model::model::Label;
use sioco_model::semantics::{Interpreter, Quiescence, State};
use sioco_model::{Model, SwitchId, Value};
use sioco_solve::Reason;
use sioco_solve::values::Choice;
use sioco_symbolic::analysis::{Analysis, AnalysisOptions, Determinism, Kind, Status, What, analyze};
use sioco_symbolic::path::Possible;
use sioco_symbolic::{Path, Reach, Step, Stop, named_steps, reach_named};
use support::{Rng, builtin, initial_states, limits, model};

fn analysis(model: &Model) -> Analysis {
    analyze(model, &builtin, &AnalysisOptions { workers: 1, ..AnalysisOptions::default() }, &mut |_| {})
}

/// A model whose values stay in their ranges, with many internal steps.
fn random_text(rng: &mut Rng) -> String {
    let start = ["0", "any", "any"][rng.below(3)];
    let mut text = format!(
        "input i(p: Int in 0..2)\noutput o\nprocess P {{\n var x: Int in 0..2 = {start}\n var y: Int in 0..2 = 0\n"
    );
    let locations = 1 + rng.below(3);
    for l in 0..locations {
        let _ = writeln!(text, " {} l{l} {{", if l == 0 { "init" } else { "state" });
        for n in 0..1 + rng.below(3) {
            let (label, names): (&str, &[&str]) = match rng.below(6) {
                0 => ("?i(p)", &["x", "y", "p"]),
                1 => ("!o", &["x", "y"]),
                2 => ("tau any k: Int in 0..2", &["x", "y", "k"]),
                _ => ("tau", &["x", "y"]),
            };
            let name = |rng: &mut Rng| names[rng.below(names.len())];
            let guard = match rng.below(5) {
                0 => format!(" [{} == {}]", name(rng), name(rng)),
                1 => format!(" [{} > {}]", name(rng), rng.below(2)),
                2 => format!(" [{} == {}]", name(rng), rng.below(3)),
                3 => format!(" [{} < {} || y == {}]", name(rng), name(rng), rng.below(3)),
                _ => String::new(),
            };
            let var = ["x", "y"][rng.below(2)];
            let update = match rng.below(6) {
                0 => format!(" / {var} := {}", name(rng)),
                1 => format!(" / {var} := ({} + 1) mod 3", name(rng)),
                2 => format!(" / {var} := 2 - {}", name(rng)),
                3 => format!(" / {var} := min(2, {} + 1)", name(rng)),
                4 => format!(" / {var} := {}", rng.below(3)),
                _ => String::new(),
            };
            let _ = writeln!(text, "  s{l}_{n}: {label}{guard}{update} -> l{}", rng.below(locations));
        }
        text.push_str(" }\n");
    }
    text + "}\n"
}

/// Steps, by the values of their parameters and the state after them.
type Taken = Vec<(Vec<Value>, State)>;

/// All steps of one switch from a state, with their values.
fn steps_of(model: &Model, interpreter: &mut Interpreter<'_>, state: &State, switch: SwitchId) -> Taken {
    let open = model.switches[switch].params.len();
    let all = if open == 0 { vec![vec![]] } else { (0..3).map(|n| vec![Value::Int(n)]).collect() };
    let mut found = Vec::new();
    for args in all {
        let mut next = state.clone();
        if interpreter.fire(&mut next, switch, &args) == Ok(true) {
            found.push((args, next));
        }
    }
    found
}

/// Whether internal steps can go on for ever, and whether the model is deterministic.
fn brute_force(model: &Model) -> (bool, bool) {
    let mut interpreter = Interpreter::new(model);
    let mut open: Vec<State> = initial_states(model).into_iter().collect();
    let mut seen: HashSet<State> = open.iter().cloned().collect();
    let mut internal: HashMap<State, BTreeSet<State>> = HashMap::new();
    let mut deterministic = true;
    while let Some(state) = open.pop() {
        let mut enabled: Vec<(SwitchId, Taken)> = Vec::new();
        for &switch in &model.locations[state.locations()[0]].outgoing {
            let steps = steps_of(model, &mut interpreter, &state, switch);
            for (_, next) in &steps {
                if model.switches[switch].label == Label::Internal {
                    internal.entry(state.clone()).or_default().insert(next.clone());
                }
                if seen.insert(next.clone()) {
                    open.push(next.clone());
                }
            }
            if !steps.is_empty() {
                enabled.push((switch, steps));
            }
        }
        for (i, (s, steps)) in enabled.iter().enumerate() {
            let is_internal = model.switches[*s].label == Label::Internal;
            let states: BTreeSet<&State> = steps.iter().map(|(_, next)| next).collect();
            deterministic &= !is_internal || (enabled.len() == 1 && states.len() == 1);
            for (t, others) in &enabled[i + 1..] {
                let same = |(args, _): &(Vec<Value>, State)| others.iter().any(|(other, _)| other == args);
                deterministic &= model.switches[*s].label != model.switches[*t].label || !steps.iter().any(same);
            }
        }
    }
    // What has no successor left is taken away; what stays goes on for ever.
    loop {
        let left: HashSet<State> = internal.keys().cloned().collect();
        internal.values_mut().for_each(|next| next.retain(|s| left.contains(s)));
        let before = internal.len();
        internal.retain(|_, next| !next.is_empty());
        if internal.len() == before {
            return (before > 0, deterministic);
        }
    }
}

/// The round of a divergence that is shown can be taken again and again.
fn goes_round(model: &Model, analysis: &Analysis) {
    for f in analysis.findings.iter().filter(|f| f.kind == Kind::Divergence && f.status == Status::Shown) {
        let What::Divergence { cycle, endless: true, .. } = &f.what else { panic!("{f:?}") };
        let mut interpreter = Interpreter::new(model);
        let mut states = BTreeSet::from([f.witness.as_ref().and_then(|w| w.state.clone()).expect("a state")]);
        for step in cycle.iter().cycle().take(30 * cycle.len()) {
            let switch = step.switches().next().expect("a switch");
            let next = states.iter().flat_map(|s| steps_of(model, &mut interpreter, s, switch));
            let next: BTreeSet<State> = next.map(|(_, next)| next).collect();
            states = next;
        }
        assert!(!states.is_empty(), "{f:?}");
    }
}

#[test]
fn endless_steps_and_hidden_choices_agree_with_brute_force() {
    let mut seen: BTreeMap<(bool, bool), usize> = BTreeMap::new();
    let mut open = 0;
    for seed in 0..600 {
        let text = random_text(&mut Rng::new(seed));
        let model = model(&text);
        let found = analysis(&model);
        assert_eq!(found.exploration.stop, Stop::Complete, "{text}");
        let (diverges, deterministic) = brute_force(&model);
        let of = |shown: bool| {
            found.findings.iter().any(|f| f.kind == Kind::Divergence && (f.status == Status::Shown) == shown)
        };
        match (of(true), of(false)) {
            (false, true) => open += 1,
            (shown, _) => assert_eq!(shown, diverges, "seed {seed}: {text}"),
        }
        goes_round(&model, &found);
        match found.determinism {
            Some(Determinism::Proved) => assert!(deterministic, "seed {seed}: {text}"),
            Some(Determinism::No) => assert!(!deterministic, "seed {seed}: {text}"),
            _ => open += 1,
        }
        *seen.entry((diverges, deterministic)).or_default() += 1;
    }
    // All of it occurs, and little is left open without any other solver.
    assert!(seen.len() == 4 && seen.values().all(|n| *n > 10), "{seen:?}");
    assert!(open <= 6, "{open} of {seen:?}");
}

#[test]
fn silence_on_paths_agrees_with_brute_force() {
    let (mut reachable, mut impossible, mut open, mut diverging) = (0, 0, 0, 0);
    for seed in 0..600 {
        let mut rng = Rng::new(seed);
        let text = random_text(&mut rng);
        let model = model(&text);
        let mut interpreter = Interpreter::new(&model);
        let mut path = Path::with(&model, &builtin, Default::default(), limits());
        for _ in 0..6 {
            let (mut states, mut steps) = (initial_states(&model), Vec::new());
            let mut location = model.processes.values().next().expect("a process").initial;
            let mut round = false;
            for _ in 0..2 + rng.below(3) {
                let outgoing = &model.locations[location].outgoing;
                if rng.below(2) == 0 {
                    steps.push(Step::Delta);
                    states.retain(|s| match interpreter.quiescence(s) {
                        Ok(Quiescence::Quiescent) => true,
                        Ok(Quiescence::Diverging) => {
                            round = true;
                            true
                        }
                        _ => false,
                    });
                } else {
                    let switch = outgoing[rng.below(outgoing.len())];
                    steps.push(Step::Switch(switch));
                    let next = states.iter().flat_map(|s| steps_of(&model, &mut interpreter, s, switch));
                    let next: BTreeSet<State> = next.map(|(_, next)| next).collect();
                    states = next;
                    location = model.switches[switch].target;
                }
            }
            match reach_named(&mut path, &steps, Choice::Min) {
                Reach::Reachable(_) => {
                    assert!(!states.is_empty(), "seed {seed}, {steps:?}: {text}");
                    assert_eq!(path.len(), steps.len());
                    reachable += 1;
                    diverging += usize::from(round);
                }
                Reach::Impossible { .. } => {
                    assert!(states.is_empty(), "seed {seed}, {steps:?}: {text}");
                    impossible += 1;
                }
                Reach::Unknown { .. } => open += 1,
            }
        }
    }
    assert!(reachable > 500 && impossible > 500 && diverging > 100, "{reachable}, {impossible}, {diverging}");
    assert!(open < 300, "{open} besides {reachable}, {impossible}, {diverging}");
}

/// A `delta` before an internal step: the state is not quiescent, but its internal steps may go on for ever.
#[test]
fn delta_stands_for_silence_of_either_kind() {
    let text = |range: &str| {
        format!(
            "output o\nprocess P {{\n var x: Int{range} = any\n init l {{\n a: tau [x == 1] -> l\n \
             b: tau [x == 2] -> end\n }}\n state end {{ c: !o -> end }}\n}}"
        )
    };
    let (few, many) = (model(&text(" in 0..2")), model(&text("")));
    let at = |m: &Model, names: &[&str]| {
        let steps = named_steps(m, names).expect("a path");
        let mut path = Path::with(m, &builtin, Default::default(), limits());
        let found = reach_named(&mut path, &steps, Choice::Min);
        if let Reach::Reachable(solved) = &found {
            assert_eq!(solved.steps.len(), steps.len());
        }
        let at = match found {
            Reach::Impossible { at, .. } => Some(at),
            _ => None,
        };
        // Where the path is afterwards.
        assert_eq!(path.len(), at.unwrap_or(steps.len()));
        found
    };
    for m in [&few, &many] {
        assert!(matches!(at(m, &["delta"]), Reach::Reachable(_)));
        assert!(matches!(at(m, &["delta", "a"]), Reach::Reachable(_)));
        assert!(matches!(at(m, &["delta", "delta", "a", "delta", "a"]), Reach::Reachable(_)));
        assert!(matches!(at(m, &["b", "delta"]), Reach::Impossible { at: 1, .. }));
    }
    // No round goes over `b`: the only one asks that `x` is 1.
    for m in [&few, &many] {
        assert!(matches!(at(m, &["delta", "b"]), Reach::Impossible { .. }));
    }
    // A round that changes a value, and comes back to it later, is followed for some steps.
    let changing = |guard: &str, update: &str| {
        model(&format!(
            "output o\nprocess P {{\n var x: Int = any\n init l {{\n a: tau [{guard}] / x := {update} -> l\n \
             b: tau [x == 2] -> end\n c: tau [x == 5] -> end\n }}\n state end {{ d: !o -> end }}\n}}"
        ))
    };
    let short = changing("5 <= x <= 6", "11 - x");
    assert!(matches!(at(&short, &["delta", "b"]), Reach::Impossible { .. }));
    assert!(matches!(at(&short, &["delta", "c"]), Reach::Reachable(_)));
    // From 100 it takes too many steps.
    let long = changing("true", "if x > 5 then x - 1 else x + 1");
    let Reach::Unknown { reason, .. } = at(&long, &["delta", "b"]) else { panic!("decided") };
    assert_eq!(reason, Reason::Divergence);
    assert!(matches!(at(&long, &["delta", "c"]), Reach::Reachable(_)));
}

/// A step with hidden values is a choice where they lead to different states, and only there.
#[test]
fn hidden_values_are_internal_choices() {
    let of = |switches: &str| {
        let text = format!(
            "input i\noutput a\noutput b\nprocess P {{\n var x: Int in 0..1 = 0\n init l0 {{ {switches} }}\n \
             state l1 {{ ?i -> l2 }}\n state l2 {{ !a [x == 0] -> l1  !b [x == 1] -> l1 }}\n}}"
        );
        let found = analysis(&model(&text));
        (found.determinism, found.internal_choices)
    };
    assert_eq!(of("h: tau any k: Int in 0..1 / x := k -> l1"), (Some(Determinism::No), 1));
    assert_eq!(of("h: tau any k: Int / x := if k > 7 then 1 else 0 -> l1"), (Some(Determinism::No), 1));
    // One value, the same new value for all, or none that depends on it.
    assert_eq!(of("h: tau any k: Int in 0..1 [k == 1] / x := k -> l1"), (Some(Determinism::Proved), 0));
    assert_eq!(of("h: tau any k: Int in 0..1 [k > x] / x := k -> l1"), (Some(Determinism::Proved), 0));
    assert_eq!(of("h: tau any k: Int in 0..1 / x := k - k -> l1"), (Some(Determinism::Proved), 0));
    assert_eq!(of("h: tau any k: Int in 0..1 / x := 1 -> l1"), (Some(Determinism::Proved), 0));
    // What is observed is not hidden.
    let shown = "output o(n: Int in 0..1)\nprocess P { var x: Int in 0..1 = 0\n init l { !o(any n) / x := n -> l } }";
    assert_eq!(analysis(&model(shown)).determinism, Some(Determinism::Proved));
}

/// A round may end where it is first found and go on for ever elsewhere; or show only when it is followed far enough.
#[test]
fn every_round_is_tried_where_it_is() {
    let divergences = |text: &str| -> Vec<(Status, bool)> {
        let found = analysis(&model(text));
        assert_eq!(found.exploration.stop, Stop::Complete);
        let of = found.findings.into_iter().filter(|f| f.kind == Kind::Divergence);
        of.map(|f| (f.status, matches!(f.what, What::Divergence { endless: true, .. }))).collect()
    };
    let elsewhere = "output o\nprocess P { var y: Int in 0..1 = 0\n var x: Int in 0..2 = any\n \
                     init l { a: tau [x == y] / x := 1 -> l\n b: !o [y == 0] / y := 1 -> l } }";
    assert_eq!(divergences(elsewhere), [(Status::Shown, true)]);
    // Seven times around until the value comes back.
    let slow =
        "output o\nprocess P { var x: Int in 0..6 = any\n init l { a: tau [x != 9] / x := (x + 3) mod 7 -> l } }";
    assert_eq!(divergences(slow), [(Status::Shown, true)]);
    // It ends, and that is proved by following it.
    let ends =
        "output o\nprocess P { var x: Int in 0..20 = any\n init l { a: tau [x > 0] / x := x - 1 -> l\n !o -> l } }";
    assert_eq!(divergences(ends), []);
    // It goes on, with other values each time: nobody knows, and that is told.
    let grows = "output o\nprocess P { var x: Int = any\n init l { a: tau any k: Int [k > x] / x := k -> l } }";
    assert!(matches!(divergences(grows)[..], [(Status::Bounded | Status::Undecided(_), false)]));
}

/// `else` asks whether another switch is possible for any values. Where these can be eliminated, nobody has to try them.
#[test]
fn else_is_decided_without_its_quantifier() {
    for (guard, possible) in [
        ("t == \"\" || v < -1", Possible::No),
        ("t == \"\" || contains(s, \"b\") && v < -1", Possible::No),
        ("t == s && v > 3", Possible::Yes),
        ("n > v && n < v + 2", Possible::No),
        ("n > v && n < v + 1", Possible::Yes),
    ] {
        let model = model(&format!(
            "output o\nprocess P {{\n  var v: Int = any\n  init l0 {{\n    \
             tau any t: String, any s: String, any n: Int [{guard}] -> l0\n    otherwise: tau [else] -> l0\n  }}\n}}\n"
        ));
        let otherwise = model.switches.iter().find(|(_, s)| s.name == "otherwise").expect("it has one").0;
        let mut path = Path::with(&model, &builtin, Default::default(), limits());
        assert_eq!(path.probe(Step::Switch(otherwise)), possible, "{guard}");
    }
}
