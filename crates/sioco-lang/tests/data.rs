//! Sets, maps, operations over collections, texts, paths and functions that call themselves: what they mean, what is wrong
//! with them, and how they are written.

use sioco_lang::source::FileId;
use sioco_lang::syntax::format::format;
use sioco_lang::{Checked, check_text};
use sioco_model::eval::{Env, eval};
use sioco_model::model::Model;
use sioco_model::semantics::{Interpreter, StepError};
use sioco_model::{SwitchId, Value, print};

const TYPES: &str = "type Item = Apple | Pear
type Line = { item: Item, qty: Int in 0..9 }
type Cart = { open: Bool, lines: Seq<Line> }
fun gcd(a: Int, b: Int): Int bound 50 = if b == 0 then a else gcd(b, a mod b)
fun fib(n: Int): Int bound 8 = if n < 2 then n else fib(n - 1) + fib(n - 2)
fun even(n: Int): Bool bound 20 = if n == 0 then true else odd(n - 1)
fun odd(n: Int): Bool bound 20 = if n == 0 then false else even(n - 1)
fun paths(n: Int): Int bound 6 = if n <= 0 then 1 else sum(x in 0..1: paths(n - 1 - x))
";

/// A model that gives a value, with variables that have these values.
fn giving(sort: &str, expr: &str) -> Checked {
    let text = format!(
        "{TYPES}output o(v: {sort})\nprocess P {{
  var q: Seq<Int> = [3, 1, 2, 1]
  var s: Set<Int> = {{5, 1, 3}}
  var m: Map<String, Int> = {{\"b\": 2, \"a\": 1}}
  var c: Map<Int, Cart> = {{1: Cart {{ open: true, lines: [Line {{ item: Pear, qty: 2 }}] }}}}
  var t: String = \"a,bé,,7\"
  var n: Int = 4
  init l {{ !o({expr}) -> l\n ?i [len(q) + len(s) + len(m) + len(c) + len(t) + n + gcd(1, 1) + fib(1) + paths(0) > 0 && even(0)] -> l }}
}}\ninput i"
    );
    check_text("m.sts", &text)
}

/// The value of an expression, or why it has none; the compiled one is the same.
fn value(sort: &str, expr: &str) -> Result<String, String> {
    let checked = giving(sort, expr);
    assert!(!checked.has_errors(), "{expr}\n{:#?}", checked.diagnostics);
    let m = checked.model.expect("a model").model;
    let switch = &m.switches.values().next().expect("a switch").params[0];
    let term = switch.term.expect("a term");
    let mut i = Interpreter::new(&m);
    let state = i.initial_default();
    let env = Env { vars: state.values(), params: &[], bound: &[], symbols: &[], rounds: 0 };
    let found = eval(&m.terms, &m.sorts, term, env);
    let args = found.as_ref().map_or_else(|_| vec![], |v| vec![v.clone()]);
    let fired = i.successors(&state, m.gate("o").expect("a gate"), &args);
    assert_eq!(found.is_ok(), fired.as_ref().is_ok_and(|f| f.len() == 1), "{expr}: {found:?}");
    found.map(|v| m.sorts.show(switch.sort, &v)).map_err(|e| e.describe(&m.sorts))
}

