//! Models with sets, maps and loops, from the outside: what has no value names its line, a test of a model against itself
//! passes with and without a solver, and nothing hangs.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

/// A store with every mistake that a run can find.
const STORE: &str = "input  key
input  idx(i: Int in 0..9, j: Int in 0..9)
input  deep(n: Int in 0..9)
input  wide(n: Int in 0..99_999)
input  grow
output o(v: Int)

fun down(n: Int): Int bound 5 = if n <= 0 then 0 else down(n - 1)

process P {
  var m: Map<Int, Int> = {1: 2}
  var q: Seq<Int> = [1, 2]
  var n: Int = 0

  init l {
    key:  ?key       / n := m[7]              -> l
    idx:  ?idx(i, j) / q[i] := 1, q[j] := 2   -> l
    deep: ?deep(k)   / n := down(k)           -> l
    wide: ?wide(k)   / n := sum(x in 1..k: x) -> l
    grow: ?grow
        / m := fold(x in 0..9_999, acc = m: merge(acc, map(k, v in acc: v + x) with { [x + 2]: x })),
          q := q ++ q
        -> l
    tell: !o(n + len(q) + len(m)) -> l
  }
}
";

/// A shop, with a lookup of every kind.
const SHOP: &str = "type Cart = { lines: Map<Int in 0..2, Int in 1..3> }

input  put(cart: Int in 1..2, item: Int in 0..2)
input  drop(cart: Int in 1..2, item: Int in 0..2)
input  pay(cart: Int in 1..2)
output paid(n: Int)
output no

process Shop {
  var carts: Map<Int in 1..2, Cart> = {1: Cart { lines: {} }, 2: Cart { lines: {} }}
  var id: Int in 1..2 = 1

  init idle {
    more: ?put(c, i) [get(carts[c].lines, i, 0) < 3]  / carts[c].lines[i] := get(carts[c].lines, i, 0) + 1 -> idle
    full: ?put(c, i) [get(carts[c].lines, i, 0) >= 3]                                                       ; !no -> idle
    drop: ?drop(c, i) / carts[c].lines := remove(carts[c].lines, i) -> idle
    pay:  ?pay(c)     / id := c                                     -> paying
  }
  state paying {
    paid: !paid(sum(k, v in carts[id].lines: (k + 1) * v)) / carts[id].lines := {} -> idle
  }
}
";

fn file(name: &str, text: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, text).expect("the file is written");
    path
}

fn sioco(args: &[&str], script: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_sioco"))
        .current_dir(env!("CARGO_TARGET_TMPDIR"))
        .args(args)
        .env_remove("FORCE_COLOR")
        .env_remove("SIOCO_SOLVER")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let _ = child.stdin.take().expect("piped").write_all(script.as_bytes());
    child.wait_with_output().expect("the program ends")
}

#[test]
fn a_model_error_names_its_line() {
    let path = file("data_store.sts", STORE);
    let path = path.to_str().expect("UTF-8");
    for (script, line, why) in [
        ("?key", 16, "the map has no key 7"),
        ("?idx(1, 1)", 17, "[1] is updated twice in one step"),
        ("?idx(3, 1)", 17, "index 3 is outside of a length of 2"),
        ("?deep(6)", 18, "`down` calls itself more often than its bound of 5"),
        ("?wide(20000)", 19, "a range has more than 10000 numbers"),
        ("?grow", 21, "operations over collections make more than 100000 rounds"),
    ] {
        let output = sioco(&["simulate", path], &format!("{script}\n"));
        let text = [output.stdout, output.stderr].concat();
        let text = String::from_utf8_lossy(&text);
        assert!(text.contains(&format!("data_store.sts:{line}:")) && text.contains(why), "{script}: {text}");
    }
}

#[test]
fn a_model_with_data_conforms_to_itself() {
    let path = file("data_shop.sts", SHOP);
    let path = path.to_str().expect("UTF-8");
    let check = sioco(&["check", path], "");
    assert_eq!(check.status.code(), Some(0), "{}", String::from_utf8_lossy(&check.stderr));
    for solver in ["auto", "builtin"] {
        let sut = format!("model:{path}");
        let args =
            ["test", path, "--sut", &sut, "--solver", solver, "--for", "6s", "--quiescence", "20", "--no-shrink"];
        let output = sioco(&args, "");
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(text.starts_with("PASS") && text.contains("(100%)"), "{solver}: {text}");
    }
}
