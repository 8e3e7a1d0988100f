//! Free variables without bounds that are only compared: one value on each side stands for all others, so that states are
//! known where otherwise a solver would be asked about each.

mod support;

use sioco_exec::suite::Suite;
use sioco_exec::{Order, Referee};
use sioco_model::Model;
use sioco_model::semantics::sides::{Seen, Sides};
use support::{builtin, event, model as model_of, planned};

/// A model with the free variable `x` and these switches.
fn with(sort: &str, switches: &str) -> Model {
    model_of(&format!(
        "input a(p: Int in 0..2, q: Int)
input t(s: String)
output u(p: Int)
output e(m: Int, n: Int)
process P {{
  var x: {sort} = any
  var y: Int in 1..2 = 1
  var z: Int = 0
  var w: Int in -3..-1 = -1
  init l0 {{ {switches} }}
}}"
    ))
}

/// The values that matter, in words; nothing if all of them may.
fn sides(sort: &str, switches: &str) -> Option<String> {
    let model = with(sort, switches);
    let var = model.variable("x").expect("it has one");
    let sides = Sides::of(&model, var, 16)?;
    let words: Vec<String> = sides.values.iter().map(|v| sides.show(&model, v, &Seen::default())).collect();
    Some(words.join(", "))
}

/// What a variable without bounds is compared with, in words.
#[track_caller]
fn check(sort: &str, switches: &str, expected: Option<&str>) {
    assert_eq!(sides(sort, switches).as_deref(), expected, "{sort}: {switches}");
}

/// All numbers between two ends, and one on each side of them.
fn between(lo: i64, hi: i64) -> String {
    let inside: Vec<String> = (lo..=hi).map(|n| format!("x = {n}")).collect();
    format!("x < {lo}, {}, x > {hi}", inside.join(", "))
}

