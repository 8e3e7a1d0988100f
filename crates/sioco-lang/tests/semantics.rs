//! What models mean: steps, `else`, answers, choices, handshakes, quiescence, deadlocks, model errors.

use sioco_lang::check_text;
use sioco_model::model::Model;
use sioco_model::semantics::{Interpreter, Quiescence, State, StepError};
use sioco_model::{Value, number};

fn model(text: &str) -> Model {
    let checked = check_text("m.sts", text);
    assert!(!checked.has_errors(), "{text}\n{:#?}", checked.diagnostics);
    checked.model.expect("a model").model
}

fn ints(values: &[i64]) -> Vec<Value> {
    values.iter().map(|n| Value::Int(*n)).collect()
}

/// The names of the switches of a gate that are enabled for these values.
fn enabled(i: &mut Interpreter<'_>, state: &State, gate: &str, args: &[Value]) -> Vec<String> {
    let gate = i.model().gate(gate).expect("a gate");
    let found = i.successors(state, gate, args).expect("defined");
    found.iter().map(|(s, _)| i.model().switches[*s].name.clone()).collect()
}

fn fire(i: &mut Interpreter<'_>, state: &mut State, switch: &str, args: &[Value]) {
    let id = i.model().switch(switch).expect("a switch");
    assert_eq!(i.fire(state, id, args), Ok(true), "{switch}{args:?} in {}", state.show(i.model()));
}

#[test]
fn else_is_the_rest() {
    let m = model(
        "input a(p: Int)\ninput b\noutput o(n: Int)\noutput t
process P {
  var x: Int = 0
  init l {
    small: ?a(p) [p < 3]            -> l
    exact: ?a(q) [q == 10 + x]      -> l
    rest:  ?a(_) [else] / x := 1    -> l
    go:    ?b                       -> m
  }
  state m {
    one:   !o(1)       [x > 5]      -> l
    some:  !o(any n)   [n > x && n < 3] -> l
    quiet: !t          [else]       -> l
  }
}",
    );
    let mut i = Interpreter::new(&m);
    let mut s = i.initial_default();
    assert_eq!(enabled(&mut i, &s, "a", &ints(&[2])), ["small"]);
    assert_eq!(enabled(&mut i, &s, "a", &ints(&[10])), ["exact"]);
    assert_eq!(enabled(&mut i, &s, "a", &ints(&[5])), ["rest"]);
    fire(&mut i, &mut s, "go", &[]);
    // For x = 0 there are n with 0 < n < 3, so the else of `m` is not enabled.
    assert_eq!(enabled(&mut i, &s, "t", &[]), [""; 0]);
    assert_eq!(enabled(&mut i, &s, "o", &ints(&[2])), ["some"]);
    let x = m.variable("x").expect("x");
    let mut values = s.values().to_vec();
    values[sioco_model::Id::index(x)] = Value::Int(2);
    let s = State::new(s.locations().to_vec(), values);
    assert_eq!(enabled(&mut i, &s, "t", &[]), ["quiet"]);
}

#[test]
fn answers_see_the_parameters_and_the_new_values() {
    let m = model(
        "input a(p: Int)\noutput b(q: Int)\nprocess P {\n var x: Int = 1\n init l {\n s: ?a(p) / x := x + p ; !b(x * p) / x := p -> l\n }\n}",
    );
    let mut i = Interpreter::new(&m);
    let start = i.initial_default();
    let mut s = start.clone();
    fire(&mut i, &mut s, "s", &ints(&[4]));
    assert_eq!(enabled(&mut i, &s, "a", &ints(&[4])), [""; 0]);
    assert_eq!(enabled(&mut i, &s, "b", &ints(&[19])), [""; 0]);
    fire(&mut i, &mut s, "s!b", &ints(&[20]));
    assert_eq!(s.value(m.variable("x").expect("x")), &Value::Int(4));
    // What carried `p` is forgotten: the state is the initial one, but for x.
    assert_eq!(s.values()[1..], start.values()[1..]);
}