#[test]
fn expressions_have_these_values() {
    for (sort, expr, expected) in [
        ("Set<Int>", "{3, 1, 3}", "{1, 3}"),
        ("Set<Int>", "{}", "{}"),
        ("Map<Int, Int>", "{}", "{}"),
        ("Map<Int, Real>", "{2: 1, 1: 0.5}", "{1: 0.5, 2: 1.0}"),
        ("Bool", "s == {1, 3, 5}", "true"),
        ("Bool", "{} == s", "false"),
        ("Int", "m[\"b\"]", "2"),
        ("Int", "get(m, \"x\", -1) + get(q, 9, 7) + get(q, 0, 7)", "9"),
        ("Bool", "contains(m, \"a\") && !contains(s, 2) && contains(q, 2) && contains(t, \"b\")", "true"),
        ("Int", "len(m) + len(s) + len(q) + len(t)", "16"),
        ("Set<String>", "keys(m)", "{\"a\", \"b\"}"),
        ("Seq<Int>", "values(m)", "[1, 2]"),
        ("Seq<Int>", "toSeq(s)", "[1, 3, 5]"),
        ("Set<Int>", "toSet(q)", "{1, 2, 3}"),
        ("Set<Int>", "union(s, {2})", "{1, 2, 3, 5}"),
        ("Set<Int>", "intersection(s, toSet(q))", "{1, 3}"),
        ("Set<Int>", "difference(s, {1})", "{3, 5}"),
        ("Bool", "subset({1}, s)", "true"),
        ("Map<String, Int>", "merge(m, {\"a\": 9, \"c\": 3})", "{\"a\": 9, \"b\": 2, \"c\": 3}"),
        ("Map<String, Int>", "m with { [\"a\"]: 7, [\"z\"]: 0 }", "{\"a\": 7, \"b\": 2, \"z\": 0}"),
        ("Seq<Int>", "q with { [n - 4]: 0, [1]: 9 }", "[0, 9, 2, 1]"),
        ("Set<Int>", "add(remove(s, 5), 4)", "{1, 3, 4}"),
        ("Map<String, Int>", "remove(remove(m, \"a\"), \"x\")", "{\"b\": 2}"),
        ("Seq<Int>", "insertAt(q, 4, 8) ++ removeAt(q, 0)", "[3, 1, 2, 1, 8, 1, 2, 1]"),
        ("Int in 0..9", "c[1].lines[0].qty", "2"),
        (
            "Map<Int, Cart>",
            "c with { [1].lines[0].qty: 5, [1].open: false }",
            "{1: Cart { open: false, lines: [Line { item: Pear, qty: 5 }] }}",
        ),
        (
            "Cart",
            "c[1] with { lines[0].qty: 5, .open: false }",
            "Cart { open: false, lines: [Line { item: Pear, qty: 5 }] }",
        ),
        ("Bool", "exists(x in q: x == 2) && all(x in s: x > 0) && !exists(x in {n}: x == 5)", "true"),
        ("Int", "count(x in q: x == 1) + sum(x in q: x * x)", "17"),
        ("Real", "sum(x in s: x / 2)", "4.5"),
        ("Int", "sum(k, v in m: v) + sum(i, x in q: i * x)", "11"),
        ("Bool", "all(k in m: contains(m, k))", "true"),
        ("Seq<Int>", "filter(x in q: x > 1)", "[3, 2]"),
        ("Set<Int>", "filter(x in s: x > 1)", "{3, 5}"),
        ("Map<String, Int>", "filter(k, v in m: k != \"a\" && v > 0)", "{\"b\": 2}"),
        ("Seq<Int>", "filter(x in 1..6: x mod 2 == 0) ++ map(x in 1..2: x * x)", "[2, 4, 6, 1, 4]"),
        ("Set<Int>", "map(x in s: x mod 2)", "{1}"),
        ("Map<String, Bool>", "map(k, v in m: v > 1)", "{\"a\": false, \"b\": true}"),
        ("Map<String, String>", "map(k in m: k ++ k)", "{\"a\": \"aa\", \"b\": \"bb\"}"),
        ("Int", "firstIndex(x in q: x < 3)", "1"),
        ("Int", "least(x in q: -x) + greatest(x in s: -x)", "4"),
        ("String", "least(k, v in m: -v)", "\"b\""),
        ("Int", "least(x in q: 0) * 10 + greatest(x in q: true)", "33"),
        ("Int", "fold(x in q, acc = 0: acc * 10 + x)", "3121"),
        ("Real", "fold(x in s, acc = 1: acc / x)", "1 / 15"),
        ("Int", "sum(x in 5..1: x) + sum(x in q: sum(y in 1..x: y))", "11"),
        ("Int", "count(x in q: exists(y in s: y == x && count(z in q: z == y) == 2))", "2"),
        ("String", "text(-12) ++ upper(\"aß\") ++ lower(\"Ä\")", "\"-12ASSä\""),
        ("Int", "if isNumber(t) then 1 else number(\"-007\")", "-7"),
        ("Int", "byteLen(t) - len(t)", "1"),
        ("Bool", "matches(t, \"a,.*[0-9]\") && !matches(t, \"a\")", "true"),
        ("Seq<String>", "split(t, \",\")", "[\"a\", \"bé\", \"\", \"7\"]"),
        ("String", "join(filter(x in split(t, \",\"): x != \"\"), \"-\")", "\"a-bé-7\""),
        ("Bool", "startsWith(t, \"a,\") && endsWith(t, \"7\")", "true"),
        ("Int", "gcd(48, 36) + gcd(n, 6)", "14"),
        ("Int", "fib(n + 3)", "13"),
        ("Bool", "even(n) && odd(n + 1) && !even(3)", "true"),
        ("Int", "paths(n)", "8"),
        ("Int8", "sum(x in s: x) - 100", "-91"),
    ] {
        assert_eq!(value(sort, expr).as_deref(), Ok(expected), "{expr}");
    }
}