#[test]
fn which_values_matter() {
    for (sort, switches, expected) in [
        ("Int", "?a(p, q) [x > 3] -> l0", Some("x < 3, x = 3, x > 3")),
        ("Int", "?a(p, q) [x < p] -> l0", Some("x < 0, x = 0, x = 1, x = 2, x > 2")),
        ("Int", "?a(p, q) [x == p] -> l0", Some("x = 0, x = 1, x = 2, x is none of 0, 1, 2")),
        ("Int", "?a(p, q) [x != 3] / x := 5 -> l0", Some("x = 3, x = 5, x is none of 3, 5")),
        ("Int", "?a(p, q) [x == x] -> l0", Some("x is any value")),
        // What is bounded by itself, or keeps its value.
        ("Int in 3..1000", "?a(p, q) [x > 3] -> l0", Some("x = 3, x > 3")),
        ("Int in 0..5", "?a(p, q) / x := q -> l0", Some("x = 0, x = 1, x = 2, x = 3, x = 4, x = 5")),
        ("Int in 0..5", "?a(p, q) [x < p + y] -> l0", Some("x < 1, x = 1, x = 2, x = 3, x = 4, x > 4")),
        ("Int in 0..3", "?t(s) / x := len(s) -> l0", Some("x = 0, x = 1, x = 2, x = 3")),
        ("Int in 0..90", "?a(p, q) [x > 3] / x := x -> l0", Some("x < 3, x = 3, x > 3")),
        ("Int in 9..90", "?a(p, q) [x > 3] -> l0", Some("x > 3")),
        ("Int in 0..3", "?a(p, q) [x == 0 || x == 1 || x == 2 || x == 3] -> l0", Some("x = 0, x = 1, x = 2, x = 3")),
        // Of a junction that has its value whatever comes first, nothing matters.
        ("Int", "?a(p, q) [x > q || true] -> l0", Some("x is any value")),
        ("Int", "?a(p, q) [x > q && false] -> l0", Some("x is any value")),
        ("Int", "?a(p, q) [x + q > 1 || true] -> l0", Some("x is any value")),
        ("Int", "?a(p, q) [x + q > 1 && false] -> l0", Some("x is any value")),
        ("Int", "?a(p, q) [x + q > 1 || false] -> l0", None),
        ("Int", "?a(p, q) [x + q > 1 && true] -> l0", None),
        ("Int", "?a(p, q) [x + q > 1 || p == 1] -> l0", None),
        ("Int", "?a(p, q) [1 div x == 1 || true] -> l0", None),
        // What is sent and seen tells values apart when it comes.
        ("Int", "!u(x) -> l0", Some("x is any value")),
        ("Int", "?a(p, q) [x > q] -> l0", Some("x is any value")),
        ("Int", "?a(p, q) [x > 5] / x := (if q > 1 then x else q) -> l0", Some("x < 5, x = 5, x > 5")),
        ("Int", "?a(p, q) [x > z] -> l0", Some("x < 0, x = 0, x > 0")),
        ("Int", "?a(p, q) [x > z] / z := q -> l0", Some("x < 0, x = 0, x > 0")),
        ("Int", "?a(p, q) [x > z] / z := (if p > 1 then z else q) -> l0", Some("x < 0, x = 0, x > 0")),
        ("Int", "?a(p, q) [x > (if p == 1 then q else 4)] -> l0", Some("x < 4, x = 4, x > 4")),
        ("Int", "tau any r: Int in 0..15 [r > 1] -> l0 ?a(p, q) [x > q] -> l0", Some("x is any value")),
        ("Int", "tau any r: Int in 0..16 [r > 1] -> l0 ?a(p, q) [x > q] -> l0", None),
        ("Int in 0..2", "?a(p, q) [x < q mod 16] -> l0", Some("x = 0, x = 1, x = 2")),
        ("Int in 0..200", "?a(p, q) [x < q mod 17 && x < q] -> l0", None),
        ("Int in 0..200", "?a(p, q) [x < q mod 17 - 10 && x < q] -> l0", None),
        ("Int in 0..200", "?a(p, q) [x < q mod 5 - 3 && x < q] -> l0", Some("x = 0, x = 1, x > 1")),
        ("Int", "?a(p, q) [x > z] -> l0 !u(any r) / z := r -> l0", Some("x < 0, x = 0, x > 0")),
        // Whether there is a value to choose depends on what else it is compared with.
        ("Int", "!u(any r) [r == x || r != 4] -> l0", Some("x = 4, x is none of 4")),
        ("Int", "!u(any r) [r == x && r != 3] -> l0", Some("x = 3, x is none of 3")),
        ("Int", "!u(any r) [r == x && r != y] -> l0", Some("x = 1, x = 2, x is none of 1, 2")),
        ("Int in 0..1000", "?a(p, q) [x < q] / x := q -> l0", Some("x is any value")),
        ("String", "?t(s) [x == s] -> l0", Some("x is any value")),
        // Copied, computed with, compared with what nobody sees or with what the system chooses by it: all values matter.
        ("Int", "?a(p, q) [x > 3] / z := x -> l0", None),
        ("Int", "?a(p, q) [x > 3] / x := x + 1 -> l0", None),
        ("Int", "?a(p, q) [x + 1 > 3] -> l0", None),
        ("Int", "?a(p, q) [x > z] / z := z + 1 -> l0", None),
        ("Int", "?a(p, q) [x > z] / z := x -> l0", None),
        ("Int", "tau any r: Int [x > r] -> l0", None),
        ("Int", "tau any r: Int [r > 1] -> l0 ?a(p, q) [x > q] -> l0", None),
        ("Int", "!u(any r) [r == x && r < 4] -> l0", None),
        ("Int", "!e(any r, any s) [r == s && r == x] -> l0", None),
        ("Int", "!e(any r, any s) [r == x && s == x] -> l0", Some("x is any value")),
        ("Int", "!u(any r) [r > x] -> l0", None),
        ("Int", "?a(p, q) [x > abs(q)] -> l0", None),
        ("Int", "?a(p, q) [x < -abs(q)] -> l0", None),
        ("Real", "?a(p, q) [x > 3] -> l0", None),
        ("String", "?a(p, q) [len(x) > 2] -> l0", None),
    ] {
        check(sort, switches, expected);
    }
}

