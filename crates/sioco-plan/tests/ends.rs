//! How paths and traces end that cannot go on.

mod support;

use sioco_model::Model;
use sioco_plan::{Cover, Options, Plan, plan};
use sioco_symbolic::Stop;
use support::{builtin, lines, model};

fn of(model: &Model, cover: Cover) -> Plan {
    let options = Options { strict: true, steering: false, ..Options::new(cover) };
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
