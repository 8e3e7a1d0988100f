//! The cash machines of S3 and S4.

use sioco_model::Value;
use sioco_model::model::{Direction, Label};
use sioco_solve::values::Choice;
use sioco_symbolic::analysis::{Control, Determinism, Kind, analyze};
use sioco_symbolic::{Exploration, ExploreOptions, Merge, Order, Stop};

use crate::load;
use crate::semantics::World;
use crate::symbolic::{builtin, has_z3, z3};

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

/// The nodes that are kept, and those that are included in another, by the names of their paths.
fn reduced(w: &World, found: &Exploration) -> (Vec<String>, Vec<(String, String)>) {
    assert_eq!((found.stop, found.doubts.len()), (Stop::Complete, 0));
    let graph = &found.graph;
    let name = |n| w.path_to(graph, n);
    let kept = graph.ids().filter(|n| graph.included_in(*n).is_none()).map(name).collect();
    let included = graph.ids().filter_map(|n| Some((name(n), name(graph.included_in(n)?)))).collect();
    (kept, included)
}

fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(a, b)| (a.to_string(), b.to_string())).collect()
}

#[test]
fn atm_symbolic_tree() {
    let w = load(ONE);
    let refused = "cp#0 > 2 || m#0 < a#1";
    let rows = [
        ("", "q0", "true", "m#0", "cp#0", "x#0"),
        ("ask", "q1", "true", "m#0", "cp#0", "a#1"),
        ("question", "q2", "true", "m#0", "cp#0", "x#0"),
        ("put", "q0", "true", "m#0 + t#1", "1", "x#0"),
        ("ask pay", "q0", "cp#0 <= 2 && a#1 <= m#0 && m#0 >= 1000", "m#0 - a#1", "cp#0 + 1", "a#1"),
        ("ask pay_cost", "q0", "cp#0 <= 2 && a#1 <= m#0 && m#0 < 1000", "m#0 - a#1 - 1", "cp#0 + 1", "a#1"),
        ("ask refuse", "q0", refused, "m#0", "cp#0", "a#1"),
        ("question answer", "q0", "true", "m#0", "cp#0", "x#0"),
    ];
    let found = w.explore(&builtin, &ExploreOptions::default());
    let paths: Vec<_> = found.graph.ids().map(|n| w.path_to(&found.graph, n)).collect();
    assert_eq!(paths, rows.map(|r| r.0));
    for (path, at, condition, m, cp, x) in rows {
        let state = w.walk(&w.steps(path));
        assert_eq!((state.at.as_str(), state.condition.as_str(), state.defined.as_str()), (at, condition, "true"));
        assert_eq!(state.values, [format!("m = {m}"), format!("cp = {cp}"), format!("x = {x}")]);
    }
    assert_eq!(w.walk(&w.steps("ask pay")).args, ["a#1", "a#1"]);
}

#[test]
fn atm_inclusion() {
    let w = load(ONE);
    let found = w.explore(&builtin, &ExploreOptions::default());
    let (kept, included) = reduced(&w, &found);
    assert_eq!(kept, ["", "ask", "question"]);
    let all = [("put", ""), ("ask pay", ""), ("ask pay_cost", ""), ("ask refuse", ""), ("question answer", "")];
    assert_eq!(included, pairs(&all));
    let graph = &found.graph;
    assert_eq!(graph.ids().map(|n| graph.depth(n)).max(), Some(2));
}