#[test]
fn what_it_is_compared_with_has_bounds() {
    for (with, lo, hi) in [
        ("p + y", 1, 4),
        ("p - y", -2, 1),
        ("p * y", 0, 4),
        ("p * w", -6, 0),
        ("-p", -2, 0),
        ("abs(w)", 1, 3),
        ("min(p, y)", 0, 2),
        ("max(p, y, w)", 1, 2),
        ("w div 2", -2, -1),
        ("q mod 3", 0, 2),
        ("q mod 1", 0, 0),
        ("(if x < 1 then 4 else -p)", -2, 4),
    ] {
        check("Int", &format!("?a(p, q) [x <= {with}] -> l0"), Some(&between(lo, hi)));
        check("Int", &format!("?a(p, q) [{with} < x] -> l0"), Some(&between(lo, hi)));
    }
    // Without bounds on both sides, or nobody looks into it.
    for with in ["min(p, q)", "max(p, q)", "q div 2", "p div y", "p div -2", "q mod -2", "len([p])"] {
        check("Int", &format!("?a(p, q) [x <= {with}] -> l0"), None);
    }
}

/// Fields have the bounds that they were declared with.
#[test]
fn it_is_compared_with_fields() {
    let model = model_of(
        "type V = None | Some(n: Int in 0..1, m: Int)\ninput a(p: V)\nprocess P {\n  var x: Int = any\n  \
         init l0 { ?a(p) [match p { None => x > 4, Some(n, m) => x < n }] -> l0 }\n}\n",
    );
    let var = model.free_variables().next().expect("it has one");
    assert_eq!(Sides::of(&model, var, 16).map(|s| s.values.len()), Some(6), "0, 1, 4 and what lies between");
    let text = model_of(
        "type V = None | Some(n: Int in 0..1, m: Int)\ninput a(p: V)\nprocess P {\n  var x: Int = any\n  \
         init l0 { ?a(p) [match p { None => x > 4, Some(n, m) => x < m }] -> l0 }\n}\n",
    );
    assert_eq!(Sides::of(&text, text.free_variables().next().expect("it has one"), 16), None);
}

/// A divisor that is zero is a model error where it is reached, and no reason to look further.
#[test]
fn nothing_is_divided_by_zero() {
    for (divisor, known) in [(2, true), (0, false), (-2, false)] {
        for operation in ["div", "mod"] {
            let model = model_of(&format!(
                "input a(p: Int in 0..2)\nprocess P(d: Int) {{\n  var x: Int = any\n  \
                 init l0 {{ ?a(p) [x == p {operation} d] -> l0 }}\n}}\nsystem S = P({divisor})\n"
            ));
            let var = model.free_variables().next().expect("it has one");
            assert_eq!(Sides::of(&model, var, 16).is_some(), known, "{operation} {divisor}");
        }
    }
}

/// So many values are followed, and no more.
#[test]
fn there_are_only_so_many_sides() {
    check("Int", "?a(p, q) [x > 0 && x < 14] -> l0", Some("x < 0, x = 0, 0 < x < 14, x = 14, x > 14"));
    let numbers = |n: u64| (0..n).map(|i| format!("x > {}", 10 * i)).collect::<Vec<_>>().join(" || ");
    let known = |n: u64| sides("Int", &format!("?a(p, q) [{}] -> l0", numbers(n))).map(|s| s.matches("x").count());
    assert_eq!((known(7), known(8)), (Some(15), None));
    let texts = |n: u8| {
        let one = |i: u8| format!("x == \"{}\"", char::from(b'a' + i));
        (0..n).map(one).collect::<Vec<_>>().join(" || ")
    };
    let known = |n: u8| sides("String", &format!("?a(p, q) [{}] -> l0", texts(n))).map(|s| s.matches("x ").count());
    assert_eq!((known(15), known(16)), (Some(16), None));
    // What is written twice is one text.
    let twice = format!("?a(p, q) [{}] -> l0 ?a(p, q) [!({})] -> l0", texts(15), texts(15));
    assert!(sides("String", &twice).is_some());
}

#[test]
fn texts_are_known_or_not() {
    check(
        "String",
        "?a(p, q) [x == \"b\" || \"a\" == x] -> l0",
        Some("x = \"a\", x = \"b\", x is none of \"a\", \"b\""),
    );
    check("String", "?a(p, q) [x != \"\"] / x := \"-\" -> l0", Some("x = \"\", x = \"-\", x is none of \"\", \"-\""));
    check("String", "?a(p, q) -> l0", Some("x is any value"));
}

