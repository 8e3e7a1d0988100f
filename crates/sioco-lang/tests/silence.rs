//! Silence without a solver: existentials over short sequences, variants, records and small ranges, and their negations in
//! `else`; what one false part decides; and closures over internal steps, whose work grows with their states.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use sioco_lang::check_text;
use sioco_model::model::Model;
use sioco_model::semantics::{Interpreter, Oracle, Question, Quiescence, State, Unanswered};
use sioco_model::{TermId, Value};

fn model(text: &str) -> Model {
    let checked = check_text("m.sts", text);
    assert!(!checked.has_errors(), "{text}\n{:#?}", checked.diagnostics);
    checked.model.expect("a model").model
}

fn quiescence(text: &str) -> &'static str {
    let m = model(text);
    let mut i = Interpreter::new(&m);
    let s = i.initial_default();
    match i.quiescence(&s).expect("defined") {
        Quiescence::Quiescent => "quiescent",
        Quiescence::Diverging => "diverging",
        Quiescence::Active(_) => "active",
        Quiescence::Unknown { .. } => "unknown",
    }
}

/// Each of these was "needs a solver" before conditions were narrowed.
#[test]
fn small_existentials_take_no_solver() {
    for (guard, expected) in [
        // The length is bounded, directly or by what it is compared with.
        ("!q(any a) [len(a) < 2 && contains(a, 0)]", "active"),
        ("!q(any a) [contains(a, 0) && len(a) < 2]", "active"),
        ("!q(any a) [len(a) < 1 && contains(a, 0)]", "quiescent"),
        ("!q(any a) [len(a) <= 2 && contains(a, 0) && contains(a, 1) && contains(a, 2)]", "quiescent"),
        ("!q(any a) [len(a) <= 3 && contains(a, 0) && contains(a, 1) && contains(a, 2)]", "active"),
        ("!q(any a) [a ++ [1] == [0, 1]]", "active"),
        ("!q(any a) [a ++ [1] == [0, 2]]", "quiescent"),
        ("!q(any a) [a ++ a == [0, 1, 0]]", "quiescent"),
        ("!q(any a) [(a == [0] || len(a) == 2) && contains(a, 2) && a[0] == 2 && a[1] == 2]", "active"),
        ("!q(any a) [len(a) == 2 && !contains(a, 0) && !contains(a, 1) && !contains(a, 2)]", "quiescent"),
        // Nothing bounds it, but something short will do.
        ("!q(any a) [contains(a, 2)]", "active"),
        ("!q(any a) [len(a) > 3]", "active"),
        // Texts out of a few.
        ("!t(any s) [contains(\"abc\", s) && len(s) == 2 && contains(s, \"c\")]", "active"),
        ("!t(any s) [contains(\"abc\", s) && len(s) == 2 && contains(s, \"d\")]", "quiescent"),
        ("!t(any s) [(s == \"x\" || s == \"yy\") && len(s) > 2]", "quiescent"),
        // Fields of variants and records.
        ("!v(any w) [match w { Code(c) => c > n && c < n + 2, Pair(_, _) => false, Empty => false }]", "active"),
        ("!v(any w) [match w { Code(c) => c > n && c < n + 1, Pair(_, _) => false, Empty => false }]", "quiescent"),
        ("!v(any w) [match w { Code(_) => false, Pair(k, b) => b && k == Green, Empty => false }]", "active"),
        ("!r(any p) [p.x == n && p.y && p.x > 3]", "quiescent"),
        ("!r(any p) [p.x == 3 && p.y]", "active"),
        // Several that depend on each other.
        ("!two(any a, any b) [a == b + 1000000 && b > 5 && b < 8 && a mod 7 == 5]", "quiescent"),
        ("!two(any a, any b) [a == b + 1000000 && b > 5 && b < 9 && a mod 2 == 0]", "active"),
    ] {
        let text = format!(
            "type Colour = Red | Green | Blue\ntype Word = Empty | Code(c: Int) | Pair(k: Colour, b: Bool)\n\
             type Point = {{ x: Int in 0..3, y: Bool }}\n\
             input i\noutput q(p: Seq<Int in 0..2>)\noutput t(s: String)\noutput v(w: Word)\noutput r(p: Point)\n\
             output two(a: Int, b: Int)\nprocess P {{\n  var n: Int = 7\n  init l {{\n    ?i -> l\n    {guard} -> l\n  }}\n}}"
        );
        assert_eq!(quiescence(&text), expected, "{guard}");
    }
}

