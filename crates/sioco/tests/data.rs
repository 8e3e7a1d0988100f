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
            ["test", path, "--sut", &sut, "--solver", solver, "--cover", "random:5", "--seed", "1", "--no-shrink"];
        let output = sioco(&args, "");
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(text.starts_with("PASS") && text.contains("(100%)"), "{solver}: {text}");
    }
}

/// A broker that has to give what is in a set that is known.
const BROKER: &str = "input  sub(c: Int in 1..3)
input  pub
output deliver(client: Int)
process Broker {
  var subs: Set<Int> = {}
  var queue: Set<Int> = {}
  init idle {
    ?sub(c) / subs := add(subs, c) -> idle
    ?pub    / queue := subs        -> out
  }
  state out {
    give: !deliver(any c) [contains(queue, c)] / queue := remove(queue, c) -> out
    done: tau [len(queue) == 0] -> idle
  }
}
";

#[test]
fn what_a_known_set_holds_is_known() {
    let model = file("data_broker.sts", BROKER);
    let model = model.to_str().expect("UTF-8");
    for (log, code, says) in [
        ("?sub(3)\n?pub\ndelta\n", 1, "V002"),
        ("?sub(3)\n?pub\n!deliver(3)\ndelta\n", 0, "PASS"),
        ("?sub(3)\n?pub\n!deliver(2)\n", 1, "V001"),
    ] {
        for solver in ["auto", "builtin"] {
            let log = file("data_broker.txt", log);
            let output = sioco(&["judge", model, log.to_str().expect("UTF-8"), "--solver", solver], "");
            let text = String::from_utf8_lossy(&output.stdout);
            assert!(output.status.code() == Some(code) && text.contains(says), "{solver}: {text}");
        }
    }
}

/// Values of several types that stand for one place are listed in an order: enumerations beside records.
#[test]
fn records_beside_enumerations_do_no_harm() {
    let text = "type Item = Apple | Pear | Plum
type Line = { qty: Int, note: String }
input  put(user: String, item: Item, qty: Int in 1..5)
output ok
process Shop {
  var carts: Map<String, Map<Item, Line>> = {}
  var stock: Map<Item, Int> = {Apple: 7, Pear: 4, Plum: 8}
  init open {
    new: ?put(u, i, q) [len(u) < 3 && !contains(carts, u) && stock[i] >= q]
      / carts[u] := {i: Line { qty: q, note: upper(u) }}, stock[i] := stock[i] - q -> open
    other: ?put(u, i, q) [contains(carts, u) && stock[i] >= q]
      / carts[u][i] := Line { qty: q, note: \"\" }, stock[i] := stock[i] - q -> open
  }
}
";
    let path = file("data_items.sts", text);
    let output = sioco(&["explore", path.to_str().expect("UTF-8"), "--nodes", "40"], "");
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said);
    assert!(said.contains("all 2 taken") && !said.contains("bug"), "{said}");
}

/// A parameter that no solver has a sort for, in two conditions: the second one must not take it for declared.
#[test]
fn what_a_solver_cannot_write_is_no_fault_of_the_solver() {
    let text = "input  go(x: Map<Int, Int>, y: Seq<Set<Int>>)
output o
process P { init l { A: ?go(x, y) [exists(_k, v in x: v > 2) && len(y) == 2] ; !o -> l } }
";
    let path = file("data_sorts.sts", text);
    let path = path.to_str().expect("UTF-8");
    let output = sioco(&["analyze", path], "");
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said);
    assert!(!said.contains("failed: it reported") && output.status.code() != Some(5), "{said}");
}
