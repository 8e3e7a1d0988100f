//! What the printer of terms writes is what the language reads.

use sioco_lang::check_text;
use sioco_model::print;

const HEAD: &str = "
type Colour = Red | Green
type Reply = Balance(amount: Int) | Refused
type Point = { x: Int, y: Int }
input go(p: Int, q: Int)
process P {
  var x: Int = 0
  var y: Int = 0
  var b: Bool = false
  var r: Real = 0.5
  var s: Seq<Int> = []
  var t: String = \"\"
  var colour: Colour = Red
  var reply: Reply = Refused
  var at: Point = Point { x: 0, y: 0 }
";

/// The guard, read and printed again.
fn again(guard: &str) -> String {
    let text = format!("{HEAD} init l0 {{ go: ?go(p, q) [{guard}] -> l0 }} }}");
    let checked = check_text("guard.sts", &text);
    let Ok(checked) = checked.require_model() else { panic!("{guard}: {:#?}", checked.diagnostics) };
    let switch = checked.model.switch("go").expect("it has a name");
    print::guard(&checked.model, switch)
}

#[test]
fn guards_print_as_they_were_written() {
    let guards = [
        "x > 15",
        "1 <= p <= 10",
        "10 >= p > x",
        "b && 1 <= p < q && x != y",
        "b || x == y && !b",
        "(b || x == y) && !b",
        "!(x < y)",
        "b == (x == y)",
        "x - (y - 1) == x - y - 1",
        "(x + y) * 2 == x * y + 2",
        "x div 2 * 2 + x mod 2 == -x",
        "-(x + y) < -1",
        "x / y > 1 / 3",
        "r * 0.25 < x",
        "floor(r) == min(x, y, 3)",
        "abs(x) == max(x, -x)",
        "(if b then x else y) == 1",
        "if b then x == 1 else y == 1",
        "s == [1, x] ++ s",
        "len(s) > 0 && s[0] == 1",
        "contains(s, x) || contains(t, \"a\\t\")",
        "slice(s, 0, len(s) - 1) == s",
        "colour == Green && colour is Green",
        "reply is Balance && reply.amount > 3",
        "!reply is Refused",
        "reply == Balance(x + 1)",
        "at.x < at.y",
        "at == Point { x: x, y: 0 }",
        "at == at with { y: x }",
    ];
    for guard in guards {
        assert_eq!(again(guard), guard);
    }
}

#[test]
fn what_is_printed_otherwise_means_the_same() {
    for (written, printed) in [
        ("((x)) > (15)", "x > 15"),
        ("15 < x", "x > 15"),
        ("y > x", "x < y"),
        ("b implies x == 1", "!b || x == 1"),
        ("let z = x + 1 in z * z == 4", "(x + 1) * (x + 1) == 4"),
        ("match colour { Red => b, Green => x == 1 }", "if colour is Red then b else x == 1"),
    ] {
        let text = again(written);
        assert_eq!(text, printed);
        assert_eq!(again(&text), text);
    }
}