/// `else` is a negated existential: with the same shapes it needs no solver either.
#[test]
fn small_else_takes_no_solver() {
    for (guard, expected) in [
        ("[len(a) < 2 && contains(a, 0)]", ["some", ""]),
        ("[len(a) < 1 && contains(a, 0)]", ["", "rest"]),
        ("[len(a) <= 2 && a ++ [0] == [1, 2]]", ["", "rest"]),
    ] {
        let m = model(&format!(
            "input i\noutput o(p: Seq<Int in 0..2>)\nprocess P {{\n  init l {{\n    ?i -> l\n    some: !o(any a) {guard} -> l\n    \
             rest: !o([2]) [else] -> l\n  }}\n}}"
        ));
        let mut i = Interpreter::new(&m);
        let s = i.initial_default();
        let gate = m.gate("o").expect("a gate");
        let seq = |items: &[i64]| vec![Value::seq(items.iter().map(|n| Value::Int(*n)).collect())];
        for (args, switch) in [seq(&[0]), seq(&[2])].into_iter().zip(expected) {
            let found = i.successors(&s, gate, &args).expect("decided");
            let names: Vec<&str> = found.iter().map(|(s, _)| m.switches[*s].name.as_str()).collect();
            assert_eq!(names, if switch.is_empty() { vec![] } else { vec![switch] }, "{guard} {args:?}");
        }
        // What is neither is not allowed, and nothing is left open about it.
        let (mut enabled, mut open) = (Vec::new(), Vec::new());
        i.enabled_switches(&s, gate, &seq(&[]), &mut enabled, &mut open).expect("decided");
        assert_eq!((enabled, open), (vec![], vec![]), "{guard}");
    }
}

/// A question that nobody answers does not matter where another part is false: of a guard, of the values of an output, and
/// of what an `else` is the rest of.
#[test]
fn false_and_unknown_is_false() {
    let m = model(
        "input i(n: Int)\noutput o(n: Int)\nprocess P {\n  var x: Int = 7\n  init l {\n    \
         hard: !o(any n) [n * n * n == x] -> l\n    rest: !o(5) [else] -> l\n    take: ?i(n) [n > 3] -> l\n  }\n}",
    );
    let mut i = Interpreter::new(&m);
    let s = i.initial_default();
    let (o, rest) = (m.gate("o").expect("a gate"), m.switch("rest").expect("a switch"));
    let mut at = |n: i64| {
        let (mut enabled, mut open) = (Vec::new(), Vec::new());
        i.enabled_switches(&s, o, &[Value::Int(n)], &mut enabled, &mut open).expect("no model error");
        (enabled, open.into_iter().map(|(switch, _)| switch).collect::<Vec<_>>())
    };
    // Whether `rest` is enabled takes a solver, but not with any other value than 5.
    assert_eq!(at(5), (vec![], vec![rest]));
    assert_eq!(at(6), (vec![], vec![]));
}

/// Finds nothing, and counts how often it is asked.
struct Nobody(Arc<AtomicUsize>);

impl Oracle for Nobody {
    fn witness(&mut self, _: &Question<'_>) -> Result<Option<Vec<Value>>, Unanswered> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Ok(None)
    }

    fn all(&mut self, _: &Question<'_>) -> Result<Vec<Vec<Value>>, Unanswered> {
        Ok(Vec::new())
    }

    fn undefined(&mut self, _: &Question<'_>) -> Result<Option<Vec<Value>>, Unanswered> {
        Ok(None)
    }

    fn clash(&mut self, _: &Question<'_>) -> Result<Vec<TermId>, Unanswered> {
        Ok(Vec::new())
    }
}

/// How many states of a closure are silent, and how often somebody was asked whether there is an output: no square is three
/// more than a multiple of four, but that takes more than a look.
fn silent_states(switches: &str) -> (usize, usize, usize) {
    let m = model(&format!(
        "output o(n: Int)\nprocess P {{\n  var a: Int = 0\n  var b: Int = 0\n  init w {{\n{switches}\n    \
         hard: !o(any n) [n * n == 4 * (a + b) + 3] -> w\n  }}\n}}"
    ));
    let asked = Arc::new(AtomicUsize::new(0));
    let mut i = Interpreter::new(&m).with_oracle(Arc::new(Mutex::new(Nobody(Arc::clone(&asked)))));
    let start = i.initial_default();
    let closure: Vec<State> = i.closure(vec![start]).expect("no model error").states;
    let all = closure.len();
    let silent = i.after_delta(closure).expect("decided").states.len();
    (all, silent, asked.load(Ordering::Relaxed))
}

/// Every state is asked about a few times, however many there are: a search for every state would ask as often as there
/// are pairs.
#[test]
fn closures_take_work_that_grows_with_their_states() {
    for (switches, all, silent) in [
        ("    tau / a := (a + 1) mod 300 -> w", 300, 300),
        ("    tau [a < 300] / a := a + 1 -> w", 301, 1),
        ("    tau [a < 20] / a := a + 1 -> w\n    tau [b < 20] / b := b + 1 -> w", 441, 1),
        // A cycle at the end of a long way: only its states are silent.
        ("    tau [a < 200] / a := a + 1 -> w\n    tau [a == 200] / a := 150 -> w", 201, 51),
        (
            "    tau any k: Int in 0..20 [k > a] / a := k -> w\n    tau any k: Int in 0..20 [k > b] / b := k -> w",
            441,
            1,
        ),
    ] {
        let (states, quiet, asked) = silent_states(switches);
        assert_eq!((states, quiet), (all, silent), "{switches}");
        assert!(asked <= 4 * all, "{switches}: {asked} questions about {all} states");
    }
}
