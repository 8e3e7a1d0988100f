//! Inputs to start from.

use std::path::Path;

use sioco_lang::Code;

use crate::Target;
use crate::mutate::Kind;

const MODELS: [&str; 3] = [
    "input  inX(p: Int in 1..10)\noutput outX(p: Int)\noutput done\n\nprocess Accumulator {\n  var x: Int = 0\n\n  \
     init l0 {\n    add:    ?inX(p)         / x := x + p -> l1\n    finish: !done   [x > 15]             -> l2\n  }\n  \
     state l1 {\n    tell:   !outX(x)                     -> l0\n  }\n  final l2\n}\n",
    r#"// All kinds of declarations.
type Amount = Int in 0..1000
type Colour = Red | Green | Blue
type Reply = Balance(amount: Int, ok: Bool) | Refused
type Point = { x: Int, y: Real in ..350 }
const N: Int in 1..9 = 5
const names = ["a", "b\t\u{e9}"]
fun dist(a: Int, b: Int): Int = abs(a - b)
fun value(r: Reply): Int = match r { Balance(a, _) => a, Refused => -1 }
fun pick(s: Seq<Int>, i: Int): Int = if 0 <= i < len(s) then s[i] else if i == 7 then 7 else let k = i + 1 in k * 2
input a(p: Amount, c: Colour)
input b
output o(n: Int)
output v(r: Real tolerance 0.01, s: String)
output closed
channel ci(m: Reply)
process P(n: Int, s: Seq<Int>) {
  var x: Int in 0..100000 = 0
  var pt: Point = Point { x: 1, y: 2 }
  var free: Int in 0..3 = any
  var r: Reply = Refused
  init l {
    one @REQ-1 @R.2: ?a(p, c) [p > n && c == Red] / x := p, pt := pt with { x: p } ; !o(p + x) / x := 0 -> l
    ?a(_, _) [else] -> m
    tau any k: Int in 0..3, any t: Bool [k > x || t] / x := k -> m
    recv ci(got) / r := got -> m
  }
  state m {
    !o(any q) [dist(q, x) <= 2 && q != pick(s, 1)] -> l
    !v(pt.y / 2 + 0.5, slice(names[0] ++ "z", 0, 1)) [r is Balance implies value(r) mod 3 == free div 2] -> e
    tau [else] -> l
  }
  final e { ?b -> l }
}
process Q { init final i { send ci(Balance(N, true)) -> i
  !closed [!(N < 3)] -> i } }
system S = P(1, [1, 2]) || two: P(max(2, N), []) || Q
purpose Reach {
  ?a(first, _) [first <= N]; ..; (!o(n) [n == first] | !v(_, s) [len(s) > 0 && two.x < 9]; delta)+; take two.one
  reject !closed
  reject any [two.free == 3]
}
purpose Again { (?b{2} | any){0..3}; take "Q.i!closed"; at P.m [two.r is Refused] | ?b*; at Q.i; !o(k) [k > 1] }
"#,
    "type S = Seq<Seq<Int in 0..3>>\noutput o(s: S)\nprocess P {\n  var s: S = []\n  var t: String = \"\"\n  init a {\n    \
     tau [len(s) < 3] / s := s ++ [[len(s)]], t := t ++ \"é\" -> a\n    !o(s) [contains(s, [1]) && contains(t, \"é\")] \
     -> b\n  }\n  state b { !o(any z) [z == s || len(z) == 1] -> a }\n}\n",
];