#[test]
fn what_has_no_value_says_why() {
    for (sort, expr, why) in [
        ("Int", "m[\"x\"]", "the map has no key \"x\""),
        ("Int", "c[n].lines[0].qty", "the map has no key 4"),
        ("Int", "q[4]", "index 4 is outside of a length of 4"),
        ("Seq<Int>", "q with { [n]: 0 }", "index 4 is outside of a length of 4"),
        ("Seq<Int>", "insertAt(q, 5, 0)", "index 5 is outside of a length of 4"),
        ("Seq<Int>", "removeAt(q, -1)", "index -1 is outside of a length of 4"),
        ("Map<Int, Cart>", "c with { [n].open: true }", "the map has no key 4"),
        ("Seq<Int>", "q with { [n - 4]: 0, [n - n]: 1 }", "[0] is updated twice in one step"),
        ("Map<Int, Int>", "{n: 1, n * 1: 2}", "the map has the key 4 twice"),
        ("Int", "firstIndex(x in q: x > 5)", "no item fulfils the condition, so there is no first one"),
        ("Int", "least(x in filter(y in q: y > n): x)", "there is no least or greatest item of nothing"),
        ("Int", "sum(x in 1..n * 3000: x)", "a range has more than 10000 numbers"),
        (
            "Int",
            "sum(x in 1..n * 100: sum(y in 1..n * 100: 1))",
            "operations over collections make more than 100000 rounds",
        ),
        ("Int", "number(t)", "\"a,bé,,7\" is not a number"),
        ("Seq<String>", "split(t, slice(t, 0, 0))", "a text is split at an empty separator"),
        ("Int", "fib(n + 9)", "`fib` calls itself more often than its bound of 8"),
        ("Bool", "even(n + 17)", "`even` calls itself more often than its bound of 20"),
        ("Int", "sum(x in q: 1 div (x - 1))", "division by zero"),
    ] {
        assert_eq!(value(sort, expr), Err(why.to_string()), "{expr}");
    }
    // What is not evaluated may be undefined.
    for (sort, expr, expected) in [
        ("Bool", "exists(x in q: x == 3 || 1 div (x - 1) == 0)", "true"),
        ("Bool", "all(x in q: x < 3 && 1 div (x - 1) == 0)", "false"),
        ("Int", "firstIndex(x in q: x == 3 || 1 div (x - 1) == 0)", "0"),
        ("Int", "get(m, \"a\", 1 div (n - 4))", "1"),
    ] {
        assert_eq!(value(sort, expr).as_deref(), Ok(expected), "{expr}");
    }
}

/// Terms are printed as they may be written: what is printed is read as the same term.
#[test]
fn what_is_printed_is_read_again() {
    let printed = |sort: &str, expr: &str| {
        let checked = giving(sort, expr);
        assert!(!checked.has_errors(), "{expr}\n{:#?}", checked.diagnostics);
        let m = checked.model.expect("a model").model;
        let term = m.switches.values().next().and_then(|s| s.params[0].term).expect("a term");
        print::term(&m, m.switches.ids().next(), term)
    };
    for (sort, expr) in [
        ("Map<Int, Int>", "{n: 1, 2: n}"),
        ("Set<Int>", "{n, 1}"),
        ("Map<String, Int>", "m with { [\"a\"]: n }"),
        ("Seq<Int>", "q with { [n]: 0 }"),
        ("Set<Int>", "difference(add(s, n), intersection(s, union(toSet(q), s)))"),
        ("Map<String, Int>", "merge(remove(m, t), m)"),
        ("Seq<Int>", "insertAt(removeAt(q, n), 0, n) ++ toSeq(s) ++ values(m)"),
        ("Bool", "subset(s, map(x in s: x + n)) && contains(keys(m), t) && contains(m, t)"),
        ("Int", "sum(x in q: sum(i, x2 in q: x2 * i) + x) + count(x in 1..n: x == n)"),
        ("Map<String, Int>", "filter(k, v in m: v > n && k != t)"),
        ("Int", "fold(k, v in m, acc = n: acc + v) + fold(x in s, acc = 0: acc - x)"),
        ("Int", "firstIndex(x in q: x == n) + least(x in s: -x) + greatest(x in s: x)"),
        ("Bool", "all(x in s: exists(y in q: y == x && n > 0))"),
        ("String", "join(split(upper(t), lower(t)), text(number(t) + byteLen(t)))"),
        ("Bool", "matches(t, \"a+\") && startsWith(t, t) && endsWith(t, t) && isNumber(t)"),
        ("Int", "m[t] + c[n].lines[0].qty"),
    ] {
        let first = printed(sort, expr);
        assert_eq!(printed(sort, &first), first, "{expr}");
    }
}