#[test]
fn atm_symbolic_quiescence() {
    let w = load(ONE);
    // In q0 nothing has to be true, in q2 something that never is, in q1 that no guard is true.
    assert_eq!(w.walk(&w.steps("delta")).condition, "true");
    assert_eq!(w.values_for(&w.steps("question delta"), Choice::Min), None);
    assert_eq!(
        w.walk(&w.steps("ask delta")).condition,
        "!(cp#0 <= 2 && a#1 <= m#0 && m#0 >= 1000) && !(cp#0 <= 2 && a#1 <= m#0 < 1000) && !(cp#0 > 2 || m#0 < a#1)"
    );
    if !has_z3("silence after an amount") {
        return;
    }
    // So the restriction by inclusion has one more edge, and the longest path is as long.
    let found = w.explore(&z3, &ExploreOptions { delta: true, ..ExploreOptions::default() });
    let (kept, included) = reduced(&w, &found);
    assert_eq!(kept, ["", "ask", "question"]);
    let all = ["put", "delta", "ask pay", "ask pay_cost", "ask refuse", "question answer"].map(|p| (p, ""));
    assert_eq!(included, pairs(&all));
    let graph = &found.graph;
    assert_eq!(graph.ids().map(|n| graph.depth(n)).max(), Some(2));
}

#[test]
fn atm_one_more_output() {
    let w = load(ONE);
    // The two that explain deposit 250, amount 50, cash 50.
    let condition = |path: &str| w.walk(&w.steps(path)).condition;
    assert_eq!(condition("put ask pay"), "a#2 <= m#0 + t#1 && m#0 + t#1 >= 1000");
    assert_eq!(condition("put ask pay_cost"), "a#2 <= m#0 + t#1 && m#0 + t#1 < 1000");
    if !has_z3("silence after an amount") {
        return;
    }
    let options = ExploreOptions { merge: Merge::Nothing, delta: true, depth: Some(3), ..ExploreOptions::default() };
    let found = w.explore(&z3, &options);
    assert_eq!(found.doubts, []);
    let graph = &found.graph;
    let after = |start: &str, depth: usize| -> Vec<String> {
        let paths = graph.ids().filter(|n| graph.depth(*n) == depth).map(|n| w.path_to(graph, n));
        paths.filter_map(|p| Some(p.strip_prefix(start)?.to_string())).collect()
    };
    // The triangles of figure 4, eta 8 to 10; silence is possible, too.
    assert_eq!(after("put ", 2), ["ask", "question", "put", "delta"]);
    // Eta 11 to 15: all outputs, and silence, after those.
    let outputs = |from: &str| {
        let mut all = after(from, 3);
        all.retain(|n| !["ask", "question", "put"].contains(&n.as_str()));
        all
    };
    assert_eq!(outputs("put ask "), ["pay", "pay_cost", "refuse"]);
    assert_eq!(outputs("put question "), ["answer"]);
    assert_eq!(outputs("put put "), ["delta"]);
}

/// Without the names of the processes.
fn short(text: &str) -> String {
    text.replace("UserInterface.", "").replace("InternalSystem.", "")
}

