//! How paths and traces end that cannot go on.

mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use sioco_model::Model;
use sioco_plan::{Cover, Memory, Plan, PlanOptions, Purpose, plan};
use sioco_solve::Limits;
use sioco_symbolic::{ExploreProgress, Stop};
use support::{builtin, lines, model};

fn of(model: &Model, cover: Cover) -> Plan {
    let options = PlanOptions { strict: true, steering: false, ..PlanOptions::new(cover) };
    plan(model, &builtin, &options, &mut |_| {}).expect("no purpose is named")
}

/// A trace after which internal steps go round for ever is not lost.
#[test]
fn internal_rounds_end_a_trace() {
    let text = "
input a
output b
process P {
  var x: Int in 0..1 = 0
  init l0 {
    start: ?a -> l1
  }
  state l1 {
    go:   tau -> l2
    idle: tau -> l1
    show: !b  -> l0
  }
  state l2 {
    there: tau / x := 1 - x -> l3
  }
  state l3 {
    back: tau / x := 1 - x -> l2
  }
}
";
    let model = model(text);
    let plan = of(&model, Cover::Traces(2));
    // `idle` leads back to where `show` is possible; `there` and `back` lead nowhere else.
    assert_eq!(lines(&model, &plan), ["start show", "start go"]);
    // To the outside the round is silence, wherever it is.
    let plan = of(&model, Cover::Paths(2));
    assert_eq!(lines(&model, &plan), ["delta", "start go there delta", "start go delta", "start show"]);
}

/// Who goes round and comes back to the values that there were since the last observation has shown nothing new, be they
/// the values of an input that nobody knows; nor does it matter what nobody reads any more.
#[test]
fn rounds_over_data_end() {
    let rounds = |sort: &str, turn: &str| {
        let text = format!(
            "input a(p: {sort})\noutput b(n: Int)\nprocess P {{\n  var x: Int = 0\n  var y: Int = 0\n  \
             init l0 {{ start: ?a(p) / x := p -> l1 }}\n  \
             state l1 {{ turn: tau / {turn} -> l1  show: !b(x) -> l0 }}\n}}\n"
        );
        let plan = of(&model(&text), Cover::Traces(2));
        (plan.purposes.len(), plan.counts.cut)
    };
    for (sort, turn, traces) in [
        // The fifth is `x mod 4`, which need not be `x`.
        ("Int", "x := (x + 1) mod 4", 5),
        ("Int in 0..3", "x := (x + 1) mod 4", 4),
        ("Int in 0..3", "x := (x - 3) mod 4", 4),
        ("Int in 0..3", "x := if x == 3 then 0 else x + 1", 4),
        ("Int in 0..3", "x := (x + x) mod 4", 3),
        ("Int", "x := 0 - x", 2),
        ("Int", "y := y + 1", 1),
        ("Int", "y := x", 1),
    ] {
        assert_eq!(rounds(sort, turn), (traces, 0), "{sort} {turn}");
    }
    // This goes on and on.
    assert_eq!(rounds("Int", "x := x + 1"), (100, 1));
    assert_eq!(rounds("Int", "x := x + x"), (100, 1));
}

/// The length is that of the longest, and not one more that nothing has; silence is a step of a path.
#[test]
fn the_length_is_that_of_the_longest() {
    let text = "
input a
output b
process P {
  init l0 { start: ?a -> l1 }
  state l1 { show: !b -> l2 }
  state l2 { idle: tau -> l3 }
  final l3
}
";
    let model = model(text);
    for (cover, length) in [
        (Cover::Traces(1), 1),
        (Cover::Traces(2), 2),
        (Cover::Traces(3), 2),
        (Cover::Traces(9), 2),
        (Cover::Paths(2), 2),
        (Cover::Paths(3), 3),
        (Cover::Paths(9), 3),
    ] {
        let plan = of(&model, cover.clone());
        assert_eq!((plan.length, plan.stop), (Some(length), Stop::Complete), "{cover}");
    }
}