fn model(text: &str) -> Model {
    let checked = check_text("m.sts", text);
    assert!(!checked.has_errors(), "{text}\n{:#?}", checked.diagnostics);
    checked.model.expect("a model").model
}

/// The parts of a variable are changed together, on the old state.
#[test]
fn updates_of_parts_see_the_old_state() {
    let m = model(
        "type P = { x: Int, y: Int }
input a(i: Int, j: Int)
output o(q: Seq<Int>, m: Map<Int, P>, p: P)
process Q {
  var q: Seq<Int> = [1, 2, 3]
  var m: Map<Int, P> = {0: P { x: 1, y: 2 }}
  var p: P = P { x: 0, y: 0 }
  init l {
    swap: ?a(i, j) / q[i] := q[j], m[i].x := q[2], q[j] := q[i], m[0].y := p.x, p.x := 7 -> l
    tell: !o(q, m, p) -> l
  }
}",
    );
    let mut i = Interpreter::new(&m);
    let mut s = i.initial_default();
    let swap = m.switch("swap").expect("a switch");
    let args = |a: i64, b: i64| [Value::Int(a), Value::Int(b)];
    assert_eq!(i.fire(&mut s, swap, &args(0, 2)), Ok(true));
    assert_eq!(s.show(&m), "l, q = [3, 2, 1], m = {0: P { x: 3, y: 0 }}, p = P { x: 7, y: 0 }");
    assert_eq!(i.fire(&mut s, swap, &args(0, 1)), Ok(true));
    assert_eq!(s.show(&m), "l, q = [2, 3, 1], m = {0: P { x: 1, y: 7 }}, p = P { x: 7, y: 0 }");
    let error = |i: &mut Interpreter<'_>, a, b| -> String {
        let mut s = s.clone();
        let error: StepError = i.fire(&mut s, swap, &args(a, b)).expect_err("undefined");
        error.describe(&m)
    };
    let twice = error(&mut i, 0, 0);
    assert!(twice.contains("[0] is updated twice in one step") && twice.contains("swap"), "{twice}");
    assert!(error(&mut i, 1, 0).contains("the map has no key 1"));
    assert!(error(&mut i, 0, 3).contains("index 3 is outside"));
    let _ = SwitchId::clone(&swap);
}