#[test]
fn hidden_choices_are_enumerated() {
    let m = model(
        "output o(n: Int)\nprocess P {\n var x: Int = 0\n init l {\n tau any k: Int, any b: Bool [0 <= k && k < 4 && (b || k > 2)] / x := k -> m\n }\n state m { !o(x) -> m }\n}",
    );
    let mut i = Interpreter::new(&m);
    let s = i.initial_default();
    // k in 0..3 with b, and k = 3 without.
    assert_eq!(i.internal_steps(&s).expect("finite").len(), 5);
    let closure = i.closure(vec![s]).expect("finite");
    assert_eq!(closure.states.len(), 5);
    assert!(!closure.cut);
}

#[test]
fn what_cannot_be_told_is_said_to_need_a_solver() {
    let m = model("output o(n: Int)\nprocess P {\n var x: Int = 7\n init l {\n !o(any n) [n * n == x] -> l\n }\n}");
    let mut i = Interpreter::new(&m);
    let s = i.initial_default();
    assert!(matches!(i.quiescence(&s), Ok(Quiescence::Unknown { .. })));
    let m = model(
        "output o\nprocess P {\n var x: Int = 0\n init l {\n tau any k: Int / x := k -> m\n }\n state m { !o [x > 0] -> l }\n}",
    );
    let mut i = Interpreter::new(&m);
    let s = i.initial_default();
    assert!(matches!(i.closure(vec![s]), Err(StepError::NeedsSolver { .. })));
}

#[test]
fn quiescence_is_exact_where_it_can_be() {
    let case = |switches: &str, expected: &str| {
        let m = model(&format!(
            "output o(n: Int)\noutput r(v: Real)\noutput f(b: Int in 0..9)\noutput s(t: String)\ninput i\nprocess P {{\n var x: Int = 5\n init l {{\n ?i -> l\n !o(x) [x > 9] -> l\n !r(0) [x > 9] -> l\n !f(0) [x > 9] -> l\n !s(\"\") [x > 9] -> l\n {switches}\n }}\n state m {{ tau -> l }}\n}}",
        ));
        let mut i = Interpreter::new(&m);
        let s = i.initial_default();
        let found = match i.quiescence(&s).expect("defined") {
            Quiescence::Quiescent => "quiescent",
            Quiescence::Diverging => "diverging",
            Quiescence::Active(_) => "active",
            Quiescence::Unknown { .. } => "unknown",
        };
        assert_eq!(found, expected, "{switches}");
    };
    case("tau [x < 0] -> m", "quiescent");
    case("!o(any n) [n > x] -> m", "active");
    case("!o(any n) [n > x && n < x] -> m", "quiescent");
    case("!o(any n) [n > x && n < x + 1] -> m", "quiescent");
    case("!o(any n) [n > x && n < x + 2] -> m", "active");
    case("!o(any n) [n > x && n < x + 2 && n != x + 1] -> m", "quiescent");
    case("!o(any n) [n == x && n != 5] -> m", "quiescent");
    case("!o(any n) [x - n == 2 * x] -> m", "active");
    case("!o(any n) [n mod 7 == 3 && 10 < n && n < 17] -> m", "quiescent");
    case("!o(any n) [n mod 7 == 3 && 10 < n && n <= 17] -> m", "active");
    case("!o(any n) [n > 3 && n < 2 || n == 7] -> m", "active");
    case("!o(any n) [!(n > 3 || n <= 3)] -> m", "quiescent");
    case("!r(any v) [v > x && v < x + 1] -> m", "active");
    case("!r(any v) [v > x && v <= x] -> m", "quiescent");
    case("!r(any v) [v >= x && v <= x && v != 5] -> m", "quiescent");
    case("!f(any b) [b * b == 50] -> m", "quiescent");
    case("!f(any b) [b * b == 49] -> m", "active");
    case("!f(any b) [b > 9] -> m", "quiescent");
    case("!s(any t) [t != \"\"] -> m", "active");
    case("!s(any t) [t == \"a\" && t != \"a\"] -> m", "quiescent");
    case("!s(any t) [len(t) == 3] -> m", "active");
    case("!o(any n) [n * n * n == x] -> m", "unknown");
    case("tau [x > 0] -> m", "diverging");
    // The first leaves for new states without end, the second comes to an output.
    case("tau / x := x - 1 -> m", "unknown");
    case("tau [x > 0] / x := x + 1 -> m", "active");
    case("tau [x == 5] / x := 10 -> m", "active");
}

