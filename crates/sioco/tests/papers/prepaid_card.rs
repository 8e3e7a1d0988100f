//! The prepaid card of S2.

use sioco_model::Value;
use sioco_solve::values::Choice;

use crate::load;

const SPEC: &str = "prepaid-card/spec.sts";
const IMPL: &str = "prepaid-card/impl.sts";

#[test]
fn card_parts() {
    let m = load(SPEC).model;
    let visible: Vec<_> = m.locations.values().filter(|l| !l.hidden).map(|l| l.name.as_str()).collect();
    assert_eq!(visible, ["s0", "s1", "s2"]);
    assert_eq!(m.location_name(m.processes.values().next().unwrap().initial), "s0");
    let sort = |gate: &str| m.sorts.name(m.gates[m.gate(gate).unwrap()].params[0].sort);
    assert_eq!((sort("update"), sort("balance")), ("Int in 0..".into(), "Int in 0..500".into()));
}

#[test]
fn card_limits() {
    let w = load(SPEC);
    for (trace, next, balance) in [
        ("", 300, 300),
        ("", 301, 0),
        ("?update(100) !balance(100)", 400, 400),
        ("?update(100) !balance(100)", 401, 100),
        ("?update(300) !balance(300)", 500, 500),
        ("?update(300) !balance(300)", 501, 300),
        ("?update(300) !balance(300) ?update(500) !balance(500)", 501, 500),
        ("?update(300) !balance(300) ?update(500) !balance(500)", 0, 0),
    ] {
        let before = w.run(trace);
        let after = before.after(&format!("?update({next})"));
        assert_eq!(after.output_values(), format!("!balance({balance})"), "{trace} {next}");
        let then = after.after(&format!("!balance({balance})"));
        if next != balance {
            assert_eq!(then.at(), before.at(), "{trace} {next}");
        }
    }
}

#[test]
fn card_rules() {
    // Each model, the rise it allows, and the balance up to which it is in the first of its last two locations.
    for (file, rise, split, low, high) in [(SPEC, 300, 300, "s1", "s2"), (IMPL, 299, 200, "t0", "t1")] {
        let w = load(file);
        let amounts = [0, 1, 199, 200, 201, 299, 300, 301, 499, 500, 501, 800];
        for b in amounts.into_iter().filter(|b| *b <= 500) {
            let first = b.min(299);
            let before = w.run(&format!("?update({first}) !balance({first}) ?update({b}) !balance({b})"));
            for a in amounts {
                let new = if a <= 200 || a <= 500 && a - b <= rise { a } else { b };
                let after = before.after(&format!("?update({a})"));
                assert_eq!(after.output_values(), format!("!balance({new})"), "{file} {b} {a}");
                let at = after.after(&format!("!balance({new})")).at();
                assert_eq!(at, if new <= split { low } else { high }, "{file} {b} {a}");
            }
        }
    }
}

#[test]
fn card_paths() {
    let (spec, imp) = (load(SPEC), load(IMPL));
    // The three paths of section 3.3, and what they say.
    let (mut spec_only, mut both) = (0, 0);
    for first in [0, 1, 150, 200] {
        for second in [0, 200, 201, 299, 300, 301, 450, 499] {
            let trace = format!("?update({first}) !balance({first}) ?update({second}) !balance({second})");
            let sp1 = first <= 300 && second <= 300;
            let sp1_prime = first <= 200 && 200 < second && second - first < 300;
            let sp_prime = first <= 200 && second <= 200;
            let ends = |w: &crate::semantics::World, at: &str| w.run(&trace).at() == at;
            assert_eq!(imp.can(&trace) && ends(&imp, "t1"), sp1_prime, "{trace}");
            assert_eq!(imp.can(&trace) && ends(&imp, "t0"), sp_prime, "{trace}");
            assert!(!sp1 || ends(&spec, "s1"), "{trace}");
            // sp' is compatible with sp1, and sp1' is not.
            assert!(!sp_prime || sp1);
            spec_only += usize::from(sp1_prime && !sp1);
            both += usize::from(sp_prime);
        }
    }
    assert!(spec_only > 0 && both > 0);
    // The learned model adds less than 300, the card up to 300.
    assert_eq!(spec.run("?update(300)").output_values(), "!balance(300)");
    assert_eq!(imp.run("?update(300)").output_values(), "!balance(0)");
}

#[test]
fn card_symbolic_paths() {
    let (spec, imp) = (load(SPEC), load(IMPL));
    let (sp1, sp1_prime, sp_prime) =
        ("first first!balance low low!balance", "low low!balance rise rise!balance", "low low!balance low low!balance");
    assert_eq!(spec.walk(&spec.steps(sp1)).condition, "a#1 <= 300 && a#3 <= 300");
    assert_eq!(imp.walk(&imp.steps(sp1_prime)).condition, "a#1 <= 200 && a#3 > 200 && a#3 - a#1 < 300");
    assert_eq!(imp.walk(&imp.steps(sp_prime)).condition, "a#1 <= 200 && a#3 <= 200");
    // The outputs are the inputs: polynomials of degree one, and the same on sp1 and sp'.
    for (w, path) in [(&spec, sp1), (&imp, sp1_prime), (&imp, sp_prime)] {
        assert_eq!(w.walk(&w.steps(path)).args, ["a#1", "a#1", "a#3", "a#3"]);
    }
    // The greatest inputs: those of sp' are inputs of sp1, and so are all others; those of sp1' are not.
    let greatest = |w: &crate::semantics::World, path: &str| {
        let values = w.values_for(&w.steps(path), Choice::Max).expect("possible");
        [values[0][0].clone(), values[2][0].clone()]
    };
    assert_eq!(greatest(&spec, sp1), [300, 300].map(Value::Int));
    assert_eq!(greatest(&imp, sp_prime), [200, 200].map(Value::Int));
    assert_eq!(greatest(&imp, sp1_prime), [200, 499].map(Value::Int));
}
