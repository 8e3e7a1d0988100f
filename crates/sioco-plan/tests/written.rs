//! Written purposes are unfolded: the nearest accepts, the data that they ask for, what must not happen.

mod support;

use sioco_model::Model;
use sioco_plan::{Cover, Infeasible, Plan, PlanOptions, State, plan};
use support::{builtin, lines, model, values};

const COUNTER: &str = "
input  add(p: Int in 1..10)
input  stop
output sum(p: Int)
output done

process Counter {
  var x: Int = 0
  init l0 {
    add:    ?add(p)       / x := x + p -> l1
    finish: ?stop [x > 0]              -> l2
  }
  state l1 {
    tell: !sum(x) -> l0
  }
  state l2 {
    over: !done -> l3
  }
  final l3
}
";

fn of(text: &str) -> (Model, Plan) {
    let model = model(&format!("{COUNTER}\n{text}"));
    let options = PlanOptions { nodes: 2_000, ..PlanOptions::new(Cover::Purpose("P".into())) };
    let plan = plan(&model, &builtin, &options, &mut |_| {}).expect("the purpose is there");
    (model, plan)
}

#[test]
fn a_sequence_with_data() {
    let (model, plan) = of("purpose P { ?add(a) [a > 3]; !sum(_); ?add(b) [b == a + 2]; !sum(s) [s == 14] }");
    assert_eq!(lines(&model, &plan), ["add tell add tell"]);
    assert_eq!(values(&model, &plan.purposes[0]), ["add(6)", "sum(6)", "add(8)", "sum(14)"]);
}

#[test]
fn anything_between() {
    let (model, plan) = of("purpose P { ..; !done }");
    assert_eq!(lines(&model, &plan), ["add tell finish over"]);
    let (model, plan) = of("purpose P { ..; at l0 [x == 25] }");
    assert_eq!(lines(&model, &plan), ["add tell add tell add tell"]);
    assert_eq!(values(&model, &plan.purposes[0]).last().map(String::as_str), Some("sum(25)"));
}

#[test]
fn choices_and_repetitions() {
    let (model, plan) = of("purpose P { (?add(_); !sum(_)){2..}; ?stop; !done }");
    assert_eq!(lines(&model, &plan), ["add tell add tell finish over"]);
    let (model, plan) = of("purpose P { ?add(_); !sum(_); (?stop | ?add(_)) }");
    // The last stimulus is answered.
    assert_eq!(lines(&model, &plan), ["add tell finish over", "add tell add tell"]);
}

#[test]
fn what_must_not_happen() {
    let (model, plan) = of("purpose P { ..; at l0 [x >= 12]\n reject ?add(p) [p > 4] }");
    assert_eq!(lines(&model, &plan), ["add tell add tell add tell"]);
    assert_eq!(values(&model, &plan.purposes[0]).last().map(String::as_str), Some("sum(12)"));
    let (_, plan) = of("purpose P { ..; !done\n reject ?add(_) }");
    assert!(matches!(plan.goals[0].1, State::Infeasible(Infeasible::Written { .. })), "{:?}", plan.goals[0].1);
    assert!(plan.purposes.is_empty());
}

#[test]
fn silence() {
    let (model, plan) = of("purpose P { ?add(_); !sum(_); delta; ?stop; !done; delta }");
    assert_eq!(lines(&model, &plan), ["add tell delta finish over delta"]);
    // There is always an answer to `add`.
    let (_, plan) = of("purpose P { ?add(_); delta }");
    assert!(matches!(plan.goals[0].1, State::Infeasible(Infeasible::Written { .. })), "{:?}", plan.goals[0].1);
}

#[test]
fn a_switch_by_name() {
    let (model, plan) = of("purpose P { ..; take over }");
    assert_eq!(lines(&model, &plan), ["add tell finish over"]);
}

#[test]
fn what_contradicts_the_model() {
    let (_, plan) = of("purpose P { ?add(_); !sum(s) [s > 10] }");
    let State::Infeasible(Infeasible::Written { path, clash }) = &plan.goals[0].1 else { panic!("{plan:?}") };
    assert_eq!(path.len(), 2);
    assert!(clash.iter().any(|c| c.text.contains("> 10")), "{clash:?}");
    let (_, plan) = of("purpose P { ?add(a) [a > 10] }");
    assert!(matches!(plan.goals[0].1, State::Infeasible(Infeasible::Written { .. })), "{:?}", plan.goals[0].1);
    let (_, plan) = of("purpose P { ..; at l0 [x < 0] }");
    assert!(matches!(plan.goals[0].1, State::NotReached(_)), "{:?}", plan.goals[0].1);
}

#[test]
fn what_holds_at_once() {
    let (model, plan) = of("purpose P { at l0 }");
    assert!(plan.goals[0].1.is_covered() && plan.purposes.is_empty());
    assert!(lines(&model, &plan).is_empty());
    let (_, plan) = of("purpose P { at l0 [x == 0] }");
    assert!(plan.goals[0].1.is_covered() && plan.purposes.is_empty());
    // Silence that goes on is the same silence.
    let (model, plan) = of("purpose P { delta; delta; ?add(_) }");
    assert_eq!(lines(&model, &plan), ["delta add tell"]);
    // Where steps are allowed, some are taken.
    let (model, plan) = of("purpose P { (?add(_); !sum(_))* }");
    assert_eq!(lines(&model, &plan), ["add tell"]);
}

/// Alternatives of places multiply: that ends, and is said.
#[test]
fn too_many_places() {
    let groups: String = (1..20).map(|i| format!("(at l0 [x != {i}] | at l0 [x != {}]); ", 100 + i)).collect();
    let model = model(&format!("{COUNTER}\npurpose P {{ {groups} ?add(_) }}"));
    let options = PlanOptions::new(Cover::Purpose("P".into()));
    let error = plan(&model, &builtin, &options, &mut |_| {}).expect_err("it is too large");
    assert!(error.to_string().contains("too many parts"), "{error}");
}