/// The values of different switches come together, each with its own parameters.
#[test]
fn all_switches_count() {
    check("Int", "?a(p, q) [x > p] -> l0 !u(any r) [r == 1 && x == 3] -> l0", Some(&between(0, 3)));
    check("Int", "?a(p, q) [x > p] -> l0 ?a(q, p) [x > p] -> l0", Some(&between(0, 2)));
    check("Int", "?a(p, q) [p == 1] / z := p -> l0", Some("x is any value"));
}

/// Two values on the same side do the same: every one of them is judged like the one that stands for it.
#[test]
fn hypotheses_are_known_states() {
    let model = with("Int", "?a(p, q) [x > p] -> l0 !u(1) [x == 1] -> l0 !u(2) [x > 5] -> l0");
    let mut referee = Referee::new(&model, &builtin, Order::Sut);
    assert!(referee.start().is_none());
    assert!(referee.belief().hypotheses().all(|h| h.state().is_some()));
    assert_eq!(referee.belief().len(), 7);
    assert!(referee.input(&event(&model, "?a(2, 0)")).is_none());
    assert_eq!(referee.belief().len(), 3, "x is less than 5, 5 or greater");
    assert!(referee.observe(&support::observation(&model, "!u(2)")).is_none());
    let shown: Vec<String> = referee.explain().hypotheses.iter().map(|h| format!("{h:?}")).collect();
    assert!(shown.len() == 1 && shown[0].contains("x > 5"), "{shown:?}");
    assert!(referee.observe(&support::observation(&model, "!u(1)")).is_some(), "x is not 1");
}

/// Values that are sent and seen make new sides: what they lie between is told apart from then on.
#[test]
fn what_is_sent_and_seen_tells_values_apart() {
    let model = with("Int", "?a(p, q) [x < q] -> l0 !u(x) [x > -9] -> l0");
    let mut referee = Referee::new(&model, &builtin, Order::Sut);
    assert!(referee.start().is_none());
    assert!(referee.input(&event(&model, "?a(1, 7)")).is_none());
    assert_eq!(referee.belief().len(), 5, "below -9, -9, up to 1, 1, up to 7");
    assert!(referee.input(&event(&model, "?a(1, 7)")).is_none());
    assert_eq!(referee.belief().len(), 5, "what was sent before is known");
    assert!(referee.observe(&support::observation(&model, "!u(5)")).is_none());
    assert_eq!(referee.belief().len(), 1, "x is 5");
    assert!(!referee.takes(&event(&model, "?a(1, 5)")));
    assert!(referee.takes(&event(&model, "?a(1, 6)")));
    assert!(referee.observe(&support::observation(&model, "!u(4)")).is_some(), "x is 5");
}

/// What was ruled out does not come back with a value that was sent before.
#[test]
fn what_is_ruled_out_stays_so() {
    let model = with("Int", "?a(p, q) [p == 0 && x < q] -> l0 ?a(p, q) [p == 1 && x <= q] -> l0 !u(x) -> l0");
    let mut referee = Referee::new(&model, &builtin, Order::Sut);
    assert!(referee.start().is_none());
    assert!(referee.input(&event(&model, "?a(0, 7)")).is_none());
    assert!(referee.input(&event(&model, "?a(1, 7)")).is_none());
    assert!(referee.observe(&support::observation(&model, "!u(7)")).is_some(), "x is less than 7");
}