#[test]
fn processes_shake_hands() {
    let m = model(
        "channel c(v: Int)\ninput i(v: Int)\noutput o(v: Int)
process A { var x: Int = 0
  init a { ?i(v) / x := v -> b }
  state b { send c(x + 1) [x < 10] -> a } }
process B(limit: Int) { var y: Int = 0
  init a { take: recv c(v) [v < limit] / y := v -> b }
  state b { !o(y) -> a } }
system S = A || low: B(5) || high: B(100)",
    );
    let mut i = Interpreter::new(&m);
    let mut s = i.initial_default();
    assert_eq!(i.internal_steps(&s), Ok(vec![]));
    fire(&mut i, &mut s, "A.a?i", &ints(&[2]));
    let steps = i.internal_steps(&s).expect("finite");
    // Either of the two takes the 3.
    assert_eq!(steps.len(), 2);
    assert_eq!(steps[0].0.args, ints(&[3]));
    let names: Vec<&str> =
        steps.iter().map(|(s, _)| m.switches[s.receive.expect("a handshake")].name.as_str()).collect();
    assert_eq!(names, ["low.take", "high.take"]);
    let mut s2 = i.initial_default();
    fire(&mut i, &mut s2, "A.a?i", &ints(&[7]));
    assert_eq!(i.internal_steps(&s2).expect("finite").len(), 1);
    let after = i.after(vec![i.initial_default()], m.gate("i").expect("i"), &ints(&[2])).expect("finite");
    assert_eq!(after.states.len(), 3);
    let o = m.gate("o").expect("o");
    assert_eq!(i.after(after.states, o, &ints(&[3])).expect("finite").states.len(), 2);
}

#[test]
fn undefined_terms_are_model_errors_that_name_the_switch() {
    let case = |switch: &str, expected: &str| {
        let m = model(&format!(
            "output o(n: Int)\nprocess P {{\n var x: Int = 0\n var y: Int in 0..3 = 3\n var s: Seq<Int> = []\n init l {{\n w: {switch} -> l\n !o(s[0]) [x > 9 && y > 9] -> l\n }}\n}}"
        ));
        let mut i = Interpreter::new(&m);
        let mut state = i.initial_default();
        let before = state.clone();
        let error = i.fire(&mut state, m.switch("w").expect("w"), &ints(&[1])).expect_err(switch);
        assert_eq!(error.describe(&m), expected);
        assert_eq!(state, before, "a failed step leaves the state alone");
    };
    case("!o(1) [1 div x == 2]", "the guard of `w` is undefined: division by zero");
    case(
        "!o(x / 0) [true]".replace("x / 0", "1 mod x").as_str(),
        "the argument `n` of `w` is undefined: division by zero",
    );
    case("!o(s[2])", "the argument `n` of `w` is undefined: index 2 is outside of a length of 0");
    case("!o(1) / x := 5, y := y + 1", "the new value of `y` of `w`: 4 is outside of its range `Int in 0..3`");
}

#[test]
fn integers_are_unbounded() {
    let m = model("output o(n: Int)\nprocess P {\n var x: Int = 2\n init l { up: !o(x * x) / x := x * x -> l }\n}");
    let mut i = Interpreter::new(&m);
    let mut s = i.initial_default();
    let up = m.switch("up").expect("up");
    let mut expected = number::BigInt::from(2);
    for _ in 0..10 {
        expected = &expected * &expected;
        assert_eq!(i.fire(&mut s, up, &[number::int(expected.clone())]), Ok(true));
    }
    assert_eq!(number::to_big(&s.values()[0]), Some(expected));
}