/// The tree ends where the next layer would take more memory than there is: nodes, and a purpose for every trace, be it
/// one that ended long before.
#[test]
fn memory_is_counted_for_nodes_and_purposes() {
    let text = "
input a
input b
output u
process P {
  init l0 {
    left:  ?a  -> l0
    right: ?b  -> l0
    show:  !u  -> l1
  }
  state l1 { idle: tau -> l2 }
  final l2
}
";
    let model = model(text);
    let takes = |length: usize, memory: Option<usize>| {
        let cover = Cover::Traces(length);
        let options = PlanOptions { strict: true, steering: false, memory, ..PlanOptions::new(cover) };
        let plan = plan(&model, &builtin, &options, &mut |_| {}).expect("no purpose is named");
        let steps = plan.purposes.iter().map(|p| p.nodes.len() - 1).sum();
        let memory = Memory { nodes: plan.counts.nodes, purposes: plan.purposes.len(), steps };
        (plan.length.expect("a length"), plan.stop, memory)
    };
    let exact: Vec<Memory> = (1..=6).map(|length| takes(length, None).2).collect();
    // Traces that have ended: `show` after each of the shorter ones, with the internal step behind it.
    assert_eq!(exact[2], Memory { nodes: 1 + 3 + 7 + 15 - 1, purposes: 15, steps: 12 * 3 + 2 + 2 * 3 });
    for length in 1..6 {
        let room = exact[length - 1].bytes();
        assert_eq!(takes(6, Some(room)), (length, Stop::Memory, exact[length - 1]));
        let next = exact[length].bytes();
        assert_eq!(takes(6, Some(next - 1)), (length, Stop::Memory, exact[length - 1]));
    }
    assert_eq!(takes(6, Some(exact[5].bytes())).1, Stop::Complete);
    // Long purposes cost more than their share of the tree.
    assert!(
        Memory { nodes: 10, purposes: 5, steps: 50 }.bytes() > Memory { nodes: 10, purposes: 5, steps: 10 }.bytes()
    );
}

/// When the time is up, the answers to last inputs still belong to the purposes; when that takes too long as well, they
/// end where they are, which has nothing to do with internal steps.
#[test]
fn no_time_for_answers_is_counted_apart() {
    let text = "
input a
output u
process P {
  init l0 { ask: ?a -> l1  say: !u -> l0 }
  state l1 { show: !u -> l0 }
}
";
    let model = model(text);
    for over in [false, true] {
        let flag = Arc::new(AtomicBool::new(false));
        let limits = Limits::default().until(over.then_some(&flag));
        let options =
            PlanOptions { steering: false, enough: Some(flag.clone()), limits, ..PlanOptions::new(Cover::Traces(9)) };
        let mut until = |p: ExploreProgress| flag.store(p.depth == 2, Ordering::Relaxed);
        let plan = plan(&model, &builtin, &options, &mut until).expect("no purpose is named");
        assert_eq!((plan.length, plan.stop), (Some(1), Stop::Cancelled));
        // What ends with an output waits for nothing.
        let counts = &plan.counts;
        assert_eq!((plan.purposes.len(), counts.cut, counts.unfinished), (2, 0, usize::from(over)));
        let inputs_last = |p: &&Purpose| p.accepts().any(|n| p.line(n).last().is_some_and(|l| !l.step.is_own(&model)));
        assert_eq!(plan.purposes.iter().filter(inputs_last).count(), usize::from(over));
    }
}

/// Internal steps of different processes lead to the same state in any order: each such state is looked at once.
#[test]
fn interleavings_are_not_enumerated() {
    let text = "
input a(x: Int)
output b
process P(k: Int) {
  var v: Int = 0
  init s {
    count: tau [v < 3] / v := v + 1 -> s
    add:   ?a(x) [x == k] / v := v + 1 -> s
  }
}
system S = P(0) || P(1) || P(2) || P(3) || P(4) || P(5)
";
    let model = model(text);
    let options = PlanOptions { steering: false, ..PlanOptions::new(Cover::Switch) };
    let plan = plan(&model, &builtin, &options, &mut |_| {}).expect("no purpose is named");
    assert_eq!(plan.coverage().covered, 12);
    // All of them are followed until nothing is left to do.
    assert_eq!(plan.counts.cut, 0);
    assert!(plan.purposes.iter().all(|p| p.accepts().count() == 1), "{:?}", lines(&model, &plan));
}
