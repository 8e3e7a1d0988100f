//! The prepaid card of S2.

use sioco_model::Value;
use sioco_plan::compare::{CompareOptions, Compared, Conformance, Cover, Defined, Pair, compare};
use sioco_solve::values::{Bounds, Choice};

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

/// The composition of both cards, with the conditions of its transitions.
fn composed(cover: Cover) -> (sioco_model::Model, sioco_model::Model, Compared) {
    let (spec, imp) = (load(SPEC).model, load(IMPL).model);
    let back_end = sioco_solve::BackEnd::BuiltIn;
    let solvers = || -> Box<dyn Bounds> { Box::new(back_end.chain()) };
    let options = CompareOptions { cover, describe: true, ..CompareOptions::default() };
    let found = compare(spec, imp, &solvers, &options, &mut |_| {}).expect("they have the same gates");
    (spec.clone(), imp.clone(), found)
}

/// Where both are in a state of the composition.
fn at(spec: &sioco_model::Model, imp: &sioco_model::Model, pair: &Pair) -> String {
    let name = |m: &sioco_model::Model, l: &Option<Vec<_>>| l.as_ref().map(|l| m.location_name(l[0]));
    let (s, t) = (name(spec, &pair.spec), name(imp, &pair.implementation));
    format!("{} {}", s.as_deref().unwrap_or("err_s"), t.as_deref().unwrap_or("err_t"))
}

#[test]
fn card_dist_deg() {
    // The path of the composition that is contained in sp1 and sp': s0 t0, s1 t0, s1 t0 with inputs up to 200.
    let (spec, imp, found) = composed(Cover::Length(2));
    let c = &found.composition;
    let low = |t: &usize| c.transitions[*t].condition.iter().any(|text| text.ends_with(" <= 200"));
    let along: Vec<usize> = (0..c.transitions.len())
        .filter(|t| c.path(*t).len() == 2 && c.path(*t).iter().all(low))
        .filter(|t| at(&spec, &imp, &c.pairs[c.transitions[*t].to]) == "s1 t0")
        .collect();
    assert_eq!(along.len(), 1, "{along:?}");
    // Outputs of degree one: two sequences of inputs.
    assert_eq!(c.transitions[along[0]].dist_deg(), Some(2));
    // All outputs are constants or of degree one, in the new balance or in both.
    assert!(c.transitions.iter().all(|t| matches!(t.dist_deg(), Some(1..=3))));
    let suite = found.suite.expect("they have a degree");
    let values = |p: usize| {
        let case = &suite.cases[p];
        let values = case.nodes.iter().filter_map(|n| n.values.as_ref()).filter(|v| v.len() == 1);
        values.map(|v| v[0].to_string().parse::<i64>().unwrap()).collect::<Vec<i64>>()
    };
    // Values of steps: input, output, input, output.
    let on_it: Vec<Vec<i64>> =
        (0..suite.cases.len()).map(values).filter(|v| v.len() == 4 && v[0] <= 200 && v[2] <= 200).collect();
    assert_eq!(on_it.len(), 2, "{on_it:?}");
    assert_ne!(on_it[0][2], on_it[1][2]);
}

#[test]
fn card_composition() {
    // The part of the composition around its start, as figure 2 has a part of it: every input belongs to exactly one
    // transition, and leads where both models go.
    let (spec, imp, found) = composed(Cover::Transitions);
    let c = &found.composition;
    let from = |pair: usize| -> Vec<String> {
        let leaving = c.transitions.iter().filter(|t| t.from == pair);
        leaving.map(|t| format!("{}: {}", at(&spec, &imp, &c.pairs[t.to]), t.condition.join(" && "))).collect()
    };
    let range = "a#1 >= 0 && a#1 <= 500";
    assert_eq!(
        from(0),
        [
            format!("s1 t0: a#1 <= 300 && {range} && a#1 <= 200"),
            format!("s1 t1: a#1 <= 300 && {range} && a#1 > 200 && a#1 < 300"),
            // The strict guard of the learned model: the two differ here.
            format!("s1 t0: a#1 <= 300 && {range} && !(a#1 <= 200) && !(200 < a#1 < 300)"),
            "s0 t0: !(a#1 <= 300) && !(a#1 <= 200) && !(200 < a#1 < 300)".to_owned(),
        ]
    );
    // Both define every input, so nobody gets lost.
    assert!(c.pairs.iter().all(|p| p.spec.is_some() && p.implementation.is_some()));
    assert_eq!(c.count(Defined::Both), c.transitions.len());
    let mut seen: Vec<String> = c.pairs.iter().map(|p| at(&spec, &imp, p)).collect();
    seen.sort();
    seen.dedup();
    assert_eq!(seen, ["s0 t0", "s1 t0", "s1 t1", "s2 t0", "s2 t1"]);
}

#[test]
fn card_conformance() {
    let (spec, _, found) = composed(Cover::Transitions);
    let Conformance::Differs(difference) = found.conformance else { panic!("{:?}", found.conformance) };
    let last = difference.trace.last().unwrap();
    assert_eq!(difference.inputs, 1);
    assert_eq!(last.input.as_ref().unwrap().show(&spec), "?update(300)");
    let (spec_says, imp_says) = (last.spec.as_ref().unwrap(), last.implementation.as_ref().unwrap());
    assert_eq!((spec_says.len(), spec_says[0][0].show(&spec)), (1, "!balance(300)".into()));
    assert_eq!(imp_says[0].show(&spec), "!balance(0)");
}
