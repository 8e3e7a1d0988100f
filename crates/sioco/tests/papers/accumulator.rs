//! The running example of S0.

use sioco_model::eval::{Env, eval};
use sioco_model::model::{Direction, Label};
use sioco_model::term::Term;
use sioco_model::{Id, TermId, Value};
use sioco_solve::values::{Bounds, Choice};
use sioco_solve::{Reason, Terms};
use sioco_symbolic::{ExploreOptions, Merge, Reach};

use crate::load;
use crate::symbolic::builtin;
use crate::symbolic::scripted::Scripted;

const FILE: &str = "accumulator/accumulator.sts";

#[test]
fn accumulator_parts() {
    let w = load(FILE);
    let m = &w.model;
    let names: Vec<_> = m.locations.values().map(|l| l.name.as_str()).collect();
    assert_eq!(names, ["l0", "l1", "l2"]);
    assert_eq!(m.location_name(m.processes.values().next().unwrap().initial), "l0");
    assert_eq!(m.variables.len(), 1);
    let x = m.variable("x").unwrap();
    assert_eq!(m.variables[x].initial, Some(Value::Int(0)));

    let gates: Vec<_> = m
        .gates
        .values()
        .map(|g| (g.name.as_str(), g.direction, g.params.iter().map(|p| m.sorts.name(p.sort)).collect::<Vec<_>>()))
        .collect();
    let int = || vec!["Int".to_string()];
    assert_eq!(
        gates,
        [("inX", Direction::Input, int()), ("outX", Direction::Output, int()), ("done", Direction::Output, vec![])]
    );

    assert_eq!(m.switches.len(), 3);
    for (name, source, gate, target, updates) in
        [("r0", "l0", "inX", "l1", 1), ("r1", "l1", "outX", "l0", 0), ("r2", "l0", "done", "l2", 0)]
    {
        let s = &m.switches[m.switch(name).unwrap()];
        assert_eq!(m.location_name(s.source), source);
        assert_eq!(m.location_name(s.target), target);
        assert_eq!(s.label, Label::Gate(m.gate(gate).unwrap()));
        assert_eq!(s.update.len(), updates);
    }
}

#[test]
fn accumulator_semantics() {
    let w = load(FILE);
    let start = w.start(&[]);
    let [r0, r1, r2] = ["r0", "r1", "r2"].map(|n| w.model.switch(n).unwrap());
    let next = w.successor(start.state(), r0, &[Value::Int(3)]).expect("enabled");
    assert_eq!(next, *start.after("?inX(3)").state());
    assert_eq!((start.after("?inX(3)").at(), start.after("?inX(3)").get("x")), ("l1".into(), "3".into()));
    for p in -1..=12 {
        assert_eq!(w.successor(start.state(), r0, &[Value::Int(p)]).is_some(), (1..=10).contains(&p));
    }
    assert_eq!(w.successor(start.state(), r1, &[Value::Int(0)]), None);
    assert_eq!(w.successor(start.state(), r2, &[]), None);
}

#[test]
fn accumulator_purpose() {
    let w = load(FILE);
    assert!(w.solve(&w.path("r0 r1 r0 r1 r2")).is_some());
    assert_eq!(w.solve(&w.path("r0 r1 r2")), None);

    let six = w.run("?inX(6)");
    assert_eq!(six.output_values(), "!outX(6)");
    assert!(!six.can("!outX(7)"));
    let told = six.after("!outX(6)");
    assert_eq!((told.at(), told.get("x")), ("l0".into(), "6".into()));
    assert!(w.can("?inX(6) !outX(6) ?inX(10) !outX(16) !done"));
    assert!(!w.can("?inX(5) !outX(5) ?inX(10) !outX(15) !done"));
}

#[test]
fn accumulator_first_steps() {
    let w = load(FILE);
    let first = w.walk(&w.steps("r0"));
    assert_eq!((first.at.as_str(), first.condition.as_str()), ("l1", "p#1 >= 1 && p#1 <= 10"));
    assert_eq!(first.values, ["x = p#1"]);
    assert_eq!(w.values_for(&w.steps("r0"), Choice::Min), Some(vec![vec![Value::Int(1)]]));
    assert_eq!(w.values_for(&w.steps("r0"), Choice::Max), Some(vec![vec![Value::Int(10)]]));
    let Reach::Impossible { at: 0, clash } = w.reach(&w.steps("r2"), Choice::Min) else { panic!("not enabled") };
    let [clash] = &clash[..] else { panic!("one condition: {clash:?}") };
    // 0 > 15
    assert_eq!(clash.text, "x > 15");
    assert_eq!(clash.values, [(w.model.variable("x").unwrap(), Value::Int(0))]);
    assert!(sioco_symbolic::named_steps(w.model, &["r1"]).is_err(), "r1 does not leave l0");
}

