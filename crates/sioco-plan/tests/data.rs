//! Data goals: the atoms of the guards on the way, true, false and at their boundary.

mod support;

use sioco_model::{Id, Model, print};
use sioco_plan::want::atoms;
use sioco_plan::{Cover, Goal, Infeasible, Plan, PlanOptions, Side, State, plan};
use support::{builtin, example, model, values};

fn planned(model: &Model) -> Plan {
    let options = PlanOptions { data: true, nodes: 300, ..PlanOptions::new(Cover::Switch) };
    plan(model, &builtin, &options, &mut |_| {}).expect("a plan")
}

/// The goals of a switch: the atom, the side, and what became of it.
fn sides<'p>(model: &Model, plan: &'p Plan, name: &str) -> Vec<(String, Side, &'p State)> {
    let of = |(goal, state): &'p (Goal, State)| match goal {
        Goal::Atom { switch, atom, side } if model.switches[*switch].name == name => {
            Some((print::term(model, Some(*switch), atoms(model, *switch)[*atom]), *side, state))
        }
        _ => None,
    };
    plan.goals.iter().filter_map(of).collect()
}

/// `x > 15` is seen true and false, and at 16 and at 15.
#[test]
fn a_threshold_is_met_from_both_sides() {
    let model = example("accumulator/accumulator");
    let plan = planned(&model);
    let found = sides(&model, &plan, "r2");
    assert_eq!(found.len(), 4);
    let mut sums = Vec::new();
    for (atom, side, state) in found {
        let State::Covered { by, doubt: false } = state else { panic!("{atom} {side:?}: {state:?}") };
        // The purpose that the goal made carries the condition; its values satisfy it.
        sums.extend(values(&model, &plan.purposes[by[0].index()]));
    }
    assert!(sums.contains(&"outX(16)".into()) && sums.contains(&"outX(15)".into()), "{sums:?}");
    assert_eq!(plan.coverage().percent(), 100.0);
}

/// What no switch of the gate allows is infeasible, also where the states have no end; the guard says so.
#[test]
fn what_no_input_allows_is_infeasible() {
    let model = example("accumulator/accumulator");
    let plan = planned(&model);
    for (atom, side, state) in sides(&model, &plan, "r0") {
        match (side.holds(), state) {
            (true, State::Covered { doubt: false, .. }) => {}
            (false, State::Infeasible(Infeasible::Values { states: None, clash })) => {
                assert!(clash.len() == 2, "{atom} {side:?}: {clash:?}");
            }
            (_, state) => panic!("{atom} {side:?}: {state:?}"),
        }
    }
}

/// An atom about a parameter is false where another switch of its gate is taken; one about variables also in silence.
#[test]
fn false_is_seen_elsewhere() {
    let model = model(
        "input go(p: Int in 0..9)
         output small
         output none
         process P {
           var x: Int in 0..9 = 0
           init a {
             low:  ?go(p) [p < 5]  / x := p -> b
             high: ?go(p) [p >= 5] / x := p -> b
           }
           state b {
             say: !small [x == 0] -> a
           }
         }",
    );
    let plan = planned(&model);
    for switch in ["low", "high", "say"] {
        for (atom, side, state) in sides(&model, &plan, switch) {
            assert!(matches!(state, State::Covered { doubt: false, .. }), "{switch}: {atom} {side:?} {state:?}");
        }
    }
    // `x == 0` has no last true value; beside it there is 1.
    assert_eq!(sides(&model, &plan, "say").len(), 3);
}

/// What the purpose of another goal reaches is covered, however many edges there are where it cannot be seen (T-P16).
#[test]
fn what_a_purpose_reaches_is_covered() {
    let model = model(
        "input coin(v: Int in 1..10)
         input choose
         input cancel
         output item
         output change(v: Int)
         output refuse
         process Vending {
           var credit: Int = 0
           var stock: Int = 5
           init idle {
             pay:  ?coin(v) / credit := credit + v -> idle
             buy:  ?choose [credit >= 5 && stock > 0] / credit := credit - 5, stock := stock - 1 -> giving
             poor: ?choose [credit < 5 || stock == 0] -> refusing
             back: ?cancel [credit > 0] -> returning
           }
           state refusing { no: !refuse -> idle }
           state giving { out: !item -> idle }
           state returning { ret: !change(credit) / credit := 0 -> idle }
         }",
    );
    let options = PlanOptions { data: true, nodes: 1000, ..PlanOptions::new(Cover::Switch) };
    let plan = plan(&model, &builtin, &options, &mut |_| {}).expect("a plan");
    assert_ne!(plan.stop, sioco_symbolic::Stop::Complete, "the states have no end");
    for switch in ["buy", "poor"] {
        for (atom, side, state) in sides(&model, &plan, switch) {
            assert!(matches!(state, State::Covered { doubt: false, .. }), "{switch}: {atom} {side:?} {state:?}");
        }
    }
}

/// What another process does while the question arises shows it, too.
#[test]
fn false_is_seen_while_others_move() {
    let model = model(
        "input a
         input c(n: Int in 0..3)
         output tick
         process B { init m0 { t: !tick -> m0 } }
         process A {
           var x: Int = 0
           init l0 { s: ?c(n) / x := n -> k0 }
           state k0 { g: ?a [x > 0] -> l1 }
           state l1 { u: ?a -> l1 }
         }
         system S = A || B",
    );
    let plan = planned(&model);
    for (atom, side, state) in sides(&model, &plan, "A.g") {
        assert!(matches!(state, State::Covered { doubt: false, .. }), "{atom} {side:?} {state:?}");
    }
}
