//! The cash machines of S3 and S4.

use sioco_model::Value;
use sioco_model::model::{Direction, Label};

use crate::load;

const ONE: &str = "atm/atm.sts";
const TWO: &str = "atm/atm-two-processes.sts";

#[test]
fn atm_withdrawals() {
    let w = load(ONE);
    let rich = w.start(&[("m", "1500"), ("cp", "1")]);
    // Two withdrawals after a deposit, and no third, for large and small accounts.
    let poor = w.start(&[("m", "0")]).after("?deposit(500) ?amount(100) !cash(100) ?amount(200) !cash(200)");
    assert_eq!((poor.get("m"), poor.after("?amount(1)").output_values()), ("198".into(), "!screen(Refused)".into()));
    let twice = rich.after("?deposit(500) ?amount(100) !cash(100) ?amount(200) !cash(200)");
    assert_eq!(twice.get("m"), "1700");
    assert_eq!(twice.after("?amount(1)").output_values(), "!screen(Refused)");
    assert_eq!(twice.after("?amount(1) !screen(Refused) ?deposit(0) ?amount(1)").output_values(), "!cash(1)");
    // Below 1000 it costs 1, from 1000 on it is free.
    for (m, left) in [("999", "898"), ("1000", "900")] {
        let paid = w.start(&[("m", m), ("cp", "0")]).after("?amount(100) !cash(100)");
        assert_eq!(paid.get("m"), left);
    }
    // Not more than there is.
    assert_eq!(rich.after("?amount(1500)").output_values(), "!cash(1500)");
    assert_eq!(rich.after("?amount(1501)").output_values(), "!screen(Refused)");
    assert_eq!(rich.after("?deposit(7) ?check").output_values(), "!screen(Balance(1507))");
}

#[test]
fn atm_quiescence() {
    let w = load(ONE);
    for m in [-1, 0, 1, 500, 999, 1000, 2000] {
        for cp in [-1, 0, 2, 3] {
            let start = w.start(&[("m", &m.to_string()), ("cp", &cp.to_string())]);
            assert!(start.may_be_quiescent());
            for amount in [0, 1, 500, 999, 1000, 1001] {
                let asked = start.after(&format!("?amount({amount})"));
                assert_eq!((asked.at(), asked.may_be_quiescent()), ("q1".into(), false));
                assert_eq!(w.enabled(asked.state(), Direction::Output).len(), 1);
            }
            assert_eq!((start.after("?check").at(), start.after("?check").may_be_quiescent()), ("q2".into(), false));
        }
    }
}

#[test]
fn atm_tree() {
    let w = load(ONE);
    let m = &w.model;
    assert!(m.variables.values().all(|v| v.initial.is_none()));
    // From q0: two inputs that wait for an answer, and a deposit; three answers in q1 and one in q2, all back to q0.
    let out = |l: &str| &m.locations[m.location(l).unwrap()].outgoing;
    let targets = |l: &str| out(l).iter().map(|s| m.location_name(m.switches[*s].target)).collect::<Vec<_>>();
    assert_eq!(targets("q0"), ["q1", "q2", "q0"]);
    assert_eq!((targets("q1"), targets("q2")), (vec!["q0".to_string(); 3], vec!["q0".to_string()]));
    let nodes = 1 + 3 + out("q1").len() + out("q2").len();
    assert_eq!(nodes, 8); // init and eta 1 to 7
    // The path condition of the first answer.
    let pay = m.switch("pay").unwrap();
    for cp in 0..5 {
        for amount in [0, 999, 1000, 1001, 1002] {
            for money in [998, 999, 1000, 1001, 1002] {
                let start = w.start(&[("m", &format!("{money}")), ("cp", &format!("{cp}"))]);
                let asked = start.after(&format!("?amount({amount})"));
                let enabled = w.successor(asked.state(), pay, &[Value::Int(amount)]).is_some();
                assert_eq!(enabled, cp <= 2 && amount <= money && money >= 1000);
            }
        }
    }
}

#[test]
fn atm_weak_pass() {
    let w = load(ONE);
    let ends = ["600", "900"].map(|m| {
        let end = w.start(&[("m", m)]).after("?deposit(250) ?amount(50) !cash(50)");
        let (_, path) = end.hypotheses.first().expect("possible");
        w.model.switches[*path.last().unwrap()].name.clone()
    });
    assert_eq!(ends, ["pay_cost", "pay"]);
}

#[test]
fn atm_two_parts() {
    let m = load(TWO).model;
    let names = |p: &str| {
        let process = m.processes.values().find(|x| x.name == p).unwrap();
        let locations: Vec<_> = process.locations.iter().map(|l| m.locations[*l].name.clone()).collect();
        let variables: Vec<_> = process.variables.iter().map(|v| m.variables[*v].name.clone()).collect();
        (m.locations[process.initial].name.clone(), locations.join(" "), variables.join(" "))
    };
    let expect = |a: &str, b: &str, c: &str| (a.to_string(), b.to_string(), c.to_string());
    assert_eq!(names("UserInterface"), expect("a0", "a0 a1 a2 a3", "x ack"));
    assert_eq!(names("InternalSystem"), expect("b0", "b0 b1 b2", "m y"));
    assert!(m.variables.values().all(|v| v.initial.is_none()));
    assert_eq!(m.channels.values().map(|c| c.name.as_str()).collect::<Vec<_>>(), ["ci"]);
    assert_eq!(m.gates.values().map(|g| g.name.as_str()).collect::<Vec<_>>(), ["amount", "deposit", "cash", "screen"]);
    let on_channel = |l: &Label| matches!(l, Label::Send(_) | Label::Receive(_));
    assert_eq!(m.switches.values().filter(|s| on_channel(&s.label)).count(), 5);
}

#[test]
fn atm_two_handshake() {
    let w = load(TWO);
    assert_eq!(w.start(&[]).at(), "a0,b0");
    assert_eq!(w.run("?amount(50)").at(), "a1,b0");
    assert_eq!(w.run("?deposit(100)").at(), "a0,b1");
    // Both inputs, in either order; then two handshakes.
    let both = w.run("?deposit(100) ?amount(50)");
    assert_eq!(both.at(), "a1,b1 a2,b2 a3,b1");
    let states = |trace: &str| w.run(trace).hypotheses.iter().map(|(s, _)| s.clone()).collect::<Vec<_>>();
    assert_eq!(states("?deposit(100) ?amount(50)"), states("?amount(50) ?deposit(100)"));
    // The answer.
    for (amount, answer) in [(0, "!cash(0)"), (50, "!cash(50)"), (100, "!cash(100)"), (101, "!screen")] {
        assert_eq!(w.run(&format!("?deposit(100) ?amount({amount})")).output_values(), answer);
    }
    let end = w.run("?deposit(100) ?amount(50) !cash(50)");
    assert_eq!(end.at(), "a0,b1");
    let get = |v: &str| end.state().value(w.model.variable(v).unwrap()).clone();
    assert_eq!(get("InternalSystem.m"), Value::Int(50));
    assert_eq!(get("UserInterface.ack"), Value::Bool(true));
    assert_eq!(get("UserInterface.x"), get("InternalSystem.y"));
    assert_eq!(w.run("?deposit(100) ?amount(101) !screen").at(), "a0,b1");
    // Nothing depends on the values at the start.
    for free in [
        [("InternalSystem.m", "0"), ("UserInterface.ack", "true")],
        [("InternalSystem.m", "999"), ("UserInterface.ack", "false")],
    ] {
        assert_eq!(w.start(&free).after("?deposit(100) ?amount(50)").output_values(), "!cash(50)");
    }
}
