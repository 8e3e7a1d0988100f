//! The conditions that keep a path from being taken, as they are shown: no values make all of them true.

mod support;

use std::fmt::Write;

use sioco_model::semantics::Interpreter;
use sioco_solve::values::Choice;
use sioco_symbolic::{Path, Reach, Step, reach};
use support::{Rng, builtin, initial_states, limits, model};

/// A value over these names that is too large to be written out on a path, and may leave its range.
fn term(rng: &mut Rng, names: &[&str], depth: usize) -> String {
    let name = names[rng.below(names.len())].to_owned();
    if depth == 0 || rng.below(5) == 0 {
        return if rng.below(4) == 0 { (rng.below(6) as i64 - 2).to_string() } else { name };
    }
    let (a, b) = (term(rng, names, depth - 1), term(rng, names, depth - 1));
    match rng.below(8) {
        0 => format!("max({a}, {b})"),
        1 => format!("min({a}, {b})"),
        2 => format!("abs({a})"),
        3 => format!("(({a}) mod {})", 2 + rng.below(2)),
        4 => format!("(if {a} < {b} then {name} else {a})"),
        5 => format!("(({a}) * (-1))"),
        6 => format!("(({a}) - ({b}))"),
        _ => format!("(({a}) + ({b}))"),
    }
}

/// A model that is one path.
fn random_path(rng: &mut Rng) -> String {
    let mut text = String::from(
        "input i(p: Int in 0..2)\noutput o\nprocess P {\n var x: Int in 0..3 = any\n var y: Int in -2..2 = any\n",
    );
    let steps = 2 + rng.below(2);
    for l in 0..steps {
        let (label, names): (&str, &[&str]) = match rng.below(3) {
            0 => ("?i(p)", &["x", "y", "p"]),
            _ => ("!o", &["x", "y"]),
        };
        let op = ["<", "<=", "==", ">", "!="][rng.below(5)];
        let guard = format!("{} {op} {}", term(rng, names, 1), term(rng, names, 1));
        let var = ["x", "y"][rng.below(2)];
        let update = term(rng, names, 3);
        let kind = if l == 0 { "init" } else { "state" };
        let _ = writeln!(text, " {kind} l{l} {{ {label} [{guard}] / {var} := {update} -> l{} }}", l + 1);
    }
    let _ = writeln!(text, " final l{steps}\n}}");
    text
}

#[test]
fn what_is_shown_to_clash_cannot_be_true_together() {
    let (mut clashes, mut several) = (0, 0);
    for seed in 0..600 {
        let text = random_path(&mut Rng::new(seed));
        // A guard may be wrong for all values, and the checker says so.
        let checked = sioco_lang::check_text("m.sts", &text);
        let Some(m) = checked.model.filter(|_| !sioco_lang::diagnostic::has_errors(&checked.diagnostics)) else {
            continue;
        };
        let m = m.model;
        let steps: Vec<Step> = m.switches.ids().map(Step::Switch).collect();
        let mut path = Path::with(&m, &builtin, Default::default(), limits());
        let Reach::Impossible { at, clash } = reach(&mut path, &steps, Choice::Min) else { continue };
        // One that is false by itself is shown as it stands in the model.
        if clash.iter().any(|c| !c.values.is_empty() || !c.text.contains('#')) {
            continue;
        }
        path.advance(steps[at]);
        // The same conditions as the guard of a model with the symbols as variables.
        let mut asked = String::from("output o\nprocess P {\n");
        for y in path.open_symbols() {
            let (name, sort) = (path.symbol_name(y).replace('#', "_"), m.sorts.name(path.symbols()[y].sort));
            let _ = writeln!(asked, " var {name}: {sort} = any");
        }
        // Values in between that are too large to be written out keep their names, and the ranges of their variables.
        for (var, range) in [("x", "0..3"), ("y", "-2..2")] {
            for step in (1..=steps.len()).filter(|n| clash.iter().any(|c| c.text.contains(&format!("{var}#{n}")))) {
                let _ = writeln!(asked, " var {var}_{step}: Int in {range} = any");
            }
        }
        let guard: Vec<String> = clash.iter().map(|c| format!("({})", c.text.replace('#', "_"))).collect();
        let _ = writeln!(asked, " init l {{ s: !o [{}] -> l }}\n}}", guard.join(" && "));
        let asked_model = model(&asked);
        let mut interpreter = Interpreter::new(&asked_model);
        let switch = asked_model.switch("s").expect("there is one");
        for state in initial_states(&asked_model) {
            let enabled = interpreter.enabled(&state, switch, &[]);
            assert_ne!(enabled, Ok(true), "seed {seed}, {:?}:\n{asked}\n{text}", state.values());
        }
        clashes += 1;
        several += usize::from(clash.len() > 1);
    }
    assert!(clashes > 80 && several > 20, "{clashes}, {several} of them with several conditions");
}

#[test]
fn the_range_of_a_value_in_between_is_a_condition_of_its_own() {
    let m = model(
        "output o\nprocess P {\n var x: Int in 0..5 = any\n \
         init l { a: !o / x := max(0, min(5, x)) * (-1) -> m }\n state m { b: !o [x < -2] -> l }\n}",
    );
    let steps: Vec<Step> = m.switches.ids().map(Step::Switch).collect();
    let mut path = Path::with(&m, &builtin, Default::default(), limits());
    let Reach::Impossible { at: 1, clash } = reach(&mut path, &steps, Choice::Min) else {
        panic!("it cannot be taken")
    };
    let shown: Vec<&str> = clash.iter().map(|c| &c.text[..]).collect();
    assert_eq!(shown, ["max(0, min(5, x#0)) * -1 >= 0", "max(0, min(5, x#0)) * -1 < -2"]);
}