/// The codes of a model with these switches, and what helps.
fn problems(switch: &str) -> Vec<(String, String)> {
    let text = format!(
        "{TYPES}output o(n: Int)\ninput a(k: Int)
process P {{
  var q: Seq<Int> = [1]
  var s: Set<Int> = {{1}}
  var m: Map<Int, Int> = {{}}
  var c: Map<Int, Cart> = {{}}
  var r: Line = Line {{ item: Apple, qty: 1 }}
  var t: String = \"\"
  init l {{
    {switch}
    !o(len(q) + len(s) + len(m) + len(c) + len(t) + r.qty + gcd(1, fib(paths(1)))) [even(1) && t == \"\" && r.item == Apple] -> l
  }}
}}"
    );
    let all = check_text("m.sts", &text).diagnostics;
    all.into_iter()
        .map(|d| (d.code.short().to_string(), format!("{} | {}", d.message, d.help.unwrap_or_default())))
        .collect()
}

#[test]
fn mistakes_are_reported_once_and_helped() {
    for (switch, code, part) in [
        ("?a(k) / m[k] := 1, m := {} -> l", "M006", "`m` and a part of it are assigned"),
        ("?a(k) / m[k] := 1, m[k] := 2 -> l", "M006", "this place is changed twice"),
        ("?a(k) / q[0] := k, q[0] := 2 -> l", "M006", "this place is changed twice"),
        ("?a(k) / c[k].open := true, c[k].lines := [], c[k].open := false -> l", "M006", "this place is changed twice"),
        ("?a(k) / c[k].lines := [], c[k].lines[0].qty := 1 -> l", "M006", "this place is changed twice"),
        ("?a(k) / r := r with { qty: 1, qty: 2 } -> l", "M006", "this place is changed twice"),
        ("?a(k) / s[k] := 1 -> l", "T004", "`add(s, x)`"),
        ("?a(k) / t[k] := \"a\" -> l", "T004", "slice"),
        ("?a(k) / q.x := k -> l", "N006", "stands in brackets"),
        ("?a(k) / r.quantity := k -> l", "N006", "no field `quantity`"),
        ("?a(k) / r.qty := 10 -> l", "T008", "10 is outside"),
        ("?a(k) / m[\"a\"] := k -> l", "T001", "expected `Int`, found `String`"),
        ("?a(k) / x[k] := 1 -> l", "M005", "no variable `x`"),
        ("?a(k) [contains(s, \"a\")] -> l", "T001", "expected `Int`"),
        ("?a(k) [s[0] == k] -> l", "T004", "no positions"),
        ("?a(k) [{1: 2, 1: 3} == m && k > 0] -> l", "T017", "the key 1 is there twice"),
        ("?a(k) [{1, 2: 3} == m && k > 0] -> l", "P001", "a set has no values"),
        ("?a(k) [len({}) == k] -> l", "T012", "`{}`"),
        ("?a(k) [keys(s) == s && k > 0] -> l", "T004", "`keys` does not take `Set<Int>`"),
        ("?a(k) [add(q, k) == q] -> l", "T004", ""),
        ("?a(k) [union(s) == s && k > 0] -> l", "T003", "union(a, b)"),
        ("?a(k) [exists(x in k: x > 0)] -> l", "T004", "a range is written"),
        ("?a(k) [exists(x in t: x == \"a\") && k > 0] -> l", "T004", "characters"),
        ("?a(k) [exists(i, x in s: x > k + i)] -> l", "T003", "one name"),
        ("?a(k) [forall(x in s: x > k)] -> l", "N005", "did you mean `all`?"),
        ("?a(k) [exists(s) && k > 0] -> l", "N005", "x in c: e"),
        ("?a(k) [fold(x in s: x) > k] -> l", "T003", "acc = start"),
        ("?a(k) [sum(x in s, acc = 0: x) > k] -> l", "T003", "only a fold"),
        ("?a(k) [sum(x in s: x > 0) > k] -> l", "T004", "`sum` takes numbers"),
        ("?a(k) [least(x in s: s) > k] -> l", "T004", "key to compare by"),
        ("?a(k) [firstIndex(x in s: x > 0) > k] -> l", "T004", "no positions"),
        ("?a(k) [exists(k in s: k > 0)] -> l", "N010", ""),
        ("?a(k) [exists(x in s: true) && k > 0] -> l", "W002", "nothing reads `x`"),
        ("?a(k) [matches(text(k), \"[0-9\")] -> l", "T016", "regular expression"),
        ("?a(k) [matches(text(k), \"(a{1,900}){1,900}\")] -> l", "T016", "stands for too much"),
        ("?a(k) [matches(t, text(k))] -> l", "T007", "is a constant"),
        ("?a(k) [split(t, \"\") == [text(k)]] -> l", "T014", "empty"),
        ("?a(k) [text(t) == text(k)] -> l", "T004", "a text already"),
        ("?a(k) [sum(x in 1..20000: x) > k] -> l", "", ""),
        ("?a(k) / q := slice(q, 0, k) ++ [1] ++ slice(q, k + 1, len(q)) -> l", "W011", "write `q with { [k]: 1 }`"),
        ("?a(k) / q := slice(q, 0, k) ++ [1] ++ slice(q, k, len(q)) -> l", "W011", "insertAt(q, k, 1)"),
        ("?a(k) / q := slice(q, 0, k) ++ slice(q, k + 1, len(q)) -> l", "W011", "removeAt(q, k)"),
        ("?a(k) / q := slice(q, 0, k) ++ slice(q, k + 2, len(q)) -> l", "", ""),
    ] {
        let found = problems(switch);
        if code.is_empty() {
            assert_eq!(found, [], "{switch}");
            continue;
        }
        assert_eq!(found.len(), 1, "{switch}: {found:#?}");
        assert!(found[0].0 == code && found[0].1.contains(part), "{switch}: {found:#?}");
    }
}

#[test]
fn declarations_are_checked() {
    let frame = "\noutput o(n: Int)\nprocess P { init l { !o(f(1)) -> l } }";
    for (text, code) in [
        ("fun f(n: Int): Int = f(n - 1)", "T011"),
        ("fun f(n: Int): Int bound 0 = if n > 0 then f(n - 1) else 0", "T011"),
        ("fun f(n: Int): Int bound 501 = if n > 0 then f(n - 1) else 0", "T011"),
        ("fun f(n: Int): Int bound 5 = g(n)\nfun g(n: Int): Int = f(n)", "T011"),
        ("fun f(n: Int): Int bound 30 = if n > 0 then f(n - 1) + f(n - 2) else 0", "T013"),
        ("fun f(n: Int): Int bound x = f(n)", "N001"),
        ("type Set = A | B\nfun f(n: Int): Int = n", "N011"),
        ("type UInt8 = Int\nfun f(n: Int): Int = n", "N011"),
        ("fun f(n: UInt8): Int = f2(n)\nfun f2(n: Int in 0..255): Int = n", ""),
        ("const N: UInt8 = 256\nfun f(n: Int): Int = n + N", "T008"),
        ("const N: Int64 = -9_223_372_036_854_775_808\nfun f(n: Int): Int = n + N", ""),
        ("const N: UInt64 = 18_446_744_073_709_551_616\nfun f(n: Int): Int = n + N", "T008"),
        // Functions of models that had these names before.
        (
            "fun f(n: Int): Int = count(n) + add(n, 1)\nfun count(n: Int): Int = n\nfun add(a: Int, b: Int): Int = a + b",
            "",
        ),
        ("fun f(bound: Int): Int = bound", ""),
        ("type T = Map<Int>\nfun f(n: Int): Int = n", "P001"),
        ("fun f(n: Int): Int = len(g())\nfun g(): Dict<Int, Int> = {1: 2}", "P001"),
    ] {
        let found = check_text("m.sts", &format!("{text}{frame}")).diagnostics;
        let codes: Vec<&str> = found.iter().map(|d| d.code.short()).collect();
        assert_eq!(codes, if code.is_empty() { vec![] } else { vec![code] }, "{text}\n{found:#?}");
    }
}

#[test]
fn the_shorter_form_is_a_fix_that_means_the_same() {
    let text = |update: &str| {
        format!(
            "input a(i: Int)\noutput o(q: Seq<Int>)\nprocess P {{\n  var q: Seq<Int> = [1, 2]\n  init l {{\n    ?a(i) / q := {update} -> l\n    !o(q) -> l\n  }}\n}}\n"
        )
    };
    let before = text("slice(q, 0, i) ++ [i * 2] ++ slice(q, i + 1, len(q))");
    let checked = check_text("m.sts", &before);
    let fix = checked.diagnostics[0].fix.clone().expect("a fix");
    let mut after = before.clone();
    after.replace_range(fix.span.range(), &fix.replacement);
    assert_eq!(after, text("q with { [i]: i * 2 }"));
    assert_eq!(check_text("m.sts", &after).diagnostics, []);
}

#[test]
fn collections_are_formatted() {
    let written = "type T=Map< Int ,Set<Seq<Int> > >
fun g ( a:Int , b:Int ):Int bound 50=if b==0 then a else g(b,a mod b)
input a(i:Int,t:T)
output o(n:Int)
process P {
var m:Map<Int,Seq<Int>> ={ 1 : [ ] , 2:[3] }
var s:Set<Int> ={ 1,2 }
init l {
?a(i,t) [contains(t,i)]/m [ i ] [0]:=g(1,2),m[2] :=m[2] with{[0] : 4,[ 1 ]:5},s:={ }->l
!o(sum(k , v in m:count(x in v:x>0))+fold(x in 1 .. 3,acc=0 : acc+x)+len(s)) -> l
}
}
";
    let expected = "type T = Map<Int, Set<Seq<Int>>>
fun g(a: Int, b: Int): Int bound 50 = if b == 0 then a else g(b, a mod b)
input  a(i: Int, t: T)
output o(n: Int)

process P {
  var m: Map<Int, Seq<Int>> = {1: [], 2: [3]}
  var s: Set<Int> = {1, 2}
  init l {
    ?a(i, t) [contains(t, i)] / m[i][0] := g(1, 2), m[2] := m[2] with { [0]: 4, [1]: 5 }, s := {} -> l
    !o(sum(k, v in m: count(x in v: x > 0)) + fold(x in 1..3, acc = 0: acc + x) + len(s)) -> l
  }
}
";
    let once = format(FileId(0), written).expect("a model that can be formatted");
    assert_eq!(once, expected);
    assert_eq!(format(FileId(0), &once).as_deref(), Ok(expected));
}