#[test]
fn atm_two_tree() {
    let w = load(TWO);
    let tau = "put ask forward/receive";
    let rows = [
        ("init", "".to_string(), "a0,b0", "true", ["x#0", "ack#0", "m#0", "y#0"]),
        ("A0'", "ask".into(), "a1,b0", "true", ["a#1", "ack#0", "m#0", "y#0"]),
        ("A0", "put".into(), "a0,b1", "true", ["x#0", "ack#0", "d#1", "y#0"]),
        ("A1", "put ask".into(), "a1,b1", "true", ["a#2", "ack#0", "d#1", "y#0"]),
        ("A2", tau.into(), "a2,b2", "true", ["a#2", "ack#0", "d#1", "a#2"]),
        ("A3", format!("{tau} allow/hear"), "a3,b1", "a#2 <= d#1", ["a#2", "true", "d#1 - a#2", "a#2"]),
        ("A4", format!("{tau} allow/hear pay"), "a0,b1", "a#2 <= d#1", ["a#2", "true", "d#1 - a#2", "a#2"]),
        ("A5", format!("{tau} deny/hear"), "a3,b1", "d#1 < a#2", ["a#2", "false", "d#1", "a#2"]),
        ("A6", format!("{tau} deny/hear refuse"), "a0,b1", "d#1 < a#2", ["a#2", "false", "d#1", "a#2"]),
    ];
    for (name, path, at, condition, values) in rows {
        let steps = w.steps(&path);
        let state = w.walk(&steps);
        assert_eq!((state.at.as_str(), state.condition.as_str()), (at, condition), "{name}");
        let shown: Vec<_> = state.values.iter().map(|v| short(v)).collect();
        let expected: Vec<_> = ["x", "ack", "m", "y"].iter().zip(values).map(|(v, t)| format!("{v} = {t}")).collect();
        assert_eq!(shown, expected, "{name}");
        // Nothing but that the new m is an amount, which the guard says already.
        let paid = path.contains("allow");
        assert_eq!(state.defined, if paid { "d#1 - a#2 >= 0" } else { "true" }, "{name}");
        assert!(w.values_for(&steps, Choice::Min).is_some(), "{name}");
    }
    // The other answer is impossible: after allow there is only cash, after deny only the screen.
    for wrong in ["allow/hear refuse", "deny/hear pay"] {
        assert_eq!(w.values_for(&w.steps(&format!("{tau} {wrong}")), Choice::Min), None, "{wrong}");
    }
    // Silence is possible as long as an input is missing, and only then.
    let silent = |path: &str| w.values_for(&w.steps(&format!("{path} delta")), Choice::Min).is_some();
    assert!(["", "ask", "put"].into_iter().all(silent));
    assert!(!["put ask", tau].into_iter().any(silent));
    assert!(!["allow/hear", "deny/hear"].into_iter().any(|answer| silent(&format!("{tau} {answer}"))));
}

#[test]
fn atm_two_reduced() {
    let w = load(TWO);
    let graph = |order: Order| {
        let (kept, included) =
            reduced(&w, &w.explore(&builtin, &ExploreOptions { order, ..ExploreOptions::default() }));
        let kept: Vec<_> = kept.iter().map(|p| short(p)).collect();
        let included: Vec<_> = included.iter().map(|(a, b)| (short(a), short(b))).collect();
        (kept, included)
    };
    let (kept, included) = graph(Order::BreadthFirst);
    // A1 is found by amount and deposit first; the other order leads to the same state.
    let tau = "ask put forward/receive";
    let (a3, a5) = (format!("{tau} allow/hear"), format!("{tau} deny/hear"));
    assert_eq!(kept, ["", "ask", "put", "ask put", tau, &a5, &a3]);
    let (a4, a6) = (format!("{a3} pay"), format!("{a5} refuse"));
    assert_eq!(included, pairs(&[("put ask", "ask put"), (&a6, "put"), (&a4, "put")]));
    // Depth first, A6 is found before A0, and A0 is included in it: as large.
    let (kept, included) = graph(Order::DepthFirst);
    assert_eq!((kept.len(), included.len()), (7, 3), "{included:?}");
    assert!(included.contains(&("put".into(), a6)), "{included:?}");
}

#[test]
fn atm_two_control() {
    let w = load(TWO);
    let found = analyze(w.model, &builtin, &Default::default(), &mut |_| {});
    assert_eq!((found.determinism, found.control.clone()), (Some(Determinism::Proved), Some(Control::Proved)));
    assert!(found.complete() && found.findings.iter().all(|f| f.kind == Kind::InputGap));
    let path = w.steps("put ask forward/receive allow/hear pay");
    assert_eq!(w.walk(&path).condition, "a#2 <= d#1");
    assert_eq!(w.walk(&path).args, ["d#1", "a#2", "Ask(a#2)", "Answer(true)", "a#2"]);
    // S3's machine has guards on what it starts with.
    let one = load(ONE);
    let found = analyze(one.model, &builtin, &Default::default(), &mut |_| {});
    assert!(matches!(found.control, Some(Control::No { .. })), "{:?}", found.control);
}