/// Whether a condition over one symbol says `symbol > 15`.
fn is_above_15(terms: Terms<'_>, term: TermId) -> bool {
    let mut symbols = Vec::new();
    terms.pool.visit(term, &mut |_, t| {
        if let Term::Symbol(y, _) = t {
            symbols.push(*y);
        }
    });
    let [y] = symbols[..] else { return false };
    let holds = |n: i64| {
        let mut all: Vec<Value> = terms.symbols.values().map(|_| Value::Int(0)).collect();
        all[y.index()] = Value::Int(n);
        eval(terms.pool, terms.sorts, term, Env { symbols: &all, ..Env::default() }) == Ok(Value::Bool(true))
    };
    !holds(15) && holds(16)
}

/// Figure 2: the solver does not know about r2 after one input.
fn of_figure_2() -> Box<dyn Bounds> {
    Box::new(Scripted::new(builtin(), Reason::Undecided("figure 2".into()), is_above_15))
}

#[test]
fn accumulator_graph() {
    let w = load(FILE);
    let options = ExploreOptions { merge: Merge::Nothing, depth: Some(5), workers: 1, ..ExploreOptions::default() };
    let one = "p#1 >= 1 && p#1 <= 10";
    let two = "p#1 >= 1 && p#1 <= 10 && p#3 >= 1 && p#3 <= 10";
    let rows = [
        ("", "l0", "0", "true".to_string()),
        ("r0", "l1", "p#1", one.to_string()),
        ("r0 r1", "l0", "p#1", one.to_string()),
        // The dashed edge.
        ("r0 r1 r2", "l2", "p#1", format!("{one} && p#1 > 15")),
        ("r0 r1 r0", "l1", "p#1 + p#3", two.to_string()),
        ("r0 r1 r0 r1", "l0", "p#1 + p#3", two.to_string()),
        ("r0 r1 r0 r1 r0", "l1", "p#1 + p#3 + p#5", format!("{two} && p#5 >= 1 && p#5 <= 10")),
        ("r0 r1 r0 r1 r2", "l2", "p#1 + p#3", format!("{two} && p#1 + p#3 > 15")),
    ];
    for knows in [true, false] {
        let found = w.explore(if knows { &builtin } else { &of_figure_2 }, &options);
        let graph = &found.graph;
        let mut nodes: Vec<(String, bool)> =
            graph.ids().map(|n| (w.path_to(graph, n), graph.rests_on_unknown(n))).collect();
        nodes.sort();
        let dashed = |path: &str| path == "r0 r1 r2";
        let shown = rows.iter().filter(|r| !knows || !dashed(r.0));
        let mut expected: Vec<(String, bool)> = shown.map(|r| (r.0.to_string(), dashed(r.0))).collect();
        expected.sort();
        assert_eq!(nodes, expected);
        assert_eq!(found.doubts.len(), usize::from(!knows));
    }
    for (path, at, x, condition) in rows {
        let state = w.walk(&w.steps(path));
        assert_eq!((state.at.as_str(), state.values, state.condition), (at, vec![format!("x = {x}")], condition));
    }
}

#[test]
fn accumulator_path_condition() {
    let w = load(FILE);
    let long = w.steps("r0 r1 r0 r1 r2");
    let state = w.walk(&long);
    assert_eq!(state.condition, "p#1 >= 1 && p#1 <= 10 && p#3 >= 1 && p#3 <= 10 && p#1 + p#3 > 15");
    // What the paper writes as p''' = 0 + p'''' and p' = 0 + p'''' + p''.
    assert_eq!(state.args, ["p#1", "p#1", "p#3", "p#1 + p#3", ""]);
    let int = |n| vec![Value::Int(n)];
    assert_eq!(w.values_for(&long, Choice::Min), Some(vec![int(6), int(6), int(10), int(16), vec![]]));
    assert_eq!(w.values_for(&long, Choice::Max), Some(vec![int(10), int(10), int(10), int(20), vec![]]));
    // Both paths have every switch; the second cannot be taken.
    assert_eq!(w.clash("r0 r1 r2"), (2, vec!["p#1 <= 10".into(), "p#1 > 15".into()]));
}

#[test]
fn accumulator_unknown_purpose() {
    let w = load(FILE);
    let path = w.steps("r0 r1 r2");
    let mut unsure = sioco_symbolic::Path::new(w.model, &of_figure_2);
    let expected = Reach::Unknown { at: 2, reason: Reason::Undecided("figure 2".into()) };
    assert_eq!(sioco_symbolic::reach(&mut unsure, &path, Choice::Min), expected);
    // The guard of r0 alone allows 8; with 8, r2 is impossible.
    let eight = w.run("?inX(8) !outX(8)");
    assert_eq!((eight.get("x"), eight.can("!done")), ("8".into(), false));
}