const AUTOMATA: [&str; 2] = [
    r#"<register-automaton><alphabet><inputs><symbol name="I"><param type="int" name="p"/><param type="int" name="q"/>
</symbol><symbol name="go"/></inputs><outputs><symbol name="O"><param type="int" name="p"/></symbol>
<symbol name="ok"/></outputs></alphabet><constants><constant type="int" name="c">7</constant></constants>
<globals><variable type="int" name="x">1</variable><variable type="int" name="y">-2</variable></globals>
<locations><location name="a" initial="true"/><location name="b"/></locations>
<transitions><transition from="a" to="b" symbol="I" params="m,n"><guard>m &lt; n &amp;&amp; x != m || !(n == c)</guard>
<assignments><assign to="x">m</assign><assign to="y">x + 2 * n</assign></assignments></transition>
<transition from="b" to="a" symbol="O" params="x"><assignments><assign to="x">y</assign></assignments></transition>
<transition from="b" to="b" symbol="ok"/><transition from="a" to="b" symbol="go"/></transitions></register-automaton>"#,
    r#"<?xml version="1.0"?>
<register-automaton>
  <alphabet><inputs><symbol name="IPut in"><param type="double" name="b"/><param type="boolean" name="t"/>
  <param name="s" type="string"/><param type="DUR" name=""/><param/></symbol></inputs>
  <outputs><symbol name="O-Get"><param type="DUR" name="out"/></symbol></outputs></alphabet>
  <globals><variable type="double" name="r-0">-1.5E1</variable><variable type="boolean" name="t">true</variable>
  <variable type="string" name="s"> a"b </variable><variable type="DUR" name="out">0</variable></globals>
  <locations><location name="l 0" initial="true"/><location name="l.1"/></locations>
  <transitions><transition from="l 0" to="l.1" symbol="IPut in" params="i,b,u,v,w">
  <guard>i > r-0 || b == t &amp;&amp; u == s || v == w</guard></transition>
  <transition from="l.1" to="l 0" symbol="O-Get" params="out"><assignments><assign to="out">__fresh__</assign>
  </assignments></transition></transitions>
</register-automaton>"#,
];

const TEXTS: [&str; 3] = [
    "A 6 r\r\nS \"a\\n\\u00e9\" true\r\nP (1,2.5) [1,2]\r\nV 0.25 -7\r\nDONE\r\n$-1\r\n",
    "R Balance(6,true)\r\nR NO\r\nw1.5\r\n250-a\r\n250-b\r\n250 3.5\r\nA 2000 g\r\nsomething else\r\nA 1",
    "A 6 g\nP (1,1/3) []\r\nV 99999999999999999999 99999999999999999999\r\n\r\nR Mix(\r\n",
];

const RESPONSES: [&str; 5] = [
    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 20\r\n\r\n{\"p\":6,\"colour\":\"r\"}",
    "HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n8;x=1\r\n{\"t\":\"a\"\r\n9\r\n,\"b\":true\r\n1\r\n}\r\n0\r\nX: y\r\n\r\n",
    "HTTP/1.0 200 OK\r\nServer: x\r\n\r\n{\"at\":{\"x\":1,\"y\":2.5},\"all\":[1,2]}",
    "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 5\r\n\r\nv=1.5HTTP/1.1 204 No Content\r\n\r\n",
    "HTTP/1.1 302 Found\r\nLocation: /x\r\nSet-Cookie: a=b\r\nContent-Length: 0\r\n\r\n",
];

/// Small models.
pub fn models() -> Vec<Vec<u8>> {
    bytes(&MODELS)
}

/// Small register automata.
pub fn automata() -> Vec<Vec<u8>> {
    bytes(&AUTOMATA)
}

/// What systems that speak plain text send.
pub fn texts() -> Vec<Vec<u8>> {
    bytes(&TEXTS)
}

/// Responses of servers.
pub fn responses() -> Vec<Vec<u8>> {
    bytes(&RESPONSES)
}

fn bytes(all: &[&str]) -> Vec<Vec<u8>> {
    all.iter().map(|s| s.as_bytes().to_vec()).collect()
}

/// All inputs to start from: those of the target and, for models, the examples of the explanations and of the folder.
pub fn all(target: Target, examples: &Path) -> Vec<Vec<u8>> {
    let mut found = (target.seeds)();
    if target.kind == Kind::Model {
        for code in Code::ALL {
            found.extend(blocks(code.explanation()));
        }
        examples_in(examples, &mut found);
    }
    found
}

/// The fenced blocks of models in an explanation.
fn blocks(markdown: &str) -> impl Iterator<Item = Vec<u8>> + '_ {
    markdown.split("```sts").skip(1).filter_map(|rest| {
        let (_, rest) = rest.split_once('\n')?;
        Some(rest.split("```").next()?.as_bytes().to_vec())
    })
}

/// The models in a folder and below, in the order of their names; none if it cannot be read.
fn examples_in(folder: &Path, found: &mut Vec<Vec<u8>>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let mut paths: Vec<_> = entries.filter_map(|e| Some(e.ok()?.path())).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            examples_in(&path, found);
        } else if path.extension().is_some_and(|e| e == "sts") {
            found.extend(std::fs::read(&path).ok().filter(|b| b.len() <= 8_000));
        }
    }
}