/// Whether all hypotheses take an input is asked of what is on both sides of it.
#[test]
fn an_input_that_lies_between_is_taken_by_some() {
    let model = with("Int", "?a(p, q) [q == x || q == 5] -> l0");
    for (input, some, all) in [("?a(0, 0)", true, false), ("?a(0, 7)", true, false), ("?a(0, 5)", true, true)] {
        let mut referee = Referee::new(&model, &builtin, Order::Sut);
        assert!(referee.start().is_none());
        let input = event(&model, input);
        assert_eq!((referee.takes(&input), referee.must_take(&input)), (some, all), "{}", input.show(&model));
        // Whoever sent something else knows no more than before.
        assert!(referee.input(&event(&model, "?a(0, 5)")).is_none());
        assert_eq!((referee.takes(&input), referee.must_take(&input)), (some, all), "{}", input.show(&model));
    }
    // Whoever stands for all other texts is none of those that were sent.
    let others = with("String", "?t(s) [x != s] -> l0");
    let mut referee = Referee::new(&others, &builtin, Order::Sut);
    assert!(referee.start().is_none());
    for text in ["?t(\"-\")", "?t(\"-\")", "?t(\"--\")", "?t(\"a\")"] {
        assert!(referee.input(&event(&others, text)).is_none(), "{text}");
        assert_eq!(referee.belief().len(), 1, "{text}");
    }
    // Texts as well: another one than the first is not taken.
    let model = with("String", "?t(s) [s == x] -> l1 } state l1 { !u(1) -> l0");
    for (log, fails) in
        [(["?t(\"a\")", "!u(1)", "?t(\"a\")", "!u(1)"], false), (["?t(\"a\")", "!u(1)", "?t(\"b\")", "!u(1)"], true)]
    {
        let mut referee = Referee::new(&model, &builtin, Order::Sut);
        assert!(referee.start().is_none());
        let ends = log.iter().any(|line| match line.starts_with('?') {
            true => referee.input(&event(&model, line)).is_some(),
            false => referee.observe(&support::observation(&model, line)).is_some(),
        });
        assert_eq!(ends, fails, "{log:?}");
    }
}

/// A free variable is known by one value on each side only if nothing else asks for its values: neither a purpose nor
/// something that can still happen.
#[test]
fn which_states_are_known_at_the_start() {
    let start = |text: &str, cover: Option<&str>| {
        let model = model_of(text);
        let suite = cover.map_or_else(Suite::default, |c| Suite::new(&model, &planned(&model, c, false)));
        let mut referee = Referee::with(&model, &builtin, Order::Sut, suite, None, 10_000);
        assert!(referee.start().is_none());
        let belief = referee.belief();
        (belief.len(), belief.hypotheses().all(|h| h.state().is_some()))
    };
    let compared = "input a\noutput o\nprocess P {\n  var x: Int = any\n  init l0 { ?a [x > 3] -> l0   give: !o [x < 3] -> l0 }\n}\n\
                    purpose Large { ?a [x > 100] }\n";
    assert_eq!(start(compared, None), (3, true));
    assert_eq!(start(compared, Some("switch")), (3, true));
    assert_eq!(start(compared, Some("purpose:Large")), (1, false), "the purpose tells more values apart");
    // It gets another value before anything reads it, so that it does not matter that it is shown then.
    let written = "input a\noutput o(n: Int)\nprocess P {\n  var x: Int = any\n  init l0 { ?a / x := 1 -> l1 }\n  state l1 { !o(x) -> l0 }\n}\n";
    assert_eq!(start(written, None), (1, true));
    assert_eq!(start(&written.replace("x := 1", "x := x + 1"), None), (1, false));
    // Where one variable is left open, nothing can be told apart later: then all are.
    let two = "input a(q: Int)\nprocess P {\n  var x: Int = any\n  var y: Int = any\n  \
               init l0 { ?a(q) [q == x && y + y > 3] -> l0 }\n}\n";
    assert_eq!(start(two, None), (1, false));
    let model = model_of(two);
    let mut referee = Referee::new(&model, &builtin, Order::Sut);
    assert!(referee.start().is_none());
    assert!(referee.input(&event(&model, "?a(5)")).is_none() && referee.input(&event(&model, "?a(6)")).is_some());
    assert_eq!(start(&two.replace("y + y", "y"), None), (3, true));
}

/// A term whose parts occur many times is looked at once.
#[test]
fn what_is_shared_is_read_once() {
    let funs: String = (1..50).map(|i| format!("fun f{i}(n: Int): Int = f{}(max(n, n * n - {i}))\n", i - 1)).collect();
    for (guard, count) in [("f49(q) > 0 && x > 3", Some(3)), ("x > f49(q) mod 2", Some(4)), ("x > f49(q)", None)] {
        let model = model_of(&format!(
            "input a(q: Int)\nfun f0(n: Int): Int = n\n{funs}process P {{\n  var x: Int = any\n  \
             init l0 {{ ?a(q) [{guard}] -> l0 }}\n}}\n"
        ));
        let sides = Sides::of(&model, model.variable("x").expect("it has one"), 16);
        assert_eq!(sides.map(|s| s.values.len()), count, "{guard}");
    }
}