#[test]
fn tolerances_allow_for_floating_point() {
    let m = model("output o(v: Real tolerance 0.01)\nprocess P { init l { w: !o(1 / 3) -> l } }");
    let mut i = Interpreter::new(&m);
    let w = m.switch("w").expect("w");
    for (text, expected) in [("0.33", true), ("0.34", true), ("0.32", false), ("0.3333333333", true), ("0.35", false)] {
        let mut s = i.initial_default();
        let value = Value::real(number::parse_decimal(text).expect("a decimal"));
        assert_eq!(i.fire(&mut s, w, &[value]), Ok(expected), "{text}");
    }
}

#[test]
fn deadlocks_are_told_from_ends() {
    let m = model(
        "input i(p: Int)\nprocess P { init a { ?i(p) [p > 0] -> b\n ?i(p) [p < 0] -> c } final b\n state c { ?i(p) [p > p + 1] -> c } }",
    );
    let mut i = Interpreter::new(&m);
    let start = i.initial_default();
    assert_eq!(i.is_deadlock(&start), Ok(Some(false)));
    let mut s = start.clone();
    fire(&mut i, &mut s, "a?i", &ints(&[1]));
    assert_eq!(i.is_deadlock(&s), Ok(Some(false)));
    let mut s = start;
    fire(&mut i, &mut s, "a?i#2", &ints(&[-1]));
    // `p > p + 1` is never true, but that takes some algebra.
    assert_eq!(i.is_deadlock(&s), Ok(None));
}

#[test]
fn a_tolerance_reaches_over_the_end_of_a_range() {
    let m = model(
        "output o(v: Real in 0..1 tolerance 0.01)
process P {
  var x: Real in 0..1 = 0
  init l {
    told:   !o(1)                   -> l
    chosen: !o(any v) / x := v      -> m
  }
  state m { again: !o(x) -> m }
}",
    );
    let mut i = Interpreter::new(&m);
    let s = i.initial_default();
    let real = |text: &str| vec![Value::real(number::parse_decimal(text).expect("a number"))];
    assert_eq!(enabled(&mut i, &s, "o", &real("0.995")), ["told", "chosen"]);
    // Equal to the 1 of the model; but nothing that the system may choose.
    assert_eq!(enabled(&mut i, &s, "o", &real("1.005")), ["told"]);
    assert_eq!(enabled(&mut i, &s, "o", &real("1.02")), [""; 0]);
    let gate = m.gate("o").expect("a gate");
    assert!(i.is_gate_value(gate, &real("1.01")) && !i.is_gate_value(gate, &real("1.011")));
}

#[test]
fn else_next_to_an_output_of_any_integer_needs_no_solver() {
    let m = model(
        "output o(p: Int)\noutput q\noutput t
process P {
  var x: Int = 0
  init l {
    a: !o(any p) [p > x && x > 5] -> l
    b: !q        [else] / x := 10 -> l
    c: tau any k: Int in 0..3 [else] / x := k -> m
  }
  state m { d: !t [x == 0 || 6 div x > 2] -> m }
}",
    );
    let mut i = Interpreter::new(&m);
    let mut s = i.initial_default();
    let b = m.switch("b").expect("b");
    assert_eq!(i.quiescence(&s), Ok(Quiescence::Active(b)));
    assert_eq!(i.internal_steps(&s).map(|steps| steps.len()), Ok(4));
    fire(&mut i, &mut s, "b", &[]);
    assert_eq!(i.quiescence(&s), Ok(Quiescence::Active(m.switch("a").expect("a"))));
    assert_eq!(i.internal_steps(&s).map(|steps| steps.len()), Ok(0));
}

#[test]
fn a_disjunct_that_is_not_reached_is_no_model_error() {
    let m = model(
        "output o
process P {
  var x: Int = 0
  init l { t: tau any k: Int in 0..3 [k == 0 || 6 div k == 3] / x := k -> l
           u: !o [x > 9] -> l }
}",
    );
    let mut i = Interpreter::new(&m);
    let s = i.initial_default();
    let mut found: Vec<Vec<Value>> =
        i.internal_steps(&s).expect("defined").into_iter().map(|(step, _)| step.args).collect();
    found.sort();
    assert_eq!(found, [ints(&[0]), ints(&[2])]);
}
