//! The checker: good models and bad ones, each bad one with the codes and places of its problems.

use sioco_lang::check::{CheckOptions, check_text_with};
use sioco_lang::{Checked, check_text};
use sioco_model::Value;

/// Code and line of every problem.
fn problems(checked: &Checked) -> Vec<String> {
    checked
        .diagnostics
        .iter()
        .map(|d| match &d.primary {
            Some(p) => format!("{}:{}", d.code.short(), checked.sources.position(p.span).0),
            None => d.code.short().to_string(),
        })
        .collect()
}

fn check(text: &str, expected: &[&str]) {
    let checked = check_text("m.sts", text);
    assert_eq!(problems(&checked), expected, "{text}\n{:#?}", checked.diagnostics);
    assert_eq!(checked.model.is_some(), !checked.has_errors());
}

/// A model around one location's switches, with a bit of everything declared.
fn with_switches(switches: &str) -> String {
    format!(
        "input a(p: Int)
input b
output o(p: Int)
output r(v: Real)
output done
type Colour = Red | Green
type Reply = Balance(amount: Int) | Refused | Both(amount: Int, c: Colour)
type Point = {{ x: Int, y: Int in 0..10 }}
const N = 5
fun twice(n: Int): Int = n + n
process P {{
  var x: Int = 0
  var y: Int in 0..10 = 0
  var q: Real = 1 / 3
  var s: Seq<Int> = []
  var t: String = \"\"
  var reply: Reply = Refused
  var pt: Point = Point {{ x: 1, y: 2 }}
  var c: Colour = Red
  init l {{
    // Everything is used, and read.
    ?a(p) [p > x && y > 0 && q > 0.5 && s == [] && t == \"\" && reply is Refused && pt.x > 0] -> l
    ?a(p) [p > twice(N)] / x := p, y := p -> l
    ?b -> l
    !o(x) [c == Red] -> l
    !r(q) -> l
    !done -> l
{switches}
  }}
}}
"
    )
}

fn check_switches(switches: &str, expected: &[&str]) {
    const FIRST_LINE: usize = 27;
    let text = with_switches(switches);
    let checked = check_text("m.sts", &text);
    let found: Vec<String> = checked
        .diagnostics
        .iter()
        .map(|d| {
            let line = d.primary.as_ref().map_or(0, |p| checked.sources.position(p.span).0);
            format!("{}:{}", d.code.short(), line as i64 - FIRST_LINE as i64)
        })
        .collect();
    assert_eq!(found, expected, "{switches}\n{:#?}", checked.diagnostics);
}

#[test]
fn the_frame_of_these_tests_is_clean() {
    check_switches("", &[]);
}

#[test]
fn expressions_have_types() {
    for (switch, expected) in [
        ("!done [x + 1 > 0 && 1 <= x <= 10] -> l", &[][..]),
        ("!done [x] -> l", &["T002:1"]),
        ("!done [x && true] -> l", &["T001:1"]),
        ("!done [x == true] -> l", &["T004:1"]),
        ("!done [c == x] -> l", &["T004:1"]),
        ("!done [t + t == t] -> l", &["T004:1"]),
        ("!done [t + x == t] -> l", &["T004:1"]),
        ("!done [x < q && q < x] -> l", &[]),
        ("!done [x == q] -> l", &[]),
        ("!done [x div 2 == 1 && x mod 3 == 0 && x / 2 == 0.5] -> l", &[]),
        ("!done [q div 2 == 1] -> l", &["T001:1"]),
        ("!done [if x > 0 then true else c == Green] -> l", &[]),
        ("!done [(if x > 0 then 1 else t) == 1] -> l", &["T001:1"]),
        ("!done [let z = x + 1 in z > z - 1] -> l", &[]),
        ("!done [let z = x + 1 in true] -> l", &["W002:1"]),
        ("!done [let x = 1 in x > 0] -> l", &["N010:1"]),
        ("!done [match reply { Balance(m) => m > 0, Refused => false, Both(_, d) => d == Red }] -> l", &[]),
        ("!done [match reply { Balance(m) => m > 0 }] -> l", &["T005:1"]),
        ("!done [match reply { Balance(m) => m > 0, _ => true }] -> l", &[]),
        ("!done [match reply { _ => true, Refused => false }] -> l", &["T006:1"]),
        ("!done [match reply { Refused => true, Refused => false, _ => true }] -> l", &["T006:1"]),
        ("!done [match reply { Balance => true, _ => false }] -> l", &["T003:1"]),
        ("!done [match reply { Red => true, _ => false }] -> l", &["T001:1"]),
        ("!done [match reply { Blance(m) => m > 0, _ => false }] -> l", &["N007:1"]),
        ("!done [match x { 0 => true, 1 => false }] -> l", &["T005:1"]),
        ("!done [match x { 0 => true, _ => false }] -> l", &[]),
        ("!done [match x > 0 { true => true, false => false }] -> l", &[]),
        ("!done [reply.amount > 0 && pt.y > 0] -> l", &[]),
        ("!done [reply.c == Red] -> l", &[]),
        ("!done [pt.z > 0] -> l", &["N006:1"]),
        ("!done [x.z > 0] -> l", &["N006:1"]),
        ("!done [(pt with { x: 3 }).x == 3] -> l", &[]),
        ("!done [(pt with { z: 3 }).x == 3] -> l", &["N006:1"]),
        ("!done [(pt with { y: 11 }).x == 3] -> l", &["T008:1"]),
        ("!done [Point { x: 1 } == pt] -> l", &["T003:1"]),
        ("!done [Point { x: 1, y: 2, y: 3 } == pt] -> l", &["N009:1"]),
        ("!done [s ++ [1, x] == [] && len(s) > 0 && s[0] == 1 && contains(s, 2) && slice(s, 0, 1) == s] -> l", &[]),
        ("!done [t ++ \"a\" == slice(t, 0, 1) && t[0] == \"b\" && contains(t, \"c\") && len(t) == 2] -> l", &[]),
        ("!done [x ++ x == x] -> l", &["T004:1"]),
        ("!done [len(x) == 1] -> l", &["T004:1"]),
        ("!done [x[0] == 1] -> l", &["T004:1"]),
        ("!done [[] == []] -> l", &["T012:1"]),
        ("!done [[1, true] == []] -> l", &["T001:1"]),
        ("!done [min(x, 1, 2) == max(x, q) && abs(-x) == abs(-0.5) && floor(q) == 0] -> l", &[]),
        ("!done [min(x) == 1] -> l", &["T003:1"]),
        ("!done [abs(t) == 1] -> l", &["T004:1"]),
        ("!done [twice(1, 2) == 1] -> l", &["T003:1"]),
        ("!done [twice(true) == 1] -> l", &["T001:1"]),
        ("!done [twcie(1) == 1] -> l", &["N005:1"]),
        ("!done [unknown > 1] -> l", &["N001:1"]),
        ("!done [Balance > 1] -> l", &["T003:1"]),
        ("!done [x is Red] -> l", &["T001:1"]),
        ("!done [!(x > 0) implies x > 1 implies -x == 2] -> l", &[]),
        ("!done [1 < x > 2] -> l", &["P006:1"]),
    ] {
        check_switches(switch, expected);
    }
}

#[test]
fn switches_are_checked() {
    for (switch, expected) in [
        ("add @REQ-1 @R2: ?a(_) -> l\nadd: ?b -> l", &["N009:2"][..]),
        ("?a -> l", &["T003:1"]),
        ("?a(_, _) -> l", &["T003:1"]),
        ("?a(3) -> l", &["M007:1"]),
        ("?a(any z) [z > 0] -> l", &["M013:1"]),
        ("?a(x) -> l", &["N010:1"]),
        ("?a(z) -> l", &["W002:1"]),
        ("?a(_z) -> l", &[]),
        ("!a(1) -> l", &["M004:1"]),
        ("?done -> l", &["M004:1"]),
        ("?inX -> l", &["N003:1"]),
        ("!doen -> l", &["N003:1"]),
        ("send done -> l", &["M004:1"]),
        ("!o(_) -> l", &["M013:1"]),
        ("!o(any z) [z > x] -> l", &[]),
        ("!o(true) -> l", &["T001:1"]),
        ("!r(x) -> l", &[]),
        ("!done / x := 1, x := 2 -> l", &["M006:1"]),
        ("!done / z := 1 -> l", &["M005:1"]),
        ("!done / N := 1 -> l", &["M005:1"]),
        ("?a(p) / p := 1 -> l", &["M005:1"]),
        ("!done / x := true -> l", &["T001:1"]),
        ("!done / y := 11 -> l", &["T008:1"]),
        ("!done / q := x, pt := pt with { x: x } -> l", &[]),
        ("!done -> m", &["N004:1"]),
        ("tau -> l", &[]),
        ("tau any k: Int in 0..3, any z: Bool [k > x && z] / x := k -> l", &[]),
        ("tau any k: Int in 0..N [k > 0] -> l", &[]),
        ("?a(z) [z > 7] ; !o(z) -> l", &[]),
        ("?a(z) ; !o(any w) [w > z] / x := w ; !done -> l", &[]),
        ("?a(z) ; !done -> l", &["W002:1"]),
        ("!done ; !o(1) -> l", &["M009:1"]),
        ("?b ; ?b -> l", &["M009:1"]),
        ("?b [else] -> l", &["W006:1"]),
        ("?b ; !done [else] -> l", &["M008:1"]),
    ] {
        check_switches(switch, expected);
    }
}

#[test]
fn declarations_are_checked() {
    let p = "\noutput o\nprocess P { init l { !o -> l } }";
    for (text, expected) in [
        ("type T = Int in 5..1", &["T009:1"][..]),
        ("type T = Innt", &["N002:1"]),
        ("type T = Bool in 0..1", &["T001:1"]),
        ("type A = { b: B }\ntype B = X | Y(a: A)", &["T010:1"]),
        ("type T = A | A", &["N009:1"]),
        ("type Int = A | B", &["N011:1"]),
        ("const A = B\nconst B = A", &["T011:1"]),
        ("const A = 1 div 0", &["T014:1"]),
        ("const A: Int in 0..3 = 4", &["T008:1"]),
        ("const A: Bool = 4", &["T001:1"]),
        ("fun f(n: Int): Int = g(n)\nfun g(n: Int): Int = f(n)", &["T011:1"]),
        ("fun f(n: Int): Int = if n == 0 then 0 else f(n - 1)", &["T011:1"]),
        ("fun f(n: Int, n: Int): Int = n", &["N009:1"]),
        ("fun min(n: Int): Int = n", &["N011:1"]),
        ("input closed", &["N011:1"]),
        ("input crashed", &["N011:1"]),
        ("output crashed(why: String)", &["N011:1"]),
        ("input i(p: Real tolerance 0.1)", &["T015:1"]),
        ("output i(p: Real tolerance 0 - 1)", &["T015:1"]),
        ("output o", &["N009:2"]),
    ] {
        let checked = check_text("m.sts", &format!("{text}{p}"));
        let found: Vec<String> =
            problems(&checked).into_iter().filter(|p| !p.starts_with("W003") && !p.starts_with("W004")).collect();
        assert_eq!(found, expected, "{text}\n{:#?}", checked.diagnostics);
    }
}

#[test]
fn processes_and_systems_are_checked() {
    for (text, expected) in [
        ("process P { state l }", &["M002:1"][..]),
        ("process P { }", &["M002:1"]),
        ("process P { init a { tau -> b } init b { tau -> a } }", &["M003:1"]),
        ("process P { init a { tau -> a }\n state b\n}", &["W005:2"]),
        ("process P { init a { tau -> a }\n state a }", &["N009:2"]),
        ("process P { var x: Int\n init a { tau [x > 0] -> a } }", &["M010:1"]),
        ("process P { var x: Int in 0..3 = 7\n init a { tau [x > 0] -> a } }", &["T008:1"]),
        ("process P { var x: Int = 0\n var y: Int = x\n init a { tau [x > y] -> a } }", &["T007:2"]),
        ("process P { var x: Int = 0\n init a { tau / x := x + 1 -> a } }", &["W001:1"]),
        ("process P { var x: Int = 0\n var x: Int = 1\n init a { tau [x > 0] -> a } }", &["N009:2"]),
        ("process P { init a { tau -> a } }\nprocess Q { init a { tau -> a } }", &["M012:2"]),
        ("process P(n: Int) { init a { tau [n > 0] -> a } }", &["M012:1"]),
        ("process P(n: Int in 0..3) { init a { tau [n > 0] -> a } }\nsystem S = P(1) || P(4)", &["T008:2"]),
        ("process P(n: Int) { init a { tau [n > 0] -> a } }\nsystem S = P", &["T003:2"]),
        ("process P { init a { tau -> a } }\nsystem S = Q", &["N008:2", "W003:1"]),
        ("process P { init a { tau -> a } }\nprocess Q { init a { tau -> a } }\nsystem S = P", &["W003:2"]),
        (
            "process P(n: Int in 0..3) { var x: Int in 0..2 = n\n init a { tau [x > 0] -> a } }\nsystem S = P(3)",
            &["T008:1"],
        ),
        ("channel c\nprocess P { init a { send c -> a } }", &["M011:2"]),
        ("channel c\nprocess P { init a { send c -> a\n recv c -> a } }", &["M011:2", "M011:3"]),
        (
            "channel c\nprocess P { init a { send c -> a } }\nprocess Q { init a { recv c -> a } }\nsystem S = P || Q",
            &[],
        ),
        ("channel c\nprocess P { init a { send c -> a } }\nsystem S = P || P", &["M011:2"]),
        ("input i\nprocess P { init a { tau -> a } }", &["W004:1"]),
        ("const N = 1\nprocess P { init a { tau -> a } }", &["W003:1"]),
        ("", &["M001:1"]),
        ("const N = 1", &[]),
    ] {
        let checked = check_text("m.sts", text);
        let mut found = problems(&checked);
        found.sort();
        let mut expected = expected.to_vec();
        // Lints are not run on a file with errors.
        if checked.has_errors() {
            expected.retain(|e| !e.starts_with('W'));
        }
        expected.sort_unstable();
        assert_eq!(found, expected, "{text}\n{:#?}", checked.diagnostics);
    }
}

#[test]
fn constants_can_be_overridden() {
    let text = "const N: Int in 0..9 = 1\nconst M = N + 1\nprocess P { var x: Int = M\n init a { tau [x > 0] -> a } }";
    let with = |consts: &[(&str, &str)]| {
        let consts = consts.iter().map(|(n, v)| (n.to_string(), v.to_string())).collect();
        check_text_with("m.sts", text, &CheckOptions { consts, ..CheckOptions::default() })
    };
    let start = |c: &Checked| c.model.as_ref().unwrap().model.variables.values().next().unwrap().initial.clone();
    assert_eq!(start(&with(&[])), Some(Value::Int(2)));
    assert_eq!(start(&with(&[("N", "2 + 3")])), Some(Value::Int(6)));
    let twice = with(&[("N", "3"), ("M", "1"), ("N", "9")]);
    assert_eq!(twice.diagnostics.len(), 1, "{:#?}", twice.diagnostics);
    assert_eq!(twice.diagnostics[0].code.short(), "N009");
    assert!(twice.diagnostics[0].message.contains("--const N"));
    for (name, value, code) in [("N", "17", "T008"), ("K", "1", "N001"), ("N", "1 +", "P001"), ("N", "true", "T001")] {
        let checked = with(&[(name, value)]);
        assert_eq!(checked.diagnostics.len(), 1, "{:#?}", checked.diagnostics);
        assert_eq!(checked.diagnostics[0].code.short(), code);
    }
}

#[test]
fn a_choice_of_systems_is_asked_for() {
    let text = "process P { init a { tau -> a } }\nsystem A = P\nsystem B = P || P";
    let checked = check_text("m.sts", text);
    assert_eq!(checked.diagnostics, []);
    assert!(checked.model.is_none());
    assert_eq!(checked.require_model().unwrap_err().unwrap().code.short(), "M012");
    let chosen = |name: &str| {
        check_text_with("m.sts", text, &CheckOptions { system: Some(name.into()), ..CheckOptions::default() })
    };
    assert_eq!(chosen("B").model.unwrap().model.processes.len(), 2);
    assert_eq!(chosen("C").diagnostics[0].code.short(), "M012");
}

#[test]
fn ten_mistakes_give_ten_problems() {
    let text = "input  inX(p: Int in 10..1)
output outX(p: Innt)
output done
process Accumulator {
  var x: Int = true
  var y: Int
  init l0 {
    add:    ?inX(p)       / x := x + p  -> l1
    finish: ?done   [x > 15]            -> l2
    finish: !done   [x]                 -> l2
    oops    !done                       -> l0
    ?done(3)                            -> l0
    !done           / z := 1            -> l0
    !done           / x := y, x := 2    -> l0
  }
  state l1 {
    tell:   !outX(xx)                   -> l0
  }
}
";
    let checked = check_text("m.sts", text);
    let found = problems(&checked);
    for code in [
        "T009:1", "N002:2", "T001:5", "M010:6", "M004:9", "N009:10", "T002:10", "P001:11", "M005:13", "M006:14",
        "N001:17",
    ] {
        assert!(found.contains(&code.to_string()), "{code} is missing from {found:?}");
    }
}

#[test]
fn answered_inputs_carry_their_parameters_in_hidden_variables() {
    let text = "input a(p: Int)\noutput b(q: Int)\nprocess P {\n init l {\n ?a(p) [p > 0] ; !b(p + 1) -> l\n ?a(p) [p < 0] ; !b(any q) [q > p] ; !b(q) -> l\n }\n}";
    let checked = check_text("m.sts", text);
    assert_eq!(checked.diagnostics, []);
    let model = checked.model.unwrap().model;
    let names: Vec<&str> = model.switches.values().map(|s| s.name.as_str()).collect();
    assert_eq!(names, ["l?a", "l?a!b", "l?a#2", "l?a#2!b", "l?a#2!b#2"]);
    // One variable serves `p` of both switches, a second one `q`.
    assert_eq!(model.variables.len(), 2);
    assert!(model.variables.values().all(|v| v.hidden));
    assert_eq!(model.locations.values().filter(|l| l.hidden).count(), 3);
    assert_eq!(sioco_model::verify::verify(&model), Vec::<String>::new());
}

#[test]
fn the_model_of_s0_figure_1() {
    check(
        "input inX(p: Int)\noutput outX(p: Int)\noutput done\nprocess A {\n var x: Int = 0\n init l0 {\n r0: ?inX(p) [1 <= p <= 10] / x := x + p -> l1\n r2: !done [x > 15] -> l2\n }\n state l1 { r1: !outX(x) -> l0 }\n final l2\n}",
        &[],
    );
}

/// Code and fix of every problem.
fn fixes(text: &str) -> Vec<(String, Option<String>)> {
    let checked = check_text("m.sts", text);
    let fix = |d: &sioco_lang::Diagnostic| d.fix.as_ref().map(|f| f.replacement.clone());
    let found: Vec<(String, Option<String>)> =
        checked.diagnostics.iter().map(|d| (d.code.short().to_string(), fix(d))).collect();
    // All fixes at once, from the back, make a text without these problems.
    if !found.is_empty() && found.iter().all(|(_, fix)| fix.is_some()) {
        let mut mended = text.to_string();
        for fix in checked.diagnostics.iter().rev().filter_map(|d| d.fix.as_ref()) {
            mended.replace_range(fix.span.range(), &fix.replacement);
        }
        let after = check_text("m.sts", &mended);
        assert!(!after.has_errors(), "{mended}\n{:#?}", after.diagnostics);
    }
    found
}

/// A sign is offered only where it mends the switch.
#[test]
fn a_wrong_direction_has_a_fix_where_that_is_all() {
    let before = "input tea(v: Int)\noutput coin(v: Int)\nprocess P {\n  var x: Int = 0\n  init l {\n    \
                  more: ?tea(y) / x := y -> l\n    pay: !coin(x) -> l\n    ";
    for (switch, fix, help) in [
        ("!tea(_) -> l", Some("?"), "directions are"),
        ("!tea(n) / x := n -> l", Some("?"), "directions are"),
        ("!tea(3) -> l", None, "`?tea(v) […]`"),
        ("!tea(x) -> l", None, "`?tea(v) […]`"),
        ("!tea(any n) [n > x] -> l", None, "`?tea(v) […]`"),
        ("?coin(3) -> l", Some("!"), "directions are"),
        ("?coin(x) -> l", Some("!"), "directions are"),
        ("?coin(x + 1) -> l", Some("!"), "directions are"),
        ("?coin(any n) [n > x] -> l", Some("!"), "directions are"),
        ("?coin(_) -> l", None, "`!coin(any v)`"),
        ("?coin(n) [n > x] -> l", None, "`!coin(any v)`"),
    ] {
        let text = format!("{before}{switch}\n  }}\n}}\n");
        assert_eq!(fixes(&text), [("M004".to_string(), fix.map(str::to_string))], "{switch}");
        let checked = check_text("m.sts", &text);
        let told = checked.diagnostics[0].help.clone().unwrap_or_default();
        assert!(told.contains(help), "{switch}: {told}");
    }
}

#[test]
fn signs_and_words_of_other_languages_are_one_problem_with_a_fix() {
    for (switch, fix) in [
        ("!done [x % 2 == 0] -> l", "mod"),
        ("!done [x%2 == 0] -> l", " mod "),
        ("!done [x > 0 & x < 9] -> l", "&&"),
        ("!done [x > 0 and x < 9] -> l", "&&"),
        ("!done [x < 0 or x > 9] -> l", "||"),
        ("!done [x < 0 | x > 9] -> l", "||"),
        ("!done [x = 9] -> l", "=="),
        ("!done [not b] -> l", "!"),
        ("!done [not (b)] -> l", "!"),
        ("!done [x ≤ 9] -> l", "<="),
        ("!done [b == True] -> l", "true"),
        ("!done [t == 'a'] -> l", "\"a\""),
        ("!done [t == “a”] -> l", "\"a\""),
        ("!done [t == t + \"a\"] -> l", "++"),
        ("!done → l", "->"),
        ("!done / x = 1 -> l", ":="),
        ("!done -> l;", ""),
        ("?done -> l", "!"),
        ("!done [x <> 1] -> l", "!="),
        ("!done [x => 1] -> l", ">="),
        ("!done [x =< 1] -> l", "<="),
        ("!done [x === 1] -> l", "=="),
        ("!done [(x > 0 ? 1 : 2) == 1] -> l", "if x > 0 then 1 else 2"),
        ("!done [(x > 0 ? 1 : x < 0 ? 2 : 3) == 1] -> l", "if x > 0 then 1 else if x < 0 then 2 else 3"),
        ("!done => l", "->"),
        ("!done / x := x + 1 => l", "->"),
        ("!done l", "-> "),
        ("!done / x := x + 1 l", "-> "),
        ("!done / x := 1; b := true -> l", ","),
        ("!done { x := 1, b := true } -> l", "/ x := 1, b := true"),
        ("!done / { x := 1; } -> l", "/ x := 1"),
        ("[x > 0] !done -> l", "!done [x > 0]"),
        ("go: [x > 0] !done / x := 1 -> l", "!done [x > 0]"),
        ("else !done -> l", "!done [else]"),
        ("!done else -> l", "[else]"),
        ("!done when x > 0 -> l", "[x > 0]"),
        ("!done when x > 0 / x := 1 -> l", "[x > 0]"),
        ("!done if x > 0 -> l", "[x > 0]"),
        ("!done when [x > 0] -> l", ""),
        ("!done [x > 0] [b] -> l", "[x > 0 && b]"),
        ("!done [x > 0 || b] [b] -> l", "[(x > 0 || b) && b]"),
        ("go !done -> l", ":"),
        ("done -> l", "!"),
        ("done [b] -> l", "!"),
    ] {
        let text = format!(
            "output done\nprocess P {{\n var x: Int = 0\n var b: Bool = any\n var t: String = \"\"\n init l {{\n {switch}\n tau [x > 0 && b && t == \"\"] -> l\n }}\n}}"
        );
        let found = fixes(&text);
        assert_eq!(found.len(), 1, "{switch}: {found:?}");
        assert_eq!(found[0].1.as_deref(), Some(fix), "{switch}: {found:?}");
    }
    for (text, fix) in [
        ("proces P { init l { tau -> l } }", "process"),
        ("process P { initial l { tau -> l } }", "init"),
        ("process P { init l { tau -> m }\n stat m { tau -> l } }", "state"),
        ("process P { init l { tau -> m }\n final state m }", ""),
        ("process P { init l { tau -> l } }\nsystem S = P, P", "||"),
        ("process P { variable x: Int = 0\n init l { tau [x > 0] -> l } }", "var"),
        ("process P { var x: int = 0\n init l { tau [x > 0] -> l } }", "Int"),
        ("process P { var x: Integer = 0\n init l { tau [x > 0] -> l } }", "Int"),
        ("process P { var x: List<Int> = []\n init l { tau [len(x) > 0] -> l } }", "Seq"),
        ("const N = 1;\nprocess P { init l { tau [N > 0] -> l } }", ""),
        ("process P { int x = 0;\n init l { tau [x > 0] -> l } }", "var x: Int = 0"),
        ("process P { bool x;\n init l { tau [x] -> l } }", "var x: Bool = false"),
        ("process P { String x = any\n init l { tau [x == \"\"] -> l } }", "var x: String = any"),
        ("type C = A | B\nprocess P { C x = A\n init l { tau [x == A] -> l } }", "var x: C = A"),
        ("process P { int l { tau -> l } }", "init"),
        ("process P { var x = 0\n init l { tau [x > 0] -> l } }", ": Int"),
        ("process P { var x: Int = \"0\"\n init l { tau [x > 0] -> l } }", "0"),
        ("process P { var x: Bool = 0\n init l { tau [x] -> l } }", "false"),
        ("const C: Real = \"0.5\"\nprocess P { init l { tau [C > 0] -> l } }", "0.5"),
        ("process P { var x = -0.5\n init l { tau [x > 0] -> l } }", ": Real"),
        ("process P { var x = \"\"\n init l { tau [x == \"\"] -> l } }", ": String"),
        ("process P { var x = true\n init l { tau [x] -> l } }", ": Bool"),
        ("type R = { x: Int }\nprocess P { var r: R = { x: 1 }\n init l { tau [r.x > 0] -> l } }", "R "),
        ("type R = { x: Int }\nconst C: R = { x: 1 }\nprocess P { init l { tau [C.x > 0] -> l } }", "R "),
        ("type R = { x: Int }\nfun f(): R = { x: 1 }\nprocess P { init l { tau [f().x > 0] -> l } }", "R "),
        ("type R = { x: Int }\nconst C = R { x = 1 }\nprocess P { init l { tau [C.x > 0] -> l } }", ":"),
        ("input a(p: Int in 1-10)\nprocess P { init l { ?a(_) -> l } }", ".."),
        ("input a(p: Int in 1 to 10)\nprocess P { init l { ?a(_) -> l } }", ".."),
        ("input a(p: Int in 1...10)\nprocess P { init l { ?a(_) -> l } }", ".."),
        ("input a(p: Int)\nprocess P { init l {\n a(k) [k > 0] -> l } }", "?"),
    ] {
        let found = fixes(text);
        assert_eq!(found.len(), 1, "{text}: {found:?}");
        assert_eq!(found[0].1.as_deref(), Some(fix), "{text}: {found:?}");
    }
}

#[test]
fn consequences_are_not_reported() {
    let frame = "\noutput o(n: Int)\nprocess P { init l { !o(1) -> l } }";
    for (text, expected) in [
        ("const A = (1 $ 2)", "P002"),
        ("const A = \"abc", "P003"),
        ("/* a comment */", "P002"),
        ("import common.sts", "P001"),
        ("const A Int = 3", "P001"),
        ("fun f(n: Int): Int { return n }", "P001"),
        ("process Q { strt m { tau -> k }\n state k { tau -> m } }\nsystem S = P", "P001"),
        ("process Q { var s: Seq<Itn> = []\n init m { tau [len(s) > 0] -> m } }\nsystem S = P", "N002"),
        ("process Q { init m { ?o(x + 1) -> m } }\nsystem S = P", "N001 M004"),
        ("process Q { var x: Int = 0\n init m { ?o(x) -> m } }\nsystem S = P", "M004"),
        ("type R = A | B\nfun f(r: R): Int = match r { A => 0, other => 1 }", "N007"),
        ("fun f(s: Seq<Int>): Int = match s { [] => 0, _ => 1 }", "P001"),
        ("fun f(b: Bool): Bool = b <= b", "T004"),
        ("type Pt = { x: Int, y: Int }\nfun f(): Pt = Pt { x: 1, yy: 2 }", "N006"),
        (
            "channel c\nprocess Q { init m { send c [xx] -> m } }\nprocess R { init m { recv c -> m } }\nsystem S = Q || R",
            "N001",
        ),
    ] {
        let checked = check_text("m.sts", &format!("{text}{frame}"));
        let mut found: Vec<&str> = checked.diagnostics.iter().map(|d| d.code.short()).collect();
        let mut expected: Vec<&str> = expected.split(' ').collect();
        found.sort_unstable();
        expected.sort_unstable();
        assert_eq!(found, expected, "{text}\n{:#?}", checked.diagnostics);
    }
}

#[test]
fn names_of_values_are_not_hidden() {
    let frame = "\ntype Colour = Red | Green\ninput a(c: Colour)\n";
    for (text, expected) in [
        ("process P { init l { ?a(Red) -> l } }", "M007"),
        ("const Red = 1\nprocess P { init l { ?a(c) [c == Green] -> l } }", "N009"),
        ("fun Red(): Int = 1\nprocess P { init l { ?a(c) [c == Green] -> l } }", "N009"),
        ("process P { var Red: Int = 0\n init l { ?a(c) [c == Green] -> l } }", "N010"),
        ("process P { init l { ?a(c) [let Red = c in Red == c] -> l } }", "N010"),
    ] {
        let checked = check_text("m.sts", &format!("{text}{frame}"));
        let found: Vec<&str> = checked.diagnostics.iter().map(|d| d.code.short()).collect();
        assert_eq!(found, [expected], "{text}\n{:#?}", checked.diagnostics);
    }
    // `_` is not a name: it hides nothing, and may occur twice.
    let two = "output o(a: Int, b: Int)\nprocess P { init l { !o(any _, any _) -> l } }";
    assert_eq!(check_text("m.sts", two).diagnostics, []);
}

#[test]
fn what_is_not_known_in_advance_is_said_so() {
    for text in [
        "process P { var x: Int = y\n var y: Int = 0\n init l { tau [x > y] -> l } }",
        "process P { var x: Int = x\n init l { tau [x > 0] -> l } }",
        "process P(n: Int) { var x: Int in 0..n = 0\n init l { tau [x > n] -> l } }\nsystem S = P(1)",
        "process P { var x: Int = 0\n init l { tau any k: Int in 0..x [k > 0] -> l } }",
        "process P { init l { tau any k: Int, any j: Int in 0..k [j > 0] -> l } }",
    ] {
        let checked = check_text("m.sts", text);
        let found: Vec<&str> = checked.diagnostics.iter().map(|d| d.code.short()).collect();
        assert_eq!(found, ["T007"], "{text}\n{:#?}", checked.diagnostics);
    }
}

#[test]
fn a_lost_import_does_not_make_its_names_unknown() {
    let text = "import \"lost.sts\"\nprocess P { var x: Amount = ZERO\n init l { ?pay(p) / x := twice(p) -> l\n !paid [x > 0] -> m } }";
    let checked = check_text("m.sts", text);
    // What this file must declare itself is still looked for.
    assert_eq!(problems(&checked), ["F001:1", "N004:4"], "{:#?}", checked.diagnostics);
}

/// The problems of a text, as `CODE help`.
fn helps(text: &str) -> Vec<String> {
    let checked = check_text("m.sts", text);
    let help = |d: &sioco_lang::Diagnostic| d.help.clone().unwrap_or_default();
    checked.diagnostics.iter().map(|d| format!("{} {}", d.code.short(), help(d))).collect()
}

#[test]
fn one_mistake_has_one_report_that_helps() {
    for (switch, code, help) in [
        ("!o(p = 1) -> l", "P001", "write just `1`"),
        ("?a(p = 1) -> l", "P001", "`[p == 1]`"),
        ("!done / pt.x.y := 1 -> l", "N006", "only records have fields"),
        ("!done / pt := { x: 1, y: 2 } -> l", "P001", "{ … }"),
        ("!done x > 3 -> l", "P001", "label [guard] / update -> target"),
        ("!o(p) -> l", "N001", "store the value in a variable there: `/ x := p`"),
        ("?a(3) / x := x + p -> l", "M007", "`?a(p) [p == …]`"),
        ("?a(x) / x := x + p -> l", "N010", "`?a(p) [p == x]`"),
        ("!done(x > 15) -> l", "T003", "`[…]`"),
        ("!done(x) -> l", "T003", ""),
        ("!done [else if x > 0] -> l", "P001", "or `else` alone"),
        ("!done when -> l", "P001", "in brackets"),
        ("!done [x div 0 == 1] -> l", "T014", "division by zero"),
        ("!done [x / (1 - 1) == 1] -> l", "T014", "division by zero"),
        ("!done / x := x mod 0 -> l", "T014", "division by zero"),
        ("!done / x := \"7\" -> l", "T001", "without quotes"),
        ("!done / t := 7 -> l", "T001", "in quotes"),
        ("tau [1 > 2] -> l", "W006", "correct the guard"),
    ] {
        let found = helps(&with_switches(switch));
        assert_eq!(found.len(), 1, "{switch}: {found:#?}");
        assert!(found[0].starts_with(code) && found[0].contains(help), "{switch}: {found:#?}");
    }
    // A parameter whose type is not understood does not say how many arguments there are.
    check("output done(x: )\nprocess P { init l { !done -> l } }", &["P001:1"]);
    // What comes after a record without its name is still looked at.
    let text =
        "type R = { x: Int }\nprocess P {\n var r: R = { x: 1 }\n var y: Int = true\n init l { tau [r.x > y] -> m }\n}";
    check(text, &["P001:3", "T001:4", "N004:5"]);
    for text in ["<?xml version=\"1.0\"?>\n<automaton/>", "\u{feff}\n<a>\n</a>"] {
        let found = helps(text);
        assert!(found.len() == 1 && found[0].contains("sioco import"), "{found:?}");
    }
}

#[test]
fn what_constants_switch_off_is_not_warned_about() {
    let process =
        "process P {\n init l {\n tau [LOSSY] -> m\n tau [!on()] -> l\n tau [else] -> l\n }\n state m { tau -> l }\n}";
    for value in ["true", "false"] {
        check(&format!("const LOSSY = {value}\nfun on(): Bool = LOSSY\n{process}"), &[]);
    }
    // A division by a constant may be guarded.
    check("const N = 0\nprocess P { var x: Int = 0\n init l { tau [N != 0 && x div N > 2] -> l } }", &[]);
}

#[test]
fn an_else_needs_something_to_be_the_rest_of() {
    for (switches, expected) in [
        ("?a(_) [else] -> l", &["W007:4"][..]),
        ("?a(_) [else] -> l\n !o -> l", &["W007:4"]),
        ("!o [else] -> l\n ?a(_) -> l", &["W007:4"]),
        ("tau [else] -> l\n ?a(_) -> l", &["W007:4"]),
        ("tau [else] -> l\n !o [x > 0] -> l", &[]),
        ("?a(p) [p > 0] -> l\n ?a(_) [else] -> l", &[]),
    ] {
        let text = format!(
            "input a(p: Int)\noutput o\nprocess P {{ var x: Int = any\n init l {{ {switches}\n tau [x > 0] -> k }}\n state k\n }}"
        );
        let text = if switches.starts_with(['!', 't']) {
            text.replace("tau [x > 0] -> k", "?a(_) [x > 0] -> k")
        } else {
            text
        };
        let checked = check_text("m.sts", &text);
        let found: Vec<String> = problems(&checked).into_iter().filter(|p| !p.starts_with("W004")).collect();
        assert_eq!(found, expected, "{text}\n{:#?}", checked.diagnostics);
    }
}
