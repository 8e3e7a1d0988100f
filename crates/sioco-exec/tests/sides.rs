//! Free variables without bounds that are only compared: one value on each side stands for all others, so that states are
//! known where otherwise a solver would be asked about each.

mod support;

use sioco_exec::{Order, Referee};
use sioco_model::Model;
use sioco_model::semantics::sides::Sides;
use support::{builtin, event, model as model_of};

/// A model with the free variable `x` and these switches.
fn with(sort: &str, switches: &str) -> Model {
    model_of(&format!(
        "input a(p: Int in 0..2, q: Int)
output u(p: Int)
process P {{
  var x: {sort} = any
  var y: Int in 1..2 = 1
  var z: Int = 0
  init l0 {{ {switches} }}
}}"
    ))
}

/// The values that matter, in words; nothing if all of them may.
fn sides(sort: &str, switches: &str) -> Option<String> {
    let model = with(sort, switches);
    let var = model.variable("x").expect("it has one");
    let sides = Sides::of(&model, var, 16)?;
    let words: Vec<String> = sides.values.iter().map(|v| sides.show(&model, v)).collect();
    Some(words.join(", "))
}

#[test]
fn which_values_matter() {
    for (sort, switches, expected) in [
        ("Int", "?a(p, q) [x > 3] -> l0", Some("x < 3, x = 3, x > 3")),
        ("Int", "?a(p, q) [x == p] -> l0", Some("x < 0, x = 0, x = 1, x = 2, x > 2")),
        ("Int", "?a(p, q) [p + y < x] -> l0", Some("x < 1, x = 1, x = 2, x = 3, x = 4, x > 4")),
        (
            "Int",
            "?a(p, q) [(if x < 1 then 4 else -p) <= x] -> l0",
            Some("x < -2, x = -2, x = -1, x = 0, x = 1, x = 2, x = 3, x = 4, x > 4"),
        ),
        ("Int", "?a(p, q) [x != 3] / x := 5 -> l0", Some("x < 3, x = 3, x = 4, x = 5, x > 5")),
        ("Int", "?a(p, q) [x == x] -> l0", Some("x is any value")),
        ("Int", "?a(p, q) [x > q || true] -> l0", Some("x is any value")),
        ("Int in 3..1000", "?a(p, q) [x > 3] -> l0", Some("x = 3, x > 3")),
        (
            "String",
            "?a(p, q) [x == \"b\" || x == \"a\"] -> l0",
            Some("x = \"a\", x = \"b\", x is none of \"a\", \"b\""),
        ),
        // Shown, copied, computed with, compared with what has no bounds: all values matter.
        ("Int", "!u(x) -> l0", None),
        ("Int", "?a(p, q) [x > 3] / z := x -> l0", None),
        ("Int", "?a(p, q) [x > 3] / x := x + 1 -> l0", None),
        ("Int", "?a(p, q) [x + 1 > 3] -> l0", None),
        ("Int", "?a(p, q) [x > q] -> l0", None),
        ("Int", "?a(p, q) [x > z] -> l0", None),
        ("Int", "!u(any r) [r > x] -> l0", None),
        ("Int", "?a(p, q) [x > 3 && x < 300] -> l0", None),
        ("String", "?a(p, q) [len(x) > 2] -> l0", None),
    ] {
        assert_eq!(sides(sort, switches).as_deref(), expected, "{sort}: {switches}");
    }
}

/// Two values on the same side do the same: every one of them is judged like the one that stands for it.
#[test]
fn hypotheses_are_known_states() {
    let model = with("Int", "?a(p, q) [x > p] -> l0 !u(1) [x == 1] -> l0 !u(2) [x > 5] -> l0");
    let mut referee = Referee::new(&model, &builtin, Order::Sut);
    assert!(referee.start().is_none());
    assert!(referee.belief().hypotheses().all(|h| h.state().is_some()));
    assert_eq!(referee.belief().len(), 8);
    assert!(referee.input(&event(&model, "?a(2, 0)")).is_none());
    assert_eq!(referee.belief().len(), 4, "x is 3, 4, 5 or greater");
    assert!(referee.observe(&support::observation(&model, "!u(2)")).is_none());
    let shown: Vec<String> = referee.explain().hypotheses.iter().map(|h| format!("{h:?}")).collect();
    assert!(shown.len() == 1 && shown[0].contains("x > 5"), "{shown:?}");
    assert!(referee.observe(&support::observation(&model, "!u(1)")).is_some(), "x is not 1");
}
