//! The running example of S0.

use sioco_model::Value;
use sioco_model::model::{Direction, Label};

use crate::load;

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
